"""The monolithic prompt: the whole request in one reply, and on failure everything again.

Each attempt starts from the base, since one reply is all there is; the prompt of the next one holds
what the tests said of the last.
"""

from __future__ import annotations

from itertools import count

from plan07.ab.arms.running import Running, told

_PART = """\
Do the whole request in this one reply: think of every place that has to change, and of what \
depends on it.
"""


def run(running: Running) -> None:
    """Work on a request until its visible tests pass or the budget is used up.

    Raises:
        Spent: the budget is used up.
    """
    failed = refused = ""
    for attempt in count(1):
        running.copy.take_back(running.copy.base)
        refused = running.edit(_PART, retry=attempt > 1, failure=told(refused, failed))
        if not refused:
            state = running.stands(f"attempt-{attempt}")
            if state.done:
                return
            failed = state.failure
