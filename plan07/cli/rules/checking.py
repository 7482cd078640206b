"""`plan07 rules check`: what is wrong with rules."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from plan07.cli import output
from plan07.cli.rules.options import json_option, rules_option

if TYPE_CHECKING:
    from plan07.ruletools.issues import Issue
    from plan07.ruletools.trial import Settings


@click.command("check", epilog="Example: plan07 rules check --rules policies")
@rules_option
@click.option(
    "--plan",
    "plans",
    multiple=True,
    metavar="PLAN",
    help="Try the rules on this plan too, or on the *.plan.json of a directory. Repeatable.",
)
@click.option(
    "--time-limit",
    "seconds",
    type=click.FloatRange(0, 86_400, min_open=True),
    metavar="SECONDS",
    help="How long one trial may take before it counts as endless; 3 unless the shipped rules are "
    "slow here.",
)
@click.option("--no-trial", is_flag=True, help="Read the rules only; run none of them.")
@click.option("--strict", is_flag=True, help="Exit with 1 on advice too.")
@click.option("--codes", is_flag=True, help="List what can be found, and exit.")
@json_option
def check(
    rules: str | None,
    plans: tuple[str, ...],
    seconds: float | None,
    no_trial: bool,
    strict: bool,
    codes: bool,
    as_json: bool,
) -> int:
    """Find what is wrong with the shipped rules and those of --rules, all at once.

    Errors make rules wrong or unusable; advice is worth a look. Rules of --rules are also tried on
    plans, in a child process with limits of time and memory. A comment
    `% plan07: ignore CODE reason` above a rule leaves a finding out. Exits with 1 when there is an
    error.
    """
    from plan07.ruletools import check as checks

    if codes:
        _codes(as_json)
        return 0
    tried = not no_trial and (rules is not None or bool(plans))
    found = checks.check(rules, _settings(plans, seconds) if tried else None)
    if as_json:
        output.document({"findings": [each.as_dict() for each in found], **_counted(found)})
    else:
        output.lines(_told(found))
    return 1 if checks.failed(found) or (strict and found) else 0


def _told(found: list[Issue]) -> Iterator[str]:
    for each in found:
        yield f"{each.path}:{each.line}:{each.column}: {each.level}: {each.code}: {each.message}"
        yield f"  fix: {each.fix}"
    if found:
        yield ""
    yield _summary(found)


def _settings(plans: tuple[str, ...], seconds: float | None) -> Settings:
    from plan07 import document, jsontext
    from plan07.ruletools.trial import SECONDS, Settings

    found: dict[str, Any] = {}
    for path in _files(plans):
        value, name = jsontext.read(path)
        document.read(value, name)
        found[name] = value
    return Settings(plans=found, seconds=SECONDS if seconds is None else seconds)


def _files(plans: tuple[str, ...]) -> Iterator[str]:
    for path in plans:
        if os.path.isdir(path):
            names = sorted(name for name in os.listdir(path) if name.endswith(".plan.json"))
            yield from (os.path.join(path, name) for name in names)
        else:
            yield path


def _codes(as_json: bool) -> None:
    from plan07.ruletools.issues import CODES

    if as_json:
        output.document(
            {c: {"level": level, "meaning": text} for c, (level, text) in CODES.items()}
        )
        return
    output.lines(f"{code:23} {level:7} {text}" for code, (level, text) in CODES.items())


def _counted(found: list[Issue]) -> dict[str, int]:
    errors = sum(each.level == "error" for each in found)
    return {"errors": errors, "advice": len(found) - errors}


def _summary(found: list[Issue]) -> str:
    if not found:
        return "no findings"
    counted = _counted(found)
    errors = "1 error" if counted["errors"] == 1 else f"{counted['errors']} errors"
    return f"{errors}, {counted['advice']} advice"
