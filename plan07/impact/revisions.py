"""Two revisions of a git repository, side by side, without touching the repository."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from plan07 import gitcommand
from plan07.errors import InputError

_PHASE = "evidence"
# Large files that lie elsewhere are not fetched for a comparison.
_NO_LARGE_FILES = ("-c", "filter.lfs.smudge=", "-c", "filter.lfs.required=false")


class Span(NamedTuple):
    """What lies between two revisions.

    Args:
        old: the id of the older commit.
        new: the id of the newer one; None for the files as they lie in the working tree.
    """

    old: str
    new: str | None


class Changed(NamedTuple):
    """The files that differ.

    Args:
        old: paths in the older state.
        new: paths in the newer state.
        moved: path to new path of files that were renamed.
    """

    old: frozenset[str]
    new: frozenset[str]
    moved: dict[str, str]


def span(root: str, text: str) -> Span:
    """Return the commits that REV or REV..REV names.

    Args:
        root: the directory of the repository.
        text: as the user writes it.

    Raises:
        InputError: it is no git repository, or there is no such revision.
    """
    old, dots, new = text.partition("..")
    if new.startswith("."):
        raise InputError(
            "REVISION_INVALID",
            f"{text!r} has three dots",
            "write REV or REV..REV",
            phase="usage",
            detail={"revision": text},
        )
    return Span(_commit(root, old or "HEAD"), _commit(root, new or "HEAD") if dots else None)


def _commit(root: str, revision: str) -> str:
    given = f"{revision}^0"
    found = gitcommand.run(root, "rev-parse", "--verify", "--quiet", "--end-of-options", given)
    if found is None:
        if shutil.which("git") is None:
            raise InputError(
                "GIT_MISSING",
                "the program git cannot be found",
                "install git, or name what changes with --seed",
                phase=_PHASE,
            )
        raise InputError(
            "REVISION_UNKNOWN",
            f"{root} has no revision {revision!r}",
            "name a commit, a branch or a tag of a git repository",
            phase=_PHASE,
            detail={"revision": revision, "path": root},
        )
    return found.decode("ascii", "replace").strip()


def changed(root: str, between: Span, lying: Mapping[str, str]) -> Changed:
    """Return the files that differ, renames found by likeness.

    Files are compared by their blob ids, so that git need not look at the working tree, for which
    it would run the filters that the repository names.

    Args:
        root: the directory of the repository.
        between: the revisions.
        lying: path to blob id of the files in the working tree.

    Raises:
        InputError: git cannot compare them.
    """
    old = _tree(root, between.old)
    new = lying if between.new is None else _tree(root, between.new)
    before = {path for path, blob in old.items() if new.get(path) != blob}
    after = {path for path, blob in new.items() if old.get(path) != blob}
    gone = sorted(before - new.keys())
    came = sorted(after - old.keys())
    if between.new is None:
        moved = dict(_alike(root, {path: old[path] for path in gone}, came))
    else:
        moved = dict(_renamed(root, between.old, between.new))
    return Changed(frozenset(before), frozenset(after), moved)


def _tree(root: str, commit: str) -> dict[str, str]:
    """Return path to blob id of the files of a commit."""
    found: dict[str, str] = {}
    for record in _answer(root, "ls-tree", "-r", "-z", "--full-tree", commit).split("\0"):
        head, _, path = record.partition("\t")
        if path:
            mode, _, blob = head.split(" ")
            if mode.startswith("100"):
                found[path] = blob
    return found


def _renamed(root: str, old: str, new: str) -> Iterator[tuple[str, str]]:
    said = _answer(
        root, "diff-tree", "-r", "-z", "-M", "--diff-filter=R", "--name-status", old, new
    )
    words = said.split("\0")
    yield from zip(words[1::3], words[2::3], strict=False)


def _alike(root: str, gone: Mapping[str, str], came: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield files that lie elsewhere now: at least half of their lines are the same."""
    if not gone or not came or len(gone) * len(came) > _MOST_PAIRS:
        return
    lines = {path: _lines_of(gitcommand.run(root, "cat-file", "blob", gone[path])) for path in gone}
    others = {path: _lines_of(_bytes(os.path.join(root, path))) for path in came}
    pairs = [
        (_likeness(lines[path], others[target]), path, target) for path in gone for target in came
    ]
    taken: set[str] = set()
    for share, path, target in sorted(pairs, key=lambda each: (-each[0], each[1], each[2])):
        if share >= _ALIKE and path not in taken and target not in taken:
            taken |= {path, target}
            yield path, target


# As git does it; more pairs than this are not compared.
_ALIKE = 0.5
_MOST_PAIRS = 10_000


def _lines_of(data: bytes | None) -> Counter[bytes]:
    return Counter(line for line in (data or b"").splitlines() if line.strip())


def _likeness(lines: Counter[bytes], others: Counter[bytes]) -> float:
    both = lines.total() + others.total()
    return 2 * (lines & others).total() / both if both else 0.0


def _bytes(place: str) -> bytes | None:
    try:
        with open(os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as stream:
            return stream.read(_LARGEST_FILE)
    except OSError:
        return None


_LARGEST_FILE = 4 * 1024 * 1024


def check_out(root: str, commit: str, place: str) -> None:
    """Put the files of a commit into a new directory, a clone that borrows all objects.

    Args:
        root: the directory of the repository.
        commit: its id.
        place: the directory, which is not there yet.

    Raises:
        InputError: git cannot do it.
    """
    # The clone has none of the repository's settings, so no filter of the repository runs.
    _answer(root, "clone", "--quiet", "--shared", "--no-checkout", "--", root, place)
    _answer(place, *_NO_LARGE_FILES, "checkout", "--quiet", "--detach", commit)


def _answer(root: str, *arguments: str) -> str:
    found = gitcommand.run(root, *arguments)
    if found is None:
        raise InputError(
            "GIT_FAILED",
            f"git cannot compare revisions of {root}",
            "see what `git status` says there",
            phase=_PHASE,
            detail={"path": root, "command": arguments[0]},
        )
    return found.decode("utf-8", "surrogateescape")
