"""Plans and evidence to facts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from support import edge, obligation, plan

from plan07 import document, evidence, lowering, rulebook
from plan07.evidence import Evidence, Grounding, Relation
from plan07.facts import Fact, Term, constant
from plan07.lowering import Lowered

TEST = "tests/test_a.py::test_b"


def lowered(*records: dict[str, Any], **inline: Any) -> Lowered:
    read = document.read(plan(*records), "x")
    return Lowered(read, evidence.inline(inline))


def rows(facts: Iterable[Fact], name: str) -> list[tuple[Term, ...]]:
    return sorted((each.args for each in facts if each.name == name), key=str)


def graph(*records: dict[str, Any], **inline: Any) -> list[Fact]:
    return lowered(*records, **inline).graph(rulebook.load().lexicon, ())


class TestAdmission:
    @staticmethod
    def facts(*records: dict[str, Any], **more: Any) -> list[Fact]:
        read = document.read(plan(*records, **more), "x")
        return list(lowering.admission(read, {"g": Grounding("ambiguous", ("a.g", "b.g"))}))

    def test_ids_are_counted(self) -> None:
        """S-000-030: facts are a set, so only a count shows a duplicate."""
        found = self.facts(obligation("O1"), obligation("O1", "pkg.x"), obligation("a b"))
        assert rows(found, "occurs") == [("O1", 2), ("a b", 1)]
        assert rows(found, "malformed_id") == [("a b",)]

    def test_what_has_a_cause(self) -> None:
        found = self.facts(obligation("O1"), obligation("O2", cause=" \n"))
        assert rows(found, "caused") == [("O1",)]

    def test_declared_dependencies_also_unknown_ones(self) -> None:
        found = self.facts(obligation("O1", dependencies=["O9", "O1"]))
        assert rows(found, "declared") == [("O1", "O1"), ("O1", "O9")]

    def test_grounding_that_is_no_binding(self) -> None:
        found = self.facts(obligation("O1", "g"), obligation("O2", "h"))
        assert rows(found, "grounding") == [("O1", "g", constant("ambiguous"))]
        assert rows(found, "candidate") == [("O1", "a.g"), ("O1", "b.g")]

    def test_a_plan_without_obligations(self) -> None:
        assert rows(self.facts(), "not_decomposed") == [()]
        assert rows(self.facts(obligation("O1"), re_decompose=True), "not_decomposed") == [()]
        assert rows(self.facts(obligation("O1")), "not_decomposed") == []

    def test_the_sizes_of_a_requirement(self) -> None:
        requirement = {
            "goal": "goal",
            "acceptance_criteria": ["a", "bb", "cc"],
            "constraints": [],
        }
        found = self.facts(obligation("O1"), requirement=requirement)
        sizes = [
            (args[1], args[2]) for args in rows(found, "size") if args[0] == Fact("requirement")
        ]
        assert sorted(sizes, key=str) == [
            (constant("constraints"), 0),
            (constant("criteria"), 3),
            (constant("criterion"), 1),
            (constant("criterion"), 2),
            (constant("goal"), 4),
        ]


def test_static_size_counts_bytes_of_the_compact_artifact() -> None:
    """T3."""
    found = list(lowering.static_size(None, [{"id": "é"}], {"O1": 0.5}))
    text = '{"requirement":null,"nodes":[{"id":"é"}],"branch_scores":{"O1":0.5}}'
    sizes = {args[1]: args[2] for args in rows(found, "size")}
    assert sizes == {constant("static_bytes"): len(text) + 1, constant("nodes"): 1}


class TestObligations:
    def test_what_the_rules_read(self) -> None:
        found = graph(
            obligation("O10", "a.b", ["O2"], verb="validate", validation=" make "),
            obligation("O2", status="alternative"),
        )
        assert rows(found, "obligation") == [("O10",), ("O2",)]
        assert rows(found, "ordinal") == [("O10", 2), ("O2", 1)]
        assert rows(found, "verb") == [("O10", constant("validate")), ("O2", constant("modify"))]
        assert rows(found, "target") == [("O10", "a.b"), ("O2", "pkg.O2")]
        assert rows(found, "declared") == [("O10", "O2")]
        assert rows(found, "validation") == [("O10", "make")]
        assert ("O2", constant("alternative")) in rows(found, "status")
        assert rows(found, "state") == []

    def test_states_and_derived_dependencies_of_an_artifact(self) -> None:
        nodes = [
            {**obligation("O1"), "state": "complete"},
            {**obligation("O2", dependencies=["O1"]), "state": "failed", "derived": ["O1"]},
        ]
        found = Lowered(document.read({"nodes": nodes}, "x"), Evidence()).graph(frozenset(), ())
        assert rows(found, "state") == [("O1", constant("complete")), ("O2", constant("failed"))]
        assert rows(found, "derived") == [("O2", "O1")]
        assert rows(found, "declared") == []

    def test_what_a_repair_drops(self) -> None:
        record = obligation("O1", dependencies=["O2", "O3"])
        each = lowered(record, obligation("O2"), obligation("O3"))
        found = each.graph(frozenset(), [("O1", "O2")])
        assert rows(found, "declared") == [("O1", "O3")]

    def test_phrases_by_field(self) -> None:
        found = graph(
            obligation("O1", cause="Type-widening", evidence="a rename", validation="mypy")
        )
        assert rows(found, "phrase") == [
            ("O1", constant("caused_by"), "type widening"),
            ("O1", constant("evidence"), "rename"),
            ("O1", constant("validation"), "mypy"),
        ]


class TestTests:
    RUNS = obligation("O1", "a", verb="validate", validation=TEST)

    def test_only_validate_asks(self) -> None:
        """T10."""
        assert rows(graph(self.RUNS), "needs_test") == [("O1", TEST)]
        assert rows(graph({**self.RUNS, "obligation": "modify"}), "needs_test") == []

    def test_absent_empty_and_known(self) -> None:
        assert rows(graph(self.RUNS), "tests_known") == []
        assert rows(graph(self.RUNS, tests=[]), "tests_known") == [()]
        assert rows(graph(self.RUNS, tests=[]), "test") == []
        assert rows(graph(self.RUNS, tests=[TEST, "t.py::other"]), "test") == [(TEST,)]

    @pytest.mark.parametrize(
        ("record", "defines"),
        [
            (obligation("O2", "tests/test_a.py"), True),
            (obligation("O2", "x", evidence=f"defines {TEST}"), True),
            (obligation("O2", "x", cause=f"define {TEST}"), True),
            (obligation("O2", "x", evidence=f"runs {TEST}"), False),
            (obligation("O2", "x", evidence=f"redefines {TEST}"), False),
            (obligation("O2", "tests/test_b.py"), False),
        ],
        ids=["target", "evidence", "cause", "runs", "redefines", "another file"],
    )
    def test_who_defines_it(self, record: dict[str, Any], defines: bool) -> None:
        found = rows(graph(self.RUNS, record), "defines_test")
        assert (found == [("O2", TEST)]) is defines


class TestRepository:
    def test_names_are_those_of_the_plan(self) -> None:
        found = graph(
            obligation("O1", "repo.auth.S"),
            edges=[edge("auth.S", "auth.M", "CalledBy")],
            changes=[{"entity": "auth.S", "change": "rename"}],
            entities=[{"id": "auth.S", "kind": "class"}],
        )
        assert [args[:3] for args in rows(found, "impact")] == [
            (constant("called_by"), "repo.auth.S", "auth.M")
        ]
        assert rows(found, "change") == [("repo.auth.S", constant("rename"))]
        assert rows(found, "entity") == [("repo.auth.S", constant("class"))]

    def test_edges_far_from_the_plan_are_left_out(self) -> None:
        found = graph(
            obligation("O1", "a.f"),
            edges=[edge("a.f", "b.g"), edge("b.g", "a.f"), edge("lib.x", "lib.y")],
        )
        assert len(rows(found, "impact")) == 2

    def test_nesting_by_name_and_by_evidence(self) -> None:
        found = graph(
            obligation("O1", "auth.S"), obligation("O2", "auth.S.load"), edges=[edge("auth", "x")]
        )
        assert rows(found, "contains") == [
            ("auth", "auth.S"),
            ("auth", "auth.S.load"),
            ("auth.S", "auth.S.load"),
        ]
        read = document.read(plan(obligation("O1", "outer")), "x")
        found = Lowered(read, Evidence(contains=(("outer", "inner"), ("far", "away")))).graph(
            frozenset(), ()
        )
        assert rows(found, "contains") == [("outer", "inner")]

    def test_relations_and_gaps(self) -> None:
        read = document.read(plan(obligation("O1", "a.f")), "x")
        given = Evidence(
            relations=(Relation("calls", "b.g", "a.f", "typed"),),
            truncated=(("a.f", "CalledBy", 64, 650),),
            unresolved={"a.f": 7},
        )
        found = Lowered(read, given).graph(frozenset(), ())
        assert rows(found, "relation") == [(constant("calls"), "b.g", "a.f", constant("typed"))]
        assert rows(found, "truncated") == [("a.f", constant("called_by"), 64, 650)]
        assert rows(found, "unresolved_calls") == [("a.f", 7)]

    def test_a_binding_of_an_index_outranks_the_likeness_of_names(self) -> None:
        read = document.read(plan(obligation("O1", "Config")), "x")
        given = Evidence(
            relations=(Relation("calls", "b.g", "auth.SessionConfig", "exact"),),
            grounding={"Config": Grounding("binding", ("auth.SessionConfig",))},
        )
        found = Lowered(read, given).graph(frozenset(), ())
        assert rows(found, "relation") == [(constant("calls"), "b.g", "Config", constant("exact"))]


class TestSchedule:
    @staticmethod
    def facts(*records: dict[str, Any], **inline: Any) -> list[Fact]:
        return list(lowered(*records, **inline).schedule())

    def test_scores_in_per_mille(self) -> None:
        found = self.facts(
            obligation("O1", "a"),
            obligation("O2", "b", status="alternative"),
            edges=[edge("a", "b", confidence=0.7)],
            scores={"O2": {"lex": 0.1234}, "x.b": {"cochange": 1}},
        )
        assert rows(found, "score") == [
            ("O2", constant("lex"), 123),
            ("b", constant("cochange"), 1000),
            ("b", constant("confidence"), 700),
        ]

    def test_ids_that_a_cause_names(self) -> None:
        found = self.facts(
            obligation("O1"),
            obligation("O2", status="alternative", cause="instead of O1, not O9"),
            obligation("O3", cause="after O1"),
        )
        assert rows(found, "mentions") == [("O2", "O1")]

    @pytest.mark.parametrize(
        ("target", "inline", "file"),
        [
            ("src/a.py::f", {}, "src/a.py"),
            ("pkg.mod.f", {}, None),
            ("pkg.mod.f", {"edges": [edge("pkg.mod.f", "x")]}, "pkg.mod"),
            ("pkg.mod.f", {"edges": [edge("x", "pkg.mod.f", at={"path": "src/q.py"})]}, "src/q.py"),
            (
                "pkg.mod.f",
                {
                    "edges": [
                        edge("pkg.mod.f", "x"),
                        edge("pkg.mod.f", "pkg.mod.g", at={"path": "src/pkg/mod.py"}),
                    ]
                },
                "src/pkg/mod.py",
            ),
            (
                "pkg.mod",
                {"entities": [{"id": "pkg.mod", "kind": "module"}]},
                "pkg.mod",
            ),
        ],
        ids=["a path", "unknown", "known", "its place", "its module's place", "a module"],
    )
    def test_the_file_that_an_obligation_edits(
        self, target: str, inline: dict[str, Any], file: str | None
    ) -> None:
        found = self.facts(obligation("O1", target), **inline)
        assert rows(found, "edits_file") == ([("O1", file)] if file else [])

    def test_where_a_target_lies(self) -> None:
        """By its own name, and by the file that the evidence knows for it."""
        known = edge("x", "pkg.b", at={"path": "src/pkg/b.py", "line": 1})
        each = lowered(obligation("O1", "docs/a.md"), obligation("O2", "pkg.b"), edges=[known])
        assert rows(each.places(), "lies_in") == sorted(
            [
                *(("O1", place) for place in ("docs/", "docs/a.md", "*.md")),
                *(("O2", place) for place in ("pkg", "pkg.b", "*.b")),
                *(("O2", place) for place in ("src/", "src/pkg/", "src/pkg/b.py", "*.py")),
            ],
            key=str,
        )
        assert rows(self.facts(obligation("O1", "docs/a.md")), "lies_in") == []

    def test_a_validation_edits_nothing(self) -> None:
        found = self.facts(obligation("O1", "src/a.py", verb="validate"))
        assert rows(found, "edits_file") == []


@pytest.mark.parametrize(
    ("name", "constant_"),
    [("CalledBy", "called_by"), ("ImportedBy", "imported_by"), ("uses", "uses"), ("A1B", "a1_b")],
)
def test_snake(name: str, constant_: str) -> None:
    assert lowering.snake(name) == constant_


def test_per_mille() -> None:
    assert [lowering.per_mille(share) for share in (0, 0.0004, 0.5, 0.9996, 1)] == [
        *(0, 0, 500, 1000, 1000)
    ]


def test_ordinals_follow_the_natural_order() -> None:
    """T2."""
    read = document.read(plan(obligation("O10"), obligation("O9"), obligation("O2")), "x")
    assert lowering.ordinals(read.records) == {"O2": 1, "O9": 2, "O10": 3}
