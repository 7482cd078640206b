"""Build spec 3.3, the plan-DAG scheduler, paragraph by paragraph."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import edge, obligation, plan, refused, solve


def node(record: dict[str, Any], state: str = "pending") -> dict[str, Any]:
    return {**record, "state": state}


def chain(length: int) -> list[dict[str, Any]]:
    return [
        obligation(f"O{number}", dependencies=[f"O{number - 1}"] if number > 1 else [])
        for number in range(1, length + 1)
    ]


def walk(result: dict[str, Any], **more: Any) -> Iterator[dict[str, Any]]:
    """Yield the schedule after each step of a run in which everything passes."""
    while result["ready"]:
        first = result["order"][0]
        nodes = [
            {
                **each,
                "state": "complete",
                **({"members": [{**m, "state": "complete"} for m in each["members"]]}
                   if "members" in each else {}),
            }
            if each["id"] == first
            else each
            for each in result["nodes"]
        ]  # fmt: skip
        result = solve({"nodes": nodes, **more})
        yield result


class TestPerNodeState:
    """ "`ready`: all `dependencies[]` discharged … `blocked`: one or more `dependencies[]` not yet
    discharged; waiting … `alternative`: a sibling branch that could substitute if a hypothesis is
    falsified" """

    def test_each_value(self) -> None:
        """S-000-057."""
        result = solve(
            plan(
                obligation("O1"),
                obligation("O2", dependencies=["O1"]),
                obligation("O3", status="alternative"),
                obligation("O4", dependencies=["O1"], status="alternative"),
            )
        )
        assert {each["id"]: each["status"] for each in result["nodes"]} == {
            "O1": "ready",
            "O2": "blocked",
            "O3": "alternative",
            "O4": "alternative",
        }
        assert (result["ready"], result["blocked"]) == (["O1"], ["O2"])
        assert result["alternative"] == ["O3", "O4"]

    @pytest.mark.parametrize("told", list(itertools.product(["ready", "blocked"], repeat=2)))
    def test_what_the_plan_says_of_ready_and_blocked_is_recomputed(
        self, told: tuple[str, str]
    ) -> None:
        """T1."""
        first, second = told
        result = solve(
            plan(
                obligation("O1", status=first), obligation("O2", dependencies=["O1"], status=second)
            )
        )
        assert [each["status"] for each in result["nodes"]] == ["ready", "blocked"]

    @pytest.mark.parametrize(
        "states", list(itertools.product(["pending", "complete", "failed"], repeat=3))
    )
    def test_the_partition_is_exact_and_exhaustive(self, states: tuple[str, ...]) -> None:
        """S-000-057: every state before the end of a diamond, and an alternative beside it."""
        records = [
            obligation("O1"),
            obligation("O2", dependencies=["O1"]),
            obligation("O3", dependencies=["O1"]),
            obligation("O4", dependencies=["O2", "O3"]),
            obligation("O5", dependencies=["O1"], status="alternative"),
        ]
        nodes = [node(record, state) for record, state in zip(records, states, strict=False)]
        result = solve({"nodes": [*nodes, *(node(record) for record in records[3:])]})
        state = {each["id"]: each["state"] for each in result["nodes"]}
        assert list(state.values()) == [*states, "pending", "pending"]
        done = {each for each, value in state.items() if value == "complete"}
        failed = {each for each, value in state.items() if value == "failed"}
        parts = [done, failed, *(set(result[name]) for name in ("ready", "blocked", "alternative"))]
        assert sorted(itertools.chain(*parts)) == sorted(state)
        needs = {each["id"]: set(each["dependencies"]) for each in records}
        pending = {each for each in needs if state[each] == "pending"} - {"O5"}
        assert set(result["ready"]) == {each for each in pending if needs[each] <= done}
        assert set(result["blocked"]) == {each for each in pending if not needs[each] <= done}

    def test_failed_and_stranded(self) -> None:
        """T1, S-003-41: what can never start is blocked, and says so; the rest goes on."""
        result = solve(
            {
                "nodes": [
                    node(obligation("A"), "complete"),
                    node(obligation("B", dependencies=["A"]), "failed"),
                    node(obligation("C", dependencies=["A"])),
                    node(obligation("D", dependencies=["B", "C"])),
                    node(obligation("E", dependencies=["D"])),
                ]
            }
        )
        assert (result["ready"], result["blocked"]) == (["C"], ["D", "E"])
        assert (result["stranded"], result["order"]) == (["D", "E"], ["C"])
        assert [(each["status"], each["state"]) for each in result["nodes"][:2]] == [
            ("ready", "complete"),
            ("ready", "failed"),
        ]


