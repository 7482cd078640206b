"""The corpus of the replay bench: what its records promise, and how they are made.

REQ: the benchmarks of the specification (order of edits on real commits). Nothing here needs a
network, a clone or another project.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any

import gitrepo
import pytest

from bench.replay import environments, measure, mine, sdists
from bench.replay.entities import Change, compare, entities
from bench.replay.environments import Unavailable, digest, environment, prepare, run, variables
from bench.replay.measure import Place, Unfit

CORPUS: dict[str, Any] = json.loads(mine.CORPUS.read_text())
RECORDS: list[dict[str, Any]] = CORPUS["records"]
MINED = [each for each in RECORDS if each["origin"] == "mined"]
FIELDS = {
    *("repo", "parent", "commit", "date", "origin", "split", "oracle", "import", "paths"),
    *("requires", "files", "pytest_args", "tests", "deselect", "seconds", "passed"),
}


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Environments of which the one without packages is this very Python, with its pytest."""
    place = tmp_path / "environments" / digest([])
    (place / "bin").mkdir(parents=True)
    python = place / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    (place / "requires.txt").write_text("")
    return place.parent


def record(**fields: Any) -> dict[str, Any]:
    """A record whose tests run in this very Python."""
    return {
        "paths": ["src"],
        "requires": [],
        "files": {},
        "pytest_args": [],
        "deselect": {},
        "tests": ["tests"],
        **fields,
    }


class TestRecords:
    def test_has_a_schema_and_the_origins_that_were_asked_for(self) -> None:
        assert CORPUS["schema"] == mine.SCHEMA == "plan07.corpus/1"
        found = Counter(each["origin"] for each in RECORDS)
        assert found["listed"] == 26
        assert found["codeplan"] == 3
        assert found["sdist"] == len(sdists.PAIRS) >= 4
        assert found["mined"] >= 20

    @pytest.mark.parametrize("each", RECORDS, ids=lambda r: f"{r['repo']}-{r['commit'][:8]}")
    def test_is_complete(self, each: dict[str, Any]) -> None:
        extra = {"entities", "cross_references"} if each["origin"] == "mined" else set()
        assert set(each) == FIELDS | extra
        for end in ("parent", "commit"):
            assert len(each[end]) == 40
            assert set(each[end]) <= set("0123456789abcdef")
        names = [pin.partition("==")[0] for pin in each["requires"]]
        assert all("==" in pin for pin in each["requires"])
        assert len(names) == len(set(names))
        if each["oracle"] == "types":
            assert (each["origin"], each["tests"]) == ("codeplan", [])
            assert "pyright" in names
        else:
            assert "pytest" in names
            assert each["tests"]
            assert 0 < each["seconds"] < measure.LIMIT
            assert min(each["passed"]) > 0
            assert set(each["deselect"].values()) <= {"fails", "unstable", "slow"}

    def test_each_commit_is_there_once(self) -> None:
        assert len({each["commit"] for each in RECORDS}) == len(RECORDS)

    def test_what_was_found_by_a_rule_is_untouched_and_a_third_or_more(self) -> None:
        kept = {each["commit"] for each in RECORDS if each["split"] == "untouched"}
        assert kept == {each["commit"] for each in MINED}
        assert 3 * len(kept) >= len(RECORDS)

    def test_mined_commits_are_within_the_rule(self) -> None:
        for each in MINED:
            assert 6 <= each["entities"] <= 36
            assert each["cross_references"] >= 4
        for name, found in Counter(each["repo"] for each in MINED).items():
            assert found <= CORPUS["projects"][name]["most"] <= 4

    def test_chosen_pairs_are_all_there(self) -> None:
        chosen = {
            (name, *pair) for name, each in CORPUS["projects"].items() for pair in each["chosen"]
        }
        made = [each for each in RECORDS if each["origin"] != "mined"]
        assert {(each["repo"], each["parent"], each["commit"]) for each in made} == chosen

    def test_is_written_the_same_again(self) -> None:
        assert mine.written(json.loads(mine.CORPUS.read_text())) == mine.CORPUS.read_text()


