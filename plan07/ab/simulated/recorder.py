"""Writes down what a simulated arm asks and executes, its tokens counted."""

from __future__ import annotations

from collections.abc import Iterable

from plan07.ab.records import CallRecord, Purpose, StepRecord, kept
from plan07.ab.simulated.world import World
from plan07.ab.tokens import Counter


class Recorder:
    """The calls and steps of one run.

    Args:
        world: whose state is looked at after each step.
        count: counts tokens.
    """

    def __init__(self, world: World, count: Counter) -> None:
        self._world = world
        self._count = count
        self.calls: list[CallRecord] = []
        self.steps: list[StepRecord] = []

    def call(self, purpose: Purpose, prompt: str, reply: str, *, retry: bool) -> None:
        """Write down a call for the step that comes next, or for the whole run.

        Args:
            purpose: as in `CallRecord`.
            prompt: what was sent.
            reply: what came back.
            retry: it does again what failed, or what has to be done again because of it.
        """
        self.calls.append(
            CallRecord(
                purpose=purpose,
                step=None if purpose == "decompose" else len(self.steps),
                retry=retry,
                tokens_in=self._count(prompt),
                tokens_out=self._count(reply),
                prompt=kept(prompt),
                reply=kept(reply),
            )
        )

    def step(
        self, node: str, entities: Iterable[str], *, attempts: int = 1, applied: bool = True
    ) -> None:
        """Write down an executed node, and whether the repository is valid after it.

        Args:
            node: what the step is called.
            entities: what it was about.
            attempts: how often it was tried.
            applied: its edits stand.
        """
        valid = not self._world.broken() if applied else None
        self.steps.append(
            StepRecord(
                node=node,
                obligations=tuple(entities),
                applied=applied,
                attempts=attempts,
                valid=valid,
                oracles={} if valid is None else {"tests": valid},
            )
        )

    def cut(self, reply: str, most: int) -> str:
        """Return a reply as a server ends it after so many tokens."""
        return self._count.cut(reply, most)
