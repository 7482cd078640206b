"""A real change as edits: the files of both ends, and those of any state between them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Set as AbstractSet
from hashlib import sha256
from typing import NamedTuple

from bench.replay.edits import Edit, Layout, Side, layout
from bench.replay.statements import Parsed, parse

SUFFIXES = (".py",)


class Ends(NamedTuple):
    """The two ends of a change, as directories.

    Args:
        old: the files before.
        new: the files after.
    """

    old: str
    new: str


class Change:
    """A change, split into edits.

    Args:
        ends: the directories; read once.
    """

    def __init__(self, ends: Ends) -> None:
        self.ends = ends
        self.edits: list[Edit] = []
        self._layouts: dict[str, tuple[int, Layout]] = {}
        self._files: dict[str, tuple[int, str | None, str | None]] = {}
        before, after = _tree(ends.old), _tree(ends.new)
        self.others = sorted(
            path
            for path in before.keys() | after.keys()
            if before.get(path) != after.get(path) and not path.endswith(SUFFIXES)
        )
        for path in sorted(before.keys() | after.keys()):
            if before.get(path) != after.get(path) and path.endswith(SUFFIXES):
                self._add(path, _text(ends.old, path, before), _text(ends.new, path, after))

    @property
    def paths(self) -> list[str]:
        """The Python files that differ."""
        return sorted([*self._layouts, *self._files])

    def text(self, path: str, applied: AbstractSet[int]) -> str | None:
        """Return a file with some edits applied; None where it is not there."""
        if path in self._files:
            number, old, new = self._files[path]
            return new if number in applied else old
        start, found = self._layouts[path]
        own = {each - start for each in applied if 0 <= each - start < len(found.edits)}
        return found.text(own)

    def digest(self, applied: AbstractSet[int]) -> str:
        """Return what tells this state from others of the same change, in 64 hex digits."""
        made = sha256()
        for path in self.paths:
            text = self.text(path, applied)
            told = (
                "-" if text is None else sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
            )
            made.update(f"{path}\0{told}\n".encode("utf-8", "surrogateescape"))
        return made.hexdigest()

    def _add(self, path: str, old: str | None, new: str | None) -> None:
        start = len(self.edits)
        one, other = _parsed(old), _parsed(new)
        if one is None or other is None:
            action = "added" if old is None else "deleted" if new is None else "modified"
            self.edits.append(Edit("", "file", action, path, _whole(one), _whole(other)))
            self._files[path] = start, old, new
            return
        found = layout(path, one, other)
        self.edits += found.edits
        self._layouts[path] = start, found


def _whole(parsed: Parsed | None) -> Side:
    if parsed is None:
        return Side()
    nodes = tuple(node for piece in parsed.pieces for node in piece.nodes)
    return Side(nodes, 1, 2**30)


def _parsed(text: str | None) -> Parsed | None:
    if text is None:
        return None
    try:
        return parse(text)
    except (SyntaxError, ValueError):
        return None


def _tree(root: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for directory, names, files in os.walk(root):
        names[:] = sorted(each for each in names if each != ".git")
        for name in files:
            place = os.path.join(directory, name)
            path = os.path.relpath(place, root)
            if os.path.islink(place):
                found[path] = b"->" + os.fsencode(os.readlink(place))
                continue
            with open(place, "rb") as stream:
                found[path] = sha256(stream.read()).digest()
    return found


def _text(root: str, path: str, tree: dict[str, bytes]) -> str | None:
    if path not in tree:
        return None
    with open(
        os.path.join(root, path), encoding="utf-8", errors="surrogateescape", newline=""
    ) as f:
        return f.read()


def check_out(repository: str, commit: str, place: str) -> None:
    """Put the files of a commit into a directory.

    Args:
        repository: a clone; it is only read. Files that it lacks, as a clone without large files
            does, are left out, but for Python.
        commit: its id.
        place: a directory that is not there yet.

    Raises:
        subprocess.CalledProcessError: git cannot do it.
    """
    os.makedirs(place)
    absent = [f":(exclude,literal){path}" for path in _absent(repository, commit)]
    command = ["git", "-C", repository, "archive", "--format=tar", commit, "--", ".", *absent]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as archive:
        subprocess.run(["tar", "-x", "-C", place], stdin=archive.stdout, check=True)
    if archive.returncode:
        raise subprocess.CalledProcessError(archive.returncode, command)


def _absent(repository: str, commit: str) -> list[str]:
    """Return the paths of a commit, but for Python, whose content a clone lacks."""

    def asked(*words: str, given: bytes = b"") -> bytes:
        command = ["git", "-C", repository, *words]
        return subprocess.run(command, input=given, stdout=subprocess.PIPE, check=True).stdout

    listed = asked("ls-tree", "-r", "-z", commit).split(b"\0")[:-1]
    rows = [line.partition(b"\t") for line in listed]
    blobs = [(head.split()[2], os.fsdecode(path)) for head, _, path in rows]
    asking = b"".join(each + b"\n" for each, _ in blobs)
    told = asked("cat-file", "--batch-check", given=asking).splitlines()
    return [
        path
        for (_, path), line in zip(blobs, told, strict=True)
        if line.endswith(b" missing") and not path.endswith((".py", ".pyi"))
    ]


def begin(change: Change, place: str) -> None:
    """Make the directory in which states are tried: the old end, with what is not Python new.

    Args:
        change: the change.
        place: a directory that is not there yet.
    """
    shutil.copytree(change.ends.old, place, symlinks=True)
    for path in change.others:
        source, target = os.path.join(change.ends.new, path), os.path.join(place, path)
        if os.path.lexists(target):
            os.remove(target)
        if os.path.lexists(source):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
