"""Reads `.codegraph/codegraph.db`, the graph of the tool codegraph."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

from plan07.recon import Part, Repository
from plan07_encoders import foreigngraph
from plan07_encoders.foreigndb import number, text
from plan07_encoders.foreigngraph import Edge, Miss, Node

FILE = ".codegraph/codegraph.db"
SOURCE = "codegraph"
_TABLES = {
    "nodes": (
        *("id", "kind", "name", "qualified_name", "file_path", "language", "start_line"),
        *("end_line", "signature", "is_async", "is_static", "is_abstract", "is_exported"),
    ),
    "edges": ("source", "target", "kind", "metadata", "line"),
    "unresolved_refs": ("from_node_id", "reference_name", "reference_kind", "line", "candidates"),
}
# Its kinds to ours; what is not listed is passed over: imports stand in edges.
_KINDS = {
    **{kind: kind for kind in ("module", "class", "struct", "interface", "trait", "function")},
    **{kind: kind for kind in ("method", "property", "field", "variable", "constant", "enum")},
    **{kind: kind for kind in ("enum_member", "type_alias", "route")},
    "file": "module",
    "protocol": "interface",
    "component": "function",
    "namespace": "package",
}
_NO_CODE = frozenset({"xml", "json", "yaml", "toml", "markdown", "html", "css", "ini", "text"})
_EDGES = {
    **{kind: kind for kind in ("calls", "imports", "implements", "references", "instantiates")},
    **{kind: kind for kind in ("overrides", "decorates")},
    "extends": "inherits",
    "exports": "reexports",
    "type_of": "uses_type",
    "returns": "uses_type",
}


def read(repository: Repository) -> Iterator[Part]:
    """Yield what codegraph knows of files that no other reader has read."""
    yield from foreigngraph.read(repository, SOURCE, FILE, _TABLES, _nodes, _edges, _misses)


def _nodes(database: sqlite3.Connection) -> Iterator[Node]:
    columns = ", ".join(_TABLES["nodes"])
    for row in database.execute(f"SELECT {columns} FROM nodes"):
        key, kind, _, qualified, path, lang, line, end, signature, *marks = row
        known = _KINDS.get(text(kind))
        if known is None or not text(key) or not text(path):
            continue
        is_file = kind == "file"
        if is_file and text(lang) in _NO_CODE:
            continue
        steps = () if is_file else tuple(filter(None, text(qualified).split("::")))
        names = ("async", "static", "abstract", "exported")
        flags = tuple(name for name, mark in zip(names, marks, strict=True) if mark)
        if is_file or steps:
            said = " ".join(text(signature).split()) if known in ("function", "method") else ""
            yield Node(
                *(key, known, steps, path, number(line), number(end), text(lang)),
                *(said, "", flags, False),
            )


def _edges(database: sqlite3.Connection) -> Iterator[Edge]:
    query = (
        "SELECT e.source, e.target, e.kind, e.metadata, e.line, n.file_path FROM edges e "
        "LEFT JOIN nodes n ON n.id=e.source ORDER BY e.rowid"
    )
    for source, target, kind, metadata, line, path in database.execute(query):
        known = _EDGES.get(text(kind))
        if known is not None:
            said = _object(metadata)
            confidence = said.get("confidence")
            sure = confidence if isinstance(confidence, float) and 0 <= confidence <= 1 else 1.0
            how = said.get("resolvedBy")
            attrs = {"resolved_by": how[:80]} if isinstance(how, str) else {}
            ends = text(source), known, text(target)
            yield Edge(*ends, text(path), number(line), sure, attrs)


def _misses(database: sqlite3.Connection) -> Iterator[Miss]:
    columns = ", ".join(_TABLES["unresolved_refs"])
    for source, name, kind, line, candidates in database.execute(
        f"SELECT {columns} FROM unresolved_refs ORDER BY rowid"
    ):
        known = _EDGES.get(text(kind))
        last = text(name).replace("::", ".").rpartition(".")[2]
        if known is not None and last:
            listed = _list(candidates)
            keys = tuple(each for each in listed if isinstance(each, str))
            yield Miss("", text(source), last, known, number(line), keys)


def _object(value: object) -> Mapping[str, Any]:
    found = _json(value)
    return found if isinstance(found, dict) else {}


def _list(value: object) -> list[Any]:
    found = _json(value)
    return found if isinstance(found, list) else []


def _json(value: object) -> Any:
    try:
        return json.loads(text(value) or "null")
    except (ValueError, RecursionError):
        return None
