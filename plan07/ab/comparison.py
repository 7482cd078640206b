"""Which runs may be compared: those of the identical sample, model and host (build spec 7.4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plan07.ab.records import Arm, Mechanism, RunRecord
from plan07.errors import Finding, PlanRefused
from plan07.messages import quoted

# What has to be the same in all runs; the settings have to be the same within a task.
_SAME = ("execution", "sample", "model", "host", "config", "tokenizer")
_SHOWN = 5


def refuse_unlike(runs: Sequence[RunRecord]) -> None:
    """Refuse runs that differ in anything but task, arm, seed and mechanism.

    Args:
        runs: at least one.

    Raises:
        PlanRefused: AB_NOT_COMPARABLE, with every field that differs and two of its values.
    """
    found: list[Finding] = []
    for name in _SAME:
        values = list(dict.fromkeys(str(getattr(run, name)) for run in runs))
        if len(values) > 1:
            found.append(_unlike(name, values, "runs"))
    first: dict[str, RunRecord] = {}
    for run in runs:
        other = first.setdefault(run.task, run)
        if other.settings != run.settings:
            values = [str(other.settings), str(run.settings)]
            found.append(_unlike("settings", values, f"runs of task {quoted(run.task)}"))
            break
    if found:
        raise PlanRefused(
            "AB_NOT_COMPARABLE",
            found[0].message,
            found[0].fix,
            phase="ab",
            detail=found[0].detail,
            violations=tuple(found),
        )


def _unlike(name: str, values: Sequence[str], what: str) -> Finding:
    shown = " and ".join(quoted(each) for each in values[:2])
    return Finding(
        "AB_NOT_COMPARABLE",
        name,
        f"the {what} differ in {name}: {shown}",
        "compare runs of the identical sample, model, host and configuration only",
        {"field": name, "values": list(values[:_SHOWN])},
    )


def arms(runs: Iterable[RunRecord]) -> dict[Arm, list[RunRecord]]:
    """Return the runs with every mechanism in place by arm, each in the order of task and seed."""
    found: dict[Arm, list[RunRecord]] = {}
    for run in sorted(runs, key=lambda run: (run.task, run.seed)):
        if run.removed is None:
            found.setdefault(run.arm, []).append(run)
    return {arm: found[arm] for arm in Arm if arm in found}


def ablated(runs: Iterable[RunRecord]) -> dict[Mechanism, list[RunRecord]]:
    """Return the runs of plan07 without a mechanism, by mechanism, in order of task and seed."""
    found: dict[Mechanism, list[RunRecord]] = {}
    for run in sorted(runs, key=lambda run: (run.task, run.seed)):
        if run.removed is not None:
            found.setdefault(run.removed, []).append(run)
    return {each: found[each] for each in Mechanism if each in found}


def missing(runs: Sequence[RunRecord], wanted: Iterable[str] = ()) -> list[str]:
    """Return which runs lack, as `task, arm, seed`, so that all arms have the same tasks and seeds.

    Args:
        runs: of any arms; plan07 without a mechanism is an arm of its own here.
        wanted: further arms that must be there.
    """
    kinds = dict.fromkeys([*wanted, *(_kind(run) for run in runs)])
    pairs = dict.fromkeys((run.task, run.seed) for run in runs)
    made = {(run.task, run.seed, _kind(run)) for run in runs}
    return [
        f"{task}, {kind}, seed {seed}"
        for task, seed in sorted(pairs)
        for kind in kinds
        if (task, seed, kind) not in made
    ]


def refuse_incomplete(runs: Sequence[RunRecord], wanted: Iterable[str]) -> None:
    """Refuse runs of which not every arm has every task and seed.

    Raises:
        PlanRefused: AB_INCOMPLETE, with the runs that lack.
    """
    lacking = missing(runs, wanted)
    if lacking:
        shown = "; ".join(quoted(each) for each in lacking[:_SHOWN])
        more = f" and {len(lacking) - _SHOWN} more" if len(lacking) > _SHOWN else ""
        raise PlanRefused(
            "AB_INCOMPLETE",
            f"{len(lacking)} runs lack: {shown}{more}",
            "make them with `plan07 ab run CONFIG`, which goes on where it was",
            phase="ab",
            detail={"missing": lacking},
        )


def _kind(run: RunRecord) -> str:
    return f"{run.arm} without {run.removed}" if run.removed else str(run.arm)
