"""impact.lp: which change of an entity reaches which dependents, and does it break them."""

from __future__ import annotations

import re

import pytest
from support import atoms, only

CAUSES = {
    "calls": ["called_by", "instantiated_by", "constructed_by"],
    "refers": [
        "called_by",
        "instantiated_by",
        "constructed_by",
        "used_by",
        "type_used_by",
        "imported_by",
        "reexported_by",
        "base_class_of",
        "derived_class_of",
        "decorated_by",
        "configured_by",
        "migrated_by",
    ],
    "family": ["overridden_by", "overrides"],
    "bases": ["base_class_of", "derived_class_of"],
    "data": ["used_by", "constructed_by", "base_class_of", "derived_class_of"],
    "imports": [
        "imported_by",
        "used_by",
        "called_by",
        "reexported_by",
        "type_used_by",
        "instantiated_by",
    ],
    "tests": ["tested_by"],
    "uses": ["used_by", "configured_by"],
    "instances": ["instantiated_by", "type_used_by"],
}
EVERY_CAUSE = sorted({cause for causes in CAUSES.values() for cause in causes})

# Change kinds, then group: strength and order. The table of the impact rules, row by row.
Row = tuple[str, str]
RULES: list[tuple[str, dict[str, Row]]] = [
    ("body", {"calls": ("check", "none"), "tests": ("revalidate", "none")}),
    (
        "added",
        {
            "refers": ("should", "definition_first"),
            "family": ("check", "definition_first"),
            "tests": ("should", "definition_first"),
        },
    ),
    (
        "override_added",
        {"calls": ("check", "definition_first"), "family": ("should", "definition_first")},
    ),
    ("behaviour_changed", {"tests": ("must", "together")}),
    ("field_added", {"refers": ("should", "definition_first")}),
    ("config_key_added", {"refers": ("check", "definition_first")}),
    (
        "type_widened",
        {
            "refers": ("check", "definition_first"),
            "family": ("should", "definition_first"),
            "tests": ("revalidate", "none"),
        },
    ),
    (
        "param_added_default",
        {
            "calls": ("check", "definition_first"),
            "family": ("should", "definition_first"),
            "tests": ("revalidate", "none"),
        },
    ),
    (
        "param_type_widened",
        {"calls": ("check", "definition_first"), "family": ("should", "definition_first")},
    ),
    ("return_type_narrowed", {"family": ("must", "definition_first")}),
    (
        "param_added_required default_removed",
        {
            "calls": ("must", "together"),
            "uses": ("must", "together"),
            "tests": ("must", "together"),
            "family": ("must", "together"),
        },
    ),
    (
        "signature_changed async_changed",
        {
            "calls": ("must", "together"),
            "tests": ("must", "together"),
            "family": ("must", "together"),
        },
    ),
    (
        "decorator_changed property_changed",
        {
            "calls": ("must", "together"),
            "uses": ("must", "together"),
            "family": ("should", "together"),
        },
    ),
    (
        "param_renamed param_moved",
        {"calls": ("must", "together"), "family": ("should", "together")},
    ),
    ("raises_changed", {"calls": ("should", "together")}),
    (
        "rename",
        {
            "refers": ("must", "together"),
            "tests": ("must", "together"),
            "family": ("must", "together"),
        },
    ),
    ("move", {"refers": ("must", "together"), "tests": ("must", "together")}),
    ("field_renamed", {"data": ("must", "together"), "tests": ("must", "together")}),
    ("config_key_renamed", {"uses": ("must", "together")}),
    (
        "deleted",
        {
            "refers": ("must", "dependents_first"),
            "tests": ("must", "dependents_first"),
            "family": ("should", "dependents_first"),
        },
    ),
    ("import_removed reexport_removed", {"imports": ("must", "dependents_first")}),
    (
        "field_deleted",
        {"data": ("must", "dependents_first"), "tests": ("must", "dependents_first")},
    ),
    (
        "param_removed",
        {"calls": ("must", "dependents_first"), "family": ("should", "dependents_first")},
    ),
    ("param_type_narrowed", {"calls": ("must", "dependents_first")}),
    (
        "return_type_widened",
        {"calls": ("must", "dependents_first"), "uses": ("must", "dependents_first")},
    ),
    (
        "default_changed",
        {
            "calls": ("check", "definition_first"),
            "uses": ("check", "definition_first"),
            "tests": ("revalidate", "none"),
        },
    ),
    (
        "field_type field_value constant",
        {
            "uses": ("should", "definition_first"),
            "calls": ("should", "definition_first"),
            "family": ("check", "definition_first"),
        },
    ),
    (
        "class_bases metaclass",
        {"bases": ("should", "definition_first"), "instances": ("check", "definition_first")},
    ),
    ("schema_migration", {"refers": ("must", "definition_first")}),
]
TABLE = {change: groups for changes, groups in RULES for change in changes.split()}
ROWS = [(change, group, *TABLE[change][group]) for change in TABLE for group in TABLE[change]]


