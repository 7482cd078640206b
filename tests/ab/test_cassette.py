"""The cassette: what was said is said again, and nothing else."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from plan07.ab.cassette import Cassette, Mode, mode_of, request_digest
from plan07.errors import InputError
from plan07.llm.call import Call, Completion

CALL = Call("system", "user", None)
SAID = Completion("hello", "m", "stop", 12, 3, 1.23456)


class Model:
    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, call: Call) -> Completion:
        self.calls += 1
        return SAID


def test_what_was_recorded_is_not_asked_again(tmp_path: Path) -> None:
    path, model = str(tmp_path / "c.jsonl"), Model()
    ask = Cassette(path, Mode.RECORD, "m", "w").around(model)
    first, second = ask(CALL), ask(CALL)
    replayed = Cassette(path, Mode.REPLAY, "m", "w").around(None)(CALL)
    assert model.calls == 1
    assert first == second == replayed == SAID._replace(seconds=1.235)


def test_a_row_has_the_digest_the_reply_the_tokens_and_the_weights(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    Cassette(str(path), Mode.RECORD, "m", "sha256:ab").around(Model())(CALL)
    assert json.loads(path.read_text()) == {
        "request": request_digest(CALL, "m", "sha256:ab"),
        "model": "m",
        "weights": "sha256:ab",
        "reply": "hello",
        "finish": "stop",
        "tokens_in": 12,
        "tokens_out": 3,
        "seconds": 1.235,
    }


def test_the_digest_covers_everything_that_is_sent() -> None:
    others = [
        request_digest(CALL._replace(system="x"), "m", "w"),
        request_digest(CALL._replace(user="x"), "m", "w"),
        request_digest(CALL._replace(schema={}), "m", "w"),
        request_digest(CALL._replace(temperature=0.5), "m", "w"),
        request_digest(CALL._replace(max_completion_tokens=1), "m", "w"),
        request_digest(CALL, "n", "w"),
        request_digest(CALL, "m", "v"),
        request_digest(CALL, "m", "w"),
    ]
    assert len(set(others)) == 8


def test_a_request_that_was_not_recorded_is_an_error(tmp_path: Path) -> None:
    path = str(tmp_path / "c.jsonl")
    Cassette(path, Mode.RECORD, "m").around(Model())(CALL)
    with pytest.raises(InputError) as missing:
        Cassette(path, Mode.REPLAY, "m").around(Model())(CALL._replace(user="another question"))
    assert missing.value.code == "CASSETTE_MISS"
    assert '"another question"' in missing.value.message
    assert "PLAN07_AB_CASSETTE=record" in missing.value.fix


def test_a_packed_cassette_is_read_and_what_is_new_goes_beside_it(tmp_path: Path) -> None:
    plain, packed = tmp_path / "c.jsonl", tmp_path / "c.jsonl.gz"
    Cassette(str(plain), Mode.RECORD, "m").around(Model())(CALL)
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    model = Model()
    ask = Cassette(str(packed), Mode.RECORD, "m").around(model)
    ask(CALL)
    assert model.calls == 0
    assert not plain.exists()
    ask(CALL._replace(user="new"))
    assert model.calls == 1
    assert len(plain.read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("c.jsonl", None, "CASSETTE_MISSING"),
        ("c.jsonl", b'{"request": "x"}\n', "CASSETTE_UNREADABLE"),
        ("c.jsonl.gz", b"no gzip", "CASSETTE_UNREADABLE"),
    ],
)
def test_a_cassette_that_is_none(tmp_path: Path, name: str, data: bytes | None, code: str) -> None:
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(InputError) as refused:
        Cassette(str(path), Mode.REPLAY, "m")
    assert refused.value.code == code
    assert str(path) in refused.value.message


def test_the_mode_comes_from_the_environment() -> None:
    assert mode_of({}) is Mode.REPLAY
    assert mode_of({"PLAN07_AB_CASSETTE": "record"}) is Mode.RECORD
    with pytest.raises(InputError) as refused:
        mode_of({"PLAN07_AB_CASSETTE": "yes"})
    assert refused.value.code == "CASSETTE_MODE_INVALID"
