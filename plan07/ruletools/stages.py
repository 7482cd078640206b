"""The stages of a rule set: what each makes, reads, shows and is given."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property

from plan07.rulefiles import STAGES, named_stages
from plan07.ruletools.domains import Domains, Flow, Place, Values, described
from plan07.ruletools.predicates import Signature
from plan07.ruletools.records import Rule, SourceFile
from plan07.ruletools.source import RuleSet

SOLVED = tuple(stage for stage in STAGES if stage != "vocabulary")


class Stage:
    """One stage.

    Args:
        name: the stage.
        rules: its rules.
        given: predicates that something outside of its rules may give.
    """

    def __init__(self, name: str, rules: list[Rule], given: set[Signature]) -> None:
        self.name = name
        self.rules = rules
        self.given = given
        self.makers: dict[Signature, list[Rule]] = defaultdict(list)
        self.readers: dict[Signature, list[Rule]] = defaultdict(list)
        self.shown: set[Signature] = set()
        for rule in rules:
            for head in rule.heads:
                self.makers[head].append(rule)
            for atom in rule.atoms():
                self.readers[atom.name or "", atom.arity].append(rule)
            if rule.kind == "show" and rule.signature:
                self.shown.add(rule.signature)

    @cached_property
    def known(self) -> set[Signature]:
        """What conditions may ask for."""
        return self.given | self.makers.keys()


class Stages:
    """All stages that are solved, of rules that may be laid over the shipped ones.

    Args:
        rules: the composed rules.
        shipped: the shipped ones; they declare what plan07 gives to each stage.
    """

    def __init__(self, rules: RuleSet, shipped: RuleSet) -> None:
        self.rules = rules
        self.shipped = shipped
        self.files = {file.name: file for file in rules.files}
        self._texts = {(rule.file, rule.text) for rule in shipped.rules}
        declared = _by_stage(each for each in shipped.rules if each.kind == "defined")
        by_stage = _by_stage(each for each in rules.rules if each.kind != "defined")
        self.stages = {
            name: Stage(name, by_stage[name], {d.signature for d in declared[name] if d.signature})
            for name in SOLVED
        }
        self.numbers = frozenset(
            each.signature[0] for each in rules.rules if each.kind == "const" and each.signature
        )
        self._domains: dict[str, Domains] = {}
        self._flows: dict[str, list[Flow]] = {}
        self._named = {file.name: named_stages(file.source.text) for file in rules.files}

    def own(self, rule: Rule) -> bool:
        """Whether a rule is the user's: its file is laid over, and the shipped file lacks it."""
        return rule.overlaid and (rule.file, rule.text) not in self._texts

    def of(self, rule: Rule) -> list[Stage]:
        """Return the stages in which a rule is solved."""
        return [self.stages[name] for name in rule.stages if name in self.stages]

    def implied(self, rule: Rule) -> set[str]:
        """Return the stages that a rule runs in although the header of its file names others."""
        named = self._named[rule.file]
        return set() if "all" in named else {*rule.stages}.difference(named)

    def file(self, rule: Rule) -> SourceFile:
        """Return the file of a rule."""
        return self.files[rule.file]

    def domains(self, stage: Stage) -> Domains:
        """Return the values that arguments have in a stage."""
        if stage.name not in self._domains:
            rules = [rule for rule in stage.rules if rule.derives]
            self._domains[stage.name] = Domains(
                rules, self._inputs(stage), self.numbers, self._flows
            )
        return self._domains[stage.name]

    def _inputs(self, stage: Stage) -> dict[Place, Values]:
        found: dict[Place, Values] = {}
        for name, arity in stage.given:
            predicate = self.shipped.predicates.get((name, arity))
            if predicate is None or (predicate.role == "output" and (name, arity) in stage.makers):
                continue
            for index in range(arity):
                values: Values = None
                if index < len(predicate.meanings):
                    # What another stage makes comes through Python, which may rewrite it.
                    listed = predicate.values[index] if predicate.role == "input" else ()
                    values = described(predicate.meanings[index], listed)
                found[name, arity, index] = values
        for predicate in self.rules.predicates.values():
            if predicate.switch:
                found[predicate.name, 1, 0] = frozenset(predicate.values[0])
        return found


def _by_stage(rules: Iterable[Rule]) -> dict[str, list[Rule]]:
    found: dict[str, list[Rule]] = defaultdict(list)
    for rule in rules:
        for stage in rule.stages:
            found[stage].append(rule)
    return found
