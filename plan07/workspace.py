"""The repository that a plan is run in: what changed, checkpoints, and the way back.

Plumbing commands only, so no hook, signature or editor of the user's takes part. Checkpoints are
commits on a branch of their own. A tree that is given up is kept under `refs/plan07/attempts`
first, so nothing that an agent wrote is lost. The files of the plan itself are never looked at.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from plan07.errors import InputError, Plan07Error, PlanRefused
from plan07.messages import printable
from plan07.state import TEMPORARY

_PHASE = "run"
_NODE = "Plan07-Node"
_PLAN = "Plan07-Plan"
_GITLINK = "160000"
_SECONDS = 120
_UNDER_WAY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")
# What of a caller's git would point our commands elsewhere.
_OURS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE")


class GitFailed(Plan07Error):
    """A git command that should work did not; the plan is as it was."""

    exit_status = 3


class Snapshot(NamedTuple):
    """What an agent left behind.

    Args:
        tree: the tree object of the whole work tree.
        files: paths that differ from the checkpoint before.
        faults: why it cannot be accepted, whatever the gate says.
    """

    tree: str
    files: tuple[str, ...]
    faults: tuple[str, ...]


class Workspace:
    """A work tree of git.

    Args:
        repository: any directory in it.
        branch: what checkpoints are committed to.
        own: files of the plan.

    Raises:
        InputError: it is no work tree, has no commit, or the plan is under version control in it.
    """

    def __init__(self, repository: str, branch: str, own: Sequence[str]) -> None:
        self._directory = repository
        self.branch = branch
        try:
            self.root = os.path.realpath(self._git("rev-parse", "--show-toplevel"))
        except GitFailed as error:
            raise InputError(
                "NOT_A_REPOSITORY",
                f"{repository} is not a work tree of git",
                "name a checkout with --repo",
                phase=_PHASE,
                detail={"path": repository, "git": error.detail["said"]},
            ) from error
        self._directory = self.root
        inside = [os.path.relpath(os.path.realpath(each), self.root) for each in own]
        self._own = frozenset(each for each in inside if not each.startswith(".."))
        if not self._try("rev-parse", "--verify", "-q", "HEAD^{commit}"):
            raise InputError(
                "REPOSITORY_EMPTY",
                f"{repository} has no commit yet",
                "commit what there is, so that there is a state to go back to",
                phase=_PHASE,
                detail={"path": repository},
            )
        tracked = self._listed("ls-files", "-z", "--", *(_literal(each) for each in self._own))
        if self._own and tracked:
            raise InputError(
                "PLAN_TRACKED",
                f"the plan is under version control: {', '.join(tracked[:3])}",
                "keep the plan outside of the repository, or in a directory that git ignores",
                phase=_PHASE,
                detail={"paths": tracked},
            )

    def head(self) -> str:
        """Return the commit that is checked out."""
        return self._git("rev-parse", "--verify", "HEAD^{commit}")

    def on_branch(self) -> bool:
        """Whether the branch of the checkpoints is checked out."""
        return self._try("symbolic-ref", "-q", "HEAD") == self._ref

    def dirty(self) -> list[str]:
        """Return what differs from the commit that is checked out, the plan's files aside."""
        self._try("update-index", "-q", "--refresh")
        tracked = self._listed(
            "diff-index", "--name-only", "-z", "--ignore-submodules=none", "HEAD", "--"
        )
        return sorted({*tracked, *self._untracked()} - self._own)

    def refuse_unfit(self) -> None:
        """Refuse a work tree in which something is going on.

        Raises:
            PlanRefused: it has changes of its own, or a merge or the like is under way.
        """
        for name in (
            "MERGE_HEAD",
            "CHERRY_PICK_HEAD",
            "REVERT_HEAD",
            "rebase-merge",
            "rebase-apply",
        ):
            if os.path.exists(self._git("rev-parse", "--git-path", name, absolute=True)):
                raise PlanRefused(
                    "REPOSITORY_BUSY",
                    f"the repository is in the middle of something ({name})",
                    "finish it, then run the plan",
                    phase=_PHASE,
                    detail={"found": name},
                )
        dirty = self.dirty()
        if dirty:
            shown = ", ".join(printable(each) for each in dirty[:5])
            raise PlanRefused(
                "TREE_DIRTY",
                f"the work tree has changes that are not committed: {shown}"
                + (f" and {len(dirty) - 5} more" if len(dirty) > 5 else ""),
                "commit them, so that they are neither lost nor taken for the agent's",
                phase=_PHASE,
                detail={"paths": dirty},
            )

    def begin(self) -> str:
        """Check the branch of the checkpoints out, made from HEAD where it is new; return HEAD.

        The work tree is clean when this is called.
        """
        if not self.on_branch():
            if self._try("rev-parse", "--verify", "-q", f"{self._ref}^{{commit}}"):
                self._git("read-tree", "-u", "--reset", self._ref)
            else:
                self._git("update-ref", self._ref, self.head(), "")
            self._git("symbolic-ref", "HEAD", self._ref)
        return self.head()

    def landed(self, plan_id: str) -> str | None:
        """Return the node whose checkpoint is checked out, if it is one of this plan."""
        text = self._git("log", "-1", "--format=%B", "HEAD")
        trailers = dict(
            line.split(": ", 1) for line in text.splitlines() if line.startswith("Plan07-")
        )
        return trailers.get(_NODE) if trailers.get(_PLAN) == plan_id else None

    def snapshot(self, base: str) -> Snapshot:
        """Return what the work tree holds, and how it differs from a commit.

        Args:
            base: the checkpoint before.
        """
        faults = [f"it changed files within the submodule {each}" for each in self._dirty_modules()]
        with tempfile.TemporaryDirectory(prefix="plan07-index-") as folder:
            index = {"GIT_INDEX_FILE": os.path.join(folder, "index")}
            # A copy knows which files it has seen, so only those that changed are read.
            with contextlib.suppress(OSError):
                shutil.copyfile(
                    self._git("rev-parse", "--git-path", "index", absolute=True),
                    index["GIT_INDEX_FILE"],
                )
            self._git("read-tree", "--reset", base, more=index)
            self._git("add", "-A", "--", ".", *self._excluded(), more=index)
            tree = self._git("write-tree", more=index)
        files: list[str] = []
        fields = self._listed("diff-tree", "-r", "-z", "--no-renames", "--raw", base, tree)
        for meta, path in zip(fields[::2], fields[1::2], strict=True):
            files.append(path)
            old, new = meta.lstrip(":").split()[:2]
            if new == _GITLINK and old != _GITLINK:
                faults.append(f"it made a repository of its own in {path}")
            if new == "120000" and self._leads_out(path):
                faults.append(f"it made a link that leads out of the repository, {path}")
        return Snapshot(tree, tuple(files), tuple(faults))

    def commit(self, tree: str, parent: str, message: str) -> str:
        """Return a commit of a tree."""
        return self._git("commit-tree", tree, "-p", parent, "-m", message, more=self._identity())

    def checkpoint(self, tree: str, parent: str, plan_id: str, node: str, title: str) -> str:
        """Make a tree the newest checkpoint, and return its commit.

        Args:
            tree: what the gate has seen.
            parent: the checkpoint before.
            plan_id: of the plan.
            node: that the step discharged.
            title: the first line of the message.
        """
        message = f"{printable(title)}\n\n{_NODE}: {node}\n{_PLAN}: {plan_id}"
        made = self.commit(tree, parent, message)
        self._git("update-ref", self._ref, made)
        self._git("symbolic-ref", "HEAD", self._ref)
        self.restore(made)
        return made

    def keep(self, tree: str, parent: str, plan_id: str, node: str) -> str:
        """Keep a tree that is given up, and return the name of its reference."""
        made = self.commit(tree, parent, f"attempt at {node}\n\n{_PLAN}: {plan_id}")
        safe = "".join(char if char.isalnum() else "-" for char in node)
        number = 1
        while self._try(
            "rev-parse", "--verify", "-q", f"{_attempt(plan_id, safe, number)}^{{commit}}"
        ):
            number += 1
        name = _attempt(plan_id, safe, number)
        self._git("update-ref", name, made, "")
        return name

    def restore(self, commit: str) -> None:
        """Make the work tree what a commit holds; ignored files and the plan's stay as they are.

        Args:
            commit: a checkpoint; the branch of the checkpoints is set to it.
        """
        self._git("update-ref", self._ref, commit)
        self._git("symbolic-ref", "HEAD", self._ref)
        self._git("read-tree", "-u", "--reset", commit)
        for path in self._untracked():
            self._remove(path)
        for path in self._dirty_modules():
            inside = os.path.join(self.root, path)
            self._git("-C", inside, "read-tree", "-u", "--reset", "HEAD")
            for each in self._listed("-C", inside, "ls-files", "-o", "-z", "--exclude-standard"):
                self._remove(os.path.join(path, each))

    @property
    def _ref(self) -> str:
        return f"refs/heads/{self.branch}"

    def _excluded(self) -> list[str]:
        named = [f":(exclude,top,literal){each}" for each in sorted(self._own)]
        # What a save that was cut off has left behind.
        return [*named, f":(exclude,top,glob)**/{TEMPORARY}*"]

    def _untracked(self) -> list[str]:
        """Files that git neither knows nor ignores, but those of the plan."""
        return self._listed(
            *("ls-files", "--others", "--exclude-standard", "-z", "--", "."), *self._excluded()
        )

    def _dirty_modules(self) -> list[str]:
        """Submodules with changes of their own that no commit here can hold."""
        found = []
        for line in self._listed("status", "--porcelain=v2", "-z", "--ignore-submodules=none"):
            parts = line.split(" ", 8)
            if parts[0] == "1" and parts[2][:1] == "S" and parts[2][2:] != "..":
                found.append(parts[8])
        return found

    def _leads_out(self, path: str) -> bool:
        target = os.path.realpath(os.path.join(self.root, path))
        return os.path.commonpath([self.root, target]) != self.root

    def _remove(self, path: str) -> None:
        whole = os.path.join(self.root, path)
        with contextlib.suppress(OSError):
            os.unlink(whole.rstrip("/"))
        folder = os.path.dirname(whole.rstrip("/"))
        while folder != self.root and folder.startswith(self.root):
            try:
                os.rmdir(folder)
            except OSError:
                break
            folder = os.path.dirname(folder)

    def _identity(self) -> Mapping[str, str]:
        """Who commits: the user, or plan07 where git knows no user."""
        if self._try("config", "user.email"):
            return {}
        return {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "plan07"), ("EMAIL", "plan07@localhost"))
        }

    def _listed(self, *words: str) -> list[str]:
        return [each for each in self._git(*words, strip=False).split("\0") if each]

    def _try(self, *words: str) -> str:
        try:
            return self._git(*words)
        except GitFailed:
            return ""

    def _git(
        self,
        *words: str,
        more: Mapping[str, str] | None = None,
        strip: bool = True,
        absolute: bool = False,
    ) -> str:
        environment = {name: value for name, value in os.environ.items() if name not in _OURS}
        environment |= {
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "LC_ALL": "C.UTF-8",
            **(more or {}),
        }
        safe = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")
        quiet = ("-c", "core.quotePath=false", "-c", "advice.addEmbeddedRepo=false")
        try:
            done = subprocess.run(
                ["git", *safe, *quiet, *words],
                cwd=self._directory,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise _failed(words, str(error)) from error
        if done.returncode:
            raise _failed(words, done.stderr.decode("utf-8", "replace"))
        text = done.stdout.decode("utf-8", "surrogateescape")
        text = text.strip() if strip else text
        return os.path.join(self._directory, text) if absolute else text


def _attempt(plan_id: str, node: str, number: int) -> str:
    return f"refs/plan07/attempts/{plan_id}/{node}/{number}"


def _literal(path: str) -> str:
    return f":(top,literal){path}"


def _failed(words: Sequence[str], said: str) -> GitFailed:
    line = " ".join(said.split())[:300]
    command = next((word for word in words if not word.startswith("-")), "")
    return GitFailed(
        "GIT_FAILED",
        f"git {command} failed: {printable(line)}",
        "see what git says of the repository, then run the plan again",
        phase=_PHASE,
        detail={"command": list(words[:2]), "said": line},
        retryable=True,
    )


@contextlib.contextmanager
def untouched(paths: Sequence[str]) -> Iterator[list[str]]:
    """Put files back that the body changed or removed; the list names them afterwards.

    Args:
        paths: files of the plan, which no agent has anything to do with.
    """
    before = {path: _content(path) for path in paths}
    changed: list[str] = []
    try:
        yield changed
    finally:
        for path, content in before.items():
            if _content(path) == content:
                continue
            changed.append(path)
            if content is None:
                with contextlib.suppress(OSError):
                    os.unlink(path)
            else:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(f"{path}.restored", "wb") as stream:
                    stream.write(content)
                    stream.flush()
                    os.fsync(stream.fileno())
                os.replace(f"{path}.restored", path)


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError:
        return None
