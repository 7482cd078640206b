"""What a failure or a revision touches, and how the touched part is put back (build spec 3.5, 3.6).

Which nodes are affected, which pairs are looked at again and what is refused stands in `scope.lp`.
This module takes the plan apart along those lines, has the touched part ordered anew, and checks
that everything else came out as it went in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from plan07 import document, messages, obliggraph, planner
from plan07.document import COMPOSITE, Record, natural
from plan07.errors import Finding, PlanRefused
from plan07.evidence import Evidence
from plan07.facts import Atoms, Fact, constant, fact
from plan07.lowering import per_mille
from plan07.rulebook import Rulebook

Node = Mapping[str, Any]


class Change(NamedTuple):
    """A change of a plan, before it is looked at.

    Args:
        kept: nodes that stay, in their wire form, their dependencies already spliced.
        records: obligations that come in.
        near: ids of obligations whose precedences are found anew.
        touched: ids of nodes that may come out different.
    """

    kept: Sequence[Node]
    records: Sequence[Record]
    near: frozenset[str]
    touched: frozenset[str]


class Result(NamedTuple):
    """A plan after a change.

    Args:
        nodes: all nodes; those that were not touched are the same objects as before.
        branch_scores: of the alternatives.
        pairs: how many pairs of obligations were looked at again.
    """

    nodes: list[dict[str, Any]]
    branch_scores: dict[str, float]
    pairs: int


def affected(artifact: Mapping[str, Any], failed: str, rules: Rulebook) -> list[str]:
    """Return the failed node and its true dependents, the failed one first.

    Args:
        artifact: the plan.
        failed: the node's id.
        rules: the composed rules.
    """
    atoms = rules.solve("scope", [*plan_facts(artifact), fact("fails", failed)])
    found = atoms.ids("affected", {node["id"] for node in artifact["nodes"]})
    return sorted(found, key=lambda each: (each != failed, place(each)))


def place(node: str) -> Any:
    """Return the key of the natural order of nodes; a composite is where its lowest member is."""
    return natural(node.removeprefix(COMPOSITE))


def members(node: Node) -> Sequence[Node]:
    """Return the obligations of a node: itself, or the members of a composite."""
    found: Sequence[Node] = node.get("members", (node,))
    return found


def plan_facts(artifact: Mapping[str, Any]) -> Iterator[Fact]:
    """Yield a plan as the stage `scope` reads it."""
    ids = {node["id"] for node in artifact["nodes"]}
    for number, node in enumerate(sorted(artifact["nodes"], key=lambda each: place(each["id"])), 1):
        unit = node["id"]
        for dependency in node["dependencies"]:
            if dependency in ids:
                yield fact("edge", dependency, unit)
        for part in members(node):
            name = part["id"]
            yield fact("member", unit, name)
            yield fact("obligation", name)
            yield fact("ordinal", name, number)
            yield fact("target", name, part["target_entity"])
            yield fact("verb", name, constant(part["obligation"]))
            if part["caused_by"].strip():
                yield fact("caused", name)
            if part["validation"].strip():
                yield fact("validation", name, part["validation"].strip())
            if part["status"] == "alternative":
                yield fact("status", name, constant("alternative"))
            else:
                yield from established(artifact["requirement"], part)
            if part["state"] != "pending":
                yield fact("state", name, constant(part["state"]))
    for name, score in artifact.get("branch_scores", {}).items():
        yield fact("kept_score", name, per_mille(score))


def established(requirement: Mapping[str, Any] | None, part: Node) -> Iterator[Fact]:
    """Yield which acceptance criteria an obligation establishes, by its own words.

    Args:
        requirement: of the plan.
        part: the obligation.
    """
    proof, cause = part["validation"].strip(), part["caused_by"]
    for criterion in (requirement or {}).get("acceptance_criteria", ()):
        if criterion in cause or (proof and (proof in criterion or criterion in proof)):
            yield fact("establishes", part["id"], criterion)


def links(evidence: Evidence) -> Iterator[Fact]:
    """Yield which entities the evidence links."""
    for edge in evidence.edges:
        yield fact("linked", edge.source, edge.target)
    for relation in evidence.relations:
        yield fact("linked", relation.dependency, relation.dependent)


def refuse(atoms: Atoms, code: str, message: str, fix: str) -> None:
    """Refuse a change that the rules refuse.

    Args:
        atoms: the answer of the stage `scope`.
        code: of the error.
        message: one sentence, which the first violation completes.
        fix: what to do.

    Raises:
        PlanRefused: with every violation.
    """
    found = messages.findings(atoms.rows("violation", 2), {}, {})
    if found:
        raise refusal(code, message, fix, found)


def refusal(code: str, message: str, fix: str, found: Sequence[Finding]) -> PlanRefused:
    """Return the error of a change that was refused.

    Args:
        code: of the error.
        message: one sentence, which the first violation completes.
        fix: what to do.
        found: every violation.
    """
    return PlanRefused(
        code,
        f"{message}: {found[0].message}",
        fix,
        phase="revise",
        detail={"violations": [each.code for each in found]},
        violations=tuple(found),
    )


def apply(
    artifact: Mapping[str, Any], change: Change, evidence: Evidence, rules: Rulebook
) -> Result:
    """Return a plan after a change.

    Pairs of obligations of which neither is near keep the precedences that the plan has.

    Args:
        artifact: the plan as it is.
        change: what comes, stays, and may move.
        evidence: merged from every origin.
        rules: the composed rules.

    Raises:
        PlanRefused: the plan that would come out is refused, or something moved that was not
            touched.
        RulesError: the rules are broken.
    """
    body = {
        "nodes": list(change.kept),
        "requirement": artifact["requirement"],
        "branch_scores": artifact["branch_scores"],
    }
    read = document.read(body, "the plan")
    records = sorted([*read.records, *change.records], key=lambda each: natural(each.id))
    graph = obliggraph.build(read._replace(records=tuple(records)), evidence, rules)
    found = planner.schedule(
        graph._replace(
            precedes=list(_known_or_near(graph.precedes, change.near)),
            atomic=list(_known_or_near(graph.atomic, change.near)),
        ),
        rules,
    )
    nodes = _unmoved(artifact, found["nodes"], change.touched)
    others = len(records) - len(change.near)
    near = len(change.near)
    return Result(nodes, found["branch_scores"], near * (near - 1) // 2 + near * others)


def _known_or_near(rows: Iterable[Any], near: Collection[str]) -> Iterator[Any]:
    for before, after, because in rows:
        kept = isinstance(because, Fact) and because.name in ("declared", "derived")
        if kept or before in near or after in near:
            yield before, after, because


def _unmoved(
    artifact: Mapping[str, Any], nodes: Sequence[dict[str, Any]], touched: Collection[str]
) -> list[dict[str, Any]]:
    """The new nodes, those that were not touched as they were."""
    old = {node["id"]: node for node in artifact["nodes"]}
    moved = []
    kept = []
    for node in nodes:
        before = old.get(node["id"])
        if node["id"] in touched or before is None:
            if before is None and node["id"] not in touched and not _of(node, touched):
                moved.append(node["id"])
            kept.append(node)
        elif _same(before, node):
            kept.append(before if before["status"] == node["status"] else _restated(before, node))
        else:
            moved.append(node["id"])
    if moved:
        raise refusal(
            "SCOPE_LEFT",
            "the change would reach beyond its scope",
            "give the change as a plan of its own, or revise the nodes that it names first",
            [
                Finding(
                    "MOVES_UNTOUCHED",
                    each,
                    f"{messages.quoted(each)} would wait for something else, or land with it",
                    "leave it as it is",
                    {"node": each},
                )
                for each in moved
            ],
        )
    return kept


def _of(node: Node, touched: Collection[str]) -> bool:
    """Whether a new composite is made of what was touched."""
    return any(part["id"] in touched for part in members(node))


def _same(before: Node, after: Node) -> bool:
    """Whether two forms of a node say the same; where it stands may differ."""
    names = (before.keys() | after.keys()) - {"status", "dependencies", "derived", "members"}
    return (
        all(before.get(name) == after.get(name) for name in names)
        and set(before["dependencies"]) == set(after["dependencies"])
        and [part["id"] for part in members(before)] == [part["id"] for part in members(after)]
    )


def _restated(before: Node, after: Node) -> dict[str, Any]:
    changed = {**before, "status": after["status"]}
    if "members" in before:
        changed["members"] = [{**part, "status": after["status"]} for part in before["members"]]
    return changed
