"""The one partition that every command answers from (S-000-057, S-000-059; T1, T2, T8)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from driving import chain, opened, run_all, step, written
from hypothesis import given
from properties.strategies import plans, tries
from support import obligation, solve

from plan07 import artifact, partition, rulebook
from plan07.errors import PlanRefused, RulesError
from plan07.partition import PARTS, restated, stand

HEADER = "% Stage: schedule\n"


def made(schedule: dict[str, Any]) -> dict[str, Any]:
    return artifact.new("plan-20260905-1412", None, schedule)


def standing(*obligations: dict[str, Any], **states: str) -> partition.Standing:
    """Return how a plan stands in which some nodes are not pending."""
    found = made(solve({"obligations": list(obligations)}))
    for node in found["nodes"]:
        node["state"] = states.get(node["id"], "pending")
    return stand(found, rulebook.load())


def walk(found: dict[str, Any], rules: rulebook.Rulebook) -> Iterator[partition.Standing]:
    """Yield how a plan stands at each step of a run in which everything passes."""
    while (now := stand(found, rules)).exposed is not None:
        yield now
        node = next(each for each in found["nodes"] if each["id"] == now.exposed)
        done = {**node, "state": "complete"}
        if "members" in node:
            done["members"] = [{**part, "state": "complete"} for part in node["members"]]
        found = restated(artifact.with_nodes(found, [done]), now)


class TestItIsThatOfSolve:
    @tries(15)
    @given(plans(any_state=True, most=12))
    def test_s_000_057_on_any_plan(self, document: dict[str, Any]) -> None:
        """In states that no driver would reach, too."""
        try:
            schedule = solve(document)
        except PlanRefused:
            return
        now = stand(made(schedule), rulebook.load())
        for name in ("ready", "blocked", "alternative"):
            assert list(now.parts[name]) == schedule[name]
        assert list(now.stranded) == schedule["stranded"]
        listed = [each for name in PARTS for each in now.parts[name]]
        assert sorted(listed) == sorted(node["id"] for node in schedule["nodes"])

    @tries(12)
    @given(plans(most=10))
    def test_s_000_059_a_run_in_which_all_passes_is_the_emitted_order(
        self, document: dict[str, Any]
    ) -> None:
        try:
            schedule = solve(document)
        except PlanRefused:
            return
        pending = [node for node in schedule["nodes"] if node["state"] == "pending"]
        if len(pending) < len(schedule["nodes"]):
            return
        walked = [each.exposed for each in walk(made(schedule), rulebook.load())]
        assert walked == schedule["order"]


class TestPreferences:
    @pytest.mark.parametrize(
        "wish",
        [
            pytest.param("prefer(O, -1) :- verb(O, validate).", id="by verb"),
            pytest.param("prefer(O, -N) :- ordinal(O, N).", id="by place"),
            pytest.param('prefer(O, 1) :- target(O, "pkg.O2").', id="by target"),
            pytest.param("prefer(O, -1) :- validation(O, _).", id="by validation"),
            pytest.param("prefer(O, 2) :- member(U, O), member(U, P), O != P.", id="by unit"),
        ],
    )
    def test_s_000_059_next_honours_what_solve_honoured(self, tmp_path: Path, wish: str) -> None:
        (tmp_path / "rules").mkdir()
        (tmp_path / "rules" / "wish.lp").write_text(HEADER + wish)
        records = [
            step("O1", "O9"),
            step("O9", "O1"),
            step("O2", validation=" "),
            step("O3", verb="validate"),
            step("O10"),
        ]
        rules = str(tmp_path / "rules")
        expected = solve({"obligations": records}, rules=rules)["order"]
        path = written(tmp_path, *records, rules=rules)
        # A blank validation cannot be run, so the walk of the partition stands for the driver's.
        found = made(solve({"obligations": records}, rules=rules))
        walked = [each.exposed for each in walk(found, rulebook.load(rules))]
        assert walked == expected != solve({"obligations": records})["order"]
        assert opened(path, rules=rules).status().next == expected[0]

    def test_a_driver_walks_that_way(self, tmp_path: Path) -> None:
        (tmp_path / "wish.lp").write_text(HEADER + "prefer(O, -N) :- ordinal(O, N).")
        path = written(tmp_path, step("O1"), step("O2"), step("O3", "O1"), rules=str(tmp_path))
        assert run_all(opened(path, rules=str(tmp_path))) == ["O2", "O1", "O3"]


class TestWhatItSays:
    def test_t1_each_part(self) -> None:
        records = [
            step("O1"),
            step("O2", "O1"),
            step("O3"),
            step("O4"),
            step("O5", "O4"),
            step("O6", "O5"),
            step("O7", status="alternative"),
        ]
        now = standing(*records, O1="complete", O4="failed")
        assert now.parts == {
            "ready": ("O2", "O3"),
            "blocked": ("O5", "O6"),
            "alternative": ("O7",),
            "complete": ("O1",),
            "failed": ("O4",),
        }
        assert now.stranded == {"O5": ("O4",), "O6": ("O5",)}
        assert (now.exposed, now.verdict) == ("O2", "running")
        assert [now.part_of(f"O{n}") for n in (1, 2, 4, 5, 7)] == [
            *("complete", "ready", "failed", "blocked", "alternative")
        ]

    def test_t2_the_natural_order_a_composite_where_its_lowest_member_is(self) -> None:
        records = [step("O10"), step("O9", "O3"), step("O3", "O9"), step("O4"), step("O02")]
        assert standing(*records).parts["ready"] == ("O02", "cycle:O3", "O4", "O10")

    def test_t8_an_alternative_is_never_exposed(self) -> None:
        now = standing(step("O1"), step("O2", status="alternative"), O1="failed")
        assert (now.exposed, now.verdict) == (None, "stalled")

    def test_what_may_be_done_with_ready_and_failed_nodes(self) -> None:
        now = standing(step("O1"), step("O2", verb="validate"), step("O3", "O1"), O1="failed")
        assert {name: found["edit"] for name, found in now.permitted.items()} == {
            "O1": True,
            "O2": False,
        }

    def test_t11_a_plan_of_nothing_is_not_complete(self) -> None:
        found = artifact.new("plan-20260905-1412", None, {"nodes": [], "branch_scores": {}})
        assert stand(found, rulebook.load()).verdict == "needs_rescope"

    def test_an_abandoned_plan_exposes_nothing(self) -> None:
        found = made(solve({"obligations": [obligation("O1")]}))
        now = stand(found, rulebook.load(), abandoned=True)
        assert (now.verdict, now.exposed, now.parts["ready"]) == ("abandoned", None, ("O1",))


class TestRestated:
    def test_t1_only_what_moved_is_another_object(self) -> None:
        found = made(solve({"obligations": chain("O1", "O2", "O3")}))
        found["nodes"][0] = {**found["nodes"][0], "state": "complete"}
        after = restated(found, stand(found, rulebook.load()))
        assert [node["status"] for node in after["nodes"]] == ["ready", "ready", "blocked"]
        assert [a is b for a, b in zip(found["nodes"], after["nodes"], strict=True)] == [
            *(True, False, True)
        ]

    def test_members_stand_where_their_composite_does(self) -> None:
        records = [step("O1"), step("O2", "O1", "O3"), step("O3", "O2")]
        found = made(solve({"obligations": records}))
        found["nodes"][0] = {**found["nodes"][0], "state": "complete"}
        after = restated(found, stand(found, rulebook.load()))["nodes"][1]
        assert (after["status"], [part["status"] for part in after["members"]]) == (
            "ready",
            ["ready", "ready"],
        )

    def test_t1_what_is_done_keeps_ready_and_an_alternative_stays_one(self) -> None:
        records = [step("O1"), step("O2", "O1"), step("O3", status="alternative")]
        found = made(solve({"obligations": records}))
        for node, state in zip(found["nodes"], ("failed", "failed", "failed"), strict=True):
            node["state"] = state
        after = restated(found, stand(found, rulebook.load()))
        assert [node["status"] for node in after["nodes"]] == ["ready", "ready", "alternative"]


@pytest.mark.parametrize(
    ("rule", "word"),
    [
        ("ready(U) :- unit(U).", "not exactly once"),
        ("verdict(fine).", "not exactly one verdict"),
        ('prefer(O, "first") :- member(_, O).', "preference"),
    ],
)
def test_rules_that_break_the_partition(tmp_path: Path, rule: str, word: str) -> None:
    (tmp_path / "mine.lp").write_text(f"% Stage: readiness\n{rule}")
    found = made(solve({"obligations": chain("O1", "O2")}))
    with pytest.raises(RulesError, match=word):
        stand(found, rulebook.load(str(tmp_path)))
