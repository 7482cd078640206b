"""Checks of what stands in rules: variables, comparisons, constants."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from plan07.messages import quoted
from plan07.ruletools.checks_names import near
from plan07.ruletools.domains import (
    NUMBER,
    TEXT,
    Domains,
    Place,
    Values,
    alternatives,
    bindings,
    functor,
    value_of,
)
from plan07.ruletools.issues import Issue, about_rule, about_term
from plan07.ruletools.records import Literal, Rule, Term
from plan07.ruletools.stages import Stages

_VARIABLE = re.compile(r"[A-Z_]")
_ORDERS = frozenset({"<", "<=", ">", ">="})
# Which of less, equal and greater a comparison allows.
_ALLOWS = {
    "<": frozenset("<"),
    "<=": frozenset("<="),
    ">": frozenset(">"),
    ">=": frozenset(">="),
    "=": frozenset("="),
    "==": frozenset("="),
    "!=": frozenset("<>"),
    "<>": frozenset("<>"),
}
_MIRROR = str.maketrans("<>", "><")
_KINDS = {TEXT: "a text in quotes", NUMBER: "a number"}


def check(stages: Stages) -> Iterator[Issue]:
    """Yield what is wrong with the terms of all rules."""
    for rule in stages.rules.rules:
        if not rule.head and not rule.body:
            continue
        if rule.body or _VARIABLE.search(rule.text):
            yield from _variables(stages, rule)
        yield from _contradictions(rule)
        yield from _constants(stages, rule)
        yield from _orders(stages, rule)


# Variables.


def _variables(stages: Stages, rule: Rule) -> Iterator[Issue]:
    outside = [*rule.terms, *rule.levels]
    for literal in (*rule.head, *rule.body):
        outside += literal.args
    everywhere = Counter(_names(outside))
    scopes: list[list[Term]] = []
    for literal in (*rule.head, *rule.body):
        for element in literal.elements:
            terms = [*element.terms, *(arg for each in element.literals for arg in _deep(each))]
            scopes.append(terms)
    for terms in scopes:
        inside = Counter(_names(terms))
        # A variable that also stands outside is the same one; else each element has its own.
        everywhere.update({name: n for name, n in inside.items() if name in everywhere})
        yield from _single(stages, rule, terms, inside, set(everywhere))
    yield from _single(stages, rule, outside, everywhere, set())
    named = {name.lower(): name for name in _names([*outside, *(t for s in scopes for t in s)])}
    for literal in (*rule.head, *rule.body):
        yield from _lowercase(stages, rule, literal, named)


def _single(
    stages: Stages, rule: Rule, terms: Iterable[Term], counted: Counter[str], known: set[str]
) -> Iterator[Issue]:
    for term in _walk(terms):
        if term.kind != "variable" or counted[term.text] != 1 or term.text in known:
            continue
        if term.text.startswith("_"):
            continue
        yield about_term(
            "VARIABLE_SINGLE",
            stages.file(rule),
            rule,
            term,
            f"the variable {term.text} occurs once",
            "write _ where any value will do, or use it in another condition",
        )


def _lowercase(
    stages: Stages, rule: Rule, literal: Literal, named: dict[str, str]
) -> Iterator[Issue]:
    for atom in literal.atoms():
        for term in atom.args:
            # Nobody calls a constant by one letter; a longer name must stand where nothing has it.
            if term.kind != "constant" or term.text.lower() not in named or len(term.text) > 1:
                continue
            variable = named[term.text.lower()]
            yield about_term(
                "VARIABLE_LOWERCASE",
                stages.file(rule),
                rule,
                term,
                f"{quoted(term.text)} in {quoted(atom.text)} is a constant, {variable} is the "
                "variable of this rule",
                f"write {variable}, or give the constant a longer name",
            )


def _names(terms: Iterable[Term]) -> list[str]:
    return [term.text for term in _walk(terms) if term.kind == "variable"]


def _walk(terms: Iterable[Term]) -> list[Term]:
    found: list[Term] = []
    _append(terms, found)
    return found


def _append(terms: Iterable[Term], found: list[Term]) -> None:
    for term in terms:
        found.append(term)
        if term.args:
            _append(term.args, found)


def _deep(literal: Literal) -> Iterator[Term]:
    yield from literal.args
    for element in literal.elements:
        yield from element.terms
        for each in element.literals:
            yield from _deep(each)


# Comparisons.


def _contradictions(rule: Rule) -> Iterator[Issue]:
    allowed: dict[tuple[str, str], frozenset[str]] = {}
    signs: dict[str, str] = {}
    for literal in rule.body:
        if literal.kind == "atom":
            plain = literal.text.removeprefix("not ").removeprefix("not ")
            if "_" not in plain.split("(", 1)[-1] and signs.setdefault(plain, literal.sign) not in (
                literal.sign,
                "not not",
            ):
                yield _contradiction(rule, literal, f"{quoted(plain)} cannot both hold and not")
        if literal.kind != "comparison" or literal.sign:
            continue
        sides = zip(literal.args, literal.operators, literal.args[1:], strict=False)
        for one, operator, other in sides:
            left, right = _written(one), _written(other)
            wanted = _ALLOWS[operator]
            if left > right:
                left, right = right, left
                wanted = frozenset(each.translate(_MIRROR) for each in wanted)
            before = allowed.get((left, right), frozenset("<=>"))
            if left == right:
                before &= frozenset("=")
            allowed[left, right] = before & wanted
            if before and not before & wanted:
                yield _contradiction(
                    rule,
                    literal,
                    f"{quoted(literal.text)} never holds"
                    + ("" if left == right else " together with the other conditions"),
                )


def _contradiction(rule: Rule, literal: Literal, message: str) -> Issue:
    return about_rule(
        "COMPARISON_CONTRADICTS",
        rule,
        message,
        "remove one of the conditions, or split the rule in two",
        literal,
    )


def _written(term: Term) -> str:
    parts = ",".join(_written(each) for each in term.args)
    return f"{term.kind}:{term.text}({parts})"


def _orders(stages: Stages, rule: Rule) -> Iterator[Issue]:
    compared = [
        literal
        for literal in rule.body
        if literal.kind == "comparison" and not _ORDERS.isdisjoint(literal.operators)
    ]
    if not compared:
        return
    bound = bindings(rule)
    for literal in compared:
        sides = zip(literal.args, literal.operators, literal.args[1:], strict=False)
        for one, operator, other in sides:
            if operator in _ORDERS and any(
                _is_text(stages, rule, bound, each) for each in (one, other)
            ):
                yield about_rule(
                    "ID_ORDER",
                    rule,
                    f"{quoted(literal.text)} compares texts letter by letter, and puts O10 "
                    "before O9",
                    "compare the numbers of ordinal(Obligation, Number), or write != where only "
                    "the difference matters",
                    literal,
                )
                break


def _is_text(stages: Stages, rule: Rule, bound: dict[str, list[Place]], term: Term) -> bool:
    if term.kind == "string":
        return True
    if term.kind != "variable":
        return False
    found = [
        stages.domains(stage).of_variable(bound.get(term.text, ())) for stage in stages.of(rule)
    ]
    return bool(found) and all(values == frozenset({TEXT}) for values in found)


# Constants.


def _constants(stages: Stages, rule: Rule) -> Iterator[Issue]:
    within = [stages.domains(stage) for stage in stages.of(rule)]
    for atom in rule.atoms() if within else ():
        for index, arg in enumerate(atom.args):
            if arg.kind not in ("variable", "anonymous"):
                place = (atom.name or "", atom.arity, index)
                yield from _impossible(stages, within, rule, atom, arg, place)
    for atom in rule.derived():
        predicate = stages.shipped.predicates.get((atom.name or "", atom.arity))
        for index, arg in enumerate(atom.args):
            documented = predicate.values[index : index + 1] if predicate else ()
            yield from _slip(stages, rule, atom, arg, documented[0] if documented else ())


def _impossible(
    stages: Stages,
    within: Sequence[Domains],
    rule: Rule,
    atom: Literal,
    term: Term,
    place: Place,
) -> Iterator[Issue]:
    for each in alternatives(term):
        value = value_of(each, stages.numbers)
        if value is None:
            continue
        possible: set[str] = set()
        for domains in within:
            values = domains.of(place)
            if values is None or not values or value in values:
                break
            possible |= values
        else:
            yield _constant(stages, rule, atom, each, possible)
            continue
        if each.kind in ("function", "tuple"):
            for index, arg in enumerate(each.args):
                yield from _impossible(stages, within, rule, atom, arg, functor(each, index))


def _constant(stages: Stages, rule: Rule, atom: Literal, term: Term, possible: set[str]) -> Issue:
    written = term.text.strip('"') if term.kind == "string" else term.text
    listed = [_KINDS.get(each, each) for each in sorted(possible)]
    shown = f"{term.text}/{len(term.args)}" if term.args else term.text
    names = [each.partition("/")[0] for each in possible if each not in _KINDS]
    meant = written if written in names else near(written, names)
    fix = f"write {meant}" if meant else f"use {_some(listed)}"
    if not meant and possible == {TEXT} and term.kind == "constant":
        fix = f'write a variable such as {term.text.upper()}, or the text "{term.text}"'
    return about_term(
        "CONSTANT_UNKNOWN",
        stages.file(rule),
        rule,
        term,
        f"{quoted(shown) if term.kind != 'string' else term.text} never stands there in "
        f"{quoted(atom.text)}; what may: {_some(listed)}",
        fix,
    )


def _some(listed: list[str]) -> str:
    return ", ".join(listed[:8]) + (f" and {len(listed) - 8} more" if len(listed) > 8 else "")


def _slip(
    stages: Stages, rule: Rule, atom: Literal, term: Term, documented: tuple[str, ...]
) -> Iterator[Issue]:
    """A head may bring values of its own, but hardly one that is a slip away from a known one."""
    for each in alternatives(term) if documented else ():
        if each.kind not in ("constant", "string") or each.text in documented:
            continue
        written = each.text.strip('"')
        meant = written if written in documented else near(written, documented)
        if meant:
            yield _constant(stages, rule, atom, each, set(documented))


def values_shown(values: Values) -> str:
    """Return what an argument may be, for people."""
    return "anything" if values is None else _some(sorted(_KINDS.get(v, v) for v in values))
