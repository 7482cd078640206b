"""plan07 turns a change request and repository evidence into a schedule that keeps the repository
valid after every step.

    from plan07 import solve
    schedule = solve({"obligations": [...], "evidence": {...}})

    from plan07 import Planner
    planner = Planner.open("plan.json")

Names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plan07.api import make_plan, solve, solve_async
    from plan07.driven import ActionableObligation, GateResult, PlanStatus
    from plan07.errors import Finding, InputError, Plan07Error, PlanRefused, RulesError
    from plan07.models import Decomposition, Evidence, Obligation, PlanArtifact, Schedule
    from plan07.outcomes import Cancelled, GateBroken
    from plan07.session import AsyncPlanner, Planner

__version__ = "0.1.0"

_HOMES = {
    "make_plan": "api",
    "solve": "api",
    "solve_async": "api",
    "Cancelled": "outcomes",
    "GateBroken": "outcomes",
    "Planner": "session",
    "AsyncPlanner": "session",
    "ActionableObligation": "driven",
    "GateResult": "driven",
    "PlanStatus": "driven",
    "Finding": "errors",
    "InputError": "errors",
    "Plan07Error": "errors",
    "PlanRefused": "errors",
    "RulesError": "errors",
    "Decomposition": "models",
    "Evidence": "models",
    "Obligation": "models",
    "PlanArtifact": "models",
    "Schedule": "models",
}

__all__ = [
    "ActionableObligation",
    "AsyncPlanner",
    "Cancelled",
    "Decomposition",
    "Evidence",
    "Finding",
    "GateBroken",
    "GateResult",
    "InputError",
    "Obligation",
    "Plan07Error",
    "PlanArtifact",
    "PlanRefused",
    "PlanStatus",
    "Planner",
    "RulesError",
    "Schedule",
    "__version__",
    "make_plan",
    "solve",
    "solve_async",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
