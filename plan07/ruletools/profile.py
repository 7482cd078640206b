"""Where the time of a solve goes: by phase, by stage and by rule.

Phases are timed in whole solves and in each stage solved again by itself. The solver does not time
single rules, so each is grounded by itself on top of the answer set of its stage: that takes what
the rule would cost if nothing else did.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from plan07 import answersets, solver
from plan07.document import Plan
from plan07.errors import PlanRefused
from plan07.ruletools import firing, recording
from plan07.ruletools.history import History, Moment

Clock = Callable[[], float]
# Single rules are timed this often; the quickest counts, as everything else is noise.
_REPEATS = 3


class Timing(NamedTuple):
    """How long something takes.

    Args:
        stage: of the rules, or "" for a phase of the whole solve.
        phase: rules, evidence, graph, schedule; of a stage load, ground or solve.
        p50, p95: milliseconds, the median and what 19 of 20 stay below.
    """

    stage: str
    phase: str
    p50: float
    p95: float


class RuleCost(NamedTuple):
    """What a rule does and takes.

    Args:
        id: of the rule.
        stage: where.
        instances: how many of them fire.
        milliseconds: to ground it alone against the answer set of the stage.
    """

    id: str
    stage: str
    instances: int
    milliseconds: float


class Profile(NamedTuple):
    """Where time and memory go.

    Args:
        solves: how many solves were timed.
        timings: phases of the solve first, then those of each stage.
        rules: the rules that fire, the most expensive first.
        atoms: how many atoms the answer set of each stage has.
        peak_bytes: the largest memory of this process so far, None where that is not known.
    """

    solves: int
    timings: tuple[Timing, ...]
    rules: tuple[RuleCost, ...]
    atoms: dict[str, int]
    peak_bytes: int | None

    def as_dict(self) -> dict[str, Any]:
        """Return the wire form, keys in a fixed order."""
        return {
            "solves": self.solves,
            "timings": [each._asdict() for each in self.timings],
            "rules": [each._asdict() for each in self.rules],
            "atoms": self.atoms,
            "peak_bytes": self.peak_bytes,
        }


def measure(plans: Sequence[tuple[Plan, solver.Options]], count: int, clock: Clock) -> Profile:
    """Return where the time of some plans goes, all of them together.

    Args:
        plans: plans with how to solve each.
        count: how often each is solved.
        clock: seconds, such as `time.perf_counter`.

    Raises:
        InputError: an option or a file of evidence is wrong.
        RulesError: the rules are broken.
    """
    spent: dict[tuple[str, str], list[float]] = {}
    costs: dict[tuple[str, str], list[float]] = {}
    atoms: dict[str, int] = {}
    histories = [History(recording.record(plan, options)) for plan, options in plans]
    for _ in range(count):
        for plan, options in plans:
            for phase, seconds in _solve(plan, options):
                spent.setdefault(("", phase), []).append(seconds)
    for history in histories:
        for moment in history.moments.values():
            for _ in range(count):
                for phase, seconds in moment.timed(clock):
                    spent.setdefault((moment.name, phase), []).append(seconds)
    peak = _peak_bytes()
    for history in histories:
        for moment in history.moments.values():
            atoms[moment.name] = atoms.get(moment.name, 0) + len(moment.firing.atoms)
            for identifier, cost in _costs(moment, clock):
                own = costs.setdefault((identifier, moment.name), [0, 0.0])
                own[0] += moment.firing.counts[identifier]
                own[1] += cost
    timings = tuple(
        Timing(stage, phase, *percentiles([each * 1000 for each in values]))
        for (stage, phase), values in spent.items()
    )
    ranked = sorted(
        (RuleCost(name, stage, int(n), cost * 1000) for (name, stage), (n, cost) in costs.items()),
        key=lambda each: (-each.milliseconds, each.id),
    )
    return Profile(count * len(plans), timings, tuple(ranked), atoms, peak)


def _solve(plan: Plan, options: solver.Options) -> list[tuple[str, float]]:
    """Return the phases of one solve; of a plan that is refused, those until then."""
    found: list[tuple[str, float]] = []
    try:
        solver.solve_plan(plan, options, lambda *each: found.append(each))
    except PlanRefused:
        pass
    return found


def _costs(moment: Moment, clock: Clock) -> Iterable[tuple[str, float]]:
    """Yield what each rule that fires at a stage takes alone; a fact takes nothing."""
    base = [*firing.constants_of(moment.own), *(f"{atom}." for atom in moment.firing.atoms)]
    asked = [rule for rule in moment.own if rule.id in moment.firing.counts and rule.kind != "fact"]
    parts = ["\n".join(firing.witnesses_of(rule)) for rule in asked]
    repeated = [
        answersets.seconds_apart("\n".join(base), parts, moment.constants, clock)
        for _ in range(_REPEATS)
    ]
    for place, rule in enumerate(asked):
        yield rule.id, min(seconds[place] for seconds in repeated)


def percentiles(values: Sequence[float]) -> tuple[float, float]:
    """Return the median of some values, and what 19 of 20 of them do not exceed.

    >>> percentiles([3.0, 1.0, 2.0])
    (2.0, 3.0)
    """
    ordered = sorted(values)
    median, most = (min(len(ordered) - 1, len(ordered) * each // 100) for each in (50, 95))
    return ordered[median], ordered[most]


def _peak_bytes() -> int | None:
    try:
        import resource
    except ImportError:
        return None  # Not every system tells.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
