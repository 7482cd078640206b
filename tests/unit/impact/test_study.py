"""From seeds and a recon.db to impact.json."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from recondb import build, calls, parameters

from plan07 import evidence, rulebook, shapes
from plan07.errors import InputError
from plan07.impact.closure import Seed
from plan07.impact.planned import neighbourhood
from plan07.impact.seeds import distinct, grounded, parse
from plan07.impact.study import impact
from plan07.reconfile import opened


def study(
    path: str,
    *seeds: str,
    root: Path | None = None,
    request: str = "",
    limits: dict[str, int] | None = None,
) -> dict[str, Any]:
    rules = rulebook.load(limits=limits)
    with opened(path) as database:
        around = neighbourhood(database, rules)
        chosen = grounded([parse(each) for each in seeds], around)
        found = impact(
            chosen,
            around,
            database,
            rules,
            root=None if root is None else str(root),
            request=request,
        )
    shapes.check("impact", found, "impact.json", "IMPACT_INVALID", "evidence")
    return found


def rows(found: dict[str, Any], *fields: str) -> list[tuple[Any, ...]]:
    return [tuple(each.get(field) for field in fields) for each in found["edges"]]


AUTH: dict[str, Any] = {
    "auth": "module",
    "auth.Session": "class",
    "auth.Session.fetch": {"kind": "method", "params": parameters("self", "key", "default")},
    "auth.Cached": "class",
    "auth.Cached.fetch": {"kind": "method", "params": parameters("self", "key", "default")},
    "web.login": {"kind": "function", "path": "src/web.py"},
    "web.page": {"kind": "function", "path": "src/web.py"},
    "cli.main": {"kind": "function", "path": "src/cli.py"},
    "tests.test_fetch": {"kind": "function", "path": "tests/test_auth.py"},
}
EDGES: list[Any] = [
    ("web.login", "calls", "auth.Session.fetch", {"file_id": 2, "line": 7}),
    ("web.page", "calls", "web.login", {"file_id": 2, "line": 9}),
    ("auth.Cached.fetch", "overrides", "auth.Session.fetch"),
    ("auth.Cached", "inherits", "auth.Session"),
    ("cli.main", "calls", "auth.Cached.fetch", {"file_id": 3, "line": 4, "resolution": "typed"}),
    ("tests.test_fetch", "tests", "auth.Session.fetch", {"file_id": 4, "line": 2}),
    ("tests.test_fetch", "references", "auth.Session.fetch", {"file_id": 4, "line": 2}),
]


@pytest.fixture
def auth(tmp_path: Path) -> str:
    return build(tmp_path / "recon.db", AUTH, EDGES)


def test_the_whole_document(tmp_path: Path) -> None:
    """The format plan07.impact/1, field by field."""
    path = build(
        tmp_path / "recon.db",
        {"auth.load": "function", "web.login": {"kind": "function", "path": "src/web.py"}},
        [("web.login", "calls", "auth.load", {"file_id": 2, "line": 7, "confidence": 0.9})],
        unresolved=[("load", None)],
        cochange=[("src/a.py", "src/web.py", 3, 4)],
    )
    assert study(path, "auth.load=rename", request="log in") == {
        "schema": "plan07.impact/1",
        "commit": "c0ffee",
        "recon": "recon.db",
        "seeds": [
            {"id": "S1", "entity": "auth.load", "change": "rename", "detail": {}, "origin": "user"}
        ],
        "edges": [
            {
                "from": "auth.load",
                "to": "web.login",
                "cause": "CalledBy",
                "change": "rename",
                "strength": "must",
                "order": "split",
                "hop": 1,
                "confidence": 0.873,
                "resolution": "exact",
                "rule": "rename/refers",
                "at": {"path": "src/web.py", "line": 7},
                "derived_change": "body",
            }
        ],
        "soft": [
            {
                "entity": "web.login",
                "lex": 0.0,
                "cochange": 0.75,
                "score": 0.375,
                "support": {"n_ab": 3, "n_a": 4},
            }
        ],
        "truncated": [],
        "unknown": [{"entity": "auth.load", "unresolved_calls": 1}],
    }


def test_over_several_hops(auth: str) -> None:
    found = study(auth, "Session.fetch=param_added_required")
    assert rows(found, "hop", "from", "to", "cause", "strength", "confidence") == [
        (1, "auth.Session.fetch", "auth.Cached.fetch", "OverriddenBy", "must", 0.8),
        (1, "auth.Session.fetch", "tests.test_fetch", "TestedBy", "must", 0.75),
        (1, "auth.Session.fetch", "tests.test_fetch", "UsedBy", "must", 0.75),
        (1, "auth.Session.fetch", "web.login", "CalledBy", "must", 0.75),
        (2, "auth.Cached.fetch", "cli.main", "CalledBy", "must", 0.6),
        (2, "web.login", "web.page", "CalledBy", "check", 0.112),
    ]
    assert found["edges"][4]["at"] == {"path": "src/cli.py", "line": 4}
    assert found["edges"][0]["derived_change"] == "param_added_required"
    assert "derived_change" not in found["edges"][1]


def test_a_limit_of_hops(auth: str) -> None:
    found = study(auth, "Session.fetch=param_added_required", limits={"max_hops": 1})
    assert {each["hop"] for each in found["edges"]} == {1}
    assert (
        "auth.Session.fetch",
        "cli.main",
        "param_added_required/calls under auth.Cached.fetch",
    ) in rows(found, "from", "to", "rule")


@pytest.mark.parametrize(("sure", "told"), [(0.5, "calls constructor m.D"), (1.0, "calls")])
def test_of_two_ways_the_surer_is_told(tmp_path: Path, sure: float, told: str) -> None:
    nodes = {"m.C": "class", "m.C.__init__": "method", "m.D": "class", "m.f": "function"}
    edges = [
        ("m.D", "inherits", "m.C"),
        ("m.f", "instantiates", "m.C", {"confidence": sure}),
        ("m.f", "instantiates", "m.D"),
    ]
    path = build(tmp_path / "recon.db", nodes, edges)
    found = study(path, "m.C=param_added_required")
    assert rows(found, "to", "confidence", "rule") == [
        ("m.f", 0.75, f"param_added_required/{told}")
    ]


def test_calls_that_do_not_notice(tmp_path: Path) -> None:
    edges = [
        ("web.login", "calls", "auth.Session.fetch", calls((1, []))),
        ("web.page", "calls", "auth.Session.fetch", calls((1, []), (2, []))),
        ("cli.main", "calls", "auth.Session.fetch", calls((1, ["default"]))),
    ]
    path = build(tmp_path / "recon.db", AUTH, edges)
    assert rows(study(path, "Session.fetch=param_removed:default"), "to") == [
        ("cli.main",),
        ("web.page",),
    ]
    assert rows(study(path, "Session.fetch=param_renamed:default"), "to") == [("cli.main",)]
    assert len(rows(study(path, "Session.fetch=param_removed"), "to")) == 3


def test_members_go_along_with_their_class(auth: str) -> None:
    found = study(auth, "auth.Session=deleted")
    assert [
        (each["id"], each["entity"], each["change"], each["detail"]) for each in found["seeds"]
    ] == [
        ("S1", "auth.Session", "deleted", {}),
        ("S2", "auth.Session.fetch", "deleted", {"within": "auth.Session"}),
    ]
    assert ("auth.Session.fetch", "web.login", "must", "dep<def", 1) in rows(
        found, "from", "to", "strength", "order", "hop"
    )
    assert ("auth.Session", "auth.Cached", "must", "class_bases") in rows(
        found, "from", "to", "strength", "derived_change"
    )


def test_rings_become_one_direction(tmp_path: Path) -> None:
    path = build(
        tmp_path / "recon.db",
        {"a": "function", "b": "function"},
        [("a", "calls", "b"), ("b", "calls", "a")],
    )
    found = study(path, "a=rename", "b=rename")
    assert rows(found, "from", "to") == [("a", "b")]
    assert found["unknown"] == [{"entity": "a", "back_edge": {"from": "b", "cause": "CalledBy"}}]


def test_more_dependents_than_are_listed(tmp_path: Path) -> None:
    names = [f"m.f{n:02}" for n in range(70)]
    edges = [(name, kind, "m.e") for name in names for kind in ("references", "writes")]
    path = build(tmp_path / "recon.db", dict.fromkeys(["m.e", *names], "function"), edges)
    found = study(path, "m.e=rename")
    assert len(found["edges"]) == 64
    assert found["truncated"] == [{"entity": "m.e", "cause": "UsedBy", "kept": 128, "total": 140}]


class TestPublic:
    NODES: ClassVar[dict[str, Any]] = {
        "pkg": {"kind": "module", "path": "pkg/__init__.py"},
        "pkg.core": {"kind": "module", "path": "pkg/core.py"},
        "pkg.core.Thing": {"kind": "class", "path": "pkg/core.py", "flags": "exported"},
        "pkg.core.Thing.run": {"kind": "method", "path": "pkg/core.py"},
        "pkg.core.Thing._run": {"kind": "method", "path": "pkg/core.py"},
        "pkg.core.Sub.run": {"kind": "method", "path": "pkg/core.py"},
        "pkg.core.helper": {"kind": "function", "path": "pkg/core.py"},
    }
    ROLES: ClassVar = {"CHANGES.rst": "doc", "docs/api.rst": "doc", "docs/other.rst": "doc"}

    @pytest.fixture
    def path(self, tmp_path: Path) -> str:
        (tmp_path / "docs").mkdir()
        (tmp_path / "docs" / "api.rst").write_text("Call Thing.run() and helper.\n")
        (tmp_path / "docs" / "other.rst").write_text("Thing.running, my_helper, Thing.\n")
        edges = [("pkg.core.Sub.run", "overrides", "pkg.core.Thing.run")]
        return build(tmp_path / "recon.db", self.NODES, edges, roles=self.ROLES)

    def test_documents_and_strength(self, path: str, tmp_path: Path) -> None:
        found = study(path, "Thing.run=param_removed", root=tmp_path)
        assert rows(found, "to", "cause", "strength", "confidence") == [
            ("CHANGES.rst", "DocumentedBy", "check", 0.84),
            ("docs/api.rst", "DocumentedBy", "check", 0.3),
            ("pkg.core.Sub.run", "OverriddenBy", "must", 0.25),
        ]
        assert found["edges"][0]["at"] == {"path": "CHANGES.rst", "line": None}

    @pytest.mark.parametrize("name", ["Thing._run", "core.helper", "Sub.run", "pkg.core"])
    def test_what_nobody_else_uses(self, path: str, tmp_path: Path, name: str) -> None:
        found = study(path, f"{name}=param_removed", root=tmp_path)
        assert [each for each in found["edges"] if each["cause"] == "DocumentedBy"] == []

    @pytest.mark.parametrize(
        ("alias", "why", "public"),
        [
            ("pkg.helper", "reexport", True),
            ("pkg._helper", "reexport", False),
            ("src.pkg.core.helper", "source_root", False),
        ],
    )
    def test_what_a_package_takes_over(
        self, path: str, tmp_path: Path, alias: str, why: str, public: bool
    ) -> None:
        import contextlib
        import sqlite3

        with contextlib.closing(sqlite3.connect(path)) as database:
            database.execute("INSERT INTO aliases VALUES(?, 7, ?)", (alias, why))
            database.commit()
        found = study(path, "core.helper=param_removed", root=tmp_path)
        documents = [each["to"] for each in found["edges"] if each["cause"] == "DocumentedBy"]
        assert documents == (["CHANGES.rst", "docs/api.rst"] if public else [])

    def test_nothing_outside_the_repository_is_read(self, tmp_path: Path) -> None:
        inside = tmp_path / "inside"
        inside.mkdir()
        (tmp_path / "secret.md").write_text("Thing.run")
        (inside / "link.md").symlink_to(tmp_path / "secret.md")
        roles = {"../secret.md": "doc", "link.md": "doc", str(tmp_path / "secret.md"): "doc"}
        path = build(inside / "recon.db", self.NODES, roles=roles)
        assert rows(study(path, "Thing.run=param_removed", root=inside), "to") == []


class TestSoft:
    def test_neighbours_in_words_and_history(self, tmp_path: Path) -> None:
        (tmp_path / "src").mkdir()
        (tmp_path / "src" / "web.py").write_text(
            'def login():\n    """Open a session with a timeout."""\n\n\ndef other():\n    pass\n'
        )
        nodes: dict[str, Any] = {
            "auth.Session": "class",
            "web.login": {"kind": "function", "path": "src/web.py", "line": 1, "end_line": 2},
            "web.other": {"kind": "function", "path": "src/web.py", "line": 5, "end_line": 6},
            "far.away": {"kind": "function", "path": "src/far.py"},
        }
        history = [("src/a.py", "src/web.py", 6, 12), ("src/a.py", "src/far.py", 1, 12)]
        path = build(tmp_path / "recon.db", nodes, cochange=history)
        found = study(path, "auth.Session=body", root=tmp_path, request="session timeout")
        assert found["soft"] == [
            {
                "entity": "web.login",
                "lex": 1.0,
                "cochange": 0.5,
                "score": 0.75,
                "support": {"n_ab": 6, "n_a": 12},
            },
            {
                "entity": "web.other",
                "lex": 0.0,
                "cochange": 0.5,
                "score": 0.25,
                "support": {"n_ab": 6, "n_a": 12},
            },
        ]

    def test_the_seeds_speak_where_nothing_is_said(self, auth: str) -> None:
        found = study(auth, "Session.fetch=body")
        assert [each["entity"] for each in found["soft"]][:3] == [
            "auth.Session",
            "auth.Cached.fetch",
            "auth.Cached",
        ]


class TestAnswers:
    def test_twice_the_same(self, auth: str) -> None:
        once = study(auth, "Session.fetch=rename", "auth.Session=deleted")
        again = study(auth, "auth.Session=deleted", "Session.fetch=rename")
        assert json.dumps(once) == json.dumps(again)

    def test_the_encoder_reads_it(self, auth: str, tmp_path: Path) -> None:
        found = study(auth, "Session.fetch=param_added_required")
        (tmp_path / "impact.json").write_text(json.dumps(found))
        read = evidence.encode("impact", str(tmp_path / "impact.json"), [])
        assert len(read.edges) == 6
        assert read.edges[0].order == "together"
        # What the mended callers go through is a guess, what overrides do is not.
        assert [each.change for each in read.edges[4:]] == ["param_added_required", ""]
        assert read.edges[5][4:6] == ("", "")

    @pytest.mark.parametrize(
        ("seed", "code", "named"),
        [
            ("fetch=rename", "ENTITY_AMBIGUOUS", "auth.Cached.fetch, auth.Session.fetch"),
            ("auth.Session.load=rename", "ENTITY_UNKNOWN", "'auth.Session.load'"),
            ("auth.Other.fetch=rename", "ENTITY_UNKNOWN", "'auth.Other.fetch'"),
            ("auth.Session=renam", "CHANGE_UNKNOWN", "'renam'"),
        ],
    )
    def test_seeds_that_mean_nothing(self, auth: str, seed: str, code: str, named: str) -> None:
        with pytest.raises(InputError) as caught:
            study(auth, seed)
        assert caught.value.code == code
        assert named in caught.value.message

    def test_what_may_have_been_meant(self, auth: str) -> None:
        with pytest.raises(InputError) as caught:
            study(auth, "auth.Other.fetch=rename")
        assert caught.value.fix == "perhaps it is auth.Cached.fetch or auth.Session.fetch"
        with pytest.raises(InputError) as caught:
            study(auth, "auth.Session=renam")
        assert caught.value.fix.startswith("use rename")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b=rename", Seed("a.b", "rename")),
        (" a.b = rename ", Seed("a.b", "rename")),
        ("a.b=param-removed", Seed("a.b", "param_removed")),
        ("a.b=param_removed:x", Seed("a.b", "param_removed", {"param": "x"})),
        ("t.py::test[a=b]=body", Seed("t.py::test[a=b]", "body")),
    ],
)
def test_seeds_as_they_are_written(text: str, expected: Seed) -> None:
    assert parse(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("", "a", "a=", "=rename", "a=Rename", "a=re name", "a=rename:", "a=rename:x y"),
        *('a=rename").x("', f"a={'r' * 65}", "a=rename:1"),
    ],
)
def test_seeds_that_are_none(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert caught.value.code == "SEED_INVALID"


def test_each_seed_once() -> None:
    seeds: Sequence[Seed] = [
        Seed("b", "rename"),
        Seed("a", "param_removed", {"param": "y"}),
        Seed("a", "param_removed", {"param": "x"}),
        Seed("b", "rename", {}, "diff"),
    ]
    assert distinct(seeds) == [seeds[2], seeds[1], seeds[0]]


def test_hostile_names_stay_names(tmp_path: Path) -> None:
    """Whatever a repository calls its entities is a string of a fact."""
    evil = 'x"). seed("y'
    nodes = {"y": "function", evil: "function", "f\n%": "function"}
    path = build(tmp_path / "recon.db", nodes, [("f\n%", "calls", evil)])
    assert rows(study(path, f"{evil}=rename"), "from", "to") == [(evil, "f\n%")]
