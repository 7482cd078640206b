"""Where the time goes: every phase is timed, and instances are those that fire."""

from __future__ import annotations

import itertools

from support import obligation, plan

from plan07 import document, solver
from plan07.ruletools import profile

PLAN = document.read(plan(obligation("O1"), obligation("O2", dependencies=["O1"])), "x")


def measured(*plans: document.Plan) -> profile.Profile:
    """Return the profile of some plans by a clock that ticks once a look."""
    ticks = itertools.count()
    return profile.measure(
        [(each, solver.options()) for each in plans], 2, lambda: float(next(ticks))
    )


def test_every_phase_of_every_stage_is_timed() -> None:
    found = measured(PLAN)
    assert found.solves == 2
    assert [(each.stage, each.phase) for each in found.timings] == [
        *(("", phase) for phase in ("rules", "evidence", "graph", "schedule")),
        *(
            (stage, phase)
            for stage in ("admission", "graph", "schedule", "steps")
            for phase in ("load", "ground", "solve")
        ),
    ]
    assert {(each.p50, each.p95) for each in found.timings if each.stage} == {(1000.0, 1000.0)}


def test_the_instances_of_rules_are_counted() -> None:
    costs = {(each.id, each.stage): each for each in measured(PLAN).rules}
    assert costs["ordering.before", "schedule"].instances == 1
    assert costs["readiness.blocked", "schedule"].instances == 1
    assert costs["cycles.unit", "schedule"].instances == 2
    assert costs["cycles.unit", "schedule"].milliseconds == 1000.0
    assert ("cycles.composite", "schedule") not in costs


def test_several_plans_are_counted_together() -> None:
    costs = {(each.id, each.stage): each for each in measured(PLAN, PLAN).rules}
    assert costs["cycles.unit", "schedule"].instances == 4


def test_a_plan_that_is_refused_is_timed_as_far_as_it_came() -> None:
    refused = document.read(plan(obligation("O1", dependencies=["O9"])), "x")
    found = measured(refused)
    assert {each.stage for each in found.timings} == {"", "admission", "graph"}


def test_percentiles() -> None:
    assert profile.percentiles([float(each) for each in range(100, 0, -1)]) == (51.0, 96.0)
    assert profile.percentiles([7.0]) == (7.0, 7.0)
