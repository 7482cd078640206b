"""Which entities a commit changes, and which of them name each other: a simple comparison of trees.

An entity is a function, a method, the head of a class (with what it assigns), a variable or another
statement at the top of a module, an import statement, or a whole file that comes or goes. Comments
and layout change nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Entity(NamedTuple):
    """A part of a file.

    Args:
        name: what others call it, without its module and class; empty where no one can.
        meaning: tells two states of it apart.
        mentions: the names that its code uses.
    """

    name: str
    meaning: str
    mentions: frozenset[str]


class Change(NamedTuple):
    """How much a commit changes.

    Args:
        entities: how many are added, deleted or modified.
        cross_references: pairs of them, of which the first names the second.
    """

    entities: int
    cross_references: int


def entities(text: str) -> dict[str, Entity]:
    """Return the entities of a file by a key that tells them apart.

    Raises:
        SyntaxError, ValueError: the text is no Python.

    >>> sorted(entities("import os\\nx = 1\\nclass A:\\n    def f(self): pass\\n"))
    ['A', 'A.f', 'import os', 'x']
    """
    found: dict[str, Entity] = {}
    for key, name, nodes in _parts(ast.parse(text).body, ""):
        unique = key
        while unique in found:  # overloads, and properties with a setter
            unique += "'"
        meaning = "\n".join(ast.dump(each) for each in nodes)
        mentions = frozenset(n for each in nodes for n in _names(each)) - {name}
        found[unique] = Entity(name, meaning, mentions)
    return found


def compare(files: Mapping[str, tuple[str | None, str | None]]) -> Change:
    """Return how much a commit changes.

    Args:
        files: path to text before and after; None where the file is not there.

    Raises:
        SyntaxError, ValueError: a text is no Python.
    """
    changed: dict[str, list[Entity]] = {}
    for path, (old, new) in files.items():
        before = entities(old) if old is not None else {}
        after = entities(new) if new is not None else {}
        if old is None or new is None:
            stem = path.rpartition("/")[2].removesuffix(".py")
            parts = (*before.values(), *after.values())
            own = frozenset(each.name for each in parts)
            mentions = frozenset(n for each in parts for n in each.mentions) - own
            changed[path] = [Entity(stem, "", mentions)]
            continue
        for key in sorted(before.keys() | after.keys()):
            sides = [side[key] for side in (before, after) if key in side]
            if len({each.meaning for each in sides}) > 1 or len(sides) == 1:
                changed[f"{path}::{key}"] = sides
    pairs = sum(
        any(o.name and o.name in one.mentions for one in ones for o in others)
        for key, ones in changed.items()
        for other, others in changed.items()
        if key != other
    )
    return Change(len(changed), pairs)


def _parts(body: Iterable[ast.stmt], owner: str) -> Iterator[tuple[str, str, list[ast.AST]]]:
    """Yield key, name and nodes of each entity."""
    for node in body:
        if isinstance(node, Function):
            yield owner + node.name, node.name, [node]
        elif isinstance(node, ast.ClassDef):
            own = [e for e in node.body if not isinstance(e, Function | ast.ClassDef)]
            head: list[ast.AST] = [*node.decorator_list, *node.bases, *node.keywords, *own]
            yield owner + node.name, node.name, head
            inner = [e for e in node.body if isinstance(e, Function | ast.ClassDef)]
            yield from _parts(inner, f"{owner}{node.name}.")
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield ast.unparse(node), "", [node]
        elif (target := _assigned(node)) is not None:
            yield target, target, [node]
        else:
            yield ast.unparse(node), "", [node]


def _assigned(node: ast.stmt) -> str | None:
    if isinstance(node, ast.Assign) and len(node.targets) == 1:
        target: ast.expr = node.targets[0]
    elif isinstance(node, ast.AnnAssign):
        target = node.target
    else:
        return None
    return target.id if isinstance(target, ast.Name) else None


def _names(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.Attribute):
            yield each.attr
        elif isinstance(each, ast.keyword) and each.arg:
            yield each.arg
        elif isinstance(each, ast.alias):
            yield each.name.rpartition(".")[2]
