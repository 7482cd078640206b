"""Runs the sessions of the README and shows what they print.

    python tests/readme_sessions.py            # fills the README's session and run blocks anew

A session is a block of commands, each after `$ `, that are run one after the other in an empty
directory in which `tests` leads to this one. The clock stands still and commits have one author, so
the same commands print the same; how long a check took is shown as 0.0 s.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SESSION = re.compile(r"(<!-- session: [\w-]+ -->\n```text\n)(.*?)(```)", re.S)
RUN = re.compile(r"(<!-- run: (plan07 .+?) -->\n```text\n)(.*?)(```)", re.S)
_SECONDS = re.compile(r"\(\d+\.\d s\)")
_CLOCK = "1788617520"


def environment() -> dict[str, str]:
    """Return an environment in which the same commands print the same."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PLAN07_", "OPENAI_", "GIT_", "PYTEST_"))
    }
    path = os.pathsep.join([str(Path(sys.executable).parent), kept["PATH"]])
    people = {
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (
            ("NAME", "plan07"),
            ("EMAIL", "plan07@localhost"),
            ("DATE", f"{_CLOCK} +0000"),
        )
    }
    still = {"SOURCE_DATE_EPOCH": _CLOCK, "GIT_CONFIG_GLOBAL": os.devnull, "NO_COLOR": "1"}
    return {**kept, **people, **still, "PATH": path, "PLAN07_PYTHON": sys.executable}


def printed(command: str, directory: Path) -> str:
    """Return what a command prints, both streams as they come."""
    done = subprocess.run(
        ["bash", "-c", f"{command} 2>&1"],
        cwd=directory,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    return _SECONDS.sub("(0.0 s)", done.stdout)


def played(block: str) -> str:
    """Return a session with what its commands print now."""
    commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        (place / "tests").symlink_to(ROOT / "tests")
        return "".join(f"$ {each}\n{printed(each, place)}" for each in commands)


def filled(text: str) -> str:
    """Return the README with its sessions and single commands run anew."""
    text = SESSION.sub(lambda found: found[1] + played(found[2]) + found[3], text)
    return RUN.sub(
        lambda found: f"{found[1]}$ {found[2]}\n{printed(found[2], ROOT)}{found[4]}", text
    )


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(filled(readme.read_text("utf-8")), "utf-8")
