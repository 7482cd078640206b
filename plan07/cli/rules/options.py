"""Options that several commands about rules share."""

from __future__ import annotations

import click

rules_option = click.option(
    "--rules",
    envvar="PLAN07_RULES",
    metavar="DIR",
    help="Rule files that replace shipped ones of the same name, or are added. Also PLAN07_RULES.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
