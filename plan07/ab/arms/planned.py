"""plan07: one decomposition outside of the prompt, one obligation at a time, validated.

The product itself, as `plan07 plan` and `plan07 run` put it together: evidence of the working copy,
canonicalization, the one model call, the rules, the driver with its gate. The model is asked with
the edit prompt of the other arms, for the one obligation that is due. After a pass, what the edit
reaches by the impact table revises the plan; after a failure the copy goes back to the last
checkpoint and the model decomposes the affected part again, once for each failure. Where that
comes to nothing, the node is tried again with what failed.

A decomposition that is refused, or comes to nothing, is drafted by rules instead, as
`--decomposer rules` does (option `drafted`). A statement that only somebody can judge is judged by
the repository: it compiles, imports, and passes what it passed before.

Two mechanisms can be left out here (build spec 7.5); the other three are in `ablated`:

- revision trigger: the impact of an edit revises nothing, and a failed node is not decomposed
  again, only tried again.
- local gate: every obligation counts as done once it was edited. When the visible tests fail at the
  end, nothing says where, so the whole plan is walked again from the base.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from plan07 import canonicalize, evidence, ledger, planning, redecompose, solver
from plan07.ab.arms import prompts
from plan07.ab.arms.copy import PATIENCE, WorkingCopy
from plan07.ab.arms.running import Running, told
from plan07.ab.arms.talk import Spent, Stuck
from plan07.ab.records import Mechanism
from plan07.checks import Check
from plan07.document import FIELDS
from plan07.driver import Driver
from plan07.errors import Plan07Error, PlanRefused
from plan07.impact import changed
from plan07.outcomes import GateBroken, Validated
from plan07.rulebook import Rulebook
from plan07.solver import Options
from plan07.state import Store
from plan07.validate import FAIL, PASS, CheckResult, Local, Runner

_TURNS = 100
_DONE = ("complete", "awaiting_confirmation")
# A run is the same whenever it is made; how long a call took is in its record.
_TIME = "2000-01-01T00:00:00Z"
_PLAN = "plan-20000101-0000"


def now() -> str:
    """Return the time that the plans of a comparison carry."""
    return _TIME


class Gate:
    """Runs the checks of the product, and judges statements by the repository.

    Args:
        copy: the working copy.
        local: the product's runner.
    """

    def __init__(self, copy: WorkingCopy, local: Runner) -> None:
        self._copy = copy
        self._local = local

    def __call__(self, check: Check, text: str) -> CheckResult:
        """Return what came of a check."""
        if check.kind != "predicate":
            return self._local(check, text)
        state = self._copy.state()
        why = "" if state.valid else state.failure.splitlines()[0]
        return CheckResult(text, check.kind, PASS if state.valid else FAIL, why)


def waved(check: Check, text: str) -> CheckResult:
    """Pass a check without looking: the gate that is none."""
    return CheckResult(text, check.kind, PASS)


class Plans:
    """What the arms with a plan share: the decomposition, and the product's own hooks.

    Args:
        running: the run.
        folder: where plans are kept, outside of the copy.
        python: the interpreter of the checks.
        seconds: of the processor, the limit of one check.
        drafted: rules draft what a model's decomposition did not come to.
    """

    def __init__(
        self, running: Running, folder: str, python: str, seconds: float, drafted: bool
    ) -> None:
        self.running = running
        self.options: Options = solver.options(repo=running.copy.root, repair=True)
        self.rules: Rulebook = solver.rules_of(self.options)
        self.gate = Gate(running.copy, Local(running.copy.root, seconds * PATIENCE, python))
        self._folder = folder
        self._drafted = drafted
        self._count = 0

    def store(self) -> Store:
        """Return the file of another plan."""
        self._count += 1
        return Store(os.path.join(self._folder, f"plan-{self._count}.json"))

    def made(self, store: Store) -> planning.Planned | None:
        """Return the plan of the request, or None where there is none; why is noted.

        Raises:
            Spent: the budget is used up.
            Plan07Error: the model cannot be asked, or the rules are broken.
        """
        running = self.running
        try:
            requirement = canonicalize.canonicalize(running.request)
        except PlanRefused as refused:
            running.notes.append(f"no plan: {refused.code}")
            return None
        known = planning.known(requirement, None, self.options)
        ask = running.talk.asker("decompose", retry=False)
        calls = ledger.File(store.calls_path)
        deciders = [("model", planning.asking(ask, calls, now, lenient=True))]
        deciders += [("rules", planning.by_rules)] if self._drafted else []
        for name, decider in deciders:
            try:
                found = planning.make(requirement, known, decider, self.options, _PLAN)
            except PlanRefused as refused:
                codes = [each.code for each in refused.violations] or [refused.code]
                said = ", ".join(sorted(set(codes)))
                running.notes.append(f"the decomposition by the {name} is refused: {said}")
            else:
                running.notes.append(f"decomposed by the {name}")
                return found
        return None

    def replanner(self, store: Store) -> Callable[..., Any]:
        """Return the product's scoped decomposition by the model."""
        ask = self.running.talk.asker("redecompose", retry=True)
        return redecompose.by_model(store, ask, self.rules, now, lenient=True)


