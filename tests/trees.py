"""Small repositories for tests of readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from plan07.recon import FileRow, NodeRow, Part, Reader, Repository


def repository(
    root: Path,
    files: Mapping[str, str] | None = None,
    nodes: Mapping[str, Sequence[NodeRow]] | None = None,
    **options: Any,
) -> Repository:
    """Return a repository; files are written, those in a directory of tests have that role.

    Args:
        root: where it lies.
        files: path to text; without it, the files that lie there already.
        nodes: what earlier readers know, by path.
        options: of the repository.
    """
    for path, text in (files or {}).items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    known = sorted(files or (str(each.relative_to(root)) for each in _files(root)))
    rows = [
        FileRow(path, None, "sha256:0", "test" if path.startswith("test") else "source")
        for path in known
    ]
    return Repository(
        str(root),
        rows,
        ("src", ""),
        options=options,
        nodes=lambda path: (nodes or {}).get(path, ()),
    )


def _files(root: Path) -> Iterable[Path]:
    return (each for each in root.rglob("*") if each.is_file())


def read(reader: Reader, where: Repository) -> Part:
    """Return all that a reader yields as one part."""
    parts = list(reader(where))
    names = [name for name in Part._fields if name != "counts"]
    rows = {name: [row for part in parts for row in getattr(part, name)] for name in names}
    counts: Counter[str] = Counter()
    for part in parts:
        counts.update(part.counts)
    return Part(**rows, counts=dict(counts))


def edges(part: Part) -> set[tuple[str, str, str]]:
    """Return edges as (dependent, kind, dependency), without what lies in what."""
    return {(each.src, each.kind, each.dst) for each in part.edges if each.kind != "contains"}


def nesting(part: Part) -> set[tuple[str, str]]:
    """Return (outer, inner) pairs."""
    return {(each.src, each.dst) for each in part.edges if each.kind == "contains"}


def codes(part: Part) -> list[str]:
    """Return the codes of the notes."""
    return [note.code for note in part.notes]
