"""What a sentence of prose says must not change or be exceeded.

Some sentences are constraints as a whole: "The public API must not change", "Keep the old flag",
"It must still work on Python 3.9". In others a clause is one: "without breaking callers", "but keep
the alias", "within 500 MB"; the rest of the sentence is then read without it.
"""

from __future__ import annotations

import re

from plan07.request import phrases
from plan07.request.candidates import FAULT, verb_of
from plan07.request.demands import MODAL, Said, Sentence, fitting, is_remark
from plan07.request.sentences import clean

_CHANGES = (
    r"(?:break|chang|alter|modif|remov|drop|requir|add|introduc|touch|depend|renam|exceed|increas"
    r"|slow|regress|affect|bump|degrad|grow|los|rewrit|mov|delet|bloat|rely|pull|rais\w+ the|weaken"
    r"|disabl|reformat|interrupt|disrupt)\w*"
)
_MUST_NOT_CHANGE = re.compile(
    r"\b(?:must|may|shall|can|should|do|does|need|has to|have to)(?:\s*not|n't|\s+never)\s+"
    rf"(?:be\s+)?(?:(?:any|also|ever|silently)\s+)?{_CHANGES}",
    re.I,
)
_MUST_NOT = re.compile(
    rf"\b(?:must(?:\s+not|n't|\s+never)|may not|shall not)\b|{'|'.join(phrases.FORBIDDEN)}",
    re.I,
)
# What must not happen is a behaviour, and so a criterion, where it can be seen to happen.
_MUST_NOT_FAIL = re.compile(
    r"(?:must|may|shall)(?:\s+not|n't|\s+never)\s+(?:be\s+)?(?:crash|fail|rais|throw|hang|panic"
    r"|segfault|leak|deadlock|freez|error|time out|return|print|show|display|log|emit|block|lost"
    r"|start|send|list|accept|allow|run|happen|appear|contain|include)",
    re.I,
)
_FORBIDS = re.compile(
    rf"(?:(?:but|and|also)\s+)?(?:(?:do not|don't|never)\s+\w|avoid\s+{_CHANGES}|no\s+(?:breaking"
    r"|new|additional|further|changes?|behaviou?r|regressions?|downtime|api|schema)\b)",
    re.I,
)
_KEEPS = re.compile(
    r"(?:(?:but|and|also)\s+)?(?:keep|preserve|retain|maintain|leave)\b(?!-)(?!\s+\w+ing\b)", re.I
)
_LASTS = re.compile(
    r"\bbackwards?[- ]compatib\w+|\b(?:no|any) (?:\w+ )?breaking changes?\b|\bnon-breaking\b"
    r"|\b(?:must|should|shall|has to|have to|needs? to) (?:still|continue|keep|remain|stay)\b"
    r"|\b(?:stays?|remains?) (?:unchanged|the same|stable|intact|compatible|valid|working|available"
    r"|public|private|below|under|within|as (?:it is|they are|is))\b"
    r"|\b(?:existing|current|all other)\b[^.;]{0,60}\b(?:must|should)\b[^.;]{0,20}"
    rf"\b(?:pass|work|stay|remain)\b|{'|'.join(phrases.LASTING)}",
    re.I,
)
_NUMBER = r"v?\d+(?:\.\d+)*"
_PRODUCT = (
    r"(?:[A-Z][\w.]{0,30}|python|node|npm|java|go|rust|ruby|php|perl|gcc|clang|glibc|openssl"
    r"|postgres\w{0,4}|mysql|sqlite|redis|django|flask|pip|numpy|pandas)"
)
_VERSION = re.compile(
    rf"\b{_PRODUCT}\s*(?:>=|≥|<=|≤|~=)\s*{_NUMBER}|\b{_PRODUCT}\s+{_NUMBER}(?:\+"
    r"|\s+(?:or|and) (?:newer|later|above|higher|up|older)\b)"
    rf"|\b(?:on|with|for|from) {_PRODUCT} {_NUMBER}"
    rf"\s*(?:-|\u2013|to|through|and|or)\s*{_NUMBER}"
)
_SUPPORTS = re.compile(
    r"\b(?:support\w*|compatib\w+|works?|runs?|minimum|at least|require[sd]?|target\w*|must|should"
    r"|stay\w*|still|pass\w*)\b",
    re.I,
)
_UNIT = (
    r"(?:ms|milliseconds?|µs|us|s|secs?|seconds?|minutes?|mins?|h|hours?|[KMG]i?B|bytes|%|percent"
    r"|quer(?:y|ies)|requests|round[- ]trips|req/s|rps|qps|allocations|x)(?![\w/])"
)
# A sign of comparison stands between spaces as well as after a name.
BOUND = re.compile(
    r"(?:\b|(?<!\w))(?:(?:in|within|using|with|to|by|takes?|stays?|taking|staying)\s+)?(?:within|under|below"
    r"|at most|no more than|not more than|less than|fewer than|at least|up to|a maximum of"
    rf"|max(?:imum)?|<=?|≤|>=?|≥)\s*~?\d[\d.,_]*\s*{_UNIT}",
    re.I,
)
# With these a bound is what the request is about.
IMPROVING = frozenset(
    {"reduce", "speed", "lower", "cut", "shrink", "improve", "optimize", "optimise", "limit", "cap"}
    | {"decrease", "shorten", "make", "return", "respond", "handle", "increase", "raise"}
)
_CURRENT = re.compile(
    r"\b(?:was|were|is|are|takes|took|currently|now|today|used to|since|got|had|has|have)\b", re.I
)
_LIMITING = re.compile(
    rf"(?:[,;(]\s*|\s)(?:(?:and|but|while|whilst)\s+)*(?P<clause>(?P<without>without\s+(?:any\s+)?"
    rf"(?:{_CHANGES}|\w+ing\b|new\b|downtime\b|an?\s+new\b|additional\b|extra\b)"
    rf"|{'|'.join(phrases.WITHOUT)})"
    r"|(?P<keep>(?:keep|preserv|retain|maintain|leav)(?:e|ing)?\b(?!-)(?!\s+\w+ing\b))"
    r"|(?P<forbid>(?:must|may|should|shall)(?:\s+not|n't|\s+never)\s+(?:be\s+)?"
    rf"{_CHANGES}|(?:do not|don't|never)\s+{_CHANGES})"
    rf"|(?P<bound>{BOUND.pattern}))",
    re.I,
)
_CHANGING = re.compile(
    rf"without\s+(?:any\s+)?(?:{_CHANGES}|new|downtime|an?\s+new|additional|extra)", re.I
)
_WITHOUT = re.compile("|".join(phrases.WITHOUT), re.I)
_STOP = re.compile(
    r"[;)]|,?\s+(?:so that|such that)\b|,\s+(?:and|but|so|then|because|which)\b"
    r"|,?\s+(?:and|but|then)\s+(?=(?:without|within|keep|under|at most)\b)|\s+[\u2013\u2014-]\s"
    r"|,?\s+(?:and|then)\s+(?P<next>[A-Za-z]+\s+\S+)"
)


