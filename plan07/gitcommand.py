"""Runs git to read, so that nothing of a strange repository is run with it.

The configuration of a repository can name programs: monitors, hooks, filters, pagers. Those that
the commands used here would start are switched off.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence

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
    return _run(root, arguments, {})


def listed(root: str) -> list[tuple[bytes, bytes]] | None:
    """Return the files of a checkout, None where there is none: a tag, and what it is said of.

    What is staged comes as `MODE BLOB STAGE<tab>NAME`, once more with the tag `C` if the file
    differs from it; what is neither staged nor ignored as its name, with the tag `?`. To see what
    differs, git passes what a file holds through the filters that the repository names.
    """
    named = run(
        root, "config", "-z", "--name-only", "--get-regexp", r"^filter\..*\.(clean|process)$"
    )
    off: dict[str, str] = {}
    for key in filter(None, (named or b"").split(b"\0")):
        name = os.fsdecode(key)
        required = f"{name.rpartition('.')[0]}.required"
        for setting, value in ((name, ""), (required, "false")):
            number = len(off) // 2
            off |= {f"GIT_CONFIG_KEY_{number}": setting, f"GIT_CONFIG_VALUE_{number}": value}
    off["GIT_CONFIG_COUNT"] = str(len(off) // 2)
    wanted = ("--stage", "--modified", "--others", "--exclude-standard")
    found = _run(root, ("ls-files", "-t", "-z", *wanted), off)
    if found is None:
        return None
    return [(each[:1], each[2:]) for each in found.split(b"\0") if each]


def _run(root: str, arguments: Sequence[str], settings: Mapping[str, str]) -> bytes | None:
    # Inside of a hook these name another repository.
    environment = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    environment |= settings
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
