"""The guide of the rules is true: its steps, what its commands print, its rules and its table."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import walkthrough
from support import EXAMPLES

Run = Callable[..., Any]

GUIDE = walkthrough.GUIDE.read_text("utf-8")
_TABLE = re.compile(r"<!-- survivors -->\n(.*)\n<!-- end -->", re.S)


def test_every_command_of_the_guide_prints_what_is_shown() -> None:
    """From "I want all documentation edits last" to a tested overlay."""
    assert GUIDE.count("<!-- run: ") == 11
    walked = walkthrough.walked(GUIDE)
    assert _TABLE.sub("", walked) == _TABLE.sub("", GUIDE)


def test_what_no_test_notices_is_listed_with_its_reason() -> None:
    found = _TABLE.search(GUIDE)
    assert found is not None
    assert found[1] == walkthrough.survivors()


def test_the_overlay_of_the_guide_ends_well() -> None:
    last = GUIDE.split("<!-- run: plan07 rules mutate policies --rules policies  -->")[1]
    said = last.split("```")[1].strip().splitlines()[-1]
    assert said == "8 changes: 8 noticed, 0 explained, 0 neither"


@pytest.mark.parametrize("stage", ["graph", "schedule"])
def test_what_a_rule_may_say_is_accepted(run: Run, tmp_path: Path, stage: str) -> None:
    block = GUIDE.split("## What a rule may say")[1].split("```prolog\n")[1].split("```")[0]
    parts = re.findall(r"^% .*Stage: (\w+)\n((?:(?!^% ).*\n)*)", block, re.M)
    assert [each for each, _ in parts] == ["graph", "graph", "schedule"]
    text = "".join(rules for each, rules in parts if each == stage)
    path = tmp_path / "billing.lp"
    path.write_text(f"%# Billing: what?\n%\n% Stage: {stage}\n\n{text}", "utf-8")
    found = run("rules", "check", "--rules", tmp_path, "--json").document()
    assert [each for each in found["findings"] if each["level"] == "error"] == []
    plan = EXAMPLES / "overlays" / "documentation-last" / "new-option.plan.json"
    assert run("solve", plan, "--rules", tmp_path).status == 0


def test_the_links_of_the_guide_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)]+)\)", GUIDE)
    headings = {
        re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-")
        for line in GUIDE.splitlines()
        if line.startswith("#")
    }
    for link in links:
        path, _, anchor = link.partition("#")
        assert (walkthrough.GUIDE.parent / path).exists(), link
        assert path or anchor in headings, link
