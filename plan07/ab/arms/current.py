"""Edit without planning: the model edits, the tests run, and it goes on from what there is.

This is the harness's loop as it is without plan07. Nothing is taken back. A harness of one's own
takes its place with the option `harness`, see `harness`.
"""

from __future__ import annotations

from itertools import count

from plan07.ab.arms.running import Running, told

_PART = "Edit what the request needs.\n"


def run(running: Running) -> None:
    """Work on a request until its visible tests pass or the budget is used up.

    Raises:
        Spent: the budget is used up.
    """
    failed = refused = ""
    for attempt in count(1):
        refused = running.edit(_PART, retry=attempt > 1, failure=told(refused, failed))
        if not refused:
            state = running.stands(f"attempt-{attempt}")
            if state.done:
                return
            failed = state.failure
