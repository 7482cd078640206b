"""The main job in one call on plain dictionaries."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from support import EXAMPLES, obligation, plan

from plan07 import document, limited, solver
from plan07.errors import InputError, PlanRefused, RulesError


class TestOptions:
    def test_nothing(self) -> None:
        assert solver.options() == solver.Options()

    def test_everything(self) -> None:
        found = solver.options(
            impact="i.json",
            recon=Path("r.db"),
            rules="rules",
            policy={"cycle_policy": "refuse"},
            limits={"max_id": 3},
            repair=True,
            strict_grounding=True,
        )
        assert found.files == {"impact": "i.json", "recon": Path("r.db")}
        assert found.rules == "rules"
        assert found.policy == {"cycle_policy": "refuse", "grounding_policy": "strict"}
        assert found.limits == {"max_id": 3}
        assert found.repair is True

    def test_the_caller_keeps_its_own(self) -> None:
        policy: dict[str, str] = {}
        solver.options(policy=policy, strict_grounding=True)
        assert policy == {}


def test_phases_are_timed_in_order() -> None:
    timed: list[tuple[str, float]] = []
    read = document.read(plan(obligation("O1")), "x")
    result = solver.solve_plan(read, solver.options(), lambda *each: timed.append(each))
    assert [phase for phase, _ in timed] == ["rules", "evidence", "graph", "schedule"]
    assert all(0 <= seconds < 60 for _, seconds in timed)
    assert result == solver.solve_plan(read, solver.options())


def test_the_result_is_plain_json() -> None:
    for file in sorted(EXAMPLES.glob("*.plan.json")):
        read = document.read(json.loads(file.read_text("utf-8")), "x")
        try:
            result = solver.solve_plan(read, solver.options())
        except PlanRefused as error:
            result = error.as_dict()
        assert json.loads(json.dumps(result)) == result, file.name


class TestLimited:
    """The same in a child process that can be stopped."""

    VALUE = plan(obligation("O1", "é\n"), obligation("O2", dependencies=["O1"]))

    def test_the_same_result(self) -> None:
        options = solver.options(limits={"max_id": 5}, policy={"cycle_policy": "refuse"})
        inside = solver.solve_plan(document.read(self.VALUE, "x"), options)
        assert limited.solve(self.VALUE, "x", options, 60) == inside

    def test_the_same_refusal(self) -> None:
        value = plan(obligation("O1", cause=""), obligation("O2", cause=""))
        with pytest.raises(PlanRefused) as outside:
            limited.solve(value, "x", solver.options(), 60)
        with pytest.raises(PlanRefused) as inside:
            solver.solve_plan(document.read(value, "x"), solver.options())
        assert outside.value.as_dict() == inside.value.as_dict()

    def test_the_same_fault(self) -> None:
        with pytest.raises(InputError) as caught:
            limited.solve({"obligations": 7}, "my plan", solver.options(), 60)
        assert caught.value.message.startswith("my plan: obligations: ")

    @pytest.mark.parametrize("seconds", [0, -1, float("nan")])
    def test_no_time_at_all(self, seconds: float) -> None:
        with pytest.raises(InputError) as caught:
            limited.solve(self.VALUE, "x", solver.options(), seconds)
        assert caught.value.code == "TIME_LIMIT_INVALID"

    def test_too_little_time(self) -> None:
        with pytest.raises(RulesError) as caught:
            limited.solve(self.VALUE, "x", solver.options(), 0.001)
        assert (caught.value.code, caught.value.detail) == ("TIME_LIMIT", {"seconds": 0.001})

    def test_too_little_memory(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """A rule that multiplies ends the child, not the caller."""
        (tmp_path / "boom.lp").write_text(
            "% Stage: graph\nn(1..3000).\nboom(A, B, C) :- n(A), n(B), n(C).\n"
        )
        code = "from plan07 import limited; limited.MEMORY_BYTES = 2**28; limited.child()"
        monkeypatch.setattr(limited, "_CHILD", code)
        with pytest.raises(RulesError) as caught:
            limited.solve(self.VALUE, "x", solver.options(rules=tmp_path), 50)
        assert caught.value.code == "CHILD_FAILED"

    def test_relative_paths_are_those_of_the_caller(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        (tmp_path / "mine.lp").write_text('% Stage: schedule\nprefer("O9", -1).\n')
        monkeypatch.chdir(tmp_path)
        result = limited.solve(self.VALUE, "x", solver.options(rules=os.curdir), 60)
        assert result["policy"]["overlaid"] == ["mine.lp"]
