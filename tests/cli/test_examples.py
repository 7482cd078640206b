"""Every example through the command: what comes out is in the table, to the letter."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest
from support import EXAMPLES, RULES

from plan07 import words

Run = Callable[..., Any]


class Solved(NamedTuple):
    """An example that solves with exit 0.

    Args:
        order: ids in the order of the walk, by spaces.
        edges: (dependency, dependent) pairs, as `O1>O2`, by spaces.
        composites: id of a composite to its members, by spaces.
        alternative: alternatives with their scores.
        advice: the codes of the advice.
    """

    order: str
    edges: str
    composites: Mapping[str, str] = {}
    alternative: Mapping[str, float] = {}
    advice: tuple[str, ...] = ()


class Refused(NamedTuple):
    """An example that is refused with exit 1.

    Args:
        violations: (code, subject) of each.
        says: what the first message must quote.
        arguments: options that the refusal needs.
    """

    violations: tuple[tuple[str, str], ...]
    says: str
    arguments: str = ""


SOLVED = {
    "session-timeout": Solved("O1 O2 O3", "O1>O2 O1>O3 O2>O3"),
    "rename": Solved("cycle:O1", "", {"cycle:O1": "O1 O2 O3 O4 O5"}),
    "rename-shim": Solved("O6 O1 O2 O3 O4 O5", "O1>O2 O1>O3 O1>O4 O1>O5 O6>O1"),
    "deletion": Solved("O2 O3 O4 O1", "O2>O4 O3>O1 O4>O1"),
    "migration": Solved("O2 O1 O3 O4 O5", "O1>O5 O2>O1 O2>O3 O4>O5"),
    "alternatives": Solved("O1 O4", "O1>O3 O1>O4", alternative={"O2": 0.75, "O3": 0.432}),
    "expand-migrate-contract": Solved(
        "O1 O2 O3 O4 O5 O6 O7", "O1>O2 O1>O3 O1>O4 O1>O5 O1>O6 O2>O7 O3>O7 O4>O7 O5>O7 O6>O7"
    ),
}

CASES = {
    "click-rename": Solved("cycle:O1 O9", "", {"cycle:O1": "O1 O2 O3 O4 O5 O6 O7 O8"}),
    "structlog-module-split": Solved(
        "O6 O7 cycle:O8 O9 O11 O1 O2 O4 O5 O3 O13 O14 O16 O17 O18 O19 O21 O22 O24 O23 O15 O12 O25 "
        "O26 O27",
        "",
        {"cycle:O8": "O8 O10 O20"},
    ),
    "marshmallow-helper": Solved(
        "O1 O4 O5 O6 O7 O8 O9 O10 O11 O12 O13 O14 O15 O2 O3 O16 O17 O18", ""
    ),
}

REFUSED = {
    "rename-unmended": Refused((("UNRESOLVED_DEPENDENT", "O1"),), '"cli.resume.main"'),
    "deletion-left-out": Refused((("UNRESOLVED_DEPENDENT", "O1"),), '"shop.product.url"'),
    "over-bounds": Refused((("COMPOSITE_OVER_BOUNDS", "cycle:O1"),), "6 files"),
    "refused/re-decompose": Refused((("RE_DECOMPOSE", "plan"),), "no obligation"),
    "refused/cap-exceeded": Refused((("CAP_EXCEEDED", "O1"),), "evidence has 201"),
    "refused/id-invalid": Refused((("ID_INVALID", "a b"),), '"a b"'),
    "refused/duplicate-id": Refused((("DUPLICATE_ID", "O1"),), '"O1" is used 2 times'),
    "refused/unknown-dependency": Refused((("UNKNOWN_DEPENDENCY", "O2"),), '"O99"'),
    "refused/self-dependency": Refused((("SELF_DEPENDENCY", "O1"),), '"O1"'),
    "refused/depends-on-alternative": Refused((("DEPENDS_ON_ALTERNATIVE", "O3"),), '"O2"'),
    "refused/ungrounded": Refused((("UNGROUNDED", "O2"),), '"O2"'),
    "refused/artifact-cap": Refused((("ARTIFACT_CAP", "plan"),), "64 nodes"),
    "refused/ambiguous-target": Refused(
        (("AMBIGUOUS_TARGET", "O1"),), "auth.Session.load, db.Session.load", "--strict-grounding"
    ),
    "refused/unknown-change": Refused((("UNKNOWN_CHANGE", "O1"),), '"teleported"'),
    "refused/temporal-inconsistent": Refused((("TEMPORAL_INCONSISTENT", "O1"),), "O2 before O1"),
    "refused/ladder-conflict": Refused(
        (("LADDER_CONFLICT", "O1"),), "O1 before O2, O2 before O3, O3 before O1"
    ),
    "refused/breaking-gap": Refused(
        (("BREAKING_GAP", "O1"),), "O2", "--policy breaking_policy=reject"
    ),
    "refused/unresolved-dependent": Refused((("UNRESOLVED_DEPENDENT", "O1"),), '"web.login"'),
    "refused/undefined-test": Refused(
        (("UNDEFINED_TEST", "O2"),), '"tests/test_session.py::test_load"'
    ),
    "refused/decomposition-cycle": Refused(
        (("DECOMPOSITION_CYCLE", "cycle:O1"),), "O1 -> O2 -> O1", "--policy cycle_policy=refuse"
    ),
    "refused/cycle-through-alternative": Refused(
        (("CYCLE_THROUGH_ALTERNATIVE", "cycle:O2"),), "O2, O3"
    ),
    "refused/cycle-through-complete": Refused(
        (("CYCLE_THROUGH_COMPLETE", "cycle:O1"),), "O1 is complete"
    ),
    "refused/composite-over-bounds": Refused((("COMPOSITE_OVER_BOUNDS", "cycle:O1"),), "6 files"),
}


def file_of(name: str) -> str:
    return str(EXAMPLES / f"{name}.plan.json")


def check(document: dict[str, Any], expected: Solved, *, edges: bool = True) -> None:
    assert " ".join(document["order"]) == expected.order
    if edges:
        assert " ".join(f"{a}>{b}" for a, b in document["edges"]) == expected.edges
    composites = {each["id"]: " ".join(each["members"]) for each in document["composites"]}
    assert composites == expected.composites
    assert document["branch_scores"] == expected.alternative
    assert document["alternative"] == list(expected.alternative)
    assert tuple(each["code"] for each in document["advice"]) == expected.advice
    place = {unit: index for index, unit in enumerate(document["order"])}
    walked = [(a, b) for a, b in document["edges"] if a in place and b in place]
    assert all(place[a] < place[b] for a, b in walked)


@pytest.mark.parametrize("name", SOLVED)
def test_solved(run: Run, name: str) -> None:
    result = run("solve", file_of(name), "--json")
    assert (result.status, result.err) == (0, "")
    document = result.document()
    check(document, SOLVED[name])
    text = run("solve", file_of(name))
    assert (text.status, text.err) == (0, "")
    assert re.findall(r"^\d+ +(\S+) +(?:ready|blocked) ", text.out, re.M) == document["order"]


@pytest.mark.parametrize("name", CASES)
def test_a_real_commit(run: Run, name: str) -> None:
    """The orders under which the projects' own tests passed after every step."""
    case = EXAMPLES / "cases" / name
    impact = f"{case}.impact.json"
    result = run("solve", f"{case}.plan.json", "--impact", impact, "--json")
    assert (result.status, result.err) == (0, "")
    document = result.document()
    check(document, CASES[name], edges=False)
    member_of = {each: c["id"] for c in document["composites"] for each in c["members"]}
    with open(impact, encoding="utf-8") as stream:
        edges = json.load(stream)["edges"]
    with open(f"{case}.plan.json", encoding="utf-8") as stream:
        ids = {each["target_entity"]: each["id"] for each in json.load(stream)["obligations"]}
    place = {unit: index for index, unit in enumerate(document["order"])}
    for edge in edges:
        if edge["from"] not in ids or edge["to"] not in ids:
            continue
        changed, dependent = (
            place[member_of.get(ids[edge[end]], ids[edge[end]])] for end in ("from", "to")
        )
        if changed != dependent:
            # Within one step every order is kept; between steps each edge's own.
            assert {"def<dep": changed < dependent, "dep<def": dependent < changed}[edge["order"]]


