"""What a line of a request is: a fence, an item, a label, a piece of a log or of a program.

Each pattern looks at one line and takes time in proportion to its length.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from plan07.request import phrases


class Skipped(NamedTuple):
    """A part that was set aside, and why.

    Args:
        line: where it begins, from 1.
        text: how it begins.
        why: a few words.
    """

    line: int
    text: str
    why: str


_LINE_ENDS = re.compile("\r\n?|[\n\v\f\x1c-\x1e\x85\u2028\u2029]")
_TERMINAL = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_CONTROLS = re.compile(r"[\x01-\x08\x0e-\x1b\x1f\x7f\ufeff\u200b\ufff0-\ufffb]")
FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([^`\n]*)\Z")
HEADING = re.compile(r"[ ]{0,3}(#{1,6})[ \t]+(.*)\Z")
CLOSING = re.compile(r"[ \t]+#+[ \t]*\Z")
UNDERLINE = re.compile(r"[ ]{0,3}(?:=+|-{2,})[ \t]*\Z")
RULE = re.compile(r"[ ]{0,3}(?:(?:-[ \t]*){3,}+|(?:\*[ \t]*){3,}+|(?:_[ \t]*){3,}+|={3,})\Z")
ITEM = re.compile(
    r"([ \t]*)(?:(?:[-*+\u2022\u2023\u25e6\u25aa\u00b7\u2013\u2014]|\(?\d{1,3}[.)]|[A-Za-z]\))"
    r"(?:[ \t]+(\[[ xX\u2713\u2714]\])(?=\s|\Z))?[ \t]+"
    r"|\d{1,3}\u3001|[\u30fb\u25cf\u25cb\u25a0\u25c6][ \t]*"
    r"|(\[[ xX\u2713\u2714]\])[ \t]+|([\u2610\u2611\u2612\u2705])[ \t]*)(?=\S)"
)
NUMBER = re.compile(r"[ \t]*\(?(\d{1,3})[.)]")
EMPTY_ITEM = re.compile(r"[ \t]*(?:[-*+\u2022]|\d{1,3}[.)])[ \t]*(?:\[[ xX]\])?[ \t]*\Z")
TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")
TRACEBACK = re.compile(
    r"[ \t>]*(?:Traceback \(most recent call last\)|Exception in thread |thread '[^']*' panicked"
    r"|goroutine \d+ \[|panic: )"
)
FRAME = re.compile(
    r'[ \t]+(?:File "|at |in <|\.\.\. \d+ more|raise |return |\^|~)|[ \t]*(?:Caused by: '
    r"|During handling of the above|The above exception was)"
)
LOG = re.compile(
    r"[ \t]*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d"
    r"|[ \t]*\[?\b(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE)\b[\]: ]"
)
RAISED = re.compile(
    r"(?:[A-Za-z_][\w.]*(?:Error|Exception|Warning|Interrupt|Exit|Fault))\b(?::.*)?\Z"
)
TRAILER = re.compile(
    r"(?:signed-off-by|co-authored-by|reviewed-by|acked-by|reported-by|tested-by|cc|change-id"
    r"|refs?|see-also)\s*:|(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|refs?|related to|part of"
    r"|see|depends on|blocked by|duplicate of)\s*:?\s+(?:[\w./-]*#\d+|https?://\S+)[\s.,]*\Z",
    re.I,
)
WROTE = re.compile(
    r"(?:\bwrote|\bschrieb[^:]*|a \u00e9crit|escribi\u00f3|\u5199\u9053)\s*:\s*\Z", re.I
)
NOTHING = re.compile(
    r"[\s_*]*(?:n/?a|none|no response|nothing|tbd|todo|nil|not applicable|-+|\.{3}|\u2026|\u65e0)"
    r"[\s_*.]*\Z",
    re.I,
)
TEMPLATE = re.compile(
    r"\A\W*(?:a clear and concise description|if applicable, add|add any other context"
    r"|describe (?:the bug|your|what|how)|please (?:describe|provide|fill"
    r"|include|read|make sure (?:you|to)|search|delete|note that this)|what did you"
    r"|this issue was (?:automatically|generated)"
    r"|explain (?:what|how)|provide a (?:clear|general|brief|short)|\[e\.g\.)",
    re.I,
)
_LABEL = re.compile(
    r"[ \t]*(?:\*\*|__)?([^:\uff1a*`\n{}\[\]\"<>|]{1,60}?)(?:\*\*|__)?[ \t]*[:\uff1a](?:\*\*|__)?"
    r"(?:[ \t]+|(?<=\uff1a)|\Z)(.*)\Z"
)
BOLD_LINE = re.compile(r"[ \t]*(?:\*\*|__)([^*\n]{1,80})(?:\*\*|__)[ \t]*[:\uff1a]?[ \t]*\Z")
_CODE_LINE = re.compile(
    r"\s*(?:[{}()\[\];]+\s*\Z"
    r"|(?:def|class|import|from|return|function|const|let|var|fn|func|public|private|package|using"
    r"|namespace|elif|except|try|SELECT|INSERT|UPDATE|CREATE|ALTER)\b.*[;:{(),\w]\s*\Z"
    r"|(?:if|for|while|with)\b.*[:{]\s*\Z|#include\b|\$\s|>>>\s|\.\.\.\s|@\w+|//"
    r"|</?[A-Za-z][^<>]*>|[\w.\[\]\"']+\s*(?:=|\+=|:=)\s*\S|[\w.]+\([^()]*\)\s*;?\s*\Z"
    r"|[\"'][\w-]+[\"']\s*:\s|.*[;{]\s*\Z)"
)
SUMMARY = re.compile(r"[ \t]*(?:<details[^<>]*>)?[ \t]*<summary>([^<>]*)</summary>", re.I)
TAGS = re.compile(
    r"[ \t]*(?:</?(?:details|summary|div|p|br|center|img|hr|kbd)\b[^<>]*>[ \t]*)+\Z", re.I
)
INDENTED = re.compile(r"(?: {4}|\t)")
# A single line that can be nothing else than code.
_ALONE = re.compile(r"(?:(?:async )?def \w+\(.*:|class \w+.*:|[\w.]+\([^()]*\);?|\$ .*|>>> .*)\Z")
_LONGEST_SPAN = 120


# What templates write after the name of a section.
_AFTER_HEADING = frozenset(
    [
        "the",
        "behavior",
        "behaviour",
        "bug",
        "issue",
        "problem",
        "required",
        "optional",
        "if",
        "describe",
        "applicable",
        "details",
        "please",
        "complete",
        "following",
        "information",
        "any",
        "of",
        "this",
    ]
)


def lines_of(text: str) -> list[str]:
    """Return the lines of a text, whatever ends them, without what acts on a terminal."""
    text = _CONTROLS.sub("", _TERMINAL.sub("", text))
    return [line.rstrip() for line in _LINE_ENDS.split(text)]


def section_of(heading: str, *, begins: bool = False) -> str | None:
    """Return what a heading says of its section, or None if it says nothing.

    Args:
        heading: its text.
        begins: it may go on after two or more known words, as templates do.

    >>> section_of("## Expected behaviour:"), section_of("Session"), section_of("Tasks")
    ('criteria', None, 'criteria')
    """
    plain = re.sub(r"[^\w\s'\u2019/-]", " ", heading.replace("\u2019", "'"))
    words = plain.casefold().strip(" -_/").split()
    if not words or len(words) > 12:
        return None
    known = _sections()
    found = known.get(" ".join(words))
    if found is None and words[0].strip(".").isdigit():
        found = known.get(" ".join(words[1:]))
    if found is None and begins:
        for size in range(len(words) - 1, 1, -1):
            if _AFTER_HEADING.issuperset(words[size:]):
                found = found or known.get(" ".join(words[:size]))
    return found


@lru_cache(maxsize=1)
def _sections() -> dict[str, str]:
    return {each: section for section, listed in phrases.SECTIONS.items() for each in listed}


def uncommented(lines: Sequence[str], skipped: list[Skipped]) -> list[str]:
    """Blank out HTML comments, which nobody sees, but for those in code."""
    found: list[str] = []
    fence = ""
    inside = False
    for number, line in enumerate(lines, 1):
        if not inside:
            fence = fence_after(line, fence)
        if fence and not inside:
            found.append(line)
            continue
        kept: list[str] = []
        rest = line
        while rest:
            if inside:
                _, end, rest = rest.partition("-->")
                inside = not end
                continue
            before, start, after = rest.partition("<!--")
            if start and before.count("`") % 2:
                # Within a code span.
                kept += [before, start]
                rest = after
                continue
            kept.append(before)
            rest = after
            if start:
                inside = True
                shown = after.partition("-->")[0].strip()
                skipped.append(Skipped(number, shown or "<!--", "a comment"))
        found.append("".join(kept).rstrip())
    return found


def fence_after(line: str, fence: str) -> str:
    """Return the open fence after a line, or nothing."""
    mark = FENCE.match(line)
    if mark is None:
        return fence
    if not fence:
        return mark.group(1)
    closes = mark.group(1).startswith(fence) and not mark.group(2)
    return "" if closes else fence


def labelled(line: str) -> tuple[str, str] | None:
    """Return a known label and what follows it on its line, or None.

    >>> labelled("Expected: it returns 404")
    ('Expected', 'it returns 404')
    """
    label = _LABEL.match(line)
    if label is None or not section_of(label.group(1)):
        return None
    return label.group(1).strip(), label.group(2).strip()


def fits_a_span(text: str) -> bool:
    return "`" not in text and len(text) <= _LONGEST_SPAN


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def looks_like_code(lines: Sequence[str]) -> bool:
    """Whether most lines could stand in a program, or all of it is one JSON value."""
    text = " ".join(lines)
    if text[:1] in "{[" and text[-1:] in "}]" and len(text) > 2 and ":" in text:
        return True
    code = sum(1 for line in lines if _CODE_LINE.match(line))
    if len(lines) == 1:
        return bool(code and _ALONE.match(text))
    return code * 10 >= len(lines) * 7
