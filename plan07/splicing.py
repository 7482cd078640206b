"""Takes obligations out of a plan, so that nothing that waited for them is left dangling.

Whoever waited for what is gone waits for what stands in its place, for what is left of its
composite, and for what the rules say it inherits. A composite that loses a member falls apart; the
rules find out whether what is left of it still has to land together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from plan07.artifact import Artifact
from plan07.document import Record, fresh
from plan07.scope import Node, members


class Spliced(NamedTuple):
    """A plan without some of its obligations.

    Args:
        kept: nodes that stay.
        loose: obligations of composites that fell apart.
        touched: ids of obligations that stay and may wait for something else now.
    """

    kept: list[Node]
    loose: list[Record]
    touched: frozenset[str]


def splice(
    artifact: Artifact,
    removed: frozenset[str],
    *,
    instead: Sequence[str] = (),
    inherited: Mapping[str, Sequence[str]],
) -> Spliced:
    """Return a plan without some of its obligations.

    Args:
        artifact: the plan.
        removed: ids of the obligations.
        instead: ids of what takes their place.
        inherited: obligation to what it waits for instead of what is removed.
    """
    parts = {node["id"]: [part["id"] for part in members(node)] for node in artifact["nodes"]}
    broken = {unit: _left(ids, removed) for unit, ids in parts.items() if removed.intersection(ids)}

    def swap(ids: Iterable[str]) -> list[str]:
        found: list[str] = []
        for each in ids:
            if each in broken:
                found += [*broken[each], *instead]
            else:
                found += instead if each in removed else [each]
        return list(dict.fromkeys(found))

    kept: list[Node] = []
    loose: list[Record] = []
    touched: set[str] = set()
    for node in artifact["nodes"]:
        gone = broken.keys() & set(node["dependencies"])
        if node["id"] in broken:
            left = [part for part in members(node) if part["id"] not in removed]
            loose += [_freed(part, node, swap, inherited.get(part["id"], ())) for part in left]
            touched.update(part["id"] for part in left)
        elif gone:
            kept.append(_waiting(node, gone | removed, swap, inherited))
            touched.update(parts[node["id"]])
        else:
            kept.append(node)
    return Spliced(kept, loose, frozenset(touched))


def _left(ids: Iterable[str], removed: frozenset[str]) -> list[str]:
    return [each for each in ids if each not in removed]


def _freed(
    part: Node, node: Node, swap: Callable[[Iterable[str]], list[str]], heritage: Sequence[str]
) -> Record:
    """A member of a composite on its own: it waits for whatever the composite waited for."""
    named = swap(part["dependencies"])
    derived = [each for each in swap(node.get("derived", ())) if each not in named]
    outside = [each for each in swap(node["dependencies"]) if each not in derived]
    declared = dict.fromkeys([*named, *outside, *swap(heritage)])
    # The gate judged the composite, which is no more, so what it said of it holds no longer.
    state = "complete" if part["state"] == "complete" else "pending"
    return fresh(part)._replace(
        dependencies=tuple(each for each in declared if each != part["id"]),
        derived=tuple(derived),
        state=state,
    )


def _waiting(
    node: Node,
    gone: Iterable[str],
    swap: Callable[[Iterable[str]], list[str]],
    inherited: Mapping[str, Sequence[str]],
) -> dict[str, Any]:
    """A node that waited for something that is gone."""
    heritage = swap(each for part in members(node) for each in inherited.get(part["id"], ()))
    changed = _with(node, swap, heritage)
    if "members" in node:
        lost = set(gone)
        named = [part["id"] for part in members(node) if lost.intersection(part["dependencies"])]
        # A composite waits for what its members wait for.
        heirs = named or [members(node)[0]["id"]]
        changed["members"] = [
            _with(part, swap, heritage if part["id"] in heirs else ()) for part in members(node)
        ]
    return changed


def _with(
    node: Node, swap: Callable[[Iterable[str]], list[str]], more: Sequence[str]
) -> dict[str, Any]:
    changed = {**node, "dependencies": list(dict.fromkeys([*swap(node["dependencies"]), *more]))}
    if "derived" in node:
        changed["derived"] = [
            each for each in swap(node["derived"]) if each in changed["dependencies"]
        ]
        if not changed["derived"]:
            del changed["derived"]
    return changed
