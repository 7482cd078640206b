"""Programs that the gate runs: bounded in time and output, and nothing of them is left.

Where a limit has to pass, it is a fifth of a second: what is asserted is that the limit ended it.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from plan07 import leftovers, runner
from plan07.runner import GRACE_SECONDS, KEPT_BYTES, Ran

LIMIT = 0.2
LONG = 60.0
NONE = hashlib.sha256(b"").hexdigest()


def shell(script: str, limit: float = LIMIT, *, given: bytes = b"") -> Ran:
    return runner.run(["sh", "-c", script], "/", dict(os.environ), limit, given=given)


def python(script: str, limit: float = LONG, *, given: bytes = b"") -> Ran:
    words = [sys.executable, "-c", script]
    return runner.run(words, "/", dict(os.environ), limit, given=given)


def alive(process: int) -> bool:
    """Whether a process runs; one that is dead and not yet collected does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text("latin-1").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def gone(processes: list[int]) -> bool:
    """Whether processes end within a moment: a signal takes its time to arrive."""
    end = time.monotonic() + 5
    while any(alive(each) for each in processes) and time.monotonic() < end:
        time.sleep(0.01)
    return not any(alive(each) for each in processes)


def named(path: Path) -> list[int]:
    return [int(line) for line in path.read_text().split()]


RUNAWAYS = {
    "two that sleep": "sleep 999 & echo $! >> {pids}; sleep 999",
    "floods": "yes",
    "ignores TERM": "trap '' TERM; while :; do sleep 0.05; done",
    "ignores TERM and floods": "trap '' TERM; yes",
    "its children ignore TERM": "(trap '' TERM; sleep 999) & echo $! >> {pids}; wait",
    "closes its output": "exec >&- 2>&-; sleep 999",
    "leaves the group": "setsid sh -c 'echo $$ >> {pids}; exec sleep 999'; sleep 999",
    "reads the terminal": "cat /dev/tty; sleep 999",
    "stops itself": "kill -STOP $$",
}


@pytest.mark.parametrize("script", RUNAWAYS.values(), ids=RUNAWAYS)
def test_a_runaway_ends_at_its_limit_and_nothing_is_left(tmp_path: Path, script: str) -> None:
    """Ends within limit + 2 s, no child left."""
    pids = tmp_path / "pids"
    pids.touch()
    ran = shell(f"echo $$ >> {pids}; " + script.format(pids=pids))
    assert ran.timed_out
    assert ran.exit in (-15, -9)
    assert LIMIT <= ran.seconds < LIMIT + 2
    assert named(pids)
    assert gone(named(pids))


def test_the_group_is_ended_where_the_system_tells_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers, "_processes", list)
    pids = tmp_path / "pids"
    shell(f"(trap '' TERM; sleep 999) & echo $! > {pids}", LONG)
    assert gone(named(pids))


@pytest.mark.parametrize(
    ("script", "exit"),
    [
        ("cat", 0),
        ("read line", 1),
        ("sleep 999 & echo $! >> {pids}", 0),
        ("setsid sh -c 'echo $$ >> {pids}; exec sleep 999' & sleep 0.1; exit 3", 3),
    ],
    ids=["cat", "read", "leaves one in the background", "leaves one in a session of its own"],
)
def test_what_ends_by_itself_leaves_nothing_and_has_no_input(
    tmp_path: Path, script: str, exit: int
) -> None:
    pids = tmp_path / "pids"
    pids.touch()
    ran = shell(script.format(pids=pids), LONG)
    assert (ran.exit, ran.timed_out, ran.output) == (exit, False, "")
    assert gone(named(pids))


def test_the_terminal_cannot_be_read() -> None:
    ran = shell("cat < /dev/tty", LONG)
    assert (ran.exit != 0, ran.timed_out) == (True, False)


