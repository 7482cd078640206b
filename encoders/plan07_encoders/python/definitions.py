"""The second pass, definitions and imports."""

from __future__ import annotations

import ast

from plan07_encoders.python import kinds
from plan07_encoders.python.kinds import Type, Types, instance_of
from plan07_encoders.python.ledger import Ledger
from plan07_encoders.python.names import Found, Place
from plan07_encoders.python.narrowing import Narrowing
from plan07_encoders.python.prints import Parameter, parameters
from plan07_encoders.python.scopes import Scope, local_names
from plan07_encoders.python.sketch import annotation, sketch
from plan07_encoders.python.syntax import absolute
from plan07_encoders.python.tables import ClassTable
from plan07_encoders.python.testing import Fixtures, FunctionNode
from plan07_encoders.python.values import World

# Every class has them, and they are not called by their name.
_OWN_OF_EACH_CLASS = frozenset(
    (
        "__doc__",
        "__module__",
        "__slots__",
        "__dict__",
        "__annotations__",
        "__qualname__",
        "__test__",
    )
)


class Definitions(Narrowing):
    """Walks functions, classes and imports.

    Args:
        world: answers about names and types.
        ledger: where uses are noted.
        package: the file is an `__init__`.
        fixtures: answers about pytest fixtures.
    """

    def __init__(self, world: World, ledger: Ledger, package: bool, fixtures: Fixtures) -> None:
        super().__init__(world, ledger)
        self._package = package
        self._fixtures = fixtures
        self._waiting: list[tuple[FunctionNode, Scope, Types]] = []
        # Fields that belong to a base class: no entities of their own.
        self.inherited: list[str] = []
        self.reexported: list[tuple[str, str]] = []
        self._table = world.table(world.module)

    def block(self, body: list[ast.stmt]) -> None:
        """Walk some statements in their order."""
        raise NotImplementedError

    def finish(self) -> None:
        """Walk the bodies of functions, which run when the scope around them is complete."""
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            for node, scope, receiver in waiting:
                self._body(node, scope, receiver)

    def annotated_types(self, node: ast.expr | None) -> Types:
        """Return what something with this annotation is, here."""
        return self.world.annotated(annotation(node), self.scope.place)

    # Functions.

    def function(self, node: FunctionNode) -> None:
        """Walk what runs where a function is defined, and keep its body for later."""
        outer = self.scope
        qual = _inner(outer.place.qual, node.name)
        entity = f"{self.world.module}.{qual}"
        src, self.src = self.src, entity
        for decorator in node.decorator_list:
            self._decorator(decorator)
        for each in parameters(node.args):
            self.annotation(each.annotation)
            self.value(each.default)
        self.annotation(node.returns)
        self.src = src
        receiver: Types = ()
        if outer.kind == "class":
            receiver = (Type(kinds.INSTANCE, self.world.module, outer.place.qual),)
        if outer.kind == "function":
            outer.hold(node.name, self.world.function_value(self.world.module, qual))
            outer.static.add(node.name)
        place = Place(self.world.module, qual, receiver or outer.place.receiver)
        self._waiting.append((node, Scope("function", entity, place, outer), receiver))

    def _decorator(self, node: ast.expr) -> None:
        function = node.func if isinstance(node, ast.Call) else node
        found: tuple[Found, ...] = ()
        exact = False
        if isinstance(function, ast.Name):
            found, exact = self.named(function.id)
        elif isinstance(function, ast.Attribute):
            self._quiet += 1
            found, base = self.attributes(function)
            self._quiet -= 1
            exact = self.is_exact(function, base)
        for each in found:
            if each.entity and each.kind in ("function", "class", "variable", "field"):
                several = len(found) > 1
                self.note("decorates", each.entity, node, exact, several)
            elif each.kind == "outside":
                self.note_outside("decorates", each.types, node)
        self.value(node)

    def _body(self, node: FunctionNode, scope: Scope, receiver: Types) -> None:
        saved = self.scope, self.src
        self.scope, self.src = scope, scope.entity
        scope.locals, scope.globals = local_names(node)
        own = self._own_parameter(node, scope, receiver)
        handed = self._handed(node, scope)
        if own is not None:
            handed = [own, *handed[1:]]
        for index, each in enumerate(parameters(node.args)):
            types = handed[index] if each.kind < 2 and index < len(handed) else ()
            if not types or (each.annotation is not None and types is not own):
                types = self._parameter(node, each, scope)
            scope.hold(each.name, types)
        for fixture in self._fixtures.requested(node, scope):
            self.note("references", kinds.fqn(fixture), node, True, False, fixture=True)
        self.block(node.body)
        waiting, self._waiting = self._waiting, []
        for inner, inner_scope, inner_receiver in waiting:
            self._body(inner, inner_scope, inner_receiver)
        self.scope, self.src = saved
        # Nothing asks for it any more, and what refers to itself is freed late.
        scope.outer = None

    def _own_parameter(self, node: FunctionNode, scope: Scope, receiver: Types) -> Types | None:
        if not receiver:
            return None
        function = self.world.function(self.world.module, scope.place.qual)
        flags = set(function["flags"]) if function else set()
        if node.name == "__new__" or "classmethod" in flags:
            return (receiver[0]._replace(kind=kinds.CLASS),)
        return None if "static" in flags else receiver

    def _handed(self, node: FunctionNode, scope: Scope) -> list[Types]:
        """Return what the innermost decorator that says so hands to a function."""
        outer = scope.outer.place if scope.outer is not None else scope.place
        for each in reversed(node.decorator_list):
            found = self.world.handed(sketch(each), outer)
            if found:
                return found
        return []

    def _parameter(self, node: FunctionNode, param: Parameter, scope: Scope) -> Types:
        if param.annotation is None:
            if param.kind == 2:
                return (instance_of("builtins.tuple"),)
            if param.kind == 4:
                return (instance_of("builtins.dict"),)
            return self._fixtures.types(node, param.name, scope)
        types = self.world.annotated(annotation(param.annotation), scope.place)
        if param.kind == 2:
            return (instance_of("typing.Sequence", types),)
        if param.kind == 4:
            return (instance_of("builtins.dict", (instance_of("builtins.str"),), types),)
        return types

    # Classes.

    def class_(self, node: ast.ClassDef) -> None:
        """Walk a class."""
        outer = self.scope
        qual = _inner(outer.place.qual, node.name)
        entity = f"{self.world.module}.{qual}"
        own = Type(kinds.CLASS, self.world.module, qual)
        src, self.src = self.src, entity
        for decorator in node.decorator_list:
            self._decorator(decorator)
        for base in node.bases:
            self._base(base)
        for keyword in node.keywords:
            self.value(keyword.value)
        if outer.kind == "function":
            outer.hold(node.name, (own,))
            outer.static.add(node.name)
        place = Place(self.world.module, qual, (own._replace(kind=kinds.INSTANCE),))
        self.scope = Scope("class", entity, place, outer)
        self.block(node.body)
        self.scope, self.src = outer, src
        table = self._table["classes"].get(qual)
        if table is not None:
            self._members(own, table, node)

    def _base(self, node: ast.expr) -> None:
        plain = node.value if isinstance(node, ast.Subscript) else node
        types = self.quiet(plain)
        for each in types:
            if each.kind == kinds.CLASS and each.module:
                exact = self.is_static(plain)
                self.note("inherits", kinds.fqn(each), node, exact, len(types) > 1)
            elif each.kind == kinds.OUTSIDE:
                self.note_outside("inherits", (each,), node)
        if isinstance(node, ast.Subscript):
            self.annotation(node)
        elif not isinstance(node, ast.Name | ast.Attribute):
            self.value(node)
        elif isinstance(node, ast.Attribute):
            self.value(node.value)

    def _members(self, own: Type, table: ClassTable, node: ast.ClassDef) -> None:
        lines = _lines(node)
        for name, bindings in table["names"].items():
            if name in _OWN_OF_EACH_CLASS or bindings[0][0] not in ("f", "v", "c"):
                continue
            if name.startswith("__") and (not name.endswith("__") or bindings[0][0] == "v"):
                continue
            base = self.world.overridden(own, name)
            if base is not None:
                self.ledger.use(
                    f"{own.module}.{own.name}.{name}",
                    "overrides",
                    f"{base.module}.{base.name}.{name}",
                    lines.get(name, node.lineno),
                )
        for name in table["fields"]:
            if name not in table["names"]:
                member = self.world.find_member(own, name)
                if member is not None and member.owner[:3] != own[:3] and member.kind != "outside":
                    self.inherited.append(f"{own.module}.{own.name}.{name}")

    # Imports.

    def imports(self, node: ast.Import | ast.ImportFrom) -> None:
        """Note what an import names, and bind it where it stands in a function."""
        if isinstance(node, ast.Import):
            for each in node.names:
                found = self.world.imported(each.name)
                self._note_import((found,), node)
                name = each.asname or each.name.split(".")[0]
                meant = found if each.asname else self.world.imported(name)
                self._bind_import(name, (meant,))
            return
        module = absolute(self.world.module, self._package, node.level, node.module)
        if module is None:
            return
        origin = self.world.imported(module)
        for each in node.names:
            if each.name == "*":
                self._note_import((origin,), node)
                self._star(module, node)
                continue
            hits = self.world.from_import(module, each.name)
            if not hits:
                self._note_import((origin,), node)
                if not self.world.has_outside_star(origin.entity):
                    self.ledger.unknown(self.src, each.name, "imports", node.lineno)
            elif all(hit.kind != "module" for hit in hits) and origin.entity:
                self._note_import((origin,), node)
            self._note_import(hits, node, f"{origin.entity}.{each.name}" if origin.entity else "")
            self._bind_import(each.asname or each.name, hits)
            self._reexport(each, hits)

    def _note_import(self, found: tuple[Found, ...], node: ast.stmt, asked: str = "") -> None:
        several = len(found) > 1
        for each in found:
            if each.entity:
                handed_on = asked and each.entity != asked
                details = {"through": asked.rpartition(".")[0]} if handed_on else {}
                self.note("imports", each.entity, node, True, several, **details)
            else:
                self.note_outside("imports", each.types, node)

    def _bind_import(self, name: str, found: tuple[Found, ...]) -> None:
        if self.scope.kind == "function":
            self.scope.hold(name, kinds.union(*(each.types for each in found)))
            self.scope.static.add(name)

    def _reexport(self, alias: ast.alias, found: tuple[Found, ...]) -> None:
        """Note that a module hands on what it imports."""
        if self.scope.kind != "module":
            return
        name = alias.asname or alias.name
        exports = self._table["exports"]
        listed = name in exports if exports is not None else not name.startswith("_")
        if not (
            (self._package and listed)
            or (exports is not None and name in exports)
            or alias.asname == alias.name
        ):
            return
        for each in found:
            if each.entity and each.kind != "module":
                self.note("reexports", each.entity, alias, True, len(found) > 1)
                self.reexported.append((f"{self.world.module}.{name}", each.entity))

    def _star(self, module: str, node: ast.stmt) -> None:
        origin = self.world.find(module)
        if origin is None or self.scope.kind != "module":
            return
        for name in self.world.public_names(origin):
            for each in self.world.member(origin, name):
                if each.entity and each.kind != "module":
                    alias = f"{self.world.module}.{name}"
                    self.note("reexports", each.entity, node, True, False)
                    self.reexported.append((alias, each.entity))


def _inner(outer: str, name: str) -> str:
    return f"{outer}.{name}" if outer else name


def _lines(node: ast.ClassDef) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in node.body:
        if isinstance(each, FunctionNode | ast.ClassDef):
            found.setdefault(each.name, each.lineno)
        elif isinstance(each, ast.Assign):
            for target in each.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, each.lineno)
        elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            found.setdefault(each.target.id, each.lineno)
    return found