class TestEntities:
    OLD = """\
import os


class A:
    x = 1

    def f(self):
        return g()


def g():
    pass
"""

    def test_a_file_is_taken_apart(self) -> None:
        found = entities(self.OLD)
        assert list(found) == ["import os", "A", "A.f", "g"]
        assert found["A.f"].mentions == {"g"}

    def test_overloads_are_told_apart(self) -> None:
        text = "class A:\n    def f(self): ...\n    @f.setter\n    def f(self, v): ...\n"
        assert list(entities(text)) == ["A", "A.f", "A.f'"]

    def test_layout_and_comments_change_nothing(self) -> None:
        assert compare({"a.py": (self.OLD, "# so\n" + self.OLD.replace("1", "(1)"))}) == (0, 0)

    def test_counts_what_is_added_deleted_and_modified_and_who_names_whom(self) -> None:
        new = self.OLD.replace("g()", "h()").replace("x = 1", "x = 2")
        # A (its x), A.f names both g and h, g goes, h comes
        assert compare({"a.py": (self.OLD, new)}) == Change(entities=4, cross_references=2)

    def test_a_file_that_comes_is_one(self) -> None:
        after = self.OLD.replace("import os", "import helper")
        files = {
            "helper.py": (None, "def one(): pass\n\ndef two(): pass\n"),
            "a.py": (self.OLD, after),
        }
        # helper.py, `import os`, `import helper`, which names the file
        assert compare(files) == Change(entities=3, cross_references=1)


