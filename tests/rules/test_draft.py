"""Draft: which obligations a request demands, as far as rules alone can tell (S-001-15)."""

from __future__ import annotations

import pytest
from support import atoms, only

REQUEST = "criterion(1). "
RENAMES = 'says(criterion(1),"rename"). lexicon("rename",change(rename)).'
BREAKS = 'change("a",rename). reaches("a","b",must,together,impact(called_by,"a",rename,exact)).'


def draft(*facts: str, most: int = 16) -> set[str]:
    found = atoms("draft.lp", "\n".join(facts), {"max_dependencies": most})
    return only(found, "drafted", "demanded_by", "proved_by", "waits_for", "target", "kind")


def drafted(*facts: str) -> set[str]:
    return only(draft(*facts), "drafted")


def part(number: int, entity: str, verb: str = "modify") -> str:
    return f'drafted(part({number},"{entity}"),{verb},"{entity}")'


class TestCriteria:
    def test_a_criterion_edits_each_entity_that_it_names(self) -> None:
        found = drafted(REQUEST, 'names(criterion(1),"a"). names(criterion(1),"b").')
        assert found == {part(1, "a"), part(1, "b")}

    def test_one_that_names_none_is_about_what_the_goal_names(self) -> None:
        assert drafted(REQUEST, 'names(goal,"a"). change("b",rename).') == {
            part(1, "a"),
            'drafted(change("b"),modify,"b")',
        }

    def test_else_about_what_the_evidence_says_changes(self) -> None:
        assert drafted(REQUEST, 'change("b",rename).') == {part(1, "b")}

    def test_else_about_the_request_as_a_whole(self) -> None:
        assert drafted(REQUEST) == {'drafted(criterion(1),modify,"")'}

    def test_one_that_names_a_test_is_a_check_of_it(self) -> None:
        assert drafted(REQUEST, 'names_test(criterion(1),"t").') == {
            'drafted(check(1,"t"),validate,"t")'
        }

    def test_one_that_is_a_command_is_a_check(self) -> None:
        assert drafted(REQUEST, "runs(criterion(1)).") == {'drafted(criterion(1),validate,"")'}

    def test_a_command_that_names_a_test_is_one_check(self) -> None:
        found = drafted(REQUEST, 'runs(criterion(1)). names_test(criterion(1),"t").')
        assert found == {'drafted(check(1,"t"),validate,"t")'}

    def test_what_keeps_the_old_way_is_a_preserve(self) -> None:
        says = 'says(criterion(1),"old default"). lexicon("old default",role(old_default)).'
        assert drafted(REQUEST, says, 'names(criterion(1),"a").') == {part(1, "a", "preserve")}
        assert drafted(REQUEST, says) == {'drafted(criterion(1),preserve,"")'}

    def test_a_check_of_the_old_way_is_a_check(self) -> None:
        says = 'says(criterion(1),"old default"). lexicon("old default",role(old_default)).'
        found = drafted(REQUEST, says, 'names_test(criterion(1),"t").')
        assert found == {'drafted(check(1,"t"),validate,"t")'}

    def test_what_contains_another_only_says_where_it_is(self) -> None:
        named = 'names(criterion(1),"m"). names(criterion(1),"m.f"). contains("m","m.f").'
        assert drafted(REQUEST, named) == {part(1, "m.f")}

    def test_what_nobody_knows_beside_what_is_known_is_what_it_will_be(self) -> None:
        named = 'names(criterion(1),"old"). names(criterion(1),"new").'
        assert drafted(REQUEST, named, 'known("old").') == {part(1, "old")}
        assert drafted(REQUEST, named) == {part(1, "old"), part(1, "new")}

    def test_the_same_holds_of_the_goal(self) -> None:
        named = 'names(goal,"old"). names(goal,"new"). known("old").'
        assert drafted(REQUEST, named) == {part(1, "old")}

    def test_places_and_what_will_be_do_not_change(self) -> None:
        named = (
            'names(criterion(1),"m"). names(criterion(1),"m.f"). contains("m","m.f"). '
            'names(criterion(1),"m.g"). known("m"). known("m.f").'
        )
        for words in ("", RENAMES):
            kinds = only(draft(REQUEST, named, words), "target")
            assert kinds == {'target("m.f","m.f")'}


