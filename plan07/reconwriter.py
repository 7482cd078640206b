"""Writes a recon.db (schema plan07.recon/1) from the parts of readers.

Parts come as streams and refer to each other's entities. A name gets its number when it is first
mentioned; whose names nobody defines in the end are looked up among the aliases, and their edges
are left out if they are not found there.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plan07.recon import (
    SCHEMA,
    USER_VERSION,
    AliasRow,
    EdgeRow,
    FileRow,
    NodeRow,
    Part,
    UnresolvedRow,
)

_TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE files(id INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, lang TEXT, blob TEXT NOT NULL,
  role TEXT NOT NULL DEFAULT 'source', parsed INTEGER NOT NULL, error TEXT);
CREATE TABLE nodes(id INTEGER PRIMARY KEY, fqn TEXT NOT NULL, kind TEXT NOT NULL,
  name TEXT NOT NULL, file_id INTEGER REFERENCES files(id), line INTEGER, end_line INTEGER,
  parent_id INTEGER, signature TEXT, params TEXT, returns TEXT, flags TEXT,
  is_test INTEGER NOT NULL DEFAULT 0, is_external INTEGER NOT NULL DEFAULT 0, sig_hash TEXT,
  body_hash TEXT, scip TEXT);
CREATE TABLE edges(src INTEGER NOT NULL, kind TEXT NOT NULL, dst INTEGER NOT NULL, file_id INTEGER,
  line INTEGER, count INTEGER NOT NULL DEFAULT 1, resolution TEXT NOT NULL,
  confidence REAL NOT NULL, source TEXT NOT NULL, attrs TEXT,
  PRIMARY KEY(src,kind,dst,source)) WITHOUT ROWID;
CREATE TABLE unresolved(file_id INTEGER, src INTEGER, name TEXT, kind TEXT, line INTEGER,
  candidates TEXT);
CREATE TABLE aliases(alias TEXT NOT NULL, node_id INTEGER NOT NULL, why TEXT,
  PRIMARY KEY(alias,node_id)) WITHOUT ROWID;
CREATE TABLE tests(nodeid TEXT PRIMARY KEY, node_id INTEGER, source TEXT, outcome TEXT,
  seconds REAL);
CREATE TABLE cochange(a INTEGER, b INTEGER, n_ab INTEGER, n_a INTEGER, n_b INTEGER,
  PRIMARY KEY(a,b)) WITHOUT ROWID;
"""
_INDICES = """
CREATE INDEX edges_dst ON edges(dst,kind);
CREATE INDEX nodes_fqn ON nodes(fqn);
CREATE INDEX nodes_name ON nodes(name);
CREATE INDEX nodes_file ON nodes(file_id,line);
CREATE INDEX unresolved_name ON unresolved(name);
"""
_EDGE = """
INSERT INTO edges VALUES (?,?,?,?,?,?,?,?,?,?) ON CONFLICT(src,kind,dst,source) DO UPDATE SET
  count=count+excluded.count, confidence=max(confidence,excluded.confidence)
"""
_NODE = """
INSERT INTO nodes VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT(id) DO UPDATE SET
  file_id=COALESCE(file_id,excluded.file_id), line=COALESCE(line,excluded.line),
  end_line=COALESCE(end_line,excluded.end_line), parent_id=COALESCE(parent_id,excluded.parent_id),
  signature=COALESCE(signature,excluded.signature), params=COALESCE(params,excluded.params),
  returns=COALESCE(returns,excluded.returns), flags=COALESCE(NULLIF(flags,''),excluded.flags),
  is_test=max(is_test,excluded.is_test), is_external=min(is_external,excluded.is_external),
  sig_hash=COALESCE(sig_hash,excluded.sig_hash), body_hash=COALESCE(body_hash,excluded.body_hash),
  scip=COALESCE(scip,excluded.scip)
"""
_TEST = """
INSERT INTO tests VALUES (?,?,?,?,?) ON CONFLICT(nodeid) DO UPDATE SET
  node_id=COALESCE(node_id,excluded.node_id), outcome=COALESCE(outcome,excluded.outcome),
  seconds=COALESCE(seconds,excluded.seconds)
"""


