"""What an agent sees of a plan, and what it may do (build spec 3.4; S-000-060 to S-000-066)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from driving import Checks, chain, opened, step, waits, written
from support import edge

from plan07.driver import Driver
from plan07.errors import InputError, PlanRefused
from plan07.exposure import Usage, narrowed, nothing_ready, usage
from plan07.partition import Standing
from plan07.rulebook import load
from plan07.state import Store

KEYS = (
    "node_id",
    "obligation",
    "target_entity",
    "preconditions",
    "permitted_actions",
    "required_validation",
)
ALL = {"read": True, "edit": True, "test": True}
PARENT = {**ALL, "edit": False, "bounds": {"max_edit_files": 2, "max_test_calls": 10}}
MOST = {"max_edit_files": 5, "max_test_calls": 10}


def shown(path: str) -> dict[str, Any]:
    return Driver(Store(path), load(), lambda: "t", run=Checks()).next()


def refused(call: Any) -> PlanRefused:
    with pytest.raises(PlanRefused) as caught:
        call()
    return caught.value


class TestExposure:
    def test_s_000_060_exactly_these_keys(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain("O1", "O2"))
        found = shown(path)
        assert tuple(found) == KEYS
        assert found == {
            "node_id": "O1",
            "obligation": "modify",
            "target_entity": "pkg.O1",
            "preconditions": {},
            "permitted_actions": {**ALL, "bounds": MOST},
            "required_validation": "tests/test_O1.py",
        }

    def test_s_000_060_nothing_of_any_other_node(self, tmp_path: Path) -> None:
        secret = step(
            "O2", "O1", target="hidden.Entity", cause="hidden cause", evidence="hidden evidence"
        )
        path = written(tmp_path, step("O1"), secret, step("O3", target="hidden.Other"))
        text = json.dumps(shown(path))
        assert "hidden" not in text
        assert "O2" not in text
        assert "O3" not in text
        assert text.count("node_id") == 1

    def test_s_000_064_its_size_does_not_grow_with_the_plan(self, tmp_path: Path) -> None:
        small = written(tmp_path / "small.json", *(step(f"O{n}") for n in range(1, 4)))
        large = written(tmp_path / "large.json", *(step(f"O{n}") for n in range(1, 65)))
        assert shown(small) == shown(large)

    def test_s_000_062_derived_dependencies_are_preconditions_too(self, tmp_path: Path) -> None:
        known = {"edges": [edge("pkg.O2", "pkg.O3", change="type_widened")]}
        path = written(tmp_path, step("O1"), step("O2"), step("O3", "O1"), evidence=known)
        planner = opened(path)
        planner.validate("O1")
        planner.validate("O2")
        assert shown(path)["preconditions"] == {"O1": "complete", "O2": "complete"}

    def test_s_000_065_asking_again_gives_the_same_one(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("O1"), step("O2"))
        assert shown(path) == shown(path)
        opened(path, Checks(broken=["O1"])).edit("O1", "a.py")
        assert shown(path)["node_id"] == "O1"

    def test_t6_a_composite_shows_its_members_and_no_more(self, tmp_path: Path) -> None:
        path = written(
            tmp_path, step("O1", "O2", verb="validate"), step("O2", "O1"), step("O3", "O2")
        )
        found = shown(path)
        assert tuple(found) == (*KEYS, "members")
        assert found["node_id"] == "cycle:O1"
        assert found["obligation"] == "modify"
        assert found["required_validation"] == "tests/test_O1.py && tests/test_O2.py"
        assert found["permitted_actions"] == {**ALL, "bounds": MOST}
        assert found["members"] == [
            {"node_id": "O1", "obligation": "validate", "target_entity": "pkg.O1"},
            {"node_id": "O2", "obligation": "modify", "target_entity": "pkg.O2"},
        ]
        typed = opened(path).next()
        assert typed is not None
        assert [each.node_id for each in typed.members] == ["O1", "O2"]

    @pytest.mark.parametrize(
        ("verb", "edit", "files"),
        [("modify", True, 5), ("preserve", True, 5), ("validate", False, 0)],
    )
    def test_s_000_066_what_a_verb_permits(
        self, tmp_path: Path, verb: str, edit: bool, files: int
    ) -> None:
        found = shown(written(tmp_path, step("O1", verb=verb)))["permitted_actions"]
        bounds = {"max_edit_files": files, "max_test_calls": 10}
        assert found == {"read": True, "edit": edit, "test": True, "bounds": bounds}


class TestBounds:
    def test_s_000_063_five_files_and_not_a_sixth(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("O1"))
        planner = opened(path)
        for number in range(1, 6):
            assert planner.edit("O1", f"{number}.py")["edit_files"] == number
        assert planner.edit("O1", "1.py", "./2.py", "x/../3.py")["edit_files"] == 5
        error = refused(lambda: planner.edit("O1", "6.py"))
        assert error.code == "BOUNDS_EXCEEDED"
        assert error.detail == {"node": "O1", "field": "max_edit_files", "count": 6, "limit": 5}
        assert planner.edit("O1", "5.py")["edit_files"] == 5

    def test_s_000_063_ten_calls_and_not_an_eleventh(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("O1", verb="validate"))
        planner = opened(path)
        for number in range(1, 11):
            assert planner.test("O1") == {"edit_files": 0, "test_calls": number}
        error = refused(lambda: planner.test("O1"))
        assert error.detail == {"node": "O1", "field": "max_test_calls", "count": 11, "limit": 10}

    def test_s_000_066_validate_does_not_edit(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("O1", verb="validate"))
        error = refused(lambda: opened(path).edit("O1", "a.py"))
        assert (error.code, error.detail) == (
            "ACTION_NOT_PERMITTED",
            {"node": "O1", "action": "edit"},
        )

    @pytest.mark.parametrize(
        ("node", "part"), [("O2", "blocked"), ("O3", "ready"), ("O4", "alternative")]
    )
    def test_only_for_what_is_exposed(self, tmp_path: Path, node: str, part: str) -> None:
        records = [step("O1"), step("O2", "O1"), step("O3"), step("O4", status="alternative")]
        planner = opened(written(tmp_path, *records))
        for call in (lambda: planner.edit(node, "a.py"), lambda: planner.test(node)):
            error = refused(call)
            assert (error.code, error.detail["part"]) == ("NODE_NOT_DUE", part)

    def test_nor_for_what_is_complete_or_unknown(self, tmp_path: Path) -> None:
        planner = opened(written(tmp_path, step("O1"), step("O2")))
        planner.validate("O1")
        assert refused(lambda: planner.validate("O1")).detail["part"] == "complete"
        with pytest.raises(InputError) as caught:
            planner.edit("O9", "a.py")
        assert (caught.value.code, caught.value.fix) == ("NODE_UNKNOWN", "name one of O1, O2")

    def test_t17_each_attempt_begins_anew(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("O1"))
        planner = opened(path, Checks(failing=["O1"]))
        planner.edit("O1", *"abcde")
        planner.validate("O1")
        assert planner.edit("O1", "f") == {"edit_files": 1, "test_calls": 0}

    def test_a_gate_that_is_broken_begins_nothing(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("O1"))
        planner = opened(path, Checks(broken=["O1"]))
        planner.edit("O1", *"abcde")
        with pytest.raises(Exception, match="could not be run"):
            planner.validate("O1")
        assert refused(lambda: planner.edit("O1", "f")).code == "BOUNDS_EXCEEDED"

    def test_a_replan_elsewhere_gives_nothing_back(self) -> None:
        log = [
            {"event": "edit", "obligation": "O2", "files": ["a", "b"]},
            {"event": "test", "obligation": "O2"},
            {"event": "edit", "obligation": "O1", "files": ["c"]},
            {"event": "fail", "obligation": "O1"},
            {"event": "replanned", "obligation": "O1", "change": "replanned O1 as O1"},
        ]
        assert usage(log, "O2") == Usage(frozenset("ab"), 1)
        assert usage(log, "O1") == Usage(frozenset(), 0)
        assert usage([*log, {"event": "rolled_back"}], "O2") == Usage(frozenset(), 0)


class TestNarrowed:
    def test_t17_field_by_field(self) -> None:
        assert narrowed(PARENT, {}) == PARENT
        assert narrowed(PARENT, {"test": False, "bounds": {"max_test_calls": 3}}) == {
            "read": True,
            "edit": False,
            "test": False,
            "bounds": {"max_edit_files": 2, "max_test_calls": 3},
        }

    @pytest.mark.parametrize(
        ("wanted", "fields"),
        [
            pytest.param({"edit": True}, ["edit"], id="an action"),
            pytest.param({"network": True}, ["network"], id="an action nobody knows"),
            pytest.param({"bounds": {"max_edit_files": 3}}, ["max_edit_files"], id="a bound"),
            pytest.param({"bounds": {"max_spend": 1}}, ["max_spend"], id="a bound nobody knows"),
            pytest.param({"bounds": {"max_test_calls": -1}}, ["max_test_calls"], id="negative"),
            pytest.param({"bounds": {"max_test_calls": True}}, ["max_test_calls"], id="no number"),
            pytest.param(
                {"edit": True, "bounds": {"max_test_calls": 11}},
                ["edit", "max_test_calls"],
                id="both",
            ),
        ],
    )
    def test_t17_more_is_refused_and_not_clipped(
        self, wanted: dict[str, Any], fields: list[str]
    ) -> None:
        error = refused(lambda: narrowed(PARENT, wanted))
        assert (error.code, error.detail) == ("CAPABILITY_WIDENING", {"fields": fields})

    def test_what_is_not_asked_for_may_be_named(self) -> None:
        assert narrowed(PARENT, {"network": False}) == PARENT


@pytest.mark.parametrize(
    ("verdict", "failed", "word"),
    [
        ("complete", (), "is complete"),
        ("awaiting_confirmation", (), "confirmed"),
        ("stalled", ("O1", "O2"), "O1, O2 failed"),
        ("stalled", (), "alternatives"),
        ("needs_rescope", ("O1",), "revisions"),
    ],
)
def test_nothing_ready_says_why(verdict: str, failed: tuple[str, ...], word: str) -> None:
    parts = dict.fromkeys(("ready", "blocked", "alternative", "complete"), ())
    error = nothing_ready(Standing({**parts, "failed": failed}, {}, verdict, None, {}))
    assert word in error.message
    assert error.detail == {"verdict": verdict, "failed": list(failed), "stranded": {}}


def test_s_000_061_the_lowest_id_first(tmp_path: Path) -> None:
    path = written(tmp_path, step("O10"), step("O9"), step("O2"))
    assert list(waits(path)) == ["O2", "O9", "O10"]
    planner = opened(path)
    walked = []
    while (found := planner.next()) is not None:
        walked.append(found.node_id)
        planner.validate(found.node_id)
    assert walked == ["O2", "O9", "O10"]
