"""Writes SCIP indexes: an encoder of the wire format that shares nothing with the reader."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

DEFINITION, IMPORT, WRITE = 1, 2, 4


def varint(number: int) -> bytes:
    out = bytearray()
    number &= (1 << 64) - 1
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def tagged(field: int, value: int | str | bytes) -> bytes:
    """Return a field: a number as a varint, everything else with its length."""
    if isinstance(value, int):
        return varint(field << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(data)) + data


def packed(numbers: Iterable[int]) -> bytes:
    return b"".join(varint(number) for number in numbers)


def occurrence(
    place: Sequence[int], symbol: str, roles: int = 0, enclosing: Sequence[int] = ()
) -> bytes:
    """Return an occurrence; places are from 0, as the format has them."""
    data = tagged(1, packed(place)) + tagged(2, symbol) + tagged(3, roles)
    return data + (tagged(7, packed(enclosing)) if enclosing else b"")


def typed(place: Sequence[int], symbol: str, roles: int, enclosing: Sequence[int] = ()) -> bytes:
    """Return an occurrence with ranges as messages, as newer indexers write them."""
    data = _typed((8, 9), place) + tagged(2, symbol) + tagged(3, roles)
    return data + (_typed((10, 11), enclosing) if enclosing else b"")


def _typed(fields: tuple[int, int], place: Sequence[int]) -> bytes:
    message = b"".join(tagged(at, number) for at, number in enumerate(place, 1) if number)
    return tagged(fields[len(place) == 4], message)


def information(
    symbol: str, *, kind: int = 0, code: str = "", implements: Sequence[str] = ()
) -> bytes:
    data = tagged(1, symbol)
    if code:
        data += tagged(3, f"```ts\n{code}\n```") + tagged(3, "More.")
    for other in implements:
        data += tagged(4, tagged(1, other) + tagged(3, 1))
    return data + (tagged(5, kind) if kind else b"")


def document(
    path: str,
    occurrences: Sequence[bytes],
    symbols: Sequence[bytes] = (),
    *,
    language: str = "",
    encoding: int = 0,
    text: str = "",
) -> bytes:
    data = tagged(1, path) + (tagged(4, language) if language else b"")
    data += b"".join(tagged(2, each) for each in occurrences)
    data += b"".join(tagged(3, each) for each in symbols)
    data += tagged(5, text) if text else b""
    return data + (tagged(6, encoding) if encoding else b"")


def index(documents: Sequence[bytes], tool: str = "test", root: str = "file:///nowhere") -> bytes:
    said = tagged(2, tagged(1, tool) + tagged(2, "1.0")) + tagged(3, root)
    return tagged(1, said) + b"".join(tagged(2, each) for each in documents)


def write(root: Path, data: bytes) -> Path:
    place = root / "index.scip"
    place.write_bytes(data)
    return place
