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
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from plan07 import artifact as artifact_
from plan07 import exposure, partition, runner
from plan07.driver import Driver
from plan07.errors import InputError, PlanRefused
from plan07.messages import printable
from plan07.runner import Ran
from plan07.state import Store
from plan07.validate import surroundings
from plan07.workspace import Workspace, untouched

SECONDS = 3600.0
_PHASE = "run"
# Hears the name of an event, the node it is about, and one line.
Told: TypeAlias = Callable[[str, str, str], None]


class Agent(NamedTuple):
    """A coding agent.

    Args:
        words: its command; no shell reads it.
        seconds: how long it may work on one obligation.
    """

    words: tuple[str, ...]
    seconds: float = SECONDS


class Step(NamedTuple):
    """One attempt at an obligation.

    Args:
        node: its id.
        outcome: pass or fail.
        files: that the agent changed.
        reason: why it failed.
        commit: the checkpoint, or the commit that keeps what was given up.
    """

    node: str
    outcome: str
    files: tuple[str, ...] = ()
    reason: str = ""
    commit: str = ""


def agent_of(command: str, seconds: float = SECONDS) -> Agent:
    """Return the agent that a command line names.

    Args:
        command: words as a shell would split them.
        seconds: its time limit for one obligation.

    Raises:
        InputError: there is no command in it.
    """
    try:
        words = tuple(shlex.split(command))
    except ValueError:
        words = ()
    if not words:
        raise InputError(
            "AGENT_INVALID",
            f"the agent cannot be {command!r:.80}",
            "give a command in quotes, such as --agent 'python agent.py'",
            phase="usage",
        )
    return Agent(words, seconds)


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
            GateBroken: a check, or the agent, could not be run at all.
        """
        with self._store.locked("run"):
            stored, _ = self._driver.standing()
            self._plan_id = stored.artifact["plan_id"] or os.path.basename(self._store.path)
            self._take_back_what_was_cut_off()
            self._workspace.refuse_unfit()
            self._workspace.begin()
            steps = [step for step in [self._landed()] if step is not None]
            while True:
                try:
                    shown = self._driver.next()
                except PlanRefused as refused:
                    if refused.code != "NOTHING_READY":
                        raise
                    return steps
                steps.append(self._step(shown))

    def _step(self, shown: Mapping[str, Any]) -> Step:
        node = shown["node_id"]
        base = self._workspace.head()
        self._told("hand_out", node, f"{shown['obligation']} {shown['target_entity']}")
        self._mark(base, node)
        with self._outside_watched() as strayed, untouched(self._plan_files()) as meddled:
            ran = self._ask(shown)
        if ran.exit is None:
            self._unmark()
            raise InputError(
                "AGENT_UNSTARTED",
                f"the agent {self._agent.words[0]!r:.80} cannot be started: {ran.reason}",
                "give a command that can be run from the repository",
                phase=_PHASE,
                detail={"words": list(self._agent.words)},
            )
        found = self._workspace.snapshot(base)
        faults = [*self._ended(ran), *found.faults]
        if meddled:
            faults.append("it changed the plan, which was put back")
        faults += [f"it wrote outside of the repository, {each}" for each in strayed]
        faults += self._beyond(shown, found.files)
        if faults:
            done = self._driver.reject(node, "; ".join(faults))
        else:
            title = f"{node}: {shown['obligation']} {shown['target_entity']}"

            def accept() -> str:
                return self._workspace.checkpoint(found.tree, base, self._plan_id, node, title)

            done = self._driver.validate(node, accept)
        if done.result.outcome == "pass":
            self._unmark()
            commit = self._workspace.head()
            self._told("pass", node, f"checkpoint {commit[:12]}, {len(found.files)} files")
            return Step(node, "pass", found.files, "", commit)
        kept = self._given_up(found.tree, base, node) if found.files else ""
        self._workspace.restore(base)
        self._unmark()
        self._told("fail", node, done.result.reason)
        self._told("replan" if done.replanned else "no_replan", node, done.replanned or done.reason)
        return Step(node, "fail", found.files, done.result.reason, kept)

    def _ask(self, shown: Mapping[str, Any]) -> Ran:
        text = json.dumps(shown, indent=2).encode() + b"\n"
        with tempfile.TemporaryDirectory(prefix="plan07-") as folder:
            path = os.path.join(folder, "obligation.json")
            with open(path, "wb") as stream:
                stream.write(text)
            environment = {**os.environ, "PLAN07_OBLIGATION": path, "PLAN07_NODE": shown["node_id"]}
            return runner.run(
                self._agent.words,
                self._workspace.root,
                surroundings(environment, keys=True),
                self._agent.seconds,
                given=text,
                watch=self._watch,
            )

    def _ended(self, ran: Ran) -> list[str]:
        if ran.timed_out:
            return [f"the agent did not end within {self._agent.seconds:g} seconds"]
        if ran.exit:
            last = [line for line in ran.output.splitlines() if line.strip()][-1:]
            said = f": {printable(last[0].strip()[:120])}" if last else ""
            return [f"the agent ended with status {ran.exit}{said}"]
        return []

    def _beyond(self, shown: Mapping[str, Any], files: tuple[str, ...]) -> list[str]:
        actions = shown["permitted_actions"]
        limit = actions["bounds"]["max_edit_files"]
        if files and not actions["edit"]:
            return [f"it edited {printable(files[0])}, and the obligation permits no edit"]
        if len(files) > limit:
            return [f"it edited {len(files)} files, the bound is {limit}"]
        return []

    def _given_up(self, tree: str, base: str, node: str) -> str:
        name = self._workspace.keep(tree, base, self._plan_id, node)
        self._told("kept", node, f"what was given up is kept as {name}")
        return name

    def _landed(self) -> Step | None:
        """Finish a step whose checkpoint was made before the plan could say so."""
        node = self._workspace.landed(self._plan_id)
        _, standing = self._driver.standing()
        if node is None or node != standing.exposed:
            return None
        head = self._workspace.head()
        done = self._driver.validate(node, lambda: head)
        self._told("resumed", node, f"its checkpoint {head[:12]} had landed")
        return Step(node, done.result.outcome, (), done.result.reason, head)

    def _take_back_what_was_cut_off(self) -> None:
        """Put the tree of an attempt that was killed back to its checkpoint, and keep its work."""
        mark = self._marked()
        if mark is None:
            return
        base, node = mark
        workspace = self._workspace
        if workspace.on_branch() and workspace.head() == base:
            found = workspace.snapshot(base)
            if found.files:
                self._given_up(found.tree, base, node)
            workspace.restore(base)
            self._told("resumed", node, "the attempt that was cut off is taken back")
        self._unmark()

    @property
    def _mark_path(self) -> str:
        return f"{self._store.path}.run.json"

    def _mark(self, base: str, node: str) -> None:
        self._store.keep(self._mark_path, {"base": base, "node": node})

    def _unmark(self) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._mark_path)

    def _marked(self) -> tuple[str, str] | None:
        try:
            with open(self._mark_path, "rb") as stream:
                value = json.loads(stream.read())
            return str(value["base"]), str(value["node"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _plan_files(self) -> list[str]:
        store = self._store
        return [
            store.path,
            store.audit_path,
            store.calls_path,
            store.evidence_path,
            self._mark_path,
        ]

    @contextlib.contextmanager
    def _outside_watched(self) -> Iterator[list[str]]:
        """Name what changed right beside the repository; what lies further off nobody sees."""
        before = self._beside()
        strayed: list[str] = []
        yield strayed
        after = self._beside()
        strayed += sorted(
            name for name in before.keys() | after.keys() if before.get(name) != after.get(name)
        )

    def _beside(self) -> dict[str, tuple[int, int]]:
        folder = os.path.dirname(self._workspace.root)
        own = os.path.basename(self._workspace.root)
        found = {}
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.name == own or not entry.is_file(follow_symlinks=False):
                    continue
                path = os.path.join(folder, entry.name)
                if not path.startswith(self._store.path):
                    seen = entry.stat(follow_symlinks=False)
                    found[entry.name] = (seen.st_mtime_ns, seen.st_size)
        return found
