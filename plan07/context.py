"""What an agent should read for a change (component 04): what it is about, and what is near that.

The foci are entities that were named, suspects, what a change reaches, or what fits a text. Around
each, one step along the relations of recon.db counts by the relation, by how sure the edge is and
by the focus itself; an entity that several foci lead to has the score of the best.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from plan07.errors import InputError
from plan07.formats.documents import CONTEXT
from plan07.impact.ranks import bm25, words
from plan07.reconfile import lookup, meta

MOST = 50
# How much of a focus a neighbour is worth: who depends on it, and what it depends on.
_DEPENDENT = {
    **dict.fromkeys(("calls", "overrides", "inherits", "implements", "instantiates"), 0.5),
    **dict.fromkeys(("references", "writes", "uses_type", "decorates", "reexports"), 0.35),
    **dict.fromkeys(("tests", "reads_config", "migrates"), 0.3),
    "imports": 0.15,
}
_DEPENDENCY = {
    **dict.fromkeys(("overrides", "inherits", "implements"), 0.45),
    **dict.fromkeys(("calls", "instantiates", "uses_type", "reads_config"), 0.4),
    **dict.fromkeys(("references", "writes", "decorates", "migrates"), 0.3),
    "imports": 0.1,
}
_INVERSE = {
    "calls": "called by",
    "overrides": "overridden by",
    "inherits": "inherited by",
    "implements": "implemented by",
    "instantiates": "instantiated by",
    "references": "used by",
    "writes": "written by",
    "uses_type": "type used by",
    "decorates": "decorated by",
    "reexports": "re-exported by",
    "tests": "tested by",
    "reads_config": "configured by",
    "migrates": "migrated by",
    "imports": "imported by",
}
# Of the neighbours along one relation so many are looked at, the surest first.
_MOST_ALONG = 40
_BEST_FITS = 10
_FITTING = ("function", "method", "class", "interface", "struct", "trait", "enum", "constant")


class Focus(NamedTuple):
    """What the change is about.

    Args:
        entity: qualified name, as recon.db has it.
        score: how likely it matters, 0 to 1.
        why: for people, a few words.
    """

    entity: str
    score: float
    why: str


class Found(NamedTuple):
    """A piece of code to read; as the items of the format."""

    path: str
    start_line: int
    end_line: int
    entity: str
    score: float
    why: str


def named(database: sqlite3.Connection, names: Iterable[str]) -> Iterator[Focus]:
    """Yield the entities that people name.

    Raises:
        InputError: a name means no entity, or several.
    """
    for name in names:
        answer, found = lookup(database, name)
        candidates = sorted({each for _, each in found})
        if answer != "binding":
            several = f": {', '.join(candidates[:5])}" if candidates else ""
            raise InputError(
                "ENTITY_AMBIGUOUS" if candidates else "ENTITY_UNKNOWN",
                f"{name!r} is {'several entities' if candidates else 'no entity'} of the evidence"
                f"{several}",
                "write the qualified name" if candidates else "look the name up in the sources",
                phase="evidence",
                detail={"entity": name, "answer": answer, "candidates": candidates[:20]},
            )
        yield Focus(candidates[0], 1.0, "asked for")


def located(document: Mapping[str, Any]) -> Iterator[Focus]:
    """Yield the suspects of a localization document, already checked."""
    for item in document["items"]:
        if item.get("entity"):
            why = item.get("why") or "no reason given"
            yield Focus(item["entity"], item["score"], f"suspect: {why}"[:200])


def reached(document: Mapping[str, Any]) -> Iterator[Focus]:
    """Yield the seeds of an impact document, already checked, and what they reach."""
    for seed in document.get("seeds", ()):
        yield Focus(seed["entity"], 1.0, f"changes: {seed['change']}")
    for edge in document["edges"]:
        confidence = edge.get("confidence")
        score = 0.5 if confidence is None else confidence
        score = max(score, 0.9) if edge.get("strength") == "must" else score
        yield Focus(edge["to"], score, f"{edge['from']} {edge['cause']} it"[:200])


def fitting(database: sqlite3.Connection, text: str) -> Iterator[Focus]:
    """Yield the entities whose names and signatures fit a text best."""
    marks = ",".join("?" * len(_FITTING))
    query = (
        "SELECT fqn, coalesce(signature, '') FROM nodes "
        f"WHERE kind IN ({marks}) AND is_external=0 AND is_test=0 AND file_id IS NOT NULL"
    )
    documents = {fqn: words(f"{fqn} {said}") for fqn, said in database.execute(query, _FITTING)}
    fits = bm25(words(text), documents)
    best = max(fits.values(), default=0.0)
    ranked = sorted(fits, key=lambda fqn: (-round(fits[fqn], 6), fqn))[:_BEST_FITS]
    for fqn in ranked:
        if fits[fqn] > 0:
            yield Focus(fqn, round(0.8 * fits[fqn] / best, 4), "fits the text")


def context(
    database: sqlite3.Connection, foci: Iterable[Focus], most: int = MOST
) -> dict[str, Any]:
    """Return what to read as a document of the format plan07.context/1, the nearest first.

    Args:
        database: a recon.db.
        foci: what the change is about; those that the evidence does not know are passed over.
        most: so many items are kept; how many are not is said.
    """
    best: dict[str, Found] = {}
    for focus in foci:
        for found in _around(database, focus):
            before = best.get(found.entity)
            if before is None or (-found.score, found.why) < (-before.score, before.why):
                best[found.entity] = found
    items = sorted(best.values(), key=lambda each: (-each.score, each.path, each.start_line))
    document: dict[str, Any] = {"schema": CONTEXT}
    commit = meta(database, "commit")
    if commit:
        document["commit"] = commit
    document["items"] = [each._asdict() for each in items[:most]]
    if len(items) > most:
        document["truncated"] = len(items) - most
    return document


def _around(database: sqlite3.Connection, focus: Focus) -> Iterator[Found]:
    query = (
        "SELECT n.id, f.path, n.line, n.end_line, n.fqn FROM nodes n "
        "JOIN files f ON f.id=n.file_id WHERE n.fqn=? ORDER BY n.id"
    )
    for identifier, *place, fqn in database.execute(query, (focus.entity,)).fetchall():
        yield _found(place, fqn, focus.score, focus.why)
        for relations, toward, whose in (
            (_DEPENDENT, "dst", "src"),
            (_DEPENDENCY, "src", "dst"),
        ):
            for kind, weight in relations.items():
                rows = _along(database, identifier, kind, toward, whose)
                for *where, other, resolution, confidence in rows:
                    verb = kind.replace("_", " ") if toward == "dst" else _INVERSE[kind]
                    why = f"{verb} {fqn} ({resolution})"
                    yield _found(where, other, focus.score * weight * confidence, why)


def _along(
    database: sqlite3.Connection, identifier: int, kind: str, toward: str, whose: str
) -> Sequence[tuple[Any, ...]]:
    query = (
        "SELECT f.path, n.line, n.end_line, n.fqn, e.resolution, e.confidence FROM edges e "
        f"JOIN nodes n ON n.id=e.{whose} JOIN files f ON f.id=n.file_id "
        f"WHERE e.{toward}=? AND e.kind=? "
        "ORDER BY e.confidence DESC, e.count DESC, n.fqn LIMIT ?"
    )
    return database.execute(query, (identifier, kind, _MOST_ALONG)).fetchall()


def _found(place: Sequence[Any], entity: str, score: float, why: str) -> Found:
    path, line, end = place
    first = line or 1
    return Found(
        path, first, max(first, end or first), entity, round(min(score, 1.0), 4), why[:200]
    )
