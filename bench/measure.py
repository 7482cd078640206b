"""What every benchmark measures with: time of clock and processor, memory, and the machine.

On a machine that others use too, only the time of the processor says something, and only beside
something else that was measured in turn with it. So contenders are always run one after the other,
round by round, and a figure is the median of its rounds.
"""

from __future__ import annotations

import os
import platform
import resource
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
# What plan07 runs on; a benchmark adds what it compares with.
PACKAGES = ("plan07", "clingo", "pydantic", "click")
YARDSTICK_ROUNDS = 5


class Cost(NamedTuple):
    """What something takes.

    Args:
        wall: seconds of the clock.
        cpu: seconds of the processor, of all processes that it starts and waits for.
    """

    wall: float
    cpu: float


class Command(NamedTuple):
    """A command as a user would type it.

    Args:
        words: program and arguments.
        cwd: where it runs.
        env: variables beside those of this process.
    """

    words: Sequence[str]
    cwd: Path = ROOT
    env: Mapping[str, str] = MappingProxyType({})


class Ended(NamedTuple):
    """How a command ended.

    Args:
        cost: what it took.
        status: its exit status, None if it was stopped because it took too long.
        out: what it printed on standard output.
        err: what it printed on standard error.
    """

    cost: Cost
    status: int | None
    out: str
    err: str


def median(costs: Sequence[Cost]) -> Cost:
    """Return the medians of both times."""
    return Cost(
        statistics.median(each.wall for each in costs),
        statistics.median(each.cpu for each in costs),
    )


def interleaved(calls: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, Cost]:
    """Return what calls take in this process, in turn, after one round to warm up."""
    costs: dict[str, list[Cost]] = {name: [] for name in calls}
    for turn in range(rounds + 1):
        for name, call in calls.items():
            start, busy = time.perf_counter(), time.process_time()
            call()
            cost = Cost(time.perf_counter() - start, time.process_time() - busy)
            if turn:
                costs[name].append(cost)
    return {name: median(found) for name, found in costs.items()}


def ended(command: Command, timeout: float | None = None) -> Ended:
    """Run a command once.

    Args:
        command: what to run.
        timeout: seconds after which it is stopped.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    status: int | None = None
    out = err = ""
    try:
        done = subprocess.run(
            list(command.words),
            cwd=command.cwd,
            env={**_as_installed(), **command.env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=timeout,
        )
        status, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        pass
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Ended(Cost(wall, cpu), status, out, err)


def _as_installed() -> dict[str, str]:
    """Return the environment, but that bytecode is kept, as it is of what pip installs."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def cold(commands: Mapping[str, Command], rounds: int) -> dict[str, Cost]:
    """Return what commands take from a standing start, run in turn."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            cost = ended(command).cost
            # The first turn compiles.
            if turn:
                costs[name].append(cost)
    return {name: median(found) for name, found in costs.items()}


def plan07(*arguments: str) -> list[str]:
    """Return the words of the command, as it stands beside this interpreter."""
    script = Path(sys.executable).parent / "plan07"
    return [*([str(script)] if script.exists() else [sys.executable, "-m", "plan07"]), *arguments]


def peak_in(code: str) -> float:
    """Return the peak memory of a fresh interpreter that runs some code, in MiB."""
    # The high-water mark of the process itself; ru_maxrss would count the parent's.
    script = f"{code}\nprint(open('/proc/self/status').read())"
    done = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True, cwd=ROOT
    )
    mark = next(line for line in done.stdout.splitlines() if line.startswith("VmHWM"))
    return int(mark.split()[1]) / 1024


def memory_of(pid: int) -> float:
    """Return the memory of a process and those it started in MiB, shared pages counted once."""
    total = 0
    todo = [pid]
    while todo:
        each = todo.pop()
        try:
            rollup = Path(f"/proc/{each}/smaps_rollup").read_text()
            total += next(int(r.split()[1]) for r in rollup.splitlines() if r.startswith("Pss:"))
            todo += map(int, Path(f"/proc/{each}/task/{each}/children").read_text().split())
        except (OSError, StopIteration):
            continue
    return total / 1024


class Watched(NamedTuple):
    """A command with the peak memory of all its processes in MiB, looked at every 50 ms."""

    cost: Cost
    memory: float


def watched(*words: str) -> Watched:
    """Run a command that has to succeed, and look at its memory."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, cwd=ROOT)
    peak = 0.0
    over = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not over.is_set():
            peak = max(peak, memory_of(process.pid))
            time.sleep(0.05)

    watcher = threading.Thread(target=watch)
    watcher.start()
    status = process.wait()
    wall = time.perf_counter() - start
    over.set()
    watcher.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if status:
        raise SystemExit(f"{' '.join(words)} ended with {status}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Watched(Cost(wall, cpu), peak)


def yardstick() -> float:
    """Return the processor time of a Python loop of a million steps, in seconds."""
    calls = {"loop": lambda: sum(each * each for each in range(1_000_000))}
    return interleaved(calls, YARDSTICK_ROUNDS)["loop"].cpu


def environment(date: str, packages: Sequence[str] = ()) -> dict[str, Any]:
    """Return where and with what something is measured.

    Args:
        date: YYYY-MM-DD.
        packages: what is used beside `PACKAGES`.
    """
    versions = {}
    for name in (*PACKAGES, *packages):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return {
        "date": date,
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": versions,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
