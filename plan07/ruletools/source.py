"""Reads composed rule files into plain records: every rule with its id, every predicate.

clingo judges whether a file is well formed; nothing of it leaves this module.

Comments that mean something: `%@ id: NAME` and `%@ title: TEXT` right above a rule, and blocks
`%*! name(Arguments)` that document a predicate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from plan07.errors import RulesError
from plan07.rulebook import Rulebook
from plan07.rulefiles import STAGES
from plan07.ruletools import naming, predicates
from plan07.ruletools.grammar import Statement, read
from plan07.ruletools.lexer import (
    Comment,
    Text,
    Token,
    statements,
    strange,
    tokens,
    without_scripts,
    written,
)
from plan07.ruletools.predicates import Predicate
from plan07.ruletools.reading import Unreadable
from plan07.ruletools.records import (
    DERIVING,
    Element,
    Fault,
    Literal,
    Rule,
    SourceFile,
    Term,
    derived,
)

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

_OUTCOMES = frozenset({"edge", "violation", "advice", "partition"})
_PLACE = re.compile(r"<[^>\n]*>:(\d+):(\d+)(?:-[\d:]+)?: (?:error|note): (.*)", re.DOTALL)


class RuleSet(NamedTuple):
    """Everything that some rule files say.

    Args:
        files: in order.
        rules: of all files, in order.
        predicates: by name and arity, sorted.
        faults: why files cannot be read.
        sound: clingo was given all of them at once and finds nothing wrong, see `are_sound`.
    """

    files: tuple[SourceFile, ...]
    rules: tuple[Rule, ...]
    predicates: dict[tuple[str, int], Predicate]
    faults: tuple[Fault, ...]
    sound: bool = False

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


def read_rules(rules: Rulebook, sound: bool = False) -> RuleSet:
    """Return what composed rule files say, with the faults of those that cannot be read.

    Args:
        rules: the files.
        sound: `are_sound` has said so, and clingo is not asked about each of them again.
    """
    found = _compose(
        read_file(file.text, file.name, file.path, file.stages, file.overlaid, sound)
        for file in rules.files
    )
    return found._replace(sound=sound)


def are_sound(rules: Rulebook) -> bool:
    """Whether clingo takes all rule files at once and finds nothing wrong in them.

    Where it has, each file is asked about by itself, so that what it says has a place.
    """
    if any(strange(*_lexed(file.text)[:2]) for file in rules.files):
        return False
    said, error = _heard([without_scripts(file.text) for file in rules.files], [("nothing", [])])
    return not (error or any(_PLACE.match(message.strip()) for message in said))


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
    used = {rule.id: rule.kind for file in found for rule in file.rules if rule.named}
    last: dict[str, int] = {}
    numbered: list[SourceFile] = []
    for file in found:
        own = [_completed(rule, documents, used, last) for rule in file.rules]
        rules += own
        numbered.append(file._replace(rules=tuple(own)))
    faults = tuple(fault for file in found for fault in file.faults)
    return RuleSet(tuple(numbered), tuple(rules), predicates.collect(documents, rules), faults)


def _completed(
    rule: Rule,
    documents: dict[tuple[str, int], predicates.Document],
    used: dict[str, str],
    last: dict[str, int],
) -> Rule:
    identifier, alike = rule.id, rule.numbered
    if not rule.named:
        # From the last number on: a list of facts may be long.
        number = last.get(rule.id, 1)
        identifier = rule.id if number == 1 else f"{rule.id}.{number}"
        while identifier in used:
            number += 1
            identifier = f"{rule.id}.{number}"
        alike = number > 1 and rule.kind in _OUTCOMES and used[rule.id] == rule.kind
        used[identifier] = rule.kind
        last[rule.id] = number
    title = rule.title or naming.words(rule)
    if not title and rule.heads and rule.heads[0] in documents:
        title = documents[rule.heads[0]].title
    if (identifier, alike, title) == (rule.id, rule.numbered, rule.title):
        return rule
    return rule._replace(id=identifier, numbered=alike, title=title)


@lru_cache(maxsize=64)
def _lexed(text: str) -> tuple[Text, tuple[Token, ...], tuple[Comment, ...]]:
    source = Text(text)
    found, comments = tokens(source)
    return source, tuple(found), tuple(comments)


@lru_cache(maxsize=64)
def read_file(
    text: str,
    name: str,
    path: str,
    stages: tuple[str, ...],
    overlaid: bool,
    sound: bool = False,
) -> SourceFile:
    """Return a rule file as read; what keeps it from being read stands in its faults.

    Remembered, because an overlay, a test or a mutant leaves most files as they are.
    """
    source, found, comments = _lexed(text)
    faults = [
        Fault(name, path, line, column, message)
        for line, column, message in (() if sound else _faults(source, found))
    ]
    rules: list[Rule] = []
    if not faults:
        meta = naming.metadata(comments)
        for statement in statements(found):
            rules.append(_rule(source, statement, name, path, stages, overlaid, meta))
    return SourceFile(
        name,
        path,
        source,
        stages,
        overlaid,
        found,
        comments,
        tuple(rules),
        tuple(faults),
    )


def _faults(source: Text, found: Iterable[Token]) -> Iterator[tuple[int, int, str]]:
    place = strange(source, found)
    if place:
        line, column, character = place
        yield line, column, f"unexpected character {character!a} outside of texts and comments"
        return
    said, error = _heard([without_scripts(source.text)], ())
    located = [each for message in said if (each := _PLACE.match(message.strip()))]
    for each in located:
        line = int(each[1])
        yield line, source.column(line, int(each[2])), " ".join(each[3].split())
    if error and not located:
        yield 1, 1, error


def complaints(text: str) -> list[str]:
    """Return what clingo says of rules that are well formed: variables that nothing binds."""
    # All rules are looked at although only an empty part is grounded.
    return _heard([without_scripts(text)], [("nothing", [])])[0]


def _heard(texts: Sequence[str], parts: Sequence[tuple[str, list[Any]]]) -> tuple[list[str], str]:
    import clingo

    said: list[str] = []
    control = clingo.Control(logger=lambda _, message: said.append(message), message_limit=200)
    try:
        for text in texts:
            control.add("base", [], text)
        if parts:
            control.ground(parts)
    except RuntimeError as error:
        return said, str(error)
    return said, ""


def _rule(
    source: Text,
    found: Sequence[Token],
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
    except (Unreadable, RecursionError):
        statement = Statement("unread")
    said = meta.pop(line, {})
    heads = tuple(dict.fromkeys((atom.name or "", atom.arity) for atom in derived(statement.head)))
    kind = statement.kind
    rule = Rule(
        said.get("id", ""),
        naming.title(said),
        name,
        path,
        line,
        column,
        end_line,
        end_column,
        stages,
        naming.kind(statement.head, heads, statement.body) if kind == "rule" else kind,
        heads,
        statement.head,
        statement.body,
        source.text[begin:end],
        overlaid,
        bool(said.get("id")),
        False,
        statement.signature,
        statement.levels,
        statement.terms,
        begin,
        end,
    )
    if not rule.named:
        rule = rule._replace(id=f"{name.removesuffix('.lp')}.{naming.stem(rule)}")
    return rule


def one_line(rule: Rule) -> str:
    """Return a statement as one line without comments."""
    found, _ = tokens(Text(rule.text))
    return written(found)
