"""`plan07 rules test`, `coverage` and `mutate`."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

Run = Callable[..., Any]

RULES = """\
% Stage: graph
violation(frozen(E), O) :- target(O, E), verb(O, modify), E = "vendor".
unused(O) :- never(O).
#defined never/1.
"""
TESTS = """\
#program test_vendor. target("O1", "vendor"). verb("O1", modify).
violation_expected(frozen("vendor"), "O1").
#program test_source. target("O1", "src"). verb("O1", modify).
#program test_read. target("O1", "vendor"). verb("O1", validate).
"""
WRONG = '#program test_wrong. target("O1", "src").\nexpect(violation(_, "O1")).\n'


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    """Return a directory with an overlay and its tests."""
    (tmp_path / "freeze.lp").write_text(RULES, encoding="utf-8")
    (tmp_path / "freeze_test.lp").write_text(TESTS, encoding="utf-8")
    return tmp_path


def test_tests_that_pass(run: Run, policy: Path) -> None:
    done = run("rules", "test", policy)
    assert (done.status, done.err) == (0, "")
    assert done.out == f"{policy}/freeze_test.lp: 3 passed\n\n3 tests: 3 passed\n"


def test_a_test_that_fails_is_told_with_its_atoms(run: Run, policy: Path) -> None:
    path = policy / "freeze_test.lp"
    path.write_text(TESTS + WRONG)
    done = run(
        "rules", "test", "-v", "-k", "freeze.*(wrong|read)", "--junit", policy / "x.xml", path
    )
    assert done.status == 1
    assert done.out.splitlines() == [
        f"{path}:4: passed: test_read",
        f"{path}:5: failed: test_wrong",
        '  line 6: expected, not derived: violation(_,"O1")',
        "    nothing of violation is derived",
        f"{path}: 1 passed, 1 failed",
        "",
        "2 tests: 1 passed, 1 failed",
    ]
    suite = ElementTree.parse(policy / "x.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")


def test_json_is_one_document(run: Run, policy: Path) -> None:
    path = policy / "freeze_test.lp"
    path.write_text(TESTS + WRONG)
    done = run("rules", "test", "--json", path, "--jobs", "2")
    document = done.document()
    assert (done.status, done.err) == (1, "")
    assert {name: document[name] for name in ("passed", "failed", "error")} == {
        "passed": 3,
        "failed": 1,
        "error": 0,
    }
    assert document["tests"][3] == {
        "path": str(path),
        "name": "test_wrong",
        "line": 5,
        "status": "failed",
        "missing": [{"pattern": 'violation(_,"O1")', "line": 6, "nearest": []}],
        "unexpected": [],
        "problems": [],
    }


@pytest.mark.parametrize("command", ["test", "coverage", "mutate"])
def test_nothing_to_run_is_a_failure(run: Run, tmp_path: Path, command: str) -> None:
    done = run("rules", command, tmp_path)
    assert (done.status, done.out) == (2, "")
    assert f"TESTS_NONE: there is no rule test in {tmp_path}" in done.err


def test_faults_of_a_test_file_are_told_with_their_lines(run: Run, policy: Path) -> None:
    (policy / "freeze_test.lp").write_text("#program x. a.\n#program test_y. :- a.\n")
    done = run("rules", "test", "--json", policy)
    assert done.status == 2
    assert [each["subject"] for each in done.document()["error"]["violations"]] == [
        f"{policy}/freeze_test.lp:1",
        f"{policy}/freeze_test.lp:2",
    ]


def test_rules_that_do_not_load(run: Run, policy: Path) -> None:
    (policy / "freeze.lp").write_text("% Stage: graph\na b.\n")
    done = run("rules", "test", policy)
    assert done.status == 3
    assert "RULES_SYNTAX: freeze.lp:2:3: " in done.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-k", "("], "-k takes a regular expression"),
        (["-k", "nothing"], "no test is named like 'nothing'"),
        (["--watch", "--json"], "--watch prints no JSON"),
        (["--jobs", "0"], "--jobs"),
        (["--time-limit", "0"], "--time-limit"),
        (["--junit", "nowhere/x.xml"], "'nowhere/x.xml' cannot be written"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_usage(run: Run, policy: Path, arguments: list[str], said: str) -> None:
    done = run("rules", "test", policy, *arguments)
    assert done.status == 2
    assert said in done.err + done.out


def test_coverage(run: Run, policy: Path) -> None:
    done = run("rules", "coverage", policy)
    assert done.status == 1
    assert done.out.splitlines() == [
        "file       rules  fired  refusals  with both cases",
        "freeze.lp  2      1      1         1",
        "",
        "missing",
        "  freeze.lp:3: freeze.unused: never fired",
        "",
        "1 of 2 rules fired; 1 of 1 refusals have a case for and a case against them; "
        "3 tests: 3 passed",
    ]


@pytest.mark.parametrize(("threshold", "status"), [(0, 0), (1, 0), (2, 1)])
def test_a_threshold_compares_counts(run: Run, policy: Path, threshold: int, status: int) -> None:
    done = run("rules", "coverage", policy, "--json", "--threshold", threshold)
    document = done.document()
    assert (done.status, document["fired"], document["of"]) == (status, 1, 2)
    frozen, unused = document["rules"]
    assert (frozen["tests"], frozen["against"]) == (["test_vendor"], ["test_source", "test_read"])
    assert unused["missing"] == ["never fired"]


def test_mutate(run: Run, policy: Path) -> None:
    done = run("rules", "mutate", policy)
    assert done.status == 1
    lines = done.out.splitlines()
    assert lines[:5] == [
        "file       mutants  killed  explained  survived",
        "freeze.lp  7        6       0          1",
        "",
        "survived",
        "  freeze.lp:3: freeze.unused: without the rule",
    ]
    assert lines[5:] == [
        "    (nothing)",
        "",
        "7 changes: 6 noticed, 0 explained, 1 neither",
    ]


def test_mutate_with_an_explanation(run: Run, policy: Path) -> None:
    path = policy / "freeze_test.lp"
    why = "%@ survives: freeze.unused: without the rule because it is not used.\n"
    path.write_text(why + "%@ survives: gone because it was.\n" + TESTS)
    done = run("rules", "mutate", path, "--json")
    document = done.document()
    assert (done.status, document["stale"]) == (1, ["gone"])
    assert document["files"] == [
        {"file": "freeze.lp", "mutants": 7, "killed": 6, "explained": 1, "survived": 0}
    ]
    path.write_text(why + TESTS)
    told = run("rules", "mutate", path, "-v")
    assert told.status == 0
    assert "    because it is not used." in told.out.splitlines()


def test_mutants_of_rules_whose_tests_fail_are_not_tried(run: Run, policy: Path) -> None:
    (policy / "freeze_test.lp").write_text(TESTS + WRONG)
    done = run("rules", "mutate", policy)
    assert done.status == 2
    assert "1 of 4 tests fail before anything is changed, the first is test_wrong" in done.err


def test_watch_runs_again_when_a_rule_changes(policy: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "plan07", "rules", "test", "--watch", str(policy)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    try:
        assert _summary(process.stdout) == "3 tests: 3 passed\n"
        time.sleep(0.1)
        (policy / "freeze.lp").write_text(RULES.replace("vendor", "lib"), encoding="utf-8")
        assert _summary(process.stdout) == "3 tests: 2 passed, 1 failed\n"
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
        process.stdout.close()


def _summary(lines: Any) -> str:
    return next(line for line in lines if re.match(r"\d+ tests: ", line))


def test_a_report_that_cannot_be_written_is_the_one_document(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.lp").write_text("% Stage: schedule\nmine(1).\n", "utf-8")
    path = tmp_path / "mine_test.lp"
    path.write_text("#program test_a.\nexpect(mine(1)).\n", "utf-8")
    done = run("rules", "test", path, "--junit", tmp_path / "nowhere" / "x.xml", "--json")
    assert (done.status, list(done.document())) == (2, ["error"])
