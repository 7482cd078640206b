"""`rules export`: what a plan is solved by, as one program for plain clingo.

The stages of a solve are programs of their own, and a predicate may mean one thing in one and
another in the next. So each rule and fact of the program is guarded by the stages it belongs to,
and a constant chooses the stage: `clingo plan.lp -c plan07_stage=graph`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from plan07.errors import InputError
from plan07.rulebook import Rulebook
from plan07.ruletools.recording import Recording, Stage
from plan07.ruletools.records import Rule
from plan07.ruletools.source import read_file

GUARD = "plan07_stage"
_CONST = re.compile(r"^#const[ \t]+(\w+)[ \t]*=[ \t]*\d+\.", re.MULTILINE)
# Statements that hold in every stage: they derive nothing, or from what is guarded alone.
_UNGUARDED = frozenset({"const", "defined", "optimisation"})


def stages_of(recorded: Recording) -> dict[str, Stage]:
    """Return the stages that ran, each as it ran last."""
    return {stage.name: stage for stage in recorded.stages}


def one_stage(recorded: Recording, name: str) -> str:
    """Return the program of one stage: its facts, then its rule files as they run.

    Args:
        recorded: the solve.
        name: of the stage.

    Raises:
        InputError: that stage did not run.
    """
    stage = stages_of(recorded).get(name)
    if stage is None:
        ran = ", ".join(stages_of(recorded))
        raise InputError(
            "STAGE_NOT_RUN",
            f"the stage {name!r} did not run on this plan",
            f"use one of {ran}",
            phase="usage",
            detail={"stage": name, "ran": list(stages_of(recorded))},
        )
    rules = recorded.rules
    parts = [f"% The stage {name} of plan07, rules {rules.digest}.\n% Run `clingo FILE`.\n"]
    parts += ["\n% Facts.\n\n", stage.given]
    for file in rules.files:
        if name in file.stages:
            parts.append(f"\n% {file.name}\n\n{with_limits(rules, rules.text(file.name, name))}")
    return "".join(parts)


def every_stage(recorded: Recording) -> str:
    """Return one program of all stages that ran; the last is the one that runs unless told."""
    ran = stages_of(recorded)
    names = list(ran)
    parts = [
        f"% The stages {', '.join(names)} of plan07, rules {recorded.rules.digest}.\n"
        f"% Run `clingo FILE` for the stage {names[-1]}, and "
        f"`clingo FILE -c {GUARD}=NAME` for another.\n\n"
        f"#const {GUARD} = {names[-1]}.\n"
        "#show.\n"
    ]
    for name, stage in ran.items():
        parts.append(f"\n% Facts of the stage {name}.\n\n")
        parts += [f"{line[:-1]} :- {GUARD} = {name}.\n" for line in stage.given.split("\n") if line]
    for file in recorded.rules.files:
        stages = [name for name in names if name in file.stages]
        if stages:
            parts.append(f"\n% {file.name}\n\n")
            parts += _guarded_file(recorded.rules, file.name, stages, names)
    return "".join(parts)


def _guarded_file(
    rules: Rulebook, name: str, stages: Sequence[str], ran: Sequence[str]
) -> Iterator[str]:
    """Yield the statements of a file, those that run alike in several stages once."""
    belongs: dict[str, tuple[Rule, list[str]]] = {}
    for stage in stages:
        text = with_limits(rules, rules.text(name, stage))
        for rule in read_file(text, name, name, (stage,), False).rules:
            belongs.setdefault(rule.text, (rule, []))[1].append(stage)
    for rule, own in belongs.values():
        yield _guarded(rule, own, ran) + "\n"


def _guarded(rule: Rule, stages: Sequence[str], ran: Sequence[str]) -> str:
    if rule.kind in _UNGUARDED:
        return rule.text
    guard = f"{GUARD} = {stages[0]}" if len(stages) == 1 else f"{GUARD} = ({';'.join(stages)})"
    if rule.kind == "show":
        if rule.signature is None:
            return ""
        name, arity = rule.signature
        arguments = f"({','.join(f'X{index}' for index in range(arity))})" if arity else ""
        return f"#show {name}{arguments} : {name}{arguments}, {guard}."
    if list(stages) == list(ran):
        return rule.text
    # A semicolon ends a conditional literal, where a comma would go on with it.
    body = rule.text.rstrip()[:-1].rstrip()
    return f"{body}; {guard}." if rule.body else f"{body.removesuffix(':-')} :- {guard}."


def with_limits(rules: Rulebook, text: str) -> str:
    """Return rules in which the limits of a run stand in place of their own."""

    def chosen(found: re.Match[str]) -> str:
        value = rules.limits.get(found[1])
        return found.group() if value is None else f"#const {found[1]} = {value}."

    return _CONST.sub(chosen, text)
