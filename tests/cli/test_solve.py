"""`plan07 solve`: what it prints, what its options do, and what it never does."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import recondb
from support import EXAMPLES, RULES, edge, obligation, plan

from plan07 import rulebook, solver

Run = Callable[..., Any]

TIMEOUT = str(EXAMPLES / "session-timeout.plan.json")
RENAME = str(EXAMPLES / "rename.plan.json")
TOP = [
    *("nodes", "edges", "ready", "blocked", "alternative", "checkpoints", "branch_scores"),
    *("order", "reasons", "composites", "stranded", "advice", "policy"),
]
NODE = [
    *("id", "target_entity", "obligation", "caused_by", "dependencies", "evidence"),
    *("status", "validation", "state"),
]


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """Return a function that writes a JSON file and returns its path."""

    def call(value: Any, name: str = "plan.json") -> str:
        path = tmp_path / name
        path.write_text(json.dumps(value), "utf-8")
        return str(path)

    return call


@pytest.fixture
def overlay(tmp_path: Path) -> Callable[..., str]:
    """Return a function that writes rule files and returns their directory."""

    def call(**files: str) -> str:
        directory = tmp_path / "overlay"
        directory.mkdir(exist_ok=True)
        for name, text in files.items():
            (directory / f"{name}.lp").write_text(text, "utf-8")
        return str(directory)

    return call


def without_evidence(name: str = TIMEOUT) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(Path(name).read_text("utf-8"))
    del value["evidence"]
    return value


class TestText:
    def test_a_plan_of_single_steps(self, run: Run) -> None:
        result = run("solve", TIMEOUT)
        consumer = "after O1 (R1 widen then rebind, CalledBy), O2 (R2 preserve then rely, CalledBy)"
        assert result.err == ""
        assert result.out == (
            "3 steps, 1 ready, 2 blocked\n"
            "\n"
            "step  id  status   does      entity                          because\n"
            "1     O1  ready    modify    repo.auth.SessionConfig.schema\n"
            "2     O2  blocked  preserve  repo.auth.SessionConfig         after O1\n"
            f"3     O3  blocked  modify    repo.auth.SessionManager        {consumer}\n"
            "\n"
            "checkpoints\n"
            "  step-1:O1 step-2:O2 step-3:O3\n"
        )

    def test_a_composite(self, run: Run) -> None:
        out = run("solve", RENAME).out
        together = "  because neither order is valid alone: auth.Session.fetch CalledBy"
        assert out.startswith(
            "1 step, 1 ready, 0 blocked\n"
            "\n"
            "step  id        status  does    entity                         because\n"
            "1     cycle:O1  ready   modify  auth.Session.fetch and 4 more\n"
            "\n"
            "cycle:O1 lands as one step\n"
            "  O1  modify  auth.Session.fetch\n"
            "  O2  modify  store.load.open_store\n"
            "  O3  modify  web.handlers.restore\n"
            "  O4  modify  cli.resume.main\n"
            "  O5  modify  tests.test_session.test_fetch\n"
            f"{together} store.load.open_store (rename)\n"
            f"{together} web.handlers.restore (rename)\n"
            f"{together} cli.resume.main (rename)\n"
        )

    def test_alternatives_the_best_first(self, run: Run) -> None:
        out = run("solve", EXAMPLES / "alternatives.plan.json").out
        assert out.startswith("2 steps, 1 ready, 1 blocked, 2 alternative\n")
        assert (
            "\nalternatives, not executed\n"
            "  O2  0.750  http.client.Client.send\n"
            "  O3  0.432  http.adapter.Adapter.send\n"
        ) in out

    def test_states_of_an_artifact(self, run: Run, write: Callable[..., str]) -> None:
        states = {"O1": "complete", "O2": "failed", "O3": "pending", "O4": "pending"}
        needs = {"O1": [], "O2": ["O1"], "O3": ["O2"], "O4": ["O1"]}
        nodes = [
            {**obligation(each, dependencies=needs[each]), "state": state}
            for each, state in states.items()
        ]
        out = run("solve", write({"nodes": nodes})).out
        assert out.startswith(
            "1 step, 1 ready, 1 blocked, 1 complete, 1 failed, 1 stranded\n"
            "\n"
            "step  id  status    does    entity  because\n"
            "2     O4  ready     modify  pkg.O4  after O1\n"
            "-     O1  complete  modify  pkg.O1\n"
            "-     O2  failed    modify  pkg.O2  after O1\n"
            "-     O3  stranded  modify  pkg.O3  after O2\n"
        )
        assert "checkpoints" not in out

    def test_what_differs_from_the_shipped_rules_is_told(
        self, run: Run, overlay: Callable[..., str]
    ) -> None:
        options = ("--policy", "cycle_policy=refuse", "--limit", "max_id=9")
        directory = overlay(mine="% Stage: schedule\n")
        result = run("solve", TIMEOUT, *options, "--rules", directory)
        assert result.out == run("solve", TIMEOUT).out + (
            "\n"
            "policy, where it differs from the shipped rules\n"
            "  cycle_policy=refuse max_id=9 mine.lp\n"
        )

    def test_advice_of_one_kind_is_told_once(self, run: Run, write: Callable[..., str]) -> None:
        records = [obligation(f"O{n}", cause="requirement") for n in range(1, 5)]
        out = run("solve", write(plan(*records))).out
        assert (
            "\nadvice\n"
            "  ASSUMED_BODY (4): O1, O2, O3, O4\n"
            '    such as: nothing says how "O1" changes its target, so it counts as a change of '
            "the body\n"
            "    fix: name the change in evidence.changes, or in caused_by (rename, new "
            "parameter, ...)\n"
        ) in out
        out = run("solve", write(plan(*records[:2]))).out
        assert out.count("  ASSUMED_BODY: nothing says how") == 2

    def test_wide_characters_keep_the_columns(self, run: Run, write: Callable[..., str]) -> None:
        records = [obligation("O1", "認証.セッション"), obligation("O2", "pkg.e\u0301")]
        lines = run("solve", write(plan(records[0], {**records[1], "dependencies": ["O1"]}))).out
        assert "\n1     O1  ready    modify  認証.セッション\n" in lines
        assert "\n2     O2  blocked  modify  pkg.e\u0301            after O1\n" in lines

    def test_no_text_acts_on_the_terminal(self, run: Run, write: Callable[..., str]) -> None:
        evil = "pkg.\x1b[31mred\x07\u202e\r\n## Output"
        result = run("solve", write(plan(obligation("O1", evil))))
        shown = r"pkg.\u001b[31mred\u0007\u202e\u000d\u000a## Output"
        assert f"1     O1  ready   modify  {shown}\n" in result.out
        assert not set(result.out) & set("\x1b\x07\u202e\r")


class TestColour:
    def test_none_when_standard_output_is_not_a_terminal(self) -> None:
        done = subprocess.run(["plan07", "solve", TIMEOUT], capture_output=True, check=True)
        assert b"\x1b" not in done.stdout

    @staticmethod
    def _on_a_terminal(**environment: str) -> str:
        leader, follower = pty.openpty()
        known = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        process = subprocess.Popen(
            [sys.executable, "-m", "plan07", "solve", TIMEOUT],
            stdout=follower,
            env={**known, "TERM": "xterm", **environment},
        )
        os.close(follower)
        found = b""
        # The end of a pseudo terminal is an error on Linux and an empty read elsewhere.
        with contextlib.suppress(OSError):
            while data := os.read(leader, 65536):
                found += data
        os.close(leader)
        assert process.wait() == 0
        return found.decode().replace("\r\n", "\n")

    def test_a_terminal_shows_the_status_in_colour(self) -> None:
        out = self._on_a_terminal()
        assert "1     O1  \x1b[32mready  \x1b[0m  modify" in out
        assert "2     O2  \x1b[33mblocked\x1b[0m  preserve" in out
        assert len(re.findall("\x1b", out)) == 6

    def test_no_color_is_respected(self) -> None:
        out = self._on_a_terminal(NO_COLOR="1")
        assert "\x1b" not in out
        assert "1     O1  ready    modify" in out


class TestJson:
    def test_keys_and_their_order(self, run: Run) -> None:
        """S-000-056: the plan DAG, then what solve adds."""
        document = run("solve", TIMEOUT, "--json").document()
        assert list(document) == TOP
        assert [list(node) for node in document["nodes"]] == [NODE, NODE, [*NODE, "derived"]]
        assert [list(reason) for reason in document["reasons"]] == [
            ["edge", "reason", "rule", "text"],
            ["edge", "reason", "rule", "text"],
            ["edge", "reason", "rule", "evidence", "text"],
            ["edge", "reason", "rule", "evidence", "text"],
        ]
        assert list(document["policy"]) == ["digest", "switches", "limits", "overlaid"]

    def test_keys_of_a_composite(self, run: Run) -> None:
        document = run("solve", RENAME, "--json").document()
        (node,) = document["nodes"]
        assert list(node) == [*NODE, "cycle_collapsed", "members"]
        assert [list(member) for member in node["members"]] == [NODE] * 5
        (composite,) = document["composites"]
        assert list(composite) == ["id", "members", "reasons"]
        assert composite["reasons"][0] == {
            "edge": ["O1", "O2"],
            "reason": "impact",
            "rule": "together",
            "evidence": {
                "cause": "CalledBy",
                "from": "auth.Session.fetch",
                "to": "store.load.open_store",
            },
            "text": "neither order is valid alone: auth.Session.fetch CalledBy "
            "store.load.open_store (rename)",
        }

    def test_keys_of_advice(self, run: Run, write: Callable[..., str]) -> None:
        path = write(plan(obligation("O1", cause="requirement")))
        (advice,) = run("solve", path, "--json").document()["advice"]
        assert list(advice) == ["code", "subject", "message", "fix", "detail"]

    def test_the_rules_of_the_run(self, run: Run) -> None:
        assert run("solve", TIMEOUT, "--json").document()["policy"] == {
            "digest": rulebook.load().digest,
            "switches": {
                "breaking_policy": "atomic",
                "cycle_policy": "collapse",
                "grounding_policy": "lenient",
            },
            "limits": {},
            "overlaid": [],
        }

    def test_one_ascii_document_with_an_indent_of_two(
        self, run: Run, write: Callable[..., str]
    ) -> None:
        out = run("solve", write(plan(obligation("O1", "認証.\x1b[31m"))), "--json").out
        assert out.isascii()
        assert "\x1b" not in out
        assert out == json.dumps(json.loads(out), indent=2) + "\n"
        assert json.loads(out)["nodes"][0]["target_entity"] == "認証.\x1b[31m"

    def test_twice_the_same_bytes(self, run: Run) -> None:
        """S-CARD-06."""
        assert run("solve", RENAME, "--json").out == run("solve", RENAME, "--json").out


class TestInput:
    @pytest.mark.parametrize("arguments", [(), ("--json",)], ids=["text", "json"])
    def test_a_dash_is_standard_input(self, run: Run, arguments: Sequence[str]) -> None:
        data = Path(TIMEOUT).read_bytes()
        assert run("solve", "-", *arguments, stdin=data) == run("solve", TIMEOUT, *arguments)

    def test_messages_call_it_standard_input(self, run: Run) -> None:
        result = run("solve", "-", stdin=b"{")
        assert result.status == 2
        assert result.err.startswith("plan07: JSON_INVALID: standard input:1:2: ")

    def test_an_artifact_solves_as_what_it_came_from(
        self, run: Run, write: Callable[..., str]
    ) -> None:
        first = run("solve", RENAME, "--json").document()
        second = run("solve", write({"nodes": first["nodes"]}), "--json").document()
        assert second["nodes"] == first["nodes"]
        assert second["order"] == first["order"]

    def test_the_input_is_never_rewritten(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "plan.json"
        shutil.copy(EXAMPLES / "refused" / "temporal-inconsistent.plan.json", path)
        before = path.read_bytes()
        os.chmod(path, 0o400)
        stamp = path.stat().st_mtime_ns
        assert run("solve", path).status == 1
        assert run("solve", path, "--repair", "--json").status == 0
        assert (path.read_bytes(), path.stat().st_mtime_ns) == (before, stamp)
        assert [each.name for each in tmp_path.iterdir()] == ["plan.json"]

    def test_from_another_directory(self, tmp_path: Path) -> None:
        """S-CARD-01: the rules are found wherever the command is run."""
        shutil.copy(TIMEOUT, tmp_path / "plan.json")
        arguments = ["plan07", "solve", "plan.json", "--json"]
        there = subprocess.run(arguments, cwd=tmp_path, capture_output=True, check=True)
        here = subprocess.run(
            ["plan07", "solve", TIMEOUT, "--json"], cwd="/", capture_output=True, check=True
        )
        assert there.stdout == here.stdout


class TestImpact:
    def test_edges_and_seeds_of_a_file(self, run: Run, write: Callable[..., str]) -> None:
        value = json.loads(Path(RENAME).read_text("utf-8"))
        evidence = value.pop("evidence")
        impact = {
            "schema": "plan07.impact/1",
            "seeds": [{"entity": "auth.Session.fetch", "change": "rename"}],
            "edges": evidence["edges"],
        }
        bare = write(value)
        assert run("solve", bare, "--json").document()["composites"] == []
        result = run("solve", bare, "--impact", write(impact, "impact.json"), "--json")
        assert result.status == 0
        assert result.out == run("solve", RENAME, "--json").out

    def test_it_is_merged_with_inline_evidence(self, run: Run, write: Callable[..., str]) -> None:
        records = [obligation(f"O{n}", f"pkg.e{n}") for n in (1, 2, 3)]
        inline = {"edges": [edge("pkg.e1", "pkg.e2", change="deleted")]}
        impact = {
            "schema": "plan07.impact/1",
            "edges": [edge("pkg.e2", "pkg.e3", change="deleted")],
        }
        path = write(plan(*records, evidence=inline))
        found = run("solve", path, "--impact", write(impact, "impact.json"), "--json").document()
        assert found["edges"] == [["O2", "O1"], ["O3", "O2"]]
        assert found["order"] == ["O3", "O2", "O1"]

    def test_soft_ranks_become_branch_scores(self, run: Run, write: Callable[..., str]) -> None:
        records = [obligation("O1"), obligation("O2", "pkg.alt", status="alternative")]
        impact = {
            "schema": "plan07.impact/1",
            "edges": [edge("pkg.O1", "pkg.alt", confidence=0.5)],
            "soft": [{"entity": "pkg.alt", "lex": 0.4, "score": 0.8}],
        }
        arguments = ("solve", write(plan(*records)), "--json")
        assert run(*arguments).document()["branch_scores"] == {"O2": 0.0}
        found = run(*arguments, "--impact", write(impact, "impact.json")).document()
        # 0.25 * 0.4 + 0.25 * 0.8 + 0.5 * 0.5
        assert found["branch_scores"] == {"O2": 0.55}

    def test_gaps_of_the_evidence_are_told(self, run: Run, write: Callable[..., str]) -> None:
        impact = {
            "schema": "plan07.impact/1",
            "edges": [],
            "truncated": [{"entity": "pkg.O1", "cause": "CalledBy", "kept": 64, "total": 650}],
            "unknown": [{"entity": "pkg.O1", "unresolved_calls": 7}],
        }
        path = write(plan(obligation("O1")))
        found = run("solve", path, "--impact", write(impact, "impact.json"), "--json").document()
        assert [(each["code"], each["detail"]) for each in found["advice"]] == [
            ("EVIDENCE_TRUNCATED", {"cause": "called_by", "kept": 64, "total": 650}),
            ("DEPENDENTS_UNKNOWN", {"calls": 7}),
        ]


RECON = f"""{recondb.SCHEMA}
INSERT INTO files(id,path,blob,parsed) VALUES
  (1,'src/auth.py','1',1), (2,'src/db.py','2',1), (3,'legacy.f90','3',0);
