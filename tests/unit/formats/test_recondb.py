"""What is wrong with a recon.db: every fault with table, column and row, all at once."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest
import recondb

from plan07.formats.recondb import faults


@pytest.fixture
def database(tmp_path: Path) -> str:
    return recondb.build(
        tmp_path / "recon.db",
        {"a": "module", "a.C": "class", "a.C.f": "method"},
        [("a.C.f", "references", "a.C")],
        unresolved=[("go", "[2]")],
        cochange=[("src/a.py", "b.py", 1, 2)],
        tests=["t.py::x"],
    )


def change(database: str, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(database)) as found:
        for statement in statements:
            found.execute(statement)
        found.commit()


def told(database: str) -> list[str]:
    return [each.message for each in faults(database, "db")[0]]


def test_nothing_is_wrong(database: str) -> None:
    assert faults(database, "db") == ([], 0)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("PRAGMA user_version=2", "db: user_version is 2, not 1"),
        ("DROP TABLE aliases", "db:aliases: there is no such table"),
        ("ALTER TABLE nodes DROP COLUMN scip", "db:nodes.scip: there is no such column"),
        (
            "UPDATE meta SET value='x' WHERE key='schema'",
            'db:meta.value[schema]: the schema is "x", not plan07.recon/1',
        ),
        ("UPDATE nodes SET fqn='' WHERE id=3", 'db:nodes.fqn[""]: "" is no name'),
        ("UPDATE nodes SET name=x'00' WHERE id=3", "db:nodes.name[\"a.C.f\"]: b'\\x00' is no name"),
        (
            "UPDATE nodes SET kind='klass' WHERE id=2",
            'db:nodes.kind["a.C"]: "klass" is none of the format',
        ),
        (
            "UPDATE files SET role='x' WHERE id=2",
            'db:files.role["b.py"]: "x" is none of the format',
        ),
        (
            "UPDATE edges SET resolution='sure'",
            'db:edges.resolution["3 references 2"]: "sure" is none of the format',
        ),
        ("UPDATE edges SET kind='sees'", 'db:edges.kind["3 sees 2"]: "sees" is none of the format'),
        (
            "UPDATE unresolved SET kind='sees'",
            'db:unresolved.kind["go"]: "sees" is none of the format',
        ),
        (
            "UPDATE tests SET outcome='green'",
            'db:tests.outcome["t.py::x"]: "green" is none of the format',
        ),
        (
            "UPDATE edges SET dst=9",
            'db:edges.dst["3 references 9"]: 9 is the id of no row of nodes',
        ),
        (
            "UPDATE edges SET src=9",
            'db:edges.src["9 references 2"]: 9 is the id of no row of nodes',
        ),
        (
            "UPDATE nodes SET file_id=9 WHERE id=2",
            'db:nodes.file_id["a.C"]: 9 is the id of no row of files',
        ),
        (
            "INSERT INTO aliases VALUES('x', 9, 'why')",
            'db:aliases.node_id["x"]: 9 is the id of no row of nodes',
        ),
        (
            "UPDATE tests SET node_id='x'",
            'db:tests.node_id["t.py::x"]: "x" is the id of no row of nodes',
        ),
        ("UPDATE cochange SET a=9", 'db:cochange.a["9 2"]: 9 is the id of no row of files'),
        ("UPDATE nodes SET line=0 WHERE id=2", 'db:nodes.line["a.C"]: 0 is no line'),
        ("UPDATE edges SET line='x'", 'db:edges.line["3 references 2"]: "x" is no line'),
        ("UPDATE nodes SET end_line=1 WHERE id=2", 'db:nodes.end_line["a.C"]: 1 comes before line'),
        (
            "UPDATE edges SET confidence=1.5",
            'db:edges.confidence["3 references 2"]: 1.5 is no share',
        ),
        (
            "UPDATE edges SET confidence='x'",
            'db:edges.confidence["3 references 2"]: "x" is no share',
        ),
        ("UPDATE edges SET count=0", 'db:edges.count["3 references 2"]: 0 places show the edge'),
        (
            "UPDATE files SET path='/x' WHERE id=2",
            'db:files.path["/x"]: "/x" leaves the repository',
        ),
        (
            "UPDATE files SET path='a/../x' WHERE id=2",
            'db:files.path["a/../x"]: "a/../x" leaves the repository',
        ),
        (
            "UPDATE cochange SET n_ab=3",
            'db:cochange.n_ab["1 2"]: 3 is more than the commits of one of the files',
        ),
        ("UPDATE tests SET seconds=-1", 'db:tests.seconds["t.py::x"]: -1.0 is no duration'),
        (
            "UPDATE nodes SET params='{' WHERE id=2",
            'db:nodes.params["a.C"]: "{" is not the JSON that the format wants',
        ),
        (
            "UPDATE edges SET attrs='[]'",
            'db:edges.attrs["3 references 2"]: "[]" is not the JSON that the format wants',
        ),
        (
            "UPDATE unresolved SET candidates='{}'",
            'db:unresolved.candidates["go"]: "{}" is not the JSON that the format wants',
        ),
        (
            "UPDATE nodes SET flags='fast' WHERE id=2",
            'db:nodes.flags["a.C"]: "fast" holds a flag that the format does not know',
        ),
    ],
)
def test_a_fault(database: str, statement: str, said: str) -> None:
    change(database, statement)
    assert said in told(database)
    assert len(told(database)) == 1


def test_entities_that_contain_themselves(database: str) -> None:
    change(database, "UPDATE nodes SET parent_id=3 WHERE id=2")
    assert told(database) == [
        'db:nodes.parent_id["a.C"]: 3 leads back to the entity itself',
        'db:nodes.parent_id["a.C.f"]: 2 leads back to the entity itself',
    ]


def test_many_faults_of_one_kind_are_counted(database: str) -> None:
    rows = [f"INSERT INTO aliases VALUES('x{n}', 9, 'why')" for n in range(30)]
    change(database, *rows, "UPDATE edges SET count=0")
    found, total = faults(database, "db")
    assert (len(found), total) == (21, 31)


def test_texts_of_a_hostile_database_are_shortened_and_escaped(database: str) -> None:
    change(database, f"UPDATE nodes SET kind='\x1b[31m{'x' * 500}' WHERE id=2")
    (message,) = told(database)
    assert "\\u001b[31mxxx" in message
    assert len(message) < 200


def test_no_database(tmp_path: Path) -> None:
    place = tmp_path / "recon.db"
    place.write_bytes(b"SQLite format 3\0" + b"\xff" * 500)
    (found,), total = faults(str(place), "db")
    assert found.message.startswith("db: it cannot be read: ")
    assert total == 1


def test_a_database_that_is_damaged(database: str) -> None:
    place = Path(database)
    data = bytearray(place.read_bytes())
    # The pages of an index are no part of what is read of tables.
    at = data.rindex(b"a.C.f")
    data[at : at + 5] = b"other"
    place.write_bytes(data)
    (message,) = told(database)
    assert message.startswith("db: it is damaged: ")


def test_a_view_in_place_of_a_table(database: str) -> None:
    change(database, "DROP TABLE edges", "CREATE VIEW edges AS SELECT * FROM nodes")
    assert told(database) == ["db:edges: there is no such table"]
