"""`plan07 evidence localize`: where is the defect likely to be?"""

from __future__ import annotations

import json
import os

import click

from plan07 import home, localize, reconrepo, reconstore
from plan07.cli import output
from plan07.cli.evidence import places
from plan07.errors import Finding, InputError
from plan07.messages import printable
from plan07.recon import Repository
from plan07.reconfile import opened

FILE = "localization.json"


@click.command("localize", epilog="Example: plan07 evidence localize junit.xml")
@click.argument("files", metavar="[FILE]...", nargs=-1)
@click.option("--repo", metavar="DIR", default=".", help="The repository. Default: here.")
@click.option("--recon", metavar="FILE", help="A recon.db as it is, instead of that of --repo.")
@click.option("--most", type=click.IntRange(1, 10_000), default=localize.MOST, help="Keep so many.")
@click.option("-o", "--output", "target", metavar="FILE", help="Where to write the document.")
@click.option("--json", "as_json", is_flag=True, help="Print the document.")
def command(
    files: tuple[str, ...],
    repo: str,
    recon: str | None,
    most: int,
    target: str | None,
    as_json: bool,
) -> None:
    """Rank the places that may hold a defect, and write them as localization.json.

    A FILE is a .coverage recorded with test contexts, JUnit XML, what a test run printed, SARIF
    2.1, or the output of pyright --outputjson. Without one, the .coverage and the JUnit XML of the
    repository are taken. The evidence is brought up to date first.
    """
    path = target or os.path.join(home.home(repo), FILE)
    with opened(recon if recon is not None else reconstore.refresh(repo)) as database:
        repository = reconrepo.repository(database, repo)
        suspects, notes = _found(repository, localize.sorted_by_format(files))
        if not suspects and not files and not notes:
            raise InputError(
                "LOCALIZATION_EMPTY",
                f"no JUnit XML or .coverage in {printable(repo)} tells of a test that failed",
                "run pytest --cov --cov-context=test --junitxml=junit.xml, or name a file",
                phase="evidence",
                detail={"repo": repo},
            )
        document = localize.ranked(repository, suspects, most)
    home.write(path, (json.dumps(document, indent=2) + "\n").encode("ascii"))
    for note in notes:
        output.tell(f"plan07: {note.code}: {note.message}")
    if as_json:
        output.document(document)
    else:
        places.told(document, path)


def _found(
    repository: Repository, given: localize.Given
) -> tuple[list[localize.Suspect], list[Finding]]:
    suspects: list[localize.Suspect] = []
    notes: list[Finding] = []
    for _, locate in localize.localizers():
        for each in locate(repository, given):
            if isinstance(each, Finding):
                notes.append(each)
            else:
                suspects.append(each)
    return suspects, notes
