"""What one document of an index contributes: its entities, and what they depend on."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from plan07.recon import AliasRow, EdgeRow, FileRow, NodeRow, Part
from plan07_encoders.scip import definitions as defined
from plan07_encoders.scip.definitions import SOURCE, Definition
from plan07_encoders.scip.index import DEFINITION, Document, Occurrence
from plan07_encoders.scip.names import Names, parsed
from plan07_encoders.scip.sourcetext import Cut, Text
from plan07_encoders.scip.symbols import Symbol, steps
from plan07_encoders.scip.uses import by_receiver, edge_kind, is_declared

LARGEST_TEXT = 16 * 1024**2
# A use that goes by the declared type of its receiver may be another's at run time.
_EXACT, _TYPED = ("exact", 1.0), ("typed", 0.95)
_HEURISTIC, _AMBIGUOUS = ("heuristic", 0.5), ("ambiguous", 0.3)
# What the report of a build calls them.
_COUNTED = {
    "exact": "calls exact",
    "typed": "calls typed",
    "heuristic": "calls guessed",
    "ambiguous": "calls guessed",
}
_MOST_LINES = 50
_FILES = ("module", "package")
_BASE = re.compile(r"\bclass\s+\w+\s*\(")
_HAS_NAME = re.compile(r"\w")


class Faults:
    """What is wrong with documents, gathered while they are read.

    Args:
        stale, flat, unreadable: paths.
        symbols: texts that are no symbols.
    """

    def __init__(self) -> None:
        self.stale: list[str] = []
        self.flat: list[str] = []
        self.unreadable: list[str] = []
        self.symbols: list[str] = []


class _Use(NamedTuple):
    """Where an edge shows, how often, and how sure it is."""

    lines: tuple[int, ...]
    times: int
    tier: tuple[str, float]


class Reading:
    """Reads documents one after the other.

    Args:
        root: of the repository.
        files: of the repository, by path.
        names: of all definitions of the index.
        doubtful: the indexer is known to bind wrongly.
        faults: where to note what is wrong.
    """

    def __init__(
        self,
        root: str,
        files: Mapping[str, FileRow],
        names: Names,
        doubtful: bool,
        faults: Faults,
    ) -> None:
        self._root = root
        self._files = files
        self._names = names
        self._doubtful = doubtful
        self._faults = faults
        self._named: set[str] = set()

    def part(self, file: FileRow, document: Document) -> Part:
        """Return what a document contributes."""
        text = self._text(file.path, document)
        found = list(defined.definitions(document, self._names))
        self._faults.symbols += defined.malformed(document, self._names)
        nodes = list(self._nodes(file, document, found, text))
        tier = _HEURISTIC if self._doubtful else _EXACT
        edges = [*_nesting(nodes), *defined.relations(found, file.path, self._names, tier)]
        if text is not None and defined.stale(found, text):
            self._faults.stale.append(file.path)
        elif text is not None:
            whole = next((each.fqn for each in found if self._is_file(each)), file.path)
            uses = self._uses(file, document, found, whole, text)
            edges += [_edge(key, file.path, use) for key, use in uses.items()]
            if whole == file.path and any(key[0] == whole for key in uses):
                is_test = file.role == "test"
                name = defined.last_name(whole)
                nodes.append(NodeRow(whole, "module", name, whole, 1, is_test=is_test))
        aliases = [
            AliasRow(f"{each.src}.{defined.last_name(each.dst)}", each.dst, "reexport")
            for each in edges
            if each.kind == "reexports"
        ]
        row = file._replace(lang=file.lang or document.language.lower() or None, parsed=True)
        counts = Counter(dict.fromkeys(_COUNTED.values(), 0))
        for each in edges:
            if each.kind == "calls":
                counts[_COUNTED[each.resolution]] += each.times
        counts["calls open"] += counts["calls guessed"]
        return Part((row,), tuple(nodes), tuple(edges), aliases=tuple(aliases), counts=counts)

    def _text(self, path: str, document: Document) -> Text | None:
        if document.text:
            return Text(document.text, document.encoding)
        try:
            with open(os.path.join(self._root, path), "rb") as stream:
                data = stream.read(LARGEST_TEXT + 1)
        except OSError:
            data = b""
        if not data or len(data) > LARGEST_TEXT:
            self._faults.unreadable.append(path)
            return None
        return Text(data.decode("utf-8", "replace"), document.encoding)

    def _is_file(self, definition: Definition) -> bool:
        return self._names.kinds[definition.fqn] in _FILES

    def _nodes(
        self, file: FileRow, document: Document, found: Sequence[Definition], text: Text | None
    ) -> Iterator[NodeRow]:
        said = {each.symbol: each for each in document.information}
        parameters = defined.parameters(document)
        for each in found:
            if each.fqn not in self._named:
                self._named.add(each.fqn)
                information = said.get(each.occurrence.symbol)
                yield defined.node(each, file, self._names, information, parameters, text)

    def _uses(
        self,
        file: FileRow,
        document: Document,
        found: Sequence[Definition],
        whole: str,
        text: Text,
    ) -> dict[tuple[str, str, str], _Use]:
        """Return the uses of a document by (dependent, kind, dependency)."""
        spans = [each for each in found if each.occurrence.enclosing and each.fqn != whole]
        if not spans and any(self._names.kinds[each.fqn] in defined.FUNCTIONS for each in found):
            self._faults.flat.append(file.path)
        uses: dict[tuple[str, str, str], _Use] = {}
        owners = _Owners(spans)
        for each in sorted(document.occurrences, key=lambda each: each.range):
            target = None if each.roles & DEFINITION else self._target(each.symbol)
            if target is None:
                continue
            owner = owners.at(each.range[:2])
            source = whole if owner is None else owner.fqn
            for kind, dst, tier in self._meanings(each, *target, owner, text):
                for key in self._keys(file, source, kind, dst):
                    before = uses.get(key, _Use((), 0, tier))
                    surest = max(before.tier, tier, key=lambda each: each[1])
                    lines = before.lines
                    if len(lines) < _MOST_LINES and each.range[0] + 1 not in lines[-1:]:
                        lines = (*lines, each.range[0] + 1)
                    uses[key] = _Use(lines, before.times + 1, surest)
        return uses

    def _target(self, text: str) -> tuple[Symbol, str] | None:
        """Return what a reference leads to, if it lies in the repository and has a name there."""
        fqn = self._names.fqns.get(text)
        if fqn is not None:
            return self._names.symbols[text], fqn
        symbol = parsed(text) if self._doubtful else None
        if symbol is None or symbol.is_part:
            return None
        # It names what tests import without the source root that definitions carry.
        fqn = ".".join(steps(symbol))
        return (symbol, fqn) if fqn in self._names.kinds else None

    def _meanings(
        self, reference: Occurrence, symbol: Symbol, fqn: str, owner: Definition | None, text: Text
    ) -> Iterator[tuple[str, str, tuple[str, float]]]:
        """Yield (edge kind, dependency, (resolution, confidence)) of a reference."""
        line, start, end_line, end = reference.range
        cut = text.cut(line, start, end if end_line == line else start, (symbol.last.name,))
        if cut is None or not _HAS_NAME.search(cut.word) or is_declared(cut):
            return
        kind = self._names.kinds[fqn]
        used = edge_kind(cut, text.statement(line), reference.roles, kind, owner is None)
        if owner is not None and line == owner.occurrence.range[0]:
            if fqn in self._names.bases.get(owner.fqn, ()):
                return
            if owner.occurrence.symbol in self._names.bare and _BASE.search(cut.before):
                used = "inherits"
        tier = self._tier(reference.symbol, owner, cut, kind)
        if symbol.is_constructor and used == "calls" and not cut.before.rstrip().endswith("."):
            built = defined.parent(symbol, self._names)
            if built is not None:
                yield "instantiates", built, tier
        yield used, fqn, tier

    def _tier(
        self, symbol: str, owner: Definition | None, cut: Cut, kind: str
    ) -> tuple[str, float]:
        if self._doubtful:
            sides = {symbol, "" if owner is None else owner.occurrence.symbol}
            return _AMBIGUOUS if sides & self._names.repeated else _HEURISTIC
        return _TYPED if by_receiver(cut, kind) else _EXACT

    def _keys(
        self, file: FileRow, source: str, kind: str, dst: str
    ) -> Iterator[tuple[str, str, str]]:
        if source == dst and kind != "calls":
            return
        yield source, kind, dst
        if file.role == "test" and kind in ("calls", "instantiates"):
            tested = self._files.get(self._names.paths[dst])
            if tested is not None and tested.role != "test":
                yield source, "tests", dst


def _nesting(nodes: Iterable[NodeRow]) -> Iterator[EdgeRow]:
    for each in nodes:
        if each.parent is not None:
            yield EdgeRow(each.parent, "contains", each.fqn, each.path, each.line, source=SOURCE)


def _edge(key: tuple[str, str, str], path: str, use: _Use) -> EdgeRow:
    attrs = json.dumps({"lines": use.lines}) if len(use.lines) > 1 else None
    return EdgeRow(*key, path, min(use.lines), use.times, *use.tier, SOURCE, attrs)


class _Owners:
    """Finds the innermost definition around places that are asked for in their order.

    Args:
        definitions: each with a range that it spans.
    """

    def __init__(self, definitions: Sequence[Definition]) -> None:
        spans = [(each.occurrence.enclosing or each.occurrence.range, each) for each in definitions]
        # Of two that begin together, the outer one first.
        spans.sort(key=lambda each: (each[0][:2], -each[0][2], -each[0][3]))
        self._spans = spans
        self._next = 0
        self._open: list[tuple[tuple[int, int], Definition]] = []

    def at(self, place: tuple[int, int]) -> Definition | None:
        """Return the definition around a place, None if only the file is."""
        while self._next < len(self._spans) and self._spans[self._next][0][:2] <= place:
            span, definition = self._spans[self._next]
            self._close(span[:2])
            self._open.append((span[2:], definition))
            self._next += 1
        self._close(place)
        return self._open[-1][1] if self._open else None

    def _close(self, place: tuple[int, int]) -> None:
        while self._open and self._open[-1][0] <= place:
            self._open.pop()
