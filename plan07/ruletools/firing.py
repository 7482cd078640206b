"""Which ground instances of which rule fired, on demand, with bindings and causes.

The answer set of a stage is put to the solver once more as facts, and beside it one witness for
each rule: its body unchanged, and as head a term that names the rule, what it derives and the value
of each variable. So the solver itself says which bodies hold, whatever stands in them, and what is
asked cannot disturb what was answered: no rule reads a witness.

An instance fires for its head alone; that a chain of instances begins at what the stage was given,
and does not run in a circle, is what `Firing.depth` sees to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from plan07 import answersets
from plan07.ruletools import terms
from plan07.ruletools.forms import ANY, Form, forms
from plan07.ruletools.records import Rule

_FIRED, _PART = "plan07_fired", "plan07_part"


class Instance(NamedTuple):
    """A ground instance of a rule whose body holds.

    Args:
        rule: the rule.
        form: the form of it that fired.
        head: the atom that it derives, or "" for a constraint.
        bindings: (variable, term) pairs.
        causes: the positive atoms of its body; `ANY` stands where the rule has `_`.
        parts: the place of a condition in the body, and an atom that its aggregate counts or its
            conditional literal demands.
    """

    rule: Rule
    form: Form
    head: str
    bindings: tuple[tuple[str, str], ...]
    causes: tuple[str, ...]
    parts: tuple[tuple[int, str], ...] = ()

    @property
    def rests_on(self) -> tuple[str, ...]:
        """Every atom that must hold for it to fire."""
        return (*self.causes, *(atom for _, atom in self.parts))


class Firing:
    """What fired at one stage.

    Args:
        atoms: every atom of the answer set.
        given: those that the stage was given.
        instances: every instance that fired, rule by rule in the order of the rules.
    """

    def __init__(
        self, atoms: Iterable[str], given: Iterable[str], instances: Iterable[Instance]
    ) -> None:
        self.atoms = frozenset(atoms)
        self.given = frozenset(given)
        self.instances = tuple(instances)

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many instances of each rule fired, by id; a rule that never did is not in it."""
        found: dict[str, int] = {}
        for instance in self.instances:
            found[instance.rule.id] = found.get(instance.rule.id, 0) + 1
        return found

    @cached_property
    def by_name(self) -> dict[tuple[str, int], list[str]]:
        """The atoms of each predicate, sorted."""
        found: dict[tuple[str, int], list[str]] = {}
        for atom in sorted(self.atoms):
            name, arguments = terms.split(atom)
            found.setdefault((name, len(arguments)), []).append(atom)
        return found

    def matching(self, pattern: str) -> list[str]:
        """Return the atoms that a pattern stands for, sorted."""
        if ANY not in pattern:
            return [pattern] if pattern in self.atoms else []
        name, arguments = terms.split(pattern)
        of_name = self.by_name.get((name, len(arguments)), [])
        return [atom for atom in of_name if terms.fits(pattern, atom, ANY)]

    def deriving(self, atom: str) -> list[Instance]:
        """Return the instances that derive an atom, those first that rest on the least.

        The first of them leads to what the stage was given without a circle.
        """
        return sorted(self._of_head.get(atom, []), key=self._distance)

    def _distance(self, instance: Instance) -> int:
        return max((self.depth.get(each, len(self.atoms)) for each in instance.rests_on), default=0)

    @cached_property
    def _of_head(self) -> dict[str, list[Instance]]:
        found: dict[str, list[Instance]] = {}
        for instance in self.instances:
            found.setdefault(instance.head, []).append(instance)
        return found

    @cached_property
    def depth(self) -> dict[str, int]:
        """How many rules, at least, lie between an atom and what the stage was given.

        Patterns among the causes have a depth too, the least of what they stand for.
        """
        waiting: dict[str, list[int]] = {}
        missing: list[int] = []
        for index, instance in enumerate(self.instances):
            needs = dict.fromkeys(instance.rests_on)
            missing.append(len(needs))
            for need in needs:
                waiting.setdefault(need, []).append(index)
        patterns: dict[str, list[str]] = {}
        for need in waiting:
            if ANY in need:
                for atom in self.matching(need):
                    patterns.setdefault(atom, []).append(need)
        depth: dict[str, int] = {}
        layer = 0
        fresh = dict.fromkeys(self.given)
        free = [self.instances[index].head for index, number in enumerate(missing) if not number]
        while fresh or free:
            heads, free = free, []
            for atom in fresh:
                for key in (atom, *patterns.get(atom, ())):
                    if key in depth:
                        continue
                    depth[key] = layer
                    for index in waiting.get(key, ()):
                        missing[index] -= 1
                        if not missing[index]:
                            heads.append(self.instances[index].head)
            fresh = dict.fromkeys(head for head in heads if head not in depth)
            layer += 1
        return depth


