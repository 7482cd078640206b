"""`python -m bench peers`: what may be done next, beside task trackers for coding agents.

The same tasks with the same dependencies, half of them done, in each tool's own store; then the
command that a user, or an agent, types to hear what is ready, in turn with `plan07 next`. Whether
the answers agree is checked against the graph.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.command import Benchmark, Found, run
from bench.measure import Command, Cost, ended, median
from bench.peers import inprocess
from bench.peers.project import Task, ready, tasks
from bench.peers.trackers import LIBRARIES, PLAN07, TRACKERS, Tracker
from bench.results import Column, Headline, Plot, Table, Value, shown

# A command that takes longer is stopped, and not asked about more tasks.
SECONDS = 180.0


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--bin", action="append", default=[], metavar="DIR", help="where trackers lie. Repeatable."
    )
    parser.add_argument("--sizes", default="", metavar="N,N", help="how many tasks")


def found(places: Sequence[str]) -> tuple[dict[str, Tracker], list[str]]:
    """Return the trackers that are there, name to tracker with its program, and those that are not.

    Args:
        places: directories to look in before those of PATH.
    """
    path = os.pathsep.join([*places, os.environ.get("PATH", "")])
    there: dict[str, Tracker] = {}
    missing: list[str] = []
    for each in TRACKERS:
        program = shutil.which(each.program, path=path)
        if program is None:
            missing.append(f"{each.name} is not installed; {each.install}, then --bin DIR")
        else:
            there[each.name] = each._replace(program=program)
    return there, missing


def asked(
    contenders: dict[str, Tracker], size: int, rounds: int, folder: Path
) -> list[dict[str, Any]]:
    """Return what each answers about so many tasks, and what that takes, run in turn.

    Args:
        contenders: name to tracker, plan07 first.
        size: how many tasks.
        rounds: how often each is asked, after once to fill its caches.
        folder: where projects are made.
    """
    work = tasks(size)
    commands: dict[str, Command] = {}
    answers: dict[str, str] = {}
    for name, tracker in contenders.items():
        place = folder / name / str(size)
        place.mkdir(parents=True)
        tracker.make(tracker, place, work)
        words = [tracker.program, *tracker.words(place)]
        commands[name] = Command(words, place, tracker.environment(place))
        done = ended(commands[name], SECONDS)
        if done.status is None:
            answers[name] = f"nothing within {SECONDS:.0f} s"
            del commands[name]
        else:
            answers[name] = judged(tracker, done.out, work, done.err)
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            costs[name].append(ended(command).cost)
    medians = {name: median(each) for name, each in costs.items()}
    ours = medians["plan07"]
    return [
        {
            "size": size,
            "tool": name,
            "cpu": medians[name].cpu if name in medians else None,
            "wall": medians[name].wall if name in medians else None,
            "ratio": medians[name].cpu / ours.cpu if name in medians else None,
            "tells": tracker.tells,
            "answer": answers[name],
        }
        for name, tracker in contenders.items()
    ]


def judged(tracker: Tracker, out: str, work: Sequence[Task], err: str = "") -> str:
    """Return whether an answer is what the graph says, in words.

    Args:
        tracker: that answered.
        out: what it printed.
        work: the tasks.
        err: what it printed on standard error.
    """
    expected = ready(work)
    if tracker.tells == "first":
        expected = expected[:1]
    try:
        said = tracker.read(out)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        said_so = " ".join((err or out).split())[:60]
        return f"unreadable ({type(error).__name__}): {said_so}"
    if said == expected:
        return "agrees"
    if sorted(said) == expected:
        return "agrees, in another order"
    return f"{_few(said)} instead of {_few(expected)}"


def _few(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:4])) or "nothing"
    return shown if len(numbers) <= 4 else f"{shown} and {len(numbers) - 4} more"


def measured(given: argparse.Namespace) -> Found:
    """Measure every tracker that is there, and what a few lines of Python would do."""
    sizes = [int(each) for each in given.sizes.split(",") if each]
    sizes = sizes or ([10, 64] if given.quick else [10, 64, 1000, 10_000])
    rounds = 2 if given.quick else 7
    there, missing = found(given.bin)
    contenders = {"plan07": PLAN07, **there, **{each.name: each for each in LIBRARIES}}
    rows: list[dict[str, Any]] = []
    within: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="bench-peers-") as name:
        folder = Path(name)
        for size in sizes:
            rows += asked(contenders, size, rounds, folder)
            slow = {row["tool"] for row in rows if row["cpu"] is None}
            contenders = {key: each for key, each in contenders.items() if key not in slow}
            within += inprocess.asked(contenders, size, rounds, folder)
    cold = Table("What is next, cold", _COLUMNS, rows, _NOTE)
    inner = Table("What is next, in process", inprocess.COLUMNS, within, inprocess.NOTE)
    versions = {name: each.version(each) for name, each in there.items()}
    return Found([cold, inner], [drawn(rows)], missing, headlines(rows), versions)


_COLUMNS = [
    Column("size", "tasks", "count"),
    Column("tool", "tool"),
    Column("cpu", "ms of the processor", "ms"),
    Column("wall", "ms of the clock", "ms"),
    Column("ratio", "of plan07", "ratio"),
    Column("tells", "tells"),
    Column("answer", "answer"),
]
_NOTE = (
    "Layers of four tasks, each waiting for the whole layer before, half of them done. `tells`: "
    "the first task that is ready, or all of them. The ratio is of the time of the processor. Each "
    "is asked once before it is measured, so that caches of its own are filled."
)


def drawn(rows: Sequence[dict[str, Any]]) -> Plot:
    """Return the times as lines."""
    series: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if row["cpu"] is not None:
            point = (float(row["size"]), float(row["cpu"]) * 1000)
            series.setdefault(row["tool"], []).append(point)
    return Plot("peers", "What is next, cold", "tasks", "ms of the processor", series)


def headlines(rows: Sequence[dict[str, Any]]) -> list[Headline]:
    """Return the largest size at which the trackers were asked, one line for each."""
    largest = max(row["size"] for row in rows)
    names = {each.name for each in LIBRARIES}
    told = []
    for row in rows:
        if row["size"] != largest or row["tool"] in names:
            continue
        cpu: Value = row["cpu"]
        value = f"{shown(cpu, 'ms')} ms" if cpu is not None else row["answer"]
        compared = cpu is not None and row["tool"] != "plan07"
        ratio = f"{shown(row['ratio'], 'ratio')} of plan07" if compared else ""
        told.append(Headline(f"next of {largest:,} tasks, cold: {row['tool']}", value, ratio))
    return told


BENCHMARK = Benchmark(
    "peers",
    "How long does it take to hear what may be done next, and is the answer right?",
    measured,
    options,
    ("networkx",),
)


def main(argv: list[str]) -> int:
    return run(BENCHMARK, argv)
