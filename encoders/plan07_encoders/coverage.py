"""Reads `.coverage`: which test ran which function, where coverage was recorded with contexts.

A test runs a function if it runs a line of the function's body; the line of the `def` is run by
whoever imports the module. The file is SQLite; the lines of a file in a context are the bits of a
blob, line 8 n + k the bit k of byte n.
"""

from __future__ import annotations

import ast
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from plan07.errors import Finding
from plan07.located import Located, Paths
from plan07.recon import EdgeRow, Part, Repository, TestRow
from plan07_encoders.foreigndb import ForeignError, opened, text
from plan07_encoders.nodeids import Test, Tests, without_phase

FILE = ".coverage"
SOURCE = "coverage"
# Lines of a file beyond this are not believed in.
_MOST_LINES = 2_000_000
_LARGEST_SOURCE = 4 * 1024**2
_BITS = [tuple(bit for bit in range(8) if byte >> bit & 1) for byte in range(256)]
TABLES = {
    "file": ("id", "path"),
    "context": ("id", "context"),
    "line_bits": ("file_id", "context_id", "numbits"),
    "arc": ("file_id", "context_id", "fromno", "tono"),
}


class Body(NamedTuple):
    """The body of a function, without what it defines itself.

    Args:
        line: of the function, decorators included, from 1.
        name: its last name.
        lines: of the body.
    """

    line: int
    name: str
    lines: frozenset[int]


def read(repository: Repository) -> Iterator[Part]:
    """Yield `tests` edges from coverage contexts, one part for each measured file.

    A file that is no coverage database is a note, not an error.
    """
    place = repository.look(FILE)
    if place is None:
        return
    try:
        with opened(place, TABLES) as database:
            yield from _parts(repository, database)
    except (ForeignError, OSError) as error:
        yield _noted("COVERAGE_INVALID", f"{FILE} is left out: {error}", "record it anew", {})


def _parts(repository: Repository, database: sqlite3.Connection) -> Iterator[Part]:
    contexts = dict(contexts_of(database))
    if not contexts:
        yield _noted(
            "COVERAGE_NO_CONTEXTS",
            f"{FILE} does not say which test ran what",
            "record it with pytest --cov --cov-context=test, or dynamic_context = test_function",
            {},
        )
        return
    located = Located(repository)
    find = Tests(repository, located).find
    tests = {context: find(context) for context in sorted(set(contexts.values()))}
    yield Part(tests=tuple(_rows(tests)))
    paths = Paths(repository.root, (row.path for row in repository.files))
    roles = {row.path: row.role for row in repository.files}
    stale: list[str] = []
    foreign: list[str] = []
    for identifier, path in sorted(measured(database)):
        known = paths(path)
        if known is None:
            foreign.append(path)
        elif roles[known] != "test":
            part = _file(repository, located, known, lines(database, identifier), contexts, tests)
            if part is None:
                stale.append(known)
            else:
                yield part
    yield Part(notes=tuple(_notes(tests, stale, foreign)))


