"""The revision trigger: evidence that contradicts the plan adds and removes obligations.

Only the neighbourhood of what comes or goes, and of what new evidence speaks of, is ordered anew;
what that is, and what is refused, stands in `scope.lp` (build spec 3.6).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from plan07 import document, obliggraph, scope
from plan07.artifact import Artifact
from plan07.document import Record, as_node, fresh, natural
from plan07.errors import PlanRefused
from plan07.evidence import Evidence, node_id
from plan07.facts import Fact, fact
from plan07.lexis import tests_named
from plan07.lowering import Lowered
from plan07.messages import camel
from plan07.revision import Context, Revised, concluded, cut, unknown
from plan07.splicing import splice

# A cause is cut where the name of an entity is long, so that its last words stay.
_LONGEST_NAME = 120
# The ids under which changes that the plan does not list are shown to the rules.
_UNLISTED = "unlisted:"


class Demand(NamedTuple):
    """A dependent that something breaks and nothing mends.

    Args:
        breaker: id of the obligation that breaks it, "" where the plan lists none.
        entity: the dependent.
        because: impact(Cause, From, Change, Resolution), the evidence.
    """

    breaker: str
    entity: str
    because: Fact


def feedback(
    artifact: Artifact,
    context: Context,
    *,
    falsified: Sequence[str] = (),
    additions: Sequence[Mapping[str, Any]] = (),
    because: str = "",
    news: Collection[str] = (),
    changed: Collection[str] = (),
) -> Revised | None:
    """Return a plan that agrees with the evidence, None where it does already.

    What the evidence demands and no obligation mends is added, also where what breaks it is a
    change that no obligation asked for; what is said to be falsified is
    removed, and its dependents inherit what it waited for; what new evidence speaks of is ordered
    anew.

    Args:
        artifact: the plan.
        context: rules, merged evidence, time.
        falsified: ids of obligations that the evidence has falsified.
        additions: obligations to add, in their wire form.
        because: the evidence, one line.
        news: entities that evidence speaks of which was not known before.
        changed: entities that have changed, whether the plan lists that or not.

    Raises:
        PlanRefused: REVISION_REFUSED with every reason, or REVISION_CAP.
        InputError: an id is not in the plan.
    """
    ids = {part["id"] for node in artifact["nodes"] for part in scope.members(node)}
    for each in falsified:
        if each not in ids:
            raise unknown(each, ids)
    gone = frozenset(falsified)
    body = {name: artifact[name] for name in ("nodes", "requirement", "branch_scores")}
    plan = document.read(body, "the plan")
    added = [fresh(each) for each in additions]
    whole = plan._replace(records=(*plan.records, *added))
    demanded = _demanded(_with_unlisted(whole, changed, context), context, gone)
    new = [*added, *_mending(whole, demanded, context)]
    lowered = Lowered(whole, context.evidence)
    facts = [
        *scope.plan_facts(artifact),
        *scope.links(context.evidence, lowered.name),
        *(fact("told", lowered.name(each)) for each in news),
        *(fact("adds", each.id) for each in new),
        *(fact("removes", each) for each in gone),
        *(each for record in new for each in _facts_of(record, artifact)),
        *(
            fact("needs", each.id, demand.breaker)
            for each, demand in _pairs(new, demanded)
            if demand.breaker
        ),
        *(fact("taken", each) for each in {*ids, *context.used}),
    ]
    return _rework(artifact, new, gone, facts, _cause(new, gone, demanded, because), context)


def news(known: Evidence, found: Evidence) -> frozenset[str]:
    """Return the entities that evidence speaks of and says something new about.

    Args:
        known: the evidence so far.
        found: what has come.
    """
    edges = [each for each in found.edges if each not in known.edges]
    relations = [each for each in found.relations if each not in known.relations]
    changes = [each for each in found.changes if each not in known.changes]
    return frozenset(
        (
            *(name for each in edges for name in (each.source, each.target)),
            *(name for each in relations for name in (each.dependency, each.dependent)),
            *(entity for entity, _ in changes),
        )
    )


def _with_unlisted(
    plan: document.Plan, changed: Collection[str], context: Context
) -> document.Plan:
    """The plan, and each change that it does not list as an obligation that has landed."""
    lowered = Lowered(plan, context.evidence)
    targets = {record.target_entity for record in plan.records}
    unlisted = sorted({lowered.name(each) for each in changed} - targets, key=natural)
    landed = [
        Record(f"{_UNLISTED}{number}", entity, "modify", "changed", (), "", "ready", "", "complete")
        for number, entity in enumerate(unlisted, 1)
    ]
    return plan._replace(records=(*plan.records, *landed))


def _demanded(plan: document.Plan, context: Context, gone: Collection[str]) -> list[Demand]:
    """What is demanded by obligations that stay, each dependent once."""
    first: dict[str, Demand] = {}
    for row in obliggraph.demands(plan, context.evidence, context.rules):
        if row[0] not in gone:
            breaker = "" if row[0].startswith(_UNLISTED) else row[0]
            first.setdefault(row[1], Demand(breaker, *row[1:]))
    return [first[entity] for entity in sorted(first, key=natural)]


def _mending(plan: document.Plan, demanded: Iterable[Demand], context: Context) -> Iterator[Record]:
    """Yield an obligation for each dependent that something breaks and nothing mends."""
    records = {record.id: record for record in plan.records}
    criterion = (plan.requirement or {}).get("acceptance_criteria", ("",))[0]
    first_proof = " ".join(tests_named(criterion)) or criterion
    first = _next_number({*records, *context.used})
    for number, demand in enumerate(demanded, first):
        cause, source, change, _ = demand.because.args
        relation = camel(cause.name if isinstance(cause, Fact) else str(cause))
        words = change.name.replace("_", " ") if isinstance(change, Fact) else str(change)
        named = [
            node_id(edge.target, context.evidence)
            for edge in context.evidence.edges
            if edge.source == demand.entity and edge.cause == "TestedBy"
        ]
        tests = [each for each in named if each is not None]
        yield Record(
            f"O{number}",
            demand.entity,
            "modify",
            f"impact06: {words} of {cut(str(source), _LONGEST_NAME)} → consumer re-bind",
            (),
            cut(f"06: {source} {relation} {demand.entity}"),
            "blocked",
            min(
                tests,
                key=natural,
                default=records[demand.breaker].validation if demand.breaker else first_proof,
            ),
        )


def _next_number(ids: Iterable[str]) -> int:
    numbers = [int(each[1:]) for each in ids if re.fullmatch(r"O[0-9]{1,9}", each)]
    return max(numbers, default=0) + 1


def _facts_of(record: Record, artifact: Artifact) -> Iterator[Fact]:
    yield fact("target", record.id, record.target_entity)
    for each in record.dependencies:
        yield fact("needs", record.id, each)
    if record.status != "alternative":
        yield from scope.established(artifact["requirement"], as_node(record))


def _pairs(new: Sequence[Record], demanded: Sequence[Demand]) -> Iterator[tuple[Record, Demand]]:
    by_target = {demand.entity: demand for demand in demanded}
    for each in new:
        if each.target_entity in by_target:
            yield each, by_target[each.target_entity]


def _cause(
    new: Sequence[Record], gone: Collection[str], demanded: Sequence[Demand], because: str
) -> str:
    """The obligations that made the plan change, and the words of whoever said so."""
    breakers = list(dict.fromkeys(each.breaker for each in demanded if each.breaker))
    asked = [each.id for each in new if each.target_entity not in {d.entity for d in demanded}]
    ids = breakers or sorted(gone, key=natural) or asked
    named = f"{', '.join(ids)} evidence" if ids else "evidence"
    return f"{named}: {because}" if because else named


def _rework(
    artifact: Artifact,
    new: Sequence[Record],
    gone: frozenset[str],
    facts: Sequence[Fact],
    cause: str,
    context: Context,
) -> Revised | None:
    message = "the revision is refused"
    fix = "the plan stays as it is; give a revision that keeps what is proved and what is complete"
    present = {part["id"] for node in artifact["nodes"] for part in scope.members(node)}
    atoms = context.rules.solve("scope", facts)
    scope.refuse(atoms, "REVISION_REFUSED", message, fix)
    near = frozenset(atoms.ids("neighbour", {*present, *(each.id for each in new)}))
    if not near:
        return None
    inherited: dict[str, list[str]] = {}
    for heir, dependency, _ in atoms.links("inherits", 2, present):
        inherited.setdefault(heir, []).append(dependency)
    left = splice(artifact, gone, inherited=inherited)
    near |= left.touched
    change = scope.Change(left.kept, [*new, *left.loose], near, near, facts)
    try:
        result = scope.apply(artifact, change, context.evidence, context.rules)
    except PlanRefused as error:
        raise scope.refusal("REVISION_REFUSED", message, fix, error.violations) from error
    said = [f"added {', '.join(each.id for each in new)}"] if new else []
    said += [f"removed {', '.join(sorted(gone, key=natural))}"] if gone else []
    if not said:
        moved = _moved(artifact, result.nodes)
        if not moved:
            return None
        said = [f"reordered {', '.join(moved)}"]
    text = f"{' and '.join(said)} via impact feedback"
    row = {
        "event": "revised",
        "change": text,
        "caused_by": cause,
        "removed": sorted(gone, key=natural),
        "pairs": result.pairs,
    }
    units = {node["id"] for node in artifact["nodes"]}
    return Revised(concluded(artifact, result, text, cause, context.time, {*gone, *units}), row)


def _moved(artifact: Artifact, nodes: Sequence[Mapping[str, Any]]) -> list[str]:
    """The nodes that wait for something else than before, or land with something else."""
    old = {node["id"]: node for node in artifact["nodes"]}
    return [
        node["id"]
        for node in nodes
        if node["id"] not in old
        or set(old[node["id"]]["dependencies"]) != set(node["dependencies"])
        or len(scope.members(old[node["id"]])) != len(scope.members(node))
    ]