def edge(
    cause: str = "called_by",
    change: str = "unsaid",
    strength: str = "unsaid",
    order: str = "unsaid",
    *,
    source: str = "e",
    target: str = "f",
    resolution: str = "exact",
) -> str:
    """Return an edge of component 06; without a word about it, the table must know."""
    said = f'impact({cause},"{source}","{target}",{resolution}). '
    if {change, strength, order} != {"unsaid"}:
        words = f"{change},{strength},{order}"
        said += f'impact_says({cause},"{source}","{target}",{words},{resolution}). '
    return said


def makes(change: str, identifier: str = "O1", entity: str = "e", because: str = "change") -> str:
    return f'target("{identifier}","{entity}"). kind("{identifier}",{change},{because}). '


def reaches(
    strength: str,
    order: str,
    change: str,
    *,
    cause: str = "called_by",
    identifier: str = "O1",
    target: str = "f",
    resolution: str = "exact",
) -> str:
    because = f'impact({cause},"e",{change},{resolution})'
    return f'reaches("{identifier}","{target}",{strength},{order},{because})'


def derived(facts: str) -> set[str]:
    return only(atoms("impact.lp", facts), "reaches", "violation", "advice")


def test_rows_of_the_table() -> None:
    found = only(atoms("impact.lp", ""), "effect")
    rows = {tuple(re.findall(r"\w+", atom)[1:5]) for atom in found}
    assert rows == set(ROWS)


def test_change_kinds() -> None:
    assert only(atoms("impact.lp", ""), "change_kind") == {f"change_kind({kind})" for kind in TABLE}


def test_groups() -> None:
    expected = {f"group({cause},{name})" for name, causes in CAUSES.items() for cause in causes}
    assert only(atoms("impact.lp", ""), "group") == expected


def test_firm_resolutions() -> None:
    """Only these break a dependent; heuristic and ambiguous edges advise."""
    assert only(atoms("impact.lp", ""), "firm") == {"firm(exact)", "firm(typed)", "firm(dynamic)"}


INVERSE = {
    "calls": "called_by",
    "imports": "imported_by",
    "reexports": "reexported_by",
    "inherits": "base_class_of",
    "implements": "base_class_of",
    "overrides": "overridden_by",
    "instantiates": "instantiated_by",
    "references": "used_by",
    "writes": "used_by",
    "uses_type": "type_used_by",
    "decorates": "decorated_by",
    "tests": "tested_by",
    "reads_config": "configured_by",
    "migrates": "migrated_by",
}


def test_inverse() -> None:
    expected = {f"inverse({relation},{cause})" for relation, cause in INVERSE.items()}
    assert only(atoms("impact.lp", ""), "inverse") == expected


