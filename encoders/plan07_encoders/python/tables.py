"""The table of a module: what other files need to know of it, as JSON."""

from __future__ import annotations

from typing import Any, TypeAlias, TypedDict

from plan07_encoders.python.kinds import Sketch

# What a name of a scope stands for:
#   ["f", qual] a function         ["c", qual] a class
#   ["m", module] a module         ["i", module, name] a name of a module
#   ["v", annotation, value] a variable, both sketches
Binding: TypeAlias = list[Any]
Names: TypeAlias = dict[str, list[Binding]]


class Function(TypedDict):
    """A function or method.

    Args:
        params: [name, kind, annotation, has a default]; kind as in `prints.Parameter`.
        returns: sketch of the annotation.
        results: without an annotation, sketches of what is returned.
        yields: sketches of what is yielded; None if it is no generator.
        decorators: sketches, the outermost first.
        flags: as in `NodeRow`.
        overloads: [params, returns] of each overload.
        locals: functions, classes and imports within it.
        fixture: the name of the pytest fixture that it is.
        holder: qualified name of the class that it is a method of, or "".
        generics: names of its type parameters.
    """

    params: list[list[Any]]
    returns: Sketch
    results: list[Sketch]
    yields: list[Sketch] | None
    decorators: list[Sketch]
    flags: list[str]
    overloads: list[list[Any]]
    locals: Names
    fixture: str | None
    holder: str
    generics: list[str]


class ClassTable(TypedDict):
    """A class.

    Args:
        bases: sketches.
        metaclass: sketch.
        decorators: sketches.
        names: what its body binds.
        fields: what its methods assign to self: [annotation, value] each.
        set_up: names of those that a method assigns that runs before all others.
        generics: names of its type parameters.
    """

    bases: list[Sketch]
    metaclass: Sketch
    decorators: list[Sketch]
    names: Names
    fields: dict[str, list[list[Sketch]]]
    set_up: list[str]
    generics: list[str]


class Table(TypedDict):
    """A module.

    Args:
        names: what its body binds.
        stars: modules from which it imports everything, the first first.
        exports: its `__all__`, None without one.
        functions, classes: by qualified name within the module.
    """

    names: Names
    stars: list[str]
    exports: list[str] | None
    functions: dict[str, Function]
    classes: dict[str, ClassTable]
