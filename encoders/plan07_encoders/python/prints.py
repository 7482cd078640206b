"""Signatures as text, and hashes that change when code changes in more than its layout."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

_KINDS = (
    "positional_only",
    "positional_or_keyword",
    "var_positional",
    "keyword_only",
    "var_keyword",
)
_LONGEST = 200
# What has no fields, and stands in every name: whether it is read or written.
_BARE = frozenset((ast.Load, ast.Store, ast.Del))


class Parameter(NamedTuple):
    """A parameter of a function.

    Args:
        name: as it is called.
        kind: 0 to 4, in the order of the wire's words.
        annotation, default: expressions, if there are any.
    """

    name: str
    kind: int
    annotation: ast.expr | None
    default: ast.expr | None


def parameters(args: ast.arguments) -> list[Parameter]:
    """Return the parameters of a function in their order."""
    found: list[Parameter] = []
    plain = [*args.posonlyargs, *args.args]
    without = len(plain) - len(args.defaults)
    for index, each in enumerate(plain):
        default = args.defaults[index - without] if index >= without else None
        kind = 0 if index < len(args.posonlyargs) else 1
        found.append(Parameter(each.arg, kind, each.annotation, default))
    if args.vararg:
        found.append(Parameter(args.vararg.arg, 2, args.vararg.annotation, None))
    for each, value in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        found.append(Parameter(each.arg, 3, each.annotation, value))
    if args.kwarg:
        found.append(Parameter(args.kwarg.arg, 4, args.kwarg.annotation, None))
    return found


def text(node: ast.expr | None) -> str | None:
    """Return an expression as source text on one line, shortened where it is long."""
    if node is None:
        return None
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant) and not isinstance(node.value, float):
        return repr(node.value)[:_LONGEST]
    found = " ".join(ast.unparse(node).split())
    return found if len(found) <= _LONGEST else found[: _LONGEST - 3] + "..."


def wire(found: Sequence[Parameter]) -> list[dict[str, Any]]:
    """Return parameters as the column `params` holds them."""
    return [
        {
            "name": each.name,
            "kind": _KINDS[each.kind],
            "type": text(each.annotation),
            "default": text(each.default),
        }
        for each in found
    ]


def signature(params: Sequence[dict[str, Any]], returns: str | None) -> str:
    """Return the signature that parameters of the wire make.

    >>> one = {"name": "a", "kind": "positional_only", "type": "int", "default": "1"}
    >>> two = {"name": "b", "kind": "keyword_only", "type": None, "default": None}
    >>> signature([one, two], "str")
    '(a: int = 1, /, *, b) -> str'
    """
    parts: list[str] = []
    previous = ""
    for each in params:
        kind = each["kind"]
        if previous == "positional_only" and kind != previous:
            parts.append("/")
        if kind == "keyword_only" and previous not in ("keyword_only", "var_positional"):
            parts.append("*")
        stars = {"var_positional": "*", "var_keyword": "**"}.get(kind, "")
        shown = stars + str(each["name"])
        if each["type"] is not None:
            shown += f": {each['type']}"
        if each["default"] is not None:
            shown += f" = {each['default']}" if each["type"] is not None else f"={each['default']}"
        parts.append(shown)
        previous = kind
    if previous == "positional_only":
        parts.append("/")
    arrow = f" -> {returns}" if returns is not None else ""
    return f"({', '.join(parts)}){arrow}"


def digest(value: Any) -> str:
    """Return a short hash of a JSON value."""
    return blake2b(json.dumps(value, ensure_ascii=True).encode(), digest_size=8).hexdigest()


def body_hash(body: Iterable[ast.AST]) -> str:
    """Return a hash of statements; layout, comments and a leading docstring do not count."""
    parts: list[str] = []
    for index, statement in enumerate(body):
        if index == 0 and is_docstring(statement):
            continue
        _collect(statement, parts)
    # Texts may hold half a surrogate pair.
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def is_docstring(node: ast.AST) -> bool:
    """Whether a statement is nothing but a text."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _collect(node: ast.AST, parts: list[str]) -> None:
    parts.append(node.__class__.__name__)
    for field in node._fields:
        value = getattr(node, field, None)
        kind = value.__class__
        if kind is list:
            if not value:
                # Newer versions of Python add fields that are empty in older code.
                continue
            parts.append(f"{field}[")
            for each in value:
                if isinstance(each, ast.AST):
                    _collect(each, parts)
                else:
                    parts.append(repr(each))
            parts.append("]")
        elif kind in _BARE:
            parts.append(kind.__name__)
        elif isinstance(value, ast.AST):
            _collect(value, parts)
        elif value is not None or field == "value":
            parts.append(repr(value))
