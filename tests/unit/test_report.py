"""What people ask about a plan: status, explain, log (T1, S-003-43)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from driving import NOW, Checks, chain, opened, step, written
from support import edge

from plan07 import report
from plan07.driver import Driver
from plan07.errors import InputError
from plan07.rulebook import load
from plan07.state import Store

KEYS = (
    *("plan_id", "goal", "verdict", "complete", "nodes", "next", "ready", "blocked"),
    *("alternative", "failed", "stranded", "waits_for", "last_checkpoint", "revision"),
    *("abandoned", "needs_confirmation", "notes"),
)


def driver(path: str, checks: Checks | None = None) -> Driver:
    return Driver(Store(path), load(), lambda: NOW, run=checks or Checks())


def status(path: str) -> dict[str, Any]:
    return report.status(*driver(path).standing())


def explain(path: str, node: str) -> dict[str, Any]:
    return report.explain(driver(path), node)


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A plan in which survey failed, lint passed, and each part holds something."""
    records = [
        step("lint"),
        step("survey"),
        step("trace", "survey"),
        step("writeup", "trace"),
        step("other"),
        step("then", "other"),
        step("survey2", target="pkg.survey", status="alternative"),
    ]
    made = written(tmp_path, *records, evidence={"scores": {"survey2": {"lex": 0.8}}})
    planner = opened(made, Checks(failing=["survey"]))
    planner.validate("lint")
    planner.validate("other")
    planner.validate("survey")
    return made


class TestStatus:
    def test_exactly_these_keys(self, path: str) -> None:
        found = status(path)
        assert tuple(found) == KEYS
        assert found == {
            "plan_id": "plan-20260905-1412",
            "goal": "Make it so",
            "verdict": "running",
            "complete": 2,
            "nodes": 6,
            "next": "then",
            "ready": ["then"],
            "blocked": ["trace", "writeup"],
            "alternative": ["survey2"],
            "failed": ["survey"],
            "stranded": {"trace": ["survey"], "writeup": ["trace"]},
            "waits_for": {"trace": ["survey"], "writeup": ["trace"]},
            "last_checkpoint": "step-2:other",
            "revision": 0,
            "abandoned": None,
            "needs_confirmation": False,
            "notes": [],
        }

    def test_for_people(self, path: str) -> None:
        assert report.status_text(status(path)).splitlines() == [
            "plan-20260905-1412: running, 2 of 6 complete",
            "goal: Make it so",
            "next: then",
            "ready: then",
            "failed: survey",
            "alternative: survey2",
            "stranded: trace, behind survey",
            "stranded: writeup, behind trace",
            "checkpoint: step-2:other",
        ]

    def test_one_that_waits_and_is_not_stranded(self, tmp_path: Path) -> None:
        made = written(tmp_path, *chain("O1", "O2"))
        assert "blocked: O2, after O1" in report.status_text(status(made))

    def test_abandoned_and_unconfirmed(self, tmp_path: Path) -> None:
        requirement = {"goal": "g", "acceptance_criteria": ["c"], "constraints": []}
        made = written(
            tmp_path, step("O1"), requirement={**requirement, "needs_confirmation": True}
        )
        driver(made).abandon("too slow")
        text = report.status_text(status(made))
        assert "plan-20260905-1412: abandoned, 0 of 1 complete" in text
        assert "abandoned: too slow" in text
        assert "`plan07 confirm`" in text
        assert (status(made)["next"], status(made)["revision"]) == (None, 1)


class TestExplain:
    def test_what_is_ready(self, path: str) -> None:
        assert explain(path, "then") == {
            "node_id": "then",
            "part": "ready",
            "stranded": [],
            "why": "other complete; it is the actionable one",
            "before_it": [
                {"node_id": "other", "state": "complete", "reasons": ["the plan says so"]}
            ],
            "after_it": [],
            "left_before_ready": [],
            "score": None,
        }

    @pytest.mark.parametrize(
        ("node", "part", "why"),
        [
            ("lint", "complete", "its validation passed: tests/test_lint.py"),
            ("survey", "failed", "its validation failed: tests/test_survey.py failed"),
            ("trace", "blocked", "it can never start as things are, because of survey"),
            ("survey2", "alternative", "it is a branch that is not followed; only `plan07 promote` "
             "would change that"),
        ],
    )  # fmt: skip
    def test_why(self, path: str, node: str, part: str, why: str) -> None:
        found = explain(path, node)
        assert (found["part"], found["why"]) == (part, why)

    def test_what_comes_first_among_what_is_ready(self, tmp_path: Path) -> None:
        made = written(tmp_path, step("O10"), step("O9"))
        assert explain(made, "O10")["why"] == (
            "it waits for nothing; O9 comes first among what is ready"
        )

    def test_what_is_left_before_it_is_ready(self, tmp_path: Path) -> None:
        made = written(tmp_path, *chain("O1", "O2", "O10"))
        found = explain(made, "O10")
        assert found["left_before_ready"] == ["O1", "O2"]
        assert found["why"] == "it waits for O2"
        assert [each["node_id"] for each in explain(made, "O1")["after_it"]] == ["O2"]

    def test_the_reason_of_a_derived_dependency_is_that_of_the_rules(self, tmp_path: Path) -> None:
        known = {"edges": [edge("pkg.O1", "pkg.O2", change="type_widened")]}
        made = written(tmp_path, step("O1"), step("O2"), evidence=known)
        (found,) = explain(made, "O2")["before_it"]
        assert found["node_id"] == "O1"
        assert any("CalledBy" in reason for reason in found["reasons"])
        # Without the evidence beside the plan only that it was derived is known.
        Path(f"{made}.evidence.json").unlink()
        assert explain(made, "O2")["before_it"][0]["reasons"] == ["derived before"]

    def test_for_people(self, path: str) -> None:
        assert report.explain_text(explain(path, "trace")).splitlines() == [
            "trace is stranded: it can never start as things are, because of survey",
            "it comes after survey (failed): the plan says so",
            "it comes before writeup (pending): the plan says so",
            "ready when these are complete: survey",
        ]
        assert report.explain_text(explain(path, "survey2")).splitlines()[-1] == (
            "branch score: 0.200"
        )

    def test_unknown(self, path: str) -> None:
        with pytest.raises(InputError) as caught:
            explain(path, "nobody")
        assert (caught.value.code, caught.value.detail) == ("NODE_UNKNOWN", {"node": "nobody"})


class TestLog:
    def test_every_transition_and_the_edit_of_each_obligation(self, tmp_path: Path) -> None:
        made = written(tmp_path, *chain("O1", "O2"))
        planner = driver(made, Checks(failing=["O2"]))
        planner.edit("O1", ["a.py"])
        planner.validate("O1", lambda: "commit 1f2e")
        planner.validate("O2")
        stored = planner.store.load()
        found = report.log(stored)
        assert tuple(found) == ("plan_id", "transitions", "audit", "revisions")
        assert [(row["seq"], row["event"]) for row in found["transitions"]] == [
            *((1, "created"), (2, "edit"), (3, "pass"), (4, "fail"))
        ]
        assert report.log_text(stored).splitlines() == [
            f"   1  {NOW}  created              2 nodes",
            f"   2  {NOW}  edit        O1       a.py",
            f"   3  {NOW}  pass        O1       tests/test_O1.py  [step-1:O1]",
            f"   4  {NOW}  fail        O2       tests/test_O2.py failed",
            "",
            "accepted edits",
            "  O1: commit 1f2e",
        ]
