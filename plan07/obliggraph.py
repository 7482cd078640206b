"""From obligations and evidence to a dependency graph, or to every reason why there is none.

Runs the stages `admission` and `graph` of the rules, and `repair` where it is asked for and
something contradicts. Runs when obligations or evidence change; a change of state needs the
planner alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from plan07 import messages
from plan07.document import Plan
from plan07.errors import Finding, PlanRefused
from plan07.evidence import Evidence
from plan07.facts import Atoms, Fact, Term, fact, render, unusable
from plan07.lowering import Lowered, admission, census, ordinals
from plan07.rulebook import Rulebook

# What a contradiction is derived from; a repair needs nothing else.
_REPAIR_INPUT = {"region": 1, "precedes": 3, "atomic": 3}


class DependencyGraph(NamedTuple):
    """The precedences of a plan, with a reason for each.

    Args:
        lowered: the plan and its evidence, names matched.
        precedes: rows (before, after, because) of the rules.
        atomic: rows (obligation, other, because) of pairs that land together.
        advice: what is worth knowing.
        dropped: (obligation, dependency) pairs that a repair left out.
    """

    lowered: Lowered
    precedes: list[tuple[str, str, Term]]
    atomic: list[tuple[str, str, Term]]
    advice: list[Finding]
    dropped: list[tuple[str, str]]


def build(plan: Plan, evidence: Evidence, rules: Rulebook, repair: bool = False) -> DependencyGraph:
    """Return the dependency graph of a plan.

    Args:
        plan: the plan, read.
        evidence: merged from every origin.
        rules: the composed rules.
        repair: drop the fewest declared dependencies that contradict evidence or ladder.

    Raises:
        PlanRefused: with every violation of admission and graph.
        RulesError: the rules are broken.
    """
    order = ordinals(plan.records)
    if len(plan.records) > rules.number("max_obligations"):
        _refuse_if_halted(rules.solve("admission", census(plan)), order)
    lowered = Lowered(plan, evidence)
    admitted = rules.solve("admission", admission(plan, lowered.grounding))
    _refuse_if_halted(admitted, order)
    violations = messages.findings(admitted.rows("violation", 2), {}, order)
    places = list(lowered.places()) if rules.reads("lies_in") else []
    atoms = rules.solve("graph", [*lowered.graph(rules.lexicon, ()), *places])
    dropped: list[tuple[str, str]] = []
    if repair and atoms.rows("region", 1):
        dropped = _repair(rules, atoms, lowered)
        if dropped:
            facts = [*lowered.graph(rules.lexicon, dropped), *places]
            atoms = rules.solve("graph", facts)
    refused = messages.findings(atoms.rows("violation", 2), {}, lowered.order)
    if violations or refused:
        phase = "admission" if violations else "graph"
        raise refusal([*violations, *refused], phase)
    rows = [*admitted.rows("advice", 2), *atoms.rows("advice", 2)]
    rows += [(fact("dependency_dropped", dependency), each) for each, dependency in dropped]
    return DependencyGraph(
        lowered,
        atoms.links("precedes", 3, lowered.order),
        atoms.links("atomic", 3, lowered.order),
        [
            *messages.findings(rows, {}, lowered.order),
            *messages.noticed((*admitted.notices, *atoms.notices)),
        ],
        dropped,
    )


def demands(plan: Plan, evidence: Evidence, rules: Rulebook) -> list[tuple[str, str, Fact]]:
    """Return what is broken and not mended: (obligation, dependent entity, impact) in order.

    Args:
        plan: the plan, read.
        evidence: merged from every origin.
        rules: the composed rules.

    Raises:
        RulesError: the rules are broken.
    """
    lowered = Lowered(plan, evidence)
    atoms = rules.solve("graph", lowered.graph(rules.lexicon, ()))
    found = [
        (breaker, entity, because)
        for breaker, entity, because in atoms.rows("demands", 3)
        if isinstance(breaker, str) and isinstance(entity, str) and isinstance(because, Fact)
    ]
    return sorted(found, key=lambda row: (lowered.order.get(row[0], 0), row[1], render(row[2])))


def _refuse_if_halted(admitted: Atoms, order: Mapping[str, int]) -> None:
    halts = admitted.rows("halts", 1)
    if not halts:
        return
    violations = messages.findings(admitted.rows("violation", 2), {}, order)
    if not violations:
        raise unusable(render(Fact("halts", halts[0])))
    raise refusal(violations, "admission")


def _repair(rules: Rulebook, atoms: Atoms, lowered: Lowered) -> list[tuple[str, str]]:
    facts = [
        Fact(name, row) for name, arity in _REPAIR_INPUT.items() for row in atoms.rows(name, arity)
    ]
    facts += [fact("ordinal", each, number) for each, number in lowered.order.items()]
    best = rules.solve("repair", facts, optimise=True)
    found = [(after, before) for before, after, _ in best.links("drop", 2, lowered.order)]
    return sorted(found, key=lambda pair: (lowered.order[pair[0]], lowered.order[pair[1]]))


def refusal(violations: list[Finding], phase: str) -> PlanRefused:
    """Return the one error that carries every violation.

    Args:
        violations: at least one, the first of which names the refusal.
        phase: admission, graph or schedule.
    """
    first = violations[0]
    more = f" (and {len(violations) - 1} more)" if len(violations) > 1 else ""
    return PlanRefused(
        first.code,
        f"{first.message}{more}",
        first.fix,
        phase=phase,
        detail={"subject": first.subject, **first.detail, **_rescope(violations)},
        violations=tuple(violations),
    )


def _rescope(violations: list[Finding]) -> dict[str, bool]:
    """Say that control goes back to canonicalization, where the spec does."""
    too_large = any(
        each.code in ("RE_DECOMPOSE", "ARTIFACT_CAP")
        or (each.code == "CAP_EXCEEDED" and each.detail["field"] == "obligations")
        for each in violations
    )
    return {"re_decompose": True} if too_large else {}
