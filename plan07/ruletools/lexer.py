"""Cuts the text of rule files into tokens, comments and statements.

clingo says what is well formed; this is what the tools read, because a walk over clingo's own trees
takes five times as long, and clingo counts columns in bytes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

_TOKEN = re.compile(
    r"""[ \t\r\n]*(?:
    (?P<mark>[(),;{}\[\]]|:-|:~|\.\.|\*\*|!=|<=|>=|==|<>|[.:=<>+*/\\^?&|@~-])
    |(?P<word>[_']*[a-z][A-Za-z0-9_']*)
    |(?P<variable>[_']*[A-Z][A-Za-z0-9_']*)
    |(?P<string>"(?:[^"\\\n]|\\.)*")
    |(?P<number>0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|[0-9]+)
    |(?P<comment>%(?!\*)[^\n]*)
    |(?P<block>%\*)
    |(?P<anonymous>_)
    |(?P<script>\#script\b.*?\#end\b)
    |(?P<directive>\#[a-z_]+\+?)
    |(?P<stray>[^ \t\r\n])
    )""",
    re.VERBOSE | re.DOTALL,
)
_EDGE_OF_BLOCK = re.compile(r"%\*|\*%")
# After their full stop, these may go on with something in square brackets.
_BRACKETED = (":~", "#const", "#external", "#heuristic")


class Token(NamedTuple):
    """A token.

    Args:
        kind: string, number, variable, anonymous, word, directive, script or mark; stray for a
            character that no token begins with.
        text: as written.
        at: where it begins, in characters from the start of the file.
    """

    kind: str
    text: str
    at: int


class Comment(NamedTuple):
    """A comment.

    Args:
        text: with its percent signs.
        at: where it begins.
        line: the line on which it begins, from 1.
        end_line: the line on which it ends.
        trails: something other than space stands before it on its line.
    """

    text: str
    at: int
    line: int
    end_line: int
    trails: bool


class Text:
    """A text whose characters are known by line and column, both from 1."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0, *accumulate(len(line) + 1 for line in text.split("\n")[:-1])]

    def place(self, at: int) -> tuple[int, int]:
        """Return the line and the column of a character."""
        line = bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1

    def column(self, line: int, byte: int) -> int:
        """Return the column of a character that clingo counts in bytes, from 1."""
        start = self._starts[line - 1] if line <= len(self._starts) else len(self.text)
        cut = self.text[start : start + byte].encode()[: byte - 1]
        return len(cut.decode(errors="ignore")) + 1

    def line(self, number: int) -> str:
        """Return a line without its end, or nothing where there is none."""
        if not 1 <= number <= len(self._starts):
            return ""
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return self.text[self._starts[number - 1] : end].rstrip("\r\n")


def tokens(source: Text) -> tuple[list[Token], list[Comment]]:
    """Return the tokens and the comments of a text; block comments nest, as for clingo."""
    text = source.text
    found: list[Token] = []
    comments: list[Comment] = []
    at: int | None = 0
    while at is not None:
        at = _scan(source, text, at, found, comments)
    return found, comments


def _scan(
    source: Text, text: str, at: int, found: list[Token], comments: list[Comment]
) -> int | None:
    """Read up to the end of the next block comment, and return where that is."""
    for match in _TOKEN.finditer(text, at):
        kind, number = match.lastgroup, match.lastindex
        assert kind is not None and number is not None
        begin = match.start(number)
        if kind == "comment":
            comments.append(_comment(source, begin, match.end()))
        elif kind == "block":
            end = _end_of_block(text, begin)
            comments.append(_comment(source, begin, end))
            return end
        else:
            found.append(Token(kind, match[number], begin))
    return None


def _comment(source: Text, begin: int, end: int) -> Comment:
    line, column = source.place(begin)
    before = source.text[begin - column + 1 : begin]
    return Comment(
        source.text[begin:end], begin, line, source.place(end - 1)[0], bool(before.strip())
    )


def _end_of_block(text: str, begin: int) -> int:
    depth = 0
    for edge in _EDGE_OF_BLOCK.finditer(text, begin):
        depth += 1 if edge.group() == "%*" else -1
        if depth == 0:
            return edge.end()
    return len(text)


def strange(source: Text, found: Iterable[Token]) -> tuple[int, int, str] | None:
    """Return the first character that clingo must not see, with its line and column, or None.

    Its own message about one that is not ASCII cannot be decoded and ends the process; at a NUL it
    would take the text to be over.
    """
    at = source.text.find("\0")
    if at < 0:
        stray = [token.at for token in found if token.kind == "stray" and not token.text.isascii()]
        if not stray:
            return None
        at = stray[0]
    return (*source.place(at), source.text[at])


def without_scripts(text: str) -> str:
    """Return a text in which scripts are blank: clingo would not read on after one."""
    if "#script" not in text:
        return text
    found, _ = tokens(Text(text))
    for token in found:
        if token.kind == "script":
            end = token.at + len(token.text)
            blank = re.sub(r"[^\n]", " ", token.text)
            stop = text.find(".", end)
            text = f"{text[: token.at]}{blank}{text[end:stop]} {text[stop + 1 :]}"
    return text


def statements(found: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Yield the tokens of each statement, its full stop and what follows in brackets included."""
    begin = 0
    while begin < len(found):
        end = begin
        while end < len(found) and found[end].text != ".":
            end += 1
        end += 1
        if end < len(found) and found[end].text == "[" and found[begin].text in _BRACKETED:
            while end < len(found) and found[end].text != "]":
                end += 1
            end += 1
        yield found[begin:end]
        begin = end


def written(used: Sequence[Token]) -> str:
    """Return tokens as one line: what stands between two of them becomes one space or none."""
    parts: list[str] = []
    end, before = -1, ""
    for token in used:
        apart = end >= 0 and token.at > end
        if apart and before != "(" and token.text != ")":
            parts.append(" ")
        parts.append(token.text)
        end, before = token.at + len(token.text), token.text
    return "".join(parts)
