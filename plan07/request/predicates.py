"""The predicates that a sentence of prose names in so many words.

A criterion says what becomes true: "should", "must", "so that", "no longer raises", "given, when,
then", a test that passes, a command that succeeds. Sentences that tell how it is today name none.
"""

from __future__ import annotations

import re

from plan07.lexis import tests_named
from plan07.request import constraints
from plan07.request.candidates import FAULT, verb_of
from plan07.request.constraints import BOUND, IMPROVING
from plan07.request.demands import MODAL, MUST, PAST, STORY, Said, Sentence, fitting, is_remark
from plan07.request.sentences import clean, mask

_WE = re.compile(r"\s*(?:I|we)\b", re.I)
_EXPECT = re.compile(r"\b(?:I|we)(?:'d| would|'m| am)? expect(?:ed|ing)?\b", re.I)
_NOW = re.compile(r",?\s+but\s|,?\s+instead\b", re.I)
_SO_THAT = re.compile(r"\b(?:so that|such that|so as that|in a way that)\s+(.+)", re.I)
# Why somebody asks, not what shall be.
_SO_WE = re.compile(r"(?:we|i|you|one|it's easier|it is easier|future)\b", re.I)
_ENSURE = re.compile(
    r"(?:(?:and|also|to)\s+)?\b(?:ensure|make sure|verify|check|confirm|assert|guarantee|prove)\s+"
    r"(?P<that>that\s+)?(?!(?:to|you|we|if|whether|it out)\b)(?P<what>.+)",
    re.I,
)
_ENSURE_LATER = re.compile(
    r"(?:[,;]|\band|\bto)\s+(?:ensure|make sure|verify|guarantee)\s+(?P<that>that\s+)(?P<what>.+)",
    re.I,
)
_AND_THAT = re.compile(r",?\s+and\s+that\s+", re.I)
_DONE_WHEN = re.compile(
    r"(?:\b(?:it|this|that|we|task|work|issue|feature|fix)(?:'s|'re| is| are| counts as)?\s+)?"
    r"\b(?:done|complete|completed|finished|resolved|fixed) (?:when|once|if|as soon as) (.+)",
    re.I,
)
_GIVEN_WHEN_THEN = tuple(re.compile(rf"\b{word}\b", re.I) for word in ("given", "when", "then"))
_NO_LONGER = re.compile(
    r"\bno longer (?:be )?(?:rais|crash|fail|hang|throw|leak|panic|segfault|warn|error|block|time"
    r"|break|lose|freez|deadlock|flake|flicker|emit|spam|duplicate|ignore|corrupt|swallow)\w*",
    re.I,
)
_LEAVES_OFF = re.compile(r"(?:(?:and|also)\s+)?no longer\s+", re.I)
# What is said to come out is code, a quotation, a number, an error or a constant.
_SHOWS = re.compile(
    r"\b(?:return|print|raise|exit|respond|output|emit|log|show|display|reject|redirect|fail"
    r"|answer)(?:s|es|ing)?\b(?:\s+\S+){0,6}?\s+(?:an?\s+|the\s+|with\s+(?:code\s+|status\s+)?"
    r"|a\s+non-zero)?(?=\0|\d|[A-Z]\w*(?:Error|Exception|Warning)\b|None\b|True\b|False\b|HTTP"
    r"|non-?zero|null\b|zero\b|\w+\(\))",
    re.I,
)
_SPEAKS = frozenset(
    {"return", "print", "raise", "exit", "respond", "emit", "log", "show", "display", "reject"}
    | {"redirect", "fail", "throw"}
)
_PASSES = re.compile(
    r"\b(?:pass(?:es|ed|ing)?|succeeds?|green|runs?|works?|ok|fail(?:s|ed|ing)?|red)\b", re.I
)
_SUCCEEDS = re.compile(
    r"\b(?:pass(?:es)?|succeeds?|is green|exits? (?:with )?(?:0|zero)|works?|prints?|reports?"
    r"|shows?)\b",
    re.I,
)
_FAILS = re.compile(r"\b(?:fail(?:s|ed|ing)?|red|broken|errors?|crash(?:es)?)\b", re.I)
_RUNS = re.compile(r"\b(?:runs?|verify|check|via|with|using|by|validate|test)\W*\Z", re.I)
_SPAN = re.compile(r"(`+)(?!`)((?:(?!\1).)+?)\1(?!`)")
# Commands whose success is a check.
_COMMAND = re.compile(
    r"(?:\$\s+)?(?:[A-Z_]+=\S+\s+)*"
    r"(?:(?:python[\d.]*|uv run|poetry run|hatch run|pdm run)\s+(?:-m\s+)?)?"
    r"(?:pytest|tox|nox|unittest|mypy|pyright|ruff|flake8|pylint|black|ctest|eslint|tsc|rspec"
    r"|phpunit|make\s+\w+|npm\s+(?:test|t|run\s+\S+)|yarn\s+\S+|pnpm\s+\S+|npx\s+\S+"
    r"|cargo\s+(?:test|check|clippy|build|fmt)|go\s+(?:test|vet|build)|mvn\s+\S+"
    r"|(?:\./)?gradlew?\s+\S+|bazel\s+(?:test|build)|dotnet\s+(?:test|build)"
    r"|pre-commit\s+run|bundle exec\s+\S+|docker\s+build)(?=\s|\Z)"
)
_STRICTLY_SUCCEEDS = re.compile(r"\s+(?:passes|succeeds|exits (?:with )?(?:0|zero))\b", re.I)


