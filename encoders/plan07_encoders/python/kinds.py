"""What a value is known to be."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias


class Type(NamedTuple):
    """One thing that a value may be.

    Args:
        kind: one of the constants below.
        module: of the repository; for what lies outside of it the dotted name, and `name` is "".
        name: qualified name within the module.
        args: what it is made of, see the constants.
    """

    kind: str
    module: str
    name: str = ""
    args: tuple[tuple[Type, ...], ...] = ()


Types: TypeAlias = tuple[Type, ...]

MODULE = "module"
CLASS = "class"  # args: type arguments
INSTANCE = "instance"  # args: type arguments of its class
FUNCTION = "function"
METHOD = "method"  # args: what it is bound to
DECORATED = "decorated"  # a function; args: what its decorators made of it
OUTSIDE = "outside"  # an object that is not of the repository
OUTSIDE_INSTANCE = "outside_instance"  # args: what it contains
CALLABLE = "callable"  # args: what a call returns
SUPER = "super"  # attributes are sought behind this class; args: what it is bound to
VARIABLE = "variable"  # a type variable; args: its bound

# Source text that is evaluated elsewhere, as JSON: a name, or a list whose head says what it is.
Sketch: TypeAlias = Any

NONE = Type(OUTSIDE_INSTANCE, "builtins.NoneType")
# More than this and it is as good as unknown.
MOST_TYPES = 6


def instance_of(dotted: str, *contents: Types) -> Type:
    """Return an instance of a class outside the repository, with what it contains."""
    return Type(OUTSIDE_INSTANCE, dotted, "", contents if any(contents) else ())


def union(*parts: Types) -> Types:
    """Return several possibilities as one; nothing where they are too many."""
    if len(parts) == 1:
        if len(parts[0]) < 2:
            return parts[0]
        found = tuple(dict.fromkeys(parts[0]))
    else:
        found = tuple(dict.fromkeys(each for part in parts for each in part))
    return found if len(found) <= MOST_TYPES else ()


def some(types: Types) -> Types:
    """Return the possibilities without None."""
    return tuple(each for each in types if each != NONE) if NONE in types else types


def fqn(found: Type) -> str:
    """Return the qualified name of what a type names."""
    return f"{found.module}.{found.name}" if found.name else found.module
