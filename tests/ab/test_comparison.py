"""Which runs may be compared (S-000-121), and which are whole."""

from __future__ import annotations

import pytest
from abruns import CONTEXT, grid, run

from plan07.ab import comparison, report
from plan07.ab.records import Arm, Mechanism
from plan07.errors import PlanRefused


def test_a_whole_grid_is_decided() -> None:
    assert report.decide(grid()).adopted is True


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sample", "1" * 64),
        ("model", "strong"),
        ("host", "cloud"),
        ("config", "2" * 64),
        ("execution", "simulated"),
    ],
)
def test_runs_that_differ_are_refused_and_the_field_is_named(field: str, value: str) -> None:
    other = run(context=CONTEXT.model_copy(update={field: value}))
    runs = [other if each.key == other.key else each for each in grid()]
    for judge in (report.decide, report.ablated, report.build):
        with pytest.raises(PlanRefused) as caught:
            judge(runs)
        assert caught.value.code == "AB_NOT_COMPARABLE"
        assert caught.value.exit_status == 1
        assert f"differ in {field}" in caught.value.message
        assert value in caught.value.message


def test_tokens_that_others_counted_are_refused() -> None:
    runs = grid()
    runs[3] = runs[3].model_copy(update={"tokenizer": "by eye"})
    with pytest.raises(PlanRefused) as caught:
        report.decide(runs)
    assert [each.subject for each in caught.value.violations] == ["tokenizer"]


def test_settings_may_differ_between_tasks_and_not_within_one() -> None:
    runs = [each.model_copy(update={"settings": {"size": str(len(each.task))}}) for each in grid()]
    assert report.decide(runs).adopted is True
    runs[0] = runs[0].model_copy(update={"settings": {"size": "99"}})
    with pytest.raises(PlanRefused) as caught:
        report.decide(runs)
    assert 'of task "one" differ in settings' in caught.value.message


def test_a_run_that_lacks_is_named_and_nothing_is_decided() -> None:
    runs = [each for each in grid() if each.key != ("two", "static", 1, "")]
    with pytest.raises(PlanRefused) as caught:
        report.decide(runs)
    assert caught.value.code == "AB_INCOMPLETE"
    assert caught.value.detail["missing"] == ["two, static, seed 1"]
    assert report.build(runs)["decision"]["adopted"] is False


def test_an_arm_that_lacks_is_named() -> None:
    runs = [each for each in grid() if each.arm is not Arm.CURRENT]
    with pytest.raises(PlanRefused) as caught:
        report.decide(runs)
    assert caught.value.detail["missing"][0] == "one, current, seed 0"
    assert len(caught.value.detail["missing"]) == 4


def test_an_ablation_on_other_runs_than_the_whole_planner_is_refused() -> None:
    runs = [*grid(), run(removed=Mechanism.LOCAL_GATE)]
    with pytest.raises(PlanRefused) as caught:
        report.ablated(runs)
    assert caught.value.detail["missing"] == [
        "one, plan07 without local_gate, seed 1",
        "two, plan07 without local_gate, seed 0",
        "two, plan07 without local_gate, seed 1",
    ]
    # The decision does not look at them.
    assert report.decide(runs).adopted is True


def test_the_order_of_lines_changes_nothing() -> None:
    runs = [
        *grid(),
        *(
            run(task=t, seed=s, removed=Mechanism.LOCAL_GATE)
            for t in ("one", "two")
            for s in (0, 1)
        ),
    ]
    assert report.build(runs) == report.build(runs[::-1])
    assert comparison.missing(runs) == []
