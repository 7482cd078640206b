"""The plan artifact: its keys, its caps, and how it is written (build spec 3.7).

Everything here works on plain values and has no effect; `state` brings them to the disk. An
artifact is compact JSON with one node, revision and audit row to a line, so that two versions
differ in the lines that changed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from plan07.document import COMPOSITE, ID, compact, natural
from plan07.errors import PlanRefused
from plan07.messages import quoted

if TYPE_CHECKING:
    from plan07.rulebook import Rulebook

LARGEST_BYTES = 32 * 1024
# Of these, what is kept for audit, revisions and checkpoints; the rest is `max_static_bytes`.
GROWING_BYTES = 9 * 1024
MOST_CHECKPOINTS = 32
MOST_REVISIONS = 32
MOST_AUDIT_ROWS = 64
ABANDONED = "abandoned: "
# What a revision's words are cut to when the file would grow too large.
_SHORT_CHANGE = 40

Artifact = dict[str, Any]


def new(
    plan_id: str, requirement: Mapping[str, Any] | None, schedule: Mapping[str, Any]
) -> Artifact:
    """Return the artifact of a plan that was just scheduled.

    Args:
        plan_id: `plan-YYYYMMDD-HHMM`.
        requirement: in its wire form; `needs_confirmation` stays only where it is true.
        schedule: the answer of the solver in its wire form.
    """
    kept = dict(requirement) if requirement is not None else None
    if kept is not None and not kept.get("needs_confirmation"):
        kept.pop("needs_confirmation", None)
    return {
        "plan_id": plan_id,
        "requirement": kept,
        "nodes": list(schedule["nodes"]),
        "checkpoints": [],
        "branch_scores": dict(schedule["branch_scores"]),
        "revision_history": [],
        "audit": [],
    }


def render(artifact: Mapping[str, Any]) -> str:
    """Return an artifact as its file holds it: compact, one record to a line."""
    lines = []
    for key, value in artifact.items():
        name = json.dumps(key)
        if key in ("nodes", "revision_history", "audit") and value:
            rows = ",\n".join(compact(each) for each in value)
            lines.append(f"{name}:[\n{rows}\n]")
        else:
            lines.append(f"{name}:{compact(value)}")
    return "{" + ",\n".join(lines) + "}\n"


def room(rules: Rulebook) -> int:
    """Return how many bytes the file of a plan may have: 32,768 by the shipped limits.

    Args:
        rules: of the run, whose `max_static_bytes` is for what does not grow.
    """
    return rules.number("max_static_bytes") + GROWING_BYTES


def fitted(artifact: Artifact, most: int = LARGEST_BYTES) -> tuple[Artifact, str]:
    """Return an artifact that fits its file, and the text of the file.

    Only when it would pass its room are the words of the log shortened, the oldest first: traces
    to nothing, then changes to forty characters. Nodes are never cut.

    Args:
        artifact: the plan.
        most: bytes that the file may have, as `room` returns them.

    Raises:
        PlanRefused: it does not fit even then.
    """
    text = render(artifact)
    if len(text.encode()) <= most:
        return artifact, text
    short = {
        **artifact,
        "audit": [dict(row) for row in artifact["audit"]],
        "revision_history": [dict(row) for row in artifact["revision_history"]],
    }
    for rows, key, size in (
        (short["audit"], "trace", 0),
        (short["revision_history"], "change", _SHORT_CHANGE),
        (short["audit"], "accepted_edit", _SHORT_CHANGE),
    ):
        for row in rows:
            if len(row[key]) > size and not row[key].startswith(ABANDONED):
                row[key] = row[key][:size]
                text = render(short)
                if len(text.encode()) <= most:
                    return short, text
    raise PlanRefused(
        "ARTIFACT_CAP",
        f"the plan would take {len(text.encode())} bytes, an artifact has {most}",
        "re-scope the request into smaller plans, or give the --limit max_static_bytes that the "
        "plan was made with; the file was left as it is",
        phase="state",
        detail={"bytes": len(text.encode()), "limit": most},
    )


def revised(artifact: Artifact, change: str, caused_by: str, time: str) -> Artifact:
    """Return an artifact with one more revision.

    Args:
        artifact: the plan.
        change: what changed, one line.
        caused_by: the obligation, or the evidence, that made it change.
        time: UTC, ISO 8601.

    Raises:
        PlanRefused: it has 32 already.
    """
    history = artifact["revision_history"]
    if len(history) >= MOST_REVISIONS:
        raise PlanRefused(
            "REVISION_CAP",
            f"the plan was revised {len(history)} times, the cap is {MOST_REVISIONS}",
            "canonicalize what is left of the request as a plan of its own",
            phase="revise",
            detail={"limit": MOST_REVISIONS, "re_decompose": True},
        )
    row = {"rev": revision(artifact) + 1, "time": time, "change": change, "caused_by": caused_by}
    return {**artifact, "revision_history": [*history, row]}


def revision(artifact: Mapping[str, Any]) -> int:
    """Return the number of the last revision, 0 before the first."""
    return max((row["rev"] for row in artifact["revision_history"]), default=0)


def audited(artifact: Artifact, obligation: str, accepted_edit: str, trace: str) -> Artifact:
    """Return an artifact in whose audit an obligation has this row.

    An obligation has one row; a later transition replaces it and keeps an accepted edit. Of more
    than 64, rows of obligations that the plan holds no longer go first, then the oldest; the log
    beside the plan keeps them all.

    Args:
        artifact: the plan.
        obligation: a node's id.
        accepted_edit: what was accepted, "" where nothing was.
        trace: why, one line.
    """
    rows = {row["obligation"]: row for row in artifact["audit"]}
    kept = accepted_edit or rows.get(obligation, {}).get("accepted_edit", "")
    rows[obligation] = {"obligation": obligation, "accepted_edit": kept, "trace": trace}
    present = {node["id"] for node in artifact["nodes"]}
    others = [each for each in rows if each != obligation]
    leaving = sorted(others, key=lambda each: each in present)
    for each in leaving[: max(0, len(rows) - MOST_AUDIT_ROWS)]:
        del rows[each]
    return {**artifact, "audit": list(rows.values())}


def with_nodes(artifact: Artifact, nodes: Iterable[Mapping[str, Any]]) -> Artifact:
    """Return an artifact with some of its nodes replaced, in their places.

    Args:
        artifact: the plan.
        nodes: the new form of nodes that it has.
    """
    changed = {node["id"]: node for node in nodes}
    return {**artifact, "nodes": [changed.get(node["id"], node) for node in artifact["nodes"]]}


def checkpointed(artifact: Artifact, unit: str) -> Artifact:
    """Return an artifact with a checkpoint after the step that just passed; the newest 32 stay."""
    done = sum(node["state"] == "complete" for node in artifact["nodes"])
    markers = [*artifact["checkpoints"], f"step-{done}:{unit}"]
    return {**artifact, "checkpoints": markers[-MOST_CHECKPOINTS:]}


def abandoned(artifact: Mapping[str, Any]) -> str | None:
    """Return the token by which a plan was abandoned, if it was."""
    history: Sequence[Mapping[str, Any]] = artifact["revision_history"]
    last = history[-1]["change"] if history else ""
    return last.removeprefix(ABANDONED) if last.startswith(ABANDONED) else None


def has_progress(artifact: Mapping[str, Any]) -> bool:
    """Whether anything became of a plan yet."""
    return bool(artifact.get("revision_history") or artifact.get("audit")) or any(
        node["state"] != "pending" for node in artifact["nodes"]
    )


def faults(artifact: Mapping[str, Any]) -> list[str]:
    """Return what no artifact of ours holds, beyond its shape; what is policy is left to rules.

    Args:
        artifact: a document of the right shape.
    """
    found = []
    ids = Counter(node["id"] for node in artifact["nodes"])
    found += [f"the id {each} stands twice" for each in sorted(x for x in ids if ids[x] > 1)]
    parts = [part["id"] for node in artifact["nodes"] for part in node.get("members", (node,))]
    found += [f"{quoted(each)} is not an id" for each in parts if not ID.match(each)]
    known = {*ids, *parts}
    for node in artifact["nodes"]:
        found += _faults_of(node)
        found += [
            f"{quoted(node['id'])} waits for {quoted(each)}, which the plan does not hold"
            for each in node["dependencies"]
            if each not in known or each == node["id"]
        ]
    revisions = [row["rev"] for row in artifact["revision_history"]]
    if revisions != sorted(set(revisions)):
        found.append("the revisions do not count upwards")
    for key, limit in (
        ("revision_history", MOST_REVISIONS),
        ("audit", MOST_AUDIT_ROWS),
        ("checkpoints", MOST_CHECKPOINTS),
    ):
        if len(artifact[key]) > limit:
            found.append(f"{key} has {len(artifact[key])} entries, the cap is {limit}")
    return found


def _faults_of(node: Mapping[str, Any]) -> list[str]:
    """A composite is what its members make of it."""
    members = node.get("members", ())
    if bool(members) != bool(node.get("cycle_collapsed")):
        return [f"{node['id']} has members but is no composite, or the other way round"]
    if not members:
        return []
    found = []
    name = f"{COMPOSITE}{min((member['id'] for member in members), key=natural)}"
    if node["id"] != name:
        found.append(f"{node['id']} is not named after its lowest member, {name}")
    state = joint_state({member["state"] for member in members})
    if node["state"] != state:
        found.append(f"{node['id']} is {node['state']}, its members make it {state}")
    return found


def joint_state(states: set[str]) -> str:
    """Return the state of a composite from the states of its members."""
    if "failed" in states:
        return "failed"
    return "complete" if states == {"complete"} else "pending"