@pytest.mark.parametrize("name", REFUSED)
def test_refused(run: Run, name: str) -> None:
    expected = REFUSED[name]
    arguments = ("solve", file_of(name), *expected.arguments.split())
    result = run(*arguments, "--json")
    assert (result.status, result.err) == (1, "")
    error = result.document()["error"]
    violations = error["violations"]
    assert tuple((each["code"], each["subject"]) for each in violations) == expected.violations
    assert error["code"] == violations[0]["code"]
    assert expected.says in violations[0]["message"]
    assert error["fix"] == violations[0]["fix"] != ""
    text = run(*arguments)
    assert (text.status, text.out) == (1, "")
    assert text.err == "".join(
        f"plan07: {each['code']}: {each['message']}\n  fix: {each['fix']}\n" for each in violations
    )


@pytest.mark.parametrize("name", [name for name, expected in REFUSED.items() if expected.arguments])
def test_a_refusal_of_a_policy_solves_without_it(run: Run, name: str) -> None:
    assert run("solve", file_of(name)).status == 0


def test_the_temporal_example_solves_when_repaired(run: Run) -> None:
    name = file_of("refused/temporal-inconsistent")
    result = run("solve", name, "--repair", "--json")
    assert result.status == 0
    document = result.document()
    assert document["order"] == ["O1", "O2"]
    assert [(each["code"], each["subject"]) for each in document["advice"]] == [
        ("DEPENDENCY_DROPPED", "O1")
    ]


