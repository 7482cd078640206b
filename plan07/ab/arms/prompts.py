"""The words that all arms share: instructions, the repository, the request, what failed.

An arm adds what makes it that arm and nothing else. The parts stand in one order, what changes
least first, so that a server that keeps prefixes reads them once. Texts of the request and of the
repository are fenced with more backticks than they hold; what a model or a test has said stands as
JSON strings, each on a line of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from plan07.prompt import quoted

SYSTEM = """\
You edit a small Python repository. Reply with code only, in one fenced block:

```python
# file: shop/cart.py
def size(cart):
    return len(cart)

# file: shop/page.py
class Page:
    def title(self):
        return "shop"
```

Begin each file with its line `# file: PATH`. Below it give the whole new text of each function, \
method (in its class) or constant that you add or change, and nothing else of the file; what you \
leave out stays as it is. A line `# delete: NAME` deletes one, as a rename needs. Never repeat or \
change the tests. No explanation.
"""


_WORD = re.compile(r"[A-Za-z_]\w{2,}")


def repository(files: Mapping[str, str]) -> str:
    """Return the files as a part of a prompt.

    Args:
        files: path to text.
    """
    return "\n".join(["Repository", "", *(_file(path, text) for path, text in files.items())])


def selected(files: Mapping[str, str], asked: str, most: int) -> dict[str, str]:
    """Return the files that fit into a prompt: all, or those that the request speaks of most.

    Args:
        files: path to text.
        asked: the request.
        most: bytes.
    """
    sizes = {path: len(text.encode("utf-8", "replace")) for path, text in files.items()}
    if sum(sizes.values()) <= most:
        return dict(files)
    words = set(_WORD.findall(asked))
    ranks = {
        path: len(words & set(_WORD.findall(f"{path} {text}"))) / (1 + sizes[path] / most)
        for path, text in files.items()
    }
    kept, room = set[str](), most
    for path in sorted(files, key=lambda each: (-ranks[each], each)):
        if sizes[path] <= room:
            kept.add(path)
            room -= sizes[path]
    return {path: text for path, text in files.items() if path in kept}


def request(text: str) -> str:
    """Return the request as a part of a prompt."""
    fence = _fence(text)
    return f"Request\n\n{fence}\n{text.strip()}\n{fence}\n"


def failure(text: str) -> str:
    """Return what failed as a part of a prompt, "" where nothing did.

    Args:
        text: one line for each failure.
    """
    if not text:
        return ""
    lines = [f"- {quoted(line)}" for line in text.splitlines() if line.strip()]
    return "\n".join(["The last attempt failed", "", *lines, ""])


def whole(files: Mapping[str, str], asked: str, *parts: str) -> str:
    """Return a prompt.

    Args:
        files: the repository as it stands.
        asked: the request.
        parts: what comes after; empty ones are left out.
    """
    return "\n".join([repository(files), request(asked), *(part for part in parts if part)])


def obligation(shown: Mapping[str, Any]) -> str:
    """Return the one obligation that is due as a part of a prompt.

    Args:
        shown: the exposure of the product; what matters to an edit is told.
    """
    kept = ("obligation", "target_entity", "members", "required_validation")
    value = {name: shown[name] for name in kept if name in shown}
    return f"Do only this part of the request now, and nothing else of it\n\n{data(value)}\n"


def data(value: Any) -> str:
    """Return what a model has said as one line of JSON in which no fence can end."""
    return json.dumps(value).replace("```", r"\u0060\u0060\u0060")


def _file(path: str, text: str) -> str:
    fence = _fence(text)
    return f"{fence}python\n# file: {path}\n{text.rstrip()}\n{fence}\n"


def _fence(text: str) -> str:
    longest = max((len(each) for each in re.findall(r"`+", text)), default=0)
    return "`" * max(3, longest + 1)
