"""`plan07 ab`: statuses, one document, and what is refused."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import abruns
import pytest
from abruns import grid, written
from support import EXAMPLES

from plan07.ab.records import Arm, Mechanism, RunRecord

Run = Callable[..., Any]


def ablation(**changed: Any) -> list[RunRecord]:
    return [
        abruns.run(task=task, seed=seed, removed=Mechanism.REVISION_TRIGGER, **changed)
        for task in ("one", "two")
        for seed in (0, 1)
    ]


class TestDecide:
    def test_adopted_is_0(self, run: Run, tmp_path: Path) -> None:
        path = written(tmp_path / "runs.jsonl", grid())
        found = run("ab", "decide", path)
        assert (found.status, found.err) == (0, "")
        assert found.out == (
            "live runs of weak on box: 2 tasks, 2 seeds, 16 runs\n"
            "holds  measure               plan07   has to be  bound    of\n"
            "yes    retry tokens          436      below      904      monolithic\n"
            "yes    retry tokens          436      below      1,632    static\n"
            "yes    temporal consistency  1.000    above      0.500    monolithic\n"
            "yes    temporal consistency  1.000    above      0.500    static\n"
            "yes    resolve rate          1.000    at least   1.000    current\n"
            "yes    cost                  $0.5000  at most    $0.7500  1.5 x current\n"
            "yes    tokens                1,436    at most    2,250    1.5 x current\n"
            "adopted\n"
        )

    def test_not_adopted_is_1_and_the_document_is_exact(self, run: Run, tmp_path: Path) -> None:
        runs = [each.model_copy(update={"resolved": each.arm is not Arm.PLAN07}) for each in grid()]
        found = run("ab", "decide", written(tmp_path / "runs.jsonl", runs), "--json")
        assert found.status == 1
        told = found.document()
        assert (told["adopted"], told["simulated"]) == (False, False)
        assert told["criteria"][4] == {
            "measure": "resolve",
            "against": "current",
            "rule": "at_least",
            "candidate": "0",
            "baseline": "1",
            "bound": "1",
            "holds": False,
            "why": "",
        }

    def test_runs_in_several_files_are_one_comparison(self, run: Run, tmp_path: Path) -> None:
        runs = grid()
        one = written(tmp_path / "a.jsonl", runs[:7])
        two = written(tmp_path / "b.jsonl", runs[7:])
        assert run("ab", "decide", one, two).status == 0
        lacking = run("ab", "decide", one)
        assert lacking.status == 1
        assert "plan07: AB_INCOMPLETE: 1 runs lack" in lacking.err

    def test_another_model_is_1_and_named(self, run: Run, tmp_path: Path) -> None:
        runs = grid()
        runs[5] = runs[5].model_copy(update={"model": "strong"})
        found = run("ab", "decide", written(tmp_path / "runs.jsonl", runs), "--json")
        assert found.status == 1
        error = found.document()["error"]
        assert error["code"] == "AB_NOT_COMPARABLE"
        assert error["detail"] == {"field": "model", "values": ["weak", "strong"]}

    @pytest.mark.parametrize(
        ("data", "code"),
        [("", "AB_RUNS_EMPTY"), ("{}\n", "AB_RUNS_INVALID"), ("x\n", "JSON_INVALID")],
    )
    def test_what_is_no_runs_file_is_2(
        self, run: Run, tmp_path: Path, data: str, code: str
    ) -> None:
        (tmp_path / "runs.jsonl").write_text(data)
        found = run("ab", "decide", tmp_path / "runs.jsonl")
        assert found.status == 2
        assert found.err.startswith(f"plan07: {code}: ")
        assert "\n  fix: " in found.err

    def test_standard_input(self, run: Run) -> None:
        data = "".join(f"{each.line()}\n" for each in grid()).encode()
        assert run("ab", "decide", "-", stdin=data).status == 0


class TestAblate:
    def test_what_changes_nothing_is_to_be_deleted(self, run: Run, tmp_path: Path) -> None:
        path = written(tmp_path / "runs.jsonl", [*grid(), *ablation()])
        found = run("ab", "ablate", path)
        assert found.status == 1
        assert "revision trigger" in found.out
        assert found.out.endswith("delete: nothing changes without it\n")

    def test_what_earns_its_tokens_is_kept(self, run: Run, tmp_path: Path) -> None:
        path = written(tmp_path / "runs.jsonl", [*grid(), *ablation(retry=500)])
        found = run("ab", "ablate", path, "--json")
        assert found.status == 0
        (only,) = found.document()["mechanisms"]
        assert (only["mechanism"], only["verdict"]) == ("revision_trigger", "keep")
        assert only["changes"][0] == {
            "measure": "retry_tokens",
            "whole": "436",
            "without": "500",
            "ratio": "16/109",
            "moved": True,
            "worse": True,
        }

    def test_nothing_was_removed(self, run: Run, tmp_path: Path) -> None:
        found = run("ab", "ablate", written(tmp_path / "runs.jsonl", grid()))
        assert found.status == 2
        assert "AB_NOTHING_REMOVED" in found.err


class TestReport:
    def test_markdown_json_and_plot(self, run: Run, tmp_path: Path) -> None:
        path = written(tmp_path / "runs.jsonl", grid())
        target, drawn = tmp_path / "report.md", tmp_path / "plot.svg"
        found = run("ab", "report", path, "--markdown", target, "--plot", drawn)
        assert (found.status, found.out) == (0, "")
        printed = run("ab", "report", path)
        assert printed.out == target.read_text("utf-8")
        assert drawn.read_text("utf-8").startswith("<svg ")
        assert run("ab", "report", path, "--json").document()["schema"] == "plan07.ab.report/1"

    def test_names_say_what_is_simulated(self, run: Run, tmp_path: Path) -> None:
        context = abruns.CONTEXT.model_copy(update={"execution": "simulated"})
        path = written(tmp_path / "runs.simulated.jsonl", grid(context=context))
        for option in ("--plot", "--markdown"):
            found = run("ab", "report", path, option, tmp_path / "plain")
            assert (found.status, "AB_NAME_MISLEADING" in found.err) == (2, True)
            assert not (tmp_path / "plain").exists()
        assert run("ab", "report", path, "--plot", tmp_path / "a.simulated.svg").status == 0
        real = written(tmp_path / "runs.jsonl", grid())
        assert run("ab", "report", real, "--plot", tmp_path / "a.simulated.svg").status == 2


class TestRun:
    def test_made_once_then_kept(self, run: Run, tmp_path: Path) -> None:
        file, path = abruns.config(tmp_path / "c.toml"), tmp_path / "runs.jsonl"
        found = run("ab", "run", file, "-o", path, "--workers", "1")
        assert (found.status, found.out) == (0, f"8 runs made, 0 were there: {path}\n")
        assert found.err.splitlines()[-1] == "plan07: run: 8 of 8: two, plan07, seed 1"
        before = path.read_bytes()
        again = run("ab", "run", file, "-o", path, "--workers", "1", "--json")
        assert again.document() == {"runs": str(path), "made": 0, "kept": 8, "wanted": 8}
        assert (again.err, path.read_bytes()) == ("", before)

    def test_task_names_act_on_no_terminal(self, run: Run, tmp_path: Path) -> None:
        evil = "\\u001b[31mü\\u202e'; rm -rf /"
        file = abruns.config(tmp_path / "c.toml", tasks=(evil,))
        found = run("ab", "run", file, "-o", tmp_path / "runs.jsonl", "--workers", "1")
        assert found.status == 0
        assert "\x1b" not in found.err
        assert "\\u001b[31mü\\u202e'; rm -rf /, current, seed 0" in found.err

    @pytest.mark.parametrize(
        ("arguments", "code"),
        [
            (("nowhere.toml",), "FILE_UNREADABLE"),
            ((str(EXAMPLES / "ab" / "quick.toml"), "-o", "runs.jsonl"), "AB_NAME_MISLEADING"),
            ((str(EXAMPLES / "ab" / "quick.toml"), "--workers", "2", "--dask", "x"), "USAGE"),
            (("-",), "AB_CONFIG_INVALID"),
        ],
    )
    def test_refused_before_anything_is_made(
        self, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: Any, code: str
    ) -> None:
        monkeypatch.chdir(tmp_path)
        found = run("ab", "run", *arguments)
        assert (found.status, f"plan07: {code}: " in found.err) == (2, True), found.err
        assert list(tmp_path.iterdir()) == []

    def test_a_pipe_that_closes(self, tmp_path: Path) -> None:
        """Nobody reads the messages any more, and the runs are made all the same."""
        path = tmp_path / "runs.jsonl"
        tests = str(Path(abruns.__file__).parent)
        command = f"{sys.executable} -m plan07 ab run c.toml -o runs.jsonl --workers 1 2>&1 | true"
        abruns.config(tmp_path / "c.toml")
        subprocess.run(
            ["sh", "-c", command],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": tests, "NO_COLOR": "1"},
            check=True,
        )
        assert len(path.read_bytes().splitlines()) == 8


@pytest.mark.parametrize(
    ("value", "status", "said"),
    [(None, 0, "current\n"), ("plan07", 0, "plan07\n"), ("current", 0, "current\n"), ("on", 2, "")],
)
def test_the_flag(
    run: Run, monkeypatch: pytest.MonkeyPatch, value: str | None, status: int, said: str
) -> None:
    """S-000-117."""
    monkeypatch.delenv("PLAN", raising=False)
    if value is not None:
        monkeypatch.setenv("PLAN", value)
    found = run("ab", "flag")
    assert (found.status, found.out) == (status, said)
    if status:
        assert "plan07: PLAN_FLAG_INVALID: PLAN cannot be 'on'" in found.err


def test_simulated_end_to_end(run: Run, tmp_path: Path) -> None:
    """The README has the same with more runs."""
    pytest.importorskip("tokenizers")
    file, path = tmp_path / "c.toml", tmp_path / "c.simulated.runs.jsonl"
    file.write_text(
        'execution = "simulated"\nmodel = "weak"\nhost = "box"\nseeds = [3]\nablate = true\n'
        '[[tasks]]\nid = "ü"\ndata = { size = 1 }\n'
    )
    assert run("ab", "run", file, "-o", path, "--workers", "1").status == 0
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert {row["execution"] for row in rows} == {"simulated"}
    assert len(rows) == 4 + 5
    decided = run("ab", "decide", path)
    assert re.search(r"^simulated, so nothing is decided", decided.out, re.M)
    assert len(run("ab", "ablate", path, "--json").document()["mechanisms"]) == 5
