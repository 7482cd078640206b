"""Where in a JSON text a value stands, by the keys and indices that lead to it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

_BLANK = re.compile(r"[ \t\n\r]*")
_decode = json.JSONDecoder(strict=False).raw_decode


def place(text: str, steps: Sequence[str | int]) -> tuple[int, int]:
    r"""Return line and column, from 1, of a value in a JSON text.

    Args:
        text: valid JSON.
        steps: keys and indices from the outermost value inwards; where one is not there, the place
            of the last value that is.

    >>> place('{"a": [1,\n  {"b": 2}]}', ["a", 1, "b"])
    (2, 9)
    """
    at = _skipped(text, 0)
    for step in steps:
        inner = _member(text, at, step)
        if inner is None:
            break
        at = inner
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _member(text: str, at: int, step: str | int) -> int | None:
    """Return where a member of the container at an offset begins, None if it has no such one."""
    opening = text[at]
    if opening != ("[" if isinstance(step, int) else "{"):
        return None
    at = _skipped(text, at + 1)
    index = 0
    while text[at] not in "]}":
        key: str | int = index
        if opening == "{":
            key, at = _decode(text, at)
            at = _skipped(text, _skipped(text, at) + 1)
        if key == step:
            return at
        _, at = _decode(text, at)
        at = _skipped(text, at)
        if text[at] == ",":
            at = _skipped(text, at + 1)
        index += 1
    return None


def _skipped(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return at if found is None else found.end()
