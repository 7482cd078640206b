"""Connects the one model call to an OpenAI-compatible server, hosted or on this machine.

Where it goes, with which key and under which names is settled before anything is sent: a server
that takes the request differently than it was guessed is told of in an error, never tried again.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, NoReturn
from urllib.parse import SplitResult, urlsplit

from plan07.errors import InputError
from plan07.llm import replies
from plan07.llm.call import Call, Client, Completion, ModelError, scrubbed
from plan07.messages import quoted

__all__ = [
    "RESPONSE_FORMATS",
    "SECRETS",
    "TOKEN_PARAMETERS",
    "Call",
    "Client",
    "Completion",
    "ModelError",
    "Settings",
    "connect",
    "settings",
]

RESPONSE_FORMATS = ("json_schema", "json_object", "none")
TOKEN_PARAMETERS = ("max_completion_tokens", "max_tokens")
# Environment variables that hold a key; no child process has a use for them.
SECRETS = ("PLAN07_API_KEY", "OPENAI_API_KEY")
SECONDS = 600.0

_BASE_URL = "https://api.openai.com/v1"
# Servers that refuse everything without a key.
_OPENAI_HOSTS = (
    "openai.com",
    "openai.azure.com",
    "cognitiveservices.azure.com",
    "services.ai.azure.com",
)
# Servers that know the limit of tokens by its older name only, by their address: Ollama's port, LM
# Studio's, and hosted ones. They ignore the newer name, and generate without an end.
_OLD_NAME_PORTS = (11434, 1234)
_OLD_NAME_HOSTS = ("deepseek.com", "mistral.ai")
_LONGEST_SECONDS = 86_400
# A shorter one may stand in a model's name by chance.
_SHORTEST_KEY = 16
_KEY_FIX = "give the API key in OPENAI_API_KEY or PLAN07_API_KEY, alone"


class Settings(NamedTuple):
    """Where the model call goes, and how.

    Args:
        model: what the server calls the model.
        base_url: of the API, such as "http://127.0.0.1:8080/v1".
        api_key: "" for a server that wants none; kept out of `repr`.
        timeout: seconds until the whole reply must be there.
        response_format: one of `RESPONSE_FORMATS`.
        token_parameter: one of `TOKEN_PARAMETERS`.
    """

    model: str
    base_url: str
    api_key: str
    timeout: float
    response_format: str
    token_parameter: str

    def __repr__(self) -> str:
        key = "'[key]'" if self.api_key else "''"
        return (
            f"Settings(model={self.model!r}, base_url={self.base_url!r}, api_key={key}, "
            f"timeout={self.timeout!r}, response_format={self.response_format!r}, "
            f"token_parameter={self.token_parameter!r})"
        )

    @property
    def origin(self) -> str:
        """How messages call the server: its address without a path."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def settings(
    environ: Mapping[str, str],
    *,
    model: str | None = None,
    base_url: str | None = None,
    timeout: float | None = None,
    response_format: str | None = None,
    token_parameter: str | None = None,
) -> Settings:
    """Return where the model call goes: what is given, else the environment, else the usual.

    The key comes from the environment alone: PLAN07_API_KEY, where an empty one means none, else
    OPENAI_API_KEY. The address is PLAN07_BASE_URL, else OPENAI_BASE_URL, to which OPENAI_API_KEY
    belongs when it is set. No other variable of the `openai` package is heeded.

    The token limit is sent as `max_completion_tokens`, the name of the build spec, but as
    `max_tokens` to servers that are known by their address not to know it: Ollama (port 11434), LM
    Studio (port 1234), DeepSeek and Mistral. PLAN07_TOKEN_PARAMETER decides otherwise, which
    llama-cpp-python and llama.cpp servers of before 2025 need.

    Args:
        environ: environment variables.
        model: else PLAN07_MODEL.
        base_url: see above.
        timeout: seconds for the whole call, else PLAN07_TIMEOUT, else 600.
        response_format: else PLAN07_RESPONSE_FORMAT, else json_schema.
        token_parameter: see above.

    Raises:
        InputError: no model is named, or something cannot be used.
    """
    key = environ.get("PLAN07_API_KEY", environ.get("OPENAI_API_KEY", "")).strip()
    if not (key.isascii() and key.isprintable()) or " " in key:
        _refuse("API_KEY_INVALID", "the API key holds characters that no key has", _KEY_FIX)
    named = model or environ.get("PLAN07_MODEL") or ""
    address = (
        base_url or environ.get("PLAN07_BASE_URL") or environ.get("OPENAI_BASE_URL") or _BASE_URL
    ).strip()
    if len(key) >= _SHORTEST_KEY and (key in named or key in address):
        what = "the model's name or the base URL holds the API key, and both are shown to people"
        _refuse("API_KEY_EXPOSED", what, _KEY_FIX)
    if not named.strip() or not named.isprintable():
        what = f"the model cannot be {quoted(named)}" if named else "no model is named"
        _refuse("MODEL_UNNAMED", what, "name one with --model or PLAN07_MODEL")
    parts = _checked(address)
    host = (parts.hostname or "").rstrip(".")
    if _is_of(host, _OPENAI_HOSTS) and not key:
        _refuse(
            "API_KEY_MISSING",
            f"{host} wants an API key, and there is none",
            "set OPENAI_API_KEY, or name another server with --base-url",
        )
    older = parts.port in _OLD_NAME_PORTS or _is_of(host, _OLD_NAME_HOSTS)
    usual = TOKEN_PARAMETERS[1 if older else 0]
    return Settings(
        model=named,
        base_url=address.rstrip("/"),
        api_key=key,
        timeout=_seconds(environ.get("PLAN07_TIMEOUT") or SECONDS if timeout is None else timeout),
        response_format=_chosen(
            response_format or environ.get("PLAN07_RESPONSE_FORMAT") or RESPONSE_FORMATS[0],
            RESPONSE_FORMATS,
            "--response-format",
        ),
        token_parameter=_chosen(
            token_parameter or environ.get("PLAN07_TOKEN_PARAMETER") or usual,
            TOKEN_PARAMETERS,
            "--token-parameter",
        ),
    )


