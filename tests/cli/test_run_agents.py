"""`plan07 run` with agents that do what they should not: it is seen, kept, and taken back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import repositories
from repositories import FILES, PLAN_ID, git, states, step

ATTEMPT = f"refs/plan07/attempts/{PLAN_ID}/O1/1"
GOOD = "echo 'x = 2' > a.py"
CHECK = "grep -q 2 a.py"


class Place:
    """A repository and a plan beside it, and what a run came to."""

    def __init__(self, folder: Path, run: Callable[..., Any]) -> None:
        self.folder = folder
        self.repository = repositories.made(folder / "work" / "repo")
        self.plan = folder / "plans" / "plan.json"
        self._run = run

    def planned(self, *obligations: dict[str, Any]) -> None:
        repositories.planned(self.plan, *(obligations or (step("O1", CHECK),)))

    def run(self, agent: str, *options: str, status: int = 1) -> dict[str, Any]:
        arguments = (self.plan, "--repo", self.repository, "--agent", agent, "--json", *options)
        result = self._run("run", *arguments)
        assert result.status == status, result
        document: dict[str, Any] = result.document()
        return document

    def attempt(self, piece: str, *options: str) -> dict[str, Any]:
        """Return the one attempt at O1 of an agent that fails; nothing of it may be left."""
        self.planned() if not self.plan.exists() else None
        before = self.head()
        document = self.run(repositories.scripted(self.folder, O1=piece), *options)
        (found,) = document["steps"]
        assert (found["node"], found["outcome"]) == ("O1", "fail")
        assert states(self.plan) == {"O1": "failed"}
        assert git(self.repository, "symbolic-ref", "HEAD") == f"refs/heads/plan07/{PLAN_ID}"
        assert self.head() == before
        assert git(self.repository, "status", "--porcelain", "--ignored") == ""
        assert repositories.tree(self.repository) == FILES
        return dict(found)

    def head(self) -> str:
        return git(self.repository, "rev-parse", "HEAD")


@pytest.fixture
def place(tmp_path: Path, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> Place:
    for name, value in repositories.USER.items():
        monkeypatch.setenv(name, value)
    return Place(tmp_path, run)


class TestItsEdits:
    def test_too_many_files(self, place: Place) -> None:
        """S-000-063: five files are the bound."""
        found = place.attempt(f"{GOOD}; for i in 1 2 3 4 5; do echo > f$i.py; done")
        assert found["reason"] == "it edited 6 files, the bound is 5"
        assert found["commit"] == ATTEMPT
        kept = repositories.tree(place.repository, ATTEMPT)
        assert (kept["a.py"], sorted(kept)[-1]) == ("x = 2\n", "f5.py")

    def test_five_files_and_a_deletion_among_them_are_fine(self, place: Place) -> None:
        place.planned()
        agent = repositories.scripted(place.folder, O1=f"{GOOD}; rm b.py; touch c d e; touch x.log")
        document = place.run(agent, status=0)
        assert document["steps"][0]["files"] == ["a.py", "b.py", "c", "d", "e"]
        assert sorted(repositories.tree(place.repository)) == [".gitignore", "a.py", "c", "d", "e"]
        assert (place.repository / "x.log").exists()

    def test_edits_for_a_validation(self, place: Place) -> None:
        """S-000-066."""
        place.planned(step("O1", "true", verb="validate"))
        found = place.attempt(GOOD)
        assert found["reason"] == "it edited a.py, and the obligation permits no edit"

    def test_edits_beside_the_repository_are_told_and_not_judged(self, place: Place) -> None:
        """Nobody can tell who wrote there, and plan07 could not take it back."""
        place.planned()
        agent = repositories.scripted(place.folder, O1=f"{GOOD}; echo > ../stray.txt; mkdir ../dir")
        (found,) = place.run(agent, status=0)["steps"]
        assert (found["outcome"], found["beside"]) == ("pass", ["dir", "stray.txt"])
        assert found["files"] == ["a.py"]

    @pytest.mark.parametrize("target", ["../../elsewhere", "/etc", "../work/../../x"])
    def test_a_link_that_leads_out(self, place: Place, target: str) -> None:
        found = place.attempt(f"{GOOD}; ln -s {target} link")
        assert found["reason"] == "it made a link that leads out of the repository, link"

    def test_a_link_within_is_fine(self, place: Place) -> None:
        place.planned()
        agent = repositories.scripted(place.folder, O1=f"{GOOD}; ln -s a.py link")
        assert place.run(agent, status=0)["steps"][0]["files"] == ["a.py", "link"]

    @pytest.mark.parametrize(
        "inside",
        ["git init -q sub; echo > sub/f", "git init -q sub; cd sub; touch f; git add f; {commit}"],
        ids=["without a commit", "with one"],
    )
    def test_a_repository_within(self, place: Place, inside: str) -> None:
        commit = "git -c user.name=n -c user.email=n@n commit -qm x"
        found = place.attempt(f"{GOOD}; {inside.format(commit=commit)}")
        assert found["reason"] == "it made a repository of its own in sub"
        # Its work is moved, not deleted.
        assert (place.repository / ".git/plan07/sub-1/f").exists()

    def test_names_that_are_no_text(self, place: Place) -> None:
        found = place.attempt(f"{GOOD}; ln -s /etc \"$(printf 'a\\377\\033[31m')\"")
        assert found["reason"].endswith(r"leads out of the repository, a\udcff\u001b[31m")
        assert "\x1b" not in place.plan.read_text()


class TestItsGit:
    def test_it_commits_by_itself(self, place: Place) -> None:
        place.planned()
        commit = "git -c user.name=n -c user.email=n@n commit -qam mine"
        agent = repositories.scripted(place.folder, O1=f"{GOOD}; {commit}")
        (found,) = place.run(agent, status=0)["steps"]
        assert found["files"] == ["a.py"]
        subjects = git(place.repository, "log", "--format=%s").splitlines()
        assert subjects == ["O1: modify pkg.O1", "start"]

    def test_it_commits_by_itself_and_fails(self, place: Place) -> None:
        commit = "git -c user.name=n -c user.email=n@n commit -qam mine"
        found = place.attempt(f"echo bad > a.py; {commit}")
        subjects = git(place.repository, "log", "--format=%s", found["commit"]).splitlines()
        assert subjects == ["attempt at O1", "mine", "start"]

    def test_it_forges_a_checkpoint(self, place: Place) -> None:
        trailers = f"Plan07-Node: O1\nPlan07-Plan: {PLAN_ID}"
        commit = f'git -c user.name=n -c user.email=n@n commit -qam "O1\n\n{trailers}"'
        place.attempt(f"echo bad > a.py; {commit}; exit 1")

    @pytest.mark.parametrize(
        "piece",
        [
            "git checkout -q -b other",
            "git checkout -q --detach",
            "git checkout -q --orphan other",
            "git reset -q --hard HEAD; echo bad > b.py",
            "git add -A; git stash -q",
            "git update-ref -d HEAD",
            "rm .git/index",
            "touch .git/index.lock .git/HEAD.lock",
            "mkdir -p .git/refs/heads/plan07; touch .git/refs/heads/plan07/{plan}.lock",
            "git rm -q -r --cached .",
            "rm -rf a.py b.py .gitignore; mkdir -p a.py/b; touch a.py/b/c",
            "git -c user.name=n -c user.email=n@n revert --no-commit HEAD; true",
            "git rev-parse HEAD > .git/MERGE_HEAD; mkdir .git/rebase-merge",
            "git config core.hooksPath ../hooks",
            "echo '*.py' > .gitignore; echo > junk.py",
            "chmod 000 a.py; echo > secret; chmod 000 secret",
            "mkfifo pipe && rm pipe",
        ],
    )
    def test_whatever_it_does_is_taken_back(self, place: Place, piece: str) -> None:
        found = place.attempt(f"{piece.format(plan=PLAN_ID)}; exit 1")
        assert found["reason"].startswith("the agent ended with status 1")
        assert not list((place.repository / ".git").rglob("*.lock"))

    def test_it_deletes_the_repository(self, place: Place) -> None:
        """What lies around it is another repository, and none of this plan's business."""
        place.planned()
        outer = place.repository.parent
        git(outer, "init", "-q", "-b", "outer")
        git(outer, "commit", "-q", "--allow-empty", "-m", "outer")
        before = git(outer, "for-each-ref")
        error = place.run(repositories.scripted(place.folder, O1="rm -rf .git"), status=3)["error"]
        assert error["code"] == "GIT_FAILED"
        assert states(place.plan) == {"O1": "pending"}
        assert git(outer, "for-each-ref") == before
        assert git(outer, "symbolic-ref", "HEAD") == "refs/heads/outer"
        assert (place.repository / "a.py").exists()

    def test_it_adds_what_is_ignored_by_force(self, place: Place) -> None:
        """A file that git ignores stays, whatever an agent makes of the index."""
        (place.repository / "keep.log").write_text("mine")
        place.planned()
        commit = "git -c user.name=n -c user.email=n@n commit -qm x"
        agent = repositories.scripted(place.folder, O1=f"git add -f keep.log; {commit}; exit 1")
        place.run(agent)
        assert (place.repository / "keep.log").read_text() == "mine"
        assert git(place.repository, "status", "--porcelain") == ""

    def test_hooks_and_signatures_take_no_part(self, place: Place, tmp_path: Path) -> None:
        hooks = place.repository / ".git" / "hooks"
        hooks.mkdir(exist_ok=True)
        for name in ("pre-commit", "commit-msg", "post-checkout", "reference-transaction",
                     "post-index-change"):  # fmt: skip
            (hooks / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/hooked\nexit 1\n")
            (hooks / name).chmod(0o755)
        git(place.repository, "config", "commit.gpgsign", "true")
        git(place.repository, "config", "gpg.program", "/nowhere/gpg")
        (tmp_path / "hooked").unlink(missing_ok=True)
        place.planned()
        place.run(repositories.scripted(place.folder, O1=GOOD), status=0)
        assert not (tmp_path / "hooked").exists()


class TestThePlan:
    """Its files are not an agent's business, wherever they lie."""

    @pytest.mark.parametrize("inside", [False, True], ids=["beside", "in the repository"])
    @pytest.mark.parametrize(
        "piece",
        [
            "rm -rf {folder}",
            "rm {plan}*",
            "echo '{{}}' > {plan}",
            "sed -i s/pending/complete/ {plan}",
            ": > {plan}.audit.jsonl",
            "echo '{{}}' >> {plan}.calls.jsonl; echo '{{}}' > {plan}.evidence.json",
            "rm {plan}.run.json",
        ],
    )
    def test_what_it_does_to_the_plan_is_undone(
        self, place: Place, piece: str, inside: bool
    ) -> None:
        if inside:
            place.plan = place.repository / "build/07-task-decomposition-planning/plan.json"
        place.planned()
        before = json.loads(place.plan.read_text())
        piece = piece.format(plan=place.plan, folder=place.plan.parent)
        agent = repositories.scripted(place.folder, O1=f"{GOOD}; {piece}")
        (found,) = place.run(agent)["steps"]
        assert found["reason"] == "it changed the plan, which was put back"
        after = json.loads(place.plan.read_text())
        assert states(place.plan) == {"O1": "failed"}
        assert after["plan_id"] == before["plan_id"]
        assert [row["event"] for row in _log(place.plan)] == ["created", "fail"]
        assert repositories.tree(place.repository) == FILES

    def test_it_commits_the_plan(self, place: Place) -> None:
        """`git add -A` of an agent must not make the plan a part of the project."""
        place.plan = place.repository / "plan.json"
        place.planned()
        commit = "git add -A; git -c user.name=n -c user.email=n@n commit -qm mine"
        place.run(repositories.scripted(place.folder, O1=f"{GOOD}; {commit}"), status=0)
        assert states(place.plan) == {"O1": "complete"}
        assert sorted(repositories.tree(place.repository)) == sorted(FILES)

    def test_it_reports_its_test_calls(self, place: Place) -> None:
        """The accounting commands are for agents; what they write is no meddling."""
        place.planned()
        called = f"plan07 test {place.plan} O1 && plan07 edit {place.plan} O1 --file a.py"
        place.run(repositories.scripted(place.folder, O1=f"{GOOD}; {called}"), status=0)
        events = [row["event"] for row in _log(place.plan)]
        assert events == ["created", "test", "edit", "pass"]

    def test_it_cannot_validate_by_itself(self, place: Place) -> None:
        """S-004-21: it is the run that validates."""
        place.planned()
        called = f"plan07 validate {place.plan} O1 --json > {place.folder}/said; exit 1"
        agent = repositories.scripted(place.folder, O1=f"{GOOD}; {called}")
        place.run(agent)
        assert json.loads((place.folder / "said").read_text())["error"]["code"] == "PLAN_BUSY"
        assert states(place.plan) == {"O1": "failed"}

    def test_somebody_abandons_it_meanwhile(self, place: Place) -> None:
        place.planned()
        agent = repositories.scripted(place.folder, O1=f"{GOOD}; plan07 abandon {place.plan}")
        error = place.run(agent)["error"]
        assert error["code"] == "ABANDONED"
        assert repositories.tree(place.repository) == FILES
        assert repositories.tree(place.repository, ATTEMPT)["a.py"] == "x = 2\n"


class TestItsProcess:
    @pytest.mark.parametrize(
        ("piece", "reason"),
        [
            ("echo 'I give up after 3.20s'; exit 7", "status 7: I give up after"),
            ("kill -KILL $$", "status -9"),
            ("yes | head -c 3000000; exit 1", "status 1: y"),
            ("printf '\\033[31mred\\377\\n'; exit 1", r"status 1: \u001b[31mred�"),
        ],
        ids=["says no", "is killed", "floods", "is no text"],
    )
    def test_it_ends_badly(self, place: Place, piece: str, reason: str) -> None:
        found = place.attempt(f"{GOOD}; {piece}")
        assert found["reason"] == f"the agent ended with {reason}"
        assert found["commit"] == ATTEMPT

    def test_it_hangs(self, place: Place) -> None:
        found = place.attempt(f"{GOOD}; sleep 999", "--agent-time-limit", "0.3")
        assert found["reason"] == "the agent did not end within 0.3 seconds"

    def test_it_leaves_something_at_work(self, place: Place) -> None:
        place.planned()
        late = f"setsid sh -c 'sleep 1; echo late > {place.repository}/late.py' >/dev/null 2>&1 &"
        place.run(repositories.scripted(place.folder, O1=f"{GOOD}; {late}"), status=0)
        assert os.system("sleep 1.2") == 0
        assert git(place.repository, "status", "--porcelain") == ""

    def test_it_cannot_be_started(self, place: Place) -> None:
        place.planned()
        error = place.run("/nowhere/agent --x", status=2)["error"]
        assert error["code"] == "AGENT_UNSTARTED"
        assert error["message"].endswith("cannot be started: No such file or directory")
        assert states(place.plan) == {"O1": "pending"}
        assert not Path(f"{place.plan}.run.json").exists()

    def test_it_reads_the_obligation_from_its_input_and_from_a_file(self, place: Place) -> None:
        """S-000-060: exactly the keys of the build spec."""
        place.planned()
        piece = f'cat > {place.folder}/in; cat "$PLAN07_OBLIGATION" > {place.folder}/file; {GOOD}'
        place.run(repositories.scripted(place.folder, O1=piece), status=0)
        given = (place.folder / "in").read_text()
        assert given == (place.folder / "file").read_text()
        assert json.loads(given) == {
            "node_id": "O1",
            "obligation": "modify",
            "target_entity": "pkg.O1",
            "preconditions": {},
            "permitted_actions": {
                "read": True,
                "edit": True,
                "test": True,
                "bounds": {"max_edit_files": 5, "max_test_calls": 10},
            },
            "required_validation": f"$ sh -c '{CHECK}'",
        }


def _log(plan: Path) -> list[dict[str, Any]]:
    from plan07.state import Store

    return [dict(row) for row in Store(plan).load().log]
