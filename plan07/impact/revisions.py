"""Two revisions of a git repository, side by side, without touching the repository."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from typing import NamedTuple

from plan07.errors import InputError

_PHASE = "evidence"
_SECONDS = 120
# Nothing that a repository or a user configured is to run, ask or write.
_QUIET = (
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0"),
    *("-c", "diff.external=", "-c", "core.quotePath=false"),
)


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
    try:
        found = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^0")
    except (subprocess.CalledProcessError, ValueError):
        raise InputError(
            "REVISION_UNKNOWN",
            f"{root} has no revision {revision!r}",
            "name a commit, a branch or a tag of a git repository",
            phase=_PHASE,
            detail={"revision": revision, "path": root},
        ) from None
    return found.strip()


def changed(root: str, between: Span) -> Changed:
    """Return the files that differ, renames found by likeness.

    Raises:
        InputError: git cannot compare them.
    """
    ends = [between.old] if between.new is None else [between.old, between.new]
    others = ""
    try:
        said = _git(root, "diff", "--no-ext-diff", "--name-status", "-z", "-M", *ends, "--")
        if between.new is None:
            others = _git(root, "ls-files", "-z", "--others", "--exclude-standard")
    except subprocess.CalledProcessError as error:
        raise _failed(root, error) from error
    words = iter(said.split("\0"))
    old: set[str] = set()
    new = {path for path in others.split("\0") if path}
    moved: dict[str, str] = {}
    for status in words:
        if not status:
            continue
        path = next(words)
        if status[0] in "RC":
            target = next(words)
            new.add(target)
            if status[0] == "R":
                old.add(path)
                moved[path] = target
            continue
        if status[0] != "A":
            old.add(path)
        if status[0] != "D":
            new.add(path)
    return Changed(frozenset(old), frozenset(new), moved)


def check_out(root: str, commit: str, place: str) -> None:
    """Put the files of a commit into a new directory, a clone that borrows all objects.

    Args:
        root: the directory of the repository.
        commit: its id.
        place: the directory, which is not there yet.

    Raises:
        InputError: git cannot do it.
    """
    try:
        _git(root, "clone", "--quiet", "--shared", "--no-checkout", "--", root, place)
        _git(place, "checkout", "--quiet", "--detach", commit)
    except subprocess.CalledProcessError as error:
        raise _failed(root, error) from error


def _git(root: str, *arguments: str) -> str:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_LFS_SKIP_SMUDGE": "1",
        "LC_ALL": "C",
    }
    command: Sequence[str] = ["git", "-C", root, *_QUIET, *arguments]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            check=True,
            env=environment,
            stdin=subprocess.DEVNULL,
            timeout=_SECONDS,
        )
    except FileNotFoundError as error:
        raise InputError(
            "GIT_MISSING",
            "the program git cannot be found",
            "install git, or name seeds with --seed",
            phase=_PHASE,
        ) from error
    except subprocess.TimeoutExpired as error:
        raise InputError(
            "GIT_FAILED",
            f"git did not answer within {_SECONDS} seconds",
            "try again",
            phase=_PHASE,
            retryable=True,
        ) from error
    return done.stdout.decode("utf-8", "surrogateescape")


def _failed(root: str, error: subprocess.CalledProcessError) -> InputError:
    said = " ".join(error.stderr.decode("utf-8", "replace").split())[:200]
    return InputError(
        "GIT_FAILED",
        f"git cannot read {root}: {said}",
        "see what `git status` says there",
        phase=_PHASE,
        detail={"path": root, "message": said},
    )
