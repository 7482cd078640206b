"""The names that statements bind and use at the level of their module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

_DOTTED = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)+")
_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass
class Names:
    """What some statements name.

    Args:
        binds: names that they bind in their own scope.
        uses: names that they look up in the module or beyond, annotations and `__all__` included.
        chains: `a.b.c` where `a` is such a name.
        attributes: names of attributes that are read.
        stores: names of attributes that are written.
        slots: names of attributes that `__slots__` makes room for.
        strings: texts that are dotted names.
    """

    binds: set[str] = field(default_factory=set)
    uses: set[str] = field(default_factory=set)
    chains: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    stores: set[str] = field(default_factory=set)
    slots: set[str] = field(default_factory=set)
    strings: set[str] = field(default_factory=set)


def names(nodes: Iterable[ast.stmt], head: bool = False) -> Names:
    """Return what statements name.

    Args:
        nodes: the statements.
        head: of a class, its head alone.
    """
    found = Names()
    reader = _Reader(found)
    for node in nodes:
        found.binds |= set(bound([node]))
        if head and isinstance(node, ast.ClassDef):
            for each in (*node.decorator_list, *node.bases, *(k.value for k in node.keywords)):
                reader.read(each, frozenset())
        else:
            reader.read(node, frozenset())
    return found


def bound(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the names that statements bind in their own scope."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import):
            yield from (each.asname or each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (each.asname or each.name for each in node.names)
        elif isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store | ast.Del):
                yield node.id
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            if node.name:
                yield node.name
            yield from bound(ast.iter_child_nodes(node))
        elif not isinstance(node, (ast.Lambda, *_COMPREHENSIONS)):
            yield from bound(ast.iter_child_nodes(node))


class _Reader:
    def __init__(self, found: Names) -> None:
        self._found = found

    def read(self, node: ast.AST, local: frozenset[str]) -> None:
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load) and node.id not in local:
                self._found.uses.add(node.id)
        elif isinstance(node, ast.Attribute):
            reads = isinstance(node.ctx, ast.Load)
            (self._found.attributes if reads else self._found.stores).add(node.attr)
            chain = dotted(node)
            if chain is not None and chain.partition(".")[0] not in local:
                self._found.chains.add(chain)
            self.read(node.value, local)
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str) and len(node.value) < 200:
                self._text(node.value)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            self._function(node, local)
        elif isinstance(node, ast.ClassDef):
            for each in (*node.decorator_list, *node.bases, *node.keywords):
                self.read(each, local)
            for statement in node.body:
                # What a class binds, its methods do not see; what it reads itself counts as used.
                self.read(statement, local)
        elif isinstance(node, _COMPREHENSIONS):
            inner = local | {
                each.id
                for part in node.generators
                for each in ast.walk(part.target)
                if isinstance(each, ast.Name)
            }
            for child in ast.iter_child_nodes(node):
                self.read(child, inner)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            self._assignment(node, local)
        else:
            for child in ast.iter_child_nodes(node):
                self.read(child, local)

    def _assignment(
        self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, local: frozenset[str]
    ) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        named = {each.id for each in targets if isinstance(each, ast.Name)}
        for name, listed in (("__all__", self._found.uses), ("__slots__", self._found.slots)):
            if name in named:
                listed |= {
                    each.value
                    for each in ast.walk(node)
                    if isinstance(each, ast.Constant) and isinstance(each.value, str)
                }
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            self._found.uses.add(node.target.id)
        if isinstance(node, ast.AnnAssign):
            self._annotation(node.annotation, local)
            children: Sequence[ast.AST] = [node.target, *([node.value] if node.value else [])]
        else:
            children = list(ast.iter_child_nodes(node))
        for child in children:
            self.read(child, local)

    def _function(self, node: _Function, local: frozenset[str]) -> None:
        given = node.args
        every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        every += [each for each in (given.vararg, given.kwarg) if each is not None]
        for part in (*given.defaults, *(each for each in given.kw_defaults if each)):
            self.read(part, local)
        for each in every:
            if each.annotation is not None:
                self._annotation(each.annotation, local)
        body: Sequence[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else node.body
        inner = local | {each.arg for each in every}
        if not isinstance(node, ast.Lambda):
            for decorator in node.decorator_list:
                self.read(decorator, local)
            if node.returns is not None:
                self._annotation(node.returns, local)
            shared = {name for each in _own(body) for name in _declared(each)}
            inner = (inner | set(bound(body))) - shared
        for statement in body:
            self.read(statement, frozenset(inner))

    def _annotation(self, node: ast.expr, local: frozenset[str]) -> None:
        for each in ast.walk(node):
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                try:
                    self.read(ast.parse(each.value, mode="eval").body, local)
                except (SyntaxError, ValueError):
                    continue
        self.read(node, local)

    def _text(self, text: str) -> None:
        if _DOTTED.fullmatch(text):
            self._found.strings.add(text)


def dotted(node: ast.expr) -> str | None:
    """Return `a.b.c` of an expression that is no more than that."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(parts)])


def _own(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes of a function that are not within another one."""
    for node in body:
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield from _own(ast.iter_child_nodes(node))


def _declared(node: ast.AST) -> Iterable[str]:
    return node.names if isinstance(node, ast.Global) else ()
