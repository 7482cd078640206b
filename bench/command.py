"""What the subcommands have in common: options, the stamp of a run, where results go."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from bench import measure, page, results
from bench.__main__ import SUBCOMMANDS
from plan07 import clock


class Skipped(Exception):
    """Something that a benchmark needs is not there; the text says what to do about it."""


class Found(NamedTuple):
    """What a benchmark found.

    Args:
        tables, plots, skipped, headlines: as in `results.Section`.
        versions: of what it compares with and is no package of this interpreter.
    """

    tables: Sequence[results.Table]
    plots: Sequence[results.Plot] = ()
    skipped: Sequence[str] = ()
    headlines: Sequence[results.Headline] = ()
    versions: Mapping[str, str] = MappingProxyType({})


class Benchmark(NamedTuple):
    """A benchmark.

    Args:
        name: of the subcommand.
        question: what it answers, a sentence.
        measure: takes the options, and finds the answer.
        options: adds options of its own.
        packages: whose versions matter beside those of plan07.
    """

    name: str
    question: str
    measure: Callable[[argparse.Namespace], Found]
    options: Callable[[argparse.ArgumentParser], None] = lambda parser: None
    packages: Sequence[str] = ()


def run(benchmark: Benchmark, argv: Sequence[str]) -> int:
    """Run a benchmark: print what it found, and keep it where the options say.

    Returns:
        0, or 1 where something that it needs is not there.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m bench {benchmark.name}", description=benchmark.question
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds and smaller sizes")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="put the results into this JSON file, its page beside",
    )
    parser.add_argument("--plot", type=Path, metavar="DIR", help="draw the plots into a directory")
    benchmark.options(parser)
    given = parser.parse_args(list(argv))
    stamp = measure.environment(clock.now()[:10], benchmark.packages)
    before = measure.yardstick()
    try:
        found = benchmark.measure(given)
    except Skipped as reason:
        print(f"bench: {benchmark.name} is left out: {reason}", file=sys.stderr)
        return 1
    stamp["versions"] |= found.versions
    section = results.Section(
        benchmark.name,
        benchmark.question,
        told(benchmark.name, argv),
        stamp,
        (before, measure.yardstick()),
        found.tables,
        found.plots,
        found.skipped,
        found.headlines,
    )
    print(results.body(section))
    if given.out is not None:
        merged = results.merged(results.read(given.out), section, list(SUBCOMMANDS))
        results.write(given.out, merged)
        page.write(given.out)
    if given.plot is not None:
        page.draw([section], given.plot)
    return 0


def told(name: str, argv: Sequence[str]) -> str:
    """Return the command that made a section: places of this machine are named by their kind.

    >>> told("peers", ["--quick", "--bin", "/opt/bin", "--out", "results.json"])
    'python -m bench peers --quick --bin DIR'
    """
    words = ["python", "-m", "bench", name]
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        option, _, value = word.partition("=")
        if option in ("--out", "--plot"):
            if not value:
                rest.pop(0)
        elif option in _PLACES:
            if not value:
                rest.pop(0)
            words += [option, _PLACES[option]]
        elif word.startswith("/"):
            words.append("PATH")
        else:
            words.append(word)
    return shlex.join(words)


_PLACES = {"--bin": "DIR", "--sources": "DIR", "--keep": "FILE", "--gguf": "FILE"} | {
    "--python": "PYTHON"
}
