"""Checks of one rule file at a time: header, ids, statements, constraints, numbers."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from plan07.messages import quoted
from plan07.ruletools.issues import Issue, about_file, about_rule, about_term
from plan07.ruletools.naming import is_id
from plan07.ruletools.records import Rule, SourceFile, Term
from plan07.ruletools.source import one_line
from plan07.ruletools.stages import Stages

_TITLE = re.compile(r"%#[ \t]+\S")
_LARGEST = 2**31 - 1
_LARGE = 2**30
# A number as large as that has ten characters, whatever its base.
_LONG = re.compile(r"[0-9][0-9A-Za-z]{9}")
# What a user's file may not hold beside rules, and what to do instead.
_FORBIDDEN = {
    "program": "put the rules into files of their own; a `% Stage:` line says where they run",
    "external": "read a fact of plan07, or a switch documented with a `Values:` line",
    "script": "derive it with rules; rule files run no code",
    "theory": "write it with plain rules",
    "heuristic": "leave it out; the rules have one answer",
    "acyclic": "leave it out; cycles become composites",
    "project": "leave it out; all shown atoms count",
    "include": "put the rules into files of their own in the same directory",
    "unread": "write it with plain rules, without theory atoms",
}
_REPAIR = "put it into a file of the stage repair alone"
# The levels of repair.lp: 2 counts contradictions, 1 dropped edges, 0 and below the edges.
_HIGHEST_LEVEL = 2


def check(stages: Stages) -> Iterator[Issue]:
    """Yield what is wrong with files and statements by themselves."""
    for file in stages.rules.files:
        for fault in file.faults:
            yield about_file(
                "SYNTAX", file, fault.line, fault.column, fault.message, "mend the statement"
            )
        if not file.faults:
            yield from _header(file)
            yield from _program(file)
    for rule in stages.rules.rules:
        if stages.own(rule):
            yield from _statement(stages, rule)
            yield from _levels(stages, rule)
        yield from _numbers(stages, rule)
    yield from _ids(stages)


def _header(file: SourceFile) -> Iterator[Issue]:
    if not file.rules:
        yield about_file(
            "FILE_EMPTY",
            file,
            1,
            1,
            f"{file.name} holds no rule",
            "write a rule, or remove the file: an empty file that bears the name of a shipped one "
            "switches all of its rules off",
        )
        return
    if not any(_TITLE.match(comment.text) for comment in file.comments):
        yield about_file(
            "HEADER_MISSING",
            file,
            1,
            1,
            f"{file.name} does not say which question it answers",
            "begin it with a line `%# Title: question?`",
        )
    beside = f"{file.path.removesuffix('.lp')}_test.lp"
    decides = any(rule.derives or rule.kind == "constraint" for rule in file.rules)
    if file.overlaid and decides and not os.path.exists(beside):
        yield about_file(
            "TEST_MISSING",
            file,
            1,
            1,
            f"no test covers {file.name}",
            f"write {os.path.basename(beside)}, or let `plan07 rules new` begin it",
        )


def _program(file: SourceFile) -> Iterator[Issue]:
    """What follows a `#program` is never grounded, and clingo says nothing."""
    for index, rule in enumerate(file.rules):
        if rule.kind == "program" and one_line(rule) != "#program base.":
            lost = file.rules[index + 1 :]
            after = (
                f"; the {len(lost)} statements after it, from line {lost[0].line}, never run"
                if lost
                else ""
            )
            yield about_rule(
                "STATEMENT_FORBIDDEN",
                rule,
                f"{quoted(one_line(rule))} begins a part of the program that is not grounded"
                f"{after}",
                f"remove it; {_FORBIDDEN['program']}",
            )
            return


def _statement(stages: Stages, rule: Rule) -> Iterator[Issue]:
    text = quoted(one_line(rule))
    if rule.kind in _FORBIDDEN and rule.kind != "program":
        fix = _FORBIDDEN[rule.kind]
        yield about_rule("STATEMENT_FORBIDDEN", rule, f"{text} may not stand here", fix)
    elif rule.kind == "show" and rule.terms:
        yield about_rule(
            "STATEMENT_FORBIDDEN",
            rule,
            f"{text} shows a term that is no atom",
            "derive an atom and show its predicate: `#show name/arity.`",
        )
    elif rule.kind == "optimisation" and rule.stages != ("repair",):
        yield about_rule(
            "STATEMENT_FORBIDDEN",
            rule,
            f"{text} chooses among answers, and there is only one",
            f"derive prefer(Obligation, Number) for an order among what is ready, or {_REPAIR}",
        )
    elif rule.kind == "choice" and rule.stages != ("repair",):
        yield about_rule(
            "CHOICE_FORBIDDEN",
            rule,
            f"{text} leaves several answers",
            f"derive what shall hold with a plain rule, or {_REPAIR}",
        )
    elif rule.kind == "constraint" and "repair" not in rule.stages:
        yield about_rule(
            "CONSTRAINT_REWRITTEN",
            rule,
            f"{text} is read as a rule that derives a violation in these words",
            f'say it yourself: `violation("why", Subject) {one_line(rule)}`',
        )
    for atom in (*rule.derived(), *rule.atoms()):
        if atom.name and atom.name.startswith("-"):
            yield about_rule(
                "NEGATION_CLASSICAL",
                rule,
                f"{quoted(atom.text)} and its opposite together leave no answer",
                f"write `not {atom.name[1:]}(…)`, or derive a predicate of another name",
                atom,
            )
    for term in rule.all_terms():
        if term.kind == "external":
            yield about_term(
                "STATEMENT_FORBIDDEN",
                stages.file(rule),
                rule,
                term,
                f"@{term.text} calls a function of a script",
                _FORBIDDEN["script"],
            )


def _levels(stages: Stages, rule: Rule) -> Iterator[Issue]:
    if rule.kind != "optimisation" or rule.stages != ("repair",):
        return
    for level in rule.levels:
        number = _integer(level)
        if number is None or number <= _HIGHEST_LEVEL:
            yield about_term(
                "LEVEL_RESERVED",
                stages.file(rule),
                rule,
                level,
                f"the level {quoted(level.text or 'computed')} of {quoted(one_line(rule))} is one "
                "that repair.lp uses",
                f"use a level of {_HIGHEST_LEVEL + 1} or more, which decides before it",
            )


def _numbers(stages: Stages, rule: Rule) -> Iterator[Issue]:
    for term in rule.all_terms() if _LONG.search(rule.text) else ():
        number = _integer(term) if term.kind == "number" else None
        if number is None or abs(number) < _LARGE:
            continue
        code = "INTEGER_WRAPS" if abs(number) > _LARGEST else "INTEGER_LARGE"
        yield about_term(
            code,
            stages.file(rule),
            rule,
            term,
            f"the number {term.text} "
            + ("does not fit into 32 bits" if code == "INTEGER_WRAPS" else "is near 2^31"),
            f"use a number below {_LARGE}, or count in larger units",
        )


def _integer(term: Term) -> int | None:
    if term.kind != "number":
        return None
    return int(term.text, 10 if term.text.lstrip("-").isdigit() else 0)


def _ids(stages: Stages) -> Iterator[Issue]:
    seen: dict[str, Rule] = {}
    # Where a user's rule has the id of a shipped one, it is the user's that is to be changed.
    for rule in sorted(stages.rules.rules, key=stages.own):
        if rule.named and not is_id(rule.id):
            yield about_rule(
                "ID_INVALID",
                rule,
                f"{quoted(rule.id)} is no id of a rule",
                "write words in lower case joined by dots, such as `%@ id: docs.last`",
            )
        elif rule.named and rule.id in seen:
            first = seen[rule.id]
            yield about_rule(
                "ID_INVALID",
                rule,
                f"the id {quoted(rule.id)} is that of {first.file}:{first.line} already",
                "give each rule an id of its own",
            )
        elif rule.numbered:
            yield about_rule(
                "ID_MISSING",
                rule,
                f"nothing but its number sets {rule.id} apart from the rules before it",
                "write a line `%@ id: NAME` above it",
            )
        seen.setdefault(rule.id, rule)
