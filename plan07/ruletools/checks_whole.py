"""Checks of the rules as a whole: variables that nothing binds, loops through negation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from plan07.messages import quoted
from plan07.ruletools.domains import value_of
from plan07.ruletools.issues import Issue, about_file, about_rule
from plan07.ruletools.predicates import Signature
from plan07.ruletools.records import Literal, Rule, SourceFile, Term
from plan07.ruletools.source import complaints
from plan07.ruletools.stages import Stage, Stages

_UNSAFE = re.compile(r"<block>:(\d+):(\d+)[-\d:]*: error: unsafe variables")
_NOTE = re.compile(r"<block>:(\d+):(\d+)[-\d:]*: note: '([^']*)' is unsafe")
_ERROR = re.compile(r"<block>:(\d+):(\d+)[-\d:]*: error: (.*)", re.DOTALL)


def check(stages: Stages) -> Iterator[Issue]:
    """Yield what only shows when rules are taken together."""
    yield from _unsafe(stages)
    told: set[str] = set()
    for stage in stages.stages.values():
        for issue in _loops(stage, stages.numbers):
            if issue.rule not in told:
                told.add(issue.rule)
                yield issue


def _unsafe(stages: Stages) -> Iterator[Issue]:
    if stages.rules.sound:
        return
    files = [file for file in stages.rules.files if not file.faults]
    begins: list[int] = []
    line = 1
    for file in files:
        begins.append(line)
        line += file.source.text.count("\n") + 1
    for message in complaints("\n".join(file.source.text for file in files)):
        notes = [(*_placed(files, begins, note), note[3]) for note in _NOTE.finditer(message)]
        for file, at, byte, variable in notes:
            rule = next((r for r in file.rules if r.line <= at <= r.end_line), None)
            name = "_" if variable.startswith("#Anon") else variable
            found = about_file(
                "VARIABLE_UNSAFE",
                file,
                at,
                file.source.column(at, byte),
                f"nothing binds the variable {name}",
                f"name {name} in a positive condition of the rule",
            )
            yield found._replace(rule=rule.id if rule else "")
        other = _ERROR.match(message)
        if other and not notes:
            file, at, column = _placed(files, begins, other)
            text = " ".join(other[3].split())
            yield about_file("SYNTAX", file, at, column, text, "mend the statement")


def _placed(
    files: list[SourceFile], begins: list[int], found: re.Match[str]
) -> tuple[SourceFile, int, int]:
    line = int(found[1])
    index = max(i for i, begin in enumerate(begins) if begin <= line)
    return files[index], line - begins[index] + 1, int(found[2])


def _loops(stage: Stage, numbers: frozenset[str]) -> Iterator[Issue]:
    """Yield rules through which something depends on its own absence.

    Rules are told apart by the constants of their heads, so that one role may depend on the absence
    of another.
    """
    rules = _suspects(stage)
    needs: dict[int, set[int]] = {}
    negative: list[tuple[int, int, Literal]] = []
    number = {rule.id: index for index, rule in enumerate(rules)}
    for here, rule in enumerate(rules):
        read = needs.setdefault(here, set())
        for atom, negated in _conditions(rule):
            for maker in stage.makers.get((atom.name or "", atom.arity), ()):
                there = number.get(maker.id)
                if there is not None and any(
                    _may_meet(atom, head, numbers) for head in maker.derived()
                ):
                    read.add(there)
                    if negated:
                        negative.append((here, there, atom))
    component = _components(needs)
    for here, there, atom in negative:
        if component[here] == component[there]:
            yield about_rule(
                "NEGATION_LOOP",
                rules[here],
                f"{quoted(atom.text)} depends on what this rule derives, which may leave "
                "no answer or several",
                "derive one of them without the other",
                atom,
            )


def _conditions(rule: Rule) -> Iterator[tuple[Literal, bool]]:
    """Yield the atoms that a rule rests on, and whether on their absence."""
    for literal in rule.body if rule.derives else ():
        for atom in literal.atoms():
            yield atom, "not" in (atom.sign, literal.sign)


def _suspects(stage: Stage) -> list[Rule]:
    """Return the rules of predicates that depend, by name alone, on the absence of themselves."""
    numbers: dict[Signature, int] = {}
    needs: dict[int, set[int]] = {}
    negative: set[tuple[int, int]] = set()
    for rule in stage.rules:
        for head in rule.heads:
            here = numbers.setdefault(head, len(numbers))
            read = needs.setdefault(here, set())
            for atom, negated in _conditions(rule):
                there = numbers.setdefault((atom.name or "", atom.arity), len(numbers))
                needs.setdefault(there, set())
                read.add(there)
                if negated:
                    negative.add((here, there))
    component = _components(needs)
    loops = {component[here] for here, there in negative if component[here] == component[there]}
    return [
        rule
        for rule in stage.rules
        if any(component[numbers[head]] in loops for head in rule.heads)
    ]


def _may_meet(one: Literal, other: Literal, numbers: frozenset[str]) -> bool:
    return (one.name, one.arity) == (other.name, other.arity) and all(
        map(_same, one.args, other.args, [numbers] * one.arity)
    )


def _same(one: Term, other: Term, numbers: frozenset[str]) -> bool:
    """Whether two terms may be the same value."""
    first, second = value_of(one, numbers), value_of(other, numbers)
    if first is None or second is None:
        return True
    if first != second:
        return False
    if one.kind == other.kind in ("string", "number"):
        return one.text == other.text
    return len(one.args) != len(other.args) or all(
        map(_same, one.args, other.args, [numbers] * len(one.args))
    )


def _components(needs: dict[int, set[int]]) -> dict[int, int]:
    """Return for each node the number of its strongly connected component."""
    order: list[int] = []
    seen: set[int] = set()
    for start in needs:
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(needs[start]))]
        while stack:
            node, rest = stack[-1]
            following = next((each for each in rest if each not in seen), None)
            if following is None:
                order.append(node)
                stack.pop()
            else:
                seen.add(following)
                stack.append((following, iter(needs[following])))
    back: dict[int, list[int]] = {}
    for node, read in needs.items():
        for each in read:
            back.setdefault(each, []).append(node)
    found: dict[int, int] = {}
    for number, start in enumerate(reversed(order)):
        todo = [start]
        while todo:
            node = todo.pop()
            if node not in found:
                found[node] = number
                todo += back.get(node, ())
    return found
