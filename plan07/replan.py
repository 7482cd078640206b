"""Scoped replans: the failed part of a plan is decomposed again, nothing else (build spec 3.5)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeAlias

from plan07 import document, scope
from plan07.artifact import Artifact
from plan07.decompose import Decomposition
from plan07.document import Record, fresh, natural
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
    together = {each: [part["id"] for part in scope.members(nodes[each])] for each in nodes}
    inside = [_apart(part, together) for each in ids for part in scope.members(nodes[each])]
    targets = {part["target_entity"] for part in inside}
    names: set[str] = set()
    for node in artifact["nodes"]:
        if node["id"] not in ids:
            for part in scope.members(node):
                names |= {part["id"], part["target_entity"]}
    return Fragment(inside, failed, reason, frozenset(names - targets)), ids


def _apart(part: Mapping[str, Any], together: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """An obligation that names obligations, not composites, as what it waits for."""
    fields = {
        name: list(dict.fromkeys(x for each in part[name] for x in together.get(each, (each,))))
        for name in ("dependencies", "derived")
        if name in part
    }
    return {**part, **fields}


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
    inside = {
        part["id"]
        for node in artifact["nodes"]
        if node["id"] in gone
        for part in scope.members(node)
    }
    body = {name: artifact[name] for name in ("nodes", "requirement", "branch_scores")}
    before = {record.id: record for record in document.read(body, "the plan").records}
    staying = before.keys() - inside
    records = [_adopted(each, before, staying) for each in found.document["obligations"]]
    facts = [
        *scope.plan_facts(artifact),
        fact("fails", failed),
        *(fact("replacement", each.id) for each in records),
        *(fact("taken", each) for each in {*before, *context.used}),
    ]
    scope.refuse(context.rules.solve("scope", facts), "REPLAN_REFUSED", message, fix)
    near = frozenset(each.id for each in records)
    kept = [node for node in artifact["nodes"] if node["id"] not in gone]
    change = scope.Change(kept, records, near, near, facts)
    try:
        result = scope.apply(artifact, change, context.evidence, context.rules)
    except PlanRefused as error:
        raise scope.refusal("REPLAN_REFUSED", message, fix, error.violations) from error
    names = ", ".join(each.id for each in sorted(records, key=lambda each: natural(each.id)))
    text = f"replanned {', '.join(ids)} as {names}"
    removed = sorted(inside - near, key=natural)
    return Revised(
        concluded(artifact, result, text, failed, context.time, {*removed, *ids}),
        {"event": "replanned", "obligation": failed, "change": text, "removed": removed}
        | {"pairs": result.pairs},
    )


def _adopted(
    value: Mapping[str, Any], before: Mapping[str, Record], staying: Collection[str]
) -> Record:
    """A replacement; one that keeps an id waits for what stays as its predecessor did."""
    record = fresh(value)
    old = before.get(record.id)
    if old is None or record.id in staying:
        return record
    derived = [each for each in old.derived if each not in old.dependencies]
    own = [each for each in record.dependencies if each not in derived]
    own += [each for each in old.dependencies if each in staying]
    return record._replace(
        dependencies=tuple(dict.fromkeys(own)),
        derived=tuple(x for x in derived if x in staying or x in record.dependencies),
    )
