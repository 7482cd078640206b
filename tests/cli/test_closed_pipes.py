"""What a command does when nobody reads what it prints: all the rest, quietly."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gitrepo
import pytest
import wire
from support import EXAMPLES

SAMPLE = EXAMPLES / "session-timeout.plan.json"
WARMUP = EXAMPLES / "warmup" / "straight"
REFUSED = EXAMPLES / "rename-unmended.plan.json"
# Beside the rules in a checkout; what is installed has no tests.
POLICY_TESTS = Path(__file__).parents[2] / "rules" / "policy_test.lp"
REQUEST = "Make the session timeout configurable"


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """No model and no rules of this machine, and a directory of one's own."""
    for name in list(os.environ):
        if name.startswith(("PLAN07_", "OPENAI_")):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    yield


def closed(*arguments: object, out: bool = True, err: bool = True) -> tuple[int, bytes, bytes]:
    """Return the status and what could be read of a command that writes into closed pipes.

    Args:
        arguments: of `plan07`.
        out: nobody reads standard output.
        err: nobody reads standard error.
    """
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            ["plan07", *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=writing if out else subprocess.PIPE,
            stderr=writing if err else subprocess.PIPE,
            check=False,
        )
    finally:
        os.close(writing)
    return done.returncode, done.stdout or b"", done.stderr or b""


class TestPlan:
    """The spec: one call of the model, and its result is kept."""

    def test_the_plan_of_a_paid_call_is_written(self) -> None:
        """S-000-052: the reply that was paid for becomes the artifact, whoever listens."""
        records = json.loads(SAMPLE.read_text("utf-8"))["obligations"]
        with wire.server([wire.reply(json.dumps({"obligations": records}))]) as server:
            server_options = ("--model", "m", "--base-url", server.url)
            assert closed("plan", REQUEST, "-o", "plan.json", *server_options)[0] == 0
            assert len(server.requests) == 1
        nodes = json.loads(Path("plan.json").read_text("utf-8"))["nodes"]
        assert [node["id"] for node in nodes] == ["O1", "O2", "O3"]

    def test_obligations_of_a_refused_plan_are_kept_and_the_status_is_told(self) -> None:
        given = json.loads(REFUSED.read_text("utf-8"))
        Path("edges.json").write_text(
            json.dumps({"schema": "plan07.impact/1", "edges": given["evidence"]["edges"]}), "utf-8"
        )
        reply = wire.reply(json.dumps({"obligations": given["obligations"]}))
        with wire.server([reply]) as server:
            status, _, _ = closed(
                *("plan", REQUEST, "-o", "plan.json", "--impact", "edges.json"),
                *("--model", "m", "--base-url", server.url),
            )
        assert status == 1
        kept = json.loads(Path("plan.json.obligations.json").read_text("utf-8"))
        assert kept["obligations"] == given["obligations"]
        assert not Path("plan.json").exists()

    def test_a_full_disk_behind_standard_error_loses_nothing(self) -> None:
        if not os.path.exists("/dev/full"):
            pytest.skip("no /dev/full here")
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                ["plan07", "plan", REQUEST, "--obligations", SAMPLE, "-o", "plan.json"],
                stdout=subprocess.PIPE,
                stderr=full,
                check=False,
            )
        assert done.returncode == 0
        assert done.stdout.startswith(b"3 steps, 1 ready, 2 blocked\n")
        assert len(json.loads(Path("plan.json").read_text("utf-8"))["nodes"]) == 3


class TestEveryCommand:
    @pytest.mark.parametrize(
        ("arguments", "status"),
        [
            (("solve", SAMPLE), 0),
            (("solve", SAMPLE, "--json"), 0),
            (("solve", REFUSED), 1),
            (("solve", REFUSED, "--json"), 1),
            (("solve", "no-such.json"), 2),
            (("rules", "list"), 0),
            (("schema",), 0),
            (("--help",), 0),
            (("solve", "--help"), 0),
            (("--version",), 0),
            ((), 2),
        ],
        ids=lambda each: " ".join(map(str, each)) if isinstance(each, tuple) else None,
    )
    def test_the_status_is_what_it_would_be(self, arguments: Any, status: int) -> None:
        assert closed(*arguments)[0] == status
        # Of the pipe nothing is said where somebody listens.
        whole = subprocess.run(["plan07", *map(str, arguments)], capture_output=True, check=False)
        assert closed(*arguments, err=False) == (status, b"", whole.stderr)

    def test_evidence_is_built(self) -> None:
        Path("shop").mkdir()
        Path("shop/a.py").write_text("def f():\n    return 1\n", "utf-8")
        assert closed("evidence", "build", "shop", "-o", "recon.db")[0] == 0
        assert Path("recon.db").stat().st_size > 0

    def test_a_report_is_written_after_the_outcomes_are_told(self) -> None:
        arguments = ("rules", "test", POLICY_TESTS, "-v", "--junit", "report.xml")
        assert closed(*arguments)[0] == 0
        assert 'failures="0"' in Path("report.xml").read_text("utf-8")

    def test_a_run_goes_on_to_its_end(self) -> None:
        shutil.copytree(WARMUP / "repo", "shop")
        gitrepo.commit(Path("shop"), {}, "start")
        planned = ("--obligations", WARMUP / "obligations.json", "-o", "plan.json")
        assert closed("plan", "--file", WARMUP / "request.md", *planned)[0] == 0
        agent = f"sh {EXAMPLES / 'warmup' / 'agent.sh'} {WARMUP / 'edits'}"
        assert closed("run", "plan.json", "--repo", "shop", "--agent", agent)[0] == 0
        nodes = json.loads(Path("plan.json").read_text("utf-8"))["nodes"]
        assert [node["state"] for node in nodes] == ["complete"] * 4


class TestClosedStreams:
    """Not a pipe without a reader, but no stream at all: `>&-` and `2>&-` of a shell."""

    @pytest.mark.parametrize(
        ("stream", "out", "err"),
        [(">&-", b"", b"plan07: "), ("2>&-", b"3 steps", b"")],
        ids=["output", "error"],
    )
    def test_what_would_be_said_there_goes_nowhere(
        self, stream: str, out: bytes, err: bytes
    ) -> None:
        line = f"plan07 plan '{REQUEST}' --obligations {SAMPLE} -o plan.json {stream}"
        done = subprocess.run(["bash", "-c", line], capture_output=True, check=False)
        assert done.returncode == 0
        assert done.stdout.startswith(out) and (out or not done.stdout)
        assert done.stderr.startswith(err) and (err or not done.stderr)
        assert b"plan07:" not in done.stdout
        assert len(json.loads(Path("plan.json").read_text("utf-8"))["nodes"]) == 3


def test_watching_ends_when_nobody_looks() -> None:
    """`rules test --watch | head` is not left running."""
    reading, writing = os.pipe()
    os.close(reading)
    arguments = ["plan07", "rules", "test", str(POLICY_TESTS), "--watch"]
    try:
        done = subprocess.run(arguments, stdout=writing, stderr=writing, timeout=240, check=False)
    finally:
        os.close(writing)
    assert done.returncode == 0
