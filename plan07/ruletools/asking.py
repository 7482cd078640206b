"""Reads the atom that somebody asks about, written the way people write.

`ready(O7)`, `ready("O7")`, `ready O7` and `O2 precedes O3` are all understood; `_` and what is left
out at the end of the last form stand for anything. Nothing of the text reaches the solver but as a
term made anew from what was read.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from plan07.document import COMPOSITE
from plan07.errors import InputError
from plan07.facts import quote
from plan07.messages import printable, quoted
from plan07.ruletools import terms
from plan07.ruletools.forms import ANY

_LONGEST, _DEEPEST = 2000, 20
_PIECE = re.compile(
    r"""\s*(?:(?P<string>"(?:[^"\\]|\\.)*"|'[^'\\]*')|(?P<mark>[(),])|(?P<word>[^\s(),"']+))""",
    re.S,
)
_CONSTANT = re.compile(r"_*[a-z][A-Za-z0-9_]*\Z")
_NUMBER = re.compile(r"-?[0-9]{1,10}\Z")
_UNESCAPE = re.compile(r"\\(.)", re.S)


class Text(NamedTuple):
    """Something in quotation marks."""

    value: str


class Word(NamedTuple):
    """Something without quotation marks: an id, an entity, a constant, a number or `_`."""

    value: str


class Compound(NamedTuple):
    """Something with arguments; a tuple has no name."""

    name: str
    args: tuple[Asked, ...]


Asked: TypeAlias = "Text | Word | Compound"


class Question(NamedTuple):
    """An atom that is asked about.

    Args:
        name: its predicate.
        args: its arguments as ASP text; `ANY` stands for anything.
    """

    name: str
    args: tuple[str, ...]

    @property
    def pattern(self) -> str:
        """The atom as ASP text."""
        return f"{self.name}({','.join(self.args)})" if self.args else self.name

    @property
    def shown(self) -> str:
        """The atom as people write it."""
        return shown(self.pattern)


def shown(pattern: str) -> str:
    """Return a pattern with `_` for anything."""
    return pattern.replace(ANY, "_")


def read(text: str, signatures: Mapping[tuple[str, int], str], atoms: Iterable[str]) -> Question:
    """Return the atom that a text asks about.

    Args:
        text: what was asked.
        signatures: the predicates that there are, (name, arity) to how they are written.
        atoms: what holds or was given, from which it is told what a bare word stands for.

    Raises:
        InputError: it is no atom, or there is no such predicate.
    """
    asked = _atom(text, signatures)
    known = [each for each in signatures if each[0] == asked.name]
    if not known:
        raise _unknown(asked.name, sorted({name for name, _ in signatures}))
    if (asked.name, len(asked.args)) not in signatures:
        written = [signatures[each] for each in sorted(known)]
        raise InputError(
            "PREDICATE_ARITY",
            f"{asked.name} has {_number(sorted(arity for _, arity in known))}, not "
            f"{len(asked.args)}",
            f"write {' or '.join(written)}, with _ for anything",
            phase="usage",
            detail={"name": asked.name, "arity": len(asked.args), "known": written},
        )
    columns = _columns(asked, atoms)
    return Question(asked.name, tuple(_term(each, columns[i]) for i, each in enumerate(asked.args)))


def _atom(text: str, signatures: Mapping[tuple[str, int], str]) -> Compound:
    if len(text) > _LONGEST:
        raise _no_atom(text, f"it is longer than {_LONGEST} characters")
    pieces = _pieces(text.strip().removesuffix("."))
    if not pieces:
        raise _no_atom(text, "it is empty")
    words = [piece for piece in pieces if isinstance(piece, Word | Text)]
    if len(words) == len(pieces) > 1:
        return _plain(words, signatures)
    found, rest = _read(text, pieces, 0)
    if rest or isinstance(found, Text) or not _CONSTANT.match(_name(found)):
        raise _no_atom(text, "write name(argument, ...)")
    return found if isinstance(found, Compound) else Compound(found.value, ())


def _plain(words: list[Word | Text], signatures: Mapping[tuple[str, int], str]) -> Compound:
    """Return what words without brackets ask: `ready O7`, or `O2 precedes O3`."""
    names = {name for name, _ in signatures}
    if len(words) == 3 and words[1].value in names and words[0].value not in names:
        name, given = words[1].value, [words[0], words[2]]
    else:
        name, given = words[0].value, words[1:]
    arities = sorted(arity for other, arity in signatures if other == name and arity >= len(given))
    missing = arities[0] - len(given) if arities else 0
    return Compound(name, (*given, *(Word("_") for _ in range(missing))))


