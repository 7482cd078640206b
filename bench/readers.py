"""`python -m bench readers`: the readers on made files of the size of large projects.

An `index.scip` of thousands of documents and a `.coverage` of thousands of tests, each read in a
process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.command import Benchmark, Found, run
from bench.measure import ROOT, yardstick
from bench.results import Column, Table

TESTS = ROOT / "tests"
FUNCTIONS = 40
USES = 6


def make_index(root: Path, documents: int) -> None:
    """Write an index in which each function of a document calls others, near and far."""
    scipfile = import_module("scipfile")
    body = "".join(
        f"fn f{n}() {{\n" + "".join("  call(1)\n" for _ in range(USES)) + "}\n"
        for n in range(FUNCTIONS)
    )
    made = []
    for number in range(documents):
        path = f"src/m{number}.rs"
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(body, "utf-8")
        found = []
        for n in range(FUNCTIONS):
            line = n * (USES + 2)
            name = f"bench cargo shop 1 m{number}/f{n}()."
            span = [line, 0, line + USES + 1, 1]
            found.append(scipfile.occurrence([line, 3, 3 + len(f"f{n}")], name, 1, span))
            for use in range(USES):
                module, called = (number + use) % documents, (n + use + 1) % FUNCTIONS
                other = f"bench cargo shop 1 m{module}/f{called}()."
                found.append(scipfile.occurrence([line + use + 1, 2, 6], other))
        made.append(scipfile.document(path, found))
    scipfile.write(root, scipfile.index(made))


def make_coverage(root: Path, tests: int) -> None:
    """Write a coverage of a hundred files, of which each test runs a fifth."""
    coveragefile = import_module("coveragefile")
    body = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(FUNCTIONS))
    for number in range(100):
        (root / f"m{number}.py").write_text(body, "utf-8")
    listed = "".join(f"def test_{n}():\n    pass\n\n\n" for n in range(tests))
    (root / "tests").mkdir()
    (root / "tests" / "test_all.py").write_text(listed, "utf-8")
    ran = {
        f"tests/test_all.py::test_{test}|run": {
            f"m{(test + step) % 100}.py": [n * 4 + 2 for n in range(test % 3, FUNCTIONS, 3)]
            for step in range(20)
        }
        for test in range(tests)
    }
    coveragefile.record(root, ran)


def measure(root: Path, reader: str) -> dict[str, float]:
    """Return what a reader costs in a process of its own."""
    code = "import sys; from bench import readers; readers.child(sys.argv[1], sys.argv[2])"
    done = subprocess.run(
        [sys.executable, "-c", code, reader, str(root)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(TESTS)},
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def child(reader: str, place: str) -> None:
    """Read, and print what it cost."""
    root = Path(place)
    trees = import_module("trees")
    recon = import_module("plan07.recon")
    nodes = {}
    if reader == "coverage":
        for path in [*(f"m{n}.py" for n in range(100)), "tests/test_all.py"]:
            module = path.removesuffix(".py").replace("/", ".")
            lines = (root / path).read_text("utf-8").splitlines()
            nodes[path] = [
                recon.NodeRow(f"{module}.{line[4:-3]}", "function", line[4:-3], path, at, at + 1)
                for at, line in enumerate(lines, 1)
                if line.startswith("def ")
            ]
    where = trees.repository(root, nodes=nodes or None)
    started = time.process_time()
    edges = sum(len(part.edges) for part in recon.reader(reader)(where))
    seconds = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "peak": peak, "edges": edges}))


def measured(given: argparse.Namespace) -> Found:
    """Make the files, and measure."""
    sys.path.insert(0, str(TESTS))
    small = 20 if given.quick else 1
    rows: list[dict[str, Any]] = []
    for reader, make, size, file in (
        ("scip", make_index, 1000 // small, "index.scip"),
        ("scip", make_index, 3000 // small, "index.scip"),
        ("coverage", make_coverage, 1000 // small, ".coverage"),
        ("coverage", make_coverage, 5000 // small, ".coverage"),
    ):
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch)
            make(root, size)
            bytes_ = (root / file).stat().st_size
            loop = yardstick()
            cost = measure(root, reader)
        unit = "documents" if reader == "scip" else "tests"
        rows.append(
            {
                "file": f"`{file}` of {size:,} {unit}",
                "size": bytes_ / 1e6,
                "edges": cost["edges"],
                "cpu": cost["seconds"],
                "ratio": cost["seconds"] / loop,
                "peak": cost["peak"],
            }
        )
    columns = [
        Column("file", "file"),
        Column("size", "MB", "s"),
        Column("edges", "edges", "count"),
        Column("cpu", "s of the processor", "s"),
        Column("ratio", "of the yardstick", "ratio"),
        Column("peak", "peak MiB", "mib"),
    ]
    return Found([Table("Files made for this", columns, rows)])


BENCHMARK = Benchmark("readers", "What does reading the indexes of other tools cost?", measured)


def main(argv: list[str]) -> int:
    return run(BENCHMARK, argv)
