"""Input that is no plan: always exit 2, one well-formed error, the place where there is one."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import EXAMPLES, edge, obligation, plan

from plan07 import jsontext

Run = Callable[..., Any]
ERROR = ["code", "phase", "message", "fix", "retryable", "detail", "violations"]
TIMEOUT = EXAMPLES / "session-timeout.plan.json"


@pytest.fixture
def error(run: Run, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    """Return a function that solves bytes, or a value, and returns the error of an exit 2."""

    def call(given: Any, *arguments: str, status: int = 2) -> dict[str, Any]:
        path = tmp_path / "plan.json"
        path.write_bytes(given if isinstance(given, bytes) else json.dumps(given).encode())
        result = run("solve", str(path), *arguments, "--json")
        assert (result.status, result.err) == (status, "")
        document = result.document()
        assert list(document) == ["error"]
        assert list(document["error"]) == ERROR
        found: dict[str, Any] = document["error"]
        found["message"] = found["message"].replace(f"{tmp_path}/", "")
        return found

    return call


# From 3.13 on Python's reader points at the comma, before it at what follows.
COMMA = 19 if sys.version_info >= (3, 13) else 20


class TestJson:
    @pytest.mark.parametrize(
        ("text", "line", "column", "message"),
        [
            pytest.param(b"plan", 1, 1, "expecting value", id="a word"),
            pytest.param(b"{'a': 1}", 1, 2, "expecting property name", id="single quotes"),
            pytest.param(
                b'{"obligations": []\n "re_decompose": true}',
                2,
                2,
                "expecting ',' delimiter",
                id="a comma",
            ),
            pytest.param(b'{"obligations": [],}', 1, COMMA, "", id="a trailing comma"),
            pytest.param(b'```json\n{"obligations": []}\n```', 1, 1, "expecting value", id="fence"),
            pytest.param(b'{"obligations": []} done', 1, 21, "extra data", id="prose after"),
            pytest.param(b'{"a": "\t"}', 1, 8, "invalid control character", id="a raw tab"),
            pytest.param(b'{"a": "\\x"}', 1, 8, "invalid \\", id="an escape"),
            pytest.param(b'{"a": "\0"}', 1, 8, "invalid control character", id="a raw NUL"),
            pytest.param(b'{\n  "a": "\xff"}', 2, 9, "it is not UTF-8", id="not UTF-8"),
            pytest.param(b'{"a": "\xed\xa0\x80"}', 1, 8, "it is not UTF-8", id="raw surrogate"),
            pytest.param(b"", 1, 1, "it is empty", id="nothing"),
            pytest.param(b" \r\n\t\n", 1, 1, "it is empty", id="white space"),
        ],
    )
    def test_not_json(
        self,
        error: Callable[..., dict[str, Any]],
        text: bytes,
        line: int,
        column: int,
        message: str,
    ) -> None:
        found = error(text)
        assert (found["code"], found["phase"]) == ("JSON_INVALID", "read")
        assert found["detail"]["line"] == line
        assert found["detail"]["column"] == column
        assert found["message"].startswith(f"plan.json:{line}:{column}: {message}")
        assert found["violations"] == []

    @pytest.mark.parametrize(
        "mark",
        [b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"],
        ids=["UTF-8", "UTF-16 little", "UTF-16 big"],
    )
    def test_a_byte_order_mark(self, error: Callable[..., dict[str, Any]], mark: bytes) -> None:
        found = error(mark + TIMEOUT.read_bytes())
        assert found["code"] == "JSON_INVALID"
        assert found["message"] == "plan.json: it starts with a byte order mark"
        assert found["fix"] == "save it as UTF-8 without one"

    def test_cut_at_every_position(self, run: Run, tmp_path: Path) -> None:
        """A file that is cut anywhere is refused, and nothing of it is solved."""
        data = (EXAMPLES / "refused" / "temporal-inconsistent.plan.json").read_bytes().rstrip()
        path = tmp_path / "cut.json"
        path.write_bytes(data)
        assert run("solve", path, "--repair").status == 0
        for size in range(len(data)):
            path.write_bytes(data[:size])
            result = run("solve", path, "--repair", "--json")
            assert (result.status, result.err) == (2, ""), size
            found = result.document()["error"]
            assert list(found) == ERROR
            assert (found["code"], found["retryable"]) == ("JSON_INVALID", False), size
            assert found["detail"]["line"] <= data[:size].count(b"\n") + 1

    @pytest.mark.parametrize(
        ("text", "line", "column", "key"),
        [
            pytest.param('{"obligations": [],\n "obligations": []}', 2, 2, "obligations", id="top"),
            pytest.param(
                '{"obligations": [\n {"id": "O1",\n  "id": "O2"}]}', 3, 3, "id", id="deep"
            ),
            pytest.param('{"a": {"b": 1}, "b": 2, "\\u0062": 3}', 1, 25, "b", id="escaped"),
            pytest.param('{"a": ":", "b": "{\\"a\\":1", "a": 2}', 1, 29, "a", id="braces in text"),
        ],
    )
    def test_a_key_twice(
        self,
        error: Callable[..., dict[str, Any]],
        text: str,
        line: int,
        column: int,
        key: str,
    ) -> None:
        found = error(text.encode())
        assert found["code"] == "JSON_INVALID"
        assert found["message"] == (
            f'plan.json:{line}:{column}: the key "{key}" stands twice in one object'
        )
        assert found["detail"] == {
            "source": found["detail"]["source"],
            "line": line,
            "column": column,
        }

    @pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
    def test_what_is_not_a_number(self, error: Callable[..., dict[str, Any]], number: str) -> None:
        found = error(f'{{"a": 1,\n "b": {number}}}'.encode())
        assert found["code"] == "JSON_INVALID"
        assert found["message"] == f"plan.json:2:7: {number} is not a JSON number"

    def test_the_place_of_a_nan_is_not_that_of_the_word_in_a_text(
        self, error: Callable[..., dict[str, Any]]
    ) -> None:
        found = error(b'{"a": "is NaN",\n "b": NaN}')
        assert found["message"] == "plan.json:2:7: NaN is not a JSON number"

    def test_a_number_of_thousands_of_digits(self, error: Callable[..., dict[str, Any]]) -> None:
        found = error(b'{"a": ' + b"1" * 5000 + b"}")
        assert found["code"] == "JSON_INVALID"
        assert found["message"].startswith("plan.json: a number is too long")

    @pytest.mark.parametrize("bracket", ["[", '{"a":'], ids=["lists", "objects"])
    def test_nested_too_deeply(self, error: Callable[..., dict[str, Any]], bracket: str) -> None:
        found = error((bracket * 100_000).encode())
        assert found["code"] == "JSON_INVALID"
        assert found["message"] == "plan.json: it is nested too deeply"

    @pytest.mark.parametrize(
        "escape",
        ["\\u0000", "\\ud800", "\\udc00", "\\udc00\\ud800"],
    )
    @pytest.mark.parametrize("where", ["value", "key"])
    def test_a_nul_or_half_a_surrogate_pair(
        self, error: Callable[..., dict[str, Any]], escape: str, where: str
    ) -> None:
        """Neither can be written to a file or given to the rules."""
        text = json.dumps(plan(obligation("O1", "pkg.@")))
        if where == "key":
            text = text.replace('"id"', '"@"')
        found = error(text.replace("@", escape).encode())
        assert found["code"] == "JSON_INVALID"
        assert "holds a NUL or half a surrogate pair" in found["message"]
        assert "obligations[0]" in found["message"]

    def test_a_whole_surrogate_pair_and_a_quoted_escape_are_texts(
        self, run: Run, tmp_path: Path
    ) -> None:
        path = tmp_path / "plan.json"
        text = json.dumps(plan(obligation("O1", "pkg.@")))
        path.write_text(text.replace("@", "\\ud83d\\ude00 \\\\u0000"))
        result = run("solve", path, "--json")
        assert result.status == 0
        assert result.document()["nodes"][0]["target_entity"] == "pkg.😀 \\u0000"

    def test_crlf_is_accepted(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "plan.json"
        path.write_bytes(TIMEOUT.read_bytes().replace(b"\n", b"\r\n"))
        assert run("solve", path, "--json") == run("solve", TIMEOUT, "--json")


class TestFile:
    def test_missing(self, run: Run) -> None:
        result = run("solve", "no/such.json", "--json")
        assert result.status == 2
        assert result.document()["error"] == {
            "code": "FILE_UNREADABLE",
            "phase": "read",
            "message": "no/such.json cannot be read: no such file or directory",
            "fix": "name a readable file, or - for standard input",
            "retryable": False,
            "detail": {"path": "no/such.json"},
            "violations": [],
        }

    def test_a_directory(self, run: Run, tmp_path: Path) -> None:
        result = run("solve", tmp_path)
        assert result.status == 2
        assert result.err == (
            f"plan07: FILE_UNREADABLE: {tmp_path} cannot be read: is a directory\n"
            "  fix: name a readable file, or - for standard input\n"
        )

    @pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
    def test_unreadable(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "plan.json"
        shutil.copy(TIMEOUT, path)
        path.chmod(0)
        result = run("solve", path, "--json")
        assert result.status == 2
        assert result.document()["error"]["code"] == "FILE_UNREADABLE"
        assert "permission denied" in result.document()["error"]["message"]

    def test_larger_than_the_largest(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "plan.json"
        with path.open("wb") as stream:
            stream.truncate(jsontext.LARGEST_BYTES + 1)
        result = run("solve", path, "--json")
        assert result.status == 2
        found = result.document()["error"]
        assert found["code"] == "FILE_TOO_LARGE"
        assert found["detail"] == {"path": str(path), "limit": 33554432}

    def test_a_name_that_is_not_utf_8(self) -> None:
        done = subprocess.run(
            [b"plan07", b"solve", b"no\xff.json"], capture_output=True, check=False
        )
        assert done.returncode == 2
        assert b"FILE_UNREADABLE" in done.stderr
        assert b"Traceback" not in done.stderr

    def test_a_name_with_a_nul(self, run: Run) -> None:
        result = run("solve", "a\0b", "--json")
        assert (result.status, result.document()["error"]["code"]) == (2, "FILE_UNREADABLE")


def changed(**fields: Any) -> dict[str, Any]:
    return plan({**obligation("O1"), **fields})


def without(field: str) -> dict[str, Any]:
    record = obligation("O1")
    del record[field]
    return plan(record)


NODE = {**obligation("O1"), "state": "pending"}
MEMBER = {**obligation("O2"), "state": "pending"}


class TestShape:
    @pytest.mark.parametrize(
        ("value", "place", "kind"),
        [
            (changed(id=1), "obligations[0].id", "string_type"),
            (changed(id=True), "obligations[0].id", "string_type"),
            (changed(id=None), "obligations[0].id", "string_type"),
            (changed(dependencies="O1"), "obligations[0].dependencies", "list_type"),
            (changed(dependencies=None), "obligations[0].dependencies", "list_type"),
            (changed(dependencies=[1]), "obligations[0].dependencies[0]", "string_type"),
            (changed(obligation="delete"), "obligations[0].obligation", "literal_error"),
            (changed(obligation="Modify"), "obligations[0].obligation", "literal_error"),
            (changed(status="done"), "obligations[0].status", "literal_error"),
            (changed(evidence=["a"]), "obligations[0].evidence", "string_type"),
            (changed(effortWeight=3), "obligations[0].effortWeight", "extra_forbidden"),
            (changed(state="pending"), "obligations[0].state", "extra_forbidden"),
            *((without(field), f"obligations[0].{field}", "missing") for field in obligation("O1")),
            ({"obligations": [None]}, "obligations[0]", "dict_type"),
            ({"obligations": ["O1"]}, "obligations[0]", "dict_type"),
            ({"obligations": {}}, "obligations", "list_type"),
            ({"obligations": None}, "obligations", "list_type"),
            (plan(extra=1), "extra", "extra_forbidden"),
            (plan(re_decompose="yes"), "re_decompose", "bool_type"),
            (plan(re_decompose=1), "re_decompose", "bool_type"),
            (plan(requirement="do it"), "requirement", "dict_type"),
            (plan(requirement={"goal": "x"}), "requirement.acceptance_criteria", "missing"),
            (
                plan(requirement={"goal": "x", "acceptance_criteria": [1], "constraints": []}),
                "requirement.acceptance_criteria[0]",
                "string_type",
            ),
            (plan(evidence=[]), "evidence", "dict_type"),
            (plan(evidence={"edge": []}), "evidence.edge", "extra_forbidden"),
            (
                plan(evidence={"edges": [{"from": "a", "to": "b"}]}),
                "evidence.edges[0].cause",
                "missing",
            ),
            (
                plan(evidence={"edges": [edge("a", "b", "called by")]}),
                "evidence.edges[0].cause",
                "string_pattern_mismatch",
            ),
            (
                plan(evidence={"edges": [edge("a", "b", confidence=1.5)]}),
                "evidence.edges[0].confidence",
                "less_than_equal",
            ),
            (
                plan(evidence={"edges": [edge("a", "b", confidence="1")]}),
                "evidence.edges[0].confidence",
                "float_type",
            ),
            (
                plan(evidence={"edges": [edge("a", "b", order="before")]}),
                "evidence.edges[0].order",
                "literal_error",
            ),
            (
                plan(evidence={"edges": [edge("a", "b", strength="MUST")]}),
                "evidence.edges[0].strength",
                "literal_error",
            ),
            (
                plan(evidence={"edges": [edge("a", "b", at={"line": 1})]}),
                "evidence.edges[0].at.path",
                "missing",
            ),
            (
                plan(evidence={"changes": [{"entity": "a", "change": "Re name"}]}),
                "evidence.changes[0].change",
                "string_pattern_mismatch",
            ),
            (
                plan(evidence={"entities": [{"id": "a", "kind": "thing"}]}),
                "evidence.entities[0].kind",
                "literal_error",
            ),
            (plan(evidence={"tests": "tests/test_a.py"}), "evidence.tests", "list_type"),
            (
                plan(evidence={"scores": {"O1": {"lex": 2}}}),
                "evidence.scores.O1.lex",
                "less_than_equal",
            ),
            (
                plan(evidence={"scores": {"O1": {"rank": 1}}}),
                "evidence.scores.O1.rank",
                "extra_forbidden",
            ),
            ({"nodes": [obligation("O1")]}, "nodes[0].state", "missing"),
            ({"nodes": [{**NODE, "state": "running"}]}, "nodes[0].state", "literal_error"),
            (
                {"nodes": [{**NODE, "cycle_collapsed": False}]},
                "nodes[0].cycle_collapsed",
                "literal_error",
            ),
            ({"nodes": [{**NODE, "members": [MEMBER]}]}, "nodes[0].members", "too_short"),
            ({"nodes": [NODE], "plan_id": "plan-1"}, "plan_id", "string_pattern_mismatch"),
            ({"nodes": [NODE], "re_decompose": True}, "re_decompose", "extra_forbidden"),
            (
                {"nodes": [NODE], "branch_scores": {"O1": 1.1}},
                "branch_scores.O1",
                "less_than_equal",
            ),
            ({"nodes": [NODE], "audit": [{}]}, "audit[0].obligation", "missing"),
            (
                {"nodes": [NODE], "revision_history": [{"rev": -1}]},
                "revision_history[0].rev",
                "greater_than_equal",
            ),
        ],
        ids=lambda each: each if isinstance(each, str) else "",
    )
    def test_a_fault_and_its_place(
        self, error: Callable[..., dict[str, Any]], value: Any, place: str, kind: str
    ) -> None:
        """S-000-022: strict types, exactly eight fields."""
        found = error(value)
        assert (found["code"], found["phase"]) == ("PLAN_INVALID", "read")
        first = found["violations"][0]
        assert list(first) == ["code", "subject", "message", "fix", "detail"]
        assert (first["code"], first["subject"]) == ("PLAN_INVALID", place)
        assert first["detail"] == {"place": place, "type": kind}
        assert found["message"].startswith(f"plan.json: {place}: ")
        assert found["fix"] == first["fix"] != ""

    def test_every_fault_at_once(self, error: Callable[..., dict[str, Any]]) -> None:
        found = error(plan({**obligation("O1"), "id": 1, "status": "done", "extra": 1}))
        assert [each["subject"] for each in found["violations"]] == [
            "obligations[0].id",
            "obligations[0].status",
            "obligations[0].extra",
        ]
        assert found["detail"]["faults"] == 3
        assert found["message"].endswith(" and 2 more")

    def test_the_value_is_quoted(self, error: Callable[..., dict[str, Any]]) -> None:
        found = error(changed(obligation="delete\x1b[31m"))
        (fault,) = found["violations"]
        assert fault["message"] == (
            "obligations[0].obligation: input should be 'modify', 'preserve' or 'validate', "
            "not 'delete\\x1b[31m'"
        )

    def test_thousands_of_faults_are_cut_and_counted(
        self, error: Callable[..., dict[str, Any]]
    ) -> None:
        found = error({"obligations": [1] * 1000})
        assert (len(found["violations"]), found["detail"]["faults"]) == (50, 1000)

    @pytest.mark.parametrize(
        "value",
        [
            pytest.param({}, id="neither"),
            pytest.param({"obligations": [], "nodes": []}, id="both"),
            pytest.param([], id="a list"),
            pytest.param([obligation("O1")], id="bare records"),
            pytest.param("plan", id="a text"),
            pytest.param(7, id="a number"),
            pytest.param(None, id="null"),
            pytest.param({"Obligations": []}, id="another key"),
        ],
    )
    def test_neither_a_decomposition_nor_an_artifact(
        self, error: Callable[..., dict[str, Any]], value: Any
    ) -> None:
        found = error(value)
        assert found["code"] == "PLAN_INVALID"
        assert found["message"] == (
            "plan.json: a plan holds either obligations (a decomposition) or nodes (an artifact)"
        )

    def test_an_artifact_without_nodes_is_an_empty_plan(
        self, error: Callable[..., dict[str, Any]]
    ) -> None:
        assert error({"nodes": []}, status=1)["code"] == "RE_DECOMPOSE"


class TestIds:
    @pytest.mark.parametrize(
        "written", ["o1", " O1", "O1 ", "\uff2f1", "O\uff11", "O\u200b1", "", "cycle:O1"]
    )
    def test_a_dependency_is_not_repaired(
        self, error: Callable[..., dict[str, Any]], written: str
    ) -> None:
        """S-000-040: what is not an id of the plan is quoted as it was written."""
        found = error(plan(obligation("O1"), obligation("O2", dependencies=[written])), status=1)
        (violation,) = found["violations"]
        assert (violation["code"], violation["subject"]) == ("UNKNOWN_DEPENDENCY", "O2")
        assert violation["detail"] == {"id": "O2", "missing": written}
        shown = written.replace("\u200b", "\\u200b")
        assert f'depends on "{shown}", which' in violation["message"]

    @pytest.mark.parametrize(
        ("identifier", "shown"),
        [
            ("a b", '"a b"'),
            ("", '""'),
            ("-a", '"-a"'),
            (".a", '".a"'),
            ("ÖL", '"ÖL"'),
            ("O\uff11", '"O\uff11"'),
            ("a\n", r'"a\n"'),
            ("a\n## Output", r'"a\n## Output"'),
            ('O1"). ready("O9', r'"O1\"). ready(\"O9"'),
            ("cycle:O1", '"cycle:O1"'),
            ("a/b", '"a/b"'),
            ("\x1b[31m", r'"\u001b[31m"'),
        ],
        ids=ascii,
    )
    def test_an_id_is_refused_never_repaired(
        self, error: Callable[..., dict[str, Any]], identifier: str, shown: str
    ) -> None:
        """S-003-05: the refusal quotes the id escaped, on one line."""
        found = error(plan(obligation("O1"), obligation(identifier, "pkg.x")), status=1)
        (violation,) = found["violations"]
        assert (violation["code"], violation["subject"]) == ("ID_INVALID", identifier)
        assert violation["message"] == f"the id {shown} is not one"

    def test_an_id_of_64_characters_and_one_of_65(
        self, run: Run, error: Callable[..., dict[str, Any]]
    ) -> None:
        assert error(plan(obligation("a" * 65, "pkg.x")), status=1)["violations"][0]["detail"] == {
            "field": "id",
            "count": 65,
            "limit": 64,
        }
        data = json.dumps(plan(obligation("A" + "0.-_" * 15 + "xyz", "pkg.x"))).encode()
        assert run("solve", "-", stdin=data).status == 0

    def test_a_long_id_is_quoted_in_short(self, error: Callable[..., dict[str, Any]]) -> None:
        found = error(plan(obligation("!" * 1000, "pkg.x")), status=1)
        invalid = next(each for each in found["violations"] if each["code"] == "ID_INVALID")
        assert invalid["message"] == f'the id "{"!" * 77}..." is not one'


class TestImpact:
    @pytest.fixture
    def fault(self, run: Run, tmp_path: Path) -> Callable[[Any], dict[str, Any]]:
        def call(value: Any) -> dict[str, Any]:
            path = tmp_path / "impact.json"
            path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
            result = run("solve", TIMEOUT, "--impact", path, "--json")
            assert (result.status, result.err) == (2, "")
            found: dict[str, Any] = result.document()["error"]
            found["message"] = found["message"].replace(f"{tmp_path}/", "")
            return found

        return call

    def test_a_missing_file(self, run: Run) -> None:
        result = run("solve", TIMEOUT, "--impact", "no.json", "--json")
        found = result.document()["error"]
        assert (result.status, found["code"]) == (2, "FILE_UNREADABLE")
        assert found["detail"] == {"path": "no.json"}

    def test_not_json(self, fault: Callable[[Any], dict[str, Any]]) -> None:
        found = fault(b'{"schema": }')
        assert (found["code"], found["message"]) == (
            "JSON_INVALID",
            "impact.json:1:12: expecting value",
        )

    @pytest.mark.parametrize(
        ("more", "place", "kind"),
        [
            ({"schema": "plan07.impact/2"}, "schema", "literal_error"),
            ({"edges": None}, "edges", "list_type"),
            ({"edges": [edge("a", "b"), {"from": "a", "to": "b"}]}, "edges[1].cause", "missing"),
            ({"edges": [edge("a", "b", colour="red")]}, "edges[0].colour", "extra_forbidden"),
            ({"edges": [edge("a", "b", hop=-1)]}, "edges[0].hop", "greater_than_equal"),
            ({"seeds": [{"entity": "a"}]}, "seeds[0].change", "missing"),
            ({"soft": [{"entity": "a", "lex": -0.1}]}, "soft[0].lex", "greater_than_equal"),
            ({"truncated": [{"entity": "a"}]}, "truncated[0].cause", "missing"),
            ({"unknown": [{"entity": 1}]}, "unknown[0].entity", "string_type"),
            ({"nodes": []}, "nodes", "extra_forbidden"),
        ],
        ids=lambda each: each if isinstance(each, str) else "",
    )
    def test_a_fault_and_its_place(
        self,
        fault: Callable[[Any], dict[str, Any]],
        more: dict[str, Any],
        place: str,
        kind: str,
    ) -> None:
        found = fault({"schema": "plan07.impact/1", "edges": [], **more})
        assert (found["code"], found["phase"]) == ("IMPACT_INVALID", "evidence")
        assert found["message"].startswith(f"impact.json: {place}: ")
        assert [each["detail"] for each in found["violations"]] == [{"place": place, "type": kind}]

    def test_a_plan_is_no_impact_file(self, run: Run) -> None:
        result = run("solve", TIMEOUT, "--impact", TIMEOUT, "--json")
        found = result.document()["error"]
        assert (result.status, found["code"]) == (2, "IMPACT_INVALID")
        assert [each["subject"] for each in found["violations"]] == [
            *("schema", "edges", "requirement", "obligations", "evidence"),
        ]


SMALL = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE files(id INTEGER PRIMARY KEY, path TEXT, parsed INTEGER);
CREATE TABLE nodes(id INTEGER PRIMARY KEY, fqn TEXT, kind TEXT, name TEXT, file_id INTEGER,
  parent_id INTEGER);
CREATE TABLE edges(src INTEGER, kind TEXT, dst INTEGER, resolution TEXT, confidence REAL);
CREATE TABLE unresolved(name TEXT, kind TEXT, candidates TEXT);
CREATE TABLE aliases(alias TEXT, node_id INTEGER);
CREATE TABLE tests(nodeid TEXT);
PRAGMA user_version=1;
INSERT INTO files VALUES (1, 'src/a.py', 1);
INSERT INTO nodes VALUES (1, 'pkg.O1', 'function', 'O1', 1, NULL);
INSERT INTO nodes VALUES (2, 'pkg.O2', 'function', 'O2', 1, NULL);
INSERT INTO edges VALUES (2, 'calls', 1, 'exact', 1.0);
"""


