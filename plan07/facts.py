"""Facts and terms as plain Python, and their text for clingo.

A term is an integer, a string or a `Fact`; a constant is a `Fact` without arguments. Names come
from this package and from closed vocabularies, never from a plan; whatever a plan or a repository
says is a string and is quoted here, in the one place where text becomes ASP.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable
from functools import lru_cache
from typing import NamedTuple, TypeAlias, Union

from plan07.errors import RulesError

Term: TypeAlias = Union[int, str, "Fact"]

_NAME = re.compile(r"[a-z][A-Za-z0-9_]*\Z")
# clingo's numbers are 32 bits wide and wrap without a word.
_LARGEST = 2**31 - 1


class Fact(NamedTuple):
    """A fact such as `declared("O2", "O1")`, or a compound term of one.

    Args:
        name: predicate or functor.
        args: its arguments.
    """

    name: str
    args: tuple[Term, ...] = ()


def fact(name: str, *args: Term) -> Fact:
    """Return a fact.

    >>> render(fact("verb", "O1", constant("modify")))
    'verb("O1",modify)'
    """
    return Fact(name, args)


@lru_cache(maxsize=1024)
def constant(name: str) -> Fact:
    """Return a constant, such as `modify`; the one word that ASP reserves is set apart."""
    return Fact("not_" if name == "not" else name)


def quote(text: str) -> str:
    r"""Return a string as clingo writes it: backslash, newline and quote escaped, nothing else.

    >>> quote('O1"). ready("O9')
    '"O1\\"). ready(\\"O9"'

    Raises:
        ValueError: a NUL, at which clingo would end the string.
    """
    if "\0" in text:
        raise ValueError("a string holds a NUL character")
    return '"' + text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"') + '"'


def render(term: Term) -> str:
    """Return a term as ASP text.

    Raises:
        ValueError: a name outside the charset of constants, a number beyond 32 bits, or a NUL.
    """
    if isinstance(term, str):
        return quote(term)
    if isinstance(term, int):
        if not -_LARGEST <= term <= _LARGEST:
            raise ValueError(f"the number {term} does not fit into 32 bits")
        return str(term)
    name, args = term
    if not _NAME.match(name):
        raise ValueError(f"{name!r} is not the name of a constant or predicate")
    return f"{name}({','.join([render(arg) for arg in args])})" if args else name


def program(facts: Iterable[Fact]) -> str:
    """Return facts as an ASP program, each once and in a fixed order."""
    known: dict[Term, str] = {}
    lines = set()
    for name, args in facts:
        try:
            texts = [known[arg] for arg in args]
        except KeyError:
            texts = [known.setdefault(arg, render(arg)) for arg in args]
        lines.add(f"{name}({','.join(texts)}).\n" if texts else f"{name}.\n")
    return "".join(sorted(lines))


_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"|(-?[0-9]+)|([a-z_][A-Za-z0-9_]*)|([(),])')
_UNESCAPE = re.compile(r"\\(.)")


def parse(text: str) -> Fact:
    r"""Return an atom that clingo wrote.

    Reading its text takes a tenth of the time of asking for every part of the symbol.

    >>> parse('violation(unknown_dependency("O\\"99"),"O2")')
    Fact(name='violation', args=(Fact(name='unknown_dependency', args=('O"99',)), 'O2'))
    """
    open_terms: list[tuple[str, list[Term]]] = []
    terms: list[Term] = []
    name = ""
    for string, number, word, mark in _TOKEN.findall(text):
        if word:
            if name:
                terms.append(Fact(name))
            name = word
        elif mark == "(":
            open_terms.append((name, terms))
            name, terms = "", []
        elif mark:
            if name:
                terms.append(Fact(name))
                name = ""
            if mark == ")":
                functor, outer = open_terms.pop()
                outer.append(Fact(functor, tuple(terms)))
                terms = outer
        elif number:
            terms.append(int(number))
        else:
            terms.append(_UNESCAPE.sub(_unescaped, string) if "\\" in string else string)
    if name:
        terms.append(Fact(name))
    found = terms[0]
    assert isinstance(found, Fact)
    return found


def _unescaped(found: re.Match[str]) -> str:
    return "\n" if found.group(1) == "n" else found.group(1)


class Atoms:
    """The atoms of one answer set, by predicate, sorted so that nothing depends on the solver.

    What rules derive is checked before it is used, because a rule file of a user may derive
    anything.

    Args:
        texts: the atoms as clingo writes them.
        notices: what clingo remarked about the rules while it read them.

    Raises:
        RulesError: something is shown that is no atom; so do the methods, where an atom has not
            the arguments that it should have.
    """

    def __init__(self, texts: Iterable[str], notices: Iterable[str] = ()) -> None:
        self.notices = tuple(notices)
        self._texts: dict[str, list[str]] = defaultdict(list)
        for text in sorted(texts):
            name = text.partition("(")[0]
            if not _NAME.match(name):
                raise unusable(text)
            self._texts[name].append(text)
        self._rows: dict[str, list[tuple[Term, ...]]] = {}

    def rows(self, name: str, arity: int) -> list[tuple[Term, ...]]:
        """Return the argument tuples of a predicate, sorted by their text."""
        if name not in self._rows:
            self._rows[name] = [parse(text).args for text in self._texts.get(name, ())]
        rows = self._rows[name]
        for row in rows:
            if len(row) != arity:
                raise unusable(render(Fact(name, row)))
        return rows

    def links(self, name: str, arity: int, known: Container[str]) -> list[tuple[str, str, Term]]:
        """Return the first two arguments, which are known ids, and the last one."""
        found = []
        for row in self.rows(name, arity):
            a, b = row[0], row[1]
            if not (isinstance(a, str) and isinstance(b, str) and a in known and b in known):
                raise unusable(render(Fact(name, row)))
            found.append((a, b, row[-1]))
        return found

    def ids(self, name: str, known: Container[str]) -> list[str]:
        """Return the only arguments of a predicate, which are known ids."""
        found = []
        for row in self.rows(name, 1):
            if not (isinstance(row[0], str) and row[0] in known):
                raise unusable(render(Fact(name, row)))
            found.append(row[0])
        return found

    def numbers(self, name: str, known: Container[str]) -> dict[str, int]:
        """Return a predicate `name(Id, Number)` of known ids as a mapping."""
        found = {}
        for row in self.rows(name, 2):
            identifier, number = row
            if not (
                isinstance(identifier, str) and identifier in known and isinstance(number, int)
            ):
                raise unusable(render(Fact(name, row)))
            found[identifier] = number
        return found


def unusable(text: str) -> RulesError:
    """Return the error about something that rules derive and that contradicts what it is for."""
    return RulesError(
        "RULES_OUTPUT",
        f"the rules derive {text[:200]}, which cannot be used",
        "look for the rule in the overlay; it names an obligation that is not there, or has other "
        "arguments than the table of atoms says",
        phase="rules",
        detail={"atom": text[:200]},
    )
