"""Static decomposition: the steps stand in the prompt, the same for every request.

The model is led through the chain, one reply to a step. Nobody looks in between; when the tests
fail at the end, the chain is run from the top, on the base again (build spec 7.1: "one that forces
re-execution from the top").
"""

from __future__ import annotations

from plan07.ab.arms.running import Running, told

STEPS = (
    "change or add the definitions that the request is about: functions, classes, constants",
    "change what uses them: callers, importers, subclasses",
    "delete what the request no longer wants, and mend what is still missing",
)
_EMPTY = ("your reply holds no code", "your reply changes nothing")


def part(number: int) -> str:
    """Return the chain with one of its steps to do now.

    Args:
        number: of the step, from 0.
    """
    lines = [f"{index}. {text}" for index, text in enumerate(STEPS, 1)]
    return "\n".join(
        [
            "Do the request in these steps",
            "",
            *lines,
            "",
            f"Do step {number + 1} now, and only it. If it needs no change, reply with an empty "
            "block.",
            "",
        ]
    )


def run(running: Running) -> None:
    """Work on a request until its visible tests pass or the budget is used up.

    Raises:
        Spent: the budget is used up.
    """
    failure = ""
    again = False
    while True:
        running.copy.take_back(running.copy.base)
        refused = ""
        for number in range(len(STEPS)):
            said = running.edit(part(number), retry=again, failure=failure)
            if not said:
                running.stands(f"step-{number + 1}")
            elif said not in _EMPTY:
                refused = said
        state = running.copy.state()
        if state.done:
            return
        again = True
        failure = told(refused, state.failure)
