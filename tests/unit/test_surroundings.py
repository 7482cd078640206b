"""What the checks of the gate run in: their environment, and the Python of a repository."""

from __future__ import annotations

import os
import shlex
import stat
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from plan07.validate import Local, gate, interpreter, surroundings


class TestEnvironment:
    GIVEN: Mapping[str, str] = {
        "PATH": "/bin",
        "HOME": "/h",
        "OPENAI_API_KEY": "k",
        "PLAN07_API_KEY": "k",
        "PLAN07_MODEL": "m",
        "GIT_DIR": "/elsewhere",
        "GIT_INDEX_FILE": "/elsewhere/index",
        "GIT_AUTHOR_NAME": "a",
        "TERM": "xterm",
    }
    STATED: Mapping[str, str] = {
        "PATH": "/bin",
        "HOME": "/h",
        "PLAN07_MODEL": "m",
        "GIT_AUTHOR_NAME": "a",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }

    def test_it_has_no_keys_and_leads_nowhere_else(self) -> None:
        assert surroundings(self.GIVEN) == self.STATED

    def test_an_agent_keeps_the_keys(self) -> None:
        keys = {"OPENAI_API_KEY": "k", "PLAN07_API_KEY": "k"}
        assert surroundings(self.GIVEN, keys=True) == {**self.STATED, **keys}

    def test_it_is_what_a_check_gets(self, tmp_path: Path) -> None:
        given = {**os.environ, "OPENAI_API_KEY": "k", "GIT_DIR": "/elsewhere"}
        script = "$ sh -c 'echo \"${OPENAI_API_KEY-none} ${GIT_DIR-none} $NO_COLOR\"; exit 1'"
        run = Local(str(tmp_path), environment=given)
        assert gate({"id": "O1", "validation": script}, run).reason == "none none 1"


class TestInterpreter:
    """PLAN07_PYTHON, the repository's own, the active one, `python3` on the path, this one."""

    @pytest.fixture
    def places(self, tmp_path: Path) -> dict[str, Path]:
        places = {
            "named": tmp_path / "named",
            ".venv": tmp_path / "repo/.venv/bin/python",
            "venv": tmp_path / "repo/venv/bin/python",
            "active": tmp_path / "active/bin/python",
            "path": tmp_path / "bin/python3",
        }
        for path in places.values():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("#!/bin/sh\n")
            path.chmod(0o755)
        return places

    def test_the_first_that_can_be_run(self, tmp_path: Path, places: dict[str, Path]) -> None:
        given = {
            "PLAN07_PYTHON": str(places["named"]),
            "VIRTUAL_ENV": str(tmp_path / "active"),
            "PATH": str(tmp_path / "bin"),
        }
        for path in places.values():
            assert interpreter(str(tmp_path / "repo"), given) == str(path)
            path.chmod(stat.S_IRUSR)
            if os.access(path, os.X_OK):
                path.unlink()
        assert interpreter(str(tmp_path / "repo"), given) == sys.executable

    def test_a_path_that_is_given_holds_wherever_the_check_runs(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        script = tmp_path / "py"
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
        script.chmod(0o755)
        monkeypatch.chdir(tmp_path)
        (tmp_path / "repo").mkdir()
        run = Local("repo", python="./py")
        assert gate({"id": "O1", "validation": "import: json"}, run).outcome == "pass"
