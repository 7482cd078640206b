"""Reads one statement of a rule file into plain records.

Meant for statements that clingo accepts. What is read is what the tools look at: predicates,
arguments, variables and conditions. Theory atoms and scripts, which rule files may not hold, are
not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from plan07.ruletools.lexer import Text, Token, written
from plan07.ruletools.reading import Reader, Unreadable
from plan07.ruletools.records import Element, Literal, Term

_RELATIONS = frozenset({"=", "==", "!=", "<>", "<", "<=", ">", ">="})
_AGGREGATES = frozenset({"#count", "#sum", "#sum+", "#min", "#max"})
# A text that is in one line, without comments and without more than one space at a place.
_PLAIN = re.compile(r"(?:[^\s%\"]|[ ](?! ))*\Z").match


class Statement(NamedTuple):
    """A statement.

    Args:
        kind: rule, constraint, optimisation, show, defined, const, or the name of a directive.
        head: what it derives.
        body: on which conditions; of `#minimize` one literal that holds its elements.
        signature: name and arity, of `#show p/1` and `#defined p/1`; name and 0 of `#const`.
        levels: priorities of an optimisation.
        terms: what `#show`, `#const` or a weak constraint names beside its body.
    """

    kind: str
    head: tuple[Literal, ...] = ()
    body: tuple[Literal, ...] = ()
    signature: tuple[str, int] | None = None
    levels: tuple[Term, ...] = ()
    terms: tuple[Term, ...] = ()


def read(source: Text, found: Sequence[Token]) -> Statement:
    """Return a statement.

    Args:
        source: the text of the file.
        found: the tokens of the statement.

    Raises:
        Unreadable: it is no statement, or one with parts that are not read.
    """
    reader = _Reader(source, found)
    first = found[0].text
    special = _DIRECTIVES.get(first)
    if special is not None:
        return special(reader)
    if found[0].kind == "script":
        return Statement("script")
    if first.startswith("#") and first not in (*_AGGREGATES, "#true", "#false", "#inf", "#sup"):
        # `#edge` is no edge between obligations.
        return Statement("acyclic" if first == "#edge" else first[1:])
    return reader.rule()


class _Reader(Reader):
    def rule(self) -> Statement:
        head = self._head()
        body = self._body() if self.skip(":-") else ()
        self.expect(".")
        derives = [each for each in head if each.kind != "boolean"]
        return Statement("rule" if derives else "constraint", tuple(derives), body)

    def constraint(self) -> Statement:
        self.expect(":-")
        body = self._body()
        self.expect(".")
        return Statement("constraint", (), body)

    def weak(self) -> Statement:
        self.expect(":~")
        body = self._body()
        self.expect(".")
        self.expect("[")
        level, terms = self._weight()
        self.expect("]")
        return Statement("optimisation", (), body, None, (level,), terms)

    def optimise(self) -> Statement:
        begin = self.next
        name = self.advance().text
        self.expect("{")
        levels: list[Term] = []
        elements: list[Element] = []
        while not self.skip("}"):
            level, terms = self._weight()
            literals = self._conditions() if self.skip(":") else ()
            levels.append(level)
            elements.append(Element((level, *terms), literals))
            self.skip(";")
        body = self._literal(
            begin, "", None, 0, "aggregate", elements=tuple(elements), function=name
        )
        self.expect(".")
        return Statement("optimisation", (), (body,), None, tuple(levels))

    def show(self) -> Statement:
        self.advance()
        if self.skip("."):
            return Statement("show")
        signature = self._signature()
        if signature:
            self.expect(".")
            return Statement("show", signature=signature)
        term = self.term()
        body = self._body() if self.skip(":") else ()
        self.expect(".")
        return Statement("show", (), body, None, (), (term,))

    def defined(self) -> Statement:
        self.advance()
        signature = self._signature()
        if signature is None:
            raise Unreadable
        return Statement("defined", signature=signature)

    def const(self) -> Statement:
        self.advance()
        name = self.advance().text
        self.expect("=")
        return Statement("const", signature=(name, 0), terms=(self.term(),))

    def _signature(self) -> tuple[str, int] | None:
        begin = self.next
        sign = "-" if self.skip("-") else ""
        if self.kind() == "word":
            name = self.advance().text
            if self.skip("/") and self.kind() == "number":
                return sign + name, int(self.advance().text, 0)
        self.next = begin
        return None

    def _weight(self) -> tuple[Term, tuple[Term, ...]]:
        weight = self.term()
        level = self.term() if self.skip("@") else Term("number", "0", (), weight.at)
        terms = [weight]
        while self.skip(","):
            terms.append(self.term())
        return level, tuple(terms)

    # Heads and bodies.

    def _head(self) -> tuple[Literal, ...]:
        found: list[Literal] = []
        while True:
            begin = self.next
            for literal in self._part("choice"):
                found.append(self._conditional(begin, literal))
            if not (self.skip(";") or self.skip("|") or self.skip(",")):
                return tuple(found)

    def _body(self) -> tuple[Literal, ...]:
        found: list[Literal] = []
        while self.text() not in (".", ""):
            begin = self.next
            for literal in self._part("aggregate"):
                found.append(self._conditional(begin, literal))
            if not (self.skip(",") or self.skip(";")):
                break
        return tuple(found)

    def _conditional(self, begin: int, literal: Literal) -> Literal:
        if not self.skip(":"):
            return literal
        element = Element((), (literal, *self._conditions()))
        name, arity, sign = literal.name, literal.arity, literal.sign
        return self._literal(begin, sign, name, arity, "conditional", elements=(element,))

    def _conditions(self) -> tuple[Literal, ...]:
        found: list[Literal] = []
        while self.text() not in (".", ";", "}", "|", ":-", ":", ""):
            found += self._part("aggregate")
            if not self.skip(","):
                break
        return tuple(found)

    def _part(self, set_kind: str) -> list[Literal]:
        begin = self.next
        sign = "not" if self.skip("not") else ""
        if sign and self.skip("not"):
            sign = "not not"
        if self.text() in ("#true", "#false"):
            self.advance()
            return [self._literal(begin, sign, None, 0, "boolean")]
        if self._at_aggregate():
            return [self._aggregate(begin, sign, set_kind, ())]
        side = self.term()
        if self._at_aggregate():
            return [self._aggregate(begin, sign, set_kind, (side,))]
        sides, operators = [side], []
        while self.text() in _RELATIONS:
            operators.append(self.advance().text)
            if self._at_aggregate():
                return [self._aggregate(begin, sign, set_kind, (side,))]
            sides.append(self.term())
        if operators:
            return [
                self._literal(
                    *(begin, sign, None, 0, "comparison", tuple(sides)), operators=tuple(operators)
                )
            ]
        return [
            self._literal(begin, sign, name, len(args), "atom", args) for name, args in _atoms(side)
        ]

    def _at_aggregate(self) -> bool:
        text = self.text()
        if text == "&":
            raise Unreadable
        return text == "{" or text in _AGGREGATES

    def _aggregate(self, begin: int, sign: str, set_kind: str, guards: tuple[Term, ...]) -> Literal:
        function = self.advance().text if self.text() != "{" else ""
        self.expect("{")
        elements: list[Element] = []
        while not self.skip("}"):
            elements.append(self._element(function))
            self.skip(";")
        # `:` and `|` follow in heads, a full stop at the end; everything else is a guard.
        if self.text() in _RELATIONS:
            self.advance()
            guards = (*guards, self.term())
        elif self.kind() in ("number", "variable", "word") and self.text() != "not":
            guards = (*guards, self.term())
        return self._literal(
            begin,
            sign,
            None,
            0,
            set_kind if not function or set_kind == "choice" else "aggregate",
            guards,
            tuple(elements),
            function,
        )

    def _element(self, function: str) -> Element:
        if not function:
            literals = self._part("aggregate")
            return Element((), (*literals, *(self._conditions() if self.skip(":") else ())))
        terms: list[Term] = []
        while self.text() not in (":", ";", "}"):
            terms.append(self.term())
            self.skip(",")
        literals = []
        while self.skip(":"):
            literals += self._conditions()
        return Element(tuple(terms), tuple(literals))

    def _literal(
        self,
        begin: int,
        sign: str,
        name: str | None,
        arity: int,
        kind: str,
        args: tuple[Term, ...] = (),
        elements: tuple[Element, ...] = (),
        function: str = "",
        operators: tuple[str, ...] = (),
    ) -> Literal:
        used = self.found[begin : self.next]
        line, column = self.source.place(used[0].at)
        text = self.source.text[used[0].at : used[-1].at + len(used[-1].text)]
        if not _PLAIN(text):
            text = written(used)
        return Literal(
            text, sign, name, arity, kind, line, column, args, operators, elements, function
        )


_DIRECTIVES: dict[str, Callable[[_Reader], Statement]] = {
    ":-": _Reader.constraint,
    ":~": _Reader.weak,
    "#minimize": _Reader.optimise,
    "#maximize": _Reader.optimise,
    "#minimise": _Reader.optimise,
    "#maximise": _Reader.optimise,
    "#show": _Reader.show,
    "#defined": _Reader.defined,
    "#const": _Reader.const,
}


def _atoms(term: Term) -> list[tuple[str, tuple[Term, ...]]]:
    """Return what a term is as an atom: one, or several of a pool of different arity."""
    if term.kind in ("function", "constant"):
        return [(term.text, term.args)]
    if term.kind == "operation" and term.text == "-":
        return [(f"-{name}", args) for name, args in _atoms(term.args[0])]
    if term.kind == "pool":
        return [atom for each in term.args for atom in _atoms(each)]
    raise Unreadable
