"""How a plan stands, where rules of a user's have a say."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import obligation, plan, solve

from plan07 import artifact, partition, rulebook

REQUIREMENT = {"goal": "Describe the option"}


@pytest.mark.parametrize(
    "wish",
    [
        'lies_in(O, "docs/")',
        'target(O, "docs/options.md")',
        "ordinal(O, 1)",
        'validation(O, "of O1")',
        'obligation(O), O = "O1"',
    ],
)
def test_a_wish_holds_while_a_plan_is_driven(tmp_path: Path, wish: str) -> None:
    """What it may ask for of the schedule it may ask for here."""
    text = f"% Stage: schedule\nprefer(O, 5) :- {wish}.\n"
    (tmp_path / "mine.lp").write_text(text, "utf-8")
    value = plan(obligation("O1", target="docs/options.md", validation="of O1"), obligation("O2"))
    made = artifact.new("plan", REQUIREMENT, solve(value))
    assert partition.stand(made, rulebook.load()).exposed == "O1"
    assert partition.stand(made, rulebook.load(tmp_path)).exposed == "O2"
