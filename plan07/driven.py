"""The typed artifacts of a plan that is driven: what an agent sees, and what came of it.

Records as in `plan07.models`, which these build on; `SCHEMAS` lists them for `plan07 schema`.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from plan07.models import (
    AuditRow,
    Count,
    Decomposition,
    ErrorDocument,
    Evidence,
    ImpactEdge,
    Obligation,
    PlanArtifact,
    PlanDag,
    PlanNode,
    Record,
    Requirement,
    Revision,
    Schedule,
    Verb,
    Violation,
)

Verdict: TypeAlias = Literal[
    "running", "complete", "awaiting_confirmation", "stalled", "abandoned", "needs_rescope"
]


class Bounds(Record):
    """How often an action may be taken in one attempt.

    Args:
        max_edit_files: different files that may be edited.
        max_test_calls: calls of tests.
    """

    max_edit_files: Count
    max_test_calls: Count


class PermittedActions(Record):
    """What may be done to discharge an obligation."""

    read: bool
    edit: bool
    test: bool
    bounds: Bounds


class ExposedMember(Record):
    """A member of a composite, as an agent sees it."""

    node_id: str
    obligation: Verb
    target_entity: str


class ActionableObligation(Record):
    """The one obligation that an agent sees (build spec 3.4).

    Args:
        node_id: of the obligation or composite.
        obligation: modify, preserve or validate.
        target_entity: what it is about.
        preconditions: what it waited for, each `complete`.
        permitted_actions: read, edit and test, and how often.
        required_validation: what proves it done.
        members: only of a composite, whose obligations land in one step.
    """

    node_id: str
    obligation: Verb
    target_entity: str
    preconditions: dict[str, Literal["complete"]]
    permitted_actions: PermittedActions
    required_validation: str
    members: tuple[ExposedMember, ...] = ()


class CheckResult(Record):
    """What came of one check of a validation.

    Args:
        check: its text.
        kind: pytest, compile, import, command, predicate, or bounds.
        outcome: pass, fail, or error where it could not be run.
        reason: one line; "" for a pass.
        exit: exit status; None where nothing ran.
        seconds: how long it ran.
        sha256: of its output.
        output: its last lines.
    """

    check: str
    kind: str
    outcome: Literal["pass", "fail", "error"]
    reason: str
    exit: int | None
    seconds: float
    sha256: str
    output: str


class GateResult(Record):
    """What a validation came to (build spec 3.5).

    Args:
        node_id: of the obligation or composite.
        outcome: pass, fail or error.
        reason: one line of why it did not pass.
        checks: one result for each check.
        replanned: the change of the plan that followed a failure, "" where none did.
        no_replan: why none did.
        verdict: how the plan stands afterwards.
        next: the node that is actionable then.
    """

    node_id: str
    outcome: Literal["pass", "fail", "error"]
    reason: str
    checks: tuple[CheckResult, ...]
    replanned: str
    no_replan: str
    verdict: Verdict
    next: str | None


class PlanStatus(Record):
    """How a plan stands.

    Args:
        plan_id: of the plan.
        goal: of its requirement.
        verdict: how it stands.
        complete: nodes that are complete, of `nodes`; alternatives do not count.
        nodes: how many there are.
        next: the node that is actionable.
        ready: nodes that can start.
        blocked: nodes that wait.
        alternative: branches that are not followed.
        failed: nodes whose validation failed.
        stranded: node to what it waits for and can never come.
        waits_for: blocked node to what it waits for.
        last_checkpoint: the newest marker.
        revision: number of the last revision.
        abandoned: why it was given up.
        needs_confirmation: the criteria were derived.
        notes: what is odd about its file.
    """

    plan_id: str | None
    goal: str | None
    verdict: Verdict
    complete: Count
    nodes: Count
    next: str | None
    ready: tuple[str, ...]
    blocked: tuple[str, ...]
    alternative: tuple[str, ...]
    failed: tuple[str, ...]
    stranded: dict[str, tuple[str, ...]]
    waits_for: dict[str, tuple[str, ...]]
    last_checkpoint: str | None
    revision: Count
    abandoned: str | None
    needs_confirmation: bool
    notes: tuple[str, ...]


SCHEMAS: dict[str, type[Record]] = {
    model.__name__: model
    for model in (
        Requirement,
        Obligation,
        Decomposition,
        Evidence,
        ImpactEdge,
        PlanNode,
        PlanDag,
        PlanArtifact,
        Schedule,
        ActionableObligation,
        GateResult,
        PlanStatus,
        Revision,
        AuditRow,
        Violation,
        ErrorDocument,
    )
}
