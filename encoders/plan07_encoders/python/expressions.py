"""The second pass, expressions: what each uses, and what its value is."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from plan07_encoders.python import kinds
from plan07_encoders.python.calls import Arguments
from plan07_encoders.python.callsites import CallSites
from plan07_encoders.python.kinds import Type, Types, instance_of
from plan07_encoders.python.ledger import Ledger
from plan07_encoders.python.sketch import last_name, quoted
from plan07_encoders.python.values import World

_OPERATORS = {
    ast.Add: "__add__",
    ast.Sub: "__sub__",
    ast.Mult: "__mul__",
    ast.MatMult: "__matmul__",
    ast.Div: "__truediv__",
    ast.FloorDiv: "__floordiv__",
    ast.Mod: "__mod__",
    ast.Pow: "__pow__",
    ast.BitOr: "__or__",
    ast.BitAnd: "__and__",
    ast.BitXor: "__xor__",
    ast.LShift: "__lshift__",
    ast.RShift: "__rshift__",
    ast.Eq: "__eq__",
    ast.NotEq: "__ne__",
    ast.Lt: "__lt__",
    ast.LtE: "__le__",
    ast.Gt: "__gt__",
    ast.GtE: "__ge__",
}


class Expressions(CallSites):
    """Walks expressions of every other kind, and annotations."""

    def __init__(self, world: World, ledger: Ledger) -> None:
        super().__init__(world, ledger)
        self._visitors: dict[type[ast.AST], Callable[[Any], Types]] = {
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Call: self._call,
            ast.Constant: self._constant,
            ast.Subscript: self._subscript,
            ast.Lambda: self._lambda,
            ast.IfExp: self._if,
            ast.BoolOp: self._bool,
            ast.BinOp: self._binary,
            ast.Compare: self._compare,
            ast.Await: self._await,
            ast.NamedExpr: self._walrus,
            ast.Tuple: self._tuple,
            ast.List: self._list,
            ast.Set: self._list,
            ast.Dict: self._dict,
            ast.ListComp: self._comprehension,
            ast.SetComp: self._comprehension,
            ast.GeneratorExp: self._comprehension,
            ast.DictComp: self._comprehension,
            ast.Starred: self._starred,
            ast.YieldFrom: self._yield,
            ast.Yield: self._yield,
            ast.JoinedStr: self._text,
        }

    def value(self, node: ast.expr | None) -> Types:
        """Return what an expression is, its uses noted."""
        if node is None:
            return ()
        visitor = self._visitors.get(type(node))
        if visitor is not None:
            return visitor(node)
        for each in ast.iter_child_nodes(node):
            if isinstance(each, ast.expr):
                self.value(each)
        return ()

    def _constant(self, node: ast.Constant) -> Types:
        return (instance_of(f"builtins.{type(node.value).__name__}"),)

    def _text(self, node: ast.JoinedStr) -> Types:
        for each in node.values:
            if isinstance(each, ast.FormattedValue):
                self.value(each.value)
                if each.format_spec is not None:
                    self.value(each.format_spec)
        return (instance_of("builtins.str"),)

    def _subscript(self, node: ast.Subscript) -> Types:
        base = self.value(node.value)
        index = self.value(node.slice)
        if isinstance(node.slice, ast.Slice):
            return base
        self.special(base, "__getitem__", node)
        if any(each.kind in (kinds.CLASS, kinds.OUTSIDE) for each in base):
            return base
        del index
        return self.world.subscripted(base, _number(node.slice))

    def _lambda(self, node: ast.Lambda) -> Types:
        for default in [*node.args.defaults, *node.args.kw_defaults]:
            self.value(default)
        names = [each.arg for each in [*node.args.posonlyargs, *node.args.args]]
        names += [each.arg for each in node.args.kwonlyargs]
        names += [each.arg for each in (node.args.vararg, node.args.kwarg) if each]
        saved = self._shadow(names)
        result = self.value(node.body)
        self._restore(saved)
        return (Type(kinds.CALLABLE, "", "", (result,)),) if result else ()

    def _shadow(self, names: list[str]) -> dict[str, Types | None]:
        saved = {name: self.scope.env.get(name) for name in names}
        for name in names:
            self.scope.env[name] = ()
        return saved

    def _restore(self, saved: dict[str, Types | None]) -> None:
        for name, types in saved.items():
            if types is None:
                self.scope.env.pop(name, None)
            else:
                self.scope.env[name] = types

    def _if(self, node: ast.IfExp) -> Types:
        self.value(node.test)
        before = dict(self.scope.env)
        self.narrow(node.test, True)
        first = self.value(node.body)
        self.scope.env = dict(before)
        self.narrow(node.test, False)
        second = self.value(node.orelse)
        self.scope.env = before
        return kinds.union(first, second)

    def _bool(self, node: ast.BoolOp) -> Types:
        before = dict(self.scope.env)
        parts: list[Types] = []
        conjunction = isinstance(node.op, ast.And)
        for each in node.values:
            parts.append(self.value(each))
            self.narrow(each, conjunction)
        self.scope.env = before
        if conjunction:
            return parts[-1]
        return kinds.union(*(kinds.some(each) for each in parts[:-1]), parts[-1])

    def _binary(self, node: ast.BinOp) -> Types:
        left, right = self.value(node.left), self.value(node.right)
        name = _OPERATORS.get(type(node.op), "")
        method = self.special(left, name, node) if name else ()
        if not method and name:
            method = self.special(right, f"__r{name[2:]}", node)
        if method:
            return self.world.call(method, Arguments((right,)))
        if left == right or (left and isinstance(node.op, ast.Mod)):
            return left
        return ()

    def _compare(self, node: ast.Compare) -> Types:
        left = self.value(node.left)
        for operator, each in zip(node.ops, node.comparators, strict=True):
            right = self.value(each)
            if isinstance(operator, ast.In | ast.NotIn):
                self.special(right, "__contains__", node)
            elif type(operator) in _OPERATORS:
                self.special(left, _OPERATORS[type(operator)], node)
            left = right
        return (instance_of("builtins.bool"),)

    def _await(self, node: ast.Await) -> Types:
        return self.world.awaited(self.value(node.value))

    def _walrus(self, node: ast.NamedExpr) -> Types:
        types = self.value(node.value)
        self.assign(node.target, types)
        return types

    def _tuple(self, node: ast.Tuple) -> Types:
        parts = [self.value(each) for each in node.elts]
        if any(isinstance(each, ast.Starred) for each in node.elts):
            return (instance_of("builtins.tuple"),)
        return (instance_of("builtins.tuple", *parts[:12]),)

    def _list(self, node: ast.List | ast.Set) -> Types:
        parts = [self.value(each) for each in node.elts]
        inner = kinds.union(*parts) if parts and all(parts) else ()
        name = "list" if isinstance(node, ast.List) else "set"
        return (instance_of(f"builtins.{name}", inner),)

    def _dict(self, node: ast.Dict) -> Types:
        keys = [self.value(each) for each in node.keys if each is not None]
        values = [self.value(each) for each in node.values]
        inner = [kinds.union(*each) if each and all(each) else () for each in (keys, values)]
        return (instance_of("builtins.dict", *inner),)

    def _starred(self, node: ast.Starred) -> Types:
        self.value(node.value)
        return ()

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> Types:
        self.value(node.value)
        return ()

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
    ) -> Types:
        before, totals = dict(self.scope.env), dict(self.scope.totals)
        for each in node.generators:
            over = self.value(each.iter)
            self.special(over, "__iter__", each.iter)
            self._bind(each.target, self.world.iterated(over))
            for test in each.ifs:
                self.value(test)
                self.narrow(test, True)
        if isinstance(node, ast.DictComp):
            parts = (self.value(node.key), self.value(node.value))
            result = instance_of("builtins.dict", *parts)
        else:
            name = {ast.ListComp: "builtins.list", ast.SetComp: "builtins.set"}.get(
                type(node), "typing.Iterator"
            )
            result = instance_of(name, self.value(node.elt))
        self.scope.env, self.scope.totals = before, totals
        return (result,)

    def _bind(self, target: ast.expr, types: Types) -> None:
        """Bind the names of a comprehension, which are no names of the scope around it."""
        if isinstance(target, ast.Name):
            self.scope.env[target.id] = types
            self.scope.forget_parts(target.id)
        elif isinstance(target, ast.Tuple | ast.List):
            starred = any(isinstance(each, ast.Starred) for each in target.elts)
            for index, each in enumerate(target.elts):
                self._bind(each, () if starred else self.world.part(types, index))
        elif isinstance(target, ast.Starred):
            self._bind(target.value, ())
        else:
            self.value(target)

    # Annotations.

    def annotation(self, node: ast.expr | None, depth: int = 0) -> None:
        """Note the types that an annotation names."""
        if node is None or depth > 20:
            return
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                self.annotation(quoted(node), depth + 1)
        elif isinstance(node, ast.Name):
            found, exact = self.named(node.id)
            self.note_all("uses_type", found, node, exact)
            if not any(each.entity for each in found):
                for each in found:
                    for one in each.types:
                        if one.kind == kinds.CLASS and one.module:
                            self.note("uses_type", kinds.fqn(one), node, exact, False)
        elif isinstance(node, ast.Attribute):
            found, base = self.attributes(node)
            self.note_all("uses_type", found, node, self.is_exact(node, base))
        elif isinstance(node, ast.Subscript):
            self.annotation(node.value, depth + 1)
            if last_name(node.value) == "Annotated" and isinstance(node.slice, ast.Tuple):
                self.annotation(node.slice.elts[0], depth + 1)
                for part in node.slice.elts[1:]:
                    self.value(part)
            elif last_name(node.value) != "Literal":
                self.annotation(node.slice, depth + 1)
        else:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.annotation(child, depth + 1)


def _number(node: ast.expr) -> int | None:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    return None
