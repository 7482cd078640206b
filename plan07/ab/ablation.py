"""The ablation rule of build spec 7.5: a planning mechanism earns its tokens, or is deleted.

Each of the five mechanisms is removed in isolation, the revision trigger first, and the figures
without it are held against those of the whole planner. A figure has moved if it differs by more
than 5 %; of the two rates, which are not continuous, if it differs at all. Then:

- nothing moved: **delete** (its removal changes nothing beyond noise);
- something moved, and nothing for the worse: **delete** as a demonstrated harm;
- something got worse without it: **keep**;
- a figure is missing: **undecided**.

Exactly 5 % has not moved. Relative to a figure of 0, only 0 has not moved.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

from plan07.ab.metrics import MEASURES, RATES, RISING, Measures, Value
from plan07.ab.records import Mechanism

NOISE = Fraction(5, 100)

Verdict: TypeAlias = Literal["delete", "delete_harm", "keep", "undecided"]


class Change(NamedTuple):
    """What becomes of one figure without a mechanism.

    Args:
        measure: a name of `metrics.MEASURES`.
        whole: the figure of the whole planner.
        without: the figure without the mechanism.
        ratio: (without - whole) / whole; None for the rates, a missing figure, or a whole of 0.
        moved: it differs beyond noise; None if a figure is missing.
        worse: it moved, for the worse.
    """

    measure: str
    whole: Value
    without: Value
    ratio: Value
    moved: bool | None
    worse: bool


class Ablated(NamedTuple):
    """The verdict on one mechanism, and the figures behind it."""

    mechanism: Mechanism
    verdict: Verdict
    changes: tuple[Change, ...]


def ablate(whole: Measures, without: Mapping[Mechanism, Measures]) -> list[Ablated]:
    """Return the verdict on each mechanism that was removed, the revision trigger first.

    Args:
        whole: the figures of the whole planner.
        without: those of the planner without each mechanism, on the identical runs.
    """
    return [_ablated(each, whole, without[each]) for each in Mechanism if each in without]


def _ablated(mechanism: Mechanism, whole: Measures, without: Measures) -> Ablated:
    changes = tuple(_change(name, whole.value(name), without.value(name)) for name in MEASURES)
    if any(each.moved is None for each in changes):
        verdict: Verdict = "undecided"
    elif any(each.worse for each in changes):
        verdict = "keep"
    else:
        verdict = "delete_harm" if any(each.moved for each in changes) else "delete"
    return Ablated(mechanism, verdict, changes)


def _change(measure: str, whole: Value, without: Value) -> Change:
    if whole is None or without is None:
        return Change(measure, whole, without, None, None, False)
    ratio = None if measure in RATES or not whole else (without - whole) / whole
    moved = without != whole if ratio is None else abs(ratio) > NOISE
    worse = moved and (without < whole) == RISING[measure]
    return Change(measure, whole, without, ratio, moved, worse)
