"""The text of terms: what is in strings is never looked into."""

from __future__ import annotations

import clingo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plan07.ruletools import terms

TERMS = st.recursive(
    st.one_of(
        st.integers(-(2**31) + 1, 2**31 - 1).map(clingo.Number),
        st.text(
            st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=6
        ).map(clingo.String),
        st.sampled_from(["a", "b_1", "not_"]).map(clingo.Function),
    ),
    lambda inner: st.lists(inner, min_size=1, max_size=3).flatmap(
        lambda args: st.sampled_from(["f", ""]).map(lambda name: clingo.Function(name, args))
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(TERMS, max_size=4))
def test_a_term_is_split_where_the_solver_splits_it(arguments: list[clingo.Symbol]) -> None:
    whole = clingo.Function("p", arguments)
    assert terms.split(str(whole)) == ("p", tuple(map(str, arguments)))
    assert terms.elements(terms.as_tuple(tuple(map(str, arguments)))) == tuple(map(str, arguments))


@pytest.mark.parametrize(
    ("text", "bindings", "expected"),
    [
        ('p(X,"X",X_1)', {"X": "1"}, 'p(1,"X",X_1)'),
        ("N > M+1", {"N": "3", "M": "(-2)"}, "3 > (-2)+1"),
        ('p("a\\"X",X)', {"X": '"\\\\"'}, 'p("a\\"X","\\\\")'),
        ("p(_,_X)", {"_": "any"}, "p(any,_X)"),
    ],
    ids=["strings", "arithmetic", "escapes", "anonymous"],
)
def test_variables_are_filled_in(text: str, bindings: dict[str, str], expected: str) -> None:
    assert terms.filled(text, bindings) == expected


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("p(any,1)", 'p("any",1)', True),
        ("p(any,1)", "p(f(2),2)", False),
        ("p(f(any))", "p(f(1))", True),
        ("p(f(any))", "p(g(1))", False),
        ("p(f(any))", "p(f(1,2))", False),
        ("any", "p", True),
        ('p("any")', 'p("x")', False),
    ],
)
def test_patterns(pattern: str, text: str, fits: bool) -> None:
    assert terms.fits(pattern, text, "any") is fits


@pytest.mark.parametrize(
    ("text", "computed"),
    [
        ("N+1", True),
        ("1..3", True),
        ("-X", True),
        ('f("a+b")', False),
        ("f(X,a)", False),
        ("|X|", True),
    ],
)
def test_what_is_computed(text: str, computed: bool) -> None:
    assert terms.is_computed(text) is computed
