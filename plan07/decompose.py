"""Semantic decomposition: the one decision that a model makes (build spec 4).

One call for a scope, at temperature zero. What comes back is either records of exactly eight fields
or the no-op, which hands control back to canonicalization; nothing is asked twice.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from plan07 import jsontext, shapes
from plan07.errors import InputError, Plan07Error
from plan07.ledger import Ledger
from plan07.llm.call import Call, Client, Completion
from plan07.prompt import Prompt

Ask = Callable[[Call], Completion | str]

# What a failed decomposition comes to, to the letter.
NO_OP: Mapping[str, Any] = {"obligations": [], "re_decompose": True}

_FENCE = re.compile(r"\A```[A-Za-z0-9_-]*\n(.*)\n```\Z", re.S)
_THOUGHT = re.compile(r"\A<think>.*?</think>\s*", re.S)


def server(environ: Mapping[str, str], **options: Any) -> Client:
    """Return the model behind an OpenAI-compatible server.

    Args:
        environ: environment variables, see `llm.client.settings`.
        options: what the command line says, by the same names.

    Raises:
        InputError: no model is named, an option is wrong, or the extra is not installed.
    """
    from plan07.llm import client

    return client.connect(client.settings(environ, **options))


class Decomposition(NamedTuple):
    """What a decomposition came to.

    Args:
        document: `{"obligations": [...]}`, or the no-op.
        reason: "" for obligations, else one sentence of why they came to nothing.
    """

    document: dict[str, Any]
    reason: str = ""

    @property
    def is_no_op(self) -> bool:
        """Whether control goes back to canonicalization."""
        return bool(self.reason)


def no_op(reason: str) -> Decomposition:
    """Return the decomposition that came to nothing."""
    return Decomposition({**NO_OP, "obligations": []}, reason)


def decompose(
    prompt: Prompt,
    ask: Client | Ask,
    ledger: Ledger,
    now: Callable[[], str],
    *,
    lenient: bool = False,
    most: int = 64,
) -> Decomposition:
    """Return what a model makes of a request, or the no-op.

    Args:
        prompt: what is sent.
        ask: the model; called at most once.
        ledger: a scope that stands in it is not sent again.
        now: the time, UTC in ISO 8601.
        lenient: strip one fence around the reply, or a leading think-block.
        most: how many obligations a scope may have.

    Raises:
        Plan07Error: the call failed on its way; the scope stays spent.
    """
    sent = {
        "event": "sent",
        "time": now(),
        "prompt_sha256": _digest(prompt.system + prompt.user),
        "system": prompt.system,
        "user": prompt.user,
    }
    if not ledger.spend(prompt.scope, sent):
        return no_op(
            "this scope was sent before, and a scope is sent once; "
            "the record of calls says what came of it"
        )
    try:
        reply = _completion(ask(Call(prompt.system, prompt.user, reply_schema())))
    except Plan07Error as error:
        failure = {"event": "failed", "time": now(), "code": error.code, "message": error.message}
        ledger.record({"scope": prompt.scope, **failure})
        # Whether the model was reached cannot be known, so the same scope is not sent again.
        error.retryable = False
        error.fix += "; the scope is spent: ask again for another plan (-o), or with other --calls"
        raise
    found = read_reply(reply.text, lenient=lenient, most=most)
    ledger.record(
        {
            "scope": prompt.scope,
            "event": "reply",
            "time": now(),
            "model": reply.model,
            "finish_reason": reply.finish_reason,
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.completion_tokens,
            "seconds": round(reply.seconds, 3),
            "reply_sha256": _digest(reply.text),
            "reply": reply.text.encode("utf-8", "replace").decode(),
            "obligations": len(found.document["obligations"]),
            "no_op": found.reason,
        }
    )
    return found


def read_reply(text: str, *, lenient: bool = False, most: int = 64) -> Decomposition:
    """Return the obligations in a reply, or the no-op.

    >>> read_reply("Sure! Here is the plan: ...").document
    {'obligations': [], 're_decompose': True}

    Args:
        text: what the model said.
        lenient: as in `decompose`.
        most: as in `decompose`.
    """
    stripped = text.strip()
    if lenient:
        stripped = _THOUGHT.sub("", stripped)
        fenced = _FENCE.match(stripped)
        stripped = fenced.group(1) if fenced else stripped
    try:
        value = jsontext.parse(stripped.encode(), "the reply")
        shapes.check("reply", value, "the reply", "REPLY_INVALID", "decompose")
    except InputError as error:
        return no_op(error.message)
    except UnicodeEncodeError:
        return no_op("the reply: it holds half a surrogate pair")
    found = len(value["obligations"])
    if not found:
        return no_op("the reply holds no obligation")
    if found > most:
        return no_op(f"the reply holds {found} obligations, the cap is {most}")
    return Decomposition(value)


def reply_schema() -> dict[str, Any]:
    """Return the JSON schema of a reply: the records, closed, every field required.

    It holds what every server that takes a schema knows; sizes are left to admission.
    """
    texts: dict[str, Any] = {name: {"type": "string"} for name in shapes.OBLIGATION_FIELDS}
    fields = {
        **texts,
        "obligation": {"type": "string", "enum": list(shapes.VERBS)},
        "dependencies": {"type": "array", "items": {"type": "string"}},
        "status": {"type": "string", "enum": list(shapes.STATUSES)},
    }
    record = {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"obligations": {"type": "array", "items": record}},
        "required": ["obligations"],
        "additionalProperties": False,
    }


def _completion(answered: object) -> Completion:
    if isinstance(answered, str):
        return Completion(answered, "", "", None, None, 0.0)
    if isinstance(answered, Completion):
        return answered
    raise InputError(
        "REPLY_NOT_TEXT",
        f"what the model returned is no text, but of type {type(answered).__name__}",
        "return the text of the reply, or a Completion",
        phase="decompose",
        detail={"type": type(answered).__name__},
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
