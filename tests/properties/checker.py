"""An independent checker: is an answer of `solve` a schedule of the plan that was given?

It shares no code with the package, not even the order of ids, and recomputes everything from the
plan document and the edges of the answer with networkx. Every fault is told, not only the first.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import networkx as nx

Document = Mapping[str, Any]
KEYS = (
    *("nodes", "edges", "ready", "blocked", "alternative", "checkpoints", "branch_scores"),
    *("order", "reasons", "composites", "stranded", "advice", "policy"),
)
KEPT = ("target_entity", "obligation", "caused_by", "evidence", "validation")
FIELDS = (
    *("id", "target_entity", "obligation", "caused_by", "dependencies", "evidence"),
    *("status", "validation", "state"),
)
FINDING = ("code", "subject", "message", "fix", "detail")
MOST_CHECKPOINTS = 32


class Obligation(NamedTuple):
    """One obligation of the plan document, composites taken apart.

    Args:
        record: as it stands in the document.
        declared: ids that it depends on by the plan's own word.
        derived: ids that it depends on because an earlier solve derived it.
        state: pending, complete or failed.
    """

    record: Document
    declared: frozenset[str]
    derived: frozenset[str]
    state: str


def order_of_ids(identifier: str) -> tuple[tuple[tuple[int, Any], ...], str]:
    """Return the sort key of an id: runs of digits count as numbers, ties by the text."""
    runs = itertools.groupby(identifier, lambda char: char in "0123456789")
    parts = tuple((0, int("".join(run))) if digits else (1, "".join(run)) for digits, run in runs)
    return parts, identifier


def in_order(ids: Iterable[str]) -> list[str]:
    """Return ids from the lowest to the highest."""
    return sorted(ids, key=order_of_ids)


def obligations(plan: Document) -> dict[str, Obligation]:
    """Return the obligations of a plan document by id."""
    if "obligations" in plan:
        return {
            each["id"]: Obligation(each, frozenset(each["dependencies"]), frozenset(), "pending")
            for each in plan["obligations"]
        }
    inside = {
        node["id"]: in_order({member["id"] for member in node.get("members", [node])})
        for node in plan["nodes"]
    }

    def apart(ids: Iterable[str]) -> frozenset[str]:
        return frozenset(inside[each][0] if each in inside else each for each in ids)

    found: dict[str, Obligation] = {}
    for node in plan["nodes"]:
        own = inside[node["id"]]
        for part in node.get("members", [node]):
            derived = list(part.get("derived", ()))
            declared = [each for each in part["dependencies"] if each not in derived]
            if "members" in node:
                # Members stay together in a ring, whatever made them land together.
                derived += [own[own.index(part["id"]) - 1]] if len(own) > 1 else []
                derived += node.get("derived", ()) if part["id"] == own[0] else ()
            found[part["id"]] = Obligation(
                part, apart(declared), apart(derived), part.get("state", "pending")
            )
    return found


def declared_edges(plan: Document, answer: Document | None = None) -> list[tuple[str, str]]:
    """Return (dependency, dependent) pairs that the plan declares, without dropped ones."""
    dropped = {
        (each["detail"]["dependency"], each["subject"])
        for each in (answer or {}).get("advice", ())
        if each["code"] == "DEPENDENCY_DROPPED"
    }
    return [
        (before, after)
        for after, obligation in obligations(plan).items()
        for before in obligation.declared
        if (before, after) not in dropped
    ]


def cycles_of(edges: Iterable[tuple[str, str]]) -> list[frozenset[str]]:
    """Return the strongly connected components of more than one node."""
    graph = nx.DiGraph(list(edges))
    return [frozenset(each) for each in nx.strongly_connected_components(graph) if len(each) > 1]


class Checker:
    """Compares one answer with its plan.

    Args:
        plan: the document that was solved.
        answer: the wire form of the schedule.
    """

    def __init__(self, plan: Document, answer: Document) -> None:
        self.answer = answer
        self.obligations = obligations(plan)
        self.declared = declared_edges(plan, answer)
        self.members: dict[str, list[str]] = {
            node["id"]: [member["id"] for member in node.get("members", [node])]
            for node in answer["nodes"]
        }
        self.unit_of = {each: unit for unit, own in self.members.items() for each in own}
        self.lowest = {unit: in_order(own)[0] for unit, own in self.members.items()}
        self.edges = [(edge[0], edge[1]) for edge in answer["edges"]]
        self.states = {unit: self._state(own) for unit, own in self.members.items()}

    def faults(self) -> list[str]:
        """Return everything that is wrong with the answer."""
        if sorted(self.unit_of) != sorted(self.obligations) or len(self.unit_of) != sum(
            len(own) for own in self.members.values()
        ):
            return [f"obligations {sorted(self.obligations)} became {self.members}"]
        checks = (
            *(self._shape, self._records, self._composites, self._edges, self._reasons),
            *(self._dependencies, self._partition, self._order, self._checkpoints, self._scores),
        )
        return [fault for check in checks for fault in check()]

    def _state(self, own: Sequence[str]) -> str:
        states = {self.obligations[each].state for each in own if each in self.obligations}
        if "failed" in states:
            return "failed"
        return "complete" if states == {"complete"} else "pending"

    def _units(self, ids: Iterable[str]) -> list[str]:
        return sorted(ids, key=lambda unit: order_of_ids(self.lowest[unit]))

    def _between_units(self, pairs: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
        mapped = {(self.unit_of[a], self.unit_of[b]) for a, b in pairs}
        return {(a, b) for a, b in mapped if a != b}

    def _shape(self) -> Iterator[str]:
        if tuple(self.answer) != KEYS:
            yield f"keys {tuple(self.answer)}"
        if json.loads(json.dumps(self.answer)) != self.answer:
            yield "the answer is not plain JSON"
        for each in self.answer["advice"]:
            if tuple(each) != FINDING or not each["message"] or not each["fix"]:
                yield f"advice {each}"
        if list(self.members) != self._units(self.members):
            yield f"nodes are not in the order of ids: {list(self.members)}"

    def _records(self) -> Iterator[str]:
        for node in self.answer["nodes"]:
            for part in (node, *node.get("members", ())):
                optional = {"derived"} if part.get("derived") else set()
                if part is node and "members" in node:
                    optional |= {"cycle_collapsed", "members"}
                if set(part) != {*FIELDS, *optional}:
                    yield f"{part['id']} has the fields {list(part)}"
            for part in node.get("members", [node]):
                given = self.obligations[part["id"]]
                for name in KEPT:
                    if part[name] != given.record[name]:
                        yield f"{part['id']}: {name} {given.record[name]!r} became {part[name]!r}"
                if part["state"] != given.state:
                    yield f"{part['id']}: state {given.state} became {part['state']}"
            if node["state"] != self.states[node["id"]]:
                yield f"{node['id']}: state {node['state']}, not {self.states[node['id']]}"

    def _composites(self) -> Iterator[str]:
        composites = {unit: own for unit, own in self.members.items() if len(own) > 1}
        listed = {each["id"]: each["members"] for each in self.answer["composites"]}
        if list(listed.items()) != [(unit, composites[unit]) for unit in self._units(composites)]:
            yield f"composites {listed}, nodes say {composites}"
        for node in self.answer["nodes"]:
            own = self.members[node["id"]]
            if ("members" in node) != (len(own) > 1) or own != in_order(own):
                yield f"{node['id']} has the members {own}"
            expected = f"cycle:{own[0]}" if len(own) > 1 else own[0]
            if node["id"] != expected or node.get("cycle_collapsed", False) != (len(own) > 1):
                yield f"a node of {own} is called {node['id']}"
        for ring in cycles_of(self.declared):
            if len({self.unit_of[each] for each in ring}) != 1:
                yield f"{sorted(ring)} depend on each other and are not one unit"
        for each in self.answer["composites"]:
            bonds = nx.DiGraph()
            bonds.add_nodes_from(each["members"])
            for reason in each["reasons"]:
                bonds.add_edge(*reason["edge"])
                if reason["rule"] == "together":
                    bonds.add_edge(*reversed(reason["edge"]))
            if sorted(bonds) != sorted(each["members"]) or not nx.is_strongly_connected(bonds):
                yield f"the reasons of {each['id']} do not bind its members: {each['reasons']}"

    def _edges(self) -> Iterator[str]:
        graph = nx.DiGraph(self.edges)
        if len(set(self.edges)) != len(self.edges) or not set(graph) <= set(self.members):
            yield f"edges {self.edges}"
            return
        place = {unit: index for index, unit in enumerate(self.members)}
        if self.edges != sorted(self.edges, key=lambda edge: (place[edge[0]], place[edge[1]])):
            yield f"edges are not in the order of ids: {self.edges}"
        if not nx.is_directed_acyclic_graph(graph):
            yield f"edges form a cycle: {nx.find_cycle(graph)}"
            return
        declared = self._between_units(self.declared)
        if not declared <= set(self.edges):
            yield f"declared edges are missing: {sorted(declared - set(self.edges))}"
        early = {
            after
            for before, after in {*self.edges, *declared}
            if self.states[after] == "complete" and self.states[before] != "complete"
        }
        for edge in set(self.edges) - declared:
            held = graph.copy()
            held.remove_nodes_from(early - set(edge))
            held.remove_edge(*edge)
            graph.remove_edge(*edge)
            if nx.has_path(held, *edge):
                yield f"the derived edge {edge} is said by a longer path"
            graph.add_edge(*edge)

    def _reasons(self) -> Iterator[str]:
        declared = self._between_units(self.declared)
        said: dict[tuple[str, str], set[str]] = {}
        for reason in self.answer["reasons"]:
            edge = (reason["edge"][0], reason["edge"][1])
            said.setdefault(edge, set()).add(reason["reason"])
            if not reason["rule"] or not reason["text"]:
                yield f"an empty reason: {reason}"
            pair = reason.get("obligations", edge)
            if tuple(self.unit_of.get(each) for each in pair) != edge:
                yield f"a reason about other obligations: {reason}"
        if set(said) != set(self.edges):
            yield f"reasons for {sorted(said)}, edges {self.edges}"
        if {edge for edge, words in said.items() if "declared" in words} != declared:
            yield f"reasons call other edges declared than {sorted(declared)}: {said}"

    def _dependencies(self) -> Iterator[str]:
        declared = self._between_units(self.declared)
        for node in self.answer["nodes"]:
            unit = node["id"]
            needs = self._units(a for a, b in self.edges if b == unit)
            derived = [each for each in needs if (each, unit) not in declared]
            if node["dependencies"] != needs or node.get("derived", []) != derived:
                yield f"{unit} writes {node['dependencies']}, {node.get('derived')}, not {needs}"
            for part in node.get("members", ()):
                if "derived" in part:
                    yield f"the member {part['id']} writes derived dependencies"
                pairs = [a for a, b in self.declared if b == part["id"] and a != b]
                expected = {a if a in self.members[unit] else self.unit_of[a] for a in pairs}
                if set(part["dependencies"]) != expected:
                    yield f"the member {part['id']} writes {part['dependencies']}, not {expected}"

    def _partition(self) -> Iterator[str]:
        before: dict[str, set[str]] = {unit: set() for unit in self.members}
        for a, b in {*self.edges, *self._between_units(self.declared)}:
            before[b].add(a)
        expected: dict[str, list[str]] = {"ready": [], "blocked": [], "alternative": []}
        for unit, own in self.members.items():
            if self.states[unit] != "pending":
                continue
            if any(self.obligations[each].record["status"] == "alternative" for each in own):
                expected["alternative"].append(unit)
            elif any(self.states[each] != "complete" for each in before[unit]):
                expected["blocked"].append(unit)
            else:
                expected["ready"].append(unit)
        for name, units in expected.items():
            if self.answer[name] != self._units(units):
                yield f"{name} is {self.answer[name]}, not {self._units(units)}"
        for node in self.answer["nodes"]:
            unit = node["id"]
            status = next((name for name in expected if unit in expected[name]), "ready")
            own = [self.obligations[each].record for each in self.members[unit]]
            if own[0]["status"] == "alternative":
                status = "alternative"
            for part in (node, *node.get("members", ())):
                if part["status"] != status:
                    yield f"{part['id']} has the status {part['status']}, not {status}"
        dead: set[str] = set()
        for _ in self.members:
            dead |= {
                unit
                for unit in expected["blocked"]
                if any(self.states[each] == "failed" or each in dead for each in before[unit])
            }
        if self.answer["stranded"] != self._units(dead):
            yield f"stranded is {self.answer['stranded']}, not {self._units(dead)}"

    def _order(self) -> Iterator[str]:
        walk = list(self.answer["order"])
        open_units = {*self.answer["ready"], *self.answer["blocked"]}
        left = open_units - set(self.answer["stranded"])
        if sorted(walk) != sorted(left):
            yield f"the order {walk} does not walk {self._units(left)}"
            return
        needs = {
            unit: {a for a, b in self.edges if b == unit and self.states[a] != "complete"}
            for unit in left
        }
        done: set[str] = set()
        for unit in walk:
            available = [each for each in left - done if needs[each] <= done]
            if not available or unit != self._units(available)[0]:
                yield f"the order {walk} takes {unit}, available are {self._units(available)}"
                return
            done.add(unit)

    def _checkpoints(self) -> Iterator[str]:
        done = sum(state == "complete" for state in self.states.values())
        expected = [
            f"step-{number}:{unit}" for number, unit in enumerate(self.answer["order"], done + 1)
        ][:MOST_CHECKPOINTS]
        if "failed" in self.states.values():
            expected = []
        found = self.answer["checkpoints"]
        if found != expected or not all(re.fullmatch(r"step-[1-9]\d*:\S+", each) for each in found):
            yield f"checkpoints {found}, not {expected}"

    def _scores(self) -> Iterator[str]:
        scores = self.answer["branch_scores"]
        if list(scores) != self.answer["alternative"]:
            yield f"branch scores of {list(scores)}, alternatives {self.answer['alternative']}"
        if not all(isinstance(each, float) and 0 <= each <= 1 for each in scores.values()):
            yield f"branch scores {scores}"


def faults(plan: Document, answer: Document) -> list[str]:
    """Return everything that is wrong with an answer; nothing for a valid schedule."""
    return Checker(plan, answer).faults()


def faults_of_error(plan: Document, error: Document) -> list[str]:
    """Return what is wrong with the wire form of a refusal."""
    found: list[str] = []
    body = error["error"]
    if tuple(body) != (*("code", "phase", "message", "fix", "retryable", "detail"), "violations"):
        found.append(f"keys {tuple(body)}")
    if json.loads(json.dumps(error)) != error:
        found.append("the error is not plain JSON")
    ids = set(obligations(plan))
    subjects = {*ids, *(f"cycle:{each}" for each in ids), "plan", "requirement"}
    if not body["violations"] or body["violations"][0]["code"] != body["code"]:
        found.append(f"{body['code']} with the violations {body['violations']}")
    for each in (body, *body["violations"]):
        sentences = (each["message"], each["fix"])
        if not re.fullmatch(r"[A-Z][A-Z0-9_]*", each["code"]) or not all(sentences):
            found.append(f"a violation {each}")
        if not "".join(sentences).isprintable():
            found.append(f"a message {sentences}")
    for each in body["violations"]:
        if tuple(each) != FINDING or each["subject"] not in subjects:
            found.append(f"a violation of {each['subject']}: {each}")
    return found
