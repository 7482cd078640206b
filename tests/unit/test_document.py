"""Plan documents to records, and records to nodes."""

from __future__ import annotations

import datetime
import math
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import obligation, plan

from plan07 import document
from plan07.document import Record, natural
from plan07.errors import InputError


def node(identifier: str, state: str = "pending", **more: Any) -> dict[str, Any]:
    dependencies = more.pop("dependencies", [])
    return {**obligation(identifier, dependencies=dependencies), "state": state, **more}


class TestRead:
    def test_a_decomposition(self) -> None:
        requirement = {"goal": "g", "acceptance_criteria": ["c"], "constraints": []}
        found = document.read(
            plan(
                obligation("O10", "a.b", ["O2"], cause="c", evidence="e", validation="v"),
                obligation("O2", verb="preserve", status="alternative"),
                requirement=requirement,
                evidence={"tests": []},
            ),
            "x",
        )
        assert [record.id for record in found.records] == ["O2", "O10"]
        assert found.records[1] == Record(
            "O10", "a.b", "modify", "c", ("O2",), "e", "ready", "v", "pending", ()
        )
        assert found.records[0].obligation == "preserve"
        assert found.records[0].status == "alternative"
        assert found.requirement == requirement
        assert found.evidence == {"tests": []}
        assert found.declared_empty is False

    def test_a_decomposition_that_came_to_nothing(self) -> None:
        """S-000-024: the fallback of a failed decomposition."""
        found = document.read({"obligations": [], "re_decompose": True}, "x")
        assert (found.records, found.declared_empty) == ((), True)

    def test_an_artifact(self) -> None:
        found = document.read(
            {
                "plan_id": "plan-20260905-1412-2",
                "nodes": [node("O1", "complete"), node("O2", "failed", dependencies=["O1"])],
                "checkpoints": ["step-1:O1"],
                "branch_scores": {"O1": 0.5},
                "revision_history": [{"rev": 1, "time": "t", "change": "c", "caused_by": "O1"}],
                "audit": [{"obligation": "O1", "accepted_edit": "e", "trace": "t"}],
            },
            "x",
        )
        assert [(record.id, record.state) for record in found.records] == [
            ("O1", "complete"),
            ("O2", "failed"),
        ]

    def test_derived_dependencies_are_told_apart(self) -> None:
        found = document.read(
            {
                "nodes": [
                    node("O1"),
                    node("O2"),
                    node("O3", dependencies=["O1", "O2"], derived=["O2"]),
                ]
            },
            "x",
        )
        assert found.records[2].dependencies == ("O1",)
        assert found.records[2].derived == ("O2",)

    def test_a_composite_is_taken_apart(self) -> None:
        """Its members stand in a ring, so that the rules find it again without evidence."""
        composite = {
            **node("cycle:O2", dependencies=["O9"], derived=["O9"]),
            "cycle_collapsed": True,
            "members": [node("O10", dependencies=["O2"]), node("O2"), node("O3")],
        }
        after = node("O11", dependencies=["cycle:O2"])
        found = document.read({"nodes": [composite, after, node("O9")]}, "x")
        assert [(each.id, each.dependencies, each.derived) for each in found.records] == [
            ("O2", (), ("O10", "O9")),
            ("O3", (), ("O2",)),
            ("O9", (), ()),
            ("O10", ("O2",), ("O3",)),
            ("O11", ("O2",), ()),
        ]

    @pytest.mark.parametrize("value", [{}, [], None, 7, "x", {"obligations": [], "nodes": []}])
    def test_neither_or_both(self, value: Any) -> None:
        with pytest.raises(InputError) as caught:
            document.read(value, "my plan")
        assert caught.value.code == "PLAN_INVALID"
        assert caught.value.message.startswith("my plan: a plan holds either")
        assert caught.value.detail == {"source": "my plan"}


