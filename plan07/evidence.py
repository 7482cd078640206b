"""The evidence of a repository as plain records, and where it comes from.

Inline evidence is read here. Every other origin is an encoder, found through the entry point group
`plan07.encoders`; an encoder is a function `encode(path, targets) -> Evidence`, and this package
imports none of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from plan07 import shapes
from plan07.errors import InputError

GROUP = "plan07.encoders"


class Edge(NamedTuple):
    """A change of one entity reaches another (component 06).

    Args:
        source, target: entities; `target` depends on `source`.
        cause: relation seen from the source, as the wire writes it: CalledBy.
        change, strength, order: what the edge says of itself, "" where it says nothing; the order
            as the rules name it.
        resolution: exact, typed, dynamic, heuristic or ambiguous.
        confidence: 0 to 1.
    """

    source: str
    target: str
    cause: str
    change: str = ""
    strength: str = ""
    order: str = ""
    resolution: str = "exact"
    confidence: float = 1.0


class Relation(NamedTuple):
    """One entity depends on another (component 03).

    Args:
        kind: calls, imports, … as in recon.db.
        resolution: as in `Edge`.
    """

    kind: str
    dependent: str
    dependency: str
    resolution: str


class Grounding(NamedTuple):
    """What the repository says of a target.

    Args:
        answer: binding, unresolved, ambiguous, unsupported or invalid_ref.
        candidates: the entities that it names; one for a binding.
    """

    answer: str
    candidates: tuple[str, ...] = ()


class Place(NamedTuple):
    """A place in the repository that another component names, for the model's eyes only.

    Args:
        path: the file.
        entity: what stands there, "" where it is not known.
        line: where it begins, from 1; 0 where it is not known.
        score: 0 to 1, how likely it matters.
        why: one line.
    """

    path: str
    entity: str = ""
    line: int = 0
    score: float = 0.0
    why: str = ""


class Evidence(NamedTuple):
    """What is known of the repository, in the neighbourhood of a plan.

    Args:
        edges: impact edges.
        relations: dependencies between entities.
        changes: (entity, change kind) pairs.
        entities: entity to kind; None where the evidence does not list entities.
        contains: (outer, inner) pairs.
        files: entity to the file it lies in.
        tests: tests of the repository; None where the evidence does not list them.
        scores: obligation id or entity to lex, cochange and confidence, each 0 to 1.
        grounding: targets that an index looked up.
        truncated: (entity, cause, kept, total) of edges left out.
        unresolved: entity to the number of calls that may concern it and could not be resolved.
        signatures: entity to its signature, one line and never a body.
        located: where the fault may lie (component 05).
        retrieved: what is relevant (component 04).
    """

    edges: tuple[Edge, ...] = ()
    relations: tuple[Relation, ...] = ()
    changes: tuple[tuple[str, str], ...] = ()
    entities: Mapping[str, str] | None = None
    contains: tuple[tuple[str, str], ...] = ()
    files: Mapping[str, str] = {}
    tests: tuple[str, ...] | None = None
    scores: Mapping[str, Mapping[str, float | None]] = {}
    grounding: Mapping[str, Grounding] = {}
    truncated: tuple[tuple[str, str, int, int], ...] = ()
    unresolved: Mapping[str, int] = {}
    signatures: Mapping[str, str] = {}
    located: tuple[Place, ...] = ()
    retrieved: tuple[Place, ...] = ()


Encoder: TypeAlias = Callable[[str, Sequence[str]], Evidence]


def inline(document: Mapping[str, Any]) -> Evidence:
    """Return inline evidence as records.

    Args:
        document: the wire form, already checked.
    """
    edges = document.get("edges", ())
    entities = document.get("entities")
    tests = document.get("tests")
    return Evidence(
        edges=tuple(edge(each) for each in edges),
        changes=tuple((each["entity"], each["change"]) for each in document.get("changes", ())),
        entities=None if entities is None else dict(_last_first(entities)),
        files=sites(edges),
        tests=None if tests is None else tuple(tests),
        scores=document.get("scores", {}),
    )


def dump(evidence: Evidence) -> dict[str, Any]:
    """Return evidence as a document that `restore` reads; what is empty is left out."""

    def plain(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: plain(each) for key, each in value.items()}
        return [plain(each) for each in value] if isinstance(value, tuple) else value

    kept = {name: getattr(evidence, name) for name in Evidence._fields}
    return {name: plain(value) for name, value in kept.items() if value or value == ()}


def restore(document: Mapping[str, Any]) -> Evidence:
    """Return the evidence of a document of `dump`, already checked."""
    rows: dict[str, Callable[..., Any]] = {
        "edges": Edge,
        "relations": Relation,
        "located": Place,
        "retrieved": Place,
    }
    found: dict[str, Any] = {}
    for name, value in document.items():
        if isinstance(value, list):
            record = rows.get(name)
            found[name] = tuple(
                record(*each) if record else tuple(each) if isinstance(each, list) else each
                for each in value
            )
        else:
            found[name] = value
    if "grounding" in found:
        found["grounding"] = {
            target: Grounding(answer, tuple(candidates))
            for target, (answer, candidates) in found["grounding"].items()
        }
    return Evidence(**found)


def edge(document: Mapping[str, Any]) -> Edge:
    """Return an edge of `plan07.impact/1`, already checked, as a record."""
    order = document.get("order")
    confidence = document.get("confidence")
    return Edge(
        document["from"],
        document["to"],
        document["cause"],
        document.get("change") or "",
        document.get("strength") or "",
        shapes.ORDERS[order] if order else "",
        document.get("resolution") or "exact",
        1.0 if confidence is None else confidence,
    )


def sites(edges: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the files that edges name for their dependents; of several, the first by name."""
    found = {(each["to"], each["at"]["path"]) for each in edges if each.get("at")}
    return dict(sorted(found, reverse=True))


