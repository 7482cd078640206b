"""Tests and fixtures, as pytest and unittest find them."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from plan07_encoders.python import kinds
from plan07_encoders.python.calls import Arguments
from plan07_encoders.python.kinds import Type, Types
from plan07_encoders.python.scopes import Scope
from plan07_encoders.python.values import World

if TYPE_CHECKING:
    from plan07_encoders.python.definitions import Definitions


class Patterns(NamedTuple):
    """Which files, classes and functions hold tests, as the configuration of pytest says.

    Args:
        files: patterns of file names.
        classes, functions: prefixes, or patterns.
    """

    files: tuple[str, ...] = ("test_*.py", "*_test.py")
    classes: tuple[str, ...] = ("Test",)
    functions: tuple[str, ...] = ("test",)

    def is_file(self, path: str) -> bool:
        """Whether a file holds tests."""
        name = posixpath.basename(path)
        return any(fnmatchcase(path if "/" in each else name, each) for each in self.files)

    def is_class(self, name: str) -> bool:
        """Whether a class of such a file holds tests."""
        return _matches(name, self.classes)

    def is_function(self, name: str) -> bool:
        """Whether a function of such a file or class is a test."""
        return _matches(name, self.functions)


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(name.startswith(each) or fnmatchcase(name, each) for each in patterns)


class Fixtures:
    """Finds the fixtures that a function asks for by the names of its parameters.

    Args:
        world: answers about names and types.
        conftests: modules of the `conftest.py` files that apply, the nearest first.
        is_test_file: parameters of test functions are fixtures.
        patterns: what a test is called.
    """

    def __init__(
        self, world: World, conftests: Sequence[str], is_test_file: bool, patterns: Patterns
    ) -> None:
        self._world = world
        self._conftests = conftests
        self._is_test_file = is_test_file
        self._patterns = patterns

    def requested(self, walk: Definitions, node: ast.AST, scope: Scope) -> None:
        """Note the fixtures that a test or fixture asks for."""
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return
        if not self._takes_fixtures(node, scope):
            return
        names = [each.arg for each in [*node.args.args, *node.args.kwonlyargs]]
        for name in [*names, *_used(node)]:
            found = self._find(name, scope)
            if found is not None:
                walk.note("references", kinds.fqn(found), node, True, False, fixture=True)

    def types(self, walk: Definitions, node: ast.AST, name: str, scope: Scope) -> Types:
        """Return what a parameter holds that names a fixture."""
        del walk
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return ()
        if not self._takes_fixtures(node, scope):
            return ()
        found = self._find(name, scope)
        if found is None:
            return ()
        function = self._world.function(found.module, found.name)
        if function is None:
            return ()
        receiver: Types = ()
        if function["holder"]:
            receiver = (Type(kinds.INSTANCE, found.module, function["holder"]),)
        types = self._world.returned(found.module, found.name, receiver, Arguments())
        if function["yields"] is not None:
            return self._world.iterated(types)
        return types

    def _takes_fixtures(self, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> bool:
        function = self._world.function(self._world.module, scope.place.qual)
        if function is not None and function["fixture"] is not None:
            return True
        outer = scope.outer
        return (
            self._is_test_file
            and self._patterns.is_function(node.name)
            and (outer is None or outer.kind in ("module", "class"))
        )

    def _find(self, name: str, scope: Scope) -> Type | None:
        """Return a fixture: of the class, the module, or the nearest conftest.py."""
        own = scope.place.qual
        outer = scope.outer
        if outer is not None and outer.kind == "class":
            holder = Type(kinds.CLASS, self._world.module, outer.place.qual)
            member = self._world.find_member(holder, name)
            if member is not None and member.kind == "function":
                found = Type(kinds.FUNCTION, member.owner.module, f"{member.owner.name}.{name}")
                if self._is_fixture(found) and found.name != own:
                    return found
        for module in [self._world.module, *self._conftests]:
            found_here = self._in_module(module, name)
            if found_here is not None and (found_here.module, found_here.name) != (
                self._world.module,
                own,
            ):
                return found_here
        return None

    def _in_module(self, module: str, name: str) -> Type | None:
        table = self._world.table(module)
        for qual, function in table["functions"].items():
            if function["fixture"] == name and "." not in qual:
                return Type(kinds.FUNCTION, module, qual)
        for each in self._world.member(module, name, inner=False):
            for found in each.types:
                plain = Type(kinds.FUNCTION, found.module, found.name)
                if found.kind in (kinds.FUNCTION, kinds.DECORATED) and self._is_fixture(plain):
                    return plain
        return None

    def _is_fixture(self, found: Type) -> bool:
        function = self._world.function(found.module, found.name)
        return function is not None and function["fixture"] is not None


def _used(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Return the fixtures that a `usefixtures` mark names."""
    return [
        each.value
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call)
        and isinstance(decorator.func, ast.Attribute)
        and decorator.func.attr == "usefixtures"
        for each in decorator.args
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]


def tests_of(world: World, path: str, patterns: Patterns) -> list[tuple[str, str]]:
    """Return the tests of a file: (node id, qualified name of the function).

    Methods that a test class inherits are tests of that class too.

    Args:
        world: answers about the file's names.
        path: the file.
        patterns: what tests are called.
    """
    table = world.table(world.module)
    found: list[tuple[str, str]] = []
    is_file = patterns.is_file(path)
    for qual, function in table["functions"].items():
        if is_file and "." not in qual and patterns.is_function(qual):
            if function["fixture"] is None:
                found.append((f"{path}::{qual}", f"{world.module}.{qual}"))
    for qual in table["classes"]:
        own = Type(kinds.CLASS, world.module, qual)
        is_unittest = any(
            each.kind == kinds.OUTSIDE and each.module.endswith("TestCase")
            for each in world.mro(own)
        )
        if not _is_reached(world, qual):
            continue
        if not is_unittest and not (is_file and patterns.is_class(qual.rpartition(".")[2])):
            continue
        if not is_unittest and world.find_member(own, "__init__") is not None:
            continue
        found += _methods(world, own, path, patterns, is_unittest)
    return found


def _is_reached(world: World, qual: str) -> bool:
    """Whether a class is not defined within a function."""
    functions = world.table(world.module)["functions"]
    parts = qual.split(".")
    return not any(".".join(parts[:size]) in functions for size in range(1, len(parts)))


def _methods(
    world: World, own: Type, path: str, patterns: Patterns, is_unittest: bool
) -> list[tuple[str, str]]:
    found: dict[str, str] = {}
    for each in world.mro(own):
        table = world.class_table(each)
        if table is None:
            continue
        for name, bindings in table["names"].items():
            wanted = name.startswith("test") if is_unittest else patterns.is_function(name)
            if wanted and name not in found:
                is_function = bindings[0][0] == "f"
                found[name] = f"{each.module}.{each.name}.{name}" if is_function else ""
    nodeid = f"{path}::{own.name.replace('.', '::')}"
    return [(f"{nodeid}::{name}", fqn) for name, fqn in found.items() if fqn]
