"""Rules with one thing wrong: what a test should notice.

A mutant is a statement without one of its conditions, with two variables exchanged, with another
constant, number or comparison, or no statement at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from plan07.ruletools.lexer import Text, tokens
from plan07.ruletools.source import Rule, Term

RULE, LITERAL, DIRECTION, CONSTANT = "rule", "literal", "direction", "constant"
KINDS = (RULE, LITERAL, DIRECTION, CONSTANT)

_MUTATED = ("optimisation", "const", "constraint")
_SHIFTED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_CHANGED = "plan07_other"


class Mutant(NamedTuple):
    """A rule with one thing wrong.

    Args:
        rule: the rule.
        kind: one of `KINDS`.
        label: what is wrong, such as "ladder.linked: without `O != P`"; no two of a rule file
            are the same.
        text: the statement as it is tried; "" without the rule.
    """

    rule: Rule
    kind: str
    label: str
    text: str


def mutants(rule: Rule, numbers: Sequence[str] = ()) -> list[Mutant]:
    """Return the mutants of a rule, none twice; what derives nothing has none.

    Args:
        rule: the rule.
        numbers: names that stand for limits, which are no constants.
    """
    if not rule.derives and rule.kind not in _MUTATED:
        return []
    found: dict[str, Mutant] = {}
    labels: dict[str, int] = {}
    for kind, said, text in _changes(rule, frozenset(numbers)):
        if text in found:
            continue
        labels[said] = labels.get(said, 0) + 1
        number = f" ({labels[said]})" if labels[said] > 1 else ""
        found[text] = Mutant(rule, kind, f"{rule.id}: {said}{number}", text)
    return list(found.values())


def _changes(rule: Rule, numbers: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    yield RULE, "without the rule", ""
    for index, literal in enumerate(rule.body):
        if rule.derives or (rule.kind == "constraint" and len(rule.body) > 1):
            rest = [each.text for each in (*rule.body[:index], *rule.body[index + 1 :])]
            yield LITERAL, f"without `{literal.text}`", _statement(rule, rest)
    for atom in (*rule.derived(), *rule.atoms()):
        for one, other in pairwise(atom.args):
            if one.kind == other.kind == "variable" and one.text != other.text:
                text = _replaced(rule, [(one, other.text), (other, one.text)])
                yield DIRECTION, f"`{one.text}` and `{other.text}` in `{atom.text}`", text
    for literal in (*rule.head, *rule.body):
        for term, change in _other_constants(literal.terms(), numbers):
            said = f"`{change}` for `{term.text}` in `{literal.text}`"
            yield CONSTANT, said, _replaced(rule, [(term, change)])
    for term, change in _other_constants([*rule.levels, *rule.terms], numbers):
        yield CONSTANT, f"`{change}` for `{term.text}`", _replaced(rule, [(term, change)])
    found, _ = tokens(Text(rule.text))
    for token in found:
        if token.kind == "mark" and token.text in _SHIFTED:
            shifted = _SHIFTED[token.text]
            begin, end = token.at, token.at + len(token.text)
            text = rule.text[:begin] + shifted + rule.text[end:]
            yield CONSTANT, f"`{shifted}` for `{token.text}`", text


def _other_constants(terms: Iterable[Term], numbers: frozenset[str]) -> Iterator[tuple[Term, str]]:
    for term in terms:
        if term.kind == "number":
            yield term, str(int(term.text, 0) + 1)
        elif term.kind == "constant" and term.text not in numbers:
            yield term, _CHANGED


def _replaced(rule: Rule, changes: Sequence[tuple[Term, str]]) -> str:
    text = rule.text
    for term, other in sorted(changes, key=lambda change: -change[0].at):
        begin = term.at - rule.begin
        text = text[:begin] + other + text[begin + len(term.text) :]
    return text


def _statement(rule: Rule, body: Sequence[str]) -> str:
    found, _ = tokens(Text(rule.text))
    head = rule.text[: next(token.at for token in found if token.text == ":-")].strip()
    return f"{head} :- {'; '.join(body)}.".lstrip() if body else f"{head}."
