"""The plan of a change: one obligation for each edit, and the evidence that orders them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bench.replay.commit import Change
from bench.replay.dependencies import Found
from bench.replay.edits import Edit
from plan07 import solve

# One obligation for each edit may be more than a plan of an agent holds.
LIMITS = {"max_obligations": 512, "max_dependencies": 512, "max_edit_files": 64, "max_static_bytes": 2**24}


def identifier(number: int) -> str:
    """Return the id of the obligation of an edit."""
    return f"O{number + 1}"


def plan(change: Change, found: Found, name: str) -> dict[str, Any]:
    """Return the plan of a change.

    Args:
        change: its edits, in the order of the diff.
        found: what is known of them.
        name: what the change is called.
    """
    targets = [target(each, number) for number, each in enumerate(change.edits)]
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
            for number in range(len(change.edits))
        ],
        "evidence": {
            "edges": [
                {
                    "from": targets[each.on],
                    "to": targets[each.edit],
                    "cause": each.cause,
                    "change": each.change,
                    "resolution": each.resolution,
                    **({"strength": "must", "order": each.order} if each.order else {}),
                }
                for each in found.dependencies
            ],
            "changes": [
                {"entity": targets[number], "change": kind}
                for number, kinds in enumerate(found.kinds)
                for kind in kinds
            ],
        },
    }


def target(edit: Edit, number: int) -> str:
    """Return what the obligation of an edit is about: unique, and no longer than a target may be."""
    return f"{edit.path}:{edit.name[:120]}:{number + 1}"[-200:]


def steps(document: Mapping[str, Any], rules: str | None = None) -> list[list[int]]:
    """Return the edits of each step that plan07 makes of a plan.

    Args:
        document: the plan.
        rules: a directory that overlays the shipped rules.

    Raises:
        PlanRefused: the plan is refused.
    """
    schedule = solve(document, limits=LIMITS, rules=rules)
    members = {each.id: each.members for each in schedule.composites}
    return [
        [int(each[1:]) - 1 for each in members.get(unit, (unit,))] for unit in schedule.order
    ]
