"""closure.lp: whom does a change reach, over how many hops, and how sure is that."""

from __future__ import annotations

import re
from typing import ClassVar

import pytest
from support import LIMITS, atoms, only

FILES = ["impact.lp", "components.lp", "closure.lp"]
CAUSES = {
    "calls": "called_by",
    "imports": "imported_by",
    "reexports": "reexported_by",
    "inherits": "base_class_of",
    "implements": "base_class_of",
    "overrides": "overridden_by",
    "instantiates": "instantiated_by",
    "references": "used_by",
    "writes": "used_by",
    "uses_type": "type_used_by",
    "decorates": "decorated_by",
    "tests": "tested_by",
    "reads_config": "configured_by",
    "migrates": "migrated_by",
}
NUMBERS = {name: LIMITS[name] for name in ("max_hops", "min_confidence")}


def solved(facts: str, **numbers: int) -> set[str]:
    """Return the atoms of a walk; entities count in the order of the facts, unless these say it."""
    if "ordinal(" not in facts:
        facts += ordinals(*dict.fromkeys(re.findall(r'"([^"]*)"', facts)))
    return atoms(FILES, facts, {**NUMBERS, **numbers})


def seed(change: str, entity: str = "e", parameter: str | None = None) -> str:
    about = f'changed_parameter("{entity}",{change},"{parameter}"). ' if parameter else ""
    return f'seed("{entity}",{change}). {about}'


def relation(
    kind: str, dependent: str, dependency: str, resolution: str = "exact", sure: int = 1000
) -> str:
    return f'uses({kind},"{dependent}","{dependency}",{resolution},{sure}). '


def ordinals(*names: str) -> str:
    return "".join(f'ordinal("{name}",{number}). ' for number, name in enumerate(names, 1))


def affected(found: set[str]) -> dict[tuple[str, str, str, str], tuple[str, str, int, int]]:
    """Return (from, to, cause, how) to (strength, order, hop, confidence)."""
    rows = {}
    for atom in only(found, "affects"):
        told = re.fullmatch(
            r'affects\("([^"]*)","([^"]*)",because\((\w+),(\w+),(\w+),(\w+),"([^"]*)"\),'
            r"(\w+),(\w+),(\d+),(\d+),(\w+),(\w+)\)",
            atom,
        )
        assert told, atom
        source, target, _, cause, _, how, _, strength, order, hop, sure, _, _ = told.groups()
        rows[source, target, cause, how] = strength, order, int(hop), int(sure)
    return rows


def derived(found: set[str]) -> set[tuple[str, str, str]]:
    """Return (from, to, what the target goes through)."""
    pattern = re.compile(r'affects\("([^"]*)","([^"]*)",.*,(\w+)\)')
    matches = (pattern.fullmatch(atom) for atom in only(found, "affects"))
    return {(told[1], told[2], told[3]) for told in matches if told}


