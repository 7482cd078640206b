"""Instances of SWE-bench as live tasks, for those who have the data and clones of the repositories.

The data is the user's own, never a part of this package: a file of JSON Lines with the fields of
SWE-bench (`instance_id`, `repo`, `base_commit`, `problem_statement`, `test_patch`, `FAIL_TO_PASS`,
`PASS_TO_PASS`), and a directory of clones named `owner__name`. Which instances are compared is
fixed in bench/swebench-sample.json. An instance is resolved when its own tests, put into another
copy after the run, pass; an agent may see and run the same test files as they are at the base.

The environment is the caller's: `python` in the options has to run the repository's tests with
pytest. Where that takes one interpreter for each repository, use a configuration for each.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from collections.abc import Mapping
from typing import Any

from plan07 import gitcommand, jsontext
from plan07.ab.arms.copy import Outcomes, WorkingCopy, laid, run_tests
from plan07.errors import InputError
from plan07.messages import quoted

_FIELDS = ("repo", "base_commit", "problem_statement", "test_patch", "FAIL_TO_PASS", "PASS_TO_PASS")
_FILE = re.compile(r"^\+\+\+ b/(.+)$", re.M)
_LARGEST_BYTES = 1 << 30


class Instance:
    """One instance.

    Args:
        row: of the data.
        clones: the directory of clones.

    Raises:
        InputError: there is no clone of its repository.
    """

    def __init__(self, row: Mapping[str, Any], clones: str) -> None:
        self.request = str(row["problem_statement"])
        self._patch = str(row["test_patch"])
        self._commit = str(row["base_commit"])
        self._wanted = [*_names(row["FAIL_TO_PASS"]), *_names(row["PASS_TO_PASS"])]
        self._clone = os.path.join(clones, str(row["repo"]).replace("/", "__"))
        self._files = [x for x in _FILE.findall(self._patch) if x.endswith(".py")]
        if not os.path.isdir(self._clone):
            raise _fault(
                "AB_CLONE_MISSING",
                f"there is no clone of {quoted(str(row['repo']))} at {self._clone}",
                "clone it there, or name another directory as clones in options",
            )

    def lay(self, root: str) -> None:
        """Put the repository at its base into a directory, without its history.

        Raises:
            InputError: the clone has no such commit.
        """
        place = f"{root}.clone"
        done = gitcommand.run(
            self._clone, "clone", "--quiet", "--shared", "--no-checkout", "--", self._clone, place
        )
        if (
            done is None
            or gitcommand.run(place, "checkout", "-q", "--detach", self._commit) is None
        ):
            raise _fault(
                "AB_CLONE_INCOMPLETE",
                f"{self._clone} has no commit {quoted(self._commit)}",
                "fetch the whole history of the repository",
            )
        laid(place, root)

    def copy(self, root: str, python: str, seconds: float) -> WorkingCopy:
        """Return the working copy in a directory; its tests are the files of the hidden ones."""
        tests = [x for x in self._files if os.path.exists(os.path.join(root, x))]
        return WorkingCopy(root, python, seconds, tests or ["."], forgiving=True)

    def resolved(self, copy: WorkingCopy, python: str, seconds: float) -> bool:
        """Return whether the tests of the instance pass in what an arm left.

        Raises:
            InputError: the tests cannot be put in.
        """
        with tempfile.TemporaryDirectory(prefix="plan07-") as folder:
            laid(copy.root, folder)
            applied = subprocess.run(
                ["git", "apply", "--whitespace=nowarn", "-"],
                cwd=folder,
                input=self._patch.encode(),
                capture_output=True,
                check=False,
                timeout=120,
            )
            if applied.returncode:
                raise _fault(
                    "AB_TESTS_UNAPPLIED",
                    "the hidden tests cannot be put into the copy",
                    "compare base_commit and test_patch with the data set",
                )
            found = run_tests(folder, python, seconds, self._files)
        return bool(self._wanted) and all(_passes(name, found) for name in self._wanted)


def instance(name: str, data: str, clones: str) -> Instance:
    """Return the instance of a name.

    Args:
        name: its `instance_id`.
        data: the file of the data set.
        clones: the directory of clones.

    Raises:
        InputError: the file cannot be read, or has no such instance.
    """
    for number, line in enumerate(
        jsontext.content(data, data, _LARGEST_BYTES, "split it").split(b"\n"), 1
    ):
        if name.encode() not in line:
            continue
        row = jsontext.parse(line, f"{data}:{number}")
        if isinstance(row, dict) and row.get("instance_id") == name:
            missing = [field for field in _FIELDS if field not in row]
            if missing:
                raise _fault(
                    "AB_INSTANCE_INVALID",
                    f"{data}:{number}: {quoted(name)} has no {missing[0]}",
                    "use the data set as it is published",
                )
            return Instance(row, clones)
    raise _fault(
        "AB_INSTANCE_MISSING",
        f"{data} has no instance {quoted(name)}",
        "name the file that holds it as instances in options",
    )


def _names(value: object) -> list[str]:
    """The tests of a field, which is a list or a list written as JSON."""
    found = json.loads(value) if isinstance(value, str) else value
    return [str(each) for each in found] if isinstance(found, list) else []


def _passes(name: str, found: Outcomes) -> bool:
    """Whether a test passed; some repositories name theirs by the function alone."""
    if "::" in name:
        return name in found.passed
    return any(each.rpartition("::")[2] == name for each in found.passed)


def _fault(code: str, message: str, fix: str) -> InputError:
    return InputError(code, message, fix, phase="ab")
