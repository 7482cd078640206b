"""Coding agents as the loop sees them: commands that read an obligation, edit, and exit."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from plan07 import runner
from plan07.errors import InputError
from plan07.messages import printable
from plan07.runner import Ran
from plan07.validate import last_line, surroundings

SECONDS = 3600.0


class Agent(NamedTuple):
    """A coding agent.

    Args:
        words: its command; no shell reads it.
        seconds: how long it may work on one obligation.
    """

    words: tuple[str, ...]
    seconds: float = SECONDS


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


def ask(
    agent: Agent, shown: Mapping[str, Any], root: str, trace: str, watch: Callable[[], None]
) -> Ran:
    """Have an agent work on an obligation; return what came of its command.

    Args:
        agent: who works.
        shown: the obligation, in its wire form.
        root: the repository.
        trace: the mark of all that it starts.
        watch: called while it works; what it raises ends it.
    """
    text = json.dumps(shown, indent=2).encode() + b"\n"
    with tempfile.TemporaryDirectory(prefix="plan07-") as folder:
        path = os.path.join(folder, "obligation.json")
        with open(path, "wb") as stream:
            stream.write(text)
        environment = {**os.environ, "PLAN07_OBLIGATION": path, "PLAN07_NODE": shown["node_id"]}
        return runner.run(
            agent.words,
            root,
            # An agent may ask the same model, so it gets the keys.
            surroundings(environment, keys=True),
            agent.seconds,
            given=text,
            watch=watch,
            mark=trace,
        )


def trace(plan: str) -> str:
    """Return the mark of all that a run of a plan starts.

    Args:
        plan: its file.
    """
    return hashlib.sha256(plan.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def ended(agent: Agent, ran: Ran) -> list[str]:
    """Return what is wrong with the way in which an agent ended."""
    if ran.timed_out:
        return [f"the agent did not end within {agent.seconds:g} seconds"]
    if ran.exit:
        last = last_line(ran.output)
        return [f"the agent ended with status {ran.exit}{last and f': {printable(last[:120])}'}"]
    return []


def beyond(shown: Mapping[str, Any], files: tuple[str, ...]) -> list[str]:
    """Return what is wrong with the files that an agent changed.

    Args:
        shown: the obligation.
        files: paths in the repository.
    """
    actions = shown["permitted_actions"]
    limit = actions["bounds"]["max_edit_files"]
    if files and not actions["edit"]:
        return [f"it edited {printable(files[0])}, and the obligation permits no edit"]
    if len(files) > limit:
        return [f"it edited {len(files)} files, the bound is {limit}"]
    return []


@contextlib.contextmanager
def beside(root: str, plan: str) -> Iterator[list[str]]:
    """Name what changes right beside a repository; what lies further off nobody sees.

    It is told and not judged, for nobody can tell who wrote it.

    Args:
        root: the repository.
        plan: the file of the plan, which is left out with what begins like it.
    """
    before = _around(root, plan)
    changed: list[str] = []
    yield changed
    after = _around(root, plan)
    names = before.keys() | after.keys()
    changed += sorted(printable(name) for name in names if before.get(name) != after.get(name))


def _around(root: str, plan: str) -> dict[str, tuple[int, int]]:
    folder, own = os.path.split(root)
    found = {}
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            # Hidden files hold the state of programs, an agent's own among them.
            if entry.name.startswith(".") or entry.name == own or entry.path.startswith(plan):
                continue
            with contextlib.suppress(OSError):
                seen = entry.stat(follow_symlinks=False)
                plain = entry.is_file(follow_symlinks=False)
                found[entry.name] = (seen.st_mtime_ns, seen.st_size) if plain else (0, 0)
    return found
