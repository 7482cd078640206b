"""The README's tables: rule files and atoms, from the headers of the rule files; benchmarks.

`python tests/readme_tables.py` writes them into README.md; a test compares.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RULES = ROOT / "rules"

_TITLE = re.compile(r"^%# ([^:\n]+): (.+)$", re.MULTILINE)
_STAGE = re.compile(r"^% Stage: (.+)$", re.MULTILINE)
_DEFINED = re.compile(r"^#defined (\w+)/(\d+)\.", re.MULTILINE)
_SHOWN = re.compile(r"^#show (\w+)/(\d+)\.", re.MULTILINE)
_PREDICATE = re.compile(r"^%\*! (\w+)(\([^)]*\))?\n(.*?)^\*%$", re.MULTILINE | re.S)


def rule_files() -> str:
    """Return the table of rule files."""
    rows = ["| file | stage | question it answers |", "|---|---|---|"]
    for path in _rule_files():
        text = path.read_text(encoding="utf-8")
        title = _TITLE.search(text)
        stage = _STAGE.search(text)
        assert title and stage, path.name
        rows.append(f"| `{path.name}` | {stage[1]} | {title[2]} |")
    return "\n".join(rows)


def atoms() -> str:
    """Return the table of atoms: what goes into the rules and what comes out."""
    meanings: dict[str, str] = {}
    makers: dict[str, list[str]] = {}
    readers: dict[str, list[str]] = {}
    shown: set[tuple[str, str]] = set()
    signature: dict[tuple[str, str], str] = {}
    texts = {path.name: path.read_text(encoding="utf-8") for path in _rule_files()}
    for file, text in texts.items():
        shown.update(_SHOWN.findall(text))
        for name, arguments, body in _PREDICATE.findall(text):
            key = f"{name}{arguments}"
            signature.setdefault((name, str(len(arguments.split(",")) if arguments else 0)), key)
            meaning = " ".join(body.split("Args:")[0].split("Values:")[0].split())
            meanings.setdefault(key, re.split(r"\s+(?:Input|Output)\b", meaning)[0].rstrip("."))
            if meaning.endswith("Output."):
                makers.setdefault(key, []).append(file)
    for file, text in texts.items():
        for read in _DEFINED.findall(text):
            if read in signature:
                readers.setdefault(signature[read], []).append(file)
    rows = ["| atom | meaning | made by | read by |", "|---|---|---|---|"]
    for found in sorted(signature):
        key = signature[found]
        read_by = [*readers.get(key, []), *(["plan07"] if found in shown else [])]
        cells = [_names(makers.get(key, ["plan07"])), _names(read_by or ["its own file"])]
        rows.append(f"| `{key}` | {meanings[key]} | {cells[0]} | {cells[1]} |")
    return "\n".join(rows)


def benchmarks() -> str:
    """Return the table of benchmarks: the headlines of the results."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    from bench import results

    return results.summary(results.read(ROOT / "bench" / "results.json"))


def _rule_files() -> list[Path]:
    """Return the rule files, without the tests beside them."""
    return [path for path in sorted(RULES.glob("*.lp")) if not path.name.endswith("_test.lp")]


def _names(names: list[str]) -> str:
    return ", ".join(f"`{name}`" if name.endswith(".lp") else name for name in names)


def filled(readme: str) -> str:
    """Return a README with the tables as they are now."""
    tables = {"rule files": rule_files(), "atoms": atoms(), "benchmarks": benchmarks()}
    for name, table in tables.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.S)
        assert pattern.search(readme), name
        readme = pattern.sub(lambda found, table=table: f"{found[1]}{table}\n{found[2]}", readme)
    return readme


if __name__ == "__main__":
    path = ROOT / "README.md"
    text = path.read_text(encoding="utf-8")
    if text == filled(text):
        sys.exit("README.md is up to date")
    path.write_text(filled(text), encoding="utf-8")
