"""Build spec 3.1, task canonicalization, paragraph by paragraph."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

from plan07.canonicalize import canonicalize, render
from plan07.errors import InputError, PlanRefused
from plan07.models import Requirement


def refusal(text: str) -> PlanRefused:
    with pytest.raises(PlanRefused) as caught:
        canonicalize(text)
    assert caught.value.phase == "canonicalize"
    assert "nodes" not in caught.value.as_dict()
    return caught.value


def listed(*criteria: str, constraints: tuple[str, ...] = ()) -> str:
    return render(
        {"goal": "Do it all", "acceptance_criteria": criteria, "constraints": constraints}
    )


class TestOutput:
    """ "a typed requirement artifact with checkable acceptance criteria" """

    def test_keys_and_their_order(self) -> None:
        """S-000-010."""
        found = canonicalize("Add X. X should be sorted, without changing Y.")
        assert list(found) == ["goal", "acceptance_criteria", "constraints"]

    def test_the_flag_is_there_only_when_it_is_true(self) -> None:
        """S-000-010."""
        found = canonicalize("Add X")
        assert list(found) == [
            *("goal", "acceptance_criteria", "constraints", "needs_confirmation"),
        ]
        assert found["needs_confirmation"] is True

    def test_it_is_the_record(self) -> None:
        found = canonicalize("Add X. X should be sorted, without changing Y.")
        record = Requirement.model_validate(found, strict=False)
        assert record.acceptance_criteria == tuple(found["acceptance_criteria"])


class TestNormalization:
    """ "trim, collapse whitespace, strip list-noise and boilerplate framing" """

    @pytest.mark.parametrize(
        ("text", "goal"),
        [
            (" please  Fix X, thanks ", "Fix X"),
            ("- Fix X", "Fix X"),
            ("* Fix X", "Fix X"),
            ("1. Fix X", "Fix X"),
            ("As always, fix\n\tX", "fix X"),
            ('Fix "please" for pleased users', 'Fix "please" for pleased users'),
        ],
    )
    def test_goal(self, text: str, goal: str) -> None:
        """S-000-011."""
        assert canonicalize(text)["goal"] == goal


class TestExtraction:
    """ "extract the named behaviour / test / command / observable-state predicates" """

    def test_a_named_test(self) -> None:
        """S-000-012."""
        found = canonicalize("Sort it so that tests/test_a.py::test_b passes")
        assert found["acceptance_criteria"] == ["tests/test_a.py::test_b passes"]
        assert "needs_confirmation" not in found

    def test_none_named(self) -> None:
        """S-000-013: derived from the request's own verbs and marked for confirmation."""
        assert canonicalize("Make the session timeout configurable") == {
            "goal": "Make the session timeout configurable",
            "acceptance_criteria": ["the session timeout is configurable"],
            "constraints": [],
            "needs_confirmation": True,
        }

    def test_named_and_derived_are_never_mixed(self) -> None:
        """T12."""
        found = canonicalize("Add X and remove Y.\n\nX should be sorted.")
        assert found["acceptance_criteria"] == ["X should be sorted"]
        assert "needs_confirmation" not in found


class TestValidation:
    """ "reject (return a validation error, never a plan) any request that yields …" """

    @pytest.mark.parametrize("text", ["", " \n", "please, thanks", "???", "```\nx = 1\n```"])
    def test_an_empty_goal(self, text: str) -> None:
        """S-000-015."""
        assert refusal(text).code == "EMPTY_GOAL"

    def test_nothing_to_derive(self) -> None:
        """S-000-015."""
        found = refusal("Refactor")
        assert (found.code, found.detail["goal"]) == ("NOTHING_CHECKABLE", "Refactor")

    def test_not_serializable(self) -> None:
        """S-000-015."""
        with pytest.raises(InputError):
            canonicalize("\ud800")

    @pytest.mark.parametrize("code", ["```\nx = 1\ny = 2\n```", "  ~~~\n  x\n  y\n  ~~~"])
    def test_code_in_a_criterion(self, code: str) -> None:
        """S-000-017."""
        found = refusal(f"Do it\n\nAcceptance criteria:\n- it accepts\n{code}\n- b works\n")
        assert [each.code for each in found.violations] == ["CODE_IN_CRITERION"]
        assert found.detail["criterion"] == "it accepts"

    @pytest.mark.parametrize("value", ['{"a": 1}', "[1, 2]"])
    def test_a_dictionary_as_a_criterion(self, value: str) -> None:
        """S-000-017."""
        assert refusal(f"Do it\n\n- [ ] {value}\n").code == "CODE_IN_CRITERION"

    def test_criteria_are_single_lines(self) -> None:
        """S-000-017."""
        found = canonicalize("Do it\n\n- [ ] a works\n  as before\n- [ ] b\u2028works\n")
        assert found["acceptance_criteria"] == ["a works as before", "b works"]


class TestCaps:
    """ "goal ≤ 500 chars; each predicate ≤ 200 chars; ≤ 16 criteria; ≤ 16 constraints" """

    @pytest.mark.parametrize(
        ("text", "field", "limit"),
        [
            pytest.param(lambda n: "Sort " + "x" * (n - 5), "goal", 500, id="goal"),
            pytest.param(lambda n: listed("c" * n), "criterion", 200, id="criterion"),
            pytest.param(
                lambda n: listed(*(f"c {i}" for i in range(n))), "criteria", 16, id="criteria"
            ),
            pytest.param(
                lambda n: listed("c", constraints=("k" * n,)), "constraint", 200, id="constraint"
            ),
            pytest.param(
                lambda n: listed("c d", constraints=tuple(f"k {i}" for i in range(n))),
                "constraints",
                16,
                id="constraints",
            ),
        ],
    )
    def test_at_and_over(self, text: Any, field: str, limit: int) -> None:
        """S-000-016: over is refused, never cut."""
        if field != "goal":
            found = canonicalize(text(limit))
            assert max(len(found["acceptance_criteria"]), len(found["constraints"])) in (1, limit)
        details = [each.detail for each in refusal(text(limit + 1)).violations]
        assert {"field": field, "count": limit + 1, "limit": limit} in details

    def test_a_goal_of_500(self) -> None:
        """S-000-016."""
        goal = "Sort " + "x" * 495
        found = canonicalize(f"# {goal}\n\n- [ ] it works\n")
        assert found["goal"] == goal

    def test_everything_over_is_told_at_once(self) -> None:
        found = refusal(f"{'x' * 501} y\n\n- [ ] {'c' * 201}\n- [ ] {'d' * 202}\n")
        assert [each.detail["field"] for each in found.violations] == [
            *("goal", "criterion", "criterion"),
        ]

    def test_a_long_issue_passes_because_its_goal_is_its_title(self) -> None:
        body = "\n\n".join(f"On day {n} it was slow again." for n in range(900))
        found = canonicalize(f"# Speed up the nightly report\n\n{body}\n\n- [ ] it takes an hour")
        assert found["goal"] == "Speed up the nightly report"
        assert found["acceptance_criteria"] == ["it takes an hour"]


def test_no_model_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """S-000-018: nothing is imported and nothing opened while a request is read."""
    expected = canonicalize("Make the session timeout configurable")

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("opened")

    monkeypatch.setattr("socket.socket", refuse)
    monkeypatch.setattr(builtins, "open", refuse)
    assert canonicalize("Make the session timeout configurable") == expected
