"""Measures `solve` against what a user would take instead, in one run, as ratios.

    python bench/bench.py [--quick] [--plot FILE.svg]

Prints Markdown tables. Contenders order the same graphs and do less: networkx condenses cycles and
sorts lexicographically, graphlib sorts and refuses cycles; neither reads a document, checks it,
derives an edge, explains one, or partitions.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import graphs  # noqa: E402

LIMITS = {"max_obligations": 100_000, "max_static_bytes": 2**29}


def timed(function: Callable[[], Any], repeats: int) -> float:
    """Return the median time of a call in seconds, after one to warm up."""
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def plan07_solve(plan: dict[str, Any]) -> Callable[[], Any]:
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


def peak_mib(code: str) -> float:
    """Return the peak memory of a fresh interpreter that runs some code, in MiB."""
    # The high-water mark of the process itself; ru_maxrss would count the parent's.
    script = f"{code}\nprint(open('/proc/self/status').read())"
    out = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True, cwd=HERE
    )
    mark = next(line for line in out.stdout.splitlines() if line.startswith("VmHWM"))
    return int(mark.split()[1]) / 1024


def cold(commands: list[list[str]], repeats: int) -> list[float]:
    """Return the median processor time of processes in seconds, run in turn.

    As installed: the bytecode of this package is there, as that of its dependencies is. The clock
    would tell what else the machine does; when it does nothing, it shows the same.
    """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    times: list[list[float]] = [[] for _ in commands]
    for repeat in range(repeats + 1):
        for command, taken in zip(commands, times, strict=True):
            start = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                command,
                check=False,
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            end = resource.getrusage(resource.RUSAGE_CHILDREN)
            if repeat:  # The first one writes the bytecode.
                taken.append(end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime)
    return [statistics.median(taken) for taken in times]


def table(head: list[str], rows: list[list[str]]) -> None:
    """Print a Markdown table."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    for row in [head, ["-" * width for width in widths], *rows]:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        print("| " + " | ".join(cells) + " |")
    print()


def in_process(repeats: int) -> None:
    """Print the 64-obligation solve, its contenders, and its memory."""
    plan = graphs.realistic()
    ours = timed(plan07_solve(plan), repeats)
    rows = [["plan07 solve", f"{ours * 1e3:.1f}", "1"]]
    for name, contender in (("networkx", networkx_order), ("graphlib", graphlib_order)):
        other = timed(contender(plan), repeats)
        rows.append([f"{name} (order only)", f"{other * 1e3:.2f}", f"{other / ours:.3f}"])
    loop = timed(lambda: sum(i * i for i in range(1_000_000)), repeats)
    rows.append(
        ["yardstick: a Python loop of 1,000,000", f"{loop * 1e3:.1f}", f"{loop / ours:.2f}"]
    )
    print("## 64 obligations, 500 impact edges, in process\n")
    table(["what", "ms (median)", "of plan07"], rows)
    bare = peak_mib("import clingo, pydantic, click")
    solving = peak_mib(
        "import graphs; from plan07 import document, solver\n"
        "plan = graphs.realistic()\n"
        "for _ in range(20): solver.solve_plan(document.read(plan, 'bench'), solver.options())"
    )
    typed = peak_mib(
        "import graphs; from plan07 import solve\n"
        "plan = graphs.realistic()\n"
        "for _ in range(20): solve(plan)"
    )
    table(
        ["peak memory of the process", "MiB"],
        [
            ["import clingo, pydantic, click", f"{bare:.0f}"],
            ["20 solves, as the command does", f"{solving:.0f}"],
            ["20 solves through `from plan07 import solve`", f"{typed:.0f}"],
        ],
    )


def command(repeats: int) -> None:
    """Print what the command costs from a standing start."""
    example = HERE.parent / "tests" / "examples" / "session-timeout.plan.json"
    plan07 = [sys.executable, "-m", "plan07"]
    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder) / "large.json"
        large.write_text(json.dumps(graphs.chain(10_000)))
        calls = {
            "python -c 'import clingo, pydantic, click'": [
                sys.executable,
                "-c",
                "import clingo, pydantic, click",
            ],
            "plan07 solve, session-timeout example": [*plan07, "solve", str(example)],
            "plan07 --version": [*plan07, "--version"],
            "10,000 obligations refused at the default limit": [*plan07, "solve", str(large)],
        }
        times = cold(list(calls.values()), repeats)
    rows = [
        [name, f"{taken * 1e3:.0f}", f"{taken / times[0]:.2f}"]
        for name, taken in zip(calls, times, strict=True)
    ]
    print("## The command, cold\n")
    table(["what", "ms (median)", "ratio"], rows)


