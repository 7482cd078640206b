"""Which edit depends on which, by the evidence of both ends and the names in the edits themselves.

The encoder's recon.db of either end knows calls, references, overrides and tests between entities;
here they are told between the edits in which they stand. It has no entities for import statements
and the names they bind, so those are read from the edits.
"""

from __future__ import annotations

import ast
import json
import os
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from bench.replay.calls import Shape, assigned, fit, shapes, signature
from bench.replay.commit import Change
from bench.replay.edits import Edit, Side
from bench.replay.names import Names, names
from bench.replay.pins import pins, renamed_keys
from plan07.impact.differences import State, changes
from plan07.recon import NodeRow
from plan07.reconfile import opened, text

OLD, NEW = "old", "new"


class Dependency(NamedTuple):
    """One edit is about something that another one uses.

    Args:
        on: the edit of what is used.
        edit: the edit of what uses it.
        cause: the relation, seen from what is used: CalledBy.
        change: how what is used changes.
        resolution: exact, typed, dynamic, heuristic or ambiguous.
        order: def<dep, dep<def or split where the edits themselves tell, "" where the kind of
            change must.
    """

    on: int
    edit: int
    cause: str
    change: str
    resolution: str
    order: str = ""


_CAUSES = {
    "calls": "CalledBy",
    "imports": "ImportedBy",
    "reexports": "ReexportedBy",
    "inherits": "BaseClassOf",
    "implements": "BaseClassOf",
    "overrides": "OverriddenBy",
    "instantiates": "InstantiatedBy",
    "references": "UsedBy",
    "writes": "UsedBy",
    "uses_type": "TypeUsedBy",
    "decorates": "DecoratedBy",
    "tests": "TestedBy",
}
_ADDS = ("added", "field_added", "override_added")
_REMOVES = ("deleted", "field_deleted", "import_removed")


class _Use(NamedTuple):
    """Where an end shows that one entity depends on another."""

    kind: str
    src: str
    dst: str
    resolution: str
    path: str
    lines: tuple[int, ...]


class End:
    """One end of a change, as its recon.db tells it.

    Args:
        which: OLD or NEW.
        change: the change.
        recon: the recon.db of this end.
    """

    def __init__(self, which: str, change: Change, recon: str) -> None:
        self.which = which
        self._change = change
        self._by_path: dict[str, list[int]] = defaultdict(list)
        for number, edit in enumerate(change.edits):
            if self.side(number).nodes or edit.kind == "file":
                self._by_path[edit.path].append(number)
        with opened(recon) as database:
            self.nodes = _nodes(database)
            self.uses = list(_uses(database))
        self.overrides: dict[str, set[str]] = defaultdict(set)
        for use in self.uses:
            if use.kind == "overrides":
                self.overrides[use.src].add(use.dst)
                self.overrides[use.dst].add(use.src)
        self.module_of = {
            node.path: fqn for fqn, node in self.nodes.items() if node.kind in ("module", "package")
        }
        self.names = [self._names(number) for number in range(len(change.edits))]

    def side(self, number: int) -> Side:
        """Return what an edit is about at this end."""
        edit = self._change.edits[number]
        return edit.old if self.which == OLD else edit.new

    def at(self, path: str, line: int, name: str = "") -> list[int]:
        """Return the edits that are about a line; of an import, about this name."""
        found = []
        for number in self._by_path.get(path, ()):
            side = self.side(number)
            if self._change.edits[number].kind == "file":
                found.append(number)
            elif side.line <= line <= side.end_line and (
                side.names is None or not name or name in _imported(side)
            ):
                found.append(number)
        # The head of a class lies around nothing else; a class that is new lies around all of it.
        return found

    def of(self, fqn: str) -> list[int]:
        """Return the edits in which an entity is defined."""
        node = self.nodes.get(fqn)
        if node is None or node.path is None:
            return []
        if node.kind in ("module", "package"):
            edits = self._by_path.get(node.path, ())
            return [each for each in edits if self._change.edits[each].kind == "file"]
        return self.at(node.path, node.line or 0)

    def family(self, fqn: str) -> set[str]:
        """Return the methods that a call of one may reach, itself included."""
        found, todo = {fqn}, [fqn]
        while todo:
            for each in self.overrides.get(todo.pop(), ()):
                if each not in found:
                    found.add(each)
                    todo.append(each)
        return found

    def _names(self, number: int) -> Names:
        side, edit = self.side(number), self._change.edits[number]
        found = names(side.nodes, head=edit.kind == "head")
        if side.names is not None:
            found.binds = set(side.names)
        return found