class TestOneHop:
    """Spec 3.2 step 3: impact edges, with cause, strength and order."""

    def test_a_row_of_the_table(self) -> None:
        found = solved(seed("rename") + relation("calls", "f", "e"))
        assert only(found, "affects") == {
            'affects("e","f",because(rename,called_by,refers,direct,"e"),must,together,1,970,exact,'
            "body)"
        }

    @pytest.mark.parametrize(("kind", "cause"), CAUSES.items(), ids=CAUSES.keys())
    def test_each_relation_has_its_cause(self, kind: str, cause: str) -> None:
        found = solved(seed("rename") + relation(kind, "f", "e"))
        assert {key[2] for key in affected(found)} == {cause}

    def test_confidence_is_that_of_the_row_times_that_of_the_edge(self) -> None:
        found = solved(seed("param_removed") + relation("calls", "f", "e", "typed", 500))
        assert affected(found) == {
            ("e", "f", "called_by", "direct"): ("must", "dependents_first", 1, 240)
        }

    @pytest.mark.parametrize(("sure", "reached"), [(104, False), (105, True)])
    def test_it_ends_below_the_least_confidence(self, sure: int, reached: bool) -> None:
        found = solved(seed("param_removed") + relation("calls", "f", "e", "exact", sure))
        assert bool(affected(found)) is reached

    def test_the_least_confidence_is_a_limit(self) -> None:
        facts = seed("param_removed") + relation("calls", "f", "e", "exact", 105)
        assert affected(solved(facts, min_confidence=51)) == {}

    @pytest.mark.parametrize("resolution", ["heuristic", "ambiguous"])
    def test_an_uncertain_edge_breaks_nobody(self, resolution: str) -> None:
        found = solved(seed("rename") + relation("calls", "f", "e", resolution))
        assert affected(found)["e", "f", "called_by", "direct"][0] == "should"

    @pytest.mark.parametrize("resolution", ["exact", "typed", "dynamic"])
    def test_a_firm_edge_does(self, resolution: str) -> None:
        found = solved(seed("rename") + relation("calls", "f", "e", resolution))
        assert affected(found)["e", "f", "called_by", "direct"][0] == "must"

    def test_relations_that_no_row_speaks_of(self) -> None:
        found = solved(seed("param_removed") + relation("imports", "f", "e"))
        assert affected(found) == {}

    def test_what_lies_outside_is_not_edited(self) -> None:
        facts = seed("rename") + relation("calls", "f", "e") + 'external("f").'
        facts += relation("overrides", "e", "x") + 'external("x").'
        assert affected(solved(facts)) == {}

    def test_an_entity_does_not_reach_itself(self) -> None:
        assert affected(solved(seed("rename") + relation("calls", "e", "e"))) == {}

    def test_of_several_rows_the_strongest(self) -> None:
        more = "effect(mine,calls,check,none,900). effect(mine,uses,must,together,100). "
        more += "group(called_by,uses). "
        found = solved(more + seed("mine") + relation("calls", "f", "e"))
        assert affected(found) == {("e", "f", "called_by", "direct"): ("must", "together", 1, 100)}

    def test_tests_are_run_again(self) -> None:
        """However seldom they are edited."""
        facts = seed("param_added_default") + relation("tests", "t", "e")
        found = solved(facts + relation("reads_config", "t", "e"))
        assert affected(found) == {("e", "t", "tested_by", "direct"): ("revalidate", "none", 1, 30)}
        assert derived(found) == {("e", "t", "none")}

    def test_those_of_what_is_edited_alone(self) -> None:
        facts = relation("tests", "t", "f") + relation("calls", "f", "e")
        assert ("f", "t", "tested_by", "direct") in affected(solved(seed("rename") + facts))
        assert ("f", "t", "tested_by", "direct") not in affected(solved(seed("body") + facts))

    @pytest.mark.parametrize("resolution", ["exact", "dynamic"])
    def test_a_test_that_does_not_name_it_is_not_edited(self, resolution: str) -> None:
        """It reaches it through a fixture, or coverage says so."""
        facts = seed("rename") + relation("tests", "t", "e", resolution)
        assert affected(solved(facts))["e", "t", "tested_by", "direct"][:2] == (
            "revalidate",
            "none",
        )
        assert affected(solved(facts))["e", "t", "tested_by", "direct"][3] == 20
        assert affected(solved(seed("param_removed") + facts.partition(" ")[2])) == {}
        found = affected(solved(facts + relation("references", "t", "e")))
        assert found["e", "t", "tested_by", "direct"][:2] == ("must", "together")

    def test_a_kind_that_the_table_does_not_know(self) -> None:
        found = solved(seed("sideways") + relation("calls", "f", "e"))
        assert only(found, "unknown_seed") == {'unknown_seed("e",sideways)'}
        assert affected(found) == {}


