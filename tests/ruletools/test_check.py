"""`rules check`: every fault that clingo lets pass is found and located, and nothing else is."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from support import EXAMPLES, RULES

from plan07 import jsontext, rulebook
from plan07.errors import InputError
from plan07.ruletools import check, issues
from plan07.ruletools.issues import Issue
from plan07.ruletools.trial import Settings

OURS = {"TEST_MISSING", "HEADER_MISSING"}


class Found(NamedTuple):
    """Where a finding is, and what it is."""

    file: str
    line: int
    column: int
    code: str


@pytest.fixture
def overlay(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes rule files and returns their directory."""

    def call(**files: str) -> Path:
        for name, text in files.items():
            (tmp_path / f"{name}.lp").write_text(text, "utf-8")
        return tmp_path

    return call


@pytest.fixture
def copy(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that adds a text to a file of a copy of the shipped rules."""

    def call(file: str, added: str) -> Path:
        directory = tmp_path / "copy"
        shutil.copytree(RULES, directory, ignore=shutil.ignore_patterns("*_test.lp"))
        with (directory / file).open("a", encoding="utf-8") as stream:
            stream.write(added)
        return directory

    return call


def length(file: str) -> int:
    """Return how many lines a shipped file has."""
    return (RULES / file).read_text("utf-8").count("\n")


def places(found: list[Issue], *, without: set[str] = OURS) -> list[Found]:
    return [Found(e.file, e.line, e.column, e.code) for e in found if e.code not in without]


def only(found: list[Issue], code: str) -> Issue:
    (issue,) = [each for each in found if each.code == code]
    return issue


class TestShipped:
    def test_nothing_is_found_in_the_shipped_rules(self) -> None:
        assert check.check(None) == []

    def test_a_copy_that_was_not_touched_is_no_overlay(self, copy: Callable[..., Path]) -> None:
        assert check.check(str(copy("ladder.lp", "")), QUICK) == []

    @pytest.mark.parametrize("name", sorted(path.name for path in RULES.glob("*.lp")))
    def test_a_file_that_only_lacks_a_comment(self, name: str, copy: Callable[..., Path]) -> None:
        """What is good as a shipped file is good as a user's."""
        if name.endswith("_test.lp"):
            return
        found = check.check(str(copy(name, "\n% Mine.\n")))
        assert {each.code for each in found} <= {"TEST_MISSING"}


class TestFaultsInACopyOfTheRules:
    """Each of these goes through clingo, most of them without a word."""

    @pytest.mark.parametrize(
        ("file", "added", "expected", "says", "fix"),
        [
            (
                "ordering.lp",
                "befor(U, V) :- before(V, U).\n",
                (1, 1, "PREDICATE_MISSPELT"),
                'nothing reads befor/2, which "befor(U, V)" derives; did you mean before?',
                "write before, or choose a name that differs more",
            ),
            (
                "ladder.lp",
                "rung(5, code, docs, last) :- primary(O), verb(O, modfy).\n",
                (1, 50, "CONSTANT_UNKNOWN"),
                '"modfy" never stands there in "verb(O, modfy)"; what may: modify, preserve, '
                "validate",
                "write modify",
            ),
            (
                "ladder.lp",
                'rung(5, code, docs, last) :- verb(_, "modify").\n',
                (1, 38, "CONSTANT_UNKNOWN"),
                '"modify" never stands there in "verb(_, \\"modify\\")"',
                "write modify",
            ),
            (
                "readiness.lp",
                "#program later.\nready(U) :- unit(U).\n",
                (1, 1, "STATEMENT_FORBIDDEN"),
                '"#program later." begins a part of the program that is not grounded; the 1 '
                f"statements after it, from line {length('readiness.lp') + 2}, never run",
                "remove it; put the rules into files of their own",
            ),
            (
                "temporal.lp",
                "atomic(O, P, mine) :- role(O, break_type), changes(P, _), O != P.\n",
                (1, 23, "PREDICATE_ARITY"),
                '"role(O, break_type)" never holds: nothing makes role/2; there is role/3',
                "give it as many arguments as role/3",
            ),
            (
                "readiness.lp",
                ":- ready(U), failed(U).\n",
                (1, 1, "CONSTRAINT_REWRITTEN"),
                '":- ready(U), failed(U)." is read as a rule that derives a violation',
                'say it yourself: `violation("why", Subject) :- ready(U), failed(U).`',
            ),
            (
                "repair.lp",
                ":~ drop(X, Y). [1@2, mine, X, Y]\n",
                (1, 19, "LEVEL_RESERVED"),
                'the level "2" of ":~ drop(X, Y). [1@2, mine, X, Y]" is one that repair.lp uses',
                "use a level of 3 or more, which decides before it",
            ),
            (
                "ladder.lp",
                "climbs(X, Y, Y, Y) :- ordinal(Y, X), ordinal(_, Y), X <= Y, X > Y.\n",
                (1, 61, "COMPARISON_CONTRADICTS"),
                '"X > Y" never holds together with the other conditions',
                "remove one of the conditions, or split the rule in two",
            ),
        ],
        ids=[
            "misspelt head",
            "misspelt constant",
            "a text for a constant",
            "after a stray #program",
            "wrong arity",
            "bare constraint",
            "reserved level",
            "contradiction",
        ],
    )
    def test_it_is_found_and_located(
        self,
        copy: Callable[..., Path],
        file: str,
        added: str,
        expected: tuple[int, int, str],
        says: str,
        fix: str,
    ) -> None:
        line, column, code = expected
        found = check.check(str(copy(file, added)))
        assert Found(file, length(file) + line, column, code) in places(found)
        issue = only(found, code)
        assert says in issue.message
        assert issue.fix.startswith(fix)
        assert issue.path.endswith(f"copy/{file}")
        assert check.failed(found) is (code != "CONSTRAINT_REWRITTEN")

    def test_a_cubic_rule_over_400_obligations(self, copy: Callable[..., Path]) -> None:
        added = (
            "once(A) :- unit(A), failed(A).\n"
            "blocked(A) :- triple(A, A, A), once(A).\n"
            "triple(A, B, C) :- unit(A), unit(B), unit(C).\n"
        )
        directory = copy("readiness.lp", added)
        found = check.check(str(directory), Settings(seconds=1.0))
        issue = only(found, "GROUNDING_GROWS")
        assert (issue.file, issue.line) == ("readiness.lp", length("readiness.lp") + 3)
        assert issue.rule == "readiness.triple"
        assert issue.message.endswith("do not come to an end on a plan of 400 obligations")

    def test_a_file_with_no_rules(self, overlay: Callable[..., Path]) -> None:
        found = check.check(str(overlay(ladder="%# Ladder: mine\n%\n% Stage: graph\n")))
        assert places(found)[0] == ("ladder.lp", 1, 1, "FILE_EMPTY")
        # Nor does anything derive what other files ask of it.
        assert {each.code for each in found[1:]} <= {"CONSTANT_UNKNOWN", "TEST_MISSING"}

    def test_an_empty_directory(self, tmp_path: Path) -> None:
        with pytest.raises(InputError) as caught:
            check.check(str(tmp_path))
        assert caught.value.code == "RULES_EMPTY"
        assert str(tmp_path) in caught.value.message

    def test_two_files_that_use_a_predicate_differently(self, overlay: Callable[..., Path]) -> None:
        directory = overlay(
            one="%# One: ?\n% Stage: schedule\nlate(U) :- level(U, N), N > 3.\n"
            "advice(late, U) :- late(U).\n",
            two="%# Two: ?\n% Stage: schedule, graph\n\nlate(O) :- state(O, failed).\n"
            "prefer(O, 9) :- late(O).\n",
        )
        issue = only(check.check(str(directory)), "PREDICATE_CLASH")
        assert (issue.file, issue.line, issue.column, issue.rule) == ("two.lp", 4, 1, "two.late")
        assert "late/1 is derived here and in one.lp:3" in issue.message
        assert "two_late" in issue.fix

    def test_all_of_them_at_once(self, overlay: Callable[..., Path]) -> None:
        """No fault hides another, not even one in another file that cannot be parsed."""
        directory = overlay(
            one="%# One: ?\n% Stage: graph\np(X :- q.\nr(.\n",
            two="no header\n",
            three="%# Three: ?\n% Stage: schedule\nadvice(x, U) :- unit(u), level(U, 1, 2).\n",
        )
        assert places(check.check(str(directory), QUICK)) == [
            ("one.lp", 3, 5, "SYNTAX"),
            ("one.lp", 4, 3, "SYNTAX"),
            ("three.lp", 3, 17 + 5, "CONSTANT_UNKNOWN"),
            ("three.lp", 3, 17 + 5, "VARIABLE_LOWERCASE"),
            ("three.lp", 3, 26, "PREDICATE_ARITY"),
            ("two.lp", 1, 1, "FILE_STAGE"),
        ]


# Few obligations, where growth is not what a test is about.
QUICK = Settings(obligations=10)
HEAD = "%# Mine: ?\n% Stage: {stage}\n"


class TestFaults:
    @pytest.mark.parametrize(
        ("stage", "rule", "column", "code", "says"),
        [
            ("graph", "p(1.\n", 4, "SYNTAX", "unexpected ."),
            ("graph", 'p("é", é).\n', 8, "SYNTAX", "holds the character '\\xe9'"),
            ("graph", 'p("a\n', 3, "SYNTAX", "lexer error"),
            ("graph", "#external p.\n", 1, "STATEMENT_FORBIDDEN", '"#external p."'),
            ("graph", "#heuristic verb(O, V) : test(O). [1, true]\n", 1, "STATEMENT_FORBIDDEN", ""),
            (
                "graph",
                '#script (python)\nimport os\nx = "."\n#end .\nlexicon("a", X).\n',
                14,
                "VARIABLE_UNSAFE",
                "variable X",
            ),
            (
                "graph",
                "#script (lua) function main() end #end.\n",
                1,
                "STATEMENT_FORBIDDEN",
                "run no code",
            ),
            ("graph", "#project verb/2.\n", 1, "STATEMENT_FORBIDDEN", '"#project verb/2."'),
            ("graph", "#edge (X, Y) : contains(X, Y).\n", 1, "STATEMENT_FORBIDDEN", '"#edge (X'),
            ("graph", "#show X : test(X).\n", 1, "STATEMENT_FORBIDDEN", "no atom"),
            ("graph", "#theory t { }.\n", 1, "STATEMENT_FORBIDDEN", '"#theory t { }."'),
            (
                "schedule",
                "#const max_id = 3.\n",
                1,
                "SYNTAX",
                "redefinition of constant",
            ),
            ("graph", 'prefer("O1", 1).\n', 1, "PREDICATE_STAGE", "it is read in schedule"),
            (
                "graph",
                "#minimize { 1@9, O : verb(O, modify) }.\n",
                1,
                "STATEMENT_FORBIDDEN",
                "chooses among answers",
            ),
            ("graph", "prefer(@f(1), 1).\n", 8, "STATEMENT_FORBIDDEN", "@f calls a function"),
            ("schedule", "{ prefer(O, 1) } :- unit(O).\n", 1, "CHOICE_FORBIDDEN", "{ prefer"),
            ("schedule", "prefer(O, 1) ; prefer(O, 2) :- unit(O).\n", 1, "CHOICE_FORBIDDEN", ""),
            ("repair", "#minimize { 1@0, m, X : drop(X, _) }.\n", 15, "LEVEL_RESERVED", '"0"'),
            ("repair", "#minimize { 1, m, X : drop(X, _) }.\n", 13, "LEVEL_RESERVED", '"0"'),
            ("repair", ":~ drop(X, _), ordinal(X, N). [1@N, m, X]\n", 34, "LEVEL_RESERVED", '"N"'),
            ("schedule", "-blocked(U) :- ready(U).\n", 1, "NEGATION_CLASSICAL", '"-blocked(U)"'),
            (
                "schedule",
                "prefer(O, 1) :- unit(O), not prefer(O, 1).\n",
                26,
                "NEGATION_LOOP",
                '"not prefer(O, 1)"',
            ),
            ("graph", "prefer(O, 1) :- vreb(O, modify).\n", 17, "PREDICATE_MISSPELT", "verb"),
            ("graph", "advice(x, O) :- something(O).\n", 17, "PREDICATE_UNKNOWN", "something/1"),
            (
                "schedule",
                "prefer(O, 1) :- role(O, migrate, _).\n",
                17,
                "PREDICATE_STAGE",
                "role/3 is known in graph",
            ),
            (
                "schedule",
                "prefer(O, 1) :- mine(O).\nmine(O) :- precedes(O, _, declared).\n",
                12,
                "WISH_LOST",
                '"precedes(O, _, declared)" holds nothing in the stage readiness',
            ),
            (
                "graph",
                "advice(x, O) :- climbs(_, O, _, _).\n",
                17,
                "PREDICATE_PRIVATE",
                "ladder.lp",
            ),
            ("graph", "mine(O) :- verb(O, modify).\n", 1, "PREDICATE_UNREAD", "mine/1"),
            ("graph", "violation(O) :- verb(O, modify).\n", 1, "PREDICATE_ARITY", "violation/2"),
            ("graph", "#defined vreb/2.\n", 1, "DEFINED_UNKNOWN", "did you mean verb?"),
            (
                "graph",
                "advice(x, O) :- role(O, widen_typ, _).\n",
                25,
                "CONSTANT_UNKNOWN",
                "write widen_type",
            ),
            (
                "graph",
                "advice(x, O) :- precedes(O, _, ladder(_, widen_then_rebnd, _)).\n",
                42,
                "CONSTANT_UNKNOWN",
                "write widen_then_rebind",
            ),
            ("graph", "advice(x, O) :- not verb(O, 7), test(O).\n", 29, "CONSTANT_UNKNOWN", '"7"'),
            (
                "graph",
                'advice(x, "a") :- 2 < #count { O : verb(O, Modify), state(O, done) }.\n',
                62,
                "CONSTANT_UNKNOWN",
                "complete, failed",
            ),
            (
                "graph",
                "advice(x, O) :- verb(o, _), test(O).\n",
                22,
                "CONSTANT_UNKNOWN",
                "such as O",
            ),
            ("graph", "effect(body, calls, shuold, none, 1).\n", 21, "CONSTANT_UNKNOWN", "should"),
            (
                "graph",
                "advice(x, O) :- ordinal(O, N), N < 1, N > 5.\n",
                None,
                None,
                "",
            ),
            ("graph", "advice(x, O) :- test(O), O != O.\n", 26, "COMPARISON_CONTRADICTS", ""),
            (
                "graph",
                "advice(x, O) :- test(O), O < P, P < O, test(P).\n",
                33,
                "COMPARISON_CONTRADICTS",
                "",
            ),
            ("graph", "advice(x, O) :- test(O), not test(O).\n", 26, "COMPARISON_CONTRADICTS", ""),
            ("graph", "advice(x, O) :- test(P).\n", 11, "VARIABLE_UNSAFE", "variable O"),
            ("graph", "advice(x, O) :- test(O), not verb(O, _V), é.\n", 43, "SYNTAX", ""),
            ("graph", "advice(x, O) :- verb(O, V).\n", 25, "VARIABLE_SINGLE", "variable V"),
            (
                "graph",
                'advice(x, "a") :- #count { O : verb(O, V) } > 3.\n',
                40,
                "VARIABLE_SINGLE",
                "variable V",
            ),
            (
                "graph",
                "advice(f(o), O) :- test(O), lexicon(_, o).\n",
                40,
                "VARIABLE_LOWERCASE",
                "write O",
            ),
            ("graph", "advice(x, O) :- test(O), test(P), O < P.\n", 35, "ID_ORDER", "ordinal"),
            ("graph", 'advice(x, O) :- test(O), O > "O9".\n', 26, "ID_ORDER", '"O > \\"O9\\""'),
            ("schedule", "prefer(O, 2147483648) :- unit(O).\n", 11, "INTEGER_WRAPS", "2147483648"),
            ("schedule", "prefer(O, -0x40000001) :- unit(O).\n", 11, "INTEGER_LARGE", "0x40000001"),
            (
                "graph",
                '%@ id: Bad Id\nadvice(x, "a") :- tests_known.\n',
                1,
                "ID_INVALID",
                '"Bad Id" is no id',
            ),
            (
                "graph",
                '%@ id: precedes.declared\nadvice(x, "a") :- tests_known.\n',
                1,
                "ID_INVALID",
                "is that of temporal.lp",
            ),
            (
                "graph",
                "advice(x, O) :- test(O).\nadvice(x, O) :- verb(O, modify).\n",
                1,
                "ID_MISSING",
                "mine.x.2",
            ),
        ],
    )
    def test_it_is_found(
        self,
        overlay: Callable[..., Path],
        stage: str,
        rule: str,
        column: int | None,
        code: str | None,
        says: str,
    ) -> None:
        found = check.check(str(overlay(mine=HEAD.format(stage=stage) + rule)))
        if code is None:
            # Numbers that no answer has are left to whoever reads the rule.
            assert places(found) == []
            return
        here = [each for each in found if each.code == code]
        assert here, places(found)
        last = 2 + rule.count("\n")
        assert (here[0].file, here[0].line, here[0].column) == ("mine.lp", last, column)
        assert says in f"{here[0].message} {here[0].fix}"

    def test_columns_count_characters(self, overlay: Callable[..., Path]) -> None:
        """clingo counts bytes."""
        text = HEAD.format(stage="graph") + 'advice("äöü…", O) :- test(P). p("é") :- q(.\n'
        assert places(check.check(str(overlay(mine=text)))) == [("mine.lp", 3, 43, "SYNTAX")]
        text = HEAD.format(stage="graph") + 'advice("äöü…", O) :- test(_).\n'
        assert (
            places(check.check(str(overlay(mine=text))))
            == [
                ("mine.lp", 3, 16, "VARIABLE_UNSAFE"),
                ("mine.lp", 3, 16, "VARIABLE_SINGLE"),
            ][::-1]
        )

    def test_a_header_is_missing(self, overlay: Callable[..., Path]) -> None:
        found = check.check(str(overlay(mine='% Stage: schedule\nprefer("O1", 1).\n')))
        assert places(found, without=set()) == [
            ("mine.lp", 1, 1, "HEADER_MISSING"),
            ("mine.lp", 1, 1, "TEST_MISSING"),
        ]

    def test_what_cannot_be_read(self, overlay: Callable[..., Path]) -> None:
        directory = overlay(a="% Stage: later\n", b='% Stage: graph\n#include "a.lp".\n')
        (directory / "c.lp").write_bytes(b"% Stage: graph\n\xff\n")
        found = check.check(str(directory))
        assert places(found) == [
            ("a.lp", 1, 1, "FILE_STAGE"),
            ("b.lp", 1, 1, "FILE_INCLUDES"),
            ("c.lp", 1, 1, "FILE_UNREADABLE"),
        ]
        assert "a.lp names the stage later" in found[0].message

    def test_every_code_has_a_level_and_a_meaning(self) -> None:
        assert {level for level, _ in issues.CODES.values()} == {issues.ERROR, issues.ADVICE}
        assert all(meaning for _, meaning in issues.CODES.values())


SANE = {
    "documentation goes last": """%# Documentation: does it come last?
%
% Stage: graph

%*! docs(Obligation)
An obligation that changes documentation.  Output.
Args:
    - Obligation: its id
*%
docs(O) :- changes(O, E), entity(E, document).
docs(O) :- kind(O, body, phrase("docs")).

%@ id: docs.last
precedes(O, P, docs_last) :- docs(P), changes(O, _), not docs(O), not comes_after(O, P).
comes_after(O, P) :- declared(O, P).
comes_after(O, Q) :- comes_after(O, P), declared(P, Q).
""",
    "security needs validation": """%# Security: is what is sensitive validated before and after?
%
% Stage: graph

sensitive(("auth"; "crypto")).
touches(O) :- changes(O, E), sensitive(E).
touches(O) :- changes(O, E), sensitive(S), contains(S, E).
before(O) :- touches(O), verb(V, validate), declared(O, V).
%@ id: security.before
violation("a sensitive change needs a validation before it", O) :- touches(O), not before(O).
""",
    "frozen directory": """%# Freeze: which files may not be touched?
%
% Stage: schedule

frozen("legacy.py").
violation(frozen(F), O) :- edits_file(O, F), frozen(F), not status(O, alternative).
advice(many_files(N), U) :- unit(U), N = #count { F : member(U, O), edits_file(O, F) }, N > 3.
""",
    "wishes": """%# Wishes: what goes first?
%
% Stage: schedule

prefer(O, -5) :- verb(O, validate), not state(O, complete).
prefer(O, N * 2) :- ordinal(O, N), verb(O, preserve), N > 1, cycle_policy(refuse).
lonely(A) :- unit(A), not member(A, B) : obligation(B), B != A.
#show lonely/1.
""",
    "words and kinds": """%# Words: ours
%
% Stage: vocabulary, graph

lexicon(("swap"; "exchange"), change(our_swap)).
effect(our_swap, (calls; uses), must, together, 500).
lexicon("golden", role(golden)).
role(O, golden, phrase(P)) :- phrase(O, caused_by, P), lexicon(P, role(golden)).
advice(golden(Answer), O) :- role(O, golden, _), breaking_policy(Answer).
""",
    "one value where another is not": """%# Tiers: which tier?
%
% Stage: graph

tier(O, rank(high)) :- verb(O, modify), not tier(O, rank(low)).
tier(O, rank(low)) :- verb(O, preserve).
tier(O, rank(low)) :- needs_test(O, T), not test(T).
advice(tier(Rank), O) :- tier(O, Rank).
""",
    "what another stage says": """%# Reasons: which edges are ours?
%
% Stage: schedule

advice(ours(P), O) :- precedes(P, O, docs_last).
advice(theirs(P), O) :- precedes(P, O, (impact; ladder)).
""",
    "a switch": """%# Friday: may it land?
%
% Stage: admission

%*! friday(Value)
May a plan land on a Friday?
Values: yes, no
Args:
    - Value: yes lets it
*%
friday(yes).
violation("not on a Friday", plan) :- friday(no), obligation(_).
""",
    "a repair with a wish": """%# Keep: which dependencies are dropped last?
%
% Stage: repair

keeps("O1").
:- drop(X, Y), keeps(X), keeps(Y).
#minimize { 1@3, keep, X, Y : drop(X, Y), keeps(X) }.
""",
}


@pytest.mark.parametrize("text", SANE.values(), ids=SANE)
def test_nothing_is_found_in_what_a_sane_user_writes(
    overlay: Callable[..., Path], text: str
) -> None:
    directory = overlay(mine=text)
    rulebook.load(directory)
    assert places(check.check(str(directory))) == []


class TestIgnores:
    RULE = "mine(O) :- verb(O, modify).\n"

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("% plan07: ignore PREDICATE_UNREAD tried out by hand\n{}", []),
            ("{}", [(3, "PREDICATE_UNREAD")]),
            ("mine(O) :- verb(O, modify). % plan07: ignore PREDICATE_UNREAD for now\n", []),
            ("%@ id: mine.a\n% plan07: ignore PREDICATE_UNREAD for now\n% words\n{}", []),
            (
                "% plan07: ignore PREDICATE_UNREAD\n{}",
                [(3, "IGNORE_INVALID"), (4, "PREDICATE_UNREAD")],
            ),
            (
                "% plan07: ignore UNREAD because\n{}",
                [(3, "IGNORE_INVALID"), (4, "PREDICATE_UNREAD")],
            ),
            (
                "% plan07: ignore ID_ORDER because\n{}",
                [(3, "IGNORE_UNUSED"), (4, "PREDICATE_UNREAD")],
            ),
            (
                '% plan07: ignore PREDICATE_UNREAD in all of it\n\nlexicon("a", nothing).\n{}',
                [],
            ),
            (
                'lexicon("a", nothing).\n% plan07: ignore PREDICATE_UNREAD far\n\n{}',
                [(4, "IGNORE_UNUSED"), (6, "PREDICATE_UNREAD")],
            ),
        ],
        ids=[
            "above",
            "none",
            "beside",
            "in the block above",
            "without a reason",
            "no code",
            "unused",
            "of the file",
            "apart",
        ],
    )
    def test_a_comment_leaves_a_finding_out(
        self, overlay: Callable[..., Path], text: str, expected: list[tuple[int, str]]
    ) -> None:
        directory = overlay(mine=HEAD.format(stage="graph") + text.format(self.RULE))
        found = places(check.check(str(directory)))
        assert [(each.line, each.code) for each in found] == expected


