"""Inheritance: bases, overrides, the order of C3, super, metaclasses, descriptors."""

from __future__ import annotations

from pathlib import Path

import pytest
from evidencerepo import built


def test_bases_and_overrides(tmp_path: Path) -> None:
    text = """
        import json
        class A:
            limit = 1
            def f(self): ...
            def g(self): ...
            def __init__(self): ...
        class B(A):
            limit = 2
            def f(self): ...
            def __init__(self): super().__init__()
        class C(B):
            def f(self): ...
            def g(self): ...
        class D(json.JSONEncoder, A):
            def f(self): ...
            def default(self, o): ...
    """
    found = built(tmp_path, {"m.py": text})
    assert found.edges("inherits") == {
        ("m.B", "m.A"),
        ("m.C", "m.B"),
        ("m.D", "m.A"),
        ("m.D", "json.JSONEncoder"),
    }
    # What D.f overrides is not known: JSONEncoder stands before A and may have it.
    assert found.edges("overrides") == {
        ("m.B.limit", "m.A.limit"),
        ("m.B.f", "m.A.f"),
        ("m.B.__init__", "m.A.__init__"),
        ("m.C.f", "m.B.f"),
        ("m.C.g", "m.A.g"),
    }
    assert found.uses("m.B.__init__") == {
        "calls m.A.__init__ typed",
        "overrides m.A.__init__ exact",
    }


DIAMOND = """
    class Root:
        def f(self): ...
    class Left(Root):
        pass
    class Right(Root):
        def f(self): ...
    class Both(Left, Right):
        def g(self):
            self.f()
            super().f()
"""


def test_the_order_of_a_diamond(tmp_path: Path) -> None:
    """Depth first would find Root.f; C3 asks Right before Root."""
    found = built(tmp_path, {"m.py": DIAMOND})
    assert found.uses("m.Both.g") == {"calls m.Right.f typed"}


@pytest.mark.parametrize(
    "text",
    [
        "class A(B):\n    def f(self): self.f()\nclass B(A):\n    def f(self): ...\n",
        "class A(A): ...\n",
        "class X: ...\nclass Y(X): ...\nclass Z(X, Y): ...\n",
    ],
    ids=["a ring", "itself", "no order fits"],
)
def test_classes_that_python_would_refuse(text: str, tmp_path: Path) -> None:
    assert built(tmp_path, {"m.py": text}).report.failed == []


def test_super_in_a_class_method(tmp_path: Path) -> None:
    text = """
        class A:
            @classmethod
            def make(cls): return cls()
        class B(A):
            @classmethod
            def make(cls):
                return super().make()
            def own(self): ...
        def use():
            B.make().own()
    """
    found = built(tmp_path, {"m.py": text})
    assert found.uses("m.B.make") == {"calls m.A.make typed", "overrides m.A.make exact"}
    assert found.uses("m.use") == {
        "references m.B exact",
        "calls m.B.make exact",
        "calls m.B.own typed",
    }


def test_a_metaclass(tmp_path: Path) -> None:
    text = """
        class Meta(type):
            def register(cls): ...
        class A(metaclass=Meta): ...
        def use():
            A.register()
    """
    found = built(tmp_path, {"m.py": text})
    assert found.uses("m.use") == {"references m.A exact", "calls m.Meta.register exact"}


def test_a_descriptor(tmp_path: Path) -> None:
    text = """
        class Value:
            def go(self): ...
        class Field:
            def __get__(self, instance, owner) -> Value: ...
        class A:
            field = Field()
        def use(a: A):
            a.field.go()
    """
    found = built(tmp_path, {"m.py": text})
    assert found.uses("m.use") == {
        "uses_type m.A exact",
        "references m.A.field typed",
        "calls m.Value.go typed",
    }


def test_a_field_that_is_set_up_anew(tmp_path: Path) -> None:
    """What runs first decides, of the class nearest to the object; a condition decides nothing."""
    text = """
        class A:
            def go(self): ...
        class B:
            def go(self): ...
        class Field:
            def __get__(self, instance, owner) -> A: ...
        class TestBase:
            x = A()
            def test_base(self): self.x.go()
        class TestAnew(TestBase):
            def setup_method(self): self.x = B()
            def test_anew(self): self.x.go()
        class TestLater(TestAnew):
            def test_later(self): self.x.go()
            def test_class(self): TestAnew.x.go()
        class TestMaybe(TestBase):
            def setUp(self):
                if self.x: self.x = B()
            def test_maybe(self): self.x.go()
        class TestSame:
            x = A()
            def __init__(self): self.x = B()
            def test_same(self): self.x.go()
        class TestField:
            x = Field()
            def __init__(self): self.x = B()
            def test_field(self): self.x.go()
        class TestNoted:
            x: A = A()
            def __init__(self): self.x = B()
            def test_noted(self): self.x.go()
    """
    found = built(tmp_path, {"test_m.py": text})
    calls = {f"{one} {other}".replace("test_m.", "") for one, other in found.edges("calls")}
    assert calls == {
        "TestBase.test_base A.go",
        "TestAnew.test_anew B.go",
        "TestLater.test_later B.go",
        "TestLater.test_class A.go",
        "TestMaybe.test_maybe A.go",
        "TestSame.test_same B.go",
        "TestField.test_field A.go",
        "TestNoted.test_noted A.go",
    }


