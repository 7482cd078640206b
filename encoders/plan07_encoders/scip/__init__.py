"""Reads an `index.scip`: definitions and references that the indexer of any language wrote.

Two passes, a document at a time: the first gives every definition its name and kind, the second
yields what each document holds. Small example: `new Cart()` within `open` in `src/cart.ts` is an
occurrence of the symbol of `Cart`; the innermost definition around it is `open`, the text before it
is `new`, so `src.cart.open` instantiates `src.cart.Cart`.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from plan07.errors import Finding
from plan07.recon import FileRow, Part, Repository
from plan07_encoders.scip import index, names
from plan07_encoders.scip.document import Faults, Reading
from plan07_encoders.scip.wire import WireError

FILE = "index.scip"
# The index of a repository of some million lines; it is held in memory as it is.
LARGEST_BYTES = 1024**3
# The indexer whose defects are known and guarded against.
_SCIP_PYTHON = "scip-python"


class _Documents(NamedTuple):
    """The documents of an index that lie in the repository.

    Args:
        data: the index.
        prefix: of their paths, from the root of the repository; "" or ends in a slash.
        files: of the repository, by path.
    """

    data: bytes
    prefix: str
    files: dict[str, FileRow]

    def outlines(self, outside: set[str]) -> Iterator[tuple[str, index.Outline]]:
        """Yield what files of the repository define, and note the paths of others."""
        for outline in index.outlines(self.data):
            path = self._path(outline.path)
            if path in self.files:
                yield path, outline
            else:
                outside.add(path)

    def inside(self) -> Iterator[tuple[str, index.Document]]:
        """Yield the documents that are files of the repository."""
        for document in index.documents(self.data):
            path = self._path(document.path)
            if path in self.files:
                yield path, document

    def _path(self, path: str) -> str:
        return self.prefix + path.replace("\\", "/")


def read(repository: Repository) -> Iterator[Part]:
    """Yield what the index at the root of a repository says, one part for each document.

    A broken index is a note, not an error: the rest of the evidence is worth having.
    """
    place = repository.look(FILE)
    if place is None:
        return
    try:
        if os.path.getsize(place) > LARGEST_BYTES:
            yield _only("SCIP_TOO_LARGE", f"it has more than {LARGEST_BYTES} bytes", "index parts")
            return
        with open(place, "rb") as stream:
            data = stream.read()
        yield from _parts(repository, data)
    except OSError as error:
        yield _only("SCIP_UNREADABLE", (error.strerror or "it cannot be read").lower(), "allow it")
    except WireError as error:
        yield _only("SCIP_INVALID", str(error), "index the repository anew")


def _parts(repository: Repository, data: bytes) -> Iterator[Part]:
    tool = index.tool(data)
    files = {row.path: row for row in repository.files}
    documents = _Documents(data, _prefix(tool.root, repository.root), files)
    outside: set[str] = set()
    found = names.collect(documents.outlines(outside), repository.source_roots)
    if not found.fqns and not outside:
        yield _only("SCIP_EMPTY", "it holds no definition", "index the repository anew")
        return
    doubtful = tool.name == _SCIP_PYTHON
    faults = Faults()
    parsed_before: list[str] = []
    reading = Reading(repository.root, files, found, doubtful, faults)
    for path, document in documents.inside():
        if repository.nodes(path):
            parsed_before.append(path)
        else:
            yield reading.part(files[path], document)
    yield Part(notes=tuple(_notes(tool, sorted(outside), parsed_before, found, faults)))


def _prefix(uri: str, root: str) -> str:
    """Return where the root of an index lies in the repository; an index from elsewhere, at ""."""
    place = os.path.realpath(unquote(urlsplit(uri).path)) if uri.startswith("file:") else root
    inner = os.path.relpath(place, os.path.realpath(root)).replace(os.sep, "/")
    return "" if inner == "." or inner.startswith("..") else f"{inner}/"


def _notes(
    tool: index.Tool,
    outside: list[str],
    parsed_before: list[str],
    found: names.Names,
    faults: Faults,
) -> Iterator[Finding]:
    by = f"{tool.name or 'an unnamed indexer'} {tool.version}".strip()
    if tool.name == _SCIP_PYTHON:
        yield _note(
            "SCIP_PYTHON",
            "scip-python writes no kinds and no roles, leaves classes without a record "
            f"({len(found.bare)} here), gives nested functions one symbol "
            f"({len(found.repeated)} here) and binds calls in untyped code to wrong classes; "
            "its edges count as heuristic",
            "let plan07 read Python files itself",
            {"bare": len(found.bare), "repeated": len(found.repeated)},
        )
    listed = [
        ("SCIP_PARSED_BEFORE", parsed_before, "were read by another reader, which comes first"),
        ("SCIP_OUTSIDE", outside, "are no files of the repository and were left out"),
        ("SCIP_STALE", faults.stale, "changed since the index was made; their uses are left out"),
        ("SCIP_NO_RANGES", faults.flat, "have no enclosing ranges; uses count for the whole file"),
        ("SCIP_NO_TEXT", faults.unreadable, "cannot be read, so calls in them are not known"),
    ]
    for code, paths, said in listed:
        if paths:
            count = f"{len(paths)} {'document' if len(paths) == 1 else 'documents'}"
            yield _note(
                code,
                f"{count} of {FILE} ({by}) {said}: {', '.join(paths[:3])}"
                + (", ..." if len(paths) > 3 else ""),
                "index the repository anew",
                {"documents": len(paths), "paths": paths[:20]},
            )
    if faults.symbols:
        most = Counter(faults.symbols).most_common(1)[0][0]
        yield _note(
            "SCIP_SYMBOLS",
            f"{len(faults.symbols)} symbols are not of the format's grammar, such as {most!r:.80}",
            "index the repository anew",
            {"symbols": len(faults.symbols)},
        )


def _note(code: str, message: str, fix: str, detail: dict[str, object] | None = None) -> Finding:
    return Finding(code, FILE, message, fix, detail or {})


def _only(code: str, message: str, fix: str) -> Part:
    return Part(notes=(_note(code, f"{FILE} is left out: {message}", fix),))
