"""Which tests speak for a commit, and whether they tell the same each time.

A commit comes with the tests that are to be run in every state between its parent and itself. The
whole suite is taken where it takes less than LIMIT seconds; otherwise the test files that the
commit touches and those that import a module which it touches. If that is too much, the costliest
of the latter are left out, and then the costliest tests of the former, until a quarter of LIMIT is
to spare. What does not pass at an end, or not each time, is deselected with the reason. A record is
made only of a commit whose remaining tests pass at both ends, twice each, with the same outcomes.
"""

from __future__ import annotations

import ast
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bench.replay.environments import LATE, Record, Result, environment, prepare, run

LIMIT = 8.0
"""Seconds that the tests of a record may take at either end, on an idle core."""
PATIENCE = 60
"""Processor seconds until a run is ended; by the clock it is twenty times as long."""
ROUNDS = 4
"""How often tests are deselected before a commit is given up."""


class Unfit(Exception):
    """A commit of which no record can be made; the text says why."""


class Place(NamedTuple):
    """Where things lie.

    Args:
        clone: a git repository with the history of the project; only read.
        environments: directory of the environments.
        scratch: a directory for working copies, emptied for each commit.
    """

    clone: Path
    environments: Path
    scratch: Path


def git(clone: Path, *arguments: str) -> str:
    """Return what git says of a clone.

    Raises:
        Unfit: git refuses.
    """
    ended = subprocess.run(
        ["git", "-c", "core.quotePath=false", "-C", str(clone), *arguments],
        check=False,
        capture_output=True,
        text=True,
        errors="replace",
    )
    if ended.returncode:
        raise Unfit(f"git {arguments[0]}: {ended.stderr.strip()}")
    return ended.stdout


