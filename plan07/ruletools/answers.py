"""Answers questions about a plan: why an atom holds, why not, and where a rule fired."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from plan07.errors import InputError
from plan07.messages import quoted
from plan07.ruletools import asking, gloss, recording, terms, why, whynot
from plan07.ruletools.asking import Question, shown
from plan07.ruletools.firing import Instance
from plan07.ruletools.forms import ANY
from plan07.ruletools.history import History, Moment
from plan07.ruletools.records import Rule
from plan07.ruletools.remedy import remedy
from plan07.ruletools.tree import Answer, Node, cut

# As many atoms as one question is worth.
_ATOMS = 3


class Traced(NamedTuple):
    """An instance of a rule that fired.

    Args:
        stage: where.
        head: what it derives.
        bindings: (variable, term) pairs.
        because: what it rests on.
    """

    stage: str
    head: str
    bindings: tuple[tuple[str, str], ...]
    because: tuple[Node, ...]


class Questions:
    """Answers what is asked about one plan.

    Args:
        history: what happened to the plan.
        stage: the one stage that is to answer, or None.
        depth: how many rules deep an answer goes, or None for a short one.

    Raises:
        InputError: there is no such stage, or it did not run.
    """

    def __init__(
        self, history: History, stage: str | None = None, depth: int | None = None
    ) -> None:
        self._history = history
        self._whynot = whynot.WhyNot(history, whynot.DEPTH if depth is None else depth)
        self._why = why.Why(history, why.DEPTH if depth is None else depth, self._whynot.absence)
        moments = history.moments
        if stage is not None and stage not in moments:
            raise InputError(
                "STAGE_UNKNOWN",
                f"the stage {quoted(stage)} did not run",
                f"use one of {', '.join(moments)}",
                phase="usage",
                detail={"stage": stage, "known": list(moments)},
            )
        self._moments: list[Moment] = list(moments.values()) if stage is None else [moments[stage]]

    def read(self, text: str) -> Question:
        """Return the atom that a text asks about.

        Raises:
            InputError: it is no atom, no rule knows its predicate, or no solve decides it.
        """
        signatures = {key: each.text for key, each in self._history.predicates.items()}
        atoms = (atom for each in self._moments for atom in each.firing.atoms)
        question = asking.read(text, signatures, atoms)
        key = (question.name, len(question.args))
        speaking = [rule for rule in self._history.rules if _speaks_of(rule, key)]
        if not any(_is_solved(rule) for rule in speaking):
            stages = {stage for rule in speaking for stage in rule.stages}
            _refuse(f"{key[0]}/{key[1]}", stages, key[0])
        return question

    def why(self, question: Question) -> Answer:
        """Return why an atom holds; `holds` is false if it does not."""
        found = [(each, self._derived(each, question)) for each in self._moments]
        moment, atoms = next(
            ((each, atoms) for each, atoms in found if atoms), self._holding(question)
        )
        if moment is None:
            return Answer(question.shown, "", False, notes=self._notes(question))
        kept, more = cut(atoms, _ATOMS)
        nodes = tuple(self._why.atom(moment, atom) for atom in kept)
        return Answer(question.shown, moment.name, True, nodes, more)

    def why_not(self, question: Question) -> Answer:
        """Return what is missing for an atom to hold; `holds` is true if it does."""
        moment, atoms = self._holding(question)
        if moment is not None:
            nodes = tuple(Node(shown(atom), True, self._by(moment, atom)) for atom in atoms)
            return Answer(question.shown, moment.name, True, *cut(nodes, _ATOMS))
        able = [each for each in self._moments if each.derives(question.name, len(question.args))]
        if not able:
            return self._never_derived(question)
        answers = [(each, *self._whynot.atom(each, question)) for each in able]
        moment, nodes, more = max(answers, key=lambda each: len(each[1]))
        near = tuple(
            Node(shown(atom), True, self._by(moment, atom), words=gloss.sentence(atom))
            for atom in whynot.nearest(moment.firing, question)
        )
        return Answer(
            question.shown,
            moment.name,
            False,
            nodes,
            more,
            near,
            remedy(moment, question),
            self._notes(question),
        )

    def trace(self, identifier: str) -> tuple[Rule, list[Traced]]:
        """Return a rule and every instance of it that fired, stage by stage.

        Raises:
            InputError: no rule has this id, or no solve runs it.
        """
        rule = next((each for each in self._history.rules if each.id == identifier), None)
        if rule is None:
            import difflib

            known = [each.id for each in self._history.rules]
            near = difflib.get_close_matches(identifier, known, 3, 0.6)
            raise InputError(
                "RULE_UNKNOWN",
                f"no rule has the id {quoted(identifier)}",
                f"use one of {', '.join(near)}" if near else "see `plan07 rules list`",
                phase="usage",
                detail={"id": identifier, "near": near},
            )
        if not _is_solved(rule):
            _refuse(f"the rule {rule.id}", set(rule.stages), rule.id)
        found = [
            self._traced(moment, instance)
            for moment in self._moments
            for instance in moment.firing.instances
            if instance.rule.id == rule.id
        ]
        return rule, found

    def _traced(self, moment: Moment, instance: Instance) -> Traced:
        because = self._why.instance(moment, instance, (instance.head,))
        return Traced(moment.name, shown(instance.head), instance.bindings, tuple(because))

    def _derived(self, moment: Moment, question: Question) -> list[str]:
        firing = moment.firing
        return [atom for atom in firing.matching(question.pattern) if firing.deriving(atom)]

    def _holding(self, question: Question) -> tuple[Moment | None, list[str]]:
        """Return the first stage where an atom holds, derived if possible, and the atoms."""
        for moment in self._moments:
            if derived := self._derived(moment, question):
                return moment, derived
        for moment in self._moments:
            if given := moment.firing.matching(question.pattern):
                return moment, given
        return None, []

    def _by(self, moment: Moment, atom: str) -> Rule | None:
        return next((each.rule for each in moment.firing.deriving(atom)), None)

    def _never_derived(self, question: Question) -> Answer:
        name, arity = question.name, len(question.args)
        reading = [
            each
            for each in self._moments
            if any(
                atom.name == name and atom.arity == arity for r in each.own for atom in r.atoms()
            )
        ]
        notes = self._notes(question)
        if not reading:
            return Answer(question.shown, "", False, notes=notes)
        origin = self._history.origin(reading[0], question.pattern)
        node = Node(question.shown, False, None, origin)
        near = tuple(
            Node(shown(each), True) for each in whynot.nearest(reading[0].firing, question)
        )
        return Answer(question.shown, reading[0].name, False, (node,), 0, near, None, notes)

    def _lands_with(self, question: Question) -> str | None:
        """Say that an obligation is part of a composite, which rules name by its lowest member."""
        for moment in self._moments:
            for asked in question.args[:1]:
                if asked == ANY:
                    continue
                for atom in moment.firing.matching(f"member({ANY},{asked})"):
                    unit = terms.split(atom)[1][0]
                    if unit != asked:
                        return f"{asked} lands in one step with {unit}, ask about that"
        return None

    def _notes(self, question: Question) -> tuple[str, ...]:
        """Say which stage could have derived an atom and did not run, or whom to ask about."""
        if (step := self._lands_with(question)) is not None:
            return (step,)
        refusal = self._history.recorded.refusal
        key = (question.name, len(question.args))
        makers = {
            stage
            for rule in self._history.rules
            if key in rule.heads
            for stage in recording.SOLVED.intersection(rule.stages)
        }
        if refusal is None or not makers or makers & self._history.moments.keys():
            return ()
        return (
            f"the plan is refused ({refusal.code}: {refusal.message}), so the stage "
            f"{' or '.join(_in_order(makers))} did not run",
        )


def _is_solved(rule: Rule) -> bool:
    return not recording.SOLVED.isdisjoint(rule.stages)


def _speaks_of(rule: Rule, key: tuple[str, int]) -> bool:
    return key in rule.heads or any((atom.name, atom.arity) == key for atom in rule.atoms())


def _refuse(what: str, stages: set[str], name: str) -> None:
    """Refuse to answer for stages that are no part of a solve: silence would mislead.

    Raises:
        InputError: always, but where no stage knows it.
    """
    if stages:
        raise InputError(
            "STAGE_NOT_RUN",
            f"{what} belongs to the stage {' and '.join(_in_order(stages))}, which is no part of a "
            "solve",
            f"see `plan07 rules show {name}` for the rules, and ask about what a solve decides",
            phase="usage",
            detail={"stages": list(_in_order(stages))},
        )


def _in_order(stages: set[str]) -> Sequence[str]:
    from plan07.rulefiles import STAGES

    return [each for each in STAGES if each in stages]
