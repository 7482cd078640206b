"""What `plan07 run` tells while it works: on a terminal, elsewhere, and to nobody."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
import repositories
from repositories import step

TWO = (step("O1", "grep -q 2 a.py"), step("O2", "grep -q 2 b.py", "O1"))
GOOD = {"O1": "echo 'x = 2' > a.py", "O2": "echo 'y = 2' > b.py"}
COMMIT = re.compile(r"\b[0-9a-f]{12}\b")


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The words of a run that goes well."""
    for name, value in repositories.USER.items():
        monkeypatch.setenv(name, value)
    plan = repositories.planned(tmp_path / "plan.json", *TWO)
    repository = repositories.made(tmp_path / "work" / "repo")
    agent = repositories.scripted(tmp_path, **GOOD)
    command = [sys.executable, "-m", "plan07", "run", str(plan), "--repo", str(repository)]
    return [*command, "--agent", agent]


def on_a_terminal(words: list[str], **more: str) -> str:
    """Return what a command writes on standard error when that is a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "60", **more},
    ):
        os.close(theirs)
        told = b""
        while True:
            try:
                told += os.read(ours, 65536)
            except OSError:
                break
    os.close(ours)
    return COMMIT.sub("COMMIT", told.decode()).replace("\r\n", "\n")


def test_a_line_that_changes_on_a_terminal(words: list[str]) -> None:
    assert on_a_terminal(words) == "".join(
        f"\r\x1b[2Kplan07: hand_out: {node}: modify pkg.{node} ..."
        f"\r\x1b[2Kplan07: pass: {node}: checkpoint COMMIT, 1 file\n"
        for node in ("O1", "O2")
    )


def test_lines_on_a_terminal_that_knows_nothing(words: list[str]) -> None:
    told = on_a_terminal(words, TERM="dumb")
    assert "\x1b" not in told
    assert len(told.splitlines()) == 4


@pytest.mark.parametrize("closed", ["2>&-", "<&-", "2>/dev/full"])
def test_nobody_listens(words: list[str], closed: str) -> None:
    shell = ["sh", "-c", f'"$@" {closed}', "sh", *words, "--json"]
    done = subprocess.run(shell, capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["verdict"]) == (0, "complete")
