"""The reader of `recon.jsonl`, and that nothing is lost on the way there and back."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
import recondb
from plan07_encoders import jsonl
from trees import codes, read, repository

from plan07 import recon, reconfile
from plan07.errors import Finding
from plan07.formats import dump, lines
from plan07.recon import (
    AliasRow,
    CochangeRow,
    EdgeRow,
    FileRow,
    NodeRow,
    Part,
    UnresolvedRow,
)

PART = Part(
    files=[
        FileRow("a.py", "python", "1a2b", "source", True),
        FileRow("b.py", "python", "1a2c", "test", False, "line 3: no"),
    ],
    nodes=[
        NodeRow("a.B", "class", "B", "a.py", 1, 9, "a", flags=("abstract", "exported")),
        NodeRow(
            *("a.B.c", "method", "c", "a.py", 2, 3, "a.B", "(self)", '[{"name": "self"}]', "int"),
            *(("async",), True, False, "s", "b", "scip . . . c()."),
        ),
        NodeRow("os", "external", "os", is_external=True),
    ],
    edges=[
        EdgeRow("a.B.c", "calls", "os", "a.py", 3, 2, "typed", 0.9, "ast", '{"lines": [3, 4]}'),
        EdgeRow("a", "contains", "a.B"),
    ],
    unresolved=[UnresolvedRow("a.py", "a.B.c", "go", "calls", 3, ("x.go", "y.go"))],
    aliases=[AliasRow("B", "a.B", "reexport")],
    tests=[recon.TestRow("b.py::test_c", "a.B.c", "junit", "failed", 0.25)],
    cochange=[CochangeRow("a.py", "b.py", 2, 3, 4)],
)
ROWS = [row for name in Part._fields[:7] for row in getattr(PART, name)]


def test_there_and_back(tmp_path: Path) -> None:
    text = "".join(lines.written(ROWS))
    (tmp_path / "recon.jsonl").write_text(text, "utf-8")
    assert read(jsonl.read, repository(tmp_path, {"a.py": ""})) == PART._replace(notes=[])


def test_a_record_needs_only_what_identifies_it(tmp_path: Path) -> None:
    (tmp_path / "recon.jsonl").write_text(
        '{"t": "node", "fqn": "x/y::Z.w", "kind": "method"}\n\n'
        '{"t": "edge", "src": "a", "kind": "calls", "dst": "b"}\n'
        '{"t": "file", "path": "a.ts"}\r\n'
        '{"t": "test", "nodeid": "t::x", "fqn": null}',
        "utf-8",
    )
    part = read(jsonl.read, repository(tmp_path, {"a.py": ""}))
    assert part.nodes == [NodeRow("x/y::Z.w", "method", "w")]
    assert part.edges == [EdgeRow("a", "calls", "b", source="user")]
    assert part.files == [FileRow("a.ts", None, "")]
    assert part.tests == [recon.TestRow("t::x", source="user")]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"t": "node", "kind": "class"}', "f:1: fqn: field required"),
        ('{"t": "node", "fqn": "", "kind": "class"}', "f:1: fqn: string should have at least 1"),
        ('{"t": "node", "fqn": "a", "kind": "klass"}', "f:1: kind: input should be 'package', "),
        ('{"t": "node", "fqn": "a", "kind": "class", "line": 0}', "f:1: line: input should be gr"),
        ('{"t": "node", "fqn": "a", "kind": "class", "line": "3"}', "f:1: line: input should be a"),
        ('{"t": "node", "fqn": "a", "kind": "class", "extra": 1}', "f:1: extra: extra inputs are"),
        (
            '{"t": "node", "fqn": "a", "kind": "class", "params": [{"name": 1}]}',
            "f:1: params[0].name: input should be a valid string, not 1",
        ),
        ('{"t": "file", "path": "/etc/passwd"}', "f:1: path: path should be relative and stay"),
        ('{"t": "file", "path": "a/../../b"}', "f:1: path: path should be relative and stay in"),
        ('{"t": "edge", "src": "a", "kind": "calls", "dst": "b", "confidence": 2}', "f:1: confid"),
        ('{"t": "meta", "key": "schema", "value": "other/9"}', "f:1: the schema is 'other/9', not"),
        ('{"t": "what"}', "f:1: its \"t\" is 'what'"),
        ("[1]", 'f:1: its "t" is None'),
        ('{"t": "node", "fqn": "a",', "f:1:26: expecting property name"),
        ('{"t": "node", "fqn": "a", "fqn": "b"}', 'f:1:27: the key "fqn" stands twice'),
        ('{"t": NaN}', "f:1:7: NaN is not a JSON number"),
        ("\xff", "f:1:1: it is not UTF-8"),
        ('{"t": "node", "fqn": "\\u0000", "kind": "class"}', "f:1: a text at fqn holds a NUL"),
        ("[" * 100_000, "f:1: it is nested too deeply"),
    ],
    ids=str,
)
def test_a_fault_is_told_with_its_line(line: str, said: str) -> None:
    data = line.encode("latin-1")
    (found,) = lines.read(io.BytesIO(data), "f")
    assert isinstance(found, Finding)
    assert found.message.startswith(said)
    assert (found.code, found.detail["line"]) == ("JSONL_INVALID", 1)


def test_faults_are_left_out_and_told(tmp_path: Path) -> None:
    good = '{"t": "node", "fqn": "a.f", "kind": "function"}\n'
    (tmp_path / "recon.jsonl").write_text((good + "nonsense\n") * 30, "utf-8")
    part = read(jsonl.read, repository(tmp_path, {"a.py": ""}))
    assert len(part.nodes) == 30
    assert codes(part) == ["JSONL_INVALID"] * 21
    assert part.notes[0].message == "recon.jsonl:2:1: expecting value"
    assert part.notes[-1].message == "recon.jsonl: 10 more lines were left out"


def test_a_line_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST_LINE", 50)
    (found,) = lines.read(io.BytesIO(b"x" * 200), "f")
    assert isinstance(found, Finding)
    assert found.message == "f:1: it has more than 50 bytes"


def test_many_records_come_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "_BATCH", 3)
    text = "".join(lines.written(NodeRow(f"a.f{n}", "function", f"f{n}") for n in range(7)))
    (tmp_path / "recon.jsonl").write_text(text, "utf-8")
    parts = list(jsonl.read(repository(tmp_path, {"a.py": ""})))
    assert [len(part.nodes) for part in parts] == [3, 3, 1]


def test_no_file_and_one_that_cannot_be_read(tmp_path: Path) -> None:
    where = repository(tmp_path, {"a.py": ""})
    assert list(jsonl.read(where)) == []
    os.mkfifo(tmp_path / "recon.jsonl")
    assert list(jsonl.read(where)) == []


class TestDump:
    @pytest.fixture
    def database(self, tmp_path: Path) -> str:
        return recondb.build(
            tmp_path / "recon.db",
            {
                "b.f": {"kind": "function", "path": "b.py", "flags": "async,exported"},
                "a": "module",
                "a.C": {"kind": "class", "params": '[{"name": "x"}]'},
            },
            [
                ("b.f", "calls", "a.C", {"attrs": '{"lines": [1]}', "count": 3}),
                ("a", "calls", "b.f"),
            ],
            unresolved=[("go", None)],
            cochange=[("src/a.py", "b.py", 1, 2)],
            tests=["t.py::x"],
        )

    def test_every_record_in_an_order_of_its_own(self, database: str) -> None:
        with reconfile.opened(database) as found:
            rows = list(dump.rows(found))
        assert rows == [
            lines.MetaRow("commit", "c0ffee"),
            lines.MetaRow("schema", "plan07.recon/1"),
            FileRow("b.py", None, "1", parsed=True),
            FileRow("src/a.py", None, "2", parsed=True),
            NodeRow("a", "module", "a", "src/a.py", 2, 2),
            NodeRow("a.C", "class", "C", "src/a.py", 3, 3, "a", params='[{"name": "x"}]'),
            NodeRow("b.f", "function", "f", "b.py", 1, 1, flags=("async", "exported")),
            EdgeRow("a", "calls", "b.f", "b.py", 102),
            EdgeRow("b.f", "calls", "a.C", "b.py", 101, 3, attrs='{"lines": [1]}'),
            recon.TestRow("t.py::x", source="user"),
            CochangeRow("src/a.py", "b.py", 1, 2, 1),
        ]

    def test_what_is_written_can_be_read(self, database: str) -> None:
        with reconfile.opened(database) as found:
            rows = list(dump.rows(found))
        text = "".join(lines.written(rows)).encode()
        assert [
            each.row for each in lines.read(io.BytesIO(text), "f") if isinstance(each, lines.Line)
        ] == rows
