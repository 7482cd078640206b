"""Which entities are candidates for a soft rank, and what is known of each.

Candidates are what the change reaches, and what lies in the files of the seeds and in those that
were often changed along with them.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from plan07.impact.ranks import Rank, Support, joined, ranked, summary
from plan07.reconfile import batches, text

# One commit that changed both files is chance.
_LEAST_SUPPORT = 2
_MOST_FILES = 10
_MOST_CANDIDATES = 2000
_KINDS = ("function", "method", "class", "property", "interface", "trait", "struct", "enum", "test")
_LARGEST_FILE = 4 * 1024 * 1024

_Row = tuple[str, str | None, str | None, int | None, int | None, int | None]


def soft_ranks(
    database: sqlite3.Connection,
    seeds: Sequence[str],
    reached: Iterable[str],
    request: str,
    sources: Sources,
    most: int,
) -> list[Rank]:
    """Return the entities that are tied to a change by words and history, the closest first.

    Args:
        database: an open recon.db.
        seeds: what changes.
        reached: what the closure reaches, and what else is to be ranked.
        request: the text of the change; without one, the seeds speak for themselves.
        sources: the files of the repository, for the descriptions of entities.
        most: how many to return.
    """
    changed = list(_rows(database, "fqn", seeds))
    files = dict.fromkeys(row[5] for row in changed if row[5] is not None)
    supports = dict(_together(database, files))
    near = sorted(supports, key=lambda each: (-supports[each].n_ab / supports[each].n_a, each))
    rows = [
        *_rows(database, "fqn", reached),
        *_rows(database, "file_id", [*files, *near[:_MOST_FILES]]),
    ]
    for file in files:
        # What lies in the changed file itself.
        commits = max((each.n_a for each in supports.values()), default=1)
        supports.setdefault(file, Support(commits, commits))
    candidates = {row[0]: row for row in rows if row[0] not in seeds}
    chosen = dict(list(candidates.items())[:_MOST_CANDIDATES])
    documents = {name: _said(sources, row) for name, row in chosen.items()}
    query = request.strip() or joined(_said(sources, row) for row in changed)
    known = {
        name: supports[row[5]]
        for name, row in chosen.items()
        if row[5] is not None and row[5] in supports
    }
    return ranked(query, documents, known, most)


def _rows(database: sqlite3.Connection, column: str, values: Iterable[object]) -> Iterator[_Row]:
    listed = list(dict.fromkeys(values))
    for start in range(0, len(listed), 500):
        batch = listed[start : start + 500]
        marks = ",".join("?" * len(batch))
        query = (
            "SELECT n.fqn, n.signature, f.path, n.line, n.end_line, n.file_id, n.kind FROM nodes n "
            f"LEFT JOIN files f ON f.id=n.file_id WHERE n.{column} IN ({marks}) "
            "AND n.is_external=0 ORDER BY n.fqn, n.id LIMIT ?"
        )
        for *row, kind in database.execute(query, [*batch, _MOST_CANDIDATES]):
            if column == "fqn" or kind in _KINDS:
                name, signature, path, line, end_line, file = row
                yield text(name), signature, path, line, end_line, file


def _together(database: sqlite3.Connection, files: Iterable[int]) -> Iterator[tuple[int, Support]]:
    """Yield the files that were changed along with some of the given, with the best support."""
    best: dict[int, Support] = {}
    for marks, batch in batches(files):
        query = f"SELECT b, n_ab, n_a FROM cochange WHERE a IN ({marks}) AND n_ab>=? AND n_a>0"
        for other, n_ab, n_a in database.execute(query, [*batch, _LEAST_SUPPORT]):
            support = Support(int(n_ab), int(n_a))
            if other not in best or support.n_ab * best[other].n_a > best[other].n_ab * support.n_a:
                best[other] = support
    yield from best.items()


def _said(sources: Sources, row: _Row) -> str:
    """Return what is said of an entity: name, signature, first line of the description."""
    name, signature, path, line, end_line, _ = row
    described = ""
    if path is not None and line is not None:
        described = summary(sources.lines(path), line, end_line or line)
    return joined((name, signature, described))


class Sources:
    """The texts of a repository's files, each read once; nothing outside of it is read.

    Args:
        root: its directory; None where only the database is there.
    """

    def __init__(self, root: str | None) -> None:
        self._root = None if root is None else os.path.realpath(root)
        self._texts: dict[str, str] = {}
        self._lines: dict[str, list[str]] = {}

    def text(self, path: str) -> str:
        """Return the text of a file, "" where it cannot be read."""
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def lines(self, path: str) -> list[str]:
        """Return the lines of a file."""
        if path not in self._lines:
            self._lines[path] = self.text(path).split("\n")
        return self._lines[path]

    def _read(self, path: str) -> str:
        if self._root is None:
            return ""
        try:
            place = os.path.realpath(os.path.join(self._root, path))
            if os.path.commonpath([place, self._root]) != self._root:
                return ""
            with open(place, encoding="utf-8", errors="replace") as stream:
                return stream.read(_LARGEST_FILE)
        except (OSError, ValueError):
            return ""
