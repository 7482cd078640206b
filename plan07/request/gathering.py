"""What a request says: titles, criteria and constraints that it names, and what it leaves open.

The sections of an issue decide how its parts are read. A list under "Acceptance criteria", and
every list with boxes, is taken item by item, whether a box is ticked or not: a tick is a claim, and
a plan ends by checking claims. Prose is looked through for predicates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from plan07.request import lines, predicates
from plan07.request.candidates import FAULT, errors, verb_of
from plan07.request.choosing import Criterion, Found, Gathered, Open
from plan07.request.lines import Skipped, labelled, section_of
from plan07.request.parts import (
    STEP,
    beside_items,
    is_scenario,
    labelled_parts,
    scenarios,
    sectioned,
    sentences_of,
)
from plan07.request.sentences import clean, mask
from plan07.request.text import LABEL, Block, read

# Nothing that long is one predicate, and looking for one would take long.
_LONGEST_SENTENCE = 1000
_PROSE = ("prose", "wish")
# A sentence has as many words.
_FEWEST_WORDS = 4
# A goal that comes later than this is not looked for.
_MOST_OPENINGS = 8

_SCENARIO = re.compile(r"\s*(?:Scenario(?: Outline)?|Feature|Background|Example|Rule)\s*:", re.I)
_PERSONAL = re.compile(
    r"\s*(?:I|I've|I'm|I'd|I'll|we|you|your)\b|\s*(?:this is not a duplicate|yes\b|no\s*\Z|my )",
    re.I,
)
_SMALL_TALK = re.compile(
    r"\s*(?:(?:I|we)(?:'ve| have) been using|(?:I|we) (?:really |absolutely )?(?:love|like) (?:this"
    r"|the|your)|first of all|great (?:work|job|tool|library|project)|awesome|keep up|long[- ]time"
    r"|(?:I'm|I am) new to|not sure (?:if|whether) this|(?:I )?hope (?:you|this|that)"
    r"|sorry (?:if|for|about)|feel free|happy to|let me know|PRs? welcome"
    r"|I (?:can|could|would be (?:happy|willing)|am (?:happy|willing)|'d be happy) (?:to )?"
    r"(?:submit|open|provide|send|help|make|work)|any (?:ideas?|help|thoughts|pointers)"
    r"|what do you think|see (?:attached|screenshot|below|above|also)|wdyt|\+1\s*\Z|me too"
    r"|same (?:here|issue))",
    re.I,
)
_FAILED = re.compile(r"^(?:FAILED|ERROR)\s+([\w./+-]+\.py::[\w:.+-]+(?:\[[^\]\n]*\])?)", re.M)
_LETTERS = re.compile(r"[^\W\d_]")
_ADDRESS = re.compile(r"\bhttps?://\S+")
_STRUCK = re.compile(r"\s*~~[^~]+~~\s*\Z")


def gather(text: str) -> Gathered:
    """Return what a request says."""
    blocks, skipped = read(text)
    gatherer = _Gatherer(sectioned(scenarios(blocks)), skipped)
    return gatherer.gathered()


class _Gatherer:
    """Walks over the parts of a request once."""

    def __init__(self, blocks: Sequence[Block], skipped: Sequence[Skipped]) -> None:
        self._blocks = blocks
        self._found = Found(skipped)
        self._beside_items = beside_items(blocks)
        self._list = 0

    def gathered(self) -> Gathered:
        for index, block in enumerate(self._blocks):
            getattr(self, f"_read_{block.kind}")(index, block)
        return self._found.chosen()

    def _skip(self, block: Block, why: str) -> None:
        self._found.skipped.append(Skipped(block.line, block.text.strip().split("\n")[0], why))

    def _read_heading(self, index: int, block: Block) -> None:
        if not block.section:
            text = clean(block.text)
            first = not self._found.openings and not self._found.titles
            if first and _LETTERS.search(_unaddressed(text)):
                self._found.titles.append(text)
                self._take(block, block.text, goal=True)
            return
        following = self._blocks[index + 1] if index + 1 < len(self._blocks) else None
        if following is None or (following.kind == "heading" and following.depth <= block.depth):
            self._skip(block, "a heading without text")

    def _read_paragraph(self, index: int, block: Block) -> None:
        if lines.TEMPLATE.match(block.text):
            self._skip(block, "text of the template")
            return
        if block.section == "skip":
            self._skip(block, "how it is today, or where")
            self._found.elsewhere += self._opening(block.text)
            return
        parts = labelled_parts(block)
        if len(parts) > 1:
            for part in parts:
                self._read_paragraph(index, part)
            return
        if is_scenario(block.text):
            self._take_scenarios(block)
            return
        if block.section in (*_PROSE, "context"):
            self._take_prose(block, self._without_lead(index, block))
            return
        self._found.elsewhere += self._opening(block.text)
        if index in self._beside_items:
            self._take_prose(block, self._without_lead(index, block))
            return
        for sentence in self._without_lead(index, block):
            if not sentence.endswith((":", "\uff1a", "?")) and not _SMALL_TALK.match(sentence):
                self._take_listed(block, self._with_label(index, sentence))

    def _with_label(self, index: int, sentence: str) -> str:
        """A mere value after a label is a predicate together with it: "Expected: 404"."""
        above = self._blocks[index - 1] if index else None
        if above is None or above.depth != LABEL or len(sentence.split()) >= _FEWEST_WORDS:
            return sentence
        return f"{above.text}: {sentence}" if sentence.isascii() else sentence

    def _without_lead(self, index: int, block: Block) -> list[str]:
        """The sentences of a part, without one that says what it says in the code below it."""
        found = list(sentences_of(block.text))
        following = self._blocks[index + 1] if index + 1 < len(self._blocks) else None
        if following and following.kind == "code" and following.attached and len(found) > 0:
            self._found.openings += (
                self._opening_sentence(found[-1]) if not self._found.openings else []
            )
            why = "what it says is a block of code"
            self._found.skipped.append(Skipped(block.line, found.pop(), why))
        return found

    def _take_prose(self, block: Block, sentences: Sequence[str]) -> None:
        for sentence in sentences:
            named = len(self._found.criteria), len(self._found.constraints)
            first = not self._found.titles and not self._found.openings
            self._take(block, sentence)
            if named != (len(self._found.criteria), len(self._found.constraints)) or first:
                continue
            text = clean(sentence)
            if block.section in _PROSE and verb_of(text):
                self._found.open.append(Open("imperative", text, block.line))
            elif block.section == "wish" and self._opening_sentence(sentence):
                self._found.open.append(Open("wish", text, block.line))

    def _read_item(self, index: int, block: Block) -> None:
        if not index or self._blocks[index - 1].kind != "item":
            self._list += 1
        if _STRUCK.match(block.text):
            self._skip(block, "struck out")
            return
        section, text = block.section, block.text
        label = labelled(text.split("\n")[0])
        if label and section in _PROSE:
            section = section_of(label[0]) or section
            text = text.replace(text.split("\n")[0], label[1], 1)
        if section == "skip":
            self._skip(block, "how it is today, or where")
            return
        if is_scenario(text):
            self._take_scenarios(block)
            return
        if block.boxed and (_PERSONAL.match(text) or lines.TEMPLATE.match(text)):
            self._skip(block, "a box of the template")
            return
        if self._is_parent(index, block) and text.rstrip().endswith((":", "\uff1a")):
            return
        listed = section in ("criteria", "constraints", "scope", "candidates")
        if not listed and block.boxed:
            listed, section = True, "criteria"
        if listed:
            self._take_listed(block._replace(section=section), self._with_parents(index, text))
            return
        named = len(self._found.criteria), len(self._found.constraints)
        for sentence in sentences_of(text):
            self._take(block._replace(section=section), sentence, item=True)
        whole = clean(text)
        if not _LETTERS.search(whole):
            return
        self._found.items.append(whole)
        if len(self._found.criteria) > named[0]:
            self._found.lists_of_criteria.add(self._list)
        elif section in _PROSE and len(self._found.constraints) == named[1]:
            self._take_unnamed(block, whole)

    def _take_unnamed(self, block: Block, text: str) -> None:
        """Keep an item of a list without heading, which names nothing by itself."""
        if verb_of(text):
            self._found.open.append(Open("imperative", text, block.line, self._list))
        elif not FAULT.search(mask(text)) and not labelled(text) and not text.endswith("?"):
            self._found.open.append(Open("detail", text, block.line, self._list))

    def _read_row(self, _index: int, block: Block) -> None:
        if block.section in ("criteria", "constraints"):
            self._take_listed(block, block.text)
        else:
            self._skip(block, "a table")

    def _read_code(self, index: int, block: Block) -> None:
        for test in _FAILED.findall(block.text):
            self._found.criteria.append(Criterion(f"{test} passes", block.line, "binding"))
        self._found.errors += errors(block.text)
        before = self._blocks[index - 1] if index else None
        if block.attached and before is not None and before.kind == "item":
            text = clean(before.text)
            if self._found.criteria and self._found.criteria[-1] == Criterion(
                text, before.line, "listed"
            ):
                self._found.with_code.append((text, block.line))
                return
        self._skip(block, "code")

    def _take(self, block: Block, sentence: str, *, goal: bool = False, item: bool = False) -> None:
        """Take what a sentence of prose names."""
        if len(sentence) > _LONGEST_SENTENCE:
            why = f"a sentence of {len(sentence)} characters"
            self._found.skipped.append(Skipped(block.line, sentence, why))
            if not item and block.section in _PROSE and not goal:
                self._found.openings.append(clean(sentence))
            return
        if _SMALL_TALK.match(sentence):
            self._found.skipped.append(Skipped(block.line, sentence, "small talk"))
            return
        opening = not (goal or item or self._found.titles or self._found.openings)
        if not goal and not item:
            kept = self._found.openings if block.section in _PROSE else self._found.elsewhere
            if block.section == "wish":
                self._found.wishes += self._opening_sentence(sentence)
            kept += self._opening_sentence(sentence)
        for said in predicates.named(sentence, goal=goal or (opening and block.section in _PROSE)):
            if said.kind == "constraint":
                self._found.constraints.append(said.text)
            elif said.binding or block.section in _PROSE:
                tier = "binding" if said.binding else "said"
                self._found.criteria.append(Criterion(said.text, block.line, tier))

    def _take_listed(self, block: Block, text: str) -> None:
        told = clean(" ".join(text.split("\n")))
        if not _LETTERS.search(told) and not any(char.isdigit() for char in told):
            self._skip(block, "nothing said")
            return
        if block.section == "constraints":
            self._found.constraints.append(told)
        elif block.section == "scope":
            self._found.constraints.append(f"out of scope: {told}")
        elif block.section == "candidates":
            self._found.proposed.append(told)
        else:
            self._found.criteria.append(Criterion(told, block.line, "listed"))
            self._found.items.append(told)

    def _take_scenarios(self, block: Block) -> None:
        steps: list[str] = []
        for line in [*block.text.split("\n"), "Scenario:"]:
            step = STEP.match(line)
            begins = _SCENARIO.match(line) or (step and step.group(1).casefold() == "given")
            if begins and steps:
                self._found.criteria.append(Criterion(", ".join(steps), block.line, "listed"))
                self._found.items.append(", ".join(steps))
                steps = []
            if step:
                steps.append(clean(line))
            elif steps and line.strip() and not begins:
                steps[-1] += f" {clean(line)}"

    def _opening(self, text: str) -> list[str]:
        return [
            each for sentence in sentences_of(text) for each in self._opening_sentence(sentence)
        ][:1]

    def _opening_sentence(self, sentence: str) -> list[str]:
        if len(self._found.openings) > _MOST_OPENINGS:
            return []
        text = clean(sentence)
        if not _LETTERS.search(_unaddressed(text)) or _SMALL_TALK.match(text):
            return []
        if section_of(text):
            # The name of a section is nothing to do.
            return []
        return [text]

    def _is_parent(self, index: int, block: Block) -> bool:
        if index + 1 >= len(self._blocks):
            return False
        child = self._blocks[index + 1]
        return child.kind == "item" and child.depth > block.depth

    def _with_parents(self, index: int, text: str) -> str:
        """What an item says, after what it belongs to: "Login:" and "asks twice"."""
        depth = self._blocks[index].depth
        for before in reversed(self._blocks[max(0, index - 40) : index]):
            if before.kind != "item" or not depth:
                break
            if before.depth < depth:
                depth = before.depth
                if before.text.rstrip().endswith((":", "\uff1a")) and not labelled(before.text):
                    text = f"{before.text.rstrip()} {text}"
        return text


def _unaddressed(text: str) -> str:
    """A text without links, which say nothing before somebody follows them."""
    return _ADDRESS.sub("", text)
