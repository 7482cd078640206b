"""The main job in one call: from a plan document and evidence to a schedule.

`solve_document` works on plain dictionaries and is what the command prints; `plan07.solve` wraps
it in typed records for callers in process.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from plan07 import evidence as evidence_
from plan07 import obliggraph, planner, rulebook
from plan07.document import Plan
from plan07.errors import InputError


class Options(NamedTuple):
    """How to solve.

    Args:
        files: origin to path of evidence that an encoder reads, such as impact and recon.
        rules: a directory of rule files that overlays the shipped ones.
        policy: switches, name to value.
        limits: numbers, name to value.
        repair: drop the fewest declared dependencies that contradict evidence or ladder.
        clingo_options: for tests of determinism.
        repo: the directory of a repository, whose evidence is brought up to date and used.
        digest: the only rules that may decide, or None for any.
    """

    files: Mapping[str, str | os.PathLike[str]] = {}
    rules: str | os.PathLike[str] | None = None
    policy: Mapping[str, str] = {}
    limits: Mapping[str, int] = {}
    repair: bool = False
    clingo_options: tuple[str, ...] = ()
    repo: str | os.PathLike[str] | None = None
    digest: str | None = None


def options(
    *,
    impact: str | os.PathLike[str] | None = None,
    recon: str | os.PathLike[str] | None = None,
    localization: str | os.PathLike[str] | None = None,
    context: str | os.PathLike[str] | None = None,
    repo: str | os.PathLike[str] | None = None,
    rules: str | os.PathLike[str] | None = None,
    policy: Mapping[str, str] | None = None,
    limits: Mapping[str, int] | None = None,
    repair: bool = False,
    strict_grounding: bool = False,
    expect_digest: str | None = None,
) -> Options:
    """Return options as the command and the call name them.

    Raises:
        InputError: one is of another type.
    """
    origins = {"impact": impact, "recon": recon, "localization": localization, "context": context}
    for name, path in (*origins.items(), ("repo", repo), ("rules", rules)):
        if not isinstance(path, str | os.PathLike | None):
            raise _wrong(name, path, "the path of a file or directory")
    for name, given in (("policy", policy), ("limits", limits)):
        if not isinstance(given, Mapping | None) or not all(
            isinstance(k, str) for k in given or ()
        ):
            raise _wrong(name, given, "a mapping of names to values")
    if recon is not None and repo is not None:
        raise InputError(
            "OPTION_INVALID",
            "repo and recon are both given, and a repository brings its own recon.db",
            "leave out one of them",
            phase="usage",
            detail={"name": "repo"},
        )
    switches = dict(policy or {})
    if strict_grounding:
        switches["grounding_policy"] = "strict"
    files = {name: path for name, path in origins.items() if path is not None}
    if not isinstance(expect_digest, str | None):
        raise _wrong("expect_digest", expect_digest, "the digest that `plan07 rules digest` prints")
    return Options(
        files, rules, switches, dict(limits or {}), repair, repo=repo, digest=expect_digest
    )


def _wrong(name: str, value: object, wanted: str) -> InputError:
    return InputError(
        "OPTION_INVALID",
        f"{name} cannot be {value!r:.80}",
        f"give {wanted}",
        phase="usage",
        detail={"name": name},
    )


Timer = Callable[[str, float], None]


def solve_plan(
    plan: Plan,
    options: Options,
    timer: Timer | None = None,
) -> dict[str, Any]:
    """Return the schedule of a plan in its wire form.

    Args:
        plan: the plan, read.
        options: how to solve.
        timer: told the name and the seconds of each phase.

    Raises:
        PlanRefused: the plan was judged; every violation is in the error.
        InputError: an option or a file of evidence is wrong.
        RulesError: the rules are broken.
    """
    clock = _Clock(timer)
    rules = rules_of(options)
    clock("rules")
    merged = evidence_of(plan, evidence_.inline(plan.evidence or {}), options, rules)
    clock("evidence")
    graph = obliggraph.build(plan, merged, rules, options.repair)
    clock("graph")
    result = planner.schedule(graph, rules)
    clock("schedule")
    return result


def rules_of(options: Options) -> rulebook.Rulebook:
    """Return the rules of a run.

    Raises:
        InputError: the overlay cannot be read, or a switch or limit is unknown.
        RulesError: a rule file is broken.
    """
    rules = rulebook.load(options.rules, options.policy, options.limits, options.clingo_options)
    _expect(rules, options.digest)
    return rules


def gathered(
    files: Mapping[str, str | os.PathLike[str]], targets: Sequence[str]
) -> list[evidence_.Evidence]:
    """Return what the encoders read.

    Args:
        files: origin to path.
        targets: entities whose neighbourhood is wanted.

    Raises:
        InputError: a file cannot be read.
    """
    return [evidence_.encode(origin, os.fspath(path), targets) for origin, path in files.items()]


def index_of(options: Options) -> str | None:
    """Return the recon.db of a run: the one that is named, or that of the repository, up to date.

    Raises:
        InputError: the repository cannot be read, or its evidence not be kept.
    """
    if options.repo is None:
        named = options.files.get("recon")
        return None if named is None else os.fspath(named)
    from plan07 import reconstore

    return reconstore.refresh(os.path.abspath(options.repo))


def evidence_of(
    plan: Plan, known: evidence_.Evidence, options: Options, rules: rulebook.Rulebook
) -> evidence_.Evidence:
    """Return what is known in the neighbourhood of a plan's targets.

    Args:
        plan: the plan.
        known: what came with it.
        options: whose files and repository are read.
        rules: the composed rules.

    Raises:
        InputError: a file or the repository cannot be read.
    """
    targets = [record.target_entity for record in plan.records]
    merged = evidence_.merge([known, *gathered(options.files, targets)])
    if options.repo is None:
        return merged
    from plan07.impact import planned

    recon = index_of(options)
    assert recon is not None
    whole = evidence_.merge([merged, evidence_.encode("recon", recon, targets)])
    return planned.enriched(plan, whole, recon, rules, os.path.abspath(options.repo))


def _expect(rules: rulebook.Rulebook, digest: str | None) -> None:
    if digest is not None and digest.strip().lower() != rules.digest:
        raise InputError(
            "DIGEST_MISMATCH",
            f"the rules have the digest {rules.digest}, not {digest!r:.80}",
            "look at what changed with `plan07 rules diff`, or use the rules that were expected",
            phase="usage",
            detail={"expected": digest, "digest": rules.digest},
        )


class _Clock:
    def __init__(self, timer: Timer | None) -> None:
        self._timer = timer
        self._last = time.perf_counter() if timer else 0.0

    def __call__(self, phase: str) -> None:
        if self._timer is not None:
            now = time.perf_counter()
            self._timer(phase, now - self._last)
            self._last = now
