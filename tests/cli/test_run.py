"""`plan07 run`: the whole loop, on real repositories with a scripted agent."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import repositories
from repositories import FILES, PLAN_ID, git, states, step

BRANCH = f"plan07/{PLAN_ID}"
TWO = (step("O1", "grep -q 2 a.py"), step("O2", "grep -q 2 b.py", "O1"))
GOOD = {"O1": "echo 'x = 2' > a.py", "O2": "echo 'y = 2' > b.py"}
COMMIT = re.compile(r"\b[0-9a-f]{12}\b")


@pytest.fixture(autouse=True)
def plain_git(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in repositories.USER.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return repositories.made(tmp_path / "work" / "repo")


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return repositories.planned(tmp_path / "plan.json", *TWO)


def arguments(plan: Path, repository: Path, agent: str, *options: str) -> list[str]:
    return ["run", str(plan), "--repo", str(repository), "--agent", agent, *options]


class TestStraight:
    def test_each_step_is_a_commit_on_a_branch_of_its_own(
        self, run: Callable[..., Any], tmp_path: Path, repository: Path, plan: Path
    ) -> None:
        """S-000-095: each accepted edit is linked to its obligation."""
        agent = repositories.scripted(tmp_path, **GOOD)
        result = run(*arguments(plan, repository, agent))
        assert (result.status, result.out) == (
            0,
            f"complete: 2 of 2 attempts passed; checkpoints are on {BRANCH}\n",
        )
        assert COMMIT.sub("COMMIT", result.err).splitlines() == [
            "plan07: hand_out: O1: modify pkg.O1",
            "plan07: pass: O1: checkpoint COMMIT, 1 file",
            "plan07: hand_out: O2: modify pkg.O2",
            "plan07: pass: O2: checkpoint COMMIT, 1 file",
        ]
        assert git(repository, "symbolic-ref", "HEAD") == f"refs/heads/{BRANCH}"
        messages = git(repository, "log", "--format=%B", f"main..{BRANCH}").split("\n\n")
        assert messages == [
            "O2: modify pkg.O2",
            f"Plan07-Node: O2\nPlan07-Plan: {PLAN_ID}",
            "O1: modify pkg.O1",
            f"Plan07-Node: O1\nPlan07-Plan: {PLAN_ID}",
        ]
        commits = git(repository, "log", "--format=%H", "--reverse", f"main..{BRANCH}").split()
        audit = json.loads(plan.read_text())["audit"]
        assert [(row["obligation"], row["accepted_edit"]) for row in audit] == [
            ("O1", commits[0]),
            ("O2", commits[1]),
        ]
        assert repositories.tree(repository, "main") == FILES
        assert repositories.tree(repository, commits[0])["a.py"] == "x = 2\n"

    def test_a_second_call_has_nothing_to_do(
        self, run: Callable[..., Any], tmp_path: Path, repository: Path, plan: Path
    ) -> None:
        agent = repositories.scripted(tmp_path, **GOOD)
        assert run(*arguments(plan, repository, agent)).status == 0
        git(repository, "checkout", "-q", "main")
        (repository / "a.py").write_text("mine\n")
        result = run(*arguments(plan, repository, agent, "--json"))
        assert (result.status, result.document()) == (
            0,
            {"verdict": "complete", "branch": BRANCH, "steps": []},
        )
        assert git(repository, "symbolic-ref", "HEAD") == "refs/heads/main"

    def test_a_failure_is_kept_taken_back_and_replanned(
        self, run: Callable[..., Any], tmp_path: Path, repository: Path, plan: Path
    ) -> None:
        """S-000-072."""
        tried = tmp_path / "tried"
        piece = f"[ -e {tried} ] && n=2 || n=bad; touch {tried}; echo $n > b.py; echo > $n.txt"
        agent = repositories.scripted(tmp_path, O1=GOOD["O1"], O2=piece)
        result = run(*arguments(plan, repository, agent, "--decomposer", "rules", "--json"))
        document = result.document()
        assert (result.status, document["verdict"]) == (0, "complete")
        assert [(x["node"], x["outcome"], x["files"]) for x in document["steps"]] == [
            ("O1", "pass", ["a.py"]),
            ("O2", "fail", ["b.py", "bad.txt"]),
            ("O2", "pass", ["2.txt", "b.py"]),
        ]
        kept = f"refs/plan07/attempts/{PLAN_ID}/O2/1"
        assert repositories.attempts(repository) == [kept] == [document["steps"][1]["commit"]]
        assert repositories.tree(repository, kept)["bad.txt"] == "\n"
        assert sorted(repositories.tree(repository)) == [".gitignore", "2.txt", "a.py", "b.py"]
        events = [line.split(": ")[1] for line in result.err.splitlines()]
        assert events == [
            *("hand_out", "pass", "hand_out", "kept", "fail", "replan", "hand_out", "pass"),
        ]

    def test_the_same_failure_again_is_given_up(
        self, run: Callable[..., Any], tmp_path: Path, repository: Path, plan: Path
    ) -> None:
        """However long each attempt took: the reason holds no time."""
        agent = repositories.scripted(tmp_path, O1='echo "bad after 0.$(date +%N)s"; exit 1')
        arguments_ = arguments(plan, repository, agent, "--decomposer", "rules", "--json")
        result = run(*arguments_)
        assert (result.status, result.document()["verdict"]) == (1, "stalled")
        assert [x["outcome"] for x in result.document()["steps"]] == ["fail", "fail"]
        assert states(plan) == {"O1": "failed", "O2": "pending"}

    def test_what_failed_without_anybody_to_decompose_is_decomposed_later(
        self, run: Callable[..., Any], tmp_path: Path, repository: Path, plan: Path
    ) -> None:
        run(*arguments(plan, repository, repositories.scripted(tmp_path, O1="exit 1")))
        assert states(plan)["O1"] == "failed"
        agent = repositories.scripted(tmp_path, **GOOD)
        assert run(*arguments(plan, repository, agent)).status == 1
        assert run(*arguments(plan, repository, agent, "--decomposer", "rules")).status == 0

    def test_a_check_that_cannot_run_ends_it_and_fails_nothing(
        self, run: Callable[..., Any], tmp_path: Path, repository: Path
    ) -> None:
        node = {**TWO[0], "validation": "$ ./nowhere"}
        plan = repositories.planned(tmp_path / "p.json", node)
        result = run(
            *arguments(plan, repository, repositories.scripted(tmp_path, **GOOD), "--json")
        )
        assert (result.status, result.document()["error"]["code"]) == (3, "GATE_BROKEN")
        assert states(plan) == {"O1": "pending"}
        assert repositories.tree(repository) == FILES
        assert git(repository, "status", "--porcelain") == ""
        assert repositories.attempts(repository) == [f"refs/plan07/attempts/{PLAN_ID}/O1/1"]

    def test_a_dry_run_shows_the_obligations_and_does_nothing(
        self, run: Callable[..., Any], repository: Path, plan: Path
    ) -> None:
        before = plan.read_bytes()
        result = run("run", plan, "--repo", repository, "--dry-run", "--json")
        assert result.status == 0
        shown = result.document()["obligations"]
        assert [(x["node_id"], x["preconditions"]) for x in shown] == [
            ("O1", {}),
            ("O2", {"O1": "complete"}),
        ]
        assert plan.read_bytes() == before
        assert git(repository, "branch") == "* main"


class TestWhereItStarts:
    def test_from_a_detached_head(
        self, run: Callable[..., Any], tmp_path: Path, repository: Path, plan: Path
    ) -> None:
        git(repository, "checkout", "-q", "--detach")
        agent = repositories.scripted(tmp_path, **GOOD)
        assert run(*arguments(plan, repository, agent, "--branch", "mine/x")).status == 0
        assert git(repository, "symbolic-ref", "HEAD") == "refs/heads/mine/x"
        assert git(repository, "rev-parse", "mine/x~2") == git(repository, "rev-parse", "main")

    def test_from_another_branch_than_its_own(
        self, run: Callable[..., Any], tmp_path: Path, repository: Path, plan: Path
    ) -> None:
        agent = repositories.scripted(tmp_path, O1=GOOD["O1"], O2="exit 1")
        assert run(*arguments(plan, repository, agent)).status == 1
        git(repository, "checkout", "-q", "main")
        agent = repositories.scripted(tmp_path, **GOOD)
        assert run(*arguments(plan, repository, agent, "--decomposer", "rules")).status == 0
        subjects = git(repository, "log", "--format=%s", BRANCH).splitlines()
        assert subjects == ["O2: modify pkg.O2", "O1: modify pkg.O1", "start"]

    def test_a_branch_of_somebody_else_is_left_alone(
        self, run: Callable[..., Any], tmp_path: Path, repository: Path, plan: Path
    ) -> None:
        git(repository, "checkout", "-q", "-b", BRANCH)
        git(repository, "commit", "-q", "--allow-empty", "-m", "theirs")
        git(repository, "checkout", "-q", "main")
        agent = repositories.scripted(tmp_path, **GOOD)
        result = run(*arguments(plan, repository, agent, "--json"))
        assert (result.status, result.document()["error"]["code"]) == (1, "BRANCH_TAKEN")
        assert git(repository, "symbolic-ref", "HEAD") == "refs/heads/main"

    @pytest.mark.parametrize(
        ("script", "status", "code"),
        [
            ("touch new", 1, "TREE_DIRTY"),
            ("git rev-parse HEAD > .git/MERGE_HEAD", 1, "REPOSITORY_BUSY"),
            ("rm -r .git", 2, "NOT_A_REPOSITORY"),
            ("rm -r .git; git init -q", 2, "REPOSITORY_EMPTY"),
            ("rm -rf $PWD", 2, "NOT_A_REPOSITORY"),
        ],
    )
    def test_an_unfit_repository_is_refused_and_stays(
        self, run: Callable[..., Any], tmp_path: Path, repository: Path, plan: Path, script: str,
        status: int, code: str,
    ) -> None:  # fmt: skip
        assert os.system(f"cd {repository} && {script}") == 0
        agent = repositories.scripted(tmp_path, **GOOD)
        result = run(*arguments(plan, repository, agent, "--json"))
        assert (result.status, result.document()["error"]["code"]) == (status, code)
        assert states(plan) == {"O1": "pending", "O2": "pending"}
        assert result.err == ""

    @pytest.mark.parametrize(
        ("options", "status", "code"),
        [
            (["--agent", ""], 2, "AGENT_INVALID"),
            (["--agent", "'"], 2, "AGENT_INVALID"),
            ([], 2, "USAGE"),
            (["--agent", "true", "--branch", "a b"], 2, "BRANCH_INVALID"),
            (["--agent", "true", "--predicates", "'"], 2, "PREDICATES_INVALID"),
            (["--agent", "true", "--time-limit", "0"], 2, "USAGE"),
        ],
    )
    def test_options_that_are_wrong(
        self, run: Callable[..., Any], repository: Path, plan: Path, options: list[str],
        status: int, code: str,
    ) -> None:  # fmt: skip
        result = run("run", plan, "--repo", repository, "--json", *options)
        assert (result.status, result.document()["error"]["code"]) == (status, code)
        assert git(repository, "branch") == "* main"

    @pytest.mark.parametrize("folder", ["with space", "%41 ü", "link"])
    def test_odd_places(
        self, run: Callable[..., Any], tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        if folder == "link":
            (tmp_path / "real").mkdir()
            (tmp_path / "link").symlink_to("real")
        repository = repositories.made(tmp_path / folder / "repo")
        plan = repositories.planned(tmp_path / folder / "my plan.json", *TWO)
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        agent = repositories.scripted(tmp_path, **GOOD)
        relative = Path("..") / folder
        options = arguments(relative / plan.name, relative / "repo", agent, "--json")
        result = run(*options)
        assert (result.status, result.document()["verdict"]) == (0, "complete")
        assert git(repository, "status", "--porcelain") == ""

    def test_from_a_directory_within_and_a_plan_at_home(
        self, run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Two plans in the default home of the repository, which git does not ignore."""
        repository = repositories.made(tmp_path / "repo", {**FILES, "sub/x": ""})
        home = repository / "build/07-task-decomposition-planning"
        plan = repositories.planned(home / "one.json", *TWO)
        repositories.planned(home / "two.json", *TWO)
        monkeypatch.chdir(repository / "sub")
        agent = repositories.scripted(tmp_path, **GOOD)
        assert run(*arguments(plan, Path("."), agent)).status == 0
        assert (home / "two.json").exists()
        assert sorted(repositories.tree(repository)) == [".gitignore", "a.py", "b.py", "sub/x"]


