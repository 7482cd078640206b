"""What the targets of a plan change in, and whom that reaches: evidence for `solve`.

Which kind of change an obligation makes is decided by the rules, from the same evidence and words
as in the solve; the closure then adds what single edges of the repository do not show: calls that
virtual dispatch leads to, overrides, constructors, and calls that do not notice a change.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from plan07 import evidence as evidence_
from plan07.document import Plan, Record
from plan07.evidence import Edge, Evidence
from plan07.facts import Fact
from plan07.impact.closure import Closure, Seed, closure
from plan07.impact.entities import Entity
from plan07.impact.neighbourhood import Neighbourhood
from plan07.impact.seeds import distinct
from plan07.impact.soft import Sources, soft_ranks
from plan07.lowering import Lowered
from plan07.messages import camel
from plan07.reconfile import opened
from plan07.rulebook import Rulebook

# `parameter timeout`, "parameter `timeout`", `timeout` in backquotes.
_PARAMETER = re.compile(
    r"\b(?:parameter|param|argument|arg|keyword)\b[ \t]+[`'\"]?(\w+)|`(\w+)`", re.IGNORECASE
)
_OF_A_PARAMETER = ("param_", "default_")


def planned_seeds(
    plan: Plan, evidence: Evidence, rules: Rulebook, around: Neighbourhood
) -> tuple[list[Seed], frozenset[str]]:
    """Return how the targets of a plan change, under the names of recon.db.

    Args:
        plan: the plan, read.
        evidence: merged from every origin, recon.db among them.
        rules: the composed rules.
        around: knows the targets afterwards.

    Returns:
        the seeds, and the entities of which only an assumption says how they change.

    Raises:
        RulesError: the rules are broken.
    """
    lowered = Lowered(plan, evidence)
    atoms = rules.solve("graph", lowered.graph(rules.lexicon, ()))
    records = {record.id: record for record in plan.records}
    seeds: list[Seed] = []
    assumed: set[str] = set()
    for identifier, change, because in atoms.rows("kind", 3):
        record = records.get(str(identifier))
        grounding = record and evidence.grounding.get(record.target_entity)
        if not record or not grounding or grounding.answer != "binding":
            continue
        name = grounding.candidates[0]
        around.find(name)
        if isinstance(because, Fact) and because.name == "assumed":
            assumed.add(name)
        kind = change.name if isinstance(change, Fact) else str(change)
        detail = _detail(record, kind, around.entity(name))
        seeds.append(Seed(name, kind, detail, "request"))
    said = {each.entity for each in seeds if each.change != "body"}
    return distinct(seeds), frozenset(assumed - said)


def _detail(record: Record, change: str, entity: Entity | None) -> dict[str, Any]:
    """Return the parameter that an obligation's words name, where the change is about one."""
    if entity is None or not change.startswith(_OF_A_PARAMETER):
        return {}
    text = f"{record.caused_by} {record.evidence}"
    named = {one or other for one, other in _PARAMETER.findall(text)}
    meant = [each.name for each in entity.parameters() if each.name in named]
    return {"param": meant[0]} if len(meant) == 1 else {}


def enriched(plan: Plan, evidence: Evidence, recon: str, rules: Rulebook, root: str) -> Evidence:
    """Return evidence with what the closure of a plan's changes adds to it.

    Args:
        plan: the plan, read.
        evidence: merged from every origin, that of `recon` among them.
        recon: the recon.db of the repository.
        rules: the composed rules.
        root: the directory of the repository.

    Raises:
        InputError: the database cannot be read.
        RulesError: the rules are broken.
    """
    with opened(recon) as database:
        around = neighbourhood(database, rules)
        seeds, assumed = planned_seeds(plan, evidence, rules, around)
        known = [each for each in seeds if each.entity not in assumed]
        if not known:
            return evidence
        found = closure(known, around, rules)
        ranks = _scores(plan, evidence, found, database, root)
    silent = set(_silent(known, found))
    return evidence._replace(
        edges=(*evidence.edges, *_edges(known, found)),
        relations=tuple(
            each
            for each in evidence.relations
            if (each.dependent, each.dependency) not in silent or each.kind not in _CALLS
        ),
        scores={**ranks, **evidence.scores},
    )


