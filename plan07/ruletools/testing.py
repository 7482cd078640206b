"""Finds rule tests and runs them, in process or in child processes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from plan07.errors import InputError, Plan07Error, RulesError
from plan07.ruletools import cases, workers
from plan07.ruletools.cases import SUFFIX, Case, Draft
from plan07.ruletools.judging import faults, judge
from plan07.ruletools.outcomes import ERROR, FAILED, Outcome, outcome_from
from plan07.ruletools.subjects import Rules, overlay_of

# Rules that load and have not exactly one answer fail a test; others cannot be tested at all.
_WITHOUT_ANSWER = ("RULES_UNSATISFIABLE", "RULES_AMBIGUOUS")


def choose(drafts: Sequence[Draft], wanted: str) -> list[Draft]:
    """Return the tests whose name, `file::test`, a regular expression is found in.

    Raises:
        InputError: it is none, or no test has such a name.
    """
    try:
        pattern = re.compile(wanted, re.IGNORECASE)
    except re.error as error:
        raise InputError(
            "USAGE",
            f"-k takes a regular expression, not {wanted!r}: {error}",
            "write part of a test's name",
            phase="usage",
        ) from error
    found = [
        draft for draft in drafts if pattern.search(f"{os.path.basename(draft.path)}::{draft.name}")
    ]
    if not found:
        raise InputError(
            "TESTS_NONE",
            f"no test is named like {wanted!r}",
            "leave out -k to run every test",
            phase="usage",
            detail={"wanted": wanted},
        )
    return found


def discover(paths: Sequence[str]) -> list[str]:
    """Return the test files in some places, sorted within each, none twice.

    Args:
        paths: test files, rule files whose tests are meant, and directories, which are searched
            to any depth.

    Raises:
        InputError: there is no such place, or no test in it.
    """
    found: dict[str, None] = {}
    for path in paths:
        files = list(_tests_in(path))
        if not files:
            raise InputError(
                "TESTS_NONE",
                f"there is no rule test in {path}",
                f"name a file or a directory with files named *{SUFFIX}",
                phase="usage",
                detail={"path": path},
            )
        found.update(dict.fromkeys(files))
    return list(found)


def _tests_in(path: str) -> Iterable[str]:
    if os.path.isdir(path):
        for directory, inner, names in os.walk(path):
            inner[:] = sorted(name for name in inner if not name.startswith("."))
            for name in sorted(names):
                if name.endswith(SUFFIX):
                    yield os.path.join(directory, name)
        return
    if path.endswith(".lp") and not path.endswith(SUFFIX):
        path = path.removesuffix(".lp") + SUFFIX
    if os.path.isfile(path) and path.endswith(SUFFIX):
        yield path


class Runner:
    """Runs tests, and keeps what several of them share.

    Args:
        rules: a directory of rule files for all tests; without it, the one that a test lies in.
    """

    def __init__(self, rules: str | None = None) -> None:
        self._asked = rules
        self.rules = lru_cache(maxsize=None)(Rules)
        self._drafts = lru_cache(maxsize=None)(cases.read)
        self._cases: dict[tuple[str, str], Case] = {}

    def drafts(self, path: str) -> list[Draft]:
        """Return the tests of a file.

        Raises:
            InputError: it cannot be read, or what it says is no test.
        """
        return self._drafts(path)

    def rules_of(self, path: str) -> Rules:
        """Return the rules that the tests of a file run on."""
        return self.rules(overlay_of(path, self._asked))

    def run(self, path: str, name: str) -> Outcome:
        """Return what comes of a test.

        Raises:
            InputError: the file is no test file.
            RulesError: a rule file does not load.
        """
        draft = self._draft(path, name)
        try:
            case = self._case(draft)
            rules = self.rules_of(path)
            problems = faults(case, rules)
            if problems:
                return Outcome(path, name, case.line, ERROR, problems=problems)
            answer = rules.answer(case)
        except RulesError as error:
            if error.code not in _WITHOUT_ANSWER:
                raise
            return Outcome(path, name, draft.line, FAILED, problems=(error.message,))
        except Plan07Error as error:
            return Outcome(path, name, draft.line, ERROR, problems=(error.message,))
        return judge(case, answer)

    def case(self, path: str, name: str) -> Case:
        """Return a test with its facts spelt out.

        Raises:
            InputError: it cannot be grounded, or what it wishes cannot be understood.
        """
        return self._case(self._draft(path, name))

    def _draft(self, path: str, name: str) -> Draft:
        return next(each for each in self.drafts(path) if each.name == name)

    def _case(self, draft: Draft) -> Case:
        key = (draft.path, draft.name)
        if key not in self._cases:
            self._cases[key] = cases.case(draft)
        return self._cases[key]


def serve(rules: str | None) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return what a child process answers with: the outcome of the test at a path of a name."""
    runner = Runner(rules)
    return lambda question: runner.run(question["path"], question["name"]).as_dict()


def run(
    drafts: Sequence[Draft], rules: str | None = None, seconds: float = 10.0, jobs: int = 1
) -> Iterator[Outcome]:
    """Yield what comes of each test, in their order, from child processes.

    Args:
        drafts: the tests.
        rules: a directory of rule files for all tests; without it, the one that a test lies in.
        seconds: how long a test may take.
        jobs: how many run at once, at least 1.

    Raises:
        RulesError: a rule file does not load.
    """
    questions = [{"path": draft.path, "name": draft.name} for draft in drafts]
    found = workers.answers(f"{__name__}:serve", {"rules": rules}, questions, seconds, jobs)
    for draft, answer in zip(drafts, found, strict=True):
        yield outcome_of(draft, answer, seconds)


def outcome_of(draft: Draft, answer: Any, seconds: float) -> Outcome:
    """Return what comes of a test that a child process ran.

    Args:
        draft: the test.
        answer: the child's answer, or the error that came instead.
        seconds: how long it had.

    Raises:
        RulesError: a rule file does not load.
    """
    if isinstance(answer, workers.TimeOver):
        said = f"it did not come to an end within {seconds:g} seconds"
    elif isinstance(answer, Plan07Error) and answer.code == workers.CHILD_FAILED:
        said = answer.message
    elif isinstance(answer, Plan07Error):
        raise answer
    else:
        return outcome_from(answer)
    return Outcome(draft.path, draft.name, draft.line, ERROR, problems=(said,))