def _imported(side: Side) -> set[str]:
    """Return the names that an import takes, as they are called where they come from."""
    found: set[str] = set()
    for node in side.nodes:
        if isinstance(node, ast.ImportFrom):
            for each in node.names:
                if side.names is None or (each.asname or each.name) in side.names:
                    found |= {each.name, each.asname or each.name}
    return found


class Found(NamedTuple):
    """What is known of the edits of a change.

    Args:
        dependencies: which edit depends on which.
        kinds: how each edit changes what it is about.
        tests: the edits of tests.
    """

    dependencies: list[Dependency]
    kinds: list[list[str]]
    tests: frozenset[int]


def dependencies(change: Change, old: str, new: str) -> Found:
    """Return which edit depends on which.

    Args:
        change: the change.
        old, new: the recon.db of its ends.
    """
    before, after = End(OLD, change, old), End(NEW, change, new)
    kinds = _Kinds(change, before, after)
    found: dict[Dependency, None] = {}
    tests = frozenset(
        number
        for end in (before, after)
        for fqn, node in end.nodes.items()
        if node.is_test
        for number in end.of(fqn)
    )
    in_tests = {change.edits[number].path for number in tests}
    around = {number for number, edit in enumerate(change.edits) if edit.path in in_tests}
    for each in _by_evidence(kinds, before, after):
        found.setdefault(each)
        if each.edit in around and each.on not in around:
            # What a test uses, it tests.
            found.setdefault(each._replace(cause="TestedBy"))
    for each in _by_names(change, kinds, before, after):
        found.setdefault(each)
    for each in _replaced(change, before, after):
        found.setdefault(each)
    for each in _by_calls(change, before, after):
        found.setdefault(each)
    for each in _by_attributes(change, before, after):
        found.setdefault(each)
    for each in _moved(change, before, after):
        found.setdefault(each)
    for on, other in renamed_keys(change.edits):
        found.setdefault(Dependency(on, other, "UsedBy", "config_key_renamed", "typed"))
    for on, test in pins(change.edits, around):
        found.setdefault(Dependency(on, test, "TestedBy", "behaviour_changed", "typed"))
    return Found(
        sorted(each for each in found if each.on != each.edit),
        [sorted(each) for each in kinds.of_edit],
        tests,
    )


class _Kinds:
    """How each entity changes, and in which edit."""

    def __init__(self, change: Change, before: End, after: End) -> None:
        self.change = change
        self.of_edit: list[set[str]] = [set() for _ in change.edits]
        self.of_entity: dict[str, set[str]] = defaultdict(set)
        old, new = State(before.nodes).named(), State(after.nodes).named()
        for fqn, node in old.nodes.items():
            other = new.nodes.get(fqn)
            for number in before.of(fqn):
                if other is None or not after.of(fqn):
                    told = {"field_deleted" if node.kind == "field" else "deleted"}
                elif set(after.of(fqn)).isdisjoint(before.of(fqn)):
                    told = {"deleted"}
                else:
                    told = {kind for kind, _ in changes(node, other)}
                self._tell(fqn, number, told)
        for fqn, node in new.nodes.items():
            for number in after.of(fqn):
                if not before.of(fqn) or number not in before.of(fqn):
                    overrides = any(fqn == use.src for use in after.uses if use.kind == "overrides")
                    word = "field_added" if node.kind == "field" else "added"
                    self._tell(fqn, number, {"override_added" if overrides else word})
        for number, edit in enumerate(change.edits):
            if edit.action != "modified":
                self.of_edit[number].add("added" if edit.action == "added" else "deleted")
            elif not self.of_edit[number]:
                self.of_edit[number].add("body")

    def _tell(self, fqn: str, number: int, told: Iterable[str]) -> None:
        kinds = set(told)
        self.of_entity[fqn] |= kinds
        self.of_edit[number] |= kinds


def _by_evidence(kinds: _Kinds, before: End, after: End) -> Iterator[Dependency]:
    """Yield what the encoder's edges say."""
    for end in (before, after):
        for use in end.uses:
            cause = _CAUSES.get(use.kind)
            if cause is None:
                continue
            last = use.dst.rpartition(".")[2]
            users = {n for line in use.lines for n in end.at(use.path, line, last)}
            if not users:
                continue
            targets = end.family(use.dst) if use.kind in _CALLS else {use.dst}
            for target in targets:
                for on in end.of(target):
                    for change in kinds.of_entity.get(target, ()):
                        if change in _ADDS and end is before:
                            continue
                        if change in _REMOVES and end is after:
                            continue
                        if change in _PARAMETERS and use.kind in (*_CALLS, "tests"):
                            # What the calls see of it is told by the calls.
                            continue
                        res = use.resolution if target == use.dst else _weaker(use.resolution)
                        for user in users:
                            yield Dependency(on, user, cause, change, res)


