"""The repository of a run: what changed, checkpoints, and the way back, on real repositories."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import repositories
from repositories import FILES, git

from plan07.errors import InputError, PlanRefused
from plan07.workspace import Snapshot, Workspace


@pytest.fixture(autouse=True)
def plain_git(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in repositories.USER.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return repositories.made(tmp_path / "repo")


def opened(repository: Path, *own: Path) -> Workspace:
    return Workspace(str(repository), "work", [str(each) for each in own])


def changed(workspace: Workspace) -> Snapshot:
    return workspace.snapshot(workspace.head())


def accepted(workspace: Workspace, message: str = "m") -> str:
    """Make a checkpoint of the tree as it is."""
    head = workspace.head()
    commit = workspace.commit(workspace.snapshot(head).tree, head, message)
    workspace.land(commit)
    workspace.restore(commit)
    return commit


class TestSnapshot:
    def test_what_an_agent_may_do_to_files(self, repository: Path) -> None:
        (repository / "a.py").unlink()
        (repository / "b.py").rename(repository / "c.py")
        (repository / "x.log").write_text("ignored")
        (repository / "with space ü.py").write_text("")
        found = changed(opened(repository))
        assert found.files == ("a.py", "b.py", "c.py", "with space ü.py")
        assert found.faults == ()

    def test_the_work_tree_and_the_index_stay_as_they_are(self, repository: Path) -> None:
        (repository / "a.py").write_text("x = 2\n")
        git(repository, "add", "a.py")
        (repository / "new.py").write_text("")
        before = git(repository, "status", "--porcelain")
        changed(opened(repository))
        assert git(repository, "status", "--porcelain") == before == "M  a.py\n?? new.py"

    def test_a_change_of_the_same_size_in_the_same_second_is_seen(self, repository: Path) -> None:
        """Git trusts a file that is older than the index, so a copy must not be younger."""
        git(repository, "config", "core.trustctime", "false")
        path, index = repository / "a.py", repository / ".git/index"
        for text in ("x = 2\n", "x = 3\n"):
            path.write_text(text)
            os.utime(path, (1_700_000_000, 1_700_000_000))
            if text == "x = 2\n":
                git(repository, "commit", "-qam", "m")
                os.utime(index, (1_700_000_000, 1_700_000_000))
        assert changed(opened(repository)).files == ("a.py",)

    def test_files_that_git_cannot_take_in_are_a_fault(self, repository: Path) -> None:
        (repository / "sub").mkdir()
        git(repository / "sub", "init", "-q")
        (repository / "a.py").write_text("x = 2\n")
        found = changed(opened(repository))
        assert found.files == ("a.py",)
        assert found.faults == ("it made a repository of its own in sub",)

    def test_the_plan_is_not_looked_at(self, repository: Path) -> None:
        own = repository / "sub" / "my plan.json"
        home = repository / "build/07-task-decomposition-planning"
        for path in (own, home / "other.json", repository / ".plan07-tmp-x"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("{}")
        workspace = opened(repository, own)
        assert changed(workspace).files == ()
        assert workspace.dirty() == []
        workspace.restore(workspace.head())
        assert own.exists() and (home / "other.json").exists()

    def test_variables_of_a_callers_git_lead_nowhere_else(
        self, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        other = repositories.made(tmp_path / "other", {"z": ""})
        monkeypatch.setenv("GIT_DIR", str(other / ".git"))
        monkeypatch.setenv("GIT_WORK_TREE", str(other))
        monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
        monkeypatch.setenv("GIT_LITERAL_PATHSPECS", "1")
        (repository / "a.py").write_text("x = 2\n")
        workspace = opened(repository)
        assert workspace.root == str(repository)
        assert changed(workspace).files == ("a.py",)

    @pytest.mark.parametrize(
        ("name", "value", "files"),
        [
            ("core.autocrlf", "true", ("a.py",)),
            ("core.autocrlf", "input", ("a.py",)),
            ("core.safecrlf", "true", ("a.py",)),
            ("core.fileMode", "false", ("a.py",)),
            ("core.fileMode", "true", ("a.py", "b.py")),
            ("core.quotePath", "true", ("a.py",)),
            ("core.untrackedCache", "true", ("a.py",)),
            ("core.splitIndex", "true", ("a.py",)),
            ("status.showUntrackedFiles", "no", ("a.py", "é")),
        ],
    )
    def test_settings_of_the_user(
        self, repository: Path, name: str, value: str, files: tuple[str, ...]
    ) -> None:
        if name.endswith("crlf"):
            git(repository, "config", "core.autocrlf", "true")
        git(repository, "config", name, value)
        git(repository, "update-index", "--refresh")
        workspace = opened(repository)
        (repository / "a.py").write_text("x = 2\n")
        if name == "core.fileMode":
            (repository / "b.py").chmod(0o755)
        if "é" in files:
            (repository / "é").write_text("")
        assert changed(workspace).files == files
        accepted(workspace)
        assert workspace.dirty() == []
        assert repositories.tree(repository)["a.py"] == "x = 2\n"


class TestRestore:
    def test_everything_but_ignored_files_goes_back(self, repository: Path) -> None:
        workspace = opened(repository)
        base = workspace.head()
        (repository / "a.py").unlink()
        (repository / "a.py").mkdir()
        (repository / "a.py" / "inner").write_text("")
        (repository / "deep/er").mkdir(parents=True)
        (repository / "deep/er/x").write_text("")
        (repository / "x.log").write_text("ignored")
        (repository / ".gitignore").write_text("*\n")
        (repository / "hidden").write_text("ignored only by the attempt")
        workspace.restore(base)
        assert sorted(each.name for each in repository.iterdir()) == [
            *(".git", ".gitignore", "a.py", "b.py", "x.log"),
        ]
        assert {name: (repository / name).read_text() for name in FILES} == FILES

    def test_what_was_given_up_is_kept_once(self, repository: Path) -> None:
        workspace = opened(repository)
        (repository / "a.py").write_text("x = 2\n")
        found = changed(workspace)
        names = [workspace.keep(found.tree, workspace.head(), "p q", node) for node in "AAB"]
        assert names == [f"refs/plan07/attempts/p-q/{end}" for end in ("A/1", "A/1", "B/1")]
        (repository / "a.py").write_text("x = 3\n")
        found = changed(workspace)
        assert workspace.keep(found.tree, workspace.head(), "p q", "A")[-3:] == "A/2"

    def test_a_lock_that_somebody_is_done_with_soon_is_waited_for(self, repository: Path) -> None:
        workspace = opened(repository)
        lock = repository / ".git/index.lock"
        lock.touch()
        waiting = os.spawnlp(os.P_NOWAIT, "sh", "sh", "-c", f"sleep 0.1; rm {lock}")
        workspace.restore(workspace.head())
        assert os.waitpid(waiting, 0)[1] == 0


class TestFit:
    @pytest.mark.parametrize(
        ("script", "code", "told"),
        [
            ("echo 'x = 2' > a.py", "TREE_DIRTY", "a.py"),
            ("echo 'x = 2' > a.py; git add a.py", "TREE_DIRTY", "a.py"),
            ("rm a.py", "TREE_DIRTY", "a.py"),
            ("touch new", "TREE_DIRTY", "new"),
            ("touch 1 2 3 4 5 6 7", "TREE_DIRTY", "1, 2, 3, 4, 5 and 2 more"),
            ("git rev-parse HEAD > .git/MERGE_HEAD", "REPOSITORY_BUSY", "MERGE_HEAD"),
            ("mkdir .git/rebase-merge", "REPOSITORY_BUSY", "rebase-merge"),
            ("touch .git/index.lock", "REPOSITORY_BUSY", "index.lock"),
        ],
    )
    def test_a_tree_in_which_something_is_going_on(
        self, repository: Path, script: str, code: str, told: str
    ) -> None:
        assert os.system(f"cd {repository} && {script}") == 0
        with pytest.raises(PlanRefused) as caught:
            opened(repository).refuse_unfit()
        assert caught.value.code == code
        assert told in caught.value.message

    def test_a_clean_one(self, repository: Path) -> None:
        (repository / "x.log").write_text("ignored")
        (repository / "a.py").touch()
        opened(repository).refuse_unfit()

    def test_no_repository(self, tmp_path: Path, repository: Path) -> None:
        for path in (tmp_path, tmp_path / "gone", repository / ".git"):
            with pytest.raises(InputError) as caught:
                opened(path)
            assert caught.value.code == "NOT_A_REPOSITORY"

    def test_no_git(self, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", "/nowhere")
        with pytest.raises(InputError) as caught:
            opened(repository)
        assert caught.value.code == "GIT_MISSING"

    def test_no_commit(self, tmp_path: Path) -> None:
        git(tmp_path, "init", "-q")
        with pytest.raises(InputError) as caught:
            opened(tmp_path)
        assert caught.value.code == "REPOSITORY_EMPTY"

    @pytest.mark.parametrize("branch", ["a b", "x..y", "-", "", "a/.b", "x.lock"])
    def test_no_name_of_a_branch(self, repository: Path, branch: str) -> None:
        with pytest.raises(InputError) as caught:
            Workspace(str(repository), branch, [])
        assert caught.value.code == "BRANCH_INVALID"

    def test_a_plan_under_version_control(self, repository: Path) -> None:
        with pytest.raises(InputError) as caught:
            opened(repository, repository / "a.py")
        assert (caught.value.code, caught.value.detail) == ("PLAN_TRACKED", {"paths": ["a.py"]})


class TestWhoCommits:
    def author(self, repository: Path) -> str:
        workspace = opened(repository)
        commit = workspace.commit(changed(workspace).tree, workspace.head(), "m")
        return git(repository, "log", "-1", "--format=%an <%ae> %cn <%ce>", commit)

    def test_the_user(self, repository: Path) -> None:
        git(repository, "config", "user.name", "U")
        git(repository, "config", "user.email", "u@u")
        assert self.author(repository) == "U <u@u> U <u@u>"

    def test_plan07_where_git_knows_nobody(self, repository: Path) -> None:
        assert self.author(repository) == "plan07 <plan07@localhost> plan07 <plan07@localhost>"

    def test_whoever_the_environment_names(
        self, repository: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("GIT_AUTHOR_NAME", "E")
        monkeypatch.setenv("GIT_AUTHOR_EMAIL", "e@e")
        assert self.author(repository) == "E <e@e> plan07 <plan07@localhost>"


class TestSubmodules:
    """Submodules are off limits; what an agent did in one is kept in the submodule's own."""

    @pytest.fixture
    def module(self, repository: Path, tmp_path: Path) -> Path:
        repositories.made(tmp_path / "library", {"lib.py": "l = 1\n"})
        git(repository, "submodule", "add", "-q", str(tmp_path / "library"), "lib")
        git(repository, "commit", "-qm", "submodule")
        return repository / "lib"

    @pytest.mark.parametrize("commit", [False, True], ids=["dirty inside", "a new commit"])
    def test_a_change_within_is_a_fault_and_taken_back(
        self, repository: Path, module: Path, commit: bool
    ) -> None:
        workspace = opened(repository)
        recorded = git(module, "rev-parse", "HEAD")
        workspace.refuse_unfit()
        (module / "lib.py").write_text("l = 2\n")
        (module / "new.py").write_text("")
        if commit:
            git(module, "commit", "-qam", "mine")
        (repository / "a.py").write_text("x = 2\n")
        found = changed(workspace)
        assert found.files == ("a.py",)
        assert found.faults == ("it changed the submodule lib",)
        workspace.restore(workspace.head())
        assert git(module, "rev-parse", "HEAD") == recorded
        assert git(module, "status", "--porcelain") == ""
        assert workspace.dirty() == []
        (kept,) = repositories.attempts(module)
        assert git(module, "show", f"{kept}:lib.py") == "l = 2"

    def test_one_that_is_dirty_before_is_refused(self, repository: Path, module: Path) -> None:
        (module / "lib.py").write_text("l = 2\n")
        with pytest.raises(PlanRefused) as caught:
            opened(repository).refuse_unfit()
        assert caught.value.detail == {"paths": ["lib"]}


def test_a_repository_of_5000_files_is_read_by_what_changed(tmp_path: Path) -> None:
    """What stayed is neither read nor written."""
    names = {f"d{n % 50}/f{n}.py": f"v = {n}\n" for n in range(5000)}
    repository = repositories.made(tmp_path / "repo", names)
    workspace = opened(repository)
    blobs = len(list((repository / ".git/objects").glob("??/*")))
    (repository / "d1/f1.py").write_text("changed\n")
    commit = accepted(workspace)
    assert git(repository, "diff", "--name-only", f"{commit}~", commit) == "d1/f1.py"
    # A blob, two trees and a commit; nothing else was written.
    assert len(list((repository / ".git/objects").glob("??/*"))) == blobs + 4
