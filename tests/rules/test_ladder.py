"""The ordering ladder: which rung orders which pair (build spec 3.2 step 1)."""

from __future__ import annotations

import pytest
from support import atoms, only

FIRM = "firm((exact;typed;dynamic))."
WORDS = 'phrase("said")'


def ladder(*facts: str) -> set[str]:
    found = atoms("ladder.lp", "\n".join([FIRM, *facts]))
    return only(found, "precedes", "violation", "advice")


def edge(before: str, after: str, rung: int, name: str, because: str = "words") -> str:
    return f'precedes("{before}","{after}",ladder({rung},{name},{because}))'


def impact(source: str, target: str, cause: str = "called_by") -> str:
    return f'impact({cause},"{source}","{target}")'


def link(source: str, target: str, resolution: str = "exact", cause: str = "called_by") -> str:
    return f'link({cause},"{source}","{target}",{resolution}).'


def contains(outer: str, inner: str) -> str:
    return f'contains("{outer}","{inner}").'


def declared(obligation: str, *dependencies: str) -> str:
    return " ".join(f'declared("{obligation}","{each}").' for each in dependencies)


def roles(obligation: str, *names: str, because: str = WORDS) -> str:
    return " ".join(f'role("{obligation}",{name},{because}).' for name in names)


def modify(obligation: str, entity: str, *names: str, because: str = WORDS) -> str:
    o, e = f'"{obligation}"', f'"{entity}"'
    basis = f"primary({o}). verb({o},modify). target({o},{e}). changes({o},{e})."
    return f"{basis} {roles(obligation, *names, because=because)}"


def preserve(obligation: str, entity: str) -> str:
    o = f'"{obligation}"'
    basis = f'primary({o}). verb({o},preserve). target({o},"{entity}").'
    return f"{basis} {roles(obligation, 'preserve_default', because='verb')}"


def validate(obligation: str, entity: str, *names: str, because: str = WORDS) -> str:
    o = f'"{obligation}"'
    basis = f'primary({o}). verb({o},validate). target({o},"{entity}").'
    return f"{basis} {roles(obligation, *names, because=because)}"


def alternative(facts: str) -> str:
    """Return the facts of an obligation that is not on the branch that is followed."""
    return " ".join(
        f"{each}."
        for each in facts.removesuffix(".").split(". ")
        if not each.startswith(("primary", "changes"))
    )


def test_s_000_035_the_rungs_and_their_numbers() -> None:
    assert only(atoms("ladder.lp", ""), "rung") == {
        "rung(1,widen_type,rebind_consumer,widen_then_rebind)",
        "rung(1,rebind_consumer,compile,rebind_then_compile)",
        "rung(1,widen_type,compile,widen_then_compile)",
        "rung(2,preserve_default,rely_on_default,preserve_then_rely)",
        "rung(2,preserve_default,old_default,preserve_then_retest)",
        "rung(2,old_default,rely_on_default,retest_then_rely)",
        "rung(3,migrate,use_shape,migrate_then_use)",
        "rung(3,share_type,use_type,share_then_use)",
        "rung(4,define_test,run_test,define_then_run)",
    }


def test_obligations_without_a_role_are_not_ordered() -> None:
    assert ladder(modify("A", "e"), modify("B", "f"), link("e", "f")) == set()


# Rung 1


def test_s_000_031_words_order_widening_rebinding_compilation() -> None:
    found = ladder(
        validate("O1", "build", "compile"),
        modify("O2", "f", "rebind_consumer"),
        modify("O3", "e", "widen_type"),
    )
    assert found == {
        edge("O3", "O2", 1, "widen_then_rebind"),
        edge("O2", "O1", 1, "rebind_then_compile", "whole_build"),
        edge("O3", "O1", 1, "widen_then_compile", "whole_build"),
    }


