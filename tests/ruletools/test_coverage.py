"""Which rules fire in which tests, and which refusals have a case for and a case against them."""

from __future__ import annotations

from pathlib import Path

import pytest

from plan07.ruletools import cases, coverage
from plan07.ruletools.coverage import FAILING, FIRED, NEVER, Coverage, RuleCoverage

RULES = """\
% Stage: graph
docs("README").
violation(late, O) :- target(O, E), docs(E), not verb(O, validate).
violation(never, O) :- target(O, E), E = "x", verb(O, preserve).
violation(bare, plan) :- flag.
#defined flag/0.
seen(O) :- target(O, _).
many :- #count { O : seen(O) } > max_x.
#const max_x = 2.
"""
TESTS = """\
#program test_late. target("O1", "README"). violation_expected(late, "O1").
#program test_validate. target("O1", "README"). verb("O1", validate).
#program test_fails. target(("O1"; "O2"; "O3"), "y"). forbid(many).
#program test_bare. flag. violation_expected(bare, plan).
"""


@pytest.fixture
def found(tmp_path: Path) -> Coverage:
    """Return what tests make of rules beside them."""
    (tmp_path / "late.lp").write_text(RULES, encoding="utf-8")
    path = tmp_path / "late_test.lp"
    path.write_text(TESTS, encoding="utf-8")
    return coverage.measure(cases.read(str(path)))


def test_coverage(found: Coverage) -> None:
    every = ("test_late", "test_validate", "test_bare", "test_fails")

    def rule(name: str, line: int, kind: str, status: str, *tests: str) -> RuleCoverage:
        return RuleCoverage(f"late.{name}", "late.lp", line, kind, status, tests, ())

    assert found.rules == (
        rule("docs", 2, "fact", FIRED, *every),
        rule("late", 3, "violation", FIRED, "test_late")._replace(against=("test_validate",)),
        rule("never", 4, "violation", NEVER),
        rule("bare", 5, "violation", FIRED, "test_bare")._replace(
            against=("test_late", "test_validate")
        ),
        rule("seen", 7, "derivation", FIRED, "test_late", "test_validate", "test_fails"),
        rule("many", 8, "derivation", FAILING, "test_fails"),
    )
    assert [each.missing for each in found.rules] == [
        (), (), (NEVER, "no case against it"), (), (), (FAILING,),
    ]  # fmt: skip
    assert (found.fired, len(found.refusals)) == (4, 3)
    assert [each.status for each in found.outcomes] == ["passed", "passed", "failed", "passed"]


def test_limits_of_a_test_are_those_it_runs_with(tmp_path: Path) -> None:
    (tmp_path / "late.lp").write_text(RULES, encoding="utf-8")
    path = tmp_path / "late_test.lp"
    path.write_text(
        '#program test_few. limit(max_x, 0). target("O1", "y"). expect(many).', encoding="utf-8"
    )
    (many,) = (
        each for each in coverage.measure(cases.read(str(path))).rules if each.rule == "late.many"
    )
    assert (many.status, many.tests) == (FIRED, ("test_few",))


def test_a_constraint_of_a_user_is_a_refusal(tmp_path: Path) -> None:
    (tmp_path / "mine.lp").write_text(
        '% Stage: graph\n:- target(O, "vendor"), verb(O, modify).\n', encoding="utf-8"
    )
    path = tmp_path / "mine_test.lp"
    path.write_text(
        '#program test_it. target("O1", "vendor"). verb("O1", modify). violations(any).\n'
        'expect(violation(_, "O1")).\n#program test_not. target("O1", "vendor").\n',
        encoding="utf-8",
    )
    (rule,) = coverage.measure(cases.read(str(path))).rules
    assert (rule.kind, rule.tests, rule.against) == ("constraint", ("test_it",), ("test_not",))
