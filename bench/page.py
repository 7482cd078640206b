"""`python -m bench page [RESULTS]`: the page and the plots, anew from the results."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bench import plots, results

RESULTS = Path(__file__).resolve().parent / "results.json"


def write(path: Path) -> None:
    """Write the page and the plots of results beside them."""
    sections = results.read(path)
    path.with_name("RESULTS.md").write_text(results.page(sections), "utf-8")
    draw(sections, path.with_name("plots"))


def draw(sections: Sequence[results.Section], directory: Path) -> None:
    """Draw the plots of sections into a directory."""
    for section in sections:
        for plot in section.plots:
            directory.mkdir(parents=True, exist_ok=True)
            (directory / f"{plot.name}.svg").write_text(plots.svg(plot), "utf-8")


def main(argv: list[str]) -> int:
    """Write them."""
    parser = argparse.ArgumentParser(prog="python -m bench page", description=__doc__)
    parser.add_argument("results", nargs="?", type=Path, default=RESULTS)
    write(parser.parse_args(argv).results)
    return 0
