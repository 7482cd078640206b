"""The whole loop with any coding agent: hand out, look, validate, keep or take back.

An agent is a command that reads one obligation and edits the repository. What it did is seen
through git, held to the bounds, and kept as a checkpoint only if the gate passes; else the tree
goes back to the last checkpoint. The commit of a checkpoint is made before the plan says complete,
so a run that was killed between the two finds the commit and goes on from there.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias, TypeVar

from plan07 import agents, exposure, leftovers, partition
from plan07 import artifact as artifact_
from plan07.agents import Agent
from plan07.driver import Driver
from plan07.errors import InputError, PlanRefused
from plan07.guarding import untouched
from plan07.messages import printable
from plan07.outcomes import GateBroken, Validated
from plan07.state import Store, Stored
from plan07.workspace import Snapshot, Workspace

_PHASE = "run"
_OVER = ("complete", "awaiting_confirmation", "abandoned")
_TURNS = 200
_PAUSE_SECONDS = 0.05
_Answer = TypeVar("_Answer")
# Hears the name of an event, the node it is about, and one line.
Told: TypeAlias = Callable[[str, str, str], None]


class Step(NamedTuple):
    """One attempt at an obligation.

    Args:
        node: its id.
        outcome: pass, fail, or moot where the plan went on without it.
        files: that the agent changed.
        reason: why it did not pass.
        commit: the checkpoint, or the reference that keeps what was given up.
        beside: what changed right beside the repository meanwhile, whoever did it.
    """

    node: str
    outcome: str
    files: tuple[str, ...] = ()
    reason: str = ""
    commit: str = ""
    beside: tuple[str, ...] = ()


class Mark(NamedTuple):
    """What a run is about to do, written down before it does it.

    Args:
        base: the checkpoint that it starts from.
        node: the obligation that is handed out; "" while the branch is checked out.
        commit: the checkpoint that is made of it, "" until its gate has passed.
    """

    base: str
    node: str
    commit: str


def dry_run(driver: Driver) -> Iterator[dict[str, Any]]:
    """Yield each obligation as it would be handed out if every validation passed.

    Args:
        driver: of the plan, which stays as it is.
    """
    stored, standing = driver.standing()
    artifact = stored.artifact
    while standing.exposed is not None:
        yield exposure.exposure(artifact, standing)
        node = next(each for each in artifact["nodes"] if each["id"] == standing.exposed)
        parts = {"members": [{**x, "state": "complete"} for x in node.get("members", ())]}
        done = {**node, "state": "complete", **(parts if "members" in node else {})}
        artifact = artifact_.with_nodes(artifact, [done])
        standing = partition.stand(artifact, driver.rules)


class Loop:
    """Drives a plan in a repository with an agent.

    Args:
        driver: of the plan, with a runner.
        workspace: of the repository.
        agent: who works.
        told: hears what happens.
        watch: called while the agent works; what it raises ends the agent and the run.
    """

    def __init__(
        self,
        driver: Driver,
        workspace: Workspace,
        agent: Agent,
        told: Told = lambda event, node, text: None,
        watch: Callable[[], None] = lambda: None,
    ) -> None:
        self._driver = driver
        self._store: Store = driver.store
        self._workspace = workspace
        self._agent = agent
        self._told = told
        self._watch = watch
        self._plan_id = ""

    def run(self) -> list[Step]:
        """Work until nothing is ready; return every attempt of this run.

        Raises:
            PlanRefused: the repository is not fit, the plan was abandoned, or another run is on.
            GateBroken: a check could not be run at all.
            InputError: the agent cannot be started.
        """
        with self._store.locked("run"):
            # A run that was killed may have left its agent at work.
            leftovers.end(agents.trace(self._store.path))
            stored, _ = self._driver.standing()
            self._plan_id = stored.artifact["plan_id"] or os.path.basename(self._store.path)
            steps = self._resumed()
            stored, standing = self._driver.standing()
            if standing.verdict not in _OVER:
                self._workspace.refuse_unfit()
                self._begin(stored)
                for node, change, why in self._patiently(self._driver.owed):
                    self._told("replan" if change else "no_replan", node, change or why)
            while True:
                try:
                    shown = self._driver.next()
                except PlanRefused as refused:
                    if refused.code != "NOTHING_READY":
                        raise
                    return steps
                steps.append(self._step(shown))

    def _begin(self, stored: Stored) -> None:
        """Check the branch of the checkpoints out, made from what is checked out where it is new.

        Raises:
            PlanRefused: it holds something else than this plan's checkpoints.
        """
        workspace = self._workspace
        tip, head = workspace.tip(), workspace.head()
        if tip and workspace.on_branch():
            return
        if tip not in {row.get("edit") for row in stored.log}:
            if tip and not workspace.holds(tip):
                raise PlanRefused(
                    "BRANCH_TAKEN",
                    f"the branch {workspace.branch} holds something else than this plan's work",
                    "name another branch with --branch",
                    phase=_PHASE,
                    detail={"branch": workspace.branch},
                )
            # No checkpoint of this plan is on it yet.
            tip = head
        self._mark(Mark(tip, "", ""))
        workspace.restore(tip)
        self._unmark()

    def _step(self, shown: Mapping[str, Any]) -> Step:
        node = shown["node_id"]
        base = self._workspace.head()
        self._told("hand_out", node, f"{shown['obligation']} {shown['target_entity']}")
        self._mark(Mark(base, node, ""))
        with (
            agents.beside(self._workspace.root, self._store.path) as beside,
            untouched(self._store, self._mark_path) as meddled,
        ):
            trace = agents.trace(self._store.path)
            ran = agents.ask(self._agent, shown, self._workspace.root, trace, self._watch)
        if ran.exit is None:
            self._unmark()
            raise InputError(
                "AGENT_UNSTARTED",
                f"the agent {self._agent.words[0]!r:.80} cannot be started: {ran.reason}",
                "give a command that can be run from the repository",
                phase=_PHASE,
                detail={"words": list(self._agent.words)},
            )
        if beside:
            text = f"changed beside the repository, and not taken back: {', '.join(beside)}"
            self._told("beside", node, text)
        found = self._workspace.snapshot(base)
        faults = [*agents.ended(self._agent, ran), *found.faults]
        faults += agents.beyond(shown, found.files)
        if meddled:
            faults.append("it changed the plan, which was put back")
        try:
            done = self._judged(shown, base, found, faults)
        except GateBroken:
            self._take_back(found, base, node)
            raise
        except PlanRefused as refused:
            if refused.code not in ("NODE_NOT_DUE", "ABANDONED"):
                raise
            kept = self._take_back(found, base, node)
            self._told("moot", node, refused.message)
            return Step(node, "moot", found.files, refused.message, kept, tuple(beside))
        if done.result.outcome == "pass":
            commit = self._workspace.tip()
            self._workspace.restore(commit)
            self._unmark()
            number = len(found.files)
            files = f"{number} {'file' if number == 1 else 'files'}"
            self._told("pass", node, f"checkpoint {commit[:12]}, {files}")
            return Step(node, "pass", found.files, "", commit, tuple(beside))
        kept = self._take_back(found, base, node)
        self._failed(node, done)
        return Step(node, "fail", found.files, done.result.reason, kept, tuple(beside))

    def _judged(
        self, shown: Mapping[str, Any], base: str, found: Snapshot, faults: list[str]
    ) -> Validated:
        """Have the gate judge an attempt, unless it is at fault by the way it was made."""
        node = shown["node_id"]
        if faults:
            return self._patiently(lambda: self._driver.reject(node, "; ".join(faults)))
        title = f"{node}: {shown['obligation']} {shown['target_entity']}"

        def accept() -> str:
            return self._land(found.tree, base, node, title)

        return self._patiently(lambda: self._driver.validate(node, accept))

    def _land(self, tree: str, base: str, node: str, title: str) -> str:
        """Make a tree the newest checkpoint, and return its commit."""
        message = f"{printable(title)}\n\nPlan07-Node: {node}\nPlan07-Plan: {self._plan_id}\n"
        commit = self._workspace.commit(tree, base, message)
        self._mark(Mark(base, node, commit))
        self._workspace.land(commit)
        return commit

    def _failed(self, node: str, done: Validated) -> None:
        self._told("fail", node, done.result.reason)
        self._told("replan" if done.replanned else "no_replan", node, done.replanned or done.reason)

    def _take_back(self, found: Snapshot, base: str, node: str) -> str:
        """Put the tree back to a checkpoint; return what keeps the work that is given up."""
        kept = ""
        if found.files:
            # What the agent has committed by itself is kept along.
            parent = self._workspace.checked_out() or base
            kept = self._workspace.keep(found.tree, parent, self._plan_id, node or "begin")
            self._told("kept", node, f"what was given up is kept as {kept}")
        self._workspace.restore(base)
        self._unmark()
        return kept

    def _resumed(self) -> list[Step]:
        """Finish, or take back, what a run that was cut off has begun."""
        mark = self._marked()
        if mark is None:
            return []
        workspace = self._workspace
        if not workspace.knows(mark.base):
            # It was about another clone.
            self._unmark()
            return []
        if mark.commit and workspace.tip() == mark.commit:
            workspace.restore(mark.commit)
            return self._landed(mark)
        found = workspace.snapshot(mark.base)
        if self._state(mark.node) == "complete":
            # Somebody validated it by hand meanwhile.
            self._land(found.tree, mark.base, mark.node, f"{mark.node}: validated by hand")
            workspace.restore(workspace.tip())
            self._unmark()
        else:
            self._take_back(found, mark.base, mark.node)
        if mark.node:
            self._told("resumed", mark.node, "an attempt that was cut off is settled")
        return []

    def _landed(self, mark: Mark) -> list[Step]:
        """Finish a step whose checkpoint was made before the plan could say so."""
        node = mark.node
        done = None
        if self._driver.standing()[1].exposed == node:
            done = self._patiently(lambda: self._driver.validate(node, lambda: mark.commit))
        self._told("resumed", node, f"its checkpoint {mark.commit[:12]} had landed")
        if done is None:
            self._unmark()
            return []
        if done.result.outcome == "pass":
            self._unmark()
            return [Step(node, "pass", (), "", mark.commit)]
        kept = self._take_back(self._workspace.snapshot(mark.base), mark.base, node)
        self._failed(node, done)
        return [Step(node, "fail", (), done.result.reason, kept)]

    def _state(self, node: str) -> str:
        stored, _ = self._driver.standing()
        states = {each["id"]: str(each["state"]) for each in stored.artifact["nodes"]}
        return states.get(node, "")

    def _patiently(self, ask: Callable[[], _Answer]) -> _Answer:
        """Wait for somebody who is at the plan for a moment, such as to confirm it."""
        for _ in range(_TURNS):
            try:
                return ask()
            except PlanRefused as refused:
                if refused.code != "PLAN_BUSY":
                    raise
            time.sleep(_PAUSE_SECONDS)
        return ask()

    @property
    def _mark_path(self) -> str:
        return f"{self._store.path}.run.json"

    def _mark(self, mark: Mark) -> None:
        self._store.keep(self._mark_path, mark._asdict())

    def _unmark(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._mark_path)

    def _marked(self) -> Mark | None:
        try:
            with open(self._mark_path, "rb") as stream:
                value = json.loads(stream.read())
            return Mark(str(value["base"]), str(value["node"]), str(value["commit"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None