class TestRecon:
    @pytest.fixture
    def solve(self, run: Run, tmp_path: Path) -> Callable[[str], Any]:
        """Return a function that solves with a small recon.db, changed by some SQL."""

        def call(change: str) -> Any:
            path = tmp_path / "recon.db"
            with contextlib.closing(sqlite3.connect(":memory:")) as database:
                database.executescript(SMALL + change)
                path.write_bytes(database.serialize())
            given = json.dumps(plan(obligation("O1"), obligation("O2"))).encode()
            return run("solve", "-", "--recon", path, "--json", stdin=given)

        return call

    def test_the_smallest_is_read(self, solve: Callable[[str], Any]) -> None:
        assert solve("").status == 0

    def test_a_missing_file(self, run: Run) -> None:
        result = run("solve", TIMEOUT, "--recon", "no.db", "--json")
        found = result.document()["error"]
        assert (result.status, found["code"], found["phase"]) == (2, "FILE_UNREADABLE", "evidence")
        assert found["message"] == "no.db: there is no such file"

    def test_a_directory_is_called_one(self, run: Run, tmp_path: Path) -> None:
        result = run("solve", TIMEOUT, "--recon", tmp_path, "--json")
        assert (result.status, result.document()["error"]["code"]) == (2, "FILE_UNREADABLE")

    def test_not_a_database(self, run: Run) -> None:
        result = run("solve", TIMEOUT, "--recon", TIMEOUT, "--json")
        found = result.document()["error"]
        assert (result.status, found["code"], found["phase"]) == (2, "RECON_INVALID", "evidence")
        assert found["message"] == f"{TIMEOUT}: file is not a database"
        assert found["detail"] == {"source": str(TIMEOUT)}

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ("PRAGMA user_version=2;", "its user_version is 2, not 1"),
            ("DROP TABLE tests;", "it has no table tests"),
            ("ALTER TABLE edges DROP COLUMN resolution;", "table edges has no column resolution"),
            (
                "INSERT INTO meta VALUES('schema', 'plan07.recon/9');",
                "its schema is 'plan07.recon/9', not plan07.recon/1",
            ),
        ],
        ids=["version", "table", "column", "schema"],
    )
    def test_another_schema(self, solve: Callable[[str], Any], change: str, says: str) -> None:
        result = solve(change)
        found = result.document()["error"]
        assert (result.status, found["code"]) == (2, "RECON_INVALID")
        assert found["message"].endswith(f"recon.db: {says}")
        assert "plan07.recon/1" in found["fix"]

    @pytest.mark.parametrize(
        "change",
        [
            pytest.param("UPDATE edges SET src='abc';", id="an edge from no number"),
            pytest.param("UPDATE nodes SET fqn='pkg.'||char(0)||'x' WHERE id=2;", id="a NUL"),
            pytest.param("UPDATE nodes SET fqn=x'ff' WHERE id=2;", id="a name in bytes"),
            pytest.param("UPDATE nodes SET fqn=NULL WHERE id=2;", id="no name"),
            pytest.param("UPDATE files SET path=x'2f61';", id="a path in bytes"),
            pytest.param("UPDATE nodes SET parent_id='zzz';", id="a parent that is no number"),
            pytest.param("UPDATE nodes SET fqn=CAST(x'ff' AS TEXT) WHERE id=2;", id="not UTF-8"),
            pytest.param("INSERT INTO tests VALUES (x'00');", id="a test in bytes"),
        ],
    )
    def test_a_value_of_another_type_is_refused_or_ignored(
        self, solve: Callable[[str], Any], change: str
    ) -> None:
        """SQLite enforces no types, so what it holds may be anything; never a traceback."""
        result = solve(change)
        assert result.status in (0, 2)
        if result.status == 2:
            assert result.document()["error"]["code"] == "RECON_INVALID"

    def test_a_file_cut_short(self, run: Run, tmp_path: Path) -> None:
        path = tmp_path / "recon.db"
        with contextlib.closing(sqlite3.connect(":memory:")) as database:
            database.executescript(SMALL)
            data = database.serialize()
        given = json.dumps(plan(obligation("O1"))).encode()
        path.write_bytes(data)
        whole = run("solve", "-", "--recon", path, "--json", stdin=given)
        refusals = 0
        for size in range(1, len(data), 1111):
            path.write_bytes(data[:size])
            result = run("solve", "-", "--recon", path, "--json", stdin=given)
            if result.status == 2:
                assert result.document()["error"]["code"] == "RECON_INVALID", size
                refusals += 1
            else:
                # SQLite does not miss a last page that nobody reads.
                assert result == whole, size
        assert refusals > 20
