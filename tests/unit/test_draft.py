"""The decomposer without a model writes records down (S-001-15)."""

from __future__ import annotations

import random
from typing import Any

import pytest
from support import edge, solve

from plan07 import draft, rulebook
from plan07.evidence import Edge, Evidence, Relation

REQUIREMENT = {
    "goal": "Rename Config and let callers follow",
    "acceptance_criteria": [
        "`auth.Config` is called Settings",
        "the old default is preserved",
        "tests/test_new.py::test_x passes",
        "`make lint` exits with 0",
    ],
    "constraints": [],
}
EVIDENCE = Evidence(
    edges=(
        Edge("auth.Config", "auth.Manager.load", "CalledBy"),
        Edge("auth.Config", "tests/test_auth.py::test_c", "TestedBy"),
    ),
    changes=(("auth.Config", "rename"),),
    tests=("tests/test_auth.py::test_c",),
)


def drafted(requirement: dict[str, Any] = REQUIREMENT, evidence: Evidence = EVIDENCE) -> Any:
    return draft.draft(requirement, evidence, rulebook.load()).document


def row(*values: Any) -> dict[str, Any]:
    names = ("id", "target_entity", "obligation", "caused_by", "dependencies", "evidence")
    return dict(zip((*names, "status", "validation"), values, strict=True))


def test_criteria_changes_and_what_they_break_become_records() -> None:
    test, edits = "tests/test_auth.py::test_c", ["O1", "O4", "O5", "O6"]
    first = "criterion 1: `auth.Config` is called Settings"
    third = "criterion 3: tests/test_new.py::test_x passes"
    assert drafted()["obligations"] == [
        row("O1", "auth.Config", "modify", f"rename; {first}", [], "", "ready", test),
        row(
            *("O2", "auth.Config", "preserve", "criterion 2: the old default is preserved", []),
            *("", "ready", test),
        ),
        row(
            *("O3", ".", "validate", "criterion 4: `make lint` exits with 0", edits),
            *("", "blocked", "`make lint`"),
        ),
        row(
            *("O4", "auth.Manager.load", "modify", "impact: consumer re-bind", []),
            *("06: auth.Config CalledBy auth.Manager.load", "ready"),
            "`auth.Config` is called Settings",
        ),
        row(
            *("O5", test, "modify", "impact: consumer re-bind", []),
            *(f"06: auth.Config TestedBy {test}", "ready", test),
        ),
        row(
            *("O6", "tests/test_new.py::test_x", "modify", third, [], "", "ready"),
            "tests/test_new.py::test_x",
        ),
        row(
            *("O7", "tests/test_new.py::test_x", "validate", third, edits, "", "blocked"),
            "tests/test_new.py::test_x",
        ),
    ]


def test_the_draft_is_a_plan() -> None:
    edges = [
        edge("auth.Config", "auth.Manager.load"),
        edge("auth.Config", "tests/test_auth.py::test_c", "TestedBy"),
    ]
    evidence = {
        "changes": [{"entity": "auth.Config", "change": "rename"}],
        "edges": edges,
        "tests": ["tests/test_auth.py::test_c"],
    }
    found = solve({**drafted(), "requirement": REQUIREMENT, "evidence": evidence})
    assert found["order"] == ["O2", "O1", "O4", "O5", "O6", "O3", "O7"]


def test_relations_of_an_index_count_as_well() -> None:
    evidence = EVIDENCE._replace(
        edges=(), relations=(Relation("calls", "cli.main", "auth.Config", "exact"),)
    )
    records = drafted(evidence=evidence)["obligations"]
    assert [each["target_entity"] for each in records if "06" in each["evidence"]] == ["cli.main"]


def test_a_request_about_nothing_in_particular_is_about_all_of_it() -> None:
    requirement = {"goal": "Tidy up", "acceptance_criteria": ["it is tidy"], "constraints": []}
    assert drafted(requirement, Evidence())["obligations"] == [
        row("O1", ".", "modify", "criterion 1: it is tidy", [], "", "ready", "it is tidy")
    ]


def test_long_texts_fit_the_fields() -> None:
    entity = "pkg." + "x" * 190
    requirement = {
        "goal": "g",
        "acceptance_criteria": [f"`{entity}`"[:200]],
        "constraints": [],
    }
    edges = tuple(Edge(entity, f"user{n}", "CalledBy", "rename", "must") for n in range(3))
    for record in drafted(requirement, Evidence(edges=edges))["obligations"]:
        assert all(len(value) <= 200 for value in record.values())


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_evidence_is_no_matter(seed: int) -> None:
    edges = list(EVIDENCE.edges)
    random.Random(seed).shuffle(edges)
    assert drafted(evidence=EVIDENCE._replace(edges=tuple(edges))) == drafted()
