"""A solve, watched: what every stage was given and what it concluded.

The pipeline is the one that `plan07 solve` runs; only the rulebook that it solves with takes notes.
A plan that is refused leaves the notes of the stages that ran until then.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from plan07 import answersets, evidence, obliggraph, planner, rulebook, solver
from plan07.document import Plan
from plan07.errors import PlanRefused
from plan07.facts import Atoms, Fact, program
from plan07.rulebook import Rulebook

# Those of a solve. Driving and changing a plan, drafting and impact are solves of their own.
SOLVED = frozenset({"admission", "graph", "repair", "schedule", "steps"})


class Stage(NamedTuple):
    """One stage of one solve.

    Args:
        name: one of `rulefiles.STAGES`.
        given: its input, one fact a line, sorted.
        optimise: the stage looked for the best of several answers.
    """

    name: str
    given: str
    optimise: bool


class Recording(NamedTuple):
    """What came out of a plan, and every stage on the way.

    Args:
        rules: the composed rules.
        stages: in the order in which they ran. A stage that ran twice, because a repair changed
            its input, stands here twice.
        result: the schedule in its wire form, or None.
        refusal: why there is none, or None.
    """

    rules: Rulebook
    stages: tuple[Stage, ...]
    result: dict[str, Any] | None
    refusal: PlanRefused | None


class _Watched(Rulebook):
    """A rulebook that takes notes."""

    def __init__(self, rules: Rulebook) -> None:
        super().__init__(rules.files, rules.policy, rules.limits)
        self.notes: list[Stage] = []

    def solve(self, stage: str, facts: Iterable[Fact], *, optimise: bool = False) -> Atoms:
        listed = list(facts)
        self.notes.append(Stage(stage, program(listed), optimise))
        return super().solve(stage, listed, optimise=optimise)


def record(plan: Plan, options: solver.Options, book: Rulebook | None = None) -> Recording:
    """Return what a solve of a plan did.

    Args:
        plan: the plan, read.
        options: how to solve, as in `solver.solve_plan`.
        book: other rules than those that the options name.

    Raises:
        InputError: an option or a file of evidence is wrong.
        RulesError: the rules are broken.
    """
    if book is None:
        book = rulebook.load(options.rules, options.policy, options.limits)
    rules = _Watched(book)
    targets = [record.target_entity for record in plan.records]
    parts = [evidence.inline(plan.evidence or {})]
    for origin, path in options.files.items():
        parts.append(evidence.encode(origin, os.fspath(path), targets))
    result = refusal = None
    try:
        graph = obliggraph.build(plan, evidence.merge(parts), rules, options.repair)
        result = planner.schedule(graph, rules)
    except PlanRefused as error:
        refusal = error
    return Recording(rules, tuple(rules.notes), result, refusal)


def texts(rules: Rulebook, stage: str) -> list[str]:
    """Return the rules of a stage as they run, file by file."""
    return [rules.text(file.name, stage) for file in rules.files if stage in file.stages]


def conclusions(rules: Rulebook, stage: Stage) -> list[str]:
    """Return every atom of the answer set of a stage, private ones and facts too, sorted.

    Raises:
        RulesError: the rules are broken.
    """
    found = answersets.consequences(
        [*texts(rules, stage.name), stage.given], rules.numbers, optimise=stage.optimise
    )
    return sorted(found)
