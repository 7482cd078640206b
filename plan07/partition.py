"""How a plan stands: the one partition that every command answers from.

Runs the stage `readiness` of the rules on an artifact as it is. Its nodes are the units and their
dependencies the precedences, so neither obligations nor evidence are looked at again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from plan07 import lexis
from plan07.document import COMPOSITE, natural
from plan07.facts import Atoms, Fact, constant, fact, unusable
from plan07.rulebook import Rulebook

PARTS = ("ready", "blocked", "alternative", "complete", "failed")


class Standing(NamedTuple):
    """How a plan stands.

    Args:
        parts: ready, blocked, alternative, complete and failed nodes, each in natural order.
        stranded: node to the nodes that it waits for and that failed or are stranded.
        verdict: running, complete, awaiting_confirmation, stalled, abandoned or needs_rescope.
        exposed: the one node that is actionable, None where there is none.
        permitted: node that is ready, or failed and may be mended, to the actions and bounds of a
            step on it.
    """

    parts: Mapping[str, tuple[str, ...]]
    stranded: Mapping[str, tuple[str, ...]]
    verdict: str
    exposed: str | None
    permitted: Mapping[str, Mapping[str, Any]]

    def part_of(self, node: str) -> str:
        """Return the part that a node is in."""
        return next(name for name in PARTS if node in self.parts[name])


def stand(artifact: Mapping[str, Any], rules: Rulebook, abandoned: bool = False) -> Standing:
    """Return how a plan stands.

    Args:
        artifact: the plan in its wire form.
        rules: the composed rules.
        abandoned: the plan was given up.

    Raises:
        RulesError: the rules are broken.
    """
    nodes = artifact["nodes"]
    order = {node["id"]: place for place, node in enumerate(sorted(nodes, key=_place))}
    facts = _facts(artifact, order, abandoned, bool(rules.overlaid))
    atoms = rules.solve("readiness", facts)
    parts = {name: tuple(sorted(atoms.ids(name, order), key=order.__getitem__)) for name in PARTS}
    if sorted(each for part in parts.values() for each in part) != sorted(order):
        raise unusable("a partition in which a node is not exactly once")
    preference = atoms.numbers("preference", order)
    exposed = min(
        parts["ready"], key=lambda each: (preference.get(each, 0), order[each]), default=None
    )
    stranded: dict[str, list[str]] = {}
    for unit, by, _ in atoms.links("stranded", 2, order):
        stranded.setdefault(unit, []).append(by)
    verdict = _verdict(atoms)
    return Standing(
        parts,
        {
            unit: tuple(sorted(stranded[unit], key=order.__getitem__))
            for unit in sorted(stranded, key=order.__getitem__)
        },
        verdict,
        None if verdict == "abandoned" else exposed,
        _permitted(atoms, (*parts["ready"], *parts["failed"])),
    )


def restated(artifact: dict[str, Any], standing: Standing) -> dict[str, Any]:
    """Return an artifact whose nodes say where they stand; only those that moved differ."""
    blocked = set(standing.parts["blocked"])
    alternative = {node["id"] for node in artifact["nodes"] if node["status"] == "alternative"}

    def status(node: Mapping[str, Any]) -> str:
        if node["id"] in alternative:
            return "alternative"
        return "blocked" if node["id"] in blocked else "ready"

    return {**artifact, "nodes": [_with_status(node, status(node)) for node in artifact["nodes"]]}


def _with_status(node: dict[str, Any], status: str) -> dict[str, Any]:
    if node["status"] == status:
        return node
    changed = {**node, "status": status}
    if "members" in node:
        changed["members"] = [{**member, "status": status} for member in node["members"]]
    return changed


def _place(node: Mapping[str, Any]) -> Any:
    """A composite stands where its lowest member would."""
    return natural(node["id"].removeprefix(COMPOSITE))


def _facts(
    artifact: Mapping[str, Any], order: Mapping[str, int], abandoned: bool, whole: bool
) -> Iterator[Fact]:
    """Yield the facts of a plan; what only rules of a user's can ask for comes with `whole`."""
    requirement = artifact.get("requirement")
    if requirement and requirement.get("needs_confirmation"):
        yield fact("unconfirmed")
    if abandoned:
        yield fact("abandoned")
    yield fact("revisions", len(artifact["revision_history"]))
    ordinals = _ordinals(artifact) if whole else {}
    for node in artifact["nodes"]:
        unit = node["id"]
        yield fact("unit", unit)
        for dependency in node["dependencies"]:
            if dependency in order:
                yield fact("before", dependency, unit)
        for record in node.get("members", (node,)):
            yield from _record(record, unit)
            if whole:
                yield fact("obligation", record["id"])
                yield fact("ordinal", record["id"], ordinals[record["id"]])
                yield fact("target", record["id"], record["target_entity"])
                if record["validation"].strip():
                    yield fact("validation", record["id"], record["validation"].strip())
                for place in lexis.places(record["target_entity"]):
                    yield fact("lies_in", record["id"], place)


def _ordinals(artifact: Mapping[str, Any]) -> dict[str, int]:
    records = [part for node in artifact["nodes"] for part in node.get("members", (node,))]
    places = sorted((each["id"] for each in records), key=natural)
    return {each: number for number, each in enumerate(places, 1)}


def _record(record: Mapping[str, Any], unit: str) -> Iterator[Fact]:
    name = record["id"]
    yield fact("member", unit, name)
    yield fact("verb", name, constant(record["obligation"]))
    if record["status"] == "alternative":
        yield fact("status", name, constant("alternative"))
    if record["state"] != "pending":
        yield fact("state", name, constant(record["state"]))


def _verdict(atoms: Atoms) -> str:
    found: Sequence[Any] = atoms.rows("verdict", 1)
    if len(found) != 1 or not isinstance(found[0][0], Fact):
        raise unusable("not exactly one verdict")
    return found[0][0].name


def _permitted(atoms: Atoms, open_steps: Sequence[str]) -> dict[str, dict[str, Any]]:
    allowed: dict[str, set[str]] = {}
    for unit, action in atoms.rows("permitted", 2):
        if isinstance(unit, str) and isinstance(action, Fact):
            allowed.setdefault(unit, set()).add(action.name)
    found: dict[str, dict[str, Any]] = {
        unit: {
            **{action: action in allowed[unit] for action in ("read", "edit", "test")},
            "bounds": {"max_edit_files": 0, "max_test_calls": 0},
        }
        for unit in open_steps
        if unit in allowed
    }
    for unit, field, number in atoms.rows("bound", 3):
        if isinstance(unit, str) and unit in found and isinstance(field, Fact):
            found[unit]["bounds"][f"max_{field.name}"] = number
    return found