def test_the_shim_is_all_that_differs_between_the_renames() -> None:
    plain, shimmed = (
        json.loads((EXAMPLES / f"{name}.plan.json").read_text("utf-8"))
        for name in ("rename", "rename-shim")
    )
    assert plain["evidence"] == shimmed["evidence"]
    assert shimmed["obligations"][:-1] == plain["obligations"]
    assert shimmed["obligations"][-1]["obligation"] == "preserve"


def test_expand_migrate_contract_is_the_plan_that_the_refusal_asks_for() -> None:
    refused, allowed = (
        json.loads((EXAMPLES / f"{name}.plan.json").read_text("utf-8"))
        for name in ("over-bounds", "expand-migrate-contract")
    )
    sites = [each["target_entity"] for each in refused["obligations"][1:]]
    assert [each["target_entity"] for each in allowed["obligations"]] == [
        "auth.Session.fetch",
        *sites,
        "auth.Session.fetch",
    ]
    assert refused["evidence"]["edges"] == allowed["evidence"]["edges"]


def refusal_codes(files: str = "*.lp") -> set[str]:
    """The codes that shipped rules refuse with."""
    found = [
        re.findall(r"^violation\((\w+)", f.read_text("utf-8"), re.M) for f in RULES.glob(files)
    ]
    return {code.upper() for codes in found for code in codes}


def test_every_refusal_code_has_an_example() -> None:
    """But for those of changes of a plan that is driven."""
    assert refusal_codes() <= set(words.CODES)
    codes = refusal_codes() - refusal_codes("scope.lp")
    assert {name.upper().replace("-", "_") for name in _names("refused/")} == codes
    for name in _names("refused/"):
        code = name.upper().replace("-", "_")
        assert [each for each, _ in REFUSED[f"refused/{name}"].violations] == [code]


def test_every_code_is_a_refusal_or_advice_of_the_rules() -> None:
    advice = {
        code.upper()
        for file in RULES.glob("*.lp")
        for code in re.findall(r"^advice\((\w+)", file.read_text("utf-8"), re.M)
    }
    # What a repair leaves out is told by Python, which alone knows that it was asked for.
    assert set(words.CODES) == refusal_codes() | advice | {"DEPENDENCY_DROPPED"}


def _names(prefix: str) -> list[str]:
    return [name.removeprefix(prefix) for name in REFUSED if name.startswith(prefix)]


def test_every_example_is_in_the_tables_and_in_the_readme() -> None:
    """But for those of overlays, requests and warm-up tasks, which have tests of their own."""
    found = (file.relative_to(EXAMPLES) for file in EXAMPLES.rglob("*.json"))
    files = {str(file) for file in found if file.parts[0] not in ("overlays", "requests", "warmup")}
    tables = {f"{name}.plan.json" for name in (*SOLVED, *REFUSED)}
    cases = {f"cases/{name}.{part}.json" for name in CASES for part in ("plan", "impact")}
    assert files == tables | cases
    readme = (EXAMPLES / "README.md").read_text("utf-8")
    commands = re.findall(r"^\| `plan07 solve (?!overlays/)([^`]+)` \|", readme, re.M)
    expected = [f"{name}.plan.json" for name in SOLVED]
    expected += [f"{name}.plan.json {each.arguments}".strip() for name, each in REFUSED.items()]
    expected += [f"cases/{name}.plan.json --impact cases/{name}.impact.json" for name in CASES]
    assert sorted(commands) == sorted(expected)


@pytest.mark.parametrize("name", [*SOLVED, *CASES, *REFUSED])
def test_the_readme_says_what_comes_out(name: str) -> None:
    readme = (EXAMPLES / "README.md").read_text("utf-8")
    line = next(each for each in readme.splitlines() if f"{name}.plan.json" in each)
    outcome = line.split("|")[2].strip()
    if name in REFUSED:
        assert outcome.startswith(f"`{REFUSED[name].violations[0][0]}`: ")
        return
    order = {**SOLVED, **CASES}[name].order.split()
    assert re.match(rf"{len(order)} steps?: ", outcome)
    if len(order) < 10:
        assert outcome.replace("`", "").split(": ", 1)[1].startswith(", ".join(order))


@pytest.mark.parametrize("file", sorted(EXAMPLES.rglob("*.json")), ids=lambda file: file.name)
def test_examples_are_pretty_printed(file: Any) -> None:
    text = file.read_text("utf-8")
    assert text == json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"


def test_the_installed_command_and_the_module_run_an_example() -> None:
    """S-CARD-03: `plan07 solve plan.json` works from the shell."""
    arguments = ["solve", file_of("session-timeout"), "--json"]
    module = subprocess.run(
        [sys.executable, "-m", "plan07", *arguments], capture_output=True, check=False
    )
    command = subprocess.run(["plan07", *arguments], capture_output=True, check=False)
    assert (module.returncode, command.returncode) == (0, 0)
    assert module.stdout == command.stdout
    document = json.loads(command.stdout)
    assert document["ready"] == ["O1"]
    assert document["blocked"] == ["O2", "O3"]
    assert document["alternative"] == []
