"""A second build reads only what changed, and writes what a build from nothing would write."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from evidencerepo import Built, build, write
from gitrepo import commit, git
from plan07_encoders.python import encode

from plan07 import reconstore

NAMES = ("alpha", "beta", "gamma")
BODIES = (
    "def {n}(): ...\n",
    "class {n}:\n    def run(self) -> int: ...\n    def stop(self): self.run()\n",
    "def {n}() -> 'Base': ...\nclass Base:\n    def run(self): ...\n",
    "{n} = 3\n",
    "from .{m} import *\n",
    "from .{m} import {n}\n\ndef use_{n}():\n    {n}()\n",
    "from . import {m}\n\ndef call():\n    x = {m}.{n}()\n    x.run()\n    x.stop()\n",
    "from .{m} import {n}\n\nclass Sub({n}):\n    def run(self): super().run()\n",
    "import pytest\nfrom pkg.{m} import {n}\n@pytest.fixture\ndef it(): return {n}()\n",
    "def test_it(it):\n    it.run()\n",
    "def broken(:\n",
    "__all__ = ['{n}']\ndef {n}(): ...\ndef _hidden(): ...\n",
)
PATHS = (
    *("pkg/__init__.py", "pkg/alpha.py", "pkg/beta.py", "pkg/gamma.py", "pkg/beta.pyi"),
    *("tests/conftest.py", "tests/test_a.py", "conftest.py", "pkg/sub/delta.py", "notes.md"),
)


def edit(root: Path, chance: random.Random) -> None:
    """Write, remove or move a file at random."""
    path = chance.choice(PATHS)
    place = root / path
    if place.exists() and chance.random() < 0.2:
        place.unlink()
        return
    parts = chance.sample(BODIES, chance.randint(1, 3))
    text = "".join(each.format(n=chance.choice(NAMES), m=chance.choice(NAMES)) for each in parts)
    write(root, {path: text})


@pytest.mark.parametrize("seed", range(4))
def test_a_sequence_of_edits(seed: int, tmp_path: Path) -> None:
    """E-INC: after each edit, the database equals one that is built from nothing."""
    chance = random.Random(seed)
    root = tmp_path / "repo"
    root.mkdir()
    for _ in range(8):
        edit(root, chance)
    for _ in range(9):
        edit(root, chance)
        kept = build(root, tmp_path / "kept.db").dump()
        assert kept == build(root, tmp_path / "anew.db", anew=True).dump()


def test_edits_in_a_git_checkout(tmp_path: Path) -> None:
    """What is edited and not committed counts, and so does what is committed."""
    root = tmp_path / "repo"
    chance = random.Random(11)
    commit(root, {"pkg/__init__.py": "", "pkg/alpha.py": "def alpha(): ...\n"})
    for turn in range(8):
        edit(root, chance)
        if turn % 3 == 2:
            git(root, "add", "--all")
            git(root, "commit", "--quiet", "-m", "more", "--allow-empty")
        kept = build(root, tmp_path / "kept.db").dump()
        assert kept == build(root, tmp_path / "anew.db", anew=True).dump()


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of files that are read, "1 path" and "2 path" for the two passes."""
    read: list[str] = []
    first, second = encode.index_file, encode.resolve_file

    def index_file(root: str, path: str, module: str, package: bool) -> encode.Indexed:
        read.append(f"1 {path}")
        return first(root, path, module, package)

    def resolve_file(root: str, path: str, *rest: Any) -> bytes:
        read.append(f"2 {path}")
        return second(root, path, *rest)

    monkeypatch.setattr(encode, "index_file", index_file)
    monkeypatch.setattr(encode, "resolve_file", resolve_file)
    return read


CHAIN = {
    "a.py": "def f():\n    return 1\n",
    "b.py": "from a import f\ndef g():\n    f()\n",
    "c.py": "from b import g\ndef h():\n    g()\n",
    "d.py": "import functools, json\n\n@functools.cache\ndef alone(x):\n    json.dumps(x)\n",
}


