"""The fast validators and the records say the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError
from pydantic.json_schema import GenerateJsonSchema
from support import EXAMPLES, edge, obligation, plan

from plan07 import models, shapes
from plan07.errors import InputError

PAIRS: dict[str, type[BaseModel]] = {
    "decomposition": models.Decomposition,
    "artifact": models.PlanArtifact,
    "evidence": models.Evidence,
}
# What only the records check: `admission.lp` refuses more, with a violation instead of a fault.
CAPS = ("maxLength", "minLength", "maxItems")
SAID = ("title", "description", "default")


def resolved(schema: Any, definitions: dict[str, Any]) -> Any:
    """Return a JSON schema without references, words, caps and nulls."""
    if isinstance(schema, list):
        return [resolved(each, definitions) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return resolved(definitions[schema["$ref"].rsplit("/", 1)[-1]], definitions)
    found = {
        key: {name: resolved(each, definitions) for name, each in value.items()}
        if key == "properties"
        else resolved(value, definitions)
        for key, value in schema.items()
        if key not in (*CAPS, *SAID, "$defs")
    }
    if found.get("pattern") == r"^[A-Za-z0-9][A-Za-z0-9_.-]*$":
        del found["pattern"]
    if "const" in found:
        found["enum"] = [found.pop("const")]
        found["type"] = "boolean" if found["enum"] == [True] else "string"
    for key in ("enum", "required"):
        if key in found:
            found[key] = sorted(found[key])
    if "anyOf" in found:
        (only,) = [each for each in found["anyOf"] if each != {"type": "null"}]
        return only
    return found


def nullable(schema: Any, definitions: dict[str, Any], place: str = "") -> set[str]:
    """Return the places of a JSON schema at which null may stand."""
    if "$ref" in schema:
        return nullable(definitions[schema["$ref"].rsplit("/", 1)[-1]], definitions, place)
    found = {place} if schema.get("type") == "null" else set()
    for name, each in schema.get("properties", {}).items():
        found |= nullable(each, definitions, f"{place}.{name}".lstrip("."))
    inner = [schema.get("items"), schema.get("additionalProperties"), *schema.get("anyOf", ())]
    for each in inner:
        if isinstance(each, dict):
            found |= nullable(each, definitions, place)
    return found


def of_shape(name: str) -> tuple[Any, set[str]]:
    schema = GenerateJsonSchema().generate(shapes.SHAPES[name])
    definitions = schema.get("$defs", {})
    return resolved(schema, definitions), nullable(schema, definitions)


def of_model(model: type[BaseModel]) -> tuple[Any, set[str]]:
    schema = model.model_json_schema()
    definitions = schema.get("$defs", {})
    return resolved(schema, definitions), nullable(schema, definitions)


def differences(one: Any, other: Any, place: str = "") -> list[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        return [
            found
            for key in sorted({*one, *other})
            for found in differences(one.get(key), other.get(key), f"{place}.{key}".lstrip("."))
        ]
    return [] if one == other else [f"{place}: {one} | {other}"]


@pytest.mark.parametrize("name", PAIRS)
def test_both_have_the_same_fields_of_the_same_types(name: str) -> None:
    assert differences(of_shape(name)[0], of_model(PAIRS[name])[0]) == []


@pytest.mark.parametrize("name", PAIRS)
def test_both_take_null_for_the_same_fields(name: str) -> None:
    """A record that says null is a document that says null."""
    assert of_shape(name)[1] == of_model(PAIRS[name])[1]


def fields(schema: Any) -> set[str]:
    """Names of the fields of a core schema, at any depth, by the path to them."""
    found: set[str] = set()
    if schema["type"] == "typed-dict":
        for name, field in schema["fields"].items():
            found |= {name, *(f"{name}.{each}" for each in fields(field["schema"]))}
    for inner in ("items_schema", "values_schema", "schema"):
        if isinstance(schema.get(inner), dict):
            found |= fields(schema[inner])
    return found


def of_record(model: Any, seen: tuple[Any, ...] = ()) -> set[str]:
    """Names of the fields of a record, at any depth, by the path to them."""
    found: set[str] = set()
    model.model_rebuild()
    for name, field in model.model_fields.items():
        wire = field.alias or name
        found.add(wire)
        for inner in records_in(field.annotation):
            if inner not in seen:
                found |= {f"{wire}.{each}" for each in of_record(inner, (*seen, inner))}
    return found


def records_in(annotation: Any) -> list[Any]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    inner = getattr(annotation, "__args__", ())
    return [each for arg in inner for each in records_in(arg)]


@pytest.mark.parametrize("name", PAIRS)
def test_the_fields_walked_one_by_one(name: str) -> None:
    found = fields(shapes.SHAPES[name])
    assert found == of_record(PAIRS[name])
    assert len(found) > 20


def accepted(name: str, value: Any) -> bool:
    try:
        shapes.check(name, value, "x", "X", "read")
    except InputError:
        return False
    return True


def believed(name: str, value: Any) -> bool:
    try:
        PAIRS[name].model_validate_json(json.dumps(value))
    except ValueError:
        return False
    return True


NODE = {**obligation("O1"), "state": "pending"}
DOCUMENTS: list[tuple[str, Any]] = [
    *(
        ("artifact" if "nodes" in value else "decomposition", value)
        for value in (
            json.loads(file.read_text("utf-8"))
            for file in sorted(EXAMPLES.rglob("*.plan.json"))
            if file.name.split(".")[0] not in ("cap-exceeded", "id-invalid")
        )
    ),
    ("decomposition", {}),
    ("decomposition", []),
    ("decomposition", plan(obligation("O1"), extra=1)),
    ("decomposition", plan({**obligation("O1"), "extra": 1})),
    ("decomposition", plan({**obligation("O1"), "id": 1})),
    ("decomposition", plan({**obligation("O1"), "dependencies": "O1"})),
    ("decomposition", plan({**obligation("O1"), "status": "Ready"})),
    ("decomposition", plan(re_decompose="yes")),
    ("decomposition", plan(re_decompose=1)),
    ("decomposition", plan(requirement={"goal": "g"})),
    (
        "decomposition",
        plan(
            requirement={
                "goal": "g",
                "acceptance_criteria": ["c"],
                "constraints": [],
                "needs_confirmation": "true",
            }
        ),
    ),
    ("artifact", {"nodes": [NODE]}),
    ("artifact", {"nodes": [{**NODE, "derived": ["O2"]}]}),
    ("artifact", {"nodes": [{**NODE, "cycle_collapsed": False}]}),
    ("artifact", {"nodes": [{**NODE, "cycle_collapsed": True, "members": [NODE]}]}),
    ("artifact", {"nodes": [NODE], "plan_id": "plan-20260905-1412"}),
    ("artifact", {"nodes": [NODE], "plan_id": "plan-1"}),
    ("artifact", {"nodes": [NODE], "branch_scores": {"O1": "0.5"}}),
    ("artifact", {"nodes": [NODE], "branch_scores": {"O1": 1}}),
    ("artifact", {"nodes": [NODE], "revision_history": [{"rev": 1.0}]}),
    (
        "artifact",
        {
            "nodes": [NODE],
            "revision_history": [{"rev": "1", "time": "t", "change": "c", "caused_by": "O1"}],
        },
    ),
    ("evidence", {}),
    ("evidence", {"edges": [edge("a", "b", confidence="0.5")]}),
    ("evidence", {"edges": [edge("a", "b", confidence=True)]}),
    ("evidence", {"edges": [edge("a", "b", confidence=-0.1)]}),
    ("evidence", {"edges": [edge("a", "b", confidence=1)]}),
    ("evidence", {"edges": [edge("a", "b", hop="1")]}),
    ("evidence", {"edges": [edge("a", "b", hop=1.5)]}),
    ("evidence", {"edges": [edge("a", "b", hop=2**31)]}),
    ("evidence", {"edges": [edge("a", "b", cause="Called By")]}),
    ("evidence", {"edges": [edge("a", "b", order="\N{EN DASH}")]}),
    ("evidence", {"edges": [edge("a", "b", order="\N{EM DASH}")]}),
    ("evidence", {"edges": [edge("a", "b", order=None, change=None, at=None)]}),
    ("evidence", {"edges": [edge("a", "b", at={"path": "p", "line": 0})]}),
    ("evidence", {"edges": [edge("a", "b", at={"path": "p", "line": "1"})]}),
    ("evidence", {"edges": [edge("a", "b", at={"path": "p", "column": 1})]}),
    ("evidence", {"changes": [{"entity": "a", "change": "rename\n"}]}),
    ("evidence", {"changes": [{"entity": "a", "change": "x" * 65}]}),
    ("evidence", {"entities": [{"id": "a", "kind": "file"}]}),
    ("evidence", {"entities": [{"id": "a", "kind": "files"}]}),
    ("evidence", {"tests": []}),
    ("evidence", {"tests": [1]}),
    ("evidence", {"scores": {"O1": {}}}),
    ("evidence", {"scores": {"O1": {"lex": "1"}}}),
]


@pytest.mark.parametrize(("name", "value"), DOCUMENTS, ids=lambda each: json.dumps(each)[:60])
def test_both_accept_and_refuse_the_same(name: str, value: Any) -> None:
    assert accepted(name, value) == believed(name, value)


def test_only_the_caps_of_admission_tell_them_apart() -> None:
    """A plan over a cap is refused with a violation, so the document itself must pass."""
    long = {**obligation("O1"), "evidence": "x" * 201, "dependencies": ["O2"] * 17}
    for fields_ in (long, {**obligation("a b")}, {**obligation("O1"), "dependencies": ["a b"]}):
        assert accepted("decomposition", plan(fields_))
        with pytest.raises(ValidationError) as caught:
            models.Decomposition.model_validate_json(json.dumps(plan(fields_)))
        kinds = {each["type"] for each in caught.value.errors()}
        assert kinds <= {"string_too_long", "too_long", "string_pattern_mismatch"}


class TestCheck:
    def test_what_fits_passes(self) -> None:
        shapes.check("evidence", {"tests": []}, "x", "X", "read")

    def test_the_error(self) -> None:
        with pytest.raises(InputError) as caught:
            shapes.check("evidence", {"tests": [1], "extra": 1}, "my file", "MY_CODE", "evidence")
        error = caught.value
        assert (error.code, error.phase) == ("MY_CODE", "evidence")
        assert error.detail == {"source": "my file", "faults": 2}
        assert error.message == (
            "my file: tests[0]: input should be a valid string, not 1 and 1 more"
        )
        assert [(each.code, each.subject, each.fix) for each in error.violations] == [
            ("MY_CODE", "tests[0]", "give a value of the type that the format names"),
            ("MY_CODE", "extra", "remove the field; the format is closed"),
        ]

    def test_a_missing_field(self) -> None:
        with pytest.raises(InputError) as caught:
            shapes.check("decomposition", {}, "x", "X", "read")
        assert caught.value.violations[0].message == "obligations: field required"
        assert caught.value.fix == "add the field"

    def test_the_document_itself(self) -> None:
        with pytest.raises(InputError) as caught:
            shapes.check("decomposition", 7, "x", "X", "read")
        assert caught.value.message == (
            "x: the document: input should be a valid dictionary, not 7"
        )

    def test_long_and_evil_values_are_shown_short_and_harmless(self) -> None:
        value = {"tests": [{"\x1b[31m" * 40: 1}]}
        with pytest.raises(InputError) as caught:
            shapes.check("evidence", value, "x", "X", "read")
        assert "\x1b" not in caught.value.message
        assert len(caught.value.message) < 200


def test_orders_name_what_the_rules_know() -> None:
    assert set(shapes.ORDERS.values()) == {
        *("definition_first", "dependents_first", "together", "none"),
    }
