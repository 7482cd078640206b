"""Build spec 3.2, the dependency graph over obligations, paragraph by paragraph."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from support import edge, obligation, plan, refused, solve

from plan07.errors import InputError

TEST = "tests/test_auth.py::test_timeout"
RECORD = {
    "id": "O7",
    "target_entity": "repo.auth.SessionManager.load",
    "obligation": "modify",
    "caused_by": "impact06: sig change → consumer re-bind",
    "dependencies": ["O3"],
    "evidence": "06 DAG edge CalledBy / 03 recon call graph",
    "status": "ready",
    "validation": "tests/test_session.py::test_custom_timeout",
}
RUNS = obligation("O1", "auth.Session", verb="validate", cause="acceptance", validation=TEST)


def edges(result: dict[str, Any]) -> list[tuple[str, str]]:
    return [(before, after) for before, after in result["edges"]]


def why(result: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    return [(*each["edge"], each["reason"], each["rule"]) for each in result["reasons"]]


def codes(result: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["code"], each["subject"]) for each in result["advice"]]


class TestRecordSchema:
    """ "Obligation record schema (exact — the paper's P1 `PlanNode` record, verbatim shape)" """

    def test_the_record_of_the_spec_is_read(self) -> None:
        """S-000-030."""
        result = solve(plan(obligation("O3"), RECORD))
        assert result["nodes"][1] == {**RECORD, "status": "blocked", "state": "pending"}
        assert list(result["nodes"][1]) == [*RECORD, "state"]
        assert edges(result) == [("O3", "O7")]

    @pytest.mark.parametrize("field", RECORD)
    def test_each_of_the_eight_fields_is_needed(self, field: str) -> None:
        """S-000-022."""
        record = {name: value for name, value in RECORD.items() if name != field}
        with pytest.raises(InputError) as caught:
            solve(plan(obligation("O3"), record))
        assert [each.subject for each in caught.value.violations] == [f"obligations[1].{field}"]

    def test_there_is_no_ninth_field(self) -> None:
        """S-000-022."""
        with pytest.raises(InputError) as caught:
            solve(plan({**RECORD, "effort": "3"}))
        assert caught.value.violations[0].detail["type"] == "extra_forbidden"

    @pytest.mark.parametrize("verb", ["modify", "preserve", "validate"])
    @pytest.mark.parametrize("status", ["ready", "blocked", "alternative"])
    def test_the_values_of_the_closed_fields(self, verb: str, status: str) -> None:
        (node,) = solve(plan(obligation("O1", verb=verb, status=status)))["nodes"]
        assert node["obligation"] == verb
        assert node["status"] == ("alternative" if status == "alternative" else "ready")

    def test_an_id_is_unique_in_the_plan(self) -> None:
        """S-000-030: facts are a set, so two equal records must not become one."""
        record = obligation("O1")
        assert refused(plan(record, record)) == [("DUPLICATE_ID", "O1", {"count": 2})]
        assert refused(plan(obligation("O2"), record, record, obligation("O1", "pkg.other"))) == [
            ("DUPLICATE_ID", "O1", {"count": 3})
        ]

    def test_a_dependency_is_an_id_of_the_plan(self) -> None:
        """S-000-040: refused before anything is ordered."""
        assert refused(plan(obligation("O1"), obligation("O2", dependencies=["O9", "O1"]))) == [
            ("UNKNOWN_DEPENDENCY", "O2", {"id": "O2", "missing": "O9"})
        ]

    def test_an_obligation_does_not_depend_on_itself(self) -> None:
        """S-000-041: no collapse of one node cures it."""
        assert refused(plan(obligation("O1", dependencies=["O1"]))) == [
            ("SELF_DEPENDENCY", "O1", {})
        ]

    def test_the_obligations_that_must_be_discharged_first_are(self) -> None:
        result = solve(
            plan(
                obligation("O1", dependencies=["O2", "O3"]),
                obligation("O2", dependencies=["O3"]),
                obligation("O3"),
            )
        )
        assert result["order"] == ["O3", "O2", "O1"]
        assert edges(result) == [("O2", "O1"), ("O3", "O1"), ("O3", "O2")]


class TestFirstApplicableRule:
    """ "Ordering ladder (first applicable rule wins)" """

    def test_rung_1_before_rung_2(self) -> None:
        """S-000-035: R1 says O2 before O1 (a build waits for the widening), R2 says O1 before O2
        (a default is preserved before anything relies on it)."""
        default = obligation("O1", verb="preserve", cause="compiles as before")
        relying = obligation("O2", cause="type-widening; relies on the new default")
        assert why(solve(plan(default, relying))) == [("O2", "O1", "R1", "widen_then_compile")]
        # Without R1 between them, R2 applies.
        default = obligation("O1", verb="preserve", cause="works as before")
        assert why(solve(plan(default, relying))) == [("O1", "O2", "R2", "preserve_then_rely")]

    def test_rung_2_before_rung_3(self) -> None:
        """S-000-035: R2 says O2 before O1, R3 says O1 before O2."""
        migration = obligation("O1", cause="schema migration; relies on the new default")
        reader = obligation("O2", "pkg.default", verb="preserve", cause="usage of it stays")
        assert why(solve(plan(migration, reader))) == [("O2", "O1", "R2", "preserve_then_rely")]

    def test_rung_3_before_rung_4(self) -> None:
        """S-000-035: where both say the same, the earlier one is the reason."""
        runner = {**RUNS, "caused_by": "acceptance: usage of the migrated column"}
        definer = obligation("O2", "tests.test_auth", cause="schema migration and its test")
        assert why(solve(plan(runner, definer))) == [("O2", "O1", "R3", "migrate_then_use")]
        definer = obligation("O2", "tests.test_auth")
        assert why(solve(plan(runner, definer))) == [("O2", "O1", "R4", "define_then_run")]

    def test_a_rung_speaks_of_a_pair_not_of_the_plan(self) -> None:
        """That R1 orders one pair leaves R3 to order another."""
        result = solve(
            plan(
                obligation("O1", cause="consumer re-bind"),
                obligation("O2", cause="type-widening"),
                obligation("O3", cause="usage of the migrated column"),
                obligation("O4", cause="schema migration"),
            )
        )
        assert why(result) == [
            ("O2", "O1", "R1", "widen_then_rebind"),
            ("O4", "O3", "R3", "migrate_then_use"),
        ]


class TestWidenRebindCompile:
    """ "a type-widening obligation precedes the consumer-rebinding obligation that precedes the
    compilation obligation" """

    def test_in_words_and_in_any_order(self) -> None:
        """S-000-031: no declared dependency, every order of the records."""
        records = [
            obligation("A", cause="type-widening"),
            obligation("B", cause="consumer re-bind"),
            obligation("C", cause="compilation"),
        ]
        for shuffled in itertools.permutations(records):
            result = solve(plan(*shuffled))
            assert edges(result) == [("A", "B"), ("B", "C")]
            assert result["order"] == ["A", "B", "C"]
            assert why(result) == [
                ("A", "B", "R1", "widen_then_rebind"),
                ("B", "C", "R1", "rebind_then_compile"),
            ]

    def test_with_evidence_it_speaks_of_the_consumers_of_that_type(self) -> None:
        """S-000-031, S-000-037."""
        result = solve(
            plan(
                obligation("O1", "pkg.Reader", cause="consumer re-bind"),
                obligation("O2", "pkg.Other", cause="consumer re-bind"),
                obligation("O3", "pkg.Config", cause="type-widening"),
                evidence={"edges": [edge("pkg.Config", "pkg.Reader")]},
            )
        )
        assert edges(result) == [("O3", "O1")]
        assert result["reasons"][0]["evidence"] == {
            "cause": "CalledBy",
            "from": "pkg.Config",
            "to": "pkg.Reader",
        }

    def test_evidence_tells_the_roles_without_words(self) -> None:
        result = solve(
            plan(
                obligation("O1", "pkg.Reader"),
                obligation("O2", "pkg.Config"),
                evidence={
                    "edges": [edge("pkg.Config", "pkg.Reader")],
                    "changes": [{"entity": "pkg.Config", "change": "param_added_default"}],
                },
            )
        )
        assert why(result) == [("O2", "O1", "R1", "widen_then_rebind")]

    def test_the_dependent_comes_second_whichever_way_the_ids_run(self) -> None:
        """T7: in `A CalledBy B`, B is the consumer."""
        for config, reader in (("O1", "O2"), ("O2", "O1")):
            result = solve(
                plan(
                    obligation(config, "pkg.Config", cause="type-widening"),
                    obligation(reader, "pkg.Reader", cause="consumer re-bind"),
                    evidence={"edges": [edge("pkg.Config", "pkg.Reader")]},
                )
            )
            assert edges(result) == [(config, reader)]


