"""Mutation testing of rules: would a test notice if a rule said something else?"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from plan07.errors import Plan07Error, RulesError
from plan07.ruletools import mutants, workers
from plan07.ruletools.cases import Case
from plan07.ruletools.mutants import Mutant
from plan07.ruletools.subjects import Rules, overlay_of
from plan07.ruletools.testing import Runner, holds
from plan07.rulefiles import without_comments

KILLED, SURVIVED, EXPLAINED, INVALID = "killed", "survived", "explained", "invalid"

_EXPLANATION = re.compile(
    r"^%@[ \t]*survives:[ \t]*(.+?)[ \t]+because[ \t]+(.+?)(?=^[^%]|^%@|^%?\s*$|\Z)", re.M | re.S
)
_BROKEN = "RULES_BROKEN"


class Verdict(NamedTuple):
    """What came of a mutant.

    Args:
        file, line, rule: where the rule stands, and its id.
        kind, label, text: as in `Mutant`.
        status: killed, survived, explained (it survives, and the tests say why that is no
            matter), or invalid (clingo does not take it).
        by: the test that fails with it, or why it is no matter, or "".
    """

    file: str
    line: int
    rule: str
    kind: str
    label: str
    text: str
    status: str
    by: str


class Bench:
    """Tries mutants of rule files on the tests that load them.

    Args:
        rules: a directory of rule files for all tests; without it, the one that a test lies in.
        paths: the test files.
    """

    def __init__(self, rules: str | None, paths: Sequence[str]) -> None:
        runner = Runner(rules)
        self._tests: dict[str, list[tuple[Rules, Case]]] = {}
        self._rules: dict[str, Rules] = {}
        for path in paths:
            under_test = runner.rules_of(path)
            for draft in runner.drafts(path):
                case = runner.case(path, draft.name)
                files = (
                    list(under_test.makers)
                    if case.plan is not None
                    else under_test.subject(case).files
                )
                for file in files:
                    self._tests.setdefault(file, []).append((under_test, case))
                    self._rules.setdefault(file, under_test)
        self._made: dict[str, list[Mutant]] = {}

    @property
    def files(self) -> list[str]:
        """The rule files that some test loads."""
        return sorted(self._tests)

    def mutants(self, file: str) -> list[Mutant]:
        """Return the mutants of a rule file, in its order."""
        if file not in self._made:
            rules = self._rules[file]
            numbers = list(rules.book.numbers)
            self._made[file] = [
                mutant
                for rule in rules.parsed.rules
                if rule.file == file
                for mutant in mutants.mutants(rule, numbers)
            ]
        return self._made[file]

    def tried(self, file: str, index: int) -> tuple[str, str]:
        """Return what came of a mutant: its status, and the test that killed it."""
        mutant = self.mutants(file)[index]
        rules = self._rules[file]
        source = next(each for each in rules.parsed.files if each.name == file).source.text
        text = source[: mutant.rule.begin] + mutant.text + source[mutant.rule.end :]
        tests = self._tests[file]
        deep = rules.trial({file: text}) if rules.sets(file) else None
        changed = {file: without_comments(text)}
        for place, (under_test, case) in enumerate(tests):
            try:
                if deep is None:
                    passes = holds(case, under_test.answer(case, changed))
                else:
                    passes = holds(case, deep.answer(case))
            except RulesError as error:
                if error.code == _BROKEN:
                    return INVALID, ""
                passes = False
            except Plan07Error:
                passes = False
            if not passes:
                # Neighbours are likely to be noticed by the same test.
                tests.insert(0, tests.pop(place))
                return KILLED, case.name
        return SURVIVED, ""


def serve(rules: str | None, paths: list[str]) -> Callable[[dict[str, Any]], list[str]]:
    """Return what a child process answers with: what came of a mutant of a file."""
    bench = Bench(rules, paths)
    return lambda question: list(bench.tried(question["file"], question["index"]))


def run(
    paths: Sequence[str],
    rules: str | None = None,
    files: Sequence[str] = (),
    seconds: float = 10.0,
    jobs: int = 1,
) -> Iterator[Verdict]:
    """Yield what came of each mutant, file by file, from child processes.

    Args:
        paths: test files, whose tests pass.
        rules: a directory of rule files for all tests; without it, the one that a test lies in.
        files: names of rule files; without any, all that the tests are named after.
        seconds: how long a mutant may take; one that takes longer has been noticed.
        jobs: how many are tried at once, at least 1.
    """
    bench = Bench(rules, paths)
    reasons = explanations(paths)
    todo = [
        (mutant, {"file": file, "index": index})
        for file in files or bench.files
        for index, mutant in enumerate(bench.mutants(file))
    ]
    setup = {"rules": rules, "paths": list(paths)}
    found = workers.answers(
        f"{__name__}:serve", setup, [question for _, question in todo], seconds, jobs
    )
    for (mutant, _), answer in zip(todo, found, strict=True):
        if isinstance(answer, workers.TimeOver):
            status, by = KILLED, "the time limit"
        elif isinstance(answer, Plan07Error):
            if answer.code != workers.CHILD_FAILED:
                raise answer
            status, by = KILLED, "the limit of memory"
        else:
            status, by = answer
        if status == SURVIVED and mutant.label in reasons:
            status, by = EXPLAINED, reasons[mutant.label]
        rule = mutant.rule
        yield Verdict(
            rule.file, rule.line, rule.id, mutant.kind, mutant.label, mutant.text, status, by
        )


def explanations(paths: Sequence[str]) -> dict[str, str]:
    """Return why some mutants may survive, by their label, as test files say it.

    `%@ survives: LABEL because REASON`, on one line or several.
    """
    found: dict[str, str] = {}
    for path in paths:
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
        for label, reason in _EXPLANATION.findall(text):
            found[_joined(label)] = _joined(reason)
    return found


def _joined(text: str) -> str:
    return " ".join(re.sub(r"^%", "", text, flags=re.M).split())
