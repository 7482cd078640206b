"""An exported program gives plain clingo the same atoms as the solve."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support import EXAMPLES, obligation, plan

from plan07 import document, jsontext, solver
from plan07.errors import InputError
from plan07.facts import Fact, parse, render
from plan07.ruletools import export, recording, source
from plan07.ruletools.recording import Recording


def recorded(name: str, **options: Any) -> Recording:
    value, told = jsontext.read(str(EXAMPLES / name))
    return recording.record(document.read(value, told), solver.options(**options))


def by_clingo(program: str, path: Path, *options: str) -> set[str]:
    """Return the shown atoms of the last, and so the best, answer of the plain command."""
    path.write_text(program, "utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "clingo", str(path), *options, "0", "--warn=none"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    answers = re.findall(r"^Answer: \d+.*\n(.*)$", done.stdout, re.MULTILINE)
    assert answers, done.stdout + done.stderr
    optimal = "OPTIMUM FOUND" in done.stdout
    assert optimal or len(answers) == 1
    return set(re.findall(r'(?:"(?:[^"\\]|\\.)*"|[^\s"])+', answers[-1]))


def shown(run: Recording, stage: str) -> set[str]:
    """Return what the solve itself shows in a stage."""
    ran = export.stages_of(run)[stage]
    given = [parse(line.removesuffix(".")) for line in ran.given.split("\n") if line]
    atoms = run.rules.solve(stage, given, optimise=ran.optimise)
    signatures = {
        rule.signature
        for rule in source.parse(run.rules).rules
        if rule.kind == "show" and rule.signature and stage in rule.stages
    }
    return {
        render(Fact(name, row)) for name, arity in signatures for row in atoms.rows(name, arity)
    }


@pytest.mark.parametrize(
    ("name", "options", "stage"),
    [
        ("session-timeout.plan.json", {}, "graph"),
        ("rename.plan.json", {}, "schedule"),
        ("alternatives.plan.json", {"limits": {"max_checkpoints": 1}}, "steps"),
        ("refused/cap-exceeded.plan.json", {}, "admission"),
        ("deletion.plan.json", {"policy": {"breaking_policy": "reject"}}, "graph"),
    ],
)
def test_it_runs_to_the_same_atoms(
    name: str, options: dict[str, Any], stage: str, tmp_path: Path
) -> None:
    run = recorded(name, **options)
    expected = shown(run, stage)
    assert expected
    alone = export.one_stage(run, stage)
    assert by_clingo(alone, tmp_path / "alone.lp") == expected
    whole = export.every_stage(run)
    assert by_clingo(whole, tmp_path / "all.lp", "-c", f"{export.GUARD}={stage}") == expected


def test_the_last_stage_runs_unless_told(tmp_path: Path) -> None:
    run = recorded("session-timeout.plan.json")
    program = export.every_stage(run)
    assert "#const plan07_stage = steps.\n" in program
    assert by_clingo(program, tmp_path / "all.lp") == shown(run, "steps")


def test_a_repair_and_a_user_s_rules_come_along(tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "mine.lp").write_text(
        "% Stage: graph, repair\n"
        ':- drop("O9", "O9").\n'
        ":- target(O, _), not verb(O, _) : obligation(O).\n"
        "mine(O) :- target(O, _), not verb(O, modify) : obligation(O).\n"
        "#show mine/1.\n"
    )
    run = recorded("refused/temporal-inconsistent.plan.json", rules=str(rules), repair=True)
    assert [stage.name for stage in run.stages].count("graph") == 2
    program = export.every_stage(run)
    for stage in ("repair", "graph"):
        found = by_clingo(program, tmp_path / "all.lp", "-c", f"{export.GUARD}={stage}")
        assert found == shown(run, stage), stage
    assert "drop(" in "".join(shown(run, "repair"))


def test_texts_of_a_plan_stay_texts(tmp_path: Path) -> None:
    """Whatever ends a line elsewhere, or would end a fact."""
    hostile = 'a"). ready("O9").\n\r\x0b\x0c\x85\u2028%* \\'
    value = plan(obligation("O1", "pkg.a"), obligation("O2", f"pkg.{hostile}", ["O1"]))
    run = recording.record(document.read_foreign(value, "a plan"), solver.options())
    program = export.every_stage(run)
    for stage in ("graph", "schedule"):
        found = by_clingo(program, tmp_path / "all.lp", "-c", f"{export.GUARD}={stage}")
        assert found == shown(run, stage)
    assert shown(run, "schedule") >= {'blocked("O2")', 'ready("O1")'}


def test_a_stage_that_did_not_run() -> None:
    with pytest.raises(InputError) as caught:
        export.one_stage(recorded("session-timeout.plan.json"), "repair")
    assert caught.value.code == "STAGE_NOT_RUN"
    assert caught.value.fix == "use one of admission, graph, schedule, steps"
