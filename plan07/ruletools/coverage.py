"""Which rules do tests make fire, and does each refusal have a case for and a case against?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from plan07 import rulebook
from plan07.errors import RulesError
from plan07.ruletools import testing, workers
from plan07.ruletools.cases import Draft
from plan07.ruletools.firing import fire
from plan07.ruletools.outcomes import ERROR, PASSED, Outcome
from plan07.ruletools.source import Rule
from plan07.ruletools.subjects import Inside
from plan07.ruletools.testing import Runner

FIRED, FAILING, NEVER = "fired", "in a failing test only", "never fired"
_NEAR = "plan07_near"


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
        if self.kind == "violation" and not self.against:
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
        return [each for each in self.rules if each.kind == "violation"]


class Probe:
    """Runs tests and tells which rules fired.

    Args:
        rules: a directory of rule files for all tests; without it, the one that a test lies in.
    """

    def __init__(self, rules: str | None) -> None:
        self._runner = Runner(rules)
        self._near: dict[tuple[str, ...], list[str]] = {}

    def __call__(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the outcome of a test, the ids of rules that fired, and of those that nearly did.

        Args:
            question: the path of the test file, and the name of the test.
        """
        path, name = question["path"], question["name"]
        outcome = self._runner.run(path, name)
        answer: dict[str, Any] = {"outcome": outcome.as_dict(), "fired": [], "near": []}
        if outcome.status != ERROR:
            case, rules = self._runner.case(path, name), self._runner.rules_of(path)
            try:
                fired: set[str] = set()
                near: set[str] = set()
                for inside in rules.looked_into(case):
                    fired |= set(fire(*inside, parts=False).counts)
                    near |= self._nearly(inside)
            except RulesError:
                # A failing test: the rules have no answer that could be looked into.
                return answer
            answer.update(fired=sorted(fired), near=sorted(near - fired))
        return answer

    def _nearly(self, inside: Inside) -> set[str]:
        refusing = [rule for rule in inside.rules if rule.kind == "violation"]
        if not refusing:
            return set()
        key = tuple(rule.id for rule in refusing)
        if key not in self._near:
            self._near[key] = list(_near_misses(refusing))
        text = "".join(f"{atom}.\n" for atom in inside.atoms)
        found = rulebook.consequences([text, *self._near[key]], inside.constants)
        indices = {int(atom[len(_NEAR) + 1 : -1]) for atom in found if atom.startswith(_NEAR)}
        return {refusing[index].id for index in indices}


def _near_misses(rules: Sequence[Rule]) -> Iterator[str]:
    """Yield rules that fire where all but one of the conditions of a rule hold."""
    for index, rule in enumerate(rules):
        ways = 0
        for place in range(len(rule.body)):
            rest = [each.text for each in (*rule.body[:place], *rule.body[place + 1 :])]
            arrow = f" :- {'; '.join(rest)}" if rest else ""
            text = f"{_NEAR}({index}){arrow}.\n"
            if _is_safe(text):
                ways += 1
                yield text
        if not ways:
            yield f"{_NEAR}({index}).\n"


def _is_safe(text: str) -> bool:
    try:
        rulebook.consequences([text])
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
            tuple(against.get(rule.id, ())) if rule.kind == "violation" else (),
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
            if rule.derives and rule.overlaid == overlaid:
                found.setdefault((rule.path, rule.id), rule)
    return list(found.values())
