"""The gate: what passes, what fails, and what could not be run at all."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from plan07.checks import Check
from plan07.validate import CheckResult, GateResult, Local, gate

FILES = {
    "tests/test_a.py": """\
        import pytest
        def test_good(): pass
        def test_bad(): assert 1 == 2
        @pytest.mark.skip
        def test_skipped(): pass
        @pytest.mark.xfail
        def test_expected(): assert False
        @pytest.mark.parametrize("x", [1, 2])
        def test_each(x): pass
        """,
    "tests/test_none.py": "x = 1\n",
    "tests/test_broken.py": "import nothing_of_that_name\n",
    "tests/test_loud.py": "def test_good(): print('3 passed')\n",
    "pkg/__init__.py": "",
    "pkg/good.py": "x = 1\n",
    "bad.py": "def f(:\n",
    "exits.py": "import sys; sys.exit(0)\n",
    "raises.py": "raise ValueError('no, really')\n",
    "src/inner.py": "",
    "empty/readme.md": "",
    ".venv-like/bad.py": "def f(:\n",
    "say.sh": "#!/bin/sh\necho one\necho 'took 3 widgets in 1.23s'\nexit ${1:-0}\n",
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project; the tests here leave it as it is."""
    root = tmp_path_factory.mktemp("project")
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = text.splitlines()
        path.write_text("\n".join(line.removeprefix("        ") for line in lines) + "\n")
    (root / "say.sh").chmod(0o755)
    return root


def judged(
    repository: Path, validation: str, *, member: bool = False, **options: Any
) -> GateResult:
    """Return what the gate says of a node with a validation."""
    environment = options.pop("environment", None) or dict(os.environ)
    python = options.pop("python", sys.executable)
    run = Local(str(repository), python=python, environment=environment, **options)
    return gate({"id": "O1", "validation": validation}, run)


class TestPytest:
    @pytest.mark.parametrize(
        ("validation", "outcome", "reason"),
        [
            ("tests/test_a.py::test_good", "pass", ""),
            ("tests/test_a.py::test_each[2]", "pass", ""),
            ("tests/test_a.py::test_good tests/test_loud.py", "pass", ""),
            ("tests/test_a.py", "fail", "FAILED tests/test_a.py::test_bad - assert 1 == 2"),
            ("tests/test_none.py", "fail", "no test was collected"),
            ("tests/test_a.py::test_missing", "fail", "the test does not exist"),
            ("tests/test_missing.py", "fail", "the test does not exist"),
            (
                "tests/test_a.py::test_skipped",
                "fail",
                "no test passed; skipped ones prove nothing",
            ),
            (
                "tests/test_a.py::test_expected",
                "fail",
                "no test passed; skipped ones prove nothing",
            ),
            ("tests/test_broken.py", "fail", "ERROR tests/test_broken.py"),
        ],
        ids=[
            *("good", "one parameter", "two files", "one of many is bad"),
            *("none collected", "missing test", "missing file", "skipped", "expected to fail"),
            *("collection error",),
        ],
    )
    def test_outcomes(self, repository: Path, validation: str, outcome: str, reason: str) -> None:
        """S-000-070, T10: a missing test is a fail, zero tests are no pass."""
        result = judged(repository, validation)
        assert (result.outcome, result.reason) == (outcome, reason)
        (check,) = result.checks
        assert (check.kind, check.check) == ("pytest", validation)
        assert re.fullmatch("[0-9a-f]{64}", check.sha256)

    @pytest.mark.parametrize("options", ["-qq --color=yes -s", "-vv -ra --ff --strict-config"])
    def test_the_options_of_a_project_do_not_hide_a_pass(
        self, tmp_path: Path, options: str
    ) -> None:
        (tmp_path / "pytest.ini").write_text(f"[pytest]\naddopts = {options}\ncache_dir = .c\n")
        (tmp_path / "test_a.py").write_text("def test_a(): print('0 passed, 1 failed')\n")
        (tmp_path / "test_b.py").write_text(
            "import pytest\ndef test_b():\n print('9 passed')\n pytest.skip('9 passed')\n"
        )
        assert judged(tmp_path, "test_a.py").outcome == "pass"
        assert judged(tmp_path, "test_b.py").outcome == "fail"
        (tmp_path / "test_c.py").write_text("def test_c(): assert 1 == 2\n")
        assert judged(tmp_path, "test_c.py").reason == "FAILED test_c.py::test_c - assert 1 == 2"
        assert not (tmp_path / ".c").exists()
        assert not (tmp_path / ".pytest_cache").exists()
        assert not list(tmp_path.rglob("__pycache__"))

    def test_the_reason_is_the_same_however_long_it_took(self, tmp_path: Path) -> None:
        """It is compared, to tell whether a new attempt failed in the same way."""
        (tmp_path / "test_a.py").write_text("def test_a(): assert object() is None\n")
        first, second = (judged(tmp_path, "test_a.py") for _ in range(2))
        assert first.reason == second.reason
        assert "0x..." in first.reason

    def test_a_broken_conftest_is_a_fail(self, tmp_path: Path) -> None:
        (tmp_path / "conftest.py").write_text("import nothing_of_that_name\n")
        (tmp_path / "test_a.py").write_text("def test_a(): pass\n")
        result = judged(tmp_path, "test_a.py")
        assert result.outcome == "fail"
        assert "nothing_of_that_name" in result.reason

    def test_an_interpreter_without_pytest_is_an_error(
        self, repository: Path, tmp_path: Path
    ) -> None:
        """A runner that cannot be started says nothing of the node."""
        bare = tmp_path / "python"
        bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
        bare.chmod(0o755)
        result = judged(repository, "tests/test_a.py::test_good", python=str(bare))
        assert (result.outcome, result.reason) == ("error", f"{bare} has no pytest")

    def test_an_interpreter_that_is_not_there_is_an_error(self, repository: Path) -> None:
        result = judged(repository, "tests/test_a.py::test_good", python="/nowhere/python")
        assert result.outcome == "error"
        assert result.reason == "/nowhere/python cannot be run: No such file or directory"
        assert result.checks[0].exit is None


