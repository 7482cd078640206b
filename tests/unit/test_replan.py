"""Scoped replans: the failed part is decomposed again, nothing else (build spec 3.5; T13)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from driving import (
    Checks,
    aged,
    answering,
    chain,
    diamond,
    document,
    events,
    lines,
    nodes,
    opened,
    states,
    step,
    waits,
    written,
)
from support import edge

from plan07 import redecompose
from plan07.driver import Driver
from plan07.errors import PlanRefused
from plan07.prompt import Fragment
from plan07.rulebook import load
from plan07.state import Store


def ring() -> list[dict[str, Any]]:
    """Return X, the cycle A ⇄ B behind it, and C behind the cycle."""
    return [step("X"), step("A", "X", "B"), step("B", "A"), step("C", "B")]


class TestWhatComesOut:
    def test_s_000_072_the_affected_ones_are_replaced_and_all_else_stays(
        self, tmp_path: Path
    ) -> None:
        path = written(tmp_path, *diamond())
        answer = answering(step("B1"), step("B2", "B1"), step("D", "B2"))
        planner = opened(path, Checks(failing="B"), redecompose=answer)
        planner.validate("A")
        before = lines(path)
        assert planner.validate("B").replanned == "replanned B, D as B1, B2, D"
        after = lines(path)
        assert (after["A"], after["C"]) == (before["A"], before["C"])
        # D was redecomposed, and still waits for what stays as it did.
        assert waits(path) == {"A": [], "B1": [], "B2": ["B1"], "C": ["A"], "D": ["B2", "C"]}
        assert document(path)["checkpoints"] == ["step-1:A"]

    def test_there_is_one_revision_caused_by_the_failed_one(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"AB"))
        opened(path, Checks(failing="A"), redecompose=answering(step("N"))).validate("A")
        found = document(path)
        assert found["revision_history"] == [
            {
                "rev": 1,
                "time": "2026-09-05T14:12:00Z",
                "change": "replanned A, B as N",
                "caused_by": "A",
            }
        ]
        assert events(path) == ["fail", "replanned"]
        assert found["audit"] == []

    def test_it_may_depend_on_what_is_untouched(self, tmp_path: Path) -> None:
        path = written(tmp_path, *diamond())
        answer = answering(step("N", "A", "C"))
        planner = opened(path, Checks(failing="B"), redecompose=answer)
        planner.validate("A")
        planner.validate("B")
        assert waits(path) == {"A": [], "C": ["A"], "N": ["A", "C"]}

    def test_alternatives_of_the_failed_one_stay_those_behind_it_are_affected(
        self, tmp_path: Path
    ) -> None:
        """T8."""
        records = [
            step("A"),
            step("P", target="pkg.A", status="alternative"),
            step("Q", "A", status="alternative"),
        ]
        path = written(tmp_path, *records)
        planner = opened(path, Checks(failing="A"), redecompose=answering(step("N")))
        assert planner.validate("A").replanned == "replanned A, Q as N"
        assert sorted(nodes(path)) == ["N", "P"]

    def test_t14_a_removed_id_is_not_recycled_a_failed_one_is_free(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"AB"))
        checks = Checks(failing=["A", "N"])
        opened(path, checks, redecompose=answering(step("N"))).validate("A")
        assert opened(path, checks, redecompose=answering(step("N"))).validate("N").replanned
        refused = opened(path, checks, redecompose=answering(step("B"))).validate("N")
        assert refused.no_replan.startswith("REPLAN_REFUSED: ")
        assert '"B"' in refused.no_replan


class TestRefused:
    """Any fault leaves the plan as it was but for the failed state."""

    @pytest.mark.parametrize(
        ("answer", "word"),
        [
            pytest.param([step("C")], '"C"', id="redefines what is untouched"),
            pytest.param([step("N", "Z")], '"Z"', id="unknown dependency"),
            pytest.param([step("N"), step("N")], '"N"', id="twice"),
            pytest.param([step("N", "N")], '"N"', id="waits for itself"),
            pytest.param([step("N", cause="")], '"N"', id="ungrounded"),
            pytest.param([step("a b")], '"a b"', id="no id"),
            pytest.param([step(f"N{n}") for n in range(64)], "64", id="too many"),
            pytest.param([{**step("N"), "more": 1}], "more", id="nine fields"),
            pytest.param([{**step("N"), "obligation": "delete"}], "obligation", id="no verb"),
            pytest.param(["N"], "obligations", id="no record"),
            pytest.param("N", "obligations", id="no list"),
        ],
    )
    def test_t13(self, tmp_path: Path, answer: Any, word: str) -> None:
        path = written(tmp_path, *diamond())
        hook = {"obligations": answer}
        planner = opened(path, Checks(failing="B"), redecompose=lambda fragment: hook)
        planner.validate("A")
        before = lines(path)
        result = planner.validate("B")
        assert (result.replanned, result.verdict) == ("", "running")
        assert word in result.no_replan
        after = lines(path)
        assert {name for name in before if before[name] != after[name]} == {"B"}
        assert events(path)[-2:] == ["fail", "no_replan"]

    def test_t13_evidence_may_not_put_a_replacement_before_what_is_untouched(
        self, tmp_path: Path
    ) -> None:
        known = {"edges": [edge("pkg.N", "pkg.C", change="deleted")]}
        path = written(tmp_path, *diamond(), evidence=known)
        answer = answering(step("N"))
        result = opened(path, Checks(failing="B"), redecompose=answer)
        result.validate("A")
        done = result.validate("B")
        # The dependents of a deletion go first, so C comes before N and nothing is wrong.
        assert done.replanned == "replanned B, D as N"
        other = written(tmp_path / "other.json", *diamond(), evidence={
            "edges": [edge("pkg.N", "pkg.C", change="type_widened", strength="must")]
        })  # fmt: skip
        planner = opened(other, Checks(failing="B"), redecompose=answer)
        planner.validate("A")
        assert '"C"' in planner.validate("B").no_replan

    def test_t13_nor_make_it_land_with_what_is_untouched(self, tmp_path: Path) -> None:
        known = {"edges": [edge("pkg.N", "pkg.C", change="rename")]}
        path = written(tmp_path, *diamond(), evidence=known)
        planner = opened(path, Checks(failing="B"), redecompose=answering(step("N")))
        planner.validate("A")
        before = lines(path)
        assert '"C"' in planner.validate("B").no_replan
        assert lines(path)["C"] == before["C"]

    @pytest.mark.parametrize("answer", [None, {}, {"obligations": []}, {"re_decompose": True}])
    def test_t11_the_no_op_replaces_nothing(self, tmp_path: Path, answer: Any) -> None:
        path = written(tmp_path, *diamond())
        planner = opened(path, Checks(failing="A"), redecompose=lambda fragment: answer)
        result = planner.validate("A")
        assert result.no_replan == "the harness gave no obligation"
        assert result.verdict == "stalled"
        assert states(path) == {"A": "failed", "B": "pending", "C": "pending", "D": "pending"}

    def test_s_000_096_after_32_revisions_nobody_is_asked(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A"))
        aged(path, 31)
        checks, asked = Checks(failing=["A", "N1"]), []

        def hook(fragment: Mapping[str, Any]) -> Mapping[str, Any]:
            asked.append(fragment["failed"])
            return {"obligations": [step(f"N{len(asked)}")]}

        planner = opened(path, checks, redecompose=hook)
        assert planner.validate("A").replanned == "replanned A as N1"
        result = planner.validate("N1")
        assert result.no_replan.startswith("REVISION_CAP: ")
        assert result.verdict == "needs_rescope"
        assert asked == ["A"]
        assert document(path)["revision_history"][-1]["rev"] == 32
        with pytest.raises(PlanRefused) as caught:
            planner.next()
        assert caught.value.detail["verdict"] == "needs_rescope"


class TestComposites:
    def test_t6_a_composite_fails_as_one_and_may_be_taken_apart(self, tmp_path: Path) -> None:
        path = written(tmp_path, *ring())
        asked: list[Mapping[str, Any]] = []

        def hook(fragment: Mapping[str, Any]) -> Mapping[str, Any]:
            asked.append(fragment)
            return {"obligations": [step("A"), step("B", "A"), step("C", "B")]}

        planner = opened(path, Checks(failing="B"), redecompose=hook)
        planner.validate("X")
        before = lines(path)
        assert planner.validate("cycle:A").replanned == "replanned cycle:A, C as A, B, C"
        assert lines(path)["X"] == before["X"]
        assert waits(path) == {"X": [], "A": ["X"], "B": ["A"], "C": ["B"]}
        # Obligations are named in the fragment, never composites.
        shown = {node["id"]: node["dependencies"] for node in asked[0]["nodes"]}
        assert shown == {"A": ["B", "X"], "B": ["A"], "C": ["A", "B"]}

    def test_t6_without_a_replan_all_members_have_failed(self, tmp_path: Path) -> None:
        path = written(tmp_path, *ring())
        planner = opened(path, Checks(failing="B"))
        planner.validate("X")
        planner.validate("cycle:A")
        node = nodes(path)["cycle:A"]
        assert (node["state"], [each["state"] for each in node["members"]]) == (
            "failed",
            ["failed", "failed"],
        )
        assert planner.status().stranded == {"C": ("cycle:A",)}

    def test_rules_give_the_same_obligations_another_attempt(self, tmp_path: Path) -> None:
        path = written(tmp_path, *ring())
        store, checks = Store(path), Checks(failing="B")
        driver = Driver(
            store, load(), lambda: "t", run=checks, replanner=redecompose.again(store, lambda: "t")
        )
        driver.validate("X")
        before = lines(path)
        assert driver.validate("cycle:A").replanned == "replanned cycle:A, C as A, B, C"
        # Whatever it says of itself, the plan is the one it was.
        assert lines(path) == before
        done = driver.validate("cycle:A")
        assert done.reason == "the same obligations failed in the same way before"
        assert states(path)["cycle:A"] == "failed"


def test_derived_dependencies_stay_derived_in_another_attempt(tmp_path: Path) -> None:
    """T4: a reload can tell what the plan declares from what was derived."""
    known = {"edges": [edge("pkg.A", "pkg.B", change="type_widened")]}
    records = [step("A"), step("B"), step("C", "B")]
    path = written(tmp_path, *records, evidence=known)
    assert nodes(path)["B"]["derived"] == ["A"]
    Path(f"{path}.evidence.json").unlink()
    store, checks = Store(path), Checks(failing="A")
    driver = Driver(
        store, load(), lambda: "t", run=checks, replanner=redecompose.again(store, lambda: "t")
    )
    before = lines(path)
    assert driver.validate("A").replanned == "replanned A, B, C as A, B, C"
    assert lines(path) == before


def test_s_000_025_the_fragment_names_what_must_not_show(tmp_path: Path) -> None:
    path = written(tmp_path, *diamond())
    asked: list[Fragment] = []

    def replanner(fragment: Fragment) -> Any:
        asked.append(fragment)
        return redecompose.no_op("no")

    driver = Driver(Store(path), load(), lambda: "t", run=Checks(failing="B"), replanner=replanner)
    driver.validate("A")
    driver.validate("B")
    assert asked[0].untouched == {"A", "C", "pkg.A", "pkg.C"}
    assert [node["id"] for node in asked[0].nodes] == ["B", "D"]