def test_s_000_031_evidence_orders_a_widening_before_the_consumers_that_it_names() -> None:
    found = ladder(
        modify("W", "e", "widen_type", because="change(type_widened)"),
        modify("R", "f", "rebind_consumer", because='impact(called_by,"e",type_widened,exact)'),
        modify("X", "g", "rebind_consumer"),
        link("e", "f"),
    )
    assert found == {edge("W", "R", 1, "widen_then_rebind", impact("e", "f"))}


def test_s_000_037_every_link_between_the_two_is_a_reason() -> None:
    found = ladder(
        modify("W", "e", "widen_type"),
        modify("R", "f", "rebind_consumer"),
        link("e", "f"),
        link("e", "f", "typed", "imported_by"),
    )
    assert found == {
        edge("W", "R", 1, "widen_then_rebind", impact("e", "f")),
        edge("W", "R", 1, "widen_then_rebind", impact("e", "f", "imported_by")),
    }


@pytest.mark.parametrize("resolution", ["exact", "typed", "dynamic"])
def test_a_firm_link_is_the_reason(resolution: str) -> None:
    found = ladder(
        modify("W", "e", "widen_type"),
        modify("R", "f", "rebind_consumer"),
        link("e", "f", resolution),
    )
    assert found == {edge("W", "R", 1, "widen_then_rebind", impact("e", "f"))}


@pytest.mark.parametrize("resolution", ["heuristic", "ambiguous"])
def test_an_uncertain_link_leaves_it_to_words(resolution: str) -> None:
    found = ladder(
        modify("W", "e", "widen_type"),
        modify("R", "f", "rebind_consumer"),
        modify("X", "g", "rebind_consumer"),
        link("e", "f", resolution),
    )
    assert found == {
        edge("W", "R", 1, "widen_then_rebind"),
        edge("W", "X", 1, "widen_then_rebind"),
    }


def test_t7_a_link_read_the_wrong_way_round_orders_nothing() -> None:
    found = ladder(
        modify("W", "e", "widen_type"),
        modify("R", "f", "rebind_consumer"),
        link("f", "e"),
        link("e", "elsewhere"),
    )
    assert found == set()


@pytest.mark.parametrize(
    ("nesting", "source", "target"),
    [
        pytest.param(contains("e", "e.inner"), "e.inner", "f", id="within what is widened"),
        pytest.param(contains("module", "e"), "module", "f", id="around what is widened"),
        pytest.param(contains("f", "f.inner"), "e", "f.inner", id="within the consumer"),
        pytest.param(contains("module", "f"), "e", "module", id="around the consumer"),
    ],
)
def test_a_link_of_what_contains_or_is_contained_counts(
    nesting: str, source: str, target: str
) -> None:
    found = ladder(
        modify("W", "e", "widen_type"),
        modify("R", "f", "rebind_consumer"),
        nesting,
        link(source, target),
    )
    assert found == {edge("W", "R", 1, "widen_then_rebind", impact(source, target))}


@pytest.mark.parametrize(
    "nesting", [contains("e", "e.inner"), contains("e.inner", "e")], ids=["inner", "outer"]
)
def test_dependents_of_what_is_nested_are_known_dependents(nesting: str) -> None:
    found = ladder(
        modify("W", "e", "widen_type"),
        modify("R", "f", "rebind_consumer"),
        nesting,
        link("e.inner", "elsewhere"),
    )
    assert found == set()


def test_a_link_of_something_unrelated_does_not_count() -> None:
    found = ladder(
        modify("W", "e", "widen_type"),
        modify("R", "f", "rebind_consumer"),
        contains("g", "g.inner"),
        link("e", "g"),
        link("e", "g.inner"),
    )
    assert found == set()


@pytest.mark.parametrize(
    ("nesting", "target"),
    [
        pytest.param("", "f", id="itself"),
        pytest.param(contains("f", "f.inner"), "f.inner", id="within"),
        pytest.param(contains("module", "f"), "module", id="around"),
    ],
)
def test_an_alternative_is_not_linked(nesting: str, target: str) -> None:
    found = ladder(
        modify("W", "e", "widen_type"),
        alternative(modify("R", "f", "rebind_consumer")),
        nesting,
        link("e", target),
    )
    assert found == set()


