"""`solve` for callers in process."""

from __future__ import annotations

import asyncio
import json
import pickle
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from support import EXAMPLES, edge, obligation, plan

import plan07
from plan07 import InputError, PlanRefused, RulesError, Schedule, make_plan, solve, solve_async
from plan07.models import Decomposition, Evidence, ImpactEdge, Obligation, PlanArtifact

NAMES = sorted(each.name.split(".")[0] for each in EXAMPLES.glob("*.plan.json"))
SOLVED = ["session-timeout", "rename", "alternatives"]


def read(name: str) -> Any:
    return json.loads((EXAMPLES / f"{name}.plan.json").read_text("utf-8"))


class TestSameAsTheCommand:
    @pytest.mark.parametrize("name", SOLVED)
    def test_the_same_bytes(self, name: str) -> None:
        """S-CARD-05."""
        arguments = ["plan07", "solve", str(EXAMPLES / f"{name}.plan.json"), "--json"]
        done = subprocess.run(arguments, capture_output=True, check=True)
        schedule = solve(read(name))
        assert isinstance(schedule, Schedule)
        assert schedule.to_json().encode() == done.stdout

    def test_options_and_files(self, tmp_path: Path) -> None:
        case = EXAMPLES / "cases" / "click-rename"
        impact = f"{case}.impact.json"
        arguments = ["plan07", "solve", f"{case}.plan.json", "--impact", impact, "--json"]
        arguments += ["--policy", "cycle_policy=collapse", "--limit", "max_id=9"]
        done = subprocess.run(arguments, capture_output=True, check=True)
        value = json.loads(Path(f"{case}.plan.json").read_text("utf-8"))
        schedule = solve(
            value,
            impact=Path(impact),
            policy={"cycle_policy": "collapse"},
            limits={"max_id": 9},
        )
        assert schedule.to_json().encode() == done.stdout

    def test_the_same_refusal(self) -> None:
        name = "deletion-left-out"
        arguments = ["plan07", "solve", str(EXAMPLES / f"{name}.plan.json"), "--json"]
        done = subprocess.run(arguments, capture_output=True, check=False)
        with pytest.raises(PlanRefused) as caught:
            solve(read(name))
        assert caught.value.as_dict() == json.loads(done.stdout)
        assert caught.value.exit_status == done.returncode == 1


class TestRecords:
    RECORD = Obligation(
        id="O1",
        target_entity="a.f",
        obligation="modify",
        caused_by="rename f",
        dependencies=(),
        evidence="",
        status="ready",
        validation="",
    )

    def test_a_decomposition(self) -> None:
        found = solve(Decomposition(obligations=(self.RECORD,)))
        assert found == solve({"obligations": [self.RECORD.model_dump(mode="json")]})
        assert found.order == ("O1",)

    def test_an_artifact(self) -> None:
        first = solve(read("rename"))
        again = solve(PlanArtifact(nodes=first.nodes))
        assert again.nodes == first.nodes

    def test_evidence_instead_of_the_plans_own(self) -> None:
        other = self.RECORD.model_copy(update={"id": "O2", "target_entity": "a.g"})
        told = Evidence(edges=(ImpactEdge(from_="a.f", to="a.g", cause="CalledBy"),))
        plain = Decomposition(obligations=(self.RECORD, other))
        assert solve(plain).order == ("O1", "O2")
        assert solve(plain, evidence=told).order == ("cycle:O1",)
        assert solve(plain, evidence=told.model_dump(mode="json", exclude_unset=True)) == solve(
            plain.model_copy(update={"evidence": told})
        )
        own = plan(obligation("O1", "a.f", cause="rename f"), obligation("O2", "a.g"))
        own["evidence"] = {"edges": [edge("a.f", "a.g")]}
        assert solve(own, evidence={}).order == ("O1", "O2")
        assert "edges" in own["evidence"]

    def test_a_field_that_is_none_says_nothing(self) -> None:
        """Every record that can be built can be solved."""
        for value in (
            Decomposition(obligations=(self.RECORD,), evidence=None, requirement=None),
            Decomposition(obligations=(self.RECORD,), evidence=Evidence(tests=None, entities=None)),
        ):
            assert solve(value).order == ("O1",)

    def test_the_schedule_is_frozen_and_typed(self) -> None:
        found = solve(read("session-timeout"))
        assert found.nodes[0].id == "O1"
        assert found.edges == (("O1", "O2"), ("O1", "O3"), ("O2", "O3"))
        assert found.reasons[-1].evidence is not None
        assert found.reasons[-1].evidence.from_ == "repo.auth.SessionConfig"
        assert found.policy.switches["cycle_policy"] == "collapse"
        with pytest.raises(ValueError, match="frozen"):
            found.order = ()

    def test_the_callers_dictionary_is_not_changed(self) -> None:
        value = read("rename")
        copy = json.loads(json.dumps(value))
        solve(value, evidence={"tests": []})
        solve(value)
        assert value == copy


