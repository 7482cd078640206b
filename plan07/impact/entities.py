"""Entities of a repository, and how one depends on another, as recon.db holds them."""

from __future__ import annotations

from typing import NamedTuple

from plan07.impact.arguments import Parameter, parameters


class Entity(NamedTuple):
    """An entity of the repository.

    Args:
        name: its qualified name.
        kind: as `shapes.ENTITY_KINDS` lists them.
        file, line: where it is defined, the id of the file, where that is known.
        params, flags: as recon.db holds them.
        external: it lies outside the repository.
    """

    name: str
    kind: str
    file: int | None
    line: int | None
    params: str | None
    flags: str | None
    external: bool

    def parameters(self) -> tuple[Parameter, ...]:
        """Return the parameters that callers give."""
        marks = (self.flags or "").split(",")
        bound = self.kind in ("method", "property") and "static" not in marks
        return parameters(self.params, bound=bound)


class Link(NamedTuple):
    """How one entity depends on another, by one relation.

    Args:
        resolution: exact, typed, dynamic, heuristic or ambiguous.
        confidence: 0 to 1.
        file, line: the first place that shows it, by the id of the file.
        attrs: details of the encoder.
    """

    resolution: str
    confidence: float
    file: int | None
    line: int | None
    attrs: str | None
