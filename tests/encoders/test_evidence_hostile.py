"""Repositories that mean harm, or are only strange: the build goes on and says what it left out."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from evidencerepo import Built, build, built, write
from gitrepo import commit, git
from plan07_encoders.python import source, workers

from plan07.errors import InputError

GOOD = "def f(): ...\n"


def failed(found: Built) -> dict[str, str]:
    return dict(found.report.failed)


class TestSingleFiles:
    @pytest.mark.parametrize(
        ("data", "error"),
        [
            (b"def f(:\n", "line 1: invalid syntax"),
            (b"x = 1\n\n  y = 2\n", "line 3: unexpected indent"),
            (b"x = '\xff'\n", "line 1:"),
            (b"x = 1\0\n", ""),
            (b"\xff\xfex\x00", ""),
            (b"# coding: no-such-thing\n", "line 1: unknown encoding"),
            (b"(" * 5000 + b")" * 5000, ""),
            (b"x = " + b"-" * 200_000 + b"1\n", "it is nested too deeply"),
            (b"x = " + b"a." * 100_000 + b"b\n", "it is nested too deeply"),
            (b"x = " + b"1+" * 100_000 + b"1\n", "it is nested too deeply"),
            (b"#" * (source.LARGEST_BYTES + 1), f"larger than {source.LARGEST_BYTES} bytes"),
        ],
        ids=lambda each: repr(each[:20]) if isinstance(each, bytes) else "",
    )
    def test_a_file_that_cannot_be_read_costs_itself_alone(
        self, data: bytes, error: str, tmp_path: Path
    ) -> None:
        found = built(tmp_path, {"bad.py": data, "good.py": GOOD})
        assert list(failed(found)) == ["bad.py"]
        assert failed(found)["bad.py"].startswith(error)
        assert "good.f" in found.kinds()
        assert found.kinds()["bad"] == "module"

    @pytest.mark.parametrize(
        "data",
        [
            b"# -*- coding: latin-1 -*-\ndef f(): return '\xe9'\n",
            b"\xef\xbb\xbfdef f(): ...\n",
            b"def f(): ...\r\n\r\ndef g(): ...\r\n",
            b"# coding: utf-7\ndef f(): ...\n",
        ],
        ids=["latin-1", "byte order mark", "carriage returns", "utf-7"],
    )
    def test_another_encoding(self, data: bytes, tmp_path: Path) -> None:
        found = built(tmp_path, {"m.py": data})
        assert (failed(found), "m.f" in found.kinds()) == ({}, True)

    def test_names_in_other_scripts(self, tmp_path: Path) -> None:
        text = "class Größe:\n    def 計算(self): ...\ndef use():\n    Größe().計算()\n"
        found = built(tmp_path, {"модуль.py": text})
        assert found.uses("модуль.use") == {
            "instantiates модуль.Größe exact",
            "calls модуль.Größe.計算 typed",
        }

    def test_deep_but_possible_nesting(self, tmp_path: Path) -> None:
        text = "x = " + "[" * 60 + "]" * 60 + "\n" + "def f():\n    if 1:\n        return 1\n"
        assert failed(built(tmp_path, {"m.py": text})) == {}

    def test_a_long_chain_of_calls_ends(self, tmp_path: Path) -> None:
        text = "".join(f"def f{n}(): return f{n + 1}()\n" for n in range(2000))
        text += "def f2000(): return f0()\ndef use(): f0().x()\n"
        assert failed(built(tmp_path, {"m.py": text})) == {}

    def test_a_long_chain_of_modules_and_classes_ends(self, tmp_path: Path) -> None:
        files = {f"m{n}.py": f"from m{n + 1} import x, C\nclass D(C): ...\n" for n in range(120)}
        files["m120.py"] = "from m0 import x\nfrom m0 import D as C\n"
        assert failed(built(tmp_path, files)) == {}


class TestWorkers:
    @pytest.fixture(autouse=True)
    def no_thread_of_other_tests(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Where other threads run nothing is forked, and a job without an end has none here."""
        monkeypatch.setattr(workers.threading, "active_count", lambda: 1)

    def names(self) -> list[str]:
        return [f"{n:02d}" for n in range(20)]

    def test_results_come_from_other_processes(self) -> None:
        pids = {
            data for _, data in workers.run(lambda _: str(os.getpid()).encode(), self.names(), 2)
        }
        assert len(pids) == 2
        assert str(os.getpid()).encode() not in pids

    def test_a_job_that_does_not_end_is_given_up(self) -> None:
        def job(name: str) -> bytes:
            while name == "07":
                time.sleep(60)
            return name.encode()

        found = dict(workers.run(job, self.names(), 2, wait=0.5))
        assert found.pop("07") == "it takes more than 0.5 seconds"
        assert found == {name: name.encode() for name in self.names() if name != "07"}

    def test_a_job_that_computes_without_end_is_given_up(self) -> None:
        """However busy the machine is: what counts is the time of the processor."""

        def job(name: str) -> bytes:
            while name == "07":
                pass
            return name.encode()

        found = dict(workers.run(job, self.names(), 2, longest=0))
        assert found.pop("07") == "it takes more than 0 seconds"
        assert len(found) == 19

    def test_a_worker_that_dies_is_replaced(self) -> None:
        def job(name: str) -> bytes:
            if name in ("03", "04"):
                os._exit(9)
            return name.encode()

        found = dict(workers.run(job, self.names(), 2))
        assert {name for name, data in found.items() if data == "the parser broke down on it"} == {
            "03",
            "04",
        }
        assert len(found) == 20

    @pytest.mark.parametrize("jobs", [1, 2])
    def test_a_job_that_fails_costs_its_file(self, jobs: int) -> None:
        """With or without processes of its own."""

        def job(name: str) -> bytes:
            if name == "03":
                raise IndexError(name)
            return name.encode()

        found = dict(workers.run(job, self.names(), jobs))
        assert found.pop("03") == "the parser broke down on it"
        assert found == {name: name.encode() for name in self.names() if name != "03"}

    def test_no_process_is_left_when_the_caller_stops(self) -> None:
        def job(name: str) -> bytes:
            time.sleep(0.01)
            return str(os.getpid()).encode()

        run = workers.run(job, self.names(), 2)
        pids: set[int] = set()
        while len(pids) < 2:
            pids.add(int(next(run)[1]))
        run.close()
        for pid in pids:
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)

    def test_a_large_result_arrives_whole(self) -> None:
        found = dict(workers.run(lambda name: name.encode() * 300_000, self.names(), 2))
        assert found["11"] == b"11" * 300_000


