"""The options of every command that asks a model."""

from __future__ import annotations

import inspect
from typing import Any

import click
from click.testing import CliRunner

from plan07.cli.model_options import model_options
from plan07.llm.client import SECRETS, settings


class TestOptions:
    @staticmethod
    def run(*arguments: str) -> Any:
        seen: list[dict[str, Any]] = []

        @click.command()
        @model_options
        def command(**options: Any) -> None:
            seen.append(options)

        done = CliRunner().invoke(command, arguments)
        return seen[0] if seen else done.output

    def test_they_are_the_arguments_of_the_settings(self) -> None:
        """All of them but the key, which no command line may hold."""
        names = set(inspect.signature(settings).parameters) - {"environ"}
        assert self.run() == dict.fromkeys(names)

    def test_their_values(self) -> None:
        assert self.run(
            *("--model", "m"),
            *("--base-url", "http://h/v1"),
            *("--timeout", "1.5"),
            *("--response-format", "none"),
            *("--token-parameter", "max_tokens"),
        ) == {
            "model": "m",
            "base_url": "http://h/v1",
            "timeout": 1.5,
            "response_format": "none",
            "token_parameter": "max_tokens",
        }

    def test_the_help_names_every_variable(self) -> None:
        text = self.run("--help")
        for name in (
            "MODEL",
            "BASE_URL",
            "API_KEY",
            "TIMEOUT",
            "RESPONSE_FORMAT",
            "TOKEN_PARAMETER",
        ):
            assert f"PLAN07_{name}" in text
        for name in SECRETS:
            assert name in text
