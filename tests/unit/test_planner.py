"""From a dependency graph to a schedule: the walk, its wishes, its units."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import EXAMPLES, edge, obligation, plan, refused, solve


def nodes(*records: dict[str, Any], **states: str) -> dict[str, Any]:
    return {"nodes": [{**each, "state": states.get(each["id"], "pending")} for each in records]}


class TestWalk:
    def test_the_lowest_of_what_is_ready(self) -> None:
        """S-000-059."""
        result = solve(
            plan(
                obligation("O1", dependencies=["O4"]),
                obligation("O2", dependencies=["O1"]),
                obligation("O3"),
                obligation("O4"),
                obligation("O5"),
            )
        )
        assert result["order"] == ["O3", "O4", "O1", "O2", "O5"]

    def test_what_is_complete_failed_or_stranded_is_not_walked(self) -> None:
        records = [
            obligation("O1"),
            obligation("O2", dependencies=["O1"]),
            obligation("O3"),
            obligation("O4", dependencies=["O3"]),
            obligation("O5", dependencies=["O2", "O4"]),
        ]
        result = solve(nodes(*records, O1="complete", O3="failed"))
        assert result["order"] == ["O2"]
        assert result["stranded"] == ["O4", "O5"]

    @pytest.fixture
    def wish(self, tmp_path: Path) -> Callable[[str], str]:
        def call(rules: str) -> str:
            (tmp_path / "wish.lp").write_text(f"% Stage: schedule\n{rules}\n")
            return str(tmp_path)

        return call

    @pytest.mark.parametrize(
        ("rules", "order"),
        [
            ('prefer("O3", -1).', ["O3", "O1", "O2"]),
            ('prefer("O1", 5).', ["O2", "O3", "O1"]),
            ('prefer("O1", 2). prefer("O2", 1). prefer("O3", 1).', ["O2", "O3", "O1"]),
            ('prefer("O1", 5). prefer("O1", -5).', ["O1", "O2", "O3"]),
            ("prefer(O, -N) :- ordinal(O, N).", ["O3", "O2", "O1"]),
            ("prefer(O, 1) :- verb(O, modify).", ["O1", "O2", "O3"]),
        ],
    )
    def test_a_wish_orders_what_is_ready_at_once(
        self, wish: Callable[[str], str], rules: str, order: list[str]
    ) -> None:
        records = [obligation(f"O{number}") for number in (1, 2, 3)]
        assert solve(plan(*records), rules=wish(rules))["order"] == order

    def test_a_wish_never_outranks_a_precedence(self, wish: Callable[[str], str]) -> None:
        records = [obligation("O1"), obligation("O2", dependencies=["O1"])]
        result = solve(plan(*records), rules=wish('prefer("O2", -1).'))
        assert result["order"] == ["O1", "O2"]

    def test_a_composite_takes_the_strongest_wish_of_its_members(
        self, wish: Callable[[str], str]
    ) -> None:
        records = [
            obligation("O1"),
            obligation("O2", dependencies=["O3"]),
            obligation("O3", dependencies=["O2"]),
        ]
        result = solve(plan(*records), rules=wish('prefer("O3", -1). prefer("O2", 9).'))
        assert result["order"] == ["cycle:O2", "O1"]


class TestReload:
    """An artifact is scheduled as the plan it came from, with and without evidence."""

    @pytest.mark.parametrize(
        "file", sorted(EXAMPLES.glob("*.plan.json")), ids=lambda file: file.name.split(".")[0]
    )
    def test_nodes_come_back(self, file: Path) -> None:
        value = json.loads(file.read_text("utf-8"))
        names = ("unmended", "left-out", "over-bounds")
        if any(name in file.name for name in names):
            return
        first = solve(value)
        more = {"evidence": value["evidence"]} if "evidence" in value else {}
        for document in ({"nodes": first["nodes"]}, {"nodes": first["nodes"], **more}):
            again = solve(document)
            for name in ("nodes", "edges", "order", "ready", "blocked", "checkpoints"):
                assert again[name] == first[name], name

    def test_a_dropped_dependency_stays_dropped(self) -> None:
        value = plan(
            obligation("O1", cause="type-widening", dependencies=["O2"]),
            obligation("O2", cause="consumer re-bind"),
        )
        first = solve(value, repair=True)
        again = solve({"nodes": first["nodes"]})
        assert again["nodes"] == first["nodes"]
        assert again["advice"] == []

    def test_a_composite_with_derived_dependencies(self) -> None:
        first = solve(
            plan(
                obligation("O1", "a.f", cause="rename f"),
                obligation("O2", "a.g"),
                obligation("O3", "b.old", cause="delete old"),
                evidence={"edges": [edge("a.f", "a.g"), edge("b.old", "a.g", "UsedBy")]},
            )
        )
        assert first["edges"] == [["cycle:O1", "O3"]]
        assert solve({"nodes": first["nodes"]})["nodes"] == first["nodes"]


class TestStates:
    def test_something_complete_before_what_it_waits_for(self) -> None:
        result = solve(
            nodes(obligation("O1"), obligation("O2", dependencies=["O1"]), O2="complete")
        )
        assert [(each["code"], each["subject"]) for each in result["advice"]] == [
            ("COMPLETE_TOO_EARLY", "O2")
        ]

    def test_steps_are_numbered_on(self) -> None:
        records = [obligation("O1"), obligation("O2"), obligation("O3", dependencies=["O2"])]
        result = solve(nodes(*records, O2="complete"))
        assert result["order"] == ["O1", "O3"]
        assert result["checkpoints"] == ["step-2:O1", "step-3:O3"]

    def test_everything_complete(self) -> None:
        result = solve(nodes(obligation("O1"), O1="complete"))
        assert [result[name] for name in ("order", "ready", "blocked", "checkpoints")] == [
            *([], [], [], [])
        ]

    def test_a_complete_breaking_change_breaks_nobody_any_more(self) -> None:
        value = nodes(obligation("O1", "a.f", cause="rename f"), O1="complete")
        value["evidence"] = {"edges": [edge("a.f", "a.g")]}
        assert solve(value)["order"] == []
        value["nodes"][0]["state"] = "pending"
        assert [each[0] for each in refused(value)] == ["UNRESOLVED_DEPENDENT"]


class TestDeterminism:
    """S-CARD-06."""

    def test_the_order_of_the_records_does_not_matter(self) -> None:
        value = json.loads((EXAMPLES / "migration.plan.json").read_text("utf-8"))
        expected = json.dumps(solve(value))
        for records in itertools.islice(itertools.permutations(value["obligations"]), 0, 120, 17):
            evidence = {
                key: each[::-1] if isinstance(each, list) else each
                for key, each in value["evidence"].items()
            }
            shuffled = {**value, "obligations": list(records), "evidence": evidence}
            assert json.dumps(solve(shuffled)) == expected
