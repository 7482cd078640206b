"""Whatever a plan file holds, the outcome is an answer, a refusal or a place in the file.

PLAN07_FUZZ=20000 tries so many mutations instead of 400; PLAN07_FUZZ_SEED begins elsewhere.
"""

from __future__ import annotations

import copy
import json
import os
import random
import string
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from properties import checker
from support import EXAMPLES, edge, obligation, plan

from plan07 import document, jsontext, solver
from plan07.cli import main
from plan07.errors import InputError, PlanRefused

TRIES = int(os.environ.get("PLAN07_FUZZ", "400"))
SEED = int(os.environ.get("PLAN07_FUZZ_SEED", "0"))
BATCHES = 8

ODD_TEXTS = (
    *("", " ", "\0", "\ud800", "\n", "\u202e", "\x1b[2J", '"', "\\", "%*", "#script(python)"),
    *("O1", "O1\n", "cycle:O1", "plan", "requirement", "not", "alternative", "complete", "ready"),
    *("O\u0661", "O²", "é", "e\u0301", "İ", "ß", "\uffff", "O" + "0" * 5000, "9" * 5000),
    *("tests/test_a.py::test_b", "defines tests/test_a.py::test_b", "pkg.O1.x", "::", "...", "/"),
    *("rename", "deleted", "widen the type", "consumer re-bind", "compile", "x" * 100_000),
    *(
        "def<dep",
        "dep<def",
        "split",
        "none",
        "\N{EN DASH}",
        "must",
        "exact",
        "heuristic",
        "CalledBy",
    ),
)
ODD_NUMBERS = (0, 1, -1, 2, 0.5, 1.0, 1.5, -0.0, 1e308, 1e-320, 2**31, 2**53, 10**4000)
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, [], {}, [[]], [None], {"": None}, {"id": "O1"}),
    *ODD_TEXTS,
    *ODD_NUMBERS,
)
BYTES = (b'"', b"\\", b"{", b"}", b"[", b"]", b",", b":", b"\0", b"\xff", b"\xed\xa0\x80", b"-")


