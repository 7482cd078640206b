"""`plan07 canonicalize`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from request_corpus import DIRECTORY

Run = Callable[..., Any]
REQUEST = "Make the session timeout configurable"
FOUND = {
    "goal": REQUEST,
    "acceptance_criteria": ["the session timeout is configurable"],
    "constraints": [],
    "needs_confirmation": True,
}


def test_the_text_itself(run: Run) -> None:
    result = run("canonicalize", REQUEST, "--json")
    assert (result.status, result.err, result.document()) == (0, "", FOUND)


def test_standard_input_and_a_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "request.md"
    path.write_bytes(b"\xef\xbb\xbf" + REQUEST.encode() + b"\r\n")
    expected = run("canonicalize", REQUEST, "--json")
    assert run("canonicalize", "-", "--json", stdin=REQUEST.encode()) == expected
    assert run("canonicalize", "--file", path, "--json") == expected


def test_for_people(run: Run) -> None:
    result = run("canonicalize", "--file", DIRECTORY / "html-comments.md")
    assert (result.status, result.err) == (0, "")
    assert result.out == (
        "goal: Dark mode\n"
        "\n"
        "acceptance criteria\n"
        "  1. The application should follow the system's colour scheme\n"
        "\n"
        "not taken\n"
        "  line 1, a comment: Please read the contributing guide.\n"
        "  line 2, a comment: keep it short\n"
        "  line 4, a comment: <!--\n"
        "  line 11, code: <!-- this is code -->\n"
    )


def test_for_people_what_is_derived_says_so(run: Run) -> None:
    result = run("canonicalize", "Sort X without changing Y")
    assert result.out == (
        "goal: Sort X without changing Y\n"
        "\n"
        "acceptance criteria, derived: confirm them\n"
        "  1. X is sorted\n"
        "\n"
        "constraints\n"
        "  1. without changing Y\n"
    )


def test_many_parts_of_a_kind_are_counted(run: Run) -> None:
    result = run("canonicalize", "--file", DIRECTORY / "twenty-kilobytes.md")
    assert "  and 55 more, code\n" in result.out


def test_nothing_acts_on_the_terminal(run: Run) -> None:
    result = run("canonicalize", "--file", DIRECTORY / "bidirectional.md")
    assert "\u202e" not in result.out
    assert "\\u202e" in result.out


@pytest.mark.parametrize(
    ("request_", "code"),
    [("", "EMPTY_GOAL"), ("please, thanks", "EMPTY_GOAL"), ("Refactor", "NOTHING_CHECKABLE")],
)
def test_refused(run: Run, request_: str, code: str) -> None:
    """S-000-015: exit 1, one error, no plan."""
    result = run("canonicalize", request_, "--json")
    error = result.document()["error"]
    assert (result.status, result.err) == (1, "")
    assert (error["code"], error["phase"]) == (code, "canonicalize")
    assert [each["code"] for each in error["violations"]] == [code]
    text = run("canonicalize", request_)
    assert (text.status, text.out) == (1, "")
    assert text.err == f"plan07: {code}: {error['message']}\n  fix: {error['fix']}\n"


def test_a_cap(run: Run) -> None:
    """S-000-016."""
    result = run("canonicalize", "--file", DIRECTORY / "too-many-criteria.md", "--json")
    error = result.document()["error"]
    assert (result.status, error["code"]) == (1, "CAP_EXCEEDED")
    assert error["detail"] == {"field": "criteria", "count": 17, "limit": 16}


@pytest.mark.parametrize(
    ("arguments", "stdin", "code"),
    [
        ((), b"", "USAGE"),
        (("x", "--file", "y"), b"", "USAGE"),
        (("--file", "no-such-file"), b"", "FILE_UNREADABLE"),
        (("-",), b"Fix \xff", "REQUEST_INVALID"),
        (("-",), b"Fix \0", "REQUEST_INVALID"),
        (("Fix \udcff",), b"", "REQUEST_INVALID"),
        (("-",), b"a" * 200_000, "REQUEST_TOO_LARGE"),
        (("-",), b"a" * 600_000, "FILE_TOO_LARGE"),
    ],
    ids=["nothing", "both", "no file", "not UTF-8", "NUL", "surrogate", "large", "larger"],
)
def test_what_cannot_be_read(run: Run, arguments: tuple[str, ...], stdin: bytes, code: str) -> None:
    result = run("canonicalize", *arguments, "--json", stdin=stdin)
    assert (result.status, result.err) == (2, "")
    assert result.document()["error"]["code"] == code
