"""Reads `localization.json` (component 05) and `context.json` (component 04).

Both are one small format: places of the repository, each with a score and one line of why. They
order nothing; the decomposition shows them to the model.
"""

from __future__ import annotations

from collections.abc import Sequence

from plan07 import jsontext, shapes
from plan07.evidence import Evidence, Place


def encode_localization(path: str, targets: Sequence[str]) -> Evidence:
    """Return where the fault may lie.

    Args:
        path: the file.
        targets: not needed.

    Raises:
        InputError: it cannot be read, or is not of the format, with the place.
    """
    return Evidence(located=_places(path, "localization"))


def encode_context(path: str, targets: Sequence[str]) -> Evidence:
    """Return what is relevant to the request.

    Args:
        path: the file.
        targets: not needed.

    Raises:
        InputError: it cannot be read, or is not of the format, with the place.
    """
    return Evidence(retrieved=_places(path, "context"))


def _places(path: str, shape: str) -> tuple[Place, ...]:
    document, name = jsontext.read(path)
    shapes.check(shape, document, name, f"{shape.upper()}_INVALID", "evidence")
    return tuple(
        Place(
            each["path"],
            each.get("entity") or "",
            each.get("start_line") or 0,
            each.get("score") or 0.0,
            each.get("why") or "",
        )
        for each in document["items"]
    )