@pytest.mark.parametrize(
    ("change", "group", "strength", "order"), ROWS, ids=[f"{row[0]}-{row[1]}" for row in ROWS]
)
def test_whom_a_row_reaches(change: str, group: str, strength: str, order: str) -> None:
    """What is edited is reached, with its order; what is re-read or re-tested is not.

    S-000-036: which dependents a change breaks, and which order keeps them whole.
    """
    facts = makes(change) + "".join(edge(cause, target=f"f.{cause}") for cause in CAUSES[group])
    found = atoms("impact.lp", facts)
    effects = [
        re.fullmatch(rf"effect\({change},{group},(\w+),(\w+),(\d+)\)", atom)
        for atom in only(found, "effect")
    ]
    rows = [(each[1], each[2], 0 <= int(each[3]) <= 1000) for each in effects if each]
    assert rows == [(strength, order, True)]
    expected = {
        reaches(strength, order, change, cause=cause, target=f"f.{cause}")
        for cause in CAUSES[group]
        if strength in ("must", "should")
    }
    assert only(found, "reaches", "violation", "advice") == expected


@pytest.mark.parametrize("change", TABLE)
def test_relations_that_no_row_speaks_of(change: str) -> None:
    """They reach nobody; where the change breaks others, that nothing is known is said."""
    spoken_of = {cause for group in TABLE[change] for cause in CAUSES[group]}
    others = [cause for cause in [*EVERY_CAUSE, "mentioned_by"] if cause not in spoken_of]
    facts = makes(change) + "".join(edge(cause, target=f"f.{cause}") for cause in others)
    breaking = any(strength == "must" for strength, _ in TABLE[change].values())
    assert derived(facts) == {
        f'advice(no_effect_known({cause},{change},"f.{cause}"),"O1")'
        for cause in others
        if breaking
    }


@pytest.mark.parametrize(("relation", "cause"), INVERSE.items(), ids=INVERSE.keys())
def test_link_of_a_relation(relation: str, cause: str) -> None:
    """S-000-037: the edges of component 03 run from the dependent, those of 06 to it."""
    found = atoms("impact.lp", f'relation({relation},"f","e",typed).')
    assert only(found, "link") == {f'link({cause},"e","f",typed)'}


@pytest.mark.parametrize("resolution", ["exact", "typed", "dynamic", "heuristic", "ambiguous"])
def test_link_of_an_impact_edge(resolution: str) -> None:
    """S-000-037: whatever the resolution, which the reader judges."""
    found = atoms("impact.lp", edge("mentioned_by", resolution=resolution))
    assert only(found, "link") == {f'link(mentioned_by,"e","f",{resolution})'}


@pytest.mark.parametrize(
    "facts",
    [
        edge(target="e"),
        'relation(calls,"e","e",exact).',
        'relation(contains,"f","e",exact).',
    ],
    ids=["impact edge to itself", "relation to itself", "relation that is no dependency"],
)
def test_no_link(facts: str) -> None:
    assert only(atoms("impact.lp", facts), "link") == set()
    assert derived(facts + makes("rename")) == set()


def test_a_relation_reaches_like_an_edge() -> None:
    """S-000-037: ordering is assembled from both components."""
    facts = makes("rename") + 'relation(calls,"f","e",typed). relation(tests,"t","e",heuristic).'
    assert derived(facts) == {
        reaches("must", "together", "rename", resolution="typed"),
        reaches(
            "must",
            "together",
            "rename",
            cause="tested_by",
            target="t",
            resolution="heuristic",
        ),
    }


def test_every_change_of_every_obligation_reaches() -> None:
    facts = (
        makes("rename") + makes("deleted") + makes("deleted", "O2") + makes("deleted", "O3", "x")
    )
    assert derived(facts + edge()) == {
        reaches("must", "together", "rename"),
        reaches("must", "dependents_first", "deleted"),
        reaches("must", "dependents_first", "deleted", identifier="O2"),
    }


def test_an_obligation_that_changes_nothing_reaches_nobody() -> None:
    facts = 'target("O1","e"). ' + edge() + edge("used_by", "rename", "must", "together")
    facts += edge("called_by", "unsaid", "must", "together")
    facts += 'truncated("e",called_by,64,650). unresolved_calls("e",7).'
    assert derived(facts) == set()


