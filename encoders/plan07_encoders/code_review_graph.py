"""Reads `.code-review-graph/graph.db`, the graph of the tool code-review-graph.

It writes absolute paths, and bare names where it does not know what a call leads to.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from plan07.recon import Part, Repository
from plan07_encoders import foreigngraph
from plan07_encoders.foreigndb import number, text
from plan07_encoders.foreigngraph import Edge, Node

FILE = ".code-review-graph/graph.db"
SOURCE = "code-review-graph"
_TABLES = {
    "nodes": (
        *("kind", "qualified_name", "file_path", "line_start", "line_end", "language"),
        *("parent_name", "params", "return_type", "is_test"),
    ),
    "edges": (
        *("kind", "source_qualified", "target_qualified", "file_path", "line", "confidence"),
        "confidence_tier",
    ),
}
_KINDS = {
    "File": "module",
    "Class": "class",
    "Function": "function",
    "Test": "test",
    "Type": "type_alias",
}
_EDGES = {
    "CALLS": "calls",
    "IMPORTS_FROM": "imports",
    "INHERITS": "inherits",
    "IMPLEMENTS": "implements",
    "REFERENCES": "references",
    "DEPENDS_ON": "references",
    "TESTED_BY": "tests",
}


def read(repository: Repository) -> Iterator[Part]:
    """Yield what code-review-graph knows of files that no other reader has read."""
    yield from foreigngraph.read(repository, SOURCE, FILE, _TABLES, _nodes, _edges)


def _nodes(database: sqlite3.Connection) -> Iterator[Node]:
    columns = ", ".join(_TABLES["nodes"])
    for row in database.execute(f"SELECT {columns} FROM nodes"):
        kind, qualified, path, line, end, lang, parent, params, returns, is_test = row
        known = _KINDS.get(text(kind))
        if known is None or not text(qualified) or not text(path):
            continue
        inner = qualified.partition("::")[2]
        steps = tuple(filter(None, inner.split("."))) if kind != "File" else ()
        if kind != "File" and not steps:
            continue
        if known == "function" and text(parent):
            known = "method"
        signature = " ".join(text(params).split()) if known in ("function", "method") else ""
        yield Node(
            *(qualified, known, steps, path, number(line), number(end), text(lang)),
            *(signature, text(returns), (), bool(is_test)),
        )


def _edges(database: sqlite3.Connection) -> Iterator[Edge]:
    columns = ", ".join(_TABLES["edges"])
    for row in database.execute(f"SELECT {columns} FROM edges ORDER BY rowid"):
        kind, source, target, path, line, confidence, tier = row
        known = _EDGES.get(text(kind))
        if known is None:
            continue
        ends = text(source), text(target)
        if kind == "TESTED_BY":
            ends = ends[1], ends[0]
        sure = confidence if isinstance(confidence, float) and 0 <= confidence <= 1 else 1.0
        attrs = {"tier": tier[:80]} if text(tier) else {}
        yield Edge(ends[0], known, ends[1], text(path), number(line), sure, attrs)
