"""`plan07 plan`: from a request to a plan on the disk."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import click

from plan07 import canonicalize, clock, jsontext, planning, prompt, shapes, solver, state
from plan07.cli import output
from plan07.cli.evidence_options import evidence_options
from plan07.cli.model_options import model_options, prompt_options, server_of
from plan07.cli.options import options_of, rule_options
from plan07.cli.request import request_argument, request_text
from plan07.errors import InputError, PlanRefused
from plan07.solver import Options


@click.command(
    "plan",
    epilog="Example: plan07 plan 'Make the session timeout configurable' --obligations "
    "tests/examples/session-timeout.plan.json -o plan.json",
)
@request_argument
@click.option(
    "-o",
    "--output",
    "target",
    metavar="PLAN",
    help="The file to write; by default one named after the minute, in PLAN07_HOME or "
    "build/07-task-decomposition-planning of the repository.",
)
@click.option(
    "--repo",
    metavar="PATH",
    help="The repository: its evidence is built or brought up to date, and used.",
)
@click.option(
    "--obligations",
    metavar="FILE",
    help="Take these obligations instead of asking a model; - is standard input.",
)
@click.option("--force", is_flag=True, help="Replace a plan of which nothing became yet.")
@prompt_options
@evidence_options
@model_options
@rule_options
@click.option("--repair", is_flag=True, help="Drop the fewest dependencies that contradict.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    request: str | None,
    file: str | None,
    target: str | None,
    repo: str | None,
    obligations: str | None,
    decomposer: str,
    dry_run: bool,
    force: bool,
    prompt_budget: int,
    lenient: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Make a plan of REQUEST, a change in plain words; - is standard input.

    Canonicalizes the request, asks a model once for obligations (or takes them from a file, or from
    rules alone), orders them, and writes the plan that the other commands go on with. Exits with 1
    when the decomposition came to nothing or the plan is refused; nothing is written then but the
    obligations themselves.
    """
    options = options_of({**given, "repo": repo})
    taken = _taken(obligations)
    requirement = _requirement(request, file, taken)
    _tell("canonicalize", _counted(requirement))
    known = planning.known(requirement, (taken or {}).get("evidence"), options)
    _tell("evidence", planning.counted(len(known.edges) + len(known.relations), "edge"))
    if dry_run:
        asked = prompt.build(requirement, known, solver.rules_of(options), budget=prompt_budget)
        output.prompt(asked, as_json)
        return
    plan_id = clock.plan_id()
    path = planning.default_path(repo or ".", plan_id) if target is None else target
    store = state.Store(path)
    planning.refuse_to_overwrite(store, force)
    if taken is not None and decomposer == "rules":
        raise InputError(
            "USAGE",
            "--obligations and --decomposer rules exclude each other",
            "leave one of them out",
            phase="usage",
        )
    if taken is not None:
        chosen = planning.given(taken)
    elif decomposer == "rules":
        chosen = planning.by_rules
    else:
        chosen = _model(store, server_of(given), prompt_budget, lenient)
    if target is None:
        plan_id = os.path.basename(path).removesuffix(".json")
    made = _made(requirement, known, chosen, options, plan_id, store, taken is not None)
    planning.write(store, made, clock.now, force)
    _tell("artifact", f"{path} written")
    if as_json:
        output.document({"path": path, "artifact": made.artifact, "schedule": made.schedule})
    else:
        output.schedule(made.schedule)


def _taken(path: str | None) -> dict[str, Any] | None:
    if path is None:
        return None
    value, name = jsontext.read(path)
    shapes.check("decomposition", value, name, "PLAN_INVALID", "read")
    found: dict[str, Any] = value
    return found


def _requirement(
    request: str | None, file: str | None, taken: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The request as criteria; a file of obligations may bring them along."""
    if request is None and file is None and taken is not None and taken.get("requirement"):
        return dict(taken["requirement"])
    return canonicalize.canonicalize(request_text(request, file))


def _counted(requirement: Mapping[str, Any]) -> str:
    criteria, constraints = requirement["acceptance_criteria"], requirement["constraints"]
    said = "1 criterion" if len(criteria) == 1 else f"{len(criteria)} criteria"
    said += f", {planning.counted(len(constraints), 'constraint')}"
    return said + (", to be confirmed" if requirement.get("needs_confirmation") else "")


def _model(
    store: state.Store, server: Mapping[str, Any], budget: int, lenient: bool
) -> planning.Decomposer:
    from plan07 import decompose, ledger

    ask = decompose.server(os.environ, **server)
    calls = ledger.File(store.calls_path)
    return planning.asking(ask, calls, clock.now, budget=budget, lenient=lenient)


def _made(
    requirement: Mapping[str, Any],
    known: Any,
    chosen: planning.Decomposer,
    options: Options,
    plan_id: str,
    store: state.Store,
    from_file: bool,
) -> planning.Planned:
    """The plan; when it is refused, what a model said of it is kept for mending."""
    seen: list[Any] = []

    def watched(*arguments: Any) -> Any:
        seen.append(chosen(*arguments))
        return seen[-1]

    try:
        return planning.make(requirement, known, watched, options, plan_id, _tell)
    except PlanRefused:
        if seen and not seen[0].is_no_op and not from_file:
            beside = f"{store.path}.obligations.json"
            store.keep(beside, {**seen[0].document, "requirement": dict(requirement)})
            _tell("decompose", f"the refused obligations are kept in {beside}")
        raise


def _tell(stage: str, text: str) -> None:
    output.tell(f"plan07: {stage}: {text}")
