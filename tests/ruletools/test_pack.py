"""Rules packed, unpacked and used again; a rule begun; a digest expected."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest
from support import EXAMPLES, RULES, obligation, plan, solve

from plan07 import limited, rulebook, solver
from plan07 import solve as solve_in_process
from plan07.errors import InputError
from plan07.ruletools import check, pack, scaffold, source
from plan07.ruletools.trial import Settings


class TestPack:
    def unpacked(self, data: bytes, directory: Path) -> Path:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            archive.extractall(directory, filter="data")
        return directory / "rules"

    def test_it_makes_the_same_schedules_under_its_digest(self, tmp_path: Path) -> None:
        mine = tmp_path / "mine"
        mine.mkdir()
        (mine / "mine.lp").write_text('% Stage: schedule\nadvice("mine", U) :- unit(U).\n')
        (mine / "mine_test.lp").write_text("#program test_mine.\n")
        book = rulebook.load(mine, {"cycle_policy": "refuse"}, {"max_id": 3})
        packed = pack.pack(book, "0.1.0", str(mine))
        rules = self.unpacked(packed.data, tmp_path / "there")
        assert (rules / "mine_test.lp").exists()
        again = rulebook.load(rules)
        assert again.digest == packed.manifest["digest"]
        assert (again.chosen["cycle_policy"], again.number("max_id")) == ("refuse", 3)
        manifest = json.loads((tmp_path / "there" / "manifest.json").read_text())
        assert manifest == packed.manifest
        assert {each["name"]: each["origin"] for each in manifest["files"]}["mine.lp"] == "overlaid"
        found = solve(plan(obligation("O1")), rules=rules, expect_digest=again.digest)
        assert [each["code"] for each in found["advice"]] == ["OVERLAY"]

    def test_the_same_rules_are_the_same_bytes(self) -> None:
        book = rulebook.load()
        assert pack.pack(book, "1").data == pack.pack(book, "1").data
        assert pack.pack(book, "1").data != pack.pack(book, "2").data
        # Where gzip would put the time.
        assert pack.pack(book, "1").data[4:8] == bytes(4)

    def test_the_shipped_rules_are_their_own_pack(self, tmp_path: Path) -> None:
        packed = pack.pack(rulebook.load(), "1")
        assert packed.manifest["digest"] == rulebook.load().digest
        rules = self.unpacked(packed.data, tmp_path)
        assert {p.name for p in rules.glob("*.lp")} == {p.name for p in RULES.glob("*.lp")}
        assert rulebook.load(rules).overlaid == []


class TestExpectedDigest:
    PLAN = plan(obligation("O1"))

    def test_the_right_one_solves(self) -> None:
        digest = rulebook.load().digest
        assert solve(self.PLAN, expect_digest=f" {digest.upper()}\n")["order"] == ["O1"]
        assert solve_in_process(self.PLAN, expect_digest=digest).order == ("O1",)

    @pytest.mark.parametrize("wrong", ["", "0" * 64, "a\x1b[31m"])
    def test_another_one_is_refused(self, wrong: str) -> None:
        with pytest.raises(InputError) as caught:
            solve(self.PLAN, expect_digest=wrong)
        assert caught.value.code == "DIGEST_MISMATCH"
        assert caught.value.detail == {"expected": wrong, "digest": rulebook.load().digest}
        assert "\x1b" not in caught.value.message

    def test_switches_and_limits_count(self) -> None:
        with pytest.raises(InputError):
            solve(self.PLAN, limits={"max_id": 3}, expect_digest=rulebook.load().digest)

    def test_in_a_child_too(self) -> None:
        with pytest.raises(InputError) as caught:
            limited.solve(self.PLAN, "a plan", solver.options(expect_digest="0"), 30)
        assert caught.value.code == "DIGEST_MISMATCH"

    def test_of_another_type(self) -> None:
        seven: Any = 7
        with pytest.raises(InputError) as caught:
            solver.options(expect_digest=seven)
        assert caught.value.code == "OPTION_INVALID"


class TestNew:
    @pytest.mark.parametrize("kind", scaffold.KINDS)
    def test_a_stub_is_a_good_rule(self, kind: str, tmp_path: Path) -> None:
        paths = scaffold.new(str(tmp_path / "mine"), "docs.very_last.one", kind)
        assert [Path(path).name for path in paths] == ["docs.lp", "docs_test.lp"]
        found = check.check(str(tmp_path / "mine"), Settings(obligations=10))
        assert found == []
        rule = source.parse(rulebook.load(tmp_path / "mine")).rule("docs.very_last.one")
        assert rule is not None
        assert rule.kind == {"preference": "derivation"}.get(kind, kind)
        assert "#program test_very_last_one.\n" in Path(paths[1]).read_text()

    def test_another_rule_is_added_to_a_file(self, tmp_path: Path) -> None:
        scaffold.new(str(tmp_path), "docs.last", "edge")
        before = [(tmp_path / name).read_text() for name in ("docs.lp", "docs_test.lp")]
        scaffold.new(str(tmp_path), "docs.first", "edge")
        after = [(tmp_path / name).read_text() for name in ("docs.lp", "docs_test.lp")]
        assert [text.startswith(old) for old, text in zip(before, after, strict=True)] == [True] * 2
        assert [text.count("%# ") for text in after] == [1, 1]
        assert check.check(str(tmp_path)) == []

    @pytest.mark.parametrize(
        ("identifier", "kind", "code"),
        [
            ("docs", "edge", "RULE_ID_INVALID"),
            ("Docs.last", "edge", "RULE_ID_INVALID"),
            ("../docs.last", "edge", "RULE_ID_INVALID"),
            ("docs.", "edge", "RULE_ID_INVALID"),
            ("docs.last", "edge", "RULE_EXISTS"),
            ("docs.first", "violation", "RULE_STAGE"),
        ],
    )
    def test_what_cannot_be(self, identifier: str, kind: str, code: str, tmp_path: Path) -> None:
        scaffold.new(str(tmp_path), "docs.last", "edge")
        before = sorted(path.read_text() for path in tmp_path.iterdir())
        with pytest.raises(InputError) as caught:
            scaffold.new(str(tmp_path), identifier, kind)
        assert caught.value.code == code
        assert sorted(path.read_text() for path in tmp_path.iterdir()) == before

    def test_a_place_that_cannot_be_written(self) -> None:
        with pytest.raises(InputError) as caught:
            scaffold.new(str(EXAMPLES / "README.md"), "docs.last", "edge")
        assert caught.value.code == "RULES_UNWRITABLE"