def whole(sentence: Sentence) -> list[Said]:
    """Return a sentence that is a constraint from end to end, or nothing.

    A goal constrains nothing: "Keep connections open" is what is to be done.
    """
    text, shown, verb, faulty, goal = sentence
    if is_remark(shown):
        return []
    modal = MODAL.search(shown)
    forbids = _FORBIDS.match(shown) or (
        _MUST_NOT.search(shown) if not _MUST_NOT_FAIL.search(shown) else None
    )
    forbids = forbids or _MUST_NOT_CHANGE.search(shown)
    if forbids and not _limits_after_demand(shown, forbids.start()):
        return _constraint(text, forbids.start())
    lasts = _LASTS.search(shown)
    if lasts and not (goal and verb) and not FAULT.search(shown.replace("breaking", "")):
        return _constraint(text, lasts.start())
    if goal:
        return []
    version = _VERSION.search(shown)
    if _KEEPS.match(shown):
        return _constraint(text, 0)
    if version and _SUPPORTS.search(shown) and (modal or not faulty) and "so that" not in shown:
        return _constraint(text, version.start())
    if verb or modal or faulty:
        return []
    bound = BOUND.search(shown) if not _CURRENT.search(shown) else None
    limit = bound or _CHANGING.search(shown) or _WITHOUT.match(shown)
    return _constraint(text, limit.start()) if limit else []


def _limits_after_demand(shown: str, place: int) -> bool:
    """Whether something else is demanded before: "must use X and must not change Y"."""
    before = MODAL.search(shown, 0, place)
    return (
        before is not None
        and re.search(r"[,;]|\b(?:and|but)\b", shown[before.end() : place]) is not None
    )


def _constraint(text: str, place: int) -> list[Said]:
    return [Said("constraint", fitting(text, place), binding=True)]


def clauses(sentence: Sentence) -> tuple[str, list[Said]]:
    """Return a sentence without its limiting clauses, and these.

    >>> text = "Sort the list without changing the API, and add a test"
    >>> rest, found = clauses(Sentence(text, text, "sort", False, True))
    >>> rest, [each.text for each in found]
    ('Sort the list, and add a test', ['without changing the API'])
    """
    text, shown = sentence.text, sentence.shown
    found: list[Said] = []
    kept: list[str] = []
    last = 0
    for limit in _LIMITING.finditer(shown):
        if limit.start() < last or not _applies(sentence, limit):
            continue
        end = _end_of_clause(shown, limit.end())
        clause = clean(text[limit.start("clause") : end].strip(" ,"))
        found.append(Said("constraint", fitting(clause, 0), binding=True))
        kept.append(text[last : limit.start()].rstrip(" ,("))
        last = end
    if not found:
        return text, []
    tail = text[last:].lstrip(")")
    return clean("".join([*kept, tail])), found


def _applies(sentence: Sentence, limit: re.Match[str]) -> bool:
    shown, verb = sentence.shown, sentence.verb
    demanded = bool(verb or MODAL.search(shown, 0, limit.start()))
    if limit.group("without"):
        if _CURRENT.search(shown, 0, limit.start()) and not MODAL.search(shown):
            return False
        changes = _CHANGING.match(shown, limit.start("without"))
        return demanded or bool(changes and not sentence.faulty)
    if limit.group("bound"):
        return bool(verb) and verb not in IMPROVING and not MODAL.search(shown)
    return demanded


def _end_of_clause(shown: str, start: int) -> int:
    for stop in _STOP.finditer(shown, start):
        following = stop.group("next")
        if following is None or verb_of(following):
            return stop.start()
    return len(shown)