def _pieces(text: str) -> list[Text | Word | str]:
    found: list[Text | Word | str] = []
    at = 0
    while at < len(text.rstrip()):
        piece = _PIECE.match(text, at)
        if piece is None:
            raise _no_atom(text, f"{quoted(text[at:])} does not end")
        at = piece.end()
        if piece["string"]:
            inner = piece["string"][1:-1]
            found.append(Text(_UNESCAPE.sub(_unescaped, inner) if "\\" in inner else inner))
        elif piece["mark"]:
            found.append(piece["mark"])
        else:
            found.append(Word(piece["word"]))
    return found


def _unescaped(found: re.Match[str]) -> str:
    return "\n" if found[1] == "n" else found[1]


def _read(
    text: str, pieces: list[Text | Word | str], depth: int
) -> tuple[Asked, list[Text | Word | str]]:
    """Return the first term of some pieces, and what is left of them."""
    if not pieces or depth > _DEEPEST:
        raise _no_atom(text, "it does not end" if not pieces else "it is nested too deeply")
    first, *rest = pieces
    if isinstance(first, Text) or (isinstance(first, Word) and rest[:1] != ["("]):
        return first, rest
    if first == "(":
        rest = pieces
    elif not isinstance(first, Word):
        raise _no_atom(text, f"{quoted(str(first))} stands where a term should")
    rest = rest[1:]
    args: list[Asked] = []
    while rest[:1] != [")"]:
        found, rest = _read(text, rest, depth + 1)
        args.append(found)
        if rest[:1] == [","]:
            rest = rest[1:]
        elif rest[:1] != [")"]:
            raise _no_atom(text, "a bracket is not closed")
    return Compound(first.value if isinstance(first, Word) else "", tuple(args)), rest[1:]


def _columns(asked: Compound, atoms: Iterable[str]) -> list[set[str]]:
    """What stands at each place of a predicate."""
    columns: list[set[str]] = [set() for _ in asked.args]
    for atom in atoms:
        if atom.startswith(f"{asked.name}("):
            args = terms.split(atom)[1]
            if len(args) == len(columns):
                for column, arg in zip(columns, args, strict=True):
                    column.add(arg)
    return columns


def _term(asked: Asked, known: set[str]) -> str:
    """Return a term as ASP text: what a bare word stands for is told by what stands there."""
    if isinstance(asked, Compound):
        if asked.name and not _CONSTANT.match(asked.name):
            raise _no_atom(asked.name, "a term begins with a lower-case letter")
        inner = tuple(_term(each, set()) for each in asked.args)
        return asked.name + (f"({','.join(inner)})" if asked.name else terms.as_tuple(inner))
    if isinstance(asked, Text):
        return _quote(asked.value)
    word = asked.value
    if word == "_":
        return ANY
    if _NUMBER.match(word) and abs(int(word)) < 2**31:
        return str(int(word))
    if _quote(word) in known:
        return _quote(word)
    if _CONSTANT.match(word) and (word in known or not any(each[0] == '"' for each in known)):
        return word
    return _quote(word.removeprefix(COMPOSITE))


def _quote(text: str) -> str:
    try:
        return quote(text)
    except ValueError:
        raise _no_atom(text, "it holds a NUL character") from None


def _name(found: Asked) -> str:
    return found.name if isinstance(found, Compound) else found.value


def _number(arities: list[int]) -> str:
    return f"{' or '.join(map(str, arities))} {'argument' if arities == [1] else 'arguments'}"


def _no_atom(text: str, why: str) -> InputError:
    return InputError(
        "ATOM_INVALID",
        f"{quoted(text)} is no atom: {why}",
        "write it like ready(O7) or precedes(O2, O3, _)",
        phase="usage",
        detail={"text": printable(text[:200])},
    )


def _unknown(name: str, known: list[str]) -> InputError:
    near = difflib.get_close_matches(name, known, 3, 0.6)
    return InputError(
        "PREDICATE_UNKNOWN",
        f"no rule knows the predicate {quoted(name)}",
        f"write {' or '.join(near)}" if near else "see `plan07 rules list` for the predicates",
        phase="usage",
        detail={"name": name, "near": near},
    )