class TestHops:
    CHAIN = relation("calls", "f", "e") + relation("calls", "g", "f") + relation("calls", "h", "g")

    def test_a_caller_that_is_edited_reaches_its_own_callers(self) -> None:
        found = solved(seed("rename") + self.CHAIN)
        assert affected(found) == {
            ("e", "f", "called_by", "direct"): ("must", "together", 1, 970),
            ("f", "g", "called_by", "direct"): ("check", "none", 2, 145),
        }

    def test_as_far_as_the_hops_go(self) -> None:
        found = solved(seed("rename") + self.CHAIN, min_confidence=1)
        assert {key[:2] for key in affected(found)} == {("e", "f"), ("f", "g"), ("g", "h")}
        found = solved(seed("rename") + self.CHAIN, min_confidence=1, max_hops=2)
        assert {key[:2] for key in affected(found)} == {("e", "f"), ("f", "g")}

    def test_an_override_goes_through_the_same(self) -> None:
        facts = seed("param_added_required") + relation("overrides", "d", "e")
        found = solved(facts + relation("calls", "g", "d"))
        assert affected(found) == {
            ("e", "d", "overridden_by", "direct"): ("must", "together", 1, 800),
            ("d", "g", "called_by", "direct"): ("must", "together", 2, 600),
        }
        assert ("e", "d", "param_added_required") in derived(found)

    def test_the_base_of_an_override_too(self) -> None:
        found = solved(seed("param_added_required") + relation("overrides", "e", "b"))
        assert affected(found) == {("e", "b", "overrides", "direct"): ("must", "together", 1, 800)}

    def test_a_path_is_as_strong_as_its_weakest_hop(self) -> None:
        facts = seed("param_removed") + relation("overrides", "d", "e")
        found = solved(facts + relation("calls", "g", "d"))
        assert affected(found)["d", "g", "called_by", "direct"] == (
            "should",
            "dependents_first",
            2,
            120,
        )

    def test_what_is_run_again_leads_no_further(self) -> None:
        facts = seed("type_widened") + relation("tests", "t", "e") + relation("calls", "u", "t")
        assert set(affected(solved(facts, min_confidence=1))) == {("e", "t", "tested_by", "direct")}

    @pytest.mark.parametrize(
        ("change", "brought"),
        [("class_bases", "class_bases"), ("metaclass", "metaclass"), ("deleted", "class_bases")],
    )
    def test_what_an_heir_goes_through(self, change: str, brought: str) -> None:
        found = solved(seed(change) + relation("inherits", "d", "e"))
        assert derived(found) == {("e", "d", brought)}

    def test_the_surest_of_several_ways(self) -> None:
        facts = seed("rename") + relation("calls", "f", "e", "exact", 500)
        facts += relation("writes", "f", "e") + relation("calls", "g", "f")
        assert affected(solved(facts))["f", "g", "called_by", "direct"][3] == 145

    def test_the_strongest_of_several_ways(self) -> None:
        facts = seed("param_added_required", "a") + seed("param_added_required", "b")
        facts += relation("overrides", "d", "a", "heuristic") + relation("overrides", "d", "b")
        facts += relation("calls", "g", "d")
        assert affected(solved(facts))["d", "g", "called_by", "direct"][0] == "must"

    def test_an_entity_stands_where_it_is_reached_first(self) -> None:
        facts = seed("param_added_required") + relation("overrides", "d", "e")
        facts += relation("overrides", "c", "d") + relation("overrides", "c", "e")
        hops = {key[:2]: told[2] for key, told in affected(solved(facts)).items()}
        assert hops["e", "c"] == 1
        assert hops["e", "d"] == 1


class TestCircles:
    RING = relation("calls", "f", "e") + relation("calls", "e", "f")

    def test_an_edge_back_is_left_out_and_told(self) -> None:
        found = solved(seed("rename") + self.RING + ordinals("e", "f"))
        assert set(affected(found)) == {("e", "f", "called_by", "direct")}
        assert only(found, "returns") == {'returns("f","e",called_by)'}

    @pytest.mark.parametrize("names", [("e", "f"), ("f", "e")], ids=["in order", "reversed"])
    def test_between_two_seeds_the_first_by_name_leads(self, names: tuple[str, str]) -> None:
        facts = seed("rename", "e") + seed("rename", "f") + self.RING + ordinals(*names)
        found = solved(facts)
        first, second = names
        assert set(affected(found)) == {(first, second, "called_by", "direct")}
        assert only(found, "returns") == {f'returns("{second}","{first}",called_by)'}

    def test_seeds_that_depend_on_each_other_without_a_circle(self) -> None:
        facts = seed("rename", "e") + seed("rename", "f") + relation("calls", "e", "f")
        found = solved(facts + ordinals("e", "f"))
        assert set(affected(found)) == {("f", "e", "called_by", "direct")}
        assert only(found, "returns") == set()

    def test_a_seed_says_itself_how_it_changes(self) -> None:
        facts = seed("rename", "e") + seed("rename", "f") + relation("calls", "f", "e")
        facts += relation("calls", "g", "f")
        assert set(affected(solved(facts))) == {
            ("e", "f", "called_by", "direct"),
            ("f", "g", "called_by", "direct"),
        }
        assert only(solved(facts), "play") == {
            'play("e",rename)',
            'play("f",rename)',
            'play("g",body)',
        }

    def test_a_family_is_no_circle(self) -> None:
        facts = seed("param_added_required") + relation("overrides", "d", "e")
        found = solved(facts + ordinals("e", "d"))
        assert set(affected(found)) == {("e", "d", "overridden_by", "direct")}
        assert only(found, "returns") == set()


