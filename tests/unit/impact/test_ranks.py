"""Soft ranks: words and history."""

from __future__ import annotations

import math

import pytest

from plan07.impact.ranks import Rank, Support, bm25, ranked, summary, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("load_all", ["load", "all"]),
        ("SessionConfig.loadAll", ["session", "config", "load", "all"]),
        ("HTTPServer2Go", ["http", "server2", "go"]),
        ("Straße_ändern", ["strasse", "ändern"]),
        ("(self, *, timeout: int = 30) -> None", ["self", "timeout", "int", "30", "none"]),
        ("", []),
    ],
)
def test_words_of_identifiers(text: str, expected: list[str]) -> None:
    assert words(text) == expected


class TestBm25:
    def test_by_hand(self) -> None:
        """Two documents of two words, one word of the query in one of them."""
        found = bm25(["a"], {"x": ["a", "b"], "y": ["c", "d"]})
        rarity = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
        assert found == {"x": pytest.approx(rarity * 2.2 / 2.2), "y": 0.0}

    def test_rare_words_count_more(self) -> None:
        found = bm25(["a", "b"], {"x": ["a", "z"], "y": ["b", "z"], "w": ["b", "z"]})
        assert found["x"] > found["y"] == found["w"] > 0

    def test_short_documents_count_more(self) -> None:
        found = bm25(["a"], {"x": ["a"], "y": ["a", "b", "c"]})
        assert found["x"] > found["y"]

    def test_repetition_in_the_query_does_not_count(self) -> None:
        documents = {"x": ["a", "b"], "y": ["c"]}
        assert bm25(["a", "a"], documents) == bm25(["a"], documents)

    def test_nothing(self) -> None:
        assert bm25(["a"], {}) == {}
        assert bm25([], {"x": ["a"]}) == {"x": 0.0}


class TestRanked:
    def test_the_mean_of_words_and_history(self) -> None:
        found = ranked(
            "session timeout",
            {"a.session_timeout": "session timeout", "b.other": "other", "c.none": "none"},
            {"b.other": Support(3, 4)},
            10,
        )
        assert found == [
            Rank("a.session_timeout", 1.0, 0.0, 0.5, None),
            Rank("b.other", 0.0, 0.75, 0.375, Support(3, 4)),
        ]

    def test_the_first_ones_by_name_where_they_are_equal(self) -> None:
        found = ranked("x", {"b": "x", "a": "x", "c": "x"}, {}, 2)
        assert [each.entity for each in found] == ["a", "b"]

    def test_a_history_that_contradicts_itself_is_no_more_than_certain(self) -> None:
        assert ranked("", {"a": ""}, {"a": Support(5, 4)}, 1)[0].cochange == 1.0
        assert ranked("x", {"a": "x"}, {"a": Support(5, 0)}, 1)[0].cochange == 0.0


SOURCE = '''\
@decorator
def f(
    a,  # a comment:
) -> int:

    """Return what it is.

    More.
    """
    return 1


def g(): pass


class C:
    x = 1


def h():
    'One line.'


def i():
    r"""Raw."""
'''.splitlines()


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (1, 10, "Return what it is."),
        (13, 13, ""),
        (16, 17, ""),
        (20, 21, "One line."),
        (24, 25, "Raw."),
        (99, 100, ""),
    ],
)
def test_first_line_of_a_description(start: int, end: int, expected: str) -> None:
    assert summary(SOURCE, start, end) == expected
