"""The first pass: the entities of a file, and the table that other files ask."""

from __future__ import annotations

import ast
import json
from collections.abc import Sequence
from typing import NamedTuple

from plan07_encoders.python import prints
from plan07_encoders.python.bodies import Body, read_body
from plan07_encoders.python.declared import (
    fixture_of,
    flags_of,
    generic_bases,
    generics_of,
    is_type,
    receiver_of,
    same_property,
    unsubscripted,
)
from plan07_encoders.python.kinds import Sketch
from plan07_encoders.python.sketch import annotation, last_name, sketch
from plan07_encoders.python.syntax import absolute, statements
from plan07_encoders.python.tables import Binding, ClassTable, Function, Names, Table

_ENUMS = ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "TextChoices", "IntegerChoices")
_CLASSES = ("class", "enum", "interface")
# Methods that run before all others of an object.
_FIRST = ("__init__", "setup_method", "setUp", "asyncSetUp")
_FLAGS = (
    *("async", "static", "classmethod", "property", "abstract", "overload", "fixture", "exported"),
)
# Names of a class or module that are no data of it.
_SKIPPED = ("__all__", "__slots__", "__doc__", "__match_args__", "__test__")


class Entity(NamedTuple):
    """A node of a file, as `NodeRow` but named within its module; JSON."""

    qual: str
    kind: str
    line: int
    end_line: int
    parent: str
    signature: str | None = None
    params: str | None = None
    returns: str | None = None
    flags: tuple[str, ...] = ()
    sig_hash: str | None = None
    body_hash: str | None = None


class Indexed(NamedTuple):
    """What the first pass finds in a file."""

    table: Table
    entities: list[Entity]


def index(tree: ast.Module, module: str, package: bool, may_yield: bool = True) -> Indexed:
    """Return the table and the entities of a module.

    Args:
        tree: its tree.
        module: its name.
        package: it is an `__init__` file.
        may_yield: it has a `yield` somewhere.
    """
    return _Indexer(module, package, may_yield).run(tree)


