"""What an annotation says that a value is."""

from __future__ import annotations

from plan07_encoders.python import kinds, known
from plan07_encoders.python.classes import Classes
from plan07_encoders.python.kinds import Sketch, Type, Types, instance_of
from plan07_encoders.python.names import Place

# They add nothing to what stands within them.
_TRANSPARENT = frozenset(
    [
        "Optional",
        "Annotated",
        "Final",
        "ClassVar",
        "Required",
        "NotRequired",
        "ReadOnly",
        "InitVar",
        "TypeGuard",
    ]
)
_CLASSES = frozenset(("Type", "type"))
_CALLABLES = frozenset(("Callable",))
_NOTHING = frozenset(
    ["Any", "object", "Literal", "NoReturn", "Never", "LiteralString", "Concatenate", "Unpack"]
)


class Annotations(Classes):
    """Evaluates annotations."""

    def annotated(self, sketch: Sketch, place: Place) -> Types:
        """Return what something with this annotation is; nothing where it may be anything.

        Args:
            sketch: the annotation.
            place: where it stands; its receiver is what Self means.
        """
        if sketch is None:
            return ()
        if isinstance(sketch, str) or sketch[0] == "attr":
            return self._named(sketch, place)
        head = sketch[0]
        if head == "any":
            parts = [self.annotated(each, place) for each in sketch[1]]
            return kinds.union(*parts) if all(parts) else ()
        if head == "const":
            return (instance_of(f"builtins.{sketch[1]}"),)
        if head == "item":
            return self._subscripted(sketch[1], sketch[2], place)
        return ()

    def _named(self, sketch: Sketch, place: Place) -> Types:
        if place.receiver and (sketch == "Self" or sketch[-1] == "Self"):
            return tuple(each for each in place.receiver if each.kind == kinds.INSTANCE)
        found = self.evaluate(sketch, place)
        if found:
            return kinds.union(*(self._instances(each) for each in found))
        return self._alias(sketch, place)

    def _instances(self, found: Type) -> Types:
        if found.kind == kinds.CLASS:
            return (found._replace(kind=kinds.INSTANCE),)
        if found.kind == kinds.VARIABLE:
            return (found,)
        if found.kind == kinds.OUTSIDE:
            name = known.short(found.module)
            if name in _NOTHING or name in ("Self", "TypeVar"):
                return ()
            if name in _CALLABLES:
                return (Type(kinds.CALLABLE, "", "", ((),)),)
            return (instance_of(found.module),)
        return ()

    def _alias(self, sketch: Sketch, place: Place) -> Types:
        """Return what a name means that is no class: an alias such as `Paths = list[Path]`."""
        name, module, bindings = self._alias_bindings(sketch, place)
        if not bindings or len(bindings) != 1 or bindings[0][0] != "v":
            return ()
        value = bindings[0][2]
        if isinstance(value, list) and value[0] == "alias":
            value = value[1]
        if not isinstance(value, list) or value[0] not in ("item", "any", "str"):
            return ()
        key = (module, name)
        if key in self._aliases:
            return self._aliases[key]
        self._aliases[key] = ()
        self._aliases[key] = self.annotated(as_annotation(value), Place(module))
        return self._aliases[key]

    @property
    def _aliases(self) -> dict[tuple[str, str], Types]:
        found: dict[tuple[str, str], Types] = self.__dict__.setdefault("aliases", {})
        return found

    def _alias_bindings(self, sketch: Sketch, place: Place) -> tuple[str, str, Sketch]:
        """Return the name of an alias, its module and its bindings."""
        if isinstance(sketch, str):
            found = self.lookup(sketch, place)
        elif isinstance(sketch[1], str):
            found = ()
            for each in self.evaluate(sketch[1], place):
                if each.kind == kinds.MODULE:
                    found = self.member(each.module, sketch[2])
        else:
            found = ()
        for one in found:
            if one.kind == "variable":
                module = one.entity
                while module and not self.project.is_module(module):
                    module = module.rpartition(".")[0]
                name = one.entity[len(module) + 1 :]
                return name, module, self.table(module)["names"].get(name)
        return "", "", None

    def _subscripted(self, base: Sketch, parts: Sketch, place: Place) -> Types:
        if not isinstance(parts, list):
            return ()
        # `tuple[()]` has none.
        parts = parts or [None]
        found: Types = ()
        for each in self.evaluate(base, place):
            if each.kind == kinds.CLASS:
                args = tuple(self.annotated(part, place) for part in parts)
                found += (each._replace(kind=kinds.INSTANCE, args=args),)
            elif each.kind == kinds.OUTSIDE:
                found += self._outside(each.module, parts, place)
        return found

    def _outside(self, dotted: str, parts: list[Sketch], place: Place) -> Types:
        name = known.short(dotted)
        if name in _TRANSPARENT:
            inner = self.annotated(parts[0], place)
            return kinds.union(inner, (kinds.NONE,)) if inner and name == "Optional" else inner
        if name == "Union":
            each_part = [self.annotated(part, place) for part in parts]
            return kinds.union(*each_part) if all(each_part) else ()
        if name in _CLASSES:
            return tuple(
                each._replace(kind=kinds.CLASS)
                if each.kind == kinds.INSTANCE
                else Type(kinds.OUTSIDE, each.module)
                if each.kind == kinds.OUTSIDE_INSTANCE
                else Type(kinds.CLASS, "", "", ((each,),))
                for each in self.annotated(parts[0], place)
            )
        if name in _CALLABLES:
            return (Type(kinds.CALLABLE, "", "", (self.annotated(parts[-1], place),)),)
        if name in _NOTHING:
            return ()
        if name == "tuple" and len(parts) == 2 and parts[1] is None:
            # tuple[X, ...]: as many as there may be.
            return (instance_of("typing.Sequence", self.annotated(parts[0], place)),)
        if name in ("Tuple", "tuple"):
            name = "tuple"
            dotted = "builtins.tuple"
        return (instance_of(dotted, *(self.annotated(part, place) for part in parts)),)


def as_annotation(value: Sketch) -> Sketch:
    """Return the sketch of a value as that of an annotation: `t.Union["A", B]`."""
    if isinstance(value, list) and value:
        if value[0] == "str":
            import ast

            from plan07_encoders.python.sketch import annotation

            return annotation(ast.Constant(value[1], lineno=1, col_offset=0))
        if value[0] == "item":
            parts = value[2]
            inner = parts[1] if isinstance(parts, list) and parts[:1] == ["tuple"] else [parts]
            return ["item", value[1], [as_annotation(each) for each in inner]]
        if value[0] == "any":
            return ["any", [as_annotation(each) for each in value[1]]]
        if value[0] == "const":
            return value
        if value[0] == "attr":
            return value
        return None
    return value if isinstance(value, str) else None
