"""Localizes defects by what analysers found: SARIF 2.1, and the JSON of pyright."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from plan07.errors import Finding
from plan07.formats import documents
from plan07.localize import Given, Suspect
from plan07.located import Paths
from plan07.recon import Repository

ORIGIN, PYRIGHT = "sarif", "pyright"
_LEVELS = {"error": 0.7, "warning": 0.4, "note": 0.2}
_SEVERITIES = {"error": 0.7, "warning": 0.4, "information": 0.2}
# Results of these kinds are problems; the others say that there is none.
_PROBLEMS = ("fail", "open", "review")


def locate(repository: Repository, given: Given) -> Iterator[Suspect | Finding]:
    """Yield a suspect for each problem that a SARIF file names a place for.

    Args:
        repository: whose files they are.
        given: files of the format sarif.

    Raises:
        InputError: a file is not SARIF 2.1.0; every fault is told with its place.
    """
    paths = Paths(repository.root, (row.path for row in repository.files))
    for place in given.get("sarif", ()):
        for run in documents.read(place, "sarif")["runs"]:
            for result in run.get("results") or ():
                score = _score(result)
                if score > 0 and not result.get("suppressions"):
                    yield from _of_result(run, result, score, paths)


def locate_pyright(repository: Repository, given: Given) -> Iterator[Suspect | Finding]:
    """Yield a suspect for each diagnostic of pyright or basedpyright.

    Args:
        repository: whose files they are.
        given: files of the format pyright, as `pyright --outputjson` writes them.

    Raises:
        InputError: a file is not of the format; every fault is told with its place.
    """
    paths = Paths(repository.root, (row.path for row in repository.files))
    for place in given.get("pyright", ()):
        for found in documents.read(place, "pyright")["generalDiagnostics"]:
            path = paths(found["file"])
            if path is None:
                continue
            span = found.get("range") or {"start": {"line": 0}, "end": {"line": 0}}
            first, last = span["start"]["line"] + 1, span["end"]["line"] + 1
            why = _said(found.get("rule") or found["severity"], found["message"])
            score = _SEVERITIES[found["severity"]]
            yield Suspect(path, first, max(first, last), score, PYRIGHT, why)


def _score(result: Mapping[str, Any]) -> float:
    if result.get("kind", "fail") not in _PROBLEMS:
        return 0.0
    rank = result.get("rank", -1.0)
    if rank >= 0:
        return float(min(rank, 100)) / 100
    return _LEVELS.get(result.get("level", "warning"), 0.0)


def _of_result(
    run: Mapping[str, Any], result: Mapping[str, Any], score: float, paths: Paths
) -> Iterator[Suspect]:
    text = result.get("message", {}).get("text", "")
    why = _said(result.get("ruleId") or run["tool"]["driver"]["name"], text)
    for location in result.get("locations", ()):
        physical = location.get("physicalLocation", {})
        path = paths(_uri(run, physical.get("artifactLocation", {})))
        if path is not None:
            region = physical.get("region", {})
            first = region.get("startLine", 1)
            last = max(first, region.get("endLine", first))
            yield Suspect(path, first, last, score, ORIGIN, why)


def _uri(run: Mapping[str, Any], location: Mapping[str, Any]) -> str:
    """Return the path of an artifact, absolute where the run says what it is relative to."""
    artifacts = run.get("artifacts", ())
    index = location.get("index", -1)
    if "uri" not in location and 0 <= index < len(artifacts):
        location = artifacts[index].get("location", {})
    uri = location.get("uri", "")
    base = run.get("originalUriBaseIds", {}).get(location.get("uriBaseId", ""), {}).get("uri", "")
    if base.startswith("file:") and "://" not in uri:
        uri = base.rstrip("/") + "/" + uri
    parts = urlsplit(uri)
    return unquote(parts.path) if parts.scheme in ("", "file") else ""


def _said(rule: str, message: str) -> str:
    return f"{rule}: {' '.join(message.split())}"[:200]
