"""Scoped replans: the failed part of a plan is decomposed again, nothing else (build spec 3.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from plan07 import scope
from plan07.artifact import Artifact
from plan07.decompose import Decomposition
from plan07.document import COMPOSITE, Record, fresh, natural
from plan07.errors import PlanRefused
from plan07.facts import fact
from plan07.prompt import Fragment
from plan07.revision import Context, Revised, concluded

# What a harness brings, or a model behind it: the fragment in, obligations or the no-op out.
Replanner: TypeAlias = Callable[[Fragment], Decomposition]


def fragment(
    artifact: Artifact, failed: str, reason: str, context: Context
) -> tuple[Fragment, list[str]]:
    """Return the part of a plan that is decomposed again, and the ids of its nodes.

    Args:
        artifact: the plan.
        failed: the node whose validation failed.
        reason: one line of why.
        context: the rules.
    """
    ids = scope.affected(artifact, failed, context.rules)
    nodes = {node["id"]: node for node in artifact["nodes"]}
    inside = [part for each in ids for part in scope.members(nodes[each])]
    targets = {part["target_entity"] for part in inside}
    names: set[str] = set()
    for node in artifact["nodes"]:
        if node["id"] not in ids:
            for part in scope.members(node):
                names |= {part["id"], part["target_entity"]}
    return Fragment(inside, failed, reason, frozenset(names - targets)), ids


def replan(
    artifact: Artifact, failed: str, ids: Sequence[str], found: Decomposition, context: Context
) -> Revised:
    """Return a plan in which the affected nodes are replaced.

    Args:
        artifact: the plan, the failed node among its nodes.
        failed: its id.
        ids: the affected nodes.
        found: what they are replaced by; not the no-op.
        context: rules, evidence, time.

    Raises:
        PlanRefused: REPLAN_REFUSED with every reason, or REVISION_CAP.
    """
    message = f"the replan of {failed} is refused"
    fix = "the plan stays as it is; mend the edit and validate the node again"
    gone = set(ids)
    old = {
        part["id"]: part
        for node in artifact["nodes"]
        if node["id"] in gone
        for part in scope.members(node)
    }
    kept = [node for node in artifact["nodes"] if node["id"] not in gone]
    staying = {part["id"] for node in kept for part in scope.members(node)}
    records = [_adopted(each, old, staying) for each in found.document["obligations"]]
    facts = [
        *scope.plan_facts(artifact),
        fact("fails", failed),
        *(fact("replacement", each.id) for each in records),
        *(fact("taken", each) for each in {*staying, *old, *context.used}),
    ]
    scope.refuse(context.rules.solve("scope", facts), "REPLAN_REFUSED", message, fix)
    near = frozenset(each.id for each in records)
    change = scope.Change(kept, records, near, near | {f"{COMPOSITE}{each}" for each in near})
    try:
        result = scope.apply(artifact, change, context.evidence, context.rules)
    except PlanRefused as error:
        raise scope.refusal("REPLAN_REFUSED", message, fix, error.violations) from error
    names = ", ".join(each.id for each in sorted(records, key=lambda each: natural(each.id)))
    text = f"replanned {', '.join(ids)} as {names}"
    removed = sorted(old.keys() - near, key=natural)
    return Revised(
        concluded(artifact, result, text, failed, context.time),
        {"event": "replanned", "obligation": failed, "change": text, "removed": removed}
        | {"pairs": result.pairs},
    )


def _adopted(value: Mapping[str, Any], old: Mapping[str, Any], staying: set[str]) -> Record:
    """A replacement; one that keeps an id waits for what stays as its predecessor did."""
    before = old.get(value["id"], {"dependencies": (), "derived": ()})
    outside = [each.removeprefix(COMPOSITE) for each in before["dependencies"]]
    derived = [each.removeprefix(COMPOSITE) for each in before.get("derived", ())]
    own = [*value["dependencies"], *(x for x in outside if x in staying and x not in derived)]
    return fresh(value)._replace(
        dependencies=tuple(dict.fromkeys(own)),
        derived=tuple(x for x in derived if x in staying and x not in own),
    )
