"""The feature flag of build spec 8: `PLAN=plan07|current` routes a request, `current` by default.

The flag alone switches between planning and the current path; taking it away is the whole way
back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeVar

from plan07.errors import InputError

VARIABLE = "PLAN"
_Answer = TypeVar("_Answer")


class Route(StrEnum):
    """The two paths of a request."""

    PLAN07 = "plan07"  # the planning stage
    CURRENT = "current"  # the harness as it is: edit without planning


def route(environ: Mapping[str, str]) -> Route:
    """Return the path that an environment asks for; `current` where the flag is not set.

    >>> route({}), route({"PLAN": "plan07"})
    (<Route.CURRENT: 'current'>, <Route.PLAN07: 'plan07'>)

    Args:
        environ: environment variables.

    Raises:
        InputError: the flag has another value, the empty one included; nothing is guessed.
    """
    value = environ.get(VARIABLE, Route.CURRENT)
    try:
        return Route(value)
    except ValueError:
        raise InputError(
            "PLAN_FLAG_INVALID",
            f"{VARIABLE} cannot be {value!r:.80}",
            f"set {VARIABLE} to plan07 or current, or unset it",
            phase="usage",
            detail={"name": VARIABLE, "value": value, "known": [each.value for each in Route]},
        ) from None


def routed(
    environ: Mapping[str, str], *, plan07: Callable[[], _Answer], current: Callable[[], _Answer]
) -> _Answer:
    """Return what the chosen path returns; the other one is not touched.

    Args:
        environ: environment variables.
        plan07: the planned path.
        current: the path of the harness as it is.

    Raises:
        InputError: as `route`.
    """
    return plan07() if route(environ) is Route.PLAN07 else current()
