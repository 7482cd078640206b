"""How edits change what they are about, and what it is to depend on one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from bench.replay.commit import Change
from bench.replay.ends import End
from plan07.impact.differences import State, changes

ADDS = ("added", "field_added", "override_added")


REMOVES = ("deleted", "field_deleted", "import_removed")


PARAMETERS = (
    *("param_removed", "param_moved", "param_renamed", "param_added_required", "default_removed"),
    *("param_added_default", "default_changed", "param_type_narrowed", "param_type_widened"),
)


class Dependency(NamedTuple):
    """One edit is about something that another one uses.

    Args:
        on: the edit of what is used.
        edit: the edit of what uses it.
        cause: the relation, seen from what is used: CalledBy.
        change: how what is used changes.
        resolution: exact, typed, dynamic, heuristic or ambiguous.
        order: def<dep, dep<def or split where the edits themselves tell, "" where the kind of
            change must.
        strength: of an order that the edits tell.
    """

    on: int
    edit: int
    cause: str
    change: str
    resolution: str
    order: str = ""
    strength: str = "must"


class Kinds:
    """How each entity changes, and in which edit."""

    def __init__(self, change: Change, before: End, after: End) -> None:
        self.change = change
        self.of_edit: list[set[str]] = [set() for _ in change.edits]
        self.of_entity: dict[str, set[str]] = defaultdict(set)
        old, new = State(before.nodes).named(), State(after.nodes).named()
        for fqn, node in old.nodes.items():
            other = new.nodes.get(fqn)
            for number in before.of(fqn):
                if other is None or not after.of(fqn):
                    told = {"field_deleted" if node.kind == "field" else "deleted"}
                elif set(after.of(fqn)).isdisjoint(before.of(fqn)):
                    told = {"deleted"}
                else:
                    told = {kind for kind, _ in changes(node, other)}
                self._tell(fqn, number, told)
        for fqn, node in new.nodes.items():
            for number in after.of(fqn):
                if not before.of(fqn) or number not in before.of(fqn):
                    overrides = any(fqn == use.src for use in after.uses if use.kind == "overrides")
                    word = "field_added" if node.kind == "field" else "added"
                    self._tell(fqn, number, {"override_added" if overrides else word})
        for number, edit in enumerate(change.edits):
            if edit.action != "modified":
                self.of_edit[number].add("added" if edit.action == "added" else "deleted")
            elif not self.of_edit[number]:
                self.of_edit[number].add("body")

    def _tell(self, fqn: str, number: int, told: Iterable[str]) -> None:
        kinds = set(told)
        self.of_entity[fqn] |= kinds
        self.of_edit[number] |= kinds
