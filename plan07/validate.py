"""The local validation gate: runs what an obligation's validation names (build spec 3.5).

A gate passes when every check passes, fails when one fails, and is broken when one could not be
run at all: then nothing was learned, so nothing is failed or planned again. What kind of check a
text is stands in `checks`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from plan07 import checks, runner
from plan07.checks import Check

SECONDS = 600.0
PASS, FAIL, ERROR = "pass", "fail", "error"
# Environment variables that hold a key of the model; no check has a use for them.
_SECRETS = ("PLAN07_API_KEY", "OPENAI_API_KEY")
_AUDITED = ("check", "kind", "outcome", "exit", "seconds", "sha256")
# What of a caller's git would point a child at another repository than its own.
_ELSEWHERE = (
    *("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"),
    *("GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX"),
)
# The options come last, so whatever the project's own add, the outcome is told in this form.
_PYTEST = ("-m", "pytest", "--verbosity=-1", "--no-header", "--color=no")
_SUITE = re.compile(r"<testsuite [^>]*>")
_COUNT = re.compile(r'\b(tests|errors|failures|skipped)="(\d+)"')
_MISSING = re.compile(r"^ERROR: (?:file or directory )?not found: ", re.M)
_TOLD = re.compile(r"(?:FAILED|ERROR) \S")
# What differs between two runs that fail alike: how long they took, and addresses.
_DURATION = re.compile(r"\s*\bin \d+(?:\.\d+)? ?s(?:econds)?\b|\s*\(?\d+(?:\.\d+)?m?s\)?$")
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
_COMPILE = """\
import sys, pathlib
for name in sys.argv[1:]:
    path = pathlib.Path(name)
    files = [path]
    if path.is_dir():
        files = [
            each
            for each in sorted(path.rglob("*.py"))
            if not any(part.startswith(".") for part in each.relative_to(path).parts)
        ]
    if not files:
        sys.exit(f"there is no Python file in {name}")
    for each in files:
        compile(each.read_bytes(), str(each), "exec", dont_inherit=True)
"""
_IMPORT = """\
import importlib, sys
sys.path[:0] = [".", "src"]
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except SystemExit:
        raise ImportError(f"{name} exits when it is imported") from None
