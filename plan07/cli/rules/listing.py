"""`plan07 rules list` and `show`: which rules there are, and what predicates mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from plan07.cli import output
from plan07.cli.rules.options import json_option, rules_option
from plan07.rulefiles import STAGES

if TYPE_CHECKING:
    from plan07.ruletools.source import RuleSet
    from plan07.ruletools.stages import Stages

_tests = click.option("--tests", is_flag=True, help="Run the rule tests, and tell who hits what.")


@click.command("list", epilog="Example: plan07 rules list --kind violation")
@rules_option
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="Only these. Repeatable.")
@click.option(
    "--stage",
    "stages",
    multiple=True,
    metavar="NAME",
    type=click.Choice(STAGES),
    help="Only these. Repeatable.",
)
@click.option("--file", "files", multiple=True, metavar="NAME", help="Only these. Repeatable.")
@click.option("--all", "everything", is_flag=True, help="#show, #defined and #const too.")
@click.option("--predicates", is_flag=True, help="List predicates and what they mean instead.")
@_tests
@json_option
def list_(
    rules: str | None,
    kinds: tuple[str, ...],
    stages: tuple[str, ...],
    files: tuple[str, ...],
    everything: bool,
    predicates: bool,
    tests: bool,
    as_json: bool,
) -> None:
    """List the rules: id, kind, stage, file and line, shipped or overlaid.

    Kinds are fact, edge, violation, advice, partition, derivation, constraint, choice and
    optimisation.
    """
    from plan07.ruletools import listing

    parsed = _parsed(rules)
    if predicates:
        if as_json:
            by_stage = _stages(parsed)
            found = [listing.documented(e, by_stage) for e in parsed.predicates.values()]
            output.document({"predicates": found})
        else:
            output.lines(output.aligned(listing.predicate_rows(parsed)))
        return
    wanted = listing.rules(
        parsed, everything=everything or bool(kinds), kinds=kinds, stages=stages, files=files
    )
    hits = _hits(rules) if tests else None
    if as_json:
        output.document({"rules": [listing.described(rule, hits) for rule in wanted]})
    else:
        output.lines(output.aligned(listing.rows(wanted, hits)))


@click.command("show", epilog="Example: plan07 rules show precedes.ladder")
@click.argument("name", metavar="ID")
@rules_option
@_tests
@json_option
def show(name: str, rules: str | None, tests: bool, as_json: bool) -> None:
    """Show one rule, or what a predicate means and who makes and reads it.

    ID is the id of a rule, as `plan07 rules list` prints it, or a predicate such as verb or verb/2.
    """
    from plan07.ruletools import listing
    from plan07.ruletools.records import Rule

    parsed = _parsed(rules)
    found = listing.find(parsed, name)
    if isinstance(found, Rule):
        hits = _hits(rules) if tests else None
        if as_json:
            output.document({"rule": listing.described(found, hits)})
        else:
            output.lines(listing.rule_lines(found, hits))
        return
    by_stage = _stages(parsed)
    if as_json:
        output.document({"predicates": [listing.documented(each, by_stage) for each in found]})
        return
    for number, predicate in enumerate(found):
        output.lines([""] if number else [])
        output.lines(listing.predicate_lines(predicate, by_stage))


def _parsed(rules: str | None) -> RuleSet:
    from plan07 import rulebook
    from plan07.ruletools import source

    return source.parse(rulebook.load(rules))


def _stages(parsed: RuleSet) -> Stages:
    from plan07 import rulebook
    from plan07.ruletools import source
    from plan07.ruletools.stages import Stages

    return Stages(parsed, source.parse(rulebook.load()))


def _hits(rules: str | None) -> dict[str, list[str]]:
    from plan07 import rulefiles
    from plan07.ruletools import cases, coverage, testing

    directory = rules or rulefiles.shipped_directory()
    drafts = [each for path in testing.discover([directory]) for each in cases.read(path)]
    found = coverage.measure(drafts, rules)
    return {each.rule: list(each.tests) for each in found.rules}
