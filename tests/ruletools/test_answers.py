"""Why, why not, where a rule fired, and what would help; on plans and rules of a few words."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support import EXAMPLES, edge, obligation, plan

from plan07 import document, jsontext, solver
from plan07.errors import InputError
from plan07.ruletools import recording
from plan07.ruletools.answers import Questions
from plan07.ruletools.history import History
from plan07.ruletools.tree import Answer, Node, Remedy


def questions(value: dict[str, Any], *, stage: str | None = None, **options: Any) -> Questions:
    read = document.read(value, "the plan")
    return Questions(History(recording.record(read, solver.options(**options))), stage)


@cache
def example(name: str) -> Questions:
    value, _ = jsontext.read(str(EXAMPLES / f"{name}.plan.json"))
    return questions(value)


def why(asked: Questions, text: str) -> Answer:
    return asked.why(asked.read(text))


def why_not(asked: Questions, text: str) -> Answer:
    return asked.why_not(asked.read(text))


def flat(nodes: tuple[Node, ...]) -> list[tuple[str, str]]:
    """Return every text of a tree with its rule, or where else it comes from."""
    return [
        each
        for node in nodes
        for each in ((node.text, node.rule.id if node.rule else node.origin), *flat(node.children))
    ]


def depth(node: Node) -> int:
    return 1 + max(map(depth, node.children), default=0)


def children(nodes: tuple[Node, ...]) -> list[str]:
    return [child.text for node in nodes for child in node.children]


class TestWhy:
    def test_why_is_it_blocked(self) -> None:
        """One tree for the atom: all that it waits for, and from where that comes."""
        found = why(example("session-timeout"), "blocked(O3)")
        assert (found.stage, found.holds, found.more) == ("schedule", True, 0)
        (node,) = found.nodes
        assert node.rule is not None
        assert (node.text, node.rule.id) == ('blocked("O3")', "readiness.blocked")
        assert children(found.nodes) == [
            *('before("O1","O3")', 'not complete("O1")'),
            *('before("O2","O3")', 'not complete("O2")'),
        ]
        assert ('declared("O3","O1")', "plan") in flat(found.nodes)

    def test_why_does_one_precede_the_other(self) -> None:
        found = why(example("session-timeout"), "O2 precedes O3")
        assert found.stage == "graph"
        (node,) = found.nodes
        assert node.rule is not None
        assert node.rule.id == "precedes.ladder"
        assert node.words == (
            "the old default is preserved before anything relies on the new one: "
            "repo.auth.SessionConfig CalledBy repo.auth.SessionManager"
        )
        leaves = flat(found.nodes)
        evidence = 'impact(called_by,"repo.auth.SessionConfig","repo.auth.SessionManager",exact)'
        assert (evidence, "evidence") in leaves
        assert ('verb("O2",preserve)', "plan") in leaves

    def test_private_atoms_are_passed_through(self) -> None:
        """`applies`, `serves` and `linked` are the ladder's own business."""
        texts = [text for text, _ in flat(why(example("session-timeout"), "O2 precedes O3").nodes)]
        assert not [each for each in texts if each.startswith(("applies", "serves", "linked"))]

    def test_what_holds_of_everything_is_left_out(self) -> None:
        """Every unit is pending in a plan that has not begun, every obligation is primary."""
        texts = [text for text, _ in flat(why(example("session-timeout"), "blocked(O3)").nodes)]
        assert not [each for each in texts if each.startswith(("pending", "primary", "obligation"))]

    def test_what_does_not_hold_of_everything_is_told(self) -> None:
        """With an alternative in the plan, being on the branch that is followed says something."""
        found = why(example("alternatives"), "changes(O1,_)")
        assert 'primary("O1")' in children(found.nodes)
        found = why(example("session-timeout"), "changes(O1,_)")
        assert 'primary("O1")' not in children(found.nodes)

    def test_what_rules_say_of_their_own_words_is_left_out(self) -> None:
        """`firm(exact)` and `group(called_by, refers)`; a row of the impact table is told."""
        texts = [text for text, _ in flat(why(example("rename"), "O1 atomic O2").nodes)]
        assert "effect(rename,refers,must,together,970)" in texts
        assert not [each for each in texts if each.startswith(("firm(", "group(", "edits("))]

    def test_that_there_is_something_of_a_kind_is_left_out(self) -> None:
        """`telling` asks for any link at all; the links of the others say nothing of this one."""
        texts = [text for text, _ in flat(why(example("rename"), "O1 atomic O3").nodes)]
        assert [each for each in texts if each.startswith("link(")] == [
            'link(called_by,"auth.Session.fetch","web.handlers.restore",exact)'
        ]

    def test_the_place_of_an_id_is_left_out(self) -> None:
        texts = [text for text, _ in flat(why(example("rename"), "component(_,O2,O1)").nodes)]
        assert texts
        assert not [each for each in texts if each.startswith("ordinal(")]

    def test_a_violation_is_told_in_words(self) -> None:
        found = why(example("rename-unmended"), "violation(_,O1)")
        assert found.nodes[0].words == (
            '"O1" breaks "cli.resume.main" (CalledBy), and no obligation mends it'
        )

    def test_an_aggregate_shows_what_it_counts(self) -> None:
        found = why(example("over-bounds"), "violation(_,_)")
        texts = children(found.nodes)
        assert '6 = #count { F: member("O1",O), edits_file(O,F) }' in texts
        assert "6 > 5" in texts
        assert ('edits_file("O2","store.load")', "evidence") in flat(found.nodes)

    def test_a_fact_of_the_plan_has_no_rule(self) -> None:
        found = why(example("session-timeout"), "declared(O3,O1)")
        assert flat(found.nodes) == [('declared("O3","O1")', "plan")]

    def test_what_must_not_hold_and_does_not_says_why(self) -> None:
        found = why(example("session-timeout"), "ready(O1)")
        assert flat(found.nodes) == [
            ('ready("O1")', "readiness.ready"),
            ('not blocked("O1")', ""),
            ('before(V,"O1")', "readiness.blocked"),
            ('precedes(O,"O1",_)', "ordering.before"),
        ]

    def test_several_atoms_are_told_and_the_rest_counted(self) -> None:
        records = [obligation(f"O{n}", dependencies=["O9"]) for n in range(1, 7)]
        found = why(questions(plan(*records, obligation("O9"))), "blocked(_)")
        assert [node.text for node in found.nodes] == [
            *('blocked("O1")', 'blocked("O2")', 'blocked("O3")'),
        ]
        assert found.more == 3

    def test_what_does_not_hold_has_no_reason(self) -> None:
        found = why(example("session-timeout"), "blocked(O1)")
        assert (found.holds, found.nodes, found.stage) == (False, (), "")


