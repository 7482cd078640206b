"""Small `.coverage` files for tests, and a repository that they are about."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path

from plan07.recon import NodeRow

SCHEMA = """
CREATE TABLE coverage_schema(version integer); INSERT INTO coverage_schema VALUES(7);
CREATE TABLE meta(key text, value text, unique (key));
CREATE TABLE file(id integer primary key, path text, unique (path));
CREATE TABLE context(id integer primary key, context text, unique (context));
CREATE TABLE line_bits(file_id integer, context_id integer, numbits blob,
  unique (file_id, context_id));
CREATE TABLE arc(file_id integer, context_id integer, fromno integer, tono integer,
  unique (file_id, context_id, fromno, tono));
"""

MONEY = '''RATE = 19


def tax(
    net,
    rate=RATE,
):
    """Doc."""

    def round_up(value):
        return value + 1

    return round_up(net * rate)


class Item:
    @property
    def price(self):
        return tax(1)
'''
TEST = """def test_tax():
    tax(1)


class TestItem:
    def test_price(self):
        Item().price
"""
NODES = {
    "src/money.py": [
        NodeRow("money", "module", "money", "src/money.py", 1, 19),
        NodeRow("money.tax", "function", "tax", "src/money.py", 4, 13),
        NodeRow("money.tax.round_up", "function", "round_up", "src/money.py", 10, 11),
        NodeRow("money.Item", "class", "Item", "src/money.py", 16, 19),
        NodeRow("money.Item.price", "method", "price", "src/money.py", 17, 19),
    ],
    "tests/test_money.py": [
        NodeRow("tests.test_money", "module", "test_money", "tests/test_money.py", 1, 7),
        NodeRow("tests.test_money.test_tax", "function", "test_tax", "tests/test_money.py", 1, 2),
        NodeRow("tests.test_money.TestItem", "class", "TestItem", "tests/test_money.py", 5, 7),
        NodeRow(
            *("tests.test_money.TestItem.test_price", "method", "test_price"),
            *("tests/test_money.py", 6, 7),
        ),
    ],
}


def bits(lines: Iterable[int]) -> bytes:
    """Return the lines as coverage writes them."""
    data = bytearray(max(lines, default=0) // 8 + 1)
    for line in lines:
        data[line // 8] |= 1 << line % 8
    return bytes(data)


def record(
    root: Path,
    ran: Mapping[str, Mapping[str, Iterable[int]]],
    *,
    arcs: bool = False,
) -> None:
    """Write a `.coverage`: context to path to lines."""
    with contextlib.closing(sqlite3.connect(root / ".coverage")) as database:
        database.executescript(SCHEMA)
        paths = sorted({path for by_path in ran.values() for path in by_path})
        for number, path in enumerate(paths, 1):
            database.execute("INSERT INTO file VALUES(?,?)", (number, path))
        for context, (name, by_path) in enumerate(ran.items(), 1):
            database.execute("INSERT INTO context VALUES(?,?)", (context, name))
            for path, lines in by_path.items():
                file = paths.index(path) + 1
                if arcs:
                    ends = zip([-1, *lines], [*lines, -1], strict=True)
                    rows = [(file, context, *pair) for pair in ends]
                    database.executemany("INSERT INTO arc VALUES(?,?,?,?)", rows)
                else:
                    row = (file, context, bits(lines))
                    database.execute("INSERT INTO line_bits VALUES(?,?,?)", row)
        database.commit()
