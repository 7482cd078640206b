"""Build spec 3.5, the local validation gate, sentence by sentence."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import repositories
from support import obligation

from plan07 import Cancelled, Planner
from plan07.checks import Check
from plan07.outcomes import GateBroken
from plan07.validate import CheckResult

NOW = "2026-09-05T14:12:00Z"


def node(identifier: str, *dependencies: str, **more: Any) -> dict[str, Any]:
    return obligation(
        identifier, None, dependencies, validation=f"tests/test_{identifier}.py", **more
    )


# A diamond, and a node beside it.
PLAN = (node("A"), node("B", "A"), node("C", "A"), node("D", "B", "C"), node("E"))


class Gate:
    """A runner that judges by a script, and notes the order in which it is asked."""

    def __init__(self, **outcomes: str) -> None:
        self.outcomes = outcomes
        self.asked: list[str] = []

    def __call__(self, check: Check, text: str) -> CheckResult:
        name = text.removeprefix("tests/test_").removesuffix(".py")
        self.asked.append(name)
        outcome = self.outcomes.get(name, "pass")
        return CheckResult(text, check.kind, outcome, "" if outcome == "pass" else f"{name} is bad")


Opened = Callable[..., Planner]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return repositories.planned(tmp_path / "plan.json", *PLAN)


@pytest.fixture
def opened(path: Path) -> Opened:
    def open_plan(run: Gate, **more: Any) -> Planner:
        return Planner.open(path, run=run, now=lambda: NOW, **more)

    return open_plan


def lines(path: Path) -> dict[str, str]:
    """Return the line of each node in the file, as it is written there."""
    found = path.read_text().splitlines()
    return {
        json.loads(line.rstrip(","))["id"]: line.rstrip(",")
        for line in found
        if line.startswith('{"id":')
    }


class TestStep1:
    """ "On node completion, run the node's **local validation**: the prescribed test runs, the
    prescribed build check compiles, the acceptance predicate (a) evaluates." """

    def test_a_node_is_complete_only_by_a_pass(self, path: Path, opened: Opened) -> None:
        """S-000-070, S-004-21: nothing that an agent says completes a node."""
        run = Gate(A="fail")
        planner = opened(run)
        shown = planner.next()
        assert shown is not None and shown.node_id == "A"
        planner.edit("A", "a.py")
        planner.test("A")
        assert repositories.states(path)["A"] == "pending"
        assert planner.validate("A").outcome == "fail"
        assert repositories.states(path)["A"] == "failed"
        run.outcomes = {}
        assert planner.validate("A").outcome == "pass"
        assert repositories.states(path)["A"] == "complete"
        assert run.asked == ["A", "A"]

    def test_a_check_that_could_not_run_says_nothing_of_the_node(
        self, path: Path, opened: Opened
    ) -> None:
        """No replan, no retry: nothing was learned."""
        asked: list[Any] = []

        def hook(fragment: Mapping[str, Any]) -> Mapping[str, Any]:
            asked.append(fragment)
            return {}

        run = Gate(A="error")
        before = path.read_bytes()
        with pytest.raises(GateBroken) as caught:
            opened(run, redecompose=hook).validate("A")
        assert caught.value.code == "GATE_BROKEN"
        assert caught.value.exit_status == 3
        assert caught.value.message == "the validation of A could not be run: A is bad"
        assert (path.read_bytes(), run.asked, asked) == (before, ["A"], [])

    def test_a_cancelled_check_is_no_fail(self, path: Path, opened: Opened) -> None:
        """S-004-14, F20: the same object comes out, and the plan is abandoned."""
        raised = Cancelled("stop")

        def run(check: Check, text: str) -> CheckResult:
            raise raised

        with pytest.raises(Cancelled) as caught:
            opened(run).validate("A")
        assert caught.value is raised
        assert repositories.states(path)["A"] == "pending"


