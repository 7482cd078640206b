"""The reader of `index.scip`: a real index of TypeScript, and made ones for everything else."""

from __future__ import annotations

import random
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from plan07_encoders import scip
from plan07_encoders.scip.symbols import Descriptor, Symbol, parse
from scipfile import (
    DEFINITION,
    IMPORT,
    WRITE,
    document,
    index,
    information,
    occurrence,
    packed,
    tagged,
    typed,
    write,
)
from trees import codes, edges, nesting, read, repository

from plan07.recon import AliasRow, EdgeRow, NodeRow, Part

SHOP = Path(__file__).parent / "shop"


@pytest.fixture(scope="module")
def shop() -> Part:
    return read(scip.read, repository(SHOP))


class TestRealIndex:
    """What scip-typescript wrote of a small project; every edge was looked up in its sources."""

    def test_every_edge_of_calls(self, shop: Part) -> None:
        found = {
            (each.src, each.dst, each.line, each.resolution)
            for each in shop.edges
            if each.kind == "calls"
        }
        assert found == {
            ("src.item.Item.price", "src.money.withTax", 20, "exact"),
            ("src.item.Book.price", "src.item.Item.price", 30, "typed"),
            ("src.cart.Cart.total", "src.item.Item.price", 22, "typed"),
            # On this line stand a character of two UTF-16 units and one of two bytes.
            ("src.cart.Cart.cheapest", "src.money.first", 26, "exact"),
            ("src.cart.sample", "src.cart.Cart.add", 39, "typed"),
            ("src.cart.sample", "src.cart.Shelf.constructor", 42, "exact"),
            ("src.cart.sample", "src.cart.open", 43, "exact"),
            ("test.cart.test.testTotal", "src.cart.sample", 4, "exact"),
            ("test.cart.test.testTotal", "src.cart.Cart.total", 4, "typed"),
        }

    @pytest.mark.parametrize(
        ("kind", "expected"),
        [
            (
                "instantiates",
                {
                    ("src.cart.open", "src.cart.Cart"),
                    ("src.cart.sample", "src.item.Book"),
                    ("src.cart.sample", "src.cart.Shelf"),
                },
            ),
            ("inherits", {("src.item.Book", "src.item.Item")}),
            ("implements", {("src.item.Item", "src.item.Priced")}),
            (
                "overrides",
                {
                    ("src.item.Book.price", "src.item.Item.price"),
                    ("src.item.Item.price", "src.item.Priced.price"),
                },
            ),
            (
                "writes",
                {
                    ("src.item.Item.constructor", "src.item.Item.net"),
                    ("src.cart.Cart.add", "src.cart.Cart.changes"),
                },
            ),
            ("reexports", {("src.cart", "src.item.Book")}),
            (
                "tests",
                {
                    ("test.cart.test.testTotal", "src.cart.sample"),
                    ("test.cart.test.testTotal", "src.cart.Cart.total"),
                },
            ),
            (
                "uses_type",
                {
                    # What a class inherits from is no type that it uses besides.
                    ("src.money.withTax", "src.money.Cents"),
                    ("src.item.Priced", "src.money.Cents"),
                    ("src.item.Item", "src.money.Cents"),
                    ("src.item.Item.constructor", "src.money.Cents"),
                    ("src.item.Item.price", "src.money.Cents"),
                    ("src.item.Book.price", "src.money.Cents"),
                    ("src.cart.Cart", "src.item.Item"),
                    ("src.cart.Cart.add", "src.item.Item"),
                    ("src.cart.Cart.cheapest", "src.item.Priced"),
                    ("src.cart.Cart.cheapest", "src.item.Item"),
                    ("src.cart.Shelf.constructor", "src.item.Size"),
                    ("src.cart.open", "src.cart.Cart"),
                    ("src.cart.sample", "src.cart.Cart"),
                },
            ),
            (
                "imports",
                {
                    ("src.item", "src.money.Cents"),
                    ("src.item", "src.money.withTax"),
                    ("src.item", "src.money"),
                    ("src.cart", "src.item.Book"),
                    ("src.cart", "src.item.Item"),
                    ("src.cart", "src.item.Priced"),
                    ("src.cart", "src.item.Size"),
                    ("src.cart", "src.item"),
                    ("src.cart", "src.money.first"),
                    ("src.cart", "src.money"),
                    ("test.cart.test", "src.cart.sample"),
                    ("test.cart.test", "src.cart"),
                },
            ),
            (
                "references",
                {
                    ("src.money.withTax", "src.money.RATE"),
                    ("src.item.Item.price", "src.item.Item.net"),
                    ("src.cart.Cart.add", "src.cart.Cart.items"),
                    ("src.cart.Cart.total", "src.cart.Cart.items"),
                    ("src.cart.Cart.cheapest", "src.cart.Cart.items"),
                    ("src.cart.sample", "src.item.Size"),
                    ("src.cart.sample", "src.item.Size.Small"),
                },
            ),
        ],
        ids=lambda value: value if isinstance(value, str) else "",
    )
    def test_every_edge_of_a_kind(
        self, shop: Part, kind: str, expected: set[tuple[str, str]]
    ) -> None:
        assert {(src, dst) for src, found, dst in edges(shop) if found == kind} == expected

    def test_kinds(self, shop: Part) -> None:
        kinds = {each.fqn: each.kind for each in shop.nodes}
        assert kinds == {
            "src.money": "module",
            "src.money.Cents": "type_alias",
            "src.money.RATE": "variable",
            "src.money.withTax": "function",
            "src.money.first": "function",
            "src.item": "module",
            "src.item.Size": "enum",
            "src.item.Size.Small": "enum_member",
            "src.item.Size.Large": "enum_member",
            "src.item.Priced": "interface",
            "src.item.Priced.price": "method",
            "src.item.Item": "class",
            "src.item.Item.net": "field",
            "src.item.Item.constructor": "method",
            "src.item.Item.price": "method",
            "src.item.Item.label": "property",
            "src.item.Book": "class",
            "src.item.Book.price": "method",
            "src.cart": "module",
            "src.cart.Cart": "class",
            "src.cart.Cart.items": "field",
            "src.cart.Cart.changes": "field",
            "src.cart.Cart.add": "method",
            "src.cart.Cart.total": "method",
            "src.cart.Cart.cheapest": "method",
            "src.cart.Shelf": "class",
            "src.cart.Shelf.constructor": "method",
            "src.cart.open": "variable",
            "src.cart.sample": "function",
            "test.cart.test": "module",
            "test.cart.test.testTotal": "function",
        }

    def test_an_entity_in_full(self, shop: Part) -> None:
        (found,) = [each for each in shop.nodes if each.fqn == "src.money.withTax"]
        assert found == NodeRow(
            fqn="src.money.withTax",
            kind="function",
            name="withTax",
            path="src/money.ts",
            line=6,
            end_line=8,
            parent="src.money",
            signature="(net: number, rate?: number): number",
            params='[{"name": "net", "kind": "positional_or_keyword", "type": "number", '
            '"default": null}, {"name": "rate", "kind": "positional_or_keyword", "type": "number", '
            '"default": null}]',
            flags=("exported",),
            scip="scip-typescript npm shop 1.0.0 src/`money.ts`/withTax().",
        )

    def test_parents_and_tests(self, shop: Part) -> None:
        nodes = {each.fqn: each for each in shop.nodes}
        assert nodes["src.item.Size.Small"].parent == "src.item.Size"
        assert nesting(shop) == {(each.parent, each.fqn) for each in shop.nodes if each.parent}
        assert len(nesting(shop)) == 27
        assert nodes["src.item.Item"].flags == ("abstract", "exported")
        assert {each.fqn for each in shop.nodes if each.is_test} == {
            "test.cart.test",
            "test.cart.test.testTotal",
        }

    def test_what_is_exported_again_has_another_name(self, shop: Part) -> None:
        assert list(shop.aliases) == [AliasRow("src.cart.Book", "src.item.Book", "reexport")]

    def test_files_count_as_parsed_and_nothing_is_amiss(self, shop: Part) -> None:
        assert {(each.path, each.parsed) for each in shop.files} == {
            ("src/money.ts", True),
            ("src/item.ts", True),
            ("src/cart.ts", True),
            ("test/cart.test.ts", True),
        }
        assert codes(shop) == []

    def test_the_same_bytes_give_the_same_records(self, shop: Part) -> None:
        assert read(scip.read, repository(SHOP)) == shop


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s m p 1 a/B#", Symbol("p", (Descriptor("a", "namespace"), Descriptor("B", "type")))),
        ("s m p 1 f().", Symbol("p", (Descriptor("f", "method"),))),
        ("s m p 1 f(+2).", Symbol("p", (Descriptor("f", "method"),))),
        ("s . . . x.", Symbol("", (Descriptor("x", "term"),))),
        ("s m p  q 1 x!", Symbol("p q", (Descriptor("x", "macro"),))),
        ("s m p 1 `a``b c`#", Symbol("p", (Descriptor("a`b c", "type"),))),
        (
            "s m p 1 f().(x)",
            Symbol("p", (Descriptor("f", "method"), Descriptor("x", "parameter"))),
        ),
        (
            "s m p 1 C#[T]",
            Symbol("p", (Descriptor("C", "type"), Descriptor("T", "type_parameter"))),
        ),
        (
            "s m p 1 `m`/__init__:",
            Symbol("p", (Descriptor("m", "namespace"), Descriptor("__init__", "meta"))),
        ),
        ("local 5", None),
        ("", None),
        ("s m p", None),
        ("s m p 1 ", None),
        ("s m p 1 a/B", None),
        ("s m p 1 `a#", None),
    ],
)
def test_the_grammar_of_symbols(text: str, expected: Symbol | None) -> None:
    assert parse(text) == expected


