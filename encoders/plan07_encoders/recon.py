"""Reads `recon.db`, the entities and dependencies of component 03 (schema plan07.recon/1).

Only the neighbourhood of the plan's targets is read, in SQL: the targets, what depends on them,
what they lie in, and the tests of the files that they name. A repository of a million entities
costs no more than a small one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence

from plan07.evidence import Evidence, Grounding, Relation
from plan07.reconfile import batches, lookup, opened, unresolved_calls
from plan07.reconfile import text as _name
from plan07.shapes import ENTITY_KINDS, RESOLUTIONS

_RELATIONS = (
    *("calls", "imports", "reexports", "inherits", "implements", "overrides", "instantiates"),
    *("references", "writes", "uses_type", "decorates", "tests", "reads_config", "migrates"),
)


_UNCERTAIN = ("heuristic", "ambiguous")


def encode(path: str, targets: Sequence[str]) -> Evidence:
    """Return what a recon.db knows of the neighbourhood of some targets.

    Args:
        path: the database; it is opened read-only.
        targets: entity names, as a plan writes them.

    Raises:
        InputError: it cannot be opened, or is not of the schema, with the table and column.
    """
    with opened(path) as database:
        return _read(database, targets)


def _read(database: sqlite3.Connection, targets: Sequence[str]) -> Evidence:
    grounding: dict[str, Grounding] = {}
    ids: set[int] = set()
    for target in targets:
        answer, found = lookup(database, target)
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
    named = {edge[:2] for edge in edges if edge[2] != "tests"}

    def binds(kind: str, src: int, dst: int, resolution: str) -> bool:
        """Whether an edge may break its dependent, or is worth advice."""
        if kind == "tests":
            # A test that reaches what it tests without naming it is run again, not edited.
            return (src, dst) in named or resolution in _UNCERTAIN
        return kind != "overrides" or not _constructs(name[dst])

    relations = tuple(
        Relation(kind, name[src], name[dst], resolution)
        for src, dst, kind, resolution in edges
        if src in name and dst in name and binds(kind, src, dst, resolution)
    )
    calls = {
        name[each]: number
        for each in sorted(ids & name.keys())
        if (number := unresolved_calls(database, each, name[each]))
    }
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


def _constructs(name: str) -> bool:
    """Whether it is a constructor, which need not be like the one that it overrides."""
    return name.rpartition(".")[2] in ("__init__", "__new__")


def _dependents(
    database: sqlite3.Connection, ids: Iterable[int]
) -> Iterator[tuple[int, int, str, str]]:
    """Yield the edges that lead to the targets, and mark what only may be one as uncertain."""
    for marks, batch in batches(ids):
        query = f"SELECT src, dst, kind, resolution FROM edges WHERE dst IN ({marks})"
        for src, dst, kind, resolution in database.execute(query, batch):
            if kind in _RELATIONS:
                known = resolution if resolution in RESOLUTIONS else "ambiguous"
                yield int(src), int(dst), kind, known


_Row = tuple[int, str, str, str | None, int | None]


def _nodes(database: sqlite3.Connection, ids: Iterable[int]) -> Iterator[_Row]:
    for marks, batch in batches(ids):
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
    for marks, batch in batches(nodes):
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


def _tests(database: sqlite3.Connection) -> Iterator[str]:
    for (nodeid,) in database.execute("SELECT nodeid FROM tests ORDER BY nodeid"):
        yield _name(nodeid)
