"""Which edit depends on which by how calls give their arguments, before and after."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

from bench.replay.calls import Shape, Signature, assigned, fit, from_params, shapes, signature
from bench.replay.commit import Change
from bench.replay.edits import Edit, Side
from bench.replay.ends import CALLS, OLD, End
from bench.replay.kinds import Dependency
from bench.replay.relations import Pairs

Counts = Mapping[Shape, int]


def by_calls(change: Change, before: End, after: End) -> Iterator[Dependency]:
    """Yield who is called otherwise than before by whom, where both are edited for it.

    A call is told by the last name of what it calls. Where the encoder does not know whom it means
    and the repository also defines the name elsewhere, where it stays as it is, a call says
    something only if it would not fit there.
    """
    called = [
        (shapes(before.side(number).nodes), shapes(after.side(number).nodes))
        for number in range(len(change.edits))
    ]
    known = _known_calls(before, after)
    functions = _signatures(before, after, "function")
    methods = _signatures(before, after, "method")
    for on, edit in enumerate(change.edits):
        for name, ask in _callables(edit):
            others = methods.get(name[1:], ()) if name[0] == "." else functions.get(name, ())
            for number, (one, other) in enumerate(called):
                was, is_now = one.get(name, Counter()), other.get(name, Counter())
                if number == on or was == is_now:
                    continue
                meant = known.get((number, name.lstrip(".")))
                if on not in meant if meant else _may_be(others, (*was, *is_now)):
                    continue
                order = ask(was, is_now)
                if order is not None:
                    yield Dependency(on, number, "CalledBy", "signature_changed", "typed", order)


def refusing(change: Change, pairs: Pairs) -> Iterator[Dependency]:
    """Yield who used what now raises what it did not: it is safe before, while nothing is refused.

    Args:
        change: the change.
        pairs: who uses what, at each end.
    """
    more = {
        number
        for number, edit in enumerate(change.edits)
        if edit.action == "modified" and _raised(edit.new) - _raised(edit.old)
    }
    for on, number in sorted(pairs[OLD]):
        if on in more and on != number and change.edits[number].action == "modified":
            yield Dependency(on, number, "CalledBy", "raises_changed", "typed", "dep<def", "should")


def _raised(side: Side) -> set[str]:
    """Return the exceptions that the text of an edit raises, by the names that it gives them."""
    raised = [
        each.exc.func if isinstance(each.exc, ast.Call) else each.exc
        for top in side.nodes
        for each in ast.walk(top)
        if isinstance(each, ast.Raise) and each.exc is not None
    ]
    return {ast.unparse(each) for each in raised}


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
            if use.kind in CALLS:
                name = use.dst.rpartition(".")[2]
                targets = {on for each in end.family(use.dst) for on in end.of(each)}
                if use.kind == "instantiates":
                    targets |= set(end.of(f"{use.dst}.__init__"))
                for user in {n for line in use.lines for n in end.at(use.path, line)}:
                    found[user, name] |= targets
    return found


def _may_be(others: Iterable[Signature | None], calls: Iterable[Shape]) -> bool:
    """Whether calls may mean one of some definitions, as far as their shape tells."""
    return any(each is None or all(each.fits(call) for call in calls) for each in others)


def _signatures(before: End, after: End, kind: str) -> dict[str, list[Signature | None]]:
    """Return, by name, what calls may give to functions that the change leaves alone."""
    found: dict[str, list[Signature | None]] = defaultdict(list)
    for fqn, node in before.nodes.items():
        if node.kind == kind and fqn in after.nodes and not before.of(fqn):
            bound = kind == "method" and "static" not in node.flags
            found[node.name].append(from_params(node.params, bound))
    return found
