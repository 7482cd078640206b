"""`python -m bench calibration REPOSITORY`: the impact table beside real commits.

How often was a dependent edited in the commit that changed what it uses? For each commit the
evidence of the state before is built, the changes are classified as `evidence impact --diff` does,
and for each change and relation it is counted how many of the dependents (of exact, typed and
dynamic edges) the same commit edited. Beside it stands the confidence of the table in
rules/impact.lp. Commits of merges, of many files and of mass changes are left out.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.command import Benchmark, Found, run
from bench.measure import ROOT
from bench.results import Column, Table
from plan07 import reconstore, rulebook
from plan07.facts import constant, fact, render
from plan07.impact.between import compared, nodes
from plan07.impact.closure import Seed
from plan07.impact.neighbourhood import Neighbourhood
from plan07.impact.planned import neighbourhood
from plan07.impact.revisions import Changed, Span, changed
from plan07.impact.study import is_public
from plan07.reconfile import opened

FIRM = ("exact", "typed", "dynamic")
MOST_FILES = 30
MOST_SEEDS = 60
# A share of fewer dependents says nothing.
FEWEST = 10
CHANGES_FILE = re.compile(r"(?:^|/)(?:changes|changelog|history|news)\b", re.IGNORECASE)

Counts = dict[tuple[str, str], Counter[str]]


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), "-c", "core.hooksPath=/dev/null", *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def commits(root: Path) -> Iterator[tuple[str, str]]:
    """Yield (commit, parent), the newest first, that change Python sources and not too much."""
    log = git(root, "log", "--no-merges", "--format=%x00%H %P", "--name-only", "HEAD")
    for record in log.split("\0")[1:]:
        head, *names = [line for line in record.splitlines() if line]
        commit, *parents = head.split()
        sources = [
            n for n in names if n.endswith(".py") and not re.search(r"(^|/)(tests?|docs)/", n)
        ]
        if len(parents) == 1 and sources and len(names) <= MOST_FILES:
            yield commit, parents[0]


class Replay:
    """What has been counted so far.

    Args:
        edited: (change, relation) to how many dependents were edited, and how many there were.
        passing: the same for calls, by what they do with the parameter that changed.
    """

    def __init__(self) -> None:
        self.edited: Counts = defaultdict(Counter)
        self.passing: Counts = defaultdict(Counter)
        self.seeds: Counter[str] = Counter()
        self.documented: Counter[str] = Counter()
        self.commits = 0
        self.rules = rulebook.load()
        causes = self.rules.solve("impact", [fact("seed", "x", constant("body"))])
        self.causes = {render(a[0]): render(a[1]) for a in causes.rows("inverse", 2)}

    def add(self, old: str, new: str, files: Changed) -> bool:
        """Count one commit; False where it changes nothing that is followed."""
        with opened(old) as before, opened(new) as after:
            seeds, _, _ = compared(before, after, files)
            seeds = [seed for seed in seeds if not seed.entity.startswith("tests.")]
            contracts = [each for each in seeds if each.change not in ("body", "added")]
            if not seeds or len(contracts) > MOST_SEEDS:
                return False
            touched = edited(nodes(before, files.old), nodes(after, files.new))
            around = neighbourhood(before, self.rules)
            for seed in seeds:
                around.find(seed.entity)
            around.read([seed.entity for seed in seeds])
            tests = {name for (name,) in before.execute("SELECT fqn FROM nodes WHERE is_test=1")}
            public = any(is_public(s.entity, around, before) for s in contracts)
            if public:
                self.documented["all"] += 1
                self.documented["edited"] += any(CHANGES_FILE.search(path) for path in files.new)
            for change in {seed.change for seed in seeds}:
                self.seeds[change] += sum(seed.change == change for seed in seeds)
            for seed in seeds:
                self._count(seed, around, touched, tests)
        self.commits += 1
        return True

    def _count(self, seed: Seed, around: Neighbourhood, touched: set[str], tests: set[str]) -> None:
        ids = around.ids.get(seed.entity, ())
        about = str(seed.detail.get("param", ""))
        uses = argument_uses(around, seed.entity, about)
        seen = set()
        for (kind, src, dst), link in around.links.items():
            if link.resolution not in FIRM:
                continue
            if dst in ids:
                other, cause = around.entities[src].name, self.causes[kind]
            elif src in ids and kind == "overrides":
                other, cause = around.entities[dst].name, "overrides"
            else:
                continue
            if (other, cause) in seen or around.entity(other) is None:
                continue
            seen.add((other, cause))
            name = f"{cause} (test)" if other in tests else cause
            answer = "edited" if other in touched else "kept"
            self.edited[seed.change, name][answer] += 1
            if about and cause in ("called_by", "instantiated_by"):
                use = " or ".join(sorted(uses.get(other, {"unknown"})))
                self.passing[seed.change, use][answer] += 1


def argument_uses(around: Neighbourhood, entity: str, parameter: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    if parameter:
        for each in around.facts(frozenset({parameter})):
            if each.name == "argument" and each.args[1] == entity and each.args[2] == parameter:
                found[str(each.args[0])].add(render(each.args[3]))
    return found


def edited(old: dict[str, Any], new: dict[str, Any]) -> set[str]:
    """Return the entities that a commit edited: gone, or with another head or body."""
    found = set()
    for name, node in old.items():
        other = new.get(name)
        if other is None or (node.sig_hash, node.body_hash) != (other.sig_hash, other.body_hash):
            found.add(name)
    return found


def replay(root: Path, wanted: int) -> Replay:
    """Replay the newest commits of a repository."""
    counts = Replay()
    with tempfile.TemporaryDirectory() as directory:
        trees = {}
        for side in ("old", "new"):
            trees[side] = Path(directory, side)
            subprocess.run(
                [
                    "git",
                    "clone",
                    "--quiet",
                    "--shared",
                    "--no-checkout",
                    str(root),
                    str(trees[side]),
                ],
                check=True,
            )
        for commit, parent in commits(root):
            paths = {}
            for side, revision in (("old", parent), ("new", commit)):
                git(trees[side], "checkout", "--quiet", "--force", "--detach", revision)
                output = str(Path(directory, f"{side}.db"))
                paths[side] = reconstore.refresh(str(trees[side]), output)
            files = changed(str(trees["new"]), Span(parent, commit), {})
            counts.add(paths["old"], paths["new"], files)
            if sys.stderr.isatty() or counts.commits % 10 == 0:
                print(f"{counts.commits} of {wanted} commits", end="\r", file=sys.stderr)
            if counts.commits >= wanted:
                break
    return counts


def table(
    counts: Counts, title: str, head: str, expected: dict[tuple[str, str], int] | None
) -> Table:
    """Return a table of shares; the ratio is of what was edited to what the rules expect."""
    rows: list[dict[str, Any]] = []
    for (change, name), number in sorted(counts.items()):
        total = number["edited"] + number["kept"]
        if total < FEWEST:
            continue
        row: dict[str, Any] = {"change": change, "name": name, "total": total}
        row["edited"] = number["edited"] / total
        said = (expected or {}).get((change, name.removesuffix(" (test)")))
        if said is not None:
            row["table"] = said / 1000
            row["ratio"] = row["edited"] / row["table"]
        rows.append(row)
    columns = [
        Column("change", "change"),
        Column("name", head),
        Column("total", "dependents", "count"),
        Column("edited", "edited", "share"),
    ]
    if expected is not None:
        columns += [Column("table", "table", "share"), Column("ratio", "ratio", "ratio")]
    return Table(title, columns, rows, f"Rows of fewer than {FEWEST} dependents are left out.")


def expectations() -> dict[tuple[str, str], int]:
    """Return (change, cause) to the confidence of the table, per mille."""
    text = (ROOT / "rules" / "impact.lp").read_text("utf-8")
    import clingo

    control = clingo.Control(["--warn=none"])
    control.add("base", [], text + "\n#show effect/5. #show group/2.")
    control.ground([("base", [])])
    atoms = [each.symbol for each in control.symbolic_atoms if each.is_fact]
    groups = [(str(a.arguments[0]), str(a.arguments[1])) for a in atoms if a.name == "group"]
    found: dict[tuple[str, str], int] = {}
    for atom in atoms:
        if atom.name == "effect":
            change, name, _, _, number = atom.arguments
            for cause, group in groups:
                if group == str(name):
                    key = str(change), cause
                    found[key] = max(found.get(key, 0), number.number)
    return found


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("repository", type=Path, metavar="REPOSITORY", help="a clone")
    parser.add_argument("--commits", type=int, help="how many; 200, or with --quick 10")


def measured(given: argparse.Namespace) -> Found:
    """Replay the newest commits."""
    os.environ["GIT_LFS_SKIP_SMUDGE"] = "1"
    found = replay(given.repository.resolve(), given.commits or (10 if given.quick else 200))
    head = git(given.repository, "rev-parse", "HEAD").strip()
    title = f"{found.commits} commits up to {head[:12]}, {sum(found.seeds.values())} changes"
    documented = found.documented
    listed = Table(
        "Changes of public contracts whose commit edited the list of changes",
        [
            Column("all", "commits", "count"),
            Column("edited", "edited it", "count"),
            Column("share", "share", "share"),
        ],
        [
            {
                "all": documented["all"],
                "edited": documented["edited"],
                "share": documented["edited"] / documented["all"] if documented["all"] else None,
            }
        ],
    )
    tables = [table(found.edited, title, "relation", expectations())]
    tables.append(table(found.passing, "Calls, by what they do with it", "the calls", None))
    return Found([*tables, listed])


BENCHMARK = Benchmark(
    "calibration",
    "How often was a dependent edited in the commit that changed what it uses?",
    measured,
    options,
)


def main(argv: list[str]) -> int:
    return run(BENCHMARK, argv)
