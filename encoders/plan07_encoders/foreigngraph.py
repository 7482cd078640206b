"""Turns the graph of another tool into records: matches its entities to those that are known.

Such tools bind a call to any entity of the same name, so their edges count as heuristic whatever
they say of themselves. Files whose entities a more exact reader has read are left to it; of these,
entities are only looked up, so that others can depend on them.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from plan07.errors import Finding
from plan07.located import Located, Paths
from plan07.recon import EdgeRow, FileRow, NodeRow, Part, Repository, UnresolvedRow
from plan07_encoders.foreigndb import ForeignError, opened

# Of twenty such edges that were looked at by hand, thirteen were right.
_CONFIDENCE = 0.65
_MOST_CANDIDATES = 20


class Node(NamedTuple):
    """An entity of the other tool.

    Args:
        key: how its edges name it.
        kind: as recon.db has it.
        steps: names from the file inwards; empty for the file itself.
        path: as the tool has it.
        line, end_line: from 1.
        lang: of the file.
        signature, returns: "" where not known.
        flags: as in `NodeRow`.
        is_test: it is a test.
    """

    key: str
    kind: str
    steps: tuple[str, ...]
    path: str
    line: int | None
    end_line: int | None
    lang: str
    signature: str
    returns: str
    flags: tuple[str, ...]
    is_test: bool


class Edge(NamedTuple):
    """An edge of the other tool, from the dependent to what it depends on.

    Args:
        src, dst: keys of nodes.
        kind: as recon.db has it.
        path, line: where it shows.
        confidence: what the tool says, 0 to 1.
        attrs: what else it says, for people.
    """

    src: str
    kind: str
    dst: str
    path: str
    line: int | None
    confidence: float
    attrs: Mapping[str, Any]


class Miss(NamedTuple):
    """A use that the other tool could not resolve; as `UnresolvedRow`, with keys of nodes."""

    path: str
    src: str
    name: str
    kind: str
    line: int | None
    candidates: tuple[str, ...]


class _Entity(NamedTuple):
    fqn: str
    kind: str
    path: str
    is_known: bool


_TYPES = ("class", "struct", "interface", "enum", "trait")


class Graph:
    """Collects the nodes of a tool, then turns edges into records.

    Args:
        repository: that the tool looked at.
        source: the reader's name.
        file: the tool's file, for notes.
    """

    def __init__(self, repository: Repository, source: str, file: str) -> None:
        self._files = {row.path: row for row in repository.files}
        self._paths = Paths(repository.root, self._files)
        self._located = Located(repository)
        self._source = source
        self._file = file
        self._entities: dict[str, _Entity] = {}
        self._left: set[str] = set()
        self._outside: set[str] = set()
        self._by_name: Mapping[str, Sequence[str]] | None = None
        self._lost = 0

    def nodes(self, found: Iterable[Node]) -> Part:
        """Return the entities and files that no other reader knows."""
        rows: dict[str, NodeRow] = {}
        files: dict[str, FileRow] = {}
        for node in sorted(found, key=lambda each: (each.path, len(each.steps), each.line or 0)):
            path = self._paths(node.path)
            if path is None:
                self._outside.add(node.path)
            elif self._located.nodes(path):
                self._left.add(path)
                fqn = self._known(path, node)
                if fqn is not None:
                    self._entities[node.key] = _Entity(fqn, node.kind, path, True)
            elif node.steps or node.lang:
                fqn = ".".join([_module(path), *node.steps])
                self._entities[node.key] = _Entity(fqn, node.kind, path, False)
                rows.setdefault(fqn, self._row(fqn, path, node))
                row = self._files[path]
                files[path] = row._replace(lang=row.lang or node.lang or None, parsed=True)
        nesting = [
            EdgeRow(row.parent, "contains", fqn, row.path, row.line, source=self._source)
            for fqn, row in rows.items()
            if row.parent in rows
        ]
        return Part(tuple(files.values()), tuple(rows.values()), nesting)

    def _known(self, path: str, node: Node) -> str | None:
        if not node.steps:
            whole = [each for each in self._located.nodes(path) if each.kind == "module"]
            return whole[0].fqn if whole else None
        return self._located.named(path, node.steps[-1], node.line)

    def _row(self, fqn: str, path: str, node: Node) -> NodeRow:
        outer = ".".join([_module(path), *node.steps[:-1]]) if node.steps else None
        return NodeRow(
            fqn,
            node.kind,
            node.steps[-1] if node.steps else fqn.rpartition(".")[2],
            path,
            node.line,
            node.end_line,
            outer,
            node.signature or None,
            None,
            node.returns or None,
            node.flags,
            node.is_test or (self._files[path].role == "test" and _is_test(node)),
        )

    def edges(self, found: Iterable[Edge]) -> Part:
        """Return the edges of files that no other reader has read.

        What leads to a bare name is unresolved; its candidates are the entities of that name.
        """
        rows: dict[tuple[str, str, str], EdgeRow] = {}
        bare: list[UnresolvedRow] = []
        for edge in found:
            src, dst = self._entities.get(edge.src), self._entities.get(edge.dst)
            if src is None:
                self._lost += 1
            elif src.is_known:
                continue
            elif dst is None:
                bare.append(self._bare(src, edge))
            elif src.fqn != dst.fqn or edge.kind == "calls":
                self._add(rows, src, dst, edge)
        return Part(edges=tuple(rows.values()), unresolved=tuple(bare))

    def _add(
        self,
        rows: dict[tuple[str, str, str], EdgeRow],
        src: _Entity,
        dst: _Entity,
        edge: Edge,
    ) -> None:
        kind = "instantiates" if edge.kind == "calls" and dst.kind in _TYPES else edge.kind
        key = src.fqn, kind, dst.fqn
        if key in rows:
            rows[key] = rows[key]._replace(times=rows[key].times + 1)
            return
        path = self._paths(edge.path) or src.path
        confidence = round(_CONFIDENCE * edge.confidence, 4)
        attrs = json.dumps(edge.attrs, sort_keys=True) if edge.attrs else None
        where = path, edge.line, 1
        rows[key] = EdgeRow(*key, *where, "heuristic", confidence, self._source, attrs)

    def _bare(self, src: _Entity, edge: Edge) -> UnresolvedRow:
        if self._by_name is None:
            by_name: dict[str, list[str]] = {}
            for each in self._entities.values():
                by_name.setdefault(each.fqn.rpartition(".")[2], []).append(each.fqn)
            self._by_name = by_name
        name = re.split(r"[.:/]+", edge.dst)[-1]
        candidates = sorted(set(self._by_name.get(name, ())))[:_MOST_CANDIDATES]
        return UnresolvedRow(src.path, src.fqn, name, edge.kind, edge.line, tuple(candidates))

    def unresolved(self, found: Iterable[Miss]) -> Part:
        """Return the unresolved uses of files that no other reader has read."""
        rows = []
        for miss in found:
            src = self._entities.get(miss.src)
            if src is not None and not src.is_known:
                known = [
                    self._entities[key].fqn for key in miss.candidates if key in self._entities
                ]
                candidates = tuple(sorted(set(known))[:_MOST_CANDIDATES])
                rows.append(
                    UnresolvedRow(src.path, src.fqn, miss.name, miss.kind, miss.line, candidates)
                )
        return Part(unresolved=tuple(rows))

    def notes(self) -> Part:
        """Return what was left out."""
        told = [
            ("GRAPH_LEFT", self._left, "files were left to a more exact reader"),
            ("GRAPH_OUTSIDE", self._outside, "files are none of the repository"),
        ]
        notes = [
            Finding(
                code,
                self._file,
                f"{self._file}: {len(paths)} {said}: {_shortened(sorted(paths))}",
                "bring the graph up to date if that surprises you",
                {"count": len(paths), "first": sorted(paths)[:20]},
            )
            for code, paths, said in told
            if paths
        ]
        if self._lost:
            notes.append(
                Finding(
                    "GRAPH_BROKEN",
                    self._file,
                    f"{self._file}: {self._lost} edges come from nowhere and were left out",
                    "bring the graph up to date",
                    {"count": self._lost},
                )
            )
        return Part(notes=tuple(notes))


def _is_test(node: Node) -> bool:
    return not node.steps or node.steps[-1].lower().startswith("test")


def _module(path: str) -> str:
    dotted = str(PurePosixPath(path).with_suffix("")).replace("/", ".")
    return dotted.removesuffix(".__init__") if path.endswith(".py") else dotted


def _shortened(paths: Sequence[str]) -> str:
    return ", ".join(path[:80] for path in paths[:3]) + (", ..." if len(paths) > 3 else "")


def read(
    repository: Repository,
    source: str,
    file: str,
    tables: Mapping[str, Sequence[str]],
    nodes: Callable[[sqlite3.Connection], Iterable[Node]],
    edges: Callable[[sqlite3.Connection], Iterable[Edge]],
    misses: Callable[[sqlite3.Connection], Iterable[Miss]] | None = None,
) -> Iterator[Part]:
    """Yield what a tool's database says of files that no other reader has read.

    A file that is no such database is a note, not an error.

    Args:
        repository: that the tool looked at.
        source: the reader's name.
        file: the database, relative to the root.
        tables: tables and the columns that are read of them.
        nodes: reads its entities.
        edges: reads its edges.
        misses: reads what it could not resolve, where it tells that.
    """
    place = repository.look(file)
    if place is None:
        return
    try:
        with opened(place, tables) as database:
            graph = Graph(repository, source, file)
            yield graph.nodes(nodes(database))
            yield graph.edges(edges(database))
            if misses is not None:
                yield graph.unresolved(misses(database))
            yield graph.notes()
    except (ForeignError, OSError) as error:
        yield from _invalid(file, error)


def _invalid(file: str, error: Exception) -> Iterator[Part]:
    """Yield the note that a tool's file cannot be read."""
    message = f"{file} is left out: {error}"
    fix = "let the tool write it anew, or remove it from the evidence"
    yield Part(notes=(Finding("GRAPH_INVALID", file, message, fix, {}),))
