"""policy.lp: which switches hold."""

from __future__ import annotations

import pytest
from support import RULES, atoms

from plan07 import rulebook

DEFAULTS = {"cycle_policy": "collapse", "breaking_policy": "atomic", "grounding_policy": "lenient"}


def test_default_of_every_switch() -> None:
    """T5, T6, S-000-120: cycles collapse, gaps are closed in one step, grounding only advises."""
    assert atoms("policy.lp", "") == {f"{name}({value})" for name, value in DEFAULTS.items()}


def test_values_that_a_switch_may_have() -> None:
    """T5, T6, S-000-120."""
    assert rulebook.load(RULES).switches == {
        "cycle_policy": ("collapse", "refuse"),
        "breaking_policy": ("atomic", "reject"),
        "grounding_policy": ("lenient", "strict"),
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [("cycle_policy", "refuse"), ("breaking_policy", "reject"), ("grounding_policy", "strict")],
)
def test_a_run_may_override_a_switch(name: str, value: str) -> None:
    chosen = rulebook.load(RULES, policy={name: value}).chosen
    assert chosen == {**DEFAULTS, name: value}
