"""What a person decides: promote, roll back, confirm, abandon (S-001-05; T8, T12, T17)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from driving import (
    NOW,
    REQUIREMENT,
    Checks,
    aged,
    answering,
    chain,
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

from plan07.errors import InputError, PlanRefused


def standing_in(name: str, *dependencies: str, target: str = "pkg.P") -> dict[str, Any]:
    return step(name, *dependencies, target=target, status="alternative")


def refused(call: Any, path: str) -> PlanRefused:
    before = Path(path).read_bytes()
    with pytest.raises(PlanRefused) as caught:
        call()
    assert Path(path).read_bytes() == before
    return caught.value


class TestPromote:
    def failed(self, path: Path, *more: dict[str, Any], **options: Any) -> str:
        """Return A → P → D → E with more, in which P has failed."""
        records = [step("A"), step("P", "A"), step("D", "P"), step("E", "D"), *more]
        written_ = written(path, *records, **options)
        planner = opened(written_, Checks(failing="P"))
        planner.validate("A")
        planner.validate("P")
        return written_

    def test_t8_it_takes_the_place_and_who_waited_waits_for_it(self, tmp_path: Path) -> None:
        path = self.failed(tmp_path, standing_in("Q", "A"))
        before = lines(path)
        planner = opened(path)
        assert planner.promote("Q") == "promoted Q in the place of P"
        assert waits(path) == {"A": [], "D": ["Q"], "E": ["D"], "Q": ["A"]}
        assert (nodes(path)["Q"]["status"], nodes(path)["Q"]["state"]) == ("ready", "pending")
        assert (lines(path)["A"], lines(path)["E"]) == (before["A"], before["E"])
        found = document(path)
        assert found["branch_scores"] == {}
        assert found["revision_history"] == [
            {"rev": 1, "time": NOW, "change": "promoted Q in the place of P", "caused_by": "P"}
        ]
        assert [row["obligation"] for row in found["audit"]] == ["A"]
        assert events(path) == ["pass", "fail", "promoted"]
        assert planner.status().next == "Q"

    def test_it_waits_for_what_it_waits_for_itself(self, tmp_path: Path) -> None:
        path = self.failed(tmp_path, step("Z"), standing_in("Q", "Z", "P"))
        opened(path).promote("Q")
        assert waits(path)["Q"] == ["Z"]
        assert opened(path).status().next == "Z"

    def test_t8_the_best_rated_and_only_that(self, tmp_path: Path) -> None:
        scores = {"Q9": {"lex": 0.4}, "Q10": {"lex": 0.8}}
        path = self.failed(
            tmp_path, standing_in("Q9"), standing_in("Q10"), evidence={"scores": scores}
        )
        assert document(path)["branch_scores"] == {"Q9": 0.1, "Q10": 0.2}
        error = refused(lambda: opened(path).promote("Q9"), path)
        assert (error.code, error.detail) == (
            "NOT_PROMOTABLE",
            {"node": "Q9", "promotable": ["Q10"]},
        )
        opened(path).promote("Q10")
        assert document(path)["branch_scores"] == {"Q9": 0.1}

    def test_t8_what_has_not_failed_is_not_replaced(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("P"), standing_in("Q"))
        assert refused(lambda: opened(path).promote("Q"), path).code == "NOT_PROMOTABLE"
        assert refused(lambda: opened(path).promote("P"), path).code == "NOT_PROMOTABLE"

    def test_t8_nothing_is_promoted_by_itself(self, tmp_path: Path) -> None:
        """S-001-05. Not even when an alternative is all that is left."""
        path = written(tmp_path, step("P"), standing_in("Q"))
        planner = opened(path, Checks(failing="P"), redecompose=answering())
        assert planner.validate("P").verdict == "stalled"
        assert (planner.status().alternative, planner.status().next) == (("Q",), None)
        error = refused(lambda: planner.validate("Q"), path)
        assert (error.code, error.detail["part"]) == ("NODE_NOT_DUE", "alternative")

    def test_other_alternatives_that_waited_for_either(self, tmp_path: Path) -> None:
        path = self.failed(
            tmp_path,
            standing_in("Q"),
            standing_in("R", "P", target="pkg.r"),
            standing_in("S", "Q", target="pkg.s"),
        )
        opened(path).promote("Q")
        assert (waits(path)["R"], waits(path)["S"]) == (["Q"], ["Q"])

    def test_one_that_waits_for_an_alternative(self, tmp_path: Path) -> None:
        path = self.failed(
            tmp_path, standing_in("Q", "R"), standing_in("R", target="pkg.elsewhere")
        )
        error = refused(lambda: opened(path).promote("Q"), path)
        assert error.code == "PROMOTION_REFUSED"
        assert [each.code for each in error.violations] == ["DEPENDS_ON_ALTERNATIVE"]

    def test_a_member_of_a_composite_that_failed(self, tmp_path: Path) -> None:
        records = [step("X"), step("P", "X", "B"), step("B", "P"), step("C", "P")]
        path = written(tmp_path, *records, standing_in("Q"))
        planner = opened(path, Checks(failing="B"))
        planner.validate("X")
        planner.validate("cycle:B")
        assert planner.promote("Q") == "promoted Q in the place of P"
        assert waits(path) == {"X": [], "B": ["Q", "X"], "C": ["B", "Q"], "Q": []}
        assert set(states(path).items()) == {
            *((name, "pending") for name in "BCQ"),
            ("X", "complete"),
        }

    def test_unknown(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("P"))
        with pytest.raises(InputError) as caught:
            opened(path).promote("Z")
        assert caught.value.code == "NODE_UNKNOWN"


class TestRollback:
    def test_s_001_05_what_passed_since_is_pending_again(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"ABCD"))
        planner = opened(path)
        for each in "ABC":
            planner.validate(each)
        before = lines(path)
        assert planner.rollback("step-1:A") == "rolled back to step-1:A"
        assert states(path) == {"A": "complete", "B": "pending", "C": "pending", "D": "pending"}
        assert nodes(path)["C"]["status"] == "blocked"
        assert lines(path)["A"] == before["A"]
        found = document(path)
        assert found["checkpoints"] == ["step-1:A"]
        assert found["revision_history"] == [
            {"rev": 1, "time": NOW, "change": "rolled back to step-1:A", "caused_by": "step-1:A"}
        ]
        assert planner.status().next == "B"

    def test_what_passed_without_a_checkpoint_too(self, tmp_path: Path) -> None:
        """While something is failed no boundary is marked, so only the audit knows."""
        path = written(tmp_path, step("A"), step("B"), step("C"), step("D", "C"))
        checks = Checks(failing="B")
        planner = opened(path, checks)
        for each in "ABCD":
            planner.validate(each)
        assert document(path)["checkpoints"] == ["step-1:A"]
        planner.rollback("step-1:A")
        assert states(path) == {"A": "complete", "B": "pending", "C": "pending", "D": "pending"}

    def test_without_the_audit_nothing_stays_that_waited_for_what_is_undone(
        self, tmp_path: Path
    ) -> None:
        path = written(tmp_path, step("A"), step("B"), step("C"), step("D", "B"))
        planner = opened(path, Checks(failing="C"))
        for each in "ABCD":
            planner.validate(each)
        Path(f"{path}.audit.jsonl").unlink()
        planner.rollback("step-1:A")
        assert states(path) == {"A": "complete", "B": "pending", "C": "pending", "D": "pending"}

    def test_to_the_last_one_only_failures_are_taken_back(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"ABC"))
        planner = opened(path, Checks(failing="C"))
        for each in "ABC":
            planner.validate(each)
        planner.rollback("step-2:B")
        assert states(path) == {"A": "complete", "B": "complete", "C": "pending"}

    def test_a_marker_that_was_made_twice(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A"), step("B"), step("C"))
        planner = opened(path)
        for each in "ABC":
            planner.validate(each)
        planner.rollback("step-1:A")
        planner.validate("B")
        planner.validate("C")
        planner.rollback("step-2:B")
        assert states(path) == {"A": "complete", "B": "complete", "C": "pending"}

    def test_composites(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("X"), step("A", "B"), step("B", "A"))
        planner = opened(path)
        planner.validate("cycle:A")
        planner.validate("X")
        planner.rollback("step-1:cycle:A")
        assert states(path) == {"X": "pending", "cycle:A": "complete"}
        assert [each["state"] for each in nodes(path)["cycle:A"]["members"]] == ["complete"] * 2

    def test_a_checkpoint_that_is_not_kept(self, tmp_path: Path) -> None:
        """T3: of 33 only the newest 32 are."""
        path = written(tmp_path, *(step(f"O{number}") for number in range(1, 34)))
        planner = opened(path)
        for number in range(1, 34):
            planner.validate(f"O{number}")
        markers = document(path)["checkpoints"]
        assert (len(markers), markers[0]) == (32, "step-2:O2")
        error = refused(lambda: planner.rollback("step-1:O1"), path)
        assert error.code == "CHECKPOINT_GONE"
        assert error.detail == {"marker": "step-1:O1", "kept": markers}

    def test_the_attempt_at_what_is_exposed_begins_anew(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"AB"))
        planner = opened(path)
        planner.validate("A")
        planner.edit("B", *(f"{number}.py" for number in range(5)))
        planner.rollback("step-1:A")
        assert planner.edit("B", "other.py") == {"edit_files": 1, "test_calls": 0}


class TestConfirm:
    def test_t12_a_plan_ends_only_on_confirmed_criteria(self, tmp_path: Path) -> None:
        requirement = {**REQUIREMENT, "needs_confirmation": True}
        path = written(tmp_path, step("A"), requirement=requirement)
        planner = opened(path)
        assert planner.validate("A").verdict == "awaiting_confirmation"
        assert refused(planner.next, path).detail["verdict"] == "awaiting_confirmation"
        assert planner.confirm() == "confirmed the acceptance criteria"
        assert planner.status().verdict == "complete"
        assert planner.next() is None
        assert document(path)["requirement"] == REQUIREMENT
        assert document(path)["revision_history"][0]["caused_by"] == "confirm"
        assert planner.confirm() == ""
        assert len(document(path)["revision_history"]) == 1


class TestAbandon:
    def test_t17_it_is_the_last_revision(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A"))
        assert opened(path).abandon(" too\n slow ") == "abandoned: too slow"
        assert document(path)["revision_history"] == [
            {"rev": 1, "time": NOW, "change": "abandoned: too slow", "caused_by": "abandon"}
        ]
        assert states(path) == {"A": "pending"}
        assert opened(path).status().abandoned == "too slow"

    def test_it_is_always_possible(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"AB"))
        aged(path, 32)
        planner = opened(path)
        error = refused(lambda: planner.revise(falsified=["B"]), path)
        assert (error.code, error.detail) == ("REVISION_CAP", {"limit": 32, "re_decompose": True})
        planner.abandon("enough")
        history = document(path)["revision_history"]
        assert (len(history), history[0]["rev"], history[-1]["rev"]) == (32, 2, 33)
