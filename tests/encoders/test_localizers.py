"""Suspects: Ochiai over coverage, tracebacks, SARIF and pyright."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from coveragefile import MONEY, NODES, TEST, record
from plan07_encoders import sarif, spectrum, traceback
from plan07_encoders.traceback import Frame
from trees import repository

from plan07.errors import Finding, InputError
from plan07.localize import Given, Localizer, Suspect
from plan07.recon import Repository

# Both tests run `tax`; only the one that fails runs `price` and the helper of `tax`.
RAN = {
    "tests/test_money.py::test_tax|run": {"src/money.py": [8, 13]},
    "tests/test_money.py::TestItem::test_price|run": {"src/money.py": [19, 8, 13, 11]},
}


def report(**failed: bool) -> str:
    """Return JUnit XML of the two tests."""
    rows = {"test_tax": "tests.test_money", "test_price": "tests.test_money.TestItem"}
    cases = "".join(
        f'<testcase classname="{rows[name]}" name="{name}">'
        + ("<failure>src/money.py:19: in price\n</failure>" if is_failed else "")
        + "</testcase>"
        for name, is_failed in failed.items()
    )
    return f"<testsuite>{cases}</testsuite>"


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    return repository(tmp_path, {"src/money.py": MONEY, "tests/test_money.py": TEST}, NODES)


def write(shop: Repository, name: str, text: str) -> str:
    place = Path(shop.root) / name
    place.write_text(text, "utf-8")
    return str(place)


def suspects(locate: Localizer, shop: Repository, **given: list[str]) -> set[tuple[Any, ...]]:
    """Return (path, start, end, score) of suspects."""
    found = [each for each in locate(shop, given) if isinstance(each, Suspect)]
    return {(each.path, each.start_line, each.end_line, round(each.score, 4)) for each in found}


def notes(locate: Localizer, shop: Repository, given: Given) -> list[str]:
    return [each.code for each in locate(shop, given) if isinstance(each, Finding)]


class TestSpectrum:
    @pytest.mark.parametrize(
        ("failing", "passing", "failures", "score"),
        [
            (0, 0, 1, 0.0),
            (1, 0, 1, 1.0),
            (1, 1, 1, 0.7071),
            (1, 0, 4, 0.5),
            (2, 6, 2, 0.5),
            (1, 1, 0, 0),
        ],
    )
    def test_the_measure(self, failing: int, passing: int, failures: int, score: float) -> None:
        assert round(spectrum.ochiai(failing, passing, failures), 4) == score

    def test_a_function_is_as_suspect_as_its_most_suspect_line(self, shop: Repository) -> None:
        record(Path(shop.root), RAN)
        write(shop, "junit.xml", report(test_tax=False, test_price=True))
        assert suspects(spectrum.locate, shop) == {
            ("src/money.py", 19, 19, 1.0),
            ("src/money.py", 11, 11, 1.0),
            ("src/money.py", 8, 13, 0.7071),
        }

    def test_why(self, shop: Repository) -> None:
        record(Path(shop.root), RAN)
        write(shop, "junit.xml", report(test_tax=False, test_price=True))
        found = [each for each in spectrum.locate(shop, {}) if isinstance(each, Suspect)]
        assert {each.start_line: each.why for each in found} == {
            19: "run by 1 of 1 failing and 0 passing tests",
            11: "run by 1 of 1 failing and 0 passing tests",
            8: "run by 1 of 1 failing and 1 passing tests",
        }
        assert {each.origin for each in found} == {"spectrum"}

    def test_what_tells_of_a_failure_is_half_as_suspect(self, tmp_path: Path) -> None:
        text = "class Item:\n    def __repr__(self):\n        return 'Item'\n"
        files = {"src/money.py": text, "tests/test_money.py": TEST}
        shop = repository(tmp_path, files, NODES)
        record(tmp_path, {"tests/test_money.py::test_tax|run": {"src/money.py": [3]}})
        write(shop, "junit.xml", report(test_tax=True))
        (found,) = spectrum.locate(shop, {})
        assert found == Suspect(
            *("src/money.py", 3, 3, 0.5, "spectrum"),
            "run by 1 of 1 failing and 0 passing tests, perhaps to tell of the failure",
        )

    def test_a_test_that_fails_once_failed(self, shop: Repository) -> None:
        """The same test may be reported twice, or pass for other parameters."""
        record(Path(shop.root), RAN)
        write(shop, "junit.xml", report(test_tax=False, test_price=True))
        write(shop, "junit_again.xml", report(test_price=False))
        assert ("src/money.py", 19, 19, 1.0) in suspects(spectrum.locate, shop)

    def test_no_test_fails(self, shop: Repository) -> None:
        record(Path(shop.root), RAN)
        write(shop, "junit.xml", report(test_tax=False, test_price=False))
        assert notes(spectrum.locate, shop, {}) == ["SPECTRUM_EMPTY"]

    def test_a_failing_test_without_a_context(self, shop: Repository) -> None:
        record(Path(shop.root), {"": {"src/money.py": [19]}})
        write(shop, "junit.xml", report(test_price=True))
        (note,) = [each for each in spectrum.locate(shop, {}) if isinstance(each, Finding)]
        assert note.message.endswith("1 tests failed, and none of them has a coverage context")

    def test_a_file_that_changed_since(self, shop: Repository) -> None:
        record(Path(shop.root), {"tests/test_money.py::test_tax|run": {"src/money.py": [2]}})
        write(shop, "junit.xml", report(test_tax=True))
        assert notes(spectrum.locate, shop, {}) == ["COVERAGE_STALE"]

    def test_files_that_are_given(self, shop: Repository, tmp_path: Path) -> None:
        record(Path(shop.root), RAN)
        place = write(shop, "elsewhere.txt", report(test_tax=True))
        assert suspects(spectrum.locate, shop) == set()
        # A context whose outcome is not known is no passing test.
        assert suspects(spectrum.locate, shop, junit=[place]) == {("src/money.py", 8, 13, 1.0)}

    def test_files_of_other_formats_are_no_reason_to_look(self, shop: Repository) -> None:
        record(Path(shop.root), RAN)
        write(shop, "junit.xml", report(test_price=True))
        assert suspects(spectrum.locate, shop, sarif=["x"]) == set()

    def test_files_that_are_broken(self, shop: Repository) -> None:
        write(shop, ".coverage", "no database")
        write(shop, "junit.xml", "no xml")
        assert notes(spectrum.locate, shop, {}) == ["JUNIT_INVALID", "COVERAGE_INVALID"]


PYTHON = """Traceback (most recent call last):
  File "/usr/lib/python3/runpy.py", line 5, in run
  File "{root}/tests/test_money.py", line 2, in test_tax
    tax(1)
  File "{root}/src/money.py", line 13, in tax
  File "{root}/src/money.py", line 11, in round_up
