"""Scope: what does a failure, or a change of the plan, touch (build spec 3.5, 3.6; T13, T14)."""

from __future__ import annotations

from itertools import pairwise

import pytest
from support import atoms, only

SHOWN = ("affected", "neighbour", "settled", "inherits", "violation")


def scope(*facts: str) -> set[str]:
    return only(atoms("scope.lp", "\n".join(facts)), *SHOWN)


def found(name: str, *facts: str) -> set[str]:
    return only(scope(*facts), name)


def chain(*names: str) -> str:
    """Return units of one obligation each that wait for one another, a cause for each."""
    edges = [f'edge("{a}","{b}").' for a, b in pairwise(names)]
    return " ".join([*(single(each) for each in names), *edges])


def single(name: str) -> str:
    return f'member("{name}","{name}"). obligation("{name}"). caused("{name}").'


def composite(names: str) -> str:
    low = names[0]
    return " ".join(
        f'member("cycle:{low}","{each}"). obligation("{each}"). caused("{each}").' for each in names
    )


def of(predicate: str, *names: str) -> set[str]:
    return {f'{predicate}("{each}")' for each in names}


# What a failure touches

DIAMOND = " ".join(
    [
        *(single(each) for each in "ABCD"),
        'edge("A","B"). edge("A","C"). edge("B","D"). edge("C","D").',
    ]
)


def test_s_000_072_the_failed_one_and_its_true_dependents() -> None:
    assert found("affected", DIAMOND, 'fails("B").') == of("affected", "B", "D")


def test_s_000_072_dependents_of_dependents() -> None:
    assert found("affected", chain(*"ABCD"), 'fails("B").') == of("affected", "B", "C", "D")


def test_s_000_073_a_leaf_touches_itself_and_the_root_everything_after_it() -> None:
    assert found("affected", DIAMOND, 'fails("D").') == of("affected", "D")
    assert found("affected", DIAMOND, single("E"), 'fails("A").') == of("affected", *"ABCD")


def test_t13_a_composite_counts_as_one() -> None:
    facts = [composite("AB"), single("C"), 'edge("cycle:A","C").']
    assert found("affected", *facts, 'fails("cycle:A").') == of("affected", "cycle:A", "C")


def test_nothing_fails() -> None:
    assert found("affected", DIAMOND) == set()


# What stands in the place of the affected ones


def replaced(*names: str, more: str = "") -> set[str]:
    taken = " ".join(f'taken("{each}").' for each in "ABCDX")
    wanted = " ".join(f'replacement("{each}").' for each in names)
    return found("violation", DIAMOND, 'fails("B").', taken, wanted, more)


def test_t13_a_replacement_may_reuse_affected_ids_and_bring_new_ones() -> None:
    assert replaced("B", "D", "E") == set()


def test_t13_it_must_not_redefine_what_is_untouched() -> None:
    assert replaced("B", "C") == {'violation(redefines_untouched,"C")'}


def test_t14_an_id_that_is_gone_is_not_recycled() -> None:
    assert replaced("X") == {'violation(id_recycled,"X")'}


def test_t13_what_is_untouched_gains_no_dependency() -> None:
    found = replaced("B", "E", more='needs("C","E"). needs("E","A"). needs("D","E").')
    assert found == {'violation(gains_dependency("E"),"C")'}


def test_t13_a_replacement_may_depend_on_a_replacement_and_on_what_is_untouched() -> None:
    assert replaced("B", "E", more='needs("B","E"). needs("E","C"). needs("B","A").') == set()


def test_t13_members_of_a_failed_composite_are_affected() -> None:
    facts = [composite("AB"), 'fails("cycle:A").', 'taken("A"). taken("B").']
    assert found("violation", *facts, 'replacement("A"). replacement("B").') == set()


# The neighbourhood of a revision


def neighbours(*facts: str) -> set[str]:
    return found("neighbour", *facts)


def test_t14_one_step_by_a_precedence_and_no_further() -> None:
    plan = chain(*"ABCDE")
    assert neighbours(plan, 'removes("C").') == of("neighbour", "B", "C", "D")


def test_t14_through_a_composite() -> None:
    facts = [composite("AB"), single("C"), single("D"), 'edge("cycle:A","C"). edge("C","D").']
    assert neighbours(*facts, 'removes("C").') == of("neighbour", *"ABCD")


def test_t14_what_comes_and_what_it_waits_for_or_what_waits_for_it() -> None:
    facts = [chain(*"ABC"), 'adds("N"). needs("N","A"). needs("C","N").']
    assert neighbours(*facts) == of("neighbour", "N", "A", "C")


def test_t14_the_same_target() -> None:
    targets = 'target("A","e"). target("B","f"). target("N","e").'
    facts = [single("A"), single("B"), targets]
    assert neighbours(*facts, 'adds("N").') == of("neighbour", "N", "A")


@pytest.mark.parametrize("link", ['linked("e","f").', 'linked("f","e").'])
def test_t14_an_edge_of_the_evidence_either_way(link: str) -> None:
    targets = 'target("A","f"). target("B","g"). target("N","e").'
    facts = [single("A"), single("B"), targets, link]
    assert neighbours(*facts, 'adds("N").') == of("neighbour", "N", "A")


