"""How sure a figure is: mean ± standard deviation over seeds, and a bootstrap interval.

The interval is the percentile bootstrap over tasks, since runs of one task are alike; over seeds
where there is one task only. It describes; the rule (`decision`) decides by the exact figures.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from plan07.ab.metrics import Value, measures, retry_tokens, states, tokens
from plan07.ab.records import RunRecord

RESAMPLES = 2000
COVERAGE = 0.95
_SEED = 20

# Numerator and denominator of a figure over some runs; None if one of them lacks it.
Share: TypeAlias = tuple[float, float] | None


class Figure(NamedTuple):
    """A figure of an arm.

    Args:
        exact: over all runs.
        mean: over seeds, of the figure of each seed.
        sd: over seeds, the sample's; None with one seed.
        low: lower end of the 95 % interval.
        high: upper end.
    """

    exact: Value
    mean: float | None
    sd: float | None
    low: float | None
    high: float | None


def figure(runs: Sequence[RunRecord], name: str) -> Figure:
    """Return a figure of some runs.

    Args:
        runs: of one arm.
        name: of `metrics.MEASURES`.
    """
    exact = measures(runs).value(name)
    if exact is None:
        return Figure(None, None, None, None, None)
    by_seed = [measures(each).value(name) for each in _grouped(runs, lambda run: run.seed).values()]
    mean, sd = mean_sd([each for each in by_seed if each is not None])
    shares = [_share(each, name) for each in _clusters(runs).values()]
    low, high = _interval([[share] for share in shares if share], lambda sums: _ratio(sums[0]))
    return Figure(exact, mean, sd, low, high)


def difference(
    candidate: Sequence[RunRecord], baseline: Sequence[RunRecord], name: str
) -> tuple[float | None, float | None]:
    """Return the 95 % interval of candidate minus baseline, the same tasks drawn for both."""
    one, other = _clusters(candidate), _clusters(baseline)
    pairs = [[_share(one[key], name), _share(other[key], name)] for key in one if key in other]
    known = [[a, b] for a, b in pairs if a is not None and b is not None]
    if not known or len(known) < len(pairs):
        return None, None

    def gap(sums: Sequence[tuple[float, float]]) -> float | None:
        first, second = _ratio(sums[0]), _ratio(sums[1])
        return None if first is None or second is None else first - second

    return _interval(known, gap)


def mean_sd(values: Sequence[Fraction]) -> tuple[float | None, float | None]:
    """Return mean and sample standard deviation.

    >>> mean_sd([Fraction(1), Fraction(3)])
    (2.0, 1.4142135623730951)
    """
    if not values:
        return None, None
    mean = sum(values, Fraction()) / len(values)
    if len(values) == 1:
        return float(mean), None
    variance = sum(((each - mean) ** 2 for each in values), Fraction()) / (len(values) - 1)
    return float(mean), math.sqrt(variance)


def _interval(
    clusters: Sequence[Sequence[tuple[float, float]]],
    value: Callable[[Sequence[tuple[float, float]]], float | None],
) -> tuple[float | None, float | None]:
    """The percentile interval of a value of sums over clusters drawn with replacement."""
    if len(clusters) < 2:
        return None, None
    draw = random.Random(_SEED)
    found = []
    for _ in range(RESAMPLES):
        drawn = draw.choices(clusters, k=len(clusters))
        sums = [
            (math.fsum(each[0] for each in column), math.fsum(each[1] for each in column))
            for column in zip(*drawn, strict=True)
        ]
        one = value(sums)
        if one is not None:
            found.append(one)
    if not found:
        return None, None
    found.sort()
    tail = (1 - COVERAGE) / 2
    return found[int(tail * len(found))], found[min(len(found) - 1, int((1 - tail) * len(found)))]


def _ratio(sums: tuple[float, float]) -> float | None:
    return sums[0] / sums[1] if sums[1] else None


def _share(runs: Sequence[RunRecord], name: str) -> Share:
    if name == "temporal":
        found = states(step for run in runs for step in run.steps)
        return None if found.unjudged else (found.valid, found.executed)
    values: list[Value] = [
        {
            "retry_tokens": retry_tokens(run),
            "tokens": tokens(run),
            "cost": None if run.cost is None else Fraction(run.cost),
            "resolve": None if run.resolved is None else Fraction(run.resolved),
        }[name]
        for run in runs
    ]
    known = [each for each in values if each is not None]
    return (float(sum(known, Fraction())), len(known)) if len(known) == len(values) else None


def _clusters(runs: Sequence[RunRecord]) -> Mapping[object, list[RunRecord]]:
    by_task = _grouped(runs, lambda run: run.task)
    return by_task if len(by_task) > 1 else _grouped(runs, lambda run: run.seed)


def _grouped(
    runs: Sequence[RunRecord], key: Callable[[RunRecord], object]
) -> dict[object, list[RunRecord]]:
    found: dict[object, list[RunRecord]] = {}
    for run in runs:
        found.setdefault(key(run), []).append(run)
    return found
