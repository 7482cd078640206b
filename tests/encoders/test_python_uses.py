"""What a function uses: each case is a repository and everything that `m.use` uses.

E-001: every edge carries its resolution; nothing is invented.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from evidencerepo import built

COMMON = """
    from __future__ import annotations
    import contextlib, copy, functools
    from dataclasses import dataclass
    from typing import Callable, Generic, Iterator, Optional, Self, TypeVar, overload

    T = TypeVar("T")

    class Base:
        limit = 10

        def __init__(self, name: str) -> None:
            self.name = name
            self.child = None

        def run(self) -> int:
            return 1

        def clone(self) -> Self:
            return copy.copy(self)

        @classmethod
        def make(cls):
            return cls("x")

        @staticmethod
        def helper(): ...

        @property
        def friend(self) -> Friend:
            return Friend()

    class Derived(Base):
        def run(self) -> int:
            return super().run()

        def own(self): ...

    class Friend:
        def greet(self): ...

        def __enter__(self) -> Friend:
            return self

        def __exit__(self, *args): ...

        def __getitem__(self, key: str) -> Base: ...

        def __iter__(self) -> Iterator[Base]: ...

        def __len__(self) -> int: ...

        def __contains__(self, key) -> bool: ...

        def __add__(self, other: Friend) -> Friend: ...

        def __call__(self) -> Base: ...

    def function() -> Base: ...

    def plain(): ...

    def decorator(f):
        @functools.wraps(f)
        def wrapper(*args): ...
        return wrapper

    class Command:
        def __init__(self, f): ...
        def attach(self, f): ...

    def command(name: str) -> Callable[[Callable], Command]: ...

    @overload
    def pick(key: str) -> Base: ...
    @overload
    def pick(key: None = None) -> Friend: ...
    def pick(key=None): ...

    @decorator
    def decorated() -> Base: ...

    @command("x")
    def registered(): ...

    @contextlib.contextmanager
    def opened() -> Iterator[Base]:
        yield Base("y")

    class Box(Generic[T]):
        def __init__(self, item: T) -> None:
            self.item = item
        def get(self) -> T:
            return self.item

    @dataclass
    class Point:
        owner: Base
        many: list[Friend]
        table: dict[str, Base]

    CONSTANT = 3
    variable: Friend = Friend()
