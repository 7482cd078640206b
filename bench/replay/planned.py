"""The plan of a change: one obligation for each edit, and the evidence that orders them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from bench.replay.commit import Change
from bench.replay.dependencies import Dependency, Found
from bench.replay.edits import Edit
from plan07 import solve

# One obligation for each edit may be more than a plan of an agent holds.
LIMITS = {"max_obligations": 512, "max_dependencies": 512, "max_edit_files": 64, "max_static_bytes": 2**24}


def identifier(number: int) -> str:
    """Return the id of the obligation of an edit."""
    return f"O{number + 1}"


class Unit(NamedTuple):
    """A step of a plan.

    Args:
        edits: what lands in it, by number.
        after: places in the plan of the steps that come before it.
    """

    edits: tuple[int, ...]
    after: frozenset[int]


def plan(
    change: Change, found: Found, name: str, left: AbstractSet[int] | None = None
) -> dict[str, Any]:
    """Return the plan of a change.

    Args:
        change: its edits, in the order of the diff.
        found: what is known of them.
        name: what the change is called.
        left: the edits that are still to be made; None for all.
    """
    targets = [target(each, number) for number, each in enumerate(change.edits)]
    todo = sorted(range(len(change.edits)) if left is None else left)
    known = set(todo)
    return {
        "requirement": {
            "goal": name,
            "acceptance_criteria": ["the tests pass"],
            "constraints": [],
        },
        "obligations": [
            {
                "id": identifier(number),
                "target_entity": targets[number],
                "obligation": "modify",
                "caused_by": "a commit",
                "dependencies": [],
                "evidence": "a commit",
                "status": "ready",
                "validation": "pytest",
            }
            for number in todo
        ],
        "evidence": {
            "edges": [
                _edge(each, targets)
                for each in found.dependencies
                if each.on in known and each.edit in known
            ],
            "changes": [
                {"entity": targets[number], "change": kind}
                for number in todo
                for kind in found.kinds[number]
            ],
        },
    }


def _edge(each: Dependency, targets: Sequence[str]) -> dict[str, Any]:
    told = {"strength": "must", "order": each.order} if each.order else {}
    return {
        "from": targets[each.on],
        "to": targets[each.edit],
        "cause": each.cause,
        "change": each.change,
        "resolution": each.resolution,
        **told,
    }


def target(edit: Edit, number: int) -> str:
    """Return what the obligation of an edit is about: unique, and no longer than a target may be."""
    return f"{edit.path}:{edit.name[:120]}:{number + 1}"[-200:]


def units(document: Mapping[str, Any], rules: str | None = None) -> list[Unit]:
    """Return the steps that plan07 makes of a plan, in their order.

    Args:
        document: the plan.
        rules: a directory that overlays the shipped rules.

    Raises:
        PlanRefused: the plan is refused.
    """
    schedule = solve(document, limits=LIMITS, rules=rules)
    members = {each.id: each.members for each in schedule.composites}
    places = {unit: place for place, unit in enumerate(schedule.order)}
    after: dict[str, set[int]] = {unit: set() for unit in schedule.order}
    for before, unit in schedule.edges:
        after[unit].add(places[before])
    return [
        Unit(tuple(int(each[1:]) - 1 for each in members.get(unit, (unit,))), frozenset(after[unit]))
        for unit in schedule.order
    ]


def steps(document: Mapping[str, Any], rules: str | None = None) -> list[list[int]]:
    """Return the edits of each step alone, as `units` has them."""
    return [list(each.edits) for each in units(document, rules)]
