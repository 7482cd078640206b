"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from plan07 import solver
from plan07.errors import InputError

_PLAIN = (
    "impact",
    "recon",
    "localization",
    "context",
    "repo",
    "rules",
    "repair",
    *("strict_grounding", "expect_digest"),
)


def pairs(values: tuple[str, ...], option: str) -> dict[str, str]:
    """Return the values of a repeatable option NAME=VALUE.

    Raises:
        InputError: one is written otherwise.
    """
    found: dict[str, str] = {}
    for value in values:
        name, equals, chosen = value.partition("=")
        if not (name and equals and chosen):
            raise InputError(
                "USAGE",
                f"{option} takes name=value, not {value!r}",
                f"write {option} name=value",
                phase="usage",
            )
        found[name.strip()] = chosen.strip()
    return found


def numbers(values: tuple[str, ...], option: str) -> dict[str, int]:
    """Return the values of a repeatable option NAME=N.

    Raises:
        InputError: one is written otherwise.
    """
    found: dict[str, int] = {}
    for name, value in pairs(values, option).items():
        if not (value.isascii() and value.isdigit() and len(value) < 12):
            raise InputError(
                "LIMIT_INVALID",
                f"the limit {name} cannot be {value!r}",
                "give a whole number from 0 to 1073741823",
                phase="usage",
            )
        found[name] = int(value)
    return found


def rule_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that choose the rules of a run."""
    for option in (
        click.option(
            "--limit",
            "limits",
            multiple=True,
            metavar="NAME=N",
            help="Another number for one of limits.lp. Repeatable.",
        ),
        click.option(
            "--policy",
            "policy",
            multiple=True,
            metavar="NAME=VALUE",
            help="Another value for a switch of policy.lp. Repeatable.",
        ),
        click.option(
            "--rules",
            envvar="PLAN07_RULES",
            metavar="DIR",
            help="Rule files that replace shipped ones of the same name, or are added. Also "
            "PLAN07_RULES.",
        ),
    ):
        function = option(function)
    return function


def options_of(given: Mapping[str, Any]) -> solver.Options:
    """Return how to solve, from the options of a command; what it has not is as usual.

    Args:
        given: values by the names of `rule_options`, `evidence_options` and `solver.options`.

    Raises:
        InputError: a switch, a limit or a path cannot be used.
    """
    return solver.options(
        policy=pairs(given["policy"], "--policy"),
        limits=numbers(given["limits"], "--limit"),
        **{name: given[name] for name in _PLAIN if name in given},
    )
