"""Cycles: which obligations must land together (build spec 3.3 step 2)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from support import atoms, only

BOUNDS = {"max_edit_files": 5}


def cycles(*facts: str, policy: str = "collapse", components: bool = False) -> set[str]:
    files = ["cycles.lp", "components.lp"] if components else ["cycles.lp"]
    text = "\n".join([f"cycle_policy({policy}).", *facts])
    return only(atoms(files, text, BOUNDS), "member", "unit", "composite", "violation", "advice")


def obligations(count: int) -> str:
    return " ".join(f'obligation("O{n}"). ordinal("O{n}",{n}).' for n in range(1, count + 1))


def component(lowest: int, *numbers: int) -> str:
    return " ".join(f'component(schedule,"O{n}","O{lowest}").' for n in numbers)


def precedes(*numbers: int, because: str = "declared") -> str:
    pairs = pairwise(numbers)
    return " ".join(f'precedes("O{x}","O{y}",{because}).' for x, y in pairs)


def atomic(x: int, y: int) -> str:
    return f'atomic("O{x}","O{y}",impact).'


def units(*bundles: Sequence[int]) -> set[str]:
    """Return the atoms of a partition, each unit's lowest member first."""
    return {
        *(f'unit("O{bundle[0]}")' for bundle in bundles),
        *(f'composite("O{bundle[0]}")' for bundle in bundles if len(bundle) > 1),
        *(f'member("O{bundle[0]}","O{each}")' for bundle in bundles for each in bundle),
    }


def test_every_obligation_is_a_unit_of_its_own() -> None:
    assert cycles(obligations(3)) == units([1], [2], [3])


def test_s_000_051_t6_a_cycle_is_one_composite_named_by_its_lowest_member() -> None:
    found = cycles(obligations(4), component(2, 2, 4))
    assert found == units([1], [2, 4], [3])


def test_a_component_of_another_graph_is_no_composite() -> None:
    assert cycles(obligations(2), 'component(any,("O1";"O2"),"O1").') == units([1], [2])


def test_two_cycles_are_two_composites() -> None:
    found = cycles(obligations(4), component(1, 1, 4), component(2, 2, 3))
    assert found == units([1, 4], [2, 3])


# The policy


def test_t6_the_policy_may_refuse_a_cycle_with_each_of_its_members() -> None:
    found = cycles(obligations(3), component(1, 1, 3), policy="refuse")
    assert found == {
        *units([1, 3], [2]),
        'violation(decomposition_cycle("O1"),"O1")',
        'violation(decomposition_cycle("O3"),"O1")',
    }


def test_without_a_cycle_there_is_nothing_to_refuse() -> None:
    assert cycles(obligations(2), policy="refuse") == units([1], [2])


# Alternatives


def test_t6_a_cycle_through_an_alternative_is_refused() -> None:
    found = cycles(obligations(3), component(1, 1, 2), 'status("O2",alternative).')
    assert found == {*units([1, 2], [3]), 'violation(cycle_through_alternative("O2"),"O1")'}


@pytest.mark.parametrize("status", ["ready", "blocked"])
def test_t1_other_words_of_the_plan_are_not_consulted(status: str) -> None:
    found = cycles(obligations(2), component(1, 1, 2), f'status("O2",{status}).')
    assert found == units([1, 2])


def test_an_alternative_outside_a_cycle_is_a_unit() -> None:
    found = cycles(obligations(3), component(1, 1, 2), 'status("O3",alternative).')
    assert found == units([1, 2], [3])


# The bounds of one step


def edits(number: int, *files: int) -> str:
    return " ".join(f'edits_file("O{number}","f{each}.py").' for each in files)


def test_t5_a_composite_that_edits_as_many_files_as_a_step_may_is_fine() -> None:
    found = cycles(obligations(2), component(1, 1, 2), edits(1, 1, 2, 3), edits(2, 3, 4, 5))
    assert found == units([1, 2])


def test_t5_a_composite_over_the_bounds_is_refused() -> None:
    found = cycles(obligations(2), component(1, 1, 2), edits(1, 1, 2, 3), edits(2, 4, 5, 6))
    assert found == {*units([1, 2]), 'violation(composite_over_bounds(6,5),"O1")'}


def test_t5_only_files_of_its_members_count() -> None:
    found = cycles(obligations(3), component(1, 1, 2), edits(1, 1, 2, 3), edits(3, 4, 5, 6))
    assert found == units([1, 2], [3])


def test_a_unit_of_one_obligation_is_no_composite_over_bounds() -> None:
    assert cycles(obligations(1), edits(1, 1, 2, 3, 4, 5, 6)) == units([1])


# With the components derived


@pytest.mark.parametrize("because", ["declared", "derived", "impact", "ladder"])
def test_s_000_051_every_precedence_counts_whatever_its_reason(because: str) -> None:
    found = cycles(obligations(3), precedes(3, 2, 3, because=because), components=True)
    assert found == units([1], [2, 3])


def test_s_000_051_what_depends_on_a_member_stays_outside() -> None:
    found = cycles(obligations(3), precedes(1, 2, 1), precedes(2, 3), components=True)
    assert found == units([1, 2], [3])


def test_t2_the_lowest_member_is_lowest_by_ordinal() -> None:
    found = cycles(obligations(10), precedes(10, 9, 10), components=True)
    assert found == units(*([n] for n in range(1, 9)), [9, 10])


def test_an_order_is_no_cycle() -> None:
    found = cycles(obligations(3), precedes(1, 2, 3), precedes(1, 3), components=True)
    assert found == units([1], [2], [3])


@pytest.mark.parametrize("pair", [(1, 2), (2, 1)], ids=["as ids", "against ids"])
def test_t5_d_a_pair_of_which_neither_may_land_alone_is_a_composite(pair: tuple[int, int]) -> None:
    assert cycles(obligations(3), atomic(*pair), components=True) == units([1, 2], [3])


def test_t5_d_what_lies_between_the_two_lands_with_them() -> None:
    found = cycles(obligations(4), atomic(1, 4), precedes(1, 3, 4), components=True)
    assert found == units([1, 3, 4], [2])


def test_t5_d_pairs_that_share_an_obligation_are_one_composite() -> None:
    found = cycles(obligations(4), atomic(1, 2), atomic(3, 2), components=True)
    assert found == units([1, 2, 3], [4])
