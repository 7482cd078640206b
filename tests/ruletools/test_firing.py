"""Which ground instances of which rule fired, for every kind of body."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import EXAMPLES

from plan07 import answersets, document, jsontext, solver
from plan07.errors import RulesError
from plan07.ruletools import firing, recording, source
from plan07.ruletools.firing import Firing
from plan07.ruletools.forms import ANY
from plan07.ruletools.history import History

PLANS = [
    *("session-timeout", "rename", "migration", "alternatives", "cases/click-rename"),
    *("refused/temporal-inconsistent", "refused/ladder-conflict", "refused/cycle-through-complete"),
]


def fired(text: str, facts: str = "", **constants: int) -> Firing:
    """Return what fires of some rules."""
    rules = source.parse_text(text)
    atoms = sorted(answersets.consequences([text, facts], constants))
    given = answersets.consequences([facts])
    return firing.fire(rules.rules, atoms, given, constants)


def told(text: str, facts: str = "", **constants: int) -> list[tuple[str, dict[str, str]]]:
    """Return the head and the bindings of each instance."""
    return [(each.head, dict(each.bindings)) for each in fired(text, facts, **constants).instances]


@pytest.mark.parametrize(
    ("text", "facts", "expected"),
    [
        ("a(X) :- b(X).", "b(1). b(2).", [("a(1)", {"X": "1"}), ("a(2)", {"X": "2"})]),
        ("a(X) :- b(X), not c(X).", "b(1). b(2). c(1).", [("a(2)", {"X": "2"})]),
        ("a(X) :- b(X), not c(X,_).", "b(1). b(2). c(1,9).", [("a(2)", {"X": "2"})]),
        ("a :- not not b.", "b.", [("a", {})]),
        ("a(X) :- b(X), X > 1, X != 3.", "b(1..4).", [("a(2)", {"X": "2"}), ("a(4)", {"X": "4"})]),
        ("a(X+1) :- b(X).", "b(1).", [("a(2)", {"X": "1"})]),
        ("a(Y) :- b(X), Y = X*2.", "b(3).", [("a(6)", {"X": "3", "Y": "6"})]),
        ("a(N) :- N = #count { X,Y : b(X,Y) }.", "b(1,1). b(1,2).", [("a(2)", {"N": "2"})]),
        ("a(N) :- N = #max { X : b(X) }, b(_).", "b(3). b(7).", [("a(7)", {"N": "7"})]),
        ("a :- 2 { b(X) : c(X) }.", "b(1..3). c(1..2).", [("a", {})]),
        ("a(Y) :- v(Y), s(X) : e(X,Y).", "v(1;2). e(5,1). e(6,2). s(5).", [("a(1)", {"Y": "1"})]),
        (
            "a(X) :- b(X, (c;d)).",
            "b(1,c). b(2,e). b(3,d).",
            [("a(1)", {"X": "1"}), ("a(3)", {"X": "3"})],
        ),
        ("a((1;2)) :- b.", "b.", [("a(1)", {}), ("a(2)", {})]),
        ("a(1..2).", "", [("a(1)", {}), ("a(2)", {})]),
        ("a(X) :- b(X).", 'b("x, \\"y\\" (").', [('a("x, \\"y\\" (")', {"X": '"x, \\"y\\" ("'})]),
        ("a(max_x) :- b.", "b.", [("a(5)", {})]),
        ("a(X) :- b((X,Y)), Y = f(_).", "b((1,f(2))).", [("a(1)", {"X": "1", "Y": "f(2)"})]),
    ],
    ids=[
        *("positive", "negation", "projection", "double-negation", "comparison", "head-arithmetic"),
        *("assignment", "count", "max", "set", "conditional", "body-pool", "head-pool", "interval"),
        *("strings", "constant", "tuples"),
    ],
)
def test_instances_and_their_bindings(
    text: str, facts: str, expected: list[tuple[str, dict[str, str]]]
) -> None:
    assert told(text, facts, **({"max_x": 5} if "max_x" in text else {})) == expected


def test_what_did_not_fire_is_not_counted() -> None:
    found = fired("a :- b.\nc :- d.\na :- e.", "b.")
    assert found.counts == {"rules.a": 1}


def test_a_choice_fires_for_what_it_chose() -> None:
    text = "{ drop(X) } :- may(X).\n#minimize { 1,X : drop(X) }.\n#minimize { 1@2 : not drop(2) }."
    rules = source.parse_text(text)
    atoms = sorted(answersets.consequences([text, "may(1;2)."], optimise=True))
    found = firing.fire(rules.rules, atoms, ["may(1)", "may(2)"])
    assert [each.head for each in found.instances] == ["drop(2)"]


def test_a_constraint_fires_without_a_head() -> None:
    """On an answer set that it excludes, as a rule under test may."""
    found = firing.fire(source.parse_text(":- a(X), X > 1.").rules, ["a(1)", "a(2)"], [])
    assert [(each.head, dict(each.bindings)) for each in found.instances] == [("", {"X": "2"})]


def test_causes_are_the_positive_atoms_and_what_is_counted() -> None:
    (found,) = fired(
        "a(N) :- b(X,_), not c(X), N = #count { Y : d(X,Y) }.", "b(1,7). d(1,5). d(1,6). d(2,8)."
    ).instances
    assert found.causes == (f"b(1,{ANY})",)
    assert found.parts == ((2, "d(1,5)"), (2, "d(1,6)"))


def test_parts_are_left_out_where_nobody_asks() -> None:
    rules = source.parse_text("a :- b(X) : c(X).").rules
    (found,) = firing.fire(rules, ["a", "b(1)", "c(1)"], ["b(1)", "c(1)"], parts=False).instances
    assert found.parts == ()


def test_patterns_are_matched_against_what_holds() -> None:
    found = fired("a(X) :- b(X,_).", 'b(1,2). b(1,"x"). b(2,3).')
    assert found.matching(f"b(1,{ANY})") == ['b(1,"x")', "b(1,2)"]
    assert found.matching("b(2,3)") == ["b(2,3)"]
    assert found.matching("b(3,3)") == []


PAIRS = st.frozensets(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=6)


@settings(max_examples=25, deadline=None)
@given(b=PAIRS, c=PAIRS, d=st.frozensets(st.integers(0, 3), max_size=3))
def test_instances_are_those_that_are_found_by_trying_every_value(
    b: frozenset[tuple[int, int]], c: frozenset[tuple[int, int]], d: frozenset[int]
) -> None:
    """An oracle that knows no solver: each value in turn for each variable."""
    text = (
        "a(X,Y) :- b(X,Z), c(Z,Y), not d(X), X <= Y.\n"
        "n(X,N) :- b(X,_), N = #count { Z : b(X,Z), not d(Z) }, N > 0.\n"
        "every(X) :- b(X,_), d(Z) : c(X,Z)."
    )
    facts = (
        [f"b({x},{y})." for x, y in b] + [f"c({x},{y})." for x, y in c] + [f"d({x})." for x in d]
    )
    domain = range(4)
    expected = [
        (f"a({x},{y})", {"X": f"{x}", "Y": f"{y}", "Z": f"{z}"})
        for x, y, z in itertools.product(domain, repeat=3)
        if (x, z) in b and (z, y) in c and x not in d and x <= y
    ]
    for x in sorted({x for x, _ in b}):
        number = len({z for other, z in b if other == x} - d)
        expected += [(f"n({x},{number})", {"X": f"{x}", "N": f"{number}"})] if number else []
        if {z for other, z in c if other == x} <= d:
            expected.append((f"every({x})", {"X": f"{x}"}))
    found = [(head, dict(sorted(each.items()))) for head, each in told(text, " ".join(facts))]
    assert sorted(found, key=str) == sorted(
        [(head, dict(sorted(each.items()))) for head, each in expected], key=str
    )


class TestDepth:
    def test_a_circle_is_no_reason(self) -> None:
        """`p` and `q` derive each other; what they rest on is `s`, through `p`."""
        found = fired("p :- q.\nq :- p.\np :- r.\nr :- s.", "s.")
        assert [each.rule.id for each in found.deriving("p")] == ["rules.p.2", "rules.p"]
        assert found.depth == {"s": 0, "r": 1, "p": 2, "q": 3}

    def test_the_shortest_way_comes_first(self) -> None:
        found = fired(
            "far(X) :- near(X).\nnear(X) :- b(X).\na(X) :- far(X).\na(X) :- b(X).", "b(1)."
        )
        assert [each.rule.id for each in found.deriving("a(1)")] == ["rules.a.2", "rules.a"]

    def test_one_atom_is_enough_for_a_pattern(self) -> None:
        found = fired("a :- b(_).\nb(1) :- a.\nb(2) :- c.", "c.")
        assert found.depth == {"c": 0, "b(2)": 1, f"b({ANY})": 1, "a": 2, "b(1)": 3}


@pytest.mark.parametrize("name", PLANS)
def test_every_atom_of_an_example_leads_to_what_was_given(name: str) -> None:
    """Soundness and completeness: what fired derives the answer set, and nothing else."""
    beside = EXAMPLES / f"{name}.impact.json"
    value, _ = jsontext.read(str(EXAMPLES / f"{name}.plan.json"))
    options = solver.options(impact=beside if beside.exists() else None)
    history = History(recording.record(document.read(value, name), options))
    assert history.moments
    for moment in history.moments.values():
        found = moment.firing
        for instance in found.instances:
            assert instance.head in found.atoms
            assert all(found.matching(cause) for cause in instance.rests_on)
        assert found.atoms <= found.depth.keys()
        assert {each.head for each in found.instances} | found.given == found.atoms


def test_a_rule_that_the_solver_refuses_is_told() -> None:
    rules = source.parse_text("a(X) :- b(X).").rules
    unsafe = rules[0]._replace(text="a(X) :- not b(X).")
    with pytest.raises(RulesError, match="RULES_BROKEN"):
        firing.fire([unsafe], ["b(1)"], [])
