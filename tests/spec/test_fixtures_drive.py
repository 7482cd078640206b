"""The ready fixtures F16, F17, F18, F20 and F23 of the requirements: plans that are driven."""

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

from plan07.errors import PlanRefused
from plan07.outcomes import Cancelled


class TestF16:
    """Diamond A → B, C → D; B fails, and the hook answers with the no-op."""

    def test_only_the_failed_one_and_its_dependent_are_asked_about(self, tmp_path: Path) -> None:
        path = written(tmp_path, *diamond())
        asked: list[Mapping[str, Any]] = []

        def hook(fragment: Mapping[str, Any]) -> Mapping[str, Any]:
            asked.append(fragment)
            return {"obligations": [], "re_decompose": True}

        planner = opened(path, Checks(failing="B"), redecompose=hook)
        planner.validate("A")
        before = lines(path)
        result = planner.validate("B")
        assert [[node["id"] for node in each["nodes"]] for each in asked] == [["B", "D"]]
        assert (asked[0]["failed"], asked[0]["reason"]) == ("B", "tests/test_B.py failed")
        assert (result.outcome, result.replanned, result.verdict) == ("fail", "", "running")
        after = lines(path)
        assert {name for name in before if before[name] != after[name]} == {"B"}
        assert states(path) == {"A": "complete", "B": "failed", "C": "pending", "D": "pending"}
        assert result.next == "C"

    def test_the_sibling_goes_on_and_then_the_plan_is_stalled(self, tmp_path: Path) -> None:
        path = written(tmp_path, *diamond())
        planner = opened(path, Checks(failing="B"), redecompose=answering())
        planner.validate("A")
        planner.validate("B")
        assert planner.validate("C").verdict == "stalled"
        status = planner.status()
        assert status.stranded == {"D": ("B",)}
        assert (status.blocked, status.failed, status.complete) == (("D",), ("B",), 2)
        with pytest.raises(PlanRefused) as caught:
            planner.next()
        assert caught.value.code == "NOTHING_READY"
        assert caught.value.detail == {
            "verdict": "stalled",
            "failed": ["B"],
            "stranded": {"D": ["B"]},
        }

    def test_mended_and_validated_again_the_join_becomes_ready_by_itself(
        self, tmp_path: Path
    ) -> None:
        path = written(tmp_path, *diamond())
        checks = Checks(failing="B")
        planner = opened(path, checks)
        for each in ("A", "B", "C"):
            planner.validate(each)
        checks.failing.clear()
        assert planner.validate("B").next == "D"
        assert planner.validate("D").verdict == "complete"
        assert document(path)["checkpoints"] == ["step-1:A", "step-3:B", "step-4:D"]


def test_f17_a_replacement_that_redefines_what_is_untouched(tmp_path: Path) -> None:
    path = written(tmp_path, *diamond())
    planner = opened(path, Checks(failing="B"), redecompose=answering(step("C")))
    planner.validate("A")
    before = lines(path)
    result = planner.validate("B")
    assert result.no_replan.startswith("REPLAN_REFUSED: the replan of B is refused: ")
    assert '"C"' in result.no_replan
    assert (result.replanned, result.verdict, result.next) == ("", "running", "C")
    after = lines(path)
    assert {name for name in before if before[name] != after[name]} == {"B"}
    assert document(path)["revision_history"] == []
    assert events(path) == ["pass", "fail", "no_replan"]


class TestF18:
    """A → B → C: remove B, which is pending; remove A, which is complete."""

    def test_a_pending_one_is_spliced_out(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"ABC"))
        assert opened(path).revise(falsified=["B"]) == "removed B via impact feedback"
        assert waits(path) == {"A": [], "C": ["A"]}
        assert document(path)["revision_history"] == [
            {
                "rev": 1,
                "time": "2026-09-05T14:12:00Z",
                "change": "removed B via impact feedback",
                "caused_by": "B evidence",
            }
        ]
        assert events(path) == ["revised"]

    def test_a_complete_one_is_history(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"ABC"))
        planner = opened(path)
        planner.validate("A")
        before = Path(path).read_bytes()
        with pytest.raises(PlanRefused) as caught:
            planner.revise(falsified=["A"])
        assert caught.value.code == "REVISION_REFUSED"
        assert [(each.code, each.subject) for each in caught.value.violations] == [
            ("REMOVES_COMPLETE", "A")
        ]
        assert Path(path).read_bytes() == before


class TestF20:
    """A check raises `Cancelled("t")` at the second step."""

    def test_the_same_token_comes_out_and_nothing_runs_any_more(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A"), step("B"), step("C"))
        token = Cancelled("t")

        def before(text: str) -> None:
            if text == "tests/test_B.py":
                raise token

        def hook(fragment: Mapping[str, Any]) -> Mapping[str, Any]:
            raise AssertionError("a cancellation is no failure")

        checks = Checks(before=before)
        planner = opened(path, checks, redecompose=hook)
        planner.validate("A")
        with pytest.raises(Cancelled) as caught:
            planner.validate("B")
        assert caught.value is token
        assert checks.seen == ["tests/test_A.py"]
        assert states(path) == {"A": "complete", "B": "pending", "C": "pending"}
        assert document(path)["revision_history"][-1]["change"] == "abandoned: t"

    @pytest.mark.parametrize(
        "operation",
        [
            pytest.param(lambda planner: planner.next(), id="next"),
            pytest.param(lambda planner: planner.validate("B"), id="validate"),
            pytest.param(lambda planner: planner.edit("B", "b.py"), id="edit"),
            pytest.param(lambda planner: planner.test("B"), id="test"),
            pytest.param(lambda planner: planner.revise(falsified=["B"]), id="revise"),
            pytest.param(lambda planner: planner.promote("B"), id="promote"),
            pytest.param(lambda planner: planner.confirm(), id="confirm"),
            pytest.param(lambda planner: planner.rollback("step-1:A"), id="rollback"),
            pytest.param(lambda planner: planner.abandon("again"), id="abandon"),
        ],
    )
    def test_it_is_never_taken_up_again(self, tmp_path: Path, operation: Any) -> None:
        path = written(tmp_path, step("A"), step("B"))
        planner = opened(path)
        planner.validate("A")
        planner.abandon("t")
        before = Path(path).read_bytes()
        with pytest.raises(PlanRefused) as caught:
            operation(opened(path))
        assert (caught.value.code, caught.value.exit_status) == ("ABANDONED", 1)
        assert caught.value.detail == {"token": "t"}
        assert Path(path).read_bytes() == before
        assert planner.status().verdict == "abandoned"


def test_f23_survey_fails_and_lint_goes_on(tmp_path: Path) -> None:
    """1 succeeded, 1 failed, 2 stranded, each on what it waits for itself."""
    records = [step("survey"), step("trace", "survey"), step("writeup", "trace"), step("lint")]
    path = written(tmp_path, *records)
    planner = opened(path, Checks(failing=["survey"]))
    assert planner.validate("lint").verdict == "running"
    assert planner.validate("survey").verdict == "stalled"
    status = planner.status()
    assert (status.complete, status.failed) == (1, ("survey",))
    assert status.stranded == {"trace": ("survey",), "writeup": ("trace",)}
    # Lint is terminal and succeeded: nothing waits for it.
    assert not any("lint" in needs for needs in waits(path).values())
    assert states(path)["lint"] == "complete"
