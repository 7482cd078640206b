"""What one run of the A/B protocol leaves behind, and the interface of whatever makes runs.

A run is one arm on one task with one seed. Three executions make runs: `live` (a real model edits),
`replay` (recorded edits are applied, no model) and `simulated` (a seeded model of a weak model; its
figures are called simulated everywhere). All three return the same `RunRecord`, so instruments,
decision, ablation and report never ask which it was, except to name it.

**Writing an execution.** Provide a function `make(context: Context) -> Execution` and name it in
the configuration as `provider = "package.module:make"`. The execution's one method gets a task, an
arm, a seed and the mechanism that is removed (or None) and returns `context.record(...)`, which
fills in sample, model, host and cost:

    class Mine:
        def __init__(self, context): self.context = context
        def run(self, task, arm, seed, removed):
            ...
            return self.context.record(task, arm, seed, removed, steps=..., calls=..., resolved=...)

Executions are pickled and called in other processes, or on other machines: keep plain data in
them, open clients and clones inside `run`, leave nothing behind. The same arguments give the same
record, apart from `seconds`, as far as the model allows it.

**An executed node** is the unit of the temporal-consistency rate (build spec 7.2: "after each
executed node"). It is the same for all arms: one application of edits that the arm lets stand when
it goes on. Its state is looked at then, after the arm's own gate and rollback if it has one:

- plan07: one node of the plan that was edited and whose edits stand. An attempt that the gate
  refused and rolled back leaves no state of its own; it counts in `attempts` and its calls as
  retries. A node that was given up and rolled back is a step with `applied` false.
- static: one step of the chain in the prompt, each time it is applied.
- monolithic, current: one attempt, that is one reply whose edits were applied.

Steps with `applied` false are kept for the record and are in no rate.

**Retry tokens** (build spec 7.1) are tokens_in + tokens_out of the calls with `retry` true: a call
that does again what was done before and failed, or what has to be done again because something
before it failed. The first call for a piece of work is never a retry. So after a failure in a
static chain the calls of all steps from the top are retries; in the monolith the whole second
prompt is; in plan07 the new decomposition of the affected part and the edits of that part are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal, Protocol, TypeAlias

from pydantic import Field, model_validator

from plan07.models import Count, Record

SCHEMA = "plan07.ab.run/1"


class Arm(StrEnum):
    """Who works on the request; all four get the identical one."""

    MONOLITHIC = "monolithic"  # one prompt for everything; on failure everything again
    STATIC = "static"  # the decomposition stands in the prompt as a fixed chain
    CURRENT = "current"  # the harness as it is: edit without planning
    PLAN07 = "plan07"  # this planner


class Mechanism(StrEnum):
    """The five planning mechanisms, in the order in which they are ablated (build spec 7.5)."""

    REVISION_TRIGGER = "revision_trigger"  # 3.6; the weakest a priori, so the first
    EXTERNALIZED_PLAN = "externalized_plan"  # 3.7
    TYPED_ARTIFACTS = "typed_artifacts"  # 3.1 and section 4
    DEPENDENCY_ORDERING = "dependency_ordering"  # 3.2
    LOCAL_GATE = "local_gate"  # 3.5


Kind: TypeAlias = Literal["live", "replay", "simulated"]
Purpose: TypeAlias = Literal["decompose", "redecompose", "edit", "judge"]
Name: TypeAlias = Annotated[str, Field(min_length=1, max_length=200)]
Digest: TypeAlias = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Dollars: TypeAlias = Annotated[Decimal, Field(ge=0, allow_inf_nan=False)]
Seconds: TypeAlias = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Kept(Record):
    """A prompt or a reply, kept whole. An execution gives the text; the store moves it out.

    Args:
        digest: SHA-256 of its UTF-8 bytes.
        text: the whole text; None where it is in a file.
        path: the file of texts beside the runs file, in which a line has this digest; None where
            the text is here.
    """

    digest: Digest
    text: str | None = None
    path: Name | None = None

    @model_validator(mode="after")
    def _one_place(self) -> Kept:
        if self.text is not None and digest(self.text) != self.digest:
            raise ValueError("the digest is not that of the text")
        if (self.text is None) == (self.path is None):
            raise ValueError("a kept text has either text or path")
        return self


class CallRecord(Record):
    """One call of a model.

    Args:
        purpose: decompose, redecompose (of an affected part), edit, or judge.
        step: which step it worked for, from 0; None for what serves the whole run.
        retry: it does again what failed, or what has to be done again because of a failure.
        tokens_in: of the prompt, as the run's tokenizer counts.
        tokens_out: of the reply.
        prompt: what was sent, kept.
        reply: what came back, kept.
        finish: why the model stopped, such as stop or length, in the server's word.
        seconds: how long it took; in no compared figure.
    """

    purpose: Purpose
    step: Count | None = None
    retry: bool
    tokens_in: Count
    tokens_out: Count
    prompt: Kept
    reply: Kept
    finish: Name | None = None
    seconds: Seconds | None = None


class StepRecord(Record):
    """One executed node, as the module tells it.

    Args:
        node: the plan's id for it, or `attempt-N`, `step-N` in an arm without a plan.
        obligations: ids of the obligations it is for; empty where the arm knows none.
        applied: its edits stand; false for what was given up and rolled back.
        attempts: how often it was tried, at least 1.
        valid: the repository is buildable and testable afterwards; None if nobody could judge.
        oracles: what each judge said, by its name (`types`, `tests`, `stable_tests`).
    """

    node: Name
    obligations: tuple[Name, ...] = ()
    applied: bool = True
    attempts: Annotated[int, Field(ge=1, le=2**30)] = 1
    valid: bool | None
    oracles: dict[str, bool | None] = Field(default_factory=dict)


class RunRecord(Record):
    """One arm on one task with one seed.

    Args:
        schema_: `schema` on the wire, plan07.ab.run/1.
        execution: live, replay or simulated.
        arm: monolithic, static, current or plan07.
        task: the id of the task.
        seed: of everything random in the run.
        sample: SHA-256 of the task list; runs of unlike samples are not compared.
        model: the model's name; runs of unlike models are not compared.
        host: the machine, in its owner's words; runs of unlike hosts are not compared.
        config: SHA-256 of what else the runs were made with: provider, options, prices.
        tokenizer: who counted the tokens, such as `usage of the server`.
        removed: the ablated mechanism; None for the whole planner and for the baselines.
        settings: what the execution did with it, for the reader: temperature, failure rate, plan
            size; the same for all arms of a task.
        steps: what was executed, in order.
        calls: what the model was asked, in order.
        resolved: the request is fulfilled at the end; None if nobody could judge.
        cost: model spend in dollars, exact; 0 for a local model, None if unknown.
        notes: what a reader should know.
    """

    schema_: Annotated[Literal["plan07.ab.run/1"], Field(alias="schema")] = "plan07.ab.run/1"
    execution: Kind
    arm: Arm
    task: Name
    seed: Count
    sample: Digest
    model: Name
    host: Name
    config: Digest
    tokenizer: Name
    removed: Mechanism | None = None
    settings: dict[str, str] = Field(default_factory=dict)
    steps: tuple[StepRecord, ...]
    calls: tuple[CallRecord, ...]
    resolved: bool | None
    cost: Dollars | None
    notes: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str, int, str]:
        """Which run it is among those of one configuration: task, arm, seed, mechanism or ""."""
        return (self.task, self.arm, self.seed, self.removed or "")

    def line(self) -> str:
        """Return the run as one line of a runs file, without its end; the same run, the same."""
        row = self.model_dump(mode="json")
        return json.dumps(row, ensure_ascii=True, separators=(",", ":"), sort_keys=True)


class Prices(Record):
    """What a model costs, in dollars for a million tokens; 0 for a local one."""

    tokens_in: Dollars = Decimal(0)
    tokens_out: Dollars = Decimal(0)

    def of(self, calls: Iterable[CallRecord]) -> Decimal:
        """Return the exact cost of calls in dollars."""
        total = Decimal(0)
        for call in calls:
            total += call.tokens_in * self.tokens_in + call.tokens_out * self.tokens_out
        return total.scaleb(-6)


class Task(Record):
    """One task of the sample.

    Args:
        id: unique in the sample; any text.
        data: what the execution needs, such as request, repository, base commit.
    """

    id: Name
    data: dict[str, Any] = Field(default_factory=dict)


class Context(Record):
    """What an execution is made from; the same for all runs of a configuration.

    Args:
        execution: live, replay or simulated.
        sample: SHA-256 of the task list.
        model: the model's name.
        host: the machine, in its owner's words.
        config: SHA-256 of provider, options and prices.
        prices: of the model.
        options: the `options` table of the configuration, the execution's own business.
        directory: that of the configuration, which relative paths in options start from.
    """

    execution: Kind
    sample: Digest
    model: Name
    host: Name
    config: Digest
    prices: Prices = Prices()
    options: dict[str, Any] = Field(default_factory=dict)
    directory: str = "."

    def record(
        self,
        task: Task,
        arm: Arm,
        seed: int,
        removed: Mechanism | None,
        *,
        steps: Iterable[StepRecord],
        calls: Iterable[CallRecord],
        resolved: bool | None,
        tokenizer: str,
        settings: Mapping[str, str] | None = None,
        notes: Iterable[str] = (),
    ) -> RunRecord:
        """Return the record of a run, its cost from the prices."""
        made = tuple(calls)
        return RunRecord(
            execution=self.execution,
            arm=arm,
            task=task.id,
            seed=seed,
            sample=self.sample,
            model=self.model,
            host=self.host,
            config=self.config,
            tokenizer=tokenizer,
            removed=removed,
            settings=dict(sorted((settings or {}).items())),
            steps=tuple(steps),
            calls=made,
            resolved=resolved,
            cost=self.prices.of(made),
            notes=tuple(notes),
        )


class Execution(Protocol):
    """Whatever makes runs. Has to be picklable."""

    def run(self, task: Task, arm: Arm, seed: int, removed: Mechanism | None) -> RunRecord:
        """Return the record of one run.

        Args:
            task: one of the sample.
            arm: who works on it.
            seed: of everything random.
            removed: the mechanism to do without, only with the arm plan07; None for none.

        Raises:
            Plan07Error: the run cannot be made at all; a run that fails its task is a record.
        """
        ...


def digest(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8 bytes, lone surrogates as their escapes.

    >>> digest("")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def kept(text: str) -> Kept:
    """Return a text kept in the record itself."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return Kept(digest=digest(text), text=text)


def sample_digest(tasks: Iterable[Task]) -> str:
    """Return the SHA-256 of a task list: ids and data, in the order of the list."""
    rows = [task.model_dump(mode="json") for task in tasks]
    return digest(json.dumps(rows, ensure_ascii=True, sort_keys=True, separators=(",", ":")))
