"""The reader of `.coverage`: which test ran which function."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest
from coveragefile import MONEY, NODES, TEST, record
from plan07_encoders import coverage
from trees import codes, edges, read, repository

from plan07 import recon
from plan07.recon import EdgeRow, NodeRow, Repository

TAX = "tests/test_money.py::test_tax[1]|run"
PRICE = "tests/test_money.py::TestItem::test_price|run"


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    files = {"src/money.py": MONEY, "tests/test_money.py": TEST}
    return repository(tmp_path, files, NODES)


RAN = {
    "": {"src/money.py": [1, 4, 6, 16, 17]},
    TAX: {"src/money.py": [4, 5, 8, 10, 13, 11]},
    PRICE: {"src/money.py": [19, 8, 13], "tests/test_money.py": [7]},
}
EXPECTED = {
    ("tests.test_money.test_tax", "tests", "money.tax"),
    ("tests.test_money.test_tax", "tests", "money.tax.round_up"),
    ("tests.test_money.TestItem.test_price", "tests", "money.tax"),
    ("tests.test_money.TestItem.test_price", "tests", "money.Item.price"),
}


@pytest.mark.parametrize("arcs", [False, True], ids=["lines", "branches"])
def test_a_test_runs_the_functions_whose_bodies_it_runs(shop: Repository, arcs: bool) -> None:
    record(Path(shop.root), RAN, arcs=arcs)
    part = read(coverage.read, shop)
    assert edges(part) == EXPECTED
    assert codes(part) == []


def test_the_edge_in_full(shop: Repository) -> None:
    record(Path(shop.root), RAN)
    (found,) = [each for each in read(coverage.read, shop).edges if each.dst == "money.Item.price"]
    assert found == EdgeRow(
        "tests.test_money.TestItem.test_price",
        "tests",
        "money.Item.price",
        "tests/test_money.py",
        6,
        1,
        "dynamic",
        1.0,
        "coverage",
    )


def test_the_line_of_the_def_is_run_by_whoever_imports(shop: Repository) -> None:
    """Headers of several lines, defaults and decorators too."""
    record(Path(shop.root), {TAX: {"src/money.py": [1, 4, 6, 16, 17, 18]}})
    assert edges(read(coverage.read, shop)) == set()


def test_tests_are_not_tested(shop: Repository) -> None:
    """What one test runs of the tests' own files is no function under test."""
    record(Path(shop.root), {TAX: {"tests/test_money.py": [2, 7], "src/money.py": [13]}})
    assert edges(read(coverage.read, shop)) == {("tests.test_money.test_tax", "tests", "money.tax")}


def test_parameters_of_a_test_add_up(shop: Repository) -> None:
    one, two = {"src/money.py": [13]}, {"src/money.py": [13]}
    record(Path(shop.root), {TAX: one, TAX.replace("[1]", "[2]"): two})
    part = read(coverage.read, shop)
    assert [(each.dst, each.times) for each in part.edges] == [("money.tax", 2)]
    assert part.tests == [
        recon.TestRow(
            f"tests/test_money.py::test_tax[{n}]", "tests.test_money.test_tax", "coverage"
        )
        for n in (1, 2)
    ]


@pytest.mark.parametrize(
    "context",
    [
        "tests/test_money.py::test_tax",
        "tests/test_money.py::test_tax[a::b]|setup",
        "tests/test_money.py::test_tax|teardown",
        "test_money.py::test_tax",
        "tests.test_money.test_tax",
        "test_money.test_tax",
    ],
)
def test_names_of_contexts(shop: Repository, context: str) -> None:
    """pytest-cov writes node ids; coverage itself, with dynamic_context, dotted names."""
    record(Path(shop.root), {context: {"src/money.py": [13]}})
    assert edges(read(coverage.read, shop)) == {("tests.test_money.test_tax", "tests", "money.tax")}


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("{root}/src/money.py", True),
        ("src/money.py", True),
        ("/home/ci/work/shop/src/money.py", True),
        ("C:\\work\\shop\\src\\money.py", True),
        ("/usr/lib/python3/money.py", False),
        ("/elsewhere/money.py", False),
    ],
)
def test_paths_of_here_and_of_other_machines(shop: Repository, path: str, known: bool) -> None:
    record(Path(shop.root), {TAX: {path.format(root=shop.root): [13]}})
    part = read(coverage.read, shop)
    assert (edges(part) != set(), codes(part)) == (known, [] if known else ["COVERAGE_OUTSIDE"])


@pytest.mark.parametrize("line", [2, 9, 400], ids=["empty", "empty-within", "beyond"])
def test_a_file_that_changed_since_is_left_out(shop: Repository, line: int) -> None:
    record(Path(shop.root), {TAX: {"src/money.py": [13, line]}})
    part = read(coverage.read, shop)
    assert (edges(part), codes(part)) == (set(), ["COVERAGE_STALE"])


def test_a_test_that_nobody_knows(shop: Repository) -> None:
    record(Path(shop.root), {"tests/test_gone.py::test_x|run": {"src/money.py": [13]}})
    part = read(coverage.read, shop)
    assert codes(part) == ["COVERAGE_UNKNOWN"]
    assert part.tests == [recon.TestRow("tests/test_gone.py::test_x", None, "coverage")]


