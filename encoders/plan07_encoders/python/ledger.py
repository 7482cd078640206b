"""Collects what a file uses, one record for each pair of entities and kind of edge."""

from __future__ import annotations

import json
import sys
from typing import Any, NamedTuple

RANKS = {"exact": 0, "typed": 1, "dynamic": 2, "heuristic": 3, "ambiguous": 4}
_MOST_LINES = 50


class Passed(NamedTuple):
    """How a call passes its arguments.

    Args:
        positional: number of positional arguments before one that is unpacked, the receiver of a
            method that is called on its class not counted.
        keywords: names of the keyword arguments.
        star: it unpacks a sequence.
        stars: it unpacks a mapping.
    """

    positional: int
    keywords: tuple[str, ...]
    star: bool
    stars: bool


class _Edge:
    __slots__ = ("confidence", "details", "lines", "resolution", "sites", "times")

    def __init__(self) -> None:
        self.times = 0
        self.resolution = "ambiguous"
        self.confidence = 0.0
        self.lines: list[int] = []
        self.sites: list[tuple[int, Passed]] = []
        self.details: dict[str, Any] = {}


class Ledger:
    """The edges, unresolved uses and counts of one file."""

    def __init__(self) -> None:
        self._edges: dict[tuple[str, str, str], _Edge] = {}
        self.unresolved: list[tuple[str, str, str, int]] = []
        self.outside: dict[str, None] = {}
        self.calls: dict[str, int] = {"exact": 0, "typed": 0, "outside": 0, "unresolved": 0}

    def use(
        self,
        src: str,
        kind: str,
        dst: str,
        line: int,
        resolution: str = "exact",
        confidence: float = 1.0,
        passed: Passed | None = None,
        **details: Any,
    ) -> None:
        """Note that one entity depends on another; an entity does not depend on itself.

        Args:
            src: qualified name of what depends.
            kind: of the edge.
            dst: qualified name of what it depends on.
            line: where.
            resolution: of this place.
            confidence: of this place.
            passed: for calls.
            details: go into the attributes of the edge.
        """
        if src == dst:
            return
        key = (src, kind, dst)
        edge = self._edges.get(key)
        if edge is None:
            edge = self._edges[key] = _Edge()
        edge.times += 1
        better = RANKS[resolution] < RANKS[edge.resolution]
        if better or not edge.lines:
            edge.resolution = resolution
        edge.confidence = max(edge.confidence, confidence)
        if line not in edge.lines and len(edge.lines) < _MOST_LINES:
            # The first line is one that shows the edge as surely as any.
            edge.lines.insert(0, line) if better else edge.lines.append(line)
        if passed is not None and len(edge.sites) < _MOST_LINES:
            edge.sites.append((line, passed))
        edge.details.update(details)

    def use_outside(self, src: str, kind: str, dotted: str, line: int) -> None:
        """Note the use of something outside the repository, the standard library left out."""
        top = dotted.partition(".")[0]
        if not top or top in ("builtins", "?"):
            return
        if top in sys.stdlib_module_names and kind not in ("imports", "inherits"):
            return
        self.outside.setdefault(dotted)
        self.use(src, kind, dotted, line)

    def unknown(self, src: str, name: str, kind: str, line: int) -> None:
        """Note a use whose target is not known."""
        self.unresolved.append((src, name, kind, line))

    def rows(self) -> list[list[Any]]:
        """Return [src, kind, dst, line, times, resolution, confidence, attributes] of each edge."""
        return [
            [*key, edge.lines[0], edge.times, edge.resolution, edge.confidence, _attributes(edge)]
            for key, edge in self._edges.items()
        ]


def _attributes(edge: _Edge) -> str | None:
    found: dict[str, Any] = {}
    if edge.sites:
        found["sites"] = [_site(line, passed) for line, passed in edge.sites]
        if len(edge.sites) < edge.times:
            found["more"] = True
    elif len(edge.lines) > 1:
        found["lines"] = sorted(edge.lines)
    found.update(sorted(edge.details.items()))
    return json.dumps(found, separators=(",", ":")) if found else None


def _site(line: int, passed: Passed) -> dict[str, Any]:
    site: dict[str, Any] = {"line": line, "positional": passed.positional}
    if passed.keywords:
        site["keywords"] = list(passed.keywords)
    if passed.star:
        site["star"] = True
    if passed.stars:
        site["stars"] = True
    return site
