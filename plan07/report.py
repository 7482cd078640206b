"""What people ask about a plan: how it stands, why a node is where it is, what has happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plan07 import artifact as artifact_
from plan07 import document, obliggraph, planner, scope
from plan07.artifact import Artifact
from plan07.driver import Driver
from plan07.errors import PlanRefused
from plan07.partition import PARTS, Standing
from plan07.revision import unknown
from plan07.state import Stored


def status(stored: Stored, standing: Standing) -> dict[str, Any]:
    """Return how a plan stands, in the wire form.

    Args:
        stored: the plan.
        standing: its partition.
    """
    artifact = stored.artifact
    requirement = artifact["requirement"] or {}
    counted = [each for each in artifact["nodes"] if each["status"] != "alternative"]
    done = sum(each["state"] == "complete" for each in counted)
    complete = set(standing.parts["complete"])
    return {
        "plan_id": artifact["plan_id"],
        "goal": requirement.get("goal"),
        "verdict": standing.verdict,
        "complete": done,
        "nodes": len(counted),
        "next": standing.exposed,
        **{name: list(standing.parts[name]) for name in PARTS if name != "complete"},
        "stranded": {unit: list(by) for unit, by in standing.stranded.items()},
        "waits_for": {
            node["id"]: [each for each in node["dependencies"] if each not in complete]
            for node in artifact["nodes"]
            if node["id"] in standing.parts["blocked"]
        },
        "last_checkpoint": artifact["checkpoints"][-1] if artifact["checkpoints"] else None,
        "revision": artifact_.revision(artifact),
        "abandoned": artifact_.abandoned(artifact),
        "needs_confirmation": bool(requirement.get("needs_confirmation")),
        "notes": list(stored.notes),
    }


def status_text(found: Mapping[str, Any]) -> str:
    """Return the same for people."""
    said = found["verdict"].replace("_", " ")
    lines = [
        f"{found['plan_id'] or 'plan'}: {said}, {found['complete']} of {found['nodes']} complete"
    ]
    if found["goal"]:
        lines.append(f"goal: {found['goal']}")
    if found["abandoned"]:
        lines.append(f"abandoned: {found['abandoned']}")
    if found["needs_confirmation"]:
        lines.append("the acceptance criteria were derived: `plan07 confirm` when they are right")
    if found["next"]:
        lines.append(f"next: {found['next']}")
    for name in ("ready", "failed", "alternative"):
        if found[name]:
            lines.append(f"{name}: {', '.join(found[name])}")
    for unit, needs in found["waits_for"].items():
        behind = found["stranded"].get(unit)
        if behind:
            lines.append(f"stranded: {unit}, behind {', '.join(behind)}")
        else:
            lines.append(f"blocked: {unit}, after {', '.join(needs)}")
    if found["last_checkpoint"]:
        lines.append(f"checkpoint: {found['last_checkpoint']}")
    lines += [f"note: {note}" for note in found["notes"]]
    return "\n".join(lines)


def explain(driver: Driver, node: str) -> dict[str, Any]:
    """Return why a node is where it is, in the wire form.

    Args:
        driver: of the plan.
        node: its id.

    Raises:
        InputError: the plan has no such node.
    """
    stored, standing = driver.standing()
    artifact = stored.artifact
    nodes = {each["id"]: each for each in artifact["nodes"]}
    if node not in nodes:
        raise unknown(node, nodes)
    reasons = _reasons(driver, artifact)
    part = standing.part_of(node)
    before = [(each, node) for each in nodes[node]["dependencies"]]
    after = [(node, each["id"]) for each in artifact["nodes"] if node in each["dependencies"]]
    history = [row for row in stored.log if row.get("obligation") == node]
    return {
        "node_id": node,
        "part": part,
        "stranded": list(standing.stranded.get(node, ())),
        "why": _why(part, node, nodes, standing, history),
        "before_it": [_edge(pair, reasons, nodes, pair[0]) for pair in before],
        "after_it": [_edge(pair, reasons, nodes, pair[1]) for pair in after],
        "left_before_ready": _left(node, nodes),
        "score": artifact["branch_scores"].get(node),
    }


def _why(
    part: str,
    node: str,
    nodes: Mapping[str, Any],
    standing: Standing,
    history: Sequence[Mapping[str, Any]],
) -> str:
    needs = nodes[node]["dependencies"]
    open_ = [each for each in needs if nodes[each]["state"] != "complete"]
    if part == "ready":
        done = f"{', '.join(needs)} complete" if needs else "it waits for nothing"
        turn = (
            "it is the actionable one"
            if node == standing.exposed
            else (f"{standing.exposed} comes first among what is ready")
        )
        return f"{done}; {turn}"
    if part == "blocked":
        behind = standing.stranded.get(node)
        if behind:
            return f"it can never start as things are, because of {', '.join(behind)}"
        return f"it waits for {', '.join(open_)}"
    if part == "alternative":
        return "it is a branch that is not followed; only `plan07 promote` would change that"
    last = [row for row in history if row["event"] in ("pass", "fail")]
    if part == "failed":
        return f"its validation failed: {last[-1]['reason']}" if last else "its validation failed"
    checks = "; ".join(each["check"] for each in last[-1]["checks"]) if last else ""
    return f"its validation passed: {checks}" if checks else "its validation passed"


def _edge(
    pair: tuple[str, str], reasons: Mapping[Any, list[str]], nodes: Mapping[str, Any], other: str
) -> dict[str, Any]:
    kept = "derived before" if pair[0] in nodes[pair[1]].get("derived", ()) else "the plan says so"
    return {
        "node_id": other,
        "state": nodes[other]["state"],
        "reasons": reasons.get(pair) or [kept],
    }


def _reasons(driver: Driver, artifact: Artifact) -> dict[tuple[str, str], list[str]]:
    """The reasons of the rules, derived anew; none where the plan as it is would be refused."""
    body = {name: artifact[name] for name in ("nodes", "requirement", "branch_scores")}
    plan = document.read(body, "the plan")
    try:
        graph = obliggraph.build(plan, driver.store.evidence(), driver.rules)
        found = planner.schedule(graph, driver.rules)["reasons"]
    except PlanRefused:
        return {}
    said: dict[tuple[str, str], list[str]] = {}
    for each in found:
        if each["reason"] not in ("declared", "derived"):
            said.setdefault((each["edge"][0], each["edge"][1]), []).append(each["text"])
    return {pair: list(dict.fromkeys(texts)) for pair, texts in said.items()}


def _left(node: str, nodes: Mapping[str, Any]) -> list[str]:
    """What has to be complete yet before a node is ready, in natural order."""
    found: set[str] = set()
    todo = list(nodes[node]["dependencies"])
    while todo:
        each = todo.pop()
        if each not in found and nodes[each]["state"] != "complete":
            found.add(each)
            todo += nodes[each]["dependencies"]
    return sorted(found, key=scope.place)


def explain_text(found: Mapping[str, Any]) -> str:
    """Return the same for people."""
    part = "stranded" if found["stranded"] else found["part"]
    lines = [f"{found['node_id']} is {part}: {found['why']}"]
    for title, key in (("it comes after", "before_it"), ("it comes before", "after_it")):
        for each in found[key]:
            lines.append(
                f"{title} {each['node_id']} ({each['state']}): {'; '.join(each['reasons'])}"
            )
    if found["left_before_ready"]:
        lines.append(f"ready when these are complete: {', '.join(found['left_before_ready'])}")
    if found["score"] is not None:
        lines.append(f"branch score: {found['score']:.3f}")
    return "\n".join(lines)


def log(stored: Stored) -> dict[str, Any]:
    """Return what has happened to a plan, in the wire form."""
    artifact = stored.artifact
    return {
        "plan_id": artifact["plan_id"],
        "transitions": [dict(row) for row in stored.log],
        "audit": artifact["audit"],
        "revisions": artifact["revision_history"],
    }


def log_text(stored: Stored) -> str:
    """Return the same for people, a line for each transition."""
    lines = []
    for row in stored.log:
        what = row.get("change") or row.get("edit") or row.get("reason") or ""
        if row["event"] == "pass":
            what = "; ".join(each["check"] for each in row.get("checks", ()))
        if row["event"] == "edit":
            what = ", ".join(row.get("files", ()))
        who = row.get("obligation", "")
        mark = f"  [{row['checkpoint']}]" if row.get("checkpoint") else ""
        when = f"{row.get('seq', ''):>4}  {row.get('time', '')}"
        lines.append(f"{when}  {row['event']:<11} {who:<8} {what}{mark}")
    edits = [row for row in stored.artifact["audit"] if row["accepted_edit"]]
    if edits:
        lines += ["", "accepted edits"]
        lines += [f"  {row['obligation']}: {row['accepted_edit']}" for row in edits]
    return "\n".join(line.rstrip() for line in lines)
