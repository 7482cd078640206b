"""Reads rule tests: files named `*_test.lp`, into plain cases.

A test file is ASP. What stands before its first `#program` holds for every test of the file; each
`#program test_NAME.` begins a test. Its facts are what the rules are given, rules among them may
spell facts out, and these say what is wanted of the rules:

| fact | wanted |
|---|---|
| `expect(Atom)` | the rules derive it |
| `forbid(Atom)` | they do not |
| `violation_expected(Code, Subject)` | they refuse; all that they refuse must be named |
| `violations(any)` | … but here it need not be |
| `exact(Name/Arity)` | the expectations name every atom of this predicate that they derive |
| `order_expected(Before, After)` | the one comes before the other, and not the other way round |

`_` in the first three stands for anything. These say what is loaded; without any of them, it is the
rule file of the test file's name, with the limits and switches that hold:

| fact | loaded |
|---|---|
| `load("FILE")` | this rule file too |
| `stage(NAME)` | every rule file of a stage instead |
| `plan("FILE")` | the facts of a plan instead, through every stage |
| `switch(Name, Value)`, `limit(Name, Number)` | another value than the one that holds |
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from plan07 import rulefiles
from plan07.errors import Finding, InputError, RulesError
from plan07.facts import Fact, Term, parse
from plan07.messages import quoted
from plan07.ruletools import lexer, source
from plan07.ruletools.patterns import ANY, shown
from plan07.ruletools.spelling import Fault, spelt_out
from plan07.ruletools.wishes import FORMS, WISHES

SUFFIX = "_test.lp"
_PROGRAM = re.compile(r"#program\s+(\w+)\s*(\([^)]*\))?\s*\.")
# What an order is read from.
_ORDERING = ("step", "member", "precedes", "before")
_NO_LINES: Mapping[str, int] = MappingProxyType({})
_LARGEST_FILE = 4 * 1024 * 1024


class Case(NamedTuple):
    """One test.

    Args:
        path: the test file.
        name: what stands after `#program`.
        line: where.
        facts: the atoms that it gives to the rules, as text, sorted.
        expected: patterns of atoms that the rules derive.
        forbidden: patterns of atoms that they do not derive.
        refusals: patterns of the violations that they derive.
        any_refusal: violations that are not named are no matter.
        exact: predicates, name and arity, of which every atom is expected.
        orders: pairs of ids, the one that comes first and the other.
        switches: name and value.
        limits: name and number.
        stages: whose rule files are loaded; empty for the file of the test file's name.
        files: names of rule files that are loaded too.
        plan: the path of a plan, as written, or None.
        helpers: predicates, name and arity, that rules of the test read to spell facts out.
        lines: where a wish, as `shown`, stands in the file, for those written out in full.
    """

    path: str
    name: str
    line: int
    facts: tuple[str, ...] = ()
    expected: tuple[Fact, ...] = ()
    forbidden: tuple[Fact, ...] = ()
    refusals: tuple[Fact, ...] = ()
    any_refusal: bool = False
    exact: tuple[tuple[str, int], ...] = ()
    orders: tuple[tuple[str, str], ...] = ()
    switches: tuple[tuple[str, str], ...] = ()
    limits: tuple[tuple[str, int], ...] = ()
    stages: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    plan: str | None = None
    helpers: frozenset[tuple[str, int]] = frozenset()
    lines: Mapping[str, int] = _NO_LINES

    @property
    def predicates(self) -> frozenset[str]:
        """The names of the predicates that decide whether it passes."""
        named = {atom.name for atom in (*self.expected, *self.forbidden, *self.refusals)}
        ordering = _ORDERING if self.orders else ()
        return frozenset({*named, *ordering, *(name for name, _ in self.exact), "violation"})


class Draft(NamedTuple):
    """One test as it is written, before its facts are spelt out.

    Args:
        path: the test file.
        name: what stands after `#program`.
        line: where.
        statements: what all tests of the file share, and its own.
    """

    path: str
    name: str
    line: int
    statements: tuple[source.Rule, ...]


def read(path: str) -> list[Draft]:
    """Return the tests of a file, in their order.

    Raises:
        InputError: it cannot be read, or what it says is no test; every fault is told, with its
            line.
    """
    try:
        with open(path, encoding="utf-8") as stream:
            text = stream.read(_LARGEST_FILE)
    except (OSError, ValueError) as error:
        raise InputError(
            "TEST_UNREADABLE",
            f"the tests in {path} cannot be read: {rulefiles.reason(error)}",
            "name a file of rule tests in UTF-8",
            phase="usage",
            detail={"path": path},
        ) from error
    return drafts(text, path)


def drafts(text: str, path: str) -> list[Draft]:
    """Return the tests that a text holds, in their order.

    Args:
        text: what a test file holds.
        path: how messages call it, and what the paths in it are relative to.

    Raises:
        InputError: as `read`.
    """
    written = lexer.Text(text)
    for token in lexer.tokens(written)[0]:
        if token.text == "#include":
            # Before clingo reads it: it would read the other file too.
            line, _ = written.place(token.at)
            fix = "load(FILE) loads a rule file; write facts into the test"
            raise _invalid([_finding(path, line, "TEST_STATEMENT", "a test includes no file", fix)])
    try:
        statements = source.parse_text(text, path).rules
    except RulesError as error:
        raise _invalid(
            [
                _finding(path, fault["line"], "TEST_SYNTAX", fault["message"], "mend the test file")
                for fault in error.detail["faults"]
            ]
        ) from error
    shared, blocks, faults = _blocks(statements, path)
    if not blocks and not faults:
        fix = "begin a test with `#program test_NAME.`, and name below it what is expected"
        faults = [_finding(path, None, "TEST_NONE", "it holds no test", fix)]
    if faults:
        raise _invalid(faults)
    return [Draft(path, name, line, (*shared, *block)) for name, line, block in blocks]


def case(draft: Draft) -> Case:
    """Return a test with its facts spelt out.

    Raises:
        InputError: it cannot be grounded, or what it wishes cannot be understood.
    """
    try:
        return _case(draft)
    except Fault as fault:
        line = fault.line or draft.line
        found = _finding(draft.path, line, fault.code, fault.said, fault.fix)
        raise _invalid([found]) from fault


Block = tuple[str, int, list[source.Rule]]


def _blocks(
    statements: Sequence[source.Rule], path: str
) -> tuple[list[source.Rule], list[Block], list[Finding]]:
    shared: list[source.Rule] = []
    blocks: list[Block] = []
    faults: list[Finding] = []
    current = shared
    for each in statements:
        if each.kind == "program":
            found = _PROGRAM.match(each.text)
            name, parameters = (found[1], found[2]) if found else (each.text, None)
            if name == "base" and not parameters:
                current = shared
                continue
            current = []
            if not name.startswith("test_") or parameters:
                said = f"{quoted(each.text)} is no test"
                fix = "write `#program test_NAME.`; what all tests share stands before the first"
                faults.append(_finding(path, each.line, "TEST_PROGRAM", said, fix))
            elif name in {known for known, _, _ in blocks}:
                said = f"there are two tests {quoted(name)}"
                faults.append(_finding(path, each.line, "TEST_TWICE", said, "rename one of them"))
            else:
                blocks.append((name, each.line, current))
        elif each.derives and each.kind != "choice":
            current.append(each)
        else:
            said = f"{quoted(each.text)} is neither a fact nor a rule that derives facts"
            fix = "a test holds facts, and rules that spell facts out"
            faults.append(_finding(path, each.line, "TEST_STATEMENT", said, fix))
    return shared, blocks, faults


def _case(draft: Draft) -> Case:
    atoms, lines = spelt_out(draft.statements)
    wishes: dict[str, list[Fact]] = {name: [] for name in WISHES}
    facts = []
    for text in sorted(atoms):
        atom = parse(text)
        if atom.name in wishes:
            wishes[atom.name].append(atom)
        elif ANY.name in text:
            raise _not_given(atom)
        else:
            facts.append(text)

    def found(kind: str) -> list[tuple[Term, ...]]:
        for wish in wishes[kind]:
            if not WISHES[kind](wish.args):
                written = shown(wish)
                raise Fault(
                    "TEST_WISH",
                    f"{quoted(written)} cannot be understood",
                    f"write {FORMS}",
                    lines.get(written),
                )
        return [wish.args for wish in wishes[kind]]

    plans = [str(args[0]) for args in found("plan")]
    if len(plans) > 1 or (plans and facts):
        said = "a test of a plan gives one plan and no facts of its own"
        raise Fault("TEST_WISH", said, "write the facts into the plan, or make two tests of it")
    return Case(
        draft.path,
        draft.name,
        draft.line,
        tuple(facts),
        expected=tuple(_atom(args[0]) for args in found("expect")),
        forbidden=tuple(_atom(args[0]) for args in found("forbid")),
        refusals=tuple(Fact("violation", args) for args in found("violation_expected")),
        any_refusal=bool(found("violations")),
        exact=tuple((_word(args[0]), _number(args[1])) for args in found("exact")),
        orders=tuple((str(args[0]), str(args[1])) for args in found("order_expected")),
        switches=tuple((_word(args[0]), _word(args[1])) for args in found("switch")),
        limits=tuple((_word(args[0]), _number(args[1])) for args in found("limit")),
        stages=tuple(_word(args[0]) for args in found("stage")),
        files=tuple(str(args[0]) for args in found("load")),
        plan=plans[0] if plans else None,
        helpers=frozenset(
            (atom.name or "", atom.arity) for each in draft.statements for atom in each.atoms()
        ),
        lines=lines,
    )


def _not_given(atom: Fact) -> Fault:
    close = difflib.get_close_matches(atom.name, WISHES, 1, 0.8)
    hint = f"; did you mean {close[0]}?" if close else ""
    said = f"{quoted(shown(atom))} is a fact, in which `_` cannot stand{hint}"
    return Fault("TEST_WISH", said, f"write a value, or one of {FORMS}")


def _atom(term: Term) -> Fact:
    assert isinstance(term, Fact)
    return term


def _word(term: Term) -> str:
    return _atom(term).name


def _number(term: Term) -> int:
    assert isinstance(term, int)
    return term


def _finding(path: str, line: int | None, code: str, said: str, fix: str) -> Finding:
    place = path if line is None else f"{path}:{line}"
    return Finding(code, place, f"{place}: {said}", fix, {"path": path, "line": line})


def _invalid(faults: list[Finding]) -> InputError:
    first = faults[0]
    return InputError(
        first.code if len(faults) == 1 else "TESTS_INVALID",
        first.message if len(faults) == 1 else f"{len(faults)} faults in {first.detail['path']}",
        first.fix,
        phase="read",
        detail={"path": first.detail["path"]},
        violations=tuple(faults),
    )