class TestTopologicalOrder:
    """ "topologically sort the dependency graph. A node is `ready` iff its dependency set is empty
    of not-yet-complete obligations." """

    def test_the_order_is_the_walk_of_a_driver(self) -> None:
        """S-000-059: the lowest ready id next, not level by level."""
        result = solve(
            plan(obligation("O1"), obligation("O2", dependencies=["O1"]), obligation("O3"))
        )
        assert result["order"] == ["O1", "O2", "O3"]

    @pytest.mark.parametrize(
        ("ids", "order"),
        [
            (["O10", "O9", "O2"], ["O2", "O9", "O10"]),
            (["a10", "a9"], ["a9", "a10"]),
            (["O2", "O02"], ["O02", "O2"]),
            (["b", "a2", "a10", "A"], ["A", "a2", "a10", "b"]),
            (["1", "10", "9", "O1"], ["1", "9", "10", "O1"]),
        ],
        ids=["digits", "letters", "zeros", "mixed", "numbers"],
    )
    def test_the_lowest_id_first(self, ids: list[str], order: list[str]) -> None:
        """S-000-061, T2: the natural order of ids."""
        assert solve(plan(*(obligation(each) for each in ids)))["order"] == order

    @settings(max_examples=15, deadline=None)
    @given(
        st.integers(1, 24).flatmap(
            lambda size: st.tuples(
                st.permutations(range(1, size + 1)),
                st.lists(
                    st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)), max_size=40
                ),
            )
        )
    )
    def test_it_is_a_linear_extension(self, drawn: tuple[list[int], list[tuple[int, int]]]) -> None:
        """S-000-050: on random acyclic graphs; and the ready set is its definition."""
        numbers, pairs = drawn
        needs: dict[str, set[str]] = {f"O{number}": set() for number in numbers}
        for low, high in pairs:
            if low < high and len(needs[f"O{numbers[high]}"]) < 16:
                needs[f"O{numbers[high]}"].add(f"O{numbers[low]}")
        result = solve(plan(*(obligation(each, None, sorted(needs[each])) for each in needs)))
        assert sorted(result["order"]) == sorted(needs)
        done: set[str] = set()
        natural = sorted(needs, key=lambda each: int(each[1:]))
        for step in result["order"]:
            ready = [each for each in natural if needs[each] <= done and each not in done]
            assert step == ready[0]
            done.add(step)
        assert result["ready"] == [each for each in natural if not needs[each]]
        assert result["blocked"] == [each for each in natural if needs[each]]

    def test_a_run_in_which_all_passes_follows_the_order(self) -> None:
        """S-000-059: simulated step by step over the artifact."""
        value = plan(
            obligation("O1", dependencies=["O5"]),
            obligation("O2", dependencies=["O3"]),
            obligation("O3", dependencies=["O2"]),
            obligation("O4", dependencies=["O2"]),
            obligation("O5"),
            obligation("O6", status="alternative"),
        )
        result = solve(value)
        emitted = result["order"]
        assert emitted == ["cycle:O2", "O4", "O5", "O1"]
        walked = [result["order"][0]]
        for after in walk(result):
            walked += after["order"][:1]
            assert after["order"] == emitted[len(emitted) - len(after["order"]) :]
        assert walked == emitted


