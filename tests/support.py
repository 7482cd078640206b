"""What several test modules need: plans in a few words, and one rule file alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import clingo

from plan07 import document, rulefiles, solver
from plan07.errors import PlanRefused

RULES = Path(rulefiles.shipped_directory())
EXAMPLES = Path(__file__).parent / "examples"

# The caps of the build spec, and those that follow from the artifact's 32 KB.
LIMITS = {
    "max_obligations": 64,
    "max_dependencies": 16,
    "max_evidence": 200,
    "max_id": 64,
    "max_target_entity": 200,
    "max_caused_by": 200,
    "max_validation": 200,
    "max_goal": 500,
    "max_criterion": 200,
    "max_criteria": 16,
    "max_constraint": 200,
    "max_constraints": 16,
    "max_static_bytes": 32 * 1024 - 9216,
    "max_checkpoints": 32,
    "max_edit_files": 5,
    "max_test_calls": 10,
    "max_revisions": 32,
    "max_hops": 3,
    "max_dependents": 64,
    "min_confidence": 50,
    "max_impact_edges": 20000,
}


def atoms(
    files: str | Sequence[str], facts: str, constants: dict[str, int] | None = None
) -> set[str]:
    """Return every atom of the one answer set of some rule files and facts, as text.

    Args:
        files: names of rule files, usually one.
        facts: ASP text.
        constants: limits, for files that use them.
    """
    names = [files] if isinstance(files, str) else list(files)
    options = [f"-c{name}={value}" for name, value in (constants or {}).items()]
    control = clingo.Control(["0", *options], logger=lambda code, text: None)
    for name in names:
        control.load(str(RULES / name))
    control.add("base", [], facts)
    control.ground([("base", [])])
    answers: list[set[str]] = []
    with control.solve(yield_=True) as handle:
        for model in handle:
            answers.append({str(symbol) for symbol in model.symbols(atoms=True)})
    assert len(answers) == 1, f"{len(answers)} answer sets"
    return answers[0]


def only(found: set[str], *predicates: str) -> set[str]:
    """Return the atoms of some predicates."""
    return {atom for atom in found if atom.partition("(")[0] in predicates}


def obligation(
    identifier: str,
    target: str | None = None,
    dependencies: Sequence[str] = (),
    *,
    verb: str = "modify",
    cause: str = "requirement: body change",
    evidence: str = "",
    status: str = "ready",
    validation: str = "",
) -> dict[str, Any]:
    """Return a record of eight fields; without a word about it, it changes a body."""
    return {
        "id": identifier,
        "target_entity": f"pkg.{identifier}" if target is None else target,
        "obligation": verb,
        "caused_by": cause,
        "dependencies": list(dependencies),
        "evidence": evidence,
        "status": status,
        "validation": validation,
    }


def plan(*obligations: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a decomposition; `evidence=` and `requirement=` come along."""
    return {"obligations": list(obligations), **more}


def edge(source: str, target: str, cause: str = "CalledBy", **more: Any) -> dict[str, Any]:
    """Return an impact edge: `target` depends on `source`."""
    return {"from": source, "to": target, "cause": cause, **more}


def solve(value: dict[str, Any], **options: Any) -> dict[str, Any]:
    """Return the schedule of a plan in its wire form."""
    return solver.solve_plan(document.read_foreign(value, "the plan"), solver.options(**options))


def refused(value: dict[str, Any], **options: Any) -> list[tuple[str, str, dict[str, Any]]]:
    """Return (code, subject, detail) of every violation of a plan that is refused."""
    try:
        found = solve(value, **options)
    except PlanRefused as error:
        return [(each.code, each.subject, each.detail) for each in error.violations]
    raise AssertionError(f"not refused: order {found['order']}")