class TestWhyNot:
    def test_why_is_it_not_ready_and_what_would_help(self) -> None:
        found = why_not(example("session-timeout"), "ready(O3)")
        assert (found.stage, found.holds) == ("schedule", False)
        assert flat(found.nodes)[:3] == [
            ('not blocked("O3")', "readiness.ready"),
            ('blocked("O3")', "readiness.blocked"),
            ('before("O1","O3")', "ordering.before"),
        ]
        assert found.remedy == Remedy(('state("O1",complete)', 'state("O2",complete)'), (), ())

    def test_why_not_the_other_way_round(self) -> None:
        found = why_not(example("session-timeout"), "O3 precedes O2")
        failing = {rule: text for text, rule in flat(found.nodes)}
        assert failing["precedes.ladder"] == 'decided("O3","O2",N)'
        assert ('declared("O2","O3")', "precedes.declared") in flat(found.nodes)
        assert found.near[0].text.startswith('precedes("O2","O3",ladder(2,')
        assert found.remedy == Remedy(('declared("O2","O3")',), (), ())

    def test_an_answer_ends_after_two_rules(self) -> None:
        found = why_not(example("session-timeout"), "O3 precedes O2")
        assert max(map(depth, found.nodes)) == 2

    def test_a_remedy_says_what_it_would_break(self) -> None:
        found = why_not(example("expand-migrate-contract"), "O7 precedes O2")
        assert found.remedy is not None
        assert found.remedy.added == ('declared("O2","O7")',)
        (sentence,) = found.remedy.refused
        assert sentence.startswith("an order would leave the repository invalid: O7 before O2")

    def test_the_furthest_values_are_told(self) -> None:
        """Of O1, done, and O2, the rule fails at O2 alone."""
        nodes = [
            {**obligation("O1"), "state": "complete"},
            {**obligation("O2"), "state": "pending"},
            {**obligation("O3", dependencies=["O1", "O2"]), "state": "pending"},
        ]
        found = why_not(questions({"nodes": nodes}), "ready(O3)")
        assert ('before("O2","O3")', "ordering.before") in flat(found.nodes)
        assert 'before("O1","O3")' not in [text for text, _ in flat(found.nodes)]
        assert found.remedy == Remedy(('state("O2",complete)',), (), ())

    def test_a_failure_is_taken_back(self) -> None:
        nodes = [
            {**obligation("O1"), "state": "failed"},
            {**obligation("O2"), "state": "pending"},
        ]
        found = why_not(questions({"nodes": nodes}), "ready(O1)")
        assert found.remedy == Remedy((), ('state("O1",failed)',), ())

    def test_no_remedy_rewrites_what_an_obligation_is(self) -> None:
        """A second verb, target or place in the order of ids would be no help."""
        found = why_not(example("rename"), "role(O2,preserve_default,_)")
        assert found.remedy is None

    def test_a_rule_whose_head_is_something_else_is_not_told(self) -> None:
        found = why_not(example("session-timeout"), "precedes(O3,O2,declared)")
        assert flat(found.nodes) == [('declared("O2","O3")', "precedes.declared")]

    def test_an_input_that_is_not_there(self) -> None:
        found = why_not(example("session-timeout"), "target(O3,elsewhere)")
        assert flat(found.nodes) == [('target("O3","elsewhere")', "plan")]
        assert [node.text for node in found.near] == ['target("O3","repo.auth.SessionManager")']

    def test_a_number_that_is_another(self) -> None:
        found = why_not(example("session-timeout"), "level(O3,7)")
        assert [node.text for node in found.nodes] == ['7 = #max { M: length("O3",M) }']
        assert [node.text for node in found.near] == ['level("O3",2)']

    def test_a_member_of_a_composite(self) -> None:
        found = why_not(example("rename"), "ready(O2)")
        assert found.notes == ('"O2" lands in one step with "O1", ask about that',)

    def test_a_stage_that_did_not_run(self) -> None:
        found = why_not(example("rename-unmended"), "ready(O1)")
        (note,) = found.notes
        assert "UNRESOLVED_DEPENDENT" in note
        assert note.endswith("so the stage schedule did not run")

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("verdict(running)", "verdict/1 belongs to the stage readiness, which"),
            ("told(_)", "told/1 belongs to the stage scope, which"),
        ],
        ids=["a predicate that another stage makes", "one that another stage is given"],
    )
    def test_what_no_solve_decides(self, text: str, said: str) -> None:
        """That it does not hold would be no answer."""
        with pytest.raises(InputError) as caught:
            example("session-timeout").read(text)
        assert caught.value.code == "STAGE_NOT_RUN"
        assert caught.value.message == f"{said} is no part of a solve"

    def test_what_a_solve_is_given_and_another_stage_makes(self) -> None:
        """The draft makes targets, too."""
        assert why(example("session-timeout"), "target(O1,_)").holds

    def test_anything_is_no_member_of_a_composite(self) -> None:
        assert why_not(example("session-timeout"), "violation(_,_)").notes == ()

    def test_what_holds(self) -> None:
        found = why_not(example("session-timeout"), "ready(O1)")
        assert found.holds
        assert flat(found.nodes) == [('ready("O1")', "readiness.ready")]