def symbol(descriptors: str, package: str = "pkg") -> str:
    return f"test . {package} 1 {descriptors}"


MAIN = symbol("lib/main().")


def one(tmp_path: Path, line: str, target: str, roles: int = 0) -> set[tuple[str, str]]:
    """Return (kind, dependency) of the use of a symbol that stands between bars in a function."""
    before, word, after = line.split("|")
    data = index(
        [
            document(
                "a.rs",
                [
                    occurrence([0, 3, 7], MAIN, DEFINITION, [0, 0, 2, 1]),
                    occurrence([1, len(before), len(before + word)], target, roles),
                    occurrence([3, 0, 0], target, DEFINITION),
                ],
                [information(target)],
            )
        ]
    )
    write(tmp_path, data)
    text = f"fn main() {{\n{before}{word}{after}\n}}\n\n"
    part = read(scip.read, repository(tmp_path, {"a.rs": text}))
    return {(kind, dst) for src, kind, dst in edges(part) if src == "lib.main"}


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("  |f|(1)", "calls"),
        ("  |f| (1)", "calls"),
        ("  |f|<Int, List<T>>(1)", "calls"),
        ("  |f|::<u8>(1)", "calls"),
        ("  |f|?.(1)", "calls"),
        ("  |f|!(1)", "calls"),
        ("  @|f|", "decorates"),
        ("  @|f|(1)", "decorates"),
        ("  @a.|f|(1)", "decorates"),
        ("  x = |f|", "references"),
        ("  |f|, (1)", "references"),
        ("  |f| < x > y", "references"),
        ("  import(|f|)", "references"),
    ],
)
def test_a_call_is_a_reference_followed_by_a_parenthesis(
    tmp_path: Path, line: str, kind: str
) -> None:
    assert one(tmp_path, line, symbol("lib/f().")) == {(kind, "lib.f")}


