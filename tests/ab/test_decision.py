"""The decision rule, to the last digit (S-000-111 to S-000-115, F27)."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from abruns import RETRIES

from plan07.ab.decision import Decision, decide
from plan07.ab.metrics import MEASURES, Measures, exact
from plan07.ab.records import Arm

# F27: retry tokens 436 against 904 and 1632, consistency .9 against .8, all else at its limit.
F27: dict[Arm, dict[str, Any]] = {
    Arm.MONOLITHIC: {"retry_tokens": 904, "temporal": 0.8},
    Arm.STATIC: {"retry_tokens": 1632, "temporal": 0.8},
    Arm.CURRENT: {"resolve": 0.5, "cost": 2, "tokens": 1000},
    Arm.PLAN07: {
        "retry_tokens": 436,
        "temporal": 0.9,
        "resolve": 0.5,
        "cost": 3,
        "tokens": 1500,
    },
}
M, S, C, P = Arm.MONOLITHIC, Arm.STATIC, Arm.CURRENT, Arm.PLAN07


def decided(*changed: tuple[Arm, str, object]) -> Decision:
    values = {arm: dict(row) for arm, row in F27.items()}
    for arm, name, value in changed:
        values[arm][name] = value
    return decide(
        {arm: Measures(*(exact(row.get(name)) for name in MEASURES)) for arm, row in values.items()}
    )


def failing(found: Decision) -> list[tuple[str, str]]:
    return [(each.measure, str(each.against)) for each in found.criteria if not each.holds]


def test_f27_wins_with_exactly_one_and_a_half_times_the_cost_and_the_tokens() -> None:
    found = decided()
    assert found.adopted is True
    assert failing(found) == []
    assert [(each.measure, each.against, each.rule) for each in found.criteria] == [
        ("retry_tokens", M, "below"),
        ("retry_tokens", S, "below"),
        ("temporal", M, "above"),
        ("temporal", S, "above"),
        ("resolve", C, "at_least"),
        ("cost", C, "at_most"),
        ("tokens", C, "at_most"),
    ]


EPSILON = Fraction(1, 10**30)


@pytest.mark.parametrize(
    ("changed", "lost"),
    [
        pytest.param((P, "cost", 3.0001), [("cost", "current")], id="F27-cost-1.5001"),
        pytest.param((P, "cost", 3 + EPSILON), [("cost", "current")], id="cost-1.5-and-epsilon"),
        pytest.param((P, "tokens", 1501), [("tokens", "current")], id="one-token-too-many"),
        pytest.param(
            (P, "tokens", 1500 + EPSILON), [("tokens", "current")], id="tokens-and-epsilon"
        ),
        pytest.param(
            (P, "temporal", 0.8),
            [("temporal", "monolithic"), ("temporal", "static")],
            id="F27-consistency-equal",
        ),
        pytest.param((M, "temporal", 0.9), [("temporal", "monolithic")], id="only-static-beaten"),
        pytest.param((S, "temporal", 0.95), [("temporal", "static")], id="only-monolith-beaten"),
        pytest.param((P, "retry_tokens", 904), [("retry_tokens", "monolithic")], id="F27-904"),
        pytest.param((P, "retry_tokens", 1000), [("retry_tokens", "monolithic")], id="1000"),
        pytest.param(
            (P, "retry_tokens", 1632),
            [("retry_tokens", "monolithic"), ("retry_tokens", "static")],
            id="as-static",
        ),
        pytest.param((S, "retry_tokens", 436), [("retry_tokens", "static")], id="flat-to-static"),
        pytest.param((P, "resolve", 0.4999), [("resolve", "current")], id="resolve-regresses"),
    ],
)
def test_one_criterion_missed_is_enough(
    changed: tuple[Arm, str, object], lost: list[tuple[str, str]]
) -> None:
    found = decided(changed)
    assert found.adopted is False
    assert failing(found) == lost


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param((P, "retry_tokens", 904 - EPSILON), id="retry-just-below"),
        pytest.param((P, "temporal", Fraction(8, 10) + EPSILON), id="consistency-just-above"),
        pytest.param((P, "resolve", 1), id="resolve-better"),
        pytest.param((P, "cost", 0), id="free"),
    ],
)
def test_just_enough_is_enough(changed: tuple[Arm, str, object]) -> None:
    assert decided(changed).adopted is True


def test_a_resolve_win_without_a_drop_of_retry_tokens_is_not_credited() -> None:
    """S-000-115."""
    found = decided((P, "resolve", 1), (P, "retry_tokens", 904))
    assert failing(found) == [("retry_tokens", "monolithic")]
    assert found.adopted is False


@pytest.mark.parametrize("missing", [None, math.nan, math.inf, Decimal("NaN")])
@pytest.mark.parametrize(("arm", "name"), [(arm, name) for arm, row in F27.items() for name in row])
def test_a_missing_or_nan_figure_loses(arm: Arm, name: str, missing: object) -> None:
    """S-000-114: also of a baseline."""
    found = decided((arm, name, missing))
    assert found.adopted is False
    lost = [each for each in found.criteria if not each.holds]
    assert {each.measure for each in lost} == {name}
    assert {each.why for each in lost} == {f"{arm} has no value"}


def test_a_baseline_at_one_cannot_be_beaten_and_that_is_said() -> None:
    """S-000-113."""
    found = decided((M, "temporal", 1), (P, "temporal", 1))
    assert failing(found) == [("temporal", "monolithic")]
    assert [each.why for each in found.criteria if not each.holds] == [
        "the baseline is at 1, which cannot be beaten"
    ]


def test_a_baseline_without_retries_cannot_be_beaten_and_that_is_said() -> None:
    found = decided((S, "retry_tokens", 0), (P, "retry_tokens", 0))
    assert [each.why for each in found.criteria if each.against is S and not each.holds] == [
        "the baseline is at 0, which cannot be beaten"
    ]


def test_a_free_current_path_allows_a_free_candidate_only() -> None:
    assert decided((C, "cost", 0), (P, "cost", 0)).adopted is True
    assert failing(decided((C, "cost", 0), (P, "cost", 1))) == [("cost", "current")]


def test_figures_of_tests_are_those_that_the_source_published() -> None:
    """S-000-112."""
    from plan07.ab.report import PUBLISHED

    assert {arm: PUBLISHED[arm][0] for arm in (M, S, P)} == {M: 904, S: 1632, P: 436}
    assert PUBLISHED == {S: (1632, 145), M: (904, 17), P: (436, 132)}
    assert all(RETRIES[arm] == mean for arm, (mean, _) in PUBLISHED.items())