class _Indexer:
    def __init__(self, module: str, package: bool, may_yield: bool) -> None:
        self._may_yield = may_yield
        self._module = module
        self._package = package
        self._functions: dict[str, Function] = {}
        self._classes: dict[str, ClassTable] = {}
        self._entities: dict[str, Entity] = {}
        self._stars: list[str] = []
        self._exports: list[str] | None = None

    def run(self, tree: ast.Module) -> Indexed:
        names = self._scope(tree.body, "", "module")
        exports = None if self._exports is None else list(dict.fromkeys(self._exports))
        body = [each for each in tree.body if not isinstance(each, ast.ClassDef | ast.FunctionDef)]
        last = max((each.end_lineno or 1 for each in tree.body), default=1)
        root = Entity("", "module", 1, last, "", body_hash=prints.body_hash(body))
        listed = set(exports or ())
        found = [
            each._replace(flags=(*each.flags, "exported")) if each.qual in listed else each
            for each in self._entities.values()
        ]
        table = Table(
            names=names,
            stars=self._stars,
            exports=exports,
            functions=self._functions,
            classes=self._classes,
        )
        return Indexed(table, [root, *found])

    def _scope(self, body: Sequence[ast.stmt], qual: str, kind: str) -> Names:
        """Return what a body binds, and index the definitions in it."""
        names: Names = {}
        for each in statements(body):
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                self._define(each, qual, kind, names)
            elif isinstance(each, ast.ClassDef):
                _add(names, each.name, ["c", self._class(each, qual)])
            elif isinstance(each, ast.Import | ast.ImportFrom):
                self._import(each, qual, names)
            elif kind != "function":
                self._assigned(each, qual, kind, names)
        return names

    def _define(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, outer: str, kind: str, names: Names
    ) -> None:
        qual = f"{outer}.{node.name}" if outer else node.name
        table, entity = self._function(node, qual, outer, kind)
        known = self._functions.get(qual)
        if known is not None and "overload" in known["flags"]:
            # The implementation, or the next overload, takes over what the earlier ones say.
            table["overloads"] = [*known["overloads"], *table["overloads"]]
            first = self._entities[qual]
            entity = entity._replace(line=first.line)
        elif known is not None and not same_property(known, table):
            # Defined twice, in branches as a rule: the first stays, and the second is known too.
            earlier = self._entities[qual]
            both = prints.digest([earlier.body_hash, entity.body_hash])
            self._entities[qual] = earlier._replace(body_hash=both)
            self._functions[qual]["results"] += table["results"]
            return
        elif known is not None:
            earlier = self._entities[qual]
            both = prints.digest([earlier.body_hash, entity.body_hash])
            self._entities[qual] = earlier._replace(
                body_hash=both, end_line=max(earlier.end_line, entity.end_line)
            )
            return
        self._functions[qual] = table
        if self._entities[qual].kind not in _CLASSES:
            # Of a class and a function of one name, in branches, the class says more.
            self._entities[qual] = entity
        _add(names, node.name, ["f", qual])

    def _function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, qual: str, outer: str, kind: str
    ) -> tuple[Function, Entity]:
        flags = flags_of(node)
        params = prints.parameters(node.args)
        shown = prints.wire(params)
        returns = prints.text(node.returns)
        table = Function(
            params=[
                [p.name, p.kind, annotation(p.annotation), p.default is not None] for p in params
            ],
            returns=annotation(node.returns),
            results=[],
            yields=None,
            decorators=[sketch(each) for each in node.decorator_list],
            flags=[flag for flag in _FLAGS if flag in flags],
            overloads=[],
            locals={},
            fixture=fixture_of(node),
            holder=outer if kind == "class" else "",
            generics=generics_of(node),
        )
        if "overload" in flags:
            table["overloads"] = [[table["params"], table["returns"]]]
        is_fixture = table["fixture"] is not None
        body = read_body(node, receiver_of(table, params), is_fixture, self._may_yield)
        table["results"] = [] if node.returns is not None else body.results
        table["yields"] = body.yields
        if kind == "class":
            self._fields(outer, body, node.name in _FIRST)
        first = min((each.lineno for each in node.decorator_list), default=node.lineno)
        entity = Entity(
            qual,
            "property"
            if "property" in flags and kind == "class"
            else ("method" if kind == "class" else "function"),
            min(first, node.lineno),
            node.end_lineno or node.lineno,
            outer,
            prints.signature(shown, returns),
            json.dumps(shown),
            returns,
            tuple(table["flags"]),
            prints.digest([table["flags"], shown, returns]),
            prints.body_hash(node.body),
        )
        # The entity comes before what lies within it.
        self._entities.setdefault(qual, entity)
        table["locals"] = self._scope(node.body, qual, "function")
        return table, entity

    def _fields(self, holder: str, body: Body, is_first: bool) -> None:
        fields = self._classes[holder]["fields"]
        if is_first:
            self._classes[holder]["set_up"] += sorted(body.always)
        for name, line, note, value in body.fields:
            fields.setdefault(name, []).append([note, value])
            qual = f"{holder}.{name}"
            if name not in self._classes[holder]["names"]:
                self._entities.setdefault(qual, Entity(qual, "field", line, line, holder))

    def _class(self, node: ast.ClassDef, outer: str) -> str:
        qual = f"{outer}.{node.name}" if outer else node.name
        if qual in self._classes:
            # Defined twice, in branches as a rule: the members of both count.
            self._scope_of_class(node, qual)
            return qual
        self._classes[qual] = ClassTable(
            bases=[annotation(each) if is_type(each) else sketch(each) for each in node.bases],
            metaclass=next((sketch(k.value) for k in node.keywords if k.arg == "metaclass"), None),
            decorators=[sketch(each) for each in node.decorator_list],
            names={},
            fields={},
            set_up=[],
            generics=generics_of(node) or generic_bases(node),
        )
        bases = [prints.text(each) for each in node.bases]
        keywords = [f"{each.arg}={prints.text(each.value)}" for each in node.keywords]
        first = min((each.lineno for each in node.decorator_list), default=node.lineno)
        kind = "class"
        if any(last_name(each) in _ENUMS for each in node.bases):
            kind = "enum"
        elif any(last_name(unsubscripted(each)) == "Protocol" for each in node.bases):
            kind = "interface"
        own = [
            each
            for each in node.body
            if not isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        ]
        self._entities[qual] = Entity(
            qual,
            kind,
            min(first, node.lineno),
            node.end_lineno or node.lineno,
            outer,
            f"({', '.join(str(each) for each in [*bases, *keywords])})",
            sig_hash=prints.digest(
                [bases, keywords, [prints.text(each) for each in node.decorator_list]]
            ),
            body_hash=prints.body_hash(own),
        )
        self._scope_of_class(node, qual)
        return qual

    def _scope_of_class(self, node: ast.ClassDef, qual: str) -> None:
        names = self._classes[qual]["names"]
        for name, bindings in self._scope(node.body, qual, "class").items():
            for each in bindings:
                _add(names, name, each)

    def _import(self, node: ast.Import | ast.ImportFrom, qual: str, names: Names) -> None:
        if isinstance(node, ast.Import):
            for each in node.names:
                top = each.name.split(".")[0]
                _add(names, each.asname or top, ["m", each.name if each.asname else top])
            return
        module = absolute(self._module, self._package, node.level, node.module)
        if module is None:
            return
        for each in node.names:
            if each.name == "*":
                if not qual and module not in self._stars:
                    self._stars.append(module)
            else:
                _add(names, each.asname or each.name, ["i", module, each.name])

    def _assigned(self, node: ast.stmt, qual: str, kind: str, names: Names) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._target(target, node, None, sketch(node.value), qual, kind, names)
        elif isinstance(node, ast.AnnAssign):
            note = annotation(node.annotation)
            self._target(node.target, node, note, sketch(node.value), qual, kind, names)
        elif isinstance(node, ast.AugAssign):
            if isinstance(node.target, ast.Name) and node.target.id == "__all__":
                self._all(node.value)
        elif isinstance(node, ast.For | ast.AsyncFor):
            value = ["each", sketch(node.iter)]
            self._target(node.target, node, None, value, qual, kind, names)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                if item.optional_vars is not None:
                    entered: Sketch = ["enter", sketch(item.context_expr)]
                    self._target(item.optional_vars, node, None, entered, qual, kind, names)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            self._extended(node.value)
        elif node.__class__.__name__ == "TypeAlias":
            # `type Name = ...`, from Python 3.12 on.
            parts = dict(ast.iter_fields(node))
            value = ["alias", annotation(parts["value"])]
            self._target(parts["name"], node, None, value, qual, kind, names)

    def _extended(self, node: ast.Call) -> None:
        function = node.func
        if (
            isinstance(function, ast.Attribute)
            and isinstance(function.value, ast.Name)
            and function.value.id == "__all__"
        ):
            for each in node.args:
                self._all(each)

    def _target(
        self,
        target: ast.expr,
        node: ast.stmt,
        note: Sketch,
        value: Sketch,
        qual: str,
        kind: str,
        names: Names,
    ) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for index, each in enumerate(target.elts):
                part: Sketch = None if value is None else ["part", value, index]
                self._target(each, node, None, part, qual, kind, names)
            return
        if not isinstance(target, ast.Name):
            return
        name = target.id
        if name == "__all__" and not qual and isinstance(node, ast.Assign | ast.AnnAssign):
            self._all(node.value)
        _add(names, name, ["v", note, value])
        if name in _SKIPPED:
            return
        inner = f"{qual}.{name}" if qual else name
        if inner in self._entities:
            return
        shown = prints.text(node.annotation) if isinstance(node, ast.AnnAssign) else None
        assigned = getattr(node, "value", None)
        simple = isinstance(assigned, ast.expr)
        self._entities[inner] = Entity(
            inner,
            self._kind_of_variable(name, node, value, qual, kind),
            node.lineno,
            (node.end_lineno or node.lineno) if simple else node.lineno,
            qual,
            returns=shown,
            sig_hash=prints.digest([shown]),
            body_hash=prints.body_hash([assigned] if isinstance(assigned, ast.expr) else []),
        )

    def _kind_of_variable(
        self, name: str, node: ast.stmt, value: Sketch, qual: str, kind: str
    ) -> str:
        if kind == "class":
            if isinstance(value, list) and value[0] == "call" and value[1] == "property":
                return "property"
            enum = self._entities[qual].kind == "enum"
            return "enum_member" if enum and not name.startswith("_") else "field"
        if isinstance(value, list) and value[0] == "alias":
            return "type_alias"
        if isinstance(node, ast.AnnAssign) and last_name(node.annotation) == "TypeAlias":
            return "type_alias"
        return "constant" if name.isupper() else "variable"

    def _all(self, value: ast.expr | None) -> None:
        """Add to `__all__` what an expression lists; what is not a text is not known."""
        found = self._exports if self._exports is not None else []
        todo = [value]
        while todo:
            each = todo.pop(0)
            if isinstance(each, ast.BinOp):
                todo[:0] = [each.left, each.right]
            elif isinstance(each, ast.List | ast.Tuple | ast.Set):
                found += [
                    part.value
                    for part in each.elts
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                ]
            else:
                # Part of it is computed: then every public name counts as well.
                return
        self._exports = found


def _add(names: Names, name: str, binding: Binding) -> None:
    found = names.setdefault(name, [])
    if binding not in found and len(found) < 8:
        found.append(binding)
