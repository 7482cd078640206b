"""`python -m bench solve`: what a solve costs, beside what a user would take instead.

Contenders order the same graphs and do less: networkx condenses cycles and sorts
lexicographically, graphlib sorts and refuses cycles; neither reads a document, checks it, derives
an edge, explains one, or partitions.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import graphs
from bench.command import Benchmark, Found, run
from bench.measure import ROOT, Command, cold, interleaved, peak_in, plan07
from bench.results import Column, Headline, Plot, Table, shown

LIMITS = {"max_obligations": 100_000, "max_static_bytes": 2**29}
EXAMPLE = ROOT / "tests" / "examples" / "session-timeout.plan.json"
IMPORTS = "import clingo, pydantic, click"


def solving(plan: dict[str, Any]) -> Callable[[], Any]:
    """Return a call that does the whole job."""
    from plan07 import document, solver

    options = solver.options(limits=LIMITS)
    return lambda: solver.solve_plan(document.read(plan, "bench"), options)


def networkx_order(plan: dict[str, Any]) -> Callable[[], Any]:
    """Return a call that condenses and sorts lexicographically."""
    import networkx

    def order() -> list[Any]:
        graph = networkx.DiGraph()
        for each in plan["obligations"]:
            graph.add_node(each["id"])
            graph.add_edges_from((before, each["id"]) for before in each["dependencies"])
        condensed = networkx.condensation(graph)
        return list(networkx.lexicographical_topological_sort(condensed))

    return order


def graphlib_order(plan: dict[str, Any]) -> Callable[[], Any]:
    """Return a call that sorts, or finds that there is a cycle."""
    from graphlib import CycleError, TopologicalSorter

    def order() -> list[str]:
        needs = {each["id"]: each["dependencies"] for each in plan["obligations"]}
        try:
            return list(TopologicalSorter(needs).static_order())
        except CycleError:
            return []

    return order


def in_process(rounds: int) -> Table:
    """Return the 64-obligation solve beside its contenders."""
    plan = graphs.realistic()
    calls = {
        "plan07 solve": solving(plan),
        "networkx, order only": networkx_order(plan),
        "graphlib, order only": graphlib_order(plan),
        "yardstick: a Python loop of a million steps": lambda: sum(i * i for i in range(10**6)),
    }
    costs = interleaved(calls, rounds)
    ours = costs["plan07 solve"].cpu
    return Table(
        "64 obligations with 500 impact edges, in process",
        [Column("what", "what"), Column("cpu", "ms", "ms"), Column("ratio", "of plan07", "ratio")],
        [{"what": name, "cpu": c.cpu, "ratio": c.cpu / ours} for name, c in costs.items()],
    )


def memory() -> Table:
    """Return the peak memory of fresh processes."""
    start = "from bench import graphs\nplan = graphs.realistic()\n"
    codes = {
        "the imports alone": IMPORTS,
        "20 solves, as the command does": "from plan07 import document, solver\n"
        f"{start}for _ in range(20): solver.solve_plan(document.read(plan, 'x'), solver.options())",
        "20 solves through `from plan07 import solve`": "from plan07 import solve\n"
        f"{start}for _ in range(20): solve(plan)",
    }
    peaks = {name: peak_in(code) for name, code in codes.items()}
    bare = peaks["the imports alone"]
    return Table(
        "Peak memory of a process",
        [Column("what", "what"), Column("peak", "MiB", "mib"), Column("ratio", "ratio", "ratio")],
        [{"what": name, "peak": peak, "ratio": peak / bare} for name, peak in peaks.items()],
    )


def command(rounds: int) -> Table:
    """Return what the command costs from a standing start."""
    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder) / "large.json"
        large.write_text(json.dumps(graphs.chain(10_000)))
        costs = cold(
            {
                f"python -c '{IMPORTS}'": Command([sys.executable, "-c", IMPORTS]),
                "plan07 --version": Command(plan07("--version")),
                "plan07 solve, the session-timeout example": Command(plan07("solve", str(EXAMPLE))),
                "10,000 obligations refused at the default limit": Command(
                    plan07("solve", str(large))
                ),
            },
            rounds,
        )
    bare = next(iter(costs.values())).cpu
    columns = [Column("what", "what"), Column("cpu", "ms of the processor", "ms")]
    columns += [Column("wall", "ms of the clock", "ms"), Column("ratio", "ratio", "ratio")]
    return Table(
        "The command, cold",
        columns,
        [
            {"what": name, "cpu": each.cpu, "wall": each.wall, "ratio": each.cpu / bare}
            for name, each in costs.items()
        ],
    )


def growth(sizes: list[int], rounds: int) -> Table:
    """Return how the solve grows with the plan, shape by shape."""
    rows: list[dict[str, Any]] = []
    for shape, make in graphs.SHAPES.items():
        for size in sizes if shape != "ring" else [each for each in sizes if each <= 1000]:
            plan = make(size)
            calls = {"plan07": solving(plan), "networkx": networkx_order(plan)}
            calls["graphlib"] = graphlib_order(plan)
            costs = {name: each.cpu for name, each in interleaved(calls, rounds).items()}
            ours = costs["plan07"]
            rows.append(
                {
                    "shape": shape,
                    "size": size,
                    **costs,
                    "each": ours / size,
                    "ratio": ours / costs["networkx"],
                }
            )
    return Table(
        "Growth, with --limit raised",
        [
            Column("shape", "shape"),
            Column("size", "obligations", "count"),
            Column("plan07", "plan07, ms", "ms"),
            Column("each", "ms each", "ms"),
            Column("networkx", "networkx, ms", "ms"),
            Column("graphlib", "graphlib, ms", "ms"),
            Column("ratio", "plan07 / networkx", "ratio"),
        ],
        rows,
    )


def drawn(table: Table) -> Plot:
    """Return growth as lines; one decade up for one across is linear."""
    series: dict[str, list[tuple[float, float]]] = {}
    for row in table.rows:
        point = (float(row["size"] or 0), float(row["plan07"] or 0) * 1000)
        series.setdefault(str(row["shape"]), []).append(point)
    layers = [row for row in table.rows if row["shape"] == "layered"]
    series["networkx, layered"] = [
        (float(row["size"] or 0), float(row["networkx"] or 0) * 1000) for row in layers
    ]
    return Plot("solve", "plan07 solve, in process", "obligations", "ms of the processor", series)


def measured(given: argparse.Namespace) -> Found:
    """Measure the solve."""
    rounds = 3 if given.quick else 15
    process = in_process(rounds)
    cold_table = command(rounds)
    grown = growth([64, 256, 1000] if given.quick else [64, 256, 1000, 4000, 10_000], 3)
    ours, loop = process.rows[0], process.rows[-1]
    solve, bare = cold_table.rows[2], cold_table.rows[0]
    return Found(
        [process, memory(), cold_table, grown],
        [drawn(grown)],
        headlines=[
            Headline(
                "solve of 64 obligations and 500 impact edges, in process",
                f"{shown(ours['cpu'], 'ms')} ms",
                f"{shown(float(ours['cpu'] or 0) / float(loop['cpu'] or 1), 'ratio')} of a Python "
                "loop of a million steps",
            ),
            Headline(
                "`plan07 solve`, cold",
                f"{shown(solve['cpu'], 'ms')} ms",
                f"{shown(solve['ratio'], 'ratio')} of its imports ({shown(bare['cpu'], 'ms')} ms)",
            ),
        ],
    )


BENCHMARK = Benchmark(
    "solve",
    "What does a solve cost beside what orders the same graph and does less?",
    measured,
    packages=("networkx",),
)


def main(argv: list[str]) -> int:
    return run(BENCHMARK, argv)
