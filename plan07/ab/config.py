"""The configuration of a comparison: which tasks, arms and seeds, and who makes the runs (TOML).

execution = "simulated"        # live, replay or simulated
model = "a weak model"         # what it is called; runs of unlike models are not compared
host = "the box"               # the machine in your words; neither are those of unlike hosts
seeds = 5                      # 0 to 4, or a list of seeds
arms = ["monolithic", "static", "current", "plan07"]     # these by default
ablate = ["revision_trigger"]  # or true for all five; none by default
provider = "package.module:make"    # who makes the runs; replay has none of its own

[sample]                       # a seeded sample of the tasks; all of them without it
size = 20
seed = 1

[prices]                       # dollars for a million tokens; 0 by default
tokens_in = 0.27
tokens_out = 1.10

[options]                      # for the provider
failure_rate = 0.346

[[tasks]]                      # or tasks = "tasks.jsonl", or a [grid] of data, crossed
id = "rename"
data = { size = 4 }
"""

from __future__ import annotations

import itertools
import json
import os
import random
import tomllib
from collections.abc import Iterable
from decimal import Decimal
from importlib import import_module
from typing import Annotated, Any, NamedTuple, TypeVar

from pydantic import Field, ValidationError

from plan07 import jsontext
from plan07.ab.records import (
    Arm,
    Context,
    Digest,
    Execution,
    Kind,
    Mechanism,
    Name,
    Prices,
    Task,
    digest,
    sample_digest,
)
from plan07.errors import Finding, InputError
from plan07.messages import printable
from plan07.models import Count, Record

_PROVIDERS = {"live": "plan07.ab.live:make", "simulated": "plan07.ab.simulated:make"}
_MOST_RUNS = 100_000
_Kind = TypeVar("_Kind", bound=Record)


class Sampling(Record):
    """A seeded sample without replacement, in the order of the task list."""

    size: Annotated[int, Field(ge=1)]
    seed: Count = 0


class Document(Record):
    """The configuration as it is written, see the module."""

    execution: Kind
    model: Name
    host: Name
    seeds: (
        Annotated[int, Field(ge=1, le=10_000)] | Annotated[tuple[Count, ...], Field(min_length=1)]
    )
    arms: Annotated[tuple[Arm, ...], Field(min_length=1)] = tuple(Arm)
    ablate: bool | tuple[Mechanism, ...] = ()
    provider: Annotated[str, Field(pattern=r"^[\w.]+:[\w.]+$", max_length=200)] | None = None
    sample: Sampling | None = None
    prices: Prices = Prices()
    options: dict[str, Any] = Field(default_factory=dict)
    tasks: tuple[Task, ...] | str | None = None
    grid: dict[str, Annotated[tuple[Any, ...], Field(min_length=1)]] | None = None


class Job(NamedTuple):
    """One run that is wanted."""

    task: Task
    arm: Arm
    seed: int
    removed: Mechanism | None

    @property
    def key(self) -> tuple[str, str, int, str]:
        """Which run it is, as `RunRecord.key`."""
        return (self.task.id, self.arm, self.seed, self.removed or "")


class Config(NamedTuple):
    """A configuration, read.

    Args:
        provider: `module:object` of who makes the runs.
        context: what it is made from.
        jobs: the runs that are wanted, in order.
    """

    provider: str
    context: Context
    jobs: tuple[Job, ...]


def load(path: str) -> Config:
    """Return the configuration in a TOML file.

    Args:
        path: the file, or "-" for standard input.

    Raises:
        InputError: it cannot be read, or is not of the form that the module tells.
    """
    name = "standard input" if path == "-" else path
    try:
        value = tomllib.loads(jsontext.content(path, name).decode(), parse_float=Decimal)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _fault("AB_CONFIG_INVALID", f"{name}: {error}"[:300], "mend the TOML") from error
    document = checked(Document, value, name, "AB_CONFIG_INVALID")
    directory = os.path.dirname(os.path.abspath(path)) if path != "-" else os.getcwd()
    tasks = _sampled(_tasks(document, directory, name), document.sample, name)
    provider = document.provider or _PROVIDERS.get(document.execution)
    if provider is None:
        raise _fault(
            "AB_CONFIG_INVALID",
            f"{name}: a replay has no provider of its own",
            'name one: provider = "package.module:make"',
        )
    seeds = range(document.seeds) if isinstance(document.seeds, int) else document.seeds
    removed = document.ablate if isinstance(document.ablate, tuple) else tuple(Mechanism)
    if document.ablate is False:
        removed = ()
    kinds = [*((arm, None) for arm in document.arms), *((Arm.PLAN07, each) for each in removed)]
    jobs = tuple(
        Job(task, arm, seed, each) for task in tasks for seed in seeds for arm, each in kinds
    )
    if len({job.key for job in jobs}) != len(jobs):
        raise _fault(
            "AB_CONFIG_INVALID",
            f"{name}: a seed, an arm or a mechanism stands twice",
            "name each once",
        )
    if len(jobs) > _MOST_RUNS:
        raise _fault(
            "AB_CONFIG_INVALID",
            f"{name}: {len(jobs)} runs are wanted, the most are {_MOST_RUNS}",
            "use fewer tasks, seeds or arms, or several configurations",
        )
    context = Context(
        execution=document.execution,
        sample=sample_digest(tasks),
        model=document.model,
        host=document.host,
        config=_config_digest(provider, document),
        prices=document.prices,
        options=document.options,
        directory=directory,
    )
    return Config(provider, context, jobs)


