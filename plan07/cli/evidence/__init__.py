"""`plan07 evidence`: what is known of a repository, built, shown and checked."""

from __future__ import annotations

from typing import ClassVar

import click

from plan07.cli.lazy import LazyGroup


class _Commands(LazyGroup):
    modules: ClassVar = {
        "build": "plan07.cli.evidence.build",
        "show": "plan07.cli.evidence.show",
        "impact": "plan07.cli.evidence.impact",
        "localize": "plan07.cli.evidence.localize",
        "context": "plan07.cli.evidence.context",
        "check": "plan07.cli.evidence.check",
        "export": "plan07.cli.evidence.export",
    }


@click.group("evidence", cls=_Commands, epilog="Example: plan07 evidence build")
def command() -> None:
    """Build, show and check the evidence of a repository."""
