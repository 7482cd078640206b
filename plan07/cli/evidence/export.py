"""`plan07 evidence export`: a recon.db as JSON Lines."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import click

from plan07 import home, reconstore
from plan07.cli import output
from plan07.formats import dump, lines
from plan07.reconfile import opened


@click.command("export", epilog="Example: plan07 evidence export -o recon.jsonl")
@click.argument("database", metavar="[RECON]", required=False)
@click.option("--repo", metavar="DIR", default=".", help="The repository. Default: here.")
@click.option("-o", "--output", "target", metavar="FILE", help="Where to; - is standard output.")
@click.option("--json", "as_json", is_flag=True, help="Errors as JSON too.")
def command(database: str | None, repo: str, target: str | None, as_json: bool) -> None:
    """Write everything that a recon.db holds as JSON Lines, one record a line.

    Without RECON, the evidence of the repository, brought up to date. The order of the lines
    depends on nothing but their content. plan07 evidence build reads a recon.jsonl at the root of
    a repository.
    """
    with opened(database if database is not None else reconstore.refresh(repo)) as found:
        written = lines.written(dump.rows(found))
        if target in (None, "-"):
            for line in written:
                output.say(line[:-1], sys.stdout)
        else:
            home.write(str(target), _joined(written))


def _joined(written: Iterable[str]) -> bytes:
    return "".join(written).encode("ascii")
