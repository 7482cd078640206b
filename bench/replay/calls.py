"""How edits call what other edits define, and whether both fit before and after."""

from __future__ import annotations

import ast
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Shape(NamedTuple):
    """How a call gives its arguments.

    Args:
        positional: how many by position.
        keywords: names of those by keyword.
        open: some are unpacked from a sequence or a mapping.
    """

    positional: int
    keywords: frozenset[str]
    open: bool


class Signature(NamedTuple):
    """What a call may give.

    Args:
        positional: names of the parameters that may be given by position.
        required: how many of them have no default.
        keywords: names of the parameters that are given by keyword only.
        required_keywords: those of them without a default.
        rest: more positional arguments are taken.
        rest_keywords: any keyword is taken.
    """

    positional: tuple[str, ...]
    required: int
    keywords: frozenset[str]
    required_keywords: frozenset[str]
    rest: bool
    rest_keywords: bool

    def fits(self, call: Shape) -> bool:
        """Whether a call is accepted, as far as its shape tells."""
        if call.open:
            return True
        if call.positional > len(self.positional) and not self.rest:
            return False
        by_position = set(self.positional[: call.positional])
        if by_position & call.keywords:
            return False
        known = set(self.positional) | self.keywords
        if not self.rest_keywords and not call.keywords <= known:
            return False
        needed = set(self.positional[: self.required]) - by_position | self.required_keywords
        return needed <= call.keywords


# What is called: a name, or an attribute of this name, which is written with a dot before it.
Shapes = Mapping[str, "Counter[Shape]"]


def shapes(nodes: Iterable[ast.AST]) -> Shapes:
    """Return the calls in some statements, by what they call: `name` or `.attribute`."""
    found: dict[str, Counter[Shape]] = defaultdict(Counter)
    for top in nodes:
        for node in ast.walk(top):
            if isinstance(node, ast.Call):
                name = _last(node.func)
                if name is not None:
                    dot = "." if isinstance(node.func, ast.Attribute) else ""
                    found[dot + name][_shape(node)] += 1
    return found


def _last(node: ast.expr) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def _shape(node: ast.Call) -> Shape:
    stars = any(isinstance(each, ast.Starred) for each in node.args)
    return Shape(
        len(node.args),
        frozenset(each.arg for each in node.keywords if each.arg),
        stars or any(each.arg is None for each in node.keywords),
    )


def signature(node: ast.AST, method: bool) -> Signature | None:
    """Return what calls of a function may give.

    Args:
        node: the definition; None comes back for any other statement.
        method: it is called through an object, which fills in the first parameter.
    """
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    given = node.args
    static = any(_last(each) == "staticmethod" for each in node.decorator_list)
    names = [each.arg for each in (*given.posonlyargs, *given.args)]
    required = len(names) - len(given.defaults)
    if method and not static and names:
        names, required = names[1:], max(0, required - 1)
    defaults = zip(given.kwonlyargs, given.kw_defaults, strict=True)
    return Signature(
        tuple(names),
        required,
        frozenset(each.arg for each in given.kwonlyargs),
        frozenset(each.arg for each, default in defaults if default is None),
        given.vararg is not None,
        given.kwarg is not None,
    )


def from_params(params: str | None, method: bool) -> Signature | None:
    """Return what calls of a function may give, as recon.db tells its parameters.

    Args:
        params: the column of that name.
        method: it is called through an object, which fills in the first parameter.
    """
    try:
        given = [(each["name"], each["kind"], each["default"]) for each in json.loads(params or "")]
    except (ValueError, TypeError, KeyError):
        return None
    by_position = [each for each in given if each[1] in _POSITIONAL][1 if method else 0 :]
    keywords = [each for each in given if each[1] == "keyword_only"]
    return Signature(
        tuple(name for name, _, _ in by_position),
        sum(default is None for _, _, default in by_position),
        frozenset(name for name, _, _ in keywords),
        frozenset(name for name, _, default in keywords if default is None),
        any(kind == "var_positional" for _, kind, _ in given),
        any(kind == "var_keyword" for _, kind, _ in given),
    )


_POSITIONAL = ("positional_only", "positional_or_keyword")


def assigned(nodes: Iterable[ast.AST]) -> Mapping[str, frozenset[str]]:
    """Return what statements assign to attributes, as text, by the name of the attribute.

    Of a function that is defined beside the assignment, the text is what it takes.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for top in nodes:
        inner = {
            each.name: ast.unparse(each.args)
            for each in ast.walk(top)
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
        }
        for node in ast.walk(top):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Attribute):
                        value = ast.unparse(node.value)
                        found[target.attr].add(inner.get(value, value))
    return {name: frozenset(values) for name, values in found.items()}


def fit(
    old: Signature, new: Signature, before: Iterable[Shape], after: Iterable[Shape]
) -> str | None:
    """Return the order in which a definition and its calls can change; None where any will do.

    Args:
        old, new: the signature at both ends.
        before, after: the calls at both ends.

    Returns:
        `def<dep` where the old calls fit the new signature, `dep<def` where the new calls fit the
        old one, `split` where neither does.
    """
    outlives = all(new.fits(each) for each in before if old.fits(each))
    is_early = all(old.fits(each) for each in after if new.fits(each))
    if outlives and is_early:
        return None
    if outlives:
        return "def<dep"
    return "dep<def" if is_early else "split"
