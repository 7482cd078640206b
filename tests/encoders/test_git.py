"""Which files change together, by the history."""

from __future__ import annotations

from pathlib import Path

import pytest
from evidencerepo import build, write
from gitrepo import commit, git


def pairs(root: Path) -> dict[tuple[str, str], tuple[int, int, int]]:
    rows = build(root).rows(
        "SELECT a.path, b.path, c.n_ab, c.n_a, c.n_b FROM cochange c "
        "JOIN files a ON a.id=c.a JOIN files b ON b.id=c.b"
    )
    return {(a, b): (together, of_a, of_b) for a, b, together, of_a, of_b in rows}


def test_pairs_in_both_directions(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    commit(root, {"a.py": "1", "b.py": "1", "c.py": "1"})
    commit(root, {"a.py": "2", "b.py": "2"})
    commit(root, {"a.py": "3"})
    commit(root, {"b.py": "4", "c.py": "4"})
    assert pairs(root) == {
        ("a.py", "b.py"): (2, 3, 3),
        ("b.py", "a.py"): (2, 3, 3),
        ("b.py", "c.py"): (2, 3, 2),
        ("c.py", "b.py"): (2, 2, 3),
    }


def test_large_commits_and_merges_do_not_count(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    many = {f"m{n:02d}.py": "1" for n in range(31)}
    commit(root, many)
    commit(root, dict.fromkeys(many, "2"))
    commit(root, {"m00.py": "3", "m01.py": "3"})
    git(root, "checkout", "-q", "-b", "side")
    commit(root, {"m02.py": "4", "m03.py": "4"})
    git(root, "checkout", "-q", "main")
    commit(root, {"m00.py": "5", "m01.py": "5"})
    git(root, "merge", "-q", "--no-ff", "-m", "merge", "side")
    assert pairs(root) == {
        ("m00.py", "m01.py"): (2, 2, 2),
        ("m01.py", "m00.py"): (2, 2, 2),
    }


def test_files_that_are_gone_do_not_count(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    for turn in "123":
        commit(root, {"a.py": turn, "old.py": turn, "ü é.py": turn})
    commit(root, {"old.py": None})
    assert set(pairs(root)) == {("a.py", "ü é.py"), ("ü é.py", "a.py")}


def test_paths_count_from_the_directory_that_is_read(tmp_path: Path) -> None:
    root = tmp_path / "repo"
    for turn in "12":
        commit(root, {"inner/a.py": turn, "inner/b.py": turn, "c.py": turn})
    assert set(pairs(root / "inner")) == {("a.py", "b.py"), ("b.py", "a.py")}


@pytest.mark.parametrize("shallow", [True, False], ids=["shallow", "whole"])
def test_a_clone(shallow: bool, tmp_path: Path) -> None:
    root, other = tmp_path / "repo", tmp_path / "other"
    for turn in "12":
        commit(root, {"a.py": turn, "b.py": turn})
    depth = ("--depth", "1") if shallow else ()
    git(tmp_path, "clone", "-q", *depth, f"file://{root}", str(other))
    assert len(pairs(other)) == (0 if shallow else 2)


def test_without_git(tmp_path: Path) -> None:
    write(tmp_path / "repo", {"a.py": "1"})
    assert pairs(tmp_path / "repo") == {}
