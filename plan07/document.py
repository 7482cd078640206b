"""Turns a plan document into records: a decomposition, or a persisted artifact.

A composite node of an artifact is taken apart into its members again, so that the rules derive it
anew instead of believing it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from plan07 import shapes
from plan07.errors import InputError
from plan07.jsontext import check_texts

# Ids stand in files, prompts and terms; the charset is refused, never repaired.
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*\Z")
COMPOSITE = "cycle:"
FIELDS = (
    *("id", "target_entity", "obligation", "caused_by"),
    *("dependencies", "evidence", "status", "validation"),
)


class Record(NamedTuple):
    """One obligation: the eight fields of the build spec, and what a node adds.

    Args:
        state: pending, complete or failed.
        derived: the dependencies that an earlier solve derived, not among `dependencies`.
    """

    id: str
    target_entity: str
    obligation: str
    caused_by: str
    dependencies: tuple[str, ...]
    evidence: str
    status: str
    validation: str
    state: str = "pending"
    derived: tuple[str, ...] = ()


class Plan(NamedTuple):
    """A plan document, read.

    Args:
        records: the obligations in the natural order of their ids.
        requirement: goal, acceptance criteria and constraints, where the document has them.
        evidence: the inline evidence in its wire form, where the document has it.
        declared_empty: the document says that its decomposition came to nothing.
        branch_scores: what an artifact keeps of alternatives.
    """

    records: tuple[Record, ...]
    requirement: dict[str, Any] | None
    evidence: dict[str, Any] | None
    declared_empty: bool
    branch_scores: Mapping[str, float] = {}


def read(value: Any, name: str) -> Plan:
    """Return the plan in a document.

    Args:
        value: what `json.loads` returns.
        name: how messages call the document.

    Raises:
        InputError: it is neither a decomposition nor an artifact, with every fault and its place.
    """
    if not isinstance(value, dict) or ("obligations" in value) == ("nodes" in value):
        raise InputError(
            "PLAN_INVALID",
            f"{name}: a plan holds either obligations (a decomposition) or nodes (an artifact)",
            'give {"obligations": [...]} or a plan artifact',
            phase="read",
            detail={"source": name},
        )
    persisted = "nodes" in value
    shape = "artifact" if persisted else "decomposition"
    shapes.check(shape, value, name, "PLAN_INVALID", "read")
    nodes = value["nodes"] if persisted else value["obligations"]
    records = tuple(_expand(nodes)) if persisted else tuple(_record(node) for node in nodes)
    return Plan(
        tuple(sorted(records, key=lambda record: natural(record.id))),
        value.get("requirement"),
        value.get("evidence"),
        bool(value.get("re_decompose")),
        value.get("branch_scores", {}),
    )


def read_foreign(value: Any, name: str) -> Plan:
    """Return the plan in a document that did not come out of the strict JSON reader.

    Raises:
        InputError: as `read`, and for what no JSON file can hold.
    """
    check_foreign(value, name)
    return read(value, name)


def check_foreign(value: Any, name: str) -> None:
    """Refuse a document that no JSON file can hold.

    Raises:
        InputError: it holds something else than JSON values, or a text with a NUL or half a
            surrogate pair.
    """
    try:
        text = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(
            "PLAN_INVALID",
            f"{name} is not a JSON document: {str(error)[:200]}",
            "give dictionaries, lists, texts and numbers",
            phase="read",
            detail={"source": name},
        ) from None
    check_texts(value, text, name)


def natural(identifier: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """Return the key of the natural order of ids: O2 before O10, ties by the text.

    >>> sorted(["O10", "O9", "O2"], key=natural)
    ['O2', 'O9', 'O10']
    """
    runs = re.findall(r"[0-9]+|[^0-9]+", identifier)
    return tuple(
        (0, _number(run), "") if "0" <= run[0] <= "9" else (1, 0, run) for run in runs
    ), identifier


def _number(digits: str) -> int:
    # Python refuses to read thousands of digits; ids that long are refused, but sorted before.
    return int(digits[:1000])


def fresh(node: Mapping[str, Any]) -> Record:
    """Return an obligation in its wire form as a record that is pending."""
    return Record(
        node["id"],
        node["target_entity"],
        node["obligation"],
        node["caused_by"],
        tuple(node["dependencies"]),
        node["evidence"],
        node["status"],
        node["validation"],
    )


def _record(node: dict[str, Any]) -> Record:
    derived = tuple(dict.fromkeys(node.get("derived", ())))
    own = [each for each in node["dependencies"] if each not in derived]
    return fresh(node)._replace(
        dependencies=tuple(own), state=node.get("state", "pending"), derived=derived
    )


def _expand(nodes: list[dict[str, Any]]) -> Iterable[Record]:
    """Take composites apart; their members stand in a ring of derived dependencies.

    The evidence that made them land together need not be there any more, and the ring makes the
    rules find the composite again. Whoever waits for it waits for its lowest member.
    """
    rings: dict[str, list[str]] = {}
    for node in nodes:
        if "members" in node:
            members = [member["id"] for member in node["members"]]
            rings[node["id"]] = sorted(dict.fromkeys(members), key=natural)

    def outside(ids: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(rings[each][0] if each in rings else each for each in ids))

    for node in nodes:
        ring = rings.get(node["id"], []) if "members" in node else []
        for part in node.get("members", [node]):
            record = _record(part)
            extra: list[str] = []
            if ring:
                place = ring.index(record.id)
                extra = [ring[place - 1]] if len(ring) > 1 else []
                extra += node.get("derived", ()) if place == 0 else ()
            yield record._replace(
                dependencies=outside(record.dependencies),
                derived=outside((*record.derived, *extra)),
            )


def compact(value: Any) -> str:
    """Return a value as the artifact writes it: compact JSON, unescaped."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def as_node(record: Record, resolved: Sequence[str] | None = None) -> dict[str, Any]:
    """Return a record in the wire form of an artifact's node.

    Args:
        record: the obligation.
        resolved: its dependencies in the order to write them; declared before derived without it.
    """
    node: dict[str, Any] = {name: getattr(record, name) for name in FIELDS}
    node["dependencies"] = list(
        (*record.dependencies, *record.derived) if resolved is None else resolved
    )
    node["state"] = record.state
    if record.derived:
        node["derived"] = list(record.derived)
    return node
