"""Plans on the disk that are driven in process, by checks that a test scripts."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from support import obligation

from plan07.api import make_plan
from plan07.checks import Check
from plan07.session import Planner
from plan07.validate import CheckResult

NOW = "2026-09-05T14:12:00Z"
REQUIREMENT = {"goal": "Make it so", "acceptance_criteria": ["it is so"], "constraints": []}

Hook = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class Checks:
    """Runs nothing: a validation passes unless it is said to fail, or to break.

    Args:
        failing: obligations whose test fails.
        broken: obligations whose test cannot be run.
        before: called with the text of each check before it is judged.
    """

    def __init__(
        self,
        failing: Iterable[str] = (),
        broken: Iterable[str] = (),
        before: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.failing = {proof(each) for each in failing}
        self.broken = {proof(each) for each in broken}
        self.before = before
        self.seen: list[str] = []

    def __call__(self, check: Check, text: str) -> CheckResult:
        self.before(text)
        self.seen.append(text)
        if text in self.broken:
            return CheckResult(text, check.kind, "error", "it cannot be run")
        if text in self.failing:
            return CheckResult(text, check.kind, "fail", f"{text} failed", 1)
        return CheckResult(text, check.kind, "pass", "", 0)


def proof(identifier: str) -> str:
    """Return the validation of the obligation that `step` makes."""
    return f"tests/test_{identifier}.py"


def step(identifier: str, *dependencies: str, **more: Any) -> dict[str, Any]:
    """Return an obligation with a test of its own."""
    more.setdefault("validation", proof(identifier))
    target = more.pop("target", None)
    return obligation(identifier, target, dependencies, **more)


def diamond() -> list[dict[str, Any]]:
    """Return A, which B and C wait for, which D waits for."""
    return [step("A"), step("B", "A"), step("C", "A"), step("D", "B", "C")]


def chain(*names: str) -> list[dict[str, Any]]:
    """Return obligations each of which waits for the one before."""
    return [step(name, *names[place - 1 : place]) for place, name in enumerate(names)]


def written(path: str | os.PathLike[str], *obligations: Mapping[str, Any], **more: Any) -> str:
    """Write the plan of some obligations and return its path.

    Args:
        path: a directory for `plan.json`, or the file.
        obligations: in their wire form.
        more: options of `make_plan`; `requirement` is one beside them.
    """
    file = Path(path)
    if file.is_dir():
        file /= "plan.json"
    requirement = more.pop("requirement", REQUIREMENT)
    make_plan(
        requirement,
        file,
        obligations={"obligations": list(obligations)},
        now=lambda: NOW,
        plan_id="plan-20260905-1412",
        **more,
    )
    return str(file)


def opened(path: str, checks: Checks | None = None, **options: Any) -> Planner:
    """Return a planner of the plan in a file, whose checks are scripted."""
    return Planner.open(path, run=checks or Checks(), now=lambda: NOW, **options)


def document(path: str) -> dict[str, Any]:
    """Return the artifact in a file."""
    value: dict[str, Any] = json.loads(Path(path).read_text("utf-8"))
    return value


def nodes(path: str) -> dict[str, dict[str, Any]]:
    """Return the nodes of the plan in a file, by id."""
    return {node["id"]: node for node in document(path)["nodes"]}


def waits(path: str) -> dict[str, list[str]]:
    """Return what each node of a plan depends on."""
    return {name: node["dependencies"] for name, node in nodes(path).items()}


def states(path: str) -> dict[str, str]:
    """Return the state of each node of a plan."""
    return {name: node["state"] for name, node in nodes(path).items()}


def lines(path: str) -> dict[str, bytes]:
    """Return the line of each node as it stands in the file, without the comma at its end."""
    found = {}
    for line in Path(path).read_bytes().splitlines():
        if line.startswith(b'{"id":'):
            found[json.loads(line.rstrip(b","))["id"]] = line.rstrip(b",")
    return found


def aged(path: str, revisions: int) -> None:
    """Make a plan one that was revised so often."""
    found = document(path)
    found["revision_history"] = [
        {"rev": number, "time": NOW, "change": "added N", "caused_by": "O1 evidence"}
        for number in range(1, revisions + 1)
    ]
    Path(path).write_text(json.dumps(found, separators=(",", ":")), "utf-8")


def events(path: str) -> list[str]:
    """Return the events in the audit of a plan, but for its creation."""
    rows = Path(f"{path}.audit.jsonl").read_text("utf-8").splitlines()
    return [json.loads(row)["event"] for row in rows][1:]


def answering(*obligations: Mapping[str, Any]) -> Hook:
    """Return a hook that gives these obligations for whatever failed."""
    return lambda fragment: {"obligations": list(obligations)}


def run_all(planner: Planner, most: int = 100) -> Sequence[str]:
    """Validate what is actionable until nothing is, and return the ids in that order."""
    walked: list[str] = []
    while (exposed := planner.status().next) is not None and len(walked) < most:
        walked.append(exposed)
        planner.validate(exposed)
    return walked
