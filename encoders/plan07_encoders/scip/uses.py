"""What a reference does: call, import, write or merely mention.

SCIP tells that a symbol is referred to, hardly ever why; the characters around it do. A call is a
reference followed by a parenthesis, whatever the language.
"""

from __future__ import annotations

import re

from plan07_encoders.scip.index import IMPORT, WRITE
from plan07_encoders.scip.sourcetext import Cut

TYPES = frozenset({"class", "interface", "trait", "struct", "enum", "type_alias"})
_FILES = frozenset({"module", "package"})
_MEMBERS = frozenset({"method", "property", "field"})
_DATA = frozenset({"variable", "constant", "field", "property", "enum_member"})
# Arguments of a type may stand between the name and the parenthesis.
_CALL = re.compile(r"(?:!|\?\.|::)?(?:<[^;{}]{0,120}?>)?\s*\(")
_NEW = re.compile(r"\bnew\s+[\w.]*$")
_DECORATOR = re.compile(r"(?<![\w.])@[\w.]*$")
_WRITTEN = re.compile(r"\s*(?:\*\*|<<|>>>?|\?\?|\|\||&&|[-+*/%&|^])?=(?![=>])")
_COUNTED = re.compile(r"\s*(?:\+\+|--)(?!\w)")
_IMPORTS = re.compile(r"(?:import|from|use|using|require|include|#include|@import|open)\b")
_EXPORTS = re.compile(r"export\s*(?:type\s*)?[{*]|pub\s+use\b")
_DECLARED = re.compile(r"\b(?:def|class|function|func|fun|fn)\s+$")
_RECEIVER = re.compile(r"(?:\.|->)\s*$")


def edge_kind(cut: Cut, statement: str, roles: int, kind: str, at_top: bool) -> str:
    """Return which edge of recon.db a reference is.

    Args:
        cut: the line around it.
        statement: the line on which the statement around it begins.
        roles: of the occurrence.
        kind: of the entity that is referred to.
        at_top: it stands in no definition but the file.
    """
    if at_top and _EXPORTS.match(statement):
        return "imports" if kind in _FILES else "reexports"
    if roles & IMPORT or (at_top and _IMPORTS.match(statement)):
        return "imports"
    if _DECORATOR.search(cut.before):
        return "decorates"
    if kind in TYPES:
        if _CALL.match(cut.after) or _NEW.search(cut.before):
            return "instantiates"
        return "references" if cut.after.startswith((".", "::")) else "uses_type"
    if _CALL.match(cut.after):
        return "calls"
    if kind in _DATA and (roles & WRITE or _WRITTEN.match(cut.after) or _COUNTED.match(cut.after)):
        return "writes"
    return "references"


def is_declared(cut: Cut) -> bool:
    """Whether the name is declared here once more, as overloads do, and not used."""
    return _DECLARED.search(cut.before) is not None


def by_receiver(cut: Cut, kind: str) -> bool:
    """Whether it was the type of an expression that decided which entity is meant."""
    return kind in _MEMBERS and _RECEIVER.search(cut.before) is not None
