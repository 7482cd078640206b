"""The files of a repository, and for each a name of what it holds.

In a git checkout: what is tracked and what is not ignored, with the blob ids of git; files that are
edited get the id that git would give them. Elsewhere: all files but those in hidden directories and
in those that hold builds and packages. Links are never followed.
"""

from __future__ import annotations

import os
from hashlib import sha1, sha256
from typing import NamedTuple

from plan07 import gitcommand, languages
from plan07.errors import Finding, InputError
from plan07.recon import FileRow

_LINK, _SUBMODULE = "120000", "160000"
_DEEPEST = 5
_SKIPPED = frozenset(
    ("node_modules", "__pycache__", "venv", "build", "dist", "site-packages", "target")
)
# What is longer is named by its size and time; nobody reads it as a source.
_LARGEST_HASHED = 16 * 1024 * 1024


class Worktree(NamedTuple):
    """The files of a repository.

    Args:
        root: its directory, absolute and without links.
        files: in the order of their paths.
        commit: what is checked out; None without git, or before the first commit.
        dirty: files differ from that commit.
        notes: links, submodules that are not there, names that cannot be read, and where git is
            no help.
    """

    root: str
    files: list[FileRow]
    commit: str | None
    dirty: bool
    notes: list[Finding]


def read(directory: str) -> Worktree:
    """Return the files below a directory.

    Raises:
        InputError: it is no directory.
    """
    root = os.path.realpath(directory)
    if not os.path.isdir(root):
        raise InputError(
            "REPOSITORY_UNREADABLE",
            f"{directory} is not a directory",
            "name the directory of a repository",
            phase="evidence",
            detail={"path": directory},
        )
    tree = _Reader(root)
    listed = tree.git("", 0)
    if not listed:
        tree.walk()
    tree.say_what_git_is_to_it(listed)
    commit = gitcommand.run(root, "rev-parse", "--verify", "--quiet", "HEAD") if listed else None
    files = sorted(tree.files.values())
    head = commit.decode("ascii", "replace").strip() if commit else None
    dirty = tree.dirty
    if head is not None and not dirty:
        # What is staged is what is listed, and differs from the commit all the same.
        dirty = gitcommand.run(root, "diff-index", "--cached", "--quiet", head) is None
    return Worktree(root, files, head, dirty, tree.notes)