def run(plans: Plans, removed: Mechanism | None) -> None:
    """Work on a request until its plan is complete, nothing is ready or the budget is used up.

    Args:
        plans: of the run.
        removed: revision_trigger, local_gate or None.

    Raises:
        Spent: the budget is used up.
    """
    running = plans.running
    store = plans.store()
    made = plans.made(store)
    if made is None:
        return
    planning.write(store, made, now)
    if removed is Mechanism.LOCAL_GATE:
        _ungated(plans, store, made)
        return
    revises = removed is not Mechanism.REVISION_TRIGGER
    replanner = plans.replanner(store) if revises else None
    driver = Driver(store, plans.rules, now, run=plans.gate, replanner=replanner)
    _Walk(running, driver, revises=revises).walk()


def _ungated(plans: Plans, store: Store, made: planning.Planned) -> None:
    """Walk the plan without a gate, from the base again while the tests fail."""
    running = plans.running
    failure = ""
    while True:
        asked = len(running.talk.calls)
        driver = Driver(store, plans.rules, now, run=waved)
        _Walk(running, driver, revises=True, failure=failure).walk()
        state = running.copy.state()
        if state.done or not state.failure or len(running.talk.calls) == asked:
            return
        failure = state.failure
        running.copy.take_back(running.copy.base)
        store = plans.store()
        planning.write(store, made, now)