class TestEnvironments:
    def test_the_order_of_pins_makes_no_other_environment(self) -> None:
        assert digest(["a==1", "b==2"]) == digest(["b==2", "a==1"])
        assert digest(["a==1"]) != digest(["a==2"])

    def test_is_made_once(self, cache: Path) -> None:
        python = environment(record(), cache)
        assert python == cache / digest([]) / "bin" / "python"
        assert sorted(each.name for each in python.parents[1].iterdir()) == ["bin", "requires.txt"]

    def test_one_that_cannot_be_made_is_begun_anew(self, tmp_path: Path) -> None:
        wanted = record(requires=[f"missing @ {(tmp_path / 'missing-1.tar.gz').as_uri()}"])
        for _ in range(2):
            with pytest.raises(Unavailable, match="missing"):
                environment(wanted, tmp_path / "made")
        assert not list((tmp_path / "made").glob("*/requires.txt"))

    def test_generated_files_are_written(self, tmp_path: Path) -> None:
        prepare(record(files={"src/a/_version.py": "version = '1'\n"}), tmp_path)
        assert (tmp_path / "src/a/_version.py").read_text() == "version = '1'\n"

    @pytest.mark.parametrize("path", ["../a", "/tmp/a", "a/../../b"])
    def test_files_stay_in_the_working_copy(self, path: str, tmp_path: Path) -> None:
        with pytest.raises(ValueError, match="leads out of the working copy"):
            prepare(record(files={path: ""}), tmp_path / "tree")

    def test_nothing_of_this_machine_reaches_a_run(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PYTEST_ADDOPTS", "-x")
        monkeypatch.setenv("PYTHONHASHSEED", "7")
        found = variables(record(paths=["src", "."]), tmp_path, tmp_path / "home")
        assert "PYTEST_ADDOPTS" not in found
        assert found["PYTHONHASHSEED"] == "0"
        assert found["PYTHONPATH"] == f"{tmp_path / 'src'}:{tmp_path}:{tmp_path / 'home'}"


class TestRun:
    TESTS = (
        "import pytest, wheel_of\n"
        "def test_good(): assert wheel_of.x == 1\n"
        "def test_bad(): assert wheel_of.x == 2\n"
        "@pytest.mark.skip\n"
        "def test_left(): pass\n"
        "@pytest.fixture\n"
        "def late():\n    yield\n    raise ValueError\n"
        "def test_late(late): pass\n"
    )

    def test_tells_what_became_of_each_test(self, tmp_path: Path, cache: Path) -> None:
        tree = tmp_path / "tree"
        gitrepo.write(tree, {"src/wheel_of.py": "x = 1\n", "tests/test_a.py": self.TESTS})
        found = run(record(), environment(record(), cache), tree, tmp_path / "home")
        assert found.status == 1
        assert found.outcomes == {
            "tests/test_a.py::test_bad": "failed",
            "tests/test_a.py::test_good": "passed",
            "tests/test_a.py::test_late": "failed",
            "tests/test_a.py::test_left": "skipped",
        }
        assert found.costs.keys() == found.outcomes.keys()
        assert 0 < sum(found.costs.values()) < found.seconds

    def test_leaves_out_what_is_deselected(self, tmp_path: Path, cache: Path) -> None:
        tree = tmp_path / "tree"
        gitrepo.write(tree, {"src/wheel_of.py": "x = 1\n", "tests/test_a.py": self.TESTS})
        given = record(deselect={f"tests/test_a.py::test_{n}": "fails" for n in ("bad", "late")})
        found = run(given, environment(given, cache), tree, tmp_path / "home")
        assert found.status == 0
        assert sorted(found.outcomes.values()) == ["passed", "skipped"]

    def test_a_file_that_cannot_be_collected_failed(self, tmp_path: Path, cache: Path) -> None:
        tree = tmp_path / "tree"
        gitrepo.write(tree, {"tests/test_a.py": self.TESTS})
        found = run(record(), environment(record(), cache), tree, tmp_path / "home")
        assert (found.status, found.outcomes) == (2, {"tests/test_a.py": "failed"})

    def test_no_tests_are_not_all_tests(self, tmp_path: Path, cache: Path) -> None:
        tree = tmp_path / "tree"
        gitrepo.write(tree, {"tests/test_a.py": "def test_a(): pass\n"})
        given = record(tests=["tests/test_gone.py"])
        found = run(given, environment(given, cache), tree, tmp_path / "home")
        assert (found.status, found.outcomes) == (5, {})

    def test_is_ended_with_all_it_started(self, tmp_path: Path, cache: Path) -> None:
        tree = tmp_path / "tree"
        text = (
            "import subprocess, sys, time\n"
            "def test_a():\n"
            '    code = \'import time; time.sleep(2); open("alive", "w")\'\n'
            "    subprocess.Popen([sys.executable, '-c', code])\n"
            "    time.sleep(60)\n"
        )
        gitrepo.write(tree, {"tests/test_a.py": text})
        python = environment(record(), cache)
        found = run(record(), python, tree, tmp_path / "home", timeout=1.5)
        assert (found.status, found.outcomes) == (124, {})
        subprocess.run(["sleep", "3"], check=True)
        assert not (tree / "alive").exists()


HELPER = "def one():\n    return 1\n\n\ndef two():\n    return one()\n"
USER = "from lib.helper import two\n\n\ndef use():\n    return two()\n"
BEFORE = {
    "src/lib/__init__.py": "",
    "src/lib/helper.py": HELPER,
    "src/lib/user.py": USER,
    "tests/test_user.py": "from lib.user import use\n\n\ndef test_use():\n    assert use() == 1\n",
    "tests/test_other.py": "from lib import helper\n\n\ndef test_one():\n    assert helper.one()\n",
}
AFTER = {
    "src/lib/helper.py": HELPER.replace("one", "first").replace("two", "second"),
    "src/lib/user.py": USER.replace("two", "second"),
    "tests/test_user.py": "from lib.user import use\n\n\ndef test_use():\n    assert use() < 2\n",
    "tests/test_other.py": BEFORE["tests/test_other.py"].replace("helper.one", "helper.first"),
}
ERA = {"since": "2000-01-01", "requires": [], "paths": ["src"]}
PROJECT: dict[str, Any] = {
    "import": "lib",
    "tests": ["tests"],
    "whole": True,
    "most": 2,
    "origin": "listed",
    "chosen": [],
    "eras": [ERA],
}
BURN = """\
import time
from lib import helper


def test_burn():
    end = time.process_time() + 1.5
    while time.process_time() < end:
        pass
"""
ODD = """\
import pathlib
from lib import helper


def test_now_and_then():
    file = pathlib.Path("times")
    times = int(file.read_text()) if file.exists() else 0
    file.write_text(str(times + 1))
    assert times % 2


def test_only_before():
    assert helper.one
"""


@pytest.fixture
def place(tmp_path: Path, cache: Path) -> Place:
    return Place(tmp_path / "clone", cache, tmp_path / "scratch")


def made(place: Place, whole: bool = True) -> dict[str, Any]:
    """The record of the newest commit."""
    ends = (
        gitrepo.git(place.clone, "rev-parse", "HEAD^"),
        gitrepo.git(place.clone, "rev-parse", "HEAD"),
    )
    draft = mine.draft("a/lib", PROJECT, place.clone, ends, "listed")
    return measure.record_of(draft, ["tests"], whole, place)


class TestMeasure:
    def test_the_whole_suite_where_it_is_cheap(self, place: Place) -> None:
        gitrepo.commit(place.clone, BEFORE)
        gitrepo.commit(place.clone, AFTER)
        found = made(place)
        assert (found["tests"], found["deselect"], found["passed"]) == (["tests"], {}, [2, 2])
        assert 0 < found["seconds"] < measure.LIMIT

    def test_else_what_is_touched_and_what_imports_a_touched_module(self, place: Place) -> None:
        gitrepo.commit(place.clone, {**BEFORE, "tests/test_apart.py": "def test_apart(): pass\n"})
        gitrepo.commit(
            place.clone,
            {
                "src/lib/helper.py": f"{HELPER}x = 1\n",
                "tests/test_user.py": AFTER["tests/test_user.py"],
            },
        )
        found = made(place, whole=False)
        assert found["tests"] == ["tests/test_other.py", "tests/test_user.py"]

    def test_the_costly_are_left_out_but_for_what_is_touched(
        self, place: Place, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(measure, "LIMIT", 1.6)
        gitrepo.commit(place.clone, {**BEFORE, "tests/test_burn.py": BURN})
        gitrepo.commit(place.clone, AFTER)
        assert made(place)["tests"] == ["tests/test_other.py", "tests/test_user.py"]
        more = f"{BURN}\n\ndef test_more(): pass\n"
        gitrepo.commit(
            place.clone, {"src/lib/user.py": USER + "x = 1\n", "tests/test_burn.py": more}
        )
        gitrepo.commit(
            place.clone, {"src/lib/helper.py": HELPER, "tests/test_burn.py": BURN + more}
        )
        found = made(place, whole=False)
        assert "tests/test_burn.py" in found["tests"]
        assert found["deselect"] == {"tests/test_burn.py::test_burn": "slow"}

    def test_what_fails_at_an_end_or_now_and_then_is_deselected(self, place: Place) -> None:
        gitrepo.commit(place.clone, {**BEFORE, "tests/test_odd.py": ODD})
        gitrepo.commit(place.clone, AFTER)
        found = made(place)
        assert found["deselect"] == {
            "tests/test_odd.py::test_now_and_then": "unstable",
            "tests/test_odd.py::test_only_before": "fails",
        }
        assert found["passed"] == [2, 2]

    def test_a_commit_whose_tests_cannot_be_collected_is_unfit(self, place: Place) -> None:
        gitrepo.commit(place.clone, BEFORE)
        gitrepo.commit(place.clone, {**AFTER, "tests/test_user.py": "import nothing_such\n"})
        with pytest.raises(Unfit, match=r"cannot be collected: tests/test_user\.py"):
            made(place)


class TestMine:
    def test_the_rule(self, place: Place) -> None:
        first = gitrepo.commit(place.clone, BEFORE)
        fitting = gitrepo.commit(place.clone, AFTER)
        gitrepo.commit(place.clone, {"src/lib/user.py": USER}, "one source file")
        gitrepo.commit(
            place.clone,
            {"src/lib/user.py": USER + "a = 1\n", "src/lib/helper.py": HELPER},
            "no test",
        )
        gitrepo.commit(
            place.clone,
            {
                "src/lib/user.py": USER + "b = 2\n",
                "src/lib/helper.py": HELPER + "c = 3\n",
                "tests/test_user.py": BEFORE["tests/test_user.py"],
            },
            "nothing names another",
        )
        found = list(mine.candidates("a/lib", PROJECT, place.clone))
        assert [(each["parent"], each["commit"], size) for each, size in found] == [
            (first, fitting, Change(entities=9, cross_references=9))
        ]
        chosen = {**PROJECT, "chosen": [[first, fitting]]}
        assert list(mine.candidates("a/lib", chosen, place.clone)) == []
        later = {**PROJECT, "eras": [{**ERA, "since": "2024-01-02"}]}
        assert list(mine.candidates("a/lib", later, place.clone)) == []

    def test_packages_are_those_of_the_day(self) -> None:
        eras = [{"since": "2020-01-01"}, {"since": "2022-01-01"}]
        days = ("2019-12-31", "2020-01-01", "2021-12-31", "2022-01-01")
        found = [mine.era_of({"eras": eras}, day) for day in days]
        assert found == [None, eras[0], eras[0], eras[1]]


class TestSdists:
    def test_commits_have_the_same_ids_everywhere(self, tmp_path: Path) -> None:
        gitrepo.write(tmp_path / "one", {"a.py": "x = 1\n", ".gitignore": "b.py\n", "b.py": ""})
        gitrepo.write(tmp_path / "two", {"a.py": "x = 2\n"})
        made = [
            sdists.commit(tmp_path / "git", tmp_path / each, each, "2000-01-01")
            for each in ("one", "two")
        ]
        assert made == [
            "b7c0eafaad3bf58f0a7b8c96a2bc3341142604d0",
            "5e6129fe61c021ec9791c2325c45ee1e9a2cdaa8",
        ]
        names = gitrepo.git(tmp_path / "git", "ls-tree", "-r", "--name-only", made[0])
        assert names.split() == [".gitignore", "a.py", "b.py"]

    @pytest.mark.parametrize(
        ("members", "error", "said"),
        [
            (["a-1/x", "../y"], tarfile.FilterError, "outside"),
            (["a-1/x", "b/y"], ValueError, "does not hold one folder"),
            (["x"], ValueError, "does not hold one folder"),
        ],
        ids=["leads out", "two folders", "no folder"],
    )
    def test_an_archive_is_one_folder(
        self, members: list[str], error: type[Exception], said: str, tmp_path: Path
    ) -> None:
        with tarfile.open(tmp_path / "a-1.tar.gz", "w:gz") as packed:
            for each in members:
                packed.addfile(tarfile.TarInfo(each), io.BytesIO())
        with pytest.raises(error, match=said):
            sdists.unpack(tmp_path / "a-1.tar.gz", tmp_path / "tree")
        assert not (tmp_path / "tree").exists()

    def test_what_is_there_already_must_have_the_pinned_hash(self, tmp_path: Path) -> None:
        (tmp_path / "a-1.tar.gz").write_bytes(b"other")
        with pytest.raises(ValueError, match="has SHA-256 d9298a10"):
            sdists.fetch("a", sdists.Release("1", "0" * 64), tmp_path)


def test_the_limit_of_a_record_is_eight_seconds() -> None:
    assert measure.LIMIT == 8.0
    assert environments.PYTHON == (3, 11)
