"""Evidence as records, its origins, and how its names are matched to those of a plan."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support import EXAMPLES

from plan07 import evidence
from plan07.errors import InputError
from plan07.evidence import Edge, Evidence, Grounding, Names


class TestInline:
    def test_nothing(self) -> None:
        assert evidence.inline({}) == Evidence()

    def test_everything(self) -> None:
        found = evidence.inline(
            {
                "edges": [
                    {"from": "a", "to": "b", "cause": "CalledBy"},
                    {
                        "from": "a",
                        "to": "c",
                        "cause": "UsedBy",
                        "change": "rename",
                        "strength": "must",
                        "order": "split",
                        "resolution": "typed",
                        "confidence": 0.5,
                        "hop": 1,
                        "rule": "R",
                        "at": {"path": "src/c.py", "line": 3},
                        "derived_change": "body",
                    },
                ],
                "changes": [{"entity": "a", "change": "rename"}],
                "entities": [{"id": "a", "kind": "class"}],
                "tests": ["t.py::x"],
                "scores": {"O1": {"lex": 1}},
            }
        )
        assert found == Evidence(
            edges=(
                Edge("a", "b", "CalledBy", "", "", "", "exact", 1.0),
                Edge("a", "c", "UsedBy", "rename", "must", "together", "typed", 0.5),
            ),
            changes=(("a", "rename"),),
            entities={"a": "class"},
            files={"c": "src/c.py"},
            tests=("t.py::x",),
            scores={"O1": {"lex": 1}},
        )

    def test_an_absent_list_is_not_an_empty_one(self) -> None:
        """T10: `tests: []` is a closed world."""
        assert (evidence.inline({}).tests, evidence.inline({"tests": []}).tests) == (None, ())
        assert evidence.inline({}).entities is None
        assert evidence.inline({"entities": []}).entities == {}

    @pytest.mark.parametrize(
        ("order", "named"),
        [
            ("def<dep", "definition_first"),
            ("dep<def", "dependents_first"),
            ("split", "together"),
            ("none", "none"),
            ("-", "none"),
            ("\N{EN DASH}", "none"),
            (None, ""),
        ],
    )
    def test_the_orders(self, order: str | None, named: str) -> None:
        found = evidence.edge({"from": "a", "to": "b", "cause": "c", "order": order})
        assert found.order == named

    def test_null_says_nothing(self) -> None:
        optional = ("change", "strength", "order", "resolution", "confidence", "at")
        nulls = dict.fromkeys(optional)
        found = evidence.edge({"from": "a", "to": "b", "cause": "c", **nulls})
        assert found == Edge("a", "b", "c")
        assert evidence.sites([{"to": "b", "at": None}]) == {}

    def test_no_confidence_is_not_none_at_all(self) -> None:
        found = evidence.edge({"from": "a", "to": "b", "cause": "c", "confidence": 0})
        assert found.confidence == 0


class TestMerge:
    def test_one_is_itself(self) -> None:
        only = Evidence(tests=("a",))
        assert evidence.merge([only]) is only

    def test_lists_are_joined_and_later_mappings_win(self) -> None:
        first = Evidence(
            edges=(Edge("a", "b", "CalledBy"),),
            entities={"a": "class", "b": "function"},
            tests=("t1", "t2"),
            scores={"a": {"lex": 0.1}},
        )
        second = Evidence(
            edges=(Edge("a", "b", "CalledBy"), Edge("a", "c", "CalledBy")),
            entities={"b": "method"},
            tests=("t2", "t3"),
            scores={"a": {"lex": 0.2}},
        )
        found = evidence.merge([first, second])
        assert found.edges == second.edges
        assert found.entities == {"a": "class", "b": "method"}
        assert found.tests == ("t1", "t2", "t3")
        assert found.scores == {"a": {"lex": 0.2}}

    def test_unknown_stays_unknown_only_if_nobody_knows(self) -> None:
        assert evidence.merge([Evidence(), Evidence()]).tests is None
        assert evidence.merge([Evidence(), Evidence(tests=())]).tests == ()
        assert evidence.merge([Evidence(entities={}), Evidence()]).entities == {}


class TestEncode:
    def test_an_encoder_is_found_by_its_name(self) -> None:
        path = EXAMPLES / "cases" / "click-rename.impact.json"
        found = evidence.encode("impact", str(path), [])
        assert len(found.edges) == 19
        assert {each.order for each in found.edges} == {"together"}

    def test_an_unknown_encoder(self) -> None:
        with pytest.raises(InputError) as caught:
            evidence.encode("tea-leaves", "x", [])
        assert caught.value.code == "ENCODER_UNKNOWN"
        known = ["context", "impact", "localization", "recon"]
        assert caught.value.detail == {"name": "tea-leaves", "known": known}
        assert "'tea-leaves'" in caught.value.message
        assert caught.value.fix.startswith("use one of context, impact, localization, recon")

    def test_another_package_can_bring_one(self, tmp_path: Path) -> None:
        """An encoder needs an entry point and a function, nothing of this package's."""
        (tmp_path / "leaves.py").write_text(
            "from plan07.evidence import Evidence\n"
            "def encode(path, targets):\n"
            "    return Evidence(tests=(path, *targets))\n"
        )
        meta = tmp_path / "leaves-1.0.dist-info"
        meta.mkdir()
        (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: leaves\nVersion: 1.0\n")
        (meta / "entry_points.txt").write_text("[plan07.encoders]\nleaves = leaves:encode\n")
        code = (
            "from plan07 import evidence; print(evidence.encode('leaves', 'a cup', ['O1']).tests)"
        )
        done = subprocess.run(
            [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == "('a cup', 'O1')\n"


class TestNames:
    @pytest.mark.parametrize(
        ("targets", "known", "expected"),
        [
            (["repo.auth.S"], ["auth.S"], {"auth.S": "repo.auth.S"}),
            (["auth.S"], ["repo.auth.S"], {"repo.auth.S": "auth.S"}),
            (["auth.S"], ["auth.S"], {"auth.S": "auth.S"}),
            (["auth.S"], ["other.S"], {"other.S": "other.S"}),
            (["S"], ["auth.S"], {"auth.S": "S"}),
            (["src/auth.py::S"], ["S"], {"S": "src/auth.py::S"}),
            # Which of two is meant cannot be known, so neither is.
            (["S"], ["auth.S", "db.S"], {"auth.S": "auth.S", "db.S": "db.S"}),
            (["auth.S", "db.S"], ["S"], {"S": "S"}),
            (["MyS"], ["S"], {"S": "S"}),
            ([""], ["S"], {"S": "S"}),
        ],
    )
    def test_matching(self, targets: list[str], known: list[str], expected: dict[str, str]) -> None:
        names = Names(targets, known)
        assert {name: names[name] for name in known} == expected

    def test_a_name_nobody_knows_is_itself(self) -> None:
        assert Names(["a"], [])["b"] == "b"


class TestGround:
    ENTITIES = (("auth.S", "class"), ("auth.S.load", "method"), ("db.S.load", "method"))

    @pytest.mark.parametrize(
        ("target", "expected"),
        [
            ("auth.S", Grounding("binding", ("auth.S",))),
            ("repo.auth.S", Grounding("binding", ("repo.auth.S",))),
            ("S", Grounding("binding", ("S",))),
            ("S.load", Grounding("ambiguous", ("auth.S.load", "db.S.load"))),
            ("nope", Grounding("unresolved")),
            ("", Grounding("invalid_ref")),
            (" \t", Grounding("invalid_ref")),
        ],
    )
    def test_the_answers(self, target: str, expected: Grounding) -> None:
        """T16."""
        entities = dict(self.ENTITIES)
        found = evidence.ground([target], entities, Names([target], entities))
        assert found == {target: expected}

    def test_nothing_without_a_list(self) -> None:
        assert evidence.ground(["a"], None, Names(["a"], [])) == {}


@pytest.mark.parametrize(
    ("name", "ending", "does"),
    [
        ("a.b", "b", True),
        ("a:b", "b", True),
        ("a/b", "b", True),
        ("a::b.c", "b.c", True),
        ("ab", "b", False),
        ("b", "b", False),
        ("a.b", "", False),
        ("a.b", "a.b.c", False),
    ],
)
def test_ends_in(name: str, ending: str, does: bool) -> None:
    assert evidence.ends_in(name, ending) is does