def _last_first(entities: Iterable[Mapping[str, str]]) -> list[tuple[str, str]]:
    """Return (id, kind) pairs so that of an entity listed twice the first kind by name stays."""
    return sorted(((each["id"], each["kind"]) for each in entities), reverse=True)


def node_id(test: str, evidence: Evidence) -> str | None:
    """Return the pytest node id of a test that is named as an entity; None where it is not known.

    >>> node_id("tests.test_a.TestB.test_c", Evidence(files={"tests.test_a.TestB.test_c":
    ...     "tests/test_a.py"}))
    'tests/test_a.py::TestB::test_c'
    """
    if "::" in test or test.endswith(".py"):
        return test
    file = evidence.files.get(test, "")
    pieces = test.split(".")
    for size in range(len(pieces) - 1, 0, -1):
        module = "/".join(pieces[:size]) + ".py"
        if file and (f"/{file}".endswith(f"/{module}") or f"/{module}".endswith(f"/{file}")):
            return "::".join([file, *pieces[size:]])
    return None


def merge(parts: Sequence[Evidence]) -> Evidence:
    """Return several pieces of evidence as one; lists are joined, later mappings win."""
    if len(parts) == 1:
        return parts[0]

    def union(name: str) -> Any:
        found = [getattr(part, name) for part in parts]
        known = [each for each in found if each is not None]
        if not known:
            return None
        if isinstance(known[0], tuple):
            return tuple(dict.fromkeys(item for each in known for item in each))
        joined: dict[str, Any] = {}
        for each in known:
            joined.update(each)
        return joined

    return Evidence(**{name: union(name) for name in Evidence._fields})


def encode(origin: str, path: str, targets: Sequence[str]) -> Evidence:
    """Return the evidence that an encoder reads from a file.

    Args:
        origin: the encoder's name, such as impact or recon.
        path: the file.
        targets: the target entities of the plan, whose neighbourhood is wanted.

    Raises:
        InputError: no such encoder is installed, or it refuses the file.
    """
    from importlib.metadata import entry_points

    found = entry_points(group=GROUP, name=origin)
    if not found:
        known = sorted({each.name for each in entry_points(group=GROUP)})
        raise InputError(
            "ENCODER_UNKNOWN",
            f"no encoder is called {origin!r}",
            f"use one of {', '.join(known)}, or install a package that has it"
            if known
            else "install plan07, so that its encoders are registered",
            phase="evidence",
            detail={"name": origin, "known": known},
        )
    encoder: Encoder = next(iter(found)).load()
    return encoder(path, targets)


class Names:
    """Finds which target of a plan an entity of the evidence is.

    Plans and evidence seldom write the same name: `auth.SessionConfig` here is
    `repo.auth.SessionConfig` there. A name that ends in another, at a separator, is that other if
    neither could be a second one; the plan's spelling is kept.

    Args:
        targets: target entities of the plan.
        known: entities of the evidence.
    """

    def __init__(self, targets: Iterable[str], known: Iterable[str]) -> None:
        self._targets = set(targets)
        others = set(known) - self._targets
        by_tail: dict[str, list[str]] = {}
        for target in self._targets:
            by_tail.setdefault(_tail(target), []).append(target)
        self.candidates: dict[str, list[str]] = {}
        meant: dict[str, list[str]] = {}
        for other in others:
            for target in by_tail.get(_tail(other), ()):
                if ends_in(other, target) or ends_in(target, other):
                    self.candidates.setdefault(target, []).append(other)
                    meant.setdefault(other, []).append(target)
        self._alias = {
            other: targets[0]
            for other, targets in meant.items()
            if len(targets) == 1 and len(self.candidates[targets[0]]) == 1
        }

    def __getitem__(self, name: str) -> str:
        return self._alias.get(name, name)


_SEPARATORS = re.compile(r"[.:/]+")


def ends_in(name: str, ending: str) -> bool:
    """Whether a name ends in another one, at a separator.

    >>> ends_in("repo.auth.Session", "auth.Session"), ends_in("repo.auth.Session", "Session")
    (True, True)
    >>> ends_in("repo.MySession", "Session")
    False
    """
    return len(name) > len(ending) > 0 and name.endswith(ending) and name[-len(ending) - 1] in ".:/"


def _tail(name: str) -> str:
    return _SEPARATORS.split(name)[-1]


def ground(
    targets: Iterable[str], entities: Mapping[str, str] | None, names: Names
) -> dict[str, Grounding]:
    """Return what listed entities say of each target; nothing where none are listed.

    Args:
        targets: target entities.
        entities: entity to kind.
        names: of the same targets and these entities.
    """
    if entities is None:
        return {}
    found: dict[str, Grounding] = {}
    for target in targets:
        fitting = sorted(each for each in names.candidates.get(target, ()) if ends_in(each, target))
        if not target.strip():
            found[target] = Grounding("invalid_ref")
        elif target in entities or any(names[each] == target for each in entities):
            found[target] = Grounding("binding", (target,))
        elif fitting:
            found[target] = Grounding(
                "ambiguous" if len(fitting) > 1 else "binding", tuple(fitting)
            )
        else:
            found[target] = Grounding("unresolved")
    return found
