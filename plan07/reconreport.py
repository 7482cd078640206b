"""What a build of a recon.db reports: what was read, what failed, and what would tell more.

The database keeps the report of its build, for a later one that finds nothing to do.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from plan07 import languages
from plan07.errors import Finding
from plan07.worktree import Worktree

# More than one open call in so many is worth a word.
_OPEN_SHARE = 20


class Report(NamedTuple):
    """What a build found.

    Args:
        path: the database.
        fresh: False if it was up to date and nothing was written.
        files: language, or role of what is no code, to the number of files.
        read: files that were parsed.
        failed: (path, error) of files that could not be parsed.
        counts: numbers: nodes, edges, tests, cochange, and those of the readers.
        notes: what a user should know.
        encoders: readers that contributed.
        commit: what is checked out, or None.
        dirty: files differ from that commit.
    """

    path: str
    fresh: bool
    files: dict[str, int]
    read: int
    failed: list[tuple[str, str]]
    counts: dict[str, int]
    notes: list[Finding]
    encoders: list[str]
    commit: str | None
    dirty: bool


def counted(
    database: sqlite3.Connection,
    path: str,
    tree: Worktree,
    counts: Mapping[str, int],
    notes: Iterable[Finding],
    encoders: Sequence[str],
) -> Report:
    """Return the report on a database that has just been filled.

    Args:
        database: open, and complete.
        path: where it will be.
        tree: what it was built from.
        counts: numbers of the readers.
        notes: theirs, and of the tree.
        encoders: readers that contributed.
    """
    ask = database.execute
    counts = dict(counts)
    failed = ask("SELECT path, error FROM files WHERE error IS NOT NULL ORDER BY path").fetchall()
    for table in ("nodes", "edges", "tests", "cochange", "unresolved"):
        counts[table] = ask(f"SELECT count(*) FROM {table}").fetchone()[0]
    files = dict(
        ask("SELECT COALESCE(lang, role), count(*) FROM files GROUP BY 1 ORDER BY 2 DESC, 1")
    )
    (parsed,) = ask("SELECT count(*) FROM files WHERE parsed=1").fetchone()
    unread = ask(
        "SELECT lang, count(*) FROM files WHERE lang IS NOT NULL AND parsed=0 AND error IS NULL "
        "GROUP BY lang ORDER BY 2 DESC, 1"
    ).fetchall()
    notes = [
        *notes,
        *(_unread(lang, number) for lang, number in unread),
        *_advice(database, counts),
    ]
    return Report(
        path, True, files, parsed, failed, counts, notes, [*encoders], tree.commit, tree.dirty
    )


def kept(report: Report) -> str:
    """Return a report for the database: what would differ between equal builds left out."""
    notes = [each.as_dict() for each in report.notes]
    said = {**report._asdict(), "path": "", "fresh": False, "notes": notes}
    return json.dumps(said, sort_keys=True)


def told_again(kept: str, path: str) -> Report:
    """Return the report that a database kept of its build, now that nothing was written.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: it is of another version, or damaged.
    """
    said = json.loads(kept)
    return Report(
        **{
            **said,
            "path": path,
            "fresh": False,
            "failed": [(where, what) for where, what in said["failed"]],
            "notes": [Finding(**each) for each in said["notes"]],
        }
    )


def _advice(database: sqlite3.Connection, counts: Mapping[str, int]) -> list[Finding]:
    """Return what would tell more about the calls and the tests."""
    ask = database.execute
    found = []
    resolved = counts.get("calls exact", 0) + counts.get("calls typed", 0)
    still = counts.get("calls open", 0)
    if still * _OPEN_SHARE > resolved + still:
        names = ask(
            "SELECT name, count(*) FROM unresolved WHERE kind='calls' "
            "GROUP BY name ORDER BY 2 DESC, 1 LIMIT 5"
        ).fetchall()
        listed = ", ".join(f"{name} ({number})" for name, number in names)
        message = f"of the calls that stay open most are of {listed}"
        fix = "annotate what they are called on"
        found.append(Finding("CALLS_OPEN", "calls", message, fix, {"names": dict(names)}))
    sources = {row[0] for row in ask("SELECT DISTINCT source FROM edges WHERE kind='tests'")}
    if counts.get("tests", 0) and "coverage" not in sources:
        message = "which tests run what is known from their sources alone"
        fix = "run pytest --cov --cov-context=test here; the next build reads .coverage"
        found.append(Finding("COVERAGE_ABSENT", "tests", message, fix, {}))
    return found


def _unread(lang: str, number: int) -> Finding:
    indexer = languages.INDEXERS.get(lang)
    plural = "file" if number == 1 else "files"
    return Finding(
        "LANGUAGE_NOT_READ",
        lang,
        f"{number} {lang} {plural} {'is' if number == 1 else 'are'} listed and not read",
        f"run `{indexer}` here; the next build reads index.scip" if indexer else "",
        {"lang": lang, "files": number, "indexer": indexer},
    )