class TestTrial:
    def test_rules_that_never_end(self, overlay: Callable[..., Path]) -> None:
        # The rule comes before what it rests on, which is not to blame.
        text = "%@ id: mine.up\ncounted(N + 1) :- counted(N).\ncounted(1).\n"
        text += "prefer(O, N) :- counted(N), ordinal(O, N).\n"
        directory = overlay(mine=HEAD.format(stage="schedule") + text)
        issue = only(
            check.check(str(directory), Settings(seconds=0.5, obligations=20)), "GROUNDING_GROWS"
        )
        assert (issue.line, issue.rule) == (4, "mine.up")

    @pytest.mark.parametrize(
        ("rule", "code", "rule_id"),
        [
            ("{ prefer(O, 1) } :- unit(O).\n", "ANSWERS_SEVERAL", "mine.prefer"),
            ('p :- not q.\nq :- not p.\nprefer("O1", 1) :- q.\n', "ANSWERS_SEVERAL", None),
            ("p :- unit(_), not p.\n", "ANSWERS_NONE", "mine.p"),
            ('ready("O99").\nmember(U, U) :- ready(U).\n', "PLAN_FAILS", None),
        ],
        ids=["choice", "even loop", "odd loop", "an unknown unit"],
    )
    def test_a_plan_without_one_answer(
        self, overlay: Callable[..., Path], rule: str, code: str, rule_id: str | None
    ) -> None:
        directory = overlay(mine=HEAD.format(stage="schedule") + rule)
        issue = only(check.check(str(directory), QUICK), code)
        assert issue.file == "mine.lp"
        assert rule_id in (None, issue.rule)

    def test_a_plan_of_the_user(self, overlay: Callable[..., Path]) -> None:
        """What no probe plan shows, the user's own may."""
        text = '{ prefer(O, 1) } :- target(O, "auth.Session.fetch").\n'
        directory = overlay(mine=HEAD.format(stage="schedule") + text)
        assert "ANSWERS_SEVERAL" not in {e.code for e in check.check(str(directory), QUICK)}
        plan, name = jsontext.read(str(EXAMPLES / "rename.plan.json"))
        found = check.check(str(directory), QUICK._replace(plans={name: plan}))
        assert name in only(found, "ANSWERS_SEVERAL").message

    @pytest.mark.parametrize("added", ["", 'prefer("O1", 1).\n'], ids=["only", "and adds"])
    def test_what_an_overlay_leaves_out(self, overlay: Callable[..., Path], added: str) -> None:
        """No rule of the user's own is to blame, so none is named."""
        text = (RULES / "readiness.lp").read_text("utf-8")
        assert "blocked(U) :- pending(U)" in text
        cut = re.sub(r"^pending\(U\) :- .*$", "", text, flags=re.M)
        found = check.check(str(overlay(readiness=cut + added)), QUICK)
        failing = [each for each in found if each.code == "PLAN_FAILS"]
        assert {(each.file, each.line, each.rule) for each in failing} == {("readiness.lp", 1, "")}
        assert "RULES_OUTPUT" in failing[0].message
        assert "plan07 rules diff" in failing[0].fix

    def test_the_shipped_rules_on_the_plans_of_a_user(self) -> None:
        read = [jsontext.read(str(path)) for path in sorted(EXAMPLES.glob("*.plan.json"))[:3]]
        assert check.check(None, QUICK._replace(plans={name: plan for plan, name in read})) == []

    def test_rules_that_refuse_are_in_order(self, overlay: Callable[..., Path]) -> None:
        text = "violation(never, U) :- unit(U).\n"
        directory = overlay(mine=HEAD.format(stage="schedule") + text)
        assert places(check.check(str(directory), QUICK)) == []