def fire(
    rules: Sequence[Rule],
    atoms: Sequence[str],
    given: Iterable[str],
    constants: Mapping[str, int] | None = None,
    *,
    parts: bool = True,
) -> Firing:
    """Return what fired at a stage.

    Args:
        rules: the rules of the stage; statements that derive nothing are left out.
        atoms: the answer set.
        given: the facts that the stage was given, which may be atoms of the answer set or not.
        constants: numbers of the run, name to value.
        parts: look into aggregates and conditional literals too.

    Raises:
        RulesError: a rule cannot be put to the solver.
    """
    known = frozenset(atoms)
    numbered = [(rule, form) for rule in rules for form in forms(rule.text)]
    # A fact that is written as it is derived needs no witness.
    plain = [not form.body and form.head in known for _, form in numbered]
    text = [*constants_of(rules), *(f"{atom}." for atom in atoms)]
    for index, (_, form) in enumerate(numbered):
        if not plain[index]:
            text += _witnesses(index, form, parts)
    found = sorted(answersets.consequences(["\n".join(text)], constants))
    counted = _counted(found)
    instances: list[list[Instance]] = [
        [Instance(rule, form, form.head, (), ())] if free else []
        for (rule, form), free in zip(numbered, plain, strict=True)
    ]
    for atom in found:
        if not atom.startswith(f"{_FIRED}("):
            continue
        number, head, values, inner = terms.split(atom)[1]
        rule, form = numbered[int(number)]
        if form.head and head not in known:
            continue  # An atom that a choice left out.
        bindings = tuple(zip(form.variables, terms.elements(values), strict=True))
        inside = tuple(dict.fromkeys(counted.get((number, values), ())))
        instances[int(number)].append(
            Instance(rule, form, head if form.head else "", bindings, terms.elements(inner), inside)
        )
    return Firing(known, known.intersection(given), [each for own in instances for each in own])


def _counted(found: Iterable[str]) -> dict[tuple[str, str], list[tuple[int, str]]]:
    """What aggregates count and conditional literals demand, by form and values."""
    counted: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for atom in found:
        if atom.startswith(f"{_PART}("):
            number, values, place, inner = terms.split(atom)[1]
            pairs = [(int(place), each) for each in terms.elements(inner)]
            counted.setdefault((number, values), []).extend(pairs)
    return counted


def constants_of(rules: Sequence[Rule]) -> Iterator[str]:
    """Yield the constants that some rules define, as ASP text."""
    return (rule.text for rule in rules if rule.kind == "const")


def _witnesses(index: int, form: Form, parts: bool) -> Iterator[str]:
    values = terms.as_tuple(form.variables)
    causes = terms.as_tuple(
        tuple(each.atom for each in form.body if each.kind == "atom" and not each.sign)
    )
    body = "; ".join(condition.text for condition in form.body)
    arrow = f" :- {body}" if body else ""
    yield f"{_FIRED}({index},{form.head or ANY},{values},{causes}){arrow}."
    if not parts:
        return
    for place, condition in enumerate(form.body):
        for part in condition.parts:
            inner = "; ".join((f"{_FIRED}({index},_,{values},_)", *part.conditions))
            yield f"{_PART}({index},{values},{place},{terms.as_tuple(part.atoms)}) :- {inner}."


def witnesses_of(rule: Rule) -> Iterator[str]:
    """Yield a rule as its witnesses: the same bodies, and heads that no rule reads."""
    for index, form in enumerate(forms(rule.text)):
        yield from _witnesses(index, form, parts=False)
