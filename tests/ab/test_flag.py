"""The feature flag (S-000-117)."""

from __future__ import annotations

import pytest

from plan07.ab.flag import Route, route, routed
from plan07.errors import InputError


@pytest.mark.parametrize(
    ("environ", "expected"),
    [({}, "current"), ({"PLAN": "current"}, "current"), ({"PLAN": "plan07"}, "plan07")],
)
def test_current_unless_plan07_is_asked_for(environ: dict[str, str], expected: str) -> None:
    assert route(environ) is Route(expected)


@pytest.mark.parametrize("value", ["", "PLAN07", " plan07", "off", "1", "plan07\n"])
def test_any_other_value_is_an_error_that_names_it(value: str) -> None:
    with pytest.raises(InputError) as caught:
        route({"PLAN": value})
    assert caught.value.code == "PLAN_FLAG_INVALID"
    assert repr(value) in caught.value.message


def test_the_other_path_is_not_touched() -> None:
    def never() -> str:
        raise AssertionError("the other path was taken")

    assert routed({"PLAN": "plan07"}, plan07=lambda: "planned", current=never) == "planned"
    assert routed({}, plan07=never, current=lambda: "edited") == "edited"
