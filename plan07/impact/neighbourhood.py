"""The neighbourhood of entities in a recon.db, read as far as it is asked for.

Each entity is read once: what depends on it, what it overrides, which class it constructs. Only
indices are used, so the size of the repository does not matter; an entity with very many dependents
gives the surest of them, and a record says how many there are.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator

from plan07.facts import Fact, constant, fact
from plan07.impact.arguments import sites, uses
from plan07.impact.entities import Entity, Link
from plan07.reconfile import batches, lookup, text, unresolved_calls
from plan07.shapes import ENTITY_KINDS, RESOLUTIONS

# What is left out last when there are too many edges, first.
RELATIONS = (
    *("calls", "instantiates", "overrides", "inherits", "implements", "tests", "migrates"),
    *("reads_config", "reexports", "imports", "decorates", "uses_type", "writes", "references"),
)
_CLASSES = ("class", "interface", "trait", "struct", "enum")
_CONSTRUCTORS = ("__init__", "__new__")
_CALLS = ("calls", "instantiates")
_BATCH = 500
_SEPARATORS = re.compile(r"[.:/]+")


Key = tuple[str, int, int]


class Neighbourhood:
    """What has been read so far.

    Args:
        database: an open recon.db.
        most_dependents: of one entity by one relation.
        most_edges: in all.
    """

    def __init__(self, database: sqlite3.Connection, most_dependents: int, most_edges: int) -> None:
        self._database = database
        self._most_dependents = most_dependents
        self._most_edges = most_edges
        self.entities: dict[int, Entity] = {}
        self.ids: dict[str, list[int]] = {}
        self.links: dict[Key, Link] = {}
        self.kept: dict[tuple[int, str], tuple[int, int]] = {}
        self._constructors: set[tuple[int, int]] = set()
        self._found: dict[int, None] = {}
        self._read: dict[int, None] = {}
        self._opened: dict[int, None] = {}
        self._within: list[tuple[int, int]] = []

    def find(self, name: str) -> tuple[str, list[str]]:
        """Return what `lookup` answers for a name, and the entities that it means."""
        answer, found = lookup(self._database, name)
        if answer == "binding":
            found_ids = [identifier for identifier, _ in found]
            self._found.update(dict.fromkeys(found_ids))
            self._learn(found_ids)
        return answer, sorted({fqn for _, fqn in found})

    def alike(self, name: str) -> list[str]:
        """Return a few entities whose last name is that of another."""
        last = _SEPARATORS.split(name)[-1]
        rows = self._database.execute(
            "SELECT DISTINCT fqn FROM nodes WHERE name=? AND is_external=0 ORDER BY fqn LIMIT 5",
            (last,),
        )
        return [text(fqn) for (fqn,) in rows]

    def read(self, names: Iterable[str]) -> bool:
        """Read the neighbourhood of entities not read yet; False if there are none."""
        new = [each for name in names for each in self.ids.get(name, ()) if each not in self._read]
        self._read.update(dict.fromkeys(new))
        links = [
            *self._rows("dst", new, ""),
            *self._rows("src", new, "AND kind='overrides'"),
        ]
        self._keep(links)
        self._learn(end for row in links for end in (row[0], row[2]))
        self._learn_constructors(new)
        return bool(new)

    def open(self, names: Iterable[str]) -> bool:
        """Read what lies in entities, at any depth; False if there are no such entities."""
        outers = [each for name in names for each in self.ids.get(name, ())]
        for outer in outers:
            self._opened[outer] = None
            # Of names that begin alike, `.` is the only character between these two ends.
            prefix = self.entities[outer].name
            rows = self._database.execute(
                "SELECT id FROM nodes WHERE fqn>=? AND fqn<? ORDER BY fqn, id LIMIT ?",
                (f"{prefix}.", f"{prefix}/", self._most_edges),
            ).fetchall()
            self._learn(int(row[0]) for row in rows)
            self._within += [(outer, int(row[0])) for row in rows]
        return bool(outers)

    def facts(self, about: frozenset[str]) -> Iterator[Fact]:
        """Yield what the rules read of it.

        Args:
            about: names of parameters that some change is about.
        """
        name = {identifier: entity.name for identifier, entity in self.entities.items()}
        for (kind, src, dst), link in self.links.items():
            ends = name[src], name[dst]
            share = min(1.0, max(0.0, link.confidence))
            words = constant(link.resolution), round(share * 1000)
            yield fact("uses", constant(kind), *ends, *words)
            if about and kind in _CALLS:
                yield from self._arguments(src, dst, link, about)
        for method, owner in self._constructors:
            yield fact("constructor", name[method], name[owner])
        for outer, identifier in self._within:
            yield fact("within", name[outer], name[identifier])
        for number, known in enumerate(sorted(self.ids), 1):
            yield fact("ordinal", known, number)
        inner = (identifier for _, identifier in self._within)
        for identifier in dict.fromkeys([*self._found, *inner]):
            yield fact("entity", name[identifier], constant(self.entities[identifier].kind))
        outside = [entity for entity in self.entities.values() if entity.external]
        yield from (fact("external", entity.name) for entity in outside)
        yield from (fact("read", name[each]) for each in self._read)
        yield from (fact("opened", name[each]) for each in self._opened)

    def link(self, kinds: Iterable[str], src: str, dst: str) -> Link | None:
        """Return the link of one of some kinds between two entities, by name."""
        for kind in kinds:
            for a in self.ids.get(src, ()):
                for b in self.ids.get(dst, ()):
                    if (kind, a, b) in self.links:
                        return self.links[kind, a, b]
        return None

    def entity(self, name: str) -> Entity | None:
        """Return an entity by its name; of several of one name, the first."""
        found = self.ids.get(name)
        return self.entities[found[0]] if found else None

    def place(self, found: Entity | Link) -> tuple[str, int | None] | None:
        """Return the path and the line of an entity or a link, None where they are not known."""
        query = "SELECT path FROM files WHERE id=?"
        row = self._database.execute(query, (found.file,)).fetchone()
        if row is None:
            return None
        known = isinstance(found.line, int) and found.line > 0
        return text(row[0]), found.line if known else None

    def unresolved(self) -> dict[str, int]:
        """Return how many calls may concern each entity that was read and lead nowhere."""
        found: dict[str, int] = {}
        for identifier in self._read:
            entity = self.entities[identifier]
            number = unresolved_calls(self._database, identifier, entity.name)
            if number:
                found[entity.name] = found.get(entity.name, 0) + number
        return found

    def truncated(self) -> Iterator[tuple[str, str, int, int]]:
        """Yield entity, relation, kept and total, where dependents were left out."""
        for (identifier, kind), (kept, total) in self.kept.items():
            if kept < total:
                yield self.entities[identifier].name, kind, kept, total

    def _arguments(self, src: int, dst: int, link: Link, about: frozenset[str]) -> Iterator[Fact]:
        calls = sites(link.attrs)
        callee = next((m for m, owner in sorted(self._constructors) if owner == dst), dst)
        given = self.entities[callee].parameters()
        if calls is None:
            return
        for parameter in given:
            if parameter.name in about:
                for use in uses(parameter.name, given, calls):
                    ends = self.entities[src].name, self.entities[dst].name
                    yield fact("argument", *ends, parameter.name, constant(use))

    def _rows(self, column: str, ids: Iterable[int], condition: str) -> list[_Row]:
        found: list[_Row] = []
        for marks, batch in batches(ids):
            query = (
                "SELECT src, kind, dst, resolution, confidence, file_id, line, attrs "
                f"FROM edges WHERE {column} IN ({marks}) {condition}"
            )
            for src, kind, dst, resolution, confidence, file, line, attrs in self._database.execute(
                query, batch
            ):
                if kind in _WEIGHTS and src != dst:
                    known = resolution if resolution in _RANKS else "ambiguous"
                    link = Link(known, float(confidence), file, line, attrs)
                    found.append((src, kind, dst, link))
        return found

    def _keep(self, rows: Iterable[_Row]) -> None:
        """Keep the surest dependents of each entity, by the relations that matter most first."""
        by_entity: dict[tuple[int, str], dict[int, Link]] = {}
        for src, kind, dst, link in rows:
            dependents = by_entity.setdefault((dst, kind), {})
            known = dependents.get(src)
            if known is None or _certainty(link) < _certainty(known):
                dependents[src] = link
        for place in sorted(by_entity, key=_weight):
            dst, kind = place
            dependents = by_entity[place]
            room = min(self._most_dependents, max(0, self._most_edges - len(self.links)))
            chosen = dependents.items()
            if len(dependents) > room:
                surest = sorted(chosen, key=lambda each: (_certainty(each[1]), each[0]))
                chosen = dict(surest[:room]).items()
            if dst in self._read:
                self.kept[place] = len(chosen), len(dependents)
            for src, link in chosen:
                self.links[kind, src, dst] = link

    def _learn(self, ids: Iterable[int]) -> None:
        """Read the entities of some ids, and forget links to ids that nothing is known of."""
        new = {each for each in ids if each not in self.entities}
        for marks, batch in batches(new):
            query = (
                "SELECT id, fqn, kind, file_id, line, params, flags, is_external FROM nodes "
                f"WHERE id IN ({marks})"
            )
            for identifier, fqn, kind, *told, external in self._database.execute(query, batch):
                known = kind if kind in _KINDS else "external"
                file, line, params, flags = told
                entity = Entity(text(fqn), known, file, line, params, flags, bool(external))
                self.entities[identifier] = entity
                self.ids.setdefault(entity.name, []).append(identifier)
        lost = new - self.entities.keys()
        if lost:
            self.links = {
                key: link
                for key, link in self.links.items()
                if key[1] not in lost and key[2] not in lost
            }

    def _learn_constructors(self, ids: Iterable[int]) -> None:
        """Find the constructors of classes, and of the heirs of classes, that were read."""
        new = set(ids)
        names = {self.entities[each].name for each in new if self.entities[each].kind in _CLASSES}
        names |= {
            self.entities[src].name
            for kind, src, dst in self.links
            if kind in ("inherits", "implements") and dst in new
        }
        for each in new:
            owner, _, last = self.entities[each].name.rpartition(".")
            if last in _CONSTRUCTORS:
                names.add(owner)
        wanted = [*names, *(f"{name}.{last}" for name in names for last in _CONSTRUCTORS)]
        found: list[int] = []
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            query = f"SELECT id FROM nodes WHERE fqn IN ({','.join('?' * len(batch))})"
            found += [int(row[0]) for row in self._database.execute(query, batch)]
        self._learn(found)
        for each in found:
            owner, _, last = self.entities[each].name.rpartition(".")
            if last in _CONSTRUCTORS:
                self._constructors.update((each, other) for other in self.ids.get(owner, ()))


_Row = tuple[int, str, int, Link]


def _certainty(link: Link) -> tuple[int, float]:
    return _RANKS[link.resolution], -link.confidence


def _weight(place: tuple[int, str]) -> tuple[int, int]:
    return _WEIGHTS[place[1]], place[0]


_KINDS = frozenset(ENTITY_KINDS)
_RANKS = {resolution: rank for rank, resolution in enumerate(RESOLUTIONS)}
_WEIGHTS = {relation: rank for rank, relation in enumerate(RELATIONS)}
