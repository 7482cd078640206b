"""What a recon.db says of one entity: what it is, who depends on it, and how sure that is."""

from __future__ import annotations

import json
import sqlite3
from typing import Any, NamedTuple

from plan07.errors import InputError
from plan07.messages import quoted
from plan07.reconfile import lookup

_ORDER = (
    *("calls", "instantiates", "overrides", "inherits", "implements", "references", "writes"),
    *("uses_type", "decorates", "imports", "reexports", "reads_config", "migrates", "tests"),
)


class Dependent(NamedTuple):
    """An entity that depends on another.

    Args:
        entity: its qualified name.
        relation: the kind of edge.
        resolution, confidence: how sure that is.
        path, line: where it shows, or None.
        lines: all lines that show it, as far as they are known.
        times: how often it shows.
        source: who says so.
    """

    entity: str
    relation: str
    resolution: str
    confidence: float
    path: str | None
    line: int | None
    lines: tuple[int, ...]
    times: int
    source: str


class Entity(NamedTuple):
    """An entity and what depends on it.

    Args:
        fqn, kind, path, line, end_line, signature, flags: as in the database.
        dependents: surest relations first, then by name.
        open_calls: calls that may mean it by their name.
    """

    fqn: str
    kind: str
    path: str | None
    line: int | None
    end_line: int | None
    signature: str | None
    flags: tuple[str, ...]
    dependents: tuple[Dependent, ...]
    open_calls: int


def entity(database: sqlite3.Connection, name: str) -> Entity:
    """Return what is known of an entity.

    Args:
        database: opened.
        name: its qualified name, an alias, `path::name`, or an ending that only one has.

    Raises:
        InputError: there is none, or there are several.
    """
    answer, found = lookup(database, name)
    names = sorted({fqn for _, fqn in found})
    if answer != "binding":
        raise _not_one(database, name, answer, names)
    number = found[0][0]
    row = database.execute(
        "SELECT n.fqn, n.kind, f.path, n.line, n.end_line, n.signature, n.flags, n.name "
        "FROM nodes n LEFT JOIN files f ON f.id=n.file_id WHERE n.id=?",
        (number,),
    ).fetchone()
    (open_calls,) = database.execute(
        "SELECT count(*) FROM unresolved WHERE name=? AND kind='calls'", (row[7],)
    ).fetchone()
    flags = tuple(filter(None, (row[6] or "").split(",")))
    return Entity._make((*row[:6], flags, _dependents(database, number), open_calls))


def _dependents(database: sqlite3.Connection, number: int) -> tuple[Dependent, ...]:
    rows = database.execute(
        "SELECT n.fqn, e.kind, e.resolution, e.confidence, f.path, e.line, e.count, e.source, "
        "e.attrs FROM edges e JOIN nodes n ON n.id=e.src LEFT JOIN files f ON f.id=e.file_id "
        "WHERE e.dst=? AND e.kind<>'contains'",
        (number,),
    )
    ranks = {kind: rank for rank, kind in enumerate(_ORDER)}
    found = [
        Dependent(fqn, kind, resolution, confidence, path, line, _lines(attrs), times, source)
        for fqn, kind, resolution, confidence, path, line, times, source, attrs in rows
    ]
    found.sort(
        key=lambda each: (ranks.get(each.relation, len(ranks)), -each.confidence, each.entity)
    )
    return tuple(found)


def _lines(attrs: str | None) -> tuple[int, ...]:
    try:
        told = json.loads(attrs) if attrs else {}
    except ValueError:
        return ()
    if not isinstance(told, dict):
        return ()
    lines: list[Any] = list(told.get("lines", ()))
    lines += [each.get("line") for each in told.get("sites", ()) if isinstance(each, dict)]
    return tuple(sorted({each for each in lines if isinstance(each, int)}))


def _not_one(database: sqlite3.Connection, name: str, answer: str, names: list[str]) -> InputError:
    if answer == "ambiguous":
        shown = ", ".join(names[:8])
        return InputError(
            "ENTITY_AMBIGUOUS",
            f"{quoted(name)} may be {shown}"
            + (f" and {len(names) - 8} more" if len(names) > 8 else ""),
            "write more of the name",
            phase="evidence",
            detail={"name": name, "candidates": names},
        )
    tail = "" if answer == "invalid_ref" else name.replace("::", ".").rpartition(".")[2]
    like = [
        row[0]
        for row in database.execute(
            "SELECT DISTINCT fqn FROM nodes WHERE name LIKE ? ESCAPE '!' AND is_external=0 "
            "ORDER BY length(fqn), fqn LIMIT 5",
            (f"%{_escaped(tail)}%",),
        )
        if tail
    ]
    return InputError(
        "ENTITY_UNKNOWN",
        f"the repository has no entity {quoted(name)}",
        f"perhaps {', '.join(like)}"
        if like
        else "write its qualified name, as in package.module.name",
        phase="evidence",
        detail={"name": name, "similar": like},
    )


def _escaped(text: str) -> str:
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
