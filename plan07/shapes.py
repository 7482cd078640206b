"""The shapes of the documents that `solve` reads, strict and closed, checked by pydantic-core.

The records of `plan07.models` say the same with classes. Building those takes longer than the
whole solve, so the command line checks documents with these validators and leaves the classes to
callers in process; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypeAlias

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

TEXT = core_schema.str_schema(strict=True)
RELATION = core_schema.str_schema(strict=True, pattern=_NAME, max_length=64)
FLAG = core_schema.bool_schema(strict=True)
COUNT = core_schema.int_schema(strict=True, ge=0, le=2**30)
SHARE = core_schema.float_schema(strict=True, ge=0, le=1, allow_inf_nan=False)


def one_of(values: tuple[str, ...]) -> CoreSchema:
    return core_schema.literal_schema(list(values))


def listing(item: CoreSchema) -> CoreSchema:
    return core_schema.list_schema(item, strict=True)


def mapping(value: CoreSchema) -> CoreSchema:
    return core_schema.dict_schema(TEXT, value, strict=True)


def or_null(schema: CoreSchema) -> CoreSchema:
    """Null is as good as absent."""
    return core_schema.nullable_schema(schema)


def record(
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
    "id": TEXT,
    "target_entity": TEXT,
    "obligation": one_of(VERBS),
    "caused_by": TEXT,
    "dependencies": listing(TEXT),
    "evidence": TEXT,
    "status": one_of(STATUSES),
    "validation": TEXT,
}
OBLIGATION_FIELDS = tuple(_OBLIGATION)
_MEMBER = {**_OBLIGATION, "state": one_of(STATES)}
_DERIVED: dict[str, CoreSchema] = {"derived": listing(TEXT)}
_NODE = record(
    _MEMBER,
    {
        **_DERIVED,
        "cycle_collapsed": or_null(core_schema.literal_schema([True])),
        "members": core_schema.list_schema(record(_MEMBER, _DERIVED), strict=True, min_length=2),
    },
)
_REQUIREMENT = record(
    {
        "goal": TEXT,
        "acceptance_criteria": core_schema.list_schema(TEXT, strict=True, min_length=1),
        "constraints": listing(TEXT),
    },
    {"needs_confirmation": FLAG},
)
_EDGE_REQUIRED: dict[str, CoreSchema] = {"from": TEXT, "to": TEXT, "cause": RELATION}
_EDGE_OPTIONAL: dict[str, CoreSchema] = {
    "change": core_schema.str_schema(strict=True, pattern=r"^[a-z][a-z0-9_]*$", max_length=64),
    "strength": one_of(STRENGTHS),
    "order": one_of(tuple(ORDERS)),
    "hop": COUNT,
    "confidence": SHARE,
    "resolution": one_of(RESOLUTIONS),
    "rule": TEXT,
    "at": record({"path": TEXT}, {"line": or_null(COUNT)}),
    "derived_change": TEXT,
}
_EDGE_OPTIONAL = {name: or_null(schema) for name, schema in _EDGE_OPTIONAL.items()}
_EDGE = record(_EDGE_REQUIRED, _EDGE_OPTIONAL)
_CHANGE_KIND = core_schema.str_schema(strict=True, pattern=r"^[a-z][a-z0-9_]*$", max_length=64)
_SCORES = record({}, {name: or_null(SHARE) for name in ("lex", "cochange", "confidence")})
_EVIDENCE = record(
    {},
    {
        "edges": listing(_EDGE),
        "changes": listing(record({"entity": TEXT, "change": _CHANGE_KIND})),
        "entities": or_null(listing(record({"id": TEXT, "kind": one_of(ENTITY_KINDS)}))),
        "tests": or_null(listing(TEXT)),
        "scores": mapping(_SCORES),
    },
)
_COMMON: dict[str, CoreSchema] = {
    "requirement": or_null(_REQUIREMENT),
    "evidence": or_null(_EVIDENCE),
}
_DECOMPOSITION = record(
    {"obligations": listing(record(_OBLIGATION))}, {**_COMMON, "re_decompose": FLAG}
)
_ARTIFACT = record(
    {"nodes": listing(_NODE)},
    {
        "plan_id": or_null(
            core_schema.str_schema(strict=True, pattern=r"^plan-[0-9]{8}-[0-9]{4}(-[0-9]+)?$")
        ),
        **_COMMON,
        "checkpoints": listing(TEXT),
        "branch_scores": mapping(SHARE),
        "revision_history": listing(
            record({"rev": COUNT, "time": TEXT, "change": TEXT, "caused_by": TEXT})
        ),
        "audit": listing(record({"obligation": TEXT, "accepted_edit": TEXT, "trace": TEXT})),
    },
)
# What other producers add beside the format is theirs; what the format names is checked.
_IMPACT = record(
    {"schema": core_schema.literal_schema([IMPACT_SCHEMA]), "edges": listing(_EDGE)},
    {
        "commit": or_null(TEXT),
        "recon": or_null(TEXT),
        "seeds": listing(
            record(
                {"entity": TEXT, "change": _CHANGE_KIND},
                {"id": TEXT, "detail": core_schema.any_schema(), "origin": TEXT},
            )
        ),
        "soft": listing(
            record(
                {"entity": TEXT},
                {
                    "lex": SHARE,
                    "cochange": SHARE,
                    "score": SHARE,
                    "support": core_schema.any_schema(),
                },
            )
        ),
        "truncated": listing(
            record({"entity": TEXT, "cause": RELATION}, {"kept": COUNT, "total": COUNT})
        ),
        "unknown": listing(record({"entity": TEXT}, {"unresolved_calls": COUNT}, closed=False)),
    },
)

# What a model replies: the eight fields and nothing else (build spec 4).
_REPLY = record({"obligations": listing(record(_OBLIGATION))})
_PLACE = record(
    {"path": TEXT},
    {
        "start_line": or_null(COUNT),
        "end_line": or_null(COUNT),
        "entity": or_null(TEXT),
        "score": or_null(SHARE),
        "why": or_null(TEXT),
    },
)
_PLACES = {
    name: record(
        {"schema": core_schema.literal_schema([f"plan07.{name}/1"]), "items": listing(_PLACE)},
        closed=False,
    )
    for name in ("localization", "context")
}

# What lies beside a plan: the evidence as plan07 keeps it, records as lists in field order.
_BARE = core_schema.str_schema(strict=True, pattern=r"^[a-z][a-z0-9_]*$|^$", max_length=64)
_SURE = one_of(RESOLUTIONS)


def _row(*fields: CoreSchema) -> CoreSchema:
    """A list of just these; JSON has no tuples, so strictness is said field by field."""
    return core_schema.tuple_schema(list(fields), strict=False)


_KEPT_PLACE = _row(TEXT, TEXT, COUNT, SHARE, TEXT)
_KEPT = record(
    {},
    {
        "edges": listing(
            _row(
                *(TEXT, TEXT, RELATION, _BARE, one_of(("", *STRENGTHS))),
                *(one_of(("", *sorted(set(ORDERS.values())))), _SURE, SHARE),
            )
        ),
        "relations": listing(_row(_BARE, TEXT, TEXT, _SURE)),
        "changes": listing(_row(TEXT, _CHANGE_KIND)),
        "entities": mapping(one_of(ENTITY_KINDS)),
        "contains": listing(_row(TEXT, TEXT)),
        "files": mapping(TEXT),
        "tests": listing(TEXT),
        "scores": mapping(_SCORES),
        "grounding": mapping(
            _row(
                one_of(("binding", "unresolved", "ambiguous", "unsupported", "invalid_ref")),
                listing(TEXT),
            )
        ),
        "truncated": listing(_row(TEXT, RELATION, COUNT, COUNT)),
        "unresolved": mapping(COUNT),
        "signatures": mapping(TEXT),
        "located": listing(_KEPT_PLACE),
        "retrieved": listing(_KEPT_PLACE),
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
    found, total = faults(_validator(shape), value, code)
    if found:
        findings = tuple(finding for _, finding in found)
        more = f" and {total - 1} more" if total > 1 else ""
        first = findings[0]
        raise InputError(
            code,
            f"{name}: {first.message}{more}",
            first.fix,
            phase=phase,
            detail={"source": name, "faults": total},
            violations=findings,
        )


# Keys and indices that lead to a value of a document.
Place: TypeAlias = tuple[str | int, ...]


def faults(
    validator: SchemaValidator, value: Any, code: str
) -> tuple[list[tuple[Place, Finding]], int]:
    """Return the faults of a document, each with its place, and how many there are.

    Args:
        validator: of the document's shape.
        value: the document.
        code: of the findings, of which there are at most 50.
    """
    try:
        validator.validate_python(value)
    except ValidationError as error:
        every = error.errors(include_url=False, include_context=False)
        found = [(tuple(each["loc"]), _finding(each, code)) for each in every[:_MOST_FINDINGS]]
        return found, len(every)
    return [], 0


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