@pytest.mark.parametrize("change", ["unsaid", "rename", "deleted"])
@pytest.mark.parametrize("said", [("unsaid", "unsaid"), ("must", "together"), ("must", "unsaid")])
def test_an_edge_of_another_entity_concerns_nobody(change: str, said: tuple[str, str]) -> None:
    assert derived(makes("rename") + edge("called_by", change, *said, source="x")) == set()


SAID = {
    "a weaker word": ("rename", ("should", "definition_first"), {("should", "definition_first")}),
    "a stronger word": ("body", ("must", "dependents_first"), {("must", "dependents_first")}),
    "no order at all": ("rename", ("must", "none"), {("must", "none")}),
    "re-read only": ("rename", ("check", "definition_first"), set()),
    "re-tested only": ("rename", ("revalidate", "none"), set()),
    "a strength, the row has the order": (
        "deleted",
        ("should", "unsaid"),
        {("should", "dependents_first")},
    ),
    "a strength that edits nothing": ("deleted", ("check", "unsaid"), set()),
    "it breaks, the row has the order": (
        "added",
        ("must", "unsaid"),
        {("must", "definition_first")},
    ),
    "it breaks, no row has an order": ("body", ("must", "unsaid"), {("must", "together")}),
    "it may break, no row has an order": ("body", ("should", "unsaid"), set()),
    "an order, the row has the strength": (
        "added",
        ("unsaid", "dependents_first"),
        {("should", "dependents_first")},
    ),
    "an order, no row has a strength": ("body", ("unsaid", "dependents_first"), set()),
}


@pytest.mark.parametrize(("change", "said", "expected"), SAID.values(), ids=SAID.keys())
@pytest.mark.parametrize("named", [True, False], ids=["of its kind", "of any kind"])
def test_the_word_of_an_edge_outranks_the_row(
    change: str, said: tuple[str, str], expected: set[tuple[str, str]], named: bool
) -> None:
    """S-000-037: evidence that speaks for itself is not second-guessed, each part for itself."""
    kind = change if named else "unsaid"
    # What said both strength and order is cited as it stands.
    cited = kind if "unsaid" not in said else change
    assert derived(makes(change) + edge("called_by", kind, *said)) == {
        reaches(strength, order, cited) for strength, order in expected
    }


def test_the_word_of_an_edge_holds_for_its_dependent_and_relation_only() -> None:
    facts = makes("rename") + edge("called_by", "unsaid", "check", "none") + edge("used_by")
    facts += edge(target="g") + edge("used_by", "unsaid", "check", target="g")
    assert derived(facts) == {
        reaches("must", "together", "rename", cause="used_by"),
        reaches("must", "together", "rename", target="g"),
    }


def test_where_a_change_breaks_nobody_no_row_is_missed() -> None:
    facts = makes("body") + edge("used_by", strength="should") + edge("used_by", target="g")
    assert derived(facts) == set()


def test_an_edge_that_says_all_outranks_its_twin_that_leaves_it_to_the_table() -> None:
    facts = makes("rename") + edge("called_by", "move", "should", "definition_first")
    facts += edge("called_by", "deleted") + edge("called_by")
    assert derived(facts) == {reaches("should", "definition_first", "move")}


def test_an_edge_names_the_change_better_than_the_obligation() -> None:
    """The row is that of the edge's own kind."""
    facts = makes("rename") + edge("called_by", "deleted") + edge("called_by")
    assert derived(facts) == {reaches("must", "dependents_first", "deleted")}


def test_an_edge_of_a_kind_that_the_table_does_not_know_leaves_it_to_the_obligation() -> None:
    facts = makes("rename") + edge("called_by", "frobnicated")
    assert derived(facts) == {reaches("must", "together", "rename")}


