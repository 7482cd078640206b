"""What the head of a definition says: decorators, type parameters, bases."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from plan07_encoders.python import prints
from plan07_encoders.python.kinds import Sketch
from plan07_encoders.python.sketch import last_name
from plan07_encoders.python.tables import Function

_PROPERTIES = ("property", "cached_property", "abstractproperty", "setter", "getter", "deleter")


def same_property(known: Function, table: Function) -> bool:
    """Whether two definitions are the getter and the setter of one property."""
    return "property" in known["flags"] and "property" in table["flags"]


def flags_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Return what the decorators and the name of a function say of it."""
    found = {"async"} if isinstance(node, ast.AsyncFunctionDef) else set()
    for each in node.decorator_list:
        name = last_name(each.func if isinstance(each, ast.Call) else each)
        if name == "staticmethod":
            found.add("static")
        elif name in ("classmethod", "overload", "fixture"):
            found.add(name)
        elif name in _PROPERTIES:
            found.add("property")
        if name.startswith("abstract"):
            found.add("abstract")
    if node.name in ("__new__",):
        found.add("static")
    if node.name in ("__init_subclass__", "__class_getitem__"):
        found.add("classmethod")
    return found


def receiver_of(table: Function, params: Sequence[prints.Parameter]) -> dict[str, Sketch]:
    """Return what the first parameter of a method stands for."""
    if not table["holder"] or "static" in table["flags"] or not params or params[0].kind > 1:
        return {}
    return {params[0].name: ["cls"] if "classmethod" in table["flags"] else ["self"]}


def fixture_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """Return the name of the pytest fixture that a function is, None if it is none."""
    for each in node.decorator_list:
        function = each.func if isinstance(each, ast.Call) else each
        if last_name(function) == "fixture":
            for keyword in each.keywords if isinstance(each, ast.Call) else ():
                if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                    return str(keyword.value.value)
            return node.name
    return None


def generics_of(node: ast.AST) -> list[str]:
    """Return the names of type parameters in brackets, from Python 3.12 on."""
    return [str(each.name) for each in getattr(node, "type_params", ())]


def generic_bases(node: ast.ClassDef) -> list[str]:
    """Return the type parameters of the bases, those of Generic or Protocol before others."""
    found: list[str] = []
    for base in node.bases:
        if isinstance(base, ast.Subscript):
            parts = base.slice.elts if isinstance(base.slice, ast.Tuple) else [base.slice]
            names = [each.id for each in parts if isinstance(each, ast.Name)]
            if last_name(base.value) in ("Generic", "Protocol"):
                return names
            found += [each for each in names if each not in found]
    return found


def unsubscripted(node: ast.expr) -> ast.expr:
    """Return `A` for `A[B]`."""
    return node.value if isinstance(node, ast.Subscript) else node


def is_type(node: ast.expr) -> bool:
    """Whether an expression reads as a type."""
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript)
