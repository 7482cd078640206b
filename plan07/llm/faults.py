"""Says why no reply came, without a word that a server or a proxy's address could have supplied.

The exceptions of HTTP packages quote what they choked on. Only their types are told, and reasons
of the operating system and of TLS.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator

from plan07.llm.call import ModelError, model_error
from plan07.messages import quoted


def why(error: Exception, origin: str, sent: bool) -> ModelError:
    """Return what an exception of the HTTP client means.

    Args:
        error: it.
        origin: how messages call the server.
        sent: the request had begun to go out.
    """
    chain = list(_chain(error))
    for each in chain:
        if isinstance(each, ModelError):
            return each
    # By name, for they come from another package from version to version.
    names = {kind.__name__ for each in chain for kind in type(each).__mro__}
    if "TransportError" not in names:
        return model_error(
            "MODEL_CLIENT_FAILED",
            f"the package openai failed with {type(error).__name__}",
            "check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE, or install another "
            "version of it: pip install -U 'plan07[llm]'",
            retryable=False,
            origin=origin,
        )
    if sent:
        return model_error(
            "MODEL_DISCONNECTED",
            f"the connection to {origin} ended without a whole HTTP reply{_reason(chain)}",
            "look at the server, then run it again",
            retryable=True,
            origin=origin,
        )
    return model_error(
        "MODEL_UNREACHABLE",
        f"{origin} cannot be reached{_reason(chain)}",
        "check --base-url, that the server runs, and HTTP_PROXY, HTTPS_PROXY and NO_PROXY",
        retryable=not any(isinstance(each, ssl.SSLCertVerificationError) for each in chain),
        origin=origin,
    )


def late(origin: str, seconds: float) -> ModelError:
    """Return that the time is over."""
    return model_error(
        "MODEL_TIMEOUT",
        f"{origin} did not answer wholly within {seconds:g} seconds",
        "raise --timeout, or ask a faster model",
        retryable=True,
        origin=origin,
        seconds=seconds,
    )


def too_large(origin: str, limit: int) -> ModelError:
    """Return that a reply has more bytes than the limit."""
    return model_error(
        "MODEL_REPLY_TOO_LARGE",
        f"the reply of {origin} is larger than {limit} bytes",
        "check that --base-url names an OpenAI-compatible server",
        retryable=False,
        origin=origin,
        limit=limit,
    )


def mispacked(origin: str, encoding: str) -> ModelError:
    """Return that a reply is not packed as its content encoding says, or in no known way."""
    return model_error(
        "MODEL_REPLY_INVALID",
        f"the reply of {origin} cannot be unpacked: it says to be {quoted(encoding)}",
        "let the server, or the proxy before it, not compress",
        retryable=False,
        origin=origin,
    )


def _chain(error: BaseException) -> Iterator[BaseException]:
    following: BaseException | None = error
    while following is not None:
        yield following
        following = following.__cause__ or following.__context__


def _reason(chain: list[BaseException]) -> str:
    for each in reversed(chain):
        if isinstance(each, ssl.SSLCertVerificationError):
            return f": its certificate does not verify: {each.verify_message}"
        if isinstance(each, ssl.SSLError) and each.reason:
            return f": {each.reason.replace('_', ' ').lower()}"
        if isinstance(each, OSError) and each.strerror:
            return f": {each.strerror.lower()}"
    return ""
