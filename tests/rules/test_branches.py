"""Branches: what an alternative stands in for, and how likely it is to do (build spec 3.3)."""

from __future__ import annotations

import pytest
from support import atoms, only


def branches(*facts: str) -> set[str]:
    found = atoms("branches.lp", "\n".join(facts))
    return only(found, "stands_in", "branch_score", "violation", "advice")


def primary(name: str, entity: str = "e", verb: str = "modify", proof: str = "") -> str:
    o = f'"{name}"'
    basis = f'obligation({o}). target({o},"{entity}"). verb({o},{verb}).'
    return f'{basis} validation({o},"{proof}").' if proof else basis


def alternative(name: str, entity: str = "a", verb: str = "modify", proof: str = "") -> str:
    return f'{primary(name, entity, verb, proof)} status("{name}",alternative).'


def mentions(name: str, *others: str) -> str:
    return " ".join(f'mentions("{name}","{each}").' for each in others)


def score(subject: str, source: str, number: int) -> str:
    return f'score("{subject}",{source},{number}).'


def stands_in(*pairs: str) -> set[str]:
    return {f'stands_in("{pair[0]}","{pair[1]}")' for pair in pairs}


def scores(**numbers: int) -> set[str]:
    return {f'branch_score("{name}",{number})' for name, number in numbers.items()}


# What it stands in for


def test_t8_the_same_target_and_verb() -> None:
    found = branches(
        alternative("A", "e"), primary("P", "e"), primary("Q", "e", "validate"), primary("R", "f")
    )
    assert found == stands_in("AP") | scores(A=0)


def test_t8_every_primary_of_that_target() -> None:
    found = branches(alternative("A", "e"), primary("P", "e"), primary("Q", "e"))
    assert found == stands_in("AP", "AQ") | scores(A=0)


def test_t8_else_the_same_validation() -> None:
    found = branches(
        alternative("A", proof="pytest a"),
        primary("P", proof="pytest a"),
        primary("Q", "f", "validate", "pytest a"),
        primary("R", proof="pytest b"),
        primary("S"),
    )
    assert found == stands_in("AP", "AQ") | scores(A=0)


def test_t8_else_an_id_in_its_cause() -> None:
    found = branches(alternative("A"), primary("P"), primary("Q"), mentions("A", "P"))
    assert found == stands_in("AP") | scores(A=0)


def test_t8_without_either_it_stands_alone() -> None:
    assert branches(alternative("A"), primary("P")) == scores(A=0)


def test_t8_the_same_target_outranks_validation_and_cause() -> None:
    found = branches(
        alternative("A", "e", proof="pytest a"),
        primary("P", "e"),
        primary("Q", "f", proof="pytest a"),
        primary("R", "g"),
        mentions("A", "R"),
    )
    assert found == stands_in("AP") | scores(A=0)


def test_t8_the_same_target_outranks_the_cause() -> None:
    found = branches(
        alternative("A", "e"), primary("P", "e"), primary("R", "r"), mentions("A", "R")
    )
    assert found == stands_in("AP") | scores(A=0)


def test_t8_the_same_validation_outranks_the_cause() -> None:
    found = branches(
        alternative("A", proof="pytest a"),
        primary("Q", "f", proof="pytest a"),
        primary("R", "g"),
        mentions("A", "R"),
    )
    assert found == stands_in("AQ") | scores(A=0)


def test_t8_one_alternative_does_not_stand_in_for_another() -> None:
    found = branches(
        alternative("A", "e", proof="pytest a"),
        alternative("B", "e", proof="pytest a"),
        alternative("C", "c"),
        mentions("C", "A"),
        mentions("A", "B"),
    )
    assert found == scores(A=0, B=0, C=0)


def test_t8_a_primary_stands_in_for_nobody() -> None:
    found = branches(
        primary("P", "e", proof="pytest a"),
        primary("Q", "e", proof="pytest a"),
        mentions("P", "Q"),
    )
    assert found == set()


def test_t8_what_is_mentioned_must_be_an_obligation() -> None:
    assert branches(alternative("A"), mentions("A", "X")) == scores(A=0)


@pytest.mark.parametrize("status", ["ready", "blocked"])
def test_t1_other_words_make_no_alternative(status: str) -> None:
    assert branches(primary("P", "e"), primary("Q", "e"), f'status("P",{status}).') == set()


@pytest.mark.parametrize("end", ["complete", "failed"])
def test_t8_an_alternative_that_was_carried_out_is_none(end: str) -> None:
    found = branches(
        alternative("A", "e"),
        primary("P", "e"),
        alternative("B", "b"),
        mentions("B", "A"),
        f'state("A",{end}).',
    )
    assert found == scores(B=0)


def test_t8_a_primary_that_failed_may_be_stood_in_for() -> None:
    found = branches(alternative("A", "e"), primary("P", "e"), 'state("P",failed).')
    assert found == stands_in("AP") | scores(A=0)