def test_one_obligation_in_two_roles_does_not_precede_itself() -> None:
    found = ladder(
        modify("W", "e", "widen_type", "rebind_consumer"),
        contains("e", "e.inner"),
        link("e", "e.inner"),
    )
    assert found == set()


def test_what_compiles_does_not_wait_for_another_compilation() -> None:
    found = ladder(
        modify("A", "e", "widen_type", "compile"),
        validate("B", "build", "compile"),
        modify("R", "f", "rebind_consumer"),
        link("e", "elsewhere"),
    )
    assert found == {
        edge("R", "A", 1, "rebind_then_compile", "whole_build"),
        edge("R", "B", 1, "rebind_then_compile", "whole_build"),
    }


def test_a_rebinding_that_names_its_widening_does_not_wait_for_a_later_one() -> None:
    """Words alone do not contradict the plan, S-000-036."""
    found = ladder(
        modify("W1", "e", "widen_type"),
        modify("R", "f", "rebind_consumer"),
        modify("X", "x"),
        modify("W2", "g", "widen_type"),
        declared("R", "W1"),
        declared("X", "R"),
        declared("W2", "X"),
    )
    assert found == {edge("W1", "R", 1, "widen_then_rebind")}


def test_a_rebinding_that_names_no_widening_waits_for_each() -> None:
    """T5(b): the contradiction is for the temporal check to flag."""
    found = ladder(
        modify("W", "g", "widen_type"),
        modify("R", "f", "rebind_consumer"),
        declared("W", "R"),
    )
    assert found == {edge("W", "R", 1, "widen_then_rebind")}


def test_a_compilation_that_names_its_rebinding_does_not_wait_for_a_later_one() -> None:
    found = ladder(
        modify("R1", "e", "rebind_consumer"),
        validate("C", "build", "compile"),
        modify("R2", "f", "rebind_consumer"),
        declared("C", "R1"),
        declared("R2", "C"),
    )
    assert found == {edge("R1", "C", 1, "rebind_then_compile", "whole_build")}


def test_naming_a_predecessor_of_one_role_says_nothing_of_another_role() -> None:
    found = ladder(
        modify("R", "e", "rebind_consumer"),
        validate("C", "build", "compile"),
        modify("W", "f", "widen_type"),
        declared("C", "R"),
        declared("W", "C"),
        link("f", "elsewhere"),
    )
    assert found == {
        edge("R", "C", 1, "rebind_then_compile", "whole_build"),
        edge("W", "C", 1, "widen_then_compile", "whole_build"),
    }


def test_naming_what_is_no_predecessor_says_nothing() -> None:
    found = ladder(
        modify("W1", "e", "widen_type"),
        modify("R", "f", "rebind_consumer"),
        modify("X", "x", "migrate"),
        modify("W2", "g", "widen_type"),
        declared("R", "X"),
        declared("X", "W1"),
        declared("W2", "R"),
    )
    assert found == {
        edge("W1", "R", 1, "widen_then_rebind"),
        edge("W2", "R", 1, "widen_then_rebind"),
    }


# Rung 2


def test_s_000_032_the_preserved_default_precedes_a_consumer() -> None:
    found = ladder(preserve("P", "config"), modify("X", "user"), link("config", "user"))
    assert found == {edge("P", "X", 2, "preserve_then_rely", impact("config", "user"))}


def test_t7_a_reversed_link_makes_no_consumer() -> None:
    assert ladder(preserve("P", "config"), modify("X", "user"), link("user", "config")) == set()


def test_t7_the_consumers_of_a_widening_that_it_depends_on() -> None:
    """The sample with its edge: O1 and O2 are declared, O2 before O3 is derived."""
    found = ladder(
        modify("O1", "config.schema", "widen_type"),
        preserve("O2", "config"),
        modify("O3", "manager"),
        contains("config", "config.schema"),
        link("config.schema", "manager"),
        declared("O2", "O1"),
        declared("O3", "O1"),
    )
    assert found == {edge("O2", "O3", 2, "preserve_then_rely", impact("config.schema", "manager"))}


