"""What makes a sentence a demand, and what it is then cut down to.

Shared by `predicates`, which finds what shall become true, and `constraints`, which finds what must
not change.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from plan07.request import phrases
from plan07.request.sentences import clean, mask

LONGEST = 200


class Said(NamedTuple):
    """What a sentence names.

    Args:
        kind: criterion or constraint.
        text: on one line; code and quotations as they stand.
        binding: it holds even where the request lists more criteria than fit.
    """

    kind: str
    text: str
    binding: bool


class Sentence(NamedTuple):
    """A sentence to be judged.

    Args:
        text: cleaned.
        shown: the same with code, quotations and links blanked out.
        verb: the imperative that it begins with, or nothing.
        faulty: it tells of a fault.
        goal: it is the request's own goal, which it does not constrain.
    """

    text: str
    shown: str
    verb: str
    faulty: bool
    goal: bool


MODAL = re.compile(
    r"\b(?:should(?:n't)?|must(?:n't)?|shall|needs? to|has to|have to|ought to"
    rf"|(?:is|are) (?:expected|supposed|required) to|{'|'.join(phrases.DEMANDS)})\b"
    rf"|{'|'.join(phrases.DEMANDS_UNSPACED)}|应(?![用答对急])",
    re.I,
)
MUST = re.compile(r"\b(?:must|shall|muss|müssen|يجب)\b|必须|必須", re.I)
PAST = re.compile(r"\b(?:was|were|had|did|used to|got|has been|have been)\b", re.I)
# A wish as "As a user I want …": who asks, not what shall be.
STORY = re.compile(r"\s*as an?\b.{1,80}?\bI\b.{0,12}?\b(?:want|would like|need|can|should)\b", re.I)
# Where these stand, the sentence is no demand, or none on the code.
_REMARK = re.compile(
    r"\b(?:should|must|has to|have to|needs? to) (?:be|is) (?:easy|simple|trivial|quick|enough|fun"
    r"|fine|straightforward|obvious|doable|fairly|pretty|quite|relatively|a (?:simple|quick|good))"
    r"|\b(?:should|must) have (?:been|\w+ed)\b"
    r"|\bmust be (?:a|an|some|because|due|related|missing)\b"
    r"|\b(?:I|we|someone|somebody|you) (?:should|must|have to|need to) (?:also )?(?:mention|note"
    r"|add that|say|probably|discuss|talk|decide|think|ask|wait|admit|see|get|notice|consider"
    r"|know)\b"
    r"|\b(?:I|you|users?|people|one|customers|developers|everyone|everybody) (?:currently )?"
    r"(?:have|has|need|needs|had|needed) to\b"
    r"|\b(?:whether|if|why|what|how|unclear|not sure|unsure)\b[^,.;]{0,80}\b(?:should|must)\b"
    r"|\b(?:as|like|than|when|although|though|where|what|which) (?:it|they|we|he|she|you)"
    r" (?:should|must)|\b(?:could|would|might|may) need to\b|\bif need be\b|\bno need to\b",
    re.I,
)
# "That should not be necessary" demands something, but does not say what.
_EMPTY = re.compile(
    r"\s*(?:this|that|it|which|everything)\s+(?:should|must)(?:\s*not|n't)?\s+(?:just\s+)?"
    r"(?:happen|occur|work|matter|be\s+(?:necessary|the case|possible|fixed|so|like (?:this|that)"
    r"|done|merged|easy|enough))"
    r"(?:\s+(?:again|anymore|any more|like that|now|either|too|as well))?\W*\Z",
    re.I,
)
_CLAUSE_END = re.compile(
    r"[;:](?=\s)|,\s+(?=(?:but|because|since|which|so|and|as|even|while|otherwise)\b)"
    r"|\s[\u2013\u2014-]\s|\s\("
)


def is_remark(shown: str) -> bool:
    """Whether a sentence with "should" or "must" demands nothing of the code."""
    return bool(_REMARK.search(shown) or _EMPTY.match(shown))


def fitting(text: str, place: int) -> str:
    """Return a sentence, or, where it is too long for a predicate, its clause around a place."""
    if len(text) <= LONGEST:
        return text
    start, end = 0, len(text)
    for cut in _CLAUSE_END.finditer(mask(text)):
        if cut.end() <= place:
            start = cut.end()
        elif cut.start() > place:
            end = cut.start()
            break
    return clean(text[start:end])
