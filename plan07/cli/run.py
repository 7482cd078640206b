"""`plan07 run`: the whole loop with any coding agent."""

from __future__ import annotations

import sys
from typing import Any

import click

from plan07 import loop
from plan07.cli import output
from plan07.cli.driving import (
    driver_of,
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
    default=loop.SECONDS,
    metavar="SECONDS",
    help=f"How long the agent may work on one obligation, {loop.SECONDS:g} by default.",
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
    rules: str | None,
    policy: tuple[str, ...],
    limits: tuple[str, ...],
    **server: Any,
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
    chosen = {"rules": rules, "policy": policy, "limits": limits}
    store = Store(plan)
    if dry_run:
        _dry_run(list(loop.dry_run(driver_of(plan, chosen))), as_json)
        return 0
    if agent is None:
        raise InputError(
            "USAGE", "no agent is given", "give a command with --agent, or --dry-run", phase="usage"
        )
    driver = driver_of(
        plan,
        chosen,
        run=local_runner(repo, python, time_limit, predicates),
        replanner=replanner_of(store, decomposer, server, chosen),
    )
    named = store.load().artifact["plan_id"] or "plan"
    own = [f"{store.path}{ending}" for ending in _ENDINGS]
    workspace = Workspace(repo, branch or f"plan07/{named}", own)
    working = loop.agent_of(agent, agent_time_limit)
    events = _Events(sys.stderr.isatty())
    try:
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
    """Tells what happens on standard error: a line that changes on a terminal, else lines.

    Args:
        live: it is a terminal.
    """

    def __init__(self, live: bool) -> None:
        self._live = live
        self._open = False

    def __call__(self, event: str, node: str, text: str) -> None:
        line = f"plan07: {event}: {node}: {printable(text)}"
        if self._live and event == "hand_out":
            self._write(f"\r\x1b[2K{line[:200]} ...")
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
        sys.stderr.write(text.encode("utf-8", "backslashreplace").decode("utf-8"))
        sys.stderr.flush()
