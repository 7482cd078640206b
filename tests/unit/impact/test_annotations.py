"""Whether one annotation is wider than another."""

from __future__ import annotations

import pytest

from plan07.impact.annotations import compared


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("str", "str", "same"),
        (None, "str", "same"),
        ("str", None, "same"),
        ("str", "str | None", "widened"),
        ("str", "Optional[str]", "widened"),
        ("t.Union[str, int]", "str", "narrowed"),
        ("str | int", "int | str", "same"),
        ("Optional[List[int]]", "list[int] | None", "same"),
        ("typing.Dict[str, t.Optional[int]]", "dict[str, int | None]", "same"),
        ("'Session'", "Session", "same"),
        ("'Session | None'", "Session", "narrowed"),
        ("a.Session", "b.Session", "same"),
        ("str", "Any", "widened"),
        ("object", "str", "narrowed"),
        ("int", "str", "other"),
        ("list[int]", "list[str]", "other"),
        ("Annotated[int, Gt(0)]", "int", "same"),
        ("Callable[[int], str]", "Callable[[int | None], str]", "other"),
        ("Literal['a']", "Literal['a', 'b']", "other"),
        ("not an ( annotation", "not an  ( annotation", "same"),
        ("(" * 500, "int", "other"),
        ("tuple[int, ...]", "Tuple[int, ...]", "same"),
    ],
)
def test_compared(old: str | None, new: str | None, expected: str) -> None:
    assert compared(old, new) == expected