@pytest.mark.parametrize("word", ["def", "fn", "function", "class"])
def test_a_name_that_is_declared_once_more_is_not_used(tmp_path: Path, word: str) -> None:
    assert one(tmp_path, f"  {word} |f|(x)", symbol("lib/f().")) == set()


@pytest.mark.parametrize(
    ("line", "roles", "kind"),
    [
        ("  v = |t|", 0, "references"),
        ("  |t| = 1", 0, "writes"),
        ("  |t| += 1", 0, "writes"),
        ("  |t| ??= 1", 0, "writes"),
        ("  |t|++", 0, "writes"),
        ("  |t| == 1", 0, "references"),
        ("  |t| => 1", 0, "references"),
        ("  (|t|)", WRITE, "writes"),
        ("  (|t|)", IMPORT, "imports"),
    ],
)
def test_what_is_done_to_a_value(tmp_path: Path, line: str, roles: int, kind: str) -> None:
    assert one(tmp_path, line, symbol("lib/t."), roles) == {(kind, "lib.t")}


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("  |T|(1)", "instantiates"),
        ("  new |T|", "instantiates"),
        ("  new a.b.|T|", "instantiates"),
        ("  |T|.make()", "references"),
        ("  |T|::make()", "references"),
        ("  x: |T|", "uses_type"),
    ],
)
def test_what_is_done_to_a_type(tmp_path: Path, line: str, kind: str) -> None:
    assert one(tmp_path, line, symbol("lib/T#")) == {(kind, "lib.T")}


