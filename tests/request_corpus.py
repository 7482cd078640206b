"""The corpus of requests: `examples/requests/NAME.md`, and what comes of each in `NAME.json`.

`python tests/request_corpus.py --write` writes these golden files anew; read every difference
before you keep it. Without the option it lists what differs.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from plan07.canonicalize import canonicalize
from plan07.errors import PlanRefused

DIRECTORY = Path(__file__).parent / "examples" / "requests"
NAMES = sorted(file.stem for file in DIRECTORY.glob("*.md"))


def text_of(name: str) -> str:
    """Return a request as its bytes say it: line ends stay as they are."""
    return (DIRECTORY / f"{name}.md").read_bytes().decode("utf-8-sig")


def outcome(text: str) -> dict[str, Any]:
    """Return the requirement of a request, or the violations for which it is refused."""
    try:
        return canonicalize(text)
    except PlanRefused as refusal:
        return {
            "refused": [{"code": each.code, "detail": each.detail} for each in refusal.violations]
        }


def golden(name: str) -> Path:
    return DIRECTORY / f"{name}.json"


def written(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def main(arguments: list[str]) -> int:
    write = arguments == ["--write"]
    if arguments and not write:
        print(__doc__)
        return 2
    changed = 0
    for name in NAMES:
        found = written(outcome(text_of(name)))
        file = golden(name)
        if not file.exists() or file.read_text("utf-8") != found:
            changed += 1
            print(name)
            if write:
                file.write_text(found, "utf-8")
    return 1 if changed and not write else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
