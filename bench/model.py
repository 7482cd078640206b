"""`python -m bench model --gguf FILE`: three requests through `plan07 plan` and a real local model.

Starts the OpenAI-compatible server of `xllamacpp` or `llama-cpp-python`, whichever PYTHON has,
with the model, waits until it answers, and makes three plans. Nothing is asked twice. What the
model said goes to standard error. A small model on two cores takes a minute or two for each.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.command import Benchmark, Found, Skipped, run
from bench.measure import ROOT, plan07
from bench.results import Column, Table

CASES = ROOT / "tests" / "examples" / "cases"
REQUESTS = [
    (
        "a feature",
        "Make the session timeout configurable, so that tests/test_session.py::test_custom passes",
        None,
    ),
    (
        "a changed signature, with evidence",
        "Let `click.types.ParamType.shell_complete` take the parameter, and follow it everywhere",
        CASES / "click-rename.impact.json",
    ),
    (
        "a helper that goes",
        "Remove the deprecated helper from marshmallow; no test may break",
        CASES / "marshmallow-helper.impact.json",
    ),
]
_XLLAMACPP = """
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.port, params.n_ctx = sys.argv[1], int(sys.argv[2]), 8192
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(sys.argv[3])
server = xllamacpp.Server(params)
while True:
    time.sleep(3600)
"""


@contextlib.contextmanager
def serving(python: str, weights: str, threads: int) -> Iterator[str]:
    """Yield the address of a server that answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    has = [python, "-c", "import xllamacpp"]
    if subprocess.run(has, capture_output=True, check=False).returncode == 0:
        words = [python, "-c", _XLLAMACPP, weights, str(port), str(threads)]
    else:
        words = [python, "-m", "llama_cpp.server", "--model", weights, "--port", str(port)]
        words += ["--n_ctx", "8192", "--n_threads", str(threads)]
    server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        url = f"http://127.0.0.1:{port}/v1"
        deadline = time.monotonic() + 300
        while not answers(f"{url}/models"):
            if server.poll() is not None or time.monotonic() > deadline:
                raise Skipped("the server did not come up; pip install xllamacpp, and --python")
            time.sleep(0.5)
        yield url
    finally:
        server.terminate()
        server.wait()


def answers(url: str) -> bool:
    """Whether a server is there and has loaded its model."""
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:
            return bool(reply.status == 200)
    except OSError:
        return False


def planned(name: str, request: str, impact: Path | None, url: str) -> dict[str, Any]:
    """Make one plan; return what it cost and what became of it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.json"
        words = plan07("plan", request, "-o", str(path), "--json")
        words += ["--model", "local", "--base-url", url]
        words += ["--impact", str(impact)] if impact else []
        environ = {**os.environ, "PLAN07_TOKEN_PARAMETER": "max_tokens"}
        done = subprocess.run(words, capture_output=True, text=True, env=environ, check=False)
        calls = path.with_name("plan.json.calls.jsonl")
        rows = [json.loads(x) for x in calls.read_text().splitlines()] if calls.exists() else []
    found: dict[str, Any] = {"request": name}
    for row in rows:
        if row["event"] == "reply":
            print(f"{name}: {row['reply'].strip()}\n", file=sys.stderr)
            found |= {key: row[key] for key in ("prompt_tokens", "completion_tokens", "seconds")}
            found["ended"] = row["finish_reason"]
            found["ratio"] = row["completion_tokens"] / row["seconds"]
    document = json.loads(done.stdout)
    if "error" in document:
        error = document["error"]
        found["became"] = f"exit {done.returncode}, {error['code']}: {error['message']}"[:160]
    else:
        found["became"] = f"order {', '.join(document['schedule']['order'])}"
    return found


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--gguf", required=True, metavar="FILE", help="the weights")
    parser.add_argument("--python", default=sys.executable, help="has xllamacpp or llama_cpp")
    parser.add_argument("--threads", type=int, default=2)


def measured(given: argparse.Namespace) -> Found:
    """Ask for the plans, one with `--quick`."""
    with serving(given.python, given.gguf, given.threads) as url:
        asked = REQUESTS[:1] if given.quick else REQUESTS
        rows = [planned(name, request, impact, url) for name, request, impact in asked]
    columns = [
        Column("request", "request"),
        Column("prompt_tokens", "tokens in", "count"),
        Column("completion_tokens", "tokens out", "count"),
        Column("seconds", "s of the clock", "s"),
        Column("ratio", "tokens out each second", "ratio"),
        Column("ended", "ended by"),
        Column("became", "what became of it"),
    ]
    return Found([Table(f"Plans by {Path(given.gguf).stem}", columns, rows)])


BENCHMARK = Benchmark(
    "model", "What becomes of requests that a local model decomposes?", measured, options
)


def main(argv: list[str]) -> int:
    return run(BENCHMARK, argv)