def test_a_constructor_makes_an_instance_of_its_class(tmp_path: Path) -> None:
    made = symbol("lib/T#`<init>`().")
    definitions = [
        occurrence([0, 4, 8], MAIN, DEFINITION, [0, 0, 9, 0]),
        occurrence([1, 0, 1], symbol("lib/T#"), DEFINITION),
        occurrence([1, 2, 3], made, DEFINITION),
    ]
    uses = [occurrence([2, 4, 5], made), occurrence([3, 6, 14], made)]
    write(tmp_path, index([document("a.kt", [*definitions, *uses])]))
    text = "fun main()\nT(1)\nnew T(1)\nsuper.__init__(1)\n"
    part = read(scip.read, repository(tmp_path, {"a.kt": text}))
    used = [each for each in part.edges if each.kind != "contains"]
    assert [(each.kind, each.dst, each.times) for each in used] == [
        ("instantiates", "lib.T", 1),
        ("calls", "lib.T.init", 2),
    ]


@pytest.mark.parametrize("encoding", [0, 1, 2, 3])
def test_columns_count_what_the_index_says(tmp_path: Path, encoding: int) -> None:
    before = 'x = "\U0001d4b3\u00e9"; '
    size = {
        0: len(before.encode("utf-16-le")) // 2,
        1: len(before.encode()),
        2: len(before.encode("utf-16-le")) // 2,
        3: len(before),
    }[encoding]
    target = symbol("lib/called().")
    uses = [
        occurrence([0, 0, 0], target, DEFINITION),
        occurrence([0, size, size + 6], target),
    ]
    write(tmp_path, index([document("a.rs", uses, encoding=encoding)]))
    part = read(scip.read, repository(tmp_path, {"a.rs": f"{before}called(1)\n"}))
    assert edges(part) == {("a.rs", "calls", "lib.called")}


@pytest.mark.parametrize("make", [occurrence, typed], ids=["packed", "typed"])
def test_the_innermost_definition_is_who_uses(tmp_path: Path, make: object) -> None:
    assert callable(make)
    outer, inner, target = symbol("lib/C#"), symbol("lib/C#m()."), symbol("lib/f().")
    uses = [
        make([5, 0, 1], target, 0),
        make([0, 6, 7], outer, DEFINITION, [0, 0, 4, 1]),
        make([1, 2, 3], inner, DEFINITION, [1, 0, 2, 9]),
        make([2, 4, 5], target, 0),
        make([3, 4, 5], target, 0),
        make([6, 0, 0], target, DEFINITION),
    ]
    write(tmp_path, index([document("a.rs", uses)]))
    text = "class C {\n  m() {\n    f()\n    f()\n}\nf()\n\n"
    part = read(scip.read, repository(tmp_path, {"a.rs": text}))
    assert edges(part) == {
        ("lib.C.m", "calls", "lib.f"),
        ("lib.C", "calls", "lib.f"),
        ("a.rs", "calls", "lib.f"),
    }
    assert {(each.fqn, each.line, each.end_line, each.parent) for each in part.nodes} == {
        ("lib.C", 1, 5, None),
        ("lib.C.m", 2, 3, "lib.C"),
        ("lib.f", 7, 7, None),
        ("a.rs", 1, None, None),
    }


@pytest.mark.parametrize(
    ("enclosing", "lines"),
    [
        ([0, 0, 3, 1], (1, 4)),
        # It ends before the first character of a line, so on the one before.
        ([0, 0, 3, 0], (1, 3)),
        ([1, 0, 1, 0], (2, 2)),
        ([2, 0, 9], (3, 3)),
    ],
)
def test_the_lines_of_a_definition(
    tmp_path: Path, enclosing: list[int], lines: tuple[int, int]
) -> None:
    name = symbol("f().")
    uses = [occurrence([enclosing[0], 0, 0], name, DEFINITION, enclosing)]
    write(tmp_path, index([document("a.x", uses)]))
    (found,) = read(scip.read, repository(tmp_path, {"a.x": "f\n" * 5})).nodes
    assert (found.line, found.end_line) == lines


