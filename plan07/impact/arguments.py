"""What the calls of a dependent do with a parameter of what they call.

The encoder notes for each call site how many arguments are given by position, which by keyword,
and whether some are unpacked. Whether a change of the parameter matters to such a call is for the
rules.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

_BY_POSITION = ("positional_only", "positional_or_keyword")


class Parameter(NamedTuple):
    """A parameter: its name, and its kind as recon.db writes it."""

    name: str
    kind: str


class Site(NamedTuple):
    """A call as it is written.

    Args:
        positional: how many arguments are given by position.
        keywords: the names of those given by keyword.
        unpacks: a sequence is unpacked into the arguments.
        unpacks_mapping: a mapping is unpacked into the arguments.
    """

    positional: int
    keywords: frozenset[str]
    unpacks: bool
    unpacks_mapping: bool


def parameters(text: str | None, *, bound: bool) -> tuple[Parameter, ...]:
    """Return the parameters of a function that its callers give.

    Args:
        text: the column `params` of recon.db; None, or what is no such list, gives none.
        bound: the first one is filled in by the instance or the class.
    """
    found = []
    for each in _loaded(text, list):
        if not isinstance(each, dict) or not isinstance(each.get("name"), str):
            return ()
        found.append(Parameter(each["name"], str(each.get("kind"))))
    first = 1 if bound and found and found[0].kind in _BY_POSITION else 0
    return tuple(found[first:])


def sites(attrs: str | None) -> tuple[Site, ...] | None:
    """Return the call sites that an edge tells of; None where it does not tell of every one.

    Args:
        attrs: the column `attrs` of recon.db.
    """
    told = _loaded(attrs, dict)
    listed = told.get("sites") if isinstance(told, dict) else None
    if not isinstance(listed, list) or not listed or told.get("more"):
        return None
    found = []
    for each in listed:
        positional = each.get("positional", 0) if isinstance(each, dict) else None
        keywords = each.get("keywords", []) if isinstance(each, dict) else None
        if not isinstance(positional, int) or not isinstance(keywords, list):
            return None
        found.append(
            Site(
                positional,
                frozenset(str(name) for name in keywords),
                bool(each.get("star")),
                bool(each.get("stars")),
            )
        )
    return tuple(found)


def uses(name: str, given: Sequence[Parameter], calls: Iterable[Site]) -> list[str]:
    """Return what calls do with a parameter: by_position, by_keyword, omits, unclear; sorted.

    Args:
        name: of the parameter.
        given: the parameters of what is called, without the bound one.
        calls: the call sites.
    """
    places = [each.name for each in given if each.kind in _BY_POSITION]
    place = places.index(name) if name in places else len(places)
    return sorted({_use(name, place, place < len(places), call) for call in calls})


def _use(name: str, place: int, by_position: bool, call: Site) -> str:
    if name in call.keywords:
        return "by_keyword"
    if by_position and place < call.positional and not call.unpacks:
        return "by_position"
    if call.unpacks_mapping or (by_position and call.unpacks):
        return "unclear"
    return "omits"


def _loaded(text: str | None, kind: type) -> Any:
    """Return a JSON value of a kind; an empty one where the text holds something else."""
    try:
        value = json.loads(text) if text else kind()
    except (ValueError, RecursionError):
        return kind()
    return value if isinstance(value, kind) else kind()
