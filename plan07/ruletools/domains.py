"""Which values can an argument of a predicate have?

A fixpoint over the rules of a stage. Inputs have what their documentation says, heads what flows
into them through positive conditions; whatever is not understood may be anything. A value that is
not in the result cannot occur, so a condition that asks for it never holds.

A value is `"name"` for a constant, `name/2` for a term with arguments, or one of the kinds `TEXT`
and `NUMBER`; `None` is anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from plan07.ruletools.records import Literal, Rule, Term

TEXT = "<text>"
NUMBER = "<number>"

Values: TypeAlias = frozenset[str] | None
# A predicate, or a functor of terms, with one of its places.
Place: TypeAlias = tuple[str, int, int]

_NONE: frozenset[str] = frozenset()
_NUMBERS = frozenset({NUMBER})
_CONSTANT = re.compile(r"\bconstants?\b|\bsuch as [a-z_]+\b|…")
_TEXT = re.compile(r"\b(?:ids?|names?|entity|entities|units?|target|path|phrase|test)\b")
_NUMBER = re.compile(r"(?:how many|characters|entries|bytes|any integer|[0-9]+ (?:to|for|or))\b")


def described(text: str, values: tuple[str, ...]) -> Values:
    """Return what an input has in an argument, by the description of the argument.

    >>> described("its id", ()), described("1 or more", ()), described("whatever", ())
    (frozenset({'<text>'}), frozenset({'<number>'}), None)

    Args:
        text: the description.
        values: what it lists.
    """
    if values:
        return frozenset(values)
    clause = text.partition(";")[0]
    if _NUMBER.match(clause):
        return _NUMBERS
    if _TEXT.search(clause) and not _CONSTANT.search(clause):
        return frozenset({TEXT})
    return None


class Flow(NamedTuple):
    """How one place of a head is filled.

    Args:
        place: the place.
        fixed: values that the rule itself writes there.
        variables: for each variable that may stand there, the places that bind it; a variable
            that nothing binds may be anything.
    """

    place: Place
    fixed: frozenset[str]
    variables: tuple[tuple[Place, ...], ...]


class Domains:
    """The values of every place of a stage.

    Args:
        rules: the rules of the stage.
        inputs: what plan07 or a user gives, place to values.
        numbers: names of `#const`, which stand for numbers.
        known: what is remembered of rules, by their ids, from one stage to the next.
    """

    def __init__(
        self,
        rules: Iterable[Rule],
        inputs: Mapping[Place, Values],
        numbers: frozenset[str] = frozenset(),
        known: dict[str, list[Flow]] | None = None,
    ) -> None:
        self._values: dict[Place, Values] = {**inputs, _COUNTED: _NUMBERS}
        self._numbers = numbers
        flows: list[Flow] = []
        known = {} if known is None else known
        for rule in rules:
            if rule.id not in known:
                known[rule.id] = list(self._flows(rule))
            flows += known[rule.id]
        self._solve(flows)

    def of(self, place: Place) -> Values:
        """Return the values of a place; those of a place that nothing fills are none."""
        return self._values.get(place, _NONE)

    def of_variable(self, places: Iterable[Place]) -> Values:
        """Return what a variable may be that stands at all of some places."""
        found: Values = None
        for place in places:
            values = self.of(place)
            if found is None:
                found = values
            elif values is not None:
                found &= values
        return found

    def _flows(self, rule: Rule) -> Iterator[Flow]:
        bound = bindings(rule) if rule.body or rule.kind == "choice" else {}
        for atom in rule.derived():
            for index, arg in enumerate(atom.args):
                yield from self._filled((atom.name or "", atom.arity, index), arg, bound)
        for literal in rule.body:
            if literal.kind == "comparison":
                for side in literal.args:
                    yield from self._within(side, bound)

    def _filled(self, place: Place, term: Term, bound: Mapping[str, list[Place]]) -> Iterator[Flow]:
        """Yield how a place is filled by a term, and the places within that term."""
        fixed: set[str] = set()
        variables: list[tuple[Place, ...]] = []
        for each in alternatives(term):
            value = value_of(each, self._numbers)
            if value is not None:
                fixed.add(value)
            else:
                variables.append(tuple(bound.get(each.text, ())))
            yield from self._within(each, bound)
        yield Flow(place, frozenset(fixed), tuple(variables))

    def _within(self, term: Term, bound: Mapping[str, list[Place]]) -> Iterator[Flow]:
        if term.kind in ("function", "tuple"):
            for index, arg in enumerate(term.args):
                yield from self._filled(functor(term, index), arg, bound)

    def _solve(self, flows: list[Flow]) -> None:
        pending: list[Flow] = []
        for flow in flows:
            self._add(flow.place, flow.fixed)
            if flow.variables:
                pending.append(flow)
        changed = True
        while changed:
            changed = False
            for flow in pending:
                for places in flow.variables:
                    if self._add(flow.place, self.of_variable(places)):
                        changed = True

    def _add(self, place: Place, values: Values) -> bool:
        known = self._values.get(place, _NONE)
        if known is None or (values is not None and values <= known):
            self._values.setdefault(place, known)
            return False
        self._values[place] = None if values is None else known | values
        return True


def bindings(rule: Rule) -> dict[str, list[Place]]:
    """Return for each variable of a rule the places of positive conditions at which it stands.

    A variable without any may be anything.
    """
    found: dict[str, list[Place]] = {}
    for literal in _positive(rule):
        for index, arg in enumerate(literal.args):
            _bind(arg, (literal.name or "", literal.arity, index), found)
    more: dict[str, list[Place]] = {}
    for literal in rule.body:
        if literal.kind == "aggregate" and literal.function in _COUNTS and not literal.sign:
            for guard in literal.args:
                _bind(guard, _COUNTED, more)
        if literal.kind == "comparison" and literal.operators in _EQUAL and not literal.sign:
            for one, other in (literal.args, literal.args[::-1]):
                if other.kind in ("interval", "operation", "number"):
                    _bind(one, _COUNTED, more)
                if other.kind == "function":
                    _bind(other, None, more)
    return {**more, **found}


_COUNTED: Place = ("", 0, 0)
_COUNTS = frozenset({"#count", "#sum", "#sum+"})
_EQUAL = (("=",), ("==",))


def _positive(rule: Rule) -> Iterator[Literal]:
    for literal in rule.body:
        if literal.kind == "atom" and not literal.sign:
            yield literal
    for literal in rule.head:
        for element in literal.elements:
            for condition in element.literals[1:]:
                if condition.kind == "atom" and not condition.sign:
                    yield condition


def _bind(term: Term, place: Place | None, found: dict[str, list[Place]]) -> None:
    if term.kind == "variable" and place is not None:
        found.setdefault(term.text, []).append(place)
    elif term.kind in ("function", "tuple"):
        for index, arg in enumerate(term.args):
            _bind(arg, functor(term, index), found)


def functor(term: Term, index: int) -> Place:
    """Return the place of an argument of a term, whichever predicate the term stands in."""
    return (f"{term.text}(", len(term.args), index)


def alternatives(term: Term) -> Iterator[Term]:
    """Yield the terms that a pool stands for, or the term."""
    if term.kind == "pool":
        for each in term.args:
            yield from alternatives(each)
    else:
        yield term


def value_of(term: Term, numbers: frozenset[str]) -> str | None:
    """Return the value that a term is, or None where that depends.

    Args:
        term: the term.
        numbers: names of `#const`.
    """
    if term.kind == "constant":
        return NUMBER if term.text in numbers else term.text
    if term.kind == "string":
        return TEXT
    if term.kind in ("number", "interval", "operation"):
        return NUMBER
    if term.kind in ("function", "tuple"):
        return f"{term.text}/{len(term.args)}"
    return None
