"""The JSON Lines twin of recon.db: the same records, one a line, with names instead of numbers.

`{"t": "node", "fqn": "auth.Session", "kind": "class", "path": "auth.py", "line": 3}` is a line. Of
a record, only what identifies it has to be there; what is left out has the default of `recon`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, BinaryIO, NamedTuple, TypeAlias

from pydantic_core import CoreSchema, SchemaValidator, core_schema

from plan07 import jsontext, shapes
from plan07.errors import Finding, InputError
from plan07.formats.documents import PATH
from plan07.recon import (
    EDGE_KINDS,
    ROLES,
    SCHEMA,
    AliasRow,
    CochangeRow,
    EdgeRow,
    FileRow,
    NodeRow,
    TestRow,
    UnresolvedRow,
)
from plan07.shapes import COUNT, FLAG, SHARE, TEXT, listing, one_of, or_null, record

CODE = "JSONL_INVALID"
LONGEST_LINE = 4 * 1024**2
FLAGS = (
    "async",
    "static",
    "classmethod",
    "property",
    "abstract",
    "overload",
    "fixture",
    "exported",
)
OUTCOMES = ("passed", "failed", "error", "skipped")


class MetaRow(NamedTuple):
    """What is said of the whole: the schema, the commit, the readers.

    Args:
        key, value: as in the table meta.
    """

    key: str
    value: str


Row: TypeAlias = (
    MetaRow | FileRow | NodeRow | EdgeRow | UnresolvedRow | AliasRow | TestRow | CochangeRow
)

TYPES: Mapping[str, type[Row]] = {
    "meta": MetaRow,
    "file": FileRow,
    "node": NodeRow,
    "edge": EdgeRow,
    "unresolved": UnresolvedRow,
    "alias": AliasRow,
    "test": TestRow,
    "cochange": CochangeRow,
}
_NAMES = {row: name for name, row in TYPES.items()}

_name = core_schema.str_schema(strict=True, min_length=1)
_line = core_schema.int_schema(strict=True, ge=1, le=2**30)
_seconds = core_schema.float_schema(strict=True, ge=0, allow_inf_nan=False)
_parameter = record(
    {"name": TEXT},
    {
        "kind": one_of(
            (
                *("positional_only", "positional_or_keyword", "var_positional", "keyword_only"),
                "var_keyword",
            )
        ),
        "type": or_null(TEXT),
        "default": or_null(TEXT),
    },
)


def _optional(fields: dict[str, CoreSchema]) -> dict[str, CoreSchema]:
    return {name: or_null(schema) for name, schema in fields.items()}


_FIELDS: dict[str, tuple[dict[str, CoreSchema], dict[str, CoreSchema]]] = {
    "meta": ({"key": _name, "value": TEXT}, {}),
    "file": (
        {"path": PATH},
        {"lang": TEXT, "blob": TEXT, "role": one_of(ROLES), "parsed": FLAG, "error": TEXT},
    ),
    "node": (
        {"fqn": _name, "kind": one_of(shapes.ENTITY_KINDS)},
        {
            "name": _name,
            "path": PATH,
            "line": _line,
            "end_line": _line,
            "parent": _name,
            "signature": TEXT,
            "params": listing(_parameter),
            "returns": TEXT,
            "flags": listing(one_of(FLAGS)),
            "is_test": FLAG,
            "is_external": FLAG,
            "sig_hash": TEXT,
            "body_hash": TEXT,
            "scip": TEXT,
        },
    ),
    "edge": (
        {"src": _name, "kind": one_of(EDGE_KINDS), "dst": _name},
        {
            "path": PATH,
            "line": _line,
            "count": COUNT,
            "confidence": SHARE,
            "source": _name,
            "resolution": one_of(shapes.RESOLUTIONS),
            "attrs": core_schema.dict_schema(TEXT, core_schema.any_schema(), strict=True),
        },
    ),
    "unresolved": (
        {"path": PATH, "src": _name, "name": _name, "kind": one_of(EDGE_KINDS)},
        {"line": _line, "candidates": listing(_name)},
    ),
    "alias": ({"alias": _name, "fqn": _name}, {"why": TEXT}),
    "test": (
        {"nodeid": _name},
        {"fqn": _name, "source": _name, "outcome": one_of(OUTCOMES), "seconds": _seconds},
    ),
    "cochange": ({"a": PATH, "b": PATH, "n_ab": COUNT, "n_a": COUNT, "n_b": COUNT}, {}),
}
# What a record of another harness leaves open, and its own readers always fill in.
_DEFAULTS: dict[str, dict[str, Any]] = {
    "file": {"lang": None, "blob": ""},
    "edge": {"source": "user"},
    "alias": {"why": "user"},
    "test": {"source": "user"},
}


@lru_cache(maxsize=len(TYPES))
def _validator(kind: str) -> SchemaValidator:
    required, optional = _FIELDS[kind]
    tag = {"t": core_schema.literal_schema([kind])}
    return SchemaValidator(record({**tag, **required}, _optional(optional)))


class Line(NamedTuple):
    """A line that was read.

    Args:
        number: of the line, from 1.
        row: its record.
    """

    number: int
    row: Row


def read(stream: BinaryIO, name: str) -> Iterator[Line | Finding]:
    """Yield the records of a file, and for each fault of a line a finding with its place.

    Args:
        stream: the file.
        name: how messages call it.
    """
    number = 0
    while data := stream.readline(LONGEST_LINE):
        number += 1
        if len(data) == LONGEST_LINE and not data.endswith(b"\n"):
            yield _fault(name, number, f"it has more than {LONGEST_LINE} bytes", "split the record")
            return
        if data.strip():
            yield from _parsed(data, number, name)


def _parsed(data: bytes, number: int, name: str) -> Iterator[Line | Finding]:
    try:
        value = jsontext.parse(data.strip(), name)
    except InputError as error:
        column = error.detail.get("column")
        said = error.message.removeprefix(f"{name}:1:{column}: ").removeprefix(f"{name}: ")
        yield _fault(name, number, said, error.fix, column)
        return
    kind = value.get("t") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in TYPES:
        known = ", ".join(TYPES)
        yield _fault(name, number, f'its "t" is {kind!r:.60}', f"use one of {known}")
        return
    found, _ = shapes.faults(_validator(kind), value, CODE)
    for _, finding in found:
        yield _fault(name, number, finding.message, finding.fix, place=finding.subject)
    if not found:
        row = _row(kind, value)
        if isinstance(row, MetaRow) and row.key == "schema" and row.value != SCHEMA:
            said = f"the schema is {row.value!r:.60}, not {SCHEMA}"
            yield _fault(name, number, said, "write it in that schema")
        else:
            yield Line(number, row)


def _fault(
    name: str, number: int, message: str, fix: str, column: int | None = None, place: str = ""
) -> Finding:
    where = f"{name}:{number}" + (f":{column}" if column else "")
    detail = {"source": name, "line": number, "column": column, "place": place or None}
    return Finding(CODE, where, f"{where}: {message}", fix, detail)


def _row(kind: str, value: Mapping[str, Any]) -> Row:
    given = {**_DEFAULTS.get(kind, {})}
    given.update({key: each for key, each in value.items() if each is not None and key != "t"})
    if kind == "node":
        given.setdefault("name", _last(given["fqn"]))
        if "params" in given:
            given["params"] = json.dumps(given["params"])
        given["flags"] = tuple(flag for flag in FLAGS if flag in given.get("flags", ()))
    elif kind == "edge":
        given["times"] = given.pop("count", 1)
        if "attrs" in given:
            given["attrs"] = json.dumps(given["attrs"], sort_keys=True)
    elif kind == "unresolved":
        given["candidates"] = tuple(given.get("candidates", ()))
    return TYPES[kind](**given)


def _last(fqn: str) -> str:
    return fqn.replace("::", ".").replace("/", ".").rpartition(".")[2] or fqn


def written(rows: Iterable[Row]) -> Iterator[str]:
    r"""Yield records as lines; what has its default is left out.

    >>> next(written([NodeRow("a.B", "class", "B", "a.py", 3)]))
    '{"t": "node", "fqn": "a.B", "kind": "class", "name": "B", "path": "a.py", "line": 3}\n'
    """
    for row in rows:
        kind = _NAMES[type(row)]
        required = _FIELDS[kind][0]
        defaults = {**type(row)._field_defaults, **_DEFAULTS.get(kind, {})}
        said: dict[str, Any] = {"t": kind}
        for name, value in zip(row._fields, row, strict=True):
            if name not in required and value in (defaults.get(name), None, ()):
                continue
            said["count" if name == "times" else name] = _plain(name, value)
        yield json.dumps(said) + "\n"


def _plain(name: str, value: Any) -> Any:
    if name in ("params", "attrs"):
        return json.loads(value)
    return list(value) if isinstance(value, tuple) else value
