"""Asks pytest which tests there are, in a child process that a time limit ends.

Collecting runs code of the repository, so it happens only where it is asked for. The project's own
options of pytest stay in force, as its tests may need them; but what such a run leaves behind
(results, coverage, a cache) goes to a directory that is removed, and never over files of the user.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

from plan07.errors import Finding
from plan07.located import Located, Paths
from plan07.recon import Part, Repository, TestRow
from plan07_encoders.nodeids import Tests

SOURCE = "collect"
SECONDS = 120.0
_MOST_BYTES = 64 * 1024**2
_MOST_SAID = 2000
_NO_TESTS = 5
_PLUGIN = '''"""Writes what pytest collects, one test a line."""

import json
import os


def pytest_collection_finish(session):
    with open(os.environ["PLAN07_COLLECTED"], "w", encoding="utf-8") as out:
        for item in session.items:
            path = str(getattr(item, "path", None) or item.fspath)
            out.write(json.dumps([path, item.nodeid.partition("::")[2]]) + "\\n")
'''


class Collected(NamedTuple):
    """What pytest said.

    Args:
        tests: (absolute path, the rest of the node id).
        status: of the process; None where it was ended by the time limit.
        said: the end of what it printed.
    """

    tests: tuple[tuple[str, str], ...]
    status: int | None
    said: str


def read(repository: Repository) -> Iterator[Part]:
    """Yield the tests that pytest collects, if the option `collect` asks for it.

    Options: `python`, the interpreter to ask, by default that of `.venv`, else this one;
    `collect_seconds`.
    """
    if not repository.options.get("collect"):
        return
    python = repository.options.get("python") or _interpreter(repository.root)
    seconds = repository.options.get("collect_seconds") or SECONDS
    collected = ask(repository.root, str(python), float(seconds))
    paths = Paths(repository.root, (row.path for row in repository.files))
    tests = Tests(repository, Located(repository))
    rows: dict[str, TestRow] = {}
    for place, inner in collected.tests:
        path = paths(os.path.realpath(place))
        if path is not None and inner:
            nodeid = f"{path}::{inner}"
            rows.setdefault(nodeid, TestRow(nodeid, tests.find(nodeid).fqn, SOURCE))
    notes = [] if collected.status in (0, _NO_TESTS) else [_failed(collected, seconds)]
    yield Part(tests=tuple(rows.values()), notes=tuple(notes))


def _interpreter(root: str) -> str:
    inside = ("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")
    own = os.path.join(root, ".venv", *inside)
    return own if os.path.isfile(own) else sys.executable


def ask(root: str, python: str, seconds: float) -> Collected:
    """Return what pytest collects in a directory.

    Args:
        root: the directory.
        python: the interpreter that has pytest.
        seconds: after so long the process and its children are killed.
    """
    with tempfile.TemporaryDirectory(prefix="plan07-") as scratch:
        plugin = os.path.join(scratch, "plan07_collected.py")
        with open(plugin, "w", encoding="utf-8") as stream:
            stream.write(_PLUGIN)
        log, answer = os.path.join(scratch, "log"), os.path.join(scratch, "answer")
        status = _run(_command(python, scratch), root, _environment(scratch, answer), log, seconds)
        return Collected(tuple(_tests(answer)), status, _tail(log))


def _command(python: str, scratch: str) -> list[str]:
    return [
        *(python, "-m", "pytest", "--collect-only", "-q", "-p", "plan07_collected"),
        *("--continue-on-collection-errors", "-o", f"cache_dir={os.path.join(scratch, 'cache')}"),
        f"--junit-xml={os.path.join(scratch, 'results.xml')}",
    ]


def _environment(scratch: str, answer: str) -> dict[str, str]:
    path = os.pathsep.join([scratch, *filter(None, [os.environ.get("PYTHONPATH")])])
    return {
        **os.environ,
        "PYTHONPATH": path,
        "PYTHONDONTWRITEBYTECODE": "1",
        "COVERAGE_FILE": os.path.join(scratch, "coverage"),
        "PLAN07_COLLECTED": answer,
    }


def _run(
    command: list[str], root: str, environment: dict[str, str], log: str, seconds: float
) -> int | None:
    with open(log, "wb") as out:
        try:
            process = subprocess.Popen(
                command,
                cwd=root,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            out.write((error.strerror or "it cannot be started").encode())
            return 127
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            # Whatever the tests started while they were imported ends with the process.
            with contextlib.suppress(OSError):
                _kill(process)
            process.wait()


def _kill(process: subprocess.Popen[bytes]) -> None:
    if os.name == "posix":
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()


def _tests(answer: str) -> Iterator[tuple[str, str]]:
    try:
        with open(answer, "rb") as stream:
            lines = stream.read(_MOST_BYTES).splitlines()
    except OSError:
        return
    for line in lines:
        try:
            value = json.loads(line)
        except ValueError:
            continue
        match value:
            case [str(path), str(inner)]:
                yield path, inner


def _tail(log: str) -> str:
    with open(log, "rb") as stream:
        stream.seek(max(0, os.path.getsize(log) - _MOST_SAID))
        return stream.read().decode("utf-8", "replace")


def _failed(collected: Collected, seconds: float) -> Finding:
    last = [line for line in collected.said.splitlines() if line.strip()][-1:]
    said = f": {last[0].strip()[:200]}" if last else ""
    if collected.status is None:
        message = f"pytest did not collect the tests within {seconds:g} seconds"
        fix = "give it more time, or leave out --collect"
    else:
        message = f"pytest ended with status {collected.status} while it collected{said}"
        fix = "run pytest --collect-only to see why"
    detail = {"status": collected.status, "collected": len(collected.tests)}
    return Finding("COLLECT_FAILED", "pytest", message, fix, detail)
