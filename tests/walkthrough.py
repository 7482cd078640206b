"""The guide of the rules, walked through: every file that it shows is written, every command run.

`python tests/walkthrough.py` writes what the commands print, and the table of changes that no test
notices, into rules/README.md; a test compares.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from plan07.cli import main
from plan07.ruletools import mutate

ROOT = Path(__file__).resolve().parent.parent
GUIDE = ROOT / "rules" / "README.md"
_EXAMPLES = ROOT / "tests" / "examples"
_BLOCK = re.compile(
    r"<!-- (?P<what>run|file|more): (?P<name>.+?) -->\n```(?P<kind>\w+)\n(?P<text>.*?)```\n", re.S
)
_SURVIVORS = re.compile(r"(<!-- survivors -->\n).*?(<!-- end -->)", re.S)


def walked(guide: str) -> str:
    """Return the guide with what its commands print now."""
    with tempfile.TemporaryDirectory(prefix="guide-") as directory:
        place = Path(directory)
        (place / "plans").mkdir()
        shutil.copy(_EXAMPLES / "overlays/documentation-last/new-option.plan.json", place / "plans")
        for path in _EXAMPLES.glob("*.plan.json"):
            shutil.copy(path, place)
        return _SURVIVORS.sub(
            lambda found: f"{found[1]}{survivors()}\n{found[2]}",
            _BLOCK.sub(lambda found: _step(found, place), guide),
        )


def _step(found: re.Match[str], place: Path) -> str:
    if found["what"] != "run":
        path = place / found["name"]
        before = path.read_text("utf-8") if found["what"] == "more" else ""
        path.write_text(f"{before}\n{found['text']}".removeprefix("\n"), "utf-8")
        return found[0]
    command = found["name"].strip()
    said = f"$ {command}\n{_run(shlex.split(command)[1:], place)}"
    return f"<!-- run: {found['name']} -->\n```text\n{said}```\n"


def _run(arguments: list[str], place: Path) -> str:
    """Return what a command prints, both streams, without the start of a process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.chdir(place))
        stack.enter_context(contextlib.redirect_stdout(out))
        stack.enter_context(contextlib.redirect_stderr(err))
        stack.enter_context(contextlib.suppress(SystemExit))
        main(arguments)
    return out.getvalue() + err.getvalue()


def survivors() -> str:
    """Return the table of changes of shipped rules that no test notices, with the reasons."""
    tests = sorted(str(path) for path in (ROOT / "rules").glob("*_test.lp"))
    by_reason: dict[str, list[str]] = {}
    for label, explanation in mutate.explanations(tests).items():
        rule, _, change = label.partition(": ")
        by_reason.setdefault(explanation.reason, []).append(f"`{rule}`: {change}")
    rows = ["| changes | why they make no difference |", "|---|---|"]
    rows += [f"| {'<br>'.join(labels)} | {reason} |" for reason, labels in by_reason.items()]
    return "\n".join(rows)


if __name__ == "__main__":
    text = GUIDE.read_text(encoding="utf-8")
    new = walked(text)
    if text == new:
        sys.exit("rules/README.md is up to date")
    GUIDE.write_text(new, encoding="utf-8")
