"""What the commands print: results on standard output, everything else on standard error."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TextIO

import click

from plan07 import rulebook
from plan07.errors import Plan07Error
from plan07.messages import printable

if TYPE_CHECKING:
    from plan07.prompt import Prompt

_COLOURS = {
    "ready": "green",
    "blocked": "yellow",
    "stranded": "red",
    "failed": "red",
    "complete": "cyan",
    "alternative": "magenta",
}


class ClosedPipe(Exception):
    """Whoever read the output is gone.

    Not an OSError, which click would turn into an exit status of its own.
    """


def document(value: dict[str, Any]) -> None:
    """Print one JSON document: indented ASCII, so that no text acts on a terminal."""
    _write(json.dumps(value, indent=2) + "\n", sys.stdout)


def text(value: str) -> None:
    """Print lines for people; what could act on a terminal is escaped."""
    for line in value.splitlines():
        say(printable(line), sys.stdout)


def prompt(asked: Prompt, as_json: bool) -> None:
    """Print a prompt that is sent to nobody."""
    if as_json:
        names = ("system", "user", "tokens", "left_out", "scope")
        document({name: getattr(asked, name) for name in names})
        return
    text(f"{asked.system}\n{asked.user}\n")
    text(f"about {asked.tokens} tokens, {asked.left_out} lines of evidence left out")


def fields(rows: Iterable[tuple[str, str]]) -> None:
    """Print names and values in two columns; a name that repeats is left out."""
    shown = [(name, printable(value)) for name, value in rows]
    width = max(len(name) for name, _ in shown)
    last = ""
    for name, value in shown:
        say(f"{'' if name == last else name:{width}}  {value}".rstrip(), sys.stdout)
        last = name


def lines(texts: Iterable[str]) -> None:
    """Print lines for people, freed of what acts on a terminal."""
    for text in texts:
        say(printable(text), sys.stdout)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines with aligned columns."""
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def raw(text: str) -> None:
    """Print a text for programs: as it is, but on a terminal freed of what acts on it."""
    if sys.stdout.isatty():
        lines(text.splitlines())
    else:
        _write(text, sys.stdout)


def flush() -> None:
    """Bring out what was printed.

    Raises:
        ClosedPipe: nobody reads it.
        OSError: it cannot be written.
    """
    _write("", sys.stdout)


def drop() -> None:
    """Forget what was printed and cannot be written, so that the exit does not try again."""
    with open(os.devnull, "w", encoding="utf-8") as nothing:
        os.dup2(nothing.fileno(), 1)


def _write(text: str, out: TextIO) -> None:
    try:
        out.write(text)
        if not text:
            out.flush()
    except BrokenPipeError:
        raise ClosedPipe from None


def report(error: Plan07Error, as_json: bool) -> None:
    """Print an error: a JSON document on standard output, or sentences on standard error."""
    if as_json:
        document(error.as_dict())
        return
    told = [(each.code, each.message, each.fix) for each in error.violations]
    for code, message, fix in told or [(error.code, error.message, error.fix)]:
        say(f"plan07: {code}: {printable(message)}", sys.stderr)
        say(f"  fix: {printable(fix)}", sys.stderr)


def schedule(result: dict[str, Any]) -> None:
    """Print a schedule for people."""
    out = sys.stdout
    waiting = _waits(result)
    steps = [_row(result, unit, f"{number}", waiting) for number, unit in enumerate_steps(result)]
    beside = [_row(result, node["id"], "", waiting) for node in _not_walked(result)]
    say(_summary(result), out)
    say("", out)
    table(["step", "id", "status", "does", "entity", "because"], [*steps, *beside], out)
    _composites(result, out)
    _alternatives(result, out)
    if result["checkpoints"]:
        say("", out)
        say("checkpoints", out)
        say(_wrapped(result["checkpoints"]), out)
    _advice(result["advice"], out)
    _policy(result["policy"], out)


def enumerate_steps(result: dict[str, Any]) -> Iterable[tuple[int, str]]:
    """Return the numbered steps: what is complete counts, but is not walked again."""
    done = sum(node["state"] == "complete" for node in result["nodes"])
    return enumerate(result["order"], done + 1)


def _summary(result: dict[str, Any]) -> str:
    counts = [
        f"{len(result['order'])} {'step' if len(result['order']) == 1 else 'steps'}",
        f"{len(result['ready'])} ready",
        f"{len(result['blocked'])} blocked",
    ]
    for name in ("complete", "failed"):
        number = sum(node["state"] == name for node in result["nodes"])
        counts += [f"{number} {name}"] if number else []
    for name in ("alternative", "stranded"):
        counts += [f"{len(result[name])} {name}"] if result[name] else []
    return ", ".join(counts)


def _not_walked(result: dict[str, Any]) -> list[dict[str, Any]]:
    walked = {*result["order"], *result["alternative"]}
    return [node for node in result["nodes"] if node["id"] not in walked]


def _status(result: dict[str, Any], node: dict[str, Any]) -> str:
    if node["state"] != "pending":
        return str(node["state"])
    return "stranded" if node["id"] in result["stranded"] else str(node["status"])


