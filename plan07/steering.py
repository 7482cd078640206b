"""What a person decides about a plan: promote, roll back, confirm, abandon (build spec 3.3, 3.7).

None of it happens by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plan07 import artifact as artifact_
from plan07 import scope
from plan07.artifact import Artifact
from plan07.document import fresh, natural
from plan07.errors import PlanRefused
from plan07.facts import fact
from plan07.messages import quoted
from plan07.revision import LONGEST, Context, Revised, concluded, unknown
from plan07.splicing import splice


def promote(artifact: Artifact, alternative: str, context: Context) -> Revised:
    """Return a plan in which an alternative has taken the place of the primary that failed.

    Args:
        artifact: the plan.
        alternative: its id.
        context: rules, evidence, time.

    Raises:
        PlanRefused: NOT_PROMOTABLE, PROMOTION_REFUSED with every reason, or REVISION_CAP.
        InputError: the id is not in the plan.
    """
    nodes = {node["id"]: node for node in artifact["nodes"]}
    if alternative not in nodes:
        raise unknown(alternative, nodes)
    atoms = context.rules.solve("scope", scope.plan_facts(artifact))
    replaced = {
        primary: other for other, primary, _ in atoms.links("promotable", 2, _part_ids(artifact))
    }
    primaries = [primary for primary, other in replaced.items() if other == alternative]
    if not primaries:
        raise PlanRefused(
            "NOT_PROMOTABLE",
            f"{quoted(alternative)} cannot be promoted now",
            "promote the best rated alternative of an obligation that failed: "
            + (", ".join(sorted(set(replaced.values()), key=natural)) or "there is none"),
            phase="revise",
            detail={"node": alternative, "promotable": sorted(set(replaced.values()), key=natural)},
        )
    primary = min(primaries, key=natural)
    own = nodes[alternative]
    promoted = fresh(own)._replace(
        status="ready",
        dependencies=tuple(each for each in own["dependencies"] if each != primary),
    )
    rest = {**artifact, "nodes": [each for each in artifact["nodes"] if each is not own]}
    left = splice(rest, frozenset((primary,)), instead=(alternative,), inherited={})
    near = left.touched | {alternative}
    facts = [*scope.plan_facts(artifact), fact("adds", alternative)]
    change = scope.Change(left.kept, [promoted, *left.loose], near, near, facts)
    try:
        result = scope.apply(artifact, change, context.evidence, context.rules)
    except PlanRefused as error:
        raise scope.refusal(
            "PROMOTION_REFUSED",
            f"the promotion of {alternative} is refused",
            "the plan stays as it is",
            error.violations,
        ) from error
    text = f"promoted {alternative} in the place of {primary}"
    row = {"event": "promoted", "obligation": alternative, "change": text, "removed": [primary]}
    gone = {primary, *_node_ids(artifact)}
    return Revised(concluded(artifact, result, text, primary, context.time, gone), row)


def rollback(
    artifact: Artifact, marker: str, log: Sequence[Mapping[str, Any]], context: Context
) -> Revised:
    """Return a plan as it stood at a checkpoint: what passed or failed since is pending again.

    Args:
        artifact: the plan.
        marker: `step-N:ID`.
        log: the transitions, which know what passed without a checkpoint of its own.
        context: rules, time.

    Raises:
        PlanRefused: the checkpoint is not kept, or REVISION_CAP.
    """
    markers = artifact["checkpoints"]
    if marker not in markers:
        raise PlanRefused(
            "CHECKPOINT_GONE",
            f"the plan keeps no checkpoint {quoted(marker)}",
            "name one of "
            + (", ".join(markers[-8:]) or "none: nothing has passed its validation yet"),
            phase="revise",
            detail={"marker": marker, "kept": list(markers)},
        )
    place = markers.index(marker)
    since = {each.partition(":")[2] for each in markers[place + 1 :]}
    at = [index for index, row in enumerate(log) if row.get("checkpoint") == marker]
    if at:
        since |= {row["obligation"] for row in log[at[-1] + 1 :] if row.get("event") == "pass"}
    # The audit may be lost; whatever waited for something that is undone is undone in any case.
    nodes = [node["id"] for node in artifact["nodes"] if node["id"] in since]
    facts = [*scope.plan_facts(artifact), *(fact("fails", each) for each in nodes)]
    since.update(context.rules.solve("scope", facts).ids("affected", _node_ids(artifact)))
    undone = [
        node
        for node in artifact["nodes"]
        if node["state"] == "failed" or (node["state"] == "complete" and node["id"] in since)
    ]
    changed = artifact_.with_nodes(artifact, [_pending(node) for node in undone])
    text = f"rolled back to {marker}"
    changed = artifact_.revised(changed, text, marker, context.time)
    changed["checkpoints"] = markers[: place + 1]
    names = [node["id"] for node in undone]
    return Revised(changed, {"event": "rolled_back", "change": text, "pending": names})


def _pending(node: Mapping[str, Any]) -> dict[str, Any]:
    changed = {**node, "state": "pending"}
    if "members" in node:
        changed["members"] = [{**part, "state": "pending"} for part in node["members"]]
    return changed


def confirm(artifact: Artifact, time: str) -> Revised | None:
    """Return a plan whose criteria are confirmed, None where they were.

    Raises:
        PlanRefused: REVISION_CAP.
    """
    requirement = artifact["requirement"]
    if not requirement or not requirement.get("needs_confirmation"):
        return None
    kept = {name: value for name, value in requirement.items() if name != "needs_confirmation"}
    text = "confirmed the acceptance criteria"
    changed = artifact_.revised({**artifact, "requirement": kept}, text, "confirm", time)
    return Revised(changed, {"event": "confirmed", "change": text})


def abandon(artifact: Artifact, token: str, time: str) -> Revised:
    """Return a plan that was given up, which is its last revision.

    Args:
        artifact: the plan.
        token: why, one line.
        time: UTC, ISO 8601.
    """
    line = " ".join(token.split())[:LONGEST] or "no reason given"
    text = f"{artifact_.ABANDONED}{line}"
    history = artifact["revision_history"]
    # Giving up is always possible; the audit keeps what has to make room for it.
    room = {**artifact, "revision_history": history[-(artifact_.MOST_REVISIONS - 1) :]}
    changed = artifact_.revised(room, text, "abandon", time)
    return Revised(changed, {"event": "abandoned", "change": text})


def _node_ids(artifact: Artifact) -> set[str]:
    return {node["id"] for node in artifact["nodes"]}


def _part_ids(artifact: Artifact) -> set[str]:
    return {part["id"] for node in artifact["nodes"] for part in scope.members(node)}