class TestErrors:
    def test_every_violation(self) -> None:
        value = plan(obligation("O1", cause=""), obligation("O2", cause="", dependencies=["O2"]))
        with pytest.raises(PlanRefused) as caught:
            solve(value)
        assert [(each.code, each.subject) for each in caught.value.violations] == [
            ("SELF_DEPENDENCY", "O2"),
            ("UNGROUNDED", "O1"),
        ]

    @pytest.mark.parametrize("value", [None, 7, "plan.json", [], [obligation("O1")]])
    def test_what_is_no_plan(self, value: Any) -> None:
        for limit in (None, 60.0) if value is None else (None,):
            with pytest.raises(InputError) as caught:
                solve(value, time_limit=limit)
            assert caught.value.code == "PLAN_INVALID"
            assert caught.value.message.startswith("the plan: a plan holds either")

    def test_what_no_file_can_hold(self) -> None:
        for limit in (None, 60.0):
            with pytest.raises(InputError):
                solve(plan(obligation("O1", "\0")), time_limit=limit)

    def test_they_pickle_with_everything(self) -> None:
        with pytest.raises(PlanRefused) as caught:
            solve(read("deletion-left-out"))
        found = pickle.loads(pickle.dumps(caught.value))
        assert isinstance(found, PlanRefused)
        assert found.as_dict() == caught.value.as_dict()

    def test_broken_rules(self, tmp_path: Path) -> None:
        (tmp_path / "mine.lp").write_text("% Stage: graph\np :- not p.\n")
        with pytest.raises(RulesError) as caught:
            solve(plan(obligation("O1")), rules=tmp_path)
        assert caught.value.exit_status == 3

    def test_a_time_limit(self, tmp_path: Path) -> None:
        value = read("session-timeout")
        assert solve(value, time_limit=60) == solve(value)
        (tmp_path / "boom.lp").write_text(
            "% Stage: graph\nn(1..400).\nboom(A, B, C, D) :- n(A), n(B), n(C), n(D).\n"
        )
        with pytest.raises(RulesError) as caught:
            solve(value, rules=tmp_path, time_limit=0.7)
        assert caught.value.code == "TIME_LIMIT"


class TestConcurrency:
    def test_the_async_twin(self) -> None:
        """S-004-20."""

        async def both() -> list[Schedule]:
            return await asyncio.gather(*(solve_async(read(name)) for name in SOLVED))

        found = asyncio.run(both())
        assert [each.to_json() for each in found] == [solve(read(n)).to_json() for n in SOLVED]

    def test_the_async_twin_takes_options_and_refuses(self) -> None:
        value = plan(obligation("O1", dependencies=["O2"]), obligation("O2", dependencies=["O1"]))
        with pytest.raises(PlanRefused) as caught:
            asyncio.run(solve_async(value, policy={"cycle_policy": "refuse"}))
        assert caught.value.code == "DECOMPOSITION_CYCLE"

    def test_the_event_loop_stays_free(self) -> None:
        async def main() -> bool:
            task = asyncio.ensure_future(solve_async(read("rename")))
            await asyncio.sleep(0)
            free = not task.done()
            await task
            return free

        assert asyncio.run(main())

    def test_eight_threads_at_once_give_the_same_bytes(self) -> None:
        """S-CARD-06."""
        jobs = [SOLVED[index % len(SOLVED)] for index in range(24)]
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda name: solve(read(name)).to_json(), jobs))
        expected = {name: solve(read(name)).to_json() for name in SOLVED}
        assert found == [expected[name] for name in jobs]


class TestMakePlan:
    REQUEST = "Make the session timeout configurable"

    def test_the_model_is_not_asked_for_a_file_that_is_there(self, tmp_path: Path) -> None:
        path = tmp_path / "plan.json"
        make_plan(self.REQUEST, path)
        before = path.read_bytes()
        calls: list[object] = []

        def ask(call: object) -> str:
            calls.append(call)
            return "{}"

        with pytest.raises(InputError) as caught:
            make_plan("Rename Session.fetch", path, ask=ask)
        assert caught.value.code == "PLAN_EXISTS"
        assert (calls, path.read_bytes()) == ([], before)

    @pytest.mark.parametrize("name", ["", "p1", "plan-20260101-0000\n", "\x1b[3m"], ids=repr)
    def test_an_id_that_is_none_is_refused_before_anything_is_written(
        self, tmp_path: Path, name: str
    ) -> None:
        with pytest.raises(InputError) as caught:
            make_plan(self.REQUEST, tmp_path / "plan.json", plan_id=name)
        assert caught.value.code == "PLAN_ID_INVALID"
        assert list(tmp_path.iterdir()) == []


def test_the_public_names() -> None:
    assert sorted(plan07.__all__) == sorted(
        [
            *("ActionableObligation", "AsyncPlanner", "Cancelled", "Decomposition", "Evidence"),
            *("Finding", "GateBroken", "GateResult", "InputError", "Obligation", "Plan07Error"),
            *("PlanArtifact", "PlanRefused", "PlanStatus", "Planner", "RulesError", "Schedule"),
            *("__version__", "make_plan", "solve", "solve_async"),
        ]
    )
    for name in plan07.__all__:
        assert getattr(plan07, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        _ = plan07.nonsense
