"""Sentences of a request: where they end, and what of them is framing.

Quotations, code spans, links and paths are never looked into: every function works on a *mask*, the
same text with those parts blanked out, and cuts the original at the places that it finds there.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache

from plan07.request import phrases

# A NUL is refused before anything is read, so that it can stand for what is not looked into.
HIDDEN = "\0"
# Nothing longer than this can become a goal or a predicate, so only its spaces matter.
_LONGEST = 4000

_QUOTATION = re.compile(
    r'(?<![\w"])"[^"\n]*"(?!\w)'
    "|\N{LEFT DOUBLE QUOTATION MARK}[^\N{LEFT DOUBLE QUOTATION MARK}"
    "\N{RIGHT DOUBLE QUOTATION MARK}]*\N{RIGHT DOUBLE QUOTATION MARK}"
    "|\N{DOUBLE LOW-9 QUOTATION MARK}[^\N{DOUBLE LOW-9 QUOTATION MARK}"
    "\N{LEFT DOUBLE QUOTATION MARK}]*\N{LEFT DOUBLE QUOTATION MARK}"
    "|\N{LEFT SINGLE QUOTATION MARK}[^\N{LEFT SINGLE QUOTATION MARK}"
    "\N{RIGHT SINGLE QUOTATION MARK}]*\N{RIGHT SINGLE QUOTATION MARK}(?!\\w)"
    "|\u00ab[^\u00ab\u00bb]*\u00bb|\u300c[^\u300c\u300d]*\u300d|\u300e[^\u300e\u300f]*\u300f"
    r"|(?<![\w'])'[^'\n]*'(?![\w'])"
    r"|\bhttps?://[^\s<>]*[^\s<>.,;:!?)\]}'\"]"
)
_TICKS = re.compile(r"`+")
_SPACES = re.compile(r"\s+")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\(([^()\s]*)\)")
_BOLD = re.compile(r"\*\*(?=\S)([^*\n]*[^*\s])\*\*")
_TAG = re.compile(r"</?(?:b|i|em|strong|u|p|br|sub|sup|kbd|details|summary|div|span|img)\b[^<>]*>")
_END = re.compile(r"[.!?\u2026\u061f]+(?=\s|\Z)|[\u3002\uff01\uff1f]+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|resp|incl|no|nr|fig|sec|ver|mr|mrs|dr|bzw|ca|z\.B|d\.h"
    r"|u\.a|p\.ej|ex|st|eq)|\A[A-Za-z0-9]{1,2})\Z",
    re.I,
)
_MARKER = re.compile(
    r"(?:\s+|[-*+\u2022\u2023\u25e6\u25aa\u00b7\u2013\u2014](?=\s)|\(?\d{1,3}[.)](?=\s)"
    r"|\d{1,3}\u3001|\[[ xX]\](?=\s)|#{1,6}(?=\s)|>+(?=\s)|[,;:!.\u2026\u3002\uff0c\uff01\u3001"
    r"\u061b\u060c]+(?=\s|[\u3040-\u9fff]|\Z)"
    r"|[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\u200d]+(?=\s))+"
)
_TRAIL = re.compile(r"[\s.,;:!\u2026\u3002\uff0c\uff01\uff1b\uff1a\u3001\u061b\u060c]")
_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*")
_TAGGED = re.compile(
    r"\s*(?:\[(?:bug|feature|feature request|enhancement|request|rfc|docs?|question|task|epic"
    r"|regression|perf|security|proposal|help)\]\s*:?|(?:title|subject|bug|bug report|feature"
    r"|feature request|enhancement|request|task|proposal|issue|re|fwd?|aw)\s*:(?=\s))\s*",
    re.I,
)
_PLEASE = re.compile(r"(?<![\w./-])(?:please|kindly|bitte)(?![\w/=-]|\.\w)[ \t]*,?", re.I)
_BESIDE = re.compile(r"(?:\b(?:to|will|would|not|never|the|a|an|this|of|or|say|says))\s*\Z", re.I)
_ASIDE = re.compile(r",\s*(?:as always|as usual|thanks|thank you|by the way|btw)\s*(?=,)", re.I)
_PLEA = re.compile(rf"{phrases.PLEA}(?![{phrases.PLEA_WITHIN}])")
# Framing before these belongs to the sentence: "thanks to", "hello world".
_KEPT_BEFORE = re.compile(r"\s*(?:to|world|page|screen|message|banner|note|email|for all)\b", re.I)
_KEPT_AFTER = re.compile(
    r"(?:\b(?:the|a|an|of|say|says|saying|with|or|and|our|no|behave|behaves|work|works|is|as|to)"
    r"|[-/_.@#])\s*\Z",
    re.I,
)
_ASKING = re.compile(r"\b(?:could|would|can|will|possible|mind|chance)\b", re.I)
_THANKS_FOR = re.compile(
    r"(?:many\s)?(?:thanks|thank\syou)(?:\sso\smuch|\sa\slot|\svery\smuch)?\sfor\b[^,.!;:]*[,.!;:]*\s*",
    re.I,
)
# At the end of a sentence, after a space, these belong to nothing.
_DASHES = "-\N{EN DASH}\N{EM DASH}#>*|"
# Longer than the longest framing.
_WIDEST = 40


def hidden_parts(text: str) -> list[tuple[int, int]]:
    """Return where code spans, quotations and links stand, as (start, end), in order."""
    found = _code_spans(text)
    starts = [start for start, _ in found]
    for quotation in _QUOTATION.finditer(text):
        start, end = quotation.span()
        place = bisect_right(starts, start) - 1
        within = place >= 0 and found[place][1] > start
        crosses = place + 1 < len(starts) and starts[place + 1] < end
        if not within and not (crosses and found[place + 1][1] > end):
            found.append((start, end))
    return sorted(found)


def _code_spans(text: str) -> list[tuple[int, int]]:
    """Spans as CommonMark has them: a run of backticks up to the next run as long."""
    runs = [run.span() for run in _TICKS.finditer(text)]
    later: dict[int, list[int]] = {}
    for index, (start, end) in enumerate(runs):
        later.setdefault(end - start, []).append(index)
    found: list[tuple[int, int]] = []
    index = 0
    while index < len(runs):
        start, end = runs[index]
        same = later[end - start]
        place = bisect_right(same, index)
        if place == len(same):
            index += 1
            continue
        index = same[place]
        found.append((start, runs[index][1]))
        index += 1
    return found


def mask(text: str) -> str:
    """Return a text of the same length in which code, quotations and links are blanked out."""
    pieces: list[str] = []
    last = 0
    for start, end in hidden_parts(text):
        if end > last:
            first = max(start, last)
            pieces += [text[last:first], HIDDEN * (end - first)]
            last = end
    return "".join([*pieces, text[last:]])


def split(text: str) -> Iterator[str]:
    """Yield the sentences of a text, with their marks; abbreviations and versions end none.

    >>> list(split("Fix `a. b`, e.g. on 3.11. It should work!"))
    ['Fix `a. b`, e.g. on 3.11.', 'It should work!']
    """
    shown = mask(text)
    start = 0
    for end in _END.finditer(shown):
        before = shown[max(start, end.start() - 8) : end.start()]
        if end.group() == "." and _ABBREVIATION.search(before):
            continue
        yield from _with_words(text[start : end.end()])
        start = end.end()
    yield from _with_words(text[start:])


def _with_words(text: str) -> Iterator[str]:
    if _WORD.search(text):
        yield text.strip()


@lru_cache(maxsize=1024)
def clean(text: str) -> str:
    r"""Return a sentence on one line, without list marks, markup, politeness and final stop.

    >>> clean(" please  Fix X, thanks ")
    'Fix X'
    >>> clean("- [ ] Be pleased with \"please\", `a  b` and **c**.")
    'Be pleased with "please", `a  b` and c'
    """
    if len(text) > _LONGEST:
        return _spaced(text)
    for _ in range(8):
        done = _cleaned(text)
        if done == text:
            break
        text = done
    return text


def _cleaned(text: str) -> str:
    text = _replaced(text, _TAG, "")
    text = _unlinked(text)
    text = _replaced(text, _BOLD, None)
    text = _spaced(text)
    text = _without_pleas(text)
    return _trimmed(text)


def _spaced(text: str) -> str:
    """One space for any, but for those within code and quotations, which stand on one line."""
    shown = mask(text)
    found = [each.span() for each in _SPACES.finditer(shown) if each.group() != " "]
    return _cut(text, [(start, end, " ") for start, end in found]).replace("\n", " ").strip()


def _replaced(text: str, pattern: re.Pattern[str], by: str | None) -> str:
    """Replace what a pattern finds outside of what is hidden; None stands for its group."""
    if "<" not in text and "*" not in text:
        return text
    cuts: list[tuple[int, int, str]] = []
    for each in pattern.finditer(mask(text)):
        if by is not None:
            cuts.append((*each.span(), by))
        else:
            cuts.append((*each.span(), text[each.start(1) : each.end(1)]))
    return _cut(text, cuts)


def _unlinked(text: str) -> str:
    """A link stands for its words, a picture for nothing."""
    if "](" not in text:
        return text
    spans = _code_spans(text)
    starts = [start for start, _ in spans]
    cuts: list[tuple[int, int, str]] = []
    for each in _LINK.finditer(text):
        place = bisect_right(starts, each.start()) - 1
        if place < 0 or spans[place][1] <= each.start():
            cuts.append((*each.span(), "" if each.group().startswith("!") else each.group(1)))
    return _cut(text, cuts)


def _without_pleas(text: str) -> str:
    shown = mask(text)
    cuts = [(each.start(), each.end(), "") for each in _ASIDE.finditer(shown)]
    for plea in _PLEASE.finditer(shown):
        if not _BESIDE.search(shown, max(0, plea.start() - 12), plea.start()):
            cuts.append((plea.start(), plea.end(), ""))
    return _spaced(_cut(text, sorted(cuts)))


def _trimmed(text: str) -> str:
    """Drop marks and framing at both edges, until there is none."""
    shown = mask(text)
    start = _first(shown)
    end = len(text)
    # Of a polite question, what is asked for is left.
    if shown.endswith("?") and _ASKING.search(shown, 0, start):
        end -= 1
    return text[start : _last(shown, start, end)].strip()


def _first(shown: str) -> int:
    start = 0
    before, _ = _framing()
    while start < len(shown):
        found = (
            _MARKER.match(shown, start)
            or _TAGGED.match(shown, start)
            or _THANKS_FOR.match(shown, start)
            or before.match(shown, start)
            or _PLEA.match(shown, start)
        )
        if found is None or found.end() == start:
            break
        if found.re is before and _KEPT_BEFORE.match(shown, found.end()):
            break
        start = found.end()
    return start


def _last(shown: str, start: int, end: int) -> int:
    _, after = _framing()
    while start < end:
        if _TRAIL.match(shown, end - 1) and not _abbreviated(shown, start, end):
            end -= 1
            continue
        if shown[end - 1] in _DASHES and shown[end - 2 : end - 1] == " ":
            end -= 1
            continue
        framing = after.search(shown, max(start, end - _WIDEST), end)
        if framing is None:
            break
        if _KEPT_AFTER.search(shown, max(start, framing.start() - 10), framing.start()):
            break
        end = framing.start()
    return end


def _abbreviated(shown: str, start: int, end: int) -> bool:
    return shown[end - 1] == "." and bool(
        re.search(r"\b(?:etc|e\.g|i\.e)\Z", shown[max(start, end - 6) : end - 1], re.I)
    )


@lru_cache(maxsize=1)
def _framing() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what frames a sentence: patterns for its beginning and for its end."""
    framing = _any((*phrases.FRAMING, *phrases.THANKS))
    greeting = _any(phrases.GREETINGS)
    thanks = _any((*phrases.THANKS, *phrases.AFTERTHOUGHTS))
    before = "|".join(map(re.escape, phrases.FRAMING_BEFORE))
    after = "|".join(map(re.escape, phrases.FRAMING_AFTER))
    mark = r"[,!.:;\uff0c\u060c\u3002\uff01\u3001]"
    return (
        re.compile(
            rf"(?:{framing}|{before})(?![\w'\u2019/=-]|\.\w)\s*{mark}*\s*"
            rf"|{greeting}(?:\s+(?!world\b)@?\w[\w-]*){{0,3}}\s*{mark}+\s*"
            rf"|{greeting}(?:\s+(?:all|team|everyone|everybody|folks|there|maintainers|zusammen))?\s*\Z"
            rf"|@\w[\w-]*(?:\s+@\w[\w-]*)*\s*,\s*"
            rf"|(?:{before})\s*{mark}*\s*",
            re.I,
        ),
        re.compile(rf"(?:(?<![\w./@#-]){thanks}|{after}|(?<=[,!.-] ){greeting})\Z", re.I),
    )


def _any(phrases: tuple[str, ...]) -> str:
    ordered = sorted(phrases, key=len, reverse=True)
    return "(?:" + "|".join(re.escape(each).replace(r"\ ", r"\s") for each in ordered) + ")"


def _cut(text: str, cuts: list[tuple[int, int, str]]) -> str:
    if not cuts:
        return text
    pieces: list[str] = []
    last = 0
    for start, end, by in cuts:
        if start >= last:
            pieces += [text[last:start], by]
            last = end
    return "".join([*pieces, text[last:]])


def words(text: str) -> list[str]:
    """Return the words of a text outside of code and quotations, folded."""
    return [each.casefold() for each in _WORD.findall(mask(text))]
