"""Says what is wrong with a file of evidence, whichever of the formats it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from plan07 import jsontext
from plan07.errors import Finding, InputError
from plan07.formats import documents, lines, recondb

_MOST = 50
_KNOWN = "recon.db, JSON Lines of it, impact, localization, context, SARIF, pyright"


class Verdict(NamedTuple):
    """What a file is, and what is wrong with it.

    Args:
        name: of the file.
        format: recon.db, jsonl, impact, localization, context, sarif, pyright; "" where it is none.
        findings: the faults, at most 50 of a file.
        faults: how many there are.
    """

    name: str
    format: str
    findings: Sequence[Finding]
    faults: int


def check(path: str) -> Verdict:
    """Return what is wrong with a file of evidence.

    Args:
        path: the file; "-" is standard input, which cannot be a database.

    Raises:
        InputError: it cannot be read at all.
    """
    name = "standard input" if path == "-" else path
    if path != "-":
        head = _head(path)
        if head.startswith(recondb.MAGIC):
            return _verdict(name, "recon.db", *recondb.faults(path, name))
        if path.endswith((".jsonl", ".ndjson")):
            return _lines(path, name)
        if path.endswith((".db", ".sqlite")):
            finding = Finding(
                recondb.CODE, name, f"{name}: it is no SQLite database", "build it anew", {}
            )
            return Verdict(name, "recon.db", [finding], 1)
    return _document(path, name)


def _head(path: str) -> bytes:
    try:
        with open(path, "rb") as stream:
            return stream.read(len(recondb.MAGIC))
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or "it cannot be opened").lower()
        raise InputError(
            "FILE_UNREADABLE",
            f"{path} cannot be read: {reason}",
            "name a readable file, or - for standard input",
            phase="read",
            detail={"path": path},
        ) from error


def _lines(path: str, name: str) -> Verdict:
    with open(path, "rb") as stream:
        found = [each for each in lines.read(stream, name) if isinstance(each, Finding)]
    return _verdict(name, "jsonl", found, len(found))


def _document(path: str, name: str) -> Verdict:
    data = jsontext.content(path, name)
    try:
        value = jsontext.parse(data, name)
    except InputError as error:
        fix = error.fix if data.strip() else f"give one of {_KNOWN}"
        finding = Finding(error.code, name, error.message, fix, error.detail)
        return Verdict(name, "", [finding], 1)
    kind = documents.kind_of(value)
    if kind is None:
        message = f"{name}: it is no format that can be checked"
        finding = Finding("FORMAT_UNKNOWN", name, message, f"give one of {_KNOWN}", {})
        return Verdict(name, "", [finding], 1)
    return _verdict(name, kind, *documents.faults(kind, value, data.decode(), name))


def _verdict(name: str, kind: str, found: Sequence[Finding], total: int) -> Verdict:
    return Verdict(name, kind, found[:_MOST], total)
