"""Running rule tests: what they load, what comes of them, and what cannot come of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support import EXAMPLES

from plan07.errors import InputError, RulesError
from plan07.ruletools import cases, testing
from plan07.ruletools.outcomes import Missing, Outcome, outcome_from, told
from plan07.ruletools.testing import Runner

HEADER = "%# Freeze: what must not change?\n%\n% Stage: graph\n"
FREEZE = HEADER + 'violation(frozen(E), O) :- target(O, E), verb(O, modify), E = "vendor".\n'

Try = Callable[..., Outcome]


@pytest.fixture
def run(tmp_path: Path) -> Try:
    """Return a function that runs one test, given as a text, of rules, given as a text."""

    def call(test: str, rules: str = FREEZE, name: str = "freeze") -> Outcome:
        (tmp_path / f"{name}.lp").write_text(rules, encoding="utf-8")
        path = tmp_path / f"{name}_test.lp"
        path.write_text(f"#program test_it.\n{test}", encoding="utf-8")
        return Runner().run(str(path), "test_it")

    return call


GIVEN = 'target("O1", "vendor"). verb("O1", modify).\n'


def test_a_test_that_holds(run: Try) -> None:
    outcome = run(GIVEN + 'violation_expected(frozen("vendor"), "O1").')
    assert outcome == Outcome(outcome.path, "test_it", 1, "passed")
    assert told(outcome) == []


def test_what_is_expected_and_not_derived_is_told_with_the_nearest(run: Try) -> None:
    outcome = run(GIVEN + 'violation_expected(frozen("vendor"), "O2").')
    assert outcome.status == "failed"
    assert outcome.missing == (
        Missing('violation(frozen("vendor"),"O2")', 3, ('violation(frozen("vendor"),"O1")',)),
    )
    assert outcome.unexpected == ('violation(frozen("vendor"),"O1")',)
    assert told(outcome) == [
        'line 3: expected, not derived: violation(frozen("vendor"),"O2")',
        '  nearest: violation(frozen("vendor"),"O1")',
        'derived, not expected: violation(frozen("vendor"),"O1")',
    ]


def test_where_nothing_is_near_that_is_told(run: Try) -> None:
    outcome = run('target("O1", "src"). verb("O1", modify). violation_expected(frozen(_), "O1").')
    assert told(outcome) == [
        'line 2: expected, not derived: violation(frozen(_),"O1")',
        "  nothing of violation is derived",
    ]


@pytest.mark.parametrize(
    ("wish", "status"),
    [
        ("", "failed"),
        ('violation_expected(_, "O1").', "passed"),
        ('violation_expected(frozen(_), _). violation_expected(frozen("vendor"), "O1").', "passed"),
        ('violations(any). expect(violation(frozen(_), "O1")).', "passed"),
        ('expect(violation(frozen("vendor"), "O1")).', "passed"),
        ("violations(any). forbid(violation(_, _)).", "failed"),
    ],
    ids=["none", "anything", "twice", "any", "as an atom", "forbidden"],
)
def test_violations_are_an_exact_set_unless_said_otherwise(
    run: Try, wish: str, status: str
) -> None:
    assert run(GIVEN + wish).status == status


RANKS = HEADER + "rank(O, 1) :- target(O, _).\nrank(O, 2) :- verb(O, modify).\n"


@pytest.mark.parametrize(
    ("wish", "status", "unexpected"),
    [
        ('expect(rank("O1", 1)).', "passed", ()),
        ('exact(rank/2). expect(rank("O1", 1)).', "failed", ('rank("O1",2)',)),
        ('exact(rank/2). expect(rank("O1", (1;2))).', "passed", ()),
        ('exact(rank/2). expect(rank("O1", _)).', "passed", ()),
        ("exact(rank/2).", "failed", ('rank("O1",1)', 'rank("O1",2)')),
        ('forbid(rank("O1", 2)).', "failed", ('rank("O1",2)',)),
        ('forbid(rank("O2", _)).', "passed", ()),
    ],
)
def test_other_predicates_are_exact_where_that_is_said(
    run: Try, wish: str, status: str, unexpected: tuple[str, ...]
) -> None:
    outcome = run(GIVEN + wish, RANKS, "rank")
    assert (outcome.status, outcome.unexpected) == (status, unexpected)


PROBLEMS = {
    "forbid of a misspelt predicate": (
        GIVEN + 'forbid(violatoin(_, "O1")).',
        'line 3: no rule of freeze.lp can derive violatoin(_,"O1"); did you mean violation/2?',
    ),
    "forbid of a misspelt code": (
        GIVEN + 'forbid(violation(forzen(_), "O1")).',
        'line 3: no rule of freeze.lp can derive violation(forzen(_),"O1"); it derives '
        "violation(frozen(_),_)",
    ),
    "expect of another arity": (
        GIVEN + "expect(violation(frozen(_))).",
        "line 3: no rule of freeze.lp can derive violation(frozen(_)); did you mean violation/2?",
    ),
    "a violation that nothing derives": (
        GIVEN + 'violation_expected(late, "O1").',
        'line 3: no rule of freeze.lp can derive violation(late,"O1"); it derives '
        "violation(frozen(_),_)",
    ),
    "exact of a predicate that nothing derives": (
        GIVEN + "exact(late/1).",
        "no rule of freeze.lp derives late/1, which exact names",
    ),
    "a fact that no rule knows": (
        'taget("O1", "vendor"). verb("O1", modify).',
        "line 2: no rule knows taget/2, which the test gives; did you mean target/2?",
    ),
    "a misspelt wish": (
        GIVEN + 'expects(violation("x", "O1")).',
        "line 3: no rule knows expects/1, which the test gives; did you mean expect/1?",
    ),
    "what the test gives itself": (
        GIVEN + 'violation("x", "O1"). expect(violation("x", "O1")).',
        'line 3: no rule of freeze.lp can derive violation("x","O1"); it derives '
        "violation(frozen(_),_)",
    ),
    "a rule file that is not there": (
        GIVEN + 'load("other.lp"). violation_expected(_, "O1").',
        "there is no rule file 'other.lp'",
    ),
    "a switch that is not there": (
        GIVEN + "switch(cycle_polity, refuse).",
        "there is no switch 'cycle_polity'",
    ),
    "a limit that is not there": (GIVEN + "limit(max_x, 1).", "there is no limit 'max_x'"),
}


@pytest.mark.parametrize(("test", "problem"), PROBLEMS.values(), ids=PROBLEMS.keys())
def test_a_test_that_cannot_judge_is_an_error_not_a_pass(run: Try, test: str, problem: str) -> None:
    outcome = run(test)
    assert outcome.status == "error"
    assert outcome.problems[0].removeprefix(f"{outcome.path}: ") == problem


def test_what_a_test_gives_is_not_what_the_rules_derive(run: Try) -> None:
    outcome = run('rank("O9", 1). expect(rank("O9", 1)).', RANKS, "rank")
    assert (outcome.status, outcome.problems) == (
        "error",
        ('line 2: the test itself gives rank("O9",1)',),
    )
    outcome = run(
        'rank("O9", 1). target("O1", "e"). expect(rank(_, 1)). forbid(rank("O9", _)).',
        RANKS,
        "rank",
    )
    assert outcome.status == "passed"


def test_a_test_that_wishes_for_nothing_is_an_error(run: Try) -> None:
    assert run(GIVEN, RANKS, "rank").problems == ("it wishes for nothing, so it cannot fail",)
    assert run('target("O1", "src"). verb("O1", modify).').status == "passed"
    assert run('violations(any). target("O1", "src").').status == "error"


def test_a_bare_constraint_refuses_as_it_does_in_a_solve(run: Try) -> None:
    rules = HEADER + ':- target(O, "vendor"), verb(O, modify).\n'
    (unexpected,) = run(GIVEN, rules).unexpected
    assert unexpected.startswith('violation("freeze.lp:4 forbids')
    assert run(GIVEN + 'violation_expected(_, "O1").', rules).status == "passed"


def test_rules_without_an_answer_fail_the_test(run: Try) -> None:
    loop = "odd(O) :- target(O, _), not odd(O).\n"
    outcome = run(GIVEN + 'expect(rank("O1", 1)).', RANKS + loop, "rank")
    assert (outcome.status, outcome.problems) == ("failed", ("the rules have no answer set",))
    outcome = run(GIVEN + 'expect(rank("O1", 1)).', RANKS + "{ rank(O, 3) } :- target(O, _).", "x")
    assert (outcome.status, outcome.problems) == ("failed", ("the rules have several answers",))


def test_rules_that_do_not_load_end_the_run(run: Try) -> None:
    with pytest.raises(RulesError) as raised:
        run(GIVEN, HEADER + "a b.")
    assert raised.value.code == "RULES_SYNTAX"


# Orders


ORDER = HEADER.replace("graph", "schedule") + (
    "precedes(X, Y, wish) :- declared(Y, X).\nstep(N, U) :- numbered(U, N).\n#defined numbered/2.\n"
)


@pytest.mark.parametrize(
    ("facts", "problems"),
    [
        ('declared("O2", "O1").', ()),
        ('declared("O3", "O1"). declared("O2", "O3").', ()),
        ('declared("O1", "O2").', ('nothing puts "O1" before "O2"', '"O2" comes before "O1"')),
        ('declared("O3", "O1").', ('nothing puts "O1" before "O2"',)),
        ('declared("O2", "O1"). declared("O1", "O2").', ('"O2" comes before "O1"',)),
        ('before("U", "O2"). member("U", "O1").', ()),
        ('numbered("O1", 2). numbered("O2", 10).', ()),
        ('numbered("O1", 3). numbered("U", 4). member("U", "O2"). declared("O1", "O2").', ()),
        ('numbered("O1", 4). numbered("O2", 4).', ('nothing puts "O1" before "O2"',)),
    ],
    ids=["arc", "path", "against", "apart", "ring", "unit", "steps", "step of a unit", "same step"],
)
def test_orders(run: Try, facts: str, problems: tuple[str, ...]) -> None:
    outcome = run(f'{facts} order_expected("O1", "O2").', ORDER, "order")
    assert outcome.problems == problems


# What a test loads


def test_a_whole_stage_with_the_overlay_of_its_directory(run: Try) -> None:
    outcome = run(
        'stage(graph). target("O1", "vendor"). verb("O1", modify). obligation("O1").'
        'ordinal("O1", 1). violation_expected(frozen("vendor"), "O1"). expect(changes("O1", _)).'
    )
    assert (outcome.status, outcome.problems) == ("passed", ())


def test_switches_and_limits_hold_without_their_files(run: Try) -> None:
    rules = HEADER + "many(O) :- size(O, _, N), N > max_goal.\nlax :- breaking_policy(atomic).\n"
    test = 'exact(many/1). exact(lax/0). size("O1", x, 501).'
    assert run(f'{test} expect(many("O1")). expect(lax).', rules, "many").status == "passed"
    changed = "switch(breaking_policy, reject). limit(max_goal, 501)."
    assert run(test + changed, rules, "many").status == "passed"


def test_rules_beside_the_tests_outrank_those_of_the_package(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "policy.lp").write_text(
        "% Stage: all\n%*! cycle_policy(Value)\n.  Output.\nValues: collapse, refuse\n*%\n"
        "cycle_policy(refuse).\n",
        encoding="utf-8",
    )
    path = tmp_path / "tests" / "policy_test.lp"
    path.write_text("#program test_it. expect(cycle_policy(refuse)).", encoding="utf-8")
    assert Runner().run(str(path), "test_it").status == "passed"


def test_a_plan_goes_through_every_stage(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "session-timeout.plan.json", tmp_path)
    (tmp_path / "prefer.lp").write_text("% Stage: schedule\nprefer(O, 1) :- obligation(O).\n")
    path = tmp_path / "prefer_test.lp"
    path.write_text(
        '#program test_it. plan("session-timeout.plan.json"). order_expected("O2", "O3").'
        'expect(preference("O1", 1)). expect(ready("O1")). expect(checkpoint(1, "O1")).'
        'forbid(blocked("O1")).'
    )
    assert Runner().run(str(path), "test_it") == Outcome(str(path), "test_it", 1, "passed")


def test_a_plan_that_is_refused_shows_its_violations(tmp_path: Path) -> None:
    plan = json.loads((EXAMPLES / "rename-unmended.plan.json").read_text("utf-8"))
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    (tmp_path / "prefer.lp").write_text("% Stage: schedule\nprefer(O, 1) :- obligation(O).\n")
    path = tmp_path / "prefer_test.lp"
    path.write_text(
        '#program test_it. plan("plan.json"). violation_expected(unresolved_dependent(_, _), _).'
    )
    assert Runner().run(str(path), "test_it").status == "passed"
    path.write_text('#program test_it. plan("nowhere.json"). expect(ready(_)).')
    assert Runner().run(str(path), "test_it").status == "error"


# Discovery


def test_discovery(tmp_path: Path) -> None:
    for name in ("b/x_test.lp", "a_test.lp", "a.lp", ".hidden/y_test.lp", "b/z.lp"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    found = testing.discover([str(tmp_path), str(tmp_path / "a.lp")])
    assert [Path(each).relative_to(tmp_path).as_posix() for each in found] == [
        "a_test.lp",
        "b/x_test.lp",
    ]


@pytest.mark.parametrize("name", ["empty", "nowhere", "z.lp"])
def test_no_test_at_all_is_an_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "z.lp").write_text("")
    with pytest.raises(InputError) as raised:
        testing.discover([str(tmp_path / name)])
    assert raised.value.code == "TESTS_NONE"


def test_tests_are_chosen_by_file_and_name() -> None:
    drafts = [
        cases.Draft(f"p/{file}_test.lp", name, 1, ())
        for file in "ab"
        for name in ("test_x", "test_y")
    ]
    chosen = testing.choose(drafts, "A_test.*::test_[xz]$")
    assert [(each.path, each.name) for each in chosen] == [("p/a_test.lp", "test_x")]
    for wanted, code in (("nothing", "TESTS_NONE"), ("(", "USAGE")):
        with pytest.raises(InputError) as raised:
            testing.choose(drafts, wanted)
        assert raised.value.code == code


def test_an_outcome_survives_its_wire_form() -> None:
    outcome = Outcome("p", "test_x", 3, "failed", (Missing("a", None, ("b",)),), ("c",), ("d",))
    assert outcome_from(json.loads(json.dumps(outcome.as_dict()))) == outcome


def test_a_test_that_does_not_come_to_an_end_fails_alone(tmp_path: Path) -> None:
    """A per-test limit of time: the others run on."""
    (tmp_path / "loop.lp").write_text(
        HEADER + "n(X + 1) :- n(X), go.\nn(0) :- seed.\n#defined go/0.\n#defined seed/0.\n"
    )
    path = tmp_path / "loop_test.lp"
    path.write_text(
        "#program test_a. seed. expect(n(0)).\n#program test_b. go. seed. expect(n(0)).\n"
        "#program test_c. seed. expect(n(0))."
    )
    outcomes = list(testing.run(cases.read(str(path)), seconds=2.0))
    assert [(each.name, each.status) for each in outcomes] == [
        ("test_a", "passed"),
        ("test_b", "error"),
        ("test_c", "passed"),
    ]
    assert outcomes[1].problems == ("it did not come to an end within 2 seconds",)


def test_several_at_once_come_in_order() -> None:
    drafts = cases.read(str(Path(__file__).resolve().parents[2] / "rules" / "policy_test.lp"))
    outcomes = list(testing.run(drafts * 3, jobs=2))
    assert [each.name for each in outcomes] == [each.name for each in drafts * 3]
    assert {each.status for each in outcomes} == {"passed"}
