"""`plan07 revise`, `promote`, `confirm`, `rollback`, `abandon`: changes of a plan by decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from plan07 import jsontext, shapes
from plan07.cli import output
from plan07.cli.driving import driver_of, plan_options

if TYPE_CHECKING:
    from plan07.driver import Driver
    from plan07.evidence import Evidence


def _told(change: str, nothing: str, as_json: bool) -> None:
    if as_json:
        output.document({"change": change or None})
    else:
        output.text(change or nothing)


@click.command("confirm", epilog="Example: plan07 confirm plan.json")
@plan_options
def confirm(plan: str, as_json: bool, **chosen: Any) -> None:
    """Confirm the acceptance criteria of PLAN, so that it may end on them."""
    _told(driver_of(plan, chosen).confirm(), "the criteria were confirmed before", as_json)


@click.command("promote", epilog="Example: plan07 promote plan.json O9")
@plan_options
@click.argument("alternative", metavar="ALTERNATIVE")
def promote(plan: str, alternative: str, as_json: bool, **chosen: Any) -> None:
    """Let ALTERNATIVE take the place of the obligation that failed; the best rated one may."""
    _told(driver_of(plan, chosen).promote(alternative), "", as_json)


@click.command("rollback", epilog="Example: plan07 rollback plan.json step-2:O3")
@plan_options
@click.argument("marker", metavar="MARKER")
def rollback(plan: str, marker: str, as_json: bool, **chosen: Any) -> None:
    """Take PLAN back to the checkpoint MARKER: what passed or failed since is pending again.

    The repository is left as it is.
    """
    _told(driver_of(plan, chosen).rollback(marker), "", as_json)


@click.command("abandon", epilog="Example: plan07 abandon plan.json --because 'superseded'")
@plan_options
@click.option("--because", default="by hand", metavar="TEXT", help="Why, one line.")
def abandon(plan: str, because: str, as_json: bool, **chosen: Any) -> None:
    """Give PLAN up, for good."""
    _told(driver_of(plan, chosen).abandon(because), "", as_json)


@click.command("revise", epilog="Example: plan07 revise plan.json --impact impact.json")
@plan_options
@click.option("--impact", metavar="FILE", help="New impact edges, plan07.impact/1.")
@click.option(
    "--diff",
    metavar="REV[..REV]",
    help="What has changed in the repository since REV, or between both, and whom that reaches.",
)
@click.option("--repo", default=".", metavar="PATH", help="The repository of --diff, . by default.")
@click.option(
    "--falsified", multiple=True, metavar="NODE", help="An obligation to remove. Repeatable."
)
@click.option("--add", "added", metavar="FILE", help='Obligations to add, {"obligations": [...]}.')
@click.option("--because", default="", metavar="TEXT", help="The evidence for it, one line.")
def revise(
    plan: str,
    impact: str | None,
    diff: str | None,
    repo: str,
    falsified: tuple[str, ...],
    added: str | None,
    because: str,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Let evidence revise PLAN: what it demands is added, what it has falsified is removed.

    Only the neighbourhood of what comes or goes is ordered anew; everything else stays as it is.
    """
    from plan07 import evidence

    driver = driver_of(plan, chosen)
    parts = [evidence.encode("impact", impact, ())] if impact else []
    if diff is not None:
        parts.append(_since(driver, repo, diff))
    found = evidence.merge([evidence.Evidence(), *parts])
    additions = []
    if added is not None:
        value, name = jsontext.read(added)
        shapes.check("reply", value, name, "PLAN_INVALID", "read")
        additions = value["obligations"]
    change = driver.feedback(
        found,
        falsified=falsified,
        additions=additions,
        because=because or (f"diff {diff}" if diff else ""),
    )
    _told(change, "the plan agrees with the evidence already", as_json)


def _since(driver: Driver, repository: str, revisions: str) -> Evidence:
    """Return what a repository has changed in, kept beside the plan as impact.json as well."""
    from plan07 import evidence
    from plan07.impact import changed

    place = f"{driver.store.path}.impact.json"
    driver.store.keep(place, changed.since(repository, revisions, driver.rules))
    return evidence.encode("impact", place, ())