def _waits(result: dict[str, Any]) -> dict[str, str]:
    """Say for each unit what it waits for, and why."""
    said: dict[str, list[str]] = {}
    reasons: dict[tuple[str, str], list[str]] = {}
    for reason in result["reasons"]:
        labels = reasons.setdefault(tuple(reason["edge"]), [])
        if reason["reason"] != "declared":
            label = reason["rule"].replace("_", " ")
            if reason["reason"].startswith("R"):
                label = f"{reason['reason']} {label}"
            if "evidence" in reason:
                label += f", {reason['evidence']['cause']}"
            if label not in labels:
                labels.append(label)
    for before, after in result["edges"]:
        labels = reasons.get((before, after), [])
        said.setdefault(after, []).append(f"{before} ({'; '.join(labels)})" if labels else before)
    return {unit: "after " + ", ".join(parts) for unit, parts in said.items()}


def _row(result: dict[str, Any], unit: str, number: str, waits: dict[str, str]) -> list[str]:
    node = next(node for node in result["nodes"] if node["id"] == unit)
    entity = node["target_entity"]
    if node.get("cycle_collapsed"):
        entity += f" and {len(node['members']) - 1} more"
    return [
        number or "-",
        unit,
        _status(result, node),
        node["obligation"],
        entity,
        waits.get(unit, ""),
    ]


def _composites(result: dict[str, Any], out: TextIO) -> None:
    nodes = {node["id"]: node for node in result["nodes"]}
    for composite in result["composites"]:
        say("", out)
        say(f"{composite['id']} lands as one step", out)
        members = nodes[composite["id"]]["members"]
        rows = [["", each["id"], each["obligation"], each["target_entity"]] for each in members]
        table(None, rows, out)
        texts = list(dict.fromkeys(reason["text"] for reason in composite["reasons"]))
        for text in texts[:3]:
            say(f"  because {text}", out)
        if len(texts) > 3:
            say(f"  and {len(texts) - 3} more, see --json", out)


def _alternatives(result: dict[str, Any], out: TextIO) -> None:
    if not result["alternative"]:
        return
    say("", out)
    say("alternatives, not executed", out)
    scores = result["branch_scores"]
    best = sorted(result["alternative"], key=lambda each: -scores.get(each, 0.0))
    nodes = {node["id"]: node for node in result["nodes"]}
    rows = [
        ["", each, f"{scores.get(each, 0.0):.3f}", nodes[each]["target_entity"]] for each in best
    ]
    table(None, rows, out)


def _advice(advice: Sequence[dict[str, Any]], out: TextIO) -> None:
    if not advice:
        return
    say("", out)
    say("advice", out)
    by_code: dict[str, list[dict[str, Any]]] = {}
    for each in advice:
        by_code.setdefault(each["code"], []).append(each)
    for code, same in by_code.items():
        if len(same) > 2:
            subjects = ", ".join(each["subject"] for each in same)
            say(f"  {code} ({len(same)}): {printable(subjects)}", out)
            say(f"    such as: {printable(same[0]['message'])}", out)
        else:
            for each in same:
                say(f"  {code}: {printable(each['message'])}", out)
        say(f"    fix: {printable(same[0]['fix'])}", out)


def _policy(policy: dict[str, Any], out: TextIO) -> None:
    """Say what differs from the shipped rules."""
    shipped = rulebook.load().chosen
    differs = [
        f"{name}={value}"
        for name, value in policy["switches"].items()
        if value != shipped.get(name)
    ]
    differs += [f"{name}={value}" for name, value in policy["limits"].items()]
    differs += policy["overlaid"]
    if differs:
        say("", out)
        say("policy, where it differs from the shipped rules", out)
        say(_wrapped(differs), out)


def _wrapped(words: Sequence[str]) -> str:
    lines = [" "]
    for word in words:
        if len(lines[-1]) + len(word) > 98:
            lines.append(" ")
        lines[-1] += " " + printable(word)
    return "\n".join(lines)


def table(head: list[str] | None, rows: Sequence[list[str]], out: TextIO) -> None:
    """Write rows in columns, words of a status in colour on a terminal.

    Args:
        head: the names of the columns; None without.
        rows: the cells, as many in each.
        out: where to.
    """
    shown = [[printable(cell) for cell in row] for row in rows]
    everything = [head, *shown] if head else shown
    if not everything:
        return
    widths = [max(_width(row[i]) for row in everything) for i in range(len(everything[0]))]
    for row in everything:
        cells = [
            cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)
        ]
        line = "  ".join(
            _coloured(cell, out) if row is not head else cell for cell in cells
        ).rstrip()
        say(line, out)


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def _coloured(cell: str, out: TextIO) -> str:
    colour = _COLOURS.get(cell.strip())
    if colour is None or os.environ.get("NO_COLOR") or not out.isatty():
        return cell
    return click.style(cell, fg=colour)


def say(text: str, out: TextIO) -> None:
    """Write a line; what the terminal's encoding lacks is escaped instead of failing."""
    encoding = getattr(out, "encoding", None) or "utf-8"
    _write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n", out)


def note(text: str) -> None:
    """Write to standard error, end of line included; that nobody listens is no reason to stop."""
    out = sys.stderr
    if out is not None:
        encoding = getattr(out, "encoding", None) or "utf-8"
        with contextlib.suppress(OSError, ValueError):
            out.write(text.encode(encoding, "backslashreplace").decode(encoding))
            out.flush()
