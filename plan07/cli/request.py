"""The request, as an argument, a file or standard input."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, BinaryIO

import click

from plan07 import canonicalize
from plan07.errors import InputError

# Bytes; a character of a request takes four at most.
_LARGEST_BYTES = 4 * canonicalize.LARGEST_REQUEST


def request_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the argument REQUEST and the option that names a file instead."""
    file = click.option("--file", metavar="FILE", help="Read the request from a file in UTF-8.")
    return click.argument("request", metavar="[REQUEST|-]", required=False)(file(function))


def request_text(request: str | None, path: str | None) -> str:
    """Return the text of a request.

    Args:
        request: the text itself, or - for standard input.
        path: a file instead.

    Raises:
        InputError: neither or both are given, or it cannot be read.
    """
    if (request is None) == (path is None):
        raise InputError(
            "USAGE",
            "give either a request or --file FILE",
            "give the request in quotes, - for standard input, or --file FILE",
            phase="usage",
        )
    if request is not None and request != "-":
        return request
    name = "standard input" if path is None else path
    return _decoded(_bytes(path, name), name)


def _bytes(path: str | None, name: str) -> bytes:
    try:
        with _opened(path) as stream:
            data = stream.read(_LARGEST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it cannot be opened"
        raise InputError(
            "FILE_UNREADABLE",
            f"{name} cannot be read: {reason.lower()}",
            "name a readable file, or - for standard input",
            phase="read",
            detail={"path": path or "-"},
        ) from error
    if len(data) > _LARGEST_BYTES:
        raise InputError(
            "FILE_TOO_LARGE",
            f"{name} is larger than {_LARGEST_BYTES} bytes",
            "give the issue without its logs and attachments",
            phase="read",
            detail={"path": path or "-", "limit": _LARGEST_BYTES},
        )
    return data


def _opened(path: str | None) -> AbstractContextManager[BinaryIO]:
    if path is not None:
        return open(path, "rb")
    if sys.stdin is None:
        raise OSError(9, "it is closed")
    return nullcontext(sys.stdin.buffer)


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            "REQUEST_INVALID",
            f"{name}:{line}: it is not UTF-8",
            "save it as UTF-8",
            phase="read",
            detail={"source": name, "line": line},
        ) from None
