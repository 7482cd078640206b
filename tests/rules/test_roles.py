"""roles.lp: what does each obligation do to the code."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from support import atoms, only

LEXICON = {
    "rename": "change(rename)",
    "widen": "change(type_widened)",
    "remove": "change(deleted)",
    "alias": "change(added)",
    "migration": "change(schema_migration)",
    "callers": "role(rebind_consumer)",
    "compile": "role(compile)",
    "mypy": "role(build)",
    "new default": "role(rely_on_default)",
    "custom": "role(new_behaviour)",
    "old default": "role(old_default)",
    "usage": "role(use_shape)",
    "shared type": "role(share_type)",
    "no rename": "nothing",
}
GIVEN = "firm(exact). firm(typed). firm(dynamic). " + " ".join(
    f'lexicon("{phrase}",{meaning}).' for phrase, meaning in LEXICON.items()
)


def does(
    identifier: str,
    entity: str,
    caused_by: str | Iterable[str] = (),
    *,
    verb: str = "modify",
    evidence: str = "",
    validation: str = "",
    status: str = "",
) -> str:
    """Return the facts of an obligation; its fields are given as the phrases that stand in them."""
    words = [caused_by] if isinstance(caused_by, str) else caused_by
    said = [("caused_by", each) for each in words]
    said += [("evidence", evidence), ("validation", validation)]
    facts = [f'obligation("{identifier}"). verb("{identifier}",{verb}).']
    facts += [f'target("{identifier}","{entity}").']
    facts += [f'phrase("{identifier}",{field},"{each}").' for field, each in said if each]
    facts += [f'status("{identifier}",{status}).'] if status else []
    return " ".join(facts) + " "


def validates(identifier: str, entity: str, caused_by: str = "", validation: str = "") -> str:
    return does(identifier, entity, caused_by, verb="validate", validation=validation)


def link(source: str, target: str, cause: str = "called_by", resolution: str = "exact") -> str:
    return f'link({cause},"{source}","{target}",{resolution}). '


def edge_says(source: str, change: str) -> str:
    return f'impact_says(called_by,"{source}","x",{change},must,together,exact). '


def changed(entity: str, *kinds: str) -> str:
    return "".join(f'change("{entity}",{kind}). ' for kind in kinds)


def found(facts: str, *predicates: str) -> set[str]:
    return only(atoms("roles.lp", GIVEN + facts), *predicates)


def kinds(facts: str) -> set[str]:
    return found(facts, "kind")


def roles(facts: str) -> set[str]:
    return found(facts, "role")


def kind(identifier: str, change: str, because: str) -> str:
    return f'kind("{identifier}",{change},{because})'


def role(identifier: str, name: str, because: str) -> str:
    return f'role("{identifier}",{name},{because})'


def phrase(text: str) -> str:
    return f'phrase("{text}")'


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("", {'primary("O1")'}),
        ("ready", {'primary("O1")'}),
        ("blocked", {'primary("O1")'}),
        ("alternative", set()),
    ],
    ids=["unsaid", "ready", "blocked", "alternative"],
)
def test_primary(status: str, expected: set[str]) -> None:
    """T1, T8: of the status only `alternative` is believed."""
    assert found(does("O1", "e", status=status), "primary") == expected


def test_changes() -> None:
    """T8: an alternative changes nothing, nor does what preserves or validates."""
    facts = does("O1", "e") + does("O2", "e", verb="preserve") + validates("O3", "e")
    facts += does("O4", "e", status="alternative") + does("O5", "f", status="blocked")
    assert found(facts, "changes") == {'changes("O1","e")', 'changes("O5","f")'}


class TestKind:
    """T7: structured evidence first, a closed list of phrases second."""

    def test_of_the_change_that_evidence_states(self) -> None:
        facts = does("O1", "e") + does("O2", "f") + changed("e", "rename", "async_changed")
        assert kinds(facts) == {
            kind("O1", "rename", "change"),
            kind("O1", "async_changed", "change"),
            kind("O2", "body", "assumed"),
        }

    def test_of_the_change_on_an_impact_edge(self) -> None:
        facts = does("O1", "e") + does("O2", "f") + edge_says("e", "rename")
        facts += edge_says("f", "unsaid")
        assert kinds(facts) == {kind("O1", "rename", "edge"), kind("O2", "body", "assumed")}

    def test_stated_of_the_entity_outranks_stated_on_an_edge(self) -> None:
        facts = does("O1", "e") + changed("e", "deleted") + edge_says("e", "rename")
        assert kinds(facts) == {kind("O1", "deleted", "change")}

    @pytest.mark.parametrize("field", ["caused_by", "evidence"])
    def test_of_words(self, field: str) -> None:
        facts = does("O1", "e", **{field: "rename"})
        assert kinds(facts) == {kind("O1", "rename", phrase("rename"))}

    def test_of_several_words(self) -> None:
        facts = does("O1", "e", ["rename", "widen", "no rename"])
        assert kinds(facts) == {
            kind("O1", "rename", phrase("rename")),
            kind("O1", "type_widened", phrase("widen")),
        }

    def test_not_of_the_words_of_a_validation(self) -> None:
        assert kinds(does("O1", "e", validation="rename")) == {kind("O1", "body", "assumed")}

    @pytest.mark.parametrize(
        "evidence", [changed("e", "deleted"), edge_says("e", "deleted")], ids=["change", "edge"]
    )
    def test_evidence_outranks_words(self, evidence: str) -> None:
        source = "change" if "change(" in evidence else "edge"
        facts = does("O1", "e", "rename") + evidence
        assert kinds(facts) == {kind("O1", "deleted", source)}

    def test_evidence_about_others_does_not_matter(self) -> None:
        facts = does("O1", "e", "rename") + does("O2", "g", "widen") + changed("f", "rename")
        facts += (
            changed("e", "deleted") + edge_says("g", "type_widened") + changed("h", "type_widened")
        )
        assert kinds(facts) == {
            kind("O1", "deleted", "change"),
            kind("O2", "type_widened", "edge"),
        }

    @pytest.mark.parametrize(
        "facts",
        [
            does("O1", "e", "rename", verb="preserve"),
            does("O1", "e", "rename", verb="validate"),
            does("O1", "e", "rename", status="alternative"),
        ],
        ids=["preserve", "validate", "alternative"],
    )
    def test_of_what_changes_nothing(self, facts: str) -> None:
        assert kinds(facts + changed("e", "deleted")) == set()


class TestQuotedChange:
    """S-000-031: the text of a consumer quotes the change that it follows."""

    @pytest.mark.parametrize("mark", ["callers", "usage"])
    def test_in_the_words_of_a_consumer(self, mark: str) -> None:
        facts = does("O1", "e", ["rename", mark])
        assert found(facts, "kind", "advice") == {kind("O1", "body", "assumed")}

    def test_evidence_about_a_consumer_counts_all_the_same(self) -> None:
        facts = does("O1", "e", ["rename", "callers"]) + changed("e", "deleted")
        assert kinds(facts) == {kind("O1", "deleted", "change")}

    def test_in_words_that_repeat_the_change_of_a_dependency(self) -> None:
        facts = does("O1", "e", "rename") + does("O2", "f", ["rename", "widen"]) + link("e", "f")
        assert found(facts, "kind", "advice") == {
            kind("O1", "rename", phrase("rename")),
            kind("O2", "type_widened", phrase("widen")),
        }

    def test_nothing_but_a_quotation_is_a_change_of_the_body_and_no_matter(self) -> None:
        facts = does("O1", "e", "rename") + does("O2", "f", "rename") + link("e", "f")
        assert found(facts, "kind", "advice") == {
            kind("O1", "rename", phrase("rename")),
            kind("O2", "body", "assumed"),
        }

    def test_along_a_path_of_dependents_all_but_the_first_quote(self) -> None:
        facts = "".join(does(f"O{n}", f"e{n}", "rename") for n in (1, 2, 3))
        facts += link("e1", "e2") + link("e2", "e3")
        assert kinds(facts) == {
            kind("O1", "rename", phrase("rename")),
            kind("O2", "body", "assumed"),
            kind("O3", "body", "assumed"),
        }

    def test_a_ring_quotes_nobody(self) -> None:
        facts = does("O1", "e", "rename") + does("O2", "f", "rename")
        facts += link("e", "f") + link("f", "e")
        assert kinds(facts) == {
            kind("O1", "rename", phrase("rename")),
            kind("O2", "rename", phrase("rename")),
        }

    @pytest.mark.parametrize(
        "first",
        [
            does("O1", "e", "rename"),
            does("O1", "e", "widen") + link("e", "f"),
            does("O1", "e", validation="rename") + link("e", "f"),
            does("O1", "e", "rename", verb="preserve") + link("e", "f"),
            does("O1", "e", "rename", status="alternative") + link("e", "f"),
            link("f", "f"),
        ],
        ids=[
            "no dependency",
            "another change",
            "in the validation",
            "nothing changes there",
            "on another branch",
            "itself",
        ],
    )
    def test_what_quotes_nobody_changes_its_target(self, first: str) -> None:
        facts = first + does("O2", "f", "rename")
        assert kind("O2", "rename", phrase("rename")) in kinds(facts)

    @pytest.mark.parametrize("cause", ["overridden_by", "overrides"])
    def test_a_family_shares_the_change(self, cause: str) -> None:
        facts = does("O1", "Base.save", "rename") + does("O2", "Child.save", "rename")
        assert kinds(facts + link("Base.save", "Child.save", cause)) == {
            kind("O1", "rename", phrase("rename")),
            kind("O2", "rename", phrase("rename")),
        }


class TestParts:
    """Expand, migrate, contract: obligations divide the change of one entity in words."""

    @pytest.mark.parametrize(
        ("first", "second", "named"),
        [
            ("alias", "remove", True),
            (["alias", "remove"], "remove", True),
            ("remove", "remove", False),
            (["alias", "remove"], ["remove", "alias"], False),
            ("alias", "", False),
            ("", "", False),
        ],
        ids=[
            "different",
            "partly different",
            "the same",
            "the same two",
            "one is silent",
            "both are silent",
        ],
    )
    def test_named(self, first: str | list[str], second: str | list[str], named: bool) -> None:
        facts = does("O1", "e", first) + does("O2", "e", second) + does("O3", "f", "widen")
        assert found(facts, "parts_named") == ({'parts_named("e")'} if named else set())

    def test_not_named_by_one_obligation_alone(self) -> None:
        assert found(does("O1", "e", ["alias", "remove"]), "parts_named") == set()

    def test_evidence_goes_to_the_part_whose_words_say_it(self) -> None:
        facts = does("O1", "e", "alias") + does("O2", "e", "remove") + changed("e", "deleted")
        assert kinds(facts) == {
            kind("O1", "added", phrase("alias")),
            kind("O2", "deleted", "change"),
        }

    def test_evidence_that_no_part_says_goes_to_none(self) -> None:
        facts = does("O1", "e", "alias") + does("O2", "e", "remove") + changed("e", "rename")
        assert kinds(facts) == {
            kind("O1", "added", phrase("alias")),
            kind("O2", "deleted", phrase("remove")),
        }

    def test_a_change_that_another_names_is_not_shared(self) -> None:
        facts = does("O1", "e", "remove") + does("O2", "e") + changed("e", "deleted")
        assert found(facts, "kind", "advice") == {
            kind("O1", "deleted", "change"),
            kind("O2", "body", "assumed"),
            'advice(assumed_body,"O2")',
        }

    def test_changes_that_nobody_names_go_to_those_who_name_none(self) -> None:
        facts = does("O1", "e", "remove") + does("O2", "e") + does("O3", "e")
        facts += changed("e", "deleted", "async_changed")
        assert kinds(facts) == {
            kind("O1", "deleted", "change"),
            kind("O2", "async_changed", "change"),
            kind("O3", "async_changed", "change"),
        }

    def test_words_beside_the_named_evidence_do_not_count(self) -> None:
        facts = does("O1", "e", ["remove", "widen"]) + changed("e", "deleted", "rename")
        assert kinds(facts) == {kind("O1", "deleted", "change")}


ROLE_OF = {
    "widen_type": [
        "type_widened",
        "param_added_default",
        "param_type_widened",
        "field_added",
        "config_key_added",
        "override_added",
    ],
    "break_type": [
        "param_added_required",
        "default_removed",
        "signature_changed",
        "async_changed",
        "param_renamed",
        "param_moved",
        "rename",
        "move",
        "field_renamed",
        "config_key_renamed",
        "deleted",
        "import_removed",
        "reexport_removed",
        "param_removed",
        "field_deleted",
        "param_type_narrowed",
        "return_type_widened",
        "decorator_changed",
        "property_changed",
    ],
    "migrate": ["schema_migration"],
    "": [
        "body",
        "behaviour_changed",
        "added",
        "return_type_narrowed",
        "raises_changed",
        "default_changed",
        "field_type",
        "field_value",
        "constant",
        "class_bases",
        "metaclass",
    ],
}


@pytest.mark.parametrize(
    ("change", "name"),
    [(change, name) for name, changes in ROLE_OF.items() for change in changes],
    ids=[change for changes in ROLE_OF.values() for change in changes],
)
def test_role_of_a_change(change: str, name: str) -> None:
    """S-000-031, S-000-033: what widens, what breaks, what migrates."""
    expected = {role("O1", name, f"change({change})")} if name else set()
    assert roles(does("O1", "e") + changed("e", change)) == expected


def test_every_change_of_the_impact_table_has_its_role_or_none() -> None:
    known = only(atoms("impact.lp", ""), "change_kind")
    assert known == {f"change_kind({each})" for changes in ROLE_OF.values() for each in changes}


def test_role_of_a_change_in_words() -> None:
    """S-000-037: without evidence the words decide, and the reason is still the change."""
    assert roles(does("O1", "e", "widen")) == {role("O1", "widen_type", "change(type_widened)")}


WIDENS = does("O1", "e") + changed("e", "type_widened")
WIDENED = role("O1", "widen_type", "change(type_widened)")


class TestRebindConsumer:
    """S-000-031: type-widening, then consumer-rebinding, then compilation."""

    @pytest.mark.parametrize(
        ("facts", "expected"),
        [
            (does("O1", "e", "callers"), {role("O1", "rebind_consumer", phrase("callers"))}),
            (
                does("O1", "e", evidence="callers"),
                {role("O1", "rebind_consumer", phrase("callers"))},
            ),
            (does("O1", "e", validation="callers"), set()),
            (validates("O1", "e", "callers"), set()),
            (does("O1", "e", "callers", status="alternative"), set()),
            (
                does("O1", "e", "callers", verb="preserve"),
                {role("O1", "preserve_default", "verb")},
            ),
        ],
        ids=["cause", "evidence", "validation", "validate", "alternative", "preserve"],
    )
    def test_by_words(self, facts: str, expected: set[str]) -> None:
        assert roles(facts) == expected

    @pytest.mark.parametrize("resolution", ["exact", "typed", "dynamic"])
    def test_by_a_firm_dependency_on_what_is_widened(self, resolution: str) -> None:
        """T7: `A CalledBy B` means that B is the consumer."""
        facts = WIDENS + does("O2", "f") + link("e", "f", "used_by", resolution)
        because = f'impact(used_by,"e",type_widened,{resolution})'
        assert roles(facts) == {WIDENED, role("O2", "rebind_consumer", because)}

    @pytest.mark.parametrize(
        "facts",
        [
            does("O2", "f"),
            does("O2", "f") + link("f", "e"),
            does("O2", "f") + link("e", "f", resolution="heuristic"),
            does("O2", "f") + link("e", "f", resolution="ambiguous"),
            does("O2", "f") + link("e", "f", "tested_by"),
            validates("O2", "f") + link("e", "f"),
            does("O2", "f", status="alternative") + link("e", "f"),
            link("e", "e"),
        ],
        ids=[
            "no dependency",
            "the other way round",
            "heuristic",
            "ambiguous",
            "test",
            "validate",
            "alternative",
            "itself",
        ],
    )
    def test_not_by_anything_less(self, facts: str) -> None:
        assert roles(WIDENS + facts) == {WIDENED}

    def test_not_by_a_dependency_on_what_breaks(self) -> None:
        """Breaking changes are ordered by temporal consistency, not by the ladder."""
        facts = does("O1", "e") + does("O2", "f") + changed("e", "rename") + link("e", "f")
        assert roles(facts) == {role("O1", "break_type", "change(rename)")}

    def test_not_for_what_widens_itself(self) -> None:
        facts = WIDENS + does("O2", "f") + changed("f", "field_added") + link("e", "f")
        assert roles(facts) == {WIDENED, role("O2", "widen_type", "change(field_added)")}

    def test_not_by_words_for_what_evidence_says_is_widened(self) -> None:
        assert roles(does("O1", "e", "callers") + changed("e", "type_widened")) == {WIDENED}


VALIDATE, MODIFY, PRESERVE = "validate", "modify", "preserve"


@pytest.mark.parametrize(
    ("verb", "field", "word", "compiles"),
    [
        (VALIDATE, "caused_by", "compile", True),
        (MODIFY, "evidence", "compile", True),
        (MODIFY, "validation", "compile", False),
        (VALIDATE, "caused_by", "mypy", True),
        (MODIFY, "caused_by", "mypy", False),
        (VALIDATE, "validation", "compile", True),
        (VALIDATE, "validation", "mypy", True),
        (MODIFY, "validation", "mypy", False),
        (VALIDATE, "caused_by", "rename", False),
    ],
)
def test_compile(verb: str, field: str, word: str, compiles: bool) -> None:
    """S-000-031: in the cause or the evidence of any obligation, in what validates one."""
    facts = does("O1", "e", verb=verb, **{field: word})
    assert roles(facts) == ({role("O1", "compile", phrase(word))} if compiles else set())


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (
            validates("O1", "e", validation="compile") + 'needs_test("O1","test_a.py").',
            {role("O1", "run_test", 'test("test_a.py")')},
        ),
        (
            validates("O1", "e", "mypy") + 'needs_test("O1","test_a.py").',
            {
                role("O1", "run_test", 'test("test_a.py")'),
                role("O1", "compile", phrase("mypy")),
            },
        ),
        (does("O1", "e", "compile", status="alternative"), set()),
        (does("O1", "e", "mypy", verb=VALIDATE, status="alternative"), set()),
        (does("O1", "e", verb=VALIDATE, validation="mypy", status="alternative"), set()),
        (
            does("O1", "e", ["callers", "compile"]),
            {role("O1", "rebind_consumer", phrase("callers"))},
        ),
        (does("O1", "e", ["callers", "mypy"], verb=VALIDATE), set()),
        (does("O1", "e", ["usage", "compile"]), {role("O1", "use_shape", phrase("usage"))}),
    ],
    ids=[
        "its validation is a test",
        "its cause is a build, its validation a test",
        "alternative, compile",
        "alternative, build",
        "alternative, validation",
        "consumer",
        "validate of a consumer, build",
        "user of a shape",
    ],
)
def test_compile_or_what_only_looks_like_it(facts: str, expected: set[str]) -> None:
    """S-000-031: the text of a consumer may say that it still compiles."""
    assert roles(facts) == expected


class TestDefaults:
    """S-000-032: the old default is preserved before anything relies on the new one."""

    def test_preserve_is_a_verb(self) -> None:
        facts = does("O1", "e", "old default", verb=PRESERVE)
        facts += does("O2", "e", "old default", verb=PRESERVE, status="alternative")
        assert roles(facts) == {role("O1", "preserve_default", "verb")}

    @pytest.mark.parametrize("field", ["caused_by", "evidence", "validation"])
    def test_old_default_in_words(self, field: str) -> None:
        facts = does("O1", "e", verb=VALIDATE, **{field: "old default"})
        assert roles(facts) == {role("O1", "old_default", phrase("old default"))}

    @pytest.mark.parametrize(
        "facts",
        [
            does("O1", "e", "old default"),
            does("O1", "e", validation="old default"),
            does("O1", "e", "old default", verb=VALIDATE, status="alternative"),
            does("O1", "e", verb=VALIDATE, validation="old default", status="alternative"),
        ],
        ids=["modify", "modify, validation", "alternative", "alternative, validation"],
    )
    def test_old_default_is_re_tested_by_what_validates(self, facts: str) -> None:
        assert roles(facts) == set()

    def test_old_default_by_the_validation_of_what_preserves_it(self) -> None:
        facts = does("O1", "e", verb=PRESERVE) + validates("O2", "f") + does("O3", "g")
        facts += does("O4", "h", verb=VALIDATE, status="alternative") + validates("O5", "i")
        facts += "".join(f'validation("O{n}","test_a.py"). ' for n in (1, 2, 3, 4))
        facts += 'validation("O5","test_b.py"). '
        assert roles(facts) == {
            role("O1", "preserve_default", "verb"),
            role("O2", "old_default", "verb"),
        }

    @pytest.mark.parametrize("verb", [MODIFY, VALIDATE])
    @pytest.mark.parametrize("field", ["caused_by", "evidence"])
    def test_rely_on_default_in_words(self, verb: str, field: str) -> None:
        facts = does("O1", "e", verb=verb, **{field: "new default"})
        assert roles(facts) == {role("O1", "rely_on_default", phrase("new default"))}

    @pytest.mark.parametrize("word", ["new default", "custom"])
    @pytest.mark.parametrize("field", ["caused_by", "evidence", "validation"])
    def test_rely_on_default_by_validating_new_behaviour(self, word: str, field: str) -> None:
        facts = does("O1", "e", verb=VALIDATE, **{field: word})
        assert roles(facts) == {role("O1", "rely_on_default", phrase(word))}

    @pytest.mark.parametrize(
        ("facts", "expected"),
        [
            (does("O1", "e", "custom"), set()),
            (does("O1", "e", validation="new default"), set()),
            (does("O1", "e", "new default", status="alternative"), set()),
            (does("O1", "e", "custom", verb=VALIDATE, status="alternative"), set()),
            (
                does("O1", "e", "new default", verb=PRESERVE),
                {role("O1", "preserve_default", "verb")},
            ),
            (
                does("O1", "e", ["old default", "new default"], verb=VALIDATE),
                {role("O1", "old_default", phrase("old default"))},
            ),
            (
                does("O1", "e", "old default", verb=VALIDATE, validation="custom"),
                {role("O1", "old_default", phrase("old default"))},
            ),
        ],
        ids=[
            "modify of something custom",
            "modify, validation",
            "alternative, default",
            "alternative, custom",
            "preserve",
            "old default and new default",
            "old default and custom",
        ],
    )
    def test_what_does_not_rely_on_the_new_default(self, facts: str, expected: set[str]) -> None:
        assert roles(facts) == expected


MIGRATES = does("O1", "e") + changed("e", "schema_migration")
MIGRATED = role("O1", "migrate", "change(schema_migration)")


class TestUseShape:
    """S-000-033: migrations precede usage."""

    @pytest.mark.parametrize(
        ("facts", "expected"),
        [
            (does("O1", "e", "usage"), {role("O1", "use_shape", phrase("usage"))}),
            (does("O1", "e", evidence="usage"), {role("O1", "use_shape", phrase("usage"))}),
            (validates("O1", "e", "usage"), {role("O1", "use_shape", phrase("usage"))}),
            (does("O1", "e", validation="usage"), set()),
            (does("O1", "e", "usage", status="alternative"), set()),
            (
                does("O1", "e", "usage", verb=PRESERVE),
                {role("O1", "preserve_default", "verb")},
            ),
            (does("O1", "e", "usage") + changed("e", "schema_migration"), {MIGRATED}),
        ],
        ids=["cause", "evidence", "validate", "validation", "alternative", "preserve", "migration"],
    )
    def test_by_words(self, facts: str, expected: set[str]) -> None:
        assert roles(facts) == expected

    @pytest.mark.parametrize("resolution", ["exact", "typed", "dynamic"])
    def test_by_a_firm_dependency_on_what_is_migrated(self, resolution: str) -> None:
        facts = MIGRATES + does("O2", "f") + link("e", "f", "migrated_by", resolution)
        because = f'impact(migrated_by,"e",schema_migration,{resolution})'
        assert roles(facts) == {MIGRATED, role("O2", "use_shape", because)}

    @pytest.mark.parametrize(
        "facts",
        [
            does("O2", "f") + link("f", "e"),
            does("O2", "f") + link("e", "f", resolution="heuristic"),
            does("O2", "f") + link("e", "f", "tested_by"),
            validates("O2", "f") + link("e", "f"),
            does("O2", "f", status="alternative") + link("e", "f"),
            link("e", "e"),
        ],
        ids=["the other way round", "heuristic", "test", "validate", "alternative", "itself"],
    )
    def test_not_by_anything_less(self, facts: str) -> None:
        assert roles(MIGRATES + facts) == {MIGRATED}

    def test_not_for_another_migration(self) -> None:
        facts = MIGRATES + does("O2", "f") + changed("f", "schema_migration") + link("e", "f")
        assert roles(facts) == {MIGRATED, role("O2", "migrate", "change(schema_migration)")}


class TestShareType:
    """S-000-033: shared types precede consumers."""

    def test_by_words(self) -> None:
        facts = does("O1", "e", "shared type") + validates("O2", "f", "shared type")
        assert roles(facts) == {role("O1", "share_type", phrase("shared type"))}

    @pytest.mark.parametrize(
        "kind_", ["class", "interface", "trait", "struct", "enum", "type_alias"]
    )
    def test_by_the_kind_of_the_entity(self, kind_: str) -> None:
        facts = does("O1", "E") + f'entity("E",{kind_}). ' + changed("E", "added")
        assert roles(facts) == {role("O1", "share_type", "change(added)")}

    @pytest.mark.parametrize(
        ("facts", "expected"),
        [
            ('entity("E",function). ' + changed("E", "added"), set()),
            ('entity("E",class). ' + changed("E", "body"), set()),
            ('entity("E",class). ', set()),
            ('entity("F",class). ' + changed("E", "added"), set()),
            (
                'entity("E",class). ' + changed("E", "rename", "added"),
                {role("O1", "break_type", "change(rename)")},
            ),
        ],
        ids=["no type", "only its body", "nobody says how", "another is one", "it breaks"],
    )
    def test_not_for_what_shares_nothing(self, facts: str, expected: set[str]) -> None:
        assert roles(does("O1", "E") + facts) == expected

    def test_not_by_words_for_what_breaks(self) -> None:
        facts = does("O1", "e", "shared type") + changed("e", "deleted")
        assert roles(facts) == {role("O1", "break_type", "change(deleted)")}

    @pytest.mark.parametrize(
        ("facts", "uses"),
        [
            (does("O2", "f") + link("E", "f", "type_used_by"), True),
            (does("O2", "f") + link("E", "f", "type_used_by", "typed"), True),
            (does("O2", "f") + link("E", "f", "type_used_by", "heuristic"), False),
            (does("O2", "f") + link("E", "f", "tested_by"), False),
            (does("O2", "f") + link("f", "E"), False),
            (validates("O2", "f") + link("E", "f"), False),
            (does("O2", "f", status="alternative") + link("E", "f"), False),
            (link("E", "E"), False),
        ],
        ids=[
            "exact",
            "typed",
            "heuristic",
            "test",
            "the other way round",
            "validate",
            "alternative",
            "itself",
        ],
    )
    def test_use_type_by_a_firm_dependency(self, facts: str, uses: bool) -> None:
        resolution = "typed" if "typed)" in facts else "exact"
        because = f'impact(type_used_by,"E",added,{resolution})'
        shares = does("O1", "E") + changed("E", "added") + 'entity("E",class). '
        assert roles(shares + facts) == {role("O1", "share_type", "change(added)")} | (
            {role("O2", "use_type", because)} if uses else set()
        )


def test_define_test() -> None:
    """S-000-034, T10: a definer that is an alternative does not count."""
    facts = does("O1", "t") + validates("O2", "t") + does("O3", "t", verb=PRESERVE)
    facts += does("O4", "t", status="alternative") + does("O5", "t")
    facts += "".join(f'defines_test("O{n}","t.py::a"). ' for n in (1, 2, 3, 4))
    facts += 'defines_test("O1","t.py::b"). '
    assert only(atoms("roles.lp", facts), "role") - {role("O3", "preserve_default", "verb")} == {
        role("O1", "define_test", 'test("t.py::a")'),
        role("O1", "define_test", 'test("t.py::b")'),
    }


def test_run_test() -> None:
    """S-000-034, T10: only `validate` waits for the test that it names."""
    facts = validates("O1", "t") + does("O2", "t") + does("O3", "t", verb=PRESERVE)
    facts += does("O4", "t", verb=VALIDATE, status="alternative") + validates("O5", "t")
    facts += "".join(f'needs_test("O{n}","t.py::a"). ' for n in (1, 2, 3, 4))
    assert roles(facts) - {role("O3", "preserve_default", "verb")} == {
        role("O1", "run_test", 'test("t.py::a")')
    }


@pytest.mark.parametrize(
    ("facts", "advised"),
    [
        (does("O1", "e"), True),
        (does("O1", "e", "no rename"), True),
        (does("O1", "e") + does("O2", "f", "rename") + link("f", "e"), True),
        (does("O1", "e", "rename"), False),
        (does("O1", "e") + changed("e", "body"), False),
        (does("O1", "e", "callers"), False),
        (does("O1", "e", "usage"), False),
        (does("O1", "e", "compile"), False),
        (does("O1", "e") + 'defines_test("O1","t.py::a").', False),
        (validates("O1", "e"), False),
        (does("O1", "e", verb=PRESERVE), False),
        (does("O1", "e", status="alternative"), False),
    ],
    ids=[
        "nothing said",
        "nothing meant",
        "nothing said after a change",
        "words",
        "evidence",
        "consumer",
        "user of a shape",
        "compile",
        "test",
        "validate",
        "preserve",
        "alternative",
    ],
)
def test_a_change_of_which_nothing_is_said_is_advised(facts: str, advised: bool) -> None:
    """S-000-037: no analysis is invented, so it counts as a change of the body."""
    assert found(facts, "advice") == ({'advice(assumed_body,"O1")'} if advised else set())