def test_t7_the_consumers_of_a_widening_elsewhere() -> None:
    found = ladder(
        modify("W", "schema", "widen_type"),
        modify("M", "other"),
        modify("V", "unrelated", "widen_type"),
        preserve("P", "config"),
        modify("N", "notes"),
        modify("X", "manager"),
        modify("Y", "reader"),
        modify("Z", "viewer"),
        declared("P", "W", "M"),
        declared("N", "W"),
        link("schema", "manager"),
        link("other", "reader"),
        link("unrelated", "viewer"),
    )
    assert found == {edge("P", "X", 2, "preserve_then_rely", impact("schema", "manager"))}


def test_t7_the_sample_without_evidence_is_left_as_declared() -> None:
    found = ladder(
        modify("O1", "config.schema", "widen_type"),
        preserve("O2", "config"),
        modify("O3", "manager"),
        declared("O2", "O1"),
        declared("O3", "O1"),
    )
    assert found == set()


@pytest.mark.parametrize("role", ["widen_type", "migrate", "break_type"])
@pytest.mark.parametrize(
    ("nesting", "entity"),
    [
        pytest.param("", "config", id="same"),
        pytest.param(contains("config", "config.schema"), "config.schema", id="inner"),
        pytest.param(contains("settings", "config"), "settings", id="outer"),
    ],
)
def test_t7_never_before_what_introduces_the_shape(role: str, nesting: str, entity: str) -> None:
    found = ladder(
        preserve("P", "config"),
        modify("W", entity, role),
        nesting,
        link("config", entity),
        link(entity, "config"),
        link("config", "elsewhere"),
    )
    assert found == set()


def test_t7_a_widening_of_another_entity_is_a_consumer_like_any_other() -> None:
    found = ladder(
        preserve("P", "config"), modify("W", "user", "widen_type"), link("config", "user")
    )
    assert found == {edge("P", "W", 2, "preserve_then_rely", impact("config", "user"))}


def test_t7_the_same_entity_without_a_shape_is_no_exception() -> None:
    found = ladder(
        preserve("P", "config"),
        modify("X", "config.reader", "rely_on_default"),
        contains("config", "config.reader"),
        link("config", "config.reader"),
    )
    assert found == {edge("P", "X", 2, "preserve_then_rely", impact("config", "config.reader"))}


def test_t7_never_before_an_ancestor() -> None:
    found = ladder(
        preserve("P", "config"),
        modify("A", "near"),
        modify("B", "far"),
        modify("C", "user"),
        declared("P", "A"),
        declared("A", "B"),
        link("config", "near"),
        link("config", "far"),
        link("config", "user"),
    )
    assert found == {edge("P", "C", 2, "preserve_then_rely", impact("config", "user"))}


@pytest.mark.parametrize("role", ["rely_on_default", "run_test"])
@pytest.mark.parametrize(
    ("nesting", "entity"),
    [
        pytest.param("", "config", id="same"),
        pytest.param(contains("config", "config.get"), "config.get", id="inner"),
        pytest.param(contains("settings", "config"), "settings", id="outer"),
    ],
)
def test_s_000_032_before_a_validation_of_the_entity(role: str, nesting: str, entity: str) -> None:
    found = ladder(preserve("P", "config"), validate("V", entity, role), nesting)
    reason = f'same_entity("{entity}")'
    expected = {edge("P", "V", 2, "preserve_then_rely", reason)}
    if role == "rely_on_default":
        expected |= {edge("P", "V", 2, "preserve_then_rely")}
    assert found == expected


def test_a_compilation_of_the_entity_does_not_rely_on_the_default() -> None:
    assert ladder(preserve("P", "config"), validate("C", "config", "compile")) == set()


def test_a_modification_of_the_same_entity_is_no_validation() -> None:
    assert ladder(preserve("P", "config"), modify("X", "config")) == set()