class TestPreserveDefault:
    """ "a preserve-default obligation precedes anything that would rely on the new default" """

    def test_it_precedes_the_consumer(self) -> None:
        """S-000-032."""
        result = solve(
            plan(
                obligation("O1", "auth.SessionManager"),
                obligation("O2", "auth.SessionConfig", verb="preserve"),
                evidence={"edges": [edge("auth.SessionConfig", "auth.SessionManager")]},
            )
        )
        assert why(result) == [("O2", "O1", "R2", "preserve_then_rely")]

    def test_the_other_direction_of_the_edge_says_nothing(self) -> None:
        result = solve(
            plan(
                obligation("O1", "auth.SessionManager"),
                obligation("O2", "auth.SessionConfig", verb="preserve"),
                evidence={"edges": [edge("auth.SessionManager", "auth.SessionConfig")]},
            )
        )
        assert edges(result) == []

    def test_preserve_then_old_default_then_custom_value(self) -> None:
        """S-000-032: "`preserve default behavior` precedes `old-default test re-runs` precedes
        `custom timeout test passes`"."""
        file = "tests/test_config.py"
        tests = [f"{file}::test_old_default", f"{file}::test_custom_timeout"]
        entity = "auth.SessionConfig"
        result = solve(
            plan(
                obligation(
                    "O1", entity, verb="validate", cause="custom timeout test", validation=tests[1]
                ),
                obligation(
                    "O2", entity, verb="validate", cause="old-default re-run", validation=tests[0]
                ),
                obligation("O3", entity, verb="preserve", cause="preserve default behavior"),
                evidence={"tests": tests},
            )
        )
        assert result["order"] == ["O3", "O2", "O1"]
        assert edges(result) == [("O2", "O1"), ("O3", "O2")]
        assert {each[2:] for each in why(result)} == {
            ("R2", "retest_then_rely"),
            ("R2", "preserve_then_retest"),
        }

    def test_it_never_precedes_what_introduces_the_shape(self) -> None:
        """T7: nor what it depends on."""
        result = solve(
            plan(
                obligation("O1", "auth.SessionConfig.schema", cause="schema change"),
                obligation("O2", "auth.SessionConfig", verb="preserve"),
                evidence={"edges": [edge("auth.SessionConfig", "auth.SessionConfig.schema")]},
            )
        )
        assert edges(result) == []


