"""A change of a file as edits of single entities, of which any subset can be applied.

Two states of a file are laid side by side, piece by piece. What both have stays; what differs is an
edit, and the file is put together anew from the edits that are applied. With none of them it is the
old file, with all of them the new one, byte for byte but for comments and layout between, which
come first.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from difflib import SequenceMatcher
from typing import NamedTuple

from bench.replay.statements import Parsed, Piece, Statement


class Side(NamedTuple):
    """What an edit is about in one of the two states.

    Args:
        nodes: the statements; none where it is not there.
        line, end_line: where they stand.
        names: of an import, the names that the edit is about, as they are bound; None for all.
    """

    nodes: tuple[Statement, ...] = ()
    line: int = 0
    end_line: int = 0
    names: frozenset[str] | None = None


class Edit(NamedTuple):
    """The smallest change that is made in one go.

    Args:
        name: the entity within the file: `Context.invoke`, `from .core`, `Option.__doc__`.
        kind: def, class, head, var, import, doc, statement or file.
        action: added, deleted or modified.
        path: the file.
        old, new: what it is about before and after.
        owner: the class that it lies in, "" where it is none.
        shift: it goes to another place among its neighbours: 1 further down, -1 further up.
    """

    name: str
    kind: str
    action: str
    path: str
    old: Side
    new: Side
    owner: str = ""
    shift: int = 0


Applied = AbstractSet[int]
Render = Callable[[Applied], str]


class Layout(NamedTuple):
    """How a file looks, whatever is applied.

    Args:
        edits: their place is the number by which they are applied.
        parts: each gives its text.
    """

    edits: tuple[Edit, ...]
    parts: tuple[Render, ...]

    def text(self, applied: Applied) -> str:
        """Return the text of the file with some edits applied."""
        return "".join(part(applied) for part in self.parts)


def layout(path: str, old: Parsed, new: Parsed) -> Layout:
    """Lay two states of a file side by side.

    Args:
        path: of the file.
        old: the state before.
        new: the state after.
    """
    made = _Maker(path)
    parts = made.side_by_side(old.pieces, new.pieces, "")
    return Layout(tuple(made.edits), (*parts, _always(new.rest)))


class _Maker:
    def __init__(self, path: str) -> None:
        self.path = path
        self.edits: list[Edit] = []

    def side_by_side(self, old: Sequence[Piece], new: Sequence[Piece], owner: str) -> list[Render]:
        elsewhere = _moved(old, new)
        places: dict[str, int] = {}
        parts: list[Render] = []
        for one, other in _pairs(old, new):
            if one is not None and other is not None:
                parts += self._both(one, other, owner)
                continue
            piece = one or other
            assert piece is not None
            if piece.key in elsewhere:
                before, after = elsewhere[piece.key]
                if piece.key not in places:
                    places[piece.key] = self._edit(before, after, owner)
                    shift = 1 if one is not None else -1
                    self.edits[-1] = self.edits[-1]._replace(shift=shift)
                number = places[piece.key]
            else:
                number = self._edit(one, other, owner)
            parts.append(_either(number, _text(one), _text(other)))
        return parts

    def _both(self, one: Piece, other: Piece, owner: str) -> list[Render]:
        if one.body and other.body:
            inner = f"{owner}{one.key}."
            if one.meaning() == other.meaning():
                head = _always(other.text)
            else:
                head = _either(self._edit(one, other, owner, "head"), one.text, other.text)
            return [head, _filled(self.side_by_side(one.body, other.body, inner), other)]
        if _means_the_same(one, other):
            return [_always(other.whole())]
        if one.kind == other.kind == "import" and one.key.startswith("from "):
            return [self._names(one, other, owner)]
        return [_either(self._edit(one, other, owner), one.whole(), other.whole())]

    def _names(self, one: Piece, other: Piece, owner: str) -> Render:
        """An import statement that names other things: first what comes, then what goes."""
        before, after = _aliases(one), _aliases(other)
        gone = frozenset(before.keys() - after.keys())
        came = frozenset(name for name in after if before.get(name) != after[name])
        numbers: list[tuple[int, frozenset[str], frozenset[str]]] = []
        if came:
            numbers.append((self._import(one, other, owner, "added", came), came, frozenset()))
        if gone:
            numbers.append((self._import(one, other, owner, "deleted", gone), frozenset(), gone))
        if not numbers:
            return _either(self._edit(one, other, owner), one.text, other.text)
        node = one.nodes[0]
        assert isinstance(node, ast.ImportFrom)
        indent = " " * node.col_offset
        head = f"{indent}from {'.' * node.level}{node.module or ''} import "

        def render(applied: Applied) -> str:
            done = [each for each in numbers if each[0] in applied]
            if not done or len(done) == len(numbers):
                return other.text if done else one.text
            names = dict(before)
            for _, added, deleted in done:
                names.update({name: after[name] for name in added})
                for name in deleted:
                    del names[name]
            return f"{head}({', '.join(names.values())})\n" if names else f"{indent}pass\n"

        return render

    def _import(
        self, one: Piece, other: Piece, owner: str, action: str, names: AbstractSet[str]
    ) -> int:
        told = ", ".join(sorted(names))
        sides = [
            Side(each.nodes, each.line, each.end_line, frozenset(names) if holds else frozenset())
            for each, holds in ((one, action == "deleted"), (other, action == "added"))
        ]
        self.edits.append(
            Edit(
                f"{owner}{one.key} import {told}",
                "import",
                action,
                self.path,
                sides[0],
                sides[1],
                owner[:-1],
            )
        )
        return len(self.edits) - 1

    def _edit(self, one: Piece | None, other: Piece | None, owner: str, kind: str = "") -> int:
        piece = other or one
        assert piece is not None
        action = "added" if one is None else "deleted" if other is None else "modified"
        self.edits.append(
            Edit(
                owner + piece.key,
                kind or piece.kind,
                action,
                self.path,
                _side(one, kind),
                _side(other, kind),
                owner[:-1],
            )
        )
        return len(self.edits) - 1


def _side(piece: Piece | None, kind: str) -> Side:
    if piece is None:
        return Side()
    return Side(piece.nodes, piece.line, piece.head_end if kind == "head" else piece.end_line)


def _pairs(
    old: Sequence[Piece], new: Sequence[Piece]
) -> Iterator[tuple[Piece | None, Piece | None]]:
    keys, others = [each.key for each in old], [each.key for each in new]
    for tag, a, b, c, d in SequenceMatcher(None, keys, others, autojunk=False).get_opcodes():
        if tag == "equal":
            yield from zip(old[a:b], new[c:d], strict=True)
        elif tag == "replace" and _one_statement(old[a:b], new[c:d]):
            yield old[a], new[c]
        else:
            yield from ((each, None) for each in old[a:b])
            yield from ((None, each) for each in new[c:d])


def _one_statement(old: Sequence[Piece], new: Sequence[Piece]) -> bool:
    """Whether one statement that has no name took the place of another."""
    return len(old) == len(new) == 1 and old[0].kind == new[0].kind == "statement"


def _moved(old: Sequence[Piece], new: Sequence[Piece]) -> dict[str, tuple[Piece, Piece]]:
    """Return what stands at another place among its neighbours."""
    apart = [pair for pair in _pairs(old, new) if pair[0] is None or pair[1] is None]
    gone = {one.key: one for one, _ in apart if one is not None}
    came = {other.key: other for _, other in apart if other is not None}
    return {key: (gone[key], came[key]) for key in gone if key in came}


def _means_the_same(one: Piece, other: Piece) -> bool:
    return not one.body and not other.body and one.meaning() == other.meaning()


def _aliases(piece: Piece) -> dict[str, str]:
    """Return the names that an import binds, with how it says so."""
    found: dict[str, str] = {}
    for node in piece.nodes:
        if isinstance(node, ast.ImportFrom):
            for each in node.names:
                told = each.name if each.asname is None else f"{each.name} as {each.asname}"
                found[each.asname or each.name] = told
    return found


def _text(piece: Piece | None) -> str:
    return "" if piece is None else piece.whole()


def _always(text: str) -> Render:
    return lambda applied: text


def _either(number: int, old: str, new: str) -> Render:
    return lambda applied: new if number in applied else old


def _filled(parts: Sequence[Render], piece: Piece) -> Render:
    """A body that is never empty."""
    indent = " " * piece.body[0].nodes[0].col_offset

    def render(applied: Applied) -> str:
        text = "".join(part(applied) for part in parts)
        bare = all(not line.strip() or line.lstrip().startswith("#") for line in text.splitlines())
        return f"{text}{indent}pass\n" if bare else text

    return render
