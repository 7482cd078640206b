"""The second pass, statements: what each entity of a file uses."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from plan07_encoders.python import kinds
from plan07_encoders.python.calls import Arguments
from plan07_encoders.python.definitions import Definitions
from plan07_encoders.python.kinds import Types
from plan07_encoders.python.noting import dotted
from plan07_encoders.python.scopes import Environment, leaves, merged


class Walk(Definitions):
    """Walks the statements of a file."""

    def run(self, tree: ast.Module) -> None:
        """Walk a whole file."""
        self.block(tree.body)
        self.finish()

    def block(self, body: Sequence[ast.stmt]) -> None:
        """Walk some statements in their order."""
        for each in body:
            self._statement(each)

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Expr | ast.Return):
            self.value(node.value)
        elif isinstance(node, ast.Assign):
            types = self.value(node.value)
            for target in node.targets:
                self.assign(target, types)
        elif isinstance(node, ast.AnnAssign):
            self._annotated(node)
        elif isinstance(node, ast.AugAssign):
            self._augmented(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self.function(node)
        elif isinstance(node, ast.ClassDef):
            self.class_(node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            self.imports(node)
        elif isinstance(node, ast.If):
            self._branches(node)
        elif isinstance(node, ast.Assert):
            self.value(node.test)
            self.value(node.msg)
            self.narrow(node.test, True)
        elif isinstance(node, ast.Raise):
            self.value(node.exc)
            self.value(node.cause)
        elif isinstance(node, ast.Delete):
            for each in node.targets:
                self.value(each)
        else:
            self._compound(node)

    def _compound(self, node: ast.stmt) -> None:
        if isinstance(node, ast.For | ast.AsyncFor):
            over = self.value(node.iter)
            special = "__aiter__" if isinstance(node, ast.AsyncFor) else "__iter__"
            self.special(over, special, node.iter)
            before = dict(self.scope.env)
            self.assign(node.target, self.world.iterated(over))
            self._loop(node, before)
        elif isinstance(node, ast.While):
            self.value(node.test)
            before = dict(self.scope.env)
            self.narrow(node.test, True)
            self._loop(node, before)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                self._enter(item, "__a{}__" if isinstance(node, ast.AsyncWith) else "__{}__")
            self.block(node.body)
        elif isinstance(node, ast.Try | ast.TryStar):
            self._try(node)
        elif isinstance(node, ast.Match):
            self._match(node)
        elif node.__class__.__name__ == "TypeAlias":
            self.annotation(dict(ast.iter_fields(node))["value"])

    # Assignments.

    def assign(self, target: ast.expr, types: Types) -> None:
        """Let a target hold a value, and note what is written."""
        if isinstance(target, ast.Name):
            self._assign_name(target, types)
        elif isinstance(target, ast.Attribute):
            found, base = self.attributes(target)
            for each in found:
                if each.entity and each.kind in ("field", "variable", "property"):
                    self.note("writes", each.entity, target, False, len(base) > 1)
            key = dotted(target)
            if key:
                self.scope.forget_parts(key)
                if types:
                    self.scope.env[key] = types
                else:
                    self.scope.env.pop(key, None)
        elif isinstance(target, ast.Subscript):
            base = self.value(target.value)
            self.value(target.slice)
            self.special(base, "__setitem__", target)
        elif isinstance(target, ast.Tuple | ast.List):
            starred = any(isinstance(each, ast.Starred) for each in target.elts)
            for index, each_target in enumerate(target.elts):
                part = () if starred else self.world.part(types, index)
                self.assign(each_target, part)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, ())

    def _assign_name(self, target: ast.Name, types: Types) -> None:
        scope = self.scope
        if target.id in scope.globals:
            for each in self.world.member(self.world.module, target.id, inner=False):
                if each.kind == "variable":
                    self.note("writes", each.entity, target, True, False)
        elif scope.kind == "function":
            scope.hold(target.id, types)
        elif target.id in scope.env:
            # A narrowed name of a module or class holds something else from here on.
            del scope.env[target.id]
        else:
            scope.forget_parts(target.id)

    def _annotated(self, node: ast.AnnAssign) -> None:
        self.annotation(node.annotation)
        value = self.value(node.value)
        if node.value is None and not isinstance(node.target, ast.Name):
            self.value(node.target)
            return
        noted = self.annotated_types(node.annotation)
        self.assign(node.target, _closer(noted, value))

    def _augmented(self, node: ast.AugAssign) -> None:
        held = self.value(_loaded(node.target))
        value = self.value(node.value)
        name = {ast.Add: "__iadd__", ast.Sub: "__isub__", ast.BitOr: "__ior__"}.get(type(node.op))
        method = self.special(held, name, node) if name else ()
        if not method:
            binary = ast.BinOp(_loaded(node.target), node.op, node.value)
            ast.copy_location(binary, node)
            self._operator(binary, held)
        del value
        self.assign(
            node.target, held if not method else self.world.call(method, Arguments((held,)))
        )

    def _operator(self, node: ast.BinOp, held: Types) -> None:
        name = {ast.Add: "__add__", ast.Sub: "__sub__", ast.BitOr: "__or__"}.get(type(node.op))
        if name:
            self.special(held, name, node)

    # Branches.

    def _branches(self, node: ast.If) -> None:
        self.value(node.test)
        before = dict(self.scope.env)
        self.narrow(node.test, True)
        self.block(node.body)
        first = self.scope.env
        self.scope.env = dict(before)
        self.narrow(node.test, False)
        self.block(node.orelse)
        second = self.scope.env
        ways = [
            way for way, body in ((first, node.body), (second, node.orelse)) if not leaves(body)
        ]
        self.scope.env = merged(ways or [before])

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While, before: Environment) -> None:
        self.block(node.body)
        after = self.scope.env
        self.scope.env = merged([before, after])
        self.block(node.orelse)

    def _enter(self, item: ast.withitem, form: str) -> None:
        types = self.value(item.context_expr)
        self.special(types, form.format("enter"), item.context_expr)
        self.special(types, form.format("exit"), item.context_expr)
        if item.optional_vars is not None:
            self.assign(item.optional_vars, self.world.entered(types))

    def _try(self, node: ast.Try | ast.TryStar) -> None:
        before = dict(self.scope.env)
        self.block(node.body)
        middle = merged([before, self.scope.env])
        self.block(node.orelse)
        ways = [] if leaves(node.orelse or node.body) else [self.scope.env]
        for handler in node.handlers:
            self.scope.env = dict(middle)
            types = self.value(handler.type)
            if handler.name:
                self.scope.hold(handler.name, self._caught(types, handler.type))
            self.block(handler.body)
            if not leaves(handler.body):
                ways.append(self.scope.env)
        self.scope.env = merged(ways or [middle])
        self.block(node.finalbody)

    def _caught(self, types: Types, node: ast.expr | None) -> Types:
        if isinstance(node, ast.Tuple):
            types = tuple(each for part in node.elts for each in self.quiet(part))
        return kinds.union(
            tuple(
                each._replace(kind=kinds.INSTANCE)
                if each.kind == kinds.CLASS
                else each._replace(kind=kinds.OUTSIDE_INSTANCE)
                for each in types
                if each.kind in (kinds.CLASS, kinds.OUTSIDE)
            )
        )

    def _match(self, node: ast.Match) -> None:
        subject = self.value(node.subject)
        before = dict(self.scope.env)
        ways: list[Environment] = [before]
        for case in node.cases:
            self.scope.env = dict(before)
            matched = self._pattern(case.pattern, subject)
            key = dotted(node.subject)
            if key and matched:
                self.scope.env[key] = matched
            self.value(case.guard)
            self.block(case.body)
            if not leaves(case.body):
                ways.append(self.scope.env)
        self.scope.env = merged(ways)

    def _pattern(self, node: ast.pattern, subject: Types) -> Types:
        """Note what a pattern names, bind its names, and return what it matches."""
        if isinstance(node, ast.MatchClass):
            for each in [*node.patterns, *node.kwd_patterns]:
                self._pattern(each, ())
            return tuple(
                each._replace(kind=kinds.INSTANCE)
                for each in self.value(node.cls)
                if each.kind == kinds.CLASS
            )
        if isinstance(node, ast.MatchValue):
            self.value(node.value)
            return ()
        if isinstance(node, ast.MatchAs):
            found = self._pattern(node.pattern, subject) if node.pattern else subject
            if node.name:
                self.scope.hold(node.name, found)
            return found
        if isinstance(node, ast.MatchOr):
            parts = [self._pattern(each, subject) for each in node.patterns]
            return kinds.union(*parts) if all(parts) else ()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.pattern):
                self._pattern(child, ())
            elif isinstance(child, ast.expr):
                self.value(child)
        name = getattr(node, "name", None) or getattr(node, "rest", None)
        if isinstance(name, str):
            self.scope.hold(name, ())
        return ()


def _closer(noted: Types, value: Types) -> Types:
    """Return the value's type where it says more than the annotation."""
    closer = kinds.some(value)
    if not noted or any(each.kind == kinds.CALLABLE for each in noted):
        return value or noted
    wanted = {(each.kind, each.module, each.name) for each in noted}
    if closer and len(noted) > 1 and all((e.kind, e.module, e.name) in wanted for e in closer):
        return closer
    return noted


def _loaded(node: ast.expr) -> ast.expr:
    """Return the target of `x += 1` as it is read."""
    if isinstance(node, ast.Name):
        return ast.copy_location(ast.Name(node.id, ast.Load()), node)
    if isinstance(node, ast.Attribute):
        return ast.copy_location(ast.Attribute(node.value, node.attr, ast.Load()), node)
    return node
