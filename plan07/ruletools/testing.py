"""Runs rule tests: what the rules derive, beside what was wished for."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from plan07.errors import InputError, Plan07Error, RulesError
from plan07.facts import Fact, parse
from plan07.messages import quoted
from plan07.ruletools import cases, workers
from plan07.ruletools.cases import SUFFIX, Case, Draft
from plan07.ruletools.patterns import matches, may_meet, nearest, shown
from plan07.ruletools.subjects import Answer, Rules, overlay_of

PASSED, FAILED, ERROR = "passed", "failed", "error"
_VIOLATION = ("violation", 2)
_BROKEN = "RULES_BROKEN"


class Missing(NamedTuple):
    """An atom that was expected and is not derived.

    Args:
        pattern: as the test writes it.
        line: where it stands in the test file, or None if the test spells it out by a rule.
        nearest: derived atoms of the same predicate, the most similar first.
    """

    pattern: str
    line: int | None
    nearest: tuple[str, ...]


class Outcome(NamedTuple):
    """What came of a test.

    Args:
        path: the test file.
        name: of the test.
        line: where it stands.
        status: passed; failed, the rules do something else; error, it could not be run.
        missing: what they should derive.
        unexpected: what they should not derive.
        problems: what else is wrong, as sentences.
    """

    path: str
    name: str
    line: int
    status: str
    missing: tuple[Missing, ...] = ()
    unexpected: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        missing = [{**each._asdict(), "nearest": list(each.nearest)} for each in self.missing]
        return {
            **self._asdict(),
            "missing": missing,
            "unexpected": list(self.unexpected),
            "problems": list(self.problems),
        }


def outcome_from(value: dict[str, Any]) -> Outcome:
    """Return the outcome of a wire form."""
    missing = tuple(
        Missing(each["pattern"], each["line"], tuple(each["nearest"])) for each in value["missing"]
    )
    unexpected, problems = tuple(value["unexpected"]), tuple(value["problems"])
    return Outcome(
        **{**value, "missing": missing, "unexpected": unexpected, "problems": problems}
    )


def told(outcome: Outcome) -> list[str]:
    """Return what is wrong, line by line; nothing for a test that passes."""
    lines = list(outcome.problems)
    for missing in outcome.missing:
        place = "" if missing.line is None else f"line {missing.line}: "
        lines.append(f"{place}expected, not derived: {missing.pattern}")
        lines += [f"  nearest: {atom}" for atom in missing.nearest]
        if not missing.nearest:
            lines.append(f"  nothing of {missing.pattern.partition('(')[0]} is derived")
    lines += [f"derived, not expected: {atom}" for atom in outcome.unexpected]
    return lines


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
        draft
        for draft in drafts
        if pattern.search(f"{os.path.basename(draft.path)}::{draft.name}")
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
        draft = next(each for each in self.drafts(path) if each.name == name)
        try:
            case = cases.case(draft)
            rules = self.rules_of(path)
            problems = faults(case, rules)
            if problems:
                return _outcome(case, ERROR, problems=problems)
            answer = rules.answer(case)
        except InputError as error:
            return Outcome(path, name, draft.line, ERROR, problems=(error.message,))
        except RulesError as error:
            if error.code == _BROKEN:
                raise
            return Outcome(path, name, draft.line, FAILED, problems=(error.message,))
        return judge(case, answer)


    def case(self, path: str, name: str) -> Case:
        """Return a test with its facts spelt out.

        Raises:
            InputError: it cannot be grounded, or what it wishes cannot be understood.
        """
        return cases.case(next(each for each in self.drafts(path) if each.name == name))


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


def faults(case: Case, rules: Rules) -> tuple[str, ...]:
    """Return why a test could not tell right from wrong, as sentences.

    Args:
        case: the test.
        rules: what it runs on.

    Raises:
        InputError: what it loads is not there.
    """
    if case.plan is not None:
        loaded = list(rules.makers)
    else:
        loaded = list(rules.subject(case).files)
    heads = [head for name in loaded for head in rules.makers.get(name, ())]
    found = [
        _underivable(case, pattern, heads, loaded)
        for pattern in (*case.expected, *case.forbidden, *case.refusals)
        if not any(may_meet(pattern, head) for head in heads)
    ]
    predicates = {(head.name, len(head.args)) for head in heads}
    found += [
        f"no rule of {_listed(loaded)} derives {name}/{arity}, which exact names"
        for name, arity in case.exact
        if (name, arity) not in predicates
    ]
    given = [parse(atom) for atom in case.facts]
    found += [
        f"{_place(case, 'expect', pattern)}the test itself gives {shown(pattern)}"
        for pattern in case.expected
        if pattern in given
    ]
    for atom in given:
        if _indicator(atom) not in rules.known and _indicator(atom) not in case.helpers:
            found.append(_unknown(case, atom, rules))
    if not (case.expected or case.forbidden or case.refusals or case.exact or case.orders) and (
        case.any_refusal or _VIOLATION not in predicates
    ):
        found.append("it wishes for nothing, so it cannot fail")
    return tuple(dict.fromkeys(found))


def judge(case: Case, answer: Answer) -> Outcome:
    """Return what comes of a test, given what the rules derive."""
    derived = answer.derived
    missing = [
        _missing(case, kind, pattern, derived)
        for kind, patterns in (("expect", case.expected), ("violation_expected", case.refusals))
        for pattern in patterns
        if not any(matches(pattern, atom) for atom in derived)
    ]
    return _outcome(case, "", tuple(missing), _unexpected(case, derived), _orders(case, answer))


def holds(case: Case, answer: Answer) -> bool:
    """Return whether a test passes; the same as `judge`, and faster."""
    derived = answer.derived
    wanted = (*case.expected, *case.refusals)
    return (
        all(any(matches(pattern, atom) for atom in derived) for pattern in wanted)
        and not _unexpected(case, derived)
        and not _orders(case, answer)
    )


def _unexpected(case: Case, derived: Sequence[Fact]) -> tuple[str, ...]:
    wanted = (*case.expected, *case.refusals)
    closed = set(case.exact) if case.any_refusal else {*case.exact, _VIOLATION}
    return tuple(
        shown(atom)
        for atom in derived
        if any(matches(pattern, atom) for pattern in case.forbidden)
        or (
            (atom.name, len(atom.args)) in closed
            and not any(matches(pattern, atom) for pattern in wanted)
        )
    )


def _outcome(
    case: Case,
    status: str,
    missing: tuple[Missing, ...] = (),
    unexpected: tuple[str, ...] = (),
    problems: tuple[str, ...] = (),
) -> Outcome:
    judged = FAILED if missing or unexpected or problems else PASSED
    return Outcome(
        case.path, case.name, case.line, status or judged, missing, unexpected, problems
    )


def _missing(case: Case, kind: str, pattern: Fact, derived: Sequence[Fact]) -> Missing:
    close = tuple(shown(atom) for atom in nearest(pattern, derived))
    return Missing(shown(pattern), _line(case, kind, pattern), close)


def _line(case: Case, kind: str, pattern: Fact) -> int | None:
    written = Fact(kind, pattern.args if kind == "violation_expected" else (pattern,))
    return case.lines.get(shown(written))


def _place(case: Case, kind: str, pattern: Fact) -> str:
    line = _line(case, kind, pattern)
    return "" if line is None else f"line {line}: "


def _orders(case: Case, answer: Answer) -> tuple[str, ...]:
    if not case.orders:
        return ()
    comes_before = _precedence(answer)
    found = []
    for before, after in case.orders:
        if not comes_before(before, after):
            found.append(f"nothing puts {quoted(before)} before {quoted(after)}")
        if comes_before(after, before):
            found.append(f"{quoted(after)} comes before {quoted(before)}")
    return tuple(found)


class _Steps:
    """The order of a schedule: which unit is walked before which."""

    def __init__(self, steps: dict[str, int], units: dict[str, str]) -> None:
        self._steps, self._units = steps, units

    def __call__(self, before: str, after: str) -> bool:
        first = self._steps.get(self._units.get(before, before))
        second = self._steps.get(self._units.get(after, after))
        return first is not None and second is not None and first < second


class _Paths:
    """The order that precedences demand: what leads to what."""

    def __init__(self, arcs: dict[str, set[str]], units: dict[str, str]) -> None:
        self._arcs, self._units = arcs, units

    def __call__(self, before: str, after: str) -> bool:
        todo, seen = {before, self._units.get(before, before)}, set[str]()
        ends = {after, self._units.get(after, after)} - todo
        while todo:
            seen |= todo
            todo = {end for start in todo for end in self._arcs.get(start, ())} - seen
        return not ends.isdisjoint(seen)


def _precedence(answer: Answer) -> _Steps | _Paths:
    steps: dict[str, int] = {}
    units: dict[str, str] = {}
    arcs: dict[str, set[str]] = {}
    for name, args in (*answer.derived, *answer.given):
        match (name, *args):
            case ("step", int(number), str(unit)):
                steps[unit] = number
            case ("member", str(unit), str(obligation)):
                units[obligation] = unit
            case ("precedes", str(x), str(y), _) | ("before", str(x), str(y)):
                arcs.setdefault(x, set()).add(y)
    return _Steps(steps, units) if steps else _Paths(arcs, units)


def _underivable(case: Case, pattern: Fact, heads: Sequence[Fact], loaded: Sequence[str]) -> str:
    refusal = pattern in case.refusals
    kind = "violation_expected" if refusal else "expect" if pattern in case.expected else "forbid"
    alike = [head for head in heads if (head.name, len(head.args)) == _indicator(pattern)]
    if alike:
        close = ", ".join(dict.fromkeys(shown(each) for each in nearest(pattern, alike)))
        hint = f"; it derives {close}"
    else:
        names = sorted({f"{head.name}/{len(head.args)}" for head in heads})
        close = ", ".join(_like(f"{pattern.name}/{len(pattern.args)}", names))
        hint = f"; did you mean {close}?" if close else ""
    said = f"no rule of {_listed(loaded)} can derive {shown(pattern)}{hint}"
    return _place(case, kind, pattern) + said


def _unknown(case: Case, atom: Fact, rules: Rules) -> str:
    names = sorted(f"{name}/{arity}" for name, arity in rules.known)
    wishes = [f"{name}/{arity}" for name, arity in _WISHES.items()]
    close = ", ".join(_like(f"{atom.name}/{len(atom.args)}", [*names, *wishes]))
    hint = f"; did you mean {close}?" if close else ""
    line = case.lines.get(shown(atom))
    place = "" if line is None else f"line {line}: "
    return f"{place}no rule knows {atom.name}/{len(atom.args)}, which the test gives{hint}"


_WISHES = {"expect": 1, "forbid": 1, "violation_expected": 2, "order_expected": 2, "exact": 2}


def _indicator(pattern: Fact) -> tuple[str, int]:
    return pattern.name, len(pattern.args)


def _like(name: str, names: Sequence[str]) -> list[str]:
    return difflib.get_close_matches(name, names, 2, 0.7)


def _listed(files: Sequence[str]) -> str:
    return ", ".join(files) if len(files) <= 3 else f"{len(files)} rule files"


