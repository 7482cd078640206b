"""Turns expressions into sketches: what another file needs in order to know their types.

A sketch is JSON. A string is a name; a list says by its head what it is:

    attr e name          an attribute            call f args keywords   a call
    item e index         a subscript             any [e]                one of several
    str text             a text                  const name             another builtin constant
    list [e], set [e]    containers              tuple [e], dict k v    the same
    each e               what a loop yields      part e n               what unpacking yields
    enter e              what `with` binds       await e                the awaited value
    type a               an instance of the annotated type
    params [a]           within an annotation, what a callable takes
    holds name [e]       a builtin container of instances
    self, cls, super     the receiver
    fixture name         what the fixture of this name gives

None is what is not known. Local names are replaced by what they stand for, so a sketch can be
evaluated where the function's locals are gone.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from plan07_encoders.python.kinds import Sketch

_DEEPEST = 9
_MOST_ARGUMENTS = 6
_LONGEST_TEXT = 80
_NOTHING: Mapping[str, Sketch] = {}


def sketch(node: ast.expr | None, names: Mapping[str, Sketch] = _NOTHING, depth: int = 0) -> Sketch:
    """Return the sketch of an expression.

    Args:
        node: the expression.
        names: local names and what they stand for.
        depth: how deep within another expression it stands.
    """
    if node is None or depth > _DEEPEST:
        return None
    deeper = depth + 1
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        inner = sketch(node.value, names, deeper)
        return None if inner is None else ["attr", inner, node.attr]
    if isinstance(node, ast.Call):
        return _call(node, names, deeper)
    if isinstance(node, ast.Constant):
        return _constant(node.value)
    if isinstance(node, ast.Subscript):
        inner = sketch(node.value, names, deeper)
        return None if inner is None else ["item", inner, _index(node.slice, names, deeper)]
    if isinstance(node, ast.IfExp):
        return either(sketch(node.body, names, deeper), sketch(node.orelse, names, deeper))
    if isinstance(node, ast.BoolOp):
        # `a and b` is b wherever its value is of use.
        parts = node.values[-1:] if isinstance(node.op, ast.And) else node.values[:4]
        return ["any", [sketch(part, names, deeper) for part in parts]]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        sides = [sketch(node.left, names, deeper), sketch(node.right, names, deeper)]
        return None if None in sides else ["any", sides]
    if isinstance(node, ast.Await):
        inner = sketch(node.value, names, deeper)
        return None if inner is None else ["await", inner]
    if isinstance(node, ast.NamedExpr):
        return sketch(node.value, names, deeper)
    return _container(node, names, deeper)


def _call(node: ast.Call, names: Mapping[str, Sketch], depth: int) -> Sketch:
    if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
        return ["super"] if "super" not in names else None
    function = sketch(node.func, names, depth)
    if function is None:
        return None
    args: list[Sketch] = []
    for each in node.args[:_MOST_ARGUMENTS]:
        if isinstance(each, ast.Starred):
            args.append(["star"])
            break
        args.append(sketch(each, names, depth))
    keywords = {
        each.arg: sketch(each.value, names, depth)
        for each in node.keywords[:_MOST_ARGUMENTS]
        if each.arg
    }
    return ["call", function, args, keywords]


def _constant(value: object) -> Sketch:
    if isinstance(value, str):
        return ["str", value[:_LONGEST_TEXT]]
    return ["const", type(value).__name__]


def _index(node: ast.expr, names: Mapping[str, Sketch], depth: int) -> Sketch:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        value = node.operand.value
        return -value if isinstance(node.op, ast.USub) and isinstance(value, int) else None
    if isinstance(node, ast.Slice):
        return ["slice"]
    return sketch(node, names, depth)


def _container(node: ast.expr, names: Mapping[str, Sketch], depth: int) -> Sketch:
    if isinstance(node, ast.Tuple):
        return ["tuple", [sketch(each, names, depth) for each in node.elts[:_MOST_ARGUMENTS]]]
    if isinstance(node, ast.List | ast.Set):
        kind = "list" if isinstance(node, ast.List) else "set"
        return [kind, [sketch(each, names, depth) for each in node.elts[:4]]]
    if isinstance(node, ast.Dict):
        keys = [sketch(each, names, depth) for each in node.keys[:4]]
        return ["dict", ["any", keys], ["any", [sketch(v, names, depth) for v in node.values[:4]]]]
    if isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        inner = {**names}
        for generator in node.generators:
            bind(generator.target, ["each", sketch(generator.iter, inner, depth)], inner)
        kind = "set" if isinstance(node, ast.SetComp) else "list"
        return [kind, [sketch(node.elt, inner, depth)]]
    if isinstance(node, ast.JoinedStr):
        return ["const", "str"]
    if isinstance(node, ast.Compare) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    ):
        return ["const", "bool"]
    return None


def bind(target: ast.expr, value: Sketch, names: dict[str, Sketch]) -> None:
    """Let the names of an assignment's target stand for a value."""
    if isinstance(target, ast.Name):
        names[target.id] = value
    elif isinstance(target, ast.Tuple | ast.List):
        starred = any(isinstance(each, ast.Starred) for each in target.elts)
        for index, each in enumerate(target.elts):
            bind(each, None if starred or value is None else ["part", value, index], names)
    elif isinstance(target, ast.Starred):
        bind(target.value, None, names)


def either(*sketches: Sketch) -> Sketch:
    """Return one of several; unknown where one of them is, as it may be anything."""
    parts: list[Sketch] = []
    for each in sketches:
        if each is None:
            return None
        inner = each[1] if isinstance(each, list) and each[0] == "any" else [each]
        parts += [part for part in inner if part not in parts]
    if len(parts) == 1:
        return parts[0]
    return ["any", parts] if len(parts) <= 4 else None


def annotation(node: ast.expr | None, depth: int = 0) -> Sketch:
    """Return the sketch of an annotation; quoted parts are parsed."""
    if node is None or depth > _DEEPEST:
        return None
    deeper = depth + 1
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            return annotation(quoted(node), deeper)
        return ["const", "NoneType"] if node.value is None else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return ["any", [annotation(node.left, deeper), annotation(node.right, deeper)]]
    if isinstance(node, ast.Subscript):
        base = sketch(node.value)
        if base is None or last_name(node.value) == "Literal":
            return None
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return ["item", base, [annotation(each, deeper) for each in parts[:_MOST_ARGUMENTS]]]
    if isinstance(node, ast.List):
        return ["params", [annotation(each, deeper) for each in node.elts[:_MOST_ARGUMENTS]]]
    return sketch(node) if isinstance(node, ast.Name | ast.Attribute) else None


def quoted(node: ast.Constant) -> ast.expr | None:
    """Return the expression within a quoted annotation, placed where the text stands."""
    if not isinstance(node.value, str) or len(node.value) > 1000:
        return None
    try:
        inner = ast.parse(node.value.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for each in ast.walk(inner):
        if isinstance(each, ast.expr):
            each.lineno = node.lineno
    return inner


def last_name(node: ast.expr) -> str:
    """Return the last name of a dotted name, or ""."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
