"""What the commands on a plan have in common."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

import click

from plan07 import clock, solver
from plan07.cli.options import options_of, rule_options
from plan07.driver import Driver
from plan07.errors import InputError
from plan07.replan import Replanner
from plan07.state import Store
from plan07.validate import Local, Runner


def plan_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the argument PLAN, the options that choose the rules, and --json."""
    json = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
    return click.argument("plan", metavar="PLAN")(rule_options(json(function)))


def driver_of(plan: str, chosen: Mapping[str, Any], **more: Any) -> Driver:
    """Return the driver of a plan.

    Args:
        plan: its file.
        chosen: the options of `options.rule_options`.
        more: runner, replanner and watch of the driver.
    """
    return Driver(Store(plan), solver.rules_of(options_of(chosen)), clock.now, **more)


def gate_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the gate."""
    from plan07.validate import SECONDS

    for option in (
        click.option(
            "--predicates",
            metavar="COMMAND",
            help='A command that judges statements: it reads {"predicate": TEXT} and exits with 0 '
            "for true, 1 for false.",
        ),
        click.option(
            "--time-limit",
            type=click.FloatRange(min=0.1, max=86_400),
            default=SECONDS,
            metavar="SECONDS",
            help=f"How long one check may take, {SECONDS:g} by default.",
        ),
        click.option(
            "--python",
            metavar="PATH",
            help="The Python that the tests run with; that of the repository's virtual "
            "environment by default. Also PLAN07_PYTHON.",
        ),
        click.option("--repo", default=".", metavar="PATH", help="The repository, . by default."),
    ):
        function = option(function)
    return function


def local_runner(
    repo: str, python: str | None, time_limit: float, predicates: str | None, trace: str = ""
) -> Runner:
    """Return the runner that the options of `gate_options` ask for.

    Args:
        repo: the repository.
        python: the interpreter of the tests, None for the usual.
        time_limit: of one check, in seconds.
        predicates: the command that judges statements.
        trace: the mark of all that a check starts.

    Raises:
        InputError: there is no such directory, or the command cannot be read.
    """
    import shlex

    if not os.path.isdir(repo):
        raise InputError(
            "REPOSITORY_MISSING",
            f"there is no directory {repo}",
            "name the repository with --repo",
            phase="usage",
            detail={"path": repo},
        )
    try:
        words = shlex.split(predicates or "")
    except ValueError:
        words = []
    if predicates is not None and not words:
        raise InputError(
            "PREDICATES_INVALID",
            f"predicates cannot be judged by {predicates!r:.80}",
            "give a command in quotes, such as --predicates 'python judge.py'",
            phase="usage",
        )
    return Local(repo, time_limit, python, words, mark=trace)


@contextlib.contextmanager
def ending_in_order() -> Iterator[None]:
    """Let a process that is asked to end take along what it has started."""
    import signal

    def end(number: int, frame: object) -> NoReturn:
        raise SystemExit(128 + number)

    # What the caller has switched off, as `nohup` does, stays so.
    usual = [
        each for each in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(each) == signal.SIG_DFL
    ]
    for each in usual:
        signal.signal(each, end)
    try:
        yield
    finally:
        for each in usual:
            signal.signal(each, signal.SIG_DFL)


def replan_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say who decomposes again what failed."""
    from plan07.cli.model_options import model_options

    option = click.option(
        "--decomposer",
        type=click.Choice(("model", "rules", "none")),
        help="Who decomposes again what failed: a model, once for each failure; rules, which give "
        "the same obligations another attempt; or nobody. By default a model if one is named in "
        "PLAN07_MODEL or --model, else nobody.",
    )
    return option(model_options(function))


def replanner_of(store: Store, decomposer: str | None, given: dict[str, Any]) -> Replanner | None:
    """Return who decomposes again, by the options of `replan_options`.

    Args:
        store: the plan.
        decomposer: model, rules, none, or None for the usual.
        given: the options of `model_options` and `options.rule_options`.
    """
    from plan07 import redecompose
    from plan07.cli.model_options import server_of

    server = server_of(given)
    named = server["model"] or os.environ.get("PLAN07_MODEL")
    who = decomposer or ("model" if named else "none")
    if who == "none":
        return None
    if who == "rules":
        return redecompose.again(store, clock.now)
    from plan07 import decompose

    ask = decompose.server(os.environ, **server)
    return redecompose.by_model(store, ask, solver.rules_of(options_of(given)), clock.now)
