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
from plan07.messages import quoted
from plan07.revision import LONGEST, Context, Revised, concluded, unknown


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
    kept: list[Mapping[str, Any]] = []
    near = {alternative}
    for node in artifact["nodes"]:
        if node["id"] in (primary, alternative):
            continue
        if primary in node["dependencies"]:
            near |= {part["id"] for part in scope.members(node)}
            kept.append(_renamed(node, primary, alternative))
        else:
            kept.append(node)
    promoted = fresh(nodes[alternative])._replace(
        status="ready",
        dependencies=tuple(each for each in nodes[alternative]["dependencies"] if each != primary),
    )
    touched = near | {node["id"] for node in kept if alternative in node["dependencies"]}
    change = scope.Change(kept, [promoted], frozenset(near), frozenset(touched))
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
    return Revised(concluded(artifact, result, text, primary, context.time, {primary}), row)


def _renamed(node: Mapping[str, Any], old: str, new: str) -> dict[str, Any]:
    changed = {**node, "dependencies": [new if x == old else x for x in node["dependencies"]]}
    if "derived" in node:
        changed["derived"] = [new if x == old else x for x in node["derived"]]
    return changed


def rollback(
    artifact: Artifact, marker: str, log: Sequence[Mapping[str, Any]], time: str
) -> Revised:
    """Return a plan as it stood at a checkpoint: what passed or failed since is pending again.

    Args:
        artifact: the plan.
        marker: `step-N:ID`.
        log: the transitions, which know what passed without a checkpoint of its own.
        time: UTC, ISO 8601.

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
    undone = [
        node
        for node in artifact["nodes"]
        if node["state"] == "failed" or (node["state"] == "complete" and node["id"] in since)
    ]
    changed = artifact_.with_nodes(artifact, [_pending(node) for node in undone])
    text = f"rolled back to {marker}"
    changed = artifact_.revised(changed, text, marker, time)
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


def _part_ids(artifact: Artifact) -> set[str]:
    return {part["id"] for node in artifact["nodes"] for part in scope.members(node)}
