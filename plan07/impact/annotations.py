"""Whether one annotation is wider than another, as far as their text tells.

Aliases and class hierarchies are not known here: two annotations are compared as unions of names.
"""

from __future__ import annotations

import ast

_ALIASES = {
    "List": "list",
    "Dict": "dict",
    "Tuple": "tuple",
    "Set": "set",
    "FrozenSet": "frozenset",
    "Type": "type",
}
_ANYTHING = ("Any", "object")


def compared(old: str | None, new: str | None) -> str:
    """Return same, widened, narrowed, or other.

    >>> compared("str", "str | None"), compared("Optional[List[int]]", "list[int] | None")
    ('widened', 'same')
    >>> compared("int | str", "int"), compared("int", "str"), compared("Any", "int")
    ('narrowed', 'other', 'narrowed')

    Args:
        old: source text; None where there is no annotation, which says nothing.
        new: the same, later.
    """
    if old == new or old is None or new is None:
        return "same"
    before, after = _members(old), _members(new)
    if before == after:
        return "same"
    if before < after or after & set(_ANYTHING):
        return "widened"
    if before > after or before & set(_ANYTHING):
        return "narrowed"
    return "other"


def _members(text: str) -> frozenset[str]:
    try:
        return frozenset(_flat(ast.parse(text.strip(), mode="eval").body))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset([" ".join(text.split())])


def _flat(node: ast.expr) -> list[str]:
    """Return the members of a union, each as normal text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return sorted(_members(node.value))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_flat(node.left), *_flat(node.right)]
    if isinstance(node, ast.Subscript):
        name = _last(node.value)
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "Union":
            return [each for part in inner for each in _flat(part)]
        if name == "Optional":
            return [*_flat(node.slice), "None"]
        if name == "Annotated":
            return _flat(inner[0])
        parts = ["|".join(sorted(_flat(part))) for part in inner]
        return [f"{_ALIASES.get(name, name)}[{','.join(parts)}]"]
    if isinstance(node, ast.Name | ast.Attribute):
        return [_ALIASES.get(_last(node), _last(node))]
    if isinstance(node, ast.List):
        return [f"[{','.join('|'.join(sorted(_flat(each))) for each in node.elts)}]"]
    return [ast.unparse(node)]


def _last(node: ast.expr) -> str:
    """Return the last name of a dotted one; how a module is called does not matter."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ast.unparse(node)
