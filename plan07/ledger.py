"""The record of model calls: which scopes were sent, and what came back.

A scope is sent once (build spec 4): its row is written before the call leaves, so a call that was
killed half-way, or a server that failed, does not make the same question be asked twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from plan07 import jsonlines
from plan07.errors import InputError


class Ledger(Protocol):
    """Where calls are recorded."""

    def spend(self, scope: str, row: Mapping[str, Any]) -> bool:
        """Record that a scope is sent; False when it was sent before."""
        raise NotImplementedError

    def record(self, row: Mapping[str, Any]) -> None:
        """Record what came of a call."""


class Memory:
    """A ledger that lives as long as the process.

    Args:
        rows: what was recorded before.
    """

    def __init__(self, rows: list[dict[str, Any]] | None = None) -> None:
        self.rows = list(rows or ())

    def spend(self, scope: str, row: Mapping[str, Any]) -> bool:
        """Record that a scope is sent; False when it was sent before."""
        if any(each.get("scope") == scope for each in self.rows):
            return False
        self.record({"scope": scope, **row})
        return True

    def record(self, row: Mapping[str, Any]) -> None:
        """Record what came of a call."""
        self.rows.append(dict(row))


class File:
    """A ledger in a file of JSON lines, shared between processes.

    Args:
        path: the file; it and its directory are made when the first call is recorded.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def spend(self, scope: str, row: Mapping[str, Any]) -> bool:
        """Record that a scope is sent; False when it was sent before.

        Raises:
            InputError: the file cannot be read or written.
        """
        try:
            with jsonlines.opened(self.path) as stream:
                if any(each.get("scope") == scope for each in jsonlines.rows(stream.read())):
                    return False
                jsonlines.append(stream, {"scope": scope, **row})
        except OSError as error:
            raise self._fault(error) from error
        return True

    def record(self, row: Mapping[str, Any]) -> None:
        """Record what came of a call.

        Raises:
            InputError: the file cannot be written.
        """
        try:
            with jsonlines.opened(self.path) as stream:
                jsonlines.append(stream, row)
        except OSError as error:
            raise self._fault(error) from error

    def rows(self) -> list[dict[str, Any]]:
        """Return what was recorded, the oldest first.

        Raises:
            InputError: the file cannot be read.
        """
        try:
            return jsonlines.read(self.path)
        except OSError as error:
            raise self._fault(error) from error

    def _fault(self, error: OSError) -> InputError:
        return InputError(
            "LEDGER_UNWRITABLE",
            f"the record of model calls {self.path} cannot be kept: {error.strerror}",
            "make its directory writable, or name another place with -o or --calls",
            phase="decompose",
            detail={"path": self.path},
        )
