"""components.lp: which nodes of a graph lie on a common cycle."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import pairwise

import networkx as nx
import pytest
from support import atoms, only

Arc = tuple[int, int]


def facts(arcs: Iterable[Arc], graph: str = "g", ordinals: Sequence[int] = ()) -> str:
    """Return arcs between O1, O2, …; the ordinal of a node is its number unless given."""
    arcs = list(arcs)
    nodes = {node for arc in arcs for node in arc}
    place = {node: node for node in nodes} | dict(enumerate(ordinals, 1))
    said = [f'arc({graph},"O{before}","O{after}").' for before, after in arcs]
    said += [f'ordinal("O{node}",{place[node]}).' for node in sorted(nodes)]
    return " ".join(said)


def components(given: str) -> set[str]:
    return only(atoms("components.lp", given), "component")


def expected(*groups: Iterable[int], graph: str = "g") -> set[str]:
    """Return the atoms of components, the lowest member of each given first."""
    return {
        f'component({graph},"O{node}","O{lowest}")'
        for lowest, *rest in groups
        for node in (lowest, *rest)
    }


def ring(*nodes: int) -> list[Arc]:
    return [*pairwise(nodes), (nodes[-1], nodes[0])]


def chain(*nodes: int) -> list[Arc]:
    return list(pairwise(nodes))


CASES: dict[str, tuple[list[Arc], list[list[int]]]] = {
    "no arc": ([], []),
    "one arc": ([(1, 2)], []),
    "chain against the ids": (chain(3, 2, 1), []),
    "diamond": ([(1, 2), (1, 3), (2, 4), (3, 4)], []),
    "two": (ring(1, 2), [[1, 2]]),
    "three, higher first": (ring(3, 1, 2), [[1, 2, 3]]),
    "ring with tails": (chain(7, 1, 2) + ring(2, 3, 4) + chain(4, 5, 6), [[2, 3, 4]]),
    "tail with the lowest id": (chain(1, 2) + ring(2, 3) + chain(3, 4), [[2, 3]]),
    "chord": ([*ring(1, 2, 3, 4), (2, 4)], [[1, 2, 3, 4]]),
    "two rings apart": (ring(1, 3) + ring(2, 4), [[1, 3], [2, 4]]),
    "three rings apart": (ring(1, 2) + ring(5, 3) + ring(4, 6), [[1, 2], [3, 5], [4, 6]]),
    "rings sharing a node": (ring(1, 2) + ring(2, 3) + ring(3, 4), [[1, 2, 3, 4]]),
    "ring before ring": (ring(3, 4) + chain(4, 1) + ring(1, 2), [[1, 2], [3, 4]]),
    "rings with a path between": (ring(1, 2) + chain(2, 3, 4) + ring(4, 5), [[1, 2], [4, 5]]),
    "the lowest only lies between": (
        ring(2, 3) + chain(3, 1, 4) + ring(4, 5),
        [[2, 3], [4, 5]],
    ),
    "the lowest sees one ring, not back": (
        [*ring(2, 3), (3, 1), (1, 4), *ring(4, 5, 6), (2, 7), *ring(7, 8), (8, 4)],
        [[2, 3], [4, 5, 6], [7, 8]],
    ),
    "long ring after the first": (ring(1, 2) + ring(6, 3, 5, 4), [[1, 2], [3, 4, 5, 6]]),
}


@pytest.mark.parametrize(("arcs", "groups"), CASES.values(), ids=CASES.keys())
def test_component(arcs: list[Arc], groups: list[list[int]]) -> None:
    """S-000-051, S-000-052: what lies on a common cycle, named by its lowest member."""
    assert components(facts(arcs)) == expected(*groups)


def test_the_lowest_member_is_the_one_with_the_lowest_ordinal() -> None:
    """T2: O2 comes before O10, so ids are never compared."""
    given = (
        'arc(g,"O10","O9"). arc(g,"O9","O10"). arc(g,"O100","O20"). arc(g,"O20","O100").'
        'ordinal("O9",1). ordinal("O10",2). ordinal("O20",3). ordinal("O100",4).'
    )
    assert components(given) == {
        'component(g,"O9","O9")',
        'component(g,"O10","O9")',
        'component(g,"O20","O20")',
        'component(g,"O100","O20")',
    }


def test_graphs_are_kept_apart() -> None:
    """A cycle needs all its arcs in one graph, and each graph has its own lowest member."""
    given = facts([(1, 2), *ring(3, 4), *ring(5, 6)], "declared")
    given += facts([(2, 1), *ring(2, 3), *ring(5, 7)], "evidence")
    assert components(given) == expected([3, 4], [5, 6], graph="declared") | expected(
        [2, 3], [5, 7], graph="evidence"
    )


@pytest.mark.parametrize("seed", range(12))
def test_components_agree_with_networkx(seed: int) -> None:
    """S-000-051: strongly connected components of more than one node."""
    random_ = random.Random(seed)
    nodes = range(1, 11)
    count = random_.randint(8, 22)
    arcs = sorted(
        {(a, b) for a, b in (random_.choices(nodes, k=2) for _ in range(count)) if a != b}
    )
    groups = [sorted(each) for each in nx.strongly_connected_components(nx.DiGraph(arcs))]
    assert components(facts(arcs)) == expected(*(each for each in groups if len(each) > 1))


LENGTH = 60
SHAPES = {
    "long way to a ring": chain(*range(1, LENGTH)) + ring(LENGTH - 1, LENGTH),
    "long way from a ring": ring(LENGTH, LENGTH - 1) + chain(*range(LENGTH - 1, 0, -1)),
    "long ring": ring(*range(1, LENGTH + 1)),
    "long chain": chain(*range(1, LENGTH + 1)),
}


@pytest.mark.parametrize("arcs", SHAPES.values(), ids=SHAPES.keys())
def test_cost_grows_with_the_arcs(arcs: list[Arc]) -> None:
    """A closure of all of it would derive more than LENGTH * LENGTH / 2 atoms."""
    assert len(atoms("components.lp", facts(arcs))) <= 12 * LENGTH
