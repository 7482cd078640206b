"""The warm-up tasks, end to end through the command (S-000-119): each edit is traceable.

One goes straight, one has a node that fails and is decomposed again by a model, one is killed and
goes on. Each works on a small real repository, which the test makes of plain files.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import repositories
import wire
from repositories import git
from support import EXAMPLES

Run = Callable[..., Any]
WARMUP = EXAMPLES / "warmup"


class Task:
    """A copy of a task: its repository, its plan, and its agent."""

    def __init__(self, name: str, folder: Path, run: Run) -> None:
        self.source = WARMUP / name
        self.repository = folder / "repo"
        self.plan = folder / "plan.json"
        self.edits = folder / "edits"
        self._run = run
        shutil.copytree(self.source / "repo", self.repository)
        shutil.copytree(self.source / "edits", self.edits)
        git(self.repository, "init", "-q", "-b", "main")
        git(self.repository, "add", "-A")
        git(self.repository, "commit", "-q", "-m", "start")
        made = run(
            *("plan", "--file", self.source / "request.md", "-o", self.plan, "--json"),
            *("--obligations", self.source / "obligations.json"),
        )
        assert made.status == 0
        # Each request states what it wants, so nobody has to confirm it.
        assert "needs_confirmation" not in made.document()["artifact"]["requirement"]

    def arguments(self, *options: str) -> list[str]:
        words = (sys.executable, str(WARMUP / "agent.py"), str(self.edits))
        agent = ("--agent", shlex.join(words), "--python", sys.executable)
        return ["run", str(self.plan), "--repo", str(self.repository), *agent, *options]

    def run(self, *options: str) -> dict[str, Any]:
        result = self._run(*self.arguments("--json", *options))
        assert result.status == 0, result
        document: dict[str, Any] = result.document()
        assert document["verdict"] == "complete"
        return document

    def check(self, *order: str) -> None:
        """`log` traces each commit to its obligation, and every step left the project valid."""
        listed = git(self.repository, "log", "--reverse", "--format=%H %s", "main..HEAD")
        commits = [line.split(" ", 1) for line in listed.splitlines()]
        assert [subject.partition(":")[0] for _, subject in commits] == list(order)
        log = self._run("log", self.plan, "--json").document()
        edits = {row["obligation"]: row["accepted_edit"] for row in log["audit"]}
        accepted = {node: edit for node, edit in edits.items() if edit}
        assert {subject.partition(":")[0]: commit for commit, subject in commits} == accepted
        passed = [row for row in log["transitions"] if row["event"] == "pass"]
        assert [(row["obligation"], row["edit"]) for row in passed] == [
            (node, commit) for node, (commit, _) in zip(order, commits, strict=True)
        ]
        text = self._run("log", self.plan).out
        told = dict(re.findall(r"^  (\w+): ([0-9a-f]{40})$", text, re.M))
        assert told == accepted
        assert git(self.repository, "status", "--porcelain") == ""


@pytest.fixture
def task(
    request: pytest.FixtureRequest, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> Task:
    for name, value in repositories.USER.items():
        monkeypatch.setenv(name, value)
    # The plug-ins of this interpreter take longer to load than the tests to run.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return Task(request.param, tmp_path, run)


@pytest.mark.parametrize("task", ["straight"], indirect=True)
def test_straight(task: Task) -> None:
    steps = task.run()["steps"]
    assert [(step["node"], step["outcome"], step["files"]) for step in steps] == [
        ("O1", "pass", ["auth/config.py", "tests/test_config.py"]),
        ("O2", "pass", ["tests/test_config.py"]),
        ("O3", "pass", ["auth/session.py", "tests/test_session.py"]),
        ("O4", "pass", []),
    ]
    task.check("O1", "O2", "O3", "O4")


@pytest.mark.parametrize("task", ["replanned"], indirect=True)
def test_replanned_in_scope(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    """S-000-072, S-000-025: the failed node and its true dependents alone, by one call."""
    before = json.loads(task.plan.read_text())["nodes"]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    reply = wire.reply((task.source / "reply.json").read_text("utf-8"))
    with wire.server([reply]) as server:
        steps = task.run("--base-url", server.url, "--model", "small-1")["steps"]
        asked = server.requests[0].document
    assert [(step["node"], step["outcome"]) for step in steps] == [
        ("O1", "pass"),
        ("O2", "fail"),
        ("O4", "pass"),
        ("O5", "pass"),
        ("O6", "pass"),
        ("O3", "pass"),
    ]
    assert (asked["temperature"], asked["max_completion_tokens"]) == (0, 2048)
    prompt = json.dumps(asked["messages"])
    assert "shop.pricing.total" in prompt
    assert "shop.help.TEXT" not in prompt
    task.check("O1", "O4", "O5", "O6", "O3")
    artifact = json.loads(task.plan.read_text())
    (revision,) = artifact["revision_history"]
    assert (revision["change"], revision["caused_by"]) == (
        "replanned O2, O3 as O3, O5, O6",
        "O2",
    )
    untouched = [
        [node for node in nodes if node["id"] in ("O1", "O4")]
        for nodes in (before, artifact["nodes"])
    ]
    done = {"state": "complete", "status": "ready"}
    assert [{**node, **done} for node in untouched[0]] == untouched[1]
    # What was given up is kept.
    (kept,) = repositories.attempts(task.repository)
    assert "round(" in git(task.repository, "show", f"{kept}:shop/pricing.py")


@pytest.mark.parametrize("task", ["resumed"], indirect=True)
def test_killed_and_resumed(task: Task) -> None:
    """S-000-094: from the last checkpoint, not from the top."""
    waiting = task.edits / "O2.waited"
    command = [sys.executable, "-m", "plan07", *task.arguments()]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, env=dict(os.environ)) as process:
        while not waiting.exists() and process.poll() is None:
            time.sleep(0.01)
        process.kill()
    assert (task.repository / "profiles/migrate.py").exists()
    assert repositories.states(task.plan) == {"O1": "complete", "O2": "pending", "O3": "pending"}
    steps = task.run()["steps"]
    assert [(step["node"], step["outcome"]) for step in steps] == [("O2", "pass"), ("O3", "pass")]
    task.check("O1", "O2", "O3")
    assert len(repositories.attempts(task.repository)) == 1


def test_the_readme_names_each_task() -> None:
    readme = (EXAMPLES / "README.md").read_text("utf-8")
    named = re.findall(r"^\| `warmup/(\w+)` \|", readme, re.M)
    assert sorted(named) == sorted(each.name for each in WARMUP.iterdir() if each.is_dir())
