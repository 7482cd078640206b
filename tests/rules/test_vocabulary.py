"""vocabulary.lp: which phrases in caused_by, evidence and validation mean what."""

from __future__ import annotations

import re
from functools import cache

import pytest
from support import atoms, only

from plan07 import lexis

_ENTRY = re.compile(r'lexicon\("([^"]+)",(.+)\)')


@cache
def entries() -> frozenset[tuple[str, str]]:
    """Return the (phrase, meaning) pairs of the lexicon."""
    found = [_ENTRY.fullmatch(atom) for atom in only(atoms("vocabulary.lp", ""), "lexicon")]
    return frozenset((each[1], each[2]) for each in found if each)


def read(text: str) -> list[str]:
    """Return what the phrases of a text mean, in their order."""
    lexicon = dict(entries())
    return [lexicon[phrase] for phrase in lexis.phrases(text, frozenset(lexicon))]


def roles(facts: str) -> set[str]:
    return only(atoms("roles.lp", facts), "role", "kind", "advice")


TEXTS = {
    # Compatible changes.
    "requirement: type-widening of the timeout": ["change(type_widened)"],
    "new optional parameter for load()": ["change(param_added_default)"],
    "add a helper for parsing": ["change(added)"],
    "new field timeout": ["change(field_added)"],
    "new config key session.timeout": ["change(config_key_added)"],
    "return type narrowed to int": ["change(return_type_narrowed)"],
    "param_type_widened": ["change(param_type_widened)"],
    "schema change in SessionConfig": ["change(type_widened)"],
    # Breaking changes, together.
    "renamed to store": ["change(rename)"],
    "moved into pkg.core": ["change(move)"],
    "impact06: sig change": ["nothing", "change(signature_changed)"],
    "new required parameter": ["change(param_added_required)"],
    "drop the default of timeout": ["change(default_removed)"],
    "rename parameter seconds": ["change(param_renamed)"],
    "timeout becomes keyword-only": ["change(param_moved)"],
    "sync to async": ["change(async_changed)"],
    "make property of get_x": ["change(decorator_changed)"],
    "raise instead of returning": ["change(raises_changed)"],
    "rename column user_id": ["change(field_renamed)"],
    "rename setting TIMEOUT": ["change(config_key_renamed)"],
    "breaking change of the API": ["change(signature_changed)"],
    # Breaking changes, dependents first.
    "delete the shim": ["change(deleted)"],
    "unimport os": ["change(import_removed)"],
    "remove parameter verbose": ["change(param_removed)"],
    "narrowing of the input": ["change(param_type_narrowed)"],
    "may return None now": ["change(return_type_widened)"],
    "drop column user_id": ["change(field_deleted)"],
    # Re-read, seldom edited.
    "default changed to 30": ["change(default_changed)"],
    "other base class": ["change(class_bases)"],
    "requirement: body change": ["change(body)"],
    # Data shapes.
    "schema/migration 0002": ["change(schema_migration)"],
    # Roles.
    "consumer re-bind": ["role(rebind_consumer)"],
    "compile the package": ["role(compile)"],
    "run mypy": ["role(build)"],
    "relies on the default": ["role(rely_on_default)"],
    "a custom timeout is honoured": ["role(new_behaviour)"],
    "old-default behaviour preserved": ["role(old_default)"],
    "usage of the table": ["role(use_shape)"],
    "shared type of all workers": ["role(share_type)"],
    # Phrases that hide another one.
    "no breaking change to the public Session API": ["nothing"],
    "rename, not delete": ["change(rename)", "nothing"],
    "hard-coded default of 30": ["nothing"],
}


@pytest.mark.parametrize(("text", "expected"), TEXTS.items(), ids=TEXTS.keys())
def test_what_a_text_says(text: str, expected: list[str]) -> None:
    """S-000-031 to S-000-033, T7: a closed list of phrases."""
    assert read(text) == expected


WHOLE = {
    "impact06: sig change → consumer re-bind": [
        "nothing",
        "change(signature_changed)",
        "role(rebind_consumer)",
    ],
    "Type-Widening; CONSUMER_RE-BIND, then compile|build": [
        "change(type_widened)",
        "role(rebind_consumer)",
        "role(compile)",
        "role(build)",
    ],
    "migration, then usage": ["change(schema_migration)", "role(use_shape)"],
    "preserve default behavior": ["role(old_default)"],
    "06 DAG edge CalledBy / 03 recon call graph": [],
    "unrenamed": [],
    "": [],
}


@pytest.mark.parametrize(("text", "expected"), WHOLE.items(), ids=WHOLE.keys())
def test_texts_of_the_build_spec_and_its_like(text: str, expected: list[str]) -> None:
    """T7: case and punctuation do not matter, words are whole, the longest phrase wins."""
    assert read(text) == expected


def test_every_phrase_is_normalised() -> None:
    """One to six lower-case words, joined by single spaces."""
    words = re.compile(r"[a-z0-9]+( [a-z0-9]+){0,5}")
    assert {phrase for phrase, _ in entries() if not words.fullmatch(phrase)} == set()


def test_every_phrase_can_be_found() -> None:
    known = frozenset(phrase for phrase, _ in entries())
    assert {phrase for phrase in known if lexis.phrases(phrase, known) != [phrase]} == set()


def test_every_phrase_means_one_thing() -> None:
    phrases = [phrase for phrase, _ in entries()]
    assert sorted(phrases) == sorted(set(phrases))


def test_every_meaning_is_of_a_form_that_is_read() -> None:
    form = re.compile(r"change\(\w+\)|role\(\w+\)|nothing")
    assert {meaning for _, meaning in entries() if not form.fullmatch(meaning)} == set()


def test_every_change_is_a_kind_that_the_impact_table_knows() -> None:
    known = only(atoms("impact.lp", ""), "change_kind")
    said = {meaning for _, meaning in entries() if meaning.startswith("change(")}
    assert {each.replace("change(", "change_kind(") for each in said} - known == set()


def test_every_role_makes_a_difference_to_the_roles() -> None:
    """Whatever an obligation of some verb says, in its words or its validation."""
    said = {meaning for _, meaning in entries() if meaning.startswith("role(")}
    unread = set(said)
    for verb in ("modify", "validate"):
        facts = f'obligation("O1"). verb("O1",{verb}). target("O1","e"). '
        for field in ("caused_by", "validation"):
            phrase = f'phrase("O1",{field},"p"). '
            for meaning in said:
                if roles(facts + phrase + f'lexicon("p",{meaning}).') != roles(facts):
                    unread.discard(meaning)
    assert unread == set()


def test_nothing_means_nothing_to_the_roles() -> None:
    facts = 'obligation("O1"). verb("O1",modify). target("O1","e"). '
    assert roles(facts + 'phrase("O1",caused_by,"p"). lexicon("p",nothing).') == roles(facts)
