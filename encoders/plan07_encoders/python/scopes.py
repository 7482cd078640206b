"""What the names of a scope hold, statement by statement."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from plan07_encoders.python import kinds
from plan07_encoders.python.kinds import Types
from plan07_encoders.python.names import Place
from plan07_encoders.python.syntax import statements

Environment = dict[str, Types]


class Scope:
    """A module, a class or a function while it is walked.

    Args:
        kind: module, class or function.
        entity: qualified name of the entity that depends on what is used here.
        place: where its free names are looked up.
        outer: the scope around it.
    """

    __slots__ = ("entity", "env", "globals", "kind", "locals", "outer", "place", "static", "totals")

    def __init__(self, kind: str, entity: str, place: Place, outer: Scope | None = None) -> None:
        self.kind = kind
        self.entity = entity
        self.place = place
        self.outer = outer
        # What names, and dotted names such as self.x, hold at this point.
        self.env: Environment = {}
        # What they may hold at any point, for functions within.
        self.totals: Environment = {}
        self.locals: set[str] = set()
        self.globals: set[str] = set()
        # Names bound by definitions and imports, never by assignment.
        self.static: set[str] = set()

    def hold(self, name: str, types: Types) -> None:
        """Let a name hold a value from here on."""
        self.env[name] = types
        if self.kind == "function":
            known = self.totals.get(name)
            self.totals[name] = types if known is None else kinds.union(known, types)
        self.forget_parts(name)

    def forget_parts(self, name: str) -> None:
        """Forget what attributes of a name hold, as the name holds something else now."""
        start = f"{name}."
        for each in [key for key in self.env if key.startswith(start)]:
            del self.env[each]


def merged(environments: Iterable[Environment]) -> Environment:
    """Return what names hold where several ways meet."""
    ways = list(environments)
    if len(ways) == 1:
        return ways[0]
    found: Environment = {}
    for name in dict.fromkeys(name for each in ways for name in each):
        held = [each[name] for each in ways if name in each]
        if "." in name and len(held) < len(ways):
            # On one of the ways nothing special is known of the attribute.
            continue
        found[name] = kinds.union(*held)
    return found


def leaves(body: list[ast.stmt]) -> bool:
    """Whether what follows a block is never reached from it."""
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


def local_names(
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
) -> tuple[set[str], set[str]]:
    """Return the names that are local to a function, and those declared global or nonlocal."""
    args = node.args
    found = {each.arg for each in [*args.posonlyargs, *args.args, *args.kwonlyargs]}
    found |= {each.arg for each in (args.vararg, args.kwarg) if each}
    declared: set[str] = set()
    if isinstance(node, ast.Lambda):
        return found, declared
    for each in statements(node.body):
        if isinstance(each, ast.Assign):
            for target in each.targets:
                _collect(target, found)
        elif isinstance(each, ast.AnnAssign | ast.AugAssign | ast.For | ast.AsyncFor):
            _collect(each.target, found)
        elif isinstance(each, ast.With | ast.AsyncWith):
            for item in each.items:
                _collect(item.optional_vars, found)
        elif isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(each.name)
        elif isinstance(each, ast.Import | ast.ImportFrom):
            found |= {name.asname or name.name.split(".")[0] for name in each.names}
        elif isinstance(each, ast.Try | ast.TryStar):
            found |= {handler.name for handler in each.handlers if handler.name}
        elif isinstance(each, ast.Global | ast.Nonlocal):
            declared |= set(each.names)
        elif isinstance(each, ast.Match):
            for case in each.cases:
                for part in ast.walk(case.pattern):
                    name = getattr(part, "name", None) or getattr(part, "rest", None)
                    if isinstance(name, str):
                        found.add(name)
    return found - declared, declared


def _collect(target: ast.expr | None, found: set[str]) -> None:
    if isinstance(target, ast.Name):
        found.add(target.id)
    elif isinstance(target, ast.Tuple | ast.List):
        for each in target.elts:
            _collect(each, found)
    elif isinstance(target, ast.Starred):
        _collect(target.value, found)
