"""One end of a change, as its recon.db tells it, and where the edits lie in it."""

from __future__ import annotations

import ast
import json
import os
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from bench.replay.commit import Change
from bench.replay.edits import Side
from bench.replay.names import Names, names
from plan07.recon import NodeRow
from plan07.reconfile import opened, text

OLD, NEW = "old", "new"


CALLS = ("calls", "instantiates")


class Use(NamedTuple):
    """Where an end shows that one entity depends on another."""

    kind: str
    src: str
    dst: str
    resolution: str
    path: str
    lines: tuple[int, ...]


class End:
    """One end of a change, as its recon.db tells it.

    Args:
        which: OLD or NEW.
        change: the change.
        recon: the recon.db of this end.
    """

    def __init__(self, which: str, change: Change, recon: str) -> None:
        self.which = which
        self._change = change
        self._by_path: dict[str, list[int]] = defaultdict(list)
        for number, edit in enumerate(change.edits):
            if self.side(number).nodes or edit.kind == "file":
                self._by_path[edit.path].append(number)
        with opened(recon) as database:
            self.nodes = _nodes(database)
            self.uses = list(_uses(database))
        self.overrides: dict[str, set[str]] = defaultdict(set)
        for use in self.uses:
            if use.kind == "overrides":
                self.overrides[use.src].add(use.dst)
                self.overrides[use.dst].add(use.src)
        self.module_of = {
            node.path: fqn for fqn, node in self.nodes.items() if node.kind in ("module", "package")
        }
        self.names = [self._names(number) for number in range(len(change.edits))]

    def side(self, number: int) -> Side:
        """Return what an edit is about at this end."""
        edit = self._change.edits[number]
        return edit.old if self.which == OLD else edit.new

    def at(self, path: str, line: int, name: str = "") -> list[int]:
        """Return the edits that are about a line; of an import, about this name."""
        found = []
        for number in self._by_path.get(path, ()):
            side = self.side(number)
            if self._change.edits[number].kind == "file" or (
                side.line <= line <= side.end_line
                and (side.names is None or not name or name in _imported(side))
            ):
                found.append(number)
        # The head of a class lies around nothing else; a class that is new lies around all of it.
        return found

    def of(self, fqn: str) -> list[int]:
        """Return the edits in which an entity is defined."""
        node = self.nodes.get(fqn)
        if node is None or node.path is None:
            return []
        if node.kind in ("module", "package"):
            edits = self._by_path.get(node.path, ())
            return [each for each in edits if self._change.edits[each].kind == "file"]
        return self.at(node.path, node.line or 0)

    def family(self, fqn: str) -> set[str]:
        """Return the methods that a call of one may reach, itself included."""
        found, todo = {fqn}, [fqn]
        while todo:
            for each in self.overrides.get(todo.pop(), ()):
                if each not in found:
                    found.add(each)
                    todo.append(each)
        return found

    def _names(self, number: int) -> Names:
        side, edit = self.side(number), self._change.edits[number]
        found = names(side.nodes, head=edit.kind == "head")
        if side.names is not None:
            found.binds = set(side.names)
        return found


def _imported(side: Side) -> set[str]:
    """Return the names that an import takes, as they are called where they come from."""
    found: set[str] = set()
    for node in side.nodes:
        if isinstance(node, ast.ImportFrom):
            for each in node.names:
                if side.names is None or (each.asname or each.name) in side.names:
                    found |= {each.name, each.asname or each.name}
    return found


def elsewhere(before: End, after: End, *kinds: str) -> set[str]:
    """Return the names of entities that the repository defines and the change leaves alone."""
    return {
        node.name
        for fqn, node in before.nodes.items()
        if node.kind in kinds and fqn in after.nodes and not before.of(fqn)
    }


def _nodes(database: sqlite3.Connection) -> dict[str, NodeRow]:
    query = (
        "SELECT n.fqn, n.kind, n.name, f.path, n.line, n.end_line, p.fqn, n.signature, n.params, "
        "n.returns, n.flags, n.is_test, n.is_external, n.sig_hash, n.body_hash FROM nodes n "
        "JOIN files f ON f.id=n.file_id LEFT JOIN nodes p ON p.id=n.parent_id "
        "WHERE n.is_external=0 ORDER BY n.id"
    )
    found = {}
    for fqn, kind, name, path, line, end, parent, *told in database.execute(query):
        signature, params, returns, flags, is_test, external, sig_hash, body_hash = told
        found[text(fqn)] = NodeRow(
            *(text(fqn), kind, name, os.fsdecode(path), line, end, parent, signature, params),
            *(returns, tuple(filter(None, (flags or "").split(",")))),
            is_test=bool(is_test),
            is_external=bool(external),
            sig_hash=sig_hash,
            body_hash=body_hash,
        )
    return found


def _uses(database: sqlite3.Connection) -> Iterator[Use]:
    query = (
        "SELECT e.kind, s.fqn, d.fqn, e.resolution, f.path, e.line, e.attrs FROM edges e "
        "JOIN nodes s ON s.id=e.src JOIN nodes d ON d.id=e.dst JOIN files f ON f.id=e.file_id "
        "WHERE e.kind!='contains' AND d.is_external=0 ORDER BY s.id, d.id, e.kind"
    )
    for kind, src, dst, resolution, path, line, attrs in database.execute(query):
        every = tuple(sorted({*_lines(attrs), *([line] if line else [])}))
        yield Use(kind, text(src), text(dst), resolution, os.fsdecode(path), every)


def _lines(attrs: str | None) -> list[int]:
    """Return the lines that an edge names beside its first."""
    told = json.loads(attrs) if attrs else {}
    lines = [*told.get("lines", ()), *(each["line"] for each in told.get("sites", ()))]
    return [each for each in lines if isinstance(each, int)]
