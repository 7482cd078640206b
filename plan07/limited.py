"""Solves in a child process with a limit of time and memory.

Grounding cannot be interrupted, so a runaway rule of an overlay can only be stopped from outside.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from plan07 import document, solver
from plan07.errors import InputError, Plan07Error, RulesError, defect, from_dict

# Enough for 10,000 obligations many times over.
MEMORY_BYTES = 4 * 1024**3
# A day; clocks of some systems end not far beyond.
_LONGEST = 86_400
_CHILD = "from plan07.limited import child; child()"


def solve(plan: Any, name: str, options: solver.Options, seconds: float) -> dict[str, Any]:
    """Return the schedule of a plan document in its wire form.

    Args:
        plan: the document, plain JSON values.
        name: how messages call it.
        options: how to solve.
        seconds: more than 0, at most a day.

    Raises:
        PlanRefused, InputError, RulesError: as `solver.solve_plan`; RulesError also when the time
            is over or the child dies.
    """
    if not isinstance(seconds, int | float) or not 0 < seconds <= _LONGEST:
        raise InputError(
            "TIME_LIMIT_INVALID",
            f"a time limit cannot be {seconds!r:.80} seconds",
            f"give more than 0 and at most {_LONGEST}",
            phase="usage",
        )
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])])
    request = {"plan": plan, "name": name, "options": _portable(options)}
    process = subprocess.Popen(
        [sys.executable, "-c", _CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,
    )
    try:
        out, _ = process.communicate(json.dumps(request).encode(), timeout=seconds)
    except subprocess.TimeoutExpired:
        raise RulesError(
            "TIME_LIMIT",
            f"the rules did not come to an answer within {seconds:g} seconds",
            "look for a rule of the overlay that multiplies, or raise --time-limit",
            phase="rules",
            detail={"seconds": seconds},
        ) from None
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()
    try:
        answer = json.loads(out)
    except ValueError:
        raise RulesError(
            "CHILD_FAILED",
            f"the solver ended with status {process.returncode}, perhaps for want of memory",
            f"the rules may use {MEMORY_BYTES} bytes; look for a rule that multiplies",
            phase="rules",
            detail={"status": process.returncode},
        ) from None
    if "error" in answer:
        raise from_dict(answer, answer["status"])
    result: dict[str, Any] = answer["result"]
    return result


def bounded_memory() -> None:
    """Let this process have `MEMORY_BYTES` at most, where the system knows such limits."""
    try:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        limit = MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MEMORY_BYTES, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    except (ImportError, ValueError, OSError):
        pass  # Not every system has such limits; the time limit holds everywhere.


def child() -> None:
    """Answer one request from standard input; what the child process runs."""
    bounded_memory()
    request = json.load(sys.stdin)
    given = request["options"]
    options = solver.Options(**{**given, "clingo_options": tuple(given["clingo_options"])})
    answer: dict[str, Any]
    try:
        plan = document.read(request["plan"], request["name"])
        answer = {"result": solver.solve_plan(plan, options)}
    except Plan07Error as error:
        answer = {**error.as_dict(), "status": error.exit_status}
    except MemoryError:
        raise
    except Exception as error:
        answer = {**defect(error).as_dict(), "status": defect(error).exit_status}
    json.dump(answer, sys.stdout)


def _portable(options: solver.Options) -> dict[str, Any]:
    return {
        **options._asdict(),
        "files": {origin: os.path.abspath(path) for origin, path in options.files.items()},
        "rules": None if options.rules is None else os.path.abspath(options.rules),
        "repo": None if options.repo is None else os.path.abspath(options.repo),
        "policy": dict(options.policy),
        "limits": dict(options.limits),
    }
