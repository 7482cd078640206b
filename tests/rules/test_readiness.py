"""Readiness: which unit is ready, which waits, which is an alternative (build spec 3.3)."""

from __future__ import annotations

import random
from itertools import pairwise, product

import pytest
from support import atoms, only

PARTITION = ("complete", "failed", "alternative", "ready", "blocked")


def readiness(*facts: str) -> set[str]:
    found = atoms("readiness.lp", "\n".join(facts))
    return only(found, *PARTITION, "stranded", "violation", "advice")


def units(names: str) -> str:
    """Return units of one obligation each, a letter a unit."""
    return " ".join(f'unit("{each}"). member("{each}","{each}").' for each in names)


def composite(names: str) -> str:
    members = " ".join(f'member("{names[0]}","{each}").' for each in names)
    return f'unit("{names[0]}"). {members}'


def before(path: str) -> str:
    pairs = pairwise(path)
    return " ".join(f'before("{x}","{y}").' for x, y in pairs)


def state(state: str, names: str) -> str:
    return " ".join(f'state("{each}",{state}).' for each in names)


def said(status: str, names: str) -> str:
    return " ".join(f'status("{each}",{status}).' for each in names)


def partition(**names: str) -> set[str]:
    return {f'{part}("{each}")' for part, units in names.items() for each in units}


def stranded(*pairs: str) -> set[str]:
    return {f'stranded("{pair[0]}","{pair[1]}")' for pair in pairs}


def test_s_000_050_ready_is_what_waits_for_nothing() -> None:
    found = readiness(units("ABCD"), before("ABC"))
    assert found == partition(ready="AD", blocked="BC")


def test_s_000_050_a_unit_is_ready_when_all_that_it_waits_for_is_complete() -> None:
    facts = units("ABC"), before("AC"), before("BC")
    assert readiness(*facts, state("complete", "A")) == partition(
        complete="A", ready="B", blocked="C"
    )
    assert readiness(*facts, state("complete", "AB")) == partition(complete="AB", ready="C")


@pytest.mark.parametrize("status", ["ready", "blocked"])
def test_t1_ready_and_blocked_are_not_believed(status: str) -> None:
    found = readiness(units("AB"), before("AB"), said(status, "AB"))
    assert found == partition(ready="A", blocked="B")


def test_t1_alternative_is_believed() -> None:
    found = readiness(units("ABC"), before("AB"), said("alternative", "BC"))
    assert found == partition(ready="A", alternative="BC")


@pytest.mark.parametrize("end", ["complete", "failed"])
def test_t1_an_alternative_that_was_carried_out_is_none(end: str) -> None:
    found = readiness(units("A"), said("alternative", "A"), state(end, "A"))
    assert found == partition(**{end: "A"})


def test_t1_a_failed_unit_is_in_no_list() -> None:
    found = readiness(units("AB"), before("AB"), state("complete", "A"), state("failed", "B"))
    assert found == partition(complete="A", failed="B")


def test_t1_what_waits_for_a_failed_unit_is_blocked_and_stranded() -> None:
    """S-000-057: stranded is a part of blocked, not another part."""
    found = readiness(units("ABCD"), before("ABC"), state("failed", "A"))
    assert found == partition(failed="A", blocked="BC", ready="D") | stranded("BA", "CB")


def test_t1_each_way_to_a_failed_unit_is_named() -> None:
    found = readiness(
        units("ABCDE"), before("ACE"), before("BC"), before("DE"), state("failed", "AB")
    )
    expected = partition(failed="AB", ready="D", blocked="CE")
    assert found == expected | stranded("CA", "CB", "EC")


def test_t1_what_failed_after_a_failed_unit_is_not_stranded() -> None:
    found = readiness(units("ABC"), before("ABC"), state("failed", "AB"))
    assert found == partition(failed="AB", blocked="C") | stranded("CB")


def test_an_alternative_behind_a_failed_unit_is_not_stranded() -> None:
    found = readiness(units("AB"), before("AB"), said("alternative", "B"), state("failed", "A"))
    assert found == partition(failed="A", alternative="B")


