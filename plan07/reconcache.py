"""What readers keep from one build to the next: bytes by key, in a file beside recon.db."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, MutableMapping

_VERSION = 1


class DiskCache(MutableMapping[str, bytes]):
    """A cache in SQLite; where it cannot be used it is empty and forgets.

    Args:
        path: its file.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._touched: set[str] = set()
        self._database: sqlite3.Connection | None = None
        try:
            self._open()
        except (sqlite3.OperationalError, OSError):
            pass  # Another build holds it, or the directory is read-only.
        except sqlite3.DatabaseError:
            self._remove()
            try:
                self._open()
            except (sqlite3.Error, OSError):
                pass

    def _open(self) -> None:
        os.makedirs(os.path.dirname(self._path), exist_ok=True)
        database = sqlite3.connect(self._path, isolation_level=None, timeout=0.1)
        try:
            # What is lost with the power is read anew.
            database.execute("PRAGMA synchronous=OFF")
            (version,) = database.execute("PRAGMA user_version").fetchone()
            if version not in (0, _VERSION):
                database.execute("DROP TABLE IF EXISTS kept")
            database.execute(
                "CREATE TABLE IF NOT EXISTS kept(key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID"
            )
            database.execute(f"PRAGMA user_version={_VERSION}")
            database.execute("BEGIN IMMEDIATE")
            database.execute("SELECT key, value FROM kept LIMIT 1").fetchone()
        except sqlite3.Error:
            database.close()
            raise
        self._database = database

    def _remove(self) -> None:
        for name in (self._path, f"{self._path}-journal"):
            try:
                os.unlink(name)
            except OSError:
                pass

    def __getitem__(self, key: str) -> bytes:
        row = None
        if self._database is not None:
            try:
                row = self._database.execute(
                    "SELECT value FROM kept WHERE key=?", (key,)
                ).fetchone()
            except sqlite3.Error:
                row = None
        if row is None or not isinstance(row[0], bytes):
            raise KeyError(key)
        self._touched.add(key)
        return row[0]

    def __setitem__(self, key: str, value: bytes) -> None:
        self._touched.add(key)
        if self._database is not None:
            self._database.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (key, value))

    def __delitem__(self, key: str) -> None:
        self._touched.discard(key)
        if self._database is not None:
            self._database.execute("DELETE FROM kept WHERE key=?", (key,))

    def __iter__(self) -> Iterator[str]:
        if self._database is not None:
            for (key,) in self._database.execute("SELECT key FROM kept ORDER BY key").fetchall():
                yield key

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def clear(self) -> None:
        """Forget everything."""
        self._touched.clear()
        if self._database is not None:
            self._database.execute("DELETE FROM kept")

    def close(self, *, keep: bool) -> None:
        """Close it.

        Args:
            keep: keep what was asked for or set; else leave the file as it was.
        """
        database, self._database = self._database, None
        if database is None:
            return
        try:
            if keep:
                database.execute("CREATE TEMP TABLE touched(key TEXT PRIMARY KEY)")
                database.executemany(
                    "INSERT INTO touched VALUES (?)", [(k,) for k in self._touched]
                )
                database.execute("DELETE FROM kept WHERE key NOT IN (SELECT key FROM touched)")
                database.execute("COMMIT")
            else:
                database.execute("ROLLBACK")
        except sqlite3.Error:
            pass  # Then the next build reads everything.
        finally:
            database.close()
