"""The ready fixtures F1 to F15 of the requirements: an input and exactly what comes out."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from support import EXAMPLES, edge, obligation, plan, refused, solve

from plan07.document import compact
from plan07.errors import InputError, PlanRefused

SAMPLE = json.loads((EXAMPLES / "session-timeout.plan.json").read_text("utf-8"))
CALLED_BY = {"edges": [edge("SessionConfig", "SessionManager")]}
TEST = "tests/test_session.py::test_custom_timeout"


def sample(**more: Any) -> dict[str, Any]:
    return {"requirement": SAMPLE["requirement"], "obligations": SAMPLE["obligations"], **more}


def reasons(result: dict[str, Any]) -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for each in result["reasons"]:
        found.setdefault((each["edge"][0], each["edge"][1]), set()).add(each["reason"])
    return found


def test_f1_the_sample_without_evidence() -> None:
    result = solve(sample())
    assert result["order"] == ["O1", "O2", "O3"]
    assert result["edges"] == [["O1", "O2"], ["O1", "O3"]]
    assert result["ready"] == ["O1"]
    assert result["blocked"] == ["O2", "O3"]
    assert result["alternative"] == []


def test_f2_the_sample_with_an_edge_to_the_consumer() -> None:
    result = solve(sample(evidence=CALLED_BY))
    assert result["edges"] == [["O1", "O2"], ["O1", "O3"], ["O2", "O3"]]
    assert reasons(result)["O2", "O3"] == {"R2"}
    assert result["ready"] == ["O1"]
    nodes = [
        {**each, "state": "complete"} if each["id"] == "O1" else each for each in result["nodes"]
    ]
    after = solve({"nodes": nodes, "evidence": CALLED_BY})
    assert (after["ready"], after["blocked"]) == (["O2"], ["O3"])
    # The artifact alone keeps the derived edge: component 06 need not be asked again.
    assert solve({"nodes": nodes})["ready"] == ["O2"]


def test_f3_the_natural_order_of_ids() -> None:
    result = solve(plan(obligation("O10"), obligation("O9"), obligation("O2")))
    assert result["order"] == result["ready"] == ["O2", "O9", "O10"]


def test_f4_a_cycle() -> None:
    value = plan(
        obligation("O1", dependencies=["O2"]),
        obligation("O2", dependencies=["O1"]),
        obligation("O3", dependencies=["O2"]),
    )
    result = solve(value)
    composite, third = result["nodes"]
    assert (composite["id"], composite["cycle_collapsed"]) == ("cycle:O1", True)
    assert [each["id"] for each in composite["members"]] == ["O1", "O2"]
    assert third["dependencies"] == ["cycle:O1"]
    assert result["edges"] == [["cycle:O1", "O3"]]
    with pytest.raises(PlanRefused) as caught:
        solve(value, policy={"cycle_policy": "refuse"})
    assert caught.value.exit_status == 1
    assert "O1 -> O2 -> O1" in caught.value.message


def test_f5_a_self_dependency() -> None:
    assert refused(plan(obligation("O1", dependencies=["O1"]))) == [("SELF_DEPENDENCY", "O1", {})]


def test_f6_a_widening_that_waits_for_its_consumer() -> None:
    value = plan(
        obligation("W", cause="type-widening", dependencies=["R"]),
        obligation("R", cause="consumer re-bind"),
    )
    assert refused(value) == [("TEMPORAL_INCONSISTENT", "R", {"edges": [["R", "W"]]})]


@pytest.mark.parametrize("status", ["ready", "blocked", "alternative"])
def test_f7_an_ungrounded_obligation(status: str) -> None:
    value = plan(obligation("O1", cause="", status=status))
    if status == "alternative":
        assert solve(value)["alternative"] == ["O1"]
    else:
        assert refused(value) == [("UNGROUNDED", "O1", {})]


def test_f8_an_unknown_dependency() -> None:
    value = plan(obligation("O1"), obligation("O2", dependencies=["O99"]))
    assert refused(value) == [("UNKNOWN_DEPENDENCY", "O2", {"id": "O2", "missing": "O99"})]


def test_f9_a_duplicate_id() -> None:
    value = plan(obligation("O1"), obligation("O1", "pkg.other"))
    assert refused(value) == [("DUPLICATE_ID", "O1", {"count": 2})]


class TestF10:
    def test_65_records(self) -> None:
        value = plan(*(obligation(f"O{number}") for number in range(1, 66)))
        with pytest.raises(PlanRefused) as caught:
            solve(value)
        assert caught.value.code == "CAP_EXCEEDED"
        assert caught.value.detail == {
            "subject": "plan",
            "field": "obligations",
            "count": 65,
            "limit": 64,
            "re_decompose": True,
        }

    def test_17_dependencies(self) -> None:
        ids = [f"O{number}" for number in range(1, 18)]
        value = plan(*(obligation(each) for each in ids), obligation("O18", dependencies=ids))
        with pytest.raises(PlanRefused) as caught:
            solve(value)
        assert caught.value.detail == {
            "subject": "O18",
            "field": "dependencies",
            "count": 17,
            "limit": 16,
        }

    def test_201_characters_of_evidence(self) -> None:
        value = plan(obligation("O1", evidence="x" * 201))
        assert refused(value) == [
            ("CAP_EXCEEDED", "O1", {"field": "evidence", "count": 201, "limit": 200})
        ]


def test_f11_a_chain_of_64() -> None:
    records = [
        obligation(f"O{n}", "e", [f"O{n - 1}"] if n > 1 else [], cause="c") for n in range(1, 65)
    ]
    start = time.perf_counter()
    result = solve(plan(*records))
    assert time.perf_counter() - start < 5
    assert result["order"] == [record["id"] for record in records]
    assert len(result["checkpoints"]) == 32


def test_f12_64_maximal_records_do_not_fit() -> None:
    records = [
        obligation(
            f"O{n}",
            dependencies=[f"O{other}" for other in range(max(1, n - 16), n)],
            evidence="x" * 200,
        )
        for n in range(1, 65)
    ]
    value = plan(*records)
    with pytest.raises(PlanRefused) as caught:
        solve(value)
    assert caught.value.code == "ARTIFACT_CAP"
    nodes = [{**record, "state": "pending"} for record in records]
    static: dict[str, Any] = {"requirement": None, "nodes": nodes, "branch_scores": {}}
    assert caught.value.detail == {
        "subject": "plan",
        "bytes": len(compact(static).encode()),
        "limit": 23552,
        "nodes": 64,
        "re_decompose": True,
    }
    # Three in five of them do.
    assert len(solve(plan(*records[:38]))["nodes"]) == 38


class TestF13:
    RUNS = obligation("V", "auth.Session", verb="validate", cause="c", validation=TEST)

    def test_a_missing_test_that_an_obligation_defines(self) -> None:
        value = plan(self.RUNS, obligation("M", "tests/test_session.py"), evidence={"tests": []})
        result = solve(value)
        assert result["edges"] == [["M", "V"]]
        assert reasons(result) == {("M", "V"): {"R4"}}

    def test_a_test_that_the_repository_has(self) -> None:
        value = plan(
            self.RUNS, obligation("M", "tests/test_session.py"), evidence={"tests": [TEST]}
        )
        assert solve(value)["edges"] == []

    def test_a_missing_test_that_nobody_defines(self) -> None:
        assert refused(plan(self.RUNS, evidence={"tests": []})) == [
            ("UNDEFINED_TEST", "V", {"node": "V", "test": TEST})
        ]


def test_f14_a_primary_that_waits_for_an_alternative() -> None:
    value = plan(obligation("P", dependencies=["A"]), obligation("A", status="alternative"))
    assert refused(value) == [("DEPENDS_ON_ALTERNATIVE", "P", {"alternative": "A"})]


@pytest.mark.parametrize("identifier", ["a\n## x", 'O1"). ready("O9'], ids=["newline", "quote"])
def test_f15_an_id_that_would_act_on_a_prompt_or_a_rule(identifier: str) -> None:
    with pytest.raises(PlanRefused) as caught:
        solve(plan(obligation(identifier, "pkg.x"), obligation("O1")))
    assert [(each.code, each.subject) for each in caught.value.violations] == [
        ("ID_INVALID", identifier)
    ]
    assert caught.value.message.splitlines() == [caught.value.message]
    assert json.dumps(identifier) in caught.value.message


def without_id() -> dict[str, Any]:
    record = obligation("O1")
    del record["id"]
    return record


@pytest.mark.parametrize(
    ("value", "policy", "code", "subject"),
    [
        (plan(without_id()), {}, "PLAN_INVALID", "obligations[0].id"),
        (plan({**obligation("O1"), "id": 7}), {}, "PLAN_INVALID", "obligations[0].id"),
        (
            plan({**obligation("O1"), "dependencies": "O2"}),
            {},
            "PLAN_INVALID",
            "obligations[0].dependencies",
        ),
        (plan({**obligation("O1"), "agent": "a"}), {}, "PLAN_INVALID", "obligations[0].agent"),
        (plan(obligation("O1"), obligation("O1")), {}, "DUPLICATE_ID", "O1"),
        (plan(obligation("a b")), {}, "ID_INVALID", "a b"),
        (plan(obligation("O" * 65, "e")), {}, "CAP_EXCEEDED", "O" * 65),
        (plan(obligation("O1", dependencies=["O9"])), {}, "UNKNOWN_DEPENDENCY", "O1"),
        (
            plan(obligation("O1", dependencies=["O2"]), obligation("O2", dependencies=["O1"])),
            {"cycle_policy": "refuse"},
            "DECOMPOSITION_CYCLE",
            "cycle:O1",
        ),
        (plan(*(obligation(f"O{n}") for n in range(65))), {}, "CAP_EXCEEDED", "plan"),
    ],
    ids=[
        *("no id", "id of another type", "malformed edges", "an agent", "duplicate id"),
        *("id charset", "id length", "unknown edge", "loop", "size"),
    ],
)
def test_refusals_with_one_right_answer(
    value: dict[str, Any], policy: dict[str, str], code: str, subject: str
) -> None:
    """S-003-04: each names the offending part."""
    with pytest.raises((PlanRefused, InputError)) as caught:
        solve(value, policy=policy)
    assert [(each.code, each.subject) for each in caught.value.violations] == [(code, subject)]


def test_coverage_and_overlap_are_never_refused() -> None:
    """S-003-07: two equal obligations, and one for a broad goal."""
    twice = plan(obligation("O1", "e"), obligation("O2", "e"))
    assert solve(twice)["order"] == ["O1", "O2"]
    requirement = {"goal": "rewrite it all", "acceptance_criteria": ["a"] * 9, "constraints": []}
    assert solve(plan(obligation("O1"), requirement=requirement))["order"] == ["O1"]
