"""The words of findings."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import RULES

from plan07 import messages, units, words
from plan07.errors import Finding
from plan07.facts import Fact, Term, constant, fact

ORDER = {"O1": 1, "O2": 2, "O10": 3}


def told(*rows: tuple[Term, Term], rename: dict[str, str] | None = None) -> list[Finding]:
    return messages.findings(rows, rename or {}, ORDER)


class TestFindings:
    def test_details_are_named_and_quoted(self) -> None:
        (found,) = told((fact("unknown_dependency", 'O"99'), "O2"))
        assert found == Finding(
            "UNKNOWN_DEPENDENCY",
            "O2",
            '"O2" depends on "O\\"99", which the plan does not hold',
            'add the obligation "O\\"99", or remove the dependency',
            {"id": "O2", "missing": 'O"99'},
        )

    def test_atoms_that_differ_in_what_is_collected_are_one(self) -> None:
        found = told(
            (fact("temporal_inconsistent", "O2", "O1"), "O1"),
            (fact("temporal_inconsistent", "O10", "O1"), "O1"),
            (fact("temporal_inconsistent", "O1", "O2"), "O2"),
        )
        assert [(each.subject, each.detail) for each in found] == [
            ("O1", {"edges": [["O10", "O1"], ["O2", "O1"]]}),
            ("O2", {"edges": [["O1", "O2"]]}),
        ]
        assert found[0].message.endswith("invalid: O10 before O1, O2 before O1")

    def test_causes_are_told_as_the_wire_writes_them(self) -> None:
        (found,) = told(
            (fact("unresolved_dependent", "a.b", constant("imported_by")), "O1"),
            (fact("unresolved_dependent", "a.b", constant("called_by")), "O1"),
        )
        assert found.detail == {
            "node": "O1",
            "entity": "a.b",
            "causes": ["CalledBy", "ImportedBy"],
        }
        assert found.message == (
            '"O1" breaks "a.b" (CalledBy, ImportedBy), and no obligation mends it'
        )

    def test_the_order_is_of_codes_then_of_ids(self) -> None:
        found = told(
            (fact("ungrounded"), "O10"),
            (fact("my_own"), "O1"),
            (fact("ungrounded"), "O2"),
            (fact("self_dependency"), "O10"),
            (constant("re_decompose"), constant("plan")),
        )
        assert [(each.code, each.subject) for each in found] == [
            ("RE_DECOMPOSE", "plan"),
            ("SELF_DEPENDENCY", "O10"),
            ("UNGROUNDED", "O2"),
            ("UNGROUNDED", "O10"),
            ("MY_OWN", "O1"),
        ]

    def test_a_unit_is_named_as_the_plan_names_it(self) -> None:
        (found,) = told(
            (fact("composite_over_bounds", 6, 5), "O1"), rename={"O1": "cycle:O1", "O2": "O2"}
        )
        assert found.subject == "cycle:O1"
        assert found.message.startswith('"cycle:O1" must land in one step and touches 6 files')
        assert found.detail == {"files": 6, "limit": 5}

    def test_a_rule_of_an_overlay(self) -> None:
        (found,) = told((fact("frozen", "auth", 3, constant("why")), "O1"))
        assert found == Finding(
            "FROZEN",
            "O1",
            '"O1": a rule of the overlay says so',
            "see the rule",
            {"argument_1": "auth", "argument_2": 3, "argument_3": "why"},
        )

    def test_details_that_a_rule_leaves_out(self) -> None:
        (found,) = told((constant("unknown_dependency"), "O1"))
        assert "(missing)" in found.message
        assert found.detail == {"id": "O1"}

    def test_a_chain_is_told_again(self) -> None:
        (found,) = told((fact("decomposition_cycle", "O1"), "O1"))
        again = messages.retold(found, {**found.detail, "chain": ["O1", "O2", "O1"]})
        assert again.message == "obligations depend on each other: O1 -> O2 -> O1"
        assert again.detail == {"members": ["O1"], "chain": ["O1", "O2", "O1"]}
        assert (again.code, again.subject, again.fix) == (found.code, found.subject, found.fix)


def heads(kind: str) -> dict[str, set[int]]:
    """The codes that the shipped rules derive, with the numbers of their arguments."""
    found: dict[str, set[int]] = {}
    for file in RULES.glob("*.lp"):
        text = file.read_text("utf-8")
        for code, args in re.findall(rf"^{kind}\((\w+)(?:\(([^()]*)\))?,", text, re.M):
            found.setdefault(code, set()).add(len(args.split(",")) if args else 0)
    return found


class TestTable:
    """Every code has words, and words for as many details as its rules derive."""

    @pytest.mark.parametrize("kind", ["violation", "advice"])
    def test_every_code_of_the_rules_is_told_whole(self, kind: str) -> None:
        for code, sizes in heads(kind).items():
            assert len(sizes) == 1, code
            (size,) = sizes
            args: list[Term] = [f"detail{index}" for index in range(size)]
            (found,) = told((Fact(code, tuple(args)), "O1"))
            assert found.code == code.upper()
            assert found.code in words.CODES
            for text in (found.message, found.fix):
                assert text
                assert not re.search(r"[{}]", text), code
                # A detail that the rules do not derive would stand as its name in brackets.
                alone = {each for each in re.findall(r"\((\w+)\)", text) if "etail" not in each}
                assert alone <= {"expand", "migrate", "contract"}, code
            assert not any(name.startswith("argument_") for name in found.detail), code
            # Lists of causes are told as the wire writes them, `Detail1` for `detail1`.
            shown = f"{found.message} {found.fix} {found.detail}".casefold()
            assert all(str(each) in shown for each in args), code

    def test_codes_are_upper_snake_and_unique(self) -> None:
        assert len(set(words.CODES)) == len(words.CODES)
        assert all(re.fullmatch(r"[A-Z]+(_[A-Z]+)*", code) for code in words.CODES)

    def test_every_refusal_names_its_subject(self) -> None:
        """S-004-24: it quotes the user's own token, but where it is about the whole plan or told
        by edges."""
        whole = {"re_decompose", "artifact_cap", "decomposition_cycle"}
        edges = {"temporal_inconsistent", "ladder_conflict"}
        for code, (size,) in heads("violation").items():
            (found,) = told((Fact(code, tuple(f"x{index}" for index in range(size))), "subject"))
            if code not in whole | edges:
                assert '"subject"' in found.message, code


class TestPrintable:
    @settings(max_examples=200)
    @given(st.text(max_size=20))
    def test_nothing_acts_on_a_terminal(self, text: str) -> None:
        shown = messages.printable(text)
        assert all(
            char.isprintable() and unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
            for char in shown
        )

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("plain", "plain"),
            ("認証 é", "認証 é"),
            ("a\nb\tc", "a\\u000ab\\u0009c"),
            ("\x1b[31m", "\\u001b[31m"),
            ("\u202eevil", "\\u202eevil"),
            ("\u200b", "\\u200b"),
            ("\U000e0041", "\\U000e0041"),
            ("\u2028", "\\u2028"),
            ("\ud800", "\\ud800"),
        ],
    )
    def test_examples(self, text: str, shown: str) -> None:
        assert messages.printable(text) == shown


class TestQuoted:
    @settings(max_examples=200)
    @given(st.text(max_size=200))
    def test_it_is_one_short_line(self, text: str) -> None:
        shown = messages.quoted(text)
        assert shown[0] == shown[-1] == '"'
        assert "\n" not in shown
        assert messages.printable(shown) == shown

    def test_it_is_cut_at_80_characters(self) -> None:
        assert messages.quoted("x" * 80) == f'"{"x" * 80}"'
        assert messages.quoted("x" * 81) == f'"{"x" * 77}..."'

    def test_it_escapes_as_json(self) -> None:
        """S-003-05."""
        assert messages.quoted('a\n## "b"\\') == '"a\\n## \\"b\\"\\\\"'


class TestChain:
    def test_the_shortest_cycle_and_the_lowest_ids_first(self) -> None:
        order = {f"O{n}": n for n in range(1, 6)}
        edges = [("O2", "O1"), ("O3", "O2"), ("O1", "O3"), ("O5", "O1"), ("O1", "O5")]
        assert units.chain(edges, "O1", order) == ["O1", "O5", "O1"]
        assert units.chain(edges[:3], "O1", order) == ["O1", "O2", "O3", "O1"]
        assert units.chain(edges[:3], "O2", order) == ["O2", "O3", "O1", "O2"]

    def test_each_step_reads_depends_on(self) -> None:
        """`a -> b` where a depends on b."""
        found = units.chain([("O3", "O1"), ("O2", "O3"), ("O1", "O2")], "O1", {})
        assert found == ["O1", "O3", "O2", "O1"]

    def test_without_a_cycle_it_is_the_start(self) -> None:
        assert units.chain([("O2", "O1")], "O1", {}) == ["O1"]
        assert units.chain([], "O1", {}) == ["O1"]


@pytest.mark.parametrize(
    ("name", "written"), [("called_by", "CalledBy"), ("x", "X"), ("a__b", "AB"), ("", "")]
)
def test_camel(name: str, written: str) -> None:
    assert messages.camel(name) == written
