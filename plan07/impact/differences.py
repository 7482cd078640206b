"""How entities changed between two states of a repository, by their signatures and bodies.

Compares what recon.db says of both states; nothing is executed and no type is inferred. What a
comparison of texts cannot decide (which exceptions travel up, whether a new base behaves alike) is
not guessed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from plan07.impact.annotations import compared
from plan07.impact.closure import Seed
from plan07.impact.matching import CLASSES, FUNCTIONS, Matches
from plan07.recon import NodeRow

_DATA = ("field", "variable", "constant", "enum_member", "type_alias", "column", "config_key")
_POSITIONAL = ("positional_only", "positional_or_keyword")
_OTHER_FLAGS = ("static", "classmethod", "abstract")
_ORIGIN = "diff"


class State(NamedTuple):
    """One of the two states: the entities of the files that differ, by qualified name.

    Args:
        nodes: outer entities before inner ones.
        overrides: method to the method that it overrides.
    """

    nodes: Mapping[str, NodeRow]
    overrides: Mapping[str, str] = {}

    def named(self) -> State:
        """Return it without tests, and without what only its own function can name."""
        return self._replace(
            nodes={
                name: node
                for name, node in self.nodes.items()
                if not (node.is_test and node.kind in FUNCTIONS) and not self._local(node)
            }
        )

    def _local(self, node: NodeRow) -> bool:
        outer = node.parent
        while outer is not None and outer in self.nodes:
            if self.nodes[outer].kind in FUNCTIONS:
                return True
            outer = self.nodes[outer].parent
        return False


def differences(old: State, new: State, moved: Mapping[str, str]) -> list[Seed]:
    """Return how entities changed, by the names that they had; what is added by the new ones.

    Args:
        old: the earlier state.
        new: the later one.
        moved: path to new path of files that were renamed.
    """
    old, new = old.named(), new.named()
    match = Matches(old.nodes, new.nodes, moved)
    found: list[Seed] = []
    for name, before in old.nodes.items():
        counterpart = match.new_name(name)
        if counterpart is None:
            if not match.goes_along(name):
                found.append(_seed(name, _removal(before)))
            continue
        after = new.nodes[counterpart]
        if counterpart != name and not match.goes_along(name):
            found.append(_seed(name, _renaming(before, after), {"to": counterpart}))
        found += [_seed(name, kind, detail) for kind, detail in changes(before, after)]
    for name, after in new.nodes.items():
        if not match.known_new(name):
            found.append(_seed(name, _addition(after, new.overrides)))
    return found


def _seed(name: str, change: str, detail: Mapping[str, Any] | None = None) -> Seed:
    return Seed(name, change, dict(detail or {}), _ORIGIN)


def _removal(node: NodeRow) -> str:
    return "field_deleted" if node.kind == "field" else "deleted"


def _renaming(before: NodeRow, after: NodeRow) -> str:
    if before.kind == "field":
        return "field_renamed"
    if before.kind == "config_key":
        return "config_key_renamed"
    return "move" if before.name == after.name else "rename"


def _addition(node: NodeRow, overrides: Mapping[str, str]) -> str:
    if node.kind == "field":
        return "field_added"
    if node.kind == "config_key":
        return "config_key_added"
    return "override_added" if node.fqn in overrides else "added"


Change = tuple[str, dict[str, Any]]


def changes(before: NodeRow, after: NodeRow) -> list[Change]:
    """Return the kinds of change, with details, between two states of one entity.

    A change of the body is told where nothing else is: what changes a contract says more.
    """
    if before.kind in FUNCTIONS and after.kind in FUNCTIONS:
        found = list(_of_a_function(before, after))
    elif before.kind in CLASSES:
        found = list(_of_a_class(before, after))
    elif before.kind in _DATA:
        return list(_of_data(before, after))
    else:
        # The statements of a module are told by what they define.
        return []
    if not found and before.body_hash != after.body_hash and before.kind not in CLASSES:
        found = [("body", {})]
    return found


def _of_a_function(before: NodeRow, after: NodeRow) -> Iterator[Change]:
    old, new = set(before.flags), set(after.flags)
    if ("async" in old) != ("async" in new):
        yield "async_changed", {}
    if ("property" in old) != ("property" in new):
        yield "property_changed", {}
    if {each for each in _OTHER_FLAGS[:2] if each in old ^ new}:
        yield "decorator_changed", {}
    yield from _of_parameters(_parameters(before), _parameters(after))
    returned = compared(before.returns, after.returns)
    if returned == "narrowed":
        yield "return_type_narrowed", {"returns": after.returns}
    elif returned != "same":
        # Where neither contains the other, callers may get what they did not get before.
        yield "return_type_widened", {"returns": after.returns}


def _of_a_class(before: NodeRow, after: NodeRow) -> Iterator[Change]:
    if before.signature == after.signature:
        if before.sig_hash != after.sig_hash:
            yield "decorator_changed", {}
        return
    old, new = _bases(before.signature), _bases(after.signature)
    if old[0] != new[0]:
        yield "class_bases", {}
    if old[1] != new[1]:
        yield "metaclass", {}


def _bases(signature: str | None) -> tuple[list[str], list[str]]:
    """Return the bases in the head of a class, and its keywords."""
    parts = [each.strip() for each in (signature or "").strip("()").split(",")]
    keywords = [each for each in parts if "=" in each]
    return [each for each in parts if each and "=" not in each], keywords


def _of_data(before: NodeRow, after: NodeRow) -> Iterator[Change]:
    if before.sig_hash != after.sig_hash:
        yield "field_type", {}
    if before.body_hash != after.body_hash:
        constant = before.kind in ("constant", "enum_member", "type_alias")
        key = before.kind == "config_key"
        yield "default_changed" if key else "constant" if constant else "field_value", {}


class _Parameter(NamedTuple):
    name: str
    kind: str
    type: str | None
    default: str | None


def _parameters(node: NodeRow) -> list[_Parameter]:
    try:
        listed = json.loads(node.params or "[]")
        found = [_Parameter(_name_of(p), p["kind"], p["type"], p["default"]) for p in listed]
    except (ValueError, TypeError, KeyError, RecursionError):
        return []
    # How a method calls its own object is nobody else's concern.
    bound = node.kind in ("method", "property") and "static" not in node.flags
    return found[1:] if bound and found and found[0].kind in _POSITIONAL else found


def _name_of(parameter: Mapping[str, str]) -> str:
    """Return the name of a parameter; how one that takes the rest is called is nobody's concern."""
    return {"var_positional": "*", "var_keyword": "**"}.get(parameter["kind"], parameter["name"])


