"""The repository that a plan is run in: what changed, checkpoints, and the way back.

Checkpoints are commits on a branch of their own. A tree that is given up is kept under
`refs/plan07/attempts` first, so nothing that an agent wrote is lost. The files of the plan itself
are never looked at.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from plan07.errors import InputError, PlanRefused
from plan07.git import Git, GitFailed, literal
from plan07.home import home
from plan07.messages import printable
from plan07.state import TEMPORARY

_PHASE = "run"
_GITLINK = "160000"
_LINK = "120000"
_ATTEMPTS = "refs/plan07/attempts"
# What a command of git leaves while it is under way, and what belongs to it.
_UNDER_WAY = (
    *("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"),
    *("sequencer", "BISECT_LOG"),
)
_REMAINS = (*_UNDER_WAY, "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "SQUASH_MSG")
_LOCKS = ("index.lock", "HEAD.lock")
_LOCK_SECONDS = 1.0


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
        self.branch = branch
        self.root = _root(repository)
        self._git = Git(self.root, top=True)
        self._own = self._inside(own)
        # Where plans go that were given no place; nothing of the project's is in there.
        homes = self._inside([home(self.root)])
        self._own += [each for each in homes if not self._tracked([each])]
        self._refuse_unusable(repository)

    def _refuse_unusable(self, repository: str) -> None:
        try:
            # A name such as `-` is one of a reference, and not one of a branch.
            self._git("check-ref-format", "--branch", self.branch)
            self._git("check-ref-format", self._ref)
        except GitFailed as error:
            raise InputError(
                "BRANCH_INVALID",
                f"{self.branch!r:.80} is not the name of a branch",
                "name another one with --branch",
                phase=_PHASE,
                detail={"branch": self.branch},
            ) from error
        if not self._git.asked("rev-parse", "--verify", "-q", "HEAD^{commit}"):
            raise InputError(
                "REPOSITORY_EMPTY",
                f"{repository} has no commit yet",
                "commit what there is, so that there is a state to go back to",
                phase=_PHASE,
                detail={"path": repository},
            )
        tracked = self._tracked(self._own)
        if tracked:
            raise InputError(
                "PLAN_TRACKED",
                f"the plan is under version control: {', '.join(map(printable, tracked[:3]))}",
                "keep the plan outside of the repository, or in a directory that git ignores",
                phase=_PHASE,
                detail={"paths": tracked},
            )

    def head(self) -> str:
        """Return the commit that is checked out."""
        return self._git("rev-parse", "--verify", "HEAD^{commit}")

    def tip(self) -> str:
        """Return the commit of the branch of the checkpoints, "" where there is no such branch."""
        return self._git.asked("rev-parse", "--verify", "-q", f"{self._ref}^{{commit}}")

    def checked_out(self) -> str:
        """Return the commit that is checked out, "" where a branch without one is."""
        return self._git.asked("rev-parse", "--verify", "-q", "HEAD^{commit}")

    def knows(self, commit: str) -> bool:
        """Whether a commit is in this repository."""
        return bool(self._git.asked("rev-parse", "-q", "--verify", f"{commit}^{{commit}}"))

    def holds(self, commit: str) -> bool:
        """Whether what is checked out comes after a commit, or is it."""
        return self._git.asked("merge-base", commit, "HEAD") == commit

    def on_branch(self) -> bool:
        """Whether the branch of the checkpoints is checked out."""
        return self._git.asked("symbolic-ref", "-q", "HEAD") == self._ref

    def dirty(self) -> list[str]:
        """Return what differs from the commit that is checked out, the plan's files aside."""
        self._git.asked("update-index", "-q", "--refresh")
        tracked = self._git.listed(
            *("diff-index", "--name-only", "-z", "--ignore-submodules=none", "HEAD", "--"),
            *(".", *self._excluded()),
        )
        return sorted({*tracked, *self._untracked()})

    def refuse_unfit(self) -> None:
        """Refuse a work tree in which something is going on.

        Raises:
            PlanRefused: it has changes of its own, or a merge or the like is under way.
        """
        for name in (*_UNDER_WAY, "index.lock"):
            if os.path.lexists(self._git.path(name)):
                raise PlanRefused(
                    "REPOSITORY_BUSY",
                    f"the repository is in the middle of something ({name})",
                    "finish it, then run the plan",
                    phase=_PHASE,
                    detail={"found": name},
                    retryable=name == "index.lock",
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

    def snapshot(self, base: str) -> Snapshot:
        """Return what the work tree holds, and how it differs from a commit.

        Args:
            base: the checkpoint before.
        """
        self._unlock()
        nested = [each for each in self._untracked() if each.endswith("/")]
        faults = [f"it made a repository of its own in {printable(each[:-1])}" for each in nested]
        modules = self._changed_modules(base)
        faults += [f"it changed the submodule {printable(each)}" for each in sorted(modules)]
        skipped = [f":(exclude,top,literal){each.rstrip('/')}" for each in (*nested, *modules)]
        with tempfile.TemporaryDirectory(prefix="plan07-index-") as folder:
            index = {"GIT_INDEX_FILE": os.path.join(folder, "index")}
            # A copy knows which files it has seen, so only those that changed are read. Its time
            # has to stay: git trusts a file that is older than the index.
            with contextlib.suppress(OSError):
                shutil.copy2(self._git.path("index"), index["GIT_INDEX_FILE"])
            self._git("read-tree", "--reset", base, more=index)
            add = ("add", "-A", "--ignore-errors", "--", ".", *self._excluded(), *skipped)
            try:
                self._git(*add, more=index)
            except GitFailed as error:
                faults.append(f"it left what git cannot take in: {error.detail['said'][:120]}")
            tree = self._git("write-tree", more=index)
        files: list[str] = []
        fields = self._git.listed("diff-tree", "-r", "-z", "--no-renames", "--raw", base, tree)
        for meta, path in zip(fields[::2], fields[1::2], strict=True):
            files.append(path)
            if meta.split()[1] == _LINK and self._leads_out(path):
                faults.append(f"it made a link that leads out of the repository, {printable(path)}")
        return Snapshot(tree, tuple(files), tuple(faults))

    def commit(self, tree: str, parent: str, message: str) -> str:
        """Return a commit of a tree, which no branch holds yet."""
        return self._git(
            "commit-tree", tree, "-p", parent, "-F", "-", more=self._identity(), given=message
        )

    def keep(self, tree: str, parent: str, plan: str, node: str) -> str:
        """Keep a tree that is given up, and return the name of its reference.

        Args:
            tree: what is given up.
            parent: the checkpoint before.
            plan: id of the plan.
            node: that the attempt was at.
        """
        folder = f"{_ATTEMPTS}/{_ref_part(plan)}/{_ref_part(node)}"
        number = 1
        while held := self._git.asked("rev-parse", "-q", "--verify", f"{folder}/{number}^{{tree}}"):
            if held == tree:
                # A run that was killed has kept it already.
                return f"{folder}/{number}"
            number += 1
        made = self.commit(tree, parent, f"attempt at {node}\n\nPlan07-Plan: {plan}\n")
        self._git("update-ref", f"{folder}/{number}", made, "")
        return f"{folder}/{number}"

    def land(self, commit: str) -> None:
        """Make a commit the newest checkpoint, or the first one; the work tree stays as it is."""
        self._git("update-ref", self._ref, commit)
        self._git("symbolic-ref", "HEAD", self._ref)

    def restore(self, commit: str) -> None:
        """Make the work tree what a commit holds; ignored files and the plan's stay as they are.

        Args:
            commit: a checkpoint; the branch of the checkpoints is set to it.
        """
        self._unlock()
        for name in _REMAINS:
            self._forget(self._git.path(name))
        if self.tip() != commit or not self.on_branch():
            self.land(commit)
        # First the index alone: what an agent has added to it by force is then untracked again, and
        # stays if it is ignored or the plan's.
        self._git("read-tree", "--reset", commit)
        for path in self._untracked():
            if path.endswith("/"):
                self._set_aside(path[:-1])
        self._git("read-tree", "-u", "--reset", commit)
        for path in self._untracked():
            self._remove(path)
        for path, recorded in self._changed_modules(commit).items():
            self._restore_module(path, recorded)

    @property
    def _ref(self) -> str:
        return f"refs/heads/{self.branch}"

    def _inside(self, paths: Sequence[str]) -> list[str]:
        found = sorted(os.path.relpath(os.path.realpath(each), self.root) for each in paths)
        return [each for each in found if each.split(os.sep)[0] not in (os.pardir, os.curdir)]

    def _tracked(self, paths: Sequence[str]) -> list[str]:
        if not paths:
            return []
        return self._git.listed("ls-files", "-z", "--", *(literal(each) for each in paths))

    def _excluded(self) -> list[str]:
        named = [f":(exclude,top,literal){each}" for each in self._own]
        # What a save that was cut off has left behind.
        return [*named, f":(exclude,top,glob)**/{TEMPORARY}*"]

    def _untracked(self) -> list[str]:
        """What git neither knows nor ignores, but the plan's; a repository within ends in `/`."""
        return self._git.listed(
            *("ls-files", "--others", "--exclude-standard", "-z", "--", "."), *self._excluded()
        )

    def _changed_modules(self, base: str) -> dict[str, str]:
        """Submodules that are not as a commit records them, each with the commit recorded."""
        fields = self._git.listed("ls-tree", "-r", "-z", base)
        recorded = {
            path: meta.split()[2]
            for meta, _, path in (each.partition("\t") for each in fields)
            if meta.startswith(_GITLINK)
        }
        changed = {}
        for path, commit in recorded.items():
            inside = os.path.join(self.root, path)
            if not os.path.lexists(os.path.join(inside, ".git")):
                continue
            git = Git(inside, top=True)
            if git.asked("rev-parse", "HEAD") != commit or git.asked("status", "--porcelain"):
                changed[path] = commit
        return changed

    def _restore_module(self, path: str, recorded: str) -> None:
        """Put a submodule back; what was changed in it is kept in its own repository."""
        inside = Workspace._within(os.path.join(self.root, path))
        if inside is None:
            return
        found = inside.snapshot("HEAD")
        if found.files:
            inside.keep(found.tree, inside.head(), "submodule", recorded[:12])
        inside._git("update-ref", "--no-deref", "HEAD", recorded)
        inside._git("read-tree", "-u", "--reset", recorded)
        for each in inside._untracked():
            inside._remove(each)

    @classmethod
    def _within(cls, directory: str) -> Workspace | None:
        with contextlib.suppress(InputError, GitFailed):
            return cls(directory, "plan07", ())
        return None

    def _leads_out(self, path: str) -> bool:
        target = os.path.realpath(os.path.join(self.root, path))
        return os.path.commonpath([self.root, target]) != self.root

    def _unlock(self) -> None:
        """Remove locks that a command which was ended has left; nobody else works here."""
        end = time.monotonic() + _LOCK_SECONDS
        git = self._git
        shared = ("packed-refs.lock", f"{self._ref}.lock")
        paths = [git.path(each) for each in _LOCKS] + [git.path(each, True) for each in shared]
        for path in paths:
            while os.path.lexists(path) and time.monotonic() < end:
                time.sleep(0.02)
            self._forget(path)

    def _set_aside(self, path: str) -> None:
        """Move a repository that an agent made out of the work tree, into that of git."""
        number = 1
        while os.path.lexists(target := self._git.path(f"plan07/{_ref_part(path)}-{number}")):
            number += 1
        os.makedirs(os.path.dirname(target), exist_ok=True)
        os.rename(os.path.join(self.root, path), target)

    def _forget(self, path: str) -> None:
        with contextlib.suppress(OSError):
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)

    def _remove(self, path: str) -> None:
        whole = os.path.join(self.root, path)
        with contextlib.suppress(OSError):
            os.unlink(whole)
        folder = os.path.dirname(whole)
        while folder != self.root and folder.startswith(self.root):
            try:
                os.rmdir(folder)
            except OSError:
                break
            folder = os.path.dirname(folder)

    def _identity(self) -> Mapping[str, str]:
        """Who commits: the user, or plan07 where git knows no user."""
        unknown = {
            what: stand_in
            for what, stand_in in (("NAME", "plan07"), ("EMAIL", "plan07@localhost"))
            if not self._git.asked("config", f"user.{what.lower()}")
        }
        named = {
            f"GIT_{role}_{what}": stand_in
            for role in ("AUTHOR", "COMMITTER")
            for what, stand_in in unknown.items()
        }
        return {name: value for name, value in named.items() if not os.environ.get(name)}


def _root(repository: str) -> str:
    """Return the top of the work tree that a directory is in."""
    if shutil.which("git") is None:
        raise InputError(
            "GIT_MISSING",
            "git cannot be found",
            "install git, or put it on the path",
            phase=_PHASE,
        )
    try:
        return os.path.realpath(Git(repository)("rev-parse", "--show-toplevel"))
    except GitFailed as error:
        raise InputError(
            "NOT_A_REPOSITORY",
            f"{repository} is not a work tree of git that can be used",
            "name a checkout with --repo",
            phase=_PHASE,
            detail={"path": repository, "git": error.detail["said"]},
        ) from error


def _ref_part(text: str) -> str:
    """Return a text as a part of the name of a reference."""
    return "".join(char if char.isalnum() and char.isascii() else "-" for char in text)[:80]
