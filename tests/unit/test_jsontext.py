"""The strict JSON reader."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plan07 import jsontext
from plan07.errors import InputError

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=5),
        inner,
        max_size=4,
    ),
    max_leaves=12,
)  # fmt: skip


def fault(data: bytes) -> InputError:
    with pytest.raises(InputError) as caught:
        jsontext.parse(data, "x.json")
    return caught.value


@settings(max_examples=50, deadline=None)
@given(VALUES, st.booleans(), st.sampled_from([None, 2]))
def test_it_reads_what_json_writes(value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert jsontext.parse(text.encode(), "x.json") == value


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=30) | st.text('{}[]",:\\ unla0e-', max_size=20).map(str.encode))
def test_it_refuses_what_json_refuses_and_never_fails_otherwise(data: bytes) -> None:
    try:
        found = jsontext.parse(data, "x.json")
    except InputError as error:
        assert error.code == "JSON_INVALID"
        assert error.message.startswith("x.json")
    else:
        assert found == json.loads(data.decode())


def test_read_returns_the_value_and_a_name(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    path.write_text('{"a": 1}')
    assert jsontext.read(str(path)) == ({"a": 1}, str(path))


def test_read_takes_a_dash_for_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"a": "\xc3\xa9"}')))
    assert jsontext.read("-") == ({"a": "é"}, "standard input")


def test_read_reads_no_more_than_the_largest(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(jsontext, "LARGEST_BYTES", 8)
    path = tmp_path / "plan.json"
    path.write_text('{"a": 1}')
    assert jsontext.read(str(path))[0] == {"a": 1}
    path.write_text('{"a": 12}')
    with pytest.raises(InputError) as caught:
        jsontext.read(str(path))
    assert (caught.value.code, caught.value.detail["limit"]) == ("FILE_TOO_LARGE", 8)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": 1, "a": 2}', (1, 10)),
        ('{"a": {"b": 1, "b": 2}}', (1, 16)),
        ('[{"a": 1}, {"a": 1,\n"b": 2, "a": 3}]', (2, 9)),
        ('{"x": "\\"a\\": {", "a": 1,\n\n  "a": 2}', (3, 3)),
        ('{"\\u0061": 1, "a": 2}', (1, 15)),
    ],
)
def test_a_key_twice_is_placed(text: str, place: tuple[int, int]) -> None:
    error = fault(text.encode())
    assert (error.detail["line"], error.detail["column"]) == place
    assert error.fix == "remove one of the two"


def test_a_long_key_is_cut_in_the_message() -> None:
    error = fault(json.dumps({"k" * 500: 1}).replace("}", f', "{"k" * 500}": 2}}').encode())
    assert len(error.message) < 150


def test_the_same_key_in_two_objects_is_fine() -> None:
    assert jsontext.parse(b'[{"a": 1}, {"a": 2}]', "x") == [{"a": 1}, {"a": 2}]


def test_bytes_that_are_not_utf_8_are_placed_in_bytes() -> None:
    error = fault(b'{\n "\xc3\xa9": "\xff"}')
    assert (error.detail["line"], error.detail["column"]) == (2, 9)


@pytest.mark.parametrize(
    "value",
    [
        {"a": "x\0"},
        {"a": ["\ud800"]},
        {"\udfff": 1},
        {"a": ("ok", "\0")},
        [[[{"b": "\ud800\udc00"}]]],
    ],
    ids=["NUL", "high", "key", "tuple", "two halves"],
)
def test_check_texts_refuses_what_no_file_can_hold(value: Any) -> None:
    with pytest.raises(InputError) as caught:
        jsontext.check_texts(value, json.dumps(value).replace("\\ud800\\udc00", "\\ud800"), "x")
    assert caught.value.code == "JSON_INVALID"
    assert "holds a NUL or half a surrogate pair" in caught.value.message


@pytest.mark.parametrize("text", ["😀", "\\u0000", "\u0001", "\ufffe"])
def test_check_texts_accepts_the_rest(text: str) -> None:
    jsontext.check_texts({"a": text}, json.dumps({"a": text}), "x")
    assert jsontext.parse(json.dumps({"a": text}).encode(), "x") == {"a": text}
