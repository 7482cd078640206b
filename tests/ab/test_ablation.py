"""The ablation rule (S-000-116)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from plan07.ab.ablation import ablate
from plan07.ab.metrics import MEASURES, Measures, exact
from plan07.ab.records import Mechanism

GATE = Mechanism.LOCAL_GATE
WHOLE = {"retry_tokens": 1000, "temporal": 0.9, "resolve": 0.5, "cost": 2, "tokens": 5000}


def measured(**changed: Any) -> Measures:
    values: dict[str, Any] = {**WHOLE, **changed}
    return Measures(*(exact(values[name]) for name in MEASURES))


def verdict(**changed: Any) -> str:
    return ablate(measured(), {GATE: measured(**changed)})[0].verdict


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        pytest.param({}, "delete", id="nothing-changes"),
        pytest.param({"retry_tokens": 1050}, "delete", id="5.0-percent-more"),
        pytest.param({"retry_tokens": 1051}, "keep", id="5.1-percent-more"),
        pytest.param({"retry_tokens": 1050 + Fraction(1, 10**30)}, "keep", id="5-and-epsilon"),
        pytest.param({"retry_tokens": 950}, "delete", id="5.0-percent-less"),
        pytest.param({"retry_tokens": 949}, "delete_harm", id="5.1-percent-less-is-better"),
        pytest.param({"cost": 2.1}, "delete", id="cost-5.0"),
        pytest.param({"cost": 2.102}, "keep", id="cost-5.1"),
        pytest.param({"tokens": 5250}, "delete", id="tokens-5.0"),
        pytest.param({"tokens": 5255}, "keep", id="tokens-5.1"),
        pytest.param({"temporal": 0.8999}, "keep", id="a-rate-is-exact"),
        pytest.param({"temporal": 0.9001}, "delete_harm", id="a-rate-that-rises"),
        pytest.param({"resolve": 0.499}, "keep", id="resolve-is-exact"),
        pytest.param({"resolve": 0.501}, "delete_harm", id="resolve-that-rises"),
        pytest.param({"temporal": 0.2, "retry_tokens": 100}, "keep", id="one-worse-one-better"),
        pytest.param({"retry_tokens": 0}, "delete_harm", id="no-retries-without-it"),
        pytest.param({"temporal": None}, "undecided", id="missing"),
        pytest.param({"cost": float("nan")}, "undecided", id="nan"),
        pytest.param({"temporal": None, "retry_tokens": 9000}, "undecided", id="missing-and-worse"),
    ],
)
def test_verdicts(changed: dict[str, object], expected: str) -> None:
    assert verdict(**changed) == expected


@pytest.mark.parametrize(("without", "expected"), [(0, "delete"), (1, "keep")])
def test_of_nothing_only_nothing_is_within_noise(without: int, expected: str) -> None:
    found = ablate(measured(retry_tokens=0), {GATE: measured(retry_tokens=without)})
    assert found[0].verdict == expected
    assert found[0].changes[0].ratio is None


def test_the_revision_trigger_comes_first() -> None:
    found = ablate(measured(), {each: measured() for each in reversed(Mechanism)})
    assert [str(each.mechanism) for each in found] == [
        "revision_trigger",
        "externalized_plan",
        "typed_artifacts",
        "dependency_ordering",
        "local_gate",
    ]


def test_each_change_is_told() -> None:
    (found,) = ablate(measured(), {GATE: measured(retry_tokens=1051, temporal=0.95)})
    assert found.changes[0][1:] == (1000, 1051, Fraction(51, 1000), True, True)
    assert found.changes[1][1:] == (Fraction(9, 10), Fraction(95, 100), None, True, False)
    assert found.changes[2][3:] == (None, False, False)
