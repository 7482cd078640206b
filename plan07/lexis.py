"""What a rule cannot read for itself: phrases, test names and places inside texts and names.

ASP has no strings to look into, so this module says what stands in them; what it means is for
the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+")
# Possessive, so that a long text costs no more than its length.
_TEST = re.compile(r"(?<![\w./+-])([\w./+-]++)((?:::[\w.+-]++(?:\[[^\]\n]*+\])?)*+)")
_PIECES = re.compile(r"::|[./:\\]+")
_IDS = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_KIND = re.compile(r"\.[A-Za-z0-9]+\Z")
_LONGEST = 6
_CODE_OR_NAME = re.compile(r"`([^`\n]{1,200})`|([\w.:/-]+)")
_IDENTIFIER = re.compile(r"[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*\Z")


def phrases(text: str, lexicon: frozenset[str]) -> list[str]:
    """Return the phrases of a lexicon in a text, the longest at each place.

    >>> phrases("Sig-change: consumer re-bind", frozenset({"sig change", "re bind", "bind"}))
    ['sig change', 're bind']
    """
    words = [word.casefold() for word in _WORD.findall(text)]
    starts = _first_words(lexicon)
    found: list[str] = []
    start = 0
    while start < len(words):
        if words[start] not in starts:
            start += 1
            continue
        for size in range(min(_LONGEST, len(words) - start), 0, -1):
            phrase = words[start] if size == 1 else " ".join(words[start : start + size])
            if phrase in lexicon:
                found.append(phrase)
                start += size
                break
        else:
            start += 1
    return found


@lru_cache(maxsize=8)
def _first_words(lexicon: frozenset[str]) -> frozenset[str]:
    return frozenset(phrase.partition(" ")[0] for phrase in lexicon)


def tests_named(text: str) -> list[str]:
    """Return the pytest node ids and test files that a text names.

    >>> tests_named("pytest -q tests/test_a.py::test_b tests/test_c.py")
    ['tests/test_a.py::test_b', 'tests/test_c.py']
    """
    if ".py" not in text:
        return []
    found = [file + inner for file, inner in _TEST.findall(text) if file.endswith(".py")]
    return [each for each in found if _is_test(each)]


def _is_test(name: str) -> bool:
    file = name.split("::")[0].rsplit("/", 1)[-1]
    return "::" in name or file.startswith("test") or file.endswith("_test.py")


def has_test(wanted: str, tests: Iterable[str]) -> bool:
    """Whether a list of tests holds a test, a part of it, or a test in that file."""
    return any(each == wanted or each.startswith((f"{wanted}::", f"{wanted}[")) for each in tests)


def names_test(target: str, test: str) -> bool:
    """Whether a target entity is a test, or the file, module or class that holds it.

    >>> names_test("tests.test_a", "tests/test_a.py::test_b")
    True
    >>> names_test("tests/test_a.py::test_c", "tests/test_a.py::test_b")
    False
    """
    file, _, rest = test.partition("::")
    module = _pieces(file.removesuffix(".py"))
    inner = _pieces(rest.split("[")[0])
    wanted = _pieces(target.replace(".py", "", 1))
    for start in range(len(module)):
        tail = module[start:]
        if wanted[: len(tail)] == tail:
            said = wanted[len(tail) :]
            return said == inner[: len(said)] or inner == said[: len(inner)]
    return False


def _pieces(name: str) -> list[str]:
    return [piece for piece in _PIECES.split(name) if piece]


def mentions(text: str, ids: frozenset[str]) -> list[str]:
    """Return the ids that a text names."""
    return [each for each in (token.rstrip(".") for token in _IDS.findall(text)) if each in ids]


def entities_named(text: str, known: frozenset[str]) -> list[str]:
    """Return the entities that a text names, in its order.

    A word is an entity if the evidence knows it, or knows just one that ends in it; a name that
    nobody knows counts where it is written as code: in backticks, or dotted with a capital.

    >>> entities_named("move `fetch` of auth.Session to store", frozenset({"auth.Session.fetch"}))
    ['auth.Session.fetch', 'auth.Session']
    """
    by_last: dict[str, list[str]] = {}
    for each in known:
        by_last.setdefault(_pieces(each)[-1] if _pieces(each) else each, []).append(each)
    found: dict[str, None] = {}
    for quoted, plain in _CODE_OR_NAME.findall(text):
        word = (quoted or plain).strip().removesuffix("()").rstrip(".:")
        fitting = [each for each in by_last.get((_pieces(word) or [""])[-1], ()) if _is(each, word)]
        if word in known:
            found[word] = None
        elif len(fitting) == 1 and (quoted or "." in word or "_" in word or _is_camel(word)):
            found[fitting[0]] = None
        elif _IDENTIFIER.match(word) and (quoted or _is_dotted_class(word)):
            found[word] = None
    return list(found)


def _is(entity: str, ending: str) -> bool:
    return entity == ending or (
        entity.endswith(ending) and entity[-len(ending) - 1 : -len(ending)] in (".", ":", "/")
    )


def _is_camel(word: str) -> bool:
    return word[:1].isupper() and any(char.isupper() for char in word[1:])


def _is_dotted_class(word: str) -> bool:
    return "." in word and any(piece[:1].isupper() for piece in word.split(".")[-2:])


def establishes(criterion: str, validation: str, cause: str) -> bool:
    """Whether an obligation establishes a criterion, by its own words.

    >>> establishes("tests/test_a.py::test_b passes", "tests/test_a.py::test_b", "")
    True
    """
    proof = validation.strip()
    return criterion in cause or bool(proof and (proof in criterion or criterion in proof))


def outer(name: str) -> Sequence[str]:
    """Return the names that a dotted or path-like name lies in, the innermost first.

    >>> outer("auth.Session.load")
    ['auth.Session', 'auth']
    """
    return [name[: each.start()] for each in reversed(list(_PIECES.finditer(name))) if each.start()]


def places(name: str) -> list[str]:
    """Return where something lies: directories, its file, the kind of file, or outer names.

    >>> places("docs/guide/start.md")
    ['docs/', 'docs/guide/', 'docs/guide/start.md', '*.md']
    >>> places("tests/test_a.py::test_b"), places("auth.Session.load")
    (['tests/', 'tests/test_a.py', '*.py'], ['auth', 'auth.Session', 'auth.Session.load'])
    >>> places("README.md")  # or a name of two parts
    ['README', 'README.md', '*.md']

    Args:
        name: of an entity, or a path.
    """
    path = name.split("::")[0].removeprefix("./")
    kind = _KIND.search(path)
    kinds = [f"*{kind.group()}"] if kind else []
    if "/" not in path:
        return [*reversed(outer(name)), name, *(kinds if path.count(".") == 1 else ())]
    directories = [path[: each.end()] for each in re.finditer("/", path)]
    return [*directories, *(() if path.endswith("/") else (path,)), *kinds]


def file_of(name: str, kind: str | None) -> str | None:
    """Return the file or module that an entity lies in, as far as its name tells.

    A path names its file. Otherwise the module is what stands before the first class, or before
    the last piece; a name of one piece tells nothing.

    >>> file_of("click.types.Choice.convert", None), file_of("tests/test_a.py::test_b", None)
    ('click.types', 'tests/test_a.py')
    """
    path = re.match(r"([^:]*\.[A-Za-z0-9]+)::?", name)
    if path and "/" in path.group(1):
        return path.group(1)
    if "/" in name:
        return name
    if ":" in name:
        return name.split(":")[0] or None
    if kind in ("module", "package", "file"):
        return name
    pieces = name.split(".")
    for index, piece in enumerate(pieces):
        if piece.lstrip("_")[:1].isupper() and index:
            return ".".join(pieces[:index])
    return ".".join(pieces[:-1]) or None
