"""The replay: which edit waits for which, what each state is worth, and what the table says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from replayed import RECORD, change, clone, environments

from bench.replay import orders, page, planned
from bench.replay.dependencies import Found, dependencies
from bench.replay.replaying import Job, Places, replay
from bench.replay.revision import drive
from bench.replay.states import States
from bench.replay.table import markdown, totals
from plan07 import reconstore


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> tuple[States, Found]:
    place = tmp_path_factory.mktemp("replay")
    made = change(place)
    recons = [reconstore.refresh(end, f"{end}.db") for end in made.ends]
    found = dependencies(made, *recons)
    edited = {f"{made.edits[n].path}::{made.edits[n].name}" for n in found.tests}
    return States(made, RECORD, Path(sys.executable), str(place / "kept"), edited), found


BILL, OLD_RATE, RATE, TOTAL, IMPORT, TEST_TOTAL, TEST_RATE = range(7)


def test_the_steps_of_the_example(case: tuple[States, Found]) -> None:
    """A new helper before its user, callers and pinned tests with the signature, deletions last."""
    states, found = case
    steps = [list(each.edits) for each in planned.scheduled(states.change, found, "shop")]
    assert steps == [
        [RATE],
        [BILL, TOTAL, TEST_TOTAL],
        [OLD_RATE],
        [IMPORT],
        [TEST_RATE],
    ]


def test_who_uses_what_refuses_more_goes_before_it(tmp_path: Path) -> None:
    """While nothing is refused yet it is safe; what is raised as before says nothing."""
    refusing = "def get(name):\n    if not name:\n        raise {}\n    return {}\n"
    asking = "from .store import get\n\n\ndef ask(name):\n    return {}\n"
    steps = []
    for old in ("KeyError(name)", "ValueError"):
        place = tmp_path / old[:3]
        made = change(
            place,
            {"shop/store.py": refusing.format(old, 1), "shop/use.py": asking.format("get(name)")},
            {
                "shop/store.py": refusing.format("ValueError(name)", 2),
                "shop/use.py": asking.format("get(name) if name else None"),
            },
        )
        found = dependencies(made, *(reconstore.refresh(end, f"{end}.db") for end in made.ends))
        named = [each.name for each in made.edits]
        units = planned.scheduled(made, found, "shop")
        steps.append([[named[n] for n in each.edits] for each in units])
    assert steps == [[["ask"], ["get"]], [["get"], ["ask"]]]


@pytest.mark.parametrize(
    ("applied", "valid", "why"),
    [
        (set(), (True, True, True), ""),
        ({RATE}, (True, True, True), ""),
        ({IMPORT}, (False, False, True), "2 fail: tests/test_shop.py::test_bill"),
        ({OLD_RATE}, (False, False, False), "undefined shop/price.py: old_rate"),
        ({RATE, TOTAL}, (False, False, True), "2 fail: tests/test_shop.py::test_bill"),
        ({RATE, TOTAL, BILL}, (False, True, True), "1 fail: tests/test_shop.py::test_total"),
    ],
)
def test_what_a_state_is_worth(
    case: tuple[States, Found], applied: set[int], valid: tuple[bool, bool, bool], why: str
) -> None:
    found = case[0].verdict(frozenset(applied))
    assert (found.tests, found.stable, found.new) == valid
    assert found.why.startswith(why)


def test_a_state_is_tried_once(case: tuple[States, Found]) -> None:
    states, _ = case
    states.verdict(frozenset({RATE}))
    runs = states.runs
    states.verdict(frozenset({RATE}))
    again = States(states.change, RECORD, Path(sys.executable), states.kept, frozenset())
    again.verdict(frozenset({RATE}))
    assert (states.runs, again.runs) == (runs, 0)


def test_a_gate_finds_what_the_evidence_does_not_say(case: tuple[States, Found]) -> None:
    """S-000-053: a failure is rolled back, and only its part of the plan changes."""
    states, found = case
    blind = found._replace(dependencies=[])
    driven = drive(states.change, blind, states, "shop")
    done: set[int] = set()
    for step in driven.steps:
        done |= set(step)
        assert states.verdict(frozenset(done)).tests
    assert sorted(done) == list(range(7))
    assert driven.refused > 0
    assert drive(states.change, found, states, "shop").refused == 0


def test_the_plain_orders(case: tuple[States, Found]) -> None:
    states, found = case
    made = states.change
    assert orders.diff_order(made) == [[each] for each in range(7)]
    assert orders.reverse(made) == [[each] for each in range(6, -1, -1)]
    assert orders.shuffled(made, 3) == orders.shuffled(made, 3) != orders.shuffled(made, 4)
    assert orders.by_file(made) == [[0], [1, 2, 3], [4, 5, 6]]
    assert orders.tests_last(made, found.tests) == orders.diff_order(made)
    places = {step[0]: place for place, step in enumerate(orders.topological(made, found))}
    assert places[RATE] < places[TOTAL] < places[BILL]
    assert places[RATE] < places[IMPORT] < places[TEST_RATE]


def test_a_search_over_states_takes_what_is_valid_and_else_the_fewest_together() -> None:
    valid = {frozenset(each) for each in ([1], [1, 0, 2], [0, 1, 2, 3])}
    found = orders.greedy(4, lambda state: frozenset(state) in valid, range(4), 100)
    assert found == ([[1], [0, 2], [3]], True)
    assert orders.greedy(4, lambda state: False, range(4), 3) == ([[0, 1, 2, 3]], False)


ORDERS = ("plan07", "plan07+revision", "diff", "search")


def test_a_replay_says_how_each_order_fares(tmp_path: Path) -> None:
    record = clone(tmp_path / "repos")
    places = Places(
        str(tmp_path / "repos"), str(environments(tmp_path / "envs")), str(tmp_path / "kept")
    )
    row = replay(Job(record, ORDERS, 4, places))
    assert (row["commit"], row["edits"], row["tests"]) == (
        f"example/shop@{record['commit'][:10]}",
        7,
        2,
    )
    assert row["orders"]["plan07"] == {
        "steps": 5,
        "intermediate": 4,
        "valid": 4,
        "stable": 4,
        "new": 4,
        "largest": 3,
        "first_failure": "",
    }
    assert row["orders"]["plan07+revision"]["rolled_back"] == 0
    assert row["orders"]["diff"]["valid"] < 4
    again = replay(Job(record, ORDERS, 4, places))
    assert again == row
    told = markdown([row], ["plan07", "diff"])
    assert f"| example/shop@{record['commit'][:10]} | 7 | 4/4 (3) |" in told
    assert "| plan07 | 4 of 4 (100%) | 4 of 4 (100%) | 4 of 4 (100%) | 5 | 0.57 | 3 |" in told


def row_of(commit: str, **orders: tuple[int, int]) -> dict[str, Any]:
    keys = ("steps", "stable", "new", "largest")
    told = {
        name: {**dict.fromkeys(keys, 1), "valid": valid, "intermediate": whole}
        for name, (valid, whole) in orders.items()
    }
    return {"commit": commit, "split": "tuned", "edits": 9, "orders": told}


def test_where_a_plain_order_does_better_is_told() -> None:
    """By the share, in which one great step is as good as can be, and by the number."""
    rows = [
        row_of("better", plan07=(4, 4), diff=(3, 8), reverse=(1, 8)),
        row_of("one-step", plan07=(0, 0), diff=(2, 8), reverse=(1, 8)),
        row_of("worse", plan07=(3, 6), diff=(1, 8), reverse=(5, 8)),
    ]
    told = markdown(rows, ["plan07", "diff", "reverse"])
    assert told.splitlines()[-3:] == [
        "A plain order keeps a larger share of its states valid than plan07 on 1 of 3 commits: "
        "worse.",
        "",
        "A plain order keeps a larger number of its states valid than plan07 on 2 of 3 commits: "
        "one-step, worse.",
    ]
    assert "A plain order" not in markdown(rows, ["diff", "reverse"])
    assert "on 0 of 1 commits." in markdown(rows[:1], ["plan07", "diff"])


def test_a_refused_plan_is_a_row_of_its_own() -> None:
    row = {"edits": 3, "orders": {"plan07": {"refused": ["why"]}}}
    assert totals([row], "plan07")["refused"] == 1
    assert totals([row], "plan07")["edits"] == 0


def test_the_command_says_what_it_cannot_do(tmp_path: Path) -> None:
    def run(*arguments: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "bench", "replay", "--repos", str(tmp_path), *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stderr

    assert run("--orders", "best")[0] == 2
    assert run("--only", "no such commit") == (2, "replay: the corpus has no such commit\n")
    left_out = run("--only", "tenacity@4", "--without", "x", "tenacity")
    assert left_out == (2, "replay: the corpus has no such commit\n")


def test_a_page_joins_what_several_runs_found() -> None:
    """In the order of the corpus; a section shows the orders that all of its commits have."""
    records = [
        {"repo": "a/b", "commit": name * 40, "origin": origin}
        for name, origin in (("1", "listed"), ("2", "listed"), ("3", "mined"), ("4", "listed"))
    ]
    rows = [
        row_of("a/b@2222222222", plan07=(4, 4), diff=(3, 8)),
        row_of("a/b@1111111111", plan07=(2, 4)),
        row_of("a/b@1111111111", diff=(1, 8)),
        row_of("a/b@2222222222", reverse=(0, 8)),
    ]
    told = page.sections(rows, records)
    assert told.startswith("\n## Commits chosen by hand, looked at while rules were made\n")
    assert [x for x in told.splitlines() if x.startswith(("| commit", "| a/b"))] == [
        "| commit | edits | plan07 | diff |",
        "| a/b@1111111111 | 9 | 2/4 | 1/8 |",
        "| a/b@2222222222 | 9 | 4/4 | 3/8 |",
    ]
    assert told.endswith("\nNot replayed: a/b@4444444444.\n")
    assert "never looked at" not in told
