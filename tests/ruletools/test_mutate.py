"""Mutants of rules, and which of them tests notice."""

from __future__ import annotations

from pathlib import Path

import pytest

from plan07.errors import InputError
from plan07.ruletools import mutate, source
from plan07.ruletools.mutants import CONSTANT, DIRECTION, LITERAL, RULE, mutants
from plan07.ruletools.mutate import EXPLAINED, INVALID, KILLED, SURVIVED, Bench, Verdict


def changes(text: str) -> list[tuple[str, str, str]]:
    """Return kind, label and text of every mutant of a rule."""
    rule = source.parse_text(text, "x.lp").rules[0]
    return [
        (each.kind, each.label.partition(": ")[2], " ".join(each.text.split()))
        for each in mutants(rule, ("max_x",))
    ]


def test_mutants_of_a_rule() -> None:
    assert changes("p(X, Y, a) :- q(X, Y), not r(Y), N = 3, N < max_x, X != Y.") == [
        (RULE, "without the rule", ""),
        (LITERAL, "without `q(X, Y)`", "p(X, Y, a) :- not r(Y); N = 3; N < max_x; X != Y."),
        (LITERAL, "without `not r(Y)`", "p(X, Y, a) :- q(X, Y); N = 3; N < max_x; X != Y."),
        (LITERAL, "without `N = 3`", "p(X, Y, a) :- q(X, Y); not r(Y); N < max_x; X != Y."),
        (LITERAL, "without `N < max_x`", "p(X, Y, a) :- q(X, Y); not r(Y); N = 3; X != Y."),
        (LITERAL, "without `X != Y`", "p(X, Y, a) :- q(X, Y); not r(Y); N = 3; N < max_x."),
        (
            DIRECTION,
            "`X` and `Y` in `p(X, Y, a)`",
            "p(Y, X, a) :- q(X, Y), not r(Y), N = 3, N < max_x, X != Y.",
        ),
        (
            DIRECTION,
            "`X` and `Y` in `q(X, Y)`",
            "p(X, Y, a) :- q(Y, X), not r(Y), N = 3, N < max_x, X != Y.",
        ),
        (
            CONSTANT,
            "`plan07_other` for `a` in `p(X, Y, a)`",
            "p(X, Y, plan07_other) :- q(X, Y), not r(Y), N = 3, N < max_x, X != Y.",
        ),
        (
            CONSTANT,
            "`4` for `3` in `N = 3`",
            "p(X, Y, a) :- q(X, Y), not r(Y), N = 4, N < max_x, X != Y.",
        ),
        (
            CONSTANT,
            "`<=` for `<`",
            "p(X, Y, a) :- q(X, Y), not r(Y), N = 3, N <= max_x, X != Y.",
        ),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p((a;b)).", ["", "p((plan07_other;b)).", "p((a;plan07_other))."]),
        ('p("text").', [""]),
        ("p :- q.", ["", "p."]),
        ("p :- q, q.", ["", "p :- q."]),
        ("p(X) :- v(X), s(Y) : e(X, Y).", ["", "p(X) :- s(Y) : e(X, Y).", "p(X) :- v(X).",
                                           "p(X) :- v(X), s(Y) : e(Y, X)."]),
        ("{ d(X) } :- m(X).", ["", "{ d(X) }."]),
        ("#const max_y = 7.", ["", "#const max_y = 8."]),
        ("#minimize { 1@2, n, X : d(X) }.", ["", "#minimize { 2@2, n, X : d(X) }.",
                                           "#minimize { 1@3, n, X : d(X) }.",
                                           "#minimize { 1@2, plan07_other, X : d(X) }."]),
        ("p(N) :- N = #count { X : q(X, Y) }, r(Y).", ["", "p(N) :- r(Y).",
            "p(N) :- N = #count { X : q(X, Y) }.", "p(N) :- N = #count { X : q(Y, X) }, r(Y)."]),
        ("#show p/1.", []),
        ("#defined p/1.", []),
    ],
)  # fmt: skip
def test_what_is_tried(text: str, expected: list[str]) -> None:
    assert sorted(each[2] for each in changes(text)) == sorted(expected)


def test_labels_tell_mutants_apart() -> None:
    labels = [each[1] for each in changes("p(X) :- q(X, 1, 1).")]
    assert labels[-2:] == ["`2` for `1` in `q(X, 1, 1)`", "`2` for `1` in `q(X, 1, 1)` (2)"]


RULES = """\
% Stage: graph
late(O) :- target(O, E), verb(O, modify), docs(E).
docs("README").
late(O) :- late(O), obligation(O).
"""
TESTS = """\
%# Tests.
%@ survives: late.late.2: without the rule
%@ survives: late.late.2: without `late(O)` because whoever is late
%  is late.
%@ survives: late.late: without `docs(E)` because I say so.
#program test_late. target("O1", "README"). verb("O1", modify). expect(late("O1")).
#program test_on_time. target("O1", "x"). verb("O1", modify). forbid(late(_)).
target("O2", "README"). verb("O2", validate).
"""


@pytest.fixture
def tests(tmp_path: Path) -> str:
    """Return the path of tests beside a rule file."""
    (tmp_path / "late.lp").write_text(RULES, encoding="utf-8")
    path = tmp_path / "late_test.lp"
    path.write_text(TESTS, encoding="utf-8")
    return str(path)


