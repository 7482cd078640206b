"""Task trackers for coding agents that say what is next, each with its own store.

A tracker is asked as a user would ask it; its project is written in its own format, since creating
10,000 tasks through its command line would take hours.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.measure import Command, ended, plan07
from bench.peers.project import Task, obligations

TIME = "2026-01-01T00:00:00Z"
TITLE = "Change the body of m{}"


class Tracker(NamedTuple):
    """A tool that says what is next.

    Args:
        name: of the tool.
        program: its command, or where that lies.
        install: how it is installed, words of a command.
        tells: "first" for one task, "all" for all that are ready.
        make: writes a project into a directory.
        words: the arguments that ask what is next.
        environment: variables beside the usual.
        read: the numbers of the tasks in what it prints.
        version: of the tool.
    """

    name: str
    program: str
    install: str
    tells: str
    make: Callable[[Tracker, Path, Sequence[Task]], None]
    words: Callable[[Path], list[str]]
    environment: Callable[[Path], Mapping[str, str]]
    read: Callable[[str], list[int]]
    version: Callable[[Tracker], str] = lambda tracker: ""


def python_of(tracker: Tracker) -> str:
    """Return the interpreter that a Python tool runs with: the one that its script names."""
    if tracker.program == sys.executable:
        return sys.executable
    with open(tracker.program, "rb") as stream:
        first = stream.readline().decode("utf-8", "replace")
    return first.removeprefix("#!").strip()


def _packaged(tracker: Tracker) -> str:
    code = f"from importlib.metadata import version; print(version({tracker.name!r}))"
    return ended(Command([python_of(tracker), "-c", code])).out.strip()


def _said(tracker: Tracker) -> str:
    words = ended(Command([tracker.program, "--version"], env=_HOME)).out.split()
    return words[-1] if words else ""


# Nothing of the user's own: no settings, no updates, no accounts.
_HOME = {"TASKMASTER_SKIP_AUTO_UPDATE": "1", "NO_COLOR": "1"}


def _home(place: Path) -> Mapping[str, str]:
    return {**_HOME, "HOME": str(place)}


def _repository(place: Path) -> None:
    git(place, "init", "-q", "-b", "main")
    git(place, "commit", "-q", "--allow-empty", "-m", "start")


def git(place: Path, *words: str) -> None:
    """Run git as nobody in particular."""
    people = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    command = ["git", "-C", str(place), *people, "-c", "gc.auto=0", *words]
    subprocess.run(command, check=True, capture_output=True)


# plan07: the artifact, as `plan07 plan` with raised limits writes it.


def _plan07(tracker: Tracker, place: Path, work: Sequence[Task]) -> None:
    from bench.solve import LIMITS
    from plan07 import artifact, planning, solver

    requirement = {"goal": "g", "acceptance_criteria": ["a"], "constraints": []}
    options = solver.options(limits=LIMITS)
    known = planning.known(requirement, None, options)
    decomposer = planning.given(obligations(work))
    made = planning.make(requirement, known, decomposer, options, "plan-20260101-0000")
    done = {f"O{task.number}" for task in work if task.done}
    changed = [
        {**node, "state": "complete"} for node in made.artifact["nodes"] if node["id"] in done
    ]
    text = artifact.render(artifact.with_nodes(made.artifact, changed))
    (place / "plan.json").write_text(text, "utf-8")


PLAN07 = Tracker(
    name="plan07",
    program=plan07()[0],
    install="",
    tells="first",
    make=_plan07,
    words=lambda place: [*plan07()[1:], "next", "plan.json", "--json"],
    environment=lambda place: {},
    read=lambda out: [int(json.loads(out)["node_id"][1:])],
)


# microbeads: one JSON file for each issue, in a work tree of a branch of its own.


def _microbeads(tracker: Tracker, place: Path, work: Sequence[Task]) -> None:
    _repository(place)
    people = {f"GIT_{who}_{what}": "b@x" for who in ("AUTHOR", "COMMITTER") for what in _WHAT}
    subprocess.run(
        [tracker.program, "init", "--stealth"],
        cwd=place,
        env={**os.environ, **_home(place), **people},
        check=True,
        capture_output=True,
    )
    root = next(place.glob(".git/microbeads-worktree/**/active")).parent
    for task in work:
        issue = {
            "acceptance_criteria": "",
            "closed_at": TIME if task.done else None,
            "closed_reason": "done" if task.done else None,
            "created_at": f"2026-01-01T00:00:{task.number:06d}Z",
            "dependencies": [f"mb-{each}" for each in task.needs],
            "description": "",
            "design": "",
            "id": f"mb-{task.number}",
            "labels": [],
            "notes": "",
            "priority": 2,
            "status": "closed" if task.done else "open",
            "title": TITLE.format(task.number),
            "type": "task",
            "updated_at": TIME,
        }
        path = root / ("closed" if task.done else "active") / f"mb-{task.number}.json"
        path.write_text(json.dumps(issue, indent=2, sort_keys=True) + "\n", "utf-8")


_WHAT = ("NAME", "EMAIL")


# agentplan: one SQLite database.


def _agentplan(tracker: Tracker, place: Path, work: Sequence[Task]) -> None:
    for words in (["init"], ["create", "bench"]):
        command = Command([tracker.program, *words], place, _agentplan_home(place))
        if ended(command).status:
            raise SystemExit(f"agentplan {words[0]} failed")
    database = sqlite3.connect(place / "agentplan.db")
    with database:
        (project,) = database.execute("SELECT id FROM projects").fetchone()
        database.executemany(
            "INSERT INTO tickets(project_id, num, title, status, depends_on, completed_at) "
            "VALUES(?, ?, ?, ?, ?, ?)",
            (
                (
                    project,
                    task.number,
                    TITLE.format(task.number),
                    "done" if task.done else "pending",
                    json.dumps(task.needs),
                    TIME if task.done else None,
                )
                for task in work
            ),
        )
    database.close()


def _agentplan_home(place: Path) -> Mapping[str, str]:
    return {**_home(place), "AGENTPLAN_DIR": str(place)}


# task-master: one JSON file.


def _task_master(tracker: Tracker, place: Path, work: Sequence[Task]) -> None:
    folder = place / ".taskmaster" / "tasks"
    folder.mkdir(parents=True)
    listed = [
        {
            "id": task.number,
            "title": TITLE.format(task.number),
            "description": TITLE.format(task.number),
            "status": "done" if task.done else "pending",
            "dependencies": list(task.needs),
            "priority": "medium",
            "details": "",
            "testStrategy": "",
            "subtasks": [],
        }
        for task in work
    ]
    meta = {"created": TIME, "updated": TIME, "description": "bench"}
    document = {"master": {"tasks": listed, "metadata": meta}}
    (folder / "tasks.json").write_text(json.dumps(document, indent=2), "utf-8")


def _first_document(out: str) -> dict[str, dict[str, str]]:
    """Return the JSON at the start of what is printed; notices to people follow it."""
    found: dict[str, dict[str, str]]
    found, _ = json.JSONDecoder().raw_decode(out[out.index("{") :])
    return found


# backlog: one Markdown file for each task, in a git repository.


def _backlog(tracker: Tracker, place: Path, work: Sequence[Task]) -> None:
    _repository(place)
    subprocess.run(
        [tracker.program, "init", "bench", "--defaults"],
        cwd=place,
        env={**os.environ, **_home(place)},
        check=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )
    folder = place / "backlog" / "tasks"
    folder.mkdir(exist_ok=True)
    for task in work:
        title = TITLE.format(task.number)
        needs = "".join(f"\n  - TASK-{each}" for each in task.needs) or " []"
        text = (
            f"---\nid: TASK-{task.number}\ntitle: {title}\n"
            f"status: {'Done' if task.done else 'To Do'}\nassignee: []\n"
            f"created_date: '2026-01-01 00:00'\nlabels: []\ndependencies:{needs}\n"
            f"ordinal: {task.number * 1000}\n---\n"
        )
        path = folder / f"task-{task.number} - {title.replace(' ', '-')}.md"
        path.write_text(text, "utf-8")
    git(place, "add", "-A")
    git(place, "commit", "-q", "-m", "tasks")


TRACKERS = (
    Tracker(
        name="microbeads",
        program="mb",
        install="pip install microbeads in an environment of its own",
        tells="all",
        make=_microbeads,
        words=lambda place: ["--json", "ready"],
        environment=_home,
        read=lambda out: [int(each["id"][3:]) for each in json.loads(out)],
        version=_packaged,
    ),
    Tracker(
        name="agentplan",
        program="agentplan",
        install="pip install agentplan in an environment of its own",
        tells="first",
        make=_agentplan,
        words=lambda place: ["next", "bench", "--format", "json"],
        environment=_agentplan_home,
        read=lambda out: [json.loads(out)["id"]],
        version=_packaged,
    ),
    Tracker(
        name="task-master",
        program="task-master",
        install="npm install --prefix DIR task-master-ai",
        tells="first",
        make=_task_master,
        words=lambda place: ["next", "--format", "json"],
        environment=_home,
        read=lambda out: [int(_first_document(out)["task"]["id"])],
        version=_said,
    ),
    Tracker(
        name="backlog",
        program="backlog",
        install="npm install --prefix DIR backlog.md",
        tells="all",
        make=_backlog,
        words=lambda place: ["task", "list", "--ready", "--json"],
        environment=_home,
        read=lambda out: [int(each["id"][5:]) for each in json.loads(out)["tasks"]],
        version=_said,
    ),
)


# What a user would write without a tool: a file of tasks, and a few lines of Python.


def _file(tracker: Tracker, place: Path, work: Sequence[Task]) -> None:
    (place / "tasks.json").write_text(json.dumps([each._asdict() for each in work]), "utf-8")


NETWORKX = """
def ask():
    tasks = json.load(open("tasks.json"))
    graph = networkx.DiGraph()
    graph.add_nodes_from(task["number"] for task in tasks)
    graph.add_edges_from((need, task["number"]) for task in tasks for need in task["needs"])
    graph.remove_nodes_from([task["number"] for task in tasks if task["done"]])
    return [task for task, degree in graph.in_degree() if not degree]
"""
GRAPHLIB = """
def ask():
    tasks = json.load(open("tasks.json"))
    sorter = graphlib.TopologicalSorter({task["number"]: task["needs"] for task in tasks})
    sorter.prepare()
    done = {task["number"] for task in tasks if task["done"]}
    while True:
        ready = sorter.get_ready()
        passed = [task for task in ready if task in done]
        if not passed:
            return sorted(ready)
        sorter.done(*passed)
"""


def _library(name: str, code: str) -> Tracker:
    """Return a library of graphs as a tracker: it reads the file and tells all that is ready."""
    words = ["-c", f"import json, {name}\n{code}\nprint(json.dumps(ask()))"]
    return Tracker(
        name=name,
        program=sys.executable,
        install="",
        tells="all",
        make=_file,
        words=lambda place: words,
        environment=lambda place: {},
        read=lambda out: list(json.loads(out)),
    )


LIBRARIES = (_library("networkx", NETWORKX), _library("graphlib", GRAPHLIB))
