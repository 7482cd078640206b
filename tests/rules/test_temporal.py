"""Temporal consistency: which order would leave the repository invalid (build spec 3.2 step 2)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import networkx
import pytest
from support import atoms, only

FIRM = "firm((exact;typed;dynamic))."
SHOWN = ("precedes", "atomic", "violation", "advice", "flagged", "region")
Pair = tuple[str, str]


def temporal(*facts: str, policy: str = "atomic", components: bool = False) -> set[str]:
    files = ["temporal.lp", "components.lp"] if components else ["temporal.lp"]
    basis = [FIRM, f"breaking_policy({policy})."]
    return only(atoms(files, "\n".join([*basis, *facts])), *SHOWN)


def obligation(identifier: str, verb: str, entity: str) -> str:
    o, number = f'"{identifier}"', identifier.lstrip("O")
    return (
        f"obligation({o}). primary({o}). ordinal({o},{number}). verb({o},{verb}). "
        f'target({o},"{entity}").'
    )


def modify(identifier: str, entity: str, *kinds: str) -> str:
    o = f'"{identifier}"'
    said = " ".join(f"kind({o},{kind},change)." for kind in kinds)
    return f'{obligation(identifier, "modify", entity)} changes({o},"{entity}"). {said}'


def preserve(identifier: str, entity: str) -> str:
    return obligation(identifier, "preserve", entity)


def validate(identifier: str, entity: str) -> str:
    return obligation(identifier, "validate", entity)


def alternative(facts: str) -> str:
    """Return the facts of an obligation that is not on the branch that is followed."""
    return " ".join(
        f"{each}."
        for each in facts.rstrip(". ").split(". ")
        if not each.startswith(("primary", "changes"))
    )


def reaches(
    identifier: str,
    dependent: str,
    strength: str,
    order: str,
    change: str = "rename",
    resolution: str = "exact",
) -> str:
    """Return that a change of entity `e` reaches a dependent that calls it."""
    because = f'impact(called_by,"e",{change},{resolution})'
    return f'reaches("{identifier}","{dependent}",{strength},{order},{because}).'


def declared(identifier: str, *dependencies: str) -> str:
    return " ".join(f'declared("{identifier}","{each}").' for each in dependencies)


def role(identifier: str, name: str, because: str = "verb") -> str:
    return f'role("{identifier}",{name},{because}).'


def precedes(before: str, after: str, because: str) -> str:
    return f'precedes("{before}","{after}",{because})'


def impact(
    order: str, dependent: str = "f", change: str = "rename", cause: str = "called_by"
) -> str:
    return f'impact({order},{cause},"e","{dependent}",{change})'


def atomic(identifier: str, other: str, dependent: str = "f") -> str:
    return f'atomic("{identifier}","{other}",{impact("together", dependent)})'


def unresolved(identifier: str, dependent: str = "f") -> str:
    return f'violation(unresolved_dependent("{dependent}",called_by),"{identifier}")'


def uncertain(identifier: str, dependent: str = "f") -> str:
    return f'advice(uncertain_dependent("{dependent}",called_by),"{identifier}")'


# What the plan declares, and what an earlier solve derived


def test_declared_and_derived_dependencies_are_precedences() -> None:
    found = temporal(
        modify("O1", "a"),
        modify("O2", "b"),
        modify("O3", "c"),
        declared("O2", "O1"),
        'derived("O3","O2").',
    )
    assert found == {precedes("O1", "O2", "declared"), precedes("O2", "O3", "derived")}


@pytest.mark.parametrize("origin", ["declared", "derived"])
def test_unknown_obligations_and_oneself_are_no_precedence(origin: str) -> None:
    found = temporal(
        modify("O1", "a"), f'{origin}("O1","O1"). {origin}("O1","O9"). {origin}("O9","O1").'
    )
    assert found == set()


# Which order keeps every state valid


@pytest.mark.parametrize("strength", ["must", "should"])
def test_definition_first(strength: str) -> None:
    found = temporal(
        modify("O1", "e"), modify("O2", "f"), reaches("O1", "f", strength, "definition_first")
    )
    assert found == {precedes("O1", "O2", impact("definition_first"))}


@pytest.mark.parametrize("strength", ["must", "should"])
def test_dependents_first(strength: str) -> None:
    found = temporal(
        modify("O1", "e"), modify("O2", "f"), reaches("O1", "f", strength, "dependents_first")
    )
    assert found == {precedes("O2", "O1", impact("dependents_first"))}


def test_together_lands_both_in_one_step() -> None:
    """T5: `breaking_policy(atomic)`."""
    found = temporal(modify("O1", "e"), modify("O2", "f"), reaches("O1", "f", "must", "together"))
    assert found == {atomic("O1", "O2")}


def test_together_is_refused_and_the_pair_flagged_where_the_policy_says_so() -> None:
    """T5: `breaking_policy(reject)`."""
    found = temporal(
        modify("O1", "e"),
        modify("O2", "f"),
        reaches("O1", "f", "must", "together"),
        policy="reject",
    )
    assert found == {'violation(breaking_gap("O2"),"O1")'}


@pytest.mark.parametrize("order", ["definition_first", "dependents_first"])
def test_an_order_that_is_valid_is_no_gap(order: str) -> None:
    found = temporal(
        modify("O1", "e"),
        modify("O2", "f"),
        reaches("O1", "f", "must", order),
        policy="reject",
    )
    assert {atom.split("(")[0] for atom in found} == {"precedes"}


def test_together_without_a_break_is_definition_first() -> None:
    found = temporal(modify("O1", "e"), modify("O2", "f"), reaches("O1", "f", "should", "together"))
    assert found == {precedes("O1", "O2", impact("definition_first"))}


def test_no_order_orders_nothing() -> None:
    found = temporal(modify("O1", "e"), modify("O2", "f"), reaches("O1", "f", "must", "none"))
    assert found == set()


@pytest.mark.parametrize("resolution", ["typed", "dynamic"])
@pytest.mark.parametrize("order", ["definition_first", "dependents_first", "together"])
def test_every_firm_edge_orders(order: str, resolution: str) -> None:
    edge = reaches("O1", "f", "must", order, resolution=resolution)
    assert (
        temporal(modify("O1", "e"), modify("O2", "f"), edge)
        == {
            "definition_first": {precedes("O1", "O2", impact("definition_first"))},
            "dependents_first": {precedes("O2", "O1", impact("dependents_first"))},
            "together": {atomic("O1", "O2")},
        }[order]
    )


@pytest.mark.parametrize("resolution", ["heuristic", "ambiguous"])
@pytest.mark.parametrize("order", ["definition_first", "dependents_first", "together"])
def test_an_uncertain_edge_orders_nothing(order: str, resolution: str) -> None:
    edge = reaches("O1", "f", "must", order, resolution=resolution)
    assert temporal(modify("O1", "e"), modify("O2", "f"), edge) == set()


# Who mends a dependent


def test_every_obligation_that_modifies_the_dependent_mends_it() -> None:
    found = temporal(
        modify("O1", "e"),
        modify("O2", "f"),
        modify("O3", "f"),
        modify("O4", "g"),
        reaches("O1", "f", "must", "definition_first"),
    )
    assert found == {
        precedes("O1", "O2", impact("definition_first")),
        precedes("O1", "O3", impact("definition_first")),
    }


def test_whoever_modifies_what_the_dependent_lies_in_mends_it() -> None:
    found = temporal(
        modify("O1", "e"),
        modify("O2", "module"),
        modify("O3", "other"),
        'contains("module","f"). contains("f","other").',
        reaches("O1", "f", "must", "together"),
    )
    assert found == {atomic("O1", "O2")}


def test_a_container_does_not_count_where_the_dependent_itself_is_modified() -> None:
    found = temporal(
        modify("O1", "e"),
        modify("O2", "module"),
        modify("O3", "f"),
        'contains("module","f").',
        reaches("O1", "f", "must", "together"),
    )
    assert found == {atomic("O1", "O3")}


def test_what_mends_its_own_dependents_waits_for_nobody() -> None:
    found = temporal(
        modify("O1", "e"),
        modify("O2", "e"),
        'contains("e","f").',
        reaches("O1", "f", "must", "together"),
    )
    assert found == set()


@pytest.mark.parametrize("other", [preserve("O2", "f"), validate("O2", "f")])
def test_only_a_modification_mends(other: str) -> None:
    found = temporal(modify("O1", "e"), other, reaches("O1", "f", "must", "together"))
    assert found == {unresolved("O1")}


def test_an_alternative_does_not_mend() -> None:
    found = temporal(
        modify("O1", "e"),
        alternative(modify("O2", "f")),
        reaches("O1", "f", "must", "together"),
    )
    assert found == {unresolved("O1")}


# Unresolved dependents


@pytest.mark.parametrize("order", ["definition_first", "dependents_first", "together", "none"])
@pytest.mark.parametrize("resolution", ["exact", "typed", "dynamic"])
def test_t5_a_broken_dependent_that_nobody_mends_is_refused(order: str, resolution: str) -> None:
    edge = reaches("O1", "f", "must", order, resolution=resolution)
    assert temporal(modify("O1", "e"), edge) == {unresolved("O1")}


@pytest.mark.parametrize("resolution", ["heuristic", "ambiguous"])
def test_an_uncertain_edge_gives_advice_and_no_refusal(resolution: str) -> None:
    edge = reaches("O1", "f", "must", "together", resolution=resolution)
    assert temporal(modify("O1", "e"), edge) == {uncertain("O1")}


def test_an_uncertain_edge_to_a_dependent_that_is_mended_says_nothing() -> None:
    edge = reaches("O1", "f", "must", "together", resolution="heuristic")
    assert temporal(modify("O1", "e"), modify("O2", "f"), edge) == set()


@pytest.mark.parametrize("resolution", ["exact", "heuristic"])
def test_what_does_not_break_is_no_unresolved_dependent(resolution: str) -> None:
    edge = reaches("O1", "f", "should", "definition_first", resolution=resolution)
    assert temporal(modify("O1", "e"), edge) == set()


def test_each_broken_dependent_is_named() -> None:
    found = temporal(
        modify("O1", "e"),
        modify("O2", "f"),
        *(reaches("O1", each, "must", "together") for each in ("f", "g", "h")),
    )
    assert found == {atomic("O1", "O2"), unresolved("O1", "g"), unresolved("O1", "h")}


@pytest.mark.parametrize("change", ["added", "field_added", "config_key_added", "override_added"])
def test_what_is_added_breaks_nobody(change: str) -> None:
    edge = reaches("O1", "f", "must", "definition_first", change)
    assert temporal(modify("O1", "e", change), edge) == set()


def test_a_change_that_is_complete_is_past_refusing() -> None:
    edge = reaches("O1", "f", "must", "together")
    assert temporal(modify("O1", "e"), edge, 'state("O1",complete).') == set()
    assert temporal(modify("O1", "e"), edge, 'state("O1",failed).') == {unresolved("O1")}


# A preserve keeps the old way alive


SHIM_FIRST = 'impact(shim_first,preserve,"e","e",rename)'


def test_t5_a_preserve_of_the_changed_entity_turns_together_into_definition_first() -> None:
    found = temporal(
        modify("O1", "e", "rename"),
        modify("O2", "f"),
        preserve("O3", "e"),
        reaches("O1", "f", "must", "together"),
    )
    assert found == {
        precedes("O1", "O2", impact("definition_first")),
        precedes("O3", "O1", SHIM_FIRST),
    }


def test_t5_the_kind_of_change_may_come_from_the_edge_alone() -> None:
    found = temporal(
        modify("O1", "e", "body"),
        modify("O2", "f"),
        preserve("O3", "e"),
        reaches("O1", "f", "must", "together"),
    )
    assert found == {
        precedes("O1", "O2", impact("definition_first")),
        precedes("O3", "O1", SHIM_FIRST),
    }


def test_t5_a_preserve_keeps_a_dependent_that_nobody_mends() -> None:
    found = temporal(
        modify("O1", "e", "rename"), preserve("O3", "e"), reaches("O1", "f", "must", "together")
    )
    assert found == {precedes("O3", "O1", SHIM_FIRST)}


@pytest.mark.parametrize(
    "change", ["deleted", "import_removed", "reexport_removed", "field_deleted"]
)
@pytest.mark.parametrize("kind", ["as the kind", "from the edge alone"])
def test_nothing_is_left_of_what_is_deleted_to_preserve(change: str, kind: str) -> None:
    found = temporal(
        modify("O1", "e", *([change] if kind == "as the kind" else [])),
        modify("O2", "f"),
        preserve("O3", "e"),
        reaches("O1", "f", "must", "together", change),
        reaches("O1", "g", "must", "together", change),
    )
    assert found == {
        f'atomic("O1","O2",{impact("together", change=change)})',
        unresolved("O1", "g"),
    }


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(preserve("O3", "f"), id="of another entity"),
        pytest.param(validate("O3", "e"), id="a validation"),
        pytest.param(alternative(preserve("O3", "e")), id="an alternative"),
    ],
)
def test_what_is_no_shim(other: str) -> None:
    found = temporal(
        modify("O1", "e", "rename"),
        modify("O2", "f"),
        other,
        reaches("O1", "f", "must", "together"),
    )
    assert {atom for atom in found if not atom.startswith("advice")} == {atomic("O1", "O2")}


def test_of_two_changes_a_preserve_softens_the_one_that_leaves_something() -> None:
    found = temporal(
        modify("O1", "e", "rename", "deleted"),
        modify("O2", "f"),
        preserve("O3", "e"),
        reaches("O1", "f", "must", "together"),
        reaches("O1", "f", "must", "together", "deleted"),
    )
    assert found == {
        precedes("O1", "O2", impact("definition_first")),
        precedes("O3", "O1", SHIM_FIRST),
        f'atomic("O1","O2",{impact("together", change="deleted")})',
    }


def test_a_preserve_softens_only_the_changes_of_its_entity() -> None:
    found = temporal(
        modify("O1", "e", "rename"),
        modify("O2", "f"),
        modify("O4", "x", "rename"),
        preserve("O3", "e"),
        reaches("O1", "f", "must", "together"),
        'reaches("O4","f",must,together,impact(called_by,"x",rename,exact)).',
    )
    assert found == {
        precedes("O1", "O2", impact("definition_first")),
        precedes("O3", "O1", SHIM_FIRST),
        'atomic("O4","O2",impact(together,called_by,"x","f",rename))',
    }


def test_a_shim_stands_before_a_change_that_breaks_in_either_order() -> None:
    found = temporal(
        modify("O1", "e", "param_removed"),
        modify("O2", "f"),
        preserve("O3", "e"),
        reaches("O1", "f", "must", "dependents_first", "param_removed"),
    )
    assert found == {
        precedes("O2", "O1", impact("dependents_first", change="param_removed")),
        precedes("O3", "O1", 'impact(shim_first,preserve,"e","e",param_removed)'),
    }


@pytest.mark.parametrize("change", ["deleted", "type_widened"])
def test_a_shim_that_softens_nothing_is_not_ordered(change: str) -> None:
    strength = "must" if change == "deleted" else "should"
    found = temporal(
        modify("O1", "e", change),
        preserve("O3", "e"),
        modify("O2", "f"),
        reaches("O1", "f", strength, "definition_first", change),
    )
    assert found == {precedes("O1", "O2", impact("definition_first", change=change))}


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(declared("O3", "O1"), id="at once"),
        pytest.param(f"{declared('O3', 'O4')} {declared('O4', 'O1')}", id="through another"),
    ],
)
def test_t7_a_shim_that_the_plan_puts_after_the_change_stays_there(path: str) -> None:
    found = temporal(
        modify("O1", "e", "rename"),
        modify("O2", "f"),
        preserve("O3", "e"),
        modify("O4", "x"),
        path,
        reaches("O1", "f", "must", "together"),
    )
    assert {atom for atom in found if "declared" not in atom} == {
        precedes("O1", "O2", impact("definition_first")),
        'advice(shim_after_change("O3"),"O1")',
    }


def test_a_shim_after_a_change_that_has_an_order_is_no_advice() -> None:
    found = temporal(
        modify("O1", "e", "schema_migration"),
        modify("O2", "f"),
        preserve("O3", "e"),
        declared("O3", "O1"),
        reaches("O1", "f", "must", "definition_first", "schema_migration"),
    )
    assert found == {
        precedes("O1", "O3", "declared"),
        precedes("O1", "O2", impact("definition_first", change="schema_migration")),
    }


# Widened before


def expand_and_contract(*more: str) -> set[str]:
    return temporal(
        modify("O1", "e", "type_widened"),
        modify("O2", "f"),
        modify("O3", "e", "param_removed"),
        reaches("O3", "f", "must", "together"),
        *more,
    )


def test_an_earlier_widening_puts_the_dependents_before_the_break() -> None:
    found = expand_and_contract(role("O1", "widen_type"), role("O3", "break_type"))
    assert found == {precedes("O2", "O3", impact("dependents_first"))}


@pytest.mark.parametrize(
    "more",
    [
        pytest.param([role("O3", "break_type")], id="no widening"),
        pytest.param([role("O1", "widen_type")], id="no break"),
        pytest.param(
            [role("O1", "widen_type"), role("O1", "break_type"), role("O3", "break_type")],
            id="the widening breaks",
        ),
        pytest.param([role("O3", "widen_type"), role("O3", "break_type")], id="one step"),
        pytest.param([role("O2", "widen_type"), role("O3", "break_type")], id="elsewhere"),
    ],
)
def test_what_is_no_earlier_widening(more: Sequence[str]) -> None:
    assert expand_and_contract(*more) == {atomic("O3", "O2")}


def test_a_widening_after_the_break_is_no_earlier_one() -> None:
    found = expand_and_contract(
        role("O1", "widen_type"), role("O3", "break_type"), declared("O1", "O3")
    )
    assert found == {atomic("O3", "O2"), precedes("O3", "O1", "declared")}


def test_with_a_preserve_the_definition_still_comes_first() -> None:
    found = expand_and_contract(
        role("O1", "widen_type"), role("O3", "break_type"), preserve("O4", "e")
    )
    assert found == {
        precedes("O3", "O2", impact("definition_first")),
        precedes("O4", "O3", SHIM_FIRST),
    }


def widened(*more: str) -> set[str]:
    return temporal(
        modify("O1", "e", "type_widened"),
        modify("O2", "f", "type_widened"),
        role("O1", "widen_type", "change(type_widened)"),
        role("O2", "widen_type", "change(type_widened)"),
        *more,
        components=True,
    )


def test_what_is_widened_and_uses_something_widened_comes_second() -> None:
    found = widened('link(called_by,"e","f",exact).')
    assert found == {precedes("O1", "O2", impact("definition_first", change="type_widened"))}


@pytest.mark.parametrize(
    "link",
    [
        'link(called_by,"e","f",heuristic).',
        'link(tested_by,"e","f",exact).',
        'link(called_by,"e","e",exact).',
    ],
    ids=["uncertain", "a test", "itself"],
)
def test_widenings_that_do_not_use_each_other_are_free(link: str) -> None:
    assert widened(link) == set()


def test_a_consumer_that_widens_nothing_is_left_to_the_ladder() -> None:
    found = temporal(
        modify("O1", "e", "type_widened"),
        modify("O2", "f", "body"),
        role("O1", "widen_type", "change(type_widened)"),
        'link(called_by,"e","f",exact).',
    )
    assert found == set()


def test_only_the_kind_that_widens_is_the_reason() -> None:
    found = widened('kind("O1",body,change).', 'link(called_by,"e","f",exact).')
    assert found == {precedes("O1", "O2", impact("definition_first", change="type_widened"))}


def test_t5_d_a_ring_of_widenings_contradicts_nothing() -> None:
    found = widened('link(called_by,"e","f",exact). link(called_by,"f","e",exact).')
    assert found == {
        precedes("O1", "O2", impact("definition_first", change="type_widened")),
        precedes("O2", "O1", 'impact(definition_first,called_by,"f","e",type_widened)'),
    }


# Tests that do not exist


UNDEFINED = 'violation(undefined_test("test_a.py::t"),"O1")'
UNVERIFIED = 'advice(unverified_test("test_a.py::t"),"O1")'
NEEDS = f'{validate("O1", "e")} needs_test("O1","test_a.py::t").'
DEFINES = f'{modify("O2", "test_a.py")} defines_test("O2","test_a.py::t").'


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        pytest.param(["tests_known."], {UNDEFINED}, id="absent"),
        pytest.param(["tests_known.", 'test("test_b.py").'], {UNDEFINED}, id="another exists"),
        pytest.param(["tests_known.", 'test("test_a.py::t").'], set(), id="exists"),
        pytest.param(["tests_known.", DEFINES], set(), id="defined"),
        pytest.param(["tests_known.", alternative(DEFINES)], {UNDEFINED}, id="by an alternative"),
        pytest.param([], {UNVERIFIED}, id="unknown"),
        pytest.param([DEFINES], set(), id="unknown and defined"),
    ],
)
def test_t10_a_validation_needs_a_test(facts: Sequence[str], expected: set[str]) -> None:
    assert temporal(NEEDS, *facts) == expected


def test_t10_only_a_definer_of_that_test_defines_it() -> None:
    other = f'{modify("O2", "test_b.py")} defines_test("O2","test_b.py").'
    assert temporal(NEEDS, other, "tests_known.") == {UNDEFINED}


@pytest.mark.parametrize("known", ["tests_known.", ""], ids=["known", "unknown"])
@pytest.mark.parametrize(
    "facts",
    [modify("O1", "e"), preserve("O1", "e"), alternative(validate("O1", "e"))],
    ids=["modify", "preserve", "alternative"],
)
def test_t10_only_a_validation_on_the_branch_needs_a_test(facts: str, known: str) -> None:
    assert temporal(facts, 'needs_test("O1","test_a.py::t").', known) == set()


# A validation that runs before the change


BEFORE_CHANGE = 'advice(validates_before_change("O1"),"O2")'


def test_t10_a_validation_that_waits_for_nothing_runs_before_the_change() -> None:
    assert temporal(modify("O1", "e"), validate("O2", "e")) == {BEFORE_CHANGE}


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param([modify("O1", "f"), validate("O2", "e")], id="another entity"),
        pytest.param([preserve("O1", "e"), validate("O2", "e")], id="nothing changes"),
        pytest.param([modify("O1", "e"), alternative(validate("O2", "e"))], id="an alternative"),
        pytest.param([alternative(modify("O1", "e")), validate("O2", "e")], id="of an alternative"),
        pytest.param([modify("O1", "e"), modify("O2", "e")], id="no validation"),
    ],
)
def test_t10_validations_without_that_advice(facts: Sequence[str]) -> None:
    assert temporal(*facts) == set()


def test_t10_a_validation_that_waits_may_run_after_the_change() -> None:
    found = temporal(modify("O1", "e"), validate("O2", "e"), declared("O2", "O1"))
    assert found == {precedes("O1", "O2", "declared")}


# Contradictions


class Edges(NamedTuple):
    """Precedences as (before, after) pairs by who says so."""

    declared: Sequence[Pair] = ()
    evidence: Sequence[Pair] = ()
    ladder: Sequence[Pair] = ()

    def graph(self, *kinds: str) -> networkx.DiGraph:
        return networkx.DiGraph([pair for kind in kinds for pair in getattr(self, kind)])

    def facts(self) -> list[str]:
        names = {name for pairs in self for pair in pairs for name in pair}
        evidence = impact("definition_first", change="body")
        ladder = "ladder(1,widen_then_rebind,words)"
        return [
            *(f'obligation("{each}"). ordinal("{each}",{each[1:]}).' for each in names),
            *(declared(after, before) for before, after in self.declared),
            *(f"{precedes(*pair, evidence)}." for pair in self.evidence),
            *(f"{precedes(*pair, ladder)}." for pair in self.ladder),
        ]

    def components(self) -> list[str]:
        """Return what components.lp derives of the graphs of temporal.lp."""
        graphs = {
            "declared": self.graph("declared"),
            "evidence": self.graph("evidence"),
            "strong": self.graph("evidence", "ladder"),
            "any": self.graph("declared", "evidence", "ladder"),
        }
        return [
            f'component({name},"{each}","{min(members, key=number)}").'
            for name, graph in graphs.items()
            for members in networkx.strongly_connected_components(graph)
            if len(members) > 1
            for each in members
        ]


def number(identifier: str) -> int:
    return int(identifier[1:])


def path(*numbers: int) -> list[Pair]:
    names = [f"O{each}" for each in numbers]
    return list(pairwise(names))


def refusal(
    subject: int,
    *,
    declared: Iterable[Pair] = (),
    ladder: Iterable[Pair] = (),
    conflict: Iterable[Pair] = (),
    region: Iterable[int] = (),
    strong: int | None = None,
) -> set[str]:
    """Return the atoms of one contradiction.

    Args:
        subject: its lowest obligation.
        declared: flagged edges that the plan declares.
        ladder: flagged edges of the ladder, against evidence.
        conflict: flagged edges of the ladder, against each other.
        region: every obligation of it.
        strong: its lowest obligation without what the plan declares, if another.
    """
    low = strong or subject

    def atoms_of(graph: str, code: str, pairs: Iterable[Pair], lowest: int) -> set[str]:
        return {
            atom
            for x, y in pairs
            for atom in (
                f'flagged({graph},"O{lowest}","{x}","{y}")',
                f'violation({code}("{x}","{y}"),"O{lowest}")',
            )
        }

    return {
        *atoms_of("any", "temporal_inconsistent", declared, subject),
        *atoms_of("strong", "temporal_inconsistent", ladder, low),
        *atoms_of("strong", "ladder_conflict", conflict, low),
        *(f'region("O{each}")' for each in region),
    }


CONTRADICTIONS = [
    # T5(a): the plan declares that each needs the other.
    pytest.param(Edges(declared=path(1, 2, 1)), set(), id="a pair"),
    pytest.param(Edges(declared=path(1, 2, 3, 1)), set(), id="a ring"),
    pytest.param(
        Edges(declared=path(1, 2, 1), ladder=path(1, 2)), set(), id="a with the ladder inside"
    ),
    pytest.param(
        Edges(declared=path(1, 2, 1), evidence=path(1, 2)), set(), id="a with evidence inside"
    ),
    pytest.param(
        Edges(declared=path(1, 2, 1), ladder=path(1, 2, 1)), set(), id="a around a ladder conflict"
    ),
    # T5(b): a declared path against the ladder or evidence, or the ladder against evidence.
    pytest.param(
        Edges(declared=path(2, 1), ladder=path(1, 2)),
        refusal(1, declared=path(2, 1), region=(1, 2)),
        id="b declared against ladder",
    ),
    pytest.param(
        Edges(declared=path(3, 2, 1), ladder=path(1, 3)),
        refusal(1, declared=path(3, 2, 1), region=(1, 2, 3)),
        id="b a declared path flags every edge",
    ),
    pytest.param(
        Edges(declared=path(2, 1), evidence=path(1, 2)),
        refusal(1, declared=path(2, 1), region=(1, 2)),
        id="b declared against evidence",
    ),
    pytest.param(
        Edges(evidence=path(1, 2), ladder=path(2, 1)),
        refusal(1, ladder=path(2, 1), region=(1, 2)),
        id="b ladder against evidence",
    ),
    pytest.param(
        Edges(evidence=path(1, 2), ladder=path(2, 3), declared=path(3, 1)),
        refusal(1, declared=path(3, 1), region=(1, 2, 3)),
        id="b declared against evidence and ladder",
    ),
    pytest.param(
        Edges(declared=path(10, 9), ladder=path(9, 10)),
        refusal(9, declared=path(10, 9), region=(9, 10)),
        id="b the subject is lowest by ordinal",
    ),
    pytest.param(
        Edges(declared=[*path(3, 2, 1), *path(3, 4, 1)], ladder=path(1, 3)),
        refusal(1, declared=[*path(3, 2, 1), *path(3, 4, 1)], region=(1, 2, 3, 4)),
        id="b two declared paths",
    ),
    pytest.param(
        Edges(declared=[*path(2, 1), *path(2, 3, 4), *path(5, 1)], ladder=path(1, 2)),
        refusal(1, declared=path(2, 1), region=(1, 2)),
        id="b declared edges beside the path are not flagged",
    ),
    pytest.param(
        Edges(declared=[*path(2, 1), *path(4, 3)], ladder=path(1, 2), evidence=path(3, 4)),
        refusal(1, declared=path(2, 1), region=(1, 2))
        | refusal(3, declared=path(4, 3), region=(3, 4)),
        id="b two contradictions",
    ),
    pytest.param(
        Edges(declared=[*path(2, 1), *path(4, 3), *path(4, 1)], ladder=[*path(1, 2), *path(3, 4)]),
        refusal(1, declared=path(2, 1), region=(1, 2))
        | refusal(3, declared=path(4, 3), region=(3, 4)),
        id="b an edge from one contradiction to another is not flagged",
    ),
    pytest.param(
        Edges(declared=[*path(1, 2, 1), *path(3, 1)], ladder=path(2, 3)),
        refusal(1, declared=path(3, 1), region=(1, 2, 3)),
        id="b through a declared pair spares the pair",
    ),
    pytest.param(
        Edges(declared=path(3, 1), ladder=path(2, 3), evidence=path(1, 2, 1)),
        refusal(1, declared=path(3, 1), region=(1, 2, 3)),
        id="b through a pair of evidence",
    ),
    pytest.param(
        Edges(declared=path(1, 2, 1), evidence=path(2, 3, 1)),
        refusal(1, declared=path(1, 2, 1), region=(1, 2, 3)),
        id="b where only a declared pair could give way",
    ),
    pytest.param(
        Edges(declared=path(1, 2, 4, 1), ladder=path(1, 4), evidence=path(4, 3, 1)),
        refusal(1, declared=path(1, 2, 4, 1), region=(1, 2, 3, 4)),
        id="b where only a declared ring could give way, the ladder inside",
    ),
    pytest.param(
        Edges(evidence=[*path(1, 2, 1), *path(2, 3)], ladder=path(3, 1)),
        refusal(1, ladder=path(3, 1), region=(1, 2, 3)),
        id="b ladder against a pair of evidence",
    ),
    pytest.param(
        Edges(evidence=[*path(2, 3, 2), *path(3, 1)], ladder=[*path(2, 3), *path(1, 2)]),
        refusal(1, ladder=path(1, 2), region=(1, 2, 3)),
        id="b ladder inside a pair of evidence is not flagged",
    ),
    pytest.param(
        Edges(declared=path(4, 1, 2), evidence=path(2, 3), ladder=path(3, 2, 4)),
        refusal(1, declared=path(4, 1, 2), ladder=path(3, 2), region=(1, 2, 3, 4), strong=2),
        id="b with a ladder against evidence inside",
    ),
    # T5(c): the ladder against itself.
    pytest.param(
        Edges(ladder=path(1, 2, 1)),
        refusal(1, conflict=path(1, 2, 1), region=(1, 2)),
        id="c a pair",
    ),
    pytest.param(
        Edges(ladder=path(1, 2, 3, 1)),
        refusal(1, conflict=path(1, 2, 3, 1), region=(1, 2, 3)),
        id="c a ring",
    ),
    pytest.param(
        Edges(ladder=path(1, 2, 1), declared=path(1, 2)),
        refusal(1, conflict=path(1, 2, 1), region=(1, 2)),
        id="c and a declared edge that the ladder demands too",
    ),
    pytest.param(
        Edges(ladder=[*path(1, 2, 1), *path(4, 3)], evidence=path(3, 4)),
        refusal(1, conflict=path(1, 2, 1), region=(1, 2))
        | refusal(3, ladder=path(4, 3), region=(3, 4)),
        id="c beside a ladder against evidence",
    ),
    pytest.param(
        Edges(ladder=path(1, 2, 1), evidence=[*path(2, 3), *path(4, 1)]),
        refusal(1, conflict=path(1, 2, 1), region=(1, 2)),
        id="c with evidence beside it",
    ),
    # T5(d): evidence demands a ring.
    pytest.param(Edges(evidence=path(1, 2, 1)), set(), id="d a pair"),
    pytest.param(Edges(evidence=path(1, 2, 3, 1)), set(), id="d a ring"),
    pytest.param(
        Edges(evidence=path(1, 2, 1), declared=path(2, 1)), set(), id="d with declared inside"
    ),
    pytest.param(
        Edges(evidence=path(1, 2, 1), ladder=path(2, 1)), set(), id="d with the ladder inside"
    ),
    # (a) and (d) that share a member land together.
    pytest.param(Edges(declared=path(1, 2, 1), evidence=path(2, 3, 2)), set(), id="a meets d"),
    pytest.param(
        Edges(declared=[*path(1, 2, 1), *path(3, 4, 3)], evidence=path(2, 3, 2), ladder=path(4, 1)),
        set(),
        id="a meets d meets a",
    ),
    pytest.param(
        Edges(declared=[*path(1, 2, 1), *path(3, 4, 3), *path(1, 3)], evidence=path(4, 2)),
        refusal(1, declared=path(1, 3), region=(1, 2, 3, 4)),
        id="a beside a, not joined",
    ),
    # No contradiction at all.
    pytest.param(
        Edges(declared=path(1, 2, 3), evidence=path(1, 3), ladder=path(2, 3, 4)), set(), id="agree"
    ),
]


def contradiction(found: set[str]) -> set[str]:
    return only(found, "violation", "flagged", "region", "advice", "atomic")


@pytest.mark.parametrize(("edges", "expected"), CONTRADICTIONS)
def test_t5_contradictions(edges: Edges, expected: set[str]) -> None:
    assert contradiction(temporal(*edges.facts(), *edges.components())) == expected


@pytest.mark.parametrize(("edges", "expected"), CONTRADICTIONS)
def test_t5_contradictions_with_components_derived(edges: Edges, expected: set[str]) -> None:
    assert contradiction(temporal(*edges.facts(), components=True)) == expected


def test_s_000_036_a_widening_that_depends_on_its_rebinding_is_flagged() -> None:
    """The edge is named as (dependency, dependent)."""
    found = temporal(
        modify("O1", "e"),
        modify("O2", "f"),
        declared("O1", "O2"),
        f"{precedes('O1', 'O2', 'ladder(1,widen_then_rebind,words)')}.",
        components=True,
    )
    assert only(found, "violation") == {'violation(temporal_inconsistent("O2","O1"),"O1")'}


def test_t5_b_declared_against_what_an_earlier_solve_derived() -> None:
    found = temporal(
        modify("O1", "a"),
        modify("O2", "b"),
        'derived("O2","O1").',
        declared("O1", "O2"),
        components=True,
    )
    assert contradiction(found) == refusal(1, declared=path(2, 1), region=(1, 2))


def test_t5_d_what_an_earlier_solve_derived_may_land_together() -> None:
    found = temporal(
        modify("O1", "a"),
        modify("O2", "b"),
        'derived("O2","O1"). derived("O1","O2").',
        components=True,
    )
    assert contradiction(found) == set()


@pytest.mark.parametrize("order", [path(1, 2), path(2, 1)], ids=["as it acts", "against it"])
@pytest.mark.parametrize("kind", ["declared", "ladder"])
def test_t5_d_an_order_between_two_that_land_together_is_no_contradiction(
    order: Sequence[Pair], kind: str
) -> None:
    found = temporal(
        modify("O1", "e"),
        modify("O2", "f"),
        reaches("O1", "f", "must", "together"),
        *(Edges(declared=order) if kind == "declared" else Edges(ladder=order)).facts(),
        components=True,
    )
    assert contradiction(found) == {atomic("O1", "O2")}


def test_t5_d_orders_of_evidence_that_cannot_be_separated() -> None:
    found = temporal(
        modify("O1", "e"),
        modify("O2", "f"),
        reaches("O1", "f", "must", "definition_first"),
        reaches("O1", "f", "must", "dependents_first", "deleted"),
        components=True,
    )
    assert contradiction(found) == set()
    assert len(only(found, "precedes")) == 2


@pytest.mark.parametrize("order", ["definition_first", "dependents_first"])
def test_t5_b_the_plan_against_the_order_that_evidence_demands(order: str) -> None:
    wrong = path(2, 1) if order == "definition_first" else path(1, 2)
    found = temporal(
        modify("O1", "e"),
        modify("O2", "f"),
        reaches("O1", "f", "must", order),
        *Edges(declared=wrong).facts(),
        components=True,
    )
    assert contradiction(found) == refusal(1, declared=wrong, region=(1, 2))


def test_t5_b_through_a_pair_that_lands_together() -> None:
    found = temporal(
        modify("O1", "e"),
        modify("O2", "f"),
        modify("O3", "g"),
        reaches("O1", "f", "must", "together"),
        *Edges(declared=path(3, 1), ladder=path(2, 3)).facts(),
        components=True,
    )
    assert contradiction(found) == {
        atomic("O1", "O2"),
        *refusal(1, declared=path(3, 1), region=(1, 2, 3)),
    }


def random_edges(seed: int) -> Edges:
    chance = random.Random(seed)
    names = [f"O{each}" for each in range(1, chance.randint(3, 7))]

    def some() -> list[Pair]:
        pairs = [(x, y) for x in names for y in names if x != y]
        return chance.sample(pairs, chance.randint(0, min(5, len(pairs))))

    return Edges(some(), some(), some())


def quotient(edges: Edges, *kinds: str) -> networkx.MultiDiGraph:
    """Return the edges of some kinds between bundles; what need not be separated is a bundle."""
    bonds = networkx.Graph()
    for kind in ("declared", "evidence"):
        graph = edges.graph(kind)
        for members in networkx.strongly_connected_components(graph):
            bonds.add_edges_from((each, next(iter(members))) for each in members)
    bundle = {
        each: min(members, key=number)
        for members in networkx.connected_components(bonds)
        for each in members
    }
    between = networkx.MultiDiGraph()
    for kind in kinds:
        for x, y in getattr(edges, kind):
            a, b = bundle.get(x, x), bundle.get(y, y)
            if a != b:
                between.add_edge(a, b, (kind, x, y))
    return between


def on_cycles(graph: networkx.MultiDiGraph, kind: str) -> set[Pair]:
    """Return the edges of a kind that lie on a cycle."""
    inside = {
        each: index
        for index, members in enumerate(networkx.strongly_connected_components(graph))
        for each in members
    }
    return {
        (x, y)
        for a, b, (what, x, y) in graph.edges(keys=True)
        if inside[a] == inside[b] and what == kind
    }


@pytest.mark.parametrize("seed", range(60))
def test_t5_refused_if_and_only_if_the_bundles_cannot_be_ordered(seed: int) -> None:
    edges = random_edges(seed)
    found = temporal(*edges.facts(), components=True)
    whole = quotient(edges, "declared", "evidence", "ladder")
    strong = quotient(edges, "evidence", "ladder")
    refused = only(found, "violation") != set()
    assert refused == (not networkx.is_directed_acyclic_graph(whole))
    flagged = {tuple(atom[8:-1].replace('"', "").split(",")) for atom in only(found, "flagged")}
    given = {(x, y) for graph, _, x, y in flagged if graph == "any"}
    demanded_anyway = {*edges.evidence, *edges.ladder}
    assert on_cycles(whole, "declared") - demanded_anyway <= given <= set(edges.declared)
    assert {(x, y) for graph, _, x, y in flagged if graph == "strong"} == on_cycles(
        strong, "ladder"
    ) - set(edges.evidence)


def test_t5_what_evidence_demands_too_is_not_to_blame() -> None:
    """The ring 1, 2 is declared, 2 before 3 is declared and demanded: the ring must give way."""
    edges = Edges(declared=[*path(1, 2, 1), *path(2, 3)], evidence=path(2, 3, 1))
    found = temporal(*edges.facts(), components=True)
    assert only(found, "flagged") == {
        f'flagged(any,"O1","O{a}","O{b}")' for a, b in ((1, 2), (2, 1))
    }
