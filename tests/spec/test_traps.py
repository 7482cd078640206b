"""The traps T1 to T10 and T16 of the requirements: where the documents disagree or are silent."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support import EXAMPLES, edge, obligation, plan, refused, solve

from plan07.document import compact
from plan07.errors import InputError, PlanRefused

SAMPLE = json.loads((EXAMPLES / "session-timeout.plan.json").read_text("utf-8"))
TEST = "tests/test_session.py::test_timeout"
ENTITIES = [
    {"id": "auth.Session", "kind": "class"},
    {"id": "auth.Session.load", "kind": "method"},
    {"id": "db.Session.load", "kind": "method"},
]


def node(record: dict[str, Any], state: str = "pending", **more: Any) -> dict[str, Any]:
    return {**record, "state": state, **more}


def advice(result: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["code"], each["subject"]) for each in result["advice"]]


class TestT1StatusAndState:
    """`status` is a place in the schedule and derived, `state` is history and given."""

    def test_a_plan_that_lies_about_its_status(self) -> None:
        result = solve(
            plan(
                obligation("O1", status="blocked"),
                obligation("O2", dependencies=["O1"], status="ready"),
            )
        )
        assert (result["ready"], result["blocked"]) == (["O1"], ["O2"])
        assert [each["status"] for each in result["nodes"]] == ["ready", "blocked"]

    def test_complete_and_failed_nodes_are_in_no_list_and_keep_ready(self) -> None:
        result = solve(
            {
                "nodes": [
                    node(obligation("O1", status="blocked"), "complete"),
                    node(obligation("O2", dependencies=["O1"]), "failed"),
                    node(obligation("O3", dependencies=["O1"])),
                ]
            }
        )
        assert [each["status"] for each in result["nodes"]] == ["ready", "ready", "ready"]
        assert [each["state"] for each in result["nodes"]] == ["complete", "failed", "pending"]
        listed = [*result["ready"], *result["blocked"], *result["alternative"]]
        assert listed == ["O3"]

    def test_a_failed_root_strands_its_dependents(self) -> None:
        result = solve(
            {
                "nodes": [
                    node(obligation("O1"), "failed"),
                    node(obligation("O2", dependencies=["O1"])),
                    node(obligation("O3", dependencies=["O2"])),
                    node(obligation("O4")),
                ]
            }
        )
        assert result["blocked"] == result["stranded"] == ["O2", "O3"]
        assert result["order"] == ["O4"]

    @pytest.mark.parametrize("state", ["running", "abandoned", "blocked", ""])
    def test_there_is_no_fourth_state(self, state: str) -> None:
        with pytest.raises(InputError):
            solve({"nodes": [node(obligation("O1"), state)]})


class TestT2LowestId:
    """The natural order: digits count as numbers, ties by the text."""

    @pytest.mark.parametrize(
        ("ids", "order"),
        [
            (("O9", "O10"), ["O9", "O10"]),
            (("O2", "O02"), ["O02", "O2"]),
            (("a10", "a9"), ["a9", "a10"]),
            (("v1.10", "v1.9"), ["v1.9", "v1.10"]),
        ],
        ids=["O9", "O02", "a9", "v1.9"],
    )
    def test_pairs(self, ids: tuple[str, ...], order: list[str]) -> None:
        for given in (ids, ids[::-1]):
            result = solve(plan(*(obligation(each) for each in given)))
            assert result["order"] == order
            assert [each["id"] for each in result["nodes"]] == order

    def test_a_composite_sorts_by_its_lowest_member(self) -> None:
        result = solve(
            plan(
                obligation("O3"),
                obligation("O10", dependencies=["O2"]),
                obligation("O2", dependencies=["O10"]),
                obligation("O1"),
            )
        )
        assert result["order"] == ["O1", "cycle:O2", "O3"]
        assert result["composites"][0]["members"] == ["O2", "O10"]

    def test_an_id_of_many_digits(self) -> None:
        ids = ["O" + "9" * 60, "O1" + "0" * 60, "O1"]
        assert solve(plan(*(obligation(each) for each in ids)))["order"] == [ids[2], *ids[:2]]


class TestT3Caps:
    """The static part of the artifact has 23,552 of its 32,768 bytes."""

    def test_the_limit_is_exact(self) -> None:
        records = [obligation(f"O{n}", evidence="x" * 100) for n in range(1, 65)]
        spare = 23552 - _static(records)
        for record in records:
            record["validation"] = "v" * min(spare, 200)
            spare -= len(record["validation"])
        assert (spare, _static(records)) == (0, 23552)
        assert len(solve(plan(*records))["nodes"]) == 64
        records[-1]["validation"] += "v"
        assert refused(plan(*records)) == [
            ("ARTIFACT_CAP", "plan", {"bytes": 23553, "limit": 23552, "nodes": 64})
        ]

    def test_bytes_are_counted_not_characters(self) -> None:
        ascii_only = [obligation(f"O{n}", evidence="x" * 100) for n in range(1, 65)]
        wide = [obligation(f"O{n}", evidence="漢" * 100) for n in range(1, 65)]
        assert len(solve(plan(*ascii_only))["nodes"]) == 64
        assert refused(plan(*wide)) == [
            ("ARTIFACT_CAP", "plan", {"bytes": _static(wide), "limit": 23552, "nodes": 64})
        ]

    def test_the_requirement_counts(self) -> None:
        records = [obligation(f"O{n}", evidence="x" * 130) for n in range(1, 65)]
        assert len(solve(plan(*records))["nodes"]) == 64
        requirement = {
            "goal": "g" * 500,
            "acceptance_criteria": ["c" * 200] * 16,
            "constraints": ["c" * 200] * 16,
        }
        ((code, subject, detail),) = refused(plan(*records, requirement=requirement))
        assert (code, subject) == ("ARTIFACT_CAP", "plan")
        assert detail["bytes"] == _static(records, requirement)

    def test_a_plan_that_is_too_large_is_scoped_anew(self) -> None:
        records = [obligation(f"O{n}", evidence="x" * 200) for n in range(1, 65)]
        with pytest.raises(PlanRefused) as caught:
            solve(plan(*records))
        assert caught.value.detail["re_decompose"] is True

    def test_the_requirement_has_caps_of_characters(self) -> None:
        whole = {"goal": "é" * 500, "acceptance_criteria": ["é" * 200], "constraints": []}
        assert solve(plan(obligation("O1"), requirement=whole))["order"] == ["O1"]


def _static(records: list[dict[str, Any]], requirement: dict[str, Any] | None = None) -> int:
    nodes = [{**record, "state": "pending"} for record in records]
    static = {"requirement": requirement, "nodes": nodes, "branch_scores": {}}
    return len(compact(static).encode())


class TestT4DerivedDependencies:
    """The cap of 16 holds for declared and for resolved dependencies; a node keeps both apart."""

    def test_20_rebindings_before_a_build(self) -> None:
        consumers = [obligation(f"O{n}", cause="consumer re-bind") for n in range(1, 21)]
        build = obligation("O30", cause="compilation")
        assert refused(plan(*consumers, build)) == [
            ("CAP_EXCEEDED", "O30", {"field": "dependencies", "count": 20, "limit": 16})
        ]
        assert len(solve(plan(*consumers[:16], build))["edges"]) == 16

    def test_derived_edges_are_reduced_before_they_are_counted(self) -> None:
        """A chain of 20 consumers leaves the build one predecessor."""
        consumers = [
            obligation(f"O{n}", None, [f"O{n - 1}"] if n > 1 else [], cause="consumer re-bind")
            for n in range(1, 21)
        ]
        result = solve(plan(*consumers, obligation("O30", cause="compilation")))
        assert result["nodes"][-1]["dependencies"] == ["O20"]

    def test_a_node_tells_derived_from_declared(self) -> None:
        result = solve(
            plan(
                obligation("O1", cause="type-widening"),
                obligation("O2"),
                obligation("O3", cause="consumer re-bind", dependencies=["O2"]),
            )
        )
        assert result["nodes"][2]["dependencies"] == ["O1", "O2"]
        assert result["nodes"][2]["derived"] == ["O1"]
        assert ["derived" in each for each in result["nodes"]] == [False, False, True]

    def test_an_artifact_keeps_its_derived_order(self) -> None:
        """A resume has the artifact only: texts and evidence may be gone."""
        first = solve(
            plan(
                obligation("O1", "pkg.f", cause="delete f"),
                obligation("O2", "pkg.g"),
                evidence={"edges": [edge("pkg.f", "pkg.g")]},
            )
        )
        again = solve({"nodes": first["nodes"]})
        assert again["nodes"] == first["nodes"]
        assert again["edges"] == first["edges"] == [["O2", "O1"]]
        assert again["reasons"][0]["reason"] == "derived"

    def test_a_derived_dependency_does_not_ground(self) -> None:
        """T9."""
        nodes = [
            node(obligation("O1")),
            node(obligation("O2", cause="", dependencies=["O1"]), derived=["O1"]),
        ]
        assert refused({"nodes": nodes}) == [("UNGROUNDED", "O2", {})]

    def test_a_dependency_on_a_large_composite_survives_a_reload(self) -> None:
        """One declared dependency is one, however many members its composite has."""
        ring = [obligation(f"O{n}", f"pkg.f{n}", [f"O{n % 17 + 1}"]) for n in range(1, 18)]
        first = solve(plan(*ring, obligation("O20", dependencies=["O1"])))
        assert first["nodes"][1]["dependencies"] == ["cycle:O1"]
        again = solve({"nodes": first["nodes"]})
        assert again["nodes"] == first["nodes"]


class TestT5RejectOrCollapse:
    """Four things look like a cycle."""

    def test_a_mutual_declared_dependencies_collapse(self) -> None:
        value = plan(obligation("O1", dependencies=["O2"]), obligation("O2", dependencies=["O1"]))
        assert solve(value)["order"] == ["cycle:O1"]

    def test_b_a_declared_path_against_the_ladder_is_flagged(self) -> None:
        value = plan(
            obligation("O1", cause="type-widening", dependencies=["O2"]),
            obligation("O2", dependencies=["O3"]),
            obligation("O3", cause="consumer re-bind"),
        )
        assert refused(value) == [
            ("TEMPORAL_INCONSISTENT", "O1", {"edges": [["O2", "O1"], ["O3", "O2"]]})
        ]

    def test_b_the_ladder_against_evidence_is_flagged(self) -> None:
        """Evidence outranks the ladder: words say O1 before O2, the edge says O2 before O1."""
        value = plan(
            obligation("O1", "pkg.f", cause="usage of the migrated column; compile"),
            obligation("O2", "pkg.g", cause="shared type"),
            evidence={
                "edges": [
                    edge("pkg.g", "pkg.f", "UsedBy", change="x", strength="must", order="dep<def")
                ]
            },
        )
        found = refused(value)
        assert [each[:2] for each in found] == [("TEMPORAL_INCONSISTENT", "O1")]
        assert found[0][2] == {"edges": [["O2", "O1"]]}

    def test_c_a_cycle_of_the_ladder_is_a_conflict_of_the_policy(self) -> None:
        types = [f"pkg.O{n}" for n in (1, 2, 3)]
        edges = [
            edge(a, b, "TypeUsedBy") for a, b in zip(types, types[1:] + types[:1], strict=True)
        ]
        entities = [{"id": each, "kind": "class"} for each in types]
        changed = [obligation(f"O{n}", cause="default changed") for n in (1, 2, 3)]
        assert refused(plan(*changed, evidence={"edges": edges, "entities": entities})) == [
            ("LADDER_CONFLICT", "O1", {"edges": [["O1", "O2"], ["O2", "O3"], ["O3", "O1"]]})
        ]

    def test_d_a_cycle_of_evidence_collapses_and_cites_it(self) -> None:
        told = {"change": "added", "strength": "must", "order": "def<dep"}
        edges = [edge("pkg.f", "pkg.g", **told), edge("pkg.g", "pkg.f", **told)]
        result = solve(
            plan(obligation("O1", "pkg.f"), obligation("O2", "pkg.g"), evidence={"edges": edges})
        )
        (composite,) = result["composites"]
        assert [each["evidence"] for each in composite["reasons"]] == [
            {"cause": "CalledBy", "from": "pkg.f", "to": "pkg.g"},
            {"cause": "CalledBy", "from": "pkg.g", "to": "pkg.f"},
        ]

    RENAME = plan(
        obligation("O1", "pkg.f", cause="rename f"),
        obligation("O2", "pkg.g"),
        evidence={"edges": [edge("pkg.f", "pkg.g")]},
    )

    def test_a_breaking_change_lands_with_what_it_breaks_or_is_refused(self) -> None:
        assert solve(self.RENAME)["order"] == ["cycle:O1"]
        assert refused(self.RENAME, policy={"breaking_policy": "reject"}) == [
            ("BREAKING_GAP", "O1", {"dependents": ["O2"]})
        ]

    def test_a_preserve_of_the_changed_entity_removes_the_gap(self) -> None:
        shimmed = {
            **self.RENAME,
            "obligations": [
                *self.RENAME["obligations"],
                obligation("O3", "pkg.f", verb="preserve"),
            ],
        }
        for policy in ("atomic", "reject"):
            result = solve(shimmed, policy={"breaking_policy": policy})
            assert result["order"] == ["O3", "O1", "O2"]

    def test_a_broken_dependent_that_nobody_mends(self) -> None:
        value = {**self.RENAME, "obligations": self.RENAME["obligations"][:1]}
        with pytest.raises(PlanRefused) as caught:
            solve(value)
        (violation,) = caught.value.violations
        assert (violation.code, violation.detail["entity"]) == ("UNRESOLVED_DEPENDENT", "pkg.g")
        assert violation.fix.startswith('add an obligation that modifies "pkg.g"')

    def test_a_composite_over_the_bounds_of_a_step(self) -> None:
        def renamed(callers: int) -> dict[str, Any]:
            names = [f"app.m{number}.use" for number in range(callers)]
            return plan(
                obligation("O0", "lib.core.f", cause="rename f"),
                *(obligation(f"O{n}", name) for n, name in enumerate(names, 1)),
                evidence={"edges": [edge("lib.core.f", name) for name in names]},
            )

        assert solve(renamed(4))["order"] == ["cycle:O0"]
        with pytest.raises(PlanRefused) as caught:
            solve(renamed(5))
        (violation,) = caught.value.violations
        assert (violation.code, violation.subject) == ("COMPOSITE_OVER_BOUNDS", "cycle:O0")
        assert violation.detail == {"files": 6, "limit": 5}
        for word in ("expand", "migrate", "contract"):
            assert f"({word})" in violation.fix
        assert solve(renamed(5), limits={"max_edit_files": 6})["order"] == ["cycle:O0"]


class TestT6Composite:
    """What a composite holds."""

    def test_its_fields(self) -> None:
        result = solve(
            plan(
                obligation("O2", "pkg.two", ["O10"], verb="validate", validation="make"),
                obligation("O10", "pkg.ten", ["O2", "O1"], verb="preserve", validation="make"),
                obligation("O1"),
            )
        )
        composite = result["nodes"][1]
        assert composite["id"] == "cycle:O2"
        assert composite["target_entity"] == "pkg.two"
        assert composite["obligation"] == "preserve"
        assert composite["dependencies"] == ["O1"]
        assert composite["validation"] == "make"
        assert composite["state"] == "pending"
        assert result["branch_scores"] == {}

    @pytest.mark.parametrize(
        ("verbs", "verb"),
        [
            (("validate", "modify"), "modify"),
            (("preserve", "modify"), "modify"),
            (("validate", "preserve"), "preserve"),
            (("validate", "validate"), "validate"),
        ],
    )
    def test_its_verb(self, verbs: tuple[str, str], verb: str) -> None:
        first, second = verbs
        result = solve(
            plan(
                obligation("O1", dependencies=["O2"], verb=first),
                obligation("O2", dependencies=["O1"], verb=second),
            )
        )
        assert result["nodes"][0]["obligation"] == verb

    def test_members_never_appear_alone(self) -> None:
        result = solve(
            plan(
                obligation("O1", dependencies=["O2"]),
                obligation("O2", dependencies=["O1"]),
                obligation("O3", dependencies=["O1", "O2"]),
            )
        )
        assert result["nodes"][1]["dependencies"] == ["cycle:O1"]
        lists = [result[name] for name in ("ready", "blocked", "order", "alternative")]
        assert not {"O1", "O2"} & {each for names in lists for each in names}
        assert not {"O1", "O2"} & {each for pair in result["edges"] for each in pair}

    def test_its_id_is_outside_the_charset_of_ids(self) -> None:
        assert refused(plan(obligation("cycle:O1"))) == [("ID_INVALID", "cycle:O1", {})]

    def test_an_alternative_within(self) -> None:
        value = plan(
            obligation("O1"),
            obligation("O2", dependencies=["O3"], status="alternative"),
            obligation("O3", dependencies=["O2"], status="alternative"),
        )
        assert refused(value) == [
            ("CYCLE_THROUGH_ALTERNATIVE", "cycle:O2", {"alternatives": ["O2", "O3"]})
        ]

    def test_a_complete_member(self) -> None:
        nodes = [
            node(obligation("O1", dependencies=["O2"]), "complete"),
            node(obligation("O2", dependencies=["O1"])),
        ]
        assert refused({"nodes": nodes}) == [
            ("CYCLE_THROUGH_COMPLETE", "cycle:O1", {"complete": ["O1"]})
        ]

    def test_a_composite_of_an_artifact_is_derived_anew_and_stays_one(self) -> None:
        """T20: also where the evidence that made it is gone."""
        rename = plan(
            obligation("O1", "pkg.f", cause="rename f"),
            obligation("O2", "pkg.g"),
            obligation("O3", "pkg.h"),
            obligation("O4", dependencies=["O3"]),
            evidence={"edges": [edge("pkg.f", "pkg.g"), edge("pkg.f", "pkg.h")]},
        )
        first = solve(rename)
        assert [each["dependencies"] for each in first["nodes"][0]["members"]] == [[], [], []]
        again = solve({"nodes": first["nodes"]})
        assert again["nodes"] == first["nodes"]
        assert again["order"] == ["cycle:O1", "O4"]


class TestT7Preserve:
    """A preserve never precedes what introduces the shape, so the sample is never refused."""

    @pytest.mark.parametrize(
        ("evidence", "edges", "ready"),
        [
            ({}, [["O1", "O2"], ["O1", "O3"]], ["O2", "O3"]),
            (
                {"edges": [edge("SessionConfig", "SessionManager")]},
                [["O1", "O2"], ["O1", "O3"], ["O2", "O3"]],
                ["O2"],
            ),
        ],
        ids=["without evidence", "with an edge"],
    )
    def test_the_sample(
        self, evidence: dict[str, Any], edges: list[list[str]], ready: list[str]
    ) -> None:
        result = solve(plan(*SAMPLE["obligations"], evidence=evidence))
        assert result["edges"] == edges
        nodes = [
            {**each, "state": "complete"} if each["id"] == "O1" else each
            for each in result["nodes"]
        ]
        assert solve({"nodes": nodes, "evidence": evidence})["ready"] == ready

    def test_a_reversed_edge_changes_the_outcome(self) -> None:
        evidence = {"edges": [edge("SessionManager", "SessionConfig")]}
        result = solve(plan(*SAMPLE["obligations"], evidence=evidence))
        assert result["edges"] == [["O1", "O2"], ["O1", "O3"]]

    def test_evidence_tells_a_role_before_words_do(self) -> None:
        """Words call it a rename; the evidence calls it a change of the body."""
        records = (obligation("O1", "pkg.f", cause="rename f"), obligation("O2", "pkg.g"))
        edges = [edge("pkg.f", "pkg.g")]
        assert solve(plan(*records, evidence={"edges": edges}))["order"] == ["cycle:O1"]
        told = {"edges": edges, "changes": [{"entity": "pkg.f", "change": "body"}]}
        assert solve(plan(*records, evidence=told))["order"] == ["O1", "O2"]


class TestT8Alternatives:
    """An alternative is present, scored, and outside of everything that runs."""

    def test_who_may_depend_on_whom(self) -> None:
        primary_on = plan(
            obligation("P", dependencies=["A"]), obligation("A", status="alternative")
        )
        assert refused(primary_on) == [("DEPENDS_ON_ALTERNATIVE", "P", {"alternative": "A"})]
        allowed = plan(
            obligation("P"),
            obligation("A", dependencies=["P"], status="alternative"),
            obligation("B", dependencies=["A"], status="alternative"),
        )
        result = solve(allowed)
        assert (result["order"], result["alternative"]) == (["P"], ["A", "B"])
        assert result["edges"] == [["A", "B"], ["P", "A"]]

    def test_an_alternative_changes_no_order_of_the_primaries(self) -> None:
        evidence = {"edges": [edge("pkg.f", "pkg.g")]}
        primaries = (obligation("O2", "pkg.g"), obligation("O3", "pkg.h"))
        deletion = obligation("O1", "pkg.f", cause="delete f", status="alternative")
        result = solve(plan(deletion, *primaries, evidence=evidence))
        assert (result["order"], result["edges"]) == (["O2", "O3"], [])

    def test_an_alternative_mends_nothing(self) -> None:
        value = plan(
            obligation("O1", "pkg.f", cause="rename f"),
            obligation("O2", "pkg.g", status="alternative"),
            evidence={"edges": [edge("pkg.f", "pkg.g")]},
        )
        assert [each[:2] for each in refused(value)] == [("UNRESOLVED_DEPENDENT", "O1")]

    def test_nothing_switches_by_itself(self) -> None:
        """Not even when the alternative is all that is left."""
        result = solve(
            {
                "nodes": [
                    node(obligation("O1"), "failed"),
                    node(obligation("O2", "pkg.O1", status="alternative")),
                ]
            }
        )
        assert (result["ready"], result["order"]) == ([], [])
        assert result["alternative"] == ["O2"]


class TestT9Ungrounded:
    @pytest.mark.parametrize("cause", ["", " ", "\n\t", "\u00a0"])
    def test_white_space_is_empty(self, cause: str) -> None:
        assert refused(plan(obligation("O1", cause=cause))) == [("UNGROUNDED", "O1", {})]

    def test_the_plan_is_refused_with_all_of_them(self) -> None:
        value = plan(
            obligation("O1", cause=""),
            obligation("O2", dependencies=["O1"]),
            obligation("O3", cause=""),
            obligation("O4", cause="", status="alternative"),
        )
        assert refused(value) == [("UNGROUNDED", "O1", {}), ("UNGROUNDED", "O3", {})]

    def test_an_artifact_is_checked_again(self) -> None:
        assert refused({"nodes": [node(obligation("O1", cause=""))]}) == [("UNGROUNDED", "O1", {})]


class TestT10MissingTests:
    """Only `validate` asks for a test; a list of tests is a closed world."""

    RUNS = obligation("O1", "auth.Session", verb="validate", cause="c", validation=TEST)

    @pytest.mark.parametrize("verb", ["modify", "preserve"])
    def test_other_verbs_may_name_a_test_that_is_not_there_yet(self, verb: str) -> None:
        record = obligation("O1", "auth.Session", verb=verb, validation=TEST)
        assert solve(plan(record, evidence={"tests": []}))["order"] == ["O1"]

    def test_without_a_list_a_definer_comes_first_and_a_gap_is_advice(self) -> None:
        result = solve(plan(self.RUNS, obligation("O2", "tests.test_session")))
        assert (result["edges"], result["advice"]) == ([["O2", "O1"]], [])
        result = solve(plan(self.RUNS))
        assert [(each["code"], each["detail"]) for each in result["advice"]] == [
            ("UNVERIFIED_TEST", {"test": TEST})
        ]

    def test_an_empty_list_is_a_list(self) -> None:
        assert [each[:2] for each in refused(plan(self.RUNS, evidence={"tests": []}))] == [
            ("UNDEFINED_TEST", "O1")
        ]

    def test_an_alternative_defines_nothing(self) -> None:
        value = plan(
            self.RUNS,
            obligation("O2", "tests.test_session", status="alternative"),
            evidence={"tests": []},
        )
        assert [each[:2] for each in refused(value)] == [("UNDEFINED_TEST", "O1")]

    @pytest.mark.parametrize("validation", ["make lint", "python -m build", "", "it works"])
    def test_what_names_no_test_asks_for_none(self, validation: str) -> None:
        record = obligation("O1", "auth.Session", verb="validate", validation=validation)
        assert solve(plan(record, evidence={"tests": []}))["order"] == ["O1"]

    def test_a_validate_that_would_run_before_the_change_is_advice(self) -> None:
        value = plan(
            obligation("O1", "auth.Session"),
            obligation("O2", "auth.Session", verb="validate", validation="make"),
        )
        assert advice(solve(value)) == [("VALIDATES_BEFORE_CHANGE", "O2")]
        value["obligations"][1]["dependencies"] = ["O1"]
        assert advice(solve(value)) == []


class TestT16Grounding:
    """Targets have the four answers of a symbol reference; only strictness refuses, and then only
    what is ambiguous."""

    @pytest.mark.parametrize(
        ("target", "grounding"),
        [
            ("auth.Session.load", None),
            ("repo.auth.Session.load", None),
            ("auth.Session", None),
            ("Session.load", "ambiguous"),
            ("load", "ambiguous"),
            ("auth.Token", "unresolved"),
            ("th.Session", "unresolved"),
            ("", "invalid_ref"),
            ("  ", "invalid_ref"),
        ],
    )
    def test_each_answer(self, target: str, grounding: str | None) -> None:
        value = plan(obligation("O1", target), evidence={"entities": ENTITIES})
        found = [
            each["detail"]["grounding"]
            for each in solve(value)["advice"]
            if "grounding" in each["detail"]
        ]
        assert found == ([grounding] if grounding else [])

    @pytest.mark.parametrize("target", ["auth.Session.load", "Session.load", "auth.Token", ""])
    def test_strict_refuses_what_is_ambiguous(self, target: str) -> None:
        value = plan(obligation("O1", target), evidence={"entities": ENTITIES})
        if target == "Session.load":
            assert refused(value, strict_grounding=True) == [
                (
                    "AMBIGUOUS_TARGET",
                    "O1",
                    {"target": target, "candidates": ["auth.Session.load", "db.Session.load"]},
                )
            ]
        else:
            assert solve(value, strict_grounding=True)["order"] == ["O1"]

    def test_without_a_list_of_entities_nothing_is_said(self) -> None:
        assert solve(plan(obligation("O1", "no.such")))["advice"] == []

    def test_an_empty_list_holds_nothing(self) -> None:
        result = solve(plan(obligation("O1", "no.such"), evidence={"entities": []}))
        assert advice(result) == [("TARGET_UNRESOLVED", "O1")]