class TestSharedTypesAndMigrations:
    """ "shared types precede consumers; migrations precede usage" """

    def test_a_migration_in_words(self) -> None:
        """S-000-033."""
        result = solve(
            plan(
                obligation("U", cause="usage of the migrated column"),
                obligation("M", cause="schema migration"),
            )
        )
        assert why(result) == [("M", "U", "R3", "migrate_then_use")]

    def test_a_migration_in_evidence(self) -> None:
        """S-000-033: any obligation that would consume the migrated shape."""
        result = solve(
            plan(
                obligation("O1", "shop.orders"),
                obligation("O2", "shop.schema"),
                obligation("O3", "shop.unrelated"),
                evidence={
                    "edges": [edge("shop.schema", "shop.orders", "MigratedBy")],
                    "changes": [{"entity": "shop.schema", "change": "schema_migration"}],
                },
            )
        )
        assert edges(result) == [("O2", "O1")]
        assert ("O2", "O1", "R3", "migrate_then_use") in why(result)

    def test_a_shared_type(self) -> None:
        """S-000-033."""
        result = solve(
            plan(
                obligation("O1", "pkg.use"),
                obligation("O2", "pkg.Money", cause="shared type"),
                evidence={"edges": [edge("pkg.Money", "pkg.use", "TypeUsedBy")]},
            )
        )
        assert why(result) == [("O2", "O1", "R3", "share_then_use")]


