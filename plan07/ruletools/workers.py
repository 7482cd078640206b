"""Child processes that answer one question after another, each within a limit of time.

Grounding cannot be interrupted, so a rule that does not come to an end can only be stopped from
outside. A child that is over its time is killed, and the next question starts another. Time is that
of the processor where the system can measure it, so that a busy machine makes nothing late.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from plan07.errors import Plan07Error, RulesError, defect, from_dict
from plan07.limited import MEMORY_BYTES, bounded_memory

Question = dict[str, Any]
Answering = Callable[[Question], Any]
CHILD_FAILED = "CHILD_FAILED"
# How often as long the clock may run as the processor works.
_PATIENCE = 30
_HAS_TIMER = hasattr(signal, "setitimer")
_CHILD = "from plan07.ruletools.workers import child; child()"


class TimeOver(Exception):
    """A question was not answered in time."""


class Worker:
    """A child process, started when the first question is asked.

    Args:
        service: where the function lies that returns the answering one, as `module:name`.
        setup: what it is called with, plain JSON values.
    """

    def __init__(self, service: str, setup: Question) -> None:
        self._hello = {"service": service, "setup": setup}
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(self, question: Question, seconds: float) -> Any:
        """Return the answer to a question.

        Args:
            question: plain JSON values.
            seconds: how long it may take, of the processor; starting the child does not count.

        Raises:
            TimeOver: it took longer, or thirty times as long by the clock.
            Plan07Error: what the answering function raised; RulesError if the child died.
        """
        process = self._process or self._start()
        _write(process, {"question": question, "seconds": seconds})
        try:
            line = self._lines.get(timeout=seconds * (_PATIENCE if _HAS_TIMER else 1))
        except queue.Empty:
            self.close()
            raise TimeOver from None
        if not line:
            raise self._died(process)
        answer = json.loads(line)
        if "error" in answer:
            raise from_dict(answer, answer["status"])
        return answer["answer"]

    def close(self) -> None:
        """End the child."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _start(self) -> subprocess.Popen[str]:
        home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        path = os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])])
        process = self._process = subprocess.Popen(
            [sys.executable, "-c", _CHILD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,
        )
        self._lines = queue.SimpleQueue()
        threading.Thread(target=_forward, args=(process, self._lines), daemon=True).start()
        _write(process, self._hello)
        if not self._lines.get():
            raise self._died(process)
        return process

    def _died(self, process: subprocess.Popen[str]) -> RulesError | TimeOver:
        status = process.wait()
        self.close()
        if _HAS_TIMER and status == -signal.SIGPROF:
            return TimeOver()
        return RulesError(
            CHILD_FAILED,
            f"the solver ended with status {status}, perhaps for want of memory",
            f"the rules may use {MEMORY_BYTES} bytes; look for a rule that multiplies",
            phase="rules",
            detail={"status": status},
        )


def _write(process: subprocess.Popen[str], value: Question) -> None:
    assert process.stdin is not None
    with contextlib.suppress(OSError, ValueError):
        process.stdin.write(json.dumps(value) + "\n")
        process.stdin.flush()


def _forward(process: subprocess.Popen[str], lines: queue.SimpleQueue[str]) -> None:
    assert process.stdout is not None
    with contextlib.suppress(ValueError, OSError):
        for line in process.stdout:
            lines.put(line)
    lines.put("")


def answers(
    service: str,
    setup: Question,
    questions: Sequence[Question],
    seconds: float,
    jobs: int,
) -> Iterator[Any]:
    """Yield the answer to each question, in their order, or the error instead.

    An error is `TimeOver`, or a `Plan07Error` that the answering function raised.

    Args:
        service: as for `Worker`.
        setup: as for `Worker`.
        questions: plain JSON values.
        seconds: how long each may take.
        jobs: how many children work at once, at least 1.
    """
    results: list[queue.SimpleQueue[Any]] = [queue.SimpleQueue() for _ in questions]
    workers = [Worker(service, setup) for _ in range(min(jobs, len(questions)))]
    todo = iter(list(enumerate(questions)))
    turn = threading.Lock()
    stopped = threading.Event()

    def work(worker: Worker) -> None:
        while not stopped.is_set():
            with turn:
                index, question = next(todo, (-1, {}))
            if index < 0:
                break
            try:
                results[index].put(worker.ask(question, seconds))
            except (TimeOver, Plan07Error) as error:
                results[index].put(error)
            except Exception as error:
                results[index].put(defect(error))
        worker.close()

    threads = [threading.Thread(target=work, args=(worker,), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        for result in results:
            yield result.get()
    finally:
        stopped.set()
        for worker in workers:
            worker.close()


def child() -> None:
    """Answer questions from standard input, a line each, until it ends."""
    bounded_memory()
    # What rules or plug-ins print must not stand between the answers.
    out, sys.stdout = sys.stdout, sys.stderr
    hello = json.loads(sys.stdin.readline())
    answering = _answering(hello["service"], hello["setup"])
    print("ready", file=out, flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        with _bounded(asked["seconds"]):
            answer = _answer(answering, asked["question"])
        print(json.dumps(answer), file=out, flush=True)


@contextlib.contextmanager
def _bounded(seconds: float) -> Iterator[None]:
    """Let the system end this process when it has used so much more of the processor."""
    if not _HAS_TIMER:
        yield
        return
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _answering(service: str, setup: Question) -> Answering:
    from importlib import import_module

    module, _, name = service.partition(":")
    make: Callable[..., Answering] = getattr(import_module(module), name)
    return make(**setup)


def _answer(answering: Answering, question: Question) -> dict[str, Any]:
    try:
        return {"answer": answering(question)}
    except Plan07Error as error:
        return {**error.as_dict(), "status": error.exit_status}
    except MemoryError:
        raise
    except Exception as error:
        return {**defect(error).as_dict(), "status": defect(error).exit_status}
