"""What benchmarks measure with. Nothing here asserts a time."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench import measure
from bench.measure import Command, Cost


def test_calls_take_turns_after_a_round_to_warm_up() -> None:
    order: list[str] = []
    found = measure.interleaved({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, 3)
    assert order == ["a", "b"] * 4
    assert list(found) == ["a", "b"]


def test_commands_take_turns(tmp_path: Path) -> None:
    code = "import sys; open('order', 'a').write(sys.argv[1])"
    commands = {name: Command([sys.executable, "-c", code, name], tmp_path) for name in "ab"}
    found = measure.cold(commands, 2)
    # A turn that counts for nothing comes first, so that all are compiled.
    assert (tmp_path / "order").read_text() == "ababab"
    assert all(cost.cpu > 0 for cost in found.values())


def test_a_figure_is_the_median() -> None:
    costs = [Cost(1, 30), Cost(2, 10), Cost(9, 20)]
    assert measure.median(costs) == (2, 20)


def test_a_command_tells_how_it_ended() -> None:
    code = "import os, sys; print(os.environ['X']); sys.stderr.write('no'); sys.exit(3)"
    done = measure.ended(Command([sys.executable, "-c", code], env={"X": "y"}))
    assert (done.status, done.out, done.err) == (3, "y\n", "no")


def test_commands_run_as_installed_with_their_bytecode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    code = "import sys; print(sys.dont_write_bytecode)"
    assert measure.ended(Command([sys.executable, "-c", code])).out == "False\n"


def test_a_command_that_takes_too_long_is_stopped() -> None:
    done = measure.ended(Command([sys.executable, "-c", "import time; time.sleep(60)"]), 0.1)
    assert (done.status, done.out) == (None, "")


def test_memory_is_that_of_the_process_itself() -> None:
    small = measure.peak_in("pass")
    assert measure.peak_in("x = bytearray(64 * 2**20)") - small >= 60


def test_a_command_whose_memory_is_watched_has_to_succeed() -> None:
    assert measure.watched(sys.executable, "-c", "import time; time.sleep(.2)").memory > 1
    with pytest.raises(SystemExit, match="ended with 4"):
        measure.watched(sys.executable, "-c", "raise SystemExit(4)")


def test_the_stamp_names_the_packages_that_there_are() -> None:
    found = measure.environment("2026-09-05", ["networkx", "no-such-package"])
    assert list(found) == [
        *("date", "processor", "cores", "load", "system", "python", "versions"),
    ]
    assert list(found["versions"]) == ["plan07", "clingo", "pydantic", "click", "networkx"]