def test_a_range_may_come_number_by_number(tmp_path: Path) -> None:
    """Lists may be written unpacked."""
    target = symbol("f().")
    loose = b"".join(tagged(1, number) for number in (0, 0, 1)) + tagged(2, target)
    uses = [occurrence([1, 0, 0], target, DEFINITION), loose]
    write(tmp_path, index([document("a.rs", uses)]))
    assert edges(read(scip.read, repository(tmp_path, {"a.rs": "f()\n\n"}))) == {
        ("a.rs", "calls", "f")
    }


@pytest.mark.parametrize(
    ("descriptors", "kind", "code", "expected"),
    [
        ("a/", 0, "", "package"),
        ("C#", 0, "", "class"),
        ("f().", 0, "", "function"),
        ("C#f().", 0, "", "method"),
        ("x.", 0, "", "variable"),
        ("C#x.", 0, "", "field"),
        ("x!", 0, "", "function"),
        ("x:", 0, "", "module"),
        ("C#", 21, "", "interface"),
        ("C#", 49, "class C", "struct"),
        ("C#", 0, "interface C", "interface"),
        ("C#", 0, "export abstract class C", "class"),
        ("C#", 0, "enum C", "enum"),
        ("C#", 0, "type C = 1", "type_alias"),
        ("x.", 0, "const x: 1", "constant"),
        ("C#x.", 0, "(enum member) x", "enum_member"),
        ("C#x.", 0, "(property) x: 1", "field"),
        ("C#`<get>x`().", 0, "", "property"),
        # A word cannot make a type of a function.
        ("f().", 0, "class f", "function"),
        ("f().", 86, "", "function"),
    ],
)
def test_kinds(tmp_path: Path, descriptors: str, kind: int, code: str, expected: str) -> None:
    name = symbol(descriptors)
    said = [information(name, kind=kind, code=code)]
    write(tmp_path, index([document("a.x", [occurrence([0, 0, 0], name, DEFINITION)], said)]))
    part = read(scip.read, repository(tmp_path, {"a.x": "x\n"}))
    assert [each.kind for each in part.nodes] == [expected]


class TestNames:
    def names(self, tmp_path: Path, files: dict[str, list[str]], tool: str = "test") -> set[str]:
        documents = [
            document(path, [occurrence([0, 0, 0], each, DEFINITION) for each in symbols])
            for path, symbols in files.items()
        ]
        write(tmp_path, index(documents, tool))
        part = read(scip.read, repository(tmp_path, dict.fromkeys(files, "x\n")))
        return {each.fqn for each in part.nodes}

    def test_a_file_that_the_symbol_spells_is_the_path_from_the_root(self, tmp_path: Path) -> None:
        files = {"packages/a/src/cart.ts": [symbol("src/`cart.ts`/"), symbol("src/`cart.ts`/f().")]}
        assert self.names(tmp_path, files) == {"packages.a.src.cart", "packages.a.src.cart.f"}

    def test_else_the_descriptors_are_the_name(self, tmp_path: Path) -> None:
        files = {"src/main/java/com/shop/Cart.java": [symbol("com/shop/Cart#total().")]}
        assert self.names(tmp_path, files) == {"com.shop.Cart.total"}
        assert self.names(tmp_path, {"a.go": [symbol("`x.com/shop`/Cart#")]}) == {"x.com/shop.Cart"}

    def test_packages_tell_apart_what_has_one_name(self, tmp_path: Path) -> None:
        files = {"a/main.rs": [symbol("main().", "a")], "b/main.rs": [symbol("main().", "b")]}
        assert self.names(tmp_path, files) == {"a.main", "b.main"}

    def test_overloads_are_one_entity(self, tmp_path: Path) -> None:
        assert self.names(tmp_path, {"A.java": [symbol("A#f()."), symbol("A#f(+1).")]}) == {"A.f"}

    def test_parameters_and_locals_are_no_entities(self, tmp_path: Path) -> None:
        files = {"a.x": [symbol("f().(x)"), symbol("f().[T]"), "local 1", symbol("f().")]}
        assert self.names(tmp_path, files) == {"f"}

    def test_the_root_of_the_index_may_lie_within_the_repository(self, tmp_path: Path) -> None:
        name = symbol("f().")
        data = index(
            [document("a.x", [occurrence([0, 0, 0], name, DEFINITION)])],
            root=(tmp_path / "web app").as_uri(),
        )
        write(tmp_path, data)
        part = read(scip.read, repository(tmp_path, {"web app/a.x": "x", "a.x": "x"}))
        assert [(each.fqn, each.path) for each in part.nodes] == [("f", "web app/a.x")]


