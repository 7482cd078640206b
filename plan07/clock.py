"""The time, as plans write it. The one module that asks the machine for it.

`SOURCE_DATE_EPOCH`, the standard of reproducible builds, sets it still.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime

from plan07.errors import InputError


def now() -> str:
    """Return the time in UTC, ISO 8601, to the second.

    Raises:
        InputError: SOURCE_DATE_EPOCH is not a number of seconds.
    """
    return _moment().strftime("%Y-%m-%dT%H:%M:%SZ")


def plan_id() -> str:
    """Return `plan-YYYYMMDD-HHMM` for this minute, in UTC.

    Raises:
        InputError: as `now`.
    """
    return _moment().strftime("plan-%Y%m%d-%H%M")


def _moment() -> datetime:
    fixed = os.environ.get("SOURCE_DATE_EPOCH")
    if not fixed:
        return datetime.now(UTC)
    try:
        return datetime.fromtimestamp(int(fixed), UTC)
    except (ValueError, OverflowError, OSError):
        raise InputError(
            "CLOCK_INVALID",
            f"SOURCE_DATE_EPOCH cannot be {fixed!r:.40}",
            "set it to seconds since 1970, or unset it",
            phase="usage",
        ) from None
