"""Plan files: read whole, written whole, one writer at a time (build spec 3.7).

Beside a plan `P` lie `P.audit.jsonl`, every transition; `P.calls.jsonl`, the model calls;
`P.evidence.json`, the evidence it was made from; and `P.lock`. A change is written in two steps:
its rows go to the audit, with the digests of the plan before and after, then the new file replaces
the old one. Whichever step a crash falls on, the next reader can tell from the digests whether the
change landed, and a change that did not is void. So nothing is lost, and nothing needs repair.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from plan07 import artifact as artifact_
from plan07 import audit, jsonlines, jsontext, shapes
from plan07 import evidence as evidence_
from plan07.document import compact
from plan07.errors import InputError, Plan07Error, PlanRefused
from plan07.evidence import Evidence

# Names of files that are being written; one that is left over was cut off and holds nothing.
TEMPORARY = ".plan07-tmp-"

_PHASE = "state"


class SaveError(Plan07Error):
    """The plan could not be brought to the disk; the file is as it was."""

    exit_status = 3


class Stored(NamedTuple):
    """A plan as it stands on the disk.

    Args:
        artifact: its document.
        digest: SHA-256 of the file.
        log: the transitions that landed, the oldest first.
        notes: what is odd about the file and no reason to refuse it.
    """

    artifact: artifact_.Artifact
    digest: str
    log: Sequence[Mapping[str, Any]] = ()
    notes: tuple[str, ...] = ()


class Store:
    """One plan file and what lies beside it.

    Args:
        path: the plan.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        # A link is followed once, so that a change replaces the plan and not the link to it.
        self.path = os.path.realpath(os.fspath(path))
        self.shown = os.fspath(path)

    @property
    def audit_path(self) -> str:
        """Where every transition is written."""
        return f"{self.path}.audit.jsonl"

    @property
    def calls_path(self) -> str:
        """Where model calls are recorded."""
        return f"{self.path}.calls.jsonl"

    @property
    def evidence_path(self) -> str:
        """Where the evidence lies that the plan was made from."""
        return f"{self.path}.evidence.json"

    def load(self) -> Stored:
        """Return the plan, checked whole.

        Raises:
            InputError: the file cannot be read, is not an artifact, or is older than its audit.
        """
        value, name = jsontext.read(self.path)
        if not isinstance(value, dict) or "nodes" not in value:
            raise InputError(
                "PLAN_NOT_ARTIFACT",
                f"{self.shown} is not a plan artifact",
                "make one with `plan07 plan REQUEST --obligations FILE -o PLAN`",
                phase=_PHASE,
                detail={"path": self.shown},
            )
        shapes.check("artifact", value, name, "PLAN_INVALID", _PHASE)
        artifact = _completed(value)
        self._check(artifact)
        with open(self.path, "rb") as stream:
            digest = hashlib.sha256(stream.read()).hexdigest()
        log, notes = self._landed(digest)
        return Stored(artifact, digest, log, notes)

    def _check(self, artifact: artifact_.Artifact) -> None:
        faults = artifact_.faults(artifact)
        if faults:
            raise InputError(
                "PLAN_INVALID",
                f"{self.shown}: {'; '.join(faults[:5])}",
                "go back to the last version that plan07 wrote",
                phase=_PHASE,
                detail={"path": self.shown, "faults": faults},
            )

    def _landed(self, digest: str) -> tuple[list[audit.Row], tuple[str, ...]]:
        """Return the transitions that lead to the file as it is, and remarks.

        Raises:
            InputError: the audit knows that the plan went further than this file.
        """
        try:
            rows = jsonlines.read(self.audit_path)
        except OSError as error:
            raise self._unreadable(error) from error
        landed, place = audit.landed(rows, digest)
        if place == "older":
            raise InputError(
                "PLAN_OLDER",
                f"{self.shown} is older than its audit {os.path.basename(self.audit_path)}",
                "go on with the newest version of the plan, or copy this one to another name",
                phase=_PHASE,
                detail={"path": self.shown},
            )
        return landed, () if place == "same" else ("it was edited by something else than plan07",)

    def evidence(self) -> Evidence:
        """Return the evidence that the plan was made from, empty where none lies beside it.

        Raises:
            InputError: the file is not of the format.
        """
        if not os.path.exists(self.evidence_path):
            return Evidence()
        value, name = jsontext.read(self.evidence_path)
        shapes.check("kept", value, name, "EVIDENCE_INVALID", _PHASE)
        return evidence_.restore(value)

    def keep_evidence(self, found: Evidence) -> None:
        """Write the evidence beside the plan.

        Raises:
            SaveError: it cannot be written.
        """
        self.keep(self.evidence_path, evidence_.dump(found))

    def keep(self, path: str, document: Mapping[str, Any]) -> None:
        """Write a document beside the plan, compact.

        Raises:
            SaveError: it cannot be written.
        """
        self.put(path, compact(document).encode() + b"\n")

    def put(self, path: str, data: bytes) -> None:
        """Write a file of the plan's, whole.

        Raises:
            SaveError: it cannot be written.
        """
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            self._replace(path, data)
        except OSError as error:
            raise self._unsaved(error) from error

    def make_directory(self) -> None:
        """Make the directory of a new plan, if it is missing.

        Raises:
            SaveError: it cannot be made.
        """
        try:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
        except OSError as error:
            raise self._unsaved(error) from error

    def files(self) -> list[str]:
        """Return the files of the plan that hold something."""
        return [self.path, self.audit_path, self.calls_path, self.evidence_path]

    @contextlib.contextmanager
    def locked(self, what: str = "") -> Iterator[None]:
        """Keep other writers out while the body runs.

        The lock is the kernel's: that of a process that died is gone with it.

        Args:
            what: the lock to hold; that of a change by default, `run` for a run of many.

        Raises:
            PlanRefused: somebody else is at it.
            SaveError: no lock can be made there.
        """
        import fcntl

        try:
            handle = os.open(
                f"{self.path}{what and f'.{what}'}.lock",
                os.O_RDWR | os.O_CREAT | os.O_CLOEXEC,
                0o644,
            )
        except OSError as error:
            raise self._unsaved(error) from error
        try:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise PlanRefused(
                    "PLAN_BUSY",
                    f"another process is working on {self.shown}",
                    "wait until it is done, then ask again",
                    phase=_PHASE,
                    detail={"path": self.shown},
                    retryable=True,
                ) from None
            yield
        finally:
            os.close(handle)

    def save(
        self,
        stored: Stored | None,
        artifact: artifact_.Artifact,
        rows: Sequence[Mapping[str, Any]],
        time: str,
        most: int = artifact_.LARGEST_BYTES,
    ) -> Stored:
        """Replace the plan, and return what is on the disk then. Called under the lock.

        Args:
            stored: what was loaded, None for a new plan.
            artifact: the new document.
            rows: the transitions that lead there; each has at least an event.
            time: UTC, ISO 8601.
            most: bytes that the file may have, as `artifact.room` returns them.

        Raises:
            PlanRefused: the file changed meanwhile, or would be too large.
            SaveError: it cannot be written; the file is as it was.
        """
        artifact, text = artifact_.fitted(artifact, most)
        data = text.encode()
        before = stored.digest if stored else ""
        after = hashlib.sha256(data).hexdigest()
        self._compare(before)
        try:
            written = self._append(rows, {"before": before, "after": after}, time)
            self._replace(self.path, data)
        except OSError as error:
            raise self._unsaved(error) from error
        log = [*(stored.log if stored else ()), *written]
        return Stored(artifact, after, log, stored.notes if stored else ())

    def note(self, stored: Stored, rows: Sequence[Mapping[str, Any]], time: str) -> Stored:
        """Write transitions that do not change the plan, such as what an agent did.

        Raises:
            SaveError: they cannot be written.
        """
        try:
            written = self._append(rows, {}, time)
        except OSError as error:
            raise self._unsaved(error) from error
        return stored._replace(log=[*stored.log, *written])

    def _compare(self, expected: str) -> None:
        try:
            with open(self.path, "rb") as stream:
                found = hashlib.sha256(stream.read()).hexdigest()
        except FileNotFoundError:
            found = ""
        except OSError as error:
            raise self._unreadable(error) from error
        if found != expected:
            raise PlanRefused(
                "PLAN_CHANGED",
                f"{self.shown} changed while the command ran; nothing was written",
                "ask again",
                phase=_PHASE,
                detail={"path": self.shown},
                retryable=True,
            )

    def _append(
        self, rows: Sequence[Mapping[str, Any]], digests: Mapping[str, str], time: str
    ) -> list[dict[str, Any]]:
        with jsonlines.opened(self.audit_path) as stream:
            known = jsonlines.rows(stream.read())
            lines = audit.numbered(known, rows, digests, time)
            jsonlines.append(stream, *lines)
        return [line for line in lines if line["event"] != "void"]

    def _replace(self, path: str, data: bytes) -> None:
        import tempfile

        folder = os.path.dirname(path)
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=TEMPORARY)
        try:
            with os.fdopen(handle, "wb") as stream:
                os.fchmod(stream.fileno(), _mode(path))
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
        with contextlib.suppress(OSError):
            _sync_directory(folder)

    def _unreadable(self, error: OSError) -> InputError:
        return InputError(
            "FILE_UNREADABLE",
            f"{self.shown} cannot be read: {(error.strerror or str(error)).lower()}",
            "make the plan and the files beside it readable",
            phase=_PHASE,
            detail={"path": self.shown},
        )

    def _unsaved(self, error: OSError) -> SaveError:
        return SaveError(
            "SAVE_FAILED",
            f"{self.shown} cannot be written: {(error.strerror or str(error)).lower()}; "
            "the plan is as it was",
            "make room, or make the directory of the plan writable, and ask again",
            phase=_PHASE,
            detail={"path": self.shown},
            retryable=True,
        )


def _completed(value: Mapping[str, Any]) -> artifact_.Artifact:
    """Return an artifact with all its keys, in their order; what else it has stays behind them."""
    empty: dict[str, Any] = {
        "plan_id": None,
        "requirement": None,
        "nodes": [],
        "checkpoints": [],
        "branch_scores": {},
        "revision_history": [],
        "audit": [],
    }
    return {**empty, **value}


def _mode(path: str) -> int:
    try:
        return os.stat(path).st_mode & 0o777
    except OSError:
        return 0o644


def _sync_directory(path: str) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def unused(directory: str, plan_id: str) -> str:
    """Return a plan id that no file of a directory has: the second of a minute ends in -2."""
    candidate, number = plan_id, 1
    while os.path.lexists(os.path.join(directory, f"{candidate}.json")):
        number += 1
        candidate = f"{plan_id}-{number}"
    return candidate