def test_s_000_032_before_a_validation_with_the_same_proof() -> None:
    found = ladder(
        preserve("P", "config"),
        validate("V", "tests"),
        validate("U", "tests"),
        modify("X", "reader"),
        'validation("P","pytest a"). validation("V","pytest a"). validation("X","pytest a").',
        'validation("U","pytest b").',
    )
    assert found == {edge("P", "V", 2, "preserve_then_rely", "same_validation")}


def test_s_000_032_before_a_validation_of_the_same_widening() -> None:
    found = ladder(
        modify("W", "schema", "widen_type"),
        modify("M", "other"),
        preserve("P", "config"),
        preserve("Q", "more"),
        validate("V", "tests"),
        validate("U", "tests"),
        modify("X", "reader"),
        declared("P", "W", "M"),
        declared("V", "W"),
        declared("X", "W"),
        declared("U", "M"),
    )
    assert found == {edge("P", "V", 2, "preserve_then_rely", 'same_widening("W")')}


def test_s_000_032_words_order_the_old_default_before_the_new_behaviour() -> None:
    found = ladder(
        validate("O1", "custom", "rely_on_default"),
        validate("O2", "old", "old_default"),
        preserve("O3", "config"),
        modify("O4", "user", "rely_on_default"),
    )
    assert found == {
        edge("O3", "O2", 2, "preserve_then_retest"),
        edge("O3", "O1", 2, "preserve_then_rely"),
        edge("O3", "O4", 2, "preserve_then_rely"),
        edge("O2", "O1", 2, "retest_then_rely", 'preserved("O3")'),
    }


def test_words_are_not_asked_where_the_consumers_are_known() -> None:
    found = ladder(
        preserve("P", "config"),
        modify("X", "user", "rely_on_default"),
        validate("V", "old", "old_default"),
        link("config", "elsewhere"),
    )
    assert found == set()


def test_a_role_that_words_did_not_give_is_no_word() -> None:
    found = ladder(preserve("P", "config"), validate("V", "old", "old_default", because="verb"))
    assert found == set()


def test_s_000_032_evidence_orders_the_old_default_before_the_new_behaviour() -> None:
    found = ladder(
        preserve("P", "config"),
        validate("V", "test_old", "old_default", because="verb"),
        validate("U", "test_new"),
        modify("X", "user"),
        link("config", "test_old", cause="tested_by"),
        link("config", "test_new", cause="tested_by"),
        link("config", "user"),
    )
    assert found == {
        edge("P", "V", 2, "preserve_then_retest", impact("config", "test_old", "tested_by")),
        edge("P", "U", 2, "preserve_then_rely", impact("config", "test_new", "tested_by")),
        edge("P", "X", 2, "preserve_then_rely", impact("config", "user")),
        edge("V", "U", 2, "retest_then_rely", 'preserved("P")'),
    }


def test_each_preserve_orders_its_own_validations() -> None:
    found = ladder(
        preserve("P", "config"),
        preserve("Q", "more"),
        validate("V", "config", "old_default", because="verb"),
        validate("U", "config"),
        validate("X", "more", "old_default", because="verb"),
        validate("Y", "more"),
    )
    assert found == {
        edge("P", "V", 2, "preserve_then_retest", 'same_entity("config")'),
        edge("P", "U", 2, "preserve_then_rely", 'same_entity("config")'),
        edge("V", "U", 2, "retest_then_rely", 'preserved("P")'),
        edge("Q", "X", 2, "preserve_then_retest", 'same_entity("more")'),
        edge("Q", "Y", 2, "preserve_then_rely", 'same_entity("more")'),
        edge("X", "Y", 2, "retest_then_rely", 'preserved("Q")'),
    }


def test_a_compilation_does_not_wait_for_the_old_default() -> None:
    found = ladder(
        preserve("P", "config"),
        validate("V", "config", "old_default", because="verb"),
        validate("C", "config", "compile"),
        validate("W", "config", "old_default", because="verb"),
    )
    assert found == {
        edge("P", "V", 2, "preserve_then_retest", 'same_entity("config")'),
        edge("P", "W", 2, "preserve_then_retest", 'same_entity("config")'),
    }


