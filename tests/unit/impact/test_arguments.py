"""What calls do with a parameter of what they call."""

from __future__ import annotations

import json

import pytest
from recondb import parameters as column

from plan07.impact.arguments import Parameter, Site, parameters, sites, uses

POSITIONAL = "positional_or_keyword"
GIVEN = (
    Parameter("a", "positional_only"),
    Parameter("b", POSITIONAL),
    Parameter("rest", "var_positional"),
    Parameter("c", "keyword_only"),
)


class TestParameters:
    def test_without_the_bound_one(self) -> None:
        found = parameters(column("self", "a", "*,b"), bound=True)
        assert found == (Parameter("a", POSITIONAL), Parameter("b", "keyword_only"))

    def test_with_every_one(self) -> None:
        assert [each.name for each in parameters(column("self", "a"), bound=False)] == ["self", "a"]

    @pytest.mark.parametrize(
        "text", [None, "", "{}", "[1]", '[{"kind": "x"}]', "[", "[" * 100_000], ids=range(7)
    )
    def test_what_is_no_such_list(self, text: str | None) -> None:
        assert parameters(text, bound=True) == ()


class TestSites:
    def test_each_call(self) -> None:
        attrs = {"sites": [{"line": 3, "positional": 1, "keywords": ["b"], "star": True}, {}]}
        assert sites(json.dumps(attrs)) == (
            Site(1, frozenset({"b"}), True, False),
            Site(0, frozenset(), False, False),
        )

    @pytest.mark.parametrize(
        "attrs",
        [
            None,
            "",
            "[]",
            "{}",
            '{"sites": []}',
            '{"sites": [1]}',
            '{"sites": [{"positional": "1"}]}',
            '{"sites": [{"keywords": "b"}]}',
            '{"sites": [{"positional": 1}], "more": true}',
            "{" * 100_000,
        ],
        ids=range(10),
    )
    def test_nothing_where_not_every_call_is_told(self, attrs: str | None) -> None:
        assert sites(attrs) is None


@pytest.mark.parametrize(
    ("name", "site", "use"),
    [
        ("a", Site(1, frozenset(), False, False), "by_position"),
        ("b", Site(1, frozenset(), False, False), "omits"),
        ("b", Site(2, frozenset(), False, False), "by_position"),
        ("b", Site(1, frozenset({"b"}), False, False), "by_keyword"),
        ("b", Site(0, frozenset({"b"}), True, True), "by_keyword"),
        ("b", Site(2, frozenset(), True, False), "unclear"),
        ("b", Site(1, frozenset(), False, True), "unclear"),
        ("c", Site(9, frozenset(), False, False), "omits"),
        ("c", Site(9, frozenset(), True, False), "omits"),
        ("c", Site(0, frozenset(), False, True), "unclear"),
        ("c", Site(0, frozenset({"c"}), False, False), "by_keyword"),
    ],
)
def test_what_a_call_does_with_a_parameter(name: str, site: Site, use: str) -> None:
    assert uses(name, GIVEN, [site]) == [use]


def test_what_several_calls_do() -> None:
    calls = [Site(2, frozenset(), False, False), Site(1, frozenset(), False, False)]
    assert uses("b", GIVEN, [*calls, *calls]) == ["by_position", "omits"]