_CALLS = ("calls", "instantiates")
_PARAMETERS = (
    *("param_removed", "param_moved", "param_renamed", "param_added_required", "default_removed"),
    *("param_added_default", "default_changed", "param_type_narrowed", "param_type_widened"),
)


def _weaker(resolution: str) -> str:
    return "typed" if resolution == "exact" else resolution


def _by_names(change: Change, kinds: _Kinds, before: End, after: End) -> Iterator[Dependency]:
    """Yield what the names say that a file binds and uses, and takes from other files."""
    for end, removed in ((before, True), (after, False)):
        binders: dict[tuple[str, str], list[int]] = defaultdict(list)
        for number, edit in enumerate(change.edits):
            if not edit.owner:
                for name in end.names[number].binds:
                    binders[edit.path, name].append(number)
        modules = {fqn: path for path, fqn in end.module_of.items() if path is not None}
        named = _modules_named(end, change, modules)
        for number, edit in enumerate(change.edits):
            used = end.names[number]
            for path, name, cause in _looked_up(edit, used, end.side(number), named, modules):
                for on in binders.get((path, name), ()):
                    for kind in _binds(change.edits[on], kinds.of_edit[on], removed):
                        yield Dependency(on, number, cause, kind, "exact")


def _binds(edit: Edit, kinds: AbstractSet[str], removed: bool) -> Iterator[str]:
    if edit.action == "added":
        if not removed:
            yield "added"
    elif edit.action == "deleted":
        if removed:
            yield "deleted"
    else:
        # A statement that binds a name in both states is there all along.
        yield from sorted(kinds - {"added", "deleted", *_PARAMETERS})


def _modules_named(end: End, change: Change, modules: Mapping[str, str]) -> dict[str, dict[str, str]]:
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


def _by_calls(change: Change, before: End, after: End) -> Iterator[Dependency]:
    """Yield who is called otherwise than before by whom, where both are edited for it.

    A call is told by the last name of what it calls; a name that the repository also defines
    elsewhere, where it stays as it is, says nothing unless the encoder knows whom the call means.
    """
    called = [
        (shapes(before.side(number).nodes), shapes(after.side(number).nodes))
        for number in range(len(change.edits))
    ]
    known = _known_calls(before, after)
    functions = _elsewhere(before, after, "function")
    methods = _elsewhere(before, after, "method")
    for on, edit in enumerate(change.edits):
        for name, told in _callables(edit):
            unsure = name[1:] in methods if name.startswith(".") else name in functions
            for number, (one, other) in enumerate(called):
                was, is_now = one.get(name, Counter()), other.get(name, Counter())
                if number == on or was == is_now:
                    continue
                meant = known.get((number, name.lstrip(".")))
                if on not in meant if meant else unsure:
                    continue
                order = told(was, is_now)
                if order is not None:
                    yield Dependency(on, number, "CalledBy", "signature_changed", "typed", order)


def _moved(change: Change, before: End, after: End) -> Iterator[Dependency]:
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


def _by_attributes(change: Change, before: End, after: End) -> Iterator[Dependency]:
    """Yield who begins, or ceases, to read an attribute that an edit adds, or deletes.

    The name must be of this change alone: what the repository also defines elsewhere, or what
    built-in types have, says nothing.
    """
    common = _elsewhere(before, after, *_MEMBERS) | _BUILT_IN
    for end, other, word in ((after, before, "added"), (before, after, "deleted")):
        givers: dict[str, list[int]] = defaultdict(list)
        takers: dict[str, list[int]] = defaultdict(list)
        rooms: dict[str, list[int]] = defaultdict(list)
        writers: dict[str, list[int]] = defaultdict(list)
        stored = [each.stores for each in other.names]
        always = set().union(*stored) if stored else set()
        for number, edit in enumerate(change.edits):
            one, two = end.names[number], other.names[number]
            if edit.action == word and edit.owner and edit.kind in ("def", "var", "class"):
                for name in one.binds:
                    givers[name].append(number)
            for name in one.stores - two.stores - always:
                givers[name].append(number)
            for name in one.attributes - two.attributes:
                takers[name].append(number)
            for name in one.slots - two.slots:
                rooms[name].append(number)
            for name in (one.stores | one.attributes) - (two.stores | two.attributes):
                writers[name].append(number)
        for name in sorted(givers.keys() - common):
            for on in givers[name]:
                for number in takers.get(name, ()):
                    yield Dependency(on, number, "UsedBy", word, "typed")
        for name in sorted(rooms.keys() - _BUILT_IN):
            for on in rooms[name]:
                for number in writers.get(name, ()):
                    yield Dependency(on, number, "UsedBy", word, "typed")


