"""Soft ranks: what reads like the change, and what was changed along with it before.

`lex` is BM25 over the words of an entity (its split name, its signature, the first line of its
description), as a share of the best one found; `cochange` is the share of the commits to the seed's
file that also changed the entity's file. Until it is calibrated, the score is the mean of the two.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

# The usual constants of BM25: how soon repetition stops to count, and how much length does.
_SATURATION = 1.2
_LENGTH = 0.75

_WORD = re.compile(r"[^\W_]+")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class Support(NamedTuple):
    """How often two files were changed by one commit.

    Args:
        n_ab: commits that changed both.
        n_a: commits that changed the seed's file.
    """

    n_ab: int
    n_a: int


class Rank(NamedTuple):
    """How closely an entity is tied to a change.

    Args:
        lex, cochange, score: 0 to 1.
        support: behind `cochange`; None where the history tells nothing.
    """

    entity: str
    lex: float
    cochange: float
    score: float
    support: Support | None


def words(text: str) -> list[str]:
    """Return the words of a text, those inside identifiers too.

    >>> words("SessionConfig.load_all(HTTPServer)")
    ['session', 'config', 'load', 'all', 'http', 'server']
    """
    return [part.casefold() for word in _WORD.findall(text) for part in _HUMPS.split(word)]


def bm25(query: Sequence[str], documents: Mapping[str, Sequence[str]]) -> dict[str, float]:
    """Return how well each document fits a query, 0 or more.

    Args:
        query: its words; repetitions do not count.
        documents: name to words.
    """
    counts = {name: Counter(each) for name, each in documents.items()}
    mean = sum(map(len, documents.values())) / len(documents) if documents else 0
    found = dict.fromkeys(documents, 0.0)
    for word in dict.fromkeys(query):
        holding = [name for name, count in counts.items() if word in count]
        rarity = math.log(1 + (len(counts) - len(holding) + 0.5) / (len(holding) + 0.5))
        for name in holding:
            times = counts[name][word]
            length = 1 - _LENGTH + _LENGTH * len(documents[name]) / mean
            found[name] += rarity * times * (_SATURATION + 1) / (times + _SATURATION * length)
    return found


def ranked(
    query: str,
    documents: Mapping[str, str],
    supports: Mapping[str, Support],
    most: int,
) -> list[Rank]:
    """Return the entities that are tied to a change, the closest first.

    Args:
        query: the text of the change.
        documents: entity to its text.
        supports: entity to how its file was changed along with a seed's.
        most: how many to return.
    """
    fits = bm25(words(query), {name: words(text) for name, text in documents.items()})
    best = max(fits.values(), default=0.0) or 1.0
    found = []
    for name in documents:
        support = supports.get(name)
        lex = fits[name] / best
        cochange = min(1.0, support.n_ab / support.n_a) if support and support.n_a > 0 else 0.0
        found.append(Rank(name, lex, cochange, (lex + cochange) / 2, support))
    found.sort(key=lambda each: (-round(each.score, 6), each.entity))
    return [each for each in found[:most] if each.score > 0]


def summary(lines: Sequence[str], start: int, end: int) -> str:
    """Return the first line of the description of a definition in Python, or "".

    Args:
        lines: of the file.
        start: the first line of the definition, from 1.
        end: its last line.
    """
    body = iter(lines[start - 1 : min(end, start + _LONGEST_HEADER)])
    for line in body:
        if line.split("#")[0].rstrip().endswith(":"):
            break
    for line in body:
        if line.strip():
            literal = _LITERAL.match(line)
            return literal[1].strip() if literal else ""
    return ""


_LONGEST_HEADER = 80
_LITERAL = re.compile(r"""\s*[rRuU]?(?:\"\"\"|'''|"|')(.*?)(?:\"\"\"|'''|"|'|\\?\s*$)""")


def joined(parts: Iterable[str | None]) -> str:
    """Return texts as one, those that are there."""
    return " ".join(each for each in parts if each)
