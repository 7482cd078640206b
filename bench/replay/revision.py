"""A plan that is driven by its gate: what fails is rolled back, and only its part is planned anew.

As in a run, a step whose state is not valid leaves nothing behind. What the failure tells becomes
evidence: tests that fail and are still to be edited pin what the step changes, so they land with
it. A failure that tells no more defers the step, and what waits for it, until others have landed;
what still fails then lands together.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from bench.replay.commit import Change
from bench.replay.dependencies import Found
from bench.replay.kinds import Dependency
from bench.replay.orders import Steps
from bench.replay.planned import Unit, scheduled
from bench.replay.states import States, Verdict, functions


class Driven(NamedTuple):
    """How a plan went.

    Args:
        steps: what landed.
        tried: how many states were tried.
        refused: how many of them were rolled back.
    """

    steps: Steps
    tried: int
    refused: int


def drive(change: Change, found: Found, states: States, name: str) -> Driven:
    """Return how a plan goes that is revised where its gate fails.

    Args:
        change: its edits.
        found: what is known of them at first.
        states: where they are tried.
        name: what the change is called.

    Raises:
        PlanRefused: the first plan is refused.
    """
    return _Drive(change, found, states, name).run()


class _Drive:
    def __init__(self, change: Change, found: Found, states: States, name: str) -> None:
        self._change, self._found, self._states, self._name = change, found, states, name
        self._done: set[int] = set()
        self._steps: Steps = []
        self._deferred: dict[frozenset[int], Verdict] = {}
        self._tried = self._refused = 0
        self._tests = {
            f"{each.path}::{each.name}": number for number, each in enumerate(change.edits)
        }

    def run(self) -> Driven:
        every = frozenset(range(len(self._change.edits)))
        known, schedule = None, []
        while self._done != every:
            if known is not self._found:
                # Something was learnt: what is left is planned anew.
                known = self._found
                schedule = scheduled(self._change, known, self._name, every - self._done)
            left = _left(schedule, self._done)
            if not self._advance(left):
                self._land(self._merged(left))
        return Driven(self._steps, self._tried, self._refused)

    def _advance(self, schedule: list[Unit]) -> bool:
        """Land the first step that can; False where none that is ready can."""
        fresh = [unit for unit in schedule if frozenset(unit.edits) not in self._deferred]
        again = [unit for unit in schedule if frozenset(unit.edits) in self._deferred]
        for unit in (*fresh, *again):
            if unit.after:
                continue
            verdict = self._try(frozenset(unit.edits))
            if verdict.tests:
                self._land(frozenset(unit.edits))
                return True
            if self._pinned(unit, verdict):
                return True
            self._deferred[frozenset(unit.edits)] = verdict
        return False

    def _try(self, edits: AbstractSet[int]) -> Verdict:
        self._tried += 1
        verdict = self._states.verdict(self._done | edits)
        self._refused += not verdict.tests
        return verdict

    def _land(self, edits: AbstractSet[int]) -> None:
        self._steps.append(sorted(edits))
        self._done |= edits

    def _pinned(self, unit: Unit, verdict: Verdict) -> bool:
        """Note that tests still to be edited pin what a step changes; False if none do."""
        pins: set[int] = set()
        for test in verdict.failed:
            own = {self._tests[each] for each in functions(test) if each in self._tests}
            own -= self._done | set(unit.edits)
            if not own:
                return False
            pins |= own
        on = min(unit.edits)
        known = {(each.on, each.edit, each.order) for each in self._found.dependencies}
        new = [
            Dependency(on, test, "TestedBy", "behaviour_changed", "dynamic", "split")
            for test in sorted(pins)
            if (on, test, "split") not in known
        ]
        self._found = self._found._replace(dependencies=[*self._found.dependencies, *new])
        return bool(new)

    def _merged(self, schedule: list[Unit]) -> AbstractSet[int]:
        """Return the fewest edits found that land together where nothing lands alone."""
        order = {edit: place for place, unit in enumerate(schedule) for edit in unit.edits}
        of_edit = {edit: frozenset(unit.edits) for unit in schedule for edit in unit.edits}
        waits = {
            frozenset(unit.edits): [frozenset(schedule[each].edits) for each in unit.after]
            for unit in schedule
        }
        ready = sorted(
            (each for each in self._deferred if each in waits), key=lambda each: order[min(each)]
        )
        group: frozenset[int] = frozenset()
        for candidate in _growing(ready, self._deferred, waits):
            group |= candidate
            untried = len(group) > len(candidate) or candidate not in self._deferred
            if untried and self._try(group).tests:
                break
        parts = {of_edit[edit] for edit in group}
        for part in sorted(parts, key=lambda each: -order[min(each)]):
            fewer = group - part
            left = {each for each in parts if each <= fewer}
            closed = all(
                before in left or before <= self._done for u in left for before in waits[u]
            )
            if len(left) > 1 and closed and self._try(fewer).tests:
                group, parts = fewer, left
        return group


def _left(schedule: list[Unit], done: AbstractSet[int]) -> list[Unit]:
    """Return the steps that have not landed, wholly or in part."""
    places = {
        place: number
        for number, place in enumerate(
            place for place, unit in enumerate(schedule) if not done >= set(unit.edits)
        )
    }
    return [
        Unit(
            tuple(each for each in schedule[place].edits if each not in done),
            frozenset(places[each] for each in schedule[place].after if each in places),
        )
        for place in places
    ]


def _growing(
    ready: list[frozenset[int]],
    failed: Mapping[frozenset[int], Verdict],
    waits: Mapping[frozenset[int], list[frozenset[int]]],
) -> list[frozenset[int]]:
    """Return steps in the order in which they join: those that break the same tests come first."""
    first, *others = ready
    broken = set(failed[first].failed)
    others.sort(key=lambda each: -len(broken & set(failed[each].failed)))
    found = [first, *others]
    for unit in waits:
        if unit not in found:
            found.append(unit)
    return found
