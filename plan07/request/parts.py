"""The parts of a request in their sections: which heading, label or scenario each belongs to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from plan07.request.candidates import verb_of
from plan07.request.lines import labelled, section_of
from plan07.request.sentences import split
from plan07.request.text import BOLD, LABEL, LABEL_LINE, Block

STEP = re.compile(r"\s*(?:\*\*)?(Given|When|Then|And|But)\b(?:\*\*)?\s", re.I)
_NEW_SENTENCE = re.compile(
    r"\s*(?:The|This|It|There|When|We|If|Currently|Given|Then|Scenario:|Feature:|In order|After"
    r"|Since|Right now|At the moment|Also|Please)\b"
)
_WIDE = "\u3040-\u30ff\u3400-\u9fff\uff00-\uffef"
# Scripts without spaces are joined without one.
_WIDE_BREAK = re.compile(f"(?<=[{_WIDE}])\n(?=[{_WIDE}])")


def sectioned(blocks: Sequence[Block]) -> list[Block]:
    """Give each block the section of the headings above it."""
    found: list[Block] = []
    above: list[tuple[int, str]] = []
    listed = False
    for block in blocks:
        if block.kind == "heading":
            while above and above[-1][0] >= block.depth:
                above.pop()
            known = section_of(block.text, begins=block.depth <= BOLD)
            inherited = above[-1][1] if above else "prose"
            above.append((block.depth, known or inherited))
            found.append(block._replace(section=known or ""))
            listed = False
            continue
        depth = above[-1][0] if above else 0
        if depth == LABEL_LINE and listed and block.kind == "paragraph":
            above.pop()
        found.append(block._replace(section=above[-1][1] if above else "prose"))
        if depth == LABEL and not block.text.endswith((":", "\uff1a")):
            above.pop()
        listed = listed or block.kind == "item"
    return found


def scenarios(blocks: Sequence[Block]) -> list[Block]:
    """Put the items of a scenario together."""
    found: list[Block] = []
    for block in blocks:
        last = found[-1] if found else None
        step = STEP.match(block.text) if block.kind == "item" and not block.boxed else None
        goes_on = step is not None and step.group(1).casefold() != "given"
        if goes_on and last and last.kind == "item" and STEP.match(last.text):
            found[-1] = last._replace(text=f"{last.text}\n{block.text}")
        else:
            found.append(block)
    return found


def sentences_of(text: str) -> Iterator[str]:
    """Yield the sentences of a part; lines that are sentences of their own end one too."""
    text = _WIDE_BREAK.sub("", text)
    whole: list[str] = []
    for line in text.split("\n"):
        ended = bool(whole) and whole[-1].rstrip()[-1:].isalnum()
        if ended and (_NEW_SENTENCE.match(line) or (len(whole[-1]) < 60 and verb_of(line))):
            yield from split(" ".join(whole))
            whole = []
        whole.append(line)
    yield from split(" ".join(whole))


def labelled_parts(block: Block) -> list[Block]:
    """Take a paragraph apart where labels stand within: "Expected: this. Actual: that."."""
    found: list[Block] = []
    section = block.section
    for sentence in sentences_of(block.text):
        label = labelled(sentence)
        if label and label[1]:
            section, text = section_of(label[0]) or section, label[1]
        else:
            text = sentence
        if found and not label:
            found[-1] = found[-1]._replace(text=f"{found[-1].text} {text}")
        else:
            found.append(block._replace(text=text, section=section))
    return found if any(each.section != block.section for each in found) else [block]


def beside_items(blocks: Sequence[Block]) -> frozenset[int]:
    """Return the places of blocks whose section holds a list or a table."""
    found: set[int] = set()
    group: list[int] = []
    for index, block in enumerate([*blocks, Block("heading", "", 0)]):
        if block.kind == "heading":
            if any(blocks[each].kind in ("item", "row") for each in group):
                found.update(group)
            group = []
        else:
            group.append(index)
    return frozenset(found)


def is_scenario(text: str) -> bool:
    steps = [step.group(1).casefold() for step in map(STEP.match, text.split("\n")) if step]
    return len(steps) > 1 and "then" in steps
