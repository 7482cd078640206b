"""`plan07 rules new`, `export`, `pack` and `digest`: rules made, taken apart and passed on."""

from __future__ import annotations

from typing import Any

import click

from plan07.cli import output
from plan07.cli.options import numbers, pairs, rule_options
from plan07.cli.rules.options import json_option, rules_option
from plan07.errors import InputError

_output = click.option("-o", "--output", "path", metavar="FILE", help="Write to this file.")


@click.command("new", epilog="Example: plan07 rules new docs.last --kind edge --rules policies")
@click.argument("identifier", metavar="ID")
@click.option(
    "--kind",
    type=click.Choice(["violation", "advice", "edge", "preference"]),
    default="violation",
    show_default=True,
    help="What the rule derives.",
)
@rules_option
@json_option
def new(identifier: str, kind: str, rules: str | None, as_json: bool) -> None:
    """Begin the rule ID in the directory --rules, with a test that fails until it is written.

    ID is words joined by dots, such as docs.last; the first names the file. A file that is there
    already is added to.
    """
    from plan07.ruletools import scaffold

    if rules is None:
        raise InputError(
            "USAGE", "there is no directory for the rule", "name one with --rules", phase="usage"
        )
    written = scaffold.new(rules, identifier, kind)
    if as_json:
        output.document({"id": identifier, "files": written})
        return
    output.lines([f"wrote {path}" for path in written])
    output.lines(
        [f"next: plan07 rules test {written[1]}; it fails until the rule and the test are written"]
    )


@click.command(
    "export",
    epilog="Example: plan07 rules export tests/examples/rename.plan.json --stage schedule",
)
@click.argument("plan", metavar="PLAN")
@click.option("--stage", metavar="NAME", help="The rules of this stage alone, as they are written.")
@click.option("--impact", metavar="FILE", help="Impact edges, in the format plan07.impact/1.")
@click.option("--recon", metavar="FILE", help="A recon.db of the repository.")
@rule_options
@click.option("--repair", is_flag=True, help="Drop the fewest dependencies that contradict.")
@click.option("--strict-grounding", is_flag=True, help="Refuse targets with several meanings.")
@_output
@json_option
def export(
    plan: str,
    stage: str | None,
    impact: str | None,
    recon: str | None,
    rules: str | None,
    policy: tuple[str, ...],
    limits: tuple[str, ...],
    repair: bool,
    strict_grounding: bool,
    path: str | None,
    as_json: bool,
) -> None:
    """Print what PLAN is solved by as one program, which plain clingo runs to the same atoms.

    Each stage of a solve is a program of its own; `clingo FILE -c plan07_stage=NAME` chooses one.
    """
    from plan07 import document, jsontext, solver
    from plan07.ruletools import export as exporting
    from plan07.ruletools import recording

    options = solver.options(
        impact=impact,
        recon=recon,
        rules=rules,
        policy=pairs(policy, "--policy"),
        limits=numbers(limits, "--limit"),
        repair=repair,
        strict_grounding=strict_grounding,
    )
    value, name = jsontext.read(plan)
    recorded = recording.record(document.read(value, name), options)
    if stage is None:
        program = exporting.every_stage(recorded)
    else:
        program = exporting.one_stage(recorded, stage)
    if path is not None:
        _write(path, program.encode())
    if as_json:
        ran = list(exporting.stages_of(recorded))
        told: dict[str, Any] = {"stages": ran, "digest": recorded.rules.digest}
        output.document(told | ({"file": path} if path else {"program": program}))
    elif path is None:
        output.raw(program)


@click.command("pack", epilog="Example: plan07 rules pack --rules policies -o policies.tgz")
@rule_options
@click.option("-o", "--output", "path", required=True, metavar="FILE", help="The archive to write.")
@json_option
def pack(
    rules: str | None,
    policy: tuple[str, ...],
    limits: tuple[str, ...],
    path: str,
    as_json: bool,
) -> None:
    """Write the rules, with switches, limits and tests, as one archive, and print its digest.

    Unpacked, its directory `rules` is what --rules takes; `plan07 solve --expect-digest` makes sure
    that these and no others decide.
    """
    from plan07 import __version__, rulebook
    from plan07.ruletools import pack as packing

    book = rulebook.load(rules, pairs(policy, "--policy"), numbers(limits, "--limit"))
    packed = packing.pack(book, __version__, rules)
    _write(path, packed.data)
    if as_json:
        output.document({"file": path, **packed.manifest})
    else:
        output.lines([packed.manifest["digest"]])


@click.command("digest", epilog="Example: plan07 rules digest --rules policies")
@rule_options
@json_option
def digest(
    rules: str | None, policy: tuple[str, ...], limits: tuple[str, ...], as_json: bool
) -> None:
    """Print the SHA-256 of the rules, switches and limits, as every schedule carries it."""
    from plan07 import rulebook

    book = rulebook.load(rules, pairs(policy, "--policy"), numbers(limits, "--limit"))
    if as_json:
        output.document(
            {
                "digest": book.digest,
                "switches": book.chosen,
                "limits": book.limits,
                "overlaid": book.overlaid,
            }
        )
    else:
        output.lines([book.digest])


def _write(path: str, data: bytes) -> None:
    try:
        with open(path, "wb") as stream:
            stream.write(data)
    except (OSError, ValueError) as error:
        said = (
            error.strerror if isinstance(error, OSError) and error.strerror else "that is no path"
        )
        raise InputError(
            "OUTPUT_UNWRITABLE",
            f"{path} cannot be written: {said.lower()}",
            "name a file in a directory of your own",
            phase="usage",
            detail={"path": path},
        ) from error
