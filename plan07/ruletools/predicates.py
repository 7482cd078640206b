"""What the headers of rule files say of predicates, and who makes and reads each.

A block `%*! name(Argument, …)` tells the meaning, whether it is `Input.` or `Output.`, and one line
for each argument. Where that line begins with a list of constants ("modify, preserve or validate"),
the argument may have only these; where it points to another predicate ("as in impact/4"), the
argument of the same name there tells.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from plan07.ruletools.lexer import Comment
from plan07.ruletools.records import Rule

Signature = tuple[str, int]

_BLOCK = re.compile(r"%\*![ \t]*(-?\w+)[ \t]*(?:\(([^)]*)\))?[ \t]*\n(.*)\*%\Z", re.DOTALL)
_ROLE = re.compile(r"\s*\b(Input|Output)\b")
_ARGUMENT = re.compile(r"^[ \t]*-[ \t]+([A-Z]\w*(?:[ \t]*,[ \t]*[A-Z]\w*)*)[ \t]*:[ \t]*", re.M)
_VALUES = re.compile(r"^Values:[ \t]*(.+)$", re.MULTILINE)
_WORD = r"[a-z]\w*(?:\([^()]*\))?(?:[ \t]*\([^()]*\))?"
_LIST = re.compile(
    rf"({_WORD}(?:,\s+{_WORD})*,?\s+or\s+{_WORD}(?=[\s;.,(]|\Z)|{_WORD}(?:,\s+{_WORD})+\s*(?=[;.]|\Z))"
)
_VALUE = re.compile(r"([a-z]\w*)(\([^()]*\))?")
_SEE = re.compile(r"\b(?:as in|of|see|by)[ \t\n]+(\w+)/(\d+)")


class Document(NamedTuple):
    """What headers say of a predicate.

    Args:
        name, arguments: as in the header.
        title: what it means, one sentence or a few.
        args: name and description of each argument.
        made: it is an output of some file.
        given: it is an input of some file.
        files: where it is documented.
        switch: a run may choose among the values of its only argument.
    """

    name: str
    arguments: tuple[str, ...]
    title: str
    args: tuple[tuple[str, str], ...]
    made: bool
    given: bool
    files: tuple[str, ...]
    switch: bool


class Predicate(NamedTuple):
    """A predicate.

    Args:
        name, arity: its signature.
        title: what it means, one sentence or a few; "" where nothing documents it.
        text: its signature with the names of its arguments, such as `verb(Obligation, Verb)`.
        args: name and description of each argument.
        meanings: the description of each argument, that of another predicate where it points there.
        values: for each argument the constants that its meaning lists, or ().
        role: input (something outside of the rules makes it), output, or private to a file.
        files: where it is documented.
        makers: ids of the rules that derive it.
        readers: ids of the rules in whose conditions it stands.
        shown: ids of the statements that show it.
        switch: a run may choose among the values of its only argument.
    """

    name: str
    arity: int
    title: str
    text: str
    args: tuple[tuple[str, str], ...]
    meanings: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    role: str
    files: tuple[str, ...]
    makers: tuple[str, ...]
    readers: tuple[str, ...]
    shown: tuple[str, ...]
    switch: bool


def documented(
    files: Iterable[tuple[str, Sequence[Comment], Sequence[Rule]]],
) -> dict[Signature, Document]:
    """Return what the headers of files say; what the first says of an argument holds."""
    found: dict[Signature, Document] = {}
    for name, comments, _ in files:
        for comment in comments:
            block = _BLOCK.match(comment.text)
            if block is None:
                continue
            document = _read(name, block)
            key = (document.name, len(document.arguments))
            found[key] = _merged(found[key], document) if key in found else document
    return found


def _read(file: str, block: re.Match[str]) -> Document:
    names = tuple(each.strip() for each in (block[2] or "").split(",") if each.strip())
    text = block[3]
    said, _, arguments = text.partition("\nArgs:")
    switch = _VALUES.search(said)
    said = _VALUES.sub("", said)
    role = _ROLE.search(said)
    title = " ".join((said[: role.start()] if role else said).split())
    described: dict[str, str] = {}
    places = list(_ARGUMENT.finditer(arguments))
    for index, place in enumerate(places):
        end = places[index + 1].start() if index + 1 < len(places) else len(arguments)
        for argument in place[1].split(","):
            described[argument.strip()] = " ".join(arguments[place.end() : end].split())
    args = tuple((name, described.get(name, "")) for name in names)
    if switch and len(args) == 1:
        args = ((args[0][0], f"{switch[1].strip().rstrip('.')}; {args[0][1]}"),)
    return Document(
        block[1],
        names,
        title.rstrip("."),
        args,
        bool(role) and "Output" in said,
        bool(role) and "Input" in said,
        (file,),
        bool(switch) and len(args) == 1,
    )


def _merged(one: Document, other: Document) -> Document:
    """The first file that says something of an argument is heard; that makes it comes first."""
    first, second = (other, one) if other.made and not one.made else (one, other)
    args = tuple(
        (name, text or other_text)
        for (name, text), (_, other_text) in zip(first.args, second.args, strict=True)
    )
    return first._replace(
        title=first.title or second.title,
        args=args,
        made=one.made or other.made,
        given=one.given or other.given,
        files=tuple(dict.fromkeys((*one.files, *other.files))),
    )


def collect(
    documents: dict[Signature, Document], rules: Iterable[Rule]
) -> dict[Signature, Predicate]:
    """Return every predicate that is documented, made, read or declared, sorted."""
    makers: dict[Signature, list[str]] = defaultdict(list)
    readers: dict[Signature, list[str]] = defaultdict(list)
    shown: dict[Signature, list[str]] = defaultdict(list)
    declared: set[Signature] = set()
    for rule in rules:
        for key in rule.heads:
            makers[key].append(rule.id)
        for key in dict.fromkeys((atom.name or "", atom.arity) for atom in rule.atoms()):
            readers[key].append(rule.id)
        if rule.signature and rule.kind in ("show", "defined"):
            declared.add(rule.signature)
            if rule.kind == "show":
                shown[rule.signature].append(rule.id)
    found: dict[Signature, Predicate] = {}
    for key in sorted({*documents, *makers, *readers, *declared}):
        document = documents.get(key)
        outside = document is not None and document.given and not document.made
        args = document.args if document else ()
        meanings = tuple(meaning(documents, text, name) for name, text in args)
        found[key] = Predicate(
            key[0],
            key[1],
            document.title if document else "",
            _signature(key, document),
            args,
            meanings,
            tuple(map(listed, meanings)),
            "input" if outside else "output" if document and document.made else "private",
            document.files if document else (),
            tuple(makers[key]),
            tuple(readers[key]),
            tuple(shown[key]),
            document is not None and document.switch,
        )
    return found


def _signature(key: Signature, document: Document | None) -> str:
    if document is None or not document.arguments:
        return key[0] if not key[1] else f"{key[0]}/{key[1]}"
    return f"{key[0]}({', '.join(document.arguments)})"


def meaning(documents: dict[Signature, Document], text: str, name: str, depth: int = 3) -> str:
    """Return the description of an argument, that of another predicate where it points there.

    Args:
        documents: what headers say.
        text: the description.
        name: the argument's.
        depth: how far to follow.
    """
    seen = None if listed(text) else _SEE.search(text)
    other = documents.get((seen[1], int(seen[2]))) if seen and depth else None
    for argument, described in other.args if other else ():
        if argument == name and described:
            return meaning(documents, described, name, depth - 1)
    return text


def listed(text: str) -> tuple[str, ...]:
    """Return the constants that a description lists, with `/N` behind those with arguments.

    >>> listed("modify, preserve or validate")
    ('modify', 'preserve', 'validate')
    >>> listed("change(Kind), phrase(P), verb, or assumed")
    ('change/1', 'phrase/1', 'verb', 'assumed')
    >>> listed("widen_type, rebind_consumer, …")
    ()
    """
    found = _LIST.match(text)
    if not found:
        return ()
    return tuple(
        f"{word}/{arguments.count(',') + 1}" if arguments else word
        for word, arguments in _VALUE.findall(_without_remarks(found[1]))
        if word != "or"
    )


def _without_remarks(text: str) -> str:
    return re.sub(r"(?<=\w)[ \t]+\([^()]*\)", "", text)
