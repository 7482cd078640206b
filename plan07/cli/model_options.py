"""The options of every command that asks a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from plan07.llm.client import RESPONSE_FORMATS, SECONDS, TOKEN_PARAMETERS
from plan07.prompt import DEFAULT_BUDGET

_NAMES = ("model", "base_url", "timeout", "response_format", "token_parameter")


def server_of(given: dict[str, Any]) -> dict[str, Any]:
    """Return the options of `model_options` among those of a command."""
    return {name: given[name] for name in _NAMES}


def prompt_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what is sent, and how the reply is read."""
    for option in (
        click.option("--dry-run", is_flag=True, help="Print the prompt and ask nobody."),
        click.option(
            "--lenient",
            is_flag=True,
            help="Strip one fence, or a leading think-block, off the reply.",
        ),
        click.option(
            "--prompt-budget",
            type=int,
            default=DEFAULT_BUDGET,
            metavar="TOKENS",
            help=f"How long the prompt may be, by estimate; {DEFAULT_BUDGET} by default.",
        ),
        click.option(
            "--decomposer",
            type=click.Choice(("model", "rules")),
            default="model",
            help="Who decomposes: a model, asked once, or rules alone. By default a model.",
        ),
    ):
        function = option(function)
    return function


def model_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say which model is asked, under the names of `client.settings`.

    The API key is none of them: command lines are seen by every process of the machine.
    """
    for option in (
        click.option(
            "--token-parameter",
            type=click.Choice(TOKEN_PARAMETERS),
            help="What the server calls the limit of 2048 tokens. The first by default, the second "
            "for Ollama, LM Studio, DeepSeek and Mistral. Also PLAN07_TOKEN_PARAMETER.",
        ),
        click.option(
            "--response-format",
            type=click.Choice(RESPONSE_FORMATS),
            help="How the server is told the form of the reply, json_schema by default. Also "
            "PLAN07_RESPONSE_FORMAT.",
        ),
        click.option(
            "--timeout",
            type=float,
            metavar="SECONDS",
            help=f"How long the whole call may take, {SECONDS:g} by default. Also PLAN07_TIMEOUT.",
        ),
        click.option(
            "--base-url",
            metavar="URL",
            help="An OpenAI-compatible server, such as http://127.0.0.1:8080/v1; OpenAI's own by "
            "default. Also PLAN07_BASE_URL. Its key is taken from PLAN07_API_KEY or "
            "OPENAI_API_KEY.",
        ),
        click.option(
            "--model",
            metavar="NAME",
            help="What the server calls the model. Also PLAN07_MODEL.",
        ),
    ):
        function = option(function)
    return function
