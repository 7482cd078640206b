"""Opens SQLite files that other tools wrote, and trusts nothing in them."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from urllib.parse import quote

# A statement may take so many steps of SQLite's machine, a thousand each: some minutes of work.
_MOST_STEPS = 2_000_000


class ForeignError(ValueError):
    """A database that is none, or lacks what is read of it; the message says which."""


@contextmanager
def opened(place: str, wanted: Mapping[str, Sequence[str]]) -> Iterator[sqlite3.Connection]:
    """Open a database read-only, leaving no trace beside it.

    Args:
        place: the file.
        wanted: tables and the columns that are read of them.

    Raises:
        ForeignError: it is no such database, or turns out to be broken while it is read.
    """
    try:
        with closing(_connect(place)) as database:
            _check(database, wanted)
            yield database
    except (sqlite3.Error, OverflowError) as error:
        raise ForeignError(str(error)) from error
    except UnicodeDecodeError as error:
        # A message of SQLite that quotes a broken database cannot be decoded itself.
        raise ForeignError("it is damaged") from error


def _connect(place: str) -> sqlite3.Connection:
    log = f"{place}-wal"
    # Without a log that is not merged yet, nobody needs to create files beside the database.
    settled = not (os.path.exists(log) and os.path.getsize(log))
    mode = "immutable=1" if settled else "mode=ro"
    database = sqlite3.connect(f"file:{quote(os.path.abspath(place))}?{mode}", uri=True)
    database.text_factory = _decoded
    steps = 0

    def count() -> bool:
        nonlocal steps
        steps += 1
        return steps > _MOST_STEPS

    database.set_progress_handler(count, 1000)
    database.execute("PRAGMA query_only=1")
    return database


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\0", "\ufffd")


def _check(database: sqlite3.Connection, wanted: Mapping[str, Sequence[str]]) -> None:
    query = "SELECT type FROM sqlite_master WHERE name=?"
    for table, columns in wanted.items():
        row = database.execute(query, (table,)).fetchone()
        if row is None or row[0] != "table":
            raise ForeignError(f"it has no table {table}")
        found = {each[1] for each in database.execute(f"PRAGMA table_info({table})")}
        for column in columns:
            if column not in found:
                raise ForeignError(f"its table {table} has no column {column}")


def text(value: object) -> str:
    """Return a value as text, "" where it is none; one line of it at most is wanted."""
    return value if isinstance(value, str) else ""


def number(value: object) -> int | None:
    """Return a value as a line number, None where it is none."""
    return value if isinstance(value, int) and 0 < value < 2**31 else None