class TestTestsAreDefinedEarly:
    """ "`validate` obligations run against tests defined by an earlier `modify` obligation unless
    the test already exists in the repo" """

    @pytest.mark.parametrize(
        "target", ["tests/test_auth.py", "tests.test_auth", TEST, "tests.test_auth.test_timeout"]
    )
    def test_a_missing_test_waits_for_its_definition(self, target: str) -> None:
        """S-000-034."""
        result = solve(plan(RUNS, obligation("O2", target), evidence={"tests": []}))
        assert why(result) == [("O2", "O1", "R4", "define_then_run")]

    def test_the_evidence_of_an_obligation_may_say_that_it_defines_it(self) -> None:
        definer = obligation("O2", "auth.testing", evidence=f"defines {TEST}")
        assert edges(solve(plan(RUNS, definer, evidence={"tests": []}))) == [("O2", "O1")]

    @pytest.mark.parametrize("known", [TEST, f"{TEST}[30]"])
    def test_a_test_that_exists_needs_no_edge(self, known: str) -> None:
        """S-000-034."""
        result = solve(plan(RUNS, obligation("O2", "tests.test_auth"), evidence={"tests": [known]}))
        assert edges(result) == []

    def test_a_test_with_a_longer_name_is_another(self) -> None:
        result = solve(
            plan(RUNS, obligation("O2", "tests.test_auth"), evidence={"tests": [f"{TEST}s"]})
        )
        assert edges(result) == [("O2", "O1")]

    def test_every_definition_comes_first(self) -> None:
        result = solve(
            plan(
                RUNS,
                obligation("O2", "tests/test_auth.py"),
                obligation("O3", TEST),
                obligation("O4", "tests/test_auth.py::test_other"),
                evidence={"tests": []},
            )
        )
        assert edges(result) == [("O2", "O1"), ("O3", "O1")]

    def test_a_test_that_nobody_defines_is_refused(self) -> None:
        assert refused(plan(RUNS, evidence={"tests": []})) == [
            ("UNDEFINED_TEST", "O1", {"node": "O1", "test": TEST})
        ]


class TestTemporalConsistency:
    """ "A schedule whose order would leave the repo uncompilable or a dependent unresolved at any
    step is rejected and the offending edge(s) flagged." """

    def test_a_declared_edge_against_the_ladder(self) -> None:
        """S-000-036."""
        found = refused(
            plan(
                obligation("O1", cause="type-widening", dependencies=["O2"]),
                obligation("O2", cause="consumer re-bind"),
            )
        )
        assert found == [("TEMPORAL_INCONSISTENT", "O1", {"edges": [["O2", "O1"]]})]

    def test_every_declared_edge_on_the_path_is_flagged(self) -> None:
        """S-000-036, T5."""
        found = refused(
            plan(
                obligation("O1", cause="type-widening", dependencies=["O2"]),
                obligation("O2", dependencies=["O3"]),
                obligation("O3", cause="consumer re-bind"),
                obligation("O4", dependencies=["O3"]),
            )
        )
        assert found == [("TEMPORAL_INCONSISTENT", "O1", {"edges": [["O2", "O1"], ["O3", "O2"]]})]

    def test_a_declared_edge_against_evidence(self) -> None:
        found = refused(
            plan(
                obligation("O1", "pkg.f", dependencies=["O2"]),
                obligation("O2", "pkg.g"),
                evidence={
                    "edges": [
                        edge("pkg.f", "pkg.g", change="added", strength="must", order="def<dep")
                    ]
                },
            )
        )
        assert found == [("TEMPORAL_INCONSISTENT", "O1", {"edges": [["O2", "O1"]]})]

    @pytest.mark.parametrize(
        ("change", "order"),
        [("schema_migration", ["O1", "O2"]), ("deleted", ["O2", "O1"])],
        ids=["definition first", "dependents first"],
    )
    def test_the_order_that_keeps_the_repository_valid(self, change: str, order: list[str]) -> None:
        result = solve(
            plan(
                obligation("O1", "pkg.f"),
                obligation("O2", "pkg.g"),
                evidence={"edges": [edge("pkg.f", "pkg.g", "UsedBy", change=change)]},
            )
        )
        assert result["order"] == order
        assert edges(result) == [(order[0], order[1])]

    def test_what_has_no_valid_order_lands_in_one_step(self) -> None:
        result = solve(
            plan(
                obligation("O1", "pkg.f", cause="rename f to g"),
                obligation("O2", "pkg.caller"),
                evidence={"edges": [edge("pkg.f", "pkg.caller")]},
            )
        )
        assert result["order"] == ["cycle:O1"]

    def test_an_unresolved_dependent_is_refused_and_named(self) -> None:
        """The fix names the obligation to add."""
        value = plan(
            obligation("O1", "pkg.f", cause="rename f to g"),
            obligation("O2", "pkg.caller"),
            evidence={"edges": [edge("pkg.f", "pkg.caller"), edge("pkg.f", "pkg.forgotten")]},
        )
        assert refused(value) == [
            (
                "UNRESOLVED_DEPENDENT",
                "O1",
                {"node": "O1", "entity": "pkg.forgotten", "causes": ["CalledBy"]},
            )
        ]
        value["obligations"].append(obligation("O3", "pkg.forgotten"))
        assert solve(value)["composites"][0]["members"] == ["O1", "O2", "O3"]

    @pytest.mark.parametrize("resolution", ["heuristic", "ambiguous"])
    def test_an_edge_that_is_not_certain_refuses_nothing(self, resolution: str) -> None:
        result = solve(
            plan(
                obligation("O1", "pkg.f", cause="rename f to g"),
                evidence={"edges": [edge("pkg.f", "pkg.caller", resolution=resolution)]},
            )
        )
        assert [(each["code"], each["subject"], each["detail"]) for each in result["advice"]] == [
            ("UNCERTAIN_DEPENDENT", "O1", {"entity": "pkg.caller", "causes": ["CalledBy"]})
        ]

    def test_a_change_of_the_body_breaks_nobody(self) -> None:
        result = solve(
            plan(
                obligation("O1", "pkg.f", cause="body change"),
                obligation("O2", "pkg.caller"),
                evidence={"edges": [edge("pkg.f", "pkg.caller"), edge("pkg.f", "pkg.other")]},
            )
        )
        assert (edges(result), codes(result)) == ([], [])


