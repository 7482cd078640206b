"""A small change of a small project, for the tests of the replay."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.replay.commit import Change, Ends
from bench.replay.environments import digest

OLD = {
    "shop/__init__.py": "from .price import total\n",
    "shop/price.py": (
        "RATE = 2\n\n\ndef old_rate(n):\n    return n * RATE\n\n\n"
        "def total(n):\n    return old_rate(n)\n"
    ),
    "shop/bill.py": "from .price import total\n\n\ndef bill(n):\n    return str(total(n))\n",
    "tests/test_shop.py": (
        "from shop.bill import bill\nfrom shop.price import total\n\n\n"
        "def test_total():\n    assert total(2) == 4\n\n\n"
        "def test_bill():\n    assert bill(2) == '4'\n"
    ),
    "README.md": "old\n",
}
NEW = {
    "shop/__init__.py": "from .price import total\n",
    "shop/price.py": (
        "RATE = 2\n\n\ndef rate(n):\n    return n * RATE\n\n\n"
        "def total(n, times):\n    return rate(n) * times\n"
    ),
    "shop/bill.py": "from .price import total\n\n\ndef bill(n):\n    return str(total(n, 1))\n",
    "tests/test_shop.py": (
        "from shop.bill import bill\nfrom shop.price import rate, total\n\n\n"
        "def test_total():\n    assert total(2, 1) == 4\n\n\n"
        "def test_bill():\n    assert bill(2) == '4'\n\n\n"
        "def test_rate():\n    assert rate(2) == 4\n"
    ),
    "README.md": "new\n",
}
RECORD: dict[str, Any] = {
    "repo": "example/shop",
    "import": "shop",
    "paths": ["."],
    "tests": ["tests"],
    "pytest_args": [],
    "requires": [],
    "deselect": {},
    "files": {},
    "origin": "listed",
    "split": "tuned",
    "oracle": "tests",
}


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def change(place: Path, old: dict[str, str] = OLD, new: dict[str, str] = NEW) -> Change:
    """Return the change between two sets of files, each in a directory of its own."""
    ends = Ends(str(place / "old"), str(place / "new"))
    write(Path(ends.old), old)
    write(Path(ends.new), new)
    return Change(ends)


def clone(place: Path) -> dict[str, Any]:
    """Make a repository with the change as its newest commit; return its record."""
    root = place / "example__shop"
    root.mkdir(parents=True)

    def git(*arguments: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        done = subprocess.run(
            ["git", "-C", str(root), *who, *arguments], check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    git("init", "-q")
    found = []
    for files in (OLD, NEW):
        write(root, files)
        git("add", "-A")
        git("commit", "-qm", "a change")
        found.append(git("rev-parse", "HEAD"))
    return {**RECORD, "parent": found[0], "commit": found[1]}


def environments(place: Path) -> Path:
    """Return a directory of environments in which that of no packages is this interpreter."""
    home = place / digest([])
    (home / "bin").mkdir(parents=True)
    python = home / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (home / "requires.txt").write_text("")
    return place