_MEMBERS = ("function", "method", "property", "field", "variable", "constant", "class")
_BUILT_IN = {name for each in (str, bytes, list, dict, set, tuple, int) for name in dir(each)}


def _callables(edit: Edit) -> Iterator[tuple[str, Callable[[Counts, Counts], str | None]]]:
    """Yield names by which what an edit defines is called, and what calls of it see of the edit."""
    if edit.action != "modified" or edit.kind == "file" or not (edit.old.nodes and edit.new.nodes):
        return
    one = signature(edit.old.nodes[0], bool(edit.owner))
    other = signature(edit.new.nodes[0], bool(edit.owner))
    node = edit.new.nodes[0]
    if one is not None and other is not None and one != other:
        assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        names = [f".{node.name}"] if edit.owner else [node.name, f".{node.name}"]
        if edit.owner and node.name in ("__init__", "__new__"):
            owner = edit.owner.rpartition(".")[2]
            names += [owner, f".{owner}"]
        for name in names:
            yield name, lambda was, is_now: fit(one, other, was, is_now)
    was_assigned, is_assigned = assigned(edit.old.nodes), assigned(edit.new.nodes)
    for name in sorted(was_assigned.keys() & is_assigned.keys()):
        if was_assigned[name] != is_assigned[name]:
            yield f".{name}", lambda was, is_now: "split" if was and is_now else None


def _known_calls(before: End, after: End) -> dict[tuple[int, str], set[int]]:
    """Return, by caller and name, the definitions that the encoder knows such calls to mean."""
    found: dict[tuple[int, str], set[int]] = defaultdict(set)
    for end in (before, after):
        for use in end.uses:
            if use.kind in _CALLS:
                name = use.dst.rpartition(".")[2]
                targets = {on for each in end.family(use.dst) for on in end.of(each)}
                if use.kind == "instantiates":
                    targets |= {on for on in end.of(f"{use.dst}.__init__")}
                for user in {n for line in use.lines for n in end.at(use.path, line)}:
                    found[user, name] |= targets
    return found


def _elsewhere(before: End, after: End, *kinds: str) -> set[str]:
    """Return the names of entities that the repository defines and the change leaves alone."""
    return {
        node.name
        for fqn, node in before.nodes.items()
        if node.kind in kinds and fqn in after.nodes and not before.of(fqn)
    }


Counts = Mapping[Shape, int]


def _replaced(change: Change, before: End, after: End) -> Iterator[Dependency]:
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


def _nodes(database: sqlite3.Connection) -> dict[str, NodeRow]:
    query = (
        "SELECT n.fqn, n.kind, n.name, f.path, n.line, n.end_line, p.fqn, n.signature, n.params, "
        "n.returns, n.flags, n.is_test, n.is_external, n.sig_hash, n.body_hash FROM nodes n "
        "JOIN files f ON f.id=n.file_id LEFT JOIN nodes p ON p.id=n.parent_id "
        "WHERE n.is_external=0 ORDER BY n.id"
    )
    found = {}
    for fqn, kind, name, path, line, end, parent, *told in database.execute(query):
        signature, params, returns, flags, is_test, external, sig_hash, body_hash = told
        found[text(fqn)] = NodeRow(
            *(text(fqn), kind, name, os.fsdecode(path), line, end, parent, signature, params),
            *(returns, tuple(filter(None, (flags or "").split(",")))),
            *(bool(is_test), bool(external), sig_hash, body_hash),
        )
    return found


def _uses(database: sqlite3.Connection) -> Iterator[_Use]:
    query = (
        "SELECT e.kind, s.fqn, d.fqn, e.resolution, f.path, e.line, e.attrs FROM edges e "
        "JOIN nodes s ON s.id=e.src JOIN nodes d ON d.id=e.dst JOIN files f ON f.id=e.file_id "
        "WHERE e.kind!='contains' AND d.is_external=0 ORDER BY s.id, d.id, e.kind"
    )
    for kind, src, dst, resolution, path, line, attrs in database.execute(query):
        every = tuple(sorted({*_lines(attrs), *([line] if line else [])}))
        yield _Use(kind, text(src), text(dst), resolution, os.fsdecode(path), every)


def _lines(attrs: str | None) -> list[int]:
    """Return the lines that an edge names beside its first."""
    told = json.loads(attrs) if attrs else {}
    lines = [*told.get("lines", ()), *(each["line"] for each in told.get("sites", ()))]
    return [each for each in lines if isinstance(each, int)]


def causes() -> Sequence[str]:
    """Return the relations that dependencies are told by."""
    return sorted(set(_CAUSES.values()))
