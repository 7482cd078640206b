"""A working copy of a repository: its files, its checkpoints, and how it stands.

How it stands is measured, not guessed: whether every Python file compiles, every module outside of
the tests imports, and every test passes that passed before anything was changed. These are the
oracles of the temporal-consistency rate (build spec 7.2). The code runs in processes of their own
with a time limit; a copy is for code that may run on this machine, so run a model that you do not
trust in a container.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from xml.etree import ElementTree

from plan07 import runner
from plan07.errors import InputError
from plan07.validate import surroundings

_PHASE = "ab"
# How many times as long a check may take by the clock as by the processor.
PATIENCE = 20
_NOT_READ = ("build", "__pycache__")
_MOST_LINES = 6
_LONGEST_LINE = 200
_PYTEST = (
    *("-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "-p", "no:plan07"),
    *("-p", "no:xdist", "-p", "no:hypothesispytest", "--color=no"),
)
_LIMITED = """\
import os, resource, sys
seconds = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
os.execv(sys.argv[2], sys.argv[2:])
"""
_IMPORT = """\
import importlib, sys
sys.path.insert(0, ".")
for name in sys.argv[1:]:
    importlib.import_module(name)
"""
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
_GIT = (
    *("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "commit.gpgsign=false"),
    *("-c", "user.name=plan07", "-c", "user.email=plan07@localhost", "-c", "core.autocrlf=false"),
)


class Outcomes(NamedTuple):
    """What came of tests.

    Args:
        passed: node ids.
        failed: node id, or file that could not be collected, to one line of why.
    """

    passed: frozenset[str]
    failed: Mapping[str, str]

    @property
    def text(self) -> str:
        """The failures, one to a line, the first of them only."""
        rows = [f"{test}: {why}" for test, why in sorted(self.failed.items())]
        left = len(rows) - _MOST_LINES
        return "\n".join([*rows[:_MOST_LINES], *([f"and {left} more"] if left > 0 else [])])


class State(NamedTuple):
    """How a working copy stands.

    Args:
        outcomes: of the tests that an agent may see.
        oracles: what each judge says, by its name.
    """

    outcomes: Outcomes
    oracles: dict[str, bool | None]

    @property
    def valid(self) -> bool:
        """Whether the repository is buildable and testable."""
        return all(self.oracles.values())

    @property
    def done(self) -> bool:
        """Whether every test passes that an agent may see, and there is one."""
        return self.valid and bool(self.outcomes.passed) and not self.outcomes.failed

    @property
    def failure(self) -> str:
        """What is wrong, one line for each failure; "" where nothing is."""
        if self.done:
            return ""
        wrong = [name for name, holds in self.oracles.items() if not holds]
        return self.outcomes.text or f"this does not hold: {', '.join(wrong) or 'a test passes'}"


class WorkingCopy:
    """A directory that an arm edits, under git, with a checkpoint to go back to.

    Args:
        root: the directory; it holds the repository at its base.
        python: the interpreter of the tests.
        seconds: of the processor, the limit of one check.
        tests: what pytest is told to run; all tests by default.
        forgiving: tests that fail at the base are no failures afterwards, as in a repository whose
            request names none of them.

    Raises:
        InputError: git or pytest cannot be used.
    """

    def __init__(
        self,
        root: str,
        python: str,
        seconds: float,
        tests: Sequence[str] = ("tests",),
        *,
        forgiving: bool = False,
    ) -> None:
        self.root = os.path.realpath(root)
        self._python = python
        self._seconds = seconds
        self._tests = tuple(tests)
        self._seen: dict[tuple[tuple[str, str], ...], State] = {}
        if not os.path.isdir(os.path.join(self.root, ".git")):
            self._git("init", "-q", "-b", "main")
        with open(os.path.join(self.root, ".git", "info", "exclude"), "a") as stream:
            stream.write("build/\n__pycache__/\n")
        self.base = self.commit("base")
        found = run_tests(self.root, self._python, self._seconds, self._tests)
        self.base_passed = found.passed
        self._forgiven = frozenset(found.failed) if forgiving else frozenset[str]()
        self._base_files = self.files()
        self._importable = self._imports(self._base_files)

    def files(self) -> dict[str, str]:
        """Return the Python files, path to text, in the order of their paths."""
        found = {}
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(x for x in folders if x[0] != "." and x not in _NOT_READ)
            for name in sorted(names):
                place = os.path.join(folder, name)
                if name.endswith(".py") and not os.path.islink(place):
                    with open(place, encoding="utf-8", errors="replace", newline="") as stream:
                        found[os.path.relpath(place, self.root)] = stream.read()
        return dict(sorted(found.items()))

    def write(self, changed: Mapping[str, str]) -> None:
        """Write files.

        Args:
            changed: path to new text; a file without text is removed.

        Raises:
            InputError: a path leads out of the copy.
        """
        places = {path: os.path.join(self.root, path) for path in changed}
        for path, place in places.items():
            inside = os.path.commonpath([self.root, os.path.realpath(place)]) == self.root
            if not inside or os.path.islink(place):
                raise InputError(
                    "AB_EDIT_OUTSIDE",
                    f"the edit of {path} would leave the working copy",
                    "remove the link from the repository of the task",
                    phase=_PHASE,
                    detail={"path": path},
                )
        for path, text in changed.items():
            place = places[path]
            if not text:
                if os.path.exists(place):
                    os.unlink(place)
                continue
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "w", encoding="utf-8", newline="") as stream:
                stream.write(text)

    def commit(self, message: str) -> str:
        """Make the files a checkpoint; return its commit."""
        self._git("add", "-A")
        self._git("commit", "-q", "--allow-empty", "-m", message)
        return self.head()

    def head(self) -> str:
        """Return the commit of the last checkpoint."""
        return self._git("rev-parse", "HEAD").strip()

    def take_back(self, commit: str = "HEAD") -> None:
        """Put the files back to a checkpoint, the last one by default."""
        self._git("reset", "-q", "--hard", commit)
        self._git("clean", "-qfd")

    def state(self) -> State:
        """Return how the copy stands; the same files are not judged twice."""
        files = self.files()
        key = tuple(files.items())
        if key not in self._seen:
            found = run_tests(self.root, self._python, self._seconds, self._tests)
            failed = {x: why for x, why in found.failed.items() if x not in self._forgiven}
            outcomes = found._replace(failed=failed)
            oracles = {
                "compiles": all(
                    _compiles(text, path)
                    for path, text in files.items()
                    if text != self._base_files.get(path)
                ),
                # Where not every module could be imported to begin with, nothing is learned.
                "imports": not self._importable or self._imports(files),
                "tests": self.base_passed <= outcomes.passed,
            }
            self._seen[key] = State(outcomes, dict(oracles))
        return self._seen[key]

    def _imports(self, files: Mapping[str, str]) -> bool:
        names = [
            path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            for path in files
            if not path.startswith(("tests/", "test_")) and "conftest" not in path
        ]
        words = (self._python, "-c", _IMPORT, *names)
        return _run(words, self.root, self._seconds).exit == 0

    def _git(self, *words: str) -> str:
        environment = surroundings(os.environ) | {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_TERMINAL_PROMPT": "0",
        }
        try:
            done = subprocess.run(
                ["git", *_GIT, *words],
                cwd=self.root,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=True,
                timeout=120,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise InputError(
                "AB_GIT_FAILED",
                f"git {words[0]} does not work in a working copy: {type(error).__name__}",
                "install git; checkpoints of a run are kept with it",
                phase=_PHASE,
                detail={"command": words[0]},
            ) from error
        return done.stdout.decode("utf-8", "replace")


def laid(source: str, root: str) -> None:
    """Copy the files of a directory into a new one, links left out.

    Args:
        source: the directory.
        root: where they go; made where it is missing.
    """
    for folder, folders, names in os.walk(source):
        folders[:] = [x for x in folders if x not in (*_NOT_READ, ".git")]
        target = os.path.join(root, os.path.relpath(folder, source))
        os.makedirs(target, exist_ok=True)
        for name in names:
            place = os.path.join(folder, name)
            if not os.path.islink(place):
                shutil.copyfile(place, os.path.join(target, name))


def run_tests(root: str, python: str, seconds: float, tests: Sequence[str]) -> Outcomes:
    """Return what came of tests.

    Args:
        root: the working copy.
        python: the interpreter.
        seconds: of the processor, the limit of all of them together.
        tests: files, directories or node ids.

    Raises:
        InputError: pytest cannot be run.
    """
    with tempfile.TemporaryDirectory(prefix="plan07-") as folder:
        report = os.path.join(folder, "report.xml")
        words = (python, *_PYTEST, f"--junitxml={report}", "-o", "junit_family=xunit1")
        ran = _run((*words, "--", *tests), root, seconds)
        if os.path.exists(report):
            found = outcomes(report, root)
            if found.passed or found.failed or ran.exit == 5:
                return found
    if ran.timed_out:
        return Outcomes(frozenset(), {tests[0]: f"no end within {seconds:g} seconds"})
    if _run((python, "-c", "import pytest"), root, seconds).exit != 0:
        raise InputError(
            "AB_PYTEST_MISSING",
            f"{python} has no pytest",
            "install pytest there, or name another interpreter as python in options",
            phase=_PHASE,
            detail={"python": python},
        )
    return Outcomes(frozenset(), {tests[0]: "pytest came to no result"})


def _run(words: Sequence[str], root: str, seconds: float) -> runner.Ran:
    """Run a Python, its limit in processor time: a busy machine must not change a verdict."""
    python = words[0]
    limited = (python, "-c", _LIMITED, str(max(1, round(seconds))), shutil.which(python) or python)
    environment = {**surroundings(os.environ), "COLUMNS": "200", "PYTHONHASHSEED": "0"}
    ran = runner.run((*limited, *words[1:]), root, environment, seconds * PATIENCE)
    return ran._replace(timed_out=ran.timed_out or ran.exit == -signal.SIGXCPU)


def outcomes(report: str, root: str) -> Outcomes:
    """Return what a JUnit report of pytest says, without what differs from run to run.

    Args:
        report: the file.
        root: the working copy, whose path is left out of messages.
    """
    passed, failed = set(), {}
    try:
        cases = list(ElementTree.parse(report).getroot().iter("testcase"))
    except (ElementTree.ParseError, OSError):
        return Outcomes(frozenset(), {})
    for case in cases:
        file = case.get("file") or f"{(case.get('name') or '').replace('.', '/')}.py"
        classes = (case.get("classname") or "").split(".")[file.count("/") + 1 :]
        name = "::".join([file, *classes, case.get("name") or ""])
        wrong = [x for x in case if x.tag in ("failure", "error")]
        if wrong:
            name = file if wrong[0].get("message") == "collection failure" else name
            failed[name] = _why(wrong[0], root)
        elif not any(x.tag == "skipped" for x in case):
            passed.add(name)
    return Outcomes(frozenset(passed - failed.keys()), failed)


def _why(wrong: ElementTree.Element, root: str) -> str:
    told = [x[2:].strip() for x in (wrong.text or "").splitlines() if x.startswith("E ")]
    # What is wrong with an assertion stands first, with a module that cannot be imported last.
    first = 0 if wrong.get("message") != "collection failure" else -1
    line = told[first] if told else (wrong.get("message") or "it failed").splitlines()[0]
    line = _ADDRESS.sub("0x...", line.replace(root + os.sep, ""))
    return line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 3] + "..."


def _compiles(text: str, path: str) -> bool:
    try:
        compile(text, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return False
    return True
