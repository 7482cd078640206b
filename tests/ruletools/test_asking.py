"""Atoms written the way people write them, and nothing else."""

from __future__ import annotations

import pytest

from plan07.errors import InputError
from plan07.ruletools import asking
from plan07.ruletools.forms import ANY

SIGNATURES = {
    ("ready", 1): "ready(Unit)",
    ("precedes", 3): "precedes(Before, After, Because)",
    ("target", 2): "target(Obligation, Entity)",
    ("verb", 2): "verb(Obligation, Verb)",
    ("level", 2): "level(Unit, Number)",
    ("tests_known", 0): "tests_known",
}
ATOMS = ['ready("O7")', 'target("O7","auth")', 'target("O7","modify")', 'verb("O7",modify)']


def read(text: str) -> str:
    return asking.read(text, SIGNATURES, ATOMS).pattern


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("ready(O7)", 'ready("O7")'),
        ('ready("O7")', 'ready("O7")'),
        ("ready('O7')", 'ready("O7")'),
        (" ready( O7 ) . ", 'ready("O7")'),
        ("ready O7", 'ready("O7")'),
        ("ready(cycle:O7)", 'ready("O7")'),
        ("ready(_)", f"ready({ANY})"),
        ("O2 precedes O3", f'precedes("O2","O3",{ANY})'),
        ("precedes O2 O3", f'precedes("O2","O3",{ANY})'),
        ("precedes(O2,O3,declared)", 'precedes("O2","O3",declared)'),
        ("precedes(O2,O3,ladder(2,_,_))", f'precedes("O2","O3",ladder(2,{ANY},{ANY}))'),
        ("precedes(O2,O3,(1,))", 'precedes("O2","O3",(1,))'),
        ("target(O7,auth)", 'target("O7","auth")'),
        ("target(O7,modify)", 'target("O7","modify")'),
        ("target(O7, src/a.py::b)", 'target("O7","src/a.py::b")'),
        ("verb(O7,modify)", 'verb("O7",modify)'),
        ("verb(O7,preserve)", 'verb("O7",preserve)'),
        ("level(O7, 3)", 'level("O7",3)'),
        ("tests_known", "tests_known"),
        ('ready("a\\"b\\\\c")', 'ready("a\\"b\\\\c")'),
        ('ready("a\\nb")', 'ready("a\\nb")'),
    ],
)
def test_what_is_understood(text: str, pattern: str) -> None:
    assert read(text) == pattern


@pytest.mark.parametrize(
    ("text", "code", "says", "fix"),
    [
        ("", "ATOM_INVALID", "empty", "ready(O7)"),
        ("ready(", "ATOM_INVALID", "does not end", "ready(O7)"),
        ("ready(O7", "ATOM_INVALID", "not closed", "ready(O7)"),
        ('ready("O7', "ATOM_INVALID", "does not end", "ready(O7)"),
        ("ready(,)", "ATOM_INVALID", '","', "ready(O7)"),
        ("ready(O7) :- b.", "ATOM_INVALID", "ready(O7) :- b.", "ready(O7)"),
        ("ready(O7). c.", "ATOM_INVALID", "ready(O7). c.", "ready(O7)"),
        ("Ready(O7)", "ATOM_INVALID", "Ready(O7)", "ready(O7)"),
        ("precedes(O2,O3,F(x))", "ATOM_INVALID", '"F"', "ready(O7)"),
        ("ready(" + "(" * 30 + "1", "ATOM_INVALID", "nested", "ready(O7)"),
        ("ready(a\0b)", "ATOM_INVALID", "NUL", "ready(O7)"),
        ("ready(" + "x" * 3000 + ")", "ATOM_INVALID", "longer than 2000", "ready(O7)"),
        ("redy(O7)", "PREDICATE_UNKNOWN", '"redy"', "write ready"),
        ("xyzzy(O7)", "PREDICATE_UNKNOWN", '"xyzzy"', "rules list"),
        ("ready(O7,O8)", "PREDICATE_ARITY", "ready has 1 argument, not 2", "ready(Unit)"),
        ("precedes(O2,O3)", "PREDICATE_ARITY", "3 arguments, not 2", "precedes(Before, After"),
    ],
)
def test_what_is_refused(text: str, code: str, says: str, fix: str) -> None:
    with pytest.raises(InputError) as caught:
        read(text)
    assert caught.value.code == code
    assert says in caught.value.message
    assert fix in caught.value.fix


@pytest.mark.parametrize("text", ['O1"). ready("O9', "O1)", "\\", '"', "%", "#script", "\u202e"])
def test_what_is_asked_about_is_one_term_whatever_it_holds(text: str) -> None:
    """A text in quotation marks can be anything; the solver reads it as one string."""
    import clingo

    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    assert clingo.parse_term(read(f'ready("{escaped}")')).arguments[0].string == text
