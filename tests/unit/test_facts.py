"""Facts, their text, and the text that clingo writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import clingo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plan07 import facts
from plan07.errors import RulesError
from plan07.facts import Atoms, Fact, constant, fact

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
NUMBERS = st.integers(-(2**31) + 1, 2**31 - 1)
NAMES = st.from_regex(r"[a-z][A-Za-z0-9_]{0,5}", fullmatch=True).filter(lambda name: name != "not")
TERMS = st.recursive(
    TEXTS | NUMBERS | NAMES.map(Fact),
    lambda inner: st.builds(Fact, NAMES, st.lists(inner, min_size=1, max_size=3).map(tuple)),
    max_leaves=6,
)
ATOMS = st.builds(Fact, NAMES, st.lists(TERMS, max_size=3).map(tuple))


@settings(max_examples=200)
@given(TEXTS)
def test_a_string_is_quoted_as_clingo_quotes_it(text: str) -> None:
    assert facts.quote(text) == str(clingo.String(text))


def test_text_cannot_leave_its_string() -> None:
    """S-003-05."""
    text = facts.program([fact("obligation", 'O1"). ready("O9')])
    control = clingo.Control(["0"])
    control.add("base", [], text)
    control.ground([("base", [])])
    assert [str(atom.symbol) for atom in control.symbolic_atoms] == [
        'obligation("O1\\"). ready(\\"O9")'
    ]


@settings(max_examples=100, deadline=None)
@given(st.lists(ATOMS, max_size=5))
def test_what_clingo_reads_and_writes_comes_back(given_facts: list[Fact]) -> None:
    control = clingo.Control(["0"], logger=lambda *_: None)
    control.add("base", [], facts.program(given_facts))
    control.ground([("base", [])])
    found = {facts.parse(str(atom.symbol)) for atom in control.symbolic_atoms}
    assert found == set(given_facts)


@settings(max_examples=100)
@given(ATOMS)
def test_parse_inverts_render(atom: Fact) -> None:
    assert facts.parse(facts.render(atom)) == atom


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("a", '"a"'),
        (-7, "-7"),
        (constant("modify"), "modify"),
        (constant("not"), "not_"),
        (fact("p"), "p"),
        (fact("p", 1, "x", fact("f", constant("c"))), 'p(1,"x",f(c))'),
        ("a\\\n\"b\tc", '"a\\\\\\n\\"b\tc"'),
    ],
)  # fmt: skip
def test_render(term: facts.Term, text: str) -> None:
    assert facts.render(term) == text


@pytest.mark.parametrize(
    "term",
    [
        2**31,
        -(2**31),
        "a\0b",
        Fact("Upper"),
        Fact("with space"),
        Fact("a\n"),
        Fact(""),
        Fact('x). p("', ("a",)),
        fact("p", fact("q", 2**40)),
    ],
)
def test_what_is_no_term(term: facts.Term) -> None:
    """S-CARD-06: numbers wrap at 32 bits without a word, so larger ones are refused."""
    with pytest.raises(ValueError, match=r"32 bits|NUL|not the name"):
        facts.program([fact("p", term)])


def test_a_program_is_sorted_and_holds_each_fact_once() -> None:
    given_facts = [fact("b", "x"), fact("a"), fact("b", "x"), fact("b", 2)]
    assert facts.program(given_facts) == 'a.\nb("x").\nb(2).\n'
    assert facts.program(reversed(given_facts)) == facts.program(given_facts)
    assert facts.program([]) == ""


class TestAtoms:
    GIVEN = (
        fact("edge", "O2", "O1"),
        fact("edge", "O1", "O2"),
        fact("ready", "O3"),
        fact("ready", "O1"),
        fact("score", "O1", 5),
        fact("score", "O2", constant("none")),
        fact("rank", "O1", 5),
        fact("flag"),
    )
    ATOMS = Atoms(map(facts.render, GIVEN))

    KNOWN = ("O1", "O2", "O3")

    def test_rows_are_sorted(self) -> None:
        assert self.ATOMS.rows("edge", 2) == [("O1", "O2"), ("O2", "O1")]
        assert self.ATOMS.rows("flag", 0) == [()]
        assert self.ATOMS.rows("missing", 3) == []

    def test_views(self) -> None:
        assert self.ATOMS.links("edge", 2, self.KNOWN) == [("O1", "O2", "O2"), ("O2", "O1", "O1")]
        assert self.ATOMS.ids("ready", self.KNOWN) == ["O1", "O3"]
        assert self.ATOMS.numbers("rank", self.KNOWN) == {"O1": 5}
        assert self.ATOMS.numbers("missing", self.KNOWN) == {}

    @pytest.mark.parametrize(
        "use",
        [
            pytest.param(lambda atoms: atoms.rows("edge", 3), id="arity"),
            pytest.param(lambda atoms: atoms.links("edge", 2, ("O1",)), id="an unknown end"),
            pytest.param(lambda atoms: atoms.ids("ready", ("O1",)), id="an unknown id"),
            pytest.param(lambda atoms: atoms.numbers("score", ("O1", "O2")), id="no number"),
            pytest.param(lambda atoms: atoms.numbers("rank", ()), id="a number of nobody"),
            pytest.param(lambda atoms: Atoms(["5"]), id="no atom"),
        ],
    )
    def test_what_cannot_be_used_is_a_fault_of_the_rules(self, use: Callable[[Atoms], Any]) -> None:
        with pytest.raises(RulesError) as caught:
            use(self.ATOMS)
        assert caught.value.code == "RULES_OUTPUT"

    def test_their_order_does_not_depend_on_the_solver(self) -> None:
        """S-CARD-06."""
        shuffled = Atoms(map(facts.render, reversed(self.GIVEN)))
        for name, arity in (("edge", 2), ("ready", 1), ("score", 2), ("flag", 0)):
            assert shuffled.rows(name, arity) == self.ATOMS.rows(name, arity)