def seeds() -> list[Any]:
    """Documents to start from: own ones for every part of the format, and the examples."""
    big = plan(
        obligation("O1", "pkg.a", cause="rename"),
        obligation("O2", "pkg.b", ["O1", "O3"]),
        obligation("O3", "pkg.c", ["O2"], verb="preserve"),
        obligation("O4", "pkg.a", verb="validate", validation="tests/test_a.py::test_b"),
        obligation("O5", "tests/test_a.py", cause="defines tests/test_a.py::test_b"),
        obligation("O6", "pkg.a", ["O1"], cause="instead of O1", status="alternative"),
        evidence={
            "edges": [
                edge("pkg.a", "pkg.b", strength="must", order="split", resolution="typed"),
                edge("pkg.b", "pkg.c", change="param_added_default", confidence=0.5, hop=1)
                | {"at": {"path": "pkg/c.py", "line": 3}, "rule": "r", "derived_change": "body"},
            ],
            "changes": [{"entity": "pkg.a", "change": "rename"}],
            "entities": [{"id": "pkg.a", "kind": "class"}, {"id": "x.pkg.b", "kind": "function"}],
            "tests": ["tests/test_a.py::test_c"],
            "scores": {"O6": {"lex": 0.25, "cochange": 0.5, "confidence": 1.0}},
        },
        requirement={
            "goal": "g",
            "acceptance_criteria": ["a"],
            "constraints": ["c"],
            "needs_confirmation": True,
        },
    )
    made = [plan(obligation("O1")), plan(obligation("O1"), obligation("O2", None, ["O1"])), big]
    solved = solver.solve_plan(document.read(big, "the plan"), solver.options())
    made.append(
        {
            "plan_id": "plan-20260101-0000",
            "nodes": solved["nodes"],
            "checkpoints": solved["checkpoints"],
            "branch_scores": solved["branch_scores"],
            "revision_history": [{"rev": 1, "time": "t", "change": "c", "caused_by": "O1"}],
            "audit": [{"obligation": "O1", "accepted_edit": "e", "trace": "t"}],
            "requirement": big["requirement"],
            "evidence": big["evidence"],
        }
    )
    made.append({"nodes": [{**obligation(f"O{n}"), "state": "failed"} for n in (1, 2)]})
    for path in sorted(EXAMPLES.glob("*.json")):
        made.append(json.loads(path.read_text(encoding="utf-8")))
    return made


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every (container, key) of a document."""
    todo = [value]
    while todo:
        each = todo.pop()
        keys = list(each) if isinstance(each, dict) else range(len(each))
        for key in keys:
            yield each, key
            if isinstance(each[key], dict | list):
                todo.append(each[key])


def drop(chance: random.Random, container: Any, key: Any, value: Any) -> None:
    del container[key]


def twice(chance: random.Random, container: Any, key: Any, value: Any) -> None:
    if isinstance(container, list):
        container.insert(chance.randrange(len(container) + 1), copy.deepcopy(container[key]))
    else:
        container[f"{key}{chance.choice(('', '2', ' ', chr(0)))}"] = copy.deepcopy(container[key])


def many(chance: random.Random, container: Any, key: Any, value: Any) -> None:
    if isinstance(container[key], list):
        container[key] = container[key] * chance.choice((2, 17, 65))
    elif isinstance(container[key], str):
        container[key] *= chance.choice((2, 65, 201))


def replace(chance: random.Random, container: Any, key: Any, value: Any) -> None:
    container[key] = copy.deepcopy(chance.choice(ODD_VALUES))


def same_type(chance: random.Random, container: Any, key: Any, value: Any) -> None:
    if isinstance(container[key], str):
        container[key] = chance.choice(ODD_TEXTS)
    elif isinstance(container[key], int | float):
        container[key] = chance.choice(ODD_NUMBERS)


def rename_key(chance: random.Random, container: Any, key: Any, value: Any) -> None:
    if isinstance(container, dict):
        container[chance.choice((*ODD_TEXTS, *container))] = container.pop(key)


def swap(chance: random.Random, container: Any, key: Any, value: Any) -> None:
    other, place = chance.choice(list(places(value)))
    container[key], found = copy.deepcopy(other[place]), copy.deepcopy(container[key])
    if place in other if isinstance(other, dict) else place < len(other):
        other[place] = found


def copy_text(chance: random.Random, container: Any, key: Any, value: Any) -> None:
    texts = [c[k] for c, k in places(value) if isinstance(c[k], str)]
    if isinstance(container[key], str) and texts:
        container[key] = chance.choice(texts)
    elif isinstance(container[key], list) and texts:
        container[key].append(chance.choice(texts))


def nest(chance: random.Random, container: Any, key: Any, value: Any) -> None:
    for _ in range(chance.choice((1, 2, 300))):
        container[key] = [container[key]] if chance.random() < 0.5 else {"id": container[key]}


def edit_text(chance: random.Random, container: Any, key: Any, value: Any) -> None:
    text = container[key]
    if isinstance(text, str):
        at = chance.randrange(len(text) + 1)
        char = chance.choice((*ODD_TEXTS, *string.punctuation))
        container[key] = text[:at] + char + text[at + chance.randrange(2) :]


def entry(chance: random.Random, container: Any, key: Any, value: Any) -> None:
    """Drop, repeat or move an entry of a list."""
    found = [(c, k) for c, k in places(value) if isinstance(c, list)]
    if found:
        entries, index = chance.choice(found)
        taken = entries[index]
        if chance.random() < 0.6:
            del entries[index]
        if chance.random() < 0.6:
            entries.insert(chance.randrange(len(entries) + 1), copy.deepcopy(taken))


def other_word(chance: random.Random, container: Any, key: Any, value: Any) -> None:
    """Put another word of the same closed set."""
    found = [(c, k) for c, k in places(value) if isinstance(c, dict) and k in CLOSED]
    if found:
        record, name = chance.choice(found)
        record[name] = chance.choice(CLOSED[name])


Change = Callable[[random.Random, Any, Any, Any], None]
CLOSED: dict[str, tuple[str, ...]] = {
    "obligation": ("modify", "preserve", "validate"),
    "status": ("ready", "blocked", "alternative"),
    "state": ("pending", "complete", "failed"),
    "strength": ("must", "should", "check", "revalidate"),
    "order": ("def<dep", "dep<def", "split", "none"),
    "resolution": ("exact", "typed", "dynamic", "heuristic", "ambiguous"),
    "cause": ("CalledBy", "OverriddenBy", "TestedBy", "UsedBy", "ImportedBy", "Unheard"),
    "change": ("body", "rename", "deleted", "added", "param_added_default", "unheard"),
    "kind": ("class", "module", "function", "test", "file"),
}
ANY: tuple[Change, ...] = (
    *(drop, twice, many, replace, same_type, rename_key, swap, copy_text, nest, edit_text),
)
# What stays a plan reaches deeper than what does not.
MILD: tuple[Change, ...] = (copy_text, edit_text, entry, other_word, other_word)


def mutated(value: Any, chance: random.Random) -> bytes:
    """Return a mutation of a document, as the bytes of a file."""
    value = copy.deepcopy(value)
    changes = chance.choice((ANY, MILD, MILD))
    for _ in range(chance.choice((1, 1, 1, 2, 3, 8))):
        found = list(places(value))
        if found:
            container, key = chance.choice(found)
            chance.choice(changes)(chance, container, key, value)
    text = json.dumps(value, ensure_ascii=chance.random() < 0.7).encode("utf-8", "surrogatepass")
    if chance.random() < 0.1:
        for _ in range(chance.choice((1, 2, 10))):
            at = chance.randrange(len(text) + 1)
            size = chance.choice((0, 1, 1, 5))
            put = chance.choice((b"", *BYTES, text[at : at + 9], b"NaN", b"1e999", b"//"))
            text = text[:at] + put + text[at + size :]
        text = text[: chance.choice((len(text), len(text), chance.randrange(len(text) + 1)))]
    return text


def judged(data: bytes) -> str:
    """Return the outcome of one file, after looking at its form."""
    try:
        value = jsontext.parse(data, "the plan")
        plan_ = document.read(value, "the plan")
    except InputError as error:
        told = error.as_dict()
        assert json.loads(json.dumps(told)) == told
        sentences = (error.message, error.fix, *(each.message for each in error.violations))
        assert all(sentences)
        assert "".join(sentences).isprintable()
        return error.code
    try:
        answer = solver.solve_plan(plan_, solver.options())
    except PlanRefused as refusal:
        assert checker.faults_of_error(value, refusal.as_dict()) == []
        return refusal.code
    assert checker.faults(value, answer) == []
    return "solved"


class TestMutatedPlans:
    """Thousands of mutated plans: an answer, a refusal or malformed, nothing else (S-004-24)."""

    @pytest.mark.parametrize("batch", range(BATCHES))
    def test_in_process(self, batch: int) -> None:
        starts = seeds()
        outcomes: dict[str, int] = {}
        for number in range(batch, TRIES, BATCHES):
            chance = random.Random(SEED + number)
            data = mutated(chance.choice(starts), chance)
            try:
                found = judged(data)
            except BaseException as error:
                error.add_note(f"mutation {SEED + number}: {data[:6000]!r}")
                raise
            outcomes[found] = outcomes.get(found, 0) + 1
        print(dict(sorted(outcomes.items(), key=lambda each: -each[1])))
        assert outcomes.get("solved", 0) > 0

    @pytest.mark.parametrize("batch", range(4))
    def test_on_the_command_line(
        self, batch: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        starts = seeds()
        path = tmp_path / "plan.json"
        for number in range(batch, TRIES // 8, 4):
            chance = random.Random(SEED + 10**6 + number)
            data = mutated(chance.choice(starts), chance)
            path.write_bytes(data)
            for options in (["--json"], []):
                with pytest.raises(SystemExit) as end:
                    main(["solve", str(path), *options])
                printed = capsys.readouterr()
                told = f"mutation {SEED + 10**6 + number}: {data[:6000]!r}"
                assert end.value.code in (0, 1, 2), told
                if options:
                    assert printed.err == "", told
                    assert ("error" in json.loads(printed.out)) == (end.value.code != 0), told
                    continue
                shown, silent = printed.out, printed.err
                if end.value.code:
                    shown, silent = printed.err, printed.out
                assert silent == "", told
                assert shown.replace("\n", "").isprintable(), told
