"""The second pass, calls: what is called, and with what."""

from __future__ import annotations

import ast

from plan07_encoders.python import kinds
from plan07_encoders.python.calls import Arguments
from plan07_encoders.python.kinds import Type, Types
from plan07_encoders.python.ledger import Passed
from plan07_encoders.python.names import Found
from plan07_encoders.python.noting import FUNCTION_KINDS, Noting, dotted
from plan07_encoders.python.scopes import Scope
from plan07_encoders.python.sketch import last_name

_BUILTINS = {
    "builtins.len": "__len__",
    "builtins.iter": "__iter__",
    "builtins.next": "__next__",
}


class CallSites(Noting):
    """Walks calls."""

    def _call(self, node: ast.Call) -> Types:
        function = node.func
        if isinstance(function, ast.Name) and function.id == "super":
            return self._super(node)
        if isinstance(function, ast.Name):
            found, exact = self.named(function.id)
        elif isinstance(function, ast.Attribute):
            found, base = self.attributes(function)
            key = dotted(function)
            exact = self.is_exact(function, base)
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
            if each.kind in FUNCTION_KINDS:
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
        for each in types:
            if each.kind == kinds.OUTSIDE and each.module in _BUILTINS and args.positional:
                self.special(args.positional[0], _BUILTINS[each.module], node)

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
