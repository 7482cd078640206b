"""The arm plan07, simulated: the real planner, driver, gate, scoped replan and revision at work.

Only the model and the tests are simulated. The request is canonicalized, the decomposition is asked
for by plan07's own prompt and read by its own reader, the rules order it, and the driver hands out
one obligation at a time. What happens without each of the five mechanisms:

- revision_trigger: what an edit breaks is not fed back; the acceptance tests find it at the end.
- externalized_plan: the plan lives in the model's context. Every prompt carries the whole of it, a
  failure has the whole request decomposed again, and some steps are forgotten.
- typed_artifacts: obligations are lines of prose. They name no entity that evidence could order,
  declare no dependency, and what proves them done is a sentence that no gate can run: believed.
- dependency_ordering: neither declared dependencies nor evidence order anything; obligations are
  worked on in the order in which the model names them.
- local_gate: every node counts as done once it was edited, and nothing is taken back.

When everything counts as done and the acceptance tests fail, what they name is planned and worked
on anew, as a round; there are as many rounds as attempts. All of a round after the first is a
retry, as far as it was worked on before.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from plan07 import evidence as evidence_
from plan07 import ledger, planning, prompt, redecompose, solver
from plan07 import state as state_
from plan07.ab.records import Mechanism, Purpose
from plan07.ab.simulated import texts
from plan07.ab.simulated.recorder import Recorder
from plan07.ab.simulated.world import World
from plan07.canonicalize import canonicalize
from plan07.checks import Check
from plan07.decompose import Decomposition, no_op
from plan07.document import FIELDS
from plan07.driver import Driver
from plan07.errors import PlanRefused
from plan07.llm.call import Call
from plan07.prompt import Fragment
from plan07.scope import members
from plan07.validate import CheckResult

_TIME = "2000-01-01T00:00:00Z"
_PLAN_ID = "plan-20000101-0000"


def run(world: World, written: Recorder, removed: Mechanism | None) -> bool:
    """Return whether the request is fulfilled in the end.

    Args:
        world: the repository.
        written: where calls and steps are written down.
        removed: the mechanism to do without.
    """
    wanted = world.emitted()
    for attempt in range(world.assumed.attempts):
        with tempfile.TemporaryDirectory(prefix="plan07-ab-") as folder:
            path = os.path.join(folder, "plan.json")
            if not _Round(world, written, removed, path, wanted, attempt > 0).done():
                return not world.open()
        wanted = [each for each in world.needs if each in world.open()]
        if not wanted:
            return True
    return False


class _Round:
    """One plan, from the request to where nothing is left to do.

    Args:
        world: the repository.
        written: where calls and steps are written down.
        removed: the mechanism to do without.
        path: of the plan.
        wanted: the entities that the model names, in its order.
        again: it does again what an earlier round did.
    """

    def __init__(
        self,
        world: World,
        written: Recorder,
        removed: Mechanism | None,
        path: str,
        wanted: Sequence[str],
        again: bool,
    ) -> None:
        self._world = world
        self._written = written
        self._removed = removed
        self._again = again
        self._ids = {f"O{number}": entity for number, entity in enumerate(wanted, 1)}
        self._store = state_.Store(path)
        self._options = solver.Options()
        self._rules = solver.rules_of(self._options)
        self._records = texts.obligations(
            world, list(wanted), typed=removed is not Mechanism.TYPED_ARTIFACTS
        )
        self._fragment: Fragment | None = None
        self._gated: dict[str, list[str]] = {}

    def done(self) -> bool:
        """Work until nothing is ready; return whether every node counts as done."""
        try:
            self._plan()
        except PlanRefused as refused:
            if refused.code != "RE_DECOMPOSE":
                raise
            return False
        driver = Driver(self._store, self._rules, _now, run=self._check, replanner=self._replan)
        while True:
            try:
                shown = driver.next()
            except PlanRefused:
                return driver.standing()[1].verdict in ("complete", "awaiting_confirmation")
            self._work(driver, shown)

    def _plan(self) -> None:
        request = texts.request(self._world)
        if self._removed is Mechanism.TYPED_ARTIFACTS:
            requirement = {
                "goal": " ".join(request.split())[:500],
                "acceptance_criteria": ["the request is fulfilled"],
                "constraints": [],
            }
        else:
            requirement = canonicalize(request)
        known = evidence_.inline({"edges": self._edges()})
        made = planning.make(requirement, known, self._decompose, self._options, _PLAN_ID)
        planning.write(self._store, made, _now)

    def _edges(self) -> list[dict[str, Any]]:
        """The evidence: what depends on what, as far as it is known before an edit."""
        if self._removed is Mechanism.DEPENDENCY_ORDERING:
            return []
        world, inside = self._world, set(self._ids.values())
        found = [
            texts.foreseen(need, each)
            for each in world.foreseen
            for need in world.needs[each]
            if {need, each} <= inside
        ]
        return found + [
            edge
            for each, dependent in world.hidden.items()
            if {each, dependent} <= inside
            for edge in texts.surprising(each, dependent)
        ]

    def _decompose(
        self, requirement: Mapping[str, Any], evidence: evidence_.Evidence, rules: Any
    ) -> Decomposition:
        if self._removed is Mechanism.TYPED_ARTIFACTS:
            asked = "\n".join([texts.LISTING, texts.request(self._world)])
            told = texts.steps(self._world, list(self._ids.values()))
            self._written.call("decompose", asked, told, retry=self._again)
            return Decomposition({"obligations": self._records})
        if self._removed is Mechanism.DEPENDENCY_ORDERING:
            self._records = [{**each, "dependencies": []} for each in self._records]
        decomposer = planning.asking(self._answer, ledger.Memory(), _now)
        return decomposer(requirement, evidence, rules)

    def _answer(self, call: Call) -> str:
        """The model: names its obligations, all of them or those of a fragment."""
        fragment = self._fragment
        records = self._records if fragment is None else _fields(fragment.nodes)
        told = texts.reply(self._garbled(records))
        told = self._written.cut(told, call.max_completion_tokens)
        purpose: Purpose = "decompose" if fragment is None else "redecompose"
        retry = self._again or fragment is not None
        self._written.call(purpose, f"{call.system}\n{call.user}", told, retry=retry)
        return told

    def _garbled(self, records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The records as a model writes them: now and then one lacks a field."""
        calls = str(len(self._written.calls))
        rate = self._world.assumed.malformed
        return [
            {name: value for name, value in each.items() if name != "validation"}
            if self._world.happens(rate, "malformed", each["id"], calls)
            else dict(each)
            for each in records
        ]

    def _work(self, driver: Driver, shown: Mapping[str, Any]) -> None:
        """Edit a node, feed back what its edit broke, and have the gate judge it."""
        before = dict(self._world.standing)
        node, entities = shown["node_id"], self._entities(shown["node_id"])
        if self._forgets(node):
            self._gated[node] = []
            driver.validate(node)
            return
        self._edit(shown, entities)
        if self._surprised(driver, entities):
            shown = driver.next()
            node, fresh = shown["node_id"], self._entities(shown["node_id"])
            self._edit(shown, [each for each in fresh if each not in entities])
            entities = fresh
        self._gated[node] = entities
        done = driver.validate(node)
        tries = max(self._world.tries[each] for each in entities)
        if done.result.outcome == "pass":
            self._written.step(node, entities, attempts=tries)
            return
        self._world.standing = before
        if not done.replanned:
            self._written.step(node, entities, attempts=tries, applied=False)

    def _edit(self, shown: Mapping[str, Any], entities: Sequence[str]) -> None:
        world = self._world
        retry = any(world.tries[each] for each in entities)
        said = texts.failures(world, [each for each in entities if world.tries[each]])
        if self._removed is Mechanism.EXTERNALIZED_PLAN:
            task = f"The plan:\n{self._whole_plan()}\n\nDo step {shown['node_id']}."
        else:
            task = texts.exposed(shown)
        asked = "\n".join([texts.NODE, task, said, texts.sources(entities)])
        world.edit(entities)
        self._written.call("edit", asked, texts.edits(world, entities), retry=retry)

    def _surprised(self, driver: Driver, entities: Sequence[str]) -> bool:
        """Feed back what an edit has broken, as impact analysis sees it; return if it changes."""
        if self._removed is Mechanism.REVISION_TRIGGER:
            return False
        world = self._world
        found = [
            edge
            for each in entities
            if (dependent := world.hidden.get(each, each)) not in {*world.standing, *entities}
            for edge in texts.surprising(each, dependent)
        ]
        if not found:
            return False
        try:
            return bool(driver.feedback(evidence_.inline({"edges": found})))
        except PlanRefused:
            # The plan was revised as often as it may be.
            return False

    def _forgets(self, node: str) -> bool:
        return self._removed is Mechanism.EXTERNALIZED_PLAN and self._world.happens(
            self._world.assumed.forgotten, "forgotten", node, str(self._again)
        )

    def _check(self, check: Check, text: str) -> CheckResult:
        """Run a test: it finds its entity broken, or not."""
        tested = [each for each in self._world.needs if texts.proof(each) in check.args]
        if self._removed is Mechanism.LOCAL_GATE or not self._worked_on(tested):
            return CheckResult(text, check.kind, "pass", "", 0)
        failing = self._world.fails(tested)
        if not failing:
            return CheckResult(text, check.kind, "pass", "", 0)
        return CheckResult(text, check.kind, "fail", texts.failure(self._world, failing[0]), 1)

    def _worked_on(self, tested: Sequence[str]) -> bool:
        """Whether somebody looks: a step that was forgotten is taken for done."""
        return any(each in entities for entities in self._gated.values() for each in tested)

    def _replan(self, fragment: Fragment) -> Decomposition:
        """Decompose the affected part again, once more for each failure, while attempts last."""
        entities = self._entities(fragment.failed)
        if max(self._world.tries[each] for each in entities) >= self._world.assumed.attempts:
            return no_op("the attempts are used up")
        if self._removed is Mechanism.EXTERNALIZED_PLAN:
            requirement = self._store.load().artifact["requirement"] or {}
            asked = prompt.build(requirement, self._store.evidence(), self._rules)
            told = texts.reply(self._records)
            said = texts.failures(self._world, entities)
            whole = f"{asked.system}\n{asked.user}{said}"
            self._written.call("redecompose", whole, told, retry=True)
            return Decomposition({"obligations": _fields(fragment.nodes)})
        self._fragment = fragment
        try:
            again = redecompose.by_model(self._store, self._answer, self._rules, _now)
            return again(fragment)
        finally:
            self._fragment = None

    def _entities(self, node: str) -> list[str]:
        """The entities that a node of the plan is about."""
        artifact = self._store.load().artifact
        found = next(each for each in artifact["nodes"] if each["id"] == node)
        return [
            part["target_entity"]
            if part["target_entity"] in self._world.needs
            else self._ids[part["id"]]
            for part in members(found)
        ]

    def _whole_plan(self) -> str:
        nodes = self._store.load().artifact["nodes"]
        return "\n".join(
            f"{node['id']} ({node['state']}) {node['obligation']} {part['target_entity']}, after "
            f"{', '.join(node['dependencies']) or 'nothing'}; {part['validation']}"
            for node in nodes
            for part in members(node)
        )


def _fields(nodes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Obligations of a fragment as a model gives them again, what waits outside left out."""
    inside = {node["id"] for node in nodes}
    return [
        {name: node[name] for name in FIELDS}
        | {"dependencies": [each for each in node["dependencies"] if each in inside]}
        for node in nodes
    ]


def _now() -> str:
    return _TIME
