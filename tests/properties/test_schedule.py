"""Every answer is a schedule of its plan, and every refusal says why."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import networkx as nx
import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st
from properties import checker
from properties.strategies import NEUTRAL, Document, ids, plans, records, tries
from support import edge, obligation, plan, solve

from plan07.errors import PlanRefused

Pair = tuple[str, str]


def outcome(document: Document, **options: Any) -> Document | PlanRefused:
    """Return the answer, or the refusal."""
    try:
        return solve(document, **options)
    except PlanRefused as refusal:
        return refusal


class TestAnswers:
    """What comes out is right by an independent checker (S-000-050 to S-000-059, T1 to T8)."""

    @tries(60)
    @given(plans())
    def test_an_answer_is_a_schedule_and_a_refusal_says_why(self, document: Document) -> None:
        found = outcome(document)
        if isinstance(found, PlanRefused):
            event(f"refused: {found.code}")
            assert checker.faults_of_error(document, found.as_dict()) == []
        else:
            event(f"composites: {len(found['composites']) > 0}, failed: {bool(found['stranded'])}")
            assert checker.faults(document, found) == []

    @tries(25)
    @given(plans(), st.data())
    def test_states_that_a_driver_reaches(self, document: Document, data: st.DataObject) -> None:
        """Units complete or fail once what they wait for is complete, in any order (T1)."""
        first = outcome(document)
        assume(not isinstance(first, PlanRefused))
        assert isinstance(first, dict)
        states: dict[str, str] = {}
        steps = data.draw(st.integers(0, len(first["nodes"])))
        for _ in range(steps):
            available = [
                unit
                for unit in (*first["ready"], *first["blocked"])
                if unit not in states
                and all(states.get(a) == "complete" for a, b in first["edges"] if b == unit)
            ]
            if not available:
                break
            state = data.draw(st.sampled_from(("complete", "complete", "complete", "failed")))
            states[data.draw(st.sampled_from(available))] = state
        event(f"failed: {'failed' in states.values()}")
        state_of = {
            member["id"]: states.get(node["id"], "pending")
            for node in first["nodes"]
            for member in node.get("members", [node])
        }
        made = document.get("obligations") or document["nodes"]
        later = {**document, "nodes": [{**each, "state": state_of[each["id"]]} for each in made]}
        later.pop("obligations", None)
        found = solve(later)
        assert checker.faults(later, found) == []
        assert found["edges"] == first["edges"]
        assert [each for each in found["order"] if each not in states] == found["order"]

    @tries(40)
    @given(plans(any_state=True, most=6))
    def test_states_that_no_driver_reaches(self, document: Document) -> None:
        """An artifact may say anything; the answer still is a partition and a walk (S-000-057)."""
        found = outcome(document)
        if isinstance(found, PlanRefused):
            assert checker.faults_of_error(document, found.as_dict()) == []
        else:
            assert checker.faults(document, found) == []

    def test_a_walk_begins_with_what_is_ready(self) -> None:
        """O3 is complete before its dependency O4: is O1, which waits for both, ready or not?

        The edge O4 to O1 is left out because O4, O3, O1 says the same; it still counts (T1).
        """
        preserve = {**obligation("O4", "pkg.a", verb="preserve"), "state": "pending"}
        done = {**obligation("O3", "pkg.b", ["O4"]), "state": "complete"}
        last = {**obligation("O1", "pkg.a", ["O3"], verb="validate"), "state": "pending"}
        found = solve({"nodes": [preserve, done, last]})
        assert found["order"][0] in found["ready"]

    @pytest.mark.parametrize("state", ["complete", "failed"])
    def test_branch_scores_are_those_of_the_alternatives(self, state: str) -> None:
        """What is listed as an alternative has a score, and nothing else has (S-000-053)."""
        branch = {**obligation("O2", status="alternative"), "state": state}
        found = solve({"nodes": [{**obligation("O1"), "state": "pending"}, branch]})
        assert list(found["branch_scores"]) == found["alternative"]

    def test_a_derived_dependency_on_an_alternative(self) -> None:
        """A primary never waits for an alternative, whoever says that it should (T8)."""
        document = {
            "nodes": [
                {**obligation("O1", None, ["O2"]), "state": "pending", "derived": ["O2"]},
                {**obligation("O2", status="alternative"), "state": "pending"},
            ]
        }
        found = outcome(document)
        if not isinstance(found, PlanRefused):
            assert checker.faults(document, found) == []

    @tries(20)
    @given(plans(with_evidence=True, most=15))
    def test_a_repaired_plan_is_a_schedule_too(self, document: Document) -> None:
        """What `--repair` drops is advised and nothing else is lost (T5)."""
        found = outcome(document, repair=True)
        if isinstance(found, PlanRefused):
            assert checker.faults_of_error(document, found.as_dict()) == []
        else:
            event(f"dropped: {any(a['code'] == 'DEPENDENCY_DROPPED' for a in found['advice'])}")
            assert checker.faults(document, found) == []

    @tries(20)
    @given(records(wordy=False, cyclic=True))
    def test_without_evidence_composites_are_the_declared_cycles(
        self, made: list[Document]
    ) -> None:
        """Composites are the strongly connected components, edges the condensation (S-000-051)."""
        document = {"obligations": [{**each, "obligation": "modify"} for each in made]}
        primaries = {each["id"] for each in made if each["status"] != "alternative"}
        declared = checker.declared_edges(document)
        rings = checker.cycles_of(declared)
        found = outcome(document)
        if any(not ring <= primaries for ring in rings):
            assert isinstance(found, PlanRefused)
            assert {each.code for each in found.violations} == {"CYCLE_THROUGH_ALTERNATIVE"}
            return
        assert not isinstance(found, PlanRefused)
        assert {frozenset(each["members"]) for each in found["composites"]} == set(rings)
        graph = nx.DiGraph(declared)
        graph.add_nodes_from(each["id"] for each in made)
        condensed = nx.condensation(graph)
        lowest = {
            number: checker.in_order(condensed.nodes[number]["members"])[0] for number in condensed
        }
        edges = {(a.removeprefix("cycle:"), b.removeprefix("cycle:")) for a, b in found["edges"]}
        assert edges == {(lowest[a], lowest[b]) for a, b in condensed.edges}


class TestRefusals:
    """Admission says exactly what is wrong (S-000-030, S-000-038 to S-000-041, T8, T9)."""

    @tries(40)
    @given(
        records(wordy=False, cyclic=False, most=12),
        st.lists(
            st.tuples(
                st.sampled_from(
                    ("self", "unknown", "ungrounded", "alternative", "twice", "many", "long")
                ),
                st.integers(0, 11),
            ),
            max_size=3,
        ),
    )
    def test_admission(self, made: list[Document], faults: list[tuple[str, int]]) -> None:
        made = [{**each, "obligation": "modify"} for each in made]
        # Copies come last: facts are a set, so what two records of one id say is one.
        for fault, index in sorted(faults, key=lambda each: each[0] == "twice"):
            record = made[index % len(made)]
            if fault == "self":
                record["dependencies"] = [record["id"], *record["dependencies"]]
            elif fault == "unknown":
                record["dependencies"] = [*record["dependencies"], "missing-1"]
            elif fault == "ungrounded":
                record.update(caused_by=" \t", dependencies=[])
            elif fault == "alternative":
                record["status"] = "alternative"
            elif fault == "twice":
                made.append(record)
            elif fault == "many":
                record["dependencies"] = [f"no{number}" for number in range(17)]
            else:
                record["evidence"] = "x" * 201
        found = outcome({"obligations": made})
        expected = predicted(made)
        if isinstance(found, PlanRefused):
            assert {(each.code, each.subject) for each in found.violations} == expected
        else:
            assert expected == set()


def predicted(made: list[Document]) -> set[Pair]:
    """Return (code, subject) of every violation that admission should find."""
    known = {each["id"] for each in made}
    alternatives = {each["id"] for each in made if each["status"] == "alternative"}
    primaries = {each["id"] for each in made if each["status"] != "alternative"}
    found: set[Pair] = set()
    for each in made:
        name, needs = each["id"], each["dependencies"]
        said = {
            "DUPLICATE_ID": sum(other["id"] == name for other in made) > 1,
            "SELF_DEPENDENCY": name in needs,
            "UNKNOWN_DEPENDENCY": not set(needs) <= known,
            "DEPENDS_ON_ALTERNATIVE": name in primaries and set(needs) & alternatives - {name},
            "UNGROUNDED": not each["caused_by"].strip() and not needs and name in primaries,
            "CAP_EXCEEDED": len(needs) > 16 or len(each["evidence"]) > 200,
        }
        found |= {(code, name) for code, holds in said.items() if holds}
    return found


@st.composite
def ordered_plans(draw: st.DrawFn) -> tuple[Document, set[Pair], set[Pair], set[Pair]]:
    """Plans whose impact edges say strength and order themselves.

    Returns:
        The plan, its declared (before, after) pairs, those that evidence demands, and the pairs
        of which neither order is valid.
    """
    names = draw(st.lists(ids(), min_size=2, max_size=12, unique=True))
    size = len(names)
    count = draw(st.integers(1, size))
    targets = {name: f"pkg.e{index % count}" for index, name in enumerate(names)}
    forward = draw(st.booleans())
    pairs = [(a, b) for a, b in itertools.permutations(names, 2)]
    along = [pair for pair in pairs if names.index(pair[0]) < names.index(pair[1])]
    declared = draw(st.sets(st.sampled_from(along if forward else pairs), max_size=size))
    entities = st.sampled_from(sorted(set(targets.values())))
    edges = draw(
        st.lists(
            st.tuples(
                entities,
                entities,
                st.sampled_from(("def<dep", "def<dep", "dep<def", "dep<def", "split", "none")),
                st.sampled_from(("CalledBy", "UsedBy", "OverriddenBy")),
                st.sampled_from(("exact", "typed", "dynamic")),
            ),
            max_size=size,
        )
    )
    document = plan(
        *(
            obligation(name, targets[name], [a for a, b in sorted(declared) if b == name])
            for name in names
        ),
        evidence={
            "edges": [
                {"from": source, "to": target, "cause": cause, "strength": "must"}
                | {"order": order, "resolution": resolution}
                for source, target, order, cause, resolution in edges
            ]
        },
    )
    before: set[Pair] = set()
    together: set[Pair] = set()
    for source, target, order, _, _ in edges:
        for changing, mending in itertools.permutations(names, 2):
            if (targets[changing], targets[mending]) != (source, target) or source == target:
                continue
            if order == "def<dep":
                before.add((changing, mending))
            elif order == "dep<def":
                before.add((mending, changing))
            elif order == "split":
                together |= {(changing, mending), (mending, changing)}
    return document, declared, before, together


def bundles_of(names: Iterable[str], declared: set[Pair], evident: set[Pair]) -> dict[str, str]:
    """Return what lands together, as obligation to the lowest of its bundle.

    Cycles of declared dependencies alone and cycles of evidence alone, joined where they overlap.
    """
    joined = nx.Graph()
    joined.add_nodes_from(names)
    for ring in (*checker.cycles_of(declared), *checker.cycles_of(evident)):
        nx.add_path(joined, sorted(ring))
    return {
        name: checker.in_order(bundle)[0]
        for bundle in nx.connected_components(joined)
        for name in bundle
    }


class TestTemporalConsistency:
    """An independent reading of the definition (S-000-036, T5 a, b and d).

    A schedule is consistent if and only if the graph of precedences and mutual requirements,
    condensed, is acyclic.
    """

    @tries(80)
    @given(ordered_plans())
    def test_composites_edges_and_refusals(
        self, drawn: tuple[Document, set[Pair], set[Pair], set[Pair]]
    ) -> None:
        document, declared, before, together = drawn
        names = [each["id"] for each in document["obligations"]]
        assume(all(len(each["dependencies"]) <= 16 for each in document["obligations"]))
        bundle = bundles_of(names, declared, before | together)
        between = nx.DiGraph()
        between.add_nodes_from(bundle.values())
        for a, b in declared | before | together:
            if bundle[a] != bundle[b]:
                between.add_edge(bundle[a], bundle[b])
        contradictions = [
            each for each in nx.strongly_connected_components(between) if len(each) > 1
        ]
        found = outcome(document)
        event(f"refused: {isinstance(found, PlanRefused)}, together: {len(set(bundle.values()))}")
        if isinstance(found, PlanRefused):
            assert {each.code for each in found.violations} == {"TEMPORAL_INCONSISTENT"}
            flagged = {
                (edge[0], edge[1]) for each in found.violations for edge in each.detail["edges"]
            }
            expected: set[Pair] = set()
            for ring in contradictions:
                within = {
                    (a, b)
                    for a, b in declared - before - together
                    if bundle[a] in ring and bundle[b] in ring
                }
                across = {(a, b) for a, b in within if bundle[a] != bundle[b]}
                expected |= across or within
            assert contradictions
            assert flagged == expected
            return
        assert contradictions == []
        assert checker.faults(document, found) == []
        composites = {frozenset(each["members"]) for each in found["composites"]}
        assert composites == {
            frozenset(name for name in names if bundle[name] == low)
            for low in bundle.values()
            if list(bundle.values()).count(low) > 1
        }
        stated = {(bundle[a], bundle[b]) for a, b in declared}
        shown = {
            (a, b)
            for a, b in between.edges
            if (a, b) in stated or not any(len(path) > 2 for path in paths(between, a, b))
        }
        edges = {(a.removeprefix("cycle:"), b.removeprefix("cycle:")) for a, b in found["edges"]}
        assert edges == shown

    def test_a_declared_path_against_evidence_is_flagged_whole(self) -> None:
        """T5 b: O1 before O3 by evidence, O3 before O2 before O1 declared flags both edges."""
        document = plan(
            obligation("O1", "pkg.a", ["O2"]),
            obligation("O2", "pkg.b", ["O3"]),
            obligation("O3", "pkg.c"),
            evidence={
                "edges": [
                    {"from": "pkg.a", "to": "pkg.c", "cause": "CalledBy", "strength": "must"}
                    | {"order": "def<dep"}
                ]
            },
        )
        with pytest.raises(PlanRefused) as refusal:
            solve(document)
        assert [(each.code, each.detail) for each in refusal.value.violations] == [
            ("TEMPORAL_INCONSISTENT", {"edges": [["O2", "O1"], ["O3", "O2"]]})
        ]


def paths(graph: nx.DiGraph, a: str, b: str) -> list[list[str]]:
    """Return paths from a to b that avoid the direct edge, at most one."""
    rest = graph.copy()
    rest.remove_edge(a, b)
    return [nx.shortest_path(rest, a, b)] if nx.has_path(rest, a, b) else []


class TestRoundTrip:
    """An artifact made of the nodes of an answer gives the same answer again (T4, T6, T20)."""

    SAME = ("nodes", "edges", "ready", "blocked", "alternative", "order", "stranded", "checkpoints")

    @tries(30)
    @given(plans(with_evidence=False))
    def test_without_evidence(self, document: Document) -> None:
        first = outcome(document)
        assume(not isinstance(first, PlanRefused))
        assert isinstance(first, dict)
        again = solve({"nodes": first["nodes"]})
        assert {key: again[key] for key in self.SAME} == {key: first[key] for key in self.SAME}

    @tries(40)
    @given(ordered_plans())
    def test_derived_edges_survive_without_their_evidence(
        self, drawn: tuple[Document, set[Pair], set[Pair], set[Pair]]
    ) -> None:
        first = outcome(drawn[0])
        assume(not isinstance(first, PlanRefused))
        assert isinstance(first, dict)
        again = solve({"nodes": first["nodes"]})
        assert {key: again[key] for key in self.SAME} == {key: first[key] for key in self.SAME}

    @tries(25)
    @given(plans(with_evidence=True, most=15))
    def test_with_the_same_evidence(self, document: Document) -> None:
        first = outcome(document)
        assume(not isinstance(first, PlanRefused))
        assert isinstance(first, dict)
        again = solve({"nodes": first["nodes"], "evidence": document["evidence"]})
        assert {key: again[key] for key in self.SAME} == {key: first[key] for key in self.SAME}

    @pytest.mark.parametrize("declares", [[], ["O1"]], ids=["undeclared", "declared"])
    def test_a_composite_of_evidence_loads_again_without_it(self, declares: list[str]) -> None:
        """A rename and the consumer that it breaks stay one unit in the artifact (T5 d, T6)."""
        first = solve(
            plan(
                obligation("O1", "pkg.a", cause="rename"),
                obligation("O2", "pkg.b", declares, cause="consumer re-bind"),
                evidence={"edges": [edge("pkg.a", "pkg.b", change="rename")]},
            )
        )
        assert [each["members"] for each in first["composites"]] == [["O1", "O2"]]
        again = solve({"nodes": first["nodes"]})
        assert again["nodes"] == first["nodes"]

    def test_sixteen_dependencies_of_which_some_land_together(self) -> None:
        """A dependency on a composite is one, whatever its size (S-000-038, T4)."""
        ring = [obligation("O1", None, ["O2"]), obligation("O2", None, ["O3"])]
        ring.append(obligation("O3", None, ["O1"]))
        others = [f"O{number}" for number in range(4, 19)]
        first = solve(
            plan(*ring, *map(obligation, others), obligation("O20", None, ["O1", *others]))
        )
        assert len(first["nodes"][-1]["dependencies"]) == 16
        again = solve({"nodes": first["nodes"]})
        assert again["nodes"] == first["nodes"]

    def test_an_alternative_without_cause_stays_one_when_it_is_done(self) -> None:
        """States do not turn an answer into a plan that is refused (T1, T9)."""
        branch = {**obligation("O2", cause="", status="alternative"), "state": "failed"}
        first = solve({"nodes": [{**obligation("O1"), "state": "pending"}, branch]})
        again = solve({"nodes": first["nodes"]})
        assert again["nodes"] == first["nodes"]


assert obligation("O1")["caused_by"] == NEUTRAL
