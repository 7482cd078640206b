"""Repair: which fewest declared dependencies are dropped (design, temporal consistency)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple

import clingo
import networkx
import pytest
import support

Pair = tuple[str, str]
BECAUSE = {
    "declared": "declared",
    "impact": 'impact(definition_first,called_by,"e","f",body)',
    "derived": "derived",
    "ladder": "ladder(1,widen_then_rebind,words)",
}
LANDS = 'impact(together,called_by,"e","f",rename)'


class Plan(NamedTuple):
    """Precedences as (before, after) pairs by who says so, and pairs that land together."""

    declared: Sequence[Pair] = ()
    impact: Sequence[Pair] = ()
    derived: Sequence[Pair] = ()
    atomic: Sequence[Pair] = ()
    ladder: Sequence[Pair] = ()

    def obligations(self) -> list[str]:
        return sorted({name for pairs in self for pair in pairs for name in pair}, key=number)

    def without(self, dropped: Iterable[Pair]) -> Plan:
        gone = set(dropped)
        return self._replace(declared=[each for each in self.declared if each not in gone])

    def facts(self) -> list[str]:
        return [
            *(f'ordinal("{each}",{number(each)}).' for each in self.obligations()),
            *(
                f'precedes("{x}","{y}",{reason}).'
                for name, reason in BECAUSE.items()
                for x, y in getattr(self, name)
            ),
            *(f'atomic("{x}","{y}",{LANDS}).' for x, y in self.atomic),
        ]


def number(identifier: str) -> int:
    return int(identifier[1:])


def path(*numbers: int) -> list[Pair]:
    names = [f"O{each}" for each in numbers]
    return list(pairwise(names))


def best(facts: Iterable[str]) -> list[set[Pair]]:
    """Return what every best answer drops; the search is exhausted."""
    options = ["--opt-mode=optN", "0"]
    control = clingo.Control(options, logger=lambda code, text: None)
    control.load(str(support.RULES / "repair.lp"))
    control.add("base", [], "\n".join(facts))
    control.ground([("base", [])])
    found: list[set[Pair]] = []
    with control.solve(yield_=True) as handle:
        for model in handle:
            if model.optimality_proven or not model.cost:
                drops = [each for each in model.symbols(shown=True) if each.name == "drop"]
                found.append({(x.string, y.string) for x, y in (each.arguments for each in drops)})
        assert handle.get().exhausted
    return found


def repair(plan: Plan, region: Iterable[str] | None = None) -> set[Pair]:
    """Return what the one best repair drops.

    Args:
        plan: what contradicts.
        region: obligations that contradict, without it all of them.
    """
    found = best(
        [
            *plan.facts(),
            *(f'region("{each}").' for each in region or plan.obligations()),
        ]
    )
    assert len(found) == 1
    return found[0]


CASES = [
    pytest.param(Plan(declared=path(2, 1), ladder=path(1, 2)), path(2, 1), id="against the ladder"),
    pytest.param(Plan(declared=path(2, 1), impact=path(1, 2)), path(2, 1), id="against evidence"),
    pytest.param(
        Plan(declared=path(2, 1), derived=path(1, 2)), path(2, 1), id="against what was derived"
    ),
    pytest.param(
        Plan(declared=path(3, 1), impact=path(1, 2), ladder=path(2, 3)),
        path(3, 1),
        id="against evidence and ladder",
    ),
    pytest.param(
        Plan(declared=path(3, 2, 1), ladder=path(1, 3)), path(3, 2), id="of a path one edge"
    ),
    pytest.param(
        Plan(declared=path(2, 3, 1), ladder=path(1, 2)),
        path(2, 3),
        id="the edge of the lowest obligation is kept",
    ),
    pytest.param(
        Plan(declared=path(10, 9, 8), ladder=path(8, 10)), path(10, 9), id="lowest by ordinal"
    ),
    pytest.param(
        Plan(declared=[*path(3, 2, 1), *path(3, 4, 1)], ladder=path(1, 3)),
        [*path(3, 2), *path(3, 4)],
        id="one edge of each path",
    ),
    pytest.param(
        Plan(declared=[*path(5, 4, 2, 1), *path(4, 3, 1)], ladder=path(1, 5)),
        path(5, 4),
        id="the edge that two paths share",
    ),
    pytest.param(
        Plan(declared=[*path(3, 2, 1), *path(4, 2)], ladder=[*path(1, 3), *path(1, 4)]),
        path(2, 1),
        id="fewer edges although they are of lower obligations",
    ),
    pytest.param(
        Plan(declared=[*path(2, 1), *path(4, 3)], ladder=path(1, 2), impact=path(3, 4)),
        [*path(2, 1), *path(4, 3)],
        id="two contradictions",
    ),
    # T5(a), T5(d): what lands together contradicts nothing.
    pytest.param(Plan(declared=path(1, 2, 1), ladder=path(1, 2)), [], id="a declared pair"),
    pytest.param(Plan(impact=path(1, 2, 1), declared=path(1, 2)), [], id="a pair of evidence"),
    pytest.param(
        Plan(impact=path(1, 2), derived=path(2, 1), declared=path(2, 1)),
        [],
        id="a pair of evidence that was derived",
    ),
    pytest.param(Plan(atomic=path(1, 2), declared=path(1, 2)), [], id="an atomic pair"),
    pytest.param(
        Plan(atomic=path(1, 2), declared=path(2, 1)), [], id="an atomic pair the other way round"
    ),
    pytest.param(
        Plan(declared=path(1, 2, 1, 3), impact=path(2, 3, 2), ladder=path(3, 1)),
        [],
        id="pairs that share an obligation",
    ),
    pytest.param(
        Plan(declared=path(1, 2, 3, 1), impact=path(3, 4, 5, 3), ladder=path(5, 1)),
        [],
        id="rings that share an obligation",
    ),
    pytest.param(
        Plan(declared=[*path(1, 2, 1), *path(3, 2)], ladder=path(1, 3)),
        path(3, 2),
        id="a declared pair is kept",
    ),
    pytest.param(
        Plan(declared=path(1, 2, 1), impact=path(2, 3, 1)),
        path(1, 2),
        id="a declared pair is parted where nothing else helps",
    ),
    pytest.param(
        Plan(
            declared=[*path(2, 1), *path(4, 3), *path(2, 3, 2)],
            impact=path(1, 4),
            ladder=[*path(1, 3), *path(2, 3), *path(2, 4)],
        ),
        path(3, 2),
        id="a declared pair is parted where that drops fewer",
    ),
    pytest.param(
        Plan(atomic=path(1, 2), ladder=path(2, 3), declared=path(3, 1)),
        path(3, 1),
        id="against a pair that lands together",
    ),
    # T5(c): nothing that the plan declares is at fault.
    pytest.param(
        Plan(ladder=path(1, 2, 1), declared=path(1, 2)), [], id="a conflict of the ladder"
    ),
    pytest.param(
        Plan(ladder=[*path(1, 2, 1), *path(3, 4)], declared=[*path(1, 2), *path(4, 3)]),
        path(4, 3),
        id="beside a conflict of the ladder",
    ),
    pytest.param(
        Plan(ladder=path(2, 1), impact=path(1, 2), declared=path(2, 1)),
        [],
        id="the ladder against evidence",
    ),
]


@pytest.mark.parametrize(("plan", "dropped"), CASES)
def test_t5_b_the_fewest_declared_edges_are_dropped(plan: Plan, dropped: Sequence[Pair]) -> None:
    assert repair(plan) == set(dropped)


def test_any_declared_edge_of_the_contradiction_may_be_dropped() -> None:
    """Of several that would do, those of low obligations are kept."""
    plan = Plan(declared=path(3, 2, 1), ladder=path(1, 3))
    assert repair(plan) == set(path(3, 2))


def test_an_edge_of_the_ladder_may_not_be_dropped() -> None:
    facts = [*Plan(impact=path(1, 2), ladder=path(2, 1)).facts(), 'region("O1";"O2").']
    assert best(facts) == [set()]


@pytest.mark.parametrize("kind", ["declared", "impact", "derived", "ladder", "atomic"])
@pytest.mark.parametrize("region", [("O1", "O2", "O3"), ("O3", "O4", "O1")], ids=["into", "out of"])
def test_edges_beyond_the_region_do_not_count(kind: str, region: Sequence[str]) -> None:
    """What contradicts lies in the region as a whole, so a path beyond it does not come back."""
    ring = {"O3": [*path(2, 4), *path(4, 1)], "O1": [*path(4, 2), *path(2, 3)]}[region[-1]]
    plan = Plan(declared=path(1, 3))._replace(**{kind: [*path(1, 3), *ring]})
    assert repair(plan, region=region) == set()


def rank(pair: Pair) -> tuple[int, int]:
    before, after = pair
    return number(after), number(before)


def contradictions(plan: Plan) -> set[Pair]:
    """Return the edges between bundles that lie on a cycle of bundles.

    What a cycle of evidence, or of declared edges, holds together is a bundle.
    """
    both_ways = [pair for x, y in plan.atomic for pair in ((x, y), (y, x))]
    evidence = [*plan.impact, *plan.derived, *both_ways]
    bonds = networkx.Graph()
    bonds.add_nodes_from(plan.obligations())
    for pairs in (plan.declared, evidence):
        graph = networkx.DiGraph(pairs)
        bonds.add_edges_from(
            (x, y)
            for members in networkx.strongly_connected_components(graph)
            for x, y in combinations(members, 2)
        )
    bundle = {
        each: index
        for index, members in enumerate(networkx.connected_components(bonds))
        for each in members
    }
    steps = {*plan.declared, *evidence, *plan.ladder}
    between = networkx.DiGraph()
    between.add_edges_from((bundle[x], bundle[y]) for x, y in steps if bundle[x] != bundle[y])
    ring = {
        each: index
        for index, members in enumerate(networkx.strongly_connected_components(between))
        for each in members
    }
    return {
        (x, y) for x, y in steps if bundle[x] != bundle[y] and ring[bundle[x]] == ring[bundle[y]]
    }


def by_brute_force(plan: Plan, droppable: Sequence[Pair]) -> set[Pair]:
    """Return the best of all subsets: contradictions left, edges dropped, low obligations kept."""
    inorder = sorted(droppable, key=rank)
    subsets = [
        set(some) for size in range(len(inorder) + 1) for some in combinations(inorder, size)
    ]
    return min(
        subsets,
        key=lambda some: (
            len(contradictions(plan.without(some))),
            len(some),
            [pair in some for pair in inorder],
        ),
    )


def random_plan(seed: int, kinds: Iterable[str] = Plan._fields) -> Plan:
    chance = random.Random(seed)
    names = [f"O{each}" for each in range(8, 8 + chance.randint(3, 5))]
    pairs = [(x, y) for x in names for y in names if x != y]
    most = {"declared": 6, "ladder": 3}
    return Plan(
        **{
            kind: chance.sample(pairs, chance.randint(0, min(most.get(kind, 2), len(pairs))))
            for kind in kinds
        }
    )


@pytest.mark.parametrize("seed", range(60))
def test_the_repair_is_the_best_of_all_subsets(seed: int) -> None:
    plan = random_plan(seed)
    assert repair(plan) == by_brute_force(plan, plan.declared)


@pytest.mark.parametrize("seed", range(30))
def test_after_the_repair_of_a_plan_the_temporal_check_is_content(seed: int) -> None:
    """As the stages run: graph, repair of what contradicts, graph again."""
    plan = random_plan(seed, ("declared", "impact", "ladder"))
    found = graph_stage(plan)
    region = [each for (each,) in map(arguments, support.only(found, "region"))]
    inside = [pair for pair in plan.declared if set(pair) <= set(region)]
    dropped = repair(plan, region=region) if region else set()
    after = plan.without(dropped)
    assert dropped == (by_brute_force(plan, inside) if region else set())
    refused = support.only(graph_stage(after), "violation")
    assert (refused == set()) == (contradictions(after) == set())


def arguments(atom: str) -> list[str]:
    return atom[atom.index("(") + 1 : -1].replace('"', "").split(",")


def graph_stage(plan: Plan) -> set[str]:
    facts = [
        *(f'obligation("{each}").' for each in plan.obligations()),
        *(f'declared("{y}","{x}").' for x, y in plan.declared),
        *plan._replace(declared=()).facts(),
    ]
    return support.atoms(["temporal.lp", "components.lp"], "\n".join(facts))
