"""Rule files: found, composed, switched, solved."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from support import LIMITS, RULES

from plan07 import rulebook, rulefiles
from plan07.errors import InputError, RulesError
from plan07.facts import Atoms, Fact, constant, fact
from plan07.rulebook import Rulebook


@pytest.fixture
def overlay(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes rule files and returns their directory."""

    def call(**files: str) -> Path:
        for name, text in files.items():
            (tmp_path / f"{name}.lp").write_text(text, "utf-8")
        return tmp_path

    return call


class TestFiles:
    def test_the_shipped_files(self) -> None:
        names = [file.name for file in rulebook.load().files]
        assert names == sorted(
            each.name for each in RULES.glob("*.lp") if not each.name.endswith("_test.lp")
        )
        assert "ladder.lp" in names
        assert rulebook.load().overlaid == []

    def test_the_stages_of_the_headers(self) -> None:
        stages = {file.name: file.stages for file in rulebook.load().files}
        assert stages["ladder.lp"] == ("graph",)
        assert stages["admission.lp"] == ("admission", "steps")
        assert stages["components.lp"] == ("graph", "schedule", "impact")
        assert stages["policy.lp"] == stages["limits.lp"] == rulefiles.STAGES

    def test_every_stage_that_is_solved_has_rules(self) -> None:
        for stage in rulefiles.STAGES:
            assert [
                f
                for f in rulebook.load().files
                if f.stages != rulefiles.STAGES and stage in f.stages
            ]

    def test_an_overlay_replaces_and_adds(self, overlay: Callable[..., Path]) -> None:
        directory = overlay(ladder="% Stage: graph\n", mine="%  Stage:  graph , schedule \n")
        rules = rulebook.load(directory)
        files = {file.name: file for file in rules.files}
        assert files["ladder.lp"].text == "% Stage: graph\n"
        # What a user wishes of the schedule holds while it is driven as well.
        assert files["mine.lp"].stages == ("graph", "schedule", "readiness")
        assert rules.overlaid == ["ladder.lp", "mine.lp"]
        assert len(files) == len(rulebook.load().files) + 1
        assert [file.name for file in rules.files] == sorted(files)

    def test_a_stage_that_is_named_is_not_added_again(self, overlay: Callable[..., Path]) -> None:
        rules = rulebook.load(overlay(mine="% Stage: schedule, readiness\n"))
        (mine,) = (file for file in rules.files if file.name == "mine.lp")
        assert mine.stages == ("schedule", "readiness")

    def test_tests_of_rules_and_other_files_are_no_rules(
        self, overlay: Callable[..., Path]
    ) -> None:
        directory = overlay(mine="% Stage: graph\n", mine_test="not a rule")
        (directory / "README.md").write_text("words")
        assert rulebook.load(directory).overlaid == ["mine.lp"]

    def test_a_stage_must_be_named(self, overlay: Callable[..., Path]) -> None:
        with pytest.raises(RulesError) as caught:
            rulebook.load(overlay(mine="p(1).\n"))
        assert caught.value.code == "RULES_STAGE"
        assert caught.value.message.endswith("mine.lp names no stage")

    def test_a_stage_must_be_known(self, overlay: Callable[..., Path]) -> None:
        with pytest.raises(RulesError) as caught:
            rulebook.load(overlay(mine="% Stage: graph, later\n"))
        assert caught.value.code == "RULES_STAGE"
        assert "graph, later" in caught.value.message

    def test_a_directory_without_rules(self, tmp_path: Path) -> None:
        with pytest.raises(InputError) as caught:
            rulebook.load(tmp_path)
        assert caught.value.code == "RULES_EMPTY"

    @pytest.mark.parametrize("text", ["p(é).\n", 'p("\x00").\n', '"é\n'])
    def test_a_character_at_which_clingo_would_end_the_process(
        self, overlay: Callable[..., Path], text: str
    ) -> None:
        with pytest.raises(RulesError) as caught:
            rulebook.load(overlay(mine=f"% Stage: graph\n{text}"))
        assert caught.value.code == "RULES_CHARACTER"
        assert "mine.lp:2:" in caught.value.message

    def test_strings_and_comments_hold_any_character(self, overlay: Callable[..., Path]) -> None:
        text = '% Stage: steps\n%* %* é *% é *%\nmine("é"). % é\n#show mine/1.\n'
        rules = rulebook.load(overlay(mine=text))
        assert rules.solve("steps", []).rows("mine", 1) == [("é",)]

    def test_a_file_that_is_not_utf_8(self, tmp_path: Path) -> None:
        (tmp_path / "mine.lp").write_bytes(b"% Stage: graph\n\xff")
        with pytest.raises(InputError) as caught:
            rulebook.load(tmp_path)
        assert caught.value.code == "RULES_UNREADABLE"
        assert caught.value.message.endswith("cannot be read: byte 15 is not UTF-8")

    def test_a_directory_that_is_missing(self, tmp_path: Path) -> None:
        with pytest.raises(InputError) as caught:
            rulebook.load(tmp_path / "no")
        assert caught.value.code == "RULES_UNREADABLE"


