"""Tests and fixtures, as pytest and unittest find them."""

from __future__ import annotations

import ast
import posixpath
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from plan07_encoders.python import kinds
from plan07_encoders.python.calls import Arguments
from plan07_encoders.python.kinds import Type, Types
from plan07_encoders.python.scopes import Scope

if TYPE_CHECKING:
    from plan07_encoders.python.values import World

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


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
    """Finds the fixtures that the functions of a file ask for by the names of their parameters.

    Args:
        world: answers about names and types.
        is_test_file: parameters of test functions are fixtures.
        patterns: what a test is called.
    """

    def __init__(self, world: World, is_test_file: bool, patterns: Patterns) -> None:
        self._world = world
        self._is_test_file = is_test_file
        self._patterns = patterns

    def requested(self, node: FunctionNode, scope: Scope) -> list[Type]:
        """Return the fixtures that a test or fixture asks for."""
        if not self._takes_fixtures(node, scope):
            return []
        names = [each.arg for each in [*node.args.args, *node.args.kwonlyargs]]
        found = [self._find(name, scope) for name in [*names, *_used(node)]]
        return [each for each in found if each is not None]

    def types(self, node: FunctionNode, name: str, scope: Scope) -> Types:
        """Return what a parameter holds that names a fixture."""
        found = self._find(name, scope) if self._takes_fixtures(node, scope) else None
        return () if found is None else fixture_value(self._world, found)

    def _takes_fixtures(self, node: FunctionNode, scope: Scope) -> bool:
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
        return find_fixture(self._world, name, self._world.module, scope.place.qual)


def find_fixture(world: World, name: str, module: str, qual: str) -> Type | None:
    """Return a fixture: of the class, the module, or the nearest conftest.py.

    Args:
        world: answers about names and types.
        name: of the fixture.
        module: of the function that asks for it.
        qual: that function; a fixture that asks for its own name means the next one.
    """
    holder = qual.rpartition(".")[0]
    if holder and holder in world.table(module)["classes"]:
        member = world.find_member(Type(kinds.CLASS, module, holder), name)
        if member is not None and member.kind == "function":
            found = Type(kinds.FUNCTION, member.owner.module, f"{member.owner.name}.{name}")
            if _is_fixture(world, found) and (found.module, found.name) != (module, qual):
                return found
    path = world.project.modules.paths.get(module, "")
    for each in [module, *world.project.modules.conftests(path)]:
        found_here = _in_module(world, each, name)
        if found_here is not None and (found_here.module, found_here.name) != (module, qual):
            return found_here
    return None


def _in_module(world: World, module: str, name: str) -> Type | None:
    for qual, function in world.table(module)["functions"].items():
        if function["fixture"] == name and "." not in qual:
            return Type(kinds.FUNCTION, module, qual)
    for each in world.member(module, name, inner=False):
        for found in each.types:
            plain = Type(kinds.FUNCTION, found.module, found.name)
            if found.kind in (kinds.FUNCTION, kinds.DECORATED) and _is_fixture(world, plain):
                return plain
    return None


def _is_fixture(world: World, found: Type) -> bool:
    function = world.function(found.module, found.name)
    return function is not None and function["fixture"] is not None


def fixture_value(world: World, found: Type) -> Types:
    """Return what a fixture gives to a test."""
    function = world.function(found.module, found.name)
    if function is None:
        return ()
    receiver: Types = ()
    if function["holder"]:
        receiver = (Type(kinds.INSTANCE, found.module, function["holder"]),)
    types = world.returned(found.module, found.name, receiver, Arguments())
    return world.iterated(types) if function["yields"] is not None else types


def _used(node: FunctionNode) -> list[str]:
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
        is_top = "." not in qual and function["fixture"] is None
        if is_file and is_top and patterns.is_function(qual):
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
