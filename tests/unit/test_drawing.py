"""The graph of a plan as a tree of text, Mermaid or DOT, with the state of each node."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from driving import Checks, document, opened, step, written

from plan07 import drawing, rulebook
from plan07.partition import stand


def drawn(found: dict[str, Any], form: str) -> str:
    return drawing.FORMS[form](found, stand(found, rulebook.load()))


@pytest.fixture
def plan(tmp_path: Path) -> dict[str, Any]:
    """A plan that has a node in each state."""
    records = [
        step("O1"),
        step("O2", "O1"),
        step("O3", "O2"),
        step("O4", "O1", "O3"),
        step("O5", "O6"),
        step("O6", "O5", "O1"),
        step("O7", "O5"),
        step("O8", status="alternative"),
    ]
    path = written(tmp_path, *records)
    planner = opened(path, Checks(failing=["O2"]))
    planner.validate("O1")
    planner.validate("O2")
    return document(path)


def test_a_tree(plan: dict[str, Any]) -> None:
    assert drawn(plan, "tree").splitlines() == [
        "[x] O1 modify pkg.O1 (complete)",
        "[?] O8 modify pkg.O8 (alternative)",
        "  [!] O2 modify pkg.O2 (failed)  after O1",
        "  [>] cycle:O5 modify pkg.O5 and 1 more (ready)  after O1",
        "    [-] O3 modify pkg.O3 (stranded)  after O2",
        "    [.] O7 modify pkg.O7 (blocked)  after cycle:O5",
        "      [-] O4 modify pkg.O4 (stranded)  after O1, O3",
        "",
        "[>] ready  [.] blocked  [?] alternative  [x] complete  [!] failed  [-] stranded",
    ]


def test_mermaid(plan: dict[str, Any]) -> None:
    lines = drawn(plan, "mermaid").splitlines()
    assert lines[0] == "flowchart TD"
    assert '  n0["O1 modify<br/>pkg.O1"]:::complete' in lines
    assert '  n4["cycle:O5 modify<br/>pkg.O5 and 1 more"]:::ready' in lines
    assert "  n0 --> n4" in lines
    assert "  classDef failed fill:#ffcdd2" in lines
    assert len([line for line in lines if "-->" in line]) == 6


def test_dot(plan: dict[str, Any]) -> None:
    lines = drawn(plan, "dot").splitlines()
    assert lines[0] == "digraph plan {"
    assert lines[-1] == "}"
    assert '  "O2" [label="O2 modify\\npkg.O2", fillcolor="#ffcdd2"];' in lines
    assert '  "O1" -> "cycle:O5";' in lines


HOSTILE = 'x"];\nevil\x1b[31m --> y; <script>\\'


@pytest.mark.parametrize("form", sorted(drawing.FORMS))
def test_no_name_leaves_its_label(plan: dict[str, Any], form: str) -> None:
    """What stands in a file is data: no control character, quote or bracket acts."""
    before = drawn(plan, form)
    changed = copy.deepcopy(plan)
    changed["nodes"][0]["target_entity"] = HOSTILE
    after = drawn(changed, form)
    assert "\x1b" not in after
    assert len(after.splitlines()) == len(before.splitlines())
    if form == "mermaid":
        (line,) = [each for each in after.splitlines() if each.startswith("  n0[")]
        assert line.count('"') == 2
        assert "<script>" not in line
    if form == "dot":
        (line,) = [each for each in after.splitlines() if each.startswith('  "O1" [')]
        assert line.replace("\\\\", "").replace('\\"', "").count('"') == 6


def test_a_long_chain_needs_no_recursion() -> None:
    nodes = [
        {**step(f"O{number}", *([f"O{number - 1}"] if number else [])), "state": "pending"}
        for number in range(1500)
    ]
    known: dict[str, int] = {}
    assert drawing._depth("O1499", {node["id"]: node for node in nodes}, known) == 1499
    assert known["O700"] == 700


def test_a_ring_that_something_else_wrote_ends() -> None:
    nodes = {
        name: {**step(name, other), "state": "pending"} for name, other in (("A", "B"), ("B", "A"))
    }
    assert drawing._depth("A", nodes, {}) == 1
