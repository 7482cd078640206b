"""The plain orders that a plan is compared with, and the search for the best there is."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from graphlib import CycleError, TopologicalSorter

from bench.replay.commit import Change
from bench.replay.dependencies import Found

Steps = list[list[int]]


def diff_order(change: Change) -> Steps:
    """Return one step for each edit, as a diff shows them."""
    return [[each] for each in range(len(change.edits))]


def reverse(change: Change) -> Steps:
    """Return them from the last to the first."""
    return diff_order(change)[::-1]


def shuffled(change: Change, seed: int) -> Steps:
    """Return them in an order that the seed determines."""
    found = diff_order(change)
    random.Random(seed).shuffle(found)
    return found


def by_file(change: Change) -> Steps:
    """Return one step for each file."""
    found: dict[str, list[int]] = {}
    for number, edit in enumerate(change.edits):
        found.setdefault(edit.path, []).append(number)
    return list(found.values())


def tests_last(change: Change, tests: AbstractSet[int]) -> Steps:
    """Return the edits of the sources before those of the tests, each as a diff shows them."""
    paths = {change.edits[each].path for each in tests}
    return sorted(diff_order(change), key=lambda step: change.edits[step[0]].path in paths)


def topological(change: Change, found: Found) -> Steps:
    """Return what is used before what uses it; circles as a diff shows them."""
    sorter: TopologicalSorter[int] = TopologicalSorter(dict.fromkeys(range(len(change.edits)), ()))
    arcs = {(each.edit, each.on) for each in found.dependencies}
    while True:
        sorter = TopologicalSorter(dict.fromkeys(range(len(change.edits)), ()))
        for edit, on in sorted(arcs):
            sorter.add(edit, on)
        try:
            sorter.prepare()
        except CycleError as error:
            circle = error.args[1]
            # Of a circle, the arc goes that points back in the diff.
            pairs = [(circle[n + 1], circle[n]) for n in range(len(circle) - 1)]
            arcs.discard(next((p for p in pairs if p in arcs and p[0] < p[1]), pairs[0]))
            continue
        break
    steps: Steps = []
    ready: list[int] = []
    while sorter.is_active():
        ready = sorted([*ready, *sorter.get_ready()])
        first = ready.pop(0)
        steps.append([first])
        sorter.done(first)
    return steps


def greedy(
    count: int, valid: Callable[[AbstractSet[int]], bool], first: Iterable[int], budget: int
) -> tuple[Steps, bool]:
    """Return the order that a search over the states themselves finds.

    From each state it takes the first edit that leads to a valid one; where none does, it takes
    edits together, in the order of the plan, until the state is valid.

    Args:
        count: how many edits there are.
        valid: whether a state is valid.
        first: the order in which edits are tried.
        budget: how many states may be tried.

    Returns:
        The steps, and whether the search ended before its budget did.
    """
    order = list(first)
    done: set[int] = set()
    steps: Steps = []
    tried = 0

    def holds(state: AbstractSet[int]) -> bool:
        nonlocal tried
        tried += 1
        return valid(state)

    while len(done) < count:
        left = [each for each in order if each not in done]
        step: list[int] | None = None
        for each in left:
            if tried >= budget:
                return [*steps, left], False
            if holds(done | {each}):
                step = [each]
                break
        if step is None:
            step = _together(done, left, holds, lambda: tried < budget)
        steps.append(step)
        done |= set(step)
    return steps, True


def _together(
    done: AbstractSet[int],
    left: Sequence[int],
    holds: Callable[[AbstractSet[int]], bool],
    goes_on: Callable[[], bool],
) -> list[int]:
    """Return the shortest run of edits that leads to a valid state, with what it can do without."""
    step: list[int] = []
    for each in left:
        step.append(each)
        if len(step) > 1 and (not goes_on() or holds(done | set(step))):
            break
    for each in step[:-1]:
        fewer = [other for other in step if other != each]
        if len(fewer) > 1 and goes_on() and holds(done | set(fewer)):
            step = fewer
    return step