class TestCycleCollapse:
    """ "collapse the cycle into a single composite node carrying all member obligations, flag it
    `"cycle_collapsed": true`, and record the members; the composite is validated as one unit" """

    def test_a_cycle_of_declared_dependencies(self) -> None:
        """S-000-051."""
        result = solve(
            plan(
                obligation("O1", dependencies=["O2"], validation="make a"),
                obligation("O2", "pkg.two", ["O1", "O9"], verb="validate", validation="make b"),
                obligation("O3", dependencies=["O2"]),
                obligation("O9"),
            )
        )
        assert result["order"] == ["O9", "cycle:O1", "O3"]
        assert result["edges"] == [["cycle:O1", "O3"], ["O9", "cycle:O1"]]
        composite = result["nodes"][0]
        members = composite.pop("members")
        assert composite == {
            "id": "cycle:O1",
            "target_entity": "pkg.O1",
            "obligation": "modify",
            "caused_by": "requirement: body change",
            "dependencies": ["O9"],
            "evidence": "",
            "status": "blocked",
            "validation": "make a && make b",
            "state": "pending",
            "cycle_collapsed": True,
        }
        assert [(each["id"], each["dependencies"]) for each in members] == [
            ("O1", ["O2"]),
            ("O2", ["O1", "O9"]),
        ]
        assert [each["id"] for each in result["nodes"]] == ["cycle:O1", "O3", "O9"]

    def test_longer_and_overlapping_cycles(self) -> None:
        result = solve(
            plan(
                obligation("O1", dependencies=["O3"]),
                obligation("O2", dependencies=["O1"]),
                obligation("O3", dependencies=["O2", "O4"]),
                obligation("O4", dependencies=["O3"]),
                obligation("O5", dependencies=["O6"]),
                obligation("O6", dependencies=["O5", "O4"]),
            )
        )
        assert [(each["id"], each["members"]) for each in result["composites"]] == [
            ("cycle:O1", ["O1", "O2", "O3", "O4"]),
            ("cycle:O5", ["O5", "O6"]),
        ]
        assert result["edges"] == [["cycle:O1", "cycle:O5"]]

    def test_a_cycle_of_evidence(self) -> None:
        """T5(d): definitions that each need the other first."""
        result = solve(
            plan(
                obligation("O1", "pkg.f"),
                obligation("O2", "pkg.g"),
                evidence={
                    "edges": [
                        edge("pkg.f", "pkg.g", change="added", strength="must", order="def<dep"),
                        edge("pkg.g", "pkg.f", change="added", strength="must", order="def<dep"),
                    ]
                },
            )
        )
        assert result["order"] == ["cycle:O1"]
        assert [each["rule"] for each in result["composites"][0]["reasons"]] == [
            "definition_first",
            "definition_first",
        ]

    @pytest.mark.parametrize(
        ("value", "code", "subject"),
        [
            (plan(obligation("O1", dependencies=["O1"])), "SELF_DEPENDENCY", "O1"),
            (
                plan(
                    *(obligation(f"O{n}", cause="default changed") for n in (1, 2, 3)),
                    evidence={
                        "edges": [
                            edge(f"pkg.O{a}", f"pkg.O{b}", "TypeUsedBy")
                            for a, b in ((1, 2), (2, 3), (3, 1))
                        ],
                        "entities": [{"id": f"pkg.O{n}", "kind": "class"} for n in (1, 2, 3)],
                    },
                ),
                "LADDER_CONFLICT",
                "O1",
            ),
        ],
        ids=["self", "ladder"],
    )
    def test_what_survives_collapse_is_refused(
        self, value: dict[str, Any], code: str, subject: str
    ) -> None:
        """S-000-052."""
        assert [each[:2] for each in refused(value)] == [(code, subject)]

    def test_a_policy_refuses_cycles_with_the_chain(self) -> None:
        """T6, S-003-12: also where some obligation could start."""
        value = plan(
            obligation("O1"),
            obligation("O2", dependencies=["O1", "O4"]),
            obligation("O3", dependencies=["O2"]),
            obligation("O4", dependencies=["O3"]),
        )
        assert refused(value, policy={"cycle_policy": "refuse"}) == [
            (
                "DECOMPOSITION_CYCLE",
                "cycle:O2",
                {"members": ["O2", "O3", "O4"], "chain": ["O2", "O4", "O3", "O2"]},
            )
        ]

    def test_the_composite_fails_if_a_member_fails(self) -> None:
        """T6: validated as one unit."""
        first = obligation("O1", dependencies=["O2"])
        second = obligation("O2", dependencies=["O1"])
        third = obligation("O3", dependencies=["O1"])
        result = solve({"nodes": [node(first), node(second, "failed"), node(third)]})
        assert result["nodes"][0]["state"] == "failed"
        assert (result["ready"], result["stranded"]) == ([], ["O3"])
        result = solve({"nodes": [node(first, "complete"), node(second, "complete"), node(third)]})
        assert result["nodes"][0]["state"] == "complete"
        assert result["ready"] == ["O3"]


