"""`plan07 decompose`: the one model call by itself."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from plan07 import clock, home, jsontext, planning, prompt, shapes, solver
from plan07.cli import output
from plan07.cli.evidence_options import evidence_options
from plan07.cli.model_options import model_options, prompt_options, server_of
from plan07.cli.options import options_of, rule_options


@click.command(
    "decompose",
    epilog="Example: plan07 canonicalize 'Rename Session.fetch' --json | "
    "plan07 decompose - --decomposer rules",
)
@click.argument("requirement", metavar="REQUIREMENT")
@click.option(
    "--calls",
    metavar="FILE",
    help="Where calls are recorded; calls.jsonl of PLAN07_HOME by default. A scope that stands in "
    "it is not sent again.",
)
@prompt_options
@evidence_options
@model_options
@rule_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    requirement: str,
    decomposer: str,
    calls: str | None,
    prompt_budget: int,
    lenient: bool,
    dry_run: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Print the obligations that a model makes of REQUIREMENT, a file as `canonicalize` prints it.

    One call; - is standard input. What does not parse, breaks the schema or is too much comes out
    as {"obligations": [], "re_decompose": true}, with exit code 1, and is never asked again.
    """
    value, name = jsontext.read(requirement)
    shapes.check("requirement", value, name, "REQUIREMENT_INVALID", "read")
    options = options_of(given)
    known = planning.known(value, None, options)
    composed = solver.rules_of(options)
    if dry_run:
        output.prompt(prompt.build(value, known, composed, budget=prompt_budget), as_json)
        return 0
    if decomposer == "rules":
        found = planning.by_rules(value, known, composed)
    else:
        from plan07 import decompose, ledger

        ask = decompose.server(os.environ, **server_of(given))
        path = calls or os.path.join(home.home("."), "calls.jsonl")
        chosen = planning.asking(
            ask, ledger.File(path), clock.now, budget=prompt_budget, lenient=lenient
        )
        found = chosen(value, known, composed)
    if found.is_no_op:
        output.tell(f"plan07: RE_DECOMPOSE: {found.reason}")
    if as_json or found.is_no_op:
        output.document(found.document)
    else:
        records = found.document["obligations"]
        output.table(
            ["id", "does", "entity", "caused by", "after", "validation"],
            [
                [
                    each["id"],
                    each["obligation"],
                    each["target_entity"],
                    each["caused_by"],
                    ", ".join(each["dependencies"]),
                    each["validation"],
                ]
                for each in records
            ],
            sys.stdout,
        )
    return 1 if found.is_no_op else 0
