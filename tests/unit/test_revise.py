"""The revision trigger: what evidence adds, removes and reorders (build spec 3.6; T14)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from driving import (
    NOW,
    Checks,
    chain,
    document,
    events,
    lines,
    nodes,
    opened,
    states,
    step,
    waits,
    written,
)
from support import edge

from plan07.errors import InputError, PlanRefused

RENAMED = {"edges": [edge("m.A", "m.F", change="rename")]}
WIDENED = {"edges": [edge("m.B", "m.A", change="type_widened")]}


def renaming() -> list[dict[str, Any]]:
    """Return A, which renames m.A, and two that come after it."""
    return [step("O1", target="m.A", cause="rename"), step("O2", "O1"), step("O3", "O2")]


def refused(path: str, **change: Any) -> list[tuple[str, str]]:
    """Return what a revision is refused for; the plan is as it was."""
    before = Path(path).read_bytes()
    with pytest.raises(PlanRefused) as caught:
        opened(path).revise(**change)
    assert caught.value.code == "REVISION_REFUSED"
    assert Path(path).read_bytes() == before
    return [(each.code, each.subject) for each in caught.value.violations]


class TestWhatEvidenceDemands:
    def test_s_000_080_an_obligation_that_says_what_demanded_it(self, tmp_path: Path) -> None:
        path = written(tmp_path, *renaming())
        assert opened(path).revise(RENAMED) == "added O4 via impact feedback"
        (added,) = [each for each in nodes(path)["cycle:O1"]["members"] if each["id"] == "O4"]
        assert added == {
            "id": "O4",
            "target_entity": "m.F",
            "obligation": "modify",
            "caused_by": "impact06: rename of m.A → consumer re-bind",
            "dependencies": [],
            "evidence": "06: m.A CalledBy m.F",
            "status": "ready",
            "validation": "tests/test_O1.py",
            "state": "pending",
        }
        assert document(path)["revision_history"] == [
            {
                "rev": 1,
                "time": NOW,
                "change": "added O4 via impact feedback",
                "caused_by": "O1 evidence",
            }
        ]
        assert events(path) == ["revised"]

    def test_while_the_change_is_pending_both_land_in_one_step(self, tmp_path: Path) -> None:
        path = written(tmp_path, *renaming())
        before = lines(path)
        opened(path).revise(RENAMED)
        assert waits(path) == {"cycle:O1": [], "O2": ["cycle:O1"], "O3": ["O2"]}
        assert lines(path)["O3"] == before["O3"]
        # Whoever waited for O1 waits for it by its new name, and is as it was in all else.
        renamed = before["O2"].replace(b'"dependencies":["O1"]', b'"dependencies":["cycle:O1"]')
        assert lines(path)["O2"] == renamed

    @pytest.mark.parametrize("change", ["rename", "deleted", "param_added_required"])
    def test_once_it_has_landed_what_it_breaks_is_mended_after_it(
        self, tmp_path: Path, change: str
    ) -> None:
        first = step("O1", target="m.A", cause=change.replace("_", " "))
        path = written(tmp_path, first, step("O2", "O1"))
        planner = opened(path)
        planner.validate("O1")
        before = lines(path)
        evidence = {"edges": [edge("m.A", "m.F", change=change)]}
        assert planner.revise(evidence) == "added O3 via impact feedback"
        assert waits(path) == {"O1": [], "O2": ["O1"], "O3": ["O1"]}
        assert {name: lines(path)[name] for name in before} == before
        assert planner.status().next == "O2"

    def test_a_deletion_that_is_pending_waits_for_it(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("O1", target="m.A", cause="deleted"), step("O2", "O1"))
        before = lines(path)
        opened(path).revise({"edges": [edge("m.A", "m.F", change="deleted")]})
        assert waits(path) == {"O1": ["O3"], "O2": ["O1"], "O3": []}
        assert nodes(path)["O1"]["status"] == "blocked"
        assert lines(path)["O2"] == before["O2"]

    @pytest.mark.parametrize("complete", [False, True])
    def test_the_same_contradiction_twice_changes_nothing(
        self, tmp_path: Path, complete: bool
    ) -> None:
        path = written(tmp_path, *renaming())
        planner = opened(path)
        if complete:
            planner.validate("O1")
        planner.revise(RENAMED)
        before = Path(path).read_bytes()
        assert planner.revise(RENAMED) == ""
        assert planner.revise() == ""
        assert Path(path).read_bytes() == before

    def test_what_the_same_revision_adds_is_not_demanded_as_well(self, tmp_path: Path) -> None:
        path = written(tmp_path, *renaming())
        mine = step("N", target="m.F", cause="consumer re-bind")
        assert opened(path).revise(RENAMED, additions=[mine]) == "added N via impact feedback"
        assert [each["id"] for each in nodes(path)["cycle:N"]["members"]] == ["N", "O1"]

    def test_numbers_go_on_after_every_id_that_was_ever_used(self, tmp_path: Path) -> None:
        path = written(tmp_path, *renaming())
        planner = opened(path)
        planner.revise(falsified=["O3"])
        added = planner.revise(RENAMED, additions=[step("O7")])
        assert added == "added O7, O8 via impact feedback"

    def test_its_validation_is_a_test_of_its_own_where_there_is_one(self, tmp_path: Path) -> None:
        path = written(tmp_path, *renaming())
        tested = [edge("m.F", f"tests/test_f.py::test_{n}", "TestedBy") for n in (10, 9)]
        opened(path).revise({"edges": [*RENAMED["edges"], *tested]})
        added = nodes(path)["cycle:O1"]["members"][1]
        assert added["validation"] == "tests/test_f.py::test_9"

    def test_a_long_name_leaves_the_last_words_of_the_cause(self, tmp_path: Path) -> None:
        """They keep the obligation from being read as a rename itself."""
        name = f"m.{'A' * 190}"
        path = written(tmp_path, step("O1", target=name, cause="rename"))
        opened(path).revise({"edges": [edge(name, "m.F", change="rename")]})
        cause = nodes(path)["cycle:O1"]["members"][1]["caused_by"]
        assert len(cause) <= 200
        assert cause.endswith("... → consumer re-bind")

    def test_what_only_a_falsified_one_would_break_is_not_demanded(self, tmp_path: Path) -> None:
        path = written(tmp_path, *renaming())
        assert opened(path).revise(RENAMED, falsified=["O1"]) == "removed O1 via impact feedback"
        assert waits(path) == {"O2": [], "O3": ["O2"]}

    def test_the_evidence_stays_with_the_plan(self, tmp_path: Path) -> None:
        path = written(tmp_path, *renaming())
        opened(path).revise(RENAMED)
        opened(path).revise({"edges": [edge("m.elsewhere", "m.other")]})
        kept = Path(f"{path}.evidence.json").read_text("utf-8")
        assert "m.F" in kept
        assert "m.elsewhere" in kept
        assert events(path) == ["revised"]


SEEN = {
    "changes": [{"entity": "x.Y", "change": "rename"}],
    "edges": [edge("x.Y", "m.F"), edge("m.F", "tests/test_f.py::test_f", "TestedBy")],
}


class TestChangesThatThePlanDoesNotList:
    """S-000-080: an edit went further than its obligation; what that breaks is mended too."""

    def test_what_they_break_is_added(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("O1"), step("O2", "O1"))
        planner = opened(path)
        planner.validate("O1")
        assert planner.revise(SEEN, because="diff of O1") == "added O3 via impact feedback"
        added = nodes(path)["O3"]
        assert (added["target_entity"], added["validation"]) == (
            *("m.F", "tests/test_f.py::test_f"),
        )
        assert added["caused_by"] == "impact06: rename of x.Y → consumer re-bind"
        assert waits(path) == {"O1": [], "O2": ["O1"], "O3": []}
        assert document(path)["revision_history"][0]["caused_by"] == "evidence: diff of O1"

    def test_what_is_mended_already_is_not(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("O1", target="m.F"), step("O2", "O1"))
        before = lines(path)
        opened(path).revise(SEEN)
        assert lines(path) == before

    def test_without_a_test_the_first_criterion_proves_it(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("O1"))
        opened(path).revise({**SEEN, "edges": [edge("x.Y", "m.F")]})
        assert nodes(path)["O2"]["validation"] == "it is so"


class TestWhatEvidenceReorders:
    """ "a dependency the plan did not foresee" between two obligations that it has."""

    def plan(self, path: Path) -> str:
        return written(path, step("A", target="m.A"), step("B", target="m.B"), step("C", "A"))

    def test_s_000_080_the_precedence_is_added(self, tmp_path: Path) -> None:
        path = self.plan(tmp_path)
        before = lines(path)
        assert opened(path).revise(WIDENED) == "reordered A via impact feedback"
        assert waits(path) == {"A": ["B"], "B": [], "C": ["A"]}
        assert nodes(path)["A"]["derived"] == ["B"]
        assert (lines(path)["B"], lines(path)["C"]) == (before["B"], before["C"])
        assert opened(path).revise(WIDENED) == ""

    def test_what_is_complete_stays_history(self, tmp_path: Path) -> None:
        path = self.plan(tmp_path)
        planner = opened(path)
        planner.validate("A")
        before = Path(path).read_bytes()
        assert planner.revise(WIDENED) == ""
        assert Path(path).read_bytes() == before

    def test_what_failed_waits_for_it_and_is_not_due_before(self, tmp_path: Path) -> None:
        path = self.plan(tmp_path)
        checks = Checks(failing="A")
        planner = opened(path, checks)
        planner.validate("A")
        planner.revise(WIDENED)
        checks.failing.clear()
        with pytest.raises(PlanRefused) as caught:
            planner.validate("A")
        assert caught.value.code == "NODE_NOT_DUE"
        assert caught.value.detail == {
            "node": "A",
            "part": "failed",
            "actionable": "B",
            "waits_for": ["B"],
        }
        planner.validate("B")
        assert planner.validate("A").outcome == "pass"

    def test_an_order_that_cannot_be_is_refused(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A", target="m.A"), step("B", "A", target="m.B"))
        assert refused(path, evidence=WIDENED) == [("TEMPORAL_INCONSISTENT", "A")]

    def test_far_from_it_nothing_is_looked_at(self, tmp_path: Path) -> None:
        """S-000-081: a stale guess elsewhere does not come back."""
        path = written(tmp_path, *chain(*"ABCDEF"), step("G", target="m.G"))
        opened(path).revise(additions=[step("N", "F")])
        row = Path(f"{path}.audit.jsonl").read_text("utf-8").splitlines()[-1]
        # N and F against each other and against the six others.
        assert '"pairs":13' in row.replace(" ", "")


class TestWhatIsRemoved:
    def test_t14_a_dependent_inherits_in_order(self, tmp_path: Path) -> None:
        records = [step("A"), step("B"), step("C", "B", "A"), step("D", "C"), step("E", "D")]
        path = written(tmp_path, *records)
        before = lines(path)
        opened(path).revise(falsified=["C"])
        assert waits(path) == {"A": [], "B": [], "D": ["A", "B"], "E": ["D"]}
        for name in "ABE":
            assert lines(path)[name] == before[name]

    def test_several_at_once(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"ABCDE"))
        assert opened(path).revise(falsified=["D", "B"]) == "removed B, D via impact feedback"
        assert waits(path) == {"A": [], "C": ["A"], "E": ["C"]}

    def test_unknown(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"AB"))
        with pytest.raises(InputError) as caught:
            opened(path).revise(falsified=["Z"])
        assert caught.value.code == "NODE_UNKNOWN"
        assert '"Z"' in caught.value.message

    def test_t14_the_last_that_establishes_a_criterion(self, tmp_path: Path) -> None:
        requirement = {
            "goal": "g",
            "acceptance_criteria": ["tests/test_B.py passes"],
            "constraints": [],
        }
        path = written(tmp_path, *chain(*"AB"), requirement=requirement)
        assert refused(path, falsified=["B"]) == [("DROPPED_OBLIGATION", "B")]
        other = step("N", "A", validation="tests/test_B.py")
        assert opened(path).revise(falsified=["B"], additions=[other])
        assert waits(path) == {"A": [], "N": ["A"]}

    def test_t9_ungrounded_after_removal(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A"), step("B", "A", cause=""))
        assert refused(path, falsified=["A"]) == [("UNGROUNDED_AFTER_REMOVAL", "B")]

    def test_t10_the_definer_of_a_test_that_is_still_validated(self, tmp_path: Path) -> None:
        records = [
            step("A", target="tests/test_V.py"),
            step("V", "A", verb="validate", cause="requirement"),
        ]
        path = written(tmp_path, *records, evidence={"tests": []})
        assert refused(path, falsified=["A"]) == [("UNDEFINED_TEST", "V")]

    def test_17_inherited_dependencies_are_too_many(self, tmp_path: Path) -> None:
        many = [step(f"O{number}") for number in range(1, 10)]
        more = [step(f"P{number}") for number in range(1, 10)]
        first = step("X", *(each["id"] for each in many))
        second = step("Y", "X", *(each["id"] for each in more))
        path = written(tmp_path, *many, *more, first, second)
        assert refused(path, falsified=["X"]) == [("CAP_EXCEEDED", "Y")]


class TestWhatIsAdded:
    def test_t14_before_what_is_complete_it_comes_too_late(self, tmp_path: Path) -> None:
        known = {"edges": [edge("m.N", "m.A", change="type_widened")]}
        path = written(tmp_path, step("A", target="m.A"), step("B"), evidence=known)
        opened(path).validate("A")
        late = step("N", target="m.N")
        assert refused(path, additions=[late]) == [("PRECEDES_COMPLETE", "A")]

    def test_t14_an_id_that_was_ever_used(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"AB"))
        assert refused(path, additions=[step("A")])[0] == ("ID_RECYCLED", "A")
        opened(path).revise(falsified=["B"])
        assert refused(path, additions=[step("B")]) == [("ID_RECYCLED", "B")]

    def test_t14_the_65th(self, tmp_path: Path) -> None:
        path = written(tmp_path, *(step(f"O{number}") for number in range(64)))
        assert ("CAP_EXCEEDED", "plan") in refused(path, additions=[step("N")])

    def test_who_said_so_stands_in_the_revision(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"AB"))
        opened(path).revise(additions=[step("N")], because="review\nof Tuesday")
        assert document(path)["revision_history"][0]["caused_by"].startswith("N evidence: review")


class TestComposites:
    def plan(self, path: Path) -> str:
        """X → (A → B → E → A) → C."""
        return written(
            path,
            step("X"),
            step("A", "X", "E"),
            step("B", "A"),
            step("E", "B"),
            step("C", "E"),
        )

    def test_t14_without_a_member_the_cycle_dissolves(self, tmp_path: Path) -> None:
        path = self.plan(tmp_path)
        before = lines(path)
        assert opened(path).revise(falsified=["B"]) == "removed B via impact feedback"
        # What is left waits for all that the composite waited for, and is waited for by C.
        assert waits(path) == {"X": [], "A": ["E", "X"], "E": ["X"], "C": ["A", "E"]}
        assert lines(path)["X"] == before["X"]

    def test_one_that_is_still_a_cycle_is_built_again(self, tmp_path: Path) -> None:
        records = [step("A", "B", "E"), step("B", "A"), step("E", "A"), step("C", "E")]
        path = written(tmp_path, *records)
        opened(path).revise(falsified=["B"])
        assert waits(path) == {"cycle:A": [], "C": ["cycle:A"]}
        assert [each["id"] for each in nodes(path)["cycle:A"]["members"]] == ["A", "E"]

    def test_whole_it_is_spliced_like_any_other(self, tmp_path: Path) -> None:
        path = self.plan(tmp_path)
        opened(path).revise(falsified=["A", "B", "E"])
        assert waits(path) == {"X": [], "C": ["X"]}

    def test_members_of_one_that_failed_are_pending_again(self, tmp_path: Path) -> None:
        path = self.plan(tmp_path)
        planner = opened(path, Checks(failing="B"))
        planner.validate("X")
        planner.validate("cycle:A")
        planner.revise(falsified=["B"])
        assert states(path) == {"X": "complete", "A": "pending", "E": "pending", "C": "pending"}
        assert [row["obligation"] for row in document(path)["audit"]] == ["X"]

    def test_a_composite_that_waited_for_what_is_gone_inherits(self, tmp_path: Path) -> None:
        records = [step("Z"), step("X", "Z"), step("A", "X", "B"), step("B", "A")]
        path = written(tmp_path, *records)
        opened(path).revise(falsified=["X"])
        assert waits(path) == {"Z": [], "cycle:A": ["Z"]}
        assert [each["dependencies"] for each in nodes(path)["cycle:A"]["members"]] == [
            ["B", "Z"],
            ["A"],
        ]

    def test_two_that_lose_a_member_at_once(self, tmp_path: Path) -> None:
        records = [step("A", "B"), step("B", "A"), step("C", "D", "B"), step("D", "C")]
        path = written(tmp_path, *records)
        opened(path).revise(falsified=["A", "D"])
        assert waits(path) == {"B": [], "C": ["B"]}
