"""Whatever a request holds: a requirement within the caps, or a refusal; and f(f(x)) == f(x)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plan07.canonicalize import LARGEST_REQUEST, canonicalize, render
from plan07.errors import InputError, PlanRefused
from plan07.models import Requirement
from plan07.request.sentences import clean, mask

PIECES = (
    *("please", "thanks", "as always", "Fix", "Make", "Add", "X", "the list", "should", "must not"),
    *(
        "without breaking",
        "keep",
        "so that",
        "`a  b`",
        '"c d"',
        "tests/test_a.py::test_b",
        "passes",
    ),
    *("- ", "- [ ] ", "- [x] ", "1. ", "# ", "## Acceptance criteria", "Expected:", "> ", "```"),
    *("<!--", "-->", "|", "---", "\n", "\n\n", "  ", "\t", ".", ",", "?", ":", "**", "[x](y)", "é"),
    *(
        "应该",
        "请",
        "谢谢",
        "🚀",
        "\u202e",
        "\u2028",
        "\r\n",
        "{",
        "}",
        "'",
        "Given",
        "When",
        "Then",
    ),
    *("Traceback (most recent call last):", "KeyError: 'x'", "<b>", "and", "under 5 ms", "@bob,"),
)
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join),
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    st.text(max_size=120),
)


@given(TEXTS)
@settings(max_examples=150, deadline=None)
def test_a_requirement_within_the_caps_or_a_refusal(text: str) -> None:
    """S-000-010, S-000-011, S-000-016, S-000-017."""
    try:
        found = canonicalize(text)
    except (PlanRefused, InputError) as error:
        assert error.fix
        return
    Requirement.model_validate(found, strict=False)
    assert json.loads(json.dumps(found)) == found
    for each in (found["goal"], *found["acceptance_criteria"], *found["constraints"]):
        assert each.splitlines() == [each]
        assert "```" not in each or each == found["goal"]
    assert canonicalize(text) == found


@given(TEXTS)
@settings(max_examples=150, deadline=None)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    """S-000-011."""
    assert clean(clean(text)) == clean(text)


@given(st.text(alphabet="ab`\"' \n“”«»", max_size=60))
@settings(max_examples=200, deadline=None)
def test_a_mask_is_as_long_as_its_text(text: str) -> None:
    assert len(mask(text)) == len(text)
    assert all(b in (a, "\0") for a, b in zip(text, mask(text), strict=True))


WORDS = st.lists(st.sampled_from(("list", "cache", "user", "page", "`a b`", '"c"')), min_size=2)
SENTENCES = WORDS.map(lambda words: " ".join(words[:12]))


@given(
    SENTENCES,
    st.lists(SENTENCES, min_size=1, max_size=16, unique=True),
    st.lists(SENTENCES, max_size=16, unique=True),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_what_is_rendered_reads_as_itself(
    goal: str, criteria: list[str], constraints: list[str], derived: bool
) -> None:
    """S-000-011."""
    requirement = {
        "goal": goal,
        "acceptance_criteria": criteria,
        "constraints": constraints,
        **({"needs_confirmation": True} if derived else {}),
    }
    assert canonicalize(render(requirement)) == requirement


SHAPES = ("`", "``a` ", "“", "[", "**a", "<b", "<!--", "given when ", "so that ", "- a:\n", "((a,")


@pytest.mark.parametrize("shape", SHAPES)
def test_time_is_linear_in_the_largest_request(shape: str) -> None:
    """Patterns that went back and forth would not come to an end here."""
    text = shape * (LARGEST_REQUEST // len(shape) // 4)
    try:
        canonicalize(text)
    except PlanRefused as refusal:
        assert refusal.violations
