"""Two rule sets over some plans: what changes, and which rule is responsible."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import RULES, edge, obligation, plan

from plan07 import document, solver
from plan07.ruletools import compare
from plan07.ruletools.compare import Case, Comparison

HEAD = "%# Mine: what?\n% Stage: schedule\n"


@pytest.fixture
def overlay(tmp_path: Path) -> Callable[..., solver.Options]:
    """Return a function that writes rule files and returns how to solve with them."""

    def call(name: str = "mine", **files: str) -> solver.Options:
        directory = tmp_path / name
        directory.mkdir()
        for file, text in files.items():
            (directory / f"{file}.lp").write_text(text, "utf-8")
        return solver.options(rules=directory)

    return call


def case(name: str, value: dict[str, Any]) -> Case:
    return Case(name, document.read(value, name), None)


CHAIN = case(
    "chain",
    plan(
        obligation("O1", "docs/a.md"),
        obligation("O2", "src/a.py"),
        obligation("O3", "src/b.py", verb="validate", dependencies=["O2"]),
    ),
)
ALONE = case("alone", plan(obligation("O1")))


def by_rule(found: Comparison) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    return {
        rule: [(each.plan, each.aspects) for each in plans]
        for rule, plans in found.by_rule().items()
    }


def test_the_same_rules_change_nothing() -> None:
    found = compare.compare(solver.options(), solver.options(), [CHAIN, ALONE])
    assert found == Comparison((), (), 2)


def test_an_order_that_changes_names_the_plan_and_the_rule(
    overlay: Callable[..., solver.Options],
) -> None:
    """The rule that another file reads is responsible, not the one that only it reads."""
    text = f'{HEAD}mine_docs(O) :- lies_in(O, "docs/").\nprefer(O, 9) :- mine_docs(O).\n'
    found = compare.compare(solver.options(), overlay(mine=text), [CHAIN, ALONE])
    assert [(each.id, each.change) for each in found.rules] == [
        *(("mine.mine_docs", "added"), ("mine.prefer", "added")),
    ]
    assert by_rule(found) == {"mine.prefer": [("chain", ("order",))]}
    assert (found.plans[0].old.order, found.plans[0].new.order) == (
        *(("O1", "O2", "O3"), ("O2", "O3", "O1")),
    )
    assert found.same == 1


def test_a_refusal_names_what_it_says(overlay: Callable[..., solver.Options]) -> None:
    text = f'{HEAD}violation("not today", O) :- verb(O, validate).\n'
    found = compare.compare(solver.options(), overlay(mine=text), [CHAIN])
    (plan_change,) = found.plans
    assert plan_change.aspects == ("order", "partition", "violations")
    assert plan_change.new.violations == (("OVERLAY", "O3", '"O3": not today'),)
    assert plan_change.rules == ("mine.violation",)


def test_each_plan_names_its_own_rule(overlay: Callable[..., solver.Options]) -> None:
    text = (
        f'{HEAD}prefer(O, 9) :- lies_in(O, "docs/").\n'
        'violation("too small", U) :- unit(U), not larger.\nlarger :- unit(U), unit(V), U != V.\n'
    )
    found = compare.compare(solver.options(), overlay(mine=text), [CHAIN, ALONE])
    assert {rule: [each for each, _ in plans] for rule, plans in by_rule(found).items()} == {
        "mine.prefer": ["chain"],
        "mine.violation": ["alone"],
    }


def test_a_rule_that_is_gone_is_responsible_for_what_it_derived(
    overlay: Callable[..., solver.Options],
) -> None:
    text = (RULES / "ladder.lp").read_text("utf-8")
    rung = "rung(1, widen_type, rebind_consumer, widen_then_rebind)."
    assert rung in text
    value = plan(
        obligation("O1", "pkg.a", cause="consumer re-bind"),
        obligation("O2", "pkg.b", cause="type widening"),
        evidence={"edges": [edge("pkg.b", "pkg.a")]},
    )
    found = compare.compare(
        solver.options(), overlay(ladder=text.replace(rung, "")), [case("widening", value)]
    )
    assert [(each.change, each.new) for each in found.rules] == [("removed", None)]
    assert by_rule(found) == {found.rules[0].id: [("widening", ("order", "partition"))]}


def test_what_follows_from_another_change_is_not_responsible(
    overlay: Callable[..., solver.Options],
) -> None:
    """`mine.second` fires on one side only because `mine.prefer` made `preference` another."""
    text = f'{HEAD}prefer(O, 9) :- lies_in(O, "docs/").\nadvice("late", U) :- preference(U, 9).\n'
    found = compare.compare(solver.options(), overlay(mine=text), [CHAIN])
    assert by_rule(found) == {"mine.prefer": [("chain", ("order",))]}


def test_a_rule_that_says_the_same_in_other_words_is_not_responsible(
    overlay: Callable[..., solver.Options],
) -> None:
    same = f"{HEAD}prefer(O, 3) :- verb(O, validate)"
    other = f'{same}, obligation(O).\nprefer(O, 9) :- lies_in(O, "docs/").\n'
    found = compare.compare(
        overlay("one", mine=f"{same}.\n"), overlay("other", mine=other), [CHAIN]
    )
    assert [each.change for each in found.rules] == ["changed", "added"]
    assert by_rule(found) == {found.rules[1].id: [("chain", ("order",))]}


def test_a_number_that_changes_is_all_that_can_be_blamed(
    overlay: Callable[..., solver.Options],
) -> None:
    text = (RULES / "limits.lp").read_text("utf-8")
    changed = text.replace("#const max_obligations = 64.", "#const max_obligations = 2.")
    found = compare.compare(solver.options(), overlay(limits=changed), [CHAIN])
    (number,) = found.rules
    assert number.change == "changed"
    assert number.as_dict()["new"] == "#const max_obligations = 2."
    assert found.plans[0].rules == (number.id,)
    assert found.plans[0].new.violations[0][0] == "CAP_EXCEEDED"


def test_rules_that_come_to_no_answer_are_broken(overlay: Callable[..., solver.Options]) -> None:
    found = compare.compare(
        solver.options(), overlay(mine=f"{HEAD}{{ prefer(O, 1) }} :- obligation(O).\n"), [CHAIN]
    )
    assert found.plans[0].new.broken == "RULES_AMBIGUOUS"
    assert found.plans[0].rules == ()


def test_layout_comments_and_place_are_no_change(overlay: Callable[..., solver.Options]) -> None:
    one = f"{HEAD}prefer(O, 1) :- verb(O, modify).\nprefer(O, 2) :- verb(O, validate).\n"
    other = f"{HEAD}% said so\nprefer(O,2) :-\n  verb(O,validate).\nprefer(O, 1):-verb(O,modify).\n"
    old, new = overlay("one", mine=one), overlay("other", mine=other)
    assert compare.compare(old, new, [CHAIN]) == Comparison((), (), 1)


def test_evidence_beside_a_plan_belongs_to_it(tmp_path: Path) -> None:
    path = tmp_path / "a.plan.json"
    path.write_text('{"obligations": []}', "utf-8")
    found = compare.read_case(str(path), "a")
    assert found is not None
    assert found.impact is None
    (tmp_path / "a.impact.json").write_text("{}", "utf-8")
    found = compare.read_case(str(path), "a")
    assert found is not None
    assert found.impact == str(tmp_path / "a.impact.json")


@pytest.mark.parametrize("text", ["[]", "{}", '{"edges": []}', '{"obligations": [], "nodes": []}'])
def test_a_file_without_a_plan_is_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, "utf-8")
    assert compare.read_case(str(path), "a") is None
