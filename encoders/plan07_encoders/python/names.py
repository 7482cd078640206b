"""What a name stands for, in a scope, a module or through imports.

The classes of this module, `classes`, `annotations` and `values` are one object, `values.World`,
built up in layers: what the layers below need of those above is declared here. A world answers for
one file and remembers which modules it asked, so that the answers can be kept until one of those
changes.
"""

from __future__ import annotations

import builtins
from typing import NamedTuple

from plan07_encoders.python import kinds
from plan07_encoders.python.kinds import Sketch, Type, Types
from plan07_encoders.python.project import Project
from plan07_encoders.python.tables import Binding, Table

_BUILTINS = frozenset(dir(builtins)) | {"reveal_type", "__file__", "__name__", "__doc__"}

# Longer chains of imports or of base classes are not written by people.
MOST_NESTED = 40


class Place(NamedTuple):
    """Where a sketch is evaluated.

    Args:
        module: whose names count.
        qual: the function or class within it whose scope it is, "" for the module itself.
        receiver: what self or cls stands for, as an instance.
    """

    module: str
    qual: str = ""
    receiver: Types = ()


class Found(NamedTuple):
    """What a name or an attribute leads to.

    Args:
        entity: qualified name of the entity of the repository; "" where there is none.
        kind: module, class, function, variable, field, outside, or "" where it is not known.
        types: what its value is.
        through: the module that hands it on, where it is not defined where it was asked for.
    """

    entity: str
    kind: str
    types: Types
    through: str = ""