@pytest.mark.parametrize(
    ("validation", "outcome", "reason"),
    [
        ("compile: pkg", "pass", ""),
        ("compile: pkg/good.py pkg/__init__.py", "pass", ""),
        ("compile: src pkg", "pass", ""),
        ("compile: bad.py", "fail", "SyntaxError: invalid syntax"),
        ("compile: .", "fail", "SyntaxError: invalid syntax"),
        ("compile: empty", "fail", "there is no Python file in empty"),
        (
            "compile: gone.py",
            "fail",
            "FileNotFoundError: [Errno 2] No such file or directory: 'gone.py'",
        ),
        ("import: pkg.good", "pass", ""),
        ("import: pkg inner", "pass", ""),
        ("import: gone", "fail", "ModuleNotFoundError: No module named 'gone'"),
        ("import: exits", "fail", "ImportError: exits exits when it is imported"),
        ("import: raises", "fail", "ValueError: no, really"),
        ("$ ./say.sh", "pass", ""),
        ("`./say.sh 3`", "fail", "took 3 widgets"),
        ("$ sh -c 'exit 5'", "fail", "exit status 5"),
        ("$ sh -c 'kill -KILL $$'", "fail", "it was ended by signal 9"),
        ("$ test -t 0", "fail", "exit status 1"),
        ("python -c pass", "pass", ""),
        (
            "$ ./gone.sh",
            "error",
            "./gone.sh cannot be run: No such file or directory",
        ),
        ("$ ./bad.py", "error", "./bad.py cannot be run: Permission denied"),
        (
            "it is pleasant to use",
            "error",
            "nobody is there to judge a statement; name a command with --predicates",
        ),
        ("", "error", "O1 has no validation, so nothing can prove it done"),
    ],
)
def test_every_other_kind(repository: Path, validation: str, outcome: str, reason: str) -> None:
    """S-000-070: build checks, commands, predicates."""
    result = judged(repository, validation)
    assert (result.outcome, result.reason) == (outcome, reason)


