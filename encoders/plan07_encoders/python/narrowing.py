"""What a test says of the values in it."""

from __future__ import annotations

import ast

from plan07_encoders.python import kinds
from plan07_encoders.python.expressions import Expressions
from plan07_encoders.python.kinds import Type, Types
from plan07_encoders.python.noting import dotted


class Narrowing(Expressions):
    """Narrows what names hold by isinstance, comparisons with None, and truth."""

    def narrow(self, test: ast.expr, holds: bool) -> None:
        """Note what a test says of the names in it.

        Args:
            test: the condition.
            holds: whether it is true from here on.
        """
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self.narrow(test.operand, not holds)
        elif isinstance(test, ast.BoolOp):
            if isinstance(test.op, ast.And) == holds:
                for each in test.values:
                    self.narrow(each, holds)
        elif isinstance(test, ast.Call):
            self._instance(test, holds)
        elif isinstance(test, ast.Compare) and len(test.ops) == 1:
            self._compared(test, holds)
        elif isinstance(test, ast.NamedExpr):
            self.narrow(test.target, holds)
        elif holds:
            self._replace(test, kinds.some(self.quiet(test)))

    def _replace(self, node: ast.expr, types: Types) -> None:
        key = dotted(node)
        if key and types and ("." in key or key in self.scope.env):
            self.scope.env[key] = types

    def _instance(self, test: ast.Call, holds: bool) -> None:
        if (
            not isinstance(test.func, ast.Name)
            or test.func.id not in ("isinstance", "issubclass")
            or len(test.args) != 2
        ):
            return
        node, named = test.args
        kind = kinds.INSTANCE if test.func.id == "isinstance" else kinds.CLASS
        wanted = self._classes(named, kind)
        key = dotted(node)
        if not key or not wanted:
            if key and holds:
                self.scope.env[key] = ()
            return
        now = self.quiet(node)
        if holds:
            kept = tuple(each for each in now if self._is_one_of(each, wanted))
            self.scope.env[key] = kept or wanted
        else:
            left = tuple(each for each in now if not self._is_one_of(each, wanted))
            if left:
                self.scope.env[key] = left

    def _classes(self, node: ast.expr, kind: str) -> Types:
        """Return instances of the classes that a test names; nothing if one is not known."""
        if isinstance(node, ast.Tuple):
            parts = [self._classes(each, kind) for each in node.elts]
            return kinds.union(*parts) if all(parts) else ()
        if isinstance(node, ast.BinOp):
            parts = [self._classes(node.left, kind), self._classes(node.right, kind)]
            return kinds.union(*parts) if all(parts) else ()
        found: list[Type] = []
        for each in self.quiet(node):
            if each.kind == kinds.CLASS and each.module:
                found.append(each._replace(kind=kind))
            elif each.kind == kinds.OUTSIDE and each.module and kind == kinds.INSTANCE:
                found.append(Type(kinds.OUTSIDE_INSTANCE, each.module))
            else:
                return ()
        return tuple(found)

    def _is_one_of(self, found: Type, wanted: Types) -> bool:
        for each in wanted:
            if found.kind == each.kind == kinds.OUTSIDE_INSTANCE:
                if found.module.rpartition(".")[2] == each.module.rpartition(".")[2]:
                    return True
            elif found.kind == each.kind and self.world.is_subclass(found, each):
                return True
        return False

    def _compared(self, test: ast.Compare, holds: bool) -> None:
        right = test.comparators[0]
        if not (isinstance(right, ast.Constant) and right.value is None):
            return
        is_none = isinstance(test.ops[0], ast.Is | ast.Eq) == holds
        if not is_none and isinstance(test.ops[0], ast.Is | ast.Eq | ast.IsNot | ast.NotEq):
            left = test.left.target if isinstance(test.left, ast.NamedExpr) else test.left
            self._replace(left, kinds.some(self.quiet(left)))