class TestStep2:
    """ "**`pass`** → mark the node complete, advance the scheduler" """

    def test_the_next_node_is_exposed_after_the_pass_and_not_before(
        self, path: Path, opened: Opened
    ) -> None:
        """S-000-071, S-001-10."""
        planner = opened(Gate())
        order = []
        for _ in PLAN:
            first, again = planner.next(), planner.next()
            assert first is not None and first == again
            order.append(first.node_id)
            assert planner.validate(first.node_id).outcome == "pass"
        assert order == ["A", "B", "C", "D", "E"]
        assert planner.next() is None
        assert set(repositories.states(path).values()) == {"complete"}

    def test_it_touches_no_other_line(self, path: Path, opened: Opened) -> None:
        """S-000-097: a diff of two versions shows the node, and what became ready."""
        before = lines(path)
        opened(Gate()).validate("A")
        after = lines(path)
        assert {each for each in before if before[each] != after[each]} == {"A", "B", "C"}


class TestStep3:
    """ "recompute the **affected subgraph** = the failed node **plus its true dependents** …
    **re-decompose and re-schedule that subgraph only** — siblings and nodes upstream remain
    untouched" """

    def failed(self, opened: Opened, answer: Mapping[str, Any]) -> tuple[Any, list[Any]]:
        fragments: list[Any] = []

        def hook(fragment: Mapping[str, Any]) -> Mapping[str, Any]:
            fragments.append(fragment)
            return answer

        planner = opened(Gate(B="fail"), redecompose=hook)
        planner.validate("A")
        return planner.validate("B"), fragments

    def test_the_hook_gets_the_fragment_only(self, opened: Opened) -> None:
        """S-000-072, S-000-074, F16: the left arm and the join, nothing of the rest."""
        _, (fragment,) = self.failed(opened, {})
        assert (fragment["failed"], fragment["reason"]) == ("B", "B is bad")
        assert [each["id"] for each in fragment["nodes"]] == ["B", "D"]
        text = json.dumps(fragment["nodes"])
        assert all(f"pkg.{each}" not in text for each in "ACE")

    def test_without_an_answer_it_stays_failed_and_the_rest_goes_on(
        self, path: Path, opened: Opened
    ) -> None:
        """F16: siblings and upstream nodes stay to the byte, the join is stranded."""
        opened(Gate()).validate("A")
        before = lines(path)
        run = Gate(B="fail")
        planner = opened(run)
        planner.validate("B")
        after = lines(path)
        assert {each for each in before if before[each] != after[each]} == {"B"}
        assert planner.status().stranded == {"D": ("B",)}
        for expected in ("C", "E"):
            shown = planner.next()
            assert shown is not None and shown.node_id == expected
            planner.validate(expected)
        assert planner.status().verdict == "stalled"
        run.outcomes = {}
        planner.validate("B")
        shown = planner.next()
        assert shown is not None and shown.node_id == "D"

    def test_the_answer_replaces_the_affected_nodes(self, path: Path, opened: Opened) -> None:
        untouched = {each: line for each, line in lines(path).items() if each in ("C", "E")}
        answer = {"obligations": [node("B1", cause="x"), node("D", "B1")]}
        result, _ = self.failed(opened, answer)
        assert result.replanned == "replanned B, D as B1, D"
        after = lines(path)
        assert sorted(after) == ["A", "B1", "C", "D", "E"]
        assert after["E"] == untouched["E"]
        (revision,) = json.loads(path.read_text())["revision_history"]
        assert revision == {
            "rev": 1,
            "time": NOW,
            "change": "replanned B, D as B1, D",
            "caused_by": "B",
        }

    def test_a_failing_leaf_touches_one_node(self, path: Path, opened: Opened) -> None:
        """S-000-073: never the whole plan."""
        planner = opened(Gate(E="fail"))
        for each in "ABCD":
            planner.validate(each)
        before = lines(path)
        planner.validate("E")
        after = lines(path)
        assert {each for each in before if before[each] != after[each]} == {"E"}
