"""What is asked of a model, what comes back, and the error when nothing does.

This is the whole contract between whoever needs the one model call and whoever makes it: a harness
passes a callable of its own, `plan07.llm.client` connects one to a server. Tools do not exist here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import quote

from plan07.errors import Plan07Error

# So many characters in a row that also stand in a key or a prompt are no coincidence.
_KEY_WINDOW = 8
_PROMPT_WINDOW = 24


class Call(NamedTuple):
    """One question to a model.

    Args:
        system: the instructions.
        user: what they are to be applied to.
        schema: JSON schema of the reply, for servers that hold a model to one.
        temperature: 0, so that the same question has the same answer in practice.
        max_completion_tokens: how long the reply may be. Build spec 4.
    """

    system: str
    user: str
    schema: Mapping[str, Any] | None
    temperature: float = 0
    max_completion_tokens: int = 2048


class Completion(NamedTuple):
    """The answer of a model.

    Args:
        text: the content of its message alone, without reasoning; "" when it gave none.
        model: what the server calls the model that answered.
        finish_reason: "stop", "length", ..., "refusal" when the model declined, "" when the server
            does not say.
        prompt_tokens: as the server counted them.
        completion_tokens: as the server counted them.
        seconds: from the request to the end of the reply.
    """

    text: str
    model: str
    finish_reason: str
    prompt_tokens: int | None
    completion_tokens: int | None
    seconds: float


Client: TypeAlias = Callable[[Call], Completion]


class ModelError(Plan07Error):
    """The model could not be asked, or its server did not answer with a completion.

    `retryable` is true where the same call may succeed later. Nobody here calls again.
    """

    exit_status = 3


def model_error(code: str, message: str, fix: str, *, retryable: bool, **detail: Any) -> ModelError:
    """Return the error of a failed call."""
    return ModelError(code, message, fix, phase="model", detail=detail, retryable=retryable)


def scrubbed(error: ModelError, key: str, call: Call) -> ModelError:
    """Return an error without the API key and the prompt, which servers like to echo.

    Args:
        error: what to clean; its message and every text of its detail.
        key: the API key, "" without one.
        call: what was asked.
    """
    prompt = [call.system, call.user]

    def clean(text: str) -> str:
        text = masked(text, [key], _KEY_WINDOW, "[key]")
        return masked(text, prompt, _PROMPT_WINDOW, "[prompt]")

    detail = {
        name: clean(value) if isinstance(value, str) else value
        for name, value in error.detail.items()
    }
    return model_error(
        error.code, clean(error.message), error.fix, retryable=error.retryable, **detail
    )


def masked(text: str, secrets: Iterable[str], window: int, mask: str) -> str:
    """Return a text without any part, `window` characters or longer, of some secrets.

    Parts count too, because servers shorten what they echo, and so does the way it was escaped.
    Secrets shorter than half a window are no secrets and would blank out ordinary words.

    >>> masked("no such key: secret-key-1.", ["my-secret-key-123"], 8, "[key]")
    'no such key: [key].'
    """
    wanted: dict[int, set[str]] = {}
    for secret in secrets:
        for form in {secret, quote(secret, safe=""), json.dumps(secret)[1:-1], repr(secret)[1:-1]}:
            size = min(window, len(form))
            if size >= window // 2:
                parts = {form[start : start + size] for start in range(len(form) - size + 1)}
                wanted.setdefault(size, set()).update(parts)
    shown: list[str] = []
    hidden = 0
    for place, char in enumerate(text):
        for size, parts in wanted.items():
            if text[place : place + size] in parts:
                hidden = max(hidden, place + size)
        if place >= hidden:
            shown.append(char)
        elif not shown or shown[-1] != mask:
            shown.append(mask)
    return "".join(shown)
