"""Reads `recon.db`, the entities and dependencies of component 03 (schema plan07.recon/1).

Only the neighbourhood of the plan's targets is read, in SQL: the targets, what depends on them,
what they lie in, and the tests of the files that they name. A repository of a million entities
costs no more than a small one.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing

from plan07.errors import InputError
from plan07.evidence import Evidence, Grounding, Relation
from plan07.shapes import ENTITY_KINDS, RESOLUTIONS

SCHEMA = "plan07.recon/1"
USER_VERSION = 1
# What is read of each table; a database that lacks one is not of the format.
_COLUMNS = {
    "meta": ("key", "value"),
    "files": ("id", "path", "parsed"),
    "nodes": ("id", "fqn", "kind", "name", "file_id", "parent_id"),
    "edges": ("src", "kind", "dst", "resolution", "confidence"),
    "unresolved": ("name", "kind"),
    "aliases": ("alias", "node_id"),
    "tests": ("nodeid",),
}
_RELATIONS = (
    *("calls", "imports", "reexports", "inherits", "implements", "overrides", "instantiates"),
    *("references", "writes", "uses_type", "decorates", "tests", "reads_config", "migrates"),
)
_BATCH = 500


def encode(path: str, targets: Sequence[str]) -> Evidence:
    """Return what a recon.db knows of the neighbourhood of some targets.

    Args:
        path: the database; it is opened read-only.
        targets: entity names, as a plan writes them.

    Raises:
        InputError: it cannot be opened, or is not of the schema, with the table and column.
    """
    if not os.path.isfile(path):
        raise _fault(path, "there is no such file", "name a recon.db", "FILE_UNREADABLE")
    try:
        with closing(_open(path)) as database:
            _check(database, path)
            return _read(database, targets)
    except sqlite3.Error as error:
        raise _fault(path, str(error), "build the database anew") from error
    except (ValueError, TypeError) as error:
        raise _fault(path, f"it holds a wrong value: {error}"[:200], "build it anew") from error


def _open(path: str) -> sqlite3.Connection:
    from urllib.parse import quote

    uri = f"file:{quote(os.path.abspath(path))}?mode=ro"
    database = sqlite3.connect(uri, uri=True)
    database.execute("PRAGMA query_only=1")
    return database


def _check(database: sqlite3.Connection, path: str) -> None:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version != USER_VERSION:
        raise _fault(
            path,
            f"its user_version is {version}, not {USER_VERSION}",
            f"build it with a tool that writes {SCHEMA}",
        )
    for table, columns in _COLUMNS.items():
        found = {row[1] for row in database.execute(f"PRAGMA table_info({table})")}
        if not found:
            raise _fault(path, f"it has no table {table}", f"build it with {SCHEMA}")
        for column in columns:
            if column not in found:
                raise _fault(path, f"table {table} has no column {column}", f"build it as {SCHEMA}")
    schema = database.execute("SELECT value FROM meta WHERE key='schema'").fetchone()
    if schema is not None and schema[0] != SCHEMA:
        raise _fault(path, f"its schema is {schema[0]!r}, not {SCHEMA}", f"build it as {SCHEMA}")


def _read(database: sqlite3.Connection, targets: Sequence[str]) -> Evidence:
    grounding: dict[str, Grounding] = {}
    ids: set[int] = set()
    for target in targets:
        answer, found = _ground(database, target)
        names = {name for _, name in found}
        grounding[target] = Grounding(answer, tuple(sorted(names)))
        if answer == "binding":
            ids.update(identifier for identifier, _ in found)
    edges = list(_dependents(database, ids))
    around = {end for edge in edges for end in edge[:2]} | ids
    nodes = {row[0]: row for row in _nodes(database, around)}
    for row in list(nodes.values()):
        _add_parents(database, row[4], nodes)
    name = {identifier: row[1] for identifier, row in nodes.items()}
    relations = tuple(
        Relation(kind, name[src], name[dst], resolution)
        for src, dst, kind, resolution in edges
        if src in name and dst in name
    )
    calls = _unresolved(database, [row for row in nodes.values() if row[0] in ids])
    has_tests = database.execute("SELECT 1 FROM tests LIMIT 1").fetchone() is not None
    return Evidence(
        relations=relations,
        entities=None if not nodes else {row[1]: row[2] for row in nodes.values()},
        contains=tuple(_nesting(nodes)),
        files={row[1]: row[3] for row in nodes.values() if row[3]},
        tests=tuple(_tests(database)) if has_tests else None,
        grounding=grounding,
        unresolved=calls,
        signatures=dict(_signatures(database, nodes)),
    )


def _ground(database: sqlite3.Connection, target: str) -> tuple[str, list[tuple[int, str]]]:
    """Look a target up: exact name, alias, `path::name`, unique suffix, in this order."""
    if not target.strip():
        return "invalid_ref", []
    for found in _lookups(database, target):
        # One definition seen twice, or in several overloads, is one entity.
        if len({name for _, name in found}) == 1:
            return "binding", found
        if found:
            return "ambiguous", found
    unread = database.execute("SELECT 1 FROM files WHERE path=? AND parsed=0", (target,))
    return ("unsupported" if unread.fetchone() else "unresolved"), []


def _lookups(database: sqlite3.Connection, target: str) -> Iterator[list[tuple[int, str]]]:
    def rows(sql: str, *values: object) -> list[tuple[int, str]]:
        return [(int(row[0]), _name(row[1])) for row in database.execute(sql, values)]

    yield rows("SELECT id, fqn FROM nodes WHERE fqn=?", target)
    yield rows(
        "SELECT n.id, n.fqn FROM aliases a JOIN nodes n ON n.id=a.node_id WHERE a.alias=?", target
    )
    path, separator, inner = target.partition("::")
    if separator:
        ending = inner.replace("::", ".")
        yield [
            row
            for row in rows(
                "SELECT n.id, n.fqn FROM nodes n JOIN files f ON f.id=n.file_id "
                "WHERE f.path=? AND n.name=?",
                path,
                ending.rsplit(".", 1)[-1],
            )
            if f".{row[1]}".endswith(f".{ending}")
        ]
    yield rows(
        "SELECT n.id, n.fqn FROM files f JOIN nodes n ON n.file_id=f.id AND n.kind='module' "
        "WHERE f.path=?",
        target,
    )
    pieces = target.split(".")
    for start in range(1, len(pieces) - 1):
        # The plan says more than the index does, such as the name of the repository.
        yield rows("SELECT id, fqn FROM nodes WHERE fqn=?", ".".join(pieces[start:]))
    tail = re.split(r"[.:/]+", target)[-1]
    yield [
        row
        for row in rows("SELECT id, fqn FROM nodes WHERE name=?", tail)
        if re.search(rf"(?:^|[.:/]){re.escape(target)}$", row[1])
    ]


def _batches(ids: Iterable[int]) -> Iterator[tuple[str, list[int]]]:
    listed = sorted(ids)
    for start in range(0, len(listed), _BATCH):
        batch = listed[start : start + _BATCH]
        yield ",".join("?" * len(batch)), batch


def _dependents(
    database: sqlite3.Connection, ids: Iterable[int]
) -> Iterator[tuple[int, int, str, str]]:
    """Yield the edges that lead to the targets, and mark what only may be one as uncertain."""
    for marks, batch in _batches(ids):
        query = f"SELECT src, dst, kind, resolution FROM edges WHERE dst IN ({marks})"
        for src, dst, kind, resolution in database.execute(query, batch):
            if kind in _RELATIONS:
                known = resolution if resolution in RESOLUTIONS else "ambiguous"
                yield int(src), int(dst), kind, known


_Row = tuple[int, str, str, str | None, int | None]


def _nodes(database: sqlite3.Connection, ids: Iterable[int]) -> Iterator[_Row]:
    for marks, batch in _batches(ids):
        query = (
            "SELECT n.id, n.fqn, n.kind, f.path, n.parent_id FROM nodes n "
            f"LEFT JOIN files f ON f.id=n.file_id WHERE n.id IN ({marks})"
        )
        for identifier, fqn, kind, path, parent in database.execute(query, batch):
            known = kind if kind in ENTITY_KINDS else "external"
            place = None if path is None else _name(path)
            yield int(identifier), _name(fqn), known, place, None if parent is None else int(parent)


def _signatures(
    database: sqlite3.Connection, nodes: Mapping[int, _Row]
) -> Iterator[tuple[str, str]]:
    """Yield the first line of each signature; a database may come without any."""
    columns = {row[1] for row in database.execute("PRAGMA table_info(nodes)")}
    if "signature" not in columns:
        return
    for marks, batch in _batches(nodes):
        query = f"SELECT id, signature FROM nodes WHERE id IN ({marks})"
        for identifier, signature in database.execute(query, batch):
            if isinstance(signature, str) and signature.strip():
                yield nodes[int(identifier)][1], _name(signature.strip().splitlines()[0])


def _add_parents(database: sqlite3.Connection, parent: int | None, nodes: dict[int, _Row]) -> None:
    while parent is not None and parent not in nodes:
        row = next(_nodes(database, [parent]), None)
        if row is None:
            return
        nodes[parent] = row
        parent = row[4]


def _nesting(nodes: dict[int, _Row]) -> Iterator[tuple[str, str]]:
    for row in nodes.values():
        seen: set[int] = set()
        parent = row[4]
        while parent is not None and parent in nodes and parent not in seen:
            seen.add(parent)
            yield nodes[parent][1], row[1]
            parent = nodes[parent][4]


def _unresolved(database: sqlite3.Connection, rows: Sequence[_Row]) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in rows:
        query = "SELECT count(*) FROM unresolved WHERE name=? AND kind='calls'"
        (number,) = database.execute(query, (row[1].rsplit(".", 1)[-1],)).fetchone()
        if number:
            found[row[1]] = int(number)
    return found


def _tests(database: sqlite3.Connection) -> Iterator[str]:
    for (nodeid,) in database.execute("SELECT nodeid FROM tests ORDER BY nodeid"):
        yield _name(nodeid)


def _name(value: object) -> str:
    """Return a text of the database that can stand in a plan."""
    if not isinstance(value, str) or "\0" in value:
        raise ValueError(f"{value!r:.60} is not a name")
    return value


def _fault(path: str, message: str, fix: str, code: str = "RECON_INVALID") -> InputError:
    return InputError(code, f"{path}: {message}", fix, phase="evidence", detail={"source": path})
