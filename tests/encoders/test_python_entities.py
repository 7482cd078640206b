"""The entities of Python files: kinds, signatures, parameters, flags, hashes, nesting."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from evidencerepo import build, built, write

KINDS = """
    from enum import Enum
    from typing import NewType, Protocol, TypeAlias

    LIMIT = 3
    name: str = "a"
    Pair: TypeAlias = tuple[int, int]

    class Plain:
        field = 1
        def __init__(self):
            self.assigned = 2
            self.assigned = 3
        def method(self): ...
        @property
        def shown(self): ...
        @shown.setter
        def shown(self, value): ...
        class Inner:
            def deep(self): ...

    class Colour(Enum):
        RED = 1
        def paint(self): ...

    class Shape(Protocol):
        def area(self) -> int: ...

    def function():
        def inner(): ...

    for turn in range(3):
        pass
"""


def test_the_kind_of_each_entity(tmp_path: Path) -> None:
    found = built(tmp_path, {"pkg/__init__.py": "", "pkg/m.py": KINDS, "space/n.py": ""})
    assert found.kinds() == {
        "pkg": "package",
        "space": "package",
        "space.n": "module",
        "pkg.m": "module",
        "pkg.m.LIMIT": "constant",
        "pkg.m.name": "variable",
        "pkg.m.Pair": "type_alias",
        "pkg.m.Plain": "class",
        "pkg.m.Plain.field": "field",
        "pkg.m.Plain.__init__": "method",
        "pkg.m.Plain.assigned": "field",
        "pkg.m.Plain.method": "method",
        "pkg.m.Plain.shown": "property",
        "pkg.m.Plain.Inner": "class",
        "pkg.m.Plain.Inner.deep": "method",
        "pkg.m.Colour": "enum",
        "pkg.m.Colour.RED": "enum_member",
        "pkg.m.Colour.paint": "method",
        "pkg.m.Shape": "interface",
        "pkg.m.Shape.area": "method",
        "pkg.m.function": "function",
        "pkg.m.function.inner": "function",
        "pkg.m.turn": "variable",
    }


def test_containment_is_an_edge_and_a_parent(tmp_path: Path) -> None:
    found = built(tmp_path, {"pkg/__init__.py": "", "pkg/m.py": "class A:\n    def f(self): ..."})
    nested = {("pkg", "pkg.m"), ("pkg.m", "pkg.m.A"), ("pkg.m.A", "pkg.m.A.f")}
    assert found.edges("contains") == nested
    parents = found.rows("SELECT p.fqn, n.fqn FROM nodes n JOIN nodes p ON p.id=n.parent_id")
    assert set(parents) == nested


def test_a_signature(tmp_path: Path) -> None:
    text = 'def f(a, /, b: int = 1, *args: str, c, d="x", **rest) -> "list[int]": ...\n'
    node = built(tmp_path, {"m.py": text}).node("m.f")
    assert node["signature"] == ("(a, /, b: int = 1, *args: str, c, d='x', **rest) -> 'list[int]'")
    assert node["returns"] == "'list[int]'"
    assert json.loads(node["params"]) == [
        {"name": "a", "kind": "positional_only", "type": None, "default": None},
        {"name": "b", "kind": "positional_or_keyword", "type": "int", "default": "1"},
        {"name": "args", "kind": "var_positional", "type": "str", "default": None},
        {"name": "c", "kind": "keyword_only", "type": None, "default": None},
        {"name": "d", "kind": "keyword_only", "type": None, "default": "'x'"},
        {"name": "rest", "kind": "var_keyword", "type": None, "default": None},
    ]


@pytest.mark.parametrize(
    ("text", "name", "flags"),
    [
        ("async def f(): ...", "f", "async"),
        ("class A:\n    @staticmethod\n    def f(): ...", "A.f", "static"),
        ("class A:\n    @classmethod\n    def f(cls): ...", "A.f", "classmethod"),
        (
            "class A:\n    @property\n    @abc.abstractmethod\n    def f(self): ...",
            "A.f",
            "property,abstract",
        ),
        ("import pytest\n@pytest.fixture()\ndef f(): ...", "f", "fixture"),
        ("__all__ = ['f']\ndef f(): ...", "f", "exported"),
        ("__all__ = ['g']\n__all__ += ['f']\ndef f(): ...", "f", "exported"),
        ("__all__ = ['g']\ndef f(): ...", "f", ""),
    ],
    ids=lambda each: each.replace("\n", " ")[:40],
)
def test_flags(text: str, name: str, flags: str, tmp_path: Path) -> None:
    assert built(tmp_path, {"m.py": text}).node(f"m.{name}")["flags"] == flags


BEFORE = "def f(a: int, b=1):\n    x = [1, 2]\n    return x\n"
CHANGES = {
    "comments": (
        "def f(a: int, b=1):\n    # why\n    x = [1, 2]  # what\n    return x\n",
        "same",
        "same",
    ),
    "layout": (
        "def f(\n    a: int,\n    b = 1,\n):\n    x = [\n        1,\n        2,\n    ]\n\n"
        "    return x\n",
        "same",
        "same",
    ),
    "a docstring": (
        'def f(a: int, b=1):\n    """What."""\n    x = [1, 2]\n    return x\n',
        "same",
        "same",
    ),
    "the place": (f"import os\n\n\n{BEFORE}", "same", "same"),
    "the body": ("def f(a: int, b=1):\n    x = [1, 3]\n    return x\n", "same", "new"),
    "a default": ("def f(a: int, b=2):\n    x = [1, 2]\n    return x\n", "new", "same"),
    "a type": ("def f(a: str, b=1):\n    x = [1, 2]\n    return x\n", "new", "same"),
    "a name": ("def f(c: int, b=1):\n    x = [1, 2]\n    return x\n", "new", "same"),
    "async": ("async def f(a: int, b=1):\n    x = [1, 2]\n    return x\n", "new", "same"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_hashes_change_when_code_does(case: str, tmp_path: Path) -> None:
    text, signature, body = CHANGES[case]
    before = built(tmp_path, {"m.py": BEFORE}).node("m.f")
    write(tmp_path / "repo", {"m.py": text})
    after = build(tmp_path / "repo").node("m.f")
    assert (before["sig_hash"] == after["sig_hash"]) is (signature == "same")
    assert (before["body_hash"] == after["body_hash"]) is (body == "same")


def test_overloads_are_one_entity(tmp_path: Path) -> None:
    text = """
        from typing import overload
        @overload
        def f(a: int) -> int: ...
        @overload
        def f(a: str) -> str: ...
        def f(a): return a
    """
    found = built(tmp_path, {"m.py": text})
    assert found.rows("SELECT signature, line, end_line FROM nodes WHERE fqn='m.f'") == [
        ("(a)", 2, 6)
    ]


def test_definitions_in_branches_are_one_entity_and_both_bodies_count(tmp_path: Path) -> None:
    text = """
        import sys
        def a(): ...
        def b(): ...
        if sys.platform == "win32":
            def f(): a()
        else:
            def f(): b()
    """
    found = built(tmp_path, {"m.py": text})
    assert found.uses("m.f") == {"calls m.a exact", "calls m.b exact"}


def test_a_field_that_a_base_class_has_is_no_second_one(tmp_path: Path) -> None:
    text = """
        class A:
            def __init__(self): self.x = 1
        class B(A):
            def set(self): self.x = 2
        class C(B):
            def get(self): return self.x
    """
    found = built(tmp_path, {"m.py": text})
    assert [name for name in found.kinds() if name.endswith(".x")] == ["m.A.x"]
    assert found.edges("writes") == {("m.B.set", "m.A.x"), ("m.A.__init__", "m.A.x")}
    assert found.edges("references") == {("m.C.get", "m.A.x")}


def test_lines_include_decorators(tmp_path: Path) -> None:
    text = "import functools\n\n@functools.cache\ndef f():\n    return 1\n"
    node = built(tmp_path, {"m.py": text}).node("m.f")
    assert (node["line"], node["end_line"]) == (3, 5)
