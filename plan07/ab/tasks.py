"""Small tasks on the disk: a repository, a request, and hidden tests that judge the end.

    TASK/request.md         what is asked, in the words of an issue
    TASK/repo/              the repository, with tests of its own that an agent may see and run
    TASK/acceptance/        tests that nobody sees before the run is over
    TASK/solution/          the files of one right answer, which prove that there is one
    TASK/task.json          what the task is about

A task of a configuration names its folder and the digest of what is in it, so that runs of a task
that was changed meanwhile are not taken for runs of the same sample.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping
from typing import Any

from plan07.ab.arms.copy import WorkingCopy, laid, run_tests
from plan07.ab.records import Task
from plan07.errors import InputError
from plan07.messages import quoted

_JUDGED = ("request.md", "repo", "acceptance")


class SmallTask:
    """One task.

    Args:
        folder: its directory.

    Raises:
        InputError: a part of it is missing.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        missing = [x for x in _JUDGED if not os.path.exists(os.path.join(folder, x))]
        if missing:
            raise InputError(
                "AB_TASK_INVALID",
                f"the task {folder} has no {missing[0]}",
                "give it request.md, repo and acceptance",
                phase="read",
                detail={"path": folder, "missing": missing},
            )
        with open(os.path.join(folder, "request.md"), encoding="utf-8") as stream:
            self.request = stream.read()

    def lay(self, root: str) -> None:
        """Put the repository into a directory.

        Args:
            root: made where it is missing.
        """
        laid(os.path.join(self.folder, "repo"), root)

    def copy(self, root: str, python: str, seconds: float) -> WorkingCopy:
        """Return the working copy in a directory.

        Args:
            root: where the repository was laid.
            python: the interpreter of the tests.
            seconds: time limit of one check.
        """
        return WorkingCopy(root, python, seconds)

    def resolved(self, copy: WorkingCopy, python: str, seconds: float) -> bool:
        """Return whether a working copy fulfils the request.

        It does when every acceptance test passes and every test that passed at the base.

        Args:
            copy: as an arm left it; the acceptance tests are put into another one.
            python: the interpreter of the tests.
            seconds: their time limit.
        """
        with tempfile.TemporaryDirectory(prefix="plan07-") as folder:
            laid(copy.root, folder)
            laid(os.path.join(self.folder, "acceptance"), os.path.join(folder, "acceptance"))
            found = run_tests(folder, python, seconds, ("acceptance", "tests"))
        hidden = [x for x in (*found.passed, *found.failed) if x.startswith("acceptance")]
        accepted = bool(hidden) and not any(x in found.failed for x in hidden)
        return accepted and copy.base_passed <= found.passed


def digest(folder: str) -> str:
    """Return the SHA-256 of what makes a task: request, repository and acceptance tests.

    Args:
        folder: of the task.
    """
    found = hashlib.sha256()
    for part in _JUDGED:
        place = os.path.join(folder, part)
        files = [place] if os.path.isfile(place) else _files(place)
        for path in files:
            with open(path, "rb") as stream:
                data = stream.read()
            name = os.path.relpath(path, folder).replace(os.sep, "/")
            found.update(f"{name}\0{len(data)}\0".encode())
            found.update(data)
    return found.hexdigest()


def listed(folder: str, relative: str) -> list[Task]:
    """Return the tasks in a folder, in the order of their names, as a configuration lists them.

    Args:
        folder: that of all tasks.
        relative: how the configuration reaches it.
    """
    names = sorted(x for x in os.listdir(folder) if os.path.isdir(os.path.join(folder, x)))
    return [
        Task(
            id=name,
            data={"folder": f"{relative}/{name}", "sha256": digest(os.path.join(folder, name))},
        )
        for name in names
    ]


def small(data: Mapping[str, Any], directory: str) -> SmallTask:
    """Return the task that the data of a configuration names.

    Args:
        data: `folder` and `sha256`.
        directory: of the configuration.

    Raises:
        InputError: it is not there, or was changed.
    """
    name = str(data.get("folder", ""))
    folder = os.path.join(directory, name)
    if not name or not os.path.isdir(folder):
        raise InputError(
            "AB_TASK_MISSING",
            f"there is no task at {quoted(name)}",
            "name the folder of each task, from where the configuration lies",
            phase="read",
            detail={"folder": name},
        )
    task = SmallTask(folder)
    if data.get("sha256") != digest(folder):
        raise InputError(
            "AB_TASK_CHANGED",
            f"the task {quoted(name)} is not the one that the list of tasks was made for",
            "bring back its files, or list the tasks anew: python -m bench live list",
            phase="read",
            detail={"folder": name},
        )
    return task


def _files(folder: str) -> list[str]:
    found = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(x for x in folders if x != "__pycache__" and x[0] != ".")
        found += [os.path.join(place, name) for name in sorted(names)]
    return found
