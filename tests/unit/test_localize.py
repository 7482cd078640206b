"""Suspects of several origins, taken together and ranked."""

from __future__ import annotations

from pathlib import Path

import pytest
from trees import repository

from plan07 import localize
from plan07.errors import InputError
from plan07.localize import Suspect
from plan07.recon import NodeRow, Repository

NODES = {
    "a.py": [
        NodeRow("a", "module", "a", "a.py", 1, 40),
        NodeRow("a.f", "function", "f", "a.py", 3, 9),
        NodeRow("a.g", "function", "g", "a.py", 11, 19),
    ]
}


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    return repository(tmp_path, {"a.py": "", "b.txt": ""}, NODES)


def test_origins_are_independent_witnesses(shop: Repository) -> None:
    found = [
        Suspect("a.py", 5, 6, 0.5, "spectrum", "ran"),
        Suspect("a.py", 4, 4, 0.4, "traceback", "in 1 traceback"),
        Suspect("a.py", 8, 8, 0.3, "spectrum", "ran less"),
        Suspect("a.py", 12, 12, 0.6, "sarif", "R1"),
        Suspect("b.txt", 2, 2, 0.1, "sarif", "R2"),
        Suspect("b.txt", 7, 7, 0.1, "sarif", "R3"),
    ]
    assert localize.ranked(shop, found)["items"] == [
        {
            "path": "a.py",
            "start_line": 5,
            "end_line": 6,
            "entity": "a.f",
            "score": 0.7,
            "why": "ran; in 1 traceback",
        },
        {
            "path": "a.py",
            "start_line": 12,
            "end_line": 12,
            "entity": "a.g",
            "score": 0.6,
            "why": "R1",
        },
        {
            "path": "b.txt",
            "start_line": 2,
            "end_line": 2,
            "entity": None,
            "score": 0.1,
            "why": "R2",
        },
        {
            "path": "b.txt",
            "start_line": 7,
            "end_line": 7,
            "entity": None,
            "score": 0.1,
            "why": "R3",
        },
    ]
    assert localize.ranked(shop, reversed(found)) == localize.ranked(shop, found)


def test_the_document(shop: Repository) -> None:
    assert localize.ranked(shop, []) == {"schema": "plan07.localization/1", "items": []}
    shop.commit = "c0ffee"
    suspects = [Suspect("b.txt", line, line, 0.5, "x", "y") for line in range(1, 6)]
    document = localize.ranked(shop, suspects, 2)
    assert list(document) == ["schema", "commit", "items", "truncated"]
    assert (len(document["items"]), document["truncated"]) == (2, 3)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"SQLite format 3\0...", "coverage"),
        (b"<testsuite/>", "junit"),
        (b"\xef\xbb\xbf  <?xml version='1.0'?>", "junit"),
        ("<?xml?>".encode("utf-16"), "junit"),
        (b'{"version": "2.1.0", "runs": []}', "sarif"),
        (b'\n {"generalDiagnostics": []}', "pyright"),
        (b"==== FAILURES ====", "text"),
        (b"", "text"),
        (b"[1]", "text"),
    ],
    ids=["sqlite", "xml", "bom", "utf-16", "sarif", "pyright", "text", "empty", "list"],
)
def test_what_a_file_holds(tmp_path: Path, data: bytes, expected: str) -> None:
    place = tmp_path / "file"
    place.write_bytes(data)
    assert localize.sorted_by_format([str(place)]) == {expected: [str(place)]}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b'{"schema": "plan07.impact/1"}', "FORMAT_UNKNOWN"),
        (b"{", "JSON_INVALID"),
        (None, "FILE_UNREADABLE"),
    ],
)
def test_a_file_that_no_localizer_reads(tmp_path: Path, data: bytes | None, code: str) -> None:
    place = tmp_path / "file"
    if data is not None:
        place.write_bytes(data)
    with pytest.raises(InputError) as caught:
        localize.sorted_by_format([str(place)])
    assert caught.value.code == code
    assert str(place) in caught.value.message


def test_the_localizers_that_are_installed() -> None:
    names = [name for name, _ in localize.localizers()]
    assert names == ["pyright", "sarif", "spectrum", "traceback"]
