"""The text of terms: taken apart, put together and compared, without a solver.

Atoms of an answer set stay the text that the solver wrote, so that what is looked up is what was
derived. Strings are never looked into.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|[(),]|[^"(),]+')
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[#\w\']+|.', re.S)
_COMPUTED = re.compile(r"[-+*/\\|&^?~.]")
_NAME = re.compile(r"_*[a-z][\w']*\Z")
_VARIABLE = re.compile(r"_*[A-Z][\w']*\Z")


@lru_cache(maxsize=65536)
def split(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the name and the arguments of an atom or a term; a tuple has no name.

    >>> split('p(f("a,b",1),(X,))'), split("p")
    (('p', ('f("a,b",1)', '(X,)')), ('p', ()))
    """
    name, bracket, rest = text.partition("(")
    if not bracket or name.startswith('"'):
        return text, ()
    depth = 0
    found: list[str] = []
    current: list[str] = []
    for piece in _PIECE.findall(rest[:-1]):
        if piece == "," and not depth:
            found.append("".join(current))
            current = []
            continue
        depth += (piece == "(") - (piece == ")")
        current.append(piece)
    if current:
        found.append("".join(current))
    return name, tuple(found)


def elements(text: str) -> tuple[str, ...]:
    """Return the elements of a tuple.

    >>> elements('("O1",f(2))'), elements('("O1",)'), elements("()")
    (('"O1"', 'f(2)'), ('"O1"',), ())
    """
    return split(text)[1]


def as_tuple(terms: tuple[str, ...]) -> str:
    """Return terms as a tuple; one of a single element keeps its comma.

    >>> as_tuple(("X",)), as_tuple(())
    ('(X,)', '()')
    """
    return f"({','.join(terms)}{',' if len(terms) == 1 else ''})"


def filled(text: str, bindings: Mapping[str, str]) -> str:
    """Return ASP text with its variables replaced; what stands in strings is no variable.

    >>> filled('before(U, "U"), N > M + 1', {"U": '"O1"', "N": "3"})
    'before("O1", "U"), 3 > M + 1'
    """
    return "".join(bindings.get(piece, piece) for piece in _TOKEN.findall(text))


def fits(pattern: str, text: str, anything: str) -> bool:
    """Return whether a term is what a pattern says.

    Args:
        pattern: a term.
        text: another one.
        anything: the constant that stands for whatever is there.
    """
    if pattern in (anything, text):
        return True
    if anything not in pattern:
        return False
    name, wanted = split(pattern)
    other, found = split(text)
    return (
        name == other
        and len(wanted) == len(found)
        and all(fits(one, two, anything) for one, two in zip(wanted, found, strict=True))
    )


def variables(text: str) -> list[str]:
    """Return the variables of ASP text that have a name, as often as they stand there.

    >>> variables('p(X,_,"Y",Z_1,x)')
    ['X', 'Z_1']
    """
    return [piece for piece in _TOKEN.findall(text) if _VARIABLE.match(piece)]


def names(text: str) -> set[str]:
    """Return the names of predicates, functions and constants in ASP text.

    >>> sorted(names('p(X,"q",f(a)), not r'))
    ['a', 'f', 'not', 'p', 'r']
    """
    return {piece for piece in _TOKEN.findall(text) if _NAME.match(piece)}


def is_computed(text: str) -> bool:
    """Return whether something is calculated in a term, or chosen from an interval.

    >>> is_computed("(N+1)"), is_computed('f("a+b",N)')
    (True, False)
    """
    return any(_COMPUTED.search(piece) for piece in _TOKEN.findall(text) if piece[0] != '"')
