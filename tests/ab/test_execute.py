"""Many runs: pools, failures, interrupts and kills; what was made is kept, and gone on with."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import abruns
import pytest

from plan07.ab import config, execute, store
from plan07.ab.records import RunRecord
from plan07.ab.store import Store
from plan07.errors import InputError

TESTS = str(Path(abruns.__file__).parent)
FOUR = [("current", 0), ("plan07", 0), ("current", 1), ("plan07", 1)]


def made(path: str, wanted: config.Config, executor: Executor, ahead: int = 2) -> list[str]:
    """Make the runs that lack, and return what was told."""
    told: list[str] = []
    with Store(path, wanted.context) as opened:
        execute.run_all(
            wanted, opened, executor, ahead, lambda done, total, job: told.append(f"{done}/{total}")
        )
    return told


def keys(path: str) -> list[tuple[str, str, int]]:
    return [each.key[:3] for each in store.read(path)[0]]


def traced(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines() if path.exists() else []


class TestExecutors:
    def test_all_runs_in_order_whoever_makes_them(self, tmp_path: Path) -> None:
        wanted = config.load(abruns.config(tmp_path / "c.toml"))
        one, two = str(tmp_path / "a" / "runs.jsonl"), str(tmp_path / "b" / "runs.jsonl")
        told = made(one, wanted, execute.Here(), 1)
        assert told == [f"{n}/8" for n in range(1, 9)]
        assert keys(one) == [(t, arm, seed) for t in ("one", "two") for arm, seed in FOUR]
        with execute.local(2) as (pool, ahead):
            made(two, wanted, pool, ahead)
        assert Path(one).read_bytes() == Path(two).read_bytes()
        assert Path(f"{one}.texts.jsonl").read_bytes() == Path(f"{two}.texts.jsonl").read_bytes()

    def test_any_executor_will_do(self, tmp_path: Path) -> None:
        wanted = config.load(abruns.config(tmp_path / "c.toml"))
        with ThreadPoolExecutor(3) as pool:
            made(str(tmp_path / "runs.jsonl"), wanted, pool, 3)
        assert len(keys(str(tmp_path / "runs.jsonl"))) == 8

    def test_what_is_there_is_not_made_again(self, tmp_path: Path) -> None:
        trace, path = tmp_path / "trace", str(tmp_path / "runs.jsonl")
        file = abruns.config(tmp_path / "c.toml", trace=trace)
        wanted = config.load(file)
        made(path, wanted, execute.Here(), 1)
        before = Path(path).read_bytes()
        # Half of them are lost.
        Path(path).write_bytes(b"".join(before.splitlines(keepends=True)[::2]))
        trace.unlink()
        assert made(path, wanted, execute.Here(), 1) == ["5/8", "6/8", "7/8", "8/8"]
        assert traced(trace) == ["one plan07 0 ", "one plan07 1 ", "two plan07 0 ", "two plan07 1 "]
        assert Path(path).read_bytes() == before
        trace.unlink()
        assert made(path, wanted, execute.Here(), 1) == []
        assert traced(trace) == []

    def test_no_more_are_handed_out_than_may_be_ahead(self, tmp_path: Path) -> None:
        class Counting(ThreadPoolExecutor):
            most = 0
            out: ClassVar[set[Any]] = set()

            def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
                future = super().submit(fn, *args, **kwargs)
                self.out.add(future)
                self.most = max(self.most, sum(not each.done() for each in self.out))
                return future

        with Counting(1) as pool:
            wanted = config.load(abruns.config(tmp_path / "c.toml"))
            made(str(tmp_path / "runs.jsonl"), wanted, pool, 3)
            assert pool.most <= 3


class TestFailures:
    def test_a_run_that_fails_is_named_and_the_others_are_kept(self, tmp_path: Path) -> None:
        path = str(tmp_path / "runs.jsonl")
        wanted = config.load(abruns.config(tmp_path / "c.toml", fails_at="two"))
        with pytest.raises(InputError) as caught:
            made(path, wanted, execute.Here(), 1)
        assert caught.value.code == "AB_RUN_FAILED"
        assert '"two", arm current, seed 0 failed: RuntimeError: no luck' in caught.value.message
        assert len(keys(path)) == 4

    def test_a_worker_that_dies(self, tmp_path: Path) -> None:
        path = str(tmp_path / "runs.jsonl")
        wanted = config.load(abruns.config(tmp_path / "c.toml", dies_at="two"))
        with pytest.raises(InputError) as caught, execute.local(2) as (pool, ahead):
            made(path, wanted, pool, ahead)
        assert caught.value.code == "AB_RUN_FAILED"
        assert "a worker died" in caught.value.message
        assert {key[0] for key in keys(path)} <= {"one"}

    def test_another_run_than_was_asked_for(self, tmp_path: Path) -> None:
        class Confused(execute.Here):
            def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
                return super().submit(lambda: abruns.run(seed=9))

        wanted = config.load(abruns.config(tmp_path / "c.toml"))
        with pytest.raises(InputError) as caught:
            made(str(tmp_path / "runs.jsonl"), wanted, Confused(), 1)
        assert "the provider returned another run" in caught.value.message


def started(*arguments: str) -> subprocess.Popen[str]:
    """Start the command in a process group of its own, as a terminal does."""
    return subprocess.Popen(
        [sys.executable, "-m", "plan07", "ab", "run", *arguments],
        env={**os.environ, "PYTHONPATH": TESTS},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def until(path: str, runs: int) -> None:
    """Wait until so many runs are kept."""
    end = time.monotonic() + 180
    while time.monotonic() < end:
        if Path(path).exists() and Path(path).read_bytes().count(b"\n") >= runs:
            return
        time.sleep(0.02)
    raise AssertionError("the runs were not made")


class TestCutOff:
    @pytest.mark.parametrize("workers", ["1", "2"])
    def test_an_interrupt_keeps_what_was_made(self, tmp_path: Path, workers: str) -> None:
        path = str(tmp_path / "runs.jsonl")
        file = abruns.config(tmp_path / "c.toml", slow_at="two")
        process = started(file, "-o", path, "--workers", workers)
        try:
            until(path, 4)
            # Ctrl-C reaches every process of the terminal's group.
            os.killpg(process.pid, signal.SIGINT)
            _, err = process.communicate(timeout=120)
        finally:
            process.kill()
        assert process.returncode == 130
        assert f"plan07: run: 4 of 8 runs are kept in {path}" in err
        assert "plan07: INTERRUPTED: it was interrupted" in err
        assert "Traceback" not in err
        assert len(keys(path)) == 4
        # It goes on where it was; the provider is the same, so it may be quick this time.
        trace = tmp_path / "trace"
        wanted = config.load(file)
        options = {"trace": str(trace)}
        again = wanted._replace(
            context=wanted.context.model_copy(update={"options": options}),
        )
        assert made(path, again, execute.Here(), 1)[-1] == "8/8"
        assert [line.split()[0] for line in traced(trace)] == ["two"] * 4

    def test_a_kill_keeps_what_was_made(self, tmp_path: Path) -> None:
        path = str(tmp_path / "runs.jsonl")
        file = abruns.config(tmp_path / "c.toml", slow_at="two")
        process = started(file, "-o", path, "--workers", "1")
        until(path, 4)
        process.kill()
        process.communicate(timeout=120)
        # What a kill in the middle of a write leaves behind.
        with open(path, "ab") as stream:
            stream.write(b'{"arm":"plan07","calls":[{"fin')
        with Store(path, config.load(file).context) as opened:
            assert [each.task for each in opened.runs] == ["one"] * 4
        assert len(keys(path)) == 4


CLUSTER = """\
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    )
    print(cluster.scheduler_address, flush=True)
    input()
    cluster.close()
