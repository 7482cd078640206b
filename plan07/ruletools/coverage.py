"""Which rules do tests make fire, and does each refusal have a case for and a case against?"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from plan07 import answersets
from plan07.errors import RulesError
from plan07.ruletools import testing, workers
from plan07.ruletools.cases import Case, Draft
from plan07.ruletools.outcomes import ERROR, PASSED, Outcome
from plan07.ruletools.source import Literal, Rule
from plan07.ruletools.subjects import Rules
from plan07.ruletools.testing import Runner

FIRED, FAILING, NEVER = "fired", "in a failing test only", "never fired"
CONSTRAINT = "constraint"
_REFUSING = ("violation", CONSTRAINT)
_FIRED, _NEAR = "plan07_fired", "plan07_near"


class RuleCoverage(NamedTuple):
    """What tests make of a rule.

    Args:
        rule: its id.
        file, line: where it stands.
        kind: as in `source.Rule`.
        status: fired, in a failing test only, or never fired.
        tests: names of the tests in which it fired, in order.
        against: of a rule that refuses, names of the passing tests in which it does not, although
            all but one of its conditions hold.
    """

    rule: str
    file: str
    line: int
    kind: str
    status: str
    tests: tuple[str, ...]
    against: tuple[str, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """What is wanted of tests, and is not there."""
        found = [] if self.status == FIRED else [self.status]
        if self.kind in _REFUSING and not self.against:
            found.append("no case against it")
        return tuple(found)


class Coverage(NamedTuple):
    """What tests make of rules.

    Args:
        rules: each rule that derives something, file by file.
        outcomes: what came of the tests.
    """

    rules: tuple[RuleCoverage, ...]
    outcomes: tuple[Outcome, ...]

    @property
    def fired(self) -> int:
        """How many rules fired in a test that passes."""
        return sum(each.status == FIRED for each in self.rules)

    @property
    def refusals(self) -> list[RuleCoverage]:
        """The rules that refuse."""
        return [each for each in self.rules if each.kind in _REFUSING]


class Probe:
    """Runs tests and tells which rules fired.

    Each rule gets a witness, its body with a head that names it, which no rule reads.

    Args:
        rules: a directory of rule files for all tests; without it, the one that a test lies in.
    """

    def __init__(self, rules: str | None) -> None:
        self._runner = Runner(rules)
        self._witnesses: dict[tuple[int, str], str] = {}

    def __call__(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the outcome of a test, the ids of rules that fired, and of those that nearly did.

        Args:
            question: the path of the test file, and the name of the test.
        """
        path, name = question["path"], question["name"]
        outcome = self._runner.run(path, name)
        fired, near = set[str](), set[str]()
        if outcome.status != ERROR:
            case, rules = self._runner.case(path, name), self._runner.rules_of(path)
            # Rules without an answer fail a test, and there is nothing that could be looked into.
            with contextlib.suppress(RulesError):
                fired, near = self.probed(case, rules)
        return {"outcome": outcome.as_dict(), "fired": sorted(fired), "near": sorted(near - fired)}

    def probed(self, case: Case, rules: Rules) -> tuple[set[str], set[str]]:
        """Return the ids of the rules that fire in a test, and of those that refuse or nearly do.

        Raises:
            InputError: the test loads what is not there.
            RulesError: the rules have not exactly one answer.
        """
        fired, near = set[str](), set[str]()
        for atoms in rules.solves(case, lambda files: self._added(rules, files)):
            for atom in atoms:
                if atom.startswith(_FIRED):
                    fired.add(atom[len(_FIRED) + 2 : -2])
                elif atom.startswith(_NEAR):
                    near.add(atom[len(_NEAR) + 2 : -2])
        return fired, near

    def _added(self, rules: Rules, files: Sequence[str]) -> list[str]:
        for file in files:
            key = (id(rules), file)
            if key not in self._witnesses:
                own = [rule for rule in rules.parsed.rules if rule.file == file]
                self._witnesses[key] = "".join(text for rule in own for text in _witnesses(rule))
        return [self._witnesses[(id(rules), file)] for file in files]


def _witnesses(rule: Rule) -> Iterator[str]:
    """Yield rules that fire where a rule does, or where all but one of its conditions hold."""
    if not (rule.derives or rule.kind == CONSTRAINT):
        return
    yield _witness(_FIRED, rule, rule.body)
    if rule.kind in _REFUSING:
        ways = [
            _witness(_NEAR, rule, (*rule.body[:place], *rule.body[place + 1 :]))
            for place in range(len(rule.body))
        ]
        yield from [way for way in ways if _is_safe(way)] or [_witness(_NEAR, rule, ())]


def _witness(name: str, rule: Rule, body: Sequence[Literal]) -> str:
    conditions = "; ".join(literal.text for literal in body)
    return f'{name}("{rule.id}"){" :- " if body else ""}{conditions}.\n'


def _is_safe(text: str) -> bool:
    try:
        answersets.consequences([text])
    except RulesError:
        return False
    return True


def serve(rules: str | None) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return what a child process answers with."""
    return Probe(rules)


def measure(
    drafts: Sequence[Draft], rules: str | None = None, seconds: float = 10.0, jobs: int = 1
) -> Coverage:
    """Return what tests make of the rules that they are about.

    Args:
        drafts: the tests.
        rules: a directory of rule files for all tests; without it, the one that a test lies in.
        seconds: how long a test may take.
        jobs: how many run at once, at least 1.

    Raises:
        InputError: a test names what is not there.
        RulesError: a rule file does not load.
    """
    questions = [{"path": draft.path, "name": draft.name} for draft in drafts]
    found = workers.answers(f"{__name__}:serve", {"rules": rules}, questions, seconds, jobs)
    outcomes = []
    passing: dict[str, list[str]] = {}
    failing: dict[str, list[str]] = {}
    against: dict[str, list[str]] = {}
    for draft, answer in zip(drafts, found, strict=True):
        inner = answer["outcome"] if isinstance(answer, dict) else answer
        outcome = testing.outcome_of(draft, inner, seconds)
        outcomes.append(outcome)
        if not isinstance(answer, dict):
            continue
        passes = outcome.status == PASSED
        for rule in answer["fired"]:
            (passing if passes else failing).setdefault(rule, []).append(draft.name)
        for rule in answer["near"] if passes else ():
            against.setdefault(rule, []).append(draft.name)
    covered = [
        RuleCoverage(
            rule.id,
            rule.file,
            rule.line,
            rule.kind,
            FIRED if rule.id in passing else FAILING if rule.id in failing else NEVER,
            (*passing.get(rule.id, ()), *failing.get(rule.id, ())),
            tuple(against.get(rule.id, ())) if rule.kind in _REFUSING else (),
        )
        for rule in _in_question(drafts, rules)
    ]
    return Coverage(tuple(covered), tuple(outcomes))


def _in_question(drafts: Sequence[Draft], rules: str | None) -> list[Rule]:
    """Return the rules that tests should make fire: those of an overlay, else the shipped ones."""
    runner = Runner(rules)
    found: dict[tuple[str, str], Rule] = {}
    for path in dict.fromkeys(draft.path for draft in drafts):
        parsed = runner.rules_of(path).parsed.rules
        overlaid = any(rule.overlaid for rule in parsed)
        for rule in parsed:
            if (rule.derives or rule.kind == CONSTRAINT) and rule.overlaid == overlaid:
                found.setdefault((rule.path, rule.id), rule)
    return list(found.values())
