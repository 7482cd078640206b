"""Composes rule files for a run: which there are, with which switches and limits, in which stage.

A rule file names its stages in its header (`% Stage: graph`), so adding a rule is dropping a file
in. An overlay directory replaces shipped files of the same name and adds the others.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache

from plan07 import answersets, faults, rulefiles
from plan07.errors import InputError, RulesError
from plan07.facts import Atoms, Fact, program
from plan07.rulefiles import RuleFile, without_comments

_LIMIT = re.compile(r"^#const[ \t]+((?:max|min)_\w+)[ \t]*=[ \t]*(\d+)\.", re.MULTILINE)
_SWITCH = re.compile(r"^%\*![ \t]*(\w+)\(Value\).*?^Values:[ \t]*([^\n]+)$", re.MULTILINE | re.S)
_STRING = re.compile(r'"([^"\\\n]*)"')
_PHASE = "rules"


class Rulebook:
    """A composed set of rule files with the switches and limits of one run.

    Args:
        files: the rule files, sorted by name.
        policy: switches that differ from `policy.lp`, name to value.
        limits: numbers that differ from `limits.lp`, name to value.
        clingo_options: options for the solver, for tests of determinism.
    """

    def __init__(
        self,
        files: Sequence[RuleFile],
        policy: Mapping[str, str] | None = None,
        limits: Mapping[str, int] | None = None,
        clingo_options: Sequence[str] = (),
    ) -> None:
        self.files = tuple(files)
        self._options = tuple(clingo_options)
        self.policy = dict(sorted((policy or {}).items()))
        self.limits = dict(sorted((limits or {}).items()))
        self._stages: dict[str, list[str]] = {}
        self._heard: dict[str, bool] = {}
        self._check_limits()
        self._switched = [
            (file, self._switch(file.text) if self.policy else file.text) for file in self.files
        ]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the rules as they run: every file, its switches, and the limits."""
        import hashlib

        digest = hashlib.sha256()
        for file, text in self._switched:
            digest.update(f"{file.name}\0{len(text)}\0{text}\0".encode())
        digest.update(repr(sorted(self.limits.items())).encode())
        return digest.hexdigest()

    @cached_property
    def lexicon(self) -> frozenset[str]:
        """The phrases that the rules know: every string in a file of the stage vocabulary."""
        texts = [file.text for file in self.files if "vocabulary" in file.stages]
        return frozenset(
            phrase for text in texts for phrase in _STRING.findall(without_comments(text))
        )

    def number(self, name: str) -> int:
        """Return a limit of this run.

        Raises:
            RulesError: no rule file defines it.
        """
        found = self.limits.get(name, self._shipped_limits.get(name))
        if found is None:
            raise RulesError(
                "LIMIT_MISSING",
                f"no rule file defines the limit {name}",
                "restore it in limits.lp",
                phase=_PHASE,
            )
        return found

    def reads(self, name: str) -> bool:
        """Whether a rule speaks of a predicate: facts that nobody reads are not given."""
        if name not in self._heard:
            self._heard[name] = any(
                f"{name}(" in text and f"{name}(" in without_comments(text)
                for _, text in self._switched
            )
        return self._heard[name]

    @property
    def overlaid(self) -> list[str]:
        """Names of the rule files that come from the user's directory."""
        return [file.name for file in self.files if file.overlaid]

    def solve(self, stage: str, facts: Iterable[Fact], *, optimise: bool = False) -> Atoms:
        """Return the shown atoms of the one answer set of a stage.

        Args:
            stage: one of `STAGES`.
            facts: the input.
            optimise: the stage holds a decision, and the best answer is wanted.

        Raises:
            RulesError: a rule file does not load, or there is not exactly one answer set.
        """
        options = [*(f"-c{name}={value}" for name, value in self.limits.items()), *self._options]
        given = program(facts)
        try:
            atoms = answersets.answer(self._composed(stage), given, options, optimise=optimise)
            if not atoms.notices:
                return atoms
        except faults.ClingoError:
            pass
        # Once more, file by file and uncut, so that messages name the file and the line.
        files = [
            (file, self._as_run(file, text, stage))
            for file, text in self._switched
            if stage in file.stages
        ]
        return answersets.answer(files, given, options, optimise=optimise)

    def text(self, name: str, stage: str = "") -> str:
        """Return a rule file as it runs in a stage, with the switches of this run.

        Args:
            name: of the file.
            stage: one of `STAGES`; "" for the file as written.
        """
        file, text = next(each for each in self._switched if each[0].name == name)
        return self._as_run(file, text, stage) if stage else text

    def _as_run(self, file: RuleFile, text: str, stage: str) -> str:
        """What a stage reads of a file: bare constraints of a user derive violations.

        But for the repair, whose constraints choose among its answers.
        """
        if not file.overlaid or stage == "repair" or ":-" not in text:
            return text
        from plan07.ruletools import constraints

        if not constraints.POSSIBLE.search(text):
            return text
        documented = constraints.arguments(each.text for each in self.files)
        return constraints.rewritten(text, file.name, documented)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The value of every limit in this run."""
        return {**self._shipped_limits, **self.limits}

    def _composed(self, stage: str) -> list[str]:
        """The rules of a stage: the shipped ones as one text, each overlaid file by itself.

        Comments of shipped files, half of what clingo would read, are cut. A file of a user may
        hold what reaches beyond its end, such as `#program`, so nothing follows it.
        """
        if stage not in self._stages:
            own = [each for each in self._switched if stage in each[0].stages]
            shipped = [without_comments(text) for file, text in own if not file.overlaid]
            self._stages[stage] = [
                "\n".join(shipped),
                *(self._as_run(file, text, stage) for file, text in own if file.overlaid),
            ]
        return self._stages[stage]

    @cached_property
    def _shipped_limits(self) -> dict[str, int]:
        return {
            name: int(value) for file in self.files for name, value in _LIMIT.findall(file.text)
        }

    def _check_limits(self) -> None:
        for name, value in self.limits.items():
            if name not in self._shipped_limits:
                raise faults.unknown("LIMIT_UNKNOWN", "limit", name, sorted(self._shipped_limits))
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**30:
                raise InputError(
                    "LIMIT_INVALID",
                    f"the limit {name} cannot be {value!r}",
                    "give a whole number from 0 to 1073741823",
                    phase="usage",
                )

    @cached_property
    def switches(self) -> dict[str, tuple[str, ...]]:
        """The switches of the rules, name to the values that each may have."""
        return {
            name: tuple(value.strip() for value in values.split(","))
            for file in self.files
            for name, values in _SWITCH.findall(file.text)
        }

    @cached_property
    def chosen(self) -> dict[str, str]:
        """The value of every switch in this run."""
        found: dict[str, str] = {}
        for name in sorted(self.switches):
            fact = re.compile(rf"^{name}\((\w+)\)\.", re.MULTILINE)
            for _, text in self._switched:
                for value in fact.findall(text):
                    found[name] = value
        return found

    def _switch(self, text: str) -> str:
        for name, value in self.policy.items():
            if name not in self.switches:
                raise faults.unknown("POLICY_UNKNOWN", "switch", name, sorted(self.switches))
            if not isinstance(value, str) or value not in self.switches[name]:
                raise faults.unknown(
                    "POLICY_INVALID", f"value of {name}", str(value), self.switches[name]
                )
            text = re.sub(rf"^{name}\(\w+\)\.", f"{name}({value}).", text, flags=re.MULTILINE)
        return text


def load(
    overlay: str | os.PathLike[str] | None = None,
    policy: Mapping[str, str] | None = None,
    limits: Mapping[str, int] | None = None,
    clingo_options: Sequence[str] = (),
) -> Rulebook:
    """Return the shipped rules, with an overlay directory and this run's switches and limits.

    Args:
        overlay: a directory of rule files; one of a shipped name replaces it, others are added.
        policy: switches, name to value.
        limits: numbers, name to value.
        clingo_options: for tests.

    Raises:
        InputError: the directory cannot be read, or a switch, value or limit is unknown.
        RulesError: a rule file names no stage.
    """
    if overlay is None:
        if not policy and not limits and not clingo_options:
            return _default()
        return Rulebook(rulefiles.shipped(), policy, limits, clingo_options)
    files = laid_over(rulefiles.read_directory(os.fspath(overlay), True))
    return Rulebook(files, policy, limits, clingo_options)


def laid_over(files: Iterable[RuleFile]) -> list[RuleFile]:
    """Return the shipped rule files with a user's laid over them, sorted by name."""
    by_name = {file.name: file for file in rulefiles.shipped()}
    for file in files:
        if file.name not in by_name:
            # Wishes about the schedule hold while it is driven, too.
            more = ("readiness",) if "schedule" in file.stages else ()
            by_name[file.name] = file._replace(stages=tuple(dict.fromkeys((*file.stages, *more))))
        elif file.text != by_name[file.name].text:  # A copy as it was is no overlay.
            by_name[file.name] = file
    return [by_name[name] for name in sorted(by_name)]


@lru_cache(maxsize=1)
def _default() -> Rulebook:
    return Rulebook(rulefiles.shipped())
