"""What every change of a plan has in common: what it is made with, and how it is written down."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from plan07 import artifact as artifact_
from plan07 import scope
from plan07.artifact import Artifact
from plan07.document import natural
from plan07.errors import InputError
from plan07.evidence import Evidence
from plan07.messages import quoted
from plan07.rulebook import Rulebook

LONGEST = 200


class Revised(NamedTuple):
    """A plan after a change.

    Args:
        artifact: the new document.
        row: what goes to the audit.
    """

    artifact: Artifact
    row: dict[str, Any]


class Context(NamedTuple):
    """What a change is made with.

    Args:
        rules: the composed rules.
        evidence: what is known.
        time: UTC, ISO 8601.
        used: ids that the plan once had and has no longer.
    """

    rules: Rulebook
    evidence: Evidence
    time: str
    used: frozenset[str] = frozenset()


def concluded(
    artifact: Artifact,
    result: scope.Result,
    text: str,
    cause: str,
    time: str,
    removed: Iterable[str] = (),
) -> Artifact:
    """Return a plan with new nodes and one more revision; audit rows of what is gone go along.

    Args:
        artifact: the plan before.
        result: what came of the change.
        text: what changed, one line.
        cause: what made it change, one line.
        time: UTC, ISO 8601.
        removed: ids that the plan holds no longer.

    Raises:
        PlanRefused: REVISION_CAP.
    """
    present = {node["id"] for node in result.nodes}
    gone = set(removed) - present
    changed = {
        **artifact,
        "nodes": result.nodes,
        "branch_scores": result.branch_scores,
        "audit": [row for row in artifact["audit"] if row["obligation"] not in gone],
    }
    return artifact_.revised(changed, cut(text), cut(cause), time)


def unknown(node: str, ids: Iterable[str]) -> InputError:
    """Return the error of an id that is not in the plan."""
    known = sorted(ids, key=natural)
    return InputError(
        "NODE_UNKNOWN",
        f"the plan has no node {quoted(node)}",
        f"name one of {', '.join(known[:8])}" + (", ..." if len(known) > 8 else ""),
        phase="usage",
        detail={"node": node},
    )


def cut(text: str, longest: int = LONGEST) -> str:
    """Return a text of at most so many characters, by default as many as a field may have."""
    return text if len(text) <= longest else text[: longest - 3] + "..."
