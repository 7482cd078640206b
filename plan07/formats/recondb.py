"""What is wrong with a recon.db: every fault with table, row and column.

The database is another's: it may lack tables, hold texts where numbers belong, or point to rows
that are not there. Each question is one statement, so a database of a million rows is checked in
seconds.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

from plan07.errors import Finding
from plan07.formats.lines import FLAGS, OUTCOMES
from plan07.recon import EDGE_KINDS, ROLES, SCHEMA, USER_VERSION
from plan07.reconfile import columns_of
from plan07.shapes import ENTITY_KINDS, RESOLUTIONS

CODE = "RECON_INVALID"
MAGIC = b"SQLite format 3\0"
# Of one kind of fault so many are told one by one.
_MOST = 20
_COLUMNS = {
    "meta": "key value",
    "files": "id path lang blob role parsed error",
    "nodes": "id fqn kind name file_id line end_line parent_id signature params returns flags "
    "is_test is_external sig_hash body_hash scip",
    "edges": "src kind dst file_id line count resolution confidence source attrs",
    "unresolved": "file_id src name kind line candidates",
    "aliases": "alias node_id why",
    "tests": "nodeid node_id source outcome seconds",
    "cochange": "a b n_ab n_a n_b",
}


class _Question(NamedTuple):
    """Rows that should not be there.

    Args:
        table, column: what is wrong.
        key: SQL of what names a row for people.
        wrong: SQL condition of a wrong row; t is the table.
        said: what is wrong with it; {value} is the value of the column.
        fix: what to do.
    """

    table: str
    column: str
    key: str
    wrong: str
    said: str
    fix: str


def _within(values: Sequence[str]) -> str:
    return ",".join(f"'{value}'" for value in values)


def _of(table: str, column: str, wrong: str, said: str, fix: str) -> _Question:
    return _Question(table, column, _KEYS[table], wrong, said, fix)


_KEYS = {
    "meta": "t.key",
    "files": "t.path",
    "nodes": "t.fqn",
    "edges": "t.src || ' ' || t.kind || ' ' || t.dst",
    "unresolved": "t.name",
    "aliases": "t.alias",
    "tests": "t.nodeid",
    "cochange": "t.a || ' ' || t.b",
}
_NAMED = (
    *(("files", "path"), ("nodes", "fqn"), ("nodes", "name"), ("aliases", "alias")),
    *(("tests", "nodeid"), ("edges", "source")),
)
_CHOICES = (
    ("files", "role", ROLES, False),
    ("nodes", "kind", ENTITY_KINDS, False),
    ("edges", "kind", EDGE_KINDS, False),
    ("edges", "resolution", RESOLUTIONS, False),
    ("unresolved", "kind", EDGE_KINDS, True),
    ("tests", "outcome", OUTCOMES, True),
)
_POINTERS = (
    *(("nodes", "file_id", "files", True), ("nodes", "parent_id", "nodes", True)),
    *(("edges", "src", "nodes", False), ("edges", "dst", "nodes", False)),
    *(("edges", "file_id", "files", True), ("unresolved", "src", "nodes", True)),
    *(("unresolved", "file_id", "files", True), ("aliases", "node_id", "nodes", False)),
    *(("tests", "node_id", "nodes", True), ("cochange", "a", "files", False)),
    ("cochange", "b", "files", False),
)
_LINES = (("nodes", "line"), ("nodes", "end_line"), ("edges", "line"), ("unresolved", "line"))


def _questions() -> Iterator[_Question]:
    for table, column in _NAMED:
        wrong = f"typeof(t.{column})!='text' OR t.{column}='' OR instr(t.{column}, char(0))"
        yield _of(table, column, wrong, "{value} is no name", "give it a name")
    for table, column, values, nullable in _CHOICES:
        wrong = f"t.{column} NOT IN ({_within(values)})" + (
            "" if nullable else f" OR t.{column} IS NULL"
        )
        fix = f"use one of {', '.join(values)}"
        yield _of(table, column, wrong, "{value} is none of the format", fix)
    for table, column, other, nullable in _POINTERS:
        wrong = f"NOT EXISTS (SELECT 1 FROM {other} o WHERE o.id=t.{column})"
        if nullable:
            wrong = f"t.{column} IS NOT NULL AND {wrong}"
        said = f"{{value}} is the id of no row of {other}"
        yield _of(table, column, wrong, said, f"add the row to {other}")
    for table, column in _LINES:
        wrong = f"t.{column} IS NOT NULL AND (typeof(t.{column})!='integer' OR t.{column}<1)"
        yield _of(table, column, wrong, "{value} is no line", "count lines from 1")
    for table, column, wrong, said, fix in (
        ("nodes", "end_line", "t.end_line<t.line", "{value} comes before line", "swap the two"),
        (
            *("edges", "confidence"),
            "typeof(t.confidence) NOT IN ('real','integer') OR t.confidence NOT BETWEEN 0 AND 1",
            *("{value} is no share", "give a number from 0 to 1"),
        ),
        (
            *("edges", "count", "typeof(t.count)!='integer' OR t.count<1"),
            *("{value} places show the edge", "count at least one"),
        ),
        (
            *("files", "path"),
            "t.path LIKE '/%' OR '/'||t.path||'/' LIKE '%/../%' OR '/'||t.path||'/' LIKE '%/./%'",
            *("{value} leaves the repository", "give a path relative to the root"),
        ),
        (
            *("cochange", "n_ab", "t.n_ab>t.n_a OR t.n_ab>t.n_b OR t.n_ab<0"),
            *("{value} is more than the commits of one of the files", "count the commits anew"),
        ),
        (
            *("tests", "seconds"),
            "t.seconds IS NOT NULL AND (typeof(t.seconds) NOT IN ('real','integer') "
            "OR t.seconds<0)",
            *("{value} is no duration", "give seconds, at least 0"),
        ),
        (
            *("nodes", "parent_id", _CYCLE),
            *("{value} leads back to the entity itself", "let no entity contain itself"),
        ),
    ):
        yield _of(table, column, wrong, said, fix)


# Up to 64 levels; code does not nest deeper.
_CYCLE = (
    "t.parent_id IS NOT NULL AND t.id IN (WITH RECURSIVE up(id, depth) AS (SELECT t.parent_id, 1 "
    "UNION SELECT n.parent_id, up.depth+1 FROM nodes n JOIN up ON n.id=up.id "
    "WHERE n.parent_id IS NOT NULL AND up.depth<64) SELECT id FROM up)"
)


def faults(path: str, name: str) -> tuple[list[Finding], int]:
    """Return what is wrong with a recon.db and how many faults there are.

    Args:
        path: the file.
        name: how messages call it.
    """
    from urllib.parse import quote

    uri = f"file:{quote(os.path.abspath(path))}?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as database:
            database.text_factory = lambda data: data.decode("utf-8", "replace")
            database.execute("PRAGMA query_only=1")
            return _found(database, name)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        return [_finding(name, "", "", "", f"it cannot be read: {error}", "build it anew")], 1


def _found(database: sqlite3.Connection, name: str) -> tuple[list[Finding], int]:
    found = list(_schema(database, name))
    if found:
        return found, len(found)
    found = [
        _finding(name, "", "", "", f"it is damaged: {_short(said)}", "build it anew")
        for (said,) in database.execute(f"PRAGMA integrity_check({_MOST})")
        if said != "ok"
    ]
    if found:
        return found, len(found)
    total = 0
    for question in _questions():
        query = (
            f"SELECT {question.key}, t.{question.column} FROM {question.table} t "
            f"WHERE {question.wrong} ORDER BY 1, 2"
        )
        for place, (key, value) in enumerate(database.execute(query)):
            total += 1
            if place < _MOST:
                said = question.said.format(value=_short(value))
                found.append(
                    _finding(name, question.table, question.column, _short(key), said, question.fix)
                )
    texts = list(_texts(database, name))
    return [*found, *texts[:_MOST]], total + len(texts)


def _schema(database: sqlite3.Connection, name: str) -> Iterator[Finding]:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version != USER_VERSION:
        said = f"user_version is {version}, not {USER_VERSION}"
        yield _finding(name, "", "", "", said, f"build it with a tool that writes {SCHEMA}")
    kinds = dict(database.execute("SELECT name, type FROM sqlite_master"))
    for table, columns in _COLUMNS.items():
        if kinds.get(table) != "table":
            yield _finding(name, table, "", "", "there is no such table", "create it")
            continue
        present = columns_of(database, table)
        for column in columns.split():
            if column not in present:
                yield _finding(name, table, column, "", "there is no such column", "add it")
    if kinds.get("meta") == "table" and {"key", "value"} <= columns_of(database, "meta"):
        row = database.execute("SELECT value FROM meta WHERE key='schema'").fetchone()
        if row is None or row[0] != SCHEMA:
            said = f"the schema is {_short(row and row[0])}, not {SCHEMA}"
            yield _finding(name, "meta", "value", "schema", said, "write the schema's name")


def _texts(database: sqlite3.Connection, name: str) -> Iterator[Finding]:
    """Yield faults of columns that hold JSON or a list of words."""
    for table, column, kind in (
        ("nodes", "params", list),
        ("edges", "attrs", dict),
        ("unresolved", "candidates", list),
        ("meta", "value", list),
    ):
        query = f"SELECT {_KEYS[table]}, t.{column} FROM {table} t WHERE t.{column} IS NOT NULL" + (
            " AND t.key IN ('source_roots', 'encoders')" if table == "meta" else ""
        )
        for key, value in database.execute(query):
            if not _is_json(value, kind if table != "meta" else (list, dict)):
                said = f"{_short(value)} is not the JSON that the format wants"
                yield _finding(name, table, column, _short(key), said, "write it as JSON")
    query = "SELECT fqn, flags FROM nodes WHERE flags IS NOT NULL AND flags!=''"
    for key, value in database.execute(query):
        if not isinstance(value, str) or not set(value.split(",")) <= set(FLAGS):
            said = f"{_short(value)} holds a flag that the format does not know"
            fix = f"use one of {', '.join(FLAGS)}"
            yield _finding(name, "nodes", "flags", _short(key), said, fix)


def _is_json(value: Any, kind: type | tuple[type, ...]) -> bool:
    try:
        return isinstance(value, str) and isinstance(json.loads(value), kind)
    except (ValueError, RecursionError):
        return False


def _short(value: Any) -> str:
    shown = repr(value) if isinstance(value, bytes) else json.dumps(value)
    return shown if len(shown) <= 80 else shown[:77] + "..."


def _finding(name: str, table: str, column: str, key: str, said: str, fix: str) -> Finding:
    place = f"{table}.{column}".strip(".") + (f"[{key}]" if key else "")
    where = f"{name}:{place}" if place else name
    detail = {"source": name, "table": table or None, "column": column or None, "row": key or None}
    return Finding(CODE, where, f"{where}: {said}", fix, detail)