class TestLinks:
    def test_no_link_is_followed(self, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        write(outside, {"secret.py": "def secret(): ...\n"})
        root = tmp_path / "repo"
        write(root, {"m.py": GOOD})
        (root / "file.py").symlink_to(outside / "secret.py")
        (root / "folder").symlink_to(outside)
        (root / "ring").symlink_to(root)
        (root / "nothing.py").symlink_to("gone.py")
        found = build(root)
        assert set(found.kinds()) == {"m", "m.f"}
        assert [each.code for each in found.report.notes] == ["LINKS_NOT_FOLLOWED"]

    def test_a_tracked_directory_that_became_a_link(self, tmp_path: Path) -> None:
        outside = tmp_path / "outside"
        write(outside, {"a.py": "def secret(): ...\n"})
        root = tmp_path / "repo"
        commit(root, {"pkg/a.py": GOOD, "m.py": GOOD})
        (root / "pkg" / "a.py").unlink()
        (root / "pkg").rmdir()
        (root / "pkg").symlink_to(outside)
        assert "pkg.a.secret" not in build(root).kinds()

    def test_a_tracked_link(self, tmp_path: Path) -> None:
        root = tmp_path / "repo"
        commit(root, {"m.py": GOOD})
        (root / "n.py").symlink_to("m.py")
        git(root, "add", "--all")
        git(root, "commit", "-q", "-m", "link")
        assert set(build(root).kinds()) == {"m", "m.f"}

    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        root = tmp_path / "repo"
        write(root, {"m.py": GOOD})
        os.mkfifo(root / "pipe.py")
        assert "m.f" in build(root).kinds()


class TestGit:
    def test_nothing_of_the_repository_is_run(self, tmp_path: Path) -> None:
        root = tmp_path / "repo"
        attributes = "*.py filter=evil diff=evil\n"
        commit(root, {"m.py": GOOD, "same.py": GOOD, ".gitattributes": attributes})
        trap = tmp_path / "trap.sh"
        trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\nexit 1\n")
        trap.chmod(0o755)
        for name in (
            *("core.fsmonitor", "core.sshCommand", "core.pager", "diff.external", "core.editor"),
            *("filter.evil.clean", "filter.evil.smudge", "diff.evil.textconv", "gpg.program"),
        ):
            git(root, "config", name, str(trap))
        git(root, "config", "log.showSignature", "true")
        git(root, "config", "filter.evil.required", "true")
        hooks = root / ".git" / "hooks"
        hooks.mkdir(exist_ok=True)
        for name in ("post-index-change", "post-checkout", "pre-commit"):
            (hooks / name).write_text(trap.read_text())
            (hooks / name).chmod(0o755)
        write(root, {"m.py": "def g(): ...\n", "new.py": GOOD})
        # An index older than its files: git must look into each of them.
        os.utime(root / ".git" / "index", (1, 1))
        assert {"m.g", "new.f"} <= set(build(root).kinds())
        assert not (tmp_path / "sprung").exists()

    def test_blobs_are_those_of_git(self, tmp_path: Path) -> None:
        root = tmp_path / "repo"
        commit(root, {"a.py": GOOD, "b.py": GOOD})
        write(root, {"b.py": "x = 1\n", "c.py": "y = 1\n"})
        found = build(root)
        expected = [(path, git(root, "hash-object", path)) for path in ("a.py", "b.py", "c.py")]
        assert found.rows("SELECT path, blob FROM files ORDER BY path") == expected
        assert dict(found.rows("SELECT key, value FROM meta WHERE key IN ('commit','dirty')")) == {
            "commit": git(root, "rev-parse", "HEAD"),
            "dirty": "1",
        }

    @pytest.mark.parametrize(
        ("change", "dirty"),
        [("none", False), ("edited", True), ("staged", True), ("new", True), ("deleted", True)],
    )
    def test_what_differs_from_the_commit(self, change: str, dirty: bool, tmp_path: Path) -> None:
        root = tmp_path / "repo"
        commit(root, {"a.py": GOOD, "b.py": GOOD})
        if change == "deleted":
            (root / "a.py").unlink()
        elif change != "none":
            write(root, {"c.py" if change == "new" else "a.py": "x = 1\n"})
        if change == "staged":
            git(root, "add", "--all")
        assert build(root).report.dirty is dirty

    def test_the_directory_of_the_evidence_is_no_change(self, tmp_path: Path) -> None:
        from plan07 import reconstore

        root = tmp_path / "repo"
        commit(root, {"a.py": GOOD})
        reconstore.build(str(root), options={"jobs": 1})
        assert git(root, "status", "--porcelain") == ""
        assert reconstore.build(str(root), options={"jobs": 1}).dirty is False

    def test_what_is_ignored_is_not_read(self, tmp_path: Path) -> None:
        root = tmp_path / "repo"
        commit(root, {"a.py": GOOD, ".gitignore": "made.py\n"})
        write(root, {"made.py": GOOD})
        assert "made.f" not in build(root).kinds()

    def test_a_repository_without_a_commit(self, tmp_path: Path) -> None:
        root = tmp_path / "repo"
        root.mkdir()
        git(root, "init", "-q")
        write(root, {"a.py": GOOD})
        found = build(root)
        assert ("a.f" in found.kinds(), found.report.commit) == (True, None)

    def test_a_submodule_is_read_if_it_is_there(self, tmp_path: Path) -> None:
        inner, root = tmp_path / "inner", tmp_path / "repo"
        commit(inner, {"lib.py": "def inside(): ...\n"})
        commit(root, {"a.py": GOOD})
        git(
            root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "vendor"
        )
        git(root, "commit", "-q", "-m", "submodule")
        assert "vendor.lib.inside" in build(root).kinds()
        git(root, "submodule", "deinit", "-q", "-f", "vendor")
        found = build(root)
        assert "vendor.lib.inside" not in found.kinds()
        assert [(each.code, each.subject) for each in found.report.notes] == [
            ("SUBMODULE_ABSENT", "vendor")
        ]

    def test_the_build_runs_inside_a_hook(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Git names the repository of the hook in the environment."""
        root, other = tmp_path / "repo", tmp_path / "other"
        head = commit(root, {"a.py": GOOD})
        commit(other, {"b.py": GOOD})
        monkeypatch.setenv("GIT_DIR", str(other / ".git"))
        monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
        found = build(root)
        assert set(found.kinds()) == {"a", "a.f"}
        assert (found.report.commit, found.report.dirty) == (head, False)

    def test_a_part_of_a_repository_is_told(self, tmp_path: Path) -> None:
        root = tmp_path / "repo"
        commit(root, {"a.py": GOOD, "inner/b.py": GOOD})
        assert build(root).report.notes == []
        found = build(root / "inner", tmp_path / "inner.db")
        assert set(found.kinds()) == {"b", "b.f"}
        assert [each.code for each in found.report.notes] == ["REPOSITORY_IN_PART"]

    def test_a_checkout_without_git_is_told(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        root = tmp_path / "repo"
        commit(root, {"a.py": GOOD})
        monkeypatch.setenv("PATH", str(tmp_path))
        found = build(root)
        assert (set(found.kinds()), found.report.commit) == ({"a", "a.f"}, None)
        assert [each.code for each in found.report.notes] == ["GIT_UNREADABLE"]

    def test_a_name_that_is_not_utf8(self, tmp_path: Path) -> None:
        root = tmp_path / "repo"
        commit(root, {"a.py": GOOD})
        Path(os.fsdecode(os.fsencode(root) + b"/\xff.py")).write_text(GOOD)
        found = build(root)
        assert set(found.kinds()) == {"a", "a.f"}
        assert [each.code for each in found.report.notes] == ["NAME_UNREADABLE"]


class TestPlaces:
    def test_a_directory_that_cannot_be_written(self, tmp_path: Path) -> None:
        root = tmp_path / "repo"
        write(root, {"a.py": GOOD})
        (tmp_path / "file").write_text("")
        with pytest.raises(InputError) as caught:
            build(root, tmp_path / "file" / "recon.db")
        assert caught.value.code == "RECON_UNWRITABLE"
        assert "file/recon.db" in caught.value.message

    def test_no_directory_at_all(self, tmp_path: Path) -> None:
        with pytest.raises(InputError) as caught:
            build(tmp_path / "nowhere")
        assert caught.value.code == "REPOSITORY_UNREADABLE"

    def test_two_builds_at_once(self, tmp_path: Path) -> None:
        root = tmp_path / "repo"
        write(root, {f"m{n}.py": GOOD for n in range(30)})
        code = (
            "import sys; from plan07 import reconstore; "
            f"reconstore.build({str(root)!r}, {str(tmp_path / 'x.db')!r}, options={{'jobs': 1}})"
        )
        running = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
        assert [each.wait(timeout=60) for each in running] == [0, 0, 0]
        assert len(build(root, tmp_path / "x.db").kinds()) == 60

    def test_what_a_build_writes_is_not_read(self, tmp_path: Path) -> None:
        root = tmp_path / "repo"
        write(root, {"a.py": GOOD})
        target = root / "evidence" / "recon.db"
        build(root, target)
        found = build(root, target)
        assert found.rows("SELECT path FROM files") == [("a.py",)]
        assert stat.S_IMODE(target.stat().st_mode) == 0o644
