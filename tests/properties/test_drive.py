"""Random plans under random passes, failures, replans, revisions, promotions, rollbacks, crashes.

After each step the plan is loaded anew and held to what no sequence may break. What an operation
may touch is worked out here with networkx from the plan before it, not asked of the rules.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import networkx as nx
from driving import NOW, REQUIREMENT, Checks, diamond, document, lines, proof, step, written
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from properties.checker import in_order
from properties.strategies import evidence, records, tries

from plan07 import evidence as evidence_
from plan07 import rulebook
from plan07.decompose import Decomposition, no_op
from plan07.driver import Driver
from plan07.errors import InputError, PlanRefused
from plan07.outcomes import GateBroken
from plan07.prompt import Fragment
from plan07.state import Store

VERDICTS = {"complete", "awaiting_confirmation", "stalled", "needs_rescope"}
REFUSALS = (PlanRefused, InputError, GateBroken)
POINTS = ("before the audit", "between audit and plan", "after the plan")
CRASHES = st.sampled_from((None, None, None, None, None, None, *POINTS))


class Crash(Exception):
    """The process ends here."""


class Fragile(Store):
    """A store that may crash at a point of the next save."""

    crash: str | None = None

    def _append(self, *arguments: Any) -> Any:
        self._reach("before the audit")
        return super()._append(*arguments)

    def _replace(self, path: str, data: bytes) -> None:
        if path == self.path:
            self._reach("between audit and plan")
        super()._replace(path, data)
        if path == self.path:
            self._reach("after the plan")

    def _reach(self, point: str) -> None:
        if self.crash == point:
            self.crash = None
            raise Crash(point)


def members(node: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(node.get("members", (node,)))


class Drives(RuleBasedStateMachine):
    """One plan on the disk, and everything that may become of it."""

    @initialize(data=st.data())
    def plan(self, data: st.DataObject) -> None:
        self.directory = tempfile.TemporaryDirectory()
        made = data.draw(records(wordy=False, cyclic=data.draw(st.booleans()), most=7))
        for each in made:
            each["validation"] = proof(each["id"])
        requirement = {**REQUIREMENT, "needs_confirmation": data.draw(st.booleans())}
        known = data.draw(st.none() | evidence([x["target_entity"] for x in made], []))
        path = Path(self.directory.name, "plan.json")
        try:
            self.path = written(path, *made, requirement=requirement, evidence=known)
            usable = len(made) > 3
        except PlanRefused:
            usable = False
        if not usable:
            path = path.with_name("other.json")
            self.path = written(path, *FALLBACK, requirement=requirement)
        self.store = Fragile(self.path)
        self.checks = Checks()
        self.answer: Callable[[Fragment], Decomposition] = lambda fragment: no_op("nothing")
        self.revision = 0
        self.number = 100

    def teardown(self) -> None:
        if hasattr(self, "directory"):
            self.directory.cleanup()

    def driver(self) -> Driver:
        more = {"run": self.checks, "replanner": self.answer}
        return Driver(self.store, rulebook.load(), lambda: NOW, **more)

    def now(self) -> dict[str, Any]:
        return document(self.path)

    def some(self, field: str, value: str) -> bool:
        return any(node[field] == value for node in self.now()["nodes"])

    def do(self, operation: Callable[[Driver], Any], crash: str | None = None) -> bool:
        """Return whether an operation was done; one that was refused has left the plan alone."""
        before = Path(self.path).read_bytes()
        self.store.crash = crash
        try:
            operation(self.driver())
        except Crash:
            return True
        except REFUSALS:
            assert Path(self.path).read_bytes() == before
            return False
        finally:
            self.store.crash = None
        return True

    def fresh(self, *dependencies: str, **more: Any) -> dict[str, Any]:
        self.number += 1
        return step(f"N{self.number}", *dependencies, **more)

    def graph(self, plan: Mapping[str, Any]) -> nx.DiGraph:
        found = nx.DiGraph()
        for node in plan["nodes"]:
            found.add_node(node["id"])
            found.add_edges_from((each, node["id"]) for each in node["dependencies"])
        return found

    def held(
        self,
        operation: Callable[[Driver], Any],
        crash: str | None,
        scope: Callable[[Mapping[str, Any]], set[str]],
    ) -> None:
        """Do an operation and see that only nodes of its scope have become different."""
        before, old = self.now(), lines(self.path)
        if not self.do(operation, crash):
            return
        allowed = scope(before)
        new = lines(self.path)
        parts = {x["id"]: n["id"] for n in self.now()["nodes"] for x in members(n)}
        units = {n["id"]: [x["id"] for x in members(n)] for n in before["nodes"]}
        for name, line in old.items():
            if name in allowed or allowed.issuperset(units[name]) or new.get(name) == line:
                continue
            assert name in new, f"{name} is gone"
            was, is_ = json.loads(line), json.loads(new[name])
            # What waited for it may stand elsewhere now, and its place in the plan may have moved.
            wanted = {parts[x] for each in was["dependencies"] for x in units[each] if x in parts}
            assert set(is_["dependencies"]) == wanted, name
            for each in (was, is_, *members(was), *members(is_)):
                for field in ("status", "dependencies", "derived"):
                    each.pop(field, None)
            assert was == is_, name

    # What happens

    @rule(crash=CRASHES)
    def passes(self, crash: str | None) -> None:
        self.checks.failing.clear()
        exposed = self.driver().standing()[1].exposed
        if exposed is not None:
            self.held(
                lambda driver: driver.validate(exposed, lambda: f"commit of {exposed}"),
                crash,
                lambda plan: {exposed},
            )

    @rule(
        data=st.data(),
        kind=st.sampled_from(("nothing", "same", "smaller", "redefines", "before", "ring")),
        crash=CRASHES,
    )
    def fails(self, data: st.DataObject, kind: str, crash: str | None) -> None:
        _, standing = self.driver().standing()
        due = [*([standing.exposed] if standing.exposed else []), *standing.parts["failed"]]
        if not due:
            return
        node = data.draw(st.sampled_from(due))
        plan = self.now()
        inside = next(each for each in plan["nodes"] if each["id"] == node)
        self.checks.failing = {each["validation"] for each in members(inside)}
        untouched = [n for n in plan["nodes"] if n["id"] != node]
        self.answer = lambda fragment: self.replan(fragment, kind, untouched)
        self.held(
            lambda driver: driver.validate(node),
            crash,
            lambda plan: {node, *nx.descendants(self.graph(plan), node)},
        )

    def replan(self, fragment: Fragment, kind: str, others: list[Any]) -> Decomposition:
        plain = [
            {key: value for key, value in node.items() if key not in ("state", "derived")}
            for node in fragment.nodes
        ]
        inside = {node["id"] for node in plain}
        for node in plain:
            node["dependencies"] = [each for each in node["dependencies"] if each in inside]
        outside = [x["id"] for each in others for x in members(each) if x["id"] not in inside]
        first = self.fresh()
        answers = {
            "nothing": [],
            "same": plain,
            "smaller": [first, self.fresh(first["id"])],
            "redefines": [step(outside[0])] if outside else plain,
            "before": [self.fresh(*outside[:2])],
            "ring": [{**first, "dependencies": ["N999"]}, step("N999", first["id"])],
        }
        chosen = answers[kind]
        return Decomposition({"obligations": chosen}) if chosen else no_op("nothing")

    @precondition(lambda self: self.some("state", "failed"))
    @rule(data=st.data(), crash=CRASHES)
    def mended(self, data: st.DataObject, crash: str | None) -> None:
        failed = [node["id"] for node in self.now()["nodes"] if node["state"] == "failed"]
        node = data.draw(st.sampled_from(failed))
        self.checks.failing.clear()
        self.held(lambda driver: driver.validate(node), crash, lambda plan: {node})

    @rule(data=st.data(), crash=CRASHES)
    def falsified(self, data: st.DataObject, crash: str | None) -> None:
        parts = [x["id"] for n in self.now()["nodes"] for x in members(n)]
        gone = data.draw(st.sets(st.sampled_from(parts), min_size=1, max_size=2))
        self.revised(lambda driver: driver.feedback(NONE, falsified=sorted(gone)), gone, crash)

    @rule(data=st.data(), crash=CRASHES)
    def added(self, data: st.DataObject, crash: str | None) -> None:
        plan = self.now()
        parts = [x for n in plan["nodes"] for x in members(n)]
        ids = [x["id"] for x in parts if x["status"] != "alternative"]
        needs = data.draw(st.lists(st.sampled_from(ids), max_size=2, unique=True)) if ids else []
        target = data.draw(st.sampled_from([x["target_entity"] for x in parts]))
        record = self.fresh(*needs, target=target)
        self.revised(
            lambda driver: driver.feedback(NONE, additions=[record]),
            {*needs, *(x["id"] for x in parts if x["target_entity"] == target)},
            crash,
        )

    @rule(data=st.data(), crash=CRASHES)
    def told(self, data: st.DataObject, crash: str | None) -> None:
        parts = [x for n in self.now()["nodes"] for x in members(n)]
        known = data.draw(evidence([x["target_entity"] for x in parts], []))
        known.pop("tests", None)
        found = evidence_.inline(known)
        # A breaker, whoever mends it and what is added stand on the ends of these edges.
        ends = {end for each in known["edges"] for end in (each["from"], each["to"])}
        ends |= {each["entity"] for each in known.get("changes", ())}
        near = {x["id"] for x in parts if any(related(x["target_entity"], e) for e in ends)}
        self.revised(lambda driver: driver.feedback(found), near, crash)
        if crash is None:
            settled = self.now()
            self.do(lambda driver: driver.feedback(found))
            assert self.now() == settled, "the same evidence twice"

    def revised(
        self, operation: Callable[[Driver], Any], moved: set[str], crash: str | None
    ) -> None:
        def scope(plan: Mapping[str, Any]) -> set[str]:
            unit = {x["id"]: n["id"] for n in plan["nodes"] for x in members(n)}
            target = {x["id"]: x["target_entity"] for n in plan["nodes"] for x in members(n)}
            links = self.links()
            graph = self.graph(plan)
            near = {unit[each] for each in moved}
            for each in list(near):
                near |= {*graph.predecessors(each), *graph.successors(each)}
            for each in moved:
                for other, entity in target.items():
                    pair = (target[each], entity)
                    if entity == target[each] or any(both(pair, link) for link in links):
                        near.add(unit[other])
            return near

        self.held(operation, crash, scope)

    def links(self) -> list[tuple[str, str]]:
        return [(each.source, each.target) for each in self.store.evidence().edges]

    @precondition(lambda self: self.some("state", "failed") and self.some("status", "alternative"))
    @rule(data=st.data(), crash=CRASHES)
    def promoted(self, data: st.DataObject, crash: str | None) -> None:
        plan = self.now()
        alternatives = [n["id"] for n in plan["nodes"] if n["status"] == "alternative"]
        name = data.draw(st.sampled_from(alternatives))
        # Only what failed is replaced, and only what waited for it moves.
        failed = {n["id"] for n in plan["nodes"] if n["state"] == "failed"}
        graph = self.graph(plan)
        near = {name, *failed, *(x for each in failed for x in graph.successors(each))}
        self.held(lambda driver: driver.promote(name), crash, lambda plan: near)

    @precondition(lambda self: bool(self.now()["checkpoints"]))
    @rule(data=st.data(), crash=CRASHES)
    def rolled_back(self, data: st.DataObject, crash: str | None) -> None:
        plan = self.now()
        marker = data.draw(st.sampled_from(plan["checkpoints"]))
        every = {n["id"] for n in plan["nodes"]}
        self.held(lambda driver: driver.rollback(marker), crash, lambda plan: every)
        if crash is None:
            assert self.now()["checkpoints"][-1] == marker
            assert not [n for n in self.now()["nodes"] if n["state"] == "failed"]

    @precondition(lambda self: self.now()["requirement"].get("needs_confirmation"))
    @rule(crash=CRASHES)
    def confirmed(self, crash: str | None) -> None:
        self.held(lambda driver: driver.confirm(), crash, lambda plan: set())

    @rule(crash=CRASHES, count=st.integers(1, 6))
    def edited(self, crash: str | None, count: int) -> None:
        exposed = self.driver().standing()[1].exposed
        if exposed is not None:
            files = [f"src/{number}.py" for number in range(count)]
            self.held(lambda driver: driver.edit(exposed, files), crash, lambda plan: set())

    # What always holds

    @invariant()
    def the_plan_is_whole_and_within_its_caps(self) -> None:
        plan = self.now()
        assert Path(self.path).stat().st_size <= 32768
        assert len(plan["nodes"]) <= 64
        assert len(plan["audit"]) <= 64
        assert len(plan["checkpoints"]) <= 32
        assert len(plan["revision_history"]) <= 32
        revisions = [row["rev"] for row in plan["revision_history"]]
        assert revisions == list(range(1, len(revisions) + 1))
        assert max(revisions, default=0) >= self.revision
        self.revision = max(revisions, default=0)

    @invariant()
    def no_dependent_comes_before_its_dependency(self) -> None:
        nodes = {node["id"]: node for node in self.now()["nodes"]}
        for node in nodes.values():
            for each in node["dependencies"]:
                assert each in nodes
                if node["state"] == "complete":
                    assert nodes[each]["state"] == "complete", (each, node["id"])
        assert nx.is_directed_acyclic_graph(self.graph(self.now()))

    @invariant()
    def at_most_one_is_exposed_and_nothing_ready_has_a_reason(self) -> None:
        stored, standing = self.driver().standing()
        assert not stored.notes
        nodes = {node["id"]: node for node in self.now()["nodes"]}
        ready = [
            name
            for name, node in nodes.items()
            if node["state"] == "pending"
            and node["status"] != "alternative"
            and all(nodes[each]["state"] == "complete" for each in node["dependencies"])
        ]
        by_name = {name.removeprefix("cycle:"): name for name in ready}
        expected = [by_name[each] for each in in_order(by_name)]
        assert list(standing.parts["ready"]) == expected
        assert sorted(x for part in standing.parts.values() for x in part) == sorted(nodes)
        try:
            found = self.driver().next()
        except PlanRefused as refused:
            assert refused.code == "NOTHING_READY"
            assert refused.detail["verdict"] in VERDICTS
            assert not expected
            return
        assert found["node_id"] == expected[0] == self.driver().next()["node_id"]

    @invariant()
    def every_accepted_edit_belongs_to_an_obligation(self) -> None:
        plan = self.now()
        for row in plan["audit"]:
            assert row["obligation"] in {node["id"] for node in plan["nodes"]}
            if row["accepted_edit"]:
                assert row["accepted_edit"] == f"commit of {row['obligation']}"


NONE = evidence_.Evidence()
# What is driven where the plan that was drawn is small, or refused.
FALLBACK = (
    *diamond(),
    step("E", "F"),
    step("F", "E", "A"),
    step("G", "F"),
    step("P", target="pkg.B", status="alternative"),
    step("Q", target="pkg.E", status="alternative"),
)


def related(target: str, entity: str) -> bool:
    """Whether two names may stand for the same thing, or one for a part of the other."""
    return target.startswith(entity) or entity.startswith(target)


def both(pair: tuple[str, str], link: tuple[str, str]) -> bool:
    (a, b), (e, f) = pair, link
    return (related(a, e) and related(b, f)) or (related(a, f) and related(b, e))


Drives.TestCase.settings = settings(tries(6), stateful_step_count=14)
TestDrives = Drives.TestCase
