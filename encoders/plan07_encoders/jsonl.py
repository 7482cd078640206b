"""Reads `recon.jsonl`, the JSON Lines twin of recon.db: how another harness brings its evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plan07.errors import Finding
from plan07.formats import lines
from plan07.recon import (
    AliasRow,
    CochangeRow,
    EdgeRow,
    FileRow,
    NodeRow,
    Part,
    Repository,
    TestRow,
    UnresolvedRow,
)

FILE = "recon.jsonl"
_BATCH = 5000
_MOST_NOTES = 20


def read(repository: Repository) -> Iterator[Part]:
    """Yield the records of the file, and as notes the lines that are none."""
    place = repository.look(FILE)
    if place is None:
        return
    try:
        with open(place, "rb") as stream:
            yield from parts(lines.read(stream, FILE))
    except OSError as error:
        message = f"{FILE} is left out: {(error.strerror or 'it cannot be read').lower()}"
        yield Part(notes=(Finding(lines.CODE, FILE, message, "allow to read it", {}),))


def parts(found: Iterator[lines.Line | Finding]) -> Iterator[Part]:
    """Yield records in parts of some thousand."""
    batch: list[lines.Row] = []
    notes: list[Finding] = []
    faults = 0
    for each in found:
        if isinstance(each, Finding):
            faults += 1
            notes += [each] if faults <= _MOST_NOTES else []
            continue
        batch.append(each.row)
        if len(batch) == _BATCH:
            yield _part(batch)
            batch = []
    if faults > _MOST_NOTES:
        message = f"{FILE}: {faults - _MOST_NOTES} more lines were left out"
        fix = f"run plan07 evidence check {FILE}"
        notes.append(Finding(lines.CODE, FILE, message, fix, {"faults": faults}))
    yield _part(batch)._replace(notes=tuple(notes))


def _part(batch: Sequence[lines.Row]) -> Part:
    return Part(
        files=[row for row in batch if isinstance(row, FileRow)],
        nodes=[row for row in batch if isinstance(row, NodeRow)],
        edges=[row for row in batch if isinstance(row, EdgeRow)],
        unresolved=[row for row in batch if isinstance(row, UnresolvedRow)],
        aliases=[row for row in batch if isinstance(row, AliasRow)],
        tests=[row for row in batch if isinstance(row, TestRow)],
        cochange=[row for row in batch if isinstance(row, CochangeRow)],
    )
