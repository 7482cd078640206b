"""What a simulated run assumes about a weak model, each as a number that can be changed.

Only the failure rate is measured by anybody; the others are assumptions of this simulation, stand
in the settings of every run, and belong beside every figure.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from plan07.ab.config import checked
from plan07.ab.records import Context, Name, Task
from plan07.ab.tokens import DEFAULT
from plan07.models import Record

# Between 0 and 1, decimal so that it is what was written.
Rate: TypeAlias = Annotated[Decimal, Field(ge=0, le=1, allow_inf_nan=False)]


class Assumptions(Record):
    """A weak model, in numbers.

    Args:
        size: obligations that the request demands, 1 to 24 (more records do not fit into a reply of
            2,048 tokens, so the decomposition would come to nothing).
        failure_rate: share of edits that are wrong. Default: 34.6 % of 2,058 edit actions in
            trajectories of SWE-agent with GPT-4 were rejected; the source's number, not ours.
        relapse: share of edits that were right and are wrong when they are made once more; the
            failure rate by default. 0 is the kindest that can be assumed of arms that start over.
        undeclared: share of the dependencies that there are and the decomposition leaves out.
        disorder: share of obligations that the decomposition names too early.
        surprise: share of obligations whose edit breaks a dependent that no evidence told of.
        missed: share of wrong edits that the test of their own does not find; acceptance tests do.
        malformed: share of typed records that are not of the schema.
        forgotten: share of steps that are skipped where the plan lives in the model's context.
        world: the name of the simulated repository; tasks of the same name share it, and its luck,
            so that they differ in the other numbers only. The task's id by default.
        attempts: how often an obligation is edited at most, in every arm.
        tokenizer: as `tokens.counter`.
    """

    size: Annotated[int, Field(ge=1, le=24)] = 6
    failure_rate: Rate = Decimal("0.346")
    relapse: Rate | None = None
    undeclared: Rate = Decimal("0.5")
    disorder: Rate = Decimal("0.25")
    surprise: Rate = Decimal("0.1")
    missed: Rate = Decimal("0.1")
    malformed: Rate = Decimal(0)
    forgotten: Rate = Decimal("0.05")
    attempts: Annotated[int, Field(ge=1, le=20)] = 3
    world: Name = ""
    tokenizer: str = DEFAULT

    def settings(self) -> dict[str, str]:
        """Return the numbers as a run's settings, by their names."""
        shown = {n: str(value) for n, value in self if n not in ("tokenizer", "world")}
        return {**shown, "relapse": str(self.again)}

    @property
    def again(self) -> Decimal:
        """The rate at which what was right is wrong when it is made once more."""
        return self.failure_rate if self.relapse is None else self.relapse


def of(context: Context, task: Task) -> Assumptions:
    """Return the assumptions of a task: its data, then the options, then the defaults.

    Raises:
        InputError: a name is unknown, or a number out of its range.
    """
    merged: dict[str, Any] = {"world": task.id, **context.options, **task.data}
    return checked(Assumptions, merged, f"task {task.id}", "AB_ASSUMPTION_INVALID")
