"""Checks of predicates: who makes what is read, who reads what is made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plan07.messages import quoted
from plan07.ruletools.issues import Issue, about_rule
from plan07.ruletools.predicates import Signature
from plan07.ruletools.records import Literal, Rule
from plan07.ruletools.stages import SOLVED, Stage, Stages

_WISH: Signature = ("prefer", 2)


def check(stages: Stages) -> Iterator[Issue]:
    """Yield what is wrong with the predicates of all rules."""
    wishes = _wishes(stages)
    for rule in stages.rules.rules:
        told: set[Signature] = set()
        for atom in rule.atoms():
            key = (atom.name or "", atom.arity)
            if key not in told:
                told.add(key)
                yield from _read(stages, rule, atom, key, wishes)
        if rule.kind == "defined" and rule.signature:
            yield from _declared(stages, rule, rule.signature)
    yield from _unread(stages)
    yield from _clashes(stages)


def _wishes(stages: Stages) -> set[Signature]:
    """Return what a user's wishes about the schedule rest on, the wishes too."""
    found = {_WISH}
    own = [rule for rule in stages.rules.rules if stages.implied(rule)]
    before = 0
    while before != len(found):
        before = len(found)
        for rule in own:
            if not found.isdisjoint(rule.heads):
                found |= {(atom.name or "", atom.arity) for atom in rule.atoms()}
    return found


def _read(
    stages: Stages, rule: Rule, atom: Literal, key: Signature, wishes: set[Signature]
) -> Iterator[Issue]:
    implied = stages.implied(rule)
    unknown = [stage.name for stage in stages.of(rule) if key not in stage.known]
    missing = [name for name in unknown if name not in implied]
    if not missing:
        if unknown and not wishes.isdisjoint(rule.heads):
            yield _lost_wish(rule, atom, key, unknown)
        yield from _private(stages, rule, atom, key)
        return
    text = quoted(atom.text)
    here = {each for stage in stages.of(rule) for each in stage.known}
    elsewhere = [name for name in SOLVED if key in stages.stages[name].known]
    if elsewhere:
        asked = {(each.name or "", each.arity) for each in rule.atoms()}
        fitting = [name for name in elsewhere if asked <= stages.stages[name].known]
        yield about_rule(
            "PREDICATE_STAGE",
            rule,
            f"{text} holds nothing in the stage {', '.join(missing)}: {_shown(key)} is known in "
            f"{', '.join(elsewhere)}",
            f"put the rule into a file with `% Stage: {(fitting or elsewhere)[0]}`",
            atom,
        )
        return
    yield _unknown(rule, atom, key, here, f"{text} never holds: nothing makes {_shown(key)}")


def _lost_wish(rule: Rule, atom: Literal, key: Signature, stages: list[str]) -> Issue:
    return about_rule(
        "WISH_LOST",
        rule,
        f"{quoted(atom.text)} holds nothing in the stage {', '.join(stages)}, so this wish is "
        "forgotten while the plan is driven",
        f"wish by what that stage knows instead of {_shown(key)}; `plan07 rules show` tells the "
        "stages of a predicate",
        atom,
    )


def _unknown(
    rule: Rule, atom: Literal | None, key: Signature, known: Iterable[Signature], message: str
) -> Issue:
    """Return the finding about a predicate that nothing makes, or that nothing reads."""
    known = sorted(known)
    arities = [arity for name, arity in known if name == key[0]]
    if arities:
        listed = " and ".join(_shown((key[0], arity)) for arity in arities)
        fix = f"give it as many arguments as {listed}"
        return about_rule("PREDICATE_ARITY", rule, f"{message}; there is {listed}", fix, atom)
    name = near(key[0], [name for name, _ in known])
    if name is not None:
        fix = f"write {name}, or choose a name that differs more"
        message = f"{message}; did you mean {name}?"
        return about_rule("PREDICATE_MISSPELT", rule, message, fix, atom)
    return about_rule(
        "PREDICATE_UNKNOWN",
        rule,
        message,
        "use a predicate of `plan07 rules list --predicates`, or add a rule that derives it",
        atom,
    )


