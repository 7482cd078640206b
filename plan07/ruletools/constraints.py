"""Rewrites bare constraints of a user's rules into violations that say where they stand.

`:- ready(O), verb(O, validate).` in line 7 of mine.lp would leave no answer, and nothing would tell
why. It becomes a rule that derives a violation about O in the user's own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from plan07.ruletools.grammar import Statement, read
from plan07.ruletools.lexer import Text, Token, statements, tokens, written
from plan07.ruletools.reading import Unreadable

# A file without this holds no constraint, and is not looked at any closer.
POSSIBLE = re.compile(r"(?:\A|[.\n%])\s*(?::-|#false\b)")

_ARGUMENTS = re.compile(r"^%\*![ \t]*(\w+)\(([^)]*)\)", re.MULTILINE)
# Arguments of predicates that a refusal can be about.
_SUBJECTS = frozenset({"Obligation", "Unit", "Alternative", "Before"})
_LONGEST = 200


def arguments(texts: Iterable[str]) -> dict[tuple[str, int], tuple[str, ...]]:
    """Return the names of arguments of the predicates that rule files document."""
    found: dict[tuple[str, int], tuple[str, ...]] = {}
    for text in texts:
        for name, listed in _ARGUMENTS.findall(text):
            names = tuple(each.strip() for each in listed.split(","))
            found.setdefault((name, len(names)), names)
    return found


def rewritten(text: str, name: str, documented: Mapping[tuple[str, int], tuple[str, ...]]) -> str:
    """Return rules in which each bare constraint derives a violation; lines stay where they are.

    Args:
        text: what the file holds.
        name: the name of the file.
        documented: the names of arguments, by predicate.
    """
    source = Text(text)
    found, _ = tokens(source)
    parts: list[str] = []
    end = 0
    for statement in statements(found):
        first = statement[0]
        if first.text not in (":-", "#false"):
            continue
        parts += [text[end : first.at], _head(source, statement, name, documented)]
        end = first.at + (len(first.text) if first.text == "#false" else 0)
    return "".join([*parts, text[end:]])


def _head(
    source: Text,
    statement: Sequence[Token],
    name: str,
    documented: Mapping[tuple[str, int], tuple[str, ...]],
) -> str:
    line, _ = source.place(statement[0].at)
    said = written(statement)
    if len(said) > _LONGEST:
        said = f"{said[: _LONGEST - 3]}..."
    said = f"{name}:{line} forbids {said}".replace("\\", "\\\\").replace('"', '\\"')
    try:
        subject = _subject(read(source, statement), documented)
    except (Unreadable, RecursionError):
        subject = "plan"
    return f'violation("{said}", {subject}) '


def _subject(statement: Statement, documented: Mapping[tuple[str, int], tuple[str, ...]]) -> str:
    """Return the first variable that stands for an obligation or a unit, else the plan."""
    for literal in statement.body:
        if literal.kind != "atom" or literal.sign:
            continue
        names = documented.get((literal.name or "", literal.arity), ())
        for argument, term in zip(names, literal.args, strict=False):
            if argument in _SUBJECTS and term.kind == "variable":
                return term.text
    return "plan"
