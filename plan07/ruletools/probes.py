"""Plans on which rules are tried: small ones that reach every stage, and one that grows."""

from __future__ import annotations

from typing import Any

_CAUSES = ("requirement: body change", "rename", "type widening", "consumer re-bind")


def small() -> dict[str, dict[str, Any]]:
    """Return plans by name: one with everything in order, one that contradicts itself."""
    return {"the probe plan": _ordinary(), "the contradicting probe plan": _contradicting()}


def _ordinary() -> dict[str, Any]:
    records = [
        _record("O1", "pkg.a.Config", cause="type widening"),
        _record("O2", "pkg.a.Config", ("O1",), verb="preserve", cause="old default"),
        _record("O3", "pkg.b.use", ("O1",), cause="consumer re-bind"),
        _record("O4", "pkg.c.name", cause="rename"),
        _record("O5", "pkg.d.caller"),
        _record("O6", "pkg.e.left", ("O7",)),
        _record("O7", "pkg.e.right", ("O6",)),
        _record("O8", "tests/test_b.py", ("O3",), verb="validate"),
        _record("O9", "pkg.b.use", status="alternative", cause="instead of O3"),
        _record("O10", "pkg.f", ("O5",), cause="schema migration"),
    ]
    edges = [
        {"from": "pkg.a.Config", "to": "pkg.b.use", "cause": "CalledBy"},
        {"from": "pkg.c.name", "to": "pkg.d.caller", "cause": "CalledBy"},
        {"from": "pkg.f", "to": "pkg.b.use", "cause": "UsedBy", "resolution": "heuristic"},
    ]
    return {"obligations": records, "evidence": {"edges": edges, "tests": ["tests/test_b.py"]}}


def _contradicting() -> dict[str, Any]:
    records = [
        _record("O1", "pkg.a", ("O2",), cause="deleted"),
        _record("O2", "pkg.b", ("O1",)),
        _record("O3", "pkg.c", ("O2",), cause="type widening"),
        _record("O4", "pkg.d"),
    ]
    edges = [
        {"from": "pkg.a", "to": "pkg.b", "cause": "CalledBy"},
        {"from": "pkg.c", "to": "pkg.d", "cause": "CalledBy"},
    ]
    records[3]["dependencies"] = []
    records[2]["dependencies"] = ["O2", "O4"]
    return {"obligations": records, "evidence": {"edges": edges}}


def large(number: int) -> dict[str, Any]:
    """Return a plan of so many obligations, in chains of ten with an impact edge for each."""
    records = []
    edges = []
    for index in range(1, number + 1):
        chained = (f"O{index - 1}",) if index % 10 != 1 else ()
        record = _record(
            f"O{index}", f"pkg.m{index // 10}.f{index}", chained, cause=_CAUSES[index % 4]
        )
        if index % 10 == 0:
            record["obligation"] = "validate"
        records.append(record)
        if index % 10 not in (0, 9):
            other = f"pkg.m{(index + 1) // 10}.f{index + 1}"
            edges.append({"from": record["target_entity"], "to": other, "cause": "CalledBy"})
    return {"obligations": records, "evidence": {"edges": edges}}


def _record(
    identifier: str,
    target: str,
    dependencies: tuple[str, ...] = (),
    *,
    verb: str = "modify",
    cause: str = "requirement: body change",
    status: str = "ready",
) -> dict[str, Any]:
    return {
        "id": identifier,
        "target_entity": target,
        "obligation": verb,
        "caused_by": cause,
        "dependencies": list(dependencies),
        "evidence": "",
        "status": status,
        "validation": "tests/test_b.py",
    }
