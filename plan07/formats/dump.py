"""Reads a whole recon.db as records, in an order that depends on nothing but its content."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator

from plan07.formats.lines import MetaRow, Row
from plan07.recon import (
    AliasRow,
    CochangeRow,
    EdgeRow,
    FileRow,
    NodeRow,
    TestRow,
    UnresolvedRow,
)

# When and with what it was built is no part of what it says.
_TOLD = ("commit", "dirty", "encoders", "schema", "source_roots")


def rows(database: sqlite3.Connection) -> Iterator[Row]:
    """Yield everything that a recon.db holds: files before nodes, nodes before edges.

    Args:
        database: opened, and known to be of the schema.
    """
    for key, value in database.execute("SELECT key, value FROM meta ORDER BY key"):
        if key in _TOLD:
            yield MetaRow(key, value)
    query = "SELECT path, lang, blob, role, parsed, error FROM files ORDER BY path"
    for path, lang, blob, role, parsed, error in database.execute(query):
        yield FileRow(path, lang, blob, role, bool(parsed), error)
    yield from _nodes(database)
    yield from _edges(database)
    yield from _unresolved(database)
    query = (
        "SELECT a.alias, n.fqn, a.why FROM aliases a JOIN nodes n ON n.id=a.node_id "
        "ORDER BY a.alias, n.fqn"
    )
    for alias, fqn, why in database.execute(query):
        yield AliasRow(alias, fqn, why or "")
    query = (
        "SELECT t.nodeid, n.fqn, t.source, t.outcome, t.seconds FROM tests t "
        "LEFT JOIN nodes n ON n.id=t.node_id ORDER BY t.nodeid"
    )
    for nodeid, fqn, source, outcome, seconds in database.execute(query):
        yield TestRow(nodeid, fqn, source or "user", outcome, seconds)
    query = (
        "SELECT a.path, b.path, c.n_ab, c.n_a, c.n_b FROM cochange c "
        "JOIN files a ON a.id=c.a JOIN files b ON b.id=c.b ORDER BY a.path, b.path"
    )
    for first, second, both, of_first, of_second in database.execute(query):
        yield CochangeRow(first, second, both, of_first, of_second)


def _nodes(database: sqlite3.Connection) -> Iterator[NodeRow]:
    query = (
        "SELECT n.fqn, n.kind, n.name, f.path, n.line, n.end_line, p.fqn, n.signature, n.params, "
        "n.returns, n.flags, n.is_test, n.is_external, n.sig_hash, n.body_hash, n.scip "
        "FROM nodes n LEFT JOIN files f ON f.id=n.file_id LEFT JOIN nodes p ON p.id=n.parent_id "
        "ORDER BY n.fqn, f.path, n.line, n.id"
    )
    for row in database.execute(query):
        marks = tuple(filter(None, (row[10] or "").split(",")))
        yield NodeRow._make((*row[:10], marks, bool(row[11]), bool(row[12]), *row[13:]))


def _edges(database: sqlite3.Connection) -> Iterator[EdgeRow]:
    query = (
        "SELECT s.fqn, e.kind, d.fqn, f.path, e.line, e.count, e.resolution, e.confidence, "
        "e.source, e.attrs FROM edges e JOIN nodes s ON s.id=e.src JOIN nodes d ON d.id=e.dst "
        "LEFT JOIN files f ON f.id=e.file_id "
        "ORDER BY s.fqn, e.kind, d.fqn, e.source, f.path, e.line"
    )
    for row in database.execute(query):
        yield EdgeRow(*row)


def _unresolved(database: sqlite3.Connection) -> Iterator[UnresolvedRow]:
    query = (
        "SELECT f.path, n.fqn, u.name, u.kind, u.line, u.candidates FROM unresolved u "
        "LEFT JOIN files f ON f.id=u.file_id LEFT JOIN nodes n ON n.id=u.src "
        "ORDER BY f.path, u.line, n.fqn, u.kind, u.name, u.rowid"
    )
    names = database.cursor()
    for path, src, name, kind, line, candidates in database.execute(query):
        if path is None or src is None or not name or not kind:
            continue
        found = []
        for identifier in json.loads(candidates or "[]"):
            node = names.execute("SELECT fqn FROM nodes WHERE id=?", (identifier,)).fetchone()
            found += [node[0]] if node else []
        yield UnresolvedRow(path, src, name, kind, line, tuple(sorted(found)))