# What an agent does first, and how the test knows that it is at it.
WAITING = "echo half > a.py; echo $$ > {pid}.new; mv {pid}.new {pid}; exec sleep 60"


@pytest.fixture
def started(tmp_path: Path, repository: Path, plan: Path) -> Iterator[subprocess.Popen[str]]:
    """A run in a process of its own, whose agent is at work."""
    pid = tmp_path / "pid"
    agent = repositories.scripted(tmp_path, O1=WAITING.format(pid=pid))
    command = [sys.executable, "-m", "plan07", *arguments(plan, repository, agent, "--json")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        while not pid.exists() and process.poll() is None:
            time.sleep(0.01)
        yield process
        process.kill()


class TestItIsInterrupted:
    def ended(self, tmp_path: Path) -> bool:
        """Whether the agent ends."""
        agent = int((tmp_path / "pid").read_text())
        end = time.monotonic() + 5
        while time.monotonic() < end:
            try:
                state = Path(f"/proc/{agent}/stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                return True
            if state == "Z":
                return True
            time.sleep(0.01)
        return False

    @pytest.mark.parametrize(
        ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
    )
    def test_a_signal_takes_the_agent_along(
        self, started: subprocess.Popen[str], tmp_path: Path, number: int, status: int
    ) -> None:
        started.send_signal(number)
        out, _ = started.communicate(timeout=30)
        assert started.returncode == status
        assert self.ended(tmp_path)
        if number == signal.SIGINT:
            assert json.loads(out)["error"]["code"] == "INTERRUPTED"

    def test_the_next_run_ends_the_agent_of_one_that_was_killed(
        self, started: subprocess.Popen[str], run: Callable[..., Any], tmp_path: Path,
        repository: Path, plan: Path,
    ) -> None:  # fmt: skip
        """S-000-094: it goes on, without repair; what was begun is kept."""
        started.kill()
        started.wait()
        assert (repository / "a.py").read_text() == "half\n"
        # The next agent must not work beside the one before.
        of_old = f"/proc/$(cat {tmp_path}/pid)"
        over = f"[ ! -e {of_old} ] || grep -q '^State:.*zombie' {of_old}/status || exit 1"
        agent = repositories.scripted(tmp_path, O1=f"{over}; {GOOD['O1']}", O2=GOOD["O2"])
        result = run(*arguments(plan, repository, agent))
        assert result.status == 0
        assert self.ended(tmp_path)
        assert result.err.splitlines()[:2] == [
            f"plan07: kept: O1: what was given up is kept as refs/plan07/attempts/{PLAN_ID}/O1/1",
            "plan07: resumed: O1: an attempt that was cut off is settled",
        ]
        kept = repositories.tree(repository, f"refs/plan07/attempts/{PLAN_ID}/O1/1")
        assert kept["a.py"] == "half\n"

    def test_the_repository_was_cloned_anew_meanwhile(
        self, run: Callable[..., Any], tmp_path: Path, repository: Path, plan: Path
    ) -> None:
        Path(f"{plan}.run.json").write_text(
            json.dumps({"base": "a" * 40, "node": "O1", "commit": ""})
        )
        agent = repositories.scripted(tmp_path, **GOOD)
        assert run(*arguments(plan, repository, agent)).status == 0
        assert repositories.attempts(repository) == []

    def test_two_runs_at_once(
        self, started: subprocess.Popen[str], run: Callable[..., Any], repository: Path, plan: Path
    ) -> None:
        result = run(*arguments(plan, repository, "true", "--json"))
        assert (result.status, result.document()["error"]["code"]) == (1, "PLAN_BUSY")
        assert result.document()["error"]["retryable"] is True
        assert (repository / "a.py").read_text() == "half\n"

    def test_what_was_validated_by_hand_meanwhile_is_not_taken_back(
        self, started: subprocess.Popen[str], run: Callable[..., Any], tmp_path: Path,
        repository: Path, plan: Path,
    ) -> None:  # fmt: skip
        started.kill()
        started.wait()
        (repository / "a.py").write_text("x = 2\n")
        assert run("validate", plan, "O1", "--repo", repository).status == 0
        agent = repositories.scripted(tmp_path, **GOOD)
        assert run(*arguments(plan, repository, agent)).status == 0
        assert repositories.tree(repository)["a.py"] == "x = 2\n"
        assert len(git(repository, "log", "--format=%H", f"main..{BRANCH}").splitlines()) == 2