def test_hidden_directories_are_not_compiled(tmp_path: Path) -> None:
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bad.py").write_text("def f(:\n")
    (tmp_path / "good.py").write_text("x = 1\n")
    assert judged(tmp_path, "compile: .").outcome == "pass"


def test_a_time_limit_is_a_fail(repository: Path) -> None:
    result = judged(repository, "$ sleep 999", seconds=0.2)
    assert (result.outcome, result.reason) == ("fail", "it did not end within 0.2 seconds")


def test_a_repository_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    result = judged(tmp_path / "gone", "$ true")
    assert result.outcome == "error"
    assert result.reason == f"true cannot be run: there is no directory {tmp_path}/gone"


class TestPredicates:
    JUDGE = (
        "import json, sys; asked = json.load(sys.stdin)['predicate']\n"
        "print('as I see it'); sys.exit({'yes': 0, 'no': 1}.get(asked, 2))"
    )

    def asked(self, repository: Path, predicate: str, *words: str) -> GateResult:
        judge = words or (sys.executable, "-c", self.JUDGE)
        return judged(repository, predicate, predicates=judge)

    @pytest.mark.parametrize(
        ("predicate", "outcome", "reason"),
        [
            ("yes", "pass", ""),
            ("no", "fail", "as I see it"),
            ("perhaps", "error", f"{sys.executable} did not judge it: exit status 2"),
        ],
    )
    def test_the_command_judges(
        self, repository: Path, predicate: str, outcome: str, reason: str
    ) -> None:
        result = self.asked(repository, predicate)
        assert (result.outcome, result.reason) == (outcome, reason)

    def test_one_that_cannot_be_started_is_an_error(self, repository: Path) -> None:
        result = self.asked(repository, "yes", "/nowhere/judge")
        assert result.outcome == "error"
        assert result.reason == "/nowhere/judge did not judge it: No such file or directory"

    def test_one_that_takes_too_long_is_an_error(self, repository: Path) -> None:
        result = judged(repository, "yes", predicates=("sleep", "9"), seconds=0.2)
        assert result.outcome == "error"
        assert result.reason == "sleep did not judge it: it took too long"

    def test_a_hostile_statement_stays_data(self, repository: Path) -> None:
        statement = 'a "quoted" $(touch x) \\ statement'
        judge = (
            f"import json, sys; sys.exit(json.load(sys.stdin) != {{'predicate': {statement!r}}})"
        )
        assert self.asked(repository, statement, sys.executable, "-c", judge).outcome == "pass"


class Scripted:
    """A runner that notes what it is asked."""

    def __init__(self, **outcomes: str) -> None:
        self.asked: list[tuple[Check, str]] = []
        self._outcomes = outcomes

    def __call__(self, check: Check, text: str) -> CheckResult:
        self.asked.append((check, text))
        name = check.args[-1]
        outcome = self._outcomes.get(name, "pass")
        return CheckResult(
            text, check.kind, outcome, "" if outcome == "pass" else f"{name} says so"
        )


def member(identifier: str, validation: str) -> dict[str, Any]:
    return {"id": identifier, "validation": validation}


class TestComposites:
    """T6: a composite is validated as one unit, its members' checks one by one."""

    NODE: Mapping[str, Any] = {
        "id": "cycle:O1",
        "validation": "for display only",
        "members": [
            member("O1", "make a && tests/test_a.py"),
            member("O2", " make   a"),
            member("O3", "tests/test_a.py && make b"),
        ],
    }

    def test_each_check_runs_once_and_in_order(self) -> None:
        run = Scripted()
        result = gate(self.NODE, run)
        assert run.asked == [
            (Check("command", ("make", "a")), "make a"),
            (Check("pytest", ("tests/test_a.py",)), "tests/test_a.py"),
            (Check("command", ("make", "b")), "make b"),
        ]
        assert (result.node, result.outcome, result.reason) == ("cycle:O1", "pass", "")
        assert result.said == "make a; tests/test_a.py; make b"

    @pytest.mark.parametrize(
        ("outcomes", "outcome", "reason"),
        [
            ({"b": "fail"}, "fail", "b says so"),
            ({"a": "error"}, "error", "a says so"),
            ({"a": "error", "b": "fail"}, "fail", "b says so"),
        ],
        ids=["one fails", "one cannot run", "one fails and one cannot run"],
    )
    def test_it_passes_only_whole(
        self, outcomes: dict[str, str], outcome: str, reason: str
    ) -> None:
        result = gate(self.NODE, Scripted(**outcomes))
        assert (result.outcome, result.reason) == (outcome, reason)

    def test_a_member_without_a_validation_cannot_be_proved(self) -> None:
        node = {"id": "cycle:O1", "members": [member("O1", "make a"), member("O2", " ")]}
        result = gate(node, Scripted())
        assert (result.outcome, result.reason) == (
            "error",
            "O2 has no validation, so nothing can prove it done",
        )


def test_what_the_audit_and_the_wire_hold(repository: Path) -> None:
    result = judged(repository, "$ ./say.sh 3")
    check = result.checks[0]
    assert result.as_dict()["checks"] == [
        {
            "check": "$ ./say.sh 3",
            "kind": "command",
            "outcome": "fail",
            "reason": "took 3 widgets",
            "exit": 3,
            "seconds": round(check.seconds, 3),
            "sha256": check.sha256,
            "output": "one\ntook 3 widgets in 1.23s",
        }
    ]
    (row,) = result.as_row()["checks"]
    assert list(row) == ["check", "kind", "outcome", "exit", "seconds", "sha256"]
