"""limits.lp: which numbers hold."""

from __future__ import annotations

import clingo.ast
import pytest
from support import LIMITS, RULES, atoms


@pytest.mark.parametrize(("name", "number"), LIMITS.items(), ids=LIMITS.keys())
def test_number_of_a_limit(name: str, number: int) -> None:
    """S-000-038, S-000-058, T3: the caps of the build spec, and those that follow from 32 KB."""
    assert atoms("limits.lp", f"value({name}).") == {f"value({number})"}


@pytest.mark.parametrize("name", LIMITS)
def test_a_run_may_override_a_limit(name: str) -> None:
    assert atoms("limits.lp", f"value({name}).", {name: 7}) == {"value(7)"}


def test_there_is_no_other_limit() -> None:
    names: list[str] = []

    def collect(node: clingo.ast.AST) -> None:
        if node.ast_type == clingo.ast.ASTType.Definition:
            names.append(node.name)

    clingo.ast.parse_files([str(RULES / "limits.lp")], collect)
    assert sorted(names) == sorted(LIMITS)
