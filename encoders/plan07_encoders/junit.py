"""Reads JUnit XML: which tests passed, which failed, and how long they took.

An entity bomb is a document that defines entities, so one that does is not read at all; no result
of a test runner needs them.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple, NoReturn
from xml.parsers import expat

from plan07.errors import Finding
from plan07.located import Located
from plan07.recon import Part, Repository, TestRow
from plan07_encoders.nodeids import Tests

SOURCE = "junit"
LARGEST_BYTES = 256 * 1024**2
# What test runners and continuous integration call the file, and where they put it.
_NAMES = re.compile(r"(?:junit|pytest|test[-_]?results?|TEST-)[\w.-]*\.xml", re.IGNORECASE)
_PLACES = ("", "reports", "test-reports", "test-results", "build/test-results")
_MOST_FILES = 200
_OUTCOMES = {"failure": "failed", "error": "error", "skipped": "skipped"}
# Suites hold suites, but not so many.
_DEEPEST = 64
_LONGEST_TEXT = 1 << 16
_CHUNK = 1 << 16


class JUnitError(ValueError):
    """The file is no JUnit XML; the message says where and why."""


class Case(NamedTuple):
    """The result of one test.

    Args:
        name: of the function, parameters included.
        classname: dotted module and class.
        file: where it lies, "" where that is not said.
        outcome: passed, failed, error or skipped.
        seconds: None where that is not said.
        text: message and traceback of a failure, shortened.
    """

    name: str
    classname: str
    file: str
    outcome: str
    seconds: float | None
    text: str

    @property
    def test(self) -> str:
        """The name by which the test can be found: a node id, or a dotted name."""
        if not self.file:
            return f"{self.classname}.{self.name}" if self.classname else self.name
        module = self.file.rpartition("/")[2].rpartition(".")[0]
        steps = self.classname.split(".")
        classes = steps[steps.index(module) + 1 :] if module in steps else []
        return "::".join([self.file, *classes, self.name])


def cases(stream: BinaryIO) -> Iterator[Case]:
    """Yield the results in a JUnit XML file, in its order.

    Raises:
        JUnitError: it is no XML, not of the format, nested without end, or defines entities.
    """
    document = _Document()
    try:
        while data := stream.read(_CHUNK):
            document.parser.Parse(data, False)
            yield from document.take()
        document.parser.Parse(b"", True)
    except expat.ExpatError as error:
        place = f"line {error.lineno}, column {error.offset + 1}"
        raise JUnitError(f"{place}: {expat.ErrorString(error.code)}") from error
    except (UnicodeError, LookupError, ValueError) as error:
        if isinstance(error, JUnitError):
            raise
        raise JUnitError(f"it cannot be decoded: {error}"[:200]) from error
    yield from document.take()


class _Document:
    """What is open while the file is read."""

    def __init__(self) -> None:
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = self._entity
        self._open: list[str] = []
        self._done: list[Case] = []
        self._case: Case | None = None
        self._said: list[str] = []
        self._size = 0

    def take(self) -> list[Case]:
        """Return the results that came since the last call."""
        done, self._done = self._done, []
        return done

    def _fail(self, message: str) -> NoReturn:
        raise JUnitError(f"line {self.parser.CurrentLineNumber}: {message}")

    def _entity(self, name: str, *rest: object) -> None:
        self._fail(f"it defines an entity, {name!r:.40}; such files are not read")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._open and tag not in ("testsuites", "testsuite"):
            self._fail(f"it begins with {tag!r:.40}, not with testsuite")
        if len(self._open) >= _DEEPEST:
            self._fail("it is nested too deeply")
        self._open.append(tag)
        if tag == "testcase":
            get = attributes.get
            named = (get("name", ""), get("classname", ""), get("file", "").replace("\\", "/"))
            self._case = Case(*named, "passed", _seconds(get("time", "")), "")
            self._said, self._size = [], 0
        elif tag in _OUTCOMES and self._case is not None:
            # An error while tearing down comes after a failure; the failure is what matters.
            if self._case.outcome in ("passed", "skipped"):
                self._case = self._case._replace(outcome=_OUTCOMES[tag])
            self._keep(attributes.get("message", "") + "\n")

    def _end(self, tag: str) -> None:
        self._open.pop()
        if tag == "testcase" and self._case is not None:
            failed = self._case.outcome in ("failed", "error")
            text = "".join(self._said) if failed else ""
            self._done.append(self._case._replace(text=text))
            self._case = None

    def _text(self, text: str) -> None:
        if self._case is not None and self._open[-1] in ("failure", "error"):
            self._keep(text)

    def _keep(self, text: str) -> None:
        kept = text[: _LONGEST_TEXT - self._size]
        self._said.append(kept)
        self._size += len(kept)


def _seconds(text: str) -> float | None:
    try:
        seconds = float(text.replace(",", ""))
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def found(repository: Repository) -> Iterator[tuple[str, str]]:
    """Yield (path from the root, place) of the result files of a repository."""
    for directory in _PLACES:
        names = [each for each in repository.look_in(directory) if _NAMES.fullmatch(each)]
        for name in names[:_MOST_FILES]:
            path = f"{directory}/{name}".removeprefix("/")
            place = repository.look(path)
            if place is not None:
                yield path, place


def read(repository: Repository) -> Iterator[Part]:
    """Yield the outcomes of tests, one part for each file of results.

    A file that is none is a note, not an error.
    """
    tests = Tests(repository, Located(repository))
    for path, place in found(repository):
        try:
            yield Part(tests=tuple(_rows(results(place), tests)))
        except (JUnitError, OSError) as error:
            message = f"{path} is left out: {error}"
            yield Part(notes=(Finding("JUNIT_INVALID", path, message, "write it anew", {}),))


def results(place: str) -> list[Case]:
    """Return the results in a file.

    Raises:
        JUnitError: it is too large, or no JUnit XML.
        OSError: it cannot be read.
    """
    with open(place, "rb") as stream:
        if os.fstat(stream.fileno()).st_size > LARGEST_BYTES:
            raise JUnitError(f"it has more than {LARGEST_BYTES} bytes")
        return list(cases(stream))


def _rows(found: Sequence[Case], tests: Tests) -> Iterator[TestRow]:
    for case in found:
        test = tests.find(case.test)
        if case.name:
            yield TestRow(test.nodeid, test.fqn, SOURCE, case.outcome, case.seconds)
