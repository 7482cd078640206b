"""Units of a schedule and the nodes that stand for them.

A unit is what lands in one step: one obligation, or the composite of several that the rules found
on a common cycle. Rules name a unit by its lowest member; a plan calls a composite `cycle:` and
that member's id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plan07 import messages
from plan07.document import COMPOSITE, Record, as_node, natural
from plan07.errors import Finding
from plan07.explain import reasons_of
from plan07.facts import Atoms, unusable
from plan07.obliggraph import DependencyGraph

_VERBS = ("modify", "preserve", "validate")


class Units:
    """The units of a schedule, the lowest first.

    Args:
        graph: the dependency graph.
        atoms: the answer of the schedule stage.

    Raises:
        RulesError: the units do not hold each obligation once.
    """

    def __init__(self, graph: DependencyGraph, atoms: Atoms) -> None:
        records = {record.id: record for record in graph.lowered.plan.records}
        found: dict[str, list[Record]] = {}
        for low, obligation, _ in atoms.links("member", 2, records):
            found.setdefault(low, []).append(records[obligation])
        order = graph.lowered.order
        self._graph = graph
        self._members = {
            low: sorted(found[low], key=lambda record: order[record.id])
            for low in sorted(found, key=order.__getitem__)
        }
        self.ids = {
            low: f"{COMPOSITE}{low}" if len(members) > 1 else low
            for low, members in self._members.items()
        }
        self.unit_of = {
            record.id: low for low, members in self._members.items() for record in members
        }
        listed = [record.id for members in self._members.values() for record in members]
        if len(listed) != len(records) or set(listed) != set(records):
            raise unusable("units that do not hold each obligation once")
        self._place = {low: index for index, low in enumerate(self._members)}

    def listed(self, units: Iterable[str]) -> list[str]:
        """Return the ids of some units in order."""
        return [self.ids[low] for low in sorted(units, key=self._place.__getitem__)]

    def sorted(self, pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return pairs of units in order."""
        return sorted(pairs, key=lambda pair: (self._place[pair[0]], self._place[pair[1]]))

    def nodes(
        self, edges: Sequence[tuple[str, str]], partition: Mapping[str, set[str]]
    ) -> list[dict[str, Any]]:
        """Return the nodes in the wire form of an artifact.

        Args:
            edges: (dependency, dependent) pairs of units, sorted.
            partition: complete, failed, alternative, ready and blocked units.
        """
        needs: dict[str, list[str]] = {low: [] for low in self._members}
        for before, after in edges:
            needs[after].append(before)
        declared = {
            (self.unit_of[before], self.unit_of[after])
            for before, after, because in self._graph.precedes
            if because == ("declared", ())
        }
        return [
            self._node(
                low,
                [self.ids[each] for each in needs[low]],
                tuple(self.ids[each] for each in needs[low] if (each, low) not in declared),
                self._status(low, partition),
            )
            for low in self._members
        ]

    def _status(self, low: str, partition: Mapping[str, set[str]]) -> str:
        if self._members[low][0].status == "alternative":
            return "alternative"
        return "blocked" if low in partition["blocked"] else "ready"

    def _node(
        self, low: str, resolved: list[str], derived: tuple[str, ...], status: str
    ) -> dict[str, Any]:
        members = self._members[low]
        if len(members) == 1:
            own = tuple(each for each in resolved if each not in derived)
            record = members[0]._replace(dependencies=own, derived=derived, status=status)
            return as_node(record, resolved)
        first = members[0]
        verbs = {record.obligation for record in members}
        node = {
            **as_node(first),
            "id": self.ids[low],
            "obligation": next(verb for verb in _VERBS if verb in verbs),
            "dependencies": resolved,
            "status": status,
            "validation": " && ".join(
                dict.fromkeys(each.validation for each in members if each.validation)
            ),
            "state": _joint_state(members),
        }
        node.pop("derived", None)
        if derived:
            node["derived"] = list(derived)
        node["cycle_collapsed"] = True
        node["members"] = [self._part(record, status) for record in members]
        return node

    def _part(self, record: Record, status: str) -> dict[str, Any]:
        """A member, with what it declares; why they land together stands in the reasons."""
        low = self.unit_of[record.id]
        own: dict[str, None] = {}
        for each in record.dependencies:
            if each != record.id and (record.id, each) not in self._graph.dropped:
                own[each if self.unit_of[each] == low else self.ids[self.unit_of[each]]] = None
        declared = tuple(sorted(own, key=natural))
        return as_node(record._replace(dependencies=declared, derived=(), status=status))

    def composites(self) -> list[dict[str, Any]]:
        """Return which obligations land together and why, in the wire form."""
        inside: dict[str, list[Any]] = {
            low: [] for low, members in self._members.items() if len(members) > 1
        }
        for row in (*self._graph.atomic, *self._graph.precedes):
            low = self.unit_of[row[0]]
            if low in inside and self.unit_of[row[1]] == low:
                inside[low].append(row)
        order = self._graph.lowered.order
        itself = {record: record for record in self.unit_of}
        listed = []
        for low, rows in inside.items():
            pairs = sorted(
                {(row[0], row[1]) for row in rows},
                key=lambda pair: (order[pair[0]], order[pair[1]]),
            )
            listed.append(
                {
                    "id": self.ids[low],
                    "members": [record.id for record in self._members[low]],
                    "reasons": reasons_of(pairs, rows, itself, itself),
                }
            )
        return listed

    def with_chain(self, finding: Finding) -> Finding:
        """Return a finding about a cycle with the shortest chain of ids around it."""
        if finding.code != "DECOMPOSITION_CYCLE":
            return finding
        inside = set(finding.detail["members"])
        pairs = [(a, b) for a, b, _ in (*self._graph.precedes, *self._graph.atomic)]
        pairs += [(b, a) for a, b, _ in self._graph.atomic]
        within = [pair for pair in pairs if inside.issuperset(pair)]
        start = min(inside, key=self._graph.lowered.order.__getitem__)
        around = chain(within, start, self._graph.lowered.order)
        return messages.retold(finding, {**finding.detail, "chain": around})


def _joint_state(members: Sequence[Record]) -> str:
    states = {record.state for record in members}
    if "failed" in states:
        return "failed"
    return "complete" if states == {"complete"} else "pending"


def chain(edges: Iterable[tuple[str, str]], start: str, order: Mapping[str, int]) -> list[str]:
    """Return the shortest cycle through a node, lowest ids first, as the ids along it.

    >>> chain([("O2", "O1"), ("O1", "O2")], "O1", {"O1": 1, "O2": 2})
    ['O1', 'O2', 'O1']

    Args:
        edges: (dependency, dependent) pairs within one component.
        start: a node of it.
        order: ids to their natural order.
    """
    needs: dict[str, set[str]] = {}
    for dependency, dependent in edges:
        needs.setdefault(dependent, set()).add(dependency)
    came_from: dict[str, str] = {}
    layer = [start]
    while layer:
        following: list[str] = []
        for node in layer:
            for other in sorted(needs.get(node, ()), key=lambda each: order.get(each, 0)):
                if other == start:
                    path = [node]
                    while path[-1] != start:
                        path.append(came_from[path[-1]])
                    return [*reversed(path), start]
                if other not in came_from:
                    came_from[other] = node
                    following.append(other)
        layer = following
    return [start]