class TestPolicy:
    def test_the_switches_and_their_values(self) -> None:
        assert rulebook.load().switches == {
            "cycle_policy": ("collapse", "refuse"),
            "breaking_policy": ("atomic", "reject"),
            "grounding_policy": ("lenient", "strict"),
        }

    def test_an_unknown_switch(self) -> None:
        with pytest.raises(InputError) as caught:
            rulebook.load(policy={"colour": "blue"})
        assert caught.value.code == "POLICY_UNKNOWN"
        assert caught.value.detail == {
            "name": "colour",
            "known": ["breaking_policy", "cycle_policy", "grounding_policy"],
        }

    def test_an_unknown_value(self) -> None:
        with pytest.raises(InputError) as caught:
            rulebook.load(policy={"cycle_policy": "collapse). p(1"})
        assert caught.value.code == "POLICY_INVALID"
        assert caught.value.fix == "use one of collapse, refuse"

    def test_an_overlay_edits_a_switch_and_the_run_outranks_it(
        self, overlay: Callable[..., Path]
    ) -> None:
        """S-CARD-04."""
        text = (RULES / "policy.lp").read_text("utf-8")
        directory = overlay(policy=text.replace("cycle_policy(collapse).", "cycle_policy(refuse)."))
        edited = rulebook.load(directory)
        back = rulebook.load(directory, {"cycle_policy": "collapse"})
        for rules, expected in ((edited, True), (back, False), (rulebook.load(), False)):
            assert bool(_cycle(rules).rows("violation", 2)) is expected

    def test_an_overlay_adds_a_switch(self, overlay: Callable[..., Path]) -> None:
        directory = overlay(
            friday="% Stage: graph\n%*! friday(Value)\nMay it land on a Friday?\n"
            "Values: yes, no\n*%\nfriday(no).\n"
        )
        assert rulebook.load(directory).switches["friday"] == ("yes", "no")
        with pytest.raises(InputError):
            rulebook.load(directory, {"friday": "maybe"})
        assert rulebook.load(directory, {"friday": "yes"}).policy == {"friday": "yes"}


def _cycle(rules: Rulebook) -> Atoms:
    pairs = [("O1", "O2"), ("O2", "O1")]
    return rules.solve(
        "schedule",
        [
            *(fact("obligation", each) for each in ("O1", "O2")),
            *(fact("ordinal", f"O{number}", number) for number in (1, 2)),
            *(fact("precedes", a, b, constant("declared")) for a, b in pairs),
        ],
    )


class TestLimits:
    def test_the_shipped_numbers(self) -> None:
        """S-000-016, S-000-038, S-000-058, S-000-063, S-000-096."""
        rules = rulebook.load()
        assert {name: rules.number(name) for name in LIMITS} == LIMITS
        text = (RULES / "limits.lp").read_text("utf-8")
        assert sorted(re.findall(r"^#const (\w+)", text, re.M)) == sorted(LIMITS)

    def test_a_run_outranks_them(self) -> None:
        rules = rulebook.load(limits={"max_id": 3})
        assert (rules.number("max_id"), rules.limits) == (3, {"max_id": 3})

    @pytest.mark.parametrize("value", [-1, 2**30])
    def test_numbers_that_would_wrap(self, value: int) -> None:
        with pytest.raises(InputError) as caught:
            rulebook.load(limits={"max_id": value})
        assert caught.value.code == "LIMIT_INVALID"

    def test_an_unknown_limit(self) -> None:
        with pytest.raises(InputError) as caught:
            rulebook.load(limits={"max_colour": 1})
        assert caught.value.code == "LIMIT_UNKNOWN"
        with pytest.raises(RulesError) as missing:
            rulebook.load().number("max_colour")
        assert missing.value.code == "LIMIT_MISSING"


