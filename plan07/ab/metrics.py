"""The instruments of build spec 7.1 to 7.3, exact.

Each is scored apart (paper section 6). All are fractions of whole numbers, so that a threshold is
hit or missed and never rounded. None means that the instrument has no value: nothing was run,
nothing was executed, or something could not be judged. A missing value never counts as a good one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from plan07.ab.records import RunRecord, StepRecord

Value: TypeAlias = Fraction | None
MEASURES = ("retry_tokens", "temporal", "resolve", "cost", "tokens")
# Whether more of it is better.
RISING = {
    "retry_tokens": False,
    "temporal": True,
    "resolve": True,
    "cost": False,
    "tokens": False,
}
# The rates are compared exactly, the amounts by their ratio (build spec 7.5, "continuous").
RATES = ("temporal", "resolve")


class Measures(NamedTuple):
    """The five figures of some runs of one arm.

    Args:
        retry_tokens: tokens of calls that did again what had failed, a run (7.1).
        temporal: valid states / executed nodes, over all runs together, 0 to 1 (7.2).
        resolve: resolved runs / runs, 0 to 1 (7.3).
        cost: model spend in dollars, a run (7.3).
        tokens: all tokens, in and out, a run (7.3).
    """

    retry_tokens: Value
    temporal: Value
    resolve: Value
    cost: Value
    tokens: Value

    def value(self, name: str) -> Value:
        """Return a figure by its name in `MEASURES`."""
        found: Value = self[MEASURES.index(name)]
        return found


class States(NamedTuple):
    """The numbers behind a temporal-consistency rate.

    Args:
        valid: executed nodes after which the repository was valid.
        executed: executed nodes.
        unjudged: those of them that nobody could judge.
    """

    valid: int
    executed: int
    unjudged: int

    @property
    def rate(self) -> Value:
        """Return valid / executed; None if nothing was executed or a state was not judged."""
        return None if self.unjudged or not self.executed else Fraction(self.valid, self.executed)


def exact(value: float | str | Decimal | Fraction | None) -> Value:
    """Return a number as a fraction, decimals as they are written; None for NaN and infinities.

    >>> exact(0.9), exact(float("nan"))
    (Fraction(9, 10), None)
    """
    if value is None or isinstance(value, Fraction):
        return value
    if isinstance(value, float):
        return Fraction(repr(value)) if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return Fraction(value) if value.is_finite() else None
    return Fraction(value)


def measures(runs: Sequence[RunRecord]) -> Measures:
    """Return the figures of some runs; None for each figure that one of them lacks."""
    return Measures(
        _mean([retry_tokens(run) for run in runs]),
        states(step for run in runs for step in run.steps).rate,
        _mean([None if run.resolved is None else Fraction(run.resolved) for run in runs]),
        _mean([exact(run.cost) for run in runs]),
        _mean([tokens(run) for run in runs]),
    )


def retry_tokens(run: RunRecord) -> Value:
    """Return the tokens of a run's retries, in and out; None in a replay, which asks no model."""
    if run.execution == "replay":
        return None
    return Fraction(sum(call.tokens_in + call.tokens_out for call in run.calls if call.retry))


def tokens(run: RunRecord) -> Value:
    """Return all tokens of a run, in and out; None in a replay, which asks no model."""
    if run.execution == "replay":
        return None
    return Fraction(sum(call.tokens_in + call.tokens_out for call in run.calls))


def states(steps: Iterable[StepRecord], oracle: str | None = None) -> States:
    """Return how many states were valid after each executed node.

    Args:
        steps: of one run or several; those that were not applied do not count.
        oracle: the judge to believe; the verdict of all (`valid`) without it.
    """
    verdicts = [
        step.valid if oracle is None else step.oracles.get(oracle) for step in steps if step.applied
    ]
    return States(verdicts.count(True), len(verdicts), verdicts.count(None))


def oracles(runs: Iterable[RunRecord]) -> list[str]:
    """Return the names of the judges that gave a verdict, sorted."""
    return sorted({name for run in runs for step in run.steps for name in step.oracles})


def _mean(values: Sequence[Value]) -> Value:
    known = [value for value in values if value is not None]
    return sum(known, Fraction()) / len(known) if known and len(known) == len(values) else None
