"""The revision trigger: evidence that contradicts the plan adds and removes obligations.

Only the neighbourhood of what comes or goes is ordered anew; what that is, and what is refused,
stands in `scope.lp` (build spec 3.6).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plan07 import document, obliggraph, scope
from plan07.artifact import Artifact
from plan07.document import COMPOSITE, Record, as_node, fresh, natural
from plan07.errors import PlanRefused
from plan07.facts import Fact, fact
from plan07.messages import camel
from plan07.revision import Context, Revised, concluded, cut, unknown


def feedback(
    artifact: Artifact,
    context: Context,
    *,
    falsified: Sequence[str] = (),
    additions: Sequence[Mapping[str, Any]] = (),
    because: str = "",
) -> Revised | None:
    """Return a plan that agrees with the evidence, None where it does already.

    What the evidence demands and no obligation mends is added; what is said to be falsified is
    removed, and its dependents inherit what it waited for.

    Args:
        artifact: the plan.
        context: rules, merged evidence, time.
        falsified: ids of obligations that the evidence has falsified.
        additions: obligations to add, in their wire form.
        because: the evidence, one line.

    Raises:
        PlanRefused: REVISION_REFUSED with every reason, or REVISION_CAP.
        InputError: an id is not in the plan.
    """
    ids = {part["id"] for node in artifact["nodes"] for part in scope.members(node)}
    for each in falsified:
        if each not in ids:
            raise unknown(each, ids)
    plan = document.read(_body(artifact), "the plan")
    demanded = _demanded(plan, context)
    new = [*(fresh(each) for each in additions), *_mending(plan, demanded, context)]
    if not new and not falsified:
        return None
    return _rework(artifact, new, frozenset(falsified), demanded, because, context)


def _demanded(plan: document.Plan, context: Context) -> list[tuple[str, str, Fact]]:
    rows = obliggraph.demands(plan, context.evidence, context.rules)
    first: dict[str, tuple[str, str, Fact]] = {}
    for row in rows:
        first.setdefault(row[1], row)
    return [first[entity] for entity in sorted(first, key=natural)]


def _mending(
    plan: document.Plan, demanded: Iterable[tuple[str, str, Fact]], context: Context
) -> list[Record]:
    """An obligation for each dependent that something breaks and nothing mends."""
    records = {record.id: record for record in plan.records}
    number = _next_number({*records, *context.used})
    found = []
    for breaker, entity, because in demanded:
        cause, source, change, _ = because.args
        relation = camel(cause.name if isinstance(cause, Fact) else str(cause))
        words = change.name.replace("_", " ") if isinstance(change, Fact) else str(change)
        tests = sorted(
            (
                edge.target
                for edge in context.evidence.edges
                if edge.source == entity and edge.cause == "TestedBy"
            ),
            key=natural,
        )
        found.append(
            Record(
                f"O{number}",
                entity,
                "modify",
                cut(f"impact06: {words} of {source} → consumer re-bind"),
                (),
                cut(f"06: {source} {relation} {entity}"),
                "blocked",
                tests[0] if tests else records[breaker].validation,
            )
        )
        number += 1
    return found


def _next_number(ids: Iterable[str]) -> int:
    numbers = [int(each[1:]) for each in ids if re.fullmatch(r"O[0-9]{1,9}", each)]
    return max(numbers, default=0) + 1


def _rework(
    artifact: Artifact,
    new: Sequence[Record],
    falsified: frozenset[str],
    demanded: Sequence[tuple[str, str, Fact]],
    because: str,
    context: Context,
) -> Revised:
    message = "the revision is refused"
    fix = "the plan stays as it is; give a revision that keeps what is proved and what is complete"
    present = {part["id"] for node in artifact["nodes"] for part in scope.members(node)}
    facts = [
        *scope.plan_facts(artifact),
        *scope.links(context.evidence),
        *(fact("adds", each.id) for each in new),
        *(fact("removes", each) for each in falsified),
        *(fact("target", each.id, each.target_entity) for each in new),
        *(
            each
            for record in new
            for each in scope.established(artifact["requirement"], as_node(record))
        ),
        *(fact("needs", each.id, other) for each in new for other in each.dependencies),
        *(fact("needs", by, each.id) for each, (by, _, _) in _pairs(new, demanded)),
        *(fact("taken", each) for each in {*present, *context.used}),
    ]
    atoms = context.rules.solve("scope", facts)
    scope.refuse(atoms, "REVISION_REFUSED", message, fix)
    near = set(atoms.ids("neighbour", {*present, *(each.id for each in new)}))
    inherited: dict[str, list[str]] = {}
    for heir, dependency, _ in atoms.links("inherits", 2, present):
        inherited.setdefault(heir, []).append(dependency)
    kept, loose, touched = _spliced(artifact, falsified, inherited, near)
    change = scope.Change(kept, [*new, *loose], frozenset(near), frozenset(touched | near))
    try:
        result = scope.apply(artifact, change, context.evidence, context.rules)
    except PlanRefused as error:
        raise scope.refusal("REVISION_REFUSED", message, fix, error.violations) from error
    said = [f"added {', '.join(each.id for each in new)}"] if new else []
    said += [f"removed {', '.join(sorted(falsified, key=natural))}"] if falsified else []
    text = f"{' and '.join(said)} via impact feedback"
    cause = because or "; ".join(f"{by} evidence" for by, _, _ in demanded[:3]) or "revision"
    row = {
        "event": "revised",
        "change": text,
        "caused_by": cause,
        "removed": sorted(falsified, key=natural),
        "pairs": result.pairs,
    }
    return Revised(concluded(artifact, result, text, cause, context.time, falsified), row)


def _pairs(new: Sequence[Record], demanded: Sequence[tuple[str, str, Fact]]) -> Iterable[Any]:
    by_target = {row[1]: row for row in demanded}
    return (
        (each, by_target[each.target_entity]) for each in new if each.target_entity in by_target
    )


def _spliced(
    artifact: Artifact,
    falsified: frozenset[str],
    inherited: Mapping[str, Sequence[str]],
    near: set[str],
) -> tuple[list[Any], list[Record], set[str]]:
    """The nodes that stay, obligations of composites that fall apart, and what may change."""
    unit_of = {part["id"]: node["id"] for node in artifact["nodes"] for part in scope.members(node)}
    kept: list[Any] = []
    loose: list[Record] = []
    touched: set[str] = set()
    broken = {unit_of[each] for each in falsified}
    for node in artifact["nodes"]:
        parts = scope.members(node)
        if node["id"] in broken:
            rest = [part for part in parts if part["id"] not in falsified]
            near |= {part["id"] for part in rest}
            touched |= {part["id"] for part in rest} | {node["id"]}
            loose += [_freed(part, node, unit_of, falsified) for part in rest]
            continue
        heirs = [each for part in parts for each in inherited.get(part["id"], ())]
        if any(part["id"] in near for part in parts):
            touched.add(node["id"])
        if not broken.intersection(node["dependencies"]):
            kept.append(node)
            continue
        gone = {each for each in node["dependencies"] if each in broken and each in falsified}
        more = [unit_of[each] for each in heirs if unit_of[each] not in broken]
        touched.add(node["id"])
        rest = [each for each in node["dependencies"] if each not in broken]
        still = [
            part
            for each in node["dependencies"]
            if each in broken and each not in gone
            for part in _first_left(artifact, each, falsified)
        ]
        kept.append({**node, "dependencies": list(dict.fromkeys([*rest, *still, *more]))})
    return kept, loose, touched


def _first_left(artifact: Artifact, unit: str, falsified: frozenset[str]) -> list[str]:
    """Whoever waited for a composite waits for the lowest member that is left of it."""
    node = next(node for node in artifact["nodes"] if node["id"] == unit)
    left = [part["id"] for part in scope.members(node) if part["id"] not in falsified]
    return [min(left, key=natural)] if left else []


def _freed(
    part: Mapping[str, Any],
    node: Mapping[str, Any],
    unit_of: Mapping[str, str],
    gone: frozenset[str],
) -> Record:
    own = [each.removeprefix(COMPOSITE) for each in part["dependencies"]]
    outside = [each.removeprefix(COMPOSITE) for each in node["dependencies"]]
    needs = [
        each for each in dict.fromkeys([*own, *outside]) if each in unit_of and each not in gone
    ]
    return fresh(part)._replace(dependencies=tuple(needs), state=part["state"])


def _body(artifact: Artifact) -> dict[str, Any]:
    return {name: artifact[name] for name in ("nodes", "requirement", "branch_scores")}