def contexts_of(database: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """Yield (id, test) of the contexts that lines were recorded for."""
    for identifier, context in database.execute("SELECT id, context FROM context"):
        if isinstance(identifier, int) and without_phase(text(context)):
            yield identifier, without_phase(text(context))


def measured(database: sqlite3.Connection) -> Iterator[tuple[int, str]]:
    """Yield (id, path) of the files that were measured."""
    for identifier, path in database.execute("SELECT id, path FROM file"):
        if isinstance(identifier, int) and text(path):
            yield identifier, path


def lines(database: sqlite3.Connection, identifier: int) -> Iterator[tuple[int, frozenset[int]]]:
    """Yield (context id, lines) of a file; branches count as the lines that they lead to."""
    query = "SELECT context_id, numbits FROM line_bits WHERE file_id=? ORDER BY context_id"
    for context, bits in database.execute(query, (identifier,)):
        if isinstance(bits, bytes) and isinstance(context, int):
            yield context, frozenset(numbered(bits))
    query = "SELECT context_id, fromno, tono FROM arc WHERE file_id=? ORDER BY context_id"
    found: dict[int, set[int]] = {}
    for context, *ends in database.execute(query, (identifier,)):
        if isinstance(context, int):
            here = found.setdefault(context, set())
            here.update(end for end in ends if isinstance(end, int) and 0 < end < _MOST_LINES)
    for context, passed in found.items():
        yield context, frozenset(passed)


def numbered(bits: bytes) -> Iterator[int]:
    """Yield the numbers of the bits that are set.

    >>> list(numbered(bytes([0b10000010, 0b1])))
    [1, 7, 8]
    """
    for place, byte in enumerate(bits[: _MOST_LINES // 8]):
        for bit in _BITS[byte]:
            yield place * 8 + bit


def bodies(source: str) -> list[Body]:
    """Return the bodies of the functions of a Python file; none where it does not parse."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found: list[Body] = []
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        todo += ast.iter_child_nodes(node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            found.append(Body(first, node.name, frozenset(_own_lines(node.body))))
    return found


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _own_lines(body: Sequence[ast.stmt]) -> Iterator[int]:
    """Yield the lines of statements, but not those of functions and classes within."""
    for statement in body:
        if isinstance(statement, _SCOPES):
            continue
        inner = [each for each in ast.walk(statement) if isinstance(each, _SCOPES)]
        within = {line for each in inner for line in range(each.lineno, (each.end_lineno or 0) + 1)}
        for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1):
            if line not in within:
                yield line


def source_of(root: str, path: str) -> str | None:
    """Return the text of a source file, None where it cannot be read or is endless."""
    try:
        with open(os.path.join(root, path), "rb") as stream:
            data = stream.read(_LARGEST_SOURCE + 1)
    except OSError:
        return None
    return None if len(data) > _LARGEST_SOURCE else data.decode("utf-8", "replace")


_EMPTY = re.compile(r"\s*(?:#.*)?$")


def changed_since(source: str, hit: Iterable[int]) -> bool:
    """Whether a file has changed since lines of it were run: one is empty, or not there."""
    listed = source.splitlines()
    return any(line > len(listed) or _EMPTY.match(listed[line - 1]) for line in hit if line > 0)


def _file(
    repository: Repository,
    located: Located,
    path: str,
    ran: Iterable[tuple[int, frozenset[int]]],
    contexts: Mapping[int, str],
    tests: Mapping[str, Test],
) -> Part | None:
    """Return the edges that lead to the functions of a file, None if it has changed since."""
    source = source_of(repository.root, path)
    by_context = [(contexts[context], hit) for context, hit in ran if context in contexts]
    if source is None or any(changed_since(source, hit) for _, hit in by_context):
        return None
    functions = [
        (fqn, body) for body in bodies(source) if (fqn := _named(located, path, body)) is not None
    ]
    times: dict[tuple[str, str], int] = {}
    places: dict[str, tuple[str | None, int | None]] = {}
    for context, hit in by_context:
        test = tests[context].node
        if test is None:
            continue
        places[test.fqn] = test.path, test.line
        for fqn, body in functions:
            if not body.lines.isdisjoint(hit) and fqn != test.fqn:
                key = test.fqn, fqn
                times[key] = times.get(key, 0) + 1
    return Part(
        edges=tuple(
            EdgeRow(test, "tests", fqn, *places[test], count, "dynamic", 1.0, SOURCE)
            for (test, fqn), count in sorted(times.items())
        )
    )


def _named(located: Located, path: str, body: Body) -> str | None:
    """Return whose body it is; of a function that is defined for each platform, the one known."""
    at_line = located.named(path, body.name, body.line)
    return at_line or located.named(path, body.name, None)


def _rows(tests: Mapping[str, Test]) -> Iterator[TestRow]:
    for test in sorted(set(tests.values()), key=lambda each: each.nodeid):
        if test.node is not None or "::" in test.nodeid:
            yield TestRow(test.nodeid, test.fqn, SOURCE)


def _notes(tests: Mapping[str, Test], stale: list[str], foreign: list[str]) -> Iterator[Finding]:
    unknown = sorted(context for context, test in tests.items() if test.node is None)
    told = [
        ("COVERAGE_STALE", stale, "files changed since coverage was recorded", "record it anew"),
        ("COVERAGE_OUTSIDE", foreign, "measured files are none of the repository", "leave it so"),
        ("COVERAGE_UNKNOWN", unknown, "contexts name no test that is known", "record it anew"),
    ]
    for code, listed, said, fix in told:
        if listed:
            shown = ", ".join(each[:80] for each in listed[:3])
            more = ", ..." if len(listed) > 3 else ""
            detail = {"count": len(listed), "first": listed[:20]}
            yield Finding(code, FILE, f"{len(listed)} {said}: {shown}{more}", fix, detail)


def _noted(code: str, message: str, fix: str, detail: dict[str, object]) -> Part:
    return Part(notes=(Finding(code, FILE, message, fix, detail),))
