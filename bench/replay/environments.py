"""Environments in which the tests of other projects run, and how they are run there.

A record of the corpus (corpus.json) pins every package that the tests of its commit need; the
project itself is not among them: its working copy comes first on PYTHONPATH, so that it is what is
tested, even where pytest imports the project too (pluggy, packaging, attrs). What an installation
would have generated (a `_version.py`, the metadata of a version) is written into the working copy.

    python = environment(record, cache)         # made once for a set of pins
    prepare(record, tree)                       # generated files
    result = run(record, python, tree, scratch)

Nothing here needs more than the standard library. uv makes the environments where it is there;
otherwise venv and pip do.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

PYTHON = (3, 11)
"""The interpreter that all pins are for."""

PLUGIN = "replay_outcomes"
FIXED = ("-q", "-p", "no:cacheprovider", "-p", PLUGIN, "-o", "addopts=", "--color=no")
"""What every run is told: no state between runs, no options of the project (coverage, xdist)."""

LATE = 124
"""The status of a run whose time was up."""

Record = Mapping[str, Any]


class Unavailable(Exception):
    """An environment that could not be made; the text says which command failed and how."""


class Result(NamedTuple):
    """A run of tests.

    Args:
        status: of pytest; 5 if none of the tests is there, LATE if the run was ended for its time.
        seconds: what the run took, or would have on an idle core (outcomes.py says how); 0 if
            pytest did not come to its end.
        outcomes: node id to passed, skipped or failed; empty if pytest did not come to its end.
        costs: node id to seconds, likewise.
        output: what pytest said.
        broken: modules that could not be imported, with the kind of error.
    """

    status: int
    seconds: float
    outcomes: dict[str, str]
    costs: dict[str, float]
    output: str
    broken: Mapping[str, str] = {}


def digest(requires: Sequence[str]) -> str:
    """Return the name of the environment of these pins, in whatever order they are."""
    lines = [f"python {PYTHON[0]}.{PYTHON[1]}", *sorted(requires)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def interpreter() -> str:
    """Return a Python of the version that the pins are for.

    Raises:
        Unavailable: none is on PATH.
    """
    if sys.version_info[:2] == PYTHON:
        return sys.executable
    name = f"python{PYTHON[0]}.{PYTHON[1]}"
    found = shutil.which(name)
    if found is None:
        raise Unavailable(f"no {name} on PATH")
    return found


def environment(record: Record, directory: Path) -> Path:
    """Return the Python of the environment that holds what the record requires; make it if needed.

    Args:
        record: a record of the corpus; `requires` is a complete list of pins.
        directory: where environments are kept, one for each set of pins.

    Raises:
        Unavailable: a package could not be had or installed.
    """
    requires = sorted(record["requires"])
    place = directory / digest(requires)
    python = place / "bin" / "python"
    done = place / "requires.txt"
    if done.exists():
        return python
    shutil.rmtree(place, ignore_errors=True)
    directory.mkdir(parents=True, exist_ok=True)
    listed = directory / f"{place.name}.txt"
    listed.write_text("".join(f"{each}\n" for each in requires))
    uv = shutil.which("uv")
    if uv:
        _run([uv, "venv", "-q", "--python", interpreter(), str(place)])
        _run([uv, "pip", "install", "-q", "--no-deps", "--python", str(python), "-r", str(listed)])
    else:
        _run([interpreter(), "-m", "venv", str(place)])
        _run([str(python), "-m", "pip", "install", "-q", "--no-deps", "-r", str(listed)])
    listed.rename(done)  # last: an environment without it is begun anew
    return python


def prepare(record: Record, tree: Path) -> None:
    """Write the files that an installation of the project would have generated.

    Raises:
        ValueError: a path of the record leads out of the working copy.
    """
    for path, content in record["files"].items():
        pure = PurePosixPath(path)
        if pure.is_absolute() or ".." in pure.parts:
            raise ValueError(f"{path!r} of the corpus leads out of the working copy")
        target = tree / pure
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")


def variables(record: Record, tree: Path, scratch: Path) -> dict[str, str]:
    """Return all variables of a run, so that no setting of this machine changes a result."""
    source = [str(tree / each) for each in record["paths"]]
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(scratch),
        "TMPDIR": str(scratch),
        "PYTHONPATH": os.pathsep.join([*source, str(scratch)]),
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUTF8": "1",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(scratch / "hypothesis"),
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "REPLAY_OUTCOMES": str(scratch / "outcomes.jsonl"),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "TERM": "dumb",
        "COLUMNS": "80",
    }


def command(record: Record, python: Path, tests: Sequence[str] | None = None) -> list[str]:
    """Return the command that runs the tests of a record, or those given instead of them."""
    chosen = record["tests"] if tests is None else tests
    left_out = [f"--deselect={each}" for each in record["deselect"]]
    return [str(python), "-m", "pytest", *FIXED, *record["pytest_args"], *left_out, *chosen]


def run(
    record: Record,
    python: Path,
    tree: Path,
    scratch: Path,
    tests: Sequence[str] | None = None,
    timeout: float = 60.0,
    processor: int | None = None,
    settings: Mapping[str, str] = {},
) -> Result:
    """Run the tests of a record in a working copy and return what became of each.

    Args:
        record: a record of the corpus.
        python: the interpreter of its environment.
        tree: the working copy, after `prepare`.
        scratch: an empty directory for home, temporary files and the report.
        tests: files, directories or node ids to run instead of the record's; those that the working
            copy lacks are left out, because a commit can add or delete a test file.
        timeout: seconds until the run is ended.
        processor: seconds of processor time until one of its processes is ended, which a busy
            machine does not shorten; None for no such limit.
        settings: variables beside those of `variables`; an empty one is taken away.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(Path(__file__).with_name("outcomes.py"), scratch / f"{PLUGIN}.py")
    chosen = [
        each
        for each in (record["tests"] if tests is None else tests)
        if (tree / each.partition("::")[0]).exists()
    ]
    if not chosen:
        return Result(5, 0.0, {}, {}, "none of the tests is there")
    report = scratch / "outcomes.jsonl"
    report.unlink(missing_ok=True)
    given = {**variables(record, tree, scratch), **settings}
    status, output = _limited(
        command(record, python, chosen),
        tree,
        {name: value for name, value in given.items() if value},
        timeout,
        processor,
    )
    lines = report.read_text(encoding="utf-8").splitlines() if report.exists() else []
    rows = [json.loads(each) for each in lines]
    broken = {row[0]: row[1] for row in rows if len(row) == 2}
    told = [row for row in rows if len(row) == 3 and row[0]]
    return Result(
        status,
        next((row[2] for row in rows if not row[0]), 0.0),
        {row[0]: row[1] for row in told},
        {row[0]: row[2] for row in told},
        output,
        broken,
    )


def _limited(
    arguments: list[str],
    tree: Path,
    settings: dict[str, str],
    timeout: float,
    processor: int | None,
) -> tuple[int, str]:
    """Run a command with all it starts, and end them all when it ends or its time is up."""
    if processor is not None:
        arguments = ["/bin/sh", "-c", f'ulimit -t {processor:d}; exec "$@"', "sh", *arguments]
    with tempfile.TemporaryFile() as said:
        with subprocess.Popen(
            arguments,
            cwd=tree,
            env=settings,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process:
            try:
                status = process.wait(timeout)
            except subprocess.TimeoutExpired:
                status = LATE
            else:
                status = LATE if status in (-signal.SIGKILL, -signal.SIGXCPU) else status
            finally:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
        said.seek(0)
        return status, said.read().decode(errors="replace")


def _run(arguments: list[str]) -> None:
    ended = subprocess.run(arguments, check=False, capture_output=True, text=True)
    if ended.returncode:
        said = (ended.stderr or ended.stdout).strip()
        raise Unavailable(f"`{' '.join(arguments)}` ended with {ended.returncode}:\n{said}")
