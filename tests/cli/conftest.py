"""Runs the command in process, where a test does not need a process of its own."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from plan07.cli import main


class Result(NamedTuple):
    """What a command left behind."""

    status: int
    out: str
    err: str

    def document(self) -> Any:
        """Return the one JSON document on standard output."""
        return json.loads(self.out)


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Result]:
    """Return a function that runs `plan07 ARGUMENTS` and returns its status and output."""
    monkeypatch.delenv("PLAN07_RULES", raising=False)

    def call(*arguments: Any, stdin: bytes = b"") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(each) for each in arguments])
        captured = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return Result(ended.value.code, captured.out, captured.err)

    return call
