"""What pyright says of a state, where a project's tests cannot run here."""

from __future__ import annotations

import json
import os
import subprocess
import sys

_SECONDS = 300


def typing_errors(place: str) -> frozenset[str]:
    """Return the errors in a directory, by file, rule and message, on whatever line.

    Args:
        place: the directory; nothing that it imports needs to be installed.

    Raises:
        OSError: pyright does not answer.
    """
    command = [sys.executable, "-m", "pyright", "--outputjson", "--level", "error", "."]
    done = subprocess.run(
        command, cwd=place, capture_output=True, timeout=_SECONDS, check=False, text=True
    )
    try:
        told = json.loads(done.stdout)["generalDiagnostics"]
    except (ValueError, KeyError) as error:
        raise OSError(f"pyright: {(done.stderr or done.stdout).strip()[:300]}") from error
    return frozenset(
        f"{os.path.relpath(each['file'], place)}: {each.get('rule', '')}: {each['message']}"
        for each in told
        if each.get("severity") == "error"
    )
