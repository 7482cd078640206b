"""`plan07 rules diff` and `bench`: what a change of rules does to plans, and what rules cost."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from plan07 import solver
from plan07.cli import output
from plan07.cli.options import numbers, pairs, rule_options
from plan07.cli.rules.options import json_option
from plan07.errors import InputError

if TYPE_CHECKING:
    from plan07.ruletools.compare import Case, Comparison, PlanChange
    from plan07.ruletools.profile import Profile

# As many rules as fit on a screen.
_RANKED = 20


@click.command(
    "diff",
    epilog="Example: plan07 rules diff shipped my-rules --corpus saved-plans. Exit codes: 0 told, "
    "with --exit-code 1 if a plan changes.",
)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.argument("plans", nargs=-1, metavar="[PLAN]...")
@click.option(
    "--corpus", multiple=True, metavar="DIR", help="A directory of plans, with those below it."
)
@click.option(
    "--policy", multiple=True, metavar="NAME=VALUE", help="A switch on both sides. Repeatable."
)
@click.option(
    "--limit", "limits", multiple=True, metavar="NAME=N", help="A number on both sides. Repeatable."
)
@click.option("--exit-code", "strict", is_flag=True, help="Exit with 1 if a plan changes.")
@json_option
def diff(
    old: str,
    new: str,
    plans: tuple[str, ...],
    corpus: tuple[str, ...],
    policy: tuple[str, ...],
    limits: tuple[str, ...],
    strict: bool,
    as_json: bool,
) -> int:
    """Show which plans change between the rules OLD and NEW, by the rule responsible.

    OLD and NEW are directories that overlay the shipped rules, or the word `shipped`. Plans are
    given one by one or as directories; `NAME.impact.json` beside `NAME.plan.json` is its evidence.
    """
    from plan07.ruletools import compare

    sides = [
        solver.options(
            rules=None if each == compare.SHIPPED else each,
            policy=pairs(policy, "--policy"),
            limits=numbers(limits, "--limit"),
        )
        for each in (old, new)
    ]
    found = compare.compare(sides[0], sides[1], _cases(plans, corpus))
    if as_json:
        output.document(_document(old, new, found))
    else:
        output.lines(_compared(old, new, found))
    return 1 if strict and found.plans else 0


@click.command(
    "bench",
    epilog="Example: plan07 rules bench plan.json --count 50. It measures and judges nothing.",
)
@click.argument("plans", nargs=-1, metavar="[PLAN]...")
@click.option(
    "--corpus", multiple=True, metavar="DIR", help="A directory of plans, with those below it."
)
@click.option(
    "--count",
    type=click.IntRange(1, 10_000),
    default=20,
    show_default=True,
    metavar="N",
    help="How often each plan is solved.",
)
@rule_options
@json_option
def bench(
    plans: tuple[str, ...],
    corpus: tuple[str, ...],
    count: int,
    rules: str | None,
    policy: tuple[str, ...],
    limits: tuple[str, ...],
    as_json: bool,
) -> None:
    """Measure where the time of some plans goes: by phase, by stage and by rule.

    The time of a rule is what grounding it alone takes, against everything that holds at its
    stage.
    """
    from plan07.ruletools import profile

    options = solver.options(
        rules=rules, policy=pairs(policy, "--policy"), limits=numbers(limits, "--limit")
    )
    cases = [
        (
            case.plan,
            options if case.impact is None else options._replace(files={"impact": case.impact}),
        )
        for case in _cases(plans, corpus)
    ]
    found = profile.measure(cases, count, time.perf_counter)
    if as_json:
        output.document(found.as_dict())
    else:
        output.lines(_measured(found))


def _cases(plans: Sequence[str], directories: Sequence[str]) -> list[Case]:
    """Return the plans in files and directories.

    Raises:
        InputError: there is none, or one cannot be read.
    """
    from plan07.ruletools.compare import read_case

    found: list[Case] = []
    for path in plans:
        case = read_case(path, path)
        if case is None:
            raise InputError(
                "PLAN_INVALID",
                f"{path} holds no plan",
                'name a file with {"obligations": [...]} or a plan artifact',
                phase="read",
                detail={"source": path},
            )
        found.append(case)
    for directory in directories:
        found += _cases_within(directory)
    if not found:
        raise InputError(
            "PLANS_MISSING",
            "there is no plan to look at",
            "name plans, or a directory of plans with --corpus DIR",
            phase="usage",
            detail={"corpus": list(directories)},
        )
    return found


def _cases_within(directory: str) -> Iterator[Case]:
    from plan07.ruletools.compare import read_case

    if not os.path.isdir(directory):
        raise InputError(
            "CORPUS_UNREADABLE",
            f"{directory} is no directory that can be read",
            "name a directory that holds plans",
            phase="usage",
            detail={"path": directory},
        )
    for folder, folders, names in os.walk(directory):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".json"):
                path = os.path.join(folder, name)
                case = read_case(path, os.path.relpath(path, directory))
                if case is not None:
                    yield case


def _document(old: str, new: str, found: Comparison) -> dict[str, object]:
    return {
        "old": old,
        "new": new,
        "rules": [each.as_dict() for each in found.rules],
        "plans": [each.as_dict() for each in found.plans],
        "by_rule": {rule: [plan.plan for plan in plans] for rule, plans in found.by_rule().items()},
        "same": found.same,
    }


def _compared(old: str, new: str, found: Comparison) -> Iterator[str]:
    differ = "differs" if len(found.rules) == 1 else "differ"
    yield f"{_number(len(found.rules), 'rule')} {differ} between {old} and {new}"
    total = _number(len(found.plans) + found.same, "plan")
    yield f"{len(found.plans)} of {total} {'changes' if len(found.plans) == 1 else 'change'}"
    changes = {each.id: each for each in found.rules}
    for rule, plans in found.by_rule().items():
        yield ""
        change = changes.get(rule)
        if change is None:
            yield "no single rule"
        else:
            place = change.new or change.old
            assert place is not None
            yield f"{rule}  [{change.change}, {place.file}:{place.line}]"
        for plan in plans:
            yield f"  {plan.plan}"
            yield from (f"    {line}" for line in _differing(plan))
    quiet = found.rules if not found.plans else ()
    if quiet:
        yield ""
        yield "what changed in the rules"
    for each in quiet:
        told = each.as_dict()
        yield f"  {each.id}  [{each.change}]"
        yield from (f"    - {told['old']}" for _ in range(each.old is not None))
        yield from (f"    + {told['new']}" for _ in range(each.new is not None))


def _differing(plan: PlanChange) -> Iterator[str]:
    old, new = plan.old, plan.new
    if "broken" in plan.aspects:
        yield f"broken: {old.broken or 'no'} -> {new.broken or 'no'}"
    if "violations" in plan.aspects:
        for sign, these, those in (("-", old, new), ("+", new, old)):
            gone = [each for each in these.violations if each not in those.violations]
            yield from (f"violations: {sign} {code}: {message}" for code, _, message in gone)
        if old.violations and not new.violations and not new.broken:
            yield "refused before, solved now"
        if new.violations and not old.violations and not old.broken:
            yield "solved before, refused now"
    if "order" in plan.aspects and old.order and new.order:
        yield f"order: {' '.join(old.order)} -> {' '.join(new.order)}"
    if "partition" in plan.aspects and old.partition and new.partition:
        was, now = dict(old.partition), dict(new.partition)
        for unit in dict.fromkeys((*was, *now)):
            if was.get(unit) != now.get(unit):
                yield f"partition: {unit} {was.get(unit, 'none')} -> {now.get(unit, 'none')}"


def _measured(found: Profile) -> Iterator[str]:
    peak = "" if found.peak_bytes is None else f", peak memory {found.peak_bytes / 2**20:.0f} MiB"
    yield f"{_number(found.solves, 'solve')}{peak}"
    yield ""
    yield from output.aligned(
        [
            ["stage", "phase", "p50 ms", "p95 ms"],
            *(
                [each.stage or "solve", each.phase, f"{each.p50:.2f}", f"{each.p95:.2f}"]
                for each in found.timings
            ),
        ]
    )
    yield ""
    yield from output.aligned(
        [
            ["rule", "stage", "instances", "alone ms"],
            *(
                [cost.id, cost.stage, str(cost.instances), f"{cost.milliseconds:.2f}"]
                for cost in found.rules[:_RANKED]
            ),
        ]
    )
    if len(found.rules) > _RANKED:
        yield f"and {len(found.rules) - _RANKED} more, see --json"


def _number(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
