"""`plan07 ab`: is the planned path better than editing without a plan?"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from plan07.cli import output
from plan07.errors import InputError
from plan07.messages import printable

if TYPE_CHECKING:
    from plan07.ab.config import Job
    from plan07.ab.records import RunRecord

_RUNS = click.argument("runs", nargs=-1, required=True, metavar="RUNS...")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


@click.group("ab")
def command() -> None:
    """Compare four ways to work on the same requests, and decide by the figures.

    Nothing here changes the harness that is measured. Figures of simulated runs are called
    simulated wherever they appear.
    """


@command.command("flag")
@_JSON
def flag(as_json: bool) -> None:
    """Print the path that the environment variable PLAN chooses: plan07, or current by default.

    Any other value is an error (exit 2).
    """
    from plan07.ab.flag import route

    chosen = route(os.environ)
    if as_json:
        output.document({"route": str(chosen)})
    else:
        output.text(chosen)


@command.command(
    "run", epilog="Example: plan07 ab run tests/examples/ab/quick.toml -o runs.simulated.jsonl"
)
@click.argument("config")
@click.option(
    "-o",
    "--output",
    "target",
    metavar="RUNS",
    help="The runs file, one run a line; by default CONFIG's name with .runs.jsonl, or "
    ".simulated.runs.jsonl. Prompts and replies go to RUNS.texts.jsonl.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 512),
    metavar="N",
    help="Processes of this machine; as many as it has by default.",
)
@click.option("--dask", metavar="ADDRESS", help="Hand the runs to the Dask cluster of a scheduler.")
@_JSON
def run(
    config: str, target: str | None, workers: int | None, dask: str | None, as_json: bool
) -> int:
    """Make the runs that CONFIG wants and the runs file lacks.

    Each run is on the disk when it is done. A run that was interrupted (exit 130) goes on where it
    was when it is called again. Exits with 0 when all runs are there, 1 when the file is busy, 2
    when something given cannot be read or a run cannot be made; what was made before is kept.
    """
    from plan07.ab import config as config_
    from plan07.ab import execute
    from plan07.ab.store import Store
    from plan07.cli.driving import ending_in_order

    if workers and dask:
        raise InputError(
            "USAGE", "--workers and --dask exclude each other", "leave one out", phase="usage"
        )
    wanted = config_.load(config)
    path = target or _default(config, wanted.context.execution)
    _refuse_unmarked(path, wanted.context.execution == "simulated")
    # A provider that cannot be loaded is told before anything is started.
    config_.execution_of(wanted.provider, wanted.context)
    telling = _Progress(path)
    with ending_in_order(), Store(path, wanted.context) as store:
        found = len(store.runs)
        where = (
            execute.dask(dask)
            if dask
            else execute.local(workers or execute.workers_by_default(wanted.jobs))
        )
        try:
            with where as (executor, ahead):
                made = execute.run_all(wanted, store, executor, ahead, telling)
        except BaseException:
            telling.kept(store.count(), len(wanted.jobs))
            raise
    if as_json:
        output.document({"runs": path, "made": made, "kept": found, "wanted": len(wanted.jobs)})
    else:
        output.text(f"{made} runs made, {found} were there: {path}")
    return 0


@command.command("decide", epilog="Example: plan07 ab decide runs.jsonl")
@_RUNS
@_JSON
def decide(runs: tuple[str, ...], as_json: bool) -> int:
    """Say whether plan07 replaces the current path, by the rule of the build spec 7.4.

    Exits with 0 if it is adopted, 1 if it is not, or if the runs are not of the identical sample,
    model and host or not complete, 2 if a file cannot be read.
    """
    from plan07.ab import markdown, report, store

    found = store.read_all(runs)
    decided = report.told(report.decide(found), found[0].execution)
    if as_json:
        output.document(decided)
    else:
        output.text(_title(found))
        output.lines(output.aligned(markdown.decision_rows(decided)))
        output.text(markdown.verdict(decided))
    return 0 if decided["adopted"] else 1


@command.command("ablate", epilog="Example: plan07 ab ablate runs.jsonl")
@_RUNS
@_JSON
def ablate(runs: tuple[str, ...], as_json: bool) -> int:
    """Say of each planning mechanism that was removed whether it earns its tokens.

    RUNS hold plan07 whole and without mechanisms, as `ablate` in a configuration makes them. Exits
    with 0 if every removed mechanism is to be kept, 1 if one is to be deleted or is undecided, or
    the runs cannot be compared, 2 if a file cannot be read.
    """
    from plan07.ab import markdown, report, store

    found = store.read_all(runs)
    verdicts = report.ablated(found)
    if not verdicts:
        raise InputError(
            "AB_NOTHING_REMOVED",
            "in none of these runs a mechanism was removed",
            'name some in the configuration: ablate = ["revision_trigger"], or ablate = true',
            phase="ab",
        )
    told = report.ablation_of(found)
    if as_json:
        output.document(told)
    else:
        output.text(_title(found))
        output.lines(output.aligned(markdown.ablation_rows(told)))
    return 0 if all(each.verdict == "keep" for each in verdicts) else 1


@command.command("report", epilog="Example: plan07 ab report runs.jsonl --plot runs.svg")
@_RUNS
@click.option("--plot", metavar="FILE", help="Write the plot, an SVG, to FILE.")
@click.option("--markdown", "target", metavar="FILE", help="Write the Markdown to FILE instead.")
@_JSON
def report_(runs: tuple[str, ...], plot: str | None, target: str | None, as_json: bool) -> None:
    """Print the report of RUNS as Markdown: the four instruments apart, decision and ablation.

    Runs may be incomplete; what lacks is counted. Exits with 1 if the runs are not of the
    identical sample, model and host, 2 if a file cannot be read.
    """
    from plan07 import home
    from plan07.ab import markdown, report, store
    from plan07.ab import plot as plot_

    found = report.build(store.read_all(runs))
    for path in (plot, target):
        if path is not None:
            _refuse_unmarked(path, found["simulated"])
    text = markdown.markdown(found)
    if plot is not None:
        home.write(plot, plot_.svg(found).encode())
    if target is not None:
        home.write(target, text.encode())
    if as_json:
        output.document(found)
    elif target is None:
        output.raw(text)


def _title(runs: Sequence[RunRecord]) -> str:
    tasks, seeds = len({run.task for run in runs}), len({run.seed for run in runs})
    first = runs[0]
    return (
        f"{first.execution} runs of {first.model} on {first.host}: "
        f"{tasks} tasks, {seeds} seeds, {len(runs)} runs\n"
    )


def _default(config: str, execution: str) -> str:
    if config == "-":
        raise InputError("USAGE", "no runs file is named", "name one with -o", phase="usage")
    stem = os.path.basename(config).removesuffix(".toml")
    return f"{stem}.simulated.runs.jsonl" if execution == "simulated" else f"{stem}.runs.jsonl"


def _refuse_unmarked(path: str, simulated: bool) -> None:
    """Refuse a file for simulated figures whose name does not say so, and the other way round."""
    if ("simulated" in os.path.basename(path)) == simulated:
        return
    said = "holds simulated figures" if simulated else "holds no simulated figures"
    raise InputError(
        "AB_NAME_MISLEADING",
        f"{path} {said}, and its name does not say so",
        "put the word simulated into the name" if simulated else "leave simulated out of the name",
        phase="usage",
        detail={"path": path, "simulated": simulated},
    )


class _Progress:
    """Tells how far the runs are: on a terminal in one line that changes, else now and then.

    Args:
        path: of the runs file.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        out = sys.stderr
        self._live = out is not None and out.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._open = False

    def __call__(self, done: int, total: int, job: Job) -> None:
        step = max(1, total // 10)
        if not self._live and done % step and done != total:
            return
        what = f"{job.task.id}, {job.arm}, seed {job.seed}"
        line = f"plan07: run: {done} of {total}: {printable(what)}"
        if self._live:
            output.note(f"\r\x1b[2K{line[:120]}" + ("\n" if done == total else ""))
            self._open = done != total
        else:
            output.note(f"{line}\n")

    def kept(self, done: int, total: int) -> None:
        """Tell what is kept of a run that was cut off."""
        if self._open:
            output.note("\n")
        output.note(f"plan07: run: {done} of {total} runs are kept in {printable(self._path)}\n")