def test_a_hundred_megabytes_are_counted_and_hashed_whole_and_the_end_is_kept() -> None:
    line = b"0123456789abcde\n"
    ran = python(
        "import sys\nfor _ in range(1600):\n sys.stdout.buffer.write(b'0123456789abcde\\n' * 4096)"
    )
    digest = hashlib.sha256()
    for _ in range(1600):
        digest.update(line * 4096)
    assert (ran.exit, ran.size, ran.sha256) == (0, 1600 * 4096 * 16, digest.hexdigest())
    assert ran.output == line.decode() * (KEPT_BYTES // 16 - 1)


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        (b"", ""),
        (b"one\ntwo", "one\ntwo"),
        (b"x" * KEPT_BYTES, "x" * KEPT_BYTES),
        (b"y\n" + b"x" * KEPT_BYTES, "x" * KEPT_BYTES),
        (b"a" * 9000 + b"\nlast\n", "last\n"),
        ("é".encode() * KEPT_BYTES + b"x", "é" * (KEPT_BYTES // 2 - 1) + "x"),
        (b"caf\xe9 \xff\xfe\n", "caf� ��\n"),
        (b"\x1b[31mred\0\n", "\x1b[31mred\0\n"),
    ],
    ids=["none", "short", "as much", "a little more", "cut", "characters", "not UTF-8", "control"],
)
def test_the_end_is_kept_and_the_digest_is_of_everything(written: bytes, kept: str) -> None:
    script = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
    ran = python(script, given=written) if written else python("")
    assert ran.output == kept
    assert (ran.size, ran.sha256) == (len(written), hashlib.sha256(written).hexdigest())


def test_both_streams_are_one_output() -> None:
    assert shell("echo out; echo err >&2; echo out", LONG).output == "out\nerr\nout\n"


def test_it_is_given_its_input_however_much() -> None:
    given = b"x" * 3_000_000
    ran = python("import sys; print(len(sys.stdin.buffer.read()))", given=given)
    assert (ran.exit, ran.output) == (0, "3000000\n")


@pytest.mark.parametrize("script", ["exit 4", "exec <&-; sleep 0.1; exit 4"])
def test_it_need_not_read_its_input(script: str) -> None:
    assert shell(script, LONG, given=b"x" * 3_000_000).exit == 4


def test_a_signal_is_a_negative_status() -> None:
    assert shell("kill -SEGV $$", LONG).exit == -11


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["/nowhere/at/all"], "No such file or directory"),
        (["/etc/passwd"], "Permission denied"),
        (["sh", "a\0b"], "embedded null byte"),
    ],
    ids=["no file", "no program", "NUL"],
)
def test_what_cannot_be_started_says_why(words: list[str], reason: str) -> None:
    ran = runner.run(words, "/", {}, LIMIT)
    assert ran == Ran(None, 0.0, False, "", 0, NONE, reason)


def test_the_words_are_read_by_no_shell(tmp_path: Path) -> None:
    ran = runner.run(["echo", "$HOME", "; touch x", "*"], str(tmp_path), dict(os.environ), LONG)
    assert ran.output == "$HOME ; touch x *\n"
    assert list(tmp_path.iterdir()) == []


def test_the_environment_is_what_is_given_and_the_mark() -> None:
    ran = runner.run(["/usr/bin/env"], "/", {"A": "1"}, LONG, mark="m")
    assert sorted(ran.output.split()) == ["A=1", "PLAN07_RUN=m"]


class Stop(Exception):
    pass


@pytest.mark.parametrize("script", ["sleep 999", "trap '' TERM; yes", "exec >&-; sleep 999"])
def test_what_the_watch_raises_ends_it_and_comes_out(tmp_path: Path, script: str) -> None:
    """S-004-14: a cancellation is the same object when it comes out."""
    pids = tmp_path / "pids"
    raised = Stop()

    def watch() -> None:
        if pids.exists() and pids.read_text().endswith("\n"):
            raise raised

    words = ["sh", "-c", f"echo $$ > {pids}; {script}"]
    with pytest.raises(Stop) as caught:
        runner.run(words, "/", dict(os.environ), LONG, watch=watch)
    assert caught.value is raised
    assert gone(named(pids))


def test_one_that_heeds_the_question_may_clean_up(tmp_path: Path) -> None:
    tidy = f"trap 'echo bye; touch {tmp_path}/cleaned; exit 9' TERM"
    script = f"{tidy}; while :; do sleep 0.02; done"
    ran = shell(script)
    assert (ran.exit, ran.timed_out, ran.output.endswith("bye\n")) == (9, True, True)
    assert ran.seconds < LIMIT + GRACE_SECONDS
    assert (tmp_path / "cleaned").exists()


class TestLeftovers:
    """A mark finds what has left the group, and spares those it comes from."""

    @pytest.fixture
    def started(self, tmp_path: Path) -> Callable[[str], int]:
        def start(mark: str) -> int:
            pids = tmp_path / f"{mark}.pid"
            script = f"setsid sh -c 'echo $$ > {pids}; exec sleep 999' >/dev/null 2>&1 &"
            os.spawnvpe(os.P_WAIT, "sh", ["sh", "-c", script], {**os.environ, leftovers.NAME: mark})
            while not (pids.exists() and pids.read_text().endswith("\n")):
                time.sleep(0.01)
            return named(pids)[0]

        return start

    def test_only_those_with_the_mark_end(self, started: Callable[[str], int]) -> None:
        first, other = started("one"), started("another")
        assert leftovers.end("one") == 1
        assert gone([first])
        assert alive(other)
        assert leftovers.end("another") == 1
        assert gone([other])
        assert leftovers.end("another") == 0

    def test_this_process_and_those_it_comes_from_are_spared(self) -> None:
        """An agent's shell may call plan07 itself."""
        code = "from plan07 import leftovers; print(leftovers.end('nested'))"
        script = f'"{sys.executable}" -c "{code}"; echo lives'
        ran = runner.run(["sh", "-c", script], "/", dict(os.environ), LONG, mark="nested")
        assert (ran.exit, ran.output) == (0, "0\nlives\n")
