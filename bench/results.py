"""What benchmarks found, as records, as JSON and as a page.

The page says nothing that is not in the JSON: figures are kept in base units (seconds, MiB, shares)
and rounded only where they are shown.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

SCHEMA = "plan07.bench/1"

Value = str | int | float | None


class Column(NamedTuple):
    """A column of a table.

    Args:
        key: of the rows.
        head: what stands above it.
        form: text, count, ms, s, mib, ratio or share.
    """

    key: str
    head: str
    form: str = "text"


class Table(NamedTuple):
    """A table.

    Args:
        title: what it shows.
        columns: from left to right.
        rows: key to value; None, or no key, leaves the cell empty.
        note: what is to be known of it.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[dict[str, Value]]
    note: str = ""


class Plot(NamedTuple):
    """Lines on logarithmic axes.

    Args:
        name: of the file, without its ending.
        title: what it shows.
        x: what the horizontal axis counts.
        y: the same for the vertical one.
        series: name to its points.
    """

    name: str
    title: str
    x: str
    y: str
    series: dict[str, list[tuple[float, float]]]


class Headline(NamedTuple):
    """A figure for those who read no further.

    Args:
        what: was measured.
        value: in words.
        ratio: to what, in words.
    """

    what: str
    value: str
    ratio: str = ""


class Section(NamedTuple):
    """What one benchmark found.

    Args:
        name: the subcommand.
        question: what it answers, a sentence.
        command: that made it.
        environment: as `measure.environment` returns it.
        yardstick: seconds of the processor before and after.
        tables: of figures.
        plots: of figures.
        skipped: what was left out, and what to do about it.
        headlines: figures for the README.
    """

    name: str
    question: str
    command: str
    environment: dict[str, Any]
    yardstick: tuple[float, float]
    tables: Sequence[Table]
    plots: Sequence[Plot] = ()
    skipped: Sequence[str] = ()
    headlines: Sequence[Headline] = ()


def shown(value: Value, form: str) -> str:
    """Return a value as a table shows it.

    >>> shown(0.01234, "ms"), shown(1234.5, "count"), shown(1.2345, "ratio"), shown(None, "s")
    ('12.3', '1,234', '1.23', '')
    """
    if value is None:
        return ""
    if form == "text" or isinstance(value, str):
        return str(value)
    if form == "count":
        return f"{value:,.0f}"
    if form == "share":
        return f"{value:.1%}"
    number = value * 1000 if form == "ms" else value
    if form == "mib" or abs(number) >= 100:
        return f"{number:,.0f}"
    places = 1 if abs(number) >= 10 else 2 if abs(number) >= 0.1 else 3
    return f"{number:.{places}f}"


def markdown(table: Table) -> str:
    """Return a table as Markdown."""
    rows = [[shown(row.get(c.key), c.form) for c in table.columns] for row in table.rows]
    marks = ["---" if c.form == "text" else "---:" for c in table.columns]
    lines = [[c.head for c in table.columns], marks, *rows]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in x) + " |" for x in lines
    )


def body(section: Section) -> str:
    """Return a section as Markdown."""
    where = section.environment
    versions = ", ".join(f"{name} {number}" for name, number in where["versions"].items())
    before, after = (f"{each * 1000:.0f}" for each in section.yardstick)
    parts = [
        f"## {section.name}",
        section.question,
        f"{where['date']}, {where['processor']}, {where['cores']} cores, {where['system']}; "
        f"Python {where['python']}, {versions}. Load {where['load']} at the start; the yardstick, "
        f"a Python loop of a million steps, took {before} ms of the processor before and {after} "
        "ms after.",
        f"```sh\n{section.command}\n```",
    ]
    for table in section.tables:
        parts += [f"**{table.title}**", markdown(table), *([table.note] if table.note else [])]
    parts += [f"![{each.title}](plots/{each.name}.svg)" for each in section.plots]
    parts += [f"Left out: {each}" for each in section.skipped]
    return "\n\n".join(parts) + "\n"


def page(sections: Sequence[Section]) -> str:
    """Return the page of results."""
    head = (
        "# Results\n\n"
        "Made by `python -m bench page` from `results.json`; [README.md](README.md) says what "
        "each benchmark measures and how to read it. A ratio stands beside what was measured in "
        "turn with it, in one run; figures of two sections, or of two days, are not to be compared "
        "but through the yardstick.\n"
    )
    return "\n".join([head, *map(body, sections)])


def summary(sections: Sequence[Section]) -> str:
    """Return the table of the README."""
    rows = ["| what | value | ratio | measured |", "|---|---|---|---|"]
    for section in sections:
        where = section.environment
        when = f"{where['date']}, {where['processor']}, {where['cores']} cores, "
        when += f"Python {where['python']}"
        rows += [f"| {h.what} | {h.value} | {h.ratio} | {when} |" for h in section.headlines]
    return "\n".join(rows)


def write(path: Path, sections: Sequence[Section]) -> None:
    """Write results."""
    document = {"schema": SCHEMA, "sections": [_plain(each) for each in sections]}
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")


def read(path: Path) -> list[Section]:
    """Return the results in a file, none where there is no file.

    Raises:
        SystemExit: it holds something else.
    """
    if not path.exists():
        return []
    document = json.loads(path.read_text("utf-8"))
    if document.get("schema") != SCHEMA:
        raise SystemExit(f"{path} holds no {SCHEMA}")
    return [_section(each) for each in document["sections"]]


def merged(old: Sequence[Section], new: Section, order: Sequence[str]) -> list[Section]:
    """Return sections with one of them replaced, or added, in the order of the subcommands."""
    kept = {each.name: each for each in old} | {new.name: new}
    known = [name for name in order if name in kept]
    return [kept[name] for name in (*known, *sorted(set(kept) - set(known)))]


def _plain(section: Section) -> dict[str, Any]:
    return {
        **section._asdict(),
        "tables": [
            {**each._asdict(), "columns": [c._asdict() for c in each.columns]}
            for each in section.tables
        ],
        "plots": [each._asdict() for each in section.plots],
        "headlines": [each._asdict() for each in section.headlines],
    }


def _section(value: dict[str, Any]) -> Section:
    tables = [
        Table(**{**each, "columns": [Column(**c) for c in each["columns"]]})
        for each in value["tables"]
    ]
    plots = [
        Plot(**{**each, "series": {k: [(x, y) for x, y in v] for k, v in each["series"].items()}})
        for each in value["plots"]
    ]
    before, after = value["yardstick"]
    headlines = [Headline(**each) for each in value["headlines"]]
    return Section(
        **{
            **value,
            "yardstick": (before, after),
            "tables": tables,
            "plots": plots,
            "headlines": headlines,
        }
    )
