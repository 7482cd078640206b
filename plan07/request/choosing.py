"""What of a request counts: of all that was found in it, the goal, the criteria, the candidates.

Where criteria are listed and prose names so many more that they exceed the cap, it adds only what
is binding in so many words ("must", a test that shall pass): an author who lists criteria has said
which ones count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from plan07.request import predicates
from plan07.request.candidates import derived, verb_of
from plan07.request.demands import MODAL
from plan07.request.lines import Skipped
from plan07.request.sentences import mask

_MOST_CANDIDATES = 16
_MOST_CRITERIA = 16
_LONGEST_GOAL = 500

_SPEAKER = re.compile(
    r"(?:I'm|I've|I|we're|we've|we|my|our)\b(?! (?:want|would like|wish|need)\b)(?!')", re.I
)
# What these speak of was named before, or, as in "Must not break", is not named at all.
_POINTS_BACK = re.compile(
    r"(?:I|we|it|this|that|these|they|he|she|must|should|shall|needs? to|has to|have to)\b", re.I
)
_WORDS = re.compile(r"[^\W_]+")


class Criterion(NamedTuple):
    """A criterion that a request names.

    Args:
        text: the predicate, on one line.
        line: where it stands, from 1.
        tier: listed, binding or said.
    """

    text: str
    line: int
    tier: str


class Open(NamedTuple):
    """What is asked for without a predicate.

    Args:
        kind: imperative, wish, or detail: an item that may be either.
        text: as it stands, cleaned.
        line: where it stands, from 1.
        list: the number of the list that it belongs to, 0 without one.
    """

    kind: str
    text: str
    line: int
    list: int = 0


class Gathered(NamedTuple):
    """What a request says.

    Args:
        goal: its title or first sentence; empty if there is none.
        criteria: those that it names, in its order.
        constraints: those that it names.
        candidates: what would be true if it were met, if it names no criterion.
        with_code: listed criteria that hold a block of code, with the line.
        skipped: what was set aside.
    """

    goal: str
    criteria: tuple[str, ...]
    constraints: tuple[str, ...]
    candidates: tuple[str, ...]
    with_code: tuple[tuple[str, int], ...]
    skipped: tuple[Skipped, ...]


class Found:
    """All that was found in a request, in its order; filled while its parts are read.

    Args:
        skipped: what was set aside before.
    """

    def __init__(self, skipped: Sequence[Skipped]) -> None:
        self.skipped = list(skipped)
        self.titles: list[str] = []
        # Sentences that may say the goal: of prose, and of sections that count less.
        self.openings: list[str] = []
        self.elsewhere: list[str] = []
        self.wishes: list[str] = []
        self.items: list[str] = []
        self.criteria: list[Criterion] = []
        self.constraints: list[str] = []
        # What a section calls candidates, and what may become one.
        self.proposed: list[str] = []
        self.open: list[Open] = []
        self.errors: list[str] = []
        # Numbers of lists of which one item is a criterion.
        self.lists_of_criteria: set[int] = set()
        self.with_code: list[tuple[str, int]] = []

    def chosen(self) -> Gathered:
        """Return what of it counts."""
        goal = self._goal()
        criteria = self._taken()
        return Gathered(
            goal,
            tuple(_distinct(each.text for each in criteria)),
            tuple(_distinct(self.constraints)),
            tuple(self._candidates(goal)),
            tuple(self.with_code),
            tuple(sorted(self.skipped)),
        )

    def _goal(self) -> str:
        """The title; without one the first sentence, or what the items of a mere list say."""
        for found in (self.titles, self.openings, self.elsewhere):
            whole = [each for each in found if not _is_one_word(each)] or found
            if whole:
                return _said_of_the_code(whole, self.wishes)
        joined = "; ".join(self.items)
        return joined if len(joined) <= _LONGEST_GOAL or not self.items else self.items[0]

    def _taken(self) -> list[Criterion]:
        # A list without heading, of which one item is a criterion, is a list of criteria.
        self.criteria += [
            Criterion(each.text, each.line, "said")
            for each in self.open
            if each.list in self.lists_of_criteria
        ]
        self.criteria.sort(key=lambda each: each.line)
        listed = any(each.tier == "listed" for each in self.criteria)
        distinct = len(_distinct(each.text for each in self.criteria))
        if not listed or distinct <= _MOST_CRITERIA:
            return self.criteria
        taken = [each for each in self.criteria if each.tier != "said"]
        for each in self.criteria:
            if each.tier == "said":
                why = "said outside of the listed criteria"
                self.skipped.append(Skipped(each.line, each.text, why))
        return taken

    def _candidates(self, goal: str) -> list[str]:
        if self.proposed:
            return _distinct(self.proposed)
        own = derived(predicates.unlimited(goal))
        imperative = bool(verb_of(goal))
        wider: list[str] = []
        for each in self.open:
            if each.kind == "imperative":
                wider += derived(predicates.unlimited(each.text))
            elif each.kind == "wish" or imperative:
                # What is listed below an imperative says what it comes to.
                wider.append(each.text)
        listed = not (self.titles or self.openings or self.elsewhere)
        if wider and (listed or own == [goal]):
            # A list says itself what it asks for, and how it is today is not asked for.
            own = []
        whole = _distinct([*own, *wider, *self.errors])
        return whole if len(whole) <= _MOST_CANDIDATES else _distinct([*own, *self.errors])


def _said_of_the_code(sentences: Sequence[str], wishes: Sequence[str]) -> str:
    """The first sentence, unless somebody speaks of himself in it and comes to the point later."""
    if not _SPEAKER.match(sentences[0]):
        return sentences[0]
    for later in sentences[1:]:
        if verb_of(later) or (MODAL.search(mask(later)) and not _POINTS_BACK.match(later)):
            return later
    return wishes[0] if wishes else sentences[0]


def _is_one_word(text: str) -> bool:
    return text.isascii() and len(_WORDS.findall(text)) < 2


def _distinct(texts: Iterable[str]) -> list[str]:
    """Each text once, whatever its letters' case."""
    found: dict[str, str] = {}
    for text in texts:
        found.setdefault(text.casefold(), text)
    return list(found.values())
