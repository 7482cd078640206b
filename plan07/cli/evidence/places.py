"""How documents of the formats localization and context are shown to people."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from plan07.cli import output
from plan07.messages import printable

_WIDEST = 80


def told(document: Mapping[str, Any], path: str) -> None:
    """Print the items of a document, and where it was written."""
    items = document["items"]
    left = document.get("truncated", 0)
    more = f", {left} more left out" if left else ""
    count = f"{len(items)} {'place' if len(items) == 1 else 'places'}{more}"
    output.say(f"{count}, written to {printable(path)}", sys.stdout)
    if items:
        output.say("", sys.stdout)
        rows = [
            [f"{each['score']:.2f}", each["entity"] or "", _where(each), _short(each["why"])]
            for each in items
        ]
        output.table(["score", "entity", "where", "why"], rows, sys.stdout)


def _where(item: Mapping[str, Any]) -> str:
    end = "" if item["end_line"] == item["start_line"] else f"-{item['end_line']}"
    return f"{item['path']}:{item['start_line']}{end}"


def _short(text: str) -> str:
    return text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."