class TestLexicon:
    def test_phrases_stand_in_the_files_of_the_vocabulary(
        self, overlay: Callable[..., Path]
    ) -> None:
        shipped = rulebook.load().lexicon
        assert {"consumer re bind", "type widening", "no breaking change"} <= shipped
        directory = overlay(
            words='% Stage: vocabulary, graph\n% "a comment"\nlexicon("swap", change(rename)).\n'
            '%* "a longer comment" *%\n',
            others='% Stage: graph\np("no phrase").\n',
        )
        assert rulebook.load(directory).lexicon - shipped == {"swap"}

    def test_phrases_of_the_shipped_comments_are_none(self) -> None:
        text = (RULES / "vocabulary.lp").read_text("utf-8")
        code = re.sub(r"%\*.*?\*%|%[^\n]*", "", text, flags=re.S)
        assert rulebook.load().lexicon == set(re.findall(r'"([^"]*)"', code))


class TestConstraints:
    """A user's bare constraint refuses a plan and says which one it was."""

    def test_it_becomes_a_violation_in_the_words_of_the_user(
        self, overlay: Callable[..., Path]
    ) -> None:
        rule = '\n:- unit(U),\n   U != "O9", % all\n   not q("a\\\\b").\n'
        rules = rulebook.load(overlay(mine=f"% Stage: schedule\n{rule}"))
        said = r'mine.lp:3 forbids :- unit(U), U != "O9", not q("a\\b").'
        assert _cycle(rules).rows("violation", 2) == [(said, "O1")]

    @pytest.mark.parametrize(
        ("rule", "subjects"),
        [
            (":- member(U, O).", {"O1"}),
            (":- not failed(O), member(U, O).", {"O1"}),
            (":- not member(_, _), unit(U).", set()),
            (":- unit(_).", {Fact("plan")}),
            ("#false :- precedes(A, B, _), A != B.", {"O1", "O2"}),
            (":- level(_, 99).", set()),
            ("p(1). :- p(1).", {Fact("plan")}),
            ("%* :- unit(_). *% % :- unit(_).", set()),
        ],
        ids=[
            "a unit",
            "where it is not absent",
            "not held",
            "nobody",
            "#false",
            "not reached",
            "a second rule",
            "a comment",
        ],
    )
    def test_its_subject(
        self, overlay: Callable[..., Path], rule: str, subjects: set[Fact | str]
    ) -> None:
        rules = rulebook.load(overlay(mine=f"% Stage: schedule\n{rule}\n"))
        assert {row[1] for row in _cycle(rules).rows("violation", 2)} == subjects

    def test_a_repair_may_be_constrained(self, overlay: Callable[..., Path]) -> None:
        """There it chooses among answers, and no violation would be read."""
        text = '% Stage: repair\n:- drop("O1", _).\n'
        rules = rulebook.load(overlay(mine=text))
        assert rules.text("mine.lp", "repair") == text

    def test_lines_stay_where_they_are(self, overlay: Callable[..., Path]) -> None:
        text = "% Stage: steps\n:- p.\n\nq(X) :- r(Y.\n"
        with pytest.raises(RulesError) as caught:
            rulebook.load(overlay(mine=text)).solve("steps", [])
        assert caught.value.message.startswith("mine.lp does not load: mine.lp:4:12-13: error")

    def test_the_shipped_rules_run_as_written(self) -> None:
        rules = rulebook.load()
        assert all(rules.text(file.name, "graph") == file.text for file in rules.files)


class TestReads:
    def test_the_shipped_rules_ask_for_no_place(self) -> None:
        assert not rulebook.load().reads("lies_in")
        assert rulebook.load().reads("target")

    def test_a_rule_that_asks_is_heard(self, overlay: Callable[..., Path]) -> None:
        text = '% Stage: graph\nmine(O) :- lies_in(O, "docs/").\n'
        assert rulebook.load(overlay(mine=text)).reads("lies_in")

    def test_a_comment_that_speaks_of_it_is_not(self, overlay: Callable[..., Path]) -> None:
        text = "% Stage: graph\n% lies_in(O, P) is no matter here\n"
        assert not rulebook.load(overlay(mine=text)).reads("lies_in")


class TestDigest:
    def test_it_names_the_rules_of_a_run(self, overlay: Callable[..., Path]) -> None:
        directory = overlay(mine="% Stage: graph\n")
        digests = [
            rulebook.load().digest,
            rulebook.load(policy={"cycle_policy": "refuse"}).digest,
            rulebook.load(limits={"max_id": 3}).digest,
            rulebook.load(directory).digest,
        ]
        assert len(set(digests)) == 4
        assert all(re.fullmatch("[0-9a-f]{64}", each) for each in digests)
        assert rulebook.load(policy={"cycle_policy": "collapse"}).digest == digests[0]
        assert Rulebook(rulebook.load().files).digest == digests[0]


