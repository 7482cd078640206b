"""Records of runs: closed, whole, the same bytes for the same run."""

from __future__ import annotations

import json
import pickle

import pytest
from abruns import CONTEXT, run
from pydantic import ValidationError

from plan07.ab.records import Arm, Kept, Mechanism, RunRecord, Task, kept, sample_digest
from plan07.models import Record


def test_a_run_comes_back_from_its_line() -> None:
    made = run(Arm.PLAN07, 'Überall\u2028 "x"\n', 3, Mechanism.LOCAL_GATE)
    assert "\n" not in made.line()
    assert made.line().isascii()
    assert RunRecord.model_validate_json(made.line()) == made
    assert json.loads(made.line())["schema"] == "plan07.ab.run/1"


def test_settings_in_any_order_are_the_same_bytes() -> None:
    assert run(settings={"b": "1", "a": "2"}).line() == run(settings={"a": "2", "b": "1"}).line()


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"arm": "plan08"}, "arm"),
        ({"removed": "luck"}, "removed"),
        ({"seed": -1}, "seed"),
        ({"seed": "1"}, "seed"),
        ({"schema": "plan07.ab.run/2"}, "schema"),
        ({"sample": "short"}, "sample"),
        ({"cost": -1}, "cost"),
        ({"surprise": 1}, "surprise"),
    ],
)
def test_anything_else_is_refused(change: dict[str, object], place: str) -> None:
    row = {**json.loads(run().line()), **change}
    with pytest.raises(ValidationError) as caught:
        RunRecord.model_validate_json(json.dumps(row))
    assert [str(each["loc"][0]) for each in caught.value.errors()] == [place]


def test_a_kept_text_is_what_its_digest_says() -> None:
    assert kept("a\ud800").text == "a\\ud800"
    with pytest.raises(ValidationError):
        Kept(digest=kept("a").digest, text="b")
    with pytest.raises(ValidationError):
        Kept(digest=kept("a").digest)


def test_the_sample_is_the_tasks_in_their_order() -> None:
    one, two = Task(id="one"), Task(id="two", data={"b": 1, "a": 2})
    assert sample_digest([one, two]) == sample_digest([one, Task(id="two", data={"a": 2, "b": 1})])
    others = [[two, one], [one], [one, Task(id="two")]]
    assert len({sample_digest(each) for each in [[one, two], *others]}) == 4


def test_what_workers_get_can_be_pickled() -> None:
    for each in (CONTEXT, Task(id="one", data={"size": 3}), run()):
        again: Record = pickle.loads(pickle.dumps(each))
        assert again == each