class Names:
    """Looks names up.

    Args:
        project: the tables.
        path: the file that asks.
        module: its module.
    """

    def __init__(self, project: Project, path: str, module: str) -> None:
        self.project = project
        self.path = path
        self.module = module
        self.consulted: dict[str, str] = {}
        self._members: dict[tuple[str, str, bool], tuple[Found, ...]] = {}
        self._variables: dict[tuple[str, str], Types] = {}
        self._tables: dict[str, Table] = {}
        self._builtins: dict[str, tuple[Found, ...]] = {}
        # How many modules or classes the question that is being answered has gone through.
        self.nesting = 0

    # What the layers above add.

    def evaluate(self, sketch: Sketch, place: Place) -> Types:
        """Return what the value of a sketch is."""
        raise NotImplementedError

    def annotated(self, sketch: Sketch, place: Place) -> Types:
        """Return what something with this annotation is."""
        raise NotImplementedError

    def function_value(self, module: str, qual: str) -> Types:
        """Return what the name of a function stands for, its decorators applied."""
        raise NotImplementedError

    # Modules.

    def find(self, name: str) -> str | None:
        """Return the module or folder that an absolute name means, None if it is outside."""
        found = self.project.modules.find(name, self.path)
        if name not in self.consulted:
            self.consulted[name] = "" if found is None else self.project.digest(found)
        return found

    def table(self, module: str) -> Table:
        """Return the table of a module, by the name that `find` gave."""
        found = self._tables.get(module)
        if found is None:
            found = self._tables[module] = self.project.table(module)
            self.consulted.setdefault(module, self.project.digest(module))
        return found

    def imported(self, name: str) -> Found:
        """Return the module that an import names."""
        found = self.find(name)
        if found is None:
            return Found("", "outside", (Type(kinds.OUTSIDE, name),))
        return Found(found, "module", (Type(kinds.MODULE, found),))

    def member(self, module: str, name: str, inner: bool = True) -> tuple[Found, ...]:
        """Return what an attribute of a module is; nothing if it is not known.

        Args:
            module: the module.
            name: the attribute.
            inner: the modules of a package are attributes of it.
        """
        key = (module, name, inner)
        known = self._members.get(key)
        if known is not None:
            return known
        # While it is looked up, a ring of imports finds nothing.
        self._members[key] = ()
        if self.nesting < MOST_NESTED:
            self.nesting += 1
            self._members[key] = self._member(module, name, inner)
            self.nesting -= 1
        return self._members[key]

    def _member(self, module: str, name: str, inner: bool) -> tuple[Found, ...]:
        table = self.table(module)
        bindings = table["names"].get(name)
        if bindings:
            found = self.bound_in(bindings, module, name, Place(module))
            if found:
                return found
        if inner and self.project.is_package(module):
            submodule = f"{module}.{name}"
            if self.find(submodule) == submodule:
                return (Found(submodule, "module", (Type(kinds.MODULE, submodule),)),)
        for star in reversed(table["stars"]):
            found = self._starred(star, name, module)
            if found:
                return found
        return ()

    def _starred(self, star: str, name: str, module: str) -> tuple[Found, ...]:
        origin = self.find(star)
        if origin is None or origin == module:
            return ()
        exports = self.table(origin)["exports"]
        if (name not in exports) if exports is not None else name.startswith("_"):
            return ()
        return tuple(each._replace(through=origin) for each in self.member(origin, name))

    def public_names(self, module: str, seen: frozenset[str] = frozenset()) -> list[str]:
        """Return the names that `from module import *` binds, of modules of the repository."""
        table = self.table(module)
        if table["exports"] is not None:
            return table["exports"]
        found = dict.fromkeys(name for name in table["names"] if not name.startswith("_"))
        for star in table["stars"]:
            origin = self.find(star)
            if origin is not None and origin not in seen and len(seen) < MOST_NESTED:
                found |= dict.fromkeys(self.public_names(origin, seen | {module, origin}))
        return list(found)

    def has_outside_star(self, module: str) -> bool:
        """Whether a module imports all names of one that is not of the repository."""
        return any(self.find(star) is None for star in self.table(module)["stars"])

    def bound(self, bindings: list[Binding], place: Place) -> tuple[Found, ...]:
        """Return what the bindings of a name lead to."""
        found: list[Found] = []
        for each in bindings:
            found += [one for one in self._bound(each, place) if one not in found]
        return tuple(found)

    def _bound(self, binding: Binding, place: Place) -> tuple[Found, ...]:
        head = binding[0]
        if head == "f":
            qual = binding[1]
            types = self.function_value(place.module, qual)
            return (Found(f"{place.module}.{qual}", "function", types),)
        if head == "c":
            qual = binding[1]
            return (
                Found(f"{place.module}.{qual}", "class", (Type(kinds.CLASS, place.module, qual),)),
            )
        if head == "m":
            return (self.imported(binding[1]),)
        if head == "i":
            return self.from_import(binding[1], binding[2])
        return ()

    def from_import(self, module: str, name: str) -> tuple[Found, ...]:
        """Return what `from module import name` binds."""
        origin = self.find(module)
        if origin is None:
            return (Found("", "outside", (Type(kinds.OUTSIDE, f"{module}.{name}"),)),)
        found = self.member(origin, name)
        return tuple(each._replace(through=origin) for each in found)

    def variable(self, module: str, qual: str, bindings: list[Binding], place: Place) -> Found:
        """Return a variable of a module or class, or a field."""
        return Found(
            f"{module}.{qual}", "variable", self.variable_types(module, qual, bindings, place)
        )

    def variable_types(
        self, module: str, qual: str, bindings: list[Binding], place: Place
    ) -> Types:
        """Return what a variable holds: by its annotation, else by what is assigned to it."""
        key = (module, qual)
        if key in self._variables:
            return self._variables[key]
        self._variables[key] = ()
        noted = [each[1] for each in bindings if each[0] == "v" and each[1] is not None]
        if noted and not _is_plain(noted[0]):
            found = self.annotated(noted[0], place)
        else:
            values = [self.evaluate(each[2], place) for each in bindings if each[0] == "v"]
            found = kinds.union(*values) if all(values) else ()
        self._variables[key] = found
        return found

    # Scopes.

    def lookup(self, name: str, place: Place) -> tuple[Found, ...]:
        """Return what a free name means in a scope."""
        qual = place.qual
        if not qual:
            return self._lookup_global(name, place.module)
        table = self.table(place.module)
        while qual:
            function = table["functions"].get(qual)
            holder = function or table["classes"].get(qual)
            names = {}
            if function is not None:
                names = function["locals"]
            elif qual == place.qual and qual in table["classes"]:
                names = table["classes"][qual]["names"]
            if holder is not None and name in holder["generics"] and name not in table["names"]:
                return (Found("", "outside", (Type(kinds.VARIABLE, "", name, ((),)),)),)
            if name in names:
                found = self.bound_in(names[name], place.module, f"{qual}.{name}", place)
                if found:
                    return found
            qual = qual.rpartition(".")[0]
        return self._lookup_global(name, place.module)

    def _lookup_global(self, name: str, module: str) -> tuple[Found, ...]:
        found = self.member(module, name, inner=False)
        if found or name not in _BUILTINS:
            return found
        builtin = self._builtins.get(name)
        if builtin is None:
            builtin = (Found("", "outside", (Type(kinds.OUTSIDE, f"builtins.{name}"),)),)
            self._builtins[name] = builtin
        return builtin

    def bound_in(
        self, bindings: list[Binding], module: str, qual: str, place: Place
    ) -> tuple[Found, ...]:
        """Return what bindings of a scope lead to, variables included."""
        found = self.bound(bindings, place)
        if any(each[0] == "v" for each in bindings):
            variable = self.variable(module, qual, bindings, place)
            if not found or kinds.some(variable.types):
                return (*found, variable)
        return found


def _is_plain(note: Sketch) -> bool:
    """Whether an annotation says only how a name is used: Final, ClassVar or TypeAlias alone."""
    last = note[2] if isinstance(note, list) and note[0] == "attr" else note
    return last in ("Final", "ClassVar", "TypeAlias")
