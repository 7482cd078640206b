"""A solve, watched: the same result, and what every stage was given."""

from __future__ import annotations

import pytest
from support import EXAMPLES, obligation, plan

from plan07 import document, jsontext, rulebook, solver
from plan07.ruletools import gloss, recording, tree
from plan07.ruletools.history import History


def recorded(name: str, **options: bool) -> recording.Recording:
    value, _ = jsontext.read(str(EXAMPLES / f"{name}.plan.json"))
    return recording.record(document.read(value, name), solver.options(**options))


def test_the_result_is_that_of_a_solve() -> None:
    value, _ = jsontext.read(str(EXAMPLES / "migration.plan.json"))
    read = document.read(value, "x")
    found = recording.record(read, solver.options())
    assert found.result == solver.solve_plan(read, solver.options())
    assert found.refusal is None
    assert [each.name for each in found.stages] == ["admission", "graph", "schedule", "steps"]


def test_a_refusal_keeps_the_stages_until_then() -> None:
    found = recorded("rename-unmended")
    assert found.result is None
    assert found.refusal is not None
    assert found.refusal.code == "UNRESOLVED_DEPENDENT"
    assert [each.name for each in found.stages] == ["admission", "graph"]


def test_a_repair_runs_the_graph_twice_and_the_last_counts() -> None:
    found = recorded("refused/temporal-inconsistent", repair=True)
    assert [(each.name, each.optimise) for each in found.stages] == [
        *(("admission", False), ("graph", False), ("repair", True), ("graph", False)),
        *(("schedule", False), ("steps", False)),
    ]
    history = History(found)
    assert not history.moments["graph"].firing.by_name.get(("violation", 2))
    assert history.moments["repair"].firing.by_name["drop", 2] == ['drop("O2","O1")']


def test_every_atom_of_a_stage_is_concluded_private_ones_too() -> None:
    found = recorded("session-timeout")
    graph = next(each for each in found.stages if each.name == "graph")
    atoms = recording.conclusions(found.rules, graph)
    assert atoms == sorted(atoms)
    assert any(each.startswith("climbs(") for each in atoms)
    assert 'declared("O3","O1")' in atoms


def test_the_default_rules_are_not_watched() -> None:
    """Another solve of the same process takes no notes."""
    recording.record(document.read(plan(obligation("O1")), "x"), solver.options())
    assert type(rulebook.load()) is rulebook.Rulebook


@pytest.mark.parametrize(
    ("count", "most", "kept", "more"), [(3, 3, 3, 0), (4, 3, 4, 0), (5, 3, 3, 2), (0, 3, 0, 0)]
)
def test_one_more_is_told_rather_than_counted(count: int, most: int, kept: int, more: int) -> None:
    assert tree.cut(range(count), most) == (tuple(range(kept)), more)


@pytest.mark.parametrize(
    ("atom", "words"),
    [
        ('precedes("O1","O2",declared)', "the plan says so"),
        ('precedes("O1","O2","mine")', ""),
        ('violation("not today","O1")', '"O1": not today'),
        ("violation(self_dependency,plan)", '"plan" depends on itself'),
        ('advice(assumed_body,"O1")', 'nothing says how "O1" changes its target, so it counts as'),
        ('ready("O1")', ""),
    ],
)
def test_atoms_in_words(atom: str, words: str) -> None:
    assert gloss.sentence(atom).startswith(words)
    assert bool(gloss.sentence(atom)) is bool(words)
