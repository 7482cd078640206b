"""Which kind of entity a SCIP symbol is.

Indexers seldom fill in the format's own `Kind`, so the suffix of the symbol decides, and the first
words of its signature (`interface Priced`, `(enum member) Small`) tell more where they are known.
"""

from __future__ import annotations

import re

from plan07_encoders.scip.index import Information
from plan07_encoders.scip.symbols import MACRO, META, METHOD, NAMESPACE, TERM, TYPE, Symbol

# Numbers of the format's `Kind` to the kinds of recon.db; what is not listed goes by the suffix.
_OF_NUMBER = {
    **dict.fromkeys((7, 33, 62, 75), "class"),
    **dict.fromkeys((21, 42, 56), "interface"),
    **dict.fromkeys((53,), "trait"),
    **dict.fromkeys((28, 46, 49, 59), "struct"),
    **dict.fromkeys((11,), "enum"),
    **dict.fromkeys((12,), "enum_member"),
    **dict.fromkeys((17, 25, 34), "function"),
    **dict.fromkeys((9, 26, 66, 67, 68, 69, 70, 71, 74, 76, 80), "method"),
    **dict.fromkeys((18, 41, 45, 72, 81), "property"),
    **dict.fromkeys((4, 15, 77, 79), "field"),
    **dict.fromkeys((61, 82), "variable"),
    **dict.fromkeys((8,), "constant"),
    **dict.fromkeys((3, 54, 55, 57), "type_alias"),
    **dict.fromkeys((16, 29, 64), "module"),
    **dict.fromkeys((30, 35, 36), "package"),
}
_OF_WORD = {
    "class": "class",
    "interface": "interface",
    "protocol": "interface",
    "trait": "trait",
    "struct": "struct",
    "record": "struct",
    "enum": "enum",
    "(enum member)": "enum_member",
    "type": "type_alias",
    "const": "constant",
    "get": "property",
    "set": "property",
    "(property)": "property",
    "module": "module",
    "namespace": "package",
}
_FIRST_WORD = re.compile(
    r"(?:(?:export|declare|abstract|public|private|protected|internal|static|final|sealed|open"
    r"|pub|default)\s+)*(\([a-z ]+\)|[a-z]+)"
)
# A word must not turn a function into a type, nor the other way round.
_FITS = {
    TYPE: ("class", "interface", "trait", "struct", "enum", "type_alias"),
    TERM: ("enum_member", "constant", "property", "module", "package"),
    METHOD: ("property",),
    NAMESPACE: ("module", "package"),
}


def kind(symbol: Symbol, information: Information | None, is_file: bool) -> str:
    """Return the kind of the entity that a symbol stands for.

    Args:
        symbol: seen outside its document, neither a parameter nor a type parameter.
        information: what the index says of it, if anything.
        is_file: it stands for the file itself.
    """
    if is_file:
        return "module"
    suffix = symbol.last.suffix
    if information is not None and information.kind in _OF_NUMBER:
        return _OF_NUMBER[information.kind]
    if symbol.last.name.startswith("<get>") or symbol.last.name.startswith("<set>"):
        return "property"
    if information is not None and information.signature:
        said = _OF_WORD.get(_first_word(information.signature), "")
        if said in _FITS.get(suffix, ()):
            return "field" if said == "property" and suffix == TERM else said
    within_type = len(symbol.path) > 1 and symbol.path[-2].suffix == TYPE
    if suffix == METHOD:
        return "method" if within_type else "function"
    if suffix == TERM:
        return "field" if within_type else "variable"
    return {TYPE: "class", MACRO: "function", META: "module", NAMESPACE: "package"}.get(
        suffix, "variable"
    )


def _first_word(signature: str) -> str:
    found = _FIRST_WORD.match(signature)
    return found[1] if found else ""
