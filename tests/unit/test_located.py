"""Which entity lies where, and which file a path means."""

from __future__ import annotations

from pathlib import Path

import pytest
from trees import repository

from plan07.located import Located, Paths
from plan07.recon import NodeRow

NODES = {
    "a.py": [
        NodeRow("a", "module", "a", "a.py", 1, 40),
        NodeRow("a.C", "class", "C", "a.py", 3, 30),
        NodeRow("a.C.f", "method", "f", "a.py", 5, 20),
        NodeRow("a.C.f.g", "function", "g", "a.py", 8, 12),
        NodeRow("a.C.x", "field", "x", "a.py", 6, 6),
        NodeRow("a.f", "function", "f", "a.py", 32, 35),
        NodeRow("a.once", "function", "once", "a.py", 36, None),
    ]
}


@pytest.fixture
def located(tmp_path: Path) -> Located:
    return Located(repository(tmp_path, {"a.py": ""}, NODES))


@pytest.mark.parametrize(
    ("line", "expected"),
    [(1, "a"), (4, "a.C"), (5, "a.C.f"), (6, "a.C.f"), (9, "a.C.f.g"), (36, "a.once"), (41, None)],
)
def test_around(located: Located, line: int, expected: str | None) -> None:
    """A function, if one is around: what the code does matters more than what it sets."""
    found = located.around("a.py", line)
    assert (found and found.fqn) == expected


@pytest.mark.parametrize(
    ("name", "line", "expected"),
    [
        ("f", 5, "a.C.f"),
        ("f", 33, "a.f"),
        ("f", 31, None),
        ("f", None, None),
        ("once", None, "a.once"),
        ("gone", 5, None),
    ],
)
def test_named(located: Located, name: str, line: int | None, expected: str | None) -> None:
    assert located.named("a.py", name, line) == expected


@pytest.mark.parametrize(
    ("steps", "expected"),
    [(["C", "f"], "a.C.f"), (["f"], "a.C.f"), (["g"], "a.C.f.g"), (["D", "f"], None)],
)
def test_ending(located: Located, steps: list[str], expected: str | None) -> None:
    found = located.ending("a.py", steps)
    assert (found and found.fqn) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/a.py", "src/a.py"),
        ("./src/a.py", "src/a.py"),
        ("{root}/src/a.py", "src/a.py"),
        ("src\\a.py", "src/a.py"),
        ("/ci/build/src/a.py", "src/a.py"),
        ("/ci/lib/src/a.py", "lib/src/a.py"),
        ("D:\\ci\\src\\a.py", "src/a.py"),
        # A relative path means a file of here, and a name alone could be any.
        ("ci/src/a.py", None),
        ("/ci/top.py", None),
        ("", None),
        ("../src/a.py", None),
    ],
)
def test_paths(tmp_path: Path, path: str, expected: str | None) -> None:
    paths = Paths(str(tmp_path), ["src/a.py", "lib/src/a.py", "top.py"])
    assert paths(path.format(root=tmp_path)) == expected
