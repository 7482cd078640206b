"""What to read for a change: foci, and one step around each."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import recondb

from plan07 import context
from plan07.context import Focus
from plan07.errors import InputError
from plan07.reconfile import opened


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    path = recondb.build(
        tmp_path / "recon.db",
        {
            "shop.Cart": {"kind": "class", "line": 1, "end_line": 20},
            "shop.Cart.total": {"kind": "method", "line": 3, "end_line": 9, "signature": "(self)"},
            "shop.tax": {"kind": "function", "line": 30, "end_line": None},
            "web.show_total": {"kind": "function", "path": "web.py", "line": 2, "end_line": 8},
            "tests.test_total": {"kind": "function", "path": "t.py", "line": 4, "is_test": 1},
            "other.total": {"kind": "function", "path": "o.py", "line": 1, "end_line": 2},
        },
        [
            ("web.show_total", "calls", "shop.Cart.total"),
            (
                "shop.Cart.total",
                "calls",
                "shop.tax",
                {"confidence": 0.5, "resolution": "heuristic"},
            ),
            ("shop.Cart.total", "calls", "shop.Cart.total"),
            ("tests.test_total", "tests", "shop.Cart.total"),
            ("tests.test_total", "calls", "shop.Cart.total"),
        ],
    )
    with opened(path) as found:
        yield found


def items(document: dict[str, Any]) -> list[tuple[str, float, str]]:
    return [(each["entity"], each["score"], each["why"]) for each in document["items"]]


def test_around_a_focus(database: sqlite3.Connection) -> None:
    document = context.context(database, [Focus("shop.Cart.total", 1.0, "asked for")])
    assert items(document) == [
        ("shop.Cart.total", 1.0, "asked for"),
        ("tests.test_total", 0.5, "calls shop.Cart.total (exact)"),
        ("web.show_total", 0.5, "calls shop.Cart.total (exact)"),
        ("shop.tax", 0.2, "called by shop.Cart.total (heuristic)"),
    ]
    assert document["items"][0] == {
        "path": "src/a.py",
        "start_line": 3,
        "end_line": 9,
        "entity": "shop.Cart.total",
        "score": 1.0,
        "why": "asked for",
    }
    assert document["commit"] == "c0ffee"


def test_a_focus_counts_for_what_is_around_it(database: sqlite3.Connection) -> None:
    foci = [Focus("shop.Cart.total", 0.4, "suspect"), Focus("web.show_total", 0.3, "suspect")]
    assert items(context.context(database, foci)) == [
        ("shop.Cart.total", 0.4, "suspect"),
        ("web.show_total", 0.3, "suspect"),
        ("tests.test_total", 0.2, "calls shop.Cart.total (exact)"),
        ("shop.tax", 0.08, "called by shop.Cart.total (heuristic)"),
    ]


def test_the_order_of_foci_does_not_matter(database: sqlite3.Connection) -> None:
    foci = [Focus("shop.Cart.total", 0.4, "a"), Focus("web.show_total", 0.3, "b")]
    assert context.context(database, foci) == context.context(database, foci[::-1])


def test_what_is_left_out_is_counted(database: sqlite3.Connection) -> None:
    document = context.context(database, [Focus("shop.Cart.total", 1.0, "x")], 1)
    assert (len(document["items"]), document["truncated"]) == (1, 3)


def test_what_the_evidence_does_not_know_is_passed_over(database: sqlite3.Connection) -> None:
    document = context.context(database, [Focus("gone", 1.0, "x")])
    assert document == {"schema": "plan07.context/1", "commit": "c0ffee", "items": []}


def test_names_that_people_write(database: sqlite3.Connection) -> None:
    assert list(context.named(database, ["Cart.total", "tax"])) == [
        Focus("shop.Cart.total", 1.0, "asked for"),
        Focus("shop.tax", 1.0, "asked for"),
    ]


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        (
            "total",
            "ENTITY_AMBIGUOUS",
            "'total' is several entities of the evidence: other.total, shop.Cart.total",
        ),
        ("nothing", "ENTITY_UNKNOWN", "'nothing' is no entity of the evidence"),
    ],
)
def test_names_that_mean_nothing_or_too_much(
    database: sqlite3.Connection, name: str, code: str, said: str
) -> None:
    with pytest.raises(InputError) as caught:
        list(context.named(database, [name]))
    assert (caught.value.code, caught.value.message) == (code, said)


def test_suspects() -> None:
    document = {
        "items": [{"entity": "a.f", "score": 0.7, "why": "R1"}, {"entity": None, "score": 1}]
    }
    assert list(context.located(document)) == [Focus("a.f", 0.7, "suspect: R1")]


def test_what_a_change_reaches() -> None:
    document = {
        "seeds": [{"entity": "a.f", "change": "rename"}],
        "edges": [
            {
                "from": "a.f",
                "to": "b.g",
                "cause": "CalledBy",
                "strength": "must",
                "confidence": 0.2,
            },
            {"from": "a.f", "to": "b.h", "cause": "UsedBy", "confidence": 0.3},
            {"from": "a.f", "to": "b.i", "cause": "UsedBy"},
        ],
    }
    assert list(context.reached(document)) == [
        Focus("a.f", 1.0, "changes: rename"),
        Focus("b.g", 0.9, "a.f CalledBy it"),
        Focus("b.h", 0.3, "a.f UsedBy it"),
        Focus("b.i", 0.5, "a.f UsedBy it"),
    ]


def test_what_fits_a_text(database: sqlite3.Connection) -> None:
    found = list(context.fitting(database, "show the total of a cart"))
    assert [(each.entity, each.score == 0.8) for each in found] == [
        ("web.show_total", True),
        ("shop.Cart.total", False),
        ("shop.Cart", False),
        ("other.total", False),
    ]
    assert list(context.fitting(database, "nothing of the kind")) == []