def _is_of(host: str, domains: tuple[str, ...]) -> bool:
    return any(host == each or host.endswith(f".{each}") for each in domains)


def connect(settings: Settings, clock: Callable[[], float] = time.monotonic) -> Client:
    """Return a client that makes one HTTP request per call.

    Args:
        settings: where to.
        clock: in seconds, from which the latency is taken.

    Raises:
        InputError: the package `openai` is not installed, or the base URL cannot be used.
    """
    _checked(settings.base_url)
    try:
        from plan07.llm import transport
    except ImportError:
        raise InputError(
            "MODEL_EXTRA_MISSING",
            "asking a model needs the package openai, which is not installed or too old",
            "pip install 'plan07[llm]'",
            phase="usage",
        ) from None

    def ask(call: Call) -> Completion:
        started = clock()
        try:
            reply = transport.exchange(
                settings.origin,
                settings.base_url,
                settings.api_key,
                _arguments(settings, call),
                settings.timeout,
            )
            return replies.completion(reply, settings.origin, settings.model, clock() - started)
        except ModelError as error:
            failed = error
        # Outside of the handler: what it was raised from would be shown along with it.
        raise scrubbed(failed, settings.api_key, call)

    return ask


def _arguments(settings: Settings, call: Call) -> dict[str, Any]:
    """Return the body of the request, all of it."""
    body: dict[str, Any] = {
        "model": settings.model,
        "messages": [
            {"role": "system", "content": call.system},
            {"role": "user", "content": call.user},
        ],
        "temperature": call.temperature,
        settings.token_parameter: call.max_completion_tokens,
    }
    if call.schema is None or settings.response_format == "none":
        return body
    response_format: dict[str, Any] = {"type": settings.response_format}
    if settings.response_format == "json_schema":
        response_format["json_schema"] = {"name": "reply", "strict": True, "schema": call.schema}
    return {**body, "response_format": response_format}


def _checked(address: str) -> SplitResult:
    """Return the parts of a base URL.

    Raises:
        InputError: it is none, or holds what may be a secret, which is not repeated.
    """
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        parts, usable = urlsplit(""), False
    if any(mark in address for mark in "@?#"):
        what = "it holds a user name, a password, a query or a fragment"
    elif not address.isascii() or not address.isprintable() or " " in address:
        what = f"{quoted(address)} holds characters that no address has"
    elif not usable:
        what = f"{quoted(address)} is not http:// or https:// and a host"
    else:
        what = ""
    if what:
        _refuse(
            "BASE_URL_INVALID",
            f"the base URL cannot be used: {what}",
            f"give the address of the API, such as http://127.0.0.1:8080/v1; {_KEY_FIX}",
        )
    return parts


def _seconds(value: float | str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        seconds = math.nan
    if not 0 < seconds <= _LONGEST_SECONDS:
        _refuse(
            "TIMEOUT_INVALID",
            f"a timeout cannot be {quoted(str(value))} seconds",
            f"give more than 0 and at most {_LONGEST_SECONDS} as --timeout or PLAN07_TIMEOUT",
        )
    return seconds


def _chosen(value: str, known: tuple[str, ...], option: str) -> str:
    if value not in known:
        variable = f"PLAN07_{option.strip('-').replace('-', '_').upper()}"
        _refuse(
            "MODEL_OPTION_INVALID",
            f"{option} cannot be {quoted(value)}",
            f"use one of {', '.join(known)} as {option} or {variable}",
        )
    return value


def _refuse(code: str, message: str, fix: str) -> NoReturn:
    raise InputError(code, message, fix, phase="usage")
