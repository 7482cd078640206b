"""Live runs: a real model edits working copies, and real tests say what came of it.

Each run has a copy of the task's repository of its own, in a temporary directory. The arm works on
it; then the hidden acceptance tests are put beside another copy of what it left, and say whether
the request is fulfilled. The model is any OpenAI-compatible server; with a cassette, what it said
is recorded, and said again without it.

The model's code runs on this machine, in processes with a time limit and no more protection than
that: use a container for a model that you do not trust.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

from pydantic import Field

from plan07.ab import swebench, tasks
from plan07.ab.arms import ablated, current, harness, monolithic, planned, static
from plan07.ab.arms.planned import Plans
from plan07.ab.arms.running import SHOWN_BYTES, Running
from plan07.ab.arms.talk import Budget, Spent, Talk
from plan07.ab.cassette import Cassette, mode_of
from plan07.ab.config import checked
from plan07.ab.records import Arm, Context, Mechanism, RunRecord, Task
from plan07.llm.call import Call, Client, Completion
from plan07.models import Record

_BASELINES: Mapping[Arm, Callable[[Running], None]] = {
    Arm.MONOLITHIC: monolithic.run,
    Arm.STATIC: static.run,
    Arm.CURRENT: current.run,
}
_WITHOUT: Mapping[Mechanism, Callable[[Plans], None]] = {
    Mechanism.EXTERNALIZED_PLAN: ablated.plan_in_prompt,
    Mechanism.TYPED_ARTIFACTS: ablated.untyped,
    Mechanism.DEPENDENCY_ORDERING: ablated.unordered,
}


class Options(Record):
    """The `options` table of a live configuration.

    Args:
        base_url: of the server; PLAN07_BASE_URL without it.
        response_format: as `plan07 plan --response-format`.
        token_parameter: as `plan07 plan --token-parameter`.
        timeout: seconds of one call.
        weights: hash of the model's weights, for the cassette.
        cassette: file of recorded replies, from where the configuration lies; none without it.
        budget: of every run, whatever the arm.
        seconds: of the processor, the limit of one check, so that a busy machine changes no
            verdict; by the clock it may take twenty times as long.
        python: interpreter of the checks, with pytest; this one without it.
        drafted: rules draft the obligations where the model's decomposition is refused.
        harness: a command that takes the place of the arm `current`, see `arms.harness`.
        harness_seconds: its time limit.
        repository_bytes: of the repository in a prompt; of a larger one, the files that the request
            speaks of most.
        instances: the data of SWE-bench, for tasks `{ instance = ID }`.
        clones: the directory of clones of their repositories.
    """

    base_url: str | None = None
    response_format: str | None = None
    token_parameter: str | None = None
    timeout: Annotated[float, Field(gt=0, le=86_400)] = 600
    weights: Annotated[str, Field(max_length=200)] = ""
    cassette: str | None = None
    budget: Budget = Budget()
    seconds: Annotated[float, Field(gt=0, le=3600)] = 30
    python: str | None = None
    drafted: bool = True
    harness: Annotated[str, Field(max_length=1000)] = ""
    harness_seconds: Annotated[float, Field(gt=0, le=86_400)] = 3600
    repository_bytes: Annotated[int, Field(ge=1)] = SHOWN_BYTES
    instances: str = "instances.jsonl"
    clones: str = "clones"


def make(context: Context) -> Live:
    """Return what makes live runs.

    Args:
        context: of the configuration.

    Raises:
        InputError: an option is wrong.
    """
    return Live(context)


class Live:
    """Makes live runs, see the module.

    Args:
        context: of the configuration.

    Raises:
        InputError: an option is wrong.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self._options = checked(Options, context.options, "options", "AB_CONFIG_INVALID")

    def run(self, task: Task, arm: Arm, seed: int, removed: Mechanism | None) -> RunRecord:
        """Return the record of one run, see `records.Execution`.

        The seed is recorded and changes nothing: replies are asked for at temperature zero.

        Raises:
            Plan07Error: the task, the model or the cassette cannot be used.
        """
        options = self._options
        work = self._task(task)
        python = options.python or sys.executable
        with tempfile.TemporaryDirectory(prefix="plan07-live-") as folder, _own_home():
            root = os.path.join(folder, "repository")
            work.lay(root)
            copy = work.copy(root, python, options.seconds)
            talk = Talk(self._client(), options.budget)
            running = Running(copy, work.request, talk, options.repository_bytes)
            plans = os.path.join(folder, "plans")
            try:
                self._work(running, arm, removed, plans, python)
            except Spent as spent:
                running.notes.append(str(spent))
            resolved = work.resolved(copy, python, options.seconds)
        return self.context.record(
            task,
            arm,
            seed,
            removed,
            steps=running.steps,
            calls=talk.calls,
            resolved=resolved,
            tokenizer="estimate, four bytes to a token"
            if talk.estimated
            else "usage of the server",
            settings={
                "temperature": "0",
                "calls": str(options.budget.calls),
                "tokens": str(options.budget.tokens),
                "reply_tokens": str(options.budget.reply_tokens),
            },
            notes=running.notes,
        )

    def _task(self, task: Task) -> tasks.SmallTask | swebench.Instance:
        directory, options = self.context.directory, self._options
        if "instance" not in task.data:
            return tasks.small(task.data, directory)
        data, clones = (os.path.join(directory, x) for x in (options.instances, options.clones))
        return swebench.instance(str(task.data["instance"]), data, clones)

    def _work(
        self, running: Running, arm: Arm, removed: Mechanism | None, folder: str, python: str
    ) -> None:
        options = self._options
        if arm is Arm.CURRENT and options.harness:
            harness.run(running, options.harness, options.harness_seconds)
        elif arm is Arm.PLAN07:
            plans = Plans(running, folder, python, options.seconds, options.drafted)
            without = _WITHOUT.get(removed) if removed is not None else None
            if without is not None:
                without(plans)
            else:
                planned.run(plans, removed)
        else:
            _BASELINES[arm](running)

    def _client(self) -> Client:
        options = self._options
        connected: list[Client] = []

        def ask(call: Call) -> Completion:
            # Not before it is needed: a replay has neither a server nor the package for one.
            if not connected:
                connected.append(self._connected())
            return connected[0](call)

        if options.cassette is None:
            return ask
        path = os.path.join(self.context.directory, options.cassette)
        mode = mode_of(os.environ)
        return Cassette(path, mode, self.context.model, options.weights).around(ask)

    def _connected(self) -> Client:
        from plan07.llm import client

        options = self._options
        given: dict[str, Any] = {
            "model": self.context.model,
            "base_url": options.base_url,
            "timeout": options.timeout,
            "response_format": options.response_format,
            "token_parameter": options.token_parameter,
        }
        return client.connect(client.settings(os.environ, **given))


@contextmanager
def _own_home() -> Iterator[None]:
    """Let each working copy keep its evidence in itself, wherever plan07 keeps it otherwise."""
    named = os.environ.pop("PLAN07_HOME", None)
    try:
        yield
    finally:
        if named is not None:
            os.environ["PLAN07_HOME"] = named