ZeroDivisionError
"""


class TestTraceback:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ('  File "a.py", line 3, in f', [Frame("a.py", 3)]),
            ('E     File "a.py", line 3', [Frame("a.py", 3)]),
            ("a/b.py:3: in f\na/c.py:4: ValueError", [Frame("a/c.py", 4), Frame("a/b.py", 3)]),
            ("C:\\x\\a.py:3: in f", [Frame("C:\\x\\a.py", 3)]),
            (
                "    at f (src/a.ts:3:5)\n    at src/b.ts:7:1",
                [Frame("src/a.ts", 3), Frame("src/b.ts", 7)],
            ),
            ("\tat com.shop.Cart.total(Cart.java:12)", [Frame("Cart.java", 12)]),
            ("a.py:3: error: something", []),
            ("nothing\nof:1: the kind", []),
        ],
        ids=["python", "pytest-quoted", "pytest", "windows", "node", "java", "other", "none"],
    )
    def test_frames_the_innermost_first(self, text: str, expected: list[Frame]) -> None:
        assert traceback.frames(text) == expected

    def test_the_innermost_is_the_likeliest(self, shop: Repository) -> None:
        place = write(shop, "out.txt", PYTHON.format(root=shop.root))
        assert suspects(traceback.locate, shop, text=[place]) == {
            ("src/money.py", 11, 11, 0.8),
            ("src/money.py", 13, 13, 0.48),
            ("tests/test_money.py", 2, 2, 0.3),
        }

    def test_what_several_name_counts_by_the_best(self, shop: Repository) -> None:
        text = PYTHON.format(root=shop.root) + "____ test_price ____\nsrc/money.py:13: in tax\n"
        place = write(shop, "out.txt", text)
        found = list(traceback.locate(shop, {"text": [place]}))
        whys = {each.start_line: each.why for each in found if isinstance(each, Suspect)}
        assert whys == {11: "in 1 traceback", 13: "in 2 tracebacks", 2: "in 1 traceback"}
        assert ("src/money.py", 13, 13, 0.8) in suspects(traceback.locate, shop, text=[place])

    def test_results_are_looked_for(self, shop: Repository) -> None:
        write(shop, "junit.xml", report(test_price=True))
        assert suspects(traceback.locate, shop) == {("src/money.py", 19, 19, 0.8)}
        assert suspects(traceback.locate, shop, sarif=["x"]) == set()

    def test_what_cannot_be_read(self, shop: Repository) -> None:
        place = write(shop, "junit.xml", "<x/>")
        given = {"junit": [place], "text": [f"{shop.root}/gone"]}
        assert notes(traceback.locate, shop, given) == ["JUNIT_INVALID", "FILE_UNREADABLE"]

    def test_lines_without_end(self, shop: Repository) -> None:
        place = write(shop, "out.txt", "at " * 200_000 + "\n" + "a" * 500_000 + "\n" + "(" * 9999)
        assert suspects(traceback.locate, shop, text=[place]) == set()


def sarif_of(*results: dict[str, Any], **run: Any) -> str:
    driver = {"tool": {"driver": {"name": "lint"}}}
    return json.dumps({"version": "2.1.0", "runs": [{**driver, "results": list(results), **run}]})


def result(uri: str = "src/money.py", line: int | None = 13, **more: Any) -> dict[str, Any]:
    region = {} if line is None else {"region": {"startLine": line}}
    place = {"physicalLocation": {"artifactLocation": {"uri": uri}, **region}}
    return {"ruleId": "R1", "message": {"text": "bad\n thing"}, "locations": [place], **more}


class TestSarif:
    @pytest.mark.parametrize(
        ("more", "score"),
        [
            ({}, 0.4),
            ({"level": "error"}, 0.7),
            ({"level": "note"}, 0.2),
            ({"level": "none"}, None),
            ({"rank": 90.0}, 0.9),
            ({"rank": -1.0, "level": "error"}, 0.7),
            ({"kind": "pass"}, None),
            ({"kind": "open"}, 0.4),
            ({"suppressions": [{"kind": "inSource"}]}, None),
            ({"suppressions": []}, 0.4),
        ],
        ids=str,
    )
    def test_scores(self, shop: Repository, more: dict[str, Any], score: float | None) -> None:
        place = write(shop, "x.sarif", sarif_of(result(**more)))
        expected = set() if score is None else {("src/money.py", 13, 13, score)}
        assert suspects(sarif.locate, shop, sarif=[place]) == expected

    @pytest.mark.parametrize(
        "uri",
        [
            "src/money.py",
            "file://{root}/src/money.py",
            "file:///ci/x/src/money.py",
            "./src/money.py",
        ],
    )
    def test_paths(self, shop: Repository, uri: str) -> None:
        place = write(shop, "x.sarif", sarif_of(result(uri.format(root=shop.root))))
        assert suspects(sarif.locate, shop, sarif=[place]) == {("src/money.py", 13, 13, 0.4)}

    def test_artifacts_and_bases(self, shop: Repository) -> None:
        location = {
            "physicalLocation": {
                "artifactLocation": {"index": 0},
                "region": {"startLine": 4, "endLine": 9},
            }
        }
        text = sarif_of(
            {"locations": [location], "message": {"text": "m"}},
            artifacts=[{"location": {"uri": "money.py", "uriBaseId": "SRC"}}],
            originalUriBaseIds={"SRC": {"uri": f"file://{shop.root}/src/"}},
        )
        place = write(shop, "x.sarif", text)
        (found,) = sarif.locate(shop, {"sarif": [place]})
        assert found == Suspect("src/money.py", 4, 9, 0.4, "sarif", "lint: m")

    @pytest.mark.parametrize(
        "uri", ["https://example.org/src/money.py", "../money.py", "", "/etc/passwd"]
    )
    def test_what_lies_elsewhere(self, shop: Repository, uri: str) -> None:
        place = write(shop, "x.sarif", sarif_of(result(uri)))
        assert suspects(sarif.locate, shop, sarif=[place]) == set()

    def test_every_fault_has_its_place(self, shop: Repository) -> None:
        text = sarif_of(result(line=0), result(level="fatal"), {"ruleId": 3})
        place = write(shop, "x.sarif", text)
        with pytest.raises(InputError) as caught:
            list(sarif.locate(shop, {"sarif": [place]}))
        found = caught.value.violations
        assert [each.detail["type"] for each in found] == [
            *("greater_than_equal", "literal_error", "string_type")
        ]
        columns = [each.detail["column"] for each in found]
        assert columns == [text.index(": 0") + 3, text.index('"fatal"') + 1, text.index(": 3") + 3]


class TestPyright:
    def text(self, *found: dict[str, Any]) -> str:
        return json.dumps({"version": "1", "generalDiagnostics": list(found), "summary": {}})

    def test_diagnostics(self, shop: Repository) -> None:
        spot = {"start": {"line": 3, "character": 1}, "end": {"line": 4, "character": 0}}
        base = {"file": f"{shop.root}/src/money.py", "message": "bad\u00a0 thing"}
        place = write(
            shop,
            "x.json",
            self.text(
                {**base, "severity": "error", "range": spot, "rule": "reportX"},
                {**base, "severity": "warning"},
                {**base, "severity": "error", "file": "/usr/lib/other.py", "range": spot},
            ),
        )
        assert list(sarif.locate_pyright(shop, {"pyright": [place]})) == [
            Suspect("src/money.py", 4, 5, 0.7, "pyright", "reportX: bad thing"),
            Suspect("src/money.py", 1, 1, 0.4, "pyright", "warning: bad thing"),
        ]

    def test_faults(self, shop: Repository) -> None:
        place = write(shop, "x.json", self.text({"file": "a", "severity": "fatal", "message": 1}))
        with pytest.raises(InputError) as caught:
            list(sarif.locate_pyright(shop, {"pyright": [place]}))
        assert caught.value.code == "PYRIGHT_INVALID"
        assert len(caught.value.violations) == 2
