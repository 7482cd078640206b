"""`plan07 plan` and `plan07 decompose`: from a request to a plan, with one model call at most."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import wire
from support import EXAMPLES, obligation

Run = Callable[..., Any]
SAMPLE = EXAMPLES / "session-timeout.plan.json"
REQUEST = "Make the session timeout configurable"
KEY = "sk-test-0123456789abcdef0123456789"


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No model of this machine, a clock that stands still, and a directory of one's own."""
    for name in list(os.environ):
        if name.startswith(("PLAN07_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1788617520")
    monkeypatch.chdir(tmp_path)
    yield


def sample() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(SAMPLE.read_text("utf-8"))["obligations"]
    return found


def obligations(*records: dict[str, Any]) -> str:
    Path("obligations.json").write_text(json.dumps({"obligations": list(records)}), "utf-8")
    return "obligations.json"


def artifact(path: str = "plan.json") -> Any:
    return json.loads(Path(path).read_text("utf-8"))


class TestWithObligations:
    def test_the_artifact_is_that_of_the_spec(self, run: Run) -> None:
        """S-000-090, S-000-091: its keys, in their order, and the id after the minute."""
        done = run("plan", REQUEST, "--obligations", obligations(*sample()), "-o", "plan.json")
        assert done.status == 0
        found = artifact()
        assert list(found) == [
            *("plan_id", "requirement", "nodes", "checkpoints", "branch_scores"),
            *("revision_history", "audit"),
        ]
        assert found["plan_id"] == "plan-20260905-1412"
        assert found["requirement"] == {
            "goal": REQUEST,
            "acceptance_criteria": ["the session timeout is configurable"],
            "constraints": [],
            "needs_confirmation": True,
        }
        assert [list(node) for node in found["nodes"]] == [[*sample()[0], "state"]] * 3
        assert (found["checkpoints"], found["revision_history"], found["audit"]) == ([], [], [])

    def test_the_stages_are_told_as_they_pass(self, run: Run) -> None:
        """S-000-004: in the order of the spec."""
        done = run("plan", REQUEST, "--obligations", obligations(*sample()), "-o", "plan.json")
        stages = [line.split(": ")[1] for line in done.err.splitlines()]
        assert stages == [
            *("canonicalize", "evidence", "decompose", "graph", "schedule", "artifact"),
        ]
        assert done.out.startswith("3 steps, 1 ready, 2 blocked\n")

    def test_solve_accepts_the_result(self, run: Run) -> None:
        run("plan", REQUEST, "--obligations", obligations(*sample()), "-o", "plan.json")
        solved = run("solve", "plan.json", "--json").document()
        assert solved["order"] == ["O1", "O2", "O3"]

    def test_limits_that_are_raised_for_a_large_plan_hold_while_it_is_driven(
        self, run: Run
    ) -> None:
        """T3: the cap of the file follows `max_static_bytes`, with the same room for the log."""
        many = [obligation(f"O{n}", validation="$ true") for n in range(1, 201)]
        more = ["--limit", "max_obligations=200", "--limit", "max_static_bytes=90000"]
        done = run("plan", REQUEST, "--obligations", obligations(*many), "-o", "plan.json", *more)
        assert done.status == 0 and Path("plan.json").stat().st_size > 32 * 1024
        refused = run("validate", "plan.json", "O1")
        assert refused.status == 1 and "ARTIFACT_CAP" in refused.err
        assert "--limit max_static_bytes" in refused.err
        passed = run("validate", "plan.json", "O1", "--limit", "max_static_bytes=90000")
        assert passed.status == 0
        assert [node["state"] for node in artifact()["nodes"][:2]] == ["complete", "pending"]

    def test_json_is_one_document(self, run: Run) -> None:
        file = obligations(*sample())
        found = run("plan", REQUEST, "--obligations", file, "-o", "p.json", "--json").document()
        assert list(found) == ["path", "artifact", "schedule"]
        assert found["path"] == "p.json" and found["artifact"] == artifact("p.json")

    def test_a_file_may_bring_the_requirement_along(self, run: Run) -> None:
        assert run("plan", "--obligations", SAMPLE, "-o", "plan.json").status == 0
        assert len(artifact()["requirement"]["acceptance_criteria"]) == 5
        assert "needs_confirmation" not in artifact()["requirement"]

    def test_a_request_outranks_the_requirement_of_the_file(self, run: Run) -> None:
        run("plan", REQUEST, "--obligations", SAMPLE, "-o", "plan.json")
        assert len(artifact()["requirement"]["acceptance_criteria"]) == 1

    def test_evidence_lies_beside_the_plan(self, run: Run) -> None:
        run("plan", "--obligations", SAMPLE, "-o", "plan.json")
        assert sorted(os.listdir()) == [
            *("plan.json", "plan.json.audit.jsonl", "plan.json.evidence.json", "plan.json.lock"),
        ]
        kept = artifact("plan.json.evidence.json")
        assert kept["edges"] == [
            [
                *("auth.SessionConfig", "auth.SessionManager", "CalledBy"),
                *("", "", "", "exact", 1.0),
            ]
        ]

    def test_the_request_comes_from_standard_input_or_a_file(self, run: Run) -> None:
        file = obligations(*sample())
        done = run("plan", "-", "--obligations", file, "-o", "a.json", stdin=REQUEST.encode())
        assert done.status == 0
        Path("issue.md").write_text(f"# {REQUEST}\n", "utf-8")
        run("plan", "--file", "issue.md", "--obligations", file, "-o", "b.json")
        assert artifact("a.json")["requirement"] == artifact("b.json")["requirement"]

    def test_a_plan_that_is_refused_is_not_written(self, run: Run) -> None:
        file = obligations(obligation("O1", dependencies=["O9"]))
        done = run("plan", REQUEST, "--obligations", file, "-o", "plan.json", "--json")
        assert done.status == 1
        assert done.document()["error"]["code"] == "UNKNOWN_DEPENDENCY"
        assert os.listdir() == ["obligations.json"]

    def test_s_000_015_a_request_without_a_goal_is_refused(self, run: Run) -> None:
        file = obligations(*sample())
        done = run("plan", "please, thanks", "--obligations", file, "-o", "p.json", "--json")
        assert done.status == 1
        assert done.document()["error"]["phase"] == "canonicalize"
        assert not Path("p.json").exists()

    def test_without_a_file_it_goes_to_the_home(
        self, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """S-000-091: the second of a minute ends in -2."""
        for name in ("plan-20260905-1412", "plan-20260905-1412-2"):
            run("plan", "--obligations", SAMPLE)
            path = f"build/07-task-decomposition-planning/{name}.json"
            assert artifact(f"./{path}")["plan_id"] == name
        monkeypatch.setenv("PLAN07_HOME", "elsewhere")
        run("plan", "--obligations", SAMPLE)
        assert artifact("elsewhere/plan-20260905-1412.json")["plan_id"] == "plan-20260905-1412"


class TestOverwriting:
    def plan(self, run: Run, *more: str) -> Any:
        return run("plan", REQUEST, "--obligations", obligations(*sample()), "-o", "p.json", *more)

    def test_nothing_is_overwritten_without_force(self, run: Run) -> None:
        self.plan(run)
        before = Path("p.json").read_bytes()
        done = self.plan(run, "--json")
        assert done.status == 2 and done.document()["error"]["code"] == "PLAN_EXISTS"
        assert Path("p.json").read_bytes() == before

    def test_force_replaces_a_plan_of_which_nothing_became(self, run: Run) -> None:
        self.plan(run)
        file = obligations(obligation("O1"))
        done = run("plan", REQUEST, "--obligations", file, "-o", "p.json", "--force")
        assert done.status == 0 and len(artifact("p.json")["nodes"]) == 1
        assert run("status", "p.json").status == 0

    def test_a_plan_with_progress_is_never_replaced(self, run: Run) -> None:
        self.plan(run)
        run("confirm", "p.json")
        before = Path("p.json").read_bytes()
        done = self.plan(run, "--force", "--json")
        assert done.status == 2
        assert done.document()["error"]["detail"] == {"path": "p.json", "progress": True}
        assert Path("p.json").read_bytes() == before

    def test_what_is_no_plan_is_never_replaced(self, run: Run) -> None:
        Path("p.json").write_text("precious", "utf-8")
        assert self.plan(run, "--force").status == 2
        assert Path("p.json").read_text("utf-8") == "precious"

    @pytest.mark.parametrize("path", ["", "kept", "kept/", "new/"])
    def test_a_directory_is_no_plan(self, run: Run, path: str) -> None:
        Path("kept").mkdir()
        done = run("plan", REQUEST, "--obligations", SAMPLE, "-o", path, "--json")
        assert (done.status, done.document()["error"]["code"]) == (2, "PLAN_IS_DIRECTORY")
        assert os.listdir() == ["kept"] and os.listdir("kept") == []

    def test_a_directory_that_cannot_be_made_is_told_as_json(self, run: Run) -> None:
        Path("file").write_text("", "utf-8")
        done = run("plan", REQUEST, "--obligations", SAMPLE, "-o", "file/plan.json", "--json")
        found = done.document()["error"]
        assert (done.status, found["code"]) == (3, "SAVE_FAILED")
        assert "file/plan.json" in found["message"]

    def test_the_model_is_not_asked_for_a_plan_that_cannot_be_written(self, run: Run) -> None:
        self.plan(run)
        with wire.server([]) as server:
            done = run("plan", REQUEST, "-o", "p.json", "--model", "m", "--base-url", server.url)
        assert done.status == 2


class TestWithAModel:
    def plan(self, run: Run, server: wire.Server, *more: str) -> Any:
        named = ("--model", "weak", "--base-url", server.url)
        return run("plan", "--file", "issue.md", "-o", "plan.json", *named, *more)

    @pytest.fixture(autouse=True)
    def issue(self) -> None:
        Path("issue.md").write_text(REQUEST, "utf-8")

    def test_one_request_with_the_exact_parameters_and_the_same_artifact(self, run: Run) -> None:
        """S-000-020, S-000-027."""
        with wire.server([wire.reply(json.dumps({"obligations": sample()}))]) as server:
            assert self.plan(run, server).status == 0
        sent = server.requests[0].document
        assert sorted(sent) == [
            *("max_completion_tokens", "messages", "model", "response_format", "temperature"),
        ]
        assert (sent["model"], sent["temperature"], sent["max_completion_tokens"]) == (
            *("weak", 0, 2048),
        )
        assert [each["role"] for each in sent["messages"]] == ["system", "user"]
        assert sent["response_format"]["json_schema"]["schema"]["required"] == ["obligations"]
        by_model = Path("plan.json").read_bytes()
        run("plan", REQUEST, "--obligations", obligations(*sample()), "-o", "given.json")
        assert Path("given.json").read_bytes() == by_model

    def test_what_was_sent_and_came_back_lies_beside_the_plan(
        self, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        with wire.server([wire.reply(json.dumps({"obligations": sample()}))]) as server:
            self.plan(run, server)
        text = Path("plan.json.calls.jsonl").read_text("utf-8")
        rows = [json.loads(line) for line in text.splitlines()]
        assert [row["event"] for row in rows] == ["sent", "reply"]
        assert rows[0]["user"] == server.requests[0].document["messages"][1]["content"]
        assert json.loads(rows[1]["reply"]) == {"obligations": sample()}
        everything = "".join(Path(each).read_text("utf-8") for each in os.listdir())
        assert KEY not in everything
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"

    @pytest.mark.parametrize(
        "reply", ["Sure!", '{"obligations": []}', json.dumps({"obligations": sample()})[:-9]]
    )
    def test_a_bad_reply_is_re_decompose_after_one_call(self, run: Run, reply: str) -> None:
        """S-000-024, T11."""
        with wire.server([wire.reply(reply)]) as server:
            done = self.plan(run, server, "--json")
        error = done.document()["error"]
        assert (done.status, error["code"]) == (1, "RE_DECOMPOSE")
        assert error["detail"]["obligations"] == [] and error["detail"]["re_decompose"] is True
        assert not Path("plan.json").exists()

    def test_the_same_scope_is_not_sent_again(self, run: Run) -> None:
        with wire.server([wire.reply("Sure!")]) as server:
            self.plan(run, server)
            done = self.plan(run, server)
        assert done.status == 1 and "a scope is sent once" in done.err

    def test_a_server_that_fails_is_an_error_and_no_plan(self, run: Run) -> None:
        with wire.server([wire.status(503)]) as server:
            done = self.plan(run, server, "--json")
        assert done.status == 3
        error = done.document()["error"]
        assert (error["code"], error["retryable"]) == ("MODEL_SERVER_FAILED", False)
        assert error["fix"].endswith(
            "the scope is spent: ask again for another plan (-o), or with other --calls"
        )
        assert not Path("plan.json").exists()

    def test_obligations_of_a_refused_plan_are_kept_for_mending(self, run: Run) -> None:
        bad = [obligation("O1", dependencies=["O9"])]
        with wire.server([wire.reply(json.dumps({"obligations": bad}))]) as server:
            done = self.plan(run, server)
        assert done.status == 1
        assert artifact("plan.json.obligations.json")["obligations"] == bad
        assert "plan.json.obligations.json" in done.err

    def test_without_a_model_it_says_what_to_name(self, run: Run) -> None:
        done = run("plan", REQUEST, "-o", "p.json", "--json")
        assert (done.status, done.document()["error"]["code"]) == (2, "MODEL_UNNAMED")
        assert os.listdir() == ["issue.md"]

    def test_dry_run_prints_the_prompt_and_asks_nobody(self, run: Run) -> None:
        impact = EXAMPLES / "cases" / "click-rename.impact.json"
        with wire.server([]) as server:
            done = self.plan(run, server, "--dry-run", "--json", "--impact", str(impact))
        found = done.document()
        assert list(found) == ["system", "user", "tokens", "left_out", "scope"]
        assert found["tokens"] <= 4000
        assert "click.types.Choice.shell_complete CalledBy" in found["user"]
        text = self.plan(run, server, "--dry-run", "--impact", str(impact)).out
        assert found["user"] in text
        assert text.endswith(f"about {found['tokens']} tokens, 0 lines of evidence left out\n")
        assert os.listdir() == ["issue.md"]


class TestRules:
    def test_rules_alone_make_a_plan(self, run: Run) -> None:
        impact = EXAMPLES / "cases" / "click-rename.impact.json"
        done = run(
            *("plan", "Change `click.types.ParamType.shell_complete`", "--decomposer", "rules"),
            *("--impact", impact, "-o", "plan.json"),
        )
        assert done.status == 0
        targets = {
            part["target_entity"]
            for node in artifact()["nodes"]
            for part in node.get("members", [node])
        }
        assert "click.core.Parameter.shell_complete" in targets


class TestDecompose:
    REQUIREMENT = '{"goal": "g", "acceptance_criteria": ["a"], "constraints": []}'

    def decompose(self, run: Run, *more: Any, stdin: str = REQUIREMENT) -> Any:
        return run("decompose", "-", *more, stdin=stdin.encode())

    def test_the_obligations_are_exactly_the_reply(self, run: Run) -> None:
        with wire.server([wire.reply(json.dumps({"obligations": sample()}))]) as server:
            done = self.decompose(run, "--model", "m", "--base-url", server.url, "--json")
        assert (done.status, done.document()) == (0, {"obligations": sample()})

    def test_a_no_op_is_the_exact_object_with_exit_1(self, run: Run) -> None:
        with wire.server([wire.reply("no")]) as server:
            done = self.decompose(run, "--model", "m", "--base-url", server.url)
        assert done.status == 1
        assert done.document() == {"obligations": [], "re_decompose": True}
        assert "RE_DECOMPOSE" in done.err

    def test_calls_are_recorded_in_the_home_or_where_it_is_said(self, run: Run) -> None:
        replies = [wire.reply("no"), wire.reply("no")]
        with wire.server(replies) as server:
            named = ("--model", "m", "--base-url", server.url)
            self.decompose(run, *named)
            self.decompose(run, *named)
            self.decompose(run, *named, "--calls", "mine.jsonl")
        assert Path("build/07-task-decomposition-planning/calls.jsonl").exists()
        assert Path("mine.jsonl").exists()

    def test_rules_and_text(self, run: Run) -> None:
        done = self.decompose(run, "--decomposer", "rules")
        assert done.out.splitlines() == [
            "id  does    entity  caused by       after  validation",
            "O1  modify  .       criterion 1: a         a",
        ]

    def test_a_requirement_of_another_shape_is_refused(self, run: Run) -> None:
        done = self.decompose(run, "--json", stdin='{"goal": 1}')
        assert (done.status, done.document()["error"]["code"]) == (2, "REQUIREMENT_INVALID")