class TestBranchScores:
    """ "every `alternative` node carries a branch score ∈ `[0,1]` … Round 1 follows the top-ranked
    branch; it does not explore branches" """

    def test_every_alternative_has_one_and_nothing_else_has(self) -> None:
        """S-000-053: without evidence it is 0."""
        result = solve(
            plan(
                obligation("O1"),
                obligation("O2", status="alternative"),
                obligation("O3", dependencies=["O1"], status="alternative"),
            )
        )
        assert result["branch_scores"] == {"O2": 0.0, "O3": 0.0}

    @pytest.mark.parametrize(
        ("scores", "expected"),
        [
            ({"lex": 1.0}, 0.25),
            ({"cochange": 1.0}, 0.25),
            ({"confidence": 1.0}, 0.5),
            ({"lex": 1, "cochange": 1, "confidence": 1}, 1.0),
            ({"lex": 0.3, "cochange": 0.1, "confidence": 0.7}, 0.45),
            ({"lex": 0.0}, 0.0),
        ],
    )
    def test_a_prior_of_soft_rank_and_confidence(
        self, scores: dict[str, float], expected: float
    ) -> None:
        """S-000-053."""
        records = (obligation("O1"), obligation("O2", "pkg.alt", status="alternative"))
        for subject in ("O2", "pkg.alt"):
            result = solve(plan(*records, evidence={"scores": {subject: scores}}))
            assert result["branch_scores"] == {"O2": expected}

    def test_the_confidence_of_an_edge_that_leads_to_it_counts(self) -> None:
        records = (obligation("O1"), obligation("O2", "pkg.alt", status="alternative"))
        edges = [
            edge("pkg.O1", "pkg.alt", confidence=0.8),
            edge("lib.x", "pkg.alt", confidence=0.2),
        ]
        assert solve(plan(*records, evidence={"edges": edges}))["branch_scores"] == {"O2": 0.4}

    @settings(max_examples=15, deadline=None)
    @given(
        st.dictionaries(
            st.sampled_from(["lex", "cochange", "confidence"]), st.floats(0, 1), max_size=3
        )
    )
    def test_it_lies_between_0_and_1(self, scores: dict[str, float]) -> None:
        """S-000-053."""
        records = (obligation("O1"), obligation("O2", status="alternative"))
        value = plan(*records, evidence={"scores": {"O2": scores}})
        found = solve(value)["branch_scores"]["O2"]
        assert 0 <= found <= 1
        exact = sum(
            weight * scores.get(name, 0)
            for name, weight in (("lex", 0.25), ("cochange", 0.25), ("confidence", 0.5))
        )
        assert abs(found - exact) < 0.002
        assert solve(value)["branch_scores"]["O2"] == found

    def test_alternatives_are_present_and_never_walked(self) -> None:
        """S-000-054."""
        evidence = {"scores": {"O3": {"lex": 1, "cochange": 1, "confidence": 1}}}
        result = solve(
            plan(
                obligation("O1"),
                obligation("O2", dependencies=["O1"]),
                obligation("O3", "pkg.O1", status="alternative"),
                obligation("O4", dependencies=["O1"], status="alternative"),
                evidence=evidence,
            )
        )
        offered = set(result["ready"]) | set(result["order"])
        for after in walk(result, evidence=evidence):
            offered |= set(after["ready"]) | set(after["order"])
            assert after["alternative"] == ["O3", "O4"]
            assert after["branch_scores"] == {"O3": 1.0, "O4": 0.0}
        assert offered == {"O1", "O2"}


class TestCheckpoints:
    """ "insert a checkpoint marker between steps so the schedule can be resumed, rolled back, or
    abandoned from a known-good state" """

    def test_one_after_each_step(self) -> None:
        """S-000-055."""
        result = solve(plan(*chain(3)))
        assert result["checkpoints"] == ["step-1:O1", "step-2:O2", "step-3:O3"]

    def test_a_composite_is_one_step(self) -> None:
        result = solve(
            plan(
                obligation("O1"),
                obligation("O2", dependencies=["O3"]),
                obligation("O3", dependencies=["O2"]),
            )
        )
        assert result["checkpoints"] == ["step-1:O1", "step-2:cycle:O2"]

    def test_what_is_complete_counts_and_is_not_announced_again(self) -> None:
        first, second, third = chain(3)
        result = solve({"nodes": [node(first, "complete"), node(second), node(third)]})
        assert result["checkpoints"] == ["step-2:O2", "step-3:O3"]

    def test_none_while_an_obligation_stands_failed(self) -> None:
        """S-000-055: the repository is not known to be good."""
        first, second, _ = chain(3)
        other = obligation("O3")
        result = solve({"nodes": [node(first, "complete"), node(second, "failed"), node(other)]})
        assert (result["order"], result["checkpoints"]) == (["O3"], [])

    def test_alternatives_make_none(self) -> None:
        result = solve(plan(obligation("O1"), obligation("O2", status="alternative")))
        assert result["checkpoints"] == ["step-1:O1"]


