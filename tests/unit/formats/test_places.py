"""Where a value stands in a JSON text."""

from __future__ import annotations

import pytest

from plan07.formats.places import place

TEXT = """{
  "a": {"x": [1, {"b": 2}], "b": "q"},
  "list": [
    {"k": [[], {}], "id": "one \\" { ["},
    {"id": "two", "nested": {"id": 3}}
  ],
  "0": 5, "caf\\u00e9": null
}"""


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([], (1, 1)),
        (["a"], (2, 8)),
        (["a", "b"], (2, 34)),
        (["a", "x", 1, "b"], (2, 24)),
        (["list", 0, "k", 1], (4, 16)),
        (["list", 0, "id"], (4, 27)),
        (["list", 1, "id"], (5, 12)),
        (["list", 1, "nested", "id"], (5, 36)),
        (["0"], (7, 8)),
        (["caf\u00e9"], (7, 24)),
        # Of what is not there, the place where it is missing.
        (["list", 7], (3, 11)),
        (["gone", "deeper"], (1, 1)),
        (["a", "x", 1, "gone"], (2, 18)),
        (["a", 0], (2, 8)),
        (["list", "id"], (3, 11)),
        (["0", "x"], (7, 8)),
    ],
    ids=str,
)
def test_place(steps: list[str | int], expected: tuple[int, int]) -> None:
    assert place(TEXT, steps) == expected
