"""`plan07 rules test`, `coverage` and `mutate`: do rules do what they are meant to do?"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from plan07.cli import output
from plan07.cli.rules import reports
from plan07.cli.rules.options import json_option, rules_option
from plan07.errors import InputError, Plan07Error

if TYPE_CHECKING:
    from plan07.ruletools.cases import Draft

_POLL_SECONDS = 0.5


def _test_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose tests and say how they are run."""
    for option in (
        json_option,
        click.option(
            "--time-limit",
            type=click.FloatRange(0, 86_400, min_open=True),
            default=10.0,
            show_default=True,
            metavar="SECONDS",
            help="How long one test may take, of the processor.",
        ),
        click.option(
            "--jobs",
            "-j",
            type=click.IntRange(1, 64),
            default=1,
            show_default=True,
            metavar="N",
            help="How many are run at once.",
        ),
        rules_option,
        click.argument("paths", nargs=-1, metavar="[PATH]..."),
    ):
        function = option(function)
    return function


@click.command("test", epilog="Example: plan07 rules test policies -k freeze")
@_test_options
@click.option("-k", "wanted", metavar="RE", help="Only tests with such a name, FILE::TEST.")
@click.option("-v", "verbose", is_flag=True, help="Name the tests that pass too.")
@click.option("--junit", metavar="FILE", help="Write a JUnit report too.")
@click.option("--watch", is_flag=True, help="Run again whenever a rule or a test changes.")
def test(
    paths: tuple[str, ...],
    rules: str | None,
    wanted: str | None,
    verbose: bool,
    junit: str | None,
    watch: bool,
    jobs: int,
    time_limit: float,
    as_json: bool,
) -> int:
    """Run the rule tests in PATH: files named *_test.lp, and directories of them.

    Without PATH, those of --rules, else of the shipped rules. Exits with 1 when a test fails.
    """
    from plan07.ruletools import junit as report
    from plan07.ruletools import testing
    from plan07.ruletools.outcomes import PASSED

    if watch and as_json:
        raise InputError(
            "USAGE", "--watch prints no JSON", "leave out one of the two", phase="usage"
        )

    def once(first: Sequence[str] = ()) -> int:
        drafts = _drafts(paths, rules)
        if wanted is not None:
            drafts = testing.choose(drafts, wanted)
        drafts.sort(key=lambda draft: os.path.abspath(draft.path) not in first)
        found = testing.run(drafts, rules, time_limit, jobs)
        outcomes = list(found) if as_json else reports.streamed(found, verbose)
        failed = sum(outcome.status != PASSED for outcome in outcomes)
        if junit is not None:
            # Before the document: if it cannot be written, that is the one document.
            report.write(junit, outcomes)
        if as_json:
            tests = [outcome.as_dict() for outcome in outcomes]
            output.document({"tests": tests, **reports.counted(outcomes)})
        return 1 if failed else 0

    if not watch:
        return once()
    _watched(once, [*_places(paths, rules), *([rules] if rules else [])])
    return 0


@click.command("coverage", epilog="Example: plan07 rules coverage --threshold 20")
@_test_options
@click.option(
    "--threshold",
    type=click.IntRange(0),
    metavar="N",
    help="How many rules must fire in a passing test. Without it, all.",
)
def coverage(
    paths: tuple[str, ...],
    rules: str | None,
    threshold: int | None,
    jobs: int,
    time_limit: float,
    as_json: bool,
) -> int:
    """Tell which rules fire in the tests in PATH, and which never do.

    A rule that refuses wants a case for it and a case against it: a test in which it does not
    refuse, although all but one of its conditions hold. Exits with 1 when a test fails, when fewer
    rules fire than --threshold says, or, without it, when anything is missing.
    """
    from plan07.ruletools import coverage as measuring

    found = measuring.measure(_drafts(paths, rules), rules, time_limit, jobs)
    missing = [each for each in found.rules if each.missing]
    failed = [outcome for outcome in found.outcomes if outcome.status != "passed"]
    if as_json:
        covered = [
            {**each._asdict(), "missing": list(each.missing), "tests": list(each.tests)}
            | {"against": list(each.against)}
            for each in found.rules
        ]
        output.document({"rules": covered, **reports.coverage_counts(found)})
    else:
        output.lines(reports.coverage_told(found))
    enough = not missing if threshold is None else found.fired >= threshold
    return 0 if enough and not failed else 1


