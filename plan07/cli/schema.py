"""`plan07 schema`: the JSON schemas of the typed artifacts."""

from __future__ import annotations

import click

from plan07.cli import output
from plan07.errors import InputError


@click.command("schema", epilog="Example: plan07 schema Obligation")
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="Errors as JSON too.")
def command(name: str | None, as_json: bool) -> None:
    """Print the JSON schema of the artifact NAME, or the names there are."""
    from plan07.driven import SCHEMAS

    if name is None:
        if as_json:
            output.document({"schemas": list(SCHEMAS)})
        else:
            output.lines(SCHEMAS)
        return
    if name not in SCHEMAS:
        raise InputError(
            "SCHEMA_UNKNOWN",
            f"there is no artifact {name!r}",
            f"use one of {', '.join(SCHEMAS)}",
            phase="usage",
            detail={"name": name, "known": list(SCHEMAS)},
        )
    output.document(SCHEMAS[name].model_json_schema())
