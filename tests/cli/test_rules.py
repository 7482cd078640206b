"""`plan07 rules list`, `show`, `check`, `new`, `export`, `pack`, `digest` as a user runs them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import EXAMPLES, RULES

from plan07 import rulebook

Run = Callable[..., Any]
PLAN = EXAMPLES / "session-timeout.plan.json"


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """An overlay with one error and some advice."""
    directory = tmp_path / "mine"
    directory.mkdir()
    (directory / "mine.lp").write_text(
        "%# Mine: ?\n% Stage: schedule\n\n"
        "%@ id: mine.first\nprefer(O, 1) :- verb(O, modfy).\n:- ready(U), failed(U).\n"
    )
    return directory


class TestList:
    def test_every_rule_in_a_row(self, run: Run) -> None:
        found = run("rules", "list", "--stage", "repair", "--kind", "choice")
        assert (found.status, found.err) == (0, "")
        assert [line.split() for line in found.out.splitlines()] == [
            ["id", "kind", "stage", "place", "origin", "rule"],
            [
                "repair.drop",
                "choice",
                "repair",
                f"repair.lp:{line_of('repair.lp', '{ drop')}",
                "shipped",
                *("The", "declared", "dependency", "of", "After", "on", "Before", "is", "dropped"),
            ],
        ]

    def test_json_tells_all_of_a_rule(self, run: Run, mine: Path) -> None:
        (rule,) = run("rules", "list", "--rules", mine, "--file", "mine", "--json").document()[
            "rules"
        ][:1]
        assert rule == {
            "id": "mine.first",
            "title": "A user's wish: among obligations that are ready, the lower number goes "
            "first; 0 without one",
            "kind": "derivation",
            "stages": ["schedule", "readiness"],
            "file": "mine.lp",
            "path": str(mine / "mine.lp"),
            "line": 5,
            "end_line": 5,
            "origin": "overlaid",
            "derives": ["prefer/2"],
            "reads": ["verb/2"],
            "text": "prefer(O, 1) :- verb(O, modfy).",
        }

    def test_a_stage_that_there_is_not(self, run: Run) -> None:
        done = run("rules", "list", "--stage", "scedule", "--json")
        assert (done.status, done.document()["error"]["code"]) == (2, "USAGE")

    def test_declarations_are_left_out_unless_asked_for(self, run: Run) -> None:
        few = run("rules", "list", "--file", "readiness.lp", "--json").document()["rules"]
        more = run("rules", "list", "--file", "readiness", "--all", "--json").document()["rules"]
        assert {each["kind"] for each in more} - {each["kind"] for each in few} == {
            "show",
            "defined",
        }

    def test_which_tests_hit_a_rule(self, run: Run, mine: Path) -> None:
        (mine / "mine.lp").write_text("% Stage: schedule\nprefer(O, 1) :- verb(O, modify).\n")
        (mine / "mine_test.lp").write_text(
            '#program test_wish.\nverb("O1", modify).\nexpect(prefer("O1", 1)).\n'
        )
        found = run("rules", "list", "--rules", mine, "--file", "mine", "--tests", "--json")
        assert [each["tests"] for each in found.document()["rules"]] == [["test_wish"]]

    def test_predicates(self, run: Run) -> None:
        found = run("rules", "list", "--predicates")
        assert "verb(Obligation, Verb) " in found.out
        listed = run("rules", "list", "--predicates", "--json").document()["predicates"]
        assert len(listed) == len({each["predicate"] for each in listed})


class TestShow:
    def test_a_rule(self, run: Run) -> None:
        found = run("rules", "show", "precedes.ladder")
        line = line_of("ladder.lp", "precedes(O, P, ladder(")
        assert found.out.splitlines() == [
            "precedes.ladder: edge, shipped, stage graph",
            f"{RULES}/ladder.lp:{line}",
            "One obligation must be discharged before another",
            "",
            "  precedes(O, P, ladder(N, Name, Because)) :- decided(O, P, N), "
            "applies(N, O, P, Name, Because).",
            "",
            "derives  precedes/3",
            "reads    decided/3 applies/5",
        ]

    def test_a_predicate(self, run: Run) -> None:
        found = run("rules", "show", "state/2").out.splitlines()
        assert found[:7] == [
            "state(Obligation, State): given by plan07",
            "What became of an obligation",
            "  Obligation: its id",
            "    may be a text in quotes",
            "  State: complete or failed; pending has no fact",
            "    may be complete, failed",
            "stages   graph schedule steps readiness scope",
        ]

    def test_json(self, run: Run) -> None:
        assert (
            run("rules", "show", "precedes.ladder", "--json").document()["rule"]["kind"] == "edge"
        )
        (found,) = run("rules", "show", "verb", "--json").document()["predicates"]
        assert found["arguments"][1] == {
            "name": "Verb",
            "meaning": "modify, preserve or validate",
            "values": "modify, preserve, validate",
        }
        assert (found["role"], found["stages"]) == (
            "input",
            ["graph", "schedule", "readiness", "scope"],
        )

    def test_neither(self, run: Run) -> None:
        found = run("rules", "show", "precedes.laddr")
        assert found.status == 2
        assert 'neither a rule nor a predicate "precedes.laddr"' in found.err
        assert "did you mean precedes.ladder?" in found.err
        error = run("rules", "show", "\x1b[31m", "--json").document()["error"]
        assert (error["code"], error["phase"]) == ("RULE_UNKNOWN", "usage")


class TestCheck:
    def test_the_shipped_rules_hold(self, run: Run) -> None:
        assert run("rules", "check") == (0, "no findings\n", "")
        assert run("rules", "check", "--json").document() == {
            "findings": [],
            "errors": 0,
            "advice": 0,
        }

    def test_findings_are_told_by_place(self, run: Run, mine: Path) -> None:
        found = run("rules", "check", "--rules", mine, "--no-trial")
        path = mine / "mine.lp"
        assert found.status == 1
        assert found.out.splitlines() == [
            f"{path}:1:1: advice: TEST_MISSING: no test covers mine.lp",
            "  fix: write mine_test.lp, or let `plan07 rules new` begin it",
            f'{path}:5:25: error: CONSTANT_UNKNOWN: "modfy" never stands there in '
            '"verb(O, modfy)"; what may: modify, preserve, validate',
            "  fix: write modify",
            f'{path}:6:1: advice: CONSTRAINT_REWRITTEN: ":- ready(U), failed(U)." is read as a '
            "rule that derives a violation in these words",
            '  fix: say it yourself: `violation("why", Subject) :- ready(U), failed(U).`',
            "",
            "1 error, 2 advice",
        ]

    def test_json_tells_all_of_a_finding(self, run: Run, mine: Path) -> None:
        document = run("rules", "check", "--rules", mine, "--no-trial", "--json").document()
        assert (document["errors"], document["advice"]) == (1, 2)
        assert document["findings"][1] == {
            "code": "CONSTANT_UNKNOWN",
            "level": "error",
            "file": "mine.lp",
            "path": str(mine / "mine.lp"),
            "line": 5,
            "column": 25,
            "rule": "mine.first",
            "message": '"modfy" never stands there in "verb(O, modfy)"; what may: modify, '
            "preserve, validate",
            "fix": "write modify",
        }

    def test_advice_fails_where_it_is_to(self, run: Run, mine: Path) -> None:
        (mine / "mine.lp").write_text('%# Mine: ?\n% Stage: schedule\nprefer("O1", 1).\n')
        assert run("rules", "check", "--rules", mine, "--no-trial").status == 0
        assert run("rules", "check", "--rules", mine, "--no-trial", "--strict").status == 1

    def test_a_plan_of_the_user_is_tried(self, run: Run, mine: Path) -> None:
        (mine / "mine.lp").write_text(
            '%# Mine: ?\n% Stage: schedule\n{ prefer(O, 1) } :- target(O, "repo.auth.X").\n'
            '{ prefer(O, 2) } :- target(O, "repo.auth.SessionManager").\n'
        )
        found = run("rules", "check", "--rules", mine, "--plan", PLAN, "--json").document()
        several = [each for each in found["findings"] if each["code"] == "ANSWERS_SEVERAL"]
        assert [(each["line"], each["rule"]) for each in several] == [(4, "mine.prefer.2")]
        assert str(PLAN) in several[0]["message"]

    @pytest.mark.parametrize(
        ("arguments", "code"),
        [
            (("--rules", "nowhere"), "RULES_UNREADABLE"),
            (("--rules", EXAMPLES), "RULES_EMPTY"),
            (("--rules", RULES, "--plan", "nowhere.json"), "FILE_UNREADABLE"),
        ],
    )
    def test_what_cannot_be_loaded(
        self, run: Run, arguments: tuple[object, ...], code: str
    ) -> None:
        found = run("rules", "check", *arguments, "--json")
        assert found.status == 2
        assert found.document()["error"]["code"] == code

    def test_codes(self, run: Run) -> None:
        listed = run("rules", "check", "--codes").out.splitlines()
        assert "CONSTANT_UNKNOWN        error   a value that this argument never has" in listed
        assert set(run("rules", "check", "--codes", "--json").document()) == {
            line.split()[0] for line in listed
        }


class TestNewExportPackDigest:
    def test_a_rule_is_begun_and_its_test_fails(self, run: Run, tmp_path: Path) -> None:
        where = tmp_path / "policies"
        found = run("rules", "new", "docs.last", "--kind", "edge", "--rules", where)
        assert found.status == 0
        assert found.out.splitlines()[:2] == [
            f"wrote {where}/docs.lp",
            f"wrote {where}/docs_test.lp",
        ]
        assert run("rules", "check", "--rules", where, "--no-trial").out == "no findings\n"
        assert run("rules", "test", "--rules", where).status == 1

    def test_a_new_rule_needs_a_directory(self, run: Run) -> None:
        found = run("rules", "new", "docs.last", "--json")
        assert (found.status, found.document()["error"]["code"]) == (2, "USAGE")

    def test_export_prints_or_writes(self, run: Run, tmp_path: Path) -> None:
        printed = run("rules", "export", PLAN)
        assert printed.out.startswith("% The stages admission, graph, schedule, steps of plan07")
        written = run("rules", "export", PLAN, "-o", tmp_path / "plan.lp")
        assert (written.status, written.out) == (0, "")
        assert (tmp_path / "plan.lp").read_text() == printed.out
        document = run("rules", "export", PLAN, "--stage", "graph", "--json").document()
        assert document["stages"] == ["admission", "graph", "schedule", "steps"]
        assert document["program"].startswith("% The stage graph of plan07, rules ")

    def test_export_of_a_stage_that_did_not_run(self, run: Run) -> None:
        found = run("rules", "export", PLAN, "--stage", "repair", "--json")
        assert (found.status, found.document()["error"]["code"]) == (2, "STAGE_NOT_RUN")

    def test_the_digest_is_that_of_a_schedule(self, run: Run, mine: Path) -> None:
        options = ("--rules", mine, "--limit", "max_id=7")
        digest = run("rules", "digest", *options).out.strip()
        assert re.fullmatch("[0-9a-f]{64}", digest)
        schedule = run("solve", PLAN, *options, "--json").document()
        assert schedule["policy"]["digest"] == digest
        document = run("rules", "digest", *options, "--json").document()
        assert document["digest"] == digest
        assert (document["overlaid"], document["limits"]) == (["mine.lp"], {"max_id": 7})

    def test_a_solve_may_expect_it(self, run: Run) -> None:
        digest = rulebook.load().digest
        assert run("solve", PLAN, "--expect-digest", digest).status == 0
        found = run("solve", PLAN, "--expect-digest", digest[:-1], "--json")
        assert (found.status, found.document()["error"]["code"]) == (2, "DIGEST_MISMATCH")

    def test_pack(self, run: Run, mine: Path, tmp_path: Path) -> None:
        archive = tmp_path / "rules.tgz"
        found = run("rules", "pack", "--rules", mine, "-o", archive, "--json").document()
        assert found["file"] == str(archive)
        assert found["digest"] == run("rules", "digest", "--rules", mine).out.strip()
        assert archive.read_bytes()[:2] == b"\x1f\x8b"

    def test_a_place_that_cannot_be_written(self, run: Run, tmp_path: Path) -> None:
        where = tmp_path / "nowhere" / "rules.tgz"
        for command in (("pack",), ("export", PLAN)):
            found = run("rules", *command, "-o", where, "--json")
            assert (found.status, found.document()["error"]["code"]) == (2, "OUTPUT_UNWRITABLE")


def test_every_command_is_listed_with_its_help(run: Run) -> None:
    listed = run("rules", "--help").out
    for name in ("list", "show", "check", "new", "export", "pack", "digest"):
        assert re.search(rf"^  {name}\b", listed, re.MULTILINE)
        assert "Example: plan07 rules" in run("rules", name, "--help").out


def line_of(file: str, text: str) -> int:
    """Return the line of a shipped rule file that begins with a text."""
    lines = (RULES / file).read_text("utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.startswith(text))
