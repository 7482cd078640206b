"""The replay as an execution of the A/B protocol: no model, the commit's own edits.

    execution = "replay"
    provider = "bench.replay.execution:make"
    [options]
    repos = "DIR"                      # clones; environments = "DIR" and kept = "DIR" as well
    [[tasks]]
    id = "marshmallow-code/marshmallow@78393d80d4"

The arms are orders in which the same edits are made. No call is made, so there are no tokens and
nothing to retry; what the protocol reads of such runs is the temporal-consistency rate alone.

- plan07: the plan's steps, each behind its gate, revised where one fails.
- static: a chain that is written down once, in the order of the diff.
- current: file by file.
- monolithic: everything in one step, so that no state lies between.

Without a mechanism the arm plan07 is: without the revision trigger, the steps as they were planned,
whatever state they leave; without the dependency ordering, the order of the diff behind the gate;
without the local gate, the same as without the trigger, which then has nothing to hear of; without
typed artifacts, edits known by their files alone; without the externalized plan, an order that is
forgotten and begun anew from the diff after each failure, of which a replay has none: the plan.
"""

from __future__ import annotations

from typing import Any

from plan07.ab.records import Arm, Context, Mechanism, RunRecord, StepRecord, Task

from bench.replay import orders, planned
from bench.replay.command import DEFAULTS, corpus
from bench.replay.orders import Steps
from bench.replay.replaying import Case, Places, opened
from bench.replay.revision import drive
from plan07.errors import InputError


class Replay:
    """Replays a commit in the order of an arm.

    Args:
        context: of the configuration.
    """

    def __init__(self, context: Context) -> None:
        self.context = context

    def run(self, task: Task, arm: Arm, seed: int, removed: Mechanism | None) -> RunRecord:
        """Return the record of one replay; the seed changes nothing.

        Raises:
            InputError: the corpus has no such commit.
            PlanRefused: the plan is refused.
        """
        options: dict[str, Any] = self.context.options
        places = Places(
            options["repos"],
            options.get("environments", DEFAULTS.environments),
            options.get("kept", DEFAULTS.kept),
        )
        with opened(_record(task.id), places) as case:
            steps, tried = _steps(case, arm, removed)
            return self.context.record(
                task,
                arm,
                seed,
                removed,
                steps=_judged(case, steps),
                calls=(),
                resolved=True,
                tokenizer="none: no model is called",
                settings={"edits": str(len(case.change.edits)), "states tried": str(tried)},
            )


def make(context: Context) -> Replay:
    """Return the execution of a configuration."""
    return Replay(context)


def _record(name: str) -> dict[str, Any]:
    repo, _, commit = name.partition("@")
    for each in corpus():
        if each["repo"] == repo and commit and each["commit"].startswith(commit):
            return each
    raise InputError(
        "REPLAY_UNKNOWN",
        f"the corpus has no commit {name!r}",
        "name it as OWNER/NAME@COMMIT, as corpus.json has it",
        phase="ab",
        detail={"task": name},
    )


def _steps(case: Case, arm: Arm, removed: Mechanism | None) -> tuple[Steps, int]:
    """Return the steps of an arm, and how many states were tried to find them."""
    change = case.change
    if arm == Arm.MONOLITHIC:
        return [list(range(len(change.edits)))], 0
    if arm == Arm.STATIC:
        return orders.diff_order(change), 0
    if arm == Arm.CURRENT:
        return orders.by_file(change), 0
    found = case.found
    if removed in (Mechanism.REVISION_TRIGGER, Mechanism.LOCAL_GATE):
        return [list(each.edits) for each in planned.scheduled(change, found, case.name)], 0
    if removed == Mechanism.DEPENDENCY_ORDERING:
        found = found._replace(dependencies=[])
    if removed == Mechanism.TYPED_ARTIFACTS:
        found = found._replace(
            dependencies=[each._replace(change="body", order="") for each in found.dependencies],
            kinds=[["body"] for _ in found.kinds],
        )
    driven = drive(change, found, case.states, case.name)
    return driven.steps, driven.tried


def _judged(case: Case, steps: Steps) -> list[StepRecord]:
    done: set[int] = set()
    found: list[StepRecord] = []
    # The last step leads to the commit itself, which is no state between.
    for number, step in enumerate(steps[:-1], 1):
        done |= set(step)
        verdict = case.states.verdict(frozenset(done))
        found.append(
            StepRecord(
                node=f"step-{number}",
                obligations=tuple(planned.identifier(each) for each in step),
                valid=verdict.tests,
                oracles={"tests": verdict.tests, "stable_tests": verdict.stable},
            )
        )
    return found