class TestRelations:
    def test_bases_of_bases_are_not_bases(self, tmp_path: Path) -> None:
        names = {each: symbol(f"{each}#") for each in "ABC"}
        said = [
            information(names["A"], implements=[names["B"], names["C"]]),
            information(names["B"], implements=[names["C"]]),
            information(names["C"]),
        ]
        places = [occurrence([0, 0, 0], each, DEFINITION) for each in names.values()]
        write(tmp_path, index([document("a.x", places, said)]))
        part = read(scip.read, repository(tmp_path, {"a.x": "x\n"}))
        assert edges(part) == {("A", "inherits", "B"), ("B", "inherits", "C")}

    def test_types_that_inherit_from_each_other_end(self, tmp_path: Path) -> None:
        names = {each: symbol(f"{each}#") for each in "AB"}
        said = [
            information(names["A"], implements=[names["B"], names["A"]]),
            information(names["B"], implements=[names["A"]]),
        ]
        places = [occurrence([0, 0, 0], each, DEFINITION) for each in names.values()]
        write(tmp_path, index([document("a.x", places, said)]))
        part = read(scip.read, repository(tmp_path, {"a.x": "x\n"}))
        assert edges(part) == {("A", "inherits", "B"), ("B", "inherits", "A")}

    def test_bases_in_a_ring_are_all_kept(self, tmp_path: Path) -> None:
        names = {each: symbol(f"{each}#") for each in "ABC"}
        said = [
            information(names["A"], implements=[names["B"], names["C"]]),
            information(names["B"], implements=[names["C"]]),
            information(names["C"], implements=[names["B"]]),
        ]
        places = [occurrence([0, 0, 0], each, DEFINITION) for each in names.values()]
        write(tmp_path, index([document("a.x", places, said)]))
        part = read(scip.read, repository(tmp_path, {"a.x": "x\n"}))
        assert {dst for src, _, dst in edges(part) if src == "A"} == {"B", "C"}


