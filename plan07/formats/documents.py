"""The shapes of evidence that is one JSON document, and how to tell them apart.

Of the formats of others (SARIF, pyright) only what is read is checked; what else they hold is
theirs. Ours are closed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pydantic_core import CoreSchema, PydanticCustomError, SchemaValidator, core_schema

from plan07 import jsontext, shapes
from plan07.errors import Finding, InputError
from plan07.formats.places import place
from plan07.shapes import COUNT, SHARE, TEXT, Place, listing, one_of, or_null, record

LOCALIZATION = "plan07.localization/1"
CONTEXT = "plan07.context/1"
_SARIF_LEVELS = ("none", "note", "warning", "error")
_SARIF_KINDS = ("pass", "open", "informational", "notApplicable", "review", "fail")


def _inside(path: str) -> str:
    if path.startswith("/") or not {"", ".", ".."}.isdisjoint(path.split("/")):
        raise PydanticCustomError("path_outside", "Path should be relative and stay in the tree")
    return path


# Relative to the root of the repository, with slashes.
PATH = core_schema.no_info_after_validator_function(
    _inside, core_schema.str_schema(strict=True, min_length=1)
)
LINE = core_schema.int_schema(strict=True, ge=1, le=2**30)


def _open(
    required: Mapping[str, CoreSchema], optional: Mapping[str, CoreSchema] | None = None
) -> CoreSchema:
    return record(required, optional, closed=False)


def _ours(schema: str) -> CoreSchema:
    item = record(
        {"path": PATH, "start_line": LINE, "end_line": LINE, "score": SHARE},
        {"entity": or_null(TEXT), "why": TEXT},
    )
    return record(
        {"schema": core_schema.literal_schema([schema]), "items": listing(item)},
        {"commit": or_null(TEXT), "truncated": COUNT},
    )


_ARTIFACT = _open(
    {}, {"uri": TEXT, "uriBaseId": TEXT, "index": core_schema.int_schema(strict=True, ge=-1)}
)
_REGION = _open({}, {"startLine": LINE, "endLine": LINE})
_LOCATION = _open(
    {},
    {"physicalLocation": _open({}, {"artifactLocation": _ARTIFACT, "region": _REGION})},
)
_MESSAGE = _open({}, {"text": TEXT})
_RESULT = _open(
    {},
    {
        "ruleId": TEXT,
        "level": one_of(_SARIF_LEVELS),
        "kind": one_of(_SARIF_KINDS),
        "message": _MESSAGE,
        "rank": core_schema.float_schema(strict=True, ge=-1, le=100, allow_inf_nan=False),
        "locations": listing(_LOCATION),
        "suppressions": or_null(listing(_open({}))),
    },
)
_RUN = _open(
    {"tool": _open({"driver": _open({"name": TEXT})})},
    {
        "results": or_null(listing(_RESULT)),
        "artifacts": listing(_open({}, {"location": _ARTIFACT})),
        "originalUriBaseIds": core_schema.dict_schema(TEXT, _open({}, {"uri": TEXT}), strict=True),
    },
)
_SARIF = _open({"version": core_schema.literal_schema(["2.1.0"]), "runs": listing(_RUN)})
_POSITION = _open({"line": COUNT}, {"character": COUNT})
_DIAGNOSTIC = _open(
    {"file": TEXT, "severity": one_of(("error", "warning", "information")), "message": TEXT},
    {"range": _open({"start": _POSITION, "end": _POSITION}), "rule": TEXT},
)
_PYRIGHT = _open({"generalDiagnostics": listing(_DIAGNOSTIC)})

_SHAPES: dict[str, CoreSchema] = {
    "impact": shapes.SHAPES["impact"],
    "localization": _ours(LOCALIZATION),
    "context": _ours(CONTEXT),
    "sarif": _SARIF,
    "pyright": _PYRIGHT,
}
CODES = {name: f"{name.upper()}_INVALID" for name in _SHAPES}


@lru_cache(maxsize=len(_SHAPES))
def _validator(kind: str) -> SchemaValidator:
    return SchemaValidator(_SHAPES[kind])


def kind_of(value: Any) -> str | None:
    """Return which of the formats a document claims to be: impact, localization, context, sarif,
    pyright; None where it claims none.
    """
    if not isinstance(value, dict):
        return None
    schema = value.get("schema")
    for name in ("impact", "localization", "context"):
        if isinstance(schema, str) and schema.partition("/")[0] == f"plan07.{name}":
            return name
    if "runs" in value or "sarif" in str(value.get("$schema", "")).lower():
        return "sarif"
    return "pyright" if "generalDiagnostics" in value else None


def read(path: str, kind: str) -> Any:
    """Return the document in a file, known to be of a format.

    Args:
        path: the file; "-" is standard input.
        kind: as `kind_of` returns it.

    Raises:
        InputError: it cannot be read, or is not of the format; every fault is told with its place.
    """
    name = "standard input" if path == "-" else path
    data = jsontext.content(path, name)
    value = jsontext.parse(data, name)
    findings, total = faults(kind, value, data.decode(), name)
    if findings:
        more = f" and {total - 1} more" if total > 1 else ""
        raise InputError(
            CODES[kind],
            f"{findings[0].message}{more}",
            findings[0].fix,
            phase="evidence",
            detail={"source": name, "faults": total},
            violations=tuple(findings),
        )
    return value


def faults(kind: str, value: Any, text: str, name: str) -> tuple[list[Finding], int]:
    """Return what is wrong with a document, each fault with file, line and column.

    Args:
        kind: as `kind_of` returns it.
        value: the document.
        text: the same as JSON.
        name: how messages call it.

    Returns:
        The findings, in the order of the file, and how many faults there are.
    """
    found, total = shapes.faults(_validator(kind), value, CODES[kind])
    if not found and kind in ("localization", "context"):
        found = _backward(value, CODES[kind])
        total = len(found)
    placed = sorted(
        ((place(text, steps), finding) for steps, finding in found), key=lambda each: each[0]
    )
    return [_at(name, *where, finding) for where, finding in placed], total


def _backward(value: Mapping[str, Any], code: str) -> list[tuple[Place, Finding]]:
    found: list[tuple[Place, Finding]] = []
    for index, item in enumerate(value["items"]):
        if item["end_line"] < item["start_line"]:
            where = f"items[{index}].end_line"
            message = f"{where}: {item['end_line']} comes before start_line {item['start_line']}"
            finding = Finding(code, where, message, "swap the two", {"place": where})
            found.append((("items", index, "end_line"), finding))
    return found


def _at(name: str, line: int, column: int, finding: Finding) -> Finding:
    where = f"{name}:{line}:{column}"
    detail = {**finding.detail, "source": name, "line": line, "column": column}
    message = f"{where}: {finding.message}"
    return finding._replace(subject=where, message=message, detail=detail)
