"""Reads JSON the strict way and says where it is wrong.

Python's reader accepts duplicate keys, NaN and infinities, and silently keeps the last of two
keys; a plan that comes from a model must not be read that loosely.
"""

from __future__ import annotations

import json
import re
import sys
from contextlib import AbstractContextManager, nullcontext
from typing import Any, BinaryIO, NoReturn

from plan07.errors import InputError

# A 10,000-obligation plan with evidence takes about 10 MB.
LARGEST_BYTES = 32 * 1024 * 1024

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]', re.S)
# A NUL, or half of a surrogate pair, as JSON escapes them; whole pairs are looked at more closely.
_UNWRITABLE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_PHASE = "read"
_TOO_LARGE = "re-scope the request into smaller plans"


class _Duplicate(ValueError):
    pass


class _Constant(ValueError):
    pass


def read(path: str) -> tuple[Any, str]:
    """Return the value in a JSON file, and the name to use for the file in messages.

    Args:
        path: the file, or "-" for standard input.

    Raises:
        InputError: it cannot be opened, is too large, or is not JSON.
    """
    name = "standard input" if path == "-" else path
    return parse(content(path, name), name), name


def parse(data: bytes, name: str) -> Any:
    """Return the value of a JSON text in UTF-8.

    Raises:
        InputError: with line and column, from 1.
    """
    if data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        _fail("it starts with a byte order mark", "save it as UTF-8 without one", name)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        _fail("it is not UTF-8", "save it as UTF-8", name, line, column)
    if not text.strip():
        _fail("it is empty", 'give a plan: {"obligations": [...]}', name, 1, 1)
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except json.JSONDecodeError as error:
        _fail(
            error.msg[:1].lower() + error.msg[1:], "mend the JSON", name, error.lineno, error.colno
        )
    except _Duplicate as error:
        key = str(error)
        message = f"the key {json.dumps(key)[:80]} stands twice in one object"
        _fail(message, "remove one of the two", name, *_place_of_duplicate(text))
    except _Constant as error:
        place = _place_of_word(text, str(error))
        _fail(f"{error} is not a JSON number", "use a number from 0 to 1", name, *place)
    except RecursionError:
        _fail("it is nested too deeply", "a plan nests five levels at most", name)
    except ValueError as error:
        _fail(f"a number is too long ({error})"[:120], "use numbers from 0 to 1", name)
    check_texts(value, text, name)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _Duplicate(key)
            seen.add(key)
    return found


def _constant(name: str) -> NoReturn:
    raise _Constant(name)


def check_texts(value: Any, text: str, name: str) -> None:
    """Refuse strings that no file can hold: a NUL, or half of a surrogate pair.

    Args:
        value: the document.
        text: the same as JSON, where such characters show as escapes.
        name: how messages call it.

    Raises:
        InputError: names the place.
    """
    if _UNWRITABLE.search(text):
        _look_into(value, name)


def _look_into(value: Any, name: str) -> None:
    todo: list[tuple[str, Any]] = [("", value)]
    while todo:
        place, each = todo.pop()
        if isinstance(each, str):
            if "\0" in each or any("\ud800" <= char <= "\udfff" for char in each):
                where = f" at {place}" if place else ""
                _fail(
                    f"a text{where} holds a NUL or half a surrogate pair: {json.dumps(each)[:80]}",
                    "remove the character",
                    name,
                )
        elif isinstance(each, dict):
            todo += [(f"{place}.{key}".lstrip("."), item) for key, item in each.items()]
            todo += [(place, key) for key in each]
        elif isinstance(each, list | tuple):
            todo += [(f"{place}[{index}]", item) for index, item in enumerate(each)]


def content(path: str, name: str, most: int | None = None, fix: str = _TOO_LARGE) -> bytes:
    """Return what is in a file.

    Args:
        path: the file, or "-" for standard input.
        name: how messages call it.
        most: bytes that it may have, `LARGEST_BYTES` by default.
        fix: what to do about one that has more.

    Raises:
        InputError: it cannot be opened, or is too large.
    """
    most = LARGEST_BYTES if most is None else most
    try:
        with _opened(path) as stream:
            data = stream.read(most + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it cannot be opened"
        raise InputError(
            "FILE_UNREADABLE",
            f"{name} cannot be read: {reason.lower()}",
            "name a readable file, or - for standard input",
            phase=_PHASE,
            detail={"path": path},
        ) from error
    if len(data) > most:
        raise InputError(
            "FILE_TOO_LARGE",
            f"{name} is larger than {most} bytes",
            fix,
            phase=_PHASE,
            detail={"path": path, "limit": most},
        )
    return data


def _opened(path: str) -> AbstractContextManager[BinaryIO]:
    if path != "-":
        return open(path, "rb")
    if sys.stdin is None:
        raise OSError(9, "it is closed")
    return nullcontext(sys.stdin.buffer)


def _place(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def _place_of_duplicate(text: str) -> tuple[int | None, int | None]:
    keys: list[set[str]] = []
    opened: list[str] = []
    previous = None
    for token in _TOKEN.finditer(text):
        symbol = token.group()
        if symbol in "{[":
            opened.append(symbol)
            keys.append(set())
        elif symbol in "}]":
            opened.pop()
            keys.pop()
        elif symbol == ":" and previous is not None and opened[-1:] == ["{"]:
            key = json.loads(previous.group(), strict=False)
            if key in keys[-1]:
                return _place(text, previous.start())
            keys[-1].add(key)
        previous = token
    return None, None


def _place_of_word(text: str, word: str) -> tuple[int | None, int | None]:
    for found in re.finditer(rf'"(?:[^"\\]|\\.)*"|{re.escape(word)}', text, re.S):
        if found.group() == word:
            return _place(text, found.start())
    return None, None


def _fail(
    message: str, fix: str, name: str, line: int | None = None, column: int | None = None
) -> NoReturn:
    where = f"{name}:{line}:{column}" if line else name
    raise InputError(
        "JSON_INVALID",
        f"{where}: {message}",
        fix,
        phase=_PHASE,
        detail={"source": name, "line": line, "column": column},
    )
