"""What a document defines: the entities of an index, and what they inherit from."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from plan07.recon import EdgeRow, FileRow, NodeRow
from plan07_encoders.scip.index import DEFINITION, FORWARD, TEST, Document, Information, Occurrence
from plan07_encoders.scip.names import MODULE, Names, parsed
from plan07_encoders.scip.sourcetext import Text
from plan07_encoders.scip.symbols import PARAMETER, Symbol
from plan07_encoders.scip.uses import TYPES

SOURCE = "scip"
FUNCTIONS = ("function", "method")
_INTERFACES = ("interface", "trait")
_FLAGS = ("async", "static", "abstract")
_SEPARATORS = re.compile(r"[.:/]+")
_WORDS = re.compile(r"\w+")
_PLAIN_NAME = re.compile(r"\w+")
_TYPE = re.compile(r"\(parameter\)\s*[\w?.]+\s*:\s*(.+)$")


class Definition(NamedTuple):
    """A definition that can be seen outside its document.

    Args:
        occurrence: where it stands.
        symbol: of the occurrence, parsed.
        fqn: its qualified name.
    """

    occurrence: Occurrence
    symbol: Symbol
    fqn: str


def definitions(document: Document, names: Names) -> Iterator[Definition]:
    """Yield what a document defines, in the order of the index."""
    for each in document.occurrences:
        if each.roles & DEFINITION and not each.roles & FORWARD:
            fqn = names.fqns.get(each.symbol)
            if fqn is not None:
                yield Definition(each, names.symbols[each.symbol], fqn)


def malformed(document: Document, names: Names) -> list[str]:
    """Return the symbols of a document that are not of the grammar."""
    unknown = (each.symbol for each in document.occurrences if each.symbol not in names.fqns)
    return [text for text in unknown if not text.startswith("local ") and parsed(text) is None]


def parent(symbol: Symbol, names: Names) -> str | None:
    """Return what a definition lies in: the nearest of its descriptors that is defined."""
    for end in range(len(symbol.path) - 1, 0, -1):
        outer = symbol.path[:end]
        for path in (outer, (*outer, MODULE)):
            fqn = names.of.get(Symbol(symbol.package, path))
            if fqn is not None and path != symbol.path:
                return fqn
    return None


def node(
    definition: Definition,
    file: FileRow,
    names: Names,
    information: Information | None,
    parameters: Mapping[str, str],
    text: Text | None,
) -> NodeRow:
    """Return a definition as an entity.

    Args:
        definition: of the document.
        file: the document.
        names: of all definitions of the index.
        information: what the index says of it.
        parameters: of the functions of the document, by symbol.
        text: the file, if it can be read.
    """
    occurrence, symbol, fqn = definition
    kind = names.kinds[fqn]
    line, _, end_line, end = occurrence.enclosing or occurrence.range
    name = last_name(fqn)
    is_function = kind in FUNCTIONS
    is_test = file.role == "test" and (
        kind == "module" or bool(occurrence.roles & TEST) or name.lower().startswith("test")
    )
    return NodeRow(
        fqn,
        kind,
        name,
        file.path,
        line + 1,
        # A range that ends before the first character of a line ends on the line before.
        max(line + 1, end_line + 1 if end else end_line),
        parent(symbol, names),
        _signature(information, name) if is_function else None,
        parameters.get(occurrence.symbol, "[]") if is_function else None,
        flags=_flags(occurrence, text),
        is_test=is_test,
        scip=occurrence.symbol,
    )


def last_name(fqn: str) -> str:
    """Return the last part of a qualified name.

    >>> last_name("github.com/shop/cart.Cart")
    'Cart'
    """
    return _SEPARATORS.split(fqn)[-1]


def relations(
    found: Sequence[Definition], path: str, names: Names, tier: tuple[str, float]
) -> Iterator[EdgeRow]:
    """Yield what the definitions of a document inherit from, implement or override."""
    for fqn, first in {each.fqn: each for each in reversed(found)}.items():
        own = names.kinds[fqn]
        for base in names.bases.get(fqn, ()):
            kind = "overrides"
            if own in TYPES:
                to_interface = names.kinds[base] in _INTERFACES
                kind = "implements" if to_interface and own not in _INTERFACES else "inherits"
            line = first.occurrence.range[0] + 1
            yield EdgeRow(fqn, kind, base, path, line, 1, *tier, SOURCE)


def stale(found: Sequence[Definition], text: Text) -> bool:
    """Whether names no longer stand where the index says, more often than oddities explain."""
    checked = missed = 0
    for each in found:
        line, start, end_line, end = each.occurrence.range
        name = each.symbol.last.name
        if line == end_line and start != end and _PLAIN_NAME.fullmatch(name):
            checked += 1
            cut = text.cut(line, start, end, (name,))
            missed += cut is None or cut.word.strip("'\"`") != name
    return missed * 4 > checked


def parameters(document: Document) -> dict[str, str]:
    """Return the parameters of the functions of a document, as JSON, by the function's symbol."""
    said = {each.symbol: each for each in document.information}
    found: dict[str, list[dict[str, str | None]]] = {}
    seen: set[str] = set()
    for each in document.occurrences:
        symbol = parsed(each.symbol) if each.roles & DEFINITION else None
        if symbol is None or symbol.last.suffix != PARAMETER or each.symbol in seen:
            continue
        seen.add(each.symbol)
        name = symbol.last.name
        function = each.symbol.removesuffix(f"({name})").removesuffix(f"(`{name}`)")
        information = said.get(each.symbol)
        typed = _TYPE.match(information.signature) if information else None
        record = {
            "name": name,
            "kind": "positional_or_keyword",
            "type": typed[1].strip() if typed else None,
            "default": None,
        }
        found.setdefault(function, []).append(record)
    return {function: json.dumps(records) for function, records in found.items()}


def _signature(information: Information | None, name: str) -> str | None:
    """Return a signature without what stands before the parameters."""
    if information is None or not information.signature:
        return None
    line = information.signature
    for opening in "(<":
        at = line.find(name + opening)
        if at >= 0:
            return line[at + len(name) :]
    return line


def _flags(occurrence: Occurrence, text: Text | None) -> tuple[str, ...]:
    line, start, _, _ = occurrence.range
    cut = text.cut(line, start, start, ()) if text else None
    words = set(_WORDS.findall(cut.before)) if cut else set()
    exported = ("exported",) if "export" in words else ()
    return (*(flag for flag in _FLAGS if flag in words), *exported)