class TestWhatIsRead:
    def start(self, tmp_path: Path, counted: list[str]) -> Path:
        root = tmp_path / "repo"
        root.mkdir()
        write(root, CHAIN)
        build(root)
        assert sorted(counted) == sorted(f"{n} {path}" for path in CHAIN for n in (1, 2))
        counted.clear()
        return root

    def test_nothing_if_nothing_changed(self, tmp_path: Path, counted: list[str]) -> None:
        root = self.start(tmp_path, counted)
        before = (tmp_path / "repo.db").stat().st_mtime_ns
        found = build(root)
        assert (counted, found.report.fresh) == ([], False)
        assert (tmp_path / "repo.db").stat().st_mtime_ns == before

    def test_one_file_if_only_a_body_changed(self, tmp_path: Path, counted: list[str]) -> None:
        root = self.start(tmp_path, counted)
        write(root, {"a.py": "def f():\n    print()\n    return 1\n"})
        build(root)
        assert counted == ["1 a.py", "2 a.py"]

    def test_dependents_if_what_they_see_changed(self, tmp_path: Path, counted: list[str]) -> None:
        root = self.start(tmp_path, counted)
        write(root, {"a.py": "def f(x):\n    return 1\n"})
        build(root)
        # Nothing that c asks for has changed.
        assert counted == ["1 a.py", "2 a.py", "2 b.py"]

    def test_who_misses_a_module_that_appears(self, tmp_path: Path, counted: list[str]) -> None:
        root = self.start(tmp_path, counted)
        write(root, {"e.py": "import late\nlate.f()\n"})
        build(root)
        counted.clear()
        write(root, {"late.py": "def f(): ...\n"})
        found = build(root)
        assert sorted(counted) == ["1 late.py", "2 e.py", "2 late.py"]
        assert ("e", "late.f") in found.edges("calls")

    def test_nothing_of_a_file_that_went(self, tmp_path: Path, counted: list[str]) -> None:
        root = self.start(tmp_path, counted)
        (root / "d.py").unlink()
        found = build(root)
        assert counted == []
        assert "d.alone" not in found.kinds()

    def test_nothing_if_less_is_asked_for(self, tmp_path: Path, counted: list[str]) -> None:
        """What was asked of pytest stays true, and who asks for nothing reads no options."""
        root = tmp_path / "repo"
        write(root, CHAIN)

        def fresh(**options: object) -> bool:
            return reconstore.build(
                str(root), str(tmp_path / "x.db"), options={"jobs": 1, **options}
            ).fresh

        asked = ({}, {"collect": False}, {"collect": True}, {"collect": True}, {})
        assert [fresh(**options) for options in asked] == [True, False, True, False, False]

    def test_everything_when_asked(self, tmp_path: Path, counted: list[str]) -> None:
        root = self.start(tmp_path, counted)
        build(root, anew=True)
        assert len(counted) == 8


class TestDamage:
    @pytest.fixture
    def root(self, tmp_path: Path) -> Path:
        root = tmp_path / "repo"
        root.mkdir()
        write(root, CHAIN)
        return root

    def database(self, tmp_path: Path) -> Path:
        return tmp_path / "repo.db"

    @pytest.mark.parametrize("what", ["database", "cache", "both"])
    @pytest.mark.parametrize("how", ["garbage", "empty", "cut", "gone"])
    def test_a_damaged_file_is_made_anew(
        self, what: str, how: str, root: Path, tmp_path: Path
    ) -> None:
        expected = build(root).dump()
        for name in (
            ("repo.db", "repo.cache")
            if what == "both"
            else (("repo.db",) if what == "database" else ("repo.cache",))
        ):
            place = tmp_path / name
            if how == "gone":
                place.unlink()
            else:
                data = place.read_bytes()
                place.write_bytes(
                    {"garbage": b"x" * 5000, "empty": b"", "cut": data[: len(data) // 2]}[how]
                )
        write(root, {"new.txt": "x"})
        (root / "new.txt").unlink()
        assert build(root).dump() == expected

    def test_a_database_of_another_version_is_made_anew(self, root: Path, tmp_path: Path) -> None:
        import sqlite3

        expected = build(root).dump()
        database = sqlite3.connect(tmp_path / "repo.db")
        database.execute("PRAGMA user_version=2")
        database.close()
        found = build(root)
        assert (found.report.fresh, found.dump()) == (True, expected)

    def test_a_build_that_dies_leaves_the_old_database(
        self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        build(root)
        before = self.database(tmp_path).read_bytes()
        write(root, {"e.py": "def new(): ...\n"})

        def die(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("plan07.reconderive.tests", die)
        with pytest.raises(KeyboardInterrupt):
            build(root)
        assert self.database(tmp_path).read_bytes() == before
        assert [each.name for each in tmp_path.glob(".plan07-*")] == []
        monkeypatch.undo()
        assert "e.new" in build(root).kinds()

    def test_what_a_killed_build_left_goes_after_a_day(self, root: Path, tmp_path: Path) -> None:
        old, recent = tmp_path / ".plan07-old.db", tmp_path / ".plan07-recent.db"
        for place in (old, recent):
            place.write_bytes(b"half")
        now = recent.stat().st_mtime
        os.utime(old, (now - 90_000, now - 90_000))
        os.utime(recent, (now - 80_000, now - 80_000))
        build(root)
        assert [each.name for each in tmp_path.glob(".plan07-*")] == [recent.name]

    def test_the_cache_forgets_what_is_gone(self, root: Path, tmp_path: Path) -> None:
        import sqlite3

        def size() -> int:
            database = sqlite3.connect(tmp_path / "repo.cache")
            try:
                return int(database.execute("SELECT count(*) FROM kept").fetchone()[0])
            finally:
                database.close()

        build(root)
        assert size() == 8
        (root / "d.py").unlink()
        build(root)
        assert size() == 6


def test_the_place_of_the_repository_does_not_matter(tmp_path: Path) -> None:
    """Same input, same rows, wherever it lies and however many processes read it."""
    first, second = tmp_path / "one", tmp_path / "two"
    files = {f"pkg/m{n}.py": f"from pkg.m{n - 1} import f as g\ndef f(): g()\n" for n in range(20)}
    first.mkdir()
    write(first, files)
    shutil.copytree(first, second)

    def rows(found: Built) -> object:
        return [found.rows(f"SELECT * FROM {table}") for table in ("files", "nodes", "edges")]

    assert rows(build(first)) == rows(build(second, jobs=3))
