"""Which edit depends on which by the members of classes and by state that goes by another name."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from bench.replay.commit import Change
from bench.replay.edits import Side
from bench.replay.ends import NEW, OLD, End, elsewhere
from bench.replay.kinds import Dependency
from bench.replay.relations import Pairs

_MEMBERS = ("method", "property", "field")


_BUILT_IN = {name for each in (str, bytes, list, dict, set, tuple, int) for name in dir(each)}


def by_attributes(change: Change, before: End, after: End) -> Iterator[Dependency]:
    """Yield who begins, or ceases, to read an attribute that an edit adds, or deletes.

    The name must be of this change alone: what the repository also defines elsewhere, or what
    built-in types have, says nothing.
    """
    common = elsewhere(before, after, *_MEMBERS) | _BUILT_IN
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


def begun_and_ceased(change: Change, before: End, after: End, pairs: Pairs) -> Iterator[Dependency]:
    """Yield who begins, or ceases, to use what only changes: it is safe after, or before."""
    common = elsewhere(before, after, *_MEMBERS) | _BUILT_IN
    for on, edit in enumerate(change.edits):
        if edit.action == "modified" and edit.owner and edit.kind in ("def", "var"):
            for name in (before.names[on].binds & after.names[on].binds) - common:
                for end in (before, after):
                    users = {n for n, each in enumerate(end.names) if name in each.attributes}
                    pairs[end.which] |= {(on, number) for number in users}
    for which, order in ((OLD, "dep<def"), (NEW, "def<dep")):
        other = NEW if which == OLD else OLD
        for on, number in sorted(pairs[which] - pairs[other]):
            if change.edits[on].action == change.edits[number].action == "modified":
                yield Dependency(on, number, "UsedBy", "body", "typed", order, "should")


def inherited(change: Change) -> Iterator[Dependency]:
    """Yield what a class deletes where it gets other bases: it goes when they are there.

    A constructor goes with the old bases: what the new ones bring expects what theirs sets up.
    """
    heads = {
        (edit.path, edit.name): number
        for number, edit in enumerate(change.edits)
        if edit.kind == "head"
    }
    for number, edit in enumerate(change.edits):
        head = heads.get((edit.path, edit.owner))
        if head is not None and edit.action == "deleted" and edit.kind == "def":
            constructs = edit.name.rpartition(".")[2] in ("__init__", "__new__")
            order = "split" if constructs else "def<dep"
            yield Dependency(head, number, "BaseClassOf", "class_bases", "exact", order)


def switched(change: Change, before: End, after: End) -> Iterator[Dependency]:
    """Yield who goes over from a variable that holds state to the one that takes its place.

    Both may be there at once, but whoever still writes the old one is not heard by whoever already
    reads the new one: they go over together.
    """
    gone = {n: _state(e.old) for n, e in enumerate(change.edits) if e.action == "deleted"}
    came = {n: _state(e.new) for n, e in enumerate(change.edits) if e.action == "added"}
    for old, value in gone.items():
        for new, other in came.items():
            if value is None or value != other or change.edits[old].path != change.edits[new].path:
                continue
            was, is_now = before.names[old].binds, after.names[new].binds
            users = [
                number
                for number, edit in enumerate(change.edits)
                if edit.action == "modified"
                and (before.names[number].uses | before.names[number].attributes) & was
                and (after.names[number].uses | after.names[number].attributes) & is_now
            ]
            for one, another in pairwise(users):
                yield Dependency(one, another, "UsedBy", "rename", "exact", "split")


def _state(side: Side) -> str | None:
    """Return the value of a variable that holds state, None for anything else."""
    node = side.nodes[0] if len(side.nodes) == 1 else None
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return None
    kinds = (ast.Call, ast.List, ast.Dict, ast.Set)
    holds = any(isinstance(each, kinds) for each in ast.walk(node.value))
    return ast.dump(node.value) if holds else None
