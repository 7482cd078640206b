"""One HTTP request, bounded in time and size, against a real server on this machine."""

from __future__ import annotations

import gzip
import json
import logging
import signal
import socket
import ssl
import struct
import threading
import time
import tracemalloc
from typing import Any

import pytest
import wire
from asking import ACCIDENTS, CALL, KEY, SHORT, answered, ask, callers, check, chosen, failed
from openai import OpenAI

from plan07.llm import faults, transport
from plan07.llm.client import ModelError, connect


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests name their own."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


class TestProxies:
    def test_a_server_on_this_machine_is_not_reached_through_a_proxy(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
        with wire.server([wire.reply("a"), wire.reply("b")]) as server:
            assert ask(server.url).text == "a"
            assert ask(server.url.replace("127.0.0.1", "localhost")).text == "b"

    def test_other_servers_are_reached_through_the_proxy_of_the_environment(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with wire.server([wire.reply("a")]) as server:
            monkeypatch.setenv("HTTP_PROXY", server.url.removesuffix("/v1"))
            assert ask("http://model.example/v1").text == "a"
        assert server.requests[0].path == "http://model.example/v1/chat/completions"

    def test_a_proxy_that_refuses(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with wire.server([wire.raw(b"", 403)]) as server:
            monkeypatch.setenv("HTTPS_PROXY", server.url.removesuffix("/v1"))
            with pytest.raises(ModelError) as caught:
                ask("https://model.example/v1")
        assert server.requests[0].method == "CONNECT"
        assert "authorization" not in server.requests[0].headers
        assert caught.value.code == "MODEL_UNREACHABLE"


class TestBodies:
    def test_a_bomb_is_not_unpacked(self) -> None:
        packed = gzip.compress(b" " * 2**26)
        bomb = wire.raw(packed, content_type="application/json", content_encoding="gzip")
        tracemalloc.start()
        try:
            assert failed(bomb).code == "MODEL_REPLY_TOO_LARGE"
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 2**25

    def test_in_chunks(self) -> None:
        body = json.dumps(wire.completion("ключ")).encode()
        assert answered(wire.chunked(body)).text == "ключ"

    def test_packed_although_nobody_asked(self) -> None:
        body = json.dumps(wire.completion("ключ")).encode()
        assert answered(wire.gzipped(body)).text == "ключ"

    def test_slow_but_in_time(self) -> None:
        body = json.dumps(wire.completion("a")).encode()
        whole = wire.head(content_type="application/json", content_length=str(len(body))) + body
        slow = wire.Reply((0.05, whole[:30], 0.05, whole[30:200], 0.05, whole[200:]))
        assert answered(slow).text == "a"

    def test_the_largest_that_is_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        body = json.dumps(wire.completion("a" * 5000)).encode()
        monkeypatch.setattr(transport, "LARGEST_BYTES", len(body))
        assert len(answered(wire.raw(body)).text) == 5000
        assert len(answered(wire.gzipped(body)).text) == 5000


class TestFaults:
    @pytest.mark.parametrize("name", ACCIDENTS)
    def test_each_is_told_after_one_request(self, name: str) -> None:
        fault = ACCIDENTS[name]
        check(fault, failed(fault.reply, timeout=fault.timeout))

    def test_a_redirect_is_not_followed(self) -> None:
        with wire.server([]) as other:
            away = wire.raw(b"", 307, location=f"{other.url}/chat/completions")
            assert failed(away).code == "MODEL_REDIRECTED"

    def test_nobody_listens(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
        with pytest.raises(ModelError) as caught:
            ask(f"http://127.0.0.1:{port}/v1")
        assert caught.value.code == "MODEL_UNREACHABLE"
        assert caught.value.retryable
        assert caught.value.message == (
            f"http://127.0.0.1:{port} cannot be reached: connection refused"
        )

    def test_a_name_that_nobody_knows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def unknown(*_args: Any, **_options: Any) -> Any:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

        monkeypatch.setattr(socket, "getaddrinfo", unknown)
        with pytest.raises(ModelError) as caught:
            ask("https://model.example/v1")
        assert caught.value.code == "MODEL_UNREACHABLE"
        assert caught.value.message.endswith("cannot be reached: name or service not known")

    def test_a_connection_that_is_reset(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:

            def reset() -> None:
                connection, _ = listening.accept()
                while not connection.recv(65536).endswith(b"}"):
                    pass
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.close()

            thread = threading.Thread(target=reset)
            thread.start()
            with pytest.raises(ModelError) as caught:
                ask(f"http://127.0.0.1:{listening.getsockname()[1]}/v1")
            thread.join()
        assert caught.value.code == "MODEL_DISCONNECTED"
        assert caught.value.message.endswith("a whole HTTP reply: connection reset by peer")

    def test_a_host_that_drops_everything(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def dropped(*_args: Any, **_options: Any) -> Any:
            raise TimeoutError(110, "Connection timed out")

        monkeypatch.setattr(socket, "create_connection", dropped)
        with pytest.raises(ModelError) as caught:
            ask("http://127.0.0.1:1/v1")
        assert caught.value.code == "MODEL_UNREACHABLE"
        assert caught.value.message.endswith("cannot be reached: connection timed out")

    def test_a_server_without_certificates(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:

            def hang_up() -> None:
                connection, _ = listening.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

            thread = threading.Thread(target=hang_up)
            thread.start()
            with pytest.raises(ModelError) as caught:
                ask(f"https://127.0.0.1:{listening.getsockname()[1]}/v1")
            thread.join()
        assert caught.value.code == "MODEL_UNREACHABLE"
        assert caught.value.retryable
        assert caught.value.message.endswith("cannot be reached: wrong version number")

    def test_a_certificate_that_does_not_verify(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def unverified(*_args: Any, **_options: Any) -> Any:
            error = ssl.SSLCertVerificationError(1, "[SSL] certificate verify failed (_ssl.c:1)")
            error.verify_message = "self-signed certificate"
            raise error

        monkeypatch.setattr(ssl.SSLContext, "wrap_socket", unverified)
        with (
            socket.create_server(("127.0.0.1", 0)) as listening,
            pytest.raises(ModelError) as caught,
        ):
            ask(f"https://127.0.0.1:{listening.getsockname()[1]}/v1")
        assert caught.value.code == "MODEL_UNREACHABLE"
        assert not caught.value.retryable
        assert caught.value.message.endswith(
            "cannot be reached: its certificate does not verify: self-signed certificate"
        )

    def test_the_package_itself_fails(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_args: Any, **_options: Any) -> Any:
            raise TypeError(f"no idea what to do with {KEY}")

        monkeypatch.setattr(transport, "OpenAI", broken)
        with pytest.raises(ModelError) as caught:
            ask("http://127.0.0.1:1/v1")
        assert caught.value.code == "MODEL_CLIENT_FAILED"
        assert caught.value.message == "the package openai failed with TypeError"

    def test_a_proxy_that_cannot_be(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HTTPS_PROXY", f"gopher://user:{KEY}@proxy.example")
        with pytest.raises(ModelError) as caught:
            ask("https://model.example/v1")
        assert caught.value.code == "MODEL_CLIENT_FAILED"
        assert KEY not in str(caught.value)
        assert caught.value.fix.startswith("check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and SSL_CERT")

    def test_the_package_may_not_try_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Even where it is told to; the server would count two requests."""

        def eager(**options: Any) -> Any:
            return OpenAI(**{**options, "max_retries": 2})

        monkeypatch.setattr(transport, "OpenAI", eager)
        assert failed(wire.status(503)).code == "MODEL_SERVER_FAILED"

    def test_nothing_is_sent_after_the_time_is_over(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Looking up a name cannot be interrupted, and the request must not follow it."""
        found, go_on = socket.getaddrinfo, threading.Event()

        def slow(*args: Any, **options: Any) -> Any:
            go_on.wait(5)
            return found(*args, **options)

        with wire.server([]) as server:
            monkeypatch.setattr(socket, "getaddrinfo", slow)
            with pytest.raises(ModelError) as caught:
                connect(chosen(server.url, timeout=0.1))(CALL)
            [thread] = callers()
            go_on.set()
            thread.join(5)
        assert caught.value.code == "MODEL_TIMEOUT"
        assert caught.value.message.endswith("did not answer wholly within 0.1 seconds")

    def test_an_interrupted_call_ends(self) -> None:
        """Ctrl-C stops the server's work too, because the connection is closed."""

        def interrupt(_request: wire.Request) -> wire.Reply:
            time.sleep(0.1)  # Until the caller waits for bytes.
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            return wire.Reply((9.0,))

        with wire.server([interrupt]) as server:
            with pytest.raises(KeyboardInterrupt):
                connect(chosen(server.url))(CALL)
            for thread in callers():
                thread.join(2)
            assert callers() == []

    def test_a_call_out_of_time_ends_at_once(self) -> None:
        """Its own timeout, which is one per read, would end it no earlier than this."""
        slow = wire.Reply((wire.head(content_length="9"), 0.4, b" ", 9.0))
        with wire.server([slow]) as server:
            with pytest.raises(ModelError) as caught:
                connect(chosen(server.url, timeout=SHORT))(CALL)
            for thread in callers():
                thread.join(SHORT / 4)
            assert callers() == []
        assert caught.value.code == "MODEL_TIMEOUT"

    def test_exceptions_of_the_package_hold_nothing_of_a_reply(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Not even for a debugger, or a reporter of crashes, that looks into them."""
        seen: list[Any] = []

        def why(error: Any, *_args: Any) -> None:
            seen.append(error)

        monkeypatch.setattr(faults, "why", why)
        failed(wire.document({"error": {"message": KEY}}, 401, x_echo=KEY))
        [error] = seen
        assert error.status_code == 401
        assert KEY not in f"{error} {error.body} {error.response.headers} {error.response.content}"

    def test_other_threads_log_as_before(self, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.DEBUG, "openai")
        answered(wire.reply("{}"))
        logging.getLogger("openai").debug("of somebody else")
        assert [each.message for each in caplog.records] == ["of somebody else"]


def test_the_scripted_server_counts() -> None:
    """The test server itself: a request too many, and one too few."""
    with (
        pytest.raises(AssertionError, match=r"^2 requests for 1 replies$"),
        wire.server([wire.reply("a")]) as server,
    ):
        assert ask(server.url).text == "a"
        with pytest.raises(ModelError, match="one call too many"):
            ask(server.url)
    with (
        pytest.raises(AssertionError, match=r"^0 requests for 1 replies$"),
        wire.server([wire.reply("a")]),
    ):
        pass
