"""The working copy: real git, real pytest, real imports. Build spec 7.2: buildable and testable."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from plan07.ab.arms.copy import WorkingCopy, laid
from plan07.errors import InputError


@pytest.fixture
def copy(tmp_path: Path) -> WorkingCopy:
    root = tmp_path / "repository"
    (root / "tests").mkdir(parents=True)
    (root / "one.py").write_text("def one():\n    return 1\n")
    (root / "tests" / "test_old.py").write_text(
        "from one import one\n\n\ndef test_old():\n    assert one() == 1\n"
    )
    (root / "tests" / "test_new.py").write_text(
        "import one\n\n\ndef test_new():\n    assert one.two() == 2\n"
    )
    return WorkingCopy(os.fspath(root), sys.executable, 60)


def test_the_state_of_a_base(copy: WorkingCopy) -> None:
    state = copy.state()
    assert copy.base_passed == {"tests/test_old.py::test_old"}
    assert state.oracles == {"compiles": True, "imports": True, "tests": True}
    assert (state.valid, state.done) == (True, False)
    assert state.failure == (
        "tests/test_new.py::test_new: AttributeError: module 'one' has no attribute 'two'"
    )


@pytest.mark.parametrize(
    ("text", "oracles"),
    [
        ("def one(:\n", {"compiles": False, "imports": False, "tests": False}),
        ("import nowhere\n", {"compiles": True, "imports": False, "tests": False}),
        ("def one():\n    return 2\n", {"compiles": True, "imports": True, "tests": False}),
    ],
    ids=["syntax", "import", "test"],
)
def test_each_oracle_sees_its_fault(copy: WorkingCopy, text: str, oracles: dict[str, bool]) -> None:
    copy.write({"one.py": text})
    assert copy.state().oracles == oracles
    assert not copy.state().valid


def test_a_test_without_an_end_fails_by_the_processor_time(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text(
        "import loop\n\n\ndef test_a():\n    assert loop.A == 1\n"
    )
    (tmp_path / "loop.py").write_text("A = 1\n")
    copy = WorkingCopy(os.fspath(tmp_path), sys.executable, 5)
    copy.write({"loop.py": "while True:\n    A = 1\n"})
    assert copy.state().oracles == {"compiles": True, "imports": False, "tests": False}
    assert copy.state().failure == "tests: no end within 5 seconds"


def test_done_when_every_visible_test_passes(copy: WorkingCopy) -> None:
    copy.write({"one.py": "def one():\n    return 1\n\n\ndef two():\n    return 2\n"})
    assert copy.state().done
    assert copy.state().failure == ""


def test_checkpoints(copy: WorkingCopy) -> None:
    copy.write({"one.py": "ONE = 1\n", "two.py": "TWO = 2\n"})
    first = copy.commit("first")
    copy.write({"one.py": "", "three.py": "THREE = 3\n"})
    assert sorted(copy.files()) == ["tests/test_new.py", "tests/test_old.py", "three.py", "two.py"]
    copy.take_back()
    assert copy.head() == first
    assert copy.files()["one.py"] == "ONE = 1\n"
    assert "three.py" not in copy.files()
    copy.take_back(copy.base)
    assert "two.py" not in copy.files()


@pytest.mark.parametrize("path", ["../out.py", "link/out.py", "linked.py"])
def test_no_edit_leaves_the_copy(copy: WorkingCopy, tmp_path: Path, path: str) -> None:
    """Build spec 8, invariant 1: nothing is written outside of its own places."""
    (tmp_path / "out.py").write_text("KEPT = 1\n")
    (Path(copy.root) / "link").symlink_to(tmp_path)
    (Path(copy.root) / "linked.py").symlink_to(tmp_path / "out.py")
    with pytest.raises(InputError) as refused:
        copy.write({"fine.py": "F = 1\n", path: "X = 1\n"})
    assert refused.value.code == "AB_EDIT_OUTSIDE"
    assert path in refused.value.message
    assert (tmp_path / "out.py").read_text() == "KEPT = 1\n"
    assert not (Path(copy.root) / "fine.py").exists()


def test_links_are_not_laid(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / ".git").mkdir(parents=True)
    (source / "a.py").write_text("A = 1\n")
    (source / "b.py").symlink_to(source / "a.py")
    laid(os.fspath(source), os.fspath(tmp_path / "target"))
    assert sorted(os.listdir(tmp_path / "target")) == ["a.py"]


def test_an_interpreter_without_pytest_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        WorkingCopy(os.fspath(tmp_path), "/bin/false", 60)
    assert refused.value.code == "AB_PYTEST_MISSING"
    assert "/bin/false" in refused.value.message