class TestTests:
    def test_a_test_that_is_missing_is_defined_first(self) -> None:
        facts = 'names_test(criterion(1),"t"). tests_known.'
        assert drafted(REQUEST, facts) == {
            'drafted(check(1,"t"),validate,"t")',
            'drafted(define("t"),modify,"t")',
        }

    @pytest.mark.parametrize("more", ['test("t"). tests_known.', ""])
    def test_one_that_is_there_or_may_be_is_not(self, more: str) -> None:
        facts = 'names_test(criterion(1),"t").'
        assert drafted(REQUEST, facts, more) == {'drafted(check(1,"t"),validate,"t")'}

    def test_a_test_that_covers_an_entity_proves_its_edit(self) -> None:
        facts = 'names(criterion(1),"a"). link(tested_by,"a","t",exact). firm(exact).'
        assert 'proved_by(part(1,"a"),"t")' in draft(REQUEST, facts)

    def test_one_that_may_cover_it_does_not(self) -> None:
        facts = 'names(criterion(1),"a"). link(tested_by,"a","t",heuristic). firm(exact).'
        assert only(draft(REQUEST, facts), "proved_by") == set()

    def test_a_test_proves_the_edit_of_itself(self) -> None:
        facts = 'names(criterion(1),"t"). link(tested_by,"a","t",exact). firm(exact).'
        assert only(draft(REQUEST, facts), "proved_by") == {'proved_by(part(1,"t"),"t")'}

    def test_a_test_that_the_request_names_proves_its_check(self) -> None:
        facts = 'names_test(criterion(1),"t").'
        assert only(draft(REQUEST, facts), "proved_by") == {'proved_by(check(1,"t"),"t")'}


class TestChanges:
    def test_a_change_that_no_criterion_names_is_an_obligation(self) -> None:
        found = draft(REQUEST, 'names(criterion(1),"a"). change("b",rename).')
        assert 'drafted(change("b"),modify,"b")' in found
        assert 'demanded_by(change("b"),change(rename))' in found

    def test_an_edge_says_how_its_source_changes(self) -> None:
        edge = 'impact_says(called_by,"a","b",rename,must,together,exact).'
        found = draft(REQUEST, edge)
        assert 'kind("a",rename,draft)' in found and 'target("a","a")' in found

    def test_one_that_says_nothing_does_not(self) -> None:
        edge = 'impact_says(called_by,"a","b",unsaid,must,together,exact).'
        assert only(draft(REQUEST, edge), "kind") == set()

    def test_a_change_that_is_stated_outranks_that_of_an_edge(self) -> None:
        edge = 'impact_says(called_by,"a","b",rename,must,together,exact). change("a",deleted).'
        assert only(draft(REQUEST, edge), "kind") == {'kind("a",deleted,draft)'}

    def test_the_words_of_a_criterion_say_how_what_it_names_changes(self) -> None:
        says = f'names(criterion(1),"a"). {RENAMES}'
        found = draft(REQUEST, says)
        assert only(found, "kind") == {'kind("a",rename,draft)'}
        assert 'demanded_by(part(1,"a"),change(rename))' in found

    def test_stated_changes_outrank_words(self) -> None:
        says = f'names(criterion(1),"a"). {RENAMES}'
        found = draft(REQUEST, says, 'change("a",deleted).')
        assert only(found, "kind") == {'kind("a",deleted,draft)'}

    def test_else_it_is_the_body(self) -> None:
        found = draft(REQUEST, 'names(criterion(1),"a").')
        assert only(found, "kind") == {'kind("a",body,draft)'}
        assert only(found, "demanded_by") == {'demanded_by(part(1,"a"),criterion(1))'}

    def test_what_is_only_checked_or_kept_does_not_change(self) -> None:
        facts = 'names(criterion(1),"a"). names_test(criterion(1),"t").'
        assert only(draft(REQUEST, facts), "kind", "target") == set()


