"""All that one run asks a model: counted, kept, and ended when the budget is used up.

Every arm has the same budget, in calls and in tokens of prompts and replies together. A request
that the run has made before is not made again: at temperature zero the reply is known.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from plan07.ab.records import CallRecord, Purpose, kept
from plan07.llm.call import Call, Client, Completion
from plan07.models import Record

BYTES_PER_TOKEN = 4


class Budget(Record):
    """What a run may use, the same for every arm.

    Args:
        calls: of the model.
        tokens: of all prompts and replies; the call that goes beyond is the last one.
        reply_tokens: of one edit reply. A decomposition has the limit of the product.
    """

    calls: Annotated[int, Field(ge=1)] = 8
    tokens: Annotated[int, Field(ge=1)] = 6000
    reply_tokens: Annotated[int, Field(ge=1)] = 320


class Spent(Exception):
    """The budget is used up; the run is over."""


class Stuck(Spent):
    """There is nothing new to ask about what is at hand; something else may be."""


class Talk:
    """What one run asks.

    Args:
        client: the model.
        budget: of the run.
    """

    def __init__(self, client: Client, budget: Budget) -> None:
        self._client = client
        self._asked: set[Call] = set()
        self.budget = budget
        self.calls: list[CallRecord] = []
        self.estimated = False

    @property
    def tokens(self) -> int:
        """Tokens of all prompts and replies so far."""
        return sum(call.tokens_in + call.tokens_out for call in self.calls)

    def ask(
        self, call: Call, purpose: Purpose, *, step: int | None = None, retry: bool = False
    ) -> Completion:
        """Return what the model says.

        Args:
            call: what is asked.
            purpose: as in the record.
            step: as in the record.
            retry: as in the record.

        Raises:
            Spent: the budget is used up.
            Stuck: the run has asked this before.
            Plan07Error: the model cannot be asked.
        """
        if len(self.calls) >= self.budget.calls or self.tokens >= self.budget.tokens:
            raise Spent("the budget is used up")
        unlike = call._replace(schema=None)
        if unlike in self._asked:
            raise Stuck("there is nothing new to ask")
        self._asked.add(unlike)
        said = self._client(call)
        prompt = f"{call.system}\n{call.user}"
        self.calls.append(
            CallRecord(
                purpose=purpose,
                step=step,
                retry=retry,
                tokens_in=self._count(said.prompt_tokens, prompt),
                tokens_out=self._count(said.completion_tokens, said.text),
                prompt=kept(prompt),
                reply=kept(said.text),
                finish=said.finish_reason or None,
                seconds=said.seconds,
            )
        )
        return said

    def asker(self, purpose: Purpose, *, retry: bool) -> Client:
        """Return a client of the product that asks through this, so that its calls count.

        Args:
            purpose: as in the record.
            retry: as in the record.
        """
        return lambda call: self.ask(call, purpose, retry=retry)

    def _count(self, tokens: int | None, text: str) -> int:
        if tokens is None:
            self.estimated = True
            return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)
        return tokens