# Composites


def test_t6_a_composite_is_complete_when_every_member_is() -> None:
    facts = composite("AB"), units("C"), before("AC")
    assert readiness(*facts, state("complete", "AB")) == partition(complete="A", ready="C")


def test_t6_a_composite_fails_if_any_member_does() -> None:
    found = readiness(composite("AB"), units("C"), before("AC"), state("failed", "B"))
    assert found == partition(failed="A", blocked="C") | stranded("CA")


def test_t6_a_member_that_failed_outweighs_one_that_is_complete() -> None:
    found = readiness(composite("AB"), state("failed", "B"), state("complete", "A"))
    assert found == partition(failed="A")


def test_t6_a_composite_that_is_half_complete_is_refused() -> None:
    found = readiness(composite("ABC"), state("complete", "AC"))
    assert found == {
        *partition(ready="A"),
        'violation(cycle_through_complete("A"),"A")',
        'violation(cycle_through_complete("C"),"A")',
    }


def test_a_complete_unit_before_one_that_it_waits_for_is_advice() -> None:
    found = readiness(units("ABC"), before("AB"), before("CB"), state("complete", "BC"))
    assert found == partition(complete="BC", ready="A") | {'advice(complete_too_early("A"),"B")'}


@pytest.mark.parametrize("end", ["pending", "failed"])
def test_the_advice_names_whatever_is_not_complete(end: str) -> None:
    found = readiness(units("AB"), before("AB"), state("complete", "B"), state(end, "A"))
    assert only(found, "advice") == {'advice(complete_too_early("A"),"B")'}


def test_what_an_alternative_precedes_is_not_too_early() -> None:
    found = readiness(units("AB"), before("AB"), said("alternative", "A"), state("complete", "B"))
    assert found == partition(alternative="A", complete="B")


# The partition


STATES = ["pending", "complete", "failed"]


@pytest.mark.parametrize(
    ("first", "second", "status"),
    [
        pytest.param(*each, id=" ".join(each))
        for each in product(STATES, STATES, ("ready", "alternative"))
    ],
)
def test_s_000_057_every_unit_is_in_exactly_one_part(first: str, second: str, status: str) -> None:
    found = readiness(
        units("AB"),
        before("AB"),
        f'state("A",{first}). state("B",{second}).',
        said(status, "B"),
    )
    second_alone = "blocked" if first != "complete" else "ready"
    if second != "pending":
        second_alone = second
    elif status == "alternative":
        second_alone = "alternative"
    expected = partition(**{"ready" if first == "pending" else first: "A"})
    expected |= partition(**{second_alone: "B"})
    assert only(found, *PARTITION) == expected


@pytest.mark.parametrize("seed", range(30))
def test_s_000_057_the_partition_is_exact_and_exhaustive(seed: int) -> None:
    chance = random.Random(seed)
    names = "ABCDEFGH"[: chance.randint(2, 8)]
    needs = {
        each: {other for other in names[:place] if chance.random() < 0.4}
        for place, each in enumerate(names)
    }
    states = {each: chance.choice(STATES) for each in names}
    status = {each: chance.choice(["ready", "blocked", "alternative"]) for each in names}
    parts: dict[str, str] = dict.fromkeys(PARTITION, "")
    lost: set[str] = set()
    for each in names:
        waits = any(states[other] != "complete" for other in needs[each])
        if states[each] != "pending":
            parts[states[each]] += each
        elif status[each] == "alternative":
            parts["alternative"] += each
        else:
            parts["blocked" if waits else "ready"] += each
        if each in parts["blocked"]:
            behind = {other for other in needs[each] if other in parts["failed"] + "".join(lost)}
            lost |= {each} if behind else set()
    found = readiness(
        units(names),
        *(before(other + each) for each in names for other in needs[each]),
        *(f'state("{each}",{value}).' for each, value in states.items() if value != "pending"),
        *(said(value, each) for each, value in status.items()),
    )
    assert only(found, *PARTITION) == partition(**parts)
    assert {atom.split('"')[1] for atom in only(found, "stranded")} == lost