class TestDispatch:
    """A call of a method may run whatever overrides it."""

    def test_callers_of_the_base_run_the_override(self) -> None:
        facts = seed("body") + relation("overrides", "e", "b") + relation("calls", "f", "b")
        assert affected(solved(facts)) == {
            ("e", "f", "called_by", "over"): ("check", "none", 1, 150)
        }

    def test_of_the_base_of_the_base_too(self) -> None:
        facts = seed("body") + relation("overrides", "e", "b", "exact", 900)
        facts += relation("overrides", "b", "a", "typed", 900) + relation("calls", "f", "a")
        found = solved(facts)
        assert affected(found) == {("e", "f", "called_by", "over"): ("check", "none", 1, 121)}
        assert "typed" in next(iter(only(found, "affects")))

    def test_such_a_call_is_not_broken_for_sure(self) -> None:
        more = "effect(mine,calls,must,together,900)."
        facts = seed("mine") + relation("overrides", "e", "b") + relation("calls", "f", "b")
        assert affected(solved(facts + more)) == {
            ("e", "f", "called_by", "over"): ("should", "together", 1, 900)
        }

    def test_callers_of_an_override_follow_what_it_goes_through(self) -> None:
        facts = seed("param_added_required") + relation("overrides", "d", "e")
        facts += relation("calls", "f", "d")
        # Step by step where the walk goes that far, at once where it does not.
        assert ("d", "f", "called_by", "direct") in affected(solved(facts))
        assert affected(solved(facts, max_hops=1))["e", "f", "called_by", "under"] == (
            "must",
            "together",
            1,
            600,
        )

    def test_as_strongly_as_the_override_does(self) -> None:
        facts = seed("param_removed") + relation("overrides", "d", "e")
        facts += relation("calls", "f", "d")
        found = affected(solved(facts, max_hops=1))
        assert found["e", "f", "called_by", "under"][0] == "should"

    def test_an_override_does_not_follow_a_change_of_the_body(self) -> None:
        facts = seed("body") + relation("overrides", "d", "e") + relation("calls", "f", "d")
        assert affected(solved(facts)) == {}

    def test_who_calls_directly_is_told_once(self) -> None:
        facts = seed("body") + relation("overrides", "e", "b")
        facts += relation("calls", "f", "b") + relation("calls", "f", "e")
        assert set(affected(solved(facts))) == {("e", "f", "called_by", "direct")}
        facts = seed("rename") + relation("overrides", "d", "e")
        facts += relation("calls", "f", "d") + relation("calls", "f", "e")
        assert ("e", "f", "called_by", "under") not in affected(solved(facts, max_hops=1))

    def test_the_edge_is_as_firm_as_its_least_firm_part(self) -> None:
        facts = seed("body") + relation("overrides", "e", "b", "heuristic")
        found = solved(facts + relation("calls", "f", "b", "typed"))
        assert ",heuristic,body)" in next(iter(only(found, "affects")))

    def test_a_ring_of_overrides_ends(self) -> None:
        facts = seed("body") + relation("overrides", "e", "b") + relation("overrides", "b", "e")
        facts += relation("calls", "f", "b")
        assert ("e", "f", "called_by", "over") in affected(solved(facts))


