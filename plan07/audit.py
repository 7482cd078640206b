"""Which rows of an audit tell of changes that landed.

The rows of a change are written before the plan is replaced, each with the digests of the plan
before and after it. So the plan's own digest tells whether the last change landed; one that did
not is void, and a row saying so follows before anything else is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

Row: TypeAlias = Mapping[str, Any]


def landed(
    rows: Sequence[Row], digest: str
) -> tuple[list[Row], Literal["same", "edited", "older"]]:
    """Return the rows that hold for a plan, and how the plan stands to them.

    Args:
        rows: all rows, the oldest first.
        digest: of the plan as it is; "" where there is none.

    Returns:
        The rows; and `same` if the last change among them made the plan what it is, `edited` if
        nothing among them did, `older` if a later change is known.
    """
    live = _live(rows)
    changes = [row for row in live if "after" in row]
    if not changes or changes[-1]["after"] == digest:
        return live, "same"
    last = _change(changes[-1])
    if changes[-1]["before"] == digest:
        return [row for row in live if _change(row) != last], "same"
    known = any(row["after"] == digest for row in changes)
    return live, "older" if known else "edited"


def numbered(
    known: Sequence[Row], rows: Iterable[Row], digests: Mapping[str, str], time: str
) -> list[dict[str, Any]]:
    """Return rows as they are written after the known ones: numbered, with time and digests.

    Args:
        known: what the audit holds.
        rows: what is new.
        digests: `before` and `after` of a change; empty for rows that change nothing.
        time: UTC, ISO 8601.
    """
    number = max((row.get("seq", 0) for row in known), default=0)
    void = _unlanded(known, digests["before"]) if digests else []
    first: list[Row] = [{"event": "void", "of": void}] if void else []
    written = []
    for row in (*first, *rows):
        number += 1
        more = {} if row["event"] == "void" else digests
        written.append({"seq": number, "time": time, **row, **more})
    return written


def _unlanded(rows: Sequence[Row], digest: str) -> list[int]:
    """The numbers of the rows of a last change that did not land."""
    kept, _ = landed(rows, digest)
    numbers = {row.get("seq") for row in kept}
    return [row["seq"] for row in _live(rows) if row.get("seq") not in numbers]


def _live(rows: Sequence[Row]) -> list[Row]:
    void = {number for row in rows if row.get("event") == "void" for number in row.get("of", ())}
    return [row for row in rows if row.get("event") != "void" and row.get("seq") not in void]


def _change(row: Row) -> tuple[Any, Any]:
    return row.get("before"), row.get("after")
