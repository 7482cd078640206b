"""What a plan or a repository says stays text: in facts, in JSON and on a terminal (T19)."""

from __future__ import annotations

import json
import sys
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import clingo
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import checker
from properties.strategies import tries
from support import edge, obligation, plan, solve

import plan07
from plan07 import facts, jsontext
from plan07.cli import main
from plan07.errors import InputError, Plan07Error, PlanRefused
from plan07.facts import Fact

TEXTS = {
    "fact": 'O1"). ready("O9',
    "backslash": "a\\",
    "backslashes": '\\\\"\\n',
    "quotes": '"\'`"""',
    "newline": "a\nb\r\nc",
    "next_line": "a\u0085b\u2028c\u2029d\x0b\x0c",
    "tab": "\ta\t",
    "comment": "a % b",
    "block_comment": "%* a *%",
    "script": "#script(python) import os #end.",
    "constraint": ":- true.",
    "include": '#include "/etc/passwd".',
    "show": "#show.",
    "colour": "\x1b[31mred\x1b[0m",
    "title": "\x1b]0;title\x07",
    "csi": "\x9b31m",
    "right_to_left": "\u202eabc\u202c",
    "isolate": "\u2066abc\u2069\u200f",
    "zero_width": "a\u200bb\u200dc\ufeffd",
    "emoji": "👩\u200d👩\u200d👧 🇨🇭",
    "combining": "e\u0301\u0323 Z\u0351\u036b",
    "tags": "a\U000e0041\U000e0042",
    "private": "\ue000\U0010ffff",
    "percent": "%s %(a)s {0} {subject} {subject:raw}",
    "markup": "\n## Output\n<|im_start|>system",
    "template": "$(id) `id` ${HOME} ; rm -rf",
    "number": "-2147483648",
    "wide": "漢字" * 20,
    "blank": " \u3000\u00a0",
}
FIELDS = ("target_entity", "caused_by", "evidence", "validation")
every_text = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)


def run(tmp_path: Path, text: str, *options: str) -> int:
    """Run the command on a plan and return its exit status."""
    path = tmp_path / "plan.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit) as end:
        main(["solve", str(path), *options])
    assert isinstance(end.value.code, int)
    return end.value.code


def acting(text: str) -> list[str]:
    """Return the characters of printed lines that act on a terminal or hide."""
    return [
        f"U+{ord(char):04X}"
        for char in text
        if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    ]


def hostile(text: str) -> dict[str, Any]:
    """Return a plan that holds a text wherever any text may stand."""
    other = f"{text}/other"
    first = {**obligation("O1"), **dict.fromkeys(FIELDS, text)}
    branch = {**obligation("O3", text, cause=text, status="alternative"), "evidence": text}
    return plan(
        {**first, "caused_by": f"{text} because"},
        obligation("O2", other, ["O1"], cause=f"O1 {text}", evidence=text, validation=text),
        branch,
        obligation("O4", "pkg.e", verb="validate", validation=f"run {text}"),
        requirement={"goal": f"{text}.", "acceptance_criteria": [text], "constraints": [text]},
        evidence={
            "edges": [
                edge(text, other, strength="must", order="def<dep", rule=text, derived_change=text)
                | {"at": {"path": text, "line": 1}},
                edge("pkg.e", text, strength="should", order="def<dep", resolution="heuristic"),
            ],
            "changes": [{"entity": other, "change": "body"}],
            "entities": [
                {"id": text, "kind": "class"},
                {"id": f"repo.{text}", "kind": "class"},
                {"id": f"else.{text}", "kind": "function"},
            ],
            "tests": [text, f"tests/{text}.py::test_{text}"],
            "scores": {text: {"lex": 0.5}, "O3": {"cochange": 1.0}},
        },
    )


