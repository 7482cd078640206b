"""The replay's edits: a change split into single entities, any subset of which can be applied."""

from __future__ import annotations

import ast
import subprocess
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replayed import NEW, OLD, change, clone

from bench.replay.calls import Shape, fit, shapes, signature
from bench.replay.commit import check_out
from bench.replay.edits import layout
from bench.replay.names import names
from bench.replay.pins import pins, renamed_keys
from bench.replay.statements import parse


def laid(old: str, new: str) -> tuple[list[str], object]:
    found = layout("a.py", parse(old), parse(new))
    return [f"{each.action} {each.kind} {each.name}" for each in found.edits], found


@pytest.mark.parametrize(
    ("old", "new", "edits"),
    [
        ("a = 1\n", "a = 2\n", ["modified var a"]),
        ("a = 1\n", "# why\na = 1\n", []),
        ("def f(): pass\n", "def g(): pass\n", ["deleted def f", "added def g"]),
        ("import os\n", "import os\nimport re\n", ["added import import re"]),
        (
            "from a import b, c\n",
            "from a import c, d\n",
            ["added import from a import d", "deleted import from a import b"],
        ),
        ("from a import b\n", "from a import (b)\n", []),
        ("class A:\n    x = 1\n", "class A(B):\n    x = 1\n", ["modified head A"]),
        (
            "class A:\n    def f(self): pass\n",
            "class A:\n    def g(self): pass\n",
            ["deleted def A.f", "added def A.g"],
        ),
        ('"""Old."""\n', '"""New."""\n', ["modified doc __doc__"]),
        ("if a:\n    b()\n", "if a:\n    c()\n", ["modified statement if a:"]),
        ("a = 1\nb = 2\n", "b = 2\na = 1\n", ["modified var b"]),
        ("", "a = 1\n", ["added var a"]),
        ("a = 1; b = 2\n", "a = 1; b = 3\n", ["modified statement a = 1"]),
    ],
)
def test_what_differs_is_an_edit(old: str, new: str, edits: list[str]) -> None:
    assert laid(old, new)[0] == edits


def test_what_moves_among_its_neighbours_says_which_way() -> None:
    found = layout("a.py", parse("a = 1\nb = 2\nc = 3\n"), parse("b = 2\nc = 3\na = 1\n"))
    assert [(each.name, each.shift) for each in found.edits] == [("a", 1)]
    assert found.text(frozenset()) == "a = 1\nb = 2\nc = 3\n"
    assert found.text(frozenset({0})) == "b = 2\nc = 3\na = 1\n"


STATEMENTS = [
    "import os\n",
    "import re\n",
    "from a import b, c\n",
    "from a import c, d\n",
    "# a comment\nX = 1\n",
    "X = 2\n",
    "@deco\ndef f(a):\n    return a\n",
    "def f(a, b):\n    return b\n",
    "class A(B):\n    '''A.'''\n\n    x = 1\n\n    def m(self):\n        pass\n",
    "class A:\n    y = 1\n\n    def n(self):\n        pass\n",
    "class C: pass\n",
    "if X:\n    Y = 1\nelse:\n    Y = 2\n",
    "\n\n",
]
texts = st.lists(st.sampled_from(STATEMENTS), max_size=8).map("".join)


@given(texts, texts)
def test_none_is_the_old_file_all_are_the_new_one_and_any_are_python(old: str, new: str) -> None:
    before, after = parse(old), parse(new)
    assert "".join(each.whole() for each in before.pieces) + before.rest == old
    found = layout("a.py", before, after)
    every = range(len(found.edits))
    assert found.text(frozenset(every)) == new
    assert ast.dump(ast.parse(found.text(frozenset()))) == ast.dump(ast.parse(old))
    for size in (1, 2):
        for applied in combinations(every, size):
            ast.parse(found.text(frozenset(applied)))


def test_what_is_new_or_gone_is_one_edit_and_what_is_no_python_comes_first(tmp_path: Path) -> None:
    found = change(tmp_path, {**OLD, "gone.py": "a = 1\n"}, {**NEW, "bad.py": "def (\n"})
    told = [(each.path, each.kind, each.action, each.name) for each in found.edits]
    assert told == [
        ("bad.py", "file", "added", ""),
        ("gone.py", "file", "deleted", ""),
        ("shop/bill.py", "def", "modified", "bill"),
        ("shop/price.py", "def", "deleted", "old_rate"),
        ("shop/price.py", "def", "added", "rate"),
        ("shop/price.py", "def", "modified", "total"),
        ("tests/test_shop.py", "import", "added", "from shop.price import rate"),
        ("tests/test_shop.py", "def", "modified", "test_total"),
        ("tests/test_shop.py", "def", "added", "test_rate"),
    ]
    assert found.others == ["README.md"]
    assert found.text("gone.py", frozenset()) == "a = 1\n"
    assert found.text("gone.py", frozenset({1})) is None
    assert found.digest(frozenset({0, 1})) != found.digest(frozenset({0}))


