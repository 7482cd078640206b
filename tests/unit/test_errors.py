"""Exceptions: their shape, their exit status, their way across processes."""

from __future__ import annotations

import copy
import pickle

import pytest

from plan07 import errors
from plan07.errors import Finding, InputError, Plan07Error, PlanRefused, RulesError

FINDING = Finding("UNGROUNDED", "O1", "a message", "a fix", {"a": [1, "x"]})


@pytest.mark.parametrize(
    ("kind", "status"),
    [(Plan07Error, 3), (PlanRefused, 1), (InputError, 2), (RulesError, 3)],
)
def test_exit_status(kind: type[Plan07Error], status: int) -> None:
    assert kind.exit_status == status
    assert issubclass(kind, Plan07Error)


def example(kind: type[Plan07Error] = PlanRefused) -> Plan07Error:
    return kind(
        "UNGROUNDED",
        "a message",
        "a fix",
        phase="admission",
        detail={"subject": "O1"},
        violations=(FINDING,),
        retryable=True,
    )


def test_the_one_shape() -> None:
    found = example().as_dict()
    assert found == {
        "error": {
            "code": "UNGROUNDED",
            "phase": "admission",
            "message": "a message",
            "fix": "a fix",
            "retryable": True,
            "detail": {"subject": "O1"},
            "violations": [
                {
                    "code": "UNGROUNDED",
                    "subject": "O1",
                    "message": "a message",
                    "fix": "a fix",
                    "detail": {"a": [1, "x"]},
                }
            ],
        }
    }
    assert list(found["error"]) == [
        *("code", "phase", "message", "fix", "retryable", "detail", "violations")
    ]
    assert list(found["error"]["violations"][0]) == [
        *("code", "subject", "message", "fix", "detail")
    ]


def test_defaults_and_the_sentence() -> None:
    error = InputError("X", "a message", "a fix", phase="read")
    assert str(error) == "X: a message"
    assert (error.detail, error.violations, error.retryable) == ({}, (), False)


@pytest.mark.parametrize("kind", [PlanRefused, InputError, RulesError, Plan07Error])
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_they_pickle(kind: type[Plan07Error], protocol: int) -> None:
    error = example(kind)
    found = pickle.loads(pickle.dumps(error, protocol))
    assert type(found) is kind
    assert found.as_dict() == error.as_dict()
    assert found.violations == (FINDING,)
    assert str(found) == str(error)


def test_they_copy() -> None:
    error = example()
    assert copy.deepcopy(error).as_dict() == error.as_dict()


@pytest.mark.parametrize(
    ("status", "kind"), [(1, PlanRefused), (2, InputError), (3, RulesError), (70, RulesError)]
)
def test_from_dict(status: int, kind: type[Plan07Error]) -> None:
    found = errors.from_dict(example().as_dict(), status)
    assert type(found) is kind
    assert found.as_dict() == example().as_dict()
