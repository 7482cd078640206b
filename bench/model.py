"""Asks a real local model: three requests through `plan07 plan`, and what became of each.

    python bench/model.py --gguf MODEL.gguf [--python PYTHON]

Starts the OpenAI-compatible server of `xllamacpp` or `llama-cpp-python`, whichever PYTHON has,
with the model, waits until it answers, makes three plans, and prints for each what the model said,
what it cost, and what plan07 made of it. Nothing is asked twice. A small model on two cores takes
a minute or two for each.
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

HERE = Path(__file__).resolve().parent
CASES = HERE.parent / "tests" / "examples" / "cases"
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


def main() -> None:
    """Run the three requests."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gguf", required=True, metavar="FILE", help="the weights")
    parser.add_argument("--python", default=sys.executable, help="has xllamacpp or llama_cpp")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    with serving(given.python, given.gguf, given.threads) as url:
        for name, request, impact in REQUESTS:
            plan(name, request, impact, url)


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
                sys.exit("the server did not come up")
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


def plan(name: str, request: str, impact: Path | None, url: str) -> None:
    """Make one plan and print what happened."""
    print(f"## {name}\n\n{request}\n")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "plan.json"
        words = [sys.executable, "-m", "plan07", "plan", request, "-o", str(path), "--json"]
        words += ["--model", "local", "--base-url", url]
        words += ["--impact", str(impact)] if impact else []
        environ = {**os.environ, "PLAN07_TOKEN_PARAMETER": "max_tokens"}
        done = subprocess.run(words, capture_output=True, text=True, env=environ, check=False)
        calls = path.with_name("plan.json.calls.jsonl")
        rows = [json.loads(x) for x in calls.read_text().splitlines()] if calls.exists() else []
    for row in rows:
        if row["event"] == "reply":
            print(row["reply"].strip() + "\n")
            print(
                f"{row['finish_reason']}, {row['prompt_tokens']} tokens in, "
                f"{row['completion_tokens']} out, {row['seconds']:.1f} s\n"
            )
    document = json.loads(done.stdout)
    if "error" in document:
        error = document["error"]
        print(f"exit {done.returncode}, {error['code']}: {error['message']}\n")
    else:
        print(f"exit 0, order {', '.join(document['schedule']['order'])}\n")


if __name__ == "__main__":
    main()
