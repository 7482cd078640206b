"""Reads `impact.json`, the impact edges of component 06 (format plan07.impact/1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plan07 import jsontext, shapes
from plan07.evidence import Edge, Evidence, edge, sites


def encode(path: str, targets: Sequence[str]) -> Evidence:
    """Return what an impact file says.

    Args:
        path: the file.
        targets: not needed; an impact file is about one change already.

    Raises:
        InputError: it cannot be read, or is not of the format, with the place.
    """
    document, name = jsontext.read(path)
    shapes.check("impact", document, name, "IMPACT_INVALID", "evidence")
    return Evidence(
        edges=tuple(_edge(each) for each in document["edges"]),
        changes=tuple((seed["entity"], seed["change"]) for seed in document.get("seeds", ())),
        files=sites(document["edges"]),
        scores={each["entity"]: _scores(each) for each in document.get("soft", ())},
        truncated=tuple(
            (each["entity"], each["cause"], each.get("kept", 0), each.get("total", 0))
            for each in document.get("truncated", ())
        ),
        unresolved={
            each["entity"]: each["unresolved_calls"]
            for each in document.get("unknown", ())
            if "unresolved_calls" in each
        },
    )


def _edge(record: dict[str, Any]) -> Edge:
    """Return an edge; beyond the first hop a changed body is a guess, and only the link is sure."""
    found = edge(record)
    if (record.get("hop") or 1) > 1 and found.change == "body":
        return found._replace(change="", strength="", order="")
    return found


def _scores(record: dict[str, Any]) -> dict[str, float]:
    """A soft rank may come as its two parts, or as one score for both."""
    whole = record.get("score", 0.0)
    return {name: record.get(name, whole) for name in ("lex", "cochange")}
