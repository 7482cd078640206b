"""Files of JSON lines that several processes append to, and that a crash may cut short."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO


def rows(data: bytes) -> list[dict[str, Any]]:
    r"""Return the rows of a file; a line that is not an object, such as a cut one, is left out.

    >>> rows(b'{"a": 1}\n{"b":')
    [{'a': 1}]
    """
    found = []
    for line in data.split(b"\n"):
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            found.append(row)
    return found


def read(path: str) -> list[dict[str, Any]]:
    """Return the rows of a file, the oldest first; none where there is no file.

    Raises:
        OSError: it cannot be read.
    """
    try:
        with open(path, "rb") as stream:
            return rows(stream.read())
    except FileNotFoundError:
        return []


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """Open a file to read and append to, for this process alone; it is made where it is missing.

    The lock is the kernel's, so that of a process that died holds nobody up.

    Raises:
        OSError: it cannot be opened.
    """
    import fcntl

    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "a+b") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        stream.seek(0)
        yield stream


def append(stream: BinaryIO, *found: Mapping[str, Any]) -> None:
    """Write rows at the end of an opened file and bring them to the disk.

    Raises:
        OSError: they cannot be written.
    """
    size = stream.seek(0, os.SEEK_END)
    lines = b"".join(
        json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for row in found
    )
    if size:
        # A line that a crash cut short must not swallow the next one.
        stream.seek(size - 1)
        lines = lines if stream.read(1) == b"\n" else b"\n" + lines
    stream.write(lines)
    stream.flush()
    os.fsync(stream.fileno())
