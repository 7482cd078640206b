"""`python -m bench evidence`: the evidence of projects that no one here wrote.

How quickly it is built, and how right it is. Fetches fixed versions of click, flask, networkx and
Django from the package index, checks their hashes, and measures a build from nothing, a second one,
and one after an edit; agreement with jedi on call sites, by resolution; and how many of the edges
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
import sqlite3
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from bench.command import Benchmark, Found, Skipped, run
from bench.measure import interleaved, plan07, watched
from bench.results import Column, Table
from plan07 import reconstore

HERE = Path(__file__).resolve().parent
SDISTS = {
    "click": ("8.2.1", "27c491cc05d968d271d5a1db13e3b5a184636d9d930f148c50b038f0d0646202"),
    "flask": ("3.1.1", "284c7b8f2f58cb737f0cf1c30fd7eaf0ccfcde196099d24ecede3fc2005aa59e"),
    "networkx": ("3.5", "d4c6f9cf81f52d69230866796b82afbccdec3db7ae4fbd1b65ea750feed50037"),
    "django": ("5.2.1", "57fe1f1b59462caed092c80b3dd324fd92161b620d59a9ba9181c34746c97284"),
}
COMPARED = ("click", "flask", "networkx")
INSIDE = 20
TIERS = ("exact", "typed", "heuristic")


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


def lines_of(root: Path) -> int:
    """Return how many lines of Python there are."""
    return sum(each.read_bytes().count(b"\n") for each in root.rglob("*.py"))


def parsed(root: Path) -> None:
    """Parse the Python sources, and do nothing with them: what no build can be quicker than."""
    for path in root.rglob("*.py"):
        try:
            ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue


def inside(root: Path, target: str) -> float:
    """Return the time of the processor, git's included, of a refresh that finds nothing to do."""
    before = os.times()
    for _ in range(INSIDE):
        reconstore.refresh(str(root), target)
    after = os.times()
    return (sum(after[:4]) - sum(before[:4])) / INSIDE


def builds(projects: dict[str, Path], folder: Path) -> Table:
    """Return what builds cost."""
    rows: list[dict[str, Any]] = []
    for name, root in projects.items():
        target = str(folder / f"{name}.db")
        build = plan07("evidence", "build", str(root), "-o", target)
        full = watched(*build, "--anew")
        parse = interleaved({"parse": partial(parsed, root)}, 1)["parse"]
        same = min((watched(*build) for _ in range(3)), key=lambda each: each.cost.cpu)
        edited = next(each for each in sorted(root.rglob("*.py")) if each.stat().st_size > 5000)
        text = edited.read_text("utf-8")
        edited.write_text(f"{text}\nif True:\n    pass\n", "utf-8")
        try:
            one = watched(*build)
        finally:
            edited.write_text(text, "utf-8")
        watched(*build)
        rows.append(
            {
                "project": name,
                "lines": lines_of(root),
                "full": full.cost.cpu,
                "wall": full.cost.wall,
                "ratio": full.cost.cpu / parse.cpu,
                "memory": full.memory,
                "same": same.cost.cpu,
                "share": same.cost.cpu / full.cost.cpu,
                "inside": inside(root, target) / full.cost.cpu,
                "one": one.cost.cpu,
            }
        )
    columns = [
        Column("project", "project"),
        Column("lines", "lines", "count"),
        Column("full", "from nothing, s of the processor", "s"),
        Column("wall", "s of the clock", "s"),
        Column("ratio", "of parsing alone", "ratio"),
        Column("memory", "peak MiB", "mib"),
        Column("same", "unchanged, s", "s"),
        Column("share", "of from nothing", "share"),
        Column("inside", "the same in process", "share"),
        Column("one", "one body edited, s", "s"),
    ]
    note = (
        "Memory is of all processes together, shared pages counted once. In process means without "
        "the start of a command, which is the same for every project."
    )
    return Table("Builds", columns, rows, note)


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


def agreement(name: str, root: Path, database: Path, number: int) -> Iterator[dict[str, Any]]:
    """Yield how often jedi finds the same definition at a call site, by resolution."""
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
        yield {
            "project": name,
            "tier": tier,
            "sites": len(listed),
            "asked": both,
            "agree": told["agree"],
            "share": told["agree"] / both if both else None,
            "silent": told["nothing"],
        }
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


def checked(projects: dict[str, Path], folder: Path) -> Table:
    """Return how many of the edges that were checked by hand are found."""
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
    for row in missing:
        print(f"missing: {row}", file=sys.stderr)
    columns = [Column("edges", "checked by hand", "count"), Column("found", "found", "count")]
    columns.append(Column("share", "share", "share"))
    right = len(rows) - len(missing)
    values: dict[str, Any] = {
        "edges": len(rows),
        "found": right,
        "share": right / len(rows) if rows else None,
    }
    return Table("Edges that were read in their sources", columns, [values])


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sources", type=Path, metavar="DIR", help="keep the projects here")
    parser.add_argument("--sites", type=int, default=150, help="call sites for each resolution")


def measured(given: argparse.Namespace) -> Found:
    """Measure builds, and compare what they find."""
    if importlib.util.find_spec("jedi") is None:
        raise Skipped("call sites are compared with jedi; pip install jedi")
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.sources or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        projects = sources(folder, ["click"] if given.quick else list(SDISTS))
        built = builds(projects, folder)
        number = 30 if given.quick else given.sites
        compared = {name: root for name, root in projects.items() if name in COMPARED}
        rows = [
            row
            for name, root in compared.items()
            for row in agreement(name, root, folder / f"{name}.db", number)
        ]
        columns = [
            Column("project", "project"),
            Column("tier", "resolution"),
            Column("sites", "call sites", "count"),
            Column("asked", "asked", "count"),
            Column("agree", "the same", "count"),
            Column("share", "share", "share"),
            Column("silent", "jedi silent", "count"),
        ]
        note = "`asked` counts the sites at which jedi names a definition."
        jedi = Table("What is called, beside jedi", columns, rows, note)
        return Found([built, jedi, checked(compared, folder)])


BENCHMARK = Benchmark(
    "evidence",
    "What does it cost to build the evidence of real projects, and how right is it?",
    measured,
    options,
    ("jedi",),
)


def main(argv: list[str]) -> int:
    return run(BENCHMARK, argv)