class TestTrace:
    def test_every_instance_with_its_bindings(self) -> None:
        rule, found = example("session-timeout").trace("readiness.blocked")
        assert rule.file == "readiness.lp"
        assert [(each.head, dict(each.bindings)) for each in found] == [
            ('blocked("O2")', {"U": '"O2"', "V": '"O1"'}),
            ('blocked("O3")', {"U": '"O3"', "V": '"O1"'}),
            ('blocked("O3")', {"U": '"O3"', "V": '"O2"'}),
        ]
        assert [node.text for node in found[0].because] == [
            *('before("O1","O2")', 'not complete("O1")'),
        ]

    def test_a_rule_that_did_not_fire(self) -> None:
        assert example("session-timeout").trace("atomic.together")[1] == []

    def test_an_unknown_rule(self) -> None:
        with pytest.raises(InputError) as caught:
            example("session-timeout").trace("readiness.bloked")
        assert caught.value.code == "RULE_UNKNOWN"
        assert "readiness.blocked" in caught.value.fix

    def test_a_rule_that_no_solve_runs(self) -> None:
        with pytest.raises(InputError) as caught:
            example("session-timeout").trace("scope.settled")
        assert (caught.value.code, caught.value.detail) == ("STAGE_NOT_RUN", {"stages": ["scope"]})


def test_one_stage_can_be_asked() -> None:
    value = plan(obligation("O1"), obligation("O2", dependencies=["O1"]))
    found = why(questions(value, stage="schedule"), "O1 precedes O2")
    assert found.stage == "schedule"
    assert flat(found.nodes) == [
        ('precedes("O1","O2",declared)', "precedes.declared"),
        ('declared("O2","O1")', "plan"),
    ]
    with pytest.raises(InputError, match="STAGE_UNKNOWN"):
        questions(value, stage="repair")


@pytest.mark.parametrize(
    "strange", ["\x0b", "\x0c", "\x85", "\u2028", "\r", ". b", '"', "\\", "\n"]
)
def test_texts_of_a_plan_are_what_they_are(strange: str) -> None:
    """What breaks a line elsewhere breaks no fact."""
    read = document.read(plan(obligation("O1", f"a{strange}b"), obligation("O2")), "the plan")
    history = History(recording.record(read, solver.options()))
    for moment in history.moments.values():
        assert moment.firing.given == frozenset(moment.given)
        assert moment.firing.atoms <= moment.firing.depth.keys()
    found = why(Questions(history), "target(O1,_)")
    assert found.holds


