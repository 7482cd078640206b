"""Why one unit comes before another, read off the reason terms of the rules.

A derivation carries its reason as a term, so what is said here cannot drift from what was derived.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from plan07.facts import Fact, Term
from plan07.messages import camel, printable

_RULES = {
    "declared": "the plan says so",
    "derived": "derived when the plan was scheduled",
    "widen_then_rebind": "the type is widened before its consumers are re-bound",
    "rebind_then_compile": "consumers are re-bound before the build is checked",
    "widen_then_compile": "the type is widened before the build is checked",
    "preserve_then_rely": "the old default is preserved before anything relies on the new one",
    "preserve_then_retest": "the old default is preserved before it is tested again",
    "retest_then_rely": "the old default is tested before the new one is trusted",
    "migrate_then_use": "the migration precedes usage of the migrated shape",
    "share_then_use": "the shared type precedes its consumers",
    "define_then_run": "the test is defined before it runs",
    "definition_first": "the definition comes first",
    "dependents_first": "what depends on it lets go first",
    "together": "neither order is valid alone",
    "shim_first": "what keeps the old form alive comes first",
}


class Reason(NamedTuple):
    """A reason term, taken apart.

    Args:
        reason: declared, derived, R1 to R4, or impact.
        rule: the name of the rung or order.
        cause: the relation, as the wire writes it, or "".
        entities: the two entities of the evidence, or ().
        words: what else the term says, such as the test or the change.
    """

    reason: str
    rule: str
    cause: str = ""
    entities: tuple[str, ...] = ()
    words: str = ""


def reason_of(term: Term) -> Reason:
    """Return a reason term of `precedes/3` or `atomic/3`, taken apart.

    >>> reason_of(Fact("declared"))
    Reason(reason='declared', rule='declared', cause='', entities=(), words='')
    """
    if not isinstance(term, Fact):
        return Reason("rule", str(term))
    if term.name == "ladder" and len(term.args) == 3:
        number, name, because = term.args
        found = _evidence(because)
        return Reason(f"R{number}", _name(name), *found)
    if term.name == "impact" and len(term.args) == 5:
        order, cause, source, target, change = term.args
        if _name(order) == "shim_first":
            return Reason("impact", "shim_first", words=_spaced(change))
        return Reason(
            "impact", _name(order), camel(_name(cause)), (str(source), str(target)), _spaced(change)
        )
    return Reason(term.name, term.name)


def _evidence(because: Term) -> tuple[str, tuple[str, ...], str]:
    if isinstance(because, Fact) and because.name == "impact" and len(because.args) == 3:
        cause, source, target = because.args
        return camel(_name(cause)), (str(source), str(target)), ""
    if isinstance(because, Fact) and because.args:
        shown = ", ".join(each if isinstance(each, str) else _spaced(each) for each in because.args)
        return "", (), f"{because.name.replace('_', ' ')} {shown}"
    return "", (), _spaced(because)


def _name(term: Term) -> str:
    return term.name if isinstance(term, Fact) else str(term)


def _spaced(term: Term) -> str:
    name = _name(term)
    return "" if name == "unsaid" else name.replace("_", " ")


def sentence(reason: Reason) -> str:
    """Return a reason as one line for people."""
    text = _RULES.get(reason.rule, reason.rule.replace("_", " "))
    if reason.entities:
        source, target = (printable(each) for each in reason.entities)
        text += f": {source} {reason.cause} {target}"
    if reason.words:
        text += f" ({printable(reason.words)})"
    return text


def reasons_of(
    edges: Sequence[tuple[str, str]],
    rows: Iterable[tuple[str, str, Term]],
    member_of: Mapping[str, str],
    names: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Return why each edge is there, in the order of the edges, in the wire form.

    Args:
        edges: (before, after) pairs of units.
        rows: (before, after, because) of obligations.
        member_of: obligation to unit.
        names: units to their ids in the plan.
    """
    found: dict[tuple[str, str], list[tuple[str, str, Reason]]] = {}
    for a, b, because in rows:
        found.setdefault((member_of[a], member_of[b]), []).append((a, b, reason_of(because)))
    listed: list[dict[str, Any]] = []
    for edge in edges:
        pair = [names[unit] for unit in edge]
        for a, b, reason in found.get(edge, ()):
            entry: dict[str, Any] = {"edge": pair, "reason": reason.reason, "rule": reason.rule}
            if [a, b] != pair:
                entry["obligations"] = [a, b]
            if reason.entities:
                source, target = reason.entities
                entry["evidence"] = {"cause": reason.cause, "from": source, "to": target}
            entry["text"] = sentence(reason)
            listed.append(entry)
    return listed
