"""The runs file: appended, resumed, and never read with a line left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from abruns import CONTEXT, RETRIES, grid, run, written

from plan07.ab import store
from plan07.ab.records import Arm
from plan07.ab.store import Store
from plan07.errors import InputError, PlanRefused


def test_runs_come_back_and_their_texts_lie_beside_them_once(tmp_path: Path) -> None:
    path = str(tmp_path / "deep" / "runs.jsonl")
    with Store(path, CONTEXT) as opened:
        for seed in (0, 1):
            opened.append(run(seed=seed))
    runs = store.read_all([path])
    assert [each.key for each in runs] == [("one", "plan07", 0, ""), ("one", "plan07", 1, "")]
    prompt = runs[0].calls[0].prompt
    assert (prompt.text, prompt.path) == (None, "runs.jsonl.texts.jsonl")
    assert store.text(path, prompt) == "prompt 1000 False"
    assert store.text(path, runs[1].calls[1].reply) == f"reply {RETRIES[Arm.PLAN07]}"
    texts = Path(f"{path}.texts.jsonl").read_text("utf-8").splitlines()
    assert len(texts) == len({json.loads(each)["digest"] for each in texts}) == 4


def test_a_line_that_was_cut_off_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    whole = run(seed=0).line()
    path.write_text(f"{whole}\n{run(seed=1).line()[:100]}", "utf-8")
    assert store.read(str(path)) == ([run(seed=0)], True)
    with Store(str(path), CONTEXT) as opened:
        assert [each.seed for each in opened.runs] == [0]
        opened.append(run(seed=1))
    assert [each.seed for each in store.read_all([str(path)])] == [0, 1]


def test_a_file_that_is_nothing_but_a_cut_line(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b'{"arm": "pl' + b"x" * 200_000)
    with Store(str(path), CONTEXT) as opened:
        assert opened.runs == []
    assert path.read_bytes() == b""


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('{"arm": ', "JSON_INVALID"),
        ("{}", "AB_RUNS_INVALID"),
        ("[]", "AB_RUNS_INVALID"),
        ("not json", "JSON_INVALID"),
        ('{"cost": NaN}', "JSON_INVALID"),
        ('{"arm": "plan07", "arm": "plan07"}', "JSON_INVALID"),
    ],
)
def test_a_bad_line_in_the_middle_is_an_error_with_its_place(
    tmp_path: Path, line: str, code: str
) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text(f"{run(seed=0).line()}\n{line}\n{run(seed=1).line()}\n", "utf-8")
    with pytest.raises(InputError) as caught:
        store.read_all([str(path)])
    assert caught.value.code == code
    assert "runs.jsonl:2" in caught.value.message


@pytest.mark.parametrize("data", [b"", b"\n\n", b'{"cut'])
def test_no_run_at_all(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        store.read_all([str(path)])
    assert caught.value.code == "AB_RUNS_EMPTY"


def test_a_run_that_stands_twice(tmp_path: Path) -> None:
    path = written(tmp_path / "runs.jsonl", grid())
    with pytest.raises(InputError) as caught:
        store.read_all([path, path])
    assert caught.value.code == "AB_RUN_TWICE"
    assert '"one", arm monolithic, seed 0' in caught.value.message


@pytest.mark.parametrize(
    ("field", "value"),
    [("sample", "1" * 64), ("model", "strong"), ("host", "cloud"), ("config", "2" * 64)],
)
def test_runs_of_something_else_are_not_mixed_in(tmp_path: Path, field: str, value: str) -> None:
    path = written(tmp_path / "runs.jsonl", [run()])
    with (
        pytest.raises(InputError) as caught,
        Store(path, CONTEXT.model_copy(update={field: value})),
    ):
        pass
    assert caught.value.code == "AB_RUNS_DIFFER"
    assert field in caught.value.message
    assert value in caught.value.message


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    path = str(tmp_path / "runs.jsonl")
    with (
        Store(path, CONTEXT),
        pytest.raises(PlanRefused) as caught,
        Store(path, CONTEXT),
    ):
        pass
    assert caught.value.code == "AB_RUNS_BUSY"
    with Store(path, CONTEXT):
        pass


def test_settled_is_the_same_bytes_in_whatever_order_it_was_made(tmp_path: Path) -> None:
    runs = grid()
    order = [each.key for each in runs]
    found = []
    for name, made in (("a.jsonl", runs), ("b.jsonl", runs[::-1])):
        (tmp_path / name[0]).mkdir()
        path = tmp_path / name[0] / "runs.jsonl"
        with Store(str(path), CONTEXT) as opened:
            for each in made:
                opened.append(each)
            opened.settle(order)
        found.append((path.read_bytes(), Path(f"{path}.texts.jsonl").read_bytes()))
    assert found[0] == found[1]
    assert [each.key for each in store.read_all([str(tmp_path / "b" / "runs.jsonl")])] == order


def test_a_text_that_is_gone(tmp_path: Path) -> None:
    path = str(tmp_path / "runs.jsonl")
    with Store(path, CONTEXT) as opened:
        opened.append(run())
    Path(f"{path}.texts.jsonl").unlink()
    with pytest.raises(InputError) as caught:
        store.text(path, store.read_all([path])[0].calls[0].prompt)
    assert caught.value.code == "AB_TEXT_MISSING"
