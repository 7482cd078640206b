"""How far a rule came: the first failing condition, with the values that came furthest."""

from __future__ import annotations

import pytest

from plan07 import answersets, rulebook
from plan07.ruletools import shortfall, source
from plan07.ruletools.asking import Question
from plan07.ruletools.forms import ANY


def missing(
    text: str, facts: str, name: str, *args: str, **constants: int
) -> list[tuple[str, list[str], list[str], int, int]]:
    """Return for each rule its id, what is met, what fails, the ways, and what was not tried."""
    rules = source.parse_text(text).rules
    atoms = sorted(answersets.consequences([text, facts], constants))
    return [
        (
            each.rule.id,
            [condition.text for condition in each.met],
            [each.told(bindings) for bindings in each.bindings],
            each.ways,
            each.left,
        )
        for each in shortfall.shortfalls(Question(name, args), rules, atoms, constants)
    ]


@pytest.mark.parametrize(
    ("text", "facts", "asked", "met", "failing", "left"),
    [
        ("a(X) :- b(X), c(X).", "b(1). c(2).", "1", ["b(X)"], ["c(1)"], 0),
        ("a(X) :- b(X), c(X).", "c(2).", "1", [], ["b(1)"], 1),
        ("a(X) :- b(X), not c(X).", "b(1). c(1).", "1", ["b(X)"], ["not c(1)"], 0),
        ("a(X) :- b(X), X > 2.", "b(1).", "1", ["b(X)"], ["1 > 2"], 0),
        ("a(X) :- not c(X,Y), b(X,Y).", "b(1,2). c(1,2).", "1", ["b(X,Y)"], ["not c(1,2)"], 0),
        ("a(X) :- d(Y), b(X,Y).", "d(1). d(2). b(2,1).", "1", [], ["b(1,Y)"], 1),
        ("a(N) :- N = #count { X : b(X) }.", "b(1).", "2", [], ["2 = #count { X: b(X) }"], 0),
        ("a(X) :- v(X), s(Y) : e(Y,X).", "v(1). e(5,1).", "1", ["v(X)"], ["s(Y): e(Y,1)"], 0),
        ("a(X+1) :- b(X).", "b(1).", "3", ["b(X)"], ["(1+1) = 3"], 0),
        ("a(X*X) :- b(X).", "b(2).", "9", ["b(X)"], ["(2*2) = 9"], 0),
        ("a(max_x) :- b.", "", "5", [], ["b"], 0),
        ("a((1;2)) :- b.", "", "2", [], ["b"], 0),
    ],
    ids=[
        *("second", "first", "negation", "comparison", "bound later", "what is asked about first"),
        *("aggregate", "conditional", "head that adds", "head that multiplies", "constant", "pool"),
    ],
)
def test_the_first_condition_that_fails(
    text: str, facts: str, asked: str, met: list[str], failing: list[str], left: int
) -> None:
    constants = {"max_x": 5} if "max_x" in text else {}
    ((_, *found),) = missing(text, facts, "a", asked, **constants)
    assert found == [met, failing, 1, left]


def test_of_several_values_those_that_came_furthest_are_told() -> None:
    text = "a(X) :- b(X,Y), c(Y), d(Y)."
    found = missing(text, "b(1,(1..5)). c((2..5)). d(9).", "a", "1")
    assert found == [("rules.a", ["b(X,Y)", "c(Y)"], ["d(2)", "d(3)", "d(4)"], 4, 0)]


def test_rules_that_came_furthest_come_first() -> None:
    text = "a :- b, c, d.\na :- e.\na :- b, f.\n"
    assert [each[0] for each in missing(text, "b. c.", "a")] == [
        "rules.a",
        "rules.a.3",
        "rules.a.2",
    ]


@pytest.mark.parametrize(
    ("head", "asked", "told"),
    [
        ("a(f(X))", "g(1)", False),
        ("a(f(X))", "f(1)", True),
        ("a(f(X))", "f(1,2)", False),
        ("a(f(X))", f"f({ANY})", True),
        ("a(f(X))", f"g({ANY})", False),
        ("a(c)", "d", False),
        ("a(c)", ANY, True),
        ("a(X+1)", "8", True),
        ('a("x")', '"y"', False),
    ],
)
def test_a_rule_that_derives_something_else_is_left_out(head: str, asked: str, told: bool) -> None:
    found = missing(f"{head} :- b(X), nowhere.", "b(7).", "a", asked)
    assert bool(found) is told


def test_a_rule_of_another_arity_is_left_out() -> None:
    assert missing("a(1,2) :- b.", "", "a", "1") == []


def test_a_head_that_cannot_be_compared_before_its_body_waits() -> None:
    """`f(_)` binds nothing; whether the head fits is known when the body is."""
    ((_, *found),) = missing("a(f(X)) :- c(X), b(X).", "c(1).", "a", f"f({ANY})")
    assert found == [["c(X)"], ["b(1)"], 1, 0]


def test_a_rule_that_derives_it_after_all_is_left_out() -> None:
    assert missing("a(X) :- b(X, (c;d)).", "b(1,d).", "a", "1") == []


def test_nothing_derives_it() -> None:
    assert missing("a :- b.", "", "c") == []


def test_every_shipped_rule_can_be_asked_about() -> None:
    """Whatever the conditions, an order is found in which the solver takes each beginning."""
    rules = source.parse(rulebook.load())
    for name, arity in sorted({head for rule in rules.rules for head in rule.heads}):
        for asked in (ANY, '"nobody"'):
            question = Question(name, (asked,) * arity)
            shortfall.shortfalls(question, rules.rules, (), rulebook.load().numbers)
