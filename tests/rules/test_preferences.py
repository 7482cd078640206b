"""Preferences: which of the units that are ready goes first (build spec 3.4)."""

from __future__ import annotations

from support import atoms, only


def preferences(*facts: str) -> set[str]:
    return only(atoms("preferences.lp", "\n".join(facts)), "preference")


def test_a_wish_is_the_preference_of_its_unit() -> None:
    members = 'member("A","A"). member("B","B"). member("C","C").'
    found = preferences(members, 'prefer("B",-2). prefer("C",7).')
    assert found == {'preference("B",-2)', 'preference("C",7)'}


def test_the_lowest_wish_of_a_composite_decides() -> None:
    members = 'member("A","A"). member("A","B"). member("A","C").'
    found = preferences(members, 'prefer("B",5). prefer("C",3). prefer("C",4).')
    assert found == {'preference("A",3)'}


def test_a_wish_for_what_is_not_in_the_plan_is_none() -> None:
    assert preferences('member("A","A").', 'prefer("X",1).') == set()
