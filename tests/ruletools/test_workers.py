"""Child processes that answer within a limit of time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import pytest

from plan07.errors import InputError, RulesError
from plan07.ruletools import workers
from plan07.ruletools.workers import TimeOver, Worker


def service(greeting: str) -> Callable[[dict[str, Any]], Any]:
    """Return what the child answers with; it finds this module on its path."""

    def answer(question: dict[str, Any]) -> Any:
        match question["do"]:
            case "greet":
                print("noise")
                return f"{greeting} {question['name']}"
            case "sleep":
                time.sleep(question.get("seconds", 60))
            case "work":
                while True:
                    pass
            case "die":
                os._exit(7)
            case "refuse":
                raise InputError("NO", "not that", "ask another", phase="usage")
            case "break":
                raise KeyError("oops")
        return None

    return answer


@pytest.fixture
def name(monkeypatch: pytest.MonkeyPatch) -> str:
    """Return how a child finds `service`."""
    monkeypatch.setenv("PYTHONPATH", os.path.dirname(os.path.abspath(__file__)))
    return "test_workers:service"


def greet(name: str) -> dict[str, Any]:
    return {"do": "greet", "name": name}


def test_one_child_answers_many_questions_and_survives_its_errors(name: str) -> None:
    with Worker(name, {"greeting": "hello"}) as worker:
        assert worker.ask(greet("a"), 30) == "hello a"
        with pytest.raises(InputError) as refused:
            worker.ask({"do": "refuse"}, 30)
        assert (refused.value.code, refused.value.fix) == ("NO", "ask another")
        with pytest.raises(RulesError) as broken:
            worker.ask({"do": "break"}, 30)
        assert broken.value.code == "INTERNAL"
        assert worker.ask(greet("b\n\u2028"), 30) == "hello b\n\u2028"


def test_time_is_that_of_the_processor(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a question waits for its turn, and is no less answered."""
    with Worker(name, {"greeting": "hello"}) as worker:
        assert worker.ask({"do": "sleep", "seconds": 0.5}, 0.2) is None
        monkeypatch.setattr(workers, "_PATIENCE", 100_000)
        with pytest.raises(TimeOver):
            worker.ask({"do": "work"}, 0.2)
        assert worker.ask(greet("a"), 30) == "hello a"


def test_a_child_that_is_late_or_dies_is_replaced(name: str) -> None:
    with Worker(name, {"greeting": "hello"}) as worker:
        with pytest.raises(TimeOver):
            worker.ask({"do": "sleep"}, 0.2)
        assert worker.ask(greet("a"), 30) == "hello a"
        with pytest.raises(RulesError) as died:
            worker.ask({"do": "die"}, 30)
        assert (died.value.code, died.value.detail) == (workers.CHILD_FAILED, {"status": 7})
        assert worker.ask(greet("b"), 30) == "hello b"


def test_answers_come_in_order_and_errors_in_their_place(name: str) -> None:
    questions = [greet("a"), {"do": "refuse"}, greet("b"), {"do": "sleep"}, greet("c")]
    found = list(workers.answers(name, {"greeting": "hi"}, questions, 0.2, 2))
    assert [each if isinstance(each, str) else type(each).__name__ for each in found] == [
        "hi a",
        "InputError",
        "hi b",
        "TimeOver",
        "hi c",
    ]


def test_no_question_starts_no_child(name: str) -> None:
    assert list(workers.answers("nowhere:nothing", {}, [], 1, 2)) == []


def test_a_service_that_cannot_start_is_an_error(name: str) -> None:
    with Worker("test_workers:nothing", {}) as worker, pytest.raises(RulesError) as raised:
        worker.ask(greet("a"), 30)
    assert raised.value.code == workers.CHILD_FAILED
