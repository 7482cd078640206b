"""A tiny repository whose tests are looked up instead of run, and a model that follows a script.

The repository holds two constants, `a.A` and `b.B`; its tests are questions about the text of the
files, so the arms can be watched without a process for each state. What runs real tests is tested
with real ones, in test_copy and test_live.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from plan07.ab.arms import copy as copy_
from plan07.ab.arms.copy import Outcomes, WorkingCopy
from plan07.ab.arms.planned import Plans
from plan07.ab.arms.running import Running
from plan07.ab.arms.talk import Budget, Talk
from plan07.ab.records import StepRecord
from plan07.llm.call import Call, Completion

REQUEST = """\
Both constants become 2

- [ ] `a.A` is 2
- [ ] `b.B` is 2
"""
OLD, NEW_A, NEW_B = (
    "tests/test_old.py::test_old",
    "tests/test_a.py::test_a",
    "tests/test_b.py::test_b",
)
# Each test holds if all of its texts stand in the files.
TESTS: Mapping[str, Callable[[Mapping[str, str]], bool]] = {
    OLD: lambda files: "BROKEN" not in "".join(files.values()),
    NEW_A: lambda files: "A = 2" in files.get("a.py", ""),
    NEW_B: lambda files: "B = 2" in files.get("b.py", ""),
}


def edit(path: str, text: str) -> str:
    """An edit reply."""
    return f"```python\n# file: {path}\n{text}\n```"


A2, B2 = edit("a.py", "A = 2"), edit("b.py", "B = 2")
BOTH = "```python\n# file: a.py\nA = 2\n# file: b.py\nB = 2\n```"


def obligation(identifier: str, entity: str, *dependencies: str, **fields: Any) -> dict[str, Any]:
    """A record of a decomposition, validated by a statement."""
    return {
        "id": identifier,
        "target_entity": entity,
        "obligation": "modify",
        "caused_by": f"criterion: {entity} is 2",
        "dependencies": list(dependencies),
        "evidence": "",
        "status": "blocked" if dependencies else "ready",
        "validation": f"{entity} is 2",
        **fields,
    }


def plan(*records: Mapping[str, Any]) -> str:
    """A decomposition reply."""
    return json.dumps({"obligations": list(records)})


class Script:
    """A model that says one thing after the other; one question too many fails the test.

    Args:
        replies: texts, or functions of the call.
    """

    def __init__(self, *replies: str | Callable[[Call], str]) -> None:
        self._replies = list(replies)
        self.calls: list[Call] = []

    def __call__(self, call: Call) -> Completion:
        self.calls.append(call)
        assert self._replies, f"one question too many: {call.user[-300:]}"
        reply = self._replies.pop(0)
        text = reply if isinstance(reply, str) else reply(call)
        return Completion(text, "scripted-1", "stop", 100, 10, 1.0)

    @property
    def left(self) -> int:
        return len(self._replies)


class Endless(Script):
    """A model that says something new and useless, for ever."""

    def __call__(self, call: Call) -> Completion:
        self.calls.append(call)
        text = f"X{len(self.calls)} = {len(self.calls)}"
        if call.schema is not None:
            text = plan(obligation("O1", "a.A", validation="no such thing"))
        elif "numbered list" in call.system:
            text = f"1. change {len(self.calls)}"
        elif len(self.calls) % 2:
            text = edit("a.py", f"{text}  # BROKEN")
        else:
            # What is wrong with it is on another line each time.
            text = edit("a.py", "\n" * len(self.calls) + "def (")
        return Completion(text, "scripted-1", "stop", 100, 10, 1.0)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look tests up instead of running them."""

    def asked(root: str, python: str, seconds: float, tests: Sequence[str]) -> Outcomes:
        files = {path.name: path.read_text() for path in Path(root).glob("*.py")}
        held = {name: holds(files) for name, holds in TESTS.items()}
        failed = {name: "assert False" for name, holds in held.items() if not holds}
        return Outcomes(frozenset(held) - failed.keys(), failed)

    monkeypatch.setattr(copy_, "run_tests", asked)
    monkeypatch.setattr(copy_, "_run", lambda words, root, seconds: SimpleNamespace(exit=0))


def running(folder: Path, model: Script, budget: Budget | None = None) -> Running:
    """A run at its base; use it with the fixture `quick`."""
    root = folder / "repository"
    root.mkdir()
    (root / "a.py").write_text("A = 1\n")
    (root / "b.py").write_text("B = 1\n")
    made = WorkingCopy(os.fspath(root), "python3", 20)
    return Running(made, REQUEST, Talk(model, budget or Budget(calls=12, tokens=100_000)))


def plans(run: Running, folder: Path, drafted: bool = False) -> Plans:
    """The plans of a run."""
    return Plans(run, os.fspath(folder / "plans"), "python3", 20, drafted)


def seen(run: Running) -> list[tuple[str, bool]]:
    """Purpose and retry of each call."""
    return [(call.purpose, call.retry) for call in run.talk.calls]


def stood(steps: Sequence[StepRecord]) -> list[tuple[str, bool | None, bool, int]]:
    """Node, valid, applied and attempts of each step."""
    return [(step.node, step.valid, step.applied, step.attempts) for step in steps]