def named(text: str, *, goal: bool = False) -> list[Said]:
    """Return what a sentence names.

    Args:
        text: as it stands in the request.
        goal: it is the request's own goal, which it does not constrain.

    >>> [each.text for each in named("Rename it so that tests/test_a.py::test_b passes.")]
    ['tests/test_a.py::test_b passes']
    >>> named("Sort the list without changing the API")
    [Said(kind='constraint', text='without changing the API', binding=True)]
    >>> named("It fails without printing anything")
    []
    """
    sentence = _sentence(text, goal=goal)
    if not sentence.text or sentence.text.endswith(("?", "\uff1f", "\u061f")):
        return []
    found = constraints.whole(sentence)
    if not found:
        rest, limits = constraints.clauses(sentence)
        found = [*_criteria(rest, mask(rest), sentence.verb), *limits]
    criteria = [each.text for each in found if each.kind == "criterion"]
    for test in tests_named(sentence.text):
        told = any(test in each for each in criteria)
        if not told and ("::" in test or _PASSES.search(sentence.shown)):
            found.append(Said("criterion", f"{test} passes", binding=True))
    if not criteria:
        found += _commands(sentence.text, sentence.shown)
    return found


def unlimited(text: str) -> str:
    """Return a sentence without its limiting clauses.

    >>> unlimited("Sort the list, but keep the API")
    'Sort the list'
    """
    return constraints.clauses(_sentence(text, goal=True))[0]


def _sentence(text: str, *, goal: bool) -> Sentence:
    cleaned = clean(text)
    shown = mask(cleaned)
    return Sentence(cleaned, shown, verb_of(cleaned), bool(FAULT.search(shown)), goal)


def _criteria(text: str, shown: str, verb: str) -> list[Said]:
    if _is_scenario(shown):
        return [Said("criterion", text, binding=True)]
    done = _DONE_WHEN.search(shown)
    if done:
        return _told(text[done.start(1) :], binding=True)
    so_that = _SO_THAT.search(shown)
    if so_that and (PAST.search(shown, 0, so_that.start()) or _SO_WE.match(so_that.group(1))):
        so_that = None
    if so_that and not STORY.match(shown):
        return _told(text[so_that.start(1) :], binding=True)
    if is_remark(shown):
        return []
    ensured = _ENSURE.match(shown) or _ENSURE_LATER.search(shown)
    if ensured and len(ensured.group("what").split()) > 2:
        # Without "that" it may be a noun: "ensure idempotency of POST".
        if not ensured.group("that"):
            return _told(text[ensured.start() :], binding=False)
        return _each_that(text, shown, ensured.start("what"))
    modal = MODAL.search(shown)
    if modal and not STORY.match(shown):
        binding = bool(MUST.search(shown)) and not _WE.match(shown)
        return [Said("criterion", fitting(text, modal.start()), binding=binding)]
    if expects := _EXPECT.search(shown):
        now = _NOW.search(shown, expects.end())
        return _told(text[: now.start()] if now else text, binding=False)
    if no_longer := _NO_LONGER.search(shown):
        return [Said("criterion", fitting(text, no_longer.start()), binding=False)]
    leaves_off = _LEAVES_OFF.match(shown)
    if leaves_off and verb_of(text[leaves_off.end() :]):
        return _told(text, binding=False)
    bound = BOUND.search(shown)
    if bound and verb in IMPROVING:
        return [Said("criterion", fitting(text, bound.start()), binding=False)]
    shows = _SHOWS.search(shown)
    if shows and verb and (verb in _SPEAKS or not FAULT.search(shown[: shows.start()])):
        return [Said("criterion", fitting(text, shows.start()), binding=False)]
    return []


def _each_that(text: str, shown: str, start: int) -> list[Said]:
    """The clauses of "that this holds, and that this does"."""
    found: list[Said] = []
    for cut in _AND_THAT.finditer(shown, start):
        found += _told(text[start : cut.start()], binding=False)
        start = cut.end()
    return [*found, *_told(text[start:], binding=False)]


def _is_scenario(shown: str) -> bool:
    """Whether "given", "when" and "then" follow each other."""
    place = 0
    for word in _GIVEN_WHEN_THEN:
        found = word.search(shown, place)
        if found is None:
            return False
        place = found.end()
    return True


def _told(clause: str, *, binding: bool) -> list[Said]:
    text = clean(clause)
    return [Said("criterion", fitting(text, 0), binding=binding)] if text else []


def _commands(text: str, shown: str) -> list[Said]:
    """Commands in code style that are said to succeed, or to fail today, or shall be run."""
    found: list[Said] = []
    for span in _SPAN.finditer(text):
        after = shown[span.end() : span.end() + 60]
        if _STRICTLY_SUCCEEDS.match(after):
            return [Said("criterion", fitting(text, span.start()), binding=True)]
        if not _COMMAND.match(span.group(2).strip()):
            continue
        if _SUCCEEDS.search(after) and not _FAILS.search(after):
            return [Said("criterion", fitting(text, span.start()), binding=True)]
        before = shown[max(0, span.start() - 20) : span.start()]
        if _FAILS.search(after) or _RUNS.search(before):
            found.append(Said("criterion", f"{span.group()} succeeds", binding=False))
    return found
