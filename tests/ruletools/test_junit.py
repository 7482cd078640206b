"""Outcomes of rule tests as JUnit XML."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from plan07.errors import InputError
from plan07.ruletools import junit
from plan07.ruletools.outcomes import Missing, Outcome

OUTCOMES = [
    Outcome("p/a_test.lp", "test_x", 3, "passed"),
    Outcome("p/a_test.lp", "test_y", 7, "failed", (Missing('q("<&\x1b")', 8, ()),), ("r(1)",)),
    Outcome("p/b_test.lp", "test_z", 1, "error", problems=("it cannot fail",)),
]


def test_a_suite_for_each_file() -> None:
    root = ElementTree.fromstring(junit.document(OUTCOMES))
    assert [suite.attrib for suite in root] == [
        {"name": "a_test.lp", "tests": "2", "failures": "1", "errors": "0"},
        {"name": "b_test.lp", "tests": "1", "failures": "0", "errors": "1"},
    ]
    passed, failed, error = root.iter("testcase")
    assert passed.attrib == {
        "classname": "a_test.lp",
        "name": "test_x",
        "file": "p/a_test.lp",
        "line": "3",
    }
    assert list(passed) == []
    failure = failed[0]
    assert (failure.tag, failure.get("message")) == (
        "failure",
        'line 8: expected, not derived: q("<&\\u001b")',
    )
    assert (failure.text or "").splitlines()[-1] == "derived, not expected: r(1)"
    assert (error[0].tag, error[0].get("message")) == ("error", "it cannot fail")


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(InputError) as raised:
        junit.write(str(tmp_path / "nowhere" / "report.xml"), OUTCOMES)
    assert raised.value.code == "JUNIT_UNWRITABLE"
    junit.write(str(tmp_path / "report.xml"), OUTCOMES)
    assert (tmp_path / "report.xml").read_text("utf-8") == junit.document(OUTCOMES)