class TestConstructors:
    CLASS = 'constructor("C.__init__","C"). ' + relation("instantiates", "f", "C")
    HEIR = relation("inherits", "D", "C") + relation("instantiates", "g", "D")

    def test_whoever_builds_the_class_calls_its_constructor(self) -> None:
        found = solved(seed("param_added_required", "C.__init__") + self.CLASS)
        assert affected(found) == {
            ("C.__init__", "f", "instantiated_by", "constructor"): ("must", "together", 1, 750)
        }

    def test_whoever_builds_an_heir_does_too(self) -> None:
        found = solved(seed("param_added_required", "C.__init__") + self.CLASS + self.HEIR)
        assert ("C.__init__", "g", "instantiated_by", "constructor") in affected(found)

    def test_unless_the_heir_has_its_own(self) -> None:
        own = 'constructor("D.__init__","D"). '
        found = solved(seed("param_added_required", "C.__init__") + self.CLASS + self.HEIR + own)
        assert ("C.__init__", "g", "instantiated_by", "constructor") not in affected(found)

    def test_a_call_of_the_constructor_is_told_once(self) -> None:
        facts = self.CLASS + relation("calls", "f", "C.__init__")
        found = affected(solved(seed("param_added_required", "C.__init__") + facts))
        assert set(found) == {("C.__init__", "f", "called_by", "direct")}

    @pytest.mark.parametrize("entity", ["C.__init__", "D.__init__"])
    def test_a_constructor_need_not_be_like_that_of_the_base(self, entity: str) -> None:
        facts = 'constructor("C.__init__","C"). constructor("D.__init__","D"). '
        facts += relation("overrides", "D.__init__", "C.__init__")
        other = "C.__init__" if entity == "D.__init__" else "D.__init__"
        facts += relation("calls", "f", other)
        assert affected(solved(seed("param_added_required", entity) + facts)) == {}
        assert affected(solved(seed("body", entity) + facts)) == {}

    def test_a_class_that_is_called_otherwise(self) -> None:
        found = affected(solved(seed("param_added_required", "C") + self.CLASS + self.HEIR))
        assert ("C", "f", "instantiated_by", "direct") in found
        assert ("C", "g", "instantiated_by", "constructor") in found

    @pytest.mark.parametrize("change", ["rename", "deleted", "schema_migration"])
    def test_a_change_of_the_name_does_not_concern_who_builds(self, change: str) -> None:
        found = affected(solved(seed(change, "C.__init__") + self.CLASS))
        assert found == {}


class TestParameters:
    """A call that does not notice the change of a parameter is spared."""

    SPARED: ClassVar = {
        ("param_removed", "omits"),
        ("param_type_narrowed", "omits"),
        ("param_type_widened", "omits"),
        ("param_renamed", "by_position"),
        ("param_renamed", "omits"),
        ("param_moved", "by_keyword"),
        ("param_moved", "omits"),
        ("default_changed", "by_position"),
        ("default_changed", "by_keyword"),
        ("default_removed", "by_position"),
        ("default_removed", "by_keyword"),
    }

    @pytest.mark.parametrize("use", ["by_position", "by_keyword", "omits", "unclear"])
    @pytest.mark.parametrize(
        "change",
        [
            *("param_removed", "param_renamed", "param_moved", "param_type_narrowed"),
            *("param_type_widened", "default_changed", "default_removed", "param_added_required"),
        ],
    )
    def test_who_is_spared(self, change: str, use: str) -> None:
        facts = seed(change, parameter="p") + relation("calls", "f", "e")
        found = solved(facts + f'argument("f","e","p",{use}).')
        spared = (change, use) in self.SPARED
        assert (affected(found) == {}) is spared
        assert only(found, "spared") == ({f'spared("e",{change},"e","f")'} if spared else set())

    def test_one_call_that_notices_is_enough(self) -> None:
        facts = seed("param_removed", parameter="p") + relation("calls", "f", "e")
        facts += 'argument("f","e","p",omits). argument("f","e","p",by_keyword).'
        assert set(affected(solved(facts))) == {("e", "f", "called_by", "direct")}

    def test_a_call_of_which_nothing_is_known_is_not_spared(self) -> None:
        facts = seed("param_removed", parameter="p") + relation("calls", "f", "e")
        assert set(affected(solved(facts))) == {("e", "f", "called_by", "direct")}
        facts += 'changed_parameter("e",param_removed,"q"). argument("f","e","q",omits).'
        assert set(affected(solved(facts))) == {("e", "f", "called_by", "direct")}

    def test_without_a_parameter_nobody_is_spared(self) -> None:
        facts = seed("param_removed") + relation("calls", "f", "e")
        facts += 'argument("f","e","p",omits).'
        assert set(affected(solved(facts))) == {("e", "f", "called_by", "direct")}

    def test_a_family_shares_its_parameters(self) -> None:
        facts = seed("param_removed", parameter="p") + relation("overrides", "d", "e")
        facts += relation("calls", "f", "d") + 'argument("f","d","p",omits). '
        facts += relation("overrides", "e", "b") + relation("calls", "g", "b")
        facts += 'argument("g","b","p",omits).'
        assert {key[:2] for key in affected(solved(facts))} == {("e", "d"), ("e", "b")}
        assert {key[:2] for key in affected(solved(facts, max_hops=1))} == {("e", "d"), ("e", "b")}

    def test_a_class_is_called_like_its_constructor(self) -> None:
        facts = seed("param_removed", "C.__init__", "p") + TestConstructors.CLASS
        assert affected(solved(facts + 'argument("f","C","p",omits).')) == {}
        facts = seed("param_removed", "C", "p") + relation("instantiates", "f", "C")
        assert affected(solved(facts + 'argument("f","C","p",omits).')) == {}


