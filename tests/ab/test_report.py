"""The report: four instruments apart (S-001-12), intervals, and simulated wherever it is so."""

from __future__ import annotations

import json
from fractions import Fraction
from xml.etree import ElementTree

import pytest
from abruns import CONTEXT, grid, run

from plan07.ab import markdown, plot, report, statistics
from plan07.ab.records import Arm, Mechanism, RunRecord

SIMULATED = CONTEXT.model_copy(update={"execution": "simulated"})


def ablation() -> list[RunRecord]:
    return [
        run(task=task, seed=seed, removed=Mechanism.LOCAL_GATE, states=(False, True))
        for task in ("one", "two")
        for seed in (0, 1)
    ]


def test_the_four_instruments_are_scored_apart() -> None:
    """S-001-12."""
    found = report.build([*grid(), *ablation()])
    instruments = found["instruments"]
    assert list(instruments) == ["retry_tokens", "temporal", "end_to_end", "ablation"]
    assert list(instruments["end_to_end"]) == ["resolve", "cost", "tokens"]
    totals = {
        name: {arm: each["total"]["exact"] for arm, each in found["arms"].items()}
        for name, found in {**instruments["end_to_end"], **instruments}.items()
        if "arms" in found
    }
    assert totals == {
        "resolve": dict.fromkeys(["monolithic", "static", "current", "plan07"], "1"),
        "cost": dict.fromkeys(["monolithic", "static", "current", "plan07"], "0.5"),
        "tokens": {"monolithic": "1904", "static": "2632", "current": "1500", "plan07": "1436"},
        "retry_tokens": {"monolithic": "904", "static": "1632", "current": "500", "plan07": "436"},
        "temporal": {"monolithic": "0.5", "static": "0.5", "current": "0.5", "plan07": "1"},
    }
    assert found["decision"]["adopted"] is True
    (gate,) = instruments["ablation"]["mechanisms"]
    assert (gate["mechanism"], gate["verdict"]) == ("local_gate", "keep")
    assert found["tasks"] == ["one", "two"]
    assert instruments["retry_tokens"]["arms"]["plan07"]["tasks"] == {"one": "436", "two": "436"}


def test_mean_and_deviation_are_over_seeds() -> None:
    runs = [run(seed=seed, retry=count) for seed, count in enumerate((400, 500, 600))]
    found = statistics.figure(runs, "retry_tokens")
    assert found[:3] == (500, 500.0, 100.0)
    assert statistics.figure(runs[:1], "retry_tokens")[1:3] == (400.0, None)


def test_the_interval_is_over_tasks_and_the_same_each_time() -> None:
    runs = [run(task=f"t{n}", retry=count) for n, count in enumerate((0, 100, 200, 300, 400))]
    found = statistics.figure(runs, "retry_tokens")
    assert (found.low, found.high) == (80.0, 320.0)
    assert statistics.figure(runs[::-1], "retry_tokens").exact == 200
    alike = [run(task=f"t{n}", retry=70) for n in range(4)]
    assert statistics.figure(alike, "retry_tokens")[3:] == (70.0, 70.0)


def test_a_single_cluster_has_no_interval() -> None:
    assert statistics.figure([run()], "retry_tokens")[3:] == (None, None)


def test_a_difference_draws_the_same_tasks_for_both() -> None:
    """Tasks differ much, arms by exactly ten tokens: the paired interval knows."""
    counts = [10, 1000, 5000, 20000]
    ours = [run(task=f"t{n}", retry=count) for n, count in enumerate(counts)]
    theirs = [run(Arm.STATIC, f"t{n}", retry=count + 10) for n, count in enumerate(counts)]
    assert statistics.difference(ours, theirs, "retry_tokens") == (-10.0, -10.0)
    low, high = statistics.figure(ours, "retry_tokens")[3:]
    assert low is not None
    assert high is not None
    assert high - low > 5000


def test_a_missing_figure_has_no_interval_either() -> None:
    runs = [run(cost=None), run(seed=1)]
    assert statistics.figure(runs, "cost") == (None, None, None, None, None)
    assert statistics.difference(runs, runs, "cost") == (None, None)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(-3, 2), "-1.5"),
        (Fraction(1, 8), "0.125"),
        (Fraction(10001, 10000), "1.0001"),
        (Fraction(2, 3), "2/3"),
        (Fraction(1, 10**30), f"1/{10**30}"),
        (Fraction(100), "100"),
    ],
)
def test_exact_figures_are_written_exactly(value: Fraction, text: str) -> None:
    assert report.exact(value) == text
    assert Fraction(text) == value


