"""Settings of the one model call, its request, and its secrets. S-000-020, S-000-027."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import traceback
from typing import Any

import pytest
import wire
from asking import CALL, FAULTS, KEY, SCHEMA, SHORT, ask, chosen, failed

from plan07.errors import InputError, Plan07Error
from plan07.llm.client import Call, Settings, connect, settings


def refused(environ: dict[str, str], **options: Any) -> tuple[str, str, str]:
    with pytest.raises(InputError) as caught:
        settings(environ, **options)
    assert caught.value.phase == "usage"
    assert caught.value.exit_status == 2
    return caught.value.code, caught.value.message, caught.value.fix


class TestSettings:
    def test_what_is_given_goes_before_the_environment(self) -> None:
        environ = {
            "PLAN07_MODEL": "m",
            "PLAN07_BASE_URL": "http://127.0.0.1:1/v1/",
            "PLAN07_API_KEY": "own",
            "OPENAI_API_KEY": "other",
            "PLAN07_TIMEOUT": "12.5",
            "PLAN07_RESPONSE_FORMAT": "json_object",
            "PLAN07_TOKEN_PARAMETER": "max_completion_tokens",
        }
        assert settings(environ) == Settings(
            "m", "http://127.0.0.1:1/v1", "own", 12.5, "json_object", "max_completion_tokens"
        )
        given = settings(
            environ,
            model="n",
            base_url="https://host.example/api",
            timeout=3,
            response_format="none",
            token_parameter="max_tokens",
        )
        assert given == Settings("n", "https://host.example/api", "own", 3.0, "none", "max_tokens")

    def test_what_is_usual(self) -> None:
        assert settings({"PLAN07_MODEL": "m", "OPENAI_API_KEY": "k"}) == Settings(
            "m", "https://api.openai.com/v1", "k", 600.0, "json_schema", "max_completion_tokens"
        )

    def test_an_address_of_openai_belongs_to_its_key(self) -> None:
        environ = {"OPENAI_BASE_URL": "http://gateway:1/v1", "OPENAI_API_KEY": "k"}
        assert settings(environ, model="m").base_url == "http://gateway:1/v1"
        environ["PLAN07_BASE_URL"] = "http://nearer:1/v1"
        assert settings(environ, model="m").base_url == "http://nearer:1/v1"

    def test_a_server_of_ones_own_needs_no_key(self) -> None:
        assert settings({}, model="m", base_url="http://127.0.0.1:8080/v1").api_key == ""

    def test_an_empty_key_of_plan07_means_none(self) -> None:
        environ = {"PLAN07_API_KEY": "", "OPENAI_API_KEY": KEY}
        assert settings(environ, model="m", base_url="http://127.0.0.1:8080/v1").api_key == ""

    @pytest.mark.parametrize(
        ("url", "parameter"),
        [
            ("https://api.openai.com/v1", "max_completion_tokens"),
            ("https://eu.api.openai.com/v1", "max_completion_tokens"),
            ("https://API.OPENAI.COM./v1", "max_completion_tokens"),
            ("https://mine.openai.azure.com/openai/v1", "max_completion_tokens"),
            ("https://mine.services.ai.azure.com/openai/v1", "max_completion_tokens"),
            ("https://mine.cognitiveservices.azure.com/openai/v1", "max_completion_tokens"),
            ("https://api.deepseek.com", "max_tokens"),
            ("https://api.mistral.ai/v1", "max_tokens"),
            ("http://127.0.0.1:11434/v1", "max_tokens"),
            ("http://localhost:1234/v1", "max_tokens"),
            ("https://notdeepseek.com/v1", "max_completion_tokens"),
            ("https://deepseek.com.example/v1", "max_completion_tokens"),
            ("http://127.0.0.1:8080/v1", "max_completion_tokens"),
            ("http://[::1]:8000/v1", "max_completion_tokens"),
        ],
    )
    def test_the_address_decides_what_the_token_limit_is_called(
        self, url: str, parameter: str
    ) -> None:
        assert chosen(url).token_parameter == parameter

    @pytest.mark.parametrize(
        ("environ", "options", "code", "told"),
        [
            ({}, {}, "MODEL_UNNAMED", "no model is named"),
            ({}, {"model": "a\nb"}, "MODEL_UNNAMED", 'the model cannot be "a\\nb"'),
            ({}, {"model": "m"}, "API_KEY_MISSING", "api.openai.com wants an API key"),
            (
                {"PLAN07_API_KEY": "", "OPENAI_API_KEY": KEY},
                {"model": "m"},
                "API_KEY_MISSING",
                "api.openai.com wants an API key",
            ),
            ({"OPENAI_API_KEY": "a b"}, {"model": "m"}, "API_KEY_INVALID", "characters"),
            ({"OPENAI_API_KEY": "kéy"}, {"model": "m"}, "API_KEY_INVALID", "characters"),
            ({"OPENAI_API_KEY": "a\nb"}, {"model": "m"}, "API_KEY_INVALID", "characters"),
            ({"OPENAI_API_KEY": KEY}, {"model": KEY}, "API_KEY_EXPOSED", "the model's name"),
            (
                {"OPENAI_API_KEY": KEY},
                {"model": "m", "base_url": f"http://h/{KEY}/v1"},
                "API_KEY_EXPOSED",
                "the base URL",
            ),
            ({}, {"model": "m", "base_url": "ftp://h/v1"}, "BASE_URL_INVALID", '"ftp://h/v1"'),
            ({}, {"model": "m", "base_url": "h:80/v1"}, "BASE_URL_INVALID", '"h:80/v1"'),
            ({}, {"model": "m", "base_url": "http:///v1"}, "BASE_URL_INVALID", '"http:///v1"'),
            ({}, {"model": "m", "base_url": "http://h:x/"}, "BASE_URL_INVALID", '"http://h:x/"'),
            ({}, {"model": "m", "base_url": "http://h:0/"}, "BASE_URL_INVALID", '"http://h:0/"'),
            ({}, {"model": "m", "base_url": "http://h/a b"}, "BASE_URL_INVALID", '"http://h/a b"'),
            ({}, {"model": "m", "base_url": "http://hé/v1"}, "BASE_URL_INVALID", '"http://hé/v1"'),
            ({}, {"model": "m", "base_url": "http://u:p@h/v1"}, "BASE_URL_INVALID", "a password"),
            ({}, {"model": "m", "base_url": "http://h/v1?key=p"}, "BASE_URL_INVALID", "a query"),
            ({}, {"model": "m", "base_url": "http://h/v1#p"}, "BASE_URL_INVALID", "a fragment"),
            ({"PLAN07_TIMEOUT": "soon"}, {}, "TIMEOUT_INVALID", '"soon"'),
            ({}, {"timeout": 0}, "TIMEOUT_INVALID", '"0"'),
            ({}, {"timeout": -1.5}, "TIMEOUT_INVALID", '"-1.5"'),
            ({}, {"timeout": float("nan")}, "TIMEOUT_INVALID", '"nan"'),
            ({}, {"timeout": float("inf")}, "TIMEOUT_INVALID", '"inf"'),
            ({}, {"timeout": 86_401}, "TIMEOUT_INVALID", '"86401"'),
            (
                {"PLAN07_RESPONSE_FORMAT": "xml"},
                {},
                "MODEL_OPTION_INVALID",
                '--response-format cannot be "xml"',
            ),
            (
                {},
                {"token_parameter": "n"},
                "MODEL_OPTION_INVALID",
                '--token-parameter cannot be "n"',
            ),
        ],
    )
    def test_what_cannot_be_used(
        self, environ: dict[str, str], options: dict[str, Any], code: str, told: str
    ) -> None:
        if code in ("TIMEOUT_INVALID", "MODEL_OPTION_INVALID"):
            options = {"model": "m", "base_url": "http://127.0.0.1:1/v1", **options}
        found, message, fix = refused(environ, **options)
        assert (found, told in message) == (code, True), message
        assert KEY not in message + fix
        assert "u:p" not in message
        assert "key=p" not in message

    def test_the_key_is_not_shown(self) -> None:
        found = chosen("http://127.0.0.1:1/v1")
        assert found.api_key == KEY
        for shown in (repr(found), str(found), f"{found}", repr([found]), f"{found!r}"):
            assert KEY not in shown
            assert "api_key='[key]'" in shown
        assert "api_key=''" in repr(found._replace(api_key=""))

    def test_settings_made_by_hand_are_checked_too(self) -> None:
        made = chosen("http://127.0.0.1:1/v1")._replace(base_url=f"http://u:{KEY}@h/v1")
        with pytest.raises(InputError) as caught:
            connect(made)
        assert caught.value.code == "BASE_URL_INVALID"
        assert KEY not in str(caught.value)
        assert made.origin == "http://h"


class TestRequest:
    def test_the_whole_body(self) -> None:
        """S-000-020: one call with both parameters exact. S-000-027: no tools."""
        with wire.server([wire.reply("{}")]) as server:
            ask(server.url, token_parameter="max_completion_tokens")
        [request] = server.requests
        assert (request.method, request.path) == ("POST", "/v1/chat/completions")
        assert request.document == {
            "model": "small-1",
            "messages": [
                {"role": "system", "content": CALL.system},
                {"role": "user", "content": CALL.user},
            ],
            "temperature": 0,
            "max_completion_tokens": 2048,
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA},
            },
        }

    def test_the_whole_head(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """What the package would add from its own variables stays here."""
        monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
        monkeypatch.setenv("OPENAI_PROJECT_ID", "project-1")
        monkeypatch.setenv("OPENAI_ADMIN_KEY", "admin-1")
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Mine: 1\nAuthorization: Bearer other")
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/elsewhere")
        with wire.server([wire.reply("{}")]) as server:
            ask(server.url)
        headers = dict(server.requests[0].headers)
        assert headers.pop("user-agent").startswith("OpenAI/Python")
        assert headers == {
            "host": server.url.removeprefix("http://").removesuffix("/v1"),
            "accept": "application/json",
            "accept-encoding": "identity",
            "authorization": f"Bearer {KEY}",
            "connection": "close",
            "content-type": "application/json",
            "content-length": str(len(server.requests[0].body)),
        }

    def test_without_a_key_none_is_sent(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        with wire.server([wire.reply("{}")]) as server:
            connect(settings({}, model="m", base_url=server.url))(CALL)
        assert "authorization" not in server.requests[0].headers

    @pytest.mark.parametrize(
        ("option", "schema", "sent"),
        [
            ("json_object", SCHEMA, {"type": "json_object"}),
            ("none", SCHEMA, None),
            ("json_schema", None, None),
            ("json_object", None, None),
        ],
    )
    def test_the_response_format_is_a_setting(
        self, option: str, schema: dict[str, Any] | None, sent: dict[str, str] | None
    ) -> None:
        with wire.server([wire.reply("{}")]) as server:
            ask(server.url, CALL._replace(schema=schema), response_format=option)
        found = server.requests[0].document
        assert found.get("response_format") == sent
        assert ("response_format" in found) == (sent is not None)

    def test_the_old_name_of_the_limit(self) -> None:
        with wire.server([wire.reply("{}")]) as server:
            call = CALL._replace(max_completion_tokens=17, schema=None)
            ask(server.url, call, token_parameter="max_tokens")
        found = server.requests[0].document
        assert found["max_tokens"] == 17
        assert set(found) == {"model", "messages", "temperature", "max_tokens"}

    def test_texts_arrive_as_they_are(self) -> None:
        call = Call('a "quoted" \\ line\nand \u202e\x07', "ключ 鍵 🔑 </s>", None)
        with wire.server([wire.reply("{}")]) as server:
            ask(server.url, call)
        said = [each["content"] for each in server.requests[0].document["messages"]]
        assert said == [call.system, call.user]

    def test_every_call_is_one_request(self) -> None:
        with wire.server([wire.reply("first"), wire.reply("second")]) as server:
            found = connect(chosen(server.url))
            assert [found(CALL).text, found(CALL).text] == ["first", "second"]


def echoing(reply: wire.Reply) -> wire.Script:
    """Return a script that says the key wherever a reply has room for it."""

    def script(request: wire.Request) -> wire.Reply:
        said = request.headers["authorization"]
        first = reply.pieces[:1]
        if not (first and isinstance(first[0], bytes) and b"\r\n" in first[0]):
            return wire.Reply((f"HTTP/1.1 {said} 1\r\n".encode(), *reply.pieces))
        line, _, rest = first[0].partition(b"\r\n")
        return wire.Reply(
            (b"%s\r\nx-echo: %s\r\n%s" % (line, said.encode(), rest), *reply.pieces[1:])
        )

    return script


def echo_in_words(code: int) -> wire.Script:
    def script(request: wire.Request) -> wire.Reply:
        said = request.headers["authorization"]
        prompt = request.document["messages"][1]["content"]
        return wire.status(code, f"{said[:20]} is not {said}, {json.dumps(prompt)}", code=said)

    return script


def echo_in_a_reply(request: wire.Request) -> wire.Reply:
    said = request.headers["authorization"]
    return wire.raw(f'{{"{said}": 1, "{said}": 2}}'.encode(), content_type="application/json")


def echo_as_the_type(request: wire.Request) -> wire.Reply:
    return wire.raw(b"{}", content_type=f"text/{request.headers['authorization']}")


def echo_as_the_encoding(request: wire.Request) -> wire.Reply:
    return wire.raw(b"{}", content_encoding=request.headers["authorization"])


ECHOES: dict[str, tuple[wire.Script, float]] = {
    **{
        name: (echoing(fault.reply), fault.timeout)
        for name, fault in FAULTS.items()
        if fault.timeout > SHORT or name in ("silent", "a dripping body")
    },
    **{
        f"{code} in words": (echo_in_words(code), 10.0)
        for code in (400, 401, 403, 404, 429, 500, 503)
    },
    "in a reply": (echo_in_a_reply, 10.0),
    "as the type": (echo_as_the_type, 10.0),
    "as the encoding": (echo_as_the_encoding, 10.0),
}


class TestSecrets:
    @pytest.mark.parametrize("name", ECHOES)
    def test_a_key_that_the_server_echoes_is_nowhere(
        self, name: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
    ) -> None:
        caplog.set_level(logging.DEBUG)
        for each in ("openai", "httpx", "httpx2", "httpcore", "httpcore2"):
            caplog.set_level(logging.DEBUG, each)
        script, seconds = ECHOES[name]
        with wire.server([script]) as server:
            try:
                ask(server.url, timeout=seconds)
            except Plan07Error as error:
                shown = [
                    str(error),
                    repr(error),
                    json.dumps(error.as_dict()),
                    "".join(traceback.format_exception(error)),
                    repr(error.__reduce__()),
                ]
                assert error.__context__ is None
                assert error.__cause__ is None
            else:
                raise AssertionError("it was answered")
        shown += [caplog.text, *capfd.readouterr()]
        sent = server.requests[0].headers["authorization"].removeprefix("Bearer ")
        assert sent == KEY
        parts = {KEY[start : start + 8] for start in range(len(KEY) - 7)}
        assert not [part for part in parts for text in shown if part in text]
        assert not any(CALL.user in text or CALL.system in text for text in shown)

    def test_what_stands_in_place_of_it(self) -> None:
        found = failed(echo_in_words(401))
        assert found.message.endswith(
            'status 401 and said "Bearer [key] is not Bearer [key], "[prompt]""'
        )


class TestWithoutThePackage:
    CODE = """
import sys
sys.modules["openai"] = None
from plan07.llm.client import InputError, connect, settings
try:
    connect(settings({}, model="m", base_url="http://127.0.0.1:1/v1"))
except InputError as error:
    print(error.code, error.exit_status, error.fix, error.message, sep="|")
"""

    def test_a_sentence_says_what_to_install(self) -> None:
        done = subprocess.run(
            [sys.executable, "-c", self.CODE], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == (
            "MODEL_EXTRA_MISSING|2|pip install 'plan07[llm]'|"
            "asking a model needs the package openai, which is not installed or too old"
        )
        assert done.stderr == ""

    def test_settings_do_not_load_it(self) -> None:
        code = "import sys, plan07.llm.client; print('openai' in sys.modules)"
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert done.stdout.strip() == "False"