class TestReuse:
    """ "No new analysis is invented; ordering is *assembled* from existing evidence." """

    def test_without_evidence_only_declared_edges_and_words_order(self) -> None:
        """S-000-037."""
        result = solve(
            plan(
                obligation("O1", "auth.Config"),
                obligation("O2", "auth.Config.load", dependencies=["O1"]),
                obligation("O3", "auth.Manager"),
            )
        )
        assert why(result) == [("O1", "O2", "declared", "declared")]

    def test_each_derived_edge_says_what_it_came_from(self) -> None:
        """S-000-037."""
        result = solve(
            plan(
                obligation("O1", "pkg.f", cause="delete f"),
                obligation("O2", "pkg.g"),
                evidence={"edges": [edge("pkg.f", "pkg.g", "ImportedBy")]},
            )
        )
        assert result["reasons"] == [
            {
                "edge": ["O2", "O1"],
                "reason": "impact",
                "rule": "dependents_first",
                "evidence": {"cause": "ImportedBy", "from": "pkg.f", "to": "pkg.g"},
                "text": "what depends on it lets go first: pkg.f ImportedBy pkg.g (deleted)",
            }
        ]

    def test_what_an_edge_says_of_itself_outranks_the_table(self) -> None:
        """The table lands a rename and its caller together."""
        told = edge("pkg.f", "pkg.g", change="rename", strength="must", order="dep<def")
        result = solve(
            plan(obligation("O1", "pkg.f"), obligation("O2", "pkg.g"), evidence={"edges": [told]})
        )
        assert edges(result) == [("O2", "O1")]

    def test_evidence_of_entities_that_the_plan_does_not_touch_is_not_used(self) -> None:
        result = solve(
            plan(
                obligation("O1", "pkg.f"),
                obligation("O2", "pkg.g"),
                evidence={"edges": [edge("lib.x", "lib.y", change="rename")]},
            )
        )
        assert (edges(result), codes(result)) == ([], [])

    def test_names_of_the_evidence_may_lack_a_prefix(self) -> None:
        """T7: the plan says `repo.auth.SessionConfig`, the evidence `auth.SessionConfig`."""
        result = solve(
            plan(
                obligation("O1", "repo.auth.Session.fetch", cause="delete fetch"),
                obligation("O2", "repo.web.login"),
                evidence={"edges": [edge("auth.Session.fetch", "web.login")]},
            )
        )
        assert edges(result) == [("O2", "O1")]


