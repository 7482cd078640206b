"""Lets pytest collect rule tests: `*_test.lp` files, as `plan07 rules test` does.

Installed with plan07 and found by pytest by itself; `-p no:plan07` switches it off. A file of that
name that holds no `#program test_…` belongs to somebody else and is left alone. Until there is one
that does, nothing of plan07 but this module is loaded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from plan07.errors import Plan07Error
    from plan07.ruletools.cases import Draft
    from plan07.ruletools.workers import Worker

_SUFFIX = "_test.lp"
_TEST = re.compile(r"^[ \t]*#program[ \t]+test_", re.MULTILINE)
_WORKER = pytest.StashKey["Worker"]()


class RuleTestFailed(Exception):
    """The rules do something else than a test expects; the lines tell what."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what a project may set for its rule tests."""
    parser.addini(
        "plan07_rules",
        "directory of rule files that all rule tests are about; without it, the one they lie in",
        default="",
    )
    parser.addini("plan07_time_limit", "how many seconds one rule test may take", default="10")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> RuleTestFile | None:
    """Collect a file of rule tests."""
    if file_path.name.endswith(_SUFFIX) and _holds_tests(file_path):
        file: RuleTestFile = RuleTestFile.from_parent(parent, path=file_path)
        return file
    return None


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the child process that ran rule tests, if there was one."""
    worker = config.stash.get(_WORKER, None)
    if worker is not None:
        worker.close()


def _holds_tests(path: Path) -> bool:
    try:
        return _TEST.search(path.read_text(encoding="utf-8")) is not None
    except (OSError, UnicodeDecodeError):
        return False


class RuleTestFile(pytest.File):
    """A file of rule tests."""

    def collect(self) -> Iterator[RuleTest]:
        """Yield its tests.

        Raises:
            CollectError: what it says is no test; every fault is told.
        """
        from plan07.errors import InputError
        from plan07.ruletools import cases

        try:
            drafts = cases.read(str(self.path))
        except InputError as error:
            raise self.CollectError(_told(error)) from error
        for draft in drafts:
            item: RuleTest = RuleTest.from_parent(self, name=draft.name)
            item.draft = draft
            yield item


class RuleTest(pytest.Item):
    """One rule test."""

    draft: Draft

    def runtest(self) -> None:
        """Run it.

        Raises:
            RuleTestFailed: the rules do something else, or it could not be run.
        """
        from plan07.errors import Plan07Error
        from plan07.ruletools import testing
        from plan07.ruletools.outcomes import PASSED, told
        from plan07.ruletools.workers import TimeOver

        seconds = _seconds(self.config)
        question = {"path": self.draft.path, "name": self.draft.name}
        answer: object
        try:
            answer = _worker(self.config).ask(question, seconds)
        except (TimeOver, Plan07Error) as error:
            answer = error
        try:
            outcome = testing.outcome_of(self.draft, answer, seconds)
        except Plan07Error as error:
            raise RuleTestFailed(_told(error)) from error
        if outcome.status != PASSED:
            raise RuleTestFailed("\n".join(told(outcome)))

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **more: Any
    ) -> Any:
        """Return what is wrong, without the Python that found it."""
        if isinstance(excinfo.value, RuleTestFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, *args, **more)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Return where it stands."""
        return self.path, self.draft.line - 1, self.name


def _seconds(config: pytest.Config) -> float:
    given = str(config.getini("plan07_time_limit"))
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 86_400:
        raise pytest.UsageError(f"plan07_time_limit cannot be {given!r} seconds")
    return seconds


def _worker(config: pytest.Config) -> Worker:
    """Return the child process of this run, which is started with the first test."""
    if _WORKER not in config.stash:
        from plan07.ruletools.workers import Worker

        given = str(config.getini("plan07_rules"))
        rules = str(config.rootpath / given) if given else None
        config.stash[_WORKER] = Worker("plan07.ruletools.testing:serve", {"rules": rules})
    return config.stash[_WORKER]


def _told(error: Plan07Error) -> str:
    lines = [f"{each.message}\n  fix: {each.fix}" for each in error.violations]
    return "\n".join(lines or [f"{error.message}\n  fix: {error.fix}"])
