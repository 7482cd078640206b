"""The closure of a change on random repositories, against what must hold of it.

The oracle walks one row of the table by hand.
"""

from __future__ import annotations

import graphlib
import itertools
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plan07 import rulebook
from plan07.facts import Atoms, Fact, constant, fact

KINDS = ("calls", "overrides", "inherits", "instantiates", "references", "tests", "imports")
CHANGES = (
    "rename",
    "deleted",
    "body",
    "param_added_required",
    "class_bases",
    "return_type_widened",
)
NAMES = tuple(f"m.e{number}" for number in range(9))
LEAST, HOPS = 50, 3

uses = st.tuples(
    st.sampled_from(KINDS),
    st.sampled_from(NAMES),
    st.sampled_from(NAMES),
    st.sampled_from(("exact", "typed", "dynamic", "heuristic", "ambiguous")),
    st.integers(0, 1000),
)
graphs = st.lists(uses, max_size=24, unique_by=lambda each: each[:3])
seeds = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(CHANGES)), min_size=1, max_size=3, unique=True
)


def facts(edges: list[Any], changes: list[tuple[str, str]]) -> list[Fact]:
    found = [fact("ordinal", name, number) for number, name in enumerate(NAMES, 1)]
    found += [fact("seed", entity, constant(change)) for entity, change in changes]
    found += [fact("read", name) for name in NAMES]
    for kind, src, dst, resolution, number in edges:
        found.append(fact("uses", constant(kind), src, dst, constant(resolution), number))
    return found


def walked(edges: list[Any], changes: list[tuple[str, str]]) -> Atoms:
    return rulebook.load().solve("impact", facts(edges, changes))


def word(term: Any) -> str:
    return str(term.name)


@settings(max_examples=40, deadline=None)
@given(graphs, seeds)
def test_what_holds_of_every_walk(edges: list[Any], changes: list[tuple[str, str]]) -> None:
    rows = walked(edges, changes).rows("affects", 9)
    order: graphlib.TopologicalSorter[str] = graphlib.TopologicalSorter()
    reached = {(entity, change) for entity, change in changes}
    for source, target, because, strength, _, hop, number, resolution, derived in sorted(
        rows, key=lambda row: int(str(row[5]))
    ):
        assert isinstance(because, Fact) and isinstance(hop, int) and isinstance(number, int)
        assert number <= 1000
        assert number >= LEAST or word(strength) == "revalidate"
        assert 1 <= hop <= HOPS
        assert source != target
        if word(resolution) in ("heuristic", "ambiguous"):
            assert word(strength) != "must"
        assert (hop == 1) <= ((source, word(because.args[0])) in reached)
        reached.add((str(target), word(derived)))
        order.add(str(target), str(source))
    order.prepare()


@settings(max_examples=25, deadline=None)
@given(graphs, seeds, st.integers(0, 9))
def test_the_order_of_the_facts_does_not_matter(
    edges: list[Any], changes: list[tuple[str, str]], number: int
) -> None:
    given = facts(edges, changes)
    once = rulebook.load().solve("impact", given).rows("affects", 9)
    random.Random(number).shuffle(given)
    assert rulebook.load().solve("impact", given).rows("affects", 9) == once


@settings(max_examples=40, deadline=None)
@given(graphs, st.sampled_from(NAMES))
def test_callers_of_a_renamed_function(edges: list[Any], entity: str) -> None:
    """Against a walk by hand: calls alone, 970 and then 150 per mille a hop."""
    calls = [(e[0], e[1], e[2], "exact", e[4]) for e in edges if e[0] == "calls"]
    rows = walked(calls, [(entity, "rename")]).rows("affects", 9)
    found = {(str(r[0]), str(r[1])): (r[5], r[6]) for r in rows}
    expected: dict[tuple[str, str], tuple[int, int]] = {}
    first = {
        src: number * 970 // 1000
        for _, src, dst, _, number in calls
        if dst == entity and src != entity and number * 970 // 1000 >= LEAST
    }
    for name, sure in first.items():
        expected[entity, name] = (1, sure)
        for _, src, dst, _, number in calls:
            share = sure * (number * 150 // 1000) // 1000
            if dst == name and src not in (name, entity) and share >= LEAST:
                expected[name, src] = (2, share)
    assert {key: found[key] for key in expected if key in found} == {
        key: value for key, value in expected.items() if key in found
    }
    assert found.keys() <= expected.keys()
    # What is left out closes a circle among the callers.
    for source, target in expected.keys() - found.keys():
        assert (target, source) in found or _leads(target, source, found)


def _leads(start: str, end: str, edges: Any) -> bool:
    todo, seen = [start], set()
    while todo:
        name = todo.pop()
        if name == end:
            return True
        if name not in seen:
            seen.add(name)
            todo += [target for source, target in edges if source == name]
    return False


def test_the_seed_of_nothing() -> None:
    assert walked([], [("m.e1", "rename")]).rows("affects", 9) == []


@pytest.mark.parametrize("size", [40])
def test_a_large_ring(size: int) -> None:
    """Everybody overrides and calls everybody: it ends, without a circle."""
    names = [f"r{n:02}" for n in range(size)]
    ring = [*itertools.pairwise(names), (names[-1], names[0])]
    given = [fact("ordinal", name, n) for n, name in enumerate(names, 1)]
    given += [fact("seed", names[0], constant("param_added_required"))]
    for src, dst in ring:
        for kind in ("overrides", "calls"):
            given.append(fact("uses", constant(kind), src, dst, constant("exact"), 1000))
    rows = rulebook.load().solve("impact", given).rows("affects", 9)
    order: graphlib.TopologicalSorter[str] = graphlib.TopologicalSorter()
    for row in rows:
        order.add(str(row[1]), str(row[0]))
    order.prepare()
    assert rows
