"""What the commands about tests of rules print for people, and their counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from plan07.cli import output

if TYPE_CHECKING:
    from plan07.ruletools.coverage import Coverage
    from plan07.ruletools.mutate import Verdict
    from plan07.ruletools.outcomes import Outcome


def streamed(found: Iterator[Outcome], verbose: bool) -> list[Outcome]:
    """Print outcomes as they come, file by file, and return them."""
    from plan07.ruletools.outcomes import PASSED, told

    outcomes: list[Outcome] = []
    for path, group in groupby(found, key=lambda outcome: outcome.path):
        own: list[Outcome] = []
        for outcome in group:
            own.append(outcome)
            if verbose or outcome.status != PASSED:
                output.lines([f"{path}:{outcome.line}: {outcome.status}: {outcome.name}"])
                output.lines(f"  {line}" for line in told(outcome))
        output.lines([f"{path}: {_summary(own)}"])
        outcomes += own
    output.lines(["", f"{_tests(len(outcomes))}: {_summary(outcomes)}"])
    return outcomes


def _tests(number: int) -> str:
    return "1 test" if number == 1 else f"{number} tests"


def counted(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Return how many tests came out how."""
    statuses = [outcome.status for outcome in outcomes]
    return {status: statuses.count(status) for status in ("passed", "failed", "error")}


def _summary(outcomes: Sequence[Outcome]) -> str:
    counts = counted(outcomes)
    parts = [f"{counts['passed']} passed"]
    parts += [f"{counts['failed']} failed"] if counts["failed"] else []
    parts += [f"{counts['error']} could not be run"] if counts["error"] else []
    return ", ".join(parts)


def coverage_counts(found: Coverage) -> dict[str, Any]:
    """Return how much of the rules tests make fire."""
    refusals = found.refusals
    return {
        "fired": found.fired,
        "of": len(found.rules),
        "refusals": len(refusals),
        "refusals_with_both_cases": sum(not each.missing for each in refusals),
        "tests": counted(found.outcomes),
    }


def coverage_told(found: Coverage) -> Iterator[str]:
    """Yield a table of rule files, then what is missing."""
    by_file = groupby(found.rules, key=lambda each: each.file)
    rows = [["file", "rules", "fired", "refusals", "with both cases"]]
    for file, group in by_file:
        own = list(group)
        refusals = [each for each in own if each.kind in ("violation", "constraint")]
        both = sum(not each.missing for each in refusals)
        fired = sum(each.status == "fired" for each in own)
        rows.append([file, *map(str, (len(own), fired, len(refusals), both))])
    yield from output.aligned(rows)
    missing = [each for each in found.rules if each.missing]
    if missing:
        yield ""
        yield "missing"
        for each in missing:
            yield f"  {each.file}:{each.line}: {each.rule}: {', '.join(each.missing)}"
    counts = coverage_counts(found)
    yield ""
    yield (
        f"{counts['fired']} of {counts['of']} rules fired; {counts['refusals_with_both_cases']} of "
        f"{counts['refusals']} refusals have a case for and a case against them; "
        f"{_tests(len(found.outcomes))}: {_summary(found.outcomes)}"
    )


def mutation_counts(verdicts: Sequence[Verdict]) -> list[dict[str, Any]]:
    """Return for each rule file how many of its mutants came out how."""
    found = []
    for file, group in groupby(verdicts, key=lambda verdict: verdict.file):
        own = [verdict.status for verdict in group]
        counts = {each: own.count(each) for each in ("killed", "explained", "survived")}
        found.append({"file": file, "mutants": sum(counts.values()), **counts})
    return found


def mutants_told(verdicts: Sequence[Verdict], stale: Sequence[str], verbose: bool) -> Iterator[str]:
    """Yield a table of rule files, then the mutants that no test notices."""
    counts = mutation_counts(verdicts)
    names = ["file", "mutants", "killed", "explained", "survived"]
    yield from output.aligned([names, *([str(each[name]) for name in names] for each in counts)])
    for status in ("survived", "explained") if verbose else ("survived",):
        own = [verdict for verdict in verdicts if verdict.status == status]
        if own:
            yield ""
            yield status
        for verdict in own:
            yield f"  {verdict.file}:{verdict.line}: {verdict.label}"
            yield f"    {' '.join(verdict.text.split()) or '(nothing)'}"
            if verdict.by:
                yield f"    because {verdict.by}"
    if stale:
        yield ""
        yield "explained, but no such change survives"
        yield from (f"  {label}" for label in stale)
    total = {name: sum(each[name] for each in counts) for name in names[1:]}
    yield ""
    yield (
        f"{total['mutants']} changes: {total['killed']} noticed, {total['explained']} explained, "
        f"{total['survived']} neither"
    )
