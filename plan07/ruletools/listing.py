"""What `rules list` and `rules show` tell: rules and predicates as plain values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plan07.errors import InputError
from plan07.messages import quoted
from plan07.ruletools.checks_names import near
from plan07.ruletools.checks_terms import values_shown
from plan07.ruletools.domains import Values
from plan07.ruletools.predicates import Predicate
from plan07.ruletools.records import Rule
from plan07.ruletools.source import RuleSet, one_line
from plan07.ruletools.stages import Stages

# Statements that derive nothing and refuse nothing.
_QUIET = frozenset({"show", "defined", "const", "program"})
_STATUS = {"input": "given by plan07", "output": "made by rules", "private": "private"}


def rules(
    parsed: RuleSet,
    *,
    everything: bool = False,
    kinds: Sequence[str] = (),
    stages: Sequence[str] = (),
    files: Sequence[str] = (),
) -> list[Rule]:
    """Return the rules that are asked for, in the order of their files.

    Args:
        parsed: the rules.
        everything: declarations too.
        kinds: only these; all where there are none.
        stages: only those of these.
        files: only those in these, with or without `.lp`.
    """
    return [
        rule
        for rule in parsed.rules
        if (everything or rule.kind not in _QUIET)
        and (not kinds or rule.kind in kinds)
        and (not stages or not set(stages).isdisjoint(rule.stages))
        and (not files or rule.file in files or rule.file.removesuffix(".lp") in files)
    ]


def described(rule: Rule, tests: Mapping[str, Sequence[str]] | None = None) -> dict[str, Any]:
    """Return a rule in its wire form.

    Args:
        rule: the rule.
        tests: names of the tests in which each rule fires, by id, where that is known.
    """
    found: dict[str, Any] = {
        "id": rule.id,
        "title": rule.title,
        "kind": rule.kind,
        "stages": list(rule.stages),
        "file": rule.file,
        "path": rule.path,
        "line": rule.line,
        "end_line": rule.end_line,
        "origin": "overlaid" if rule.overlaid else "shipped",
        "derives": [_signature(key) for key in rule.heads],
        "reads": [_signature(key) for key in _read(rule)],
        "text": rule.text,
    }
    if tests is not None:
        found["tests"] = list(tests.get(rule.id, ()))
    return found


def find(parsed: RuleSet, name: str) -> Rule | list[Predicate]:
    """Return the rule of an id, or the predicates of a name, with or without their arity.

    Raises:
        InputError: there is neither.
    """
    rule = parsed.rule(name)
    if rule is not None:
        return rule
    word, _, arity = name.partition("/")
    found = [
        predicate
        for predicate in parsed.predicates.values()
        if predicate.name == word and arity in ("", str(predicate.arity))
    ]
    if found:
        return found
    known = [*(each.id for each in parsed.rules), *(key[0] for key in parsed.predicates)]
    like = near(name, known) or next((each for each in known if each.endswith(f".{name}")), None)
    raise InputError(
        "RULE_UNKNOWN",
        f"there is neither a rule nor a predicate {quoted(name)}",
        f"did you mean {like}?" if like else "see `plan07 rules list`, or `--predicates`",
        phase="usage",
        detail={"name": name},
    )


def documented(predicate: Predicate, stages: Stages) -> dict[str, Any]:
    """Return a predicate in its wire form: what it means, what it may hold, who makes and reads it.

    Args:
        predicate: the predicate.
        stages: the rules, by stage.
    """
    key = (predicate.name, predicate.arity)
    names = [name for name, _ in predicate.args] or [
        f"argument {index + 1}" for index in range(predicate.arity)
    ]
    described = [text for _, text in predicate.args] or [""] * predicate.arity
    return {
        "predicate": _signature(key),
        "signature": predicate.text,
        "title": predicate.title,
        "role": predicate.role,
        "arguments": [
            {"name": name, "meaning": text, "values": _values(stages, key, index)}
            for index, (name, text) in enumerate(zip(names, described, strict=True))
        ],
        "stages": [stage.name for stage in stages.stages.values() if key in stage.known],
        "files": list(predicate.files),
        "makers": list(predicate.makers),
        "readers": list(predicate.readers),
        "shown": bool(predicate.shown),
    }


def rule_lines(rule: Rule, tests: Mapping[str, Sequence[str]] | None) -> list[str]:
    """Return a rule for people."""
    origin = "overlaid" if rule.overlaid else "shipped"
    lines = [
        f"{rule.id}: {rule.kind}, {origin}, stage {', '.join(rule.stages)}",
        f"{rule.path}:{rule.line}",
    ]
    lines += [rule.title] if rule.title else []
    lines += ["", *(f"  {line}" for line in rule.text.splitlines()), ""]
    lines += _wrapped("derives", [_signature(key) for key in rule.heads])
    lines += _wrapped("reads", [_signature(key) for key in _read(rule)])
    return lines if tests is None else [*lines, *_wrapped("tests", tests.get(rule.id, ()))]


def predicate_lines(predicate: Predicate, stages: Stages) -> list[str]:
    """Return a predicate for people."""
    found = documented(predicate, stages)
    lines = [f"{predicate.text}: {_STATUS[predicate.role]}"]
    lines += [predicate.title] if predicate.title else []
    for each in found["arguments"]:
        meaning = f": {each['meaning']}" if each["meaning"] else ""
        lines += [f"  {each['name']}{meaning}", f"    may be {each['values']}"]
    for name in ("stages", "makers", "readers"):
        lines += _wrapped(name, found[name])
    return lines


def _wrapped(name: str, words: Iterable[str]) -> list[str]:
    lines = [f"{name:8}"]
    for word in words or ("none",):
        if len(lines[-1]) + len(word) > 98:
            lines.append(" " * 8)
        lines[-1] += f" {word}"
    return lines


def rows(found: Iterable[Rule], tests: Mapping[str, Sequence[str]] | None) -> list[list[str]]:
    """Return rules as rows of a table, names of the columns first."""
    head = ["id", "kind", "stage", "place", "origin", *(["tests"] if tests is not None else [])]
    table = [[*head, "rule"]]
    for rule in found:
        stage = "all" if len(rule.stages) > 3 else ", ".join(rule.stages)
        origin = "overlaid" if rule.overlaid else "shipped"
        hit = [str(len(tests.get(rule.id, ())))] if tests is not None else []
        text = rule.title or one_line(rule)
        place = f"{rule.file}:{rule.line}"
        table.append([rule.id, rule.kind, stage, place, origin, *hit, _short(text)])
    return table


def predicate_rows(parsed: RuleSet) -> list[list[str]]:
    """Return the documented predicates as rows of a table, names of the columns first."""
    table = [["predicate", "role", "meaning"]]
    for predicate in parsed.predicates.values():
        if predicate.title:
            table.append([predicate.text, predicate.role, _short(predicate.title)])
    return table


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def _read(rule: Rule) -> list[tuple[str, int]]:
    return list(dict.fromkeys((atom.name or "", atom.arity) for atom in rule.atoms()))


def _signature(key: tuple[str, int]) -> str:
    return f"{key[0]}/{key[1]}"


def _values(stages: Stages, key: tuple[str, int], index: int) -> str:
    possible: set[str] = set()
    for stage in stages.stages.values():
        values: Values = stages.domains(stage).of((*key, index)) if key in stage.known else None
        if key in stage.known and values is None:
            return values_shown(None)
        possible |= values or set()
    return values_shown(frozenset(possible)) if possible else "nothing"
