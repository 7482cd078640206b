"""The second pass: names, attributes, and the uses that they show."""

from __future__ import annotations

import ast
from typing import Any

from plan07_encoders.python import kinds
from plan07_encoders.python.kinds import Types
from plan07_encoders.python.ledger import Ledger
from plan07_encoders.python.names import Found, Place
from plan07_encoders.python.scopes import Scope
from plan07_encoders.python.values import World

_SURE = 1.0
_TYPED = 0.9
_ONE_OF_SEVERAL = 0.7
FUNCTION_KINDS = (kinds.FUNCTION, kinds.METHOD, kinds.DECORATED)


class Noting:
    """Looks names up where they are used, and notes what is used.

    `callsites`, `expressions`, `narrowing`, `definitions` and `walk` add to this class, layer by
    layer, until it can walk a whole file.

    Args:
        world: answers about names and types.
        ledger: where uses are noted.
    """

    def __init__(self, world: World, ledger: Ledger) -> None:
        self.world = world
        self.ledger = ledger
        self._global = Place(world.module)
        self.scope = Scope("module", world.module, self._global)
        self.src = world.module
        self._quiet = 0

    # What the layers above add.

    def value(self, node: ast.expr | None) -> Types:
        """Return what an expression is, its uses noted."""
        raise NotImplementedError

    def assign(self, target: ast.expr, types: Types) -> None:
        """Let a target hold a value."""
        raise NotImplementedError

    def narrow(self, test: ast.expr, holds: bool) -> None:
        """Note what a test says of the names in it."""
        raise NotImplementedError

    # Noting uses.

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

    def note_all(self, kind: str, found: tuple[Found, ...], node: ast.AST, exact: bool) -> None:
        """Note the use of all that a name leads to."""
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
        return self.world.lookup(name, self._global), True

    def _class_name(self, scope: Scope, name: str) -> tuple[Found, ...]:
        table = self.world.table(self.world.module)["classes"].get(scope.place.qual)
        if table is None or name not in table["names"]:
            return ()
        qual = f"{scope.place.qual}.{name}"
        return self.world.bound_in(table["names"][name], self.world.module, qual, scope.place)

    def _name(self, node: ast.Name) -> Types:
        found, exact = self.named(node.id)
        self.note_all("references", found, node, exact)
        if len(found) == 1 and not found[0].entity and found[0].kind == "":
            # An import within the function names its entities by their types.
            self._note_types(found[0].types, node, exact)
            return found[0].types
        return kinds.union(*(each.types for each in found))

    def _note_types(self, types: Types, node: ast.AST, exact: bool) -> None:
        for each in types:
            is_ours = each.kind in FUNCTION_KINDS or (each.kind == kinds.CLASS and each.module)
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
        exact = self.is_exact(node, base)
        self.note_all("references", found, node, exact)
        types = kinds.union(*(each.types for each in found))
        key = dotted(node)
        return self.scope.env.get(key, types) if key else types

    def is_exact(self, node: ast.Attribute, base: Types) -> bool:
        """Whether definitions and imports alone say what an attribute leads to."""
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


def dotted(node: ast.expr) -> str:
    """Return `a.b.c` as text, or "" for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or len(parts) > 4:
        return ""
    return ".".join([node.id, *reversed(parts)])
