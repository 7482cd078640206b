"""Localizes defects by tracebacks: in the failures of JUnit XML, or in what a test run printed.

Python writes the innermost call last, `File "a.py", line 3, in f` or `a.py:3: in f`; others write
it first, `at f (a.ts:3:5)`. The innermost frame in the sources of the repository is the likeliest
place; frames further out, and tests, are less so.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from plan07.errors import Finding
from plan07.localize import Given, Suspect
from plan07.located import Paths
from plan07.recon import Repository
from plan07_encoders import junit

ORIGIN = "traceback"
LARGEST_TEXT = 32 * 1024**2
_INNERMOST, _OUTWARDS, _TEST = 0.8, 0.6, 0.3
_LONGEST_LINE = 1000
_PYTHON = re.compile(r'\s*(?:E\s+)?File "([^"\n]+)", line (\d{1,7})')
_PYTEST = re.compile(r"((?:[A-Za-z]:)?\S[^:\n]*\.\w+):(\d{1,7}): (?:in |[A-Z]\w*)")
_OTHERS = re.compile(r"\s*at .{0,300}?\(?([^\s()]+\.\w+):(\d{1,7})(?::\d+)?\)?\s*$")
# What separates the report of one failure from the next.
_HEADER = re.compile(r"_{3,} .+ _{3,}$|={3,} .+ ={3,}$|Traceback \(most recent call last\):")


class Frame(NamedTuple):
    """A place that a traceback names.

    Args:
        path: as it stands there.
        line: from 1.
    """

    path: str
    line: int


def frames(text: str) -> list[Frame]:
    """Return the frames of one traceback, the innermost first."""
    inwards: list[Frame] = []
    outwards: list[Frame] = []
    for line in text.splitlines():
        shown = line[:_LONGEST_LINE]
        found = _PYTHON.match(shown) or _PYTEST.match(shown)
        if found:
            inwards.append(Frame(found[1], int(found[2])))
        elif found := _OTHERS.match(shown):
            outwards.append(Frame(found[1], int(found[2])))
    return [*reversed(inwards), *outwards]


def blocks(text: str) -> Iterator[str]:
    """Yield the failures in what a test run printed."""
    block: list[str] = []
    for line in text.splitlines():
        if _HEADER.match(line.strip()[:_LONGEST_LINE]) and block:
            yield "\n".join(block)
            block = []
        block.append(line)
    if block:
        yield "\n".join(block)


def locate(repository: Repository, given: Given) -> Iterator[Suspect | Finding]:
    """Yield a suspect for each place of the repository that a traceback names.

    Args:
        repository: whose results are looked for where no file is given.
        given: files of the formats junit and text.
    """
    reports = list(given.get("junit", ()))
    if not any(given.values()):
        reports = [place for _, place in junit.found(repository)]
    texts: list[str] = []
    for place in reports:
        try:
            texts += [case.text for case in junit.results(place) if case.text]
        except (junit.JUnitError, OSError) as error:
            yield _finding("JUNIT_INVALID", place, str(error))
    for place in given.get("text", ()):
        try:
            with open(place, "rb") as stream:
                data = stream.read(LARGEST_TEXT)
        except OSError as error:
            yield _finding("FILE_UNREADABLE", place, error.strerror or "it cannot be read")
        else:
            texts += blocks(data.decode("utf-8", "replace"))
    yield from _suspects(repository, texts)


def _suspects(repository: Repository, texts: Iterable[str]) -> Iterator[Suspect]:
    paths = Paths(repository.root, (row.path for row in repository.files))
    roles = {row.path: row.role for row in repository.files}
    best: dict[tuple[str, int], float] = {}
    seen: dict[tuple[str, int], int] = {}
    for text in texts:
        score = _INNERMOST
        here: set[tuple[str, int]] = set()
        for frame in frames(text):
            path = paths(frame.path)
            if path is None or frame.line < 1 or (path, frame.line) in here:
                continue
            place = path, frame.line
            here.add(place)
            is_test = roles[path] == "test"
            best[place] = max(best.get(place, 0.0), _TEST if is_test else score)
            score *= 1.0 if is_test else _OUTWARDS
        for place in here:
            seen[place] = seen.get(place, 0) + 1
    for (path, line), score in sorted(best.items()):
        number = seen[path, line]
        why = f"in {number} {'traceback' if number == 1 else 'tracebacks'}"
        yield Suspect(path, line, line, round(score, 4), ORIGIN, why)


def _finding(code: str, place: str, message: str) -> Finding:
    told = f"{os.path.basename(place)} is left out: {message}"
    return Finding(code, place, told, "write it anew", {"source": place})