class TestTextsStayTexts:
    """Ids, names and texts of any characters change nothing but themselves (T19)."""

    @every_text
    def test_a_schedule_holds_the_same_texts(self, text: str) -> None:
        document = hostile(text)
        answer = solve(document)
        assert checker.faults(document, answer) == []
        assert answer["order"] == ["O1", "O2", "O4"]
        assert answer["edges"] == [["O1", "O2"]]
        assert [each["reason"] for each in answer["reasons"]] == ["declared", "impact"]
        evidence = answer["reasons"][1]["evidence"]
        assert evidence == {"cause": "CalledBy", "from": text, "to": f"{text}/other"}

    @every_text
    def test_what_is_printed_loads_back_and_nothing_acts_on_a_terminal(
        self, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        document = hostile(text)
        assert run(tmp_path, json.dumps(document), "--json") == 0
        printed = capsys.readouterr()
        assert (printed.err, printed.out.isascii(), acting(printed.out)) == ("", True, [])
        assert json.loads(printed.out) == solve(document)
        assert run(tmp_path, json.dumps(document, ensure_ascii=False)) == 0
        printed = capsys.readouterr()
        assert (printed.err, acting(printed.out)) == ("", [])

    @every_text
    def test_a_refusal_names_them_and_nothing_acts(
        self, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """What breaks an unmended dependent, an unknown test, an ambiguous target: all told."""
        document = hostile(text)
        document["evidence"]["edges"].append(edge(text, f"{text} lost", change="deleted"))
        document["evidence"]["edges"][-1] |= {"strength": "must", "order": "dep<def"}
        with pytest.raises(PlanRefused) as refusal:
            solve(document, strict_grounding=True)
        violations = [(each.code, each.subject) for each in refusal.value.violations]
        assert ("UNRESOLVED_DEPENDENT", "O1") in violations
        details = [e.detail for e in refusal.value.violations if e.code == "UNRESOLVED_DEPENDENT"]
        assert details[0]["entity"] == f"{text} lost"
        assert run(tmp_path, json.dumps(document), "--strict-grounding") == 1
        printed = capsys.readouterr()
        assert (printed.out, acting(printed.err)) == ("", [])
        assert run(tmp_path, json.dumps(document), "--strict-grounding", "--json") == 1
        printed = capsys.readouterr()
        assert (printed.err, acting(printed.out)) == ("", [])
        assert json.loads(printed.out) == refusal.value.as_dict()

    @every_text
    def test_ids_are_refused_whole(
        self, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """The charset of ids is refused, never repaired (S-000-030)."""
        document = plan(obligation(text, "pkg.a"), obligation("O2", "pkg.b", [text, f"{text}?"]))
        with pytest.raises(PlanRefused) as refusal:
            solve(document)
        assert [(e.code, e.subject, e.detail) for e in refusal.value.violations] == [
            ("ID_INVALID", text, {}),
            ("UNKNOWN_DEPENDENCY", "O2", {"id": "O2", "missing": f"{text}?"}),
        ]
        assert run(tmp_path, json.dumps(document)) == 1
        printed = capsys.readouterr()
        assert (printed.out, acting(printed.err)) == ("", [])

    @every_text
    def test_names_outside_the_format_are_told_safely(
        self, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Unknown keys, causes and kinds are refused with their place, printable."""
        document = hostile(text)
        document["evidence"]["edges"][0] |= {"cause": text, "change": text}
        document["obligations"][0] |= {text: 1, "obligation": text, "status": [text]}
        assert run(tmp_path, json.dumps(document)) == 2
        printed = capsys.readouterr()
        assert (printed.out, acting(printed.err)) == ("", [])
        assert run(tmp_path, json.dumps(document), "--json") == 2
        printed = capsys.readouterr()
        assert (printed.err, acting(printed.out)) == ("", [])
        assert json.loads(printed.out)["error"]["code"] == "PLAN_INVALID"

    @every_text
    def test_the_command_line_tells_its_arguments_safely(
        self, text: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        for arguments in (
            ["solve", f"/nowhere/{text}"],
            ["solve", "-", "--policy", f"{text}=1"],
            ["solve", "-", "--limit", f"max_id={text}"],
            ["solve", "-", "--rules", f"/nowhere/{text}"],
            ["schema", f"/{text}"],
            [f"/{text}"],
            ["solve", f"--{text}"],
        ):
            with pytest.raises(SystemExit) as end:
                main(arguments)
            assert end.value.code == 2
            printed = capsys.readouterr()
            assert (printed.out, acting(printed.err)) == ("", [])

    def test_very_long_texts(self) -> None:
        """The cap refuses them, with the length and without the text."""
        text = 'x"' * 50_000
        document = plan({**obligation("O1"), **dict.fromkeys(FIELDS, text)})
        with pytest.raises(PlanRefused) as refusal:
            solve(document)
        assert [(e.code, e.detail.get("count")) for e in refusal.value.violations] == [
            *[("CAP_EXCEEDED", 100_000)] * 4,
            ("ARTIFACT_CAP", None),
        ]
        assert len(json.dumps(refusal.value.as_dict())) < 10_000

    @pytest.mark.parametrize(
        ("field", "piece"),
        [("target_entity", "a."), ("validation", "tests/t."), ("validation", "::"), ("id", "9")],
        ids=["target", "test", "colons", "digits"],
    )
    def test_texts_over_the_cap_cost_little(self, field: str, piece: str) -> None:
        """What is refused for its length is not looked into; a day of CPU time is no answer."""
        document = plan({**obligation("O1", verb="validate"), field: piece * 1500})
        before = time.process_time()
        with pytest.raises(PlanRefused) as refusal:
            solve(document)
        assert refusal.value.code == "CAP_EXCEEDED"
        assert time.process_time() - before < 0.5

    def test_very_long_names_in_evidence(self) -> None:
        """Evidence has no caps; what is said of it is short all the same."""
        long = "pkg." + "é\n" * 100_000
        document = plan(
            obligation("O1", "pkg.a"), evidence={"edges": [edge("pkg.a", long, change="deleted")]}
        )
        with pytest.raises(PlanRefused) as refusal:
            solve(document)
        (violation,) = refusal.value.violations
        assert violation.detail["entity"] == long
        assert len(violation.message) < 300
        assert len(violation.fix) < 300


UNWRITABLE = {"nul": "a\0b", "high": "\ud83d", "low": "x\udc00", "swapped": "\ude00\ud83d"}


class TestTextsThatNoFileHolds:
    """A NUL ends a string of clingo, half a surrogate pair cannot be written: both are refused."""

    @pytest.mark.parametrize("text", UNWRITABLE.values(), ids=UNWRITABLE)
    @pytest.mark.parametrize(
        "place",
        [
            lambda text: plan({**obligation("O1"), "evidence": text}),
            lambda text: plan(obligation(text)),
            lambda text: plan(obligation("O1", None, [text])),
            lambda text: plan({**obligation("O1"), text: ""}),
            lambda text: plan(obligation("O1"), evidence={"tests": [text]}),
            lambda text: plan(obligation("O1"), evidence={"scores": {text: {}}}),
            lambda text: plan(obligation("O1"), evidence={"edges": [edge("a", text)]}),
        ],
        ids=["evidence", "id", "dependency", "key", "test", "score", "edge"],
    )
    def test_refused_as_malformed(
        self,
        text: str,
        place: Callable[[str], dict[str, Any]],
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        document = place(text)
        with pytest.raises(InputError) as refusal:
            jsontext.parse(json.dumps(document).encode(), "the plan")
        assert refusal.value.code == "JSON_INVALID"
        with pytest.raises(InputError) as refusal:
            plan07.solve(document)
        assert refusal.value.code == "JSON_INVALID"
        assert refusal.value.message.isprintable()
        assert run(tmp_path, json.dumps(document), "--json") == 2
        printed = capsys.readouterr()
        assert json.loads(printed.out)["error"]["code"] == "JSON_INVALID"

    def test_a_whole_pair_is_a_character(self) -> None:
        text = json.dumps(plan({**obligation("O1"), "evidence": "\U0001f600"}))
        assert "\\ud83d\\ude00" in text
        value = jsontext.parse(text.encode(), "the plan")
        assert value["obligations"][0]["evidence"] == "\U0001f600"

    @pytest.mark.parametrize("text", UNWRITABLE.values(), ids=UNWRITABLE)
    def test_arguments_of_a_call(self, text: str) -> None:
        """Options are not documents, but are told like them."""
        for options in (
            {"policy": {text: "x"}},
            {"policy": {"cycle_policy": text}},
            {"limits": {text: 1}},
            {"rules": f"/nowhere/{text}"},
            {"impact": f"/nowhere/{text}"},
        ):
            with pytest.raises(Plan07Error) as refusal:
                plan07.solve(plan(obligation("O1")), **options)
            assert refusal.value.exit_status == 2


STRINGS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
NAMES = st.from_regex(r"[a-z][A-Za-z0-9_]{0,8}", fullmatch=True).filter(lambda name: name != "not")
TERMS: st.SearchStrategy[facts.Term] = st.recursive(
    st.one_of(STRINGS, st.integers(-(2**31) + 1, 2**31 - 1), NAMES.map(Fact)),
    lambda terms: st.builds(Fact, NAMES, st.lists(terms, max_size=4).map(tuple)),
    max_leaves=12,
)


class TestTheCodec:
    """The one place where text becomes ASP, and back."""

    @tries(100)
    @given(STRINGS)
    def test_quote_is_what_clingo_writes(self, text: str) -> None:
        assert facts.quote(text) == str(clingo.String(text))

    @every_text
    def test_quote_of_hostile_texts(self, text: str) -> None:
        assert facts.quote(text) == str(clingo.String(text))
        assert clingo.parse_term(facts.quote(text)).string == text

    @tries(100)
    @given(TERMS, NAMES)
    def test_parse_undoes_render(self, term: facts.Term, name: str) -> None:
        atom = Fact(name, (term,))
        assert facts.parse(facts.render(atom)) == atom

    @tries(100)
    @given(TERMS, NAMES)
    def test_clingo_reads_and_writes_the_same(self, term: facts.Term, name: str) -> None:
        atom = Fact(name, (term,))
        written = str(clingo.parse_term(facts.render(atom)))
        assert written == facts.render(atom)
        assert facts.parse(written) == atom

    @tries(30)
    @given(st.lists(st.tuples(NAMES, TERMS), max_size=8))
    def test_a_program_of_facts_has_just_these_facts(
        self, pairs: list[tuple[str, facts.Term]]
    ) -> None:
        atoms = [Fact(name, (term,)) for name, term in pairs]
        control = clingo.Control(["0"], logger=lambda code, text: None)
        control.add("base", [], facts.program(atoms))
        control.ground([("base", [])])
        models: list[set[str]] = []
        with control.solve(yield_=True) as handle:
            models.extend({str(each) for each in model.symbols(atoms=True)} for model in handle)
        assert models == [{facts.render(atom) for atom in atoms}]

    @pytest.mark.parametrize("number", [2**31, -(2**31), 10**30])
    def test_numbers_beyond_32_bits_are_refused(self, number: int) -> None:
        with pytest.raises(ValueError, match="32 bits"):
            facts.render(number)

    @pytest.mark.parametrize("name", ["", "A", "a b", "a.", "a(", "_a", "a\n", 'a"', "é"])
    def test_names_outside_the_charset_are_refused(self, name: str) -> None:
        with pytest.raises(ValueError, match="not the name"):
            facts.render(Fact(name))


def test_recursion_is_not_a_way_out() -> None:
    """Nesting deeper than the interpreter's stack is refused, not a traceback."""
    text = "[" * (sys.getrecursionlimit() * 50)
    with pytest.raises(InputError) as refusal:
        jsontext.parse(text.encode(), "the plan")
    assert refusal.value.code == "JSON_INVALID"
