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
    from pydantic import BaseModel

    from plan07.ab.records import RunRecord
    from plan07.driven import SCHEMAS

    schemas: dict[str, type[BaseModel]] = {**SCHEMAS, "RunRecord": RunRecord}
    if name is None:
        if as_json:
            output.document({"schemas": list(schemas)})
        else:
            output.lines(schemas)
        return
    if name not in schemas:
        raise InputError(
            "SCHEMA_UNKNOWN",
            f"there is no artifact {name!r}",
            f"use one of {', '.join(schemas)}",
            phase="usage",
            detail={"name": name, "known": list(schemas)},
        )
    output.document(schemas[name].model_json_schema())
