"""The dependency graph, or every reason why there is none."""

from __future__ import annotations

from typing import Any

import pytest
from support import edge, obligation, plan

from plan07 import document, evidence, obliggraph, rulebook
from plan07.errors import Finding, PlanRefused
from plan07.obliggraph import DependencyGraph


def build(*records: dict[str, Any], repair: bool = False, **more: Any) -> DependencyGraph:
    inline = more.pop("evidence", {})
    read = document.read(plan(*records, **more), "x")
    return obliggraph.build(read, evidence.inline(inline), rulebook.load(), repair)


def refused(*records: dict[str, Any], **more: Any) -> PlanRefused:
    with pytest.raises(PlanRefused) as caught:
        build(*records, **more)
    return caught.value


def test_rows_carry_their_reason() -> None:
    graph = build(
        obligation("O1", "a.f", cause="delete f"),
        obligation("O2", "a.g"),
        obligation("O3", dependencies=["O2"]),
        evidence={"edges": [edge("a.f", "a.g")]},
    )
    assert [row[:2] for row in graph.precedes] == [("O2", "O1"), ("O2", "O3")]
    assert [getattr(row[2], "name", "") for row in graph.precedes] == ["impact", "declared"]
    assert (graph.atomic, graph.advice, graph.dropped) == ([], [], [])


def test_pairs_that_land_together() -> None:
    graph = build(
        obligation("O1", "a.f", cause="rename f"),
        obligation("O2", "a.g"),
        evidence={"edges": [edge("a.f", "a.g")]},
    )
    assert [row[:2] for row in graph.atomic] == [("O1", "O2")]


def test_violations_of_admission_and_graph_are_told_together() -> None:
    error = refused(
        obligation("O1", "a.f", cause="rename f"),
        obligation("O2", cause=""),
        evidence={"edges": [edge("a.f", "a.g")]},
    )
    assert [(each.code, each.subject) for each in error.violations] == [
        ("UNGROUNDED", "O2"),
        ("UNRESOLVED_DEPENDENT", "O1"),
    ]
    assert (error.code, error.phase) == ("UNGROUNDED", "admission")
    assert error.message.endswith(" (and 1 more)")


def test_the_phase_is_that_of_what_refused() -> None:
    error = refused(
        obligation("O1", "a.f", cause="rename f"), evidence={"edges": [edge("a.f", "a.g")]}
    )
    assert error.phase == "graph"


@pytest.mark.parametrize(
    ("records", "more", "code"),
    [
        ([], {}, "RE_DECOMPOSE"),
        ([obligation("O1")], {"re_decompose": True}, "RE_DECOMPOSE"),
        ([obligation(f"O{n}", cause="rename") for n in range(65)], {}, "CAP_EXCEEDED"),
        ([obligation("O1", cause="rename"), obligation("O1", "b")], {}, "DUPLICATE_ID"),
    ],
    ids=["empty", "declared empty", "too large", "ambiguous ids"],
)
def test_what_cannot_be_ordered_is_refused_at_once(
    records: list[dict[str, Any]], more: dict[str, Any], code: str
) -> None:
    """S-000-023, S-000-024: nothing is derived from it."""
    error = refused(*records, evidence={"edges": [edge("pkg.O1", "x.y")]}, **more)
    assert [each.code for each in error.violations] == [code]
    assert error.phase == "admission"


class TestRepair:
    """The fewest declared dependencies, the low obligations keep theirs."""

    def test_none_is_dropped_unless_asked_for(self) -> None:
        records = (
            obligation("O1", cause="type-widening", dependencies=["O2"]),
            obligation("O2", cause="consumer re-bind"),
        )
        assert refused(*records).code == "TEMPORAL_INCONSISTENT"
        graph = build(*records, repair=True)
        assert graph.dropped == [("O1", "O2")]
        assert [(each.code, each.subject) for each in graph.advice] == [
            ("DEPENDENCY_DROPPED", "O1")
        ]
        assert [row[:2] for row in graph.precedes] == [("O1", "O2")]

    def test_one_edge_on_every_path_is_dropped_rather_than_two(self) -> None:
        graph = build(
            obligation("O1", cause="type-widening", dependencies=["O9"]),
            obligation("O9", dependencies=["O2", "O3"]),
            obligation("O2", cause="consumer re-bind"),
            obligation("O3", cause="consumer re-bind"),
            repair=True,
        )
        assert graph.dropped == [("O1", "O9")]

    def test_ties_are_broken_towards_the_high(self) -> None:
        graph = build(
            obligation("O1", cause="type-widening", dependencies=["O2"]),
            obligation("O2", dependencies=["O3"]),
            obligation("O3", cause="consumer re-bind"),
            repair=True,
        )
        assert graph.dropped == [("O2", "O3")]

    def test_a_consistent_plan_is_left_alone(self) -> None:
        graph = build(
            obligation("O1", dependencies=["O2"]),
            obligation("O2", dependencies=["O1"]),
            repair=True,
        )
        assert graph.dropped == []
        assert len(graph.precedes) == 2

    def test_it_mends_dependencies_and_nothing_else(self) -> None:
        error = refused(
            obligation("O1", cause="type-widening", dependencies=["O2"]),
            obligation("O2", cause="consumer re-bind; rename"),
            obligation("O3", cause=""),
            repair=True,
        )
        assert [each.code for each in error.violations] == ["UNGROUNDED"]


class TestRefusal:
    FIRST = Finding("SELF_DEPENDENCY", "O1", "a message", "a fix", {"a": 1})

    def test_the_first_violation_names_it(self) -> None:
        error = obliggraph.refusal([self.FIRST], "graph")
        assert (error.code, error.message, error.fix) == (self.FIRST[0], "a message", "a fix")
        assert error.detail == {"subject": "O1", "a": 1}
        assert (error.phase, error.violations) == ("graph", (self.FIRST,))

    @pytest.mark.parametrize(
        ("code", "detail", "rescope"),
        [
            ("RE_DECOMPOSE", {}, True),
            ("ARTIFACT_CAP", {}, True),
            ("CAP_EXCEEDED", {"field": "obligations"}, True),
            ("CAP_EXCEEDED", {"field": "evidence"}, False),
            ("UNGROUNDED", {}, False),
        ],
    )
    def test_what_is_too_large_is_scoped_anew(
        self, code: str, detail: dict[str, Any], rescope: bool
    ) -> None:
        """S-000-023, T3: whichever violation comes first."""
        other = Finding(code, "plan", "m", "f", detail)
        error = obliggraph.refusal([self.FIRST, other], "admission")
        assert ("re_decompose" in error.detail) is rescope
