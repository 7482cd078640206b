"""The plan of a change: one obligation for each edit, and the evidence that orders them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from bench.replay.commit import Change
from bench.replay.dependencies import Found
from bench.replay.edits import Edit
from bench.replay.kinds import Dependency
from plan07 import solve

# One obligation for each edit may be more than a plan of an agent holds.
LIMITS = {
    "max_obligations": 512,
    "max_dependencies": 512,
    "max_edit_files": 64,
    "max_static_bytes": 2**24,
}


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


def _number(name: str) -> int:
    return int(name[1:]) - 1


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
    told = {"strength": each.strength, "order": each.order} if each.order else {}
    return {
        "from": targets[each.on],
        "to": targets[each.edit],
        "cause": each.cause,
        "change": each.change,
        "resolution": each.resolution,
        **told,
    }


def target(edit: Edit, number: int) -> str:
    """Return what the obligation of an edit is about, unique and not too long."""
    return f"{edit.path}:{edit.name[:120]}:{number + 1}"[-200:]


def scheduled(
    change: Change, found: Found, name: str, left: AbstractSet[int] | None = None
) -> list[Unit]:
    """Return the steps that plan07 makes of a change, in their order.

    What is only safer is told where nothing that must be stands against it.

    Args:
        change: as for `plan`.
        found: as for `plan`.
        name: as for `plan`.
        left: as for `plan`.

    Raises:
        PlanRefused: the plan is refused.
    """
    document = plan(change, found, name, left)
    first = units(document)
    wishes = _granted(first, found.wishes)
    if not wishes:
        return first
    more = found._replace(dependencies=[*found.dependencies, *wishes])
    return units(plan(change, more, name, left))


def _granted(schedule: Sequence[Unit], wishes: Sequence[Dependency]) -> list[Dependency]:
    """Return the wishes that close no circle with the steps, nor with those granted before."""
    place = {edit: number for number, unit in enumerate(schedule) for edit in unit.edits}
    after: list[set[int]] = [set(unit.after) for unit in schedule]
    found: list[Dependency] = []
    for each in wishes:
        if each.on not in place or each.edit not in place:
            continue
        first, second = place[each.on], place[each.edit]
        if each.order == "dep<def":
            first, second = second, first
        if first != second and not _leads(after, second, first):
            after[second].add(first)
            found.append(each)
    return found


def _leads(after: Sequence[AbstractSet[int]], first: int, last: int) -> bool:
    """Whether a step comes before another, over any number of steps."""
    seen, todo = {last}, [last]
    while todo:
        for each in after[todo.pop()]:
            if each == first:
                return True
            if each not in seen:
                seen.add(each)
                todo.append(each)
    return False


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
        Unit(tuple(_number(each) for each in members.get(unit, (unit,))), frozenset(after[unit]))
        for unit in schedule.order
    ]