INSERT INTO nodes(id,fqn,kind,name,file_id,parent_id) VALUES
  (1,'auth','module','auth',1,NULL),
  (2,'auth.SessionConfig','class','SessionConfig',1,1),
  (3,'auth.SessionConfig.schema','method','schema',1,2),
  (4,'auth.SessionManager','class','SessionManager',1,1),
  (5,'db','module','db',2,NULL),
  (6,'db.Session','class','Session',2,5),
  (7,'db.Session.load','method','load',2,6),
  (8,'auth.SessionManager.load','method','load',1,4);
INSERT INTO edges(src,kind,dst,resolution,confidence,source) VALUES
  (4,'calls',2,'typed',0.9,'ast'), (8,'calls',7,'exact',1.0,'ast');
INSERT INTO unresolved(name,kind) VALUES ('load','calls'), ('load','calls'), ('load','reads');
INSERT INTO aliases(alias,node_id) VALUES ('auth.Config',2);
INSERT INTO tests(nodeid) VALUES ('tests/test_config.py::test_old_default');
"""


@lru_cache
def recon_bytes() -> bytes:
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        database.executescript(RECON)
        return database.serialize()


@pytest.fixture
def recon(tmp_path: Path) -> str:
    """Return the path of a small recon.db, built from the schema of its format."""
    path = tmp_path / "recon.db"
    path.write_bytes(recon_bytes())
    return str(path)


class TestRecon:
    def test_its_relations_order(self, run: Run, write: Callable[..., str], recon: str) -> None:
        """S-000-037: ordering is assembled from component 03."""
        value = without_evidence()
        for record in value["obligations"]:
            record["target_entity"] = record["target_entity"].removeprefix("repo.")
        path = write(value)
        assert ["O2", "O3"] not in run("solve", path, "--json").document()["edges"]
        found = run("solve", path, "--recon", recon, "--json").document()
        assert found["edges"] == [["O1", "O2"], ["O1", "O3"], ["O2", "O3"]]
        assert found["reasons"][-1]["evidence"] == {
            "cause": "CalledBy",
            "from": "auth.SessionConfig",
            "to": "auth.SessionManager",
        }
        assert found["advice"] == []

    @pytest.mark.parametrize(
        ("target", "code", "detail"),
        [
            pytest.param("auth.SessionConfig", None, {}, id="exact"),
            pytest.param("auth.Config", None, {}, id="alias"),
            pytest.param("src/auth.py::SessionManager.load", None, {}, id="path"),
            pytest.param("src/auth.py", None, {}, id="file"),
            pytest.param("Session.load", None, {}, id="suffix"),
            pytest.param(
                "load",
                "TARGET_AMBIGUOUS",
                {
                    "target": "load",
                    "grounding": "ambiguous",
                    "candidates": ["auth.SessionManager.load", "db.Session.load"],
                },
                id="ambiguous",
            ),
            pytest.param(
                "auth.Missing",
                "TARGET_UNRESOLVED",
                {"target": "auth.Missing", "grounding": "unresolved"},
                id="unresolved",
            ),
            pytest.param(
                "legacy.f90",
                "TARGET_UNRESOLVED",
                {"target": "legacy.f90", "grounding": "unsupported"},
                id="unsupported",
            ),
            pytest.param(
                " ",
                "TARGET_UNRESOLVED",
                {"target": " ", "grounding": "invalid_ref"},
                id="invalid",
            ),
        ],
    )
    def test_grounding(
        self,
        run: Run,
        write: Callable[..., str],
        recon: str,
        target: str,
        code: str | None,
        detail: dict[str, Any],
    ) -> None:
        """S-000-120, S-004-18: the four answers of the index, and what names an entity."""
        path = write(plan(obligation("O1", target)))
        result = run("solve", path, "--recon", recon, "--json")
        assert result.status == 0
        found = [(each["code"], each["detail"]) for each in result.document()["advice"]]
        grounded = [each for each in found if each[0].startswith("TARGET")]
        assert grounded == ([(code, detail)] if code else [])

    def test_strict_grounding_refuses_what_is_ambiguous(
        self, run: Run, write: Callable[..., str], recon: str
    ) -> None:
        path = write(plan(obligation("O1", "load"), obligation("O2", "auth.Missing")))
        result = run("solve", path, "--recon", recon, "--strict-grounding", "--json")
        assert result.status == 1
        assert [
            (each["code"], each["subject"], each["detail"])
            for each in result.document()["error"]["violations"]
        ] == [
            (
                "AMBIGUOUS_TARGET",
                "O1",
                {
                    "target": "load",
                    "candidates": ["auth.SessionManager.load", "db.Session.load"],
                },
            )
        ]

    def test_its_tests_are_the_tests_of_the_repository(
        self, run: Run, write: Callable[..., str], recon: str
    ) -> None:
        there = obligation(
            "O1", "db", verb="validate", validation="tests/test_config.py::test_old_default"
        )
        missing = obligation("O2", "db", verb="validate", validation="tests/test_config.py::test_x")
        result = run("solve", write(plan(there, missing)), "--recon", recon, "--json")
        violations = result.document()["error"]["violations"]
        assert [(each["code"], each["subject"]) for each in violations] == [
            ("UNDEFINED_TEST", "O2")
        ]

    def test_unresolved_calls_are_told(
        self, run: Run, write: Callable[..., str], recon: str
    ) -> None:
        path = write(plan(obligation("O1", "db.Session.load")))
        found = run("solve", path, "--recon", recon, "--json").document()["advice"]
        assert [(each["code"], each["detail"]) for each in found] == [
            ("DEPENDENTS_UNKNOWN", {"calls": 2})
        ]

    def test_it_is_opened_read_only(
        self, run: Run, write: Callable[..., str], recon: str, tmp_path: Path
    ) -> None:
        before = Path(recon).read_bytes()
        os.chmod(recon, 0o400)
        assert run("solve", write(plan(obligation("O1", "db"))), "--recon", recon).status == 0
        assert Path(recon).read_bytes() == before
        assert sorted(each.name for each in tmp_path.iterdir()) == ["plan.json", "recon.db"]


LADDER_PLANS: dict[str, dict[str, Any]] = {
    "widen_then_rebind": plan(
        obligation("O1", cause="consumer re-bind"), obligation("O2", cause="type-widening")
    ),
    "rebind_then_compile": plan(
        obligation("O1", cause="compilation"), obligation("O2", cause="consumer re-bind")
    ),
    "widen_then_compile": plan(
        obligation("O1", cause="compilation"), obligation("O2", cause="type-widening")
    ),
    "preserve_then_rely": plan(
        obligation("O1", cause="relies on the new default"),
        obligation("O2", verb="preserve", cause="constraint"),
    ),
    "preserve_then_retest": plan(
        obligation("O1", "pkg.a", verb="validate", cause="old default still works"),
        obligation("O2", "pkg.a", verb="preserve", cause="constraint"),
    ),
    "retest_then_rely": plan(
        obligation("O1", "pkg.a", verb="validate", cause="custom value"),
        obligation("O2", "pkg.a", verb="validate", cause="old default still works"),
        obligation("O3", "pkg.a", verb="preserve", cause="constraint"),
    ),
    "migrate_then_use": plan(
        obligation("O1", cause="usage of the migrated column"),
        obligation("O2", cause="schema migration"),
    ),
    "share_then_use": plan(
        obligation("O1", cause="reads it"),
        obligation("O2", cause="shared type"),
        evidence={"edges": [edge("pkg.O2", "pkg.O1", "UsedBy")]},
    ),
    "define_then_run": plan(
        obligation("O1", verb="validate", validation="tests/test_a.py::test_b"),
        obligation("O2", "tests.test_a"),
    ),
}


class TestRules:
    @pytest.mark.parametrize("rung", LADDER_PLANS)
    def test_without_a_rung_its_edge_is_gone(
        self, run: Run, write: Callable[..., str], overlay: Callable[..., str], rung: str
    ) -> None:
        """S-CARD-02: a rung removed in a copy of the rules changes the outcome."""
        path = write(LADDER_PLANS[rung])
        shipped = run("solve", path, "--json").document()
        assert rung in {each["rule"] for each in shipped["reasons"]}
        text = (RULES / "ladder.lp").read_text("utf-8")
        pattern = re.compile(rf"^rung\(\d, \w+, \w+, {rung}\)\.\n", re.M)
        assert len(pattern.findall(text)) == 1
        directory = overlay(ladder=pattern.sub("", text))
        found = run("solve", path, "--rules", directory, "--json").document()
        assert rung not in {each["rule"] for each in found["reasons"]}
        assert found["policy"]["overlaid"] == ["ladder.lp"]
        assert found["policy"]["digest"] != shipped["policy"]["digest"]

    def test_a_whole_copy_of_the_rules_solves_alike(self, run: Run, tmp_path: Path) -> None:
        shutil.copytree(RULES, tmp_path / "rules")
        shipped = run("solve", RENAME, "--json").document()
        copied = run("solve", RENAME, "--rules", tmp_path / "rules", "--json").document()
        assert copied == shipped

    def test_an_overlay_adds_a_file(self, run: Run, overlay: Callable[..., str]) -> None:
        directory = overlay(mine='% Stage: schedule\nprefer("O3", -1).\n')
        plain = str(EXAMPLES / "deletion.plan.json")
        assert run("solve", plain, "--json").document()["order"] == ["O2", "O3", "O4", "O1"]
        found = run("solve", plain, "--rules", directory, "--json").document()
        assert found["order"] == ["O3", "O2", "O4", "O1"]
        assert found["policy"]["overlaid"] == ["mine.lp"]

    def test_an_overlay_refuses_in_its_own_words(
        self, run: Run, overlay: Callable[..., str]
    ) -> None:
        rule = '% Stage: graph\nviolation(frozen("auth"), O) :- target(O, "auth.Session.fetch").\n'
        result = run("solve", RENAME, "--rules", overlay(frozen=rule), "--json")
        assert result.status == 1
        assert result.document()["error"]["violations"] == [
            {
                "code": "FROZEN",
                "subject": "O1",
                "message": '"O1": a rule of the overlay says so',
                "fix": "see the rule",
                "detail": {"argument_1": "auth"},
            }
        ]

    def test_the_environment_names_an_overlay_and_the_option_outranks_it(
        self, run: Run, overlay: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        plain = str(EXAMPLES / "deletion.plan.json")
        shipped = run("solve", plain, "--json").document()
        overlaid = overlay(mine='% Stage: schedule\nprefer("O3", -1).\n')
        other = tmp_path / "other"
        other.mkdir()
        (other / "other.lp").write_text("% Stage: schedule\n")
        monkeypatch.setenv("PLAN07_RULES", overlaid)
        assert run("solve", plain, "--json").document()["order"] == ["O3", "O2", "O4", "O1"]
        found = run("solve", plain, "--rules", other, "--json").document()
        assert found["order"] == shipped["order"]
        assert found["policy"]["overlaid"] == ["other.lp"]
        monkeypatch.setenv("PLAN07_RULES", "")
        assert run("solve", plain, "--json").document() == shipped

    @pytest.mark.parametrize(
        ("rule", "status", "code"),
        [
            pytest.param("p(1).\n", 3, "RULES_STAGE", id="no stage"),
            pytest.param("% Stage: later\np(1).\n", 3, "RULES_STAGE", id="unknown stage"),
            pytest.param("% Stage: graph\np(X).\n", 3, "RULES_BROKEN", id="unsafe"),
            pytest.param("% Stage: graph\np(1)\n", 3, "RULES_BROKEN", id="syntax"),
            pytest.param("% Stage: graph\np :- not p.\n", 3, "RULES_UNSATISFIABLE", id="odd loop"),
            pytest.param("% Stage: graph\n{ p }.\n", 3, "RULES_AMBIGUOUS", id="choice"),
        ],
    )
    def test_a_broken_overlay(
        self, run: Run, overlay: Callable[..., str], rule: str, status: int, code: str
    ) -> None:
        result = run("solve", TIMEOUT, "--rules", overlay(mine=rule), "--json")
        error = result.document()["error"]
        assert (result.status, error["code"], error["phase"]) == (status, code, "rules")

    def test_a_bare_constraint_refuses_in_the_words_of_the_user(
        self, run: Run, overlay: Callable[..., str]
    ) -> None:
        directory = overlay(mine='% Stage: graph\n\n:- target(O, "repo.auth.SessionManager").\n')
        result = run("solve", TIMEOUT, "--rules", directory)
        assert (result.status, result.out) == (1, "")
        said = 'mine.lp:3 forbids :- target(O, "repo.auth.SessionManager").'
        assert result.err.startswith(f'plan07: OVERLAY: "O3": {said}\n')

    def test_a_broken_overlay_is_told_by_file_and_line(
        self, run: Run, overlay: Callable[..., str]
    ) -> None:
        directory = overlay(mine="% Stage: graph\n\np(X).\n")
        result = run("solve", TIMEOUT, "--rules", directory)
        assert result.status == 3
        assert f"{directory}/mine.lp:3:1-6: error: unsafe variables" in result.err

    @pytest.mark.parametrize(
        ("rule", "why"),
        [
            pytest.param("% Stage: graph\n#show 5 : obligation(_).\n", "a number", id="number"),
            pytest.param(
                "% Stage: graph\nviolation(mine).\n#show violation/1.\n", "an arity", id="arity"
            ),
            pytest.param(
                '% Stage: graph\nprecedes("O1", "O9", mine).\n', "an unknown id", id="precedes"
            ),
            pytest.param('% Stage: schedule\nready("O9").\n', "an unknown id", id="ready"),
            pytest.param('% Stage: schedule\nedge("O9", "O1").\n', "an unknown id", id="edge"),
            pytest.param(
                '% Stage: schedule\nbranch_score("O9", 5).\n', "an unknown id", id="branch score"
            ),
            pytest.param(
                '% Stage: schedule\nbranch_score("O1", 5000).\n', "more than 1", id="a score of 5"
            ),
            pytest.param('% Stage: schedule\nready("O2").\n', "two parts", id="ready and blocked"),
            pytest.param('% Stage: schedule\nmember("O1", "O2").\n', "two units", id="two units"),
            pytest.param('% Stage: graph\nprecedes("O2", "O3", (1, 2)).\n', "a tuple", id="tuple"),
            pytest.param("% Stage: admission\nhalts(mine).\n", "no violation", id="halts"),
        ],
    )
    def test_atoms_of_an_overlay_that_python_cannot_use(
        self, run: Run, overlay: Callable[..., str], rule: str, why: str
    ) -> None:
        """Exit codes: broken rules are 3, and never a traceback."""
        result = run("solve", TIMEOUT, "--rules", overlay(mine=rule), "--json")
        assert result.status == 3, why
        assert result.document()["error"]["phase"] == "rules"

    @pytest.mark.parametrize(
        ("rule", "said"),
        [
            ("% Stage: schedule\nprefer(O, -1) :- verbb(O, validate).\n", "mine.lp:2:18-36: atom"),
            (
                '% Stage: admission\nviolation("x", O) :- verb(O, modify).\n',
                "mine.lp:2:22-37: atom",
            ),
            ("% Stage: schedule\nprefer(O, -5 / 0) :- verb(O, modify).\n", "mine.lp:2:11-17: oper"),
        ],
        ids=["a misspelt atom", "an atom of another stage", "an undefined operation"],
    )
    def test_a_rule_that_can_never_fire_is_told(
        self, run: Run, overlay: Callable[..., str], rule: str, said: str
    ) -> None:
        """A gate that is none must not look like one."""
        result = run("solve", TIMEOUT, "--rules", overlay(mine=rule), "--json")
        assert result.status == 0
        notices = [each for each in result.document()["advice"] if each["code"] == "RULE_NOTICE"]
        assert [each["message"][: len(said)] for each in notices] == [said]

    def test_a_refusal_whose_code_is_a_text_is_not_lost(
        self, run: Run, overlay: Callable[..., str]
    ) -> None:
        """A rule that refuses must never be passed over in silence."""
        rule = '% Stage: graph\nviolation("not on a Friday", "O1").\n'
        assert run("solve", TIMEOUT, "--rules", overlay(mine=rule)).status in (1, 3)

    @pytest.mark.parametrize(
        ("make", "code"),
        [
            pytest.param(lambda path: None, "RULES_UNREADABLE", id="missing"),
            pytest.param(lambda path: path.write_text(""), "RULES_UNREADABLE", id="a file"),
            pytest.param(lambda path: path.mkdir(), "RULES_EMPTY", id="empty"),
            pytest.param(
                lambda path: (path.mkdir(), (path / "a.lp").write_bytes(b"% Stage: graph\n\xff")),
                "RULES_UNREADABLE",
                id="not UTF-8",
            ),
        ],
    )
    def test_a_directory_that_is_none(
        self, run: Run, tmp_path: Path, make: Callable[[Path], Any], code: str
    ) -> None:
        directory = tmp_path / "rules"
        make(directory)
        result = run("solve", TIMEOUT, "--rules", directory, "--json")
        error = result.document()["error"]
        assert (result.status, error["code"]) == (2, code)
        assert str(directory) in error["message"]


class TestPolicyAndLimit:
    def test_a_switch(self, run: Run) -> None:
        cycle = str(EXAMPLES / "refused" / "decomposition-cycle.plan.json")
        collapsed = run("solve", cycle, "--json").document()
        assert collapsed["order"] == ["cycle:O1"]
        refused = run("solve", cycle, "--policy", "cycle_policy=refuse", "--json")
        assert refused.status == 1
        assert refused.document()["error"]["violations"][0]["detail"] == {
            "members": ["O1", "O2"],
            "chain": ["O1", "O2", "O1"],
        }

    def test_switches_stand_in_the_result_and_the_digest(self, run: Run) -> None:
        one = run("solve", TIMEOUT, "--json").document()["policy"]
        other = run(
            "solve", TIMEOUT, "--policy", "cycle_policy=refuse", "--limit", "max_id=3", "--json"
        ).document()["policy"]
        assert other["switches"] == {**one["switches"], "cycle_policy": "refuse"}
        assert other["limits"] == {"max_id": 3}
        assert other["digest"] != one["digest"]

    def test_a_limit_each_way(self, run: Run) -> None:
        chars = str(EXAMPLES / "refused" / "cap-exceeded.plan.json")
        assert run("solve", chars, "--limit", "max_evidence=201").status == 0
        result = run("solve", TIMEOUT, "--limit", "max_obligations=2", "--json")
        assert result.status == 1
        assert result.document()["error"]["violations"][0]["detail"] == {
            "field": "obligations",
            "count": 3,
            "limit": 2,
        }

    def test_the_fix_of_a_cap_is_an_option_that_works(self, run: Run) -> None:
        for name in ("cap-exceeded", "artifact-cap"):
            path = str(EXAMPLES / "refused" / f"{name}.plan.json")
            fix = run("solve", path, "--json").document()["error"]["fix"]
            option = re.search(r"--limit \S+", fix)
            assert option is not None
            assert run("solve", path, *option.group().split()).status == 0

    @pytest.mark.parametrize(
        ("arguments", "code", "quotes"),
        [
            (("--policy", "colour=blue"), "POLICY_UNKNOWN", "'colour'"),
            (("--policy", "cycle_policy=maybe"), "POLICY_INVALID", "'maybe'"),
            (("--policy", "cycle_policy"), "USAGE", "'cycle_policy'"),
            (("--policy", "=refuse"), "USAGE", "'=refuse'"),
            (("--limit", "max_colour=1"), "LIMIT_UNKNOWN", "'max_colour'"),
            (("--limit", "max_id=many"), "LIMIT_INVALID", "'many'"),
            (("--limit", "max_id=-1"), "LIMIT_INVALID", "'-1'"),
            (("--limit", "max_id=1.5"), "LIMIT_INVALID", "'1.5'"),
            (("--limit", "max_id=٣"), "LIMIT_INVALID", "'٣'"),
            (("--limit", "max_id=2147483648"), "LIMIT_INVALID", "2147483648"),
            (("--limit", "max_id"), "USAGE", "'max_id'"),
            (("--time-limit", "0"), "TIME_LIMIT_INVALID", "0.0"),
            (("--time-limit", "-1"), "TIME_LIMIT_INVALID", "-1.0"),
            (("--time-limit", "nan"), "TIME_LIMIT_INVALID", "nan"),
            (("--time-limit", "soon"), "USAGE", "'soon'"),
            (("--colour",), "USAGE", "--colour"),
        ],
        ids=lambda each: " ".join(each) if isinstance(each, tuple) else "",
    )
    def test_an_option_that_is_wrong(
        self, run: Run, arguments: tuple[str, ...], code: str, quotes: str
    ) -> None:
        result = run("solve", TIMEOUT, *arguments, "--json")
        error = result.document()["error"]
        assert (result.status, error["code"], error["phase"]) == (2, code, "usage")
        assert quotes in error["message"]
        assert error["fix"] != ""

    @pytest.mark.parametrize("seconds", ["inf", "1e300"])
    def test_a_time_limit_beyond_every_clock(self, run: Run, seconds: str) -> None:
        result = run("solve", TIMEOUT, "--time-limit", seconds, "--json")
        assert result.status in (0, 2)
        assert isinstance(result.document(), dict)

    @pytest.mark.parametrize("option", ["--impact", "--recon", "--rules"])
    def test_an_empty_path_is_not_no_path(self, run: Run, option: str) -> None:
        """An unset variable of a shell must not drop the evidence in silence."""
        assert run("solve", TIMEOUT, option, "").status == 2


class TestRepair:
    def test_the_fewest_are_dropped_and_told(self, run: Run, write: Callable[..., str]) -> None:
        records = [
            obligation("O1", cause="type-widening", dependencies=["O2", "O4"]),
            obligation("O2", cause="consumer re-bind", dependencies=["O3"]),
            obligation("O3"),
            obligation("O4"),
        ]
        path = write(plan(*records))
        assert run("solve", path).status == 1
        found = run("solve", path, "--repair", "--json").document()
        assert [(each["code"], each["subject"], each["detail"]) for each in found["advice"]] == [
            ("DEPENDENCY_DROPPED", "O1", {"dependency": "O2"})
        ]
        assert found["edges"] == [["O1", "O2"], ["O3", "O2"], ["O4", "O1"]]
        nodes = {node["id"]: node["dependencies"] for node in found["nodes"]}
        assert nodes == {"O1": ["O4"], "O2": ["O1", "O3"], "O3": [], "O4": []}

    def test_what_is_consistent_is_left_alone(self, run: Run) -> None:
        assert run("solve", TIMEOUT, "--repair", "--json") == run("solve", TIMEOUT, "--json")

    def test_what_no_dependency_explains_is_refused_all_the_same(self, run: Run) -> None:
        path = str(EXAMPLES / "refused" / "ladder-conflict.plan.json")
        assert run("solve", path, "--repair") == run("solve", path)


RUNAWAY = """% Stage: graph
n(1..400).
boom(A, B, C, D) :- n(A), n(B), n(C), n(D).
"""


class TestTimeLimit:
    def test_a_runaway_rule_is_stopped(self, run: Run, overlay: Callable[..., str]) -> None:
        result = run(
            "solve", TIMEOUT, "--rules", overlay(boom=RUNAWAY), "--time-limit", "1", "--json"
        )
        assert result.status == 3
        assert result.document() == {
            "error": {
                "code": "TIME_LIMIT",
                "phase": "rules",
                "message": "the rules did not come to an answer within 1 seconds",
                "fix": "look for a rule of the overlay that multiplies, or raise --time-limit",
                "retryable": False,
                "detail": {"seconds": 1.0},
                "violations": [],
            }
        }

    def test_a_defect_in_the_child_is_told_as_one(
        self, run: Run, overlay: Callable[..., str]
    ) -> None:
        """Not as a want of memory: with and without the limit the same is told."""
        arguments = ("solve", TIMEOUT, "--rules", overlay(mine="% Stage: admission\nhalts(x).\n"))
        limited = run(*arguments, "--time-limit", "60", "--json")
        assert limited == run(*arguments, "--json")
        assert limited.status == 3

    @pytest.mark.parametrize("arguments", [(), ("--json",)], ids=["text", "json"])
    def test_within_the_limit_nothing_differs(self, run: Run, arguments: tuple[str, ...]) -> None:
        limited = run("solve", RENAME, "--time-limit", "60", *arguments)
        assert limited == run("solve", RENAME, *arguments)
        assert limited.status == 0

    def test_a_refusal_and_relative_paths_pass_through(
        self, run: Run, write: Callable[..., str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.chdir(tmp_path)
        rename = json.loads(Path(RENAME).read_text("utf-8"))
        impact = {
            "schema": "plan07.impact/1",
            "edges": [edge("auth.Session.fetch", "web.forgotten")],
        }
        write(rename)
        write(impact, "impact.json")
        Path("overlay").mkdir()
        Path("overlay/mine.lp").write_text('% Stage: graph\nviolation(mine, "O2").\n')
        options = ("--impact", "impact.json", "--rules", "overlay", "--json")
        limited = run("solve", "plan.json", *options, "--time-limit", "60")
        assert limited == run("solve", "plan.json", *options)
        assert limited.status == 1
        violations = limited.document()["error"]["violations"]
        assert [each["code"] for each in violations] == ["UNRESOLVED_DEPENDENT", "MINE"]

    def test_malformed_input_is_told_with_the_limit_too(
        self, run: Run, write: Callable[..., str]
    ) -> None:
        path = write({"obligations": [{"id": 1}]})
        limited = run("solve", path, "--time-limit", "60", "--json")
        assert limited == run("solve", path, "--json")
        assert limited.status == 2


class TestStats:
    def test_they_stand_on_standard_error(self, run: Run) -> None:
        result = run("solve", TIMEOUT, "--stats", "--json")
        assert result.out == run("solve", TIMEOUT, "--json").out
        assert re.fullmatch(
            r"plan07: rules [\d.]+ ms, evidence [\d.]+ ms, graph [\d.]+ ms, "
            r"schedule [\d.]+ ms, 3 nodes, 3 edges, 0 composites\n",
            result.err,
        )

    def test_a_child_tells_the_sizes(self, run: Run) -> None:
        result = run("solve", TIMEOUT, "--stats", "--time-limit", "60")
        assert result.err == "plan07: 3 nodes, 3 edges, 0 composites\n"


class TestErrors:
    def test_with_json_the_document_stands_on_standard_output(
        self, run: Run, write: Callable[..., str]
    ) -> None:
        """All violations at once, in the one error shape."""
        path = write(plan(obligation("O1", cause=""), obligation("O2", dependencies=["O9"])))
        result = run("solve", path, "--json")
        assert (result.status, result.err) == (1, "")
        assert result.document() == {
            "error": {
                "code": "UNKNOWN_DEPENDENCY",
                "phase": "admission",
                "message": '"O2" depends on "O9", which the plan does not hold (and 1 more)',
                "fix": 'add the obligation "O9", or remove the dependency',
                "retryable": False,
                "detail": {"subject": "O2", "id": "O2", "missing": "O9"},
                "violations": [
                    {
                        "code": "UNKNOWN_DEPENDENCY",
                        "subject": "O2",
                        "message": '"O2" depends on "O9", which the plan does not hold',
                        "fix": 'add the obligation "O9", or remove the dependency',
                        "detail": {"id": "O2", "missing": "O9"},
                    },
                    {
                        "code": "UNGROUNDED",
                        "subject": "O1",
                        "message": '"O1" names neither a cause nor a dependency',
                        "fix": "say in caused_by what demands it, or remove it",
                        "detail": {},
                    },
                ],
            }
        }

    def test_without_json_sentences_stand_on_standard_error(
        self, run: Run, write: Callable[..., str]
    ) -> None:
        path = write(plan(obligation("O1", cause=""), obligation("O2", dependencies=["O9"])))
        result = run("solve", path)
        assert (result.status, result.out) == (1, "")
        assert result.err == (
            'plan07: UNKNOWN_DEPENDENCY: "O2" depends on "O9", which the plan does not hold\n'
            '  fix: add the obligation "O9", or remove the dependency\n'
            'plan07: UNGROUNDED: "O1" names neither a cause nor a dependency\n'
            "  fix: say in caused_by what demands it, or remove it\n"
        )

    def test_a_missing_argument(self, run: Run) -> None:
        result = run("solve")
        assert (result.status, result.out) == (2, "")
        assert result.err == (
            "plan07: USAGE: Missing argument 'PLAN'.\n  fix: see `plan07 solve --help`\n"
        )

    def test_an_unknown_command(self, run: Run) -> None:
        result = run("conquer", "--json")
        assert (result.status, result.document()["error"]["code"]) == (2, "USAGE")
        assert "'conquer'" in result.document()["error"]["message"]

    def test_no_arguments_show_the_help(self, run: Run) -> None:
        result = run()
        assert result.status in (0, 2)
        assert "\nCommands:\n" in result.out + result.err

    @pytest.mark.parametrize(
        ("size", "arguments", "unbuffered"),
        [(1, (), ""), (64, ("--json",), ""), (64, (), "1")],
        ids=["at the end", "within", "at the first line"],
    )
    def test_a_closed_pipe_ends_quietly(
        self, write: Callable[..., str], size: int, arguments: tuple[str, ...], unbuffered: str
    ) -> None:
        """Wherever the reader was gone."""
        records = [
            obligation(f"O{n}", evidence="x" * 60, dependencies=[f"O{n - 1}"] if n > 1 else [])
            for n in range(1, size + 1)
        ]
        process = subprocess.Popen(
            ["plan07", "solve", write(plan(*records)), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait() == 0

    def test_an_interrupt_is_no_traceback(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupted(*_: Any) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(solver, "solve_plan", interrupted)
        result = run("solve", TIMEOUT)
        assert (result.status, result.out) == (130, "")
        ended, said = result.err.splitlines()[:2]  # the first ends the line that shows ^C
        assert (ended, said) == ("", "plan07: INTERRUPTED: it was interrupted")

    @pytest.mark.parametrize("arguments", [(), ("--json",)], ids=["text", "json"])
    def test_a_defect_of_plan07_is_not_a_refusal(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
    ) -> None:
        """Exit codes: 1 is "judged no", 3 is plan07 itself."""

        def broken(*_: Any) -> None:
            raise ZeroDivisionError("deep inside")

        monkeypatch.setattr(solver, "solve_plan", broken)
        result = run("solve", TIMEOUT, *arguments)
        assert result.status == 3
        assert "deep inside" in (result.out if arguments else result.err)

    def test_a_terminal_without_unicode_shows_escapes(self, write: Callable[..., str]) -> None:
        done = subprocess.run(
            ["plan07", "solve", write(plan(obligation("O1", "認証")))],
            capture_output=True,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
            check=True,
        )
        assert b"modify  \\u8a8d\\u8a3c\n" in done.stdout

    def test_head_reads_one_line(self) -> None:
        line = f"set -o pipefail; plan07 solve {RENAME} | head -1"
        done = subprocess.run(["bash", "-c", line], capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (
            0,
            b"1 step, 1 ready, 0 blocked\n",
            b"",
        )

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
    def test_a_full_disk_is_told(self) -> None:
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                ["plan07", "solve", TIMEOUT], stdout=full, stderr=subprocess.PIPE, check=False
            )
        assert b"Traceback" not in done.stderr
        assert done.returncode in (2, 3)

    def test_a_closed_standard_input_is_told(self) -> None:
        done = subprocess.run(
            ["bash", "-c", "plan07 solve - <&-"], capture_output=True, check=False
        )
        assert b"Traceback" not in done.stderr
        assert done.returncode == 2


class TestHelp:
    def test_the_example_of_the_help_runs(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        result = run("solve", "--help")
        assert result.status == 0
        example = re.search(r"Example: plan07 (.+)", result.out)
        assert example is not None
        monkeypatch.chdir(EXAMPLES.parents[1])
        assert run(*example.group(1).split()).status == 0

    def test_it_tells_the_options_and_the_exit_codes(self, run: Run) -> None:
        out = run("solve", "--help").out
        assert re.findall(r"^  (--[a-z-]+)", out, re.M) == [
            *("--impact", "--recon", "--repo", "--rules", "--policy", "--limit", "--repair"),
            *(
                "--strict-grounding",
                "--expect-digest",
                "--time-limit",
                "--stats",
                "--json",
                "--help",
            ),
        ]
        whole = " ".join(run("--help").out.split())
        assert (
            "Exit codes: 0 done, 1 read and judged no, 2 usage or malformed input, 3 plan07 or its "
            "rules are broken." in whole
        )
