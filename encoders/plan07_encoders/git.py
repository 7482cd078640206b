"""Reads from the history which files change together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from plan07 import gitcommand
from plan07.recon import CochangeRow, Part, Repository

# Larger commits reformat, rename or import; what they touch has nothing in common.
_MOST_FILES = 30
_FEWEST_TOGETHER = 2
# Of a long history the recent part says most, and reading all of it takes longer than the build.
_MOST_COMMITS = 5000
_VERSION = 1


def read(repository: Repository) -> Iterator[Part]:
    """Yield how often files were changed by the same commits, for each pair and direction.

    Merges and commits of more than 30 files do not count.
    """
    if repository.commit is None:
        return
    key = f"git:cochange:{_VERSION}:{repository.commit}"
    log = repository.cache.get(key)
    if log is None:
        repository.progress("history", 0, 1)
        log = gitcommand.run(
            repository.root,
            *("log", "-z", "--no-merges", "--no-renames", "--relative", "--name-only"),
            *("--no-ext-diff", f"--max-count={_MOST_COMMITS}", "--format=%x01", repository.commit),
        )
        if log is None:
            return
        repository.cache[key] = log
    paths = {each.path for each in repository.files}
    yield Part(cochange=_pairs(log, paths))


def _pairs(log: bytes, paths: set[str]) -> list[CochangeRow]:
    single: Counter[str] = Counter()
    both: Counter[tuple[str, str]] = Counter()
    for commit in log.split(b"\x01"):
        names = {each.strip(b"\n") for each in commit.split(b"\0")} - {b""}
        if len(names) > _MOST_FILES:
            continue
        # The names of a log are bytes, those of the tree are not.
        present = sorted(
            path for path in (each.decode("utf-8", "replace") for each in names) if path in paths
        )
        single.update(present)
        both.update(combinations(present, 2))
    rows: list[CochangeRow] = []
    for (a, b), together in sorted(both.items()):
        if together >= _FEWEST_TOGETHER:
            rows.append(CochangeRow(a, b, together, single[a], single[b]))
            rows.append(CochangeRow(b, a, together, single[b], single[a]))
    return rows