"""

INIT = "calls m.Base.__init__"
CASES = {
    "a function": ("plain()", {"calls m.plain exact"}),
    "a class": ('Base("a")', {"instantiates m.Base exact", f"{INIT} exact"}),
    "an inherited constructor": (
        'Derived("a")',
        {"instantiates m.Derived exact", f"{INIT} exact"},
    ),
    "a function as a value": ("x = plain", {"references m.plain exact"}),
    "a constant": ("return CONSTANT", {"references m.CONSTANT exact"}),
    "a method of what a call returns": (
        "function().run()",
        {"calls m.function exact", "calls m.Base.run typed"},
    ),
    "a local variable": (
        "x = function()\nx.run()",
        {"calls m.function exact", "calls m.Base.run typed"},
    ),
    "a variable that holds something else later": (
        "x = function()\nx = plain\nx()",
        {"calls m.function exact", "references m.plain exact", "calls m.plain typed"},
    ),
    "an override is found before its base": (
        "x: Derived = something()\nx.run()",
        {"uses_type m.Derived exact", "calls m.Derived.run typed"},
    ),
    "a method through its class": (
        "Base.run(1)",
        {"references m.Base exact", "calls m.Base.run exact"},
    ),
    "a class method": (
        "x = Derived.make()\nx.own()",
        {
            "references m.Derived exact",
            "calls m.Base.make exact",
            "calls m.Derived.own typed",
        },
    ),
    "a static method": (
        "Base.helper()",
        {"references m.Base exact", "calls m.Base.helper exact"},
    ),
    "Self": (
        'Derived("a").clone().own()',
        {
            "instantiates m.Derived exact",
            f"{INIT} exact",
            "calls m.Base.clone typed",
            "calls m.Derived.own typed",
        },
    ),
    "a property": (
        "function().friend.greet()",
        {"calls m.function exact", "references m.Base.friend typed", "calls m.Friend.greet typed"},
    ),
    "a field that is read and written": (
        "x = function()\nx.name = x.limit",
        {"calls m.function exact", "references m.Base.limit typed", "writes m.Base.name typed"},
    ),
    "with": (
        "with variable as v:\n    v.greet()",
        {
            "references m.variable exact",
            "calls m.Friend.__enter__ typed",
            "calls m.Friend.__exit__ typed",
            "calls m.Friend.greet typed",
        },
    ),
    "with a generator function": (
        "with opened() as x:\n    x.run()",
        {"calls m.opened exact", "calls m.Base.run typed"},
    ),
    "a loop": (
        "for x in variable:\n    x.run()",
        {
            "references m.variable exact",
            "calls m.Friend.__iter__ typed",
            "calls m.Base.run typed",
        },
    ),
    "a loop over a typed list": (
        "def inner(xs: list[Friend]): ...\nxs: list[Friend] = []\nfor x in xs:\n    x.greet()",
        {"uses_type m.Friend exact", "calls m.Friend.greet typed"},
    ),
    "a loop over the items of a typed mapping": (
        "xs: dict[str, Base] = {}\nfor key, x in xs.items():\n    x.run()",
        {"uses_type m.Base exact", "calls m.Base.run typed"},
    ),
    "a loop with a number": (
        "xs: list[Friend] = []\nfor index, x in enumerate(xs):\n    x.greet()",
        {"uses_type m.Friend exact", "calls m.Friend.greet typed"},
    ),
    "a comprehension": (
        "xs: list[Friend] = []\nreturn [x.greet() for x in xs]",
        {"uses_type m.Friend exact", "calls m.Friend.greet typed"},
    ),
    "the names of a comprehension are its own": (
        "x = function()\nys = [x for x in [variable]]\nx.run()",
        {"calls m.function exact", "references m.variable exact", "calls m.Base.run typed"},
    ),
    "special methods": (
        'variable["a"].run()\nlen(variable)\n"a" in variable\n(variable + variable).greet()\n'
        "variable().run()",
        {
            "references m.variable exact",
            "calls m.Friend.__getitem__ typed",
            "calls m.Friend.__len__ typed",
            "calls m.Friend.__contains__ typed",
            "calls m.Friend.__add__ typed",
            "calls m.Friend.__call__ typed",
            "calls m.Friend.greet typed",
            "calls m.Base.run typed",
        },
    ),
    "a decorated function": (
        "decorated().run()",
        {"calls m.decorated exact", "calls m.Base.run typed"},
    ),
    "a function that its decorator turns into something else": (
        "registered.attach(plain)",
        {
            "references m.registered exact",
            "references m.plain exact",
            "calls m.Command.attach typed",
        },
    ),
    "an overload that takes the argument": (
        'pick("a").run()',
        {"calls m.pick exact", "calls m.Base.run typed"},
    ),
    "an overload that takes none": (
        "pick().greet()",
        {"calls m.pick exact", "calls m.Friend.greet typed"},
    ),
    "a generic class": (
        "Box(variable).get().greet()",
        {
            "references m.variable exact",
            "instantiates m.Box exact",
            "calls m.Box.__init__ exact",
            "calls m.Box.get typed",
            "calls m.Friend.greet typed",
        },
    ),
    "fields of a dataclass": (
        "p = Point(function(), [], {})\np.owner.run()\np.many[0].greet()\np.table['a'].run()",
        {
            "calls m.function exact",
            "instantiates m.Point exact",
            "references m.Point.owner typed",
            "references m.Point.many typed",
            "references m.Point.table typed",
            "calls m.Base.run typed",
            "calls m.Friend.greet typed",
        },
    ),
    "isinstance": (
        "if isinstance(anything, Friend):\n    anything.greet()\nelse:\n    anything.run()",
        {"references m.Friend exact", "calls m.Friend.greet typed"},
    ),
    "assert isinstance": (
        "x = something()\nassert isinstance(x, (Friend, Derived))\nx.greet()",
        {"references m.Friend exact", "references m.Derived exact", "calls m.Friend.greet typed"},
    ),
    "None is no value": (
        "x: Friend | None = something()\nif x is None:\n    return\nx.greet()",
        {"uses_type m.Friend exact", "calls m.Friend.greet typed"},
    ),
    "one of two": (
        "x = function() if something else variable\nx.run()\nx.greet()",
        {
            "calls m.function exact",
            "references m.variable exact",
            "calls m.Base.run typed",
            "calls m.Friend.greet typed",
        },
    ),
    "a branch that leaves": (
        "x = function()\nif something:\n    x = variable\n    return\nx.greet()\nx.run()",
        {
            "calls m.function exact",
            "references m.variable exact",
            "calls m.Base.run typed",
            "calls m.Friend.greet heuristic",
        },
    ),
    "try": (
        "try:\n    x = function()\nexcept ValueError:\n    x = variable\nx.run()\nx.greet()",
        {
            "calls m.function exact",
            "references m.variable exact",
            "calls m.Base.run typed",
            "calls m.Friend.greet typed",
        },
    ),
    "match": (
        "match something:\n    case Friend() as x:\n        x.greet()",
        {"references m.Friend exact", "calls m.Friend.greet typed"},
    ),
    "a function within": (
        "x = function()\ndef inner():\n    x.run()\ninner()",
        {"calls m.function exact", "calls m.use.inner exact"},
    ),
    "type of a value": (
        "type(function()).make()",
        {"calls m.function exact", "calls m.Base.make typed"},
    ),
    "a walrus": (
        "if (x := function()):\n    x.run()",
        {"calls m.function exact", "calls m.Base.run typed"},
    ),
    "a local that hides a global": ("plain = something\nplain()", set()),
    "an unknown receiver is guessed at most": (
        "something.run()\nsomething().greet()",
        {"calls m.Friend.greet heuristic"},
    ),
    "an annotation in quotes": (
        'x: "Optional[Friend]" = None\nx.greet()',
        {"uses_type m.Friend exact", "calls m.Friend.greet typed"},
    ),
    "a global that is written": (
        "global variable\nvariable = None",
        {"writes m.variable exact"},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_a_function_uses(case: str, tmp_path: Path) -> None:
    body, expected = CASES[case]
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    text = f"{COMMON}\n    def use(anything, something):\n{lines}\n"
    assert built(tmp_path, {"m.py": text}).uses("m.use") == expected
