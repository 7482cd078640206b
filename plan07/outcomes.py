"""What an operation on a plan comes to, beside its answer and a refusal."""

from __future__ import annotations

from typing import Any, NamedTuple

from plan07.errors import Plan07Error
from plan07.partition import Standing
from plan07.validate import GateResult


class GateBroken(Plan07Error):
    """A check could not be run at all; nothing was learned and nothing changed."""

    exit_status = 3


class Cancelled(Exception):
    """A harness cancels: raise it from a hook, and the same object comes out.

    Args:
        token: why, one line.
    """

    def __init__(self, token: str) -> None:
        super().__init__(token)
        self.token = token


class Validated(NamedTuple):
    """What a validation came to.

    Args:
        result: of the gate.
        replanned: the change of the plan that followed a failure, "" where none did.
        reason: why no replan followed, "" where one did or none was due.
        standing: of the plan afterwards.
    """

    result: GateResult
    replanned: str
    reason: str
    standing: Standing

    def as_dict(self) -> dict[str, Any]:
        """Return the wire form."""
        return {
            **self.result.as_dict(),
            "replanned": self.replanned,
            "no_replan": self.reason,
            "verdict": self.standing.verdict,
            "next": self.standing.exposed,
        }
