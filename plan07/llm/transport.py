"""Makes exactly one HTTP request to a chat completion server, bounded in time and in size.

The `openai` package brings the protocol, proxies and certificates. What it leaves open is closed
here. Its timeout is one per read, so a server that drips bytes never meets it: the request runs in
a thread that is waited for until one deadline, then cut off at its socket. It reads bodies of any
size: here they are counted, before and after unpacking. It follows redirects, tries again, and
sends what its own environment variables say: here it does none of that.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import ssl
import threading
import zlib
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from openai import DefaultHttpxClient, OpenAI

from plan07.llm import faults
from plan07.llm.call import ModelError
from plan07.llm.replies import Reply

# A reply of 2048 tokens takes about 10 kB; reasoning beside it may take more.
LARGEST_BYTES = 8 * 1024 * 1024
_LARGEST_REFUSAL = 64 * 1024
# What goes out; the package adds a dozen about itself and its surroundings.
_HEADERS = ("host", "accept", "content-type", "content-length", "user-agent")
_GZIP = 31  # zlib's number for that format.
_THREAD = "plan07-model-call"
_CHATTY = ("openai", "httpx", "httpcore")


def exchange(
    origin: str, base_url: str, key: str, body: Mapping[str, Any], seconds: float
) -> Reply:
    """Return what the server answers to one POST of a body to `base_url`/chat/completions.

    Args:
        origin: how messages call the server.
        base_url: of the API.
        key: the API key; without one, "", no Authorization is sent.
        body: the arguments of a chat completion.
        seconds: until the whole reply must be there.

    Raises:
        ModelError: nobody answered, not in time, not wholly, or too much.
    """
    attempt = _Attempt(origin, base_url, key, body, seconds)
    threading.Thread(target=attempt.run, name=_THREAD, daemon=True).start()
    try:
        # Not `join`: before Python 3.13, one that Ctrl-C interrupts takes the thread for ended.
        attempt.over.wait(seconds)
        # What comes of it after the end is of our own making.
        outcome = attempt.outcome or faults.late(origin, seconds)
    finally:
        attempt.end()
    if isinstance(outcome, ModelError):
        raise outcome
    return outcome


class _Ended(Exception):
    """The time is over, or a second request was about to go out."""


class _Attempt:
    """One request, which somebody else may end."""

    def __init__(
        self, origin: str, base_url: str, key: str, body: Mapping[str, Any], seconds: float
    ) -> None:
        self.outcome: Reply | ModelError | None = None
        self.over = threading.Event()
        self._origin = origin
        self._base_url = base_url
        self._key = key
        self._body = body
        self._seconds = seconds
        self._ended = False
        self._sent = False
        self._sockets: list[socket.socket] = []

    def run(self) -> None:
        """Make the request and keep what becomes of it."""
        http: _Http | None = None
        fault: ModelError | None = None
        try:
            http = _Http(self._origin, self._headers(), self._trace)
            _hush()
            with OpenAI(
                api_key=self._key or "none",
                base_url=self._base_url,
                # Later than the deadline, so that time is over in one way only.
                timeout=self._seconds + 5,
                max_retries=0,
                http_client=http,
            ) as client:
                client.chat.completions.with_raw_response.create(**self._body)
        except Exception as error:
            fault = faults.why(error, self._origin, self._sent)
        finally:
            for each in self._sockets:
                each.close()
        # A status that the package does not like is a reply all the same.
        self.outcome = (http and http.reply) or fault
        self.over.set()

    def end(self) -> None:
        """Let nothing more go out or come in."""
        self._ended = True
        for each in self._sockets:
            # Closing alone would not wake a thread that waits for bytes.
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def _headers(self) -> dict[str, str]:
        headers = {"accept-encoding": "identity", "connection": "close"}
        return {**headers, "authorization": f"Bearer {self._key}"} if self._key else headers

    def _trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Follow the connection; called before and after each of its steps."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            self._sockets.append(info["return_value"].get_extra_info("socket"))
        # Read after the socket is kept, and set before the sockets are looked at.
        if self._ended:
            raise _Ended
        if event.endswith(".send_request_headers.started"):
            # What goes to a proxy first is not the request.
            if self._sent:
                raise _Ended
            self._sent = info["request"].method != b"CONNECT"


class _Http(DefaultHttpxClient):
    """The package's HTTP client, which sends and reads no more than it should."""

    def __init__(self, origin: str, headers: dict[str, str], trace: Any) -> None:
        super().__init__(follow_redirects=False, **_local(origin))
        self.reply: Reply | None = None
        self._origin = origin
        self._own = headers
        self._trace = trace

    def send(self, request: Any, *, stream: bool = False, **options: Any) -> Any:
        """Send a request without the package's own headers and return what it needs to see."""
        kept = {name: request.headers[name] for name in _HEADERS if name in request.headers}
        bare = type(request)(
            request.method,
            request.url,
            headers={**kept, **self._own},
            content=request.content,
            extensions={**request.extensions, "trace": self._trace},
        )
        response = super().send(bare, stream=True, **options)
        try:
            body = _body(response, self._origin)
        finally:
            response.close()
        media_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        self.reply = Reply(response.status_code, media_type, body)
        # Nothing that a server echoes gets into the package's exceptions and logs.
        return type(response)(response.status_code, content=b"{}", request=request)


class _NotHere(logging.Filter):
    """Drops what is logged while the model is asked."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.threadName != _THREAD


_NOT_HERE = _NotHere()


def _hush() -> None:
    """Keep headers of replies, and with older packages prompts, out of the logs of a harness."""
    for name in list(logging.root.manager.loggerDict):
        if name.startswith(_CHATTY):
            logging.getLogger(name).addFilter(_NOT_HERE)


def _body(response: Any, origin: str) -> bytes:
    """Return the unpacked body of a response; of a refusal its beginning will do.

    Raises:
        ModelError: it is too large, or not packed as it says.
    """
    succeeded = response.status_code < 300
    raw = bytearray()
    for chunk in response.iter_raw():
        raw += chunk
        if len(raw) > LARGEST_BYTES:
            raise faults.too_large(origin, LARGEST_BYTES)
        if not succeeded and len(raw) > _LARGEST_REFUSAL:
            break
    packed = response.headers.get("content-encoding", "").strip().lower()
    if packed in ("", "identity"):
        return bytes(raw)
    unpacker = zlib.decompressobj(_GZIP)
    body = b""
    if packed in ("gzip", "x-gzip"):
        with contextlib.suppress(zlib.error):
            body = unpacker.decompress(raw, LARGEST_BYTES + 1)
    if len(body) > LARGEST_BYTES:
        raise faults.too_large(origin, LARGEST_BYTES)
    if succeeded and not unpacker.eof:
        raise faults.mispacked(origin, packed)
    return body


def _local(origin: str) -> dict[str, Any]:
    """Return the httpx options for a server on this machine, which no proxy can reach."""
    host = urlsplit(origin).hostname or ""
    try:
        local = ip_address(host).is_loopback
    except ValueError:
        local = host == "localhost" or host.endswith(".localhost")
    if not local:
        return {}
    options: dict[str, Any] = {
        "mounts": {f"all://[{host}]" if ":" in host else f"all://{host}": None}
    }
    if origin.startswith("http://"):
        # Nothing is encrypted, and loading certificates takes longer than all the rest.
        options["verify"] = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return options