# Branch scores


def test_the_weights_are_public_and_make_a_hundred() -> None:
    assert only(atoms("branches.lp", ""), "weight") == {
        "weight(lex,25)",
        "weight(cochange,25)",
        "weight(confidence,50)",
    }


@pytest.mark.parametrize(
    ("source", "expected"), [("lex", 200), ("cochange", 200), ("confidence", 400)]
)
def test_s_000_053_each_source_counts_for_its_weight(source: str, expected: int) -> None:
    assert branches(alternative("A"), score("A", source, 800)) == scores(A=expected)


def test_s_000_053_without_evidence_the_score_is_zero() -> None:
    assert branches(alternative("A"), alternative("B")) == scores(A=0, B=0)


def test_s_000_053_the_sources_add_up() -> None:
    found = branches(
        alternative("A"),
        score("A", "lex", 400),
        score("A", "cochange", 400),
        score("A", "confidence", 900),
    )
    assert found == scores(A=650)


def test_s_000_053_full_evidence_is_one() -> None:
    found = branches(
        alternative("A"), *(score("A", each, 1000) for each in ("lex", "cochange", "confidence"))
    )
    assert found == scores(A=1000)


def test_s_000_053_the_entity_speaks_for_the_obligation() -> None:
    found = branches(
        alternative("A", "e"),
        alternative("B", "f"),
        score("e", "lex", 400),
        score("e", "confidence", 600),
    )
    assert found == scores(A=400, B=0)


def test_s_000_053_of_several_numbers_the_best_counts() -> None:
    found = branches(
        alternative("A", "e"),
        score("A", "confidence", 300),
        score("e", "confidence", 700),
        score("e", "confidence", 500),
    )
    assert found == scores(A=350)


def test_s_000_053_equal_shares_of_two_sources_both_count() -> None:
    found = branches(alternative("A"), score("A", "lex", 500), score("A", "cochange", 500))
    assert found == scores(A=250)


def test_s_000_053_a_share_of_a_per_mille_is_left_out() -> None:
    assert branches(alternative("A"), score("A", "lex", 3)) == scores(A=0)
    assert branches(alternative("A"), score("A", "lex", 7)) == scores(A=1)


def test_s_000_053_a_source_without_a_weight_counts_for_nothing() -> None:
    assert branches(alternative("A"), score("A", "weather", 1000)) == scores(A=0)


def test_t8_a_primary_has_no_branch_score() -> None:
    assert branches(primary("P", "e"), score("P", "lex", 500), score("e", "lex", 500)) == set()


def test_t8_what_an_artifact_keeps_counts_where_there_is_no_evidence() -> None:
    facts = 'obligation("A"). status("A",alternative). target("A","e"). kept_score("A",700).'
    assert only(atoms("branches.lp", facts), "branch_score") == {'branch_score("A",700)'}
    rated = facts + 'score("A",lex,400).'
    assert only(atoms("branches.lp", rated), "branch_score") == {'branch_score("A",100)'}


# Who may take the place of what failed


def promotable(*facts: str) -> set[str]:
    return only(atoms("branches.lp", "\n".join(facts)), "promotable")


def places(*names: str) -> str:
    return " ".join(f'ordinal("{name}",{number}).' for number, name in enumerate(names, 1))


FAILED = primary("P", "e") + ' state("P",failed).'


def test_t8_only_a_primary_that_failed_is_replaced() -> None:
    pending = [alternative("A", "e"), primary("P", "e"), places("A")]
    assert promotable(*pending) == set()
    assert promotable(*pending, 'state("P",complete).') == set()
    assert promotable(alternative("A", "e"), FAILED, places("A")) == {'promotable("A","P")'}


def test_t8_only_by_what_stands_in_for_it() -> None:
    assert promotable(alternative("A", "other"), FAILED, places("A")) == set()


def test_t8_by_the_best_rated() -> None:
    rated = [score("A", "lex", 400), score("B", "lex", 800), score("C", "lex", 500)]
    facts = [*(alternative(each, "e") for each in "ABC"), FAILED, *rated, places(*"ABC")]
    assert promotable(*facts) == {'promotable("B","P")'}


def test_t2_of_equals_the_first_in_the_natural_order() -> None:
    facts = [*(alternative(each, "e") for each in ("O10", "O9")), FAILED, places("O9", "O10")]
    assert promotable(*facts) == {'promotable("O9","P")'}


def test_t8_each_primary_by_itself() -> None:
    facts = [
        FAILED,
        primary("Q", "f") + ' state("Q",failed).',
        alternative("A", "e"),
        alternative("B", "f"),
        score("B", "lex", 800),
        places(*"AB"),
    ]
    assert promotable(*facts) == {'promotable("A","P")', 'promotable("B","Q")'}
