"""Runs one program for the gate: without a shell, without input, bounded in time and output.

The program gets a process group of its own, which is ended with it: asked at the time limit
(TERM), and one second later made (KILL). What has left the group is ended too, where the system
tells (see `leftovers`). What the program writes is counted and hashed whole, and its last lines are
kept, however much there is.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import selectors
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import IO, NamedTuple

from plan07 import leftovers

KEPT_BYTES = 8 * 1024
GRACE_SECONDS = 1.0
_POLL_SECONDS = 0.05
_CHUNK = 64 * 1024
# Bytes with which no character of UTF-8 begins.
_CONTINUED = bytes(range(0x80, 0xC0))


class Ran(NamedTuple):
    """What came of a program.

    Args:
        exit: its exit status; minus the signal that ended it; None where it could not be started.
        seconds: how long it ran.
        timed_out: it was ended at the time limit.
        output: the last of what it wrote on standard output and error.
        size: bytes that it wrote.
        sha256: of all that it wrote.
        reason: why it could not be started.
    """

    exit: int | None
    seconds: float
    timed_out: bool
    output: str
    size: int
    sha256: str
    reason: str = ""


def run(
    words: Sequence[str],
    directory: str,
    environment: Mapping[str, str],
    limit: float,
    *,
    given: bytes = b"",
    watch: Callable[[], None] = lambda: None,
    mark: str = "",
    clock: Callable[[], float] = time.monotonic,
) -> Ran:
    """Return what came of a program.

    Args:
        words: the program and its arguments; no shell reads them.
        directory: where it runs.
        environment: all of its environment, but for the mark by which what it leaves is found.
        limit: seconds until it is ended.
        given: what it reads on standard input; with none, standard input is closed.
        watch: called every 50 ms; what it raises ends the program and is raised.
        mark: by which `leftovers` finds what it leaves; one of its own by default.
        clock: seconds.
    """
    started = clock()
    mark = mark or f"{os.getpid()}-{time.monotonic_ns()}"
    try:
        child = subprocess.Popen(
            list(words),
            cwd=directory,
            env={**environment, leftovers.NAME: mark},
            stdin=subprocess.PIPE if given else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            close_fds=True,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        return Ran(None, 0.0, False, "", 0, hashlib.sha256().hexdigest(), reason)
    tail = _Tail()
    try:
        timed_out = _attend(child, tail, given, started + limit, watch, clock)
    finally:
        _end(child, tail, mark)
    return Ran(
        child.returncode,
        clock() - started,
        timed_out,
        tail.text(),
        tail.size,
        tail.digest.hexdigest(),
    )


class _Tail:
    """Counts and hashes everything, keeps the end."""

    def __init__(self) -> None:
        self.digest = hashlib.sha256()
        self.size = 0
        self._kept: deque[bytes] = deque()
        self._held = 0

    def add(self, data: bytes) -> None:
        self.digest.update(data)
        self.size += len(data)
        self._kept.append(data[-KEPT_BYTES:])
        self._held += len(self._kept[-1])
        while self._held - len(self._kept[0]) >= KEPT_BYTES:
            self._held -= len(self._kept.popleft())

    def text(self) -> str:
        cut = b"".join(self._kept)[-KEPT_BYTES:]
        if len(cut) < self.size:
            # The first line may have lost its beginning, and a character of it.
            cut = cut.partition(b"\n")[2] or cut.lstrip(_CONTINUED)
        return cut.decode("utf-8", "replace")


def _attend(
    child: subprocess.Popen[bytes],
    tail: _Tail,
    given: bytes,
    deadline: float,
    watch: Callable[[], None],
    clock: Callable[[], float],
) -> bool:
    """Feed and read a program until it is over; return whether its time was."""
    assert child.stdout is not None
    with selectors.DefaultSelector() as selector:
        os.set_blocking(child.stdout.fileno(), False)
        selector.register(child.stdout, selectors.EVENT_READ)
        if child.stdin is not None:
            os.set_blocking(child.stdin.fileno(), False)
            selector.register(child.stdin, selectors.EVENT_WRITE)
        rest = memoryview(given)
        while child.poll() is None:
            watch()
            left = deadline - clock()
            if left <= 0:
                _stop(child, tail)
                return True
            if not selector.get_map():
                time.sleep(min(left, _POLL_SECONDS))
                continue
            for key, _ in selector.select(min(left, _POLL_SECONDS)):
                if key.fileobj is child.stdout:
                    if not _read(child.stdout, tail):
                        selector.unregister(child.stdout)
                else:
                    rest = _feed(child, selector, rest)
    return False


def _feed(
    child: subprocess.Popen[bytes], selector: selectors.BaseSelector, rest: memoryview
) -> memoryview:
    assert child.stdin is not None
    try:
        rest = rest[os.write(child.stdin.fileno(), rest[:_CHUNK]) :]
    except BlockingIOError:
        return rest
    except OSError:
        # It does not want to know.
        rest = rest[len(rest) :]
    if not rest:
        selector.unregister(child.stdin)
        with contextlib.suppress(OSError):
            child.stdin.close()
    return rest


def _read(stream: IO[bytes], tail: _Tail) -> bool:
    """Take what is there; False at the end."""
    try:
        data = os.read(stream.fileno(), _CHUNK)
    except BlockingIOError:
        return True
    tail.add(data)
    return bool(data)


def _stop(child: subprocess.Popen[bytes], tail: _Tail) -> None:
    """Ask the group to end, and read on for a second, since a full pipe would keep it."""
    _signal(child, signal.SIGTERM)
    end = time.monotonic() + GRACE_SECONDS
    while child.poll() is None and time.monotonic() < end:
        assert child.stdout is not None
        if not _drain(child.stdout, tail, 100):
            time.sleep(_POLL_SECONDS)


def _end(child: subprocess.Popen[bytes], tail: _Tail, mark: str) -> None:
    """Leave nothing behind, and take what is still in the pipe."""
    _signal(child, signal.SIGKILL)
    child.wait()
    leftovers.end(mark)
    if child.stdout is not None:
        # Somebody may still hold the pipe open, so its end is not waited for.
        _drain(child.stdout, tail, 1000)
        child.stdout.close()
    if child.stdin is not None:
        with contextlib.suppress(OSError):
            child.stdin.close()


def _drain(stream: IO[bytes], tail: _Tail, most: int) -> bool:
    """Take up to so many chunks; False when there was nothing."""
    found = False
    for _ in range(most):
        before = tail.size
        if not _read(stream, tail) or tail.size == before:
            break
        found = True
    return found


def _signal(child: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)
