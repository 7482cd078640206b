"""`plan07 rules why`, `why-not`, `trace`: answers in one screen, and errors that help."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import EXAMPLES, obligation, plan

Run = Callable[..., Any]

SESSION = EXAMPLES / "session-timeout.plan.json"
CONTRACT = EXAMPLES / "expand-migrate-contract.plan.json"
# Rows of a terminal on which nothing scrolls away.
SCREEN = 40


@pytest.mark.parametrize(
    ("command", "atom", "says"),
    [
        (
            "why",
            'blocked("O7")',
            [
                'blocked("O7") holds at the stage schedule',
                "  It waits for a unit that is not complete",
                '  blocked("O7")  [readiness.blocked]',
                '    before("O2","O7")  [ordering.before]',
                "        (what depends on it lets go first: auth.Session.fetch CalledBy "
                "store.load.open_store (deleted))",
                '    not complete("O6")',
            ],
        ),
        (
            "why",
            "O2 precedes O7",
            [
                'precedes("O2","O7",_) holds at the stage graph',
                '    changes("O2","store.load.open_store")  [roles.changes]',
                '        impact(called_by,"auth.Session.fetch","store.load.open_store",exact)  '
                "[evidence]",
            ],
        ),
        (
            "why-not",
            "O7 precedes O2",
            [
                'precedes("O7","O2",_) does not hold at the stage graph',
                '  precedes.declared: declared("O2","O7") fails, the plan does not say so',
                "what holds instead",
                "it would hold",
                '  with declared("O2","O7")',
                "  but the plan is refused then: an order would leave the repository invalid: "
                "O7 before O2",
            ],
        ),
        (
            "why-not",
            'ready("O7")',
            [
                'ready("O7") does not hold at the stage schedule',
                '  readiness.ready: not blocked("O7") fails',
                "it would hold",
                *(f'  with state("O{number}",complete)' for number in range(2, 7)),
            ],
        ),
    ],
    ids=["why blocked", "why before", "why not after", "what would help"],
)
def test_the_questions_that_users_have_are_answered_in_one_screen(
    run: Run, command: str, atom: str, says: list[str]
) -> None:
    done = run("rules", command, atom, "--plan", CONTRACT)
    lines = done.out.splitlines()
    assert (done.status, done.err) == (0, "")
    assert [line for line in says if line not in lines] == []
    assert len(lines) <= SCREEN


@pytest.mark.parametrize(
    ("name", "command", "atom"),
    [
        ("rename", "why-not", "ready(O2)"),
        ("over-bounds", "why", "violation(_,_)"),
        ("migration", "why", "blocked(_)"),
        ("alternatives", "why", "stands_in(_,_)"),
        ("rename-unmended", "why", "violation(_,_)"),
    ],
)
def test_other_examples_are_explained_in_one_screen_too(
    run: Run, name: str, command: str, atom: str
) -> None:
    done = run("rules", command, atom, "--plan", EXAMPLES / f"{name}.plan.json")
    assert (done.status, done.err) == (0, "")
    assert 0 < len(done.out.splitlines()) <= SCREEN


def test_a_tree_goes_as_deep_as_it_is_asked_to(run: Run) -> None:
    done = run("rules", "why", "blocked(O7)", "--plan", CONTRACT, "--depth", "1")
    assert '    before("O2","O7")  [ordering.before]' in done.out.splitlines()
    assert "precedes" not in done.out
    deep = run("rules", "why", "blocked(O7)", "--plan", CONTRACT, "--depth", "6")
    assert len(deep.out.splitlines()) > SCREEN


def test_json_is_one_document(run: Run) -> None:
    found = run("rules", "why", "ready O1", "--plan", SESSION, "--json").document()
    assert found == {
        "question": 'ready("O1")',
        "stage": "schedule",
        "holds": True,
        "because": [
            {
                "text": 'ready("O1")',
                "holds": True,
                "rule": "readiness.ready",
                "title": "Nothing that it waits for is left",
                "place": {"file": "readiness.lp", "line": found["because"][0]["place"]["line"]},
                "because": [
                    {
                        "text": 'not blocked("O1")',
                        "holds": True,
                        "because": found["because"][0]["because"][0]["because"],
                    }
                ],
            }
        ],
        "more": 0,
        "near": [],
        "remedy": None,
        "notes": [],
    }


def test_json_of_what_would_help(run: Run) -> None:
    found = run("rules", "why-not", "ready(O2)", "--plan", SESSION, "--json").document()
    assert found["remedy"] == {"add": ['state("O1",complete)'], "remove": [], "refused": []}
    assert found["holds"] is False


@pytest.mark.parametrize(
    ("command", "atom", "status", "first"),
    [
        ("why", "blocked(O1)", 1, 'blocked("O1") does not hold'),
        ("why-not", "ready(O1)", 1, 'ready("O1") holds at the stage schedule'),
    ],
)
def test_the_other_answer_exits_with_1(
    run: Run, command: str, atom: str, status: int, first: str
) -> None:
    done = run("rules", command, atom, "--plan", SESSION)
    assert (done.status, done.out.splitlines()[0]) == (status, first)


def test_a_plan_that_is_refused_says_so(run: Run) -> None:
    path = EXAMPLES / "rename-unmended.plan.json"
    done = run("rules", "why-not", "ready(O1)", "--plan", path)
    assert done.status == 0
    assert "the plan is refused (UNRESOLVED_DEPENDENT" in done.out
    assert "so the stage schedule did not run" in done.out


def test_a_trace_shows_bindings(run: Run) -> None:
    done = run("rules", "trace", "readiness.blocked", "--plan", SESSION)
    lines = done.out.splitlines()
    assert done.status == 0
    assert lines[0].startswith("readiness.blocked (readiness.lp:")
    assert lines[0].endswith("fired in 3 instances")
    assert '  U = "O3", V = "O2"' in lines
    found = run("rules", "trace", "readiness.blocked", "--plan", SESSION, "--json").document()
    assert [each["bindings"] for each in found["instances"]] == [
        *({"U": '"O2"', "V": '"O1"'}, {"U": '"O3"', "V": '"O1"'}, {"U": '"O3"', "V": '"O2"'}),
    ]
    assert found["text"].startswith("blocked(U) :-")


def test_a_rule_that_did_not_fire_exits_with_1(run: Run) -> None:
    done = run("rules", "trace", "atomic.together", "--plan", SESSION)
    assert done.status == 1
    assert "fired in 0 instances" in done.out


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["why", "redy(O1)", "--plan", SESSION], "PREDICATE_UNKNOWN", '"redy"'),
        (["why", "ready(O1,2)", "--plan", SESSION], "PREDICATE_ARITY", "ready has 1 argument"),
        (["why-not", "ready(", "--plan", SESSION], "ATOM_INVALID", "ready("),
        (["trace", "ladder.presedes", "--plan", SESSION], "RULE_UNKNOWN", "ladder.presedes"),
        (["why", "ready(O1)", "--plan", SESSION, "--stage", "x"], "STAGE_UNKNOWN", '"x"'),
        (["why", "ready(O1)", "--plan", "nowhere.json"], "FILE_UNREADABLE", "nowhere.json"),
        (["why", "ready(O1)", "--plan", SESSION, "--policy", "a"], "USAGE", "'a'"),
        (["why", "ready(O1)"], "USAGE", "--plan"),
        (["why", "--plan", SESSION], "USAGE", "ATOM"),
    ],
)
def test_errors_have_the_one_shape(run: Run, arguments: list[Any], code: str, says: str) -> None:
    done = run("rules", *arguments)
    assert done.status == 2
    assert done.out == ""
    assert done.err.startswith(f"plan07: {code}: ")
    assert says in done.err
    assert "\n  fix: " in done.err
    error = run("rules", *arguments, "--json").document()["error"]
    assert error["code"] == code


def test_the_plan_may_come_from_standard_input(run: Run) -> None:
    done = run("rules", "why", "ready(O1)", "--plan", "-", stdin=SESSION.read_bytes())
    assert done.status == 0


def test_options_of_a_solve_hold_here_too(run: Run) -> None:
    cases = EXAMPLES / "cases"
    path, impact = cases / "click-rename.plan.json", cases / "click-rename.impact.json"
    assert run("rules", "why", "composite(O1)", "--plan", path, "--impact", impact).status == 0
    assert run("rules", "why", "composite(O1)", "--plan", path).status == 1
    path = EXAMPLES / "refused/decomposition-cycle.plan.json"
    asked = ("rules", "why", "violation(decomposition_cycle(_),_)", "--plan", path)
    assert run(*asked, "--policy", "cycle_policy=refuse").status == 0
    assert run(*asked).status == 1
    path = EXAMPLES / "refused/temporal-inconsistent.plan.json"
    assert run("rules", "why", "drop(_,_)", "--plan", path, "--repair").status == 0


def test_nothing_of_a_plan_acts_on_a_terminal(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps(plan(obligation("O1", "a\x1b[31mb\u202e"))), "utf-8")
    done = run("rules", "why", "target(O1,_)", "--plan", path)
    assert done.status == 0
    assert "\\u001b[31mb\\u202e" in done.out
    assert "\x1b" not in done.out


def test_rules_that_are_broken_are_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.lp").write_text("% Stage: schedule\nprefer(O, N) :- verb(O, modify).\n")
    done = run("rules", "why", "ready(O1)", "--plan", SESSION, "--rules", tmp_path)
    assert done.status == 3
    assert "mine.lp" in done.err


def test_the_same_question_has_the_same_answer_to_the_byte() -> None:
    """Whatever the seed of hashes: nothing depends on the order of sets."""
    command = [sys.executable, "-m", "plan07", "rules", "why-not", "O7 precedes O2"]
    said = {
        subprocess.run(
            [*command, "--plan", str(CONTRACT), "--json"],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


def test_a_runaway_rule_is_stopped_before_anything_is_explained(run: Run, tmp_path: Path) -> None:
    (tmp_path / "boom.lp").write_text(
        "%# Boom: what?\n% Stage: graph\nboom_n(1..400).\n"
        "boom(A,B,C,D) :- boom_n(A), boom_n(B), boom_n(C), boom_n(D).\n",
        "utf-8",
    )
    asked = ("rules", "why", "ready(O1)", "--plan", SESSION, "--rules", tmp_path)
    done = run(*asked, "--time-limit", "1")
    assert (done.status, done.out) == (3, "")
    assert done.err.startswith("plan07: TIME_LIMIT: ")


def test_a_plan_that_is_refused_in_time_is_explained(run: Run) -> None:
    path = EXAMPLES / "rename-unmended.plan.json"
    asked = ("rules", "why", "violation(_,_)", "--plan", path)
    assert run(*asked, "--time-limit", "60").out == run(*asked).out
