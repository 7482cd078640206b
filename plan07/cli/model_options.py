"""The options of every command that asks a model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from plan07.llm.client import RESPONSE_FORMATS, SECONDS, TOKEN_PARAMETERS


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
