"""Stage (a) of the build spec: a request, as people write it, becomes a typed requirement.

    A goal in one line            # Make the session timeout configurable
    criteria, each true or false  tests/test_session.py::test_custom_timeout passes
    constraints                   without breaking the public Session API

Deterministic, by regular expressions; no model is asked what a request means. What a request names
is taken in its own words. Where it names nothing that can be checked, candidates are derived from
its verbs and the requirement says so: a plan may start on them and must not end on them.

Nothing is cut to size: what is over a cap is refused, because a criterion that is left out would
let a plan end unchecked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from plan07.errors import Finding, InputError, PlanRefused
from plan07.messages import quoted
from plan07.request.choosing import Gathered
from plan07.request.gathering import gather
from plan07.request.lines import Skipped

# Build spec 3.1; the length of a constraint is that of a predicate.
CAPS = {"goal": 500, "criterion": 200, "criteria": 16, "constraint": 200, "constraints": 16}
# Characters; twice of what GitHub takes as the body of an issue.
LARGEST_REQUEST = 128 * 1024

_PHASE = "canonicalize"
_SURROGATE = re.compile("[\ud800-\udfff]")
_FIXES = {
    "goal": "begin with a title of one sentence, and leave the rest to the text below it",
    "criterion": "say it in one shorter sentence, or as two criteria",
    "criteria": 'list those that count under a heading "Acceptance criteria", or split the request',
    "constraint": "say it in one shorter sentence, or as two constraints",
    "constraints": "leave out those that the repository checks anyway, or split the request",
}


class Reading(NamedTuple):
    """A requirement, and what of the request is not in it.

    Args:
        requirement: in the wire form of `plan07.models.Requirement`.
        skipped: what was set aside, in the order of lines.
    """

    requirement: dict[str, Any]
    skipped: tuple[Skipped, ...]


def canonicalize(text: str) -> dict[str, Any]:
    """Return the requirement of a request, in the wire form of `plan07.models.Requirement`.

    Args:
        text: the request; a sentence, or an issue with all that belongs to one.

    Raises:
        PlanRefused: no goal, nothing that can be checked, a cap exceeded, or a listed criterion
            that holds a block of code; `violations` carries every reason.
        InputError: it is no text, holds what no file can hold, or is too large.

    >>> canonicalize("Sort it so that tests/test_a.py::test_b passes, without changing the API.")
    ... # doctest: +NORMALIZE_WHITESPACE
    {'goal': 'Sort it so that tests/test_a.py::test_b passes, without changing the API',
     'acceptance_criteria': ['tests/test_a.py::test_b passes'],
     'constraints': ['without changing the API']}
    """
    return read(text).requirement


def read(text: str) -> Reading:
    """Return the requirement of a request, and what of it was set aside and why.

    Args:
        text: as in `canonicalize`.

    Raises:
        PlanRefused: as `canonicalize`.
        InputError: as `canonicalize`.
    """
    _check_text(text)
    gathered = gather(text)
    criteria = gathered.criteria or gathered.candidates
    violations = [
        *_lacking(text, gathered, criteria),
        *_with_code(gathered),
        *_over_caps(gathered.goal, criteria, gathered.constraints),
    ]
    if violations:
        first = violations[0]
        raise PlanRefused(
            first.code,
            first.message,
            first.fix,
            phase=_PHASE,
            detail=first.detail,
            violations=tuple(violations),
        )
    requirement: dict[str, Any] = {
        "goal": gathered.goal,
        "acceptance_criteria": list(criteria),
        "constraints": list(gathered.constraints),
    }
    if not gathered.criteria:
        requirement["needs_confirmation"] = True
    return Reading(requirement, gathered.skipped)


def render(requirement: Mapping[str, Any]) -> str:
    """Return a requirement as a request that reads as the same requirement again.

    Args:
        requirement: in the wire form.
    """
    derived = requirement.get("needs_confirmation", False)
    parts = [
        f"# {requirement['goal']}",
        "## Candidate criteria, not confirmed" if derived else "## Acceptance criteria",
        "\n".join(f"- {each}" for each in requirement["acceptance_criteria"]),
    ]
    if requirement["constraints"]:
        parts += ["## Constraints", "\n".join(f"- {each}" for each in requirement["constraints"])]
    return "\n\n".join(parts) + "\n"


def _check_text(text: object) -> None:
    if not isinstance(text, str):
        raise _unreadable(f"a request is a text, not a {type(text).__name__}", "give a text")
    if len(text) > LARGEST_REQUEST:
        raise InputError(
            "REQUEST_TOO_LARGE",
            f"the request has {len(text)} characters, at most {LARGEST_REQUEST} are read",
            "give the issue without its logs and attachments",
            phase=_PHASE,
            detail={"count": len(text), "limit": LARGEST_REQUEST},
        )
    odd = _SURROGATE.search(text)
    place = odd.start() if odd else text.find("\0")
    if place >= 0:
        line = text.count("\n", 0, place) + 1
        around = text[max(0, place - 20) : place + 20]
        raise _unreadable(
            f"the request holds a NUL or half a surrogate pair in line {line}: {quoted(around)}",
            "remove the character, or save the request as UTF-8",
            {"line": line},
        )


def _unreadable(message: str, fix: str, detail: dict[str, Any] | None = None) -> InputError:
    return InputError("REQUEST_INVALID", message, fix, phase=_PHASE, detail=detail)


def _lacking(text: str, gathered: Gathered, criteria: Sequence[str]) -> list[Finding]:
    if not gathered.goal:
        reasons = sorted({each.why for each in gathered.skipped})
        left = f"; set aside: {', '.join(reasons)}" if reasons else ""
        return [
            Finding(
                "EMPTY_GOAL",
                "requirement",
                f"the request {quoted(text.strip())} names nothing to do{left}",
                "say in one sentence what shall be different",
                {"field": "goal", "set_aside": reasons},
            )
        ]
    if not criteria:
        return [
            Finding(
                "NOTHING_CHECKABLE",
                "requirement",
                f"{quoted(gathered.goal)} names nothing that can be checked, and its words tell of "
                "nothing that would be true",
                'add what would prove it done: a test, a command, or "... should ..."',
                {"field": "acceptance_criteria", "goal": gathered.goal},
            )
        ]
    return []


def _with_code(gathered: Gathered) -> list[Finding]:
    blocks = [*gathered.with_code]
    told = {text for text, _ in blocks}
    blocks += [
        (text, 0)
        for text in (*gathered.criteria, *gathered.candidates, *gathered.constraints)
        if text not in told and _is_code(text)
    ]
    return [
        Finding(
            "CODE_IN_CRITERION",
            "requirement",
            f"the criterion {quoted(text)} holds a block of code, and a predicate is one line",
            "say in words what holds, with `code` in backticks, or name a test that checks it",
            {"criterion": text, "line": line or None},
        )
        for text, line in blocks
    ]


def _is_code(text: str) -> bool:
    """Whether a predicate is a block of code or a JSON value on one line."""
    if "```" in text or "~~~" in text:
        return True
    if len(text) > CAPS["criterion"] or text[:1] not in ("{", "["):
        return False
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def _over_caps(goal: str, criteria: Sequence[str], constraints: Sequence[str]) -> list[Finding]:
    sizes = [("goal", len(goal), goal)]
    sizes += [("criterion", len(each), each) for each in criteria]
    sizes += [("criteria", len(criteria), "")]
    sizes += [("constraint", len(each), each) for each in constraints]
    sizes += [("constraints", len(constraints), "")]
    return [
        Finding(
            "CAP_EXCEEDED",
            "requirement",
            f"the {field} {quoted(text)} has {count} characters, the cap is {CAPS[field]}"
            if text
            else f"the request names {count} {field}, the cap is {CAPS[field]}",
            _FIXES[field],
            {"field": field, "count": count, "limit": CAPS[field]},
        )
        for field, count, text in sizes
        if count > CAPS[field]
    ]
