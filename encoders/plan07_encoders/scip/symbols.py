"""The grammar of SCIP symbols, and the names that entities get from them.

A symbol is `scheme manager package version descriptors`, where each descriptor is a name with a
suffix that says what it is: `src/`, `Cart#`, `total().`, `items.`, `(item)`, `[T]`. A name with
other characters stands in backticks; a blank within a part is written twice.
"""

from __future__ import annotations

import re
from typing import NamedTuple

NAMESPACE, TYPE, TERM, METHOD = "namespace", "type", "term", "method"
TYPE_PARAMETER, PARAMETER, META, MACRO = "type_parameter", "parameter", "meta", "macro"

_SUFFIXES = {"/": NAMESPACE, "#": TYPE, ".": TERM, ":": META, "!": MACRO}
_NAME = r"`(?:[^`]|``)+`|[\w+$-]+"
_DESCRIPTOR = re.compile(
    rf"\[(?P<generic>{_NAME})\]|\((?P<parameter>{_NAME})\)"
    rf"|(?P<name>{_NAME})(?:\((?P<overload>[\w+$-]*)\)\.|(?P<suffix>[/#.:!]))"
)
# scheme, manager, package and version; a double blank belongs to the part.
_HEAD = re.compile(r"((?:[^ ]|  )*) ((?:[^ ]|  )*) ((?:[^ ]|  )*) ((?:[^ ]|  )*) ")
# How indexers write what a constructor or an accessor is called.
_ACCESSOR = re.compile(r"<(?:get|set)>(.+)")
CONSTRUCTORS = frozenset({"<constructor>", "constructor", "<init>", "__init__", ".ctor"})


class Descriptor(NamedTuple):
    """One step of a symbol's path.

    Args:
        name: without backticks.
        suffix: what it is, one of the constants of this module.
    """

    name: str
    suffix: str


class Symbol(NamedTuple):
    """A symbol that can be seen outside its document.

    Args:
        package: the package that defines it, "" where there is none.
        path: its descriptors, outermost first; at least one.
    """

    package: str
    path: tuple[Descriptor, ...]

    @property
    def last(self) -> Descriptor:
        """The descriptor of the symbol itself."""
        return self.path[-1]

    @property
    def is_part(self) -> bool:
        """Whether it is a parameter, of a function or a type."""
        return self.last.suffix in (PARAMETER, TYPE_PARAMETER)

    @property
    def is_constructor(self) -> bool:
        """Whether calling it makes an instance of what it lies in."""
        return (
            self.last.suffix == METHOD
            and self.last.name in CONSTRUCTORS
            and len(self.path) > 1
            and self.path[-2].suffix == TYPE
        )


def parse(text: str) -> Symbol | None:
    """Return a symbol, None for one that is local to its document or not of the grammar.

    >>> parse("scip-typescript npm shop 1.0.0 src/`cart.ts`/Cart#total().").path[-1]
    Descriptor(name='total', suffix='method')
    >>> parse("local 5") is None
    True
    """
    head = None if text.startswith("local ") else _HEAD.match(text)
    if head is None:
        return None
    path: list[Descriptor] = []
    at = head.end()
    while at < len(text):
        found = _DESCRIPTOR.match(text, at)
        if found is None:
            return None
        path.append(_descriptor(found))
        at = found.end()
    if not path:
        return None
    package = head[3].replace("  ", " ")
    return Symbol("" if package == "." else package, tuple(path))


def _descriptor(found: re.Match[str]) -> Descriptor:
    if found["generic"]:
        return Descriptor(_plain(found["generic"]), TYPE_PARAMETER)
    if found["parameter"]:
        return Descriptor(_plain(found["parameter"]), PARAMETER)
    suffix = METHOD if found["overload"] is not None else _SUFFIXES[found["suffix"]]
    return Descriptor(_plain(found["name"]), suffix)


def _plain(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name


def steps(symbol: Symbol) -> list[str]:
    """Return the names of a symbol's descriptors as people write them.

    The module that a file is comes as a member `__init__` of its name, accessors as `<get>name`.
    """
    names = []
    for step in symbol.path:
        if step.suffix == META and step.name == "__init__":
            continue
        accessor = _ACCESSOR.fullmatch(step.name)
        name = accessor[1] if accessor else step.name
        names.append(name.strip("<>") if step.name in CONSTRUCTORS else name)
    return names


def file_steps(symbol: Symbol, path: str) -> int:
    """Return how many descriptors name the file that the symbol lies in, 0 where none do.

    Args:
        symbol: defined in the file.
        path: of the file.

    >>> file_steps(parse("s npm shop 1 src/`cart.ts`/Cart#"), "packages/shop/src/cart.ts")
    2
    >>> file_steps(parse("s maven shop 1 com/shop/Cart#"), "src/main/java/com/shop/Cart.java")
    0
    """
    count = 0
    for step in symbol.path:
        if step.suffix != NAMESPACE:
            break
        count += 1
    spelt = "/".join(step.name for step in symbol.path[:count])
    return count if count and f"/{path}".endswith(f"/{spelt}") else 0