@click.command("mutate", epilog="Example: plan07 rules mutate rules/ladder_test.lp --jobs 2")
@_test_options
@click.option(
    "--file",
    "files",
    multiple=True,
    metavar="NAME",
    help="Only this rule file. Repeatable; without it, those that the test files are named after.",
)
@click.option("-v", "verbose", is_flag=True, help="List the mutants that are explained too.")
def mutate(
    paths: tuple[str, ...],
    rules: str | None,
    files: tuple[str, ...],
    verbose: bool,
    jobs: int,
    time_limit: float,
    as_json: bool,
) -> int:
    """Change rules in small ways and tell which changes no test in PATH notices.

    Rules are left out, conditions left out, variables exchanged, constants, numbers and comparisons
    changed. A line `%@ survives: CHANGE because REASON` in a test file explains one that makes no
    difference. Exits with 1 when a change is neither noticed nor explained.
    """
    from plan07.ruletools import mutate as mutating
    from plan07.ruletools import testing
    from plan07.ruletools.outcomes import PASSED

    drafts = _drafts(paths, rules)
    failed = [
        outcome
        for outcome in testing.run(drafts, rules, time_limit, jobs)
        if outcome.status != PASSED
    ]
    if failed:
        raise InputError(
            "TESTS_FAIL",
            f"{len(failed)} of {len(drafts)} tests fail before anything is changed, "
            f"the first is {failed[0].name}",
            "run `plan07 rules test` and mend them",
            phase="usage",
            detail={"failed": [outcome.name for outcome in failed]},
        )
    tested = list(dict.fromkeys(draft.path for draft in drafts))
    verdicts = list(mutating.run(tested, rules, files, time_limit, jobs))
    stale = mutating.stale(tested, verdicts)
    if as_json:
        told = [verdict._asdict() for verdict in verdicts]
        output.document(
            {"mutants": told, "stale": stale, "files": reports.mutation_counts(verdicts)}
        )
    else:
        output.lines(reports.mutants_told(verdicts, stale, verbose))
    survivors = any(verdict.status == mutating.SURVIVED for verdict in verdicts)
    return 1 if survivors or stale else 0


def _drafts(paths: Sequence[str], rules: str | None) -> list[Draft]:
    from plan07.ruletools import cases, testing

    return [draft for path in testing.discover(_places(paths, rules)) for draft in cases.read(path)]


def _places(paths: Sequence[str], rules: str | None) -> list[str]:
    from plan07 import rulefiles

    return list(paths) or [rules or rulefiles.shipped_directory()]


def _watched(once: Callable[[Sequence[str]], int], places: Sequence[str]) -> None:
    """Run again whenever a file changes, the tests of what changed first.

    Until it is interrupted, or nobody reads on.
    """
    seen: dict[str, tuple[int, int]] | None = None
    while True:
        now = _states(places)
        if now != seen:
            changed = {path for path in now if seen is None or seen.get(path) != now[path]}
            tests = {path.removesuffix(".lp") + "_test.lp" for path in changed} | changed
            seen = now
            try:
                once(sorted(tests))
            except Plan07Error as error:
                output.report(error, False)
            output.flush()
            if not output.is_read():
                return
        time.sleep(_POLL_SECONDS)


def _states(places: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Return when each rule file in some places was changed, and its size."""
    found: dict[str, tuple[int, int]] = {}
    for place in places:
        directory = place if os.path.isdir(place) else os.path.dirname(os.path.abspath(place))
        for inner, _, names in os.walk(directory):
            for name in names:
                path = os.path.abspath(os.path.join(inner, name))
                if name.endswith(".lp") and os.path.exists(path):
                    state = os.stat(path)
                    found[path] = (state.st_mtime_ns, state.st_size)
    return found
