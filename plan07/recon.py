"""What a reader says of a repository, as plain records, before it becomes recon.db.

A reader brings evidence of one origin: the Python sources, an index of another tool, coverage, test
results. It is a function `read(repository)` that yields parts, registered under its name in the
entry point group `plan07.readers`; this package imports none of them. Records name entities by
their qualified name; numbers are given to them when recon.db is written.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, TypeAlias

from plan07.errors import Finding, InputError

GROUP = "plan07.readers"
SCHEMA = "plan07.recon/1"
USER_VERSION = 1
# These run first, in this order, so that the others can ask for the nodes of a file; the most exact
# come before those that guess.
FIRST = ("ast", "git", "scip")
# The package of the readers that plan07 ships: where one fails, plan07 is what is to be mended.
_OWN = "plan07_encoders"

ROLES = ("source", "test", "config", "schema", "migration", "doc", "build", "generated")
EDGE_KINDS = (
    *("contains", "imports", "reexports", "inherits", "implements", "overrides", "calls"),
    *("instantiates", "references", "writes", "uses_type", "decorates", "tests"),
    *("reads_config", "migrates"),
)


class FileRow(NamedTuple):
    """A file of the repository.

    Args:
        path: relative to the root, with `/`.
        lang: the language in lower case, python, or None where it is not code.
        blob: its git blob id, or `sha256:` and the digest.
        role: one of `ROLES`.
        parsed: a reader has read its entities.
        error: why it could not be read, one line with the place.
    """

    path: str
    lang: str | None
    blob: str
    role: str = "source"
    parsed: bool = False
    error: str | None = None


class NodeRow(NamedTuple):
    """An entity.

    Args:
        fqn: qualified name, unique: `click.core.Context.invoke`.
        kind: as `shapes.ENTITY_KINDS` lists them.
        name: the last part of the qualified name.
        path: the file it is defined in; None for what lies outside the repository.
        line, end_line: from 1, decorators included.
        parent: qualified name of what contains it.
        signature: one line, without `def` and the name: `(self, timeout: int = 30) -> None`.
        params: JSON, a list of {"name", "kind", "type", "default"}; kind is one of positional_only,
            positional_or_keyword, var_positional, keyword_only, var_keyword; type and default are
            source text, or null.
        returns: the annotation of the result, as source text.
        flags: of async, static, classmethod, property, abstract, overload, fixture, exported, in
            this order.
        is_test: it is a test, or holds tests.
        is_external: it lies outside the repository.
        sig_hash, body_hash: change if and only if the signature, or the body, changes in more than
            layout and comments.
        scip: its SCIP symbol.
    """

    fqn: str
    kind: str
    name: str
    path: str | None = None
    line: int | None = None
    end_line: int | None = None
    parent: str | None = None
    signature: str | None = None
    params: str | None = None
    returns: str | None = None
    flags: tuple[str, ...] = ()
    is_test: bool = False
    is_external: bool = False
    sig_hash: str | None = None
    body_hash: str | None = None
    scip: str | None = None


class EdgeRow(NamedTuple):
    """One entity depends on another; `contains` alone runs from the outer to the inner one.

    Args:
        src, dst: qualified names, or aliases of them.
        kind: one of `EDGE_KINDS`.
        path, line: the first place that shows it.
        times: how many places show it; the column `count`.
        resolution: exact, typed, dynamic, heuristic or ambiguous.
        confidence: 0 to 1.
        source: ast, scip, lsp, ctags, coverage, git, user, or the reader's name.
        attrs: a JSON object of details, or None. Of calls it holds `sites`, one for each place up
            to 50: {"line", "positional", "keywords", "star", "stars"}, the receiver not counted,
            and `more` where there are others; of other edges `lines`, if there are several.
    """

    src: str
    kind: str
    dst: str
    path: str | None = None
    line: int | None = None
    times: int = 1
    resolution: str = "exact"
    confidence: float = 1.0
    source: str = "ast"
    attrs: str | None = None


class UnresolvedRow(NamedTuple):
    """A use whose target is not known.

    Args:
        path, line: where it stands.
        src: qualified name of the entity that uses it.
        name: the last name of what is used.
        kind: the kind of edge it would be.
        candidates: qualified names of what it may be; may be empty.
    """

    path: str
    src: str
    name: str
    kind: str
    line: int | None = None
    candidates: tuple[str, ...] = ()


class AliasRow(NamedTuple):
    """Another name of an entity.

    Args:
        alias: the other name.
        fqn: its qualified name.
        why: reexport, source_root, symlink, scip, or a word of the reader's own.
    """

    alias: str
    fqn: str
    why: str


class TestRow(NamedTuple):
    """A test as the test runner names it.

    Args:
        nodeid: `tests/test_a.py::TestA::test_b[1]`.
        fqn: qualified name of the function, where it is known.
        source: ast, collect, junit, coverage, or the reader's name.
        outcome: passed, failed, error, skipped, or None where it was not run.
        seconds: how long it took.
    """

    nodeid: str
    fqn: str | None = None
    source: str = "ast"
    outcome: str | None = None
    seconds: float | None = None


class CochangeRow(NamedTuple):
    """Two files were changed by the same commits; given once for each direction.

    Args:
        a, b: paths.
        n_ab: commits that changed both.
        n_a, n_b: commits that changed a, or b.
    """

    a: str
    b: str
    n_ab: int
    n_a: int
    n_b: int


class Part(NamedTuple):
    """What a reader contributes; a reader of much may yield several, so that memory stays flat.

    Where two parts name the same node, file or test, the one of the reader that ran first stays,
    and what it leaves open (None, or a file not parsed) is filled in from the later. An edge with
    an end that no part names is left out and counted.

    Args:
        notes: what a user should know of it: defects of the origin, what was left out.
        counts: numbers for the report of the build, summed over the parts: `calls exact`, ….
    """

    files: Sequence[FileRow] = ()
    nodes: Sequence[NodeRow] = ()
    edges: Sequence[EdgeRow] = ()
    unresolved: Sequence[UnresolvedRow] = ()
    aliases: Sequence[AliasRow] = ()
    tests: Sequence[TestRow] = ()
    cochange: Sequence[CochangeRow] = ()
    notes: Sequence[Finding] = ()
    counts: Mapping[str, int] = {}


class Repository:
    """The repository that is read.

    Args:
        root: its directory, absolute.
        files: its files in the order of their paths; neither links nor what lies outside the tree.
        source_roots: directories from which module names count, "" for the root; the longest first.
        commit: the commit that is checked out, None without git.
        options: of the command, by name: `collect` (bool), `jobs` (int), …
        nodes: returns the nodes of a file in the order of their lines, as the readers that ran
            before know them.
        cache: bytes that a reader kept at the last build, by keys of its own that begin with its
            name; what is not asked for or set anew in a build is dropped after it.
        progress: told the name of a stage, how much of it is done, and of how much.
    """

    def __init__(
        self,
        root: str,
        files: Sequence[FileRow] = (),
        source_roots: Sequence[str] = ("",),
        commit: str | None = None,
        options: Mapping[str, Any] | None = None,
        nodes: Callable[[str], Sequence[NodeRow]] | None = None,
        cache: MutableMapping[str, bytes] | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> None:
        self.root = root
        self.files = tuple(files)
        self.source_roots = tuple(source_roots)
        self.commit = commit
        self.options: Mapping[str, Any] = options or {}
        self.nodes: Callable[[str], Sequence[NodeRow]] = nodes or (lambda path: ())
        self.cache: MutableMapping[str, bytes] = {} if cache is None else cache
        self.progress: Callable[[str, int, int], None] = progress or (lambda *said: None)
        self.looked_at: dict[str, str] = {}

    def look(self, path: str) -> str | None:
        """Return where a file that is no part of the sources lies, or None if there is none.

        What was looked at is remembered: the next build reads anew if it has changed since.

        Args:
            path: relative to the root, such as `.coverage`.
        """
        place = os.path.join(self.root, path)
        self.looked_at[path] = stamp(place)
        return place if os.path.isfile(place) else None

    def look_in(self, directory: str) -> list[str]:
        """Return the sorted names in a directory, none if there is none; they are remembered too.

        Args:
            directory: relative to the root, "" for the root itself.
        """
        place = os.path.join(self.root, directory)
        self.looked_at[f"{directory or '.'}/"] = stamp(f"{place}/")
        return _names(place)


def stamp(place: str) -> str:
    """Return a text that changes when a file does, or the names in a directory; "" without one.

    Args:
        place: the file, or the directory with a `/` at its end.
    """
    if place.endswith("/"):
        return sha256("\0".join(_names(place)).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    try:
        found = os.stat(place)
    except (OSError, ValueError):
        return ""
    return f"{found.st_size}:{found.st_mtime_ns}"


def _names(place: str) -> list[str]:
    try:
        return sorted(os.listdir(place))
    except (OSError, ValueError):
        return []


Reader: TypeAlias = Callable[[Repository], Iterable[Part]]


def readers() -> list[tuple[str, Callable[[], Reader]]]:
    """Return the readers that are installed: name and loader, in the order in which they run."""
    from importlib.metadata import entry_points

    found = {each.name: each.load for each in entry_points(group=GROUP)}
    ranks = {name: rank for rank, name in enumerate(FIRST)}
    order = sorted(found, key=lambda name: (ranks.get(name, len(ranks)), name))
    return [(name, found[name]) for name in order]


def registered() -> list[str]:
    """Return what installed packages say of readers, to see whether there are others than before.

    `readers` looks through all that packages say of themselves, which takes longer than to find
    that nothing has changed.
    """
    found: set[str] = set()
    for place in sys.path:
        try:
            names = os.listdir(place or ".")
        except OSError:
            # An archive, or nothing.
            names = []
            found.add(f"{place} {stamp(place)}")
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                found |= _registered(os.path.join(place, name, "entry_points.txt"))
    return sorted(found)


def _registered(path: str) -> set[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            _, mark, rest = stream.read().partition(f"[{GROUP}]")
    except OSError:
        return set()
    return {f"[{rest.partition('[')[0]}"} if mark else set()


def parts(name: str, load: Callable[[], Reader], repository: Repository) -> Iterator[Part]:
    """Yield what a reader brings; where one of another package fails, what it brought, and a note.

    Args:
        name: of the reader.
        load: returns it, see `readers`.
        repository: what it reads.
    """
    try:
        read = load()
    except Exception as error:  # Another package's code may fail in any way.
        fix = "update or remove the package that registers it"
        yield Part(notes=(_failed("READER_BROKEN", name, "cannot be loaded", error, fix),))
        return
    try:
        yield from read(repository)
    except Exception as error:
        if getattr(read, "__module__", "").partition(".")[0] == _OWN:
            raise
        fix = "mend what it reads, or tell those who wrote it"
        yield Part(notes=(_failed("READER_FAILED", name, "failed", error, fix),))


def _failed(code: str, name: str, what: str, error: Exception, fix: str) -> Finding:
    message = f"the reader {name!r} {what}: {type(error).__name__}: {error}"[:200]
    return Finding(code, name, message, fix, {"reader": name})


def reader(name: str) -> Reader:
    """Return the reader of this name.

    Raises:
        InputError: no such reader is installed.
    """
    found = dict(readers())
    if name not in found:
        raise InputError(
            "READER_UNKNOWN",
            f"no reader is called {name!r}",
            f"use one of {', '.join(sorted(found))}"
            if found
            else "install plan07, so that its readers are registered",
            phase="evidence",
            detail={"name": name, "known": sorted(found)},
        )
    return found[name]()
