"""`python -m bench neighbourhood`: what lies around targets in a large recon.db.

Generates a database of the size of a very large repository (fan-in as skewed as measured on real
ones), then reads 64 targets with their dependents, and these with theirs, and solves the closure.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.command import Benchmark, Found, run
from bench.measure import ROOT, interleaved, yardstick
from bench.results import Column, Table

EDGES_PER_NODE = 5.37
KINDS = (("calls", 45), ("references", 30), ("uses_type", 10), ("instantiates", 5), ("imports", 10))
RESOLUTIONS = (("exact", 55), ("typed", 25), ("heuristic", 20))
PER_FILE = 30
TARGETS = 64


def generate(path: Path, nodes: int) -> None:
    """Write a database of so many functions, a tenth of them in families of overrides."""
    sys.path.insert(0, str(ROOT / "tests"))
    from recondb import SCHEMA

    draw = random.Random(7)
    ddl, _, rest = SCHEMA.partition("CREATE INDEX")
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript(f"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; {ddl}")
        files = nodes // PER_FILE + 1
        database.executemany(
            "INSERT INTO files(id, path, blob, parsed) VALUES(?, ?, ?, 1)",
            ((n, f"src/package{n % 97}/module{n}.py", str(n)) for n in range(1, files + 1)),
        )
        database.executemany(
            "INSERT INTO nodes(id, fqn, kind, name, file_id, line, end_line, signature) "
            "VALUES(?, ?, 'function', ?, ?, ?, ?, '(a, b)')",
            (
                (
                    n,
                    f"package{n // PER_FILE % 97}.module{n // PER_FILE}.function{n}",
                    f"function{n}",
                    n // PER_FILE + 1,
                    n % PER_FILE * 10 + 1,
                    n % PER_FILE * 10 + 9,
                )
                for n in range(1, nodes + 1)
            ),
        )
        database.executemany(
            "INSERT OR IGNORE INTO edges(src, kind, dst, file_id, line, resolution, confidence, "
            "source) VALUES(?, ?, ?, ?, ?, ?, ?, 'ast')",
            edges(draw, nodes),
        )
        database.executescript(f"CREATE INDEX{rest} ANALYZE;")
        database.commit()


def edges(draw: random.Random, nodes: int) -> Iterator[tuple[Any, ...]]:
    """Yield rows: most functions are used by a few, some by hundreds, a handful by thousands."""
    kinds = draw.choices([k for k, _ in KINDS], [w for _, w in KINDS], k=4096)
    found = draw.choices([k for k, _ in RESOLUTIONS], [w for _, w in RESOLUTIONS], k=4096)
    for number in range(int(nodes * EDGES_PER_NODE)):
        source = draw.randrange(1, nodes + 1)
        # A power law, the popular ones spread over the whole.
        target = int(nodes * draw.random() ** 2.2) * 7919 % nodes + 1
        yield (
            source,
            kinds[number % 4096],
            target,
            source // PER_FILE + 1,
            number % 300,
            found[number * 31 % 4096],
            0.9,
        )


def measure(path: Path, rounds: int) -> Table:
    """Return what reading and walking take."""
    from plan07 import rulebook
    from plan07.impact.closure import Seed, closure
    from plan07.impact.planned import neighbourhood
    from plan07.reconfile import opened

    rules = rulebook.load()
    with opened(str(path)) as database:
        (nodes,) = database.execute("SELECT count(*) FROM nodes").fetchone()
        (links,) = database.execute("SELECT count(*) FROM edges").fetchone()
        draw = random.Random(11)
        names = [
            database.execute("SELECT fqn FROM nodes WHERE id=?", (n,)).fetchone()[0]
            for n in draw.sample(range(1, nodes + 1), TARGETS)
        ]

        def hops(number: int) -> int:
            around = neighbourhood(database, rules)
            for name in names:
                around.find(name)
            for _ in range(number):
                around.read(list(around.ids))
            return len(around.links)

        def walk(change: str) -> int:
            around = neighbourhood(database, rules)
            for name in names:
                around.find(name)
            return len(closure([Seed(name, change) for name in names], around, rules).effects)

        calls: dict[str, Callable[[], int]] = {
            "1 hop read": lambda: hops(1),
            "2 hops read": lambda: hops(2),
            "closure of changed bodies": lambda: walk("body"),
            "closure of new required parameters": lambda: walk("param_added_required"),
            "closure of renames": lambda: walk("rename"),
        }
        found = {name: call() for name, call in calls.items()}
        costs = interleaved(calls, rounds)
    loop = yardstick()
    size = path.stat().st_size / 2**20
    return Table(
        f"{nodes:,} nodes, {links:,} edges, {size:,.0f} MB; {TARGETS} targets looked up",
        [
            Column("what", "what"),
            Column("edges", "edges found", "count"),
            Column("cpu", "ms of the processor", "ms"),
            Column("wall", "ms of the clock", "ms"),
            Column("ratio", "of the yardstick", "ratio"),
        ],
        [
            {
                "what": name,
                "edges": found[name],
                "cpu": each.cpu,
                "wall": each.wall,
                "ratio": each.cpu / loop,
            }
            for name, each in costs.items()
        ],
    )


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--nodes", type=int, help="a million, or with --quick 20,000")
    parser.add_argument("--keep", type=Path, help="where the database is kept, or is already")


def measured(given: argparse.Namespace) -> Found:
    """Measure on a database that is made, or was kept."""
    nodes = given.nodes or (20_000 if given.quick else 1_000_000)
    with tempfile.TemporaryDirectory() as directory:
        path = given.keep or Path(directory, "recon.db")
        if not path.exists():
            generate(path, nodes)
        return Found([measure(path, 2 if given.quick else 9)])


BENCHMARK = Benchmark(
    "neighbourhood",
    "What does it cost to read, of a very large repository, what lies around a plan's targets?",
    measured,
    options,
)


def main(argv: list[str]) -> int:
    return run(BENCHMARK, argv)
