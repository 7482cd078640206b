"""Ends what a program has left running, also where it has left its process group.

A program is given a variable in its environment, which every process that comes of it inherits.
Where the system shows the environment of a process (`/proc`, on Linux), those that still have it
are ended. Elsewhere only the process group is.
"""

from __future__ import annotations

import contextlib
import os
import signal

NAME = "PLAN07_RUN"
_TURNS = 5


def end(value: str) -> int:
    """End every process whose environment has the variable with a value; return how many.

    This process and those it comes from are left alone: they may have been started by an agent.

    Args:
        value: of the variable `NAME`.
    """
    wanted = f"{NAME}={value}".encode()
    spared = _ancestors()
    ended: set[int] = set()
    # One that forks meanwhile is found at the next turn.
    for _ in range(_TURNS):
        found = [each for each in _processes() if each not in spared and wanted in _variables(each)]
        if not found:
            break
        for each in found:
            with contextlib.suppress(OSError):
                os.kill(each, signal.SIGKILL)
                ended.add(each)
    return len(ended)


def _processes() -> list[int]:
    with contextlib.suppress(OSError):
        return [int(each) for each in os.listdir("/proc") if each.isdecimal()]
    return []


def _variables(process: int) -> list[bytes]:
    """The environment that a process was started with; empty for one of somebody else."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/environ", "rb") as stream:
        return stream.read().split(b"\0")
    return []


def _ancestors() -> set[int]:
    found, process = set(), os.getpid()
    while process > 0 and process not in found:
        found.add(process)
        process = _parent(process)
    return found


def _parent(process: int) -> int:
    with contextlib.suppress(OSError), open(f"/proc/{process}/stat", "rb") as stream:
        # The name stands in parentheses, and may hold some itself.
        return int(stream.read().rpartition(b")")[2].split()[1])
    return 0