class TestMending:
    BREAKS = (
        'change("a",rename). reaches("a","b",must,together,impact(called_by,"a",rename,exact)).'
    )

    def test_what_breaks_is_mended(self) -> None:
        found = draft(REQUEST, BREAKS, "firm(exact).")
        assert 'drafted(mend("b"),modify,"b")' in found
        assert 'demanded_by(mend("b"),impact(called_by,"a"))' in found

    def test_what_a_criterion_edits_is_mended_there(self) -> None:
        found = draft(REQUEST, BREAKS, 'firm(exact). names(criterion(1),"b").')
        assert 'drafted(mend("b"),modify,"b")' not in found
        assert 'demanded_by(part(1,"b"),impact(called_by,"a"))' in found

    def test_what_changes_itself_is_an_obligation_already(self) -> None:
        found = drafted(REQUEST, BREAKS, 'firm(exact). change("b",rename).')
        assert 'drafted(mend("b"),modify,"b")' not in found

    @pytest.mark.parametrize("facts", ["", "firm(typed)."])
    def test_what_is_not_certain_demands_nothing(self, facts: str) -> None:
        assert drafted(REQUEST, BREAKS, facts) == {part(1, "a")}

    def test_what_should_change_demands_nothing(self) -> None:
        edge = 'reaches("a","b",should,together,impact(called_by,"a",rename,exact)). firm(exact).'
        assert drafted(REQUEST, 'change("a",rename).', edge) == {part(1, "a")}


class TestWaiting:
    def test_a_check_waits_for_every_edit(self) -> None:
        facts = (
            'criterion(2). names(criterion(1),"a"). names_test(criterion(2),"t"). tests_known. '
            'change("c",rename). firm(exact). '
            'reaches("c","d",must,together,impact(called_by,"c",rename,exact)).'
        )
        assert only(draft(REQUEST, facts), "waits_for") == {
            f'waits_for(check(2,"t"),{each})'
            for each in ('part(1,"a")', 'define("t")', 'change("c")', 'mend("d")')
        }

    def test_where_there_are_too_many_it_waits_for_the_causes(self) -> None:
        facts = (
            'criterion(2). names(criterion(1),"a"). names_test(criterion(2),"t"). firm(exact). '
            'change("a",rename). '
            'reaches("a","d",must,together,impact(called_by,"a",rename,exact)).'
        )
        few = draft(REQUEST, facts, most=1)
        assert only(few, "waits_for") == {'waits_for(check(2,"t"),part(1,"a"))'}
        all_of_them = draft(REQUEST, facts, most=2)
        assert only(all_of_them, "waits_for") == {
            'waits_for(check(2,"t"),part(1,"a"))',
            'waits_for(check(2,"t"),mend("d"))',
        }

    def test_an_edit_waits_for_no_check(self) -> None:
        facts = 'criterion(2). names(criterion(1),"a"). runs(criterion(2)).'
        assert only(draft(REQUEST, facts), "waits_for") == {
            'waits_for(criterion(2),part(1,"a"))',
        }


def test_what_demands_an_obligation_is_said() -> None:
    facts = 'names_test(criterion(1),"t"). tests_known. criterion(2). runs(criterion(2)).'
    assert only(draft(REQUEST, facts), "demanded_by") == {
        'demanded_by(check(1,"t"),criterion(1))',
        'demanded_by(define("t"),criterion(1))',
        "demanded_by(criterion(2),criterion(2))",
    }


def test_a_command_is_about_what_it_names() -> None:
    found = drafted(REQUEST, 'runs(criterion(1)). names(criterion(1),"a").')
    assert found == {'drafted(criterion(1),validate,"")'}