class TestScipPython:
    """The defects of that indexer that are known, and what becomes of them."""

    MODULE = "scip-python python shop 1 `src.shop.cart`/__init__:"
    BASE = "scip-python python shop 1 `src.shop.cart`/Base#"
    CART = "scip-python python shop 1 `src.shop.cart`/Cart#"
    WRAP = "scip-python python shop 1 `src.shop.cart`/wrap()."
    TEXT = "class Base: pass\nclass Cart(Base): pass\ndef wrap(): pass\ndef wrap(): pass\n"

    def read(self, tmp_path: Path, **nodes: Sequence[NodeRow]) -> Part:
        cart = document(
            "src/shop/cart.py",
            [
                occurrence([0, 0, 0], self.MODULE, DEFINITION, [0, 0, 0, 0]),
                occurrence([0, 6, 10], self.BASE, DEFINITION, [0, 0, 16]),
                occurrence([1, 6, 10], self.CART, DEFINITION, [1, 0, 22]),
                occurrence([1, 11, 15], self.BASE),
                occurrence([2, 4, 8], self.WRAP, DEFINITION, [2, 0, 16]),
                occurrence([3, 4, 8], self.WRAP, DEFINITION, [3, 0, 16]),
            ],
            [information(self.MODULE), information(self.BASE), information(self.WRAP)],
        )
        # Tests import without the source root that definitions carry.
        test = document(
            "tests/test_cart.py",
            [
                occurrence([0, 0, 4], "scip-python python shop 1 `shop.cart`/Cart#"),
                occurrence([1, 0, 4], "scip-python python shop 1 `shop.cart`/wrap()."),
            ],
        )
        write(tmp_path, index([cart, test], "scip-python"))
        files = {"src/shop/cart.py": self.TEXT, "tests/test_cart.py": "Cart()\nwrap()\n"}
        known = {"src/shop/cart.py": nodes["cart"]} if nodes else None
        return read(scip.read, repository(tmp_path, files, known))

    def test_source_roots_are_no_part_of_names(self, tmp_path: Path) -> None:
        names = {each.fqn for each in self.read(tmp_path).nodes}
        assert names == {
            *("shop.cart", "shop.cart.Base", "shop.cart.Cart", "shop.cart.wrap"),
            "tests/test_cart.py",
        }

    def test_every_edge_is_a_guess(self, tmp_path: Path) -> None:
        found = {
            (each.src, each.kind, each.dst, each.resolution)
            for each in self.read(tmp_path).edges
            if each.kind != "contains"
        }
        test = "tests/test_cart.py"
        assert found == {
            # Its class has no record, so the header tells.
            ("shop.cart.Cart", "inherits", "shop.cart.Base", "heuristic"),
            (test, "instantiates", "shop.cart.Cart", "heuristic"),
            (test, "tests", "shop.cart.Cart", "heuristic"),
            (test, "calls", "shop.cart.wrap", "heuristic"),
            (test, "tests", "shop.cart.wrap", "heuristic"),
        }

    def test_the_output_says_so(self, tmp_path: Path) -> None:
        (note,) = self.read(tmp_path).notes
        assert note.code == "SCIP_PYTHON"
        assert note.detail == {"bare": 1, "repeated": 1}
        assert "its edges count as heuristic" in note.message

    def test_what_shares_a_symbol_is_ambiguous(self, tmp_path: Path) -> None:
        uses = [
            occurrence([0, 4, 8], self.WRAP, DEFINITION, [0, 0, 1, 9]),
            occurrence([2, 4, 8], self.WRAP, DEFINITION, [2, 0, 3, 9]),
            occurrence([1, 2, 6], self.CART),
            occurrence([4, 6, 10], self.CART, DEFINITION),
        ]
        write(tmp_path, index([document("src/shop/cart.py", uses)], "scip-python"))
        text = "def wrap():\n  Cart()\ndef wrap():\n  pass\nclass Cart: pass\n"
        part = read(scip.read, repository(tmp_path, {"src/shop/cart.py": text}))
        assert [(each.src, each.dst, each.resolution) for each in part.edges] == [
            ("shop.cart.wrap", "shop.cart.Cart", "ambiguous")
        ]

    def test_files_that_another_reader_has_read_are_left_to_it(self, tmp_path: Path) -> None:
        known = [NodeRow("shop.cart.Cart", "class", "Cart", "src/shop/cart.py", 2, 2)]
        part = self.read(tmp_path, cart=known)
        assert [each.path for each in part.files] == ["tests/test_cart.py"]
        assert codes(part) == ["SCIP_PYTHON", "SCIP_PARSED_BEFORE"]
        assert part.notes[1].detail == {"documents": 1, "paths": ["src/shop/cart.py"]}
        # Its entities are depended on all the same.
        assert ("tests/test_cart.py", "instantiates", "shop.cart.Cart") in edges(part)


