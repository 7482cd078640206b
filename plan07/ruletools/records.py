"""What a rule file is to the tools: its statements, comments and faults."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from plan07.ruletools.lexer import Comment, Text, Token

# The kinds of statements that derive atoms.
DERIVING = frozenset({"fact", "edge", "violation", "advice", "partition", "derivation", "choice"})


class Term(NamedTuple):
    """A term.

    Args:
        kind: variable, anonymous, number, string, constant, function, tuple, pool, interval,
            operation, external or special (`#inf`, `#sup`).
        text: the name of a variable, constant or function; a number or string as written.
        args: its parts; those of a pool are alternatives.
        at: where it begins, in characters from the start of the file.
    """

    kind: str
    text: str
    args: tuple[Term, ...]
    at: int

    def walk(self) -> Iterator[Term]:
        """Yield the term and all its parts."""
        yield self
        for arg in self.args:
            yield from arg.walk()


class Element(NamedTuple):
    """An element of an aggregate, or a conditional literal.

    Args:
        terms: its tuple.
        literals: its conditions; of a conditional literal or a choice, what it is about first.
    """

    terms: tuple[Term, ...]
    literals: tuple[Literal, ...]


class Literal(NamedTuple):
    """A literal of a body, or an atom of a head.

    Args:
        text: as written, spaces and comments normalised.
        sign: "", "not" or "not not".
        name: the predicate, with "-" before it if it is classically negated; None for others.
        arity: its number of arguments.
        kind: atom, comparison, aggregate, conditional, boolean, or choice (in a head).
        line, column: where it begins, from 1.
        args: arguments of an atom, sides of a comparison, guards of an aggregate.
        operators: of a comparison, one fewer than its sides.
        elements: of an aggregate, choice or conditional literal.
        function: of an aggregate, such as `#count`.
    """

    text: str
    sign: str
    name: str | None
    arity: int
    kind: str
    line: int
    column: int
    args: tuple[Term, ...] = ()
    operators: tuple[str, ...] = ()
    elements: tuple[Element, ...] = ()
    function: str = ""

    def atoms(self) -> Iterator[Literal]:
        """Yield the atoms in it: itself, or those of its elements."""
        if self.kind == "atom":
            yield self
        for element in self.elements:
            for literal in element.literals:
                yield from literal.atoms()

    def terms(self) -> Iterator[Term]:
        """Yield every term that stands in it."""
        for arg in self.args:
            yield from arg.walk()
        for element in self.elements:
            for term in element.terms:
                yield from term.walk()
            for literal in element.literals:
                yield from literal.terms()


class Fault(NamedTuple):
    """Why a file cannot be read.

    Args:
        file: its name.
        path: where it lies.
        line, column: where, from 1.
        message: what clingo, or this module, says.
    """

    file: str
    path: str
    line: int
    column: int
    message: str


class Rule(NamedTuple):
    """A statement of a rule file.

    Args:
        id: from a line `%@ id: NAME` right above it, else the stem of the file and what it
            derives: the code of a violation or advice, the name in the reason of an edge, else the
            name of the head and its first constant; numbered where there are several.
        title: from a line `%@ title: TEXT`, else the first sentence of the comment right above it,
            else the words of its violation or advice, else what the head's documentation says.
        file, path: the name of its file, and where that lies.
        line, column, end_line, end_column: from 1; the end is the character after the last.
        stages: those of its file.
        kind: fact, edge, violation, advice, partition, derivation, constraint, choice,
            optimisation, show, defined, const, or the name of another statement.
        heads: predicates that it derives, name and arity.
        head: the atoms of the head; a choice is one literal that holds them.
        body: its conditions.
        text: as written.
        overlaid: its file comes from the user's directory.
        named: its id is written above it.
        numbered: nothing but a number in its id sets it apart from another edge, violation, advice
            or part of the partition.
        signature: name and arity of `#show p/1` and `#defined p/1`; name and 0 of `#const`.
        levels: priorities of an optimisation.
        terms: what a statement names beside head and body.
        begin, end: characters from the start of the file.
    """

    id: str
    title: str
    file: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    stages: tuple[str, ...]
    kind: str
    heads: tuple[tuple[str, int], ...]
    head: tuple[Literal, ...]
    body: tuple[Literal, ...]
    text: str
    overlaid: bool
    named: bool
    numbered: bool
    signature: tuple[str, int] | None
    levels: tuple[Term, ...]
    terms: tuple[Term, ...]
    begin: int
    end: int

    @property
    def derives(self) -> bool:
        """Whether atoms come from it."""
        return self.kind in DERIVING

    def atoms(self) -> Iterator[Literal]:
        """Yield the atoms of its body, and of the conditions in its head."""
        for literal in self.body:
            yield from literal.atoms()
        for literal in self.head:
            for element in literal.elements:
                for condition in element.literals[1:]:
                    yield from condition.atoms()

    def derived(self) -> Iterator[Literal]:
        """Yield the atoms that it derives."""
        return derived(self.head)

    def all_terms(self) -> Iterator[Term]:
        """Yield every term that stands in it."""
        for literal in (*self.head, *self.body):
            yield from literal.terms()
        for term in (*self.levels, *self.terms):
            yield from term.walk()


def derived(head: Iterable[Literal]) -> Iterator[Literal]:
    """Yield the atoms that a head derives."""
    for literal in head:
        if literal.kind == "atom":
            yield literal
        for element in literal.elements:
            yield from (each for each in element.literals[:1] if each.kind == "atom")


class SourceFile(NamedTuple):
    """A rule file as read.

    Args:
        name, path: its name, and where it lies.
        source: its text.
        stages: those that its header names.
        overlaid: it comes from the user's directory.
        tokens: all of them.
        comments: all of them.
        rules: its statements, in order.
        faults: why it cannot be read; then it has no rules.
    """

    name: str
    path: str
    source: Text
    stages: tuple[str, ...]
    overlaid: bool
    tokens: tuple[Token, ...]
    comments: tuple[Comment, ...]
    rules: tuple[Rule, ...]
    faults: tuple[Fault, ...]
