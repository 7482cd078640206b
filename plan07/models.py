"""The typed artifacts, as strict, frozen and closed pydantic records.

Field names are the wire names of the build spec. Caps are those of `limits.lp`; a plan that was
solved with raised limits is read as a dictionary. `plan07 schema NAME` prints the JSON schema of
each.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

Verb: TypeAlias = Literal["modify", "preserve", "validate"]
# Schedule position, derived; only `alternative` is believed when a plan says it.
Status: TypeAlias = Literal["ready", "blocked", "alternative"]
# History, persisted: pending until the gate passes (complete) or fails (failed).
State: TypeAlias = Literal["pending", "complete", "failed"]
Strength: TypeAlias = Literal["must", "should", "check", "revalidate"]
Order: TypeAlias = Literal["def<dep", "dep<def", "split", "none", "-", "–"]  # noqa: RUF001
Resolution: TypeAlias = Literal["exact", "typed", "dynamic", "heuristic", "ambiguous"]
EntityKind: TypeAlias = Literal[
    "package", "module", "class", "interface", "trait", "struct", "enum", "enum_member",
    "function", "method", "property", "field", "variable", "constant", "type_alias",
    "parameter", "test", "config_key", "table", "column", "migration", "route", "external",
    "file",
]  # fmt: skip

Id: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=64)]
Text: TypeAlias = Annotated[str, Field(max_length=200)]
ChangeKind: TypeAlias = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]
Cause: TypeAlias = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$", max_length=64)]
Share: TypeAlias = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Count: TypeAlias = Annotated[int, Field(ge=0, le=2**30)]


class Record(BaseModel):
    """What all artifacts have in common."""

    model_config = ConfigDict(
        strict=True, frozen=True, extra="forbid", populate_by_name=True, serialize_by_alias=True
    )


class Requirement(Record):
    """The request as checkable criteria (build spec 3.1).

    Args:
        goal: at most 500 characters.
        acceptance_criteria: 1 to 16 predicates that can be true or false.
        constraints: at most 16.
        needs_confirmation: the criteria were derived, so a plan may start on them, not end.
    """

    goal: Annotated[str, Field(min_length=1, max_length=500)]
    acceptance_criteria: Annotated[tuple[Text, ...], Field(min_length=1, max_length=16)]
    constraints: Annotated[tuple[Text, ...], Field(max_length=16)]
    needs_confirmation: bool = False


class Obligation(Record):
    """One obligation, the exact eight fields (build spec 3.2).

    Args:
        id: unique in the plan.
        target_entity: what it is about.
        obligation: modify, preserve or validate.
        caused_by: what demands it; its words may name the kind of change.
        dependencies: ids that must be discharged first.
        evidence: what justifies it.
        status: ready or blocked are recomputed, alternative is believed.
        validation: the test, command or predicate that proves it done.
    """

    id: Id
    target_entity: Text
    obligation: Verb
    caused_by: Text
    dependencies: Annotated[tuple[Id, ...], Field(max_length=16)]
    evidence: Text
    status: Status
    validation: Text


class Member(Record):
    """An obligation within an artifact: the eight fields and its state.

    Args:
        state: pending, complete or failed.
        derived: those of `dependencies` that rules derived; only where there are any.
    """

    id: str
    target_entity: str
    obligation: Verb
    caused_by: str
    dependencies: tuple[str, ...]
    evidence: str
    status: Status
    validation: str
    state: State
    derived: tuple[str, ...] = ()


class PlanNode(Member):
    """A node of the plan: one obligation, or a composite of several that land together.

    Args:
        cycle_collapsed: true for a composite, whose id is `cycle:` and its lowest member's.
        members: the obligations of a composite.
    """

    cycle_collapsed: Literal[True] | None = None
    members: Annotated[tuple[Member, ...], Field(min_length=2)] = ()


class ImpactEdge(Record):
    """A change of one entity reaches another, as in plan07.impact/1.

    Args:
        from_: the changed entity, `from` on the wire.
        to: the entity that depends on it.
        cause: the relation from the changed side, such as CalledBy.
        change: the kind of change.
        strength: must breaks the dependent.
        order: def<dep, dep<def, split, or none.
        resolution: how sure the relation is; exact without it.
        confidence: 0 to 1.
    """

    from_: Annotated[str, Field(alias="from")]
    to: str
    cause: Cause
    change: ChangeKind | None = None
    strength: Strength | None = None
    order: Order | None = None
    hop: Count | None = None
    confidence: Share | None = None
    resolution: Resolution | None = None
    rule: str | None = None
    at: Site | None = None
    derived_change: str | None = None


class Site(Record):
    """Where in the repository something stands; lines count from 1."""

    path: str
    line: Count | None = None


class EntityChange(Record):
    """An entity changes in a way of the impact table."""

    entity: str
    change: ChangeKind


class Entity(Record):
    """An entity of the repository."""

    id: str
    kind: EntityKind


class Scores(Record):
    """How strongly something is tied to the request, each 0 to 1."""

    lex: Share | None = None
    cochange: Share | None = None
    confidence: Share | None = None


class Evidence(Record):
    """Inline evidence.

    Args:
        edges: impact edges.
        changes: how entities change.
        entities: the entities there are; targets are grounded against them.
        tests: the tests there are, as node ids; without it, which exist is not known.
        scores: obligation id or entity to its scores.
    """

    edges: tuple[ImpactEdge, ...] = ()
    changes: tuple[EntityChange, ...] = ()
    entities: tuple[Entity, ...] | None = None
    tests: tuple[str, ...] | None = None
    scores: dict[str, Scores] = {}


class Decomposition(Record):
    """Obligations as a model emits them, with what comes along."""

    obligations: tuple[Obligation, ...]
    requirement: Requirement | None = None
    evidence: Evidence | None = None
    re_decompose: bool = False


class Revision(Record):
    """One revision of a plan (build spec 3.7); `time` is UTC, ISO 8601."""

    rev: Count
    time: str
    change: str
    caused_by: str


class AuditRow(Record):
    """One accepted edit and the obligation that caused it (build spec 3.7)."""

    obligation: str
    accepted_edit: str
    trace: str


class PlanArtifact(Record):
    """The persisted plan (build spec 3.7)."""

    plan_id: Annotated[str, Field(pattern=r"^plan-[0-9]{8}-[0-9]{4}(-[0-9]+)?$")] | None = None
    requirement: Requirement | None = None
    nodes: tuple[PlanNode, ...]
    checkpoints: tuple[str, ...] = ()
    branch_scores: dict[str, Share] = {}
    revision_history: tuple[Revision, ...] = ()
    audit: tuple[AuditRow, ...] = ()
    evidence: Evidence | None = None


class PlanDag(Record):
    """What the scheduler emits at every step (build spec 3.3).

    Args:
        nodes: all nodes, by the natural order of ids.
        edges: (dependency, dependent) pairs; derived ones that a longer path says are left out.
        ready: units that can start.
        blocked: units that wait.
        alternative: branches that are not followed.
        checkpoints: the next step boundaries, at most 32, as `step-N:ID`.
        branch_scores: alternative to prior, 0 to 1.
    """

    nodes: tuple[PlanNode, ...]
    edges: tuple[tuple[str, str], ...]
    ready: tuple[str, ...]
    blocked: tuple[str, ...]
    alternative: tuple[str, ...]
    checkpoints: tuple[str, ...]
    branch_scores: dict[str, float]


class EdgeEvidence(Record):
    """The impact edge behind a precedence."""

    cause: str
    from_: Annotated[str, Field(alias="from")]
    to: str


class Reason(Record):
    """Why one unit comes before another.

    Args:
        edge: the (dependency, dependent) pair.
        reason: declared, derived, R1 to R4 (a rung of the ladder), or impact.
        rule: the name of the rung or of the order.
        obligations: the pair within composites that the reason is about.
        evidence: the impact edge it was derived from, if there is one.
        text: one sentence.
    """

    edge: tuple[str, str]
    reason: str
    rule: str
    obligations: tuple[str, str] | None = None
    evidence: EdgeEvidence | None = None
    text: str


class Composite(Record):
    """Obligations that land in one step, and why."""

    id: str
    members: tuple[str, ...]
    reasons: tuple[Reason, ...]


class Violation(Record):
    """Why a plan is refused.

    Args:
        code: stable, UPPER_SNAKE.
        subject: an obligation's id, `plan`, `requirement`, or a place in a document.
        message: one sentence.
        fix: one safe thing to do.
        detail: the parts of the message.
    """

    code: str
    subject: str
    message: str
    fix: str
    detail: dict[str, Any]


class Advice(Violation):
    """Something worth knowing that refuses nothing."""


class PolicyUsed(Record):
    """The rules of a run.

    Args:
        digest: SHA-256 of every rule file, switch and limit.
        switches: their values.
        limits: those that differ from the shipped ones.
        overlaid: rule files from an overlay.
    """

    digest: str
    switches: dict[str, str]
    limits: dict[str, int]
    overlaid: tuple[str, ...]


class Schedule(PlanDag):
    """The answer of `solve`.

    Args:
        order: the units in the order of the walk: complete ones, alternatives and stranded ones
            are not in it.
        reasons: why each edge is there.
        composites: which obligations land together, and why.
        stranded: blocked units that can never start, because something failed.
        advice: what is worth knowing.
        policy: the rules of the run.
    """

    order: tuple[str, ...]
    reasons: tuple[Reason, ...]
    composites: tuple[Composite, ...]
    stranded: tuple[str, ...]
    advice: tuple[Advice, ...]
    policy: PolicyUsed

    def to_json(self) -> str:
        """Return the document that `plan07 solve --json` prints, to the byte."""
        return to_json(self.model_dump(mode="json", exclude_unset=True))


class ErrorBody(Record):
    """The inside of the one error shape."""

    code: str
    phase: str
    message: str
    fix: str
    retryable: bool
    detail: dict[str, Any]
    violations: tuple[Violation, ...]


class ErrorDocument(Record):
    """What every command prints with --json when it refuses or fails."""

    error: ErrorBody


def to_json(document: dict[str, Any]) -> str:
    """Return a document as plan07 prints it: indented ASCII, one newline at the end."""
    return json.dumps(document, indent=2) + "\n"
