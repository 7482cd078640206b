"""Where a defect is likely to be (component 05), from what people have anyway.

A localizer reads one kind of evidence — which tests failed and what they ran, tracebacks, findings
of an analyser — and yields suspects. It is a function `locate(repository, given)`, registered in
the entry point group `plan07.localizers`; this package imports none. Suspects of one entity are
taken together: the surest of each origin, and origins as independent witnesses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from plan07 import jsontext
from plan07.errors import Finding, InputError
from plan07.formats import documents
from plan07.located import Located
from plan07.recon import Repository

GROUP = "plan07.localizers"
FORMATS = ("coverage", "junit", "sarif", "pyright", "text")
# The file of an agent's context holds no more than it can read.
MOST = 100


class Suspect(NamedTuple):
    """A place that may hold the defect.

    Args:
        path: from the root of the repository.
        start_line, end_line: from 1.
        score: 0 to 1.
        origin: of the evidence: the localizer's name.
        why: for people, a few words.
    """

    path: str
    start_line: int
    end_line: int
    score: float
    origin: str
    why: str


# The files that were given, by format; none of a format where a localizer may look by itself.
Given: TypeAlias = Mapping[str, Sequence[str]]
Localizer: TypeAlias = Callable[[Repository, Given], Iterable[Suspect | Finding]]


def localizers() -> list[tuple[str, Localizer]]:
    """Return the localizers that are installed, in the order of their names."""
    from importlib.metadata import entry_points

    found = {each.name: each for each in entry_points(group=GROUP)}
    return [(name, found[name].load()) for name in sorted(found)]


def sorted_by_format(paths: Iterable[str]) -> dict[str, list[str]]:
    """Return files by what they hold, as their first bytes tell.

    Raises:
        InputError: one cannot be read, or is JSON of a format that no localizer knows.
    """
    given: dict[str, list[str]] = {}
    for path in paths:
        given.setdefault(_format(path), []).append(path)
    return given


def _format(path: str) -> str:
    try:
        with open(path, "rb") as stream:
            head = stream.read(4096)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or "it cannot be opened").lower()
        raise InputError(
            "FILE_UNREADABLE",
            f"{path} cannot be read: {reason}",
            "name a readable file",
            phase="read",
            detail={"path": path},
        ) from error
    if head.startswith(b"SQLite format 3\0"):
        return "coverage"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    # UTF-16 begins with a mark, and XML may be written in it.
    if start.startswith(b"<") or head[:4] in (b"\xff\xfe<\0", b"\xfe\xff\0<"):
        return "junit"
    if not start.startswith(b"{"):
        return "text"
    value, name = jsontext.read(path)
    kind = documents.kind_of(value)
    if kind not in FORMATS:
        raise InputError(
            "FORMAT_UNKNOWN",
            f"{name} is JSON, but neither SARIF nor of pyright",
            "give SARIF 2.1, the JSON of pyright, JUnit XML, a .coverage, or output of tests",
            phase="read",
            detail={"path": path, "format": kind},
        )
    return kind


def ranked(repository: Repository, suspects: Iterable[Suspect], most: int = MOST) -> dict[str, Any]:
    """Return suspects as a document of the format plan07.localization/1, the likeliest first.

    Args:
        repository: whose entities they are; its nodes must be known.
        suspects: of all origins.
        most: so many items are kept; how many are not is said.
    """
    located = Located(repository)
    places: dict[tuple[str, str | int], dict[str, Suspect]] = {}
    names: dict[tuple[str, str | int], str | None] = {}
    for each in suspects:
        node = located.around(each.path, each.start_line)
        entity = None if node is None else node.fqn
        key = each.path, entity or each.start_line
        names[key] = entity
        by_origin = places.setdefault(key, {})
        before = by_origin.get(each.origin)
        if before is None or _surer(each, before):
            by_origin[each.origin] = each
    items = [_item(names[key], by_origin.values()) for key, by_origin in places.items()]
    items.sort(key=lambda item: (-item["score"], item["path"], item["start_line"]))
    document: dict[str, Any] = {"schema": documents.LOCALIZATION}
    if repository.commit is not None:
        document["commit"] = repository.commit
    document["items"] = items[:most]
    if len(items) > most:
        document["truncated"] = len(items) - most
    return document


def _surer(one: Suspect, other: Suspect) -> bool:
    return (-one.score, one.start_line, one.end_line, one.why) < (
        -other.score,
        other.start_line,
        other.end_line,
        other.why,
    )


def _item(entity: str | None, suspects: Iterable[Suspect]) -> dict[str, Any]:
    listed = sorted(suspects, key=lambda each: (-each.score, each.origin))
    doubt = 1.0
    for each in listed:
        doubt *= 1 - each.score
    best = listed[0]
    return {
        "path": best.path,
        "start_line": best.start_line,
        "end_line": best.end_line,
        "entity": entity,
        "score": round(1 - doubt, 4),
        "why": "; ".join(each.why for each in listed),
    }
