"""The plan artifact: caps, rows, and how it is written (build spec 3.7; S-000-090 … 097, T3)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support import obligation

from plan07 import artifact, rulebook
from plan07.errors import PlanRefused

TIME = "2026-01-01T00:00:00Z"
REQUIREMENT = {"goal": "g", "acceptance_criteria": ["a"], "constraints": []}


def node(identifier: str, state: str = "pending", **more: Any) -> dict[str, Any]:
    return {**obligation(identifier), "state": state, **more}


def plan(*nodes: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "plan_id": "plan-20260101-0000",
        "requirement": REQUIREMENT,
        "nodes": list(nodes),
        "checkpoints": [],
        "branch_scores": {},
        "revision_history": [],
        "audit": [],
        **more,
    }


def composite(*members: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        **node("cycle:O1"),
        "cycle_collapsed": True,
        "members": list(members),
        **more,
    }


def test_s_000_097_one_record_to_a_line_compact_and_unescaped() -> None:
    text = artifact.render(
        plan(
            node("O1", caused_by="für 鍵"),
            node("O2"),
            audit=[{"obligation": "O1", "accepted_edit": "", "trace": ""}],
        )
    )
    lines = text.splitlines()
    assert lines[:3] == [
        '{"plan_id":"plan-20260101-0000",',
        '"requirement":{"goal":"g","acceptance_criteria":["a"],"constraints":[]},',
        '"nodes":[',
    ]
    assert '"caused_by":"für 鍵"' in lines[3] and lines[3].endswith("},")
    assert lines[5:] == [
        "],",
        '"checkpoints":[],',
        '"branch_scores":{},',
        '"revision_history":[],',
        '"audit":[',
        '{"obligation":"O1","accepted_edit":"","trace":""}',
        "]}",
    ]
    assert text.endswith("\n") and json.loads(text)["nodes"][1]["id"] == "O2"


def test_t12_needs_confirmation_is_kept_only_when_it_is_true() -> None:
    schedule = {"nodes": [node("O1")], "branch_scores": {}}
    sure = artifact.new("p", {**REQUIREMENT, "needs_confirmation": False}, schedule)
    derived = artifact.new("p", {**REQUIREMENT, "needs_confirmation": True}, schedule)
    assert sure["requirement"] == REQUIREMENT
    assert derived["requirement"] == {**REQUIREMENT, "needs_confirmation": True}
    assert artifact.new("p", None, schedule)["requirement"] is None


class TestFitting:
    """T3 (4): only what would pass 32 KB loses words, the oldest first; nodes never do."""

    def full(self, trace: int, change: int = 60, nodes: int = 64) -> dict[str, Any]:
        return plan(
            *(node(f"O{n}", caused_by="c" * 150) for n in range(nodes)),
            audit=[
                {"obligation": f"O{n}", "accepted_edit": "e" * 40, "trace": "t" * trace}
                for n in range(64)
            ],
            revision_history=[
                {"rev": n, "time": TIME, "change": "x" * change, "caused_by": "O1"}
                for n in range(1, 33)
            ],
        )

    def test_what_fits_is_left_as_it_is(self) -> None:
        small = plan(node("O1"))
        assert artifact.fitted(small) == (small, artifact.render(small))

    def test_traces_go_first_and_only_as_many_as_must(self) -> None:
        found, text = artifact.fitted(self.full(60))
        assert len(text.encode()) <= artifact.LARGEST_BYTES == 32 * 1024
        traces = [row["trace"] for row in found["audit"]]
        cut = traces.index("t" * 60)
        assert cut > 0 and traces == [""] * cut + ["t" * 60] * (64 - cut)
        assert all(len(row["change"]) == 60 for row in found["revision_history"])
        assert [each["caused_by"] for each in found["nodes"]] == ["c" * 150] * 64

    def test_then_changes_to_forty_characters(self) -> None:
        found, text = artifact.fitted(self.full(10, 200))
        assert len(text.encode()) <= artifact.LARGEST_BYTES
        assert {row["trace"] for row in found["audit"]} == {""}
        assert found["revision_history"][0]["change"] == "x" * 40
        assert found["revision_history"][-1]["change"] == "x" * 200

    def test_what_ends_a_plan_is_never_shortened(self) -> None:
        full = self.full(10, 200)
        full["revision_history"][0]["change"] = "abandoned: " + "x" * 189
        found, _ = artifact.fitted(full)
        assert found["revision_history"][0]["change"] == "abandoned: " + "x" * 189

    def test_the_given_plan_is_not_touched(self) -> None:
        full = self.full(60)
        before = artifact.render(full)
        artifact.fitted(full)
        assert artifact.render(full) == before

    def test_what_does_not_fit_even_then_is_refused(self) -> None:
        with pytest.raises(PlanRefused) as caught:
            artifact.fitted(self.full(0, 10, nodes=140))
        assert caught.value.code == "ARTIFACT_CAP"
        assert caught.value.detail["limit"] == 32768

    def test_a_raised_limit_makes_room(self) -> None:
        """T3 (3): 9,216 bytes for what grows, beside `max_static_bytes`."""
        assert artifact.room(rulebook.load()) == artifact.LARGEST_BYTES
        most = artifact.room(rulebook.load(limits={"max_static_bytes": 100_000}))
        assert most == 109_216
        full = self.full(60, nodes=140)
        assert artifact.fitted(full, most) == (full, artifact.render(full))
        with pytest.raises(PlanRefused) as caught:
            artifact.fitted(self.full(60, nodes=640), most)
        assert caught.value.detail["limit"] == most


class TestRevisions:
    def test_s_001_16_they_count_upwards(self) -> None:
        first = artifact.revised(plan(node("O1")), "a", "O1", TIME)
        second = artifact.revised(first, "b", "O2", TIME)
        assert second["revision_history"] == [
            {"rev": 1, "time": TIME, "change": "a", "caused_by": "O1"},
            {"rev": 2, "time": TIME, "change": "b", "caused_by": "O2"},
        ]
        assert (artifact.revision(plan()), artifact.revision(second)) == (0, 2)

    def test_s_000_096_the_33rd_is_refused_and_asks_for_a_new_scope(self) -> None:
        found = plan(node("O1"))
        for number in range(32):
            found = artifact.revised(found, str(number), "O1", TIME)
        with pytest.raises(PlanRefused) as caught:
            artifact.revised(found, "one more", "O1", TIME)
        assert caught.value.code == "REVISION_CAP"
        assert caught.value.detail == {"limit": 32, "re_decompose": True}


class TestAudit:
    """S-000-095, T3: one row for each obligation; an accepted edit stays."""

    def test_a_later_row_replaces_and_keeps_the_edit(self) -> None:
        found = artifact.audited(plan(node("O1"), node("O2")), "O1", "abc", "passed")
        found = artifact.audited(found, "O2", "", "failed")
        found = artifact.audited(found, "O1", "", "again")
        assert found["audit"] == [
            {"obligation": "O1", "accepted_edit": "abc", "trace": "again"},
            {"obligation": "O2", "accepted_edit": "", "trace": "failed"},
        ]

    def test_rows_of_what_is_gone_make_room(self) -> None:
        found = plan(*(node(f"O{n}") for n in range(64)))
        found["audit"] = [
            {"obligation": f"gone{n}", "accepted_edit": "", "trace": ""} for n in range(3)
        ]
        for number in range(64):
            found = artifact.audited(found, f"O{number}", "", "")
        assert [row["obligation"] for row in found["audit"]] == [f"O{n}" for n in range(64)]

    def test_of_a_larger_plan_the_newest_64_stay(self) -> None:
        found = plan(*(node(f"O{n}") for n in range(70)))
        for number in range(66):
            found = artifact.audited(found, f"O{number}", "", "")
        assert [row["obligation"] for row in found["audit"]] == [f"O{n}" for n in range(2, 66)]
        assert artifact.faults(found) == []
        found = artifact.audited(found, "O2", "", "again")
        assert found["audit"][0] == {"obligation": "O2", "accepted_edit": "", "trace": "again"}


class TestCheckpoints:
    def test_s_000_058_the_newest_32_stay(self) -> None:
        found = plan(*(node(f"O{n}", "complete") for n in range(5)))
        assert artifact.checkpointed(found, "O4")["checkpoints"] == ["step-5:O4"]
        found["checkpoints"] = [f"step-{n}:O{n}" for n in range(1, 33)]
        kept = artifact.checkpointed(found, "O9")["checkpoints"]
        assert (len(kept), kept[0], kept[-1]) == (32, "step-2:O2", "step-5:O9")


class TestProgress:
    @pytest.mark.parametrize(
        ("found", "expected"),
        [
            (plan(node("O1")), False),
            (plan(node("O1", "complete")), True),
            (plan(node("O1", "failed")), True),
            (artifact.revised(plan(node("O1")), "a", "b", TIME), True),
            (artifact.audited(plan(node("O1")), "O1", "", ""), True),
        ],
        ids=["new", "complete", "failed", "revised", "audited"],
    )
    def test_whether_anything_became_of_it(self, found: dict[str, Any], expected: bool) -> None:
        assert artifact.has_progress(found) is expected

    def test_by_what_it_was_abandoned(self) -> None:
        found = artifact.revised(plan(), "abandoned: enough", "abandon", TIME)
        assert artifact.abandoned(found) == "enough"
        assert artifact.abandoned(artifact.revised(found, "more", "x", TIME)) is None
        assert artifact.abandoned(plan()) is None


class TestFaults:
    """T20: what no plan of ours holds is told, so that a tampered file is refused."""

    def test_a_good_plan_has_none(self) -> None:
        good = plan(node("O3"), composite(node("O1"), node("O2")))
        assert artifact.faults(good) == []

    @pytest.mark.parametrize(
        ("found", "said"),
        [
            (plan(node("O1"), node("O1")), "the id O1 stands twice"),
            (
                plan({**composite(node("O1"), node("O2")), "id": "cycle:O2"}),
                "cycle:O2 is not named after its lowest member, cycle:O1",
            ),
            (
                plan(composite(node("O1", "failed"), node("O2"))),
                "cycle:O1 is pending, its members make it failed",
            ),
            (
                plan(composite(node("O1", "complete"), node("O2"), state="complete")),
                "cycle:O1 is complete, its members make it pending",
            ),
            (
                plan({**node("O1"), "members": [node("O1"), node("O2")]}),
                "O1 has members but is no composite, or the other way round",
            ),
            (
                plan({**node("O1"), "cycle_collapsed": True}),
                "O1 has members but is no composite, or the other way round",
            ),
            (
                plan(
                    revision_history=[
                        {"rev": n, "time": "", "change": "", "caused_by": ""} for n in (2, 1)
                    ]
                ),
                "the revisions do not count upwards",
            ),
            (plan(checkpoints=["x"] * 33), "checkpoints has 33 entries, the cap is 32"),
        ],
    )
    def test_a_bad_one_has(self, found: dict[str, Any], said: str) -> None:
        assert artifact.faults(found) == [said]


class _Counted(str):
    """A text that counts how often one is compared with another."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        _Counted.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_the_check_of_a_large_plan_compares_no_pairs() -> None:
    """A plan with raised limits is read at every command, so the check grows with its size."""
    nodes = [{**node(f"O{n}"), "id": _Counted(f"O{n}")} for n in range(1000)]
    _Counted.compared = 0
    assert artifact.faults(plan(*nodes)) == []
    assert _Counted.compared < 10_000
    twice = plan(node("O1"), node("O2"), node("O1"))
    assert artifact.faults(twice) == ["the id O1 stands twice"]
