"""Which rules could be deleted without any test noticing?

Deletes each statement of a rule file in turn, in a copy of `rules/`, and runs the tests of that
file against the copy. Prints the deletions that no test notices. Run as

    python tests/rules/deletion.py [RULEFILE...]

without a name for every rule file that has tests. Exits 0 if every deletion was noticed, 1 if not,
2 if the tests do not pass to begin with.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import clingo.ast
import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORKERS = 2
_CODE = (clingo.ast.ASTType.Rule, clingo.ast.ASTType.Minimize, clingo.ast.ASTType.External)
# A known fault that a deletion happens to cure is no test of the deleted rule.
_PYTEST = ("-x", "-q", "-p", "no:cacheprovider", "-o", "xfail_strict=false")
_NOTICED = (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)


class Statement(NamedTuple):
    """A statement of a rule file.

    Args:
        line: where it begins, from 1.
        begin, end: byte offsets.
        text: what it says.
    """

    line: int
    begin: int
    end: int
    text: str


class Deletion(NamedTuple):
    """A rule file without one of its statements, or whole.

    Args:
        rules: the directory of rule files to copy.
        file: the name of the file.
        statement: what to delete, or None.
    """

    rules: Path
    file: str
    statement: Statement | None


def statements(path: Path) -> list[Statement]:
    """Return the statements of a rule file that derive something, a pool counted as one."""
    source = path.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    spans: set[tuple[int, int, int]] = set()

    def collect(node: clingo.ast.AST) -> None:
        if node.ast_type in _CODE:
            begin, end = node.location.begin, node.location.end
            span = (starts[begin.line - 1] + begin.column, starts[end.line - 1] + end.column)
            spans.add((begin.line, span[0] - 1, span[1] - 1))

    clingo.ast.parse_files([str(path)], collect)
    return [
        Statement(line, begin, end, source[begin:end].decode())
        for line, begin, end in sorted(spans)
    ]


def tests_of(file: str) -> list[str]:
    """Return the test modules of a rule file."""
    stem = Path(file).stem
    found = [*HERE.glob(f"test_{stem}.py"), *HERE.glob(f"test_{stem}_*.py")]
    return sorted(map(str, found))


def exit_code(deletion: Deletion) -> int:
    """Return the exit code of pytest for the tests of a rule file; call it in a fresh process."""
    with tempfile.TemporaryDirectory(prefix="rules-") as directory:
        copy = Path(directory, "rules")
        shutil.copytree(deletion.rules, copy)
        if deletion.statement is not None:
            source = (copy / deletion.file).read_bytes()
            rest = source[: deletion.statement.begin] + source[deletion.statement.end :]
            (copy / deletion.file).write_bytes(rest)
        os.environ["PLAN07_TEST_RULES"] = str(copy)
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        os.chdir(ROOT)
        said = Path(directory, "said")
        with said.open("w") as stream, contextlib.redirect_stdout(stream):
            code = pytest.main([*_PYTEST, *tests_of(deletion.file)])
        if deletion.statement is None and code != pytest.ExitCode.OK:
            print(said.read_text(), file=sys.stderr)
    return int(code)


def deletions(rules: Path, file: str) -> Iterator[Deletion]:
    """Yield the whole file first, then the file without each of its statements."""
    yield Deletion(rules, file, None)
    for statement in statements(rules / file):
        yield Deletion(rules, file, statement)


def run(rules: Path, files: list[str]) -> int:
    """Print the deletions that no test notices and return the exit status.

    Args:
        rules: the directory of rule files, which must not change meanwhile.
        files: names of rule files that have tests.
    """
    todo = [deletion for file in files for deletion in deletions(rules, file)]
    unnoticed: list[Deletion] = []
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["clingo", "pytest", "plan07.solver"])
    with context.Pool(WORKERS, maxtasksperchild=1) as pool:
        for deletion, code in zip(todo, pool.imap(exit_code, todo), strict=True):
            if deletion.statement is None:
                if code != pytest.ExitCode.OK:
                    print(f"{deletion.file}: the tests fail before any deletion", file=sys.stderr)
                    return 2
            elif code not in _NOTICED:
                unnoticed.append(deletion)
                line, text = deletion.statement.line, deletion.statement.text
                print(f"{deletion.file}:{line}: {' '.join(text.split())}", flush=True)
    for file in files:
        total = sum(each.file == file and each.statement is not None for each in todo)
        missed = sum(each.file == file for each in unnoticed)
        print(f"{file}: {total - missed} of {total} deletions noticed")
    return 1 if unnoticed else 0


def main(names: list[str]) -> int:
    shipped = ROOT / "rules"
    files = [Path(name).name for name in names] or sorted(
        path.name for path in shipped.glob("*.lp") if tests_of(path.name)
    )
    for file in files:
        if not (shipped / file).exists() or not tests_of(file):
            print(f"{file}: no such rule file, or no tests for it", file=sys.stderr)
            return 2
    with tempfile.TemporaryDirectory(prefix="rules-") as directory:
        rules = Path(directory, "rules")
        shutil.copytree(shipped, rules)
        return run(rules, files)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
