"""Exceptions of plan07, each with a stable code and an exit status.

Refused input is data (a list of violations inside one `PlanRefused`); failing to work is any other
exception here. The sentence is derived from what the exception carries.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Finding(NamedTuple):
    """One violation or one piece of advice.

    Args:
        code: UPPER_SNAKE, stable.
        subject: the id of the obligation, or the place in the document.
        message: one sentence that quotes the user's own tokens.
        fix: one safe thing to do.
        detail: the parts of the message for programs.
    """

    code: str
    subject: str
    message: str
    fix: str
    detail: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return the wire form, keys in a fixed order."""
        return {
            "code": self.code,
            "subject": self.subject,
            "message": self.message,
            "fix": self.fix,
            "detail": self.detail,
        }


class Plan07Error(Exception):
    """Any failure that plan07 raises.

    Args:
        code: UPPER_SNAKE, stable.
        message: one sentence.
        fix: what to do about it.
        phase: where it happened: usage, read, evidence, admission, graph, schedule, rules.
        detail: for programs.
        violations: what is wrong, one by one, where there are several.
        retryable: the same call may succeed later.
    """

    exit_status = 3

    def __init__(
        self,
        code: str,
        message: str,
        fix: str,
        *,
        phase: str,
        detail: dict[str, Any] | None = None,
        violations: tuple[Finding, ...] = (),
        retryable: bool = False,
    ) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message
        self.fix = fix
        self.phase = phase
        self.detail = detail or {}
        self.violations = violations
        self.retryable = retryable

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.as_dict()["error"])

    def as_dict(self) -> dict[str, Any]:
        """Return the one error shape of every command and call."""
        return {
            "error": {
                "code": self.code,
                "phase": self.phase,
                "message": self.message,
                "fix": self.fix,
                "retryable": self.retryable,
                "detail": self.detail,
                "violations": [violation.as_dict() for violation in self.violations],
            }
        }


class PlanRefused(Plan07Error):
    """The plan was read and judged "no"; `violations` carries every reason."""

    exit_status = 1


class InputError(Plan07Error):
    """What was given cannot be read, or an option is wrong."""

    exit_status = 2


class RulesError(Plan07Error):
    """The rules cannot be loaded or have not exactly one answer, or plan07 itself is broken."""

    exit_status = 3


def _rebuild(kind: type[Plan07Error], error: dict[str, Any]) -> Plan07Error:
    return kind(
        error["code"],
        error["message"],
        error["fix"],
        phase=error["phase"],
        detail=error["detail"],
        violations=tuple(Finding(**violation) for violation in error["violations"]),
        retryable=error["retryable"],
    )


def from_dict(document: dict[str, Any], exit_status: int) -> Plan07Error:
    """Return the exception that `as_dict` came from, by its exit status (1, 2 or 3)."""
    kinds: dict[int, type[Plan07Error]] = {1: PlanRefused, 2: InputError}
    return _rebuild(kinds.get(exit_status, RulesError), document["error"])


def defect(error: Exception) -> RulesError:
    """Return what nobody should ever see, a fault of plan07 itself, as the one error."""
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{last.filename.rpartition('/')[2]}:{last.lineno}"
    return RulesError(
        "INTERNAL",
        f"plan07 itself is broken: {type(error).__name__}: {str(error)[:200]} ({place})",
        "report it together with the plan",
        phase="internal",
        detail={"place": place},
    )
