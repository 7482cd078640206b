"""The page of results says what the JSON says, to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import plots, results
from bench.__main__ import SUBCOMMANDS

BENCH = Path(__file__).resolve().parents[2] / "bench"
WHERE = {
    "date": "2026-09-05",
    "processor": "A Processor",
    "cores": 2,
    "load": 0.5,
    "system": "Linux x86_64",
    "python": "3.11.9",
    "versions": {"plan07": "0.1.0", "clingo": "5.8.3"},
}


def section(name: str = "solve", cpu: float = 0.0614) -> results.Section:
    columns = [
        results.Column("what", "what"),
        results.Column("cpu", "time, ms", "ms"),
        results.Column("ratio", "of a | b", "ratio"),
    ]
    table = results.Table(
        "Times", columns, [{"what": "a", "cpu": cpu, "ratio": 1}, {"what": "b"}], "A note."
    )
    plot = results.Plot("solve", "A plot", "x", "y", {"a": [(10, 1), (1000, 100)]})
    return results.Section(
        name,
        "How long?",
        "python -m bench solve",
        WHERE,
        (0.06, 0.0615),
        [table],
        [plot],
        ["jedi is not installed"],
        [results.Headline("a solve", "61.4 ms", "1.00 of a loop")],
    )


def test_a_section_has_date_machine_versions_ratios_and_the_command() -> None:
    assert results.body(section()) == (
        "## solve\n\nHow long?\n\n"
        "2026-09-05, A Processor, 2 cores, Linux x86_64; Python 3.11.9, plan07 0.1.0, clingo 5.8.3."
        " Load 0.5 at the start; the yardstick, a Python loop of a million steps, took 60 ms of "
        "the processor before and 62 ms after.\n\n"
        "```sh\npython -m bench solve\n```\n\n"
        "**Times**\n\n"
        "| what | time, ms | of a \\| b |\n| --- | ---: | ---: |\n"
        "| a | 61.4 | 1.00 |\n| b |  |  |\n"
        "\nA note.\n\n"
        "![A plot](plots/solve.svg)\n\n"
        "Left out: jedi is not installed\n"
    )


def test_the_summary_is_a_table_of_headlines() -> None:
    assert results.summary([section()]).splitlines()[2:] == [
        "| a solve | 61.4 ms | 1.00 of a loop | 2026-09-05, A Processor, 2 cores, Python 3.11.9 |"
    ]


@pytest.mark.parametrize(
    ("value", "form", "expected"),
    [
        (0.0614, "ms", "61.4"),
        (0.25, "ms", "250"),
        (0.0000841, "ms", "0.084"),
        (1234.5, "s", "1,234"),
        (35.4, "mib", "35"),
        (0.9231, "share", "92.3%"),
        (10_000, "count", "10,000"),
        (0.0137, "ratio", "0.014"),
        (None, "ratio", ""),
        ("more than 180 s", "ms", "more than 180 s"),
    ],
)
def test_figures_are_rounded_where_they_are_shown(
    value: results.Value, form: str, expected: str
) -> None:
    assert results.shown(value, form) == expected


def test_results_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    results.write(path, [section()])
    assert results.page(results.read(path)) == results.page([section()])
    first = path.read_bytes()
    results.write(path, results.read(path))
    assert path.read_bytes() == first


def test_a_section_replaces_the_one_of_its_name_in_the_order_of_the_subcommands() -> None:
    old = [section("drive"), section("later"), section("peers")]
    found = results.merged(old, section("peers", 0.5), ["solve", "peers", "drive"])
    assert [each.name for each in found] == ["peers", "drive", "later"]
    assert found[0].tables[0].rows[0]["cpu"] == 0.5


def test_another_file_is_not_taken_for_results(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text('{"nodes": []}', "utf-8")
    with pytest.raises(SystemExit, match=r"holds no plan07\.bench/1"):
        results.read(path)


class TestPlots:
    def test_a_decade_is_as_wide_everywhere(self) -> None:
        plot = results.Plot("p", "a < b", "x", "y", {"a": [(10, 1), (100, 10), (1000, 100)]})
        drawn = plots.svg(plot)
        assert 'points="70.00,380.00 300.00,210.00 530.00,40.00"' in drawn
        assert ">a &lt; b</text>" in drawn
        assert [f">{each}</text>" in drawn for each in ("10", "100", "1,000", "10,000")] == [
            *(True, True, True, False),
        ]

    def test_the_same_points_give_the_same_bytes(self) -> None:
        plot = section().plots[0]
        assert plots.svg(plot) == plots.svg(plot._replace(series=dict(plot.series)))

    def test_one_point_is_drawn_too(self) -> None:
        drawn = plots.svg(results.Plot("p", "t", "x", "y", {"a": [(64, 0.25)]}))
        assert drawn.count("<circle") == 1


class TestCommitted:
    """The page in the repository."""

    sections = results.read(BENCH / "results.json")

    def test_it_is_made_from_the_results_beside_it(self) -> None:
        assert (BENCH / "RESULTS.md").read_text("utf-8") == results.page(self.sections)

    def test_so_are_its_plots(self) -> None:
        drawn = {f"{p.name}.svg": plots.svg(p) for each in self.sections for p in each.plots}
        kept = {path.name: path.read_text("utf-8") for path in (BENCH / "plots").iterdir()}
        assert kept == drawn

    def test_every_section_is_one_of_a_subcommand_and_says_where_it_was_made(self) -> None:
        assert self.sections
        for each in self.sections:
            assert each.name in SUBCOMMANDS
            assert each.command.startswith(f"python -m bench {each.name}")
            assert set(WHERE) <= set(each.environment)
            assert {"plan07", "clingo"} <= set(each.environment["versions"])

    def test_no_command_names_a_place_of_the_machine_that_ran_it(self) -> None:
        assert not [each.command for each in self.sections if "/" in each.command]
