"""`plan07 rules why`, `why-not`, `trace`: what rules made of one plan."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from plan07 import document, jsontext, solver
from plan07.cli import output
from plan07.cli.options import numbers, pairs, rule_options
from plan07.errors import PlanRefused

if TYPE_CHECKING:
    from plan07.ruletools.answers import Questions, Traced
    from plan07.ruletools.records import Rule
    from plan07.ruletools.tree import Answer, Node

# What fits on a screen: lines of a tree, instances of a rule.
_LINES, _TRACED = 24, 20
_REFUSED = 2
_SAYING = {
    "plan": "the plan does not say so",
    "evidence": "the evidence does not say so",
    "walk": "the schedule does not say so",
}


def plan_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name a plan and its evidence, as `solve` has them."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print one JSON document."),
        click.option(
            "--depth",
            type=click.IntRange(1, 50),
            metavar="N",
            help="How many rules deep an answer goes.",
        ),
        click.option("--stage", metavar="NAME", help="The one stage that is to answer."),
        click.option(
            "--time-limit",
            type=float,
            metavar="SECONDS",
            help="Try first in a child process whether the rules come to an answer in so long.",
        ),
        click.option(
            "--strict-grounding", is_flag=True, help="Refuse targets with several meanings."
        ),
        click.option(
            "--repair", is_flag=True, help="Drop the fewest dependencies that contradict."
        ),
        rule_options,
        click.option("--recon", metavar="FILE", help="A recon.db of the repository."),
        click.option(
            "--impact", metavar="FILE", help="Impact edges, in the format plan07.impact/1."
        ),
        click.option(
            "--plan", "plan", required=True, metavar="PLAN", help="The plan; - is standard input."
        ),
    ):
        function = option(function)
    return function


def _questions(
    plan: str,
    stage: str | None,
    depth: int | None,
    policy: tuple[str, ...],
    limits: tuple[str, ...],
    time_limit: float | None,
    **given: Any,
) -> Questions:
    from plan07.ruletools import recording
    from plan07.ruletools.answers import Questions
    from plan07.ruletools.history import History

    options = solver.options(
        policy=pairs(policy, "--policy"), limits=numbers(limits, "--limit"), **given
    )
    value, name = jsontext.read(plan)
    if time_limit is not None:
        from plan07 import limited

        with contextlib.suppress(PlanRefused):
            limited.solve(value, name, options, time_limit)
    recorded = recording.record(document.read(value, name), options)
    return Questions(History(recorded), stage, depth)


@click.command(
    "why",
    epilog="Example: plan07 rules why 'precedes(O2, O3, _)' --plan plan.json. Exit codes: 0 it "
    "holds, 1 it does not.",
)
@click.argument("atom", nargs=-1, required=True, metavar="ATOM")
@plan_options
def why(atom: tuple[str, ...], as_json: bool, **given: Any) -> int:
    """Say why ATOM holds: the rules that derive it, down to plan and evidence.

    ATOM is written like ready(O7), 'ready("O7")' or 'O2 precedes O3'; _ stands for anything.
    """
    questions = _questions(**given)
    answer = questions.why(questions.read(" ".join(atom)))
    return _tell(answer, as_json, answer.holds, given["depth"])


@click.command(
    "why-not",
    epilog="Example: plan07 rules why-not 'ready(O3)' --plan plan.json. Exit codes: 0 it does not "
    "hold, 1 it does.",
)
@click.argument("atom", nargs=-1, required=True, metavar="ATOM")
@plan_options
def why_not(atom: tuple[str, ...], as_json: bool, **given: Any) -> int:
    """Say why ATOM does not hold: what each rule lacks that could derive it.

    ATOM is written like ready(O7), 'ready("O7")' or 'O2 precedes O3'; _ stands for anything.
    """
    questions = _questions(**given)
    answer = questions.why_not(questions.read(" ".join(atom)))
    return _tell(answer, as_json, not answer.holds, given["depth"])


@click.command(
    "trace",
    epilog="Example: plan07 rules trace ladder.precedes --plan plan.json. Exit codes: 0 it fired, "
    "1 it did not.",
)
@click.argument("rule", metavar="RULE")
@plan_options
def trace(rule: str, as_json: bool, **given: Any) -> int:
    """Show every instance of RULE that fired on a plan, with its bindings.

    `plan07 rules list` shows the ids of rules.
    """
    found, instances = _questions(**given).trace(rule)
    if as_json:
        output.document(_traced_document(found, instances))
    else:
        output.lines(_traced(found, instances))
    return 0 if instances else 1


def _tell(answer: Answer, as_json: bool, expected: bool, depth: int | None) -> int:
    if as_json:
        output.document(answer.as_dict())
    else:
        output.lines(_told(answer, depth))
    return 0 if expected else 1


def _told(answer: Answer, depth: int | None) -> Iterator[str]:
    where = f" at the stage {answer.stage}" if answer.stage else ""
    yield f"{answer.question} {'holds' if answer.holds else 'does not hold'}{where}"
    yield from (f"  {note}" for note in answer.notes)
    titles = {node.rule.title for node in answer.nodes if node.rule is not None}
    if len(titles) == 1 and (title := titles.pop()):
        yield f"  {title}"
    if answer.nodes:
        yield ""
    yield from _fitting(answer.nodes) if depth is None else _tree(answer.nodes, "  ")
    if answer.more:
        yield f"  and {answer.more} more, see --json"
    if answer.near:
        yield ""
        yield "what holds instead"
        yield from _tree(answer.near, "  ")
    if answer.remedy is not None:
        yield ""
        yield "it would hold"
        yield from (f"  with {fact}" for fact in answer.remedy.added)
        yield from (f"  without {fact}" for fact in answer.remedy.removed)
        for sentence in answer.remedy.refused[:_REFUSED]:
            yield f"  but the plan is refused then: {sentence}"
        if len(answer.remedy.refused) > _REFUSED:
            yield f"  and for {len(answer.remedy.refused) - _REFUSED} more reasons"


def _fitting(nodes: Sequence[Node]) -> list[str]:
    """Return a tree as deep as fits on a screen; `--depth` asks for more."""
    told = list(_tree(nodes, "  ", 1))
    for levels in range(2, _LINES):
        deeper = list(_tree(nodes, "  ", levels))
        if len(deeper) > _LINES or deeper == told:
            break
        told = deeper
    return told


def _tree(nodes: Sequence[Node], indent: str, levels: int = sys.maxsize) -> Iterator[str]:
    for node in nodes if levels else ():
        yield f"{indent}{_line(node)}"
        if node.words:
            yield f"{indent}  ({node.words})"
        yield from _tree(node.children, indent + "  ", levels - 1)
        if node.more and levels > 1:
            yield f"{indent}  and {node.more} more"


def _line(node: Node) -> str:
    if node.holds:
        source = ", ".join(each for each in (node.rule and node.rule.id, node.origin) if each)
        return f"{node.text}  [{source}]" if source else node.text
    lacks = f"{node.text} fails" if node.rule is None else f"{node.rule.id}: {node.text} fails"
    if node.origin in _SAYING:
        return f"{lacks}, {_SAYING[node.origin]}"
    return f"{lacks}, the stage {node.origin} does not derive it" if node.origin else lacks


def _traced(rule: Rule, instances: Sequence[Traced]) -> Iterator[str]:
    times = "1 instance" if len(instances) == 1 else f"{len(instances)} instances"
    yield f"{rule.id} ({rule.file}:{rule.line}) fired in {times}"
    if rule.title:
        yield f"  {rule.title}"
    for each in instances[:_TRACED]:
        yield ""
        yield f"{each.head}  [{each.stage}]"
        if each.bindings:
            yield "  " + ", ".join(f"{name} = {value}" for name, value in each.bindings)
        yield from _tree([node._replace(children=()) for node in each.because], "  ")
    if len(instances) > _TRACED:
        yield ""
        yield f"and {len(instances) - _TRACED} more, see --json"


def _traced_document(rule: Rule, instances: Sequence[Traced]) -> dict[str, Any]:
    return {
        "rule": rule.id,
        "title": rule.title,
        "place": {"file": rule.file, "line": rule.line},
        "text": rule.text,
        "instances": [
            {
                "stage": each.stage,
                "head": each.head,
                "bindings": dict(each.bindings),
                "because": [node.as_dict() for node in each.because],
            }
            for each in instances
        ],
    }
