"""`rules check`: everything that is wrong with rules, all at once, with the place and a fix."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from plan07 import rulebook, rulefiles
from plan07.errors import RulesError
from plan07.messages import quoted
from plan07.rulebook import Rulebook
from plan07.rulefiles import RuleFile
from plan07.ruletools import (
    checks_form,
    checks_names,
    checks_terms,
    checks_whole,
    source,
)
from plan07.ruletools.issues import CODES, ERROR, Issue, about_file
from plan07.ruletools.records import SourceFile
from plan07.ruletools.source import RuleSet
from plan07.ruletools.stages import Stages

if TYPE_CHECKING:
    from plan07.ruletools.trial import Settings

_IGNORE = re.compile(r"%[ \t]*plan07:[ \t]*ignore\b[ \t]*(.*)")
_NOT_READ = {
    "RULES_STAGE": "FILE_STAGE",
    "RULES_INCLUDE": "FILE_INCLUDES",
    "RULES_CHARACTER": "SYNTAX",
}
# With these, rules do not even load.
_FATAL = frozenset({"FILE_UNREADABLE", "FILE_STAGE", "FILE_INCLUDES", "SYNTAX", "VARIABLE_UNSAFE"})


def check(overlay: str | None, settings: Settings | None = None) -> list[Issue]:
    """Return every finding about the shipped rules with an overlay, sorted by place.

    Args:
        overlay: a directory of rule files, or None.
        settings: how to try the rules of an overlay on plans; without, they are only read.

    Raises:
        InputError: the directory cannot be read, or holds no rule file.
    """
    unread: list[Issue] = []
    files: list[RuleFile] = []
    for name in rulefiles.rule_names(overlay) if overlay is not None else ():
        assert overlay is not None
        try:
            files.append(rulefiles.read_file(os.path.join(overlay, name), True))
        except (OSError, ValueError, RulesError) as error:
            unread.append(_unread(os.path.join(overlay, name), error))
    book = Rulebook(rulebook.laid_over(files))
    rules = source.read_rules(book, source.are_sound(book))
    stages = Stages(rules, _shipped(rules))
    found = [*unread, *_static(stages)]
    if settings is not None and not _fatal(found):
        from plan07.ruletools import trial

        found += trial.check(stages, overlay, settings)
    found = _without_ignored(rules, found)
    return sorted(found, key=lambda each: (each.file, each.line, each.column, each.code))


def failed(found: list[Issue]) -> bool:
    """Return whether a finding is an error."""
    return any(each.level == ERROR for each in found)


def _static(stages: Stages) -> Iterator[Issue]:
    for module in (checks_form, checks_names, checks_terms, checks_whole):
        yield from module.check(stages)


def _fatal(found: list[Issue]) -> bool:
    return any(each.code in _FATAL for each in found)


def _shipped(rules: RuleSet) -> RuleSet:
    """Return the shipped rules, read once more only where some are laid over."""
    if not any(file.overlaid for file in rules.files):
        return rules
    return source.read_rules(rulebook.load())


def _unread(path: str, error: OSError | ValueError | RulesError) -> Issue:
    name = os.path.basename(path)
    if isinstance(error, RulesError):
        code = _NOT_READ[error.code]
        line, column = error.detail.get("line", 1), error.detail.get("column", 1)
        message = error.message.replace(path, name)
        return Issue(code, name, path, line, column, "", message, error.fix)
    said = f"{name} cannot be read: {rulefiles.reason(error)}"
    return Issue("FILE_UNREADABLE", name, path, 1, 1, "", said, "make it a file in UTF-8")


# Ignores.


def _without_ignored(rules: RuleSet, found: list[Issue]) -> list[Issue]:
    """Leave out what a comment `% plan07: ignore CODE reason` speaks of."""
    kept = list(found)
    for file in rules.files:
        for comment in file.comments:
            ignore = _IGNORE.match(comment.text)
            if ignore is None:
                continue
            code, _, reason = ignore[1].partition(" ")
            line, column = file.source.place(comment.at)
            if code not in CODES or not reason.strip():
                kept.append(_invalid(file, line, column, code, reason))
                continue
            lines = _lines(file, line, comment.end_line, comment.trails)
            fitting = [each for each in kept if _fits(each, file, code, lines)]
            if not fitting:
                kept.append(
                    about_file(
                        "IGNORE_UNUSED",
                        file,
                        line,
                        column,
                        f"there is no {code} to ignore",
                        "remove the comment",
                    )
                )
            kept = [each for each in kept if each not in fitting]
    return kept


def _invalid(file: SourceFile, line: int, column: int, code: str, reason: str) -> Issue:
    said = (
        f"ignoring {code} needs a reason"
        if code in CODES
        else f"{quoted(code)} is no code to ignore"
    )
    fix = "write `% plan07: ignore CODE reason`; `plan07 rules check --codes` lists the codes"
    return about_file("IGNORE_INVALID", file, line, column, said, fix)


def _lines(file: SourceFile, line: int, end_line: int, trails: bool) -> range:
    """Return the lines that an ignore speaks of: its statement, else all where it is the header."""
    if trails:
        rule = next((each for each in file.rules if each.line <= line <= each.end_line), None)
        return range(rule.line, rule.end_line + 1) if rule else range(line, line + 1)
    below = next((each for each in file.rules if each.line > end_line), None)
    first = file.rules[0].line if file.rules else 0
    comments = {each for found in file.comments for each in range(found.line, found.end_line + 1)}
    if below and all(each in comments for each in range(end_line + 1, below.line)):
        return range(line, below.end_line + 1)
    return range(1, file.source.text.count("\n") + 2) if line < first else range(line, line + 1)


def _fits(issue: Issue, file: SourceFile, code: str, lines: range) -> bool:
    return issue.code == code and issue.file == file.name and issue.line in lines
