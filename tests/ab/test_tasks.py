"""The small tasks: each can be solved, none is solved at its base, nothing hidden is visible."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from support import EXAMPLES

from plan07.ab import tasks
from plan07.ab.arms.copy import WorkingCopy, laid, run_tests
from plan07.errors import InputError

BENCH = EXAMPLES.parent.parent / "bench"
FOLDERS = sorted(each for each in (BENCH / "tasks").glob("*") if each.is_dir())


def test_there_are_at_least_twelve() -> None:
    assert len(FOLDERS) >= 12


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda each: each.name)
class TestEachTask:
    def test_its_tests_fail_at_the_base_and_pass_with_the_solution(
        self, folder: Path, tmp_path: Path
    ) -> None:
        root = os.fspath(tmp_path)
        task = tasks.SmallTask(os.fspath(folder))
        task.lay(root)
        wanted = [line.split("`")[1] for line in task.request.splitlines() if "tests/" in line]
        assert len(wanted) == 1
        base = run_tests(root, sys.executable, 60, ("tests",))
        assert base.passed
        assert not any(test.startswith(wanted[0]) for test in base.passed)
        laid(os.fspath(folder / "acceptance"), os.path.join(root, "acceptance"))
        assert run_tests(root, sys.executable, 60, ("acceptance",)).failed

        laid(os.fspath(folder / "solution"), root)
        found = run_tests(root, sys.executable, 60, ("acceptance", "tests"))
        assert found.failed == {}
        assert base.passed < found.passed
        assert any(test.startswith("acceptance/") for test in found.passed)
        assert any(test.startswith(wanted[0]) for test in found.passed)

    def test_it_is_small_and_tells_what_it_is_about(self, folder: Path) -> None:
        told = json.loads((folder / "task.json").read_text())
        assert sorted(told) == ["about", "entities"]
        assert 2 <= told["entities"] <= 4
        files = list((folder / "repo").rglob("*.py"))
        assert 3 <= len(files) <= 6
        # What an edit writes is a function of a few lines.
        assert all(len(each.read_text()) < 500 for each in files)

    def test_the_acceptance_tests_are_no_part_of_the_repository(self, folder: Path) -> None:
        hidden = [each.read_text() for each in (folder / "acceptance").rglob("*.py")]
        visible = [each.read_text() for each in (folder / "repo").rglob("*.py")]
        assert hidden
        assert not set(hidden) & set(visible)


def test_the_list_of_the_configuration_is_that_of_the_tasks() -> None:
    rows = [json.loads(x) for x in (BENCH / "live" / "tasks.jsonl").read_text().splitlines()]
    found = tasks.listed(os.fspath(BENCH / "tasks"), "../tasks")
    assert rows == [each.model_dump(mode="json") for each in found]
    for row in rows:
        assert tasks.small(row["data"], os.fspath(BENCH / "live")).request


class TestATaskThatIsNotTheOne:
    def test_changed(self, tmp_path: Path) -> None:
        shutil.copytree(FOLDERS[0], tmp_path / "task")
        data = {"folder": "task", "sha256": tasks.digest(os.fspath(tmp_path / "task"))}
        assert tasks.small(data, os.fspath(tmp_path)).request
        (tmp_path / "task" / "request.md").write_text("Do something else\n")
        with pytest.raises(InputError) as refused:
            tasks.small(data, os.fspath(tmp_path))
        assert refused.value.code == "AB_TASK_CHANGED"

    def test_missing(self, tmp_path: Path) -> None:
        with pytest.raises(InputError) as refused:
            tasks.small({"folder": "nowhere"}, os.fspath(tmp_path))
        assert refused.value.code == "AB_TASK_MISSING"
        assert '"nowhere"' in refused.value.message

    def test_without_a_part(self, tmp_path: Path) -> None:
        (tmp_path / "task").mkdir()
        with pytest.raises(InputError) as refused:
            tasks.small({"folder": "task"}, os.fspath(tmp_path))
        assert refused.value.code == "AB_TASK_INVALID"
        assert "request.md" in refused.value.message


def test_the_right_answer_is_resolved_and_the_base_is_not(tmp_path: Path) -> None:
    folder = BENCH / "tasks" / "drop-legacy"
    root = tmp_path / "repository"
    task = tasks.SmallTask(os.fspath(folder))
    task.lay(os.fspath(root))
    copy = WorkingCopy(os.fspath(root), sys.executable, 60)
    assert not task.resolved(copy, sys.executable, 60)
    laid(os.fspath(folder / "solution"), copy.root)
    assert task.resolved(copy, sys.executable, 60)


def test_an_answer_that_breaks_what_worked_is_not_resolved(tmp_path: Path) -> None:
    folder = BENCH / "tasks" / "drop-legacy"
    root = tmp_path / "repository"
    task = tasks.SmallTask(os.fspath(folder))
    task.lay(os.fspath(root))
    (root / "tests" / "test_more.py").write_text(
        "import totals\n\n\ndef test_more():\n    assert totals.old_total([1]) == 1\n"
    )
    copy = WorkingCopy(os.fspath(root), sys.executable, 60)
    laid(os.fspath(folder / "solution"), copy.root)
    assert not task.resolved(copy, sys.executable, 60)
