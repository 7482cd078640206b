"""Runs git for the loop: plumbing commands only, so nothing of the user's setup takes part.

No hook, signature, editor, pager or prompt of the user's is run, and no variable of a caller's git
points a command at another repository.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence

from plan07.errors import Plan07Error
from plan07.messages import printable

_SECONDS = 120
# What of the caller's git holds here: who commits, and where the configuration lies.
_KEPT = ("GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_", "GIT_EXEC_PATH", "GIT_TRACE", "GIT_SSL_")
_SET = (
    *("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.quotePath=false"),
    # Line endings are the project's own business; a warning of them must not become an error.
    *("core.safecrlf=false", "advice.addEmbeddedRepo=false", "submodule.recurse=false"),
)


class GitFailed(Plan07Error):
    """A git command that should work did not; the plan is as it was."""

    exit_status = 3


class Git:
    """Runs git in a directory.

    Args:
        directory: in a work tree.
        top: it is the top of one, so what lies above it is another repository's.
    """

    def __init__(self, directory: str, top: bool = False) -> None:
        self._directory = directory
        self._above = {"GIT_CEILING_DIRECTORIES": os.path.dirname(directory)} if top else {}
        self._own: list[str] = []

    def __call__(
        self, *words: str, more: Mapping[str, str] | None = None, given: str | None = None
    ) -> str:
        """Return what a command prints, without the space around it.

        Args:
            words: the command.
            more: variables of its environment.
            given: what it reads.

        Raises:
            GitFailed: it cannot be run, or says no.
        """
        return self._run(words, more, given).strip()

    def listed(self, *words: str, more: Mapping[str, str] | None = None) -> list[str]:
        """Return the fields that a command prints with a NUL after each."""
        return [each for each in self._run(words, more, None).split("\0") if each]

    def asked(self, *words: str) -> str:
        """Return what a command prints, "" where it says no."""
        try:
            return self(*words)
        except GitFailed:
            return ""

    def path(self, name: str, shared: bool = False) -> str:
        """Return where a file of the repository's own lies, such as its index.

        Args:
            name: of the file.
            shared: it is one for all work trees of the repository, such as a reference.
        """
        if not self._own:
            told = self("rev-parse", "--git-dir", "--git-common-dir").split("\n")
            self._own = [os.path.join(self._directory, each) for each in told]
        return os.path.join(self._own[shared], name)

    def _run(self, words: Sequence[str], more: Mapping[str, str] | None, given: str | None) -> str:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("GIT_") or name.startswith(_KEPT)
        }
        environment = {
            **kept,
            **self._above,
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "LC_ALL": "C.UTF-8",
            **(more or {}),
        }
        try:
            done = subprocess.run(
                ["git", *(word for each in _SET for word in ("-c", each)), *words],
                cwd=self._directory,
                env=environment,
                input=(given or "").encode("utf-8", "surrogateescape"),
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise _failed(words, str(error)) from error
        if done.returncode:
            raise _failed(words, done.stderr.decode("utf-8", "replace"))
        return done.stdout.decode("utf-8", "surrogateescape")


def literal(path: str) -> str:
    """Return the pathspec of just this path, seen from the top of the work tree."""
    return f":(top,literal){path}"


def _failed(words: Sequence[str], said: str) -> GitFailed:
    line = " ".join(said.split())[:300]
    return GitFailed(
        "GIT_FAILED",
        f"git {words[0]} failed: {printable(line)}",
        "see what git says of the repository, then run the plan again",
        phase="run",
        detail={"command": list(words[:2]), "said": line},
        retryable=True,
    )
