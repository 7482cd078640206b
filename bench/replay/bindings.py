"""Which edit depends on which by the names that files bind, use, and take from each other.

The encoder has no entities for import statements and the names they bind, so those are read from
the edits.
"""

from __future__ import annotations

import ast
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

from bench.replay.commit import Change
from bench.replay.edits import Edit, Side
from bench.replay.ends import OLD, End
from bench.replay.kinds import PARAMETERS, Dependency, Kinds
from bench.replay.names import Names
from bench.replay.relations import Pairs


def by_names(
    change: Change, kinds: Kinds, before: End, after: End, pairs: Pairs
) -> Iterator[Dependency]:
    """Yield what the names say that a file binds and uses, and takes from other files."""
    for end, removed in ((before, True), (after, False)):
        binders: dict[tuple[str, str], list[int]] = defaultdict(list)
        members: dict[tuple[str, str, str], list[int]] = defaultdict(list)
        for number, edit in enumerate(change.edits):
            for name in end.names[number].binds:
                if edit.owner:
                    members[edit.path, edit.owner, name].append(number)
                else:
                    binders[edit.path, name].append(number)
        modules = {fqn: path for path, fqn in end.module_of.items() if path is not None}
        named = _modules_named(end, change, modules)
        for number, edit in enumerate(change.edits):
            used = end.names[number]
            for path, name, cause in _looked_up(edit, used, end.side(number), named, modules):
                for on in binders.get((path, name), ()):
                    pairs[end.which].add((on, number))
                    for kind in _binds(change.edits[on], kinds.of_edit[on], removed):
                        yield Dependency(on, number, cause, kind, "exact")
            for name in used.uses if edit.owner else ():
                for on in members.get((edit.path, edit.owner, name), ()):
                    pairs[end.which].add((on, number))
                    for kind in _binds(change.edits[on], kinds.of_edit[on], removed):
                        yield Dependency(
                            on, number, "UsedBy", kind, "exact", _accessor(change.edits[on], edit)
                        )


def _accessor(getter: Edit, edit: Edit) -> str:
    """Return how the setter of what was no property goes with it."""
    data = isinstance(getter.old.nodes[0] if getter.old.nodes else None, ast.Assign | ast.AnnAssign)
    is_property = data and getter.kind == "def"
    return "split" if is_property and edit.name.startswith(f"{getter.name}.") else ""


def _binds(edit: Edit, kinds: AbstractSet[str], removed: bool) -> Iterator[str]:
    if edit.action == "added":
        if not removed:
            yield "added"
    elif edit.action == "deleted":
        if removed:
            yield "deleted"
    else:
        # A statement that binds a name in both states is there all along.
        yield from sorted(kinds - {"added", "deleted", *PARAMETERS})


def _modules_named(
    end: End, change: Change, modules: Mapping[str, str]
) -> dict[str, dict[str, str]]:
    """Return, by path, the names by which a file calls modules of the repository."""
    root = change.ends.old if end.which == OLD else change.ends.new
    found: dict[str, dict[str, str]] = {}
    for path in change.paths:
        tree = _tree(os.path.join(root, path))
        package = _package(path, modules)
        named = found.setdefault(path, {})
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for each in node.names:
                    if each.asname and each.name in modules:
                        named[each.asname] = each.name
            elif isinstance(node, ast.ImportFrom):
                for each in node.names:
                    whole = f"{_source(node, package)}.{each.name}"
                    if whole in modules:
                        named[each.asname or each.name] = whole
    return found


def _tree(place: str) -> ast.AST:
    try:
        with open(place, "rb") as stream:
            return ast.parse(stream.read())
    except (OSError, SyntaxError, ValueError):
        return ast.Module(body=[], type_ignores=[])


def _package(path: str, modules: Mapping[str, str]) -> str:
    here = next((fqn for fqn, place in modules.items() if place == path), "")
    return here if path.endswith("__init__.py") else here.rpartition(".")[0]


def _looked_up(
    edit: Edit,
    used: Names,
    side: Side,
    named: Mapping[str, Mapping[str, str]],
    modules: Mapping[str, str],
) -> Iterator[tuple[str, str, str]]:
    """Yield (path, name, cause) of what an edit looks up."""
    if edit.kind != "file":
        for name in used.uses:
            yield edit.path, name, "UsedBy"
    package = _package(edit.path, modules)
    for node in (each for top in side.nodes for each in ast.walk(top)):
        if isinstance(node, ast.ImportFrom):
            source = _source(node, package)
            if source in modules:
                for each in node.names:
                    if side.names is None or (each.asname or each.name) in side.names:
                        yield modules[source], each.name, "ImportedBy"
    for chain in sorted(used.chains | used.strings):
        first, _, rest = chain.partition(".")
        parts = f"{named.get(edit.path, {}).get(first, first)}.{rest}".split(".")
        for cut in range(len(parts) - 1, 0, -1):
            module = ".".join(parts[:cut])
            if module in modules:
                yield modules[module], parts[cut], "UsedBy"
                break


def _source(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    outer = package.split(".")
    outer = outer[: len(outer) - node.level + 1]
    return ".".join([*outer, *([node.module] if node.module else [])])


def replaced(change: Change, before: End, after: End) -> Iterator[Dependency]:
    """Yield what must be there before what it stands in for goes."""
    came: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for number, edit in enumerate(change.edits):
        if edit.action == "added" and edit.kind != "file":
            for name in after.names[number].binds:
                came[edit.path, edit.owner, name].append(number)
    for number, edit in enumerate(change.edits):
        if edit.action == "deleted" and edit.kind != "file":
            for name in before.names[number].binds:
                for other in came.get((edit.path, edit.owner, name), ()):
                    yield Dependency(other, number, "UsedBy", "added", "exact")
    # What a use means afterwards, where it is not edited itself.
    meant: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for use in after.uses:
        meant[use.src, use.kind, use.dst.rpartition(".")[2]].add(use.dst)
    for use in before.uses:
        if use.kind == "contains" or use.kind == "tests":
            continue
        gone = [n for n in before.of(use.dst) if change.edits[n].action == "deleted"]
        if not gone:
            continue
        for other_name in meant.get((use.src, use.kind, use.dst.rpartition(".")[2]), ()):
            if other_name != use.dst:
                for other in after.of(other_name):
                    if change.edits[other].action == "added":
                        for number in gone:
                            yield Dependency(other, number, "UsedBy", "added", "exact")


def moved(change: Change, before: End, after: End) -> Iterator[Dependency]:
    """Yield what is moved within its file, for what stands between and runs with the module.

    What moves down is moved after what uses it, what moves up before.
    """
    binders: dict[tuple[str, str], int] = {}
    for number, edit in enumerate(change.edits):
        if edit.shift and not edit.owner:
            binders.update({(edit.path, name): number for name in after.names[number].binds})
    for number, edit in enumerate(change.edits):
        if edit.shift and not edit.owner:
            for name in before.names[number].uses | after.names[number].uses:
                on = binders.get((edit.path, name))
                if on is not None:
                    kind = "deleted" if change.edits[on].shift > 0 else "added"
                    yield Dependency(on, number, "UsedBy", kind, "exact")
