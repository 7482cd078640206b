"""The grammar of validations: what is a test, a command, a build check, a predicate."""

from __future__ import annotations

import pytest

from plan07.checks import Check, command_in, parse


@pytest.mark.parametrize(
    ("text", "kind", "args"),
    [
        ("tests/test_a.py::test_b", "pytest", ("tests/test_a.py::test_b",)),
        ("tests/test_a.py tests/b_test.py", "pytest", ("tests/test_a.py", "tests/b_test.py")),
        ("tests/test_a.py::T::test_b[x-1]", "pytest", ("tests/test_a.py::T::test_b[x-1]",)),
        ("compile: src/a.py 'my dir'", "compile", ("src/a.py", "my dir")),
        ("import: pkg.mod other", "import", ("pkg.mod", "other")),
        ("$ ./check.sh --all", "command", ("./check.sh", "--all")),
        ("`./check.sh 'a b'`", "command", ("./check.sh", "a b")),
        ("`$ true`", "command", ("true",)),
        ("make lint", "command", ("make", "lint")),
        ("pytest -q tests/test_a.py", "command", ("pytest", "-q", "tests/test_a.py")),
    ],
)
def test_a_check_is_what_its_form_says(text: str, kind: str, args: tuple[str, ...]) -> None:
    assert parse(text) == (Check(kind, args),)


@pytest.mark.parametrize(
    "text",
    [
        "SessionConfig accepts a timeout",
        "tests/test_a.py::test_b passes",
        "make",
        "import: not-a-module",
        "compile:",
        "`unbalanced 'quote`",
        "the `make lint` command passes",
        "rm -rf /",
        "sh -c true",
    ],
)
def test_anything_else_is_a_statement_and_runs_nothing(text: str) -> None:
    assert parse(text) == (Check("predicate", (text,)),)


def test_checks_are_joined_outside_of_backticks() -> None:
    found = parse("tests/test_a.py && `a && b` &&  make lint")
    assert found == (
        Check("pytest", ("tests/test_a.py",)),
        Check("command", ("a", "&&", "b")),
        Check("command", ("make", "lint")),
    )


@pytest.mark.parametrize("text", ["", "  ", "&&", " && "])
def test_nothing_is_no_check(text: str) -> None:
    assert parse(text) == ()


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("`make lint` exits with 0", "make lint"),
        ("`$ tox -e py` is green", "tox -e py"),
        ("`SessionConfig` has `timeout`", None),
        ("`make a` and `make b`", None),
        ("make lint passes", None),
        ("`make`", None),
    ],
)
def test_the_one_command_of_a_sentence(text: str, command: str | None) -> None:
    assert command_in(text) == command
