"""`plan07 status`, `explain`, `show` and `log`: how a plan stands, and why."""

from __future__ import annotations

from typing import Any

import click

from plan07.cli import output
from plan07.cli.driving import driver_of, plan_options


@click.command("status", epilog="Example: plan07 status plan.json")
@plan_options
def status(plan: str, as_json: bool, **chosen: Any) -> None:
    """Print how PLAN stands: its verdict, its progress, and what waits for what."""
    from plan07 import report

    found = report.status(*driver_of(plan, chosen).standing())
    if as_json:
        output.document(found)
    else:
        output.text(report.status_text(found))


@click.command("explain", epilog="Example: plan07 explain plan.json O3")
@plan_options
@click.argument("node", metavar="NODE")
def explain(plan: str, node: str, as_json: bool, **chosen: Any) -> None:
    """Print why NODE is ready, blocked, stranded or done, and why it comes where it does."""
    from plan07 import report

    driver = driver_of(plan, chosen)
    found = report.explain(driver, node)
    if as_json:
        output.document(found)
    else:
        output.text(report.explain_text(found))


@click.command("show", epilog="Example: plan07 show plan.json --format mermaid")
@plan_options
@click.option(
    "--format",
    "form",
    type=click.Choice(("tree", "mermaid", "dot")),
    default="tree",
    help="A tree of text, Mermaid, or DOT; a tree by default.",
)
def show(plan: str, form: str, as_json: bool, **chosen: Any) -> None:
    """Print the graph of PLAN with the state of each node."""
    from plan07 import drawing

    stored, standing = driver_of(plan, chosen).standing()
    text = drawing.FORMS[form](stored.artifact, standing)
    if as_json:
        output.document({"format": form, "text": text})
    else:
        output.text(text)


@click.command("log", epilog="Example: plan07 log plan.json")
@plan_options
def log(plan: str, as_json: bool, **chosen: Any) -> None:
    """Print every transition of PLAN, and which obligation each accepted edit is for."""
    from plan07 import report

    stored, _ = driver_of(plan, chosen).standing()
    if as_json:
        output.document(report.log(stored))
    else:
        output.text(report.log_text(stored))
