"""`plan07 evidence impact`: whom a change reaches."""

from __future__ import annotations

import json
import os
import sys
from contextlib import ExitStack
from typing import Any

import click

from plan07 import document, home, jsontext, reconstore, rulebook
from plan07.cli import output
from plan07.cli.options import numbers, pairs, rule_options
from plan07.errors import InputError
from plan07.impact import planned, seeds
from plan07.impact.between import between
from plan07.impact.closure import Seed
from plan07.impact.study import impact
from plan07.messages import printable
from plan07.reconfile import opened

_STRENGTHS = ("must", "should", "check", "revalidate")
_MOST_LINES = 60


@click.command(
    "impact",
    epilog="Example: plan07 evidence impact --seed click.core.Context.invoke=param_added_required",
)
@click.argument("repo", metavar="[REPO]", default=".")
@click.option(
    "--seed",
    "written",
    multiple=True,
    metavar="ENTITY=KIND",
    help="An entity and its kind of change (impact.lp lists them); KIND:PARAMETER says which "
    "parameter. Repeatable.",
)
@click.option("--diff", metavar="REV[..REV]", help="What changed since REV, or between both.")
@click.option("--plan", metavar="PLAN", help="What the obligations of a plan change.")
@click.option("--request", metavar="TEXT", help="The change in words, for the soft ranks.")
@click.option("--recon", metavar="FILE", help="A recon.db as it is, instead of that of REPO.")
@click.option("-o", "--output", "place", metavar="FILE", help="Where impact.json is written.")
@rule_options
@click.option("--json", "as_json", is_flag=True, help="Print impact.json.")
def command(
    repo: str,
    written: tuple[str, ...],
    diff: str | None,
    plan: str | None,
    request: str | None,
    recon: str | None,
    place: str | None,
    rules: str | None,
    policy: tuple[str, ...],
    limits: tuple[str, ...],
    as_json: bool,
) -> None:
    """Write whom changes reach in REPO (this directory by default) as impact.json.

    The evidence of REPO is brought up to date first. All that a change reaches is listed with the
    relation, whether it breaks, which order keeps the repository valid, how sure that is, and the
    file and line.
    """
    if not (written or diff or plan):
        raise InputError(
            "SEED_MISSING",
            "nothing says what changes",
            "give --seed ENTITY=KIND, --diff REV or --plan PLAN",
            phase="usage",
        )
    if recon is not None and diff is not None:
        raise InputError(
            "USAGE",
            "--diff builds the evidence of its revisions, so it cannot be given with --recon",
            "leave out --recon",
            phase="usage",
        )
    book = rulebook.load(rules, pairs(policy, "--policy"), numbers(limits, "--limit"))
    parsed = [seeds.parse(each) for each in written]
    root = os.path.abspath(repo)
    with ExitStack() as stack:
        known: list[Any] = []
        database_path = recon if recon is not None else reconstore.refresh(root)
        sources = root if recon is None or os.path.isdir(root) else None
        found: list[Seed] = []
        names: list[str] = []
        if diff is not None:
            lies = stack.enter_context(between(root, diff, database_path))
            database_path, sources, known = lies.recon, lies.root, lies.known
            found += lies.seeds
            names += lies.names
        database = stack.enter_context(opened(database_path))
        around = planned.neighbourhood(database, book)
        ungrounded: list[tuple[str, str]] = []
        for each in names:
            around.find(each)
        found += seeds.grounded(parsed, around)
        text = request or ""
        if plan is not None:
            read = document.read(*jsontext.read(plan))
            more, ungrounded = planned.of_targets(read, database_path, book, around)
            found += more
            text = text or planned.request_text(read)
        result = impact(
            found,
            around,
            database,
            book,
            root=sources,
            request=text,
            known=known,
            ungrounded=ungrounded,
        )
    target = place or os.path.join(home.home(root), "impact.json")
    home.write(target, (json.dumps(result, indent=2) + "\n").encode())
    if as_json:
        output.document(result)
        return
    _show(result, target)


def _show(result: dict[str, Any], target: str) -> None:
    out = sys.stdout
    edges = result["edges"]
    counts = [f"{sum(e['strength'] == s for e in edges)} {s}" for s in _STRENGTHS]
    number, reached = len(result["seeds"]), len({e["to"] for e in edges})
    output.say(
        f"{number} {'change reaches' if number == 1 else 'changes reach'} {reached} "
        f"{'entity' if reached == 1 else 'entities'} in {len(edges)} "
        f"{'way' if len(edges) == 1 else 'ways'}: {', '.join(counts)}",
        out,
    )
    chosen = sorted(edges, key=lambda e: (e["hop"], _STRENGTHS.index(e["strength"])))
    rows = [_row(each) for each in chosen[:_MOST_LINES]]
    if rows:
        output.say("", out)
        head = ["hop", "strength", "order", "sure", "found", "entity", "at", "because"]
        output.table(head, rows, out)
    if len(chosen) > _MOST_LINES:
        output.say(f"and {len(chosen) - _MOST_LINES} more, see {printable(target)}", out)
    _gaps(result)
    output.say("", out)
    output.say(f"written to {printable(target)}", out)


def _row(edge: dict[str, Any]) -> list[str]:
    at = edge.get("at")
    place = "" if at is None else at["path"] + (f":{at['line']}" if at["line"] else "")
    return [
        str(edge["hop"]),
        edge["strength"],
        edge["order"],
        f"{edge['confidence']:.2f}",
        edge["resolution"],
        edge["to"],
        place,
        f"{edge['cause']} {edge['from']} ({edge['change']})",
    ]


def _gaps(result: dict[str, Any]) -> None:
    out = sys.stdout
    lines = [
        f"  {each['entity']}: {each['kept']} of {each['total']} by {each['cause']} are listed"
        for each in result["truncated"]
    ]
    for each in result["unknown"]:
        if "unresolved_calls" in each:
            calls = each["unresolved_calls"]
            lines.append(
                f"  {each['entity']}: {calls} {'call' if calls == 1 else 'calls'} that may concern "
                "it could not be resolved"
            )
        elif "grounding" in each:
            lines.append(f"  {each['entity']}: {each['grounding']}")
    if lines:
        output.say("", out)
        output.say("not known", out)
        for line in lines:
            output.say(printable(line), out)
