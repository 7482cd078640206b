"""Finds and reads rule files: the shipped ones, and the directory that overlays them."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import NamedTuple

from plan07.errors import InputError, RulesError

# `vocabulary` marks the files whose strings are the phrases to look for.
STAGES = (
    *("vocabulary", "draft", "admission", "graph", "repair", "schedule", "steps", "readiness"),
    *("scope", "impact"),
)

_STAGE = re.compile(r"^%[ \t]*Stage:[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_INCLUDE = re.compile(r"#include\b")
# What is kept in the group, possessive; a percent sign in a string begins no comment.
_KEPT = re.compile(r'((?:[^"%]++|"(?:[^"\\\n]|\\.)*+"|")++)|%\*.*?\*%|%[^\n]*', re.S)
_LARGEST_FILE = 4 * 1024 * 1024
_PHASE = "rules"


class RuleFile(NamedTuple):
    """A rule file.

    Args:
        name: its file name.
        path: where it was read from.
        text: what it holds.
        stages: the stages that its header names, or all of them.
        overlaid: it comes from the user's directory.
    """

    name: str
    path: str
    text: str
    stages: tuple[str, ...]
    overlaid: bool


def shipped_directory() -> str:
    """Return where the shipped rules lie: inside the package, or beside it in a checkout."""
    package = os.path.dirname(os.path.abspath(__file__))
    inside = os.path.join(package, "rules")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(package), "rules")


@lru_cache(maxsize=1)
def shipped() -> tuple[RuleFile, ...]:
    """Return the shipped rule files, read once."""
    return tuple(read_directory(shipped_directory(), False))


def read_directory(directory: str, overlaid: bool) -> list[RuleFile]:
    """Return the rule files of a directory, but for tests, sorted by name.

    Args:
        directory: where they lie.
        overlaid: it is a user's.

    Raises:
        InputError: it cannot be read, or holds none.
        RulesError: a file names no stage, includes another, or holds a character that none may.
    """
    names = rule_names(directory)
    try:
        return [read_file(os.path.join(directory, name), overlaid) for name in names]
    except (OSError, ValueError) as error:
        raise _unreadable(directory, error) from error


def rule_names(directory: str) -> list[str]:
    """Return the names of the rule files in a directory, but for tests, sorted.

    Raises:
        InputError: it cannot be read, or holds none.
    """
    try:
        names = sorted(
            name
            for name in os.listdir(directory)
            if name.endswith(".lp") and not name.endswith("_test.lp")
        )
    except (OSError, ValueError) as error:
        raise _unreadable(directory, error) from error
    if not names:
        raise InputError(
            "RULES_EMPTY",
            f"there is no rule file in {directory}",
            "name a directory that holds .lp files",
            phase="usage",
            detail={"path": directory},
        )
    return names


def _unreadable(directory: str, error: OSError | ValueError) -> InputError:
    return InputError(
        "RULES_UNREADABLE",
        f"the rules in {directory} cannot be read: {reason(error)}",
        "name a directory of .lp files in UTF-8",
        phase="usage",
        detail={"path": directory},
    )


def read_file(path: str, overlaid: bool) -> RuleFile:
    """Return a rule file.

    Raises:
        OSError, ValueError: it cannot be read, or is not UTF-8.
        RulesError: it names no stage, includes another, or holds a character that none may hold.
    """
    with open(path, encoding="utf-8") as stream:
        text = stream.read(_LARGEST_FILE)
    name = os.path.basename(path)
    if overlaid:
        _refuse_strange(path, text)
    named = named_stages(text)
    if not named or any(stage not in (*STAGES, "all") for stage in named):
        raise RulesError(
            "RULES_STAGE",
            f"{path} names no stage" if not named else f"{path} names the stage {', '.join(named)}",
            f"write `% Stage: NAME` into its header, with one or more of {', '.join(STAGES)}, all",
            phase=_PHASE,
            detail={"path": path},
        )
    if _INCLUDE.search(text) and _INCLUDE.search(without_comments(text)):
        raise RulesError(
            "RULES_INCLUDE",
            f"{path} includes another file, which the digest of the rules would not know",
            "put the rules into files of their own in the same directory",
            phase=_PHASE,
            detail={"path": path},
        )
    return RuleFile(name, path, text, STAGES if "all" in named else named, overlaid)


def named_stages(text: str) -> tuple[str, ...]:
    """Return the stages that the header of a rule file names, as it names them."""
    header = _STAGE.search(text)
    return tuple(stage.strip() for stage in header.group(1).split(",")) if header else ()


def _refuse_strange(path: str, text: str) -> None:
    """Clingo ends the process when it meets such a character outside of strings and comments."""
    if text.isascii() and "\0" not in text:
        return
    from plan07.ruletools import lexer

    source = lexer.Text(text)
    strange = lexer.strange(source, lexer.tokens(source)[0])
    if strange is not None:
        line, column, character = strange
        raise RulesError(
            "RULES_CHARACTER",
            f"{path}:{line}:{column} holds the character {character!a}",
            "write ASCII outside of strings and comments",
            phase=_PHASE,
            detail={"path": path, "line": line, "column": column},
        )


def reason(error: OSError | ValueError) -> str:
    """Return why a file or directory cannot be read."""
    if isinstance(error, OSError):
        return (error.strerror or "it cannot be opened").lower()
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is not UTF-8"
    return "that is no path"


def without_comments(text: str) -> str:
    """Return rules without their comments; what stands in strings is no comment."""
    return "".join(_KEPT.findall(text))
