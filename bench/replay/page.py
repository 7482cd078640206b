"""`python -m bench.replay.page PAGE ROWS...`: one page of what `bench replay --json` wrote.

Of a commit that several files tell of, the orders of all of them count. A section shows the orders
that each of its commits has, and names the commits of the corpus that were not replayed.
"""

from __future__ import annotations

import argparse
import datetime
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.measure import environment
from bench.replay.command import corpus
from bench.replay.replaying import ORDERS
from bench.replay.table import markdown

_SECTIONS = {
    "listed": "Commits chosen by hand, looked at while rules were made",
    "mined": "Commits found by a rule, never looked at",
    "codeplan": "CodePlan's migrations, judged by pyright",
    "sdist": "Pairs of source distributions, looked at while rules were made",
}
_HEAD = """\
# Results of the replay

{date}, {processor}, {cores} cores, Python {python}. A cell is valid states of states between (the
largest step, where it is more than one edit), judged by the tests in the files that the commit
edits, or by pyright where it says so. What each order is, and how to read this, is in
[bench/README.md](../README.md#replay). Made by `python -m bench.replay.page` of what
`python -m bench replay --repos DIR --json FILE` wrote.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.replay.page", description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("rows", type=Path, nargs="+")
    parser.add_argument("--date", default=datetime.date.today().isoformat())
    given = parser.parse_args(argv)
    rows = [row for path in given.rows for row in json.loads(path.read_text("utf-8"))]
    given.page.write_text(_HEAD.format(**environment(given.date)) + sections(rows, corpus()))
    return 0


def sections(rows: Sequence[Mapping[str, Any]], records: Sequence[Mapping[str, Any]]) -> str:
    """Return the sections of a page.

    Args:
        rows: as `replaying.replay` returns them.
        records: of the corpus, which tells the order of the commits.
    """
    known: dict[str, dict[str, Any]] = {}
    for row in rows:
        old = known.get(row["commit"], row)
        known[row["commit"]] = {**old, **row, "orders": {**old["orders"], **row["orders"]}}
    text = ""
    for origin, title in _SECTIONS.items():
        names = [f"{r['repo']}@{r['commit'][:10]}" for r in records if r["origin"] == origin]
        part = [known[name] for name in names if name in known]
        if part:
            shown = [name for name in ORDERS if all(name in row["orders"] for row in part)]
            text += f"\n## {title}\n\n{markdown(part, shown)}"
            lacking = [name for name in names if name not in known]
            if lacking:
                text += f"\nNot replayed: {', '.join(lacking)}.\n"
    return text


if __name__ == "__main__":
    raise SystemExit(main())
