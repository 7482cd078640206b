"""The reader of JUnit XML: outcomes of tests, and what a hostile file cannot do."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from plan07_encoders import junit
from plan07_encoders.junit import Case, JUnitError
from trees import codes, read, repository

from plan07 import recon
from plan07.recon import NodeRow

NODES = {
    "tests/test_a.py": [
        NodeRow("tests.test_a.test_one", "function", "test_one", "tests/test_a.py", 1, 2),
        NodeRow("tests.test_a.TestB.test_two", "method", "test_two", "tests/test_a.py", 5, 6),
    ]
}
REPORT = """<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" tests="5">
  <testcase classname="tests.test_a" name="test_one[x]" time="0.25"/>
  <testcase classname="tests.test_a.TestB" name="test_two" time="1,000.5">
    <failure message="assert 1 == 2">tests/test_a.py:6: AssertionError</failure>
    <error message="teardown"/>
  </testcase>
  <testcase classname="tests.test_gone" name="test_x" time="nan"><skipped message="no"/></testcase>
  <testcase file="tests/test_a.py" classname="tests.test_a.TestB" name="test_two">
    <system-out>noise</system-out></testcase>
  <testcase classname="" name="alone" time="-1"><error/></testcase>
</testsuite></testsuites>
"""


def cases(text: str | bytes) -> list[Case]:
    return list(junit.cases(io.BytesIO(text.encode() if isinstance(text, str) else text)))


def test_every_case() -> None:
    said = "assert 1 == 2\ntests/test_a.py:6: AssertionErrorteardown\n"
    assert cases(REPORT) == [
        Case("test_one[x]", "tests.test_a", "", "passed", 0.25, ""),
        Case("test_two", "tests.test_a.TestB", "", "failed", 1000.5, said),
        Case("test_x", "tests.test_gone", "", "skipped", None, ""),
        Case("test_two", "tests.test_a.TestB", "tests/test_a.py", "passed", None, ""),
        Case("alone", "", "", "error", None, "\n"),
    ]


@pytest.mark.parametrize("time", ["inf", "-inf", "nan", "-3", "soon", ""])
def test_times_that_are_none(time: str) -> None:
    (case,) = cases(f"<testsuite><testcase name='t' time='{time}'/></testsuite>")
    assert case.seconds is None


def test_names_by_which_tests_are_found() -> None:
    assert [each.test for each in cases(REPORT)] == [
        "tests.test_a.test_one[x]",
        "tests.test_a.TestB.test_two",
        "tests.test_gone.test_x",
        "tests/test_a.py::TestB::test_two",
        "alone",
    ]


def test_outcomes_become_rows(tmp_path: Path) -> None:
    where = repository(tmp_path, {"tests/test_a.py": ""}, NODES)
    (tmp_path / "junit.xml").write_text(REPORT, "utf-8")
    assert read(junit.read, where).tests == [
        recon.TestRow(
            "tests/test_a.py::test_one[x]", "tests.test_a.test_one", "junit", "passed", 0.25
        ),
        recon.TestRow(
            "tests/test_a.py::TestB::test_two",
            "tests.test_a.TestB.test_two",
            "junit",
            "failed",
            1000.5,
        ),
        recon.TestRow("tests.test_gone.test_x", None, "junit", "skipped", None),
        recon.TestRow(
            "tests/test_a.py::TestB::test_two",
            "tests.test_a.TestB.test_two",
            "junit",
            "passed",
            None,
        ),
        recon.TestRow("alone", None, "junit", "error", None),
    ]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("junit.xml", True),
        ("junit-3.11.xml", True),
        ("reports/TEST-shop.xml", True),
        ("test-results/results.xml", False),
        ("test-results/test-results.xml", True),
        ("pytest.xml", True),
        ("pom.xml", False),
        ("deep/down/junit.xml", False),
    ],
)
def test_where_results_are_looked_for(tmp_path: Path, path: str, found: bool) -> None:
    where = repository(tmp_path, {path: REPORT})
    assert [name for name, _ in junit.found(where)] == ([path] if found else [])
    assert [each for each in where.looked_at if not each.endswith("/")] == ([path] if found else [])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_encodings(encoding: str) -> None:
    head = f'<?xml version="1.0" encoding="{encoding}"?>'
    text = f'{head}<testsuite><testcase name="t\u00e9"/></testsuite>'
    assert [each.name for each in cases(text.encode(encoding))] == ["t\u00e9"]


BOMB = (
    '<!DOCTYPE b [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9))
    + ']><testsuite><testcase name="&j;"/></testsuite>'
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BOMB, "line 1: it defines an entity, 'a'; such files are not read"),
        (
            '<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuite>&x;</testsuite>',
            "line 1: it defines an entity, 'x'; such files are not read",
        ),
        ("", "line 1, column 1: no element found"),
        ("no xml", "line 1, column 1: syntax error"),
        ("<testsuite>\n <testcase>", "line 2, column 12: no element found"),
        ("<testsuite></testsuites>", "line 1, column 14: mismatched tag"),
        ("<project/>", "line 1: it begins with 'project', not with testsuite"),
        ("<testsuite>" * 70, "line 1: it is nested too deeply"),
        (
            b"<testsuite><testcase name='\xff'/></testsuite>",
            "line 1, column 28: not well-formed (invalid token)",
        ),
        ("<testsuite>&nope;</testsuite>", "line 1, column 12: undefined entity"),
        (
            '<?xml version="1.0" encoding="klingon"?><testsuite/>',
            "it cannot be decoded: unknown encoding: klingon",
        ),
    ],
    ids=[
        *("bomb", "external", "empty", "text", "cut", "mismatch", "other", "deep", "bytes"),
        *("undefined", "encoding"),
    ],
)
def test_what_is_no_report(tmp_path: Path, text: str | bytes, said: str) -> None:
    with pytest.raises(JUnitError) as caught:
        cases(text)
    assert str(caught.value) == said
    where = repository(tmp_path, {"a.py": ""})
    (tmp_path / "junit.xml").write_bytes(text if isinstance(text, bytes) else text.encode())
    part = read(junit.read, where)
    assert (codes(part), part.tests) == (["JUNIT_INVALID"], [])
    assert part.notes[0].message == f"junit.xml is left out: {said}"


def test_texts_are_kept_to_a_bound() -> None:
    long = "x" * 300_000
    (case,) = cases(
        f"<testsuite><testcase name='t'><failure>{long}</failure></testcase></testsuite>"
    )
    assert len(case.text) == 65_536


def test_a_file_beyond_the_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(junit, "LARGEST_BYTES", 100)
    where = repository(tmp_path, {"junit.xml": REPORT})
    assert read(junit.read, where).notes[0].message == (
        "junit.xml is left out: it has more than 100 bytes"
    )
