"""Mutation testing of rules: would a test notice if a rule said something else?"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from plan07.errors import InputError, Plan07Error, RulesError
from plan07.rulefiles import without_comments
from plan07.ruletools import mutants, workers
from plan07.ruletools.cases import SUFFIX, Case
from plan07.ruletools.coverage import Probe
from plan07.ruletools.judging import holds
from plan07.ruletools.mutants import Mutant
from plan07.ruletools.source import Rule
from plan07.ruletools.subjects import Rules
from plan07.ruletools.testing import Runner

KILLED, SURVIVED, EXPLAINED, INVALID = "killed", "survived", "explained", "invalid"

_SURVIVES = re.compile(r"%@[ \t]*survives:")
_BECAUSE = re.compile(r"\sbecause\s")
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
        self._paths = paths
        self._tests: dict[str, list[tuple[Rules, Case]]] = {}
        self._rules: dict[str, Rules] = {}
        for path in paths:
            under_test = runner.rules_of(path)
            for draft in runner.drafts(path):
                case = runner.case(path, draft.name)
                for file in under_test.files(case):
                    known = self._rules.setdefault(file, under_test)
                    if known.path_of(file) != under_test.path_of(file):
                        raise _of_one_name(known.path_of(file), under_test.path_of(file))
                    self._tests.setdefault(file, []).append((under_test, case))
        self._probe = Probe(rules)
        self._firing: dict[tuple[str, str], set[str]] = {}
        self._made: dict[str, list[Mutant]] = {}

    @property
    def files(self) -> list[str]:
        """The rule files that the test files are named after, else those of the overlay."""
        named = {os.path.basename(path).removesuffix(SUFFIX) + ".lp" for path in self._paths}
        found = named.intersection(self._tests) or {
            file for file, rules in self._rules.items() if file in rules.book.overlaid
        }
        return sorted(found)

    def check(self, files: Sequence[str]) -> None:
        """Raise an `InputError` if no test loads one of some rule files."""
        for file in files:
            if file not in self._tests:
                raise InputError(
                    "TEST_WITHOUT_RULES",
                    f"no test loads a rule file {file!r}",
                    "name a rule file of the tests",
                    phase="usage",
                    detail={"file": file, "known": sorted(self._tests)},
                )

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

    def prepare(self, files: Sequence[str]) -> None:
        """Find out which rules fire in which test, so that no mutant's time is spent on it."""
        for file in files:
            for test in self._tests[file]:
                self._fired(*test)

    def _fired(self, rules: Rules, case: Case) -> set[str]:
        key = (case.path, case.name)
        if key not in self._firing:
            self._firing[key], _ = self._probe.probed(case, rules)
        return self._firing[key]

    def _far(self, rule: Rule, rules: Rules, case: Case) -> tuple[bool, bool]:
        wished = {(each.name, len(each.args)) for each in (*case.expected, *case.refusals)}
        return rule.id not in self._fired(rules, case), wished.isdisjoint(rule.heads)

    def tried(self, file: str, index: int) -> tuple[str, str]:
        """Return what came of a mutant: its status, and the test that killed it."""
        mutant = self.mutants(file)[index]
        rules = self._rules[file]
        source = next(each for each in rules.parsed.files if each.name == file).source.text
        text = source[: mutant.rule.begin] + mutant.text + source[mutant.rule.end :]
        tests = self._tests[file]
        # What makes a rule fire, and wishes for what it derives, is likely to notice a change.
        tests.sort(key=lambda test: self._far(mutant.rule, *test))
        deep = rules.trial({file: text}) if rules.is_read_first(file) else None
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


def _of_one_name(one: str, other: str) -> InputError:
    return InputError(
        "RULES_OF_ONE_NAME",
        f"{one} and {other} have the same name",
        "name the tests of one directory at a time",
        phase="usage",
        detail={"paths": [one, other]},
    )


def serve(
    rules: str | None, paths: list[str], files: list[str]
) -> Callable[[dict[str, Any]], list[str]]:
    """Return what a child process answers with: what came of a mutant of a file."""
    bench = Bench(rules, paths)
    bench.prepare(files)
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
        files: names of rule files; without any, those that the test files are named after, else
            those of the overlay.
        seconds: how long a mutant may take; one that takes longer has been noticed.
        jobs: how many are tried at once, at least 1.
    """
    bench = Bench(rules, paths)
    bench.check(files)
    reasons = explanations(paths)
    tried = list(files or bench.files)
    todo = [
        (mutant, {"file": file, "index": index})
        for file in tried
        for index, mutant in enumerate(bench.mutants(file))
    ]
    setup = {"rules": rules, "paths": list(paths), "files": tried}
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
            status, by = EXPLAINED, reasons[mutant.label].reason
        rule = mutant.rule
        yield Verdict(
            rule.file, rule.line, rule.id, mutant.kind, mutant.label, mutant.text, status, by
        )


class Explanation(NamedTuple):
    """Why a mutant may survive.

    Args:
        path: the test file that says so.
        reason: the reason.
    """

    path: str
    reason: str


def explanations(paths: Sequence[str]) -> dict[str, Explanation]:
    """Return why some mutants may survive, by their label, as test files say it.

    `%@ survives: LABEL because REASON`; the text may go on in the comment lines below. Labels that
    share a reason stand above each other.
    """
    found: dict[str, Explanation] = {}
    for path in paths:
        with open(path, encoding="utf-8") as stream:
            entries = _entries(stream)
        labels: list[str] = []
        for entry in entries:
            label, *reason = _BECAUSE.split(entry, maxsplit=1)
            labels.append(label.strip())
            if reason:
                found.update(dict.fromkeys(labels, Explanation(path, reason[0])))
                labels = []
    return found


def _entries(lines: Iterable[str]) -> list[str]:
    """Return what stands after each `%@ survives:`, each as one line."""
    found: list[str] = []
    goes_on = False
    for line in lines:
        begins = _SURVIVES.match(line)
        text = line[begins.end() if begins else 1 :].strip()
        if begins:
            found.append(text)
        elif goes_on and line.startswith("%  ") and text:
            found[-1] += f" {text}"
        goes_on = bool(begins) or (goes_on and line.startswith("%  "))
    return found


def stale(paths: Sequence[str], verdicts: Sequence[Verdict]) -> list[str]:
    """Return the labels that are explained although no such mutant survives.

    Args:
        paths: the test files.
        verdicts: what came of the mutants of some rule files.
    """
    tried = {verdict.file.removesuffix(".lp") + SUFFIX for verdict in verdicts}
    survived = {verdict.label for verdict in verdicts if verdict.status == EXPLAINED}
    return [
        label
        for label, explanation in explanations(paths).items()
        if os.path.basename(explanation.path) in tried and label not in survived
    ]