def _private(stages: Stages, rule: Rule, atom: Literal, key: Signature) -> Iterator[Issue]:
    if not stages.own(rule):
        return
    predicate = stages.shipped.predicates.get(key)
    if predicate is None or predicate.role != "private" or not predicate.makers:
        return
    makers = [each for stage in stages.of(rule) for each in stage.makers.get(key, ())]
    if makers and all(each.file != rule.file and not stages.own(each) for each in makers):
        yield about_rule(
            "PREDICATE_PRIVATE",
            rule,
            f"{quoted(atom.text)} is private to {makers[0].file} and may change with any release",
            "read a documented predicate, see `plan07 rules list --predicates`",
            atom,
        )


def _declared(stages: Stages, rule: Rule, key: Signature) -> Iterator[Issue]:
    if any(key in stage.known for stage in stages.of(rule)):
        return
    known = {each for stage in stages.of(rule) for each in stage.known}
    name = near(key[0], [name for name, _ in known])
    yield about_rule(
        "DEFINED_UNKNOWN",
        rule,
        f"{quoted(rule.text)} silences every message about {_shown(key)}, which nothing makes"
        + (f"; did you mean {name}?" if name else ""),
        "remove it; plan07 itself declares what it gives",
    )


def _unread(stages: Stages) -> Iterator[Issue]:
    told: set[tuple[str, Signature]] = set()
    for rule in stages.rules.rules:
        for key in rule.heads:
            used = [stage for stage in stages.of(rule) if _used(stage, key)]
            if used or not stages.of(rule) or (rule.file, key) in told:
                continue
            told.add((rule.file, key))
            atom = next(each for each in rule.derived() if (each.name, each.arity) == key)
            elsewhere = [name for name in SOLVED if _used(stages.stages[name], key)]
            if elsewhere:
                yield about_rule(
                    "PREDICATE_STAGE",
                    rule,
                    f"nothing reads {_shown(key)} in the stage {', '.join(rule.stages)}; it is "
                    f"read in {', '.join(elsewhere)}",
                    f"put the rule into a file with `% Stage: {elsewhere[0]}`",
                    atom,
                )
                continue
            known = {
                each
                for stage in stages.of(rule)
                for each in (stage.known | stage.shown)
                if each != key and _used(stage, each)
            }
            message = f"nothing reads {_shown(key)}, which {quoted(atom.text)} derives"
            found = _unknown(rule, atom, key, known, message)
            if found.code == "PREDICATE_UNKNOWN":
                found = found._replace(
                    code="PREDICATE_UNREAD",
                    fix=f"read it, show it with `#show {_shown(key)}.`, or remove the rule",
                )
            yield found


def _used(stage: Stage, key: Signature) -> bool:
    return key in stage.readers or key in stage.shown or key in stage.given


def _clashes(stages: Stages) -> Iterator[Issue]:
    told: set[tuple[str, Signature]] = set()
    for stage in stages.stages.values():
        for key, makers in stage.makers.items():
            predicate = stages.rules.predicates[key]
            if predicate.role != "private" or key in stage.given:
                continue
            first = min(makers, key=lambda each: (stages.own(each), each.file))
            for rule in makers:
                if rule.file == first.file or (rule.file, key) in told:
                    continue
                told.add((rule.file, key))
                yield about_rule(
                    "PREDICATE_CLASH",
                    rule,
                    f"{_shown(key)} is derived here and in {first.file}:{first.line}, so what "
                    "either means is mixed with the other",
                    f"rename one, for example to {rule.file.removesuffix('.lp')}_{key[0]}, or "
                    "document what both mean in a `%*!` block with `Output.`",
                )


def _shown(key: Signature) -> str:
    return f"{key[0]}/{key[1]}"


def near(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that differs from another by a slip or two, or None.

    >>> near("befor", ["before", "blocked"]), near("late", ["rate"]), near("modfy", ["modify"])
    ('before', None, 'modify')
    """
    found: list[tuple[int, str]] = []
    for each in set(known):
        allowed = 1 if len(each) < 9 else 2
        if each != name and len(each) > 3 and abs(len(each) - len(name)) <= allowed:
            # A short word with another first letter is another word.
            slips = _slips(name, each)
            if slips <= allowed and (name[:1] == each[:1] or len(each) > 5):
                found.append((slips, each))
    return min(found)[1] if found else None


def _slips(one: str, other: str) -> int:
    """Count inserted, dropped, changed and swapped letters between two words."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, wanted in enumerate(other, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                best = min(best, older[j - 2] + 1)
            row.append(best)
    return row[-1]
