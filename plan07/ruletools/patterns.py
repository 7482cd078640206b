"""Patterns of atoms: matching, what comes nearest, and what an atom in a rule can stand for.

A pattern is a term in which `ANY` stands for whatever is there, written `_` in tests.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from itertools import product

from plan07.facts import Fact, Term, constant, parse, render
from plan07.ruletools import source
from plan07.ruletools.source import Literal

ANY = constant("plan07_any")

_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z_\']\w*|.', re.S)


def with_wildcards(text: str) -> str:
    """Return ASP text with `_` replaced by the constant that stands for anything.

    >>> with_wildcards('expect(p(_, "_", X_)).')
    'expect(p(plan07_any, "_", X_)).'
    """
    return "".join(
        ANY.name if piece == "_" else piece for piece in map(_whole, _PIECE.finditer(text))
    )


def matches(pattern: Term, atom: Term) -> bool:
    """Return whether an atom is what a pattern says."""
    if pattern in (ANY, atom):
        return True
    if not (isinstance(pattern, Fact) and isinstance(atom, Fact)):
        return False
    return (
        pattern.name == atom.name
        and len(pattern.args) == len(atom.args)
        and all(map(matches, pattern.args, atom.args))
    )


def may_meet(pattern: Term, other: Term) -> bool:
    """Return whether some atom is what both patterns say."""
    if ANY in (pattern, other) or pattern == other:
        return True
    if not (isinstance(pattern, Fact) and isinstance(other, Fact)):
        return False
    return (
        pattern.name == other.name
        and len(pattern.args) == len(other.args)
        and all(map(may_meet, pattern.args, other.args))
    )


def nearest(pattern: Fact, atoms: Iterable[Fact], number: int = 3) -> list[Fact]:
    """Return the atoms of the pattern's predicate that differ least from it.

    Args:
        pattern: what was looked for.
        atoms: what there is, in a fixed order.
        number: how many at most.
    """
    of_name = [atom for atom in atoms if atom.name == pattern.name]
    return sorted(of_name, key=lambda atom: _distance(pattern, atom))[:number]


def of_atom(literal: Literal, constants: Container[str] = ()) -> list[Fact]:
    """Return patterns of what an atom in a rule can stand for, one for each way through its pools.

    Args:
        literal: the atom.
        constants: names that stand for numbers.
    """
    ways = product(*(_of_term(arg, constants) for arg in literal.args))
    return [Fact(literal.name or "", way) for way in ways]


def _of_term(term: source.Term, constants: Container[str]) -> list[Term]:
    match term.kind:
        case "string":
            return [*parse(f"text({term.text})").args]
        case "number" if term.text.isdigit():
            return [int(term.text)]
        case "constant" if term.text not in constants:
            return [Fact(term.text)]
        case "pool":
            return [each for arg in term.args for each in _of_term(arg, constants)]
        case "function" | "tuple":
            ways = product(*(_of_term(arg, constants) for arg in term.args))
            return [Fact(term.text, way) for way in ways]
        case _:
            return [ANY]


def shown(term: Term) -> str:
    """Return a pattern or an atom as tests write it."""
    if term == ANY:
        return "_"
    if isinstance(term, Fact):
        return f"{term.name}({','.join(map(shown, term.args))})" if term.args else term.name
    return render(term)


def _distance(pattern: Term, atom: Term) -> int:
    """Return how many parts of an atom are not what the pattern says."""
    if matches(pattern, atom):
        return 0
    if (
        isinstance(pattern, Fact)
        and isinstance(atom, Fact)
        and pattern.name == atom.name
        and len(pattern.args) == len(atom.args)
    ):
        return sum(map(_distance, pattern.args, atom.args))
    return 1 + (len(pattern.args) if isinstance(pattern, Fact) else 0)


def _whole(found: re.Match[str]) -> str:
    return found.group()
