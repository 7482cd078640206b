"""Temporal consistency once a change has landed, and what it demands (build spec 3.2, 3.6)."""

from __future__ import annotations

import pytest
from support import atoms, only

BASIS = "firm((exact;typed;dynamic)). breaking_policy(atomic)."
SHOWN = ("precedes", "atomic", "violation", "demands")
LANDED = 'state("O1",complete).'


def landed(*facts: str) -> set[str]:
    return only(atoms("temporal.lp", "\n".join([BASIS, *facts])), *SHOWN)


def modify(identifier: str, entity: str) -> str:
    o, number = f'"{identifier}"', identifier.lstrip("O")
    return (
        f"obligation({o}). primary({o}). ordinal({o},{number}). verb({o},modify). "
        f'target({o},"{entity}"). changes({o},"{entity}").'
    )


def reaches(strength: str, order: str, change: str = "rename", resolution: str = "exact") -> str:
    because = f'impact(called_by,"e",{change},{resolution})'
    return f'reaches("O1","f",{strength},{order},{because}).'


def impact(order: str, change: str = "rename") -> str:
    return f'impact({order},called_by,"e","f",{change})'


def demands(change: str = "rename") -> str:
    return f'demands("O1","f",impact(called_by,"e",{change},exact))'


BOTH = [modify("O1", "e"), modify("O2", "f")]
ONE = [modify("O1", "e")]


@pytest.mark.parametrize("order", ["definition_first", "dependents_first", "together"])
def test_what_a_landed_change_breaks_is_mended_after_it(order: str) -> None:
    after = f'precedes("O1","O2",{impact("definition_first")})'
    assert landed(*BOTH, reaches("must", order), LANDED) == {after}


@pytest.mark.parametrize("order", ["dependents_first", "together"])
def test_what_both_have_landed_is_ordered_as_it_was(order: str) -> None:
    done = [*BOTH, reaches("must", order), LANDED, 'state("O2",complete).']
    pending = [*BOTH, reaches("must", order)]
    assert landed(*done) == landed(*pending)


def test_a_change_that_failed_has_not_landed() -> None:
    failed = [*BOTH, reaches("must", "dependents_first"), 'state("O1",failed).']
    before = f'precedes("O2","O1",{impact("dependents_first")})'
    assert landed(*failed) == {before}


def test_what_is_complete_and_changes_nothing_is_no_landed_change() -> None:
    facts = [
        modify("O2", "f"),
        'obligation("O1"). verb("O1",validate). target("O1","e").',
        reaches("must", "dependents_first"),
        LANDED,
    ]
    before = f'precedes("O2","O1",{impact("dependents_first")})'
    assert landed(*facts) == {before}


def test_s_000_080_a_dependent_that_nothing_mends_is_demanded() -> None:
    pending = landed(*ONE, reaches("must", "together"))
    assert pending == {demands(), 'violation(unresolved_dependent("f",called_by),"O1")'}


def test_s_000_080_also_after_the_change_has_landed_but_then_nothing_is_refused() -> None:
    assert landed(*ONE, reaches("must", "together"), LANDED) == {demands()}


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param([reaches("should", "together")], id="it only should be edited"),
        pytest.param([reaches("must", "together", resolution="heuristic")], id="uncertain"),
        pytest.param([reaches("must", "together", "added")], id="an addition breaks nobody"),
        pytest.param([reaches("must", "together"), modify("O2", "f")], id="mended"),
    ],
)
def test_s_000_080_nothing_else_is_demanded(facts: list[str]) -> None:
    assert only(landed(*ONE, *facts, LANDED), "demands") == set()


def test_s_000_080_a_preserve_keeps_the_old_form_alive() -> None:
    shim = 'obligation("O3"). primary("O3"). verb("O3",preserve). target("O3","e").'
    assert only(landed(*ONE, reaches("must", "together"), shim, LANDED), "demands") == set()
    deleted = reaches("must", "dependents_first", "deleted")
    assert only(landed(*ONE, deleted, shim, LANDED), "demands") == {demands("deleted")}
