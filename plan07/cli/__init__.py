"""The command line: one module per family of commands, each imported when it is called."""

from __future__ import annotations

import contextlib
import gc
import sys
from typing import Any, NoReturn

import click

from plan07 import __version__
from plan07.cli import output
from plan07.errors import InputError, Plan07Error, defect

_COMMANDS = {
    "solve": "plan07.cli.solve",
    "rules": "plan07.cli.rules",
    "schema": "plan07.cli.schema",
}


class _Lazy(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        from importlib import import_module

        command: click.Command = import_module(_COMMANDS[cmd_name]).command
        return command


@click.group(
    cls=_Lazy,
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
