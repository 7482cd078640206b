"""How a plan is taken apart for a change and put together again (build spec 3.5, 3.6)."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from driving import chain, diamond, step
from support import edge, solve

from plan07 import artifact, rulebook, scope
from plan07.document import fresh
from plan07.errors import PlanRefused
from plan07.evidence import Evidence, inline
from plan07.facts import fact
from plan07.revision import concluded, cut, unknown
from plan07.scope import Change, Result
from plan07.splicing import splice

RULES = rulebook.load()


def plan(*obligations: dict[str, Any], **more: Any) -> artifact.Artifact:
    return artifact.new(
        "plan-20260905-1412", None, solve({"obligations": list(obligations), **more})
    )


def waits(nodes: Any) -> dict[str, list[str]]:
    return {node["id"]: list(node["dependencies"]) for node in nodes}


def ring() -> artifact.Artifact:
    """X → (A ⇄ B) → C."""
    return plan(step("X"), step("A", "X", "B"), step("B", "A"), step("C", "B"))


class TestAffected:
    def test_the_failed_one_first_then_in_natural_order(self) -> None:
        found = plan(step("O9"), step("O10", "O9"), step("O2", "O9"), step("O1"))
        assert scope.affected(found, "O9", RULES) == ["O9", "O2", "O10"]

    def test_a_composite(self) -> None:
        assert scope.affected(ring(), "cycle:A", RULES) == ["cycle:A", "C"]


class TestFacts:
    def test_a_plan_as_the_rules_read_it(self) -> None:
        found = ring()
        found["nodes"][2]["state"] = "failed"
        assert [node["id"] for node in found["nodes"]] == ["cycle:A", "C", "X"]
        facts = set(scope.plan_facts(found))
        assert {each for each in facts if each.name == "edge"} == {
            fact("edge", "X", "cycle:A"),
            fact("edge", "cycle:A", "C"),
        }
        assert {each.args for each in facts if each.name == "member"} == {
            *(("cycle:A", "A"), ("cycle:A", "B"), ("C", "C"), ("X", "X"))
        }
        assert [each.args[0] for each in facts if each.name == "state"] == ["X"]

    def test_what_an_alternative_establishes_does_not_count(self) -> None:
        made = plan(step("A"), step("P", status="alternative", validation="tests/test_P.py"))
        criteria = ["tests/test_A.py passes", "tests/test_P.py passes"]
        made["requirement"] = {"goal": "g", "acceptance_criteria": criteria, "constraints": []}
        facts = scope.plan_facts(made)
        assert [each.args for each in facts if each.name == "establishes"] == [("A", criteria[0])]

    def test_links_go_by_the_plans_own_names(self) -> None:
        found = inline({"edges": [edge("repo.a", "repo.b")]})
        assert list(scope.links(found, lambda name: name.removeprefix("repo."))) == [
            fact("linked", "a", "b")
        ]


class TestApply:
    def change(self, found: artifact.Artifact, *records: dict[str, Any], **more: Any) -> Change:
        new = [fresh(each) for each in records]
        near = frozenset(each.id for each in new)
        values = {
            "kept": found["nodes"],
            "records": new,
            "near": near,
            "touched": near,
            "facts": [],
        }
        return Change(**{**values, **more})

    def test_nodes_that_were_not_touched_are_the_same_objects(self) -> None:
        found = plan(*diamond())
        before = copy.deepcopy(found)
        result = scope.apply(found, self.change(found, step("N", "D")), Evidence(), RULES)
        assert result.nodes[:4] == before["nodes"]
        assert all(a is b for a, b in zip(found["nodes"], result.nodes, strict=False))
        # N against each of the four.
        assert result.pairs == 4

    def test_what_evidence_says_of_others_is_left_alone(self) -> None:
        found = plan(*diamond())
        known = inline({"edges": [edge("pkg.B", "pkg.C", change="type_widened")]})
        result = scope.apply(found, self.change(found, step("N")), known, RULES)
        assert waits(result.nodes)["C"] == ["A"]

    def test_a_dependency_that_a_longer_path_says_stays_where_it_was_not_touched(self) -> None:
        """U keeps its derived dependency on A, although A → N → U would say the same."""
        known = {"edges": [edge("pkg.A", "pkg.U", change="type_widened")]}
        found = plan(step("A"), step("B"), step("U", "B"), evidence=known)
        assert waits(found["nodes"])["U"] == ["A", "B"]
        more = inline({"edges": [edge("pkg.A", "pkg.B", change="type_widened")]})
        change = self.change(found, near=frozenset("AB"), touched=frozenset("AB"))
        result = scope.apply(found, change, more, RULES)
        assert waits(result.nodes) == {"A": [], "B": ["A"], "U": ["A", "B"]}

    @pytest.mark.parametrize("change", ["rename", "type_widened"])
    def test_what_was_not_touched_may_not_move(self, change: str) -> None:
        found = plan(*diamond())
        known = inline({"edges": [edge("pkg.N", "pkg.C", change=change)]})
        with pytest.raises(PlanRefused) as caught:
            scope.apply(found, self.change(found, step("N")), known, RULES)
        assert caught.value.code == "SCOPE_LEFT"
        subjects = {each.subject for each in caught.value.violations}
        assert subjects & {"C", "cycle:C"}

    def test_a_rule_of_the_stage_scope_is_asked_about_what_came_of_it(self) -> None:
        found = plan(step("A"))
        found["nodes"][0]["state"] = "complete"
        known = inline({"edges": [edge("pkg.N", "pkg.A", change="type_widened")]})
        facts = [*scope.plan_facts(found), fact("adds", "N")]
        change = self.change(found, step("N"), touched=frozenset("AN"), facts=facts)
        with pytest.raises(PlanRefused) as caught:
            scope.apply(found, change, known, RULES)
        assert [each.code for each in caught.value.violations] == ["PRECEDES_COMPLETE"]

    def test_nothing_that_is_there_comes_before_what_is_complete(self) -> None:
        found = plan(step("A"), step("B"))
        found["nodes"][0]["state"] = "complete"
        known = inline({"edges": [edge("pkg.B", "pkg.A", change="type_widened")]})
        facts = list(scope.plan_facts(found))
        change = self.change(found, near=frozenset("AB"), touched=frozenset("AB"), facts=facts)
        result = scope.apply(found, change, known, RULES)
        assert waits(result.nodes) == {"A": [], "B": []}


class TestSplice:
    def test_only_who_waited_for_it_is_another_object(self) -> None:
        found = plan(*chain(*"ABCD"))
        left = splice(found, frozenset("B"), inherited={"C": ["A"]})
        assert waits(left.kept) == {"A": [], "C": ["A"], "D": ["C"]}
        assert (left.loose, left.touched) == ([], {"C"})
        assert [node in left.kept for node in found["nodes"]] == [True, False, False, True]

    def test_what_stands_in_its_place(self) -> None:
        found = plan(*chain(*"ABC"))
        left = splice(found, frozenset("B"), instead=("N", "M"), inherited={})
        assert waits(left.kept) == {"A": [], "C": ["N", "M"]}

    def test_derived_dependencies_stay_derived(self) -> None:
        known = {"edges": [edge("pkg.A", "pkg.B", change="type_widened")]}
        found = plan(step("A"), step("Z"), step("B", "Z"), evidence=known)
        left = splice(found, frozenset("Z"), inherited={})
        (node,) = [each for each in left.kept if each["id"] == "B"]
        assert (node["dependencies"], node["derived"]) == (["A"], ["A"])
        left = splice(found, frozenset("A"), inherited={})
        (node,) = [each for each in left.kept if each["id"] == "B"]
        assert (node["dependencies"], "derived" in node) == (["Z"], False)

    def test_a_composite_falls_apart(self) -> None:
        left = splice(ring(), frozenset("B"), inherited={})
        assert [(each.id, each.dependencies) for each in left.loose] == [("A", ("X",))]
        assert waits(left.kept) == {"C": ["A"], "X": []}
        assert left.touched == {"A", "C"}

    def test_what_is_left_of_it_waits_for_all_that_it_waited_for(self) -> None:
        found = plan(step("X"), step("A", "X", "B"), step("B", "A", "E"), step("E", "B"))
        left = splice(found, frozenset("B"), inherited={})
        assert {each.id: each.dependencies for each in left.loose} == {"A": ("X",), "E": ("X",)}
        assert {each.state for each in left.loose} == {"pending"}

    def test_whoever_waited_for_it_waits_for_all_that_is_left(self) -> None:
        found = plan(step("A", "B"), step("B", "A", "E"), step("E", "B"), step("C", "B"))
        left = splice(found, frozenset("B"), inherited={})
        assert waits(left.kept) == {"C": ["A", "E"]}

    def test_what_is_left_of_it_inherits(self) -> None:
        left = splice(ring(), frozenset("BX"), inherited={"A": ["Z"]})
        assert [(each.id, each.dependencies) for each in left.loose] == [("A", ("Z",))]

    def test_the_member_that_had_named_it_inherits_for_all(self) -> None:
        found = plan(step("X"), step("A", "B"), step("B", "A", "X"))
        left = splice(found, frozenset("X"), inherited={"A": ["Z"], "B": ["Z"]})
        (node,) = left.kept
        assert node["dependencies"] == ["Z"]
        assert [part["dependencies"] for part in node["members"]] == [["B"], ["A", "Z"]]

    def test_a_composite_that_waited_for_it(self) -> None:
        left = splice(ring(), frozenset("X"), inherited={"A": ["Z"], "B": ["Z"]})
        (node,) = [each for each in left.kept if each["id"] == "cycle:A"]
        assert node["dependencies"] == ["Z"]
        # Only the member that had said so says it of what is inherited.
        assert [part["dependencies"] for part in node["members"]] == [["B", "Z"], ["A"]]


class TestConcluded:
    def test_one_revision_and_no_rows_of_what_is_gone(self) -> None:
        found = plan(*chain(*"AB"))
        found["audit"] = [
            {"obligation": name, "accepted_edit": "", "trace": ""} for name in ("A", "B")
        ]
        result = Result(found["nodes"][:1], {}, 1)
        after = concluded(found, result, "x" * 300, "B evidence", "t", {"A", "B"})
        assert [row["obligation"] for row in after["audit"]] == ["A"]
        (row,) = after["revision_history"]
        assert row == {
            "rev": 1,
            "time": "t",
            "change": "x" * 197 + "...",
            "caused_by": "B evidence",
        }

    def test_a_text_that_fits_is_left_as_it_is(self) -> None:
        assert cut("x" * 200) == "x" * 200
        assert cut("x" * 201) == "x" * 197 + "..."
        assert cut("four", 3) == "..."

    def test_an_unknown_id_is_answered_with_known_ones(self) -> None:
        error = unknown("Z", [f"O{number}" for number in range(1, 11)])
        assert error.fix == "name one of O1, O2, O3, O4, O5, O6, O7, O8, ..."
        assert unknown("Z", ["O1"]).fix == "name one of O1"