class TestContents:
    """What lies in an entity changes along."""

    WITHIN = 'within("e","e.m"). ' + relation("calls", "f", "e.m")

    @pytest.mark.parametrize(
        ("change", "kind", "inner"),
        [
            *(("deleted", kind, "deleted") for kind in ("module", "package", "class", "enum")),
            *(("move", kind, "move") for kind in ("module", "class", "interface", "trait")),
            ("rename", "module", "move"),
            ("rename", "package", "move"),
            ("deleted", "struct", "deleted"),
        ],
    )
    def test_it_is_carried_along(self, change: str, kind: str, inner: str) -> None:
        found = solved(seed(change) + f'entity("e",{kind}). ' + self.WITHIN)
        assert only(found, "carried") == {f'carried("e.m",{inner},"e")'}
        assert set(affected(found)) == {("e.m", "f", "called_by", "direct")}
        assert affected(found)["e.m", "f", "called_by", "direct"][2] == 1

    @pytest.mark.parametrize(
        ("change", "kind"), [("rename", "class"), ("body", "module"), ("deleted", "function")]
    )
    def test_or_not(self, change: str, kind: str) -> None:
        found = solved(seed(change) + f'entity("e",{kind}). ' + self.WITHIN)
        assert only(found, "carried", "opens") == set()
        assert affected(found) == {}

    def test_it_is_looked_into_once(self) -> None:
        facts = seed("deleted") + 'entity("e",class). '
        assert only(solved(facts), "opens") == {'opens("e")'}
        assert only(solved(facts + 'opened("e").'), "opens") == set()

    @pytest.mark.parametrize("own", ["deleted", "rename", "move", "field_deleted", "field_renamed"])
    def test_what_leaves_by_itself_does_not_go_along(self, own: str) -> None:
        facts = seed("deleted") + seed(own, "e.m") + 'entity("e",class). ' + self.WITHIN
        found = solved(facts)
        assert only(found, "carried") == set()
        assert {f'start("e.m",{own})', 'start("e",deleted)'} == only(found, "start")

    def test_what_is_within_what_goes_along(self) -> None:
        facts = seed("deleted") + 'entity("e",module). entity("e.C",class). within("e","e.C"). '
        found = solved(facts + 'within("e","e.C.m"). within("e.C","e.C.m").')
        assert 'start("e.C.m",deleted)' in found


