"""Patterns of atoms: `_` stands for anything."""

from __future__ import annotations

import pytest

from plan07.facts import Fact, fact, parse
from plan07.ruletools import patterns, source
from plan07.ruletools.patterns import ANY, matches, may_meet, nearest, of_atom, shown


def pattern(text: str) -> Fact:
    return parse(patterns.with_wildcards(text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("expect(p(_)).", "expect(p(plan07_any))."),
        ('p("_", _, X_, _Y, f(_)).', 'p("_", plan07_any, X_, _Y, f(plan07_any)).'),
        ('p("a\\"_", b_c, _)', 'p("a\\"_", b_c, plan07_any)'),
    ],
    ids=["argument", "names and strings", "quote in a string"],
)
def test_wildcards_are_written_as_underscores(text: str, expected: str) -> None:
    assert patterns.with_wildcards(text) == expected


MATCHES = [
    ("p(_)", "p(1)", True),
    ("p(_)", 'p(f("x"))', True),
    ("p(_)", "p(1,2)", False),
    ("p(_)", "q(1)", False),
    ("p(f(_,b))", "p(f(a,b))", True),
    ("p(f(_,b))", "p(f(a,c))", False),
    ('p("1")', "p(1)", False),
    ('p("a")', "p(a)", False),
    ("p", "p", True),
]


@pytest.mark.parametrize(("wanted", "atom", "expected"), MATCHES, ids=[f"{m[:2]}" for m in MATCHES])
def test_matches(wanted: str, atom: str, expected: bool) -> None:
    assert matches(pattern(wanted), parse(atom)) is expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("p(_,a)", "p(b,_)", True),
        ("p(_,a)", "p(_,b)", False),
        ("p(f(_))", "p(g(_))", False),
        ("p(f(1))", "p(_)", True),
    ],
)
def test_may_meet(one: str, other: str, expected: bool) -> None:
    assert may_meet(pattern(one), pattern(other)) is expected
    assert may_meet(pattern(other), pattern(one)) is expected


def test_nearest_are_those_that_differ_least() -> None:
    atoms = [parse(text) for text in ("p(a,f(2,3))", "p(b,f(1,2))", "p(a,f(1,3))", "q(a)", "p(c)")]
    found = nearest(pattern("p(a,f(1,2))"), atoms, 3)
    assert [shown(each) for each in found] == ["p(b,f(1,2))", "p(a,f(1,3))", "p(a,f(2,3))"]


def test_nearest_of_nothing_is_nothing() -> None:
    assert nearest(pattern("p(_)"), [parse("q(1)")]) == []


HEADS = [
    ("p(X, a) :- q(X).", ["p(_,a)"]),
    ('violation(code("x", N), O) :- q(N, O).', ['violation(code("x",_),_)']),
    ("p((a;b), 7).", ["p(a,7)", "p(b,7)"]),
    ("p(1..3).", ["p(_)"]),
    ("p(N + 1) :- q(N).", ["p(_)"]),
    ("p(max_x).", ["p(_)"]),
    ("p.", ["p"]),
    ("p((X, a)) :- q(X).", ["p((_,a))"]),
]


@pytest.mark.parametrize(("rule", "expected"), HEADS, ids=[rule for rule, _ in HEADS])
def test_what_an_atom_of_a_rule_stands_for(rule: str, expected: list[str]) -> None:
    literal = next(source.parse_text(rule).rules[0].derived())
    found = of_atom(literal, ("max_x",))
    assert [shown(each) for each in found] == expected


def test_any_is_shown_as_it_is_written() -> None:
    assert shown(fact("p", ANY, "a", 1)) == 'p(_,"a",1)'
