"""Live runs: through the product's client to a scripted server, with real tests, and replayed."""

from __future__ import annotations

import json
import os
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest
import wire
from support import EXAMPLES

from plan07.ab import config, execute, live, tasks
from plan07.ab.records import Arm, Context, Mechanism, Task
from plan07.errors import InputError

TASKS = EXAMPLES.parent.parent / "bench" / "tasks"
NAME = "drop-legacy"
RIGHT = """\
```python
# file: report.py
import totals


def summary(items):
    return f"{len(items)} items, {totals.total(items)} in total"
# file: totals.py
# delete: old_total
```"""
HALF = RIGHT.partition("# file: totals.py")[0] + "```"
OBLIGATIONS = {
    "obligations": [
        {
            "id": name,
            "target_entity": entity,
            "obligation": "modify",
            "caused_by": cause,
            "dependencies": [],
            "evidence": "",
            "status": "ready",
            "validation": "tests/test_report.py",
        }
        for name, entity, cause in (
            ("O1", "report.summary", "criterion 1: body only"),
            ("O2", "totals.old_total", "criterion 2: deleted"),
        )
    ]
}


@pytest.fixture
def task() -> Task:
    folder = os.fspath(TASKS / NAME)
    return Task(id=NAME, data={"folder": folder, "sha256": tasks.digest(folder)})


def execution(folder: Path, **options: Any) -> live.Live:
    return live.make(
        Context(
            execution="live",
            sample="0" * 64,
            model="weak",
            host="here",
            config="0" * 64,
            directory=os.fspath(folder),
            options={"python": sys.executable, "seconds": 60, **options},
        )
    )


def said(text: str) -> wire.Reply:
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    return wire.reply(text, usage=usage)


@pytest.fixture(autouse=True)
def _nothing_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in os.environ if each.startswith(("PLAN07_", "OPENAI_"))]:
        monkeypatch.delenv(name)


