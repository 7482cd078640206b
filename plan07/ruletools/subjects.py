"""The rules under test: which rule files a test loads, and what they make of its facts."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from plan07 import answersets, document, jsontext, rulebook, rulefiles, solver
from plan07.errors import InputError
from plan07.facts import Fact, constant, fact, parse
from plan07.rulebook import Rulebook
from plan07.ruletools import patterns, recording, source
from plan07.ruletools.cases import SUFFIX, Case
from plan07.ruletools.patterns import ANY

# In a directory of this name, tests are about the rules in the directory around it.
_TEST_DIRECTORIES = ("test", "tests")


class Subject(NamedTuple):
    """What a test loads.

    Args:
        files: names of rule files.
        texts: what they hold, without comments, with the switches of the test.
        facts: switches that no file of these sets, as facts.
        constants: limits.
        optimise: a file of these decides between answers.
    """

    files: tuple[str, ...]
    texts: tuple[str, ...]
    facts: tuple[str, ...]
    constants: Mapping[str, int]
    optimise: bool


class Answer(NamedTuple):
    """What rules make of the facts of a test.

    Args:
        derived: the atoms that the rules derive and the test does not give, sorted by their text;
            of predicates that the test speaks of.
        given: those that the test gives, or that plan07 gives for its plan; of these too.
    """

    derived: list[Fact]
    given: list[Fact]


class Rules:
    """The rules that tests of one directory run on.

    Args:
        overlay: a directory of rule files, or None for the shipped ones.
        changed: the text of rule files that is tried instead of their own, by name.
    """

    def __init__(self, overlay: str | None, changed: Mapping[str, str] | None = None) -> None:
        self.overlay = overlay
        self._changed = dict(changed or {})
        self._books: dict[tuple[object, ...], Rulebook] = {}
        self._subjects: dict[tuple[object, ...], Subject] = {}

    @cached_property
    def book(self) -> Rulebook:
        """The composed rules with the switches and limits that hold."""
        return self._book((), ())

    @cached_property
    def parsed(self) -> source.RuleSet:
        """The composed rules, statement by statement."""
        return source.parse(self.book)

    @cached_property
    def makers(self) -> dict[str, list[Fact]]:
        """The heads of each rule file, as patterns of what they could derive."""
        found: dict[str, list[Fact]] = {}
        for rule in self.parsed.rules:
            if rule.kind == "constraint" and rule.overlaid:
                # Read as a rule that refuses, in words of its own.
                found.setdefault(rule.file, []).append(Fact("violation", (ANY, ANY)))
            for atom in rule.derived():
                values = self.book.switches.get(atom.name or "", ())
                heads = [fact(atom.name or "", constant(value)) for value in values]
                heads = heads or patterns.of_atom(atom, self.book.numbers)
                found.setdefault(rule.file, []).extend(heads)
        return found

    @cached_property
    def known(self) -> frozenset[tuple[str, int]]:
        """Every predicate, name and arity, that some rule reads, derives or declares as input."""
        return frozenset(self.parsed.predicates)

    def path_of(self, name: str) -> str:
        """Return where a rule file lies."""
        return next(file.path for file in self.book.files if file.name == name)

    def subject(self, case: Case) -> Subject:
        """Return what a test loads.

        Raises:
            InputError: there is no such rule file, stage, switch or limit.
        """
        own = os.path.basename(case.path).removesuffix(SUFFIX) + ".lp"
        key = (own, case.stages, case.files, case.switches, case.limits)
        if key not in self._subjects:
            self._subjects[key] = self._subject(case, own)
        return self._subjects[key]

    def files(self, case: Case) -> list[str]:
        """Return the names of the rule files that a test loads; for a plan, of all.

        Raises:
            InputError: as `subject`.
        """
        return list(self.makers if case.plan is not None else self.subject(case).files)

    def answer(self, case: Case, changed: Mapping[str, str] | None = None) -> Answer:
        """Return what the rules make of a test.

        Args:
            case: the test.
            changed: texts, without comments, that are tried instead of those of rule files, by
                name. Limits and switches are not read from them, see `trial`.

        Raises:
            InputError: its plan cannot be read, or as `subject`.
            RulesError: the rules have not exactly one answer.
        """
        if case.plan is not None:
            return self._answer_to_plan(case, changed or {})
        given = self.given(case)
        atoms = self.atoms(case, changed=changed or {})
        spoken_of = case.predicates
        return Answer(_parsed(set(atoms) - given, spoken_of), _parsed(given, spoken_of))

    def given(self, case: Case) -> set[str]:
        """Return the facts that the rules of a test start from."""
        return {*case.facts, *self.subject(case).facts}

    def atoms(
        self, case: Case, more: Sequence[str] = (), changed: Mapping[str, str] | None = None
    ) -> list[str]:
        """Return every atom that holds in a test that gives facts.

        Args:
            case: the test.
            more: rules that are added.
            changed: as for `answer`.

        Raises:
            InputError: as `subject`.
            RulesError: as `answer`.
        """
        subject = self.subject(case)
        texts = subject.texts
        if changed:
            texts = tuple(
                changed.get(name, text)
                for name, text in zip(subject.files, subject.texts, strict=True)
            )
        program = "".join(f"{atom}.\n" for atom in sorted(self.given(case)))
        return answersets.consequences(
            [*texts, *more, program], subject.constants, optimise=subject.optimise
        )

    def solves(self, case: Case, more: Callable[[Sequence[str]], list[str]]) -> list[list[str]]:
        """Return every atom that holds in a test, solve by solve.

        Args:
            case: the test.
            more: rules that are added, by the names of the rule files that are loaded.

        Raises:
            InputError, RulesError: as `answer`.
        """
        if case.plan is None:
            return [self.atoms(case, more(self.subject(case).files))]
        recorded = self._recorded(case, self)
        found = []
        for stage in recorded.stages:
            files = [file.name for file in recorded.rules.files if stage.name in file.stages]
            texts = [*recording.texts(recorded.rules, stage.name), stage.given, *more(files)]
            numbers = recorded.rules.numbers
            found.append(answersets.consequences(texts, numbers, optimise=stage.optimise))
        return found

    @staticmethod
    def _recorded(case: Case, rules: Rules) -> recording.Recording:
        assert case.plan is not None
        path = os.path.join(os.path.dirname(case.path), case.plan)
        value, name = jsontext.read(path)
        book = rules._book(case.switches, case.limits)
        return recording.record(document.read(value, name), solver.Options(), book)

    def _answer_to_plan(self, case: Case, changed: Mapping[str, str]) -> Answer:
        recorded = self._recorded(case, self.trial(changed) if changed else self)
        given: set[str] = set()
        derived: set[str] = set()
        for stage in recorded.stages:
            facts = {line.removesuffix(".") for line in stage.given.splitlines()}
            given |= facts
            derived |= set(recording.conclusions(recorded.rules, stage)) - facts
        spoken_of = case.predicates
        return Answer(_parsed(derived, spoken_of), _parsed(given - derived, spoken_of))

    def _subject(self, case: Case, own: str) -> Subject:
        book = self._book(case.switches, case.limits)
        files = [*self._stage_files(book, case), *case.files] if case.stages else [own, *case.files]
        names = tuple(dict.fromkeys(files))
        there = {file.name: file for file in book.files}
        for name in names:
            if name not in there:
                raise InputError(
                    "TEST_WITHOUT_RULES",
                    f"{case.path}: there is no rule file {name!r}",
                    "name the test file after its rule file, or say load(FILE) or stage(NAME)",
                    phase="usage",
                    detail={"path": case.path, "file": name, "known": sorted(there)},
                )
        texts = tuple(
            rulefiles.without_comments(book.text(name, _stage_of(there[name]))) for name in names
        )
        set_here = {atom.name for name in names for atom in self.makers.get(name, ())}
        switches = tuple(
            f"{name}({value})" for name, value in book.chosen.items() if name not in set_here
        )
        deciders = {rule.file for rule in self.parsed.rules if rule.kind == "optimisation"}
        return Subject(names, texts, switches, book.numbers, not deciders.isdisjoint(names))

    @staticmethod
    def _stage_files(book: Rulebook, case: Case) -> list[str]:
        return [file.name for file in book.files if not set(case.stages).isdisjoint(file.stages)]

    def _book(
        self, switches: tuple[tuple[str, str], ...], limits: tuple[tuple[str, int], ...]
    ) -> Rulebook:
        key = (switches, limits)
        if key not in self._books:
            loaded = rulebook.load(self.overlay, dict(switches), dict(limits))
            if self._changed:
                files = [
                    file._replace(text=self._changed.get(file.name, file.text))
                    for file in loaded.files
                ]
                loaded = Rulebook(files, dict(switches), dict(limits))
            self._books[key] = loaded
        return self._books[key]

    def trial(self, changed: Mapping[str, str]) -> Rules:
        """Return the same rules with other texts of some rule files, by name."""
        other = Rules(self.overlay, {**self._changed, **changed})
        # What is known of the rules as they are written holds for what is tried too.
        other.__dict__["parsed"] = self.parsed
        other.__dict__["makers"] = self.makers
        return other

    def is_read_first(self, name: str) -> bool:
        """Return whether a rule file is read before clingo reads it.

        It says what limits or switches hold, or holds constraints, which run as refusals.
        """
        return any(
            rule.kind in ("const", "constraint")
            or (rule.heads and rule.heads[0][0] in self.book.switches)
            for rule in self.parsed.rules
            if rule.file == name
        )


def overlay_of(path: str, rules: str | None) -> str | None:
    """Return the directory of rule files that the tests of a file lie in, or None.

    Args:
        path: the test file.
        rules: the directory that was asked for, which outranks where the file lies.
    """
    if rules is not None:
        return rules
    beside = os.path.dirname(os.path.abspath(path))
    above, name = os.path.split(beside)
    for directory in (beside, above) if name in _TEST_DIRECTORIES else (beside,):
        names = os.listdir(directory)
        if any(name.endswith(".lp") and not name.endswith(SUFFIX) for name in names):
            return directory
    return None


def _stage_of(file: rulefiles.RuleFile) -> str:
    """Return a stage as which a rule file runs by itself; constraints of the repair choose."""
    return next((stage for stage in file.stages if stage != "repair"), "repair")


def _parsed(atoms: Iterable[str], predicates: Container[str]) -> list[Fact]:
    return [parse(atom) for atom in sorted(atoms) if atom.partition("(")[0] in predicates]
