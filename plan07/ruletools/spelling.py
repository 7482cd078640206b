"""Spells out what a rule test says: its facts, and those that its rules derive from them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from plan07 import answersets, rulefiles
from plan07.errors import RulesError
from plan07.facts import parse
from plan07.ruletools import source
from plan07.ruletools.patterns import shown, with_wildcards

_INDICATOR = re.compile(r"\bexact\(\s*([a-z_]\w*)\s*/\s*(\d+)\s*\)")
_PLACE = re.compile(r"<block>:(\d+):(\d+)\S*: (?:error|info): ")


class Fault(Exception):
    """What is wrong with a test.

    Args:
        code: UPPER_SNAKE.
        said: one sentence.
        fix: what to do about it.
        line: where, if that is known.
    """

    def __init__(self, code: str, said: str, fix: str, line: int | None = None) -> None:
        super().__init__(said)
        self.code, self.said, self.fix, self.line = code, said, fix, line


def spelt_out(statements: Sequence[source.Rule]) -> tuple[list[str], dict[str, int]]:
    """Return the atoms that statements give, and the lines of those that are written in full.

    Raises:
        Fault: they cannot be grounded.
    """
    texts = [(each, _prepared(each)) for each in statements]
    try:
        atoms = answersets.consequences([_at_their_lines(texts)])
    except RulesError as error:
        raise _located(error) from error
    lines: dict[str, int] = {}
    for each, text in texts:
        if not each.body:
            lines.setdefault(shown(parse(text)), each.line)
    return atoms, lines


def _prepared(statement: source.Rule) -> str:
    """Return a statement in which patterns and predicate indicators are terms of clingo."""
    text = _INDICATOR.sub(r"exact(\1,\2)", rulefiles.without_comments(statement.text))
    head, implies, body = text.partition(":-")
    return with_wildcards(head) + implies + body


def _at_their_lines(statements: Sequence[tuple[source.Rule, str]]) -> str:
    """Return the statements where they stand in the file, so that messages name the place."""
    lines: list[str] = []
    for statement, text in sorted(statements, key=_place):
        lines += [""] * (statement.line - len(lines))
        pad = " " * (statement.column - 1 - len(lines[statement.line - 1]))
        first, *rest = text.split("\n")
        lines[statement.line - 1] += pad + first
        lines += rest
    return "\n".join(lines)


def _place(statement: tuple[source.Rule, str]) -> tuple[int, int]:
    return statement[0].line, statement[0].column


def _located(error: RulesError) -> Fault:
    messages = error.detail.get("messages") or [error.message]
    said = " ".join(str(messages[0]).split())
    place = _PLACE.match(said)
    # Of a fault, clingo tells the statement, and after it each variable with its place.
    said = said[place.end() :].split(" <block>")[0] if place else said
    return Fault(
        "TEST_SYNTAX",
        f"the test cannot be grounded: {said.replace('[#inc_base];', '')}",
        "bind every variable by a positive literal; `_` stands for anything in expect, forbid "
        "and violation_expected alone",
        int(place[1]) if place else None,
    )
