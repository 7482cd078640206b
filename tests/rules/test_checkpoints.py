"""Checkpoints: which step boundaries are checkpoints (build spec 3.3 step 4)."""

from __future__ import annotations

import pytest
from support import atoms, only


def checkpoints(*facts: str, limit: int = 32) -> set[str]:
    found = atoms("checkpoints.lp", "\n".join(facts), {"max_checkpoints": limit})
    return only(found, "checkpoint", "violation", "advice")


def steps(first: int, last: int) -> str:
    return " ".join(f'step({n},"O{n}").' for n in range(first, last + 1))


def marks(first: int, last: int) -> set[str]:
    return {f'checkpoint({n},"O{n}")' for n in range(first, last + 1)}


def test_s_000_055_every_step_ends_in_a_checkpoint() -> None:
    assert checkpoints(steps(1, 3)) == marks(1, 3)


def test_a_plan_without_steps_has_none() -> None:
    assert checkpoints() == set()


def test_s_000_055_steps_that_are_done_are_counted_not_announced() -> None:
    assert checkpoints(steps(3, 5), 'state("O1",complete). state("O2",complete).') == marks(3, 5)


def test_s_000_055_none_while_an_obligation_stands_failed() -> None:
    assert checkpoints(steps(2, 4), 'state("O1",failed).') == set()


def test_a_state_other_than_failed_stops_nothing() -> None:
    assert checkpoints(steps(2, 4), 'state("O1",complete). state("O2",pending).') == marks(2, 4)


@pytest.mark.parametrize(("count", "announced"), [(31, 31), (32, 32), (33, 32), (64, 32)], ids=str)
def test_s_000_058_at_most_thirty_two(count: int, announced: int) -> None:
    assert checkpoints(steps(1, count)) == marks(1, announced)


def test_s_000_058_t3_the_next_ones_are_announced_as_the_plan_goes_on() -> None:
    assert checkpoints(steps(33, 64)) == marks(33, 64)
    assert checkpoints(steps(20, 64)) == marks(20, 51)


def test_the_limit_may_be_set() -> None:
    assert checkpoints(steps(5, 9), limit=2) == marks(5, 6)
    assert checkpoints(steps(5, 9), limit=0) == set()