def of_targets(
    plan: Plan, recon: str, rules: Rulebook, around: Neighbourhood
) -> tuple[list[Seed], list[tuple[str, str]]]:
    """Return how the targets of a plan change, and which of them are not one entity.

    Args:
        plan: the plan, read.
        recon: the recon.db.
        rules: the composed rules.
        around: of the same database; it knows the targets afterwards.

    Raises:
        InputError: the database cannot be read.
        RulesError: the rules are broken.
    """
    targets = [record.target_entity for record in plan.records]
    found = evidence_.merge(
        [evidence_.inline(plan.evidence or {}), evidence_.encode("recon", recon, targets)]
    )
    seeds, _ = planned_seeds(plan, found, rules, around)
    return seeds, [
        (target, grounding.answer)
        for target, grounding in sorted(found.grounding.items())
        if grounding.answer != "binding"
    ]


_CALLS = ("calls", "instantiates", "tests")


def neighbourhood(database: sqlite3.Connection, rules: Rulebook) -> Neighbourhood:
    """Return an empty neighbourhood with the limits of a run."""
    return Neighbourhood(database, rules.number("max_dependents"), rules.number("max_impact_edges"))


def _edges(seeds: Sequence[Seed], found: Closure) -> Iterator[Edge]:
    """Yield the effects that the relations of the repository do not show to the rules."""
    said = {each.entity for each in seeds}
    starts = said | {entity for entity, _, _ in found.carried}
    plain = set(found.causes.values())
    for each in found.effects:
        direct = each.how == "direct" and each.cause in plain
        follows = each.source not in said and each.change != "body"
        if follows if each.source not in starts else not direct:
            yield Edge(
                each.source,
                each.target,
                camel(each.cause),
                each.change,
                each.strength,
                each.order,
                each.resolution,
                each.confidence / 1000,
            )


def _silent(seeds: Sequence[Seed], found: Closure) -> Iterator[tuple[str, str]]:
    """Yield (dependent, entity) pairs whose calls notice none of the changes of the entity."""
    changes: dict[str, set[str]] = {}
    for seed in seeds:
        changes.setdefault(seed.entity, set()).add(seed.change)
    spared: dict[tuple[str, str], set[str]] = {}
    for entity, change, via, dependent in found.spared:
        if entity == via:
            spared.setdefault((dependent, entity), set()).add(change)
    for (dependent, entity), kinds in spared.items():
        if entity in changes and changes[entity] <= kinds:
            yield dependent, entity


def _scores(
    plan: Plan, evidence: Evidence, found: Closure, database: sqlite3.Connection, root: str
) -> dict[str, dict[str, float | None]]:
    """Return what ties the alternatives of a plan to its changes."""
    grounded = {
        target: grounding.candidates[0]
        for target, grounding in evidence.grounding.items()
        if grounding.answer == "binding"
    }
    alternatives = {
        grounded[record.target_entity]: record.target_entity
        for record in plan.records
        if record.status == "alternative" and record.target_entity in grounded
    }
    if not alternatives:
        return {}
    changed = sorted(
        {grounded[r.target_entity] for r in plan.records if r.target_entity in grounded}
        - alternatives.keys()
    )
    request = request_text(plan)
    ranks = soft_ranks(database, changed, sorted(alternatives), request, Sources(root), _EVERY)
    scores: dict[str, dict[str, float | None]] = {
        each.entity: {"lex": each.lex, "cochange": each.cochange}
        for each in ranks
        if each.entity in alternatives
    }
    for effect in found.effects:
        if effect.target in alternatives:
            known = scores.setdefault(effect.target, {})
            known["confidence"] = max(known.get("confidence") or 0.0, effect.confidence / 1000)
    return scores


_EVERY = 2**30


def request_text(plan: Plan) -> str:
    """Return what the request of a plan says in words."""
    if plan.requirement is None:
        return " ".join(record.caused_by for record in plan.records)
    parts = [plan.requirement["goal"], *plan.requirement["acceptance_criteria"]]
    return " ".join(str(each) for each in parts)
