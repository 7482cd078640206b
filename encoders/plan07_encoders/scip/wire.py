"""Reads the protobuf wire format: fields by number, nothing more.

A message is a sequence of fields, each a varint that holds number and type, then the value: a
varint, four or eight bytes, or a length and so many bytes. The reader walks slices of one buffer,
copies only texts, and knows for every fault the offset in the file.
"""

from __future__ import annotations

from collections.abc import Iterator

# Ten groups of seven bits hold every 64-bit number; an eleventh byte can only be a fault.
_LONGEST_VARINT = 10
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
# Field numbers have 29 bits.
_HIGHEST_FIELD = 2**29 - 1


class WireError(ValueError):
    """The bytes are not a message.

    Args:
        offset: where in the buffer, from 0.
        message: what is wrong there.
    """

    def __init__(self, offset: int, message: str) -> None:
        super().__init__(f"byte {offset}: {message}")
        self.offset = offset


class Span:
    """A part of the buffer that holds one message, text or packed list.

    Args:
        data: the whole buffer.
        start, end: the part, as offsets in bytes.
    """

    __slots__ = ("data", "end", "start")

    def __init__(self, data: bytes, start: int = 0, end: int | None = None) -> None:
        self.data = data
        self.start = start
        self.end = len(data) if end is None else end

    def text(self) -> str:
        """Return the bytes as UTF-8; what is none becomes the replacement character."""
        return self.data[self.start : self.end].decode("utf-8", "replace")

    def numbers(self) -> list[int]:
        """Return the bytes as a packed list of signed 32-bit numbers.

        Raises:
            WireError: a number is cut off or too long.
        """
        data, at, end = self.data, self.start, self.end
        found: list[int] = []
        while at < end:
            value = data[at]
            at += 1
            if value >= 128:
                value, at = _varint(data, at - 1, end)
            found.append(_signed(value))
        return found


def _signed(value: int) -> int:
    """Return a varint as the signed 32-bit number that it stands for."""
    value &= 0xFFFFFFFF
    return value - 0x100000000 if value & 0x80000000 else value


def _varint(data: bytes, at: int, end: int) -> tuple[int, int]:
    value = shift = 0
    for place in range(at, min(at + _LONGEST_VARINT, end)):
        byte = data[place]
        value |= (byte & 0x7F) << shift
        if byte < 128:
            return value, place + 1
        shift += 7
    raise WireError(at, "a number is cut off" if at + _LONGEST_VARINT > end else "it has no end")


def fields(span: Span) -> Iterator[tuple[int, int | Span]]:
    """Yield (field number, value) of a message in the order of the file.

    Args:
        span: the message.

    Yields:
        Varints and fixed numbers as unsigned integers, everything else as a `Span`.

    Raises:
        WireError: a field is cut off, longer than the message, or of a type that no longer exists.
    """
    data, at, end = span.data, span.start, span.end
    while at < end:
        begin = at
        key = data[at]
        at += 1
        if key >= 128:
            key, at = _varint(data, begin, end)
        number, kind = key >> 3, key & 7
        if not 0 < number <= _HIGHEST_FIELD:
            raise WireError(begin, f"there is no field {number}")
        if kind in (_VARINT, _BYTES):
            if at < end and data[at] < 128:
                value, at = data[at], at + 1
            else:
                value, at = _varint(data, at, end)
            if kind == _VARINT:
                yield number, value
                continue
            if value > end - at:
                message = f"field {number} has {value} bytes, of which {end - at} are there"
                raise WireError(begin, message)
            yield number, Span(data, at, at + value)
            at += value
        elif kind in (_FIXED64, _FIXED32):
            size = 8 if kind == _FIXED64 else 4
            if size > end - at:
                raise WireError(begin, f"field {number} is cut off")
            yield number, int.from_bytes(data[at : at + size], "little")
            at += size
        else:
            raise WireError(begin, f"field {number} has type {kind}, which nobody writes")
