"""`solve` for callers in process: the same job as the command, with typed records.

Re-entrant and without state; nothing of the solver leaves it. Import it as `from plan07 import
solve`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from plan07 import clock, document, shapes, solver
from plan07.models import Decomposition, Evidence, PlanArtifact, Record, Requirement, Schedule

if TYPE_CHECKING:
    from plan07.decompose import Ask

PlanLike: TypeAlias = Mapping[str, Any] | Decomposition | PlanArtifact
PathLike: TypeAlias = str | os.PathLike[str]


def solve(
    plan: PlanLike,
    *,
    evidence: Mapping[str, Any] | Evidence | None = None,
    impact: PathLike | None = None,
    recon: PathLike | None = None,
    repo: PathLike | None = None,
    rules: PathLike | None = None,
    policy: Mapping[str, str] | None = None,
    limits: Mapping[str, int] | None = None,
    repair: bool = False,
    strict_grounding: bool = False,
    expect_digest: str | None = None,
    time_limit: float | None = None,
) -> Schedule:
    """Return the schedule that keeps the repository valid after every step.

    Args:
        plan: a decomposition or an artifact, as a dictionary or a record.
        evidence: inline evidence, instead of the plan's own.
        impact: a file in the format plan07.impact/1.
        recon: a recon.db; only the neighbourhood of the plan's targets is read.
        repo: the directory of a repository; its evidence is brought up to date and used.
        rules: a directory that overlays the shipped rule files.
        policy: switches, name to value.
        limits: numbers of limits.lp, name to value.
        repair: drop the fewest declared dependencies that contradict evidence or ladder.
        strict_grounding: refuse targets that name several entities.
        expect_digest: solve only if the rules have this digest.
        time_limit: seconds; the solve then runs in a child process that is killed after them.

    Raises:
        PlanRefused: the plan was judged; `violations` carries every reason.
        InputError: the plan, an option or a file cannot be read.
        RulesError: the rules are broken, or took longer than `time_limit`.
    """
    value: Any = _plain(plan)
    if evidence is not None and isinstance(value, dict):
        value["evidence"] = _plain(evidence)
    options = solver.options(
        impact=impact,
        recon=recon,
        repo=repo,
        rules=rules,
        policy=policy,
        limits=limits,
        repair=repair,
        strict_grounding=strict_grounding,
        expect_digest=expect_digest,
    )
    if time_limit is not None:
        from plan07 import limited

        document.check_foreign(value, "the plan")
        result = limited.solve(value, "the plan", options, time_limit)
    else:
        result = solver.solve_plan(document.read_foreign(value, "the plan"), options)
    return Schedule.model_validate(result, strict=False)


async def solve_async(plan: PlanLike, **options: Any) -> Schedule:
    """Return what `solve` returns, computed in a thread so that the event loop stays free.

    Args:
        plan: as in `solve`.
        options: as in `solve`.

    Raises:
        PlanRefused: as `solve`.
        InputError: as `solve`.
        RulesError: as `solve`.
    """
    return await asyncio.to_thread(solve, plan, **options)


def make_plan(
    request: str | Mapping[str, Any] | Requirement,
    path: PathLike,
    *,
    ask: Ask | None = None,
    obligations: PlanLike | None = None,
    evidence: Mapping[str, Any] | Evidence | None = None,
    impact: PathLike | None = None,
    recon: PathLike | None = None,
    rules: PathLike | None = None,
    policy: Mapping[str, str] | None = None,
    limits: Mapping[str, int] | None = None,
    repair: bool = False,
    lenient: bool = False,
    now: Callable[[], str] = clock.now,
    plan_id: str | None = None,
) -> PlanArtifact:
    """Return the plan of a request, written to a file that `Planner.open` goes on with.

    Args:
        request: the change in plain words, or a requirement.
        path: the file to write; it must not be there yet.
        ask: the model, called once with a `decompose.Call`; returns the reply's text, or a
            `Completion`. Without it, and without obligations, rules alone decompose.
        obligations: a decomposition to take instead.
        evidence: inline evidence.
        impact: as in `solve`.
        recon: as in `solve`.
        rules: as in `solve`.
        policy: as in `solve`.
        limits: as in `solve`.
        repair: as in `solve`.
        lenient: strip one fence, or a leading think-block, off the reply.
        now: the time, UTC in ISO 8601.
        plan_id: what the plan is called, by default after the minute.

    Raises:
        PlanRefused: the request, the decomposition or the plan is refused; no plan is written.
        InputError: something given cannot be read, the file is there already, or what `ask`
            returns is no text. What `ask` raises goes through.
        RulesError: the rules are broken.
    """
    from plan07 import canonicalize, ledger, planning, state

    if plan_id is not None:
        named = {"plan_id": plan_id, "nodes": []}
        shapes.check("artifact", named, "the plan", "PLAN_ID_INVALID", "read")
    store = state.Store(path)
    planning.refuse_to_overwrite(store)
    requirement: dict[str, Any] = (
        canonicalize.canonicalize(request) if isinstance(request, str) else _plain(request)
    )
    document.check_foreign(requirement, "the requirement")
    shapes.check("requirement", requirement, "the requirement", "REQUIREMENT_INVALID", "read")
    options = solver.options(
        impact=impact, recon=recon, rules=rules, policy=policy, limits=limits, repair=repair
    )
    given = _plain(evidence) if evidence is not None else None
    if given is not None:
        document.check_foreign(given, "the evidence")
        shapes.check("evidence", given, "the evidence", "EVIDENCE_INVALID", "read")
    known = planning.known(requirement, given, options)
    if obligations is not None:
        taken = _plain(obligations)
        document.check_foreign(taken, "the obligations")
        shapes.check("decomposition", taken, "the obligations", "PLAN_INVALID", "read")
        chosen = planning.given(taken)
    elif ask is not None:
        calls = ledger.File(store.calls_path)
        chosen = planning.asking(ask, calls, now, lenient=lenient)
    else:
        chosen = planning.by_rules
    made = planning.make(requirement, known, chosen, options, plan_id or clock.plan_id())
    planning.write(store, made, now)
    return PlanArtifact.model_validate(made.artifact, strict=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.model_dump(mode="json", exclude_unset=True)
    return dict(value) if isinstance(value, Mapping) else value
