"""What a function's body says of its result and of the fields of `self`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from plan07_encoders.python.kinds import Sketch
from plan07_encoders.python.prints import parameters
from plan07_encoders.python.sketch import annotation, bind, either, sketch

_MOST_RESULTS = 4


class Body(NamedTuple):
    """What a body says.

    Args:
        results: sketches of what it returns; [None] if one of them is unknown or they are many.
        yields: sketches of what it yields; None if it is no generator.
        fields: (name, line, annotation, value) of each assignment to an attribute of self.
        always: names of those that are assigned under no condition.
    """

    results: list[Sketch]
    yields: list[Sketch] | None
    fields: list[tuple[str, int, Sketch, Sketch]]
    always: set[str]


def read_body(
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    receiver: dict[str, Sketch],
    is_fixture: bool = False,
    may_yield: bool = True,
) -> Body:
    """Return what a function's body says.

    Args:
        node: the function.
        receiver: the name of its first parameter, if it is a method, and what that stands for.
        is_fixture: its parameters name fixtures.
        may_yield: the file has a `yield` somewhere.
    """
    reader = _Reader(receiver, may_yield)
    for each in parameters(node.args):
        note = annotation(each.annotation)
        typed: Sketch = None if note is None else ["type", note]
        if each.kind == 2:
            typed = ["holds", "tuple", [typed]] if typed else None
        elif each.kind == 4:
            typed = ["holds", "dict", [["const", "str"], typed]] if typed else None
        if each.annotation is None and is_fixture:
            typed = ["fixture", each.name]
        reader.names.setdefault(each.name, typed)
    reader.block(node.body, 0)
    results: list[Sketch] = []
    for each_result in reader.results:
        if each_result not in results:
            results.append(each_result)
    if None in results or len(results) > _MOST_RESULTS:
        results = [None]
    return Body(results, reader.yields, reader.fields, reader.always)


class _Reader:
    def __init__(self, receiver: dict[str, Sketch], may_yield: bool) -> None:
        self.names: dict[str, Sketch] = {**receiver}
        self.results: list[Sketch] = []
        self.yields: list[Sketch] | None = None
        self.fields: list[tuple[str, int, Sketch, Sketch]] = []
        self.always: set[str] = set()
        self._may_yield = may_yield
        self._self = next((name for name, value in receiver.items() if value == ["self"]), None)

    def block(self, body: Sequence[ast.stmt], depth: int) -> None:
        for each in body:
            self._statement(each, depth)

    def _statement(self, node: ast.stmt, depth: int) -> None:
        if isinstance(node, ast.Assign):
            self._yields_in(node.value)
            value = sketch(node.value, self.names)
            for target in node.targets:
                self._assign(target, None, value, node.lineno, depth)
        elif isinstance(node, ast.Return):
            if node.value is not None:
                self._yields_in(node.value)
                self.results.append(sketch(node.value, self.names))
            else:
                self.results.append(["const", "NoneType"])
        elif isinstance(node, ast.Expr):
            self._yields_in(node.value)
        elif isinstance(node, ast.AnnAssign):
            note = annotation(node.annotation)
            value = sketch(node.value, self.names)
            self._assign(node.target, note, value, node.lineno, depth)
        elif isinstance(node, ast.AugAssign):
            self._assign(node.target, None, None, node.lineno, depth)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            # It is found by its name among the locals.
            self.names[node.name] = node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for each in node.names:
                name = each.asname or each.name.split(".")[0]
                self.names[name] = name
        elif isinstance(node, ast.Global | ast.Nonlocal):
            for each_name in node.names:
                self.names[each_name] = each_name
        else:
            self._compound(node, depth)

    def _compound(self, node: ast.stmt, depth: int) -> None:
        deeper = depth + 1
        if isinstance(node, ast.If | ast.While):
            self.block(node.body, deeper)
            self.block(node.orelse, deeper)
        elif isinstance(node, ast.For | ast.AsyncFor):
            over = sketch(node.iter, self.names)
            self._assign(node.target, None, over and ["each", over], node.lineno, deeper)
            self.block(node.body, deeper)
            self.block(node.orelse, deeper)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                if item.optional_vars is not None:
                    entered = sketch(item.context_expr, self.names)
                    value: Sketch = entered and ["enter", entered]
                    self._assign(item.optional_vars, None, value, node.lineno, depth)
            self.block(node.body, depth)
        elif isinstance(node, ast.Try | ast.TryStar):
            self.block(node.body, deeper)
            for handler in node.handlers:
                if handler.name:
                    note = annotation(handler.type)
                    self.names[handler.name] = note and ["type", note]
                self.block(handler.body, deeper)
            self.block(node.orelse, deeper)
            self.block(node.finalbody, deeper)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                for part in ast.walk(case.pattern):
                    if isinstance(part, ast.MatchAs | ast.MatchStar) and part.name:
                        self.names[part.name] = None
                self.block(case.body, deeper)

    def _assign(self, target: ast.expr, note: Sketch, value: Sketch, line: int, depth: int) -> None:
        if isinstance(target, ast.Name):
            meant: Sketch = ["type", note] if note is not None else value
            if depth and target.id in self.names and note is None:
                meant = either(self.names[target.id], meant)
            self.names[target.id] = meant
        elif isinstance(target, ast.Attribute):
            if isinstance(target.value, ast.Name) and target.value.id == self._self:
                self.fields.append((target.attr, line, note, value))
                if not depth:
                    self.always.add(target.attr)
        elif isinstance(target, ast.Tuple | ast.List):
            starred = any(isinstance(each, ast.Starred) for each in target.elts)
            for index, each in enumerate(target.elts):
                part: Sketch = None if starred or value is None else ["part", value, index]
                self._assign(each, None, part, line, depth)
        else:
            bind(target, None, self.names)

    def _yields_in(self, node: ast.expr) -> None:
        """Note what an expression yields; one that stands deep within it is unknown."""
        if isinstance(node, ast.Yield):
            found = sketch(node.value, self.names) if node.value else ["const", "NoneType"]
        elif isinstance(node, ast.YieldFrom):
            inner = sketch(node.value, self.names)
            found = inner and ["each", inner]
        elif self._may_yield and isinstance(node, ast.Call) and _holds_yield(node):
            found = None
        else:
            return
        self.yields = [*(self.yields or []), found][:_MOST_RESULTS]


def _holds_yield(node: ast.expr) -> bool:
    todo: list[ast.AST] = [node]
    while todo:
        each = todo.pop()
        if isinstance(each, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(each, ast.Lambda):
            todo += ast.iter_child_nodes(each)
    return False
