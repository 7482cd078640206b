"""Actions: what may be done to discharge an obligation (build spec 3.4; S-000-063, S-000-066)."""

from __future__ import annotations

import pytest
from support import atoms, only

CAPS = {"max_edit_files": 5, "max_test_calls": 10}


def actions(facts: str) -> set[str]:
    return only(atoms("actions.lp", facts, CAPS), "permitted", "bound")


def step(state: str, **verbs: str) -> str:
    members = " ".join(f'member("U","{o}"). verb("{o}",{verb}).' for o, verb in verbs.items())
    return f'{state}("U"). {members}'


EDITS = {
    'permitted("U",read)',
    'permitted("U",edit)',
    'permitted("U",test)',
    'bound("U",edit_files,5)',
    'bound("U",test_calls,10)',
}
LOOKS = {
    'permitted("U",read)',
    'permitted("U",test)',
    'bound("U",edit_files,0)',
    'bound("U",test_calls,10)',
}


@pytest.mark.parametrize("state", ["ready", "failed"])
@pytest.mark.parametrize(
    ("verb", "expected"), [("modify", EDITS), ("preserve", EDITS), ("validate", LOOKS)]
)
def test_s_000_066_a_verb_permits(state: str, verb: str, expected: set[str]) -> None:
    assert actions(step(state, O1=verb)) == expected


def test_a_composite_may_do_what_any_member_may() -> None:
    assert actions(step("ready", O1="validate", O2="modify")) == EDITS


def test_what_is_not_open_permits_nothing() -> None:
    assert actions(step("blocked", O1="modify")) == set()


def test_an_unknown_verb_permits_nothing() -> None:
    found = actions(step("ready", O1="destroy"))
    assert found == {'bound("U",edit_files,0)', 'bound("U",test_calls,0)'}


def test_what_failed_and_waits_for_something_permits_nothing() -> None:
    """A revision may have put something before it since."""
    failed = step("failed", O1="modify")
    assert actions(f'{failed} before("V","U").') == set()
    assert actions(f'{failed} before("V","U"). complete("V").') == EDITS
    assert actions(f'{failed} before("U","V").') == EDITS
