"""`python -m bench`: one command for all benchmarks, with results in one place."""

from __future__ import annotations

import argparse
import doctest
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from bench import __main__ as main_
from bench import command, every, measure, page, results
from bench.peers import project

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def still(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that stands still, and a yardstick that takes no time."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1788617520")
    monkeypatch.setattr(measure, "yardstick", lambda: 0.05)


def answer(given: argparse.Namespace) -> command.Found:
    columns = [results.Column("what", "what"), results.Column("cpu", "ms", "ms")]
    rows: list[dict[str, Any]] = [{"what": "quick" if given.quick else "whole", "cpu": 0.0125}]
    lines = {"a": [(1.0, 2.0), (10.0, 20.0)]}
    return command.Found(
        [results.Table("Times", columns, rows)],
        [results.Plot("solve", "t", "x", "y", lines)],
        ["jedi is not installed"],
        [results.Headline("a solve", "12.5 ms")],
        {"other": "1.2"},
    )


def missing(given: argparse.Namespace) -> command.Found:
    raise command.Skipped("pip install it")


def test_without_a_name_it_lists_them() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    listed = [line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")]
    assert listed == list(main_.SUBCOMMANDS)


def test_a_name_that_there_is_not_names_those_that_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main_.main(["solves"]) == 2
    assert capsys.readouterr().err.startswith("bench: there is no solves; one of solve, drive,")


@pytest.mark.parametrize("name", main_.SUBCOMMANDS)
def test_each_name_leads_to_a_module_that_explains_itself(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    module = import_module(main_.SUBCOMMANDS[name][0])
    with pytest.raises(SystemExit) as ended:
        module.main(["--help"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: python -m bench {name} ")


def test_results_are_printed_and_kept_with_where_they_were_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "results.json"
    benchmark = command.Benchmark("solve", "What?", answer, packages=("pytest", "no-such"))
    assert command.run(benchmark, ["--quick", "--out", str(out), "--plot", str(tmp_path)]) == 0
    (section,) = results.read(out)
    assert section.command == "python -m bench solve --quick"
    assert section.environment["date"] == "2026-09-05"
    assert section.environment["versions"]["pytest"] == pytest.__version__
    assert section.environment["versions"]["other"] == "1.2"
    assert "no-such" not in section.environment["versions"]
    assert section.yardstick == (0.05, 0.05)
    assert section.tables[0].rows == [{"what": "quick", "cpu": 0.0125}]
    assert capsys.readouterr().out == results.body(section) + "\n"
    assert (tmp_path / "RESULTS.md").read_text("utf-8") == results.page([section])
    drawn = (tmp_path / "solve.svg").read_text("utf-8")
    assert (tmp_path / "plots" / "solve.svg").read_text("utf-8") == drawn


def test_what_is_not_there_is_told_in_one_line_and_leaves_the_results_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "results.json"
    benchmark = command.Benchmark("model", "What?", missing)
    assert command.run(benchmark, ["--out", str(out)]) == 1
    assert capsys.readouterr().err == "bench: model is left out: pip install it\n"
    assert not out.exists()


def test_all_asks_each_for_what_it_needs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: dict[str, list[str]] = {}
    for name in every.NAMES:
        module = import_module(main_.SUBCOMMANDS[name][0])
        monkeypatch.setattr(module, "main", lambda argv, name=name: asked.update({name: argv}))
    every.main(["--quick", "--bin", "a", "--bin", "b", "--sources", "s", "--repository", "r"])
    assert asked == {
        **{name: ["--quick"] for name in ("solve", "drive", "rules", "neighbourhood", "readers")},
        "peers": ["--quick", "--bin", "a", "--bin", "b"],
        "evidence": ["--quick", "--sources", "s"],
        "calibration": ["--quick", "r"],
    }
    assert capsys.readouterr().out == "bench: model is left out: it needs --gguf\n"


def test_all_covers_every_benchmark() -> None:
    others = {"all", "page"}
    assert set(every.NAMES) <= set(main_.SUBCOMMANDS) - others


def test_the_page_is_made_anew_from_the_results(tmp_path: Path) -> None:
    out = tmp_path / "results.json"
    command.run(command.Benchmark("solve", "What?", answer), ["--out", str(out)])
    expected = (tmp_path / "RESULTS.md").read_text("utf-8")
    (tmp_path / "RESULTS.md").unlink()
    assert page.main([str(out)]) == 0
    assert (tmp_path / "RESULTS.md").read_text("utf-8") == expected


@pytest.mark.parametrize("module", [command, results, project], ids=lambda each: each.__name__)
def test_doctests(module: Any) -> None:
    found = doctest.testmod(module)
    assert found.attempted and not found.failed
