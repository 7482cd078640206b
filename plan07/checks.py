"""The grammar of validations: which text is a test, a command, a build check or a predicate.

A validation holds one or more checks, joined by ` && ` outside of backticks. A check is, the first
that fits:

- pytest: nothing but test files and node ids, `tests/test_a.py::test_b tests/test_c.py`;
- compile: `compile: PATH ...`, Python files or directories that must byte-compile;
- import: `import: MODULE ...`, modules that must import;
- command: what stands after `$ `, or alone in backticks, or begins with the name of a well-known
  runner (`make lint`), in the words of a shell but run without one;
- predicate: anything else, a statement that only somebody else can judge.
"""

from __future__ import annotations

import re
import shlex
from typing import NamedTuple

from plan07 import lexis

# What people write as a command without marking it; anything else needs `$ ` or backticks.
RUNNERS = frozenset(
    (
        *("pytest", "py.test", "python", "python3", "tox", "nox", "uv", "uvx", "hatch", "pdm"),
        *("poetry", "pipenv", "pre-commit", "ruff", "mypy", "pyright", "flake8", "pylint", "black"),
        *("make", "just", "task", "cmake", "ctest", "ninja", "bazel", "npm", "npx", "pnpm"),
        *("yarn", "node", "deno", "bun", "tsc", "eslint", "jest", "vitest", "cargo", "go"),
        *("mvn", "gradle", "dotnet", "mix", "rake", "bundle", "composer", "php", "swift", "git"),
    )
)
_JOINED = re.compile(r"`[^`]*`|(&&)")
_NAMED = re.compile(r"(compile|import):\s*(\S.*)\Z", re.S)
_MODULE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*\Z")
_CODE = re.compile(r"`([^`]+)`")


class Check(NamedTuple):
    """One thing to run.

    Args:
        kind: pytest, compile, import, command or predicate.
        args: test ids, paths, modules or words of the command; the text of a predicate.
    """

    kind: str
    args: tuple[str, ...]


def parse(text: str) -> tuple[Check, ...]:
    """Return the checks of a validation, none for an empty one.

    >>> parse("tests/test_a.py::test_b && make lint")[1]
    Check(kind='command', args=('make', 'lint'))
    """
    return tuple(check for _, check in parts(text))


def parts(text: str) -> list[tuple[str, Check]]:
    """Return the checks of a validation, each with its own text.

    >>> [text for text, _ in parts("tests/test_a.py && make lint")]
    ['tests/test_a.py', 'make lint']
    """
    return [(part, _check(part)) for part in _parts(text) if part]


def _parts(text: str) -> list[str]:
    found, start = [], 0
    for mark in _JOINED.finditer(text):
        if mark.group(1):
            found.append(text[start : mark.start()].strip())
            start = mark.end()
    return [*found, text[start:].strip()]


def _check(text: str) -> Check:
    words = text.split()
    tests = lexis.tests_named(text)
    if tests and tests == words:
        return Check("pytest", tuple(tests))
    if named := _NAMED.match(text):
        args = tuple(_split(named.group(2)) or ())
        if args and (named.group(1) == "compile" or all(_MODULE.match(each) for each in args)):
            return Check(named.group(1), args)
    command = _command(text)
    return Check("command", command) if command else Check("predicate", (text,))


def _command(text: str) -> tuple[str, ...] | None:
    code = _CODE.fullmatch(text)
    if code:
        return _split(code.group(1).strip().removeprefix("$ "))
    if text.startswith("$ "):
        return _split(text[2:])
    words = _split(text)
    return words if words and words[0] in RUNNERS and len(words) > 1 else None


def command_in(text: str) -> str | None:
    """Return the command that a sentence has in backticks, if it has just one.

    >>> command_in("`make lint` exits with 0"), command_in("`SessionConfig` has a timeout")
    ('make lint', None)
    """
    found = [code.strip().removeprefix("$ ") for code in _CODE.findall(text)]
    commands = [
        code for code in found if (words := _split(code)) and words[0] in RUNNERS and words[1:]
    ]
    return commands[0] if len(commands) == 1 else None


def _split(text: str) -> tuple[str, ...] | None:
    try:
        return tuple(shlex.split(text)) or None
    except ValueError:
        return None
