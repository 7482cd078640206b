"""The shapes of the documents that `solve` reads, strict and closed, checked by pydantic-core.

The records of `plan07.models` say the same with classes. Building those takes longer than the
whole solve, so the command line checks documents with these validators and leaves the classes to
callers in process; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic_core import CoreSchema, SchemaValidator, ValidationError, core_schema

from plan07.errors import Finding, InputError

VERBS = ("modify", "preserve", "validate")
STATUSES = ("ready", "blocked", "alternative")
STATES = ("pending", "complete", "failed")
STRENGTHS = ("must", "should", "check", "revalidate")
RESOLUTIONS = ("exact", "typed", "dynamic", "heuristic", "ambiguous")
# Wire form to the constant that the rules use.
ORDERS = {
    "def<dep": "definition_first",
    "dep<def": "dependents_first",
    "split": "together",
    "none": "none",
    "-": "none",
    "\N{EN DASH}": "none",
}
ENTITY_KINDS = (
    *("package", "module", "class", "interface", "trait", "struct", "enum", "enum_member"),
    *("function", "method", "property", "field", "variable", "constant", "type_alias"),
    *("parameter", "test", "config_key", "table", "column", "migration", "route", "external"),
    "file",
)
IMPACT_SCHEMA = "plan07.impact/1"

_NAME = r"^[A-Za-z][A-Za-z0-9_]*$"
_MOST_FINDINGS = 50

_text = core_schema.str_schema(strict=True)
_name = core_schema.str_schema(strict=True, pattern=_NAME, max_length=64)
_flag = core_schema.bool_schema(strict=True)
_count = core_schema.int_schema(strict=True, ge=0, le=2**30)
_share = core_schema.float_schema(strict=True, ge=0, le=1, allow_inf_nan=False)


def _one_of(values: tuple[str, ...]) -> CoreSchema:
    return core_schema.literal_schema(list(values))


def _list(item: CoreSchema) -> CoreSchema:
    return core_schema.list_schema(item, strict=True)


def _map(value: CoreSchema) -> CoreSchema:
    return core_schema.dict_schema(_text, value, strict=True)


def _or_null(schema: CoreSchema) -> CoreSchema:
    """Null is as good as absent."""
    return core_schema.nullable_schema(schema)


def _record(
    required: Mapping[str, CoreSchema],
    optional: Mapping[str, CoreSchema] | None = None,
    *,
    closed: bool = True,
) -> CoreSchema:
    fields = {name: core_schema.typed_dict_field(schema) for name, schema in required.items()}
    for name, schema in (optional or {}).items():
        fields[name] = core_schema.typed_dict_field(schema, required=False)
    return core_schema.typed_dict_schema(
        fields, strict=True, extra_behavior="forbid" if closed else "allow"
    )


_OBLIGATION: dict[str, CoreSchema] = {
    "id": _text,
    "target_entity": _text,
    "obligation": _one_of(VERBS),
    "caused_by": _text,
    "dependencies": _list(_text),
    "evidence": _text,
    "status": _one_of(STATUSES),
    "validation": _text,
}
OBLIGATION_FIELDS = tuple(_OBLIGATION)
_MEMBER = {**_OBLIGATION, "state": _one_of(STATES)}
_DERIVED: dict[str, CoreSchema] = {"derived": _list(_text)}
_NODE = _record(
    _MEMBER,
    {
        **_DERIVED,
        "cycle_collapsed": _or_null(core_schema.literal_schema([True])),
        "members": core_schema.list_schema(_record(_MEMBER, _DERIVED), strict=True, min_length=2),
    },
)
_REQUIREMENT = _record(
    {
        "goal": _text,
        "acceptance_criteria": core_schema.list_schema(_text, strict=True, min_length=1),
        "constraints": _list(_text),
    },
    {"needs_confirmation": _flag},
)
_EDGE_REQUIRED: dict[str, CoreSchema] = {"from": _text, "to": _text, "cause": _name}
_EDGE_OPTIONAL: dict[str, CoreSchema] = {
    "change": core_schema.str_schema(strict=True, pattern=r"^[a-z][a-z0-9_]*$", max_length=64),
    "strength": _one_of(STRENGTHS),
    "order": _one_of(tuple(ORDERS)),
    "hop": _count,
    "confidence": _share,
    "resolution": _one_of(RESOLUTIONS),
    "rule": _text,
    "at": _record({"path": _text}, {"line": _or_null(_count)}),
    "derived_change": _text,
}
_EDGE_OPTIONAL = {name: _or_null(schema) for name, schema in _EDGE_OPTIONAL.items()}
_EDGE = _record(_EDGE_REQUIRED, _EDGE_OPTIONAL)
_CHANGE_KIND = core_schema.str_schema(strict=True, pattern=r"^[a-z][a-z0-9_]*$", max_length=64)
_SCORES = _record({}, {name: _or_null(_share) for name in ("lex", "cochange", "confidence")})
_EVIDENCE = _record(
    {},
    {
        "edges": _list(_EDGE),
        "changes": _list(_record({"entity": _text, "change": _CHANGE_KIND})),
        "entities": _or_null(_list(_record({"id": _text, "kind": _one_of(ENTITY_KINDS)}))),
        "tests": _or_null(_list(_text)),
        "scores": _map(_SCORES),
    },
)
_COMMON: dict[str, CoreSchema] = {
    "requirement": _or_null(_REQUIREMENT),
    "evidence": _or_null(_EVIDENCE),
}
_DECOMPOSITION = _record(
    {"obligations": _list(_record(_OBLIGATION))}, {**_COMMON, "re_decompose": _flag}
)
_ARTIFACT = _record(
    {"nodes": _list(_NODE)},
    {
        "plan_id": _or_null(
            core_schema.str_schema(strict=True, pattern=r"^plan-[0-9]{8}-[0-9]{4}(-[0-9]+)?$")
        ),
        **_COMMON,
        "checkpoints": _list(_text),
        "branch_scores": _map(_share),
        "revision_history": _list(
            _record({"rev": _count, "time": _text, "change": _text, "caused_by": _text})
        ),
        "audit": _list(_record({"obligation": _text, "accepted_edit": _text, "trace": _text})),
    },
)
# What other producers add beside the format is theirs; what the format names is checked.
_IMPACT = _record(
    {"schema": core_schema.literal_schema([IMPACT_SCHEMA]), "edges": _list(_EDGE)},
    {
        "commit": _or_null(_text),
        "recon": _or_null(_text),
        "seeds": _list(
            _record(
                {"entity": _text, "change": _CHANGE_KIND},
                {"id": _text, "detail": core_schema.any_schema(), "origin": _text},
            )
        ),
        "soft": _list(
            _record(
                {"entity": _text},
                {
                    "lex": _share,
                    "cochange": _share,
                    "score": _share,
                    "support": core_schema.any_schema(),
                },
            )
        ),
        "truncated": _list(
            _record({"entity": _text, "cause": _name}, {"kept": _count, "total": _count})
        ),
        "unknown": _list(_record({"entity": _text}, {"unresolved_calls": _count}, closed=False)),
    },
)

# What a model replies: the eight fields and nothing else (build spec 4).
_REPLY = _record({"obligations": _list(_record(_OBLIGATION))})
_PLACE = _record(
    {"path": _text},
    {
        "start_line": _or_null(_count),
        "end_line": _or_null(_count),
        "entity": _or_null(_text),
        "score": _or_null(_share),
        "why": _or_null(_text),
    },
)
_PLACES = {
    name: _record(
        {"schema": core_schema.literal_schema([f"plan07.{name}/1"]), "items": _list(_PLACE)},
        closed=False,
    )
    for name in ("localization", "context")
}

# What lies beside a plan: the evidence as plan07 keeps it, records as lists in field order.
_BARE = core_schema.str_schema(strict=True, pattern=r"^[a-z][a-z0-9_]*$|^$", max_length=64)
_SURE = _one_of(RESOLUTIONS)


def _row(*fields: CoreSchema) -> CoreSchema:
    """A list of just these; JSON has no tuples, so strictness is said field by field."""
    return core_schema.tuple_schema(list(fields), strict=False)


_KEPT_PLACE = _row(_text, _text, _count, _share, _text)
_KEPT = _record(
    {},
    {
        "edges": _list(
            _row(
                *(_text, _text, _name, _BARE, _one_of(("", *STRENGTHS))),
                *(_one_of(("", *sorted(set(ORDERS.values())))), _SURE, _share),
            )
        ),
        "relations": _list(_row(_BARE, _text, _text, _SURE)),
        "changes": _list(_row(_text, _CHANGE_KIND)),
        "entities": _map(_one_of(ENTITY_KINDS)),
        "contains": _list(_row(_text, _text)),
        "files": _map(_text),
        "tests": _list(_text),
        "scores": _map(_SCORES),
        "grounding": _map(
            _row(
                _one_of(("binding", "unresolved", "ambiguous", "unsupported", "invalid_ref")),
                _list(_text),
            )
        ),
        "truncated": _list(_row(_text, _name, _count, _count)),
        "unresolved": _map(_count),
        "signatures": _map(_text),
        "located": _list(_KEPT_PLACE),
        "retrieved": _list(_KEPT_PLACE),
    },
)

SHAPES: dict[str, CoreSchema] = {
    "decomposition": _DECOMPOSITION,
    "artifact": _ARTIFACT,
    "evidence": _EVIDENCE,
    "impact": _IMPACT,
    "requirement": _REQUIREMENT,
    "reply": _REPLY,
    "kept": _KEPT,
    **_PLACES,
}


@lru_cache(maxsize=len(SHAPES))
def _validator(shape: str) -> SchemaValidator:
    return SchemaValidator(SHAPES[shape])


def check(shape: str, value: Any, name: str, code: str, phase: str) -> None:
    """Check a document against a shape.

    Args:
        shape: a key of `SHAPES`.
        value: the document, as `json.loads` returns it.
        name: how messages call it.
        code: the error's code.
        phase: the error's phase.

    Raises:
        InputError: its violations name every fault with its place.
    """
    try:
        _validator(shape).validate_python(value)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False)
        findings = tuple(_finding(fault, code) for fault in faults[:_MOST_FINDINGS])
        more = f" and {len(faults) - 1} more" if len(faults) > 1 else ""
        first = findings[0]
        raise InputError(
            code,
            f"{name}: {first.message}{more}",
            first.fix,
            phase=phase,
            detail={"source": name, "faults": len(faults)},
            violations=findings,
        ) from None


def _finding(fault: Any, code: str) -> Finding:
    place = ""
    for step in fault["loc"]:
        place += f"[{step}]" if isinstance(step, int) else f".{step}"
    place = place.lstrip(".") or "the document"
    said = fault["msg"][:1].lower() + fault["msg"][1:]
    fix = {
        "extra_forbidden": "remove the field; the format is closed",
        "missing": "add the field",
    }.get(fault["type"], "give a value of the type that the format names")
    message = f"{_shown(place)}: {said}"
    if fault["type"] not in ("missing", "extra_forbidden"):
        message += f", not {_shown(repr(fault['input']))}"
    return Finding(code, place, message, fix, {"place": place, "type": fault["type"]})


def _shown(text: str) -> str:
    from plan07.messages import printable

    return printable(text if len(text) <= 80 else text[:77] + "...")
