"""What both passes need of the syntax."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence


def absolute(module: str, package: bool, level: int, name: str | None) -> str | None:
    """Return the absolute name of the module of a from-import; None beyond the top.

    >>> absolute("a.b.c", False, 1, "d"), absolute("a.b", True, 1, None)
    ('a.b.d', 'a.b')
    >>> absolute("a", False, 2, "x") is None
    True
    """
    if level == 0:
        return name
    parts = module.split(".")
    drop = level - 1 if package else level
    if drop > len(parts):
        return None
    base = ".".join(parts[: len(parts) - drop])
    return f"{base}.{name}" if name and base else (name or base or None)


# What holds no statements of the scope in which it stands.
_SIMPLE = frozenset(
    (
        *(ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Raise, ast.Assert),
        *(ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
        *(ast.Pass, ast.Break, ast.Continue, ast.Delete, ast.Global, ast.Nonlocal),
    )
)


def statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a scope; those of branches and loops follow their own."""
    for each in body:
        yield each
        if each.__class__ in _SIMPLE:
            continue
        if isinstance(each, ast.If | ast.For | ast.AsyncFor | ast.While):
            yield from statements(each.body)
            yield from statements(each.orelse)
        elif isinstance(each, ast.With | ast.AsyncWith):
            yield from statements(each.body)
        elif isinstance(each, ast.Try | ast.TryStar):
            yield from statements(each.body)
            for handler in each.handlers:
                yield from statements(handler.body)
            yield from statements(each.orelse)
            yield from statements(each.finalbody)
        elif isinstance(each, ast.Match):
            for case in each.cases:
                yield from statements(case.body)
