"""The second pass, expressions: what each uses, and what its value is."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from plan07_encoders.python import kinds
from plan07_encoders.python.calls import Arguments
from plan07_encoders.python.kinds import Type, Types, instance_of
from plan07_encoders.python.ledger import Ledger, Passed
from plan07_encoders.python.names import Found, Place
from plan07_encoders.python.scopes import Scope
from plan07_encoders.python.sketch import last_name, quoted
from plan07_encoders.python.values import World

_SURE = 1.0
_TYPED = 0.9
_ONE_OF_SEVERAL = 0.7
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
_FUNCTION_KINDS = (kinds.FUNCTION, kinds.METHOD, kinds.DECORATED)


class Expressions:
    """Walks expressions, notes what they use and returns what they are.

    Args:
        world: answers about names and types.
        ledger: where uses are noted.
    """

    def __init__(self, world: World, ledger: Ledger) -> None:
        self.world = world
        self.ledger = ledger
        self.scope = Scope("module", world.module, Place(world.module))
        self.src = world.module
        self._quiet = 0
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

    # What the statements add.

    def assign(self, target: ast.expr, types: Types) -> None:
        """Let a target hold a value."""
        raise NotImplementedError

    def narrow(self, test: ast.expr, holds: bool) -> None:
        """Note what a test says of the names in it."""
        raise NotImplementedError

    # Noting uses.

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

    def quiet(self, node: ast.expr | None) -> Types:
        """Return what an expression is, and note nothing."""
        self._quiet += 1
        try:
            return self.value(node)
        finally:
            self._quiet -= 1

    def note(
        self, kind: str, entity: str, node: ast.AST, exact: bool, several: bool, **more: Any
    ) -> None:
        """Note an edge from the entity that is walked."""
        if self._quiet:
            return
        sure = exact and not several
        confidence = _SURE if sure else (_ONE_OF_SEVERAL if several else _TYPED)
        line = getattr(node, "end_lineno", 0) if isinstance(node, ast.Attribute) else 0
        self.ledger.use(
            self.src,
            kind,
            entity,
            line or getattr(node, "lineno", 1),
            "exact" if sure else "typed",
            confidence,
            **more,
        )

    def note_outside(self, kind: str, types: Types, node: ast.AST) -> None:
        """Note the use of objects outside the repository."""
        if not self._quiet:
            for each in types:
                if each.kind == kinds.OUTSIDE and each.module and not each.args:
                    self.ledger.use_outside(self.src, kind, each.module, getattr(node, "lineno", 1))

    def _note_all(self, kind: str, found: tuple[Found, ...], node: ast.AST, exact: bool) -> None:
        entities = [each for each in found if each.entity]
        for each in entities:
            if each.kind != "module" or kind != "references":
                self.note(kind, each.entity, node, exact, len(entities) > 1)
        for each in found:
            if not each.entity and each.kind == "outside":
                self.note_outside(kind, each.types, node)

    # Names.

    def named(self, name: str) -> tuple[tuple[Found, ...], bool]:
        """Return what a name leads to, and whether a definition or import says so."""
        scope: Scope | None = self.scope
        while scope is not None:
            if scope is self.scope and name in scope.env:
                return (Found("", "", scope.env[name]),), name in scope.static
            if name in scope.locals:
                static = name in scope.static
                types = () if scope is self.scope else scope.totals.get(name, ())
                return (Found("", "", types),), static
            if scope.kind == "class" and scope is self.scope:
                found = self._class_name(scope, name)
                if found:
                    return found, True
            scope = scope.outer
        return self.world.lookup(name, Place(self.world.module)), True

    def _class_name(self, scope: Scope, name: str) -> tuple[Found, ...]:
        table = self.world.table(self.world.module)["classes"].get(scope.place.qual)
        if table is None or name not in table["names"]:
            return ()
        qual = f"{scope.place.qual}.{name}"
        return self.world.bound_in(table["names"][name], self.world.module, qual, scope.place)

    def _name(self, node: ast.Name) -> Types:
        found, exact = self.named(node.id)
        self._note_all("references", found, node, exact)
        if len(found) == 1 and not found[0].entity and found[0].kind == "":
            # An import within the function names its entities by their types.
            self._note_types(found[0].types, node, exact)
            return found[0].types
        return kinds.union(*(each.types for each in found))

    def _note_types(self, types: Types, node: ast.AST, exact: bool) -> None:
        for each in types:
            is_ours = each.kind in _FUNCTION_KINDS or (each.kind == kinds.CLASS and each.module)
            if exact and is_ours:
                self.note("references", kinds.fqn(each), node, exact, len(types) > 1)

    def is_static(self, node: ast.expr) -> bool:
        """Whether an expression is a name of a definition or import, or an attribute of one."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if not isinstance(node, ast.Name):
            return False
        found, exact = self.named(node.id)
        return exact and all(each.kind in ("", "module", "class", "outside") for each in found)

    def _attribute(self, node: ast.Attribute) -> Types:
        found, base = self.attributes(node)
        exact = self._is_exact(node, base)
        self._note_all("references", found, node, exact)
        types = kinds.union(*(each.types for each in found))
        key = dotted(node)
        return self.scope.env.get(key, types) if key else types

    def _is_exact(self, node: ast.Attribute, base: Types) -> bool:
        return self.is_static(node.value) and all(
            each.kind in (kinds.MODULE, kinds.CLASS, kinds.OUTSIDE) for each in base
        )

    def attributes(self, node: ast.Attribute) -> tuple[tuple[Found, ...], Types]:
        """Return what an attribute leads to, and what it is an attribute of, its uses noted."""
        base = self.value(node.value)
        found: dict[Found, None] = {}
        for each in base:
            for hit in self.world.attribute(each, node.attr):
                found.setdefault(hit)
        return tuple(found), base

    # Calls.

    def _call(self, node: ast.Call) -> Types:
        function = node.func
        if isinstance(function, ast.Name) and function.id == "super":
            return self._super(node)
        if isinstance(function, ast.Name):
            found, exact = self.named(function.id)
        elif isinstance(function, ast.Attribute):
            found, base = self.attributes(function)
            key = dotted(function)
            exact = self._is_exact(function, base)
            if key in self.scope.env and all(each.kind != "function" for each in found):
                found = tuple(each._replace(types=self.scope.env[key]) for each in found) or (
                    Found("", "", self.scope.env[key]),
                )
        else:
            found, exact = (Found("", "", self.value(function)),), False
        arguments, passed = self._arguments(node, found)
        self._note_call(node, found, exact, passed)
        types = kinds.union(*(each.types for each in found))
        self._called_builtin(types, arguments, node)
        return self.world.call(types, arguments) if types else ()

    def _arguments(self, node: ast.Call, found: tuple[Found, ...]) -> tuple[Arguments, Passed]:
        positional: list[Types] = []
        star = stars = False
        for each in node.args:
            types = self.value(each)
            star = star or isinstance(each, ast.Starred)
            if not star:
                positional.append(types)
        keywords: dict[str, Types] = {}
        for keyword in node.keywords:
            types = self.value(keyword.value)
            if keyword.arg is None:
                stars = True
            else:
                keywords[keyword.arg] = types
        unbound = any(
            each.kind == "function" and one.kind == kinds.FUNCTION and self._is_method(one)
            for each in found
            for one in each.types
        )
        given = len(positional) - (unbound and bool(positional))
        passed = Passed(given, tuple(keywords), star, stars)
        return Arguments(tuple(positional), keywords, star or stars), passed

    def _is_method(self, found: Type) -> bool:
        function = self.world.function(found.module, found.name)
        return (
            function is not None and bool(function["holder"]) and "static" not in function["flags"]
        )

    def _note_call(
        self, node: ast.Call, found: tuple[Found, ...], exact: bool, passed: Passed
    ) -> None:
        if self._quiet:
            return
        outcome = "unresolved"
        several = len([each for each in found if each.entity]) > 1
        for each in found:
            if each.kind == "outside" and not each.entity:
                outcome = "outside" if outcome == "unresolved" else outcome
                self.note_outside("calls", each.types, node)
            elif each.kind == "function":
                self.note("calls", each.entity, node, exact, several, passed=passed)
                outcome = "exact" if exact and not several else "typed"
            elif each.kind == "class":
                self._note_instance(each.types, node, exact, several, passed)
                outcome = "exact" if exact and not several else "typed"
            else:
                if each.entity and each.kind != "module":
                    self.note("references", each.entity, node, exact, several)
                made = self._note_value(each.types, node, exact and not each.entity, passed)
                if made != "unresolved" and outcome == "unresolved":
                    outcome = made
        self.ledger.calls[outcome] += 1
        if outcome == "unresolved":
            name = last_name(node.func)
            if name:
                line = node.func.end_lineno or node.lineno
                self.ledger.unknown(self.src, name, "calls", line)

    def _note_value(self, types: Types, node: ast.Call, exact: bool, passed: Passed) -> str:
        """Note the call of a value that is known by its type; return how that went."""
        outcome = "unresolved"
        real = kinds.some(types)
        several = len(real) > 1
        for each in real:
            if each.kind in _FUNCTION_KINDS:
                self.note("calls", kinds.fqn(each), node, exact, several, passed=passed)
                outcome = "exact" if exact and not several else "typed"
            elif each.kind == kinds.CLASS and each.module:
                self._note_instance((each,), node, exact, several, passed)
                outcome = "exact" if exact and not several else "typed"
            elif each.kind == kinds.INSTANCE:
                for method in self.world.method_of(each, "__call__"):
                    self.note("calls", kinds.fqn(method), node, False, several, passed=passed)
                    outcome = "typed"
            elif each.kind in (kinds.OUTSIDE, kinds.OUTSIDE_INSTANCE):
                self.note_outside("calls", (each,), node)
                outcome = "outside" if outcome == "unresolved" else outcome
        return outcome

    def _note_instance(
        self, types: Types, node: ast.Call, exact: bool, several: bool, passed: Passed
    ) -> None:
        for each in types:
            if each.kind != kinds.CLASS:
                continue
            self.note("instantiates", kinds.fqn(each), node, exact, several, passed=passed)
            for name in ("__init__", "__new__"):
                member = self.world.find_member(each, name)
                if member is not None and member.kind == "function":
                    entity = f"{member.owner.module}.{member.owner.name}.{name}"
                    self.note("calls", entity, node, exact, several, passed=passed)

    def _called_builtin(self, types: Types, args: Arguments, node: ast.AST) -> None:
        """Note the special methods that a builtin calls."""
        names = {
            "builtins.len": "__len__",
            "builtins.iter": "__iter__",
            "builtins.next": "__next__",
        }
        for each in types:
            if each.kind == kinds.OUTSIDE and each.module in names and args.positional:
                self.special(args.positional[0], names[each.module], node)

    def special(self, types: Types, name: str, node: ast.AST) -> Types:
        """Note the call of a special method, and return it; nothing if it is not of us."""
        found: Types = ()
        for each in types:
            if each.kind == kinds.INSTANCE:
                for method in self.world.method_of(each, name):
                    self.note("calls", kinds.fqn(method), node, False, len(types) > 1)
                    found += (method,)
        return found

    def _super(self, node: ast.Call) -> Types:
        for each in node.args:
            self.value(each)
        self.ledger.calls["outside"] += not self._quiet
        scope: Scope | None = self.scope
        while scope is not None and not scope.place.receiver:
            scope = scope.outer
        if scope is None:
            return ()
        receiver = scope.place.receiver
        behind = receiver[0]
        if len(node.args) == 2:
            named = [each for each in self.quiet(node.args[0]) if each.kind == kinds.CLASS]
            if not named:
                return ()
            behind = named[0]
        return (Type(kinds.SUPER, behind.module, behind.name, (receiver,)),)

    # Other expressions.

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
            self._note_all("uses_type", found, node, exact)
            if not any(each.entity for each in found):
                for each in found:
                    for one in each.types:
                        if one.kind == kinds.CLASS and one.module:
                            self.note("uses_type", kinds.fqn(one), node, exact, False)
        elif isinstance(node, ast.Attribute):
            found, base = self.attributes(node)
            self._note_all("uses_type", found, node, self._is_exact(node, base))
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


def dotted(node: ast.expr) -> str:
    """Return `a.b.c` as text, or "" for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or len(parts) > 4:
        return ""
    return ".".join([node.id, *reversed(parts)])


def _number(node: ast.expr) -> int | None:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _number(node.operand)
        return None if inner is None else -inner
    return None