def test_type_arguments_that_are_no_types(tmp_path: Path) -> None:
    """Nothing at all, in `Tuple[()]`, and texts, wherever a value is subscripted."""
    text = """
        from typing import Callable, Dict, Generic, List, Optional, Tuple, TypeVar
        T = TypeVar("T")
        class A:
            def go(self): ...
        class Box(Generic[T]):
            def get(self) -> T: ...
        Key = Dict[str, Tuple[()]]
        Of = Box["A"]
        plain = Tuple[()]
        made = Callable[[Tuple[()]], List[Tuple[()]]]
        class Mine(Dict[Tuple[()], Optional[()]]): ...
        def use(a: Key, b: Tuple[()], c: Optional[()], d: Mine, e: Callable[[], A]):
            Of().get().go()
            e().go()
    """
    found = built(tmp_path, {"m.py": text})
    assert found.report.failed == []
    assert ("m.use", "m.A.go") in found.edges("calls")


def test_what_an_outside_base_may_have_is_not_guessed(tmp_path: Path) -> None:
    text = """
        import threading
        class A(threading.Thread):
            def go(self):
                self.start()
                self.stop()
            def stop(self): ...
    """
    found = built(tmp_path, {"m.py": text})
    assert found.edges("calls") == {("m.A.go", "m.A.stop")}
    assert found.rows("SELECT * FROM unresolved") == []


def test_type_arguments_of_a_base(tmp_path: Path) -> None:
    text = """
        from typing import Generic, TypeVar
        T = TypeVar("T")
        class Item:
            def go(self): ...
        class Store(Generic[T]):
            def first(self) -> T: ...
        class Items(Store[Item]): ...
        def use(items: Items, store: Store[Item]):
            items.first().go()
            store.first()
    """
    found = built(tmp_path, {"m.py": text})
    assert "calls m.Item.go typed" in found.uses("m.use")


def test_decorators(tmp_path: Path) -> None:
    text = """
        import functools, click
        def mark(name): return lambda f: f
        def plain(f): return f
        class Registry:
            def add(self, f): return f
        registry = Registry()
        @plain
        @mark("x")
        @registry.add
        @functools.cache
        @click.command()
        def f(): ...
        @plain
        class A: ...
    """
    found = built(tmp_path, {"m.py": text})
    assert found.resolved("decorates") == {
        ("m.f", "m.plain", "exact"),
        ("m.f", "m.mark", "exact"),
        ("m.f", "m.Registry.add", "typed"),
        ("m.f", "click.command", "exact"),
        ("m.A", "m.plain", "exact"),
    }


def test_what_a_decorator_hands_to_a_function(tmp_path: Path) -> None:
    text = """
        from typing import Callable, Concatenate, ParamSpec, TypeVar
        P = ParamSpec("P")
        R = TypeVar("R")
        class Context:
            def invoke(self): ...
        class Other:
            def invoke(self): ...
        def pass_context(f: Callable[Concatenate[Context, P], R]) -> Callable[P, R]: ...
        def pass_both(f: Callable[[Context, Other], R]) -> R: ...
        def named(name: str) -> Callable[[Callable], Callable]: ...
        @named("x")
        @pass_context
        def first(ctx, other):
            ctx.invoke()
            other.invoke()
        @pass_both
        def second(ctx, other):
            other.invoke()
        @pass_context
        def third(ctx: Other):
            ctx.invoke()
        class Holder:
            @pass_both
            def method(self, other):
                other.invoke()
    """
    found = built(tmp_path, {"m.py": text})
    assert found.resolved("calls") == {
        ("m.first", "m.named", "exact"),
        ("m.first", "m.Context.invoke", "typed"),
        ("m.second", "m.Other.invoke", "typed"),
        ("m.third", "m.Other.invoke", "typed"),
        ("m.Holder.method", "m.Other.invoke", "typed"),
    }


def test_sites_of_calls(tmp_path: Path) -> None:
    text = """
        class A:
            def f(self, a, b=1, *, c=2): ...
        def use(args, kw):
            x = A()
            x.f(1)
            x.f(1, 2, c=3)
            A.f(x, 1)
            x.f(*args, **kw)
    """
    found = built(tmp_path, {"m.py": text})
    assert found.attributes("m.use", "calls", "m.A.f") == {
        "sites": [
            {"line": 5, "positional": 1},
            {"line": 6, "positional": 2, "keywords": ["c"]},
            {"line": 7, "positional": 1},
            {"line": 8, "positional": 0, "star": True, "stars": True},
        ]
    }
    (row,) = found.rows("SELECT count, line, resolution FROM edges WHERE kind='calls'")
    assert row == (4, 7, "exact")


def test_guesses_are_told_apart(tmp_path: Path) -> None:
    """A name that one method has makes a heuristic edge, and the call stays open."""
    text = """
        class A:
            def distinctive(self): ...
            def append(self, x): ...
            def twice(self): ...
        class B:
            def twice(self): ...
        def use(x):
            x.distinctive()
            x.append(1)
            x.twice()
            x.unheard_of()
    """
    found = built(tmp_path, {"m.py": text})
    assert found.uses("m.use") == {"calls m.A.distinctive heuristic"}
    names = dict(found.rows("SELECT id, fqn FROM nodes"))
    rows = [
        (name, [names[each] for each in __import__("json").loads(candidates)])
        for name, candidates in found.rows("SELECT name, candidates FROM unresolved ORDER BY line")
    ]
    assert rows == [
        ("distinctive", ["m.A.distinctive"]),
        ("append", ["m.A.append"]),
        ("twice", ["m.A.twice", "m.B.twice"]),
    ]
    assert found.report.counts["calls unresolved"] == 4