def _of_parameters(old: Sequence[_Parameter], new: Sequence[_Parameter]) -> Iterator[Change]:
    before, after = {p.name: p for p in old}, {p.name: p for p in new}
    renamed = dict(_renamed(old, new))
    for each in old:
        if each.name not in after and each.name not in renamed:
            yield "param_removed", {"param": each.name}
    for one, other in renamed.items():
        yield "param_renamed", {"param": one, "to": other}
    for each in new:
        if each.name in before or each.name in renamed.values():
            continue
        if each.default is None and not each.kind.startswith("var_"):
            yield "param_added_required", {"param": each.name}
        else:
            yield "param_added_default", {"param": each.name, "default": each.default}
    for one, other in {**{n: n for n in before if n in after}, **renamed}.items():
        yield from _of_a_parameter(before[one], after[other])
    moved = _moved_parameters(
        [p.name for p in old if p.kind in _POSITIONAL],
        [p.name for p in new if p.kind in _POSITIONAL],
        renamed,
    )
    for name in moved:
        yield "param_moved", {"param": name}


def _of_a_parameter(old: _Parameter, new: _Parameter) -> Iterator[Change]:
    detail = {"param": old.name}
    if old.kind != new.kind and old.kind in _POSITIONAL and new.kind == "keyword_only":
        yield "param_moved", detail
    elif old.kind != new.kind == "positional_only" and old.name == new.name:
        yield "param_renamed", detail
    if old.default is not None and new.default is None:
        yield "default_removed", detail
    elif old.default is not None and old.default != new.default:
        yield "default_changed", {**detail, "default": new.default}
    typed = compared(old.type, new.type)
    if typed == "narrowed":
        yield "param_type_narrowed", detail
    elif typed != "same":
        yield "param_type_widened", detail


def _renamed(old: Sequence[_Parameter], new: Sequence[_Parameter]) -> Iterator[tuple[str, str]]:
    """Yield parameters that got another name: at the same place, and alike but for it."""
    names, other_names = {p.name for p in old}, {p.name for p in new}
    if len(old) != len(new):
        return
    for one, other in zip(old, new, strict=True):
        if (
            one.name not in other_names
            and other.name not in names
            and (one.kind == other.kind or {one.kind, other.kind} <= set(_POSITIONAL))
            and one.default == other.default
        ):
            yield one.name, other.name


def _moved_parameters(
    old: Sequence[str], new: Sequence[str], renamed: Mapping[str, str]
) -> list[str]:
    """Return the positional parameters that a call by position would no longer meet.

    What stood before a parameter that is removed does not count: whoever gave it by position gave
    the removed one too.
    """
    places = {name: place for place, name in enumerate(new)}
    kept = [name for name in old if renamed.get(name, name) in places]
    return [name for place, name in enumerate(kept) if places[renamed.get(name, name)] != place]
