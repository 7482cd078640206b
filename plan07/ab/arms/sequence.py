"""Walks a plain list of things to do, for the ablations that have no schedule to walk.

Each is edited and checked as in the plan07 arm: what fails is taken back, decomposed again on its
own once for each failure, and tried again with what failed where that comes to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from plan07.ab.arms.running import Running, told
from plan07.ab.arms.talk import Spent, Stuck


class Item(NamedTuple):
    """One thing to do.

    Args:
        name: of the step.
        part: of the prompt, "" for what is only checked.
        check: returns "" or what failed.
        again: it replaces something that failed.
        failure: what that failed with.
    """

    name: str
    part: str
    check: Callable[[], str]
    again: bool = False
    failure: str = ""


# Takes what failed and why; returns what takes its place, nothing where it stays.
Again = Callable[[Item, str], Sequence[Item]]


def walk(running: Running, items: Sequence[Item], replan: Again) -> None:
    """Work through a list in its order.

    Args:
        running: the run.
        items: what is to be done.
        replan: decomposes a failed item again.

    Raises:
        Spent: the budget is used up.
    """
    waiting = list(items)
    while waiting:
        waiting = [*_attempts(running, waiting[0], replan), *waiting[1:]]


def _attempts(running: Running, item: Item, replan: Again) -> Sequence[Item]:
    """Work on an item until it passes; return what takes its place."""
    failure, tried = item.failure, 0
    try:
        while True:
            refused = ""
            if item.part:
                retry = item.again or tried > 0
                refused = running.edit(item.part, retry=retry, failure=failure)
            tried += 1
            said = refused or item.check()
            if not said:
                if item.part:
                    running.copy.commit(item.name)
                    running.stands(item.name, [item.name], tried)
                return ()
            failed = running.copy.state().failure
            failure = failed if said in failed else told(said, failed)
            running.copy.take_back()
            others = replan(item, failure)
            if others or not item.part:
                return others
    except Spent as spent:
        running.copy.take_back()
        if tried:
            running.given_up(item.name, [item.name], tried)
        if isinstance(spent, Stuck):
            # What comes after it may be done all the same.
            return ()
        raise
