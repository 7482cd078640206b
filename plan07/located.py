"""Finds which entity of a file others mean: by a line, or by a name and a line."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from plan07.recon import NodeRow, Repository

_CODE = ("function", "method", "test", "property")


class Located:
    """The entities of a repository, as the readers that ran before know them.

    Args:
        repository: whose files are asked for.
    """

    def __init__(self, repository: Repository) -> None:
        self._nodes = repository.nodes
        self._known: dict[str, Sequence[NodeRow]] = {}
        self._by_name: dict[str, dict[str, list[NodeRow]]] = {}

    def nodes(self, path: str) -> Sequence[NodeRow]:
        """Return the entities of a file, in the order of their lines."""
        if path not in self._known:
            self._known[path] = self._nodes(path)
        return self._known[path]

    def named(self, path: str, name: str, line: int | None) -> str | None:
        """Return the qualified name of the entity with this last name that spans a line.

        Of several the innermost is taken; without a line, only one can be meant.
        """
        fitting = self._called(path, name)
        if line is None:
            return fitting[0].fqn if len(fitting) == 1 else None
        spanning = [each for each in fitting if _spans(each, line)]
        return max(spanning, key=_start).fqn if spanning else None

    def ending(self, path: str, steps: Sequence[str]) -> NodeRow | None:
        """Return the entity of a file whose qualified name ends in these names."""
        ending = "." + ".".join(steps)
        for each in self._called(path, steps[-1]):
            if f".{each.fqn}".endswith(ending):
                return each
        return None

    def _called(self, path: str, name: str) -> Sequence[NodeRow]:
        if path not in self._by_name:
            by_name: dict[str, list[NodeRow]] = {}
            for each in self.nodes(path):
                by_name.setdefault(each.name, []).append(each)
            self._by_name[path] = by_name
        return self._by_name[path].get(name, ())

    def around(self, path: str, line: int) -> NodeRow | None:
        """Return the innermost function, else the innermost entity, that spans a line."""
        spanning = [each for each in self.nodes(path) if _spans(each, line)]
        code = [each for each in spanning if each.kind in _CODE]
        return max(code or spanning, key=_start, default=None)


def _spans(node: NodeRow, line: int) -> bool:
    return node.line is not None and node.line <= line <= (node.end_line or node.line)


def _start(node: NodeRow) -> int:
    return node.line or 0


class Paths:
    """Finds which file of a repository a path means that a tool wrote down, here or elsewhere.

    Args:
        root: of the repository.
        paths: its files.
    """

    def __init__(self, root: str, paths: Iterable[str]) -> None:
        self._root = os.path.realpath(root).replace(os.sep, "/")
        self._paths = frozenset(paths)
        self._by_name: Mapping[str, Sequence[str]] | None = None

    def __call__(self, path: str) -> str | None:
        """Return the path from the root, None if the file is none of the repository.

        Args:
            path: absolute, or relative to the root; of another machine, the one file is taken that
                ends like it in at least a directory and a name.
        """
        slashed = path.replace("\\", "/")
        if slashed.startswith(f"{self._root}/"):
            slashed = slashed[len(self._root) + 1 :]
        slashed = slashed.removeprefix("./")
        if slashed in self._paths:
            return slashed
        absolute = slashed.startswith("/") or slashed[1:3] == ":/"
        return self._alike(slashed) if absolute else None

    def _alike(self, path: str) -> str | None:
        if self._by_name is None:
            by_name: dict[str, list[str]] = {}
            for each in sorted(self._paths):
                by_name.setdefault(each.rpartition("/")[2], []).append(each)
            self._by_name = by_name
        fitting = [
            each
            for each in self._by_name.get(path.rpartition("/")[2], ())
            if "/" in each and path.endswith(f"/{each}")
        ]
        return max(fitting, key=len, default=None)