def test_s_000_081_what_new_evidence_speaks_of() -> None:
    facts = [chain(*"ABC"), 'target("A","e"). target("B","f"). told("e").']
    assert neighbours(*facts) == of("neighbour", "A")


def test_nothing_changes() -> None:
    facts = [chain(*"ABC"), 'target("A","e"). target("B","f"). linked("e","f").']
    assert scope(*facts) == set()


# What is removed


def test_f18_a_dependent_inherits_what_the_removed_one_waited_for() -> None:
    assert found("inherits", chain(*"ABC"), 'removes("B").') == {'inherits("C","A")'}


def test_t14_through_several_that_are_removed() -> None:
    facts = [chain(*"ABCD"), single("E"), 'edge("E","C").', 'removes("B"). removes("C").']
    assert found("inherits", *facts) == {'inherits("D","A")', 'inherits("D","E")'}


def test_t14_only_who_stays_inherits() -> None:
    assert found("inherits", chain(*"ABC"), 'removes("B"). removes("C").') == set()
    assert found("inherits", chain(*"ABC"), 'removes("A"). removes("B").') == set()


def test_t14_all_members_inherit_and_are_inherited() -> None:
    facts = [composite("AB"), single("C"), composite("DE"), 'edge("cycle:A","C").']
    assert found("inherits", *facts, 'edge("C","cycle:D"). removes("C").') == {
        f'inherits("{heir}","{each}")' for heir in "DE" for each in "AB"
    }


def test_t14_of_a_composite_that_stays_in_part_nothing_is_inherited() -> None:
    facts = [single("X"), composite("AB"), single("C"), 'edge("X","cycle:A"). edge("cycle:A","C").']
    assert found("inherits", *facts, 'removes("B").') == set()
    assert found("inherits", *facts, 'removes("A"). removes("B").') == {'inherits("C","X")'}


def test_t14_what_is_left_of_a_composite_is_inherited() -> None:
    facts = [composite("AB"), single("C"), single("D"), 'edge("cycle:A","C"). edge("C","D").']
    assert found("inherits", *facts, 'removes("B"). removes("C").') == {'inherits("D","A")'}


def test_what_is_complete_is_settled() -> None:
    assert found("settled", chain(*"AB"), 'state("A",complete). state("B",failed).') == {
        'settled("A")'
    }


# What is refused


def refused(*facts: str) -> set[str]:
    return found("violation", *facts)


def test_t14_complete_is_history() -> None:
    assert refused(chain(*"AB"), 'state("A",complete). removes("A").') == {
        'violation(removes_complete,"A")'
    }
    assert refused(chain(*"AB"), 'state("A",failed). removes("A").') == set()


def test_t14_an_id_is_new_forever() -> None:
    facts = [chain(*"AB"), 'taken("A"). taken("Z").']
    assert refused(*facts, 'adds("A"). adds("Z"). adds("N").') == {
        'violation(id_recycled,"A")',
        'violation(id_recycled,"Z")',
    }


def test_t14_nothing_new_stands_before_what_is_complete() -> None:
    state = 'state("A",complete). state("B",failed). adds("N").'
    facts = [chain(*"AB"), state]
    assert refused(*facts, 'needs("A","N"). needs("B","N"). needs("N","A").') == {
        'violation(precedes_complete("N"),"A")'
    }


def test_s_004_25_the_only_one_that_establishes_a_criterion_stays() -> None:
    facts = [chain(*"AB"), 'removes("A"). establishes("A","it works").']
    assert refused(*facts) == {'violation(dropped_obligation("it works"),"A")'}
    assert refused(*facts, 'establishes("B","it works").') == set()
    assert refused(*facts, 'adds("N"). establishes("N","it works").') == set()
    assert refused(*facts, 'establishes("B","it works"). removes("B").') == {
        'violation(dropped_obligation("it works"),"A")',
        'violation(dropped_obligation("it works"),"B")',
    }


def bare(name: str) -> str:
    return f'member("{name}","{name}"). obligation("{name}").'


def test_t14_nobody_is_left_without_cause_and_dependency() -> None:
    facts = [single("A"), bare("B"), 'edge("A","B"). removes("A").']
    assert refused(*facts) == {'violation(ungrounded_after_removal,"B")'}
    assert refused(*facts, 'caused("B").') == set()
    assert refused(*facts, 'removes("B").') == set()
    assert refused(*facts, 'status("B",alternative).') == set()


def test_t14_what_it_inherits_or_waits_for_besides_grounds_it() -> None:
    facts = [chain(*"ZA"), bare("B"), 'edge("A","B"). removes("A").']
    assert refused(*facts) == set()
    other = [single("A"), single("C"), bare("B"), 'edge("A","B"). edge("C","B"). removes("A").']
    assert refused(*other) == set()
    assert refused(*other, 'removes("C").') == {'violation(ungrounded_after_removal,"B")'}
