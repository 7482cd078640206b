"""`plan07 next`, `validate`, `edit` and `test`: one obligation at a time."""

from __future__ import annotations

from typing import Any

import click

from plan07.cli import output
from plan07.cli.driving import (
    driver_of,
    ending_in_order,
    gate_options,
    local_runner,
    plan_options,
    replan_options,
    replanner_of,
)
from plan07.errors import PlanRefused
from plan07.outcomes import Validated


@click.command("next", epilog="Example: plan07 next plan.json --json")
@plan_options
def next_(plan: str, as_json: bool, **chosen: Any) -> None:
    """Print the one obligation of PLAN that is actionable.

    Asking again gives the same one until its validation has passed. Exits with 1 when nothing can
    start, and says why.
    """
    try:
        found = driver_of(plan, chosen).next()
    except PlanRefused as refused:
        if refused.detail.get("verdict") != "complete":
            raise
        if as_json:
            output.document({"verdict": "complete"})
        else:
            output.text("complete: there is nothing left to do")
        return
    if as_json:
        output.document(found)
        return
    actions = found["permitted_actions"]
    allowed = [name for name in ("read", "edit", "test") if actions[name]]
    bounds = actions["bounds"]
    output.fields(
        [
            ("obligation", f"{found['node_id']}  {found['obligation']} {found['target_entity']}"),
            *(
                ("with", f"{part['node_id']}  {part['obligation']} {part['target_entity']}")
                for part in found.get("members", ())
            ),
            ("complete", ", ".join(found["preconditions"]) or "nothing is needed before it"),
            (
                "permitted",
                f"{', '.join(allowed)}; at most {bounds['max_edit_files']} files and "
                f"{bounds['max_test_calls']} test calls",
            ),
            ("validation", found["required_validation"]),
        ]
    )


@click.command("validate", epilog="Example: plan07 validate plan.json O1 --repo .")
@plan_options
@click.argument("node", metavar="NODE")
@gate_options
@replan_options
def validate(
    plan: str,
    node: str,
    repo: str,
    python: str | None,
    time_limit: float,
    predicates: str | None,
    decomposer: str | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Run the validation of NODE: if it passes, the node is complete, and there is no other way.

    If it fails, the node and its true dependents are decomposed again, nothing else. Exits with 0
    for a pass, 1 for a fail, 3 when a check could not be run; then nothing has changed.
    """
    from plan07.state import Store

    store = Store(plan)
    driver = driver_of(
        plan,
        given,
        run=local_runner(repo, python, time_limit, predicates),
        replanner=replanner_of(store, decomposer, given),
    )
    # While a run works on the plan it is the run that validates, or the two would disagree.
    with store.locked("run"), ending_in_order():
        done = driver.validate(node)
    if as_json:
        output.document(done.as_dict())
    else:
        _validated(done)
    return 0 if done.result.outcome == "pass" else 1


def _validated(done: Validated) -> None:
    result = done.result
    for each in result.checks:
        seconds = f" ({each.seconds:.1f} s)" if each.exit is not None else ""
        why = f": {each.reason}" if each.reason else ""
        output.text(f"{each.outcome}  {each.check or result.node}{seconds}{why}")
        if each.outcome != "pass" and each.output:
            output.text("\n".join(f"    {line}" for line in each.output.splitlines()))
    if result.outcome == "pass":
        output.text(f"{result.node} is complete")
    elif done.replanned:
        output.text(done.replanned)
    else:
        output.text(f"{result.node} failed; {done.reason}")
    standing = done.standing
    output.text(f"next: {standing.exposed}" if standing.exposed else standing.verdict)


@click.command("edit", epilog="Example: plan07 edit plan.json O1 --file src/auth.py")
@plan_options
@click.argument("node", metavar="NODE")
@click.option(
    "--file", "files", multiple=True, required=True, metavar="PATH", help="Edited. Repeatable."
)
def edit(plan: str, node: str, files: tuple[str, ...], as_json: bool, **chosen: Any) -> None:
    """Account for files that an agent edits for NODE: at most 5 different ones in an attempt."""
    _used(driver_of(plan, chosen).edit(node, files), as_json)


@click.command("test", epilog="Example: plan07 test plan.json O1")
@plan_options
@click.argument("node", metavar="NODE")
def test(plan: str, node: str, as_json: bool, **chosen: Any) -> None:
    """Account for one test call of an agent for NODE: at most 10 in an attempt."""
    _used(driver_of(plan, chosen).test(node), as_json)


def _used(counts: dict[str, int], as_json: bool) -> None:
    if as_json:
        output.document({"used": counts})
    else:
        output.text(f"used {counts['edit_files']} files, {counts['test_calls']} test calls")
