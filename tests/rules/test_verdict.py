"""Verdict: how does the plan stand (build spec 3.1 step 2, 3.7; T11, T12)."""

from __future__ import annotations

import pytest
from support import atoms, only

DONE = 'unit("A"). member("A","A"). complete("A").'


def verdict(facts: str, cap: int = 32) -> set[str]:
    return only(atoms("verdict.lp", facts, {"max_revisions": cap}), "verdict")


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ('unit("A"). ready("A").', "running"),
        (f'{DONE} unit("B"). ready("B").', "running"),
        ('unit("A"). ready("A"). failed("B"). unit("B").', "running"),
        (DONE, "complete"),
        (f"{DONE} unconfirmed.", "awaiting_confirmation"),
        (f'{DONE} unit("B"). failed("B").', "stalled"),
        (f'{DONE} unit("B"). blocked("B").', "stalled"),
        (f'{DONE} unit("B"). failed("B"). unconfirmed.', "stalled"),
        ("", "needs_rescope"),
        (f'{DONE} unit("B"). failed("B"). revisions(32).', "needs_rescope"),
        (f'{DONE} unit("B"). failed("B"). revisions(31).', "stalled"),
        ('unit("A"). failed("A"). unit("B"). ready("B"). revisions(32).', "running"),
        (f"{DONE} revisions(32).", "complete"),
        (f"{DONE} abandoned.", "abandoned"),
        ('unit("A"). ready("A"). abandoned.', "abandoned"),
        ('unit("A"). failed("A"). revisions(40). abandoned.', "abandoned"),
        (f"{DONE} unconfirmed. abandoned.", "abandoned"),
        ("abandoned.", "abandoned"),
    ],
)
def test_there_is_exactly_one_verdict(facts: str, expected: str) -> None:
    """S-000-014, S-001-11: a plan ends at confirmed criteria only."""
    assert verdict(facts) == {f"verdict({expected})"}


def test_t8_a_plan_of_alternatives_alone_is_never_complete() -> None:
    facts = 'unit("A"). member("A","A"). complete("A"). status("A",alternative).'
    assert verdict(facts) == {"verdict(stalled)"}


def test_the_cap_of_revisions_is_a_limit() -> None:
    assert verdict('unit("A"). failed("A"). revisions(2).', cap=2) == {"verdict(needs_rescope)"}