def test_names_that_a_module_binds_and_uses() -> None:
    text = (
        "from a import b as c\n"
        "__all__ = ['d']\n"
        "class K:\n"
        "    __slots__ = ('s',)\n"
        "    def m(self, p=e) -> 'F[g]':\n"
        "        local = p.q\n"
        "        self.w = [i for i in h if i is local]\n"
        "        global z\n"
        "        z = mock.patch('pkg.mod.thing')\n"
        "        return z\n"
    )
    found = names(ast.parse(text).body)
    assert found.binds == {"c", "__all__", "K"}
    assert found.uses == {"d", "e", "F", "g", "h", "z", "mock"}
    assert found.attributes == {"q", "patch"}
    assert (found.stores, found.slots, found.strings) == ({"w"}, {"s"}, {"pkg.mod.thing"})
    assert found.chains == {"mock.patch"}


@pytest.mark.parametrize(
    ("old", "new", "before", "after", "order"),
    [
        ("a", "a, b", "f(1)", "f(1, 2)", "split"),
        ("a", "a, b=0", "f(1)", "f(1, 2)", "def<dep"),
        ("a, b=0", "a", "f(1, 2)", "f(1)", "dep<def"),
        ("a", "a, b=0", "f(1)", "f(1)", None),
        ("a", "b", "f(a=1)", "f(b=1)", "split"),
        ("a", "b", "f(1)", "f(1)", None),
        ("a", "a, *, b", "f(1)", "f(1, b=2)", "split"),
        ("a", "a, *, b=0", "f(1)", "f(1, b=2)", "def<dep"),
        ("a, b", "*rest", "f(1, 2)", "f(1, 2, 3)", "def<dep"),
        ("a", "a, b", "f(*x)", "f(1, 2)", "def<dep"),
        ("a", "a, b", "g(1)", "f(1, 2)", "def<dep"),
        ("a, b", "a", "f(1, 2)", "g(1)", "dep<def"),
    ],
)
def test_in_which_order_a_definition_and_its_calls_can_change(
    old: str, new: str, before: str, after: str, order: str | None
) -> None:
    one, other = (
        signature(ast.parse(f"def f({each}): pass").body[0], method=False) for each in (old, new)
    )
    assert one is not None
    assert other is not None
    was, is_now = (shapes([ast.parse(each)]).get("f", {}) for each in (before, after))
    assert fit(one, other, was, is_now) == order


def test_a_method_is_called_without_its_object() -> None:
    node = ast.parse("def m(self, a): pass").body[0]
    found = signature(node, method=True)
    assert found is not None
    assert found.fits(Shape(1, frozenset(), False))
    assert not found.fits(Shape(2, frozenset(), False))
    assert signature(ast.parse("a = 1").body[0], method=False) is None


def test_what_a_test_and_a_source_lose_and_gain_alike_is_pinned() -> None:
    source = layout(
        "a.py",
        parse("def f():\n    return 'bad colour'\n\n\ndef g():\n    return 1\n"),
        parse("def f():\n    return 'bad color'\n\n\ndef g():\n    return 2\n"),
    )
    test = layout(
        "test_a.py",
        parse("def test_f():\n    assert f() == 'bad colour'\n"),
        parse("def test_f():\n    assert f() == 'bad color'\n"),
    )
    assert list(pins([*source.edits, *test.edits], {2})) == [(0, 2)]


def test_a_key_that_both_sides_spell_is_renamed_in_one_go() -> None:
    found = layout(
        "a.py",
        parse("D = {'old.key': 1}\n\n\ndef f():\n    return D['old.key']\n\n\nX = 'old.key'\n"),
        parse("D = {'new.key': 1}\n\n\ndef f():\n    return D['new.key']\n\n\nX = 'other'\n"),
    )
    assert list(renamed_keys(list(found.edits))) == [(0, 1)]


def test_a_clone_without_large_files_can_be_checked_out(tmp_path: Path) -> None:
    """What is no Python and is not there is left out."""
    record = clone(tmp_path)
    root = tmp_path / "example__shop"
    named = ["git", "-C", str(root), "rev-parse", "HEAD:README.md"]
    blob = subprocess.run(named, check=True, capture_output=True, text=True).stdout.strip()
    (root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    check_out(str(root), record["commit"], str(tmp_path / "new"))
    check_out(str(root), record["parent"], str(tmp_path / "old"))
    assert not (tmp_path / "new" / "README.md").exists()
    assert (tmp_path / "new" / "shop" / "price.py").read_text() == NEW["shop/price.py"]
    assert (tmp_path / "old" / "README.md").read_text() == "old\n"
