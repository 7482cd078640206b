"""How far each rule came that could derive an atom which does not hold.

The conditions of a rule are put to the solver one after the other, with the answer set as facts: a
witness for each beginning of the body, with the values of the variables bound until then. The
first condition that no values satisfy is the one that fails, and the values that came that far are
those to tell of. Conditions keep the order in which they are written, but each waits until what it
needs is bound, as it does in the solver.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from plan07 import answersets
from plan07.ruletools import terms
from plan07.ruletools.asking import Question
from plan07.ruletools.firing import constants_of
from plan07.ruletools.forms import ANY, Condition, Form, Way, forms
from plan07.ruletools.records import Rule

_REACHED = "plan07_reached"
_HEAD = "head"
# As many values as are worth telling of.
_MOST = 3


class Shortfall(NamedTuple):
    """A rule that could derive an atom, and where it fails.

    Args:
        rule: the rule.
        met: the conditions that hold, in the order in which they were tried.
        failing: the condition that fails.
        left: how many conditions were not tried.
        bindings: values of the variables that came this far, variable to term, a few of them.
        ways: how many values came this far.
    """

    rule: Rule
    met: tuple[Condition, ...]
    failing: Condition
    left: int
    bindings: tuple[Mapping[str, str], ...]
    ways: int

    @property
    def share(self) -> float:
        """How much of the rule holds, 0 to 1."""
        return len(self.met) / (len(self.met) + 1 + self.left)

    def told(self, bindings: Mapping[str, str]) -> str:
        """Return the failing condition with values in place."""
        return terms.filled(self.failing.text, bindings)


class _Step(NamedTuple):
    """A condition in the order of trying, and the variables that are bound after it."""

    condition: Condition
    bound: tuple[str, ...]


def shortfalls(
    question: Question,
    rules: Sequence[Rule],
    atoms: Sequence[str],
    constants: Mapping[str, int] | None = None,
) -> list[Shortfall]:
    """Return where each rule fails that could derive an atom, those first that came furthest.

    A rule whose head is never what is asked is left out, and so is one that derives it.

    Args:
        question: the atom.
        rules: the rules of the stage.
        atoms: the answer set.
        constants: numbers of the run, name to value.

    Raises:
        RulesError: a rule cannot be put to the solver.
    """
    tried: list[tuple[Rule, list[_Step]]] = []
    for rule in rules:
        if (question.name, len(question.args)) in rule.heads:
            for form in forms(rule.text):
                if _may_derive(form, question, constants or {}):
                    tried.append((rule, _steps(form, question)))
    if not tried:
        return []
    asked = [line for index, (_, steps) in enumerate(tried) for line in _witnesses(index, steps)]
    # Only the atoms that a condition may read; there may be thousands of others.
    read = {name for line in asked for name in terms.names(line)}
    text = [*constants_of(rules), *asked]
    text += [f"{atom}." for atom in atoms if terms.split(atom)[0] in read]
    reached: dict[tuple[int, int], list[str]] = {}
    for atom in sorted(answersets.consequences(["\n".join(text)], constants)):
        if atom.startswith(f"{_REACHED}("):
            number, place, values = terms.split(atom)[1]
            reached.setdefault((int(number), int(place)), []).append(values)
    best: dict[str, Shortfall] = {}
    for index, (rule, steps) in enumerate(tried):
        found = _furthest(rule, steps, {k[1]: v for k, v in reached.items() if k[0] == index})
        if found is None:
            continue
        other = best.get(rule.id)
        if other is None or (found.left, -len(found.met)) < (other.left, -len(other.met)):
            best[rule.id] = found
    # A rule that derives it in one form fails in none.
    for index, (rule, steps) in enumerate(tried):
        if (index, len(steps) - 1) in reached:
            best.pop(rule.id, None)
    return sorted(best.values(), key=lambda each: (-each.share, each.left))


def _furthest(
    rule: Rule, steps: Sequence[_Step], reached: Mapping[int, Sequence[str]]
) -> Shortfall | None:
    place = max(reached, default=-1)
    # What comes before the body only says that the head is what is asked.
    heads = sum(step.condition.kind == _HEAD for step in steps[: _leading(steps)])
    if place < heads - 1 or place == len(steps) - 1:
        return None
    values = reached.get(place, ["()"])
    variables = steps[place].bound if place >= 0 else ()
    bindings = [dict(zip(variables, terms.elements(each), strict=True)) for each in values]
    tried = [step.condition for step in steps[: place + 1]]
    return Shortfall(
        rule,
        tuple(each for each in tried if each.kind != _HEAD),
        steps[place + 1].condition,
        len(steps) - place - 2,
        tuple(bindings[:_MOST]),
        len(values),
    )


def _leading(steps: Sequence[_Step]) -> int:
    """How many steps come before the first condition of the body."""
    return next(
        (index for index, step in enumerate(steps) if step.condition.kind != _HEAD), len(steps)
    )


def _may_derive(form: Form, question: Question, constants: Mapping[str, int]) -> bool:
    """Whether the head of a form could be what is asked about, as far as its text tells."""
    return (
        form.name == question.name
        and len(form.arguments) == len(question.args)
        and all(
            _may_be(argument, asked, constants)
            for (argument, _), asked in zip(form.arguments, question.args, strict=True)
        )
    )


def _may_be(argument: str, asked: str, constants: Mapping[str, int]) -> bool:
    if ANY in (argument, asked) or argument in (asked, "_") or argument in constants:
        return True
    if terms.variables(argument) == [argument] or terms.is_computed(argument):
        return True
    name, inner = terms.split(argument)
    other, wanted = terms.split(asked)
    return (
        name == other
        and len(inner) == len(wanted) > 0
        and all(_may_be(*pair, constants) for pair in zip(inner, wanted, strict=True))
    )


def _steps(form: Form, question: Question) -> list[_Step]:
    """Return the conditions of a form in the order of trying, those of the head first."""
    waiting = [*_of_head(form, question), *form.body]
    bound: list[str] = []
    found: list[_Step] = []
    while waiting:
        known = frozenset(bound)
        condition = waiting.pop(_next(waiting, known))
        way = next((way for way in condition.ways if way.needs <= known), condition.ways[0])
        bound += sorted((way.gives | way.needs) - known, key=form.variables.index)
        found.append(_Step(condition, tuple(bound)))
    return found


def _next(waiting: Sequence[Condition], known: frozenset[str]) -> int:
    """Return which condition to try next.

    What makes the head the one that is asked comes first. Then what is about the values at hand
    tells more than what is written first. If nothing can go first, the solver is asked anyway: it
    has accepted the rule.
    """
    possible = [
        index for index, each in enumerate(waiting) if any(way.needs <= known for way in each.ways)
    ]
    heads = [index for index in possible if waiting[index].kind == _HEAD]
    near = [
        index
        for index in possible
        if any(known & (way.needs | way.gives) for way in waiting[index].ways)
    ]
    return next(iter([*heads, *near, *possible]), 0)


def _of_head(form: Form, question: Question) -> Iterator[Condition]:
    """Yield what makes the head of a form the atom that is asked about."""
    for (argument, needs), asked in zip(form.arguments, question.args, strict=True):
        if asked == ANY:
            continue
        used = frozenset(terms.variables(argument))
        # What stands for anything inside of a term binds nothing.
        waits = needs if ANY not in asked else used
        wanted = terms.filled(asked, {ANY: "_"})
        yield Condition(f"{argument} = {wanted}", _HEAD, "", "", (Way(waits, used - waits),))


def _witnesses(index: int, steps: Sequence[_Step]) -> Iterator[str]:
    before: tuple[str, ...] | None = None
    for place, step in enumerate(steps):
        body = step.condition.text
        if before is not None:
            body = f"{_REACHED}({index},{place - 1},{terms.as_tuple(before)}); {body}"
        yield f"{_REACHED}({index},{place},{terms.as_tuple(step.bound)}) :- {body}."
        before = step.bound
