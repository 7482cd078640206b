"""What a failure or a revision touches, and how the touched part is put back (build spec 3.5, 3.6).

Which nodes are affected, which pairs are looked at again and what is refused stands in `scope.lp`.
This module takes the plan apart along those lines, has the touched part ordered anew, and checks
that everything else came out as it went in.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from plan07 import document, lexis, messages, obliggraph, planner
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
        touched: ids of obligations that may come out different.
        facts: what the stage `scope` was told of the change.
    """

    kept: Sequence[Node]
    records: Sequence[Record]
    near: frozenset[str]
    touched: frozenset[str]
    facts: Sequence[Fact]


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
    for criterion in (requirement or {}).get("acceptance_criteria", ()):
        if lexis.establishes(criterion, part["validation"], part["caused_by"]):
            yield fact("establishes", part["id"], criterion)


def links(evidence: Evidence, name: Callable[[str], str] = str) -> Iterator[Fact]:
    """Yield which entities the evidence links.

    Args:
        evidence: merged from every origin.
        name: gives the plan's own name for an entity.
    """
    for edge in evidence.edges:
        yield fact("linked", name(edge.source), name(edge.target))
    for relation in evidence.relations:
        yield fact("linked", name(relation.dependency), name(relation.dependent))


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
    precedes = list(_known_or_near(graph.precedes, change.near))
    atomic = list(_known_or_near(graph.atomic, change.near))
    needs = [(after, before) for before, after, _ in precedes]
    needs += [pair for a, b, _ in atomic for pair in ((a, b), (b, a))]
    judged = rules.solve("scope", [*change.facts, *(fact("needs", *pair) for pair in needs)])
    refuse(judged, "CHANGE_REFUSED", "the change is refused", "leave the plan as it is")
    settled = set(judged.ids("settled", {part["id"] for part in _parts(artifact)}))
    precedes = [row for row in precedes if row[1] not in settled or _is_known(row[2])]
    found = planner.schedule(graph._replace(precedes=precedes, atomic=atomic), rules)
    nodes = _unmoved(artifact, found["nodes"], change.touched)
    near = len(change.near.intersection(record.id for record in records))
    return Result(
        nodes, found["branch_scores"], near * (near - 1) // 2 + near * (len(records) - near)
    )


def _parts(artifact: Mapping[str, Any]) -> Iterator[Node]:
    for node in artifact["nodes"]:
        yield from members(node)


def _is_known(because: Any) -> bool:
    """Whether the plan holds a precedence already."""
    return isinstance(because, Fact) and because.name in ("declared", "derived")


def _known_or_near(rows: Iterable[Any], near: Collection[str]) -> Iterator[Any]:
    for before, after, because in rows:
        if _is_known(because) or before in near or after in near:
            yield before, after, because


def _unmoved(
    artifact: Mapping[str, Any], nodes: Sequence[dict[str, Any]], touched: Collection[str]
) -> list[dict[str, Any]]:
    """The new nodes, those that were not touched as they were.

    One whose dependency became part of a composite, or is one no longer, waits for it by its new
    name; it still waits for the same obligations.
    """
    old = {node["id"]: node for node in artifact["nodes"]}
    unit_of = {part["id"]: node["id"] for node in nodes for part in members(node)}
    units = {
        unit: list(dict.fromkeys(unit_of[x["id"]] for x in members(node) if x["id"] in unit_of))
        for unit, node in old.items()
    }
    kept, moved = [], []
    for node in nodes:
        if all(part["id"] in touched for part in members(node)):
            kept.append(node)
            continue
        before = _renamed(old[node["id"]], units) if node["id"] in old else None
        if before is not None and _same(before, node):
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


def _renamed(node: dict[str, Any], units: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """A node that names its dependencies as the plan does now; itself where nothing differs."""
    changed = dict(node)
    for name in ("dependencies", "derived"):
        if name in node:
            changed[name] = list(
                dict.fromkeys(x for each in node[name] for x in units.get(each, (each,)))
            )
    if "members" in node:
        changed["members"] = [_renamed(part, units) for part in node["members"]]
    return node if changed == node else changed


def _same(before: Node, after: Node) -> bool:
    """Whether two forms of a node say the same; where it stands may differ.

    A dependency that a longer path has come to say may be left out of the new form.
    """
    names = (before.keys() | after.keys()) - {"status", "dependencies", "derived", "members"}
    return (
        all(before.get(name) == after.get(name) for name in names)
        and set(after["dependencies"]) <= set(before["dependencies"])
        and [part["id"] for part in members(before)] == [part["id"] for part in members(after)]
    )


def _restated(before: Node, after: Node) -> dict[str, Any]:
    changed = {**before, "status": after["status"]}
    if "members" in before:
        changed["members"] = [{**part, "status": after["status"]} for part in before["members"]]
    return changed
