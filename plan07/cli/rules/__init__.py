"""`plan07 rules`: read, check, test, explain, change and pack rules. Each command on its own."""

from __future__ import annotations

from typing import ClassVar

import click

from plan07.cli.lazy import LazyGroup


class _Commands(LazyGroup):
    modules: ClassVar = {
        "list": "plan07.cli.rules.listing:list_",
        "show": "plan07.cli.rules.listing:show",
        "check": "plan07.cli.rules.checking:check",
        "test": "plan07.cli.rules.testing:test",
        "coverage": "plan07.cli.rules.testing:coverage",
        "mutate": "plan07.cli.rules.testing:mutate",
        "why": "plan07.cli.rules.explaining:why",
        "why-not": "plan07.cli.rules.explaining:why_not",
        "trace": "plan07.cli.rules.explaining:trace",
        "diff": "plan07.cli.rules.comparing:diff",
        "bench": "plan07.cli.rules.comparing:bench",
        "new": "plan07.cli.rules.packing:new",
        "export": "plan07.cli.rules.packing:export",
        "pack": "plan07.cli.rules.packing:pack",
        "digest": "plan07.cli.rules.packing:digest",
    }


@click.group(
    cls=_Commands,
    epilog="Exit codes: 0 held, 1 a test or check failed, 2 could not load, 3 plan07 is broken.",
)
def command() -> None:
    """Read, check, test, explain, change and pack the rules that decide."""
