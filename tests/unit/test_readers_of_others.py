"""A reader that fails: one of another package is a note, one of plan07 is a defect."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from plan07.recon import FileRow, Part, Reader, Repository, parts

FIRST = Part(files=[FileRow("a.py", "python", "sha256:0")])


def broken(repository: Repository) -> Iterator[Part]:
    yield FIRST
    raise KeyError("line")


def unloadable() -> Reader:
    raise ImportError("no module named ctags")


@pytest.fixture
def repository() -> Repository:
    return Repository("/nowhere")


def test_what_it_brought_stays(repository: Repository) -> None:
    first, last = parts("ctags", lambda: broken, repository)
    (note,) = last.notes
    assert first == FIRST
    assert (note.code, note.subject, note.message) == (
        *("READER_FAILED", "ctags"),
        "the reader 'ctags' failed: KeyError: 'line'",
    )


def test_one_that_cannot_be_loaded(repository: Repository) -> None:
    (only,) = parts("ctags", unloadable, repository)
    (note,) = only.notes
    assert (note.code, note.message) == (
        "READER_BROKEN",
        "the reader 'ctags' cannot be loaded: ImportError: no module named ctags",
    )


def test_a_fault_of_plan07_is_not_hidden(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broken, "__module__", "plan07_encoders.python.encode")
    with pytest.raises(KeyError):
        list(parts("ast", lambda: broken, repository))