"""


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """Start two workers and their scheduler on the loopback interface, each a process."""
    script = folder / "cluster.py"
    script.write_text(CLUSTER)
    process = subprocess.Popen(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": TESTS, "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "error"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=folder,
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        try:
            process.communicate("\n", timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()


class TestDask:
    def test_two_workers_make_the_same_bytes(self, tmp_path: Path) -> None:
        pytest.importorskip("distributed")
        file = abruns.config(tmp_path / "c.toml")
        here, there = str(tmp_path / "a" / "runs.jsonl"), str(tmp_path / "b" / "runs.jsonl")
        made(here, config.load(file), execute.Here(), 1)
        with cluster(tmp_path) as address:
            assert address.startswith("tcp://127.0.0.1:")
            process = started(file, "-o", there, "--dask", address)
            out, err = process.communicate(timeout=120)
            assert (process.returncode, err.count("Traceback")) == (0, 0), err
            assert out == f"8 runs made, 0 were there: {there}\n"
            failing = abruns.config(tmp_path / "d.toml", fails_at="two")
            process = started(failing, "-o", f"{there}.failed", "--dask", address)
            _, err = process.communicate(timeout=120)
            assert process.returncode == 2
            assert "AB_RUN_FAILED" in err
            assert "RuntimeError: no luck" in err
        assert Path(here).read_bytes() == Path(there).read_bytes()

    def test_nobody_at_the_address(self, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("distributed")
        monkeypatch.setattr(execute, "_DASK_SECONDS", 1)
        with pytest.raises(InputError) as caught, execute.dask("tcp://127.0.0.1:1"):
            pass
        assert caught.value.code == "DASK_UNREACHABLE"
        assert '"tcp://127.0.0.1:1"' in caught.value.message

    def test_the_extra_is_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "distributed", None)
        with pytest.raises(InputError) as caught, execute.dask("tcp://127.0.0.1:1"):
            pass
        assert (caught.value.code, caught.value.fix) == (
            "EXTRA_MISSING",
            "pip install 'plan07[dask]'",
        )


def test_a_run_is_one_call_with_plain_arguments() -> None:
    """What a cluster pickles."""
    import pickle

    job = config.Job(abruns.TASKS[0], abruns.Arm.PLAN07, 3, None)
    call = pickle.dumps((execute.run_one, "abruns:make", abruns.CONTEXT, job))
    function, *arguments = pickle.loads(call)
    found = function(*arguments)
    assert isinstance(found, RunRecord)
    assert found.key == ("one", "plan07", 3, "")
