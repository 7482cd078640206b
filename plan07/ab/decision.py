"""The decision rule of build spec 7.4, to the last digit.

The candidate is adopted if and only if all seven criteria hold:

1. retry tokens strictly below the monolithic prompt (7.1, the key measure),
2. retry tokens strictly below the static decomposition (7.1),
3. temporal-consistency rate strictly above the monolithic prompt (7.2: "versus both baselines";
   7.4 does not repeat "both", 7.2 says it),
4. temporal-consistency rate strictly above the static decomposition (7.2),
5. resolve rate not below the current path (7.3, 7.4),
6. cost at most 1.5 times that of the current path (7.4),
7. tokens at most 1.5 times those of the current path (7.4).

So the two plan instruments compare with the two other ways to decompose, the regression guard with
the path that would be replaced. Exactly 1.5 times passes. A figure that is missing fails every
criterion that needs it. A baseline whose rate is 1 cannot be beaten, and the criterion says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from plan07.ab.metrics import Measures, Value
from plan07.ab.records import Arm

CEILING = Fraction(3, 2)

BASELINES = (Arm.MONOLITHIC, Arm.STATIC)


class Criterion(NamedTuple):
    """One line of the rule.

    Args:
        measure: a name of `metrics.MEASURES`.
        against: the arm it is compared with.
        rule: below, above, at_least, or at_most.
        candidate: plan07's figure.
        baseline: the other arm's figure.
        bound: what the candidate was held against; 1.5 times the baseline with at_most.
        holds: the criterion is met.
        why: empty, or why it can not be met whatever the candidate does.
    """

    measure: str
    against: Arm
    rule: str
    candidate: Value
    baseline: Value
    bound: Value
    holds: bool
    why: str = ""


class Decision(NamedTuple):
    """The outcome of the rule.

    Args:
        adopted: every criterion holds.
        criteria: the seven, in the order of the module's text.
    """

    adopted: bool
    criteria: tuple[Criterion, ...]


def decide(arms: Mapping[Arm, Measures]) -> Decision:
    """Return whether plan07 replaces the current path.

    Args:
        arms: the figures of the four arms, of the identical sample, model and host.

    Raises:
        KeyError: an arm is missing.
    """
    criteria = (
        *(_criterion(arms, "retry_tokens", arm, "below") for arm in BASELINES),
        *(_criterion(arms, "temporal", arm, "above") for arm in BASELINES),
        _criterion(arms, "resolve", Arm.CURRENT, "at_least"),
        _criterion(arms, "cost", Arm.CURRENT, "at_most"),
        _criterion(arms, "tokens", Arm.CURRENT, "at_most"),
    )
    return Decision(all(each.holds for each in criteria), criteria)


def _criterion(arms: Mapping[Arm, Measures], measure: str, against: Arm, rule: str) -> Criterion:
    candidate = arms[Arm.PLAN07].value(measure)
    baseline = arms[against].value(measure)
    if candidate is None or baseline is None:
        lacks = Arm.PLAN07 if candidate is None else against
        why = f"{lacks} has no value"
        return Criterion(measure, against, rule, candidate, baseline, None, False, why)
    bound = baseline * CEILING if rule == "at_most" else baseline
    holds = {
        "below": candidate < bound,
        "above": candidate > bound,
        "at_least": candidate >= bound,
        "at_most": candidate <= bound,
    }[rule]
    return Criterion(
        measure, against, rule, candidate, baseline, bound, holds, _hopeless(rule, bound)
    )


def _hopeless(rule: str, bound: Fraction) -> str:
    if rule == "above" and bound == 1:
        return "the baseline is at 1, which cannot be beaten"
    if rule == "below" and bound == 0:
        return "the baseline is at 0, which cannot be beaten"
    return ""
