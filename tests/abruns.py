"""Runs of the A/B protocol that a test makes up, and a provider that makes them at once."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from plan07.ab.records import (
    Arm,
    CallRecord,
    Context,
    Mechanism,
    RunRecord,
    StepRecord,
    Task,
    kept,
    sample_digest,
)

TASKS = (Task(id="one"), Task(id="two"))
CONTEXT = Context(
    execution="live",
    sample=sample_digest(TASKS),
    model="weak",
    host="box",
    config="0" * 64,
)
# What the source published for retry tokens; here only figures that tell the arms apart.
RETRIES = {Arm.MONOLITHIC: 904, Arm.STATIC: 1632, Arm.CURRENT: 500, Arm.PLAN07: 436}


def call(retry: int = 0, first: int = 1000) -> list[CallRecord]:
    """Return a first call and, unless there are no retry tokens, a retry."""
    made = [(first, False), *([(retry, True)] if retry else [])]
    return [
        CallRecord(
            purpose="edit",
            step=0,
            retry=again,
            tokens_in=count - 1,
            tokens_out=1,
            prompt=kept(f"prompt {count} {again}"),
            reply=kept(f"reply {count}"),
        )
        for count, again in made
    ]


def steps(*valid: bool | None) -> list[StepRecord]:
    """Return executed nodes after which the repository was valid, or not, or nobody could tell."""
    return [StepRecord(node=f"N{i}", valid=each) for i, each in enumerate(valid, 1)]


def run(
    arm: Arm = Arm.PLAN07,
    task: str = "one",
    seed: int = 0,
    removed: Mechanism | None = None,
    *,
    context: Context = CONTEXT,
    retry: int | None = None,
    states: Sequence[bool | None] | None = None,
    resolved: bool | None = True,
    cost: str | None = "0.5",
    settings: Mapping[str, str] | None = None,
) -> RunRecord:
    """Return a run; of the arm plan07 one that wins against the others by default."""
    wins = arm is Arm.PLAN07
    made = context.record(
        Task(id=task),
        arm,
        seed,
        removed,
        steps=steps(*(states if states is not None else (True, wins))),
        calls=call(RETRIES[arm] if retry is None else retry),
        resolved=resolved,
        tokenizer="counted by hand",
        settings=settings,
    )
    return made.model_copy(update={"cost": None if cost is None else Decimal(cost)})


def grid(**options: Any) -> list[RunRecord]:
    """Return runs of all arms, two tasks and two seeds, on which plan07 is adopted."""
    return [run(arm, task.id, seed, **options) for task in TASKS for seed in (0, 1) for arm in Arm]


def written(path: Path, runs: Sequence[RunRecord]) -> str:
    """Write a runs file and return its path."""
    path.write_text("".join(f"{each.line()}\n" for each in runs), "utf-8")
    return str(path)


class Instant:
    """Makes runs at once; options make it slow, or misbehave at one task."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def run(self, task: Task, arm: Arm, seed: int, removed: Mechanism | None) -> RunRecord:
        options = self.context.options
        if "trace" in options:
            with open(options["trace"], "a", encoding="utf-8") as stream:
                stream.write(f"{task.id} {arm} {seed} {removed or ''}\n")
        if task.id == options.get("dies_at"):
            os.kill(os.getpid(), signal.SIGKILL)
        if task.id == options.get("fails_at"):
            raise RuntimeError("no luck")
        if task.id == options.get("slow_at"):
            time.sleep(60)
        return run(arm, task.id, seed, removed, context=self.context)


def make(context: Context) -> Instant:
    """Return what makes runs at once."""
    return Instant(context)


def config(path: Path, tasks: Sequence[str] = ("one", "two"), **options: Any) -> str:
    """Write a configuration of instant runs and return its path."""
    told = "".join(f"{name} = {str(value)!r}\n" for name, value in options.items())
    listed = "".join(f'[[tasks]]\nid = "{each}"\n' for each in tasks)
    path.write_text(
        'execution = "live"\nprovider = "abruns:make"\nmodel = "weak"\nhost = "box"\nseeds = 2\n'
        f'arms = ["current", "plan07"]\n[options]\n{told}{listed}',
        "utf-8",
    )
    return str(path)
