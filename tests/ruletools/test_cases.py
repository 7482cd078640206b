"""Rule tests as plain cases, and what is said of files that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from plan07.errors import InputError
from plan07.facts import parse
from plan07.ruletools import cases
from plan07.ruletools.cases import Case
from plan07.ruletools.patterns import shown


def only(text: str) -> Case:
    """Return the one test of a text."""
    (draft,) = cases.drafts(text, "policies/x_test.lp")
    return cases.case(draft)


def faults(text: str) -> list[tuple[str, str, str]]:
    """Return code, place and message of everything that is wrong with a text."""
    with pytest.raises(InputError) as raised:
        for draft in cases.drafts(text, "x_test.lp"):
            cases.case(draft)
    assert raised.value.exit_status == 2
    return [(each.code, each.subject, each.message) for each in raised.value.violations]


EVERYTHING = """\
% What every test shares.
a("shared").
helper(X) :- given(X).
#program test_one.
given(1..2).
expect(p(_, "_")). forbid(q).
violation_expected(code(_), "O1").
violations(any).
exact(p/2). exact(q, 0).
order_expected("O1", "O2").
load("more.lp"). stage(graph). switch(s, v). limit(max_x, 3).
"""


def test_everything_that_a_test_may_say() -> None:
    case = only(EVERYTHING)
    assert (case.path, case.name, case.line) == ("policies/x_test.lp", "test_one", 4)
    assert case.facts == ('a("shared")', "given(1)", "given(2)", "helper(1)", "helper(2)")
    assert [shown(each) for each in case.expected] == ['p(_,"_")']
    assert [shown(each) for each in case.forbidden] == ["q"]
    assert [shown(each) for each in case.refusals] == ['violation(code(_),"O1")']
    assert case.any_refusal
    assert case.exact == (("p", 2), ("q", 0))
    assert case.orders == (("O1", "O2"),)
    assert (case.files, case.stages) == (("more.lp",), ("graph",))
    assert (case.switches, case.limits) == ((("s", "v"),), (("max_x", 3),))
    assert case.plan is None
    assert case.helpers == {("given", 1)}
    assert case.lines['expect(p(_,"_"))'] == 6
    assert case.predicates == {"p", "q", "violation", "step", "member", "precedes", "before"}


def test_what_stands_before_the_first_program_is_shared_and_nothing_else() -> None:
    text = "a. #program test_one. b. #program test_two. c. #program base. d."
    first, second = (cases.case(draft) for draft in cases.drafts(text, "x_test.lp"))
    assert (first.name, first.facts) == ("test_one", ("a", "b", "d"))
    assert (second.name, second.facts) == ("test_two", ("a", "c", "d"))


def test_a_plan_is_named_instead_of_facts() -> None:
    assert only('#program test_one. plan("x.json"). expect(p).').plan == "x.json"


def test_pools_and_rules_spell_wishes_out() -> None:
    case = only('#program test_one. on((1;2)). expect(p(X,_)) :- on(X). expect(q(("a";"b"))).')
    assert [shown(each) for each in case.expected] == ["p(1,_)", "p(2,_)", 'q("a")', 'q("b")']
    assert parse("on(1)") in map(parse, case.facts)


def test_comments_and_strings_are_no_wildcards() -> None:
    case = only('#program test_one.\nexpect(p(% "_ \n"_", _)).')
    assert [shown(each) for each in case.expected] == ['p("_",_)']


FAULTS = {
    "no test": ("a.", "TEST_NONE", "x_test.lp", "x_test.lp: it holds no test"),
    "another program": (
        "#program helper.\na.",
        "TEST_PROGRAM",
        "x_test.lp:1",
        'x_test.lp:1: "#program helper." is no test',
    ),
    "parameters": (
        "\n#program test_x(n).\na.",
        "TEST_PROGRAM",
        "x_test.lp:2",
        'x_test.lp:2: "#program test_x(n)." is no test',
    ),
    "constraint": (
        "#program test_x.\n:- a.",
        "TEST_STATEMENT",
        "x_test.lp:2",
        'x_test.lp:2: ":- a." is neither a fact nor a rule that derives facts',
    ),
    "choice": (
        "#program test_x. { a }.",
        "TEST_STATEMENT",
        "x_test.lp:1",
        'x_test.lp:1: "{ a }." is neither a fact nor a rule that derives facts',
    ),
    "show": (
        "#program test_x. #show a/1.",
        "TEST_STATEMENT",
        "x_test.lp:1",
        'x_test.lp:1: "#show a/1." is neither a fact nor a rule that derives facts',
    ),
    "include": (
        '% "#include"\n#program test_x. a.\n#include "/etc/passwd".',
        "TEST_STATEMENT",
        "x_test.lp:3",
        "x_test.lp:3: a test includes no file",
    ),
    "script": (
        "#program test_x.\n#script (lua) x() #end.",
        "TEST_STATEMENT",
        "x_test.lp:2",
        'x_test.lp:2: "#script (lua) x() #end." is neither a fact nor a rule that derives facts',
    ),
    "arity of a wish": (
        "#program test_x.\na.\nexpect(a, b).",
        "TEST_WISH",
        "x_test.lp:3",
        'x_test.lp:3: "expect(a,b)" cannot be understood',
    ),
    "unknown stage": (
        "#program test_x. stage(grahp).",
        "TEST_WISH",
        "x_test.lp:1",
        'x_test.lp:1: "stage(grahp)" cannot be understood',
    ),
    "a string where a word is meant": (
        '#program test_x. limit("max_x", 1).',
        "TEST_WISH",
        "x_test.lp:1",
        'x_test.lp:1: "limit(\\"max_x\\",1)" cannot be understood',
    ),
    "an id that is no string": (
        "#program test_x. order_expected(o1, o2).",
        "TEST_WISH",
        "x_test.lp:1",
        'x_test.lp:1: "order_expected(o1,o2)" cannot be understood',
    ),
    "anything at all": (
        "#program test_x. expect(_).",
        "TEST_WISH",
        "x_test.lp:1",
        'x_test.lp:1: "expect(_)" cannot be understood',
    ),
    "a plan and facts": (
        '#program test_x. a. plan("p.json").',
        "TEST_WISH",
        "x_test.lp:1",
        "x_test.lp:1: a test of a plan gives one plan and no facts of its own",
    ),
    "a wildcard in what is given": (
        "#program test_x. target(_, e).",
        "TEST_WISH",
        "x_test.lp:1",
        'x_test.lp:1: "target(_,e)" is a fact, in which `_` cannot stand',
    ),
    "a misspelt wish": (
        "#program test_x. expects(p(_)).",
        "TEST_WISH",
        "x_test.lp:1",
        'x_test.lp:1: "expects(p(_))" is a fact, in which `_` cannot stand; did you mean expect?',
    ),
    "unsafe": (
        "#program test_x.\n\nb(X) :- not a(X).",
        "TEST_SYNTAX",
        "x_test.lp:3",
        "x_test.lp:3: the test cannot be grounded: unsafe variables in: b(X):-not a(X).",
    ),
}


@pytest.mark.parametrize(("text", "code", "place", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_what_is_no_test_is_located(text: str, code: str, place: str, message: str) -> None:
    assert faults(text) == [(code, place, message)]


def test_a_syntax_error_names_its_line() -> None:
    ((code, _, message),) = faults("#program test_x.\na b.")
    assert code == "TEST_SYNTAX"
    assert message.startswith("x_test.lp:2: syntax error, unexpected <IDENTIFIER>")


def test_all_faults_of_a_file_are_told_at_once() -> None:
    text = "#program test_x. a.\n#program test_x. b.\n#program y. c.\n:- d."
    assert [(code, place) for code, place, _ in faults(text)] == [
        ("TEST_TWICE", "x_test.lp:2"),
        ("TEST_PROGRAM", "x_test.lp:3"),
        ("TEST_STATEMENT", "x_test.lp:4"),
    ]


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "x_test.lp"
    path.write_bytes(b"\xff")
    for given, reason in ((path, "byte 0 is not UTF-8"), (tmp_path, "is a directory")):
        with pytest.raises(InputError) as raised:
            cases.read(str(given))
        assert raised.value.code == "TEST_UNREADABLE"
        assert raised.value.message == f"the tests in {given} cannot be read: {reason}"
