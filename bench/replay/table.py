"""What a replay found, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]


def markdown(rows: Sequence[Row], names: Sequence[str]) -> str:
    """Return the tables: each commit, then the totals of each part of the corpus.

    A cell tells valid of intermediate states, and in brackets how many edits the largest step
    holds, where it holds more than one.

    Args:
        rows: as `replaying.replay` returns them.
        names: orders, in the order of the columns.
    """
    head = ["commit", "edits", *names]
    lines = [_line(head), _line(["---"] * len(head))]
    lines += [
        _line([row["commit"], str(row["edits"]), *(_cell(row["orders"][name]) for name in names)])
        for row in rows
    ]
    for split in sorted({row["split"] for row in rows}):
        part = [row for row in rows if row["split"] == split]
        lines += ["", f"{split}: {len(part)} commits, {sum(r['edits'] for r in part)} edits", ""]
        lines += [*_totals(part, names), *_beside_the_plain(part, names)]
    return "\n".join(lines) + "\n"


def totals(rows: Iterable[Row], name: str) -> dict[str, int]:
    """Return the sums of one order over commits; refused plans count in `refused` alone."""
    found = dict.fromkeys(
        ("commits", "edits", "steps", "intermediate", "valid", "stable", "new"), 0
    )
    found |= {"largest": 0, "refused": 0, "tried": 0, "rolled_back": 0}
    for row in rows:
        told = row["orders"][name]
        if "refused" in told:
            found["refused"] += 1
            continue
        found["commits"] += 1
        found["edits"] += row["edits"]
        found["largest"] = max(found["largest"], told["largest"])
        for key in ("steps", "intermediate", "valid", "stable", "new", "tried", "rolled_back"):
            found[key] += told.get(key, 0)
    return found


def _totals(rows: Sequence[Row], names: Sequence[str]) -> Iterable[str]:
    head = [
        *("order", "valid, all tests", "valid, unedited tests", "new tests hold", "steps"),
        *("valid states for each edit", "largest step", "states tried", "rolled back", "refused"),
    ]
    yield _line(head)
    yield _line(["---"] * len(head))
    for name in names:
        told = totals(rows, name)
        yield _line(
            [
                name,
                *(_share(told[judge], told["intermediate"]) for judge in _JUDGES),
                str(told["steps"]),
                f"{told['valid'] / told['edits']:.2f}" if told["edits"] else "-",
                str(told["largest"]),
                str(told["tried"] or "-"),
                str(told["rolled_back"] or "-"),
                str(told["refused"] or "-"),
            ]
        )


_JUDGES = ("valid", "stable", "new")
# Orders that no plan makes; the search tries states to find its own.
_PLAIN = ("diff", "reverse", "random-0", "random-1", "by-file", "tests-last", "topological")


def _beside_the_plain(rows: Sequence[Row], names: Sequence[str]) -> Iterable[str]:
    """Tell for how many commits a plain order keeps more states valid than the plan's, and which.

    By the share of the states between, of which one great step has none and none that is bad; and
    by their number, in which one great step is the worst.
    """
    plain = [name for name in names if name in _PLAIN]
    if "plan07" not in names or not plain:
        return
    tried = [row for row in rows if "refused" not in row["orders"]["plan07"]]
    for measure, words in ((_portion, "a larger share"), (_number, "a larger number")):
        below = [
            row["commit"]
            for row in tried
            if measure(row["orders"]["plan07"]) < max(measure(row["orders"][n]) for n in plain)
        ]
        yield ""
        yield (
            f"A plain order keeps {words} of its states valid than plan07 on {len(below)} of "
            f"{len(tried)} commits{': ' if below else ''}{', '.join(below)}."
        )


def _portion(told: Row) -> float:
    return told["valid"] / told["intermediate"] if told["intermediate"] else 1.0


def _number(told: Row) -> float:
    return float(told["valid"])


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.0f}%)" if whole else "-"


def _cell(told: Row) -> str:
    if "refused" in told:
        return "refused"
    largest = f" ({told['largest']})" if told["largest"] > 1 else ""
    return f"{told['valid']}/{told['intermediate']}{largest}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
