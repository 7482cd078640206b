"""The request, as an argument, a file or standard input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from plan07 import canonicalize, jsontext
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
    fix = "give the issue without its logs and attachments"
    return _decoded(jsontext.content(path or "-", name, _LARGEST_BYTES, fix), name)


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
