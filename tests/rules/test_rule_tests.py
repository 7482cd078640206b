"""The shipped rule tests: every rule file has some, every rule fires, and none can be left out."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from plan07.ruletools import cases, coverage, mutants, mutate
from plan07.ruletools.cases import SUFFIX

DIRECTORY = Path(__file__).resolve().parents[2] / "rules"
RULES = sorted(path.name for path in DIRECTORY.glob("*.lp") if not path.name.endswith(SUFFIX))
TESTS = [str(DIRECTORY / name.replace(".lp", SUFFIX)) for name in RULES]

# Numbers that no rule reads: the reader of evidence does, see tests/cli/test_evidence_impact.py.
READ_BY_PYTHON = {
    "limits.const_max_dependents: without the rule",
    "limits.const_max_impact_edges: without the rule",
}


@cache
def bench() -> mutate.Bench:
    return mutate.Bench(None, TESTS)


def test_every_rule_file_has_tests() -> None:
    assert [path for path in TESTS if not Path(path).is_file()] == []


def test_every_rule_fires_and_every_refusal_has_a_case_for_and_a_case_against_it() -> None:
    found = coverage.measure([draft for path in TESTS for draft in cases.read(path)])
    assert [(each.rule, each.missing) for each in found.rules if each.missing] == []
    assert {each.status for each in found.outcomes} == {"passed"}


@pytest.mark.parametrize("name", RULES)
def test_no_rule_can_be_left_out_without_a_test_that_fails(name: str) -> None:
    """`plan07 rules mutate` tries other changes too, which takes longer."""
    left = [
        mutant.label
        for index, mutant in enumerate(bench().mutants(name))
        if mutant.kind == mutants.RULE and mutant.label not in READ_BY_PYTHON
        if bench().tried(name, index)[0] != mutate.KILLED
    ]
    assert left == []
