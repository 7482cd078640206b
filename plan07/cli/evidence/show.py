"""`plan07 evidence show`: who depends on an entity, and how sure that is."""

from __future__ import annotations

import sys
from typing import Any

import click

from plan07 import reconstore
from plan07.cli import output
from plan07.messages import printable
from plan07.reconfile import opened
from plan07.reconshow import Dependent, Entity, entity


@click.command("show", epilog="Example: plan07 evidence show click.core.Context.invoke")
@click.argument("name", metavar="ENTITY")
@click.option("--repo", metavar="DIR", default=".", help="The repository. Default: here.")
@click.option("--recon", metavar="FILE", help="A recon.db as it is, instead of that of --repo.")
@click.option(
    "--most",
    type=click.IntRange(1, 1_000_000),
    default=60,
    show_default=True,
    help="List so many dependents as text; --json lists all.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(name: str, repo: str, recon: str | None, most: int, as_json: bool) -> None:
    """Print what ENTITY is and who depends on it, with file and line and how sure that is.

    ENTITY is a qualified name, `path::name`, or an ending that only one entity has. The evidence
    is brought up to date first.
    """
    with opened(recon if recon is not None else reconstore.refresh(repo)) as database:
        found = entity(database, name)
    if as_json:
        output.document(_document(found))
    else:
        _show(found, most)


def _document(found: Entity) -> dict[str, Any]:
    return {
        **found._asdict(),
        "dependents": [each._asdict() for each in found.dependents],
    }


def _show(found: Entity, most: int) -> None:
    out = sys.stdout
    place = f"{found.path}:{found.line}" if found.path else "outside the repository"
    output.say(f"{found.kind} {printable(found.fqn)}{printable(found.signature or '')}", out)
    flags = f", {', '.join(found.flags)}" if found.flags else ""
    output.say(f"  {printable(place)}{flags}", out)
    output.say("", out)
    number = len(found.dependents)
    if not number:
        output.say("nothing that was resolved depends on it", out)
    else:
        output.table(
            ["relation", "dependent", "sure", "where"],
            [_row(each) for each in found.dependents[:most]],
            out,
        )
    if number > most:
        output.say(f"and {number - most} more, see --most or --json", out)
    if found.open_calls:
        one = found.open_calls == 1
        said = "call of this name is" if one else "calls of this name are"
        output.say("", out)
        output.say(f"{found.open_calls} {said} open: which entity is meant is not known", out)


def _row(each: Dependent) -> list[str]:
    lines = each.lines or ((each.line,) if each.line is not None else ())
    shown = ",".join(str(line) for line in lines[:6]) + (",..." if len(lines) > 6 else "")
    where = f"{each.path}:{shown}" if each.path else ""
    return [each.relation, each.entity, f"{each.resolution} {each.confidence:.2f}", where]
