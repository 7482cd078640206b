"""Builds the recon.db of a repository, or finds that it is up to date.

The readers that are installed contribute parts; what each keeps in the cache beside the database is
keyed by what it was made from, so a second build reads only what changed and what depends on it,
and writes the same bytes as a build from nothing. The database is written under another name and
put in its place at the end.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from plan07 import __version__, home, reconreport, worktree
from plan07.errors import Finding, InputError
from plan07.recon import (
    SCHEMA,
    USER_VERSION,
    Part,
    Reader,
    Repository,
    parts,
    readers,
    registered,
    stamp,
)
from plan07.reconreport import Report

if TYPE_CHECKING:
    from plan07.reconcache import DiskCache
    from plan07.reconwriter import Writer

NAME = "recon.db"
_TEMPORARY = ".plan07-"
_STALE_SECONDS = 86_400
_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg", "manage.py")
Progress = Callable[[str, int, int], None]


def refresh(root: str, output: str | None = None) -> str:
    """Return the path of the recon.db of a repository, brought up to date.

    Args:
        root: the directory of the repository.
        output: the database; where `home` puts it without.

    Raises:
        InputError: as `build`.
    """
    return build(root, output).path


def build(
    root: str,
    output: str | None = None,
    *,
    options: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    anew: bool = False,
    created: str = "",
) -> Report:
    """Build the recon.db of a repository, or leave it if it is up to date.

    Args:
        root: the directory of the repository.
        output: the database; where `home` puts it without.
        options: for the readers, see `recon.Repository`.
        progress: told the stage, how much of it is done and of how much.
        anew: read everything.
        created: the time that the database tells, as text; nothing else depends on it.

    Raises:
        InputError: the directory cannot be read, or the database not be written.
    """
    path = os.path.abspath(output or os.path.join(home.home(os.path.abspath(root)), NAME))
    tree = worktree.read(root)
    given = {name: value for name, value in (options or {}).items() if value}
    own = _own_files(path, tree.root)
    files = [each for each in tree.files if each.path not in own]
    key = _fingerprint(tree._replace(files=files))
    if not anew:
        known = _up_to_date(path, key, tree.root, given)
        if known is not None:
            return known
    from plan07.reconcache import DiskCache

    with _target(path) as temporary:
        cache = DiskCache(cache_path(path))
        if anew:
            cache.clear()
        kept = False
        try:
            report = _written(
                temporary, path, tree._replace(files=files), given, cache, progress, key, created
            )
            kept = True
        finally:
            cache.close(keep=kept)
        os.replace(temporary, path)
    return report


def cache_path(path: str) -> str:
    """Return where a build of a database keeps what it may need again."""
    return f"{path.removesuffix('.db')}.cache"


def _own_files(path: str, root: str) -> set[str]:
    """Return the paths, within the repository, of what a build writes."""
    inner = os.path.relpath(os.path.realpath(path), root).replace(os.sep, "/")
    return {inner, f"{inner.removesuffix('.db')}.cache"}


def _make(folder: str) -> None:
    """Make the directory of the database; one of our own is nothing that git should list."""
    new = not os.path.isdir(folder)
    os.makedirs(folder, exist_ok=True)
    if new and folder.endswith(home.INSIDE):
        with open(os.path.join(folder, ".gitignore"), "w", encoding="ascii") as stream:
            stream.write("*\n")


def _sweep(folder: str, before: float) -> None:
    """Remove what builds that were killed left, so long ago that none can still be at it."""
    for each in os.scandir(folder):
        if each.name.startswith(_TEMPORARY) and each.name.endswith(".db"):
            with suppress(OSError):
                if each.stat(follow_symlinks=False).st_mtime < before:
                    os.unlink(each.path)


@contextmanager
def _target(path: str) -> Iterator[str]:
    """Yield a new file beside the database, which is gone if it is not put in its place."""
    import tempfile

    temporary = ""
    try:
        folder = os.path.dirname(path)
        _make(folder)
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=_TEMPORARY, suffix=".db")
        os.close(handle)
        os.chmod(temporary, 0o644)
        _sweep(folder, os.stat(temporary).st_mtime - _STALE_SECONDS)
        yield temporary
    except (OSError, sqlite3.OperationalError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            "RECON_UNWRITABLE",
            f"{path} cannot be written: {reason.lower()}",
            "name another place with -o, or set PLAN07_HOME",
            phase="evidence",
            detail={"path": path},
        ) from error
    finally:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)


def _written(
    temporary: str,
    path: str,
    tree: worktree.Worktree,
    options: Mapping[str, Any],
    cache: DiskCache,
    progress: Progress | None,
    key: str,
    created: str,
) -> Report:
    from plan07 import reconderive
    from plan07.reconwriter import Writer

    writer = Writer(temporary)
    try:
        repository = Repository(
            tree.root,
            tree.files,
            source_roots(tree.files),
            tree.commit,
            options,
            writer.nodes,
            cache,
            progress,
        )
        writer.add(Part(files=tree.files))
        notes = [*tree.notes]
        encoders = []
        for name, load in readers():
            found = _read(name, load, repository, writer)
            notes += found[1]
            if found[0]:
                encoders.append(name)
        if progress:
            progress("linking", 0, 1)
        writer.settle()
        reconderive.tests(writer.database)
        counts = {**writer.counts, **reconderive.guesses(writer.database)}
        if writer.left_out:
            counts["edges left out"] = writer.left_out
        report = reconreport.counted(writer.database, path, tree, counts, notes, encoders)
        writer.finish(
            {
                "commit": tree.commit or "",
                "dirty": "1" if tree.dirty else "0",
                "source_roots": json.dumps(repository.source_roots),
                "encoders": json.dumps(encoders),
                "created": created,
                "fingerprint": key,
                "options": json.dumps(_lasting(options), sort_keys=True),
                "looked_at": json.dumps(repository.looked_at, sort_keys=True),
                "report": reconreport.kept(report),
            }
        )
    finally:
        writer.close()
    return report


def _read(
    name: str, load: Callable[[], Reader], repository: Repository, writer: Writer
) -> tuple[bool, list[Finding]]:
    """Let one reader contribute; return whether it did, and its notes."""
    contributed = False
    notes: list[Finding] = []
    for part in parts(name, load, repository):
        notes += part.notes
        contributed = contributed or any(
            (part.nodes, part.edges, part.tests, part.cochange, part.aliases, part.unresolved)
        )
        writer.add(part)
    return contributed, notes


def source_roots(files: Sequence[Any]) -> tuple[str, ...]:
    """Return the directories from which module names count, the longest first.

    They are the root, directories called `src`, and those with the build files of a project.
    """
    found = {""}
    packages = set()
    for path in (each.path for each in files):
        folder, _, name = path.rpartition("/")
        if name in _PROJECT_FILES:
            found.add(folder)
        if name == "__init__.py":
            packages.add(folder)
        if name.endswith((".py", ".pyi")):
            parts = folder.split("/")
            found |= {"/".join(parts[: i + 1]) for i, part in enumerate(parts) if part == "src"}
    # A package called `src` is a package.
    return tuple(sorted(found - (packages - {""}), key=lambda each: (-len(each), each)))


def _lasting(options: Mapping[str, Any]) -> dict[str, str]:
    """Return the options on which the result depends."""
    return {name: repr(value) for name, value in options.items() if name != "jobs"}


def _fingerprint(tree: worktree.Worktree) -> str:
    """Return what the database depends on, but for options and what readers look at besides."""
    said = [
        *(SCHEMA, USER_VERSION, __version__, list(sys.version_info[:3]), tree.commit, tree.root),
        [[each.path, each.blob] for each in tree.files],
        registered(),
    ]
    text = json.dumps(said, ensure_ascii=True)
    return sha256(text.encode()).hexdigest()


def _up_to_date(path: str, key: str, root: str, options: Mapping[str, Any]) -> Report | None:
    """Return the report of the last build if nothing has changed since.

    Whoever asks for less than was asked for then, such as no tests to be collected, takes what is
    there: it is still true.
    """
    if not os.path.isfile(path):
        return None
    # Nothing else of a path means something in the name of a database.
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    try:
        database = sqlite3.connect(f"file:{quoted}?mode=ro", uri=True)
        try:
            (version,) = database.execute("PRAGMA user_version").fetchone()
            meta = dict(database.execute("SELECT key, value FROM meta").fetchall())
        finally:
            database.close()
        if version != USER_VERSION or meta["schema"] != SCHEMA or meta["fingerprint"] != key:
            return None
        if not _lasting(options).items() <= json.loads(meta["options"]).items():
            return None
        looked_at = json.loads(meta["looked_at"])
        if any(stamp(os.path.join(root, name)) != said for name, said in looked_at.items()):
            return None
        return reconreport.told_again(meta["report"], path)
    except (sqlite3.Error, KeyError, ValueError, TypeError, AttributeError):
        return None  # It is of another version, or damaged: it is built anew.