class TestPublic:
    """What outsiders may use is changed with more care."""

    def strength(self, change: str, kind: str, *, public: bool, resolution: str = "exact") -> str:
        facts = seed(change) + relation(kind, "f", "e", resolution)
        found = affected(solved(facts + ('public("e").' if public else ""), min_confidence=1))
        ((strength, *_),) = found.values()
        return strength

    @pytest.mark.parametrize(
        ("change", "kind", "own", "raised"),
        [
            ("deleted", "overrides", "should", "must"),
            ("param_removed", "overrides", "should", "must"),
            ("rename", "calls", "must", "must"),
            # An addition breaks nobody.
            ("param_added_default", "overrides", "should", "should"),
            ("param_added_default", "calls", "check", "should"),
            # A test that is run again is no more than that.
            ("param_added_default", "tests", "revalidate", "revalidate"),
            ("default_changed", "calls", "check", "should"),
            # A body is no contract.
            ("body", "calls", "check", "check"),
            ("body", "tests", "revalidate", "revalidate"),
        ],
    )
    def test_one_step_stronger(self, change: str, kind: str, own: str, raised: str) -> None:
        assert self.strength(change, kind, public=False) == own
        assert self.strength(change, kind, public=True) == raised

    def test_an_uncertain_edge_stays_as_it_is(self) -> None:
        assert (
            self.strength("param_removed", "overrides", public=True, resolution="heuristic")
            == "should"
        )

    def test_only_the_seed_itself(self) -> None:
        facts = seed("rename") + relation("calls", "f", "e") + relation("calls", "g", "f")
        found = affected(solved(facts + 'public("f").'))
        assert found["f", "g", "called_by", "direct"][0] == "check"

    @pytest.mark.parametrize(("known_as", "sure"), [("changes", 840), ("mention", 300)])
    def test_documents_that_tell_of_it(self, known_as: str, sure: int) -> None:
        announces = f'announces("CHANGES.md","e",{known_as}). '
        assert affected(solved(seed("deleted") + announces)) == {}
        assert affected(solved(seed("body") + announces + 'public("e").')) == {}
        found = solved(seed("deleted") + announces + 'public("e").')
        assert affected(found) == {
            ("e", "CHANGES.md", "documented_by", "direct"): ("check", "definition_first", 1, sure)
        }
        facts = seed("deleted") + announces + 'public("e").'
        assert affected(solved(facts, min_confidence=sure + 1)) == {}


class TestWanted:
    """Only what leads on is read."""

    def test_a_seed(self) -> None:
        assert only(solved(seed("rename")), "wanted") == {'wanted("e")'}
        assert only(solved(seed("rename") + 'read("e").'), "wanted") == set()

    def test_who_is_sure_enough_to_lead_on(self) -> None:
        facts = seed("rename") + relation("calls", "f", "e") + 'read("e"). '
        assert only(solved(facts), "wanted") == {'wanted("f")'}
        facts = seed("body") + relation("calls", "f", "e") + 'read("e"). '
        assert only(solved(facts), "wanted") == set()

    def test_nobody_beyond_the_last_hop(self) -> None:
        facts = seed("rename") + relation("calls", "f", "e") + 'read("e"). '
        assert only(solved(facts, max_hops=1), "wanted") == set()

    def test_the_family_whose_calls_count(self) -> None:
        facts = seed("body") + relation("overrides", "e", "b") + 'read("e"). '
        assert only(solved(facts), "wanted") == {'wanted("b")'}
        facts = seed("rename") + relation("overrides", "d", "e") + 'read("e"). '
        assert only(solved(facts, max_hops=1), "wanted") == {'wanted("d")'}
        facts = seed("body") + relation("overrides", "d", "e") + 'read("e"). '
        assert only(solved(facts), "wanted") == set()
        facts = seed("class_bases") + relation("overrides", "e", "b") + 'read("e"). '
        assert only(solved(facts), "wanted") == set()

    def test_the_class_that_a_constructor_builds(self) -> None:
        facts = seed("param_removed", "C.__init__") + 'constructor("C.__init__","C"). '
        facts += 'read("C.__init__"). '
        assert only(solved(facts), "wanted") == {'wanted("C")'}
        facts = seed("deleted", "C.__init__") + 'constructor("C.__init__","C"). '
        assert only(solved(facts + 'read("C.__init__"). '), "wanted") == set()
