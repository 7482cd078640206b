"""Small real repositories, plans for them, and agents that do what a test says.

    repository = made(tmp_path / "repo", {"a.py": "x = 1\n"})
    agent = scripted(tmp_path, O1="echo 'x = 2' > a.py")

An agent is a shell script that has one piece for each obligation.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support import obligation

from plan07 import make_plan
from plan07.checks import Check
from plan07.validate import CheckResult

REQUIREMENT = {"goal": "Change it", "acceptance_criteria": ["it works"], "constraints": []}
PLAN_ID = "plan-20260905-1412"
FILES = {"a.py": "x = 1\n", "b.py": "y = 1\n", ".gitignore": "*.log\n"}
USER = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(repository: Path, *words: str, **more: str) -> str:
    """Return what git prints, run as somebody of no consequence."""
    named = {"GIT_AUTHOR_NAME": "n", "GIT_AUTHOR_EMAIL": "n@n", "GIT_COMMITTER_NAME": "n"}
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", "-c", "core.quotePath=false", *words],
        cwd=repository,
        env={**os.environ, **USER, **named, "GIT_COMMITTER_EMAIL": "n@n", **more},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.rstrip("\n")


def made(path: Path, files: Mapping[str, str] = FILES) -> Path:
    """Return a repository with one commit of some files, on the branch main."""
    path.mkdir(parents=True)
    git(path, "init", "-q", "-b", "main", "--template=")
    put(path, files)
    git(path, "add", "-A")
    git(path, "commit", "-q", "-m", "start")
    return path


def put(path: Path, files: Mapping[str, str]) -> None:
    """Write files below a directory."""
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)


def scripted(folder: Path, *, otherwise: str = "exit 0", **pieces: str) -> str:
    """Return the command of an agent that runs one piece of shell for each obligation."""
    path = folder / "agent.sh"
    cases = "\n".join(f"{node})\n{piece}\n;;" for node, piece in pieces.items())
    path.write_text(f"case $PLAN07_NODE in\n{cases}\n*)\n{otherwise}\n;;\nesac\n")
    return f"sh {shlex.quote(str(path))}"


def step(identifier: str, check: str, *dependencies: str, **more: Any) -> dict[str, Any]:
    """Return an obligation that a shell command validates."""
    return obligation(identifier, None, dependencies, validation=f"$ sh -c '{check}'", **more)


def planned(path: Path, *obligations: Mapping[str, Any]) -> Path:
    """Write the plan of some obligations."""
    path.parent.mkdir(parents=True, exist_ok=True)
    found = {"obligations": [dict(x) for x in obligations]}
    make_plan(REQUIREMENT, path, obligations=found, plan_id=PLAN_ID)
    return path


def states(plan: Path) -> dict[str, str]:
    """Return the state of each node of a plan."""
    return {node["id"]: node["state"] for node in json.loads(plan.read_text())["nodes"]}


def tree(repository: Path, commit: str = "HEAD") -> dict[str, str]:
    """Return the files of a commit with their text."""
    names = git(repository, "ls-tree", "-r", "--name-only", commit).splitlines()
    return {name: git(repository, "show", f"{commit}:{name}") + "\n" for name in names}


def attempts(repository: Path) -> list[str]:
    """Return the references that keep what was given up."""
    listed = git(repository, "for-each-ref", "--format=%(refname)", "refs/plan07")
    return listed.splitlines()


def passing(check: Check, text: str) -> CheckResult:
    """A runner for which everything passes."""
    return CheckResult(text, check.kind, "pass")
