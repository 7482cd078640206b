"""Turns violations and advice of the rules into sentences.

Rules derive codes and details; the words for a code are in `plan07.words`. Texts come from a model
or a repository, so each is quoted, shortened and freed of control characters before it is shown.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from plan07.errors import Finding

# Most commands only quote; what the words of the rules take to load is left to those who tell them.
if TYPE_CHECKING:
    from plan07.facts import Term
    from plan07.words import Message

_SHORT = 80


def printable(text: str) -> str:
    r"""Return a text in which nothing acts on a terminal.

    Control and format characters (escapes, newlines, right-to-left marks) become `\uXXXX`.

    >>> printable("a\x1b[31mb\u202e")
    'a\\u001b[31mb\\u202e'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        char if char.isprintable() and unicodedata.category(char) != "Cf" else _escaped(char)
        for char in text
    )


def quoted(text: str) -> str:
    r"""Return a text as one short line in double quotes, its special characters escaped.

    >>> quoted('a\n## Output')
    '"a\\n## Output"'
    """
    shown = text if len(text) <= _SHORT else text[: _SHORT - 3] + "..."
    return printable(json.dumps(shown, ensure_ascii=False))


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def findings(
    rows: Iterable[tuple[Term, ...]], rename: Mapping[str, str], order: Mapping[str, int]
) -> list[Finding]:
    """Return the findings behind `violation(Code, Subject)` or `advice(Code, Subject)` atoms.

    Args:
        rows: the arguments of the atoms.
        rename: subjects that are units of the rules, to their ids in the plan.
        order: obligation ids to their natural order, in which findings are sorted.
    """
    given = list(rows)
    if not given:
        return []
    from plan07.facts import Fact
    from plan07.words import OTHER, TABLE

    merged: dict[tuple[str, str, tuple[Any, ...]], list[list[Any]]] = {}
    for term, subject in given:
        # A rule of the user's own may bring its words along.
        code = term if isinstance(term, Fact) else Fact("overlay", (term,))
        spec = TABLE.get(code.name, OTHER)
        args = [_plain(arg) for arg in code.args]
        kept = len(spec.fields) if spec.collect else len(args)
        key = (code.name, str(_plain(subject)), tuple(args[:kept]))
        merged.setdefault(key, []).append(args[kept:])
    ranks = {code: rank for rank, code in enumerate(TABLE)}
    found = [
        (
            ranks.get(code, len(ranks)),
            order.get(subject, 0),
            _finding(code, rename.get(subject, subject), args, more),
        )
        for (code, subject, args), more in merged.items()
    ]
    found.sort(key=lambda each: (each[0], each[1], each[2].subject, each[2].message))
    return [finding for _, _, finding in found]


def _finding(code: str, subject: str, args: tuple[Any, ...], more: list[list[Any]]) -> Finding:
    from plan07.words import OTHER, TABLE

    spec = TABLE.get(code, OTHER)
    names = spec.fields or tuple(f"argument_{index + 1}" for index in range(len(args)))
    detail: dict[str, Any] = {spec.names_subject: subject} if spec.names_subject else {}
    detail.update(zip(names, args, strict=False))
    if spec.collect:
        rows = sorted(more, key=json.dumps)
        detail[spec.collect] = [row[0] if len(row) == 1 else row for row in rows]
    if spec.collect == "causes":
        detail["causes"] = [camel(str(cause)) for cause in detail["causes"]]
    return _told(Finding(code.upper(), subject, "", "", detail), spec)


def noticed(notices: Iterable[str]) -> list[Finding]:
    """Return as advice what clingo remarked about rules, such as an atom that nothing derives."""
    found = []
    for notice in dict.fromkeys(notices):
        text = " ".join(notice.split())
        place, _, said = text.partition(": info: ")
        subject = place.replace("\\", "/").rpartition("/")[2] if said else "the rules"
        found.append(
            Finding(
                "RULE_NOTICE",
                subject,
                f"{subject}: {said or text}"[:300],
                "look for a misspelt name, a wrong number of arguments or another stage's atom",
                {"place": place if said else None},
            )
        )
    return found


def retold(finding: Finding, detail: dict[str, Any]) -> Finding:
    """Return a finding told again with other details."""
    from plan07.words import OTHER, TABLE

    spec = TABLE.get(finding.code.lower(), OTHER)
    return _told(finding._replace(detail=detail), spec)


def _told(finding: Finding, spec: Message) -> Finding:
    shown = _Details({name: _Shown(value) for name, value in finding.detail.items()})
    shown["subject"] = _Shown(finding.subject)
    shown["chain"] = _Shown(_chained(finding.detail.get("chain", [])))
    return finding._replace(message=spec.message.format_map(shown), fix=spec.fix.format_map(shown))


class _Details(dict[str, "_Shown"]):
    """The parts of a sentence; a rule of an overlay may leave some out."""

    def __missing__(self, name: str) -> _Shown:
        return _Shown(f"({name})")


class _Shown:
    """A detail as it stands in a sentence."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __format__(self, spec: str) -> str:
        value = self._value
        if isinstance(value, list):
            return ", ".join(_item(each) for each in value)
        if spec == "roomy" and isinstance(value, int):
            # Resolved dependencies make an artifact larger than what was measured first.
            return str(value + value // 2)
        if isinstance(value, str) and spec != "raw":
            return quoted(value)
        return printable(str(value))


def _chained(value: list[str]) -> str:
    return " -> ".join(printable(each) for each in value)


def _item(value: Any) -> str:
    if isinstance(value, list):
        return " before ".join(printable(str(each)) for each in value)
    return printable(str(value))


def _plain(term: Term) -> Any:
    from plan07.facts import Fact

    return term.name if isinstance(term, Fact) else term


def camel(name: str) -> str:
    """Return a constant of the rules as the wire writes it.

    >>> camel("called_by")
    'CalledBy'
    """
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))