class TestForeign:
    """What did not come from a file."""

    @pytest.mark.parametrize(
        "value",
        [
            {"obligations": {1}},
            {"obligations": [math.nan]},
            {"obligations": [math.inf]},
            {"obligations": [b"bytes"]},
            {"obligations": [datetime.date(2026, 1, 1)]},
            {"obligations": [object()]},
        ],
        ids=["set", "nan", "infinity", "bytes", "date", "object"],
    )
    def test_what_no_json_file_can_hold(self, value: Any) -> None:
        with pytest.raises(InputError) as caught:
            document.read_foreign(value, "the plan")
        assert caught.value.code == "PLAN_INVALID"
        assert caught.value.message.startswith("the plan is not a JSON document: ")

    def test_a_document_that_holds_itself(self) -> None:
        value: dict[str, Any] = {"obligations": []}
        value["obligations"].append(value)
        with pytest.raises(InputError) as caught:
            document.read_foreign(value, "the plan")
        assert caught.value.code == "PLAN_INVALID"

    @pytest.mark.parametrize("text", ["a\0b", "\ud800", "\udfff"], ids=["NUL", "high", "low"])
    def test_texts_that_no_file_can_hold(self, text: str) -> None:
        with pytest.raises(InputError) as caught:
            document.read_foreign(plan(obligation("O1", text)), "the plan")
        assert caught.value.code == "JSON_INVALID"
        assert "obligations[0].target_entity" in caught.value.message

    def test_the_document_is_not_changed(self) -> None:
        value = plan(obligation("O2", dependencies=["O1"]), obligation("O1"))
        copy = plan(obligation("O2", dependencies=["O1"]), obligation("O1"))
        document.read_foreign(value, "the plan")
        assert value == copy


class TestNatural:
    @pytest.mark.parametrize(
        "ordered",
        [
            ["O1", "O2", "O9", "O10", "O11", "O100"],
            ["1", "2", "10", "O1"],
            ["O02", "O2", "O3"],
            ["a", "a1", "a1b", "a1b2", "a1b10", "b"],
            ["A9", "a1"],
            ["O1.9", "O1.10"],
        ],
    )
    def test_order(self, ordered: list[str]) -> None:
        shuffled = ordered[:]
        random.Random(7).shuffle(shuffled)
        assert sorted(shuffled, key=natural) == ordered

    @settings(max_examples=100)
    @given(st.lists(st.text("aO019.-_", max_size=6), max_size=8))
    def test_it_is_total(self, ids: list[str]) -> None:
        once = sorted(set(ids), key=natural)
        backwards = once[::-1]
        assert sorted(backwards, key=natural) == once
        assert len({natural(each) for each in ids}) == len(set(ids))

    def test_other_digits_are_no_numbers_and_thousands_do_no_harm(self) -> None:
        assert sorted(["O٣", "O²", "O10"], key=natural) == ["O10", "O²", "O٣"]
        assert natural("1" * 5000) == natural("1" * 5000)


class TestAsNode:
    RECORD = Record("O1", "e", "modify", "c", ("O2",), "ev", "blocked", "v", "pending", ("O3",))

    def test_the_fields_in_their_order(self) -> None:
        found = document.as_node(self.RECORD)
        assert found == {
            "id": "O1",
            "target_entity": "e",
            "obligation": "modify",
            "caused_by": "c",
            "dependencies": ["O2", "O3"],
            "evidence": "ev",
            "status": "blocked",
            "validation": "v",
            "state": "pending",
            "derived": ["O3"],
        }
        assert list(found)[:8] == list(document.FIELDS)

    def test_resolved_dependencies_and_nothing_derived(self) -> None:
        found = document.as_node(self.RECORD._replace(derived=()), ["O9", "O2"])
        assert found["dependencies"] == ["O9", "O2"]
        assert "derived" not in found

    def test_it_is_read_back(self) -> None:
        found = document.read({"nodes": [document.as_node(self.RECORD)]}, "x")
        assert found.records == (self.RECORD,)


def test_compact_is_how_the_artifact_counts() -> None:
    assert document.compact({"a": ["é", 1]}) == '{"a":["é",1]}'


@pytest.mark.parametrize("identifier", ["O1", "a", "7", "a.b-c_D", "O" * 65])
def test_ids(identifier: str) -> None:
    assert document.ID.match(identifier)


@pytest.mark.parametrize("identifier", ["", "-a", "_a", "a b", "a\n", "é", "a:b", "O\uff11"])
def test_no_ids(identifier: str) -> None:
    assert not document.ID.match(identifier)
