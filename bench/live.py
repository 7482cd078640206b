"""The live comparison on the small tasks: lists them, records them with a local model, packs it.

    python bench/live.py list                       writes bench/live/tasks.jsonl
    python bench/live.py record --gguf MODEL.gguf   makes the runs that are missing, with the model
    python bench/live.py pack                       makes cassette.jsonl.gz of what was recorded

`record` starts the server as `bench/model.py` does, one thread, and may be cut off and started
again: what was said is in the cassette, and what was run in the runs file. Whoever has the cassette
needs no model: `plan07 ab run bench/live/config.toml`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
from pathlib import Path

from model import serving

from plan07.ab import execute, store, tasks
from plan07.ab import config as config_

HERE = Path(__file__).resolve().parent
LIVE = HERE / "live"
CASSETTE = LIVE / "cassette.jsonl"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("command", choices=("list", "record", "pack"))
    parser.add_argument("--gguf", metavar="FILE", help="the weights")
    parser.add_argument("--python", default=sys.executable, help="has xllamacpp or llama_cpp")
    parser.add_argument("--config", default=str(LIVE / "config.toml"), metavar="FILE")
    parser.add_argument("-o", "--output", default=str(LIVE / "runs.jsonl"), metavar="FILE")
    given = parser.parse_args()
    if given.command == "list":
        listed = tasks.listed(str(HERE / "tasks"), "../tasks")
        rows = [json.dumps(task.model_dump(mode="json"), sort_keys=True) for task in listed]
        (LIVE / "tasks.jsonl").write_text("\n".join(rows) + "\n")
    elif given.command == "pack":
        pack()
    elif given.gguf is None:
        parser.error("record needs --gguf")
    else:
        with serving(given.python, given.gguf, 1) as url:
            os.environ |= {"PLAN07_BASE_URL": url, "PLAN07_AB_CASSETTE": "record"}
            record(given.config, given.output)


def record(path: str, output: str) -> None:
    """Make the runs of a configuration that a runs file lacks."""
    config = config_.load(path)

    def told(done: int, total: int, job: config_.Job) -> None:
        removed = f" without {job.removed}" if job.removed else ""
        print(f"{done}/{total} {job.task.id} {job.arm}{removed}", flush=True)

    with store.Store(output, config.context) as runs, execute.local(1) as executor:
        execute.run_all(config, runs, executor, told)


def pack() -> None:
    """Join what was recorded with what is packed, in the order of the requests, and pack it."""
    rows = {}
    for place in (CASSETTE.with_suffix(".jsonl.gz"), CASSETTE):
        if place.exists():
            data = gzip.decompress(place.read_bytes()) if place.suffix == ".gz" else place.read_bytes()
            rows |= {json.loads(line)["request"]: line for line in data.splitlines()}
    text = b"".join(rows[key] + b"\n" for key in sorted(rows))
    # Without a name and a time in it, so that the same replies give the same bytes.
    CASSETTE.with_suffix(".jsonl.gz").write_bytes(gzip.compress(text, mtime=0))
    CASSETTE.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
