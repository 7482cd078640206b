"""Where results go, and writing them whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plan07 import home
from plan07.errors import InputError


def test_inside_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLAN07_HOME", raising=False)
    assert home.home("/r") == os.path.join("/r", "build", "07-task-decomposition-planning")


def test_where_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAN07_HOME", "/elsewhere")
    assert home.home("/r") == "/elsewhere"
    monkeypatch.setenv("PLAN07_HOME", "")
    assert home.home("/r").startswith("/r")


class TestWrite:
    def test_a_new_file_in_new_directories(self, tmp_path: Path) -> None:
        path = tmp_path / "a" / "b" / "c.json"
        home.write(str(path), b"{}")
        assert path.read_bytes() == b"{}"
        assert path.stat().st_mode & 0o777 == 0o666 & ~umask()
        assert [each.name for each in path.parent.iterdir()] == ["c.json"]

    def test_an_old_file_is_replaced(self, tmp_path: Path) -> None:
        path = tmp_path / "c.json"
        path.write_bytes(b"old")
        home.write(str(path), b"new")
        assert path.read_bytes() == b"new"

    @pytest.mark.parametrize("name", ["file/c.json", "", "a\0b"], ids=["no directory", "it", "NUL"])
    def test_what_cannot_be_written(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "file").write_bytes(b"")
        with pytest.raises(InputError) as caught:
            home.write(os.path.join(str(tmp_path), name), b"x")
        assert caught.value.code == "FILE_UNWRITABLE"
        assert sorted(each.name for each in tmp_path.iterdir()) == ["file"]


def umask() -> int:
    found = os.umask(0)
    os.umask(found)
    return found
