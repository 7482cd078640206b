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
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from plan07 import checks, runner
from plan07.checks import Check

SECONDS = 600.0
PASS, FAIL, ERROR = "pass", "fail", "error"
# Environment variables that hold a key of the model; no check has a use for them.
_SECRETS = ("PLAN07_API_KEY", "OPENAI_API_KEY")
_AUDITED = ("check", "kind", "outcome", "exit", "seconds", "sha256")
_PASSED = re.compile(r"(?<![\w.])[1-9]\d*\s+x?passed\b")
_TOLD = re.compile(r"(?:FAILED|ERROR) \S")
_DURATION = re.compile(r"\s*\bin \d+(?:\.\d+)? ?s(?:econds)?\b|\s*\(?\d+(?:\.\d+)?m?s\)?$")
_COMPILE = """\
import sys, pathlib
for name in sys.argv[1:]:
    path = pathlib.Path(name)
    for each in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
        compile(each.read_bytes(), str(each), "exec", dont_inherit=True)
"""
_IMPORT = """\
import importlib, sys
sys.path[:0] = [".", "src"]
for name in sys.argv[1:]:
    importlib.import_module(name)
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


class Local:
    """Runs checks on this machine, in a repository.

    Args:
        repository: the directory they run in.
        seconds: the time limit of one check.
        python: the interpreter that has the project and pytest; found when None.
        predicates: the command that judges predicates, if there is one.
        watch: called while a check runs; what it raises ends the check.
        environment: what the environment of the checks is made from.
    """

    def __init__(
        self,
        repository: str,
        seconds: float = SECONDS,
        python: str | None = None,
        predicates: Sequence[str] = (),
        watch: Callable[[], None] = lambda: None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._directory = os.path.abspath(repository)
        self._seconds = seconds
        given = os.environ if environment is None else environment
        self._environment = surroundings(given)
        self._python = python or interpreter(self._directory, given)
        self._predicates = tuple(predicates)
        self._watch = watch

    def __call__(self, check: Check, text: str) -> CheckResult:
        """Return what came of a check."""
        if check.kind == "predicate":
            return self._predicate(check, text)
        words = {
            "pytest": (self._python, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider"),
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
        )

    def _judge(self, check: Check, ran: runner.Ran) -> tuple[str, str]:
        if ran.exit is None:
            program = check.args[0] if check.kind == "command" else self._python
            return ERROR, f"{program} cannot be run: {ran.reason}"
        if ran.timed_out:
            return FAIL, f"it did not end within {self._seconds:g} seconds"
        if check.kind == "pytest":
            return self._judge_pytest(ran)
        if ran.exit == 0:
            return PASS, ""
        return FAIL, _last_line(ran.output) or f"exit status {ran.exit}"

    def _judge_pytest(self, ran: runner.Ran) -> tuple[str, str]:
        """Nothing but a test that ran and passed is a pass."""
        if ran.exit == 0:
            if _PASSED.search(_last_line(ran.output)):
                return PASS, ""
            return FAIL, "no test passed; skipped ones prove nothing"
        if ran.exit == 5:
            return FAIL, "no test was collected"
        if ran.exit == 4 and "not found" in ran.output:
            return FAIL, "the test does not exist"
        if self._run((self._python, "-c", "import pytest")).exit != 0:
            return ERROR, f"{self._python} has no pytest"
        if ran.exit == 3:
            return ERROR, "pytest failed internally"
        told = [line for line in ran.output.splitlines() if _TOLD.match(line)]
        return FAIL, (told[0][:200] if told else "") or _last_line(ran.output) or "it failed"

    def _predicate(self, check: Check, text: str) -> CheckResult:
        if not self._predicates:
            reason = "nobody is there to judge a statement; name a command with --predicates"
            return CheckResult(text, check.kind, ERROR, reason)
        question = json.dumps({"predicate": check.args[0]}).encode() + b"\n"
        ran = self._run(self._predicates, question)
        if ran.exit == 0 and not ran.timed_out:
            return _result(check, text, PASS, "", ran)
        if ran.exit == 1 and not ran.timed_out:
            return _result(check, text, FAIL, _last_line(ran.output) or "it does not hold", ran)
        reason = ran.reason or ("it took too long" if ran.timed_out else f"exit status {ran.exit}")
        return _result(check, text, ERROR, f"{self._predicates[0]} did not judge it: {reason}", ran)


def gate(node: Mapping[str, Any], run: Runner) -> GateResult:
    """Return what the gate says of a node; a composite passes when all its members do.

    Args:
        node: in its wire form.
        run: runs a check.
    """
    texts = list(dict.fromkeys(part["validation"].strip() for part in node.get("members", (node,))))
    found = []
    for text in texts:
        parsed = checks.parse(text)
        if not parsed:
            reason = "the obligation has no validation, so nothing can prove it done"
            found.append(CheckResult(text, "predicate", ERROR, reason))
        found += [run(check, text) for check in parsed]
    outcomes = {each.outcome for each in found}
    # What failed is not done, whatever else could not be run.
    outcome = FAIL if FAIL in outcomes else ERROR if ERROR in outcomes else PASS
    return GateResult(node["id"], outcome, tuple(found))


def surroundings(given: Mapping[str, str], keys: bool = False) -> dict[str, str]:
    """Return the environment of a child: the one given, without keys, colours or byte code.

    Args:
        given: environment variables.
        keys: the child may have the keys of the model, as an agent that asks one needs.
    """
    kept = {name: value for name, value in given.items() if keys or name not in _SECRETS}
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
    return next((each for each in candidates if each and os.access(each, os.X_OK)), sys.executable)


def _result(check: Check, text: str, outcome: str, reason: str, ran: runner.Ran) -> CheckResult:
    lines = ran.output.rstrip().splitlines()[-20:]
    shown = "\n".join(lines)
    return CheckResult(text, check.kind, outcome, reason, ran.exit, ran.seconds, ran.sha256, shown)


def _last_line(output: str) -> str:
    """Return the last line that says something, without how long it took, which always differs."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return _DURATION.sub("", lines[-1])[:200] if lines else ""
