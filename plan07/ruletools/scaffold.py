"""`rules new`: the stub of a rule, and a test that fails until both are written."""

from __future__ import annotations

import os
from typing import NamedTuple

from plan07.errors import InputError
from plan07.messages import quoted
from plan07.rulefiles import read_file
from plan07.ruletools import naming, source


class Stub(NamedTuple):
    """How a rule of a kind begins.

    Args:
        stage: where it runs.
        rule: the rule; `{name}` is the last word of its id.
        test: what its test gives and expects.
    """

    stage: str
    rule: str
    test: str


KINDS = {
    "violation": Stub(
        "schedule",
        'violation("say why the plan is refused", O) :- verb(O, validate), state(O, failed).',
        'verb("O1", modify).\nstate("O1", failed).\n'
        'violation_expected("say why the plan is refused", "O1").',
    ),
    "advice": Stub(
        "schedule",
        'advice("say what is worth a look", O) :- verb(O, validate), state(O, failed).',
        'verb("O1", modify).\nstate("O1", failed).\n'
        'expect(advice("say what is worth a look", "O1")).',
    ),
    "edge": Stub(
        "graph",
        "precedes(O, P, {name}) :- changes(O, _), verb(P, validate), O != P.",
        'changes("O1", "pkg.first").\nverb("O2", modify).\nexpect(precedes("O1", "O2", {name})).',
    ),
    "preference": Stub(
        "schedule",
        "prefer(O, -1) :- verb(O, validate).",
        'verb("O1", modify).\nexpect(prefer("O1", -1)).',
    ),
}

_HEAD = """%# {title}: which question do these rules answer?
%
% Stage: {stage}
"""
_RULE = """
%@ id: {id}
%@ title: say what this rule demands
{rule}
"""
_TEST_HEAD = """%# Tests of {file}
"""
_TEST = """
#program test_{name}.
% Say what the rule is given, then what it must derive. Until then this test fails.
{test}
"""


def new(directory: str, identifier: str, kind: str) -> list[str]:
    """Write the stub of a rule and its test, and return the paths of both files.

    A file that is there already is added to, never replaced.

    Args:
        directory: the user's rules; it is made if it is not there.
        identifier: two words or more, joined by dots; the first names the file.
        kind: one of `KINDS`.

    Raises:
        InputError: the id is no id, or used already; the file is of another stage; it cannot be
            written.
    """
    stem, _, rest = identifier.partition(".")
    if not (naming.is_id(identifier) and rest):
        raise InputError(
            "RULE_ID_INVALID",
            f"{quoted(identifier)} cannot be the id of a new rule",
            "write two words or more in lower case joined by dots, such as docs.last",
            phase="usage",
            detail={"id": identifier},
        )
    stub = KINDS[kind]
    path = os.path.join(directory, f"{stem}.lp")
    tests = os.path.join(directory, f"{stem}_test.lp")
    name = rest.replace(".", "_")
    try:
        os.makedirs(directory, exist_ok=True)
        _refuse_clash(path, identifier, stub.stage)
        head = _HEAD.format(title=stem.capitalize().replace("_", " "), stage=stub.stage)
        _add(path, head, _RULE.format(id=identifier, rule=stub.rule.format(name=name)))
        test = _TEST.format(name=name, test=stub.test.format(name=name))
        _add(tests, _TEST_HEAD.format(file=f"{stem}.lp"), test)
    except OSError as error:
        raise InputError(
            "RULES_UNWRITABLE",
            f"{error.filename or directory} cannot be written: {(error.strerror or '').lower()}",
            "name a directory of your own with --rules",
            phase="usage",
            detail={"path": directory},
        ) from error
    return [path, tests]


def _refuse_clash(path: str, identifier: str, stage: str) -> None:
    if not os.path.exists(path):
        return
    file = read_file(path, True)
    parsed = source.parse_text(file.text, file.name, file.stages)
    if parsed.rule(identifier) is not None:
        raise InputError(
            "RULE_EXISTS",
            f"{path} holds a rule {quoted(identifier)} already",
            "choose another id",
            phase="usage",
            detail={"path": path, "id": identifier},
        )
    if stage not in file.stages:
        raise InputError(
            "RULE_STAGE",
            f"{path} runs in the stage {', '.join(file.stages)}, such a rule in {stage}",
            "begin the id with another word, which names another file",
            phase="usage",
            detail={"path": path, "stage": stage},
        )


def _add(path: str, head: str, text: str) -> None:
    begun = os.path.exists(path)
    with open(path, "a", encoding="utf-8") as stream:
        stream.write(text if begun else head + text)
