"""`Planner` and `AsyncPlanner`: a plan that is driven in process (S-CARD-05, S-004-20, T17)."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from driving import NOW, Checks, chain, document, opened, states, step, written

import plan07
from plan07.driven import ActionableObligation, GateResult, PlanStatus
from plan07.errors import InputError, PlanRefused
from plan07.models import Evidence
from plan07.outcomes import Cancelled, GateBroken
from plan07.session import AsyncPlanner, Planner


def test_the_names_are_public() -> None:
    assert plan07.Planner is Planner
    assert plan07.AsyncPlanner is AsyncPlanner
    assert plan07.Cancelled is Cancelled


class TestPlanner:
    def test_a_run(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain("O1", "O2"))
        with opened(path) as planner:
            first = planner.next()
            assert isinstance(first, ActionableObligation)
            assert first.node_id == "O1"
            assert planner.edit("O1", "a.py") == {"edit_files": 1, "test_calls": 0}
            assert planner.test("O1") == {"edit_files": 1, "test_calls": 1}
            done = planner.validate("O1")
            assert isinstance(done, GateResult)
            assert (done.outcome, done.next, done.verdict) == ("pass", "O2", "running")
            planner.validate("O2")
            assert planner.next() is None
            status = planner.status()
            assert isinstance(status, PlanStatus)
            assert (status.verdict, status.complete, status.nodes) == ("complete", 2, 2)

    def test_several_may_be_open_on_one_file(self, tmp_path: Path) -> None:
        path = written(tmp_path, *chain("O1", "O2"))
        one, other = opened(path), opened(path)
        one.validate("O1")
        other.validate("O2")
        assert one.next() is None

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(InputError) as caught:
            opened(str(tmp_path / "none.json"))
        assert caught.value.code == "FILE_UNREADABLE"

    def test_what_cannot_be_judged_is_an_error(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("O1", validation="it is so"))
        with pytest.raises(GateBroken) as caught:
            Planner.open(path, repository=tmp_path, now=lambda: NOW).validate("O1")
        assert "nobody is there to judge a statement" in caught.value.message
        assert states(path) == {"O1": "pending"}

    def test_evidence_comes_as_a_record_or_a_dictionary(self, tmp_path: Path) -> None:
        value = {
            "edges": [{"from": "pkg.O1", "to": "m.F", "cause": "CalledBy"}],
            "changes": [{"entity": "pkg.O1", "change": "rename"}],
        }
        record = Evidence.model_validate_json(json.dumps(value))
        for number, given in enumerate((value, record)):
            path = written(tmp_path / f"{number}.json", step("O1"))
            assert opened(path).revise(given) == "added O2 via impact feedback"

    @pytest.mark.parametrize(
        ("change", "code"),
        [
            pytest.param({"evidence": {"edge": []}}, "EVIDENCE_INVALID", id="evidence"),
            pytest.param({"additions": [{"id": "N"}]}, "PLAN_INVALID", id="obligation"),
            pytest.param({"additions": [{"id": {1}}]}, "PLAN_INVALID", id="no JSON"),
        ],
    )
    def test_what_is_malformed_is_refused(
        self, tmp_path: Path, change: dict[str, Any], code: str
    ) -> None:
        path = written(tmp_path, step("O1"))
        with pytest.raises(InputError) as caught:
            opened(path).revise(**change)
        assert caught.value.code == code

    def test_limits_and_rules_are_those_of_the_run(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("O1"))
        planner = opened(path, limits={"max_edit_files": 1})
        planner.edit("O1", "a.py")
        with pytest.raises(PlanRefused):
            planner.edit("O1", "b.py")

    def test_the_hook_gets_the_fragment_and_nothing_else(self, tmp_path: Path) -> None:
        """S-000-074."""
        path = written(tmp_path, step("O1"), step("O2", "O1"), step("O3"))
        seen: list[Mapping[str, Any]] = []

        def hook(fragment: Mapping[str, Any]) -> Mapping[str, Any]:
            seen.append(fragment)
            return {}

        opened(path, Checks(failing=["O1"]), redecompose=hook).validate("O1")
        assert [tuple(each) for each in seen] == [("failed", "reason", "nodes")]
        text = json.dumps(seen)
        assert "pkg.O2" in text
        assert "O3" not in text


class TestCancellation:
    def test_t17_the_same_object_from_the_watch(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("O1"))
        token = Cancelled("t")
        calls = []

        def watch() -> None:
            calls.append(1)
            if len(calls) == 2:
                raise token

        planner = opened(path, watch=watch)
        assert planner.next() is not None
        with pytest.raises(Cancelled) as caught:
            planner.next()
        assert caught.value is token
        assert planner.status().verdict == "abandoned"

    def test_t17_while_a_validation_runs(self, tmp_path: Path) -> None:
        """The check of this machine is ended, not waited for."""
        path = written(tmp_path, step("O1", validation="$ sleep 30"))
        token = Cancelled("t")
        calls = []

        def watch() -> None:
            calls.append(1)
            if len(calls) > 2:
                raise token

        planner = Planner.open(path, repository=tmp_path, watch=watch, now=lambda: NOW)
        with pytest.raises(Cancelled) as caught:
            planner.validate("O1")
        assert caught.value is token
        assert states(path) == {"O1": "pending"}
        assert document(path)["revision_history"][-1]["change"] == "abandoned: t"


class TestAsync:
    def test_s_004_20_the_same_operations_with_the_same_answers(self, tmp_path: Path) -> None:
        records = [step("A"), step("P", target="pkg.B", status="alternative"), step("B", "A")]
        mine = {"goal": "g", "acceptance_criteria": ["c"], "constraints": []}
        requirement = {**mine, "needs_confirmation": True}
        operations: list[tuple[str, tuple[Any, ...]]] = [
            *(("next", ()), ("edit", ("A", "a.py")), ("test", ("A",)), ("validate", ("A",))),
            *(("validate", ("B",)), ("promote", ("P",)), ("validate", ("P",))),
            *(("rollback", ("step-1:A",)), ("revise", ()), ("confirm", ()), ("status", ())),
            *(("next", ()), ("abandon", ("done",)), ("close", ())),
        ]
        one = written(tmp_path / "one.json", *records, requirement=requirement)
        other = written(tmp_path / "other.json", *records, requirement=requirement)
        planner = opened(one, Checks(failing="B"))
        expected = [getattr(planner, name)(*given) for name, given in operations]

        async def run() -> list[Any]:
            options = {"run": Checks(failing="B"), "now": lambda: NOW}
            async with await AsyncPlanner.open(other, **options) as planner:
                return [await getattr(planner, name)(*given) for name, given in operations]

        assert asyncio.run(run()) == expected
        assert Path(one).read_bytes() == Path(other).read_bytes()

    def test_every_operation_has_its_twin(self) -> None:
        def names(kind: type) -> set[str]:
            return {name for name, _ in inspect.getmembers(kind) if not name.startswith("_")}

        assert names(Planner) == names(AsyncPlanner)

    def test_t17_the_same_token_comes_out(self, tmp_path: Path) -> None:
        path = written(tmp_path, step("O1"))
        token = Cancelled("t")

        def before(text: str) -> None:
            raise token

        async def run() -> None:
            planner = await AsyncPlanner.open(path, run=Checks(before=before), now=lambda: NOW)
            await planner.validate("O1")

        with pytest.raises(Cancelled) as caught:
            asyncio.run(run())
        assert caught.value is token