class TestPlan07:
    def test_recorded_once_and_replayed_to_the_byte(
        self, task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Everyone replays what was recorded, without the model and without its server."""
        first = said(RIGHT.partition("# file: totals.py")[0] + "```")
        second = said("```python\n# file: totals.py\n# delete: old_total\n```")
        monkeypatch.setenv("PLAN07_AB_CASSETTE", "record")
        replies = [said(json.dumps(OBLIGATIONS)), first, second]
        with wire.server(replies) as server:
            monkeypatch.setenv("PLAN07_BASE_URL", server.url)
            made = execution(tmp_path, cassette="c.jsonl").run(task, Arm.PLAN07, 0, None)
        assert made.resolved
        assert [(step.node, step.valid) for step in made.steps] == [("O1", True), ("O2", True)]
        assert [(call.purpose, call.retry) for call in made.calls] == [
            ("decompose", False),
            ("edit", False),
            ("edit", False),
        ]
        assert sum(call.tokens_in + call.tokens_out for call in made.calls) == 330
        assert made.tokenizer == "usage of the server"
        monkeypatch.setenv("PLAN07_AB_CASSETTE", "replay")
        monkeypatch.setenv("PLAN07_BASE_URL", "http://127.0.0.1:9/v1")
        again = execution(tmp_path, cassette="c.jsonl").run(task, Arm.PLAN07, 0, None)
        assert again.line() == made.line()
        # The hidden tests are in no prompt, and neither is a path of this machine.
        sent = "".join(call.prompt.text or "" for call in made.calls)
        hidden = (TASKS / NAME / "acceptance" / "test_accepted.py").read_text()
        assert not [line for line in hidden.splitlines() if "7 in total" in line and line in sent]
        assert "acceptance/" not in sent
        assert "/tmp" not in sent

    def test_the_keys_of_an_obligation_are_asked_for_by_the_schema(
        self, task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with wire.server([said("no")]) as server:
            monkeypatch.setenv("PLAN07_BASE_URL", server.url)
            run = execution(tmp_path, drafted=False).run(task, Arm.PLAN07, 0, None)
        document = server.requests[0].document
        assert document["temperature"] == 0
        assert document["max_completion_tokens"] == 2048
        assert document["response_format"]["type"] == "json_schema"
        assert not run.resolved
        assert run.steps == ()


def test_an_unfinished_answer_is_not_resolved(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget = {"calls": 1, "tokens": 1000, "reply_tokens": 99}
    with wire.server([said(HALF)]) as server:
        monkeypatch.setenv("PLAN07_BASE_URL", server.url)
        run = execution(tmp_path, budget=budget).run(task, Arm.CURRENT, 3, None)
    assert server.requests[0].document["max_completion_tokens"] == 99
    assert (run.resolved, run.seed, run.arm) == (False, 3, Arm.CURRENT)
    assert [(step.node, step.valid) for step in run.steps] == [("attempt-1", True)]
    assert run.notes == ("the budget is used up",)
    assert run.settings == {
        "calls": "1",
        "reply_tokens": "99",
        "temperature": "0",
        "tokens": "1000",
    }


def test_a_server_that_counts_no_tokens_makes_estimates(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with wire.server([wire.reply(RIGHT, usage=None)]) as server:
        monkeypatch.setenv("PLAN07_BASE_URL", server.url)
        run = execution(tmp_path).run(task, Arm.MONOLITHIC, 0, None)
    assert run.resolved
    assert run.tokenizer == "estimate, four bytes to a token"
    assert run.calls[0].tokens_out == -(-len(RIGHT) // 4)


def test_what_was_recorded_with_the_local_model_is_replayed() -> None:
    """Whoever has the cassette needs no model: it still answers what plan07 asks today."""
    wanted = config.load(os.fspath(TASKS.parent / "live" / "config.toml"))
    job = next(each for each in wanted.jobs if each.arm is Arm.PLAN07)
    run = execute.run_one(wanted.provider, wanted.context, job)
    assert (run.task, run.resolved) == ("cache-clear", True)
    assert [call.purpose for call in run.calls] == ["decompose", "edit", "edit"]
    assert sum(call.tokens_in + call.tokens_out for call in run.calls) == 1861
    assert all(step.valid for step in run.steps)


def test_a_replay_without_the_recording_is_an_error(task: Task, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        execution(tmp_path, cassette="c.jsonl").run(task, Arm.STATIC, 0, None)
    assert refused.value.code == "CASSETTE_MISSING"


def test_an_option_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        execution(tmp_path, calls=3)
    assert refused.value.code == "AB_CONFIG_INVALID"
    assert "calls" in refused.value.message


def test_it_can_be_handed_to_another_process(tmp_path: Path) -> None:
    made = pickle.loads(pickle.dumps(execution(tmp_path)))
    assert made.context == execution(tmp_path).context


@pytest.mark.parametrize("removed", Mechanism)
def test_each_mechanism_can_be_removed(
    removed: Mechanism, task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Build spec 7.5: five mechanisms, each in isolation."""
    text = removed is Mechanism.TYPED_ARTIFACTS
    replies = [said("1. do it all" if text else json.dumps(OBLIGATIONS)), said(RIGHT)]
    if removed in (
        Mechanism.REVISION_TRIGGER,
        Mechanism.LOCAL_GATE,
        Mechanism.DEPENDENCY_ORDERING,
    ):
        # The second obligation finds it done already; what changes nothing is asked again.
        replies += [said("```python\n# file: totals.py\n# delete: total\n```")]
    budget = {"calls": len(replies), "tokens": 9000, "reply_tokens": 99}
    with wire.server(replies) as server:
        monkeypatch.setenv("PLAN07_BASE_URL", server.url)
        run = execution(tmp_path, budget=budget).run(task, Arm.PLAN07, 0, removed)
    assert run.removed is removed
    assert run.steps[0].valid


class TestAHarnessOfOnesOwn:
    SCRIPT = """\
import json, os, pathlib, sys
asked = sys.stdin.read()
assert "old_total" in asked
report = pathlib.Path("report.py")
report.write_text(report.read_text().replace("old_total", "total"))
text = pathlib.Path("totals.py").read_text()
pathlib.Path("totals.py").write_text(text[: text.index("def old_total")].rstrip() + "\\n")
if sys.argv[1] == "telling":
    with open(os.environ["PLAN07_AB_CALLS"], "a") as stream:
        print(json.dumps({"tokens_in": 700, "tokens_out": 30, "retry": False}), file=stream)
        print(json.dumps({"tokens_in": 800, "tokens_out": 40, "retry": True}), file=stream)
elif sys.argv[1] == "lying":
    with open(os.environ["PLAN07_AB_CALLS"], "a") as stream:
        print(json.dumps({"tokens_in": -1, "tokens_out": 30}), file=stream)
"""

    def command(self, folder: Path, how: str) -> str:
        (folder / "harness.py").write_text(self.SCRIPT)
        return f"{sys.executable} {folder / 'harness.py'} {how}"

    def test_takes_the_place_of_current(self, task: Task, tmp_path: Path) -> None:
        """Build spec 8: the harness is started, and nothing of it is touched."""
        harness = self.command(tmp_path, "telling")
        before = (tmp_path / "harness.py").read_bytes()
        run = execution(tmp_path, harness=harness).run(task, Arm.CURRENT, 0, None)
        assert run.resolved
        assert [(x.tokens_in, x.tokens_out, x.retry) for x in run.calls] == [
            (700, 30, False),
            (800, 40, True),
        ]
        assert [step.valid for step in run.steps] == [True]
        assert (tmp_path / "harness.py").read_bytes() == before

    @pytest.mark.parametrize(
        ("how", "code"),
        [("silent", "AB_HARNESS_SILENT"), ("lying", "AB_HARNESS_CALLS_INVALID")],
    )
    def test_that_does_not_tell_its_tokens_is_refused(
        self, task: Task, tmp_path: Path, how: str, code: str
    ) -> None:
        harness = self.command(tmp_path, how)
        with pytest.raises(InputError) as refused:
            execution(tmp_path, harness=harness).run(task, Arm.CURRENT, 0, None)
        assert refused.value.code == code

    def test_that_cannot_be_started_is_an_error(self, task: Task, tmp_path: Path) -> None:
        with pytest.raises(InputError) as refused:
            execution(tmp_path, harness="/nowhere/at-all").run(task, Arm.CURRENT, 0, None)
        assert refused.value.code == "AB_HARNESS_UNSTARTED"
        assert "/nowhere/at-all" in refused.value.message
