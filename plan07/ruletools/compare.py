"""Which plans two rule sets judge differently, and the rules that are responsible.

A rule is responsible for a change of a plan if it is not the same in both sets and derived there
what the other set does not derive, from atoms that both have or that are its own file's business,
and something outside of what changed reads it: only through such an atom can a difference spread.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from plan07 import document, jsontext, rulebook, solver
from plan07.document import Plan
from plan07.errors import PlanRefused, RulesError
from plan07.ruletools import recording, source
from plan07.ruletools.firing import Firing, Instance
from plan07.ruletools.history import History, Moment, as_run
from plan07.ruletools.lexer import Text, tokens
from plan07.ruletools.records import Rule

SHIPPED = "shipped"
ADDED, REMOVED, CHANGED = "added", "removed", "changed"
# What they say is about the text or the output, not about any plan.
_SILENT = frozenset({"show", "defined", "program", "unread"})


class RuleChange(NamedTuple):
    """A rule that is not the same in both sets.

    Args:
        id: of the rule, the new one's where it has both.
        change: added, removed or changed.
        old, new: the rule on either side.
    """

    id: str
    change: str
    old: Rule | None
    new: Rule | None

    def as_dict(self) -> dict[str, Any]:
        """Return the wire form, keys in a fixed order."""
        rule = self.new or self.old
        assert rule is not None
        return {
            "rule": self.id,
            "change": self.change,
            "place": {"file": rule.file, "line": rule.line},
            "old": None if self.old is None else source.one_line(self.old),
            "new": None if self.new is None else source.one_line(self.new),
        }


class Outcome(NamedTuple):
    """What a rule set makes of a plan.

    Args:
        order: the walk.
        partition: what each unit is, (unit, ready, blocked, alternative or other) pairs.
        violations: (code, subject, sentence) of each violation of a refusal.
        broken: the code of the error, if the rules came to no answer.
    """

    order: tuple[str, ...] = ()
    partition: tuple[tuple[str, str], ...] = ()
    violations: tuple[tuple[str, str, str], ...] = ()
    broken: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the wire form, keys in a fixed order."""
        return {
            "order": list(self.order),
            "partition": dict(self.partition),
            "violations": [
                {"code": code, "subject": subject, "message": message}
                for code, subject, message in self.violations
            ],
            "broken": self.broken or None,
        }


