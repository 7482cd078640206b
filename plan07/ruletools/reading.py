"""Reads terms from the tokens of a statement."""

from __future__ import annotations

from collections.abc import Sequence

from plan07.ruletools.lexer import Text, Token
from plan07.ruletools.records import Term

_OPERATORS = frozenset({"..", "^", "?", "&", "+", "-", "*", "/", "\\", "**"})


class Unreadable(Exception):
    """The statement holds something that is not read."""


class Reader:
    """Walks over the tokens of a statement.

    Args:
        source: the text of the file.
        found: the tokens of the statement.
    """

    def __init__(self, source: Text, found: Sequence[Token]) -> None:
        self.source = source
        self.found = found
        self.next = 0
        self._last = len(found) - 1

    def term(self) -> Term:
        """Read a term; operators are kept in a row, whichever binds stronger."""
        first = self._primary()
        if self.next > self._last or self.found[self.next].text not in _OPERATORS:
            return first
        parts, interval = [first], False
        while self.text() in _OPERATORS:
            interval |= self.advance().text == ".."
            parts.append(self._primary())
        return Term("interval" if interval else "operation", "", tuple(parts), first.at)

    def _primary(self) -> Term:
        token = self.advance()
        kind, text, at = token
        if kind in ("number", "string", "variable", "anonymous"):
            return Term(kind, text, (), at)
        if kind == "word":
            if text == "not":
                raise Unreadable
            return self._function("function", text, at) if self.skip("(") else _constant(token)
        if text == "(":
            return self._function("tuple", "", at)
        if text in ("-", "~"):
            inner = self._primary()
            if text == "-" and inner.kind == "number":
                return Term("number", f"-{inner.text}", (), at)
            return Term("operation", text, (inner,), at)
        if text == "|":
            inner = self.term()
            self.expect("|")
            return Term("operation", text, (inner,), at)
        if text == "@":
            name = self.advance().text
            inner = self._function("function", name, at) if self.skip("(") else _constant(token)
            return Term("external", name, inner.args, at)
        if text in ("#inf", "#sup", "#infimum", "#supremum"):
            return Term("special", text, (), at)
        raise Unreadable

    def _function(self, kind: str, name: str, at: int) -> Term:
        """Read the arguments of a function or tuple, its bracket being open."""
        groups: list[list[Term]] = [[]]
        trailing = False
        while (text := self.text()) != ")":
            if text == ";":
                self.next += 1
                groups.append([])
            elif text == ",":
                self.next += 1
            else:
                groups[-1].append(self.term())
                trailing = self.text() == "," and self.peek(1) in (")", ";")
        self.next += 1
        if kind == "tuple" and not trailing:
            parts = [_grouped(group, at) for group in groups]
            return parts[0] if len(parts) == 1 else Term("pool", "", tuple(parts), at)
        if len(groups) == 1:
            return Term(kind, name, tuple(groups[0]), at)
        if len({len(group) for group in groups}) == 1:
            pools = [
                Term("pool", "", alternatives, at) for alternatives in zip(*groups, strict=True)
            ]
            return Term(kind, name, tuple(pools), at)
        terms = [Term(kind, name, tuple(group), at) for group in groups]
        return Term("pool", "", tuple(terms), at)

    # Tokens.

    def text(self) -> str:
        return self.found[self.next].text if self.next <= self._last else ""

    def kind(self) -> str:
        return self.found[self.next].kind if self.next <= self._last else ""

    def skip(self, text: str) -> bool:
        if self.next <= self._last and self.found[self.next].text == text:
            self.next += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.skip(text):
            raise Unreadable

    def peek(self, distance: int) -> str:
        at = self.next + distance
        return self.found[at].text if at <= self._last else ""

    def advance(self) -> Token:
        if self.next > self._last:
            raise Unreadable
        self.next += 1
        return self.found[self.next - 1]


def _constant(token: Token) -> Term:
    return Term("constant", token.text, (), token.at)


def _grouped(group: list[Term], at: int) -> Term:
    return group[0] if len(group) == 1 else Term("tuple", "", tuple(group), at)
