"""From a dependency graph to a schedule: units, order, partition, checkpoints, branch scores.

Runs the stages `schedule` and `steps` of the rules. The total order is the walk that a driver makes
if everything passes: of the units whose predecessors are done, the one with the lowest preference,
then the lowest id. The walk only says aloud what the rules derived.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plan07 import messages
from plan07.explain import reasons_of
from plan07.facts import Atoms, Fact, Term, constant, fact, unusable
from plan07.lowering import static_size
from plan07.obliggraph import DependencyGraph, refusal
from plan07.rulebook import Rulebook
from plan07.units import Units

_PARTITION = ("complete", "failed", "alternative", "ready", "blocked")


def schedule(graph: DependencyGraph, rules: Rulebook) -> dict[str, Any]:
    """Return the schedule of a dependency graph in its wire form, keys in a fixed order.

    Args:
        graph: the precedences.
        rules: the composed rules.

    Raises:
        PlanRefused: with every violation of the schedule.
        RulesError: the rules are broken.
    """
    lowered = graph.lowered
    order = lowered.order
    places = lowered.places() if rules.reads("lies_in") else ()
    atoms = rules.solve("schedule", [*lowered.schedule(), *_edges(graph), *places])
    units = Units(graph, atoms)
    findings = messages.findings(atoms.rows("violation", 2), units.ids, order)
    if findings:
        raise refusal([units.with_chain(each) for each in findings], "schedule")
    partition = {name: set(atoms.ids(name, units.ids)) for name in _PARTITION}
    if sorted(each for units_ in partition.values() for each in units_) != sorted(units.ids):
        raise unusable("a partition in which a unit is not exactly once")
    stranded = {unit for unit, *_ in atoms.links("stranded", 2, units.ids)}
    edges = units.sorted([(a, b) for a, b, _ in atoms.links("edge", 2, units.ids)])
    walk = _walk(edges, partition, stranded, atoms.numbers("preference", units.ids), order)
    nodes = units.nodes(edges, partition)
    ratings = atoms.numbers("branch_score", order)
    if any(not 0 <= rating <= 1000 for rating in ratings.values()):
        raise unusable("a branch score beyond 0 and 1000")
    scores = {each: ratings[each] / 1000 for each in sorted(ratings, key=order.__getitem__)}
    steps = enumerate(walk, len(partition["complete"]) + 1)
    end = rules.solve(
        "steps",
        [
            *(fact("step", number, unit) for number, unit in steps),
            *(fact("state", low, constant("failed")) for low in partition["failed"]),
            *static_size(lowered.plan.requirement, nodes, scores),
        ],
    )
    too_large = messages.findings(end.rows("violation", 2), units.ids, order)
    if too_large:
        raise refusal(too_large, "schedule")
    advice = [
        *graph.advice,
        *messages.findings(atoms.rows("advice", 2), units.ids, order),
        *messages.noticed((*atoms.notices, *end.notices)),
    ]
    return {
        "nodes": nodes,
        "edges": [[units.ids[a], units.ids[b]] for a, b in edges],
        "ready": units.listed(partition["ready"]),
        "blocked": units.listed(partition["blocked"]),
        "alternative": units.listed(partition["alternative"]),
        "checkpoints": _checkpoints(end, units.ids),
        "branch_scores": scores,
        "order": [units.ids[low] for low in walk],
        "reasons": reasons_of(edges, graph.precedes, units.unit_of, units.ids),
        "composites": units.composites(),
        "stranded": units.listed(stranded),
        "advice": [each.as_dict() for each in advice],
        "policy": {
            "digest": rules.digest,
            "switches": rules.chosen,
            "limits": rules.limits,
            "overlaid": rules.overlaid,
        },
    }


def _edges(graph: DependencyGraph) -> Iterable[Fact]:
    """Yield the precedences; of a reason, the schedule needs to know only its kind."""
    for name, rows in (("precedes", graph.precedes), ("atomic", graph.atomic)):
        for a, b, because in rows:
            yield fact(name, a, b, constant(_kind_of(because)))


def _kind_of(because: Term) -> str:
    if isinstance(because, str):
        # A rule of the user's own that brings its words along.
        return "rule"
    if not isinstance(because, Fact) or not because.name:
        raise unusable("a precedence whose reason is neither a term nor a text")
    return because.name


def _walk(
    edges: Sequence[tuple[str, str]],
    partition: Mapping[str, set[str]],
    stranded: set[str],
    preference: Mapping[str, int],
    order: Mapping[str, int],
) -> list[str]:
    done = partition["complete"]
    walkable = (partition["ready"] | partition["blocked"]) - stranded
    waiting = dict.fromkeys(walkable, 0)
    after: dict[str, list[str]] = {}
    for a, b in edges:
        if b in waiting and a not in done:
            waiting[b] += 1
            after.setdefault(a, []).append(b)
    heap = [(preference.get(u, 0), order[u], u) for u in walkable if not waiting[u]]
    heapq.heapify(heap)
    walk: list[str] = []
    while heap:
        unit = heapq.heappop(heap)[2]
        walk.append(unit)
        for other in after.get(unit, ()):
            waiting[other] -= 1
            if not waiting[other]:
                heapq.heappush(heap, (preference.get(other, 0), order[other], other))
    return walk


def _checkpoints(end: Atoms, ids: Mapping[str, str]) -> list[str]:
    numbered = [
        (number, unit)
        for number, unit in end.rows("checkpoint", 2)
        if isinstance(number, int) and isinstance(unit, str) and unit in ids
    ]
    return [f"step-{number}:{ids[unit]}" for number, unit in sorted(numbered)]
