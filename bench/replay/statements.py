"""The statements of a Python file as pieces of its text, one for each entity.

A piece is a statement with the comments and blank lines that stand before it, so that all pieces of
a file, one after the other, are its text. The body of a class is pieces again.
"""

from __future__ import annotations

import ast
import re
import tokenize
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

Statement = ast.stmt
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


class Piece(NamedTuple):
    """A statement of a file.

    Args:
        key: tells it from the other pieces beside it: the name it defines, or what it is.
        kind: def, class, var, import, doc or statement.
        text: as it stands in the file; of a class, its head.
        line, end_line: where it stands, from 1, decorators included.
        head_end: of a class, the last line of its head.
        nodes: the statements; several only where they share a line.
        body: of a class, the pieces in it.
    """

    key: str
    kind: str
    text: str
    line: int
    end_line: int
    head_end: int
    nodes: tuple[Statement, ...]
    body: tuple[Piece, ...] = ()

    def whole(self) -> str:
        """Return the text with that of its body."""
        return self.text + "".join(each.whole() for each in self.body)

    def meaning(self) -> str:
        """Return what comments and layout do not change."""
        if self.body:
            bare = [ast.dump(_without_body(each)) for each in self.nodes]
        else:
            bare = [ast.dump(each) for each in self.nodes]
        return "\n".join(bare)


class Parsed(NamedTuple):
    """A file.

    Args:
        pieces: in the order of the file.
        rest: comments and blank lines after the last one.
    """

    pieces: tuple[Piece, ...]
    rest: str


def parse(text: str) -> Parsed:
    """Split the text of a file.

    Args:
        text: Python.

    Raises:
        SyntaxError: it is not.
        ValueError: it is not, either.
    """
    # As the parser counts lines; a form feed ends none.
    lines = _LINE.findall(text)
    pieces, end = _split(lines, ast.parse(text).body, 0)
    return Parsed(pieces, "".join(lines[end:]))


def _split(
    lines: Sequence[str], body: Sequence[Statement], done: int
) -> tuple[tuple[Piece, ...], int]:
    """Return pieces, and the number of lines that they and what stands before them take."""
    groups: list[list[Statement]] = []
    for node in body:
        if groups and first_line(node) <= (groups[-1][-1].end_lineno or 0):
            groups[-1].append(node)
        else:
            groups.append([node])
    pieces: list[Piece] = []
    seen: Counter[str] = Counter()
    for place, nodes in enumerate(groups):
        first, last = first_line(nodes[0]), nodes[-1].end_lineno or 0
        kind, key = named(nodes[0], place == 0) if len(nodes) == 1 else ("statement", _shown(nodes))
        seen[key] += 1
        if seen[key] > 1:
            key = f"{key}#{seen[key]}"
        inner: tuple[Piece, ...] = ()
        head_end = last
        node = nodes[0]
        if isinstance(node, ast.ClassDef) and len(nodes) == 1:
            colon = _head_end(lines, node)
            if first_line(node.body[0]) > colon:
                head_end = colon
                inner, last = _split(lines, node.body, head_end)
        text = "".join(lines[done:head_end])
        pieces.append(Piece(key, kind, text, first, last, head_end, tuple(nodes), inner))
        done = last
    return tuple(pieces), done


def first_line(node: Statement) -> int:
    """Return the line on which a statement begins, its decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])


def _head_end(lines: Sequence[str], node: ast.ClassDef) -> int:
    """Return the line of the colon that ends the head of a class."""
    start = node.lineno - 1
    depth = 0
    for token in tokenize.generate_tokens(iter(lines[start:]).__next__):
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
            if token.string == ":" and depth == 0:
                return start + token.start[0]
    return node.lineno


def named(node: Statement, first: bool) -> tuple[str, str]:
    """Return the kind and the key of a statement."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return "def", node.name + _accessor(node)
    if isinstance(node, ast.ClassDef):
        return "class", node.name
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return "var", ",".join(ast.unparse(each) for each in targets)
    if isinstance(node, ast.ImportFrom):
        return "import", f"from {'.' * node.level}{node.module or ''}"
    if isinstance(node, ast.Import):
        return "import", "import " + ",".join(_alias(each) for each in node.names)
    if first and isinstance(node, ast.Expr) and _is_text(node.value):
        return "doc", "__doc__"
    return "statement", _shown([node])


def _accessor(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """Tell the setter of a property from its getter."""
    for each in node.decorator_list:
        if isinstance(each, ast.Attribute) and each.attr in ("setter", "deleter", "getter"):
            return f".{each.attr}"
    return ""


def _alias(each: ast.alias) -> str:
    return each.name if each.asname is None else f"{each.name} as {each.asname}"


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _shown(nodes: Sequence[Statement]) -> str:
    """Return the head of a statement, short."""
    return ast.unparse(nodes[0]).partition("\n")[0][:60]


def _without_body(node: Statement) -> Statement:
    if not isinstance(node, ast.ClassDef):
        return node
    return ast.ClassDef(
        name=node.name,
        bases=node.bases,
        keywords=node.keywords,
        decorator_list=node.decorator_list,
        body=[],
    )