class Writer:
    """A recon.db that is being written.

    Args:
        path: the file; it must not be there.
    """

    def __init__(self, path: str) -> None:
        self.database = sqlite3.connect(path, isolation_level=None)
        # It is written whole under another name first, so nothing is lost with the power.
        self.database.executescript(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-32000;"
            f"PRAGMA user_version={USER_VERSION}; BEGIN;" + _TABLES
        )
        self._files: dict[str, int] = {}
        self._ids: dict[str, int] = {}
        self._defined: set[int] = set()
        self.counts: dict[str, int] = {}
        self.left_out = 0

    def add(self, part: Part) -> None:
        """Add what a reader contributes."""
        self._add_files(part.files)
        self.database.executemany(_NODE, [self._node(each) for each in part.nodes])
        self.database.executemany(_EDGE, [self._edge(each) for each in part.edges])
        self._add_rest(part)
        for name, number in part.counts.items():
            self.counts[name] = self.counts.get(name, 0) + number

    def _add_files(self, rows: Iterable[FileRow]) -> None:
        for row in rows:
            if row.path not in self._files:
                self._files[row.path] = len(self._files) + 1
                values = (self._files[row.path], *row[:4], int(row.parsed), row.error)
                self.database.execute("INSERT INTO files VALUES (?,?,?,?,?,?,?)", values)
            else:
                self.database.execute(
                    "UPDATE files SET parsed=max(parsed,?), error=COALESCE(error,?), "
                    "lang=COALESCE(lang,?) WHERE id=?",
                    (int(row.parsed), row.error, row.lang, self._files[row.path]),
                )

    def _id(self, fqn: str) -> int:
        return self._ids.setdefault(fqn, len(self._ids) + 1)

    def _file(self, path: str | None) -> int | None:
        return None if path is None else self._files.get(path)

    def _node(self, row: NodeRow) -> tuple[Any, ...]:
        number = self._id(row.fqn)
        self._defined.add(number)
        return (
            number,
            row.fqn,
            row.kind,
            row.name,
            self._file(row.path),
            row.line,
            row.end_line,
            None if row.parent is None else self._id(row.parent),
            row.signature,
            row.params,
            row.returns,
            ",".join(row.flags),
            int(row.is_test),
            int(row.is_external),
            row.sig_hash,
            row.body_hash,
            row.scip,
        )

    def _edge(self, row: EdgeRow) -> tuple[Any, ...]:
        return (
            self._id(row.src),
            row.kind,
            self._id(row.dst),
            self._file(row.path),
            row.line,
            row.times,
            row.resolution,
            row.confidence,
            row.source,
            row.attrs,
        )

    def _add_rest(self, part: Part) -> None:
        execute = self.database.executemany
        execute(
            "INSERT INTO unresolved VALUES (?,?,?,?,?,?)", map(self._unresolved, part.unresolved)
        )
        execute("INSERT OR IGNORE INTO aliases VALUES (?,?,?)", map(self._alias, part.aliases))
        rows = [
            (each.nodeid, None if each.fqn is None else self._id(each.fqn), *each[2:])
            for each in part.tests
        ]
        execute(_TEST, rows)
        pairs = [
            (self._files[each.a], self._files[each.b], *each[2:])
            for each in part.cochange
            if each.a in self._files and each.b in self._files
        ]
        execute("INSERT OR IGNORE INTO cochange VALUES (?,?,?,?,?)", pairs)

    def _unresolved(self, row: UnresolvedRow) -> tuple[Any, ...]:
        candidates = json.dumps([self._id(each) for each in row.candidates])
        return self._file(row.path), self._id(row.src), row.name, row.kind, row.line, candidates

    def _alias(self, row: AliasRow) -> tuple[str, int, str]:
        return row.alias, self._id(row.fqn), row.why

    def nodes(self, path: str) -> Sequence[NodeRow]:
        """Return the nodes of a file in the order of their lines."""
        query = (
            "SELECT n.fqn, n.kind, n.name, f.path, n.line, n.end_line, p.fqn, n.signature, "
            "n.params, n.returns, n.flags, n.is_test, n.is_external, n.sig_hash, n.body_hash, "
            "n.scip FROM nodes n JOIN files f ON f.id=n.file_id "
            "LEFT JOIN nodes p ON p.id=n.parent_id WHERE f.path=? ORDER BY n.line, n.id"
        )
        self.index()
        return [
            NodeRow._make(
                (
                    *row[:10],
                    tuple(filter(None, row[10].split(","))),
                    *map(bool, row[11:13]),
                    *row[13:],
                )
            )
            for row in self.database.execute(query, (path,))
        ]

    def index(self) -> None:
        """Make what is needed to find nodes by their files."""
        self.database.execute("CREATE INDEX IF NOT EXISTS nodes_file ON nodes(file_id,line)")

    def settle(self) -> None:
        """Look up names that no node bears among the aliases, and leave out the rest."""
        missing = {
            name: number for name, number in self._ids.items() if number not in self._defined
        }
        if not missing:
            return
        execute = self.database.execute
        execute("CREATE TEMP TABLE missing(id INTEGER PRIMARY KEY, meant INTEGER)")
        alias = dict(
            execute(
                "SELECT alias, min(node_id) FROM aliases GROUP BY alias HAVING count(*)=1"
            ).fetchall()
        )
        rows = [
            (number, alias[name] if alias.get(name) in self._defined else None)
            for name, number in missing.items()
        ]
        self.database.executemany("INSERT INTO missing VALUES (?,?)", rows)
        affected = execute(
            "SELECT COALESCE(s.meant,CASE WHEN s.id IS NULL THEN e.src END),e.kind,"
            "COALESCE(d.meant,CASE WHEN d.id IS NULL THEN e.dst END),e.file_id,e.line,e.count,"
            "e.resolution,e.confidence,e.source,e.attrs FROM edges e "
            "LEFT JOIN missing s ON s.id=e.src LEFT JOIN missing d ON d.id=e.dst "
            "WHERE s.id IS NOT NULL OR d.id IS NOT NULL ORDER BY e.src,e.kind,e.dst,e.source"
        ).fetchall()
        execute(
            "DELETE FROM edges WHERE src IN (SELECT id FROM missing) "
            "OR dst IN (SELECT id FROM missing)"
        )
        kept = [row for row in affected if row[0] and row[2] and row[0] != row[2]]
        self.database.executemany(_EDGE, kept)
        self.left_out += sum(not (row[0] and row[2]) for row in affected)
        for table, column in (
            ("nodes", "parent_id"),
            ("tests", "node_id"),
            ("unresolved", "src"),
        ):
            execute(
                f"UPDATE {table} SET {column}=(SELECT meant FROM missing WHERE id={column}) "
                f"WHERE {column} IN (SELECT id FROM missing)"
            )
        execute("DELETE FROM aliases WHERE node_id IN (SELECT id FROM missing)")
        execute("DROP TABLE missing")

    def finish(self, meta: Mapping[str, str]) -> None:
        """Write what is known of the build, make the indices and close the file."""
        rows = {"schema": SCHEMA, **meta}
        self.database.executemany("INSERT INTO meta VALUES (?,?)", sorted(rows.items()))
        self.database.execute("DROP INDEX IF EXISTS nodes_file")
        for statement in _INDICES.strip().split(";"):
            if statement.strip():
                self.database.execute(statement)
        self.database.execute("COMMIT")
        self.close()

    def close(self) -> None:
        """Close the file as it is."""
        self.database.close()
