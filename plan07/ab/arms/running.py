"""One run of an arm: the working copy, the talk, and the steps that stand at the end."""

from __future__ import annotations

from collections.abc import Iterable

from plan07.ab.arms import edits, prompts
from plan07.ab.arms.copy import State, WorkingCopy
from plan07.ab.arms.talk import Talk
from plan07.ab.records import StepRecord
from plan07.llm.call import Call

SHOWN_BYTES = 24_000


def told(refused: str, failed: str) -> str:
    """Return what an arm tells the model of a failure.

    Args:
        refused: why the last reply could not be applied, or "".
        failed: what failed when last something was applied, or "".
    """
    return "\n".join(each for each in (refused, failed) if each)


class Running:
    """What every arm works with.

    Args:
        copy: at the base of the task.
        request: its text.
        talk: with the model.
        shown: bytes of the repository that a prompt holds at the most.
    """

    def __init__(
        self, copy: WorkingCopy, request: str, talk: Talk, shown: int = SHOWN_BYTES
    ) -> None:
        self._shown = shown
        self.copy = copy
        self.request = request
        self.talk = talk
        self.steps: list[StepRecord] = []
        self.notes: list[str] = []

    def prompt(self, *parts: str) -> str:
        """Return a prompt about the copy as it is.

        Args:
            parts: what comes after the request; empty ones are left out.
        """
        files = prompts.selected(self.copy.files(), self.request, self._shown)
        return prompts.whole(files, self.request, *parts)

    def edit(self, *parts: str, retry: bool, failure: str = "") -> str:
        """Have the model edit the copy; return "" or why its reply could not be applied.

        Args:
            parts: of the prompt, between the request and what failed.
            retry: as in the record.
            failure: what the last attempt failed with.

        Raises:
            Spent: the budget is used up.
        """
        user = self.prompt(*parts, prompts.failure(failure))
        limit = self.talk.budget.reply_tokens
        call = Call(prompts.SYSTEM, user, None, max_completion_tokens=limit)
        said = self.talk.ask(call, "edit", step=len(self.steps), retry=retry)
        if not edits.parts(said.text):
            return "your reply holds no code"
        try:
            changed = edits.apply(said.text, self.copy.files())
        except edits.Refused as refused:
            return str(refused)
        if not changed:
            return "your reply changes nothing"
        self.copy.write(changed)
        return ""

    def stands(self, node: str, obligations: Iterable[str] = (), attempts: int = 1) -> State:
        """Record that edits stand, and how the repository is afterwards; return the latter.

        Args:
            node: as in the record.
            obligations: as in the record.
            attempts: as in the record.
        """
        state = self.copy.state()
        self.steps.append(
            StepRecord(
                node=node,
                obligations=tuple(obligations),
                attempts=attempts,
                valid=state.valid,
                oracles=state.oracles,
            )
        )
        return state

    def given_up(self, node: str, obligations: Iterable[str], attempts: int) -> None:
        """Record that the edits of a node were taken back for good."""
        self.steps.append(
            StepRecord(
                node=node,
                obligations=tuple(obligations),
                applied=False,
                attempts=attempts,
                valid=None,
            )
        )