"""


class CheckResult(NamedTuple):
    """What came of one check.

    Args:
        check: its text, as the validation has it.
        kind: pytest, compile, import, command or predicate.
        outcome: pass, fail or error.
        reason: one line; "" for a pass.
        exit: exit status, None where nothing ran.
        seconds: how long it ran.
        sha256: of its output.
        output: the last lines of its output.
    """

    check: str
    kind: str
    outcome: str
    reason: str = ""
    exit: int | None = None
    seconds: float = 0.0
    sha256: str = ""
    output: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {**self._asdict(), "seconds": round(self.seconds, 3)}


class GateResult(NamedTuple):
    """What the gate says of a node.

    Args:
        node: its id.
        outcome: pass, fail or error.
        checks: one result for each check.
    """

    node: str
    outcome: str
    checks: tuple[CheckResult, ...]

    @property
    def reason(self) -> str:
        """One line of why it did not pass."""
        return next((each.reason for each in self.checks if each.outcome == self.outcome), "")

    @property
    def said(self) -> str:
        """What was checked, one line."""
        return "; ".join(each.check for each in self.checks)[:180]

    def as_row(self) -> dict[str, Any]:
        """Return what the audit keeps of it: no output, but its digest."""
        return {
            "obligation": self.node,
            "reason": self.reason,
            "checks": [
                {name: value for name, value in each.as_dict().items() if name in _AUDITED}
                for each in self.checks
            ],
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "node_id": self.node,
            "outcome": self.outcome,
            "reason": self.reason,
            "checks": [each.as_dict() for each in self.checks],
        }


class Runner(Protocol):
    """Runs a check; a harness may bring its own."""

    def __call__(self, check: Check, text: str) -> CheckResult:
        """Return what came of a check.

        Args:
            check: what to run.
            text: as the validation has it.
        """
        raise NotImplementedError


class Local:
    """Runs checks on this machine, in a repository.

    Args:
        repository: the directory they run in.
        seconds: the time limit of one check.
        python: the interpreter that has the project and pytest; found when None.
        predicates: the command that judges predicates, if there is one.
        watch: called while a check runs; what it raises ends the check.
        environment: what the environment of the checks is made from.
        mark: by which what a check leaves is found, also by a process that comes later.
    """

    def __init__(
        self,
        repository: str,
        seconds: float = SECONDS,
        python: str | None = None,
        predicates: Sequence[str] = (),
        watch: Callable[[], None] = lambda: None,
        environment: Mapping[str, str] | None = None,
        mark: str = "",
    ) -> None:
        self._directory = os.path.abspath(repository)
        self._seconds = seconds
        given = os.environ if environment is None else environment
        self._environment = surroundings(given)
        self._python = _whole(python) if python else interpreter(self._directory, given)
        self._predicates = tuple(predicates)
        self._watch = watch
        self._mark = mark

    def __call__(self, check: Check, text: str) -> CheckResult:
        """Return what came of a check."""
        if check.kind == "predicate":
            return self._predicate(check, text)
        if check.kind == "pytest":
            return self._pytest(check, text)
        words = {
            "compile": (self._python, "-c", _COMPILE),
            "import": (self._python, "-c", _IMPORT),
            "command": (),
        }[check.kind]
        ran = self._run((*words, *check.args))
        outcome, reason = self._judge(check, ran)
        return _result(check, text, outcome, reason, ran)

    def _run(self, words: Sequence[str], given: bytes = b"") -> runner.Ran:
        if not os.path.isdir(self._directory):
            reason = f"there is no directory {self._directory}"
            return runner.Ran(None, 0.0, False, "", 0, "", reason)
        return runner.run(
            words,
            self._directory,
            self._environment,
            self._seconds,
            given=given,
            watch=self._watch,
            mark=self._mark,
        )

    def _judge(self, check: Check, ran: runner.Ran) -> tuple[str, str]:
        if ran.exit is None:
            program = check.args[0] if check.kind == "command" else self._python
            return ERROR, f"{program} cannot be run: {ran.reason}"
        if ran.timed_out:
            return FAIL, f"it did not end within {self._seconds:g} seconds"
        if ran.exit == 0:
            return PASS, ""
        return FAIL, last_line(ran.output) or _ended(ran)

    def _pytest(self, check: Check, text: str) -> CheckResult:
        """Run tests; their cache goes elsewhere, so that no run depends on the one before."""
        with tempfile.TemporaryDirectory(prefix="plan07-pytest-") as folder:
            report = os.path.join(folder, "report.xml")
            written = ("-o", f"cache_dir={folder}/cache", f"--junitxml={report}")
            ran = self._run((self._python, *_PYTEST, *written, "--", *check.args))
            outcome, reason = self._judge(check, ran)
            if ran.exit is not None and not ran.timed_out:
                outcome, reason = self._judge_tests(ran, _passed(report))
        return _result(check, text, outcome, reason, ran)

    def _judge_tests(self, ran: runner.Ran, passed: int) -> tuple[str, str]:
        """Nothing but a test that ran and passed is a pass."""
        if ran.exit == 0:
            return (PASS, "") if passed else (FAIL, "no test passed; skipped ones prove nothing")
        if ran.exit == 5:
            return FAIL, "no test was collected"
        if ran.exit == 4 and _MISSING.search(ran.output):
            return FAIL, "the test does not exist"
        if self._run((self._python, "-c", "import pytest")).exit != 0:
            return ERROR, f"{self._python} has no pytest"
        if ran.exit == 3:
            return ERROR, "pytest failed internally"
        told = [line for line in ran.output.splitlines() if _TOLD.match(line)]
        return FAIL, last_line(told[0] if told else ran.output) or _ended(ran)

    def _predicate(self, check: Check, text: str) -> CheckResult:
        if not self._predicates:
            reason = "nobody is there to judge a statement; name a command with --predicates"
            return CheckResult(text, check.kind, ERROR, reason)
        question = json.dumps({"predicate": check.args[0]}).encode() + b"\n"
        ran = self._run(self._predicates, question)
        if ran.exit == 0 and not ran.timed_out:
            return _result(check, text, PASS, "", ran)
        if ran.exit == 1 and not ran.timed_out:
            return _result(check, text, FAIL, last_line(ran.output) or "it does not hold", ran)
        reason = ran.reason or ("it took too long" if ran.timed_out else f"exit status {ran.exit}")
        return _result(check, text, ERROR, f"{self._predicates[0]} did not judge it: {reason}", ran)


def gate(node: Mapping[str, Any], run: Runner) -> GateResult:
    """Return what the gate says of a node; a composite passes when all its members do.

    Args:
        node: in its wire form.
        run: runs a check.
    """
    asked: dict[Check, str] = {}
    found = []
    for part in node.get("members", (node,)):
        parsed = checks.parts(part["validation"])
        if not parsed:
            reason = f"{part['id']} has no validation, so nothing can prove it done"
            found.append(CheckResult("", "predicate", ERROR, reason))
        asked |= {check: text for text, check in parsed if check not in asked}
    found += [run(check, text) for check, text in asked.items()]
    outcomes = {each.outcome for each in found}
    # What failed is not done, whatever else could not be run.
    outcome = FAIL if FAIL in outcomes else ERROR if ERROR in outcomes else PASS
    return GateResult(node["id"], outcome, tuple(found))


def surroundings(given: Mapping[str, str], keys: bool = False) -> dict[str, str]:
    """Return the environment of a child: the one given, without keys, colours or byte code.

    What would lead its git to another repository is left out as well.

    Args:
        given: environment variables.
        keys: the child may have the keys of the model, as an agent that asks one needs.
    """
    dropped = {*_ELSEWHERE, *(() if keys else _SECRETS)}
    kept = {name: value for name, value in given.items() if name not in dropped}
    return {**kept, "NO_COLOR": "1", "TERM": "dumb", "PYTHONDONTWRITEBYTECODE": "1"}


def interpreter(repository: str, given: Mapping[str, str]) -> str:
    """Return the Python that a repository's tests run with.

    PLAN07_PYTHON, the virtual environment of the repository, the one that is active, the first
    `python3` on the path, and at last this one.

    Args:
        repository: its directory.
        given: environment variables.
    """
    candidates = [
        given.get("PLAN07_PYTHON"),
        *(os.path.join(repository, name, "bin", "python") for name in (".venv", "venv")),
        os.path.join(given["VIRTUAL_ENV"], "bin", "python") if given.get("VIRTUAL_ENV") else None,
        shutil.which("python3", path=given.get("PATH")),
    ]
    found = (each for each in candidates if each and os.access(each, os.X_OK))
    return _whole(next(found, sys.executable))


def _result(check: Check, text: str, outcome: str, reason: str, ran: runner.Ran) -> CheckResult:
    lines = ran.output.rstrip().splitlines()[-20:]
    shown = "\n".join(lines)
    return CheckResult(text, check.kind, outcome, reason, ran.exit, ran.seconds, ran.sha256, shown)


def last_line(output: str) -> str:
    r"""Return the last line that says something, without what differs from run to run.

    >>> last_line("one\n<Session at 0x7f3a5c0d2e10> is closed in 0.12s\n\n")
    '<Session at 0x...> is closed'
    """
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return _ADDRESS.sub("0x...", _DURATION.sub("", lines[-1]))[:200] if lines else ""


def _ended(ran: runner.Ran) -> str:
    assert ran.exit is not None
    return f"it was ended by signal {-ran.exit}" if ran.exit < 0 else f"exit status {ran.exit}"


def _passed(report: str) -> int:
    """Return how many tests passed, by the report of pytest; 0 where it wrote none."""
    try:
        with open(report, encoding="utf-8", errors="replace") as stream:
            suite = _SUITE.search(stream.read(4096))
    except OSError:
        return 0
    counts = {name: int(number) for name, number in _COUNT.findall(suite.group() if suite else "")}
    return 2 * counts.get("tests", 0) - sum(counts.values())


def _whole(path: str) -> str:
    """A path that holds in every directory; a bare name is looked up when it is run."""
    return os.path.abspath(path) if os.sep in path else path
