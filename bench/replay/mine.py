"""Makes the records of the corpus: of commits that were chosen, and of others found by a rule.

    python -m bench.replay.mine --repos DIR --out FILE [--environments DIR] [--only OWNER/NAME]
                                [--chosen]

reads the projects of corpus.json (where their modules and tests lie, which packages they need, and
which pairs of commits were chosen, of what origin) and writes the whole corpus anew. A record that
FILE has already is kept, so that an interrupted run goes on; name a new file to measure everything
again. Chosen pairs whose oracle is types have no tests; their ends need not be neighbours.

The rule for mined commits, newest first, at most `most` of a project: one parent; from the day on
for which the project's packages are pinned; not chosen; at least two files of the source and one
test file changed, at most FILES Python files in all; ENTITIES changed entities (entities.py), at
least REFERENCES pairs of which one names the other; and tests that pass at both ends (measure.py).
Of mined commits the whole suite is never tried: there are many of them.

Clones lie in DIR as owner__name. Nothing is decided by a clock, and nothing in them is changed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.replay.entities import Change, compare
from bench.replay.environments import Unavailable
from bench.replay.measure import (
    Place,
    Unfit,
    changed,
    git,
    is_test,
    module_of,
    record_of,
)

CORPUS = Path(__file__).with_name("corpus.json")
SCHEMA = "plan07.corpus/1"
ENTITIES = range(6, 37)
REFERENCES = 4
FILES = 20

Project = Mapping[str, Any]


def split(origin: str) -> str:
    """Return whether commits of an origin may be looked at while rules are made.

    Those that were chosen by hand may; those that the rule finds are kept untouched, so that they
    tell what rules that never saw them are worth.

    >>> split("mined"), split("listed")
    ('untouched', 'tuned')
    """
    return "untouched" if origin == "mined" else "tuned"


def era_of(project: Project, day: str) -> Mapping[str, Any] | None:
    """Return the packages and options for a commit of that day (YYYY-MM-DD); None before them."""
    fitting = [each for each in project["eras"] if each["since"] <= day]
    return max(fitting, key=lambda each: each["since"], default=None)


def draft(
    name: str, project: Project, clone: Path, ends: tuple[str, str], origin: str
) -> dict[str, Any]:
    """Return what a record says before its tests are chosen.

    Args:
        name: owner/name.
        project: of the corpus.
        clone: with its history.
        ends: full ids of the commits before and after.
        origin: who chose the commit: listed, mined, codeplan or sdist.

    Raises:
        Unfit: the commit is not in the clone, or older than the pins.
    """
    day = git(clone, "log", "-1", "--format=%cs", ends[1]).strip()
    era = era_of(project, day)
    if era is None:
        raise Unfit(f"no packages for {day}")
    return {
        "repo": name,
        "parent": ends[0],
        "commit": ends[1],
        "date": day,
        "origin": origin,
        "oracle": project.get("oracle", "tests"),
        "import": project["import"],
        "paths": era["paths"],
        "requires": era["requires"],
        "files": era.get("files", {}),
        "pytest_args": era.get("pytest_args", []),
    }


def size_of(clone: Path, parent: str, commit: str, project: Project, paths: list[str]) -> Change:
    """Return how much a commit changes.

    Raises:
        Unfit: the files are not such as the rule wants.
    """
    differing = [each for each in changed(clone, parent, commit) if each.endswith(".py")]
    tests = [each for each in differing if is_test(each, project["tests"])]
    inside = project["import"]
    sources = [
        each
        for each in differing
        if each not in tests
        and (module := module_of(each, paths)) is not None
        and f"{module}.".startswith(f"{inside}.")
    ]
    if len(sources) < 2 or not tests or len(differing) > FILES:
        raise Unfit("too few or too many files")

    def text(end: str, path: str) -> str | None:
        there = git(clone, "ls-tree", "--name-only", end, "--", path)
        return git(clone, "show", f"{end}:{path}") if there else None

    both = sorted({*sources, *tests})
    try:
        return compare({each: (text(parent, each), text(commit, each)) for each in both})
    except (SyntaxError, ValueError) as error:
        raise Unfit(f"no Python: {error}") from error


def candidates(name: str, project: Project, clone: Path) -> Iterator[tuple[dict[str, Any], Change]]:
    """Yield the commits of a project that satisfy the rule but for the tests, newest first."""
    first = min(each["since"] for each in project["eras"])
    chosen = {each[1] for each in project["chosen"]}
    log = git(clone, "log", "--no-merges", "--date-order", "--format=%cs %H %P", "HEAD")
    for line in log.splitlines():
        day, commit, *parents = line.split()
        if day < first or commit in chosen or len(parents) != 1:
            continue
        try:
            begun = draft(name, project, clone, (parents[0], commit), "mined")
            size = size_of(clone, begun["parent"], commit, project, begun["paths"])
        except Unfit:
            continue
        if size.entities in ENTITIES and size.cross_references >= REFERENCES:
            yield begun, size


def records(
    projects: Mapping[str, Any], known: Mapping[str, Any], place: Place, only: str | None
) -> Iterator[dict[str, Any]]:
    """Yield the records of chosen and mined commits, project by project.

    Args:
        projects: those of the corpus, by name.
        known: records that need not be made again, by commit.
        place: `clone` is the directory of all clones.
        only: the one project to look at; None for all. The others' known records are kept.
    """
    for name, project in sorted(projects.items()):
        if only and name != only:
            yield from (each for each in known.values() if each["repo"] == name)
            continue
        at = place._replace(clone=place.clone / name.replace("/", "__"))
        for parent, commit in project["chosen"]:
            if commit in known:
                yield known[commit]
                continue
            try:
                begun = draft(name, project, at.clone, (parent, commit), project["origin"])
                yield _measured(begun, project, at)
            except (Unfit, Unavailable) as no:
                print(f"{name} {commit[:8]} not taken: {no}", file=sys.stderr)
        found = 0
        for begun, size in candidates(name, project, at.clone) if project["most"] else ():
            if found == project["most"]:
                break
            try:
                made = known.get(begun["commit"]) or _measured(begun, project, at)
            except (Unfit, Unavailable) as no:
                print(f"{name} {begun['commit'][:8]} not taken: {no}", file=sys.stderr)
                continue
            found += 1
            yield {**made, **size._asdict()}


def _measured(begun: dict[str, Any], project: Project, place: Place) -> dict[str, Any]:
    if begun["oracle"] != "tests":
        return {**begun, "tests": [], "deselect": {}, "seconds": None, "passed": None}
    print(f"{begun['repo']} {begun['commit'][:8]} {begun['origin']}", file=sys.stderr, flush=True)
    whole = project["whole"] and begun["origin"] != "mined"
    return record_of(begun, project["tests"], whole, place)


def written(corpus: Mapping[str, Any]) -> str:
    """Return a corpus as it is kept, with the split of its commits and its records in order."""
    made = [{**each, "split": split(each["origin"])} for each in corpus["records"]]
    made.sort(key=lambda each: (each["origin"], each["repo"], each["date"], each["commit"]))
    return json.dumps({**corpus, "records": made}, indent=1, sort_keys=True) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--environments", type=Path, default=Path.home() / ".cache/plan07-replay")
    parser.add_argument("--only", metavar="OWNER/NAME")
    parser.add_argument(
        "--chosen", action="store_true", dest="mine_nothing", help="leave what is mined as it is"
    )
    chosen = parser.parse_args()
    corpus = json.loads(CORPUS.read_text())
    projects = corpus["projects"]
    if chosen.mine_nothing:
        projects = {name: {**each, "most": 0} for name, each in projects.items()}
    before = json.loads(chosen.out.read_text())["records"] if chosen.out.exists() else []
    known = {
        each["commit"]: each
        for each in before
        if each["seconds"] is not None or each["oracle"] != "tests"  # a draft is measured yet
    }
    made: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="replay-") as scratch:
        place = Place(chosen.repos, chosen.environments, Path(scratch) / "work")
        for each in records(projects, known, place, chosen.only):
            made.append(each)
            done = {r["commit"] for r in made}
            later = [r for r in before if r["commit"] not in done]
            chosen.out.write_text(written({**corpus, "records": [*made, *later]}))
    if chosen.mine_nothing:
        made += [each for each in before if each["origin"] == "mined"]
    chosen.out.write_text(written({**corpus, "records": made}))


if __name__ == "__main__":
    main()