class TestSolve:
    def test_one_answer_as_plain_python(self) -> None:
        found = _cycle(rulebook.load())
        assert found.rows("member", 2) == [("O1", "O1"), ("O1", "O2")]
        assert found.rows("composite", 1) == [("O1",)]

    def test_stages_do_not_mix(self, overlay: Callable[..., Path]) -> None:
        directory = overlay(mine="% Stage: steps\nmine(1).\n#show mine/1.\n")
        rules = rulebook.load(directory)
        assert rules.solve("steps", []).rows("mine", 1) == [(1,)]
        assert _cycle(rules).rows("mine", 1) == []

    def test_facts_are_quoted(self) -> None:
        atoms = rulebook.load().solve("admission", [fact("malformed_id", 'a"). violation(x, "b\n')])
        assert atoms.rows("violation", 2) == [(Fact("id_invalid"), 'a"). violation(x, "b\n')]

    @pytest.mark.parametrize(
        ("rule", "code", "says"),
        [
            ("{ p }.\n", "RULES_AMBIGUOUS", "choices"),
            ("p :- not q. q :- not p.\n", "RULES_AMBIGUOUS", "choices"),
            ("p :- not p.\n", "RULES_UNSATISFIABLE", "negation"),
        ],
        ids=["choice", "even loop", "odd loop"],
    )
    def test_exactly_one_answer(
        self, overlay: Callable[..., Path], rule: str, code: str, says: str
    ) -> None:
        """S-CARD-06: one answer set, or the rules are at fault."""
        rules = rulebook.load(overlay(mine=f"% Stage: steps\n{rule}"))
        with pytest.raises(RulesError) as caught:
            rules.solve("steps", [])
        assert caught.value.code == code
        assert says in caught.value.fix

    @pytest.mark.parametrize(
        ("text", "says"),
        [
            ("% Stage: steps\n\np(X).\n", "mine.lp:3:1-6: error: unsafe variables"),
            ("% Stage: steps\n%* two\nlines *%\np(1)\n", "mine.lp:5:1"),
            ('% Stage: steps\np("a).\n', "mine.lp:2:"),
        ],
        ids=["unsafe", "syntax", "an open string"],
    )
    def test_a_fault_is_told_by_file_and_line(
        self, overlay: Callable[..., Path], text: str, says: str
    ) -> None:
        """Though the rules are solved as one text without comments."""
        rules = rulebook.load(overlay(mine=text))
        with pytest.raises(RulesError) as caught:
            rules.solve("steps", [])
        assert caught.value.code == "RULES_BROKEN"
        assert says in caught.value.message

    def test_a_percent_sign_in_a_string_is_no_comment(self, overlay: Callable[..., Path]) -> None:
        rules = rulebook.load(
            overlay(mine='% Stage: steps\nmine("50%"). mine("%* *%").\n#show mine/1.\n')
        )
        assert rules.solve("steps", []).rows("mine", 1) == [("%* *%",), ("50%",)]

    def test_a_best_answer_must_be_proven(self, overlay: Callable[..., Path]) -> None:
        rule = "% Stage: repair\n1 { mine(1..3) } 1.\n#minimize { X : mine(X) }.\n#show mine/1.\n"
        rules = rulebook.load(overlay(repair=rule))
        assert rules.solve("repair", [], optimise=True).rows("mine", 1) == [(1,)]

    @pytest.mark.parametrize(
        "option", ["--seed=7", "--rand-freq=1", "-t2", "--configuration=crafty"]
    )
    def test_options_of_the_solver_change_nothing(self, option: str) -> None:
        """S-CARD-06."""
        plain, other = rulebook.load(), rulebook.load(clingo_options=(option,))
        assert _cycle(other).rows("member", 2) == _cycle(plain).rows("member", 2)


def test_the_shipped_rules_hold_no_constraint_and_one_choice() -> None:
    """UNSAT can then only mean that an overlay is broken."""
    for file in rulebook.load().files:
        code = re.sub(r'"(?:[^"\\]|\\.)*"|%\*.*?\*%|%[^\n]*', "", file.text, flags=re.S)
        assert not re.search(r"(?:^|\.)\s*:-", code), file.name
        assert bool(re.search(r"#(?:minimize|maximize)|^\s*\{", code, re.M)) is (
            file.name == "repair.lp"
        ), file.name


def test_a_file_of_an_overlay_reaches_no_further_than_its_end(tmp_path: Path) -> None:
    """`#program` in one file must not swallow the rules of another."""
    (tmp_path / "a.lp").write_text("% Stage: steps\n\n#program later.\n", encoding="utf-8")
    (tmp_path / "b.lp").write_text("% Stage: steps\n\nb(1).\n#show b/1.\n", encoding="utf-8")
    found = rulebook.load(tmp_path).solve("steps", [])
    assert found.rows("b", 1) == [(1,)]
    assert len(found.rows("violation", 2)) == 0