def verdicts(path: str) -> dict[str, tuple[str, str]]:
    bench = Bench(None, [path])
    return {
        mutant.label: bench.tried("late.lp", index)
        for index, mutant in enumerate(bench.mutants("late.lp"))
    }


def test_what_tests_notice(tests: str) -> None:
    assert verdicts(tests) == {
        "late.late: without the rule": (KILLED, "test_late"),
        "late.late: without `target(O, E)`": (KILLED, "test_on_time"),
        "late.late: without `verb(O, modify)`": (KILLED, "test_on_time"),
        "late.late: without `docs(E)`": (KILLED, "test_on_time"),
        "late.late: `O` and `E` in `target(O, E)`": (KILLED, "test_late"),
        "late.late: `plan07_other` for `modify` in `verb(O, modify)`": (KILLED, "test_late"),
        "late.docs: without the rule": (KILLED, "test_late"),
        "late.late.2: without the rule": (SURVIVED, ""),
        "late.late.2: without `late(O)`": (SURVIVED, ""),
        "late.late.2: without `obligation(O)`": (SURVIVED, ""),
    }


def test_survivors_may_be_explained_and_what_is_explained_must_survive(tests: str) -> None:
    found = list(mutate.run([tests]))
    assert [each for each in found if each.status in (EXPLAINED, SURVIVED)] == [
        Verdict("late.lp", 4, "late.late.2", RULE, "late.late.2: without the rule", "", EXPLAINED,
                "whoever is late is late."),
        Verdict("late.lp", 4, "late.late.2", LITERAL, "late.late.2: without `late(O)`",
                "late(O) :- obligation(O).", EXPLAINED, "whoever is late is late."),
        Verdict("late.lp", 4, "late.late.2", LITERAL, "late.late.2: without `obligation(O)`",
                "late(O) :- late(O).", SURVIVED, ""),
    ]  # fmt: skip
    assert mutate.stale([tests], found) == ["late.late: without `docs(E)`"]
    assert mutate.stale([tests], [each._replace(file="other.lp") for each in found]) == []


def test_a_mutant_that_does_not_come_to_an_end_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "grow.lp").write_text(
        "% Stage: graph\nn(0).\nn(N + 1) :- n(N), N < 9, not odd(N).\nodd(9).\n", encoding="utf-8"
    )
    path = tmp_path / "grow_test.lp"
    path.write_text("#program test_ten. exact(n/1). expect(n(0..9)).", encoding="utf-8")
    found = [each for each in mutate.run([str(path)], seconds=1.5) if each.kind == LITERAL]
    assert [(each.label, each.status, each.by) for each in found] == [
        ("grow.n.2: without `n(N)`", INVALID, ""),
        ("grow.n.2: without `N < 9`", SURVIVED, ""),
        ("grow.n.2: without `not odd(N)`", SURVIVED, ""),
    ]
    (tmp_path / "grow.lp").write_text(
        "% Stage: graph\nn(0).\nn(N + 1) :- n(N), N < 9.\n", encoding="utf-8"
    )
    found = [each for each in mutate.run([str(path)], seconds=1.5) if each.kind == LITERAL]
    assert [(each.status, each.by) for each in found] == [(INVALID, ""), (KILLED, "the time limit")]


def test_limits_and_switches_that_change_are_noticed(tmp_path: Path) -> None:
    (tmp_path / "limits.lp").write_text("% Stage: all\n#const max_goal = 7.\n", encoding="utf-8")
    path = tmp_path / "limits_test.lp"
    path.write_text(
        '#program test_goal. load("admission.lp"). expect(cap(goal, 7)).', encoding="utf-8"
    )
    bench = Bench(None, [str(path)])
    assert [bench.tried("limits.lp", index)[0] for index in (0, 1)] == [KILLED, KILLED]


def test_a_rule_file_that_no_test_loads(tests: str) -> None:
    with pytest.raises(InputError) as raised:
        list(mutate.run([tests], files=["ladder.lp"]))
    assert raised.value.code == "TEST_WITHOUT_RULES"


def test_rule_files_of_one_name_are_not_mixed(tests: str, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "late.lp").write_text(RULES, encoding="utf-8")
    path = tmp_path / "more" / "late_test.lp"
    path.write_text(TESTS, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        Bench(None, [tests, str(path)])
    assert raised.value.code == "RULES_OF_ONE_NAME"


def test_constraints_of_a_user_are_mutated_as_the_refusals_that_they_are(tmp_path: Path) -> None:
    (tmp_path / "mine.lp").write_text(
        '% Stage: graph\n:- target(O, "vendor"), verb(O, modify).\n', encoding="utf-8"
    )
    path = tmp_path / "mine_test.lp"
    path.write_text(
        '#program test_it. target("O1", "vendor"). verb("O1", modify).\n'
        'violation_expected(_, "O1").\n#program test_not. target("O1", "vendor").\n',
        encoding="utf-8",
    )
    bench = Bench(None, [str(path)])
    found = {
        mutant.label: bench.tried("mine.lp", index)
        for index, mutant in enumerate(bench.mutants("mine.lp"))
    }
    assert found == {
        "mine.constraint: without the rule": (KILLED, "test_it"),
        'mine.constraint: without `target(O, "vendor")`': (SURVIVED, ""),
        "mine.constraint: without `verb(O, modify)`": (KILLED, "test_not"),
        "mine.constraint: `plan07_other` for `modify` in `verb(O, modify)`": (KILLED, "test_it"),
    }
