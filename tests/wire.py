"""A scripted chat completion server on this machine, for tests of what goes over the wire.

    with wire.server([wire.reply('{"obligations": []}'), wire.status(429)]) as server:
        ...  # calls to server.url
    server.requests[0].document["temperature"]

Each reply answers one request, in order. A request too many, or a reply that nobody asked for,
fails the test when the block ends, so that "exactly one call" tests itself.
"""

from __future__ import annotations

import gzip
import json
import socketserver
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import parse_headers
from typing import Any, NamedTuple


class Request(NamedTuple):
    """What a client sent; header names in small letters."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def document(self) -> Any:
        return json.loads(self.body)


class Reply(NamedTuple):
    """What goes back, then the connection is closed: bytes to send, numbers of seconds to wait."""

    pieces: tuple[bytes | float, ...]


Script = Reply | Callable[[Request], Reply]


class Server:
    """What a test sees of the server."""

    def __init__(self, address: str) -> None:
        self.url = f"http://{address}/v1"
        self.requests: list[Request] = []


@contextmanager
def server(replies: Sequence[Script]) -> Iterator[Server]:
    """Yield a server that gives each of some replies once.

    Raises:
        AssertionError: at the end, when the number of requests is another.
    """
    over = threading.Event()
    lock = threading.Lock()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            request = _read(self.rfile)
            if request is None:
                return
            with lock:
                number = len(seen.requests)
                seen.requests.append(request)
            script = replies[number] if number < len(replies) else status(500, "one call too many")
            try:
                for piece in (script if isinstance(script, Reply) else script(request)).pieces:
                    if isinstance(piece, bytes):
                        self.wfile.write(piece)
                    elif over.wait(piece):
                        return
            except OSError:
                return  # The client had enough; its test says so.

    class Listener(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True

    with Listener(("127.0.0.1", 0), Handler) as listener:
        seen = Server("{}:{}".format(*listener.server_address))
        thread = threading.Thread(target=listener.serve_forever, args=(0.005,), daemon=True)
        thread.start()
        try:
            yield seen
        finally:
            over.set()
            listener.shutdown()
            thread.join()
    count = f"{len(seen.requests)} requests for {len(replies)} replies"
    assert len(seen.requests) == len(replies), count


def _read(stream: Any) -> Request | None:
    try:
        line = stream.readline().decode("latin-1").split()
        if len(line) != 3:
            return None
        headers = {name.lower(): value for name, value in parse_headers(stream).items()}
        body = stream.read(int(headers.get("content-length", "0")))
    except OSError:
        return None
    return Request(line[0], line[1], headers, body)


def completion(text: str | None = "", **fields: Any) -> dict[str, Any]:
    """Return the document of a completion; `message`, `choice` and others replace parts of it."""
    message = {"role": "assistant", "content": text, **fields.pop("message", {})}
    choice = {"index": 0, "finish_reason": "stop", "message": message, **fields.pop("choice", {})}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted-1",
        "choices": [choice],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
        **fields,
    }


def reply(text: str | None = "", **fields: Any) -> Reply:
    """Return a reply in which the model says a text."""
    return document(completion(text, **fields))


def document(value: Any, code: int = 200, /, **headers: str) -> Reply:
    """Return a reply that is a JSON document."""
    return raw(json.dumps(value).encode(), code, **{"content_type": "application/json", **headers})


def status(code: int, message: str = "no", /, **error: Any) -> Reply:
    """Return a refusal in the shape of OpenAI."""
    return document({"error": {"message": message, "type": "t", "code": None, **error}}, code)


def raw(body: bytes, code: int = 200, /, **headers: str) -> Reply:
    """Return a reply of some bytes."""
    return Reply((head(code, **{"content_length": str(len(body)), **headers}) + body,))


def head(code: int = 200, /, **headers: str) -> bytes:
    """Return the head of a reply; underscores in names of headers stand for hyphens."""
    lines = [f"HTTP/1.1 {code} Whatever", "connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def chunked(body: bytes, size: int = 16) -> Reply:
    """Return a reply in chunks."""
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in [*parts, b""])
    start = head(content_type="application/json", transfer_encoding="chunked")
    return Reply((start + chunks,))


def gzipped(body: bytes) -> Reply:
    """Return a reply that is packed."""
    return raw(gzip.compress(body), content_type="application/json", content_encoding="gzip")


def dripping(data: bytes, seconds: float) -> tuple[bytes | float, ...]:
    """Return the pieces that send some bytes one by one, with a wait before each."""
    return tuple(piece for byte in data for piece in (seconds, bytes([byte])))
