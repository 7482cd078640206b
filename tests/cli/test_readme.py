"""The README is true: its tables, its commands with their output, its example in process."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import readme_sessions
import readme_tables

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
RUNS = re.findall(r"<!-- run: plan07 (.+?) -->\n```text\n\$ plan07 \1\n(.*?)```", README, re.S)

SESSIONS = [found[2] for found in readme_sessions.SESSION.finditer(README)]


def run(arguments: list[str]) -> str:
    """Return what the command prints, both streams."""
    command = [sys.executable, "-m", "plan07", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    return done.stdout + done.stderr


def test_the_tables_of_rule_files_and_atoms_are_those_of_the_headers() -> None:
    assert readme_tables.filled(README) == README


def test_there_are_commands_to_check() -> None:
    assert len(RUNS) == README.count("<!-- run:") == 5
    assert len(SESSIONS) == README.count("<!-- session:") == 3


@pytest.mark.parametrize("session", SESSIONS, ids=["drive", "run", "ab"])
def test_a_session_prints_what_is_shown(session: str) -> None:
    assert readme_sessions.played(session) == session


@pytest.mark.parametrize(("command", "shown"), RUNS, ids=[command for command, _ in RUNS])
def test_a_command_prints_what_is_shown(command: str, shown: str) -> None:
    assert run(command.split()) == shown


def test_the_first_command_of_the_readme_runs_the_first_example() -> None:
    """S-CARD-03: the main job works from the shell."""
    line = README.split("<!-- solve -->")[1].splitlines()[2]
    assert line.endswith(f".venv/bin/plan07 {RUNS[0][0].removeprefix('plan07 ')}")


def test_the_example_in_process_prints_what_the_readme_says() -> None:
    """S-CARD-05."""
    code = README.split("## In process")[1].split("```python\n")[1].split("```")[0]
    said = re.search(r"prints `(.+?)`", README)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said is not None
    assert done.stdout.strip() == said[1]


def test_the_reader_of_the_readme_is_the_one_among_the_examples() -> None:
    code = README.split("## Evidence of a repository")[1].split("```python\n")[1].split("```")[0]
    assert code == (ROOT / "tests/examples/reader/plan07_ctags.py").read_text(encoding="utf-8")


def test_the_rule_file_of_the_readme_changes_the_order(tmp_path: Path) -> None:
    """S-CARD-04: a rule file dropped in changes the outcome with no change of Python."""
    rule = README.split("```prolog\n")[1].split("```")[0]
    (tmp_path / "prefer.lp").write_text(rule, encoding="utf-8")
    example = "tests/examples/migration.plan.json"
    assert run(["solve", example, "--rules", str(tmp_path)]) != run(["solve", example])


def test_every_dependency_is_named() -> None:
    """S-000-101: the README lists the packages and why."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [each for extra in project["optional-dependencies"].values() for each in extra]
    names = [re.match(r"[A-Za-z0-9-]+", each) for each in (*project["dependencies"], *extras)]
    section = README.split("## Dependencies")[1].split("## Decisions")[0]
    missing = {name[0] for name in names if name and name[0] not in section}
    assert missing - {"matplotlib"} == set()


LINEAGE = README.split("## Lineage")[1].split("\n## ")[0]
SYSTEMS = (
    *("CodePlan", "MetaGPT", "SWE-Search", "Runtime-Structured Task Decomposition"),
    *("From Plan to Action", "HyperAgent", "Hybrid-Gym", "Latent Programming Horizons"),
    *("Plan-and-Solve", "Tree of Thoughts", "ReAct", "Reflexion"),
)


def test_each_row_of_the_lineage_is_tested() -> None:
    """S-001-18: systems are named as lineage, each with what is taken and where it is tested."""
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \| `([^`]+)` \|$", LINEAGE, re.M)
    assert [name for name, _ in rows] == list(SYSTEMS)
    for _, test in rows:
        file, _, name = test.partition("::")
        assert (
            f"class {name}" in (ROOT / file).read_text("utf-8") if name else (ROOT / file).exists()
        )


@pytest.mark.parametrize(
    "number", ["21,120", "85.9", "87.7", "23 %", "2 to 97", "436 ± 132", "904 ± 17", "1,632 ± 145"]
)
def test_numbers_of_the_sources_are_quoted_as_theirs(number: str) -> None:
    """S-001-17: as citations only, and those of retry tokens as less established."""
    assert number in LINEAGE
    assert number not in README.replace(LINEAGE, "")
    assert LINEAGE.index("Numbers that these sources report are theirs") < LINEAGE.index(number)
    assert "are of one workload and less established" in " ".join(LINEAGE.split())


def test_figures_are_asked_of_repositories_that_no_model_has_seen() -> None:
    """S-001-14."""
    said = " ".join(LINEAGE.split())
    assert "with strong models, so they promise nothing for a weak one" in said
    assert "report them on held-out repositories, and on some outside of any benchmark" in said


def test_the_deferred_rows_are_listed() -> None:
    """S-000-002: rows 9 to 11 of the build spec are deferred, not dropped."""
    limits = README.split("## Limits")[1]
    assert all(f"{row} (" in limits for row in (9, 10, 11))