class TestCaps:
    """ "Caps: ≤ 64 obligations in the graph; each `dependencies` array ≤ 16 ids; each `evidence`
    string ≤ 200 chars." """

    def test_64_and_65_obligations(self) -> None:
        """S-000-038: 65 are re-scoped, never cut."""
        records = [obligation(f"O{number}") for number in range(1, 66)]
        assert len(solve(plan(*records[:64]))["nodes"]) == 64
        assert refused(plan(*records)) == [
            ("CAP_EXCEEDED", "plan", {"field": "obligations", "count": 65, "limit": 64})
        ]

    def test_16_and_17_dependencies(self) -> None:
        """S-000-038."""
        first = [obligation(f"O{number}") for number in range(1, 18)]
        ids = [record["id"] for record in first]
        last = obligation("O20", dependencies=ids[:16])
        assert len(edges(solve(plan(*first, last)))) == 16
        last = obligation("O20", dependencies=ids)
        assert refused(plan(*first, last)) == [
            ("CAP_EXCEEDED", "O20", {"field": "dependencies", "count": 17, "limit": 16})
        ]

    def test_200_and_201_characters_of_evidence(self) -> None:
        """S-000-038: characters, not bytes."""
        assert solve(plan(obligation("O1", evidence="é" * 200)))["order"] == ["O1"]
        assert refused(plan(obligation("O1", evidence="é" * 201))) == [
            ("CAP_EXCEEDED", "O1", {"field": "evidence", "count": 201, "limit": 200})
        ]

    @pytest.mark.parametrize("field", ["target_entity", "caused_by", "validation"])
    def test_the_other_texts_share_the_cap_of_evidence(self, field: str) -> None:
        """T3."""
        assert solve(plan({**obligation("O1"), field: "x" * 200}))["order"] == ["O1"]
        assert refused(plan({**obligation("O1"), field: "x" * 201})) == [
            ("CAP_EXCEEDED", "O1", {"field": field, "count": 201, "limit": 200})
        ]

    @pytest.mark.parametrize(
        ("requirement", "field", "count", "limit"),
        [
            ({"goal": "g" * 501}, "goal", 501, 500),
            ({"acceptance_criteria": ["x"] * 17}, "criteria", 17, 16),
            ({"acceptance_criteria": ["x" * 201]}, "criterion", 201, 200),
            ({"constraints": ["x"] * 17}, "constraints", 17, 16),
            ({"constraints": ["x" * 201]}, "constraint", 201, 200),
        ],
        ids=lambda each: each if isinstance(each, str) else "",
    )
    def test_the_requirement(
        self, requirement: dict[str, Any], field: str, count: int, limit: int
    ) -> None:
        """S-000-016."""
        whole = {"goal": "g", "acceptance_criteria": ["c"], "constraints": [], **requirement}
        assert refused(plan(obligation("O1"), requirement=whole)) == [
            ("CAP_EXCEEDED", "requirement", {"field": field, "count": count, "limit": limit})
        ]

    def test_the_requirement_at_its_caps(self) -> None:
        """S-000-016."""
        whole = {
            "goal": "g" * 500,
            "acceptance_criteria": ["c" * 200] * 16,
            "constraints": ["c" * 200] * 16,
        }
        assert solve(plan(obligation("O1"), requirement=whole))["order"] == ["O1"]


class TestUngrounded:
    """ "`caused_by` empty and `dependencies` empty and `status` not `alternative`" """

    @pytest.mark.parametrize("status", ["ready", "alternative"])
    @pytest.mark.parametrize("dependencies", [[], ["O1"]], ids=["no dependency", "a dependency"])
    @pytest.mark.parametrize("cause", ["", "body change"], ids=["no cause", "a cause"])
    def test_one_of_the_eight_combinations_is_refused(
        self, cause: str, dependencies: list[str], status: str
    ) -> None:
        """S-000-039."""
        record = obligation("O2", cause=cause, dependencies=dependencies, status=status)
        value = plan(obligation("O1"), record)
        if (cause, dependencies, status) == ("", [], "ready"):
            assert refused(value) == [("UNGROUNDED", "O2", {})]
        else:
            assert len(solve(value)["nodes"]) == 2

    def test_white_space_is_no_cause(self) -> None:
        """T9."""
        assert refused(plan(obligation("O1", cause=" \t\n"))) == [("UNGROUNDED", "O1", {})]

    def test_all_of_them_are_listed(self) -> None:
        """T9: the whole plan is refused, because dropping a node would leave its dependents."""
        records = [obligation("O10", cause=""), obligation("O9", cause=""), obligation("O1")]
        assert refused(plan(*records)) == [("UNGROUNDED", "O9", {}), ("UNGROUNDED", "O10", {})]

    def test_a_derived_edge_does_not_ground(self) -> None:
        """T9."""
        value = plan(
            obligation("O1", "pkg.f", cause="delete f"),
            obligation("O2", "pkg.g", cause=""),
            evidence={"edges": [edge("pkg.f", "pkg.g")]},
        )
        assert refused(value) == [("UNGROUNDED", "O2", {})]
