"""Runs clingo: loads rules and facts, grounds them, and demands exactly one answer set.

clingo solves here and nowhere else. Each program gets a fresh control; of a program with a decision
the best answer is wanted, and proved to be the best.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from plan07 import faults
from plan07.facts import Atoms
from plan07.rulefiles import RuleFile

if TYPE_CHECKING:
    import clingo


def answer(
    texts: Sequence[str | tuple[RuleFile, str]],
    facts: str,
    options: Sequence[str],
    *,
    optimise: bool,
) -> Atoms:
    """Return the shown atoms of the one answer set of a program.

    Args:
        texts: the rules; a rule file, with its text as it runs, is named in messages.
        facts: the input.
        options: of clingo.
        optimise: the program holds a decision, and the best answer is wanted.

    Raises:
        RulesError: the program does not load, or there is not exactly one answer set.
    """
    return Atoms(*_solved(texts, facts, options, optimise))


def consequences(
    texts: Sequence[str],
    constants: Mapping[str, int] | None = None,
    *,
    optimise: bool = False,
    told: Callable[[str], None] | None = None,
) -> list[str]:
    """Return every atom of the one answer set of a program, shown or not, facts too.

    For tools that look at rules; a solve reads the shown atoms of a stage.

    Args:
        texts: the rules and the facts.
        constants: numbers, name to value.
        optimise: the program holds a decision, and the best answer is wanted.
        told: called when it has been loaded ("load"), grounded ("ground") and solved ("solve").

    Raises:
        RulesError: the program does not load, or there is not exactly one answer set.
    """
    options = [f"-c{name}={value}" for name, value in (constants or {}).items()]
    return _solved(texts, "", options, optimise, everything=True, told=told)[0]


def seconds_apart(
    base: str, parts: Sequence[str], constants: Mapping[str, int], clock: Callable[[], float]
) -> list[float]:
    """Return how many seconds it takes to ground each part of a program after its base.

    Args:
        base: what every part may read.
        parts: rules that do not read each other.
        constants: numbers, name to value.
        clock: seconds, such as `time.perf_counter`.

    Raises:
        RulesError: the program does not load.
    """
    import clingo

    messages: list[str] = []
    options = [f"-c{name}={value}" for name, value in constants.items()]
    control = clingo.Control(options, logger=lambda _, text: messages.append(text))
    found: list[float] = []
    try:
        control.add("base", [], base)
        for index, part in enumerate(parts):
            control.add(f"part_{index}", [], part)
        control.ground([("base", [])])
        for index in range(len(parts)):
            begin = clock()
            control.ground([(f"part_{index}", [])])
            found.append(clock() - begin)
    except RuntimeError as error:
        raise faults.broken(None, faults.without_copies(messages), error) from error
    return found


def _solved(
    texts: Sequence[str | tuple[RuleFile, str]],
    given: str,
    options: Sequence[str],
    optimise: bool,
    *,
    everything: bool = False,
    told: Callable[[str], None] | None = None,
) -> tuple[list[str], list[str]]:
    import clingo

    messages: list[str] = []
    control = clingo.Control(
        ["--opt-mode=opt" if optimise else "0", *options],
        logger=lambda _, text: messages.append(text),
        message_limit=50,
    )
    file: RuleFile | None = None
    try:
        for each in texts:
            if isinstance(each, str):
                control.add("base", [], each)
                continue
            file, text = each
            if text is file.text:
                control.load(file.path)
            else:
                _load_copy(control, file, text)
        file = None
        control.add("base", [], given)
        if told is not None:
            told("load")
        control.ground([("base", [])])
        if told is not None:
            told("ground")
    except RuntimeError as error:
        raise faults.broken(file, faults.without_copies(messages), error) from error
    answers: list[list[str]] = []
    with control.solve(yield_=True) as handle:
        for model in handle:
            if optimise:
                answers.clear()
            symbols = model.symbols(shown=not everything, atoms=everything)
            answers.append([str(symbol) for symbol in symbols])
            if len(answers) > 1:
                break
        exhausted = handle.get().exhausted
    if told is not None:
        told("solve")
    if len(answers) != 1 or (optimise and not exhausted):
        raise faults.not_one(len(answers), optimise)
    return answers[0], faults.without_copies(messages)


def _load_copy(control: clingo.Control, file: RuleFile, text: str) -> None:
    """Load a file with another text, under its own name, which messages will tell."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix=faults.COPY) as directory:
        path = os.path.join(directory, file.name)
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
        control.load(path)
