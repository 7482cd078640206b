"""Runs a job for each of many files in forked workers, one for each core.

A file that takes too long, or on which the parser itself breaks, costs the file and not the build:
its worker is killed and another takes its place. Where there is no fork, or other threads run,
files are taken one by one in this process.
"""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import struct
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence

# Seconds of the processor for one file; none of a real project takes a tenth of it.
LONGEST_SECONDS = 20
# Seconds of the clock, on however busy a machine.
LONGEST_WAIT = 600.0
_BROKEN = "the parser broke down on it"
# Forking costs more than so few files.
_FEWEST = 12
_HEAD = struct.Struct("<II")

Job = Callable[[str], bytes]


def run(
    job: Job,
    names: Sequence[str],
    jobs: int,
    longest: int = LONGEST_SECONDS,
    wait: float = LONGEST_WAIT,
) -> Generator[tuple[str, bytes | str], None, None]:
    """Yield for each name the bytes that a job makes of it, or why it made none; in any order.

    Args:
        job: what to do; it must catch what it expects.
        names: of files.
        jobs: number of workers.
        longest: seconds of the processor for one file.
        wait: seconds of the clock for one file.
    """
    alone = jobs < 2 or len(names) < _FEWEST or not hasattr(os, "fork")
    if alone or threading.active_count() > 1:
        for name in names:
            try:
                found: bytes | str = job(name)
            except Exception:
                found = _BROKEN
            yield name, found
        return
    yield from _Crew(job, names, min(jobs, len(names)), longest, wait).run()


def cores() -> int:
    """Return how many processes can run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Worker:
    def __init__(self, pid: int, orders: int, results: int) -> None:
        self.pid = pid
        self.orders = orders
        self.results = results
        self.current: int | None = None
        self.until = 0.0
        self.buffer = bytearray()


class _Crew:
    def __init__(
        self, job: Job, names: Sequence[str], jobs: int, longest: int, wait: float
    ) -> None:
        self._job = job
        self._names = names
        self._jobs = jobs
        self._longest = longest
        self._wait = wait
        self._next = 0
        self._workers: dict[int, _Worker] = {}

    def run(self) -> Iterator[tuple[str, bytes | str]]:
        try:
            for _ in range(self._jobs):
                self._hire()
            while self._workers:
                yield from self._listen()
        finally:
            for worker in list(self._workers.values()):
                self._dismiss(worker, kill=True)

    def _hire(self) -> None:
        if self._next >= len(self._names):
            return
        orders_out, orders_in = os.pipe()
        results_out, results_in = os.pipe()
        pid = os.fork()
        if pid == 0:
            for other in self._workers.values():
                os.close(other.orders)
                os.close(other.results)
            os.close(orders_in)
            os.close(results_out)
            _serve(self._job, self._names, orders_out, results_in, self._longest)
        os.close(orders_out)
        os.close(results_in)
        worker = _Worker(pid, orders_in, results_out)
        self._workers[results_out] = worker
        self._order(worker)

    def _order(self, worker: _Worker) -> None:
        if self._next >= len(self._names):
            self._dismiss(worker, kill=False)
            return
        worker.current = self._next
        worker.until = time.monotonic() + self._wait
        self._next += 1
        with contextlib.suppress(BrokenPipeError):
            os.write(worker.orders, _HEAD.pack(worker.current, 0))

    def _dismiss(self, worker: _Worker, *, kill: bool) -> int:
        """End a worker and return how it ended, as `os.waitpid` says it."""
        self._workers.pop(worker.results, None)
        os.close(worker.orders)
        os.close(worker.results)
        if kill:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker.pid, signal.SIGKILL)
        try:
            return os.waitpid(worker.pid, 0)[1]
        except ChildProcessError:
            return 0

    def _listen(self) -> Iterator[tuple[str, bytes | str]]:
        soonest = min(worker.until for worker in self._workers.values())
        wait = max(0.0, soonest - time.monotonic())
        ready, _, _ = select.select(list(self._workers), [], [], wait)
        for handle in ready:
            worker = self._workers[handle]
            data = os.read(handle, 1 << 20)
            if not data:
                yield from self._lost(worker)
                continue
            worker.buffer += data
            yield from self._received(worker)
        now = time.monotonic()
        for worker in [each for each in self._workers.values() if each.until <= now]:
            yield from self._lost(worker, f"it takes more than {self._wait:g} seconds")

    def _received(self, worker: _Worker) -> Iterator[tuple[str, bytes | str]]:
        if len(worker.buffer) < _HEAD.size:
            return
        number: int
        size: int
        number, size = _HEAD.unpack_from(worker.buffer)
        if len(worker.buffer) < _HEAD.size + size:
            return
        result = bytes(worker.buffer[_HEAD.size : _HEAD.size + size])
        worker.buffer.clear()
        self._order(worker)
        yield self._names[number], result

    def _lost(self, worker: _Worker, why: str = "") -> Iterator[tuple[str, bytes | str]]:
        current = worker.current
        status = self._dismiss(worker, kill=bool(why))
        if not why:
            too_long = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU
            spent = f"it takes more than {self._longest} seconds"
            why = spent if too_long else _BROKEN
        self._hire()
        if current is not None:
            yield self._names[current], why


def _serve(job: Job, names: Sequence[str], orders: int, results: int, longest: int) -> None:
    """Do what is ordered until the pipe is closed; never returns."""
    status = 1
    try:
        # What the parent holds stays where it is, so that its pages are shared.
        gc.freeze()
        done = 0
        while True:
            head = os.read(orders, _HEAD.size)
            if len(head) < _HEAD.size:
                break
            number: int = _HEAD.unpack(head)[0]
            _limit(longest)
            data = job(names[number])
            message = memoryview(_HEAD.pack(number, len(data)) + data)
            while message:
                message = message[os.write(results, message) :]
            done += 1
            if done % 50 == 0:
                gc.collect()
        status = 0
    finally:
        # Neither what the parent has buffered nor its handlers are this process's to run.
        os._exit(status)


def _limit(seconds: int) -> None:
    """Let the system end this process when it has used so much more of the processor."""
    try:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        soft = int(time.process_time()) + 1 + seconds
        if hard == resource.RLIM_INFINITY or soft < hard:
            resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))
    except (ImportError, ValueError, OSError):
        pass  # Not every system has such limits; the clock is watched everywhere.
