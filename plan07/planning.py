"""From a request to a plan: canonicalize, evidence, decompose, graph, schedule (build spec 3).

The stages in their order, each named as it begins. One of them may ask a model, once; everything
else is the same for the same input.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

from plan07 import (
    artifact,
    document,
    draft,
    home,
    lexis,
    obliggraph,
    planner,
    prompt,
    solver,
    state,
)
from plan07 import evidence as evidence_
from plan07.decompose import Ask, Decomposition, decompose
from plan07.errors import InputError, PlanRefused
from plan07.evidence import Evidence
from plan07.ledger import Ledger
from plan07.messages import quoted
from plan07.prompt import Prompt
from plan07.rulebook import Rulebook

Told: TypeAlias = Callable[[str, str], None]
# Takes the prompt, the requirement and the evidence; says what the obligations are.
Decomposer: TypeAlias = Callable[[Mapping[str, Any], Evidence, Rulebook], Decomposition]


class Planned(NamedTuple):
    """A plan that was just made.

    Args:
        decomposition: the obligations with requirement, as `solve` reads them.
        schedule: the answer of the solver.
        artifact: the plan as it is persisted.
        evidence: what it was made from.
        room: bytes that its file may have.
    """

    decomposition: dict[str, Any]
    schedule: dict[str, Any]
    artifact: artifact.Artifact
    evidence: Evidence
    room: int


def known(
    requirement: Mapping[str, Any], inline: Mapping[str, Any] | None, options: solver.Options
) -> Evidence:
    """Return the evidence about a request that has no obligations yet.

    What an index of the repository is asked for is the neighbourhood of the entities that the
    request and the other evidence name.

    Args:
        requirement: in its wire form.
        inline: inline evidence that came with the obligations.
        options: whose files are read.

    Raises:
        InputError: a file cannot be read.
    """
    files = {name: path for name, path in options.files.items() if name != "recon"}
    found = evidence_.merge([evidence_.inline(inline or {}), *solver.gathered(files, ())])
    recon = solver.index_of(options)
    if recon is None:
        return found
    texts = [requirement["goal"], *requirement["acceptance_criteria"], *requirement["constraints"]]
    ends = [each for edge in found.edges for each in (edge.source, edge.target)]
    named = [each for text in texts for each in lexis.entities_named(text, frozenset(ends))]
    asked = list(dict.fromkeys([*named, *ends, *(each for each, _ in found.changes)]))
    index = evidence_.encode("recon", recon, asked)
    # What the request's words may mean is not yet a question about targets.
    return evidence_.merge([found, index._replace(grounding={})])


def asking(
    ask: Ask,
    ledger: Ledger,
    now: Callable[[], str],
    *,
    budget: int = prompt.DEFAULT_BUDGET,
    lenient: bool = False,
) -> Decomposer:
    """Return the decomposer that asks a model.

    Args:
        ask: the model.
        ledger: where calls are recorded.
        now: the time.
        budget: tokens of the prompt, by estimate.
        lenient: as in `decompose.decompose`.
    """

    def by_model(
        requirement: Mapping[str, Any], evidence: Evidence, rules: Rulebook
    ) -> Decomposition:
        asked: Prompt = prompt.build(requirement, evidence, rules, budget=budget)
        most = rules.number("max_obligations")
        return decompose(asked, ask, ledger, now, lenient=lenient, most=most)

    return by_model


def make(
    requirement: Mapping[str, Any],
    evidence: Evidence,
    decomposer: Decomposer,
    options: solver.Options,
    plan_id: str,
    told: Told = lambda stage, text: None,
) -> Planned:
    """Return the plan of a request.

    Args:
        requirement: in its wire form.
        evidence: what is known.
        decomposer: gives the obligations.
        options: rules, switches, limits, files of evidence, repair.
        plan_id: what the plan is called.
        told: hears the name of each stage when it is done, and what came of it.

    Raises:
        PlanRefused: the decomposition came to nothing, or the plan is refused.
        InputError: a file or an option is wrong.
        RulesError: the rules are broken.
    """
    rules = solver.rules_of(options)
    found = decomposer(requirement, evidence, rules)
    if found.is_no_op:
        raise PlanRefused(
            "RE_DECOMPOSE",
            f"the decomposition came to nothing: {found.reason}",
            "canonicalize the request in a smaller scope, or give obligations of your own with "
            "--obligations",
            phase="decompose",
            detail={**found.document, "reason": found.reason},
        )
    told("decompose", counted(len(found.document["obligations"]), "obligation"))
    decomposition = {**found.document, "requirement": dict(requirement)}
    plan = document.read(decomposition, "the decomposition")
    indexed = {name: path for name, path in options.files.items() if name == "recon"}
    whole = solver.evidence_of(plan, evidence, options._replace(files=indexed), rules)
    graph = obliggraph.build(plan, whole, rules, options.repair)
    told("graph", counted(len(graph.precedes), "precedence"))
    schedule = planner.schedule(graph, rules)
    steps = counted(len(schedule["order"]), "step")
    told("schedule", f"{steps}, {len(schedule['ready'])} ready")
    made = artifact.new(plan_id, requirement, schedule)
    return Planned(decomposition, schedule, made, whole, artifact.room(rules))


def counted(number: int, what: str) -> str:
    """Return a number of things in words.

    >>> counted(1, "step"), counted(2, "step")
    ('1 step', '2 steps')
    """
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def by_rules(requirement: Mapping[str, Any], evidence: Evidence, rules: Rulebook) -> Decomposition:
    """Return what rules alone make of a request: the decomposer without a model."""
    return draft.draft(requirement, evidence, rules)


def given(value: Mapping[str, Any]) -> Decomposer:
    """Return the decomposer that has its obligations already.

    Args:
        value: a decomposition, already checked.
    """
    return lambda requirement, evidence, rules: Decomposition(
        {"obligations": list(value["obligations"])},
        "" if value["obligations"] else "the file holds no obligation",
    )


def refuse_to_overwrite(store: state.Store, force: bool = False) -> None:
    """Refuse to write where a plan is already.

    Args:
        store: the plan's file.
        force: a plan of which nothing became yet may be replaced.

    Raises:
        InputError: PLAN_EXISTS, or what is there is no plan.
    """
    if os.path.isdir(store.path) or not os.path.basename(store.shown):
        raise InputError(
            "PLAN_IS_DIRECTORY",
            f"{quoted(store.shown)} is a directory, or named like one",
            "name a file in it with -o",
            phase="usage",
            detail={"path": store.shown},
        )
    if not os.path.lexists(store.path):
        return
    progress = artifact.has_progress(store.load().artifact)
    if force and not progress:
        return
    raise InputError(
        "PLAN_EXISTS",
        f"{store.shown} is there already" + (", and something became of it" if progress else ""),
        "name another file with -o" + ("" if progress else ", or replace it with --force"),
        phase="usage",
        detail={"path": store.shown, "progress": progress},
    )


def write(store: state.Store, made: Planned, now: Callable[[], str], force: bool = False) -> None:
    """Write a plan that was just made, and its evidence beside it.

    Args:
        store: the plan's file.
        made: the plan.
        now: the time.
        force: as in `refuse_to_overwrite`.

    Raises:
        InputError: PLAN_EXISTS.
        SaveError: it cannot be written.
    """
    store.make_directory()
    with store.locked():
        refuse_to_overwrite(store, force)
        stored = store.load() if os.path.lexists(store.path) else None
        store.keep_evidence(made.evidence)
        number = len(made.artifact["nodes"])
        row = {"event": "created", "change": f"{number} nodes", "caused_by": "requirement"}
        store.save(stored, made.artifact, [row], now(), made.room)


def default_path(repository: str, plan_id: str) -> str:
    """Return where a plan goes that nobody named a file for."""
    directory = home.home(repository)
    return os.path.join(directory, f"{state.unused(directory, plan_id)}.json")
