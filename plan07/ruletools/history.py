"""What happened to a plan, stage by stage, for questions that are asked afterwards.

Each stage is looked into when a question first concerns it. A stage that ran twice, because a
repair changed its input, is the one that ran last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache

from plan07.answersets import consequences
from plan07.rulebook import Rulebook
from plan07.rulefiles import RuleFile
from plan07.ruletools import firing, recording, source, terms
from plan07.ruletools.firing import Firing
from plan07.ruletools.forms import ANY
from plan07.ruletools.predicates import Predicate
from plan07.ruletools.records import Rule

# The stage that an input is handed on from, by the stage that reads it.
_BEFORE = {"repair": "graph", "schedule": "graph", "steps": "schedule"}
# What encoders know of a repository, and what only the walk of the schedule knows.
_EVIDENCE = frozenset(
    {
        *("impact", "impact_says", "relation", "change", "entity", "contains", "test", "score"),
        *("tests_known", "truncated", "unresolved_calls", "grounding", "candidate", "edits_file"),
    }
)
_WALK = frozenset({"step"})


class Moment:
    """One stage of a plan.

    Args:
        stage: what it was given.
        rules: the composed rules.
        own: the rules of this stage.
    """

    def __init__(self, stage: recording.Stage, rules: Rulebook, own: Sequence[Rule]) -> None:
        self.name = stage.name
        self.own = tuple(own)
        self.given = facts_of(stage.given)
        self._stage = stage
        self._rules = rules

    @cached_property
    def firing(self) -> Firing:
        """What fired.

        Raises:
            RulesError: the rules are broken.
        """
        atoms = recording.conclusions(self._rules, self._stage)
        return firing.fire(self.own, atoms, self.given, self._rules.numbers)

    @property
    def constants(self) -> dict[str, int]:
        """The numbers of the run."""
        return self._rules.numbers

    def derives(self, name: str, arity: int) -> bool:
        """Return whether a rule of the stage derives atoms of a predicate."""
        return any((name, arity) in rule.heads for rule in self.own)

    def timed(self, clock: Callable[[], float]) -> list[tuple[str, float]]:
        """Return how many seconds loading, grounding and solving the stage take.

        Args:
            clock: seconds, such as `time.perf_counter`.
        """
        found: list[tuple[str, float]] = []
        last = [clock()]

        def told(phase: str) -> None:
            now = clock()
            found.append((phase, now - last[0]))
            last[0] = now

        texts = [*recording.texts(self._rules, self.name), self._stage.given]
        consequences(texts, self.constants, optimise=self._stage.optimise, told=told)
        return found

    def instead(self, added: Iterable[str], removed: Iterable[str]) -> Firing:
        """Return what would have fired, had the stage been given something else.

        Args:
            added: facts that it was not given.
            removed: facts that it was given.

        Raises:
            RulesError: the rules are broken.
        """
        without = frozenset(removed)
        given = [*(each for each in self.given if each not in without), *added]
        text = "\n".join(f"{each}." for each in given)
        rules = recording.texts(self._rules, self.name)
        atoms = consequences([*rules, text], self.constants, optimise=self._stage.optimise)
        return firing.fire(self.own, sorted(atoms), given, self.constants)


class History:
    """The stages of a plan in the order in which they ran.

    Args:
        recorded: a solve, watched.

    Raises:
        RulesError: a rule file cannot be read.
    """

    def __init__(self, recorded: recording.Recording) -> None:
        rules = recorded.rules
        found = as_run(rules)
        self.recorded = recorded
        self.predicates: dict[tuple[str, int], Predicate] = found.predicates
        self.rules = found.rules
        last = {stage.name: stage for stage in recorded.stages}
        self.moments = {
            name: Moment(stage, rules, _rules_of(name, found, rules))
            for name, stage in last.items()
        }

    def handed_on(self, moment: Moment, fact: str) -> tuple[Moment, str] | None:
        """Return the earlier stage that a fact of a stage comes from, and the atom there.

        The schedule is told of a reason only what kind of reason it is.
        """
        earlier = self.moments.get(_BEFORE.get(moment.name, ""))
        if earlier is None:
            return None
        if fact in earlier.firing.atoms and fact not in earlier.firing.given:
            return earlier, fact
        name, arguments = terms.split(fact)
        if name not in ("precedes", "atomic") or len(arguments) != 3:
            return None
        pattern = f"{name}({arguments[0]},{arguments[1]},{ANY})"
        for atom in earlier.firing.matching(pattern):
            because = terms.split(atom)[1][2]
            if terms.split(because)[0] == arguments[2] or (
                because.startswith('"') and arguments[2] == "rule"
            ):
                return earlier, atom
        return None

    def origin(self, moment: Moment, atom: str) -> str:
        """Return who says an atom that no rule of a stage derives, or would if it held.

        An earlier stage, or plan, evidence or walk.
        """
        name, arguments = terms.split(atom)
        earlier = self.moments.get(_BEFORE.get(moment.name, ""))
        if earlier is not None and earlier.derives(name, len(arguments)):
            return earlier.name
        return "evidence" if name in _EVIDENCE else "walk" if name in _WALK else "plan"


def as_run(rules: Rulebook) -> source.RuleSet:
    """Return what rule files say with the switches of their run.

    Raises:
        RulesError: one cannot be read.
    """
    return _parsed(tuple(file._replace(text=rules.text(file.name)) for file in rules.files))


def _rules_of(stage: str, found: source.RuleSet, rules: Rulebook) -> list[Rule]:
    """Return the rules of a stage; a user's constraint derives a violation there, as it runs."""
    own: list[Rule] = []
    for file in found.files:
        if stage not in file.stages:
            continue
        text = rules.text(file.name, stage)
        if text == rules.text(file.name):
            own += file.rules
            continue
        run = source.parse_text(text, file.name, file.stages).rules
        own += [
            rule._replace(text=as_run.text, kind=as_run.kind, heads=as_run.heads, head=as_run.head)
            for rule, as_run in zip(file.rules, run, strict=True)
        ]
    return own


@lru_cache(maxsize=4)
def _parsed(files: tuple[RuleFile, ...]) -> source.RuleSet:
    return source.parse(Rulebook(files))


def facts_of(text: str) -> tuple[str, ...]:
    """Return the atoms of a program of facts, one a line; a string may hold other breaks."""
    return tuple(line.removesuffix(".") for line in text.split("\n") if line)
