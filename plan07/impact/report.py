"""The document `impact.json` (format plan07.impact/1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from plan07.impact.closure import DOCUMENTED, Closure, Effect, Seed
from plan07.impact.neighbourhood import Neighbourhood
from plan07.impact.ranks import Rank
from plan07.messages import camel
from plan07.shapes import IMPACT_SCHEMA, ORDERS

# The order as the rules name it, to the first way in which the wire writes it.
WIRE_ORDERS = {named: wire for wire, named in reversed(ORDERS.items())}


def document(
    seeds: Sequence[Seed],
    found: Closure,
    around: Neighbourhood,
    ranks: Sequence[Rank],
    *,
    commit: str | None,
    recon: str,
    ungrounded: Iterable[tuple[str, str]] = (),
) -> dict[str, Any]:
    """Return impact.json.

    Args:
        seeds: what changes.
        found: whom that reaches.
        around: what was read for it.
        ranks: soft ranks.
        commit: that the evidence is of.
        recon: the name of the recon.db.
        ungrounded: (name, answer) of what should change and is not one entity of the repository.
    """
    return {
        "schema": IMPACT_SCHEMA,
        "commit": commit,
        "recon": recon,
        "seeds": [
            {"id": f"S{number}", **each} for number, each in enumerate(_seeds(seeds, found), 1)
        ],
        "edges": [edge(each, around, found.causes) for each in found.effects],
        "soft": [_soft(each) for each in ranks],
        "truncated": _truncated(around, found.causes),
        "unknown": [
            *({"entity": name, "unresolved_calls": n} for name, n in around.unresolved().items()),
            *(
                {"entity": target, "back_edge": {"from": source, "cause": camel(cause)}}
                for source, target, cause in found.returns
            ),
            *({"entity": name, "grounding": answer} for name, answer in ungrounded),
        ],
    }


def _seeds(seeds: Sequence[Seed], found: Closure) -> Iterator[dict[str, Any]]:
    origins = {each.entity: each.origin for each in seeds}
    for each in seeds:
        yield {
            "entity": each.entity,
            "change": each.change,
            "detail": dict(each.detail),
            "origin": each.origin,
        }
    for entity, change, outer in found.carried:
        origins.setdefault(entity, origins.get(outer, "user"))
        yield {
            "entity": entity,
            "change": change,
            "detail": {"within": outer},
            "origin": origins[entity],
        }


def edge(effect: Effect, around: Neighbourhood, causes: Mapping[str, str]) -> dict[str, Any]:
    """Return an edge of impact.json.

    Args:
        effect: what it tells.
        around: knows where the dependent uses what changes.
        causes: relation to the cause that it is seen as from the other side.
    """
    found = {
        "from": effect.source,
        "to": effect.target,
        "cause": camel(effect.cause),
        "change": effect.change,
        "strength": effect.strength,
        "order": WIRE_ORDERS[effect.order],
        "hop": effect.hop,
        "confidence": round(effect.confidence / 1000, 3),
        "resolution": effect.resolution,
        "rule": rule(effect),
    }
    place = _place(effect, around, causes)
    if place is not None:
        found["at"] = place
    if effect.derived:
        found["derived_change"] = effect.derived
    return found


def rule(effect: Effect) -> str:
    """Return the row of the impact table, and how the edge is found where that is not direct."""
    row = f"{effect.change}/{effect.group}"
    return row if effect.how == "direct" else f"{row} {effect.how} {effect.via}"


def _place(
    effect: Effect, around: Neighbourhood, causes: Mapping[str, str]
) -> dict[str, Any] | None:
    if effect.cause == DOCUMENTED:
        return {"path": effect.target, "line": None}
    kinds = [kind for kind, cause in causes.items() if cause == effect.cause]
    used = around.link(kinds, effect.target, effect.via)
    entity = around.entity(effect.target)
    for found in (used, entity):
        place = None if found is None else around.place(found)
        if place is not None:
            return {"path": place[0], "line": place[1]}
    return None


def _soft(rank: Rank) -> dict[str, Any]:
    found: dict[str, Any] = {
        "entity": rank.entity,
        "lex": round(rank.lex, 4),
        "cochange": round(rank.cochange, 4),
        "score": round(rank.score, 4),
    }
    if rank.support is not None:
        found["support"] = rank.support._asdict()
    return found


def _truncated(around: Neighbourhood, causes: Mapping[str, str]) -> list[dict[str, Any]]:
    sums: dict[tuple[str, str], tuple[int, int]] = {}
    for entity, relation, kept, total in around.truncated():
        key = entity, camel(causes.get(relation, relation))
        before = sums.get(key, (0, 0))
        sums[key] = before[0] + kept, before[1] + total
    return [
        {"entity": entity, "cause": cause, "kept": kept, "total": total}
        for (entity, cause), (kept, total) in sorted(sums.items())
    ]
