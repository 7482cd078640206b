"""The traps T1, T2, T6, T8, T12 to T14, T17 and T20 of the requirements, on plans that are driven.

What concerns a schedule alone stands in `test_traps.py`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from driving import (
    NOW,
    REQUIREMENT,
    Checks,
    aged,
    answering,
    chain,
    diamond,
    document,
    events,
    lines,
    nodes,
    opened,
    run_all,
    states,
    step,
    waits,
    written,
)
from support import edge

from plan07.errors import InputError, PlanRefused
from plan07.exposure import narrowed
from plan07.outcomes import Cancelled


def rewritten(path: str, change: Callable[[dict[str, Any]], None]) -> str:
    """Let something else than plan07 write a plan."""
    found = document(path)
    change(found)
    Path(path).write_text(json.dumps(found), "utf-8")
    return path


class TestT1StatusAndState:
    def test_what_is_done_is_in_no_list_and_keeps_ready(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A"), step("B", "A"), step("C"))
        planner = opened(path, Checks(failing="B"))
        planner.validate("A")
        planner.validate("B")
        status = planner.status()
        assert (status.ready, status.blocked, status.alternative) == (("C",), (), ())
        assert [node["status"] for node in document(path)["nodes"]] == ["ready"] * 3
        assert states(path) == {"A": "complete", "B": "failed", "C": "pending"}

    def test_a_file_that_lies_about_its_status(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"AB"))

        def lie(found: dict[str, Any]) -> None:
            found["nodes"][0]["status"], found["nodes"][1]["status"] = "blocked", "ready"

        planner = opened(rewritten(path, lie))
        assert (planner.status().next, planner.status().blocked) == ("A", ("B",))
        planner.validate("A")
        assert [node["status"] for node in document(path)["nodes"]] == ["ready", "ready"]


class TestT2LowestId:
    @pytest.mark.parametrize(
        ("ids", "order"),
        [
            (["O10", "O9", "O2"], ["O2", "O9", "O10"]),
            (["a10", "a9"], ["a9", "a10"]),
            (["O2", "O02"], ["O02", "O2"]),
        ],
    )
    def test_the_walk(self, tmp_path: Path, ids: list[str], order: list[str]) -> None:
        assert run_all(opened(written(tmp_path, *map(step, ids)))) == order

    def test_a_composite_where_its_lowest_member_is(self, tmp_path: Path) -> None:
        records = [step("O9", "O20"), step("O20", "O9"), step("O10"), step("O3")]
        assert run_all(opened(written(tmp_path, *records))) == ["O3", "cycle:O9", "O10"]


class TestT6Composite:
    def test_members_never_stand_alone(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A", "B"), step("B", "A"), step("C", "B"))
        planner = opened(path)
        status = planner.status()
        assert (status.ready, status.blocked, status.next) == (("cycle:A",), ("C",), "cycle:A")
        for member in "AB":
            with pytest.raises(InputError) as caught:
                planner.validate(member)
            assert caught.value.code == "NODE_UNKNOWN"

    def test_its_bounds_are_those_of_one_step(self, tmp_path: Path) -> None:
        planner = opened(written(tmp_path, step("A", "B"), step("B", "A")))
        planner.edit("cycle:A", *(f"{number}.py" for number in range(5)))
        with pytest.raises(PlanRefused) as caught:
            planner.edit("cycle:A", "5.py")
        assert caught.value.code == "BOUNDS_EXCEEDED"


class TestT8Alternatives:
    def test_they_count_for_nothing(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A"), step("B", "A", status="alternative"))
        planner = opened(path)
        assert run_all(planner) == ["A"]
        status = planner.status()
        assert (status.verdict, status.complete, status.nodes) == ("complete", 1, 1)

    def test_alone_they_are_a_plan_that_is_stalled(self, tmp_path: Path) -> None:
        planner = opened(written(tmp_path, step("A", status="alternative")))
        assert planner.status().verdict == "stalled"
        with pytest.raises(PlanRefused, match="alternatives"):
            planner.next()


class TestT12Unconfirmed:
    def test_the_flag_outlives_a_reload(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A"), requirement={**REQUIREMENT, "needs_confirmation": True})
        run_all(opened(path))
        assert document(path)["requirement"]["needs_confirmation"] is True
        assert opened(path).status().verdict == "awaiting_confirmation"
        opened(path).confirm()
        assert opened(path).status().verdict == "complete"

    def test_false_is_not_written(self, tmp_path: Path) -> None:
        path = written(
            tmp_path, step("A"), requirement={**REQUIREMENT, "needs_confirmation": False}
        )
        assert document(path)["requirement"] == REQUIREMENT


class TestT13Replan:
    def test_checkpoints_before_the_failure_stay(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"ABC"))
        planner = opened(path, Checks(failing="B"), redecompose=answering(step("N")))
        planner.validate("A")
        planner.validate("B")
        assert document(path)["checkpoints"] == ["step-1:A"]
        planner.validate("N")
        assert document(path)["checkpoints"] == ["step-1:A", "step-2:N"]
        assert planner.status().verdict == "complete"

    def test_a_replacement_is_a_plan_like_any_other(self, tmp_path: Path) -> None:
        """A cycle in it collapses, an alternative in it is rated and not executed."""
        answer = answering(
            step("M", "N"), step("N", "M"), step("P", target="pkg.M", status="alternative")
        )
        path = written(tmp_path, step("A"), evidence={"scores": {"P": {"lex": 1.0}}})
        opened(path, Checks(failing="A"), redecompose=answer).validate("A")
        assert waits(path) == {"cycle:M": [], "P": []}
        assert document(path)["branch_scores"] == {"P": 0.25}
        assert run_all(opened(path)) == ["cycle:M"]

    def test_the_termination_of_fail_and_replan(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("A"))
        aged(path, 32)
        hook = answering(step("A"))
        result = opened(path, Checks(failing="A"), redecompose=hook).validate("A")
        assert (result.verdict, result.replanned) == ("needs_rescope", "")


class TestT14Revision:
    def test_the_33rd_is_refused(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"AB"))
        aged(path, 32)
        before = Path(path).read_bytes()
        with pytest.raises(PlanRefused) as caught:
            opened(path).revise(falsified=["B"])
        assert caught.value.code == "REVISION_CAP"
        assert Path(path).read_bytes() == before

    def test_what_is_removed_leaves_its_score_and_row_but_not_its_revision(
        self, tmp_path: Path
    ) -> None:
        records = [step("A"), step("Q", target="pkg.A", status="alternative")]
        path = written(tmp_path, *records, evidence={"scores": {"Q": {"lex": 1.0}}})
        planner = opened(path, Checks(failing="A"))
        planner.validate("A")
        planner.revise(falsified=["A", "Q"], additions=[step("N")])
        found = document(path)
        assert (found["branch_scores"], found["audit"]) == ({}, [])
        assert found["revision_history"][0]["change"] == (
            "added N and removed A, Q via impact feedback"
        )

    def test_a_composite_gains_a_member_and_its_dependents_only_its_name(
        self, tmp_path: Path
    ) -> None:
        records = [step("O1", target="m.A", cause="rename"), *chain("O2", "O3", "O4")]
        records[1]["dependencies"] = ["O1"]
        path = written(tmp_path, *records)
        before = lines(path)
        opened(path).revise({"edges": [edge("m.A", "m.F", change="rename")]})
        after = lines(path)
        assert after["O2"] == before["O2"].replace(b'["O1"]', b'["cycle:O1"]')
        assert (after["O3"], after["O4"]) == (before["O3"], before["O4"])


class TestT17CapabilityAndCancellation:
    def test_more_is_refused_and_not_clipped(self, tmp_path: Path) -> None:
        planner = opened(written(tmp_path, step("A", verb="validate")))
        exposed = planner.next()
        assert exposed is not None
        permitted = exposed.permitted_actions.model_dump()
        assert narrowed(permitted, {"test": False})["test"] is False
        with pytest.raises(PlanRefused) as caught:
            narrowed(permitted, {"edit": True})
        assert caught.value.code == "CAPABILITY_WIDENING"

    def test_the_artifact_is_written_once(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain(*"AB"))
        token = Cancelled("t")

        def before(text: str) -> None:
            raise token

        with pytest.raises(Cancelled):
            opened(path, Checks(before=before)).validate("A")
        assert events(path) == ["abandoned"]
        assert document(path)["revision_history"] == [
            {"rev": 1, "time": NOW, "change": "abandoned: t", "caused_by": "abandon"}
        ]
        assert states(path) == {"A": "pending", "B": "pending"}


class TestT20Loading:
    @pytest.mark.parametrize(
        "change",
        [
            pytest.param(lambda found: found.update(more=1), id="unknown key"),
            pytest.param(lambda found: found["nodes"][0].update(more=1), id="key of a node"),
            pytest.param(lambda found: found["nodes"][0].update(state="running"), id="state"),
            pytest.param(lambda found: found["nodes"][0].update(id="a\n## b"), id="id"),
            pytest.param(lambda found: found["nodes"][1].update(id="A"), id="id twice"),
            pytest.param(lambda found: found["nodes"][1].update(dependencies=["Z"]), id="dangling"),
            pytest.param(lambda found: found["nodes"][1].update(dependencies=["B"]), id="itself"),
            pytest.param(lambda found: found["nodes"][0].update(cycle_collapsed=True), id="flag"),
        ],
    )
    def test_what_plan07_never_wrote_is_refused(
        self, tmp_path: Path, change: Callable[[dict[str, Any]], None]
    ) -> None:
        path = rewritten(written(tmp_path, *chain(*"AB")), change)
        with pytest.raises(InputError) as caught:
            opened(path)
        assert caught.value.code == "PLAN_INVALID"
        assert "\n" not in caught.value.message

    @pytest.mark.parametrize(
        "change",
        [
            pytest.param(lambda node: node.update(id="cycle:B"), id="name"),
            pytest.param(lambda node: node.update(state="complete"), id="state"),
            pytest.param(lambda node: node["members"].pop(0), id="lowest member"),
        ],
    )
    def test_a_composite_is_what_its_members_make_of_it(
        self, tmp_path: Path, change: Callable[[dict[str, Any]], None]
    ) -> None:
        path = written(tmp_path, step("A", "B"), step("B", "A"))
        rewritten(path, lambda found: change(found["nodes"][0]))
        with pytest.raises(InputError) as caught:
            opened(path)
        assert caught.value.code == "PLAN_INVALID"

    def test_other_bytes_of_the_same_plan_are_a_remark(self, tmp_path: Path) -> None:
        path = rewritten(written(tmp_path, step("A")), lambda found: None)
        assert opened(path).status().notes == ("it was edited by something else than plan07",)

    def test_a_composite_stays_one_without_its_evidence(self, tmp_path: Path) -> None:
        known = {"edges": [edge("m.A", "m.B", change="rename")]}
        records = [step("O1", target="m.A", cause="rename"), step("O2", target="m.B")]
        path = written(tmp_path, *records, step("O3"), evidence=known)
        Path(f"{path}.evidence.json").unlink()
        opened(path).revise(falsified=["O3"])
        assert [each["id"] for each in nodes(path)["cycle:O1"]["members"]] == ["O1", "O2"]


class TestRejectedDeliverables:
    """S-000-124: what makes a deliverable a rejected one is refused, or cannot be had."""

    def test_a_step_that_leaves_the_repository_invalid(self, tmp_path: Path) -> None:
        records = [step("W", "R", cause="type-widening"), step("R", cause="consumer re-bind")]
        with pytest.raises(PlanRefused) as caught:
            written(tmp_path, *records)
        assert caught.value.code == "TEMPORAL_INCONSISTENT"
        assert not (tmp_path / "plan.json").exists()
        # Nor can a driven plan come to it.
        path = written(tmp_path, step("R", cause="consumer re-bind"))
        wide = step("W", "R", cause="type-widening")
        with pytest.raises(PlanRefused) as caught:
            opened(path).revise(additions=[wide])
        assert [each.code for each in caught.value.violations] == ["TEMPORAL_INCONSISTENT"]

    def test_an_unordered_schedule(self, tmp_path: Path) -> None:
        path = written(tmp_path, *diamond())
        for node in "BCD":
            with pytest.raises(PlanRefused) as caught:
                opened(path).validate(node)
            assert caught.value.code == "NODE_NOT_DUE"
        assert run_all(opened(path)) == ["A", "B", "C", "D"]

    def test_a_whole_plan_restart_on_a_single_failure(self, tmp_path: Path) -> None:
        path = written(tmp_path, *diamond())
        whole = answering(*diamond())
        planner = opened(path, Checks(failing="B"), redecompose=whole)
        planner.validate("A")
        before = lines(path)
        result = planner.validate("B")
        assert result.no_replan.startswith("REPLAN_REFUSED: ")
        after = lines(path)
        assert [name for name in before if before[name] != after[name]] == ["B"]

    @pytest.mark.parametrize(
        "text",
        ["1. widen the type\n2. rebind", '{"obligations":["widen the type"]}', '{"todo":[]}'],
    )
    def test_a_todo_list_in_prose(self, tmp_path: Path, text: str) -> None:
        from plan07.api import make_plan

        with pytest.raises(PlanRefused) as caught:
            make_plan(REQUIREMENT, tmp_path / "plan.json", ask=lambda call: text)
        assert caught.value.code == "RE_DECOMPOSE"
        assert not (tmp_path / "plan.json").exists()
        (tmp_path / "plan.json").write_text(text)
        with pytest.raises(InputError):
            opened(str(tmp_path / "plan.json"))

    def test_the_full_graph_in_the_context_of_the_model(self, tmp_path: Path) -> None:
        path = written(tmp_path, *diamond())
        seen: list[str] = []

        def hook(fragment: Any) -> Any:
            seen.append(json.dumps(fragment))
            return {}

        planner = opened(path, Checks(failing="B"), redecompose=hook)
        for _ in "AB":
            exposed = planner.next()
            assert exposed is not None
            seen.append(exposed.model_dump_json())
            planner.validate(exposed.node_id)
        assert len(seen) == 3
        assert not any("pkg.C" in text for text in seen)
        assert not any("pkg.A" in text and "pkg.D" in text for text in seen)
