"""`plan07 evidence check`: is a file of evidence what it claims to be?"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from plan07.cli import output
from plan07.errors import PlanRefused
from plan07.formats.check import Verdict, check


@click.command(
    "check",
    epilog="Example: plan07 evidence check tests/examples/cases/click-rename.impact.json",
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(files: tuple[str, ...], as_json: bool) -> None:
    """Tell everything that is wrong with each FILE, with its place; - is standard input.

    A FILE is a recon.db, its JSON Lines twin, an impact, localization or context document, SARIF
    2.1 or the JSON of pyright. Exits with 1 when one is wrong, with 2 when one cannot be read.
    """
    verdicts = [check(path) for path in files]
    if any(verdict.faults for verdict in verdicts):
        raise _refusal(verdicts)
    if as_json:
        told = [{"path": each.name, "format": each.format} for each in verdicts]
        output.document({"files": told})
    else:
        rows = [[each.name, each.format] for each in verdicts]
        output.table(["file", "format"], rows, sys.stdout)


def _refusal(verdicts: Sequence[Verdict]) -> PlanRefused:
    findings = tuple(finding for verdict in verdicts for finding in verdict.findings)
    total = sum(verdict.faults for verdict in verdicts)
    wrong = [verdict.name for verdict in verdicts if verdict.faults]
    more = f" and {total - 1} more" if total > 1 else ""
    return PlanRefused(
        "EVIDENCE_INVALID",
        f"{findings[0].message}{more}",
        findings[0].fix,
        phase="evidence",
        detail={"files": wrong, "faults": total},
        violations=findings,
    )
