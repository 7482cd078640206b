"""The driver: a plan moves only when its validation passes (S-000-065, S-000-070 to S-000-075)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from driving import (
    NOW,
    REQUIREMENT,
    Checks,
    chain,
    diamond,
    document,
    events,
    lines,
    states,
    step,
    written,
)

from plan07.decompose import Decomposition
from plan07.driver import Driver
from plan07.errors import PlanRefused
from plan07.evidence import Evidence
from plan07.outcomes import Cancelled, GateBroken
from plan07.prompt import Fragment
from plan07.rulebook import load
from plan07.state import SaveError, Store


def driver(path: str, checks: Checks | None = None, **options: Any) -> Driver:
    return Driver(Store(path), load(), lambda: NOW, run=checks or Checks(), **options)


def rows(path: str) -> list[dict[str, Any]]:
    text = Path(f"{path}.audit.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


class TestPass:
    def test_s_000_071_the_node_is_complete_and_the_next_one_ready(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"AB"))
        done = driver(path).validate("A")
        assert done.as_dict() == {
            "node_id": "A",
            "outcome": "pass",
            "reason": "",
            "checks": [
                {
                    "check": "tests/test_A.py",
                    "kind": "pytest",
                    "outcome": "pass",
                    "reason": "",
                    "exit": 0,
                    "seconds": 0.0,
                    "sha256": "",
                    "output": "",
                }
            ],
            "replanned": "",
            "no_replan": "",
            "verdict": "running",
            "next": "B",
        }
        assert states(path) == {"A": "complete", "B": "pending"}
        found = document(path)
        assert [node["status"] for node in found["nodes"]] == ["ready", "ready"]
        assert found["checkpoints"] == ["step-1:A"]
        assert found["audit"] == [
            {"obligation": "A", "accepted_edit": "", "trace": "passed: tests/test_A.py"}
        ]

    def test_s_000_095_an_accepted_edit_is_linked_to_its_obligation(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A"))
        driver(path).validate("A", lambda: "commit 1f2e")
        assert document(path)["audit"][0]["accepted_edit"] == "commit 1f2e"
        assert rows(path)[-1]["edit"] == "commit 1f2e"
        assert rows(path)[-1]["checkpoint"] == "step-1:A"

    def test_an_edit_that_cannot_be_accepted_completes_nothing(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A"))

        def accept() -> str:
            raise OSError("no room for a commit")

        with pytest.raises(OSError, match="no room"):
            driver(path).validate("A", accept)
        assert states(path) == {"A": "pending"}

    def test_s_000_055_no_checkpoint_while_something_is_failed(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A"), step("B"))
        planner = driver(path, Checks(failing="A"))
        planner.validate("A")
        planner.validate("B")
        assert document(path)["checkpoints"] == []

    def test_t6_a_composite_passes_when_all_its_members_do(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A", "B"), step("B", "A"))
        checks = Checks()
        driver(path, checks).validate("cycle:A")
        assert checks.seen == ["tests/test_A.py", "tests/test_B.py"]
        node = document(path)["nodes"][0]
        assert (node["state"], [part["state"] for part in node["members"]]) == (
            "complete",
            ["complete", "complete"],
        )


class TestFail:
    def test_s_000_072_the_rest_is_as_it_was(self, tmp_path: Path) -> None:
        path = written(tmp_path, *diamond())
        planner = driver(path, Checks(failing="B"))
        planner.validate("A")
        before = lines(path)
        done = planner.validate("B")
        assert (done.result.outcome, done.replanned) == ("fail", "")
        assert done.reason == "nobody decomposes again; mend the edit and validate the node again"
        assert {name for name, line in lines(path).items() if line != before[name]} == {"B"}
        assert document(path)["audit"][-1] == {
            "obligation": "B",
            "accepted_edit": "",
            "trace": "failed: tests/test_B.py failed",
        }
        assert events(path) == ["pass", "fail"]

    def test_the_failure_is_on_the_disk_before_anybody_is_asked(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"AB"))
        seen: list[dict[str, str]] = []

        def replanner(fragment: Fragment) -> Decomposition:
            seen.append(states(path))
            raise RuntimeError("the harness is broken")

        with pytest.raises(RuntimeError):
            driver(path, Checks(failing="A"), replanner=replanner).validate("A")
        assert seen == [{"A": "failed", "B": "pending"}] == [states(path)]

    def test_a_failure_on_the_way_to_the_model_is_a_reason(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"AB"))

        def replanner(fragment: Fragment) -> Decomposition:
            raise PlanRefused("MODEL_DOWN", "the server is down", "start it", phase="decompose")

        done = driver(path, Checks(failing="A"), replanner=replanner).validate("A")
        assert done.reason == "MODEL_DOWN: the server is down"
        assert rows(path)[-1]["reason"] == "MODEL_DOWN: the server is down"

    def test_t6_one_member_that_fails_fails_the_composite(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A", "B"), step("B", "A"))
        checks = Checks(failing="A")
        assert driver(path, checks).validate("cycle:A").result.outcome == "fail"
        assert checks.seen == ["tests/test_A.py", "tests/test_B.py"]

    def test_an_attempt_may_be_rejected_without_a_gate(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A"), step("B"))
        checks = Checks()
        done = driver(path, checks).reject("A", "it edited 6 files")
        assert (done.result.outcome, done.result.reason) == ("fail", "it edited 6 files")
        assert done.result.checks[0].kind == "bounds"
        assert checks.seen == []
        assert states(path) == {"A": "failed", "B": "pending"}


class TestBroken:
    def test_nothing_is_learned_and_nothing_changes(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"AB"))
        before = Path(path).read_bytes()
        with pytest.raises(GateBroken) as caught:
            driver(path, Checks(broken="A")).validate("A")
        assert (caught.value.code, caught.value.exit_status) == ("GATE_BROKEN", 3)
        assert caught.value.retryable
        assert Path(path).read_bytes() == before
        assert events(path) == ["error"]

    def test_a_member_that_failed_outweighs_one_that_could_not_be_run(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A", "B"), step("B", "A"))
        checks = Checks(failing="A", broken="B")
        assert driver(path, checks).validate("cycle:A").result.outcome == "fail"


class TestCancelled:
    def cancelling(self, token: Cancelled) -> Any:
        def watch() -> None:
            raise token

        return watch

    def test_t17_before_an_exposure(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A"))
        token = Cancelled("stop")
        with pytest.raises(Cancelled) as caught:
            driver(path, watch=self.cancelling(token)).next()
        assert caught.value is token
        assert document(path)["revision_history"][-1]["change"] == "abandoned: stop"

    def test_s_004_14_cancelled_before_it_begins_nothing_runs(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A"))
        token, checks = Cancelled("stop"), Checks()
        with pytest.raises(Cancelled) as caught:
            driver(path, checks, watch=self.cancelling(token)).validate("A")
        assert caught.value is token
        assert checks.seen == []
        assert states(path) == {"A": "pending"}

    def test_inside_the_hook_the_failure_is_kept_and_no_replan_follows(
        self, tmp_path: Path
    ) -> None:
        path = written(tmp_path, *chain(*"AB"))
        token = Cancelled("stop")

        def replanner(fragment: Fragment) -> Decomposition:
            raise token

        with pytest.raises(Cancelled) as caught:
            driver(path, Checks(failing="A"), replanner=replanner).validate("A")
        assert caught.value is token
        assert states(path) == {"A": "failed", "B": "pending"}
        assert events(path) == ["fail", "abandoned"]

    def test_again_on_a_plan_that_was_abandoned(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A"))
        driver(path).abandon("first")
        before = Path(path).read_bytes()
        token = Cancelled("second")
        with pytest.raises(Cancelled) as caught:
            driver(path, watch=self.cancelling(token)).next()
        assert caught.value is token
        assert Path(path).read_bytes() == before
        (note,) = token.__notes__
        assert note.startswith("the plan was not abandoned: ABANDONED: ")

    def test_while_somebody_else_works_on_the_plan(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A"))
        token = Cancelled("stop")
        with Store(path).locked(), pytest.raises(Cancelled) as caught:
            driver(path, watch=self.cancelling(token)).next()
        assert caught.value is token
        assert "PLAN_BUSY" in token.__notes__[0]


class Full(Store):
    """A disk without room."""

    def _replace(self, path: str, data: bytes) -> None:
        raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    "operation",
    [
        pytest.param(lambda found: found.validate("C"), id="pass"),
        pytest.param(lambda found: found.reject("C", "no"), id="fail"),
        pytest.param(lambda found: found.confirm(), id="confirm"),
        pytest.param(lambda found: found.rollback("step-1:A"), id="rollback"),
        pytest.param(lambda found: found.promote("P"), id="promote"),
        pytest.param(lambda found: found.feedback(Evidence(), falsified=["C"]), id="revise"),
        pytest.param(lambda found: found.abandon("no"), id="abandon"),
    ],
)
def test_a_save_that_fails_leaves_the_plan_and_the_next_one_goes_on(
    tmp_path: Path, operation: Any
) -> None:
    alternative = step("P", target="pkg.B", status="alternative")
    path = written(
        tmp_path,
        *(step("A"), step("B"), step("C"), alternative),
        requirement={**REQUIREMENT, "needs_confirmation": True},
    )
    planner = driver(path, Checks(failing="B"))
    planner.validate("A")
    planner.validate("B")
    before = Path(path).read_bytes()
    with pytest.raises(SaveError):
        operation(Driver(Full(path), load(), lambda: NOW, run=Checks()))
    assert Path(path).read_bytes() == before
    stored, standing = driver(path).standing()
    assert (stored.notes, standing.exposed) == ((), "C")
    operation(driver(path))
    assert Path(path).read_bytes() != before
