"""Small recon.db files for tests, in a few words."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

SCHEMA = """
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
CREATE INDEX edges_dst ON edges(dst,kind); CREATE INDEX nodes_fqn ON nodes(fqn);
CREATE INDEX nodes_name ON nodes(name); CREATE INDEX nodes_file ON nodes(file_id,line);
CREATE INDEX unresolved_name ON unresolved(name);
PRAGMA user_version=1;
INSERT INTO meta VALUES('schema','plan07.recon/1');
INSERT INTO meta VALUES('commit','c0ffee');
"""

Edge = tuple[str, str, str] | tuple[str, str, str, dict[str, Any]]


def parameters(*names: str) -> str:
    """Return the column `params`; a name that starts with `*,` can only be given by keyword."""
    return json.dumps(
        [
            {
                "name": name.removeprefix("*,"),
                "kind": "keyword_only" if name.startswith("*,") else "positional_or_keyword",
                "type": None,
                "default": None,
            }
            for name in names
        ]
    )


def build(
    path: Path,
    nodes: Mapping[str, Mapping[str, Any] | str],
    edges: Iterable[Edge] = (),
    *,
    unresolved: Sequence[tuple[str, str | None]] = (),
    cochange: Sequence[tuple[str, str, int, int]] = (),
    roles: Mapping[str, str] | None = None,
    tests: Sequence[str] = (),
) -> str:
    """Write a recon.db and return its path.

    Args:
        path: where.
        nodes: qualified name to kind, or to columns; `path` is the file.
        edges: (dependent, relation, dependency) and columns.
        unresolved: (name, candidates as JSON) of calls.
        cochange: (path, other path, n_ab, n_a).
        roles: path to role, where it is not source.
        tests: node ids.
    """
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.executescript(SCHEMA)
        rows = {
            name: {"kind": each} if isinstance(each, str) else dict(each)
            for name, each in nodes.items()
        }
        ids = {name: number for number, name in enumerate(rows, 1)}
        paths = dict.fromkeys(
            [
                *(str(row.get("path", "src/a.py")) for row in rows.values()),
                *(each for pair in cochange for each in pair[:2]),
                *(roles or {}),
            ]
        )
        files = {name: number for number, name in enumerate(paths, 1)}
        for name, number in files.items():
            _insert(
                database,
                "files",
                id=number,
                path=name,
                blob=str(number),
                parsed=1,
                role=(roles or {}).get(name, "source"),
            )
        for name, row in rows.items():
            parent = ids.get(name.rpartition(".")[0])
            known = {"line": ids[name], "end_line": ids[name], "parent_id": parent, **row}
            file = files[str(known.pop("path", "src/a.py"))]
            last = name.rpartition(".")[2]
            _insert(database, "nodes", id=ids[name], fqn=name, name=last, file_id=file, **known)
        for source, kind, target, *more in edges:
            known = {"resolution": "exact", "confidence": 1.0, "source": "ast", "file_id": 1}
            known |= {"line": 100 + ids[source], **(more[0] if more else {})}
            _insert(database, "edges", src=ids[source], kind=kind, dst=ids[target], **known)
        for name, candidates in unresolved:
            _insert(database, "unresolved", name=name, kind="calls", candidates=candidates)
        for a, b, n_ab, n_a in cochange:
            _insert(database, "cochange", a=files[a], b=files[b], n_ab=n_ab, n_a=n_a, n_b=n_ab)
        for nodeid in tests:
            _insert(database, "tests", nodeid=nodeid)
        database.commit()
    return str(path)


def calls(*sites: tuple[int, Sequence[str]], **flags: bool) -> dict[str, Any]:
    """Return the columns of an edge that tells of its call sites: (positional, keywords) each."""
    listed = [
        {"line": line, "positional": positional, "keywords": list(keywords), **flags}
        for line, (positional, keywords) in enumerate(sites, 1)
    ]
    return {"attrs": json.dumps({"sites": listed})}


def _insert(database: sqlite3.Connection, table: str, **columns: Any) -> None:
    marks = ",".join("?" * len(columns))
    database.execute(
        f"INSERT INTO {table}({','.join(columns)}) VALUES({marks})", list(columns.values())
    )
