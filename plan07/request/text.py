"""The structure of a request: its headings, paragraphs, lists and code, as issues have them.

A request is an issue more often than a sentence: a title, a template with headings, lists with
boxes, a traceback in the middle, quoted replies, comments of the template. This module finds these
parts, says of each in which section it stands, and sets aside what is no part of the request,
with the reason. It knows as much of Markdown as this takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from plan07.request import lines
from plan07.request.lines import Skipped

# How deep headings are that have no level of their own: a label lasts to the end of its own
# text, a label on a line of its own to the end of the list below it.
BOLD, LABEL_LINE, LABEL = 7, 8, 9


class Block(NamedTuple):
    """One part of a request.

    Args:
        kind: heading, paragraph, item, code or row.
        text: its lines, joined; of an item without its mark.
        line: where it begins, from 1.
        depth: of a heading its level from 1; of an item the columns it is indented.
        section: what its heading says of it, a key of `phrases.SECTIONS`.
        boxed: the item has a box, ticked or not.
        attached: the code belongs to the item or sentence before it.
    """

    kind: str
    text: str
    line: int
    depth: int = 0
    section: str = "prose"
    boxed: bool = False
    attached: bool = False


def read(text: str) -> tuple[list[Block], list[Skipped]]:
    """Return the parts of a request, in order, and what was set aside."""
    skipped: list[Skipped] = []
    shown = lines.uncommented(lines.lines_of(text), skipped)
    return _Reader(shown, skipped).blocks(), skipped


class _Reader:
    """Walks over the lines once; each step takes what it knows and says whether it did."""

    def __init__(self, lines: Sequence[str], skipped: list[Skipped]) -> None:
        self._lines = lines
        self._skipped = skipped
        self._found: list[Block] = []
        self._at = 0

    def blocks(self) -> list[Block]:
        steps = (
            *(self._fence, self._quotation, self._signature, self._trace, self._table),
            *(self._rule, self._heading, self._item, self._indented, self._paragraph),
        )
        while self._at < len(self._lines):
            if not self._lines[self._at] or not any(step() for step in steps):
                self._at += 1
        return self._found

    def _skip(self, line: int, text: str, why: str) -> None:
        self._skipped.append(Skipped(line + 1, text.strip(), why))

    def _ahead(self, index: int) -> str:
        return self._lines[index] if 0 <= index < len(self._lines) else ""

    def _fence(self) -> bool:
        first = self._at
        line = self._lines[first]
        fence = lines.FENCE.match(line)
        if fence is None:
            return False
        body: list[str] = []
        still = fence.group(1)
        self._at += 1
        while self._at < len(self._lines) and (
            still := lines.fence_after(self._ahead(self._at), still)
        ):
            body.append(self._ahead(self._at))
            self._at += 1
        self._at += 1
        if fence.group(2).strip().casefold() in ("gherkin", "feature", "cucumber"):
            # Scenarios are sentences, whatever they are set in.
            said = [each.strip() for each in body if each.strip()]
            self._found.append(Block("paragraph", "\n".join(said), first + 1))
        else:
            self._keep_code(body, first, line[:1] in (" ", "\t"))
        return True

    def _keep_code(self, body: list[str], first: int, indented: bool) -> None:
        """Keep code as a part of its own, or as a code span of the line that introduces it."""
        said = [each.strip() for each in body if each.strip()]
        last = self._found[-1] if self._found else None
        introduced = last is not None and last.text.rstrip().endswith((":", "\uff1a"))
        if last is not None and introduced and len(said) == 1 and lines.fits_a_span(said[0]):
            self._found[-1] = last._replace(text=f"{last.text.rstrip()} `{said[0]}`")
            return
        close = (
            last is not None and last.kind == "item" and bool(self._ahead(first - 1) or indented)
        )
        attached = introduced or close
        self._found.append(Block("code", "\n".join(body), first + 1, attached=attached))

    def _indented(self) -> bool:
        """Four columns after an empty line are code, outside of lists."""
        first = self._at
        last = self._found[-1].kind if self._found else ""
        if not lines.INDENTED.match(self._lines[first]) or last == "item" or self._ahead(first - 1):
            return False
        body: list[str] = []
        while self._at < len(self._lines) and (
            not self._lines[self._at] or lines.INDENTED.match(self._lines[self._at])
        ):
            body.append(self._lines[self._at])
            self._at += 1
        self._keep_code(body, first, indented=False)
        return True

    def _quotation(self) -> bool:
        first = self._at
        if not self._lines[first].lstrip().startswith(">") or self._lines[first].startswith(">>> "):
            return False
        while self._ahead(self._at).lstrip().startswith(">"):
            self._at += 1
        self._skip(first, self._lines[first], "a quotation of somebody else")
        return True

    def _signature(self) -> bool:
        """After two dashes on a line of their own comes who wrote it."""
        if self._lines[self._at] != "--" or not self._found or self._ahead(self._at - 1):
            return False
        self._skip(self._at, self._ahead(self._at + 1) or "--", "a signature")
        self._at = len(self._lines)
        return True

    def _trace(self) -> bool:
        first = self._at
        line = self._lines[first]
        raised = lines.RAISED.match(line) and lines.FRAME.match(self._ahead(first + 1))
        if not (raised or lines.TRACEBACK.match(line) or lines.LOG.match(line)):
            return False
        while self._at < len(self._lines):
            line = self._lines[self._at]
            known = lines.TRACEBACK.match(line) or lines.LOG.match(line) or lines.FRAME.match(line)
            inside = self._at > first and line[:1] in (" ", "\t")
            if not (known or inside or lines.RAISED.match(line) or (not line and self._goes_on())):
                break
            self._at += 1
        body = list(self._lines[first : self._at])
        self._found.append(Block("code", "\n".join(body), first + 1))
        return True

    def _goes_on(self) -> bool:
        following = self._ahead(self._at + 1)
        return bool(lines.FRAME.match(following) or lines.TRACEBACK.match(following))

    def _table(self) -> bool:
        first = self._at
        if "|" not in self._lines[first] or not lines.TABLE_RULE.match(self._ahead(first + 1)):
            return False
        if "-" not in self._ahead(first + 1) or "|" not in self._ahead(first + 1):
            return False
        names = lines.cells(self._lines[first])
        self._at += 2
        while "|" in self._ahead(self._at):
            pairs = zip(names, lines.cells(self._lines[self._at]), strict=False)
            told = [f"{name}: {cell}" if name else cell for name, cell in pairs if cell]
            self._found.append(Block("row", "; ".join(told), self._at + 1))
            self._at += 1
        return True

    def _rule(self) -> bool:
        if not lines.RULE.match(self._lines[self._at]):
            return False
        self._at += 1
        return True

    def _heading(self) -> bool:
        line = self._lines[self._at]
        heading = lines.HEADING.match(line)
        bold = lines.BOLD_LINE.match(line)
        if heading:
            level, text = len(heading.group(1)), lines.CLOSING.sub("", heading.group(2))
        elif bold and (not self._ahead(self._at - 1) or lines.section_of(bold.group(1))):
            level, text = BOLD, bold.group(1)
        elif lines.UNDERLINE.match(self._ahead(self._at + 1)) and not self._ahead(self._at - 1):
            level, text = 1 if "=" in self._ahead(self._at + 1) else 2, line
            self._at += 1
        elif said := lines.SUMMARY.match(line):
            level, text = BOLD, said.group(1)
        else:
            return False
        self._found.append(Block("heading", text.strip(), self._at + 1, level))
        self._at += 1
        return True

    def _item(self) -> bool:
        first = self._at
        mark = lines.ITEM.match(self._lines[first])
        if mark is None:
            if lines.EMPTY_ITEM.match(self._lines[first]):
                self._skip(first, self._lines[first], "an empty item")
                self._at += 1
                return True
            return False
        said = [self._lines[first][mark.end() :]]
        self._at += 1
        while self._continues(self._ahead(self._at)):
            said.append(self._lines[self._at].strip())
            self._at += 1
        indent = len(mark.group(1).expandtabs(4))
        boxed = any(mark.group(group) for group in (2, 3, 4))
        block = Block("item", "\n".join(said), first + 1, indent, boxed=boxed)
        self._found.append(block)
        return True

    def _continues(self, line: str) -> bool:
        """Whether a line goes on with the sentence of the line before."""
        return bool(line) and not (
            lines.FENCE.match(line)
            or lines.HEADING.match(line)
            or lines.ITEM.match(line)
            or lines.EMPTY_ITEM.match(line)
            or lines.RULE.match(line)
            or lines.TRACEBACK.match(line)
            or lines.SUMMARY.match(line)
            or line.lstrip().startswith(">")
            or lines.labelled(line)
        )

    def _paragraph(self) -> bool:
        first = self._at
        if lines.TAGS.match(self._lines[first]):
            self._at += 1
            return True
        if self._plain_heading(first):
            return True
        label = lines.labelled(self._lines[first])
        if label:
            self._labelled(first, *label)
            return True
        said = [self._lines[first].strip()]
        self._at += 1
        while self._continues_paragraph(self._ahead(self._at)):
            said.append(self._lines[self._at].strip())
            self._at += 1
        self._keep_paragraph(said, first)
        return True

    def _plain_heading(self, first: int) -> bool:
        """A line that is nothing but the name of a section, as in text without any marks."""
        line = self._lines[first]
        alone = not self._ahead(first + 1)
        if line.isascii() and " " not in line.strip() and not alone:
            return False
        if self._ahead(first - 1) or not lines.section_of(line) or line.endswith("."):
            return False
        self._found.append(Block("heading", line.strip(), first + 1, BOLD))
        self._at += 1
        return True

    def _continues_paragraph(self, line: str) -> bool:
        number = lines.NUMBER.match(line)
        if number and int(number.group(1)) != 1 and lines.ITEM.match(line):
            # "… in version\n3. This …" is no list.
            return True
        return self._continues(line) and not lines.LOG.match(line)

    def _labelled(self, first: int, label: str, rest: str) -> None:
        depth = LABEL if rest else LABEL_LINE
        self._found.append(Block("heading", label, first + 1, depth))
        self._at += 1
        if not rest:
            return
        said = [rest]
        while self._continues(self._ahead(self._at)):
            said.append(self._lines[self._at].strip())
            self._at += 1
        self._found.append(Block("paragraph", "\n".join(said), first + 1))

    def _keep_paragraph(self, said: list[str], first: int) -> None:
        trailers = [line for line in said if lines.TRAILER.match(line)]
        for line in trailers:
            self._skip(first, line, "a trailer")
        said = [line for line in said if line not in trailers]
        text = "\n".join(said)
        if not text:
            return
        if lines.WROTE.search(said[-1]) and self._next_is_quotation():
            self._skip(first, text, "a quotation of somebody else")
        elif lines.NOTHING.match(text):
            self._skip(first, text, "an empty answer")
        elif lines.looks_like_code(said):
            self._keep_code(said, first, indented=False)
        else:
            self._found.append(Block("paragraph", text, first + 1))

    def _next_is_quotation(self) -> bool:
        while self._at < len(self._lines) and not self._lines[self._at]:
            self._at += 1
        return self._ahead(self._at).lstrip().startswith(">")
