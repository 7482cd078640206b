"""Asking pytest for the tests there are: what it leaves alone, and that it ends."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import pytest
from plan07_encoders import collect
from trees import codes, read, repository

from plan07 import recon
from plan07.recon import NodeRow, Part

TEST = """import pytest

@pytest.mark.parametrize("x", [1, 2])
def test_one(x):
    assert x

class TestB:
    def test_two(self):
        pass
"""
NODES = {
    "tests/test_a.py": [
        NodeRow("tests.test_a.test_one", "function", "test_one", "tests/test_a.py", 3, 5),
    ]
}


@pytest.fixture(autouse=True)
def without_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that happen to be installed here would only cost time."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def collected(root: Path, files: dict[str, str], **options: Any) -> Part:
    where = repository(root, files, NODES, **{"collect": True, "python": sys.executable, **options})
    return read(collect.read, where)


def test_nothing_is_run_unless_it_is_asked_for(tmp_path: Path) -> None:
    files = {"tests/test_a.py": "import pathlib; pathlib.Path('was_here').touch()"}
    assert list(collect.read(repository(tmp_path, files))) == []
    assert not (tmp_path / "was_here").exists()


def test_tests_as_pytest_names_them(tmp_path: Path) -> None:
    assert collected(tmp_path, {"tests/test_a.py": TEST}).tests == [
        recon.TestRow("tests/test_a.py::test_one[1]", "tests.test_a.test_one", "collect"),
        recon.TestRow("tests/test_a.py::test_one[2]", "tests.test_a.test_one", "collect"),
        recon.TestRow("tests/test_a.py::TestB::test_two", None, "collect"),
    ]


def test_options_of_the_project_stay_in_force_and_files_of_the_user_as_they_are(
    tmp_path: Path,
) -> None:
    options = "-qq --no-header --junitxml=junit.xml"
    ini = f"[tool.pytest.ini_options]\naddopts = '{options}'\ntestpaths = ['tests']\n"
    files = {
        "tests/test_a.py": TEST,
        "pyproject.toml": ini,
        "junit.xml": "mine",
        ".coverage": "mine",
    }
    part = collected(tmp_path, files)
    assert (len(part.tests), codes(part)) == (3, [])
    found = {str(each.relative_to(tmp_path)) for each in tmp_path.rglob("*") if each.is_file()}
    assert found == set(files)
    assert (tmp_path / "junit.xml").read_text("utf-8") == "mine"


def test_tests_of_files_that_cannot_be_imported_are_told(tmp_path: Path) -> None:
    files = {"tests/test_a.py": TEST, "tests/test_b.py": "import nothing_of_this_name"}
    part = collected(tmp_path, files)
    assert len(part.tests) == 3
    (note,) = part.notes
    assert (note.code, note.detail["collected"]) == ("COLLECT_FAILED", 3)
    assert "pytest ended with status" in note.message


def test_no_tests_are_no_fault(tmp_path: Path) -> None:
    part = collected(tmp_path, {"a.py": ""})
    assert (part.tests, codes(part)) == ([], [])


def test_an_interpreter_that_is_not_there(tmp_path: Path) -> None:
    part = collected(tmp_path, {"tests/test_a.py": TEST}, python=str(tmp_path / "gone"))
    assert part.notes[0].message == (
        "pytest ended with status 127 while it collected: No such file or directory"
    )


def test_what_does_not_end_is_ended_with_its_children(tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nsleep 60 &\necho $! > child\nwait\n", "utf-8")
    slow.chmod(0o755)
    part = collected(tmp_path, {"tests/test_a.py": TEST}, python=str(slow), collect_seconds=1.5)
    assert part.notes[0].message == "pytest did not collect the tests within 1.5 seconds"
    child = int((tmp_path / "child").read_text("utf-8"))
    for _ in range(50):
        if not _runs(child):
            break
        time.sleep(0.1)
    assert not _runs(child)


def _runs(process: int) -> bool:
    """Whether a process runs; one that is dead and waits to be asked after does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_the_interpreter_of_the_project_is_asked(tmp_path: Path) -> None:
    own = tmp_path / ".venv" / "bin" / "python"
    own.parent.mkdir(parents=True)
    own.symlink_to(sys.executable)
    assert collect._interpreter(str(tmp_path)) == str(own)
    assert collect._interpreter(str(tmp_path / "gone")) == sys.executable