class _Walk:
    """Drives a plan to its end.

    Args:
        running: the run.
        driver: of the plan.
        revises: whether evidence and what is left undone revise the plan.
        failure: what a walk before this one failed with; then everything is done again.
    """

    def __init__(
        self, running: Running, driver: Driver, *, revises: bool, failure: str = ""
    ) -> None:
        self._running = running
        self._driver = driver
        self._revises = revises
        self._failure = failure
        self._tries: dict[str, int] = {}
        self._again: set[str] = set()
        # What failed, by the entity, so that a node that replaces another one is told too.
        self._said: dict[str, str] = {}
        self._unmet: set[str] = set()
        self._stuck = ""

    def walk(self) -> None:
        """Work until nothing is ready.

        Raises:
            Spent: the budget is used up.
        """
        for _ in range(_TURNS):
            try:
                shown = self._driver.next()
            except PlanRefused as refused:
                verdict = str(refused.detail.get("verdict", refused.code))
                if verdict in _DONE and self._revises and not self._failure and self._added():
                    continue
                self._running.notes.append(f"the plan is {verdict}")
                return
            if shown["node_id"] == self._stuck:
                self._running.notes.append("there is nothing new to ask")
                return
            self._stuck = ""
            self._attempts(shown)

    def _attempts(self, shown: Mapping[str, Any]) -> None:
        """Work on a node until it passes, is planned anew, or cannot be tried again."""
        node, target = shown["node_id"], shown["target_entity"]
        while True:
            tried = self._tries[node] = self._tries.get(node, 0) + 1
            before = self._running.copy.head()
            edited = False
            try:
                refused = ""
                if self._wants_edit(shown):
                    retry = tried > 1 or node in self._again or bool(self._failure)
                    failure = self._said.get(target, self._failure)
                    part = prompts.obligation(shown)
                    refused = self._running.edit(part, retry=retry, failure=failure)
                    edited = not refused
                done = self._judged(node, refused)
            except Spent as spent:
                self._running.copy.take_back()
                if attempts := tried if edited else tried - 1:
                    self._running.given_up(node, _obligations(shown), attempts)
                if isinstance(spent, Stuck):
                    # Something else may be ready.
                    self._stuck = node
                    return
                raise
            if done.result.outcome == PASS:
                if edited:
                    self._running.stands(node, _obligations(shown), tried)
                    self._revise(before)
                return
            if done.replanned or not shown["permitted_actions"]["edit"]:
                return

    def _wants_edit(self, shown: Mapping[str, Any]) -> bool:
        """Whether there is something to edit: what is to be preserved may hold as it is."""
        if not shown["permitted_actions"]["edit"]:
            return False
        return shown["obligation"] != "preserve" or not self._running.copy.state().valid

    def _judged(self, node: str, refused: str) -> Validated:
        """Have the gate judge an attempt; what failed is taken back, and remembered."""
        driver, copy = self._driver, self._running.copy
        before = {each["id"]: each for each in driver.standing()[0].artifact["nodes"]}
        # As the model left it, before anything is taken back.
        failed = copy.state().failure
        if refused:
            done = driver.reject(node, refused)
        else:
            try:
                done = driver.validate(node, lambda: copy.commit(node))
            except GateBroken as broken:
                done = driver.reject(node, broken.message)
        if done.result.outcome == PASS:
            return done
        copy.take_back()
        reason = done.result.reason
        said = failed if reason in failed else told(reason, failed)
        self._said[before[node]["target_entity"]] = said
        self._again.add(node)
        for each in driver.standing()[0].artifact["nodes"]:
            old = before.get(each["id"])
            if old is None or _content(old) != _content(each):
                self._again.add(each["id"])
                self._said.setdefault(each["target_entity"], said)
        return done

    def _revise(self, before: str) -> None:
        """Let what an edit reaches revise the plan (build spec 3.6)."""
        if not self._revises:
            return
        driver = self._driver
        place = f"{driver.store.path}.impact.json"
        try:
            reached = changed.since(self._running.copy.root, before, driver.rules)
            driver.store.keep(place, reached)
            found = evidence.encode("impact", place, ())
            said = driver.feedback(found, because="what the edit reaches")
        except Plan07Error as error:
            said = f"no revision: {error.code}"
        if said:
            self._running.notes.append(said[:200])

    def _added(self) -> bool:
        """Add the tests that fail though the plan is complete as an obligation; whether it did."""
        state = self._running.copy.state()
        tests = " ".join(sorted(state.outcomes.failed)) or "tests"
        if state.done or tests in self._unmet:
            return False
        self._unmet.add(tests)
        record = dict.fromkeys(FIELDS, "") | {
            "id": f"V{len(self._unmet)}",
            "target_entity": sorted(state.outcomes.failed or {"tests": ""})[0][:200],
            "obligation": "validate",
            "caused_by": "the tests fail though the plan is complete",
            "dependencies": [],
            "status": "ready",
            "validation": tests if len(tests) <= 200 else "tests",
        }
        try:
            return bool(self._driver.feedback(evidence.Evidence(), additions=[record]))
        except PlanRefused as refused:
            self._running.notes.append(f"no revision: {refused.code}")
            return False


def _obligations(shown: Mapping[str, Any]) -> list[str]:
    return [each["node_id"] for each in shown.get("members", [shown])]


def _content(node: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a node asks for, whatever became of it."""
    return tuple(str(node[name]) for name in FIELDS if name not in ("dependencies", "status"))
