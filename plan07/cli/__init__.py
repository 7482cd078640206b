"""The command line: one module per family of commands, each imported when it is called."""

from __future__ import annotations

import contextlib
import gc
import sys
from typing import Any, ClassVar, NoReturn

import click

from plan07 import __version__
from plan07.cli import output
from plan07.cli.lazy import LazyGroup
from plan07.errors import InputError, Plan07Error, defect


class _Commands(LazyGroup):
    modules: ClassVar = {
        "canonicalize": "plan07.cli.canonicalize",
        "decompose": "plan07.cli.decompose",
        "plan": "plan07.cli.plan",
        "solve": "plan07.cli.solve",
        "next": "plan07.cli.drive:next_",
        "validate": "plan07.cli.drive:validate",
        "edit": "plan07.cli.drive:edit",
        "test": "plan07.cli.drive:test",
        "status": "plan07.cli.overview:status",
        "explain": "plan07.cli.overview:explain",
        "show": "plan07.cli.overview:show",
        "log": "plan07.cli.overview:log",
        "revise": "plan07.cli.steer:revise",
        "promote": "plan07.cli.steer:promote",
        "confirm": "plan07.cli.steer:confirm",
        "rollback": "plan07.cli.steer:rollback",
        "abandon": "plan07.cli.steer:abandon",
        "run": "plan07.cli.run",
        "evidence": "plan07.cli.evidence",
        "rules": "plan07.cli.rules",
        "ab": "plan07.cli.ab",
        "schema": "plan07.cli.schema",
    }


@click.group(
    cls=_Commands,
    epilog="Exit codes: 0 done, 1 read and judged no, 2 usage or malformed input, 3 plan07 or its "
    "rules are broken.",
)
@click.version_option(__version__, prog_name="plan07")
def cli() -> None:
    """Turn obligations and evidence into a schedule that keeps a repository valid."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit with its status.

    Args:
        arguments: without the program's name; those of the process without it.
    """
    given = sys.argv[1:] if arguments is None else arguments
    # A process that is over in a moment has no use for looking through its objects meanwhile.
    collects = gc.isenabled()
    gc.disable()
    try:
        status = _run(given, "--json" in given)
        output.flush()
    except output.ClosedPipe:
        # Whoever read the output has enough.
        output.drop()
        status = 0
    except OSError as error:
        output.drop()
        with contextlib.suppress(OSError):
            print(f"plan07: OUTPUT_FAILED: {error.strerror}", file=sys.stderr)
        status = 3
    finally:
        if collects:
            gc.enable()
    sys.exit(status)


def _run(given: list[str], as_json: bool) -> int:
    try:
        result: Any = cli.main(given, prog_name="plan07", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except Plan07Error as error:
        output.report(error, as_json)
        return error.exit_status
    except click.exceptions.Abort:
        fix = "call it again; it goes on where it was"
        output.report(InputError("INTERRUPTED", "it was interrupted", fix, phase="usage"), as_json)
        return 130
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        hint = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else ""
        fix = f"see `{hint or 'plan07'} --help`"
        output.report(InputError("USAGE", error.format_message(), fix, phase="usage"), as_json)
        return 2
    except (output.ClosedPipe, OSError):
        raise
    except Exception as error:
        output.report(defect(error), as_json)
        return 3
