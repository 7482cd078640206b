"""The options of every command that reads files of evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


def evidence_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name files of evidence, under the names of `solver.options`."""
    for option in (
        click.option("--context", metavar="FILE", help="What is relevant, plan07.context/1."),
        click.option(
            "--localization",
            metavar="FILE",
            help="Where the fault may lie, plan07.localization/1.",
        ),
        click.option("--recon", metavar="FILE", help="A recon.db of the repository."),
        click.option("--impact", metavar="FILE", help="Impact edges, plan07.impact/1."),
    ):
        function = option(function)
    return function
