"""A pytest plug-in that writes what became of each test and what it cost.

One JSON array a line: node id, outcome, seconds; and one of the whole run, whose node id is empty.
Seconds are those that went by less those in which this process waited for a processor, so that a
busy machine counts little, and a test that sleeps or waits for a server counts in full.

Loaded as `-p replay_outcomes`, in the environment of another project and thus in whichever pytest
that project needs; the standard library is all it uses. The file to write is REPLAY_OUTCOMES.
A test is `failed` if its set-up, its body or its tear-down failed; a file that cannot be collected
is one `failed` line of its own. Of the packages that REPLAY_IMPORTS names, every module is imported
at the end; one that cannot be gives a line of two: its name, and the kind of error.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import time
from typing import Any

_WORSE = {"passed": 0, "skipped": 1, "failed": 2}
_seen: dict[str, str] = {}
_cost: dict[str, float] = {}
_clock = [0.0]


def _spent() -> float:
    try:
        with open("/proc/self/schedstat", encoding="ascii") as told:
            waited = int(told.read().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):  # no Linux
        waited = 0.0
    return time.monotonic() - waited


_BEGIN = _spent() - time.process_time()


def _note(nodeid: str, outcome: str) -> None:
    _seen[nodeid] = max(_seen.get(nodeid, "passed"), outcome, key=lambda each: _WORSE[each])


def pytest_runtestloop() -> None:
    """Begin to count; what came before is start-up."""
    _clock[0] = _spent()


def pytest_runtest_logreport(report: Any) -> None:
    """Take the outcome of one phase of a test, and what was spent since the phase before."""
    now = _spent()
    _cost[report.nodeid] = _cost.get(report.nodeid, 0.0) + now - _clock[0]
    _clock[0] = now
    _note(report.nodeid, report.outcome)


def pytest_collectreport(report: Any) -> None:
    """Take a file that could not be collected."""
    if report.failed:
        _note(report.nodeid, "failed")


def pytest_sessionfinish() -> None:
    """Write what was taken, in the order of the node ids."""
    with open(os.environ["REPLAY_OUTCOMES"], "w", encoding="utf-8") as out:
        out.write(json.dumps(["", "run", _spent() - _BEGIN]) + "\n")
        for nodeid in sorted(_seen):
            out.write(json.dumps([nodeid, _seen[nodeid], _cost.get(nodeid, 0.0)]) + "\n")
        for name, kind in sorted(_broken(os.environ.get("REPLAY_IMPORTS", "").split()).items()):
            out.write(json.dumps([name, kind]) + "\n")


def _broken(packages: list[str]) -> dict[str, str]:
    found = {}
    todo = list(packages)
    while todo:
        name = todo.pop()
        if name.rpartition(".")[2] == "__main__":
            continue
        try:
            module = importlib.import_module(name)
        except BaseException as error:
            found[name] = type(error).__name__
            continue
        for each in pkgutil.iter_modules(getattr(module, "__path__", ())):
            todo.append(f"{name}.{each.name}")
    return found
