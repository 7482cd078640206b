"""`Planner`: a plan on the disk, driven in process. The same operations as the commands, typed.

    with Planner.open("plan.json", repository=".") as planner:
        while (obligation := planner.next()) is not None:
            ...                                    # any agent edits
            planner.validate(obligation.node_id)

A planner keeps nothing in memory: each call reads the plan, so several may be open on one file.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from plan07 import clock, document, report, shapes, solver
from plan07 import evidence as evidence_
from plan07.decompose import Decomposition, no_op
from plan07.driven import ActionableObligation, GateResult, PlanStatus
from plan07.driver import Driver
from plan07.errors import PlanRefused
from plan07.models import Evidence
from plan07.prompt import Fragment
from plan07.state import Store
from plan07.validate import Local, Runner


class Planner:
    """A plan that is driven in process. Use `open`, or `open_async` within an event loop.

    Args:
        driver: of the plan.
    """

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        repository: str | os.PathLike[str] = ".",
        run: Runner | None = None,
        redecompose: Callable[[Mapping[str, Any]], Mapping[str, Any]] | None = None,
        watch: Callable[[], None] = lambda: None,
        now: Callable[[], str] = clock.now,
        rules: str | os.PathLike[str] | None = None,
        policy: Mapping[str, str] | None = None,
        limits: Mapping[str, int] | None = None,
    ) -> Self:
        """Return a planner for the plan in a file.

        Args:
            path: the plan artifact.
            repository: where validations run.
            run: runs a check instead of this machine, such as in a container.
            redecompose: takes the failed fragment, `{"failed", "reason", "nodes"}`, and returns
                `{"obligations": [...]}`; an empty list, or nothing, leaves the node failed.
            watch: called before each exposure and while a validation runs; raise `Cancelled` in it
                to stop. The same object comes out, and the plan is abandoned.
            now: the time, UTC in ISO 8601.
            rules: a directory that overlays the shipped rule files.
            policy: switches, name to value.
            limits: numbers of limits.lp, name to value.

        Raises:
            InputError: the plan cannot be read, or an option is wrong.
            RulesError: the rules are broken.
        """
        options = solver.options(rules=rules, policy=policy, limits=limits)
        store = Store(path)
        driver = Driver(
            store,
            solver.rules_of(options),
            now,
            run=run or Local(os.fspath(repository), watch=watch),
            replanner=None if redecompose is None else _replanner(redecompose),
            watch=watch,
        )
        driver.standing()
        return cls(driver)

    def next(self) -> ActionableObligation | None:
        """Return the one actionable obligation, None when the plan is complete.

        Raises:
            PlanRefused: nothing can start, with the verdict; or the plan was abandoned.
            Cancelled: the harness cancelled.
        """
        try:
            found = self._driver.next()
        except PlanRefused as refused:
            if refused.detail.get("verdict") == "complete":
                return None
            raise
        return ActionableObligation.model_validate(found, strict=False)

    def validate(self, node: str) -> GateResult:
        """Run a node's validation, the only way to complete it.

        Args:
            node: the actionable one, or one that failed and was mended.

        Raises:
            PlanRefused: the node is not due, or somebody else is working on the plan.
            GateBroken: a check could not be run; nothing has changed.
            Cancelled: the harness cancelled.
        """
        done = self._driver.validate(node).as_dict()
        return GateResult.model_validate(done, strict=False)

    def edit(self, node: str, *files: str) -> dict[str, int]:
        """Account for files that an agent edits; return what its attempt has used.

        Raises:
            PlanRefused: the bound is passed, or the node does not permit edits.
        """
        return self._driver.edit(node, files)

    def test(self, node: str) -> dict[str, int]:
        """Account for one test call of an agent; return what its attempt has used.

        Raises:
            PlanRefused: the bound is passed.
        """
        return self._driver.test(node)

    def status(self) -> PlanStatus:
        """Return how the plan stands."""
        found = report.status(*self._driver.standing())
        return PlanStatus.model_validate(found, strict=False)

    def revise(
        self,
        evidence: Mapping[str, Any] | Evidence | None = None,
        *,
        falsified: Sequence[str] = (),
        additions: Sequence[Mapping[str, Any]] = (),
        because: str = "",
    ) -> str:
        """Let evidence revise the plan; return what changed, "" where it agrees already.

        Args:
            evidence: new inline evidence.
            falsified: ids of obligations that it has falsified.
            additions: obligations to add, in their wire form.
            because: the evidence, one line.

        Raises:
            PlanRefused: the revision is refused; the plan is as it was.
            InputError: the evidence or an obligation is malformed.
        """
        value: Any = evidence or {}
        if isinstance(evidence, Evidence):
            value = evidence.model_dump(mode="json", exclude_unset=True)
        document.check_foreign(value, "the evidence")
        shapes.check("evidence", value, "the evidence", "EVIDENCE_INVALID", "read")
        whole = {"obligations": list(additions)}
        document.check_foreign(whole, "the additions")
        shapes.check("reply", whole, "the additions", "PLAN_INVALID", "read")
        return self._driver.feedback(
            evidence_.inline(value), falsified=falsified, additions=additions, because=because
        )

    def promote(self, alternative: str) -> str:
        """Let an alternative take the place of an obligation that failed; return what changed."""
        return self._driver.promote(alternative)

    def confirm(self) -> str:
        """Confirm the acceptance criteria; return what changed."""
        return self._driver.confirm()

    def rollback(self, marker: str) -> str:
        """Take the plan back to a checkpoint; return what changed."""
        return self._driver.rollback(marker)

    def abandon(self, token: str) -> str:
        """Give the plan up, for good; return what changed."""
        return self._driver.abandon(token)

    def close(self) -> None:
        """Do nothing: everything is on the disk already."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncPlanner:
    """The same for an event loop: each call runs in a thread.

    Args:
        planner: the planner.
    """

    def __init__(self, planner: Planner) -> None:
        self._planner = planner

    @classmethod
    async def open(cls, path: str | os.PathLike[str], **options: Any) -> Self:
        """Return what `Planner.open` returns, for an event loop."""
        return cls(await asyncio.to_thread(Planner.open, path, **options))

    async def next(self) -> ActionableObligation | None:
        """As `Planner.next`."""
        return await asyncio.to_thread(self._planner.next)

    async def validate(self, node: str) -> GateResult:
        """As `Planner.validate`."""
        return await asyncio.to_thread(self._planner.validate, node)

    async def edit(self, node: str, *files: str) -> dict[str, int]:
        """As `Planner.edit`."""
        return await asyncio.to_thread(self._planner.edit, node, *files)

    async def test(self, node: str) -> dict[str, int]:
        """As `Planner.test`."""
        return await asyncio.to_thread(self._planner.test, node)

    async def status(self) -> PlanStatus:
        """As `Planner.status`."""
        return await asyncio.to_thread(self._planner.status)

    async def revise(self, *arguments: Any, **options: Any) -> str:
        """As `Planner.revise`."""
        return await asyncio.to_thread(self._planner.revise, *arguments, **options)

    async def promote(self, alternative: str) -> str:
        """As `Planner.promote`."""
        return await asyncio.to_thread(self._planner.promote, alternative)

    async def confirm(self) -> str:
        """As `Planner.confirm`."""
        return await asyncio.to_thread(self._planner.confirm)

    async def rollback(self, marker: str) -> str:
        """As `Planner.rollback`."""
        return await asyncio.to_thread(self._planner.rollback, marker)

    async def abandon(self, token: str) -> str:
        """As `Planner.abandon`."""
        return await asyncio.to_thread(self._planner.abandon, token)

    async def close(self) -> None:
        """Do nothing: everything is on the disk already."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


def _replanner(
    redecompose: Callable[[Mapping[str, Any]], Mapping[str, Any]],
) -> Callable[[Fragment], Decomposition]:
    """A hook of a harness, whose answer is read as strictly as a model's."""

    def replan(fragment: Fragment) -> Decomposition:
        answer = redecompose(
            {
                "failed": fragment.failed,
                "reason": fragment.said,
                "nodes": [dict(node) for node in fragment.nodes],
            }
        )
        value: Any = {"obligations": (answer or {}).get("obligations")}
        if not value["obligations"]:
            return no_op("the harness gave no obligation")
        value["obligations"] = list(value["obligations"])
        document.check_foreign(value, "the replacement")
        shapes.check("reply", value, "the replacement", "REPLY_INVALID", "decompose")
        return Decomposition(value)

    return replan
