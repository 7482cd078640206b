"""`plan07 solve`: the main job."""

from __future__ import annotations

from typing import Any

import click

from plan07 import document, jsontext, solver
from plan07.cli import output
from plan07.cli.options import options_of, rule_options


@click.command(
    "solve",
    epilog="Example: plan07 solve tests/examples/session-timeout.plan.json",
)
@click.argument("plan", metavar="PLAN")
@click.option("--impact", metavar="FILE", help="Impact edges, in the format plan07.impact/1.")
@click.option("--recon", metavar="FILE", help="A recon.db of the repository.")
@click.option(
    "--repo",
    metavar="PATH",
    help="The repository: its evidence is built or brought up to date, and used.",
)
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
def command(plan: str, time_limit: float | None, stats: bool, as_json: bool, **given: Any) -> None:
    """Print the schedule of PLAN, a decomposition or a plan artifact; - is standard input.

    Exits with 1 when the plan is refused: every violation is told, each with a safe fix.
    """
    timings: list[tuple[str, float]] = []
    options = options_of(given)
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
    output.tell(f"plan07: {', '.join([*parts, sizes])}")
