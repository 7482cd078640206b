"""The overlays among the examples: checked, tested, and each with a plan that shows its effect."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import EXAMPLES

Run = Callable[..., Any]

OVERLAYS = EXAMPLES / "overlays"
NAMES = sorted(path.name for path in OVERLAYS.iterdir())
ROWS = re.findall(
    r"^\| `plan07 solve (overlays/\S+) --rules (overlays/\S+)` \| (.+) \|$",
    (EXAMPLES / "README.md").read_text("utf-8"),
    re.MULTILINE,
)


def test_there_are_three() -> None:
    assert NAMES == ["documentation-last", "frozen-directory", "security-review"]


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_found_in_it(run: Run, name: str) -> None:
    done = run("rules", "check", "--rules", OVERLAYS / name)
    assert (done.status, done.out, done.err) == (0, "no findings\n", "")


@pytest.mark.parametrize("name", NAMES)
def test_its_tests_pass_and_cover_every_rule(run: Run, name: str) -> None:
    found = run("rules", "coverage", OVERLAYS / name, "--rules", OVERLAYS / name, "--json")
    assert found.status == 0


def test_every_plan_stands_in_the_readme_with_its_rules() -> None:
    plans = {each.relative_to(EXAMPLES).as_posix() for each in OVERLAYS.rglob("*.plan.json")}
    assert {plan for plan, _, _ in ROWS} == plans
    assert all(plan.startswith(f"{rules}/") for plan, rules, _ in ROWS)


@pytest.mark.parametrize(("plan", "rules", "says"), ROWS, ids=[plan for plan, _, _ in ROWS])
def test_a_plan_shows_what_the_overlay_does(run: Run, plan: str, rules: str, says: str) -> None:
    done = run("solve", EXAMPLES / plan, "--rules", EXAMPLES / rules, "--json")
    plain = run("solve", EXAMPLES / plan, "--json").document()
    if says.startswith("`OVERLAY`"):
        (violation,) = done.document()["error"]["violations"]
        assert done.status == 1
        assert violation["code"] == "OVERLAY"
        assert violation["subject"] in says
    else:
        order = done.document()["order"]
        assert says.startswith(f"{len(order)} steps: {', '.join(order)};")
    if "without the overlay" in says:
        assert says.endswith(f"without the overlay {', '.join(plain['order'])}")


def test_pytest_alone_collects_and_runs_the_tests_of_a_policy(tmp_path: Path) -> None:
    """A directory with an overlay and nothing else: no configuration, no conftest."""
    for name in NAMES:
        shutil.copytree(OVERLAYS / name, tmp_path / name)
    tests = sum(
        path.read_text("utf-8").count("#program test_") for path in tmp_path.rglob("*_test.lp")
    )
    done = _pytest(tmp_path)
    assert (done.returncode, f"{tests} passed" in done.stdout) == (0, True), done.stdout
    (rules,) = (tmp_path / "frozen-directory").glob("frozen.lp")
    rules.write_text(rules.read_text("utf-8").replace('"vendor/"', '"vendors/"'), "utf-8")
    done = _pytest(tmp_path / "frozen-directory")
    assert done.returncode == 1
    assert "test_an_edit_of_a_copy_is_refused" in done.stdout


def _pytest(directory: Path) -> subprocess.CompletedProcess[str]:
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "PLAN07"))
    }
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        capture_output=True,
        text=True,
        cwd=directory,
        env=environment,
        check=False,
        timeout=120,
    )
