"""Ordering: which unit waits for which, and which edges are worth showing (build spec 3.3)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

import networkx
import pytest
from support import atoms, only

Pair = tuple[str, str]


def ordering(*facts: str, cap: int = 16) -> set[str]:
    found = atoms("ordering.lp", "\n".join(facts), {"max_dependencies": cap})
    return only(found, "before", "level", "edge", "violation", "advice")


def units(names: str) -> str:
    """Return units of one obligation each, a letter a unit."""
    return " ".join(f'unit("{each}"). member("{each}","{each}").' for each in names)


def composite(names: str) -> str:
    members = " ".join(f'member("{names[0]}","{each}").' for each in names)
    return f'unit("{names[0]}"). {members}'


def precedes(path: str, because: str = "impact") -> str:
    pairs = pairwise(path)
    return " ".join(f'precedes("{x}","{y}",{because}).' for x, y in pairs)


def before(*pairs: str) -> set[str]:
    return {f'before("{pair[0]}","{pair[1]}")' for pair in pairs}


def edges(*pairs: str) -> set[str]:
    return {f'edge("{pair[0]}","{pair[1]}")' for pair in pairs}


def levels(**numbers: int) -> set[str]:
    return {f'level("{unit}",{number})' for unit, number in numbers.items()}


def test_units_without_precedences_wait_for_nothing() -> None:
    assert ordering(units("AB")) == levels(A=0, B=0)


@pytest.mark.parametrize("because", ["declared", "derived", "impact", "ladder", "rule"])
def test_s_000_050_a_precedence_of_any_kind_orders(because: str) -> None:
    found = ordering(units("AB"), precedes("AB", because))
    assert found == before("AB") | edges("AB") | levels(A=0, B=1)


def test_s_000_051_edges_of_members_are_those_of_their_composite() -> None:
    found = ordering(
        units("AD"),
        composite("BC"),
        precedes("ABCB"),
        precedes("CD"),
        precedes("AC", "declared"),
    )
    assert found == before("AB", "BD") | edges("AB", "BD") | levels(A=0, B=1, D=2)


def test_a_declared_edge_within_a_composite_is_none_of_the_plan() -> None:
    assert ordering(composite("AB"), precedes("ABA", "declared")) == levels(A=0)


def test_the_level_is_the_longest_path() -> None:
    found = only(
        ordering(units("ABCDE"), precedes("ABCE"), precedes("ADE"), precedes("AE")), "level"
    )
    assert found == levels(A=0, B=1, C=2, D=1, E=3)


def test_what_is_no_unit_has_no_level() -> None:
    found = ordering(units("AB"), precedes("AB"), 'precedes("B","X",impact).')
    assert found == before("AB") | edges("AB") | levels(A=0, B=1)


# Edges worth showing


def test_a_derived_edge_that_a_longer_path_says_is_left_out() -> None:
    found = only(ordering(units("ABC"), precedes("ABC"), precedes("AC")), "edge")
    assert found == edges("AB", "BC")


def test_t4_a_declared_edge_always_stays() -> None:
    found = only(ordering(units("ABC"), precedes("ABC"), precedes("AC", "declared")), "edge")
    assert found == edges("AB", "BC", "AC")


def test_an_edge_that_is_declared_and_derived_stays() -> None:
    found = only(
        ordering(units("ABC"), precedes("ABC"), precedes("AC"), precedes("AC", "declared")),
        "edge",
    )
    assert found == edges("AB", "BC", "AC")


def test_declared_edges_make_a_longer_path_too() -> None:
    found = only(ordering(units("ABC"), precedes("ABC", "declared"), precedes("AC")), "edge")
    assert found == edges("AB", "BC")


def test_an_edge_that_skips_a_level_stays_if_no_path_says_it() -> None:
    found = only(ordering(units("ABCD"), precedes("ABC"), precedes("DC")), "edge")
    assert found == edges("AB", "BC", "DC")


def test_a_longer_path_of_several_steps() -> None:
    found = only(
        ordering(units("ABCDE"), precedes("ABCDE"), precedes("AE"), precedes("AC"), precedes("BE")),
        "edge",
    )
    assert found == edges("AB", "BC", "CD", "DE")


def complete(names: str) -> str:
    return " ".join(f'complete("{each}").' for each in names)


def test_no_path_leads_through_a_unit_that_was_completed_too_early() -> None:
    facts = units("ABCD"), precedes("ABCD"), precedes("AC"), precedes("AD")
    assert only(ordering(*facts, complete("B")), "edge") == edges("AB", "BC", "CD", "AC")
    assert only(ordering(*facts, complete("BC")), "edge") == edges("AB", "BC", "CD", "AC", "AD")
    assert only(ordering(*facts, complete("C")), "edge") == edges("AB", "BC", "CD", "AD")


def test_a_unit_that_was_completed_in_its_turn_is_part_of_a_path() -> None:
    facts = units("ABC"), precedes("ABC"), precedes("AC")
    assert only(ordering(*facts, complete("A")), "edge") == edges("AB", "BC")
    assert only(ordering(*facts, complete("AB")), "edge") == edges("AB", "BC")


def test_what_is_completed_too_early_on_one_path_leaves_another() -> None:
    facts = units("ABCD"), precedes("ABD"), precedes("ACD"), precedes("AD"), complete("B")
    assert only(ordering(*facts), "edge") == edges("AB", "BD", "AC", "CD")


def random_order(seed: int) -> tuple[list[Pair], list[Pair]]:
    """Return the declared and the derived edges of an acyclic graph."""
    chance = random.Random(seed)
    names = [chr(ord("A") + each) for each in range(chance.randint(2, 9))]
    chance.shuffle(names)
    pairs = [(x, y) for i, x in enumerate(names) for y in names[i + 1 :]]
    chosen = chance.sample(pairs, chance.randint(1, len(pairs)))
    cut = chance.randint(0, len(chosen) // 2)
    return chosen[:cut], chosen[cut:]


@pytest.mark.parametrize("seed", range(40))
def test_t4_edges_are_the_transitive_reduction_and_what_is_declared(seed: int) -> None:
    declared, derived = random_order(seed)
    graph = networkx.DiGraph([*declared, *derived])
    found = ordering(
        units("".join(graph)),
        *(precedes(x + y, "declared") for x, y in declared),
        *(precedes(x + y) for x, y in derived),
    )
    expected = {*networkx.transitive_reduction(graph).edges, *declared}
    assert only(found, "edge") == edges(*(x + y for x, y in expected))
    assert only(found, "before") == before(*(x + y for x, y in graph.edges))
    depth = {
        each: number
        for number, generation in enumerate(networkx.topological_generations(graph))
        for each in generation
    }
    assert only(found, "level") == levels(**depth)


# The cap of dependencies


def fan_in(sources: Sequence[str], target: str) -> str:
    return " ".join(precedes(each + target) for each in sources)


def test_t4_as_many_dependencies_as_the_cap_allows() -> None:
    assert only(ordering(units("ABCD"), fan_in("ABC", "D"), cap=3), "violation") == set()


def test_t4_one_resolved_dependency_too_many() -> None:
    found = only(ordering(units("ABCD"), fan_in("ABC", "D"), cap=2), "violation")
    assert found == {'violation(cap_exceeded(dependencies,3,2),"D")'}


def test_s_000_038_t4_seventeen_resolved_dependencies() -> None:
    sources = "ABCDEFGHIJKLMNOPQ"
    found = ordering(units(sources + "Z"), fan_in(sources, "Z"))
    assert only(found, "violation") == {'violation(cap_exceeded(dependencies,17,16),"Z")'}
    assert only(ordering(units(sources + "Z"), fan_in(sources[1:], "Z")), "violation") == set()


def test_t4_edges_left_out_do_not_count() -> None:
    found = ordering(units("ABCD"), precedes("ABCD"), fan_in("AB", "D"), cap=1)
    assert only(found, "violation") == set()


def test_t4_declared_edges_count_even_if_a_longer_path_says_the_same() -> None:
    found = ordering(units("ABC"), precedes("ABC"), precedes("AC", "declared"), cap=1)
    assert only(found, "violation") == {'violation(cap_exceeded(dependencies,2,1),"C")'}
