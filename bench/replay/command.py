"""`python -m bench replay`: real commits re-applied in several orders, every state tried."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import Future, as_completed
from importlib.resources import files
from typing import Any

from bench.replay.replaying import ORDERS, Job, Places, replay
from bench.replay.table import markdown
from plan07.errors import Plan07Error

_CACHE = os.path.join(os.path.expanduser("~"), ".cache", "plan07-replay")
# Where environments and states are kept where nothing else is said.
DEFAULTS = Places("", os.path.join(_CACHE, "environments"), os.path.join(_CACHE, "states"))


def main(argv: Sequence[str]) -> int:
    """Run the command.

    Args:
        argv: its arguments.

    Returns:
        0; 1 where a commit could not be replayed, 2 where nothing was asked for; 130 interrupted.
    """
    asked = _parser().parse_args(list(argv))
    unknown = set(asked.orders) - set(ORDERS)
    if unknown:
        print(
            f"replay: there is no order {min(unknown)}; one of {', '.join(ORDERS)}", file=sys.stderr
        )
        return 2
    places = Places(*(os.path.abspath(p) for p in (asked.repos, asked.environments, asked.kept)))
    jobs = [
        Job(record, tuple(asked.orders), asked.budget, places, asked.whole)
        for record in corpus()
        if asked.only in f"{record['repo']}@{record['commit']}"
        and not any(each in f"{record['repo']}@{record['commit']}" for each in asked.without)
        and asked.origin in ("", record["origin"])
        and asked.split in ("all", record["split"])
    ]
    if not jobs:
        print("replay: the corpus has no such commit", file=sys.stderr)
        return 2
    rows, status = _made(jobs, asked)
    text = markdown(rows, asked.orders)
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as stream:
            json.dump(rows, stream, indent=1, sort_keys=True)
            stream.write("\n")
    print(text, end="")
    return status


def corpus() -> list[dict[str, Any]]:
    """Return the records of the shipped corpus, in its order."""
    told = json.loads(files("bench.replay").joinpath("corpus.json").read_text(encoding="utf-8"))
    return list(told["records"])


def _made(jobs: Sequence[Job], asked: argparse.Namespace) -> tuple[list[dict[str, Any]], int]:
    """Return a row for each commit, in the order of the corpus; those made before an interrupt."""
    from plan07.ab import execute

    made: dict[int, dict[str, Any]] = {}
    status = 0

    def ended(future: Future[dict[str, Any]], place: int) -> None:
        nonlocal status
        name = f"{jobs[place].record['repo']}@{jobs[place].record['commit'][:10]}"
        try:
            made[place] = future.result()
        except Exception as error:
            status = 1
            print(f"replay: {name}: {error!r}"[:500], file=sys.stderr)
        print(f"replay: {len(made)} of {len(jobs)}: {name}", file=sys.stderr, flush=True)

    hands = execute.dask(asked.dask) if asked.dask else execute.local(asked.workers)
    try:
        with hands as (executor, _):
            pending: dict[Future[dict[str, Any]], int] = {}
            for place, job in enumerate(jobs):
                future = executor.submit(replay, job)
                if future.done():
                    # One worker is this process, and has it already.
                    ended(future, place)
                else:
                    pending[future] = place
            for future in as_completed(pending):
                ended(future, pending[future])
    except KeyboardInterrupt:
        print("replay: interrupted; what was tried is kept", file=sys.stderr)
        status = 130
    except Plan07Error as error:
        print(f"replay: {error.message}; {error.fix}", file=sys.stderr)
        status = 2
    return [made[place] for place in sorted(made)], status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench replay", description=__doc__)
    parser.add_argument("--repos", required=True, help="clones, each in a directory OWNER__NAME")
    parser.add_argument("--only", default="", metavar="TEXT", help="commits that contain it")
    parser.add_argument(
        "--without", nargs="+", default=[], metavar="TEXT", help="leave out commits that contain it"
    )
    parser.add_argument("--origin", default="", help="listed, mined, codeplan or sdist")
    parser.add_argument("--split", choices=("all", "tuned", "untouched"), default="all")
    parser.add_argument("--orders", nargs="+", default=list(ORDERS), metavar="ORDER")
    parser.add_argument(
        "--whole", action="store_true", help="run all tests that the corpus names, in every state"
    )
    parser.add_argument("--budget", type=int, default=300, help="states that the search may try")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--dask", metavar="ADDRESS", help="an existing cluster instead of a pool")
    parser.add_argument("--environments", default=DEFAULTS.environments)
    parser.add_argument("--kept", default=DEFAULTS.kept)
    parser.add_argument("--json", metavar="FILE", help="write the rows there, too")
    return parser
