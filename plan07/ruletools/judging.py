"""Judges what rules derive by what a test wishes for, and whether the test can judge at all."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from plan07.facts import Fact, parse
from plan07.messages import quoted
from plan07.ruletools.cases import Case
from plan07.ruletools.outcomes import FAILED, PASSED, Missing, Outcome
from plan07.ruletools.patterns import matches, may_meet, nearest, shown
from plan07.ruletools.subjects import Answer, Rules
from plan07.ruletools.wishes import ARITIES

_VIOLATION = ("violation", 2)


def faults(case: Case, rules: Rules) -> tuple[str, ...]:
    """Return why a test could not tell right from wrong, as sentences.

    Args:
        case: the test.
        rules: what it runs on.

    Raises:
        InputError: what it loads is not there.
    """
    loaded = rules.files(case)
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
    unexpected, problems = _unexpected(case, derived), _orders(case, answer)
    status = FAILED if missing or unexpected or problems else PASSED
    return Outcome(case.path, case.name, case.line, status, tuple(missing), unexpected, problems)


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
    wishes = [f"{name}/{arity}" for name, arity in ARITIES.items()]
    close = ", ".join(_like(f"{atom.name}/{len(atom.args)}", [*names, *wishes]))
    hint = f"; did you mean {close}?" if close else ""
    line = case.lines.get(shown(atom))
    place = "" if line is None else f"line {line}: "
    return f"{place}no rule knows {atom.name}/{len(atom.args)}, which the test gives{hint}"


def _indicator(pattern: Fact) -> tuple[str, int]:
    return pattern.name, len(pattern.args)


def _like(name: str, names: Sequence[str]) -> list[str]:
    return difflib.get_close_matches(name, names, 1, 0.7)


def _listed(files: Sequence[str]) -> str:
    return ", ".join(files) if len(files) <= 3 else f"{len(files)} rule files"
