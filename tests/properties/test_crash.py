"""Killed anywhere, a plan goes on as if nothing had happened (S-000-093, S-000-094, F19).

A child process drives a plan of five nodes and is killed with SIGKILL before, or half-way through,
its N-th write, sync, rename, removal or gate; for every N until it is no longer killed. The points
are found by counting, so a new one is tried without a change here.
"""

from __future__ import annotations

import builtins
import io
import json
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import obligation

from plan07 import artifact, jsonlines, planning, prompt, rulebook, solver
from plan07.checks import Check
from plan07.decompose import Decomposition
from plan07.driver import Driver
from plan07.errors import PlanRefused
from plan07.evidence import Evidence
from plan07.state import TEMPORARY, Store
from plan07.validate import CheckResult

TIME = "2026-01-01T00:00:00Z"
REQUIREMENT = {"goal": "g", "acceptance_criteria": ["a"], "constraints": []}
# A diamond with a tail; B fails once and is replanned.
NODES = {"A": (), "B": ("A",), "C": ("A",), "D": ("B", "C"), "E": ("D",)}


class Fuse:
    """Kills the process at the N-th point."""

    def __init__(self, left: int) -> None:
        self.left = left

    def point(self, half: Callable[[], object] = lambda: None) -> None:
        self.left -= 1
        if not self.left:
            half()
            os.kill(os.getpid(), signal.SIGKILL)


def arm(fuse: Fuse) -> None:
    """Put a point before each call that changes the disk, and within each write."""
    for name in ("fsync", "replace", "unlink", "makedirs"):
        plain = getattr(os, name)

        def fused(*given: Any, _plain: Any = plain, **more: Any) -> Any:
            fuse.point()
            return _plain(*given, **more)

        setattr(os, name, fused)
    append, opened = jsonlines.append, os.fdopen

    def half_a_row(stream: Any, *rows: Any) -> None:
        text = "\n".join(json.dumps(row) for row in rows)[:-5].encode()

        def half() -> None:
            stream.seek(0, os.SEEK_END)
            stream.write(text)
            stream.flush()

        fuse.point(half)
        append(stream, *rows)

    def half_a_file(handle: int, mode: str) -> Any:
        stream = opened(handle, mode)
        write = stream.write

        class Halved(io.BufferedIOBase):
            def __enter__(self) -> Any:
                return self

            def __exit__(self, *_: object) -> None:
                stream.close()

            def fileno(self) -> int:
                return stream.fileno()

            def write(self, data: Any) -> int:
                fuse.point(lambda: (write(data[: len(data) // 2]), stream.flush()))
                return write(data)

            def flush(self) -> None:
                stream.flush()

        return Halved()

    for module, name, replaced in (
        (jsonlines, "append", half_a_row),
        (os, "fdopen", half_a_file),
    ):
        setattr(module, name, replaced)


def make(path: Path) -> None:
    records = [
        obligation(name, dependencies=needs, validation=f"tests/test_{name}.py")
        for name, needs in NODES.items()
    ]
    given = planning.given({"obligations": records})
    options = solver.options()
    made = planning.make(REQUIREMENT, Evidence(), given, options, "plan-20260101-0000")
    planning.write(Store(path), made, lambda: TIME)


def drive(path: Path, fuse: Fuse | None = None) -> None:
    """Drive the plan to its end, as a harness would: whatever is exposed is validated."""
    tried = path.with_name("tried")

    def run(check: Check, text: str) -> CheckResult:
        if fuse is not None:
            fuse.point()
        failed = "test_B" in text and not tried.exists()
        if failed:
            with builtins.open(tried, "w") as stream:
                stream.write("x")
        return CheckResult(text, check.kind, "fail" if failed else "pass", "no" * failed)

    def again(fragment: prompt.Fragment) -> Decomposition:
        names = ("id", "target_entity", "obligation", "caused_by", "dependencies", "evidence")
        inside = {node["id"] for node in fragment.nodes}
        records = [
            {
                **{name: node[name] for name in (*names, "status", "validation")},
                "dependencies": [each for each in node["dependencies"] if each in inside],
            }
            for node in fragment.nodes
        ]
        return Decomposition({"obligations": records})

    driver = Driver(Store(path), rulebook.load(), lambda: TIME, run=run, replanner=again)
    while True:
        try:
            node = driver.next()["node_id"]
        except PlanRefused as refused:
            assert refused.code == "NOTHING_READY"
            if refused.detail["verdict"] != "stalled":
                return
            # Killed between a failure and its replan: the edit was mended, so it is tried again.
            node = refused.detail["failed"][0]
        driver.validate(node)


def killed(path: Path, number: int) -> bool:
    """Drive in a child that is killed at a point; False if it came to the end."""
    child = os.fork()
    if not child:
        fuse = Fuse(number)
        arm(fuse)
        try:
            drive(path, fuse)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def test_f19_killed_at_every_point_nothing_is_lost_or_done_twice(tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    make(fresh / "plan.json")
    number = 0
    while True:
        number += 1
        folder = tmp_path / "now"
        shutil.copytree(fresh, folder)
        path = folder / "plan.json"
        was_killed = killed(path, number)
        before = Store(path).load()
        done = {node["id"] for node in before.artifact["nodes"] if node["state"] == "complete"}
        landed = {row["obligation"] for row in before.log if row["event"] == "pass"}
        assert landed == done, f"point {number}: the audit tells of what did not land"
        drive(path)
        stored = Store(path).load()
        assert not stored.notes
        assert {node["state"] for node in stored.artifact["nodes"]} == {"complete"}, number
        passes = [row["obligation"] for row in stored.log if row["event"] == "pass"]
        assert sorted(passes) == sorted(NODES), f"point {number}: lost, or done twice"
        assert artifact.revision(stored.artifact) <= 1
        assert len(stored.artifact["audit"]) == len(NODES)
        left = [name for name in os.listdir(folder) if name.startswith(TEMPORARY)]
        assert len(left) <= 1, f"point {number}: {left}"
        shutil.rmtree(folder)
        if not was_killed:
            break
    # Six gates, and at least six saves of three points each.
    assert number > 24


@pytest.mark.parametrize("number", range(1, 12))
def test_killed_while_it_is_made_a_plan_is_there_or_not(tmp_path: Path, number: int) -> None:
    path = tmp_path / "plan.json"
    child = os.fork()
    if not child:
        arm(Fuse(number))
        try:
            make(path)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    if path.exists():
        assert len(Store(path).load().artifact["nodes"]) == len(NODES)
    else:
        make(path)
        assert Store(path).load().notes == ()