def test_a_modification_in_the_old_default_is_retested_too() -> None:
    found = ladder(preserve("P", "config"), modify("X", "user", "old_default"))
    assert found == {edge("P", "X", 2, "preserve_then_retest")}


def test_a_preserve_does_not_wait_for_another() -> None:
    assert ladder(preserve("P", "config"), preserve("Q", "user"), link("config", "user")) == set()


def test_what_preserves_and_tests_the_old_default_does_not_precede_itself() -> None:
    found = ladder(
        modify("W", "schema", "widen_type"),
        preserve("P", "config"),
        roles("P", "old_default"),
        contains("schema", "config"),
        declared("P", "W"),
        link("schema", "config"),
    )
    assert found == set()


def test_words_do_not_make_what_preserves_precede_itself() -> None:
    assert ladder(preserve("P", "config"), roles("P", "old_default")) == set()


def test_an_alternative_does_not_wait_for_the_default() -> None:
    found = ladder(preserve("P", "config"), alternative(validate("V", "config", "rely_on_default")))
    assert found == set()


# Rung 3


def test_s_000_033_words_order_a_migration_before_its_usage() -> None:
    found = ladder(modify("U", "f", "use_shape"), modify("M", "e", "migrate"))
    assert found == {edge("M", "U", 3, "migrate_then_use")}


def test_s_000_033_evidence_orders_a_migration_before_its_usage() -> None:
    found = ladder(
        modify("M", "e", "migrate"),
        modify("U", "f", "use_shape"),
        modify("X", "g", "use_shape"),
        link("e", "f", cause="migrated_by"),
    )
    assert found == {edge("M", "U", 3, "migrate_then_use", impact("e", "f", "migrated_by"))}


def test_a_usage_that_names_its_migration_does_not_wait_for_a_later_one() -> None:
    found = ladder(
        modify("M1", "e", "migrate"),
        modify("U", "f", "use_shape"),
        modify("M2", "g", "migrate"),
        declared("U", "M1"),
        declared("M2", "U"),
    )
    assert found == {edge("M1", "U", 3, "migrate_then_use")}


def test_s_000_033_evidence_orders_a_shared_type_before_its_consumers() -> None:
    found = ladder(
        modify("S", "e", "share_type", because="change(field_type)"),
        modify("U", "f", "use_type", because='impact(type_used_by,"e",field_type,exact)'),
        modify("X", "g", "use_type", because='impact(type_used_by,"h",field_type,exact)'),
        link("e", "f", cause="type_used_by"),
    )
    assert found == {edge("S", "U", 3, "share_then_use", impact("e", "f", "type_used_by"))}


def test_s_000_033_words_order_a_shared_type_before_a_rebinding() -> None:
    found = ladder(modify("S", "e", "share_type"), modify("R", "f", "rebind_consumer"))
    assert found == {edge("S", "R", 3, "share_then_use")}


@pytest.mark.parametrize(
    ("share", "rebind", "more"),
    [
        pytest.param("change(field_type)", WORDS, "", id="type by evidence"),
        pytest.param(WORDS, "impact(called_by,e,body,exact)", "", id="rebinding by evidence"),
        pytest.param(WORDS, WORDS, link("e", "elsewhere"), id="dependents known"),
    ],
)
def test_words_order_a_shared_type_only_where_there_is_nothing_else(
    share: str, rebind: str, more: str
) -> None:
    found = ladder(
        modify("S", "e", "share_type", because=share),
        modify("R", "f", "rebind_consumer", because=rebind),
        more,
    )
    assert found == set()


def test_a_shared_type_that_is_its_own_consumer_does_not_precede_itself() -> None:
    assert ladder(modify("S", "e", "share_type", "rebind_consumer")) == set()


# Rung 4

DEFINES = [
    modify("D", "tests/test_a.py", "define_test", because='test("tests/test_a.py::t")'),
    'defines_test("D","tests/test_a.py::t").',
]
RUNS = [
    validate("V", "e", "run_test", because='test("tests/test_a.py::t")'),
    'needs_test("V","tests/test_a.py::t").',
]


