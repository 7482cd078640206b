"""Reasons, read off the terms of the rules."""

from __future__ import annotations

import re
from typing import ClassVar

import pytest
from support import RULES

from plan07 import explain
from plan07.explain import Reason, reason_of, reasons_of, sentence
from plan07.facts import Term, constant, fact

DECLARED = constant("declared")


def ladder(number: int, name: str, because: Term) -> Term:
    return fact("ladder", number, constant(name), because)


def impact(order: str, cause: str = "called_by", change: str = "rename") -> Term:
    return fact("impact", constant(order), constant(cause), "a.f", "b.g", constant(change))


@pytest.mark.parametrize(
    ("term", "reason", "text"),
    [
        (DECLARED, Reason("declared", "declared"), "the plan says so"),
        (
            constant("derived"),
            Reason("derived", "derived"),
            "derived when the plan was scheduled",
        ),
        (
            ladder(1, "widen_then_rebind", fact("impact", constant("called_by"), "a.f", "b.g")),
            Reason("R1", "widen_then_rebind", "CalledBy", ("a.f", "b.g")),
            "the type is widened before its consumers are re-bound: a.f CalledBy b.g",
        ),
        (
            ladder(2, "preserve_then_rely", constant("words")),
            Reason("R2", "preserve_then_rely", words="words"),
            "the old default is preserved before anything relies on the new one (words)",
        ),
        (
            impact("together"),
            Reason("impact", "together", "CalledBy", ("a.f", "b.g"), "rename"),
            "neither order is valid alone: a.f CalledBy b.g (rename)",
        ),
        (
            impact("definition_first", "imported_by", "param_added_default"),
            Reason(
                "impact", "definition_first", "ImportedBy", ("a.f", "b.g"), "param added default"
            ),
            "the definition comes first: a.f ImportedBy b.g (param added default)",
        ),
        (fact("friday_rule", "x"), Reason("friday_rule", "friday_rule"), "friday rule"),
        ("because", Reason("rule", "because"), "because"),
        (7, Reason("rule", "7"), "7"),
    ],
    ids=[
        *("declared", "derived", "evidence", "words", "together", "underscores"),
        *("a rule of an overlay", "a text", "a number"),
    ],
)
def test_a_reason_and_its_sentence(term: Term, reason: Reason, text: str) -> None:
    assert reason_of(term) == reason
    assert sentence(reason) == text


def test_a_shim_is_not_told_as_a_relation() -> None:
    term = fact(
        "impact", constant("shim_first"), constant("preserve"), "a", "a", constant("rename")
    )
    assert sentence(reason_of(term)) == "what keeps the old form alive comes first (rename)"


def test_names_of_the_user_stay_as_they_are() -> None:
    """The underscores of a test are not those of a constant."""
    term = ladder(4, "define_then_run", fact("test", "tests/test_a.py::test_b_c"))
    assert sentence(reason_of(term)) == (
        "the test is defined before it runs (test tests/test_a.py::test_b_c)"
    )


def test_no_text_of_the_evidence_acts_on_a_terminal() -> None:
    term = fact(
        "impact", constant("together"), constant("x"), "a\x1b[31m", "b\n", constant("rename")
    )
    text = sentence(reason_of(term))
    assert text == "neither order is valid alone: a\\u001b[31m X b\\u000a (rename)"


class TestReasonsOf:
    MEMBER_OF: ClassVar = {"O1": "O1", "O2": "O1", "O3": "O3"}
    NAMES: ClassVar = {"O1": "cycle:O1", "O3": "O3"}

    def test_the_pair_within_a_composite_is_told(self) -> None:
        rows: list[tuple[str, str, Term]] = [("O2", "O3", DECLARED), ("O1", "O2", DECLARED)]
        assert reasons_of([("O1", "O3")], rows, self.MEMBER_OF, self.NAMES) == [
            {
                "edge": ["cycle:O1", "O3"],
                "reason": "declared",
                "rule": "declared",
                "obligations": ["O2", "O3"],
                "text": "the plan says so",
            }
        ]

    def test_every_reason_of_an_edge_in_the_order_of_the_edges(self) -> None:
        itself = {each: each for each in ("O1", "O2", "O3")}
        rows: list[tuple[str, str, Term]] = [
            ("O1", "O2", DECLARED),
            ("O2", "O3", DECLARED),
            ("O1", "O2", impact("definition_first")),
        ]
        found = reasons_of([("O2", "O3"), ("O1", "O2")], rows, itself, itself)
        assert [(each["edge"], each["rule"]) for each in found] == [
            (["O2", "O3"], "declared"),
            (["O1", "O2"], "declared"),
            (["O1", "O2"], "definition_first"),
        ]
        assert found[2]["evidence"] == {"cause": "CalledBy", "from": "a.f", "to": "b.g"}
        assert "obligations" not in found[0]


def test_every_rung_and_order_of_the_rules_has_words() -> None:
    text = "".join((RULES / name).read_text("utf-8") for name in ("ladder.lp", "temporal.lp"))
    rungs = set(re.findall(r"^rung\(\d, \w+, \w+, (\w+)\)", text, re.M))
    orders = set(re.findall(r"impact\((\w+_first|together),", text))
    assert len(rungs) == 9
    assert orders == {"definition_first", "dependents_first", "shim_first", "together"}
    for rule in rungs | orders:
        assert sentence(Reason("", rule)) != rule.replace("_", " "), rule
    assert explain._RULES.keys() == rungs | orders | {"declared", "derived"}
