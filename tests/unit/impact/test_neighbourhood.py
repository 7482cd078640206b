"""The neighbourhood of entities in a recon.db, read as far as it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar

import pytest
from recondb import build, calls, parameters

from plan07.errors import InputError
from plan07.facts import render
from plan07.impact.entities import Link
from plan07.impact.neighbourhood import Neighbourhood
from plan07.reconfile import opened


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as found:
        yield found


def around(stack: ExitStack, path: str, dependents: int = 64, edges: int = 20000) -> Neighbourhood:
    return Neighbourhood(stack.enter_context(opened(path)), dependents, edges)


def facts(found: Neighbourhood, *names: str, about: frozenset[str] = frozenset()) -> set[str]:
    return {render(each) for each in found.facts(about) if each.name in names}


def functions(*names: str) -> dict[str, Any]:
    return dict.fromkeys(names, "function")


def test_dependents_and_bases(tmp_path: Path, stack: ExitStack) -> None:
    path = build(
        tmp_path / "recon.db",
        {"b.B.m": "method", "a.A.m": "method", "f": "function", "g": "function"},
        [
            ("f", "calls", "a.A.m", {"resolution": "typed", "confidence": 0.9}),
            ("a.A.m", "overrides", "b.B.m"),
            ("g", "calls", "b.B.m"),
            ("a.A.m", "calls", "g"),
        ],
    )
    found = around(stack, path)
    assert found.find("A.m") == ("binding", ["a.A.m"])
    found.read(["a.A.m"])
    assert facts(found, "uses", "read") == {
        'uses(calls,"f","a.A.m",typed,900)',
        'uses(overrides,"a.A.m","b.B.m",exact,1000)',
        'read("a.A.m")',
    }
    found.read(["b.B.m"])
    assert 'uses(calls,"g","b.B.m",exact,1000)' in facts(found, "uses")
    link = found.link(["imports", "calls"], "f", "a.A.m")
    assert link == Link("typed", 0.9, 1, 103, None)
    assert found.place(link) == ("src/a.py", 103)
    assert found.place(link._replace(line=0)) == ("src/a.py", None)
    assert found.place(link._replace(file=9)) is None
    assert found.link(["imports"], "f", "a.A.m") is None


def test_the_surest_of_several_sources(tmp_path: Path, stack: ExitStack) -> None:
    weak = {"resolution": "heuristic", "confidence": 0.9, "source": "scip"}
    path = build(
        tmp_path / "recon.db",
        functions("e", "f"),
        [("f", "calls", "e", weak), ("f", "calls", "e", {"resolution": "typed"})],
    )
    found = around(stack, path)
    found.find("e")
    found.read(["e"])
    assert facts(found, "uses") == {'uses(calls,"f","e",typed,1000)'}


def test_unknown_relations_resolutions_and_kinds(tmp_path: Path, stack: ExitStack) -> None:
    path = build(
        tmp_path / "recon.db",
        {"e": "gadget", "f": "function", "g": "function"},
        [
            ("f", "haunts", "e"),
            ("g", "calls", "e", {"resolution": "guess", "confidence": 7.0}),
            ("e", "calls", "e"),
        ],
    )
    found = around(stack, path)
    found.find("e")
    found.read(["e"])
    assert facts(found, "uses") == {'uses(calls,"g","e",ambiguous,1000)'}
    assert facts(found, "entity") == {'entity("e",external)'}


class TestTruncated:
    def test_the_surest_dependents_stay(self, tmp_path: Path, stack: ExitStack) -> None:
        edges: list[Any] = [
            (f"f{n}", "calls", "e", {"resolution": "typed" if n == 3 else "heuristic"})
            for n in range(5)
        ]
        path = build(
            tmp_path / "recon.db",
            functions("e", *(f"f{n}" for n in range(5)), "g"),
            [*edges, ("g", "references", "e")],
        )
        found = around(stack, path, dependents=2)
        found.find("e")
        found.read(["e"])
        assert facts(found, "uses") == {
            'uses(calls,"f3","e",typed,1000)',
            'uses(calls,"f0","e",heuristic,1000)',
            'uses(references,"g","e",exact,1000)',
        }
        assert list(found.truncated()) == [("e", "calls", 2, 5)]

    def test_the_relations_that_matter_least_go_first(
        self, tmp_path: Path, stack: ExitStack
    ) -> None:
        path = build(
            tmp_path / "recon.db",
            functions("e", "f", "g", "h"),
            [("f", "references", "e"), ("g", "calls", "e"), ("h", "imports", "e")],
        )
        found = around(stack, path, edges=2)
        found.find("e")
        found.read(["e"])
        assert facts(found, "uses") == {
            'uses(calls,"g","e",exact,1000)',
            'uses(imports,"h","e",exact,1000)',
        }
        assert list(found.truncated()) == [("e", "references", 0, 1)]


class TestConstructors:
    NODES: ClassVar[dict[str, Any]] = {
        "C": "class",
        "C.__init__": {"kind": "method", "params": parameters("self", "p", "*,q")},
        "D": "class",
        "E": "class",
        "E.__new__": "method",
        "f": "function",
    }
    EDGES: ClassVar[tuple[Any, ...]] = (
        ("D", "inherits", "C"),
        ("E", "inherits", "C"),
        ("f", "instantiates", "C", calls((1, []), (0, ["q"]))),
    )

    @pytest.mark.parametrize("name", ["C", "C.__init__"])
    def test_of_a_class_and_its_heirs(self, tmp_path: Path, stack: ExitStack, name: str) -> None:
        found = around(stack, build(tmp_path / "recon.db", self.NODES, self.EDGES))
        found.find(name)
        found.read([name, "C"])
        found.read(["C"])
        assert facts(found, "constructor") == {
            'constructor("C.__init__","C")',
            'constructor("E.__new__","E")',
        }

    def test_arguments_of_whoever_builds(self, tmp_path: Path, stack: ExitStack) -> None:
        found = around(stack, build(tmp_path / "recon.db", self.NODES, self.EDGES))
        found.find("C")
        found.read(["C"])
        assert facts(found, "argument", about=frozenset({"p", "q", "other"})) == {
            'argument("f","C","p",by_position)',
            'argument("f","C","p",omits)',
            'argument("f","C","q",by_keyword)',
            'argument("f","C","q",omits)',
        }
        assert facts(found, "argument") == set()


def test_arguments_of_a_static_method(tmp_path: Path, stack: ExitStack) -> None:
    """The first parameter of a method is filled in, that of a static one is not."""
    given = parameters("a", "b")
    path = build(
        tmp_path / "recon.db",
        {
            "C.m": {"kind": "method", "params": given},
            "C.s": {"kind": "method", "params": given, "flags": "static"},
            "f": "function",
        },
        [("f", "calls", "C.m", calls((1, []))), ("f", "calls", "C.s", calls((1, [])))],
    )
    found = around(stack, path)
    found.find("C.m")
    found.find("C.s")
    found.read(["C.m", "C.s"])
    assert facts(found, "argument", about=frozenset({"b"})) == {
        'argument("f","C.m","b",by_position)',
        'argument("f","C.s","b",omits)',
    }


def test_what_lies_in_an_entity(tmp_path: Path, stack: ExitStack) -> None:
    """By name, so that `a.bc` and `a.b-c` do not lie in `a.b`."""
    nodes = functions("a.b", "a.b.x", "a.b.x.y", "a.bc", "a.b-c", "a")
    found = around(stack, build(tmp_path / "recon.db", nodes))
    found.find("a.b")
    found.open(["a.b"])
    assert facts(found, "within", "opened") == {
        'within("a.b","a.b.x")',
        'within("a.b","a.b.x.y")',
        'opened("a.b")',
    }


def test_calls_that_may_concern_an_entity(tmp_path: Path, stack: ExitStack) -> None:
    """Rows that name other candidates concern others."""
    path = build(
        tmp_path / "recon.db",
        functions("a.load", "b.load", "c"),
        unresolved=[
            ("load", None),
            ("load", "[]"),
            ("load", "[1]"),
            ("load", "[2]"),
            ("load", "[" * 99999),
            ("save", None),
        ],
    )
    found = around(stack, path)
    for name in ("a.load", "c"):
        found.find(name)
    found.read(["a.load", "c"])
    assert found.unresolved() == {"a.load": 4}


def test_ordinals_count_by_name(tmp_path: Path, stack: ExitStack) -> None:
    found = around(stack, build(tmp_path / "recon.db", functions("b", "a")))
    found.find("b")
    found.find("a")
    assert facts(found, "ordinal") == {'ordinal("a",1)', 'ordinal("b",2)'}


def test_what_lies_outside(tmp_path: Path, stack: ExitStack) -> None:
    nodes = {"e": "function", "x.f": {"kind": "function", "is_external": 1}}
    found = around(stack, build(tmp_path / "recon.db", nodes, [("x.f", "calls", "e")]))
    found.find("e")
    found.read(["e"])
    assert facts(found, "external") == {'external("x.f")'}


def test_names_alike(tmp_path: Path, stack: ExitStack) -> None:
    nodes = {**functions("a.load", "b.load", "c"), "x.load": {"kind": "external", "is_external": 1}}
    found = around(stack, build(tmp_path / "recon.db", nodes))
    assert found.alike("z.load") == ["a.load", "b.load"]
    assert found.alike("nothing") == []


def test_edges_to_nowhere(tmp_path: Path, stack: ExitStack) -> None:
    """A database in which an edge has lost an end."""
    import sqlite3

    path = build(tmp_path / "recon.db", functions("e", "f"), [("f", "calls", "e")])
    with sqlite3.connect(path) as database:
        database.execute("DELETE FROM nodes WHERE fqn='f'")
    database.close()
    found = around(stack, path)
    found.find("e")
    found.read(["e"])
    assert facts(found, "uses") == set()


def test_a_name_that_is_none(tmp_path: Path) -> None:
    import sqlite3

    path = build(tmp_path / "recon.db", functions("e", "f"), [("f", "calls", "e")])
    with sqlite3.connect(path) as database:
        database.execute("UPDATE nodes SET fqn=x'00' WHERE fqn='f'")
    database.close()
    with pytest.raises(InputError) as caught, opened(path) as database:
        found = Neighbourhood(database, 64, 100)
        found.find("e")
        found.read(["e"])
    assert caught.value.code == "RECON_INVALID"
