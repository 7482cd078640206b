"""Reads and parses one file, whatever it holds."""

from __future__ import annotations

import ast
import os
import stat
import warnings

# Larger files hold data, not code that anyone plans to change.
LARGEST_BYTES = 2 * 1024 * 1024


class Unreadable(Exception):
    """A file cannot be read or parsed; the message is one line, with the place."""


def read(root: str, path: str) -> bytes:
    """Return the bytes of a file of the repository.

    Links are not followed, neither at the end of the path nor on the way.

    Raises:
        Unreadable: it cannot be opened, is no regular file, or is too large.
    """
    place = os.path.join(root, path)
    folder = os.path.dirname(place)
    try:
        if os.path.realpath(folder) != os.path.normpath(folder):
            raise Unreadable("a directory on the way to it is a link")
        handle = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | _NO_WAIT)
        with open(handle, "rb") as stream:
            found = os.fstat(stream.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise Unreadable("it is not a regular file")
            if found.st_size > LARGEST_BYTES:
                raise Unreadable(f"larger than {LARGEST_BYTES} bytes")
            return stream.read(LARGEST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise Unreadable((getattr(error, "strerror", None) or str(error)).lower()) from error


# A named pipe would wait for a writer for ever.
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)


def parse(data: bytes) -> ast.Module:
    """Return the tree of a source text.

    Raises:
        Unreadable: with the line.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data)
    except SyntaxError as error:
        raise Unreadable(f"line {error.lineno or 1}: {error.msg}"[:200]) from error
    except (RecursionError, MemoryError):
        raise Unreadable("it is nested too deeply") from None
    except ValueError as error:
        raise Unreadable(str(error)[:200]) from error
