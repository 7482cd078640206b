"""Sentences, sections, predicates, constraints and candidates of a request, one rule at a time."""

from __future__ import annotations

from typing import Any

import pytest
import request_corpus
from request_corpus import NAMES, golden, outcome, text_of, written

from plan07.canonicalize import LARGEST_REQUEST, canonicalize, read, render
from plan07.errors import InputError, PlanRefused
from plan07.request import predicates
from plan07.request.candidates import derived
from plan07.request.lines import section_of
from plan07.request.sentences import clean, mask, split


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        (" please  Fix X, thanks ", "Fix X"),
        ("please, thanks", ""),
        ("As always, sort it.", "sort it"),
        ("Fix it as always.", "Fix it"),
        ("Behave as always when no timeout is given", "Behave as always when no timeout is given"),
        ("Could you please fix X?", "fix X"),
        ("Could it be X?", "Could it be X?"),
        ("Hey @bob, add Y", "add Y"),
        ("Thanks for the tool, please add a dark mode", "add a dark mode"),
        ("Fix the thanks page", "Fix the thanks page"),
        ("Add a button that says thanks", "Add a button that says thanks"),
        ("It shall work as always", "It shall work as always"),
        ("thanks to the cache it is fast", "thanks to the cache it is fast"),
        ("Design a page to please users", "Design a page to please users"),
        ("customers who are pleased", "customers who are pleased"),
        ('Remove "please" and `please  wait`', 'Remove "please" and `please  wait`'),
        ("set --please-wait and please_wait()", "set --please-wait and please_wait()"),
        ("- [x] **Bold** and [a link](https://example.org)", "Bold and a link"),
        ("[BUG] it crashes", "it crashes"),
        ("Drop IE, Opera, etc.", "Drop IE, Opera, etc."),
        ("请求超时应该可配置\uff0c谢谢\uff01", "请求超时应该可配置"),
        ("请添加进度条", "添加进度条"),
    ],
    ids=lambda each: each[:24],
)
def test_clean(text: str, cleaned: str) -> None:
    """S-000-011: framing and list marks go, words within words, quotations and code stay."""
    assert clean(text) == cleaned
    assert clean(cleaned) == cleaned


def test_the_mask_hides_code_quotations_and_links() -> None:
    text = "a `b` \"c d\" https://e.f 'g' don't"
    assert mask(text) == "a \0\0\0 \0\0\0\0\0 \0\0\0\0\0\0\0\0\0\0\0 \0\0\0 don't"


def test_split_knows_abbreviations_versions_and_other_stops() -> None:
    assert list(split("See e.g. v3.11. It works! 好的。是")) == [
        *("See e.g. v3.11.", "It works!", "好的。", "是"),
    ]


@pytest.mark.parametrize(
    ("heading", "section"),
    [
        ("## Acceptance Criteria:", "criteria"),
        ("✅ Definition of done", "criteria"),
        ("Erwartetes Verhalten", "criteria"),
        ("验收标准", "criteria"),
        ("Steps to reproduce", "skip"),
        ("Out of scope", "scope"),
        ("Session timeout", None),
    ],
)
def test_section_of(heading: str, section: str | None) -> None:
    assert section_of(heading) == section


@pytest.mark.parametrize(
    ("sentence", "criteria"),
    [
        ("The list should be sorted.", ["The list should be sorted"]),
        ("Fix it so that tests/test_a.py::test_b passes", ["tests/test_a.py::test_b passes"]),
        ("tests/test_a.py::test_b fails on main", ["tests/test_a.py::test_b passes"]),
        ("`make test` fails on ARM", ["`make test` succeeds"]),
        ("Run `pytest -q`", ["`pytest -q` succeeds"]),
        ("Edit `pytest.ini`", []),
        ("Return 404 for unknown ids", ["Return 404 for unknown ids"]),
        ("It returns 500 for unknown ids", []),
        ("The cache no longer raises KeyError", ["The cache no longer raises KeyError"]),
        ("The cache no longer works", []),
        ("No longer works on ARM", []),
        ("No longer export `Client.old`", ["No longer export `Client.old`"]),
        (
            "Make sure that ids are kept, and that names are shown",
            ["ids are kept", "names are shown"],
        ),
        ("It is done when the docs are built", ["the docs are built"]),
        ("Given a cart, when it is empty, then 400 comes", None),
        ("I expected a 404 but got a 500", ["I expected a 404"]),
        ("This should be easy", []),
        ("That should not be necessary.", []),
        ("Should it be sorted?", []),
        ("Users have to restart the app", []),
        ("It must not crash on empty input", ["It must not crash on empty input"]),
        ("Reduce the start to under 150 ms", ["Reduce the start to under 150 ms"]),
    ],
    ids=lambda each: each[:32] if isinstance(each, str) else "",
)
def test_criteria_of_a_sentence(sentence: str, criteria: list[str] | None) -> None:
    """S-000-012."""
    found = [each.text for each in predicates.named(sentence) if each.kind == "criterion"]
    assert found == ([sentence] if criteria is None else criteria)


