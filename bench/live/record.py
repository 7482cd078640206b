"""The live comparison on the small tasks: lists them, records them with a local model, packs it.

    python -m bench live list                       writes bench/live/tasks.jsonl
    python -m bench live record --gguf MODEL.gguf   makes the runs that are missing, with the model
                         or --base-url URL          of a server that is there already
    python -m bench live pack                       makes cassette.jsonl.gz of what was recorded

`record` starts the server as `bench/model.py` does, one thread, and may be cut off and started
again: what was said is in the cassette, and what was run in the runs file. Whoever has the cassette
needs no model: `plan07 ab run bench/live/config.toml`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

from bench.model import serving
from plan07.ab import tasks

LIVE = Path(__file__).resolve().parent
CASSETTE = LIVE / "cassette.jsonl"


def main(argv: list[str]) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m bench live", description=__doc__.splitlines()[0]
    )
    parser.add_argument("command", choices=("list", "record", "pack"))
    parser.add_argument("--gguf", metavar="FILE", help="the weights")
    parser.add_argument("--base-url", metavar="URL", help="of a server that is there already")
    parser.add_argument("--python", default=sys.executable, help="has xllamacpp or llama_cpp")
    parser.add_argument("--config", default=str(LIVE / "config.toml"), metavar="FILE")
    given = parser.parse_args(argv)
    if given.command == "list":
        listed = tasks.listed(str(LIVE.parent / "tasks"), "../tasks")
        rows = [json.dumps(task.model_dump(mode="json"), sort_keys=True) for task in listed]
        (LIVE / "tasks.jsonl").write_text("\n".join(rows) + "\n")
    elif given.command == "pack":
        pack()
    elif given.base_url is not None:
        return record(given.config, given.base_url)
    elif given.gguf is None:
        parser.error("record needs --gguf or --base-url")
    else:
        with serving(given.python, given.gguf, 1) as url:
            return record(given.config, url)
    return 0


def record(config: str, url: str) -> int:
    """Make the runs of a configuration that its runs file lacks, and return the exit status."""
    words = [sys.executable, "-m", "plan07", "ab", "run", config]
    words += ["--workers", "1", "-o", config.removesuffix(".toml") + ".runs.jsonl"]
    environ = {**os.environ, "PLAN07_BASE_URL": url, "PLAN07_AB_CASSETTE": "record"}
    return subprocess.run(words, env=environ, check=False).returncode


def pack() -> None:
    """Join what was recorded with what is packed, in the order of the requests, and pack it."""
    rows: dict[str, bytes] = {}
    for place in (CASSETTE.with_suffix(".jsonl.gz"), CASSETTE):
        if place.exists():
            data = (
                gzip.decompress(place.read_bytes()) if place.suffix == ".gz" else place.read_bytes()
            )
            rows |= {json.loads(line)["request"]: line for line in data.splitlines()}
    text = b"".join(rows[key] + b"\n" for key in sorted(rows))
    # Without a name and a time in it, so that the same replies give the same bytes.
    CASSETTE.with_suffix(".jsonl.gz").write_bytes(gzip.compress(text, mtime=0))
    CASSETTE.unlink(missing_ok=True)
