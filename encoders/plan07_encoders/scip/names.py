"""Names for the symbols of an index: the first pass over its documents.

A symbol of the index is long and names a package and a version; people and plans write
`src.cart.Cart.total`. Where the outermost descriptors spell the path of the file, the path from the
root of the repository stands for them, without the file's ending; else the descriptors are the
name. Two packages that give the same name to different things are told apart by their own names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from plan07_encoders.scip import kinds
from plan07_encoders.scip.index import Information, Outline
from plan07_encoders.scip.symbols import META, TYPE, Descriptor, Symbol, file_steps, parse, steps
from plan07_encoders.scip.uses import TYPES

# How scip-python names the module that a file is.
MODULE = Descriptor("__init__", META)

parsed: Callable[[str], Symbol | None] = lru_cache(maxsize=65536)(parse)


class Names(NamedTuple):
    """What the definitions of an index are called and are.

    Args:
        fqns: symbol to qualified name.
        symbols: the same symbols, parsed.
        of: the same for parsed symbols, which overloads share.
        kinds: qualified name to kind.
        paths: qualified name to the file of the first definition.
        bases: qualified name to those that it inherits from, implements or overrides, without
            those that it does so only through another.
        repeated: symbols that a document defines more than once.
        bare: types of which the index says nothing but their place.
    """

    fqns: Mapping[str, str]
    symbols: Mapping[str, Symbol]
    of: Mapping[Symbol, str]
    kinds: Mapping[str, str]
    paths: Mapping[str, str]
    bases: Mapping[str, Sequence[str]]
    repeated: frozenset[str]
    bare: frozenset[str]


class _Claim(NamedTuple):
    fqn: str
    symbol: Symbol
    kind: str
    path: str


def collect(documents: Iterable[tuple[str, Outline]], source_roots: Sequence[str]) -> Names:
    """Return the names of everything that some documents define.

    Args:
        documents: each with its path from the root of the repository.
        source_roots: directories from which the names of Python modules count.

    Raises:
        WireError: the index is broken.
    """
    claims: dict[str, _Claim] = {}
    relations: dict[str, list[str]] = {}
    repeated: set[str] = set()
    bare: set[str] = set()
    for path, document in documents:
        said = {each.symbol: each for each in document.information}
        here: set[str] = set()
        for text in document.defined:
            symbol = parsed(text)
            if symbol is None or symbol.is_part:
                continue
            if text in here:
                repeated.add(text)
                continue
            here.add(text)
            if text not in claims:
                claims[text] = _claim(symbol, path, said.get(text), source_roots)
            if symbol.last.suffix == TYPE and text not in said:
                bare.add(text)
        for each in document.information:
            others = [other.symbol for other in each.relations if other.implements]
            relations.setdefault(each.symbol, []).extend(others)
    return _settled(claims, relations, repeated, bare)


def _claim(
    symbol: Symbol, path: str, information: Information | None, source_roots: Sequence[str]
) -> _Claim:
    count = file_steps(symbol, path)
    is_file = count == len(symbol.path) or symbol.last == MODULE
    name = ".".join(steps(symbol))
    if count:
        name = ".".join([_dotted(path), *steps(Symbol("", symbol.path[count:]))])
    elif path.endswith(".py"):
        name = without_root(name, path, source_roots)
    return _Claim(name, symbol, kinds.kind(symbol, information, is_file), path)


def _dotted(path: str) -> str:
    return str(PurePosixPath(path).with_suffix("")).replace("/", ".")


def without_root(name: str, path: str, source_roots: Sequence[str]) -> str:
    """Return the name of something in a Python file as importers of the file know it.

    >>> without_root("src.click.core.Context", "src/click/core.py", ("src", ""))
    'click.core.Context'
    """
    for root in source_roots:
        prefix = root.replace("/", ".") + "."
        if root and path.startswith(f"{root}/") and name.startswith(prefix):
            return name.removeprefix(prefix)
    return name


def _settled(
    claims: Mapping[str, _Claim],
    relations: Mapping[str, Sequence[str]],
    repeated: set[str],
    bare: set[str],
) -> Names:
    packages: dict[str, set[str]] = {}
    for claim in claims.values():
        packages.setdefault(claim.fqn, set()).add(claim.symbol.package)
    fqns: dict[str, str] = {}
    of: dict[Symbol, str] = {}
    found: dict[str, str] = {}
    paths: dict[str, str] = {}
    for text, claim in claims.items():
        package = claim.symbol.package if len(packages[claim.fqn]) > 1 else ""
        fqn = f"{package}.{claim.fqn}" if package else claim.fqn
        fqns[text] = fqn
        of[claim.symbol] = fqn
        paths.setdefault(fqn, claim.path)
        # Of a type and a value of the same name, the type is what others depend on.
        if fqn not in found or (claim.kind in TYPES and found[fqn] not in TYPES):
            found[fqn] = claim.kind
    bases: dict[str, list[str]] = {}
    for text, others in relations.items():
        if text in fqns:
            known = [fqns[other] for other in others if other in fqns]
            bases.setdefault(fqns[text], []).extend(each for each in known if each != fqns[text])
    direct = {fqn: _direct(others, bases) for fqn, others in bases.items()}
    symbols = {text: claim.symbol for text, claim in claims.items()}
    return Names(fqns, symbols, of, found, paths, direct, frozenset(repeated), frozenset(bare))


def _direct(others: Sequence[str], bases: Mapping[str, Sequence[str]]) -> list[str]:
    """Return of some bases those that none of the others has as a base too."""
    through = {
        far for near in others for far in bases.get(near, ()) if near not in bases.get(far, ())
    }
    return sorted({each for each in others if each not in through})
