"""Records what a model said, and says it again: the digest of a request to its reply.

One line of JSON for each request: its digest, the model and the hash of its weights, the reply, why
it ended, and the tokens as the server counted them. The digest covers everything that was sent:
model, weights, instructions, prompt, schema, temperature and the token limit. A request that was
recorded is never sent again, so whoever has the cassette gets the same runs without the model.
What is recorded beside a file whose name ends in `.gz` goes to the name without it.

Whether anything is recorded says PLAN07_AB_CASSETTE, `replay` or `record`, so that a configuration
is the same for whoever records and whoever replays, and so are the runs.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from plan07 import jsonlines
from plan07.errors import InputError
from plan07.llm.call import Call, Client, Completion
from plan07.messages import quoted

_PHASE = "ab"
_LARGEST_BYTES = 256 * 1024**2


class Mode(StrEnum):
    """What happens to a request."""

    REPLAY = "replay"  # only what was recorded is answered
    RECORD = "record"  # what is missing is sent and recorded


def mode_of(environ: Mapping[str, str]) -> Mode:
    """Return what PLAN07_AB_CASSETTE says, replay by default.

    Raises:
        InputError: it is no mode.
    """
    named = environ.get("PLAN07_AB_CASSETTE") or Mode.REPLAY
    try:
        return Mode(named)
    except ValueError:
        raise InputError(
            "CASSETTE_MODE_INVALID",
            f"PLAN07_AB_CASSETTE cannot be {quoted(named)}",
            "set it to replay or record, or unset it",
            phase="usage",
            detail={"value": named},
        ) from None


def request_digest(call: Call, model: str, weights: str) -> str:
    """Return the SHA-256 of everything that makes a reply, 64 hexadecimal digits.

    Args:
        call: what is asked.
        model: what the server calls the model.
        weights: hash of its weights, "" where it is not known.
    """
    sent = {"model": model, "weights": weights, **call._asdict()}
    text = json.dumps(sent, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


class Cassette:
    """The recorded replies in a file.

    Args:
        path: the file, JSON Lines; with `.gz` compressed, and then also the file without it.
        mode: whether anything may be sent.
        model: what the server calls the model.
        weights: hash of its weights.

    Raises:
        InputError: it cannot be read, or not be recorded to.
    """

    def __init__(self, path: str, mode: Mode, model: str, weights: str = "") -> None:
        self.path = path
        self._mode = mode
        self._named = (model, weights)
        self._plain = path.removesuffix(".gz")
        places = [x for x in dict.fromkeys((path, self._plain)) if os.path.exists(x)]
        if not places and mode is Mode.REPLAY:
            raise InputError(
                "CASSETTE_MISSING",
                f"there is no cassette {path}",
                "name one that was recorded, or record one: PLAN07_AB_CASSETTE=record",
                phase=_PHASE,
                detail={"path": path},
            )
        self._rows = {str(row["request"]): row for x in places for row in _read(x)}

    def around(self, ask: Client | None) -> Client:
        """Return a client that answers from the cassette.

        Args:
            ask: the model; None where there is none.

        The client raises InputError with the code CASSETTE_MISS for a request that was not recorded
        and cannot be sent.
        """

        def answer(call: Call) -> Completion:
            key = request_digest(call, *self._named)
            if key not in self._rows:
                if self._mode is Mode.REPLAY or ask is None:
                    raise self._miss(key, call)
                self._keep(key, ask(call))
            return _completion(self._rows[key])

        return answer

    def _keep(self, key: str, said: Completion) -> None:
        row = {
            "request": key,
            "model": self._named[0],
            "weights": self._named[1],
            "reply": said.text.encode("utf-8", "replace").decode(),
            "finish": said.finish_reason,
            "tokens_in": said.prompt_tokens,
            "tokens_out": said.completion_tokens,
            "seconds": round(said.seconds, 3),
        }
        try:
            with jsonlines.opened(self._plain) as stream:
                jsonlines.append(stream, row)
        except OSError as error:
            raise InputError(
                "FILE_UNWRITABLE",
                f"{self._plain} cannot be written: {(error.strerror or str(error)).lower()}",
                "name another file as cassette",
                phase=_PHASE,
                detail={"path": self._plain},
            ) from error
        self._rows[key] = row

    def _miss(self, key: str, call: Call) -> InputError:
        return InputError(
            "CASSETTE_MISS",
            f"{self.path} has no reply to a request that begins {quoted(call.user)}",
            "replay with the same tasks, options and version, or record with the model at hand: "
            "PLAN07_AB_CASSETTE=record",
            phase=_PHASE,
            detail={"path": self.path, "request": key, "model": self._named[0]},
        )


def _read(path: str) -> list[dict[str, Any]]:
    try:
        with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as stream:
            rows = jsonlines.rows(stream.read(_LARGEST_BYTES))
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, str(error)) from error
    for number, row in enumerate(rows, 1):
        if not _whole(row):
            raise _unreadable(path, f"its row {number} is no recorded reply")
    return rows


def _unreadable(path: str, why: str) -> InputError:
    return InputError(
        "CASSETTE_UNREADABLE",
        f"the cassette {path} cannot be read: {why}"[:300],
        "bring back the file as it was recorded",
        phase="read",
        detail={"path": path},
    )


def _whole(row: dict[str, Any]) -> bool:
    tokens = [row.get("tokens_in"), row.get("tokens_out")]
    return (
        all(isinstance(row.get(name), str) for name in ("request", "reply", "finish", "model"))
        and all(each is None or (type(each) is int and each >= 0) for each in tokens)
        and isinstance(row.get("seconds"), int | float)
    )


def _completion(row: dict[str, Any]) -> Completion:
    return Completion(
        row["reply"],
        row["model"],
        row["finish"],
        row["tokens_in"],
        row["tokens_out"],
        float(row["seconds"]),
    )