class TestEmit:
    """ "the plan DAG = `{ nodes: [PlanNode…], edges: [obligation-id pairs], ready: […],
    blocked: […], alternative: […], checkpoints: [step markers], branch_scores: {…} }`" """

    def test_the_keys(self) -> None:
        """S-000-056."""
        result = solve(plan(obligation("O1")))
        assert list(result)[:7] == [
            *("nodes", "edges", "ready", "blocked", "alternative", "checkpoints", "branch_scores"),
        ]

    def test_at_every_step(self) -> None:
        """S-000-056: the sets after each step of a walk."""
        value = plan(
            obligation("O1"),
            obligation("O2", dependencies=["O1"]),
            obligation("O3", dependencies=["O2"]),
            obligation("O4", status="alternative"),
        )
        steps = list(walk(solve(value)))
        assert [(each["ready"], each["blocked"], each["alternative"]) for each in steps] == [
            (["O2"], ["O3"], ["O4"]),
            (["O3"], [], ["O4"]),
            ([], [], ["O4"]),
        ]
        assert [each["edges"] for each in steps] == [[["O1", "O2"], ["O2", "O3"]]] * 3

    def test_edges_are_pairs_of_dependency_and_dependent(self) -> None:
        """S-000-056."""
        result = solve(plan(obligation("O1", dependencies=["O2"]), obligation("O2")))
        assert result["edges"] == [["O2", "O1"]]

    def test_a_declared_edge_stays_though_a_longer_path_says_it_and_a_derived_one_goes(
        self,
    ) -> None:
        """S-000-031: A to C at most as transitive."""
        declared = plan(
            obligation("O1"),
            obligation("O2", dependencies=["O1"]),
            obligation("O3", dependencies=["O1", "O2"]),
        )
        assert solve(declared)["edges"] == [["O1", "O2"], ["O1", "O3"], ["O2", "O3"]]
        derived = plan(
            obligation("O1", cause="type-widening"),
            obligation("O2", cause="consumer re-bind"),
            obligation("O3", cause="compilation"),
        )
        assert solve(derived)["edges"] == [["O1", "O2"], ["O2", "O3"]]


class TestCaps:
    """ "Caps: ≤ 64 nodes; ≤ 64 branch-scores; checkpoints ≤ 32 per plan." """

    def test_64_nodes_and_32_checkpoints(self) -> None:
        """S-000-058."""
        result = solve(plan(*chain(64)))
        assert len(result["nodes"]) == 64
        assert result["checkpoints"] == [f"step-{number}:O{number}" for number in range(1, 33)]

    def test_the_next_32_are_announced(self) -> None:
        nodes = [
            node(record, "complete" if number <= 20 else "pending")
            for number, record in enumerate(chain(64), 1)
        ]
        result = solve({"nodes": nodes})
        assert result["checkpoints"] == [f"step-{number}:O{number}" for number in range(21, 53)]

    def test_63_branch_scores_beside_one_primary(self) -> None:
        """S-000-058."""
        alternatives = [obligation(f"O{number}", status="alternative") for number in range(2, 65)]
        result = solve(plan(obligation("O1"), *alternatives))
        assert len(result["branch_scores"]) == 63
        assert list(result["branch_scores"]) == [f"O{number}" for number in range(2, 65)]

    def test_members_of_a_composite_count_as_obligations(self) -> None:
        """T6: 65 records of one cycle are one node, and too many."""
        ring = [obligation(f"O{n}", dependencies=[f"O{n % 65 + 1}"]) for n in range(1, 66)]
        assert [each[:2] for each in refused(plan(*ring))] == [("CAP_EXCEEDED", "plan")]
