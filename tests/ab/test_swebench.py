"""Instances of SWE-bench: a made-up one, of a repository made here. Their data is never shipped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import wire
from support import EXAMPLES

from plan07.ab import live, swebench
from plan07.ab.arms import prompts
from plan07.ab.records import Arm, Context, Task
from plan07.errors import InputError

PATCH = """\
diff --git a/tests/test_one.py b/tests/test_one.py
--- a/tests/test_one.py
+++ b/tests/test_one.py
@@ -3,3 +3,7 @@ from one import one
\x20
 def test_one():
     assert one() == 1
+
+
+def test_two():
+    assert one(2) == 2
"""
TEST = "from one import one\n\n\ndef test_one():\n    assert one() == 1\n"
RIGHT = "```python\n# file: one.py\ndef one(x=1):\n    return x\n```"


@pytest.fixture
def row(tmp_path: Path) -> dict[str, Any]:
    root = tmp_path / "clones" / "owner__name"
    (root / "tests").mkdir(parents=True)
    (root / "one.py").write_text("def one():\n    return 1\n")
    # One line above, as the patch has it.
    (root / "tests" / "test_one.py").write_text(TEST)
    git = ["git", "-C", os.fspath(root), "-c", "user.name=n", "-c", "user.email=e@localhost"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "base"]):
        subprocess.run([*git, *words], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return {
        "instance_id": "owner__name-1",
        "repo": "owner/name",
        "base_commit": head.stdout.strip(),
        "problem_statement": "`one` takes a number and returns it, 1 by default",
        "test_patch": PATCH,
        "FAIL_TO_PASS": json.dumps(["tests/test_one.py::test_two"]),
        "PASS_TO_PASS": json.dumps(["test_one"]),
    }


def written(folder: Path, row: dict[str, Any]) -> None:
    (folder / "instances.jsonl").write_text(json.dumps(row) + "\n")


def test_an_instance_is_run_like_any_task(
    row: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, row)
    context = Context(
        execution="live",
        sample="0" * 64,
        model="weak",
        host="here",
        config="0" * 64,
        directory=os.fspath(tmp_path),
        options={"python": sys.executable, "seconds": 60},
    )
    task = Task(id="owner__name-1", data={"instance": "owner__name-1"})
    with wire.server([wire.reply(RIGHT)]) as server:
        monkeypatch.setenv("PLAN07_BASE_URL", server.url)
        run = live.make(context).run(task, Arm.CURRENT, 0, None)
    assert run.resolved
    assert [step.valid for step in run.steps] == [True]
    sent = run.calls[0].prompt.text or ""
    assert "takes a number" in sent
    assert "test_two" not in sent


@pytest.mark.parametrize(
    ("text", "resolved"),
    [("def one(x=1):\n    return x\n", True), ("def one():\n    return 1\n", False)],
)
def test_resolved_by_its_own_tests(
    row: dict[str, Any], tmp_path: Path, text: str, resolved: bool
) -> None:
    written(tmp_path, row)
    found = swebench.instance(
        "owner__name-1", os.fspath(tmp_path / "instances.jsonl"), os.fspath(tmp_path / "clones")
    )
    root = os.fspath(tmp_path / "root")
    found.lay(root)
    copy = found.copy(root, sys.executable, 60)
    copy.write({"one.py": text})
    assert found.resolved(copy, sys.executable, 60) is resolved
    assert copy.state().done


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"instance_id": "another"}, "AB_INSTANCE_MISSING"),
        ({"repo": "owner/none"}, "AB_CLONE_MISSING"),
        ({"base_commit": "0" * 40}, "AB_CLONE_INCOMPLETE"),
    ],
)
def test_what_is_missing_is_told(
    row: dict[str, Any], tmp_path: Path, change: dict[str, str], code: str
) -> None:
    written(tmp_path, row | change)
    data, clones = os.fspath(tmp_path / "instances.jsonl"), os.fspath(tmp_path / "clones")
    with pytest.raises(InputError) as refused:
        swebench.instance("owner__name-1", data, clones).lay(os.fspath(tmp_path / "root"))
    assert refused.value.code == code


def test_an_instance_without_a_field_is_told(row: dict[str, Any], tmp_path: Path) -> None:
    del row["test_patch"]
    written(tmp_path, row)
    with pytest.raises(InputError) as refused:
        swebench.instance("owner__name-1", os.fspath(tmp_path / "instances.jsonl"), "clones")
    assert refused.value.code == "AB_INSTANCE_INVALID"
    assert "test_patch" in refused.value.message


def test_the_sample_is_twenty_instances_and_nothing_else_of_the_data() -> None:
    """S-000-110: the ids are fixed by a seeded draw; the data is never shipped."""
    sample = json.loads((EXAMPLES.parent.parent / "bench" / "swebench-sample.json").read_text())
    assert len(set(sample["instances"])) == 20
    assert sorted(sample) == ["dataset", "drawn_from", "instances", "schema", "seed"]


def test_of_a_large_repository_the_files_that_the_request_speaks_of() -> None:
    files = {"a.py": "alpha = 1\n" * 9, "b.py": "beta = 1\n" * 9, "c.py": "gamma = 1\n" * 9}
    assert prompts.selected(files, "change beta", 100) == {"b.py": files["b.py"]}
    assert prompts.selected(files, "change beta", 10_000) == files
    assert list(prompts.selected(files, "gamma, then beta", 190)) == ["b.py", "c.py"]
