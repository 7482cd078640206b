"""`plan07 rules diff` and `bench`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import EXAMPLES

Run = Callable[..., Any]

OVERLAYS = EXAMPLES / "overlays"
CORPUS = ("--corpus", OVERLAYS)


def test_the_plans_that_change_are_named_with_the_rule(run: Run) -> None:
    done = run("rules", "diff", "shipped", OVERLAYS / "documentation-last", *CORPUS)
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("2 rules differ between shipped and ")
    assert lines[1] == "1 of 4 plans changes"
    assert lines[3].startswith("documentation.prefer  [added, documentation.lp:")
    assert lines[4:] == [
        "  documentation-last/new-option.plan.json",
        "    order: O1 O2 O3 O4 O5 -> O3 O4 O1 O2 O5",
    ]


def test_a_refusal_is_told_with_its_words(run: Run) -> None:
    done = run("rules", "diff", "shipped", OVERLAYS / "frozen-directory", *CORPUS)
    assert (
        '    violations: + OVERLAY: "O2": vendor/ holds copies of other projects, update the copy '
        "instead"
    ) in done.out.splitlines()
    assert "    solved before, refused now" in done.out.splitlines()
    path = OVERLAYS / "frozen-directory" / "patched-copy.plan.json"
    back = run("rules", "diff", OVERLAYS / "frozen-directory", "shipped", path)
    assert "    refused before, solved now" in back.out.splitlines()


def test_json_is_one_document(run: Run) -> None:
    rules = OVERLAYS / "security-review"
    found = run("rules", "diff", "shipped", rules, *CORPUS, "--json").document()
    assert found["by_rule"] == {
        "security.unchecked_before": ["security-review/token-lifetime.plan.json"]
    }
    assert found["same"] == 3
    (changed,) = found["plans"]
    assert changed["differs"] == ["order", "partition", "violations"]
    assert changed["new"]["violations"] == [
        {
            "code": "OVERLAY",
            "subject": "O2",
            "message": '"O2": is security-sensitive, and nothing validates it before it changes',
        }
    ]
    assert changed["old"]["order"] == ["O2", "O3"]
    assert {each["change"] for each in found["rules"]} == {"added"}


def test_where_no_plan_changes_the_rules_do(run: Run) -> None:
    path = EXAMPLES / "rename.plan.json"
    done = run("rules", "diff", "shipped", OVERLAYS / "documentation-last", path)
    lines = done.out.splitlines()
    assert lines[1] == "0 of 1 plan change"
    assert "what changed in the rules" in lines
    assert (
        "    + prefer(O, 1000) :- verb(O, modify), lies_in(O, Place), documentation(Place)."
    ) in lines


@pytest.mark.parametrize(("rules", "status"), [("documentation-last", 1), ("frozen-directory", 0)])
def test_a_gate_can_exit_with_1(run: Run, rules: str, status: int) -> None:
    path = OVERLAYS / "documentation-last" / "new-option.plan.json"
    done = run("rules", "diff", "shipped", OVERLAYS / rules, path, "--exit-code")
    assert done.status == status


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["diff", "shipped", "shipped"], "PLANS_MISSING", "no plan"),
        (["diff", "shipped", "nowhere", "--corpus", OVERLAYS], "RULES_UNREADABLE", "nowhere"),
        (["diff", "shipped", "shipped", "--corpus", "nowhere"], "CORPUS_UNREADABLE", "nowhere"),
        (["diff", "shipped", "shipped", "nowhere.json"], "FILE_UNREADABLE", "nowhere.json"),
        (["bench"], "PLANS_MISSING", "no plan"),
        (["bench", "--count", "0", "x.json"], "USAGE", "--count"),
    ],
)
def test_errors_have_the_one_shape(run: Run, arguments: list[Any], code: str, says: str) -> None:
    done = run("rules", *arguments)
    assert done.status == 2
    assert done.err.startswith(f"plan07: {code}: ")
    assert says in done.err
    assert run("rules", *arguments, "--json").document()["error"]["code"] == code


def test_a_file_without_a_plan_is_refused_by_name_and_passed_over_in_a_directory(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "a.json"
    path.write_text("{}", "utf-8")
    done = run("rules", "diff", "shipped", "shipped", path)
    assert (done.status, "PLAN_INVALID" in done.err) == (2, True)
    assert "PLANS_MISSING" in run("rules", "diff", "shipped", "shipped", "--corpus", tmp_path).err


def test_bench_measures_phases_and_rules(run: Run) -> None:
    path = EXAMPLES / "session-timeout.plan.json"
    done = run("rules", "bench", path, "--count", "1")
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("1 solve")
    assert [line.split()[:2] for line in lines if line.startswith("graph ")] == [
        *(["graph", "load"], ["graph", "ground"], ["graph", "solve"]),
    ]
    found = run("rules", "bench", path, "--count", "1", "--json").document()
    instances = {each["id"]: each["instances"] for each in found["rules"]}
    assert (instances["ordering.before"], instances["readiness.blocked"]) == (3, 3)
    assert found["atoms"].keys() == {"admission", "graph", "schedule", "steps"}
    assert found["peak_bytes"] is None or found["peak_bytes"] > 2**20
