"""From seeds and a recon.db to impact.json."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from plan07.facts import Fact, constant, fact
from plan07.impact.closure import Closure, Seed, closure
from plan07.impact.entities import Entity
from plan07.impact.neighbourhood import Neighbourhood
from plan07.impact.report import document
from plan07.impact.seeds import distinct, refuse_unknown
from plan07.impact.soft import Sources, soft_ranks
from plan07.reconfile import meta, text
from plan07.rulebook import Rulebook

_CHANGES = re.compile(
    r"(?:^|/)(?:changes|changelog|history|news|release[-_]?notes)\b", re.IGNORECASE
)
_MOST_DOCUMENTS = 500


def impact(
    seeds: Sequence[Seed],
    around: Neighbourhood,
    database: sqlite3.Connection,
    rules: Rulebook,
    *,
    root: str | None,
    request: str = "",
    known: Iterable[Fact] = (),
    ungrounded: Iterable[tuple[str, str]] = (),
) -> dict[str, Any]:
    """Return impact.json.

    Args:
        seeds: what changes, under the names of the database.
        around: knows the entities of the seeds.
        database: the recon.db that `around` reads.
        rules: the composed rules.
        root: the directory of the repository, for descriptions and documents; None without.
        request: the text of the change, for soft ranks.
        known: facts beside those of the database.
        ungrounded: (name, answer) of what should change and is not one entity.

    Raises:
        InputError: the table does not know a kind of change.
        RulesError: the rules are broken.
    """
    chosen = distinct(seeds)
    sources = Sources(root)
    names = list(dict.fromkeys(each.entity for each in chosen))
    found = closure(chosen, around, rules, [*known, *_public(names, around, database, sources)])
    refuse_unknown(found)
    reached = _reached(found)
    ranks = soft_ranks(database, names, reached, request, sources, rules.number("max_dependents"))
    return document(
        chosen,
        found,
        around,
        ranks,
        commit=meta(database, "commit") or None,
        recon="recon.db",
        ungrounded=ungrounded,
    )


def _reached(found: Closure) -> list[str]:
    return list(dict.fromkeys(each.target for each in found.effects))


def _public(
    names: Sequence[str],
    around: Neighbourhood,
    database: sqlite3.Connection,
    sources: Sources,
) -> Iterator[Fact]:
    """Yield which seeds others may use, and which documents tell their users of them."""
    exported = {name for name in names if is_public(name, around, database)}
    if not exported:
        return
    yield from (fact("public", name) for name in sorted(exported))
    query = "SELECT path FROM files WHERE role='doc' ORDER BY path LIMIT ?"
    documents = [text(path) for (path,) in database.execute(query, (_MOST_DOCUMENTS,))]
    for path in documents:
        if _CHANGES.search(path):
            for name in sorted(exported):
                yield fact("announces", path, name, constant("changes"))
            continue
        content = sources.text(path)
        for name in sorted(exported):
            if _mentions(content, name, around.entity(name)):
                yield fact("announces", path, name, constant("mention"))


def is_public(name: str, around: Neighbourhood, database: sqlite3.Connection) -> bool:
    """Whether others than the repository may use an entity: it is exported, and so is its class.

    A name that a package takes over from one of its modules, or lists, is exported; a member is if
    its class is and its name does not say otherwise.
    """
    if around.entity(name) is None:
        return False
    query = "SELECT flags FROM nodes WHERE fqn=? ORDER BY id LIMIT 1"
    while True:
        row = database.execute(query, (name,)).fetchone()
        if row is None:
            return False
        if "exported" in (row[0] or "").split(","):
            return True
        alias = database.execute(
            "SELECT 1 FROM aliases a JOIN nodes n ON n.id=a.node_id WHERE n.fqn=? "
            "AND a.why='reexport' AND a.alias NOT LIKE '%.\\_%' ESCAPE '\\' LIMIT 1",
            (name,),
        ).fetchone()
        if alias is not None:
            return True
        name, _, last = name.rpartition(".")
        if not name or last.startswith("_") or _kind(database, name) not in _CLASSES:
            return False


_CLASSES = ("class", "interface", "trait", "struct", "enum")


def _kind(database: sqlite3.Connection, name: str) -> str | None:
    row = database.execute("SELECT kind FROM nodes WHERE fqn=? ORDER BY id", (name,)).fetchone()
    return None if row is None else str(row[0])


def _mentions(content: str, name: str, entity: Entity | None) -> bool:
    """Whether a document names an entity: a member together with its class, others alone."""
    outer, _, last = name.rpartition(".")
    if entity is not None and entity.kind in ("method", "property", "field", "enum_member"):
        last = f"{outer.rpartition('.')[2]}.{last}"
    return last in content and re.search(rf"(?<!\w){re.escape(last)}(?!\w)", content) is not None
