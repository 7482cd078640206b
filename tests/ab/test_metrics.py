"""The instruments (S-000-111, S-000-113, S-001-12, S-001-13)."""

from __future__ import annotations

from fractions import Fraction

from abruns import CONTEXT, call, run, steps

from plan07.ab.metrics import measures, retry_tokens, states, tokens
from plan07.ab.records import Arm, Prices, StepRecord


def test_retry_tokens_are_those_of_calls_that_do_again_what_failed() -> None:
    """S-000-111: in and out, and nothing of the first call."""
    assert retry_tokens(run(retry=436)) == 436
    assert retry_tokens(run(retry=0)) == 0
    assert tokens(run(retry=436)) == 1436


def test_a_valid_end_through_a_broken_middle_is_two_thirds() -> None:
    """S-001-13."""
    assert measures([run(states=(True, False, True))]).temporal == Fraction(2, 3)


def test_states_are_counted_over_all_runs_together() -> None:
    found = measures([run(states=(True,)), run(seed=1, states=(False, False, True))])
    assert found.temporal == Fraction(2, 4)


def test_what_was_rolled_back_is_no_state() -> None:
    given_up = StepRecord(node="N2", applied=False, valid=None)
    assert states([*steps(True), given_up]) == (1, 1, 0)


def test_nothing_executed_has_no_rate() -> None:
    """S-000-113: undefined, not 0 and not 1."""
    assert measures([run(states=())]).temporal is None


def test_a_state_that_nobody_could_judge_leaves_no_rate() -> None:
    assert measures([run(states=(True, None))]).temporal is None
    assert states(steps(True, None)) == (1, 2, 1)


def test_no_run_has_no_figure() -> None:
    assert measures([]) == (None, None, None, None, None)


def test_figures_are_means_over_runs() -> None:
    runs = [run(retry=100, cost="0.1"), run(seed=1, retry=201, cost="0.2", resolved=False)]
    assert measures(runs) == (
        Fraction(301, 2),
        1,
        Fraction(1, 2),
        Fraction(15, 100),
        Fraction(2301, 2),
    )


def test_one_run_without_a_figure_takes_it_from_all() -> None:
    found = measures([run(), run(seed=1, resolved=None, cost=None)])
    assert (found.resolve, found.cost) == (None, None)
    assert found.retry_tokens == 436


def test_a_replay_asks_no_model_and_so_has_no_token_figures() -> None:
    """Zero would be a figure that was never measured."""
    replay = CONTEXT.model_copy(update={"execution": "replay"})
    found = measures([run(context=replay)])
    assert (found.retry_tokens, found.tokens) == (None, None)
    assert found.temporal == 1


def test_one_judge_apart_from_the_others() -> None:
    judged = [
        StepRecord(node="a", valid=False, oracles={"tests": False, "types": True}),
        StepRecord(node="b", valid=True, oracles={"tests": True}),
    ]
    assert states(judged) == (1, 2, 0)
    assert states(judged, "tests") == (1, 2, 0)
    assert states(judged, "types") == (1, 2, 1)


def test_cost_is_exact() -> None:
    """Three times a tenth of a cent for a thousand tokens: no float on the way."""
    prices = Prices.model_validate({"tokens_in": "0.1", "tokens_out": "0.3"}, strict=False)
    context = CONTEXT.model_copy(update={"prices": prices})
    from plan07.ab.records import Task

    made = context.record(
        Task(id="one"),
        Arm.PLAN07,
        0,
        None,
        steps=steps(True),
        calls=[*call(3), *call(3), *call(3)],
        resolved=True,
        tokenizer="t",
    )
    # 3 x (999 + 2) tokens in, 3 x 2 tokens out.
    assert str(made.cost) == "0.0003021"
