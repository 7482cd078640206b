"""From a dependency graph to a schedule: units, order, partition, checkpoints, branch scores.

Runs the stages `schedule` and `steps` of the rules. The total order is the walk that a driver makes
if everything passes: of the units whose predecessors are done, the one with the lowest preference,
then the lowest id. The walk only says aloud what the rules derived.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from plan07 import messages
from plan07.document import COMPOSITE, Record, as_node, natural
from plan07.errors import Finding
from plan07.explain import reasons_of
from plan07.facts import Atoms, Fact, Term, constant, fact
from plan07.lowering import static_size
from plan07.obliggraph import DependencyGraph, refusal
from plan07.rulebook import Rulebook

_VERB_RANK = ("modify", "preserve", "validate")


class Unit(NamedTuple):
    """A step of the schedule.

    Args:
        id: the id of its obligation, or of the composite.
        members: its obligations, the lowest first.
    """

    id: str
    members: tuple[Record, ...]


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
    facts = [*lowered.schedule(), *_edges(graph)]
    atoms = rules.solve("schedule", facts)
    units = _units(atoms, {record.id: record for record in lowered.plan.records})
    names = {low: unit.id for low, unit in units.items() if unit.id != low}
    edges = [(a, b) for a, b in atoms.texts("edge")]
    rows = [*atoms.rows("violation")]
    findings = [
        _with_chain(each, units, graph, lowered.order)
        for each in messages.findings(rows, names, lowered.order)
    ]
    if findings:
        raise refusal(findings, "schedule")
    partition = {
        name: set(atoms.strings(name))
        for name in ("complete", "failed", "alternative", "ready", "blocked")
    }
    stranded = [unit for unit, _ in atoms.texts("stranded")]
    walk = _walk(edges, partition, set(stranded), atoms.numbers("preference"), lowered.order)
    needs: dict[str, list[str]] = {unit: [] for unit in units}
    for a, b in edges:
        needs[b].append(a)
    nodes = [_node(units[low], needs[low], units, graph, partition) for low in units]
    scores = {
        alternative: number / 1000
        for alternative, number in sorted(
            atoms.numbers("branch_score").items(), key=lambda each: lowered.order[each[0]]
        )
    }
    steps = enumerate(walk, len(partition["complete"]) + 1)
    end = rules.solve(
        "steps",
        [
            *(fact("step", number, unit) for number, unit in steps),
            *(fact("state", r.id, constant(r.state)) for r in lowered.plan.records),
            *static_size(lowered.plan.requirement, nodes, scores),
        ],
    )
    refused = messages.findings(end.rows("violation"), names, lowered.order)
    if refused:
        raise refusal(refused, "schedule")
    advice = [*graph.advice, *messages.findings(atoms.rows("advice"), names, lowered.order)]

    def listed(ids: Iterable[str]) -> list[str]:
        return [units[low].id for low in units if low in set(ids)]

    place = {low: index for index, low in enumerate(units)}
    edges.sort(key=lambda edge: (place[edge[0]], place[edge[1]]))
    member_of = {record.id: low for low, unit in units.items() for record in unit.members}
    return {
        "nodes": nodes,
        "edges": [[units[a].id, units[b].id] for a, b in edges],
        "ready": listed(partition["ready"]),
        "blocked": listed(partition["blocked"]),
        "alternative": listed(partition["alternative"]),
        "checkpoints": _checkpoints(end, units),
        "branch_scores": scores,
        "order": [units[low].id for low in walk],
        "reasons": reasons_of(edges, graph.precedes, member_of, names),
        "composites": [
            {
                "id": unit.id,
                "members": [record.id for record in unit.members],
                "reasons": _bonds(unit, graph, member_of),
            }
            for unit in units.values()
            if len(unit.members) > 1
        ],
        "stranded": listed(stranded),
        "advice": [each.as_dict() for each in advice],
        "policy": {
            "digest": rules.digest,
            "switches": rules.chosen(),
            "limits": rules.limits,
            "overlaid": rules.overlaid,
        },
    }


def _edges(graph: DependencyGraph) -> Iterable[Fact]:
    for row in graph.precedes:
        yield Fact("precedes", row)
        if row[2] == constant("declared"):
            yield Fact("declared", (row[1], row[0]))
    for row in graph.atomic:
        yield Fact("atomic", row)


def _units(atoms: Atoms, records: Mapping[str, Record]) -> dict[str, Unit]:
    members: dict[str, list[Record]] = {}
    for low, obligation in atoms.texts("member"):
        members.setdefault(low, []).append(records[obligation])
    found: dict[str, Unit] = {}
    for low in sorted(members, key=natural):
        own = tuple(sorted(members[low], key=lambda record: natural(record.id)))
        found[low] = Unit(f"{COMPOSITE}{low}" if len(own) > 1 else low, own)
    return found


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


def _node(
    unit: Unit,
    needs: Sequence[str],
    units: Mapping[str, Unit],
    graph: DependencyGraph,
    partition: Mapping[str, set[str]],
) -> dict[str, Any]:
    low = unit.members[0].id
    dropped = set(graph.dropped)
    unit_of = {record.id: low_ for low_, each in units.items() for record in each.members}
    inside = {record.id for record in unit.members}

    def declared_by(record: Record) -> list[str]:
        return [
            each if each in inside else units[unit_of[each]].id
            for each in record.dependencies
            if (record.id, each) not in dropped and each != record.id
        ]

    declared = {each for record in unit.members for each in declared_by(record)} - inside
    resolved = [units[each].id for each in sorted(needs, key=natural)]
    status = next((s for s in ("alternative", "blocked") if low in partition[s]), "ready")
    if len(unit.members) == 1:
        record = unit.members[0]
        return as_node(
            record._replace(
                dependencies=tuple(each for each in resolved if each in declared),
                derived=tuple(each for each in resolved if each not in declared),
                status=status,
            ),
            resolved,
        )
    ring = {record.id: unit.members[index - 1].id for index, record in enumerate(unit.members)}
    parts = []
    for record in unit.members:
        own = sorted(set(declared_by(record)), key=natural)
        extra = (ring[record.id],) if ring[record.id] not in own else ()
        parts.append(
            as_node(
                record._replace(dependencies=tuple(own), derived=extra, status=status),
                [*own, *extra],
            )
        )
    states = {record.state for record in unit.members}
    state = "failed" if "failed" in states else "complete" if states == {"complete"} else "pending"
    verbs = {record.obligation for record in unit.members}
    first = unit.members[0]
    checks = dict.fromkeys(record.validation for record in unit.members if record.validation)
    return {
        "id": unit.id,
        "target_entity": first.target_entity,
        "obligation": next(verb for verb in _VERB_RANK if verb in verbs),
        "caused_by": first.caused_by,
        "dependencies": resolved,
        "evidence": first.evidence,
        "status": status,
        "validation": " && ".join(checks),
        "state": state,
        **({"derived": d} if (d := [each for each in resolved if each not in declared]) else {}),
        "cycle_collapsed": True,
        "members": parts,
    }


def _bonds(
    unit: Unit, graph: DependencyGraph, member_of: Mapping[str, str]
) -> list[dict[str, Any]]:
    own = [
        row
        for row in (*graph.atomic, *graph.precedes)
        if member_of[str(row[0])] == member_of[str(row[1])] == unit.members[0].id
    ]
    itself = {record.id: record.id for record in unit.members}
    pairs = sorted(
        {(str(row[0]), str(row[1])) for row in own},
        key=lambda pair: (natural(pair[0]), natural(pair[1])),
    )
    return reasons_of(pairs, own, itself, {})


def _checkpoints(end: Atoms, units: Mapping[str, Unit]) -> list[str]:
    numbered = {number: str(unit) for number, unit in end.rows("checkpoint")}
    return [f"step-{number}:{units[numbered[number]].id}" for number in sorted(numbered, key=int_)]


def int_(term: Term) -> int:
    """Return a term that is a number as one."""
    assert isinstance(term, int)
    return term


def _with_chain(
    finding: Finding,
    units: Mapping[str, Unit],
    graph: DependencyGraph,
    order: Mapping[str, int],
) -> Finding:
    if finding.code != "DECOMPOSITION_CYCLE":
        return finding
    unit = next(each for each in units.values() if each.id == finding.subject)
    inside = {record.id for record in unit.members}
    pairs = [(str(a), str(b)) for a, b, _ in graph.precedes]
    pairs += [(str(a), str(b)) for a, b, _ in graph.atomic]
    pairs += [(str(b), str(a)) for a, b, _ in graph.atomic]
    within = [pair for pair in pairs if pair[0] in inside and pair[1] in inside]
    detail = {**finding.detail, "chain": messages.chain(within, unit.members[0].id, order)}
    return messages.retold(finding, detail)
