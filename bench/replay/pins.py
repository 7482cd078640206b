"""What is edited in two places alike: behaviour that a test pins, keys that both sides spell."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet

from bench.replay.edits import Edit

_WORD = re.compile(r"\w\w+")


def pins(edits: list[Edit], tests: AbstractSet[int]) -> Iterator[tuple[int, int]]:
    """Yield (edit, test) where a modified test and a modified source lose or gain the same words.

    Names that the change adds or deletes do not count: they are ordered by who defines them. A test
    that has as much in common with several edits is not told of any.

    Args:
        edits: of the change.
        tests: which of them lie in test files.
    """
    named = {
        word for each in edits if each.action != "modified" for word in _WORD.findall(each.name)
    }
    told = {
        number: _told(each, named)
        for number, each in enumerate(edits)
        if each.action == "modified" and each.kind in ("def", "var")
    }
    for test in sorted(tests & told.keys()):
        score: dict[int, int] = {}
        for number, (lost, gained) in told.items():
            if number not in tests:
                alike = len(lost & told[test][0]) + len(gained & told[test][1])
                if alike:
                    score[number] = alike
        best = [each for each in score if score[each] == max(score.values())]
        if len(best) == 1:
            yield best[0], test


def renamed_keys(edits: list[Edit]) -> Iterator[tuple[int, int]]:
    """Yield (edit, other) where both spell one key before and the same other key after.

    Args:
        edits: of the change.
    """
    told: list[tuple[set[str], set[str]]] = []
    for each in edits:
        old, new = _keys(each.old.nodes), _keys(each.new.nodes)
        told.append((old - new, new - old))
    for number, (lost, gained) in enumerate(told):
        for other in range(number):
            if lost & told[other][0] and gained & told[other][1]:
                yield other, number


def _keys(nodes: Iterable[ast.AST]) -> set[str]:
    return {
        node.value
        for top in nodes
        for node in ast.walk(top)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and _KEY.fullmatch(node.value)
    }


# A key is spelt without blanks and is more than a letter or two.
_KEY = re.compile(r"[\w.:/-]{3,}")


def _told(edit: Edit, named: AbstractSet[str]) -> tuple[set[str], set[str]]:
    """Return the words that an edit takes away, and those that it brings."""
    old, new = _words(edit.old.nodes), _words(edit.new.nodes)
    return set(old - new) - named, set(new - old) - named


def _words(nodes: Iterable[ast.AST]) -> Counter[str]:
    found: Counter[str] = Counter()
    for top in nodes:
        for node in ast.walk(top):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                found.subtract(_WORD.findall(str(node.value.value)))
            elif isinstance(node, ast.Name):
                found[node.id] += 1
            elif isinstance(node, ast.Attribute):
                found[node.attr] += 1
            elif isinstance(node, ast.keyword | ast.arg):
                found[node.arg or ""] += 1
            elif isinstance(node, ast.Constant):
                found.update(_WORD.findall(str(node.value)))
    del found[""]
    return Counter({word: n for word, n in found.items() if n > 0 and _WORD.fullmatch(word)})
