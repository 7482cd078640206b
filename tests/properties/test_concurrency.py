"""Several processes at one plan: one winner, clear answers, no lost update (S-000-093)."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from support import obligation

from plan07 import planning, rulebook, solver
from plan07.checks import Check
from plan07.driver import Driver
from plan07.errors import PlanRefused
from plan07.evidence import Evidence
from plan07.state import Store
from plan07.validate import CheckResult

TIME = "2026-01-01T00:00:00Z"
ROUNDS, WORKERS = 50, 8
_ANSWERS = {"PLAN_BUSY": 2, "NODE_NOT_DUE": 3, "PLAN_CHANGED": 4}


def make(path: Path, number: int) -> None:
    records = [obligation(f"O{n}", validation=f"tests/test_{n}.py") for n in range(1, number + 1)]
    requirement = {"goal": "g", "acceptance_criteria": ["a"], "constraints": []}
    given = planning.given({"obligations": records})
    made = planning.make(requirement, Evidence(), given, solver.options(), "plan-20260101-0000")
    planning.write(Store(path), made, lambda: TIME)


def driver(path: Path) -> Driver:
    def run(check: Check, text: str) -> CheckResult:
        return CheckResult(text, check.kind, "pass")

    return Driver(Store(path), rulebook.load(), lambda: TIME, run=run)


def validate(path: Path, node: str) -> int:
    """Return 1 for the winner, or a number for the answer that others get."""
    try:
        driver(path).validate(node)
    except PlanRefused as refused:
        return _ANSWERS[refused.code]
    return 1


def test_of_eight_that_validate_at_once_one_wins(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    make(path, ROUNDS)
    for number in range(1, ROUNDS + 1):
        node = f"O{number}"
        reading, writing = os.pipe()
        children = []
        for _ in range(WORKERS):
            child = os.fork()
            if not child:
                status = 99
                try:
                    os.close(writing)
                    os.read(reading, 1)
                    status = validate(path, node)
                finally:
                    os._exit(status)
            children.append(child)
        os.close(reading)
        # All of them wait for this end of the pipe, so closing it lets them go at once.
        os.close(writing)
        answers = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        assert answers.count(1) == 1, (node, answers)
        assert set(answers) <= {1, *_ANSWERS.values()}
    stored = Store(path).load()
    assert [node["state"] for node in stored.artifact["nodes"]] == ["complete"] * ROUNDS
    passes = [row["obligation"] for row in stored.log if row["event"] == "pass"]
    assert passes == [f"O{number}" for number in range(1, ROUNDS + 1)]


def test_readers_never_see_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    make(path, 20)
    child = os.fork()
    if not child:
        # A reader that meets anything else than a whole plan ends with another status.
        status = 1
        try:
            seen = 0
            while seen < 20:
                nodes = Store(path).load().artifact["nodes"]
                now = sum(node["state"] == "complete" for node in nodes)
                if now < seen:
                    break
                seen = now
            else:
                status = 0
        finally:
            os._exit(status)
    writer = driver(path)
    for number in range(1, 21):
        writer.validate(f"O{number}")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_writer_that_died_at_work_holds_nobody_up(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    make(path, 1)

    def die(check: Check, text: str) -> CheckResult:
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    child = os.fork()
    if not child:
        Driver(Store(path), rulebook.load(), lambda: TIME, run=die).validate("O1")
    os.waitpid(child, 0)
    assert validate(path, "O1") == 1
