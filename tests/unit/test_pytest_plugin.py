"""The pytest plug-in: rule tests are collected where there are some, and nothing happens else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

Run = Callable[..., tuple[int, str]]

OVERLAY = """\
%# Freeze: what must not change?
% Stage: graph
violation(frozen(E), O) :- target(O, E), verb(O, modify), E = "vendor".
"""
TESTS = """\
#program test_vendor. target("O1", "vendor"). verb("O1", modify).
violation_expected(frozen("vendor"), "O1").
#program test_source. target("O1", "src"). verb("O1", modify).
"""


def run(directory: Path, *arguments: str) -> tuple[int, str]:
    """Return the exit status of a pytest run in a directory, and what it said."""
    path = {"PYTHONPATH": ""} if "PYTHONPATH" in os.environ else {}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=directory,
        env={**os.environ, **path, "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def within(policy: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function that does the same within this process, which takes less time."""

    def call(*arguments: str) -> tuple[int, str]:
        monkeypatch.chdir(policy)
        done = pytester.runpytest_inprocess("-p", "no:cacheprovider", "--rootdir=.", *arguments)
        return int(done.ret), "\n".join([*done.outlines, *done.errlines])

    return call


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """Return a directory with an overlay and its tests, and nothing else."""
    (tmp_path / "freeze.lp").write_text(OVERLAY, encoding="utf-8")
    (tmp_path / "freeze_test.lp").write_text(TESTS, encoding="utf-8")
    return tmp_path


def test_a_directory_with_an_overlay_and_pytest_alone(policy: Path) -> None:
    status, said = run(policy, "-v")
    assert status == 0, said
    assert "freeze_test.lp::test_vendor PASSED" in said
    assert "freeze_test.lp::test_source PASSED" in said


def test_a_failure_tells_atoms_and_no_python(policy: Path, within: Run) -> None:
    with (policy / "freeze_test.lp").open("a") as stream:
        stream.write('#program test_wrong. target("O1", "src"). expect(violation(_, "O1")).\n')
    status, said = within("-k", "wrong")
    assert status == 1
    assert 'line 4: expected, not derived: violation(_,"O1")' in said
    assert "Traceback" not in said and ".py:" not in said
    assert "freeze_test.lp::test_wrong" in said


def test_a_file_that_is_no_test_is_an_error_of_collection(policy: Path, within: Run) -> None:
    (policy / "freeze_test.lp").write_text("#program test_x.\na b.\n")
    status, said = within()
    assert status == 2
    assert "freeze_test.lp:2: syntax error" in said and "Traceback" not in said


def test_rules_that_do_not_load_fail_every_test(policy: Path, within: Run) -> None:
    (policy / "freeze.lp").write_text("% Stage: graph\na b.\n")
    status, said = within()
    assert status == 1
    assert "2 failed" in said and "freeze.lp:2:3: syntax error" in said


def test_settings(policy: Path, within: Run) -> None:
    (policy / "rules").mkdir()
    (policy / "freeze.lp").rename(policy / "rules" / "freeze.lp")
    (policy / "pytest.ini").write_text("[pytest]\nplan07_rules = rules\nplan07_time_limit = 20\n")
    assert within("-k", "vendor")[0] == 0
    (policy / "pytest.ini").write_text("[pytest]\nplan07_rules = rules\nplan07_time_limit = no\n")
    status, said = within()
    assert status != 0 and "plan07_time_limit cannot be 'no' seconds" in said


PLAIN = """\
import sys

def test_nothing_is_loaded():
    loaded = {each for each in sys.modules if each.split(".")[0] in ("plan07", "clingo")}
    assert loaded <= {"plan07", "plan07.pytest_plugin"}, loaded
"""


def test_runs_of_others_are_left_alone(tmp_path: Path) -> None:
    """No rule test, nothing loaded; another project's `*_test.lp` is not collected."""
    (tmp_path / "test_plain.py").write_text(PLAIN)
    (tmp_path / "puzzle_test.lp").write_text("{ a }. :- not a.\n")
    (tmp_path / "binary_test.lp").write_bytes(b"\xff\xfe")
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\naddopts = --strict-markers --strict-config\nfilterwarnings = error\n"
    )
    status, said = run(tmp_path)
    assert (status, "1 passed" in said) == (0, True), said


def test_it_can_be_switched_off(within: Run) -> None:
    assert within("-p", "no:plan07")[0] == pytest.ExitCode.NO_TESTS_COLLECTED
