"""What is said of rules that do not load, do not ground, or have not exactly one answer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from plan07.errors import InputError, RulesError
from plan07.rulefiles import RuleFile

# How the directories are called in which a rule file lies for a moment, as it runs.
COPY = "plan07-rules-"

_IN_COPY = re.compile(rf"\S*{COPY}\w+[/\\]")
_PHASE = "rules"


class ClingoError(RulesError):
    """What clingo said of rules that it cannot load or ground."""


def without_copies(messages: Iterable[str]) -> list[str]:
    """Return messages without the directory in which a copy lay for a moment."""
    return [_IN_COPY.sub("", message) for message in messages]


def broken(file: RuleFile | None, messages: Sequence[str], error: Exception) -> ClingoError:
    """Return the error about a rule file that does not load, or rules that do not ground."""
    where = f"{file.name} does not load" if file else "the rules cannot be grounded"
    said = "; ".join(" ".join(message.split()) for message in messages) or str(error)
    return ClingoError(
        "RULES_BROKEN",
        f"{where}: {said}",
        "mend the rule file, or leave out --rules to use the shipped rules",
        phase=_PHASE,
        detail={"path": file.path if file else None, "messages": list(messages)},
    )


def not_one(count: int, optimise: bool) -> RulesError:
    """Return the error about rules that have not exactly one answer, or none that is the best."""
    if count == 0:
        return RulesError(
            "RULES_UNSATISFIABLE",
            "the rules have no answer set",
            "look for a loop through negation in the overlay, or a constraint in the stage repair",
            phase=_PHASE,
        )
    return RulesError(
        "RULES_AMBIGUOUS",
        "the search for a repair was cut short" if optimise else "the rules have several answers",
        "remove choices and loops through negation from the overlay",
        phase=_PHASE,
    )


def unknown(code: str, what: str, name: str, known: Iterable[str]) -> InputError:
    """Return the error about a switch, a value or a limit that there is not."""
    known = list(known)
    return InputError(
        code,
        f"there is no {what} {name!r}",
        f"use one of {', '.join(known)}",
        phase="usage",
        detail={"name": name, "known": known},
    )
