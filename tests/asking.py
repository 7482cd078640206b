"""Calls to a scripted server, and every way in which one can go wrong."""

from __future__ import annotations

import gzip
import json
import threading
from typing import Any, NamedTuple

import pytest
import wire

from plan07.llm import transport
from plan07.llm.client import Call, Completion, ModelError, Settings, connect, settings

KEY = "sk-test-4f7a9c1e2b8d6035"
SCHEMA = {"type": "object", "properties": {"obligations": {"type": "array"}}}
CALL = Call("Break the request into obligations.", "Make the session timeout configurable.", SCHEMA)
SHORT = 0.5  # seconds; enough to send a request on a busy machine


def chosen(url: str, **options: Any) -> Settings:
    return settings({"OPENAI_API_KEY": KEY}, model="small-1", base_url=url, **options)


def callers() -> list[threading.Thread]:
    """Return the threads that still ask."""
    return [each for each in threading.enumerate() if each.name == "plan07-model-call"]


def ask(url: str, call: Call = CALL, **options: Any) -> Completion:
    """Make one call; what is given up ends soon, whatever its server does."""
    try:
        return connect(chosen(url, **options))(call)
    finally:
        for thread in callers():
            thread.join(5)
            assert not thread.is_alive()


def failed(reply: wire.Script, **options: Any) -> ModelError:
    """Return the error that one call to a server ends with."""
    with wire.server([reply]) as server, pytest.raises(ModelError) as caught:
        ask(server.url, **options)
    return caught.value


def answered(reply: wire.Script) -> Completion:
    with wire.server([reply]) as server:
        return ask(server.url)


class Fault(NamedTuple):
    """A reply, and the error it ends in."""

    reply: wire.Reply
    code: str
    told: str
    retryable: bool = False
    status: int | None = None

    @property
    def timeout(self) -> float:
        return SHORT if self.code == "MODEL_TIMEOUT" else 10.0


def _json(body: bytes, **headers: str) -> wire.Reply:
    return wire.raw(body, content_type="application/json", **headers)


def _status(code: str, status: int, retryable: bool = False, /, **error: Any) -> Fault:
    reply = wire.status(status, "no such thing", **error)
    told = f'answered with status {status} and said "no such thing"'
    return Fault(reply, code, told, retryable, status)


def _invalid(told: str, reply: wire.Reply) -> Fault:
    return Fault(reply, "MODEL_REPLY_INVALID", told)


def _cut(*pieces: bytes) -> Fault:
    told = "ended without a whole HTTP reply"
    return Fault(wire.Reply(pieces), "MODEL_DISCONNECTED", told, retryable=True)


def _late(*pieces: bytes | float) -> Fault:
    told = f"did not answer wholly within {SHORT} seconds"
    return Fault(wire.Reply(pieces), "MODEL_TIMEOUT", told, retryable=True)


_HEAD = wire.head(content_type="application/json")
_INVALID_FIELD = {"loc": ["body", "response_format"], "msg": "no such format"}

