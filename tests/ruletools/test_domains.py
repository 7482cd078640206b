"""Which values arguments may have: never fewer than they do have."""

from __future__ import annotations

import pytest
from support import EXAMPLES

from plan07 import document, jsontext, rulebook, solver
from plan07.facts import Fact, Term, parse
from plan07.ruletools import probes, recording, source
from plan07.ruletools.domains import NUMBER, TEXT, Domains
from plan07.ruletools.stages import Stages

PLANS = sorted([*EXAMPLES.glob("*.plan.json"), *EXAMPLES.glob("cases/*.plan.json")])


def domains(text: str, **inputs: frozenset[str] | None) -> Domains:
    rules = source.parse_text(text).rules
    return Domains(rules, {(name, 1, 0): values for name, values in inputs.items()})


def value(term: Term) -> str:
    if isinstance(term, Fact):
        return f"{term.name}/{len(term.args)}" if term.args else term.name
    return TEXT if isinstance(term, str) else NUMBER


@pytest.fixture(scope="module")
def stages() -> Stages:
    shipped = source.parse(rulebook.load())
    return Stages(shipped, shipped)


@pytest.mark.parametrize(
    ("rules", "values"),
    [
        ("p(a). p(b).", {"a", "b"}),
        ('p("x"). p(1). p(1..3). p(2 + 2).', {TEXT, NUMBER}),
        ("p((a; b)). p(f(c), d).", {"a", "b"}),
        ("p(X) :- q(X), r(X). r(a). r(z).", {"a"}),
        ("p(X) :- q(X), not r(X). r(a).", {"a", "b"}),
        ("p(X) :- not r(X), X = f(Y), q(Y).", None),
        ("p(f(X)) :- q(X).", {"f/1"}),
        ("p(X) :- s(f(X)). s(f(Y)) :- q(Y).", {"a", "b"}),
        ("p(X) :- s(Y), Y = f(X). s(f(Y)) :- q(Y).", {"a", "b"}),
        ("p(Y) :- q(Y), W = f(Y), t(W).", {"a", "b"}),
        ("p(X) :- s(f(X)). s(W) :- W = f(Y), q(Y).", {"a", "b"}),
        ("p(N) :- N = #count { X : q(X) }.", {NUMBER}),
        ("p(N) :- N = #max { X : q(X) }, t(N).", None),
        ("p(X) :- p(X). p(X) :- q(X).", {"a", "b"}),
        ("{ p(X) : q(X) }.", {"a", "b"}),
        ("p(@f(1)).", None),
    ],
)
def test_what_flows_into_a_head(rules: str, values: set[str] | None) -> None:
    found = domains(rules, q=frozenset({"a", "b"}), t=None).of(("p", 1, 0))
    assert found == (None if values is None else frozenset(values))


@pytest.mark.parametrize("name", [path.name for path in PLANS])
def test_no_atom_of_a_plan_is_beyond_them(name: str, stages: Stages) -> None:
    """Else a check would call a condition impossible that holds."""
    (path,) = [each for each in PLANS if each.name == name]
    _within(*jsontext.read(str(path)), stages)


@pytest.mark.parametrize("name", probes.small())
def test_no_atom_of_a_probe_is_beyond_them(name: str, stages: Stages) -> None:
    _within(probes.small()[name], name, stages)


def _within(plan: object, name: str, stages: Stages) -> None:
    recorded = recording.record(document.read(plan, name), solver.options(repair=True))
    seen = 0
    for stage in recorded.stages:
        found = stages.domains(stages.stages[stage.name])
        for text in recording.conclusions(recorded.rules, stage):
            atom = parse(text)
            for index, term in enumerate(atom.args):
                values = found.of((atom.name, len(atom.args), index))
                assert values is None or value(term) in values, (stage.name, text, index)
                seen += 1
    assert seen > 0


def test_every_fact_that_plan07_gives_is_declared(stages: Stages) -> None:
    """A condition may ask for these, in the stages in which they are given."""
    for path in PLANS:
        recorded = recording.record(document.read(*jsontext.read(str(path))), solver.options())
        for stage in recorded.stages:
            given = {
                (atom.name, len(atom.args))
                for atom in map(parse, stage.given.replace(".\n", "\n").splitlines())
            }
            assert given <= stages.stages[stage.name].known, (path.name, stage.name)
