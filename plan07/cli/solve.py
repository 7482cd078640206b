"""`plan07 solve`: the main job."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from plan07 import document, jsontext, solver
from plan07.cli import output
from plan07.errors import InputError


def pairs(values: tuple[str, ...], option: str) -> dict[str, str]:
    """Return what a repeatable option `name=value` says.

    Raises:
        InputError: a value is not written like that.
    """
    found: dict[str, str] = {}
    for value in values:
        name, equals, chosen = value.partition("=")
        if not (name and equals and chosen):
            raise InputError(
                "USAGE",
                f"{option} takes name=value, not {value!r}",
                f"write {option} name=value",
                phase="usage",
            )
        found[name.strip()] = chosen.strip()
    return found


def numbers(values: tuple[str, ...], option: str) -> dict[str, int]:
    """Return what a repeatable option `name=n` says.

    Raises:
        InputError: a value is not written like that, or is no number.
    """
    found: dict[str, int] = {}
    for name, value in pairs(values, option).items():
        if not (value.isascii() and value.isdigit() and len(value) < 12):
            raise InputError(
                "LIMIT_INVALID",
                f"the limit {name} cannot be {value!r}",
                "give a whole number from 0 to 1073741823",
                phase="usage",
            )
        found[name] = int(value)
    return found


def rule_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose the rules of a run."""
    for option in (
        click.option(
            "--limit",
            "limits",
            multiple=True,
            metavar="NAME=N",
            help="Another number for one of limits.lp. Repeatable.",
        ),
        click.option(
            "--policy",
            "policy",
            multiple=True,
            metavar="NAME=VALUE",
            help="Another value for a switch of policy.lp. Repeatable.",
        ),
        click.option(
            "--rules",
            envvar="PLAN07_RULES",
            metavar="DIR",
            help="Rule files that replace shipped ones of the same name, or are added. Also "
            "PLAN07_RULES.",
        ),
    ):
        function = option(function)
    return function


@click.command(
    "solve",
    epilog="Example: plan07 solve tests/examples/session-timeout.plan.json",
)
@click.argument("plan", metavar="PLAN")
@click.option("--impact", metavar="FILE", help="Impact edges, in the format plan07.impact/1.")
@click.option("--recon", metavar="FILE", help="A recon.db of the repository.")
@rule_options
@click.option("--repair", is_flag=True, help="Drop the fewest dependencies that contradict.")
@click.option("--strict-grounding", is_flag=True, help="Refuse targets with several meanings.")
@click.option(
    "--expect-digest",
    metavar="DIGEST",
    help="Solve only if the rules have this digest, see `plan07 rules digest`.",
)
@click.option(
    "--time-limit",
    type=float,
    metavar="SECONDS",
    help="Solve in a child process and stop it after so long.",
)
@click.option("--stats", is_flag=True, help="Print phase timings and sizes on standard error.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    plan: str,
    impact: str | None,
    recon: str | None,
    rules: str | None,
    policy: tuple[str, ...],
    limits: tuple[str, ...],
    repair: bool,
    strict_grounding: bool,
    expect_digest: str | None,
    time_limit: float | None,
    stats: bool,
    as_json: bool,
) -> None:
    """Print the schedule of PLAN, a decomposition or a plan artifact; - is standard input.

    Exits with 1 when the plan is refused: every violation is told, each with a safe fix.
    """
    timings: list[tuple[str, float]] = []
    options = solver.options(
        impact=impact,
        recon=recon,
        rules=rules,
        policy=pairs(policy, "--policy"),
        limits=numbers(limits, "--limit"),
        repair=repair,
        strict_grounding=strict_grounding,
        expect_digest=expect_digest,
    )
    value, name = jsontext.read(plan)
    if time_limit is not None:
        from plan07 import limited

        result = limited.solve(value, name, options, time_limit)
    else:
        read = document.read(value, name)
        result = solver.solve_plan(read, options, lambda *timing: timings.append(timing))
    if as_json:
        output.document(result)
    else:
        output.schedule(result)
    if stats:
        _stats(result, timings)


def _stats(result: dict[str, Any], timings: list[tuple[str, float]]) -> None:
    parts = [f"{phase} {seconds * 1000:.1f} ms" for phase, seconds in timings]
    sizes = ", ".join(f"{len(result[name])} {name}" for name in ("nodes", "edges", "composites"))
    print(f"plan07: {', '.join([*parts, sizes])}", file=sys.stderr)