def test_s_000_034_a_missing_test_is_defined_before_it_runs() -> None:
    found = ladder(*DEFINES, *RUNS)
    assert found == {edge("D", "V", 4, "define_then_run", 'test("tests/test_a.py::t")')}


def test_s_000_034_a_test_that_exists_orders_nothing() -> None:
    assert ladder(*DEFINES, *RUNS, 'test("tests/test_a.py::t").') == set()


def test_t10_every_definer_precedes() -> None:
    more = [
        modify("E", "tests/conftest.py", "define_test", because='test("tests/test_a.py::t")'),
        'defines_test("E","tests/test_a.py::t").',
    ]
    assert ladder(*DEFINES, *more, *RUNS) == {
        edge("D", "V", 4, "define_then_run", 'test("tests/test_a.py::t")'),
        edge("E", "V", 4, "define_then_run", 'test("tests/test_a.py::t")'),
    }


def test_t10_another_test_orders_nothing() -> None:
    other = [
        validate("V", "e", "run_test", because='test("tests/test_b.py")'),
        'needs_test("V","tests/test_b.py").',
    ]
    assert ladder(*DEFINES, *other) == set()


def test_t10_only_a_validation_runs_a_test() -> None:
    found = ladder(*DEFINES, modify("X", "e"), 'needs_test("X","tests/test_a.py::t").')
    assert found == set()


# The first rung wins


@pytest.mark.parametrize(("o", "p"), [("O1", "O2"), ("O2", "O1")], ids=["as ids", "against ids"])
def test_s_000_035_rung_1_against_rung_2(o: str, p: str) -> None:
    found = ladder(
        modify(o, "f", "widen_type", "rely_on_default"),
        preserve(p, "e"),
        roles(p, "rebind_consumer"),
    )
    assert found == {edge(o, p, 1, "widen_then_rebind")}


@pytest.mark.parametrize(("o", "p"), [("O1", "O2"), ("O2", "O1")], ids=["as ids", "against ids"])
def test_s_000_035_rung_2_against_rung_3(o: str, p: str) -> None:
    found = ladder(
        preserve(o, "e"),
        roles(o, "use_shape"),
        modify(p, "f", "rely_on_default", "migrate"),
    )
    assert found == {edge(o, p, 2, "preserve_then_rely")}


@pytest.mark.parametrize(("o", "p"), [("O1", "O2"), ("O2", "O1")], ids=["as ids", "against ids"])
def test_s_000_035_rung_3_against_rung_4(o: str, p: str) -> None:
    found = ladder(
        modify(o, "e", "migrate", "run_test"),
        modify(p, "t", "use_shape", "define_test"),
        f'needs_test("{o}","t"). defines_test("{p}","t").',
    )
    assert found == {edge(o, p, 3, "migrate_then_use")}


def test_s_000_035_a_later_rung_that_agrees_is_not_consulted() -> None:
    found = ladder(
        modify("A", "e", "widen_type", "migrate"),
        modify("B", "f", "rebind_consumer", "use_shape"),
    )
    assert found == {edge("A", "B", 1, "widen_then_rebind")}


def test_s_000_035_each_pair_for_itself() -> None:
    found = ladder(
        modify("A", "e", "widen_type", "migrate"),
        modify("B", "f", "rebind_consumer", "use_shape"),
        modify("C", "g", "use_shape"),
    )
    assert found == {
        edge("A", "B", 1, "widen_then_rebind"),
        edge("A", "C", 3, "migrate_then_use"),
    }


def test_t5_c_one_rung_both_ways_round_keeps_both() -> None:
    """No rung is earlier, so the temporal check is left to name the conflict."""
    found = ladder(
        modify("A", "e", "widen_type", "rebind_consumer"),
        modify("B", "f", "widen_type", "rebind_consumer"),
    )
    assert found == {
        edge("A", "B", 1, "widen_then_rebind"),
        edge("B", "A", 1, "widen_then_rebind"),
    }
