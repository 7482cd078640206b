"""Why an atom does not hold: the first failing condition of each rule that could derive it.

A failing condition is followed further: what must not hold and does is explained, what must hold
and does not is asked about in turn, by the rule that came furthest.
"""

from __future__ import annotations

from collections.abc import Mapping

from plan07.ruletools import terms
from plan07.ruletools.asking import Question
from plan07.ruletools.firing import Firing
from plan07.ruletools.forms import ANY
from plan07.ruletools.history import History, Moment
from plan07.ruletools.shortfall import Shortfall, shortfalls
from plan07.ruletools.tree import Node, cut
from plan07.ruletools.why import Why

DEPTH = 2
# As many rules, and as many values for one of them, as are worth telling.
_RULES, _VALUES, _NEAR = 8, 2, 3
# What stands in the way is told a rule deeper than what is missing.
_DEEPER = 1


class WhyNot:
    """Explains what is missing in one plan.

    Args:
        history: what happened to the plan.
        depth: how many rules deep an answer may go.
    """

    def __init__(self, history: History, depth: int = DEPTH) -> None:
        self._history = history
        self._depth = depth

    def atom(self, moment: Moment, question: Question) -> tuple[tuple[Node, ...], int]:
        """Return each rule that could derive an atom, with what fails, and how many are left out.

        Args:
            moment: the stage.
            question: an atom that does not hold there.
        """
        found = missing(moment, question)
        nodes = [self._rule(moment, each, (question.pattern,), _VALUES) for each in found]
        return cut(nodes, _RULES)

    def absence(self, moment: Moment, pattern: str) -> tuple[Node, ...]:
        """Return what the rule that came furthest lacks to derive what fits a pattern."""
        return self._furthest(moment, pattern, ())

    def _furthest(self, moment: Moment, pattern: str, above: tuple[str, ...]) -> tuple[Node, ...]:
        if pattern in above or len(above) >= self._depth:
            return ()
        found = missing(moment, as_question(pattern))
        return (self._rule(moment, found[0], (*above, pattern), 1),) if found else ()

    def _rule(
        self, moment: Moment, shortfall: Shortfall, above: tuple[str, ...], values: int
    ) -> Node:
        """Return what a rule lacks."""
        numbers = {name: str(number) for name, number in moment.constants.items()}
        told = dict.fromkeys(
            (terms.filled(shortfall.told(each), numbers), self._atom(shortfall, each))
            for each in shortfall.bindings
        )
        ways = [
            Node(text, False, None, *self._because(moment, shortfall, pattern, above))
            for text, pattern in list(told)[:values]
        ]
        more = max(0, shortfall.ways - len(ways)) if len(told) > values else 0
        return ways[0]._replace(
            rule=shortfall.rule, children=(*ways[0].children, *ways[1:]), more=more
        )

    def _because(
        self, moment: Moment, shortfall: Shortfall, pattern: str, above: tuple[str, ...]
    ) -> tuple[str, tuple[Node, ...]]:
        """Return where a failing condition should come from, and why it fails."""
        failing = shortfall.failing
        if failing.kind != "atom" or failing.sign == "not not":
            return "", ()
        if failing.sign:
            holding = moment.firing.matching(pattern)
            why = Why(self._history, self._depth + _DEEPER)
            return "", tuple(why.atom(moment, each, ()) for each in holding[:_VALUES])
        question = as_question(pattern)
        if not moment.derives(question.name, len(question.args)):
            return self._history.origin(moment, pattern), ()
        return "", self._furthest(moment, pattern, above)

    def _atom(self, shortfall: Shortfall, bindings: Mapping[str, str]) -> str:
        """Return the atom of a failing condition, `ANY` for what is not bound."""
        return terms.filled(shortfall.failing.atom, bindings)


def missing(moment: Moment, question: Question) -> list[Shortfall]:
    """Return what each rule of a stage lacks to derive an atom, the furthest first."""
    return shortfalls(question, moment.own, sorted(moment.firing.atoms), moment.constants)


def as_question(pattern: str) -> Question:
    """Return an atom as a question; what is not bound, or not calculated yet, is anything."""
    name, arguments = terms.split(pattern)
    return Question(name, tuple(_open(each) for each in arguments))


def _open(argument: str) -> str:
    if terms.is_computed(argument):
        return ANY
    return terms.filled(argument, dict.fromkeys(terms.variables(argument), ANY))


def nearest(firing: Firing, question: Question) -> list[str]:
    """Return atoms of the same predicate that differ least: the other way round, or in one place.

    Args:
        firing: what fired.
        question: an atom that does not hold.
    """
    there = firing.by_name.get((question.name, len(question.args)), [])
    ranked: list[tuple[int, str]] = []
    for atom in there:
        arguments = terms.split(atom)[1]
        differ = [
            place
            for place, (asked, found) in enumerate(zip(question.args, arguments, strict=True))
            if not terms.fits(asked, found, ANY)
        ]
        swapped = differ == [0, 1] and arguments[:2] == question.args[1::-1]
        if swapped or len(differ) < sum(asked != ANY for asked in question.args):
            ranked.append((0 if swapped else len(differ), atom))
    return [atom for _, atom in sorted(ranked)[:_NEAR]]
