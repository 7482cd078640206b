"""What a stage would have to be given so that an atom holds: tried before it is told.

Looks for facts to add, or to take away where nothing can be added, rule by rule: what must hold and
does not is made to hold by the rule that came furthest; what must not hold and does is undone in
each instance that derives it. After each change the stage is solved again, until the atom holds or
nothing is left to change.
"""

from __future__ import annotations

from typing import NamedTuple

from plan07.ruletools import gloss, terms
from plan07.ruletools.asking import Question, shown
from plan07.ruletools.firing import Firing, Instance
from plan07.ruletools.forms import ANY
from plan07.ruletools.history import Moment
from plan07.ruletools.shortfall import Shortfall, shortfalls
from plan07.ruletools.tree import Remedy
from plan07.ruletools.whynot import as_question

_ROUNDS, _MOST = 6, 12
# Progress adds facts and takes none away, so that is looked for first; then what is near.
_TRIED = [(depth, taking_away) for taking_away in (False, True) for depth in (2, 4, 8)]


class _Change(NamedTuple):
    added: frozenset[str]
    removed: frozenset[str]

    def joined(self, other: _Change) -> _Change:
        return _Change(self.added | other.added, self.removed | other.removed)

    @property
    def size(self) -> int:
        return len(self.added) + len(self.removed)


_NOTHING = _Change(frozenset(), frozenset())


def remedy(moment: Moment, question: Question) -> Remedy | None:
    """Return facts that would make an atom hold, or None where none were found.

    Args:
        moment: the stage.
        question: an atom that does not hold there.

    Raises:
        RulesError: the rules are broken.
    """
    change = _NOTHING
    firing = moment.firing
    for _ in range(_ROUNDS):
        search = _Search(moment, firing)
        wanted = next(filter(None, (search.within(*each, question) for each in _TRIED)), None)
        if wanted is None or change.joined(wanted).size > _MOST:
            return None
        joined = change.joined(wanted)
        if joined == change:
            return None
        change = joined
        firing = moment.instead(sorted(change.added), sorted(change.removed))
        if firing.matching(question.pattern):
            new = set(_violations(firing)) - set(_violations(moment.firing))
            return Remedy(
                tuple(map(shown, sorted(change.added))),
                tuple(map(shown, sorted(change.removed))),
                tuple(gloss.sentences(sorted(new))),
            )
    return None


def _fixed(firing: Firing) -> frozenset[tuple[str, int]]:
    """The inputs that say one thing of each obligation: a second verb or target is no remedy."""
    obligations = sorted(terms.split(each)[1] for each in firing.by_name.get(("obligation", 1), []))
    return frozenset(
        key
        for key, atoms in firing.by_name.items()
        if key[1] and sorted(terms.split(each)[1][:1] for each in atoms) == obligations
    )


def _violations(firing: Firing) -> list[str]:
    return firing.by_name.get(("violation", 2), [])


class _Search:
    """Looks for changes in what fired at a stage."""

    def __init__(self, moment: Moment, firing: Firing) -> None:
        self._moment = moment
        self._firing = firing
        self._atoms = sorted(firing.atoms)
        self._fixed = _fixed(firing)
        self._deepest = 0
        self._taking_away = False
        self._looked_up: dict[str, list[Shortfall]] = {}

    def within(self, depth: int, taking_away: bool, question: Question) -> _Change | None:
        """Return what would make an atom hold, looked for so many rules deep."""
        self._deepest = depth
        self._taking_away = taking_away
        found = self.holding(question, ())
        return found if found is not None and found.size else None

    def holding(self, question: Question, above: tuple[str, ...]) -> _Change | None:
        """Return what would make an atom hold, as far as the first failing conditions tell."""
        pattern = question.pattern
        if self._firing.matching(pattern):
            return _NOTHING
        if pattern in above or len(above) >= self._deepest:
            return None
        if not self._moment.derives(question.name, len(question.args)):
            free = ANY not in pattern and (question.name, len(question.args)) not in self._fixed
            return _Change(frozenset({pattern}), frozenset()) if free else None
        changes = [self._met(each, (*above, pattern)) for each in self._missing(question)]
        possible = [each for each in changes if each is not None and each.size]
        return min(possible, key=_cost, default=None)

    def _missing(self, question: Question) -> list[Shortfall]:
        if question.pattern not in self._looked_up:
            self._looked_up[question.pattern] = shortfalls(
                question, self._moment.own, self._atoms, self._moment.constants
            )
        return self._looked_up[question.pattern]

    def _met(self, shortfall: Shortfall, above: tuple[str, ...]) -> _Change | None:
        failing = shortfall.failing
        if failing.kind != "atom" or failing.sign == "not not":
            return None
        for bindings in shortfall.bindings:
            pattern = as_question(terms.filled(failing.atom, bindings))
            change = (
                self._gone(pattern.pattern, above) if failing.sign else self.holding(pattern, above)
            )
            if change is not None:
                return change
        return None

    def _gone(self, pattern: str, above: tuple[str, ...]) -> _Change | None:
        """Return what would keep atoms from holding, all that fit a pattern."""
        if pattern in above or len(above) >= self._deepest:
            return None
        change = _NOTHING
        for atom in self._firing.matching(pattern):
            if atom in self._firing.given:
                name, arguments = terms.split(atom)
                if not self._taking_away or (name, len(arguments)) in self._fixed:
                    return None
                change = change.joined(_Change(frozenset(), frozenset({atom})))
            for instance in self._firing.deriving(atom):
                undone = self._undone(instance, (*above, pattern))
                if undone is None:
                    return None
                change = change.joined(undone)
        return change

    def _undone(self, instance: Instance, above: tuple[str, ...]) -> _Change | None:
        """Return what would keep an instance of a rule from firing: what it excludes first."""
        bindings = dict(instance.bindings)
        found: list[_Change | None] = []
        for condition in instance.form.body:
            if condition.kind == "atom" and condition.sign == "not":
                asked = as_question(terms.filled(condition.atom, bindings))
                found.append(self.holding(asked, above))
        found += [self._gone(cause, above) for cause in instance.causes]
        possible = [each for each in found if each is not None and each.size]
        return min(possible, key=_cost, default=None)


def _cost(change: _Change) -> tuple[int, int, list[str]]:
    """What is taken away counts before what is added."""
    return len(change.removed), change.size, sorted(change.added | change.removed)
