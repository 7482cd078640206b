"""Two revisions of a git repository, side by side."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from plan07.errors import InputError
from plan07.impact.revisions import changed, check_out, span

LONG = "".join(f"line {n}\n" for n in range(40))


def git(root: Path, *arguments: str) -> str:
    environment = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        **{f"GIT_{who}_NAME": "a" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "a@example.org" for who in ("AUTHOR", "COMMITTER")},
    }
    done = subprocess.run(
        ["git", "-C", str(root), *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "--quiet", "--initial-branch=main")
    (root / "moved.py").write_text(LONG)
    (root / "gone.py").write_text("gone\n")
    (root / "kept.py").write_text("kept\n")
    (root / "edited ä.py").write_text("one\n")
    git(root, "add", ".")
    git(root, "commit", "--quiet", "-m", "one")
    git(root, "tag", "first")
    (root / "moved.py").rename(root / "there.py")
    (root / "gone.py").unlink()
    (root / "edited ä.py").write_text("two\n")
    (root / "new.py").write_text("new\n")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", "two")
    return root


def test_what_lies_between(repository: Path) -> None:
    found = changed(str(repository), span(str(repository), "first..main"), {})
    assert found.old == {"moved.py", "gone.py", "edited ä.py"}
    assert found.new == {"there.py", "new.py", "edited ä.py"}
    assert found.moved == {"moved.py": "there.py"}


def lying(root: Path) -> dict[str, str]:
    """Return path to blob id of the working tree, as recon.db knows it."""
    names = [each.name for each in root.iterdir() if each.is_file()]
    return {name: git(root, "hash-object", "--no-filters", name) for name in names}


def test_up_to_the_working_tree(repository: Path) -> None:
    (repository / "kept.py").write_text("edited\n")
    (repository / "untracked.py").write_text("")
    (repository / "there.py").rename(repository / "elsewhere.py")
    (repository / "elsewhere.py").write_text(LONG.replace("line 7", "line seven"))
    found = changed(str(repository), span(str(repository), "HEAD"), lying(repository))
    assert found.old == {"kept.py", "there.py"}
    assert found.new == {"kept.py", "untracked.py", "elsewhere.py"}
    assert found.moved == {"there.py": "elsewhere.py"}


def test_what_is_unlike_has_not_moved(repository: Path) -> None:
    (repository / "there.py").unlink()
    (repository / "other.py").write_text("".join(f"word {n}\n" for n in range(40)))
    found = changed(str(repository), span(str(repository), "HEAD"), lying(repository))
    assert found.moved == {}


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("first", "first", None),
        ("first..HEAD", "first", "main"),
        ("first..", "first", "main"),
        ("..first", "main", "first"),
        ("HEAD~1", "first", None),
    ],
)
def test_how_revisions_are_written(repository: Path, text: str, old: str, new: str | None) -> None:
    found = span(str(repository), text)
    assert found.old == git(repository, "rev-parse", old)
    assert found.new == (None if new is None else git(repository, "rev-parse", new))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("first...main", "REVISION_INVALID"),
        ("nothing", "REVISION_UNKNOWN"),
        ("first..nothing", "REVISION_UNKNOWN"),
        ("--all", "REVISION_UNKNOWN"),
        ("a\0b", "REVISION_UNKNOWN"),
        ("main:kept.py", "REVISION_UNKNOWN"),
    ],
)
def test_revisions_that_are_none(repository: Path, text: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        span(str(repository), text)
    assert caught.value.code == code


def test_no_repository(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        span(str(tmp_path), "HEAD")
    assert caught.value.code == "REVISION_UNKNOWN"


class TestCheckOut:
    def test_the_files_of_a_commit(self, repository: Path, tmp_path: Path) -> None:
        before = sorted(each.name for each in (repository / ".git").iterdir())
        check_out(str(repository), span(str(repository), "first").old, str(tmp_path / "old"))
        names = sorted(each.name for each in (tmp_path / "old").iterdir())
        assert names == [".git", "edited ä.py", "gone.py", "kept.py", "moved.py"]
        assert sorted(each.name for each in (repository / ".git").iterdir()) == before

    def test_no_program_of_the_repository_is_run(self, repository: Path, tmp_path: Path) -> None:
        trace = tmp_path / "trace"
        for name in ("post-checkout", "reference-transaction"):
            hook = repository / ".git" / "hooks" / name
            hook.parent.mkdir(exist_ok=True)
            hook.write_text(f"#!/bin/sh\ntouch {trace}\n")
            hook.chmod(0o755)
        git(repository, "config", "filter.evil.smudge", f"touch {trace}; cat")
        git(repository, "config", "core.fsmonitor", f"touch {trace}")
        (repository / ".gitattributes").write_text("*.py filter=evil\n")
        git(repository, "add", ".gitattributes")
        git(repository, "-c", "core.fsmonitor=false", "commit", "--quiet", "-m", "three")
        trace.unlink(missing_ok=True)
        check_out(str(repository), span(str(repository), "HEAD").old, str(tmp_path / "old"))
        (repository / "kept.py").write_text("edited\n")
        files = lying(repository)
        trace.unlink(missing_ok=True)
        assert "kept.py" in changed(str(repository), span(str(repository), "HEAD"), files).new
        assert not trace.exists()

    def test_what_git_cannot_do(self, repository: Path, tmp_path: Path) -> None:
        with pytest.raises(InputError) as caught:
            check_out(str(repository), "0" * 40, str(tmp_path / "old"))
        assert caught.value.code == "GIT_FAILED"
