"""Reads an edit reply and works it into files: the one edit format of all arms.

A reply holds fenced blocks of Python. In a block, a line `# file: PATH` says which file it goes on
with; below it stand whole functions, classes, methods in their class, constants or imports that are
added or take the place of those of the same name, and lines `# delete: NAME`. Everything that is
not named stays. So an edit is as short as what it changes, whatever the size of the file.

What a weak model leaves out is filled in where there is one reading only: a block without a path
belongs to the one file that defines what it defines. Nothing is written outside of the working
copy, into hidden directories, or into tests, and nothing at all if one part cannot be read.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

_FENCE = re.compile(r"^(`{3,}|~{3,})[^\n`]*\n(.*?)^\1[ \t]*$", re.M | re.S)
_UNCLOSED = re.compile(r"^`{3,}[^\n`]*\n(.*)\Z", re.M | re.S)
_PATH = re.compile(r"^#\s*(?:file|path)?\s*:?\s*`?([\w./-]+\.py)`?\s*:?\s*$", re.I)
_DELETE = re.compile(r"^\s*#\s*delete:\s*`?([\w.]+)`?(?:\(\))?\s*$", re.I)
_TEST = re.compile(r"(?:^|/)(?:tests?/|test_[^/]*\.py$|[^/]*_test\.py$|conftest\.py$)")
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Refused(ValueError):
    """A reply cannot be applied; the message says why, to the model."""


class Part(NamedTuple):
    """What a reply says of one file.

    Args:
        path: as it is written, "" where it is not said.
        text: the Python.
        deleted: names that go, `Class.method` for methods.
    """

    path: str
    text: str
    deleted: tuple[str, ...]


def parts(reply: str) -> list[Part]:
    """Return what a reply says, in its order; nothing for a reply without code.

    Args:
        reply: what the model said.
    """
    blocks = [found.group(2) for found in _FENCE.finditer(reply)]
    if not blocks and (rest := _UNCLOSED.search(reply)):
        blocks = [rest.group(1)]
    if not blocks and _is_code(reply):
        blocks = [reply]
    return [part for block in blocks for part in _parts(block)]


def apply(reply: str, files: Mapping[str, str]) -> dict[str, str]:
    """Return the files that a reply changes or adds, path to new text.

    Args:
        reply: what the model said.
        files: the Python files of the working copy, path to text.

    Raises:
        Refused: a part cannot be read, or belongs to no file.
    """
    changed: dict[str, str] = {}
    for part in parts(reply):
        now = {**files, **changed}
        tree = _parsed(part.text, "your code")
        path = _inside(part.path) if part.path else _home(tree, part.deleted, now)
        if _TEST.search(path):
            continue
        text = _merged(now[path], part, tree) if path in now else part.text.strip("\n") + "\n"
        _parsed(text, path)
        if text != now.get(path):
            changed[path] = text
    return {path: text for path, text in changed.items() if text != files.get(path)}


def _is_code(text: str) -> bool:
    try:
        return bool(ast.parse(text).body)
    except (SyntaxError, ValueError):
        return False


def _parts(block: str) -> Iterable[Part]:
    path, lines, deleted = "", list[str](), list[str]()
    for line in [*block.splitlines(), None]:
        found = _PATH.match(line) if line is not None else None
        if line is not None and (gone := _DELETE.match(line)):
            deleted.append(gone.group(1))
        elif line is not None and found is None:
            lines.append(line)
        else:
            if deleted or any(each.strip() for each in lines):
                yield Part(path, "\n".join(lines) + "\n", tuple(deleted))
            lines, deleted = [], []
            path = found.group(1) if found else ""


def _parsed(text: str, name: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise Refused(f"{name} is not Python: line {error.lineno}: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise Refused(f"{name} is not Python: {error}") from error


def _inside(path: str) -> str:
    """A path within the working copy, in its shortest form."""
    clean = posixpath.normpath(path)
    if clean.startswith(("/", "..")) or any(step.startswith(".") for step in clean.split("/")):
        raise Refused(f"{path} is not a file of the repository")
    return clean


def _home(tree: ast.Module, deleted: Iterable[str], files: Mapping[str, str]) -> str:
    """The one file that defines something of what a part defines or deletes."""
    wanted = {each.name for each in tree.body if isinstance(each, _DEFINITIONS)}
    wanted |= {name for each in tree.body for name in _assigned(each)}
    wanted |= {name.split(".")[0] for name in deleted}
    found = []
    for path, text in sorted(files.items()):
        body = _parsed(text, path).body
        names = {each.name for each in body if isinstance(each, _DEFINITIONS)}
        names |= {name for each in body for name in _assigned(each)}
        names |= {name for each in body for name in _methods(each)} if _bare(tree) else set()
        if wanted & names and not _TEST.search(path):
            found.append(path)
    if len(found) != 1:
        raise Refused("begin each block with a line `# file: PATH`, so that its file is known")
    return found[0]


def _bare(tree: ast.Module) -> bool:
    """Whether a part holds methods without their class."""
    functions = [each for each in tree.body if isinstance(each, ast.FunctionDef)]
    return any(each.args.args and each.args.args[0].arg == "self" for each in functions)


def _assigned(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.Assign):
        return [each.id for each in statement.targets if isinstance(each, ast.Name)]
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return [statement.target.id]
    return []


def _methods(statement: ast.stmt) -> list[str]:
    if not isinstance(statement, ast.ClassDef):
        return []
    return [each.name for each in statement.body if isinstance(each, _DEFINITIONS)]


class _Change(NamedTuple):
    """Lines `start` to `end` (from 0, end exclusive) become other lines."""

    start: int
    end: int
    lines: list[str]


def _merged(text: str, part: Part, new: ast.Module) -> str:
    """The text of a file with a part worked into it."""
    old = _parsed(text, part.path or "the file")
    lines = text.splitlines()
    source = part.text.splitlines()
    changes = [_deletion(old, name) for name in part.deleted]
    imports = {ast.dump(each) for each in old.body if isinstance(each, ast.Import | ast.ImportFrom)}
    top = _after_imports(old)
    end = len(lines)
    for each in new.body:
        piece = source[_start(each) : each.end_lineno]
        if isinstance(each, ast.Import | ast.ImportFrom):
            if ast.dump(each) not in imports:
                changes.append(_Change(top, top, piece))
        elif isinstance(each, _DEFINITIONS):
            changes += _definition(old, each, piece, source, end)
        elif names := _assigned(each):
            spans = [x for x in old.body if set(names) & set(_assigned(x))]
            where = _Change(_start(spans[0]), spans[0].end_lineno or 0, piece) if spans else None
            changes.append(where or _Change(top, top, piece))
        elif ast.dump(each) not in {ast.dump(x) for x in old.body} and not _is_text(each):
            changes.append(_Change(end, end, ["", *piece]))
    return _spliced(lines, changes)


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _start(statement: ast.stmt) -> int:
    """The first line of a statement with its decorators, from 0."""
    decorators = statement.decorator_list if isinstance(statement, _DEFINITIONS) else []
    return min([statement.lineno, *(each.lineno for each in decorators)]) - 1


def _after_imports(tree: ast.Module) -> int:
    ends = [x.end_lineno or 0 for x in tree.body if isinstance(x, ast.Import | ast.ImportFrom)]
    if ends:
        return max(ends)
    first = tree.body[0] if tree.body else None
    return (first.end_lineno or 0) if first is not None and _is_text(first) else 0


def _definition(
    old: ast.Module, new: _Definition, piece: list[str], source: list[str], end: int
) -> list[_Change]:
    """The changes of a function or class: in place of its namesake, or added."""
    known = {each.name: each for each in old.body if isinstance(each, _DEFINITIONS)}
    classes = [each for each in old.body if isinstance(each, ast.ClassDef)]
    own = known.get(new.name)
    if own is None and not isinstance(new, ast.ClassDef) and _takes_self(new):
        holders = [each for each in classes if new.name in _methods(each)]
        holders = holders or (classes if len(classes) == 1 else [])
        if len(holders) == 1:
            return [_member(holders[0], new, ["    " + x if x else x for x in piece])]
    if own is None:
        return [_Change(end, end, ["", "", *piece])]
    if not (isinstance(own, ast.ClassDef) and isinstance(new, ast.ClassDef)):
        return [_Change(_start(own), own.end_lineno or 0, piece)]
    if set(_methods(own)) <= set(_methods(new)) or any(x.col_offset != 4 for x in own.body):
        return [_Change(_start(own), own.end_lineno or 0, piece)]
    changes = []
    for each in new.body:
        if isinstance(each, _DEFINITIONS) or _assigned(each):
            changes.append(_member(own, each, source[_start(each) : each.end_lineno]))
    return changes


def _takes_self(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return bool(function.args.args) and function.args.args[0].arg == "self"


def _member(holder: ast.ClassDef, new: ast.stmt, piece: list[str]) -> _Change:
    for each in holder.body:
        alike = isinstance(each, _DEFINITIONS) and isinstance(new, _DEFINITIONS)
        if (alike and _name(each) == _name(new)) or set(_assigned(each)) & set(_assigned(new)):
            return _Change(_start(each), each.end_lineno or 0, piece)
    end = holder.end_lineno or 0
    return _Change(end, end, ["", *piece])


def _name(statement: ast.stmt) -> str:
    return str(getattr(statement, "name", ""))


def _deletion(tree: ast.Module, name: str) -> _Change:
    body: list[ast.stmt] = tree.body
    found: ast.stmt | None = None
    for step in name.split("."):
        alike = [x for x in body if _name(x) == step or step in _assigned(x)]
        found = alike[0] if alike else None
        body = found.body if isinstance(found, ast.ClassDef) else []
    if found is None:
        # What is gone already needs no other edit.
        return _Change(0, 0, [])
    return _Change(_start(found), found.end_lineno or 0, [])


def _spliced(lines: list[str], changes: list[_Change]) -> str:
    """The lines with all changes made; of two that overlap, the one that is told last."""
    kept: list[_Change] = []
    for change in changes:
        clash = [x for x in kept if x.start < change.end and change.start < x.end]
        kept = [x for x in kept if x not in clash] + [change]
    result = list(lines)
    order = sorted(enumerate(kept), key=lambda each: (each[1].start, each[0]), reverse=True)
    for _, change in order:
        result[change.start : change.end] = change.lines
    text = re.sub(r"\n{4,}", "\n\n\n", "\n".join(result).strip("\n"))
    return f"{text}\n" if text else ""
