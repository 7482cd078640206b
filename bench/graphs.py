"""Plans of a given shape and size, the same for every contender."""

from __future__ import annotations

import random
from typing import Any

_KINDS = ("new optional parameter", "body change", "return type narrowed", "bug fix")


def obligation(number: int, dependencies: list[int], target: str, cause: str) -> dict[str, Any]:
    """Return one record; `number` counts from 1."""
    return {
        "id": f"O{number}",
        "target_entity": target,
        "obligation": "modify",
        "caused_by": cause,
        "dependencies": [f"O{each}" for each in dependencies],
        "evidence": "",
        "status": "blocked" if dependencies else "ready",
        "validation": "",
    }


def _plan(needs: list[list[int]]) -> dict[str, Any]:
    return {
        "obligations": [
            obligation(number, before, f"pkg.m{number}.f", "body change")
            for number, before in enumerate(needs, 1)
        ]
    }


def layered(size: int) -> dict[str, Any]:
    """Ranks of four, each waiting for the whole rank before: 4^(size/4 - 1) paths."""
    ranks = [list(range(first, first + 4)) for first in range(-3, size + 1, 4)]
    return _plan([ranks[number // 4] if number >= 4 else [] for number in range(size)])


def chain(size: int) -> dict[str, Any]:
    """Each waits for the one before."""
    return _plan([[number - 1] if number > 1 else [] for number in range(1, size + 1)])


def diamond(size: int) -> dict[str, Any]:
    """One, then two beside each other, then one that waits for both, and so on."""
    needs: list[list[int]] = []
    for number in range(1, size + 1):
        place = (number - 1) % 3
        if number == 1:
            needs.append([])
        elif place == 0:
            needs.append([number - 2, number - 1])
        else:
            needs.append([number - place])
    return _plan(needs)


def ring(size: int) -> dict[str, Any]:
    """Each waits for the one before, and the first for the last: one composite."""
    return _plan([[(number - 2) % size + 1] for number in range(1, size + 1)])


def realistic(size: int = 64, edges: int = 500, seed: int = 1) -> dict[str, Any]:
    """A plan with declared dependencies, words of the lexicon and impact edges."""
    draw = random.Random(seed)
    targets = [f"pkg.mod{i % 8}.Class{i % 16}.method{i}" for i in range(size)]
    obligations = []
    for i in range(size):
        before = sorted({draw.randrange(max(0, i - 12), i) + 1 for _ in range(2)}) if i else []
        obligations.append(obligation(i + 1, before, targets[i], f"impact06: {_KINDS[i % 4]}"))
    found: dict[tuple[str, str], None] = {}
    while len(found) < edges:
        a, b = draw.randrange(size), draw.randrange(size)
        if draw.random() < 0.6:
            found[targets[a], f"pkg.other{draw.randrange(400)}.f"] = None
        elif a < b:
            found[targets[a], targets[b]] = None
    return {
        "obligations": obligations,
        "evidence": {"edges": [{"from": a, "to": b, "cause": "CalledBy"} for a, b in found]},
    }


SHAPES = {"layered": layered, "chain": chain, "diamond": diamond, "ring": ring}
