"""`plan07 evidence build`: everything that is known of a repository, in one database."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from plan07 import reconreport, reconstore
from plan07.cli import output
from plan07.messages import printable

_MOST_SHOWN = 10
_CALLS = (
    ("exact", "calls exact"),
    ("typed", "calls typed"),
    ("guessed", "calls guessed"),
    ("open", "calls open"),
    ("outside", "calls outside"),
)


@click.command("build", epilog="Example: plan07 evidence build")
@click.argument("repo", metavar="[REPO]", default=".")
@click.option("-o", "--output", "place", metavar="FILE", help="The database, recon.db by default.")
@click.option("--collect", is_flag=True, help="Ask pytest for the tests; this runs their modules.")
@click.option("--jobs", type=click.IntRange(1, 256), help="Processes; one for each core without.")
@click.option("--anew", is_flag=True, help="Read everything, whatever was kept.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    repo: str, place: str | None, collect: bool, jobs: int | None, anew: bool, as_json: bool
) -> None:
    """Build the evidence of REPO (this directory by default), or bring it up to date.

    Reads the sources, the history, and what lies there of test results, coverage and indices of
    other tools; nothing of the repository is run unless --collect says so. A second build reads
    only what changed and what depends on it.
    """
    options: dict[str, Any] = {"collect": collect}
    if jobs is not None:
        options["jobs"] = jobs
    bar = _Bar(sys.stderr.isatty() and not as_json)
    try:
        report = reconstore.build(
            repo, place, options=options, progress=bar, anew=anew, created=_now()
        )
    finally:
        bar.clear()
    if as_json:
        output.document(_document(report))
    else:
        _show(report)


def _now() -> str:
    """Return the time for the database, or what SOURCE_DATE_EPOCH says instead."""
    import datetime

    said = os.environ.get("SOURCE_DATE_EPOCH", "")
    utc = datetime.UTC
    if said.isdecimal() and len(said) < 12:
        return datetime.datetime.fromtimestamp(int(said), utc).isoformat()
    return datetime.datetime.now(utc).isoformat(timespec="seconds")


class _Bar:
    """A progress bar on standard error, on a terminal alone."""

    def __init__(self, shown: bool) -> None:
        self._shown = shown
        self._last = -1

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Show how far a stage is."""
        share = done * 100 // max(total, 1)
        if not self._shown or share == self._last:
            return
        self._last = share
        filled = share * 30 // 100
        text = f"\r{stage:<10} [{'#' * filled}{'.' * (30 - filled)}] {share:3d}% {done}/{total}"
        output.note(f"{text:<70}")

    def clear(self) -> None:
        """Remove it."""
        if self._shown and self._last >= 0:
            output.note(f"\r{'':<70}\r")


def _document(report: reconreport.Report) -> dict[str, Any]:
    return {
        **report._asdict(),
        "failed": [{"path": path, "error": error} for path, error in report.failed],
        "notes": [each.as_dict() for each in report.notes],
    }


def _show(report: reconreport.Report) -> None:
    out = sys.stdout
    counts = report.counts
    state = "built" if report.fresh else "up to date"
    at = f" at {report.commit[:12]}" if report.commit else ""
    edited = ", with edits" if report.commit and report.dirty else ""
    output.say(f"{printable(report.path)}: {state}{at}{edited}", out)
    output.say("", out)
    total = sum(report.files.values())
    number = f"{total}: " if total else "none"
    listed = sorted(report.files.items(), key=lambda each: (-each[1], each[0]))
    kinds = ", ".join(f"{number} {name}" for name, number in listed)
    rows = [
        ["files", f"{number}{kinds}"],
        ["read", f"{report.read}, {len(report.failed)} could not be"],
        ["entities", f"{counts.get('nodes', 0)}, {counts.get('edges', 0)} edges between them"],
        ["tests", f"{counts.get('tests', 0)}"],
        ["calls", _calls(counts)],
        ["history", f"{counts.get('cochange', 0) // 2} pairs of files that change together"],
        ["readers", ", ".join(report.encoders) or "none"],
    ]
    output.table(None, rows, out)
    _failures(report, out)
    _notes(report, out)


def _calls(counts: dict[str, int]) -> str:
    numbers = {name: counts.get(key, 0) for name, key in _CALLS}
    # A guess is one of the calls that are open; what is open by no name of ours is outside.
    numbers["open"] -= numbers["guessed"]
    unresolved = counts.get("calls unresolved", 0)
    numbers["outside"] += unresolved - counts.get("calls open", 0)
    total = sum(numbers.values())
    if not total:
        return "0"
    shares = ", ".join(f"{100 * number / total:.1f}% {name}" for name, number in numbers.items())
    return f"{total}: {shares}"


def _failures(report: reconreport.Report, out: Any) -> None:
    if not report.failed:
        return
    output.say("", out)
    output.say("could not be read", out)
    for path, error in report.failed[:_MOST_SHOWN]:
        output.say(f"  {printable(path)}: {printable(error)}", out)
    if len(report.failed) > _MOST_SHOWN:
        output.say(f"  and {len(report.failed) - _MOST_SHOWN} more, see --json", out)


def _notes(report: reconreport.Report, out: Any) -> None:
    notes = [each for each in report.notes if each.code != "FILE_UNPARSED"]
    if not notes:
        return
    output.say("", out)
    output.say("what would improve it", out)
    for each in notes[:_MOST_SHOWN]:
        fix = f": {printable(each.fix)}" if each.fix else ""
        output.say(f"  {printable(each.message)}{fix}", out)
    if len(notes) > _MOST_SHOWN:
        output.say(f"  and {len(notes) - _MOST_SHOWN} more, see --json", out)
