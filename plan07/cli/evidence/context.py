"""`plan07 evidence context`: what should be read for a change?"""

from __future__ import annotations

import json
import os

import click

from plan07 import context, home, reconstore
from plan07.cli import output
from plan07.cli.evidence import places
from plan07.errors import InputError
from plan07.formats import documents
from plan07.reconfile import opened

FILE = "context.json"


@click.command("context", epilog="Example: plan07 evidence context click.core.Context.invoke")
@click.argument("entities", metavar="[ENTITY]...", nargs=-1)
@click.option(
    "--localization", metavar="FILE", help="Suspects that plan07 evidence localize wrote."
)
@click.option("--impact", metavar="FILE", help="What plan07 evidence impact wrote.")
@click.option("--query", metavar="TEXT", help="Words that names and signatures should fit.")
@click.option("--repo", metavar="DIR", default=".", help="The repository. Default: here.")
@click.option("--recon", metavar="FILE", help="A recon.db as it is, instead of that of --repo.")
@click.option("--most", type=click.IntRange(1, 10_000), default=context.MOST, help="Keep so many.")
@click.option("-o", "--output", "target", metavar="FILE", help="Where to write the document.")
@click.option("--json", "as_json", is_flag=True, help="Print the document.")
def command(
    entities: tuple[str, ...],
    localization: str | None,
    impact: str | None,
    query: str | None,
    repo: str,
    recon: str | None,
    most: int,
    target: str | None,
    as_json: bool,
) -> None:
    """Rank the code to read for a change of each ENTITY, and write it as context.json.

    What is read starts from each ENTITY, from suspects, from what a change reaches, or from what
    fits a text; what depends on these and what they depend on comes with them. The evidence is
    brought up to date first.
    """
    if not entities and localization is None and impact is None and query is None:
        raise InputError(
            "USAGE",
            "nothing says what the change is about",
            "name an ENTITY, --localization, --impact or --query",
            phase="usage",
        )
    path = target or os.path.join(home.home(repo), FILE)
    with opened(recon if recon is not None else reconstore.refresh(repo)) as database:
        foci = [
            *context.named(database, entities),
            *(
                context.located(documents.read(localization, "localization"))
                if localization
                else ()
            ),
            *(context.reached(documents.read(impact, "impact")) if impact else ()),
            *(context.fitting(database, query) if query else ()),
        ]
        document = context.context(database, foci, most)
    home.write(path, (json.dumps(document, indent=2) + "\n").encode("ascii"))
    if as_json:
        output.document(document)
    else:
        places.told(document, path)