PARTS = 'parts_named("e"). ' + makes("added", "O1") + makes("deleted", "O2")


def test_an_edge_for_one_part_of_a_change_concerns_who_makes_that_part() -> None:
    """Expand, then contract: the plan names the parts, the edge its part."""
    assert derived(PARTS + edge("called_by", "deleted", "must", "together")) == {
        reaches("must", "together", "deleted", identifier="O2"),
        reaches("should", "definition_first", "added", identifier="O1"),
    }


def test_an_edge_for_one_part_by_the_table() -> None:
    assert derived(PARTS + edge("called_by", "deleted")) == {
        reaches("must", "dependents_first", "deleted", identifier="O2"),
        reaches("should", "definition_first", "added", identifier="O1"),
    }


def test_an_edge_for_no_part_concerns_every_part() -> None:
    said = edge("called_by", "unsaid", "must", "together")
    assert derived(PARTS + said) == {
        reaches("must", "together", "unsaid", identifier=each) for each in ("O1", "O2")
    }


def test_an_edge_for_one_kind_concerns_all_who_change_the_entity_where_no_parts_are_named() -> None:
    facts = makes("body", "O1", because="assumed") + makes("added", "O2")
    facts += edge("called_by", "deleted", "must", "dependents_first")
    assert derived(facts) == {
        reaches("must", "dependents_first", "deleted", identifier=each) for each in ("O1", "O2")
    }


HALF_SAID = [
    ("must", "unsaid", "deleted", "type_widened", set()),
    (
        "unsaid",
        "dependents_first",
        "deleted",
        "added",
        {reaches("should", "definition_first", "added")},
    ),
]


@pytest.mark.parametrize(
    ("strength", "order", "said_of", "made", "expected"), HALF_SAID, ids=["strength", "order"]
)
def test_half_a_word_for_one_part_says_nothing_of_another(
    strength: str, order: str, said_of: str, made: str, expected: set[str]
) -> None:
    facts = 'parts_named("e"). ' + makes(made, "O1") + makes(said_of, "O2")
    facts += edge("called_by", said_of, strength, order)
    assert derived(facts) == expected | {
        reaches("must", "dependents_first", "deleted", identifier="O2")
    }


UNKNOWN = makes("frobnicated") + 'relation(imports,"g","x",exact). '


def test_a_change_that_the_table_does_not_know_is_refused() -> None:
    """S-000-036: nobody can say whether the dependents stay whole."""
    assert derived(UNKNOWN + edge()) == {'violation(unknown_change(frobnicated),"O1")'}


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ("", set()),
        (
            edge("called_by", "unsaid", "must", "together"),
            {reaches("must", "together", "unsaid")},
        ),
        (edge("called_by", "rename"), {reaches("must", "together", "rename")}),
        ('relation(contains,"f","e",exact).', set()),
    ],
    ids=["no dependents", "the edge says all", "the edge names a known kind", "no dependency"],
)
def test_an_unknown_change_is_no_matter_where_no_row_is_wanted(
    facts: str, expected: set[str]
) -> None:
    assert derived(UNKNOWN + facts) == expected


def test_evidence_that_leaves_dependents_out_is_said() -> None:
    facts = makes("body") + makes("body", "O2", "x")
    facts += 'truncated("e",called_by,64,650). truncated("y",used_by,1,2).'
    assert derived(facts) == {'advice(evidence_truncated(called_by,64,650),"O1")'}


def test_calls_that_could_not_be_resolved_are_said() -> None:
    facts = makes("body") + makes("body", "O2", "x")
    facts += 'unresolved_calls("e",7). unresolved_calls("y",1).'
    assert derived(facts) == {'advice(dependents_unknown(7),"O1")'}


def test_half_a_word_is_effect_enough() -> None:
    """No advice that the table says nothing, where the edge does."""
    assert derived(makes("async_changed") + edge("used_by", strength="check")) == set()
    assert derived(makes("async_changed") + edge("used_by", order="none")) == set()
