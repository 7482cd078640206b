"""What stands in texts and names."""

from __future__ import annotations

import pytest

from plan07 import lexis, rulebook

LEXICON = frozenset({"sig change", "re bind", "bind", "no breaking change", "breaking change"})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Sig-change: consumer re-bind", ["sig change", "re bind"]),
        ("SIG_CHANGE/sig change", ["sig change", "sig change"]),
        ("no breaking change", ["no breaking change"]),
        ("a breaking change", ["breaking change"]),
        ("bind rebind binding", ["bind"]),
        ("sig. change", ["sig change"]),
        ("", []),
        ("sig", []),
    ],
)
def test_phrases(text: str, found: list[str]) -> None:
    assert lexis.phrases(text, LEXICON) == found


def test_phrases_are_whole_words_of_any_case() -> None:
    assert lexis.phrases("STRASSE Straße", frozenset({"strasse"})) == ["strasse", "strasse"]


def test_no_phrase_of_the_shipped_lexicon_is_out_of_reach() -> None:
    """Four words at most, in lower case, as the text is split."""
    for phrase in rulebook.load().lexicon:
        assert lexis.phrases(phrase, frozenset({phrase})) == [phrase]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("tests/test_a.py::test_b", ["tests/test_a.py::test_b"]),
        ("pytest -q tests/test_a.py::TestC::test_d", ["tests/test_a.py::TestC::test_d"]),
        ("tests/test_a.py::test_b[1-x y]", ["tests/test_a.py::test_b[1-x y]"]),
        ("tests/test_a.py::test_b[1-x]", ["tests/test_a.py::test_b[1-x]"]),
        ("test_a.py and b_test.py", ["test_a.py", "b_test.py"]),
        ("python tools/build.py", []),
        ("src/a.py::doctest", ["src/a.py::doctest"]),
        ("make check", []),
        ("", []),
    ],
)
def test_tests_named(text: str, found: list[str]) -> None:
    assert lexis.tests_named(text) == found


@pytest.mark.parametrize(
    ("wanted", "known"),
    [
        ("t.py::a", True),
        ("t.py", True),
        ("t.py::C", True),
        ("t.py::p", True),
        ("t.py::p[1]", True),
        ("t.py::p[2]", False),
        ("t.py::b", False),
        ("t", False),
        ("t.py::ab", False),
    ],
)
def test_has_test(wanted: str, known: bool) -> None:
    assert lexis.has_test(wanted, ["t.py::a", "t.py::C::m", "t.py::p[1]"]) is known


@pytest.mark.parametrize(
    ("target", "test", "named"),
    [
        ("tests.test_a", "tests/test_a.py::test_b", True),
        ("tests/test_a.py", "tests/test_a.py::test_b", True),
        ("test_a", "tests/test_a.py::test_b", True),
        ("tests/test_a.py::test_b", "tests/test_a.py::test_b", True),
        ("tests.test_a.TestC", "tests/test_a.py::TestC::test_b", True),
        ("tests.test_a.TestC.test_b", "tests/test_a.py::TestC::test_b[x]", True),
        ("tests.test_a.test_b", "tests/test_a.py", True),
        ("tests/test_a.py::test_c", "tests/test_a.py::test_b", False),
        ("tests", "tests/test_a.py::test_b", False),
        ("tests.test_ab", "tests/test_a.py::test_b", False),
        ("src.a", "tests/test_a.py::test_b", False),
    ],
)
def test_names_test(target: str, test: str, named: bool) -> None:
    assert lexis.names_test(target, test) is named


def test_mentions() -> None:
    ids = frozenset({"O1", "O10", "a.b"})
    assert lexis.mentions("instead of O1, not O11; see a.b.", ids) == ["O1", "a.b"]
    assert lexis.mentions("O1O10 o1", ids) == []


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("auth.Session.load", ["auth.Session", "auth"]),
        ("src/auth.py::Session.load", ["src/auth.py::Session", "src/auth.py", "src/auth", "src"]),
        ("auth", []),
        ("", []),
        ("/auth", []),
    ],
)
def test_outer(name: str, found: list[str]) -> None:
    assert list(lexis.outer(name)) == found


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("docs/guide/a.md", ["docs/", "docs/guide/", "docs/guide/a.md", "*.md"]),
        ("./docs/a.md", ["docs/", "docs/a.md", "*.md"]),
        ("docs/", ["docs/"]),
        ("/etc/hosts", ["/", "/etc/", "/etc/hosts"]),
        ("tests/test_a.py::T::test_b[a/b.c]", ["tests/", "tests/test_a.py", "*.py"]),
        ("README.md", ["README", "README.md", "*.md"]),
        ("Makefile", ["Makefile"]),
        ("auth.Session.load", ["auth", "auth.Session", "auth.Session.load"]),
        ("", [""]),
    ],
)
def test_places(name: str, found: list[str]) -> None:
    assert lexis.places(name) == found


@pytest.mark.parametrize(
    ("name", "kind", "file"),
    [
        ("src/auth.py::Session.load", None, "src/auth.py"),
        ("src/auth.py", None, "src/auth.py"),
        ("Makefile/x", None, "Makefile/x"),
        ("structlog._config:from ._log_levels", None, "structlog._config"),
        ("auth.session.Session.load", None, "auth.session"),
        ("auth.session._Session.load", "method", "auth.session"),
        ("auth.session.load", "function", "auth.session"),
        ("auth.session", "module", "auth.session"),
        ("auth", "module", "auth"),
        ("auth", None, None),
        ("Session.load", None, "Session"),
        (":x", None, None),
    ],
)
def test_file_of(name: str, kind: str | None, file: str | None) -> None:
    assert lexis.file_of(name, kind) == file
