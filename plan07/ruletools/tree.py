"""The answer to a question about a plan: a tree of atoms, rules and conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from plan07.ruletools.records import Rule

_Told = TypeVar("_Told")


class Node(NamedTuple):
    """Something that holds, or does not, and why.

    Args:
        text: an atom or a condition, as people write it.
        holds: whether it does.
        rule: the rule that derives it, or the one that fails.
        origin: where it comes from if no rule derives it: plan, evidence, rules or walk; for
            what another stage derived, that stage.
        children: what it rests on, or what fails.
        more: how many more such reasons there are that are not told.
        words: what it says in words, or "".
    """

    text: str
    holds: bool
    rule: Rule | None = None
    origin: str = ""
    children: tuple[Node, ...] = ()
    more: int = 0
    words: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the wire form, keys in a fixed order."""
        found: dict[str, Any] = {"text": self.text, "holds": self.holds}
        if self.words:
            found["words"] = self.words
        if self.rule is not None:
            found["rule"] = self.rule.id
            found["title"] = self.rule.title
            found["place"] = {"file": self.rule.file, "line": self.rule.line}
        if self.origin:
            found["origin"] = self.origin
        found["because"] = [each.as_dict() for each in self.children]
        if self.more:
            found["more"] = self.more
        return found


class Answer(NamedTuple):
    """What is known about an atom.

    Args:
        question: the atom, as people write it.
        stage: the stage that answers.
        holds: whether it holds there.
        nodes: a tree for each atom that the question stands for, or for each rule that fails.
        more: how many more there are.
        near: atoms that hold and differ least from what was asked.
        remedy: facts that would make it hold, tried.
        notes: what else is worth knowing, as sentences.
    """

    question: str
    stage: str
    holds: bool
    nodes: tuple[Node, ...] = ()
    more: int = 0
    near: tuple[Node, ...] = ()
    remedy: Remedy | None = None
    notes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the wire form, keys in a fixed order."""
        return {
            "question": self.question,
            "stage": self.stage,
            "holds": self.holds,
            "because": [each.as_dict() for each in self.nodes],
            "more": self.more,
            "near": [each.as_dict() for each in self.near],
            "remedy": None if self.remedy is None else self.remedy.as_dict(),
            "notes": list(self.notes),
        }


class Remedy(NamedTuple):
    """A change of what a stage is given after which an atom holds; it was tried.

    Args:
        added: facts to add.
        removed: facts to take away.
        refused: why the same stage would refuse the plan then, as sentences.
    """

    added: tuple[str, ...]
    removed: tuple[str, ...]
    refused: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            "add": list(self.added),
            "remove": list(self.removed),
            "refused": list(self.refused),
        }


def cut(told: Sequence[_Told], most: int) -> tuple[tuple[_Told, ...], int]:
    """Return the first of some things, and how many are left out.

    One more than `most` is told rather than counted.
    """
    if len(told) <= most + 1:
        return tuple(told), 0
    return tuple(told[:most]), len(told) - most
