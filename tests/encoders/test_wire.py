"""The wire format of protobuf: what is read, and what a hostile file cannot do."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plan07_encoders.scip.wire import Span, WireError, fields
from scipfile import packed, tagged, varint


def plain(data: bytes) -> list[tuple[int, int | bytes]]:
    """Return the fields of a message, spans as their bytes."""
    return [
        (number, value if isinstance(value, int) else value.data[value.start : value.end])
        for number, value in fields(Span(data))
    ]


def test_every_type_of_field() -> None:
    data = (
        tagged(1, 300)
        + tagged(2, "text")
        + varint(3 << 3 | 5)
        + (7).to_bytes(4, "little")
        + varint(4 << 3 | 1)
        + (1 << 40).to_bytes(8, "little")
        + tagged(2000, b"")
    )
    assert plain(data) == [(1, 300), (2, b"text"), (3, 7), (4, 1 << 40), (2000, b"")]


@given(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=8))
@settings(max_examples=50, deadline=None)
def test_packed_numbers_come_back(numbers: list[int]) -> None:
    assert Span(packed(numbers)).numbers() == numbers


@given(
    st.lists(
        st.tuples(
            st.integers(1, 2**29 - 1), st.one_of(st.integers(0, 2**64 - 1), st.binary(max_size=9))
        ),
        max_size=6,
    )
)
@settings(max_examples=50, deadline=None)
def test_a_message_comes_back(message: list[tuple[int, int | bytes]]) -> None:
    assert plain(b"".join(tagged(*each) for each in message)) == message


@pytest.mark.parametrize(
    ("data", "offset", "said"),
    [
        (b"\x08", 1, "a number is cut off"),
        (b"\x08\x80\x80", 1, "a number is cut off"),
        (b"\x08" + b"\x80" * 11, 1, "it has no end"),
        (b"\x12\x05abc", 0, "field 2 has 5 bytes, of which 3 are there"),
        (b"\x12" + varint(2**63) + b"abc", 0, f"field 2 has {2**63} bytes, of which 3 are there"),
        (b"\x12", 1, "a number is cut off"),
        (b"\x0d\x01\x02", 0, "field 1 is cut off"),
        (b"\x09\x01\x02", 0, "field 1 is cut off"),
        (b"\x00\x01", 0, "there is no field 0"),
        (varint(2**29 << 3) + b"\x01", 0, f"there is no field {2**29}"),
        (b"\x0b", 0, "field 1 has type 3, which nobody writes"),
        (b"\x0f", 0, "field 1 has type 7, which nobody writes"),
    ],
    ids=[
        *("no-value", "cut-varint", "endless-varint", "too-short", "huge-length", "no-length"),
        *("cut-fixed32", "cut-fixed64", "field-0", "field-too-high", "group", "type-7"),
    ],
)
def test_what_is_no_message(data: bytes, offset: int, said: str) -> None:
    with pytest.raises(WireError) as caught:
        list(fields(Span(data)))
    assert (caught.value.offset, str(caught.value)) == (offset, f"byte {offset}: {said}")


def test_offsets_are_those_of_the_file_not_of_the_message() -> None:
    data = tagged(1, "abc") + tagged(2, b"\x08\x80")
    (_, _), (_, inner) = fields(Span(data))
    assert isinstance(inner, Span)
    with pytest.raises(WireError) as caught:
        list(fields(inner))
    assert caught.value.offset == len(data) - 1


def test_a_cut_number_in_a_packed_list() -> None:
    with pytest.raises(WireError):
        Span(b"\x01\x80").numbers()


def test_bytes_that_are_not_utf_8_are_replaced() -> None:
    assert Span(b"a\xffb").text() == "a\ufffdb"
