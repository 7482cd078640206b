"""Reads what a server answered: a completion, or the error that says why there is none.

A server is not trusted. Its words are shortened and freed of control characters, its numbers are
taken where they are numbers, and whatever is not the documented shape is an error, not a guess.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

from plan07 import jsontext
from plan07.errors import InputError
from plan07.llm.call import Completion, ModelError, model_error
from plan07.messages import printable, quoted

_LONGEST_WORDS = 300
_LONGEST_NAME = 200
_MOST_TOKENS = 2**53


class Reply(NamedTuple):
    """What came back over the wire.

    Args:
        status: of HTTP.
        content_type: the media type without parameters, in small letters; "" when not said.
        body: uncompressed.
    """

    status: int
    content_type: str
    body: bytes


class _Fault(NamedTuple):
    code: str
    fix: str
    retryable: bool = False


_KEY_REFUSED = _Fault("MODEL_KEY_REFUSED", "set the API key that belongs to this server and model")
_REQUEST_REFUSED = _Fault(
    "MODEL_REQUEST_REFUSED",
    "if it names response_format, choose another --response-format (json_schema, json_object, "
    "none); if it names a token limit, the other --token-parameter",
)
_LATER = _Fault("MODEL_BUSY", "wait, then run the command again", retryable=True)
_SERVER_FAILED = _Fault("MODEL_SERVER_FAILED", "look at the server, then run it again", True)
_REDIRECTED = _Fault("MODEL_REDIRECTED", "give the address it moved to as --base-url")
_STATUSES = {
    401: _KEY_REFUSED,
    403: _KEY_REFUSED,
    404: _Fault(
        "MODEL_NOT_FOUND",
        "check --model, and --base-url: for most servers it ends in /v1",
    ),
    408: _LATER,
    409: _LATER,
    425: _LATER,
    429: _Fault("MODEL_RATE_LIMITED", "wait, then run the command again", retryable=True),
}
# A quota that is used up does not come back by waiting.
_QUOTA = _Fault("MODEL_RATE_LIMITED", "look at the account's quota, or use another model")


def completion(reply: Reply, origin: str, model: str, seconds: float) -> Completion:
    """Return the completion in a reply.

    Args:
        reply: what came back.
        origin: of whom to say that it did, such as "https://api.openai.com".
        model: what was asked for; the answer's name where the server gives none.
        seconds: how long it took.

    Raises:
        ModelError: the status is not 200, or the body is not a completion.
    """
    if reply.status != HTTPStatus.OK:
        raise _refused(reply, origin)
    document = _document(reply, origin)
    choice = _first(document.get("choices"))
    message = choice.get("message") if choice else None
    if choice is None or not isinstance(message, Mapping):
        raise _invalid(origin, "it holds no choices[0].message")
    content = message.get("content")
    if not isinstance(content, str | None):
        raise _invalid(origin, "its choices[0].message.content is neither a text nor null")
    usage = document.get("usage")
    counts: Mapping[str, Any] = usage if isinstance(usage, Mapping) else {}
    return Completion(
        text=content or "",
        model=_name(document.get("model")) or model,
        finish_reason=_finish_reason(choice, message),
        prompt_tokens=_count(counts.get("prompt_tokens")),
        completion_tokens=_count(counts.get("completion_tokens")),
        seconds=seconds,
    )


def _document(reply: Reply, origin: str) -> dict[str, Any]:
    kind = reply.content_type
    if kind and kind != "application/json" and not kind.endswith("+json"):
        raise _invalid(origin, f"its content type is {quoted(kind)}, not application/json")
    try:
        value = jsontext.parse(reply.body, "its body")
    except InputError as error:
        raise _invalid(origin, error.message) from None
    if not isinstance(value, dict):
        raise _invalid(origin, "it is not a JSON object")
    return value


def _invalid(origin: str, what: str) -> ModelError:
    return model_error(
        "MODEL_REPLY_INVALID",
        f"{origin} did not answer with a chat completion: {what}",
        "check that --base-url names an OpenAI-compatible server; for most it ends in /v1",
        retryable=False,
        origin=origin,
    )


def _first(found: Any) -> Mapping[str, Any] | None:
    if isinstance(found, list) and found and isinstance(found[0], Mapping):
        return found[0]
    return None


def _finish_reason(choice: Mapping[str, Any], message: Mapping[str, Any]) -> str:
    # A refusal stands in a field of its own, and servers then finish with "stop".
    if not message.get("content") and _name(message.get("refusal")):
        return "refusal"
    return _name(choice.get("finish_reason"))


def _name(value: Any) -> str:
    return printable(value)[:_LONGEST_NAME] if isinstance(value, str) else ""


def _count(value: Any) -> int | None:
    known = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS
    return value if known else None


def _refused(reply: Reply, origin: str) -> ModelError:
    said, code = _words(reply)
    if 300 <= reply.status < 400:
        fault = _REDIRECTED
    elif reply.status == HTTPStatus.TOO_MANY_REQUESTS and code == "insufficient_quota":
        fault = _QUOTA
    else:
        other = _SERVER_FAILED if reply.status >= 500 else _REQUEST_REFUSED
        fault = _STATUSES.get(reply.status, other)
    return model_error(
        fault.code,
        f"{origin} answered with status {reply.status}" + (f' and said "{said}"' if said else ""),
        fault.fix,
        retryable=fault.retryable,
        origin=origin,
        status=reply.status,
    )


def _words(reply: Reply) -> tuple[str, str]:
    """Return the sentence and the code of an error, in the shapes that servers give them."""
    try:
        value = jsontext.parse(reply.body, "its body")
    except InputError:
        # A page of HTML helps nobody.
        return "", ""
    found: Any = value.get("error", value) if isinstance(value, Mapping) else value
    code = found.get("code") if isinstance(found, Mapping) else None
    if isinstance(found, Mapping):
        found = found.get("message", found.get("detail"))
    invalid = _first(found)
    if invalid is not None:
        # Servers made with FastAPI list each field that they do not take.
        found = f"{invalid.get('loc')}: {invalid.get('msg')}"
    said = printable(" ".join(found.split())) if isinstance(found, str) else ""
    return said if len(said) <= _LONGEST_WORDS else f"{said[:_LONGEST_WORDS]}...", _name(code)