# What `replies` makes of it.
ANSWERS = {
    "400": _status("MODEL_REQUEST_REFUSED", 400),
    "401": _status("MODEL_KEY_REFUSED", 401),
    "403": _status("MODEL_KEY_REFUSED", 403),
    "404": _status("MODEL_NOT_FOUND", 404),
    "408": _status("MODEL_BUSY", 408, True),
    "409": _status("MODEL_BUSY", 409, True),
    "413": _status("MODEL_REQUEST_REFUSED", 413),
    "425": _status("MODEL_BUSY", 425, True),
    "429": _status("MODEL_RATE_LIMITED", 429, True),
    "429 for good": _status("MODEL_RATE_LIMITED", 429, code="insufficient_quota"),
    "500": _status("MODEL_SERVER_FAILED", 500, True),
    "503": _status("MODEL_SERVER_FAILED", 503, True),
    "422 of FastAPI": Fault(
        wire.document({"detail": [_INVALID_FIELD]}, 422),
        "MODEL_REQUEST_REFUSED",
        "said \"['body', 'response_format']: no such format\"",
        status=422,
    ),
    "503 in other words": Fault(
        wire.document({"message": "loading\n  the model"}, 503),
        "MODEL_SERVER_FAILED",
        'said "loading the model"',
        retryable=True,
        status=503,
    ),
    "500 in one word": Fault(
        wire.document({"error": "broken"}, 500),
        "MODEL_SERVER_FAILED",
        'said "broken"',
        retryable=True,
        status=500,
    ),
    "502 of a proxy": Fault(
        wire.raw(b"<html>Bad Gateway</html>", 502, content_type="text/html"),
        "MODEL_SERVER_FAILED",
        "answered with status 502",
        retryable=True,
        status=502,
    ),
    "202": Fault(wire.raw(b"", 202), "MODEL_REQUEST_REFUSED", "status 202", status=202),
    "302": Fault(
        wire.raw(b"", 302, location="http://127.0.0.1:1/v1/chat/completions"),
        "MODEL_REDIRECTED",
        "answered with status 302",
        status=302,
    ),
    "307": Fault(
        wire.raw(b"", 307, location="/v2/chat/completions"),
        "MODEL_REDIRECTED",
        "answered with status 307",
        status=307,
    ),
    "html": _invalid(
        'its content type is "text/html", not application/json',
        wire.raw(b"<html></html>", content_type="text/html; charset=utf-8"),
    ),
    "a stream": _invalid(
        'its content type is "text/event-stream", not application/json',
        wire.raw(b"data: {}\n\n", content_type="text/event-stream"),
    ),
    "empty": _invalid("its body:1:1: it is empty", _json(b"")),
    "not JSON": _invalid("its body:1:12: expecting value", _json(b'{"choices":]')),
    "cut JSON": _invalid("its body:1:13: expecting", _json(b'{"choices": ')),
    "a key twice": _invalid('the key "a" stands twice', _json(b'{"a": 1, "a": 2}')),
    "not UTF-8": _invalid("it is not UTF-8", _json(b'{"choices": "\xff"}')),
    "UTF-16": _invalid(
        "a byte order mark", _json(json.dumps(wire.completion("a")).encode("utf-16"))
    ),
    "half a character": _invalid(
        "half a surrogate pair", _json(json.dumps(wire.completion("\ud83d")).encode())
    ),
    "a list": _invalid("it is not a JSON object", wire.document([wire.completion("a")])),
    "no choices": _invalid("it holds no choices[0].message", wire.document({"object": "x"})),
    "empty choices": _invalid(
        "it holds no choices[0].message", wire.document(wire.completion("a", choices=[]))
    ),
    "a choice that is a text": _invalid(
        "it holds no choices[0].message", wire.document({"choices": ["a"]})
    ),
    "a choice without a message": _invalid(
        "it holds no choices[0].message", wire.document({"choices": [{"text": "a"}]})
    ),
    "content in parts": _invalid(
        "its choices[0].message.content is neither a text nor null",
        wire.reply("a", message={"content": [{"type": "text"}]}),
    ),
}

# What `transport` makes of it.
ACCIDENTS = {
    "500 without end": Fault(
        wire.Reply((wire.head(500, content_length="9999999") + b"x" * 100_000, 9.0)),
        "MODEL_SERVER_FAILED",
        "answered with status 500",
        retryable=True,
        status=500,
    ),
    "500 mispacked": Fault(
        wire.raw(b"not packed", 500, content_encoding="gzip"),
        "MODEL_SERVER_FAILED",
        "answered with status 500",
        retryable=True,
        status=500,
    ),
    "huge": Fault(
        _json(b" " * (transport.LARGEST_BYTES + 1)),
        "MODEL_REPLY_TOO_LARGE",
        "is larger than 8388608 bytes",
    ),
    "huge when unpacked": Fault(
        wire.gzipped(b" " * (transport.LARGEST_BYTES + 1)),
        "MODEL_REPLY_TOO_LARGE",
        "is larger than 8388608 bytes",
    ),
    "packed in another way": _invalid(
        'cannot be unpacked: it says to be "gzip, gzip"',
        _json(gzip.compress(gzip.compress(b"{}")), content_encoding="gzip, gzip"),
    ),
    "mispacked": _invalid(
        'cannot be unpacked: it says to be "gzip"', _json(b"{}", content_encoding="gzip")
    ),
    "packed and cut": _invalid(
        "cannot be unpacked",
        _json(gzip.compress(b'{"choices": []}')[:-4], content_encoding="gzip"),
    ),
    "closed at once": _cut(),
    "closed in the head": _cut(b"HTTP/1.1 200 OK\r\ncontent-"),
    "closed in the body": _cut(wire.head(content_length="4000") + b'{"choices"'),
    "closed in a chunk": _cut(wire.head(transfer_encoding="chunked") + b"ff\r\n{}"),
    "not HTTP": _cut(b"220 mail.example ESMTP\r\n"),
    "silent": _late(9.0),
    "silent after the head": _late(wire.head(content_length="10"), 9.0),
    "a dripping head": _late(*wire.dripping(_HEAD * 9, 0.03)),
    "a dripping body": _late(_HEAD, *wire.dripping(b" " * 300, 0.03)),
    "a dripping refusal": _late(wire.head(500), *wire.dripping(b" " * 300, 0.03)),
}

FAULTS = {**ANSWERS, **ACCIDENTS}


def check(fault: Fault, found: ModelError) -> None:
    """Assert that an error is the one that a fault ends in."""
    assert (found.code, found.retryable, found.phase) == (fault.code, fault.retryable, "model")
    assert fault.told in found.message
    assert found.detail.get("status") == fault.status
    assert found.detail["origin"].startswith("http://127.0.0.1:")
    assert "/v1" not in found.detail["origin"]
    assert found.fix
    assert found.exit_status == 3
