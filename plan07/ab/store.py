"""The runs file: one run a line, appended and brought to the disk as it is made.

Beside `RUNS` lies `RUNS.texts.jsonl`, which holds each prompt and each reply once, by its digest.
A text is on the disk before the run that names it. A run that was cut off half-way leaves at most a
line without an end, which the next one removes; what is whole stays. A line in the middle that
cannot be read is an error with its place, never skipped: a figure must not change because a line
was lost.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from plan07 import home, jsonlines, jsontext
from plan07.ab.config import invalid
from plan07.ab.records import Context, Kept, RunRecord
from plan07.errors import InputError, PlanRefused
from plan07.messages import quoted

# A hundred thousand runs of a few kilobytes each.
_LARGEST_BYTES = 4 << 30
_CHUNK_BYTES = 1 << 16


def read(path: str) -> tuple[list[RunRecord], bool]:
    """Return the runs in a file, and whether its last line was cut off and left out.

    Args:
        path: the file, or "-" for standard input.

    Raises:
        InputError: it cannot be read, or a line is no run; its place is named.
    """
    name = "standard input" if path == "-" else path
    data = jsontext.content(path, name, _LARGEST_BYTES, "split the file")
    lines = data.split(b"\n")
    cut = lines.pop()
    return [_run(line, f"{name}:{n}") for n, line in enumerate(lines, 1) if line.strip()], bool(cut)


def read_all(paths: Iterable[str]) -> list[RunRecord]:
    """Return the runs of several files.

    Raises:
        InputError: as `read`; or there is no run at all, or one stands twice.
    """
    runs: list[RunRecord] = []
    names = list(paths)
    for path in names:
        runs += read(path)[0]
    if not runs:
        raise InputError(
            "AB_RUNS_EMPTY",
            f"there is no run in {', '.join(quoted(each) for each in names)}",
            "make some with `plan07 ab run CONFIG`",
            phase="read",
            detail={"paths": names},
        )
    seen: set[tuple[str, str, int, str]] = set()
    for run in runs:
        if run.key in seen:
            raise InputError(
                "AB_RUN_TWICE",
                f"the run of task {quoted(run.task)}, arm {run.arm}, seed {run.seed} stands twice",
                "name each runs file once, and leave one of the two runs out",
                phase="read",
                detail={"key": list(run.key)},
            )
        seen.add(run.key)
    return runs


class Store:
    """The runs file of one configuration. Use it as a context; it is locked meanwhile.

    Args:
        path: the runs file; it is made where it is missing.
        context: what the runs are made from; a file with other runs is refused.

    Raises:
        InputError: the file cannot be read or written, or holds runs that are not comparable.
        PlanRefused: another process is writing to it.
    """

    def __init__(self, path: str, context: Context) -> None:
        self.path = path
        self.texts = f"{path}.texts.jsonl"
        self._context = context
        self.runs: list[RunRecord] = []
        self._known: set[str] = set()

    def __enter__(self) -> Store:
        import fcntl

        try:
            os.makedirs(os.path.dirname(os.path.abspath(self.path)), exist_ok=True)
            self._lock = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise self._unwritable(error) from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._lock)
            raise PlanRefused(
                "AB_RUNS_BUSY",
                f"another process is writing to {self.path}",
                "wait until it is done, or write to another file with -o",
                phase="ab",
                detail={"path": self.path},
                retryable=True,
            ) from None
        try:
            self._load()
        except BaseException:
            os.close(self._lock)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        # The file of the lock stays: another process may be waiting at it.
        os.close(self._lock)

    def append(self, run: RunRecord) -> None:
        """Bring a run to the disk, its texts before it.

        Raises:
            InputError: it cannot be written.
        """
        texts = {kept.digest: kept.text for call in run.calls for kept in (call.prompt, call.reply)}
        rows = [
            {"digest": name, "text": text}
            for name, text in texts.items()
            if text is not None and name not in self._known
        ]
        moved = _moved(run, os.path.basename(self.texts))
        try:
            if rows:
                _append(self.texts, rows)
            _append(self.path, [json.loads(moved.line())])
        except OSError as error:
            raise self._unwritable(error) from error
        self._known |= texts.keys()
        self.runs.append(moved)

    def count(self) -> int:
        """Return how many runs are on the disk."""
        if not os.path.exists(self.path):
            return 0
        with open(self.path, "rb") as stream:
            return sum(chunk.count(b"\n") for chunk in iter(lambda: stream.read(_CHUNK_BYTES), b""))

    def settle(self, order: Sequence[tuple[str, str, int, str]]) -> None:
        """Put the runs into an order and the texts into that of their digests.

        So the same configuration gives the same bytes, whoever was done first.

        Args:
            order: keys of runs; others stay behind them.
        """
        ranks = {key: rank for rank, key in enumerate(order)}
        runs = sorted(self.runs, key=lambda run: (ranks.get(run.key, len(ranks)), run.key))
        home.write(self.path, _lines(json.loads(run.line()) for run in runs))
        if os.path.exists(self.texts):
            rows = sorted(_texts(self.texts).items())
            home.write(self.texts, _lines({"digest": n, "text": t} for n, t in rows))
        self.runs = runs

    def _load(self) -> None:
        for path in (self.path, self.texts):
            if os.path.exists(path):
                self._uncut(path)
        if os.path.exists(self.path):
            self.runs, _ = read(self.path)
        if os.path.exists(self.texts):
            self._known = set(_texts(self.texts))
        for run in self.runs:
            for name in ("execution", "sample", "model", "host", "config"):
                own, other = getattr(self._context, name), getattr(run, name)
                if own != other:
                    raise InputError(
                        "AB_RUNS_DIFFER",
                        f"{self.path} holds runs of another {name}: {quoted(str(other))}, "
                        f"not {quoted(str(own))}",
                        "write to another file with -o",
                        phase="ab",
                        detail={"path": self.path, "field": name, "runs": other, "config": own},
                    )

    def _uncut(self, path: str) -> None:
        """Remove what a crash has left of a line."""
        try:
            with open(path, "r+b") as stream:
                end = size = stream.seek(0, os.SEEK_END)
                kept = 0
                while end and not kept:
                    start = max(0, end - _CHUNK_BYTES)
                    stream.seek(start)
                    found = stream.read(end - start).rfind(b"\n")
                    kept = start + found + 1 if found >= 0 else 0
                    end = start
                if kept < size:
                    stream.truncate(kept)
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> InputError:
        return InputError(
            "FILE_UNWRITABLE",
            f"{self.path} cannot be written: {(error.strerror or str(error)).lower()}",
            "name another file with -o",
            phase="ab",
            detail={"path": self.path},
        )


def text(path: str, kept: Kept) -> str:
    """Return a kept text.

    Args:
        path: the runs file.
        kept: of one of its calls.

    Raises:
        InputError: the file of texts has none of this digest.
    """
    if kept.text is not None:
        return kept.text
    found = _texts(os.path.join(os.path.dirname(path), kept.path or ""))
    if kept.digest not in found:
        raise InputError(
            "AB_TEXT_MISSING",
            f"{kept.path} has no text of the digest {kept.digest}",
            "bring back the file of texts that was made along with the runs",
            phase="read",
        )
    return found[kept.digest]


def _texts(path: str) -> Mapping[str, str]:
    found = {}
    for row in jsonlines.read(path):
        if isinstance(row.get("digest"), str) and isinstance(row.get("text"), str):
            found[row["digest"]] = row["text"]
    return found


def _run(line: bytes, place: str) -> RunRecord:
    jsontext.parse(line, place)
    try:
        return RunRecord.model_validate_json(line)
    except ValidationError as error:
        raise invalid(error, place, "AB_RUNS_INVALID") from error


def _moved(run: RunRecord, path: str) -> RunRecord:
    calls = tuple(
        call.model_copy(
            update={
                name: Kept(digest=kept.digest, path=path) if kept.text is not None else kept
                for name, kept in (("prompt", call.prompt), ("reply", call.reply))
            }
        )
        for call in run.calls
    )
    return run.model_copy(update={"calls": calls})


def _append(path: str, rows: list[dict[str, Any]]) -> None:
    with jsonlines.opened(path) as stream:
        jsonlines.append(stream, *rows)


def _lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(
        json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for row in rows
    )