@pytest.mark.parametrize(
    ("sentence", "constraints"),
    [
        ("Sort it without changing the API", ["without changing the API"]),
        ("It fails without printing anything", []),
        ("Users without a session get a 401", []),
        ("It must not change the wire format", ["It must not change the wire format"]),
        ("Do not break old clients", ["Do not break old clients"]),
        ("Add X but keep Y", ["keep Y"]),
        ("Users keep getting errors", []),
        ("Add X; it has to stay backwards compatible", None),
        ("It must still work on Python 3.9", ["It must still work on Python 3.9"]),
        ("Supports Python 3.10+", ["Supports Python 3.10+"]),
        ("Add an index within 500 MB", ["within 500 MB"]),
        ("Listing takes 40 seconds", []),
        ("p95 of the listing < 50 ms", ["p95 of the listing < 50 ms"]),
        ("Ohne Änderung der Schnittstelle", ["Ohne Änderung der Schnittstelle"]),
    ],
    ids=lambda each: each[:32] if isinstance(each, str) else "",
)
def test_constraints_of_a_sentence(sentence: str, constraints: list[str] | None) -> None:
    found = [each.text for each in predicates.named(sentence) if each.kind == "constraint"]
    assert found == ([sentence] if constraints is None else constraints)


def test_a_sentence_without_subject_is_no_goal() -> None:
    """Somebody speaks of himself first, and what comes later says only what must not change."""
    found = canonicalize("Our audit flagged the date picker.\n\nMust not break old browsers.")
    assert found["goal"] == "Our audit flagged the date picker"
    assert found["constraints"] == ["Must not break old browsers"]


@pytest.mark.parametrize(
    ("goal", "candidates"),
    [
        ("Make the session timeout configurable", ["the session timeout is configurable"]),
        ("Make the tests pass on ARM", ["the tests pass on ARM"]),
        ("Rename `a` to `b`", ["`a` is renamed to `b`"]),
        ("Remove the old flags", ["the old flags are removed"]),
        ("Clean up the CLI", ["the CLI is cleaned up"]),
        ("Allow admins to unlock users", ["admins can unlock users"]),
        ("Let users change their address", ["users can change their address"]),
        ("Fix the crash on empty input", ["this no longer happens: the crash on empty input"]),
        ("Upload of empty files fails", ["this no longer happens: Upload of empty files fails"]),
        ("Add and remove users", ["Add and remove users"]),
        ("Document how to start", ["how to start is documented"]),
        ("Keyboard navigation", ["Keyboard navigation"]),
        ("Refactor", []),
    ],
)
def test_candidates(goal: str, candidates: list[str]) -> None:
    """S-000-013."""
    assert derived(goal) == candidates


@pytest.mark.parametrize("name", NAMES)
def test_the_corpus(name: str) -> None:
    """Real-world shapes of requests; each golden file was read and judged by a person."""
    assert written(outcome(text_of(name))) == golden(name).read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_requirement_reads_as_itself(name: str) -> None:
    """S-000-011: f(f(x)) == f(x), on the goal, on each predicate and on the whole."""
    found = outcome(text_of(name))
    if "refused" in found:
        return
    assert canonicalize(render(found)) == found
    assert canonicalize(f"{found['goal']}\n\n- [ ] it is done")["goal"] == found["goal"]
    for text in (*found["acceptance_criteria"], *found["constraints"]):
        assert clean(text) == text


def test_the_corpus_is_large_and_golden_files_have_a_request() -> None:
    assert len(NAMES) >= 60
    goldens = {file.stem for file in request_corpus.DIRECTORY.glob("*.json")}
    assert goldens == set(NAMES)


def test_a_ticked_box_is_a_claim_that_the_plan_ends_by_checking() -> None:
    found = canonicalize("Rework it\n\n- [x] a works\n- [ ] b works\n")
    assert found["acceptance_criteria"] == ["a works", "b works"]


def test_prose_gives_way_to_a_list_where_both_exceed_the_cap() -> None:
    prose = "".join(f"Part {number} should be read. " for number in range(10))
    listed = "".join(f"- [ ] column {number} is read\n" for number in range(10))
    reading = read(f"Rewrite the importer\n\n{prose}\n\n{listed}")
    assert reading.requirement["acceptance_criteria"] == [
        f"column {number} is read" for number in range(10)
    ]
    assert [each.why for each in reading.skipped] == ["said outside of the listed criteria"] * 10


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("\ud800", "REQUEST_INVALID"),
        ("Fix \0 it", "REQUEST_INVALID"),
        ({"goal": "x"}, "REQUEST_INVALID"),
        (b"Fix it", "REQUEST_INVALID"),
        (None, "REQUEST_INVALID"),
        ("a" * (LARGEST_REQUEST + 1), "REQUEST_TOO_LARGE"),
    ],
    ids=["surrogate", "NUL", "dict", "bytes", "None", "large"],
)
def test_what_cannot_be_read(value: Any, code: str) -> None:
    """S-000-015."""
    with pytest.raises(InputError) as caught:
        canonicalize(value)
    assert (caught.value.code, caught.value.phase) == (code, "canonicalize")
    assert caught.value.fix


def test_the_line_of_an_unreadable_character_is_told() -> None:
    with pytest.raises(InputError) as caught:
        canonicalize("Fix it\n\nand \udc80 too")
    assert caught.value.detail == {"line": 3}


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("only-")])
def test_a_refusal_quotes_the_request(name: str) -> None:
    text = text_of(name)
    with pytest.raises(PlanRefused) as caught:
        canonicalize(text)
    assert caught.value.code == "EMPTY_GOAL"
    assert text[:10].split("\n")[0] in caught.value.message
