"""A run is killed at every point at which it writes, and started again (S-000-093, S-000-094).

The points are found by the test itself: whenever a file is replaced, removed or appended to, a
reference or the work tree is moved, or the agent ends. What lies on the disk then is what
a kill would leave; a copy of it is gone on with.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import repositories
from repositories import PLAN_ID, git, states, step

from plan07 import clock, jsonlines, loop, redecompose, solver
from plan07.agents import Agent
from plan07.checks import Check
from plan07.driver import Driver
from plan07.state import Store
from plan07.validate import CheckResult
from plan07.workspace import Workspace

MOVES = ("update-ref", "symbolic-ref", "read-tree")
# The second obligation is done badly until it was replanned.
AGENT = """\
case $PLAN07_NODE in
O1) echo 'x = 2' > a.py; echo new > new.py ;;
O2) if grep -q replanned ../plan.json; then echo 'y = 2'; else echo bad; fi > b.py
    rm -f new.py ;;
esac
"""


class Made:
    """A plan of two obligations, a repository, and an agent that needs three attempts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repository = folder / "repo"
        self.plan = folder / "plan.json"
        self.agent = Agent(("sh", "../agent.sh"))
        self.rules = solver.rules_of(solver.options())

    @classmethod
    def new(cls, folder: Path) -> Made:
        made = cls(folder)
        repositories.made(made.repository)
        repositories.planned(made.plan, step("O1", "true"), step("O2", "true", "O1"))
        (folder / "agent.sh").write_text(AGENT)
        return made

    def check(self, check: Check, text: str) -> CheckResult:
        bad = (self.repository / "b.py").read_text() == "bad\n"
        return CheckResult(text, check.kind, "fail" if bad else "pass", "bad" if bad else "")

    def run(self) -> list[loop.Step]:
        store = Store(self.plan)
        again = redecompose.again(store, clock.now)
        driver = Driver(store, self.rules, clock.now, run=self.check, replanner=again)
        return loop.Loop(driver, Workspace(str(self.repository), "work", []), self.agent).run()


def states_of_the_disk(made: Made, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Run, and copy the folder at every point; return where each was."""
    points: list[str] = []
    folder = made.folder

    def point(name: str) -> None:
        points.append(name)
        shutil.copytree(folder, folder.parent / str(len(points)), symlinks=True)

    def after(owner: Any, name: str, what: Callable[..., str]) -> None:
        call = getattr(owner, name)

        def called(*arguments: Any, **options: Any) -> Any:
            result = call(*arguments, **options)
            if said := what(*arguments, **options):
                point(said)
            return result

        monkeypatch.setattr(owner, name, called)

    def of_the_folder(path: Any, *others: Any, **options: Any) -> str:
        return str((path, *others)) if str(path).startswith(str(folder)) else ""

    def started(process: Any, words: Any, *rest: Any, env: Any = None, **options: Any) -> str:
        moves = any(each in words for each in MOVES) and "GIT_INDEX_FILE" not in env
        process.moves = moves or words[0] == "sh"
        return ""

    def ended(process: Any, **options: Any) -> str:
        moves, process.moves = process.moves, False
        return str(process.args[-3:]) if moves else ""

    after(os, "replace", of_the_folder)
    after(os, "unlink", of_the_folder)
    after(jsonlines, "append", lambda stream, *rows: f"appended {rows}")
    after(subprocess.Popen, "__init__", started)
    after(subprocess.Popen, "wait", ended)
    made.run()
    monkeypatch.undo()
    return points


def log(plan: Path) -> list[dict[str, Any]]:
    return [dict(row) for row in Store(plan).load().log]


def test_nothing_is_lost_or_done_twice_wherever_it_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "0"
    folder.mkdir()
    points = states_of_the_disk(Made.new(folder), monkeypatch)
    # A run has some forty points; a handful would mean that they are not found.
    assert len(points) >= 40
    for number, where in enumerate(points, 1):
        made = Made(tmp_path / str(number))
        made.run()
        _check(made, f"killed after {where}")


def _check(made: Made, where: str) -> None:
    repository, plan = made.repository, made.plan
    assert states(plan) == {"O1": "complete", "O2": "complete"}, where
    assert repositories.tree(repository) == {
        "a.py": "x = 2\n",
        "b.py": "y = 2\n",
        ".gitignore": "*.log\n",
    }, where
    assert git(repository, "status", "--porcelain") == "", where
    assert git(repository, "symbolic-ref", "HEAD") == "refs/heads/work", where
    assert git(repository, "log", "--format=%s", "main..work").splitlines() == [
        "O2: modify pkg.O2",
        "O1: modify pkg.O1",
    ], where
    rows = log(plan)
    passed = {row["obligation"]: row["edit"] for row in rows if row["event"] == "pass"}
    assert list(passed) == ["O1", "O2"], where
    assert [row["event"] for row in rows].count("pass") == 2, where
    assert (
        list(passed.values())
        == git(repository, "log", "--format=%H", "--reverse", "main..work").splitlines()
    ), where
    assert [row["event"] for row in rows].count("replanned") == 1, where
    artifact = json.loads(plan.read_text())
    assert artifact["checkpoints"] == ["step-1:O1", "step-2:O2"], where
    kept = repositories.attempts(repository)
    assert f"refs/plan07/attempts/{PLAN_ID}/O2/1" in kept, where
    assert len(kept) <= 2, where
    assert not Path(f"{plan}.run.json").exists(), where
