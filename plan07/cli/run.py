"""`plan07 run`: the whole loop with any coding agent."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from typing import Any, Self, TextIO

import click

from plan07 import agents, loop
from plan07.cli import output
from plan07.cli.driving import (
    driver_of,
    ending_in_order,
    gate_options,
    local_runner,
    plan_options,
    replan_options,
    replanner_of,
)
from plan07.errors import InputError
from plan07.messages import printable
from plan07.state import Store
from plan07.workspace import Workspace


@click.command("run", epilog="Example: plan07 run plan.json --repo . --agent 'python agent.py'")
@plan_options
@click.option("--agent", metavar="COMMAND", help="What works on an obligation: see below.")
@click.option(
    "--agent-time-limit",
    type=click.FloatRange(min=0.1, max=86_400),
    default=agents.SECONDS,
    metavar="SECONDS",
    help=f"How long the agent may work on one obligation, {agents.SECONDS:g} by default.",
)
@click.option("--branch", metavar="NAME", help="Where checkpoints go; plan07/PLAN_ID by default.")
@click.option("--dry-run", is_flag=True, help="Print what would be handed out, and run nothing.")
@gate_options
@replan_options
def command(
    plan: str,
    agent: str | None,
    agent_time_limit: float,
    branch: str | None,
    dry_run: bool,
    repo: str,
    python: str | None,
    time_limit: float,
    predicates: str | None,
    decomposer: str | None,
    as_json: bool,
    **given: Any,
) -> int:
    """Drive PLAN in a repository: one obligation at a time is handed to the agent and validated.

    COMMAND is started in the repository for each obligation, without a shell. It reads the
    obligation as JSON on standard input, or from the file that PLAN07_OBLIGATION names, edits, and
    exits with 0. If the validation passes, the step becomes a commit on a branch of its own; if
    not, the tree goes back to the last checkpoint, what was given up is kept under
    refs/plan07/attempts, and the affected part of the plan is decomposed again.

    The work tree has to be clean. Exits with 0 when the plan is complete, 1 when it is not. A run
    that was cut off goes on when it is started again.
    """
    store = Store(plan)
    if dry_run:
        _dry_run(list(loop.dry_run(driver_of(plan, given))), as_json)
        return 0
    if agent is None:
        raise InputError(
            "USAGE", "no agent is given", "give a command with --agent, or --dry-run", phase="usage"
        )
    working = agents.agent_of(agent, agent_time_limit)
    named = store.load().artifact["plan_id"] or "plan"
    own = [f"{store.path}{ending}" for ending in _ENDINGS]
    workspace = Workspace(repo, branch or f"plan07/{named}", own)
    trace = agents.trace(store.path)
    driver = driver_of(
        plan,
        given,
        run=local_runner(workspace.root, python, time_limit, predicates, trace),
        replanner=replanner_of(store, decomposer, given),
    )
    events = _Events.to(sys.stderr)
    try:
        with ending_in_order():
            steps = loop.Loop(driver, workspace, working, events).run()
    finally:
        events.end()
    _, standing = driver.standing()
    if as_json:
        output.document(
            {
                "verdict": standing.verdict,
                "branch": workspace.branch,
                "steps": [step._asdict() for step in steps],
            }
        )
    else:
        passed = sum(step.outcome == "pass" for step in steps)
        output.text(
            f"{standing.verdict.replace('_', ' ')}: {passed} of {len(steps)} attempts passed; "
            f"checkpoints are on {workspace.branch}"
        )
    return 0 if standing.verdict == "complete" else 1


_ENDINGS = (
    *("", ".audit.jsonl", ".calls.jsonl", ".evidence.json", ".lock", ".run.json", ".run.lock"),
    ".obligations.json",
)


def _dry_run(shown: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        output.document({"obligations": shown})
        return
    for number, each in enumerate(shown, 1):
        output.text(
            f"{number}  {each['node_id']}  {each['obligation']} {each['target_entity']}  "
            f"validated by {each['required_validation']}"
        )


class _Events:
    """Tells what happens: on a terminal with a line that changes while the agent works.

    Args:
        out: where it is told; None where there is no such place.
        width: columns of the terminal, 0 where it is none.
    """

    def __init__(self, out: TextIO | None, width: int) -> None:
        self._out = out
        self._width = width
        self._open = False

    @classmethod
    def to(cls, out: TextIO | None) -> Self:
        """Return what tells to a stream."""
        live = out is not None and out.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        return cls(out, shutil.get_terminal_size().columns if live else 0)

    def __call__(self, event: str, node: str, text: str) -> None:
        line = f"plan07: {event}: {node}: {printable(text)}"
        if self._width and event == "hand_out":
            self._write(f"\r\x1b[2K{line[: self._width - 5]} ...")
            self._open = True
            return
        self._write(f"\r\x1b[2K{line}\n" if self._open else f"{line}\n")
        self._open = False

    def end(self) -> None:
        """Leave the line that is open."""
        if self._open:
            self._write("\n")
            self._open = False

    def _write(self, text: str) -> None:
        encoding = getattr(self._out, "encoding", None) or "utf-8"
        # A run does not end because nobody listens any more.
        with contextlib.suppress(OSError, ValueError):
            if self._out is not None:
                self._out.write(text.encode(encoding, "backslashreplace").decode(encoding))
                self._out.flush()
