"""Which entity of one state of a repository is which of another, whatever it is called there."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from plan07.recon import NodeRow

FUNCTIONS = ("function", "method", "property", "test")
CLASSES = ("class", "interface", "trait", "struct", "enum")


class Matches:
    """Which old entity is which new one.

    The same name first; then what lies in a file or class that got another name; then what has the
    same body, what has nearly the same name, and classes with the same members, each if there is
    one such entity on either side.
    """

    def __init__(
        self,
        old: Mapping[str, NodeRow],
        new: Mapping[str, NodeRow],
        moved: Mapping[str, str],
    ) -> None:
        self._old, self._new = old, new
        self._to: dict[str, str] = {name: name for name in old if name in new}
        modules = {
            node.path: name for name, node in new.items() if node.kind == "module" and node.path
        }
        for name, node in old.items():
            if name not in self._to and node.kind == "module" and node.path:
                target = modules.get(moved.get(node.path, ""))
                if target is not None and target not in old:
                    self._to[name] = target
        self._along()
        for identity in (_whole, _named, _nearly):
            self._by(identity)
            self._along()
        self._by_members()
        self._along()
        self._taken = set(self._to.values())

    def new_name(self, name: str) -> str | None:
        """Return the new name of an old entity, or None where it is gone."""
        return self._to.get(name)

    def known_new(self, name: str) -> bool:
        """Whether a new entity is an old one, or came along with one that was added."""
        if name in self._taken:
            return True
        parent = self._new[name].parent
        return parent is not None and parent in self._new and parent not in self._taken

    def goes_along(self, name: str) -> bool:
        """Whether an entity is gone, or called otherwise, only because what it lies in is."""
        parent = self._old[name].parent
        if parent is None or parent not in self._old:
            return False
        outer = self._to.get(parent)
        if outer is None:
            return name not in self._to
        return outer != parent and self._to.get(name) == _moved(name, parent, outer)

    def _along(self) -> None:
        for name, node in self._old.items():
            parent = node.parent
            if name in self._to or parent is None or self._to.get(parent, parent) == parent:
                continue
            target = _moved(name, parent, self._to[parent])
            if target in self._new and target not in self._to.values():
                self._to[name] = target

    def _by(self, identity: Callable[[NodeRow], tuple[object, ...] | None]) -> None:
        taken = set(self._to.values())
        gone = _unique(self._old, lambda name: name not in self._to, identity)
        came = _unique(self._new, lambda name: name not in taken, identity)
        for key, name in gone.items():
            if key in came:
                self._to[name] = came[key]

    def _by_members(self) -> None:
        """Match classes by the names of what lies in them."""
        taken = set(self._to.values())
        gone = _members(self._old, lambda name: name not in self._to)
        came = _members(self._new, lambda name: name not in taken)
        pairs = [
            (2 * len(names & others) / (len(names) + len(others)), name, other)
            for name, names in gone.items()
            for other, others in came.items()
            if len(names & others) >= _LEAST_MEMBERS
        ]
        for share, name, other in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
            if share >= _LIKE and name not in self._to and other not in taken:
                self._to[name] = other
                taken.add(other)


# A class with this share of its members, and so many of them, is that class.
_LIKE = 0.7
_LEAST_MEMBERS = 3


def _members(
    nodes: Mapping[str, NodeRow], wanted: Callable[[str], bool]
) -> dict[str, frozenset[str]]:
    classes: dict[str, set[str]] = {
        name: set() for name, node in nodes.items() if node.kind in CLASSES and wanted(name)
    }
    for node in nodes.values():
        if node.parent in classes:
            classes[node.parent].add(node.name)
    return {name: frozenset(names) for name, names in classes.items()}


def _whole(node: NodeRow) -> tuple[object, ...] | None:
    """What a definition is but for its name, where that tells it from others."""
    if node.kind not in (*FUNCTIONS, *CLASSES) or not node.body_hash:
        return None
    if node.line is None or node.end_line is None or node.end_line - node.line < 2:
        # A body of one line is like many others.
        return None
    return node.kind, node.params, node.body_hash


def _named(node: NodeRow) -> tuple[object, ...] | None:
    """What a definition is but for the place where it stands."""
    if node.kind == "module" or not node.body_hash:
        return None
    return node.kind, node.name, node.body_hash


def _nearly(node: NodeRow) -> tuple[object, ...] | None:
    """What a definition is where it only became private, or public, or is written otherwise."""
    if node.kind not in (*FUNCTIONS, *CLASSES):
        return None
    return node.kind, node.parent, node.name.replace("_", "").casefold(), node.params


def _unique(
    nodes: Mapping[str, NodeRow],
    wanted: Callable[[str], bool],
    identity: Callable[[NodeRow], tuple[object, ...] | None],
) -> dict[tuple[object, ...], str]:
    found: dict[tuple[object, ...], list[str]] = {}
    for name, node in nodes.items():
        key = identity(node) if wanted(name) else None
        if key is not None:
            found.setdefault(key, []).append(name)
    return {key: names[0] for key, names in found.items() if len(names) == 1}


def _moved(name: str, outer: str, new_outer: str) -> str:
    return new_outer + name[len(outer) :]
