"""The readers of codegraph and code-review-graph: graphs of tools that bind by name."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from plan07_encoders import code_review_graph, codegraph
from trees import codes, edges, nesting, read, repository

from plan07.recon import EdgeRow, NodeRow, Part, Reader, UnresolvedRow

FILES = {"src/cart.ts": "x\n" * 20, "test/cart.test.ts": "x\n" * 9}

CODEGRAPH = """
CREATE TABLE nodes(id TEXT, kind TEXT, name TEXT, qualified_name TEXT, file_path TEXT,
  language TEXT, start_line INTEGER, end_line INTEGER, signature TEXT, is_async INTEGER,
  is_static INTEGER, is_abstract INTEGER, is_exported INTEGER);
CREATE TABLE edges(source TEXT, target TEXT, kind TEXT, metadata TEXT, line INTEGER);
CREATE TABLE unresolved_refs(from_node_id TEXT, reference_name TEXT, reference_kind TEXT,
  line INTEGER, candidates TEXT);
"""
REVIEW_GRAPH = """
CREATE TABLE nodes(kind TEXT, qualified_name TEXT, file_path TEXT, line_start INTEGER,
  line_end INTEGER, language TEXT, parent_name TEXT, params TEXT, return_type TEXT,
  is_test INTEGER);
CREATE TABLE edges(kind TEXT, source_qualified TEXT, target_qualified TEXT, file_path TEXT,
  line INTEGER, confidence REAL, confidence_tier TEXT);
