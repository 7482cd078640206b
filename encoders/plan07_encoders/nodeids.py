"""The names that test runners give to tests, and the entities that they mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from plan07.located import Located
from plan07.recon import NodeRow, Repository

_PHASES = ("|setup", "|run", "|teardown")


class Test(NamedTuple):
    """A test as a runner names it.

    Args:
        nodeid: `tests/test_a.py::TestA::test_b[1]`; the name as given where it is not known.
        node: the function, None where it is not known.
    """

    nodeid: str
    node: NodeRow | None

    @property
    def fqn(self) -> str | None:
        """The qualified name of the function."""
        return None if self.node is None else self.node.fqn


def without_phase(context: str) -> str:
    """Return a coverage context without the phase of the test that it may end in.

    >>> without_phase("tests/test_a.py::test_b|run")
    'tests/test_a.py::test_b'
    """
    for phase in _PHASES:
        if context.endswith(phase):
            return context.removesuffix(phase)
    return context


class Tests:
    """Finds tests by the names that runners give them.

    Args:
        repository: where they lie.
        located: its entities.
    """

    def __init__(self, repository: Repository, located: Located) -> None:
        self._located = located
        self._paths: dict[str, list[str]] = {}
        for row in repository.files:
            self._paths.setdefault(row.path.rpartition("/")[2], []).append(row.path)

    def find(self, name: str) -> Test:
        """Return the test of a name.

        Args:
            name: a node id, `tests/test_a.py::TestA::test_b[1]`, or the dotted name of a function,
                `tests.test_a.TestA.test_b`; either may lack directories in front.
        """
        path, separator, inner = name.partition("::")
        if separator:
            return self._in_file(self._ending(path), inner, name)
        plain, bracket, parameters = name.partition("[")
        steps = plain.split(".")
        for size in range(len(steps) - 1, 0, -1):
            for known in self._ending("/".join(steps[:size]) + ".py"):
                inner = "::".join(steps[size:]) + bracket + parameters
                found = self._in_file([known], inner, name)
                if found.node is not None:
                    return found
        return Test(name, None)

    def _in_file(self, paths: Sequence[str], inner: str, name: str) -> Test:
        steps = inner.partition("[")[0].split("::")
        for path in paths:
            node = self._located.ending(path, steps)
            if node is not None:
                return Test(f"{path}::{inner}", node)
        return Test(name, None)

    def _ending(self, path: str) -> list[str]:
        """Return the files whose path is this one, or ends in it; the shortest first."""
        fitting = [
            each
            for each in self._paths.get(path.rpartition("/")[2], ())
            if f"/{each}".endswith(f"/{path}")
        ]
        return sorted(fitting, key=lambda each: (len(each), each))
