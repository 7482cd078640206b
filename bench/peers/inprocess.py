"""The same question within one process, for what can be imported: the store is read each time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.measure import Command, Cost, ended, median
from bench.peers.trackers import GRAPHLIB, NETWORKX, Tracker, python_of
from bench.results import Column

COLUMNS = [
    Column("size", "tasks", "count"),
    Column("tool", "tool"),
    Column("cpu", "ms of the processor", "ms"),
    Column("ratio", "of plan07", "ratio"),
    Column("call", "call"),
]
NOTE = (
    "Each call reads the store from the disk, as the next command would; processes take turns, and "
    "a figure is the median of the calls after the first."
)
TURNS = 3

PLAN07 = """
from plan07 import clock, rulebook
from plan07.driver import Driver
from plan07.state import Store
rules = rulebook.load()
def ask():
    return [Driver(Store("plan.json"), rules, clock.now).next()["node_id"]]
"""
MICROBEADS = """
from pathlib import Path
from microbeads import issues, repo
root = repo.find_repo_root(Path.cwd())
def ask():
    worktree = repo.get_worktree_path(root)
    issues.clear_cache(worktree)
    return [each["id"] for each in issues.get_ready_issues(worktree)]
"""
AGENTPLAN = """
from agentplan import db
def ask():
    connection = db.get_connection()
    tickets = connection.execute("SELECT * FROM tickets WHERE project_id=1 ORDER BY num").fetchall()
    found = [each["num"] for each in db.get_unblocked(tickets)]
    connection.close()
    return found
"""
CALLS = {
    "plan07": (PLAN07, "Driver.next"),
    "microbeads": (MICROBEADS, "get_ready_issues"),
    "agentplan": (AGENTPLAN, "get_unblocked"),
    "networkx": (f"import networkx\n{NETWORKX}", "DiGraph.in_degree"),
    "graphlib": (f"import graphlib\n{GRAPHLIB}", "TopologicalSorter.get_ready"),
}
_LOOP = """
import json, statistics, time
{code}
taken = []
for turn in range({rounds} + 1):
    start, busy = time.perf_counter(), time.process_time()
    ask()
    taken.append((time.perf_counter() - start, time.process_time() - busy))
print(json.dumps([statistics.median(each) for each in zip(*taken[1:])]))
"""


def asked(
    contenders: Mapping[str, Tracker], size: int, rounds: int, folder: Path
) -> list[dict[str, Any]]:
    """Return what calls take on the projects that are there already.

    Args:
        contenders: name to tracker; those that are no Python are passed over.
        size: how many tasks.
        rounds: calls in each process.
        folder: where the projects lie.
    """
    costs: dict[str, list[Cost]] = {name: [] for name in contenders if name in CALLS}
    for _ in range(TURNS):
        for name, found in costs.items():
            tracker = contenders[name]
            place = folder / name / str(size)
            script = _LOOP.format(code=CALLS[name][0], rounds=rounds)
            words = [python_of(tracker), "-c", script]
            done = ended(Command(words, place, tracker.environment(place)))
            if done.status:
                raise SystemExit(f"{name}: {done.err[-500:]}")
            found.append(Cost(*json.loads(done.out)))
    medians = {name: median(each) for name, each in costs.items()}
    ours = medians["plan07"].cpu
    return [
        {
            "size": size,
            "tool": name,
            "cpu": each.cpu,
            "ratio": each.cpu / ours,
            "call": f"`{CALLS[name][1]}`",
        }
        for name, each in medians.items()
    ]