class TestSimulated:
    def test_every_heading_and_the_plot_say_so(self) -> None:
        found = report.build([*grid(context=SIMULATED)])
        assert found["simulated"] is True
        text = markdown.markdown(found)
        headings = [line for line in text.splitlines() if line.startswith("#")]
        assert len(headings) == 9
        ours = [each for each in headings if "Published" not in each]
        assert all("imulated" in each for each in ours), ours
        assert ">Simulated comparison of weak<" in plot.svg(found)
        assert "Simulated, so nothing is decided; the rule would say: adopted." in text

    def test_nothing_else_does(self) -> None:
        found = report.build(grid())
        for text in (markdown.markdown(found), plot.svg(found), json.dumps(found["decision"])):
            assert "imulated" not in text.replace('"simulated": false', "")


def test_published_numbers_are_the_source_s_and_apart() -> None:
    """S-000-112, S-001-17."""
    text = markdown.markdown(report.build(grid()))
    head, _, tail = text.partition(
        "## Published: retry tokens on another workload, the source's numbers, not ours\n"
    )
    assert "| static | 1,632 ± 145 |\n| monolithic | 904 ± 17 |\n| plan07 | 436 ± 132 |" in tail
    assert "±" in head
    assert "145" not in head


def test_an_incomplete_report_says_what_lacks() -> None:
    runs = [each for each in grid() if each.key != ("two", "plan07", 1, "")]
    found = report.build(runs)
    assert found["missing"] == ["two, plan07, seed 1"]
    assert "- incomplete: 1 runs lack" in markdown.markdown(found)
    assert "1 runs lack" in plot.svg(found)
    assert found["decision"]["code"] == "AB_INCOMPLETE"


def test_what_a_task_is_called_acts_on_nothing() -> None:
    evil = 'a|b <script>\n# x\x1b[31m \u202e `c` "d" & ü'
    runs = [
        each.model_copy(update={"task": evil if each.task == "two" else each.task})
        for each in grid()
    ]
    found = report.build(runs)
    text = markdown.markdown(found)
    (row, *_) = [line for line in text.splitlines() if "script" in line]
    assert row.count(" | ") == 4
    assert "a\\|b \\<script\\>\\\\u000a\\# x" in row
    assert "\x1b" not in text
    ElementTree.fromstring(plot.svg(found))


def test_curves_over_size_one_panel_for_each_failure_rate() -> None:
    runs = [
        run(
            arm,
            f"{size} {rate}",
            seed,
            retry=size * 100,
            settings={"size": str(size), "failure_rate": rate},
        )
        for size in (1, 2, 4)
        for rate in ("0.1", "0.5")
        for seed in (0, 1)
        for arm in Arm
    ]
    found = ElementTree.fromstring(plot.svg(report.build(runs)))
    texts = [each.text for each in found.iter("{http://www.w3.org/2000/svg}text")]
    titles = [each for each in texts if each and "failure rate" in each]
    assert titles == [
        "retry tokens, failure rate 0.1",
        "retry tokens, failure rate 0.5",
        "temporal consistency, failure rate 0.1",
        "temporal consistency, failure rate 0.5",
    ]
    lines = list(found.iter("{http://www.w3.org/2000/svg}polyline"))
    assert len(lines) == 4 * 4
    assert [len((each.get("points") or "").split()) for each in lines] == [3] * 16


def test_the_same_runs_give_the_same_bytes() -> None:
    one, two = report.build(grid()), report.build(grid()[::-1])
    assert plot.svg(one) == plot.svg(two)
    assert markdown.markdown(one) == markdown.markdown(two)


def test_a_replay_has_no_figures_of_tokens_and_is_not_adopted() -> None:
    replay = CONTEXT.model_copy(update={"execution": "replay"})
    found = report.build(grid(context=replay))
    assert found["instruments"]["retry_tokens"]["arms"]["plan07"]["total"]["exact"] is None
    assert found["instruments"]["temporal"]["arms"]["plan07"]["total"]["exact"] == "1"
    assert found["decision"]["adopted"] is False
    ElementTree.fromstring(plot.svg(found))
    assert "| plan07 | - |" in markdown.markdown(found)
