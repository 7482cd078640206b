"""Candidate predicates: what would be true if a request were met that names no criterion.

They are derived from the request's own verbs and words, and nobody has said them, so they wait for
confirmation. Where the verb is not known the words stay as they are: a person decides what they
mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from plan07.request.sentences import clean, mask

# Those whose participle is regular; a final consonant that doubles is written twice.
_REGULAR = """
abort accept adapt add adjust adopt align allow annotate apply archive audit automate backport
batch block bump bundle cache capp change check clarify clean clear close collapse collect combine
compile compress compute configure consolidate convert copy correct cover create debounce declare
decouple deduplicate default define delay delete deprecate detect disable discard display document
download dropp eliminate emitt enable encrypt enforce escape exclude expand export expose extend
extract filter fix flatten format generalise generalize generate guard handle harden highlight
honor honour ignore implement import improve include increase initialize inline insert install
integrate introduce invalidate investigate isolate limit link lint list load localise localize
logg lower mark measure memoize merge migrate mirror modernise modernize move normalise normalize
notify omitt optimise optimize order parallelise parallelize parse pass patch persist pinn port
preserve prevent print promote propagate protect provide publish raise record redact redirect
reduce refactor refresh refuse register reject release reload remember remove rename render
reorder reorganise reorganize repair replace report resolve respect restore restrict retry return
reuse revert rotate sanitise sanitize save schedule secure separate serve share shorten silence
simplify skipp sort standardise standardize start stopp store stream stripp support suppress
switch sync tagg test throttle tighten track translate treat trimm tune type unify uninstall
unpinn update upgrade upload use validate vendor verify warn wire wrapp
"""
_IRREGULAR = """
bind:bound build:built cut:cut debug:debugged forbid:forbidden freeze:frozen hide:hidden read:read
rebuild:rebuilt reset:reset rewrite:rewritten send:sent set:set show:shown shrink:shrunk
split:split throw:thrown write:written
"""
# These begin a request as well, and have no participle that would do.
_OTHERS = frozenset(
    {"make", "let", "keep", "ensure", "give", "speed", "exit", "respond", "avoid"}
    | {"tell", "teach", "ask", "turn", "give", "run", "get", "backfill"}
)
_MENDING = frozenset(
    {"fix", "resolve", "repair", "prevent", "avoid", "stop", "investigate", "debug"}
)
FAULT = re.compile(
    r"\b(?:crash(?:es|ed|ing)?|fail(?:s|ed|ure|ures|ing)?|errors?|exceptions?|raise[sd]|throws"
    r"|hangs?|hanging|leak(?:s|ed|ing)?|broken|breaks|wrong(?:ly)?|incorrect(?:ly)?|stale|corrupt\w*"
    r"|deadlocks?|segfaults?|freezes|flak[ey]\w*|regression|slow(?:ly)?|missing|lost|loses"
    r"|duplicate[sd]?|ignored|ignores|cannot|can't|can not|unable|doesn't|don't|does not|do not"
    r"|isn't|is not|aren't|won't|not working|never|typos?|vulnerab\w+|bypass(?:es|ed)?|injection"
    r"|overflows?|panics?|times? out|timed out|no longer works?|denied|bugs?|problem|issue|lacks?"
    r"|lacking|vanish(?:es)?|disappears?|stuck|dies|jumps|skips|twice|red"
    r"|takes \d+|unexpected(?:ly)?|outdated|insecure|unreadable|confusing|twice"
    r"|un(?:documented|tested|handled|translated)|too (?:slow|long|large|big|many|small)"
    r"|(?:users?|you|we|people|one|customers) (?:have|has) to)\b|\b\w+Error\b",
    re.I,
)
_COMMIT = re.compile(r"[a-z]{2,12}(?:\([^()]{1,40}\))?!?:\s+")
_AREA = re.compile(r"(?!\w*(?:Error|Exception)\b)[\w./-]{2,30}:\s+(?=\w)")
_FIRST = re.compile(r"([A-Za-z]+)(?:\s+|\Z)(\S*)")
# After these words, what could be a verb is a noun: "Upload of empty files", "Export is slow".
_NOUN_BEFORE = frozenset(
    {"of", "for", "is", "are", "was", "were", "does", "do", "should", "must", "has", "have", "can"}
    | {"cannot", "could", "doesn't", "isn't", "takes", "will", "would", "needs", "shall", "and"}
)
_PARTICLE = re.compile(r"(up|down|out|off|back|away)\s+(?=\S)", re.I)
_CLAUSE = re.compile(r"(?:how|why|what|when|where|which|that|whether|who)\b", re.I)
_SINGULAR = frozenset({"bump", "pin", "unpin", "upgrade", "install", "uninstall", "vendor"})
_AND = re.compile(
    r"(?:\s*[,;]\s*(?:and\s+|then\s+)?|\s+and\s+|\s+then\s+)(?P<next>[A-Za-z]+(?:\s+\S+))"
)
_WHERE = re.compile(
    r"\s(?:to|from|for|on|with|when|if|by|into|via|as|at|instead|after|before|while|so|because"
    r"|that|which|where|whose|using|during|without|between|across|per|against|under|behind|through"
    r"|until|unless|upon|within|over|whenever|once|except)\s"
)
_STATE = re.compile(
    r"\s(?=(?:(?:more|less|fully|always|also|case)\s)?(?:\w+(?:able|ible)|case-\w+|optional|mandatory"
    r"|async|asynchronous|faster|slower|smaller|larger|stricter|safer|simpler|easier|clearer|lazy"
    r"|idempotent|deterministic|private|public|generic|thread-safe|consistent|explicit|required"
    r"|robust|responsive|parallel|immutable|persistent|visible|abstract|strict|safe|fast|portable"
    r"|available|\w+-(?:insensitive|sensitive|safe|aware|independent))\b)"
)
_DOES = re.compile(
    r"\s(?=(?:work|pass|behave|run|accept|return|print|exit|use|respect|support|handle|show|raise"
    r"|start|stop|fail|ignore|wait|retry|respond|honou?r|read|write|load|log|emit|reject|follow)\b)"
)
_CAN = re.compile(r"(?:allow|enable|permit)\s+(.+?)\s+to\s+(.+)\Z", re.I)
_RID = re.compile(r"get rid of\s+", re.I)
_LONGEST = 200
_ERROR = re.compile(
    r"^[ \t]*((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Fault|Exit))\b(:[^\n]*)?$",
    re.M,
)
_LONGEST_ERROR = 120


def _participles() -> dict[str, str]:
    found: dict[str, str] = {}
    for word in _REGULAR.split():
        verb = word[:-1] if word in _DOUBLED else word
        if word.endswith("e"):
            found[verb] = word + "d"
        elif word.endswith("y") and word[-2] not in "aeiou":
            found[verb] = word[:-1] + "ied"
        else:
            found[verb] = word + "ed"
    found.update((pair.split(":")[0], pair.split(":")[1]) for pair in _IRREGULAR.split())
    return found


_DOUBLED = frozenset(
    {"capp", "dropp", "emitt", "logg", "omitt", "pinn", "skipp", "stopp", "stripp", "tagg"}
    | {"trimm", "unpinn", "wrapp"}
)
_PARTICIPLES = _participles()


def verb_of(sentence: str) -> str:
    """Return the imperative that a sentence begins with, or nothing.

    >>> verb_of("fix(cli): Return 2 on a bad option"), verb_of("The CLI returns 2")
    ('return', '')
    """
    found = _FIRST.match(_bare(sentence))
    if found is None or _is_noun_before(found.group(2)):
        return ""
    word = found.group(1).casefold()
    return word if word in _PARTICIPLES or word in _OTHERS else ""


def _is_noun_before(word: str) -> bool:
    return word.casefold() in _NOUN_BEFORE or (word.endswith("s") and bool(FAULT.fullmatch(word)))


def _bare(sentence: str) -> str:
    """A sentence without the prefix of a commit message."""
    prefix = _COMMIT.match(sentence) or _AREA.match(sentence)
    return sentence[prefix.end() :] if prefix else sentence


def derived(sentence: str) -> list[str]:
    """Return what is true when a request is met, as far as its words tell.

    Args:
        sentence: a goal, cleaned.

    >>> derived("Make the session timeout configurable")
    ['the session timeout is configurable']
    >>> derived("Add a retry to the client and remove the old flags")
    ['a retry is added to the client', 'the old flags are removed']
    >>> derived("Crash when the file is empty"), derived("Refactor")
    (['this no longer happens: Crash when the file is empty'], [])
    """
    told = [clean(_predicate(part)) for part in _parts(_bare(sentence))]
    return [each for each in told if each]


def _parts(sentence: str) -> Iterable[str]:
    """Split at conjunctions that another imperative follows."""
    if not verb_of(sentence):
        return [sentence]
    shown = mask(sentence)
    cuts = [each for each in _AND.finditer(shown) if verb_of(each.group(1))]
    found: list[str] = []
    start = 0
    for cut in cuts:
        part = sentence[start : cut.start()]
        if " " not in part.strip():
            # "Add and remove users": both verbs share what they are about.
            return [sentence]
        found.append(part)
        start = cut.start(1)
    return [*found, sentence[start:]]


def _predicate(part: str) -> str:
    part = clean(part)
    verb = verb_of(part)
    about = part[len(verb) :].strip() if verb else part
    told = part
    if verb and not about:
        return ""
    if can := _can(part):
        told = can
    elif verb in _MENDING and not _CLAUSE.match(about) and _tells_fault(about):
        told = f"this no longer happens: {about}"
    elif gone := _RID.match(part):
        told = _passive(part[gone.end() :], "gone")
    elif verb == "make":
        told = _made(about) or part
    elif verb == "speed":
        told = _passive(about.removeprefix("up ").strip(), "faster than before")
    elif verb == "avoid":
        told = _passive(about, "avoided")
    elif verb in _PARTICIPLES:
        told = _passive(about, _PARTICIPLES[verb], "is" if verb in _SINGULAR else "")
    elif not verb and FAULT.search(mask(part)):
        told = f"this no longer happens: {part}"
    if len(told) > _LONGEST:
        told = _shorter(part)
    return "" if _is_one_word(told) else told


def _can(part: str) -> str:
    """Return what somebody can do, where he is to be allowed to."""
    can = _CAN.match(part)
    if can:
        return f"{can.group(1)} can {can.group(2)}"
    for size in range(1, 4):
        words = part.split(" ", size + 1)
        if words[0].casefold() == "let" and len(words) == size + 2 and verb_of(words[-1]):
            return f"{' '.join(words[1:-1])} can {words[-1]}"
    return ""


def _tells_fault(about: str) -> bool:
    return bool(FAULT.search(mask(about))) and len(about.split()) > 2


def _made(about: str) -> str:
    """Return what is to be made so as a sentence: "the timeout is configurable"."""
    shown = mask(about)
    state = _STATE.search(shown)
    does = _DOES.search(shown)
    if state and not (does and does.start() < state.start()):
        subject = about[: state.start()]
        return f"{subject} {_be(subject)} {about[state.end() :]}"
    if does:
        subject, verb = about[: does.start()], about[does.end() :]
        word, _, rest = verb.partition(" ")
        many = _be(subject) == "are"
        return f"{subject} {word if many else _third(word)} {rest}".strip()
    return ""


def _third(verb: str) -> str:
    if verb.endswith(("s", "x", "ch", "sh")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def _passive(about: str, participle: str, be: str = "") -> str:
    particle = _PARTICLE.match(about)
    if particle:
        about, participle = about[particle.end() :], f"{participle} {particle.group(1)}"
    if _CLAUSE.match(about):
        return f"{about} is {participle}"
    shown = mask(about)
    where = _WHERE.search(shown)
    end = where.start() if where else len(about)
    subject, rest = about[:end].rstrip(" ,"), about[end:].strip()
    return f"{subject} {be or _be(subject)} {participle} {rest}".strip()


def _be(subject: str) -> str:
    shown = mask(subject).casefold()
    head = re.split(r"\s(?:of|for|in)\s", shown)[0]
    words = re.findall(r"[^\W_]+", head)
    if " and " in head:
        return "are"
    last = words[-1] if words else ""
    singular = last.endswith(("ss", "us", "is", "as", "os", "ics")) or len(last) < 4
    return "are" if last.endswith("s") and not singular else "is"


def _shorter(part: str) -> str:
    """A part of a long sentence that is a sentence: up to a comma, or up to where and when."""
    shown = mask(part)
    ends = [each.start() for each in re.finditer(r"[,;:](?=\s)|\s[\u2013\u2014-]\s|\(", shown)]
    ends += [each.start() for each in _WHERE.finditer(shown)]
    fitting = [end for end in ends if 20 <= end <= _LONGEST]
    return clean(part[: max(fitting)]) if fitting else ""


def _is_one_word(text: str) -> bool:
    return text.isascii() and len(re.findall(r"\w+", text)) < 2


def errors(code: str) -> list[str]:
    r"""Return that the errors at the end of tracebacks are no longer raised.

    >>> errors("Traceback (most recent call last):\n  File 'a.py', line 1\nKeyError: 'x'")
    ["KeyError: 'x' is no longer raised"]
    """
    if "Traceback" not in code and "Exception in" not in code:
        return []
    found: list[str] = []
    for error in _ERROR.finditer(code):
        whole = clean(error.group())
        told = whole if len(whole) <= _LONGEST_ERROR else error.group(1)
        found.append(f"{told} is no longer raised")
    # A chain ends with the error that is seen.
    return found[-1:]