class PlanChange(NamedTuple):
    """A plan that comes out differently.

    Args:
        plan: its name.
        aspects: what differs: order, partition, violations or broken.
        old, new: what came out.
        rules: ids of the rules that are responsible.
    """

    plan: str
    aspects: tuple[str, ...]
    old: Outcome
    new: Outcome
    rules: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the wire form, keys in a fixed order."""
        return {
            "plan": self.plan,
            "differs": list(self.aspects),
            "rules": list(self.rules),
            "old": self.old.as_dict(),
            "new": self.new.as_dict(),
        }


class Comparison(NamedTuple):
    """Two rule sets and what they make of some plans.

    Args:
        rules: the rules that differ.
        plans: the plans that come out differently.
        same: how many plans come out the same.
    """

    rules: tuple[RuleChange, ...]
    plans: tuple[PlanChange, ...]
    same: int

    def by_rule(self) -> dict[str, list[PlanChange]]:
        """Return the plans that change, by the rule that is responsible; "" where none is."""
        found: dict[str, list[PlanChange]] = {}
        for plan in self.plans:
            for rule in plan.rules or ("",):
                found.setdefault(rule, []).append(plan)
        return found


class Case(NamedTuple):
    """A plan to compare by.

    Args:
        name: how it is called.
        plan: the plan, read.
        impact: a file of impact edges that belongs to it, or None.
    """

    name: str
    plan: Plan
    impact: str | None


def read_case(path: str, name: str) -> Case | None:
    """Return the plan in a file, or None where the file holds no plan.

    Args:
        path: of the file. A file beside it that is called the same, with `.impact.json` for
            `.plan.json`, holds its impact edges.
        name: how it is called.

    Raises:
        InputError: the file cannot be read, or holds a plan that is malformed.
    """
    value, _ = jsontext.read(path)
    if not isinstance(value, dict) or ("obligations" in value) == ("nodes" in value):
        return None
    beside = path.removesuffix(".plan.json") + ".impact.json"
    has_edges = path.endswith(".plan.json") and os.path.isfile(beside)
    return Case(name, document.read(value, name), beside if has_edges else None)


def compare(old: solver.Options, new: solver.Options, cases: Iterable[Case]) -> Comparison:
    """Return what changes between two rule sets.

    Args:
        old: how to solve with the one.
        new: how to solve with the other.
        cases: plans to compare by.

    Raises:
        InputError: an option is wrong.
        RulesError: a rule file cannot be read.
    """
    changes = changed_rules(_rules(old), _rules(new))
    plans: list[PlanChange] = []
    same = 0
    for case in cases:
        before, after = _recorded(case, old), _recorded(case, new)
        outcomes = (_outcome(before), _outcome(after))
        aspects = tuple(
            name
            for name in Outcome._fields
            if getattr(outcomes[0], name) != getattr(outcomes[1], name)
        )
        if not aspects:
            same += 1
            continue
        responsible: tuple[str, ...] = ()
        if isinstance(before, recording.Recording) and isinstance(after, recording.Recording):
            responsible = _responsible(changes, History(before), History(after))
        plans.append(PlanChange(case.name, aspects, *outcomes, responsible))
    return Comparison(changes, tuple(plans), same)


def _rules(options: solver.Options) -> Sequence[Rule]:
    return as_run(rulebook.load(options.rules, options.policy, options.limits)).rules


def changed_rules(old: Sequence[Rule], new: Sequence[Rule]) -> tuple[RuleChange, ...]:
    """Return the rules that differ, in the order of the new set, those that are gone last.

    Rules are the same if the same file says the same, however it is laid out and wherever it
    stands.
    """
    left, right = _by_text(old), _by_text(new)
    gone = {rule.id: rule for text, rule in left.items() if text not in right}
    come = {rule.id: rule for text, rule in right.items() if text not in left}
    found = [
        RuleChange(name, CHANGED if name in gone else ADDED, gone.get(name), rule)
        for name, rule in come.items()
    ]
    found += [
        RuleChange(name, REMOVED, rule, None) for name, rule in gone.items() if name not in come
    ]
    return tuple(found)


def _by_text(rules: Sequence[Rule]) -> dict[tuple[str, ...], Rule]:
    """Return rules by their file and their words."""
    return {
        (rule.file, *(each.text for each in tokens(Text(rule.text))[0])): rule
        for rule in rules
        if rule.kind not in _SILENT
    }


def _recorded(case: Case, options: solver.Options) -> recording.Recording | RulesError:
    if case.impact is not None:
        options = options._replace(files={**options.files, "impact": case.impact})
    try:
        return recording.record(case.plan, options)
    except RulesError as error:
        return error


def _outcome(recorded: recording.Recording | RulesError) -> Outcome:
    if isinstance(recorded, RulesError):
        return Outcome(broken=recorded.code)
    if recorded.refusal is not None:
        return Outcome(violations=_violations(recorded.refusal))
    result = recorded.result or {}
    return Outcome(
        tuple(result["order"]),
        tuple(
            (node["id"], node["status"] if node["state"] == "pending" else node["state"])
            for node in result["nodes"]
        ),
    )


def _violations(refusal: PlanRefused) -> tuple[tuple[str, str, str], ...]:
    return tuple((each.code, each.subject, each.message) for each in refusal.violations)


def _responsible(changes: Sequence[RuleChange], old: History, new: History) -> tuple[str, ...]:
    ids = {rule.id: change.id for change in changes for rule in (change.old, change.new) if rule}
    sides = [
        (old, new, {each.old.id for each in changes if each.old}),
        (new, old, {each.new.id for each in changes if each.new}),
    ]
    fired: list[tuple[Instance, bool]] = []
    for own, other, names in sides:
        for name, moment in own.moments.items():
            if name in other.moments:
                fired += _one_sided(moment, other.moments[name], names)
    at_the_border = [instance for instance, read in fired if read]
    found = at_the_border or [instance for instance, _ in fired]
    blamed = {ids[instance.rule.id] for instance in found}
    # What only a number or nothing that fired tells apart is all that changed.
    return tuple(each.id for each in changes if each.id in blamed or not blamed)


def _one_sided(moment: Moment, other: Moment, changed: set[str]) -> list[tuple[Instance, bool]]:
    """Return the instances of changed rules that derive what the other side lacks.

    The second tells whether an unchanged rule, or plan07 itself, reads what they derive.
    """
    firing, atoms = moment.firing, other.firing.atoms
    read = {
        (atom.name, atom.arity)
        for rule in moment.own
        if rule.id not in changed
        for atom in rule.atoms()
    }
    read |= {rule.signature for rule in moment.own if rule.kind == "show" and rule.signature}
    return [
        (instance, any(head in read for head in instance.rule.heads))
        for instance in firing.instances
        if instance.rule.id in changed
        and instance.head not in atoms
        and not any(_spread(firing, cause, atoms, changed) for cause in instance.rests_on)
    ]


def _spread(firing: Firing, cause: str, atoms: frozenset[str], changed: set[str]) -> bool:
    """Whether a cause is itself a difference that came through unchanged rules."""
    if any(atom in atoms for atom in firing.matching(cause)):
        return False
    deriving = [each for atom in firing.matching(cause) for each in firing.deriving(atom)]
    return bool(deriving) and all(each.rule.id not in changed for each in deriving)
