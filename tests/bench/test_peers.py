"""The peers: every tracker gets the same tasks, and its answer is held against the graph."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench import peers
from bench.measure import Command, Cost, Ended
from bench.peers import inprocess
from bench.peers.project import Task, obligations, ready, tasks
from bench.peers.trackers import LIBRARIES, PLAN07, TRACKERS, Tracker
from bench.results import Headline

BY_NAME = {each.name: each for each in TRACKERS}


def fake(code: str, tells: str = "all") -> Tracker:
    """A tracker that prints what some code does."""

    def make(tracker: Tracker, place: Path, work: Sequence[Task]) -> None:
        return None

    return LIBRARIES[0]._replace(
        name="fake", tells=tells, make=make, words=lambda place: ["-c", code]
    )


@pytest.mark.parametrize(
    ("size", "expected"),
    [(3, [1, 2, 3]), (10, [5, 6, 7, 8]), (64, [33, 34, 35, 36]), (1000, [501, 502, 503, 504])],
)
def test_half_of_the_layers_are_done_and_the_next_is_ready(size: int, expected: list[int]) -> None:
    work = tasks(size)
    assert [each.number for each in work] == list(range(1, size + 1))
    assert ready(work) == expected


def test_obligations_have_the_same_dependencies() -> None:
    listed = obligations(tasks(6))["obligations"]
    assert [each["dependencies"] for each in listed[3:]] == [
        [],
        ["O1", "O2", "O3", "O4"],
        ["O1", "O2", "O3", "O4"],
    ]


class TestJudging:
    work = tasks(10)
    every = fake("")
    first = fake("", "first")

    @pytest.mark.parametrize(
        ("tracker", "said", "expected"),
        [
            (every, "[5, 6, 7, 8]", "agrees"),
            (every, "[8, 5, 6, 7]", "agrees, in another order"),
            (every, "[5, 6]", "5, 6 instead of 5, 6, 7, 8"),
            (every, "[]", "nothing instead of 5, 6, 7, 8"),
            (every, "[9, 10, 1, 2, 3]", "9, 10, 1, 2 and 1 more instead of 5, 6, 7, 8"),
            (first, "[5]", "agrees"),
            (first, "[6]", "6 instead of 5"),
        ],
    )
    def test_an_answer_agrees_or_is_told(self, tracker: Tracker, said: str, expected: str) -> None:
        assert peers.judged(tracker, said, self.work) == expected

    def test_what_is_no_answer_is_told_with_its_error(self) -> None:
        told = peers.judged(self.every, "", self.work, "it is broken\n")
        assert told == "unreadable (JSONDecodeError): it is broken"


def test_plan07_and_the_libraries_agree_with_the_graph(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(inprocess, "TURNS", 1)
    contenders = {"plan07": PLAN07, **{each.name: each for each in LIBRARIES}}
    rows = peers.asked(contenders, 10, 1, tmp_path)
    assert [(row["tool"], row["size"], row["answer"]) for row in rows] == [
        ("plan07", 10, "agrees"),
        ("networkx", 10, "agrees"),
        ("graphlib", 10, "agrees"),
    ]
    assert rows[0]["ratio"] == 1
    within = inprocess.asked(contenders, 10, 1, tmp_path)
    assert [(row["tool"], row["call"]) for row in within] == [
        ("plan07", "`Driver.next`"),
        ("networkx", "`DiGraph.in_degree`"),
        ("graphlib", "`TopologicalSorter.get_ready`"),
    ]


def test_a_tracker_that_takes_too_long_has_no_figure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def ended(command: Command, timeout: float | None = None) -> Ended:
        slow = command.words[-1] == "slow"
        return Ended(Cost(1.0, 1.0), None if slow else 0, "[1, 2, 3]", "")

    monkeypatch.setattr(peers, "ended", ended)
    contenders = {"plan07": fake("quick"), "fake": fake("slow")}
    rows = peers.asked(contenders, 3, 1, tmp_path)
    assert (rows[0]["answer"], rows[0]["cpu"]) == ("agrees", 1.0)
    assert (rows[1]["answer"], rows[1]["cpu"]) == ("nothing within 180 s", None)
    assert peers.headlines(rows)[1] == Headline(
        "next of 3 tasks, cold: fake", "nothing within 180 s", ""
    )
    assert list(peers.drawn(rows).series) == ["plan07"]


def test_what_is_not_installed_is_told_with_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    program = tmp_path / "mb"
    program.write_text(f"#!{sys.executable}\n")
    program.chmod(0o755)
    there, missing = peers.found([str(tmp_path)])
    assert [(each.name, each.program) for each in there.values()] == [("microbeads", str(program))]
    assert [each.split(" is ")[0] for each in missing] == ["agentplan", "task-master", "backlog"]
    assert missing[1] == (
        "task-master is not installed; npm install --prefix DIR task-master-ai, then --bin DIR"
    )


def test_a_store_is_in_the_format_of_its_tool(tmp_path: Path) -> None:
    tracker = BY_NAME["task-master"]
    tracker.make(tracker, tmp_path, tasks(10))
    text = (tmp_path / ".taskmaster" / "tasks" / "tasks.json").read_text("utf-8")
    listed = json.loads(text)["master"]["tasks"]
    assert [each["status"] for each in listed] == ["done"] * 4 + ["pending"] * 6
    assert listed[4]["dependencies"] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("name", "out", "expected"),
    [
        ("microbeads", '[{"id": "mb-5"}, {"id": "mb-6"}]', [5, 6]),
        ("agentplan", '{"id": 5, "title": "x"}', [5]),
        ("task-master", '{"task": {"id": "5"}}\n\n+-- FYI {tags} --+\n', [5]),
        ("backlog", '{"tasks": [{"id": "TASK-5"}]}', [5]),
    ],
)
def test_an_answer_is_read_as_its_tool_prints_it(name: str, out: str, expected: list[int]) -> None:
    assert BY_NAME[name].read(out) == expected
