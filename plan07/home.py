"""Where plan07 keeps what it makes of a repository."""

from __future__ import annotations

import os

from plan07.errors import InputError

INSIDE = os.path.join("build", "07-task-decomposition-planning")


def home(root: str) -> str:
    """Return the directory for a repository: `PLAN07_HOME`, or `build/...` inside of it."""
    return os.environ.get("PLAN07_HOME") or os.path.join(root, INSIDE)


def write(path: str, data: bytes) -> None:
    """Write a file whole or not at all; directories that are missing are made.

    Raises:
        InputError: it cannot be written.
    """
    import tempfile

    directory = os.path.dirname(os.path.abspath(path))
    temporary = ""
    try:
        os.makedirs(directory, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=directory, prefix=".plan07-")
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except (OSError, ValueError) as error:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
        reason = (getattr(error, "strerror", None) or "that is no path").lower()
        raise InputError(
            "FILE_UNWRITABLE",
            f"{path} cannot be written: {reason}",
            "name another place with -o, or set PLAN07_HOME",
            phase="evidence",
            detail={"path": path},
        ) from error


def _umask() -> int:
    found = os.umask(0o077)
    os.umask(found)
    return found
