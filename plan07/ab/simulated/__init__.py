"""Simulated runs: a seeded model of a weak model, to see the shape of things without one.

Prompts are whole, their tokens counted by a real tokenizer, and plan07's part is plan07 at work;
whether an edit is right is drawn, from the rates of `assumptions`. So the figures tell how retry
tokens grow with failure rate and plan size under these assumptions. They are not measurements of
any model, are called simulated wherever they appear, and adopt nothing.
"""

from __future__ import annotations

from plan07.ab.records import Arm, Context, Mechanism, RunRecord, Task
from plan07.ab.simulated import assumptions, baselines, planned
from plan07.ab.simulated.recorder import Recorder
from plan07.ab.simulated.world import World
from plan07.ab.tokens import counter

NOTE = "simulated: luck is drawn, no model was asked"


class Simulated:
    """Makes simulated runs.

    Args:
        context: its options, and the data of each task, are numbers of `Assumptions`.
    """

    def __init__(self, context: Context) -> None:
        self._context = context

    def run(self, task: Task, arm: Arm, seed: int, removed: Mechanism | None) -> RunRecord:
        """Return the record of a simulated run; the same arguments, the same record.

        Args:
            task: its data are numbers of `Assumptions`.
            arm: who works on it.
            seed: of the luck.
            removed: the mechanism that the arm plan07 does without.

        Raises:
            InputError: an assumption is none, or the tokenizer is not installed.
        """
        assumed = assumptions.of(self._context, task)
        count = counter(assumed.tokenizer)
        world = World(assumed.world, seed, assumed)
        written = Recorder(world, count)
        if arm is Arm.PLAN07:
            resolved = planned.run(world, written, removed)
        else:
            resolved = {
                Arm.MONOLITHIC: baselines.monolithic,
                Arm.STATIC: baselines.static,
                Arm.CURRENT: baselines.current,
            }[arm](world, written)
        return self._context.record(
            task,
            arm,
            seed,
            removed,
            steps=written.steps,
            calls=written.calls,
            resolved=resolved,
            tokenizer=count.name,
            settings=assumed.settings(),
            notes=[NOTE],
        )


def make(context: Context) -> Simulated:
    """Return what makes simulated runs."""
    return Simulated(context)