def execution_of(provider: str, context: Context) -> Execution:
    """Return who makes the runs.

    Args:
        provider: `module:object`; the module has to be importable, see PYTHONPATH.
        context: what it is made from.

    Raises:
        InputError: there is no such module or object, or it makes none.
    """
    module, _, name = provider.partition(":")
    try:
        found: Any = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise _fault(
            "AB_PROVIDER_INVALID",
            f"the provider {provider} cannot be loaded: {error}"[:300],
            "install its package, put its directory on PYTHONPATH, or mend the name",
        ) from error
    made = found(context)
    if not callable(getattr(made, "run", None)):
        raise _fault(
            "AB_PROVIDER_INVALID",
            f"the provider {provider} returns a {type(made).__name__}, which has no method run",
            "return an Execution, see plan07.ab.records",
        )
    execution: Execution = made
    return execution


def checked(kind: type[_Kind], value: Any, name: str, code: str) -> _Kind:
    """Return a value as a record.

    Args:
        kind: the record.
        value: plain data, numbers as ints, Decimals or floats.
        name: how messages call where it is from.
        code: of the error.

    Raises:
        InputError: with every fault and its place.
    """
    try:
        return kind.model_validate(value, strict=False)
    except ValidationError as error:
        raise invalid(error, name, code) from error


def invalid(error: ValidationError, name: str, code: str) -> InputError:
    """Return the error of a document that is not of the form of its record."""
    found = [
        Finding(
            code,
            ".".join(str(part) for part in each["loc"]) or name,
            f"{name}: {'.'.join(str(part) for part in each['loc'])}: {each['msg']}"[:300],
            "mend the field",
            {"place": [str(part) for part in each["loc"]], "problem": each["type"]},
        )
        for each in error.errors(include_url=False, include_context=False, include_input=False)[:20]
    ]
    return InputError(
        code,
        printable(found[0].message),
        found[0].fix,
        phase="read",
        detail={"source": name, "place": found[0].subject},
        violations=tuple(found),
    )


def _tasks(document: Document, directory: str, name: str) -> tuple[Task, ...]:
    if (document.tasks is None) == (document.grid is None):
        raise _fault(
            "AB_CONFIG_INVALID", f"{name}: give either tasks or grid", "add a table [[tasks]]"
        )
    if document.grid is not None:
        return tuple(_crossed(document.grid))
    tasks = document.tasks
    if isinstance(tasks, str):
        tasks = tuple(_listed(os.path.join(directory, tasks)))
    assert tasks is not None
    ids = [task.id for task in tasks]
    twice = next((each for each in ids if ids.count(each) > 1), None)
    if twice is not None or not tasks:
        said = f"the task {printable(repr(twice))} stands twice" if tasks else "there is no task"
        raise _fault("AB_CONFIG_INVALID", f"{name}: {said}", "name each task once, at least one")
    return tasks


def _listed(path: str) -> Iterable[Task]:
    for number, line in enumerate(jsontext.content(path, path).split(b"\n"), 1):
        if line.strip():
            place = f"{path}:{number}"
            value = jsontext.parse(line, place)
            yield checked(Task, value, place, "AB_TASKS_INVALID")


def _crossed(grid: dict[str, tuple[Any, ...]]) -> Iterable[Task]:
    for values in itertools.product(*grid.values()):
        data = dict(zip(grid, values, strict=True))
        yield Task(id=" ".join(f"{key}={value}" for key, value in data.items()), data=data)


def _sampled(tasks: tuple[Task, ...], sampling: Sampling | None, name: str) -> tuple[Task, ...]:
    if sampling is None:
        return tasks
    if sampling.size > len(tasks):
        raise _fault(
            "AB_CONFIG_INVALID",
            f"{name}: a sample of {sampling.size} is wanted, of {len(tasks)} tasks",
            "make the sample smaller",
        )
    chosen = random.Random(sampling.seed).sample(range(len(tasks)), sampling.size)
    return tuple(tasks[index] for index in sorted(chosen))


def _config_digest(provider: str, document: Document) -> Digest:
    prices = document.prices.model_dump(mode="json")
    value = {"provider": provider, "prices": prices, "options": document.options}
    return digest(json.dumps(value, sort_keys=True, default=str))


def _fault(code: str, message: str, fix: str) -> InputError:
    return InputError(code, printable(message), fix, phase="read")
