"""Reads composed rule files into plain records: every rule with its id, every predicate.

clingo judges whether a file is well formed; nothing of it leaves this module.

Comments that mean something: `%@ id: NAME` and `%@ title: TEXT` right above a rule, and blocks
`%*! name(Arguments)` that document a predicate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from plan07.errors import RulesError
from plan07.messages import quoted
from plan07.rulebook import Rulebook
from plan07.rulefiles import STAGES
from plan07.ruletools import predicates
from plan07.ruletools.grammar import Element, Literal, Statement, Term, Unreadable, read, written
from plan07.ruletools.lexer import Comment, Text, Token, statements, tokens
from plan07.ruletools.predicates import Predicate

__all__ = [
    "DERIVING",
    "Element",
    "Fault",
    "Literal",
    "Predicate",
    "Rule",
    "RuleSet",
    "SourceFile",
    "Term",
    "parse",
    "parse_text",
    "read_rules",
]

# The kinds of statements that derive atoms.
DERIVING = frozenset({"fact", "edge", "violation", "advice", "partition", "derivation", "choice"})

_HEADS = {
    "precedes": "edge",
    "atomic": "edge",
    "violation": "violation",
    "advice": "advice",
    "ready": "partition",
    "blocked": "partition",
    "complete": "partition",
    "failed": "partition",
    "alternative": "partition",
}
_META = re.compile(r"%@[ \t]*(\w+)[ \t]*:[ \t]*(.*?)[ \t]*\Z")
_ID = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*\Z")
_PLACE = re.compile(r"<[^>\n]*>:(\d+):(\d+)(?:-[\d:]+)?: (?:error|note): (.*)", re.DOTALL)
_NOT_ASCII = re.compile(r"[^\x00-\x7f]|\x00")


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
        id: from a line `%@ id: NAME` right above it, else the stem of the file and the name of the
            head, numbered where there are several.
        title: from a line `%@ title: TEXT`, else what the head's documentation says, else "".
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
        for literal in self.head:
            if literal.kind == "atom":
                yield literal
            for element in literal.elements:
                yield from (each for each in element.literals[:1] if each.kind == "atom")

    def all_terms(self) -> Iterator[Term]:
        """Yield every term that stands in it."""
        for literal in (*self.head, *self.body):
            yield from literal.terms()
        for term in (*self.levels, *self.terms):
            yield from term.walk()


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


class RuleSet(NamedTuple):
    """Everything that some rule files say.

    Args:
        files: in order.
        rules: of all files, in order.
        predicates: by name and arity, sorted.
        faults: why files cannot be read.
    """

    files: tuple[SourceFile, ...]
    rules: tuple[Rule, ...]
    predicates: dict[tuple[str, int], Predicate]
    faults: tuple[Fault, ...]

    def rule(self, identifier: str) -> Rule | None:
        """Return the rule of an id."""
        return next((rule for rule in self.rules if rule.id == identifier), None)


def parse(rules: Rulebook) -> RuleSet:
    """Return what composed rule files say.

    Raises:
        RulesError: one cannot be read; the error names file, line and column.
    """
    found = read_rules(rules)
    if found.faults:
        raise _refusal(found.faults)
    return found


def read_rules(rules: Rulebook) -> RuleSet:
    """Return what composed rule files say, with the faults of those that cannot be read."""
    return _compose(
        read_file(file.text, file.name, file.path, file.stages, file.overlaid)
        for file in rules.files
    )


def parse_text(
    text: str,
    name: str = "rules.lp",
    stages: tuple[str, ...] = STAGES,
    overlaid: bool = True,
) -> RuleSet:
    """Return what one text says.

    Args:
        text: the rules.
        name: how messages call it.
        stages: where it runs.
        overlaid: it is a user's.

    Raises:
        RulesError: it cannot be read; the error names line and column.
    """
    found = _compose([read_file(text, name, name, stages, overlaid)])
    if found.faults:
        raise _refusal(found.faults)
    return found


def _refusal(faults: tuple[Fault, ...]) -> RulesError:
    first = faults[0]
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return RulesError(
        "RULES_SYNTAX",
        f"{first.file}:{first.line}:{first.column}: {first.message}{more}",
        "mend the rule file; `plan07 rules check` lists every fault",
        phase="rules",
        detail={"faults": [fault._asdict() for fault in faults]},
    )


def _compose(files: Iterable[SourceFile]) -> RuleSet:
    found = tuple(files)
    documents = predicates.documented((file.name, file.comments, file.rules) for file in found)
    rules: list[Rule] = []
    used: set[str] = {rule.id for file in found for rule in file.rules if rule.named}
    numbered: list[SourceFile] = []
    for file in found:
        own = [_completed(rule, documents, used) for rule in file.rules]
        rules += own
        numbered.append(file._replace(rules=tuple(own)))
    faults = tuple(fault for file in found for fault in file.faults)
    return RuleSet(tuple(numbered), tuple(rules), predicates.collect(documents, rules), faults)


def _completed(
    rule: Rule, documents: dict[tuple[str, int], predicates.Document], used: set[str]
) -> Rule:
    if not rule.named:
        identifier, number = rule.id, 1
        while identifier in used:
            number += 1
            identifier = f"{rule.id}.{number}"
        used.add(identifier)
        rule = rule._replace(id=identifier)
    if not rule.title and rule.heads and rule.heads[0] in documents:
        rule = rule._replace(title=documents[rule.heads[0]].title)
    return rule


def read_file(
    text: str, name: str, path: str, stages: tuple[str, ...], overlaid: bool
) -> SourceFile:
    """Return a rule file as read; what keeps it from being read stands in its faults."""
    source = Text(text)
    found, comments = tokens(source)
    faults = [
        Fault(name, path, line, column, message) for line, column, message in _faults(source, found)
    ]
    rules: list[Rule] = []
    if not faults:
        meta = _metadata(comments)
        for statement in statements(found):
            rules.append(_rule(source, statement, name, path, stages, overlaid, meta))
    return SourceFile(
        name,
        path,
        source,
        stages,
        overlaid,
        tuple(found),
        tuple(comments),
        tuple(rules),
        tuple(faults),
    )


def _faults(source: Text, found: Iterable[Token]) -> Iterator[tuple[int, int, str]]:
    # clingo's own message about a character that is not ASCII cannot be decoded and ends the
    # process, so such a character must not reach it.
    strange = [
        (*source.place(token.at), f"unexpected {quoted(token.text)}")
        for token in found
        if token.kind == "mark" and _NOT_ASCII.match(token.text)
    ]
    if strange or "\0" in source.text:
        yield from strange or [(*source.place(source.text.index("\0")), "a NUL character")]
        return
    import clingo

    said: list[str] = []
    control = clingo.Control(logger=lambda _, text: said.append(text), message_limit=100)
    try:
        control.add("base", [], source.text)
    except RuntimeError as error:
        located = [_PLACE.match(message.strip()) for message in said]
        for place in located:
            if place:
                line = int(place[1])
                message = " ".join(place[3].split())
                yield line, source.column(line, int(place[2])), message
        if not any(located):
            yield 1, 1, str(error)


def _metadata(comments: Iterable[Comment]) -> dict[int, dict[str, str]]:
    """Return what `%@` lines say, by the line below the block of comments that they stand in."""
    found: dict[int, dict[str, str]] = {}
    for comment in comments:
        if comment.trails:
            continue
        said = found.pop(comment.line, {})
        meta = _META.match(comment.text)
        if meta:
            said[meta[1]] = meta[2]
        found[comment.end_line + 1] = said
    return found


def _rule(
    source: Text,
    found: list[Token],
    name: str,
    path: str,
    stages: tuple[str, ...],
    overlaid: bool,
    meta: dict[int, dict[str, str]],
) -> Rule:
    begin = found[0].at
    end = found[-1].at + len(found[-1].text)
    line, column = source.place(begin)
    end_line, end_column = source.place(end)
    try:
        statement = read(source, found)
    except Unreadable:
        statement = Statement("unread")
    said = meta.pop(line, {})
    rule = Rule(
        said.get("id", ""),
        said.get("title", ""),
        name,
        path,
        line,
        column,
        end_line,
        end_column,
        stages,
        statement.kind,
        (),
        statement.head,
        statement.body,
        source.text[begin:end],
        overlaid,
        bool(said.get("id")),
        statement.signature,
        statement.levels,
        statement.terms,
        begin,
        end,
    )
    heads = tuple(dict.fromkeys((atom.name or "", atom.arity) for atom in rule.derived()))
    rule = rule._replace(heads=heads)
    if statement.kind == "rule":
        rule = rule._replace(kind=_kind(rule))
    if not rule.named:
        rule = rule._replace(id=f"{name.removesuffix('.lp')}.{_stem(rule)}")
    return rule


def _kind(rule: Rule) -> str:
    if len(rule.head) > 1 or any(each.kind != "atom" for each in rule.head):
        return "choice"
    special = _HEADS.get(rule.heads[0][0])
    return special or ("derivation" if rule.body else "fact")


def _stem(rule: Rule) -> str:
    if rule.heads:
        return rule.heads[0][0].replace("'", "_")
    return f"{rule.kind}_{rule.signature[0]}" if rule.signature else rule.kind


def is_id(text: str) -> bool:
    """Return whether a text can be the id of a rule: words in lower case, joined by dots."""
    return bool(_ID.match(text))


def body_text(rule: Rule) -> str:
    """Return a rule as one line."""
    found, _ = tokens(Text(rule.text))
    return written(found)
