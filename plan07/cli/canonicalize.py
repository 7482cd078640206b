"""`plan07 canonicalize`: from a request to a typed requirement."""

from __future__ import annotations

from collections.abc import Sequence

import click

from plan07 import canonicalize
from plan07.cli import output
from plan07.cli.request import request_argument, request_text
from plan07.request.lines import Skipped

_SHOWN = 60
_SHOWN_OF_A_KIND = 5


@click.command(
    "canonicalize",
    epilog="Example: plan07 canonicalize 'Make the session timeout configurable'",
)
@request_argument
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(request: str | None, file: str | None, as_json: bool) -> None:
    """Print the requirement of REQUEST: its goal, acceptance criteria and constraints.

    REQUEST is the text itself, or - for standard input. No model is asked. Where the request names
    no criterion, candidates are derived from its verbs and have to be confirmed.

    Exits with 1 when the request is refused: it names nothing to do or to check, or too much.
    """
    reading = canonicalize.read(request_text(request, file))
    if as_json:
        output.document(reading.requirement)
        return
    requirement = reading.requirement
    derived = requirement.get("needs_confirmation", False)
    title = "acceptance criteria, derived: confirm them" if derived else "acceptance criteria"
    lines = [f"goal: {requirement['goal']}"]
    lines += _listed(title, requirement["acceptance_criteria"])
    lines += _listed("constraints", requirement["constraints"])
    lines += _set_aside(reading.skipped)
    output.text("\n".join(lines))


def _listed(title: str, texts: Sequence[str]) -> list[str]:
    if not texts:
        return []
    return ["", title, *(f"  {number}. {text}" for number, text in enumerate(texts, 1))]


def _set_aside(skipped: Sequence[Skipped]) -> list[str]:
    """The parts that were not taken, those of one kind together."""
    kinds: dict[str, list[Skipped]] = {}
    for each in skipped:
        kinds.setdefault(each.why, []).append(each)
    lines = ["", "not taken"] if kinds else []
    for why, same in kinds.items():
        for number, text, _ in same[:_SHOWN_OF_A_KIND]:
            shown = text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
            lines.append(f"  line {number}, {why}: {shown}")
        if len(same) > _SHOWN_OF_A_KIND:
            lines.append(f"  and {len(same) - _SHOWN_OF_A_KIND} more, {why}")
    return lines
