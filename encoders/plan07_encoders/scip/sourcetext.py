"""The text around an occurrence: SCIP says where a symbol stands, the text says what is done to it.

Columns count bytes, UTF-16 units or code points, as the indexer's language has it; where the index
does not say which, the way of counting in which the name stands at the place is taken.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

# So much of a line is looked at on either side; lines of generated code are endless.
_NEAR = 240
# Columns of a longer line are not converted; no person wrote it.
_LONG = 20_000
# A statement that begins further up than this is not looked for.
_LINES_UP = 200
_BYTES, _UTF16, _POINTS = 1, 2, 3
_FIRST_OF_STATEMENT = re.compile(r"[\w@#]")


class Cut(NamedTuple):
    """A line, cut at an occurrence.

    Args:
        before, after: the text on either side, shortened.
        word: what stands there.
    """

    before: str
    word: str
    after: str


class Text:
    """The lines of a source file.

    Args:
        text: the file.
        encoding: what columns count, 0 where that is not known.
    """

    def __init__(self, text: str, encoding: int) -> None:
        self._lines = text.removeprefix("\ufeff").split("\n")
        self._encoding = encoding
        self._starts: dict[int, int] = {}

    def cut(self, line: int, start: int, end: int, names: Sequence[str]) -> Cut | None:
        """Return the text at an occurrence.

        Args:
            line: from 0.
            start: column of the first character.
            end: column after the last character.
            names: what may stand there; decides how columns are counted.

        Returns:
            None where the line is not there.
        """
        if line >= len(self._lines):
            return None
        text = self._lines[line]
        if text.isascii() or len(text) > _LONG:
            return _cut(text, start, end)
        ways = [self._encoding] if self._encoding else [_UTF16, _POINTS, _BYTES]
        cuts = [_cut(text, *_columns(text, start, end, way)) for way in ways]
        return next((cut for cut in cuts if cut.word in names), cuts[0])

    def statement(self, line: int) -> str:
        """Return the line on which the outermost statement around a line begins."""
        passed = []
        at = line
        while at not in self._starts:
            if at <= 0 or at <= line - _LINES_UP or _FIRST_OF_STATEMENT.match(self._lines[at]):
                self._starts[at] = max(at, 0)
                break
            passed.append(at)
            at -= 1
        for each in passed:
            self._starts[each] = self._starts[at]
        return self._lines[self._starts[at]][:_NEAR]


def _cut(text: str, start: int, end: int) -> Cut:
    return Cut(text[max(0, start - _NEAR) : start], text[start:end], text[end : end + _NEAR])


def _columns(text: str, start: int, end: int, way: int) -> tuple[int, int]:
    """Return columns as indices of a text."""
    if way == _POINTS:
        return start, end
    codec, unit = ("utf-8", 1) if way == _BYTES else ("utf-16-le", 2)
    data = text.encode(codec, "surrogatepass")

    def index(column: int) -> int:
        return len(data[: column * unit].decode(codec, "ignore"))

    return index(start), index(end)