def test_a_repaired_plan_is_explained_as_repaired() -> None:
    value, _ = jsontext.read(str(EXAMPLES / "refused/temporal-inconsistent.plan.json"))
    asked = questions(value, repair=True)
    assert why(asked, "drop(_,_)").stage == "repair"
    assert why_not(asked, "violation(_,_)").holds is False


def test_rules_of_an_overlay_are_explained(tmp_path: Path) -> None:
    (tmp_path / "late.lp").write_text(
        '%# Late: what goes last?\n% Stage: schedule\nlate_docs(O) :- lies_in(O, "docs/").\n'
        "prefer(O, 9) :- late_docs(O).\n",
        "utf-8",
    )
    value = plan(obligation("O1", "docs/a.md"), obligation("O2", "src/a.py"))
    found = why(questions(value, rules=tmp_path), "prefer(O1,_)")
    assert flat(found.nodes) == [
        ('prefer("O1",9)', "late.prefer"),
        ('lies_in("O1","docs/")', "plan"),
    ]


def test_an_edge_with_words_for_a_reason_is_followed_into_the_graph(tmp_path: Path) -> None:
    text = (
        "%# Mine: what?\n% Stage: graph\n"
        'precedes(P, O, "docs before code") :- lies_in(P, "docs/"), lies_in(O, "src/").\n'
    )
    (tmp_path / "mine.lp").write_text(text, "utf-8")
    value = plan(obligation("O1", "src/a.py"), obligation("O2", "docs/a.md"))
    found = flat(why(questions(value, rules=tmp_path), "blocked(O1)").nodes)
    assert found[1:5] == [
        ('before("O2","O1")', "ordering.before"),
        ('precedes("O2","O1","docs before code")', "mine.precedes"),
        ('lies_in("O2","docs/")', "plan"),
        ('lies_in("O1","src/")', "plan"),
    ]


def test_a_constraint_of_a_user_is_explained_as_the_violation_that_it_becomes(
    tmp_path: Path,
) -> None:
    text = "%# Mine: what?\n% Stage: graph\n:- verb(O, validate), not verb(O, modify).\n"
    (tmp_path / "mine.lp").write_text(text, "utf-8")
    asked = questions(plan(obligation("O1", verb="validate")), rules=tmp_path)
    found = why(asked, "violation(_,O1)")
    assert flat(found.nodes)[:2] == [
        (found.nodes[0].text, "mine.constraint"),
        ('verb("O1",validate)', "plan"),
    ]
    assert found.nodes[0].words.startswith('"O1": mine.lp:3 forbids')
    assert [each.head for each in asked.trace("mine.constraint")[1]] == [found.nodes[0].text]


def test_a_dependency_of_an_obligation_on_itself_is_told() -> None:
    value = plan(obligation("O1", dependencies=["O1"]), obligation("O2"))
    found = why(questions(value), "violation(_,_)")
    assert children(found.nodes) == ['declared("O1","O1")']


def test_a_cycle_is_told_with_who_is_on_it() -> None:
    value = plan(obligation("O1", dependencies=["O2"]), obligation("O2", dependencies=["O1"]))
    asked = questions(value, policy={"cycle_policy": "refuse"})
    words = [node.words for node in why(asked, "violation(_,_)").nodes]
    assert words == [
        *("obligations depend on each other: O1", "obligations depend on each other: O2"),
    ]


def test_a_switch_is_explained_as_it_stands() -> None:
    value = plan(
        obligation("O1", "pkg.a", ["O2"]), obligation("O2", "pkg.b", ["O1"]), evidence={"edges": []}
    )
    asked = questions(value, policy={"cycle_policy": "refuse"})
    found = why(asked, "violation(decomposition_cycle(O1),O1)")
    assert found.holds
    ((text, rule),) = flat(why(asked, "cycle_policy(refuse)").nodes)
    assert (text, rule.partition(".")[0]) == ("cycle_policy(refuse)", "policy")
    assert not why(asked, "cycle_policy(collapse)").holds


def test_an_edge_of_the_evidence_is_followed_into_the_graph() -> None:
    value = plan(
        obligation("O1", "pkg.a"),
        obligation("O2", "pkg.b"),
        evidence={
            "edges": [edge("pkg.a", "pkg.b")],
            "changes": [{"entity": "pkg.a", "change": "deleted"}],
        },
    )
    found = why(questions(value), "blocked(O1)")
    assert ('impact(called_by,"pkg.a","pkg.b",exact)', "evidence") in flat(found.nodes)
