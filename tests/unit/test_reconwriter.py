"""How parts of several readers become one database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import recondb

from plan07 import recon, reconderive
from plan07.recon import AliasRow, CochangeRow, EdgeRow, FileRow, NodeRow, Part, UnresolvedRow
from plan07.reconwriter import Writer


def written(tmp_path: Path, *parts: Part) -> sqlite3.Connection:
    """Write parts and return the database."""
    writer = Writer(str(tmp_path / "a.db"))
    for part in parts:
        writer.add(part)
    writer.settle()
    reconderive.tests(writer.database)
    writer.finish({})
    return sqlite3.connect(tmp_path / "a.db")


def node(fqn: str, **more: Any) -> NodeRow:
    return NodeRow(fqn, more.pop("kind", "function"), fqn.rpartition(".")[2], **more)


NODES = [node("a.f", path="a.py", line=1), node("a.g"), node("b.h")]


def edges(database: sqlite3.Connection) -> list[Any]:
    return database.execute(
        "SELECT s.fqn, e.kind, d.fqn, e.count, e.source FROM edges e "
        "JOIN nodes s ON s.id=e.src JOIN nodes d ON d.id=e.dst ORDER BY 1, 3, 5"
    ).fetchall()


def test_the_tables_are_those_of_the_format(tmp_path: Path) -> None:
    """Those of the database that tests of readers of it write by themselves."""
    with closing(sqlite3.connect(":memory:")) as pinned:
        pinned.executescript(recondb.SCHEMA)
        assert schema(written(tmp_path)) == schema(pinned)


def schema(database: sqlite3.Connection) -> list[Any]:
    (version,) = database.execute("PRAGMA user_version").fetchone()
    query = "SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2"
    return [version, *database.execute(query).fetchall()]


def test_an_end_may_be_an_alias(tmp_path: Path) -> None:
    """Of a reader that names modules by their paths, such as an index of another tool."""
    first = Part(nodes=NODES, aliases=[AliasRow("src.a.f", "a.f", "source_root")])
    second = Part(edges=[EdgeRow("b.h", "calls", "src.a.f", source="scip")])
    database = written(tmp_path, first, second)
    assert edges(database) == [("b.h", "calls", "a.f", 1, "scip")]
    assert database.execute("SELECT count(*) FROM nodes").fetchone() == (3,)


def test_an_alias_joins_what_is_there(tmp_path: Path) -> None:
    part = Part(
        nodes=NODES,
        aliases=[AliasRow("x.f", "a.f", "reexport")],
        edges=[EdgeRow("b.h", "calls", "a.f", times=2), EdgeRow("b.h", "calls", "x.f", times=3)],
    )
    assert edges(written(tmp_path, part)) == [("b.h", "calls", "a.f", 5, "ast")]


@pytest.mark.parametrize(
    "aliases",
    [[], [AliasRow("x", "a.f", "reexport"), AliasRow("x", "a.g", "reexport")]],
    ids=["unknown", "of two"],
)
def test_an_end_that_nobody_names_is_left_out(aliases: list[AliasRow], tmp_path: Path) -> None:
    writer = Writer(str(tmp_path / "a.db"))
    writer.add(Part(nodes=NODES, aliases=aliases, edges=[EdgeRow("b.h", "calls", "x")]))
    writer.settle()
    assert writer.left_out == 1
    assert writer.database.execute("SELECT count(*) FROM edges").fetchone() == (0,)
    writer.close()


def test_the_first_reader_stays_and_later_ones_fill_in(tmp_path: Path) -> None:
    first = Part(
        files=[FileRow("a.py", "python", "b1", parsed=True)],
        nodes=[node("a.f", path="a.py", line=3, flags=("async",))],
        tests=[recon.TestRow("a.py::f", "a.f")],
    )
    second = Part(
        files=[FileRow("a.py", None, "b2", error="odd"), FileRow("c.py", "python", "b3")],
        nodes=[node("a.f", kind="method", line=9, signature="(x)", flags=("static",))],
        tests=[recon.TestRow("a.py::f", None, "junit", "passed", 0.5)],
    )
    database = written(tmp_path, first, second)
    assert database.execute("SELECT path, lang, blob, parsed, error FROM files").fetchall() == [
        ("a.py", "python", "b1", 1, "odd"),
        ("c.py", "python", "b3", 0, None),
    ]
    assert database.execute("SELECT kind, line, signature, flags FROM nodes").fetchall() == [
        ("function", 3, "(x)", "async")
    ]
    assert database.execute("SELECT source, outcome, seconds FROM tests").fetchall() == [
        ("ast", "passed", 0.5)
    ]


def test_edges_of_two_sources_stay_apart(tmp_path: Path) -> None:
    part = Part(
        nodes=NODES,
        edges=[EdgeRow("b.h", "calls", "a.f"), EdgeRow("b.h", "calls", "a.f", source="coverage")],
    )
    found = edges(written(tmp_path, part))
    assert [each[-1] for each in found] == ["ast", "coverage"]


def test_rows_about_nothing_are_dropped(tmp_path: Path) -> None:
    part = Part(
        files=[FileRow("a.py", "python", "b1")],
        nodes=[node("a.f", parent="gone", path="elsewhere.py")],
        aliases=[AliasRow("x", "gone", "reexport")],
        tests=[recon.TestRow("a.py::f", "gone")],
        unresolved=[UnresolvedRow("a.py", "gone", "f", "calls")],
        cochange=[CochangeRow("a.py", "gone.py", 2, 2, 2)],
    )
    database = written(tmp_path, part)
    assert database.execute("SELECT parent_id, file_id FROM nodes").fetchall() == [(None, None)]
    assert database.execute("SELECT node_id FROM tests").fetchall() == [(None,)]
    assert database.execute("SELECT src FROM unresolved").fetchall() == [(None,)]
    for table in ("aliases", "cochange"):
        assert database.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_the_schema(tmp_path: Path) -> None:
    """The tables and indices are those of the format, and nothing else."""
    database = written(tmp_path, Part())
    assert database.execute("PRAGMA user_version").fetchone() == (1,)
    assert database.execute("SELECT * FROM meta").fetchall() == [("schema", "plan07.recon/1")]
    listed = database.execute("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite%'")
    assert sorted(listed) == sorted(
        [
            *(("index", f"edges_{name}") for name in ("dst",)),
            *(("index", f"nodes_{name}") for name in ("file", "fqn", "name")),
            ("index", "unresolved_name"),
            *(
                ("table", name)
                for name in (
                    *("meta", "files", "nodes", "edges", "unresolved", "aliases", "tests"),
                    "cochange",
                )
            ),
        ]
    )
