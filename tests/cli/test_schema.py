"""`plan07 schema`: the typed artifacts as JSON schemas."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from support import EXAMPLES

Run = Callable[..., Any]

REQUIRED: dict[str, list[str]] = {
    "Requirement": ["goal", "acceptance_criteria", "constraints"],
    "Obligation": [
        *("id", "target_entity", "obligation", "caused_by"),
        *("dependencies", "evidence", "status", "validation"),
    ],
    "Decomposition": ["obligations"],
    "Evidence": [],
    "ImpactEdge": ["from", "to", "cause"],
    "PlanNode": [
        *("id", "target_entity", "obligation", "caused_by"),
        *("dependencies", "evidence", "status", "validation", "state"),
    ],
    "PlanDag": [
        *("nodes", "edges", "ready", "blocked", "alternative", "checkpoints", "branch_scores"),
    ],
    "PlanArtifact": ["nodes"],
    "Schedule": [
        *("nodes", "edges", "ready", "blocked", "alternative", "checkpoints", "branch_scores"),
        *("order", "reasons", "composites", "stranded", "advice", "policy"),
    ],
    "ActionableObligation": [
        *("node_id", "obligation", "target_entity", "preconditions", "permitted_actions"),
        "required_validation",
    ],
    "GateResult": [
        *("node_id", "outcome", "reason", "checks", "replanned", "no_replan", "verdict", "next"),
    ],
    "PlanStatus": [
        *("plan_id", "goal", "verdict", "complete", "nodes", "next", "ready", "blocked"),
        *("alternative", "failed", "stranded", "waits_for", "last_checkpoint", "revision"),
        *("abandoned", "needs_confirmation", "notes"),
    ],
    "Revision": ["rev", "time", "change", "caused_by"],
    "AuditRow": ["obligation", "accepted_edit", "trace"],
    "Violation": ["code", "subject", "message", "fix", "detail"],
    "ErrorDocument": ["error"],
    "RunRecord": [
        *("execution", "arm", "task", "seed", "sample", "model", "host", "config", "tokenizer"),
        *("steps", "calls", "resolved", "cost"),
    ],
}


def test_the_names(run: Run) -> None:
    """S-001-04: the typed artifacts are exported."""
    result = run("schema")
    assert (result.status, result.err) == (0, "")
    assert result.out == "".join(f"{name}\n" for name in REQUIRED)


def test_the_names_as_json(run: Run) -> None:
    result = run("schema", "--json")
    assert (result.status, result.document()) == (0, {"schemas": list(REQUIRED)})


@pytest.mark.parametrize("name", REQUIRED)
def test_a_schema(run: Run, name: str) -> None:
    result = run("schema", name)
    assert (result.status, result.err) == (0, "")
    schema = result.document()
    assert result.out == json.dumps(schema, indent=2) + "\n"
    assert schema["title"] == name
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert schema.get("required", []) == REQUIRED[name]
    assert set(REQUIRED[name]) <= set(schema["properties"])
    assert run("schema", name, "--json") == result
    missing = [each for each in references(schema) if each not in schema.get("$defs", {})]
    assert missing == []


def references(schema: Any) -> set[str]:
    """The definitions that a schema refers to."""
    if isinstance(schema, list):
        return {name for each in schema for name in references(each)}
    if not isinstance(schema, dict):
        return set()
    own = {schema["$ref"].removeprefix("#/$defs/")} if "$ref" in schema else set()
    return own.union(*(references(each) for each in schema.values()))


def test_an_obligation_has_exactly_eight_fields(run: Run) -> None:
    """S-000-022, S-000-030."""
    schema = run("schema", "Obligation").document()
    assert list(schema["properties"]) == REQUIRED["Obligation"]
    assert schema["properties"]["obligation"]["enum"] == ["modify", "preserve", "validate"]
    assert schema["properties"]["status"]["enum"] == ["ready", "blocked", "alternative"]
    assert schema["properties"]["id"]["maxLength"] == 64
    assert schema["properties"]["dependencies"]["maxItems"] == 16
    assert schema["properties"]["evidence"]["maxLength"] == 200


def test_a_requirement_has_the_caps_of_the_build_spec(run: Run) -> None:
    """S-000-016."""
    properties = run("schema", "Requirement").document()["properties"]
    assert properties["goal"]["maxLength"] == 500
    assert properties["goal"]["minLength"] == 1
    for name in ("acceptance_criteria", "constraints"):
        assert properties[name]["maxItems"] == 16
        assert properties[name]["items"] == {"type": "string", "maxLength": 200}


def test_a_node_has_the_eight_fields_and_a_state(run: Run) -> None:
    """S-000-090: `status` and `state` are separate."""
    properties = run("schema", "PlanNode").document()["properties"]
    assert list(properties) == [
        *REQUIRED["PlanNode"],
        *("derived", "cycle_collapsed", "members"),
    ]
    assert properties["state"]["enum"] == ["pending", "complete", "failed"]


def test_what_solve_prints_has_the_keys_of_its_schema(run: Run) -> None:
    document = run("solve", EXAMPLES / "rename.plan.json", "--json").document()
    schema = run("schema", "Schedule").document()
    assert list(document) == list(schema["properties"]) == schema["required"]
    error = run("solve", EXAMPLES / "over-bounds.plan.json", "--json").document()
    schema = run("schema", "ErrorDocument").document()
    assert list(error) == list(schema["properties"])
    assert list(error["error"]) == schema["$defs"]["ErrorBody"]["required"]
    violation = schema["$defs"]["Violation"]["required"]
    assert [list(each) for each in error["error"]["violations"]] == [violation]


@pytest.mark.parametrize("arguments", [(), ("--json",)], ids=["text", "json"])
def test_an_unknown_name(run: Run, arguments: tuple[str, ...]) -> None:
    result = run("schema", "Obligations", *arguments)
    assert result.status == 2
    message = "there is no artifact 'Obligations'"
    fix = f"use one of {', '.join(REQUIRED)}"
    if arguments:
        error = result.document()["error"]
        assert (error["code"], error["phase"]) == ("SCHEMA_UNKNOWN", "usage")
        assert (error["message"], error["fix"]) == (message, fix)
        assert error["detail"] == {"name": "Obligations", "known": list(REQUIRED)}
    else:
        assert result.err == f"plan07: SCHEMA_UNKNOWN: {message}\n  fix: {fix}\n"