"""


def database(place: Path, schema: str, **tables: Iterable[tuple[Any, ...]]) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(place)) as found:
        found.execute("PRAGMA journal_mode=wal")
        found.executescript(schema)
        for table, rows in tables.items():
            for row in rows:
                found.execute(f"INSERT INTO {table} VALUES({','.join('?' * len(row))})", row)
        found.commit()


def codegraph_of(root: Path) -> None:
    path, test = "src/cart.ts", "test/cart.test.ts"

    def node(key: str, kind: str, name: str, file: str, line: int, end: int, **more: Any) -> Any:
        marks = [more.get(each, 0) for each in ("async", "static", "abstract", "exported")]
        lang = more.get("lang", "typescript")
        head = (key, kind, name.rpartition("::")[2], name, file, lang, line, end)
        return (*head, more.get("signature"), *marks)

    database(
        root / codegraph.FILE,
        CODEGRAPH,
        nodes=[
            node("f", "file", path, path, 1, 20),
            node("c", "class", "Cart", path, 2, 9, exported=1),
            node("m", "method", "Cart::total", path, 3, 5, signature="(a:\n  number)", static=1),
            # One node for each overload.
            node("m2", "method", "Cart::total", path, 6, 8),
            node("o", "function", "open", path, 11, 12, **{"async": 1}),
            node("i", "import", "Book", path, 1, 1),
            node("t", "file", test, test, 1, 9),
            node("tt", "function", "testTotal", test, 2, 4),
            node("x", "file", "data.json", "data.json", 1, 1, lang="json"),
            node("gone", "function", "gone", "src/gone.ts", 1, 1),
        ],
        edges=[
            ("f", "c", "contains", None, None),
            ("tt", "o", "calls", json.dumps({"confidence": 0.9, "resolvedBy": "import"}), 3),
            ("tt", "o", "calls", None, 4),
            ("tt", "m2", "calls", "not json", 3),
            ("o", "c", "calls", "[]", 12),
            ("m", "m2", "references", None, 4),
            ("o", "nowhere", "calls", None, 12),
            ("nowhere", "o", "calls", None, 12),
            ("o", "c", "unheard_of", None, 12),
        ],
        unresolved_refs=[
            ("o", "this.items.push", "calls", 12, None),
            ("o", "Cart", "returns", 11, json.dumps(["c", "nowhere", 7])),
            ("o", "x", "function_ref", 11, None),
        ],
    )


def review_graph_of(root: Path) -> None:
    path, test = f"{root}/src/cart.ts", f"{root}/test/cart.test.ts"

    def node(kind: str, name: str, file: str, line: int, parent: str = "", is_test: int = 0) -> Any:
        key = f"{file}::{name}" if name else file
        params = "(a, b)" if kind in ("Function", "Test") else None
        return (kind, key, file, line, line + 2, "typescript", parent, params, None, is_test)

    database(
        root / code_review_graph.FILE,
        REVIEW_GRAPH,
        nodes=[
            node("File", "", path, 1),
            node("Class", "Cart", path, 2),
            node("Function", "Cart.total", path, 3, "Cart"),
            node("Function", "open", path, 11),
            node("File", "", test, 1),
            node("Test", "testTotal", test, 2, is_test=1),
        ],
        edges=[
            ("CONTAINS", path, f"{path}::Cart", path, 2, 1.0, "EXTRACTED"),
            ("CALLS", f"{path}::open", f"{path}::Cart", path, 12, 1.0, "EXTRACTED"),
            ("CALLS", f"{test}::testTotal", f"{path}::open", test, 3, 0.5, "INFERRED"),
            ("CALLS", f"{path}::open", "total", path, 12, 1.0, "EXTRACTED"),
            ("TESTED_BY", f"{path}::open", f"{test}::testTotal", test, 3, 1.0, "EXTRACTED"),
        ],
    )


class TestCodegraph:
    @pytest.fixture
    def part(self, tmp_path: Path) -> Part:
        codegraph_of(tmp_path)
        return read(codegraph.read, repository(tmp_path, FILES))

    def test_edges_are_guesses(self, part: Part) -> None:
        assert [each for each in part.edges if each.kind != "contains"] == [
            EdgeRow(
                *("test.cart.test.testTotal", "calls", "src.cart.open", "test/cart.test.ts", 3, 2),
                *("heuristic", 0.585, "codegraph", '{"resolved_by": "import"}'),
            ),
            EdgeRow(
                *("test.cart.test.testTotal", "calls", "src.cart.Cart.total"),
                *("test/cart.test.ts", 3, 1, "heuristic", 0.65, "codegraph"),
            ),
            EdgeRow(
                *("src.cart.open", "instantiates", "src.cart.Cart", "src/cart.ts", 12, 1),
                *("heuristic", 0.65, "codegraph"),
            ),
        ]

    def test_entities(self, part: Part) -> None:
        assert part.nodes == [
            NodeRow("src.cart", "module", "cart", "src/cart.ts", 1, 20),
            NodeRow(
                *("src.cart.Cart", "class", "Cart", "src/cart.ts", 2, 9, "src.cart"),
                flags=("exported",),
            ),
            NodeRow(
                *("src.cart.open", "function", "open", "src/cart.ts", 11, 12, "src.cart"),
                flags=("async",),
            ),
            NodeRow(
                *("src.cart.Cart.total", "method", "total", "src/cart.ts", 3, 5, "src.cart.Cart"),
                signature="(a: number)",
                flags=("static",),
            ),
            NodeRow(*("test.cart.test", "module", "test", "test/cart.test.ts", 1, 9), is_test=True),
            NodeRow(
                *("test.cart.test.testTotal", "function", "testTotal", "test/cart.test.ts", 2, 4),
                "test.cart.test",
                is_test=True,
            ),
        ]
        assert nesting(part) == {(each.parent, each.fqn) for each in part.nodes if each.parent}

    def test_what_it_could_not_resolve_stays_open(self, part: Part) -> None:
        assert part.unresolved == [
            UnresolvedRow("src/cart.ts", "src.cart.open", "nowhere", "calls", 12),
            UnresolvedRow("src/cart.ts", "src.cart.open", "push", "calls", 12),
            UnresolvedRow(
                "src/cart.ts", "src.cart.open", "Cart", "uses_type", 11, ("src.cart.Cart",)
            ),
        ]

    def test_the_output_says_what_was_left_out(self, part: Part) -> None:
        assert {note.code: note.detail["count"] for note in part.notes} == {
            "GRAPH_OUTSIDE": 1,
            "GRAPH_BROKEN": 1,
        }
        assert part.notes[0].detail["first"] == ["src/gone.ts"]


class TestCodeReviewGraph:
    @pytest.fixture
    def part(self, tmp_path: Path) -> Part:
        review_graph_of(tmp_path)
        return read(code_review_graph.read, repository(tmp_path, FILES))

    def test_absolute_paths_are_those_of_the_repository(self, part: Part) -> None:
        assert {(each.fqn, each.kind, each.path) for each in part.nodes} == {
            ("src.cart", "module", "src/cart.ts"),
            ("src.cart.Cart", "class", "src/cart.ts"),
            ("src.cart.Cart.total", "method", "src/cart.ts"),
            ("src.cart.open", "function", "src/cart.ts"),
            ("test.cart.test", "module", "test/cart.test.ts"),
            ("test.cart.test.testTotal", "test", "test/cart.test.ts"),
        }

    def test_edges_are_guesses_whatever_it_says(self, part: Part) -> None:
        found = {
            (each.src, each.kind, each.dst, each.resolution, each.confidence, each.attrs)
            for each in part.edges
            if each.kind != "contains"
        }
        extracted, inferred = '{"tier": "EXTRACTED"}', '{"tier": "INFERRED"}'
        test = "test.cart.test.testTotal"
        assert found == {
            ("src.cart.open", "instantiates", "src.cart.Cart", "heuristic", 0.65, extracted),
            (test, "calls", "src.cart.open", "heuristic", 0.325, inferred),
            (test, "tests", "src.cart.open", "heuristic", 0.65, extracted),
        }

    def test_a_bare_name_is_unresolved(self, part: Part) -> None:
        """Most of its calls lead to one."""
        assert part.unresolved == [
            UnresolvedRow(
                "src/cart.ts", "src.cart.open", "total", "calls", 12, ("src.cart.Cart.total",)
            )
        ]


BOTH = pytest.mark.parametrize(
    ("reader", "make", "file"),
    [
        (codegraph.read, codegraph_of, codegraph.FILE),
        (code_review_graph.read, review_graph_of, code_review_graph.FILE),
    ],
    ids=["codegraph", "code-review-graph"],
)


@BOTH
def test_what_a_more_exact_reader_knows_is_left_to_it(
    tmp_path: Path, reader: Reader, make: Callable[[Path], None], file: str
) -> None:
    make(tmp_path)
    known = {
        "src/cart.ts": [
            NodeRow("shop.Cart", "class", "Cart", "src/cart.ts", 2, 9),
            NodeRow("shop.Cart.total", "method", "total", "src/cart.ts", 3, 8),
            NodeRow("shop.open", "function", "open", "src/cart.ts", 11, 12),
        ]
    }
    part = read(reader, repository(tmp_path, FILES, known))
    assert {each.path for each in part.nodes} == {"test/cart.test.ts"}
    assert {each.src for each in part.edges} <= {"test.cart.test", "test.cart.test.testTotal"}
    # Tests depend on what that reader calls by its own names.
    assert ("test.cart.test.testTotal", "calls", "shop.open") in edges(part)
    left = next(note for note in part.notes if note.code == "GRAPH_LEFT")
    assert left.detail == {"count": 1, "first": ["src/cart.ts"]}


@BOTH
def test_hostile_files(
    tmp_path: Path, reader: Reader, make: Callable[[Path], None], file: str
) -> None:
    where = repository(tmp_path, FILES)
    assert list(reader(where)) == []
    place = tmp_path / file
    place.parent.mkdir()
    for data in (b"no database", b"SQLite format 3\0" + b"\xff" * 4000, b"\0"):
        place.write_bytes(data)
        assert codes(read(reader, where)) == ["GRAPH_INVALID"]
    place.unlink()
    make(tmp_path)
    with contextlib.closing(sqlite3.connect(place)) as found:
        found.execute("ALTER TABLE edges RENAME COLUMN kind TO sort")
    note = read(reader, where).notes[0]
    assert note.message == f"{file} is left out: its table edges has no column kind"


def test_a_schema_that_is_not_utf_8(tmp_path: Path) -> None:
    """SQLite quotes it in its message, which cannot be decoded then."""
    codegraph_of(tmp_path)
    place = tmp_path / codegraph.FILE
    place.write_bytes(
        place.read_bytes().replace(b"CREATE TABLE edges", b"CREATE TABLE\xa6\xa6\xa6\xa6s)")
    )
    note = read(codegraph.read, repository(tmp_path, FILES)).notes[0]
    assert note.message == f"{codegraph.FILE} is left out: it is damaged"


@BOTH
def test_values_of_wrong_types(
    tmp_path: Path, reader: Reader, make: Callable[[Path], None], file: str
) -> None:
    make(tmp_path)
    whole = read(reader, repository(tmp_path, FILES))
    with contextlib.closing(sqlite3.connect(tmp_path / file)) as found:
        for table in ("nodes", "edges"):
            width = len(found.execute(f"PRAGMA table_info({table})").fetchall())
            for value in (None, 7, -1.5, b"\xff\xfe", "\0"):
                marks = ",".join("?" * width)
                found.execute(f"INSERT INTO {table} VALUES({marks})", [value] * width)
        found.commit()
    part = read(reader, repository(tmp_path, FILES))
    assert (part.nodes, part.edges) == (whole.nodes, whole.edges)


def test_a_log_that_is_not_merged_yet_counts(tmp_path: Path) -> None:
    """The tool may be running, and keep what is new in the log beside the database."""
    codegraph_of(tmp_path)
    with contextlib.closing(sqlite3.connect(tmp_path / codegraph.FILE)) as running:
        running.execute("UPDATE nodes SET qualified_name='later' WHERE id='o'")
        running.commit()
        assert (tmp_path / f"{codegraph.FILE}-wal").stat().st_size
        part = read(codegraph.read, repository(tmp_path, FILES))
    assert "src.cart.later" in {each.fqn for each in part.nodes}


@BOTH
def test_nothing_is_left_beside_a_database_with_a_log(
    tmp_path: Path, reader: Reader, make: Callable[[Path], None], file: str
) -> None:
    make(tmp_path)
    before = sorted(each.name for each in (tmp_path / file).parent.iterdir())
    read(reader, repository(tmp_path, FILES))
    assert sorted(each.name for each in (tmp_path / file).parent.iterdir()) == before
