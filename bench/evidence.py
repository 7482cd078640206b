"""Measures `evidence build` on projects that no one here wrote, and how right its edges are.

    pip install jedi && python bench/evidence.py [--quick] [--sources DIR] [--sites N]

Fetches fixed versions of click, flask, networkx and Django from the package index, checks their
hashes, and prints Markdown: time, CPU and peak memory of a build from nothing, of a second one, and
of one after an edit; agreement with jedi on call sites, by resolution; and how many of the edges
that were checked by hand (checked_edges.tsv) are found.
"""

from __future__ import annotations

import argparse
import ast
import csv
import importlib.util
import json
import os
import random
import resource
import sqlite3
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
SDISTS = {
    "click": ("8.2.1", "27c491cc05d968d271d5a1db13e3b5a184636d9d930f148c50b038f0d0646202"),
    "flask": ("3.1.1", "284c7b8f2f58cb737f0cf1c30fd7eaf0ccfcde196099d24ecede3fc2005aa59e"),
    "networkx": ("3.5", "d4c6f9cf81f52d69230866796b82afbccdec3db7ae4fbd1b65ea750feed50037"),
    "django": ("5.2.1", "57fe1f1b59462caed092c80b3dd324fd92161b620d59a9ba9181c34746c97284"),
}
COMPARED = ("click", "flask", "networkx")
TIERS = ("exact", "typed", "heuristic")


class Run(NamedTuple):
    """What a command cost: seconds, CPU seconds, and peak memory of all its processes in MiB."""

    wall: float
    cpu: float
    memory: float


class Site(NamedTuple):
    """A call site, and what plan07 says is called."""

    path: str
    line: int
    resolution: str
    name: str
    target: str
    first: int
    last: int


