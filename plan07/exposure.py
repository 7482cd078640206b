"""What an agent sees of a plan: one obligation, what it may do for it, and how often."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from plan07.artifact import Artifact
from plan07.errors import PlanRefused
from plan07.messages import quoted
from plan07.partition import Standing
from plan07.revision import unknown

_PHASE = "drive"
# What starts a new attempt at a node: its gate said something.
_VERDICTS = ("pass", "fail")


class Usage(NamedTuple):
    """What an attempt at a node has used.

    Args:
        files: edited.
        tests: calls.
    """

    files: frozenset[str]
    tests: int


def usage(log: Sequence[Mapping[str, Any]], node: str) -> Usage:
    """Return what the attempt at a node has used since its gate last said something.

    Args:
        log: the transitions, the oldest first.
        node: its id.
    """
    files: set[str] = set()
    tests = 0
    for row in log:
        if row["event"] == "rolled_back":
            files, tests = set(), 0
        if row.get("obligation") != node:
            continue
        if row["event"] in _VERDICTS:
            files, tests = set(), 0
        elif row["event"] == "edit":
            files |= set(row.get("files", ()))
        elif row["event"] == "test":
            tests += 1
    return Usage(frozenset(files), tests)


def exposure(artifact: Artifact, standing: Standing) -> dict[str, Any]:
    """Return the exposed node as an agent sees it, and nothing of any other.

    A composite also names its members, since they land in one step.

    Args:
        artifact: the plan.
        standing: with an exposed node.
    """
    node = next(each for each in artifact["nodes"] if each["id"] == standing.exposed)
    shown = {
        "node_id": node["id"],
        "obligation": node["obligation"],
        "target_entity": node["target_entity"],
        "preconditions": dict.fromkeys(node["dependencies"], "complete"),
        "permitted_actions": standing.permitted[node["id"]],
        "required_validation": node["validation"],
    }
    if "members" in node:
        shown["members"] = [
            {
                "node_id": part["id"],
                "obligation": part["obligation"],
                "target_entity": part["target_entity"],
            }
            for part in node["members"]
        ]
    return shown


def narrowed(permitted: Mapping[str, Any], wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return the actions that a child may have: no more than its parent, field by field.

    Args:
        permitted: what the parent may do, as in an exposure.
        wanted: what is asked for; what is left out is as permitted.

    Raises:
        PlanRefused: CAPABILITY_WIDENING, more is asked for than permitted.
    """
    actions = {name: given for name, given in permitted.items() if name != "bounds"}
    asked = {name: given for name, given in wanted.items() if name != "bounds"}
    limits = wanted.get("bounds", {})
    # What the parent has no word for, it does not permit.
    wider = [name for name, given in asked.items() if given and not actions.get(name)]
    wider += [name for name in limits if not _within(limits[name], permitted["bounds"].get(name))]
    if wider:
        raise PlanRefused(
            "CAPABILITY_WIDENING",
            f"more is asked for than permitted: {', '.join(wider)}",
            "ask for no more than the obligation permits",
            phase=_PHASE,
            detail={"fields": wider},
        )
    return {
        **{name: bool(asked.get(name, given)) for name, given in actions.items()},
        "bounds": {name: limits.get(name, given) for name, given in permitted["bounds"].items()},
    }


def _within(number: Any, limit: int | None) -> bool:
    """Whether a bound is a number from 0 to the limit, which is 0 where there is none."""
    return type(number) is int and 0 <= number <= (limit or 0)


def nothing_ready(standing: Standing) -> PlanRefused:
    """Return the answer that there is nothing to do, and why."""
    failed = ", ".join(standing.parts["failed"])
    said = {
        "complete": ("the plan is complete", "there is nothing left to do"),
        "awaiting_confirmation": (
            "everything is done, but nobody has confirmed the acceptance criteria",
            "read them with `plan07 status`, then confirm them with `plan07 confirm`",
        ),
        "stalled": (
            f"nothing can start: {failed} failed, and what is left waits for it"
            if failed
            else "nothing can start: what is left are alternatives, or waits for one another",
            "mend the edit and validate the failed node again, or revise the plan",
        ),
        "needs_rescope": (
            "the plan has used up its revisions, or holds nothing to do",
            "canonicalize what is left of the request as a plan of its own",
        ),
    }[standing.verdict]
    return PlanRefused(
        "NOTHING_READY",
        said[0],
        said[1],
        phase=_PHASE,
        detail={
            "verdict": standing.verdict,
            "failed": list(standing.parts["failed"]),
            "stranded": {unit: list(by) for unit, by in standing.stranded.items()},
        },
    )


def due(artifact: Artifact, standing: Standing, node: str) -> Mapping[str, Any]:
    """Return a node whose validation is due: the exposed one, or one that failed and may be mended.

    Raises:
        PlanRefused: NODE_NOT_DUE, with what it waits for.
        InputError: the plan has no such node.
    """
    nodes: dict[str, Mapping[str, Any]] = {each["id"]: each for each in artifact["nodes"]}
    if node not in nodes:
        raise unknown(node, nodes)
    part = standing.part_of(node)
    if node == standing.exposed or (part == "failed" and node in standing.permitted):
        return nodes[node]
    waits = [each for each in nodes[node]["dependencies"] if nodes[each]["state"] != "complete"]
    actionable = f"the actionable one is {standing.exposed}" if standing.exposed else ""
    why = {
        "complete": "it is complete already",
        "alternative": "it is an alternative, which is not executed",
        "blocked": f"it waits for {', '.join(waits)}",
        "failed": f"it waits for {', '.join(waits)}",
        "ready": actionable,
    }[part]
    raise PlanRefused(
        "NODE_NOT_DUE",
        f"{quoted(node)} is not due: {why}",
        f"work on {standing.exposed}" if standing.exposed else "see `plan07 status`",
        phase=_PHASE,
        detail={"node": node, "part": part, "actionable": standing.exposed, "waits_for": waits},
    )


def refuse_beyond(
    node: str, action: str, counts: Mapping[str, int], permitted: Mapping[str, Any]
) -> None:
    """Refuse an action that a node does not permit, or not so often.

    Args:
        node: its id.
        action: edit or test.
        counts: what the attempt would have used.
        permitted: actions and bounds of the node.

    Raises:
        PlanRefused: ACTION_NOT_PERMITTED or BOUNDS_EXCEEDED.
    """
    if not permitted[action]:
        raise PlanRefused(
            "ACTION_NOT_PERMITTED",
            f"{node} does not permit to {action}",
            "leave the repository as it is, and validate the node",
            phase=_PHASE,
            detail={"node": node, "action": action},
        )
    name = "edit_files" if action == "edit" else "test_calls"
    limit = permitted["bounds"][f"max_{name}"]
    if counts[name] > limit:
        raise PlanRefused(
            "BOUNDS_EXCEEDED",
            f"{node} would come to {counts[name]} {name.replace('_', ' ')} in this attempt, "
            f"the bound is {limit}",
            "validate the node as it is, or re-scope it into smaller obligations",
            phase=_PHASE,
            detail={"node": node, "field": f"max_{name}", "count": counts[name], "limit": limit},
        )
