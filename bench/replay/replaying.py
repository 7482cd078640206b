"""One commit of the corpus, re-applied in several orders."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from bench.replay import orders, planned
from bench.replay.commit import Change, Ends, check_out
from bench.replay.dependencies import Found, dependencies
from bench.replay.environments import environment
from bench.replay.revision import drive
from bench.replay.states import States
from plan07 import PlanRefused, reconstore

ORDERS = (
    *("plan07", "plan07+revision", "diff", "reverse", "random-0", "random-1", "by-file"),
    *("tests-last", "topological", "search"),
)


class Places(NamedTuple):
    """Where things lie.

    Args:
        repos: clones, each in a directory OWNER__NAME.
        environments: environments of the projects; made where they are missing.
        kept: what came out in states that have been tried; made where it is missing.
    """

    repos: str
    environments: str
    kept: str


class Job(NamedTuple):
    """One commit to be replayed, in plain data that another process can be given.

    Args:
        record: of the corpus.
        orders: of `ORDERS`.
        budget: how many states the search may try.
        places: where things lie.
        whole: all tests that the corpus names are run, not only those in files that are edited.
    """

    record: Mapping[str, Any]
    orders: tuple[str, ...]
    budget: int
    places: Places
    whole: bool = False


class Case(NamedTuple):
    """A commit, ready to be replayed.

    Args:
        change: its edits.
        found: what is known of them.
        states: where they are tried.
        name: what it is called.
    """

    change: Change
    found: Found
    states: States
    name: str


@contextmanager
def opened(record: Mapping[str, Any], places: Places, whole: bool = False) -> Iterator[Case]:
    """Split a commit and try both ends; what is made for it is gone afterwards.

    Args:
        record: of the corpus.
        places: where things lie.
        whole: as in `Job`.
    """
    name = f"{record['repo']}@{record['commit'][:10]}"
    clone = os.path.join(places.repos, record["repo"].replace("/", "__"))
    types = record["oracle"] == "types"
    python = Path() if types else environment(record, Path(places.environments))
    with tempfile.TemporaryDirectory(prefix="plan07-replay-") as work:
        ends = Ends(os.path.join(work, "old"), os.path.join(work, "new"))
        check_out(clone, record["parent"], ends.old)
        check_out(clone, record["commit"], ends.new)
        change = Change(ends)
        recons = [reconstore.refresh(end, f"{end}.db") for end in ends]
        found = dependencies(change, *recons)
        edited = {f"{change.edits[n].path}::{change.edits[n].name}" for n in found.tests}
        tests = record["tests"]
        if not whole:
            tests = _touched(change, tests) or tests
        kept = os.path.join(places.kept, f"{record['commit']}{'-whole' if whole else ''}")
        states = States(change, {**record, "tests": tests}, python, kept, edited)
        try:
            yield Case(change, found, states, name)
        finally:
            states.close()


def _touched(change: Change, listed: Sequence[str]) -> list[str]:
    """Return the edited test files, of those that the corpus lists or that lie where it lists."""
    return [
        path
        for path in change.paths
        if _is_test(os.path.basename(path))
        and any(path == each or path.startswith(f"{each.rstrip('/')}/") for each in listed)
    ]


def _is_test(name: str) -> bool:
    """Whether pytest looks for tests in a file of that name."""
    return name.startswith("test_") or name.endswith("_test.py")


def replay(job: Job) -> dict[str, Any]:
    """Return how each order of a commit fares. What an executor calls, wherever it does.

    Raises:
        PlanRefused: never; a plan that is refused is a row that says so.
    """
    with opened(job.record, job.places, job.whole) as case:
        return {
            "commit": case.name,
            "origin": job.record["origin"],
            "split": job.record["split"],
            "edits": len(case.change.edits),
            "files": len(case.change.paths),
            "tests": len(case.states.both),
            "orders": {name: row(case, name, job.budget) for name in job.orders},
        }


def row(case: Case, name: str, budget: int) -> dict[str, Any]:
    """Return how one order fares.

    Args:
        case: the commit.
        name: of `ORDERS`.
        budget: how many states the search may try.
    """
    try:
        steps, told = _steps(case, name, budget)
    except PlanRefused as refusal:
        return {"refused": [each.message for each in refusal.violations]}
    return {**judged(case.states, steps), **told}


def judged(states: States, steps: Sequence[Sequence[int]]) -> dict[str, Any]:
    """Return what comes out after each step but the last, which is the new end.

    Args:
        states: of the commit.
        steps: numbers of edits.
    """
    done: set[int] = set()
    counts = {"tests": 0, "stable": 0, "new": 0}
    first = ""
    for step in steps[:-1]:
        done |= set(step)
        verdict = states.verdict(frozenset(done))
        for judge in counts:
            counts[judge] += getattr(verdict, judge)
        first = first or verdict.why
    return {
        "steps": len(steps),
        "intermediate": len(steps) - 1,
        "valid": counts["tests"],
        "stable": counts["stable"],
        "new": counts["new"],
        "largest": max(map(len, steps)),
        "first_failure": first,
    }


def _steps(case: Case, name: str, budget: int) -> tuple[orders.Steps, dict[str, Any]]:
    """Return the steps of an order, and what finding it took."""
    change, found, states = case.change, case.found, case.states
    if name == "plan07":
        return [list(each.edits) for each in planned.scheduled(change, found, case.name)], {}
    if name == "plan07+revision":
        driven = drive(change, found, states, case.name)
        return driven.steps, {"tried": driven.tried, "rolled_back": driven.refused}
    if name == "search":
        tried = 0

        def valid(applied: AbstractSet[int]) -> bool:
            nonlocal tried
            tried += 1
            return states.verdict(frozenset(applied)).tests

        first = [each for step in orders.diff_order(change) for each in step]
        steps, whole = orders.greedy(len(change.edits), valid, first, budget)
        return steps, {"tried": tried, "ended": whole}
    if name.startswith("random-"):
        return orders.shuffled(change, int(name.removeprefix("random-"))), {}
    plain = {
        "diff": lambda: orders.diff_order(change),
        "reverse": lambda: orders.reverse(change),
        "by-file": lambda: orders.by_file(change),
        "tests-last": lambda: orders.tests_last(change, found.tests),
        "topological": lambda: orders.topological(change, found),
    }
    return plain[name](), {}
