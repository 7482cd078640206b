"""Makes the runs that a configuration wants and a runs file lacks, on any `Executor`.

A local pool of processes by default, an existing Dask cluster (extra `plan07[dask]`) for the same
tasks, or this process alone. Each run is on the disk when it is done; an interrupt keeps those, and
the next call makes the others.
"""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from typing import Any, TypeAlias

from plan07.ab.config import Config, Job, execution_of
from plan07.ab.records import Context, RunRecord
from plan07.ab.store import Store
from plan07.errors import InputError, Plan07Error
from plan07.messages import quoted

# Hears how many runs there are of how many, and which was made last.
Told: TypeAlias = Callable[[int, int, Job], None]

# Seconds to find a Dask scheduler.
_DASK_SECONDS = 10


def run_all(config: Config, store: Store, executor: Executor, ahead: int, told: Told) -> int:
    """Make the runs that are missing, and return how many were made.

    Args:
        config: what is wanted.
        store: the runs file, opened; runs in it are not made again.
        executor: who works; anything with the interface of `concurrent.futures`.
        ahead: how many runs are handed out at a time, at least 1.
        told: hears of each run that is kept.

    Raises:
        Plan07Error: a run cannot be made, or kept; those made before are kept.
        KeyboardInterrupt: likewise.
    """
    made = {run.key for run in store.runs}
    missing = [job for job in config.jobs if job.key not in made]
    total, done = len(config.jobs), len(config.jobs) - len(missing)
    waiting = iter(missing)
    pending: dict[Future[RunRecord], Job] = {}
    try:
        while True:
            for job in itertools.islice(waiting, ahead - len(pending)):
                pending[_submitted(executor, config, job)] = job
            if not pending:
                break
            for future in wait(pending, return_when=FIRST_COMPLETED).done:
                job = pending.pop(future)
                store.append(_kept(future, job))
                done += 1
                told(done, total, job)
    except BaseException:
        _give_up(pending, store)
        raise
    store.settle([job.key for job in config.jobs])
    return len(missing)


def run_one(provider: str, context: Context, job: Job) -> RunRecord:
    """Return the record of one run. What the executor calls, wherever it does.

    Raises:
        Plan07Error: it cannot be made.
    """
    execution = execution_of(provider, context)
    return execution.run(job.task, job.arm, job.seed, job.removed)


@contextlib.contextmanager
def local(workers: int) -> Iterator[tuple[Executor, int]]:
    """Yield a pool of processes of this machine, and how far to hand out runs ahead.

    With one worker it is this process itself.

    Args:
        workers: at least 1.
    """
    if workers == 1:
        yield Here(), 1
        return
    # Started afresh, so that nothing of this process, such as a lock or a thread, is copied.
    fresh = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=fresh, initializer=_ignore_interrupts)
    try:
        yield pool, 2 * workers
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextlib.contextmanager
def dask(address: str) -> Iterator[tuple[Executor, int]]:
    """Yield an existing Dask cluster, and how far to hand out runs ahead.

    Its workers need this version of plan07, and whatever the provider needs.

    Args:
        address: of its scheduler, such as tcp://127.0.0.1:8786.

    Raises:
        InputError: the extra is not installed, or nobody answers there.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise InputError(
            "EXTRA_MISSING",
            "a Dask cluster needs its client, which is not installed",
            "pip install 'plan07[dask]'",
            phase="usage",
            detail={"extra": "dask"},
        ) from error
    try:
        client = distributed.Client(address, timeout=_DASK_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise InputError(
            "DASK_UNREACHABLE",
            f"no scheduler answers at {quoted(address)}: {str(error)[:160]}",
            "give the address that `dask scheduler` prints, such as tcp://127.0.0.1:8786",
            phase="ab",
            detail={"address": address},
            retryable=True,
        ) from error
    try:
        # Not pure: the same run is made again if it is asked for again.
        yield client.get_executor(pure=False), max(8, 2 * sum(client.nthreads().values()))
    finally:
        client.close()


class Here(Executor):
    """Works in this process, at once."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Return a future of a call that was made."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def _ignore_interrupts() -> None:
    """A terminal interrupts all its processes; the one that keeps the runs decides."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _submitted(executor: Executor, config: Config, job: Job) -> Future[RunRecord]:
    try:
        return executor.submit(run_one, config.provider, config.context, job)
    except BrokenProcessPool as error:
        raise _died(job) from error


def _kept(future: Future[RunRecord], job: Job) -> RunRecord:
    """The record of a run, checked to be that of its job."""
    try:
        run = future.result()
    except (Plan07Error, CancelledError):
        raise
    except BrokenProcessPool as error:
        raise _died(job) from error
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        raise _failed(job, said, "mend the provider, then call it again") from error
    if not isinstance(run, RunRecord) or run.key != job.key:
        raise _failed(job, "the provider returned another run", "return the run it was asked for")
    return run


def _died(job: Job) -> InputError:
    return _failed(job, "a worker died", "give it more memory, or fewer --workers")


def _failed(job: Job, said: str, fix: str) -> InputError:
    return InputError(
        "AB_RUN_FAILED",
        f"the run of task {quoted(job.task.id)}, arm {job.arm}, seed {job.seed} failed: "
        f"{said[:200]}",
        f"{fix}; what was made before is kept",
        phase="ab",
        detail={"key": list(job.key)},
    )


def _give_up(pending: dict[Future[RunRecord], Job], store: Store) -> None:
    """Keep what is done already, and let nothing more begin."""
    for future, job in list(pending.items()):
        if future.cancel() or not future.done():
            continue
        with contextlib.suppress(Exception, CancelledError):
            store.append(_kept(future, job))


def workers_by_default(jobs: Sequence[Job]) -> int:
    """Return how many processes a comparison is worth: the machine's, no more than the runs."""
    return max(1, min(multiprocessing.cpu_count(), len(jobs)))
