"""Semantic decomposition: one call, strict reading, the no-op (build spec 4; F21, T11)."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import obligation

import plan07
from plan07 import decompose, ledger, prompt, rulebook
from plan07.decompose import NO_OP, read_reply, reply_schema
from plan07.errors import Plan07Error
from plan07.evidence import Evidence
from plan07.llm.call import Call, Completion, model_error
from plan07.models import Obligation

REQUIREMENT = {"goal": "g", "acceptance_criteria": ["a"], "constraints": []}
TIME = "2026-01-01T00:00:00Z"


def records(number: int) -> list[dict[str, Any]]:
    return [obligation(f"O{each}") for each in range(1, number + 1)]


def text(*found: Any, **more: Any) -> str:
    return json.dumps({"obligations": list(found), **more})


def asked() -> prompt.Prompt:
    return prompt.build(REQUIREMENT, Evidence(), rulebook.load())


class Model:
    """A model with a queue of replies; one call too many raises."""

    def __init__(self, *replies: str | Completion | Exception) -> None:
        self.replies = list(replies)
        self.calls: list[Call] = []

    def __call__(self, call: Call) -> Completion | str:
        self.calls.append(call)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply


def run(model: Model, kept: ledger.Ledger | None = None, **options: Any) -> Any:
    return decompose.decompose(asked(), model, kept or ledger.Memory(), lambda: TIME, **options)


def test_s_000_020_one_call_at_temperature_zero_with_2048_tokens_and_no_tools() -> None:
    model = Model(text(*records(1)))
    found = run(model)
    assert found.document == {"obligations": records(1)} and not found.is_no_op
    (call,) = model.calls
    assert (call.temperature, call.max_completion_tokens) == (0, 2048)
    assert call.schema == reply_schema()
    assert call._fields == ("system", "user", "schema", "temperature", "max_completion_tokens")
    assert (call.system, call.user) == asked()[:2]


RECORD = obligation("O1")
BAD: dict[str, tuple[str, str]] = {
    "prose": ("Sure! Here is the plan.", "the reply:1:1"),
    "empty": ("", "empty"),
    "fenced": (f"```json\n{text(RECORD)}\n```", "the reply:1:1"),
    "thought": (f"<think>hm</think>{text(RECORD)}", "the reply:1:1"),
    "cut": (text(RECORD)[:-20], "the reply:1:"),
    "nan": (text(RECORD).replace('"status": "ready"', '"status": NaN'), "NaN"),
    "duplicate key": (text(RECORD)[:-1] + ', "obligations": []}', "stands twice"),
    "list": (json.dumps([RECORD]), "the document"),
    "null": ("null", "the document"),
    "ninth field": (text({**RECORD, "effort": 1}), "obligations[0].effort"),
    "missing field": (
        text({name: value for name, value in RECORD.items() if name != "validation"}),
        "obligations[0].validation",
    ),
    "verb": (text({**RECORD, "obligation": "delete"}), "obligations[0].obligation"),
    "status": (text({**RECORD, "status": "done"}), "obligations[0].status"),
    "int id": (text({**RECORD, "id": 1}), "obligations[0].id"),
    "bool": (text({**RECORD, "evidence": True}), "obligations[0].evidence"),
    "null field": (text({**RECORD, "evidence": None}), "obligations[0].evidence"),
    "text for list": (text({**RECORD, "dependencies": "O1"}), "obligations[0].dependencies"),
    "extra key": (text(RECORD, note="x"), "note"),
    "re_decompose": (text(RECORD, re_decompose=False), "re_decompose"),
    "requirement": (text(RECORD, requirement=REQUIREMENT), "requirement"),
    "no obligation": (text(), "no obligation"),
    "65": (text(*records(65)), "65 obligations, the cap is 64"),
    "surrogate": (text(RECORD).replace("O1", "\\ud800"), "surrogate"),
    "raw surrogate": ("\ud800", "surrogate"),
    "deep": ("[" * 100_000, "nested"),
    "byte order mark": ("\ufeff" + text(RECORD), "byte order mark"),
    "two documents": (text(RECORD) * 2, "the reply:1:"),
}


@pytest.mark.parametrize(("reply", "said"), BAD.values(), ids=BAD.keys())
def test_f21_whatever_is_not_exactly_the_schema_is_the_no_op_after_one_call(
    reply: str, said: str
) -> None:
    """S-000-022, S-000-024: never a second call, since the queue is empty after the first."""
    model = Model(reply)
    found = run(model)
    assert found.document == NO_OP == {"obligations": [], "re_decompose": True}
    assert list(found.document) == ["obligations", "re_decompose"]
    assert said in found.reason
    assert len(model.calls) == 1


def test_s_000_023_64_records_are_taken_and_white_space_around_is_nothing() -> None:
    assert read_reply(f"\n  {text(*records(64))} \n").document == {"obligations": records(64)}


def test_faults_of_admission_are_left_to_it() -> None:
    """T11: caps, unknown and duplicate ids are refusals of the plan, not no-ops."""
    odd = [obligation("O1", dependencies=["O99"]), obligation("O1", evidence="x" * 201)]
    assert read_reply(text(*odd)).document == {"obligations": odd}


@pytest.mark.parametrize(
    "reply",
    [
        f"```json\n{text(RECORD)}\n```",
        f"```\n{text(RECORD)}\n```",
        f"<think>\nO1?\n</think>\n\n{text(RECORD)}",
        f"<think>x</think>```json\n{text(RECORD)}\n```",
    ],
)
def test_lenient_strips_one_fence_or_a_leading_thought(reply: str) -> None:
    assert read_reply(reply).is_no_op
    assert read_reply(reply, lenient=True).document == {"obligations": [RECORD]}


@pytest.mark.parametrize(
    "reply",
    [
        f"Here:\n```json\n{text(RECORD)}\n```",
        f"```json\n{text(RECORD)}\n```\nDone.",
        f"```json\n```json\n{text(RECORD)}\n```\n```",
        f"{text(RECORD)}<think>x</think>",
    ],
)
def test_lenient_is_no_more_than_that(reply: str) -> None:
    assert read_reply(reply, lenient=True).is_no_op


class TestOncePerScope:
    """S-000-026: the same scope never reaches the model again."""

    def test_a_second_call_is_the_no_op(self) -> None:
        model, kept = Model(text(RECORD)), ledger.Memory()
        assert not run(model, kept).is_no_op
        again = run(model, kept)
        assert again.document == NO_OP and "sent once" in again.reason
        assert len(model.calls) == 1

    def test_a_call_that_failed_on_its_way_is_an_error_and_stays_spent(self) -> None:
        failure = model_error("MODEL_TIMEOUT", "it took too long", "wait", retryable=True)
        model, kept = Model(failure), ledger.Memory()
        with pytest.raises(Plan07Error) as caught:
            run(model, kept)
        assert caught.value is failure
        assert [row["event"] for row in kept.rows] == ["sent", "failed"]
        assert kept.rows[1]["code"] == "MODEL_TIMEOUT"
        assert run(model, kept).is_no_op

    def test_a_fault_of_a_harness_comes_out_as_it_is(self) -> None:
        fault = RuntimeError("mine")
        with pytest.raises(RuntimeError) as caught:
            run(Model(fault))
        assert caught.value is fault


def test_what_was_sent_and_what_came_back_is_recorded() -> None:
    kept = ledger.Memory()
    run(Model(Completion(text(RECORD), "qwen", "stop", 900, 70, 1.23456)), kept)
    sent, reply = kept.rows
    assert sent == {
        "scope": asked().scope,
        "event": "sent",
        "time": TIME,
        "prompt_sha256": sent["prompt_sha256"],
        "system": asked().system,
        "user": asked().user,
    }
    assert len(sent["prompt_sha256"]) == 64
    assert {name: reply[name] for name in reply if name != "reply_sha256"} == {
        "scope": asked().scope,
        "event": "reply",
        "time": TIME,
        "model": "qwen",
        "finish_reason": "stop",
        "prompt_tokens": 900,
        "completion_tokens": 70,
        "seconds": 1.235,
        "reply": text(RECORD),
        "obligations": 1,
        "no_op": "",
    }


def test_the_schema_that_goes_out_is_that_of_the_records() -> None:
    schema = reply_schema()
    record = schema["properties"]["obligations"]["items"]
    typed = Obligation.model_json_schema()
    assert record["required"] == list(record["properties"]) == list(typed["properties"])
    assert record["additionalProperties"] is False and schema["additionalProperties"] is False
    for name, each in record["properties"].items():
        assert each["type"] == typed["properties"][name]["type"]
        assert each.get("enum") == typed["properties"][name].get("enum")


def test_s_000_001_only_decompose_imports_the_client_protocol() -> None:
    package = Path(plan07.__file__).parent
    users = set()
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [each.name for each in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{each.name}" for each in node.names]
            if any(name.startswith("plan07.llm") for name in names):
                users.add(file.relative_to(package).as_posix())
    # What compares planning with other ways of working asks models in their place.
    outside = {each for each in users if not each.startswith(("llm/", "ab/"))}
    # The second one knows the names of options, not the protocol.
    assert outside == {"decompose.py", "cli/model_options.py"}


def test_a_limit_of_obligations_may_be_another(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(Model(text(*records(3))), most=2).reason == (
        "the reply holds 3 obligations, the cap is 2"
    )


Maker = Callable[[], ledger.Ledger]


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_a_ledger_spends_a_scope_once(kind: str, tmp_path: Path) -> None:
    path = str(tmp_path / "deep" / "calls.jsonl")
    kept: Any = ledger.Memory() if kind == "memory" else ledger.File(path)
    assert kept.spend("a", {"event": "sent"}) is True
    assert kept.spend("a", {"event": "sent"}) is False
    assert kept.spend("b", {"event": "sent"}) is True
    kept.record({"scope": "a", "event": "reply"})
    rows = kept.rows if kind == "memory" else kept.rows()
    assert [(row["scope"], row["event"]) for row in rows] == [
        ("a", "sent"),
        ("b", "sent"),
        ("a", "reply"),
    ]


def test_a_row_that_a_crash_cut_short_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_bytes(b'{"scope":"a","event":"sent"}\n{"scope":"b","ev')
    kept = ledger.File(str(path))
    assert kept.spend("a", {}) is False
    assert kept.spend("b", {"event": "sent"}) is True
    assert [row["scope"] for row in kept.rows()] == ["a", "b"]


def test_what_is_no_text_is_told_and_recorded() -> None:
    kept = ledger.Memory()
    answers: Any = [None, b"{}"]
    for number, name in enumerate(("NoneType", "bytes")):
        with pytest.raises(Plan07Error) as caught:
            decompose.decompose(
                asked()._replace(user=f"scope {number}"),
                lambda call: answers.pop(0),
                kept,
                lambda: TIME,
            )
        assert (caught.value.code, caught.value.detail) == ("REPLY_NOT_TEXT", {"type": name})
    assert [row["event"] for row in kept.rows] == ["sent", "failed", "sent", "failed"]


def test_a_ledger_that_cannot_be_written_is_an_error_before_anything_is_sent(
    tmp_path: Path,
) -> None:
    model = Model(text(RECORD))
    with pytest.raises(Plan07Error) as caught:
        run(model, ledger.File(str(tmp_path)))
    assert caught.value.code == "LEDGER_UNWRITABLE"
    assert model.calls == []
