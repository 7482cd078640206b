"""A group of commands, each imported when it is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import click


class LazyGroup(click.Group):
    """A group whose commands are in modules.

    Args:
        modules: command name to the module that holds it as `command`, or as the name after a
            colon, in the order of the help.
    """

    modules: ClassVar[Mapping[str, str]] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.modules:
            return None
        from importlib import import_module

        module, _, name = self.modules[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), name or "command")
        return command
