"""Build spec 3.5, the local validation gate and the scoped replan, paragraph by paragraph."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from driving import (
    Checks,
    answering,
    chain,
    diamond,
    document,
    events,
    lines,
    opened,
    states,
    step,
    waits,
    written,
)
from support import edge

from plan07.outcomes import GateBroken


class TestStep1Validation:
    """ "On node completion, run the node's **local validation** … This is the temporal-consistency
    checkpoint per step." """

    def test_s_000_070_a_node_cannot_become_complete_without_a_pass(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"AB"))
        checks = Checks(failing="A")
        planner = opened(path, checks)
        assert planner.validate("A").outcome == "fail"
        assert states(path)["A"] == "failed"
        checks.failing.clear()
        checks.broken = {"tests/test_A.py"}
        with pytest.raises(GateBroken):
            planner.validate("A")
        assert states(path)["A"] == "failed"
        checks.broken.clear()
        assert planner.validate("A").outcome == "pass"
        assert states(path)["A"] == "complete"

    def test_its_own_validation_and_no_other(self, tmp_path: Path) -> None:
        path = written(tmp_path, *diamond())
        checks = Checks()
        opened(path, checks).validate("A")
        assert checks.seen == ["tests/test_A.py"]

    def test_t6_a_composite_is_validated_as_one_unit(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A", "B"), step("B", "A"))
        checks = Checks()
        opened(path, checks).validate("cycle:A")
        assert checks.seen == ["tests/test_A.py", "tests/test_B.py"]

    def test_every_check_of_a_validation(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A", validation="tests/test_A.py && `make lint`"))
        checks = Checks(failing="A")
        checks.failing = {"tests/test_A.py && `make lint`"}
        result = opened(path, checks).validate("A")
        assert [each.kind for each in result.checks] == ["pytest", "command"]


class TestStep2Pass:
    """ "**`pass`** → mark the node complete, advance the scheduler" """

    def test_s_000_071(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"ABC"))
        planner = opened(path)
        result = planner.validate("A")
        assert (result.outcome, result.next) == ("pass", "B")
        assert states(path) == {"A": "complete", "B": "pending", "C": "pending"}
        assert [node["status"] for node in document(path)["nodes"]] == ["ready", "ready", "blocked"]
        assert events(path) == ["pass"]

    def test_s_000_055_a_checkpoint_after_each_step(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"ABC"))
        planner = opened(path)
        for name in "ABC":
            planner.validate(name)
        assert document(path)["checkpoints"] == ["step-1:A", "step-2:B", "step-3:C"]


class TestStep3Affected:
    """ "the **affected subgraph** = the failed node **plus its true dependents** (downstream nodes
    reachable through dependency edges …)" """

    def asked(self, path: str, failing: str, *done: str) -> list[str]:
        """Return the ids that the hook is asked about."""
        seen: list[Mapping[str, Any]] = []

        def hook(fragment: Mapping[str, Any]) -> Mapping[str, Any]:
            seen.append(fragment)
            return {}

        planner = opened(path, Checks(failing=[failing]), redecompose=hook)
        for each in done:
            planner.validate(each)
        planner.validate(failing)
        return [node["id"] for node in seen[0]["nodes"]]

    def test_s_000_072_of_an_arm_of_a_diamond(self, tmp_path: Path) -> None:
        assert self.asked(written(tmp_path, *diamond()), "B", "A") == ["B", "D"]

    def test_s_000_073_a_leaf_of_64_touches_one(self, tmp_path: Path) -> None:
        records = [step("A"), *(step(f"O{number}", "A") for number in range(1, 64))]
        assert self.asked(written(tmp_path, *records), "O1", "A") == ["O1"]

    def test_s_000_073_the_root_all_that_descend_from_it(self, tmp_path: Path) -> None:
        path = written(tmp_path, *diamond(), step("Z"))
        assert self.asked(path, "A") == ["A", "B", "C", "D"]

    def test_s_000_075_a_sibling_behind_a_derived_edge_is_a_dependent(self, tmp_path: Path) -> None:
        known = {"edges": [edge("pkg.B", "pkg.C", change="type_widened")]}
        path = written(tmp_path, *diamond(), evidence=known)
        assert waits(path)["C"] == ["A", "B"]
        assert self.asked(path, "B", "A") == ["B", "C", "D"]


class TestStep3Scoped:
    """ "**re-decompose and re-schedule that subgraph only** — siblings and nodes upstream remain
    untouched **unless the dependency graph says otherwise**" """

    def test_s_000_072_byte_by_byte(self, tmp_path: Path) -> None:
        path = written(tmp_path, *diamond(), step("E", "C"), step("F"))
        answer = answering(step("B", cause="another way"), step("D", "B"))
        planner = opened(path, Checks(failing="B"), redecompose=answer)
        planner.validate("A")
        before = lines(path)
        assert planner.validate("B").replanned == "replanned B, D as B, D"
        after = lines(path)
        assert {name for name in before if before[name] != after[name]} == {"B"}
        assert waits(path)["D"] == ["B", "C"]
        assert states(path)["B"] == "pending"

    def test_s_000_026_and_once_for_each_failure(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"AB"))
        asked: list[str] = []

        def hook(fragment: Mapping[str, Any]) -> Mapping[str, Any]:
            asked.append(fragment["failed"])
            return {"obligations": [step("A"), step("B", "A")]}

        planner = opened(path, Checks(failing="A"), redecompose=hook)
        planner.validate("A")
        planner.validate("A")
        assert asked == ["A", "A"]

    def test_t15_independent_nodes_go_on_after_a_refused_replan(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A"), step("B"), step("C", "A"))
        planner = opened(path, Checks(failing="A"), redecompose=answering(step("B")))
        result = planner.validate("A")
        assert (result.replanned, result.next) == ("", "B")
        assert planner.validate("B").verdict == "stalled"
