"""The typed artifacts."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest
from pydantic import ValidationError
from support import EXAMPLES, edge, obligation, plan, solve

from plan07 import driven, models
from plan07.errors import PlanRefused
from plan07.models import (
    Decomposition,
    Evidence,
    ImpactEdge,
    Obligation,
    PlanArtifact,
    Requirement,
    Schedule,
)

EIGHT = [
    *("id", "target_entity", "obligation", "caused_by"),
    *("dependencies", "evidence", "status", "validation"),
]


def record(**fields: Any) -> Obligation:
    return Obligation.model_validate_json(json.dumps({**obligation("O1"), **fields}))


def faults(model: type[models.Record], **fields: Any) -> list[tuple[Any, ...]]:
    with pytest.raises(ValidationError) as caught:
        model.model_validate_json(json.dumps(fields))
    return [(*each["loc"], each["type"]) for each in caught.value.errors()]


class TestObligation:
    def test_the_eight_fields(self) -> None:
        """S-000-022, S-000-030, S-001-02."""
        assert list(Obligation.model_fields) == EIGHT
        assert list(record().model_dump()) == EIGHT

    def test_it_is_frozen_strict_and_closed(self) -> None:
        found = record()
        with pytest.raises(ValidationError):
            found.id = "O2"
        assert faults(Obligation, **obligation("O1"), extra=1) == [("extra", "extra_forbidden")]
        assert faults(Obligation, **{**obligation("O1"), "id": 1}) == [("id", "string_type")]

    @pytest.mark.parametrize(
        ("field", "limit"),
        [
            ("id", 64),
            ("target_entity", 200),
            ("caused_by", 200),
            ("evidence", 200),
            ("validation", 200),
        ],
    )
    def test_the_caps_of_texts(self, field: str, limit: int) -> None:
        """S-000-038, T3."""
        assert getattr(record(**{field: "x" * limit}), field) == "x" * limit
        over = {**obligation("O1"), field: "x" * (limit + 1)}
        assert faults(Obligation, **over) == [(field, "string_too_long")]

    def test_the_cap_of_dependencies(self) -> None:
        """S-000-038."""
        ids = [f"O{n}" for n in range(17)]
        assert len(record(dependencies=ids[:16]).dependencies) == 16
        over = {**obligation("O1"), "dependencies": ids}
        assert faults(Obligation, **over) == [("dependencies", "too_long")]

    @pytest.mark.parametrize("identifier", ["", "a b", "-a", "é", "a\n", "cycle:O1"])
    def test_the_charset_of_ids(self, identifier: str) -> None:
        """S-003-05."""
        value = {**obligation("O1"), "id": identifier}
        assert faults(Obligation, **value) == [("id", "string_pattern_mismatch")]


class TestRequirement:
    WHOLE: ClassVar[Any] = {"goal": "g", "acceptance_criteria": ["c"], "constraints": []}

    def test_it_needs_no_confirmation_unless_it_says_so(self) -> None:
        """S-000-014."""
        assert Requirement.model_validate_json(json.dumps(self.WHOLE)).needs_confirmation is False

    @pytest.mark.parametrize(
        ("field", "value", "kind"),
        [
            ("goal", "", "string_too_short"),
            ("goal", "g" * 501, "string_too_long"),
            ("acceptance_criteria", ["c"] * 17, "too_long"),
            ("acceptance_criteria", [], "too_short"),
            ("constraints", ["c"] * 17, "too_long"),
            ("needs_confirmation", "yes", "bool_type"),
        ],
    )
    def test_its_caps(self, field: str, value: Any, kind: str) -> None:
        """S-000-010 (one criterion at least), S-000-015, S-000-016."""
        assert faults(Requirement, **{**self.WHOLE, field: value}) == [(field, kind)]


class TestImpactEdge:
    def test_from_is_a_field(self) -> None:
        found = ImpactEdge.model_validate_json(json.dumps(edge("a", "b")))
        assert (found.from_, found.to, found.cause) == ("a", "b", "CalledBy")
        assert found.model_dump(exclude_unset=True) == edge("a", "b")
        assert ImpactEdge(from_="a", to="b", cause="CalledBy") == found


def test_what_solve_returns_is_a_schedule() -> None:
    for file in sorted(EXAMPLES.glob("*.plan.json")):
        value = json.loads(file.read_text("utf-8"))
        try:
            result = solve(value)
        except PlanRefused:
            continue
        found = Schedule.model_validate_json(json.dumps(result))
        assert json.loads(found.to_json()) == result


def test_to_json_keeps_the_bytes() -> None:
    result = solve(plan(obligation("O1", "é"), obligation("O2", dependencies=["O1"])))
    found = Schedule.model_validate_json(json.dumps(result))
    assert found.to_json() == json.dumps(result, indent=2) + "\n" == models.to_json(result)


def test_an_artifact_of_a_schedule() -> None:
    """S-000-090: the nodes of a schedule are the nodes of an artifact."""
    value = json.loads((EXAMPLES / "rename.plan.json").read_text("utf-8"))
    schedule = Schedule.model_validate_json(json.dumps(solve(value)))
    artifact = PlanArtifact(nodes=schedule.nodes)
    again = solve(json.loads(artifact.model_dump_json(exclude_unset=True)))
    assert again["order"] == list(schedule.order)


def test_a_decomposition_read_from_a_file() -> None:
    text = (EXAMPLES / "session-timeout.plan.json").read_text("utf-8")
    found = Decomposition.model_validate_json(text)
    assert found.model_dump(mode="json", exclude_unset=True) == json.loads(text)
    assert isinstance(found.evidence, Evidence)


def test_every_record_is_strict_frozen_and_closed() -> None:
    todo, seen = [models.Record], set()
    while todo:
        model = todo.pop()
        seen.add(model)
        todo += model.__subclasses__()
        for setting in ("strict", "frozen"):
            assert model.model_config.get(setting) is True, model
        assert model.model_config.get("extra") == "forbid", model
    assert set(driven.SCHEMAS.values()) <= seen
    assert len(seen) > 20