def check_out(clone: Path, commit: str, tree: Path) -> None:
    """Write the files of a commit into a new directory.

    Raises:
        Unfit: the clone lacks the commit.
    """
    tree.mkdir(parents=True)
    with subprocess.Popen(
        ["git", "-C", str(clone), "archive", "--format=tar", commit],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as archive:
        unpacked = subprocess.run(["tar", "-x", "-C", str(tree)], check=False, stdin=archive.stdout)
    if archive.returncode or unpacked.returncode:
        raise Unfit(f"git archive: no files of {commit}")


def changed(clone: Path, parent: str, commit: str) -> list[str]:
    """Return the paths that differ, sorted; a rename is two of them."""
    said = git(clone, "diff", "--name-only", "--no-renames", "-z", parent, commit)
    return sorted(each for each in said.split("\0") if each)


def is_test(path: str, roots: Iterable[str]) -> bool:
    """Tell whether a path lies in one of the test directories, or is one of the test files."""
    return any(path == root or path.startswith(f"{root}/") for root in roots)


def module_of(path: str, paths: Iterable[str]) -> str | None:
    """Return the dotted name of a source file, None where none of the roots holds it.

    >>> module_of("src/click/core.py", ["src"]), module_of("httpx/__init__.py", ["."])
    ('click.core', 'httpx')
    """
    for root in paths:
        prefix = "" if root == "." else f"{root}/"
        if path.startswith(prefix) and path.endswith(".py"):
            parts = path[len(prefix) : -len(".py")].split("/")
            return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return None


def imported(text: str) -> set[str]:
    """Return the modules that a file imports, absolutely; `from a import b` names a and a.b.

    >>> sorted(imported("import os.path; from click import core"))
    ['click', 'click.core', 'os.path']
    """
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
            found.update(f"{node.module}.{each.name}" for each in node.names)
    return found


def importers(tree: Path, roots: Iterable[str], modules: set[str]) -> list[str]:
    """Return the test files that import one of the modules by its own name, sorted."""
    found: list[str] = []
    for root in roots:
        for file in sorted((tree / root).rglob("*.py")):
            text = file.read_text(encoding="utf-8", errors="replace")
            try:
                named = imported(text)
            except (SyntaxError, ValueError):
                continue
            if file.name.startswith("test") and modules & named:
                found.append(file.relative_to(tree).as_posix())
    return sorted(set(found))


def record_of(draft: Record, roots: list[str], whole: bool, place: Place) -> dict[str, Any]:
    """Return the record of a commit with its tests, what is deselected, and what they cost.

    Args:
        draft: a record without `tests`, `deselect`, `seconds` and `passed`.
        roots: directories and files that hold the tests of the project.
        whole: whether the suite as a whole is worth a try.
        place: the clone and where to work.

    Raises:
        Unfit: no test is left, or they do not tell the same each time.
        Unavailable: the environment cannot be made.
    """
    python = environment(draft, place.environments)
    shutil.rmtree(place.scratch, ignore_errors=True)
    ends = [draft["parent"], draft["commit"]]
    record = {**draft, "tests": list(roots), "deselect": {}}
    for end in ends:
        check_out(place.clone, end, place.scratch / end)
        prepare(record, place.scratch / end)

    def both() -> list[Result]:
        home = place.scratch / "home"
        return [
            run(
                record,
                python,
                place.scratch / end,
                home,
                timeout=20.0 * PATIENCE,
                processor=PATIENCE,
            )
            for end in ends
        ]

    paths = changed(place.clone, *ends)
    touched = [p for p in paths if is_test(p, roots) and _collected(p)]
    if not touched:
        raise Unfit("the commit touches no test file")
    results = both() if whole else []
    if not results or _cost(results) >= LIMIT:
        sources = [p for p in paths if not is_test(p, roots)]
        modules = {m for p in sources if (m := module_of(p, draft["paths"]))}
        found = {p for end in ends for p in importers(place.scratch / end, roots, modules)}
        record["tests"] = sorted({*touched, *found})
        results = both()
        if any(each.status == LATE for each in results):  # the importers take too long by far
            record["tests"] = touched
            results = both()
        _cheapen(record, touched, results)
        results = both()
    for _ in range(ROUNDS):
        again = both()
        left_out = _left_out([*results, *again])
        slow = _least(results, again) >= LIMIT
        if not left_out and not slow:
            return _measured(record, results, again)
        if slow and record["tests"] == list(roots):
            raise Unfit("the whole suite is not always below the limit")
        if slow:
            _cheapen(record, touched, [*results, *again])
        files = {each for each in left_out if "::" not in each}
        if files & {*touched, *roots}:
            raise Unfit(f"cannot be collected: {', '.join(sorted(files))}")
        ignored = [f"--ignore={each}" for each in sorted(files)]
        record["pytest_args"] = [*record["pytest_args"], *ignored]
        tests = {n: why for n, why in left_out.items() if n not in files}
        record["deselect"] = dict(sorted({**record["deselect"], **tests}.items()))
        results = both()
    raise Unfit("the outcomes differ from run to run")


def _collected(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


def _cost(results: list[Result]) -> float:
    late = any(each.status == LATE for each in results)
    return PATIENCE if late else max(each.seconds for each in results)


def _least(one: list[Result], two: list[Result]) -> float:
    """Return what the dearer end costs, each as in the quicker of its two runs."""
    return max(min(a.seconds, b.seconds) for a, b in zip(one, two, strict=True))


def _cheapen(record: dict[str, Any], touched: list[str], results: list[Result]) -> None:
    """Leave out the costliest files, then the costliest tests, until the rest is below LIMIT."""
    by_file: dict[str, float] = defaultdict(float)
    by_test: dict[str, float] = {}
    for result in results:
        for nodeid, cost in result.costs.items():
            by_test[nodeid] = max(cost, by_test.get(nodeid, 0.0))
    for nodeid, cost in by_test.items():
        by_file[nodeid.partition("::")[0]] += cost
    total = _cost(results)
    others = [each for each in record["tests"] if each not in touched]
    for each in sorted(others, key=lambda p: (-by_file[p], p)):
        if total < 0.75 * LIMIT:
            return
        record["tests"].remove(each)
        total -= by_file[each]
    own = {n: c for n, c in by_test.items() if n.partition("::")[0] in touched}
    for nodeid, cost in sorted(own.items(), key=lambda item: (-item[1], item[0])):
        if total < 0.75 * LIMIT:
            return
        record["deselect"][nodeid] = "slow"
        total -= cost
    raise Unfit(f"the tests cannot be had below {LIMIT:g} s")


def _left_out(results: list[Result]) -> dict[str, str]:
    """Return the tests that do not pass or skip the same each time, with the reason."""
    for each in results:
        if not each.outcomes:
            raise Unfit(f"pytest ended with {each.status}: {each.output[-800:]}")
    found: dict[str, str] = {}
    for one, other in zip(results[:2], results[2:], strict=True):
        for nodeid in sorted(one.outcomes.keys() | other.outcomes.keys()):
            seen = {one.outcomes.get(nodeid), other.outcomes.get(nodeid)}
            if seen == {"failed"}:
                found[nodeid] = "fails"
            elif None in seen:  # a parameter's id that is not the same each time
                found[nodeid.partition("[")[0]] = "unstable"
            elif len(seen) > 1:
                found[nodeid] = "unstable"
    return found


def _measured(record: Mapping[str, Any], one: list[Result], two: list[Result]) -> dict[str, Any]:
    ended = {each.status for each in (*one, *two)}
    if ended != {0}:
        raise Unfit(f"pytest ended with {max(ended)} although no test failed")
    passed = [sum(o == "passed" for o in each.outcomes.values()) for each in one]
    if not all(passed):
        raise Unfit("no test passes at one of the ends")
    return {**record, "seconds": round(_least(one, two), 1), "passed": passed}