def test_without_contexts_nothing_is_known_of_tests(shop: Repository) -> None:
    record(Path(shop.root), {"": {"src/money.py": [13]}})
    part = read(coverage.read, shop)
    assert (edges(part), codes(part)) == (set(), ["COVERAGE_NO_CONTEXTS"])
    assert "--cov-context=test" in part.notes[0].fix


def test_no_coverage(shop: Repository) -> None:
    assert list(coverage.read(shop)) == []


def test_a_source_that_does_not_parse(shop: Repository) -> None:
    (Path(shop.root) / "src" / "money.py").write_text("def tax(:\n" * 20, "utf-8")
    record(Path(shop.root), {TAX: {"src/money.py": [13]}})
    assert edges(read(coverage.read, shop)) == set()


class TestHostileFiles:
    def left_out(self, shop: Repository) -> str:
        part = read(coverage.read, shop)
        assert codes(part) == ["COVERAGE_INVALID"]
        message = part.notes[0].message
        assert message.startswith(".coverage is left out: ")
        return message.removeprefix(".coverage is left out: ")

    def test_no_database(self, shop: Repository) -> None:
        (Path(shop.root) / ".coverage").write_text("!coverage.py: old format", "utf-8")
        assert self.left_out(shop) == "file is not a database"

    def test_another_database(self, shop: Repository) -> None:
        with contextlib.closing(sqlite3.connect(Path(shop.root) / ".coverage")) as database:
            database.execute("CREATE TABLE file(id, path)")
        assert self.left_out(shop) == "it has no table context"

    def test_a_view_in_place_of_a_table(self, shop: Repository) -> None:
        """One that never ends would be read forever."""
        record(Path(shop.root), RAN)
        with contextlib.closing(sqlite3.connect(Path(shop.root) / ".coverage")) as database:
            database.executescript(
                "DROP TABLE line_bits; CREATE VIEW line_bits AS WITH RECURSIVE n(i) AS "
                "(SELECT 1 UNION ALL SELECT i+1 FROM n) "
                "SELECT 1 AS file_id, i AS context_id, x'00' AS numbits FROM n"
            )
        assert self.left_out(shop) == "it has no table line_bits"

    def test_a_missing_column(self, shop: Repository) -> None:
        record(Path(shop.root), RAN)
        with contextlib.closing(sqlite3.connect(Path(shop.root) / ".coverage")) as database:
            database.execute("ALTER TABLE context RENAME COLUMN context TO other")
        assert self.left_out(shop) == "its table context has no column context"

    def test_a_database_that_is_cut_off(self, shop: Repository) -> None:
        record(Path(shop.root), RAN)
        place = Path(shop.root) / ".coverage"
        place.write_bytes(place.read_bytes()[:5000])
        assert self.left_out(shop) == "database disk image is malformed"

    def test_values_of_wrong_types(self, shop: Repository) -> None:
        record(Path(shop.root), RAN)
        with contextlib.closing(sqlite3.connect(Path(shop.root) / ".coverage")) as database:
            for number, value in enumerate(["text", 7, None, 1.5, b""], 10):
                database.execute("INSERT INTO context VALUES(?,?)", (number, value))
                row = (2, number, value)
                database.execute("INSERT INTO line_bits VALUES(?,?,?)", row)
                database.execute("INSERT INTO file VALUES(?,?)", (number, value))
            database.execute("INSERT INTO arc VALUES(1, 2, 'x', 99999999999)")
            database.commit()
        part = read(coverage.read, shop)
        assert edges(part) == EXPECTED

    def test_nothing_is_left_beside_it(self, shop: Repository) -> None:
        record(Path(shop.root), RAN)
        before = sorted(each.name for each in Path(shop.root).iterdir())
        read(coverage.read, shop)
        assert sorted(each.name for each in Path(shop.root).iterdir()) == before


def test_a_function_that_is_defined_for_each_platform(tmp_path: Path) -> None:
    """One entity is known, with the lines of the first definition."""
    text = "if WIN:\n    def tax():\n        return 1\nelse:\n    def tax():\n        return 2\n"
    tax = [NodeRow("money.tax", "function", "tax", "src/money.py", 2, 3)]
    files = {"src/money.py": text, "tests/test_money.py": TEST}
    record(tmp_path, {TAX: {"src/money.py": [6]}})
    where = repository(tmp_path, files, {**NODES, "src/money.py": tax})
    assert edges(read(coverage.read, where)) == {
        ("tests.test_money.test_tax", "tests", "money.tax")
    }


def test_bodies_are_without_what_they_define() -> None:
    found = {each.name: (each.line, sorted(each.lines)) for each in coverage.bodies(MONEY)}
    assert found == {"tax": (4, [8, 13]), "round_up": (10, [11]), "price": (17, [19])}


def test_bodies_of_what_nests_without_end() -> None:
    assert coverage.bodies("(" * 5000) == []
    assert coverage.bodies("x = " + "-" * 50_000 + "1") in ([], [])
