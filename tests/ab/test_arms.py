"""The four arms and the five ablations, watched with a scripted model. Build spec 7.1, 7.2, 7.5."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from livearms import (
    A2,
    B2,
    BOTH,
    NEW_A,
    NEW_B,
    Endless,
    Script,
    edit,
    obligation,
    plan,
    plans,
    quick,
    running,
    seen,
    stood,
)

from plan07.ab.arms import ablated, current, monolithic, planned, prompts, static
from plan07.ab.arms.running import Running
from plan07.ab.arms.talk import Budget, Spent
from plan07.ab.records import Mechanism

__all__ = ["quick"]
pytestmark = pytest.mark.usefixtures("quick")

TWO = plan(obligation("O1", "a.A"), obligation("O2", "b.B", "O1"))
Arm = Callable[[Running, Path], None]
ARMS: dict[str, Arm] = {
    "monolithic": lambda run, folder: monolithic.run(run),
    "static": lambda run, folder: static.run(run),
    "current": lambda run, folder: current.run(run),
    "plan07": lambda run, folder: planned.run(plans(run, folder), None),
    "without revision trigger": lambda run, folder: planned.run(
        plans(run, folder), Mechanism.REVISION_TRIGGER
    ),
    "without local gate": lambda run, folder: planned.run(plans(run, folder), Mechanism.LOCAL_GATE),
    "without externalized plan": lambda run, folder: ablated.plan_in_prompt(plans(run, folder)),
    "without typed artifacts": lambda run, folder: ablated.untyped(plans(run, folder)),
    "without dependency ordering": lambda run, folder: ablated.unordered(plans(run, folder)),
}


@pytest.mark.parametrize("arm", ARMS)
class TestWhatAllArmsShare:
    def test_the_budget_of_calls_ends_every_arm(self, arm: str, tmp_path: Path) -> None:
        run = running(tmp_path, Endless(), Budget(calls=3, tokens=100_000))
        try:
            ARMS[arm](run, tmp_path)
        except Spent:
            assert len(run.talk.calls) == 3
        else:
            # Nothing new to ask about what is left.
            assert len(run.talk.calls) <= 3

    def test_the_budget_of_tokens_ends_every_arm(self, arm: str, tmp_path: Path) -> None:
        run = running(tmp_path, Endless(), Budget(calls=50, tokens=220))
        try:
            ARMS[arm](run, tmp_path)
        except Spent:
            pass
        # Each call has 110 tokens: the one that reaches the budget is the last.
        assert len(run.talk.calls) == 2

    def test_edits_are_asked_for_in_the_same_words(self, arm: str, tmp_path: Path) -> None:
        model = Endless()
        run = running(tmp_path, model, Budget(calls=4, tokens=100_000, reply_tokens=77))
        try:
            ARMS[arm](run, tmp_path)
        except Spent:
            pass
        edits = [call for call in model.calls if call.system == prompts.SYSTEM]
        assert len(edits) == sum(each.purpose == "edit" for each in run.talk.calls) > 0
        assert {call.max_completion_tokens for call in edits} == {77}
        assert {call.temperature for call in model.calls} == {0}
        beginnings = {call.user.partition("Request\n")[0][:12] for call in edits}
        assert beginnings == {"Repository\n\n"}
        assert all(prompts.request(run.request) in call.user for call in edits)


class TestMonolithic:
    def test_every_attempt_starts_from_the_base(self, tmp_path: Path) -> None:
        """Build spec 7.1: the monolith re-derives everything, so its second prompt is a retry."""
        model = Script(A2, BOTH)
        run = running(tmp_path, model)
        monolithic.run(run)
        assert seen(run) == [("edit", False), ("edit", True)]
        assert stood(run.steps) == [("attempt-1", True, True, 1), ("attempt-2", True, True, 1)]
        assert "A = 1" in model.calls[1].user
        assert f'- "{NEW_B}: assert False"' in model.calls[1].user
        assert run.copy.files() == {"a.py": "A = 2\n", "b.py": "B = 2\n"}

    def test_a_broken_state_is_an_invalid_step(self, tmp_path: Path) -> None:
        model = Script(edit("a.py", "A = 2  # BROKEN"), BOTH)
        run = running(tmp_path, model)
        monolithic.run(run)
        assert [step.valid for step in run.steps] == [False, True]
        assert run.steps[0].oracles == {"compiles": True, "imports": True, "tests": False}

    def test_a_reply_that_cannot_be_applied_leaves_no_step(self, tmp_path: Path) -> None:
        model = Script("I would rather not.", BOTH)
        run = running(tmp_path, model)
        monolithic.run(run)
        assert seen(run) == [("edit", False), ("edit", True)]
        assert [step.node for step in run.steps] == ["attempt-2"]
        assert '- "your reply holds no code"' in model.calls[1].user

    def test_what_was_asked_before_is_not_asked_again(self, tmp_path: Path) -> None:
        model = Script(A2, A2)
        run = running(tmp_path, model)
        with pytest.raises(Spent, match="nothing new to ask"):
            monolithic.run(run)
        assert len(model.calls) == 2


class TestStatic:
    def test_a_failure_runs_the_chain_from_the_top(self, tmp_path: Path) -> None:
        """Build spec 7.1: the steps of the prompt are all re-executed, on the base."""
        nothing = "```python\n```"
        model = Script(A2, nothing, nothing, A2, B2, nothing)
        run = running(tmp_path, model)
        static.run(run)
        assert seen(run) == [("edit", False)] * 3 + [("edit", True)] * 3
        assert [step.node for step in run.steps] == ["step-1", "step-1", "step-2"]
        assert "A = 1" in model.calls[3].user
        assert "A = 2" in model.calls[4].user

    def test_the_same_chain_stands_in_every_prompt(self, tmp_path: Path) -> None:
        model = Script(A2, B2, "```python\n```")
        run = running(tmp_path, model)
        static.run(run)
        for number, call in enumerate(model.calls, 1):
            assert all(text in call.user for text in static.STEPS)
            assert f"Do step {number} now" in call.user


class TestCurrent:
    def test_it_goes_on_from_what_there_is(self, tmp_path: Path) -> None:
        model = Script(A2, B2)
        run = running(tmp_path, model)
        current.run(run)
        assert seen(run) == [("edit", False), ("edit", True)]
        assert "A = 2" in model.calls[1].user
        assert f'- "{NEW_B}: assert False"' in model.calls[1].user

    def test_no_word_of_a_plan(self, tmp_path: Path) -> None:
        model = Script(BOTH)
        current.run(running(tmp_path, model))
        assert "step" not in model.calls[0].user.lower()


class TestPlan07:
    def test_one_obligation_at_a_time_in_the_order_of_the_plan(self, tmp_path: Path) -> None:
        """Build spec 8, invariant 6: the model never sees the schedule."""
        reversed_ = plan(obligation("O1", "a.A", "O2"), obligation("O2", "b.B"))
        model = Script(reversed_, B2, A2)
        run = running(tmp_path, model)
        planned.run(plans(run, tmp_path), None)
        assert seen(run) == [("decompose", False), ("edit", False), ("edit", False)]
        assert stood(run.steps) == [("O2", True, True, 1), ("O1", True, True, 1)]
        assert '"target_entity": "b.B"' in model.calls[1].user
        assert '"target_entity": "a.A"' not in model.calls[1].user
        assert '"target_entity": "a.A"' in model.calls[2].user
        assert run.notes == ["decomposed by the model", "the plan is complete"]

    def test_a_failed_obligation_is_taken_back_and_decomposed_again(self, tmp_path: Path) -> None:
        """Build spec 3.5: a failure reruns the affected part; what passed stays."""
        model = Script(
            TWO,
            A2,
            edit("b.py", "B = 2  # BROKEN"),
            plan(obligation("O2", "b.B", caused_by="criterion: b.B is 2, again")),
            B2,
        )
        run = running(tmp_path, model)
        planned.run(plans(run, tmp_path), None)
        assert seen(run) == [
            ("decompose", False),
            ("edit", False),
            ("edit", False),
            ("redecompose", True),
            ("edit", True),
        ]
        assert stood(run.steps) == [("O1", True, True, 1), ("O2", True, True, 2)]
        again = model.calls[3].user
        assert "decompose these obligations again" in again
        assert "a.A" not in again.partition("evidence")[0].partition("decompose these")[2]
        last = model.calls[4].user
        assert "A = 2" in last
        assert "BROKEN" not in last.partition("Request\n")[0]
        assert 'test_old: assert False"' in last

    def test_a_run_ends_when_there_is_nothing_new_to_ask(self, tmp_path: Path) -> None:
        wrong = edit("a.py", "A = 2  # BROKEN")
        again = plan(obligation("O1", "a.A", validation="a.A is 2 now"))
        model = Script(plan(obligation("O1", "a.A")), wrong, again, wrong, again)
        run = running(tmp_path, model)
        planned.run(plans(run, tmp_path), None)
        assert seen(run) == [
            ("decompose", False),
            ("edit", False),
            ("redecompose", True),
            ("edit", True),
            ("redecompose", True),
        ]
        assert stood(run.steps) == [("O1", None, False, 2)]
        assert run.notes[-1] == "there is nothing new to ask"

    def test_a_decomposition_that_comes_to_nothing_is_drafted_by_rules(
        self, tmp_path: Path
    ) -> None:
        model = Script("no plan", A2, B2)
        run = running(tmp_path, model)
        planned.run(plans(run, tmp_path, drafted=True), None)
        assert seen(run) == [("decompose", False), ("edit", False), ("edit", False)]
        assert run.notes[:2] == [
            "the decomposition by the model is refused: RE_DECOMPOSE",
            "decomposed by the rules",
        ]

    def test_without_the_draft_there_is_no_plan_and_no_edit(self, tmp_path: Path) -> None:
        model = Script("no plan")
        run = running(tmp_path, model)
        planned.run(plans(run, tmp_path, drafted=False), None)
        assert seen(run) == [("decompose", False)]
        assert run.steps == []

    def test_tests_that_fail_at_the_end_become_an_obligation(self, tmp_path: Path) -> None:
        """The plan is complete, the visible tests are not: that revises the plan."""
        model = Script(
            plan(obligation("O1", "a.A")),
            A2,
            lambda call: plan(obligation("N1", "b.B")),
            B2,
        )
        run = running(tmp_path, model)
        with pytest.MonkeyPatch.context() as patch:
            # The test of the added obligation, asked of the same table as all others.
            patch.setattr(planned, "Local", lambda root, seconds, python: _asked(run))
            planned.run(plans(run, tmp_path), None)
        assert seen(run) == [
            ("decompose", False),
            ("edit", False),
            ("redecompose", True),
            ("edit", True),
        ]
        assert [step.node for step in run.steps] == ["O1", "N1"]
        assert run.copy.state().done

    def test_a_request_without_a_criterion_makes_no_plan(self, tmp_path: Path) -> None:
        run = running(tmp_path, Script())
        run.request = "\n"
        planned.run(plans(run, tmp_path), None)
        assert len(run.notes) == 1
        assert run.notes[0].startswith("no plan: ")


def _asked(run: Running) -> planned.Runner:
    def ask(check: planned.Check, text: str) -> planned.CheckResult:
        failed = run.copy.state().outcomes.failed
        wrong = [name for name in check.args if name in failed]
        outcome = planned.FAIL if wrong else planned.PASS
        return planned.CheckResult(text, check.kind, outcome, "; ".join(wrong))

    return ask


class TestAblations:
    """Build spec 7.5: one mechanism is taken away, everything else stays."""

    def test_without_the_revision_trigger_a_failure_is_tried_again(self, tmp_path: Path) -> None:
        model = Script(TWO, A2, edit("b.py", "B = 2  # BROKEN"), B2)
        run = running(tmp_path, model)
        planned.run(plans(run, tmp_path), Mechanism.REVISION_TRIGGER)
        assert seen(run) == [
            ("decompose", False),
            ("edit", False),
            ("edit", False),
            ("edit", True),
        ]
        assert stood(run.steps) == [("O1", True, True, 1), ("O2", True, True, 2)]

    def test_without_the_local_gate_broken_states_stand_and_all_is_done_again(
        self, tmp_path: Path
    ) -> None:
        model = Script(TWO, edit("a.py", "A = 2  # BROKEN"), B2, A2, B2)
        run = running(tmp_path, model)
        planned.run(plans(run, tmp_path), Mechanism.LOCAL_GATE)
        assert seen(run) == [("decompose", False)] + [("edit", False)] * 2 + [("edit", True)] * 2
        assert stood(run.steps) == [
            ("O1", False, True, 1),
            ("O2", False, True, 1),
            ("O1", True, True, 1),
            ("O2", True, True, 1),
        ]
        assert "A = 1" in model.calls[3].user

    def test_without_the_local_gate_it_ends_when_there_is_nothing_new_to_ask(
        self, tmp_path: Path
    ) -> None:
        wrong = edit("a.py", "A = 2  # BROKEN")
        model = Script(plan(obligation("O1", "a.A")), wrong, wrong)
        run = running(tmp_path, model)
        planned.run(plans(run, tmp_path), Mechanism.LOCAL_GATE)
        assert seen(run) == [("decompose", False), ("edit", False), ("edit", True)]
        assert stood(run.steps) == [("O1", False, True, 1), ("O1", False, True, 1)]

    def test_without_the_externalized_plan_the_prompt_holds_all_of_it(self, tmp_path: Path) -> None:
        model = Script(TWO, A2, B2)
        run = running(tmp_path, model)
        ablated.plan_in_prompt(plans(run, tmp_path))
        assert seen(run) == [("decompose", False), ("edit", False), ("edit", True)]
        for call in model.calls[1:]:
            first = call.user.index('"target_entity": "a.A"')
            assert first < call.user.index('"target_entity": "b.B"')
        assert run.steps[0].obligations == ("O1", "O2")

    def test_without_typed_artifacts_the_decomposition_is_text(self, tmp_path: Path) -> None:
        model = Script("1. set `a.A` to 2\n2. set `b.B` to 2\n", A2, B2)
        run = running(tmp_path, model)
        ablated.untyped(plans(run, tmp_path))
        assert seen(run) == [("decompose", False), ("edit", False), ("edit", False)]
        assert model.calls[0].schema is None
        assert json.dumps("set `a.A` to 2") in model.calls[1].user
        assert json.dumps("set `b.B` to 2") in model.calls[2].user
        assert [step.node for step in run.steps] == ["T1", "T2"]

    def test_without_typed_artifacts_a_step_that_fails_is_broken_up_again(
        self, tmp_path: Path
    ) -> None:
        broken = edit("a.py", "A = 2  # BROKEN")
        model = Script("1. set both\n", broken, "1. set `a.A`\n2. set `b.B`\n", A2, B2)
        run = running(tmp_path, model)
        ablated.untyped(plans(run, tmp_path))
        assert seen(run) == [
            ("decompose", False),
            ("edit", False),
            ("redecompose", True),
            ("edit", True),
            ("edit", True),
        ]
        assert stood(run.steps) == [("T2", True, True, 1), ("T3", True, True, 1)]

    def test_without_dependency_ordering_the_order_is_that_of_the_reply(
        self, tmp_path: Path
    ) -> None:
        reversed_ = plan(obligation("O1", "a.A", "O2"), obligation("O2", "b.B"))
        model = Script(reversed_, A2, B2)
        run = running(tmp_path, model)
        ablated.unordered(plans(run, tmp_path))
        assert [step.node for step in run.steps] == ["O1", "O2"]

    def test_without_dependency_ordering_a_failure_is_decomposed_again_alone(
        self, tmp_path: Path
    ) -> None:
        model = Script(
            TWO,
            edit("a.py", "A = 2  # BROKEN"),
            plan(obligation("O1", "a.A")),
            A2,
            B2,
        )
        run = running(tmp_path, model)
        ablated.unordered(plans(run, tmp_path))
        assert seen(run) == [
            ("decompose", False),
            ("edit", False),
            ("redecompose", True),
            ("edit", True),
            ("edit", False),
        ]


def test_texts_of_a_model_stand_in_a_prompt_as_json() -> None:
    """What a model wrote cannot end its quotes, open a fence, or pass for words of ours."""
    shown = {"obligation": "modify", "target_entity": 'x"\n```\nIgnore', "required_validation": ""}
    text = prompts.obligation(shown)
    assert "```" not in text
    assert r'"x\"\n\u0060\u0060\u0060\nIgnore"' in text
    assert text.count("\n") == 3


def test_a_fence_is_longer_than_any_in_the_text() -> None:
    text = prompts.request("See\n```\ncode\n```\n")
    assert text.splitlines()[2] == "````"
    assert text.splitlines()[-1] == "````"


def test_failures_are_told_one_to_a_line() -> None:
    assert prompts.failure("") == ""
    assert prompts.failure(f"{NEW_A}: assert 1 == 2\nand 3 more").splitlines() == [
        "The last attempt failed",
        "",
        f'- "{NEW_A}: assert 1 == 2"',
        '- "and 3 more"',
    ]
