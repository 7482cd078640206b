"""The messages of an `index.scip` as records, one document at a time.

Field numbers are those of the format's schema; unknown fields are passed over, as the wire format
wants. An index of hundreds of megabytes is never held decoded as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from plan07_encoders.scip.wire import Span, WireError, fields

DEFINITION, IMPORT, WRITE, TEST, FORWARD = 0x1, 0x2, 0x4, 0x20, 0x40

_LONGEST_SIGNATURE = 1000

# (start line, start character, end line, end character), from 0; the end is outside.
Range = tuple[int, int, int, int]


class Tool(NamedTuple):
    """Who made the index.

    Args:
        name, version: of the indexer, "" where it does not say.
        root: the URI of the directory that paths are relative to.
    """

    name: str
    version: str
    root: str


class Occurrence(NamedTuple):
    """A symbol stands somewhere.

    Args:
        range: where.
        symbol: its name in the grammar of the format.
        roles: a sum of `DEFINITION`, `IMPORT`, …
        enclosing: of a definition, everything that it spans; None where the index does not say.
    """

    range: Range
    symbol: str
    roles: int
    enclosing: Range | None


class Relation(NamedTuple):
    """How a symbol relates to another.

    Args:
        symbol: the other.
        implements: the symbol inherits from it, implements or overrides it.
    """

    symbol: str
    implements: bool


class Information(NamedTuple):
    """What the index says of a symbol.

    Args:
        symbol: its name.
        kind: a number of the format's `Kind`; 0 where the indexer does not say.
        name: as it is to be shown.
        signature: one line of code, "" where there is none.
        relations: to other symbols.
    """

    symbol: str
    kind: int
    name: str
    signature: str
    relations: tuple[Relation, ...]


class Document(NamedTuple):
    """A source file.

    Args:
        path: relative to the root of the index.
        language: as the indexer names it, or "".
        encoding: what columns count; 0 unknown, 1 bytes, 2 UTF-16 units, 3 code points.
        text: the file, where the index carries it.
        occurrences: of symbols, in the order of the index.
        information: of the symbols that it defines.
    """

    path: str
    language: str
    encoding: int
    text: str
    occurrences: tuple[Occurrence, ...]
    information: tuple[Information, ...]


class Outline(NamedTuple):
    """What a source file defines, without where.

    Args:
        path: relative to the root of the index.
        defined: symbols, once for each definition.
        information: of them.
    """

    path: str
    defined: tuple[str, ...]
    information: tuple[Information, ...]


def tool(data: bytes) -> Tool:
    """Return who made an index.

    Raises:
        WireError: the bytes are no index.
    """
    name = version = root = ""
    for number, value in fields(Span(data)):
        if number == 1 and isinstance(value, Span):
            for inner, part in fields(value):
                if inner == 2 and isinstance(part, Span):
                    said = {key: each.text() for key, each in _spans(part)}
                    name, version = said.get(1, ""), said.get(2, "")
                elif inner == 3 and isinstance(part, Span):
                    root = part.text()
            break
    return Tool(name, version, root)


def documents(data: bytes) -> Iterator[Document]:
    """Yield the documents of an index in the order of the file.

    Raises:
        WireError: the bytes are no index; it names the offset.
    """
    for span in _documents(data):
        yield _document(span)


def outlines(data: bytes) -> Iterator[Outline]:
    """Yield what the documents of an index define, in the order of the file.

    Most occurrences are uses, and of these nothing but the kind is looked at.

    Raises:
        WireError: the bytes are no index; it names the offset.
    """
    for span in _documents(data):
        path = ""
        defined: list[str] = []
        information: list[Information] = []
        for number, value in _spans(span):
            if number == 2:
                symbol = _defined(value)
                if symbol:
                    defined.append(symbol)
            elif number == 3:
                information.append(_information(value))
            elif number == 1:
                path = value.text()
        yield Outline(path, tuple(defined), tuple(information))


def _documents(data: bytes) -> Iterator[Span]:
    for number, value in fields(Span(data)):
        if number == 2 and isinstance(value, Span):
            yield value
        elif not 0 < number < 16:
            raise WireError(0, f"it has a field {number}; it is no index")


def _defined(span: Span) -> str:
    """Return the symbol of an occurrence that defines it, "" of any other."""
    symbol: Span | None = None
    roles = 0
    for number, value in fields(span):
        if number == 2 and isinstance(value, Span):
            symbol = value
        elif number == 3 and isinstance(value, int):
            roles = value
    is_definition = roles & DEFINITION and not roles & FORWARD
    return symbol.text() if symbol is not None and is_definition else ""


def _spans(span: Span) -> Iterator[tuple[int, Span]]:
    for number, value in fields(span):
        if isinstance(value, Span):
            yield number, value


def _document(span: Span) -> Document:
    path = language = text = ""
    encoding = 0
    occurrences: list[Occurrence] = []
    information: list[Information] = []
    for number, value in fields(span):
        if isinstance(value, int):
            if number == 6:
                encoding = value
        elif number == 2:
            found = _occurrence(value)
            if found is not None:
                occurrences.append(found)
        elif number == 3:
            information.append(_information(value))
        elif number == 1:
            path = value.text()
        elif number == 4:
            language = value.text()
        elif number == 5:
            text = value.text()
    return Document(path, language, encoding, text, tuple(occurrences), tuple(information))


def _occurrence(span: Span) -> Occurrence | None:
    """Return an occurrence, None where it has no place or no symbol: mere highlighting."""
    place: list[int] = []
    around: list[int] = []
    symbol = ""
    roles = 0
    for number, value in fields(span):
        if isinstance(value, int):
            # A list may also come as one field for each number.
            if number == 1:
                place.append(value)
            elif number == 3:
                roles = value
            elif number == 7:
                around.append(value)
        elif number == 1:
            place += value.numbers()
        elif number == 2:
            symbol = value.text()
        elif number == 7:
            around += value.numbers()
        elif number in (8, 9):
            place = _typed(value, 3 if number == 8 else 4)
        elif number in (10, 11):
            around = _typed(value, 3 if number == 10 else 4)
    where = _range(place)
    if where is None or not symbol:
        return None
    return Occurrence(where, symbol, roles, _range(around))


def _typed(span: Span, size: int) -> list[int]:
    """Return a range that comes as a message; numbers that are 0 may be left out."""
    found = [0] * size
    for number, value in fields(span):
        if isinstance(value, int) and 0 < number <= size:
            found[number - 1] = value
    return found


def _range(numbers: list[int]) -> Range | None:
    if len(numbers) == 3:
        numbers = [numbers[0], numbers[1], numbers[0], numbers[2]]
    if len(numbers) != 4 or min(numbers) < 0 or numbers[:2] > numbers[2:]:
        return None
    return numbers[0], numbers[1], numbers[2], numbers[3]


def _information(span: Span) -> Information:
    symbol = name = signature = fenced = ""
    kind = 0
    relations: list[Relation] = []
    for number, value in fields(span):
        if isinstance(value, int):
            if number == 5:
                kind = value
        elif number == 1:
            symbol = value.text()
        elif number == 3 and not fenced:
            fenced = value.text()
        elif number == 4:
            relations.append(_relation(value))
        elif number == 6:
            name = value.text()
        elif number == 7:
            signature = next((each.text() for inner, each in _spans(value) if inner == 5), "")
    return Information(symbol, kind, name, signature or _code(fenced), tuple(relations))


def _code(documentation: str) -> str:
    """Return the code block that documentation opens with as one line, else nothing."""
    if not documentation.startswith("```"):
        return ""
    block = documentation.partition("\n")[2].partition("```")[0]
    return " ".join(block.split())[:_LONGEST_SIGNATURE]


def _relation(span: Span) -> Relation:
    symbol = ""
    implements = False
    for number, value in fields(span):
        if number == 1 and isinstance(value, Span):
            symbol = value.text()
        elif number == 3:
            implements = value != 0
    return Relation(symbol, implements)
