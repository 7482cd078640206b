"""Opens a `recon.db` (schema plan07.recon/1) for reading, and finds the entities that a name means.

What is asked of a database is asked in SQL, through its indices, so that a repository of a million
entities costs no more than a small one.
"""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from plan07.errors import InputError
from plan07.recon import SCHEMA, USER_VERSION

# What is read of each table; a database that lacks one is not of the format.
_COLUMNS = {
    "meta": ("key", "value"),
    "files": ("id", "path", "parsed"),
    "nodes": ("id", "fqn", "kind", "name", "file_id", "parent_id"),
    "edges": ("src", "kind", "dst", "resolution", "confidence"),
    "unresolved": ("name", "kind", "candidates"),
    "aliases": ("alias", "node_id"),
    "tests": ("nodeid",),
}
_BATCH = 500


@contextmanager
def opened(path: str) -> Iterator[sqlite3.Connection]:
    """Open a recon.db, read-only.

    Args:
        path: the file.

    Raises:
        InputError: it cannot be opened, is not of the schema, with the table and column, or turns
            out to be damaged while it is read.
    """
    if not os.path.isfile(path):
        raise fault(path, "there is no such file", "name a recon.db", "FILE_UNREADABLE")
    try:
        database = _connected(path)
        try:
            _check(database, path)
            yield database
        finally:
            database.close()
    except sqlite3.Error as error:
        raise fault(path, str(error), "build the database anew") from error
    except (ValueError, TypeError) as error:
        raise fault(path, f"it holds a wrong value: {error}"[:200], "build it anew") from error


def _connected(path: str) -> sqlite3.Connection:
    from urllib.parse import quote

    uri = f"file:{quote(os.path.abspath(path))}?mode=ro"
    database = sqlite3.connect(uri, uri=True)
    database.execute("PRAGMA query_only=1")
    return database


def _check(database: sqlite3.Connection, path: str) -> None:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version != USER_VERSION:
        raise fault(
            path,
            f"its user_version is {version}, not {USER_VERSION}",
            f"build it with a tool that writes {SCHEMA}",
        )
    for table, columns in _COLUMNS.items():
        found = columns_of(database, table)
        if not found:
            raise fault(path, f"it has no table {table}", f"build it with {SCHEMA}")
        for column in columns:
            if column not in found:
                raise fault(path, f"table {table} has no column {column}", f"build it as {SCHEMA}")
    schema = meta(database, "schema")
    if schema is not None and schema != SCHEMA:
        raise fault(path, f"its schema is {schema!r}, not {SCHEMA}", f"build it as {SCHEMA}")


def columns_of(database: sqlite3.Connection, table: str) -> frozenset[str]:
    """Return the columns of a table; none where there is no such table."""
    return frozenset(row[1] for row in database.execute(f"PRAGMA table_info({table})"))


def meta(database: sqlite3.Connection, key: str) -> str | None:
    """Return what the table meta says of a key, or None."""
    row = database.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
    return None if row is None else str(row[0])


def lookup(database: sqlite3.Connection, target: str) -> tuple[str, list[tuple[int, str]]]:
    """Look an entity up: exact name, alias, `path::name`, file, unique suffix, in this order.

    Returns:
        binding, ambiguous, unresolved, unsupported (a file that nothing has read) or invalid_ref;
        and id and qualified name of what it may be.
    """
    if not target.strip() or not _is_text(target):
        return "invalid_ref", []
    for found in _lookups(database, target):
        # One definition seen twice, or in several overloads, is one entity.
        if len({name for _, name in found}) == 1:
            return "binding", found
        if found:
            return "ambiguous", found
    unread = database.execute("SELECT 1 FROM files WHERE path=? AND parsed=0", (target,))
    return ("unsupported" if unread.fetchone() else "unresolved"), []


def _is_text(target: str) -> bool:
    """Whether a name can be looked up: the bytes of a command line need not be UTF-8."""
    try:
        target.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _lookups(database: sqlite3.Connection, target: str) -> Iterator[list[tuple[int, str]]]:
    def rows(sql: str, *values: object) -> list[tuple[int, str]]:
        return [(int(row[0]), text(row[1])) for row in database.execute(sql, values)]

    yield rows("SELECT id, fqn FROM nodes WHERE fqn=?", target)
    yield rows(
        "SELECT n.id, n.fqn FROM aliases a JOIN nodes n ON n.id=a.node_id WHERE a.alias=?", target
    )
    path, separator, inner = target.partition("::")
    if separator:
        ending = inner.replace("::", ".")
        yield [
            row
            for row in rows(
                "SELECT n.id, n.fqn FROM nodes n JOIN files f ON f.id=n.file_id "
                "WHERE f.path=? AND n.name=?",
                path,
                ending.rsplit(".", 1)[-1],
            )
            if f".{row[1]}".endswith(f".{ending}")
        ]
    yield rows(
        "SELECT n.id, n.fqn FROM files f JOIN nodes n ON n.file_id=f.id AND n.kind='module' "
        "WHERE f.path=?",
        target,
    )
    pieces = target.split(".")
    for start in range(1, len(pieces) - 1):
        # The plan says more than the index does, such as the name of the repository.
        yield rows("SELECT id, fqn FROM nodes WHERE fqn=?", ".".join(pieces[start:]))
    tail = re.split(r"[.:/]+", target)[-1]
    yield [
        row
        for row in rows("SELECT id, fqn FROM nodes WHERE name=?", tail)
        if re.search(rf"(?:^|[.:/]){re.escape(target)}$", row[1])
    ]


def batches(ids: Iterable[int]) -> Iterator[tuple[str, list[int]]]:
    """Yield ids in batches that one statement takes, each with its question marks."""
    listed = sorted(ids)
    for start in range(0, len(listed), _BATCH):
        batch = listed[start : start + _BATCH]
        yield ",".join("?" * len(batch)), batch


def unresolved_calls(database: sqlite3.Connection, identifier: int, name: str) -> int:
    """Return how many calls lead nowhere and may concern an entity: they name it, or nothing else.

    Args:
        database: an open recon.db.
        identifier: the entity.
        name: its qualified name, whose last part is what such calls call.
    """
    query = "SELECT candidates FROM unresolved WHERE name=? AND kind IN ('calls', 'instantiates')"
    rows = database.execute(query, (name.rsplit(".", 1)[-1],))
    return sum(_may_be(candidates, identifier) for (candidates,) in rows)


def _may_be(candidates: str | None, identifier: int) -> bool:
    """Whether a call may be one of an entity: it says so, or does not say."""
    import json

    try:
        listed = json.loads(candidates) if candidates else []
    except (ValueError, RecursionError):
        return True
    return not isinstance(listed, list) or not listed or identifier in listed


def text(value: object) -> str:
    """Return a text of the database that can stand in a plan.

    Raises:
        ValueError: it is no text, or holds a NUL.
    """
    if not isinstance(value, str) or "\0" in value:
        raise ValueError(f"{value!r:.60} is not a name")
    return value


def fault(path: str, message: str, fix: str, code: str = "RECON_INVALID") -> InputError:
    """Return the error about a database that cannot be used."""
    return InputError(code, f"{path}: {message}", fix, phase="evidence", detail={"source": path})
