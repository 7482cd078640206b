"""Runs git to read, so that nothing of a strange repository is run with it.

The configuration of a repository can name programs: monitors, hooks, filters, pagers. Those that
the commands used here would start are switched off, and commands that apply filters are not used.
"""

from __future__ import annotations

import os
import subprocess

_SECONDS = 120
_SAFE = (
    *(
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "log.showSignature=false",
    ),
    *("-c", "core.untrackedCache=false", "-c", "core.quotePath=false", "--no-pager"),
)


def run(root: str, *arguments: str) -> bytes | None:
    """Return what a git command prints, None where it fails, is missing or takes too long.

    Args:
        root: directory in which it runs.
        arguments: command and options.
    """
    # Inside of a hook these name another repository.
    environment = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", "-C", root, *_SAFE, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
