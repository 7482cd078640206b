"""Localizes defects by what failing tests run and passing tests do not: Ochiai's measure.

For a line that `ef` of the failing and `ep` of the passing tests run, where `F` tests fail, it is
ef / sqrt(F (ef + ep)): 1 for what all failing tests run and no passing one. The coverage says which
test ran which line, JUnit XML which test failed. A function is as suspect as its most suspect line.
"""

from __future__ import annotations

import math
import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from plan07.errors import Finding
from plan07.localize import Given, Suspect
from plan07.located import Located, Paths
from plan07.recon import Repository
from plan07_encoders import coverage, junit
from plan07_encoders.foreigndb import ForeignError, opened
from plan07_encoders.nodeids import Tests

ORIGIN = "spectrum"
# Runners call these to show what failed, so failing tests run them for no other reason.
_TELLING = ("__repr__", "__str__")
_FAILED = {"failed": True, "error": True, "passed": False}


class Ran(NamedTuple):
    """How many tests ran the lines of a file.

    Args:
        failing, passing: line to number of tests.
    """

    failing: Counter[int]
    passing: Counter[int]


def ochiai(failing: int, passing: int, failures: int) -> float:
    """Return how suspect a line is, 0 to 1.

    Args:
        failing: failing tests that run it.
        passing: passing tests that run it.
        failures: tests that fail.

    >>> ochiai(2, 0, 2), ochiai(1, 3, 4), ochiai(0, 5, 4)
    (1.0, 0.25, 0.0)
    """
    ran = failing + passing
    return failing / math.sqrt(failures * ran) if ran and failures else 0.0


def locate(repository: Repository, given: Given) -> Iterator[Suspect | Finding]:
    """Yield a suspect for each function that failing tests run.

    Args:
        repository: whose coverage and results are looked for where none are given.
        given: files of the formats coverage and junit.
    """
    databases = list(given.get("coverage", ()))
    reports = list(given.get("junit", ()))
    if any(given.values()) and not databases and not reports:
        return
    if not databases:
        place = repository.look(coverage.FILE)
        databases = [] if place is None else [place]
    if not reports:
        reports = [place for _, place in junit.found(repository)]
    if not databases or not reports:
        return
    tests = Tests(repository, Located(repository))
    outcomes: dict[str, bool] = {}
    for place in reports:
        yield from _results(place, tests, outcomes)
    for place in databases:
        try:
            with opened(place, coverage.TABLES) as database:
                yield from _suspects(repository, database, tests, outcomes)
        except (ForeignError, OSError) as error:
            yield _finding("COVERAGE_INVALID", place, str(error), "record it anew")


def _results(place: str, tests: Tests, outcomes: dict[str, bool]) -> Iterator[Finding]:
    try:
        for case in junit.results(place):
            failed = _FAILED.get(case.outcome)
            if failed is not None:
                name = tests.find(case.test).nodeid
                outcomes[name] = outcomes.get(name, False) or failed
    except (junit.JUnitError, OSError) as error:
        yield _finding("JUNIT_INVALID", place, str(error), "write it anew")


def _suspects(
    repository: Repository,
    database: sqlite3.Connection,
    tests: Tests,
    outcomes: Mapping[str, bool],
) -> Iterator[Suspect | Finding]:
    known: dict[int, bool] = {}
    failures: set[str] = set()
    for context, name in coverage.contexts_of(database):
        test = tests.find(name).nodeid
        if test in outcomes:
            known[context] = outcomes[test]
            failures |= {test} if outcomes[test] else set()
    if not failures:
        failed = sum(outcomes.values())
        message = f"{failed} tests failed, and none of them has a coverage context"
        fix = "run the failing tests with pytest --cov --cov-context=test --junitxml=junit.xml"
        yield _finding("SPECTRUM_EMPTY", coverage.FILE, message, fix)
        return
    paths = Paths(repository.root, (row.path for row in repository.files))
    roles = {row.path: row.role for row in repository.files}
    stale: list[str] = []
    for identifier, path in sorted(coverage.measured(database)):
        inside = paths(path)
        if inside is None or roles[inside] == "test":
            continue
        ran = _counted(coverage.lines(database, identifier), known)
        source = coverage.source_of(repository.root, inside)
        if source is None or coverage.changed_since(source, ran.failing):
            stale.append(inside)
        else:
            yield from _of_file(inside, source, ran, len(failures))
    if stale:
        message = f"{len(stale)} files changed since coverage was recorded: {', '.join(stale[:3])}"
        yield _finding("COVERAGE_STALE", coverage.FILE, message, "record it anew")


def _counted(lines: Iterable[tuple[int, frozenset[int]]], known: Mapping[int, bool]) -> Ran:
    ran = Ran(Counter(), Counter())
    for context, hit in lines:
        if context in known:
            (ran.failing if known[context] else ran.passing).update(hit)
    return ran


def _of_file(path: str, source: str, ran: Ran, failures: int) -> Iterator[Suspect]:
    for body in coverage.bodies(source):
        scores = {
            line: ochiai(ran.failing[line], ran.passing[line], failures)
            for line in body.lines
            if ran.failing[line]
        }
        best = max(scores.values(), default=0.0)
        if best > 0:
            lines = [line for line, score in scores.items() if score == best]
            line = min(lines)
            why = (
                f"run by {ran.failing[line]} of {failures} failing and "
                f"{ran.passing[line]} passing tests"
            )
            if body.name in _TELLING:
                best, why = best * 0.5, f"{why}, perhaps to tell of the failure"
            yield Suspect(path, line, max(lines), min(best, 1.0), ORIGIN, why)


def _finding(code: str, place: str, message: str, fix: str) -> Finding:
    return Finding(code, place, f"{os.path.basename(place)}: {message}", fix, {"source": place})