class TestWhatIsAmiss:
    def test_no_index(self, tmp_path: Path) -> None:
        where = repository(tmp_path, {"a.x": "x"})
        assert list(scip.read(where)) == []
        assert where.looked_at == {"index.scip": ""}

    def test_a_file_that_changed_since(self, tmp_path: Path) -> None:
        shutil.copytree(SHOP, tmp_path / "shop")
        cart = tmp_path / "shop" / "src" / "cart.ts"
        cart.write_text("// A line more.\n" + cart.read_text("utf-8"), "utf-8")
        part = read(scip.read, repository(tmp_path / "shop"))
        assert codes(part) == ["SCIP_STALE"]
        assert part.notes[0].detail["paths"] == ["src/cart.ts"]
        lost = [each for each in part.edges if each.path == "src/cart.ts"]
        assert {each.kind for each in lost} == {"contains"}
        assert [each for each in part.edges if each.path == "src/item.ts"]

    def test_no_enclosing_ranges(self, tmp_path: Path) -> None:
        uses = [occurrence([0, 3, 4], symbol("f()."), DEFINITION)]
        write(tmp_path, index([document("a.go", uses)]))
        part = read(scip.read, repository(tmp_path, {"a.go": "fn f()\n"}))
        assert codes(part) == ["SCIP_NO_RANGES"]

    @pytest.mark.parametrize("path", ["../out.ts", "/etc/passwd", "gone.ts", "", "a/../a.x"])
    def test_documents_outside_are_left_out(self, tmp_path: Path, path: str) -> None:
        uses = [occurrence([0, 0, 1], symbol("f()."), DEFINITION)]
        write(tmp_path, index([document(path, uses)]))
        part = read(scip.read, repository(tmp_path, {"a.x": "f\n"}))
        assert (part.nodes, codes(part)) == ([], ["SCIP_OUTSIDE"])

    def test_symbols_that_are_none(self, tmp_path: Path) -> None:
        uses = [
            occurrence([0, 0, 1], symbol("f()."), DEFINITION, [0, 0, 1]),
            occurrence([0, 0, 1], "nonsense", DEFINITION),
            occurrence([0, 0, 1], symbol("a/b")),
        ]
        write(tmp_path, index([document("a.x", uses)]))
        part = read(scip.read, repository(tmp_path, {"a.x": "f\n"}))
        assert codes(part) == ["SCIP_SYMBOLS"]
        assert part.notes[0].detail == {"symbols": 2}

    @pytest.mark.parametrize(
        "place",
        [[0, 5, 3], [9, 0, 9, 1], [0, 900, 901], [2**31 - 1, 0, 1], [0], [], [-1, 0, 1]],
        ids=str,
    )
    def test_places_that_are_none(self, tmp_path: Path, place: list[int]) -> None:
        target = symbol("f().")
        uses = [
            occurrence([0, 0, 1], target, DEFINITION, [0, 0, 1]),
            tagged(1, packed(place)) + tagged(2, target),
        ]
        write(tmp_path, index([document("a.x", uses)]))
        assert edges(read(scip.read, repository(tmp_path, {"a.x": "f\n"}))) == set()

    @pytest.mark.parametrize(
        ("data", "code"),
        [
            (b"", "SCIP_EMPTY"),
            (b"not an index", "SCIP_INVALID"),
            (b"\x12\xff\xff\xff\xff\x7fabc", "SCIP_INVALID"),
            (b"\x80" * 40, "SCIP_INVALID"),
            (b"SQLite format 3\0" + b"\0" * 100, "SCIP_INVALID"),
            (tagged(2, tagged(2, b"\x0a\x05")), "SCIP_INVALID"),
        ],
        ids=["empty", "text", "huge-length", "endless-number", "sqlite", "cut-within"],
    )
    def test_what_is_no_index_is_a_note(self, tmp_path: Path, data: bytes, code: str) -> None:
        write(tmp_path, data)
        part = read(scip.read, repository(tmp_path, {"a.x": "x"}))
        assert codes(part) == [code]
        assert part.notes[0].message.startswith("index.scip is left out: ")
        assert part.nodes == part.edges == []

    def test_a_file_that_cannot_be_read_as_utf_8(self, tmp_path: Path) -> None:
        where = repository(tmp_path, {"a.x": "x"})
        (tmp_path / "a.x").write_bytes(b"\xff\xfef()\n")
        target = symbol("f().")
        write(
            tmp_path,
            index([document("a.x", [occurrence([0, 2, 3], target, DEFINITION, [0, 2, 5])])]),
        )
        assert [each.fqn for each in read(scip.read, where).nodes] == ["f"]

    def test_no_cut_and_no_changed_byte_of_an_index_breaks_the_reader(self, tmp_path: Path) -> None:
        whole = (SHOP / "index.scip").read_bytes()
        shutil.copytree(SHOP / "src", tmp_path / "src")
        dice = random.Random(7)
        tried = 0
        for _ in range(60):
            data = bytearray(whole[: dice.randrange(len(whole))] if dice.random() < 0.5 else whole)
            for _ in range(dice.randrange(1, 6)):
                data[dice.randrange(len(data))] = dice.randrange(256)
            write(tmp_path, bytes(data))
            part = read(scip.read, repository(tmp_path, {"src/money.ts": "x"}))
            assert all(each.code.startswith("SCIP_") for each in part.notes)
            tried += 1
        assert tried == 60


def test_an_edge_says_where_it_shows_first_and_how_often(shop: Part) -> None:
    (found,) = [each for each in shop.edges if each[:3] == ("src.cart", "imports", "src.item")]
    assert found == EdgeRow(
        *("src.cart", "imports", "src.item", "src/cart.ts", 5, 3),
        source="scip",
        attrs='{"lines": [5, 7, 9]}',
    )


def test_calls_are_counted_for_the_report(shop: Part) -> None:
    assert {name: number for name, number in shop.counts.items() if number} == {
        "calls exact": 5,
        "calls typed": 4,
    }