class _Reader:
    def __init__(self, root: str) -> None:
        self._root = root
        self.files: dict[str, FileRow] = {}
        self.notes: list[Finding] = []
        self.dirty = False

    def git(self, prefix: str, depth: int) -> bool:
        """Add the files of a git checkout; False if it is none."""
        place = os.path.join(self._root, prefix)
        listed = gitcommand.listed(place)
        if listed is None:
            return False
        others = [name for tag, name in listed if tag == b"?"]
        staged = [(tag, *record.partition(b"\t")[::2]) for tag, record in listed if tag != b"?"]
        stale = {name for tag, _, name in staged if tag == b"C"}
        length = 40
        links = 0
        for tag, head, name in staged:
            if tag == b"C":
                continue
            mode, blob, _ = head.decode("ascii").split(" ")
            length = len(blob)
            path = self._path(prefix, name)
            if path is None:
                continue
            if mode == _LINK:
                links += 1
            elif mode == _SUBMODULE:
                self._submodule(path, depth)
            elif name in stale:
                self._edited(path, blob)
            else:
                self._add(path, blob, executable=mode == "100755")
        for name in others:
            path = self._path(prefix, name)
            # A repository within, or what this project itself writes.
            if path is None or path.endswith("/") or self._is_own(path):
                continue
            self._edited(path, "0" * length)
        if links:
            self._note("LINKS_NOT_FOLLOWED", prefix or ".", f"{links} symbolic links", "")
        return True

    def say_what_git_is_to_it(self, listed: bool) -> None:
        """Note where git has less to say of the directory than a user may expect."""
        if listed == os.path.lexists(os.path.join(self._root, ".git")):
            return
        if listed:
            said = "this is a part of a repository, and nothing is known of the rest"
            self._note("REPOSITORY_IN_PART", ".", said, "name the root of the repository")
        else:
            said = "git lists no files here, so all of them were read, without their history"
            self._note("GIT_UNREADABLE", ".", said, "see what `git status` says here")

    def walk(self) -> None:
        """Add the files below the root."""
        links = 0
        for folder, directories, names in os.walk(self._root):
            directories[:] = sorted(
                each
                for each in directories
                if not each.startswith(".")
                and each not in _SKIPPED
                and not os.path.islink(os.path.join(folder, each))
            )
            inner = os.path.relpath(folder, self._root).replace(os.sep, "/")
            for name in sorted(names):
                place = os.path.join(folder, name)
                path = name if inner == "." else f"{inner}/{name}"
                if os.path.islink(place):
                    links += 1
                elif self._path("", os.fsencode(path)) is not None:
                    blob = _hashed(place, "sha256")
                    if blob is not None:
                        self._add(path, blob, executable=os.access(place, os.X_OK))
        if links:
            self._note("LINKS_NOT_FOLLOWED", ".", f"{links} symbolic links", "")

    def _path(self, prefix: str, name: bytes) -> str | None:
        try:
            path = name.decode("utf-8")
        except UnicodeDecodeError:
            shown = name.decode("utf-8", "backslashreplace")
            self._note("NAME_UNREADABLE", shown, f"the name {shown!r} is not UTF-8", "rename it")
            return None
        return f"{prefix}/{path}" if prefix else path

    def _edited(self, path: str, blob: str) -> None:
        kind = "sha1" if len(blob) == 40 else "sha256"
        place = os.path.join(self._root, path)
        if os.path.islink(place):
            return
        found = _hashed(place, "git-" + kind)
        self.dirty = self.dirty or found != blob
        if found is not None:
            self._add(path, found, executable=os.access(place, os.X_OK))

    def _add(self, path: str, blob: str, *, executable: bool) -> None:
        lang = languages.language(path)
        if lang is None and executable and "." not in os.path.basename(path):
            lang = self._shebang(path)
        self.files[path] = FileRow(path, lang, blob, languages.role(path))

    def _shebang(self, path: str) -> str | None:
        """Return the language of a script without an extension."""
        try:
            handle = os.open(
                os.path.join(self._root, path), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
            )
            with open(handle, "rb") as stream:
                first = stream.read(80).split(b"\n")[0]
        except OSError:
            return None
        return languages.PYTHON if first.startswith(b"#!") and b"python" in first else None

    def _submodule(self, path: str, depth: int) -> None:
        place = os.path.join(self._root, path)
        here = os.path.lexists(os.path.join(place, ".git")) and not os.path.islink(place)
        if not here or depth >= _DEEPEST or not self.git(path, depth + 1):
            self._note(
                "SUBMODULE_ABSENT",
                path,
                f"the submodule {path!r} is not there",
                f"git submodule update --init -- {path}",
            )

    def _is_own(self, path: str) -> bool:
        return path.startswith("build/07-task-decomposition-planning/")

    def _note(self, code: str, subject: str, message: str, fix: str) -> None:
        said = f"{message} are not followed" if code == "LINKS_NOT_FOLLOWED" else message
        self.notes.append(Finding(code, subject, said, fix, {"path": subject}))


def _hashed(place: str, kind: str) -> str | None:
    """Return the id of what a file holds, None if it cannot be read."""
    try:
        with open(os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as stream:
            found = os.fstat(stream.fileno())
            if not os.path.isfile(place):
                return None
            if found.st_size > _LARGEST_HASHED:
                return (
                    f"sha256:{sha256(f'{found.st_size}:{found.st_mtime_ns}'.encode()).hexdigest()}"
                )
            data = stream.read()
    except OSError:
        return None
    if kind == "sha256":
        return f"sha256:{sha256(data).hexdigest()}"
    head = b"blob %d\0" % len(data)
    return (sha1 if kind == "git-sha1" else sha256)(head + data, usedforsecurity=False).hexdigest()
