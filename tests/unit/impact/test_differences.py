"""How entities changed between two states, by their signatures and bodies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from plan07.impact.differences import State, changes, differences
from plan07.recon import NodeRow

Parameter = tuple[str, str | None, str | None] | str


def params(*listed: Parameter) -> str:
    """Return the column `params`: (name, type, default) or a name; `*` starts the named ones."""
    kind = "positional_or_keyword"
    found = []
    for each in listed:
        if each == "*":
            kind = "keyword_only"
            continue
        if each == "/":
            for earlier in found:
                earlier["kind"] = "positional_only"
            continue
        name, annotation, default = (each, None, None) if isinstance(each, str) else each
        stars = {"**": "var_keyword", "*": "var_positional"}
        own = next((stars[star] for star in stars if name.startswith(star)), kind)
        found.append(
            {"name": name.lstrip("*"), "kind": own, "type": annotation, "default": default}
        )
    return json.dumps(found)


def function(*listed: Parameter, name: str = "m.f", **more: Any) -> NodeRow:
    outer, _, last = name.rpartition(".")
    known = {"kind": "function", "body_hash": "b", "path": "m.py", "line": 1, "end_line": 9, **more}
    return NodeRow(fqn=name, name=last, parent=outer or None, params=params(*listed), **known)


def node(name: str, kind: str, **more: Any) -> NodeRow:
    outer, _, last = name.rpartition(".")
    known = {"path": "m.py", "line": 1, "end_line": 9, **more}
    return NodeRow(fqn=name, kind=kind, name=last, parent=outer or None, **known)


def state(nodes: Iterable[NodeRow], overrides: dict[str, str] | None = None) -> State:
    return State({each.fqn: each for each in nodes}, overrides or {})


def told(old: Sequence[NodeRow], new: Sequence[NodeRow], **moved: str) -> list[tuple[str, str]]:
    found = differences(state(old), state(new), moved)
    assert {each.origin for each in found} <= {"diff"}
    return [(each.entity, each.change) for each in found]


NONE: list[Any] = []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(["a"], ["a"], NONE, id="nothing"),
        pytest.param(["a", "b"], ["a"], [("param_removed", {"param": "b"})], id="removed"),
        pytest.param(["a"], ["a", "b"], [("param_added_required", {"param": "b"})], id="required"),
        pytest.param(
            ["a"],
            ["a", ("b", None, "1")],
            [("param_added_default", {"param": "b", "default": "1"})],
            id="with a default",
        ),
        pytest.param(
            ["a"],
            ["a", "**rest"],
            [("param_added_default", {"param": "**", "default": None})],
            id="many",
        ),
        pytest.param(
            ["a", "*b", "**c"], ["a", "*d", "**e"], NONE, id="the rest under another name"
        ),
        pytest.param(
            ["__a"],
            ["a", "/"],
            [("param_renamed", {"param": "__a", "to": "a"})],
            id="renamed and by position only",
        ),
        pytest.param(["a"], ["b"], [("param_renamed", {"param": "a", "to": "b"})], id="renamed"),
        pytest.param(
            [("a", None, "1")],
            [("b", None, "2")],
            [
                ("param_removed", {"param": "a"}),
                ("param_added_default", {"param": "b", "default": "2"}),
            ],
            id="another one",
        ),
        pytest.param(
            ["a", "b"],
            ["b", "a"],
            [("param_moved", {"param": "a"}), ("param_moved", {"param": "b"})],
            id="swapped",
        ),
        pytest.param(
            ["a", "b", "c"],
            ["b", "c"],
            [("param_removed", {"param": "a"})],
            id="what stood before is removed",
        ),
        pytest.param(
            ["a"],
            ["b", "a"],
            [("param_added_required", {"param": "b"}), ("param_moved", {"param": "a"})],
            id="what stands before is added",
        ),
        pytest.param(["a"], ["*", "a"], [("param_moved", {"param": "a"})], id="by keyword only"),
        pytest.param(["*", "a"], ["a"], NONE, id="by position too"),
        pytest.param(["a"], ["a", "/"], [("param_renamed", {"param": "a"})], id="by position only"),
        pytest.param(
            [("a", None, "1")], ["a"], [("default_removed", {"param": "a"})], id="no default"
        ),
        pytest.param(
            [("a", None, "1")],
            [("a", None, "2")],
            [("default_changed", {"param": "a", "default": "2"})],
            id="another default",
        ),
        pytest.param(["a"], [("a", None, "1")], NONE, id="a default"),
        pytest.param(
            [("a", "int", None)],
            [("a", "int | str", None)],
            [("param_type_widened", {"param": "a"})],
            id="wider",
        ),
        pytest.param(
            [("a", "int | str", None)],
            [("a", "int", None)],
            [("param_type_narrowed", {"param": "a"})],
            id="narrower",
        ),
        pytest.param(
            [("a", "int", None)],
            [("a", "str", None)],
            [("param_type_widened", {"param": "a"})],
            id="another type",
        ),
        pytest.param(["a"], [("a", "int", None)], NONE, id="a type"),
        pytest.param(
            [("a", "int", None)],
            [("b", "int | None", None)],
            [("param_renamed", {"param": "a", "to": "b"}), ("param_type_widened", {"param": "a"})],
            id="renamed and wider",
        ),
    ],
)
def test_parameters(old: Sequence[Parameter], new: Sequence[Parameter], expected: Any) -> None:
    assert changes(function(*old), function(*new)) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param({"body_hash": "a"}, {"body_hash": "b"}, ["body"], id="body"),
        pytest.param({"returns": "int"}, {"returns": "int | None"}, ["return_type_widened"]),
        pytest.param({"returns": "int | None"}, {"returns": "int"}, ["return_type_narrowed"]),
        pytest.param({"returns": "int"}, {"returns": "str"}, ["return_type_widened"]),
        pytest.param({"returns": "int"}, {"returns": "int"}, NONE, id="nothing"),
        pytest.param({}, {"flags": ("async",)}, ["async_changed"]),
        pytest.param({"flags": ("property",)}, {}, ["property_changed"]),
        pytest.param({}, {"flags": ("static",)}, ["decorator_changed"]),
        pytest.param({"flags": ("classmethod",)}, {"flags": ("static",)}, ["decorator_changed"]),
        pytest.param({"flags": ("exported",)}, {"flags": ()}, NONE, id="exported"),
        pytest.param(
            {"body_hash": "a", "returns": "int"},
            {"body_hash": "b", "returns": "int | None"},
            ["return_type_widened"],
            id="a contract says more than a body",
        ),
        pytest.param(
            {"kind": "method"}, {"kind": "property", "flags": ("property",)}, ["property_changed"]
        ),
    ],
)
def test_functions(before: Any, after: Any, expected: list[str]) -> None:
    found = changes(function("a", **before), function("a", **after))
    assert [kind for kind, _ in found] == expected


@pytest.mark.parametrize(
    ("kind", "before", "after", "expected"),
    [
        ("class", {"signature": "(A)"}, {"signature": "(A, B)"}, ["class_bases"]),
        ("class", {"signature": "(A)"}, {"signature": "(A, metaclass=M)"}, ["metaclass"]),
        (
            "enum",
            {"signature": "()"},
            {"signature": "(B, metaclass=M)"},
            ["class_bases", "metaclass"],
        ),
        (
            "class",
            {"signature": "(A)", "sig_hash": "1"},
            {"signature": "(A)", "sig_hash": "2"},
            ["decorator_changed"],
        ),
        (
            "class",
            {"signature": "(A)", "body_hash": "1"},
            {"signature": "(A)", "body_hash": "2"},
            [],
        ),
        ("field", {"body_hash": "1"}, {"body_hash": "2"}, ["field_value"]),
        ("variable", {"sig_hash": "1"}, {"sig_hash": "2"}, ["field_type"]),
        ("constant", {"body_hash": "1"}, {"body_hash": "2"}, ["constant"]),
        ("enum_member", {"body_hash": "1"}, {"body_hash": "2"}, ["constant"]),
        ("config_key", {"body_hash": "1"}, {"body_hash": "2"}, ["default_changed"]),
        ("module", {"body_hash": "1"}, {"body_hash": "2"}, []),
    ],
)
def test_other_kinds(kind: str, before: Any, after: Any, expected: list[str]) -> None:
    found = changes(node("m.x", kind, **before), node("m.x", kind, **after))
    assert [each for each, _ in found] == expected


@pytest.mark.parametrize(
    ("kind", "flags", "expected"),
    [
        ("method", (), []),
        ("method", ("static",), ["param_renamed"]),
        ("function", (), ["param_renamed"]),
    ],
)
def test_how_a_method_calls_its_object(
    kind: str, flags: tuple[str, ...], expected: list[str]
) -> None:
    old = function("self", "a", kind=kind, flags=flags)
    new = function("me", "a", kind=kind, flags=flags)
    assert [each for each, _ in changes(old, new)] == expected


def test_parameters_that_cannot_be_read() -> None:
    broken = function("a")._replace(params="{")
    assert changes(broken, broken._replace(params='[{"x": 1}]')) == []


class TestNames:
    def test_deleted_and_added(self) -> None:
        old = [function(name="m.f", body_hash="1"), node("m.C.x", "field")]
        new = [
            function(name="m.g", body_hash="2"),
            node("m.C.y", "field"),
            node("m.k", "config_key"),
        ]
        assert told(old, new) == [
            ("m.f", "deleted"),
            ("m.C.x", "field_deleted"),
            ("m.g", "added"),
            ("m.C.y", "field_added"),
            ("m.k", "config_key_added"),
        ]

    def test_a_new_method_that_overrides(self) -> None:
        new = state([node("m.C.f", "method")], {"m.C.f": "m.B.f"})
        found = differences(state([]), new, {})
        assert [(each.entity, each.change) for each in found] == [("m.C.f", "override_added")]

    def test_the_same_body_under_another_name(self) -> None:
        found = differences(
            state([function("a", name="m.f")]), state([function("a", name="m.g")]), {}
        )
        assert [(s.entity, s.change, s.detail) for s in found] == [("m.f", "rename", {"to": "m.g"})]

    def test_at_another_place(self) -> None:
        assert told([function(name="m.f")], [function(name="n.f")]) == [("m.f", "move")]

    def test_a_short_body_tells_nothing(self) -> None:
        short = {"line": 1, "end_line": 2}
        old, new = function(name="m.f", **short), function(name="m.g", **short)
        assert told([old], [new]) == [("m.f", "deleted"), ("m.g", "added")]
        # The same name elsewhere does.
        assert told([old], [function(name="n.f", **short)]) == [("m.f", "move")]

    def test_what_becomes_private(self) -> None:
        old, new = (
            function("a", name="m.loadAll", body_hash="1"),
            function("a", name="m._load_all", body_hash="2"),
        )
        assert told([old], [new]) == [("m.loadAll", "rename"), ("m.loadAll", "body")]
        other = function("b", name="m._load_all", body_hash="2")
        assert told([old], [other]) == [("m.loadAll", "deleted"), ("m._load_all", "added")]

    def test_two_of_one_body_tell_nothing(self) -> None:
        old = [function(name="m.f"), function(name="m.g")]
        assert told(old, [function(name="m.h")]) == [
            ("m.f", "deleted"),
            ("m.g", "deleted"),
            ("m.h", "added"),
        ]

    def test_what_is_renamed_and_changed(self) -> None:
        old = [function("a", name="m.f", returns="int")]
        new = [function("a", name="m.g", returns="int | None")]
        assert told(old, new) == [("m.f", "rename"), ("m.f", "return_type_widened")]

    @pytest.mark.parametrize(
        ("kind", "change"),
        [("constant", "move"), ("field", "field_renamed"), ("config_key", "config_key_renamed")],
    )
    def test_data_that_moves(self, kind: str, change: str) -> None:
        old, new = node("m.a.X", kind, body_hash="1"), node("m.b.X", kind, body_hash="1")
        assert told([old], [new]) == [("m.a.X", change)]


class TestContents:
    CLASS = node("m.C", "class", signature="(A)", body_hash="c")

    def test_of_what_is_deleted(self) -> None:
        old = [self.CLASS, node("m.C.f", "method", body_hash="f")]
        assert told(old, []) == [("m.C", "deleted")]

    def test_of_what_is_added(self) -> None:
        new = [self.CLASS, node("m.C.f", "method", body_hash="f")]
        assert told([], new) == [("m.C", "added")]

    def test_of_what_is_renamed(self) -> None:
        old = [self.CLASS, function("self", name="m.C.f", kind="method")]
        new = [
            self.CLASS._replace(fqn="m.D", name="D"),
            function("self", "a", name="m.D.f", kind="method"),
            function(name="m.D.g", kind="method", body_hash="g"),
        ]
        assert told(old, new) == [
            ("m.C", "rename"),
            ("m.C.f", "param_added_required"),
            ("m.D.g", "added"),
        ]

    @pytest.mark.parametrize(
        ("members", "change"), [("abc", "rename"), ("ab", "deleted"), ("abxyz", "deleted")]
    )
    def test_a_class_is_known_by_its_members(self, members: str, change: str) -> None:
        old = [self.CLASS, *(node(f"m.C.{each}", "method") for each in "abc")]
        new = [
            node("m.D", "class", signature="(A)", body_hash="d"),
            *(node(f"m.D.{each}", "method") for each in members),
        ]
        assert ("m.C", change) in told(old, new)

    def test_what_only_a_function_knows_and_tests(self) -> None:
        old = [
            function(name="m.f"),
            function(name="m.f.inner"),
            node("m.f.C", "class"),
            function(name="m.f.C.g", kind="method"),
            function(name="m.test_x", is_test=True),
        ]
        assert told(old, [function(name="m.f", body_hash="c")]) == [("m.f", "body")]

    def test_of_a_file_that_was_renamed(self) -> None:
        old = [
            node("m", "module", path="m.py"),
            function(name="m.f", body_hash="1"),
            function(name="m.g", body_hash="2"),
        ]
        new = [
            node("p.n", "module", path="p/n.py"),
            function(name="p.n.f", body_hash="1", path="p/n.py"),
            function(name="p.n.h", body_hash="3", path="p/n.py"),
        ]
        found = differences(state(old), state(new), {"m.py": "p/n.py"})
        assert [(each.entity, each.change) for each in found] == [
            ("m", "rename"),
            ("m.g", "deleted"),
            ("p.n.h", "added"),
        ]

    def test_what_moves_out_of_it(self) -> None:
        old = [self.CLASS, function("self", name="m.C.f", kind="method")]
        new = [function("self", name="m.B.f", kind="method")]
        assert told(old, new) == [("m.C", "deleted"), ("m.C.f", "move")]
