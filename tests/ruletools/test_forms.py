"""Rules taken apart: pools, heads, what a condition binds and needs."""

from __future__ import annotations

import pytest

from plan07.ruletools.forms import ANY, Condition, forms


def only(text: str) -> Condition:
    (form,) = forms(f"h :- {text}.")
    return form.body[-1]


def ways(condition: Condition) -> list[tuple[str, str]]:
    return [("".join(sorted(way.needs)), "".join(sorted(way.gives))) for way in condition.ways]


@pytest.mark.parametrize(
    ("text", "heads", "bodies"),
    [
        ("a(1).", ["a(1)"], [()]),
        ("a((1;2)).", ["a(1)", "a(2)"], [(), ()]),
        ("a(X) :- b(X, (c;d)).", ["a(X)", "a(X)"], [("b(X,c)",), ("b(X,d)",)]),
        ("a(X) :- b(X), X != (c;d).", ["a(X)", "a(X)"], [("b(X)", "X != c"), ("b(X)", "X != d")]),
        ("{ a(X) : b(X,Y) } :- c(Y).", ["a(X_chosen)"], [("c(Y)", "b(X_chosen,Y)")]),
        ("a : b; c :- d.", ["a", "c"], [("d", "b"), ("d",)]),
        (":- a(X), not b(X).", [""], [("a(X)", "not b(X)")]),
        ("#show a/1.", [], []),
        ("#const n = 3.", [], []),
    ],
    ids=[
        "fact",
        "head",
        "body",
        "inequality",
        "choice",
        "disjunction",
        "constraint",
        "show",
        "const",
    ],
)
def test_a_form_for_each_pool_and_head(
    text: str, heads: list[str], bodies: list[tuple[str, ...]]
) -> None:
    found = forms(text)
    assert [form.head for form in found] == heads
    assert [tuple(each.text for each in form.body) for form in found] == bodies


def test_an_element_of_a_choice_cannot_be_taken_for_what_an_aggregate_counts() -> None:
    (form,) = forms("{ a(X) : b(X) } :- N = #count { X : c(X) }.")
    assert form.head == "a(X_chosen)"
    assert [each.text for each in form.body] == ["N = #count { X: c(X) }", "b(X_chosen)"]
    assert form.variables == ("N", "X_chosen")


def test_variables_inside_aggregates_and_conditional_literals_are_their_own() -> None:
    (form,) = forms("h(U,N) :- u(U), N = #sum { W,V : w(U,V,W) }, p(X) : q(X,U); not r(U,_).")
    assert form.variables == ("U", "N")


@pytest.mark.parametrize(
    ("text", "kind", "sign", "atom", "expected"),
    [
        ("a(X,_)", "atom", "", f"a(X,{ANY})", [("", "X")]),
        ("not a(X)", "atom", "not", "a(X)", [("X", "")]),
        ("not not a(X)", "atom", "not not", "a(X)", [("X", "")]),
        ("a(X+1)", "atom", "", "a((X+1))", [("X", "X")]),
        ("a(X,X+1)", "atom", "", "a(X,(X+1))", [("", "X")]),
        ("X < Y", "comparison", "", "", [("XY", "")]),
        ("X = Y+1", "comparison", "", "", [("XY", ""), ("Y", "X")]),
        ("f(X) = Y", "comparison", "", "", [("XY", ""), ("Y", "X"), ("X", "Y")]),
        ("#true", "boolean", "", "", [("", "")]),
    ],
)
def test_what_a_condition_needs_and_gives(
    text: str, kind: str, sign: str, atom: str, expected: list[tuple[str, str]]
) -> None:
    found = only(text)
    assert (found.kind, found.sign, found.atom, ways(found)) == (kind, sign, atom, expected)


def test_an_aggregate_binds_its_result() -> None:
    found = only("u(U); N = #max { M : length(U,M), not late(M) }")
    assert found.kind == "aggregate"
    assert ways(found) == [("NU", ""), ("U", "N")]
    (part,) = found.parts
    assert (part.conditions, part.atoms) == (("length(U,M)", "not late(M)"), ("length(U,M)",))


def test_a_conditional_literal_demands_its_literal_wherever_its_condition_holds() -> None:
    found = only("v(Y); s(X) : arc(X,Y)")
    assert found.kind == "conditional"
    assert ways(found) == [("Y", "")]
    (part,) = found.parts
    assert (part.conditions, part.atoms) == (("arc(X,Y)",), ("s(X)", "arc(X,Y)"))


def test_a_set_of_atoms_is_an_aggregate_too() -> None:
    (part,) = only("2 { a(X) : b(X); c }").parts[:1]
    assert (part.conditions, part.atoms) == (("a(X)", "b(X)"), ("a(X)", "b(X)"))
