"""`solve` for callers in process: the same job as the command, with typed records.

Re-entrant and without state; nothing of the solver leaves it. Import it as `from plan07 import
solve`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Any, TypeAlias

from plan07 import document, solver
from plan07.models import Decomposition, Evidence, PlanArtifact, Schedule

PlanLike: TypeAlias = Mapping[str, Any] | Decomposition | PlanArtifact
PathLike: TypeAlias = str | os.PathLike[str]


def solve(
    plan: PlanLike,
    *,
    evidence: Mapping[str, Any] | Evidence | None = None,
    impact: PathLike | None = None,
    recon: PathLike | None = None,
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


def _plain(value: Mapping[str, Any] | Decomposition | PlanArtifact | Evidence) -> Any:
    if isinstance(value, (Decomposition, PlanArtifact, Evidence)):
        return value.model_dump(mode="json", exclude_unset=True)
    return dict(value) if isinstance(value, Mapping) else value