def driving(repeats: int) -> None:
    """Print what it costs to ask a plan how it stands, in process and cold."""
    from plan07 import artifact, partition, planning, rulebook, solver, state

    given = graphs.realistic()
    options = solver.options()
    requirement = {"goal": "g", "acceptance_criteria": ["a"], "constraints": []}
    known = planning.known(requirement, given["evidence"], options)
    decomposer = planning.given({"obligations": given["obligations"]})
    made = planning.make(requirement, known, decomposer, options, "plan-20260101-0000")
    rules = rulebook.load()
    nodes = [dict(node) for node in made.artifact["nodes"]]

    def again() -> None:
        """Stand anew after one more node is complete."""
        done = next((node for node in nodes if node["state"] == "pending"), nodes[0])
        done["state"] = "complete"
        partition.stand({**made.artifact, "nodes": nodes}, rules)

    restand = timed(again, repeats)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "plan.json")
        planning.write(state.Store(path), made, lambda: "2026-01-01T00:00:00Z")
        plan07 = [sys.executable, "-m", "plan07"]
        source = Path(folder) / "given.json"
        source.write_text(json.dumps(given))
        names = ["solve", "next", "status"]
        calls = [[*plan07, "solve", str(source)], *([*plan07, each, path] for each in names[1:])]
        times = cold(calls, repeats)
    size = len(artifact.render(made.artifact).encode())
    print(f"## Driving a plan of {len(nodes)} nodes, {size:,} bytes\n")
    rows = [["stand anew after a state change, in process", f"{restand * 1e3:.1f}", ""]]
    for name, taken in zip(names, times, strict=True):
        rows.append([f"plan07 {name}, cold", f"{taken * 1e3:.0f}", f"{taken / times[0]:.2f}"])
    table(["what", "ms (median)", "of solve"], rows)


def growth(sizes: list[int], repeats: int) -> dict[str, dict[int, float]]:
    """Print how the solve grows with the plan, shape by shape; return the times."""
    found: dict[str, dict[int, float]] = {}
    rows = []
    for shape, make in graphs.SHAPES.items():
        for size in sizes if shape != "ring" else [64, 1000]:
            plan = make(size)
            ours = timed(plan07_solve(plan), repeats)
            networkx = timed(networkx_order(plan), repeats)
            graphlib = timed(graphlib_order(plan), repeats)
            found.setdefault(shape, {})[size] = ours
            rows.append(
                [
                    shape,
                    f"{size:,}",
                    f"{ours * 1e3:.0f}",
                    f"{ours / size * 1e6:.0f}",
                    f"{networkx * 1e3:.1f}",
                    f"{graphlib * 1e3:.1f}",
                    f"{ours / networkx:.0f}",
                ]
            )
    print("## Growth, with --limit raised\n")
    table(
        [
            "shape",
            "obligations",
            "plan07 ms",
            "us each",
            "networkx ms",
            "graphlib ms",
            "plan07 / networkx",
        ],
        rows,
    )
    return found


def plot(times: dict[str, dict[int, float]], path: str) -> None:
    """Draw growth on logarithmic axes; a line of slope 1 is linear."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "plan07"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    for shape, by_size in times.items():
        axes.plot(list(by_size), [each * 1e3 for each in by_size.values()], "o-", label=shape)
    sizes = sorted({size for by_size in times.values() for size in by_size})
    first = min(by_size[sizes[0]] for by_size in times.values()) * 1e3
    axes.plot(sizes, [first * size / sizes[0] for size in sizes], "k:", label="linear")
    axes.set(xscale="log", yscale="log", xlabel="obligations", ylabel="ms", title="plan07 solve")
    axes.legend()
    figure.savefig(path, metadata={"Date": None})
    print(f"plot: {path}")


def main() -> None:
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer repeats and sizes")
    parser.add_argument("--plot", metavar="FILE.svg", help="draw the growth (needs matplotlib)")
    given = parser.parse_args()
    repeats = 3 if given.quick else 15
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores\n")
    in_process(repeats * 2)
    command(repeats)
    driving(repeats)
    sizes = [64, 256, 1000] if given.quick else [64, 256, 1000, 4000, 10_000]
    times = growth(sizes, 3)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"Peak memory of this run: {peak:.0f} MiB\n")
    if given.plot:
        plot(times, given.plot)


if __name__ == "__main__":
    main()
