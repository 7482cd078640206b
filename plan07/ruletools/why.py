"""Why an atom holds: a short tree of the rules that derive it, down to plan and evidence.

What says nothing is left out: what holds of every obligation or every unit, what a rule file states
of its own vocabulary, and a private atom that only passes one other on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from plan07.ruletools import gloss, terms
from plan07.ruletools.asking import shown
from plan07.ruletools.firing import Instance
from plan07.ruletools.forms import ANY, Condition
from plan07.ruletools.history import History, Moment
from plan07.ruletools.tree import Node, cut

DEPTH = 6
# As many causes of one atom as are worth telling.
_MOST, _MOST_AT_TOP = 5, 10
# Of every obligation, in every plan.
_SAY_NOTHING = frozenset({"obligation", "ordinal"})


class Why:
    """Explains atoms of one plan.

    Args:
        history: what happened to the plan.
        depth: how many rules deep a tree may go.
        absence: says of a stage and a pattern why nothing fits it there.
    """

    def __init__(
        self,
        history: History,
        depth: int = DEPTH,
        absence: Callable[[Moment, str], tuple[Node, ...]] = lambda moment, pattern: (),
    ) -> None:
        self._history = history
        self._depth = depth
        self._absence = absence

    def atom(self, moment: Moment, atom: str, above: tuple[str, ...] = ()) -> Node:
        """Return why an atom holds at a stage.

        Args:
            moment: the stage.
            atom: an atom of its answer set.
            above: what stands above it in a tree.
        """
        deriving = moment.firing.deriving(atom)
        if not deriving:
            return self._given(moment, atom, above)
        first = deriving[0]
        if not first.form.body:
            return Node(shown(atom), True, first.rule, "rules")
        words = gloss.sentence(atom)
        if len(above) >= self._depth:
            return Node(shown(atom), True, first.rule, words=words)
        # All that an asked atom rests on is told, of others what they rest on least.
        told = deriving if not above else deriving[:1]
        children = [
            child
            for each in told
            for child in self.instance(moment, each, (*above, atom), len(told) == 1)
        ]
        kept, more = cut(_once(children), _MOST if above else _MOST_AT_TOP)
        return Node(shown(atom), True, first.rule, "", kept, more, words)

    def instance(
        self, moment: Moment, instance: Instance, above: tuple[str, ...], alone: bool = True
    ) -> list[Node]:
        """Return what an instance of a rule rests on, as far as it says something.

        Args:
            moment: the stage.
            instance: an instance that fired there.
            above: what stands above it in a tree.
            alone: say too why what must not hold does not.
        """
        found: list[Node] = []
        causes = iter(instance.causes)
        for place, condition in enumerate(instance.form.body):
            if condition.kind == "atom" and not condition.sign:
                found += self._cause(moment, next(causes), above, ())
            elif condition.parts:
                found.append(self._counted(moment, instance, place, above))
            elif len(above) == 1:
                found += self._plain(moment, condition, dict(instance.bindings), alone)
        return _once(found)

    def _cause(
        self, moment: Moment, cause: str, above: tuple[str, ...], through: tuple[str, ...]
    ) -> Iterator[Node]:
        """Yield what a cause says: itself, or what it rests on where it is private to a file.

        Args:
            moment: the stage.
            cause: an atom, or a pattern of one.
            above: what stands above it in a tree.
            through: private atoms on the way from there.
        """
        if through and cause.count(ANY) > 1 and '"' not in cause:
            return  # That there is something of the kind at all tells nothing.
        atom = _least(moment, cause)
        if atom in above or atom in through or not self._tells(moment, atom):
            return
        deriving = moment.firing.deriving(atom)
        if not deriving or not deriving[0].form.body or not self._is_private(atom):
            yield self.atom(moment, atom, above)
            return
        for each in deriving[0].rests_on:
            yield from self._cause(moment, each, above, (*through, atom))

    def _counted(
        self, moment: Moment, instance: Instance, place: int, above: tuple[str, ...]
    ) -> Node:
        """Return what an aggregate counts or a conditional literal demands."""
        inside = [
            node
            for at, atom in instance.parts
            if at == place
            for node in self._cause(moment, atom, above, ())
        ]
        kept, more = cut(_once(inside), _MOST)
        numbers = {**self._numbers(moment), **dict(instance.bindings)}
        text = terms.filled(instance.form.body[place].text, numbers)
        return Node(text, True, None, "", kept, more)

    def _given(self, moment: Moment, atom: str, above: tuple[str, ...]) -> Node:
        """Return where something comes from that no rule of a stage derives."""
        handed_on = self._history.handed_on(moment, atom)
        if handed_on is not None:
            earlier, source = handed_on
            node = self.atom(earlier, source, above)
            return node._replace(origin=node.origin or earlier.name)
        return Node(shown(atom), True, None, self._history.origin(moment, atom))

    def _is_private(self, atom: str) -> bool:
        name, arguments = terms.split(atom)
        predicate = self._history.predicates.get((name, len(arguments)))
        return predicate is None or predicate.role == "private"

    def _tells(self, moment: Moment, atom: str) -> bool:
        """Whether an atom says something about what is asked."""
        name, arguments = terms.split(atom)
        of_one = len(set(arguments)) == 1 and len(arguments) < 3
        if name in _SAY_NOTHING or (of_one and (name, len(arguments)) in self._of_all(moment)):
            return False
        deriving = moment.firing.deriving(atom)
        if deriving and not deriving[0].form.body:
            # A row of a table of the rules, unless it says something of the plan's own words.
            return len(arguments) > 2 or '"' in atom
        return True

    def _plain(
        self, moment: Moment, condition: Condition, bindings: dict[str, str], alone: bool
    ) -> Iterator[Node]:
        """Yield a comparison, or what must not hold and does not."""
        text = terms.filled(condition.text, {**self._numbers(moment), **bindings})
        if condition.kind == "comparison" and "!=" not in text:
            yield Node(text, True)
        elif condition.sign == "not" and condition.atom:
            pattern = terms.filled(condition.atom, bindings)
            absence = self._absence(moment, pattern) if alone else ()
            yield Node(text, True, None, "", absence)

    def _of_all(self, moment: Moment) -> frozenset[tuple[str, int]]:
        """The predicates that hold of every obligation, or of every unit, alone or with itself.

        Such as that a unit holds the obligation that it is called by.
        """
        if moment.name not in self._everywhere:
            by_name = moment.firing.by_name
            everything = [
                {terms.split(atom)[1][0] for atom in by_name.get((kind, 1), ())}
                for kind in ("obligation", "unit")
            ]
            self._everywhere[moment.name] = frozenset(
                key
                for key, atoms in by_name.items()
                if key[1] in (1, 2) and any(each and each <= _of_one(atoms) for each in everything)
            )
        return self._everywhere[moment.name]

    @cached_property
    def _everywhere(self) -> dict[str, frozenset[tuple[str, int]]]:
        return {}

    def _numbers(self, moment: Moment) -> dict[str, str]:
        return {name: str(number) for name, number in moment.constants.items()}


def _of_one(atoms: Iterable[str]) -> set[str]:
    """Return what atoms hold of that have one argument, or the same one twice."""
    found = (terms.split(atom)[1] for atom in atoms)
    return {arguments[0] for arguments in found if len(set(arguments)) == 1}


def _once(nodes: Iterable[Node]) -> list[Node]:
    """Return nodes, each text once: the one that goes deeper."""
    found: dict[str, Node] = {}
    for node in nodes:
        if node.text not in found or not found[node.text].children:
            found[node.text] = node
    return list(found.values())


def _least(moment: Moment, cause: str) -> str:
    """Return the atom that a cause stands for; of several, the one that rests on least."""
    if ANY not in cause:
        return cause
    depth = moment.firing.depth
    return min(moment.firing.matching(cause), key=lambda each: depth.get(each, len(depth)))