def sources(folder: Path, names: list[str]) -> dict[str, Path]:
    """Fetch and unpack the projects; pip checks the hashes."""
    found: dict[str, Path] = {}
    for name in names:
        version, digest = SDISTS[name]
        place = folder / f"{name}-{version}"
        if not place.exists():
            requirement = folder / f"{name}.txt"
            requirement.write_text(f"{name}=={version} --hash=sha256:{digest}\n")
            subprocess.run(
                [
                    *(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary"),
                    *(":all:", "--require-hashes", "-d", str(folder), "-r", str(requirement)),
                ],
                check=True,
            )
            with tarfile.open(folder / f"{name}-{version}.tar.gz") as archive:
                archive.extractall(folder, filter="data")
        found[name] = place
    return found


def memory_of(pid: int) -> float:
    """Return the memory of a process and those it started in MiB, shared pages counted once."""
    total = 0
    todo = [pid]
    while todo:
        each = todo.pop()
        try:
            rollup = Path(f"/proc/{each}/smaps_rollup").read_text()
            total += next(int(r.split()[1]) for r in rollup.splitlines() if r.startswith("Pss:"))
            todo += map(int, Path(f"/proc/{each}/task/{each}/children").read_text().split())
        except (OSError, StopIteration):
            continue
    return total / 1024


def measured(*arguments: str) -> Run:
    """Run the command in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "plan07", *arguments], stdout=subprocess.DEVNULL
    )
    peak = 0.0
    ended = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not ended.is_set():
            peak = max(peak, memory_of(process.pid))
            time.sleep(0.05)

    watcher = threading.Thread(target=watch)
    watcher.start()
    status = process.wait()
    wall = time.perf_counter() - start
    ended.set()
    watcher.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if status:
        raise SystemExit(f"plan07 {' '.join(arguments)} ended with {status}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(wall, cpu, peak)


def lines_of(root: Path) -> int:
    """Return how many lines of Python there are."""
    return sum(each.read_bytes().count(b"\n") for each in root.rglob("*.py"))


def builds(projects: dict[str, Path], folder: Path) -> None:
    """Print what builds cost."""
    print("| project | lines | from nothing | memory | unchanged | share | one body edited |")
    print("|---|---|---|---|---|---|---|")
    for name, root in projects.items():
        target = str(folder / f"{name}.db")
        full = measured("evidence", "build", str(root), "-o", target, "--anew")
        same = min(
            (measured("evidence", "build", str(root), "-o", target) for _ in range(3)),
            key=lambda run: run.cpu,
        )
        edited = next(each for each in sorted(root.rglob("*.py")) if each.stat().st_size > 5000)
        text = edited.read_text("utf-8")
        edited.write_text(f"{text}\nif True:\n    pass\n", "utf-8")
        try:
            one = measured("evidence", "build", str(root), "-o", target)
        finally:
            edited.write_text(text, "utf-8")
        subprocess.run(
            [sys.executable, "-m", "plan07", "evidence", "build", str(root), "-o", target],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        print(
            f"| {name} | {lines_of(root):,} | {_cost(full)} | {full.memory:.0f} MiB | "
            f"{_cost(same)} | {100 * same.cpu / full.cpu:.1f}% | {_cost(one)} |",
            flush=True,
        )


def _cost(run: Run) -> str:
    return f"{run.wall:.2f} s, {run.cpu:.2f} s CPU"


def sites(database: sqlite3.Connection) -> Iterator[Site]:
    """Yield the call sites whose target lies in the repository."""
    rows = database.execute(
        "SELECT f.path, e.line, e.resolution, e.attrs, d.name, d.fqn, df.path, d.line, d.end_line "
        "FROM edges e JOIN nodes d ON d.id=e.dst JOIN files f ON f.id=e.file_id "
        "JOIN files df ON df.id=d.file_id WHERE e.kind IN ('calls','instantiates') "
        "AND d.name NOT LIKE '!_!_%' ESCAPE '!' ORDER BY e.src, e.kind, e.dst"
    )
    for path, line, resolution, attrs, name, _, target, first, last in rows:
        told = json.loads(attrs) if attrs else {}
        for each in told.get("sites", [{"line": line}]):
            yield Site(path, each["line"], resolution, name, target, first, last)


class Columns:
    """Finds where on a line a name is called."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._files: dict[str, dict[tuple[int, str], list[int]]] = {}

    def find(self, site: Site) -> int | None:
        """Return the column of the only call of this name on the line; None if it is not one."""
        if site.path not in self._files:
            found: dict[tuple[int, str], list[int]] = defaultdict(list)
            for node in ast.walk(ast.parse((self._root / site.path).read_bytes())):
                if isinstance(node, ast.Call):
                    called = node.func
                    line = called.end_lineno or 0
                    if isinstance(called, ast.Name):
                        found[line, called.id].append(called.col_offset)
                    elif isinstance(called, ast.Attribute):
                        column = (called.end_col_offset or 0) - len(called.attr)
                        found[line, called.attr].append(column)
            self._files[site.path] = found
        columns = self._files[site.path].get((site.line, site.name), [])
        return columns[0] if len(columns) == 1 else None


def agreement(name: str, root: Path, database: Path, number: int) -> None:
    """Print how often jedi finds the same definition at a call site, by resolution."""
    import jedi

    inner = root / "src"
    standard = sysconfig.get_paths()["stdlib"]
    path = [str(inner if inner.is_dir() else root), str(root), standard, f"{standard}/lib-dynload"]
    project = jedi.Project(str(root), sys_path=path, smart_sys_path=False)
    columns = Columns(root)
    by_tier: dict[str, list[Site]] = defaultdict(list)
    for site in sites(sqlite3.connect(database)):
        by_tier[site.resolution].append(site)
    for tier in TIERS:
        chance = random.Random(f"{name} {tier}")
        listed = by_tier[tier]
        chance.shuffle(listed)
        told: Counter[str] = Counter()
        differing: list[str] = []
        for site in listed:
            if sum(told.values()) >= number:
                break
            column = columns.find(site)
            if column is None:
                continue
            said = _asked(jedi, project, root, site, column)
            told[said[0]] += 1
            if said[0] == "differ":
                differing.append(f"{site.path}:{site.line} {site.name}: {said[1]}")
        both = told["agree"] + told["differ"]
        share = f"{100 * told['agree'] / both:.1f}%" if both else "-"
        print(
            f"| {name} | {tier} | {len(listed)} | {both} | {told['agree']} | {share} | "
            f"{told['nothing']} |"
        )
        for each in differing:
            print(f"  differs: {each}", file=sys.stderr)


def _asked(jedi: Any, project: Any, root: Path, site: Site, column: int) -> tuple[str, str]:
    try:
        script = jedi.Script(path=str(root / site.path), project=project)
        found = [
            (os.path.relpath(str(each.module_path), root), each.line)
            for each in script.goto(site.line, column, follow_imports=True)
            if each.module_path and each.line
        ]
    except Exception as error:  # What jedi fails at is no answer.
        return "nothing", repr(error)
    if not found:
        return "nothing", ""
    right = any(path == site.target and site.first <= line <= site.last for path, line in found)
    return ("agree" if right else "differ"), f"jedi {found}, plan07 {site.target}:{site.first}"


def checked(projects: dict[str, Path], folder: Path) -> None:
    """Print how many of the edges that were checked by hand are found."""
    with open(HERE / "checked_edges.tsv", encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream, delimiter="\t") if row["project"] in projects]
    missing = []
    for row in rows:
        database = sqlite3.connect(folder / f"{row['project']}.db")
        found = database.execute(
            "SELECT e.resolution FROM edges e JOIN nodes s ON s.id=e.src "
            "JOIN nodes d ON d.id=e.dst WHERE s.fqn=? AND e.kind=? AND d.fqn=?",
            (row["src"], row["kind"], row["dst"]),
        ).fetchall()
        if (row["resolution"],) not in found:
            missing.append(row)
    print(f"\n{len(rows) - len(missing)} of {len(rows)} edges checked by hand are found.")
    for row in missing:
        print(f"missing: {row}", file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="click alone, few call sites")
    parser.add_argument("--sources", type=Path, help="keep the projects here")
    parser.add_argument("--sites", type=int, default=150, help="call sites for each resolution")
    given = parser.parse_args()
    if importlib.util.find_spec("jedi") is None:
        sys.exit("jedi is what the call sites are compared with: pip install jedi")
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.sources or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        projects = sources(folder, ["click"] if given.quick else list(SDISTS))
        builds(projects, folder)
        print("\n| project | resolution | call sites | asked | the same | share | jedi silent |")
        print("|---|---|---|---|---|---|---|")
        for name in projects:
            if name in COMPARED:
                number = 30 if given.quick else given.sites
                agreement(name, projects[name], folder / f"{name}.db", number)
        checked({name: root for name, root in projects.items() if name in COMPARED}, folder)


if __name__ == "__main__":
    main()
