"""Whether a state of a repository is valid: it compiles, imports, names nothing undefined, passes.

A state is what some edits of a change make of its old end. Each is tried once: what came out is
kept by the digest of its files, in memory and in a directory, so that orders that pass through the
same state share it and an interrupted run goes on.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from bench.replay.commit import Change, begin
from bench.replay.environments import Record, Result, prepare, run
from bench.replay.typing_errors import typing_errors

_SECONDS = 120.0


class Outcome(NamedTuple):
    """What came out in one state.

    Args:
        compiles: every Python file that differs is Python.
        imports: modules that could not be imported.
        undefined: names that are used and not defined, as `path: name`.
        tests: node id to passed, failed or skipped.
        errors: what the type checker says, where it is asked.
    """

    compiles: bool
    imports: frozenset[str]
    undefined: frozenset[str]
    tests: Mapping[str, str]
    errors: frozenset[str] = frozenset()


class Verdict(NamedTuple):
    """How one state fares.

    Args:
        tests: valid: compiles, imports, nothing undefined, no type error that neither end has, and
            all tests that pass at both ends.
        stable: the same, but of the tests only those whose own text the change leaves alone.
        new: no test that is new, and already there, fails.
        why: in a few words, what is wrong; "" where nothing is.
        failed: the tests that pass at both ends and not here.
    """

    tests: bool
    stable: bool
    new: bool
    why: str
    failed: tuple[str, ...] = ()


class States:
    """The states of one change.

    Args:
        change: the change.
        record: of the corpus, which says how its states are tried.
        python: the interpreter of its environment.
        kept: the directory for what came out; made where it is missing.
        edited: names of the test functions whose text the change edits, as `path::name`.
    """

    def __init__(
        self,
        change: Change,
        record: Record,
        python: Path,
        kept: str,
        edited: AbstractSet[str],
    ) -> None:
        self.change = change
        self.runs = 0
        self._record, self._python = record, python
        self.kept = kept
        self._edited = edited
        self._known: dict[str, Outcome] = {}
        self._place = ""
        os.makedirs(kept, exist_ok=True)
        every = frozenset(range(len(change.edits)))
        self.old, self.new = self.outcome(frozenset()), self.outcome(every)
        self.both = frozenset(
            name
            for name, told in self.old.tests.items()
            if told == self.new.tests.get(name) == "passed"
        )

    def close(self) -> None:
        """Remove the directory in which states were tried."""
        if self._place:
            shutil.rmtree(os.path.dirname(self._place), ignore_errors=True)
            self._place = ""

    def verdict(self, applied: AbstractSet[int]) -> Verdict:
        """Return how the state with some edits applied fares."""
        found = self.outcome(applied)
        wrong: list[str] = []
        if not found.compiles:
            wrong.append("does not compile")
        broken = found.imports - (self.old.imports | self.new.imports)
        undefined = found.undefined - (self.old.undefined | self.new.undefined)
        if broken:
            wrong.append(f"cannot import {min(broken)}")
        if undefined:
            wrong.append(f"undefined {min(undefined)}")
        errors = found.errors - (self.old.errors | self.new.errors)
        if errors:
            wrong.append(f"{len(errors)} type errors: {min(errors)}")
        sound = not wrong
        failed = sorted(each for each in self.both if found.tests.get(each) != "passed")
        stable = [each for each in failed if not self._touched(each)]
        came = sorted(
            each
            for each, told in found.tests.items()
            if each not in self.old.tests
            and told == "failed"
            and self.new.tests.get(each) == "passed"
        )
        if stable or failed:
            wrong.append(f"{len(failed)} fail: {(stable or failed)[0]}")
        return Verdict(
            sound and not failed,
            sound and not stable,
            sound and not came,
            "; ".join(wrong),
            tuple(failed),
        )

    def _touched(self, nodeid: str) -> bool:
        return not functions(nodeid).isdisjoint(self._edited)

    def outcome(self, applied: AbstractSet[int]) -> Outcome:
        """Return what comes out in the state with some edits applied."""
        digest = self.change.digest(applied)
        if digest not in self._known:
            place = os.path.join(self.kept, f"{digest[:32]}.json")
            told = _read(place)
            if told is None:
                told = self._try(applied)
                _write(place, told)
            self._known[digest] = Outcome(
                told["compiles"],
                frozenset(told["imports"]),
                frozenset(told["undefined"]),
                told["tests"],
                frozenset(told.get("errors", ())),
            )
        return self._known[digest]

    def _try(self, applied: AbstractSet[int]) -> dict[str, Any]:
        self.runs += 1
        texts = {path: self.change.text(path, applied) for path in self.change.paths}
        compiles, undefined = _looked_at(texts)
        self._put_all(texts)
        if self._record["oracle"] == "types":
            # Names are what a type checker knows best; asking twice would count a fault twice.
            place = os.path.join(self._place, self._record["paths"][0])
            errors = sorted(typing_errors(place))
            none: dict[str, Any] = {"imports": {}, "undefined": [], "tests": {}}
            return {"compiles": compiles, **none, "errors": errors}
        seen = self._probe()
        return {
            "compiles": compiles,
            "imports": dict(seen.broken),
            "undefined": sorted(undefined),
            "tests": seen.outcomes,
        }

    def _put_all(self, texts: Mapping[str, str | None]) -> None:
        if not self._place:
            self._place = os.path.join(tempfile.mkdtemp(prefix="plan07-replay-"), "state")
            begin(self.change, self._place)
            prepare(self._record, Path(self._place))
        for path, text in texts.items():
            _put(self._place, path, text)

    def _probe(self) -> Result:
        # Compiled files may be kept: what is written here never has the time of another text.
        settings = {"PYTHONDONTWRITEBYTECODE": "", "REPLAY_IMPORTS": self._record["import"]}
        scratch = Path(self._place).with_name("scratch")
        return run(
            self._record,
            self._python,
            Path(self._place),
            scratch,
            timeout=_SECONDS,
            settings=settings,
        )


def functions(nodeid: str) -> set[str]:
    """Return the names of what a test is part of, as `path::Class.test`, and `path::` for all."""
    path, _, rest = nodeid.partition("[")[0].partition("::")
    parts = rest.split("::")
    return {f"{path}::{'.'.join(parts[: cut + 1])}" for cut in range(len(parts))} | {f"{path}::"}


def _put(place: str, path: str, text: str | None) -> None:
    """Write a file; its time follows from its text, so that compiled files never lie."""
    target = os.path.join(place, path)
    if text is None:
        if os.path.lexists(target):
            os.remove(target)
        return
    data = text.encode("utf-8", "surrogateescape")
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "wb") as stream:
        stream.write(data)
    moment = 1_000_000_000 + int.from_bytes(sha256(data).digest()[:3], "big")
    os.utime(target, (moment, moment))


def _looked_at(texts: Mapping[str, str | None]) -> tuple[bool, set[str]]:
    """Return whether all compile, and which names are used and not defined."""
    from pyflakes import checker, messages

    undefined: set[str] = set()
    compiles = True
    for path, text in texts.items():
        if text is None:
            continue
        try:
            tree = ast.parse(text.encode("utf-8", "surrogateescape"))
        except (SyntaxError, ValueError):
            compiles = False
            continue
        for each in checker.Checker(tree, filename=path).messages:
            if isinstance(each, messages.UndefinedName | messages.UndefinedExport):
                undefined.add(f"{path}: {each.message_args[0]}")
    return compiles, undefined


def _read(place: str) -> dict[str, Any] | None:
    try:
        with open(place, encoding="utf-8") as stream:
            found = json.load(stream)
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _write(place: str, told: Mapping[str, Any]) -> None:
    made = f"{place}.{os.getpid()}"
    with open(made, "w", encoding="utf-8") as stream:
        json.dump(told, stream, sort_keys=True)
    os.replace(made, place)
